"""What every export is held to: points by `dynamics`, a motion by `simulate`, a linear model by `linearize`.

None of these go through what is exported. A model is anything with `rate`, `matrices`, `linear` and
`energies` of t, x, u and p.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import sympy
from scipy.integrate import solve_ivp

import routh as rt
from routh.exports.subject import subject
from ten_systems import ten

RESTS = {
    "double_pendulum": {},
    "cart_pole": {"guess": {"theta": 3.0}, "inputs": {"F": 0.0}},
    "cartesian_pendulum": {"guess": {"y": -1.0}},
    "rotating_table": {},
    "beam": {},
    "kite": {"guess": {"x": 4.0, "y": -1.0, "z": -4.0}, "inputs": {"roll": 0.0, "length": 6.0}},
    "friction": {"guess": {"x": 0.7}},
}
"""Where there are rests, and where to look for them."""


@cache
def given_subject(name):
    given = ten(name)
    return subject(given.system, given.values, None, "export")


def numbers(name):
    given = ten(name)
    return np.array([given.values[p.name] for p in given.system.parameters], dtype=float)


def signals(name, inputs):
    """The numbers of `u`, inputs being constants."""
    return np.array([float(inputs.get(str(s), 0.0)) for s in given_subject(name).functions.signals])


@cache
def points(name):
    """Random states, and M, the energies and x' there."""
    given, random, found = ten(name), np.random.default_rng(7), []
    system, n = given.system, len(given.system.coordinates)
    start = [given.start.get(str(s), 0.0) for s in (*system.coordinates, *system.velocities)]
    for _ in range(3):
        x = np.array(start) + 0.2 * random.normal(size=2 * n)
        inputs = {str(s): value + random.normal() for s, value in given.inputs.items()}
        at = rt.dynamics(system, given.values, x[:n], x[n:], inputs=inputs, time=0.3)
        u = signals(name, inputs)
        found.append((0.3, x, u, at.M, np.concatenate([x[n:], at.a]), at.multipliers))
    return found


@cache
def motion(name):
    """The last state of the motion, and the energies at its end."""
    given = ten(name)
    inputs = {s: float(value) for s, value in given.inputs.items()} or None
    return rt.simulate(
        given.system,
        given.values,
        given.start,
        [0.0, given.until],
        inputs=inputs,
        rtol=1e-11,
        progress=False,
    )


@cache
def linear(name):
    """The rest, and the eigenvalues about it."""
    given = ten(name)
    rest = rt.equilibrium(given.system, given.values, **RESTS[name])
    return rest, rt.linearize(rest)


def hold_points(name, model):
    """M, f and x' are those of `dynamics`."""
    p = numbers(name)
    for t, x, u, M, rate, _ in points(name):
        found = model.matrices(t, x, u, p)
        np.testing.assert_allclose(found[0], M, rtol=1e-10, atol=1e-10 * np.abs(M).max())
        own = model.rate(t, x, u, p)
        np.testing.assert_allclose(own, rate, rtol=1e-8, atol=1e-8 * np.abs(rate).max())


def hold_motion(name, model, rtol=1e-9, close=1e-6):
    """A motion by another integrator ends where that of `simulate` does, with its energy."""
    given, found, p = ten(name), motion(name), numbers(name)
    u = signals(name, given.inputs)
    first = np.concatenate([found.q[0], found.v[0]])
    run = solve_ivp(
        lambda t, x: model.rate(t, x, u, p), [0, given.until], first, "DOP853", rtol=rtol, atol=1e-11
    )
    last = np.concatenate([found.q[-1], found.v[-1]])
    np.testing.assert_allclose(run.y[:, -1], last, atol=close * np.abs(last).max())
    energy = np.ravel(model.energies(given.until, last, u, p))[0]
    np.testing.assert_allclose(energy, found.energy[-1], rtol=1e-10, atol=1e-9)


def hold_linear(name, model):
    """Eigenvalues about a rest are those of `linearize`; constraints add two zeros each."""
    if name not in RESTS:
        return
    rest, about = linear(name)
    n, p = len(rest.q), numbers(name)
    u = signals(name, RESTS[name].get("inputs", {}))
    A = model.linear(0.0, np.concatenate([rest.q, np.zeros(n)]), u, p)[0]
    own = np.linalg.eigvals(A)
    known = np.linalg.eigvals(rt.state_space(about).A)
    added = 2 * n - len(known)
    assert added == 2 * len(rest.system.constraints)
    size = np.abs(known).max()
    far = np.sort(np.abs(own))[added:] if added else None
    assert far is None or np.sort(np.abs(own))[:added].max() < 1e-6 * size
    for one in known:
        assert np.abs(own - one).min() < 1e-7 * size


def every_word(x):
    """A force that is made of all functions."""
    terms = [
        sympy.sign(x), abs(x), sympy.Max(x, 0.2), sympy.Min(x, 0.3), sympy.floor(3 * x), sympy.ceiling(3 * x),
        sympy.atan2(x, 2), sympy.asinh(x), sympy.atanh(x / 9), sympy.acosh(2 + x**2), sympy.erf(x), sympy.sinc(x),
        sympy.Piecewise((x**2, x > 0.4), (sympy.exp(-x), x <= -0.1), (sympy.log(3 + x), True)),
        sympy.Heaviside(x), sympy.Mod(x, 0.7), (2 + x) ** sympy.Rational(7, 3), sympy.tan(x), sympy.asin(x / 9),
        sympy.acos(x / 9), sympy.atan(x), sympy.sinh(x), sympy.cosh(x), sympy.tanh(x), sympy.sqrt(4 + x),
        sympy.Piecewise((1.0, sympy.And(x > -0.5, x < 0.5)), (2.0, sympy.Or(x > 2, x < -2)), (3.0, True)),
    ]  # fmt: skip
    return sum((k + 1) * e for k, e in enumerate(terms))


PLACES = (-1.4, -0.3, -0.05, 0.25, 0.45, 1.3, 2.6)
"""Where they are compared: on each side of every switch."""
