"""Every ask of every model of the examples is answered, or refused in a sentence."""

from __future__ import annotations

import pytest
from asking import MODELS, parts, text_of

import routh as rt
from routh.errors import RouthError
from routh.studio.answers.table import ASKS
from routh.studio.bench import Bench

NAMES = sorted(path.stem for path in MODELS.glob("*.toml"))

LONG = {
    "ball_on_turning_plate", "carousel_kite", "hanging_chain", "hoisting_crane", "pumping_kite",
    "quaternion_top", "rod_arm_hub", "rotating_beam", "t_structure",
}  # fmt: skip
"""Models of which asks that follow, derive or export take minutes on a slow machine."""

HEAVY = {"branches", "switch", "chart", "derivation", "locus", "export"}
"""These asks."""

SOME = [
    name if k % 3 == 0 else pytest.param(name, marks=pytest.mark.slow) for k, name in enumerate(NAMES)
]
"""Every model, most of them with the slow tests."""

QUICK = ("read", "live", "picture", "values")


def about_of(model: rt.results.Model, ask: str) -> dict:
    """What an ask needs of a model, beside its text."""
    ranges = {
        name: model.ranges.get(name) or (0.5 * x, 1.5 * x) for name, x in model.values.items() if x
    }
    sides = [{"parameter": n, "from": low, "to": high} for n, (low, high) in ranges.items()]
    first = sides[0] if sides else {"parameter": "none", "from": 0.0, "to": 1.0}
    return {
        "locus": first,
        "branches": first,
        "chart": {"x": first, "y": sides[1] if len(sides) > 1 else first, "finest": 9},
        "switch": first | {"branch": "up", "point": 0},
        "export": {"what": "latex"},
        "modes": {"sensitivity": True},
        "motion": {"until": min(model.analysis.motion.until, 1.0), "outputs": 21},
        "values": {"values": {name: 1.5 * x for name, x in model.values.items()}},
    }.get(ask, {})


def answered(name: str, ask: str, bench: Bench) -> None:
    text = text_of(name)
    about = about_of(rt.load(text), ask)
    try:
        if ask == "drag":
            still = parts("picture", text, bench)[-1]
            if not still["handles"]:
                return
            handle = still["handles"][-1]
            about = {"handle": handle["key"], "to": [handle["x"] + 9, handle["y"] - 7], "q": still["q"]}
        found = parts(ask, text, bench, **about)
    except RouthError as refused:
        said = str(refused)
        assert said.rstrip().endswith((".", "?", "^", "!")), said
        assert "Traceback" not in said
        assert len(said.split()) > 4, said
    else:
        assert found


@pytest.mark.parametrize("name", SOME)
def test_what_follows_typing_is_answered_or_refused(name, tmp_path) -> None:
    bench = Bench(keep=tmp_path)
    for ask in QUICK:
        answered(name, ask, bench)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", NAMES)
def test_everything_else_is_answered_or_refused(name, tmp_path) -> None:
    bench = Bench(keep=tmp_path)
    bench.desk = "desk"
    for ask in ASKS.keys() - set(QUICK) - (HEAVY if name in LONG else set()):
        answered(name, ask, bench)
