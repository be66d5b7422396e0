"""Expressions as text, in the grammar that `routh.files.text.parse` reads."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import sympy

from routh.errors import DeclarationError, shortened
from routh.language.calculus import expression as as_expression
from routh.language.contact.reaction_symbol import Reaction
from routh.language.derivation import domain, integrand
from routh.language.fields import Field, Space

_SUM, _PRODUCT, _POWER, _ATOM = range(4)
_NAMES = {
    sympy.sin: "sin", sympy.cos: "cos", sympy.tan: "tan",
    sympy.asin: "asin", sympy.acos: "acos", sympy.atan: "atan", sympy.atan2: "atan2",
    sympy.sinh: "sinh", sympy.cosh: "cosh", sympy.tanh: "tanh",
    sympy.exp: "exp", sympy.log: "log", sympy.Abs: "abs", sympy.sign: "sign",
    sympy.Max: "max", sympy.Min: "min",
}  # fmt: skip
_Written = tuple[str, int]
"""Text, and how tightly it holds together."""


def write(expression: Any) -> str:
    """The expression or vector as text; read back with the same names it has the same value.

    Named intermediates are written by their name, rates with primes, derivatives along a space and
    values at its ends as diff(w, s) and at(w, s, end).

    >>> from routh import coordinate, parameters, vector
    >>> theta, (m, l) = coordinate("theta"), parameters("m l")
    >>> write(m * l**2 / 2 * theta.rate**2)
    "l^2*m*theta'^2/2"
    >>> write(vector(sympy.sin(theta), -1))
    '[sin(theta), -1]'
    """
    if isinstance(expression, sympy.MatrixBase):
        if 1 not in expression.shape:
            raise DeclarationError(
                f"A vector can be written as text. Got a {expression.rows} x {expression.cols} matrix."
            )
        return f"[{', '.join(_text(entry) for entry in expression)}]"
    return _text(as_expression(expression, "What is written"))


def _text(node: Any, least: int = _SUM) -> str:
    """The text of a node, in parentheses if it holds together less than asked for."""
    text, level = _written(node)
    return text if level >= least else f"({text})"


def _written(node: Any) -> _Written:
    if node.is_Add:
        return _sum(node), _SUM
    if node.is_Mul:
        return _product(node)
    if node.is_Pow:
        return _power(node.base, node.exp)
    if node.is_Number:
        return _number(node)
    if isinstance(node, Reaction):
        return f"reaction({_text(node.constraint)})", _ATOM
    if node.is_Symbol:
        return (_field(node) if isinstance(node, Field) else node.name), _ATOM
    if node is sympy.pi or node is sympy.E:
        return ("pi" if node is sympy.pi else "exp(1)"), _ATOM
    if isinstance(node, sympy.Integral):
        return _integral(node)
    if node.func in _NAMES:
        return f"{_NAMES[node.func]}({', '.join(_text(each) for each in node.args)})", _ATOM
    raise DeclarationError(
        f"`{shortened(node)}` cannot be written as text. Expected + - * / ^, integrals and the"
        f" functions {', '.join(_NAMES.values())}."
    )


def _sum(node: Any) -> str:
    text = ""
    for term in node.as_ordered_terms():
        part = _text(term)
        if not text:
            text = part
        else:
            text += f" - {part[1:]}" if part.startswith("-") else f" + {part}"
    return text


def _product(node: Any) -> _Written:
    coefficient, rest = node.as_coeff_Mul()
    above: list[str] = []
    below: list[str] = []
    for factor in rest.as_ordered_factors() if rest.is_Mul else [rest]:
        base, exponent = factor.as_base_exp() if factor.is_Pow else (factor, sympy.S.One)
        if exponent.is_Rational and exponent < 0:
            below.append(_raised(base, -exponent))
        else:
            above.append(_text(factor, _POWER))
    sign = "-" if coefficient.is_negative else ""
    number = abs(coefficient)
    if number.is_Rational and not number.is_Integer:
        below.insert(0, str(number.q))
        number = sympy.Integer(number.p)
    if sign and above[:1] and above[0].startswith("("):
        # The minus sign of a parenthesis would be carried into it.
        above.insert(0, "1")
    if number != 1 or not above:
        above.insert(0, _text(number))
    return sign + _quotient(above, below), _SUM if sign else _PRODUCT


def _quotient(above: list[str], below: list[str]) -> str:
    if not below:
        return "*".join(above)
    under = below[0] if len(below) == 1 else f"({'*'.join(below)})"
    return f"{'*'.join(above)}/{under}"


def _power(base: Any, exponent: Any) -> _Written:
    if exponent.is_Rational and exponent < 0:
        return f"1/{_raised(base, -exponent)}", _PRODUCT
    return _raised(base, exponent), _POWER


def _raised(base: Any, exponent: Any) -> str:
    if exponent == sympy.Rational(1, 2):
        return f"sqrt({_text(base)})"
    below = _text(base, _ATOM)
    if exponent == 1:
        return below if base.is_Symbol else _text(base, _POWER)
    return f"{below}^{_text(exponent, _ATOM)}"


def _number(node: Any) -> _Written:
    if not node.is_finite:
        raise DeclarationError(f"Expected finite numbers in an expression. Got {node}.")
    text = repr(float(node)) if node.is_Float else str(node)
    if text.startswith("-"):
        return text, _SUM
    return text, _ATOM if node.is_Integer or node.is_Float else _PRODUCT


def _field(w: Field) -> str:
    text = w.label + "'" * w.order
    if w.slope:
        text = f"diff({text}, {w.space}{f', {w.slope}' if w.slope > 1 else ''})"
    return text if w.end is None else f"at({text}, {w.space}, {_text(w.space.bounds[w.end])})"


def _integral(node: Any) -> _Written:
    """An integral; one from where it is read to the end is a whole one less a running one."""
    space, *ends = domain(node)
    text = _text(integrand(node))
    if isinstance(space, Space):
        whole, upto = f"integral({text}, {space})", f"integral({text}, {space}, upto={space})"
        written: Iterable[tuple[tuple[Any, Any], _Written]] = (
            (space.bounds, (whole, _ATOM)),
            ((space.bounds[0], space), (upto, _ATOM)),
            ((space, space.bounds[1]), (f"{whole} - {upto}", _SUM)),
        )
        for limits, answer in written:
            if tuple(ends) == limits:
                return answer
    raise DeclarationError(
        f"`{shortened(node)}` cannot be written as text. Expected an integral over a whole space, or a"
        " running one."
    )
