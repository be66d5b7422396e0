"""Functions that are not given, like EI(s): their slopes, their values at ends, and how these look.

They are SymPy's: `EI = sympy.Function("EI")`. A slope at an end is `Subs(Derivative(EI(s), s), s, L)`,
so that a formula put in the place of EI, by `e.replace(EI, lambda s: 1 - s).doit()`, reaches it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sympy
from sympy.core.function import AppliedUndef

from routh.language.fields import Space
from routh.language.latex_names import latex_name
from routh.language.symbols import Atom, new_symbol


class _Starred(Atom):
    """A reference while it is printed: behind parameters, before what moves."""

    __slots__ = ()
    _rank = 2


def put(value: Any, table: Mapping[Any, Any]) -> Any:
    """An expression or a matrix with values in the place of symbols.

    Slopes of unknown functions are taken before: there is no derivative with respect to a value.
    """
    steep: dict[Any, Any] = {
        node: sympy.Subs(node.args[0], node.variables, [put(x, table) for x in node.point])
        for node in value.atoms(sympy.Subs)
    }
    for node in value.atoms(sympy.Derivative):
        own = [x for x in table if node.has(x)]
        if own:
            steep[node] = sympy.Subs(node, own, [table[x] for x in own])
    return value.xreplace({**table, **steep})


def is_slope(node: sympy.Basic) -> bool:
    """Whether a node is the slope of an unknown function along a space."""
    if not isinstance(node, sympy.Derivative) or not isinstance(node.expr, AppliedUndef):
        return False
    return all(isinstance(x, Space) for x in node.variables)


def shown(value: Any) -> Any:
    """An expression or a matrix for printing: EI_s(L) for a slope along a space, V'(0) for another.

    A shape with a star, as references have it, is written (w*), since w*(s) would be a product.
    """
    found = {node: _shown(node) for node in value.atoms(sympy.Derivative, sympy.Subs)}
    found |= {node: _starred(node) for node in value.atoms(AppliedUndef)}
    known = {node: symbol for node, symbol in found.items() if symbol is not None}
    return value.xreplace(known) if known else value


def _starred(node: AppliedUndef) -> Atom | None:
    """A symbol that stands for the value of a reference while it is printed."""
    name = node.func.__name__
    if not name.endswith("*") or len(node.args) != 1:
        return None
    return _symbol(name, "", "", node.args[0])


def _shown(node: sympy.Basic) -> Atom | None:
    """A symbol that stands for a slope while it is printed."""
    slope, place = node, None
    if isinstance(node, sympy.Subs) and len(node.variables) == 1:
        slope, place = node.args[0], node.point[0]
    if not isinstance(slope, sympy.Derivative) or not isinstance(slope.expr, AppliedUndef):
        return None
    if slope.expr.args != slope.variables[:1] or len(set(slope.variables)) > 1:
        return None
    variable, order = slope.variables[0], len(slope.variables)
    where = variable if place is None else place
    mark = f"_{variable.name * order}" if isinstance(variable, Space) else "'" * order
    primes = "'" * order if order < 4 else f"^{{({order})}}"
    return _symbol(slope.expr.func.__name__, mark, primes, where)


def _symbol(name: str, mark: str, primes: str, where: sympy.Expr) -> Atom:
    """The value or slope of a function at a place; that of a reference along its body without it."""
    bare = name.removesuffix("*")
    place, starred = f"({where})", name != bare
    if starred and isinstance(where, Space):
        place = ""
    shown = f"({name}){mark}{place}" if starred else f"{name}{mark}{place}"
    made: Atom = new_symbol(_Starred if starred else Atom, shown)
    letter = latex_name(bare)
    written = f"{{{letter}}}^{{*}}" if starred else letter
    if starred and primes:
        written = f"{{{written}}}"
    made._latex_name = f"{written}{primes}" + (f"({sympy.latex(where)})" if place else "")
    return made
