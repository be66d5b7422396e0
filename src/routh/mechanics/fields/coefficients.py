"""What multiplies fields in densities and varies along the space: stiffness, mass, load by place."""

from __future__ import annotations

from functools import lru_cache

import sympy
from sympy.functions.elementary.piecewise import ExprCondPair

from routh.language.derivation import domain, integrand
from routh.language.fields import Field, Space
from routh.language.symbols import Parameter
from routh.language.system import System
from routh.language.walk import unfold

SWITCHES = (sympy.Abs, sympy.sign, sympy.Heaviside)
"""Functions with a kink or a jump where their argument is zero."""


@lru_cache(maxsize=64)
def coefficients(
    system: System, space: Space, moving: frozenset[Parameter] = frozenset()
) -> tuple[sympy.Expr, ...]:
    """The largest parts of the densities over a space that vary along it and contain no field of it.

    Polynomials in the place are left out, and so are factors that do not vary. Parts with symbols that
    have no number (time, inputs, coordinates, parameters that move) are taken apart into factors and
    terms, as they may be of any size.
    """
    found: dict[sympy.Expr, None] = {}
    for density in _densities(system, space):
        _gather(density, space, found)
    whole = [part for each in found for part in _known(each, space, moving)]
    return tuple(dict.fromkeys(each for each in whole if not each.is_polynomial(space)))


def _densities(system: System, space: Space) -> list[sympy.Basic]:
    """What is integrated over the space, and what forces along it are made of."""
    written = [unfold(e) for part in system.parts().values() for e in part]
    found = [e for f in system.forces if f.space == space for e in (*f.components, *f.at)]
    stack: list[sympy.Basic] = list(written)
    densities: dict[sympy.Basic, None] = {unfold(e): None for e in found}
    while stack:
        node = stack.pop()
        if isinstance(node, sympy.Integral):
            inner = integrand(node)
            if domain(node)[0] == space:
                densities[inner] = None
            stack.append(inner)
        else:
            stack.extend(node.args)
    return list(densities)


def _varies(node: sympy.Basic, space: sympy.Symbol) -> bool:
    """Whether a node depends on the place other than through fields and integrals."""
    if isinstance(node, sympy.Integral):
        return False
    return node == space or any(_varies(part, space) for part in node.args)


def _is_free(node: sympy.Basic, space: Space) -> bool:
    """Whether a node contains no field along the space, and no integral."""
    if isinstance(node, sympy.Integral):
        return False
    if isinstance(node, Field):
        return node.space != space or node.end is not None
    return all(_is_free(part, space) for part in node.args)


def _gather(node: sympy.Basic, space: Space, found: dict[sympy.Expr, None]) -> None:
    if not _varies(node, space):
        return
    if isinstance(node, (sympy.Add, sympy.Mul)):
        own = [part for part in node.args if _is_free(part, space)]
        others = [part for part in node.args if part not in own]
        if any(_varies(part, space) for part in own):
            found[node.func(*own)] = None
    elif _is_free(node, space) and isinstance(node, sympy.Expr):
        found[node] = None
        return
    elif _is_free(node, space) and not isinstance(node, ExprCondPair):
        found[sympy.Piecewise((1, node), (0, True))] = None
        return
    else:
        others = list(node.args)
    for part in others:
        _gather(part, space, found)


def _known(value: sympy.Expr, space: Space, moving: frozenset[Parameter]) -> list[sympy.Expr]:
    """The part itself, if all in it have numbers, else what it is made of."""
    if not _varies(value, space):
        return []
    if value.is_Mul and not all(_varies(part, space) for part in value.args):
        return _known(sympy.Mul(*(x for x in value.args if _varies(x, space))), space, moving)
    has_number = (
        s == space or (isinstance(s, Parameter) and s not in moving) for s in value.atoms(sympy.Symbol)
    )
    if all(has_number):
        return [value]
    if value.is_Add or value.is_Mul:
        return [part for each in value.args for part in _known(each, space, moving)]
    if value.is_Pow and value.exp.is_Integer and value.exp > 0:
        return _known(value.base, space, moving)
    return [value]


def switches(value: sympy.Basic, space: sympy.Symbol) -> tuple[list[sympy.Expr], list[sympy.Expr]]:
    """What changes its sign where an expression has kinks and jumps along the space (or in time), and
    what of which whole numbers are such places.
    """
    signs: dict[sympy.Expr, None] = {}
    wholes: dict[sympy.Expr, None] = {}
    for node in sympy.preorder_traversal(value):
        if isinstance(node, SWITCHES):
            signs[node.args[0]] = None
        elif isinstance(node, (sympy.Max, sympy.Min)):
            args = node.args
            signs.update(dict.fromkeys(a - b for k, a in enumerate(args) for b in args[:k]))
        elif isinstance(node, sympy.core.relational.Relational):
            signs[node.lhs - node.rhs] = None
        elif isinstance(node, (sympy.floor, sympy.ceiling)):
            wholes[node.args[0]] = None
        elif isinstance(node, sympy.Mod):
            wholes[node.args[0] / node.args[1]] = None
        elif isinstance(node, sympy.atan2):
            signs.update(dict.fromkeys(node.args))
    return [e for e in signs if _varies(e, space)], [e for e in wholes if _varies(e, space)]
