"""The wind: its two laws, and what is said below the ground."""

from __future__ import annotations

import re

import numpy as np
import pytest

import routh as rt
from routh.models import kite

G = 9.81


def test_the_wind_grows_by_a_logarithm_or_a_power():
    speeds = [float(kite.wind(h, 8, reference=10, roughness=0.05)[0]) for h in (10, 50, 100)]
    assert speeds == pytest.approx([8 * np.log(h / 0.05) / np.log(200) for h in (10, 50, 100)])
    assert float(kite.wind(0.05, 8, roughness=0.05)[0]) == 0
    assert float(kite.wind(80, 8)[0]) == pytest.approx(8 * 8**0.143)


REFUSED = {
    "wind below the ground": (lambda l: kite.wind(-3, 8), "`height` must be positive. Got -3"),
    "no roughness": (lambda l: kite.wind(l, 8, roughness=0), "`roughness` must be positive. Got 0"),
    "rougher than high": (lambda l: kite.wind(l, 8, reference=1, roughness=2), "above its `roughness`. Got 1 and 2"),
    "two laws": (lambda l: kite.wind(l, 8, exponent=0.1, roughness=2), "Got both, 0.1 and 2"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_winds_that_are_refused(case):
    make, sentence = REFUSED[case]
    with pytest.raises(rt.DeclarationError, match=sentence):
        make(rt.coordinate("l"))


def test_a_motion_below_the_ground_says_what_the_wind_lacks():
    x, y, z = rt.coordinates("x y z")
    figures = {"mass": 1, "area": 1, "density": 1.2, "lift": 0, "drag": 1, "gravity": G}
    up = rt.vector(0, 0, 1)
    for law, said in (({}, "`z` is"), ({"roughness": 0.5}, r"`2.0\*z` is")):
        blown = kite.wind(z, 8, **law)
        parts = kite.point_mass(rt.vector(x, y, z), wind=blown, towards=up, **figures)
        system = parts.system()
        falls = rt.simulate(system, {}, {z: 1.0, x.rate: 1.0}, [0, 3])
        assert not falls.completed
        assert re.search(said, falls.message)
        with pytest.raises(rt.SolveError, match=said + " -"):
            rt.simulate(system, {}, {z: -1.0, x.rate: 1.0}, [0, 3])
