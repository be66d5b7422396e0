"""Whether the equations have a kink at an equilibrium, where no linear model exists.

Abs, sign, Max, Min, Piecewise and the like are differentiated by the engine branch by branch; at the
very point where branches meet, what comes out belongs to none of them.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import sympy
from numpy.typing import NDArray

from routh.kernels.batch import Array
from routh.kernels.kernel import Kernel, Point
from routh.language.system import System
from routh.language.walk import nodes
from routh.mechanics.vanish import PIECED

STEP = 1e-5
"""How far to look, as a share of the size of the coordinates and 1: far above rounding."""

SMOOTH = 0.05
"""Share by which slopes may differ between both sides and between steps: curvature makes 1e-5."""


def pieces(system: System) -> list[sympy.Basic]:
    """The functions put together of pieces that the system contains."""
    every = [e for expressions in system.parts().values() for e in expressions]
    return [node for node in nodes(every) if isinstance(node, PIECED)]


def kinked(engine: Kernel, point: Point) -> NDArray[np.bool_]:
    """(N,) where the residual is not smooth in positions and velocities about a point.

    Along random directions its change must be the same to both sides, and ten times smaller for a
    step ten times smaller.
    """
    generator = np.random.default_rng(1831)
    found = np.zeros(len(point.q), dtype=bool)
    size = STEP * (1 + np.abs(point.q).max(axis=1, keepdims=True))
    centre = engine.residual(point)
    for _ in range(3):
        q, v = generator.uniform(0.5, 1.0, (2, point.q.shape[1])) * generator.choice(
            [-1, 1], (2, point.q.shape[1])
        )
        near, far = (
            [
                engine.residual(_moved(point, sign * size * h * q, sign * size * h * v)) - centre
                for sign in (1, -1)
            ]
            for h in (0.1, 1.0)
        )
        scale = np.maximum(np.abs(far[0]), np.abs(far[1]))
        uneven = np.abs(far[0] + far[1]) > SMOOTH * scale
        jumping = np.abs(10 * (near[0] - near[1]) - (far[0] - far[1])) > SMOOTH * 10 * scale
        noise = 1e-9 * np.abs(far).max(axis=(0, 2))[:, None]
        found |= ((uneven | jumping) & (scale > noise)).any(axis=1)
    return found


def _moved(point: Point, q: Array, v: Array) -> Point:
    return replace(point, q=point.q + q, v=point.v + v)
