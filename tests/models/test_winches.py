"""Winches and drag along a tether: derivations by hand, Loyd's kite, and mistakes."""

from __future__ import annotations

import numpy as np
import pytest
import sympy
from scipy.integrate import simpson

import routh as rt
from routh.models import Parts, kite, tether, winch

G = 9.81
M, MU, WHOLE, R, J, TORQUE = 3.0, 0.4, 25.0, 0.3, 0.8, -2.5
GROUND = rt.vector(0, 0, 0)


def reeled():
    """A mass on a straight tether of mass that a winch reels, in Cartesian coordinates."""
    x, y, z, l = rt.coordinates("x y z l")
    r = rt.vector(x, y, z)
    line, _ = tether.segmented("n", GROUND, r, 1, length=l, density=MU, gravity=G, rods=True)
    parts = line + Parts(kinetic=(M / 2 * rt.norm2(rt.ddt(r)),), potential=(M * G * z,))
    parts += winch.drum(l, radius=R, inertia=J, torque=TORQUE, density=MU, whole=WHOLE)
    return parts.system(name="reeled"), (x, y, z, l)


def by_hand(e, turning, l, rate):
    """Accelerations of the mass at l e and of l, e' = turning.

    Material at s from the drum is at s e and moves with l' e + s e'. Its virtual displacements are
    delta l e and s delta e, across e, so that with m(s) = M at the end and mu ds along the tether

        (M + mu l + J/R^2 + mu (W - l)) l'' = (M l + mu l^2/2) |e'|^2 - (M + mu l) g e_z + torque/R
        (M l^2 + mu l^3/3) e'' + (2 M l + mu l^2) l' e' = -(M l + mu l^2/2) g z        across e
    """
    up = np.array([0, 0, 1.0])
    across = np.eye(3) - np.outer(e, e)
    first = M * l + MU * l**2 / 2
    more = (first * turning @ turning - (M + MU * l) * G * e[2] + TORQUE / R) / (
        M + MU * WHOLE + J / R**2
    )
    swing = (-first * G * across @ up - (2 * M * l + MU * l**2) * rate * turning) / (
        M * l**2 + MU * l**3 / 3
    )
    swing = swing - turning @ turning * e
    return np.array([*(more * e + 2 * rate * turning + l * swing), more])


def test_a_straight_tether_on_a_winch_moves_as_derived_by_hand():
    system, (x, y, z, l) = reeled()
    random = np.random.default_rng(5)
    for _ in range(3):
        e, turning = random.normal(size=(2, 3))
        e = e / np.linalg.norm(e)
        turning = turning - turning @ e * e
        size, rate = random.uniform(2, 20), random.normal()
        place, velocity = size * e, rate * e + size * turning
        start = dict(zip((x, y, z, l), [*place, size], strict=True))
        start |= {q.rate: v for q, v in zip((x, y, z, l), [*velocity, rate], strict=True)}
        motion = rt.simulate(system, {}, start, [0, 1e-9])
        order = [list(system.coordinates).index(q) for q in (x, y, z, l)]
        assert motion.a[0, order] == pytest.approx(by_hand(e, turning, size, rate), rel=1e-9)


def test_a_winch_with_constant_torque_keeps_energy_and_angular_momentum():
    system, (x, y, z, l) = reeled()
    v = rt.ddt(rt.vector(x, y, z))
    energy = (
        (M / 2 + MU * l / 6) * rt.norm2(v)
        + MU * l / 6 * (l.rate**2 + rt.dot(v, rt.vector(x, y, z)) * l.rate / l)
        + (J / R**2 + MU * (WHOLE - l)) / 2 * l.rate**2
        + (M + MU * l / 2) * G * z
        - TORQUE / R * l
    )
    spin = (M + MU * l / 3) * (x * y.rate - y * x.rate)
    start = {x: 6.0, z: -8.0, l: 10.0, y.rate: 7.0}
    motion = rt.simulate(system, {}, start, np.linspace(0, 3, 7))
    assert motion[energy] == pytest.approx(motion[energy][0], rel=1e-8)
    assert motion[spin] == pytest.approx(motion[spin][0], rel=1e-8)
    assert np.ptp(motion[l]) > 1
    assert motion.constraint_error < 1e-9


def test_an_elastic_tether_turns_its_drum_with_its_strain():
    """It is wound up as it is strained: T (1 + strain) acts on the length without strain."""
    z, l = rt.coordinates("z l")
    EA, size, reach = 500.0, 4.0, 4.4
    line, _ = tether.segmented(
        "n", rt.vector(0, 0), rt.vector(0, z), 1, length=l, density=0, gravity=0, stiffness=EA
    )
    parts = line + Parts(kinetic=(M / 2 * z.rate**2,), potential=(M * G * z,))
    parts += winch.drum(l, radius=R, inertia=J, torque=TORQUE)
    motion = rt.simulate(parts.system(), {}, {z: -reach, l: size}, np.linspace(0, 0.4, 161))
    strain = -motion[z] / motion[l] - 1
    by_row = dict(zip(map(str, motion.system.coordinates), motion.a[0], strict=True))
    assert by_row["z"] == pytest.approx(EA * strain[0] / M - G, rel=1e-9)
    turned = (EA * strain[0] * (1 + strain[0]) + TORQUE / R) * R**2 / J
    assert by_row["l"] == pytest.approx(turned, rel=1e-9)
    # the energy outside grows by the torque, and by that of the strain that comes out of the drum
    energy = motion.energy - TORQUE / R * motion[l]
    brought = EA / 2 * np.maximum(0, strain) ** 2 * motion[l.rate]
    assert energy[-1] - energy[0] == pytest.approx(simpson(brought, x=motion.t), rel=1e-5)


def test_a_rigid_kite_on_a_winch_keeps_its_energy_and_its_rotation():
    r, l = rt.vector(*rt.coordinates("x y z")), rt.coordinate("l")
    R3 = rt.rotation_matrix("R")
    hook = r + sympy.ImmutableDenseMatrix(R3 * rt.vector(0.1, 0, 0.3))
    parts = kite.rigid(
        r, R3, mass=13.5, inertia=(0.8244, 1.135, 1.759), area=0.55, span=2.8956, chord=0.18994,
        density=0, coefficients=kite.AEROSONDE, gravity=G, wind=rt.vector(1, 0, 0),
    )  # fmt: skip
    parts += tether.rigid(GROUND, hook, l) + winch.drum(l, radius=R, inertia=J)
    begin = R3.start(np.eye(3), [0.2, 0.1, 0.0])
    begin |= {r[0]: -0.1, r[2]: -5.3, l: 5.0, r[0].rate: -0.03, r[1].rate: 0.06, r[2].rate: 0.01}
    motion = rt.simulate(parts.system(), {}, begin, np.linspace(0, 1, 6))
    assert motion[l][-1] > 6
    assert motion.energy == pytest.approx(motion.energy[0], rel=1e-8)
    turned = np.array([motion[e] for e in R3]).reshape(3, 3, -1)
    np.testing.assert_allclose(np.einsum("kit,kjt->tij", turned, turned), [np.eye(3)] * 6, atol=1e-9)


def test_a_drum_ends_where_its_tether_is_reeled_in_or_out():
    l = rt.coordinate("l")
    for push, end, reached in (
        (-2.0, winch.reeled_in(l, 1.5), 1.5),
        (2.0, winch.reeled_out(l, 4), 4.0),
    ):
        system = winch.drum(l, radius=0.5, inertia=1.0, torque=push, damping=0.1).system()
        motion = rt.simulate(system, {}, {l: 3.0}, np.linspace(0, 60, 31), events=end)
        assert f"reeled {'in' if push < 0 else 'out'} to" in motion.message
        assert motion[l][-1] == pytest.approx(reached, rel=1e-9)
    # inertia l''/R^2 + damping l'/R^2 = torque/R
    later = rt.simulate(system, {}, {l: 3.0}, [0, 2.0])
    assert later.v[-1, 0] == pytest.approx(2.0 * 0.5 / 0.1 * (1 - np.exp(-0.1 * 2)), rel=1e-8)


def test_the_drag_of_a_tether_that_turns_is_a_quarter_of_that_at_its_end():
    """The torque rho c d/2 of the integral of s (s w)^2 over the length: rho c d l^4 w^2/8."""
    theta, l = rt.coordinate("theta"), 7.0
    end = l * rt.vector(rt.cos(theta), rt.sin(theta))
    parts = tether.drag(rt.vector(0, 0), end, diameter=0.02, density=1.2, coefficient=1.1)
    system = (parts + Parts(kinetic=(theta.rate**2 / 2,))).system()
    motion = rt.simulate(system, {}, {theta.rate: 0.5}, [0, 1e-9])
    assert motion.a[0, 0] == pytest.approx(-1.2 * 1.1 * 0.02 * l**4 * 0.25 / 8, rel=1e-8)


def test_the_drag_of_a_tether_takes_the_wind_of_each_height():
    """A mast in a wind that grows in proportion to the height: rho c d/2 of the integral of (k z)^2."""
    x = rt.coordinate("x")
    parts = tether.drag(
        rt.vector(x, 0, 0), rt.vector(x, 0, 6), diameter=0.1, density=1.2, coefficient=1.0,
        wind=lambda height: kite.wind(height, 5, reference=10, exponent=1),
    )  # fmt: skip
    system = (parts + Parts(kinetic=(x.rate**2 / 2,))).system()
    motion = rt.simulate(system, {}, {}, [0, 1e-9])
    assert motion.a[0, 0] == pytest.approx(1.2 * 0.1 / 2 * 0.5**2 * 6**3 / 3, rel=1e-7)


def test_a_crosswind_kite_has_the_power_of_loyd():
    """M. Loyd, Crosswind kite power, J. Energy 4 (1980): 2/27 rho A w^3 C_L (C_L/C_D)^2 at most, where it is
    reeled out with a third of the wind, the drag being small beside the lift; else with C_R, their
    resultant, in the place of C_L (M. Diehl, in Airborne Wind Energy, Springer 2013).
    """
    x, y = rt.coordinates("x y")
    pull = rt.parameter("pull")
    rho, A, CL, CD, w = 1.225, 19.8, 0.59, 0.164, 8.0
    parts = kite.point_mass(
        rt.vector(x, y, 0), mass=19.6, area=A, density=rho, lift=CL, drag=CD, gravity=0,
        wind=rt.vector(w, 0, 0), towards=rt.vector(1, 0, 0),
    )  # fmt: skip
    parts += winch.drum(x, radius=0.5, inertia=2.0, torque=-pull / 2)
    CR = np.hypot(CL, CD)
    best = 2 / 27 * rho * A * w**3 * CR**3 / CD**2
    pulls = best / (w / 3) * np.array([0.9, 1.0, 1.1])
    start = {x: 100.0, x.rate: 2.0, y.rate: 15.0}
    motion = rt.simulate(parts.system(), {"pull": pulls}, start, [0, 20])
    speed, power = motion[x.rate][:, -1], pulls * motion[x.rate][:, -1]
    assert speed[1] == pytest.approx(w / 3, rel=1e-7)
    assert motion[y.rate][1, -1] == pytest.approx(CL / CD * w * 2 / 3, rel=1e-7)
    assert power[1] == pytest.approx(best, rel=1e-7)
    assert power[1] > max(power[0], power[2])
    loyd = 2 / 27 * rho * A * w**3 * CL * (CL / CD) ** 2
    assert power[1] / loyd == pytest.approx((1 + (CD / CL) ** 2) ** 1.5, rel=1e-7)


@pytest.mark.slow
def test_a_carousel_starts_a_kite_into_its_trimmed_flight():
    place = rt.coordinates("x y z")
    angle = rt.input("angle")
    arm, turn = kite.carousel(angle, 2.0)
    r = sympy.ImmutableDenseMatrix(turn * (rt.vector(2, 0, 0) + rt.vector(*place)))
    figures = {"mass": 1.2, "area": 0.3, "density": 1.2, "lift": 0.8, "drag": 0.1, "gravity": G}
    parts = kite.point_mass(r, **figures, towards=r - arm) + tether.rigid(arm, r, 6.0)
    system = parts.system()
    guess = dict(zip(place, (4.0, -1.0, -4.0), strict=True))
    slow, fast = (
        rt.equilibrium(system, {}, guess=guess, inputs={angle: 0, rt.ddt(angle): speed})
        for speed in (0.5, 1.3)
    )
    # the speed of the arm goes from one to the other within some seconds
    law = 0.9 * rt.t + 0.4 * (sympy.log(sympy.cosh(rt.t - 6)))
    start = dict(zip(place, slow.q, strict=True))
    motion = rt.simulate(system, {}, start, [0, 240.0], inputs={angle: law})
    assert slow.q[2] < -5.9 < -4.5 < fast.q[2]
    assert motion.q[-1] == pytest.approx(fast.q, abs=1e-4)


REFUSED = {
    "no radius": (lambda l: winch.drum(l, radius=0, inertia=1), r"`radius` of a drum must be positive. Got 0"),
    "inertia below zero": (lambda l: winch.drum(l, radius=1, inertia=-1), "`inertia` of a drum must not"),
    "a prescribed length": (
        lambda l: winch.drum(rt.input("u"), radius=1, inertia=1), "must be a coordinate, or made of some.*Got u"),
    "a density alone": (lambda l: winch.drum(l, radius=1, inertia=1, density=1), "Give both, or none"),
    "a least length below zero": (lambda l: winch.reeled_in(l, -1), "must not be negative. Got -1"),
    "no greatest length": (lambda l: winch.reeled_out(l, 0), "must be positive. Got 0"),
    "a tether without length": (
        lambda l: tether.rigid(GROUND, rt.vector(l, 0, 0), 0), "length of a tether must be positive. Got 0"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_winches_that_are_refused(case):
    make, sentence = REFUSED[case]
    with pytest.raises(rt.DeclarationError, match=sentence):
        make(rt.coordinate("l"))


def test_a_radius_that_is_zero_is_told():
    radius, l = rt.parameter("radius"), rt.coordinate("l")
    x = rt.coordinate("x")
    line = tether.rigid(rt.vector(0, 0), rt.vector(x, 0), l) + Parts(kinetic=(x.rate**2 / 2,))
    system = (line + winch.drum(l, radius=radius, inertia=1)).system()
    with pytest.raises(
        rt.DeclarationError, match=r"`radius` of a drum must be positive: `radius` is 0"
    ):
        rt.simulate(system, {"radius": 0.0}, {x: 1.0, l: 1.0}, [0, 1])
