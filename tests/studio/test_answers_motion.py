"""Motions and equilibria of the page are those of the public verbs."""

from __future__ import annotations

import numpy as np
import pytest
from asking import ask, text_of

import routh as rt
from routh.errors import DeclarationError
from routh.studio.bench import Bench


def test_columns_are_what_simulate_gives() -> None:
    text = text_of("double_pendulum")
    start = {"q": {"theta1": 1.0, "theta2": -0.3}, "rates": {"theta1": 2.0}}
    told = ask("motion", text, values={"l2": 1.0}, start=start, until=3.0)
    model = rt.load(text)
    th1, th2 = model.system.coordinates
    own = rt.simulate(model.system, model.values | {"l2": 1.0},
                      {th1: 1.0, th2: -0.3, th1.rate: 2.0}, np.linspace(0, 3, 501))  # fmt: skip
    assert told["t"] == own.t.tolist()
    columns = np.array([c["values"] for c in told["columns"]])
    rates = np.array([c["values"] for c in told["rates"]])
    assert np.array_equal(columns, own.q.T)
    assert np.array_equal(rates, own.v.T)
    assert told["message"] == own.message
    assert told["trusted"]
    energies = told["energies"]
    assert np.allclose(np.add(energies["T"], energies["V"]), energies["E"], rtol=1e-12)
    v, q = own.v, own.q
    r1 = np.stack([np.cos(q[:, 0]), np.sin(q[:, 0])]) * 1.2 * v[:, 0]
    r2 = r1 + np.stack([np.cos(q.sum(1)), np.sin(q.sum(1))]) * 1.0 * v.sum(1)
    assert np.allclose(energies["T"], 0.5 * (r1**2).sum(0) + 0.25 * (r2**2).sum(0), rtol=1e-9)
    assert np.abs(told["balance"]).max() < 1e-6


def test_tracks_are_the_places_of_the_drawing() -> None:
    told = ask("motion", text_of("double_pendulum"), until=2.0)
    theta = np.array(told["columns"][0]["values"])
    track = np.array(told["drawing"]["points"][0]["track"])
    assert np.allclose(track, 1.2 * np.stack([np.sin(theta), -np.cos(theta)], axis=1), atol=1e-4)
    assert told["drawing"]["lines"][0][0] == [[0.0, 0.0]]  # the pivot does not move


def test_a_start_beside_the_constraints_is_moved_and_said() -> None:
    text = text_of("cartesian_pendulum")
    told = ask("motion", text, start={"q": {"x": 3.0, "y": -4.0}}, until=1.0)
    assert "x by" in told["moved"]
    assert np.abs(told["constraints"]).max() < 1e-9
    assert ask("motion", text, until=1.0)["moved"] == ""


def test_a_motion_that_ends_early_is_not_trusted() -> None:
    """A free fall towards a centre of attraction, which is reached at pi/(2 sqrt 2) s."""
    text = """[coordinates]
x = {start = 1}
[energy]
kinetic = "x'^2/2"
potential = "-1/x"
"""
    told = ask("motion", text, until=3.0)
    assert not told["trusted"]
    assert told["t"][-1] < 1.2
    assert told["words"].startswith("Stopped")


def test_friction_sticks_and_slips_with_words() -> None:
    told = ask("motion", text_of("stick_slip"))
    assert {"floor slips", "floor sticks"} <= {event["words"] for event in told["events"]}
    (contact,) = told["contacts"]
    assert len(contact["states"]) == len(told["t"])
    assert 0.0 in contact["states"]
    assert told["balance"] is None


def test_fields_are_told_along_their_body() -> None:
    told = ask("motion", text_of("hub_beam"), until=0.2, outputs=11)
    (along,) = told["along"]
    w = np.array(along["w"])
    assert w.shape == (len(along["t"]), len(along["s"]))
    s = np.array(along["s"])
    assert np.allclose(w[0], 0.1 * (s / 1.5) ** 2, atol=1e-9)
    tip = next(c for c in told["columns"] if c["name"].startswith("at(w") or "w" in c["name"])
    assert np.allclose(w[:, -1], tip["values"], atol=1e-9)


def test_an_input_may_be_a_number_or_a_law_in_text() -> None:
    text = text_of("cart_pole")
    pushed = ask("motion", text, inputs={"F": 1.0}, until=0.5)
    driven = ask("motion", text, inputs={"F": "sin(3*t)"}, until=0.5)
    free = ask("motion", text, until=0.5)
    ends = [each["columns"][0]["values"][-1] for each in (pushed, driven, free)]
    assert len({round(x, 6) for x in ends}) == 3
    model = rt.load(text)
    own = rt.simulate(
        model.system, model.values, model.start, pushed["t"], inputs={"F": rt.sin(3 * rt.t)}
    )
    assert np.allclose(driven["columns"][0]["values"], own.q[:, 0], rtol=1e-8, atol=1e-10)
    with pytest.raises(DeclarationError, match="An input must be one of F"):
        ask("motion", text, inputs={"u": 1.0})
    with pytest.raises(DeclarationError, match="`until` must be a time above zero"):
        ask("motion", text, until=-1.0)


def test_equilibria_are_those_of_the_verb_with_their_reasons() -> None:
    bench, text = Bench(), text_of("bead_on_hoop")
    told = ask("rests", text, bench, values={"omega": 5.0})
    model = rt.load(text)
    own = rt.equilibria(model.system, model.values | {"omega": 5.0})
    assert np.allclose([list(r["q"].values()) for r in told["rests"]], own.q, atol=1e-12)
    assert [r["verdict"] for r in told["rests"]] == [str(v) for v in own.stability.verdict]
    assert told["rests"][0]["q"]["theta"] == pytest.approx(-np.arccos(9.81 / 1.2 / 25), rel=1e-9)
    assert all(r["thumbnail"].startswith("<svg") for r in told["rests"])
    land = told["landscape"]
    theta = np.array(land["x"]["values"])
    height = -1.2 * 9.81 * np.cos(theta) - (1.2 * 5.0 * np.sin(theta)) ** 2 / 2
    assert land["kind"] == "line"
    assert np.allclose(land["z"], height, rtol=1e-12)
    for rest in told["rests"]:
        near = np.interp(rest["q"]["theta"], theta, height)
        assert rest["energy"] == pytest.approx(near, rel=1e-3)


def test_where_nothing_rests_a_sentence_says_why() -> None:
    told = ask("rests", text_of("inclined_plane"))
    assert told["rests"] == []
    assert told["landscape"] is None
    assert "has no equilibrium" in told["none"]
    assert "does not slip at rest" in ask("rests", text_of("stick_slip"))["none"]


def test_a_plane_of_two_coordinates_is_a_landscape() -> None:
    told = ask("rests", text_of("double_pendulum"))
    land = told["landscape"]
    x, y = np.meshgrid(land["x"]["values"], land["y"]["values"])
    V = -9.81 * (1.0 * 1.2 * np.cos(x) + 0.5 * (1.2 * np.cos(x) + 0.8 * np.cos(x + y)))
    assert np.allclose(land["z"], V, rtol=1e-12)
    assert len(told["rests"]) == 4
