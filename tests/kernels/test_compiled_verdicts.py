"""Verdicts by compiled code: the same as by the other way at every point, or left to it."""

from __future__ import annotations

import numpy as np
import pytest

import routh as rt
from routh.analysis.linear.own_motions import structure
from routh.kernels.engine import Engine
from routh.kernels.native.compiler import compiler

pytestmark = pytest.mark.skipif(compiler() is None, reason="no compiler of C on this machine")

x, y, z = rt.coordinates("x y z")
k, c, w, h = rt.parameters("k c w h")
T = (rt.ddt(x) ** 2 + 2 * rt.ddt(y) ** 2 + rt.ddt(z) ** 2 + rt.ddt(x) * rt.ddt(z)) / 2
V = k * (x**2 + (x - y) ** 2 + 3 * z**2) / 2 + rt.cos(y)
D = c * (rt.ddt(x) ** 2 + rt.ddt(y) ** 2 + rt.ddt(z) ** 2) / 2
TURNING = ((rt.ddt(x) - w * y) ** 2 + (rt.ddt(y) + w * x) ** 2 + rt.ddt(z) ** 2) / 2
SWEEP = np.concatenate([np.linspace(-3, 3, 61), np.array([1e-3, 1e-6, 1e-9, 1e-12, 1e-15, 1e-18])])

SYSTEMS = {
    "conservative": ({"kinetic": T, "potential": V}, {"k": SWEEP}),
    "damped": ({"kinetic": T, "potential": V, "dissipation": D}, {"k": SWEEP, "c": 0.3}),
    "growing": ({"kinetic": T, "potential": V, "dissipation": D}, {"k": 4.0, "c": SWEEP}),
    "partly damped": (
        {"kinetic": T, "potential": V, "dissipation": c * rt.ddt(x) ** 2 / 2}, {"k": SWEEP, "c": 0.3},
    ),
    "gyroscopic": ({"kinetic": TURNING, "potential": V}, {"k": SWEEP, "w": 1.1}),
    "gyroscopic and damped": (
        {"kinetic": TURNING, "potential": V, "dissipation": D}, {"k": 3.0, "w": SWEEP, "c": 0.2},
    ),
    "circulatory": (
        {"kinetic": T, "potential": k * (x**2 + y**2 + z**2), "forces": {x: h * y, y: -h * x}},
        {"k": 1.0, "h": SWEEP},
    ),
    "circulatory and damped": (
        {"kinetic": T, "potential": k * (x**2 + y**2 + z**2), "dissipation": D,
         "forces": {x: h * y, y: -h * x}},
        {"k": 1.0, "h": SWEEP, "c": 0.3},
    ),
    "free": ({"kinetic": T, "potential": k * (x - y) ** 2 + z**2}, {"k": SWEEP}),
    "free and damped": (
        {"kinetic": T, "potential": k * (x - y) ** 2 + z**2, "dissipation": D}, {"k": SWEEP, "c": 0.2},
    ),
    "massless": ({"kinetic": k * rt.ddt(x) ** 2 + rt.ddt(y) ** 2, "potential": x**2 + y**2}, {"k": SWEEP}),
    "stiff beside soft": (
        {"kinetic": T, "potential": 1e9 * (x - y) ** 2 + k * (x + y) ** 2 + z**2}, {"k": SWEEP},
    ),
    "damped by position": (
        {"kinetic": T, "potential": V, "dissipation": c * y**2 * rt.ddt(y) ** 2 / 2},
        {"k": SWEEP, "c": 0.3},
    ),
}  # fmt: skip


def models(name):
    pieces, values = SYSTEMS[name]
    rest = rt.equilibrium(rt.System(**pieces), values, raises=False)
    return (rt.linearize(rest) for _ in range(2))


@pytest.mark.parametrize("name", SYSTEMS)
def test_verdicts_do_not_depend_on_the_engine(name):
    first, second = models(name)
    own, theirs = rt.stability(first, engine="c"), rt.stability(second, engine="casadi")
    assert [r.name for r in own.reason] == [r.name for r in theirs.reason]
    np.testing.assert_array_equal(own.falling, theirs.falling)
    np.testing.assert_array_equal(own.index, theirs.index)
    np.testing.assert_array_equal(own.nonlinear, theirs.nonlinear)
    np.testing.assert_allclose(own.curvature, theirs.curvature, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(own.blur, theirs.blur, rtol=1e-6, atol=1e-25)
    assert (own.proviso, own.remark, own.potential) == (theirs.proviso, theirs.remark, theirs.potential)


@pytest.mark.parametrize("name", ["conservative", "damped", "gyroscopic and damped"])
def test_what_energy_decides_is_decided_there(name):
    linear, _ = models(name)
    found = structure(linear.place, linear.own, Engine.C)
    assert (found.kind > 0).mean() > 0.6


def test_a_verdict_does_not_depend_on_the_other_points():
    """The bounds of rounding are seen by moving last bits alike at every point."""
    pieces, values = SYSTEMS["stiff beside soft"]
    system = rt.System(**pieces)
    together = rt.stability(rt.linearize(rt.equilibrium(system, values, raises=False)))
    for place in (0, 30, 63):
        alone = rt.stability(rt.linearize(rt.equilibrium(system, {"k": SWEEP[[place]]}, raises=False)))
        assert alone.reason[0] is together.reason[place]
        np.testing.assert_allclose(alone.blur[0], together.blur[place], rtol=1e-9)


@pytest.mark.parametrize("engine", ["c", "casadi"])
def test_results_say_which_engine_made_them(engine):
    pieces, values = SYSTEMS["damped"]
    rest = rt.equilibrium(rt.System(**pieces), values, engine=engine)
    linear = rt.linearize(rest, engine=engine)
    made = rest, rt.modes(linear, engine=engine), rt.stability(linear, engine=engine)
    assert [str(each.engine) for each in made] == [engine] * 3


def weak(kind):
    """A system with something weak in it, of either sign."""
    two, e = (rt.ddt(x) ** 2 + rt.ddt(y) ** 2) / 2, rt.parameter("e")
    bowl, turn = (x**2 + y**2) / 2, x * rt.ddt(y) - y * rt.ddt(x)
    parts = {
        "damped": {"kinetic": two, "potential": bowl, "forces": {x: e * rt.ddt(x)}},
        "circulatory": {"kinetic": two, "potential": bowl, "forces": {x: e * y, y: -e * x}},
        "one way": {"kinetic": two, "potential": bowl, "forces": {x: e * y}},
        "gyroscopic": {"kinetic": two + e * turn, "potential": -bowl},
        "soft": {"kinetic": two, "potential": (1e6 * x**2 + e * y**2) / 2},
        "all": {"kinetic": two + turn, "potential": (x**2 + e * y**2) / 2, "dissipation": e * two},
    }
    return rt.System(**parts[kind])


@pytest.mark.parametrize("kind", ["damped", "circulatory", "one way", "gyroscopic", "soft", "all"])
def test_what_is_weak_is_judged_alike_by_every_engine(kind):
    sizes = np.geomspace(1e-18, 1e-2, 40)
    e = np.concatenate([-sizes, [0.0, 1.22382493696819e-15], sizes])
    rest = rt.equilibrium(weak(kind), {"e": e})
    one, other = (rt.stability(rt.linearize(rest), engine=name) for name in ("casadi", "c"))
    for name in ("reason", "index", "falling"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


@pytest.mark.parametrize("name", SYSTEMS)
def test_what_energy_decides_does_not_depend_on_the_points_beside(name):
    """Bits are those of the point alone, in whichever lane and beside whatever it was judged."""
    linear, _ = models(name)
    every = structure(linear.place, linear.own, Engine.C)
    if every is None:  # damping that position changes is not judged there
        return
    index = np.random.default_rng(2).permutation(len(SWEEP))[:13]
    some = linear.chosen(index)
    found = structure(some.place, some.own, Engine.C)
    np.testing.assert_array_equal(found.kind, every.kind[index])
    sure = found.kind > 0
    np.testing.assert_array_equal(found.least[sure], every.least[index][sure])
    np.testing.assert_array_equal(found.blur[sure], every.blur[index][sure])
