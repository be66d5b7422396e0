"""Branches of equilibria: folds, pitchforks, Hopf and flutter points located, branches switched."""

from __future__ import annotations

import numpy as np
import pytest

import problems
import routh as rt
from routh import ddt, sin


def test_pitchfork_of_the_bead_is_located_and_both_branches_followed():
    p = problems.bead_on_hoop()
    straight = rt.follow(rt.equilibrium(p.system, p.values), "omega", 6)
    (point,) = straight.points
    assert point.kind is rt.Kind.BRANCH
    critical = np.sqrt(9.81 / 1.2)
    assert point.value == pytest.approx(critical, abs=1e-10)
    before = straight.at < critical
    verdicts = straight.stability.verdict
    assert all(v is rt.Verdict.STABLE for v in verdicts[before])
    assert all(v is rt.Verdict.UNSTABLE for v in verdicts[~before])
    tilted = straight.switch(point)
    beyond = np.abs(tilted.q[:, 0]) > 1e-3
    theta, omega = tilted.q[beyond, 0], tilted.at[beyond]
    np.testing.assert_allclose(np.cos(theta), 9.81 / (omega**2 * 1.2), rtol=1e-10)
    np.testing.assert_allclose(
        tilted.modes.frequencies[beyond, 0], omega * np.abs(np.sin(theta)), rtol=1e-8
    )
    assert theta.min() < -1.3
    assert theta.max() > 1.3
    assert all(v is rt.Verdict.STABLE for v in tilted.stability.verdict[beyond])
    assert tilted.at[[0, -1]] == pytest.approx([6, 6])


def test_fold_of_the_truss_is_where_it_snaps():
    p = problems.two_bar_truss()
    k, a, h = 100, 1, 0.3
    branch = rt.follow(rt.equilibrium(p.system, p.values, guess={p.x: 0.3}), "F", 3)
    (fold,) = branch.of(rt.Kind.FOLD)
    # F = 2 k x (l0 / l - 1) with l^2 = a^2 + x^2, largest where l^3 = a^2 l0
    l0 = np.hypot(a, h)
    l = (a**2 * l0) ** (1 / 3)
    x = np.sqrt(l**2 - a**2)
    assert fold.value == pytest.approx(2 * k * x * (l0 / l - 1), rel=1e-10)
    assert fold.rest.q[0] == pytest.approx(x, rel=1e-6)
    assert "end of the range" in branch.ended
    assert branch.at[-1] == pytest.approx(0)
    residual = 2 * k * branch.q[:, 0] * (l0 / np.hypot(a, branch.q[:, 0]) - 1) - branch.at
    np.testing.assert_allclose(residual, 0, atol=1e-10)


def test_ziegler_flutters_at_its_loads():
    free = problems.ziegler(damped=False)
    branch = rt.follow(rt.equilibrium(free.system, free.values), "P", 3)
    (point,) = branch.points
    assert point.kind is rt.Kind.FLUTTER
    assert point.value == pytest.approx(3.5 - np.sqrt(2), rel=1e-10)
    damped = problems.ziegler(damped=True)
    branch = rt.follow(rt.equilibrium(damped.system, damped.values), "P", 3)
    (point,) = branch.points
    assert point.kind is rt.Kind.HOPF
    assert point.value == pytest.approx(41 / 28, rel=1e-8)  # corrections are of order d^2
    # At the onset M s^2 + C s + K has the root i w: w^2 from the imaginary part of its determinant.
    s = rt.modes(rt.linearize(point.rest)).eigenvalues
    assert np.abs(s.real).min() < 1e-12
    assert point.frequency == pytest.approx(np.abs(s.imag[np.argmin(np.abs(s.real))]), rel=1e-5)


@pytest.mark.parametrize("n", [2, 3, 5])
def test_buckling_loads_of_the_chain(n):
    p = problems.buckling_chain(n)
    branch = rt.follow(rt.equilibrium(p.system, p.values), "P", 4.5)
    loads = [point.value for point in branch.of(rt.Kind.BRANCH)]
    k = np.arange(1, n)
    np.testing.assert_allclose(loads, 4 * np.sin(k * np.pi / (2 * n)) ** 2, rtol=1e-9)
    if n == 5:
        np.testing.assert_allclose(loads, [0.38196601, 1.38196601, 2.61803399, 3.61803399], rtol=1e-8)
    buckled = branch.switch(branch.of(rt.Kind.BRANCH)[0])
    middle = np.argmin(np.abs(buckled.q).max(axis=1))
    shape = buckled.q[middle + 3] / np.abs(buckled.q[middle + 3]).max()
    expected = np.sin(k * np.pi / n)
    np.testing.assert_allclose(np.abs(shape), expected / expected.max(), atol=0.02)


def test_following_an_input_and_downwards():
    p = problems.pushed_pendulum()
    rest = rt.equilibrium(p.system, p.values, inputs={p.F: 4})
    branch = rt.follow(rest, p.F, -4)
    np.testing.assert_allclose(np.tan(branch.q[:, 0]), branch.at / (2 * 9.81), rtol=1e-10, atol=1e-12)
    assert branch.at[0] == 4
    assert branch.at[-1] == -4
    assert not branch.points


def test_following_the_speed_of_a_steady_motion():
    p = problems.spherical_pendulum()
    rest = rt.equilibrium(p.system, p.values, speeds={p.phi: 5.0}, guess={p.theta: 1.0})
    branch = rt.follow(rest, ddt(p.phi), 3.0)
    np.testing.assert_allclose(np.cos(branch.q[:, 0]), 9.81 / 1.2 / branch.at**2, rtol=1e-10)
    np.testing.assert_allclose(branch.rest.v[:, 1], branch.at)


def test_through_an_s_curve_with_two_folds():
    """x^3 - 3 x = mu: folds at mu = +-2; the branch comes back and reaches the end."""
    x = rt.coordinate("x")
    mu = rt.parameter("mu")
    system = rt.System(kinetic=ddt(x) ** 2 / 2, potential=x**4 / 4 - 3 * x**2 / 2 - mu * x)
    start = rt.equilibrium(system, {"mu": -4}, guess={x: -2.2})
    branch = rt.follow(start, mu, 4)
    folds = branch.of(rt.Kind.FOLD)
    np.testing.assert_allclose([f.value for f in folds], [2, -2], rtol=1e-10)
    np.testing.assert_allclose([f.rest.q[0] for f in folds], [-1, 1], rtol=1e-6)
    assert branch.at[-1] == 4
    assert branch.q[-1, 0] == pytest.approx(2.19582335, rel=1e-8)


def test_a_closed_branch_is_noticed():
    """An isola: (x^2 + (mu - 1)^2 - 1/4) x = 0 without the straight branch."""
    x = rt.coordinate("x")
    mu = rt.parameter("mu")
    force = -(x**2 + (mu - 1) ** 2 - rt.parameter("r", 0.25))
    system = rt.System(kinetic=ddt(x) ** 2 / 2, forces={x: force})
    start = rt.equilibrium(system, {"mu": 1.0}, guess={x: 0.4})
    branch = rt.follow(start, mu, 2)
    assert len(branch.of(rt.Kind.FOLD)) == 1  # from mu = 1 upwards and back to mu = 1
    np.testing.assert_allclose(branch.q[:, 0] ** 2 + (branch.at - 1) ** 2, 0.25, rtol=1e-10)


def test_transcritical_exchange_of_stability():
    x = rt.coordinate("x")
    mu = rt.parameter("mu")
    system = rt.System(
        kinetic=ddt(x) ** 2 / 2, potential=-mu * x**2 / 2 + x**3 / 3, dissipation=ddt(x) ** 2 / 2
    )
    trivial = rt.follow(rt.equilibrium(system, {"mu": -1}), mu, 1)
    (point,) = trivial.points
    assert point.value == pytest.approx(0, abs=1e-10)
    other = trivial.switch(point)
    np.testing.assert_allclose(other.q[:, 0], other.at, atol=1e-9)
    assert {str(v) for v in other.stability.verdict} >= {"asymptotically stable", "unstable"}


def test_units_do_not_change_what_is_found():
    """The truss in micrometres and kilonewtons."""
    p = problems.two_bar_truss()
    small = p.values | {"a": 1e-6, "h": 0.3e-6, "k": 1e8}
    branch = rt.follow(rt.equilibrium(p.system, small, guess={p.x: 0.3e-6}), "F", 3)
    (fold,) = branch.of(rt.Kind.FOLD)
    assert fold.value == pytest.approx(0.9949916958, rel=1e-8)


def test_what_cannot_be_followed_is_said():
    p = problems.bead_on_hoop()
    rest = rt.equilibrium(p.system, p.values)
    with pytest.raises(rt.DeclarationError, match=r"`omga` does not enter.*Did you mean `omega`"):
        rt.follow(rest, "omga", 6)
    with pytest.raises(rt.DeclarationError, match=r"`mu` does not enter the energies"):
        rt.follow(rest, rt.parameter("mu"), 6)
    with pytest.raises(rt.DeclarationError, match=r"other than the present value of `omega`, 0.5"):
        rt.follow(rest, "omega", 0.5)
    with pytest.raises(rt.DeclarationError, match="`step` must be a number above zero"):
        rt.follow(rest, "omega", 6, step=-1)
    with pytest.raises(rt.DeclarationError, match="follow needs an Equilibrium"):
        rt.follow(p.system, "omega", 6)
    batch = rt.equilibrium(p.system, p.values | {"omega": np.array([1.0, 2.0])})
    with pytest.raises(rt.DeclarationError, match="follow starts from one equilibrium"):
        rt.follow(batch, "omega", 6)
    branch = rt.follow(rest, "omega", 6)
    with pytest.raises(rt.DeclarationError, match="switch needs a branch point of this branch"):
        branch.switch("omega")
    x, y = rt.coordinates("x y")
    ring = rt.System(
        kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2,
        potential=rt.parameter("k") * (x**2 + y**2 - 1) ** 2 / 4,
    )
    with pytest.raises(rt.SolveError, match="belongs to a family"):
        rt.follow(rt.equilibrium(ring, {"k": 1}, guess={x: 0.5, y: 0.5}), "k", 2)


def test_a_parameter_that_starts_to_shake_is_noticed():
    theta = rt.coordinate("theta")
    a = rt.parameter("a")
    shaken = rt.System(kinetic=ddt(theta) ** 2 / 2, potential=-rt.cos(theta) + a * sin(rt.t) * theta)
    rest = rt.equilibrium(shaken, {"a": 0})
    with pytest.raises(rt.NoEquilibrium, match="changes with time"):
        rt.follow(rest, a, 1)
