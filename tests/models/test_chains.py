"""Robot arms as lists of energies, against Newton and Euler, Pinocchio and the Jacobians."""

from __future__ import annotations

import numpy as np
import pytest
import sympy

import routh as rt
from random_arms import GRAVITY, Arm, random_arm
from routh.kernels.engine import Point
from routh.kernels.kernel import kernel
from routh.language.walk import unfold
from routh.models import Joint, chain, dh
from sampling import assert_same

EPS = np.finfo(float).eps


def states(arm: Arm, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return tuple(np.random.default_rng(seed + 100).normal(size=(3, arm.n)))  # type: ignore[return-value]


@pytest.mark.parametrize(("seed", "n"), [(0, 1), (1, 2), (2, 3), (3, 4), (4, 6)])
def test_forces_and_masses_are_those_of_newton_and_euler(seed, n):
    """Every number to a few hundred roundings of the largest beside it."""
    arm = random_arm(seed, n)
    system = arm.chain().system()
    q, v, a = states(arm, seed)
    expected = arm.forces(q, v, a)
    np.testing.assert_allclose(
        rt.inverse_dynamics(system, {}, q, v, a), expected, atol=400 * EPS * np.abs(expected).max()
    )
    found = rt.dynamics(system, {}, q, v, forces=expected)
    M = arm.masses_at(q)
    np.testing.assert_allclose(found.M, M, atol=400 * EPS * np.abs(M).max())
    # solving for a loses as many digits as the condition of M has
    np.testing.assert_allclose(found.a, a, atol=400 * EPS * np.linalg.cond(M) * np.abs(a).max())


def test_the_matrix_form_with_jacobians_is_the_mass_matrix():
    """M = sum of m J_l^T J_l + J_omega^T (R I R^T) J_omega, with a prismatic joint on a side branch."""
    arm = random_arm(7, 3)
    made = arm.chain()
    q, v, _ = states(arm, 7)
    system = made.system()
    one, none = np.zeros((1, 3)), np.zeros((1, 0))
    at = Point(one[:, :1], q[None], v[None], one, none, none, none)

    def numbers(matrix):
        return kernel(system).values(list(matrix), at).reshape(matrix.shape)

    M = numbers(made.mass_matrix())
    np.testing.assert_allclose(M, arm.masses_at(q), atol=1e-13 * np.abs(M).max())
    last = made.links[2]
    np.testing.assert_allclose(numbers(made.J_l(2)) @ v, numbers(last.velocity)[:, 0], atol=1e-13)
    np.testing.assert_allclose(numbers(made.J_omega(2)) @ v, numbers(last.omega)[:, 0], atol=1e-13)
    np.testing.assert_allclose(numbers(rt.ddt(last.centre)), numbers(last.velocity), atol=1e-13)


def test_two_rods_in_a_plane_have_the_mass_matrix_of_the_book():
    """D3: uniform rods, relative angles, by the Jacobians in symbols."""
    q1, q2 = rt.coordinates("q1 q2")
    m1, m2, l1, l2 = rt.parameters("m1 m2 l1 l2")

    def rod(m, l):
        return {"mass": m, "centre": (l / 2, 0, 0), "inertia": (0, m * l**2 / 12, m * l**2 / 12)}

    arm = chain([Joint(q1, **rod(m1, l1)), Joint(q2, offset=(l1, 0, 0), **rod(m2, l2))])
    bend = l1 * l2 * rt.cos(q2)
    expected = [
        m1 * l1**2 / 3 + m2 * (l1**2 + l2**2 / 3 + bend),
        m2 * (l2**2 / 3 + bend / 2),
        m2 * l2**2 / 3,
    ]
    M = arm.mass_matrix()
    for found, right in zip((M[0, 0], M[0, 1], M[1, 1]), expected, strict=True):
        assert_same(unfold(found), right)


def test_gravity_compensation_holds_an_arm():
    arm = random_arm(5, 3)
    system = arm.chain().system()
    q, _, _ = states(arm, 5)
    hold = rt.inverse_dynamics(system, {}, q)
    assert np.abs(rt.dynamics(system, {}, q, forces=hold).a).max() < 1e-12


def test_batches_and_names_and_arrays_say_the_same():
    x, y = rt.coordinates("x y")
    m = rt.parameter("m")
    F = rt.input("F")
    system = rt.System(
        kinetic=m * (rt.ddt(x) ** 2 + rt.ddt(y) ** 2) / 2, potential=m * 9.81 * y + x**2, forces={x: F}
    )
    one = rt.dynamics(system, {m: 2.0}, {"x": 0.5}, {y: 1.0}, forces={"y": 4.0}, inputs={"F": 3.0})
    np.testing.assert_allclose(one.a, [(3 - 1.0) / 2, 4 / 2 - 9.81], rtol=1e-15)
    many = rt.dynamics(
        system, {"m": [1.0, 2.0]}, np.array([0.5, 0.0]), forces=[[0.0, 4.0]], inputs={F: 3.0}
    )
    assert many.a.shape == (2, 2)
    assert many.M.shape == (2, 2, 2)
    np.testing.assert_array_equal(many.a[1], one.a)


def test_constraints_get_multipliers_of_least_norm_at_states_too():
    """A pendulum held twice over: half the tension each."""
    x, y = rt.coordinates("x y")
    rod = (x**2 + y**2 - 4) / 2
    bob = rt.System(kinetic=rt.ddt(x) ** 2 + rt.ddt(y) ** 2, potential=20 * y, constraints=[rod, rod])
    found = rt.dynamics(bob, {}, {y: -2}, {x: 1})
    # 2 a_y = -20 - y (l1 + l2), and a_y = 1/2 to stay on the circle
    np.testing.assert_allclose(found.a, [0, 0.5], atol=1e-14)
    np.testing.assert_allclose(found.multipliers, [5.25, 5.25], rtol=1e-14)
    np.testing.assert_allclose(found.J @ found.a + found.gamma, 0, atol=1e-14)


def test_accelerations_that_do_not_follow_are_refused_or_nan():
    x, y = rt.coordinates("x y")
    massless = rt.System(kinetic=rt.ddt(x) ** 2, potential=y**2)
    with pytest.raises(rt.SolveError, match="mass matrix is singular"):
        rt.dynamics(massless, {})
    assert np.isnan(rt.dynamics(massless, {}, {y: [0.0, 1.0]}).a).any(axis=1).all()
    held = rt.System(kinetic=rt.ddt(x) ** 2, potential=y**2, constraints=[x - 1])
    with pytest.raises(rt.SolveError, match="do not follow"):
        rt.dynamics(held, {}, {x: 1.0})


def test_what_has_no_numbers_is_told():
    x, s = rt.coordinate("x"), rt.space("s", 0, 1)
    rubbing = rt.System(
        kinetic=rt.ddt(x) ** 2, potential=x**2, friction=rt.friction(rt.ddt(x), static=1)
    )
    with pytest.raises(rt.DeclarationError, match="friction"):
        rt.dynamics(rubbing, {})
    T, V = rt.energies.string(rt.field("w", s), 1, 1)
    with pytest.raises(rt.DeclarationError, match="Make coordinates of them first: inverse_dynamics"):
        rt.inverse_dynamics(rt.System(kinetic=T, potential=V), {})
    with pytest.raises(rt.DeclarationError, match="an array whose last axis has the 1 coordinates"):
        rt.dynamics(rt.System(kinetic=rt.ddt(x) ** 2), {}, [1.0, 2.0])


@pytest.mark.parametrize("modified", [False, True])
def test_denavit_and_hartenberg_place_the_last_frame(modified):
    q1, q2 = rt.coordinates("q1 q2")
    first = {"a": 0.4, "alpha": 0.3, "d": 0.2, "theta": 0.1}
    second = {"a": 0.5, "alpha": -0.7, "d": 0.6, "theta": 0.2}
    arm = chain(
        [dh(q1, **first, mass=1, modified=modified),
         dh(q2, **second, mass=1, kind="prismatic", modified=modified)]
    )  # fmt: skip
    at = {q1: 0.8, q2: 0.9}

    def turn(c, axis):
        return np.array(rt.rotation(c, axis).tolist(), dtype=float)

    def step(row, slide, angle):
        T = [np.eye(4) for _ in range(4)]
        T[0][:3, :3] = turn(row["theta"] + angle, [0, 0, 1])
        T[1][2, 3] = row["d"] + slide
        T[2][0, 3] = row["a"]
        T[3][:3, :3] = turn(row["alpha"], [1, 0, 0])
        order = (3, 2, 0, 1) if modified else (0, 1, 2, 3)
        return np.linalg.multi_dot([T[k] for k in order])

    whole = step(first, 0, 0.8) @ step(second, 0.9, 0)
    link = arm.links[1]
    r = [float(unfold(e).subs(at)) for e in link.r]
    R = [float(unfold(e).subs(at)) for e in link.R]
    np.testing.assert_allclose(r, whole[:3, 3], atol=1e-14)
    np.testing.assert_allclose(np.reshape(R, (3, 3)), whole[:3, :3], atol=1e-14)


def test_a_chain_on_a_cart_is_added_to_other_parts():
    """A double pendulum on a cart by a chain and by hand."""
    x, q1, q2 = rt.coordinates("x q1 q2")
    rod = {"axis": (0, 1, 0), "mass": 2, "centre": (0, 0, -0.5), "inertia": (0.1, 0.2, 0.1)}
    arm = chain(
        [Joint(q1, **rod), Joint(q2, offset=(0, 0, -1), **rod)],
        gravity=(0, 0, -9.81), base=(rt.vector(x, 0, 0), sympy.eye(3)),
    )  # fmt: skip
    cart = (arm.parts + rt.models.Parts(kinetic=(3 * rt.ddt(x) ** 2 / 2,))).system()
    c1 = rt.vector(x - rt.sin(q1) / 2, -rt.cos(q1) / 2)
    c2 = rt.vector(x - rt.sin(q1) - rt.sin(q1 + q2) / 2, -rt.cos(q1) - rt.cos(q1 + q2) / 2)
    hand = rt.System(
        kinetic=[
            3 * rt.ddt(x) ** 2 / 2,
            rt.rigid_body(2, 0.2, c1, q1),
            rt.rigid_body(2, 0.2, c2, q1 + q2),
        ],
        potential=2 * 9.81 * (c1[1] + c2[1]),
    )
    q = dict(zip((x, q1, q2), (0.3, 0.7, -1.1), strict=True))
    v = dict(zip((x, q1, q2), (0.5, -0.4, 0.9), strict=True))
    one, other = (rt.dynamics(system, {}, q, v) for system in (cart, hand))
    order = [cart.coordinates.index(s) for s in hand.coordinates]
    np.testing.assert_allclose(one.a[order], other.a, rtol=1e-13)
    np.testing.assert_allclose(one.M[np.ix_(order, order)], other.M, rtol=1e-13)


def test_a_driven_joint_is_an_expression():
    """An arm whose first joint turns at a given rate: the rotating pendulum."""
    q, Omega = rt.coordinate("q"), rt.parameter("Omega")
    arm = chain(
        [Joint(Omega * rt.t), Joint(q, axis=(0, 1, 0), mass=1, centre=(0, 0, -1))],
        gravity=(0, 0, -9.81),
    )
    found = rt.dynamics(arm.system(), {Omega: 3.0}, {q: 0.5}, time=0.7)
    expected = 9.0 * np.sin(0.5) * np.cos(0.5) - 9.81 * np.sin(0.5)
    np.testing.assert_allclose(found.a, [expected], rtol=1e-13)
    assert arm.coordinates == (q,)


@pytest.mark.parametrize(
    ("row", "match"),
    [
        ({"kind": "revolut"}, "Did you mean `revolute`"),
        ({"masss": 1}, "Did you mean `mass`"),
        ({"parent": 3}, "a row before it"),
        ({"axis": (0, 0, 0)}, "must not be zero"),
        ({"turn": [[1, 0, 0], [0, 1, 0], [0, 0, 2]]}, "must be a rotation"),
        ({"offset": (0, 1)}, "three components"),
        ({"inertia": (1, 2)}, "three principal moments"),
        ({}, "No link of the chain has mass"),
        ({"mass": -1}, "`mass` of joint 0 must not be below zero. Got -1"),
        ({"inertia": (-1, 1, 1)}, "no principal moment below zero. Got -1"),
        ({"mass": 1, "inertia": (rt.coordinate("x"), 1, 1)}, "contains `x`.*are constants"),
    ],
)
def test_rows_that_are_wrong_are_told(row, match):
    with pytest.raises(rt.DeclarationError, match=match):
        chain([row])


@pytest.mark.parametrize(
    ("base", "match"),
    [
        (rt.vector(0, 0, 0), "`base` is the origin and the rotation"),
        ((rt.vector(0, 0, 0), 2 * sympy.eye(3)), "rotation of the base must be a rotation"),
    ],
)
def test_a_base_that_is_none_is_told(base, match):
    with pytest.raises(rt.DeclarationError, match=match):
        chain([Joint(rt.coordinate("x"), mass=1)], base=base)


def test_a_joint_that_moves_no_mass_is_named():
    p, q = rt.coordinates("p q")
    arm = chain([Joint(p, mass=1, centre=(1, 0, 0), inertia=sympy.Integer(0)), Joint(q)])
    with pytest.raises(rt.DeclarationError, match="`q` of the chain appears in no energy"):
        arm.system()


def test_a_row_that_moves_is_told():
    x = rt.coordinate("x")
    with pytest.raises(rt.DeclarationError, match="are constants"):
        chain([Joint(x, offset=(x, 0, 0), mass=1)])


@pytest.mark.slow
def test_sixty_random_trees_agree_with_pinocchio():
    """Forces, masses and accelerations; where they are solved for, as far as the condition of M lets."""
    pin = pytest.importorskip("pinocchio", reason="Pinocchio (`pip install pin`) is not installed here")
    for seed in range(60):
        arm = random_arm(seed, 1 + seed % 8)
        model, order = in_pinocchio(pin, arm)
        data = model.createData()
        q, v, a = states(arm, seed)
        there = np.empty((3, arm.n))
        there[:, order] = q, v, a
        tau = np.array(pin.rnea(model, data, *there))
        M = np.triu(pin.crba(model, data, there[0]))
        M = (M + np.triu(M, 1).T)[np.ix_(order, order)]
        system = arm.chain().system()
        forces = rt.inverse_dynamics(system, {}, q, v, a)
        found = rt.dynamics(system, {}, q, v, forces=tau[order])
        falling = np.array(pin.aba(model, data, there[0], there[1], tau))[order]
        assert np.abs(forces - tau[order]).max() <= 1e-13 * np.abs(tau).max(), seed
        assert np.abs(found.M - M).max() <= 1e-13 * np.abs(M).max(), seed
        assert np.abs(found.a - falling).max() <= 1e-13 * np.linalg.cond(M) * np.abs(a).max(), seed


def in_pinocchio(pin, arm: Arm):
    """The model of an arm, and the place of each row there: it takes branches one after the other."""
    model, joints = pin.Model(), {-1: 0}
    model.gravity.linear = GRAVITY
    waiting = [k for k in range(arm.n) if arm.parents[k] < 0]
    while waiting:
        k = waiting.pop()
        waiting += [j for j in range(arm.n) if arm.parents[j] == k]
        kind = pin.JointModelPrismaticUnaligned if arm.slides[k] else pin.JointModelRevoluteUnaligned
        place = pin.SE3(arm.turns[k], arm.offsets[k])
        joints[k] = model.addJoint(joints[arm.parents[k]], kind(arm.axes[k]), place, f"j{k}")
        body = pin.Inertia(arm.masses[k], arm.centres[k], arm.inertias[k])
        model.appendBodyToJoint(joints[k], body, pin.SE3.Identity())
    return model, [model.idx_vs[joints[k]] for k in range(arm.n)]
