"""Sums of products written with as few operations as grouping gives: what a person would do by hand.

A polynomial maps products of letters to numbers. Its terms are sorted as people sort them: with
accelerations, with two velocities, with one, with none. In each part common factors are taken out, and
terms are grouped by accelerations, by velocities, by functions of position, by parameters, or by what
stands beside these, or by the letter that most of them share. The shortest of these is taken, the first
of several, and so on inside, parentheses in parentheses at most; each of the inner ones counts as an
operation. How much is looked at is counted, and so is what it costs.
Nothing is searched that is not in this list, so the same sum is always written the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from enum import IntEnum
from fractions import Fraction
from math import gcd, isqrt, lcm

import sympy

from routh.mechanics.forms.laurent import Product, Rational, Work, whole

Polynomial = dict[Product, Rational]

DEPTH = 2
"""Parentheses inside of each other, at most."""

TRIED = 4
"""Letters that most terms share, of which this many are tried."""

SOME = 12
"""Terms up to which all of those letters are tried; beyond it is the first."""

MANY = 60
"""Terms beyond which a sum is grouped by its letters alone, not by what stands beside them."""

SEARCHED = 250
"""Terms that are looked at for one sum, over and over, before it is grouped by its letters alone."""

GROUPED = 30
"""Products of terms that looking at one term in all groupings counts as."""


class Role(IntEnum):
    """What a letter is, in the order in which sums are grouped."""

    ACCELERATION = 0
    VELOCITY = 1
    POSITION = 2
    PARAMETER = 3


@dataclass(frozen=True)
class Letter:
    """Something that products are made of; `cost` are the operations in itself."""

    expression: sympy.Expr
    role: Role
    cost: int = 0


@dataclass(frozen=True)
class Term:
    """`number * product * inside ** power`."""

    number: Rational
    product: Product
    inside: Sum | None = None
    power: int = 1


@dataclass(frozen=True)
class Sum:
    """Terms, how many operations they take, nested parentheses counted, and how many pairs of these."""

    terms: tuple[Term, ...]
    cost: int
    pairs: int = 0


class Collector:
    """Groups polynomials in given letters."""

    def __init__(self, letters: dict[int, Letter], work: Work) -> None:
        self._letters = letters
        self._work = work
        self._known: dict[tuple[frozenset[tuple[Product, Rational]], tuple[Role, ...], int], Sum] = {}
        self._left = 0

    def __call__(self, polynomial: Polynomial) -> Sum:
        """The polynomial grouped.

        Raises:
            TooLongError: it would take more work than was granted.
        """
        self._left = SEARCHED
        parts: dict[tuple[bool, Rational], Polynomial] = {}
        for product, number in polynomial.items():
            parts.setdefault(self.motion(product), {})[product] = number
        return self._joined(((), self._best(parts[key], tuple(Role), DEPTH)) for key in sorted(parts))

    def motion(self, product: Product) -> tuple[bool, Rational]:
        """Where a term belongs: accelerations come first, then products of velocities."""
        roles = [(self._letters[k].role, e) for k, e in product]
        still = all(role is not Role.ACCELERATION for role, _ in roles)
        return still, -sum((e for role, e in roles if role is Role.VELOCITY), 0) if still else 0

    def expression(self, found: Sum) -> sympy.Expr:
        """A grouped sum as SymPy writes it."""
        return sympy.Add(*(self._written(term) for term in found.terms))

    def _written(self, term: Term) -> sympy.Expr:
        factors = [sympy.Rational(term.number.numerator, term.number.denominator)]
        factors += [self._letters[k].expression ** _exponent(e) for k, e in term.product]
        if term.inside is not None:
            factors.append(self.expression(term.inside) ** term.power)
        return sympy.Mul(*factors)

    def _best(self, polynomial: Polynomial, roles: tuple[Role, ...], depth: int) -> Sum:
        if len(polynomial) < 2 or not depth:
            return self._sum(Term(number, product) for product, number in polynomial.items())
        key = (frozenset(polynomial.items()), roles, depth)
        if key not in self._known:
            self._known[key] = self._shortest(polynomial, roles, depth)
        return self._known[key]

    def _shortest(self, polynomial: Polynomial, roles: tuple[Role, ...], depth: int) -> Sum:
        self._left -= len(polynomial)
        self._work.spend(GROUPED * len(polynomial))
        best = self._sum(Term(number, product) for product, number in polynomial.items())
        for found in self._groupings(polynomial, roles, depth):
            if found is not None and (found.cost, found.pairs) < (best.cost, best.pairs):
                best = found
        return best

    def _groupings(
        self, polynomial: Polynomial, roles: tuple[Role, ...], depth: int
    ) -> Iterator[Sum | None]:
        few = len(polynomial) <= MANY and self._left > 0
        yield self._square(polynomial)
        yield self._with_square(polynomial, roles, depth)
        for role in roles:
            left = tuple(each for each in roles if each is not role)
            yield self._grouped(polynomial, self._own(role), left, depth)
            if few:
                yield self._grouped(polynomial, self._beside(role), left, depth)
        if few:
            for k in _frequent(polynomial):
                yield self._shared(polynomial, k, roles, depth)
        yield self._factored(polynomial, roles, depth)

    def _square(self, polynomial: Polynomial) -> Sum | None:
        """A number times the square of a sum, if it is one."""
        content = _content(polynomial)
        alone = {
            p[0][0]: whole(Fraction(n) / content)
            for p, n in polynomial.items()
            if len(p) == 1 and p[0][1] == 2
        }
        sizes = {k: _root(n) for k, n in alone.items()}
        roots = {k: size for k, size in sorted(sizes.items()) if size is not None}
        if len(roots) < 2 or len(polynomial) != len(roots) * (len(roots) + 1) // 2:
            return None
        first = min(roots)
        signs = {k: 1 if polynomial.get(((first, 1), (k, 1)), 1) > 0 else -1 for k in roots}
        linear = {k: signs[k] * size for k, size in roots.items()}
        for k, a in linear.items():
            for j, b in linear.items():
                if k < j and polynomial.get(((k, 1), (j, 1)), 0) != 2 * a * b * content:
                    return None
        inside = self._sum(Term(a, ((k, 1),)) for k, a in linear.items())
        return self._sum([Term(whole(content), (), inside, 2)])

    def _with_square(self, polynomial: Polynomial, roles: tuple[Role, ...], depth: int) -> Sum | None:
        """The square of a sum of two letters and the rest, if there is one."""
        for product, number in sorted(polynomial.items()):
            if len(polynomial) < 4 or [e for _, e in product] != [1, 1]:
                continue
            alone: list[Product] = [((k, 2),) for k, _ in product]
            a, b = (polynomial.get(each, 0) for each in alone)
            if a <= 0 or b <= 0 or 4 * a * b != number**2:
                continue
            own = {p: n for p, n in polynomial.items() if p == product or p in alone}
            rest = {p: n for p, n in polynomial.items() if p not in own}
            square = self._square(own)
            if square is not None:
                return self._joined([((), square), ((), self._best(rest, roles, depth))])
        return None

    def _factored(self, polynomial: Polynomial, roles: tuple[Role, ...], depth: int) -> Sum | None:
        """What all terms share in front of the rest."""
        number, product, rest = _taken_out(polynomial)
        if not product:
            return None
        return self._sum([Term(number, product, self._best(rest, roles, depth - 1))])

    def _own(self, role: Role) -> Callable[[int], bool]:
        return lambda k: self._letters[k].role is role

    def _beside(self, role: Role) -> Callable[[int], bool]:
        return lambda k: self._letters[k].role is not role

    def _grouped(
        self, polynomial: Polynomial, chosen: Callable[[int], bool], left: tuple[Role, ...], depth: int
    ) -> Sum | None:
        """Terms with the same product of chosen letters together, those left alone by themselves."""
        groups: dict[Product, Polynomial] = {}
        for product, number in polynomial.items():
            own = tuple((k, e) for k, e in product if chosen(k))
            rest = tuple((k, e) for k, e in product if not chosen(k))
            groups.setdefault(own, {})[rest] = number
        if not 1 < len(groups) < len(polynomial):
            return None
        alone = {
            _times(own, *rest): rest[next(iter(rest))] for own, rest in groups.items() if len(rest) == 1
        }
        together = [
            (own, self._inside(rest, own, left, depth)) for own, rest in groups.items() if len(rest) > 1
        ]
        return self._joined([*together, ((), self._best(alone, left, depth))])

    def _inside(self, rest: Polynomial, own: Product, left: tuple[Role, ...], depth: int) -> Sum:
        """What stands beside a product: its common factors join it, the others are in parentheses."""
        if not own:
            return self._best(rest, left, depth)
        number, product, inner = _taken_out(rest)
        if not product or len(rest) < 2:
            return self._best(rest, left, depth - 1)
        return self._sum([Term(number, product, self._best(inner, left, depth - 1))])

    def _shared(self, polynomial: Polynomial, k: int, roles: tuple[Role, ...], depth: int) -> Sum:
        """Terms with a letter together, and the others."""
        inside = {p: n for p, n in polynomial.items() if any(j == k and e > 0 for j, e in p)}
        others = {p: n for p, n in polynomial.items() if p not in inside}
        return self._joined([((), self._best(each, roles, depth)) for each in (inside, others)])

    def _joined(self, groups: Iterable[tuple[Product, Sum]]) -> Sum:
        """Products times sums, added up; a sum of one term is taken into its product."""
        terms: list[Term] = []
        for product, inside in groups:
            if not product:
                terms += inside.terms
            elif len(inside.terms) == 1:
                (only,) = inside.terms
                terms.append(replace(only, product=_times(product, only.product)))
            else:
                sign = -1 if all(term.number < 0 for term in inside.terms) else 1
                terms.append(Term(sign, product, self._turned(inside) if sign < 0 else inside))
        return self._sum(terms)

    def _turned(self, found: Sum) -> Sum:
        return self._sum(replace(term, number=-term.number) for term in found.terms)

    def _sum(self, terms: Iterable[Term]) -> Sum:
        own = tuple(terms)
        negative = sum(term.number < 0 for term in own)
        cost = sum(map(self._cost, own)) + max(len(own) - 1, 0) + (negative == len(own) > 0)
        inner = [term.inside for term in own if term.inside is not None]
        nested = sum(each.inside is not None for term in inner for each in term.terms)
        return Sum(own, cost + nested, len(inner) + sum(each.pairs for each in inner))

    def _cost(self, term: Term) -> int:
        """Operations of a term without its sign."""
        number: Fraction = abs(Fraction(term.number))
        above = (number.numerator != 1) + (term.inside is not None)
        below = int(number.denominator != 1)
        cost = term.inside.cost + (term.power != 1) if term.inside is not None else 0
        for k, e in term.product:
            above, below = above + (e > 0), below + (e < 0)
            cost += self._letters[k].cost + (abs(e) != 1)
        return cost + max(above - 1, 0) + below


def _frequent(polynomial: Polynomial) -> list[int]:
    """The letters that more than one term has and not all: those that most of them have."""
    counts: dict[int, int] = {}
    for product in polynomial:
        for k, e in product:
            if e > 0:
                counts[k] = counts.get(k, 0) + 1
    often = {k: count for k, count in counts.items() if 1 < count < len(polynomial)}
    most = max(often.values(), default=0)
    tried = TRIED if len(polynomial) <= SOME else 1
    return sorted(k for k, count in often.items() if count == most)[:tried]


def _taken_out(polynomial: Polynomial) -> tuple[Rational, Product, Polynomial]:
    """A number and the letters that all terms share, and what they leave; 1 where there are no letters.

    SymPy multiplies sums by numbers that stand alone before them, so that these are left inside.
    """
    every = {k for product in polynomial for k, _ in product}
    rows = [dict(product) for product in polynomial]
    common = {k: min(row.get(k, 0) for row in rows) for k in every}
    shared = tuple(sorted((k, e) for k, e in common.items() if e))
    if not shared:
        return 1, (), polynomial
    sign = -1 if all(number < 0 for number in polynomial.values()) else 1
    content = sign * _content(polynomial)
    rest = {}
    for row, number in zip(rows, polynomial.values(), strict=True):
        moved = ((k, row.get(k, 0) - common[k]) for k in sorted(every))
        rest[tuple((k, e) for k, e in moved if e)] = whole(Fraction(number) / content)
    return whole(content), shared, rest


def _content(polynomial: Polynomial) -> Fraction:
    """The largest number of which all numbers are whole multiples."""
    above, below = 0, 1
    for each in map(Fraction, polynomial.values()):
        above, below = gcd(above, each.numerator), lcm(below, each.denominator)
    return Fraction(above, below)


def _root(number: Rational) -> Rational | None:
    """The root of a number, if it is a number."""
    if number <= 0:
        return None
    above, below = isqrt(number.numerator), isqrt(number.denominator)
    exact = above**2 == number.numerator and below**2 == number.denominator
    return whole(Fraction(above, below)) if exact else None


def _times(p: Product, q: Product) -> Product:
    powers = dict(p)
    for k, e in q:
        powers[k] = powers.get(k, 0) + e
    return tuple(sorted((k, e) for k, e in powers.items() if e))


def _exponent(e: Rational) -> sympy.Rational:
    return sympy.Rational(e.numerator, e.denominator)
