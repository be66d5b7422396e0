"""Parts of a Lagrangian and of equations of motion in numbers, written as polynomials."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations_with_replacement
from math import factorial

import numpy as np
import sympy

from routh.analysis.expansion.taylor import Taylor
from routh.arrays import Array

SHORTEST_LIST = 40
"""Terms up to which a polynomial in numbers is written out."""

DIGITS = 6
"""Digits of its factors."""

SMALL = 1e-12
"""Share of the largest factor below which one is rounding."""

FITTED = 1e-9
"""The same of factors that were fitted to values."""


def energy_part(
    taylor: Taylor, degree: int, variables: Sequence[sympy.Expr], shapes: Array | None = None
) -> sympy.Expr | None:
    """The part of L of one degree in deviations and rates, or None where it has too many terms.

    `variables` are what deviations and then rates are called, (2r,). With `shapes` (n, r) they are
    amplitudes of these, else the deviations themselves.
    """
    found = taylor.tensor(degree).tocoo()
    n = len(taylor.system.coordinates)
    basis = np.eye(n) if shapes is None else shapes
    r = basis.shape[1]
    whole = np.zeros((2 * n, 2 * r))
    whole[:n, :r], whole[n:, r:] = basis, basis
    if found.nnz > 50 * SHORTEST_LIST or (2 * r) ** degree > 100_000:
        return None
    full = np.zeros((2 * n,) * degree)
    for row, column, value in zip(found.row, found.col, found.data, strict=True):
        places, left = [int(row)], int(column)
        for _ in range(degree - 1):
            left, place = divmod(left, 2 * n)
            places.append(place)
        full[tuple(places)] = value
    for _ in range(degree):
        full = np.tensordot(full, whole, axes=(0, 0))
    terms: dict[tuple[int, ...], float] = {}
    for where in np.argwhere(full != 0).tolist():
        key = tuple(sorted(where))
        terms[key] = terms.get(key, 0.0) + float(full[tuple(where)]) / factorial(degree)
    size = max(map(abs, terms.values()), default=0.0)
    kept = {key: x for key, x in terms.items() if abs(x) > SMALL * size}
    if len(kept) > SHORTEST_LIST:
        return None
    return sympy.Add(
        *(_rounded(x) * sympy.Mul(*(variables[k] for k in key)) for key, x in kept.items())
    )


MOST_MONOMIALS = 1000
"""Monomials of one degree up to which the factors of equations are found."""

SAMPLES = 2
"""Places for each factor at which equations are evaluated to find them."""


def equation_part(
    taylor: Taylor, degree: int, variables: Sequence[sympy.Symbol]
) -> list[sympy.Expr] | None:
    """The part of the equations of one degree, or None where it has too many terms.

    `variables` are what deviations, rates and second rates are called, (3n,). The part is a polynomial
    whose factors follow from its values at more places than it has factors: forces and damping, of
    which L knows nothing, are in these values.
    """
    n = len(taylor.system.coordinates)
    every = combinations_with_replacement(range(3 * n), degree)
    monomials = [m for m in every if sum(k >= 2 * n for k in m) <= 1]  # linear in accelerations
    if len(monomials) > MOST_MONOMIALS:
        return None
    places = np.random.default_rng(1755).uniform(-1, 1, (SAMPLES * len(monomials), 3 * n))
    values = np.stack([taylor(degree, *x.reshape(3, n)) for x in places])
    powers = np.stack([places[:, list(m)].prod(axis=1) for m in monomials], axis=1)
    found = np.linalg.lstsq(powers, values, rcond=None)[0]
    size = np.abs(found).max(initial=0.0)
    kept = [[(x, m) for x, m in zip(row, monomials, strict=True) if abs(x) > FITTED * size]
            for row in found.T]  # fmt: skip
    if max(map(len, kept)) > SHORTEST_LIST:
        return None
    return [
        sympy.Add(*(_rounded(x) * sympy.Mul(*(variables[k] for k in m)) for x, m in row))
        for row in kept
    ]


def _rounded(x: float) -> sympy.Expr:
    """A number with a few digits; whole ones as they are."""
    short = float(f"{x:.{DIGITS}g}")
    return sympy.Integer(int(short)) if short == int(short) else sympy.Float(short, DIGITS)
