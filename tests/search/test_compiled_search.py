"""Equilibria by compiled code: the same list, after the same starts, by every engine."""

from __future__ import annotations

import numpy as np
import pytest

import problems
import routh as rt
from routh.kernels.native.compiler import compiler

pytestmark = pytest.mark.skipif(compiler() is None, reason="no compiler of C on this machine")


def magnets():
    """A bead on a spring between two magnets, in a box of centimetres: units of its own."""
    x, k = rt.coordinate("x"), rt.parameter("k")
    V = k * x**2 / 2 - 1e-3 * sum(((x - a) ** 2 + 4e-5) ** -0.5 for a in (-0.02, 0.02))
    return rt.System(kinetic=rt.ddt(x) ** 2 / 2, potential=V), {"k": 4.0}, {x: (-0.05, 0.05)}


def chain():
    problem = problems.pendulum_chain(3)
    return problem.system, problem.values, None


def valley():
    """A circle of rests, and one in its middle: a family."""
    x, y = rt.coordinates("x y")
    V = (x**2 + 4 * y**2 - 1) ** 2
    return (
        rt.System(kinetic=(rt.ddt(x) ** 2 + rt.ddt(y) ** 2) / 2, potential=V),
        {},
        {x: (-2, 2), y: (-2, 2)},
    )


@pytest.mark.parametrize("problem", [magnets, chain, valley])
def test_every_engine_finds_the_same(problem):
    system, values, within = problem()
    fast, slow = (rt.equilibria(system, values, within, engine=by) for by in ("c", "casadi"))
    assert (fast.engine, slow.engine) == ("c", "casadi")
    assert (fast.starts, fast.saturated, len(fast)) == (slow.starts, slow.saturated, len(slow))
    alone = fast.dimension == 0
    assert (fast.dimension == slow.dimension).all()
    assert (fast.stability.verdict == slow.stability.verdict).all()
    width = fast.box.width
    assert (np.abs(fast.q - slow.q)[alone] < 1e-12 * width).all()
    assert (fast.index == slow.index).all()


def test_an_engine_that_is_none_is_refused():
    system, values, within = chain()
    with pytest.raises(rt.DeclarationError, match="Did you mean"):
        rt.equilibria(system, values, within, engine="casady")
