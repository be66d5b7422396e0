"""Pictures where q says, and points that follow the hand along what constraints allow."""

from __future__ import annotations

import re

import numpy as np
import pytest
from asking import ask, chain, text_of

import routh as rt
from routh.display.pictures.sketch import flat
from routh.errors import DeclarationError
from routh.studio.bench import Bench

FOURBAR = """name = "four bars"
constraints = ["norm2(B - A) - b^2"]
[coordinates]
alpha = {start = 1.2}
gamma = {start = 1.5}
[parameters]
a = 1
b = 2.2
c = 1.8
d = 2.5
m = 1
g = 9.81
[points]
A = "a*[cos(alpha), sin(alpha)]"
B = "[d, 0] + c*[cos(gamma), sin(gamma)]"
[energy]
kinetic = ["m/2*norm2(A')", "m/2*norm2(B')"]
potential = ["m*g*A[2]", "m*g*B[2]"]
[drawing]
points = ["A", "B"]
lines = [["[0, 0]", "A", "B", "[d, 0]"]]
"""


def place(told, key):
    handle = next(h for h in told["handles"] if h["key"] == key)
    return np.array([handle["x"], handle["y"]])


def on_paper(view, r):
    x, y = (flat(np.asarray(r, float)[None])[0] - view["low"]) * view["scale"]
    return np.array([x, -y])


def test_handles_stand_where_the_coordinates_put_them() -> None:
    q = {"theta1": 0.7, "theta2": -1.1}
    told = ask("picture", text_of("double_pendulum"), q=q)
    r1 = 1.2 * np.array([np.sin(0.7), -np.cos(0.7)])
    r2 = r1 + 0.8 * np.array([np.sin(-0.4), -np.cos(-0.4)])
    assert told["q"] == q
    for key, r in (("masses:0", r1), ("masses:1", r2)):
        assert np.allclose(place(told, key), on_paper(told["view"], r), atol=1e-9)
    drawn = re.findall(r'<circle cx="([-\d.]+)" cy="([-\d.]+)" r="10"', told["svg"])
    assert np.allclose(
        np.array(drawn, float), [place(told, "masses:0"), place(told, "masses:1")], atol=0.06
    )


def test_the_frame_stays_while_the_mechanism_moves() -> None:
    bench, text = Bench(), text_of("double_pendulum")
    first = ask("picture", text, bench)
    box = first["view"]["box"]
    for angle in np.linspace(-3, 3, 7):
        told = ask("picture", text, bench, q={"theta1": angle, "theta2": 0.0}, view=first["view"])
        assert told["view"] == first["view"]
        assert told["svg"].split(">")[0] == first["svg"].split(">")[0]
        x, y = place(told, "masses:1")
        assert box[0] < x < box[0] + box[2]
        assert box[1] < y < box[1] + box[3]


@pytest.mark.parametrize("name", ["double_pendulum", "chain", "hub_beam"])
def test_a_point_within_reach_is_where_the_hand_is(name) -> None:
    bench = Bench()
    text = chain(5) if name == "chain" else text_of(name)
    start = ask("picture", text, bench)
    key = start["handles"][-1 if name != "hub_beam" else 0]["key"]
    to = on_paper(start["view"], [0.4, -0.7] if name != "hub_beam" else [1.9, 0.6])
    told = ask("drag", text, bench, q=start["q"], handle=key, to=to.tolist(), view=start["view"])
    if name == "hub_beam":  # the hub turns as far as it can, and the beam bends for the rest
        assert abs(told["q"]["theta"]) > 0.1
    assert told["reached"]
    assert np.allclose(place(told, key), to, atol=1e-9 * start["view"]["scale"])


def test_out_of_reach_it_is_the_nearest_position() -> None:
    """A straight pendulum points at the hand: the nearest point of a disc of its length."""
    bench, text = Bench(), text_of("double_pendulum")
    start = ask("picture", text, bench)
    hand = np.array([3.0, 1.0])
    told = start
    for _ in range(3):
        told = ask("drag", text, bench, q=told["q"], handle="masses:1", view=start["view"],
                   to=on_paper(start["view"], hand).tolist())  # fmt: skip
    assert not told["reached"]
    nearest = 2.0 * hand / np.linalg.norm(hand)
    assert np.allclose(place(told, "masses:1"), on_paper(start["view"], nearest),
                       atol=1e-9 * start["view"]["scale"])  # fmt: skip


def test_what_the_point_does_not_depend_on_stays() -> None:
    bench, text = Bench(), text_of("double_pendulum")
    start = ask("picture", text, bench)
    to = on_paper(start["view"], [0.5, -1.0]).tolist()
    told = ask("drag", text, bench, q=start["q"], handle="masses:0", to=to, view=start["view"])
    assert told["q"]["theta2"] == start["q"]["theta2"]
    assert told["q"]["theta1"] == pytest.approx(np.arctan2(0.5, 1.0), abs=1e-7)
    held = ask("drag", text, bench, q=start["q"], handle="masses:1", to=to, view=start["view"],
               hold=["theta1"])  # fmt: skip
    assert held["q"]["theta1"] == start["q"]["theta1"] != held["q"]["theta2"]


def test_angles_are_not_wrapped_as_the_hand_goes_round() -> None:
    bench, text = Bench(), text_of("shaken_pendulum")
    told = ask("picture", text, bench)
    view, angles = told["view"], []
    for k in range(30):
        turn = 3.0 + 0.5 * k
        to = on_paper(view, [np.sin(turn), 0.1 - np.cos(turn)]).tolist()
        told = ask("drag", text, bench, q=told["q"], handle="points:0", to=to, view=view)
        angles.append(told["q"]["theta"])
    assert np.allclose(np.diff(angles), 0.5, atol=1e-9)


def test_a_linkage_keeps_its_constraint_and_its_assembly() -> None:
    bench = Bench()
    model = rt.load(FOURBAR)
    told = ask("picture", FOURBAR, bench)
    view = told["view"]
    assert told["held"] in (["gamma"], ["alpha"])

    def turn(q):  # which way round the three joints are
        A = np.array([np.cos(q["alpha"]), np.sin(q["alpha"])])
        B = np.array([2.5, 0]) + 1.8 * np.array([np.cos(q["gamma"]), np.sin(q["gamma"])])
        C = np.array([2.5, 0])
        across = (B - A)[0] * (C - B)[1] - (B - A)[1] * (C - B)[0]
        return across, np.linalg.norm(B - A) - 2.2

    side = np.sign(turn(told["q"])[0])
    for k in range(25):
        angle = 1.2 + 0.1 * k
        to = on_paper(view, 1.3 * np.array([np.cos(angle), np.sin(angle)])).tolist()
        told = ask("drag", FOURBAR, bench, q=told["q"], handle="points:0", to=to, view=view)
        way, off = turn(told["q"])
        assert abs(off) < 1e-12
        assert np.sign(way) == side
        assert told["q"]["alpha"] == pytest.approx(angle, abs=1e-6)
    assert model.system.constraints


def test_a_start_beside_the_constraints_is_drawn_on_them() -> None:
    told = ask("picture", text_of("cartesian_pendulum"), q={"x": 3.0, "y": -4.0})
    model = rt.load(text_of("cartesian_pendulum"))
    length = model.values["l"]
    assert np.hypot(told["q"]["x"], told["q"]["y"]) == pytest.approx(length, abs=1e-12)


def test_in_space_the_point_moves_in_the_plane_of_the_paper() -> None:
    bench, text = Bench(), text_of("spinning_top")
    start = ask("picture", text, bench)
    assert start["view"]["dimension"] == 3
    key = start["handles"][0]["key"]
    to = (place(start, key) + np.array([8.0, -3.0])).tolist()
    told = ask("drag", text, bench, q=start["q"], handle=key, to=to, view=start["view"])
    assert told["reached"]
    assert np.allclose(place(told, key), to, atol=1e-6)


def test_a_model_without_a_drawing_says_so() -> None:
    text = '[coordinates]\nx = {start = 1}\n[energy]\nkinetic = "x\'^2/2"\npotential = "x^2/2"\n'
    told = ask("picture", text)
    assert told["svg"] == ""
    assert told["handles"] == []
    assert told["q"] == {"x": 1.0}
    assert told["words"].startswith("The model draws nothing. Write [drawing]")
    with pytest.raises(DeclarationError, match="draws nothing"):
        ask("drag", text, handle="points:0", to=[0, 0])


@pytest.mark.parametrize(
    ("about", "said"),
    [
        ({"handle": "points:9", "to": [0, 0]}, "`handle` must be one of"),
        ({"handle": "masses:0", "to": [0]}, r"`to` must be a place \[x, y\]"),
        ({"handle": "masses:0", "to": [0, "a"]}, "`to` must be a finite number"),
        ({"handle": "masses:0", "to": [0, 0], "view": {"low": 1}}, "`view` must be"),
        ({"handle": "masses:0", "to": [0, 0], "hold": ["x"]}, "`hold` must be one of"),
    ],
)
def test_a_drag_that_means_nothing_is_refused(about, said) -> None:
    with pytest.raises(DeclarationError, match=said):
        ask("drag", text_of("double_pendulum"), **about)
