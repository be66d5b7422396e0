"""How far a system can rest from its centre while friction holds it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import sympy

from routh.analysis.given.conditions import conditions
from routh.analysis.given.numbers import Numbers
from routh.arrays import Array
from routh.errors import DerivationError
from routh.kernels.kernel import kernel
from routh.kernels.loaded_rest import LoadedRest
from routh.language.symbols import Input
from routh.language.system import System
from routh.mechanics.turns import turns
from routh.numerics.patch import Patch

LOST = 1e-9
"""Share of the largest normal force by which one may be negative: rounding."""


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
    pressing: Sequence[sympy.Expr],
) -> Reach:
    """The least and the largest of each coordinate over the piece around a place.

    The start is a position with the multipliers and shares that hold it; `pressing` are the normal
    forces that must not become negative on the way.

    The unknowns are coordinates, multipliers and the shares of the static forces, which are between -1
    and 1; the equations are those of rest.

    Raises:
        DerivationError: a normal force changes its sign within the bounds of the shares.
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
    if pressing:
        seen = patch.points
        own = given.chosen(np.zeros(len(seen), dtype=int))
        found = engine.values(list(pressing), own.point(engine, seen[:, :n], seen[:, n : n + c]))
        if (np.asarray(found) < -LOST * np.abs(found).max()).any():
            raise DerivationError(
                f"What presses the contacts of {held.title} changes its sign where friction would hold"
                " it still, so that a contact is lost there. The ranges of such a set are not found;"
                " simulate(system, values, start, times) tells whether it rests at a start."
            )
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
    for kind in (slice(0, n), slice(n, n + c)):
        own[kind] = np.maximum(own[kind], 1e-3 * own[kind].max(initial=0))
    return own
