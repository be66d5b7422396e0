"""Frequencies around modes: by equal factors, none on an undamped resonance."""

from __future__ import annotations

import numpy as np
import pytest

import routh as rt
from routh import ddt
from routh.analysis.stability.frequencies_around import formal, frequencies_around, frequency_range

x, y = rt.coordinates("x y")
k, c = rt.parameters("k c")


def modes(**values):
    system = rt.System(
        kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2,
        potential=(x**2 + k * y**2) / 2,
        dissipation=c * (ddt(x) ** 2 + ddt(y) ** 2) / 2,
    )
    return rt.modes(rt.linearize(rt.equilibrium(system, values)))


@pytest.mark.parametrize("points", [2, 3, 5, 21, 201])
def test_no_frequency_stands_on_an_undamped_resonance(points):
    found = modes(k=100.0, c=0.0)
    low, high = frequency_range(found)
    assert (low, high) == pytest.approx((0.1, 100.0), rel=1e-12)
    w = frequencies_around(found, low, high, points)
    assert len(w) == points
    assert (np.diff(w) > 0).all()
    step = np.log(high / low) / (points - 1)
    away = np.abs(np.log(w[:, None] / [1.0, 10.0])).min(axis=1)
    assert (away[1:-1] > 0.2 * step).all()
    assert (w[0], w[-1]) == (low, high)  # a tenth of the lowest, ten times the highest


def test_damped_resonances_stay_among_them():
    found = modes(k=100.0, c=0.4)
    w = frequencies_around(found, *frequency_range(found), 301)
    np.testing.assert_allclose(np.diff(np.log(w)), np.log(1000) / 300, rtol=1e-9)


def test_answers_are_formal_about_an_unstable_equilibrium_alone():
    assert formal(modes(k=4.0, c=0.1).stability) == ""
    assert "no motion settles" in formal(modes(k=-4.0, c=0.1).stability)
