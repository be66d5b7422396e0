"""Velocities in terms of quasi-velocities: definitions and constraints solved for them.

Rows with one velocity that is left, and velocities that stand in one row, are solved by themselves;
what remains is inverted by minors. A constraint that contains the definition of a quasi-velocity as it
was written, as rolling by angular velocities does, contains the quasi-velocity. Constraints are solved
with a right side of their own, since Hamel's equations ask what leads away from them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import sympy
from sympy import ImmutableDenseMatrix as Matrix

from routh.errors import DerivationError, quoted
from routh.language.derivation import partials
from routh.language.symbols import Coordinate
from routh.language.walk import replaced
from routh.mechanics.forms.inverse import LARGEST, adjugate, determinant, is_singular
from routh.mechanics.forms.tidy import Tidy
from routh.mechanics.transforms.tangent_frame import Frame

Short = Callable[[sympy.Expr], sympy.Expr]
"""How expressions are shortened."""


@dataclass(frozen=True, eq=False)
class Admissible:
    """`s = W u + C phi + w`, the velocities of the frame in quasi-velocities and in the constraints.

    Attributes:
        W: (k, r) along every motion that meets the constraints.
        C: (k, c) what the constraints would be changed by; empty unless it was asked for.
        w: (k, 1) what is there without quasi-velocities.
    """

    W: Matrix
    C: Matrix
    w: Matrix


@dataclass
class _Row:
    """`Y . s = right`, with entries of right for quasi-velocities, constraints, and what is left."""

    Y: dict[int, sympy.Expr]
    right: list[sympy.Expr]


def velocities_of(
    frame: Frame,
    definitions: Mapping[Coordinate, sympy.Expr],
    tidy: Tidy,
    *,
    beyond: bool = False,
) -> Admissible:
    """The velocities of a frame in quasi-velocities; `beyond` the constraints too.

    Raises:
        DerivationError: definitions and constraints do not determine the velocities.
    """

    def short(e: sympy.Expr) -> sympy.Expr:
        return tidy(frame.lowered(e))

    rows = _rows(frame, definitions, short, beyond)
    _refuse_dependent(rows, definitions)
    found: dict[int, list[sympy.Expr]] = {}
    later: list[tuple[int, _Row]] = []
    while rows:
        _settle(rows, found)
        alone = _alone(rows)
        if alone is None:
            break
        later.append(alone)
        rows.remove(alone[1])
    found |= _inverted(rows, definitions, short if frame.turning else None)
    for column, row in reversed(later):
        found[column] = _solved(row, column, found)
    order, r = range(len(frame.symbols)), len(definitions)
    whole = Matrix([[short(e) for e in found[j]] for j in order])
    return Admissible(whole[:, :r], whole[:, r:-1], whole[:, -1])


def _rows(
    frame: Frame, definitions: Mapping[Coordinate, sympy.Expr], short: Short, beyond: bool
) -> list[_Row]:
    s, u = frame.symbols, tuple(definitions)
    velocities = frame.system.velocities
    named = {e: symbol for symbol, e in definitions.items() if not e.is_Atom or e in velocities}
    still: dict[sympy.Basic, sympy.Basic] = dict.fromkeys((*s, *u), sympy.S.Zero)
    held = len(frame.rows) if beyond else 0
    rows = []
    for symbol, e in definitions.items():
        own = frame.along(e)
        right = [*(sympy.Integer(other == symbol) for other in u), *[sympy.S.Zero] * held]
        rows.append(_row(partials(own, s), [*right, -replaced(own, still)], short))
    for k, phi in enumerate(frame.rows):
        own = frame.along(replaced(phi, named))
        right = [-slope for slope in partials(own, u)]
        right += [sympy.Integer(k == other) for other in range(held)]
        rows.append(_row(partials(own, s), [*right, -replaced(own, still)], short))
    return rows


def _row(slopes: list[sympy.Expr], right: list[sympy.Expr], short: Short) -> _Row:
    entries = [short(slope) for slope in slopes]
    return _Row({j: e for j, e in enumerate(entries) if e != 0}, [short(e) for e in right])


def _refuse_dependent(rows: list[_Row], definitions: Mapping[Coordinate, sympy.Expr]) -> None:
    n = len(rows)
    if is_singular(Matrix(n, n, lambda i, j: rows[i].Y.get(j, sympy.S.Zero))):
        raise _dependent(definitions)


def _dependent(definitions: Mapping[Coordinate, sympy.Expr]) -> DerivationError:
    return DerivationError(
        f"The quasi-velocities {quoted(definitions)} and the constraints do not determine the"
        " velocities: some of them follow from the others. Choose independent ones."
    )


def _settle(rows: list[_Row], found: dict[int, list[sympy.Expr]]) -> None:
    """Solve rows with a single velocity that is not known yet, as long as there are any."""
    while True:
        single = next((row for row in rows if sum(j not in found for j in row.Y) == 1), None)
        if single is None:
            break
        column = next(j for j in single.Y if j not in found)
        found[column] = _solved(single, column, found)
        rows.remove(single)
    for row in rows:
        for j in [j for j in row.Y if j in found]:
            row.right = _less(row.right, row.Y.pop(j), found[j])


def _alone(rows: list[_Row]) -> tuple[int, _Row] | None:
    """A velocity that stands in one row only, with that row."""
    for j in sorted({j for row in rows for j in row.Y}):
        holders = [row for row in rows if j in row.Y]
        if len(holders) == 1 and len(rows) > 1:
            return j, holders[0]
    return None


def _solved(row: _Row, column: int, found: Mapping[int, list[sympy.Expr]]) -> list[sympy.Expr]:
    right = row.right
    for j, factor in row.Y.items():
        if j != column:
            right = _less(right, factor, found[j])
    return [e / row.Y[column] for e in right]


def _less(right: list[sympy.Expr], factor: sympy.Expr, known: list[sympy.Expr]) -> list[sympy.Expr]:
    return [a if b == 0 else a - factor * b for a, b in zip(right, known, strict=True)]


def _inverted(
    rows: list[_Row], definitions: Mapping[Coordinate, sympy.Expr], short: Short | None
) -> dict[int, list[sympy.Expr]]:
    """The velocities of rows that hang together, by minors; those of rotations in lowest form."""
    if not rows:
        return {}
    columns = sorted({j for row in rows for j in row.Y})
    n = len(columns)
    if n > LARGEST:
        raise DerivationError(
            f"gibbs_appell solves up to {LARGEST} velocities together, and {n} hang together by the"
            f" definitions of {quoted(definitions)} and the constraints. Choose quasi-velocities that"
            " are velocities themselves where possible; simulate and equations do without."
        )
    Y = Matrix(n, n, lambda i, j: rows[i].Y.get(columns[j], sympy.S.Zero))
    over, cofactors = determinant(Y), adjugate(Y)
    if short is not None:
        over, cofactors = short(over), cofactors.applyfunc(short)
        if over == 0:
            raise _dependent(definitions)
    return {
        column: [
            sympy.Add(*(cofactors[k, i] * row.right[each] for i, row in enumerate(rows))) / over
            for each in range(len(rows[0].right))
        ]
        for k, column in enumerate(columns)
    }
