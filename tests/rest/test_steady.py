"""Steady motions: cyclic coordinates turning at constant rates, by speed and by momentum."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import problems
import routh as rt
from routh import ddt
from routh.kernels.kernel import kernel
from routh.results import Reason


def test_conical_pendulum():
    p = problems.spherical_pendulum()
    Omega = np.array([3.0, 4.0, 6.0])
    rest = rt.equilibrium(p.system, p.values, speeds={p.phi: Omega}, guess={p.theta: 1.0})
    tilt = np.arccos(9.81 / 1.2 / Omega**2)
    np.testing.assert_allclose(rest.q[:, 0], tilt, rtol=1e-12)
    np.testing.assert_allclose(rest.v, np.column_stack([0 * Omega, Omega]))
    np.testing.assert_allclose(rest.momenta[:, 1], 1.2**2 * np.sin(tilt) ** 2 * Omega, rtol=1e-12)
    # Small oscillations about the cone: omega^2 = Omega^2 (1 + 3 cos^2 tilt).
    modes = rt.modes(rt.linearize(rest))
    np.testing.assert_allclose(
        modes.frequencies[:, 1], Omega * np.sqrt(1 + 3 * np.cos(tilt) ** 2), rtol=1e-12
    )
    assert (modes.eigenvalues[:, :2] == 0).all()
    assert all(reason is Reason.MINIMUM for reason in modes.stability.reason)


def test_the_linear_model_about_a_steady_motion_is_the_derivative_of_the_equations():
    """M, C, K against central differences of the residual about the moving reference."""
    p = problems.heavy_top()
    rest = rt.equilibrium(
        p.system, p.values, speeds={p.phi: 0.2028361815, p.psi: 19.86017379}, guess={p.theta: 0.8}
    )
    assert 0.5 < abs(rest.q[0]) < 1
    linear = rt.linearize(rest)
    engine, point = kernel(p.system), rest.point()
    h = 1e-5
    for name, expected in (("a", linear.M), ("v", linear.D + linear.G), ("q", linear.K + linear.H)):
        columns = []
        for k in range(3):
            ends = []
            for sign in (1, -1):
                moved = getattr(point, name).copy()
                moved[:, k] += sign * h
                ends.append(engine.residual(replace(point, **{name: moved}))[0])
            columns.append((ends[0] - ends[1]) / (2 * h))
        np.testing.assert_allclose(np.array(columns).T, expected, atol=1e-8)


def test_steady_precession_of_a_top_by_momenta_and_by_speeds_agree():
    p = problems.heavy_top()
    A, C, mgl = 1, 0.5, 2
    by_momenta = rt.equilibrium(
        p.system, p.values, momenta={p.phi: 7.0, p.psi: 10.0}, guess={p.theta: 0.8}
    )
    theta = by_momenta.q[0]
    precession, spin = by_momenta.v[1:]
    # A Omega^2 cos(theta) - C omega3 Omega + m g l = 0, omega3 the spin about the axis.
    omega3 = spin + precession * np.cos(theta)
    assert A * precession**2 * np.cos(theta) - C * omega3 * precession + mgl == pytest.approx(
        0, abs=1e-12
    )
    assert by_momenta.momenta[1:] == pytest.approx([7, 10], rel=1e-12)
    by_speeds = rt.equilibrium(
        p.system, p.values, speeds={p.phi: precession, p.psi: spin}, guess={p.theta: theta + 0.05}
    )
    assert by_speeds.q[0] == pytest.approx(theta, rel=1e-10)
    verdict = rt.stability(rt.linearize(by_speeds))
    assert verdict.verdict is rt.Verdict.STABLE
    assert "At constant momentum of `phi` and `psi`" in verdict.sentence
    assert "Routh's theorem" in verdict.sentence


@pytest.mark.parametrize("spin", [3.5, 5.0, 6.5])
def test_sleeping_top_needs_its_spin(spin):
    """Threshold omega3 > 2 sqrt(A m g l) / C = 5.657, in coordinates that are regular upright."""
    x, y = rt.coordinates("x y")  # horizontal components of the axis
    psi = rt.coordinate("psi")
    A, C, mgl = rt.parameters("A C mgl")
    turn = (x * ddt(y) - y * ddt(x)) / 2
    top = rt.System(
        kinetic=A / 2 * (ddt(x) ** 2 + ddt(y) ** 2) + C / 2 * (ddt(psi) - turn) ** 2,
        potential=mgl * (1 - (x**2 + y**2) / 2),
    )
    rest = rt.equilibrium(top, {"A": 1, "C": 0.5, "mgl": 2}, speeds={psi: spin})
    judged = rt.stability(rt.linearize(rest))
    stable = spin > 2 * np.sqrt(2) / 0.5
    assert judged.verdict is (rt.Verdict.STABLE if stable else rt.Verdict.UNSTABLE)
    assert judged.reason is (Reason.GYROSCOPIC if stable else Reason.FLUTTER)
    assert judged.falling == 2


def test_circular_orbit_oscillates_with_its_own_rate():
    r, phi = rt.coordinates("r phi")
    mu = rt.parameter("mu")
    orbit = rt.System(kinetic=(ddt(r) ** 2 + r**2 * ddt(phi) ** 2) / 2, potential=-mu / r)
    n = np.array([0.5, 1.0, 2.0])
    rest = rt.equilibrium(orbit, {"mu": 1}, speeds={phi: n}, guess={r: n ** (-2 / 3) * 1.1})
    np.testing.assert_allclose(rest.q[:, 0], n ** (-2 / 3), rtol=1e-12)
    linear = rt.linearize(rest)
    np.testing.assert_allclose(rt.modes(linear).frequencies[:, 1], n, rtol=1e-12)
    reduced = linear.at_constant_momenta
    np.testing.assert_allclose(reduced.K[:, 0, 0] / reduced.M[:, 0, 0], n**2, rtol=1e-12)


def test_reduction_keeps_all_eigenvalues_but_the_zeros():
    p = problems.heavy_top()
    rest = rt.equilibrium(p.system, p.values, momenta={p.phi: 7.0, p.psi: 10.0}, guess={p.theta: 0.8})
    linear = rt.linearize(rest)
    whole = rt.modes(linear).eigenvalues
    reduced = rt.modes(linear.at_constant_momenta).eigenvalues
    assert np.sum(whole == 0) == 4
    np.testing.assert_allclose(np.sort_complex(whole[whole != 0]), np.sort_complex(reduced), rtol=1e-10)


def test_a_driven_and_damped_rotor_is_judged_apart_from_its_phase():
    phi, x = rt.coordinates("phi x")
    c, k, J = rt.parameters("c k J")
    u = rt.input("u")
    system = rt.System(
        kinetic=J / 2 * ddt(phi) ** 2 + ddt(x) ** 2 / 2 + x**2 * ddt(phi) ** 2 / 2,
        potential=k * (x - 1) ** 2 / 2,
        dissipation=c / 2 * (ddt(phi) ** 2 + ddt(x) ** 2),
        forces={phi: u},
    )
    values = {"c": 0.1, "k": 50, "J": 2}
    rest = rt.equilibrium(system, values, speeds={phi: 5.0}, inputs={u: 0.5})
    assert rest.q[1] == pytest.approx(50 / (50 - 25), rel=1e-12)
    judged = rt.stability(rt.linearize(rest))
    assert judged.verdict is rt.Verdict.ASYMPTOTICALLY_STABLE
    assert "Apart from the places of `phi`" in judged.sentence
    with pytest.raises(rt.NoEquilibrium, match=r"a force 0.5 is left on `phi`.*drive or damping"):
        rt.equilibrium(system, values, speeds={phi: 5.0})


def test_what_is_not_cyclic_cannot_turn_steadily():
    p = problems.double_pendulum()
    with pytest.raises(rt.NoEquilibrium, match=r"no steady motion in which `theta1` moves on"):
        rt.equilibrium(p.system, p.values, speeds={p.th1: 2.0})
    with pytest.raises(rt.DeclarationError, match="cannot have both a speed and a momentum"):
        rt.equilibrium(p.system, p.values, speeds={p.th1: 2.0}, momenta={p.th1: 2.0})
    with pytest.raises(rt.DeclarationError, match=r"`speeds` has `theta3`.*Did you mean `theta2`"):
        rt.equilibrium(p.system, p.values, speeds={"theta3": 2.0})


def test_poles_of_the_coordinates_are_called_so():
    p = problems.spherical_pendulum()
    standing = rt.equilibrium(p.system, p.values, guess={p.theta: 3.0})
    assert rt.stability(rt.linearize(standing)).reason is Reason.SINGULAR


def test_steady_motion_with_a_constraint():
    """The conical pendulum with its height as a coordinate: the same frequency."""
    r, h, phi = rt.coordinates("r h phi")
    system = rt.System(
        kinetic=(ddt(r) ** 2 + ddt(h) ** 2 + r**2 * ddt(phi) ** 2) / 2,
        potential=9.81 * h,
        constraints=[(r**2 + h**2 - 1.44) / 2],
    )
    rest = rt.equilibrium(system, {}, speeds={phi: 4.0}, guess={r: 1, h: -0.6})
    judged = rt.stability(rt.linearize(rest))
    cosine = 9.81 / 1.2 / 16
    assert judged.reason is Reason.MINIMUM
    assert judged.curvature == pytest.approx(16 * (1 + 3 * cosine**2), rel=1e-10)


def test_gears_turn_together():
    alpha, phi, psi = rt.coordinates("alpha phi psi")
    kinetic = (ddt(alpha) ** 2 + (0.2 + rt.sin(alpha) ** 2) * ddt(phi) ** 2 + ddt(psi) ** 2) / 2
    geared = rt.System(kinetic=kinetic, potential=-9.81 * rt.cos(alpha), constraints=[phi - 2 * psi])
    rest = rt.equilibrium(geared, {}, speeds={phi: 4.0, psi: 2.0}, guess={alpha: 1})
    by_hand = rt.System(
        kinetic=(ddt(alpha) ** 2 + (0.45 + rt.sin(alpha) ** 2) * ddt(phi) ** 2) / 2,
        potential=-9.81 * rt.cos(alpha),
    )
    other = rt.equilibrium(by_hand, {}, speeds={phi: 4.0}, guess={alpha: 1})
    first, second = (rt.stability(rt.linearize(r)) for r in (rest, other))
    assert first.reason is second.reason is Reason.MINIMUM
    assert first.curvature == pytest.approx(second.curvature, rel=1e-10)


def test_points_of_a_batch_are_judged_each_in_its_own_way():
    p = problems.spherical_pendulum()
    speeds = np.array([0.0, 2.0, 4.0, 6.0])
    rest = rt.equilibrium(p.system, p.values, speeds={p.phi: speeds}, guess={p.theta: 1.0})
    together = rt.stability(rt.linearize(rest))
    assert [str(v) for v in together.verdict[2:]] == ["stable", "stable"]
    assert [str(v) for v in together.verdict[:2]] == ["undecided", "undecided"]  # hanging: a pole


def test_momentum_zero_is_a_momentum():
    x, phi = rt.coordinates("x phi")
    system = rt.System(kinetic=(ddt(x) ** 2 + (1 + x**2) * ddt(phi) ** 2) / 2, potential=x**2 / 2)
    for momentum in (0.0, 1e-6):
        rest = rt.equilibrium(system, {}, momenta={phi: momentum})
        assert rt.stability(rt.linearize(rest)).reason is Reason.MINIMUM
