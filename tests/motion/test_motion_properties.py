"""What must hold for every constrained system and every motion, tried on random ones."""

from __future__ import annotations

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

import routh as rt
from depth import cases
from random_systems import random_system, rational, smooth
from routh import ddt

seeds = st.integers(0, 10**6)
TIMES = np.linspace(0, 1, 6)


def both_ways(seed: int, *, damped: bool) -> tuple[rt.System, rt.System, list, list]:
    """A system of two coordinates and a third that depends on them: eliminated, and held by a constraint."""
    generator = np.random.default_rng(seed)
    q = list(rt.coordinates("q1 q2"))
    third = rt.coordinate("s")
    bound = smooth(generator, q) + rational(generator) * q[0]

    def parts(s: sympy.Expr) -> dict:
        seen = [*q, s]
        v = [ddt(each) for each in seen]
        stretch = sum((smooth(generator_of(1), seen) * x for x in v), sympy.S.Zero)
        loss = {"dissipation": (v[0] + v[2]) ** 2 / 5} if damped else {}
        push = {"forces": [rt.force([smooth(generator_of(3), seen)], at=[s])]} if damped else {}
        return {
            "kinetic": [sum(x**2 for x in v), stretch**2 / 2],
            "potential": 3 * q[0] ** 2 + 2 * q[1] ** 2 + s**2 + smooth(generator_of(2), seen),
            **loss,
            **push,
        }

    def generator_of(k: int) -> np.random.Generator:
        return np.random.default_rng([seed, k])

    held = rt.System(**parts(third), constraints=[2 * (third - bound)], coordinates=[*q, third])
    try:
        free = rt.System(**parts(bound), coordinates=q)
    except rt.DeclarationError:  # the bound contains no coordinate, so that a force on it does no work
        free = held
    return free, held, q, [third, bound]


@pytest.mark.slow
@cases(25)
@given(seeds)
def test_redundant_and_minimal_coordinates_move_alike(seed):
    free, held, q, (third, bound) = both_ways(seed, damped=True)
    start = {q[0]: 0.3, q[1]: -0.2, ddt(q[0]): 0.5, ddt(q[1]): 0.4}
    one = rt.simulate(free, {}, start, TIMES, rtol=1e-10)
    extra = {third: bound, ddt(third): ddt(bound)}
    numbers = {key: float(sympy.S(value).subs(start)) for key, value in extra.items()}
    other = rt.simulate(held, {}, start | numbers, TIMES, rtol=1e-10)
    np.testing.assert_allclose(other.q[:, :2], one.q[:, :2], atol=1e-7)
    np.testing.assert_allclose(other.v[:, :2], one.v[:, :2], atol=1e-7)
    assert other.constraint_error < 1e-13
    assert max(one.energy_error, other.energy_error) < 1e-7


@cases(25)
@given(seeds)
def test_redundant_and_minimal_coordinates_have_the_same_equilibria_and_eigenvalues(seed):
    free, held, q, _ = both_ways(seed, damped=True)
    one = rt.equilibrium(free, {}, raises=False)
    if not one.converged:
        return
    guess = dict(zip(q, one.q[:2], strict=True))
    other = rt.equilibrium(held, {}, guess=guess, raises=False)
    if not other.converged or not np.allclose(other.q[:2], one.q[:2], atol=1e-6):
        return  # another equilibrium was nearer in three coordinates
    np.testing.assert_allclose(other.q[:2], one.q[:2], atol=1e-9)
    found = [np.sort_complex(rt.modes(rt.linearize(rest)).eigenvalues) for rest in (one, other)]
    np.testing.assert_allclose(found[1], found[0], atol=1e-8)


@cases(20)
@given(seeds, st.integers(1, 3))
def test_power_is_balanced_whatever_acts(seed, n):
    system = random_system(seed, n)
    start = {x: 0.2 * (-1) ** k for k, x in enumerate((*system.coordinates, *system.velocities))}
    motion = rt.simulate(system, {}, start, TIMES)
    if motion.completed:
        assert motion.energy_error < 1e-7
    else:
        assert motion.status is not rt.Status.DOUBTFUL


@cases(15)
@given(seeds)
def test_a_conservative_motion_runs_back(seed):
    _, held, q, (third, bound) = both_ways(seed, damped=False)
    start = {q[0]: 0.3, q[1]: -0.2, ddt(q[0]): 0.5, ddt(q[1]): 0.4}
    extra = {third: bound, ddt(third): ddt(bound)}
    start |= {key: float(sympy.S(value).subs(start)) for key, value in extra.items()}
    there = rt.simulate(held, {}, start, TIMES, rtol=1e-11)
    names = (*held.coordinates, *held.velocities)
    state = np.concatenate([there.q[-1], -there.v[-1]])
    back = rt.simulate(held, {}, dict(zip(names, state, strict=True)), TIMES, rtol=1e-11)
    np.testing.assert_allclose(back.q[-1], there.q[0], atol=1e-7)
    np.testing.assert_allclose(-back.v[-1], there.v[0], atol=1e-7)


@cases(15)
@given(seeds, st.integers(1, 3))
def test_every_method_gives_the_same_motion(seed, n):
    system = random_system(seed, n, timed=False, forced=False, gyroscopic=False)
    start = {x: 0.2 * (-1) ** k for k, x in enumerate((*system.coordinates, *system.velocities))}
    runs = {
        method: rt.simulate(system, {}, start, TIMES, method=method, rtol=1e-9)
        for method in ("Adams", "DOP853", "variational")
    }
    for motion in runs.values():
        np.testing.assert_allclose(motion.q, runs["DOP853"].q, atol=1e-6)


@pytest.mark.slow
@cases(300)
@given(seeds)
def test_many_redundant_and_minimal_motions(seed):
    test_redundant_and_minimal_coordinates_move_alike.hypothesis.inner_test(seed)
    test_redundant_and_minimal_coordinates_have_the_same_equilibria_and_eigenvalues.hypothesis.inner_test(
        seed
    )
