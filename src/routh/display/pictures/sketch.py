"""A mechanism as SVG: links, springs, masses, supports, with names of lengths, angles and ways.

Colours are those of the page that holds it (`--ink`, `--soft`, `--paper`, `--blue`), or its own where
there is none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise

import numpy as np
from sympy.printing.conventions import split_super_sub
from sympy.printing.pretty.pretty_symbology import pretty_symbol

from routh.arrays import Array
from routh.display.pictures.coils import zigzag
from routh.display.pictures.space.painter import Stroke

EXTENT = 300.0
"""Pixels of the larger side of what is drawn."""

MARGIN = 8.0
"""Pixels around everything."""

YAW, TILT = -0.6, 0.35
"""From where space is looked at, as the player does at first."""

INK, SOFT, PAPER, BLUE = (
    f"var(--{name}, {colour})"
    for name, colour in (
        ("ink", "#1c2733"),
        ("soft", "#5c6b7a"),
        ("paper", "#fff"),
        ("blue", "#2166ac"),
    )
)


ARROW = 34.0
"""Pixels of the arrow of a coordinate."""

BESIDE = (24.0, 38.0, 52.0, 66.0)
"""Pixels beside its place at which it is tried."""

AHEAD = (0.0, 40.0, -70.0, 80.0, -110.0)
"""Pixels along its direction by which it is moved where there is no room beside the place."""

ROOM = 6.0
"""Pixels that it keeps from everything else."""


def _distances(points: Array, line: Array) -> Array:
    """(points, pieces): from points (k, 2) to the pieces of a line (m, 2)."""
    first, way = line[:-1], np.diff(line, axis=0)
    size = np.maximum((way**2).sum(axis=1), 1e-12)
    share = np.clip(((points[:, None] - first) * way).sum(axis=2) / size, 0.0, 1.0)
    return np.asarray(np.linalg.norm(points[:, None] - first - share[..., None] * way, axis=2))


def lettered(words: str) -> str:
    """A name with Greek letters and indices of Unicode; other words as they are."""
    return str(pretty_symbol(words)) if words.isidentifier() else words


def flat(places: Array) -> Array:
    """(..., 2): places of the plane as they are, of space seen from the side."""
    return places if places.shape[-1] == 2 else looked(places)[..., :2]


def looked(places: Array) -> Array:
    """(..., 3): places of space to the right and up on the paper, and towards the eye."""
    x, y, z = np.moveaxis(places, -1, 0)
    depth = np.sin(YAW) * x + np.cos(YAW) * y
    across = np.cos(YAW) * x - np.sin(YAW) * y
    up, near = np.cos(TILT) * z + np.sin(TILT) * depth, np.sin(TILT) * z - np.cos(TILT) * depth
    return np.stack([across, up, near], axis=-1)


@dataclass(frozen=True)
class Window:
    """A part of the plane that stays on the paper while what is drawn in it moves.

    Attributes:
        low: (2,) the place, as it is seen, at the origin of the paper.
        scale: pixels of a unit of length; up is up.
        box: left, top, width and height of the paper in pixels.
    """

    low: tuple[float, float]
    scale: float
    box: tuple[float, float, float, float]

    def seen(self, x: Array) -> Array:
        """(2,): what is seen at a point of the paper."""
        return np.asarray(self.low) + np.array([x[0], -x[1]]) / self.scale


def window_around(every: Sequence[Array], extent: float = EXTENT, margin: float = 60.0) -> Window:
    """The window about places, with room for names in its margin of pixels."""
    places = np.concatenate([flat(np.atleast_2d(each)) for each in every])
    low, size = places.min(axis=0), np.ptp(places, axis=0)
    scale = extent / (float(size.max()) or 1.0)
    wide, high = (max(extent / 3, float(x) * scale) for x in size)
    side = (wide - float(size[0]) * scale) / 2
    above = (high - float(size[1]) * scale) / 2
    box = (-margin - side, -high - margin + above, wide + 2 * margin, high + 2 * margin)
    return Window((float(low[0]), float(low[1])), scale, box)


class Sketch:
    """A drawing that grows: everything it will hold must be known first, for the scale.

    In a window it does not: what lies outside is cut off.
    """

    def __init__(
        self, every: Sequence[Array], extent: float = EXTENT, window: Window | None = None
    ) -> None:
        places = np.concatenate([flat(np.atleast_2d(each)) for each in every])
        self._window = window
        self._low = places.min(axis=0) if window is None else np.asarray(window.low)
        size = float(np.ptp(places, axis=0).max()) or 1.0
        self._scale = extent / size if window is None else window.scale
        self._unit = extent
        self._parts: list[str] = []
        self._texts: list[Array] = []
        self._strokes: list[Array] = []
        self._corners: list[Array] = [*self.at(places)]

    def at(self, place: Array) -> Array:
        """(..., 2): where a place is on the paper, in pixels."""
        return self.on_paper(flat(np.asarray(place, dtype=float)))

    def on_paper(self, seen: Array) -> Array:
        """(..., 2): what is seen to the right and up, in pixels."""
        x, y = np.moveaxis(seen - self._low, -1, 0) * self._scale
        return np.stack([x, -y], axis=-1)

    def way(self, direction: Array) -> Array:
        """(2,): a direction on the paper, of length one; zero if it is looked along."""
        seen = flat(np.asarray(direction, dtype=float)) * np.array([1.0, -1.0])
        length = float(np.linalg.norm(seen))
        return np.asarray(seen / length if length > 0 else seen)

    def line(self, places: Array, *, colour: str = INK, width: float = 3.0, dashes: str = "") -> None:
        """A line through places."""
        self._path(self.at(places), colour, width, dashes)

    def spring(self, places: Array, *, colour: str = INK) -> None:
        """Springs from one place to the next."""
        for a, b in pairwise(self.at(places)):
            self._path(zigzag(a, b, self._unit), colour, 1.6)

    def strokes(self, order: Sequence[Stroke]) -> None:
        """Bodies, lines and points of space in the order in which they hide each other."""
        for each in order:
            places, look = self.on_paper(each.places[:, :2]), each.look
            if len(places) > 2:
                self._polygon(places, look.colour)
            elif len(places) == 2:
                self._path(places, look.colour, look.width)
            elif look.way is not None:
                self._head(places[0], self.way(look.way), look.colour, 5.0)
            elif look.width:
                self._circle(places[0], look.width, look.colour)
            if look.words:
                self._reach(places[0], 22.0)
                self.words(places[0], look.words)

    def mass(self, place: Array, *, large: bool, colour: str = BLUE) -> None:
        """A point, small or large."""
        self._circle(self.at(place), 10 if large else 6, colour)

    def hinge(self, place: Array, away: Array) -> None:
        """A support about which something turns: a triangle on hatched ground."""
        x, out = self.at(place), away
        across = np.array([-out[1], out[0]])
        foot = x + 17 * out
        corners = [x, foot + 11 * across, foot - 11 * across, x]
        self._path(np.array(corners), SOFT, 1.4)
        self.ground(foot, out)
        self._circle(x, 4.5, PAPER, SOFT)

    def pin(self, place: Array) -> None:
        """A joint on ground that is drawn already."""
        self._circle(self.at(place), 4.5, PAPER, SOFT)

    def wall(self, place: Array, away: Array) -> None:
        """Hatched ground that something is fixed to."""
        self.ground(self.at(place), away)

    def ground(self, x: Array, out: Array) -> None:
        """Hatches on the far side of a line through a point of the paper."""
        across = np.array([-out[1], out[0]])
        self._path(np.array([x - 20 * across, x + 20 * across]), SOFT, 1.6)
        for k in range(-2, 3):
            foot = x + 8 * k * across
            self._path(np.array([foot, foot + 7 * out - 6 * across]), SOFT, 1.0)

    def length(self, a: Array, b: Array, label: str, beside: float = 15.0) -> None:
        """The name of a length beside its middle, above or to the right of it."""
        first, last = self.at(a), self.at(b)
        along = last - first
        across = np.array([along[1], -along[0]]) / (float(np.linalg.norm(along)) or 1.0)
        if across[1] > 0.2 or (abs(across[1]) <= 0.2 and across[0] < 0):
            across = -across
        tried = [first + share * along + side * beside * across
                 for share in (0.5, 0.35, 0.65) for side in (1, -1)]  # fmt: skip
        self.text(next((x for x in tried if self._is_free(x)), tried[0]), label)

    def _is_free(self, x: Array) -> bool:
        """Whether no name stands about a point of the paper."""
        return all(float(np.abs(x - other).max()) > 20.0 for other in self._texts)

    def angle(self, place: Array, start: float, turned: float, label: str, reach: float) -> None:
        """An arc about a place, counted from a dashed line; angles in rad of the plane."""
        x = self.at(place)

        def out(angle: float, radius: float) -> Array:
            return np.asarray(x + radius * np.array([np.cos(angle), -np.sin(angle)]))

        self._path(np.array([x, out(start, reach + 24)]), SOFT, 1.0, "4 4")
        arc = np.array([out(start + share * turned, reach) for share in np.linspace(0, 1, 25)])
        self._path(arc, SOFT, 1.2)
        if abs(turned) * reach > 14:
            back = np.array([-np.sin(start + turned), -np.cos(start + turned)]) * -np.sign(turned)
            self._head(arc[-1], -back)
        self.text(out(start + turned / 2, reach + 14), label)

    def arrow(self, x: Array, along: Array, length: float, label: str) -> None:
        """An arrow from a point of the paper, with its name at the tip."""
        tip = x + length * along
        self._path(np.array([x, tip]), SOFT, 1.6)
        self._head(tip, along)
        self.text(tip + 13 * along, label)

    def arrow_beside(self, place: Array, along: Array, label: str) -> None:
        """An arrow beside a place, as near to it as there is room; nearest where there is none."""
        x, aside = self.at(place), np.array([-along[1], along[0]])
        tried = [x + side * away * aside + ahead * along
                 for ahead in AHEAD for away in BESIDE for side in (1, -1)]  # fmt: skip
        free = (begin for begin in tried if self._has_room(begin, along))
        self.arrow(next(free, tried[0]), along, ARROW, label)

    def _has_room(self, x: Array, along: Array) -> bool:
        """Whether an arrow and its name would lie apart from all strokes and names."""
        covered = x + np.linspace(0, ARROW + 13, 10)[:, None] * along
        if not self._is_free(covered[-1]):
            return False
        return all(float(_distances(covered, stroke).min()) > ROOM for stroke in self._strokes)

    def gravity(self, along: Array) -> None:
        """The arrow of gravity, beside everything that is drawn so far."""
        if self._window is None:
            corners = np.array(self._corners)
            at = np.array([corners[:, 0].max() + 30.0, corners[:, 1].min() + 4.0])
        else:
            left, top, wide, _ = self._window.box
            at = np.array([left + wide - 22.0, top + 22.0])
        self.arrow(at - np.minimum(0.0, 34.0 * along), along, 34.0, "g")

    def text(self, x: Array, label: str) -> None:
        """A name in italics, with its index lowered."""
        inside = " + ".join(_named(each) for each in label.split(" + "))
        self._texts.append(x)
        self._reach(x, 5.0 * len(label) + 2.0)
        style = f"fill: {INK}; font: italic 17px Georgia, 'Times New Roman', serif"
        at = f'x="{x[0]:.1f}" y="{x[1] + 5:.1f}"'
        self._parts.append(f'<text {at} text-anchor="middle" style="{style}">{inside}</text>')

    def words(self, x: Array, label: str) -> None:
        """Words beside a point of the paper; a name stands in letters."""
        self._texts.append(x + np.array([14.0, -10.0]))
        self._reach(x, 8.0)
        self._corners.append(x + np.array([8.0 * len(label) + 10.0, -14.0]))
        style = f"fill: {SOFT}; font: 14px Georgia, 'Times New Roman', serif"
        at = f'x="{x[0] + 8:.1f}" y="{x[1] - 6:.1f}"'
        self._parts.append(f'<text {at} style="{style}">{escape(lettered(label))}</text>')

    def svg(self, title: str) -> str:
        """The drawing, with what it shows in words."""
        inside = "".join(self._parts)
        corners = np.array(self._corners)
        left, top = corners.min(axis=0) - MARGIN
        wide, high = corners.max(axis=0) + MARGIN - (left, top)
        if self._window is not None:
            left, top, wide, high = self._window.box
        return (
            f'<svg viewBox="{left:.0f} {top:.0f} {wide:.0f} {high:.0f}" width="{wide:.0f}"'
            f' height="{high:.0f}" role="img"><title>{escape(title)}</title>{inside}</svg>'
        )

    def _reach(self, x: Array, reach: float) -> None:
        """Make room about a point of the paper."""
        self._corners += [x - reach, x + reach]

    def _path(self, places: Array, colour: str, width: float, dashes: str = "") -> None:
        self._corners += [places.min(axis=0), places.max(axis=0)]
        self._strokes.append(places)
        d = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
        broken = f"; stroke-dasharray: {dashes}" if dashes else ""
        style = f"fill: none; stroke: {colour}; stroke-width: {width:g}{broken}"
        self._parts.append(f'<path d="{d}" style="{style}; stroke-linejoin: round"/>')

    def _circle(self, x: Array, radius: float, fill: str, edge: str = "none") -> None:
        self._reach(x, radius)
        style = f"fill: {fill}; stroke: {edge}; stroke-width: 1.6"
        self._parts.append(f'<circle cx="{x[0]:.1f}" cy="{x[1]:.1f}" r="{radius:g}" style="{style}"/>')

    def _head(self, tip: Array, along: Array, colour: str = SOFT, half: float = 3.5) -> None:
        across = np.array([-along[1], along[0]])
        back = tip - 2 * half * along
        corners = [tip + 2 * along, back + half * across, back - half * across]
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)
        self._parts.append(f'<polygon points="{points}" style="fill: {colour}"/>')

    def _polygon(self, places: Array, colour: str) -> None:
        """A face; a thin line of its own colour closes the seams between neighbours."""
        self._corners += [places.min(axis=0), places.max(axis=0)]
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        style = f"fill: {colour}; stroke: {colour}; stroke-width: 0.6; stroke-linejoin: round"
        self._parts.append(f'<polygon points="{points}" style="{style}"/>')


def _named(name: str) -> str:
    """A name with Greek letters, and what follows it lowered."""
    letter, above, below = split_super_sub(name)
    written = escape(pretty_symbol(letter))
    lowered = escape("".join(pretty_symbol(each) for each in (*above, *below)))
    if not lowered:
        return written
    low = f'<tspan dy="4" style="font-size: 12px">{lowered}</tspan>'
    return f'{written}{low}<tspan dy="-4">&#8203;</tspan>'
