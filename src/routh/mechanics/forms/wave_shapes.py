"""Forms as polynomials in letters: with sines and cosines of sums, of shifted sums, or powers of those.

Angles that come in one proportion throughout a form are one angle in its powers: `sin(x - y)**2`.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import combinations
from math import gcd, lcm

import sympy

from routh.language.symbols import Coordinate, Momentum, Parameter
from routh.language.walk import leaves
from routh.mechanics.forms.collecting import Letter, Polynomial, Role
from routh.mechanics.forms.laurent import Form, Product, Rational, Work, constant, times, whole
from routh.mechanics.forms.naming import Name, by_name
from routh.mechanics.forms.unique import WRITTEN, Reader, in_sympy
from routh.mechanics.forms.writing_effort import effort

HALF = Fraction(1, 2)

MOST_ANGLES = 6
"""Waves up to which two angles are looked for that make them."""

TURNS = 8
"""Multiples of angles up to which they are written with powers of sines and cosines."""

HARMONICS = 1_000_000
"""Letters from here on are sines and cosines, circular or hyperbolic."""


class WaveShapes:
    """Writes forms of a reader as polynomials.

    Arguments:
        reader: what its generators stand for.
        work: what may be spent.
        radicand: how what a root is taken of is written.
        angle: how an angle is.
    """

    def __init__(
        self,
        reader: Reader,
        work: Work,
        radicand: Callable[[Form], sympy.Expr],
        angle: Callable[[sympy.Expr], sympy.Expr],
    ) -> None:
        self.letters: dict[int, Letter] = {}
        self._reader = reader
        self._work = work
        self._radicand = radicand
        self._angle = angle
        self._waves: dict[tuple[Product, Rational, bool], tuple[int, int]] = {}
        self._names: dict[int, Name] = {}

    def letter(self, k: int) -> Letter:
        """A generator that is no wave as a letter."""
        if k not in self.letters:
            atom = self._reader.atoms[k]
            expression = self._reader.factor(atom, sympy.S.One)
            if atom.radicand is not None and not isinstance(expression, sympy.Abs):
                expression = self._radicand(atom.radicand) ** sympy.Rational(1, atom.order)
            self.letters[k] = Letter(expression, _role(expression), effort(expression))
        return self.letters[k]

    def kind(self, k: int) -> str:
        """What kind of generator a letter is."""
        return self._reader.atoms[k].kind

    def fourier(self, form: Form) -> Polynomial:
        """With sines and cosines of sums."""
        found: Polynomial = {}
        for product, number in form.items():
            plain, wave = self._split(product)
            self._add_wave(found, plain, wave, number)
        return found

    def shifted(self, form: Form) -> Polynomial | None:
        """With cosines of sums that are shifted by parts of a turn; None where there are none."""
        used = {k for product in form for k, _ in product}
        if self._reader.turn not in used and not any(map(self._is_number, used)):
            return None
        self._reader.take_turns()
        found: Polynomial = {}
        groups: dict[tuple[Product, Product], Form] = {}
        for product, number in form.items():
            plain, wave = self._split(product)
            letters = tuple((k, e) for k, e in plain if not self._is_number(k))
            own = tuple((k, e) for k, e in wave if k != self._reader.turn)
            rest = tuple((k, e) for k, e in product if (k, e) not in {*letters, *own})
            groups.setdefault((letters, own), {})[rest] = number
        for (letters, wave), numbers in groups.items():
            for k, _ in letters:
                self.letter(k)
            if wave and not self._is_first(wave):
                continue
            shift = self._shift(numbers) if wave else None
            if shift is None:
                for product, number in numbers.items():
                    plain, turn = self._split(product)
                    self._add_wave(found, (*letters, *plain), (*wave, *turn), number)
            else:
                turns, product, size = shift
                letter, sign = self._harmonic(wave, turns, sine=False)
                _add(found, (*letters, *product, (letter, 1)), 2 * sign * size)
        return found

    def _is_number(self, k: int) -> bool:
        return self.kind(k) == "root" and self._reader.atoms[k].expression.is_Rational

    def _shift(self, numbers: Form) -> tuple[Rational, Product, Rational] | None:
        """A complex number as one real product times exp(i pi turns), if it is one."""
        for steps in (0, 1, 2, 3, 4, 5, 6, -1, -2, -3, -4, -5):
            turned = self._reader.product(numbers, self._reader.turns[-steps % 24])
            if len(turned) == 1:
                ((product, (a, b)),) = turned.items()
                if not b:
                    plain, turn = self._split(product)
                    for k, _ in plain:
                        self.letter(k)
                    rest = turn[0][1] if turn else 0
                    return whole(Fraction(steps, 12) + rest), plain, a
        return None

    def _split(self, product: Product) -> tuple[Product, Product]:
        """What is no wave, and what is."""
        plain = tuple((k, e) for k, e in product if self.kind(k) != "wave")
        wave = tuple((k, e) for k, e in product if self.kind(k) == "wave")
        return plain, wave

    def _add_wave(
        self, found: Polynomial, plain: Product, wave: Product, number: tuple[Rational, Rational]
    ) -> None:
        a, b = number
        for k, _ in plain:
            self.letter(k)
        if not wave:
            _add(found, plain, a)
        elif self._is_first(wave):
            count = 2 if any(k != self._reader.turn for k, _ in wave) else 1
            for part, sine in ((count * a, False), (-count * b, True)):
                if part:
                    letter, sign = self._harmonic(wave, 0, sine)
                    _add(found, (*plain, (letter, 1)), sign * part)

    def _is_first(self, wave: Product) -> bool:
        """Whether a wave and not its mirror is the one that is written: its first angle has a plus."""
        own = [(self._name(k), e) for k, e in wave if k != self._reader.turn]
        return not own or min(own)[1] > 0

    def _name(self, k: int) -> Name:
        """What the angle of a wave is sorted by."""
        if k not in self._names:
            self._names[k] = by_name(self._reader.atoms[k].expression)
        return self._names[k]

    def _harmonic(self, wave: Product, turns: Rational, sine: bool) -> tuple[int, int]:
        """The letter of a cosine or sine, and the sign with which it is written."""
        key = (wave, turns, sine)
        if key not in self._waves:
            angle = self._angle(self._reader.split(wave)[1] + in_sympy(turns) * sympy.pi)
            self._work.spend(WRITTEN * (1 + effort(angle)))
            self._waves[key] = self._letter_of(sympy.sin(angle) if sine else sympy.cos(angle))
        return self._waves[key]

    def _letter_of(self, made: sympy.Expr) -> tuple[int, int]:
        sign = -1 if made.could_extract_minus_sign() else 1
        letter = HARMONICS + len(self.letters)
        self.letters[letter] = Letter(sign * made, Role.POSITION, effort(sign * made))
        return letter, sign

    def hyperbolic(self, polynomial: Polynomial) -> Polynomial:
        """With hyperbolic sines and cosines in the place of exponentials, as it was written."""
        found: Polynomial = {}
        for product, number in polynomial.items():
            growth = tuple((k, e) for k, e in product if k < HARMONICS and self.kind(k) == "growth")
            if not growth:
                _add(found, product, number)
                continue
            rest = tuple((k, e) for k, e in product if (k, e) not in growth)
            sign = 1 if growth[0][1] > 0 else -1
            up = tuple((k, sign * e) for k, e in growth)
            for sine, own in ((False, 1), (True, sign)):
                letter, turned = self._grown(up, sine)
                _add(found, (*rest, (letter, 1)), own * turned * number)
        return found

    def _grown(self, growth: Product, sine: bool) -> tuple[int, int]:
        key = (growth, 0, sine)
        if key not in self._waves:
            exponent = sympy.Add(*(in_sympy(e) * self._reader.atoms[k].expression for k, e in growth))
            self._waves[key] = self._letter_of(sympy.sinh(exponent) if sine else sympy.cosh(exponent))
        return self._waves[key]

    def powers(self, form: Form, sines: bool) -> Polynomial | None:
        """With powers of cosines, or of sines, of the angles; None where there is no wave."""
        splits = {product: self._split(product) for product in form}
        units = self._units([wave for _, wave in splits.values() if wave])
        if not units:
            return None
        found: Polynomial = {}
        for product, number in form.items():
            plain, wave = splits[product]
            total: Form = {(): number}
            for unit, turns in zip(units, _turns(wave, units), strict=True):
                if abs(turns) > TURNS:
                    return None
                total = times(total, self._turned(unit, turns, sines), self._work)
            for k, _ in plain:
                self.letter(k)
            for letters, (real, _) in total.items():
                if real:
                    _add(found, (*plain, *letters), real)
        return found

    def _units(self, waves: list[Product]) -> list[Product]:
        """Angles of which those of all waves are whole multiples; those in one proportion are one."""
        rows = [dict(wave) for wave in waves]
        columns = {
            k: [Fraction(row.get(k, 0)) for row in rows]
            for k in sorted({k for w in waves for k, _ in w})
        }
        groups: dict[tuple[Fraction, ...], list[tuple[int, Fraction]]] = {}
        for k, column in columns.items():
            first = next(e for e in column if e)
            groups.setdefault(tuple(e / first for e in column), []).append((k, first))
        if len(groups) > 2 and any(not self._reader.atoms[k].expression.is_Symbol for k in columns):
            pair = self._pair(waves)
            if pair is not None:
                return pair
        units = []
        for ratios, own in groups.items():
            below = lcm(*(e.denominator for _, e in own))
            scale = Fraction(below, gcd(*(int(e * below) for _, e in own)))
            turns = [ratio / scale for ratio in ratios if ratio]
            count = Fraction(gcd(*(x.numerator for x in turns)), lcm(*(x.denominator for x in turns)))
            step = scale * (count if count.numerator % 2 else count / 2)
            unit = tuple((k, whole(step * e)) for k, e in own)
            units.append(unit if self._is_first(unit) else tuple((k, -e) for k, e in unit))
        return units

    def _pair(self, waves: list[Product]) -> list[Product] | None:
        """Two angles of which those of all waves are sums with whole numbers, where there are such.

        Mirrors are asked too: beside a part of a turn they are waves of their own.
        """
        every = list(dict.fromkeys(waves))
        first = [wave for wave in every if self._is_first(wave)]
        if len(first) > MOST_ANGLES:
            return None
        halves = []
        for u, v in combinations(first, 2):
            sums = (_combined(u, HALF, v, sign * HALF) for sign in (1, -1))
            halves += [_scaled(w, 1 if self._is_first(w) else -1) for w in sums]
        best: tuple[int, list[Product]] | None = None
        for u, v in combinations(sorted({*first, *halves}, key=lambda w: (len(w), w)), 2):
            solved = [_solved(wave, u, v) for wave in every]
            if None not in solved:
                most = max(abs(n) for pair in solved if pair is not None for n in pair)
                if best is None or most < best[0]:
                    best = most, [u, v]
        return best[1] if best else None

    def _turned(self, unit: Product, turns: int, sines: bool) -> Form:
        """exp(i turns angle) with powers of one of cosine and sine, the other to the first at most."""
        if not turns:
            return constant(1)
        (cosine, a), (sine, b) = (self._harmonic(unit, 0, each) for each in (False, True))
        step: Form = {((cosine, 1),): (a, 0), ((sine, 1),): (0, b if turns > 0 else -b)}
        high, low = (cosine, sine) if not sines else (sine, cosine)
        total = constant(1)
        for _ in range(abs(turns)):
            total = _lowered(times(total, step, self._work), low, high, self._work)
        return total


def _turns(wave: Product, units: list[Product]) -> list[int]:
    """How often each unit stands in a wave."""
    own = dict(wave)
    if len(units) == 2:
        solved = _solved(wave, *units)
        assert solved is not None
        return list(solved)
    return [int(Fraction(own.get(unit[0][0], 0)) / Fraction(unit[0][1])) for unit in units]


def _solved(wave: Product, u: Product, v: Product) -> tuple[int, int] | None:
    """Whole numbers with which two waves make another."""
    p, q, w = dict(u), dict(v), dict(wave)
    used = sorted(p.keys() | q.keys() | w.keys())
    for j, k in combinations(used, 2):
        size = Fraction(p.get(j, 0) * q.get(k, 0) - p.get(k, 0) * q.get(j, 0))
        if size:
            a = (w.get(j, 0) * q.get(k, 0) - w.get(k, 0) * q.get(j, 0)) / size
            b = (p.get(j, 0) * w.get(k, 0) - p.get(k, 0) * w.get(j, 0)) / size
            fits = all(a * p.get(i, 0) + b * q.get(i, 0) == w.get(i, 0) for i in used)
            return (int(a), int(b)) if fits and a.denominator == b.denominator == 1 else None
    return None


def _combined(u: Product, a: Fraction, v: Product, b: Fraction) -> Product:
    p, q = dict(u), dict(v)
    sums = ((k, whole(a * p.get(k, 0) + b * q.get(k, 0))) for k in sorted(p.keys() | q.keys()))
    return tuple((k, e) for k, e in sums if e)


def _scaled(wave: Product, number: int) -> Product:
    return tuple((k, number * e) for k, e in wave)


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
