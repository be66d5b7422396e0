"""Velocities in terms of quasi-velocities: definitions and constraints solved for them.

Rows with one velocity that is left, and velocities that stand in one row, are solved by themselves;
what remains is inverted by minors. A constraint that contains the definition of a quasi-velocity as it
was written, as rolling by angular velocities does, contains the quasi-velocity.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import sympy
from sympy import ImmutableDenseMatrix as Matrix

from routh.errors import DerivationError, quoted
from routh.language.derivation import partials
from routh.language.symbols import Coordinate
from routh.language.system import System
from routh.language.walk import replaced, unfold
from routh.mechanics.forms.inverse import LARGEST, adjugate, determinant, is_singular
from routh.mechanics.forms.tidy import Tidy


@dataclass
class _Row:
    """`Y . v = right`, with an entry of right for each quasi-velocity, and one for what is left."""

    Y: dict[int, sympy.Expr]
    right: list[sympy.Expr]


def velocities_of(
    system: System, definitions: Mapping[Coordinate, sympy.Expr], tidy: Tidy
) -> tuple[Matrix, Matrix]:
    """W and w of `v = W u + w`.

    Raises:
        DerivationError: definitions and constraints do not determine the velocities.
    """
    rows = _rows(system, definitions, tidy)
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
    found |= _inverted(rows, definitions)
    for column, row in reversed(later):
        found[column] = _solved(row, column, found)
    order = range(len(system.coordinates))
    r = len(definitions)
    W = Matrix(len(order), r, [tidy(found[j][k]) for j in order for k in range(r)])
    return W, Matrix([tidy(found[j][r]) for j in order])


def _rows(system: System, definitions: Mapping[Coordinate, sympy.Expr], tidy: Tidy) -> list[_Row]:
    v, u = system.velocities, tuple(definitions)
    named = {e: symbol for symbol, e in definitions.items() if not e.is_Atom or e in v}
    still: dict[sympy.Basic, sympy.Basic] = dict.fromkeys((*v, *u), sympy.S.Zero)
    rows = []
    for symbol, e in definitions.items():
        right = [sympy.Integer(other == symbol) for other in u]
        rows.append(_row(partials(e, v), [*right, -replaced(e, still)], tidy))
    for phi in map(unfold, system.constraints):
        own = replaced(phi, named)
        right = [-slope for slope in partials(own, u)]
        rows.append(_row(partials(own, v), [*right, -replaced(own, still)], tidy))
    return rows


def _row(slopes: list[sympy.Expr], right: list[sympy.Expr], tidy: Tidy) -> _Row:
    short = [tidy(slope) for slope in slopes]
    return _Row({j: e for j, e in enumerate(short) if e != 0}, [tidy(e) for e in right])


def _refuse_dependent(rows: list[_Row], definitions: Mapping[Coordinate, sympy.Expr]) -> None:
    n = len(rows)
    if is_singular(Matrix(n, n, lambda i, j: rows[i].Y.get(j, sympy.S.Zero))):
        raise DerivationError(
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
    rows: list[_Row], definitions: Mapping[Coordinate, sympy.Expr]
) -> dict[int, list[sympy.Expr]]:
    """The velocities of rows that hang together, by minors."""
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
    return {
        column: [
            sympy.Add(*(cofactors[k, i] * row.right[each] for i, row in enumerate(rows))) / over
            for each in range(len(definitions) + 1)
        ]
        for k, column in enumerate(columns)
    }
