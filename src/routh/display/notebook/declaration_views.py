"""What is declared: systems with their energies, forces, contacts, events, and models from files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sympy

from routh.display.notebook import formula_blocks as md
from routh.display.notebook.view_kinds import markdown_of
from routh.errors import listed
from routh.files.drawn import Drawing
from routh.files.model import Model
from routh.language.contact.friction import Friction
from routh.language.events import Event
from routh.language.fields import Space
from routh.language.forces import Force
from routh.language.matter.body import Body
from routh.language.symbols import Parameter
from routh.language.system import Discretization, System
from routh.language.variable_mass import VariableMass
from routh.language.walk import lets, unfold, unfolded_size
from routh.mechanics.forms.printing import latex

MOST = 24
"""Rows of a table of symbols."""

SHORT = 400
"""Nodes of energies up to which named intermediates are written out."""

SYMBOLS = 12
"""Symbols in a line."""

_SLIP = sympy.Symbol("s", positive=True)


@markdown_of.register
def _(system: System) -> str:
    return md.document(
        md.heading(f"System `{system.name}`" if system.name else "System"),
        _energies(system),
        *_held(system),
        _discretized(system.discretization) if system.discretization else "",
        *_symbols(system),
    )


def _energies(system: System) -> str:
    """The energies as they are written, and the intermediates that have names in them."""
    names = {"T": "kinetic", "V": "potential", "L": "lagrangian", "D": "dissipation"}
    parts = {letter: system.as_written[name] for letter, name in names.items()}
    kept = {letter: terms for letter, terms in parts.items() if terms}
    every = [term for terms in kept.values() for term in terms]
    if unfolded_size(every) <= SHORT:
        kept = {letter: tuple(map(unfold, terms)) for letter, terms in kept.items()}
        every = []
    named = lets(every)
    rows = (row for letter, terms in kept.items() for row in _sum(letter, terms))
    count = sum(map(len, kept.values()))
    written = md.formulas(rows, count, what="terms", rest="`kinetic`, `potential` and the like")
    where = (f"{latex(each)} &= {latex(each.expression)}" for each in named)
    below = md.formulas(where, len(named), what="intermediates")
    return md.document(written, md.folded("named intermediates", below))


def _sum(letter: str, terms: tuple[sympy.Expr, ...]) -> Iterator[str]:
    """One row for each term that was written."""
    for k, term in enumerate(terms):
        own = latex(term)
        sign = "" if own.startswith("-") else "+ "
        yield f"{letter} &= {own}" if k == 0 else f"&\\quad {sign}{own}"


def _held(system: System) -> Iterator[str]:
    """Constraints, forces and contacts."""
    held = (rf"\varphi_{{{k}}} = {latex(phi)} &= 0" for k, phi in enumerate(system.constraints, 1))
    yield md.formulas(held, len(system.constraints), what="constraints", rest="`system.constraints`")
    forces = (_force(each) for each in system.forces)
    yield md.formulas(forces, len(system.forces), what="forces", rest="`system.forces`")
    for contact in system.friction[:SYMBOLS]:
        yield _friction(contact)


def _symbols(system: System) -> Iterator[str]:
    """Coordinates, fields, inputs and parameters."""
    own = [("coordinate", system.coordinates), ("field", system.fields), ("input", system.inputs)]
    said = [f"{word}{'s' * (len(every) > 1)} {_listed(every)}" for word, every in own if every]
    said += [_along(space) for space in system.spaces]
    listed = _parameters(system.parameters)
    if listed.startswith("|"):
        yield "; ".join(said)
        yield listed
    else:
        yield "; ".join(filter(None, [*said, listed]))


def _along(space: Space) -> str:
    low, high = space.bounds
    return "along " + md.inline(rf"{latex(low)} \le {latex(space)} \le {latex(high)}")


def _listed(every: tuple[Any, ...]) -> str:
    said = ", ".join(md.inline(latex(each)) for each in every[:SYMBOLS])
    return said + (f" and {len(every) - SYMBOLS} more" if len(every) > SYMBOLS else "")


def _parameters(every: tuple[Parameter, ...]) -> str:
    """A line of names, or a table where values or units are known."""
    if not every:
        return ""
    rows = [[md.inline(latex(p)), _value(p.default), md.plain(p.unit or "")] for p in every]
    if not any(value or unit for _, value, unit in rows):
        return f"parameter{'s' * (len(every) > 1)} {_listed(every)}"
    more = f"{len(rows)} parameters." if len(rows) > MOST else ""
    return md.document(_table(["parameter", "default", "unit"], rows[:MOST]), more)


def _value(given: Any) -> str:
    if given is None:
        return ""
    return f"{given + 0.0:.6g}" if isinstance(given, (int, float)) else md.plain(str(given))


def _force(given: Force) -> str:
    """A force and the point that its virtual work moves."""
    if given.components.rows == 1:
        return rf"{latex(given.components[0])} & \text{{ along }} {latex(given.at[0])}"
    return rf"{latex(given.components)} & \text{{ at }} {latex(given.at)}"


@markdown_of.register
def _(given: Force) -> str:
    length = " per length" if given.space is not None else ""
    return md.document(md.heading(f"Force{length}"), md.formulas([_force(given)], 1))


def _friction(contact: Friction) -> str:
    rows = [
        rf"\text{{slip velocity }} & {latex(contact.slip)}",
        *([] if contact.normal is None else [rf"\text{{pressed by }} & {latex(contact.normal)}"]),
        rf"\text{{holds up to }} & {latex(contact.static)}",
        rf"\text{{brakes at a slip of }} s \text{{ with }} & {latex(contact.law(_SLIP))}",
    ]
    return md.document(md.heading(f"Dry friction: {contact}"), md.formulas(rows, len(rows)))


@markdown_of.register
def _(contact: Friction) -> str:
    return _friction(contact)


@markdown_of.register
def _(given: VariableMass) -> str:
    rows = [f"T &= {latex(given.kinetic)}", *map(_force, given.forces)]
    return md.document(md.heading("A mass that changes"), md.formulas(rows, len(rows)))


@markdown_of.register
def _(given: Body) -> str:
    rows = [
        rf"\text{{mass}} &= {latex(given.mass)}",
        rf"\text{{centre}} &= {latex(given.centre)}",
        rf"\text{{inertia}} &= {latex(given.inertia)}",
    ]
    below = "`inertia` is about the centre of mass, along axes of the body; `about(point)` is another."
    return md.document(md.heading("Rigid body"), md.formulas(rows, len(rows)), below)


@markdown_of.register
def _(given: Event) -> str:
    way = {1: "rises through zero", -1: "falls through zero"}.get(given.direction, "passes zero")
    said = way + ", and the motion stops" * given.stop
    rows = [rf"{_written(v)} &\to {_written(after)}" for v, after in given.change]
    name = f"Event `{given.name}`" if given.name else "Event"
    when = f"when {md.inline(_written(given.expression))} {said}"
    return md.document(md.heading(name), when, md.formulas(rows, len(rows)))


def _written(given: Any) -> str:
    """An expression, or the name of a symbol, in LaTeX."""
    if not isinstance(given, str):
        return latex(given)
    bare = given.rstrip("'")
    return latex(sympy.Symbol(bare)) + "'" * (len(given) - len(bare))


def _discretized(made: Discretization) -> str:
    said = listed(f"{w} of {size.described}" for w, size in made.sizes.items())
    count = sum(len(shape.coordinates) for shape in made.shapes)
    return md.told(f"Fields are made of coordinates: {said}; {count} amplitudes.")


@markdown_of.register
def _(made: Discretization) -> str:
    rows = [
        [md.inline(latex(shape.field)), md.told(made.sizes[shape.field].described),
         _listed(shape.coordinates), str(len(made.rules[shape.field.space].xi))]
        for shape in made.shapes
    ]  # fmt: skip
    head = ["field", "made of", "amplitudes", "points of quadrature"]
    return md.document(md.heading("Fields made of coordinates"), md.table(head, rows))


@markdown_of.register
def _(model: Model) -> str:
    rows = [[_name(x), _value(begin), md.plain(model.units.get(getattr(x, "name", ""), ""))]
            for x, begin in list(model.start.items())[:MOST]]  # fmt: skip
    return md.document(
        md.heading(model.name or "Model"),
        md.plain(model.description),
        md.plain(" ".join(model.remarks)),
        _energies(model.system),
        *_held(model.system),
        _with_units(model),
        _table(["start", "value", "unit"], rows),
    )


def _table(head: list[str], rows: list[list[str]]) -> str:
    """A table without columns that are empty."""
    kept = [0, *(k for k in range(1, len(head)) if any(row[k] for row in rows))]
    return md.table([head[k] for k in kept], [[row[k] for k in kept] for row in rows])


def _with_units(model: Model) -> str:
    """The parameters with their numbers and the units that the file gives."""
    rows = [[_name(p), _value(model.values.get(p.name)), md.plain(model.units.get(p.name, ""))]
            for p in model.system.parameters]  # fmt: skip
    more = f"{len(rows)} parameters." if len(rows) > MOST else ""
    return md.document(_table(["parameter", "value", "unit"], rows[:MOST]), more)


def _name(symbol: Any) -> str:
    return md.inline(latex(symbol)) if isinstance(symbol, sympy.Basic) else md.plain(str(symbol))


@markdown_of.register
def _(drawing: Drawing) -> str:
    points = {**drawing.points, **drawing.masses}
    rows = (f"{_written(name)} &: {latex(sympy.Matrix(list(r)))}" for name, r in points.items())
    kinds = (
        (len(drawing.lines), "line", "lines"),
        (len(drawing.springs), "spring", "springs"),
        (len(drawing.bodies), "body", "bodies"),
        (len(drawing.arrows), "arrow", "arrows"),
        (len(drawing.frames), "frame", "frames"),
    )
    said = ", ".join(f"{n} {one if n == 1 else many}" for n, one, many in kinds if n)
    return md.document(
        md.heading("Drawing"), md.formulas(rows, len(points), what="points"), md.plain(said)
    )
