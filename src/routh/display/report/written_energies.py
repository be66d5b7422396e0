"""Energies as they were written: with the names that stand in them, and what these stand for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import sympy

from routh.display.report.formulas import equation
from routh.display.report.items import Equation
from routh.language.calculus import ddt
from routh.language.symbols import Coordinate, Let
from routh.language.walk import lets
from routh.mechanics.forms.printing import latex

AXES = "xyz"
"""The components of a vector, in its index."""


@dataclass(frozen=True)
class Written:
    """Symbols in the place of names, so that vectors and rates are set as people write them.

    Attributes:
        symbols: for each named intermediate, and each rate of one, the symbol it is shown as.
        norms: the square of a vector of rates, and what it is shown as.
    """

    symbols: dict[sympy.Basic, Coordinate]
    norms: dict[sympy.Basic, sympy.Basic]

    def __call__(self, expression: Any) -> Any:
        """An expression with these symbols in it."""
        shown = expression.xreplace(self.norms)
        return shown.xreplace(self.symbols)


def written(names: Mapping[str, Any], expressions: list[sympy.Expr]) -> Written:
    """How the names in some expressions are shown; `names` are those of a model file."""
    vectors = {name: r for name, r in names.items() if _is_named_vector(r)}
    parts = {
        x: (name, AXES[i] if i < len(AXES) else str(i + 1))
        for name, r in vectors.items()
        for i, x in enumerate(r)
        if isinstance(x, Let)
    }
    used = lets(expressions)
    every = dict.fromkeys([*used, *parts, *(x for x in names.values() if isinstance(x, Let))])
    symbols: dict[sympy.Basic, Coordinate] = {}
    for x in every:
        rate = x.name.endswith("'")
        own = _indexed(*parts[x]) if x in parts else latex(sympy.Symbol(x.name.replace("'", "")))
        symbols[x] = Coordinate(x.name, _dotted(own) if rate else own)
        if x.has_rate and isinstance(moved := x.rate(ddt), Let):
            symbols[moved] = Coordinate(moved.name, _dotted(own))
    norms = {}
    for name, r in vectors.items():
        moving = [x for x in r if isinstance(x, Let)]
        if all(x.has_rate for x in moving):
            rates = [x.rate(ddt) for x in moving]
            size = Coordinate(f"|{name}'|", rf"\left|{_dotted(_bold(name))}\right|")
            norms[sympy.Add(*(v**2 for v in rates))] = size**2
    return Written(symbols, norms)


def definitions(
    names: Mapping[str, Any], shown: Written, expressions: list[sympy.Expr]
) -> list[Equation]:
    """What the names stand for: vectors of a model file as vectors, other intermediates one by one."""
    found = []
    inside = set()
    for name, r in names.items():
        if _is_named_vector(r):
            entries = r"\\".join(latex(shown(x.expression if isinstance(x, Let) else x)) for x in r)
            found.append(Equation(rf"{_bold(name)} = \begin{{bmatrix}} {entries} \end{{bmatrix}}"))
            inside |= {*r}
    others = [x for x in lets(expressions) if x not in inside and not x.name.endswith("'")]
    return found + [equation(shown(x.expression), head=latex(shown(x))) for x in others]


def _is_named_vector(r: Any) -> bool:
    if not isinstance(r, sympy.MatrixBase) or r.cols != 1:
        return False
    named = [isinstance(x, Let) for x in r]
    return any(named) and all(own or x.is_number for own, x in zip(named, r, strict=True))


def _bold(name: str) -> str:
    """The name of a vector."""
    letter, index = _parted(name)
    bold = "mathbf" if _is_word(letter) else "boldsymbol"
    return rf"\{bold}{{{letter}}}" + (f"_{{{index}}}" if index else "")


def _indexed(name: str, axis: str) -> str:
    """The name of a component."""
    letter, index = _parted(name)
    upright = rf"\mathrm{{{letter}}}" if _is_word(letter) else letter
    return f"{upright}_{{{index},{axis}}}" if index else f"{upright}_{{{axis}}}"


def _parted(name: str) -> tuple[str, str]:
    """The letter of a name, and its index."""
    letter, _, index = latex(sympy.Symbol(name)).partition("_")
    return letter, index.removeprefix("{").removesuffix("}")


def _is_word(letter: str) -> bool:
    return len(letter) > 1 and letter.isalpha()


def _dotted(own: str) -> str:
    """The rate: a dot over the letter, not over its index."""
    letter, *index = own.split("_", 1)
    return rf"\dot{{{letter}}}" + (f"_{index[0]}" if index else "")
