"""Reach, regulators, laws and observers, each by a second route."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import block_diag, expm, solve_continuous_are

import routh as rt
from routh import cos, ddt, norm2, sin, vector
from routh.numerics.linear_systems.riccati_along import riccati_along

X, theta, x, y, phi = rt.coordinates("X theta x y phi")
F, G = rt.inputs("F G")
m, k = rt.parameters("m k")
V = {"m": 0.2}


@cache
def pole():
    bob = vector(X + sin(theta) / 2, cos(theta) / 2)
    T = [ddt(X) ** 2 / 2, m / 2 * norm2(ddt(bob))]
    return rt.System(kinetic=T, potential=m * 9.81 * bob[1], forces={X: F}, name="cart-pole")


@cache
def upright():
    return rt.state_space(rt.linearize(rt.equilibrium(pole(), V)))


@cache
def held():
    return rt.lqr(upright(), {X: 1.0, theta: 10.0}, 0.1)


def pair(**more):
    """Two masses on springs, of which the first is pushed."""
    T = (ddt(x) ** 2 + ddt(y) ** 2) / 2
    own = {"kinetic": T, "potential": x**2 / 2 + y**2 / 2 + k * (x - y) ** 2 / 2, "forces": {x: F}}
    return rt.System(**{**own, **more})


def space(system, outputs=None, **values):
    return rt.state_space(rt.linearize(rt.equilibrium(system, values)), outputs)


def test_the_gain_solves_the_riccati_equation_as_others_do():
    A, B, _, _ = upright()
    S = solve_continuous_are(A, B, held().Q, held().R)
    np.testing.assert_allclose(held().cost, S, rtol=1e-9, atol=1e-12)
    left = A.T @ S + S @ A - S @ B @ B.T @ S / 0.1 + held().Q
    assert np.abs(left).max() < 1e-10 * np.abs(S).max()
    assert held().residual < 1e-13
    control = pytest.importorskip("control")
    np.testing.assert_allclose(held().gain, control.lqr(A, B, held().Q, held().R)[0], rtol=1e-9)


def test_the_cost_is_what_the_closed_loop_pays():
    A, B, _, _ = upright()
    K, start = held().gain, np.array([0.1, 0.2, -0.3, 0.1])
    paid = held().Q + K.T @ held().R @ K
    loop = lambda _, z: np.append((A - B @ K) @ z[:4], z[:4] @ paid @ z[:4])  # noqa: E731
    found = solve_ivp(loop, (0, 40), np.append(start, 0.0), rtol=1e-10, atol=1e-14).y[4, -1]
    assert found == pytest.approx(start @ held().cost @ start, rel=1e-8)


def test_weights_by_expression_are_those_of_a_matrix():
    tip = X + sin(theta) / 2
    c = np.array([[1.0, 0.5, 0, 0]])
    by_hand = rt.lqr(upright(), 3 * c.T @ c + np.diag([0, 0, 0, 2.0]), {F: 0.5})
    by_name = rt.lqr(upright(), {tip: 3.0, ddt(theta): 2.0}, 0.5)
    np.testing.assert_allclose(by_name.gain, by_hand.gain, rtol=1e-12)


def test_the_law_closes_the_system_that_the_matrices_close():
    rest = rt.equilibrium(held().closed, V)
    found = np.sort_complex(rt.modes(rt.linearize(rest)).eigenvalues)
    np.testing.assert_allclose(found, np.sort_complex(held().eigenvalues), rtol=1e-9)
    assert held().stability.verdict is rt.Verdict.ASYMPTOTICALLY_STABLE
    motion = rt.simulate(pole(), V, {theta: 0.3}, [0, 10], inputs=held().laws, progress=False)
    assert np.abs(motion.q[-1]).max() < 1e-3
    closed = rt.simulate(held().closed, V, {theta: 0.3}, [0, 10], progress=False)
    np.testing.assert_allclose(closed.q, motion.q, atol=1e-7)


def test_a_law_keeps_the_inputs_of_its_rest():
    lifted = rt.System(kinetic=ddt(x) ** 2 / 2, potential=9.81 * x, forces={x: F})
    rest = rt.equilibrium(lifted, {}, inputs={F: 9.81}, guess={x: 0.5})
    found = rt.lqr(rt.state_space(rt.linearize(rest)), {x: 1.0}, 1.0)
    motion = rt.simulate(lifted, {}, {x: 0.6}, [0, 20], inputs=found.laws, progress=False)
    assert motion.q[-1, 0] == pytest.approx(0.5, abs=1e-5)


def test_a_law_with_a_constraint_holds_the_pendulum_upright():
    T = (ddt(x) ** 2 + ddt(y) ** 2) / 2
    swing = rt.System(kinetic=T, potential=9.81 * y, constraints=[(x**2 + y**2 - 1) / 2], forces={x: F})
    rest = rt.equilibrium(swing, {}, guess={y: 1.0})
    found = rt.lqr(rt.state_space(rt.linearize(rest)), {x: 1.0}, 1.0)
    assert found.gain.shape == (1, 2)
    start = {x: np.sin(0.2), y: np.cos(0.2)}
    motion = rt.simulate(swing, {}, start, [0, 6], inputs=found.laws, progress=False)
    assert motion.q[-1] == pytest.approx([0, 1], abs=1e-4)
    assert found.stability.verdict is rt.Verdict.ASYMPTOTICALLY_STABLE


def test_gains_of_a_batch_are_those_of_its_points():
    batch = rt.state_space(rt.linearize(rt.equilibrium(pole(), {"m": [0.1, 0.2, 0.4]})))
    found = rt.lqr(batch, {X: 1.0, theta: 10.0}, 0.1)
    assert found.gain.shape == (3, 1, 4)
    np.testing.assert_allclose(found.gain[1], held().gain, rtol=1e-9)
    one = found.single(1)
    assert one.laws.keys() == {F}
    assert one.stability.verdict is rt.Verdict.ASYMPTOTICALLY_STABLE
    with pytest.raises(rt.DeclarationError, match=r"A law is that of one point.*regulator\.single"):
        found.laws


def kalman_rank(A, B):
    blocks = [np.linalg.matrix_power(A, j) @ B for j in range(len(A))]
    return np.linalg.matrix_rank(np.concatenate(blocks, axis=1), tol=1e-9)


@pytest.mark.parametrize("seed", range(12))
def test_reach_agrees_with_the_rank_of_kalmans_matrix(seed):
    rng = np.random.default_rng(seed)
    names = rt.coordinates("a b c")
    shapes = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    K = shapes @ np.diag([1.0, 2.0, [2.0, 3.0][seed % 2]]) @ shapes.T
    push = shapes[:, 0] * rng.integers(0, 2) + shapes[:, 1] + shapes[:, 2] * rng.integers(0, 2)
    q, scale = rt.vector(*names), 10.0 ** rng.integers(-4, 5, size=3)  # units are people's choice
    q = vector(*(s * each for s, each in zip(scale, names, strict=True)))
    potential = sum(K[i, j] * q[i] * q[j] for i in range(3) for j in range(3)) / 2
    forces = {each: scale[i] * push[i] * F for i, each in enumerate(names)}
    system = rt.System(kinetic=norm2(ddt(q)) / 2, potential=potential, forces=forces)
    model = space(system)
    found = rt.controllability(model)
    T = block_diag(np.diag(scale), np.diag(scale))
    rank = kalman_rank(T @ model.A @ np.linalg.inv(T), T @ model.B)
    assert int(found.reached.sum()) == rank
    assert found.is_complete == (rank == 6)
    seen = rt.observability(space(system, [sum(push[i] * q[i] for i in range(3))]))
    np.testing.assert_allclose(seen.reached, found.reached)


def test_what_is_not_reached_is_named():
    twins = pair(forces={x: F, y: F})
    found = rt.controllability(space(twins, k=4.0))
    assert found.missed == (("the motion with s = 3i 1/s, in which `x` and `y` move as 1 : -1",),)
    with pytest.raises(
        rt.DerivationError, match=r"Not stabilizable: no input reaches .* s = 3i .*`x` and `y`"
    ):
        rt.lqr(space(twins, k=4.0), np.eye(4), 1.0)
    damped = pair(forces={x: F, y: F}, dissipation=(ddt(x) - ddt(y)) ** 2 / 2)
    assert not rt.controllability(space(damped, k=4.0)).is_complete
    assert rt.controllability(space(damped, k=4.0)).others_decay
    assert rt.lqr(space(damped, k=4.0), np.eye(4), 1.0).residual < 1e-12


def test_a_drift_is_named_too():
    loose = rt.System(kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2, forces={x: F})
    with pytest.raises(
        rt.DerivationError, match="s = 0 1/s, in which `y` moves, and it does not decay"
    ):
        rt.lqr(space(loose), np.eye(4), 1.0)
    with pytest.raises(
        rt.DerivationError, match="no output shows the motion with s = 0 1/s, in which `y`"
    ):
        rt.observer(space(loose, [x]), np.eye(4), 1.0)


def test_shares_are_cosines_in_the_metric_of_masses():
    heavy = rt.System(
        kinetic=(ddt(x) ** 2 + 4 * ddt(y) ** 2) / 2,
        potential=x**2 / 2 + 2 * y**2 + (x - y) ** 2,
        forces={x: F},
    )
    found = rt.controllability(space(heavy))
    M, K = np.diag([1.0, 4.0]), np.array([[3.0, -2.0], [-2.0, 6.0]])
    root = np.linalg.inv(np.sqrt(M))
    values, shapes = np.linalg.eigh(root @ K @ root)
    w = np.sqrt(values)
    expected = np.abs(shapes[0]) / np.sqrt(1 + (w / w[-1]) ** 2)
    np.testing.assert_allclose(found.share[::2], expected, rtol=1e-9)


def test_the_riccati_equation_along_a_motion_by_a_second_integrator():
    motion = rt.simulate(pole(), V, {theta: 0.3}, np.linspace(0, 1, 9), inputs={F: 0.1}, progress=False)
    along = rt.linearize(motion)
    found = rt.lqr(along, {X: 1.0, theta: 2.0}, 0.5, final=np.eye(4))
    Q = np.diag([1.0, 2.0, 0, 0])
    times = np.linspace(0, 1, 401)
    fine = along(times)
    A, push = fine.A, np.linalg.solve(fine.M, fine.B)
    B = np.concatenate([np.zeros_like(push), push], axis=1)
    S, h = np.eye(4), 1 / 200

    def rate(j, S):
        return A[j].T @ S + S @ A[j] - S @ B[j] @ B[j].T @ S / 0.5 + Q

    for j in range(400, 0, -2):  # Runge and Kutta, backwards
        k1 = rate(j, S)
        k2 = rate(j - 1, S + h / 2 * k1)
        k3 = rate(j - 1, S + h / 2 * k2)
        S = S + h / 6 * (k1 + 2 * k2 + 2 * k3 + rate(j - 2, S + h * k3))
    np.testing.assert_allclose(found.cost[0], S, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(found.cost[-1], np.eye(4))
    assert found.error < 1e-8


def test_gains_along_a_rest_become_those_of_the_rest():
    motion = rt.simulate(pole(), V, {}, np.linspace(0, 8, 17), inputs={F: 0.0}, progress=False)
    found = rt.lqr(rt.linearize(motion), {X: 1.0, theta: 10.0}, 0.1)
    np.testing.assert_allclose(found.gain[0], held().gain, rtol=1e-5)
    kept = rt.lqr(rt.linearize(motion), {X: 1.0, theta: 10.0}, 0.1, final=held().cost)
    np.testing.assert_allclose(kept.gain, np.broadcast_to(held().gain, kept.gain.shape), rtol=1e-7)


def test_strong_gains_along_a_motion_ask_for_short_steps():
    """From the cost of a rest nothing changes, in steps that are short beside half a millisecond; in
    long ones, in which the flow overflows, nothing is known, and no warning is given."""
    A, B, _, _ = upright()
    kept = rt.lqr(upright(), np.eye(4), 1e-6)

    def frozen(times):
        return np.broadcast_to(A, (len(times), 4, 4)), np.broadcast_to(B, (len(times), 4, 1))

    times = np.linspace(0, 0.1, 3)
    found = riccati_along(frozen, np.eye(4), kept.R, kept.cost, times, 64)
    np.testing.assert_allclose(found[0], kept.cost, rtol=1e-6, atol=1e-6 * np.abs(kept.cost).max())
    lost = riccati_along(frozen, np.eye(4), np.array([[1e-14]]), kept.cost, times, 1)
    assert np.isnan(lost[0]).all()
    np.testing.assert_array_equal(lost[-1], kept.cost)


def test_a_law_along_a_motion_brings_back_to_it():
    times = np.linspace(0, 0.5, 11)
    motion = rt.simulate(pole(), V, {theta: 0.3}, times, inputs={F: 0.0}, progress=False)
    found = rt.lqr(rt.linearize(motion), {theta: 1.0}, 1e-3)
    on = rt.simulate(pole(), V, {theta: 0.3}, times, inputs=found.laws, progress=False)
    np.testing.assert_allclose(on.q, motion.q, atol=1e-7)
    beside = rt.simulate(pole(), V, {theta: 0.31}, times, inputs=found.laws, progress=False)
    free = rt.simulate(pole(), V, {theta: 0.31}, times, inputs={F: 0.0}, progress=False)
    off = np.abs([beside.q[-1, 1] - motion.q[-1, 1], free.q[-1, 1] - motion.q[-1, 1]])
    assert off[0] < off[1] / 20


def test_the_loop_with_an_observer_has_the_eigenvalues_of_both():
    seen = rt.state_space(upright().linear, [X, theta])
    watch = rt.observer(seen, np.eye(4), {X: 0.01, theta: 0.02})
    P = watch.covariance
    W = solve_continuous_are(seen.A.T, seen.C.T, np.eye(4), np.diag([0.01, 0.02]))
    np.testing.assert_allclose(P, W, rtol=1e-8, atol=1e-12)
    F_, G_, H_ = watch.with_regulator(rt.lqr(seen, {X: 1.0, theta: 10.0}, 0.1))
    loop = np.block([[seen.A, seen.B @ H_], [G_ @ seen.C, F_]])
    both = np.concatenate([held().eigenvalues, watch.eigenvalues])
    np.testing.assert_allclose(
        np.sort_complex(np.linalg.eigvals(loop)), np.sort_complex(both), rtol=1e-6
    )
    assert np.abs(expm(20 * loop)).max() < 1e-3


MISTAKES = {
    "a Q of another shape": (lambda: rt.lqr(upright(), np.eye(3), 1.0), r"`Q` must be a matrix of shape \(4, 4\), for 4 states"),
    "a negative Q": (lambda: rt.lqr(upright(), -np.eye(4), 1.0), "`Q` must not be negative in any direction"),
    "a negative weight": (lambda: rt.lqr(upright(), {X: -1.0}, 1.0), "gives `X` the weight -1"),
    "a Q that is not symmetric": (lambda: rt.lqr(upright(), np.triu(np.ones((4, 4))), 1.0), "`Q` must be symmetric"),
    "a complex Q": (lambda: rt.lqr(upright(), (1 + 1j) * np.eye(4), 1.0), "`Q` must be real"),
    "an R of zero": (lambda: rt.lqr(upright(), np.eye(4), 0.0), "`R` must be positive definite"),
    "an R that lacks an input": (lambda: rt.lqr(upright(), np.eye(4), {}), "`R` lacks `F`"),
    "a weight of an acceleration": (lambda: rt.lqr(upright(), {ddt(X, 2): 1.0}, 1.0), "contains an acceleration or an input"),
    "a final weight of a rest": (lambda: rt.lqr(upright(), np.eye(4), 1.0, final=np.eye(4)), "Leave it out"),
    "a linear model": (lambda: rt.lqr(upright().linear, np.eye(4), 1.0), "lqr needs a StateSpace.*Got a LinearModel"),
    "no input": (lambda: rt.lqr(space(pair(forces=None), k=1.0), np.eye(4), 1.0), "needs a model with at least one input"),
    "another regulator": (lambda: rt.observer(upright(), np.eye(4), np.eye(2)).with_regulator(3), "Got an int"),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_are_told_in_a_sentence(mistake):
    make, said = MISTAKES[mistake]
    with pytest.raises(rt.DeclarationError, match=said):
        make()


def test_what_costs_nothing_and_stays_is_named():
    with pytest.raises(rt.DerivationError, match="Q gives no weight to the motion with s = 0 1/s"):
        rt.lqr(upright(), {theta: 1.0}, 1.0)


def test_a_moving_base_is_no_input_of_a_law():
    base = rt.input("b")
    bob = vector(base + sin(phi), -cos(phi))
    shaken = rt.System(kinetic=norm2(ddt(bob)) / 2, potential=9.81 * bob[1])
    with pytest.raises(rt.DeclarationError, match="Here `b''` acts, a derivative of an input"):
        rt.lqr(space(shaken), np.eye(2), 1.0)


def test_a_law_is_not_put_into_an_energy():
    soft = rt.System(kinetic=ddt(x) ** 2 / 2, potential=x**2 / 2 - F * x)
    found = rt.lqr(space(soft), np.eye(2), 1.0)
    with pytest.raises(rt.DerivationError, match="`F` stands in `potential`"):
        found.closed
    motion = rt.simulate(soft, {}, {x: 1.0}, [0, 20], inputs=found.laws, progress=False)
    assert abs(motion.q[-1, 0]) < 1e-4


def test_only_what_does_not_decay_is_said_not_to():
    """Of x'' = 2 x + F, y'' = 2 y the input misses a motion that grows and one that decays."""
    x, y = rt.coordinates("x y")
    F = rt.input("F")
    hill = rt.System(
        kinetic=(rt.ddt(x) ** 2 + rt.ddt(y) ** 2) / 2, potential=-(x**2) - y**2, forces={x: F}
    )
    space = rt.state_space(rt.linearize(rt.equilibrium(hill, {})))
    found = rt.controllability(space)
    assert (len(found.missed[0]), len(found.left[0])) == (2, 1)
    with pytest.raises(rt.DerivationError) as said:
        rt.lqr(space, np.eye(4), np.eye(1))
    assert "s = 1.41421 1/s" in str(said.value)
    assert "-1.41421" not in str(said.value)
