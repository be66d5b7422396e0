"""Rests at multiple roots: the equations hold to rounding around them, where stiffness has any sign."""

from __future__ import annotations

import numpy as np
import pytest

import routh as rt

x, y = rt.coordinates("x y")
c = rt.parameter("c")
u, v = rt.ddt(x), rt.ddt(y)
POTENTIALS = {
    "cubic": (y - 1) ** 3,
    "falling": -((y - 1) ** 3),
    "with another": (y - 1) ** 3 * (y + 2),
    "fifth": (y - 1) ** 5,
    "quartic": -((y - 1) ** 4),
    "rounding alone": y**2 / 2 + rt.cos(y),
    "beside a spring": (y - 1) ** 3 + 5 * x**2,
    "coupled": (y - 1) ** 3 + 5 * (x - y) ** 2,
}


@pytest.mark.parametrize("damping", [0.0, 0.1])
@pytest.mark.parametrize("name", POTENTIALS)
def test_nothing_is_claimed_of_a_multiple_root(name, damping):
    whole = POTENTIALS[name] if POTENTIALS[name].has(x) else POTENTIALS[name] + x**2
    system = rt.System(
        kinetic=(u**2 + v**2) / 2, potential=whole, dissipation=damping * (u**2 + v**2) / 2
    )
    found = rt.equilibria(system, {}, {x: (-2, 2.5), y: (-1.1, 2.5)})
    multiple = 0.0 if name == "rounding alone" else 1.0
    near = [rest for rest in found if abs(float(rest.q[1]) - multiple) < 1e-3]
    assert near
    for rest in near:
        assert rt.stability(rt.linearize(rest)).verdict is rt.Verdict.UNDECIDED


@pytest.mark.parametrize("engine", ["casadi", "c"])
def test_a_guess_at_all_distances_brings_no_claim(engine):
    """Of -(y - 1)^3 with damping every one would be false: the rest is unstable, but not by its slope."""
    system = rt.System(kinetic=v**2 / 2, potential=-c * (y - 1) ** 3, dissipation=v**2 / 20)
    off = np.concatenate([-np.geomspace(1e-15, 0.5, 40), np.geomspace(1e-15, 0.5, 40), [0.0]])
    rest = rt.equilibrium(
        system, {"c": np.ones(len(off))}, guess={"y": 1 + off}, raises=False, engine=engine
    )
    verdict = rt.stability(rt.linearize(rest), engine=engine).verdict
    assert set(verdict.flat) == {rt.Verdict.UNDECIDED}


def test_a_simple_root_near_another_is_judged():
    """Two roots 1e-4 apart: stiffness 2e-4 of either sign, known by far better than that."""
    system = rt.System(kinetic=v**2 / 2, potential=(y - 1) ** 3 / 3 - 1e-8 * y)
    rest = rt.equilibrium(system, {}, guess={"y": [1.0003, 0.9997]})
    np.testing.assert_allclose(rest.q[:, 0], [1.0001, 0.9999], rtol=1e-11)
    assert list(rt.stability(rt.linearize(rest)).verdict) == [rt.Verdict.STABLE, rt.Verdict.UNSTABLE]
