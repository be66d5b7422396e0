"""Least squares of residuals with known slopes: Levenberg's and Marquardt's method between bounds.

Steps minimize |r + J s|^2 + lambda |D s|^2, D being the largest sizes that the columns of J have had
(More, 1978: steps then do not depend on the units of the unknowns); lambda falls with the share of
the expected decrease that came true (Nielsen, 1999). Unknowns that a bound holds stay there as long
as the slope points out of it. Where columns of J depend on each other the step is the shortest one, so
that what the residuals do not see stays where it was.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from routh.arrays import Array, Mask
from routh.errors import Status

Evaluation = tuple[Array, Array]
"""Residuals (N,) and their slopes (N, k)."""

MOST = 200
"""Evaluations before giving up."""

FIRST = 1e-3
"""Lambda at the beginning, where columns of J have unit length."""

LARGEST = 1e12
"""Lambda beyond which steps are too short to change anything."""

NEAR = 1e-13
"""Share of the sum of squares that a step is said to win, below which there is nothing left."""

FLAT = 1e-6
"""The same where no step wins anything at all: the sum of squares is no smoother than that."""

UNSEEN = 1e-7
"""Share of the largest singular value of J, its columns of unit length, below which all is error."""

NOTHING = 1e-9
"""Share of the effect of the unknown that is seen best, below which one is not seen."""


@dataclass(frozen=True)
class Minimum:
    """Where the search ended: unknowns (k,), residuals, slopes, and which unknowns a bound holds."""

    x: Array
    r: Array
    J: Array
    held: Mask
    status: Status
    evaluations: int


def least_squares(
    evaluate: Callable[[Array], Evaluation | None],
    x: Array,
    low: Array,
    high: Array,
    *,
    noise: float = 0.0,
    damping: float = FIRST,
    most: int = MOST,
) -> Minimum:
    """A place near x where the sum of squares of residuals is least, between bounds.

    Arguments:
        evaluate: residuals and slopes, or None where there are none; there are some at x.
        x: (k,) where to begin, within the bounds.
        low: (k,) lower bounds, which may be infinite.
        high: (k,) upper ones.
        noise: a sum of squares that is nothing but errors of `evaluate`.
        damping: lambda at the beginning; less where x is near already.
        most: how often to evaluate.
    """
    found = evaluate(x)
    assert found is not None
    r, J = found
    count, growth = 1, 2.0
    sizes = _lengths(J)
    while True:
        held = _held(x, J.T @ r, low, high)
        sizes = np.maximum(sizes, _lengths(J))
        fixed = held | ~_seen(x, sizes)
        whole = _step(r, J, sizes, fixed, 0.0)
        promise = _decrease(r, J, whole)
        if promise <= NEAR * (r @ r) + noise:
            return Minimum(x, r, J, held, Status.CONVERGED, count)
        if count >= most:
            return Minimum(x, r, J, held, Status.TOO_MANY_STEPS, count)
        step = np.clip(x + _step(r, J, sizes, fixed, damping), low, high) - x
        won = _decrease(r, J, step)
        trial = evaluate(x + step) if step.any() and won > 0 else None
        count += 1
        share = -1.0 if trial is None else float(r @ r - trial[0] @ trial[0]) / won
        if trial is not None and share > 1e-4:
            x, (r, J) = x + step, trial
            damping *= max(1 / 10, 1 - float(2 * share - 1) ** 3)
            growth = 2.0
        else:
            damping, growth = damping * growth, 2 * growth
            if damping > LARGEST:
                flat = promise <= FLAT * (r @ r) + noise
                status = Status.CONVERGED if flat else Status.STALLED
                return Minimum(x, r, J, held, status, count)


def _held(x: Array, slope: Array, low: Array, high: Array) -> NDArray[Any]:
    """Which unknowns are at a bound beyond which the sum of squares would fall."""
    return ((x <= low) & (slope > 0)) | ((x >= high) & (slope < 0))


def _seen(x: Array, sizes: Array) -> NDArray[Any]:
    """Which unknowns the residuals see at all: others have slopes that are nothing but rounding.

    A change of all of one is held against the one that is seen best.
    """
    effects = sizes * np.where(x == 0, 1.0, np.abs(x))
    return np.asarray(effects > NOTHING * effects.max(initial=0.0))


def _lengths(J: Array) -> Array:
    return np.asarray(np.linalg.norm(J, axis=0))


def _step(r: Array, J: Array, sizes: Array, fixed: Mask, damping: float) -> Array:
    """The damped step of the unknowns that may move, the shortest where there are several."""
    free = ~fixed
    step = np.zeros(J.shape[1])
    if not free.any():
        return step
    own = J[:, free] / sizes[free]
    rows = np.vstack([own, np.sqrt(damping) * np.eye(own.shape[1])]) if damping else own
    right = np.concatenate([-r, np.zeros(len(rows) - len(r))])
    step[free] = np.linalg.lstsq(rows, right, rcond=UNSEEN)[0] / sizes[free]
    return step


def _decrease(r: Array, J: Array, step: Array) -> float:
    """By how much a step lets the sum of squares of the linear residuals fall."""
    change = J @ step
    return float(-(2 * r + change) @ change)
