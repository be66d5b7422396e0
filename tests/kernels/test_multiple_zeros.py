"""Eigenvalues that are zero several times scatter on a circle: compiled code leaves them to the other."""

from __future__ import annotations

import numpy as np
import pytest

import routh as rt
from routh.kernels.native.compiler import compiler

pytestmark = pytest.mark.skipif(compiler() is None, reason="no compiler of C on this machine")


def test_reasons_are_the_same_by_every_engine():
    x, y = rt.coordinates("x y")
    c = rt.parameter("c")
    system = rt.System(
        kinetic=(rt.ddt(x) ** 2 + rt.ddt(y) ** 2) / 2, potential=y**6 / 6, forces={x: c * y}
    )
    rest = rt.equilibrium(system, {"c": np.geomspace(1e-3, 1e3, 20)}, guess={x: 0.3, y: 0.0})
    linear = rt.linearize(rest)
    ways = [rt.stability(linear, engine=engine) for engine in ("c", "casadi")]
    np.testing.assert_array_equal(*(way.reason for way in ways))
    np.testing.assert_array_equal(*(way.eigenvalues for way in ways))
