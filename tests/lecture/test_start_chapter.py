"""Chapters on how constraints are met and kept: a consistent start, drift, Baumgarte's constants."""

from __future__ import annotations

import numpy as np
import pytest

import routh as rt
from routh import ddt
from routh.lecture.derive import derive

x, y = rt.coordinates("x y")
l = rt.parameter("l")
RING = rt.System(kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2, constraints=[(x**2 + y**2 - l**2) / 2])


def test_a_start_is_explained_by_what_was_moved():
    """From (3, 4) to the circle of radius 1 along the radius, and velocities along the tangent."""
    chapter = derive(rt.consistent(RING, {"l": 1.0}, {x: 3, y: 4, ddt(x): 1}))
    tables = [step.text() for section in chapter for step in section.steps if hasattr(step, "rows")]
    assert [line.split() for line in tables[0].splitlines()[1:]] == [
        ["x", "3", "-2.4", "0.6"], ["y", "4", "-3.2", "0.8"]]  # fmt: skip
    assert tables[1].split()[-1] == "12"  # (9 + 16 - 1)/2
    assert [line.split() for line in tables[2].splitlines()[1:]] == [
        ["x'", "1", "-0.36", "0.64"], ["y'", "0", "-0.48", "-0.48"]]  # fmt: skip
    assert tables[3].split()[-1] == "0.6"  # 0.6 * 1
    assert [f.text for f in chapter["What must hold"].formulas][1] == "x*x' + y*y' = 0"
    batch = rt.consistent(RING, {"l": [1.0, 2.0]}, {x: 3})
    with pytest.raises(rt.DeclarationError, match="derive explains one start"):
        derive(batch)


def test_a_free_start_needs_nothing():
    free = rt.System(kinetic=ddt(x) ** 2 / 2)
    assert "every state is a start" in str(derive(rt.consistent(free, {}, {x: 1})))


def test_the_choice_of_baumgarte_s_constants_is_told_by_roots():
    said = str(derive(RING))
    assert "s = -alpha +- sqrt(alpha^2 - beta^2)" in said
    for alpha, beta in ((2.0, 2.0), (5.0, 0.5), (1.0, 3.0)):
        roots = np.roots([1, 2 * alpha, beta**2])
        split = np.sqrt(complex(alpha**2 - beta**2))
        assert sorted(roots, key=str) == pytest.approx(
            sorted([-alpha + split, -alpha - split], key=str)
        )
    slow = max(np.roots([1, 10.0, 0.25]))  # alpha = 5, beta = 1/2
    assert slow == pytest.approx(-0.25 / 10, rel=0.01)
    s = rt.parameter("s")
    taken = rt.System(kinetic=s * (ddt(x) ** 2 + ddt(y) ** 2) / 2, constraints=RING.constraints)
    assert "z = -alpha +- sqrt(alpha^2 - beta^2)" in str(derive(taken))
