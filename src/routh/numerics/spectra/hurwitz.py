"""How many roots of a real polynomial lie where, decided by signs alone, on balls.

Routh's array (E. J. Routh, *A Treatise on the Stability of a Given State of Motion*, 1877) counts
roots to the right of the imaginary axis, Sturm's chain the distinct negative real ones. A sign that a
ball leaves open makes the count unknown.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

Ball = Any
Polynomial = list[Any]
"""Coefficients as balls, that of the highest power first."""


def right_half_roots(p: Polynomial) -> int | None:
    """The number of roots with positive real part, all others having a negative one; or None."""
    above, below = p[0::2], p[1::2]
    column = [above[0]]
    for _ in range(len(p) - 1):
        if not below or _sign(below[0]) is None:
            return None
        column.append(below[0])
        ratio = above[0] / below[0]
        padded = [*below[1:], *([below[0] * 0] * (len(above) - len(below)))]
        above, below = below, [a - ratio * b for a, b in zip(above[1:], padded, strict=True)]
    return _changes(column)


def negative_roots(p: Polynomial) -> int | None:
    """The number of negative real roots if all roots are simple, or None."""
    degree = len(p) - 1
    chain = [p, [(degree - k) * c for k, c in enumerate(p[:-1])]]
    while len(chain[-1]) > 1:
        rest = _negative_remainder(chain[-2], chain[-1])
        if rest is None:
            return None
        chain.append(rest)
    if _sign(chain[-1][0]) is None:
        return None
    far = [q[0] * (-1) ** (len(q) - 1) for q in chain]
    near = [q[-1] for q in chain]
    left, right = _changes(far), _changes(near)
    return None if left is None or right is None else left - right


def _negative_remainder(p: Polynomial, q: Polynomial) -> Polynomial | None:
    """Minus the remainder of p by q, one degree below q; None if that degree is in doubt."""
    rest = list(p)
    while len(rest) >= len(q):
        factor = rest[0] / q[0]
        for k, c in enumerate(q):
            rest[k] = rest[k] - factor * c
        rest = rest[1:]
    if not rest or _sign(rest[0]) is None:
        return None
    return [-c for c in rest]


def _sign(x: Ball) -> int | None:
    if x > 0:
        return 1
    return -1 if x < 0 else None


def _changes(values: Sequence[Ball]) -> int | None:
    signs = [_sign(x) for x in values]
    if None in signs:
        return None
    return sum(a != b for a, b in pairwise(signs))


def definite(A: list[list[Ball]]) -> bool:
    """Whether a symmetric matrix of balls is positive definite: all its pivots are positive."""
    A = [list(row) for row in A]
    n = len(A)
    for k in range(n):
        if not A[k][k] > 0:
            return False
        for i in range(k + 1, n):
            factor = A[i][k] / A[k][k]
            for j in range(k + 1, n):
                A[i][j] = A[i][j] - factor * A[k][j]
    return True
