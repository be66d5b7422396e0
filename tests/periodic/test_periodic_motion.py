"""Motions that repeat, and families of them: exact periods, folds, doublings, pictures, mistakes."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pytest
from scipy.special import ellipk

import routh as rt


def pendulum():
    theta = rt.coordinate("theta")
    return rt.System(kinetic=theta.rate**2 / 2, potential=-rt.cos(theta)), theta


@pytest.mark.parametrize("amplitude", [0.3, 1.0, 2.0, 3.0])
def test_the_period_of_a_pendulum(amplitude):
    system, theta = pendulum()
    exact = 4 * ellipk(np.sin(amplitude / 2) ** 2)
    found = rt.periodic_motion(system, {}, {theta: amplitude}, 1.02 * exact)
    assert found.period == pytest.approx(exact, rel=1e-12)
    assert found.amplitude(theta) == pytest.approx(amplitude, rel=1e-6)
    assert found.floquet.determinant == pytest.approx(1, abs=1e-8)
    assert found.floquet.multipliers == pytest.approx([1, 1], abs=1e-3)  # a double one


def test_the_backbone_of_a_pendulum_has_the_cubic_coefficient():
    """omega = 1 - A^2/16 + ...: the remainder falls with the fourth power of the amplitude."""
    system, theta = pendulum()
    left = []
    for A in (0.4, 0.2, 0.1):
        T = rt.periodic_motion(system, {}, {theta: A}, 2 * np.pi).period
        left.append(2 * np.pi / T - (1 - A**2 / 16))
    order = np.log2(np.array(left[:-1]) / np.array(left[1:]))
    assert order == pytest.approx([4, 4], abs=0.05)


def test_the_cycle_of_van_der_pol():
    x, mu = rt.coordinate("x"), rt.parameter("mu")
    system = rt.System(kinetic=x.rate**2 / 2, potential=x**2 / 2, forces={x: mu * (1 - x**2) * x.rate})
    found = rt.periodic_motion(system, {"mu": 1.0}, {x: 2.0}, 6.5)
    assert found.period == pytest.approx(6.6632868593231, rel=1e-11)
    assert found.floquet.multipliers[0] == pytest.approx(1, abs=1e-7)
    assert abs(found.floquet.multipliers[1]) == pytest.approx(8.597e-4, rel=1e-3)


def test_a_driven_oscillator_answers_as_the_linear_theory_says():
    x = rt.coordinate("x")
    system = rt.System(
        kinetic=x.rate**2 / 2,
        potential=2 * x**2,
        dissipation=0.3 * x.rate**2 / 2,
        forces={x: 0.5 * rt.cos(1.5 * rt.t)},
    )
    found = rt.periodic_motion(system, {}, {x: 0.1}, 2 * np.pi / 1.5)
    answer = 0.5 / (4 - 1.5**2 + 0.3j * 1.5)
    assert found.start == pytest.approx([answer.real, -1.5 * answer.imag], rel=1e-8)
    assert found.floquet.verdict is rt.Verdict.ASYMPTOTICALLY_STABLE
    assert "repeats after" in str(found)


def test_an_orbit_of_henon_and_heiles():
    """The straight orbit along y: its period from the energy integral."""
    x, y = rt.coordinates("x y")
    system = rt.System(
        kinetic=(x.rate**2 + y.rate**2) / 2,
        potential=(x**2 + y**2) / 2 + x**2 * y - y**3 / 3,
    )
    found = rt.periodic_motion(system, {}, {y: 0.35}, 6.4)
    assert found.start[[0, 2]] == pytest.approx([0, 0], abs=1e-9)
    E = found.energy
    roots = np.sort(np.roots([-1 / 3, 1 / 2, 0, -E]).real)
    low, high = roots[0], roots[1]
    third = roots[2]
    # T = 2 int dy / sqrt(2 (E - V)), by the angle of y between its turns
    angle, weight = np.polynomial.legendre.leggauss(60)
    angle = (angle + 1) * np.pi / 2
    place = (high + low) / 2 + (high - low) / 2 * np.cos(angle)
    period = 2 * np.sum(weight * np.pi / 2 / np.sqrt(2 / 3 * (third - place)))
    assert found.period == pytest.approx(period, rel=1e-9)
    assert found.floquet.determinant == pytest.approx(1, abs=1e-8)


@pytest.mark.slow
def test_a_family_along_amplitude_and_energy():
    system, theta = pendulum()
    first = rt.periodic_motion(system, {}, {theta: 0.2}, 6.3)
    branch = rt.follow(first, "amplitude", 2.5)
    assert branch.at[-1] == pytest.approx(2.5)
    assert branch.periods == pytest.approx(4 * ellipk(np.sin(branch.at / 2) ** 2), rel=1e-10)
    by_energy = rt.follow(first, "energy", 0.5)
    assert by_energy.at[-1] == pytest.approx(0.5)
    turned = np.arccos(-by_energy.at)
    assert by_energy.periods == pytest.approx(4 * ellipk(np.sin(turned / 2) ** 2), rel=1e-9)


def duffing(damping=0.1):
    x, (w, F) = rt.coordinate("x"), rt.parameters("w F")
    system = rt.System(
        kinetic=x.rate**2 / 2,
        potential=x**2 / 2 + x**4 / 20,
        dissipation=damping * x.rate**2 / 2,
        forces={x: F * rt.cos(w * rt.t)},
    )
    return system, x, w


@pytest.mark.slow
def test_the_jump_of_a_duffing_oscillator():
    system, x, w = duffing()
    start = rt.periodic_motion(system, {"w": 0.6, "F": 0.3}, {x: 0.4}, 2 * np.pi / 0.6)
    branch = rt.follow(start, w, 2.5, period=2 * rt.pi / w)
    folds = [point.value for point in branch.of(rt.Kind.FOLD)]
    assert len(folds) == 2
    assert folds[1] < folds[0]
    # at a fold a multiplier is one; between the folds the motion is unstable
    for point in branch.points:
        assert point.motion.floquet.multipliers[0] == pytest.approx(1, abs=1e-3)
    words = [str(v) for v in branch.verdicts]
    assert words[0] == words[-1] == "asymptotically stable"
    assert "unstable" in words
    again = rt.periodic_motion(system, {"w": 2.5, "F": 0.3}, {x: -0.05}, 2 * np.pi / 2.5)
    assert branch.motions[-1].start == pytest.approx(again.start, abs=1e-7)
    assert "Fold: the parameter turns back, at w = " in str(branch)


def test_period_doubling_is_located():
    """A pendulum shaken sideways swings symmetrically, and so on; here a softening one doubles."""
    x, F = rt.coordinate("x"), rt.parameter("F")
    system = rt.System(
        kinetic=x.rate**2 / 2,
        potential=-(x**2) / 2 + x**4 / 4,
        dissipation=0.3 * x.rate**2 / 2,
        forces={x: F * rt.cos(1.2 * rt.t)},
    )
    start = rt.periodic_motion(system, {"F": 0.1}, {x: 0.9}, 2 * np.pi / 1.2)
    branch = rt.follow(start, F, 0.35)
    doubled = branch.of(rt.Kind.PERIOD_DOUBLING)
    assert doubled
    assert doubled[0].motion.floquet.multipliers.real.min() == pytest.approx(-1, abs=1e-5)
    before = rt.periodic_motion(system, {"F": doubled[0].value - 0.002}, dict(
        zip((x, x.rate), doubled[0].motion.start, strict=True)), 2 * np.pi / 1.2)  # fmt: skip
    after = rt.periodic_motion(system, {"F": doubled[0].value + 0.002}, dict(
        zip((x, x.rate), doubled[0].motion.start, strict=True)), 2 * np.pi / 1.2)  # fmt: skip
    assert before.floquet.verdict is rt.Verdict.ASYMPTOTICALLY_STABLE
    assert after.floquet.verdict is rt.Verdict.UNSTABLE


def test_branches_that_cannot_be_followed():
    system, theta = pendulum()
    first = rt.periodic_motion(system, {}, {theta: 0.2}, 6.3)
    with pytest.raises(
        rt.DeclarationError, match=r"are followed along amplitude, energy. Got 'amplitud'"
    ):
        rt.follow(first, "amplitud", 1.0)
    with pytest.raises(rt.DeclarationError, match=r"other than the present 0.2"):
        rt.follow(first, "amplitude", 0.2)
    with pytest.raises(rt.DeclarationError, match="is for driven systems"):
        rt.follow(first, "amplitude", 1.0, period=2 * rt.pi)


@pytest.mark.slow
def test_pictures_of_what_repeats():
    system, x, w = duffing()
    start = rt.periodic_motion(system, {"w": 0.9, "F": 0.3}, {x: 0.4}, 2 * np.pi / 0.9)
    assert len(rt.plot(rt.follow(start, w, 1.1, period=2 * rt.pi / w)).lines) >= 1
    theta, u = rt.coordinate("theta"), rt.input("u")
    forced = rt.System(
        kinetic=theta.rate**2 / 2,
        potential=-rt.cos(theta),
        dissipation=theta.rate**2 / 10,
        forces={theta: u},
    )
    answer = rt.frequency_response(
        rt.linearize(rt.equilibrium(forced, {})), u, theta, np.geomspace(0.1, 10, 50)
    )
    assert rt.plot(answer).get_xscale() == "log"
    assert rt.plot(answer, against="real").get_xlabel() == "real part"
    a, q = np.meshgrid(np.linspace(0, 3, 6), np.linspace(0, 1, 5))
    y, (pa, pq) = rt.coordinate("y"), rt.parameters("a q")
    mathieu = rt.System(kinetic=y.rate**2 / 2, potential=(pa - 2 * pq * rt.cos(2 * rt.t)) * y**2 / 2)
    axes = rt.plot(rt.floquet(mathieu, {"a": a, "q": q}, np.pi))
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("$a$", "$q$")
    with pytest.raises(rt.DeclarationError, match="over two parameters"):
        rt.plot(rt.floquet(mathieu, {"a": 1.0, "q": 0.1}, np.pi))
    plt.close("all")


def test_motions_that_do_not_repeat():
    x = rt.coordinate("x")
    damped = rt.System(kinetic=x.rate**2 / 2, potential=x**2 / 2, dissipation=x.rate**2 / 2)
    with pytest.raises(rt.SolveError, match=r"no motion|was found near the guess"):
        rt.periodic_motion(damped, {}, {x: 1.0}, 6.0)
    with pytest.raises(rt.DeclarationError, match="must be a positive number"):
        rt.periodic_motion(damped, {}, {x: 1.0}, 0.0)
    with pytest.raises(rt.DeclarationError, match="one motion at a time"):
        rt.periodic_motion(damped, {}, {x: np.array([1.0, 2.0])}, 6.0)
    free = rt.System(kinetic=x.rate**2 / 2)
    with pytest.raises(rt.DerivationError, match="`x` runs on without turning back"):
        rt.periodic_motion(free, {}, {x.rate: 1.0}, 1.0)
    system, _ = pendulum()
    with pytest.raises(rt.SolveError, match="The guess is a rest of the system: nothing moves"):
        rt.periodic_motion(system, {}, {}, 6.3)
    driven = rt.System(kinetic=x.rate**2 / 2, potential=2 * x**2, forces={x: rt.cos(3 * rt.t)})
    with pytest.raises(rt.DeclarationError, match=r"is not seen to have the period 2. Give the period"):
        rt.periodic_motion(driven, {}, {x: 0.1}, 2.0)


def test_gravity_may_be_a_force():
    theta = rt.coordinate("theta")
    system = rt.System(kinetic=theta.rate**2 / 2, forces={theta: -rt.sin(theta)})
    found = rt.periodic_motion(system, {}, {theta: 1.0}, 6.5)
    assert found.period == pytest.approx(4 * ellipk(np.sin(0.5) ** 2), rel=1e-11)


def test_damping_that_is_zero_and_gyroscopic_forces_are_conservative():
    theta, c = rt.coordinate("theta"), rt.parameter("c")
    system = rt.System(
        kinetic=theta.rate**2 / 2, potential=-rt.cos(theta), dissipation=c * theta.rate**2 / 2
    )
    found = rt.periodic_motion(system, {"c": 0.0}, {theta: 1.2}, 6.6)
    assert found.period == pytest.approx(4 * ellipk(np.sin(0.6) ** 2), rel=1e-11)
    x, y, B = *rt.coordinates("x y"), rt.parameter("B")
    turned = rt.System(
        kinetic=(x.rate**2 + y.rate**2) / 2,
        potential=x**2 / 2 + y**2 + x**4 / 4,
        forces={x: B * y.rate, y: -B * x.rate},
    )
    plain = rt.System(
        kinetic=(x.rate**2 + y.rate**2) / 2 + B * (y * x.rate - x * y.rate) / 2,
        potential=x**2 / 2 + y**2 + x**4 / 4,
    )
    one, two = (rt.periodic_motion(s, {"B": 0.5}, {x: 0.7}, 5.8) for s in (turned, plain))
    assert one.start[0] == pytest.approx(0.7)
    assert one.period == pytest.approx(two.period, rel=1e-9)


def test_a_central_force_is_undecided_by_its_symmetries():
    x, y = rt.coordinates("x y")
    system = rt.System(
        kinetic=(x.rate**2 + y.rate**2) / 2, potential=(x**2 + y**2) / 2 + (x**2 + y**2) ** 2 / 4
    )
    for amplitude in (0.5, 0.9, 1.3):
        found = rt.periodic_motion(system, {}, {x: amplitude}, 5.0)
        assert found.floquet.verdict is rt.Verdict.UNDECIDED


def test_a_start_in_full_swing_finds_its_turn():
    system, theta = pendulum()
    found = rt.periodic_motion(system, {}, {theta.rate: 1.0}, 6.5)
    assert abs(found.start[0]) == pytest.approx(np.pi / 3, rel=1e-9)
    assert found.period == pytest.approx(4 * ellipk(0.25), rel=1e-9)
    assert found.floquet.verdict is rt.Verdict.STABLE
    assert rt.floquet(found) is found.floquet


@pytest.mark.slow
def test_families_know_what_is_trivial():
    """Two coupled oscillators: the in-phase family is stable, and the verdict is no rounding noise."""
    x, y = rt.coordinates("x y")
    system = rt.System(
        kinetic=(x.rate**2 + y.rate**2) / 2,
        potential=(x**2 + y**2 + (x - y) ** 2) / 2 + x**4 / 8 + y**4 / 8,
    )
    first = rt.periodic_motion(system, {}, {x: 0.1, y: 0.1}, 2 * np.pi)
    branch = rt.follow(first, "amplitude", 0.8)
    assert {str(v) for v in branch.verdicts} == {"stable"}
    n = 2
    form = np.block([[np.zeros((n, n)), np.eye(n)], [-np.eye(n), np.zeros((n, n))]])
    grown = first.floquet.monodromy
    assert grown.T @ form @ grown == pytest.approx(form, abs=1e-8)
    back = rt.follow(first, "amplitude", 0.0)
    assert back.ended == "It ends in a rest."
    assert not back.points


def test_a_drive_whose_period_changes_must_say_so():
    system, x, w = duffing()
    start = rt.periodic_motion(system, {"w": 0.6, "F": 0.3}, {x: 0.4}, 2 * np.pi / 0.6)
    with pytest.raises(rt.DeclarationError, match="changes with `w`: give it as period="):
        rt.follow(start, w, 0.8)
    along_force = rt.follow(start, "F", 0.4)
    assert along_force.at[-1] == pytest.approx(0.4)


@pytest.mark.slow
def test_a_symmetric_motion_breaks_its_symmetry_at_a_branch_point():
    theta, F = rt.coordinate("theta"), rt.parameter("F")
    system = rt.System(
        kinetic=theta.rate**2 / 2,
        potential=-rt.cos(theta),
        dissipation=0.25 * theta.rate**2,
        forces={theta: F * rt.cos(2 * rt.t / 3)},
    )
    start = rt.periodic_motion(system, {"F": 0.9}, {theta: -1.5, theta.rate: -1.0}, 3 * np.pi)
    branch = rt.follow(start, F, 1.05)
    found = branch.of(rt.Kind.BRANCH)
    assert len(found) == 1
    assert found[0].motion.floquet.multipliers.real.max() == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize("word", ["energy", "amplitude"])
def test_a_parameter_with_the_name_of_a_family_is_refused(word):
    theta, own = rt.coordinate("theta"), rt.parameter(word)
    pendulum = rt.System(kinetic=theta.rate**2 / 2, potential=-own * rt.cos(theta))
    motion = rt.periodic_motion(pendulum, {word: 1.0}, {theta: 0.5}, period=6.4)
    with pytest.raises(
        rt.DeclarationError, match=f"`{word}` is a parameter of the system, and the word"
    ):
        rt.follow(motion, own, 2.0)
