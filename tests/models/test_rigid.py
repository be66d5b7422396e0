"""Rigid bodies against tables of textbooks, a second route by quadrature, and what must be refused."""

from __future__ import annotations

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import dblquad, quad

import routh as rt
from depth import cases
from routh.models import rigid
from sampling import assert_same

m, rho, a, b, c, R, h, l = rt.parameters("m rho a b c R h l")
I = 2  # the third axis

TABLE = {
    # F. P. Beer, E. R. Johnston, Vector Mechanics: Dynamics, appendix B, and Landau, Mechanics, 32
    "rod": (rigid.rod(l, mass=m), (0, m * l**2 / 12, m * l**2 / 12)),
    "rectangle": (
        rigid.rectangle(a, b, mass=m),
        (m * b**2 / 12, m * a**2 / 12, m * (a**2 + b**2) / 12),
    ),
    "disc": (rigid.disc(R, mass=m), (m * R**2 / 4, m * R**2 / 4, m * R**2 / 2)),
    "ring": (rigid.ring(R, mass=m), (m * R**2 / 2, m * R**2 / 2, m * R**2)),
    "box": (
        rigid.box(a, b, c, mass=m),
        (m * (b**2 + c**2) / 12, m * (a**2 + c**2) / 12, m * (a**2 + b**2) / 12),
    ),
    "cylinder": (
        rigid.cylinder(R, h, mass=m),
        (m * (3 * R**2 + h**2) / 12, m * (3 * R**2 + h**2) / 12, m * R**2 / 2),
    ),
    "sphere": (rigid.sphere(R, mass=m), (2 * m * R**2 / 5,) * 3),
    "shell": (rigid.spherical_shell(R, mass=m), (2 * m * R**2 / 3,) * 3),
    "cone": (
        rigid.cone(R, h, mass=m),
        (3 * m * (R**2 / 20 + h**2 / 80), 3 * m * (R**2 / 20 + h**2 / 80), 3 * m * R**2 / 10),
    ),
}


@pytest.mark.parametrize(("body", "moments"), TABLE.values(), ids=TABLE)
def test_moments_are_those_of_tables(body, moments):
    assert body.mass == m
    assert_same(body.inertia, sympy.diag(*moments))


def test_an_ellipsoid_and_a_torus_are_regions():
    """m (b^2 + c^2)/5 for half axes a, b, c; m (R^2 + 3/4 a^2) about the axis of a torus."""
    u, th, phi = rt.space("u", 0, 1), rt.space("theta", 0, rt.pi), rt.space("phi", 0, 2 * rt.pi)
    place = rt.vector(
        a * u * rt.sin(th) * rt.cos(phi), b * u * rt.sin(th) * rt.sin(phi), c * u * rt.cos(th)
    )
    ellipsoid = rigid.region(place, [u, th, phi], mass=m)
    moments = [m * (b**2 + c**2) / 5, m * (a**2 + c**2) / 5, m * (a**2 + b**2) / 5]
    assert_same(ellipsoid.inertia, sympy.diag(*moments))
    r, psi = rt.space("r", 0, 1), rt.space("psi", 0, 2 * rt.pi)
    out = 3 + r * rt.cos(psi)
    place = rt.vector(out * rt.cos(phi), out * rt.sin(phi), r * rt.sin(psi))
    torus = rigid.region(place, [r, psi, phi], density=1)
    assert_same(torus.mass, 6 * sympy.pi**2)
    assert_same(torus.inertia[I, I] / torus.mass, sympy.Integer(9) + sympy.Rational(3, 4))


def test_a_bent_wire_has_its_length():
    """A quarter of a circle: length pi R/2, centre of mass at 2 R/pi along both axes."""
    phi = rt.space("phi", 0, rt.pi / 2)
    wire = rigid.region(rt.vector(R * rt.cos(phi), R * rt.sin(phi)), phi, density=rho)
    assert_same(wire.mass, rho * sympy.pi * R / 2)
    assert_same(wire.centre, sympy.Matrix([2 * R / sympy.pi] * 2))


def test_parallel_axes_are_those_of_a_body_that_was_moved():
    body = rigid.box(a, b, c, mass=m)
    moved = body.shifted([R, h, l])
    assert_same(moved.centre, sympy.Matrix([R, h, l]))
    assert_same(moved.inertia, body.inertia)
    assert_same(moved.about([0, 0, 0]), body.about([-R, -h, -l]))
    assert_same(moved.about([0, 0, 0])[0, 0], m * (b**2 + c**2) / 12 + m * (h**2 + l**2))
    assert_same(moved.about([0, 0, 0])[0, 1], -m * R * h)


def test_a_turned_plate_has_products_of_inertia():
    plate = rigid.rectangle(a, b, mass=m).turned(rt.rotation(rt.pi / 4))
    assert_same(plate.inertia[0, 1], m * (b**2 - a**2) / 24)


def test_a_plate_with_a_hole_off_its_middle():
    """By hand: a square of side 4 without a disc of radius 1 at (1, 0), density 1."""
    plate = rigid.rectangle(4, 4, density=1) - rigid.disc(1, density=1).shifted([1, 0])
    pi = sympy.pi
    assert_same(plate.mass, 16 - pi)
    assert_same(plate.centre, sympy.Matrix([-pi / (16 - pi), 0]))
    about = 16 * sympy.Rational(32, 12) - (pi / 2 + pi)
    assert_same(plate.about([0, 0])[I, I], about)
    assert_same(plate.inertia[I, I], about - pi**2 / (16 - pi))


def test_a_tube_is_a_cylinder_less_another():
    tube = rigid.cylinder(R, h, density=rho) - rigid.cylinder(a, h, density=rho)
    assert_same(tube.inertia[I, I], tube.mass * (R**2 + a**2) / 2)


def test_density_that_varies_along_a_rod():
    """rho (1 + s/l) from its middle: m = rho l, centre at l/12 by hand, and by quadrature."""
    rod = rigid.rod(l, density=lambda r: rho * (1 + r[0] / l))
    assert_same(rod.mass, rho * l)
    assert_same(rod.centre, sympy.Matrix([l / 12, 0]))
    shape = quad(lambda s: (1 + s) * (s - 1 / 12) ** 2, -0.5, 0.5)[0]
    assert float(rod.inertia[I, I].subs({rho: 1, l: 1})) == pytest.approx(shape, rel=1e-14)


def test_a_density_without_a_rule_is_summed():
    disc = rigid.disc(1, density=lambda r: sympy.exp(-rt.norm2(r)))
    by_scipy = 2 * np.pi * quad(lambda r: r**3 * np.exp(-(r**2)), 0, 1)[0]
    assert float(disc.about([0, 0])[I, I]) == pytest.approx(by_scipy, rel=1e-13)


def test_koenig_and_the_integral_give_one_energy():
    """T = int rho |r'|^2/2 dV of every point is that of the centre and about it."""
    x, y, phi = rt.coordinates("x y phi")
    body = rigid.rectangle(a, b, mass=m).shifted([c, 0]) + rigid.disc(R, mass=rho)
    origin = rt.vector(x, y)
    written = body.integral(lambda r: rt.norm2(rt.ddt(origin + rt.rotation(phi) @ r)) / 2)
    (T,) = rt.System(kinetic=written).kinetic
    assert_same(T, rt.rigid_body(body, origin, phi))


def test_koenig_in_space():
    R_ = rt.euler_angles("zxz", *rt.coordinates("psi theta phi"))
    body = rigid.cone(2, 3, mass=5)
    top = body.integral(lambda r: rt.norm2(rt.ddt(sympy.ImmutableDenseMatrix(R_) * r)) / 2)
    (T,) = rt.System(kinetic=top).kinetic
    assert_same(T, rt.rigid_body(body, rt.vector(0, 0, 0), R_), digits=20)


def test_a_compound_pendulum_of_a_body():
    """A ring on a nail: omega^2 = m g a/I = g/(2 R)."""
    theta, g = rt.coordinate("theta"), rt.parameter("g")
    body = rigid.ring(R, mass=m).shifted([0, -R])
    centre = rt.rotation(theta) @ body.centre
    T, V = rt.rigid_body(body, rt.vector(0, 0), theta), body.mass * g * centre[1]
    eq = rt.equations(rt.System(kinetic=T, potential=V))
    assert str(eq) == "theta: 2*m*R**2*theta'' + m*g*R*sin(theta) = 0"


u, v = rt.space("u", -1, 1), rt.space("v", 0, 1)
BACKWARDS = rt.space("w", 0, -2 - u)
MISTAKES = {
    "a parabola covered twice": (
        lambda: rigid.region([u**2, v], [u, v], mass=m),
        r"The region folds.*`-?2\*u`",
    ),
    "a line that is no area": (lambda: rigid.region([u + v, u + v], [u, v], mass=m), r"no size"),
    "negative density": (
        lambda: rigid.rod(l, density=lambda r: rho * r[0] / l),
        r"below zero at places",
    ),
    "negative by its sign": (lambda: rigid.disc(R, density=-rho), r"below zero.*plate - hole"),
    "negative by its value": (
        lambda: rigid.rod(2, density=lambda r: rt.parameter("d", 0.5) - r[0]),
        r"below zero at places",
    ),
    "negative mass": (lambda: rigid.disc(R, mass=-1), r"mass of a body must be above zero.*Got -1"),
    "negative mass by its sign": (lambda: rigid.disc(R, mass=-m), r"must be above zero.*Got -m"),
    "more taken away than is there": (
        lambda: (rigid.disc(1, density=1) - rigid.disc(2, density=1)).mass,
        r"mass of the body is -3\*pi. It must be above zero",
    ),
    "nothing left": (
        lambda: (rigid.disc(R, density=rho) - rigid.disc(R, density=rho)).centre,
        r"mass of the body is 0",
    ),
    "nothing left to move": (
        lambda: (rigid.rod(l, density=rho) - rigid.rod(l, density=rho)).integral(lambda r: r[0]),
        r"mass of the body is 0",
    ),
    "a fold for some values": (
        lambda: rigid.region([(u - a) ** 2, v], [u, v], mass=m),
        r"Whether the region folds depends on `a`.*parameter\(\"a\"",
    ),
    "an order of spaces that hides the sign": (
        lambda: rigid.region([(R - v) * rt.cos(u), (R - v) * rt.sin(u)], [v, u], mass=m),
        r"Whether the region folds depends on `R`",
    ),
    "a curve that turns back for some values": (
        lambda: rigid.region([(u - a) ** 2, 0], u, mass=m),
        r"Whether the region folds depends on `a`",
    ),
    "a component that is not there": (
        lambda: rigid.disc(R, density=lambda r: r[2]),
        r"component of the place that is not there: it has 2, r\[0\] to r\[1\]",
    ),
    "a stretch": (lambda: rigid.rod(l, mass=m).turned(2 * sympy.eye(2)), r"takes a rotation, R\^T R"),
    "a mirror": (lambda: rigid.rod(l, mass=m).turned(sympy.diag(1, -1)), r"takes a rotation, R\^T R"),
    "turned by what moves": (
        lambda: rigid.rod(l, mass=m).turned(rt.rotation(rt.coordinate("q"))),
        r"Got `q`, which moves.*rigid_body\(body, r, R\)",
    ),
    "shifted by what moves": (
        lambda: rigid.rod(l, mass=m).shifted([rt.coordinate("q"), 0]),
        r"Got `q`, which moves",
    ),
    "no radius": (lambda: rigid.sphere(0, mass=m), r"radius of a sphere must be above zero. Got 0"),
    "neither": (lambda: rigid.disc(R), r"either its `mass`.*Got neither"),
    "both": (lambda: rigid.disc(R, mass=m, density=rho), r"Got both"),
    "another space": (
        lambda: rigid.disc(R, density=u),
        r"varies along `u`, which is no space of the body",
    ),
    "bounds in the wrong order": (
        lambda: rigid.region([u, BACKWARDS], [u, BACKWARDS], mass=m),
        r"`w` must end behind its start everywhere. Got 0 to -u - 2",
    ),
    "places of four": (lambda: rigid.region([u, v, 0, 0], [u, v], mass=m), r"components. Got 4"),
    "no spaces": (lambda: rigid.region([u, v], [], mass=m), r"one, two or three spaces"),
    "a point": (lambda: rigid.disc(R, mass=m).about([1]), r"two or three components. Got 1"),
    "no rotation": (lambda: rigid.disc(R, mass=m).turned(3), r"takes a rotation"),
    "too few": (lambda: rt.rigid_body(rigid.disc(R, mass=m), [0, 0]), r"Got 1 arguments beside"),
}


@pytest.mark.parametrize(("make", "message"), MISTAKES.values(), ids=MISTAKES)
def test_mistakes_are_told(make, message):
    with pytest.raises(rt.DeclarationError, match=message):
        make()


def test_a_map_that_turns_its_sense_round_has_its_size():
    """With the spaces the other way round the determinant is below zero everywhere, and no fold."""
    r, phi = rt.space("r", 0, R), rt.space("phi", 0, 2 * rt.pi)
    disc = rigid.region(rt.vector(r * rt.sin(phi), r * rt.cos(phi)), [r, phi], density=rho)
    assert_same(disc.mass, rho * sympy.pi * R**2)


@pytest.mark.parametrize("inward", [False, True])
def test_a_ring_has_its_mass_whatever_the_order_of_its_spaces(inward):
    """pi rho (R^2 - (R - d)^2), the determinant being above or below zero."""
    out, d = rt.parameter("out", 1.0), rt.parameter("d", 0.1)
    r, phi = rt.space("r", 0, d), rt.space("phi", 0, 2 * rt.pi)
    place = [(out - r) * rt.cos(phi), (out - r) * rt.sin(phi)]
    ring = rigid.region(place, [phi, r] if inward else [r, phi], density=rho)
    assert_same(ring.mass, rho * sympy.pi * (out**2 - (out - d) ** 2))


def test_a_rod_of_two_materials():
    """1 up to a third from the middle on, then 2: 4/3 + 4/3 for a length of 2."""
    third = sympy.Rational(1, 3)
    rod = rigid.rod(2, density=lambda r: sympy.Piecewise((1, r[0] < third), (2, True)))
    assert rod.mass == sympy.Rational(8, 3)


def test_a_rod_with_a_spike_has_its_mass():
    """1 + 100 sqrt(pi/10^6) for a bell of that bend within a length of one."""
    rod = rigid.rod(1, density=lambda r: 1 + 100 * rt.exp(-(10**6) * (r[0] - 0.1) ** 2))
    assert float(rod.mass) == pytest.approx(1 + 0.1 * np.sqrt(np.pi), rel=1e-12)


sizes = st.tuples(*[st.integers(1, 4)] * 2)
steps = st.tuples(*[st.integers(-3, 3)] * 2)
bumps = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(0, 2)), max_size=3)


@cases(8)
@given(sizes, steps, bumps)
def test_inertia_is_that_of_matter(size, step, terms):
    """The tensor is that of quadrature, not below zero, and no moment is above the sum of the others."""

    def density(r):
        return 1 + sympy.Add(*(n * r[0] ** (2 * i) * r[1] ** (2 * j) for n, i, j in terms))

    body = rigid.rectangle(*size, density=density).shifted(step)
    tensor = np.array(body.inertia.tolist(), dtype=float)
    moments = np.linalg.eigvalsh(tensor)
    assert moments[0] > 0
    assert moments[2] <= moments[0] + moments[1] + 1e-12 * moments[2]
    (w, d), (x, y) = size, (float(each) for each in body.centre)

    def shape(q, p):
        bump = sum(n * p ** (2 * i) * q ** (2 * j) for n, i, j in terms)
        return (1 + bump) * ((p + step[0] - x) ** 2 + (q + step[1] - y) ** 2)

    about, _ = dblquad(shape, -w / 2, w / 2, -d / 2, d / 2)
    assert tensor[2, 2] == pytest.approx(about, rel=1e-9)
