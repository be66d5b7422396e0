"""When a search for equilibria counts as saturated, and how far a curve may turn in a step."""

import numpy as np
import pytest

import routh as rt
from routh import ddt, exp
from routh.analysis.given.conditions import conditions
from routh.analysis.search.box import box
from routh.analysis.search.rounds import ROUND, Search
from routh.kernels.kernel import kernel
from routh.numerics.curves.continuation import Tracer

x = rt.coordinate("x")


@pytest.fixture
def search():
    """A search that was saturated: two roots met often, the last new one long ago."""
    system = rt.System(kinetic=ddt(x) ** 2 / 2, potential=x**4 - x**2)
    given, _ = conditions(system, {}, None)
    made = Search(kernel(system), given, box(kernel(system), given, {x: (-2, 2)}))
    made._x, made._seen = np.zeros((2, 1)), np.array([3, 40])
    made._degenerate, made._level = np.zeros(2, dtype=bool), np.zeros(2)
    made.starts, made._last_new = 4 * ROUND, 2 * ROUND
    return made


def test_a_list_is_saturated_only_if_all_of_it_holds(search):
    assert search.saturated
    assert not search.doubt


@pytest.mark.parametrize(
    "spoilt",
    [
        {"_seen": np.array([2, 40])},
        {"_last_new": 2 * ROUND + 1},
        {"_slow": ROUND},
        {"_undefined": 4 * ROUND - 1},
        {"starts": ROUND // 2, "_last_new": 1},
        {"_degenerate": np.ones(60, dtype=bool), "_seen": np.full(60, 9)},
    ],
)
def test_each_condition_alone_keeps_a_list_from_being_saturated(search, spoilt):
    for name, value in spoilt.items():
        setattr(search, name, value)
    assert not search.saturated
    assert search.doubt


def test_a_rare_equilibrium_is_met_three_times_before_the_search_ends():
    # a narrow well at 2.5, into which about one start in two hundred leads
    narrow = rt.System(kinetic=ddt(x) ** 2 / 2, potential=x**2 / 2 - exp(-((x - 2.5) ** 2) / 2e-5) / 20)
    found = rt.equilibria(narrow, {}, within={x: (-4, 4)})
    assert found.saturated
    inside = np.asarray(found.rest.q)[:, 0]  # where x meets the slope of the well: its bottom and edge
    assert np.sum(np.abs(inside - 2.5) < 0.02) == 2
    assert found.starts > 2 * ROUND


# Curves -------------------------------------------------------------------------------------------


def bend(radius):
    """A curve that goes down, turns by a right angle within a radius, and goes up: a hyperbola."""

    def function(y):
        return np.array([y[0] ** 2 - y[1] ** 2 - radius**2])

    def slopes(points):
        return np.stack([2 * points[:, 0], -2 * points[:, 1]], axis=1)[:, None, :]

    return Tracer(function, slopes, -1.0, 1.0)


def test_a_step_round_a_bend_turns_by_fourteen_degrees_at_most():
    tracer = bend(0.01)
    y = np.array([np.hypot(0.02, 0.01), -0.02])
    here = tracer.place(y, None, np.ones(2), np.ones(1))
    turned = 0
    for step in np.geomspace(1e-4, 0.03, 60):
        found = tracer.ahead(here, step)
        if found is None:
            turned += 1
            continue
        # the angle of the tangent from the curve itself: dy0/dy1 = y1/y0
        there = found[0].y
        angles = [np.arctan2(each[1], each[0]) for each in (y, there)]
        assert np.cos(angles[1] - angles[0]) >= 0.97 - 1e-9
    assert turned


def test_a_walk_round_a_bend_has_points_on_it():
    tracer = bend(0.01)
    start = tracer.place(np.array([np.hypot(0.9, 0.01), -0.9]), None, np.ones(2), np.ones(1))
    curve = tracer.walk(start, 400)
    angles = np.array([np.arctan2(place.y[1], place.y[0]) for place in curve.places])
    assert np.abs(np.diff(angles)).max() < np.radians(16)  # scales may change a little on the way
    assert angles[-1] > np.radians(44)
