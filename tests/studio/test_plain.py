"""Numbers on their way to the page."""

from __future__ import annotations

import json

import numpy as np
import pytest
import sympy

from routh.studio.plain import plain, written


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (np.array([[1.0, np.nan], [np.inf, -2.5]]), [[1.0, None], [None, -2.5]]),
        (np.array([1 + 2j, complex(np.nan, 1)]), [[1.0, 2.0], [None, 1.0]]),
        (np.arange(3), [0, 1, 2]),
        (np.array([True, False]), [True, False]),
        (np.array(3.5), 3.5),
        (np.float32(0.5), 0.5),
        (np.int64(7), 7),
        (np.bool_(True), True),
        (3 - 4j, [3.0, -4.0]),
        (-np.inf, None),
        (np.float64(np.nan), None),
        ({sympy.Symbol("x"): (1, 2)}, {"x": [1, 2]}),
        ([{"a": np.zeros((0, 2))}], [{"a": []}]),
        (sympy.pi, "pi"),
        (None, None),
    ],
)
def test_what_json_cannot_say_is_said_otherwise(value, said):
    assert plain(value) == said
    assert json.loads(written({"value": value})) == {"value": said}


def test_plain_data_are_written_as_they_are():
    data = {"x": [0.1, 1e300, -0.0], "text": "ω ≤ 3 \U0001d714", "none": None, "deep": [[{"k": True}]]}
    assert json.loads(written(data)) == data
    assert "ω" in written(data).decode()


def test_half_a_character_does_not_stop_a_message():
    assert json.loads(written({"text": "a\ud800b"}))["text"] == "a?b"
