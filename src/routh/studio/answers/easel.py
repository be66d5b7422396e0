"""What a drawing is drawn with: its window, its anatomy and its handles, found once for its numbers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from routh.arrays import Array
from routh.display.pictures.anatomy import Anatomy
from routh.display.pictures.mechanism import Parts, anatomy_of, places_along
from routh.display.pictures.sketch import Window, flat, lettered, window_around
from routh.display.report.findings import Findings
from routh.files.drawn import Drawing
from routh.kernels.engine import Point
from routh.language.domains import at, space_of
from routh.language.walk import unfold
from routh.studio.answers.pose import Pose, angles, pose

TRIES = 64
"""Positions at which a mechanism is looked at, for the window that holds it and what moves in it."""

WIDEST = 1.5
"""How far the window reaches from the middle, at most, in sizes of the mechanism where it starts."""

EXTENT = 360.0
"""Pixels of the larger side of a window, without its margins."""

MARGIN = 56.0
"""Pixels about it, for names."""


@dataclass(frozen=True)
class Handle:
    """A point of the drawing that can be taken by hand: its key, its words and its place r(q)."""

    key: str
    name: str
    place: tuple[Any, ...]


@dataclass(frozen=True, eq=False)
class Easel:
    """The drawing of a model at some numbers, about where it starts."""

    drawing: Drawing
    here: Pose

    @cached_property
    def parts(self) -> Parts:
        """What is drawn."""
        return Parts.of(self.drawing)

    @cached_property
    def told(self) -> tuple[Anatomy, list[Any]]:
        """What is what."""
        return anatomy_of(self.here.system, self.parts, self.here.point)

    @cached_property
    def window(self) -> Window:
        """What holds the mechanism wherever its angles turn it, unless that is far more than it is."""
        here = self.here
        (now,) = places_along(here.system, self.parts, here.point)
        own = _seen(now.every)
        size = float(np.ptp(own, axis=0).max()) or 1.0
        middle = (own.min(axis=0) + own.max(axis=0)) / 2
        if here.holonomic:  # positions at random would break them
            return window_around([own, middle + 0.75 * size * _CORNERS], EXTENT, MARGIN)
        every = [own]
        for places in places_along(here.system, self.parts, self.around):
            far = WIDEST * size
            every.append(np.clip(_seen(places.every), middle - far, middle + far))
        return window_around(every, EXTENT, MARGIN)

    @cached_property
    def around(self) -> Point:
        """A stack of positions: angles anywhere, other coordinates a little aside."""
        chance, point = np.random.default_rng(0), self.here.point
        q = np.repeat(point.q, TRIES, axis=0)
        turned = angles(self.here.system)
        q[:, turned] = chance.uniform(-np.pi, np.pi, (TRIES, int(turned.sum())))
        q[:, ~turned] *= chance.uniform(0.8, 1.2, (TRIES, int((~turned).sum())))
        stack = Point(*(np.repeat(argument, TRIES, axis=0) for argument in point.arguments))
        return replace(stack, q=q)

    @cached_property
    def handles(self) -> tuple[Handle, ...]:
        """The points that move with the coordinates: masses, points, joints of lines, bodies."""
        return tuple(each for each in _candidates(self.drawing) if self._moves(each))

    def _moves(self, handle: Handle) -> bool:
        with np.errstate(all="ignore"):
            slopes = self.here.engine.slopes(list(handle.place), self.around)[0]
        return bool(np.nan_to_num(np.abs(slopes)).any())


_CORNERS = np.array([[-1.0, -1.0], [1.0, 1.0]])

_EASELS: WeakKeyDictionary[Findings, Easel] = WeakKeyDictionary()


def easel(found: Findings) -> Easel:
    """The easel of what was found, kept as long as that is."""
    own = _EASELS.get(found)
    if own is None:
        own = _EASELS[found] = Easel(found.model.drawing, pose(found, {}))
    return own


def _seen(every: list[Array]) -> Array:
    return np.concatenate([flat(np.atleast_2d(x)) for x in every])


def _candidates(drawing: Drawing) -> list[Handle]:
    """Every single point of a drawing, the ends of bodies that bend among them, each once."""
    named: list[tuple[str, str, Any]] = [
        *((f"masses:{k}", words, r) for k, (words, r) in enumerate(drawing.masses.items())),
        *((f"points:{k}", words, r) for k, (words, r) in enumerate(drawing.points.items())),
        *(
            (f"{kind}:{k}:{j}", "", r)
            for kind, lines in (("lines", drawing.lines), ("springs", drawing.springs))
            for k, line in enumerate(lines)
            for j, r in enumerate(line)
        ),
        *((f"bodies:{k}", "", each["at"]) for k, each in enumerate(drawing.bodies)),
    ]
    seen: dict[tuple[Any, ...], Handle] = {}
    for key, words, r in named:
        space = space_of(list(r))
        for end, place in [("", r)] if space is None else _ends(r, space):
            entries = tuple(unfold(e) for e in place)
            seen.setdefault(entries, Handle(key + end, lettered(words), entries))
    return list(seen.values())


def _ends(r: Any, space: Any) -> list[tuple[str, Any]]:
    """The two ends of a body along a space."""
    return [(f":{side}", [at(e, space, bound) for e in r])
            for side, bound in zip(("start", "end"), space.bounds, strict=True)]  # fmt: skip
