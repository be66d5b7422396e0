"""What an expression read from text may cost: sizes and values are known before SymPy computes.

SymPy works out powers of numbers at once, however long the result is. Everything here is estimated
with Python's floats from the parts of an expression, so that hostile text is refused in milliseconds.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import sympy

from routh.errors import DeclarationError
from routh.language.symbols import Let
from routh.language.walk import bottom_up, lets

MOST_NODES = 5_000
"""Numbers, names and operations in one expression, written out as a tree."""
MOST_CHAIN = 20
"""Functions and powers inside each other; SymPy looks through all of them for each new one."""
MOST_WORK = 8_000
"""Nodes that all derivatives in one text may have together."""
MOST_CONSTANT = 40
"""Nodes of an expression without names that is no plain number, like sqrt(2) + 1."""
MOST_DIGITS = 300
"""Digits of an exact number, and decimal orders of magnitude of any number."""
MOST_POWER = 64
"""The largest whole exponent of something that is no number."""

VALUES: dict[Any, Any] = {
    sympy.sin: math.sin, sympy.cos: math.cos, sympy.tan: math.tan,
    sympy.asin: math.asin, sympy.acos: math.acos, sympy.atan: math.atan, sympy.atan2: math.atan2,
    sympy.sinh: math.sinh, sympy.cosh: math.cosh, sympy.tanh: math.tanh,
    sympy.exp: math.exp, sympy.log: math.log, sympy.Abs: abs,
    sympy.sign: lambda x: float(x > 0) - float(x < 0),
    sympy.Max: max, sympy.Min: min,
}  # fmt: skip
"""The functions of the language with their values."""

_SLOPES = dict.fromkeys((sympy.Abs, sympy.sign, sympy.Max, sympy.Min, sympy.atan2), 20)
"""What the derivatives of these functions cost more than those of others."""


class Measure(NamedTuple):
    """How much an expression is: as a tree, as a number, when differentiated, and how deep.

    `depth` counts functions and powers inside each other.
    """

    size: int
    value: float | None
    digits: float
    slope: int
    depth: int


class Limits:
    """The measures of expressions and their parts, each computed once, and what is left of the work.

    Arguments:
        known: values to be assumed for symbols.
        inside: whether named intermediates count with what they stand for.
    """

    def __init__(
        self, known: Mapping[sympy.Basic, float] | None = None, *, inside: bool = False
    ) -> None:
        self._found = {
            x: Measure(1, value, len(f"{value:g}"), 1, 0) for x, value in (known or {}).items()
        }
        self._inside = inside
        self._work = 0

    def measure(self, expression: sympy.Basic) -> Measure:
        """The measure of an expression, part by part without recursion."""
        return bottom_up(expression, self._node, self._found, self._parts)

    def power(self, base: sympy.Expr, exponent: sympy.Expr) -> None:
        """Refuses base^exponent where it is no finite real number, or too long a one."""
        b, e = self.measure(base), self.measure(exponent)
        if b.value is None and exponent.is_Integer:
            _refuse_exponent(base, int(exponent) if e.digits < 20 else 10**20)
        if b.value is None and e.value is not None:
            _refuse_digits(b.digits * abs(e.value))
        if b.value is not None and e.value is not None:
            _number_power(b, e, exponent)

    def call(self, function: Any, arguments: list[sympy.Expr]) -> None:
        """Refuses a function of numbers that has no real value, or too large a one."""
        parts = [self.measure(argument) for argument in arguments]
        if all(part.value is not None for part in parts):
            _function_value(function, parts, arguments)

    def check(self, expression: Any) -> None:
        """Refuses what was made if it is infinite, not real, or too large."""
        for entry in expression if isinstance(expression, sympy.MatrixBase) else [expression]:
            if isinstance(entry, sympy.Number) and not entry.is_finite:
                raise DeclarationError("Expected a finite number. The result here is infinite.")
            if entry in (sympy.zoo, sympy.I, -sympy.I):
                raise DeclarationError("This has no finite real value. Write one that has.")
            found = self.measure(entry)
            if entry.is_Rational:
                _refuse_digits(found.digits)
            if found.value is not None and found.size > MOST_CONSTANT:
                raise DeclarationError(
                    f"Expected a number of at most {MOST_CONSTANT} operations. Write its decimals, or"
                    " give it as a parameter."
                )
            if found.depth > MOST_CHAIN:
                raise DeclarationError(
                    f"Expected at most {MOST_CHAIN} functions and powers inside each other. Give inner"
                    " ones names with `let`."
                )
            if found.size > MOST_NODES:
                raise DeclarationError(
                    f"Expected an expression of at most {MOST_NODES} numbers, names and operations."
                    " Give parts of it names with `let`."
                )

    def derive(self, expression: Any) -> None:
        """Counts the work of a derivative before it is made, and refuses too much of it."""
        for entry in expression if isinstance(expression, sympy.MatrixBase) else [expression]:
            self._work += self.measure(entry).slope
            if not self._inside:
                news = lets([entry], new=lambda each: not each.has_rate)
                self._work += sum(self.measure(each.expression).slope for each in news)
        if self._work > MOST_WORK:
            raise DeclarationError(
                "The derivatives here are too long to be written out. Give parts of the expression"
                " names with `let`, and differentiate less often."
            )

    def _parts(self, node: sympy.Basic) -> tuple[sympy.Basic, ...]:
        if isinstance(node, Let):
            return (node.expression,) if self._inside else ()
        return tuple(node.args)

    def _node(self, node: sympy.Basic, parts: list[Measure]) -> Measure:
        size = 1 + sum(part.size for part in parts)
        slopes = sum(part.slope for part in parts)
        value, digits = _value(node, parts)
        if isinstance(node, sympy.Symbol):
            slope = max(1, slopes)
        elif node.is_Add or value is not None:
            slope = slopes
        else:
            slope = slopes + size * (len(parts) if node.is_Mul else _SLOPES.get(node.func, 2))
        deep = max((part.depth for part in parts), default=0)
        deep += bool(parts) and not (node.is_Add or node.is_Mul)
        return Measure(size, value, digits, slope, deep)


def _value(node: Any, parts: list[Measure]) -> tuple[float | None, float]:
    """The value and the digits of a node from those of its parts."""
    if not parts:
        return _atom(node)
    values = [part.value for part in parts if part.value is not None]
    digits = sum(part.digits for part in parts)
    if len(values) < len(parts):
        return None, _symbolic_digits(node, parts, digits)
    if node.is_Add:
        return sum(values), digits
    if node.is_Mul:
        return math.prod(values), digits
    if node.is_Pow:
        return _number_power(parts[0], parts[1], node.exp)
    if node.func in VALUES:
        return _function_value(node.func, parts, list(node.args))
    return None, 0.0


def _symbolic_digits(node: Any, parts: list[Measure], digits: float) -> float:
    """Digits that a power would raise: those of a factor in front, nothing inside a sum."""
    if node.is_Mul or isinstance(node, Let):
        return digits
    if node.is_Pow and parts[1].value is not None:
        return parts[0].digits * abs(parts[1].value)
    return 0.0


def _atom(node: Any) -> tuple[float | None, float]:
    if node.is_Rational:
        bits = int(node.p).bit_length() + int(node.q).bit_length() - 1
        digits = bits * math.log10(2)
        return (float(node) if digits <= 2 * MOST_DIGITS else math.inf), digits
    if node.is_Float or node.is_NumberSymbol:
        return float(node), 0.0
    return None, 0.0


def _number_power(b: Measure, e: Measure, exponent: sympy.Expr) -> tuple[float, float]:
    """The value and the digits of a power of numbers."""
    base, power = b.value or 0.0, e.value or 0.0
    if base == 0 and power < 0:
        raise DeclarationError("This divides by zero. Expected a finite number.")
    if base < 0 and not power.is_integer():
        raise DeclarationError(
            "A root of a negative number is not real. Expected a real number; write"
            " -(8^(1/3)) for the real root of -8."
        )
    if not math.isfinite(power) or (base and abs(power * math.log10(abs(base))) > MOST_DIGITS):
        raise DeclarationError(_too_long())
    if exponent.has(sympy.log):
        raise DeclarationError(
            "A logarithm in the exponent of a number is not worked out. Write exp(...) instead."
        )
    digits = b.digits * max(1.0, abs(power)) if exponent.is_Rational else 0.0
    _refuse_digits(digits)
    return math.pow(base, power), digits


def _function_value(
    function: Any, parts: list[Measure], arguments: list[sympy.Expr]
) -> tuple[float, float]:
    """The value of a function of numbers, and the digits of exp(k*log(x)), which SymPy writes x^k."""
    try:
        value = float(VALUES[function](*(part.value for part in parts)))
    except OverflowError:
        raise DeclarationError(_too_long()) from None
    except ValueError:
        name = getattr(function, "__name__", str(function)).lower()
        raise DeclarationError(
            f"`{name}` has no real value at {parts[0].value:g}. Expected a number where it has one."
        ) from None
    if function is not sympy.exp:
        return value, 0.0
    if not 10.0**-MOST_DIGITS <= value <= 10.0**MOST_DIGITS:
        raise DeclarationError(_too_long())
    logs = arguments[0].atoms(sympy.log)
    digits = sum(Limits().measure(each.args[0]).digits for each in logs) * abs(parts[0].value or 0.0)
    least = min((abs(float(Limits().measure(each).value or 1.0)) for each in logs), default=1.0)
    _refuse_digits(digits / least if least else math.inf)
    return value, digits / least


def _refuse_exponent(base: sympy.Expr, exponent: int) -> None:
    inner = [f.exp for f in sympy.Mul.make_args(base) if f.is_Pow and f.exp.is_Integer]
    whole = max([abs(exponent), *(abs(int(each) * exponent) for each in inner)])
    if whole > MOST_POWER and abs(exponent) != 1:
        raise DeclarationError(
            f"Expected a whole exponent of at most {MOST_POWER} in size."
            + (f" Got {whole}." if whole < 10**20 else "")
        )


def _refuse_digits(digits: float) -> None:
    if digits > MOST_DIGITS + 1:
        raise DeclarationError(_too_long())


def _too_long() -> str:
    return (
        f"Expected numbers of at most {MOST_DIGITS} digits, between 1e-{MOST_DIGITS} and"
        f" 1e{MOST_DIGITS}. This one is longer. Write it as a parameter with a value and a unit."
    )
