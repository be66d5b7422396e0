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
    assert branch.ended == "It came back to F = 0, where it began, without reaching 3."
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


@pytest.mark.parametrize("n", [2, pytest.param(5, marks=pytest.mark.slow)])
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


def test_a_field_and_its_space_cannot_be_followed():
    s, k = rt.space("s", 0, 1), rt.parameter("k")
    w = rt.field("w", over=s)
    string = rt.System(
        kinetic=rt.integral(ddt(w) ** 2 / 2, s),
        potential=rt.integral(k * rt.diff(w, s) ** 2 / 2 - w, s),
        constraints=[rt.at(w, s, 0), rt.at(w, s, 1)],
    )
    rest = rt.equilibrium(rt.discretize(string, {w: 3}), {k: 1.0})
    for field in ("w", w, ddt(w), "w_t"):
        with pytest.raises(rt.DeclarationError, match=r"is a field: it is found, .* one of: k\.$"):
            rt.follow(rest, field, 1)
    for space in ("s", s):
        with pytest.raises(rt.DeclarationError, match=r"`s` is a space: .* one of: k\.$"):
            rt.follow(rest, space, 1)


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


mu = rt.parameter("mu")


def one(potential):
    x = rt.coordinate("x")
    return x, rt.System(kinetic=ddt(x) ** 2 / 2, potential=potential(x))


def two(potential):
    x, y = rt.coordinates("x y")
    T = (ddt(x) ** 2 + ddt(y) ** 2) / 2
    return x, y, rt.System(kinetic=T, potential=potential(x, y))


def found(branch):
    return [(p.kind.name, pytest.approx(p.value, abs=1e-9)) for p in branch.points]


def test_pitchfork_met_from_its_curved_branch():
    x, system = one(lambda x: -(mu - 0.7) * x**2 / 2 + x**4 / 4)
    branch = rt.follow(rt.equilibrium(system, {"mu": 2}, guess={x: 1.3}), mu, -1)
    assert found(branch) == [("BRANCH", 0.7)]
    assert branch.at[-1] == 2  # round the bend and out on the other side
    assert branch.q[-1, 0] < -1


def test_loads_that_coincide_or_nearly_so():
    *_, system = two(lambda x, y: (1 - mu) * (x**2 + y**2) / 2 + (x**2 + y**2) ** 2 / 4)
    branch = rt.follow(rt.equilibrium(system, {"mu": 0}), mu, 3)
    (point,) = branch.points
    assert (point.value, point.multiplicity) == (pytest.approx(1, abs=1e-9), 2)
    with pytest.raises(rt.SolveError, match="3 branches or more cross at mu = 1"):
        branch.switch(point)
    *_, system = two(lambda x, y: (1 - mu) * x**2 / 2 + (1.01 - mu) * y**2 / 2 + (x**4 + y**4) / 4)
    branch = rt.follow(rt.equilibrium(system, {"mu": 0}), mu, 4.5)
    assert found(branch) == [("BRANCH", 1), ("BRANCH", 1.01)]


@pytest.mark.slow
def test_all_loads_of_a_long_chain():
    p = problems.buckling_chain(30)
    branch = rt.follow(rt.equilibrium(p.system, p.values | {"P": 0.001}), "P", 4.5)
    loads = [point.value for point in branch.points]
    np.testing.assert_allclose(loads, 4 * np.sin(np.arange(1, 30) * np.pi / 60) ** 2, rtol=1e-8)


def test_switching_takes_the_branch_that_crosses_there():
    *_, system = two(lambda x, y: -mu * x**2 / 2 + x**4 / 4 + (2 - mu) * y**2 / 2 + y**4 / 4)
    branch = rt.follow(rt.equilibrium(system, {"mu": -1}), mu, 6)
    first, second = (branch.switch(p).q[[0, -1]] for p in branch.points)
    np.testing.assert_allclose(np.abs(first), [[np.sqrt(6), 0]] * 2, atol=1e-9)
    np.testing.assert_allclose(np.abs(second), [[0, 2]] * 2, atol=1e-9)


@pytest.mark.slow
def test_switching_with_a_constraint():
    """The bead on the hoop in Cartesian coordinates of the turning plane."""
    x, z = rt.coordinates("x z")
    omega = rt.parameter("omega")
    system = rt.System(
        kinetic=(ddt(x) ** 2 + ddt(z) ** 2 + omega**2 * x**2) / 2,
        potential=9.81 * z,
        constraints=[(x**2 + z**2 - 1.44) / 2],
    )
    straight = rt.follow(rt.equilibrium(system, {"omega": 0.5}, guess={z: -1.2}), omega, 6)
    (point,) = straight.points
    assert point.value == pytest.approx(np.sqrt(9.81 / 1.2), abs=1e-9)
    tilted = straight.switch(point)
    np.testing.assert_allclose(tilted.q[[0, -1], 1], -9.81 / 36, rtol=1e-9)


@pytest.mark.parametrize("R", [1e-6, 1.2, 1e6])
def test_switching_at_any_scale(R):
    s = rt.coordinate("s")
    size, omega = rt.parameters("R omega")
    system = rt.System(
        kinetic=(ddt(s) ** 2 + omega**2 * size**2 * sin(s / size) ** 2) / 2,
        potential=-9.81 * size * rt.cos(s / size),
    )
    critical = np.sqrt(9.81 / R)
    straight = rt.follow(rt.equilibrium(system, {"R": R, "omega": 0.1 * critical}), omega, 2 * critical)
    tilted = straight.switch(straight.points[0])
    np.testing.assert_allclose(np.abs(tilted.q[[0, -1], 0]) / R, np.arccos(0.25), rtol=1e-9)


@pytest.mark.slow
def test_a_closed_branch_through_two_branch_points():
    x = rt.coordinate("x")
    system = rt.System(kinetic=ddt(x) ** 2 / 2, forces={x: -x * (x**2 + (mu - 1) ** 2 - 0.25)})
    straight = rt.follow(rt.equilibrium(system, {"mu": 0}), mu, 2)
    assert found(straight) == [("BRANCH", 0.5), ("BRANCH", 1.5)]
    ring = straight.switch(straight.points[0])
    assert ring.ended == "It closed on itself."
    assert len(ring) < 200
    np.testing.assert_allclose(ring.q[:, 0] ** 2 + (ring.at - 1) ** 2, 0.25, atol=1e-9)
    assert sorted(p.value for p in ring.points) == pytest.approx([0.5, 1.5], abs=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize(("gap", "ends"), [(-1e-4, (-1, 1)), (1e-6, (1, -1))])
def test_no_jump_across_a_gap(gap, ends):
    """x^2 = mu^2 + gap: two sheets that nearly touch."""
    x, system = one(lambda x: x**3 / 3 - (mu**2 + gap) * x)
    branch = rt.follow(rt.equilibrium(system, {"mu": -1}, guess={x: -1}), mu, 1)
    assert (branch.at[-1], branch.q[-1, 0]) == (ends[0], pytest.approx(ends[1], abs=1e-3))
    folds = [] if gap > 0 else [("FOLD", -0.01)]
    assert found(branch) == folds


@pytest.mark.slow
def test_beyond_flutter_growing_pairs_may_become_real():
    free = problems.ziegler(damped=False)
    branch = rt.follow(rt.equilibrium(free.system, free.values), "P", 6)
    assert found(branch) == [("FLUTTER", 3.5 - np.sqrt(2))]
    x = rt.coordinate("x")
    pushed = rt.System(kinetic=ddt(x) ** 2 / 2, potential=x**2 / 2, forces={x: 2 * mu * ddt(x)})
    assert found(rt.follow(rt.equilibrium(pushed, {"mu": -2}), mu, 2.1)) == [("HOPF", 0)]


def test_two_oscillations_that_begin_within_one_step():
    x, y = rt.coordinates("x y")
    system = rt.System(
        kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2,
        potential=x**2 / 2 + 2 * y**2,
        forces={x: mu * ddt(x), y: (mu - 0.01) * ddt(y)},
    )
    branch = rt.follow(rt.equilibrium(system, {"mu": -1}), mu, 1)
    assert found(branch) == [("HOPF", 0), ("HOPF", 0.01)]
    assert [p.frequency for p in branch.points] == pytest.approx([1, 2], rel=1e-9)


@pytest.mark.slow
def test_folds_beside_a_subcritical_pitchfork():
    _, system = one(lambda x: -mu * x**2 / 2 - x**4 / 4 + 1e4 * x**6 / 6)
    straight = rt.follow(rt.equilibrium(system, {"mu": -1}), mu, 1)
    other = straight.switch(straight.points[0])
    assert [p.kind.name for p in other.points] == ["FOLD", "BRANCH", "FOLD"]
    np.testing.assert_allclose([p.value for p in other.points], [-2.5e-5, 0, -2.5e-5], atol=1e-9)


@pytest.mark.slow
def test_starting_at_a_fold():
    x, system = one(lambda x: x**4 / 4 - 3 * x**2 / 2 - mu * x)
    at_fold = rt.equilibrium(system, {"mu": 2}, guess={x: -1.0})
    with pytest.raises(rt.SolveError, match=r"does not go from mu = 2 towards 4: it turns back here"):
        rt.follow(at_fold, mu, 4)
    both = rt.follow(at_fold, mu, -4)
    assert len(both.of(rt.Kind.FOLD)) >= 1


def test_momenta_are_held_while_a_parameter_moves():
    p = problems.spherical_pendulum()
    rest = rt.equilibrium(p.system, p.values, momenta={p.phi: 3.0}, guess={p.theta: 1.0})
    branch = rt.follow(rest, "g", 12)
    np.testing.assert_allclose(branch.rest.momenta[:, 1], 3, rtol=1e-10)


@pytest.mark.slow
def test_a_conical_pendulum_slows_down_to_its_pitchfork():
    p = problems.spherical_pendulum()
    rest = rt.equilibrium(p.system, p.values, speeds={p.phi: 4.0}, guess={p.theta: 1.0})
    branch = rt.follow(rest, ddt(p.phi), 2.0)
    assert found(branch) == [("BRANCH", np.sqrt(9.81 / 1.2))]


def test_what_a_drive_holds_must_stay_balanced():
    x, phi = rt.coordinates("x phi")
    c = rt.parameter("c")
    u = rt.input("u")
    system = rt.System(
        kinetic=(ddt(phi) ** 2 + ddt(x) ** 2 + x**2 * ddt(phi) ** 2) / 2,
        potential=50 * (x - 1) ** 2 / 2,
        dissipation=c / 2 * (ddt(phi) ** 2 + ddt(x) ** 2),
        forces={phi: u},
    )
    rest = rt.equilibrium(system, {"c": 0.1}, speeds={phi: 5.0}, inputs={u: 0.5})
    with pytest.raises(rt.NoEquilibrium, match="is left on `phi`"):
        rt.follow(rest, c, 0.3)


def test_slopes_that_are_not_finite_are_said():
    _, system = one(lambda x: x**2 / 2 - rt.sqrt(mu) * x)
    with pytest.raises(rt.SolveError, match=r"no slope by `mu` at 0"):
        rt.follow(rt.equilibrium(system, {"mu": 0}), mu, 1)
    with pytest.raises(rt.DeclarationError, match=r"Expected a Kind, like Kind\.FOLD"):
        rt.follow(rt.equilibrium(system, {"mu": 1}), mu, 2).of("fold")


def test_events_that_cancel_within_one_step():
    """One direction becomes stiff where another becomes soft; one oscillation begins, another ends."""
    *_, system = two(lambda x, y: (mu - 0.3) * x**2 / 2 - (mu - 0.301) * y**2 / 2 + (x**4 + y**4) / 4)
    branch = rt.follow(rt.equilibrium(system, {"mu": -1}), mu, 1.1)
    assert found(branch) == [("BRANCH", 0.3), ("BRANCH", 0.301)]
    x, y = rt.coordinates("x y")
    T = (ddt(x) ** 2 + ddt(y) ** 2) / 2
    swap = rt.System(
        kinetic=T,
        potential=(x**2 + 4 * y**2) / 2,
        forces={x: (mu - 0.3) * ddt(x), y: -(mu - 0.31) * ddt(y)},
    )
    branch = rt.follow(rt.equilibrium(swap, {"mu": -1}), mu, 1.1)
    assert found(branch) == [("HOPF", 0.3), ("HOPF", 0.31)]
    both = rt.System(
        kinetic=T,
        potential=x**2 / 2 + (mu - 0.305) * y**2 / 2 + y**4 / 4,
        forces={x: (mu - 0.3) * ddt(x), y: -ddt(y)},
    )
    branch = rt.follow(rt.equilibrium(both, {"mu": -1}), mu, 1.1)
    assert found(branch) == [("HOPF", 0.3), ("BRANCH", 0.305)]


def test_a_branch_point_at_the_very_end():
    _, system = one(lambda x: -mu * x**2 / 2 + x**4 / 4)
    assert found(rt.follow(rt.equilibrium(system, {"mu": -1}), mu, 0.0)) == [("BRANCH", 0)]


def test_a_stiff_system_is_no_family():
    *_, system = two(lambda x, y: 1e10 * (x - y) ** 2 / 2 + y**2 / 2 - mu * x)
    branch = rt.follow(rt.equilibrium(system, {"mu": 0}), mu, 1)
    np.testing.assert_allclose(branch.q[:, 1], branch.at, atol=1e-6)


@pytest.mark.slow
def test_a_branch_that_runs_away_ends():
    _, system = one(lambda x: x**2 * mu / 2 - x)
    branch = rt.follow(rt.equilibrium(system, {"mu": 1}), mu, -1)
    assert "`x` has moved by 1.0e+07 times the size it began with" in branch.ended
    assert "goes on growing" in branch.ended
    np.testing.assert_allclose(branch.q[:, 0] * branch.at, 1, rtol=1e-9)


@pytest.mark.slow
def test_the_other_branch_is_followed_in_steps():
    """Branch points of the switched branch are seen, and the range is walked through."""
    *_, system = two(
        lambda x, y: -(mu * x**2 / 2 - x**3 / 3) + (x - 0.3) * (x - 0.5) * y**2 / 2 + y**4 / 4
    )
    trivial = rt.follow(rt.equilibrium(system, {"mu": -1}), mu, 1)
    other = trivial.switch(next(p for p in trivial.points if abs(p.value) < 1e-6))
    assert np.abs(np.diff(other.at)).max() < 0.1
    values = sorted(p.value for p in other.points)
    np.testing.assert_allclose(values, [0, 0.3, 0.5], atol=1e-6)


def test_held_momenta_and_coordinates_cannot_be_moved():
    p = problems.spherical_pendulum()
    rest = rt.equilibrium(p.system, p.values, momenta={p.phi: 3.0}, guess={p.theta: 1.0})
    with pytest.raises(rt.DeclarationError, match=r"can be moved if it was given in `speeds`"):
        rt.follow(rest, ddt(p.phi), 5.0)
    with pytest.raises(rt.DeclarationError, match=r"`theta` is a coordinate: it is found, not given"):
        rt.follow(rest, p.theta, 5.0)


@pytest.mark.parametrize(
    "seed", [*range(2), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 12))]
)
def test_all_folds_of_a_polynomial_branch(seed):
    """mu = p(x): the folds are where p' = 0, however close to each other."""
    generator = np.random.default_rng(seed)
    turns = np.sort(generator.uniform(-1.5, 1.5, 4))
    slope = np.polynomial.polynomial.polyfromroots(turns)
    curve = np.polynomial.Polynomial(slope).integ()
    x = rt.coordinate("x")
    force = mu - sum(float(c) * x**k for k, c in enumerate(curve.coef))
    system = rt.System(kinetic=ddt(x) ** 2 / 2, forces={x: force})
    low, high = curve(-2.2), curve(2.2)
    start = rt.equilibrium(system, {"mu": low}, guess={x: -2.2})
    branch = rt.follow(start, mu, high)
    folds = branch.of(rt.Kind.FOLD)
    np.testing.assert_allclose([f.rest.q[0] for f in folds], turns, atol=1e-5)
    np.testing.assert_allclose([f.value for f in folds], curve(turns), rtol=1e-8, atol=1e-9)


def test_a_family_at_one_value_of_the_parameter_is_no_branch():
    # springs alone on a turning table: at mu = 1 the mass may rest anywhere along x
    *_, system = two(lambda x, y: (1 - mu) * x**2 / 2 + (2.5 - mu) * y**2 / 2)
    branch = rt.follow(rt.equilibrium(system, {"mu": 0}), mu, 3)
    assert found(branch) == [("BRANCH", 1), ("BRANCH", 2.5)]
    for point, name in zip(branch.points, "xy", strict=True):
        with pytest.raises(
            rt.SolveError, match=rf"family of equilibria at this one value.*: `{name}` may"
        ):
            branch.switch(point)
    # one that bends, if ever so little, is a branch
    *_, system = two(lambda x, y: (1 - mu) * x**2 / 2 + 1e-6 * x**4 + y**2 / 2)
    branch = rt.follow(rt.equilibrium(system, {"mu": 0}), mu, 1.5)
    bent = branch.switch(branch.points[0])
    np.testing.assert_allclose(bent.at - 1, 4e-6 * bent.q[:, 0] ** 2, atol=1e-9)


def table_with_springs():
    """A mass between springs of length 1 that lie crosswise, on a turning table: all as geometry."""
    x, y = rt.coordinates("x y")
    lengths = [rt.sqrt((1 + s * x) ** 2 + y**2) for s in (1, -1)]
    across = [rt.sqrt((1 + s * y) ** 2 + x**2) for s in (1, -1)]
    stretched = [5 * (each - 1) ** 2 for each in lengths] + [7.5 * (each - 1) ** 2 for each in across]
    kinetic = (ddt(x) ** 2 + ddt(y) ** 2 + mu**2 * (x**2 + y**2)) / 2
    return rt.System(kinetic=kinetic, potential=sum(stretched))


def test_crossings_where_lengths_cancel_to_rounding():
    # forces are differences of lengths, so that x = 0 is known to 1e-16 of these and not of itself
    rest = rt.equilibrium(table_with_springs(), {"mu": 3}, guess={"x": 0.1, "y": 0.05})
    branch = rt.follow(rest, mu, 6)
    assert found(branch) == [("BRANCH", 20**0.5), ("BRANCH", 30**0.5)]
    assert branch.at[-1] == 6


@pytest.mark.slow
def test_what_crosses_there_is_followed():
    branch = rt.follow(rt.equilibrium(table_with_springs(), {"mu": 4}), mu, 5)
    other = branch.switch(branch.points[0])
    x = other.q[:, 0]
    np.testing.assert_allclose(other.at**2, 20 + 30 * (1 - 1 / np.sqrt(1 + x**2)), rtol=1e-9)
