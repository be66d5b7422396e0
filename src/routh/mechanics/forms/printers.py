"""Sums and products in the order in which people write them, as plain text and as LaTeX.

In a sum inertia comes first, by coordinates, then products of velocities, then what depends on
position, then forces and multipliers; the first with a plus, if there is one. In a product sums of
parameters come first, then masses and stiffnesses, gravity and lengths: `m*g*l*sin(theta)`,
`(m1 + m2)*l1**2*theta1''`.
"""

from __future__ import annotations

import re
from typing import Any

import sympy
from sympy.printing.latex import LatexPrinter
from sympy.printing.str import StrPrinter

from routh.language.fields import Field
from routh.language.latex_names import latex_name
from routh.language.symbols import Atom, Coordinate, Parameter, new_symbol, t
from routh.language.walk import leaves
from routh.mechanics.forms.term_kinds import INERTIA, VELOCITY, kind_of

Rank = tuple[Any, ...]

HEAVY = ("m", "M", "J", "I", "rho", "mu", "EI", "EA", "GJ", "E", "k", "c", "d", "K")
"""How names of masses, inertias, stiffnesses and dampings begin."""

GRAVITY = ("g",)


_WORD = r"\\(?:mathrm|text|mathit)\{[^{}]{2,}\}"
_SCRIPTS = r"(?:[_^]\{(?:[^{}]|\{[^{}]*\})*\})*"
_BEFORE_WORD = re.compile(r"(?<=[\w})]) (?=" + _WORD + ")")
_BEHIND_WORD = re.compile(rf"({_WORD}{_SCRIPTS}) (?=\w|\\(?!right)[A-Za-z])")


class _Shown(Atom):
    """A parameter or time as it is printed: its name is what it is sorted by."""

    __slots__ = ("own",)

    def __str__(self) -> str:
        return str(self.name)

    def _sympystr(self, _printer: Any) -> str:
        return str(self.own.name)

    def _latex(self, printer: Any) -> str:
        return str(printer._print(self.own))


class _Sum(Atom):
    """A sum that stands before the other factors."""

    __slots__ = ("inside",)
    _rank = -1

    def _sympystr(self, printer: Any) -> str:
        return f"({printer._print(self.inside)})"

    def _latex(self, printer: Any) -> str:
        return str(printer._print(self.inside))


class _Ordered:
    """What both printers do about order."""

    def _as_ordered_terms(self, expression: sympy.Add, order: str | None = None) -> list[sympy.Expr]:
        terms = list(super()._as_ordered_terms(expression, order=order))  # type: ignore[misc]
        ranked = sorted(terms, key=_rank)  # stable: of equals the order of SymPy
        plus = next((term for term in ranked if not term.could_extract_minus_sign()), None)
        if plus is not None and ranked[0].could_extract_minus_sign():
            ranked.remove(plus)
            ranked.insert(0, plus)
        return ranked

    def _print_Mul(self, expression: sympy.Mul) -> str:
        factors = list(expression.args)
        if sum(not factor.is_Number for factor in factors) > 1:
            factors = [_in_front(factor) if _is_of_parameters(factor) else factor for factor in factors]
        return str(super()._print_Mul(expression.func(*factors)))  # type: ignore[misc]


class Text(_Ordered, StrPrinter):  # type: ignore[misc]
    """Plain text; `E` and `I` are letters of people, not numbers."""

    def _print_Exp1(self, _number: sympy.Expr) -> str:
        return "exp(1)"

    def _print_ImaginaryUnit(self, _number: sympy.Expr) -> str:
        return "sqrt(-1)"


class Latex(_Ordered, LatexPrinter):  # type: ignore[misc]
    """LaTeX; numbers that are called by a letter are upright."""

    def _print_Mul(self, expression: sympy.Mul) -> str:
        """Factors beside each other, with a thin space about words."""
        written = _BEFORE_WORD.sub(r" \\, ", super()._print_Mul(expression))
        return _BEHIND_WORD.sub(r"\g<1> \\, ", written)

    def _needs_mul_brackets(self, factor: sympy.Expr, first: bool = False, last: bool = False) -> bool:
        return isinstance(factor, _Sum) or bool(super()._needs_mul_brackets(factor, first, last))

    def _print_Symbol(self, symbol: sympy.Symbol) -> str:
        return latex_name(symbol.name)

    def _print_AppliedUndef(self, function: sympy.Expr, exp: str | None = None) -> str:
        inside = ", ".join(map(self._print, function.args))
        power = f"^{{{exp}}}" if exp else ""
        return rf"{latex_name(function.func.__name__)}{power}{{\left({inside} \right)}}"

    def _print(self, expression: sympy.Basic, **more: Any) -> str:
        if expression is sympy.E or expression is sympy.I:
            return r"\mathrm{e}" if expression is sympy.E else r"\mathrm{i}"
        return str(super()._print(expression, **more))

    def _print_Heaviside(self, function: sympy.Expr, exp: str | None = None) -> str:
        """In SymPy a theta, which is an angle here."""
        power = f"^{{{exp}}}" if exp else ""
        inside = self._print(function.args[0])
        return rf"\operatorname{{Heaviside}}{power}{{\left({inside} \right)}}"

    def _print_ExpBase(self, function: sympy.Expr, exp: str | None = None) -> str:
        whole = rf"\mathrm{{e}}^{{{self._print(function.args[0])}}}"
        return rf"\left({whole}\right)^{{{exp}}}" if exp else whole


def ready(expression: Any) -> Any:
    """An expression or a matrix with its parameters, and time, sorted as people sort them."""
    symbols = expression.atoms(sympy.Symbol)
    own = {s: _sorted(s) for s in symbols if isinstance(s, Parameter) or s == t}
    return expression.xreplace(own) if own else expression


def _sorted(symbol: sympy.Symbol) -> _Shown:
    letters = re.split(r"[\d_]", symbol.name)[0]
    kind = 3 if symbol == t else 0 if letters in HEAVY else 1 if letters in GRAVITY else 2
    counted = re.sub(r"\d+", lambda found: found[0].zfill(6), symbol.name)  # m2 before m10
    made = new_symbol(_Shown, f"{kind} {counted} {symbol.name}")  # m1 and m01 count the same
    made.own = symbol
    return made


def _rank(term: sympy.Expr) -> Rank:
    """Where a term of a sum belongs."""
    used = leaves([term])
    kind = kind_of(used)
    if kind == INERTIA:
        fast = (s for s in used if isinstance(s, (Coordinate, Field)) and s.order >= 2)
        return kind, min(s.serial for s in fast)
    if kind == VELOCITY:
        return kind, -sum(_degree(factor) for factor in sympy.Mul.make_args(term))
    return kind, int(not used)  # numbers come last of what stands still


def _degree(factor: sympy.Expr) -> int:
    """How many velocities a factor has, counted with its power; at most one of a sum."""
    base, exponent = factor.as_base_exp()
    moving = any(isinstance(s, (Coordinate, Field)) and s.order == 1 for s in leaves([base]))
    return (int(exponent) if exponent.is_Integer and exponent > 0 else 1) if moving else 0


def _is_of_parameters(factor: sympy.Expr) -> bool:
    used = leaves([factor])
    return bool(factor.is_Add and used and all(isinstance(s, _Shown) and s.own != t for s in used))


def _in_front(factor: sympy.Add) -> _Sum:
    made = new_symbol(_Sum, str(factor))
    made._latex_name = None
    made.inside = factor
    return made
