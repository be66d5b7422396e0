"""Rests are what they are in any units, and none is claimed where there is none."""

from __future__ import annotations

from functools import cache

import mpmath
import numpy as np
import pytest
import sympy
from scipy.integrate import solve_bvp

import routh as rt
from depth import draws
from routh import at, cos, ddt, diff, integral, sin, sqrt
from routh.kernels.engine import Point
from routh.kernels.kernel import kernel

L, EI, T, m, k0, k1, q, P = rt.parameters("L EI T m k0 k1 q P")
s = rt.space("s", 0, L)
w = rt.field("w", s)
x, y, z = rt.coordinates("x y z")


def supported(order):
    """A beam (order 2) or a string or rod (order 1) on two end springs under a uniform load."""
    stiffness = EI if order == 2 else T
    return rt.System(
        kinetic=integral(m / 2 * ddt(w) ** 2, s),
        potential=integral(stiffness / 2 * diff(w, s, order) ** 2 - q * w, s)
        + k0 / 2 * at(w, s, 0) ** 2
        + k1 / 2 * at(w, s, L) ** 2,
    )


BEAM, STRING = supported(2), supported(1)


def deflection(order, v, place):
    """By hand: on springs, each of which carries half of the load of a beam, and bent as on hinges."""
    length, load = v["L"], v["q"] * v["L"]
    xi = place / length
    if order == 2:
        rigid = load / 2 / v["k0"] * (1 - xi) + load / 2 / v["k1"] * xi
        return rigid + load * length**3 / (24 * v["EI"]) * (xi - 2 * xi**3 + xi**4)
    soft = length / v["T"]
    start = load * (1 + v["k1"] * soft / 2) / (v["k0"] + v["k1"] * (1 + v["k0"] * soft))
    return start * (1 + v["k0"] * soft * xi) - load * soft / 2 * xi**2


def in_units(v, length, force):
    """The same beam with lengths and forces counted in other units."""
    powers = {
        "L": (1, 0),
        "EI": (2, 1),
        "T": (0, 1),
        "m": (-2, 1),
        "k0": (-1, 1),
        "k1": (-1, 1),
        "q": (-1, 1),
    }
    return {
        name: value * length ** powers[name][0] * force ** powers[name][1] for name, value in v.items()
    }


def check_supported(generator):
    order = int(generator.integers(1, 3))
    count = int(generator.integers(2, 130))
    size = rt.Elements(count) if generator.random() < 0.7 else 6 + count % 15
    soft, other = 10 ** generator.uniform(-6, 4, 2)
    v = {"L": 1.3, "m": 1.0, "q": 0.7, "k0": soft, "k1": other} | (
        {"EI": 1.0} if order == 2 else {"T": 1.0}
    )
    length, force = 10 ** generator.uniform(-12, 12, 2)
    there = in_units(v, length, force)
    rest = rt.equilibrium(rt.discretize(BEAM if order == 2 else STRING, {w: size}), there)
    places = np.round(np.array([0, 0.21, 0.5, 1.0]) * count) / count  # at nodes, where cubics are exact
    found = rest.field(w, places * there["L"]) / length
    assert rest.status is rt.Status.CONVERGED
    # 1e-9: rounding of curvatures is that of the deflection times the square of the number of elements
    np.testing.assert_allclose(found, deflection(order, v, places * v["L"]), rtol=1e-9)


@pytest.mark.slow
def test_supported_bodies_hang_as_by_hand_in_any_units():
    for seed in range(draws(4, 12)):
        check_supported(np.random.default_rng(seed))


@pytest.mark.slow
def test_many_supported_bodies_hang_as_by_hand_in_any_units():
    for seed in range(100, 600):
        check_supported(np.random.default_rng(seed))


@pytest.mark.parametrize("count", [60, 180, 249, 251, 600])
@pytest.mark.parametrize("ratio", [1e3, 1.0, 1e-2, 1e-4])
def test_a_loaded_beam_on_soft_springs_is_not_returned_undeflected(count, ratio):
    v = {"L": 1.0, "EI": 100.0, "m": 1.0, "k0": 100 * ratio, "k1": 100 * ratio, "q": 0.5}
    rest = rt.equilibrium(rt.discretize(BEAM, {w: rt.Elements(count)}), v)
    assert rest.field(w, [0.5])[0] == pytest.approx(deflection(2, v, 0.5), rel=1e-9)


@pytest.mark.parametrize("size", [12, rt.Elements(10), rt.Elements(200), rt.Elements(300)])
def test_a_load_on_a_body_without_supports_is_refused_and_none_is_at_rest_as_it_is(size):
    free = rt.discretize(BEAM, {w: size})
    v = {"L": 1.0, "EI": 100.0, "m": 1.0, "k0": 0.0, "k1": 0.0}
    with pytest.raises(rt.NoEquilibrium, match="no stiffness"):
        rt.equilibrium(free, v | {"q": 0.5})
    rest = rt.equilibrium(free, v | {"q": 0.0})
    assert rest.status is rt.Status.CONVERGED
    assert not rest.q.any()


PULL_IN = 70.1
"""beta of a clamped beam at pull-in; 70 in the literature."""


@cache
def sag(beta):
    """The middle of a clamped beam with w'''' = beta/(1 - w)^2, by collocation."""
    xi = np.linspace(0, 1, 41)
    found = solve_bvp(
        lambda _, u: np.array([u[1], u[2], u[3], beta / (1 - u[0]) ** 2]),
        lambda a, b: np.array([a[0], a[1], b[0], b[1]]),
        xi,
        np.array([16 * 0.3 * xi**2 * (1 - xi) ** 2, *np.zeros((3, 41))]),
        tol=1e-9,
        max_nodes=20000,
    )
    assert found.success
    return found.sol(0.5)[0]


def clamped_electrode():
    beta, g0 = rt.parameters("beta g0")
    force = beta * EI * g0**3 / L**4
    return rt.System(
        kinetic=integral(m / 2 * ddt(w) ** 2, s),
        potential=integral(EI / 2 * diff(w, s, 2) ** 2 - force / (g0 - w), s),
        constraints=[at(w, s, 0), at(diff(w, s), s, 0), at(w, s, L), at(diff(w, s), s, L)],
    )


@pytest.mark.parametrize(
    "size",
    [8, rt.Elements(20), rt.Elements(100), pytest.param(rt.Elements(260), marks=pytest.mark.slow)],
)
@pytest.mark.parametrize("unit", [1e-6, pytest.param(1e9, marks=pytest.mark.slow)])
def test_an_electrostatic_beam_rests_below_pull_in_and_nowhere_above(size, unit):
    system = rt.discretize(clamped_electrode(), {w: size})
    v = {"L": 300 * unit, "EI": 2.1 * unit**2, "m": 1.0, "g0": 2 * unit}
    for beta in (30.0, 0.99 * PULL_IN):
        middle = rt.equilibrium(system, v | {"beta": beta}).field(w, [150 * unit])[0] / v["g0"]
        assert middle == pytest.approx(sag(beta), rel=1e-4)  # of few functions beside the fold
    for beta in (1.02 * PULL_IN, 200.0, 1e5):
        with pytest.raises(rt.SolveError):
            rt.equilibrium(system, v | {"beta": beta})


@pytest.mark.parametrize("unit", [1.0, 1e-12, 1e12])
def test_a_plate_does_not_pass_through_the_electrode(unit):
    k, V, g0 = rt.parameters("k V g0")
    plate = rt.System(kinetic=m / 2 * ddt(x) ** 2, potential=k / 2 * x**2 - V / (g0 - x))
    at_pull_in = 4 / 27 * unit**3

    def rest(share, guess=0.0):
        v = {"m": 1.0, "k": 1.0, "g0": unit, "V": share * at_pull_in}
        return rt.equilibrium(plate, v, guess={x: guess * unit}).q[0] / unit

    for share in (0.3, 0.9, 0.999):
        roots = np.roots([1, -2, 1, -share * 4 / 27])
        assert rest(share) == pytest.approx(min(roots.real), rel=1e-12)
        assert rest(share, guess=2.0) == pytest.approx(max(roots.real), rel=1e-12)
    for share in (1.001, 2.0, 100.0):
        with pytest.raises(rt.SolveError):
            rest(share)


def discrete(scales):
    """A pendulum, a nonlinear spring and a mass coupled, each coordinate in units of its own."""
    a, b, c = (coordinate / scale for coordinate, scale in zip((x, y, z), scales, strict=True))
    k, F, g = rt.parameters("k F g")
    V = (
        -g * cos(a)
        + k / 2 * (a - b) ** 2
        + b**4 / 4
        + k / 3 * (b - 2 * c) ** 2
        + sqrt(1 + c**2)
        - F * (c + sin(a))
    )
    return rt.System(kinetic=(ddt(x) ** 2 + ddt(y) ** 2 + ddt(z) ** 2) / 2, potential=V)


def check_discrete(generator):
    """The system in units of its own for each coordinate against the same one in common units."""
    scales = 10 ** generator.uniform(-12, 12, 3)
    v = {
        "k": 10 ** generator.uniform(-3, 5),
        "F": generator.normal(),
        "g": 10 ** generator.uniform(-2, 2),
    }
    guess = generator.uniform(-2, 2, 3) * (generator.random() < 0.7)
    start = dict(zip((x, y, z), guess, strict=True))
    there = {key: value * scale for (key, value), scale in zip(start.items(), scales, strict=True)}
    plain = rt.equilibrium(discrete((1, 1, 1)), v, guess=start, raises=False)
    other = rt.equilibrium(discrete(scales), v, guess=there, raises=False)
    assert other.status is plain.status
    if plain.converged:
        np.testing.assert_allclose(other.q / scales, plain.q, rtol=1e-8, atol=1e-12)
    return plain.converged


@pytest.mark.slow
def test_discrete_systems_rest_alike_in_any_units():
    found = [check_discrete(np.random.default_rng(seed)) for seed in range(25)]
    assert np.mean(found) > 0.7


@pytest.mark.slow
def test_many_discrete_systems_rest_alike_in_any_units():
    for seed in range(1000, 2000):
        check_discrete(np.random.default_rng(seed))


@pytest.mark.parametrize("unit", [1.0, 1e-9, 1e9])
def test_multiple_roots_are_degenerate_and_roots_at_infinity_none_in_any_units(unit):
    a, b = rt.parameters("a b")
    flat = rt.System(kinetic=ddt(x) ** 2 / 2, potential=((x - a) / b) ** 4)
    for place in (0.0, 1.0):
        rest = rt.equilibrium(flat, {"a": place * unit, "b": unit}, guess={x: 3 * unit})
        assert rest.status is rt.Status.DEGENERATE
        assert rest.q[0] / unit == pytest.approx(place, abs=1e-5)
    endless = rt.System(kinetic=ddt(x) ** 2 / 2, potential=sympy.exp(x / b))
    for guess in (0.0, 100.0, 600.0):
        found = rt.equilibrium(endless, {"b": unit}, guess={x: guess * unit}, raises=False)
        assert not found.converged


@pytest.mark.parametrize("stiff", [1e3, 1e9, 1e12])
def test_a_soft_spring_to_the_ground_holds_what_a_stiff_one_couples(stiff):
    k, F = rt.parameters("k F")
    pair = rt.System(
        kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2, potential=k / 2 * (x - y) ** 2 + x**2 / 2 - F * y
    )
    rest = rt.equilibrium(pair, {"k": stiff, "F": 1 / 3})
    assert rest.q[0] == pytest.approx(1 / 3, rel=1e-3)
    assert rest.q[1] == pytest.approx(1 / 3 + 1 / 3 / stiff, rel=1e-3)


def test_rounding_of_a_force_along_a_free_coordinate_is_no_force():
    angle, g = rt.parameters("angle g")
    free = rt.System(
        kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2,
        potential=y**2 / 2 - g * (cos(angle) - sympy.Rational(1, 2)) * x - g * y,
    )
    rest = rt.equilibrium(free, {"angle": np.pi / 3, "g": 9.81})
    assert rest.q.tolist() == [0.0, 9.81]
    with pytest.raises(rt.NoEquilibrium):
        rt.equilibrium(free, {"angle": np.pi / 3 + 1e-9, "g": 9.81})


@pytest.mark.parametrize("size", [8, rt.Elements(30)])
@pytest.mark.parametrize("share", [0.999, 1.001])
def test_a_straight_column_beside_eulers_load_rests_regularly(size, share):
    column = rt.System(
        kinetic=integral(m / 2 * ddt(w) ** 2, s),
        potential=integral(EI / 2 * diff(w, s, 2) ** 2 - P / 2 * diff(w, s) ** 2, s),
        constraints=[at(w, s, 0), at(w, s, L)],
    )
    v = {"L": 1.0, "EI": 1.0, "m": 1.0, "P": share * np.pi**2}
    rest = rt.equilibrium(rt.discretize(column, {w: size}), v)
    assert rest.status is rt.Status.CONVERGED
    assert not rest.q.any()


def test_sizes_bound_the_rounding_of_the_forces():
    """Against the forces in fifty digits, at places where large terms cancel."""
    k, l = rt.parameters("k l")
    V = (
        k / 2 * (sqrt((x - l) ** 2 + y**2) - l) ** 2
        + 1000 * cos(x)
        - sympy.log(3 + y) * sympy.tan(x / 9)
    )
    system = rt.System(kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2, potential=V)
    engine, generator = kernel(system), np.random.default_rng(3)
    forces = [sympy.lambdify((x, y, k, l), V.diff(c), "mpmath") for c in (x, y)]
    for _ in range(50):
        place, p = generator.uniform(-2, 2, 2) * [1, 1e-6], generator.uniform(1e3, 1e5, 2)
        none = np.zeros((1, 2))
        point = Point(
            np.zeros((1, 1)), place[None], none, none, p[None], np.zeros((1, 0)), np.zeros((1, 0))
        )
        E, sizes = (f(point.arguments)[0] for f in (engine.at_rest.residual, engine.at_rest.sizes))
        with mpmath.workdps(50):
            exact = [
                float(f(*map(mpmath.mpf, (*place, *p))) - mpmath.mpf(e))
                for f, e in zip(forces, E, strict=True)
            ]
        assert (np.abs(exact) <= np.finfo(float).eps * sizes).all()
        assert (sizes >= np.abs(E)).all()


@pytest.mark.parametrize("box", [1.0, 1e3])
@pytest.mark.parametrize("soft", [1.0, 1e-3])
def test_amplitudes_of_a_body_are_no_angles(box, soft):
    """The one rest of a linear beam is listed where it is, or not at all where the box ends before."""
    beam = rt.discretize(BEAM, {w: 6})
    v = {"L": 1.0, "EI": 100.0, "m": 1.0, "k0": soft, "k1": soft, "q": 0.5}
    found = rt.equilibria(beam, v, within=dict.fromkeys(beam.coordinates, (-box, box)))
    middle = deflection(2, v, 0.5)
    assert len(found) == (abs(middle) < box)
    for rest in found:
        assert rest.field(w, [0.5])[0] == pytest.approx(middle, rel=1e-9)


def test_a_division_by_what_vanishes_with_the_rest_is_no_pole():
    """sin(x)/x is divided by x, and rests are found on both sides of zero."""
    hump = rt.System(kinetic=ddt(x) ** 2 / 2, potential=(x + 1) ** 2 - sin(x) / x)
    rest = rt.equilibrium(hump, {}, guess={x: 0.5}).q[0]
    assert rest < 0
    assert 2 * (rest + 1) == pytest.approx(np.cos(rest) / rest - np.sin(rest) / rest**2, rel=1e-12)
