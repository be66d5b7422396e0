"""Verdicts with velocity constraints, beside stiff springs and flat potentials."""

from __future__ import annotations

import numpy as np
import pytest

import routh as rt
from routh import ddt
from routh.results import Reason

x, y, z = rt.coordinates("x y z")
KINETIC = (ddt(x) ** 2 + ddt(y) ** 2 + ddt(z) ** 2) / 2
BLADE = ddt(y) - z * ddt(x)


def judged(potential, dissipation=0, **more):
    system = rt.System(
        kinetic=KINETIC, potential=potential, dissipation=dissipation, constraints=[BLADE], **more
    )
    return rt.stability(rt.linearize(rt.equilibrium(system, {})))


@pytest.mark.parametrize(
    ("stiff", "falls", "soft_damping", "damping"),
    [
        (1e8, 5e-5, 1e-3, 1e4),
        (1e9, 5e-4, 1, 3e4),
        (1e10, 0.01, 1e-3, 1e4),
        (1e10, 0.01, 1, 3e4),
        (1e12, 1e-6, 1e-3, 1e4),
    ],
)
def test_a_weak_force_beside_a_stiff_spring(stiff, falls, soft_damping, damping):
    """At z = 0 the constraint is y' = 0 to first order, so that s^2 + c s = k for x, exactly."""
    found = judged(
        stiff * z**2 / 2 - falls * x**2 / 2, soft_damping * ddt(x) ** 2 / 2 + damping * ddt(z) ** 2 / 2
    )
    s = (-soft_damping + np.sqrt(soft_damping**2 + 4 * falls)) / 2
    assert found.reason is Reason.DIVERGENCE
    assert found.index == 1
    assert found.growth == pytest.approx(s, rel=1e-6)
    assert "`x`" not in found.proviso


@pytest.mark.parametrize("falls", [1e-7, 1e-12])
def test_a_force_lost_beside_a_stiff_spring_is_not_called_stable(falls):
    found = judged(1e10 * z**2 / 2 - falls * x**2 / 2, ddt(x) ** 2 / 2 + 3e4 * ddt(z) ** 2 / 2)
    assert found.verdict in (rt.Verdict.UNSTABLE, rt.Verdict.UNDECIDED)


@pytest.mark.parametrize("stiff", [0, 1, 1e8])
@pytest.mark.parametrize("power", [4, 8, 12])
def test_a_flat_potential_is_no_family(power, stiff):
    """The potential falls along x, so that it leaves, however slowly."""
    found = judged(stiff * z**2 - x**power, ddt(x) ** 2 + ddt(z) ** 2)
    assert found.verdict is rt.Verdict.UNDECIDED


def test_a_coordinate_that_enters_nothing_is_a_family():
    found = judged(z**2, ddt(x) ** 2 + ddt(z) ** 2)
    assert found.reason is Reason.STEADY_DECAY
    assert "`x` and `y`" in found.proviso


@pytest.mark.parametrize("fed", [1e-11, -1e-11])
def test_weak_damping_beside_velocity_constraints(fed):
    """It is not told from none, and has a sign: nothing follows."""
    assert judged((2 * x**2 + z**2) / 2, forces={x: fed * ddt(x)}).verdict is rt.Verdict.UNDECIDED
    assert judged((2 * x**2 + z**2) / 2).reason is Reason.STEADY_OSCILLATION
