"""Energies as they were written: with the names that stand in them, and what these stand for."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import sympy

from routh.display.report.formulas import equation
from routh.display.report.items import Equation
from routh.files.model import Model
from routh.language.calculus import ddt
from routh.language.latex_names import dotted, latex_name, parted
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
        own = _indexed(*parts[x]) if x in parts else latex_name(x.name.replace("'", ""))
        symbols[x] = Coordinate(x.name, dotted(own, int(rate)))
        if x.has_rate and isinstance(moved := x.rate(ddt), Let):
            symbols[moved] = Coordinate(moved.name, dotted(own, 1))
    norms = {}
    for name, r in vectors.items():
        moving = [x for x in r if isinstance(x, Let)]
        if all(x.has_rate for x in moving):
            rates = [x.rate(ddt) for x in moving]
            size = Coordinate(f"|{name}'|", rf"\left|{dotted(_bold(name), 1)}\right|")
            norms[sympy.Add(*(v**2 for v in rates))] = size**2
    return Written(symbols, norms)


def named_in_file(model: Model) -> dict[str, Any]:
    """What the model file gives names, in its order."""
    document = tomllib.loads(model.text)
    names = [*document.get("let", {}), *document.get("points", {})]
    return {name: model.names[name] for name in names if name in model.names}


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
    letter, index = parted(latex_name(name))
    if letter.startswith(r"\mathrm"):
        return letter.replace(r"\mathrm", r"\mathbf", 1) + index
    return rf"\boldsymbol{{{letter}}}{index}"


def _indexed(name: str, axis: str) -> str:
    """The name of a component."""
    letter, index = parted(latex_name(name))
    return f"{letter}{index.removesuffix('}')},{axis}}}" if index else f"{letter}_{{{axis}}}"
