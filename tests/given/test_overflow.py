"""Numbers too large or too small to compute with: a sentence, never an error of a library below."""

from __future__ import annotations

import numpy as np
import pytest

import routh as rt
from routh import ddt, exp

x, (m, k, c) = rt.coordinate("x"), rt.parameters("m k c")
SPRING = rt.System(kinetic=m / 2 * ddt(x) ** 2, potential=k / 2 * x**2, dissipation=c / 2 * ddt(x) ** 2)
STEEP = rt.System(kinetic=m / 2 * ddt(x) ** 2, potential=k * exp(c * x) - x * k * c * exp(300))
USUAL = {"m": 1, "k": 1, "c": 1}
VERBS = {
    "equilibrium": lambda values: rt.equilibrium(SPRING, values),
    "equilibria": lambda values: rt.equilibria(SPRING, values, within={x: (-1, 1)}),
    "simulate": lambda values: rt.simulate(SPRING, values, {x: 1}, [0, 1]),
}


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("value", [1e308, -1e101, 10**400, 2.0**1000])
def test_numbers_whose_products_overflow_are_refused(verb, value):
    with pytest.raises(rt.DeclarationError, match=r"`c` in `values` must be at most 1e\+100 in size"):
        VERBS[verb](USUAL | {"c": value})


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("value", [1e-308, 5e-324, -1e-101])
def test_numbers_whose_products_vanish_are_refused(verb, value):
    with pytest.raises(
        rt.DeclarationError, match="`m` in `values` must be 0 or at least 1e-100 in size"
    ):
        VERBS[verb](USUAL | {"m": value})


def test_a_default_is_no_way_round():
    huge = rt.System(kinetic=m / 2 * ddt(x) ** 2, potential=rt.parameter("h", 1e200) * x**2)
    with pytest.raises(rt.DeclarationError, match="The default of `h` must be at most"):
        rt.equilibrium(huge, {"m": 1})


def test_other_numbers_have_the_same_bound():
    with pytest.raises(rt.DeclarationError, match="`times` must be at most"):
        rt.simulate(SPRING, USUAL, {x: 1}, [0, 1e200])
    with pytest.raises(rt.DeclarationError, match="`x` in `guess` must be at most"):
        rt.equilibrium(SPRING, USUAL, guess={x: 1e200})
    with pytest.raises(rt.DeclarationError, match="`to` must be at most"):
        rt.follow(rt.equilibrium(SPRING, USUAL), "k", 1e200)
    assert rt.equilibrium(SPRING, USUAL, guess={x: 1e-300}).converged


def test_numbers_at_the_bounds_are_computed_with():
    """x'' + x' 1e50 + x = 0 decays like exp(-1e-50 t) and exp(-1e50 t)."""
    found = rt.modes(rt.linearize(rt.equilibrium(SPRING, USUAL | {"c": 1e50})))
    assert sorted(found.eigenvalues.real) == pytest.approx([-1e50, -1e-50], rel=1e-12)
    found = rt.modes(rt.linearize(rt.equilibrium(SPRING, {"m": 1e-100, "k": 1e100, "c": 0})))
    assert found.frequencies == pytest.approx([1e100], rel=1e-12)


def test_a_linear_model_that_overflows_is_refused_or_left_out():
    """K = k c^2 exp(300) at x = 300/c: 1.9e130 for c = 1, and 1.9e170 for c = 1e20."""
    rest = rt.equilibrium(STEEP, USUAL, guess={x: 300})
    assert rt.linearize(rest).K[0, 0] == pytest.approx(np.exp(300.0), rel=1e-12)
    stiff = rt.equilibrium(STEEP, USUAL | {"c": 1e20}, guess={x: 300e-20})
    with pytest.raises(rt.SolveError, match=r"an entry of `K \+ H` is not finite or beyond 1e\+150"):
        rt.linearize(stiff)
    both = rt.equilibrium(
        STEEP, USUAL | {"c": np.array([1, 1e20])}, guess={x: np.array([300, 300e-20])}
    )
    linear = rt.linearize(both)
    assert both.converged.all()
    assert np.isfinite(linear.K[0]).all()
    assert np.isnan(linear.K[1]).all()
    assert np.isfinite(rt.modes(linear).eigenvalues[0]).all()


def test_a_motion_whose_equations_overflow_is_stuck():
    runaway = rt.System(kinetic=ddt(x) ** 2 / 2, potential=-exp(x**2))
    motion = rt.simulate(runaway, {}, {x: 1.0}, [0, 10.0])
    assert motion.status is rt.Status.STUCK
    assert not motion.completed
    damped = rt.System(kinetic=ddt(x) ** 2 / 2, potential=-exp(x**2), dissipation=1e99 * ddt(x) ** 2)
    assert isinstance(rt.simulate(damped, {}, {x: 26.0}, [0, 1.0], method="Radau").status, rt.Status)
