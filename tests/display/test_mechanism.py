"""Pictures of mechanisms: what is named is what it is called, whatever the numbers are."""

from __future__ import annotations

import re

import numpy as np
import pytest

import routh as rt
from routh import cos, ddt, norm2, sin, vector
from routh.display.pictures.anatomy import anatomy, held_ends
from routh.display.pictures.mechanism import Parts, mechanism, places_along, still
from routh.display.pictures.sketch import Sketch, flat, lettered

ORIGIN = vector(0, 0)
th1, th2, x, u = rt.coordinate("theta1"), rt.coordinate("theta2"), rt.coordinate("x"), rt.input("u")
m, l1, l2, g, k = rt.parameters("m l1 l2 g k")
R1 = l1 * vector(sin(th1), -cos(th1))
R2 = R1 + l2 * vector(sin(th1 + th2), -cos(th1 + th2))
VALUES = {"m": 1, "l1": 1, "l2": 1, "g": 9.81}  # lengths that are equal to each other, and to a mass


def double(potential=None):
    return rt.System(
        kinetic=m / 2 * (norm2(ddt(R1)) + norm2(ddt(R2))),
        potential=m * g * (R1[1] + R2[1]) if potential is None else potential,
    )


def found(system, values, marks=(), lines=(), springs=()):
    rest = rt.equilibrium(system, values, raises=False)  # any position would do
    return anatomy(system, marks, lines, springs, rest.point())[0]


def test_lengths_and_angles_have_the_names_of_what_they_equal():
    known = found(double(), VALUES, lines=[[ORIGIN, R1, R2]])
    assert known.lengths == {(0, 1): "l1", (1, 2): "l2"}
    name, sign, base, zero = known.angles[0, 1]
    assert (name, sign, base) == ("theta1", 1, None)
    assert zero == pytest.approx(-np.pi / 2)  # counted from straight down
    name, sign, base, zero = known.angles[1, 2]
    assert (name, sign, base) == ("theta2", 1, (0, 1))
    assert zero == pytest.approx(0, abs=1e-12)
    assert known.fixed == known.turning == {0}


def test_down_is_where_weights_pull():
    known = found(double(), VALUES, lines=[[ORIGIN, R1, R2]])
    np.testing.assert_allclose(known.down, [0, -1], atol=1e-9)
    aside = double(-m * g * (R1[0] + R2[0]))
    np.testing.assert_allclose(found(aside, VALUES, lines=[[ORIGIN, R1, R2]]).down, [1, 0], atol=1e-9)
    wire = rt.System(kinetic=m / 2 * ddt(x) ** 2, potential=m * g * x / 2)  # either axis would do
    slope = vector(x * rt.sqrt(3) / 2, x / 2)
    assert found(wire, {"m": 1, "g": 9.81}, marks=[slope]).down is None
    bent = double(m * g * (R1[1] + R2[0] ** 2))
    assert found(bent, VALUES, lines=[[ORIGIN, R1, R2]]).down is None


def test_ways_of_coordinates_and_inputs_and_sums_of_lengths():
    a = rt.parameter("a")
    end, base = vector(a + x, 0), vector(u, -1)
    slider = rt.System(kinetic=m / 2 * ddt(x) ** 2, potential=k / 2 * (x - u) ** 2 + a * x**2)
    known = found(slider, {"m": 1, "k": 1, "a": 0.4}, marks=[base], springs=[[ORIGIN, end]])
    assert known.lengths == {(0, 1): "a + x"}
    assert known.turning == frozenset()
    assert {name for name, _ in known.ways.values()} == {"x", "u"}
    for _, way in known.ways.values():
        np.testing.assert_allclose(way, [1, 0], atol=1e-9)


def test_ends_of_bodies_are_clamped_hinged_or_free():
    s = rt.space("s", 0, 1)
    w = rt.field("w", s)

    def beam(*held):
        system = rt.System(
            kinetic=rt.integral(ddt(w) ** 2 / 2, s),
            potential=rt.integral(rt.diff(w, s, 2) ** 2 / 2, s),
            constraints=list(held),
        )
        made = rt.discretize(system, {w: 4})
        return made, rt.equilibrium(made, {}).point()

    clamped = rt.at(w, s, 0), rt.at(rt.diff(w, s), s, 0)
    assert held_ends(*_with(beam(*clamped), vector(s, w))) == ["clamped", ""]
    simple = rt.at(w, s, 0), rt.at(w, s, 1)
    assert held_ends(*_with(beam(*simple), vector(s, w))) == ["hinged", "hinged"]


def _with(made, r):
    system, point = made
    return system, r, point


def test_a_link_that_hangs_straight_is_turned_to_show_its_angle():
    system = double()
    parts = Parts([], [R1, R2], [[ORIGIN, R1, R2]], [])
    rest = rt.equilibrium(system, VALUES).point()
    svg, moved = mechanism(system, parts, rest, rest, "two links & more")
    assert moved
    assert "<title>two links &amp; more</title>" in svg
    labels = re.sub("<[^>]*>", " ", svg)
    for name in ("θ", "l", "g"):
        assert name in labels
    swung = rt.simulate(system, VALUES, {th1: 1.0, th2: 0.5}, [0, 0.1])
    point = type(rest)(*(each[:1] for each in swung.point().arguments))
    assert not mechanism(system, parts, point, rest, "")[1]


def test_places_of_a_stack_and_what_stands_for_a_film():
    system = double()
    motion = rt.simulate(system, VALUES, {th1: 1.0}, np.linspace(0, 1, 5))
    every = places_along(system, Parts([R1], [R2], [[ORIGIN, R1]], []), motion.point())
    np.testing.assert_allclose([each.points[0][0] for each in every], motion[R1[0]])
    drawn = still(every, [], "five moments", 100.0)
    assert drawn.count("<circle") == 10


def test_space_is_seen_from_the_side_with_lengths_kept_short():
    seen = flat(np.eye(3))
    assert (np.linalg.norm(seen, axis=1) <= 1).all()
    assert seen[2, 1] > 0  # up stays up


def test_the_arrow_of_a_coordinate_keeps_clear_of_what_is_drawn():
    box = np.array([[-1.0, -0.5], [1.0, -0.5], [1.0, 0.5], [-1.0, 0.5], [-1.0, -0.5]])
    ground = np.array([[-3.0, -0.8], [3.0, -0.8]])
    sketch = Sketch([box, ground])
    sketch.line(box)
    sketch.line(ground)
    sketch.arrow_beside(np.zeros(2), np.array([1.0, 0.0]), "x")
    *_, arrow = re.findall(r'<path d="M([\d. L-]+)"', sketch.svg("a cart"))
    ends = np.array([[float(x) for x in end.split()] for end in arrow.split("L")])
    above = sketch.at(np.array([0.0, 0.5]))[1]
    below = sketch.at(np.array([0.0, -0.8]))[1]
    assert (ends[:, 1] < above - 5).all() or (ends[:, 1] > below + 5).all()
    assert sketch.at(np.zeros(2))[0] == pytest.approx(ends[0, 0], abs=0.1)


def test_labels_that_are_names_stand_in_letters():
    assert [lettered(each) for each in ("k1", "theta_2", "Omega", "floor", "two words")] == [
        "k₁", "θ₂", "Ω", "floor", "two words",
    ]  # fmt: skip
