"""What is known of signs: factors of a condition that are positive anyway are left out of it.

A parameter may be declared positive, and M is positive definite, so that its diagonal and its
determinant are positive, and what can be read off them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import sympy

from routh.lecture.linearized.implications import Implications

LONGEST = 300
"""Terms of a sum up to which it is looked at factor by factor."""


@dataclass(frozen=True)
class Condition:
    """An expression that must be positive, or with `relation` "!=" must not be zero."""

    expression: sympy.Expr
    relation: str = ">"

    @property
    def sides(self) -> tuple[sympy.Expr, sympy.Expr, str]:
        """Left side, right side and relation, as one writes it: terms with a minus on the right."""
        e = self.expression
        if self.relation != ">" or not e.is_Add:
            return (-e, sympy.S.Zero, "<") if _is_negative(e) else (e, sympy.S.Zero, self.relation)
        below = [term for term in e.args if _is_negative(term)]
        above = sympy.Add(*(term for term in e.args if term not in below))
        if above == 0:
            return -e, sympy.S.Zero, "<"
        return above, -sympy.Add(*below), ">"

    def is_met(self, numbers: Mapping[sympy.Symbol, float]) -> bool:
        """Whether it holds for numbers of all its symbols."""
        value = float(self.expression.xreplace(dict(numbers)))
        return value > 0 if self.relation == ">" else value != 0


@dataclass(frozen=True)
class Settled:
    """Conditions as far as signs are known.

    Attributes:
        open: what depends on the parameters.
        broken: one of the given expressions that cannot be positive, or None.
        sign: the sign of that one, -1 or 0; None where the others, being positive, make it so.
        unless_zero: whether it may be zero for some parameters, like -k^2.
        is_contradictory: whether those that are open cannot be met together.
    """

    open: tuple[Condition, ...]
    broken: sympy.Expr | None = None
    sign: int | None = 0
    unless_zero: bool = False
    is_contradictory: bool = False


class Signs:
    """Expressions that are known to be positive, or not to be zero."""

    def __init__(self) -> None:
        self._positive: set[sympy.Expr] = set()
        self._dummies: dict[sympy.Symbol, sympy.Dummy] = {}
        self._nonzero: set[sympy.Expr] = set()

    def learn(self, e: sympy.Expr) -> None:
        """Take an expression for positive, and a factor of it if it alone had an unknown sign."""
        sign, left, nonzero = self.split(e)
        self._positive.add(e)
        self._nonzero.update(nonzero)
        if left == 1:
            return
        one = _inverted(left) if len(sympy.Mul.make_args(left)) == 1 else left
        self._positive.add(sign * one)
        if one.is_Symbol and sign > 0:
            self._dummies[one] = sympy.Dummy(one.name, positive=True)

    def _copy(self) -> Signs:
        other = Signs()
        other._positive, other._nonzero = set(self._positive), set(self._nonzero)
        other._dummies = dict(self._dummies)
        return other

    def of(self, e: sympy.Expr) -> int:
        """1 or -1 where the sign is known, else 0."""
        if e in self._positive or e.xreplace(self._dummies).is_positive:
            return 1
        if -e in self._positive or e.xreplace(self._dummies).is_negative:
            return -1
        return 0

    def split(self, e: sympy.Expr) -> tuple[int, sympy.Expr, list[sympy.Expr]]:
        """A sign, the factors of unknown sign, and what must not be zero.

        It is positive exactly if the sign times the factors is, and the others are not zero.
        """
        sign, left = 1, sympy.S.One
        nonzero: list[sympy.Expr] = []
        if e == 0:
            return 0, left, nonzero
        if self.of(e):
            return self.of(e), left, nonzero
        for base, exponent in _factors(e):
            known = self.of(base)
            if exponent.is_odd:
                sign *= known or 1
                left *= 1 if known else base ** (1 if exponent > 0 else -1)
            elif not known and not base.is_nonzero and base not in self._nonzero:
                nonzero.append(base)
        if left != 1 and self.of(left):
            sign, left = sign * self.of(left), sympy.S.One
        return sign, left, nonzero

    def settled_apart(self, expressions: Iterable[sympy.Expr]) -> Settled:
        """The same, without taking them for positive afterwards."""
        return self._copy().settled(expressions)

    def settled(self, expressions: Iterable[sympy.Expr]) -> Settled:
        """What is left of the condition that all of these are positive.

        Each may be used for the next: a product with what must be positive anyway loses that factor.
        """
        found: dict[Condition, None] = {}
        before = self._copy()
        for e in expressions:
            sign, left, nonzero = self.split(e)
            if left == 1 and sign <= 0:
                alone, unknown, factors = before.split(e)
                return Settled(tuple(found), e, alone if unknown == 1 else None, bool(factors))
            found.update(dict.fromkeys(Condition(x, "!=") for x in nonzero))
            if left != 1:
                found[Condition(_signed(sign, _multiplied(left)))] = None
            self.learn(e)
        return before.compared(tuple(found))

    def compared(self, conditions: tuple[Condition, ...]) -> Settled:
        """Conditions without those that others imply, and whether they contradict each other."""
        above = [each.expression for each in conditions if each.relation == ">"]
        known = Implications([each.expression for each in conditions], self._is_positive)
        if known.contradict(above):
            return Settled(conditions, is_contradictory=True)
        kept = list(conditions)
        for each in conditions:
            others = [x.expression for x in kept if x.relation == ">" and x != each]
            if known.follows(each.expression, others):
                kept.remove(each)
        return Settled(tuple(kept))

    def _is_positive(self, symbol: sympy.Symbol) -> bool:
        return bool(symbol.is_positive) or symbol in self._dummies


def _factors(e: sympy.Expr) -> Iterator[tuple[sympy.Expr, sympy.Expr]]:
    """Bases and exponents; a root counts as a power that cannot be negative."""
    short = len(sympy.Add.make_args(e)) <= LONGEST
    for factor in sympy.Mul.make_args(sympy.factor(e) if short else e):
        base, exponent = factor.as_base_exp()
        if exponent.is_integer:
            yield base, exponent
        elif exponent.is_Rational and exponent.q % 2 == 0:
            yield base, sympy.Integer(2)
        else:
            yield factor, sympy.S.One


def _inverted(e: sympy.Expr) -> sympy.Expr:
    base, exponent = e.as_base_exp()
    return base if exponent == -1 else e


MULTIPLIED = 3
"""Terms up to which a product of sums is multiplied out: R^2 omega^4 > g^2."""


def _multiplied(e: sympy.Expr) -> sympy.Expr:
    """A product of sums, multiplied out where that is short."""
    if sum(factor.is_Add for factor in sympy.Mul.make_args(e)) < 2:
        return e
    whole = sympy.expand(e)
    return whole if len(sympy.Add.make_args(whole)) <= MULTIPLIED else e


def _signed(sign: int, e: sympy.Expr) -> sympy.Expr:
    """The sign multiplied into a sum."""
    return sympy.expand_mul(-e) if sign < 0 and e.is_Add else sign * e


def _is_negative(term: sympy.Expr) -> bool:
    """Whether a term is written with a minus."""
    return bool(term.as_coeff_Mul()[0].is_negative)
