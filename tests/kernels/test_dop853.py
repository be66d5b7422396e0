"""The compiled explicit method: SciPy's steps, a motion between them, runs that do not know of others."""

from __future__ import annotations

import casadi
import numpy as np
import pytest
import scipy

from routh.kernels.engine import Unsupported
from routh.kernels.native.compiler import compiler
from routh.kernels.native.ensemble import Ensemble

pytestmark = pytest.mark.skipif(compiler() is None, reason="no compiler of C on this machine")

TIMES = np.linspace(0, 3, 31)


def duffing():
    """A driven oscillator with its work as the last number of the state."""
    t, x, p = casadi.SX.sym("t"), casadi.SX.sym("x", 3), casadi.SX.sym("p", 2)
    u, k = casadi.SX.sym("u", 1), casadi.SX.sym("k", 3)
    push = p[1] * casadi.cos(2 * t) + u
    rate = casadi.vertcat(x[1], -x[0] - p[0] * x[0] ** 3 + push, push * x[1])
    still = x[0] ** 2 / 2 + p[0] * x[0] ** 4 / 4
    arguments = [t, x, p, u, k]
    energy = [x[1] ** 2 / 2 + still, still]
    return casadi.Function("rate", arguments, [rate]), casadi.Function("energy", arguments, energy)


def begun(count=5, rtol=1e-8, times=TIMES, last=3.0, longest=np.inf):
    rate, energy = duffing()
    random = np.random.default_rng(3)
    x = np.concatenate([random.normal(size=(count, 2)), np.zeros((count, 1))], axis=1)
    given = random.uniform(0.5, 1.5, size=(count, 2)), np.full((count, 1), 0.1)
    tolerances = np.tile([rtol, 1e-12], (count, 1))
    runs = Ensemble(rate, energy, 1, True).begin(x, given, tolerances, times, last, longest)
    return runs, x, given, rate


def gone(runs, most=7):
    while runs.going.any():
        runs.go(most)
    return runs


@pytest.mark.parametrize(("rtol", "longest"), [(1e-4, np.inf), (1e-8, np.inf), (1e-12, 0.05)])
def test_steps_are_those_of_scipy(rtol, longest):
    runs, x, given, rate = begun(rtol=rtol, longest=longest)
    gone(runs, most=10**6)
    assert runs.arrived.all()
    for k in range(len(x)):

        def f(t, y, k=k):
            return np.array(rate(t, y, given[0][k], given[1][k], 0))[:, 0]

        theirs = scipy.integrate.DOP853(f, 0.0, x[k], 3.0, rtol=rtol, atol=1e-12, max_step=longest)
        inside, steps = [x[k]], 0
        while theirs.status == "running":
            theirs.step()
            dense = theirs.dense_output()
            inside += [dense(t) for t in TIMES if theirs.t_old < t <= theirs.t]
            steps += 1
        assert runs.steps[k] == steps
        np.testing.assert_allclose(runs.states[k], inside, rtol=max(1e-10, 1e-4 * rtol), atol=1e-12)


def test_pauses_and_outputs_change_no_bit():
    whole, *_ = begun()
    gone(whole, most=10**6)
    parts, *_ = begun()
    gone(parts, most=3)
    np.testing.assert_array_equal(parts.states, whole.states)
    np.testing.assert_array_equal(parts.steps, whole.steps)
    few, *_ = begun(times=TIMES[[0, 7, 30]])
    np.testing.assert_array_equal(gone(few).states, whole.states[:, [0, 7, 30]])


def test_runs_do_not_know_of_each_other(monkeypatch):
    many, *_ = begun(count=40)
    gone(many)
    alone, *_ = begun(count=1)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    np.testing.assert_array_equal(gone(alone).states[0], gone(begun(count=1)[0]).states[0])
    again, *_ = begun(count=40)
    np.testing.assert_array_equal(gone(again).states, many.states)


def test_energies_are_those_along_the_steps():
    runs, x, *_ = begun(count=3, rtol=1e-10)
    gone(runs)
    energies = runs.energies
    assert (energies["off"] < 1e-8 * energies["whole"]).all()
    low, high = runs.ranges
    assert (low <= x[:, :2]).all()
    assert (high >= x[:, :2]).all()
    inside = runs.states[:, :, :2]
    np.testing.assert_allclose(high, inside.max(axis=1), atol=0.05)
    np.testing.assert_allclose(low, inside.min(axis=1), atol=0.05)
    assert (energies["work"] >= np.abs(runs.states[:, -1, 2])).all()


def test_a_singularity_is_no_end():
    t, x, p = casadi.SX.sym("t"), casadi.SX.sym("x", 2), casadi.SX.sym("p", 0)
    u, k = casadi.SX.sym("u", 0), casadi.SX.sym("k", 3)
    rate = casadi.Function("rate", [t, x, p, u, k], [casadi.vertcat(x[1], x[0] ** 3)])
    energy = casadi.Function("energy", [t, x, p, u, k], [x[1] ** 2 / 2, x[0]])
    start, none = np.array([[1.0, 1.0], [0.0, 0.0]]), np.zeros((2, 0))
    tolerances = np.full((2, 2), 1e-8)
    runs = Ensemble(rate, energy, 1, False).begin(start, (none, none), tolerances, TIMES, 3.0, np.inf)
    gone(runs, most=1000)
    assert runs.arrived.tolist() == [False, True]
    assert np.isnan(runs.states[0, -1]).all()
    assert (runs.states[1] == 0).all()


def test_equations_that_solve_are_not_written_out():
    x = casadi.MX.sym("x", 2)
    others = [casadi.MX.sym(name, 1) for name in "tpuk"]
    f = casadi.Function("f", [others[0], x, *others[1:]], [casadi.solve(casadi.MX.eye(2), x)])
    with pytest.raises(Unsupported, match="linear solves"):
        Ensemble(f, f, 1, False)
