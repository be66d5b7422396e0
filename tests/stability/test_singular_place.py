"""Constraints whose slopes lose rank just at the rest decide nothing; those that repeat each other do."""

from __future__ import annotations

import numpy as np
import pytest

import routh as rt
from routh import cos, ddt, sin
from routh.results import Reason

x, y, z = rt.coordinates("x y z")
PLANE = (ddt(x) ** 2 + ddt(y) ** 2) / 2
SPACE = PLANE + ddt(z) ** 2 / 2
CIRCLE = x**2 + y**2 - 1


def judged(system, guess=None):
    return rt.stability(rt.linearize(rt.equilibrium(system, {}, guess=guess)))


@pytest.mark.parametrize(
    ("potential", "constraints"),
    [
        (x**2 / 2 - y**2 / 2, [y**2]),
        (x**2 / 2 - y**2 / 2, [sin(y) ** 4]),
        (3 * x**2 / 2 - y**2 / 2, [x**2 - y**2]),
        (-(x**2), [y, y - x**2]),
        (x**2 - y**2, [x**3 - y**2]),
    ],
)
def test_no_verdict_at_a_singular_position(potential, constraints):
    """All but the last are minima on what the constraints leave, or points without any motion."""
    found = judged(rt.System(kinetic=PLANE, potential=potential, constraints=constraints))
    assert found.reason is Reason.NO_SLOPE
    assert found.verdict is rt.Verdict.UNDECIDED
    assert "singular position" in str(found)


def test_flattened_parallelogram():
    """Along its two ways, b = a and b = -2 a to first order, the potential rises on both."""
    a, b = rt.coordinates("a b")
    loop = ((3 + cos(b) - cos(a)) ** 2 + (sin(b) - sin(a)) ** 2 - 9) / 2
    V = -3 * cos(a) + cos(b) / 2
    for way in (1, -2):
        assert float(V.diff(a, 2).subs({a: 0, b: 0}) + way**2 * V.diff(b, 2).subs({a: 0, b: 0})) > 0
    system = rt.System(kinetic=(ddt(a) ** 2 + ddt(b) ** 2) / 2, potential=V, constraints=[loop])
    assert judged(system).reason is Reason.NO_SLOPE


def test_velocity_constraint_without_slopes_at_the_rest():
    system = rt.System(
        kinetic=SPACE, potential=(x**2 - y**2 + z**2) / 2, constraints=[z * ddt(y) - x * ddt(x)]
    )
    assert judged(system).reason is Reason.NO_SLOPE


@pytest.mark.parametrize(
    ("potential", "once", "more", "guess"),
    [
        (x**2, y, [y * (1 + x)], {}),
        (x**2 + y, y - x**2, [(y - x**2) * (2 + x), sin(y - x**2)], {}),
        (x**2, y - 1e3 * x**2, [(y - 1e3 * x**2) * (1 + x)], {}),
        (9.81 * y, CIRCLE, [2 * CIRCLE, CIRCLE * (3 + x)], {y: -1}),
        (-9.81 * y, CIRCLE, [2 * CIRCLE], {y: -1}),
    ],
)
def test_constraints_that_repeat_each_other_change_no_verdict(potential, once, more, guess):
    alone, both = (
        judged(rt.System(kinetic=PLANE, potential=potential, constraints=held), guess)
        for held in ([once], [once, *more])
    )
    assert both.reason is alone.reason
    assert both.reason is not Reason.NO_SLOPE
    np.testing.assert_allclose(both.curvature, alone.curvature, rtol=1e-9)
