"""The equations of a system in ball arithmetic: every result encloses the exact one.

The same graphs as everywhere, but no number of the model is rounded: those that doubles cannot hold
become arguments, given as balls, so that CasADi has nothing inexact to fold. The instructions of the
graph are then carried out by Arb (python-flint). Values of parameters are the doubles they are.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import cached_property, reduce
from typing import Any

import casadi
import sympy
from flint import arb, fmpq

from routh.errors import DerivationError, OutsideError
from routh.kernels.balance import Balance
from routh.kernels.graph import Graph
from routh.kernels.lower import SX
from routh.kernels.variation import second_variation
from routh.language.system import System

Ball = Any
"""An `arb`; python-flint ships no types."""

SHORT = 2**20
"""Whole numbers and halves up to this size are exact in all that CasADi does with them."""

LONGEST = 26
"""Bits that a constant of a graph may have: longer ones may have been rounded when folded."""


class ExactSystem:
    """The balance and the second variation of a system about a rest or a steady motion.

    Velocities are zero as arguments: put into the graph, they would let CasADi fold constants.
    """

    def __init__(self, system: System) -> None:
        self._numbers: dict[sympy.Basic, SX] = {}
        self._graph = Graph(system, self._constant)
        self._balance = Balance(self._graph, at_rest=False)

    def _constant(self, number: sympy.Basic) -> SX:
        """Short whole numbers and halves as they are, others as arguments."""
        if number.is_Rational and number.q in (1, 2) and abs(number.p) <= SHORT:
            return casadi.SX(float(number))
        if number not in self._numbers:
            _ball(number)
            self._numbers[number] = casadi.SX.sym(f"c{len(self._numbers)}")
        return self._numbers[number]

    def _program(self, outputs: Sequence[SX]) -> Program:
        constants = casadi.vertcat(*self._numbers.values()) if self._numbers else casadi.SX(0, 1)
        return Program(self._graph.function("exact", outputs, [constants]))

    @cached_property
    def _residual(self) -> Program:
        return self._program([self._balance.column])

    @cached_property
    def _both(self) -> Program:
        column = self._balance.column
        return self._program([column, casadi.jacobian(column, self._graph.q)])

    @cached_property
    def _matrices(self) -> Program:
        return self._program(second_variation(self._graph, at_rest=False))

    @cached_property
    def _constants(self) -> list[Ball]:
        return [_ball(number) for number in self._numbers]

    def _arguments(self, q: list[Ball], given: ExactPoint) -> list[list[Ball]]:
        zero = [arb(0)] * len(q)
        return [[arb(0)], q, given.v, zero, given.p, given.u, [], self._constants]

    def balance(self, q: list[Ball], given: ExactPoint) -> list[Ball]:
        """The equations of rest over a box of positions."""
        return [row[0] for row in self._residual(self._arguments(q, given))[0]]

    def slopes(self, q: list[Ball], given: ExactPoint) -> list[list[Ball]]:
        """Their derivatives by the coordinates over a box."""
        return self._both(self._arguments(q, given))[1]

    def matrices(self, q: list[Ball], given: ExactPoint) -> list[list[list[Ball]]]:
        """M, C and K over a box."""
        return self._matrices(self._arguments(q, given))


class ExactPoint:
    """Parameters, inputs and velocities as balls: the doubles they were given as."""

    def __init__(self, p: Sequence[float], u: Sequence[float], v: Sequence[float]) -> None:
        self.p, self.u, self.v = ([arb(float(x)) for x in xs] for xs in (p, u, v))


class Program:
    """The instructions of a CasADi function, carried out on balls."""

    def __init__(self, function: Any) -> None:
        self._width = function.sz_w()
        self._shapes = [function.sparsity_out(k) for k in range(function.n_out())]
        self._places = [list(zip(s.row(), s.get_col(), strict=True)) for s in self._shapes]
        self._steps = [_step(function, k) for k in range(function.n_instructions())]

    def __call__(self, arguments: Sequence[Sequence[Ball]]) -> list[list[list[Ball]]]:
        """Each output as rows of balls."""
        zero = arb(0)
        results = [[[zero] * s.size2() for _ in range(s.size1())] for s in self._shapes]
        work: list[Ball] = [zero] * (self._width + 1)
        for kind, rule, i, o in self._steps:
            if kind == 1:
                work[o] = rule(work[i[0]])
            elif kind == 2:
                work[o] = rule(work[i[0]], work[i[1]])
            elif kind == 0:
                work[o] = arguments[i[0]][i[1]]
            elif kind == 3:
                work[o] = rule
            else:
                row, column = self._places[o[0]][o[1]]
                results[o[0]][row][column] = work[i[0]]
        return results


def _step(function: Any, k: int) -> tuple[int, Any, Any, Any]:
    """Kind (0 argument, 1 and 2 operands, 3 constant, 4 result), rule, places in and out."""
    code = function.instruction_id(k)
    i, o = function.instruction_input(k), function.instruction_output(k)
    if code == casadi.OP_INPUT:
        return 0, None, i, o[0]
    if code == casadi.OP_OUTPUT:
        return 4, None, i, o
    if code == casadi.OP_CONST:
        return 3, _short(function.instruction_constant(k)), i, o[0]
    if code not in _RULES:
        raise DerivationError(
            "A proof works with smooth functions: + - * / **, roots, trigonometric and hyperbolic"
            " functions and their inverses, exp, log, erf. The equations contain another, like Abs,"
            " Max or Piecewise."
        )
    return len(i), _RULES[code], i, o[0]


def _short(value: float) -> Ball:
    """A constant of the graph that cannot have been rounded: it has few digits."""
    numerator, _ = value.as_integer_ratio()
    if abs(numerator).bit_length() > LONGEST:
        raise DerivationError(
            f"No proof: the constant {value!r} of the equations may have been rounded. Write it as a"
            " parameter."
        )
    return arb(value)


def _ball(number: sympy.Basic) -> Ball:
    """A number of the model, or an expression of numbers alone, as a ball."""
    if number.is_Rational:
        return arb(fmpq(int(number.p), int(number.q)))
    if number.is_Float:
        exact = sympy.Rational(number)
        return arb(fmpq(int(exact.p), int(exact.q)))
    if number in _CONSTANTS:
        return _CONSTANTS[number]()
    if number.is_Add or number.is_Mul:
        parts = [_ball(part) for part in number.args]
        return reduce(operator.add if number.is_Add else operator.mul, parts)
    if number.is_Pow:
        if number.exp == sympy.S.Half:
            return _ball(number.base).sqrt()
        return _power(_ball(number.base), _ball(number.exp))
    if number.func in _FUNCTIONS:
        return getattr(arb, _FUNCTIONS[number.func])(*(_ball(part) for part in number.args))
    raise DerivationError(f"No proof: the number {number} of the model has no enclosure.")


_CONSTANTS: dict[sympy.Basic, Callable[[], Ball]] = {
    sympy.pi: arb.pi, sympy.E: arb.const_e, sympy.EulerGamma: arb.const_euler
}  # fmt: skip

_FUNCTIONS = {
    getattr(sympy, name): name
    for name in (
        "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh",
        "atanh", "exp", "log", "erf",
    )
}  # fmt: skip


def _atan2(y: Ball, x: Ball) -> Ball:
    """Not finite where the values jump."""
    return arb.nan() if y.contains(0) and not x > 0 else arb.atan2(y, x)


def _square(x: Ball) -> Ball:
    """Never negative, also around zero, where Arb's own power gives up."""
    top: Ball = x.abs_upper()
    return arb(0).union(top * top) if x.contains(0) else x * x


def _whole_power(x: Ball, n: int) -> Ball:
    if n < 0:
        return 1 / _whole_power(x, -n)
    if n < 2:
        return x if n else arb(1)
    return x * _whole_power(x, n - 1) if n % 2 else _square(_whole_power(x, n // 2))


def _power(base: Ball, exponent: Ball) -> Ball:
    if exponent.is_exact() and exponent.is_integer():
        return _whole_power(base, int(exponent.unique_fmpz()))
    return base**exponent


def _root(x: Ball) -> Ball:
    if x < 0:
        raise OutsideError
    return x.sqrt()


def _logarithm(x: Ball) -> Ball:
    if x <= 0:
        raise OutsideError
    return x.log()


def _method(name: str) -> Callable[[Ball], Ball]:
    function: Callable[[Ball], Ball] = getattr(arb, name)
    return function


_RULES: dict[int, Callable[..., Ball]] = {
    casadi.OP_ASSIGN: lambda x: x,
    casadi.OP_ADD: lambda x, y: x + y,
    casadi.OP_SUB: lambda x, y: x - y,
    casadi.OP_MUL: lambda x, y: x * y,
    casadi.OP_DIV: lambda x, y: x / y,
    casadi.OP_NEG: lambda x: -x,
    casadi.OP_SQ: _square,
    casadi.OP_TWICE: lambda x: 2 * x,
    casadi.OP_INV: lambda x: 1 / x,
    casadi.OP_POW: _power,
    casadi.OP_CONSTPOW: _power,
    casadi.OP_ATAN2: _atan2,
    casadi.OP_SQRT: _root,
    casadi.OP_LOG: _logarithm,
    **{
        code: _method(name)
        for code, name in {
            casadi.OP_SIN: "sin",
            casadi.OP_COS: "cos",
            casadi.OP_TAN: "tan",
            casadi.OP_ASIN: "asin",
            casadi.OP_ACOS: "acos",
            casadi.OP_ATAN: "atan",
            casadi.OP_SINH: "sinh",
            casadi.OP_COSH: "cosh",
            casadi.OP_TANH: "tanh",
            casadi.OP_ASINH: "asinh",
            casadi.OP_ACOSH: "acosh",
            casadi.OP_ATANH: "atanh",
            casadi.OP_EXP: "exp",
            casadi.OP_EXPM1: "expm1",
            casadi.OP_LOG1P: "log1p",
            casadi.OP_ERF: "erf",
        }.items()
    },
}
