"""Where energies and forces go to infinity: the expressions whose zeros are poles.

A body on one side of a pole does not get to the other one, however the equations balance there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import sympy

from routh.kernels.graphs.graph import Graph
from routh.kernels.graphs.lower import SX
from routh.language.derivation import domain, integrand, running
from routh.language.fields import Field
from routh.language.symbols import Coordinate, Let
from routh.language.walk import leaves, nodes, unfold

_INVERSE = {
    sympy.tan: sympy.cos,
    sympy.sec: sympy.cos,
    sympy.cot: sympy.sin,
    sympy.csc: sympy.sin,
    sympy.coth: sympy.sinh,
}
"""Functions with poles, and what vanishes there."""


def poles(graph: Graph) -> list[SX]:
    """Columns of what vanishes at the poles of energies, forces and constraints."""
    system = graph.system
    parts = (system.kinetic, system.lagrangian, system.potential, system.dissipation)
    written = [e for part in (*parts, system.constraints) for e in part]
    written += [e for force in system.forces if force.space is None for e in force.components]
    columns = [graph.lowered(list(dict.fromkeys(_vanishing(written))))]
    if graph.fields is not None:
        integrals = [n for n in nodes(written) if isinstance(n, sympy.Integral) and not running(n)]
        densities = [(integrand(node), domain(node)[0]) for node in integrals]
        densities += [(e, f.space) for f in system.forces if f.space is not None for e in f.components]
        for density, space in densities:
            inside = [b for b in _vanishing([unfold(density)]) if not b.has(sympy.Integral)]
            columns += [graph.fields.along(base, space).T for base in dict.fromkeys(inside)]
    return [column for column in columns if column.numel()]


def _vanishing(expressions: Iterable[sympy.Expr]) -> Iterator[sympy.Expr]:
    """What moves with the coordinates and is divided by, or is the argument of a logarithm."""
    for node in nodes(expressions, into_integrals=False):
        for base in _bases(node):
            for factor in _factors(base):
                moving = (s for s in leaves([factor]) if isinstance(s, (Coordinate, Field)))
                if not any(s.order == 0 for s in moving) or _one_sided(factor):
                    continue
                yield factor


def _one_sided(factor: sympy.Expr) -> bool:
    """Whether it never changes its sign, like squares of distances."""
    return bool(factor.is_nonnegative or factor.is_nonpositive)


def _bases(node: sympy.Basic) -> Iterator[sympy.Expr]:
    if isinstance(node, sympy.Pow) and node.exp.is_negative:
        yield node.base
    elif isinstance(node, sympy.log):
        yield node.args[0]
    elif node.func in _INVERSE:
        yield _INVERSE[node.func](node.args[0])


def _factors(base: sympy.Expr) -> Iterator[sympy.Expr]:
    """The factors of a product, without powers and signs, which hide a zero that is passed."""
    stack = [base]
    while stack:
        factor = stack.pop()
        if isinstance(factor, Let):
            stack.append(factor.expression)
        elif isinstance(factor, (sympy.Mul, sympy.Abs)):
            stack.extend(factor.args)
        elif isinstance(factor, sympy.Pow):
            stack.append(factor.base)
        else:
            yield factor
