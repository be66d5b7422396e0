"""Coordinates that do not matter to how a system moves, and motions that have neighbours.

With velocity constraints such a coordinate may well be in the equations: the heading of a disc is, but
turned about the vertical the disc rolls as before. So it is found out by evaluation: with the same
independent velocities, the accelerations of these are the same wherever the coordinate is.

Likewise a zero eigenvalue is a family only if a neighbouring steady motion is found.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, islice

import numpy as np

from routh.analysis.linear.scales import Sizes, sizes
from routh.analysis.motion.flow import MovingSystem
from routh.analysis.rest.result import Equilibrium
from routh.arrays import Array, Selected
from routh.errors import Status
from routh.kernels.engine import Point
from routh.kernels.kernel import kernel
from routh.kernels.motion import motion
from routh.language.symbols import Coordinate
from routh.language.system import System
from routh.numerics import levels
from routh.numerics.solving.newton import newton
from routh.numerics.steppers import StuckError

MET = 1e-8
"""Constraints that are violated by less than this share of what moves could do are met."""

SAME = 1e-12
"""Accelerations that differ by less than this share of what is added up in them are the same."""

SOLVED = 16 * levels.EPS
"""The same of what is added up in the largest: they are solved for together."""

STATES = 3
"""States near the reference at which they are compared."""

MOST_WAYS = 30
"""Ways to choose dependent velocities that are tried."""

MOVES = (1e-2, 0.1, 0.3)
"""How far a steady motion is moved to look for neighbours, in units of its size."""

STEADY = 1e-8
"""Share of what moves as far would add up in an acceleration, below which it is none."""

SHIFTS = (0.3, -0.7)
"""How far a coordinate is moved, in units of its size."""


@dataclass(frozen=True)
class Freedom:
    """Which coordinates do not matter near a point, and which velocities follow from the others."""

    ignorable: tuple[Coordinate, ...]
    dependent: tuple[int, ...]


def freedom(reference: Equilibrium, k: int) -> Freedom:
    """The freedom of a system near point k of a reference."""
    point = reference.point()
    system = reference.system
    numbers = [tuple(each[k].tolist()) for each in (point.p, point.u, point.q, point.v)]
    timeless = reference.conditions.autonomous(kernel(system))
    if not all(np.isfinite(each).all() for each in numbers):
        return Freedom((), ())
    return _freedom(system, timeless, *numbers)


@lru_cache(maxsize=4096)
def _freedom(
    system: System,
    timeless: bool,
    p: tuple[float, ...],
    u: tuple[float, ...],
    q: tuple[float, ...],
    v: tuple[float, ...],
) -> Freedom:
    """Of the ways to choose dependent velocities, the one with most coordinates that do not matter.

    With the speed of a sleigh along x held, its heading matters; with the speed along the blade it does
    not. So coordinates that enter no equation themselves are tried first as dependent ones.
    """
    flow, x = _flow(system, p, u, np.array([*q, *v]))
    size = sizes(system, p, u, q, v)
    n = flow.motion.n
    J = _rows_alike(flow.run("matrices", 0.0, x)[1] * size.unit)
    plain = _pivots(J, [])
    if not timeless:
        return Freedom((), tuple(plain))
    idle = [k for k, out in enumerate(kernel(system).in_motion.idle) if out]
    first = combinations(idle, min(len(plain), len(idle)))
    ways = [plain, *(_pivots(J, list(each)) for each in islice(first, MOST_WAYS))]
    states = _nearby(flow, x, size)
    forces = [_pushes(system, p, u)(state, flow.rate(0.0, state)[n : 2 * n]) for state in states]
    found = []
    for way in ways:
        if len(way) == len(plain):
            trials = [
                (state, _rounding(_sums(flow, force, state, way, size), size, way))
                for state, force in zip(states, forces, strict=True)
            ]
            names = {k for k in range(n) if all(_same(flow, *trial, k, way, size) for trial in trials)}
            found.append((len(names) if states else 0, sorted(way), names if states else set()))
    _, dependent, names = max(found, key=lambda each: each[0])
    return Freedom(tuple(q for k, q in enumerate(system.coordinates) if k in names), tuple(dependent))


def _flow(
    system: System, p: Sequence[float], u: Sequence[float], state: Array
) -> tuple[MovingSystem, Array]:
    """The motion of a system with numbers, scaled at a state (2n,), redundant constraints being fine.

    With it the state as it takes it.
    """
    engine = motion(system, (), False, bool(system.constraints))
    flow = MovingSystem(engine, np.array(p), np.array(u), None)
    x = np.zeros(engine.size)
    x[: len(state)] = state
    return flow.scaled_at(0.0, x), x


def _rows_alike(J: Array) -> Array:
    """Constraints with the largest entry of each one."""
    most = np.abs(J).max(axis=1, initial=0, keepdims=True)
    return np.asarray(J / np.where(most > 0, most, 1.0))


def _nearby(flow: MovingSystem, x: Array, size: Sizes) -> list[Array]:
    """States near a reference that satisfy the constraints; none if they cannot be reached."""
    generator = np.random.default_rng(1831)
    n = flow.motion.n
    states = []
    for _ in range(STATES):
        there = x.copy()
        moved = np.concatenate([size.place, size.speed])
        there[: 2 * n] += 0.05 * moved * generator.uniform(-1, 1, 2 * n)
        try:
            states.append(flow.scaled_at(0.0, there).projected(0.0, there))
        except StuckError:
            return []
    return states


def is_family(
    reference: Equilibrium, k: int, dq: Array, dv: Array, ignorable: Sequence[Coordinate]
) -> bool:
    """Whether point k moved along (dq, dv) is next to a steady motion again.

    In a steady motion the independent velocities do not change, and what rests and matters goes on
    resting. From the moved state Newton's method finds one that is moved as far, or there is none, as
    where the potential is flat to some order only: then the forces there are all of what such a move
    could do, however small. So it is looked for at several distances.
    """
    flow, size, start = _around(reference, k)
    free = freedom(reference, k)
    n = flow.motion.n
    whole = np.concatenate([size.place, size.speed])
    names = reference.system.coordinates
    resting = [j for j in range(n) if not start[n + j] and names[j] not in ignorable]
    independent = [n + j for j in range(n) if j not in free.dependent]
    unit = np.concatenate([dq, dv]) / whole
    unit = unit / np.linalg.norm(unit)
    point = reference.point()
    pushes = _pushes(reference.system, point.p[k].tolist(), point.u[k].tolist())

    def at(state: Array) -> Array:
        x = np.zeros(flow.motion.size)
        x[: 2 * n] = start + state * whole
        return x

    def rows(state: Array, move: float) -> Array:
        x = at(state)
        phi, rate = (each[:, 0] for each in flow.run("held", 0.0, x))
        held = [unit @ state - move, *state[n:][resting]]
        rates = flow.rate(0.0, x)[independent] / size.push[np.array(independent, dtype=int) - n]
        return np.concatenate([rates, rate, phi, held])

    def is_there(move: float) -> bool:
        def equations(states: Array, _: Selected) -> Array:
            return np.stack([rows(state, move) for state in states])

        def slopes(states: Array, _: Selected) -> Array:
            return np.stack([_slopes(lambda x: rows(x, move), state) for state in states])

        with np.errstate(all="ignore"):
            settled = newton(equations, slopes, move * unit[None])
        if settled.status[0] is not Status.CONVERGED:
            return False
        here = at(settled.x[0])
        signs = np.random.default_rng(1831).choice([-1.0, 1.0], n)
        aside = at(settled.x[0] + move * np.concatenate([signs, np.zeros(n)]))
        added, could = (
            _sums(flow, pushes(x, flow.rate(0.0, x)[n : 2 * n]), x, free.dependent, size)
            for x in (here, aside)
        )
        left = np.abs(flow.rate(0.0, here)[independent])
        return bool((left <= SAME * added + STEADY * could).all())

    return all(is_there(move) for move in MOVES)


def _around(reference: Equilibrium, k: int) -> tuple[MovingSystem, Sizes, Array]:
    """The motion of point k with numbers, the sizes around it, and its state (2n,)."""
    point = reference.point()
    numbers = [tuple(each[k].tolist()) for each in (point.p, point.u, point.q, point.v)]
    start = np.concatenate([point.q[k], point.v[k]])
    flow, _ = _flow(reference.system, numbers[0], numbers[1], start)
    return flow, sizes(reference.system, *numbers), start


def _slopes(rows: Callable[[Array], Array], state: Array) -> Array:
    """Derivatives by central differences, of functions that are polynomials near enough."""
    columns = []
    step = 1e-6
    for k in range(len(state)):
        ahead, behind = state.copy(), state.copy()
        ahead[k] += step
        behind[k] -= step
        columns.append((rows(ahead) - rows(behind)) / (2 * step))
    return np.stack(columns, axis=1)


Pushes = Callable[[Array, Array], Array]
"""Of a state and accelerations, (n,) the absolute sums of what is added up in each equation."""


def _pushes(system: System, p: Sequence[float], u: Sequence[float]) -> Pushes:
    engine, c = kernel(system), len(system.constraints)

    def pushes(x: Array, a: Array) -> Array:
        n = len(a)
        rows = (x[:n], x[n : 2 * n], a, np.array(p), np.array(u), np.zeros(c))
        point = Point(np.zeros((1, 1)), *(np.reshape(each, (1, -1)) for each in rows))
        return np.asarray(engine.in_motion.sizes(point.arguments)[0, :n])

    return pushes


def _same(
    flow: MovingSystem, x: Array, rounding: Array, k: int, dependent: list[int], size: Sizes
) -> bool:
    """Whether the accelerations of the independent velocities stay what they are when q_k moves."""
    n = flow.motion.n
    free = [j for j in range(n) if j not in dependent]
    before = flow.rate(0.0, x)[n : 2 * n][free]
    for shift in SHIFTS:
        there = x.copy()
        there[k] += shift * size.place[k]
        phi, rate = (each[:, 0] for each in flow.run("held", 0.0, there))
        _, J = flow.run("matrices", 0.0, there)
        places = np.abs(J[np.array(flow.motion.system.is_holonomic, dtype=bool)])
        if (np.abs(phi) > MET * (places @ size.place)).any():
            return False
        if dependent:
            inverse = np.linalg.pinv(_rows_alike(J * size.unit)[:, dependent])
            rows = np.abs(J * size.unit).max(axis=1)
            change = -size.unit[dependent] * (inverse @ (rate / np.where(rows > 0, rows, 1.0)))
            if (np.abs(rate + J[:, dependent] @ change) > MET * (np.abs(J) @ size.speed)).any():
                return False
            there[n + np.array(dependent)] += change
        after = flow.rate(0.0, there)[n : 2 * n][free]
        if not (np.abs(after - before) <= rounding).all():
            return False
    return True


def _sums(flow: MovingSystem, forces: Array, x: Array, dependent: Sequence[int], size: Sizes) -> Array:
    """The absolute sums that the accelerations of the independent velocities come from.

    Of the sums `forces` (n,) in the equations, each by its own: beside a stiff spring a weak force on
    another coordinate is no rounding.
    """
    n, dependent = flow.motion.n, list(dependent)
    free = [j for j in range(n) if j not in dependent]
    M, J = flow.run("matrices", 0.0, x)
    N = np.zeros((n, len(free)))
    N[free, range(len(free))] = 1.0
    if dependent:
        rows = _rows_alike(J * size.unit)
        N[dependent] = -np.linalg.pinv(rows[:, dependent]) @ rows[:, free]
        N[dependent] *= size.unit[dependent][:, None] / size.unit[free]
    added = forces + np.abs(M) @ np.abs(flow.rate(0.0, x)[n : 2 * n])
    inverse = np.linalg.pinv(N.T @ M @ N, hermitian=True)
    return np.asarray(np.abs(inverse) @ np.abs(N).T @ added)


def _rounding(sums: Array, size: Sizes, dependent: Sequence[int]) -> Array:
    """How far accelerations that are sums may be off: each by its own, and by that of the largest."""
    unit = np.delete(size.unit, dependent)
    return np.asarray(SAME * sums + SOLVED * unit * (sums / unit).max(initial=0.0))


def _pivots(J: Array, first: list[int]) -> list[int]:
    """Places of velocities that the constraints give when the others are known, some tried first."""
    left, chosen = J.copy(), []
    size = np.abs(J).max(initial=0)
    for k in [*first, *([None] * J.shape[1])]:
        norms = np.linalg.norm(left, axis=0)
        pick = int(np.argmax(norms)) if k is None else k
        if norms[pick] <= 1e-9 * size:
            continue
        chosen.append(pick)
        unit = left[:, pick] / norms[pick]
        left = left - np.outer(unit, unit @ left)
    return chosen
