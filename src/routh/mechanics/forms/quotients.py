"""Sums and products of quotients of forms, with roots lowered and common factors taken out.

What is divided by is kept as factors, by number, so that the same one is known again wherever it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sympy

from routh.mechanics.forms.division import divided, primitive
from routh.mechanics.forms.laurent import (
    Form,
    Product,
    Rational,
    TooLongError,
    Work,
    constant,
    generator,
    plus,
    scaled,
    times,
    whole,
)

HIGHEST = 12
"""Powers of sums beyond this are not multiplied out."""

Below = tuple[tuple[int, int], ...]
"""Numbers of factors with their powers."""


@dataclass(frozen=True)
class Quotient:
    """A form over factors, given by their numbers, with their powers."""

    above: Form
    below: Below = ()


Parts = tuple[Quotient, ...]
"""A sum of quotients, each over other factors: they need not be multiplied out to be written."""


@dataclass(frozen=True)
class Atom:
    """What a generator stands for: "plain", "wave" for exp(i expression), "growth" or "root"."""

    kind: str
    expression: sympy.Expr
    order: int = 1
    """Of a root."""
    radicand: Form | None = None


class Quotients:
    """Quotients over common generators and factors."""

    def __init__(self, work: Work) -> None:
        self.work = work
        self.atoms: list[Atom] = []
        self.factors: list[Form] = []
        self._numbers: dict[tuple[str, sympy.Basic, int], int] = {}
        self._known: dict[frozenset[Any], int] = {}
        self._roots: set[int] = set()
        self._radicands: set[frozenset[Any]] = set()

    def joined(self, parts: Parts) -> Quotient:
        """A sum of quotients as one."""
        return parts[0] if len(parts) == 1 else self.lowest(self.plus(list(parts)))

    def _gathered(self, quotients: list[Quotient]) -> Parts:
        """Quotients over the same factors added up."""
        groups: dict[Below, list[Form]] = {}
        for each in quotients:
            groups.setdefault(each.below, []).append(each.above)
        added = [Quotient(plus(forms), below) for below, forms in groups.items()]
        lowest = [self.lowest(each) if each.below else each for each in added if each.above]
        if len({each.below for each in lowest}) < len(lowest):  # what was divided by went away
            return self._gathered(lowest)
        return tuple(lowest) or (Quotient({}),)

    def number(self, kind: str, expression: sympy.Basic, order: int = 1) -> int:
        """The number of a generator, which is new the first time."""
        key = (kind, expression, order)
        if key not in self._numbers:
            self._numbers[key] = len(self.atoms)
            self.atoms.append(Atom(kind, expression, order))
        return self._numbers[key]

    def plus(self, terms: list[Quotient]) -> Quotient:
        """The sum over what is divided by in any of them."""
        powers: dict[int, int] = {}
        for term in terms:
            for k, power in term.below:
                powers[k] = max(power, powers.get(k, 0))
        if not powers:
            return Quotient(plus([term.above for term in terms]))
        parts = []
        for term in terms:
            own, above = dict(term.below), term.above
            for k, power in powers.items():
                for _ in range(power - own.get(k, 0)):
                    above = self._multiplied(above, self.factors[k])
            parts.append(above)
        return Quotient(plus(parts), tuple(sorted(powers.items())))

    def times(self, a: Quotient, b: Quotient) -> Quotient:
        """The product."""
        powers = dict(a.below)
        for k, power in b.below:
            powers[k] = powers.get(k, 0) + power
        return Quotient(self._multiplied(a.above, b.above), tuple(sorted(powers.items())))

    def lowest(self, whole_: Quotient) -> Quotient:
        """The quotient without factors that divide what is above."""
        above, below = whole_.above, {}
        if not above:
            return Quotient({})
        for k, power in whole_.below:
            left = power
            while left:
                found = divided(above, self.factors[k], self.work)
                if found is None:
                    break
                above, left = found, left - 1
            if left:
                below[k] = left
        return Quotient(above, tuple(sorted(below.items())))

    def _multiplied(self, a: Form, b: Form) -> Form:
        """The product of forms with the powers of roots lowered."""
        found = times(a, b, self.work)
        return self._lowered(found) if self._roots else found

    def _lowered(self, form: Form) -> Form:
        parts: list[Form] = []
        plain: Form = {}
        for product, number in form.items():
            high = next(
                ((k, e) for k, e in product if k in self._roots and e >= self.atoms[k].order), None
            )
            if high is None:
                plain[product] = number
                continue
            k, e = high
            atom = self.atoms[k]
            assert atom.radicand is not None
            count, left = divmod(int(e), atom.order)
            rest = tuple((j, x) for j, x in product if j != k)
            part: Form = {rest: number}
            if left:
                part = times(part, generator(k, left), self.work)
            for _ in range(count):
                part = times(part, atom.radicand, self.work)
            parts.append(self._lowered(part))
        return plus([plain, *parts]) if parts else form

    def inverse(self, q: Quotient) -> Quotient:
        """One over a quotient."""
        if not q.above:
            raise TooLongError
        total = Quotient(constant(1))
        for k, power in q.below:
            for _ in range(power):
                total = Quotient(self._multiplied(total.above, self.factors[k]))
        return self.times(total, self._over(q.above))

    def _over(self, form: Form) -> Quotient:
        """One over a form: of a product at once, else by a factor."""
        content, product, rest = primitive(form, self._divides)
        front: Form = {tuple((k, -e) for k, e in product): (whole(1 / content), 0)}
        if len(rest) == 1:
            ((own, (a, b)),) = rest.items()
            if not b and all(k in self._roots for k, _ in own):
                front = scaled(front, whole(Fraction(1) / Fraction(a)))
                return self._over_roots(Quotient(front), own)
        powers: dict[int, int] = {}
        for k, factor in enumerate(list(self.factors)):
            while len(rest) >= len(factor):
                found = divided(rest, factor, self.work)
                if found is None:
                    break
                powers[k] = powers.get(k, 0) + 1
                rest = found
        if len(rest) == 1 and () in rest and not rest[()][1]:
            number = whole(Fraction(1) / Fraction(rest[()][0]))
            return Quotient(scaled(front, number), tuple(sorted(powers.items())))
        if powers:  # what is left over may have a common factor of its own again
            left = self._over(rest)
            for k, power in left.below:
                powers[k] = powers.get(k, 0) + power
            return Quotient(self._multiplied(front, left.above), tuple(sorted(powers.items())))
        turned = _first(rest)[0] < 0 and frozenset(rest.items()) not in self._radicands
        sign = -1 if turned else 1
        rest = scaled(rest, sign)
        key = frozenset(rest.items())
        if key not in self._known:
            self._known[key] = len(self.factors)
            self.factors.append(rest)
        return Quotient(scaled(front, sign), ((self._known[key], 1),))

    def _over_roots(self, front: Quotient, roots: Product) -> Quotient:
        """Something over a product of roots, with roots above only."""
        for k, e in roots:
            atom = self.atoms[k]
            assert atom.radicand is not None
            up = Quotient(generator(k, atom.order - e))
            front = self.times(front, self.times(up, self._over(atom.radicand)))
        return front

    def _divides(self, k: int) -> bool:
        """Whether a generator may be divided by alone: a wave is only real together with its mirror."""
        return self.atoms[k].kind == "plain"

    def power(self, q: Quotient, exponent: int) -> Quotient:
        """A whole power."""
        if exponent == 0:
            return Quotient(constant(1))
        if abs(exponent) > HIGHEST and len(q.above) > 1:
            raise TooLongError
        base = q if exponent >= 0 else self.inverse(q)
        if len(base.above) == 1 and not base.below:
            ((product, number),) = base.above.items()
            if not number[1] and not any(k in self._roots for k, _ in product):
                raised = Fraction(number[0]) ** abs(exponent)
                return Quotient({tuple((k, e * abs(exponent)) for k, e in product): (whole(raised), 0)})
        total = Quotient(constant(1))
        for _ in range(abs(exponent)):
            total = self.times(total, base)
        return total


def _first(form: Form) -> tuple[Rational, Rational]:
    """The number that decides about the sign: real before imaginary, of the last product."""
    a, b = form[max(form)]
    return (a, b) if a else (b, a)
