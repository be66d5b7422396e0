"""Steps of exponential collocation in C, and the tapes that they evaluate: against NumPy and CasADi."""

from __future__ import annotations

import casadi
import numpy as np
import pytest

from routh.kernels.engine import Engine, Unsupported
from routh.kernels.native.choice import START, chosen
from routh.kernels.native.compiler import compiler
from routh.kernels.native.program import Program
from routh.kernels.native.step_rounds import StepRounds
from routh.kernels.native.tape import Tape, tape_text
from routh.kernels.native.written import FORMS, entry, runtime
from routh.numerics.exponential.collocation import Collocation, SecondOrder
from routh.numerics.exponential.going_round import ROUNDS, RULE, SETTLED, linear_numbers, step_numbers
from routh.numerics.exponential.linear_part import NODES

pytestmark = pytest.mark.skipif(compiler() is None, reason="no compiler of C on this machine")


def every_function():
    """Each instruction that has a form in C, of two numbers between a half and one."""
    x = casadi.SX.sym("x", 2)
    a, b = x[0], x[1]
    of_one = "exp log sqrt sin cos tan asin acos atan sinh cosh tanh asinh atanh floor ceil fabs erf"
    found = [getattr(casadi, name)(a) for name in of_one.split()]
    found += [casadi.acosh(1 + a), casadi.log1p(a), casadi.expm1(a), casadi.sign(a - b), -a, 1 / a]
    found += [casadi.fmin(a, b), casadi.fmax(a, b), casadi.atan2(a, b), casadi.fmod(a, b), a**b, a**3]
    found += [a < b, a <= b, a == b, a != b, casadi.logic_not(a < b), casadi.hypot(a, b), a * a, 2 * a]
    found += [casadi.logic_and(a < b, b < 1), casadi.logic_or(a < b, b < 0), casadi.copysign(a, -b)]
    found += [casadi.if_else(a < b, a, b), a + b, a - b, a * b, a / b]
    return casadi.Function("every", [x], [casadi.vertcat(*found)])


def carried_out(function, x, lanes):
    """The results (number, lanes) of a tape at arguments (number, lanes)."""
    tape = Tape(function)
    body = "Tape tape; tape.rows = ROWS; tape.constants = CONSTANTS; tape.w = W;"
    body += f"tape.count = {len(tape.rows)}; tape_lanes(&tape, GIVEN, FOUND);"
    arrays = ("const int *ROWS", "const double *CONSTANTS", "double *W", "const double *GIVEN")
    text = entry("carry", (*arrays, "double *FOUND"), body)
    found = np.empty((function.nnz_out(0), lanes))
    program = Program("\n".join([runtime(), tape_text(tape_lanes=lanes), text]))
    program.bound("carry", [tape.rows, tape.constants, tape.room(lanes), x, found])()
    return found


@pytest.mark.parametrize("lanes", [1, 4])
def test_tapes_have_the_digits_of_the_function(lanes):
    function = every_function()
    used = {function.instruction_id(k) for k in range(function.n_instructions())}
    assert len(used & FORMS.keys()) > 0.9 * len(FORMS)
    x = np.random.default_rng(1).uniform(0.5, 1, size=(2, lanes))
    theirs = np.array(function.map(lanes)(x))
    np.testing.assert_array_equal(carried_out(function, x, lanes), theirs)


def test_functions_that_solve_have_no_tape():
    x = casadi.MX.sym("x", 2)
    with pytest.raises(Unsupported, match="linear solves"):
        Tape(casadi.Function("f", [x], [casadi.solve(casadi.MX.eye(2), x)]))


def oscillators():
    """Three that are coupled by what is not linear, driven, with the work beside them."""
    t, x, p = casadi.SX.sym("t"), casadi.SX.sym("x", 7), casadi.SX.sym("p", 1)
    u, k = casadi.SX.sym("u", 1), casadi.SX.sym("k", 5)
    q, v = x[:3], x[3:6]
    stiff = casadi.DM([4.0, 900.0, 2.5e5])
    push = casadi.vertcat(u * casadi.cos(2 * t), 0, 0)
    a = push - stiff * q - p * casadi.sin(casadi.sum1(q)) - 0.1 * v
    rate = casadi.Function(
        "rate", [t, x, p, u, k], [casadi.vertcat(v, a, casadi.dot(push - 0.1 * v, v))]
    )

    def rates(times, states):
        return np.array(rate.map(len(times))(times[None], states.T, 0.7, 0.3, np.zeros((5, 1)))).T

    def linear(_t, _x):
        return np.eye(3), np.diag(np.array(stiff)[:, 0]), 0.1 * np.eye(3)

    return rate, SecondOrder(rates, linear, 3, 1e-9, 1e-12)


def compiled_run(rate, equations, x, last):
    """A run by compiled steps."""
    rounds, steps = StepRounds(rate, 3, NODES), []

    def settled(t, x, h, part):
        given = np.array([0.7]), np.array([0.3]), np.zeros(5)
        step = rounds.step(
            given, RULE, (SETTLED, ROUNDS), (1e-9, np.full(7, 1e-12)), linear_numbers(part),
            step_numbers(part, h),
        )  # fmt: skip
        found, evaluations = step(t, x, h)
        steps.append(evaluations)
        return found

    own = SecondOrder(equations.rates, equations.linear, 3, 1e-9, 1e-12, compiled=lambda: settled)
    return Collocation(own, 0.0, x, last), steps


def test_steps_are_those_of_numpy():
    rate, equations = oscillators()
    x = np.array([0.5, 0.1, 0.01, 0, 1.0, -2.0, 0.0])
    ours, evaluations = compiled_run(rate, equations, x, 5.0)
    theirs = Collocation(equations, 0.0, x, 5.0)
    while theirs.t < 5:
        ours.advance()
        theirs.advance()
        assert ours.t == theirs.t
        np.testing.assert_allclose(ours.x, theirs.x, rtol=1e-10, atol=1e-11)
        between = ours.t - 0.3 * (ours.t - theirs._piece.t)
        np.testing.assert_allclose(ours.inside()(between), theirs.inside()(between), atol=1e-11)
    assert all(each % NODES == 1 for each in evaluations)


def test_forces_without_value_are_no_step():
    t, x, p = casadi.SX.sym("t"), casadi.SX.sym("x", 2), casadi.SX.sym("p", 0)
    u, k = casadi.SX.sym("u", 0), casadi.SX.sym("k", 3)
    rate = casadi.Function("rate", [t, x, p, u, k], [casadi.vertcat(x[1], casadi.sqrt(x[0]))])
    none = np.zeros(0)
    own = Collocation(
        SecondOrder(lambda *_: np.zeros((1, 2)), lambda *_: (np.eye(1), np.eye(1), np.zeros((1, 1))),
                    1, 1e-9, 1e-12), 0.0, np.zeros(2), 1.0,
    )  # fmt: skip
    part = own._linear(0.0, np.zeros(2))
    step = StepRounds(rate, 1, NODES).step(
        (none, none, np.zeros(3)), RULE, (SETTLED, ROUNDS), (1e-9, np.full(2, 1e-12)),
        linear_numbers(part), step_numbers(part, 0.5),
    )  # fmt: skip
    assert step(0.0, np.array([-1.0, 0.0]), 0.5)[0] is None


def test_what_a_compiler_does_not_read_costs_nothing():
    often = 2 * START / 1000
    assert chosen(Engine.AUTO, 1000, often, read=0) is Engine.C
    assert chosen(Engine.AUTO, 1000, often / 4, read=0) is Engine.CASADI
    assert chosen(Engine.AUTO, 10**6, 150, read=0) is Engine.C
    assert chosen(Engine.AUTO, 10**6, 150) is Engine.CASADI
