"""The nearest state that satisfies the constraints."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from routh.analysis.diagnosis import RANK, contradiction
from routh.analysis.flow import MovingSystem
from routh.analysis.signals import signals
from routh.analysis.start import Start, stated
from routh.analysis.values import Numbers, number
from routh.errors import DeclarationError, SolveError, listed, quoted, shortened
from routh.kernels.batch import Array
from routh.kernels.motion import motion
from routh.language.gates import checked_numeric
from routh.language.symbols import Coordinate
from routh.language.system import System
from routh.numerics.newton import found, newton

LIGHT = 1e-9
"""Weight of coordinates without mass, as a share of the mean: they move first."""


def consistent(
    system: System,
    values: Numbers,
    start: Numbers,
    *,
    keep: Sequence[Coordinate] = (),
    inputs: Numbers | None = None,
    time: float = 0.0,
) -> Start:
    """The nearest positions and velocities that satisfy the constraints.

    Distance is measured by mass: positions minimise (q - q0)^T M (q - q0), velocities
    (v - v0)^T M (v - v0) then, as a blow of the constraints would change them.

    Arguments:
        system: the system.
        values: a number or an array for each parameter.
        start: coordinates and velocities, like `{x: 0.9, ddt(y): 1.0}`; zero if not given.
        keep: coordinates and velocities that must stay what they are.
        inputs: as for `simulate`, where constraints contain inputs.
        time: the time of the start.

    Raises:
        SolveError: no state near the start satisfies the constraints; they are named.

    Example:
        >>> from routh import coordinates, ddt, System
        >>> x, y = coordinates("x y")
        >>> ring = System(kinetic=ddt(x) ** 2 + ddt(y) ** 2, constraints=[x**2 + y**2 - 1])
        >>> print(consistent(ring, {}, {x: 3, y: 4, ddt(x): 1}))
        x = 0.6, y = 0.8, x' = 0.64, y' = -0.48. Moved: x by -2.4, y by -3.2, x' by -0.36, y' by -0.48.
    """
    checked_numeric(system, "consistent")
    when = number(time, "`time`")
    if when.shape:
        raise DeclarationError(f"`time` must be one number. Got {time!r}.")
    driven = signals(system, inputs)
    given, q, v = stated(system, values, driven, start)
    system = given.system
    fixed = _kept(system, keep)
    engine = motion(system, driven.laws, False, False)
    states = [
        _nearest(
            MovingSystem(engine, given.p[k], *driven.at(system, given, k)),
            float(when),
            q[k],
            v[k],
            fixed,
        )
        for k in range(given.count)
    ]
    new_q, new_v = (np.stack(each) for each in zip(*states, strict=True))
    fold = given.folded
    return Start(system, given, float(when), *map(fold, (new_q, new_v, new_q - q, new_v - v)))


def _kept(system: System, keep: Sequence[Coordinate]) -> tuple[list[int], list[int]]:
    """The places of the coordinates and of the velocities that are kept."""
    if isinstance(keep, (Coordinate, str)):
        keep = [keep]
    if not isinstance(keep, (list, tuple)):
        raise DeclarationError(
            f"`keep` lists coordinates and velocities, like [x, ddt(y)]. Got {keep!r}."
        )
    names = {s.name: s for s in (*system.coordinates, *system.velocities)}
    places: tuple[list[int], list[int]] = ([], [])
    for key in keep:
        symbol = names.get(key) if isinstance(key, str) else key
        if not isinstance(symbol, Coordinate) or symbol not in names.values():
            raise DeclarationError(
                f"`keep` lists coordinates and velocities of {system.title}: {listed(names)}. Got"
                f" {quoted([key])}."
            )
        places[symbol.order].append(system.coordinates.index(symbol.base))
    return places


def _nearest(
    flow: MovingSystem, t: float, q: Array, v: Array, fixed: tuple[list[int], list[int]]
) -> tuple[Array, Array]:
    """The nearest consistent state of one point."""
    engine = flow.motion
    n = engine.n
    state = np.zeros(engine.size)
    state[: 2 * n] = np.concatenate([q, v])
    free_q, free_v = ([k for k in range(n) if k not in kept] for kept in fixed)
    if any(engine.system.is_holonomic):
        state[free_q] = _Positions(flow, t, state, free_q).nearest()
    if engine.c:
        state[n + np.array(free_v, dtype=int)] += _blow(flow, t, state, free_v)
    return state[:n], state[n : 2 * n]


def _weights(flow: MovingSystem, t: float, state: Array) -> Array:
    """(n, n): the mass matrix over its mean, and a little where there is no mass."""
    M, _ = flow.run("matrices", t, state)
    system = flow.motion.system
    if not np.isfinite(M).all():
        raise SolveError(
            f"The mass matrix of {system.title} is not finite at this start, so nothing says what is"
            " near. Choose another one."
        )
    mean = max(float(np.trace(M)) / len(M), 1e-300)
    return M / mean + LIGHT * np.eye(len(M))


class _Positions:
    """Newton's method for the free coordinates x of one point: onto the constraints, then nearest."""

    def __init__(self, flow: MovingSystem, t: float, state: Array, free: list[int]) -> None:
        self._flow, self._t, self._free = flow, t, free
        self._n = n = flow.motion.n
        self._q = state[:n].copy()
        self._W = _weights(flow, t, state)
        holonomic = np.array(flow.motion.system.is_holonomic)
        slope = np.abs(flow.run("matrices", t, state)[1][holonomic]).max(axis=1)
        self._size = 1 / np.where(slope > 0, slope, 1.0)
        self._c = len(slope)
        self._unknown = [*free, *range(n, n + self._c)]

    def _rows(self, x: Array) -> tuple[Array, Array]:
        """What must vanish for the nearest position, and its slopes; x = (free coordinates, mu)."""
        q = self._q.copy()
        q[self._free] = x[: len(self._free)]
        mu = x[len(self._free) :] * self._size
        rows, slopes = self._flow.nearest(self._t, q, mu, self._q, self._W)
        scale = np.concatenate([np.ones(self._n), self._size])
        slopes = scale[:, None] * slopes * scale
        return (scale * rows)[self._unknown], slopes[np.ix_(self._unknown, self._unknown)]

    def _held(self, x: Array) -> tuple[Array, Array]:
        """Phi and J alone."""
        rows, slopes = self._rows(np.concatenate([x, np.zeros(self._c)]))
        width = len(self._free)
        return rows[width:], slopes[width:, :width]

    def nearest(self) -> Array:
        """The nearest place that was found."""
        start = self._q[self._free]
        onto = newton(
            lambda x, _: self._held(x[0])[0][None], lambda x, _: self._held(x[0])[1][None], start[None]
        )
        x: Array = onto.x[0]
        if not found(onto.status)[0]:
            raise SolveError(self._failure(*self._held(x)))
        _, J = self._held(x)
        W = self._W[np.ix_(self._free, self._free)]
        mu = -np.linalg.pinv(J.T) @ (W @ (x - start))
        best = newton(
            lambda z, _: self._rows(z[0])[0][None],
            lambda z, _: self._rows(z[0])[1][None],
            np.concatenate([x, mu])[None],
        )
        closer: Array = best.x[0, : len(x)]
        if found(best.status)[0] and _length(W, closer - start) <= (1 + 1e-9) * _length(W, x - start):
            return closer
        return x

    def _failure(self, phi: Array, J: Array) -> str:
        system = self._flow.motion.system
        places = [k for k, kind in enumerate(system.is_holonomic) if kind]
        every, slopes = (
            np.zeros(len(system.constraints)),
            np.zeros((len(system.constraints), J.shape[1])),
        )
        every[places], slopes[places] = phi, J
        worst = int(np.argmax(np.abs(every)))
        return contradiction(system, slopes, every) or (
            f"No position near this start satisfies constraint {worst + 1},"
            f" `{shortened(system.constraints[worst], 60)}`: {every[worst]:.3g} is left of it. Try"
            " another start, or keep fewer coordinates."
        )


def _length(W: Array, move: Array) -> float:
    return float(np.sqrt(move @ W @ move))


def _blow(flow: MovingSystem, t: float, state: Array, free: list[int]) -> Array:
    """How the free velocities change: the least blow, in kinetic energy, that meets the constraints."""
    system = flow.motion.system
    W = _weights(flow, t, state)[np.ix_(free, free)]
    J = flow.run("matrices", t, state)[1][:, free]
    rate = flow.run("held", t, state)[1][:, 0]
    L = np.linalg.cholesky(W)
    felt = np.linalg.solve(L, J.T).T
    size = np.abs(felt).max(axis=1, keepdims=True, initial=0)
    size = np.where(size > 0, size, 1.0)
    change = -np.linalg.solve(L.T, np.linalg.pinv(felt / size, rcond=RANK) @ (rate / size[:, 0]))
    left = np.abs(rate + J @ change)
    if (left > 1e-8 * (np.abs(J) @ np.abs(change) + np.abs(rate))).any():
        raise SolveError(
            contradiction(system, J, rate)
            or f"No velocities satisfy all constraints of {system.title} here. Keep fewer of them."
        )
    return np.asarray(change)
