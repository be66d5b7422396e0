"""Damped Newton's method on a whole batch of small systems of equations at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from routh.arrays import Array, Selected
from routh.errors import Status
from routh.numerics.solving.damping import HALVINGS, Equations, Sides, shortened
from routh.numerics.solving.settled import (
    ACCURATE,
    LEFT_OVER,
    NOTHING,
    RELATIVE,
    product,
    settled,
    share,
)
from routh.numerics.solving.tangents import FLAT, Tangents
from routh.numerics.solving.vanished import at_zero

Work = Callable[[Array, Selected], Array]
Along = Callable[[Array, int, Array, Array], tuple[Array, Array]]

ENOUGH = 0.1
"""While a step lowers a residual that is small already to this share, another step pays."""

SMALL_MOVE = 1e-3
"""Share of the given units of x that counts as the least size of x."""

POLISHED = 1e-11
"""A next step that changes forces by less than this share needs no polishing."""

POLISH = 8
"""Steps with one tangent that regain digits: each gains as many as the tangent has."""

CRAWLING = 8
"""Steps in a row that gain a fixed factor only, which happens at multiple roots."""

SHRUNK = 0.5
"""What is left of the length of a step after these, up to multiplicity 12. Where there is no root, as
with exp(x), steps keep their length or grow."""

SHORTEST = 1e-12
"""Share of how far x has been below which steps that gain little may be rounding, too."""

SLIGHT = 1e-8
"""Steps shorter than this share of x, units taken out, that gain little may be rounding."""

SHORT = 1e-6
"""Share of the reach below which such steps count as having arrived."""

ROUNDED = 10.0
"""Times its bound, a residual that no step lowers may be rounding: the bound is of first order."""

DEGENERATE = 1e-5
"""Residuals may be this large there, compared with the forces around: near a root of multiplicity k
they are smaller by the distance over k."""


@dataclass(frozen=True, eq=False)
class Solution:
    """Where Newton's method ended, for each of N points.

    `history` holds the iterates, from the guess on; a point that is done keeps its last one.
    """

    x: Array
    residual: Array
    tangent: Array
    """(N, m, n): the derivative of the equations at x."""
    status: NDArray[np.object_]
    history: Array
    """(steps + 1, N, n)"""
    compiled: bool = False
    """Whether code that was compiled for this machine found most of them."""


def found(status: NDArray[np.object_]) -> NDArray[np.bool_]:
    """Which outcomes are a root."""
    return np.asarray((status == Status.CONVERGED) | (status == Status.DEGENERATE), dtype=bool)


def newton(
    equations: Equations,
    tangent: Equations,
    guess: Array,
    *,
    max_steps: int = 100,
    unit: Array | None = None,
    sizes: Equations | None = None,
    crosses: Sides | None = None,
    work: Work | None = None,
    metric: Array | None = None,
    flat: float = FLAT,
    along: Along | None = None,
    halvings: int = HALVINGS,
    noise: float = 0.0,
) -> Solution:
    """Roots of N independent systems `equations(x) = 0`, each from its own guess.

    A step is halved until it lowers the residual. The steps go on until they gain nothing, which is
    rounding level near a regular root; then the point is judged (`settled`) by what is left, and by
    the next step: the correction still to be made, with the rounding of the residual in it. Along a
    direction in which the tangent is singular nothing is moved (least-norm step). All of it comes
    out the same in other units of the equations and the unknowns, if `sizes` are given.

    Arguments:
        equations: of x of shape (k, n) and the indices of these k points, gives residuals of
            shape (k, m), m >= n.
        tangent: likewise gives derivatives of shape (k, m, n).
        guess: (N, n).
        max_steps: how many steps a point may take.
        unit: (n,) a length for each unknown, of which SMALL_MOVE is the least that x counts as being.
            If neither this nor `sizes` is given, 1.
        sizes: likewise (k, m), the absolute sum of what is added up in the residuals.
        crosses: of x, other x (k, n) and the indices, (k,) whether no step may lead from one to the
            other.
        halvings: how many shares of a step are tried.
        work: likewise (k,), the work that the loads do on the way to x, where there is a position
            without any. It must be large against that of the residual along the step still to be made,
            or the loads are lost in rounding.
        metric: (n,) lengths in which steps are shortest, where the tangent is singular along curves of
            roots: the slopes times two lengths are compared with each other. If not given, rows and
            columns are balanced.
        flat: with a metric, the share of the largest singular value below which a direction is left
            alone.
        along: of one x (n,), its index, and U, V (n, d): `U^T tangent V` with more digits than the
            tangent has, and the absolute sum of what is added up in it.
        noise: share of the forces around by which the equations themselves are off, as those of an
            integration are: where residuals are below it a further step would gain nothing.
    """
    way = _Way(equations, tangent, guess, unit, sizes, crosses, metric, flat, along, halvings, noise)
    for _ in range(max_steps):
        if not len(way.active):
            break
        way.advance()
    way.polish()
    if work is not None:
        way.compare(work)
    return Solution(way.x, way.residual, way.tangent, way.status, np.array(way.history))


class _Way:
    """Where the points are on their way to the roots."""

    def __init__(
        self,
        equations: Equations,
        slopes: Equations,
        guess: Array,
        unit: Array | None,
        sizes: Equations | None,
        crosses: Sides | None,
        metric: Array | None,
        flat: float,
        along: Along | None,
        halvings: int,
        noise: float,
    ) -> None:
        self._equations, self._slopes, self._sizes = equations, slopes, sizes
        self._crosses, self._metric, self._flat, self._along = crosses, metric, flat, along
        self._halvings, self._noise = halvings, noise
        self.x = np.array(guess, dtype=float)
        count, n = self.x.shape
        every = np.arange(count)
        self._least = SMALL_MOVE * (unit if unit is not None else np.ones(n))
        if unit is None and sizes is not None:
            self._least = np.zeros(n)
        self.residual = equations(self.x, every)
        finite = np.isfinite(self.residual).all(axis=1)
        self.status = np.full(count, Status.TOO_MANY_STEPS, dtype=object)
        self.status[~finite] = Status.NOT_FINITE
        self.tangent = np.full((count, self.residual.shape[1], n), np.nan)
        self.active = every[finite]
        self.history = [self.x.copy()]
        self._reach = np.abs(self.x) + self._least
        self._lengths = np.where(self._reach > 0, self._reach, np.inf)
        self._crawl, self._began = np.zeros(count, dtype=int), np.full(count, np.inf)
        self._fallen = np.ones(count)
        self._soft, self._lag = np.zeros(count, dtype=bool), np.zeros(count)
        self._energy = np.zeros(count)

    def advance(self) -> None:
        """One step of every point that is not there yet."""
        slopes = self._slopes(self.x[self.active], self.active)
        self.tangent[self.active] = slopes
        broken = ~np.isfinite(slopes).all(axis=(1, 2))
        self.status[self.active[broken]] = Status.NOT_FINITE
        self.active, slopes = self.active[~broken], slopes[~broken]
        at = self.active
        here, left, extent = self.x[at], self.residual[at], np.abs(slopes)
        with np.errstate(over="ignore"):  # forces that overflow are no measure of small ones
            around = product(extent, np.abs(here) + self._least)
        around = np.where(np.isfinite(around), around, 0.0)
        tangents = self._solver(slopes, at)
        step = -self._step(tangents, left, around, at)
        push = product(extent, np.abs(step))
        small = settled(left, push if self._sizes is not None else 0 * push, around)
        slow, crawling, length = self._crawling(at, here, left, step, extent)
        gain, self.x[at], self.residual[at] = shortened(
            self._equations, here, left, step, tangents.weight, at,
            whole=small | crawling, crosses=self._crosses, halvings=self._halvings,
        )  # fmt: skip
        self._vanish(at[gain < ENOUGH])
        self._doubt(tangents, at, here, left, gain, small)
        known = small.copy()
        stuck = ~small & (gain > ENOUGH)
        if stuck.any():
            slight = tangents.length(step) <= SLIGHT * tangents.length(here)
            idle = length <= SHORTEST
            # the first slow step too: what is left may have been rounding from the beginning
            stuck &= slight | idle | (gain == 1) | (self._crawl[at] == 0)
            around = self._judged(tangents, extent, at[stuck], stuck, here, left, push, around, small)
        crawling |= slow & small & ~known
        hid = np.flatnonzero((gain == 1) & ~small)
        if len(hid):
            gain[hid] = self._unhidden(slopes[hid], here[hid], step[hid], around[hid], at[hid])
        if small.any():
            self._lag[at[small]] = share(push[small], around[small])
            if left.shape == step.shape:
                self._energy[at[small]] = np.abs(np.sum(left[small] * step[small], axis=1))
        crawls = (gain > ENOUGH) & (gain < 1)
        self._crawl[at] = np.where(crawls, self._crawl[at] + 1, 0)
        self._fallen[at] = np.where(crawls, self._fallen[at] * gain, 1.0)
        noisy = np.zeros(len(at), dtype=bool)
        if self._noise > 0:
            noisy[:] = (np.abs(self.residual[at]) <= self._noise * around).all(axis=1)
        small |= noisy
        done = ((small | crawling) & (gain >= ENOUGH)) | (gain == 1) | noisy
        self.status[at[done]] = Status.STALLED
        self.status[at[small]] = Status.CONVERGED
        self.status[at[crawling & ~known]] = Status.DEGENERATE
        self.active = at[~done]
        if gain.min(initial=1) < 1:
            self.history.append(self.x.copy())

    def _solver(self, slopes: Array, at: Selected) -> Tangents:
        along = self._along
        if along is None:
            return Tangents(slopes, self._metric, self._flat)
        x = self.x[at]
        return Tangents(slopes, projected=lambda k, U, V: along(x[k], at[k], U, V))

    def _step(self, tangents: Tangents, residual: Array, around: Array, at: Selected) -> Array:
        """The solution for a residual; where soft directions are followed, this is remembered."""
        if self._sizes is None:
            return tangents.step(residual, around, None)
        soft = self._soft[at]
        step = tangents.step(residual, around, soft)
        self._soft[at] = soft
        return step

    def _crawling(
        self, at: Selected, here: Array, left: Array, step: Array, extent: Array
    ) -> tuple[NDArray[np.bool_], NDArray[np.bool_], Array]:
        """Which points come slowly to a multiple root, which have all but arrived, and their steps.

        Steps are counted in lengths of x and of how far it has been. Residuals fall faster than steps
        on the way to a root; at the edge of where forces exist, as that of a square root, slopes grow
        without bounds, so that steps shrink and no residual does.
        """
        self._reach[at] = np.maximum(self._reach[at], np.abs(here) + self._least)
        near = np.abs(here) + SMALL_MOVE * self._reach[at]
        length = share(step, near)
        fresh = self._crawl[at] == 0
        self._began[at[fresh]] = length[fresh]
        began = self._began[at]
        slow = (self._crawl[at] >= CRAWLING) & (began > SHORT) & (length < SHRUNK * began)
        arrived = slow & (length <= SHORT)
        if arrived.any():
            arrived &= (np.abs(left) <= DEGENERATE * product(extent, near)).all(axis=1)
            arrived &= self._fallen[at] * began <= length
        return slow, arrived, length

    def _vanish(self, at: Selected) -> None:
        """Put unknowns to zero that are zero."""
        if self._sizes is not None and not self._least.any():
            place = self.x[at], self.residual[at], self._reach[at]
            self.x[at], self.residual[at] = at_zero(self._equations, *place, at, self._crosses)

    def _doubt(
        self,
        tangents: Tangents,
        at: Selected,
        here: Array,
        left: Array,
        gain: Array,
        small: NDArray[np.bool_],
    ) -> None:
        """Take back what is small beside the slopes, where a step lowers it no further.

        Then it is rounding, or slopes are those of one place alone, as at the edge of a square root.
        """
        doubtful = small & (gain > SHRUNK)
        if self._sizes is None or not doubtful.any():
            return
        sizes = np.zeros_like(left)
        sizes[doubtful] = self._sizes(here[doubtful], at[doubtful])
        rounding = ROUNDED * LEFT_OVER * (sizes + tangents.alike(sizes)) + NOTHING
        small &= ~doubtful | np.all((np.abs(left) <= rounding) | (left == 0), axis=1)

    def _judged(
        self,
        tangents: Tangents,
        extent: Array,
        at: Selected,
        stuck: NDArray[np.bool_],
        here: Array,
        left: Array,
        push: Array,
        around: Array,
        small: NDArray[np.bool_],
    ) -> Array:
        """Judge points that gain no more by what is added up in their equations, beside an x of zero.

        Units follow from the slopes, and one that is zero but for rounding gives none: what it would
        call slight is no more than moves by a small share of where x began.

        Returns the forces they were judged by.
        """
        if self._sizes is None or not len(at):
            return around
        around[stuck] = np.maximum(around[stuck], self._sizes(here[stuck], at))
        slight = LEFT_OVER * tangents.alike(around)[stuck]
        lengths = np.where(extent[stuck] > 0, self._lengths[at][:, None], 0.0)
        slight = np.minimum(slight, RELATIVE * np.sum(extent[stuck] * lengths, axis=2))
        small[stuck] = settled(left[stuck], push[stuck], around[stuck], LEFT_OVER, slight)
        return around + LEFT_OVER / POLISHED * tangents.alike(around)

    def _unhidden(self, slopes: Array, here: Array, step: Array, around: Array, at: Selected) -> Array:
        """Take steps to where the residual is rounding, if the step after them is shorter by far.

        Where the forces of stiff parts are rounded by more than what acts on soft ones, the residual
        grows on the way (natural monotonicity instead, Deuflhard 2004, section 3.3). Returns the gain
        for each, 1 where the step was not taken.
        """
        gain = np.ones(len(at))
        if self._sizes is None or not len(at):
            return gain
        trial = here + step
        left = self._equations(trial, at)
        rounding = LEFT_OVER * self._sizes(trial, at)
        good = np.asarray((np.abs(left) <= rounding).all(axis=1))
        if self._crosses is not None:
            good[good] = ~self._crosses(here[good], trial[good], at[good])
        if not good.any():
            return gain
        tangents = self._solver(slopes, at)
        ahead = self._step(tangents, np.where(good[:, None], left, 0.0), around, at)
        ratio = tangents.length(ahead) / np.maximum(tangents.length(step), NOTHING)
        good &= ratio < ENOUGH
        self.x[at[good]], self.residual[at[good]] = trial[good], left[good]
        gain[good] = ratio[good]
        return gain

    def polish(self) -> None:
        """Regain digits of points whose next step is more than rounding, by steps with one tangent.

        Beside stiff parts the rounding of their forces hides the residual of soft ones, while the
        steps still shrink.
        """
        some = np.flatnonzero((self.status == Status.CONVERGED) & (self._lag > POLISHED))
        if self._sizes is None or not len(some):
            return
        slopes = self._slopes(self.x[some], some)
        sizes, extent = self._sizes(self.x[some], some), np.abs(slopes)
        sizes = np.maximum(sizes, product(extent, np.abs(self.x[some])))
        tangents = self._solver(slopes, some)
        sizes = sizes + LEFT_OVER / POLISHED * tangents.alike(sizes)
        step = -self._step(tangents, self.residual[some], sizes, some)
        lag = share(product(extent, np.abs(step)), sizes)
        for _ in range(POLISH):
            trial = self.x[some] + step
            left = self._equations(trial, some)
            ahead = -self._step(tangents, left, sizes, some)
            after = share(product(extent, np.abs(ahead)), sizes)
            better = after < lag / 2
            if not better.any():
                break
            self.x[some[better]], self.residual[some[better]] = trial[better], left[better]
            step, lag = np.where(better[:, None], ahead, step), np.where(better, after, lag)
        self.history.append(self.x.copy())
        self.tangent[some] = slopes
        if self.residual.shape == self.x.shape:  # more equations than unknowns have no energy
            self._energy[some] = np.abs(np.sum(self.residual[some] * step, axis=1))
        self.status[some[lag > ACCURATE]] = Status.STALLED

    def compare(self, work: Work) -> None:
        """Judge by energies: that of the error against the work of the loads."""
        some = np.flatnonzero(self.status == Status.CONVERGED)
        some = some[self._energy[some] > NOTHING]
        if not len(some):
            return
        lost = self._energy[some] > ACCURATE**2 * work(self.x[some], some)
        self.status[some[lost]] = Status.STALLED
