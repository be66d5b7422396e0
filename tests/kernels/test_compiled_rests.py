"""Rests by compiled code: the same roots and the same status as by the other way, from any guess."""

from __future__ import annotations

import casadi
import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

import routh as rt
from depth import draws
from routh.kernels.engine import Engine, Unsupported
from routh.kernels.instructions.sizes import Sizes
from routh.kernels.instructions.sizes_graph import sizes_function
from routh.kernels.kernel import kernel
from routh.kernels.native.compiler import compiler

pytestmark = pytest.mark.skipif(compiler() is None, reason="no compiler of C on this machine")

x, y = rt.coordinates("x y")
a, b = rt.parameters("a b")
T = (rt.ddt(x) ** 2 + rt.ddt(y) ** 2) / 2

POTENTIALS = {
    "pendulum with a spring": -rt.cos(x) - a * rt.cos(y) + b * (x - y) ** 2 / 2,
    "buckling": (x**2 - a) ** 2 / 4 + b * (y - x**2) ** 2 / 2,
    "degenerate": x**4 + a * y**2,
    "no rest": rt.exp(x) + a * y**2,
    "free": a * x**2,
    "charges": a * (x**2 + y**2) / 2 + b / (1 - x),
    "lengths": a * (rt.sqrt((x - 1) ** 2 + (y - 2) ** 2) - b) ** 2 / 2 + x**2 / 9 + y**2 / 7,
    "stiff beside soft": 1e9 * (x - y) ** 2 + a * (x + y - 1) ** 2 + b * rt.sin(x),
    "a logarithm": a * x - rt.log(x) + y**2,
    "flat": a * rt.tanh(x) + b * y**2 * x**2,
}


@pytest.mark.parametrize("name", POTENTIALS)
def test_roots_are_the_same_from_any_guess(name):
    system = rt.System(kinetic=T, potential=POTENTIALS[name])
    random, count = np.random.default_rng(3), 120
    guess = {"x": random.uniform(-3, 3, count), "y": random.uniform(-3, 3, count)}
    values = {"a": random.uniform(0.2, 2, count), "b": random.uniform(-1, 2, count)}
    values = {p.name: values[p.name] for p in system.parameters}
    own, theirs = (
        rt.equilibrium(system, values, guess=guess, engine=engine) for engine in ("c", "casadi")
    )
    assert (own.status == theirs.status).all()
    held = theirs.status == rt.Status.CONVERGED
    np.testing.assert_allclose(own.q[held], theirs.q[held], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(own.tangent[held], theirs.tangent[held], rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(own.history[-1][held], own.q[held], rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(own.history[0], theirs.history[0])


@pytest.mark.parametrize("start", [0.3, 1.5, 3.0, -7.0])
def test_a_pendulum_from_anywhere(start):
    theta, l = rt.coordinate("theta"), rt.parameter("l")
    system = rt.System(kinetic=l**2 * rt.ddt(theta) ** 2 / 2, potential=-9.81 * l * rt.cos(theta))
    given = {"l": np.linspace(0.5, 2, 30)}
    own, theirs = (
        rt.equilibrium(system, given, guess={"theta": start}, engine=engine)
        for engine in ("c", "casadi")
    )
    assert (own.status == theirs.status).all()
    np.testing.assert_allclose(own.q, theirs.q, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(own.history, theirs.history, rtol=1e-6, atol=1e-9)


def test_most_points_are_on_the_plain_way():
    system = rt.System(kinetic=T, potential=POTENTIALS["pendulum with a spring"])
    rest = rt.equilibrium(system, {"a": np.linspace(0.5, 2, 50), "b": 1.0}, guess={"x": 0.4})
    found = kernel(system).rests(rest.point(), Engine.C)
    assert found.plain.all()


def test_what_turns_or_is_held_goes_the_other_way():
    r, phi = rt.coordinates("r phi")
    k = rt.parameter("k")
    T = (rt.ddt(r) ** 2 + r**2 * rt.ddt(phi) ** 2) / 2
    system = rt.System(kinetic=T, potential=k * (r - 1) ** 2 / 2)
    given = {"guess": {"r": 1.5}, "speeds": {"phi": 0.3}}
    values = {"k": np.linspace(1, 2, 5)}
    own, theirs = (rt.equilibrium(system, values, **given, engine=e) for e in ("c", "casadi"))
    np.testing.assert_array_equal(own.q, theirs.q)
    rod = rt.System(
        kinetic=rt.ddt(x) ** 2 + rt.ddt(y) ** 2, potential=a * y, constraints=[x**2 + y**2 - 1]
    )
    values, guess = {"a": np.linspace(1, 2, 5)}, {"y": -0.9, "x": 0.3}
    own, theirs = (rt.equilibrium(rod, values, guess=guess, engine=e) for e in ("c", "casadi"))
    np.testing.assert_array_equal(own.q, theirs.q)


def test_a_function_that_is_not_written_out_goes_the_other_way():
    system = rt.System(kinetic=rt.ddt(x) ** 2, potential=a * sympy.Max(x - 1, -1) ** 2)
    values = {"a": np.linspace(1, 2, 5)}
    own, theirs = (rt.equilibrium(system, values, guess={"x": 2}, engine=e) for e in ("c", "casadi"))
    np.testing.assert_array_equal(own.q, theirs.q)


@settings(max_examples=draws(3, 40))
@given(seed=st.integers(0, 2**32 - 1))
def test_sizes_are_the_same_as_a_function(seed):
    random = np.random.default_rng(seed)
    z = casadi.SX.sym("z", 3)
    terms = [*casadi.vertsplit(z), casadi.SX(0.1), casadi.SX(2.0)]
    for _ in range(30):
        one, two = (terms[k] for k in random.integers(len(terms), size=2))
        ways = [one + two, one - two, one * two, casadi.sin(one), casadi.cos(one), casadi.tanh(one),
                casadi.exp(-one * one), 1 / (2 + casadi.sin(one)), casadi.sqrt(1 + one * one), one**3]  # fmt: skip
        terms.append(ways[random.integers(len(ways))])
    function = casadi.Function("f", [z], [casadi.vertcat(*terms[-6:])])
    at = random.normal(size=(9, 3))
    expected = Sizes(function)([at])[0][..., 0]
    own = np.array([np.array(sizes_function(function)(row)).ravel() for row in at])
    np.testing.assert_allclose(own, expected, rtol=1e-9)


def test_a_size_that_is_not_written_out_is_told():
    z = casadi.SX.sym("z")
    with pytest.raises(Unsupported):
        sizes_function(casadi.Function("f", [z], [casadi.fmax(z, 1)]))


def test_the_edge_of_a_root_is_no_rest_by_any_engine():
    c = rt.parameter("c")
    V = -sympy.Rational(2, 3) * (x + 3) ** sympy.Rational(3, 2) - x**2 / 2 - c * x
    system = rt.System(kinetic=rt.ddt(x) ** 2 / 2, potential=V)
    values = {"c": np.linspace(2, 4, 41)}  # with 3, where the rest is the edge
    one, other = (
        rt.equilibrium(system, values, guess={"x": 0.5}, raises=False, engine=name)
        for name in ("casadi", "c")
    )
    np.testing.assert_array_equal(one.status, other.status)
    np.testing.assert_array_equal(one.converged, values["c"] < 3)


def test_linear_models_say_which_engine_made_them():
    x, k = rt.coordinate("x"), rt.parameter("k")
    system = rt.System(kinetic=rt.ddt(x) ** 2 / 2, potential=k * x**2 / 2)
    rest = rt.equilibrium(system, {"k": np.linspace(1, 2, 7)})
    fast, slow = (rt.linearize(rest, engine=by) for by in ("c", "casadi"))
    assert (fast.engine, slow.engine, rt.linearize(rest).engine) == ("c", "casadi", "casadi")
    np.testing.assert_array_equal(fast.K, slow.K)


@pytest.mark.parametrize("engine", ["c", "casadi"])
def test_a_rest_at_zero_is_zero(engine):
    """Not 1e-290, and not after a step for each sixteen digits down to there."""
    system = rt.System(kinetic=T, potential=POTENTIALS["pendulum with a spring"])
    values = {"a": np.linspace(0.5, 2, 20), "b": 1.0}
    rest = rt.equilibrium(system, values, guess={"x": 0.3}, engine=engine)
    assert rest.converged.all()
    assert (rest.q == 0).all()
    assert (rest.residual == 0).all()
    assert len(rest.history) <= 6


@pytest.mark.parametrize("engine", ["c", "casadi"])
def test_a_rest_beside_zero_stays_there(engine):
    """Shares of 1e-21 of the guess are solutions where the equations say so."""
    system = rt.System(kinetic=T, potential=(x - 1e-21 * a) ** 2 + (y - 1) ** 2 * (1 + x**2))
    rest = rt.equilibrium(system, {"a": np.linspace(1, 2, 5)}, guess={"x": 1.0}, engine=engine)
    np.testing.assert_allclose(rest.q[:, 0], 1e-21 * np.linspace(1, 2, 5), rtol=1e-9)
