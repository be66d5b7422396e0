"""Modes followed through crossings and veerings, whirl, critical speeds."""

from __future__ import annotations

import numpy as np
import pytest

import problems
import routh as rt
from routh import ddt

x, y = rt.coordinates("x y")
k, e = rt.parameters("k e")
PAIR = rt.System(
    kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2,
    potential=k * x**2 / 2 + 2 * y**2 + e * (x - y) ** 2 / 2,
)


def sweep(coupling, count):
    stiffness = np.linspace(1, 9, count)
    return stiffness, rt.linearize(rt.equilibrium(PAIR, {"k": stiffness, "e": coupling}))


@pytest.mark.parametrize("count", [5, 12, 200])
def test_uncoupled_modes_cross(count):
    stiffness, linear = sweep(0.0, count)
    modes = rt.modes(linear, track=True)
    np.testing.assert_allclose(modes.frequencies[:, 0], np.sqrt(stiffness), rtol=1e-12)
    np.testing.assert_allclose(modes.frequencies[:, 1], 2, rtol=1e-12)
    shapes = np.abs(modes.shapes)
    assert (shapes[:, 0, 0] == 1).all()  # x moves in mode 1 all the way
    assert (shapes[:, 1, 1] == 1).all()
    sorted_ones = rt.modes(linear)
    np.testing.assert_allclose(
        np.sort(modes.frequencies, axis=1), np.sort(sorted_ones.frequencies, axis=1)
    )


@pytest.mark.parametrize("count", [12, 200])
def test_weakly_coupled_modes_veer_and_keep_their_branch(count):
    """Branches that do not meet are followed as they run, also where few points hide the veering."""
    _, linear = sweep(0.1, count)
    modes = rt.modes(linear, track=True)
    assert (np.diff(modes.frequencies, axis=1) > 0).all()


def test_a_veering_too_narrow_to_see_is_a_crossing_of_shapes():
    """A gap of 1e-7 rad/s between two points: shapes go straight on, as a person would draw it."""
    stiffness, linear = sweep(1e-9, 20)
    modes = rt.modes(linear, track=True)
    np.testing.assert_allclose(modes.frequencies[:, 0], np.sqrt(stiffness), rtol=1e-6)


def test_rotor_whirls_forward_and_backward():
    p = problems.overhung_rotor()
    Omega = np.linspace(0.1, 60, 40)
    modes = rt.modes(rt.linearize(rt.equilibrium(p.system, p.values | {"Omega": Omega})), track=True)
    whirl = modes.whirl(p.x, p.y)
    np.testing.assert_allclose(np.abs(whirl), 1, rtol=1e-6)  # isotropic bearings: circles
    assert (np.sign(whirl) == np.sign(whirl[0])).all()
    assert sorted(np.sign(whirl[0])) == [-1, -1, 1, 1]
    rising = modes.frequencies[-1] > modes.frequencies[0]
    np.testing.assert_array_equal(rising, whirl[0] > 0)  # forward whirl stiffens with the spin


def test_critical_speeds_are_those_of_synchronous_whirl():
    p = problems.overhung_rotor()
    Omega = np.linspace(0.1, 60, 40)
    modes = rt.modes(rt.linearize(rt.equilibrium(p.system, p.values | {"Omega": Omega})))
    critical = modes.critical_speeds("Omega")
    m, Jd, Jp, k1, k2, k3 = (p.values[n] for n in ("m", "J_d", "J_p", "k1", "k2", "k3"))
    for speed in critical:
        forward = (k1 - m * speed**2) * (k2 - (Jd - Jp) * speed**2) - k3**2
        backward = (k1 - m * speed**2) * (k2 - (Jd + Jp) * speed**2) - k3**2
        assert min(abs(forward), abs(backward)) < 1e-8 * k1 * k2
    assert np.abs(critical - 20).min() < 1e-12  # (900 - 800) (20 + 16) = 60^2
    twice = modes.critical_speeds("Omega", order=2)
    assert len(twice) >= 3


def test_a_line_has_no_whirl():
    _, linear = sweep(0.1, 3)
    np.testing.assert_allclose(rt.modes(linear).whirl(x, y), 0, atol=1e-12)
    with pytest.raises(rt.DeclarationError, match=r"whirl needs two coordinates .* x, y. Got `z`"):
        rt.modes(linear).whirl(x, rt.coordinate("z"))


def test_tracking_runs_along_the_last_axis():
    stiffness = np.linspace(1, 9, 15)
    rest = rt.equilibrium(PAIR, {"k": stiffness, "e": np.array([[0.0], [0.2]])})
    modes = rt.modes(rt.linearize(rest), track=True)
    assert modes.eigenvalues.shape == (2, 15, 4)
    np.testing.assert_allclose(modes.frequencies[0, :, 0], np.sqrt(stiffness), rtol=1e-12)
    alone = rt.modes(rt.linearize(rt.equilibrium(PAIR, {"k": stiffness, "e": 0.2})), track=True)
    np.testing.assert_allclose(modes.frequencies[1], alone.frequencies, rtol=1e-12)


def test_what_cannot_be_tracked_is_said():
    single = rt.linearize(rt.equilibrium(PAIR, {"k": 1, "e": 0}))
    with pytest.raises(
        rt.DerivationError, match=r"follows modes along an array of values.*Got a single point"
    ):
        rt.modes(single, track=True)
    _, linear = sweep(0.1, 3)
    with pytest.raises(rt.DeclarationError, match=r"one array of values of `e`.*it is constant"):
        rt.modes(linear).critical_speeds("e")


def test_modes_of_constrained_systems_keep_their_order():
    """The basis of the admissible motions is another one at every point; shapes are compared in space."""
    q = rt.coordinates("x y z")
    turn = rt.parameter("turn")
    normal = (rt.sin(turn), rt.cos(turn) * rt.sin(2 * turn), rt.cos(turn) * rt.cos(2 * turn))
    system = rt.System(
        kinetic=sum(ddt(x) ** 2 for x in q) / 2,
        potential=(q[0] ** 2 + 4 * q[1] ** 2 + 9 * q[2] ** 2) / 2,
        constraints=[sum(n * x for n, x in zip(normal, q, strict=True))],
    )
    rest = rt.equilibrium(system, {"turn": np.linspace(0, 6, 61)})
    modes = rt.modes(rt.linearize(rest), track=True)
    assert (np.diff(modes.frequencies, axis=1) > 0).all()


@pytest.mark.parametrize("count", [9, 20, 21, 41])
def test_whirl_keeps_its_sense_through_standstill(count):
    p = problems.overhung_rotor()
    Omega = np.linspace(-30, 30, count)
    modes = rt.modes(rt.linearize(rt.equilibrium(p.system, p.values | {"Omega": Omega})), track=True)
    whirl = np.sign(modes.whirl(p.x, p.y))
    np.testing.assert_array_equal(whirl[0], whirl[-1])


def test_critical_speeds_on_grid_points_and_on_coarse_grids():
    a, b = rt.coordinates("a b")
    Omega = rt.parameter("Omega")
    system = rt.System(
        kinetic=(ddt(a) ** 2 + ddt(b) ** 2) / 2, potential=50 * a**2 + 112.5 * b**2 + Omega * a**4
    )
    for count in (20, 21):
        modes = rt.modes(rt.linearize(rt.equilibrium(system, {"Omega": np.linspace(0, 20, count)})))
        np.testing.assert_allclose(modes.critical_speeds("Omega"), [10, 15], rtol=1e-12)
    p = problems.overhung_rotor()
    found = [
        rt.modes(
            rt.linearize(rt.equilibrium(p.system, p.values | {"Omega": np.linspace(0, 80, count)})),
            track=True,
        ).critical_speeds("Omega", order=2)
        for count in (5, 10, 40)
    ]
    np.testing.assert_allclose(found[0], found[2], rtol=1e-10)
    np.testing.assert_allclose(found[1], found[2], rtol=1e-10)
    with pytest.raises(rt.DeclarationError, match="`order` must be a number above zero"):
        modes.critical_speeds("Omega", order=-1)


def test_points_without_equilibrium_have_no_frequency_and_are_passed():
    p = problems.two_bar_truss()
    F = np.array([0.2, 0.5, 1.2, 0.4])
    rest = rt.equilibrium(p.system, p.values | {"F": F}, guess={p.x: 0.3})
    modes = rt.modes(rt.linearize(rest), track=True)
    assert np.isnan(modes.frequencies[:, 0]).tolist() == [False, False, True, False]
