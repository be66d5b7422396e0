"""Continuous symmetries: found from the energies, confirmed, divided out of a search."""

from __future__ import annotations

from itertools import combinations, permutations

import numpy as np
import pytest
import sympy
from scipy.optimize import fsolve

import routh as rt
from routh import cos, ddt, exp, let, norm2, pi, rotation, sin, sqrt, t, vector
from routh.analysis.given.conditions import conditions
from routh.analysis.search.box import box
from routh.analysis.search.invariance import orbits
from routh.kernels.kernel import kernel


def bodies(masses, turning=True):
    """Bodies that attract each other, in the plane of a frame that turns once in 2 pi."""
    q = rt.coordinates(" ".join(f"x{k} y{k}" for k in range(len(masses))))
    r = [vector(*q[2 * k : 2 * k + 2]) for k in range(len(masses))]
    frame = rotation(t) if turning else sympy.eye(2)
    T = [m * norm2(ddt(frame @ x)) / 2 for m, x in zip(masses, r, strict=True)]
    pairs = combinations(range(len(masses)), 2)
    V = [-masses[i] * masses[j] / sqrt(norm2(r[i] - r[j])) for i, j in pairs]
    return rt.System(kinetic=T, potential=V), q


def found_in(system, within, values=None, **more):
    given, _ = conditions(system, values or {}, None, **({"speeds": None, "momenta": None} | more))
    engine = kernel(system)
    return orbits(engine, given, box(engine, given, within))


def plane(potential, **more):
    x, y = rt.coordinates("x y")
    system = rt.System(kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2, potential=potential(x, y), **more)
    return system, {x: (-2, 2), y: (-3, 2)}


# -- What is found -------------------------------------------------------------------------------


def test_a_rotation_of_all_bodies_is_found_with_its_field():
    system, q = bodies([1, 2, 3.3])
    symmetry = found_in(system, dict.fromkeys(q, (-2, 2)))
    here = np.random.default_rng(3).normal(size=(1, 6))
    turned = np.kron(np.eye(3), [[0, -1], [1, 0]]) @ here[0]
    # in the span of the fields, which holds a turn of the centre of mass alone as well
    span = symmetry.fields(here)[0] * symmetry.box.width
    left = turned - span.T @ np.linalg.lstsq(span.T, turned, rcond=None)[0]
    assert np.abs(left).max() < 1e-12


def test_bodies_in_free_space_are_shifted_too():
    system, q = bodies([1, 2], turning=False)
    symmetry = found_in(system, dict.fromkeys(q, (-2, 2)))
    here = np.random.default_rng(4).normal(size=(1, 4))
    span = symmetry.fields(here)[0]
    assert np.linalg.matrix_rank(span) == 3  # all but the distance
    assert np.abs(span @ (here[0] - np.roll(here[0], 2))).max() < 1e-12


def test_a_shift_along_a_combination_is_found_to_the_last_digit():
    system, within = plane(lambda x, y: (0.3 * x - 0.2 * y) ** 2)
    symmetry = found_in(system, within)
    assert len(symmetry) == 1
    assert symmetry.b[0, 0] / symmetry.b[0, 1] == pytest.approx(0.2 / 0.3, rel=1e-15)


@pytest.mark.parametrize(
    "potential",
    [
        lambda x, y: y**2 + exp(-((1000 * x) ** 2)),  # a spike between all samples
        lambda x, y: (x**2 + y**2 - 1) ** 2 + exp(-((1000 * x) ** 2)),
        lambda x, y: (x**2 + y**2 - 1) ** 2 * (1 + exp(-((1000 * x) ** 2))),
        lambda x, y: y**2 + 1e-17 * x**2,
        lambda x, y: (x**2 + (1 + 1e-14) * y**2 - 1) ** 2,
        lambda x, y: y**2 + sympy.Max(0, x - sympy.Rational(19, 10)) ** 2,
    ],
)
def test_nothing_that_is_nearly_a_symmetry_is_taken_for_one(potential):
    system, within = plane(potential)
    assert len(found_in(system, within)) == 0


def test_forces_and_constraints_must_be_invariant_as_well():
    x, y = rt.coordinates("x y")
    T = (ddt(x) ** 2 + ddt(y) ** 2) / 2
    V = (x**2 + y**2 - 1) ** 2
    within = {x: (-2, 2), y: (-2, 2)}
    swirl = {x: -y, y: x}
    assert len(found_in(rt.System(kinetic=T, potential=V, forces=swirl), within)) == 1
    assert len(found_in(rt.System(kinetic=T, potential=V, forces={x: -x}), within)) == 0
    assert len(found_in(rt.System(kinetic=T, potential=V, dissipation=ddt(x) ** 2), within)) == 0
    assert len(found_in(rt.System(kinetic=T, potential=V, dissipation=T), within)) == 1
    bound = rt.System(kinetic=T, potential=V, constraints=[x - y])
    assert len(found_in(bound, within)) == 0


def test_random_rotations_are_found_in_oblique_coordinates():
    """A ring seen through a linear map: the field is C^-1 J C, by a second route."""
    random = np.random.default_rng(11)
    for _ in range(5):
        C = np.round(random.normal(size=(2, 2)), 2)
        x, y = rt.coordinates("x y")
        u, w = (float(row[0]) * x + float(row[1]) * y for row in C)
        rates = ddt(u) ** 2 + ddt(w) ** 2
        system = rt.System(kinetic=rates / 2, potential=(u**2 + w**2 - 1) ** 2)
        symmetry = found_in(system, {x: (-2, 2), y: (-1, 3)})
        assert len(symmetry) == 1
        expected = np.linalg.solve(C, np.array([[0, -1], [1, 0]]) @ C)
        expected *= (
            symmetry.A[0].flat[np.abs(expected).argmax()] / expected.flat[np.abs(expected).argmax()]
        )
        np.testing.assert_allclose(symmetry.A[0], expected, rtol=1e-12, atol=1e-12)


def test_images_are_brought_together():
    system, q = bodies([1, 2, 3.3], turning=False)
    symmetry = found_in(system, dict.fromkeys(q, (-2, 2)))
    random = np.random.default_rng(5)
    here = random.normal(size=6)
    angles, shifts = random.uniform(-np.pi, np.pi, 40), random.normal(size=(40, 2))
    turned = [
        (here.reshape(3, 2) @ np.array([[np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)]]) + s).ravel()
        for a, s in zip(angles, shifts, strict=True)
    ]
    assert np.abs(symmetry.apart(np.array(turned), here)).max() < 1e-12
    mirrored = (here.reshape(3, 2) * [1, -1]).ravel()
    assert np.abs(symmetry.apart(mirrored[None], here)).max() > 1e-2


# -- What is counted -----------------------------------------------------------------------------


def shapes(found, count):
    """Distances from the centre of mass, sorted, of equal bodies."""
    return np.sort(np.linalg.norm(found.q.reshape(-1, count, 2), axis=2), axis=1)


def same(a, b):
    """Whether two configurations are a turn of each other, by the best turn in closed form."""
    a, b = a @ [1, 1j], b @ [1, 1j]
    turn = np.vdot(a, b)
    return np.abs(a * turn / abs(turn) - b).max() < 1e-9


def euler_characteristic(found):
    """The alternating sum over directions in which the potential falls.

    Of n bodies in the plane it is that of their shapes, (1 - 2) ... (1 - (n - 1)), with the sign of the
    three directions that always fall: the scale and the centre of mass (Smale 1970).
    """
    w2 = np.linalg.eigvalsh(rt.linearize(found.rest).K)
    falling = np.sum(w2 < -1e-7 * np.abs(w2).max(axis=1, keepdims=True), axis=1)
    return int(np.sum((-1) ** (falling - 3)))


@pytest.mark.slow
def test_four_equal_bodies_have_fifty_central_configurations():
    """6 squares, 8 triangles about one, 24 isosceles, 12 in line (Albouy 1996), each labelled."""
    system, q = bodies([1, 1, 1, 1])
    found = rt.equilibria(system, {}, within=dict.fromkeys(q, (-2, 2)))
    assert len(found) == 50
    assert found.saturated
    assert found.dimension.tolist() == found.orbit.tolist() == [1] * 50
    assert "rotation of" in str(found)
    assert euler_characteristic(found) == 2
    r = found.q.reshape(50, 4, 2)
    in_line = np.linalg.svd(r, compute_uv=False)[:, 1] < 1e-9
    radii = shapes(found, 4)
    square = np.abs(radii**3 - (1 / 4 + 1 / np.sqrt(2))).max(axis=1) < 1e-9
    about_one = radii[:, 0] < 1e-9
    assert [int(np.sum(kind)) for kind in (square, about_one & ~in_line, in_line)] == [6, 8, 12]
    np.testing.assert_allclose(radii[about_one & ~in_line, 1:] ** 3, 1 + 1 / np.sqrt(3), rtol=1e-9)
    for image in (r[7], r[23] * [1, -1], *(r[31][list(order)] for order in permutations(range(4)))):
        assert sum(same(image, other) for other in r) == 1


@pytest.mark.parametrize("masses", [(1, 1, 1), (1, 2, 3.3)])
def test_three_bodies_are_those_of_euler_and_lagrange(masses):
    system, q = bodies(masses)
    found = rt.equilibria(system, {}, within=dict.fromkeys(q, (-3, 3)))
    assert len(found) == 5
    assert euler_characteristic(found) == -1
    r = found.q.reshape(5, 3, 2)
    in_line = np.linalg.svd(r - r.mean(axis=1, keepdims=True), compute_uv=False)[:, 1] < 1e-9
    assert in_line.sum() == 3
    for triangle in r[~in_line]:
        sides = np.linalg.norm(triangle - np.roll(triangle, 1, axis=0), axis=1)
        np.testing.assert_allclose(sides**3, sum(masses), rtol=1e-9)
    ratios = []
    for line in r[in_line]:
        order = np.argsort(line @ line[0] if np.abs(line[0]).max() > 1e-6 else line @ line[1])
        ratios += [_euler([masses[k] for k in order])]
        first, middle, last = line[order]
        ratio = np.linalg.norm(last - middle) / np.linalg.norm(middle - first)
        assert ratio == pytest.approx(ratios[-1], rel=1e-9)


def _euler(m):
    """The root of Euler's quintic: the distance of the last two over that of the first two."""
    a, b, c = m
    roots = np.roots([a + b, 3 * a + 2 * b, 3 * a + b, -(b + 3 * c), -(2 * b + 3 * c), -(b + c)])
    (real,) = roots[(np.abs(roots.imag) < 1e-9) & (roots.real > 0)].real
    return real


@pytest.mark.slow
def test_a_molecule_in_free_space_has_its_shapes_alone():
    """Three equal atoms: the triangle and its mirror image, and three ways to stand in line."""
    q = rt.coordinates("x0 y0 x1 y1 x2 y2")
    r = [vector(*q[2 * k : 2 * k + 2]) for k in range(3)]
    V = [1 / norm2(a - b) ** 6 - 2 / norm2(a - b) ** 3 for a, b in combinations(r, 2)]
    system = rt.System(kinetic=[norm2(ddt(x)) / 2 for x in r], potential=V)
    found = rt.equilibria(system, {}, within=dict.fromkeys(q, (-1.5, 1.5)))
    assert len(found) == 5
    assert found.orbit.tolist() == [3] * 5
    sides = np.array([
        [np.linalg.norm(p[i] - p[j]) for i, j in ((0, 1), (1, 2), (2, 0))] for p in found.q.reshape(5, 3, 2)
    ])  # fmt: skip
    np.testing.assert_allclose(sides[np.ptp(sides, axis=1) < 1e-6], 1, rtol=1e-9)
    assert np.sum(np.ptp(sides, axis=1) < 1e-6) == 2


@pytest.mark.parametrize(
    ("potential", "expected"),
    [
        (lambda a, b, c: -cos(a - b) - cos(b - c), 4),
        (lambda a, b, c: -cos(a - b) - cos(b - c) - cos(c - a), 6),
        (lambda a, b, c: -cos(2 * a - 3 * b) + c**2, 2),
        (lambda a, b, c: -cos(2 * a - 4 * b) + c**2, 4),
    ],
)
def test_shifts_of_angles_close_on_themselves(potential, expected):
    a, b, c = rt.coordinates("a b c")
    T = (ddt(a) ** 2 + ddt(b) ** 2 + ddt(c) ** 2) / 2
    system = rt.System(kinetic=T, potential=potential(a, b, c))
    found = rt.equilibria(system, {}, within={c: (-2, 2)} if c**2 in system.potential[0].args else None)
    assert len(found) == expected
    assert found.orbit.tolist() == [1] * expected


@pytest.mark.slow
def test_a_family_is_told_from_its_orbits():
    """A bead on each of two rods that turn together: V depends on the angle between them alone."""
    x, y, z = rt.coordinates("x y z")
    T = (ddt(x) ** 2 + ddt(y) ** 2 + ddt(z) ** 2) / 2
    system = rt.System(kinetic=T, potential=(x**2 + y**2 - 1 - sin(z)) ** 2)
    found = rt.equilibria(system, {}, within={x: (-2, 2), y: (-2, 2), z: (-1, 1)})
    surface = int(np.argmax(found.dimension))
    assert found.dimension[surface] == 2
    assert found.orbit[surface] == 1
    x, y, z = found.q[surface]
    assert x**2 + y**2 == pytest.approx(1 + np.sin(z), rel=1e-9)


LINKS = [
    (0, 0.333, 0, 4.97, (0.0039, 0.0021, -0.0476)), (0, 0, -pi / 2, 0.65, (-0.0031, -0.0287, 0.0035)),
    (0, 0.316, pi / 2, 3.23, (0.0275, 0.0392, -0.0665)),
    (0.0825, 0, pi / 2, 3.59, (-0.0532, 0.1044, 0.0275)),
    (-0.0825, 0.384, -pi / 2, 1.23, (-0.0120, 0.0410, -0.0384)),
    (0, 0, pi / 2, 1.67, (0.0601, -0.0141, -0.0105)), (0.088, 0, pi / 2, 0.74, (0.0105, -0.0042, 0.0616)),
]  # fmt: skip


def arm(n):
    """The first joints of an arm whose first axis is vertical."""
    X, Z = vector(1, 0, 0), vector(0, 0, 1)
    q = rt.coordinates(" ".join(f"q{k}" for k in range(1, n + 1)))
    p, R, T, V = vector(0, 0, 0), sympy.eye(3), [], []
    for k, (a, d, alpha, m, c) in enumerate(LINKS[:n]):
        turn = rotation(alpha, X)
        p = let(f"p{k}", p + R @ (a * X + turn @ (d * Z)))
        R = R @ turn @ rotation(q[k], Z)
        R = sympy.ImmutableDenseMatrix(3, 3, [let(f"R{k}_{i}", entry) for i, entry in enumerate(R)])
        r = let(f"r{k}", p + R @ vector(*c))
        T.append(rt.rigid_body(m, (0.02, 0.03, 0.025), r, R))
        V.append(9.81 * m * r[2])
    return rt.System(kinetic=T, potential=V, name="arm")


def height(q):
    """The potential of the arm over g, in plain arrays."""

    def about_x(a):
        return np.array([[1, 0, 0], [0, np.cos(a), -np.sin(a)], [0, np.sin(a), np.cos(a)]])

    def about_z(a):
        return np.array([[np.cos(a), -np.sin(a), 0], [np.sin(a), np.cos(a), 0], [0, 0, 1]])

    p, R, total = np.zeros(3), np.eye(3), 0.0
    for angle, (a, d, alpha, m, c) in zip(q, LINKS, strict=False):
        turn = about_x(float(alpha))
        p = p + R @ (a * np.array([1, 0, 0]) + turn @ np.array([0, 0, d]))
        R = R @ turn @ about_z(angle)
        total += m * (p + R @ np.array(c))[2]
    return total


def slopes(q):
    step = 1e-5
    moves = step * np.eye(len(q) + 1)[1:]
    whole = np.concatenate([[0.0], q])
    return [(height(whole + move) - height(whole - move)) / (2 * step) for move in moves]


@pytest.mark.slow
def test_an_arm_with_a_vertical_axis_has_as_many_as_a_plain_search_finds():
    found = rt.equilibria(arm(3), {})
    assert found.saturated
    assert found.orbit.tolist() == [1] * len(found)
    assert not found.certificate
    turns = np.linspace(-np.pi, np.pi, 12, endpoint=False)
    known = []
    for start in np.array(np.meshgrid(turns, turns)).reshape(2, -1).T:
        q, _, good, _ = fsolve(slopes, start, full_output=True)
        way = [np.abs(np.exp(1j * q) - np.exp(1j * other)).max() for other in known]
        if good == 1 and np.abs(slopes(q)).max() < 1e-8 and min(way, default=1) > 1e-3:
            known.append(q)
    assert len(found) == len(known)


@pytest.mark.slow
@pytest.mark.parametrize("n", [4, 5, 6, 7])
def test_longer_arms_have_twice_as_many_with_each_joint(n):
    assert len(rt.equilibria(arm(n), {})) == 2**n


@pytest.mark.slow
@pytest.mark.parametrize("masses", [[1, 2, 3, 4], [10, 10, 1, 1], [1, 1, 1, 0.001]])
def test_four_unequal_bodies_are_closed_under_reflection(masses):
    system, q = bodies(masses)
    found = rt.equilibria(system, {}, within=dict.fromkeys(q, (-4, 4)))
    assert euler_characteristic(found) == 2
    r = found.q.reshape(-1, 4, 2)
    assert np.sum(np.linalg.svd(r, compute_uv=False)[:, 1] < 1e-9) == 12  # in line (Moulton 1910)
    for image in r * [1, -1]:
        assert sum(same(image, other) for other in r) == 1


def test_a_proof_leaves_open_what_symmetries_move():
    a, b = rt.coordinates("a b")
    system = rt.System(kinetic=(ddt(a) ** 2 + ddt(b) ** 2) / 2, potential=-cos(a - b))
    found = rt.equilibria(system, {}, certify=True)
    assert len(found) == 2
    assert not found.certificate.is_complete
    assert not found.certificate.proven.any()


def test_a_cyclic_coordinate_does_not_stand_against_a_proof():
    a, b = rt.coordinates("a b")
    system = rt.System(kinetic=ddt(a) ** 2 * (2 + cos(b)) / 2 + ddt(b) ** 2 / 2, potential=-cos(b))
    found = rt.equilibria(system, {}, certify=True)
    assert len(found) == 2
    assert found.orbit.tolist() == [1, 1]
    assert found.certificate.is_complete
