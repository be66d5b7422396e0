"""Linear models along motions, variational equations, Floquet multipliers and frequency responses."""

from __future__ import annotations

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import solve_ivp
from scipy.optimize import brentq
from scipy.special import mathieu_a, mathieu_b

import routh as rt


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


# --- along a motion


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


@settings(max_examples=8, deadline=None)
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


@settings(max_examples=6, deadline=None)
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


def test_a_short_pulse_of_the_drive_is_seen():
    x = rt.coordinate("x")
    k = 0.81 + 20 * rt.exp(-3000 * (1 - rt.cos(rt.t - 0.6)))
    system = rt.System(kinetic=x.rate**2 / 2, dissipation=0.01 * x.rate**2, potential=k * x**2 / 2)
    found = rt.floquet(system, {}, 2 * np.pi)
    assert found.multipliers.real == pytest.approx([1.47906, 0.59627], abs=1e-4)
    assert found.verdict is rt.Verdict.UNSTABLE


def test_another_coordinate_is_chosen_where_the_first_fails():
    x, y = rt.coordinates("x y")
    held = rt.System(
        kinetic=(x.rate**2 + y.rate**2) / 2, potential=9.81 * y, constraints=[x**2 + y**2 - 1]
    )
    motion = rt.simulate(held, {}, {x: np.sin(0.8), y: -np.cos(0.8)}, np.linspace(0, 1, 101))
    assert rt.linearize(motion).independent == (x,)


def test_points_of_a_chart_without_a_rest_are_undecided():
    x, a = rt.coordinate("x"), rt.parameter("a")
    system = rt.System(
        kinetic=x.rate**2 / 2,
        potential=x**3 / 3 - a * x + 0.1 * rt.cos(rt.t) * (x**2 - a) ** 2,
        dissipation=0.1 * x.rate**2,
    )
    found = rt.floquet(system, {"a": np.array([1.0, -1.0, 2.0])}, 2 * np.pi, guess={x: 1.0})
    assert np.isnan(found.multipliers[1]).all()
    assert found.verdict[1] is rt.Verdict.UNDECIDED
    assert "1 undecided" in str(found)


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


# --- Floquet


def mathieu():
    x, (a, q) = rt.coordinate("x"), rt.parameters("a q")
    return rt.System(kinetic=x.rate**2 / 2, potential=(a - 2 * q * rt.cos(2 * rt.t)) * x**2 / 2)


CURVES = [
    ("a0", mathieu_a, 0, 2),
    ("b1", mathieu_b, 1, -2),
    ("a1", mathieu_a, 1, -2),
    ("b2", mathieu_b, 2, 2),
]


@pytest.mark.parametrize("q", [0.1, 0.5, 1, 5])
def test_transition_curves_of_mathieu(q):
    system = mathieu()

    def trace(a):
        return float(np.trace(rt.floquet(system, {"a": a, "q": q}, np.pi).monodromy))

    for _, exact, m, target in CURVES:
        e = float(exact(m, q))
        gap = min(0.01, 0.4 * float(mathieu_a(m, q) - mathieu_b(m, q))) if m else 0.01
        found = brentq(lambda a, target=target: trace(a) - target, e - gap, e + gap, xtol=1e-13)
        assert found == pytest.approx(e, abs=1e-10)


def test_conservative_systems_have_determinant_one():
    a, q = np.meshgrid(np.linspace(-1, 5, 13), np.linspace(0, 3, 7))
    found = rt.floquet(mathieu(), {"a": a, "q": q}, np.pi)
    assert found.multipliers.shape == (7, 13, 2)
    size = np.abs(found.monodromy).max(axis=(-1, -2))
    assert np.abs(found.determinant - 1).max() < 1e-12 * size.max() ** 2
    stable = found.verdict == rt.Verdict.STABLE
    assert 0.3 < stable.mean() < 0.9
    assert np.abs(found.multipliers[stable]) == pytest.approx(1, abs=1e-7)


def shaken_pendulum():
    theta = rt.coordinate("theta")
    l, g, A, w = rt.parameters("l g A w")
    r = rt.vector(l * rt.sin(theta), -l * rt.cos(theta) + A * rt.cos(w * rt.t))
    return rt.System(kinetic=rt.norm2(rt.ddt(r)) / 2, potential=g * r[1]), theta


def test_a_pendulum_shaken_vertically_stands_upside_down():
    system, theta = shaken_pendulum()
    w = 120.0
    values = {"l": 1.0, "g": 9.81, "w": w}
    critical = np.sqrt(2 * 9.81) / w  # Kapitza: A w > sqrt(2 g l)
    A = np.array([0.9, 1.1]) * critical
    up = rt.floquet(system, values | {"A": A}, 2 * np.pi / w, guess={theta: np.pi})
    assert [str(v) for v in up.verdict] == ["unstable", "stable"]
    down = rt.floquet(system, values | {"A": A}, 2 * np.pi / w)
    assert [str(v) for v in down.verdict] == ["stable", "stable"]
    # parametric resonance at twice the natural frequency: period doubling
    w0 = np.sqrt(9.81)
    twice = rt.floquet(system, values | {"A": 0.05, "w": 2 * w0}, 2 * np.pi / (2 * w0))
    assert twice.verdict is rt.Verdict.UNSTABLE
    assert twice.near == "period doubling"
    with pytest.raises(rt.DerivationError, match=r"floquet\(system, values, period\)"):
        rt.linearize(rt.equilibrium(system, values | {"A": 0.05}))


def test_a_shaft_with_unequal_stiffness_in_turning_and_in_space_axes():
    """In axes that turn along the matrices are constant: both ways give the same growth."""
    x, y = rt.coordinates("x y")
    m, k1, k2, W, c = rt.parameters("m k1 k2 W c")
    along = rt.vector(
        x * rt.cos(W * rt.t) + y * rt.sin(W * rt.t), -x * rt.sin(W * rt.t) + y * rt.cos(W * rt.t)
    )
    shaft = rt.System(
        kinetic=m * (x.rate**2 + y.rate**2) / 2,
        potential=(k1 * along[0] ** 2 + k2 * along[1] ** 2) / 2,
        dissipation=c * (x.rate**2 + y.rate**2) / 2,
    )
    turning = rt.System(
        kinetic=m * ((x.rate - W * y) ** 2 + (y.rate + W * x) ** 2) / 2,
        potential=(k1 * x**2 + k2 * y**2) / 2,
        dissipation=c * ((x.rate - W * y) ** 2 + (y.rate + W * x) ** 2) / 2,
    )
    speeds = np.array([2.0, 3.3, 4.5])
    values = {"m": 1.0, "k1": 9.0, "k2": 13.0, "W": speeds, "c": 0.05}
    found = rt.floquet(shaft, values, np.pi / speeds)
    other = rt.modes(rt.linearize(rt.equilibrium(turning, values)))
    assert found.growth == pytest.approx(other.eigenvalues.real.max(axis=-1), abs=1e-9)
    assert [str(v) for v in found.verdict] == [
        "asymptotically stable", "unstable", "asymptotically stable"]  # fmt: skip


def test_an_input_drives_it_too():
    theta, u = rt.coordinate("theta"), rt.input("u")
    l, g = rt.parameters("l g")
    r = rt.vector(l * rt.sin(theta), -l * rt.cos(theta) + u)
    system = rt.System(kinetic=rt.norm2(rt.ddt(r)) / 2, potential=g * r[1])
    other, _ = shaken_pendulum()
    values = {"l": 1.0, "g": 9.81}
    one = rt.floquet(system, values, 2 * np.pi / 20, inputs={u: 0.1 * rt.cos(20 * rt.t)})
    two = rt.floquet(other, values | {"A": 0.1, "w": 20.0}, 2 * np.pi / 20)
    assert one.multipliers == pytest.approx(two.multipliers, abs=1e-10)


def test_periods_that_are_none():
    system = mathieu()
    with pytest.raises(
        rt.DeclarationError, match=r"`cos\(2\*t\)`, which is not seen to have the period 3"
    ):
        rt.floquet(system, {"a": 1.0, "q": 0.5}, 3.0)
    with pytest.raises(rt.DeclarationError, match="must be a positive number"):
        rt.floquet(system, {"a": 1.0, "q": 0.5}, -1.0)
    x, y = rt.coordinates("x y")
    held = rt.System(kinetic=x.rate**2 + y.rate**2, potential=y, constraints=[x**2 + y**2 - 1])
    with pytest.raises(rt.DerivationError, match="without constraints"):
        rt.floquet(held, {}, 1.0)


# --- frequency response


def test_a_vibration_absorber_answers_as_by_hand():
    x, y, u = *rt.coordinates("x y"), rt.input("u")
    m1, m2, k1, k2, c = rt.parameters("m1 m2 k1 k2 c")
    system = rt.System(
        kinetic=(m1 * x.rate**2 + m2 * y.rate**2) / 2,
        potential=(k1 * x**2 + k2 * (x - y) ** 2) / 2,
        dissipation=c * (x.rate - y.rate) ** 2 / 2,
        forces={x: u},
    )
    values = {"m1": 2.0, "m2": 0.2, "k1": 50.0, "k2": 5.0, "c": 0.05}
    w = np.linspace(1, 9, 41)
    found = rt.frequency_response(
        rt.linearize(rt.equilibrium(system, values)), u, [x, x.rate, x - y], w
    )
    for k, s in enumerate(1j * w):
        Z = np.array(
            [[2 * s**2 + 0.05 * s + 55, -0.05 * s - 5], [-0.05 * s - 5, 0.2 * s**2 + 0.05 * s + 5]]
        )
        answer = np.linalg.solve(Z, [1, 0])
        assert found.transfer[k] == pytest.approx(
            [answer[0], s * answer[0], answer[0] - answer[1]], rel=1e-10
        )
    assert found.magnitude.shape == (41, 3)
    assert (np.diff(found.phase[:, 0]) < 3.2).all()


def test_a_base_that_is_moved_acts_by_its_acceleration():
    theta, b = rt.coordinate("theta"), rt.input("b")
    l, g = 1.3, 9.81
    r = rt.vector(b + l * rt.sin(theta), -l * rt.cos(theta))
    system = rt.System(kinetic=rt.norm2(rt.ddt(r)) / 2, potential=g * r[1])
    w = np.array([0.5, 2.0, 6.0])
    found = rt.frequency_response(rt.linearize(rt.equilibrium(system, {})), "b", theta, w)
    assert found.transfer[:, 0] == pytest.approx(w**2 / (l * (g / l - w**2)), rel=1e-12)


def test_bad_responses():
    x, u = rt.coordinate("x"), rt.input("u")
    system = rt.System(kinetic=x.rate**2 / 2, potential=2 * x**2, forces={x: u})
    linear = rt.linearize(rt.equilibrium(system, {}))
    with pytest.raises(
        rt.DeclarationError, match=r"`input` must be an input of the system: u. Got 'w'"
    ):
        rt.frequency_response(linear, "w", x, [1.0])
    assert "At 2 rad/s the input excites an undamped resonance" in str(
        rt.frequency_response(linear, u, x, [2.0])
    )
    with pytest.raises(rt.DerivationError, match="needs a LinearModel"):
        rt.frequency_response(3, u, x, [2.0])


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


def test_exponents_are_logarithms_over_the_period():
    """Mathieu's equation with damping c: both exponents have the real part -c/2 (Liouville)."""
    x = rt.coordinate("x")
    system = rt.System(
        kinetic=rt.ddt(x) ** 2 / 2,
        potential=(3 + rt.cos(4 * rt.t) / 10) * x**2 / 2,
        dissipation=rt.ddt(x) ** 2 / 10,
    )
    found = rt.floquet(system, {}, np.pi / 2)
    assert found.exponents.real == pytest.approx([-0.1, -0.1], rel=1e-9)
