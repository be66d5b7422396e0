"""A model as a notebook or a script: cells that load it and call the verbs that the page used."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from routh.display.report.findings import Findings


@dataclass(frozen=True)
class Cell:
    """Code, and the words above it."""

    words: str
    code: str


def notebook(found: Findings, text: str) -> str:
    """A notebook of Jupyter, nothing in it run yet."""
    sheets = []
    for k, cell in enumerate(cells(found, text)):
        sheets.append(_sheet("markdown", cell.words, f"words{k}"))
        sheets.append(_sheet("code", cell.code, f"code{k}"))
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    about = {"kernelspec": kernel, "language_info": {"name": "python"}}
    document = {"cells": sheets, "metadata": about, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def script(found: Findings, text: str) -> str:
    """The same as a script of Python."""
    parts = []
    for cell in cells(found, text):
        lines = [line.lstrip("# ") for line in cell.words.splitlines() if line.strip()]
        said = "\n".join(f"# {line}" for line in lines)
        parts.append(f"{said}\n{_printed(cell.code)}")
    return "\n\n".join(parts) + "\n"


def _sheet(kind: str, source: str, name: str) -> dict[str, object]:
    sheet: dict[str, object] = {"cell_type": kind, "id": name, "metadata": {}}
    sheet["source"] = source.splitlines(keepends=True)
    return sheet | ({"execution_count": None, "outputs": []} if kind == "code" else {})


def _printed(code: str) -> str:
    """Code whose last line, if it is a value, is printed."""
    *before, last = code.splitlines()
    value = last.isidentifier() or (last.startswith("rt.") and "=" not in last.partition("(")[0])
    drawn = last.startswith("rt.plot(")
    return "\n".join([*before, f"print({last})" if value and not drawn else last])


def cells(found: Findings, text: str) -> Iterator[Cell]:
    """What is done, one step after the other; what a model does not have is left out."""
    model = found.model
    yield Cell(
        f"# {model.name or 'A model'}\n\n{model.description}".rstrip(),
        f"import numpy as np\n\nimport routh as rt\n\nmodel = rt.load({_quoted(text)})",
    )
    yield Cell("## Equations of motion", _equations(found))
    yield Cell("The numbers, and the system of coordinates", _system(found))
    if not model.system.friction:
        yield from _rests(found)
    asked = model.analysis.motion
    yield Cell(
        "## Motion",
        f"times = np.linspace(0, {float(asked.until)!r}, {asked.outputs})\n"
        "motion = rt.simulate(\n"
        "    system, values, model.start, times, inputs=model.laws or None, events=model.ends or None\n"
        ")\n"
        "motion",
    )
    yield Cell("Curves over time", "rt.plot(motion)")
    if not model.drawing.is_empty:
        yield Cell("## Animation", _ANIMATION)


_ANIMATION = """drawing = model.drawing
film = rt.animate(
    motion,
    points=drawing.marks,
    lines=[list(line) for line in (*drawing.lines, *drawing.outlines)],
    springs=[list(line) for line in drawing.springs],
    bodies=drawing.bodies,
)
film"""


def _equations(found: Findings) -> str:
    contacts = len(found.model.system.friction)
    slips = f".phase({', '.join(['1'] * contacts)})  # while every contact slips" if contacts else ""
    return f"whole = model.system{slips}\nrt.derive(rt.equations(whole))"


def _system(found: Findings) -> str:
    sizes = found.model.sizes
    own = "system = model.system"
    if sizes:
        each = ", ".join(
            f'"{w.name}": {n if kind == "functions" else f"rt.Elements({n})"}'
            for w, (kind, n) in sizes.items()
        )
        own = f"system = rt.discretize(model.system, {{{each}}})"
    return f"values = model.values\n{own}\nvalues"


def _rests(found: Findings) -> Iterator[Cell]:
    model = found.model
    speeds = f", speeds={model.analysis.speeds!r}" if model.analysis.speeds else ""
    if isinstance(found.rests, str):
        return
    if found.searchable:
        within = ", within=model.within" if model.within else ""
        yield Cell(
            "## Equilibria",
            f"rests = rt.equilibria(system, values, inputs=model.inputs{within})\nrests",
        )
    yield Cell(
        "## The equilibrium near the guess",
        f"rest = rt.equilibrium(system, values, guess=model.guess, inputs=model.inputs{speeds})\nrest",
    )
    if found.models and isinstance(found.models[0], str):
        return
    yield Cell("Its modes, and whether it is stable", "modes = rt.modes(rt.linearize(rest))\nmodes")
    yield Cell("Why", "rt.derive(modes)")


def _quoted(text: str) -> str:
    """The text as a literal that can be read and edited; escaped where it would not be the same."""
    body = text if text.endswith("\n") else text + "\n"
    if '"""' in body or "\\" in body or "\r" in body:
        return repr(body)
    return f'"""\n{body}"""'
