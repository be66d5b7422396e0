"""How far a system can rest from its centre while friction holds it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

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
    held: System, values: Numbers, inputs: Numbers, loads: tuple[Input, ...], place: Any
) -> Reach:
    """The least and the largest of each coordinate over the piece around a place.

    The unknowns are coordinates, multipliers and the shares of the static forces, which are between -1
    and 1; the equations are those of rest.
    """
    engine = kernel(held)
    given, _ = conditions(held, values, {**inputs, **dict.fromkeys(loads, 0.0)}, guess=None)
    q = _position(held, values, place)
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

    start = _start(equations, np.concatenate([q, np.zeros(c + m)]), n)
    patch = Patch(
        equations,
        bounded=range(n + c, n + c + m),
        watched=range(n),
        start=start,
        scale=_scales(equations(start)[1], start, (n, c, m)),
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


def _position(held: System, values: Numbers, place: Any) -> Array:
    """The coordinates of a place, given as an array or by name."""
    if isinstance(place, np.ndarray):
        return place.astype(float)
    _, by = conditions(held, values, None, guess=place)
    return np.array([float(by["guess"].get(x, np.zeros(1))[0]) for x in held.coordinates])


def _start(equations: Any, y: Array, n: int) -> Array:
    """The multipliers and loads of least size that hold a place; the equations are linear in them."""
    g, J = equations(y)
    found: Array = np.asarray(np.linalg.lstsq(J[:, n:], -g, rcond=None)[0], dtype=float)
    return np.concatenate([y[:n], found])


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
