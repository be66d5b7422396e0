"""The worked examples of docs/worked_examples.md, numbers to the digits given."""

from __future__ import annotations

import numpy as np
import pytest
import sympy

import problems
import routh as rt
from routh import cos, ddt, sin, t
from routh.kernels.kernel import kernel
from routh.language.derivation import explicit_rate
from sampling import accelerations, assert_same, point

RTOL = 1e-12
PI = np.pi


def linear_at(problem, **guess):
    rest = rt.equilibrium(
        problem.system, problem.values, guess={problem.symbols[k]: x for k, x in guess.items()}
    )
    return rest, rt.linearize(rest)


def squared(linear) -> np.ndarray:
    """omega^2, negative for a divergence."""
    return np.sort(-(rt.modes(linear).eigenvalues[::2] ** 2).real)


# A1, B1 ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("angle", "sign"), [(0.0, 1), (PI, -1)])
def test_a1_pendulum(angle, sign):
    problem = problems.pendulum()
    _, linear = linear_at(problem, theta=angle + 0.1)
    assert squared(linear) == pytest.approx([sign * 9.81 / 1.5], rel=RTOL)


def test_b1_pendulum_equation():
    problem = problems.pendulum()
    theta, m, l, g = problem.theta, problem.m, problem.l, problem.g
    residual = rt.equations(problem.system, simplify=0).residual
    assert_same(residual[0], m * l**2 * ddt(theta, 2) + m * g * l * sin(theta))


# A2 ----------------------------------------------------------------------------------------------


def test_a2_equations_of_motion():
    p = problems.double_pendulum()
    th1, th2, m1, m2, l1, l2, g = p.th1, p.th2, p.m1, p.m2, p.l1, p.l2, p.g
    d1, d2, a1, a2 = ddt(th1), ddt(th2), ddt(th1, 2), ddt(th2, 2)
    V1 = (m1 + m2) * g * l1 * sin(th1) + m2 * g * l2 * sin(th1 + th2)
    V2 = m2 * g * l2 * sin(th1 + th2)
    first = (
        (m1 * l1**2 + m2 * (l1**2 + l2**2 + 2 * l1 * l2 * cos(th2))) * a1
        + m2 * (l2**2 + l1 * l2 * cos(th2)) * a2
        - m2 * l1 * l2 * sin(th2) * (2 * d1 * d2 + d2**2)
        + V1
    )
    second = (
        m2 * (l2**2 + l1 * l2 * cos(th2)) * a1 + m2 * l2**2 * a2 + m2 * l1 * l2 * sin(th2) * d1**2 + V2
    )
    for simplify in (0.0, 1.0):
        residual = rt.equations(p.system, simplify=simplify).residual
        assert_same(residual, sympy.Matrix([first, second]))


A2_MODELS = {
    (0, 0): ([[3.44, 0.8], [0.8, 0.32]], [[21.582, 3.924], [3.924, 3.924]], [6.13125, 24.525]),
    (1, 0): ([[3.44, 0.8], [0.8, 0.32]], [[-21.582, -3.924], [-3.924, -3.924]], [-24.525, -6.13125]),
    (1, 1): (
        [[1.52, -0.16], [-0.16, 0.32]],
        [[-13.734, 3.924], [3.924, 3.924]],
        [-9.57427068353414, 15.7055206835341],
    ),
    (0, 1): (
        [[1.52, -0.16], [-0.16, 0.32]],
        [[13.734, -3.924], [-3.924, -3.924]],
        [-15.7055206835341, 9.57427068353414],
    ),
}


@pytest.mark.parametrize("turns", A2_MODELS)
def test_a2_all_four_linear_models(turns):
    M, K, w2 = A2_MODELS[turns]
    p = problems.double_pendulum()
    rest, linear = linear_at(p, th1=PI * turns[0] + 0.1, th2=PI * turns[1] - 0.1)
    np.testing.assert_allclose(rest.q, PI * np.array(turns), atol=1e-14)
    np.testing.assert_allclose(linear.M, M, rtol=RTOL)
    np.testing.assert_allclose(linear.K, K, rtol=RTOL)
    assert not any(X.any() for X in (linear.D, linear.G, linear.H))
    np.testing.assert_allclose(squared(linear), w2, rtol=RTOL)
    stable = rt.stability(linear).verdict
    assert stable is (rt.Verdict.STABLE if turns == (0, 0) else rt.Verdict.UNSTABLE)


def test_a2_accelerations():
    p = problems.double_pendulum()
    at = point(p.system, p.values, [0.5, -0.8], [0.8, -1.9])
    expected = [-5.70253785538624, 15.9745108130651]
    np.testing.assert_allclose(accelerations(p.system, at), expected, rtol=RTOL)


# A3, A7 ------------------------------------------------------------------------------------------


def test_a3_linear_model():
    p = problems.coupled_pendulums()
    _, linear = linear_at(p)
    spring, weight = 50 * 0.6**2, 9.81
    np.testing.assert_allclose(linear.M, np.eye(2), rtol=RTOL)
    np.testing.assert_allclose(
        linear.K, [[weight + spring, -spring], [-spring, weight + spring]], rtol=RTOL
    )
    np.testing.assert_allclose(squared(linear), [9.81, 45.81], rtol=RTOL)


def test_a7_newton_iterates():
    p = problems.coupled_pendulums()
    rest, _ = linear_at(p, th1=0.3, th2=-0.2)
    np.testing.assert_allclose(rest.history[1], [-0.112959551810791, -0.0600883044369771], rtol=RTOL)
    at = [point(p.system, p.values, list(q)) for q in rest.history[:4]]
    norms = [np.linalg.norm(kernel(p.system).about(each).residual(each.arguments)) for each in at]
    np.testing.assert_allclose(norms, [15.575, 2.0792, 2.4784e-2, 2.5974e-8], rtol=5e-5)
    assert len(rest.history) <= 6
    np.testing.assert_allclose(rest.q, [0, 0], atol=1e-16)


# A4, A5, A6 --------------------------------------------------------------------------------------


def test_a4_rotating_spring():
    p = problems.rotating_spring_mass()
    rest, linear = linear_at(p)
    assert rest.q == pytest.approx([0.0878048780487805], rel=RTOL)
    np.testing.assert_allclose(linear.K, [[41]], rtol=RTOL)
    assert not linear.G.any()


def test_a5_stiffness_contains_the_time_derivative_of_f():
    p = problems.accelerated_pendulum()
    rest, linear = linear_at(p)
    assert rest.q == pytest.approx([0.296778873080397], rel=RTOL)
    assert squared(linear) == pytest.approx([8.54872066452051], rel=RTOL)
    assert squared(linear) != pytest.approx([7.81761711753725], rel=1e-3)  # the printed formula
    inverted, linear = linear_at(p, theta=0.29 + PI)
    assert inverted.q == pytest.approx([0.296778873080397 + PI], rel=RTOL)
    assert squared(linear) == pytest.approx([-8.54872066452051], rel=RTOL)


def test_a5_symbolically():
    p = problems.accelerated_pendulum()
    theta, m, l, g, A = p.theta, p.m, p.l, p.g, p.A
    residual = rt.equations(p.system, simplify=0).residual[0]
    assert_same(residual, m * l**2 * ddt(theta, 2) - m * A * l * cos(theta) + m * g * l * sin(theta))
    linear = rt.linear_equations(p.system, {theta: sympy.atan(A / g)}, simplify=0)
    assert_same(linear.K[0], m * l * sympy.sqrt(g**2 + A**2))
    assert_same(linear.residual[0], sympy.S.Zero)


def test_a6_rotating_table():
    p = problems.rotating_table()
    _, linear = linear_at(p)
    np.testing.assert_allclose(linear.M, np.eye(2), rtol=RTOL, atol=1e-15)
    np.testing.assert_allclose(linear.D, [[0.5, 0], [0, 0]], atol=1e-14)
    np.testing.assert_allclose(linear.G, [[0, -4], [4, 0]], atol=1e-13)
    np.testing.assert_allclose(linear.K, [[16, 0], [0, 26]], rtol=RTOL, atol=1e-13)
    expected = [
        -0.106957670918338 + 2.89577260810507j, -0.106957670918338 - 2.89577260810507j,
        -0.143042329081662 + 7.03714445307369j, -0.143042329081662 - 7.03714445307369j,
    ]  # fmt: skip
    np.testing.assert_allclose(rt.modes(linear).eigenvalues, expected, rtol=RTOL)
    np.testing.assert_allclose(np.poly(expected).real, [1, 0.5, 58, 13, 416], rtol=1e-12)


# B2, B5, B6, B7, B8 ------------------------------------------------------------------------------


def test_b2_elastic_pendulum():
    p = problems.elastic_pendulum()
    at = point(p.system, p.values, [1.3, 0.4], [-0.3, 0.7])
    expected = [-2.32739164883170, -2.61553379849835]
    np.testing.assert_allclose(accelerations(p.system, at), expected, rtol=RTOL)
    rest, linear = linear_at(p, length=1.0)
    le = 1 + 9.81 / 40
    np.testing.assert_allclose(rest.q, [le, 0], rtol=RTOL)
    np.testing.assert_allclose(linear.M, np.diag([1, le**2]), rtol=RTOL)
    np.testing.assert_allclose(squared(linear), [7.87793615739811, 40], rtol=RTOL)
    rest, linear = linear_at(p, length=0.7, th=3.1)
    li = 1 - 9.81 / 40
    np.testing.assert_allclose(rest.q, [li, PI], rtol=RTOL)
    np.testing.assert_allclose(linear.K, np.diag([40, -9.81 * li]), rtol=RTOL, atol=1e-12)


def test_b5_force_on_an_inclined_plane():
    p = problems.inclined_plane()
    eq = rt.equations(p.system, simplify=0)
    assert_same(eq.Q[0], p.m * p.g * sin(p.slope))
    with pytest.raises(rt.NoEquilibrium, match="`v` does not depend on any coordinate"):
        rt.equilibrium(p.system, p.values)


def test_b6_pushed_pendulum():
    p = problems.pushed_pendulum()
    assert_same(rt.equations(p.system, simplify=0).Q[0], p.F * p.l * cos(p.theta))
    rest = rt.equilibrium(p.system, p.values, inputs={p.F: 4})
    assert rest.q == pytest.approx([0.201117383996941], rel=RTOL)
    linear = rt.linearize(rest)
    assert squared(linear) == pytest.approx([6.67453202687483], rel=RTOL)
    assert linear.inputs == (p.F,)
    np.testing.assert_allclose(linear.B, [[1.5 * np.cos(0.201117383996941)]], rtol=RTOL)


def test_b7_double_pendulum_with_absolute_angles():
    p = problems.double_pendulum_absolute()
    _, linear = linear_at(p)
    m, l, g = 1.5, 1.2, 9.81
    np.testing.assert_allclose(linear.M, m * l**2 * np.array([[2, 1], [1, 1]]), rtol=RTOL)
    np.testing.assert_allclose(linear.K, m * g * l * np.diag([2, 1]), rtol=RTOL)
    np.testing.assert_allclose(squared(linear), (2 + np.array([-1, 1]) * 2**0.5) * g / l, rtol=RTOL)
    at = point(p.system, p.values, [0.5, -0.3], [0.8, -1.1])
    expected = [-7.07093084856341, 7.80135055115612]
    np.testing.assert_allclose(accelerations(p.system, at), expected, rtol=RTOL)


def test_b8_i_prescribed_trolley_and_rope():
    p = problems.crane_prescribed()
    th, xc, r, m, g = p.th, p.xc, p.r, p.m, p.g
    expected = r * ddt(th, 2) + 2 * ddt(r) * ddt(th) + g * sin(th) + ddt(xc, 2) * cos(th)
    assert_same(rt.equations(p.system, simplify=0).residual[0], m * r * expected)
    linear = rt.linear_equations(p.system, {th: 0, r: r, xc: 0}, simplify=0)
    assert_same(linear.M[0], m * r**2)
    assert_same(linear.D[0], 2 * m * r * ddt(r))
    assert_same(linear.K[0], m * g * r)
    at = point(
        p.system, p.values, [0.4], [-0.5],
        u={r: 1.5, ddt(r): -0.2, ddt(r, 2): 0.1, ddt(xc, 2): 1.93303345264017},
    )  # fmt: skip
    assert accelerations(p.system, at) == pytest.approx([-3.86709043425163], rel=RTOL)


def test_b8_i_is_not_frozen_while_the_rope_is_hauled():
    p = problems.crane_prescribed()
    rest = rt.equilibrium(p.system, p.values, inputs={p.r: 1.5, ddt(p.r): -0.2})
    with pytest.raises(
        rt.DerivationError, match=r"depends on time.*`M`, `D \+ G`, `K \+ H` and `B` change"
    ):
        rt.linearize(rest)
    linear = rt.linearize(rest, time=0.0)
    np.testing.assert_allclose(linear.D, [[2 * 2 * 1.5 * -0.2]], rtol=RTOL)
    assert linear.time == 0.0


def test_b8_accelerations_with_a_prescribed_rope():
    """Trolley with mass, rope length r(t) prescribed: X'' and theta'' of the collection."""
    p = problems.crane_rope()
    at = point(
        p.system, p.values, [0.0, 0.4], [0.3, -0.5],
        u={p.F: 3, p.r: 1.5, ddt(p.r): -0.2, ddt(p.r, 2): 0.1},
    )  # fmt: skip
    expected = [1.93303345264017, -3.86709043425163]
    np.testing.assert_allclose(accelerations(p.system, at), expected, rtol=RTOL)


def test_b8_ii_trolley_with_mass():
    p = problems.crane_trolley()
    rest, linear = linear_at(p)
    assert rest.free == (p.X,)
    modes = rt.modes(linear)
    assert modes.frequencies[0] == 0.0
    assert modes.rigid.tolist() == [True, False]
    assert modes.frequencies[1] ** 2 == pytest.approx(9.81 * 7 / (5 * 1.5), rel=RTOL)
    np.testing.assert_allclose(linear.B, [[1], [0]], atol=1e-15)


def test_b8_iii_hoist():
    p = problems.crane_hoist()
    X, r, th, M, m, g = p.X, p.r, p.th, p.M, p.m, p.g
    s, c = sin(th), cos(th)
    expected = sympy.Matrix([
        (M + m) * ddt(X, 2) + m * (ddt(r, 2) * s + 2 * ddt(r) * ddt(th) * c + r * ddt(th, 2) * c
                                   - r * ddt(th) ** 2 * s) - p.F,
        m * (ddt(r, 2) + ddt(X, 2) * s - r * ddt(th) ** 2 - g * c) - p.Fh,
        m * (r**2 * ddt(th, 2) + 2 * r * ddt(r) * ddt(th) + r * ddt(X, 2) * c + g * r * s),
    ])  # fmt: skip
    assert_same(rt.equations(p.system, simplify=0).residual, expected)
    # The hoist carries the load: any rope length is a rest, which the tangent tells.
    rest = rt.equilibrium(p.system, p.values, guess={r: 1.5}, inputs={p.Fh: -2 * 9.81})
    assert rest.free == (X,)
    assert "It can be shifted along" in str(rest)
    assert "`r`" in str(rest)
    w = rt.modes(rt.linearize(rest)).frequencies
    assert w[-1] ** 2 == pytest.approx(9.81 * 7 / (5 * 1.5), rel=RTOL)


# C1, C2 ------------------------------------------------------------------------------------------


def test_c1_printed_energies():
    _, linear = linear_at(problems.hub_arm_printed())
    np.testing.assert_allclose(linear.M, [[3, 0.5], [0.5, 1]], rtol=RTOL)
    np.testing.assert_allclose(linear.K, [[6, 1], [1, 6]], rtol=RTOL)
    assert not linear.G.any()
    np.testing.assert_allclose(squared(linear), [2, 70 / 11], rtol=RTOL)


def test_c1_true_mechanism_has_a_singular_mass_matrix_and_one_frequency():
    _, linear = linear_at(problems.hub_arm("tip"))
    np.testing.assert_allclose(linear.M, [[4, 2], [2, 1]], rtol=RTOL)
    np.testing.assert_allclose(linear.K, [[7, 2], [2, 9]], rtol=RTOL)
    modes = rt.modes(linear)
    assert modes.infinite == 2
    assert modes.frequencies**2 == pytest.approx([59 / 35], rel=RTOL)
    assert "2 eigenvalues are infinite" in str(modes)


@pytest.mark.parametrize(
    ("kind", "w2"),
    [("points", [1.73970837453070, 44.2602916254693]), ("rods", [1.61252034245336, 88.5810280446434])],
)
def test_c1_regular_variants(kind, w2):
    _, linear = linear_at(problems.hub_arm(kind))
    np.testing.assert_allclose(squared(linear), w2, rtol=RTOL)


def test_c2_accelerating_arm():
    p = problems.accelerating_arm()
    rest, linear = linear_at(p)
    m, l, k, Om = (p.values[n] for n in ("m", "l", "k", "Omega"))
    assert rest.q == pytest.approx([-m * l**2 * Om / k], rel=RTOL)
    assert squared(linear) == pytest.approx([k / (m * l**2)], rel=RTOL)


def test_c2b_with_a_hub_there_is_no_equilibrium():
    p = problems.accelerating_arm(with_hub=True)
    with pytest.raises(rt.NoEquilibrium, match=r"`accelerating arm` has no equilibrium.*`phi`.*t\*\*2"):
        rt.equilibrium(p.system, p.values)


# D3, D5, D7 --------------------------------------------------------------------------------------


def test_d3_mass_matrix_of_a_planar_arm():
    p = problems.planar_arm()
    m1, m2, l1, l2, q2 = p.m1, p.m2, p.l1, p.l2, p.q2
    M12 = m2 * (l2**2 / 3 + l1 * l2 * cos(q2) / 2)
    expected = sympy.Matrix([
        [m1 * l1**2 / 3 + m2 * (l1**2 + l2**2 / 3 + l1 * l2 * cos(q2)), M12],
        [M12, m2 * l2**2 / 3],
    ])  # fmt: skip
    assert_same(rt.equations(p.system, simplify=0).M, expected)


def test_d5_rayleigh_power_is_minus_twice_d():
    x1, x2 = rt.coordinates("x1 x2")
    m, beta, k = rt.parameters("m beta k")
    D = beta / 2 * (ddt(x2) - ddt(x1)) ** 2
    system = rt.System(
        kinetic=m / 2 * (ddt(x1) ** 2 + ddt(x2) ** 2), potential=k / 2 * (x2 - x1) ** 2, dissipation=D
    )
    plain = rt.System(kinetic=system.kinetic, potential=system.potential)
    force = rt.equations(system, simplify=0).residual - rt.equations(plain, simplify=0).residual
    power = -sum(f * v for f, v in zip(force, system.velocities, strict=True))
    assert_same(power, -2 * D)
    linear = rt.linearize(rt.equilibrium(system, {"m": 1, "beta": 0.3, "k": 2}))
    np.testing.assert_allclose(linear.D, [[0.3, -0.3], [-0.3, 0.3]], rtol=RTOL)


def test_d7_symmetric_and_skew_parts():
    q1, q2 = rt.coordinates("q1 q2")
    C, S = sympy.Matrix([[2, 5], [1, 3]]), sympy.Matrix([[10, -4], [2, 7]])
    pull = -(C * sympy.Matrix([ddt(q1), ddt(q2)]) + S * sympy.Matrix([q1, q2]))
    system = rt.System(kinetic=(ddt(q1) ** 2 + ddt(q2) ** 2) / 2, forces={q1: pull[0], q2: pull[1]})
    linear = rt.linearize(rt.equilibrium(system, {}))
    assert linear.D.tolist() == [[2, 3], [3, 3]]
    assert linear.G.tolist() == [[0, 2], [-2, 0]]
    assert linear.K.tolist() == [[10, -1], [-1, 7]]
    assert linear.H.tolist() == [[0, -3], [3, 0]]


# F1, F2 ------------------------------------------------------------------------------------------


def test_f1_general_equations_with_a_b_c():
    """A_ij a_j + (dA_ij/dq_k - dA_jk/dq_i / 2) v_j v_k + dA_ij/dt v_j + ... for generic functions."""
    q = rt.coordinates("q1 q2")
    v, a = [ddt(x) for x in q], [ddt(x, 2) for x in q]

    def f(name):
        return sympy.Function(name)(*q, t)

    A = [[f("A11"), f("A12")], [f("A12"), f("A22")]]
    B, C, V = [f("B1"), f("B2")], f("C"), f("V")
    n = range(2)
    T = sum(A[i][j] * v[i] * v[j] for i in n for j in n) / 2 + sum(B[i] * v[i] for i in n) + C / 2
    residual = rt.equations(rt.System(kinetic=T, potential=V), simplify=0).residual
    for i in n:
        expected = sum(A[i][j] * a[j] + explicit_rate(A[i][j]) * v[j] for j in n)
        expected += sum(
            (A[i][j].diff(q[k]) - A[j][k].diff(q[i]) / 2) * v[j] * v[k] for j in n for k in n
        )
        expected += sum((B[i].diff(q[j]) - B[j].diff(q[i])) * v[j] for j in n)
        expected += explicit_rate(B[i]) - C.diff(q[i]) / 2 + V.diff(q[i])
        assert sympy.expand(residual[i] - expected) == 0


def test_f2_coefficients_of_the_rotating_spring():
    p = problems.rotating_spring_mass()
    eq = rt.equations(p.system, simplify=0)
    assert_same(eq.A[0], p.m)
    assert_same(eq.B[0], sympy.S.Zero)
    assert_same(eq.C, p.m * p.Omega**2 * (p.a + p.x) ** 2)
    assert_same(eq.U, p.k * p.x**2 / 2 - p.m * p.Omega**2 * (p.a + p.x) ** 2 / 2)
    assert [c.name for c in eq.conserved] == ["Jacobi integral"]


# A moving reference -----------------------------------------------------------


def moving_reference():
    q1, q2 = rt.coordinates("q1 q2")
    v1, v2 = ddt(q1), ddt(q2)
    R = sympy.Rational
    L = (
        (1 + q2**2) * v1**2 / 2 + sympy.exp(q1) * v2**2 / 2 + q1 * v1 * v2 + t * q1 * v2
        + cos(q1 * q2) + q1**3 * v2**2
    )  # fmt: skip
    system = rt.System(
        lagrangian=L,
        dissipation=v1**2 / 10 + (v1 - v2) ** 2 / 20,
        forces={q1: -R(3, 10) * v1 + q2 * v2, q2: -R(1, 10) * v2**3 + sin(t) * q1},
    )
    return system, q1, q2


MOVING = {
    "M": [[1.12017777777778, 0.194709171154325], [0.194709171154325, 1.22972108669970]],
    "C": [[1.10844444444444, 0.585145731557227], [0.482581929112325, 0.925615213682376]],
    "K": [[-0.168379413753330, 0.0580935581210207], [0.0432874037021768, -0.174263009954072]],
    "residual": [0.170143350136655, 0.711516542640790],
}


def test_moving_reference_symbolically():
    system, q1, q2 = moving_reference()
    linear = rt.linear_equations(system, {q1: sin(t) / 2, q2: t**2 / 3 - t}, simplify=0)
    now = {t: sympy.Float("0.4", 30)}

    def at(matrix):
        return np.array(matrix.xreplace(now).evalf(20).tolist(), dtype=float)

    np.testing.assert_allclose(at(linear.M), MOVING["M"], rtol=RTOL)
    np.testing.assert_allclose(at(linear.D + linear.G), MOVING["C"], rtol=RTOL)
    np.testing.assert_allclose(at(linear.K + linear.H), MOVING["K"], rtol=RTOL)
    np.testing.assert_allclose(at(linear.residual)[:, 0], MOVING["residual"], rtol=RTOL)


def test_moving_reference_by_the_kernel():
    system, *_ = moving_reference()
    T = 0.4
    at = point(
        system, {}, [np.sin(T) / 2, T**2 / 3 - T], [np.cos(T) / 2, 2 * T / 3 - 1],
        [-np.sin(T) / 2, 2 / 3], time=T,
    )  # fmt: skip
    engine = kernel(system)
    M, C, K = engine.matrices(at)
    np.testing.assert_allclose(M[0], MOVING["M"], rtol=RTOL)
    np.testing.assert_allclose(C[0], MOVING["C"], rtol=RTOL)
    np.testing.assert_allclose(K[0], MOVING["K"], rtol=RTOL)
    np.testing.assert_allclose(engine.residual(at)[0], MOVING["residual"], rtol=RTOL)
