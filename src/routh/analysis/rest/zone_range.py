"""How far a system can rest from its centre while friction holds it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from routh.analysis.given.conditions import conditions
from routh.analysis.given.numbers import Numbers
from routh.arrays import Array
from routh.kernels.kernel import kernel
from routh.kernels.loaded_rest import LoadedRest
from routh.language.symbols import Input
from routh.language.system import System
from routh.mechanics.turns import turns
from routh.numerics.patch import Patch


@dataclass(frozen=True)
class Reach:
    """(n,) each: the ends of the ranges; and whether every walk came to its end."""

    low: Array
    high: Array
    complete: bool


def zone_range(
    held: System,
    values: Numbers,
    inputs: Numbers,
    loads: tuple[Input, ...],
    start: tuple[Array, Array, Array],
) -> Reach:
    """The least and the largest of each coordinate over the piece around a place.

    The start is a position with the multipliers and shares that hold it.

    The unknowns are coordinates, multipliers and the shares of the static forces, which are between -1
    and 1; the equations are those of rest.
    """
    engine = kernel(held)
    given, _ = conditions(held, values, {**inputs, **dict.fromkeys(loads, 0.0)}, guess=None)
    q = start[0]
    point = given.point(engine, q[None], np.zeros((1, len(held.constraints))))
    columns = [engine.signals.index(u) for u in loads]
    n, c, m = len(q), len(held.constraints), len(loads)
    rest = LoadedRest(held, columns)

    def equations(y: Array) -> tuple[Array, Array]:
        u = point.u.copy()
        u[0, columns] = y[n + c :]
        at = replace(point, q=y[None, :n], multipliers=y[None, n : n + c], u=u)
        g, J = rest(at)
        return g[0], J[0]

    begun = np.concatenate(start)
    patch = Patch(
        equations,
        bounded=range(n + c, n + c + m),
        watched=range(n),
        start=begun,
        scale=_scales(equations(begun)[1], begun, (n, c, m)),
        periods=_periods(held),
    )
    with np.errstate(all="ignore"):
        patch.explore()
    return Reach(patch.low + 0.0, patch.high + 0.0, not patch.unfinished)


def _periods(held: System) -> Array:
    """(n,) after which a single coordinate repeats. Of several, a walk round one may end elsewhere."""
    if len(held.coordinates) > 1:
        return np.full(len(held.coordinates), np.inf)
    return np.array([np.inf if k is None else 2 * np.pi * k for k in turns(held)])


def _scales(J: Array, start: Array, sizes: tuple[int, int, int]) -> Array:
    """Lengths of the unknowns: how far full loads move them, as the equations are at the start."""
    n, c, m = sizes
    with np.errstate(all="ignore"):
        moved = np.abs(np.linalg.pinv(J[:, : n + c], rcond=1e-10) @ J[:, n + c :]).sum(axis=1)
    size = np.where(moved > 0, moved, np.maximum(np.abs(start[: n + c]), 1.0))
    own = np.ones(n + c + m)
    own[: n + c] = np.where(np.isfinite(size), size, 1.0)
    own[:n] = np.maximum(own[:n], 1e-3 * own[:n].max(initial=0))
    return own
