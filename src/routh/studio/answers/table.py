"""What can be asked, by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from routh.studio.answers.branch_answers import branches, switch
from routh.studio.answers.dragging import drag
from routh.studio.answers.kept_values import values
from routh.studio.answers.linear_answers import locus, response
from routh.studio.answers.live_numbers import live_numbers
from routh.studio.answers.made_files import export
from routh.studio.answers.mode_answers import modes
from routh.studio.answers.played_motion import motion
from routh.studio.answers.read_model import read_model
from routh.studio.answers.region_chart import chart
from routh.studio.answers.rest_list import rests
from routh.studio.answers.still_picture import picture
from routh.studio.answers.told_derivation import derivation
from routh.studio.bench import Bench

Answer = Callable[[Bench, Mapping[str, Any]], dict[str, Any] | Iterator[dict[str, Any]]]
"""An answer at once, or a generator of parts: each a dict, the last one whole."""

ASKS: dict[str, Answer] = {
    "read": read_model,
    "live": live_numbers,
    "rests": rests,
    "motion": motion,
    "picture": picture,
    "drag": drag,
    "response": response,
    "locus": locus,
    "modes": modes,
    "branches": branches,
    "switch": switch,
    "chart": chart,
    "derivation": derivation,
    "export": export,
    "values": values,
}
