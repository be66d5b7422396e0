"""Positions and velocities moved onto the constraints, as little as possible by mass."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from routh.analysis.given.redundancy import contradiction, named
from routh.analysis.motion.flow import MovingSystem
from routh.analysis.motion.starts import held
from routh.arrays import Array
from routh.errors import SolveError, capital, quoted
from routh.language.symbols import Coordinate
from routh.numerics.solving.dependence import RANK
from routh.numerics.solving.nearest import Surface, nearest
from routh.numerics.solving.onto import held_back
from routh.numerics.solving.starts import spread

LIGHT = 1e-11
"""Weight along which there is no mass, as a share of its units: such coordinates move first."""

MOST_SEARCHES = 64
"""Searches for the nearest position in a round, for few coordinates."""

WORK = 400
"""Coordinates times searches that are worth their time; more coordinates than that have one search."""

UNEVEN = 10.0
"""Ratio of lengths, the root of that of masses, beyond which coordinates weigh unevenly."""

SAMPLES = 16
"""Places around the start that tell how steep the constraints are."""

POLISH = 4
"""Steps that bring rows down to rounding; one of them is rounding alone."""

NOTHING = 1e-12
"""A coordinate that ended below this share of its move is zero, if the constraints hold there."""


def weights(flow: MovingSystem, t: float, x: Array) -> Array:
    """(n, n): the mass matrix over its mean, and a little along what has no mass."""
    M, _ = flow.run("matrices", t, x)
    if not np.isfinite(M).all():
        raise SolveError(
            f"The mass matrix of {flow.motion.system.title} is not finite at this start, so nothing"
            " says what is near. Choose another one."
        )
    diagonal = np.diagonal(M)
    heavy = diagonal > 0
    mean = float(diagonal[heavy].mean()) if heavy.any() else 1.0
    unit = np.sqrt(np.where(heavy, diagonal, mean))
    values, vectors = np.linalg.eigh(M / unit[:, None] / unit)
    if values[0] < LIGHT:
        M = (vectors * np.maximum(values, LIGHT)) @ vectors.T * unit[:, None] * unit
    return np.asarray(M / mean)


class Positions:
    """The free coordinates of one point, in units in which their distance is |y|: q = q0 + turn y."""

    def __init__(
        self,
        flow: MovingSystem,
        t: float,
        x: Array,
        free: list[int],
        kept: tuple[Coordinate, ...],
        *,
        alike: bool = False,
    ) -> None:
        self._flow, self._t, self._x, self._free, self._kept = flow, t, x, free, kept
        self._q = x[: flow.motion.n].copy()
        W = np.eye(len(free)) if alike else weights(flow, t, x)[np.ix_(free, free)]
        self._turn = np.linalg.inv(np.linalg.cholesky(W)).T

    def _places(self, y: Array) -> Array:
        q = np.tile(self._q, (len(y), 1))
        q[:, self._free] += y @ self._turn.T
        return q

    def _rows(self, y: Array) -> tuple[Array, Array]:
        arguments = self._flow.stacked(self._t, self._x, self._places(y))
        phi, J = self._flow.motion.held_rows(arguments)
        return phi, J[..., self._free] @ self._turn

    def _curvature(self, y: Array, mu: Array) -> Array:
        arguments = self._flow.stacked(self._t, self._x, self._places(y))
        bent = self._flow.motion.held_curvature(arguments, mu)
        own = bent[:, self._free][..., self._free]
        return np.asarray(self._turn.T @ own @ self._turn)

    def nearest(self) -> Array:
        """(n,) the nearest position that was found.

        Raises:
            SolveError: none was found; names the constraints that are in the way.
        """
        n = len(self._free)
        rows = held.positions(self._flow, self._t, self._x)
        if not rows.finite.all():
            k = int(rows.places[np.argmin(rows.finite)])
            raise SolveError(
                f"{capital(named(self._flow.motion.system, k))}, or its slope, is not finite at this"
                " start. Choose another one."
            )
        if rows.exact:
            return self._q
        if n:
            found = self._searched(n)
            if not self._at(found).broken().any():
                return found
            rows = self._at(found)
        raise SolveError(self._failure(rows))

    def _at(self, q: Array) -> held.Rows:
        """The rows at another position."""
        x = self._x.copy()
        x[: len(q)] = q
        return held.positions(self._flow, self._t, x)

    def _searched(self, n: int) -> Array:
        """(n,) the nearest position, or where the rows are least off."""
        lengths = self._lengths()
        steepness = [self._rows(max(lengths) * (2 * spread(1, SAMPLES, n) - 1) / np.sqrt(n))[1]]
        steepness.append(self._rows(np.zeros((1, n)))[1])
        steep = np.nan_to_num(np.concatenate(steepness), posinf=0.0, neginf=0.0)
        scale = np.linalg.norm(steep, axis=2).max(axis=0)
        surface = Surface(self._rows, self._curvature, np.where(scale > 0, scale, 1.0))
        searches = min(MOST_SEARCHES, WORK // n)
        y, found = nearest(
            surface,
            n,
            searches,
            lengths,
            lambda y: not self._at(self._places(y[None])[0]).broken().any(),
            self._near_alike(n),
        )
        return self._polished(y) if found else self._places(y[None])[0]

    def _near_alike(self, n: int) -> Array | None:
        """(1, n) what is nearest if all coordinates weigh alike, where they do not by far.

        Else what is light would go round many times before what is heavy moves at all.
        """
        sizes = np.linalg.norm(self._turn, axis=0)
        if not n or sizes.max() < UNEVEN * sizes.min():
            return None
        alike = Positions(self._flow, self._t, self._x, self._free, self._kept, alike=True)
        move = alike._searched(n)[self._free] - self._q[self._free]
        return np.asarray(np.linalg.solve(self._turn, move)[None])

    def _lengths(self) -> list[float]:
        """How far away the constraints may hold: by the start, their slopes and their curvature."""
        phi, J = self._rows(np.zeros((1, len(self._free))))
        step, _ = held_back(phi, J, np.inf)
        size = np.linalg.norm(J[0], axis=1)
        size = np.where(size > 0, size, 1.0)
        bent = self._curvature(np.zeros((1, len(self._free))), (phi / size**2))[0]
        much = np.linalg.norm(np.nan_to_num(bent), 2)
        here = np.linalg.norm(np.linalg.solve(self._turn, self._q[self._free]))
        curved = np.sqrt(np.sum((phi[0] / size) ** 2) / much) if much > 0 else 0.0
        found = [float(x) for x in (np.linalg.norm(step), curved, here) if np.isfinite(x) and x > 0]
        return found or [1.0]

    def _polished(self, y: Array) -> Array:
        """(n,) the position of y, its rows down to rounding."""
        best = self._places(y[None])[0]
        for _ in range(POLISH):
            if self._at(best).exact:
                break
            step, _ = held_back(*self._rows(y[None]), np.inf)
            y = y + step[0]
            best = self._places(y[None])[0]
        clean = np.where(np.abs(best) <= NOTHING * np.abs(best - self._q), 0.0, best)
        return clean if (clean != best).any() and self._at(clean).exact else best

    def _failure(self, rows: held.Rows) -> str:
        system = self._flow.motion.system
        J, off = np.zeros((len(system.constraints), len(self._q))), np.zeros(len(system.constraints))
        J[rows.places], off[rows.places] = rows.J, rows.off
        return said_against(
            self._flow, J, off, rows.places[rows.broken()], self._free, self._kept, "position"
        )


def said_against(
    flow: MovingSystem,
    J: Array,
    off: Array,
    broken: NDArray[np.intp],
    free: list[int],
    kept: tuple[Coordinate, ...],
    what: str,
) -> str:
    """Why nothing was found: what contradicts what, with what is kept if that matters."""
    system = flow.motion.system
    moved = np.zeros_like(J)
    moved[:, free] = J[:, free]
    worst = int(broken[np.argmax(np.abs(off[broken]))])
    holding = [
        symbol
        for symbol in kept
        if np.abs(J[broken, system.coordinates.index(symbol.base)]).max(initial=0) > 0
    ]
    left = f"{named(system, worst)}: {off[worst]:.3g} is left of it."
    if holding:
        return contradiction(system, moved, off, holding) or (
            f"With {quoted(holding)} kept, no {what} near this start satisfies {left} Keep fewer of"
            " them, or try another start."
        )
    if not np.abs(J[worst]).max(initial=0) and what == "velocity":
        return (
            f"No velocity satisfies {left} None of them changes it in this position. Try another one."
        )
    return contradiction(system, moved, off) or (
        f"No {what} near this start satisfies {left} Try another start."
    )


def blow(
    flow: MovingSystem, t: float, x: Array, free: list[int], kept: tuple[Coordinate, ...]
) -> Array:
    """(n,) the velocities after the least blow, in kinetic energy, that meets the constraints.

    Raises:
        SolveError: none do; names the constraints that are in the way.
    """
    x, n = x.copy(), flow.motion.n
    places = n + np.array(free, dtype=int)
    rows = held.velocities(flow, t, x)
    if not rows.finite.all():
        k = int(np.argmin(rows.finite))
        raise SolveError(
            f"The rate of {named(flow.motion.system, k)}, is not finite at this start. Choose another"
            " one."
        )
    turn = np.linalg.inv(np.linalg.cholesky(weights(flow, t, x)[np.ix_(free, free)])).T
    felt = rows.J[:, free] @ turn
    steep = np.linalg.norm(felt, axis=1, keepdims=True)
    steep = np.where(steep > 0, steep, 1.0)
    inverse = turn @ np.linalg.pinv(felt / steep, rcond=RANK) / steep[:, 0]
    size = np.abs(x[places]) + np.abs(inverse) @ rows.size + rows.around[free]
    for _ in range(POLISH):  # again, so that what is left is rounding of the rows, not of the blow
        if rows.exact:
            break
        x[places] -= inverse @ rows.off
        rows = held.velocities(flow, t, x)
    clean = x.copy()
    clean[places] = np.where(np.abs(x[places]) <= held.EXACT * size, 0.0, x[places])
    if held.velocities(flow, t, clean).exact:
        return clean[n : 2 * n]
    broken = rows.places[rows.broken()]
    if len(broken):
        raise SolveError(said_against(flow, rows.J, rows.off, broken, free, kept, "velocity"))
    return x[n : 2 * n]
