"""Rotations and rigid bodies: three descriptions of one body agree."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg
import sympy
from scipy.spatial.transform import Rotation as Reference

import routh as rt
from routh import cos, ddt, sin, vector
from routh.language.walk import unfold
from sampling import assert_same

SEQUENCES = ["zxz", "zyx", "xyz", "yxy", "zyz", "xzy"]


def described(kind: str):
    """A rotation, and a guess or start at a rotation matrix of numbers."""
    if kind == "natural":
        R = rt.rotation_matrix("R")
    elif kind == "quaternion":
        R = rt.quaternion("e")
    else:
        angles = rt.coordinates("a b c")
        R = rt.euler_angles(kind, *angles)
        return R, lambda matrix: dict(
            zip(angles, Reference.from_matrix(matrix).as_euler(kind.upper()), strict=True)
        )
    return R, R.start


def small_turns(there: np.ndarray) -> np.ndarray:
    """Frequencies of the body below from turns exp(hat(d)) after a rotation, by differences of V."""

    def V(d):
        R = there @ Reference.from_rotvec(d).as_matrix()
        return 2 * 9.81 * (R @ [0.2, 0.1, -1])[2] + 3 * (1 - R[0, 0])

    h, unit = 1e-4, np.eye(3)
    K = [
        [
            (V(h * (a + b)) - V(h * (a - b)) - V(h * (b - a)) + V(-h * (a + b))) / (4 * h**2)
            for a in unit
        ]
        for b in unit
    ]
    c = np.array([0.2, 0.1, -1])
    inertia = np.diag([0.3, 0.5, 0.4]) + 2 * (c @ c * unit - np.outer(c, c))
    return np.sqrt(scipy.linalg.eigh(K, inertia, eigvals_only=True))


@pytest.mark.parametrize("kind", ["natural", "quaternion", "xyz", "zyx", "yxz"])
def test_a_compound_pendulum_has_the_same_modes_in_every_description(kind):
    """A body hung up at a corner, held by a torsion spring: three frequencies."""
    R, start = described(kind)
    centre = R @ vector(0.2, 0.1, -1)
    body = rt.System(
        kinetic=rt.rigid_body(2.0, (0.3, 0.5, 0.4), centre, R),
        potential=2 * 9.81 * centre[2] + 3 * (1 - R[0, 0]),
        constraints=R.constraints,
    )
    rest = rt.equilibrium(body, {}, guess=start(np.eye(3)))
    modes = rt.modes(rt.linearize(rest))
    there = np.array([rest[entry] for entry in R]).reshape(3, 3)
    np.testing.assert_allclose(modes.frequencies, small_turns(there), rtol=1e-6)
    assert modes.stability.verdict is rt.Verdict.STABLE


@pytest.mark.parametrize("sequence", SEQUENCES)
def test_angular_velocity_from_the_matrix_and_from_the_angles(sequence):
    angles = rt.coordinates("a b c")
    R = rt.euler_angles(sequence, *angles)
    plain = sympy.ImmutableDenseMatrix(R)
    for axes in ("body", "space"):
        one, other = rt.angular_velocity(R, axes), rt.angular_velocity(plain, axes)
        for a, b in zip(one, other, strict=True):
            assert_same(a, b)
    numbers = dict(zip(angles, (0.3, -0.7, 1.1), strict=True))
    expected = Reference.from_euler(sequence.upper(), list(numbers.values())).as_matrix()
    np.testing.assert_allclose(np.array(R.subs(numbers), dtype=float), expected, atol=1e-14)


@pytest.mark.parametrize("kind", ["natural", "quaternion"])
@pytest.mark.parametrize(
    "turn", [(0, 0, 0), (np.pi, 0, 0), (0, np.pi, 0), (0, 0, np.pi), (0.3, -2, 1), (2, 2, -1)]
)
def test_start_gives_the_rotation_and_its_rate(kind, turn):
    R, start = described(kind)
    matrix = Reference.from_rotvec(turn).as_matrix()
    spin = np.array([0.4, -1.2, 2.0])
    numbers = start(matrix, spin)
    found = np.array(R.subs(numbers), dtype=float)
    np.testing.assert_allclose(found, matrix, atol=1e-14)
    rate = np.array(ddt(sympy.ImmutableDenseMatrix(R)).subs(numbers), dtype=float)
    hat = np.array([[0, -2.0, -1.2], [2.0, 0, -0.4], [1.2, 0.4, 0]])
    np.testing.assert_allclose(rate, matrix @ hat, atol=1e-14)
    for phi in R.constraints:
        assert abs(float(phi.subs(numbers))) < 1e-14


def test_a_free_body_keeps_energy_and_angular_momentum():
    """Turning about the middle axis, in natural coordinates and by quaternions."""
    inertia, spin = np.array([1.0, 2.0, 3.0]), (1e-3, 4.0, 0)
    runs = []
    for kind in ("natural", "quaternion"):
        R, start = described(kind)
        body = rt.System(
            kinetic=rt.rigid_body(1, inertia, vector(0, 0, 0), R), constraints=R.constraints
        )
        motion = rt.simulate(body, {}, start(np.eye(3), spin), np.linspace(0, 10, 51))
        w = rt.angular_velocity(R)
        momentum = R @ vector(*(float(I) * each for I, each in zip(inertia, w, strict=True)))
        L = np.stack([motion[each] for each in momentum], axis=1)
        np.testing.assert_allclose(L, L[:1] * np.ones_like(L), atol=1e-6)
        assert motion.energy_error < 1e-7
        runs.append(np.stack([motion[entry] for entry in R], axis=1))
    np.testing.assert_allclose(runs[0], runs[1], atol=2e-3)  # the tumbling multiplies errors
    assert np.abs(runs[0][:, 4]).max() > 0.9
    assert runs[0][:, 4].min() < 0  # it tumbles


def test_a_body_in_the_plane_and_in_space_have_the_same_energy():
    x, y, phi = rt.coordinates("x y phi")
    flat = rt.rigid_body(2, 0.7, vector(x, y), phi)
    R = rt.rotation(phi, vector(0, 0, 1))
    space = rt.rigid_body(2, (0.1, 0.2, 0.7), vector(x, y, 0), R)
    tensor = rt.rigid_body(2, np.diag([0.1, 0.2, 0.7]), vector(x, y, 0), R)
    assert_same(flat, space)
    assert_same(flat, tensor)


def test_springs_and_dampers_between_points_and_angles():
    x, y, theta = rt.coordinates("x y theta")
    k, l = rt.parameters("k l")
    r = vector(x, y)
    assert_same(rt.spring(k, r, rest=l), k / 2 * (rt.sqrt(x**2 + y**2) - l) ** 2)
    assert_same(rt.spring(k, r, vector(1, 2)), k / 2 * ((x - 1) ** 2 + (y - 2) ** 2))
    assert_same(rt.spring(k, theta, 2 * theta, rest=1), k / 2 * (theta + 1) ** 2)
    along = (x * ddt(x) + y * ddt(y)) / rt.sqrt(x**2 + y**2)
    assert_same(rt.damper(k, r), k / 2 * along**2)
    assert_same(rt.damper(k, theta), k / 2 * ddt(theta) ** 2)
    assert_same(rt.spring(k, r, np.array([1.0, 2.0])), rt.spring(k, r, vector(1.0, 2.0)))


def test_at_the_pole_of_angles_nothing_is_claimed():
    a, b, c = rt.coordinates("a b c")
    R = rt.euler_angles("xyz", a, b, c)
    r = R @ vector(0.2, 0, -1)
    body = rt.System(kinetic=rt.rigid_body(1, (1, 2, 3), r, R), potential=9.81 * r[2] + R[0, 1] * 2)
    pole = rt.equilibrium(body, {}, guess={a: 0.3, b: 1.5, c: 0.2})
    assert abs(np.cos(pole.q[1])) < 1e-9
    assert rt.stability(rt.linearize(pole)).verdict is rt.Verdict.UNDECIDED


x, y, phi = rt.coordinates("x y phi")
REFUSED = {
    "name": (lambda: rt.rotation_matrix("R 1"), "The name of a rotation must be one word"),
    "sequence": (lambda: rt.euler_angles("zwz", x, y, phi), "a word of the letters x, y, z"),
    "angles": (lambda: rt.euler_angles("zxz", x, y), 'The sequence "zxz" needs 3 angles. Got 2'),
    "twice": (lambda: rt.euler_angles("zzx", x, y, phi), "Two turns about one axis"),
    "axes": (
        lambda: rt.angular_velocity(rt.quaternion("e"), "world"),
        '`axes` must be "body" or "space"',
    ),
    "no matrix": (lambda: rt.angular_velocity(x), "as a 3 x 3 matrix"),
    "inertia": (
        lambda: rt.rigid_body(1, 3, vector(x, y, 0), rt.quaternion("e")),
        "three principal moments",
    ),
    "skew": (
        lambda: rt.rigid_body(
            1, [[1, 2, 0], [0, 1, 0], [0, 0, 1]], vector(x, y, 0), rt.quaternion("e")
        ),
        "An inertia tensor is symmetric",
    ),
    "ragged": (
        lambda: rt.rigid_body(1, [[1, 2], [0, 1, 0], [0, 0, 1]], vector(x, y, 0), rt.quaternion("e")),
        "three principal moments",
    ),
    "angle in space": (
        lambda: rt.rigid_body(1, 3, vector(x, y, 0), phi),
        "needs its rotation as a 3 x 3",
    ),
    "flat centre": (
        lambda: rt.rigid_body(1, (1, 1, 1), vector(x, y), rt.quaternion("e")),
        "of three components",
    ),
    "mixed ends": (lambda: rt.spring(1, vector(x, y), phi), "two points or two angles"),
    "same ends": (lambda: rt.damper(1, vector(x, y), vector(x, y)), "different points"),
    "no rotation": (lambda: rt.quaternion("e").start(2 * np.eye(3)), r"must be a rotation, R\^T R = 1"),
    "mirror": (lambda: rt.rotation_matrix("R").start(np.diag([1, 1, -1])), "must be a rotation"),
    "numbers": (lambda: rt.quaternion("e").start("abc"), "`matrix` must hold 9 finite numbers"),
    "spin": (
        lambda: rt.quaternion("e").start(spin=(1, np.nan, 0)),
        "`spin` must hold 3 finite numbers",
    ),
    "angles start": (lambda: rt.euler_angles("z", phi).start(), "starts from its angles"),
}


@pytest.mark.parametrize("case", sorted(REFUSED))
def test_what_is_no_body_is_refused_with_a_sentence(case):
    make, sentence = REFUSED[case]
    with pytest.raises(rt.DeclarationError, match=sentence):
        make()


def test_euler_angles_are_the_product_of_their_turns():
    psi, theta, chi = rt.coordinates("psi theta chi")
    R = rt.euler_angles("zxz", psi, theta, chi)
    assert_same(R[2, 2], cos(theta))
    assert_same(R[2, 0], sin(theta) * sin(chi))


def test_products_of_rotations_carry_their_angular_velocity():
    """Along the axes of the last factor, as R^T R' gives it, and nothing is differentiated."""
    a, b, c = rt.coordinates("a b c")
    A, B, e = rt.rotation(a, [1, 2, 0]), rt.rotation(b * c, [0, 0, 1]), rt.quaternion("e")
    for R in (A * B, A @ B @ e, A.T * B, (A * B).T):
        plain = sympy.ImmutableDenseMatrix(R)
        assert R.spin is not None
        for one, other in zip(rt.angular_velocity(R), rt.angular_velocity(plain), strict=True):
            if not plain.has(*e.coordinates):  # a quaternion is a rotation on its constraint alone
                assert_same(one, other)
    assert type(A * vector(1, 0, 0)) is sympy.ImmutableDenseMatrix
    assert type(A + B) is sympy.ImmutableDenseMatrix
    assert (A * e).constraints == ()
    with pytest.raises(rt.DeclarationError, match="or one that is a product"):
        (A * e).start()


def test_a_rotation_about_an_axis_that_moves_is_differentiated():
    a, b = rt.coordinates("a b")
    R = rt.rotation(a, [cos(b), sin(b), 0])
    assert R.spin is None
    turn = sympy.ImmutableDenseMatrix(R).T * ddt(sympy.ImmutableDenseMatrix(R))
    assert_same(rt.angular_velocity(R)[2], turn[1, 0])


def test_named_matrices_and_rotations_are_what_they_stand_for():
    a, b = rt.coordinates("a b")
    value = rt.rotation(a, [0, 0, 1]) * rt.rotation(b, [1, 0, 0])
    R, plain = rt.let("R", value), sympy.ImmutableDenseMatrix(value)
    assert R[0, 0].name == "R_11"
    assert R[2, 0] == 0
    for k in range(9):
        assert_same(unfold(R[k]), plain[k])
        assert_same(unfold(ddt(R[k])), ddt(plain[k]))
    for one, other in zip(rt.angular_velocity(R), value.spin, strict=True):
        assert_same(unfold(one), other)
    A = rt.let("A", sympy.Matrix([[a, b, 1], [a * b, 0, a**2]]))
    assert A.shape == (2, 3)
    assert A[1, 0].name == "A_21"
    assert ddt(A)[1, 2].expression == 2 * a * ddt(a)
