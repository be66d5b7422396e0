"""Linear models along motions and variational equations, of open and of closed loops."""

from __future__ import annotations

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import solve_ivp

import routh as rt
from depth import cases


def random_system(seed):
    draw = np.random.default_rng(seed)
    q = rt.coordinates("a b")
    v = sympy.Matrix([x.rate for x in q])
    c = [sympy.Float(x) for x in draw.uniform(-1, 1, 12)]
    A = sympy.Matrix(
        [
            [3 + c[0] * rt.sin(q[1]), c[1] * rt.cos(q[0])],
            [c[1] * rt.cos(q[0]), 2 + c[2] * q[0] ** 2 / 4],
        ]
    )
    T = (v.T * A * v)[0] / 2 + c[3] * q[1] * v[0] + c[4] * rt.sin(rt.t) * q[0] * v[1]
    k = rt.parameter("k")
    V = k * q[0] ** 2 + q[1] ** 2 + c[5] * q[0] * q[1] + c[6] * q[0] ** 3 / 3
    Q = {q[0]: -v[0] / 5 + c[7] * q[1], q[1]: -v[1] / 7 + rt.cos(rt.t)}
    return rt.System(kinetic=T, potential=V, forces=Q), q


def test_the_oracle_of_a_moving_reference():
    """The matrices at t = 0.4 along a given reference; a force makes it a motion."""
    q1, q2 = rt.coordinates("q1 q2")
    v1, v2 = q1.rate, q2.rate
    t = rt.t
    L = (1 + q2**2) * v1**2 / 2 + rt.exp(q1) * v2**2 / 2 + q1 * v1 * v2 + t * q1 * v2
    L += rt.cos(q1 * q2) + q1**3 * v2**2
    Q = {q1: -3 * v1 / 10 + q2 * v2, q2: -(v2**3) / 10 + rt.sin(t) * q1}
    D = v1**2 / 10 + (v1 - v2) ** 2 / 20
    bare = rt.System(lagrangian=L, forces=Q, dissipation=D)
    reference = {q1: rt.sin(t) / 2, q2: t**2 / 3 - t}
    table = {
        s: e.diff(t, k) for q, e in reference.items() for k, s in enumerate((q, q.rate, q.rate.rate))
    }
    E = rt.equations(bare, simplify=0).residual.subs(table, simultaneous=True)
    assert [float(e.subs(t, 0.4)) for e in E] == pytest.approx([0.170143350136655, 0.711516542640790])
    u1, u2 = rt.inputs("u1 u2")
    held = rt.System(lagrangian=L, forces={q1: Q[q1] + u1, q2: Q[q2] + u2}, dissipation=D)
    start = {s: float(e.subs(t, 0)) for s, e in table.items() if s.order < 2}
    motion = rt.simulate(held, {}, start, [0, 0.4], inputs={u1: E[0], u2: E[1]}, rtol=1e-12)
    assert motion.q[-1] == pytest.approx([float(e.subs(t, 0.4)) for e in reference.values()], abs=1e-10)
    linear = rt.linearize(motion)
    assert linear.M[-1] == pytest.approx(
        np.array([[1.12017777777778, 0.194709171154325], [0.194709171154325, 1.22972108669970]]),
        rel=1e-9,
    )
    assert (linear.D + linear.G)[-1] == pytest.approx(
        np.array([[1.10844444444444, 0.585145731557227], [0.482581929112325, 0.925615213682376]]),
        rel=1e-8,
    )
    assert (linear.K + linear.H)[-1] == pytest.approx(
        np.array([[-0.168379413753330, 0.0580935581210207], [0.0432874037021768, -0.174263009954072]]),
        rel=1e-7,
    )


def test_a_frame_that_spins_up():
    x, y = rt.coordinates("x y")
    m, k1, k2 = rt.parameters("m k1 k2")
    psi = rt.t**2 / 3 + rt.t
    r = rt.rotation(psi) @ rt.vector(x, y)
    table = rt.System(kinetic=m * rt.norm2(rt.ddt(r)) / 2, potential=k1 * x**2 + k2 * y**2)
    motion = rt.simulate(table, {"m": 2, "k1": 10, "k2": 15}, {}, np.linspace(0, 1, 5))
    linear = rt.linearize(motion)
    rate = 2 * motion.t / 3 + 1
    bend = 2 / 3
    for k, w in enumerate(rate):
        assert (linear.K + linear.H)[k] == pytest.approx(
            np.array([[20 - 2 * w**2, -2 * bend], [2 * bend, 30 - 2 * w**2]]), rel=1e-12
        )
        assert (linear.D + linear.G)[k] == pytest.approx(np.array([[0, -4 * w], [4 * w, 0]]), abs=1e-12)


def test_the_crane_with_prescribed_hoisting():
    """M = m r^2, C = 2 m r r', K = m g r: the damping is dM/dt."""
    theta = rt.coordinate("theta")
    m, g = rt.parameters("m g")
    r = 2 - rt.t / 4
    load = rt.vector(r * rt.sin(theta), -r * rt.cos(theta))
    crane = rt.System(kinetic=m * rt.norm2(rt.ddt(load)) / 2, potential=m * g * load[1])
    values = {"m": 3.0, "g": 9.81}
    linear = rt.linearize(rt.simulate(crane, values, {}, np.linspace(0, 2, 5)))
    length = 2 - linear.t / 4
    assert linear.M[:, 0, 0] == pytest.approx(3 * length**2)
    assert linear.D[:, 0, 0] == pytest.approx(2 * 3 * length * -0.25)
    assert linear.K[:, 0, 0] == pytest.approx(3 * 9.81 * length)


@cases(8)
@given(st.integers(0, 2**32 - 1))
def test_the_model_along_a_motion_is_what_the_variational_equations_use(seed):
    system, q = random_system(seed)
    values = {"k": 2.0}
    times = np.linspace(0, 2, 201)
    motion = rt.simulate(
        system, values, {q[0]: 0.5, q[1].rate: 0.4}, times, rtol=1e-11, variations=True
    )
    linear = rt.linearize(motion)
    # the rate of the transition matrix, by differences of fourth order, against A X
    X, h = motion.transition, times[1]
    rate = (-X[4:] + 8 * X[3:-1] - 8 * X[1:-3] + X[:-4]) / (12 * h)
    assert rate == pytest.approx(linear.A[2:-2] @ X[2:-2], abs=2e-6)  # h^4 / 30 of the fifth derivative


@cases(6)
@given(st.integers(0, 2**32 - 1))
def test_transition_and_sensitivity_against_differences(seed):
    system, q = random_system(seed)
    times = np.linspace(0, 1.5, 4)
    start = {q[0]: 0.5, q[1].rate: 0.4}
    motion = rt.simulate(system, {"k": 2.0}, start, times, rtol=1e-11, variations=True)
    h = 1e-4

    def state(values, begin):
        found = rt.simulate(system, values, begin, times, rtol=1e-12)
        return np.concatenate([found.q[-1], found.v[-1]])

    for k, symbol in enumerate((*q, q[0].rate, q[1].rate)):
        ahead = state({"k": 2.0}, start | {symbol: start.get(symbol, 0) + h})
        back = state({"k": 2.0}, start | {symbol: start.get(symbol, 0) - h})
        assert motion.transition[-1, :, k] == pytest.approx((ahead - back) / (2 * h), abs=3e-6)
    by_k = (state({"k": 2.0 + h}, start) - state({"k": 2.0 - h}, start)) / (2 * h)
    assert motion.sensitivity[-1, :, 0] == pytest.approx(by_k, abs=3e-6)


def test_with_constraints_the_admissible_space_moves():
    """A pendulum in Cartesian coordinates against its angle, along a large swing."""
    x, y = rt.coordinates("x y")
    l, g = 1.5, 9.81
    held = rt.System(
        kinetic=(x.rate**2 + y.rate**2) / 2, potential=g * y, constraints=[(x**2 + y**2 - l**2) / 2]
    )
    a0 = 0.9
    times = np.linspace(0, 0.45, 10)
    motion = rt.simulate(held, {}, {x: l * np.sin(a0), y: -l * np.cos(a0)}, times, rtol=1e-11)
    linear = rt.linearize(motion)
    (own,) = linear.independent
    assert linear.M.shape == (10, 1, 1)
    angle = np.arctan2(motion.q[:, 0], -motion.q[:, 1])
    speed = (motion[x.rate] * np.cos(angle) + motion[y.rate] * np.sin(angle)) / l
    # eta = d(own)/d(angle) delta: delta'' + (g/l) cos(angle) delta = 0
    slope = l * np.cos(angle) if own == x else l * np.sin(angle)

    def both(t, z):
        return [z[1], -(g / l) * np.sin(z[0]), z[3], -(g / l) * np.cos(z[0]) * z[2]]

    fine = solve_ivp(both, (0, 0.45), [a0, 0, 1, 0], t_eval=times, rtol=1e-12, atol=1e-12)
    eta0 = slope[0]
    turn = -l * np.sin(angle) if own == x else l * np.cos(angle)
    rate0 = turn[0] * speed[0]

    def ours(t, z):
        A = linear(np.array([t])).A[0] if t > 0 else linear.A[0]
        return A @ z

    z = solve_ivp(ours, (0, 0.45), [eta0, rate0], t_eval=times, rtol=1e-8, atol=1e-10).y[0]
    assert z == pytest.approx(slope * fine.y[2], rel=1e-5)


def test_coordinates_that_stop_being_independent_are_told():
    x, y = rt.coordinates("x y")
    held = rt.System(
        kinetic=(x.rate**2 + y.rate**2) / 2, potential=9.81 * y, constraints=[x**2 + y**2 - 1]
    )
    motion = rt.simulate(held, {}, {x: np.sin(2.5), y: -np.cos(2.5)}, np.linspace(0, 5, 100))
    with pytest.raises(rt.DerivationError, match="stop being independent coordinates"):
        rt.linearize(motion)


def test_parameters_in_constraints_have_no_sensitivity():
    x, y, l = *rt.coordinates("x y"), rt.parameter("l")
    held = rt.System(
        kinetic=(x.rate**2 + y.rate**2) / 2, potential=9.81 * y, constraints=[x**2 + y**2 - l**2]
    )
    motion = rt.simulate(held, {"l": 1.0}, {y: -1.0}, [0, 0.1], variations=True)
    assert np.isnan(motion.sensitivity).all()


def test_another_coordinate_is_chosen_where_the_first_fails():
    x, y = rt.coordinates("x y")
    held = rt.System(
        kinetic=(x.rate**2 + y.rate**2) / 2, potential=9.81 * y, constraints=[x**2 + y**2 - 1]
    )
    motion = rt.simulate(held, {}, {x: np.sin(0.8), y: -np.cos(0.8)}, np.linspace(0, 1, 101))
    assert rt.linearize(motion).independent == (x,)


def test_models_along_a_motion_have_no_modes():
    system, q = random_system(1)
    motion = rt.simulate(system, {"k": 2.0}, {q[0]: 0.5}, [0, 1])
    linear = rt.linearize(motion)
    for verb in (rt.modes, rt.stability, rt.state_space):
        with pytest.raises(rt.DerivationError, match=r"needs constant matrices.*floquet judges"):
            verb(linear)
    assert "along a motion from t = 0 to 1" in str(linear)
    with pytest.raises(rt.DeclarationError, match=r"simulate\(..., variations=True\)"):
        _ = motion.transition
    with pytest.raises(rt.DeclarationError, match="events are not differentiated"):
        rt.simulate(system, {"k": 2.0}, {q[0]: 0.5}, [0, 1], variations=True, events=rt.event(q[0]))


# --- feedback: open and closed loop


def grown_by(A, times):
    """The solution of P' = A(t) P from one, by Runge-Kutta over every second time."""
    P, h = np.eye(A.shape[-1]), times[2] - times[0]
    for k in range(0, len(times) - 1, 2):
        k1 = A[k] @ P
        k2 = A[k + 1] @ (P + h / 2 * k1)
        k3 = A[k + 1] @ (P + h / 2 * k2)
        P = P + h / 6 * (k1 + 2 * k2 + 2 * k3 + A[k + 2] @ (P + h * k3))
    return P


def test_the_closed_loop_along_a_motion_is_what_the_transition_obeys():
    X, theta = rt.coordinates("X theta")
    F, G = rt.inputs("F G")
    pole = rt.vector(X + rt.sin(theta), -rt.cos(theta))
    cart = rt.System(
        kinetic=X.rate**2 / 2 + rt.norm2(rt.ddt(pole)) / 2,
        potential=9.81 * pole[1],
        forces={X: F * rt.cos(theta), theta: G},
    )
    times = np.linspace(0, 1, 801)
    pushed = rt.let("pushed", -3 * X - X.rate * theta.rate)
    laws = {F: pushed + rt.sin(theta), G: rt.sin(rt.t)}
    motion = rt.simulate(cart, {}, {theta: 1.0}, times, inputs=laws, variations=True)
    closed = rt.linearize(motion, closed=True)
    size = np.abs(motion.transition[-1]).max()
    np.testing.assert_allclose(
        grown_by(closed.A, times), motion.transition[-1], atol=1e-8 * size
    )  # h^4 = 4e-11, times the fourth derivatives
    assert closed.closed
    assert closed.inputs == (G,)  # a function of time stays an input
    assert "Closed loop: the feedback `F` is part of it" in str(closed)
    opened = rt.linearize(motion)
    assert not opened.closed
    assert opened.inputs == (F, G)
    assert "Open loop: the feedback `F` is an input; closed=True" in str(opened)
    assert np.abs(grown_by(opened.A, times) - motion.transition[-1]).max() > 0.1
    later = closed([0.5])
    np.testing.assert_allclose(later.A[0], closed.A[400], atol=1e-9)


def test_first_order_matrices_say_what_a_push_does():
    """x' = A x + B du by Runge and Kutta, against two motions that are pushed a little to and fro."""
    x, theta = rt.coordinates("x theta")
    F = rt.input("F")
    pole = rt.vector(x + rt.sin(theta), -rt.cos(theta))
    cart = rt.System(
        kinetic=x.rate**2 / 2 + rt.norm2(rt.ddt(pole)) / 2,
        potential=9.81 * pole[1],
        forces={x: F * rt.cos(x)},
    )
    times = np.linspace(0, 0.8, 321)
    push = rt.cos(3 * rt.t)

    def moved(eps):
        found = rt.simulate(
            cart, {}, {theta: 1.0}, times, inputs={F: 2 + eps * push}, rtol=1e-12, atol=1e-12
        )
        return np.concatenate([found.q, found.v], axis=-1)

    eps = 1e-4
    expected = (moved(eps) - moved(-eps))[-1] / (2 * eps)
    motion = rt.simulate(cart, {}, {theta: 1.0}, times, inputs={F: 2.0}, rtol=1e-12, atol=1e-12)
    along = rt.linearize(motion)
    A, B = along.first_order()
    assert (A.shape, B.shape, along.states) == (
        (321, 4, 4),
        (321, 4, 1),
        ("x", "theta", "x'", "theta'"),
    )
    rate = [lambda z, k=k: A[k] @ z + B[k, :, 0] * np.cos(3 * times[k]) for k in range(321)]
    z, h = np.zeros(4), times[2]
    for k in range(0, 320, 2):
        k1 = rate[k](z)
        k2 = rate[k + 1](z + h / 2 * k1)
        k3 = rate[k + 1](z + h / 2 * k2)
        z = z + h / 6 * (k1 + 2 * k2 + 2 * k3 + rate[k + 2](z + h * k3))
    np.testing.assert_allclose(z, expected, rtol=2e-7)  # h^4, and eps^2 of the differences


def test_first_order_matrices_are_functions_of_time():
    x, (k, F) = rt.coordinate("x"), (rt.parameter("k"), rt.input("F"))
    spring = rt.System(kinetic=x.rate**2 / 2, potential=k * x**4 / 4, forces={x: F})
    for values, batch in (({"k": 1.0}, ()), ({"k": [1.0, 2.0, 3.0]}, (3,))):
        motion = rt.simulate(
            spring, values, {x: 1.0}, np.linspace(0, 1, 5), inputs={F: 0.0}, progress=False
        )
        along = rt.linearize(motion)
        A, B = along.first_order([[0.75, 0.25, 0.5], [0.5, 0.25, 0.0]])
        assert (A.shape, B.shape) == ((*batch, 2, 3, 2, 2), (*batch, 2, 3, 2, 1))
        np.testing.assert_allclose(A[..., 0, 0, :, :], along.A[..., 3, :, :], rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(A[..., 1, 2, :, :], along.A[..., 0, :, :], rtol=1e-12)
        np.testing.assert_allclose(
            along.first_order(0.25)[0], along.A[..., 1, :, :], rtol=1e-9, atol=1e-12
        )


def test_the_closed_loop_of_a_constrained_motion():
    """A bob on a circle with feedback, in x and y, against its angle with the law written out."""
    x, y, phi = rt.coordinates("x y phi")
    F = rt.input("F")
    bob = rt.System(
        kinetic=(x.rate**2 + y.rate**2) / 2,
        potential=9.81 * y,
        constraints=[(x**2 + y**2 - 1) / 2],
        forces={x: F},
    )
    times = np.linspace(0, 1, 401)
    motion = rt.simulate(bob, {}, {x: 0.6, y: -0.8}, times, inputs={F: -3 * x - x.rate})
    place = rt.vector(rt.sin(phi), -rt.cos(phi))
    law = -3 * rt.sin(phi) - rt.cos(phi) * phi.rate
    free = rt.System(
        kinetic=rt.norm2(rt.ddt(place)) / 2, potential=9.81 * place[1], forces={phi: rt.cos(phi) * law}
    )
    angle = rt.simulate(free, {}, {phi: float(np.arcsin(0.6))}, times)
    closed = rt.linearize(motion, closed=True)
    assert closed.independent == (x,)
    c, c_rate = np.cos(angle.q[:, 0]), -np.sin(angle.q[:, 0]) * angle.v[:, 0]
    first, last = (np.array([[c[k], 0], [c_rate[k], c[k]]]) for k in (0, -1))  # of x by phi
    expected = last @ grown_by(rt.linearize(angle).A, times) @ np.linalg.inv(first)
    np.testing.assert_allclose(grown_by(closed.A, times), expected, atol=1e-8)


def test_a_motion_without_feedback_is_neither_open_nor_closed():
    (system, q) = random_system(3)
    motion = rt.simulate(system, {"k": 1.0}, {q[0]: 0.3}, [0, 1])
    plain, closed = rt.linearize(motion), rt.linearize(motion, closed=True)
    assert "loop" not in str(plain)
    np.testing.assert_array_equal(plain.A, closed.A)
    with pytest.raises(rt.DeclarationError, match="`time` freezes matrices about an equilibrium"):
        rt.linearize(motion, time=0.5)
    x = rt.coordinate("x")
    spring = rt.System(kinetic=x.rate**2 / 2, potential=x**2 / 2)
    with pytest.raises(rt.DeclarationError, match="`closed` is for a motion"):
        rt.linearize(rt.equilibrium(spring, {}), closed=True)
