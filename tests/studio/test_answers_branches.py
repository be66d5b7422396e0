"""Branches, switches and charts say what single points say."""

from __future__ import annotations

import numpy as np
import pytest
from asking import ask, parts, text_of

import routh as rt
from routh.errors import DeclarationError, RouthError
from routh.studio.answers import branch_answers
from routh.studio.bench import Bench

CRITICAL = float(np.sqrt(9.81 / 1.2))
"""rad/s at which the bead on a hoop leaves the bottom: omega^2 = g/R."""

HOOP = {"q": {"theta": 0.0}, "parameter": "omega", "from": 1.0, "to": 6.0}


def test_the_pitchfork_of_the_hoop_is_found_and_switched_at() -> None:
    bench, text = Bench(), text_of("bead_on_hoop")
    told = ask("branches", text, bench, **HOOP)
    down = next(b for b in told["branches"] if b["id"] == "down")
    (point,) = down["points"]
    assert point["kind"] == "branch"
    assert point["switchable"]
    assert point["value"] == pytest.approx(CRITICAL, rel=1e-9)
    assert "another branch crosses" in point["words"]
    verdicts = {v for v, x in zip(down["verdicts"], down["x"], strict=True) if x < 0.99 * CRITICAL}
    assert verdicts == {"stable"}
    more = ask("switch", text, bench, **HOOP, branch="down", point=point["k"])
    assert more["added"] == f"down/{point['k']}"
    new = next(b for b in more["branches"] if b["id"] == more["added"])
    theta, omega = np.array(new["q"]["theta"]), np.array(new["x"])
    aside = np.abs(theta) > 1e-3
    assert np.allclose(np.cos(theta[aside]), 9.81 / 1.2 / omega[aside] ** 2, rtol=1e-9)
    assert theta.min() < -1
    assert theta.max() > 1
    assert {b["id"] for b in told["branches"]} < {b["id"] for b in more["branches"]}


def test_a_worker_that_has_seen_nothing_makes_a_switched_branch_again() -> None:
    text = text_of("bead_on_hoop")
    first = ask("switch", text, **HOOP, branch="down", point=0)
    branch_answers._KEPT.clear()
    kept = {**HOOP, "known": ["down/0"]}
    again = ask("switch", text, **kept, branch="down", point=0)
    assert [b["id"] for b in again["branches"]] == ["up", "down", "down/0"]
    for a, b in zip(first["branches"], again["branches"], strict=True):
        assert a["x"] == b["x"]
        assert a["q"] == b["q"]


def test_points_of_a_branch_are_rests_with_the_verdict_of_the_verb() -> None:
    text = text_of("bead_on_hoop")
    told = ask("branches", text, q={"theta": 1.0}, parameter="omega", **{"from": 3.5, "to": 6.0})
    model = rt.load(text)
    for branch in told["branches"]:
        for k in (1, len(branch["x"]) // 2, -1):
            omega, theta = branch["x"][k], branch["q"]["theta"][k]
            rest = rt.equilibrium(model.system, model.values | {"omega": omega}, guess={"theta": theta})
            assert rest.q[0] == pytest.approx(theta, abs=1e-9)
            assert str(rt.stability(rt.linearize(rest)).verdict) == branch["verdicts"][k]


def test_all_branches_have_both_arms_and_the_top() -> None:
    told = ask("branches", text_of("bead_on_hoop"), **HOOP, all=True)
    tops = [b for b in told["branches"] if np.allclose(np.abs(b["q"]["theta"]), np.pi, atol=1e-9)]
    arms = [b for b in told["branches"] if np.ptp(b["q"]["theta"]) > 0.5]
    assert tops
    assert arms


@pytest.mark.parametrize(
    ("about", "said"),
    [
        ({"parameter": "omga"}, "`parameter` must be one of.*Did you mean `omega`"),
        ({"from": 2.0, "to": 2.0}, "must differ"),
        ({"from": None}, "`from` of `omega` must be a finite number"),
        ({"branch": "left", "point": 0}, "There is no branch `left/0` here|no branch `left`"),
        ({"branch": "down", "point": 99}, "has 1 points. Got point 99"),
        ({"branch": "down", "point": "a"}, "`point` must be a whole number"),
    ],
)
def test_a_branch_that_is_none_is_refused(about, said) -> None:
    kind = "switch" if "branch" in about else "branches"
    with pytest.raises(RouthError, match=said):
        ask(kind, text_of("bead_on_hoop"), **HOOP | about)


def test_a_chart_refines_and_has_the_regions_of_single_points() -> None:
    text = text_of("bead_on_hoop")
    sides = {"x": {"parameter": "omega", "from": 1.0, "to": 6.0},
             "y": {"parameter": "R", "from": 0.5, "to": 3.0}}  # fmt: skip
    grids = parts("chart", text, q={"theta": 0.0}, finest=33, **sides)
    assert [len(g["z"]) for g in grids] == [9, 17, 33]
    assert [g["done"] for g in grids] == [False, False, True]
    coarse, fine = np.array(grids[0]["z"]), np.array(grids[-1]["z"])
    assert np.array_equal(fine[::4, ::4], coarse)
    assert grids[-1]["computed"] == 33 * 33
    assert not grids[-1]["filled"]
    x, y = grids[-1]["x"]["values"], grids[-1]["y"]["values"]
    words = grids[-1]["words"]
    for i in range(0, 33, 4):
        for j in range(0, 33, 4):
            stable = x[j] ** 2 < 9.81 / y[i]
            assert words[str(fine[i, j])] == ("stable" if stable else "divergence")


def test_beyond_65_only_what_disagrees_is_computed_and_that_is_said() -> None:
    text = text_of("bead_on_hoop")
    sides = {"x": {"parameter": "omega", "from": 1.0, "to": 6.0},
             "y": {"parameter": "R", "from": 0.5, "to": 3.0}}  # fmt: skip
    last = ask("chart", text, q={"theta": 0.0}, finest=129, **sides)
    z, x, y = np.array(last["z"]), np.array(last["x"]["values"]), np.array(last["y"]["values"])
    assert z.shape == (129, 129)
    assert last["filled"]
    assert last["computed"] < 6000
    stable = x[None, :] ** 2 < 9.81 / y[:, None]
    code = int(next(k for k, word in last["words"].items() if word == "stable"))
    assert np.array_equal(z == code, stable)


def test_a_chart_of_a_driven_model_is_that_of_its_multipliers() -> None:
    text = text_of("shaken_pendulum")
    sides = {"x": {"parameter": "w", "from": 20.0, "to": 80.0},
             "y": {"parameter": "A", "from": 0.05, "to": 0.15}}  # fmt: skip
    told = ask("chart", text, finest=9, **sides)
    assert told["kind"] == "floquet"
    model = rt.load(text)
    for i, j in ((0, 0), (4, 6), (8, 8), (2, 3)):
        w, A = told["x"]["values"][j], told["y"]["values"][i]
        own = rt.floquet(model.system, model.values | {"w": w, "A": A}, 2 * np.pi / w,
                         guess={"theta": np.pi})  # fmt: skip
        assert told["words"][str(told["z"][i][j])] == str(own.verdict)


def test_a_chart_that_means_nothing_is_refused() -> None:
    text = text_of("bead_on_hoop")
    side = {"parameter": "R", "from": 1.0, "to": 2.0}
    with pytest.raises(DeclarationError, match=r"two parameters. Got `R` twice"):
        parts("chart", text, x=side, y=side)
    with pytest.raises(DeclarationError, match="needs the period of the drive"):
        parts("chart", text, x=side, y=side | {"parameter": "omega"}, kind="floquet")


def test_what_crosses_is_followed_all_over_the_range() -> None:
    """The page stands at omega = 4; the branch through the pitchfork below goes on to both ends."""
    asked = {"q": {"theta": 0.0}, "parameter": "omega", "from": 0.5, "to": 6.0}
    text = text_of("bead_on_hoop")
    down = next(each for each in ask("branches", text, **asked)["branches"] if each["points"])
    told = ask("switch", text, branch=down["id"], point=down["points"][0]["k"], **asked)
    new = next(each for each in told["branches"] if each["id"] == told["added"])
    assert max(new["x"]) == pytest.approx(6.0)
    speeds, angles = np.array(new["x"]), np.array(new["q"]["theta"])
    assert np.allclose(np.cos(angles), 9.81 / (1.2 * speeds**2), atol=1e-6)
