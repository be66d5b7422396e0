"""Comparing expressions by evaluation at random points, and evaluating kernels at one point."""

from __future__ import annotations

import random
from collections.abc import Mapping

import numpy as np
import sympy

import routh as rt
from routh.kernels.engine import Point
from routh.kernels.kernel import kernel


def assert_same(a: sympy.Basic, b: sympy.Basic, digits: int = 25) -> None:
    """Two expressions or matrices take the same values at random points, to so many digits."""
    a, b = (x if isinstance(x, sympy.MatrixBase) else sympy.Matrix([x]) for x in (a, b))
    assert a.shape == b.shape
    difference = sympy.Matrix(a) - sympy.Matrix(b)
    generator = random.Random(7)
    for _ in range(3):
        point = {
            s: sympy.Float(str(generator.uniform(0.2, 0.9)), 40)
            for s in sorted(difference.free_symbols, key=str)
        }
        for entry in difference:
            assert abs(sympy.N(entry.xreplace(point), 40)) < 10**-digits


def point(
    system: rt.System,
    values: Mapping[str, float],
    q: list[float],
    v: list[float] | None = None,
    a: list[float] | None = None,
    time: float = 0.0,
    u: Mapping[sympy.Symbol, float] | None = None,
    multipliers: list[float] | None = None,
) -> Point:
    """One point, for calling kernels directly."""
    n = len(system.coordinates)
    signals = kernel(system).signals
    return Point(
        t=np.array([[time]]),
        q=np.array([q], dtype=float),
        v=np.array([v if v is not None else [0.0] * n], dtype=float),
        a=np.array([a if a is not None else [0.0] * n], dtype=float),
        p=np.array([[float(values[p.name]) for p in system.parameters]]),
        u=np.array([[float((u or {}).get(s, 0.0)) for s in signals]]).reshape(1, len(signals)),
        multipliers=np.array([multipliers or []], dtype=float),
    )


def accelerations(system: rt.System, at: Point) -> np.ndarray:
    """a from M a + h = Q."""
    M, h, Q, _ = kernel(system).dynamics(at)
    return np.linalg.solve(M[0], (Q - h)[0])
