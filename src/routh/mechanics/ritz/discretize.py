"""Fields become coordinates: the method of Ritz.

Each field is a sum of functions with amplitudes, and the amplitudes are coordinates. Conditions at ends
that are linear are built in: an amplitude is then fixed, or moves with others.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy

from routh.errors import DeclarationError, capital, did_you_mean, listed, quoted
from routh.language.fields import Field
from routh.language.gates import checked_system, refuse_unknown_functions
from routh.language.keys import once
from routh.language.shapes import Basis, Shape
from routh.language.symbols import Coordinate, named
from routh.language.system import Discretization, System
from routh.language.walk import leaves
from routh.mechanics.fields.end_conditions import EndConditions, end_conditions
from routh.mechanics.ritz.bases.basis_table import GivenSize, size_of
from routh.mechanics.ritz.quadrature import rules


def discretize(system: System, sizes: Mapping[Any, GivenSize], *, points: int | None = None) -> System:
    """The system with its fields made of coordinates: every verb works on it.

    Arguments:
        system: a system with fields.
        sizes: for each field how it is made: a number of polynomials (quick convergence for smooth
            properties), `Elements(n)` (sparse, for many coordinates or jumps of stiffness), or a list
            of functions of the space, such as known modes.
        points: Gauss points in each cell; chosen from the densities if not given. Where properties
            jump or are narrow, for the values given later, cells are divided.

    A number of polynomials is that of the coordinates that are left after the field's own geometric
    conditions. Linear geometric conditions are built in, others stay constraints. The coordinates of a
    field `w` are `w_1`, `w_2`, ...; results read fields by `rest.field(w, s)` and the like, and
    expressions may contain values at ends.

    Raises:
        DeclarationError: too few functions for the conditions at the ends, conditions that contradict
            each other, or one that the energy does not feel.

    Example:
        >>> from routh import at, ddt, diff, field, integral, parameters, space, System
        >>> L, rho, EI = parameters("L rho EI")
        >>> s = space("s", 0, L)
        >>> w = field("w", s)
        >>> beam = System(
        ...     kinetic=integral(rho / 2 * ddt(w) ** 2, s),
        ...     potential=integral(EI / 2 * diff(w, s, 2) ** 2, s),
        ...     constraints=[at(w, s, 0), at(diff(w, s), s, 0)],
        ... )
        >>> discretize(beam, {w: 4}).coordinates
        (w_1, w_2, w_3, w_4)
    """
    given = _checked_sizes(system, sizes)
    conditions = end_conditions(system)
    orders = {w: _order(system, w) for w in system.fields}
    _refuse_unfelt(system, orders)
    chosen = {w: size_of(w, size) for w, size in given.items()}
    bases = {w: chosen[w].basis(w, orders[w], conditions) for w in system.fields}
    drafts = [_draft(system, w, bases[w], conditions) for w in system.fields]
    ends = {end: value for draft in drafts for end, value in draft.ends.items()}
    shapes = tuple(_shape(draft, conditions, ends) for draft in drafts)
    kept = _kept(system, conditions, bases)
    coordinates = (*system.coordinates, *(q for shape in shapes for q in shape.coordinates))
    rule = rules(system, shapes, points)
    return system.discretized(Discretization(system, shapes, rule, chosen), coordinates, kept)


def _checked_sizes(system: System, sizes: Mapping[Any, GivenSize]) -> dict[Field, GivenSize]:
    refuse_unknown_functions(checked_system(system, "discretize"), "discretize")
    if not system.fields:
        raise DeclarationError(
            f"discretize works on a system with fields. {capital(system.title)} has coordinates alone;"
            " use it as it is."
        )
    if system.shapes:
        raise DeclarationError(
            f"The fields of {system.title} are made of coordinates already. Discretize"
            " system.continuous with other sizes."
        )
    if not isinstance(sizes, Mapping):
        raise DeclarationError(
            f"discretize(system, sizes) needs a size for each field, like {{w: 12}}. Got {sizes!r}."
        )
    found = once(((_sized(system, key), size) for key, size in sizes.items()), "sizes")
    missing = [w for w in system.fields if w not in found]
    if missing:
        raise DeclarationError(f"`sizes` lacks {quoted(missing)}. Got: {listed(sizes)}.")
    return found


def _sized(system: System, key: object) -> Field:
    """The field whose number of functions is given."""
    w = named(key, system.fields) if isinstance(key, str) else key
    if not isinstance(w, Field) or w not in system.fields:
        raise DeclarationError(
            f"`sizes` has {quoted([key])}, which is no field of {system.title}. Fields:"
            f" {listed(system.fields)}." + did_you_mean(key, system.fields)
        )
    return w


def _order(system: System, w: Field) -> int:
    """The highest derivative of a field along its space in the energies."""
    found = leaves(e for part in system.parts().values() for e in part)
    slopes = [x.slope for x in found if isinstance(x, Field) and x.base == w and x.end is None]
    return max(slopes, default=0)


def _refuse_unfelt(system: System, orders: dict[Field, int]) -> None:
    """No value or slope at an end that costs no energy: functions could jump there."""
    for part, expressions in system.parts().items():
        for x in sorted(leaves(expressions), key=str):
            if isinstance(x, Field) and x.end is not None and x.slope >= orders[x.base]:
                raise DeclarationError(
                    f"`{part}` contains `{x}`, but the energies contain no derivative of `{x.base}`"
                    f" along `{x.space}` of order {x.slope + 1}, so that it can be anything without"
                    " cost. Write the energy that resists it, or leave it out."
                )


@dataclass(frozen=True)
class _Draft:
    """A field with an amplitude of its own for each function that no condition fixes."""

    field: Field
    basis: Basis
    amplitudes: dict[int, Coordinate]
    fixed: dict[int, tuple[Field, sympy.Expr]]
    """Functions whose amplitude is an end value that a condition fixes, with its unit."""
    ends: dict[Field, sympy.Expr]
    """The free end values in the new coordinates."""


def _draft(system: System, w: Field, basis: Basis, conditions: EndConditions) -> _Draft:
    fixed: dict[int, tuple[Field, sympy.Expr]] = {}
    units: dict[Field, tuple[int, sympy.Expr]] = {}
    for (end, slope), (place, factor) in (basis.ends or {}).items():
        x = (w if slope == 0 else w.steeper).at_end(end)
        unit = factor * (2 / w.space.length) ** slope
        units[x] = place, unit
        if x in conditions.solved:
            fixed[place] = x, unit
    free = [k for k in range(basis.size) if k not in fixed]
    taken = {s.name for s in (*system.coordinates, *system.parameters, *system.inputs)}
    letter = sympy.latex(w)
    amplitudes = {k: _coordinate(w, letter, number, taken) for number, k in enumerate(free, 1)}
    if basis.ends is None:
        ends = _given_ends(w, basis, amplitudes)
    else:
        ends = {x: unit * amplitudes[k] for x, (k, unit) in units.items() if k in amplitudes}
    return _Draft(w, basis, amplitudes, fixed, ends)


def _given_ends(w: Field, basis: Basis, amplitudes: dict[int, Coordinate]) -> dict[Field, sympy.Expr]:
    """The end values of a field all of whose functions may have some there."""
    ends: dict[Field, sympy.Expr] = {}
    for end, xi in ((0, -1.0), (1, 1.0)):
        for slope, x in enumerate((w, w.steeper)):
            row = basis.values(np.array([xi]), slope)[0]
            row = np.where(np.abs(row) < ROUNDING * np.abs(row).max(initial=1.0), 0.0, row)
            terms = (sympy.Float(c) * amplitudes[k] for k, c in enumerate(row) if c)
            ends[x.at_end(end)] = sympy.Add(*terms) * (2 / w.space.length) ** slope
    return ends


ROUNDING = 1e-13
"""Share of the largest value at an end below which the value of a given function is zero."""


def _coordinate(w: Field, letter: str, number: int, taken: set[str]) -> Coordinate:
    name = f"{w.label}_{number}"
    while name in taken:
        name = name.replace("_", "__", 1)
    made = Coordinate(name, f"{{{letter}}}_{{{number}}}")
    assert isinstance(made, Coordinate)
    return made


def _shape(draft: _Draft, conditions: EndConditions, ends: dict[Field, sympy.Expr]) -> Shape:
    """The amplitude of every function: a coordinate, or what a condition makes of it."""
    amplitudes: list[sympy.Expr] = []
    for k in range(draft.basis.size):
        if k in draft.amplitudes:
            amplitudes.append(draft.amplitudes[k])
            continue
        end, unit = draft.fixed[k]
        amplitudes.append(sympy.expand(conditions.solved[end].xreplace(ends) / unit))
    return Shape(draft.field, draft.basis, tuple(amplitudes), tuple(draft.amplitudes.values()))


def _kept(
    system: System, conditions: EndConditions, bases: dict[Field, Basis]
) -> tuple[sympy.Expr, ...]:
    """The constraints that are not built in: those left, and those of given functions."""
    places = set(conditions.left)
    for end, k in conditions.sources.items():
        basis = bases[end.base]
        if basis.ends is not None:
            continue
        row = basis.values(np.array([1.0 if end.end else -1.0]), end.slope)[0]
        if conditions.solved[end] != 0 or np.abs(row).max() > ROUNDING * max(1.0, np.abs(row).max()):
            places.add(k)
    return tuple(system.constraints[k] for k in sorted(places))
