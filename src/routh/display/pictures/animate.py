"""The verb `animate`: what moves in the plane or in space, as a page that plays, or as a film."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import sympy

from routh.analysis.given.bodies import body
from routh.analysis.given.numbers import number
from routh.analysis.given.reading import own_expression
from routh.analysis.motion.phases import StickSlip
from routh.analysis.motion.trajectory import Trajectory
from routh.arrays import Array
from routh.disk import refuse_unwritable, write_text, written
from routh.display.pictures.animation_page import page
from routh.display.pictures.space.scenery import Scenery, scenery, told
from routh.errors import DeclarationError, a_kind, in_line, needing
from routh.kernels.kernel import kernel
from routh.language.calculus import as_vector
from routh.language.domains import space_of
from routh.language.names import vector_by_name

FILM_RATE = 25
"""Frames per second of a film."""


@dataclass(frozen=True, eq=False, repr=False)
class Animation:
    """Points, lines and springs along a motion. In a notebook it plays; `save` writes it to a file.

    Attributes:
        t: (T,) times.
        points: the tracks of points, (T, d) each, by name.
        lines: polylines, each a list of tracks (T, d).
        springs: the same, drawn as springs.
        speed: seconds of the motion per second of the film.
        title: what is written above.
        labels: the tracks of words that move along, (T, d) each, by the words.
        scenery: bodies, arrows and frames in space.
    """

    t: Annotated[Array, "T"]
    points: dict[str, Annotated[Array, "T d"]] = field(repr=False)
    lines: list[list[Annotated[Array, "T d"]]] = field(repr=False)
    springs: list[list[Annotated[Array, "T d"]]] = field(repr=False)
    speed: float
    title: str
    labels: dict[str, Annotated[Array, "T d"]] = field(repr=False, default_factory=dict)
    scenery: Scenery = field(repr=False, default=Scenery())

    @property
    def tracks(self) -> list[Annotated[Array, "T d"]]:
        """Everything that is drawn: points, words, then places of lines and of springs."""
        drawn = (track for line in (*self.lines, *self.springs) for track in line)
        return [*self.points.values(), *self.labels.values(), *drawn]

    @property
    def html(self) -> str:
        """The page that plays it: one file, nothing is loaded from elsewhere."""
        return page(self)

    def _repr_html_(self) -> str:
        page = escape(self.html, quote=True)
        return (
            f'<iframe title="{escape(f"Animation of {self.title}")}" srcdoc="{page}"'
            ' style="width:100%;height:460px;border:0"></iframe>'
        )

    def save(self, path: str | Path) -> Path:
        """Write it to a file: .html for a page that plays, .gif or .mp4 for a film.

        It is written beside and renamed: if that fails, what was there before is as it was.

        Films are drawn with matplotlib (the extra `plot`); .mp4 needs the program ffmpeg.
        """
        if not isinstance(path, (str, Path)):
            raise DeclarationError(f'An animation is saved to a path, like "swing.html". Got {path!r}.')
        target = Path(path)
        kind = target.suffix.lower()
        if kind not in (".html", ".gif", ".mp4"):
            raise DeclarationError(f"An animation is saved as .html, .gif or .mp4. Got {str(path)!r}.")
        refuse_unwritable(target)
        if kind == ".html":
            return write_text(target, self.html)
        with needing("plot", "matplotlib", "Films need a plotting package"):
            from routh.display.pictures.film import film
        with written(target) as beside:
            film(self, beside, FILM_RATE)
        return target

    @property
    def counted(self) -> str:
        """How much there is of everything, in words."""
        own = self.scenery
        more = {
            "springs": self.springs,
            "bodies": own.bodies,
            "arrows": own.arrows,
            "frames": own.frames,
        }
        counts = "".join(f", {len(each)} {what}" for what, each in more.items() if each)
        return f"{len(self.points)} points, {len(self.lines)} lines{counts}"

    def __repr__(self) -> str:
        return f"Animation({self.title}, {self.counted})"


def animate(
    motion: Trajectory | StickSlip,
    *,
    points: Mapping[str, Any] | Sequence[Any] = (),
    lines: Sequence[Sequence[Any]] = (),
    springs: Sequence[Sequence[Any]] = (),
    labels: Mapping[str, Any] | None = None,
    bodies: Sequence[Mapping[str, Any]] = (),
    arrows: Mapping[str, Any] | Sequence[Any] = (),
    frames: Mapping[str, Any] | Sequence[Any] = (),
    speed: float | None = None,
    title: str | None = None,
) -> Animation:
    """An animation of points, lines and springs along a motion; in space of bodies, arrows and frames.

    In space the page is turned by dragging or by arrow keys and zoomed by the wheel or by + and -.

    Arguments:
        motion: what `simulate` returned.
        points: vectors of two or three components, in a list, or by name in a mapping.
        lines: each line is a list of vectors that it runs through, like `[vector(0, 0), r1, r2]`. A
            position that varies along a space is the whole body, like `[vector(0, 0), r]` with
            `r = vector(s, w)`.
        springs: the same for what is drawn as a spring, like `[vector(0, 0), r1]`.
        labels: vectors by the words that stand beside them.
        bodies: bodies in space, like `{"cylinder": (radius, height), "at": r, "rotation": R}`, with R
            from axes of the body to those of space, or 1 where it keeps its direction. Shapes are "box"
            with three edges, "cylinder" and "cone" with radius and height, "disc" and "sphere" with a
            radius; `at` is the middle, of a cone the tip. What is round has its axis along z of the
            body, or along another with `"axis": "y"`. Sizes are constant.
        arrows: pairs of a place and a vector, in a list or by words, like `{"L": (r, R * L)}`. Each is
            drawn to a scale of its own: where it is longest it is as long as the first body, or has a
            third of the size of the picture if there is none.
        frames: pairs of an origin and a rotation, in a list or by words; x is red, y green, z blue.
        speed: seconds of the motion per second of the film; if not given 1, or such that it lasts ten
            seconds where that would be shorter than two or longer than sixty.
        title: what is written above; the name of the system if not given.

    Example:
        >>> from routh import coordinate, ddt, cos, sin, System, vector, simulate
        >>> theta = coordinate("theta")
        >>> r = vector(sin(theta), -cos(theta))
        >>> pendulum = System(kinetic=ddt(theta) ** 2 / 2, potential=9.81 * r[1])
        >>> motion = simulate(pendulum, {}, {theta: 2}, np.linspace(0, 5, 251))
        >>> animate(motion, points=[r], lines=[[vector(0, 0), r]])
        Animation(the system, 1 points, 1 lines)
    """
    if not isinstance(motion, (Trajectory, StickSlip)):
        raise DeclarationError(
            f"animate needs a Trajectory, as simulate(...) returns it. Got {a_kind(motion)}."
        )
    if motion.conditions.shape:
        raise DeclarationError(
            "animate shows one motion. Got a batch of shape"
            f" {motion.conditions.shape}; simulate with single values."
        )
    pace = _pace(motion.t, speed)
    several = all(isinstance(each, (list, tuple)) for each in (lines, springs))
    if not isinstance(points, (Mapping, list, tuple)) or not several:
        raise DeclarationError(
            "`points` lists vectors, `lines` and `springs` lists of vectors, like points=[r1],"
            f" lines=[[vector(0, 0), r1]]. Got {in_line(points)}, {in_line(lines)} and"
            f" {in_line(springs)}."
        )
    given = told(bodies, arrows, frames)
    named = dict(points) if isinstance(points, Mapping) else {" " * k: r for k, r in enumerate(points)}
    words = _words(labels)
    drawn = [*named.values(), *words.values(), *(r for line in (*lines, *springs) for r in line)]
    if not drawn and given.is_empty:
        raise DeclarationError(
            "animate needs `points`, `lines` or `springs`, like points=[r1],"
            " lines=[[vector(0, 0), r1]], or `bodies`, `arrows` or `frames` in space."
        )
    found = _tracks(motion, drawn, in_space=not given.is_empty)
    tracks = iter(found)
    single = {label: next(tracks) for label in named}
    beside = {label: next(tracks) for label in words}
    if any(len(tracks_) > 1 for tracks_ in (*single.values(), *beside.values())):
        raise DeclarationError(
            "A point of `points` or `labels` must not vary along a space. Draw a whole body in `lines`,"
            " and a point of it with at(r, s, end)."
        )
    spatial = scenery(motion.system, given, motion.point(), [x for each in found for x in each])
    _refuse_unseen(spatial)
    return Animation(
        t=motion.t,
        points={label: track for label, (track,) in single.items()},
        lines=[[track for _ in line for track in next(tracks)] for line in lines],
        springs=[[track for _ in line for track in next(tracks)] for line in springs],
        speed=pace,
        title=motion.system.title.replace("`", "") if title is None else str(title),
        labels={label: track for label, (track,) in beside.items()},
        scenery=spatial,
    )


def _refuse_unseen(spatial: Scenery) -> None:
    """Refuse an arrow that is never there."""
    for k, arrow in enumerate(spatial.arrows, 1):
        if not arrow.way.any():
            named = f"`{arrow.words.strip()}`" if arrow.words.strip() else f"number {k} of `arrows`"
            raise DeclarationError(
                f"The arrow {named} is zero along the whole motion, and is never seen. Leave it out."
            )


def _pace(t: Array, speed: float | None) -> float:
    """Seconds of the motion per second of the film."""
    span = float(t[-1] - t[0])
    usual = 1.0 if 2 <= span <= 60 or not span else span / 10
    factor = number(usual if speed is None else speed, "`speed`")
    if factor.shape or factor <= 0:
        raise DeclarationError(f"`speed` must be a number above zero. Got {speed!r}.")
    return float(factor)


def _words(labels: Mapping[str, Any] | None) -> dict[str, Any]:
    """Labels by their words."""
    if labels is not None and not isinstance(labels, Mapping):
        raise DeclarationError(
            f'`labels` maps words to vectors, like {{"m1": r1}}. Got {in_line(labels)}.'
        )
    return {str(words): r for words, r in (labels or {}).items()}


def _tracks(
    motion: Trajectory | StickSlip, drawn: Sequence[Any], *, in_space: bool
) -> list[list[Array]]:
    """For every vector its track (T, d), read along the motion; several for one along a body."""
    if not drawn:
        return []
    what = "What is animated"
    vectors = [as_vector(vector_by_name(motion.system, r, what), what) for r in drawn]
    sizes = {r.rows for r in vectors}
    if len(sizes) > 1 or not sizes <= {2, 3}:
        raise DeclarationError(
            "Points and lines must all have two components, or all three. Got vectors of"
            f" {' and '.join(str(size) for size in sorted(sizes))}."
        )
    if in_space and sizes != {3}:
        raise DeclarationError(
            "Bodies, arrows and frames are drawn in space, with points and lines of three components."
            " Got vectors of two."
        )
    components: list[sympy.Expr] = [
        own_expression(motion.system, c, what, varying=True) for r in vectors for c in r
    ]
    size = sizes.pop()
    if any(space_of(list(r)) for r in vectors):
        found = [body(motion.system, r, motion.point()) for r in vectors]
    else:
        values = kernel(motion.system).values(components, motion.point())
        found = [values[:, None, k : k + size] for k in range(0, len(components), size)]
    if not all(np.isfinite(each).all() for each in found):
        raise DeclarationError("What is animated is not finite along the whole motion.")
    return [[each[:, k] for k in range(each.shape[1])] for each in found]
