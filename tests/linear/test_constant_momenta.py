"""Routh's reduction where cyclic and other velocities couple, so that every sign of it matters."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
import sympy

import routh as rt
from routh import cos, ddt, sin

CART = {"M": 2.0, "m": 0.7, "l": 1.3, "g": 9.81}
DRUM = {"I": 0.4, "m": 1.1, "b": 0.3, "k": 7.0, "a": 0.5}


def cart():
    """A pendulum on a cart that nothing holds: (M + m) x' + m l theta' cos(theta) is kept."""
    x, theta = rt.coordinates("x theta")
    M, m, l, g = rt.parameters("M m l g")
    r = rt.vector(x + l * sin(theta), -l * cos(theta))
    system = rt.System(kinetic=M * ddt(x) ** 2 / 2 + m * rt.norm2(ddt(r)) / 2, potential=m * g * r[1])
    return system, x, theta


def drum():
    """A mass on a spring along a spoke that turns, with a rotor geared to both motions."""
    r, phi = rt.coordinates("r phi")
    inertia, m, b, k, a = rt.parameters("I m b k a")
    T = (inertia + m * r**2) * ddt(phi) ** 2 / 2 + m * ddt(r) ** 2 / 2 + b * (1 + r) * ddt(phi) * ddt(r)
    return rt.System(kinetic=T, potential=k * (r - a) ** 2 / 2), r, phi


@cache
def reduced_of(make, cyclic):
    """Made once: whether a coordinate is cyclic is looked for at length."""
    system, *_ = make()
    gone = next(q for q in system.coordinates if q.name == cyclic)
    return system, gone, rt.routhian(system, gone, simplify=0)


def test_the_routhian_of_a_pendulum_on_a_free_cart():
    """By hand: R = m l^2 theta'^2/2 + m g l cos(theta) - (p - m l theta' cos(theta))^2/(2 (M + m))."""
    system, x, reduced = reduced_of(cart, "x")
    (theta,) = reduced.system.coordinates
    numbers = {s: value for s in system.parameters for name, value in CART.items() if s.name == name}
    p = reduced.momenta[x]
    draw = np.random.default_rng(3)
    M, m, l, g = (CART[name] for name in ("M", "m", "l", "g"))
    for _ in range(5):
        at, rate, momentum = draw.uniform(-2, 2, 3)
        here = numbers | {theta: at, theta.rate: rate, p: momentum}
        coupling = m * l * np.cos(at) * rate
        speed = (momentum - coupling) / (M + m)
        R = m * l**2 * rate**2 / 2 + m * g * l * np.cos(at) - (momentum - coupling) ** 2 / (2 * (M + m))
        assert float(reduced.velocities[x].subs(here)) == pytest.approx(speed, rel=1e-12)
        assert float(reduced.R.subs(here)) == pytest.approx(R, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize(
    ("make", "cyclic", "values"),
    [(cart, "x", CART), pytest.param(drum, "phi", DRUM, marks=pytest.mark.slow)],
)
def test_the_reduced_system_accelerates_as_the_whole_one_does(make, cyclic, values):
    """The accelerations of M a + h = Q of both, at random states with the momentum of the whole."""
    system, gone, reduced = reduced_of(make, cyclic)
    eq, part = rt.equations(system, simplify=0), rt.equations(reduced.system, simplify=0)
    numbers = {s: values[s.name] for s in system.parameters}
    (kept,) = reduced.system.coordinates
    draw = np.random.default_rng(8)
    for _ in range(4):
        here = numbers | {q: draw.uniform(0.2, 1) for q in system.coordinates}
        here |= {v: draw.uniform(-2, 2) for v in system.velocities}
        a = _accelerations(eq, here)[system.coordinates.index(kept)]
        i = system.coordinates.index(gone)
        momentum = float(eq.momenta[i].subs(here))
        own = here | {reduced.momenta[gone]: momentum}
        assert _accelerations(part, own)[0] == pytest.approx(a, rel=1e-10, abs=1e-10)
        assert float(reduced.velocities[gone].subs(own)) == pytest.approx(here[gone.rate], rel=1e-10)


def _accelerations(eq, here):
    number = lambda matrix: np.array(matrix.subs(here), dtype=float)  # noqa: E731
    return np.linalg.solve(number(eq.M), number(eq.Q - eq.h)[:, 0])


def test_the_linear_model_at_constant_momenta_is_that_of_the_routhian():
    """Second derivatives of R by hand: M_r = R_r'r', K = -R_rr at the steady motion of the whole."""
    system, r, phi = drum()
    steady = rt.equilibrium(system, DRUM, speeds={phi: 1.7}, guess={r: 0.9})
    linear = rt.linearize(steady).at_constant_momenta
    at, p = sympy.Symbol("at"), sympy.Symbol("p")
    rate = sympy.Symbol("rate")
    inertia, m, b, k, a = (DRUM[name] for name in ("I", "m", "b", "k", "a"))
    J = inertia + m * at**2
    R = m * rate**2 / 2 - k * (at - a) ** 2 / 2 - (p - b * (1 + at) * rate) ** 2 / (2 * J)
    place = float(steady.q[list(system.coordinates).index(r)])
    here = {at: place, rate: 0.0, p: float(J.subs(at, place)) * 1.7}
    assert linear.M[0, 0] == pytest.approx(float(R.diff(rate, 2).subs(here)), rel=1e-10)
    assert linear.K[0, 0] == pytest.approx(-float(R.diff(at, 2).subs(here)), rel=1e-10)


def test_two_coordinates_beside_a_cyclic_one_keep_their_gyroscopic_coupling():
    """G of the reduced model against R_vq - R_qv by hand: the part of C that both couplings make."""
    r, s, phi = rt.coordinates("r s phi")
    T = (1 + r**2 + s**2) * ddt(phi) ** 2 / 2 + (ddt(r) ** 2 + ddt(s) ** 2) / 2
    T += ddt(phi) * (ddt(r) * sympy.Rational(3, 10) - s * ddt(r) + ddt(s) * r / 2)
    system = rt.System(kinetic=T, potential=4 * (r - 1) ** 2 + 3 * (s - sympy.Rational(1, 2)) ** 2)
    steady = rt.equilibrium(system, {}, speeds={phi: 0.9}, guess={r: 1.0, s: 0.5})
    linear = rt.linearize(steady).at_constant_momenta
    x, y, u, w, p = sympy.symbols("x y u w p")
    coupling = u * sympy.Rational(3, 10) - y * u + w * x / 2
    R = (u**2 + w**2) / 2 - 4 * (x - 1) ** 2 - 3 * (y - sympy.Rational(1, 2)) ** 2
    R -= (p - coupling) ** 2 / (2 * (1 + x**2 + y**2))
    a, b = float(steady.q[0]), float(steady.q[1])
    here = {x: a, y: b, u: 0, w: 0, p: (1 + a**2 + b**2) * 0.9}
    F = np.array([[float(R.diff(v, q).subs(here)) for q in (x, y)] for v in (u, w)])
    assert pytest.approx(F - F.T, rel=1e-9, abs=1e-12) == linear.G
    assert abs(linear.G[0, 1]) > 0.1
    M = [[float(R.diff(v, other).subs(here)) for other in (u, w)] for v in (u, w)]
    assert pytest.approx(np.array(M), rel=1e-10) == linear.M
    K = [[-float(R.diff(q, other).subs(here)) for other in (x, y)] for q in (x, y)]
    assert pytest.approx(np.array(K), rel=1e-9, abs=1e-10) == linear.K
