"""What the generators of forms stand for, and forms as expressions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import sympy

from routh.language.derivation import explicit_rate
from routh.language.symbols import Let, Parameter, t
from routh.language.walk import contains_time, leaves
from routh.mechanics.forms.laurent import (
    Form,
    Number,
    Product,
    Rational,
    Work,
    generator,
    plus,
    scaled,
    times,
    unified,
)

SHORT = 2
"""Terms of a factor that are not worth a name."""


@dataclass(frozen=True)
class Generator:
    """What a generator stands for.

    Its kind is "plain" (no time in it), "time", "wave" for exp(i expression), "growth" for
    exp(expression), "chirp wave" and "chirp growth" where that is not linear in time, "other" for any
    other function with time, "complex" for a pair of named real and imaginary parts.
    """

    kind: str
    expression: sympy.Expr
    timed: bool
    mixed: bool
    """Whether time stands together with what is neither time nor a parameter."""


class Generators:
    """The generators of some forms, by number."""

    def __init__(self) -> None:
        self._every: list[Generator] = []
        self._numbers: dict[tuple[str, sympy.Basic], int] = {}
        self._names: dict[frozenset[tuple[Product, Number]], Form] = {}

    def __getitem__(self, k: int) -> Generator:
        return self._every[k]

    def number(self, kind: str, expression: sympy.Basic) -> int:
        """The number of a generator, which is new the first time."""
        known = self._numbers.get((kind, expression))
        if known is None:
            timed = kind not in ("plain", "complex") and contains_time(expression)
            mixed = timed and moves(expression)
            if timed and not mixed and kind in ("wave", "growth") and not linear(expression):
                kind = "chirp " + kind
            known = self._numbers[kind, expression] = len(self._every)
            self._every.append(Generator(kind, expression, timed, mixed))
        return known

    def by_time(self, form: Form) -> dict[Product, Form]:
        """The form sorted by products of generators with time; what has none belongs to ()."""
        groups: dict[Product, Form] = {}
        for product, number in form.items():
            timed = tuple((k, e) for k, e in product if self._every[k].timed)
            rest = tuple((k, e) for k, e in product if not self._every[k].timed)
            groups.setdefault(timed, {})[rest] = number
        return groups

    def named(self, form: Form, work: Work) -> Form:
        """The form with one generator in the place of each long factor of a function of time.

        So a chain of bodies on a turntable stays short. Factors that differ by a number have the same
        generator: that is what squares of velocities need.
        """
        parts = []
        for timed, rest in self.by_time(form).items():
            factor = self._name(rest) if len(rest) > SHORT else rest
            parts.append(times({timed: (1, 0)}, factor, work))
        return plus(parts)

    def _name(self, form: Form) -> Form:
        """A factor as a number times one generator."""
        first, unit = unified(form)
        key = frozenset(unit.items())
        if key not in self._names:
            name = f"part{len(self._names)}"
            real, imaginary = self.expression(unit), self.expression(scaled(unit, 0, -1))
            pair = sympy.Tuple(Let(f"{name}_real", real), Let(f"{name}_imaginary", imaginary))
            self._names[key] = generator(self.number("complex", pair))
        return scaled(self._names[key], *first)

    def expression(self, form: Form) -> sympy.Expr:
        """The real part of a form; forms of real expressions are real."""
        terms = []
        for product, (a, b) in form.items():
            factor, angle = self.factor((k, e) for k, e in product if not self.is_complex(k))
            real, imaginary = sympy.cos(angle), sympy.sin(angle)
            for k, e in product:
                if self.is_complex(k):
                    x, y = self._every[k].expression
                    for _ in range(int(e)):
                        real, imaginary = real * x - imaginary * y, real * y + imaginary * x
            terms.append(factor * (in_sympy(a) * real - in_sympy(b) * imaginary))
        return sympy.Add(*terms)

    def factor(self, product: Iterable[tuple[int, Rational]]) -> tuple[sympy.Expr, sympy.Expr]:
        """A product without named parts as `factor * exp(i angle)`."""
        factors, angles = [], []
        for k, exponent in product:
            own, e = self._every[k], in_sympy(exponent)
            if own.kind.endswith("wave"):
                angles.append(e * own.expression)
            elif own.kind.endswith("growth"):
                factors.append(sympy.exp(e * own.expression))
            else:
                factors.append(own.expression**e)
        return sympy.Mul(*factors), sympy.Add(*angles)

    def is_complex(self, k: int) -> bool:
        """Whether a generator is a named part with real and imaginary part."""
        return self._every[k].kind == "complex"


def moves(expression: sympy.Basic) -> bool:
    """Whether an expression contains more than time and parameters."""
    return any(s != t and not isinstance(s, Parameter) for s in leaves([expression]))


def linear(expression: sympy.Expr) -> bool:
    """Whether an expression is linear in time, or has none in it."""
    return not contains_time(explicit_rate(expression))


def in_sympy(number: Rational) -> sympy.Rational:
    """The number as SymPy's."""
    return sympy.Rational(number.numerator, number.denominator)
