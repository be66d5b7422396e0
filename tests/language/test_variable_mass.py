"""Masses that change: chains and rockets against exact solutions, and what must be said about them."""

from __future__ import annotations

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad

import routh as rt
from depth import cases

G = 9.81


def heap(accretion, **intake):
    x, (mu, g) = rt.coordinate("x"), rt.parameters("mu g")
    end = rt.variable_mass(mu * x, rt.vector(x), accretion=accretion, **intake)
    return rt.System(kinetic=end.kinetic, potential=-mu * g * x**2 / 2, forces=end.forces), x


@pytest.mark.parametrize(
    ("accretion", "intake", "share"),
    [("energy", {}, 2), ("momentum", {"intake": rt.vector(0)}, 3)],
)
def test_a_chain_from_a_heap(accretion, intake, share):
    """It falls with g/2 where energy is kept, and with g/3 where momentum is."""
    system, x = heap(accretion, **intake)
    a = G / share
    start = 0.1
    motion = rt.simulate(
        system, {"mu": 0.7, "g": G}, {x: start, x.rate: np.sqrt(2 * a * start)}, np.linspace(0, 1, 11)
    )
    t0 = np.sqrt(2 * start / a)
    assert motion.q[:, 0] == pytest.approx(a * (motion.t + t0) ** 2 / 2, rel=1e-8)
    assert motion.a[:, 0] == pytest.approx(a, rel=1e-8)


def test_the_rule_changes_the_equation_by_the_terms_of_pesce():
    plain, x = heap("energy")
    other, _ = heap("momentum", intake=rt.vector(0))
    mu = plain.parameters[1]
    one = rt.equations(plain, simplify=0).residual[0]
    two = rt.equations(other, simplify=0).residual[0].subs(other.coordinates[0], x)
    two = two.subs({other.coordinates[0].rate: x.rate, other.coordinates[0].rate.rate: x.rate.rate})
    assert sympy.simplify(two - one - mu * x.rate**2 / 2) == 0


def test_the_folded_falling_chain():
    """Calkin and March: v^2 = g x (2L - x)/(L - x); it falls faster than a free body."""
    x, (mu, g, L) = rt.coordinate("x"), rt.parameters("mu g L")
    arm = rt.variable_mass(mu * (L - x) / 2, rt.vector(x), accretion="energy")
    chain = rt.System(kinetic=arm.kinetic, potential=-mu * g * x * (2 * L - x) / 4)
    values = {"mu": 2.0, "g": G, "L": 1.5}
    until = rt.event(x - 0.99 * 1.5, stop=True)
    motion = rt.simulate(chain, values, {}, np.linspace(0, 1, 201), events=until, rtol=1e-11)
    q, v = motion.q[1:, 0], motion.v[1:, 0]
    assert v**2 == pytest.approx(G * q * (3.0 - q) / (1.5 - q), rel=1e-8)

    def rate(s):  # dt/ds with x = L s^2, free of the root at the start
        return 2 * np.sqrt(1.5 / G) * np.sqrt((1 - s**2) / (2 - s**2))

    assert motion.t[-1] == pytest.approx(quad(rate, 0, np.sqrt(0.99), epsabs=1e-13)[0], rel=1e-9)
    whole = quad(lambda s: rate(np.sin(s)) * np.cos(s), 0, np.pi / 2, epsabs=1e-14)[0]
    assert whole / np.sqrt(2 * 1.5 / G) == pytest.approx(0.847213084793977111, rel=1e-13)


def test_a_rocket_by_its_equation():
    x, (m0, burn, c) = rt.coordinate("x"), rt.parameters("m0 burn c")
    m = m0 - burn * rt.t
    gas = rt.vector(x.rate - c)
    body = rt.variable_mass(m, rt.vector(x), accretion="momentum", intake=gas)
    rocket = rt.System(kinetic=body.kinetic, forces=body.forces)
    values = {"m0": 10.0, "burn": 1.5, "c": 3.0}
    motion = rt.simulate(rocket, values, {}, np.linspace(0, 5, 51))
    assert motion.v[:, 0] == pytest.approx(3.0 * np.log(10 / (10 - 1.5 * motion.t)), rel=1e-8)


def test_mass_that_leaves_without_a_push_changes_nothing():
    x, y = rt.coordinates("x y")
    r = rt.vector(x, y)
    leak = rt.variable_mass(3 - rt.t, r, accretion="momentum", intake=rt.ddt(r))
    system = rt.System(kinetic=leak.kinetic, forces=leak.forces)
    motion = rt.simulate(system, {}, {x.rate: 1.0, y.rate: -2.0}, np.linspace(0, 2, 5))
    assert motion.v == pytest.approx(np.tile([1.0, -2.0], (5, 1)), rel=1e-9)


@cases(10)
@given(st.floats(0.2, 3.0), st.floats(0.2, 2.0))
def test_energy_is_kept_by_one_rule_and_momentum_by_the_other(speed, density):
    """A sled that picks up snow at rest: m x' stays; one that unrolls a carpet keeps m x'^2."""
    x = rt.coordinate("x")
    for accretion, kept in (("energy", 2), ("momentum", 1)):
        intake = {"intake": rt.vector(0)} if accretion == "momentum" else {}
        sled = rt.variable_mass(1 + density * x, rt.vector(x), accretion=accretion, **intake)
        system = rt.System(kinetic=sled.kinetic, forces=sled.forces or None)
        motion = rt.simulate(system, {}, {x.rate: speed}, np.linspace(0, 2, 21))
        held = (1 + density * motion.q[:, 0]) * motion.v[:, 0] ** kept
        assert held == pytest.approx(speed**kept, rel=1e-7)


def test_the_reeling_tether_of_a_hanging_kite():
    """Pseudo-Atwood: l'' = g (m_u + m_k)/(m_full + m_k), multiplier (m_k + m_u)(g - l'')/l."""
    z, l = rt.coordinates("z l")
    mu, full, mk, g = rt.parameters("mu full mk g")
    hanging = rt.variable_mass(
        mk + mu * z, rt.vector(z), accretion="momentum", intake=rt.vector(z.rate)
    )
    wound = rt.variable_mass(
        full - mu * l, rt.vector(l), accretion="momentum", intake=rt.vector(l.rate)
    )
    system = rt.System(
        kinetic=[hanging.kinetic, wound.kinetic],
        potential=-g * (mk * z + mu * z**2 / 2),
        forces=[*hanging.forces, *wound.forces],
        constraints=[(z**2 - l**2) / 2],
    )
    values = {"mu": 0.05, "full": 3.0, "mk": 0.8, "g": G}
    motion = rt.simulate(system, values, {z: 10.0, l: 10.0}, np.linspace(0, 1.5, 16))
    length = motion.q[:, 1]
    expected = G * (0.05 * length + 0.8) / (3.0 + 0.8)
    assert motion.a[:, 1] == pytest.approx(expected, rel=1e-8)
    tension = (0.8 + 0.05 * length) * (G - expected) / length
    assert motion.multipliers[:, 0] == pytest.approx(tension, rel=1e-8)


UNSAID = {
    "no rule": (rt.variable_mass, r"depends on `x`, so it must be said.*intake="),
    "no rule in time": (lambda x, r: rt.variable_mass(2 - rt.t, r), r"depends on `t`"),
    "energy in time": (
        lambda x, r: rt.variable_mass(2 - rt.t, r, accretion="energy"), "depends on position alone"),
    "a wrong rule": (lambda x, r: rt.variable_mass(x, r, accretion="energie"), "Did you mean `energy`"),
    "no intake": (lambda x, r: rt.variable_mass(x, r, accretion="momentum"), "needs `intake`"),
    "an intake too many": (
        lambda x, r: rt.variable_mass(x, r, accretion="energy", intake=r), "for accretion=\"momentum\""),
    "an intake of a constant": (
        lambda x, r: rt.variable_mass(2, r, intake=r), "a mass that is constant"),
    "a velocity": (lambda x, r: rt.variable_mass(x.rate, r, accretion="energy"), "which is a velocity"),
    "wrong size": (
        lambda x, r: rt.variable_mass(x, r, accretion="momentum", intake=rt.vector(0, 0)), "Got 2 and 1"),
    "a body": (lambda x, r: rt.rigid_body(x, 1, rt.vector(x, 0), x), r"Use variable_mass\(mass, r"),
}  # fmt: skip


@pytest.mark.parametrize("case", UNSAID)
def test_what_must_be_said(case):
    make, sentence = UNSAID[case]
    x = rt.coordinate("x")
    with pytest.raises(rt.DeclarationError, match=sentence):
        make(x, rt.vector(x))


def test_a_constant_mass_needs_no_rule():
    x, m = rt.coordinate("x"), rt.parameter("m")
    plain = rt.variable_mass(m, rt.vector(x))
    assert plain.forces == ()
    assert sympy.simplify(plain.kinetic - m * x.rate**2 / 2) == 0
