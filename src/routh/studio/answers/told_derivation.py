"""The ask `derivation`: chapters as a lecturer writes them, each as soon as it is written."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import routh as rt
from routh.display.report.about_rests import symbolic_model
from routh.display.report.findings import Findings, slipping
from routh.errors import RouthError
from routh.mechanics.forms.chapter import Chapter, Formula, Step, Table
from routh.studio.answers.request import findings, position
from routh.studio.answers.standing import stand
from routh.studio.bench import Bench
from routh.studio.plain import plain


def derivation(bench: Bench, about: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """`derivation` {text, values, q?}: how everything about a model is derived, in parts.

    Yields:
        {chapters: [{title, key, steps: [{title, blocks: [block]}], words}], done}: those written so
        far. A block is {kind: "words", text} with names in backticks, {kind: "formula", latex, text},
        or {kind: "table", head: [cell], rows: [[cell]]} with cells {text} or {latex}. `words` says why
        a chapter is not written, and is "" otherwise. key is "equations", "rest", "linear", "modes" or
        "hamilton".
    """
    found = findings(bench, about)
    given = position(found, about.get("q"))
    return _written(bench, found, given)


def _written(bench: Bench, found: Findings, q: Mapping[Any, float]) -> Iterator[dict[str, Any]]:
    told: list[dict[str, Any]] = []
    makers = _chapters(found, q)
    for k, (key, title, make) in enumerate(makers):
        bench.progress(k / len(makers), f"Writing: {title}")
        try:
            told.append(_chapter(key, title, rt.derive(make())))
        except RouthError as error:
            told.append({"key": key, "title": title, "steps": [], "words": str(error)})
        yield dict(plain({"chapters": told, "done": k == len(makers) - 1}))


def _chapters(found: Findings, q: Mapping[Any, float]) -> list[tuple[str, str, Callable[[], Any]]]:
    """What is derived, in the order of a lecture."""

    def equations() -> Any:
        return rt.equations(slipping(found.model.system))

    def here() -> Any:
        return stand(found, q)

    def linear() -> Any:
        own = here()
        return symbolic_model(own.rest) or (own.modes.linear if own.modes else own.periodic)

    def small_motions() -> Any:
        own = here()
        return own.modes or own.periodic

    return [
        ("equations", "Equations of motion", equations),
        ("rest", "The equilibrium", lambda: here().rest),
        ("linear", "The linear model", linear),
        ("modes", "Modes and verdict", small_motions),
        ("hamilton", "Hamilton's equations", lambda: rt.hamiltonian(slipping(found.model.system))),
    ]


def _chapter(key: str, title: str, chapter: Chapter) -> dict[str, Any]:
    steps = [
        {"title": section.title, "blocks": [_block(step) for step in section.steps]}
        for section in chapter
    ]
    return {"key": key, "title": title, "about": chapter.title, "steps": steps, "words": ""}


def _block(step: Step) -> dict[str, Any]:
    if isinstance(step, Formula):
        return {"kind": "formula", "latex": step.latex, "text": step.text}
    if isinstance(step, Table):
        rows = [[_cell(cell) for cell in row] for row in step.rows]
        return {"kind": "table", "head": [_cell(cell) for cell in step.head], "rows": rows}
    return {"kind": "words", "text": str(step)}


def _cell(cell: str | Formula) -> dict[str, str]:
    return {"latex": cell.latex} if isinstance(cell, Formula) else {"text": cell}
