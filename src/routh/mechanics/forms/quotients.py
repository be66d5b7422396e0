"""Sums and products of quotients of forms, with roots lowered and common factors taken out.

What is divided by is kept as factors, by number, so that the same one is known again wherever it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import sympy

from routh.mechanics.forms.division import divided, primitive
from routh.mechanics.forms.irreducible import Factors, factors, lead
from routh.mechanics.forms.laurent import (
    Form,
    Number,
    Product,
    Rational,
    TooLongError,
    Work,
    constant,
    generator,
    inverse,
    plus,
    scaled,
    times,
    whole,
)
from routh.mechanics.forms.naming import by_name

TWELFTH = Fraction(1, 12)

ORDER = ("plain", "wave", "growth", "root")
"""Kinds of generators, as they are numbered."""

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
        self._waves: set[int] = set()
        self._splits: dict[frozenset[Any], tuple[Fraction, Factors]] = {}
        self.hyperbolic = False
        """Whether hyperbolic functions were read: exponentials are written as such again."""
        self.turn = -1
        """The number of the wave exp(i pi), once there is one."""
        self.turns: tuple[Form, ...] = ()
        """Twelfths of half turns as numbers, from then on."""

    def renumbered(self, parts: Parts) -> tuple[Parts, Callable[[Form], Form]]:
        """The same parts, with generators and factors numbered by their names and not as they came.

        What is chosen later by numbers is the same then for all writings of one function.
        """
        names = [(ORDER.index(atom.kind), by_name(atom.expression), atom.order) for atom in self.atoms]
        order = sorted(range(len(names)), key=lambda k: names[k])
        place = {k: i for i, k in enumerate(order)}

        def moved(form: Form) -> Form:
            pairs = ((tuple(sorted((place[k], e) for k, e in p)), n) for p, n in form.items())
            return dict(sorted(pairs))

        self.atoms = [self.atoms[k] for k in order]
        self.atoms = [
            replace(atom, radicand=None if atom.radicand is None else moved(atom.radicand))
            for atom in self.atoms
        ]
        self._numbers = {key: place[k] for key, k in self._numbers.items()}
        self._roots = {place[k] for k in self._roots}
        self._waves = {place[k] for k in self._waves}
        self.turn = place.get(self.turn, -1)
        self.turns = tuple(map(moved, self.turns))
        made = [Quotient(moved(q.above), q.below) for q in parts]
        return self._sorted_factors(made, moved), moved

    def _sorted_factors(self, parts: list[Quotient], moved: Callable[[Form], Form]) -> Parts:
        """Parts over factors by their terms, each with a plus before the last of them."""
        forms = [moved(form) for form in self.factors]
        signs = [1 if _sign(form) else -1 for form in forms]
        forms = [scaled(form, sign) for form, sign in zip(forms, signs, strict=True)]
        order = sorted(range(len(forms)), key=lambda j: (len(forms[j]), list(forms[j].items())))
        place = {j: i for i, j in enumerate(order)}
        self.factors = [forms[j] for j in order]
        self._known = {frozenset(form.items()): i for i, form in enumerate(self.factors)}
        self._splits = {
            frozenset(moved(dict(key)).items()): (number, [(moved(form), n) for form, n in found])
            for key, (number, found) in self._splits.items()
        }
        made = []
        for q in parts:
            sign = 1
            for j, power in q.below:
                sign *= signs[j] ** power
            made.append(
                Quotient(scaled(q.above, sign), tuple(sorted((place[j], n) for j, n in q.below)))
            )
        return tuple(sorted(made, key=lambda q: (q.below, list(q.above.items()))))

    @contextmanager
    def lent(self, most: int) -> Iterator[None]:
        """Work on no more than so much of what is left.

        Raises:
            TooLongError: it is spent.
        """
        whole_, own = self.work, Work(min(most, self.work.left))
        before, self.work = own.left, own
        try:
            yield
        finally:
            self.work = whole_
            whole_.left -= before - max(own.left, 0)

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
            if kind == "wave":
                self._waves.add(self._numbers[key])
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
                    above = self.product(above, self.factors[k])
            parts.append(above)
        return Quotient(plus(parts), tuple(sorted(powers.items())))

    def times(self, a: Quotient, b: Quotient) -> Quotient:
        """The product."""
        powers = dict(a.below)
        for k, power in b.below:
            powers[k] = powers.get(k, 0) + power
        return Quotient(self.product(a.above, b.above), tuple(sorted(powers.items())))

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

    def product(self, a: Form, b: Form) -> Form:
        """The product of forms with the powers of roots lowered."""
        found = times(a, b, self.work)
        return self._lowered(found) if self._roots or self.turns else found

    def _lowered(self, form: Form) -> Form:
        parts: list[Form] = []
        plain: Form = {}
        for product, number in form.items():
            high = next(((k, e) for k, e in product if self._is_high(k, e)), None)
            if high is None:
                plain[product] = number
                continue
            rest: Form = {tuple(each for each in product if each != high): number}
            parts.append(self._lowered(times(rest, self._low(*high), self.work)))
        return plus([plain, *parts]) if parts else form

    def _is_high(self, k: int, e: Rational) -> bool:
        if k == self.turn:
            return not 0 < e < TWELFTH
        return k in self._roots and e >= self.atoms[k].order

    def _low(self, k: int, e: Rational) -> Form:
        """A power of a root, or of a half turn, by its relation."""
        if k == self.turn:
            return self.turned(e)
        atom = self.atoms[k]
        assert atom.radicand is not None
        count, left = divmod(int(e), atom.order)
        total = generator(k, left)
        for _ in range(count):
            total = times(total, atom.radicand, self.work)
        return total

    def turned(self, count: Rational) -> Form:
        """exp(i pi count) for twelfths of it, times a wave for what is less."""
        steps = count // TWELFTH
        left = whole(Fraction(count) - steps * TWELFTH)
        return times(self.turns[steps % 24], generator(self.turn, left), self.work)

    def inverse(self, q: Quotient) -> Quotient:
        """One over a quotient."""
        if not q.above:
            raise TooLongError
        total = Quotient(constant(1))
        for k, power in q.below:
            for _ in range(power):
                total = Quotient(self.product(total.above, self.factors[k]))
        return self.times(total, self.over(q.above))

    def over(self, form: Form) -> Quotient:
        """One over a form: of a product at once, else by a factor."""
        content, product, rest = primitive(form, self._divides)
        front: Form = {tuple((k, -e) for k, e in product): (whole(1 / content), 0)}
        growth, rest = self.without_growth(rest)
        front = times(front, {tuple((k, -e) for k, e in growth): (1, 0)}, self.work)
        _, roots, rest = primitive(rest, lambda k: k in self._roots)
        if roots:
            left = self.times(Quotient(front), self.over(rest))
            return self._over_roots(left, roots)
        if len(rest) == 1 and () in rest and not rest[()][1]:
            return Quotient(scaled(front, whole(1 / Fraction(rest[()][0]))))
        number, found = self.split_factors(rest)
        powers: dict[int, int] = {}
        for factor, power in found:
            k, sign = self._factor(factor)
            powers[k] = powers.get(k, 0) + power
            number = number * sign**power
        return Quotient(scaled(front, whole(1 / number)), tuple(sorted(powers.items())))

    def without_growth(self, form: Form) -> tuple[Product, Form]:
        """A product of exponentials, and the form without it: none has a negative power in it then.

        Where hyperbolic functions were read, their powers are as far up as down.
        """
        used = sorted({k for p in form for k, _ in p if self.atoms[k].kind == "growth"})
        rows = [dict(product) for product in form]
        shared: dict[int, Rational] = {}
        for k in used:
            own = [row.get(k, 0) for row in rows]
            low, high = min(own), max(own)
            shared[k] = whole(Fraction(low + high) / 2) if self.hyperbolic else low
        taken = tuple((k, e) for k, e in shared.items() if e)
        if not taken:
            return (), form
        over: Form = {tuple((k, -e) for k, e in taken): (1, 0)}
        return taken, times(form, over, self.work)

    def split_factors(self, form: Form) -> tuple[Fraction, Factors]:
        """A number and the factors of a form, irreducible where it is not long; of others as known."""
        key = frozenset(form.items())
        if key not in self._splits:
            used = {k for product in form for k, _ in product}
            whole_ = used & self._roots or self.turn in used
            growths = {k for k in used if self.atoms[k].kind == "growth"}
            found = None
            if not whole_:
                middle = growths if self.hyperbolic else set()
                found = factors(form, self._waves & used, growths, middle, self.work)
            if found is None:
                found = self._known_factors(form)
            left = lead(form)
            for factor, power in found:
                over = inverse(lead(factor))
                for _ in range(power):
                    left = _times(left, over)
            self._splits[key] = Fraction(left[0]), found
        return self._splits[key]

    def _known_factors(self, form: Form) -> Factors:
        """Factors that are known already, and what is left of a form."""
        found: Factors = []
        for factor in list(self.factors):
            power = 0
            while len(form) >= len(factor) > 1:
                left = divided(form, factor, self.work)
                if left is None:
                    break
                form, power = left, power + 1
            if power:
                found.append((factor, power))
        rest = primitive(form, lambda _: False)[2]
        return [*found, (rest, 1)] if len(rest) > 1 or () not in rest else found

    def _factor(self, form: Form) -> tuple[int, int]:
        """The number of a factor, and the sign with which it is kept."""
        for sign in (1, -1):
            known = self._known.get(frozenset(scaled(form, sign).items()))
            if known is not None:
                return known, sign
        self._known[frozenset(form.items())] = len(self.factors)
        self.factors.append(form)
        return len(self.factors) - 1, 1

    def _over_roots(self, front: Quotient, roots: Product) -> Quotient:
        """Something over a product of roots, with roots above only."""
        for k, e in roots:
            atom = self.atoms[k]
            assert atom.radicand is not None
            up = Quotient(generator(k, atom.order - e))
            front = self.times(front, self.times(up, self.over(atom.radicand)))
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


def _sign(form: Form) -> bool:
    """Whether the number before the last product is positive, real before imaginary."""
    return form[max(form)] > (0, 0)


def _times(p: Number, q: Number) -> Number:
    (a, b), (c, d) = p, q
    return a * c - b * d, a * d + b * c
