"""Verdicts with the numbers behind them, and their proofs."""

from __future__ import annotations

import numpy as np
import pytest
import sympy

import problems
import routh as rt
from routh import ddt
from routh.results import Reason, Region

pytestmark = pytest.mark.filterwarnings("error")


def judged(problem, proven=True, **changed):
    rest = rt.equilibrium(problem.system, problem.values | changed)
    return rt.stability(rt.linearize(rest), proven=proven)


def test_gyroscopic_stabilization_and_its_loss():
    p = problems.gyroscopic_top_of_a_hill()
    held = judged(p)
    np.testing.assert_allclose(np.sort(held.eigenvalues.imag), [-2, -0.5, 0.5, 2], rtol=1e-12)
    assert held.reason is Reason.GYROSCOPIC
    assert held.proven
    assert not held.nonlinear
    assert held.index == 0
    assert held.falling == 2
    assert "0.5 to 2 rad/s" in held.sentence
    assert "any complete damping destroys this" in held.sentence
    lost = judged(p, g=1.9)
    assert lost.reason is Reason.FLUTTER
    assert lost.proven
    assert lost.dominant == pytest.approx(0.3122498999 + 0.95j, rel=1e-9)
    assert lost.index == 2
    damped = judged(problems.gyroscopic_top_of_a_hill(damped=True))
    assert damped.verdict is rt.Verdict.UNSTABLE
    assert damped.proven
    assert damped.dominant == pytest.approx(0.00333300 + 0.49997037j, rel=1e-5)
    assert "Thomson-Tait-Chetaev" in damped.sentence


@pytest.mark.parametrize(("k1", "k2"), [(1.0, 1.0), (1.0, 4.0), (2.0, 0.5)])
def test_threshold_of_gyroscopic_stabilization(k1, k2):
    p = problems.gyroscopic_top_of_a_hill()
    edge = np.sqrt(k1) + np.sqrt(k2)
    for g, verdict in (
        (edge * (1 + 1e-6), rt.Verdict.STABLE),
        (edge * (1 - 1e-6), rt.Verdict.UNSTABLE),
    ):
        found = judged(p, g=g, k1=k1, k2=k2)
        assert found.verdict is verdict
        assert found.proven


def test_a_double_pair_on_the_axis_is_left_open_and_unproven():
    found = judged(problems.gyroscopic_top_of_a_hill(), g=2.0)
    assert found.verdict is rt.Verdict.UNDECIDED
    assert not found.proven


def test_minimum_is_proven_and_holds_for_the_nonlinear_system():
    found = judged(problems.double_pendulum())
    assert found.reason is Reason.MINIMUM
    assert found.proven
    assert found.nonlinear
    assert found.curvature == pytest.approx(6.13125, rel=1e-12)
    assert "omega^2 = 6.13125 1/s^2" in found.sentence
    assert (
        "It holds for the nonlinear equations too. Proven with interval arithmetic." in found.sentence
    )


def test_nonlinear_claims_need_a_closed_system():
    """A force -k x is a spring in the linear model; nothing is known of its energy further out."""
    x = rt.coordinate("x")
    k = rt.parameter("k")
    pulled = rt.System(kinetic=ddt(x) ** 2 / 2, forces={x: -k * x + ddt(x) ** 3})
    found = rt.stability(rt.linearize(rt.equilibrium(pulled, {"k": 4})))
    assert found.verdict is rt.Verdict.STABLE
    assert not found.nonlinear
    assert "This is shown for the linear equations only." in found.sentence


@pytest.mark.parametrize("c", [1e-12, 0.3])
def test_asymptotic_stability_is_proven_by_the_routh_array(c):
    """Tiny damping is damping: its verdict comes from structure, its proof from signs."""
    x, y = rt.coordinates("x y")
    d, k, e = rt.parameters("d k e")
    system = rt.System(
        kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2,
        potential=k * (x**2 + 2 * y**2) / 2 + e * x * y,
        dissipation=d / 2 * ddt(x) ** 2,
    )
    rest = rt.equilibrium(system, {"d": c, "k": 3, "e": 0.5})
    found = rt.stability(rt.linearize(rest), proven=True)
    if c > 1e-9:
        assert found.reason is Reason.PERVASIVE_DAMPING
        assert found.proven
    else:
        assert found.verdict in (rt.Verdict.STABLE, rt.Verdict.ASYMPTOTICALLY_STABLE)


def test_six_equilibria_are_proven_stable_or_unstable():
    p = problems.coupled_pendulums()
    found = rt.equilibria(p.system, p.values)
    proofs = rt.stability(rt.linearize(found.rest), proven=True)
    assert proofs.proven.all()
    assert proofs.sentence[0].endswith("Proven with interval arithmetic.")


def test_ziegler_under_and_over_its_loads():
    free = problems.ziegler(damped=False)
    assert judged(free, P=2.0).reason is Reason.CIRCULATORY
    assert judged(free, P=2.0).proven
    assert judged(free, P=2.2).region is Region.FLUTTER
    damped = problems.ziegler(damped=True)
    assert judged(damped, P=1.46).verdict is rt.Verdict.ASYMPTOTICALLY_STABLE
    assert judged(damped, P=1.46).proven
    assert judged(damped, P=1.47).region is Region.FLUTTER


def test_the_worst_eigenvalue_names_the_instability():
    """A real positive eigenvalue beside a pair that grows faster: flutter is what one sees."""
    x, y, z = rt.coordinates("x y z")
    system = rt.System(
        lagrangian=(ddt(x) ** 2 + ddt(y) ** 2 + ddt(z) ** 2) / 2
        - 0.5 * (x * ddt(y) - y * ddt(x))
        + (x**2 + y**2) / 2
        + 0.01 * z**2 / 2
    )
    found = rt.stability(rt.linearize(rt.equilibrium(system, {})))
    assert found.reason is Reason.FLUTTER
    assert found.index == 3


def test_map_of_the_turning_table():
    p = problems.rotating_table()
    Omega, k1 = np.linspace(0, 8, 33), np.linspace(1, 20, 20)
    found = rt.stability_map(p.system, p.values | {"c1": 0, "Omega": Omega, "k1": k1})
    m, k2 = p.values["m"], p.values["k2"]
    soft, stiff = 2 * k1[:, None] - m * Omega**2, 2 * k2 - m * Omega**2 + 0 * k1[:, None]
    falls = (soft < -1e-9).astype(int) + (stiff < -1e-9)
    clear = (np.abs(soft) > 1e-6) & (np.abs(stiff) > 1e-6)
    assert (found.region[clear & (falls == 0)] == Region.STABLE).all()
    assert (found.region[clear & (falls == 1)] == Region.DIVERGENCE).all()
    assert (found.region[clear & (falls == 2)] == Region.GYROSCOPIC).all()
    assert found.region.shape == (20, 33)
    assert "divergence" in str(found)


def test_map_follows_equilibria_that_move():
    p = problems.bead_on_hoop()
    omega, R = np.linspace(3.5, 9, 12), np.linspace(1, 2, 5)
    found = rt.stability_map(p.system, p.values | {"omega": omega, "R": R}, guess={p.theta: 1.0})
    assert np.asarray(found.rest.converged).all()
    assert (found.region == Region.STABLE).mean() > 0.9


def test_negative_damping_is_never_proven_stable():
    x = rt.coordinate("x")
    system = rt.System(
        kinetic=ddt(x) ** 2 / 2, potential=x**2 / 2, forces={x: sympy.Rational(1, 10**14) * ddt(x)}
    )
    found = rt.stability(rt.linearize(rt.equilibrium(system, {})), proven=True)
    assert found.verdict is rt.Verdict.UNSTABLE
    assert found.proven  # by Routh's array in ball arithmetic


@pytest.mark.parametrize("weak", [1e-13, 1e-17, 1e-40])
def test_weak_forces_are_what_they_are(weak):
    """Exactly: damping -c has s = c/2 ± i; skew forces c have s^2 = -1 ± i c; one force is resonance."""
    x, y = rt.coordinates("x y")
    T, V = (ddt(x) ** 2 + ddt(y) ** 2) / 2, (x**2 + y**2) / 2
    c = sympy.Float(weak)

    def judged(**forces):
        given = {x: forces.get("x", 0), y: forces.get("y", 0)}
        return rt.stability(
            rt.linearize(rt.equilibrium(rt.System(kinetic=T, potential=V, forces=given), {}))
        )

    assert judged(x=c * ddt(x)).reason is Reason.FED
    assert judged(x=c * ddt(x), y=-c * ddt(y) / 2).verdict is rt.Verdict.UNSTABLE
    assert judged(x=-c * ddt(x), y=-c * ddt(y)).verdict is rt.Verdict.ASYMPTOTICALLY_STABLE
    for forces in ({"x": c * y, "y": -c * x}, {"x": c * y}):
        assert judged(**forces).verdict is rt.Verdict.UNDECIDED
    assert judged(x=-3 * x / 10 + y / 7, y=x / 7).reason is Reason.MINIMUM  # a gradient, to rounding


def test_weak_negative_damping_of_a_stiff_spring():
    x = rt.coordinate("x")
    system = rt.System(kinetic=ddt(x) ** 2 / 2, potential=1e12 * x**2 / 2, forces={x: 1e-8 * ddt(x)})
    found = rt.stability(rt.linearize(rt.equilibrium(system, {})))
    assert found.verdict is rt.Verdict.UNSTABLE
    assert found.index == 1


def test_constants_are_enclosed_and_not_folded():
    """1 - tanh(20) is 8.5e-18, which doubles take for zero: K is positive, and only just."""
    x = rt.coordinate("x")
    e = sympy.Rational(1, 10**18)
    system = rt.System(
        kinetic=e * ddt(x) ** 2 / 2, potential=[(1 - rt.tanh(20)) * x**2 / 2, -e * x**2 / 2]
    )
    found = rt.stability(rt.linearize(rt.equilibrium(system, {})), proven=True)
    assert not (found.proven and found.verdict is rt.Verdict.UNSTABLE)


@pytest.mark.parametrize("d", [1e-9, 1e-3, 1.0])
def test_damping_that_reaches_every_mode_does_so_however_small(d):
    x, y = rt.coordinates("x y")
    c, e = rt.parameters("c e")
    system = rt.System(
        kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2,
        potential=(3 * x**2 + e * x * y + 6 * y**2) / 2,
        dissipation=c / 2 * ddt(x) ** 2,
    )
    coupled = rt.stability(rt.linearize(rt.equilibrium(system, {"c": d, "e": 1})))
    apart = rt.stability(rt.linearize(rt.equilibrium(system, {"c": d, "e": 0})))
    assert coupled.reason is Reason.PERVASIVE_DAMPING
    assert apart.reason is Reason.PARTIAL_DAMPING


def test_frequencies_that_coincide_without_coupling_are_no_doubt():
    x, y, z = rt.coordinates("x y z")
    hill = (ddt(x) ** 2 + ddt(y) ** 2) / 2 - 1.25 * (x * ddt(y) - y * ddt(x)) + (x**2 + y**2) / 2
    for stiffness in (4, 1e14):  # the third oscillator at 2 rad/s, like one of the others, or stiff
        system = rt.System(lagrangian=hill + ddt(z) ** 2 / 2 - stiffness * z**2 / 2)
        assert rt.stability(rt.linearize(rt.equilibrium(system, {}))).reason is Reason.GYROSCOPIC


def test_a_ramp_forbids_claims_about_the_nonlinear_equations():
    x = rt.coordinate("x")
    u = rt.input("u")
    system = rt.System(kinetic=ddt(x) ** 2 / 2, potential=x**2 / 2 - u * x**4 / 4)
    assert not rt.stability(rt.linearize(rt.equilibrium(system, {}, inputs={ddt(u): 1.0}))).nonlinear
    assert rt.stability(rt.linearize(rt.equilibrium(system, {}, inputs={u: 1.0}))).nonlinear


def test_tiny_complete_damping_counts_its_unstable_directions():
    found = judged(problems.gyroscopic_top_of_a_hill(damped=True), proven=False, d=1e-10)
    assert found.reason is Reason.DAMPED_NO_MINIMUM
    assert found.index == 2


def test_a_driven_or_computed_rate_is_no_proof():
    x, phi = rt.coordinates("x phi")
    torque = rt.parameter("torque")
    T = (ddt(x) ** 2 + (1 + x**2) * ddt(phi) ** 2) / 2
    pushed = rt.System(kinetic=T, potential=5 * x**2 / 2, forces={phi: torque})
    steady = rt.equilibrium(pushed, {"torque": 1e-13}, speeds={phi: 1.0})
    assert not rt.stability(rt.linearize(steady), proven=True).proven
    free = rt.System(kinetic=T, potential=5 * x**2 / 2)
    by_speed = rt.equilibrium(free, {}, speeds={phi: 1.0})
    assert rt.stability(rt.linearize(by_speed), proven=True).proven
    by_momentum = rt.equilibrium(free, {}, momenta={phi: 1.0})
    assert not rt.stability(rt.linearize(by_momentum), proven=True).proven


def test_damping_of_a_neighbour_in_the_batch_damps_nothing():
    x, y, phi = rt.coordinates("x y phi")
    c, k, w = rt.parameters("c k w")
    inertia = 1 + x**2 + x * y + y**2 / 3
    system = rt.System(
        kinetic=(ddt(x) ** 2 + ddt(y) ** 2 + inertia * ddt(phi) ** 2) / 2
        + sympy.Rational(3, 10) * ddt(x) * ddt(phi) * y,
        potential=k * x**2 / 2 + w * y**2 / 2 - x,
        dissipation=c * (ddt(x) ** 2 + ddt(y) ** 2) / 2,
    )
    for stiffness in (1.7, 2.3, 4.3):
        values = {"c": np.array([0, 0.1]), "k": stiffness, "w": 2.9}
        rest = rt.equilibrium(system, values, speeds={phi: 0.67})
        together = rt.stability(rt.linearize(rest)).reason
        alone = [rt.stability(rt.linearize(rest.single(i))).reason for i in (0, 1)]
        assert together.tolist() == alone


def test_a_kink_is_no_missing_equilibrium():
    x = rt.coordinate("x")
    k, d = rt.parameters("k d")
    system = rt.System(kinetic=ddt(x) ** 2 / 2, potential=k * sympy.Abs(x) ** 3 + d * sympy.Abs(x) * x)
    found = rt.stability_map(system, {"k": np.array([1.0, 2.0]), "d": np.array([1.0, 2.0])})
    assert set(found.region.flat) == {Region.UNDECIDED}
