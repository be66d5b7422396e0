"""Expressions sorted by what time does in them: sums of coefficients times functions of time alone.

Sines and cosines are taken apart into waves exp(i m), one for each term m of their arguments, so that
cos(theta + Omega*t) becomes products of what is known of theta and of Omega*t, and time drops out of a
frame that turns at a constant rate by adding up equal products. What time does is then read off: a form
without time in it is the same at all times. Waves and powers are treated as independent of each other
and of everything else; where they are not, time may seem to stay, never to drop out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import inf
from typing import Any

import sympy

from routh.language.symbols import Let, t
from routh.language.walk import contains_time, leaves, lets
from routh.mechanics.forms.generators import Generators, in_sympy, linear, moves
from routh.mechanics.forms.laurent import (
    Form,
    Product,
    Rational,
    TooLongError,
    Work,
    constant,
    generator,
    plus,
    power,
    scaled,
    times,
    whole,
)

GRANTED = 300_000
"""Products of terms for one system, one or two seconds."""

HIGHEST = 8
"""Powers of sums beyond this are not multiplied out."""

HALF = Fraction(1, 2)

Term = tuple[Rational, sympy.Expr]


@dataclass(frozen=True)
class TimeFunction:
    """A function of time: `t**power * exp(growth) * other`, times the cosine or sine of a phase.

    Growth and phase are linear in time; `other` is whatever could not be taken apart, or 1.
    """

    power: int
    growth: sympy.Expr
    phase: sympy.Expr
    sine: bool
    other: sympy.Expr

    @property
    def expression(self) -> sympy.Expr:
        """The function as SymPy writes it."""
        wave = sympy.sin(self.phase) if self.sine else sympy.cos(self.phase)
        return t**self.power * sympy.exp(self.growth) * wave * self.other


@dataclass(frozen=True)
class Sorted:
    """An expression as `steady + sum of coefficient * function(t)`."""

    steady: sympy.Expr
    moving: dict[TimeFunction, sympy.Expr] = field(default_factory=dict)


class MixedError(Exception):
    """A function of time and of what moves, which cannot be taken apart."""

    def __init__(self, term: sympy.Basic) -> None:
        super().__init__(str(term))
        self.term = term


class TimeForm:
    """Reads expressions as forms.

    Arguments:
        moving: what symbols stand for that change with time, as expressions with t.
        depth: 0 keeps whatever has no time in it whole, and gives names to long factors; 1 multiplies
            all out; 2 also looks into named intermediates without time.
        work: what may be spent.
    """

    def __init__(self, moving: Mapping[sympy.Symbol, sympy.Expr], depth: int, work: Work) -> None:
        self.generators = Generators()
        self._moving = moving
        self._depth = depth
        self._work = work
        self._read: dict[sympy.Basic, Form] = {}
        self._with_time: dict[sympy.Basic, bool] = {t: True} | dict.fromkeys(moving, True)

    def sorted(self, expression: sympy.Expr) -> Sorted:
        """The expression sorted by functions of time; itself where it has no time in it.

        Raises:
            MixedError: time and what moves stand together in a function that stays.
            TooLongError: it would be too long.
        """
        for let in lets([expression]):  # each after those it refers to, so that nothing nests deeply
            if self.has_time(let):
                self.form(let)
        if not self.has_time(expression):
            return Sorted(expression)
        return self._split(self.form(expression))

    def has_time(self, node: sympy.Basic) -> bool:
        """Whether time is written in an expression, directly or in what stands for it."""
        known = self._with_time.get(node)
        if known is None:
            inner = [node.expression] if isinstance(node, Let) else node.args
            known = self._with_time[node] = any(self.has_time(each) for each in inner)
        return known

    def form(self, node: sympy.Expr) -> Form:
        """The form of an expression."""
        known = self._read.get(node)
        if known is None:
            known = self._read[node] = self._formed(node)
        return known

    def _formed(self, node: sympy.Expr) -> Form:
        if node.is_Rational:
            return constant(whole(Fraction(int(node.p), int(node.q))))
        if node.is_Float and 0 < abs(float(node)) < inf:  # the decimals as written: 0.1 + 0.2 is 0.3
            return constant(whole(Fraction(repr(float(node)))))
        if node.is_Symbol:
            return self._symbol(node)
        if not self._depth and not self.has_time(node):
            return self._whole(node)
        for kinds, read in self._rules.items():
            if isinstance(node, kinds):
                return read(self, node)
        return self._called(node)

    def _symbol(self, node: sympy.Symbol) -> Form:
        if node in self._moving:  # the symbol itself is the part that does not move on
            own = generator(self.generators.number("plain", node))
            return plus([own, self.form(self._moving[node] - node)])
        if node == t:
            return generator(self.generators.number("time", t))
        if isinstance(node, Let) and (self.has_time(node) or self._depth == 2):
            form = self.form(node.expression)
            return form if self._depth else self.generators.named(form, self._work)
        return self._whole(node)

    def _whole(self, node: sympy.Expr) -> Form:
        """An expression without time as one generator, a number in front of it apart."""
        number, rest = node.as_coeff_Mul()
        if rest == 1 or not (number.is_Rational or number.is_Float):
            number, rest = sympy.S.One, node
        one = generator(self.generators.number("plain", rest))
        return times(self.form(number), one, self._work) if number != 1 else one

    def _sum(self, node: sympy.Expr) -> Form:
        return plus([self.form(each) for each in node.args])

    def _product(self, node: sympy.Expr) -> Form:
        total = constant(1)
        for each in node.args:
            total = times(total, self.form(each), self._work)
        return total

    def _terms(self, form: Form) -> list[Term] | None:
        """A sum of real numbers times products of symbols, or None if something else is in it."""
        found: list[Term] = []
        for product, (a, b) in form.items():
            if b or any(self.generators[k].kind not in ("plain", "time") for k, _ in product):
                return None
            found.append((a, self.generators.expression({product: (1, 0)})))
        return found

    def _powers(self, kind: str, terms: list[Term]) -> Form:
        """The product of waves, or of growths, one for each term."""
        total = constant(1)
        for number, term in terms:
            own = generator(self.generators.number(kind, term), number)
            total = times(total, own, self._work)
        return total

    def _wave(self, node: sympy.Expr) -> Form:
        """A cosine or sine of a sum as products of waves, one for each term."""
        terms = self._terms(self.form(node.args[0]))
        if terms is None:
            return self._called(node)
        up = self._powers("wave", terms)
        down = self._powers("wave", [(-number, term) for number, term in terms])
        if isinstance(node, sympy.cos):
            return plus([scaled(up, HALF), scaled(down, HALF)])
        return plus([scaled(up, 0, -HALF), scaled(down, 0, HALF)])

    def _growth(self, node: sympy.Expr) -> Form:
        """The exponential of a sum as a product of powers, one for each term.

        Without what moves a sum stays whole unless it is linear in time: exp(-(t - 30)**2) would have
        exp(-900) in front of exp(60*t), which is nothing for a double.
        """
        terms = self._terms(self.form(node.args[0]))
        if terms is None:
            return self._called(node)
        rest = [(c, term) for c, term in terms if not moves(term)]
        if all(contains_time(term) and linear(term) for _, term in rest):
            return self._powers("growth", terms)
        together = sympy.exp(sympy.Add(*(in_sympy(c) * term for c, term in rest)))
        kind = "other" if contains_time(together) else "plain"
        own = generator(self.generators.number(kind, together))
        apart = self._powers("growth", [(c, term) for c, term in terms if moves(term)])
        return times(apart, own, self._work)

    def _hyperbolic(self, node: sympy.Expr) -> Form:
        up, down = (self.form(sympy.exp(sign * node.args[0])) for sign in (1, -1))
        return plus([scaled(up, HALF), scaled(down, HALF if isinstance(node, sympy.cosh) else -HALF)])

    def _power(self, node: sympy.Expr) -> Form:
        if not node.exp.is_Integer:
            return self._called(node)
        form, exponent = self.form(node.base), int(node.exp)
        if 0 <= exponent <= HIGHEST:
            return power(form, exponent, self._work)
        if len(form) == 1:
            ((product, (a, b)),) = form.items()
            if not b and not any(self.generators.is_complex(k) for k, _ in product):
                number = whole(Fraction(a) ** exponent)
                return {tuple((k, exponent * own) for k, own in product): (number, 0)}
        return self._called(node)

    def _integral(self, node: sympy.Integral) -> Form:
        """Over a space: functions of time stand before the integral."""
        if any(self.has_time(bound) for limit in node.limits for bound in limit[1:]):
            return self._called(node)
        found = self._split(self.form(node.function))
        parts = [(found.steady, sympy.S.One)]
        parts += [(each, function.expression) for function, each in found.moving.items()]
        return plus(
            [
                times(
                    generator(self.generators.number("plain", sympy.Integral(part, *node.limits))),
                    self.form(function),
                    self._work,
                )
                for part, function in parts
                if part != 0
            ]
        )

    def _called(self, node: sympy.Expr) -> Form:
        """Any other function: of what time drops out of, or one of time as a whole."""
        made = node.func(*(self._rebuilt(each) for each in node.args)) if node.args else node
        if contains_time(made):
            return generator(self.generators.number("other", made))
        return self._whole(made)

    def _rebuilt(self, node: sympy.Basic) -> sympy.Basic:
        """An argument of a function, with what is known of time in it."""
        if not self.has_time(node):
            return node
        if isinstance(node, sympy.Expr):
            return self.generators.expression(self.form(node))
        if self._moving.keys() & leaves([node]):
            raise MixedError(node)
        return node

    _rules: Mapping[Any, Callable[[TimeForm, Any], Form]] = {
        sympy.Add: _sum,
        sympy.Mul: _product,
        (sympy.sin, sympy.cos): _wave,
        sympy.exp: _growth,
        (sympy.sinh, sympy.cosh): _hyperbolic,
        sympy.Pow: _power,
        sympy.Integral: _integral,
    }

    def _split(self, form: Form) -> Sorted:
        """A form sorted by functions of time."""
        groups = self.generators.by_time(form)
        steady = self.generators.expression(groups.pop((), {}))
        moving: dict[TimeFunction, sympy.Expr] = {}
        for timed, rest in groups.items():
            for function, coefficient in self._waves(timed, rest):
                moving[function] = moving.get(function, sympy.S.Zero) + coefficient
        return Sorted(steady, {f: c for f, c in moving.items() if c != 0})

    def _waves(self, timed: Product, rest: Form) -> list[tuple[TimeFunction, sympy.Expr]]:
        """A product of functions of time with its coefficient, as cosine and sine."""
        by_kind: dict[str, list[tuple[int, Rational]]] = {}
        for k, e in timed:
            own = self.generators[k]
            if own.mixed:
                raise MixedError(sympy.cos(own.expression) if own.kind == "wave" else own.expression)
            by_kind.setdefault(own.kind, []).append((k, e))
        phase = self.generators.factor(by_kind.pop("wave", []))[1]
        growths = by_kind.pop("growth", [])
        growth = sympy.Add(*(in_sympy(e) * self.generators[k].expression for k, e in growths))
        count = sum((e for _, e in by_kind.pop("time", [])), 0)
        other, chirp = self.generators.factor(each for part in by_kind.values() for each in part)
        if count.denominator != 1 or count < 0:
            other, count = other * t ** in_sympy(count), 0
        cosine = self.generators.expression(rest)
        sine = self.generators.expression(scaled(rest, 0, 1))
        if chirp != 0:  # not linear in time: cosine and sine of it are functions of their own
            return [
                (TimeFunction(int(count), growth, sympy.S.Zero, False, other * f(phase + chirp)), c)
                for f, c in ((sympy.cos, cosine), (sympy.sin, sine))
            ]
        sign = -1 if phase.could_extract_minus_sign() else 1
        found = [(TimeFunction(int(count), growth, sign * phase, False, other), cosine)]
        if phase != 0:
            found.append((TimeFunction(int(count), growth, sign * phase, True, other), sign * sine))
        return found


def sorted_parts(
    parts: Sequence[sympy.Expr], moving: Mapping[sympy.Symbol, sympy.Expr]
) -> list[Sorted]:
    """Expressions sorted by time, as deeply as it takes until it drops out, or as the work allows.

    Raises:
        MixedError: time and what moves stand together in a function that stays.
        TooLongError: even without looking into anything it would be too long.
    """
    found: list[Sorted] | None = None
    mixed: MixedError | None = None
    for depth in (0, 1, 2):
        reader = TimeForm(moving, depth, Work(GRANTED))
        try:
            found = [reader.sorted(each) for each in parts]
        except MixedError as error:
            mixed = error
            continue
        except TooLongError:
            if found is None and mixed is None:
                raise
            break
        if not any(each.moving for each in found):
            break
    if found is None:
        assert mixed is not None
        raise mixed
    return found
