"""Inverses of matrices of expressions, by minors, without simplifying or dividing on the way.

Only the determinant is divided by, so that nothing is infinite where the inverse is not. Minors are
kept by the columns they use: as a graph the inverse of a few rows is short, and how long it is written
down is known before anybody writes it.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cache

import sympy
from sympy import ImmutableDenseMatrix as Matrix

from routh.language.evaluation import FEW, MANY, Evaluation, Number, stays
from routh.language.walk import leaves

LARGEST = 8
"""Rows up to which minors are taken: 2^8 of them for each cofactor."""

POINTS = 8
"""Random points at which a determinant is looked at."""


def determinant(matrix: Matrix) -> sympy.Expr:
    """The determinant by Laplace's expansion, as a graph."""
    return _Minors(matrix)(0, tuple(range(matrix.cols)))


def adjugate(matrix: Matrix) -> Matrix:
    """The matrix of cofactors, transposed: `adjugate(M) / determinant(M)` is the inverse."""
    n = matrix.rows
    if n == 1:
        return Matrix([[sympy.S.One]])
    cofactors = {}
    for i in range(n):
        minor = _Minors(Matrix(n - 1, n, [e for k in range(n) if k != i for e in matrix[k, :]]))
        for j in range(n):
            left = tuple(c for c in range(n) if c != j)
            cofactors[j, i] = (-1) ** (i + j) * minor(0, left)
    return Matrix(n, n, lambda i, j: cofactors[i, j])


class _Minors:
    """Determinants of the rows from some row on, by the columns that are left."""

    def __init__(self, matrix: Matrix) -> None:
        self._rows = [list(matrix[k, :]) for k in range(matrix.rows)]
        self._found = cache(self._minor)

    def __call__(self, row: int, columns: tuple[int, ...]) -> sympy.Expr:
        return self._found(row, columns)

    def _minor(self, row: int, columns: tuple[int, ...]) -> sympy.Expr:
        if not columns:
            return sympy.S.One
        terms = []
        for place, column in enumerate(columns):
            entry = self._rows[row][column]
            if entry is sympy.S.Zero:
                continue
            rest = self._found(row + 1, columns[:place] + columns[place + 1 :])
            if rest is not sympy.S.Zero:
                terms.append(sympy.Mul((-1) ** place, entry, rest))
        return sympy.Add(*terms)


def is_singular(matrix: Matrix, *, keeping: Sequence[sympy.Symbol] = ()) -> bool:
    """Whether the determinant is zero at random points, to hundreds of digits.

    One point where it is not decides. Symbols `keeping` their size are drawn small, so that what has a
    limit, like a velocity below that of light, stays within.
    """
    symbols = sorted(leaves(matrix), key=str)
    generator = random.Random(1750)
    decided = False
    for _ in range(POINTS):
        small = {s: generator.uniform(0.02, 0.1) for s in keeping}
        here = {s: generator.uniform(0.2, 0.9) for s in symbols} | small
        found = [_determinant_at(matrix, here, digits) for digits in (FEW, MANY)]
        if None in found:
            continue
        if stays(*found):
            return False
        decided = True
    return decided


def _determinant_at(matrix: Matrix, here: dict[sympy.Basic, float], digits: int) -> Number | None:
    at = Evaluation(here, digits)
    entries = [at(entry) for entry in matrix]
    if any(entry is None for entry in entries):
        return None
    rows = [entries[k * matrix.cols : (k + 1) * matrix.cols] for k in range(matrix.rows)]
    return _eliminated(rows, at.context.zero)


def _eliminated(rows: list[list[Number]], zero: Number) -> Number:
    """A determinant of numbers by elimination with the largest pivots."""
    total = zero + 1
    rows = [list(row) for row in rows]
    for k in range(len(rows)):
        best = max(range(k, len(rows)), key=lambda i: abs(rows[i][k]))
        pivot = rows[best][k]
        if pivot == 0:
            return zero
        if best != k:
            rows[k], rows[best] = rows[best], rows[k]
            total = -total
        total *= pivot
        for i in range(k + 1, len(rows)):
            share = rows[i][k] / pivot
            rows[i] = [a - share * b for a, b in zip(rows[i], rows[k], strict=True)]
    return total
