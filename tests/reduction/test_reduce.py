"""Smaller models against the whole ones, exact modes and the bound of their error."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from scipy.linalg import solve_continuous_lyapunov

import routh as rt
from routh import ddt

x, y, z = rt.coordinates("x y z")
F = rt.input("F")
s = rt.space("s", 0, 1)
w = rt.field("w", over=s)
CANTILEVER = np.array([1.8751040687119611, 4.694091132974175, 7.854757438237613]) ** 2


@cache
def chain():
    T = (ddt(x) ** 2 + ddt(y) ** 2 + ddt(z) ** 2) / 2
    V = (x**2 + (y - x) ** 2 + (z - y) ** 2) / 2
    D = (ddt(x) ** 2 + (ddt(y) - ddt(x)) ** 2 + 2 * (ddt(z) - ddt(y)) ** 2) / 20
    system = rt.System(kinetic=T, potential=V, dissipation=D, forces={x: F})
    return rt.linearize(rt.equilibrium(system, {}))


@cache
def beam():
    T = rt.integral(ddt(w) ** 2 / 2, s)
    V = rt.integral(rt.diff(w, s, 2) ** 2 / 2, s)
    held = [rt.at(w, s, 0), rt.at(rt.diff(w, s), s, 0)]
    system = rt.System(kinetic=T, potential=V, constraints=held)
    return rt.linearize(rt.equilibrium(rt.discretize(system, {w: 12}), {}))


def gain(A, B, C, D, frequency):
    return C @ np.linalg.solve(1j * frequency * np.eye(len(A)) - A, B) + D


def test_the_error_of_a_balanced_model_is_within_its_bound():
    whole = rt.state_space(chain(), [z, ddt(x)])
    for order in (2, 4, 5):
        found = rt.reduce(whole, order=order)
        off = [
            np.linalg.norm(gain(*whole, f) - gain(*found.reduced, f), 2)
            for f in np.concatenate([[0.0], np.geomspace(1e-3, 1e3, 2000)])
        ]
        assert 0.1 * found.bound < max(off) <= found.bound * (1 + 1e-9)
        assert (np.linalg.eigvals(found.reduced.A).real < 0).all()
    A, B, C, _ = whole
    reach, sight = solve_continuous_lyapunov(A, -B @ B.T), solve_continuous_lyapunov(A.T, -C.T @ C)
    squares = np.linalg.eigvals(reach @ sight).real
    np.testing.assert_allclose(found.hankel, np.sqrt(np.sort(squares)[::-1]), rtol=1e-6)


def test_balanced_states_of_full_order_are_the_whole_model():
    whole = rt.state_space(chain(), [z])
    found = rt.reduce(whole, order=6)
    assert found.bound == 0
    for f in (0.0, 0.5, 3.0):
        np.testing.assert_allclose(gain(*found.reduced, f), gain(*whole, f), rtol=1e-9)


def test_modes_that_are_kept_are_those_of_the_whole_model():
    found = rt.reduce(chain(), modes=2)
    exact = 2 * np.sin(np.pi * np.array([1, 3]) / 14)  # fixed at one end
    np.testing.assert_allclose(found.frequencies, exact, rtol=1e-12)
    np.testing.assert_allclose(found.M, np.eye(2), atol=1e-12)
    all_kept = rt.reduce(chain(), modes=3).state_space([z])
    whole = rt.state_space(chain(), [z])
    np.testing.assert_allclose(gain(*all_kept, 0.7), gain(*whole, 0.7), rtol=1e-10)


def test_craig_and_bampton_converge_to_the_exact_modes_of_a_beam_from_above():
    end = [rt.at(w, s, 1), rt.at(rt.diff(w, s), s, 1)]
    off = []
    for count in (0, 1, 2, 4, 8):
        found = rt.reduce(beam(), modes=count, interface=end)
        assert found.basis.shape[1] == 2 + count
        off.append(found.frequencies[:2] / CANTILEVER[:2] - 1)
    off = np.array(off)
    assert (off > -1e-9).all()
    assert (np.diff(off, axis=0) < 0).all()
    assert off[0, 0] < 0.01
    assert off[-1].max() < 2e-5
    # two elements' worth of static shapes is the one-element beam: omega^2 of the cubic, exact
    K, M = np.array([[12, -6], [-6, 4]]), np.array([[156, -22], [-22, 4]]) / 420
    element = np.sqrt(np.sort(np.linalg.eigvals(np.linalg.solve(M, K)).real))
    first = rt.reduce(beam(), modes=0, interface=end).frequencies
    np.testing.assert_allclose(first, element, rtol=1e-8)


def test_interfaces_are_the_first_coordinates_of_the_reduced_model():
    found = rt.reduce(beam(), modes=2, interface=[rt.at(w, s, 1)])
    C = found.state_space([rt.at(w, s, 1)]).C
    np.testing.assert_allclose(C, [[1, 0, 0, 0, 0, 0]], atol=1e-9)


def test_a_reduced_system_has_the_modes_of_the_reduced_model():
    found = rt.reduce(chain(), modes=2)
    rest = rt.equilibrium(found.system, {})
    again = rt.state_space(rt.linearize(rest))
    A = found.state_space().A
    key = np.sort_complex
    np.testing.assert_allclose(key(np.linalg.eigvals(again.A)), key(np.linalg.eigvals(A)), rtol=1e-9)
    np.testing.assert_allclose(np.abs(again.B), np.abs(found.state_space().B), atol=1e-12)


def test_gyroscopic_forces_stay_in_a_reduced_system():
    r = rt.rotation(rt.t) @ rt.vector(x, y)
    table = rt.System(kinetic=rt.norm2(ddt(r)) / 2, potential=4 * x**2 + 9 * y**2)
    linear = rt.linearize(rt.equilibrium(table, {}))
    again = rt.linearize(rt.equilibrium(rt.reduce(linear, modes=2).system, {}))
    np.testing.assert_allclose(rt.modes(again).eigenvalues, rt.modes(linear).eigenvalues, rtol=1e-10)


@pytest.mark.parametrize("seed", range(6))
def test_bounds_of_random_balanced_models_hold(seed):
    """The largest difference over frequencies, resonances among them; to the rounding of both."""
    rng, n = np.random.default_rng(seed), 3
    q = rt.coordinates("q1 q2 q3")
    v = [ddt(each) for each in q]

    def form(scale, s):
        A = rng.normal(size=(n, n))
        P = scale * (A @ A.T + 0.1 * np.eye(n))
        return sum(P[i, j] * s[i] * s[j] for i in range(n) for j in range(n)) / 2

    system = rt.System(
        kinetic=form(1.0, v), potential=form(10.0 ** rng.integers(-2, 3), q),
        dissipation=form(10.0 ** rng.integers(-2, 1), v), forces={q[0]: F},
    )  # fmt: skip
    space = rt.state_space(rt.linearize(rt.equilibrium(system, {})), [q[2], v[0]])
    w = np.concatenate([[0], np.geomspace(1e-3, 1e3, 600), np.abs(np.linalg.eigvals(space.A).imag)])

    def answer(model):
        s = 1j * w[:, None, None]
        return model.C @ np.linalg.solve(s * np.eye(len(model.A)) - model.A, model.B) + model.D

    for order in range(1, 6):
        found = rt.reduce(space, order=order)
        off = np.linalg.norm(answer(space) - answer(found.reduced), 2, axis=(1, 2)).max()
        assert off <= found.bound * (1 + 1e-7)
        assert (np.linalg.eigvals(found.reduced.A).real < 0).all()


def undamped():
    system = rt.System(kinetic=ddt(x) ** 2 / 2, potential=x**2, forces={x: F})
    return rt.linearize(rt.equilibrium(system, {}))


MISTAKES = {
    "no number": (lambda: rt.reduce(chain()), "`modes` must be a number from 1 to 3.*Got None"),
    "too many": (lambda: rt.reduce(chain(), modes=9), "`modes` must be a number from 1 to 3.*Got 9"),
    "an order of a linear model": (lambda: rt.reduce(chain(), order=2), "reduce.state_space.linear, outputs., order="),
    "modes of a state space": (lambda: rt.reduce(rt.state_space(chain()), modes=1), "is reduced by `order`"),
    "a number": (lambda: rt.reduce(3, modes=1), "reduce needs a LinearModel.*Got an int"),
    "a velocity": (lambda: rt.reduce(chain(), modes=1, interface=[ddt(x)]), "contains a velocity"),
    "a motion that does not decay": (lambda: rt.reduce(rt.state_space(undamped()), order=1), "motions all decay"),
    "an empty list": (lambda: rt.reduce(chain(), modes=1, interface=[]), "`interface` must hold at least one expression"),
    "an unknown name": (lambda: rt.reduce(chain(), modes=1, interface="xx"), "An interface is 'xx'"),
    "one that does not move": (lambda: rt.reduce(chain(), modes=1, interface=[x**2]), "The interface `x.*2` does not move"),
    "interfaces that depend": (lambda: rt.reduce(chain(), modes=1, interface=[x, 2 * x]), "depend on each other"),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_are_told_in_a_sentence(mistake):
    make, said = MISTAKES[mistake]
    with pytest.raises((rt.DeclarationError, rt.DerivationError), match=said):
        make()
