"""The action along motions: exact values, stationarity, minima and saddles, by second routes."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pytest
from scipy.integrate import quad

import routh as rt
from routh import cos, ddt
from routh.lecture.derive import derive

mpl.use("Agg")
import matplotlib.pyplot as plt

x, y, theta = rt.coordinates("x y theta")
m, k, g = rt.parameters("m k g")

SPRING = rt.System(kinetic=m * ddt(x) ** 2 / 2, potential=k * x**2 / 2)
V = {"m": 1.3, "k": 2.1}


@pytest.mark.parametrize("T", [1.0, 4.0, 7.0])
def test_the_action_of_an_oscillator_is_the_exact_one(T):
    a, b, w = 0.3, 0.8, np.sqrt(2.1 / 1.3)
    found = rt.action(rt.between(SPRING, V, {x: a}, {x: b}, T))
    exact = 1.3 * w / (2 * np.sin(w * T)) * ((a**2 + b**2) * np.cos(w * T) - 2 * a * b)
    assert found.value == pytest.approx(exact, rel=1e-9)
    assert found.stationarity < 1e-11
    passed = int(T * w / np.pi)
    assert found.index == passed
    assert found.conjugate == pytest.approx(np.pi / w * np.arange(1, passed + 1), rel=1e-6)
    assert found.is_minimum is (passed == 0)
    assert ("Least among neighbouring paths" in str(found)) is (passed == 0)


def test_free_fall_has_the_action_of_the_textbook():
    ball = rt.System(kinetic=m * (ddt(x) ** 2 + ddt(y) ** 2) / 2, potential=m * g * y)
    T, far = 2.0, 8.0
    found = rt.action(
        rt.between(ball, {"m": 1.5, "g": 9.81}, {x: 0, y: 0}, {x: far, y: 0}, T), shapes=3
    )
    exact = 1.5 * (far**2 / (2 * T) - 9.81**2 * T**3 / 24)
    assert found.value == pytest.approx(exact, rel=1e-10)
    assert found.is_minimum
    # along sines S rises by m (k pi)^2 epsilon^2 / (4 T) exactly: L is quadratic, V linear
    assert np.diag(found.second) == pytest.approx(
        np.tile(1.5 * (np.pi * np.arange(1, 4)) ** 2 / (4 * T), 2), rel=1e-10
    )


def test_the_second_variation_of_the_worked_example():
    """D6: with omega = 1 over T = 4 > pi the action is stationary, and no minimum."""
    found = rt.action(rt.simulate(SPRING, {"m": 1, "k": 1}, {x: 0.7}, [0, 4]))
    assert found.second[0, 0] == pytest.approx(-0.38315, abs=5e-6)
    change = found.varied([-1.0, 1.0], x) - found.value
    assert change == pytest.approx(found.second[0, 0], rel=1e-8)  # quadratic: exactly epsilon^2
    assert "A saddle: it falls in 1 direction" in str(found)


def test_variations_are_slopes_and_bends_of_the_varied_action():
    swing = rt.System(kinetic=ddt(theta) ** 2 / 2, potential=-cos(theta))
    found = rt.action(rt.simulate(swing, {}, {theta: 1.0, ddt(theta): 0.5}, [0, 3], rtol=1e-11))
    h = 1e-3
    for shape in (1, 2, 5):
        below, above = found.varied([-h, h], theta, shape)
        assert (above - below) / (2 * h) == pytest.approx(found.first[0, shape - 1], abs=1e-6)
        bend = (above + below - 2 * found.value) / (2 * h**2)
        assert bend == pytest.approx(found.second[shape - 1, shape - 1], rel=1e-5)
    by_quad, _ = quad(
        lambda s: float((found.motion([0.0, s, 3.0])[ddt(theta) ** 2 / 2 + cos(theta)])[1]),
        1e-9, 3.0 - 1e-9, epsabs=1e-7, limit=20,
    )  # fmt: skip
    assert by_quad == pytest.approx(found.value, abs=1e-6)


def test_directions_that_meet_together_are_counted_together():
    both = rt.System(kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2, potential=(x**2 + y**2) / 2)
    found = rt.action(rt.simulate(both, {}, {x: 1.0, ddt(y): 0.4}, [0, 4]))
    assert found.conjugate == pytest.approx([np.pi, np.pi], rel=1e-6)
    assert found.index == 2


def test_a_geodesic_of_the_sphere_is_least_up_to_the_opposite_pole():
    theta, phi = rt.coordinates("theta phi")
    sphere = rt.System(kinetic=(ddt(theta) ** 2 + rt.sin(theta) ** 2 * ddt(phi) ** 2) / 2)
    start = {theta: np.pi / 2, phi: 0.0, ddt(phi): 1.0}
    short, long = (rt.action(rt.simulate(sphere, {}, start, [0, T]), shapes=6) for T in (3.0, 4.0))
    assert short.value == pytest.approx(1.5, rel=1e-9)  # half of speed squared times the time
    assert short.is_minimum
    assert long.conjugate == pytest.approx([np.pi], rel=1e-6)
    assert long.index == 1


def test_forces_damping_and_constraints_enter_by_their_virtual_work():
    driven = rt.System(
        kinetic=ddt(x) ** 2 / 2, potential=x**2 / 2, dissipation=ddt(x) ** 2 / 8, forces={x: cos(rt.t)}
    )
    found = rt.action(rt.simulate(driven, {}, {x: 1.0}, [0, 5], rtol=1e-11))
    assert found.stationarity < 1e-10
    assert "virtual work included" in str(found)
    with pytest.raises(rt.DerivationError, match="no second variation that tells a minimum: forces"):
        found.second
    rod = rt.System(
        kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2, potential=y, constraints=[(x**2 + y**2 - 1) / 2]
    )
    held = rt.action(rt.simulate(rod, {}, {x: 1.0}, [0, 3], rtol=1e-11))
    assert held.stationarity < 1e-9
    with pytest.raises(rt.DerivationError, match="constraints hold it"):
        held.index


def test_what_has_no_action_is_told():
    with pytest.raises(rt.DeclarationError, match="action needs one motion"):
        rt.action(SPRING)
    batch = rt.simulate(SPRING, {"m": [1.0, 2.0], "k": 1.0}, {x: 1.0}, [0, 1])
    with pytest.raises(rt.DeclarationError, match=r"that of one motion\. Got a batch"):
        rt.action(batch)
    bounce = rt.event(x, change={ddt(x): -ddt(x)})
    hit = rt.simulate(SPRING, V, {x: 1.0}, [0, 3], events=bounce)
    with pytest.raises(rt.DerivationError, match="velocities may jump at events"):
        rt.action(hit)
    fine = rt.action(rt.simulate(SPRING, V, {x: 1.0}, [0, 1]))
    with pytest.raises(rt.DeclarationError, match="`shapes` must be a whole number"):
        rt.action(fine.motion, shapes=0)
    with pytest.raises(rt.DeclarationError, match="`shape` must be a whole number"):
        fine.varied(0.1, x, 0)


def test_friction_that_jumps_has_no_action_and_smooth_friction_has():
    belt = rt.System(
        kinetic=ddt(x) ** 2 / 2, potential=x**2 / 2, friction=[rt.friction(ddt(x) - 0.2, static=0.4)]
    )
    with pytest.raises(
        rt.DeclarationError, match=r"forces do not jump. Got a StickSlip: .* regularize=1"
    ):
        rt.action(rt.simulate(belt, {}, {x: 0.1}, [0, 1]))
    smooth = rt.action(rt.simulate(belt, {}, {x: 0.1}, [0, 1], regularize=0.1))
    assert smooth.stationarity < 1e-8
    assert "F*eta" in str(derive(smooth)["First variation"])


def test_the_picture_has_the_action_and_the_paths():
    found = rt.action(rt.simulate(SPRING, {"m": 1, "k": 1}, {x: 1.0}, [0, 4]), shapes=3)
    axes = rt.plot(found)
    beside = axes.figure.axes[1]
    first = axes.lines[0].get_ydata()
    assert first.max() <= 1e-9  # it falls along the first sine
    assert axes.lines[1].get_ydata().min() >= -1e-9  # and rises along the second
    ends = np.array([line.get_ydata()[[0, -1]] for line in beside.lines])
    assert np.ptp(ends, axis=0) == pytest.approx(0, abs=1e-12)
    plt.close(axes.figure)
    with pytest.raises(rt.DeclarationError, match="`shown` is the coordinate that is varied"):
        rt.plot(found, shown="z")


def test_its_chapter_says_what_was_found():
    short = derive(rt.action(rt.simulate(SPRING, {"m": 1, "k": 1}, {x: 1.0}, [0, 2]), shapes=3))
    assert "least among neighbouring paths" in str(short)
    long = derive(rt.action(rt.simulate(SPRING, {"m": 1, "k": 1}, {x: 1.0}, [0, 4]), shapes=3))
    assert "1 independent direction makes it fall" in str(long)
    assert "3.14159" in str(long)
    assert "-0.38315" in str(long)


def test_its_chapter_counts_the_work_of_what_is_no_part_of_l():
    damped = rt.System(
        kinetic=m * ddt(x) ** 2 / 2, potential=k * x**2 / 2, dissipation=ddt(x) ** 2 / 10
    )
    chapter = derive(rt.action(rt.simulate(damped, V, {x: 1.0}, [0, 2]), shapes=2))
    assert "F*eta" in chapter["First variation"].formulas[-1].text


def test_every_conjugate_place_of_a_long_motion_is_found_and_counted():
    found = rt.action(rt.simulate(SPRING, {"m": 1, "k": 1}, {x: 1.0}, [0, 100]))
    assert found.conjugate == pytest.approx(np.pi * np.arange(1, 32), rel=1e-7)  # x = sin t
    assert found.index == 31  # Morse, although eight sines were asked for
    assert found.index_is_whole
    assert "A saddle: it falls in 31 directions" in str(found)


def test_counts_that_differ_are_told():
    near = rt.System(kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2, potential=x**2 / 2 + 0.501 * y**2)
    found = rt.action(rt.simulate(near, {}, {x: 1.0, y: 0.3}, [0, 20]))
    if found.index_is_whole:
        assert found.index == len(found.conjugate) == 12  # six of either frequency
    else:
        assert "at least" in str(found)
        assert "may be missing" in str(found)


def test_what_is_not_judged_is_told_in_the_text():
    split = rt.System(kinetic=ddt(x) ** 2 / 2 - ddt(y) ** 2 / 2, potential=x**2 / 2)
    found = rt.action(rt.simulate(split, {}, {x: 1.0}, [0, 4]))
    assert "is not judged: its kinetic energy is not positive definite" in str(found)
    assert "is not judged" in str(derive(found))
    with pytest.raises(rt.DerivationError, match="not positive definite"):
        found.index


def test_variational_equations_that_cannot_be_run_are_told_in_the_text(monkeypatch):
    def stuck(_):
        raise rt.DerivationError("Where motions meet again cannot be told.")

    monkeypatch.setattr("routh.analysis.paths.action.conjugate_times", stuck)
    found = rt.action(rt.simulate(SPRING, V, {x: 1.0}, [0, 1]))
    assert "The second variation is not judged: Where motions meet again cannot" in str(found)
