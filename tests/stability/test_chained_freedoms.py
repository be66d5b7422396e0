"""One free motion that pushes another: four eigenvalues are zero, with one vector."""

from __future__ import annotations

import numpy as np

import routh as rt


def test_a_batch_of_chained_freedoms_is_judged():
    x, y = rt.coordinates("x y")
    kinetic = (rt.ddt(x) ** 2 + rt.ddt(y) ** 2) / 2
    system = rt.System(kinetic=kinetic, potential=y**6 / 6, forces={x: rt.parameter("c") * y})
    rest = rt.equilibrium(system, {"c": np.array([1.0, 2.0, 0.5])}, guess={x: 0.3, y: 1.5})
    found = rt.stability(rt.linearize(rest, engine="casadi"), engine="casadi")
    assert [str(each) for each in found.verdict] == ["undecided"] * 3
