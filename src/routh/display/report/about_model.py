"""What a report says first: what the model is, how it looks, its numbers, and what acts on it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import sympy

from routh.display.report.findings import Findings
from routh.display.report.items import Cell, Description, Heading, Item, Maths, Pictures, Rows, Words
from routh.files.model import Model
from routh.files.units import dimension_warnings
from routh.language.fields import Field
from routh.mechanics.forms.printing import latex

_SPEED = sympy.Symbol("s", positive=True)


def model_section(found: Findings, pictures: Pictures) -> Iterator[Item]:
    """The title, the picture, and everything that is given."""
    model = found.model
    yield Heading(model.name or "Model", 1)
    if model.description:
        yield Description(model.description)
    for sentence in model.remarks:
        yield Words(sentence, aside=True)
    yield from pictures.mechanism()
    yield Heading("Coordinates and parameters")
    yield _coordinates(found)
    rows = [
        (Maths(latex(p)), f"{found.values[p.name]:g}" if p.name in found.values else "",
         unit_text(model.units.get(p.name, "")))
        for p in model.system.parameters
    ]  # fmt: skip
    if rows:
        yield Rows(("parameter", "value", "unit"), tuple(rows), numbers=(1,))
    yield from _given(model)
    for sentence in dimension_warnings(model.system, model.units):
        yield Words(f"Units: {sentence}", aside=True)


def _coordinates(found: Findings) -> Rows:
    model = found.model
    rows: list[tuple[Cell, ...]] = []
    for x in (*model.system.coordinates, *model.system.fields):
        row: list[Cell] = [Maths(latex(x)), unit_text(model.units.get(x.name, ""))]
        if found.moves:
            field = isinstance(x, Field)
            row += [_start(model.start.get(x, 0)), "" if field else _start(model.start.get(x.rate, 0))]
        rows.append((*row, f"field along {x.space}" if isinstance(x, Field) else ""))
    start = ("start", "rate at the start") if found.moves else ()
    head: tuple[Cell, ...] = ("coordinate", "unit", *start, "")
    if not any(row[-1] for row in rows):
        head, rows = head[:-1], [row[:-1] for row in rows]
    return Rows(head, tuple(rows))


def _given(model: Model) -> Iterator[Item]:
    """Inputs with their laws, forces with their points, and contacts."""
    rows = [
        (
            Maths(latex(u)),
            f"{model.inputs[u]:g}",
            _inline(model.laws[u]),
            unit_text(model.units.get(u.name, "")),
        )
        for u in model.inputs
    ]
    if rows:
        yield Rows(("input", "at equilibria", "in motions", "unit"), tuple(rows), numbers=(1,))
    forces = tuple((_inline(f.components), _inline(f.at)) for f in model.system.forces)
    if forces:
        yield Rows(("force", "at"), forces)
    contacts = tuple(
        (str(c.name), _inline(c.slip), _inline(c.static), _inline(c.law(_SPEED)))
        for c in model.system.friction
    )
    if contacts:
        yield Rows(("contact", "slip velocity", "holds up to", "brakes at a slip of s with"), contacts)


def unit_text(unit: str) -> str:
    """A unit as it is written by hand: m/s², N·s/m."""
    raised = re.sub(r"\^(-?\d)", lambda power: power[1].translate(_RAISED), unit)
    return raised.replace("*", "·")


_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def _inline(e: Any) -> Cell:
    if isinstance(e, sympy.MatrixBase) and e.rows == 1:
        e = e[0]
    return Maths(latex(e)) if isinstance(e, sympy.Basic) else f"{e:g}"


def _start(given: Any) -> str:
    return f"{given:g}" if isinstance(given, float) else str(given)
