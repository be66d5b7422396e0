"""Kinks of discretized bodies: densities made of pieces, looked at place by place.

At a place of a space a density is a function of the fields and slopes there, so the gate of any other
expression serves. Where branches meet along a stretch, its derivatives are missing as those of the
density are. At a single place where a field passes a switch, the integral smooths a kink by one degree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

import numpy as np
import sympy
from numpy.typing import NDArray

from routh.analysis.pieces.rough import is_rough
from routh.arrays import Array
from routh.kernels.engine import Kernel, Point
from routh.kernels.kernel import kernel
from routh.kernels.sampling import samples
from routh.language.declaring import coordinate
from routh.language.domains import space_of
from routh.language.fields import Field, Space
from routh.language.symbols import Parameter, Signal, t
from routh.language.system import System
from routh.language.walk import leaves, nodes, unfold

Gate = Callable[[Kernel, Point, int, sympy.Expr, bool], NDArray[np.bool_]]
"""Where an expression lacks derivatives up to an order, at points or between neighbouring ones."""


def densities(system: System) -> Iterator[tuple[sympy.Expr, int]]:
    """What is integrated along spaces, with the degree that it adds to the order of the equations."""
    for name, several in system.parts().items():
        for e in several:
            whole = unfold(e)
            for part in _parts(whole):
                if space_of([part]) is not None and _moves(part):
                    yield part, 0 if name == "forces" else 1


def _parts(e: sympy.Expr) -> list[sympy.Expr]:
    """The expression itself, and what stands under integrals in it."""
    inside = [x.function for x in e.atoms(sympy.Integral)]
    return [e, *(part for each in inside for part in _parts(each))]


def _moves(e: sympy.Expr) -> bool:
    """Whether fields or coordinates decide on the sides of a function made of pieces."""
    rough = [node for node in nodes([e], into_integrals=False) if is_rough(node)]
    return any(isinstance(s, Signal) for node in rough for s in leaves(_deciding(node)))


def _deciding(node: sympy.Basic) -> list[sympy.Basic]:
    """What sides follow from: of a Piecewise its conditions, as branches are nodes of their own."""
    if isinstance(node, sympy.Piecewise):
        return [condition for _, condition in node.args]
    return [node]


def space_kinks(
    engine: Kernel,
    given: Sequence[tuple[sympy.Expr, int]],
    point: Point,
    order: int,
    gate: Gate,
) -> NDArray[np.bool_]:
    """(N,) where densities lack the derivatives that equations of an order are made of."""
    found = np.zeros(len(point.q), dtype=bool)
    for density, more in given:
        local, symbols, mapped = _local(density)
        space = space_of([density])
        assert space is not None
        values = [_along(engine, s, space, point) for s in symbols]
        places = max(each.shape[1] for each in values)
        stack = np.stack([np.broadcast_to(x, (len(found), places)) for x in values], axis=2)
        for k, rows in enumerate(stack):
            at = _point(engine, local, point, k, rows)
            fully = gate(local, at, order + more, mapped, False)
            found[k] |= bool((fully[1:] & fully[:-1]).any())  # along a stretch
            if more:
                found[k] |= bool(gate(local, at, order + more - 1, mapped, False).any())
                found[k] |= bool(gate(local, at, order + more - 1, mapped, True).any())
    return found


@lru_cache(maxsize=32)
def _local(density: sympy.Expr) -> tuple[Kernel, list[sympy.Symbol], sympy.Expr]:
    """A system whose coordinates are what a density contains, and the density in these."""
    inside = sorted(leaves([density]), key=str)
    symbols = [s for s in inside if s != t and not isinstance(s, Parameter)]
    names = [coordinate(f"x{k}") for k in range(len(symbols))]
    parameters = [s for s in inside if isinstance(s, Parameter)]
    linear = sympy.Add(*(p * names[0] for p in parameters))
    made = System(kinetic=sympy.Add(*(q.rate**2 for q in names)) / 2, potential=linear)
    return kernel(made), symbols, density.xreplace(dict(zip(symbols, names, strict=True)))


def _along(engine: Kernel, symbol: sympy.Symbol, space: Space, point: Point) -> Array:
    """(N, places) the values of a symbol along a space, or (N, 1) if it does not vary."""
    varies = isinstance(symbol, Space) or (isinstance(symbol, Field) and symbol.end is None)
    if varies:
        return samples(engine.system).values([symbol], space, point)[:, 0]
    return engine.values([symbol], point)


def _point(engine: Kernel, local: Kernel, point: Point, k: int, rows: Array) -> Point:
    """The places of one point of a batch as a stack for the local system."""
    order = [engine.system.parameters.index(p) for p in local.system.parameters]
    count = len(rows)
    none = np.zeros((count, 0))
    still = np.zeros_like(rows)
    p = np.repeat(point.p[k : k + 1, order], count, axis=0)
    return Point(np.repeat(point.t[k : k + 1], count, axis=0), rows, still, still, p, none, none)
