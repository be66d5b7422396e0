"""Damping that vanishes at the exact rest is none, wherever rounding puts the rest."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import routh as rt
from routh import ddt
from routh.results import Reason

MODELS = Path(__file__).parents[2] / "examples/models"

x, y = rt.coordinate("x"), rt.coordinate("y")
a, b, c, d, k, h, n, m = (rt.parameter(name) for name in "abcdkhnm")

stiff = st.floats(0.1, 50)
place = st.floats(-3, 3).map(lambda at: at if abs(at) > 1e-90 else 0.0)
weight = st.sampled_from([-2, -1, 1, 3])


def judged(system, values, guess=None):
    return rt.stability(rt.linearize(rt.equilibrium(system, values, guess=guess)))


def test_a_damper_across_its_spring_damps_one_velocity_of_two():
    model = rt.load(MODELS / "table_with_springs.toml")
    (rest,) = rt.equilibria(model.system, model.values, within=model.within)
    linear = rt.linearize(rest)
    # the damper lies along x, and y = 0: D = diag(c, 0). Gyroscopic forces bring it to y.
    np.testing.assert_allclose(linear.D, np.diag([0.5, 0.0]), atol=1e-15)
    assert rt.stability(linear).reason is Reason.PERVASIVE_DAMPING


# The rest is (a, b) exactly; the damping of x has a zero there, along n (x - a) + m (y - b).
DAMPED_BESIDE = rt.System(
    kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2,
    potential=k * x**2 / 2 - k * a * x + h * (y - b) ** 2 / 2 + (x - a) ** 4 / 4,
    dissipation=c * (n * (x - a) + m * (y - b)) ** 2 * ddt(x) ** 2 / 2 + d * ddt(y) ** 2 / 2,
)


@given(stiff, stiff, place, place, weight, weight, place, place)
def test_a_zero_of_the_damping_is_never_complete_damping(k0, h0, a0, b0, n0, m0, x0, y0):
    values = {"a": a0, "b": b0, "k": k0, "h": h0, "c": 2.0, "d": 0.3, "n": n0, "m": m0}
    found = judged(DAMPED_BESIDE, values, {x: x0, y: y0})
    assert found.reason is Reason.PARTIAL_DAMPING


UNDAMPED = rt.System(
    kinetic=ddt(x) ** 2 / 2,
    potential=k * x**2 / 2 - k * a * x,
    dissipation=c * (x - a) ** 2 * ddt(x) ** 2 / 2,
)


@given(stiff, place, place)
def test_damping_that_vanishes_altogether_leaves_a_plain_minimum(k0, a0, x0):
    assert judged(UNDAMPED, {"a": a0, "k": k0, "c": 5.0}, {x: x0}).reason is Reason.MINIMUM


DAMPED = rt.System(
    kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2,
    potential=k * x**2 / 2 - k * a * x + y**2 / 2,
    dissipation=c * x**2 * ddt(x) ** 2 / 2 + c * (1 + y**2) * ddt(y) ** 2 / 2,
)


@given(st.floats(1e-6, 1.0), st.floats(0.01, 3))
def test_weak_damping_that_depends_on_position_is_complete(c0, a0):
    found = judged(DAMPED, {"a": a0, "k": 2.0, "c": c0}, {x: 0.5})
    assert found.reason is Reason.COMPLETE_DAMPING
    assert np.isfinite(found.curvature)
