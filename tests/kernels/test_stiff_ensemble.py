"""The compiled implicit method: against exact solutions and SciPy's, and runs that know of no others."""

from __future__ import annotations

import casadi
import numpy as np
import pytest
import scipy

from routh.kernels.engine import Unsupported
from routh.kernels.native.compiler import compiler
from routh.kernels.native.stiff_ensemble import StiffEnsemble

pytestmark = pytest.mark.skipif(compiler() is None, reason="no compiler of C on this machine")

TIMES = np.linspace(0, 3, 16)


def ensemble(accelerations):
    """x'' = accelerations(t, x, x', p), as an ensemble, and its functions."""
    t, x, p = casadi.SX.sym("t"), casadi.SX.sym("x", 2), casadi.SX.sym("p", 1)
    u, k = casadi.SX.sym("u", 0), casadi.SX.sym("k", 3)
    arguments = [t, x, p, u, k]
    rate = casadi.vertcat(x[1], accelerations(t, x[0], x[1], p))
    f = casadi.Function("rate", arguments, [rate])
    J = casadi.Function("slope", arguments, [casadi.densify(casadi.jacobian(rate, x))])
    energy = casadi.Function("energy", arguments, [x[1] ** 2 / 2, x[0] ** 2])
    return StiffEnsemble(f, J, energy, 1, False), f, J


def van_der_pol():
    return ensemble(lambda t, x, v, p: p * (1 - x**2) * v - x)


def gone(own, x, p, rtol, most=1000, times=TIMES, atol=1e-10):
    count = len(x)
    given = np.array(p, dtype=float)[:, None], np.zeros((count, 0))
    tolerances = np.tile([rtol, atol], (count, 1))
    runs = own.begin(np.array(x, dtype=float), given, tolerances, times, float(times[-1]), np.inf)
    while runs.going.any():
        runs.go(most)
    return runs


def test_a_stiff_linear_motion_is_met_as_its_tolerance_says():
    rate = 1e4  # x'' = -(1 + rate) x' - rate x has the roots -1 and -rate
    own, *_ = ensemble(lambda t, x, v, p: -(1 + p) * v - p * x)
    start = np.array([[1.0, -1.0], [1.0, 0.0]])
    fast = np.array([0.0, 1.0 / (1 - rate)])[:, None]  # x = (1 - b) exp(-t) + b exp(-rate t)
    exact = (1 - fast) * np.exp(-TIMES) + fast * np.exp(-rate * TIMES)
    found = [gone(own, start, [rate, rate], rtol) for rtol in (1e-5, 1e-8, 1e-11)]
    errors = [np.abs(runs.states[..., 0] - exact).max() for runs in found]
    assert all(each < 20 * rtol for each, rtol in zip(errors, (1e-5, 1e-8, 1e-11), strict=True))
    assert (found[1].steps < 3 * rate / 100).all()  # of 3e4 decay times within the run


def test_it_takes_about_the_steps_of_scipy_and_ends_as_near():
    own, f, J = van_der_pol()
    start, stiffness = np.array([[2.0, 0.0], [1.5, 0.3]]), [1e3, 300.0]
    ours = gone(own, start, stiffness, 1e-7)
    assert ours.arrived.all()
    for k in range(2):

        def rate(t, y, k=k):
            return np.array(f(t, y, stiffness[k], [], 0))[:, 0]

        def slope(t, y, k=k):
            return np.array(J(t, y, stiffness[k], [], 0))

        def theirs(rtol, rate=rate, slope=slope, k=k):
            return scipy.integrate.solve_ivp(
                rate,
                (0, 3),
                start[k],
                "Radau",
                TIMES,
                rtol=rtol,
                atol=1e-10,
                jac=slope,
                dense_output=True,
            )

        near, exact = theirs(1e-7), theirs(1e-9)
        steps = len(near.sol.ts) - 1
        assert 0.7 * steps < ours.steps[k] < 1.4 * steps
        np.testing.assert_allclose(ours.states[k], exact.y.T, rtol=1e-6, atol=1e-7)


def test_the_order_of_steps_is_five():
    own, *_ = ensemble(lambda t, x, v, p: -p * x)
    times = np.array([0.0, 2 * np.pi])
    errors, steps = [], []
    for rtol in (1e-4, 1e-10):
        runs = gone(own, [[1.0, 0.0]], [1.0], rtol, times=times, atol=rtol)
        errors.append(np.abs(runs.states[0, -1] - [1, 0]).max())
        steps.append(int(runs.steps[0]))
    order = -np.log(errors[1] / errors[0]) / np.log(steps[1] / steps[0])
    assert 4.5 < order < 5.7


def test_runs_do_not_know_of_each_other(monkeypatch):
    own, *_ = van_der_pol()
    start = np.random.default_rng(2).uniform(0.5, 2, size=(20, 2))
    many = gone(own, start, np.full(20, 200.0), 1e-6)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    alone = gone(own, start[7:8], [200.0], 1e-6)
    np.testing.assert_array_equal(alone.states[0], many.states[7])
    few = gone(own, start[7:8], [200.0], 1e-6, times=TIMES[[0, 4, 15]])
    np.testing.assert_array_equal(few.states[0], many.states[7][[0, 4, 15]])


def test_a_singularity_is_no_end():
    own, *_ = ensemble(lambda t, x, v, p: p * x**3)
    runs = gone(own, [[1.0, 1.0], [0.0, 0.0]], [1.0, 1.0], 1e-8)
    assert runs.arrived.tolist() == [False, True]
    assert np.isnan(runs.states[0, -1]).all()


def test_large_states_are_left_to_others():
    x = casadi.SX.sym("x", 26)
    f = casadi.Function("f", [casadi.SX.sym("t"), x, *(casadi.SX.sym(c, 0) for c in "puk")], [x])
    with pytest.raises(Unsupported, match="large state"):
        StiffEnsemble(f, f, f, 13, False)
