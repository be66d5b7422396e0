"""Damped Newton's method: of 1, 1/2, 1/4, ... of a step the longest that lowers the residual.

`shortened` finds it for many points at once; `newton` and the sparse search for a rest judge what comes
of it. `damped` is the whole method on one system of equations, which need not be arrays of slopes: the
linear solve is an argument.

Other ideas have loops of their own: whole steps whatever they do (`leaps`), steps held back by a region
of trust (`onto`), numbers with more digits than doubles (`contraction`, `analysis/rest/absorbed`), and
steps inside of compiled functions (`kernels/moving/momentum_rates`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from routh.arrays import Array, Mask, Selected

Equations = Callable[[Array, Selected], Array]

Sides = Callable[[Array, Array, Selected], Mask]
"""Of two stacks of places, whether each two of them are kept apart."""

HALVINGS = 30
"""Shares of a step that are tried: the last one is a billionth."""

Slopes = TypeVar("Slopes")


def shortened(
    equations: Equations,
    x: Array,
    residual: Array,
    step: Array,
    weight: Array,
    index: Selected,
    *,
    whole: Mask | None = None,
    crosses: Sides | None = None,
    halvings: int = HALVINGS,
) -> tuple[Array, Array, Array]:
    """For each of k points the factor by which the residual fell (1: it did not), and where it is now.

    Arguments:
        equations: of x of shape (k, n) and the indices of these k points, gives residuals (k, m).
        x: (k, n).
        residual: (k, m) at x.
        step: (k, n).
        weight: (k, m) by which rows are compared, so that forces and torques count alike.
        index: (k,) the numbers of these points.
        whole: (k,) where the residual is small already: only the whole step is tried, as less of it
            would gain nothing.
        crosses: of x, other x (k, n) and the indices, (k,) whether no step may lead from one to the
            other.
        halvings: how many shares are tried.

    Returns:
        (k,) factors, (k, n) places and (k, m) residuals.
    """
    size = np.linalg.norm(weight * residual, axis=1)
    gain = np.ones(len(x))
    x, residual = x.copy(), residual.copy()
    waiting = np.flatnonzero((size > 0) & (np.abs(step) > 0).any(axis=1))
    fraction = 1.0
    for _ in range(halvings):
        if not len(waiting):
            break
        trial = x[waiting] + fraction * step[waiting]
        there = equations(trial, index[waiting])
        with np.errstate(invalid="ignore", over="ignore"):
            ratio = np.linalg.norm(weight[waiting] * there, axis=1) / size[waiting]
        better = ratio < 1
        if crosses is not None:
            better[better] = ~crosses(x[waiting[better]], trial[better], index[waiting[better]])
        hit = waiting[better]
        x[hit], residual[hit], gain[hit] = trial[better], there[better], ratio[better]
        waiting = waiting[~better] if whole is None else waiting[~better & ~whole[waiting]]
        fraction /= 2
    return gain, x, residual


@dataclass(frozen=True, eq=False)
class Descent(Generic[Slopes]):
    """Where damped Newton's method ended: x (n,), residual (m,) and slopes there, and `held`."""

    x: Array
    residual: Array
    slopes: Slopes
    held: bool
    """Whether the equations hold, as far as the caller asked for."""


def damped(
    look: Callable[[Array], tuple[Array, Slopes]],
    solve: Callable[[Slopes, Array], Array | None],
    x: Array,
    *,
    holds: Callable[[Array, Array], bool],
    most: int,
    halvings: int = HALVINGS,
) -> Descent[Slopes]:
    """A root of one system of equations from a guess, by steps that are halved until they help.

    It ends where the equations hold, where no share of a step lowers the residual, where the solve
    gives no step, or after so many steps; a residual that is not finite ends it at the guess, and keeps
    a step from leading there. The residual is measured by its length as it is given.

    Arguments:
        look: of x (n,), gives the residual (m,) and the slopes there: whatever `solve` takes.
        solve: of slopes and a residual r gives the (n,) s with slopes s = r, as the caller means it;
            None where there is none. The step is -s.
        x: (n,) the guess.
        holds: of x and its residual, whether it is a root.
        most: how many steps it may take.
        halvings: how many shares of a step are tried; with 1 only the whole one.

    Example:
        >>> found = damped(
        ...     lambda x: (np.arctan(x), np.diag(1 / (1 + x**2))), np.linalg.solve, np.array([10.0]),
        ...     holds=lambda x, residual: bool(abs(residual[0]) < 1e-15), most=50,
        ... )
        >>> found.held, bool(abs(found.x[0]) < 1e-15)
        (True, True)
    """
    residual, slopes = look(x)
    latest, one = slopes, np.zeros(1, dtype=np.intp)

    def equations(trial: Array, _index: Selected) -> Array:
        nonlocal latest
        there, latest = look(trial[0])
        return there[None]

    for _ in range(most):
        if not np.isfinite(residual).all() or holds(x, residual):
            break
        step = solve(slopes, residual)
        if step is None:
            break
        gain, places, residuals = shortened(
            equations, x[None], residual[None], -step[None], np.ones((1, len(residual))), one,
            halvings=halvings,
        )  # fmt: skip
        if gain[0] == 1:
            break
        x, residual, slopes = places[0], residuals[0], latest  # what helped is what was looked at last
    return Descent(x, residual, slopes, bool(np.isfinite(residual).all() and holds(x, residual)))
