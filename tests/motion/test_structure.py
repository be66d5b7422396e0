"""What the variational method keeps: the symplectic form, momenta, the group of rotations, constraints.

Steps are counted as those of the discrete action: nine make a composed step of order six.
"""

from __future__ import annotations

import numpy as np
import pytest
import sympy
from scipy.special import ellipj, ellipk

import routh as rt
from routh import ddt
from routh.kernels.discrete_action import STAGES, variational
from routh.numerics.symplectic import symplectic_error

NONE = np.zeros(0)


def spherical_pendulum():
    x, y, z = rt.coordinates("x y z")
    kinetic = (ddt(x) ** 2 + ddt(y) ** 2 + ddt(z) ** 2) / 2
    return rt.System(kinetic=kinetic, potential=z, constraints=[x**2 + y**2 + z**2 - 1])


def pendulum():
    x, y = rt.coordinates("x y")
    kinetic = (ddt(x) ** 2 + ddt(y) ** 2) / 2
    return rt.System(kinetic=kinetic, potential=y, constraints=[x**2 + y**2 - 1])


def turned(R, spin):
    """The state of a rotation and its spin, as the engine takes it."""
    start = R.start(spin=spin)
    return np.array([*(start[q] for q in R.coordinates), *(start[q.rate] for q in R.coordinates), 0.0])


def free_body(R):
    omega = rt.angular_velocity(R)
    kinetic = (omega[0] ** 2 + 2 * omega[1] ** 2 + 3 * omega[2] ** 2) / 2
    return rt.System(kinetic=kinetic, constraints=R.constraints)


def from_angles(w):
    """(q, v) on the sphere, of polar angle, azimuth and their momenta."""
    a, b, pa, pb = w
    u, along = np.array([np.cos(b), np.sin(b), 0]), np.array([-np.sin(b), np.cos(b), 0])
    up = np.array([0, 0, 1.0])
    q = np.sin(a) * u + np.cos(a) * up
    v = pa * (np.cos(a) * u - np.sin(a) * up) + pb / np.sin(a) * along
    return np.array([*q, *v, 0.0])


def to_angles(x):
    q, v = x[:3], x[3:6]
    a, b = np.arccos(q[2]), np.arctan2(q[1], q[0])
    return np.array([a, b, -v[2] / np.sin(a), q[0] * v[1] - q[1] * v[0]])


def test_a_step_on_a_sphere_is_symplectic():
    """In angles and momenta of the sphere, by central differences; the steps are far from exact."""
    engine, w, d = variational(spherical_pendulum()), np.array([1.8, 0.3, 0.2, 0.7]), 1e-5
    stepped = [
        [to_angles(engine.stepped(from_angles(w + s * d * e), NONE, 0.8, 2)) for s in (1, -1)]
        for e in np.eye(4)
    ]
    grown = np.array([(plus - minus) / (2 * d) for plus, minus in stepped]).T
    coarse, fine = (engine.stepped(from_angles(w), NONE, 1.6 / k, k) for k in (2, 16))
    assert np.abs(coarse - fine)[:6].max() > 1e-2
    assert symplectic_error(grown) < 2e-9  # differences leave d^2
    grown[0, 0] += 1e-4  # what is not symplectic is seen
    assert symplectic_error(grown) > 1e-6


def test_steps_on_a_sphere_are_of_order_six_and_go_back():
    system = spherical_pendulum()
    start = from_angles(np.array([1.1, 0.3, 0.4, 0.5]))
    names = [*system.coordinates, *system.velocities]
    exact = rt.simulate(
        system, {}, dict(zip(names, start[:6], strict=True)), [0, 4], method="DOP853", rtol=1e-13
    )
    engine, off = variational(system), []
    for count in (8, 16, 32):
        reached = engine.stepped(start, NONE, 4 / count, count)
        off.append(np.abs(reached[:6] - np.concatenate([exact.q[-1], exact.v[-1]])).max())
    assert np.log2(off[1] / off[2]) == pytest.approx(6, abs=0.5)
    back = np.concatenate([reached[:3], -reached[3:6], [0.0]])
    returned = engine.stepped(back, NONE, 4 / 32, 32)
    assert returned[:6] == pytest.approx([*start[:3], *-start[3:6]], abs=1e-13)


def drift(engine, start, h, composed, outputs, values):
    """The largest phi and phi' on the way, and of each of some values how far it went from the first."""
    n = (len(start) - 1) // 2
    state, found, first = start, np.zeros(2), values(start[:n], start[n:-1])
    gone, half = np.zeros(len(first)), np.zeros(len(first))
    for k in range(outputs):
        state = engine.stepped(state, NONE, h, composed)
        q, v = state[:n], state[n:-1]
        found = np.maximum(found, [abs(q @ q - 1), abs(2 * q @ v)])
        gone = np.maximum(gone, np.abs(values(q, v) - first))
        half = gone if k < outputs // 2 else half
    return found, gone, half


def energy_of_pendulum(q, v):
    return np.array([v @ v / 2 + q[1]])


def test_a_pendulum_stays_on_its_circle_for_ten_thousand_steps():
    engine, start = variational(pendulum()), np.array([1.0, 0, 0, 0, 0])
    count = 10_000 // len(STAGES) // 10 + 1
    held, energy, half = drift(engine, start, 0.4, count, 10, energy_of_pendulum)
    assert held.max() < 1e-15
    assert energy[0] < 1e-4
    assert energy[0] < 2 * half[0]  # no drift: the second half does not go on from the first


@pytest.mark.slow
def test_a_pendulum_stays_on_its_circle_for_a_million_steps():
    engine, start = variational(pendulum()), np.array([1.0, 0, 0, 0, 0])
    count = 1_000_000 // len(STAGES) // 100 + 1
    held, energy, half = drift(engine, start, 0.4, count, 100, energy_of_pendulum)
    assert held.max() < 2e-15
    assert energy[0] < 1e-4
    assert energy[0] < 1.2 * half[0]


@pytest.mark.parametrize("made", [rt.quaternion, rt.rotation_matrix])
def test_a_tennis_racket_turns_over_on_its_group(made):
    """Euler's equations have the solution in elliptic functions (Landau and Lifshitz, section 37)."""
    R = made("e")
    body, spin = free_body(R), np.array([0.1, 1.0, 0.0])
    times = np.linspace(0, 10, 11)
    motion = rt.simulate(body, {}, R.start(spin=spin), times, method="variational", rtol=1e-8)
    assert motion.constraint_error < 1e-15
    assert motion.constraint_rate_error < 1e-14
    omega = rt.angular_velocity(R)
    momentum = rt.vector(*(k * w for k, w in zip((1, 2, 3), omega, strict=True)))
    for k, own in enumerate(R * momentum):  # the space is the same all round: Noether, to rounding
        assert motion[own] == pytest.approx(np.full(11, (0.1, 2.0, 0.0)[k]), abs=1e-12)
    assert motion.energy == pytest.approx(np.full(11, 0.005 + 1.0), rel=1e-7)
    assert motion[omega[1]].min() < -0.9
    assert motion[omega[1]] == pytest.approx(middle_spin(times, (1, 2, 3), spin), abs=1e-5)


def middle_spin(times, moments, spin):
    """The spin about the middle axis of a free body, from where it is largest; the square of the
    momentum is less than twice the energy times the middle moment.
    """
    I1, I2, I3 = moments
    twice = sum(i * w**2 for i, w in zip(moments, spin, strict=True))
    square = sum((i * w) ** 2 for i, w in zip(moments, spin, strict=True))
    below, above = square - twice * I1, twice * I3 - square
    assert square < twice * I2
    rate = np.sqrt((I2 - I1) * above / (I1 * I2 * I3))
    m = (I3 - I2) * below / ((I2 - I1) * above)
    return np.sqrt(below / (I2 * (I2 - I1))) * ellipj(rate * times + ellipk(m), m)[0]


def heavy_top(R):
    """A symmetric top with a fixed point: moments 1, 1, 1/2 about it, weight 1 at height 1 on its axis."""
    omega = rt.angular_velocity(R)
    kinetic = (omega[0] ** 2 + omega[1] ** 2 + omega[2] ** 2 / 2) / 2
    return rt.System(kinetic=kinetic, potential=R[2, 2], constraints=R.constraints)


def test_a_heavy_top_keeps_both_momenta_and_moves_as_by_angles():
    e = rt.quaternion("e")
    tilted = rt.rotation(sympy.Float(0.5), axis=rt.vector(1, 0, 0))
    times, spin = np.linspace(0, 5, 11), (0.0, 0.0, 5.0)
    motion = rt.simulate(
        heavy_top(e), {}, e.start(tilted, spin), times, method="variational", rtol=1e-9
    )
    omega = rt.angular_velocity(e)
    L = rt.vector(omega[0], omega[1], omega[2] / 2)
    for own in ((e * L)[2], L[2]):
        value = motion[own]
        assert np.ptp(value) < 1e-12
    assert motion.constraint_error < 1e-15
    assert motion.energy_error < 1e-8
    psi, theta, phi = rt.coordinates("psi theta phi")
    other = rt.simulate(
        heavy_top(rt.euler_angles("zxz", psi, theta, phi)), {}, {theta: 0.5, ddt(phi): 5.0}, times,
        rtol=1e-11,
    )  # fmt: skip
    assert motion[e[2, 2]] == pytest.approx(np.cos(other[theta]), abs=1e-6)


def test_energy_drifts_by_runge_kutta_and_not_by_the_discrete_action():
    """DOP853 with projection loses energy at a steady rate; the discrete action gives it back."""
    times = np.linspace(0, 400, 401)
    early, whole = {}, {}
    for method in ("variational", "DOP853"):
        motion = rt.simulate(pendulum(), {}, {"x": 1.0}, times, method=method, rtol=1e-5)
        off = np.abs(motion.energy - motion.energy[0])
        early[method], whole[method] = off[:41].max(), off.max()
        assert motion.constraint_error < 1e-13
    assert whole["variational"] < 1.5 * early["variational"]
    assert whole["DOP853"] > 5 * early["DOP853"]
    assert whole["DOP853"] > 20 * whole["variational"]
