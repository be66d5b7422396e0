"""Verdicts with velocity constraints, beside stiff springs and flat potentials."""

from __future__ import annotations

import numpy as np
import pytest

import routh as rt
from rolling import disc
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


def test_disc_in_circles_against_its_reduced_equations():
    """theta, theta', psi' and phi' alone move on by themselves: their slopes by differences.

    The place is written in axes that turn with the heading, where a circle aside goes round with psi'.
    """
    xi, eta, psi, theta, phi = rt.coordinates("xi eta psi theta phi")
    turn = rt.rotation(psi, rt.vector(0, 0, 1))
    frame = turn @ rt.rotation(theta, rt.vector(1, 0, 0))
    centre = turn @ rt.vector(xi, eta, 0) + frame @ rt.vector(0, 0, 0.5)
    omega = rt.angular_velocity(frame) + rt.vector(0, ddt(phi), 0)
    slip = turn.T @ (ddt(centre) + rt.cross(frame @ omega, frame @ rt.vector(0, 0, -0.5)))
    spin = omega[0] ** 2 + 2 * omega[1] ** 2 + omega[2] ** 2
    circling = rt.System(
        kinetic=rt.norm2(ddt(centre)) / 2 + spin / 32,
        potential=9.81 * centre[2],
        constraints=[slip[0], slip[1]],
    )
    steady = rt.equilibrium(circling, {}, speeds={psi: 1.0, phi: 6.0}, guess={eta: -3})
    found = rt.stability(rt.linearize(steady))
    assert found.verdict is rt.Verdict.STABLE
    assert "`theta`" not in found.proviso

    inertial = disc()

    def rate(w):
        lean, falls, turns, spins = w
        q = np.array([0.0, 0.0, 0.0, lean, 0.0])
        v = np.array([0.5 * spins, 0.0, turns, falls, spins])  # at psi = 0 it rolls along x
        a = rt.dynamics(inertial, {"m": 1, "R": 0.5, "g": 9.81}, q, v).a
        return np.array([falls, a[3], a[2], a[4]])

    w = np.array([steady.q[3], 0.0, 1.0, 6.0])
    assert np.abs(rate(w)).max() < 1e-9
    slopes = [(rate(w + d) - rate(w - d)) / 2e-5 for d in 1e-5 * np.eye(4)]
    fastest = np.abs(np.linalg.eigvals(np.stack(slopes, axis=1)).imag).max()
    assert np.abs(found.eigenvalues.imag).max() == pytest.approx(fastest, rel=1e-6)
    assert np.abs(np.abs(found.eigenvalues) - 1.0).min() < 1e-9
