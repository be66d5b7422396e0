"""A unique form of fractions of sines, cosines and powers, by arithmetic instead of a search.

An expression is worked out as a polynomial over products of polynomials, in which the squares of sines
are replaced by those of cosines. A factor below is taken out where it divides what is above: N / D is
N D* / (D D*), with the sines of D turned around in D*, and in D D* there are no sines left. So it is
found out whether an angle drops out, for instance. The work is bounded by the number of terms that are
multiplied.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import sympy
from sympy.polys.domains import QQ
from sympy.polys.rings import ring

from routh.language.walk import nodes

MOST_PRODUCTS = 200_000
"""Products of terms after which an expression is left as it is: a fraction of a second."""

MOST_TURNS = 12
"""Multiples of angles, and powers, up to which they are worked out."""

Polynomial = Any
"""A polynomial of a ring of SymPy, which ships no types."""


class _TooLong(Exception):
    """The polynomials have too many terms, or something is no polynomial."""


def reduced(expression: sympy.Expr, most: float = MOST_PRODUCTS) -> tuple[sympy.Expr, int]:
    """The expression as one fraction without common factors that hold sines, and the products it took.

    One that needs more products of terms, or that is no fraction of polynomials, comes back as it was.
    """
    worked = _Worked(most)
    try:
        return worked(expression), worked.products
    except _TooLong:
        return expression, worked.products


class _Worked:
    """An expression worked out: a numerator, and the factors of the denominator with their powers."""

    def __init__(self, most: float) -> None:
        self._most = most
        self.products = 0
        self._found: dict[sympy.Basic, _Fraction] = {}

    def __call__(self, expression: sympy.Expr) -> sympy.Expr:
        """The fraction in lowest terms."""
        self._name(expression)
        whole = self._fraction(expression)
        above, below = whole.above, sympy.S.One
        for factor, power in whole.below.items():
            left = power
            while left:
                divided = self._divided(above, factor)
                if divided is None:
                    break
                above, left = divided, left - 1
            below *= self._expression(factor) ** left
        return self._expression(above) / below

    def _name(self, expression: sympy.Expr) -> None:
        """A ring for the polynomials, with a cosine and a sine for each angle."""
        angles, others = _generators(expression)
        n = len(angles)
        self._angles = {angle: k for k, angle in enumerate(angles)}
        names = [sympy.Dummy() for _ in range(2 * n + len(others))]
        self._ring, *symbols = ring(names or [sympy.Dummy()], QQ)
        self._cosines, self._sines = symbols[:n], symbols[n : 2 * n]
        self._others = dict(zip(others, symbols[2 * n :], strict=False))
        back = [*map(sympy.cos, angles), *map(sympy.sin, angles), *others]
        self._back = back or [sympy.S.One]

    def _fraction(self, e: sympy.Expr) -> _Fraction:
        if e not in self._found:
            self._found[e] = self._worked_out(e)
        return self._found[e]

    def _worked_out(self, e: sympy.Expr) -> _Fraction:
        one = self._ring.one
        if e.is_Rational:
            return _Fraction(one * QQ(int(e.p), int(e.q)), {})
        if e in self._others:
            return _Fraction(self._others[e], {})
        if isinstance(e, (sympy.sin, sympy.cos)):
            cosine, sine = self._wave(e.args[0])
            return _Fraction(cosine if isinstance(e, sympy.cos) else sine, {})
        if e.is_Add:
            return self._sum([self._fraction(term) for term in e.args])
        if e.is_Mul:
            total = _Fraction(one, {})
            for factor in e.args:
                total = self._product(total, self._fraction(factor))
            return total
        if e.is_Pow and e.exp.is_Integer and abs(e.exp) <= MOST_TURNS:
            return self._power(self._fraction(e.base), int(e.exp))
        raise _TooLong

    def _wave(self, angle: sympy.Expr) -> tuple[Polynomial, Polynomial]:
        """The cosine and the sine of a sum of multiples of the angles."""
        cosine, sine = self._ring.one, self._ring.zero
        for one, times in _multiples(angle):
            k = self._angles[one]
            c, s = self._cosines[k], self._sines[k] * (1 if times > 0 else -1)
            for _ in range(abs(times)):
                cosine, sine = (
                    self._times(cosine, c) - self._times(sine, s),
                    self._times(sine, c) + self._times(cosine, s),
                )
        return cosine, sine

    def _sum(self, terms: list[_Fraction]) -> _Fraction:
        below: dict[Polynomial, int] = {}
        for term in terms:
            for factor, power in term.below.items():
                below[factor] = max(power, below.get(factor, 0))
        above = self._ring.zero
        for term in terms:
            own = term.above
            for factor, power in below.items():
                for _ in range(power - term.below.get(factor, 0)):
                    own = self._times(own, factor)
            above = above + own
        return _Fraction(above, below if above else {})

    def _product(self, a: _Fraction, b: _Fraction) -> _Fraction:
        below = dict(a.below)
        for factor, power in b.below.items():
            below[factor] = below.get(factor, 0) + power
        return _Fraction(self._times(a.above, b.above), below)

    def _power(self, base: _Fraction, power: int) -> _Fraction:
        if power < 0:
            if not base.above:
                raise _TooLong
            over = _Fraction(self._ring.one, {base.above: 1})
            for factor, own in base.below.items():
                for _ in range(own):
                    over = _Fraction(self._times(over.above, factor), over.below)
            base, power = over, -power
        total = _Fraction(self._ring.one, {})
        for _ in range(power):
            total = self._product(total, base)
        return total

    def _times(self, a: Polynomial, b: Polynomial) -> Polynomial:
        """A product with sines in first power at most."""
        self._count(len(a) * len(b))
        p = a * b
        for c, s in zip(self._cosines, self._sines, strict=True):
            while p.degree(s) > 1:
                self._count(len(p))
                p = _lowered(p, self._ring, c, s)
        return p

    def _count(self, products: int) -> None:
        self.products += products
        if self.products > self._most:
            raise _TooLong

    def _divided(self, above: Polynomial, by: Polynomial) -> Polynomial | None:
        """The quotient where there is no remainder."""
        norm = by
        for s in self._sines:
            if norm.degree(s) > 0:
                mirror = norm.compose(s, -s)
                above = self._times(above, mirror)
                norm = self._times(norm, mirror)
        if not norm:
            return None
        self._count(len(above) * len(norm))
        quotient, remainder = above.div(norm)
        return None if remainder else quotient

    def _expression(self, p: Polynomial) -> sympy.Expr:
        return p.as_expr(*self._back)


class _Fraction:
    """A polynomial above, and factors with their powers below."""

    def __init__(self, above: Polynomial, below: dict[Polynomial, int]) -> None:
        self.above = above
        self.below = below


def _lowered(p: Polynomial, own: Any, c: Polynomial, s: Polynomial) -> Polynomial:
    """The polynomial with s^2 replaced by 1 - c^2 in each term that has it."""
    place = own.gens.index(s)
    low, high = own.zero, own.zero
    for powers, number in p.terms():
        if powers[place] > 1:
            fewer = (*powers[:place], powers[place] - 2, *powers[place + 1 :])
            high[fewer] = number
        else:
            low[powers] = number
    return low + high * (1 - c**2)


def _generators(expression: sympy.Expr) -> tuple[list[sympy.Symbol], list[sympy.Expr]]:
    """The angles inside sines and cosines, and all else that polynomials are made of."""
    angles: dict[sympy.Symbol, None] = {}
    others: dict[sympy.Expr, None] = {}
    stack, seen = [expression], set()
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        if isinstance(node, (sympy.sin, sympy.cos)):
            for angle, _ in _multiples(node.args[0]):
                angles[angle] = None
        elif node.is_Add or node.is_Mul or (node.is_Pow and node.exp.is_Integer):
            stack.extend(node.args if not node.is_Pow else [node.base])
        elif not node.is_Rational:
            if any(isinstance(part, sympy.Float) for part in nodes([node])):
                raise _TooLong
            others[node] = None
    return sorted(angles, key=str), sorted(others, key=str)


def _multiples(angle: sympy.Expr) -> Iterable[tuple[sympy.Symbol, int]]:
    """The angles of a sum with whole multiples."""
    found = []
    for term in sympy.Add.make_args(angle):
        times, one = term.as_coeff_Mul()
        if not (times.is_Integer and one.is_Symbol and abs(times) <= MOST_TURNS):
            raise _TooLong
        found.append((one, int(times)))
    return found
