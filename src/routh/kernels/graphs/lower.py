"""From SymPy to CasADi: each distinct node of an expression graph becomes one CasADi node."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import reduce
from math import isfinite
from operator import add, mul
from typing import Any

import casadi
import sympy

from routh.errors import DerivationError, shortened
from routh.language.symbols import Let, Parameter

SX = Any
"""A CasADi expression; CasADi ships no types."""


def lower(
    expressions: Iterable[sympy.Expr],
    symbols: Mapping[sympy.Symbol, SX],
    constant: Callable[[sympy.Basic], SX] | None = None,
    integral: Callable[[sympy.Integral], SX] | None = None,
) -> list[SX]:
    """The expressions in CasADi, with every shared branch and named intermediate made once.

    `constant` makes the CasADi expression of a number, or of an expression of numbers alone, instead of
    rounding it to a double; `integral` makes that of an integral over a space.

    Raises:
        DerivationError: for a function that has no counterpart, naming it.
    """
    roots = list(expressions)
    made: dict[sympy.Basic, SX] = dict(symbols)
    for root in roots:
        _lower(root, made, constant, integral)
    return [made[root] for root in roots]


def _lower(
    root: sympy.Basic,
    made: dict[sympy.Basic, SX],
    exact: Callable[[sympy.Basic], SX] | None,
    integral: Callable[[sympy.Integral], SX] | None,
) -> None:
    """Depth first without recursion, so that long chains of intermediates are no problem."""
    stack = [root]
    while stack:
        node = stack[-1]
        if node in made:
            stack.pop()
            continue
        if exact is not None and node.is_number and isinstance(node, sympy.Expr):
            made[node] = exact(node)
            continue
        if integral is not None and isinstance(node, sympy.Integral):
            made[node] = integral(node)
            continue
        children = (node.expression,) if isinstance(node, Let) else node.args
        waiting = [child for child in children if child not in made]
        if waiting:
            stack.extend(waiting)
            continue
        if node.is_number and not node.args:
            made[node] = _number(node)
        else:
            made[node] = made[node.expression] if isinstance(node, Let) else _node(node, made)
        stack.pop()


def _node(node: sympy.Basic, made: dict[sympy.Basic, SX]) -> SX:
    """One node whose arguments are made already."""
    if node.is_Add:
        return _sum(node, made)
    if node.is_Mul:
        return _product(node, made)
    if node.is_Pow:
        return _power(node, made)
    rule = _RULES.get(node.func)
    if rule is None:
        names = sorted(_name(f) for f in _RULES if issubclass(f, sympy.Function))
        raise DerivationError(
            f"`{_name(node)}` in {shortened(node)} has no numerical counterpart. Supported:"
            f" {', '.join(names)}, and + - * / **."
        )
    return rule(*(made[argument] for argument in node.args))


def _sum(node: sympy.Basic, made: dict[sympy.Basic, SX]) -> SX:
    return reduce(add, (made[term] for term in node.args))


def _product(node: sympy.Basic, made: dict[Any, SX]) -> SX:
    """Constant factors are multiplied first and remembered: m*g is the same in every term."""
    constants, others = _split(node.args)
    if not constants:
        return reduce(mul, (made[factor] for factor in others))
    if constants not in made:
        made[constants] = reduce(mul, (made[factor] for factor in constants))
    factors = [made[factor] for factor in others]
    if constants == (sympy.S.NegativeOne,):
        return -reduce(mul, factors)
    return reduce(mul, factors, made[constants])


def _split(factors: tuple[sympy.Basic, ...]) -> tuple[tuple[sympy.Basic, ...], list[sympy.Basic]]:
    """Numbers and parameters, and the rest."""
    constants = tuple(f for f in factors if f.is_Number or isinstance(f, Parameter))
    return constants, [f for f in factors if not (f.is_Number or isinstance(f, Parameter))]


def _power(node: sympy.Basic, made: dict[sympy.Basic, SX]) -> SX:
    base, exponent = made[node.base], node.exp
    if exponent == 2:
        return base * base
    if exponent == -1:
        return 1 / base
    if exponent == sympy.Rational(1, 2):
        return casadi.sqrt(base)
    if exponent == sympy.Rational(-1, 2):
        return 1 / casadi.sqrt(base)
    if exponent.is_Integer and 2 < abs(int(exponent)) <= 16:
        result = reduce(mul, [base] * abs(int(exponent)))
        return result if exponent > 0 else 1 / result
    return casadi.power(base, made[exponent])


def _number(node: sympy.Basic) -> SX:
    value = complex(float(node)) if node.is_Float or node.is_Integer else complex(node)
    if value.imag or not isfinite(value.real):
        raise DerivationError(f"Expected a finite real number in the energies. Got {node}.")
    if not value.real and not node.is_zero:
        raise DerivationError(
            f"The number {node} is too small for a double. SymPy takes decimals out of exponentials,"
            " like exp(-1e6*(1 - cos(x))); whole numbers stay inside: exp(-10**6*(1 - cos(x)))."
        )
    return casadi.SX(value.real)


def _name(node: Any) -> str:
    function = node if isinstance(node, type) else node.func
    return str(getattr(function, "__name__", function))


def _piecewise(*branches: tuple[SX, SX]) -> SX:
    """The first branch whose condition holds; NaN where none does, as SymPy has it."""
    result = casadi.SX(float("nan"))
    for value, condition in reversed(branches):
        result = casadi.if_else(condition, value, result)
    return result


def _fold(operation: Callable[[SX, SX], SX]) -> Callable[..., SX]:
    return lambda *arguments: reduce(operation, arguments)


def _heaviside(x: SX, at_zero: SX = 0.5) -> SX:
    return casadi.if_else(x > 0, 1, casadi.if_else(x < 0, 0, at_zero))


def _sinc(x: SX) -> SX:
    """sin(x)/x, by its series near zero, where the quotient has no slopes."""
    y = x * x
    series = 1 - y / 6 * (1 - y / 20 * (1 - y / 42 * (1 - y / 72)))
    near = casadi.fabs(x) < 0.1
    return casadi.if_else(near, series, casadi.sin(x) / casadi.if_else(near, 1, x))


_RULES: dict[Any, Callable[..., Any]] = {
    sympy.sin: casadi.sin,
    sympy.cos: casadi.cos,
    sympy.tan: casadi.tan,
    sympy.cot: lambda x: 1 / casadi.tan(x),
    sympy.sec: lambda x: 1 / casadi.cos(x),
    sympy.csc: lambda x: 1 / casadi.sin(x),
    sympy.asin: casadi.asin,
    sympy.acos: casadi.acos,
    sympy.atan: casadi.atan,
    sympy.acot: lambda x: casadi.atan(1 / x),
    sympy.atan2: casadi.atan2,
    sympy.sinh: casadi.sinh,
    sympy.cosh: casadi.cosh,
    sympy.tanh: casadi.tanh,
    sympy.coth: lambda x: 1 / casadi.tanh(x),
    sympy.asinh: casadi.asinh,
    sympy.acosh: casadi.acosh,
    sympy.atanh: casadi.atanh,
    sympy.exp: casadi.exp,
    sympy.log: lambda x, base=None: casadi.log(x) if base is None else casadi.log(x) / casadi.log(base),
    sympy.sinc: _sinc,
    sympy.erf: casadi.erf,
    sympy.Abs: casadi.fabs,
    sympy.sign: casadi.sign,
    sympy.floor: casadi.floor,
    sympy.ceiling: casadi.ceil,
    sympy.Mod: lambda x, y: x - y * casadi.floor(x / y),
    sympy.Heaviside: _heaviside,
    sympy.Max: _fold(casadi.fmax),
    sympy.Min: _fold(casadi.fmin),
    sympy.Piecewise: _piecewise,
    sympy.functions.elementary.piecewise.ExprCondPair: lambda value, condition: (value, condition),
    sympy.Eq: lambda x, y: x == y,
    sympy.Ne: lambda x, y: x != y,
    sympy.Lt: lambda x, y: x < y,
    sympy.Le: lambda x, y: x <= y,
    sympy.Gt: lambda x, y: x > y,
    sympy.Ge: lambda x, y: x >= y,
    sympy.And: _fold(casadi.logic_and),
    sympy.Or: _fold(casadi.logic_or),
    sympy.Not: casadi.logic_not,
    type(sympy.true): lambda: casadi.SX(1),
    type(sympy.false): lambda: casadi.SX(0),
}
