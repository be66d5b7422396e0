"""What a person would write for a unique form: the shortest of a fixed list of shapes.

As it was written; with powers of cosines, or of sines; with sines and cosines of sums; the coefficients
of accelerations and velocities each in the shape that is shortest for them; grouped as `collecting`
says. The fewest operations decide, and of equals the first: never a clock, and never what was done
before.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from math import lcm
from typing import Any

import sympy

from routh.language.symbols import Coordinate, Momentum, Parameter
from routh.language.walk import leaves
from routh.mechanics.forms.collecting import Collector, Letter, Polynomial, Role
from routh.mechanics.forms.laurent import (
    Form,
    Product,
    Rational,
    Work,
    constant,
    plus,
    scaled,
    times,
    whole,
)
from routh.mechanics.forms.quotients import Below, Parts, Quotient
from routh.mechanics.forms.unique import Reader, in_sympy
from routh.mechanics.forms.writing_effort import effort

TURNS = 8
"""Multiples of angles up to which they are written with powers of sines and cosines."""

HARMONICS = 1_000_000
"""Letters from here on are sines and cosines of sums."""

POWERS = 2_000_000
"""Letters from here on are sines and cosines of single angles."""


class Shapes:
    """Writes quotients of a reader."""

    def __init__(self, reader: Reader, work: Work) -> None:
        self._reader = reader
        self._work = work
        self._letters: dict[int, Letter] = {}
        self._waves: dict[tuple[Product, bool], int] = {}
        self._known: dict[tuple[frozenset[Any], bool, bool], sympy.Expr] = {}
        self._names: dict[int, tuple[tuple[bool, str | int], ...]] = {}
        self._collector = Collector(self._letters, work)

    def shortest(self, parts: Parts) -> sympy.Expr:
        """A sum of quotients in its shortest shape.

        Raises:
            TooLongError: it would take more work than was granted.
        """
        apart = self._apart(parts)
        found = [sympy.Add(*map(self._whole, apart))]
        if len(apart) > 1:
            found.append(self._whole(self._reader.joined(parts)))
        return min(found, key=effort)

    def _apart(self, parts: Parts) -> list[Quotient]:
        """The terms with each product of roots and velocities in lowest terms, by what is below."""
        groups: dict[tuple[Product, Below], list[Form]] = {}
        for part in parts:
            for roots, form in self._sorted(part).items():
                lowest = self._reader.lowest(Quotient(form, part.below))
                key = (roots[0] if lowest.below else (), lowest.below)
                groups.setdefault(key, []).append(lowest.above)
        return [Quotient(plus(forms), below) for (_, below), forms in groups.items()]

    def _sorted(self, part: Quotient) -> dict[tuple[Product, Product], Form]:
        """What is above, by products of roots and of velocities; whole if nothing is below."""
        if not part.below:
            return {((), ()): part.above}
        groups: dict[tuple[Product, Product], Form] = {}
        for product, number in part.above.items():
            roots = tuple((k, e) for k, e in product if self._reader.atoms[k].kind == "root")
            moving = tuple((k, e) for k, e in product if self._moves(k))
            groups.setdefault((roots, moving), {})[product] = number
        return groups

    def _whole(self, quotient: Quotient) -> sympy.Expr:
        above, below = quotient.above, []
        for k, power in quotient.below:
            content, factor = self._factor(self._reader.factors[k])
            above = scaled(above, whole(1 / content**power))
            below.append(factor**power)
        return self._polynomial(above) / sympy.Mul(*below)

    def _factor(self, form: Form) -> tuple[Fraction, sympy.Expr]:
        """What is divided by as a number times its shortest shape, which has a plus somewhere."""
        found = []
        for candidate in self._shapes(form):
            number, rest = candidate.as_content_primitive()
            sign = -1 if rest.could_extract_minus_sign() else 1
            found.append((Fraction(int(number.p), int(number.q)) * sign, sign * rest))
        return min(found, key=lambda each: effort(each[1]))

    def _polynomial(self, form: Form) -> sympy.Expr:
        """A form in its shortest shape."""
        key = (frozenset(form.items()), self._reader.decimal, self._reader.hyperbolic)
        if key not in self._known:
            self._known[key] = min(self._shapes(form), key=effort)
        return self._known[key]

    def _shapes(self, form: Form) -> list[sympy.Expr]:
        written = self._reader.written_as(form)
        found = [] if written is None else [written]
        found += [self._expression(each) for each in self._candidates(form)]
        mixed = self._mixed(form)
        return found if mixed is None else [*found, mixed]

    def _expression(self, polynomial: Polynomial) -> sympy.Expr:
        own = self._hyperbolic(polynomial) if self._reader.hyperbolic else polynomial
        expression = self._collector.expression(self._collector(own))
        if self._reader.decimal:
            numbers = {n: sympy.Float(float(n)) for n in expression.atoms(sympy.Rational)
                       if not n.is_Integer and abs(n) != sympy.S.Half}  # fmt: skip
            expression = expression.xreplace(numbers)
        return expression

    def _candidates(self, form: Form) -> Iterator[Polynomial]:
        for sines in (False, True):
            powers = self._powers(form, sines)
            if powers is not None:
                yield powers
        yield self._fourier(form)

    def _mixed(self, form: Form) -> sympy.Expr | None:
        """Each coefficient of accelerations and velocities in its own shape."""
        groups: dict[Product, Form] = {}
        for product, number in form.items():
            moving = tuple((k, e) for k, e in product if self._moves(k))
            still = tuple((k, e) for k, e in product if not self._moves(k))
            groups.setdefault(moving, {})[still] = number
        if len(groups) < 2 or not any(self._reader.atoms[k].kind == "wave" for p in form for k, _ in p):
            return None
        return sympy.Add(*(self._product(own) * self._polynomial(rest) for own, rest in groups.items()))

    def _product(self, product: Product) -> sympy.Expr:
        return sympy.Mul(*(self._letter(k).expression ** in_sympy(e) for k, e in product))

    def _moves(self, k: int) -> bool:
        plain = self._reader.atoms[k].kind == "plain"
        return plain and self._letter(k).role in (Role.ACCELERATION, Role.VELOCITY)

    def _letter(self, k: int) -> Letter:
        """A generator that is no wave as a letter."""
        if k not in self._letters:
            atom = self._reader.atoms[k]
            expression = self._reader.factor(atom, sympy.S.One)
            if atom.radicand is not None and not isinstance(expression, sympy.Abs):
                expression = self._polynomial(atom.radicand) ** sympy.Rational(1, atom.order)
            self._letters[k] = Letter(expression, _role(expression), effort(expression))
        return self._letters[k]

    def _fourier(self, form: Form) -> Polynomial:
        """With sines and cosines of sums."""
        found: Polynomial = {}
        for product, (a, b) in form.items():
            plain = tuple((k, e) for k, e in product if self._reader.atoms[k].kind != "wave")
            wave = tuple((k, e) for k, e in product if self._reader.atoms[k].kind == "wave")
            for k, _ in plain:
                self._letter(k)
            if not wave:
                _add(found, plain, a)
            elif self._is_first(wave):
                for number, sine in ((2 * a, False), (-2 * b, True)):
                    if number:
                        letter = self._harmonic(wave, sine)
                        _add(found, (*plain, (letter, 1)), number)
        return found

    def _hyperbolic(self, polynomial: Polynomial) -> Polynomial:
        """With hyperbolic sines and cosines in the place of exponentials, as it was written."""
        found: Polynomial = {}
        for product, number in polynomial.items():
            growth = tuple((k, e) for k, e in product if k < HARMONICS and self._kind(k) == "growth")
            if not growth:
                _add(found, product, number)
                continue
            rest = tuple((k, e) for k, e in product if (k, e) not in growth)
            sign = 1 if growth[0][1] > 0 else -1
            up = tuple((k, sign * e) for k, e in growth)
            _add(found, (*rest, (self._grown(up, False), 1)), number)
            _add(found, (*rest, (self._grown(up, True), 1)), sign * number)
        return found

    def _kind(self, k: int) -> str:
        return self._reader.atoms[k].kind

    def _grown(self, growth: Product, sine: bool) -> int:
        key = (growth, sine)
        if key not in self._waves:
            letter = self._waves[key] = HARMONICS + len(self._waves)
            exponent = sympy.Add(*(in_sympy(e) * self._reader.atoms[k].expression for k, e in growth))
            made = sympy.sinh(exponent) if sine else sympy.cosh(exponent)
            self._letters[letter] = Letter(made, Role.POSITION, effort(made))
        return self._waves[key]

    def _is_first(self, wave: Product) -> bool:
        """Whether a wave and not its mirror is the one that is written: its first angle has a plus."""
        return min((self._name(k), e) for k, e in wave)[1] > 0

    def _name(self, k: int) -> tuple[tuple[bool, str | int], ...]:
        """What the angle of a wave is sorted by."""
        if k not in self._names:
            self._names[k] = _by_name(self._reader.atoms[k].expression)
        return self._names[k]

    def _harmonic(self, wave: Product, sine: bool) -> int:
        key = (wave, sine)
        if key not in self._waves:
            letter = self._waves[key] = HARMONICS + len(self._waves)
            angle = self._reader.split(wave)[1]
            made = sympy.sin(angle) if sine else sympy.cos(angle)
            self._letters[letter] = Letter(made, Role.POSITION, effort(made))
        return self._waves[key]

    def _powers(self, form: Form, sines: bool) -> Polynomial | None:
        """With powers of cosines of single angles, or of their sines; None where there is no wave."""
        units: dict[int, Fraction] = {}
        for product in form:
            for k, e in product:
                if self._reader.atoms[k].kind == "wave":
                    units[k] = Fraction(1, lcm(units.get(k, Fraction(1)).denominator, e.denominator))
        if not units:
            return None
        found: Polynomial = {}
        for product, (a, b) in form.items():
            total: Form = {(): (a, b)}
            plain = []
            for k, e in product:
                if k not in units:
                    plain.append((k, e))
                    self._letter(k)
                    continue
                turns = Fraction(e) / units[k]
                if abs(turns) > TURNS:
                    return None
                total = times(total, self._turned(k, int(turns), units[k], sines), self._work)
            for own, (real, _) in total.items():
                if real:
                    _add(found, (*plain, *own), real)
        return found

    def _turned(self, k: int, turns: int, unit: Fraction, sines: bool) -> Form:
        """exp(i turns angle) with powers of one of cosine and sine, the other to the first at most."""
        angle = in_sympy(unit) * self._reader.atoms[k].expression
        cosine, sine = POWERS + 2 * k, POWERS + 2 * k + 1
        for letter, made in ((cosine, sympy.cos(angle)), (sine, sympy.sin(angle))):
            self._letters[letter] = Letter(made, Role.POSITION, effort(made))
        step: Form = {((cosine, 1),): (1, 0), ((sine, 1),): (0, 1 if turns > 0 else -1)}
        high, low = (cosine, sine) if not sines else (sine, cosine)
        total = constant(1)
        for _ in range(abs(turns)):
            total = _lowered(times(total, step, self._work), low, high, self._work)
        return total


def _lowered(form: Form, low: int, high: int, work: Work) -> Form:
    """The squares of one letter replaced by 1 minus those of another."""
    found: Form = {}
    squares: Form = {}
    for product, number in form.items():
        powers = dict(product)
        if powers.get(low, 0) > 1:
            powers[low] -= 2
            squares[tuple((k, e) for k, e in sorted(powers.items()) if e)] = number
        else:
            found[product] = number
    if not squares:
        return form
    more = times(squares, {(): (1, 0), ((high, 2),): (-1, 0)}, work)
    for product, (a, b) in more.items():
        c, d = found.get(product, (0, 0))
        if a + c or b + d:
            found[product] = (a + c, b + d)
        else:
            found.pop(product, None)
    return found


def _add(found: Polynomial, product: Product, number: Rational) -> None:
    key = tuple(sorted(product))
    total = found.get(key, 0) + number
    if total:
        found[key] = total
    else:
        found.pop(key, None)


def _role(expression: sympy.Expr) -> Role:
    if isinstance(expression, Momentum):
        return Role.VELOCITY
    if isinstance(expression, Coordinate):
        return (Role.POSITION, Role.VELOCITY, Role.ACCELERATION)[min(expression.order, 2)]
    if all(isinstance(s, Parameter) for s in leaves([expression])):
        return Role.PARAMETER
    return Role.POSITION


def _by_name(expression: sympy.Expr) -> tuple[tuple[bool, str | int], ...]:
    """Names in the order in which people count: theta2 before theta10."""
    pieces = re.split(r"(\d+)", str(expression))
    return tuple(
        (piece.isdigit(), int(piece) if piece.isdigit() else piece) for piece in pieces if piece
    )
