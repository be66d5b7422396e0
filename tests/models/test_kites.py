"""Tethers and kites: closed forms, two descriptions of one kite, a trim derived by hand, mistakes."""

from __future__ import annotations

import re

import numpy as np
import pytest
import sympy
from scipy.integrate import solve_ivp
from scipy.optimize import fsolve
from scipy.special import jn_zeros

import routh as rt
from routh.models import Parts, kite, tether

G = 9.81


def below(*place):
    return rt.vector(*place)


# --- tethers


def test_a_pendulum_with_a_heavy_rod():
    theta = rt.coordinate("theta")
    rod, m, l, g = rt.parameters("rod m l g")
    end = rt.vector(l * rt.sin(theta), -l * rt.cos(theta))
    parts = tether.rod(rt.vector(0, 0), end, rod, g)
    parts += Parts(kinetic=(m * rt.norm2(rt.ddt(end)) / 2,), potential=(m * g * end[1],))
    system = parts.system()
    eq = rt.equations(system)
    a = theta.rate.rate
    expected = -(g / l) * (rod / 2 + m) / (rod / 3 + m) * rt.sin(theta)
    assert sympy.simplify(sympy.solve(eq.residual[0], a)[0] - expected) == 0


@pytest.mark.parametrize("rods", [False, True])
def test_a_hanging_chain_in_pieces_has_the_frequencies_of_bessel(rods):
    L, mu = 2.0, 0.3
    exact = jn_zeros(0, 2) / 2 * np.sqrt(G / L)
    errors = []
    for pieces in (8, 16):
        end = rt.vector(*rt.coordinates("e_x e_z"))
        parts, nodes = tether.segmented(
            "n", rt.vector(0, 0), end, pieces, length=L, density=mu, gravity=G, rods=rods
        )
        system = parts.system()
        down = {p[1]: -L * (k + 1) / pieces for k, p in enumerate([*nodes, end])}
        rest = rt.equilibrium(system, {}, guess=down)
        found = np.sort(rt.modes(rt.linearize(rest)).frequencies)[:2]
        errors.append(np.abs(found / exact - 1).max())
        # the tension at the top is the weight of what hangs below it
        weight = mu * L * G * (1 if rods else 1 - 0.5 / pieces)
        assert rest.multipliers[0] * L / pieces == pytest.approx(
            weight * (1 - 0.5 / pieces if rods else 1), rel=1e-9
        )
    assert errors[1] < 0.02
    assert errors[1] < errors[0] / 1.8


def test_a_reeled_tether_swings_like_a_crane():
    x, z = rt.coordinates("x z")
    l = rt.input("l")
    place = rt.vector(x, z)
    parts = tether.rigid(rt.vector(0, 0), place, l)
    parts += Parts(kinetic=(rt.norm2(rt.ddt(place)) / 2,), potential=(G * z,))
    length = 3 + 0.5 * rt.t
    angle, speed = 0.4, 0.2
    start = {x: 3 * np.sin(angle), z: -3 * np.cos(angle)}
    start |= {
        x.rate: 3 * np.cos(angle) * speed + 0.5 * np.sin(angle),
        z.rate: 3 * np.sin(angle) * speed - 0.5 * np.cos(angle),
    }
    times = np.linspace(0, 4, 21)
    motion = rt.simulate(parts.system(), {}, start, times, inputs={l: length})

    def swing(t, s):  # l theta'' + 2 l' theta' + g sin(theta) = 0
        own = 3 + 0.5 * t
        return [s[1], -(2 * 0.5 * s[1] + G * np.sin(s[0])) / own]

    other = solve_ivp(swing, (0, 4), [angle, speed], t_eval=times, rtol=1e-11, atol=1e-12)
    assert np.arctan2(motion.q[:, 0], -motion.q[:, 1]) == pytest.approx(other.y[0], abs=1e-7)
    tension = motion.multipliers[:, 0] * (3 + 0.5 * times)
    by_hand = (3 + 0.5 * times) * other.y[1] ** 2 + G * np.cos(other.y[0])
    assert tension == pytest.approx(by_hand, rel=1e-6)


def test_an_elastic_tether_is_slack_until_it_pulls():
    x, z = rt.coordinates("x z")
    place = rt.vector(x, z)
    parts = tether.elastic(rt.vector(0, 0), place, 2.0, 4000.0, damping=5.0)
    parts += Parts(kinetic=(rt.norm2(rt.ddt(place)) / 2,), potential=(G * z,))
    system = parts.system()
    motion = rt.simulate(system, {}, {z: -0.5}, np.linspace(0, 0.5, 51))
    assert motion.q[:, 1] == pytest.approx(-0.5 - G * motion.t**2 / 2, abs=1e-8)  # free fall
    rest = rt.equilibrium(system, {}, guess={z: -2.01})
    assert rest.q[1] == pytest.approx(-2 - G * 2 / 4000, rel=1e-12)
    assert rt.linearize(rest).D[1, 1] == pytest.approx(2.5)
    fast = rt.simulate(system, {}, {z: -2.0005, z.rate: 5.0}, [0, 1e-6])
    assert fast.a[0] == pytest.approx([0, -G])  # it never pushes


def test_the_drag_of_a_tether_slows_what_blows_across_it():
    x = rt.coordinate("x")
    a, b = rt.vector(x, 0), rt.vector(x, 3)
    parts = tether.drag(a, b, diameter=0.01, density=1.2, coefficient=1.1, wind=rt.vector(8, 5))
    system = (parts + Parts(kinetic=(x.rate**2 / 2,))).system()
    motion = rt.simulate(system, {}, {}, np.linspace(0, 20, 11))
    k = 1.2 * 1.1 * 0.01 * 3 / 2
    assert motion.v[:, 0] == pytest.approx(8 - 8 / (1 + 8 * k * motion.t), rel=1e-7)


def test_a_tether_in_pieces_that_is_reeled_out_hangs_still_but_for_its_reeling():
    pieces, mu = 4, 0.2
    end = rt.vector(*rt.coordinates("e_x e_z"))
    l = rt.input("l")
    parts, nodes = tether.segmented("n", rt.vector(0, 0), end, pieces, length=l, density=mu, gravity=G)
    system = parts.system()
    places = [*nodes, end]
    start = {p[1]: -2.0 * (k + 1) / pieces for k, p in enumerate(places)}
    start |= {p[1].rate: -0.3 * (k + 1) / pieces for k, p in enumerate(places)}
    motion = rt.simulate(system, {}, start, np.linspace(0, 3, 7), inputs={l: 2 + 0.3 * rt.t})
    length = 2 + 0.3 * motion.t
    assert motion[end[1]] == pytest.approx(-length, rel=1e-9)
    weight = mu * length * (1 - 0.5 / pieces) * G
    assert motion.multipliers[:, 0] * length / pieces == pytest.approx(weight, rel=1e-7)


# --- kites


def carousel_kite():
    x, y, z = place = rt.coordinates("x y z")
    Om, ra, l, m, A, rho, CL, CD, g = rt.parameters("Omega ra l m A rho CL CD g")
    anchor, turn = kite.carousel(Om * rt.t, ra)
    r = sympy.ImmutableDenseMatrix(turn * rt.vector(ra + x, y, z))
    parts = kite.point_mass(
        r, mass=m, area=A, density=rho, lift=CL, drag=CD, gravity=g, towards=r - anchor
    )
    return (parts + tether.rigid(anchor, r, l)).system(name="carousel"), place


CAROUSEL = {
    "Omega": 1.3,
    "ra": 2.0,
    "l": 6.0,
    "m": 1.2,
    "A": 0.3,
    "rho": 1.2,
    "CL": 0.8,
    "CD": 0.1,
    "g": G,
}


def by_hand(rho, rate):
    """The force on the carousel kite but for the tether, in the turning frame, from Newton's law."""
    Om = np.array([0, 0, CAROUSEL["Omega"]])
    arm = np.array([CAROUSEL["ra"], 0, 0])
    velocity = rate + np.cross(Om, rho)
    apparent = -velocity
    V = np.sqrt(apparent @ apparent)
    side = np.cross(apparent, rho - arm)
    side = side / np.sqrt(side @ side)
    up = np.cross(side, apparent) / V
    pressure = CAROUSEL["rho"] * CAROUSEL["A"] / 2
    air = pressure * V * CAROUSEL["CD"] * apparent + pressure * V**2 * CAROUSEL["CL"] * up
    m = CAROUSEL["m"]
    inertial = -m * (2 * np.cross(Om, rate) + np.cross(Om, np.cross(Om, rho)))
    return air + inertial + np.array([0, 0, -m * G])


def test_a_carousel_kite_is_trimmed_as_by_hand():
    system, (x, y, z) = carousel_kite()
    rest = rt.equilibrium(system, CAROUSEL, guess={x: 4.0, y: -1.0, z: -4.0})
    arm = np.array([CAROUSEL["ra"], 0, 0])

    def balance(unknown):
        line = unknown[:3]
        pull = by_hand(arm + line, np.zeros(3)) - unknown[3] * line / 6.0
        return [*pull, line @ line - 36.0]

    found = fsolve(balance, [4, -1, -4, 20], xtol=1e-13)
    assert rest.q == pytest.approx(found[:3], rel=1e-9)
    assert rest.multipliers[0] * 6.0 == pytest.approx(found[3], rel=1e-9)

    def place(angles):
        a, e = angles
        return 6.0 * np.array([np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)])

    def slopes(angles):
        a, e = angles
        return 6.0 * np.array(
            [
                [-np.cos(e) * np.sin(a), -np.sin(e) * np.cos(a)],
                [np.cos(e) * np.cos(a), -np.sin(e) * np.sin(a)],
                [0, np.cos(e)],
            ]
        )

    def rates(state):  # Newton's law along the sphere, with the curvature of the coordinates
        angles, w = state[:2], state[2:]
        J = slopes(angles)
        h = 1e-5
        bend = (slopes(angles + h * w) - slopes(angles - h * w)) / (2 * h) @ w
        push = by_hand(arm + place(angles), J @ w) / CAROUSEL["m"] - bend
        return np.concatenate([w, np.linalg.solve(J.T @ J, J.T @ push)])

    line = found[:3]
    at = np.array([np.arctan2(line[1], line[0]), np.arcsin(line[2] / 6.0), 0, 0])
    assert np.abs(rates(at)).max() < 1e-9
    h = 1e-5
    A = np.array([(rates(at + h * e) - rates(at - h * e)) / (2 * h) for e in np.eye(4)]).T
    mine = np.sort_complex(rt.modes(rt.linearize(rest)).eigenvalues)
    assert mine == pytest.approx(np.sort_complex(np.linalg.eigvals(A)), abs=1e-6)


def test_a_trimmed_kite_stays_where_it_is_trimmed():
    system, (x, y, z) = carousel_kite()
    rest = rt.equilibrium(system, CAROUSEL, guess={x: 4.0, y: -1.0, z: -4.0})
    start = dict(zip((x, y, z), rest.q, strict=True))
    motion = rt.simulate(system, CAROUSEL, start, np.linspace(0, 5, 11))
    assert motion.q == pytest.approx(np.tile(rest.q, (11, 1)), abs=1e-6)
    assert motion.multipliers[:, 0] == pytest.approx(rest.multipliers[0], rel=1e-6)


FIGURES = {
    "mass": 13.5, "inertia": [0.8244, 1.135, 1.759], "area": 0.55, "span": 2.8956, "chord": 0.18994,
    "density": 1.2682, "coefficients": kite.AEROSONDE, "gravity": G, "elevator": -0.12,
}  # fmt: skip
FACING = np.diag([-1.0, 1.0, -1.0])
"""Body axes of a kite that flies against a wind along x."""
LINE = 30.0


def kite_in_angles(wind):
    azimuth, elevation, yaw, pitch, roll = angles = rt.coordinates("azimuth elevation yaw pitch roll")
    r = LINE * rt.vector(
        rt.cos(elevation) * rt.cos(azimuth), rt.cos(elevation) * rt.sin(azimuth), rt.sin(elevation)
    )
    turned = sympy.ImmutableDenseMatrix(
        sympy.Matrix(FACING.astype(int)) * rt.euler_angles("zyx", yaw, pitch, roll)
    )
    return kite.rigid(r, turned, wind=wind(r[2]), **FIGURES).system(name="by angles"), angles, r, turned


def kite_in_natural_coordinates(wind):
    r = rt.vector(*rt.coordinates("x y z"))
    R = rt.rotation_matrix("R")
    parts = kite.rigid(r, R, wind=wind(r[2]), **FIGURES)
    parts += tether.rigid(rt.vector(0, 0, 0), r, LINE)
    return parts.system(name="natural"), r, R


def steady(height):
    return kite.wind(height, 30.0, reference=20.0)


@pytest.fixture(scope="module")
def both():
    return kite_in_angles(steady), kite_in_natural_coordinates(steady)


def trims(both):
    (one, angles, r, turned), (other, place, R) = both
    rest = rt.equilibrium(one, {}, guess={angles[1]: 1.2, angles[3]: 0.1})
    at = [float(rest[e]) for e in r]
    attitude = np.array([float(rest[e]) for e in turned]).reshape(3, 3)
    guess = dict(zip(place, at, strict=True)) | R.start(attitude)
    return rest, rt.equilibrium(other, {}, guess=guess), at, attitude


@pytest.mark.slow
def test_two_descriptions_of_one_kite_have_one_trim_and_the_same_eigenvalues(both):
    rest, natural, at, _ = trims(both)
    assert natural.q[:3] == pytest.approx(at, abs=1e-8)
    mine = np.sort_complex(rt.modes(rt.linearize(rest)).eigenvalues)
    other = np.sort_complex(rt.modes(rt.linearize(natural)).eigenvalues)
    assert len(mine) == 10
    assert other == pytest.approx(mine, rel=1e-6, abs=1e-7)
    # the pull of the tether is what holds the kite radially
    lift = natural.multipliers[-1] * LINE
    assert lift > 0


@pytest.mark.slow
def test_two_descriptions_of_one_kite_move_alike(both):
    (one, angles, r, turned), (other, place, R) = both
    rest, _, _, _ = trims(both)
    start = dict(zip(angles, rest.q, strict=True))
    start |= {angles[0].rate: 0.1, angles[4].rate: 0.3, angles[3]: float(rest.q[3]) + 0.05}
    times = np.linspace(0, 1.0, 11)
    motion = rt.simulate(one, {}, start, times)
    spin = rt.angular_velocity(turned)
    first = lambda e: float(motion[e][0])  # noqa: E731
    attitude = np.array([first(e) for e in turned]).reshape(3, 3)
    begin = R.start(attitude, [first(e) for e in spin])
    begin |= {p: first(e) for p, e in zip(place, r, strict=True)}
    begin |= {p.rate: first(e) for p, e in zip(place, rt.ddt(r), strict=True)}
    second = rt.simulate(other, {}, begin, times)
    for p, e in zip(place, r, strict=True):
        assert second[p] == pytest.approx(motion[e], abs=1e-6)
    for p, e in zip(R, turned, strict=True):
        assert second[p] == pytest.approx(motion[e], abs=1e-6)
    assert second.constraint_error < 1e-9


def test_a_kite_without_air_keeps_its_energy():
    r = rt.vector(*rt.coordinates("x y z"))
    R = rt.rotation_matrix("R")
    figures = FIGURES | {"density": 0, "wind": rt.vector(1, 0, 0)}
    hook = r + sympy.ImmutableDenseMatrix(R * rt.vector(0.1, 0, 0.3))
    parts = kite.rigid(r, R, **figures) + tether.rigid(rt.vector(0, 0, 0), hook, 5.0)
    system = parts.system()
    start = R.start(np.eye(3), [0.2, 0.1, 0.0]) | {r[2]: -5.3, r[0]: -0.1}
    start |= {r[0].rate: -0.03, r[1].rate: 0.06, r[2].rate: 0.01}  # the hook is at rest
    motion = rt.simulate(system, {}, start, np.linspace(0, 1, 6))
    assert motion.energy == pytest.approx(motion.energy[0], rel=1e-8)


def test_a_crosswind_kite_flies_loops_and_its_tether_is_taut():
    """A soft kite (van der Vlugt et al. 2019: 19.8 m^2, 19.6 kg, lift 0.59, drag 0.164) on 150 m."""
    x, y, z = rt.coordinates("x y z")
    r, roll = rt.vector(x, y, z), rt.input("roll")
    parts = kite.point_mass(
        r, mass=19.6, area=19.8, density=1.225, lift=0.59, drag=0.164, gravity=G,
        wind=kite.wind(z, 8.0), roll=roll,
    )  # fmt: skip
    parts += tether.rigid(rt.vector(0, 0, 0), r, 150.0)
    system = parts.system(name="crosswind")
    elevation = 0.6
    start = {x: 150 * np.cos(elevation), z: 150 * np.sin(elevation), y.rate: 15.0}
    motion = rt.simulate(system, {}, start, np.linspace(0, 25, 251), inputs={roll: 0.2})
    assert motion.completed
    assert (motion.multipliers[:, 0] > 0).all()
    turned = np.unwrap(np.arctan2(motion[z.rate], motion[y.rate]))
    assert abs(turned[-1] - turned[0]) > 10 * np.pi
    assert motion.constraint_error < 1e-7


REFUSED = {
    "a negative stiffness": (
        lambda v: tether.elastic(rt.vector(0, 0), v, 1, -5), "must not be negative"),
    "one point": (lambda v: tether.rigid(v, v, 1), "are two points"),
    "a plane and space": (lambda v: tether.rigid(v, rt.vector(0, 0, 0), 1), "Got 2 and 3"),
    "no piece": (
        lambda v: tether.segmented("n", v, rt.vector(0, 0), 0, length=1, density=1, gravity=1), "one piece"),
    "a rod that is reeled": (
        lambda v: tether.rod(rt.vector(0, 0), v, 2 + rt.t, 1), "keeps its mass"),
    "a kite in the plane": (
        lambda v: kite.point_mass(v, mass=1, area=1, density=1, lift=1, drag=1, gravity=1), "in space"),
    "no rotation": (lambda v: kite.rigid(rt.vector(*v, 0), 3, **FIGURES), "as a 3 x 3 matrix"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_models_that_are_refused(case):
    make, sentence = REFUSED[case]
    with pytest.raises(rt.DeclarationError, match=sentence):
        make(rt.vector(*rt.coordinates("x z")))


def test_a_kite_without_apparent_wind_is_told_so():
    x, y, z = rt.coordinates("x y z")
    r = rt.vector(x, y, z)
    parts = kite.point_mass(r, mass=1, area=1, density=1, lift=1, drag=0.1, gravity=G)
    system = (parts + tether.rigid(rt.vector(0, 0, 0), r, 2.0)).system()
    rest = rt.equilibrium(system, {}, guess={x: 0.1, z: -2.0})  # without lift it hangs
    assert rest.q == pytest.approx([0, 0, -2], abs=1e-9)
    with pytest.raises(
        rt.SolveError, match=r"A force at .* is not finite.*There `apparent_wind` is zero"
    ):
        rt.simulate(system, {}, {z: -2.0}, [0, 1])


# --- where the lift has no direction


def test_a_kite_whose_apparent_wind_lies_along_the_tether_says_that_its_lift_has_no_direction():
    x, y, z = rt.coordinates("x y z")
    r, air = rt.vector(x, y, z), rt.vector(8, 0, 0)
    given = {"mass": 1, "area": 1, "density": 1.2, "lift": 0.8, "drag": 0.1, "gravity": G}
    system = kite.point_mass(r, **given, wind=kite.wind(z, 8, exponent=0.2)).system()
    start = {x: 0.0, y: 0.1, z: 2.0, z.rate: -12.0, x.rate: -3.0}
    motion = rt.simulate(system, {}, start, [0, 2])
    place, velocity = motion.q[-1], motion.v[-1]
    met = np.array([8 * (place[2] / 10) ** 0.2, 0, 0]) - velocity
    across = np.linalg.norm(np.cross(met, place)) / np.linalg.norm(met) / np.linalg.norm(place)
    assert across < 1e-9  # the edge itself, by the numbers of the motion alone
    assert not motion.completed
    sentence = r"`apparent_wind_lift_axis` has the length .*: its direction is not defined"
    assert re.search(sentence, motion.message)
    calm = kite.point_mass(r, **given, wind=air).system()
    with pytest.raises(rt.SolveError, match=sentence):
        rt.simulate(calm, {}, {x: 1.0}, [0, 1])


def test_a_length_that_is_divided_by_is_named_where_it_vanishes():
    x, y = rt.coordinates("x y")
    r = rt.vector(x, y)
    fall = rt.System(kinetic=rt.norm2(rt.ddt(r)) / 2, potential=-1 / rt.sqrt(rt.norm2(r)))
    with pytest.raises(rt.SolveError, match=r"`sqrt\(x\*\*2 \+ y\*\*2\)` is 0, which is divided by"):
        rt.simulate(fall, {}, {}, [0, 1])
