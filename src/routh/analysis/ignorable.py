"""Coordinates that do not matter to how a system moves, and motions that have neighbours.

With velocity constraints such a coordinate may well be in the equations: the heading of a disc is, but
turned about the vertical the disc rolls as before. So it is found out by evaluation: with the same
independent velocities, the accelerations of these are the same wherever the coordinate is.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from routh.analysis.flow import MovingSystem
from routh.analysis.steady import Equilibrium
from routh.analysis.time import autonomous
from routh.errors import Status
from routh.kernels.batch import Array
from routh.kernels.kernel import kernel
from routh.kernels.motion import motion
from routh.language.symbols import Coordinate
from routh.language.system import System
from routh.numerics.newton import Selected, newton
from routh.numerics.steppers import StuckError

SAME = 1e-8
"""Accelerations that differ by less than this share of the largest are the same."""

STATES = 3
"""States near the reference at which they are compared."""

SHIFT = 1e-2
"""How far a steady motion is moved to look for a neighbour."""

SHIFTS = (0.3, -0.7)
"""How far a coordinate is moved, in units of the largest coordinate or velocity, or of one."""


def ignorable(reference: Equilibrium, k: int) -> tuple[Coordinate, ...]:
    """The coordinates of a system that do not matter near point k of a reference."""
    given = reference.conditions
    point = reference.point()
    numbers = (point.p[k], point.u[k], point.q[k], point.v[k])
    if given.inputs_move or not autonomous(kernel(reference.system)):
        return ()
    return _ignorable(reference.system, *(tuple(each.tolist()) for each in numbers))


@lru_cache(maxsize=64)
def _ignorable(
    system: System,
    p: tuple[float, ...],
    u: tuple[float, ...],
    q: tuple[float, ...],
    v: tuple[float, ...],
) -> tuple[Coordinate, ...]:
    engine = motion(system, (), False, False)
    flow = MovingSystem(engine, np.array(p), np.array(u), None)
    generator = np.random.default_rng(1831)
    size = max(1.0, *np.abs(q), *np.abs(v))
    candidates = set(range(engine.n))
    for _ in range(STATES):
        x = np.zeros(engine.size)
        moved = 0.05 * size * generator.uniform(-1, 1, (2, engine.n))
        x[: 2 * engine.n] = np.concatenate([np.array(q) + moved[0], np.array(v) + moved[1]])
        try:
            x = flow.scaled_at(0.0, x).projected(0.0, x)
        except StuckError:
            return ()
        candidates = {k for k in candidates if _same(flow, x, k, size)}
    return tuple(q for k, q in enumerate(system.coordinates) if k in candidates)


def is_family(reference: Equilibrium, k: int, direction: Array) -> bool:
    """Whether point k moved along a direction (n,) of its coordinates is next to a steady motion again.

    A steady motion has no accelerations, and what rests and matters goes on resting. From the moved
    state Newton's method finds one that is moved as far, or there is none, as where the potential is
    flat to second order only.
    """
    point = reference.point()
    engine = motion(reference.system, (), False, False)
    flow = MovingSystem(engine, point.p[k], point.u[k], None)
    q, v = point.q[k], point.v[k]
    n = engine.n
    moving = ignorable(reference, k)
    resting = [
        j for j, each in enumerate(reference.system.coordinates) if not v[j] and each not in moving
    ]
    unit = direction / np.linalg.norm(direction)
    shift = SHIFT * max(1.0, float(np.abs(q).max(initial=0))) * unit

    def rows(state: Array) -> Array:
        x = np.zeros(engine.size)
        x[: 2 * n] = state
        phi, rate = (each[:, 0] for each in flow.run("held", 0.0, x))
        held = [unit @ (state[:n] - q - shift), *state[n:][resting]]
        return np.concatenate([flow.rate(0.0, x)[n : 2 * n], rate, phi, held])

    def equations(states: Array, _: Selected) -> Array:
        return np.stack([rows(state) for state in states])

    def slopes(states: Array, _: Selected) -> Array:
        return np.stack([_slopes(rows, state) for state in states])

    start = np.concatenate([q + shift, v])
    with np.errstate(all="ignore"):
        settled = newton(equations, slopes, start[None])
    return bool(settled.status[0] is Status.CONVERGED)


def _slopes(rows: Callable[[Array], Array], state: Array) -> Array:
    """Derivatives by central differences, of functions that are polynomials near enough."""
    h = 1e-6 * np.maximum(1.0, np.abs(state))
    columns = []
    for k, step in enumerate(h):
        ahead, behind = state.copy(), state.copy()
        ahead[k] += step
        behind[k] -= step
        columns.append((rows(ahead) - rows(behind)) / (2 * step))
    return np.stack(columns, axis=1)


def _same(flow: MovingSystem, x: Array, k: int, size: float) -> bool:
    """Whether the accelerations of the independent velocities stay what they are when q_k moves."""
    n = flow.motion.n
    _, J = flow.run("matrices", 0.0, x)
    dependent = dependent_velocities(J)
    free = [j for j in range(n) if j not in dependent]
    before = flow.rate(0.0, x)[n : 2 * n]
    for shift in SHIFTS:
        there = x.copy()
        there[k] += shift * size
        phi, rate = (each[:, 0] for each in flow.run("held", 0.0, there))
        if np.abs(phi).max(initial=0) > SAME * size:
            return False
        _, J = flow.run("matrices", 0.0, there)
        if dependent:
            change = np.linalg.lstsq(J[:, dependent], -rate, rcond=None)[0]
            if np.abs(rate + J[:, dependent] @ change).max() > SAME * size:
                return False
            there[n + np.array(dependent)] += change
        after = flow.rate(0.0, there)[n : 2 * n]
        largest = np.abs(np.concatenate([before, after])).max(initial=1e-300)
        if not np.abs(after[free] - before[free]).max(initial=0) <= SAME * largest:
            return False
    return True


def dependent_velocities(J: Array) -> list[int]:
    """Places of velocities that the constraints give when the others are known, by pivoting."""
    left, chosen = J.copy(), []
    for _ in range(min(J.shape)):
        sizes = np.linalg.norm(left, axis=0)
        k = int(np.argmax(sizes))
        if sizes[k] <= 1e-9 * np.abs(J).max(initial=0):
            break
        chosen.append(k)
        unit = left[:, k] / sizes[k]
        left = left - np.outer(unit, unit @ left)
    return chosen
