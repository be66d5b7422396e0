"""Families of periodic motions: periods and special points against exact solutions, and how they end."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from scipy.special import ellipk, mathieu_a, mathieu_b

import routh as rt
from routh import cos, ddt, t

x, y, theta = rt.coordinates("x y theta")
PENDULUM = rt.System(kinetic=ddt(theta) ** 2 / 2, potential=-cos(theta))


def kinds(branch):
    return [point.kind for point in branch.points]


@pytest.mark.slow
@pytest.mark.parametrize("e", [0.8, -0.3])
def test_the_backbone_of_an_undamped_duffing_oscillator(e):
    """x'' + x + e x^3 = 0 turns at A with the period 4 K(m) / sqrt(1 + e A^2), 2 m (1 + e A^2) = e A^2."""
    system = rt.System(kinetic=ddt(x) ** 2 / 2, potential=x**2 / 2 + e * x**4 / 4)
    branch = rt.follow(rt.periodic_motion(system, {}, {x: 0.1}, 6.3), "amplitude", 1.6)
    A = branch.at
    stiff = 1 + e * A**2
    np.testing.assert_allclose(
        branch.periods, 4 * ellipk(e * A**2 / (2 * stiff)) / np.sqrt(stiff), rtol=1e-10
    )
    assert A[-1] == 1.6
    assert not branch.points


def test_a_family_along_a_parameter_keeps_where_it_turns():
    k = rt.parameter("k")
    system = rt.System(kinetic=ddt(theta) ** 2 / 2, potential=-k * cos(theta))
    branch = rt.follow(rt.periodic_motion(system, {"k": 1.0}, {theta: 2.0}, 8.3), k, 9.0)
    np.testing.assert_allclose(
        branch.periods, 4 * ellipk(np.sin(1.0) ** 2) / np.sqrt(branch.at), rtol=1e-10
    )
    np.testing.assert_allclose([motion.start[0] for motion in branch.motions], 2.0, rtol=1e-12)


@pytest.mark.slow
def test_the_cycle_of_van_der_pol_along_its_damping():
    """Periods of Urabe (1960): 6.6633, 7.6299 and 8.8591 for mu = 1, 2, 3."""
    mu = rt.parameter("mu")
    system = rt.System(
        kinetic=ddt(x) ** 2 / 2, potential=x**2 / 2, forces={x: mu * (1 - x**2) * ddt(x)}
    )
    start = rt.periodic_motion(system, {"mu": 1.0}, {x: 2.0}, 6.5)
    there = rt.follow(start, mu, 2.0)
    beyond = rt.follow(there.motions[-1], mu, 3.0)
    np.testing.assert_allclose(there.periods[[0, -1]], [6.6633, 7.6299], rtol=1e-5)
    np.testing.assert_allclose(beyond.periods[[0, -1]], [7.6299, 8.8591], rtol=1e-5)


def mathieu(q):
    """A drive x = q cos(2 t), and y beside it: y'' + (a - 2 x) y + y^3 = 0 is Mathieu's near y = 0."""
    a = rt.parameter("a")
    system = rt.System(
        kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2,
        potential=5 * x**2 / 2 + a * y**2 / 2 - x * y**2 + y**4 / 4,
        forces={x: q * cos(2 * t)},
    )
    return system, a


@pytest.mark.slow
def test_period_doublings_and_branch_points_are_the_characteristic_values_of_mathieu():
    q = 1.0
    system, a = mathieu(q)
    start = rt.periodic_motion(system, {"a": -0.3}, {x: q}, np.pi)
    branch = rt.follow(start, a, 4.6)
    double, cross = rt.Kind.PERIOD_DOUBLING, rt.Kind.BRANCH
    assert kinds(branch) == [double, double, cross, cross]
    exact = [mathieu_b(1, q), mathieu_a(1, q), mathieu_b(2, q), mathieu_a(2, q)]
    np.testing.assert_allclose([point.value for point in branch.points], exact, rtol=1e-8)
    assert [p.value for p in branch.of(double)] == [p.value for p in branch.points[:2]]
    np.testing.assert_allclose([m.amplitude(x) for m in branch.motions[::9]], q, rtol=1e-9)


def test_two_period_doublings_within_a_step_are_seen():
    """The tongue at a = 1 is 2 q wide, a fifth of the step that passes over it."""
    q = 0.006
    system, a = mathieu(q)
    start = rt.periodic_motion(system, {"a": 0.45}, {x: q}, np.pi)
    branch = rt.follow(start, a, 1.55)
    assert kinds(branch) == [rt.Kind.PERIOD_DOUBLING] * 2
    np.testing.assert_allclose(
        [point.value for point in branch.points], [mathieu_b(1, q), mathieu_a(1, q)], rtol=1e-8
    )


@pytest.mark.slow
def test_straight_orbits_of_coupled_quartic_oscillators_bifurcate_at_triangular_numbers():
    """Yoshida (1984): beside y = 0 the trace is 2 + 4 cos(pi sqrt(1 + 8 e)/2), 2 at e = p (p + 1)/2."""
    e = rt.parameter("e")
    system = rt.System(
        kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2, potential=(x**4 + y**4) / 4 + e * x**2 * y**2 / 2
    )
    start = rt.periodic_motion(system, {"e": 0.2}, {x: 1.0}, 7.4)
    branch = rt.follow(start, e, 3.4)
    assert kinds(branch) == [rt.Kind.BRANCH] * 2
    np.testing.assert_allclose([point.value for point in branch.points], [1, 3], rtol=1e-7)
    traces = [np.trace(motion.monodromy) - 2 for motion in branch.motions]
    np.testing.assert_allclose(
        traces, 2 + 4 * np.cos(np.pi / 2 * np.sqrt(1 + 8 * branch.at)), atol=1e-6
    )


@pytest.mark.slow
def test_both_kinds_of_branches_and_points_have_the_same_words():
    k = rt.parameter("k")
    system = rt.System(kinetic=ddt(x) ** 2 / 2, potential=k * x**2 / 2 + x**4 / 4)
    rests = rt.follow(rt.equilibrium(system, {"k": 1.0}), k, -1.0)
    motions = rt.follow(rt.periodic_motion(system, {"k": 1.0}, {x: 0.3}, 6.0), k, 1.5)
    for branch in (rests, motions):
        assert branch.parameter == k
        assert len(branch) == len(branch.at) == len(branch.verdicts)
        assert str(branch).startswith("Branch of ")
        assert branch.ended in str(branch)
        assert (
            f"between k = {branch.at.min():.6g} and {branch.at.max():.6g}: {len(branch)} points."
            in str(branch)
        )
        assert branch.of(rt.Kind.PERIOD_DOUBLING) == ()
        with pytest.raises(rt.DeclarationError, match=r"Expected a Kind, like Kind\.FOLD.*Got 'fold'"):
            branch.of("fold")
    assert motions.ended == "It reached k = 1.5, the end of the range."


@pytest.mark.slow
def test_families_end_in_a_rest():
    start = rt.periodic_motion(PENDULUM, {}, {theta: 0.3}, 6.3)
    for along, to in (("amplitude", 0.0), ("energy", -1.0)):
        branch = rt.follow(start, along, to)
        assert branch.ended == "It ends in a rest."
        np.testing.assert_allclose(branch.periods[-1], 2 * np.pi, rtol=1e-5)
        assert not branch.points


@pytest.mark.slow
def test_a_branch_that_turns_back_comes_back_and_is_told():
    """Duffing's answer near its upper end: the drive is moved beyond the fold, and the branch returns."""
    w, F = rt.parameters("w F")
    system = rt.System(
        kinetic=ddt(x) ** 2 / 2,
        potential=x**2 / 2 + x**4 / 20,
        dissipation=0.1 * ddt(x) ** 2 / 2,
        forces={x: F * cos(w * t)},
    )
    start = rt.periodic_motion(system, {"w": 1.32, "F": 0.3}, {x: 2.6}, 2 * np.pi / 1.32)
    branch = rt.follow(start, w, 1.5, period=2 * rt.pi / w)
    (fold,) = branch.points
    assert fold.kind is rt.Kind.FOLD
    np.testing.assert_allclose(fold.motion.floquet.multipliers[0], 1, atol=1e-6)
    assert branch.ended == "It came back to w = 1.32, where it began, without reaching 1.5."
    with pytest.raises(rt.SolveError, match=r"does not go from w = .* towards 1.5: it turns back here"):
        rt.follow(fold.motion, w, 1.5, period=2 * rt.pi / w)
    through = rt.follow(fold.motion, w, 1.32, period=2 * rt.pi / w)
    assert through.at[0] == through.at[-1] == 1.32
    np.testing.assert_allclose(through.at.max(), fold.value, rtol=1e-9)


def test_a_drive_goes_on_through_zero():
    F = rt.parameter("F")
    system = rt.System(
        kinetic=ddt(x) ** 2 / 2,
        potential=2 * x**2,
        dissipation=0.15 * ddt(x) ** 2,
        forces={x: F * cos(1.5 * t)},
    )
    start = rt.periodic_motion(system, {"F": 0.5}, {x: 0.1}, 2 * np.pi / 1.5)
    branch = rt.follow(start, F, -0.4)
    answer = 1 / (4 - 1.5**2 + 0.3j * 1.5)
    states = np.array([motion.start for motion in branch.motions])
    np.testing.assert_allclose(
        states, np.outer(branch.at, [answer.real, -1.5 * answer.imag]), atol=1e-9
    )
    assert branch.at[-1] == -0.4
    assert not branch.points


def test_small_motions_at_the_end_of_the_range_are_no_rest():
    theta = rt.coordinate("theta")
    pendulum = rt.System(kinetic=theta.rate**2 / 2, potential=-rt.cos(theta))
    motion = rt.periodic_motion(pendulum, {}, {theta: 1.0}, 6.5)
    assert "end of the range" in rt.follow(motion, "amplitude", 5e-4).ended


@pytest.mark.slow
@pytest.mark.parametrize(
    "end",
    [3.1415, 3.2],
    ids=["a hair below the separatrix", "beyond"],
)
def test_a_branch_ends_where_its_motions_are_no_longer_known(end: float):
    theta = rt.coordinate("theta")
    pendulum = rt.System(kinetic=theta.rate**2 / 2, potential=-rt.cos(theta))
    motion = rt.periodic_motion(pendulum, {}, {theta: 1.0}, 6.5)
    branch = rt.follow(motion, "amplitude", end)
    assert len(branch) < 100  # it does not crawl on where nothing closes any more
    assert max(each.gap for each in branch.motions) <= 1e-8
    assert branch.at.max() <= min(end, np.pi)
    exact = [4 * float(mpmath.ellipk(mpmath.sin(a / 2) ** 2)) for a in branch.at]
    np.testing.assert_allclose(branch.periods, exact, rtol=1e-6)
