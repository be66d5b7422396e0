"""The motions that constraints allow, in symbols: some coordinates carry the others along."""

from __future__ import annotations

import sympy
from sympy import ImmutableDenseMatrix as Matrix

from routh.mechanics.forms.tidy import Tidy
from routh.mechanics.forms.vanish import vanishes


def admissible_basis(J: Matrix) -> tuple[Matrix, list[int]]:
    """Z with `J Z = 0`, and the places of the coordinates that stay, whose rows are the unit matrix.

    The coordinate that is solved for in each row is the one with the shortest slope, the last of these.
    """
    rows = [list(J[i, :]) for i in range(J.rows)]
    tidy = Tidy(1.0)
    pivots: dict[int, list[sympy.Expr]] = {}
    for row in rows:
        for place, other in pivots.items():
            if row[place] != 0:
                factor = row[place]
                row[:] = [tidy(a - factor * b) for a, b in zip(row, other, strict=True)]
        row[:] = [sympy.S.Zero if vanishes(entry) else entry for entry in row]
        open_places = [k for k, entry in enumerate(row) if entry != 0]
        if not open_places:
            continue
        pivot = min(open_places, key=lambda k: (sympy.count_ops(row[k]), -k))
        row[:] = [tidy(entry / row[pivot]) for entry in row]
        for place, other in pivots.items():
            factor = other[pivot]
            if factor != 0:
                pivots[place] = [tidy(a - factor * b) for a, b in zip(other, row, strict=True)]
        pivots[pivot] = row
    kept = [k for k in range(J.cols) if k not in pivots]
    Z = sympy.zeros(J.cols, len(kept))
    for column, k in enumerate(kept):
        Z[k, column] = sympy.S.One
        for place, row in pivots.items():
            Z[place, column] = tidy(-row[k])
    return Matrix(Z), kept
