"""What follows from inequalities: conditions that others imply, and those that contradict others.

Sums of products of what is positive, with factors that are not negative, are positive. So `e > 0`
follows from `p_1 > 0, p_2 > 0, ...` where

    m e = sum of c_j p_j + sum of d_jk p_j p_k + what cannot be negative,       c, d >= 0

with m positive; and they contradict each other where such a sum can only be zero or negative. What
cannot be negative are monomials of positive symbols and of squares; a p may be multiplied by a positive
symbol. The factors are found by linear programming and then checked exactly: what is claimed holds,
what is not claimed may hold (Farkas' lemma; Stengle 1974 for products).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement

import numpy as np
import sympy
from scipy.optimize import linprog

MOST_TERMS = 200
"""Terms of all conditions up to which they are compared."""

DENOMINATOR = 10_000
"""Denominators of factors at most."""

Terms = dict[tuple[int, ...], sympy.Rational]
"""Monomials by their exponents, with what stands before them."""


class Implications:
    """Polynomials that are positive together, in symbols of which some are known to be positive."""

    def __init__(
        self, expressions: Sequence[sympy.Expr], is_positive: Callable[[sympy.Symbol], bool]
    ) -> None:
        self._symbols = sorted({s for e in expressions for s in e.free_symbols}, key=str)
        self._positive = [is_positive(s) for s in self._symbols]
        self._terms = {e: terms for e in expressions if (terms := self._read(e)) is not None}

    def _read(self, e: sympy.Expr) -> Terms | None:
        """The monomials of a polynomial with rational factors; None of anything else."""
        try:
            found = sympy.Poly(e, *self._symbols).as_dict()
        except sympy.PolynomialError:
            return None
        return found if all(c.is_Rational for c in found.values()) else None

    def contradict(self, expressions: Iterable[sympy.Expr]) -> bool:
        """Whether these cannot be positive together."""
        return self._found({}, self._known(expressions), whole=False)

    def follows(self, e: sympy.Expr, expressions: Iterable[sympy.Expr]) -> bool:
        """Whether one of them is positive where others are."""
        own = self._terms.get(e)
        known = self._known(expressions)
        return own is not None and bool(known) and any(
            self._found(_product(own, {shift: sympy.S.One}), known, whole=True)
            for shift in self._shifts()
        )  # fmt: skip

    def _known(self, expressions: Iterable[sympy.Expr]) -> list[Terms]:
        """The positive polynomials, their products with positive symbols and with each other."""
        given = [self._terms[e] for e in expressions if e in self._terms]
        moved = [_product(a, {shift: sympy.S.One}) for a in given for shift in self._shifts()]
        both = [_product(a, b) for a, b in combinations_with_replacement(given, 2)]
        return [*moved, *both] if sum(map(len, both)) <= MOST_TERMS else moved

    def _shifts(self) -> Iterator[tuple[int, ...]]:
        """Exponents of 1 and of every positive symbol."""
        none = (0,) * len(self._symbols)
        yield none
        for k, positive in enumerate(self._positive):
            if positive:
                yield tuple(int(j == k) for j in range(len(none)))

    def _found(self, target: Terms, known: list[Terms], whole: bool) -> bool:
        """Whether `target` less a sum of the known, not all zero, has no negative part."""
        monomials = sorted({m for terms in (target, *known) for m in terms})
        if not known or len(monomials) > MOST_TERMS:
            return False
        A = np.array([[float(terms.get(m, 0)) for terms in known] for m in monomials])
        b = np.array([float(target.get(m, 0)) for m in monomials])
        free = np.array([self._is_nonnegative(m) for m in monomials])
        scale = np.maximum(np.abs(A).max(axis=1), 1e-300)[:, None]
        A, b = A / scale, b / scale[:, 0]
        total = np.ones((1, len(known)))
        found = linprog(
            np.ones(len(known)) if whole else np.zeros(len(known)),
            A_ub=A[free] if free.any() else None,
            b_ub=b[free] if free.any() else None,
            A_eq=np.vstack([A[~free], *([] if whole else [total])]),
            b_eq=np.append(b[~free], [] if whole else [1.0]),
        )
        return found.status == 0 and self._holds(target, known, found.x)

    def _holds(self, target: Terms, known: list[Terms], factors: np.ndarray) -> bool:
        """The same, exactly."""
        exact = [_rational(x) for x in factors]
        if not any(exact) or any(x < 0 for x in exact):
            return False
        left = dict(target)
        for x, terms in zip(exact, known, strict=True):
            for m, c in terms.items():
                left[m] = left.get(m, sympy.S.Zero) - x * c
        return all(c == 0 or (c > 0 and self._is_nonnegative(m)) for m, c in left.items())

    def _is_nonnegative(self, exponents: tuple[int, ...]) -> bool:
        pairs = zip(exponents, self._positive, strict=True)
        return all(positive or k % 2 == 0 for k, positive in pairs)


def _product(a: Terms, b: Terms) -> Terms:
    made: Terms = {}
    for m, c in a.items():
        for n, d in b.items():
            key = tuple(i + j for i, j in zip(m, n, strict=True))
            made[key] = made.get(key, sympy.S.Zero) + c * d
    return made


def _rational(x: float) -> sympy.Rational:
    near = Fraction(float(x)).limit_denominator(DENOMINATOR)
    return sympy.Rational(near.numerator, near.denominator)
