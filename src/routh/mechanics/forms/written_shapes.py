"""What a person would write for a unique form: the shortest of a fixed list of shapes.

What is divided by, or a root is taken of, as it was written; with powers of cosines, or of sines; with
sines and cosines of sums, or of shifted sums; the coefficients of accelerations and velocities each in
the shape that is shortest for them; as a product of sums; grouped as `collecting` says. The fewest
operations decide, and of equals the first: never a clock, and never what was done before.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from fractions import Fraction
from functools import reduce
from typing import Any

import sympy

from routh.mechanics.forms.collecting import Collector, Polynomial, Role
from routh.mechanics.forms.decimals import MANY_DIGITS, with_decimals
from routh.mechanics.forms.denominators import Denominators
from routh.mechanics.forms.division import primitive, remainder
from routh.mechanics.forms.irreducible import Factors
from routh.mechanics.forms.laurent import Form, Number, Product, TooLongError, Work, plus, scaled, whole
from routh.mechanics.forms.quotients import Below, Parts, Quotient
from routh.mechanics.forms.unique import Reader, in_sympy
from routh.mechanics.forms.wave_shapes import WaveShapes
from routh.mechanics.forms.writing_effort import effort

JOINED = 20_000
"""Products of terms that may be spent on a common denominator."""

MOST_POWERS = 3
"""Powers of a factor up to which a quotient is tried as a form and what is left."""

MOST_FACTORED = 16
"""Terms up to which a sum is tried as a product of sums."""

Rooted = tuple[Product, Quotient]
"""A quotient with the product of roots that all its terms have."""


class Shapes:
    """Writes quotients of a reader."""

    def __init__(self, reader: Reader, work: Work) -> None:
        self._reader = reader
        self._work = work
        self._known: dict[tuple[frozenset[Any], bool], sympy.Expr] = {}
        self._angles: dict[sympy.Expr, sympy.Expr] = {}
        self._waves = WaveShapes(reader, work, self._polynomial, self._angle)
        self._collector = Collector(self._waves.letters, work)
        self._denominators = Denominators(reader)

    def shortest(self, parts: Parts) -> sympy.Expr:
        """A sum of quotients in its shortest shape.

        Raises:
            TooLongError: it would take more work than was granted.
        """
        found = []
        for sums in self._sums(parts):
            if sums not in found:
                found.append(sums)
        written = [sympy.Add(*(self._whole(*each) for each in sums)) for sums in found]
        return min(written, key=effort)

    def _sums(self, parts: Parts) -> Iterator[list[Rooted]]:
        """The parts by roots, over common denominators, apart by velocities or not; as they came."""
        try:
            rooted = self._rooted(parts)
        except TooLongError:
            if self._work.left < 0:
                raise
        else:
            yield self._apart(rooted, self._motion)
            yield self._apart(rooted, self._outside)
            yield rooted
            yield self._merged(rooted)
            yield self._apart(
                [each for part in rooted for each in self._whole_part(part)], self._motion
            )
        if len(parts) > 1:
            yield self._apart(self._by_roots(parts), self._motion)

    def _rooted(self, parts: Parts) -> list[Rooted]:
        """For each product of roots one quotient in lowest terms."""
        groups: dict[Product, list[Quotient]] = {}
        for roots, each in self._by_roots(parts):
            groups.setdefault(roots, []).append(each)
        with self._reader.lent(JOINED):
            found = [(roots, self._reader.joined(tuple(each))) for roots, each in groups.items()]
        return [(roots, each) for roots, each in found if each.above]

    def _by_roots(self, parts: Parts) -> list[Rooted]:
        """The terms by the roots in front of them."""
        found = []
        for part in parts:
            groups: dict[Product, Form] = {}
            for product, number in part.above.items():
                roots = tuple(each for each in product if self._waves.kind(each[0]) == "root")
                groups.setdefault(roots, {})[product] = number
            found += [
                (roots, self._reader.lowest(Quotient(form, part.below)))
                for roots, form in sorted(groups.items())
            ]
        return sorted(found, key=lambda each: (each[1].below, each[0]))

    def _apart(
        self, rooted: list[Rooted], chosen: Callable[[Quotient], Collection[int]]
    ) -> list[Rooted]:
        """The terms with each product of chosen generators in lowest terms, by what is below."""
        groups: dict[tuple[Product, Below], list[Form]] = {}
        for roots, part in rooted:
            own: dict[Product, Form] = {}
            among = chosen(part) if part.below else ()
            for product, number in part.above.items():
                key = tuple((k, e) for k, e in product if k in among)
                own.setdefault(key, {})[product] = number
            for form in own.values():
                lowest = self._reader.lowest(Quotient(form, part.below))
                groups.setdefault((roots if lowest.below else (), lowest.below), []).append(
                    lowest.above
                )
        return [(roots, Quotient(plus(forms), below)) for (roots, below), forms in groups.items()]

    def _motion(self, part: Quotient) -> set[int]:
        """Velocities and accelerations above."""
        return {k for product in part.above for k, _ in product if self._moves(k)}

    def _outside(self, part: Quotient) -> set[int]:
        """Generators above that are not below."""
        below = {k for j, _ in part.below for product in self._reader.factors[j] for k, _ in product}
        return {k for product in part.above for k, _ in product} - below

    def _whole_part(self, rooted: Rooted) -> list[Rooted]:
        """A quotient as a form and what is left of it over the factor."""
        roots, part = rooted
        if len(part.below) != 1 or part.below[0][1] > MOST_POWERS:
            return [rooted]
        ((k, power),) = part.below
        factor = self._reader.factors[k]
        if any(self._waves.kind(j) != "plain" for product in factor for j, _ in product):
            return [rooted]
        below = reduce(self._reader.product, [factor] * power)
        above, left = remainder(part.above, below, self._work)
        made = [(roots, Quotient(left, part.below)), ((), Quotient(above))]
        return [each for each in made if each[1].above]

    def _merged(self, rooted: list[Rooted]) -> list[Rooted]:
        """Those over the same factors together."""
        groups: dict[Below, list[Form]] = {}
        for _, part in rooted:
            groups.setdefault(part.below, []).append(part.above)
        return [((), Quotient(plus(forms), below)) for below, forms in groups.items()]

    def _whole(self, roots: Product, quotient: Quotient) -> sympy.Expr:
        """A quotient in its shortest shape; a root over what it is the root of is one over the root."""
        found: list[sympy.Expr] = []
        for front, each in self._denominators(roots, quotient):
            for factors in self._denominators.below(each.below):
                found += self._over(each.above, front, factors)
        return min(found, key=effort)

    def _over(self, above: Form, front: Product, factors: Factors) -> Iterator[sympy.Expr]:
        """A form over factors, and the same with a minus taken inside where one may be."""
        below = []
        for factor, power in factors:
            content, written = self._factor(factor)
            above = scaled(above, whole(1 / content**power))
            below.append((written, power))
        under = self._product(front)
        yield self._polynomial(above) * under / sympy.Mul(*(f**n for f, n in below))
        turned = next((i for i, (f, n) in enumerate(below) if n % 2 and _turns(f)), None)
        if turned is not None:
            below[turned] = -below[turned][0], below[turned][1]
            yield self._polynomial(scaled(above, -1)) * under / sympy.Mul(*(f**n for f, n in below))

    def _factor(self, form: Form) -> tuple[Fraction, sympy.Expr]:
        """What is divided by as a number times its shortest shape, which has a plus somewhere."""
        scale = Fraction(1)
        if self._reader.decimal and any(map(_is_huge, form.values())):
            first = form[min(form)]
            scale = Fraction(first[0] or first[1])
        found = []
        for candidate in self._shapes(scaled(form, whole(1 / scale)) if scale != 1 else form):
            number, rest = candidate.as_content_primitive() if scale == 1 else (sympy.S.One, candidate)
            sign = -1 if rest.could_extract_minus_sign() else 1
            found.append((Fraction(int(number.p), int(number.q)) * sign * scale, sign * rest))
        return min(found, key=lambda each: effort(each[1]))

    def _polynomial(self, form: Form) -> sympy.Expr:
        """A form in its shortest shape."""
        key = frozenset(form.items()), self._reader.decimal
        if key not in self._known:
            self._known[key] = min(self._shapes(form), key=effort)
        return self._known[key]

    def _shapes(self, form: Form) -> list[sympy.Expr]:
        form = dict(sorted(form.items()))
        found = [self._expression(each) for each in self._candidates(form)]
        others = (*found, self._mixed(form), self._factored(form))
        return [each for each in (self._reader.written_as(form), *others) if each is not None]

    def _factored(self, form: Form) -> sympy.Expr | None:
        """A product of sums, if it is one."""
        used = {k for product in form for k, _ in product}
        if not 3 < len(form) <= MOST_FACTORED or any(self._waves.kind(k) == "root" for k in used):
            return None
        moving = {tuple((k, e) for k, e in product if self._moves(k)) for product in form}
        if len(set(map(self._collector.motion, moving))) > 1:  # terms of inertia stay by themselves
            return None
        content, product, rest = primitive(form, lambda k: self._waves.kind(k) == "plain")
        growth, rest = self._reader.without_growth(rest)
        number, found = self._reader.split_factors(rest)
        content *= number
        paired = self._denominators.paired(found)
        if sum(power for _, power in paired) < 2:
            return None
        factors = []
        for factor, power in paired:
            own, written = self._factor(factor)
            content *= own**power
            factors.append(written**power)
        front = self._reader.split((*product, *growth))[0]
        return sympy.Mul(in_sympy(whole(content)), front, *factors)

    def _candidates(self, form: Form) -> Iterator[Polynomial]:
        for shape in (
            self._waves.powers(form, sines=False),
            self._waves.powers(form, sines=True),
            self._waves.fourier(form),
            self._waves.shifted(form),
        ):
            if shape is not None:
                yield shape

    def _expression(self, polynomial: Polynomial) -> sympy.Expr:
        own = self._waves.hyperbolic(polynomial) if self._reader.hyperbolic else polynomial
        expression = self._collector.expression(self._collector(own))
        if self._reader.decimal:
            expression = with_decimals(expression, inside=self._reader.decimal_inside)
        return expression

    def _mixed(self, form: Form) -> sympy.Expr | None:
        """Each coefficient of accelerations and velocities in its own shape."""
        groups: dict[Product, Form] = {}
        for product, number in form.items():
            moving = tuple((k, e) for k, e in product if self._moves(k))
            still = tuple((k, e) for k, e in product if not self._moves(k))
            groups.setdefault(moving, {})[still] = number
        if len(groups) < 2 or not any(self._waves.kind(k) == "wave" for p in form for k, _ in p):
            return None
        return sympy.Add(*(self._product(own) * self._polynomial(rest) for own, rest in groups.items()))

    def _product(self, product: Product) -> sympy.Expr:
        return sympy.Mul(*(self._waves.letter(k).expression ** in_sympy(e) for k, e in product))

    def _moves(self, k: int) -> bool:
        plain = self._waves.kind(k) == "plain"
        return plain and self._waves.letter(k).role in (Role.ACCELERATION, Role.VELOCITY)

    def _angle(self, angle: sympy.Expr) -> sympy.Expr:
        """An angle as a person would write it: sums of products stay, others are shortest."""
        if angle not in self._angles:
            plain = all(
                part.is_Symbol or part.is_number
                for term in sympy.Add.make_args(angle)
                for part in sympy.Mul.make_args(term)
            )
            with self._reader.inside(angle):
                self._angles[angle] = angle if plain else self.shortest(self._reader.parts(angle))
        return self._angles[angle]


def _turns(factor: sympy.Expr) -> bool:
    """Whether a sum has a plus somewhere with the other sign, too."""
    return any(term.could_extract_minus_sign() for term in sympy.Add.make_args(factor))


def _is_huge(number: Number) -> bool:
    return any(abs(Fraction(x)) >= MANY_DIGITS for x in number)
