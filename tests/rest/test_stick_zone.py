"""Ranges of stick zones against closed forms and against grids that are filled from the centre."""

import numpy as np
import pytest
import sympy
from scipy import ndimage

import routh as rt
from depth import draws
from routh import cos, ddt, exp, friction

x, y = rt.coordinates("x y")


def line(potential, static):
    return rt.System(
        kinetic=ddt(x) ** 2 / 2, potential=potential, friction=friction(ddt(x), static=static)
    )


def plane(potential, statics):
    contacts = [friction(ddt(q), static=s) for q, s in zip((x, y), statics, strict=True)]
    return rt.System(kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2, potential=potential, friction=contacts)


def filled(potential, statics, reach, count=1601):
    """The ranges of the piece around zero, on a grid; and the distance of its points."""
    g = np.linspace(-reach, reach, count)
    at = np.meshgrid(g, g, indexing="ij")
    held = np.ones((count, count), dtype=bool)
    for q, s in zip((x, y), statics, strict=True):
        force = sympy.lambdify((x, y), sympy.diff(potential, q))(*at)
        held &= np.abs(force + 0 * at[0]) <= s
    labels, _ = ndimage.label(held)
    inside = np.where(labels == labels[count // 2, count // 2])
    ends = [(g[i.min()], g[i.max()]) for i in inside]
    return np.array(ends).T, g[1] - g[0]


@pytest.mark.parametrize("mu", [0.15, 0.25])
def test_a_zone_reaches_beyond_its_corners_and_has_ends_where_corners_do_not_exist(mu):
    potential = (x**2 + y**2) / 2 + x * y**2
    zone = rt.stick_zone(plane(potential, (0.1, mu)), {})
    (low, high), h = filled(potential, (0.1, mu), 1.2)
    np.testing.assert_allclose(zone.low, low, atol=2 * h)
    np.testing.assert_allclose(zone.high, high, atol=2 * h)
    np.testing.assert_allclose(zone.high[0], 0.1, rtol=1e-9)  # at y = 0, which is no corner
    assert zone.is_complete
    assert not zone.contains({x: 5, y: 0})


def random_potential(generator):
    a, b, c, d, e = generator.uniform(-0.7, 0.7, 5)
    return (
        x**2 / 2 + y**2 / 2 + a * x * y**2 + b * x**2 * y + c * x**3 + d * x * y / 2 + e * cos(2 * y) / 8
    )  # fmt: skip


def agree(generator):
    potential, statics = random_potential(generator), generator.uniform(0.05, 0.3, 2)
    zone = rt.stick_zone(plane(potential, tuple(map(float, statics))), {})
    (low, high), h = filled(potential, statics, 2.5)
    if np.abs([low, high]).max() > 2.4:  # it goes on beyond the grid
        assert (zone.low <= low + 2 * h).all()
        return
    # thin horns fall between the points of a grid, so that it shows less, but never much less
    assert (zone.low <= low + 2 * h).all()
    assert (zone.high >= high - 2 * h).all()
    np.testing.assert_allclose([zone.low, zone.high], [low, high], atol=0.05)


@pytest.mark.slow
def test_random_zones_are_those_that_a_grid_fills():
    generator = np.random.default_rng(3)
    for _ in range(draws(1, 3)):
        agree(generator)


@pytest.mark.slow
def test_many_random_zones_are_those_that_a_grid_fills():
    generator = np.random.default_rng(7)
    for _ in range(60):
        agree(generator)


CURVES = {
    "spring": (2 * x**2, 1.0, -1 / 4, 1 / 4),
    "pendulum": (-cos(x), 0.5, -np.pi / 6, np.pi / 6),
    "pendulum that is held anywhere": (-cos(x), 1.5, -np.inf, np.inf),
    "very soft": (x**2 / 2e8, 1.0, -1e8, 1e8),
    "one-sided": (exp(x), 1.0, -np.inf, 0.0),
    "constant slope": (0.3 * x, 0.5, -np.inf, np.inf),
    "two wells in one piece": (x**4 / 4 - x**2 / 2, 0.5, -1.191487883953119, 1.191487883953119),
    "no rest at full load": (x - x**3 / 3, 0.5, None, None),
    "small units": (5e11 * x**2, 1e-3, -1e-15, 1e-15),
}


@pytest.mark.parametrize("case", CURVES)
def test_zones_of_one_coordinate(case):
    potential, static, low, high = CURVES[case]
    guess = {x: 1.0} if case in ("two wells in one piece", "no rest at full load") else None
    zone = rt.stick_zone(line(potential, static), {}, guess=guess)
    if low is None:  # 1 - x^2 between -1/2 and 1/2: the piece around 1
        low, high = np.sqrt(1 / 2), np.sqrt(3 / 2)
    np.testing.assert_allclose([zone.low[0], zone.high[0]], [low, high], rtol=1e-9, atol=1e-10)
    if np.isinf(low) and np.isinf(high):
        assert "x anywhere" in str(zone)


def test_ranges_are_those_of_one_piece():
    well = x**4 / 4 - x**2 / 2  # |x^3 - x| <= 0.1 has three pieces
    edges = np.sort(np.roots([1, 0, -1, 0.1]).real), np.sort(np.roots([1, 0, -1, -0.1]).real)
    for guess, low, high in (
        (1.0, edges[0][2], edges[1][2]),
        (0.0, edges[1][1], edges[0][1]),
        (-1.0, edges[0][0], edges[1][0]),
    ):
        zone = rt.stick_zone(line(well, 0.1), {}, guess={x: guess})
        np.testing.assert_allclose([zone.low[0], zone.high[0]], sorted([low, high]), rtol=1e-8)


def test_static_forces_that_depend_on_position_and_inputs():
    f = rt.input("f")
    load = rt.System(
        kinetic=ddt(x) ** 2 / 2,
        potential=x**2 / 2,
        forces={x: f},
        friction=friction(ddt(x), static=1 + x**2),
    )
    zone = rt.stick_zone(load, {}, inputs={f: 0.5})  # |x - 0.5| <= 1 + x^2: everywhere
    assert np.isinf([zone.low[0], zone.high[0]]).all()
    weak = load.changed(friction=friction(ddt(x), static=0.1 * (1 + x**2)))
    zone = rt.stick_zone(weak, {}, inputs={f: 0.5}, guess={x: 0.5})
    roots = np.sort(np.concatenate([np.roots([0.1, -1, 0.6]), np.roots([0.1, 1, -0.4])]))
    near = roots[(roots > 0) & (roots < 1)]
    np.testing.assert_allclose([zone.low[0], zone.high[0]], [near.min(), near.max()], rtol=1e-9)
    np.testing.assert_allclose(zone.loads({x: 0.5}), [0], atol=1e-15)
    assert zone.contains({x: 0.45})


@pytest.mark.slow
def test_extremes_inside_a_bent_zone():
    # on a hoop held strongly, x is largest at the side, where friction is far from its end
    hoop = rt.System(
        kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2,
        potential=9.81 * y,
        constraints=[(x**2 + y**2 - 1) / 2],
        friction=friction(-ddt(x) * y + ddt(y) * x, static=30),
    )
    zone = rt.stick_zone(hoop, {}, guess={x: 0.0, y: -1.0})
    np.testing.assert_allclose([zone.low, zone.high], [[-1, -1], [1, 1]], atol=1e-9)


def test_forces_that_change_with_time_hold_no_set():
    v, k, F = rt.parameters("v k F")
    pulled = rt.System(
        kinetic=ddt(x) ** 2 / 2,
        potential=k * (x - v * rt.t) ** 2 / 2,
        friction=rt.friction(ddt(x), static=F),
    )
    swelling = rt.System(
        kinetic=ddt(x) ** 2 / 2,
        potential=k * (2 + rt.sin(v * rt.t)) * x**2 / 2,  # x = 0 rests at all times, x = F/k does not
        friction=rt.friction(ddt(x), static=F),
    )
    values = {"v": 0.05, "k": 10.0, "F": 1.5}
    for system in (pulled, swelling):
        with pytest.raises(rt.DerivationError, match=r"forces that stay as they are.*may slip later"):
            rt.stick_zone(system, values)
        with pytest.raises(rt.DerivationError, match=r"no isolated equilibrium.*may slip later"):
            rt.equilibrium(system, values)
    still = {**values, "v": 0.0}
    assert rt.stick_zone(pulled, still).high == pytest.approx([0.15])
