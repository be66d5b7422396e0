"""Observers inside nonlinear motions, against the matrices of the linear loop and by hand."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import expm

import routh as rt
from routh import cos, ddt, norm2, sin, vector

X, theta, x, y = rt.coordinates("X theta x y")
F, G = rt.inputs("F G")
m = rt.parameter("m")
V = {"m": 0.2}
TIMES = np.linspace(0, 3, 31)


@cache
def pole():
    bob = vector(X + sin(theta) / 2, cos(theta) / 2)
    T = [ddt(X) ** 2 / 2, m / 2 * norm2(ddt(bob))]
    return rt.System(kinetic=T, potential=m * 9.81 * bob[1], forces={X: F}, name="cart-pole")


POSITIONS = (X, sin(theta))


@cache
def loop(outputs=POSITIONS):
    space = rt.state_space(rt.linearize(rt.equilibrium(pole(), V)), list(outputs))
    watch = rt.observer(space, np.eye(4), 0.01 * np.eye(len(outputs)))
    return watch.loop(rt.lqr(space, {X: 1.0, theta: 10.0}, 0.1)), watch


def state(motion, read):
    return np.stack([motion[each] for each in read], axis=1)


STATES = [X, theta, ddt(X), ddt(theta)]


def matrices(found, watch):
    A, B, C, _ = found.space
    controller, G, H = watch.with_regulator(found.regulator)
    return np.block([[A, B @ H], [G @ C, controller]])


@pytest.mark.parametrize("outputs", [POSITIONS, (X + theta, ddt(X)), tuple(STATES)])
def test_small_motions_are_those_of_the_matrices_to_third_order(outputs):
    """Halving the start divides what is off by eight: the pole is odd in its states."""
    found, watch = loop(outputs)
    off = []
    for size in (0.02, 0.01):
        motion = rt.simulate(found.closed, V, {theta: size}, TIMES, rtol=1e-11, progress=False)
        true, estimate = state(motion, STATES), state(motion, found.estimates.values())
        start = np.array([0, size, 0, 0, 0, 0, 0, 0])
        exact = np.array([expm(matrices(found, watch) * time) @ start for time in TIMES])
        np.testing.assert_allclose(np.hstack([true, estimate]), exact, atol=30 * size**3)
        off.append(np.abs(np.hstack([true, estimate]) - exact).max())
    assert off[0] / off[1] == pytest.approx(8, rel=0.05)


def test_a_large_motion_is_that_of_the_equations_by_hand():
    """The observer's equation of first order beside the accelerations that `dynamics` gives."""
    found, watch = loop()
    A, B, C, _ = found.space
    K, L = found.regulator.gain, watch.gain

    def rate(_, s):
        q, v, z = s[:2], s[2:4], s[4:]
        u = -K @ z
        a = rt.dynamics(pole(), V, {X: q[0], theta: q[1]}, {X: v[0], theta: v[1]}, inputs={F: u[0]}).a
        seen = np.array([q[0], np.sin(q[1])])
        return np.concatenate([v, a, A @ z + B @ u + L @ (seen - C @ z)])

    start = [0.1, 0.4, 0, 0, 0, 0.1, 0, 0]
    times = TIMES[:6]
    exact = solve_ivp(rate, (0, times[-1]), start, t_eval=times, rtol=1e-9, atol=1e-12).y.T
    given = {X: 0.1, theta: 0.4, "theta_hat": 0.1}
    for system, inputs in ((found.closed, None), (found.system, found.laws)):
        motion = rt.simulate(system, V, given, times, inputs=inputs, progress=False)
        got = np.hstack([state(motion, STATES), state(motion, found.estimates.values())])
        np.testing.assert_allclose(got, exact, atol=1e-6)


def test_the_loop_has_the_eigenvalues_of_both_and_those_of_following():
    found, watch = loop()
    every = rt.modes(rt.linearize(rt.equilibrium(found.closed, V))).eigenvalues
    rate = 2 * np.abs(watch.eigenvalues).max()
    follows = np.abs(every + rate) < 1e-5 * rate  # four times the same, so that it is known so far
    assert follows.sum() == 4
    both = np.concatenate([found.regulator.eigenvalues, watch.eigenvalues])
    np.testing.assert_allclose(
        np.sort_complex(every[~follows]), np.sort_complex(both), rtol=1e-6, atol=1e-8
    )
    np.testing.assert_allclose(np.sort_complex(found.eigenvalues), np.sort_complex(both))
    assert found.stability.verdict is rt.Verdict.ASYMPTOTICALLY_STABLE


def test_without_a_regulator_the_observer_is_told_the_inputs():
    """A linear plant: once the estimate is right it stays so, whatever the input does."""
    spring = rt.System(kinetic=ddt(x) ** 2 / 2, potential=x**2 - x, forces={x: F})
    rest = rt.equilibrium(spring, {}, inputs={F: 0.5})
    watch = rt.observer(rt.state_space(rt.linearize(rest), [x]), np.eye(2), 1.0)
    found = watch.loop()
    begun = {x: rest.q[0] + 0.3, "x_hat": 0.3}
    motion = rt.simulate(found.system, {}, begun, TIMES, inputs={F: sin(3 * rt.t)}, progress=False)
    np.testing.assert_allclose(motion[found.estimates[x]], motion[x], atol=1e-8)
    np.testing.assert_allclose(motion[found.estimates[ddt(x)]], motion[ddt(x)], atol=1e-8)
    beside = rt.simulate(found.system, {}, {x: 1.0}, [0, 40], inputs={F: 2.0}, progress=False)
    assert beside[found.estimates[x]][-1] == pytest.approx(beside[x][-1], abs=1e-6)
    with pytest.raises(rt.DeclarationError, match=r"without a regulator.*observer\.loop\(regulator\)"):
        found.laws


def test_a_loop_holds_a_constrained_pendulum_upright():
    T = (ddt(x) ** 2 + ddt(y) ** 2) / 2
    swing = rt.System(kinetic=T, potential=9.81 * y, constraints=[(x**2 + y**2 - 1) / 2], forces={x: F})
    rest = rt.equilibrium(swing, {}, guess={y: 1.0})
    space = rt.state_space(rt.linearize(rest), [x])
    found = rt.observer(space, np.eye(2), 0.01).loop(rt.lqr(space, {x: 1.0}, 1.0))
    start = {x: np.sin(0.1), y: np.cos(0.1)}
    motion = rt.simulate(found.closed, {}, start, [0, 8], progress=False)
    assert motion.q[-1, :2] == pytest.approx([0, 1], abs=1e-4)
    assert motion[found.estimates[y]][-1] == pytest.approx(1, abs=1e-6)
    assert found.stability.verdict is rt.Verdict.ASYMPTOTICALLY_STABLE


def test_velocity_constraints_have_states_of_their_own():
    """y' = x + x^2 leaves the states x, y and one velocity."""
    T = (ddt(x) ** 2 + ddt(y) ** 2) / 2
    geared = rt.System(
        kinetic=T, potential=(x**2 + y**2) / 2, constraints=[ddt(y) - x - x**2], forces={x: F}
    )
    space = rt.state_space(rt.linearize(rt.equilibrium(geared, {})), [x, y])
    assert space.A.shape == (3, 3)
    found = rt.observer(space, np.eye(3), np.eye(2)).loop()
    start = {x: 0.01, ddt(y): 0.0101, found.running[0]: 0.01}
    motion = rt.simulate(found.system, {}, start, [0, 0.5, 1], inputs={F: 0.0}, progress=False)
    for q in (x, y, ddt(x), ddt(y)):
        np.testing.assert_allclose(motion[found.estimates[q]], motion[q], atol=3e-4)  # 0.01 squared
    assert np.ptp(motion[y]) > 5e-3


def test_one_point_of_a_batch_runs_along():
    model = rt.linearize(rt.equilibrium(pole(), {"m": [0.1, 0.2]}))
    space = rt.state_space(model, [X, sin(theta)])
    watch = rt.observer(space, np.eye(4), 0.01 * np.eye(2))
    with pytest.raises(
        rt.DeclarationError, match=r"Got a batch of shape \(2,\); take observer\.single"
    ):
        watch.loop()
    np.testing.assert_allclose(watch.single(1).gain, loop()[1].gain, rtol=1e-9)
    assert len(watch.single(1).loop().running) == 4


def test_names_give_way_to_those_of_the_system():
    x_hat = rt.parameter("x_hat")
    spring = rt.System(kinetic=ddt(x) ** 2 / 2, potential=x_hat * x**2)
    watch = rt.observer(
        rt.state_space(rt.linearize(rt.equilibrium(spring, {"x_hat": 1.0}))), np.eye(2), 1.0
    )
    assert [w.name for w in watch.loop().running] == ["x_hat_", "x_rate_hat"]


def test_what_cannot_run_along_says_why():
    space = rt.state_space(rt.linearize(rt.equilibrium(pole(), V)), [X, ddt(theta, 2)])
    with pytest.raises(rt.DerivationError, match="measures the acceleration `theta''`"):
        rt.observer(space, np.eye(4), np.eye(2)).loop()
    s = rt.space("s", 0, 1)
    w = rt.field("w", s)
    string = rt.System(
        kinetic=rt.integral(ddt(w) ** 2 / 2, s),
        potential=rt.integral(rt.diff(w, s) ** 2 / 2, s),
        constraints=[rt.at(w, s, 0)],
    )
    waves = rt.state_space(
        rt.linearize(rt.equilibrium(rt.discretize(string, {w: 2}), {})), [rt.at(w, s, 1)]
    )
    with pytest.raises(
        rt.DerivationError, match=r"is discretized.*Take reduce\(linear, modes=\.\.\.\)"
    ):
        rt.observer(waves, np.eye(4), 1.0).loop()
    found, watch = loop()
    other = rt.state_space(rt.linearize(rt.equilibrium(pole(), {"m": 0.3})))
    for verb in (watch.loop, watch.with_regulator):
        with pytest.raises(rt.DeclarationError, match="must be of one model"):
            verb(rt.lqr(other, np.eye(4), 1.0))
    with pytest.raises(
        rt.DeclarationError, match=r"loop needs what lqr\(space, ...\) returned. Got an int"
    ):
        watch.loop(3)
    alone = rt.results.StateSpace(*found.space, found.space.inputs, found.space.outputs)
    with pytest.raises(rt.DerivationError, match="this one is of matrices alone"):
        rt.observer(alone, np.eye(4), np.eye(2)).loop()
