"""What a report says about parameters that move: sliders, frequencies, branches of equilibria."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from routh.display.report.about_model import unit_text
from routh.display.report.every_branch import Diagram, diagram
from routh.display.report.findings import Findings
from routh.display.report.items import Heading, Item, Pictures, Rows, Slider, Words


def moving_section(found: Findings) -> Iterator[Item]:
    """A slider for each parameter that has a range, moving the eigenvalues near the guess."""
    if not found.moved:
        return
    yield Heading("Moving a parameter")
    yield Words(
        "Eigenvalues about the equilibrium near the guess, in 1/s; those on the right grow.", aside=True
    )
    for name, swept in found.moved.items():
        if isinstance(swept, str):
            yield Words(f"`{name}`: {swept}", aside=True)
            continue
        numbers = swept.linear.reference.conditions.values[name]
        roots, known = np.asarray(swept.eigenvalues), swept.converged
        if known is not None and known.any():
            known = np.repeat(known, 2, axis=-1)[..., : roots.shape[-1]]
            roots = np.where(known, roots, np.nan)
            if not known.all():
                yield Words("Those that are not converged are left out.", aside=True)
        data = {
            "unit": unit_text(found.model.units.get(name, "")),
            "values": [float(f"{x:.6g}") for x in numbers],
            "roots": [
                [[float(f"{s.real:.5g}"), float(f"{s.imag:.5g}")] for s in row if np.isfinite(s)]
                for row in roots
            ],
            "verdicts": [str(verdict) for verdict in swept.stability.verdict],
        }
        start = int(np.argmin(np.abs(np.asarray(numbers) - found.values[name])))
        yield Slider(name, start, data)


def sweep_section(found: Findings, pictures: Pictures) -> Iterator[Item]:
    """Frequencies, eigenvalues and branches of equilibria along the parameter that is asked for."""
    asked, swept = found.model.analysis.sweep, found.sweep
    if asked is None or swept is None:
        return
    unit = unit_text(found.model.units.get(asked.parameter, ""))
    yield Heading(f"Along `{asked.parameter}`")
    yield Words(f"`{asked.parameter}` moves from {asked.start:g} to {asked.end:g} {unit}".strip() + ".")
    if isinstance(swept, str):
        yield Words(swept, aside=True)
    else:
        yield from pictures.along(asked.parameter, swept)
    every = diagram(found)
    if isinstance(every, Diagram):
        yield from _branches(found, every, pictures)
    elif every:
        yield Words(every, aside=True)


def _branches(found: Findings, every: Diagram, pictures: Pictures) -> Iterator[Item]:
    if not every.moves:
        yield Words("The equilibrium stays where it is, and no other was found.")
    else:
        yield from pictures.branches(every)
    points = [point for branch in every.branches for point in branch.points]
    rows = tuple(
        (str(point.kind), f"{point.value:.8g}", found.place(point.rest),
         "" if point.frequency is None else f"{point.frequency:.6g}")
        for point in points
    )  # fmt: skip
    if rows:
        name = every.branches[0].parameter
        yield Rows(
            ("what happens", f"at `{name}`", "position", "rad/s"),
            tuple(dict.fromkeys(rows)),
            numbers=(1, 3),
        )
    for sentence in (*every.remarks, _how(found, every)):
        yield Words(sentence, aside=True)


def _how(found: Findings, every: Diagram) -> str:
    """What was followed, and what may be missing."""
    count = len(every.branches)
    told = "1 branch was" if count == 1 else f"{count} branches were"
    if not found.searchable:
        return (
            f"{told} followed from the equilibrium near the guess, at both ends; there may be others."
        )
    return (
        f"{told} followed: from every equilibrium found at both ends and at the value of the model, and"
        " through the points where branches cross. One that begins and ends in between may be missing."
    )
