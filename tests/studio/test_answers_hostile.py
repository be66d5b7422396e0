"""Asks whose contents have other types than they should: each is a sentence, and never a fault of Routh."""

from __future__ import annotations

import json

import pytest
from asking import text_of

from routh.studio.workbench import Workbench

HUGE = 10**400
"""A whole number that JSON can say and no float can hold."""

WRONG = (
    [], [[1]], [{}], {}, {"phi": []}, {"phi": HUGE}, {"phi": "1"}, {"phi": float("nan")}, {"a": {"b": 1}},
    "", "x", "\x00", "\ud800", True, -1, HUGE, float("nan"), float("inf"), 1e308,
    {"parameter": [], "from": 0, "to": 1}, {"parameter": "l", "from": {}, "to": HUGE},
    {"q": [], "rates": {}}, {"q": {}, "rates": {"phi": [1]}},
)  # fmt: skip

RANGE = {"parameter": "l", "from": 0.5, "to": 2.0}
SIDES = {"x": RANGE, "y": RANGE | {"parameter": "m"}, "finest": 9}

CONTENTS = {
    "read": {"text": "", "values": {}},
    "example": {"name": "pendulum"},
    "values": {"text": "", "values": {}},
    "picture": {"values": {}, "sizes": {}, "q": {}},
    "drag": {"q": {}, "handle": "r", "to": [0, 0], "view": {}},
    "derivation": {"values": {}},
    "rests": {"values": {}, "sizes": {}},
    "live": {"values": {}, "q": {}, "want": [], "input": "u", "output": "phi", "sizes": {}},
    "modes": {"q": {}, "moving": False, "sensitivity": False, "errors": False},
    "response": {"q": {}, "input": "u", "output": "phi", "from": 1, "to": 2},
    "locus": RANGE | {"q": {}},
    "branches": RANGE | {"q": {}},
    "switch": RANGE | {"branch": "up", "point": 0, "known": []},
    "motion": {"start": {}, "until": 0.1, "outputs": 3, "inputs": {}},
    "chart": SIDES | {"kind": "stability", "q": {}},
    "export": {"what": "toml", "start": {}, "until": 0.1},
}
"""What each ask may be given; one at a time is something else."""


@pytest.mark.parametrize("kind", CONTENTS)
def test_contents_of_any_type_are_answered_or_refused(kind, tmp_path) -> None:
    said: list[bytes] = []
    workbench = Workbench(said.append, tmp_path)
    text = {"text": text_of("pendulum")}
    for key in CONTENTS[kind]:
        for wrong in WRONG:
            about = CONTENTS[kind] | text | {key: wrong}
            request = {"n": 1, "ask": kind, "desk": "desk", "about": about}
            assert workbench.answer(json.dumps(request).encode())
            last = json.loads(said[-1][1:])
            assert last["say"] in ("answer", "refused"), (key, wrong, last["sentence"])
