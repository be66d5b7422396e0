"""Where the nodes of a tether start: straight between its ends, or in an arc below where it is longer.

Of an arc every piece is a chord of one circle, so that pieces that keep their length do from the start:
n chords of length h that each turn by a span d = h sin(n a/2)/sin(a/2), which falls from n h to zero.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy

from routh.arrays import Array
from routh.errors import DeclarationError
from routh.language.symbols import t
from routh.language.walk import leaves, unfold

HALVINGS = 200
"""Steps to the angle of a chord: more than a double has bits."""


@dataclass(frozen=True)
class Strung:
    """A tether of a model file: its number and name there, its ends and its nodes.

    Attributes:
        number: in the file.
        name: of the nodes.
        nodes: vectors of coordinates.
        start, end: vectors.
        length: of the whole.
        places: where the nodes start, if that was said.
    """

    number: int
    name: str
    nodes: tuple[Any, ...]
    start: Any
    end: Any
    length: Any
    places: list[list[float]] | None


def node_starts(line: Strung, here: Mapping[Any, Any]) -> dict[Any, float]:
    """Where the coordinates of nodes start; `here` are numbers and laws of other symbols at the start.

    Raises:
        DeclarationError: places are given for other nodes than there are.
    """
    if not line.nodes:
        return {}
    size = len(line.nodes[0])
    if line.places is None:
        a, b = _numbers(line.start, here), _numbers(line.end, here)
        length = float(_numbers([line.length], here)[0])
        places = hanging(a, b, length, len(line.nodes) + 1).tolist()
    else:
        places = line.places
    if len(places) != len(line.nodes) or any(len(place) != size for place in places):
        raise DeclarationError(
            f"`nodes` says where each of {len(line.nodes)} nodes starts, {size} numbers each. Got"
            f" {places}."
        )
    pairs = zip(line.nodes, places, strict=True)
    return {q: float(x) for node, place in pairs for q, x in zip(node, place, strict=True)}


def _numbers(expressions: Any, here: Mapping[Any, Any]) -> Array:
    """Expressions at the start of motions; what has no number there is zero."""
    known = {
        symbol: x if isinstance(x, sympy.Basic) else sympy.Float(x)
        for symbol, x in here.items()
        if x is not None
    }
    known[t] = sympy.S.Zero
    written = [unfold(e).xreplace(known).xreplace(known) for e in expressions]
    left = dict.fromkeys(leaves(written), sympy.S.Zero)
    return np.array([float(e.xreplace(left)) for e in written])


def hanging(a: Array, b: Array, length: float, pieces: int) -> Array:
    """(pieces - 1, d): places of the nodes between two ends; the last component is the height."""
    shares = np.linspace(0, 1, pieces + 1)[1:-1, None]
    span = float(np.linalg.norm(b - a))
    straight = a + shares * (b - a)
    if not length > span:
        return straight
    along, down = _axes(a, b, span)
    turn = _turn(span * pieces / length, pieces)
    radius = length / pieces / (2 * math.sin(turn / 2))
    angles = (np.arange(1, pieces) - pieces / 2) * turn
    depth = radius * (np.cos(angles) - math.cos(pieces * turn / 2))
    middle = (a + b) / 2
    return np.asarray(middle + radius * np.sin(angles)[:, None] * along + depth[:, None] * down)


def _axes(a: Array, b: Array, span: float) -> tuple[Array, Array]:
    """Unit vectors from end to end, and across it downwards."""
    height = np.zeros(len(a))
    height[-1] = 1.0
    level = np.zeros(len(a))
    level[0] = 1.0
    along = (b - a) / span if span > 0 else level
    down = -height + (height @ along) * along
    if np.linalg.norm(down) < 1e-6:  # one end above the other: it hangs to the side
        down = level - (level @ along) * along
    return along, down / np.linalg.norm(down)


def _turn(ratio: float, pieces: int) -> float:
    """The angle of one chord, where sin(n a/2)/sin(a/2) is the ratio of span and chord."""
    low, high = 0.0, 2 * math.pi / pieces
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if math.sin(pieces * middle / 2) > ratio * math.sin(middle / 2):
            low = middle
        else:
            high = middle
    return (low + high) / 2
