"""Names in solutions along spaces: wave numbers, constants of integration, their common denominator.

Wave numbers of one value have one name, and so have constants that differ by their sign alone: the two
arms of a T-structure are bent alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import sympy

from routh.language.fields import Field
from routh.language.symbols import Let, Signal
from routh.language.system import System
from routh.language.walk import lets
from routh.mechanics.fields.named_parts import free_name, taken_names

SHORT_CONSTANT = 8
"""Operations of a constant of integration up to which it is written out."""


class SolutionNames:
    """Names for what solutions are made of."""

    def __init__(self, system: System) -> None:
        self._taken = taken_names(system)
        self._constants: list[Let] = []
        self._denominators: dict[sympy.Expr, Let] = {}

    def waves(self, numbers: list[Let]) -> dict[sympy.Basic, sympy.Basic]:
        """A name for each value of the wave numbers: beta, or beta1, beta2 where there are several."""
        values = list(dict.fromkeys(let.expression for let in numbers))
        letter = free_name(self._taken, ("beta", "kappa", "mu"))
        names = [letter] if len(values) == 1 else [f"{letter}{k + 1}" for k in range(len(values))]
        self._taken |= set(names)
        made = {value: Let(name, value) for name, value in zip(names, values, strict=True)}
        return {let: made[let.expression] for let in numbers}

    def constants(self, values: Mapping[sympy.Symbol, sympy.Expr]) -> dict[sympy.Symbol, sympy.Expr]:
        """The constants of integration with names for those that are long."""
        short = {c: sympy.factor_terms(sympy.cancel(value)) for c, value in values.items()}
        for value in short.values():
            self._take_denominator(value)
        return {c: self._named(value) for c, value in short.items()}

    def _take_denominator(self, value: sympy.Expr) -> None:
        """A name for a denominator that is a sum of functions."""
        if sympy.count_ops(value) <= SHORT_CONSTANT:
            return
        for factor in sympy.Mul.make_args(sympy.fraction(value)[1]):
            known = factor in self._denominators
            if factor.is_Add and factor.has(sympy.Function) and not known:
                name = free_name(self._taken, ("Delta", "Delta1", "Delta2"))
                self._taken.add(name)
                self._denominators[factor] = Let(name, factor)

    def _named(self, value: sympy.Expr) -> sympy.Expr:
        if sympy.count_ops(value) <= SHORT_CONSTANT:
            return value
        above, below = sympy.fraction(value)
        whole = above / below.xreplace(self._denominators)
        for let in self._constants:
            for sign in (1, -1):
                if sympy.expand(let.expression - sign * whole) == 0:
                    return sign * let
        name = next(f"c{k}" for k in range(1, 1000) if f"c{k}" not in self._taken)
        self._taken.add(name)
        self._constants.append(Let(name, whole))
        return self._constants[-1]


def named_shapes(
    system: System,
    shapes: Mapping[Field, sympy.Expr],
    constants: Sequence[sympy.Symbol],
    values: Mapping[sympy.Symbol, sympy.Expr],
) -> dict[Signal, sympy.Expr]:
    """Shapes with their constants put in, and names for what is long in them."""
    names = SolutionNames(system)
    waves = names.waves(lets(shape.xreplace(dict(values)) for shape in shapes.values()))
    found = {x: value.xreplace(waves) for x, value in values.items()}
    own = names.constants({c: found[c] for c in constants})
    whole = {w: shape.xreplace(waves).xreplace({**found, **own}) for w, shape in shapes.items()}
    return {w: _sum_of(shape) for w, shape in whole.items()}


def _sum_of(shape: sympy.Expr) -> sympy.Expr:
    """The terms of a shape, each with its factors."""
    return sympy.Add(*(sympy.factor_terms(term) for term in sympy.Add.make_args(shape)))
