"""What a simulation is told: bounds before anything is made, and no option dropped in silence."""

from __future__ import annotations

import numpy as np
import pytest

import routh as rt
from routh import at, ddt, diff, integral


def spring(**more):
    x = rt.coordinate("x")
    return rt.System(kinetic=ddt(x) ** 2 / 2, potential=x**2 / 2, **more)


class Endless:
    """A list of times that nobody can write down."""

    def __init__(self, count):
        self.count = count

    def __len__(self):
        return self.count

    def __array__(self, dtype=None, copy=None):
        raise AssertionError("this would not fit into memory")


@pytest.mark.parametrize(
    ("times", "said"),
    [
        (Endless(10**9), "`times` must list at most 100,000,000 times of outputs. Got 1,000,000,000"),
        (range(10**15), "at most 100,000,000"),
        ([0, np.inf], "`times` must be finite"),
        ([0, np.nan, 1], "`times` must be finite"),
        ([0, 1, 1], "Got 1 twice"),
        ([0, 1, 0.5], "Got 1 followed by 0.5"),
        ([-1e308, 1e308], "at most 1e\\+100"),
        ([0, 1e90], "nothing damps it: from t = 0 to 1e\\+90 that takes"),
        (3.0, "Got one number"),
    ],
)
def test_times_that_cannot_be_met_get_a_sentence(times, said):
    with pytest.raises(rt.DeclarationError, match=said):
        rt.simulate(spring(), {}, {"x": 1}, times)


def test_long_times_without_oscillation_are_fine():
    """A free body, and one that damping stops, over a million years."""
    x = rt.coordinate("x")
    free = rt.System(kinetic=ddt(x) ** 2 / 2)
    motion = rt.simulate(free, {}, {ddt(x): 2.0}, [0, 3e13])
    assert motion.completed
    assert motion.q[-1, 0] == pytest.approx(6e13, rel=1e-9)
    damped = rt.System(kinetic=ddt(x) ** 2 / 2, dissipation=ddt(x) ** 2 / 2)
    motion = rt.simulate(damped, {}, {ddt(x): 2.0}, [0, 3e13])
    assert motion.q[-1, 0] == pytest.approx(2.0, rel=1e-7)


def test_results_beyond_memory_get_a_sentence_before_anything_is_made():
    k = rt.parameter("k")
    x = rt.coordinate("x")
    many = rt.System(kinetic=ddt(x) ** 2 / 2, potential=k * x**2 / 2)
    with pytest.raises(rt.DeclarationError, match=r"of 100,000 motions with 3 numbers each .* GiB"):
        rt.simulate(many, {"k": np.linspace(1, 2, 100_000)}, {x: 1}, np.linspace(0, 1, 10_000))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"method": "variational", "atol": 1e-9}, "`atol` has no part in"),
        ({"method": "variational", "stabilize": None}, "`stabilize` has no part in"),
        ({"method": "variational", "events": "event"}, "`events` need steps of any size"),
        ({"method": "variational", "form": "hamilton"}, 'without method="variational"'),
        ({"form": "hamilton", "events": "event"}, "without events"),
        ({"variations": True, "events": "event"}, "events are not differentiated"),
        ({"regularize": 1e-3}, "`regularize` is for friction"),
        ({"check": True, "rtol": 2e-13}, "check=True runs again"),
        ({"check": 1}, "`check`"),
        ({"variations": "yes"}, "`variations`"),
    ],
)
def test_options_that_do_not_go_together_are_refused(options, said):
    system = spring()
    (x,) = system.coordinates
    given = {name: rt.event(x - 0.5) if value == "event" else value for name, value in options.items()}
    with pytest.raises(rt.DeclarationError, match=said):
        rt.simulate(system, {}, {x: 1}, [0, 1, 2], **given)


@pytest.mark.parametrize("method", ["Adams", "BDF", "variational"])
def test_methods_that_cannot_stick_say_so(method):
    x = rt.coordinate("x")
    block = rt.System(
        kinetic=ddt(x) ** 2 / 2, potential=x**2 / 2, friction=rt.friction(ddt(x), static=0.1)
    )
    with pytest.raises(rt.DeclarationError, match=f'friction goes in phases.*method="{method}"'):
        rt.simulate(block, {}, {x: 1}, [0, 1], method=method)


@pytest.mark.parametrize(
    "options",
    [
        {"check": True},
        {"variations": True},
        {"check": True, "variations": True},
        {"form": "hamilton", "check": True},
        {"form": "hamilton", "variations": True, "method": "DOP853"},
        {"method": "variational", "check": True},
        {"method": "BDF", "check": True},
    ],
)
def test_options_of_a_batch_are_those_of_its_points(options):
    x, k = rt.coordinate("x"), rt.parameter("k")
    system = rt.System(kinetic=ddt(x) ** 2 / 2, potential=k * x**2 / 2)
    times = np.linspace(0, 2, 9)
    many = rt.simulate(system, {"k": [1.0, 4.0]}, {x: 1}, times, **options)
    one = rt.simulate(system, {"k": 4.0}, {x: 1}, times, **options)
    assert many.completed.all()
    assert np.array_equal(many.q[1], one.q)
    if "check" in options:
        assert np.array_equal(many.global_error[1], one.global_error)
    if "variations" in options:
        exact = np.array([[np.cos(4.0), np.sin(4.0) / 2], [-2 * np.sin(4.0), np.cos(4.0)]])
        np.testing.assert_allclose(many.transition[1, -1], exact, atol=1e-7)
        np.testing.assert_allclose(one.transition[-1], exact, atol=1e-7)


def beam(count, damping=0):
    s = rt.space("s", 0, 1)
    w = rt.field("w", s)
    system = rt.System(
        kinetic=integral(ddt(w) ** 2 / 2, s),
        potential=integral(diff(w, s, 2) ** 2 / 2, s),
        dissipation=damping * integral(diff(ddt(w), s, 2) ** 2 / 2, s) if damping else 0,
        constraints=[at(w, s, 0), at(w, s, 1)],
    )
    return rt.discretize(system, {w: rt.Elements(count)}), w, s


@pytest.mark.slow
def test_very_many_coordinates_run_or_are_refused():
    """Bending waves of 300 elements: the fastest has sqrt(lambda) / h^2, and steps follow it."""
    system, w, s = beam(300)
    shape = {w: 0.1 * s * (1 - s)}
    with pytest.raises(rt.DeclarationError, match=r"Take fewer functions or elements") as refused:
        rt.simulate(system, {}, shape, [0, 0.01])
    found = float(str(refused.value).split(" rad/s")[0].split()[-1])
    fastest = 300**2 * np.sqrt(8400)  # of a chain of cubic elements with consistent masses
    assert 0.5 * fastest < found < 1.05 * fastest
    short = rt.simulate(system, {}, shape, [0, 1e-7])
    assert short.completed
    mode = rt.simulate(system, {}, shape, [0, 1e-7], method="DOP853")  # who names a method gets it
    np.testing.assert_allclose(short.q[-1], mode.q[-1], atol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize(("damping", "said"), [(1e-2, "What decays fastest"), (1e-10, "rad/s: from")])
def test_very_many_damped_coordinates_are_refused(damping, said):
    """Damping in proportion to stiffness: the fastest decay is the damping times 8400 n^4."""
    system, w, s = beam(260, damping)
    with pytest.raises(rt.DeclarationError, match=said) as refused:
        rt.simulate(system, {}, {w: 0.1 * s * (1 - s)}, [0, 0.01])
    if damping > 1e-3:
        found = float(str(refused.value).split(" 1/s")[0].split()[-1])
        assert found == pytest.approx(damping * 8400 * 260**4, rel=0.7)
