"""Bodies, arrows and frames in space, read along a motion.

A body is a mapping of its shape and sizes, its place and its rotation, like `{"box": (a, b, c), "at":
r, "rotation": R}`; an arrow is a pair of its foot and a vector, a frame one of origin and rotation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import sympy

from routh.analysis.given.bodies import body
from routh.analysis.given.reading import own_expression
from routh.arrays import Array
from routh.display.pictures.space.solids import AXES, SHAPES, Mesh
from routh.errors import DeclarationError, did_you_mean, in_line, listed
from routh.kernels.engine import Point
from routh.kernels.kernel import kernel
from routh.language.calculus import as_vector
from routh.language.names import vector_by_name
from routh.language.system import System

ARROW, FRAME = 1.0, 0.6
"""Lengths of arrows where they are longest, and of axes, as shares of the first body."""

WITHOUT_BODY = 1 / 3
"""What stands for the first body where there is none, as a share of the size of what is drawn."""

WITHOUT_AXIS = ("box", "sphere")
"""Shapes that are not round about one axis of the body."""

NOT_TURNED = 1e-4
"""How far R^T R may be from the unit matrix: beyond it a body would be drawn askew."""


@dataclass(frozen=True, eq=False)
class Solid:
    """A body along a motion.

    Attributes:
        kind: the word of its shape.
        mesh: its faces, along its own axes.
        centre: (T, 3) its place.
        turn: (T, 3, 3) from its axes to those of space.
    """

    kind: str
    mesh: Mesh
    centre: Annotated[Array, "T 3"]
    turn: Annotated[Array, "T 3 3"]

    def corners(self, k: Any = slice(None)) -> Array:
        """(..., N, 3): where its vertices are, at some moments."""
        turned = np.swapaxes(self.turn[k], -1, -2)
        return np.asarray(self.centre[k][..., None, :] + self.mesh.vertices @ turned)


@dataclass(frozen=True, eq=False)
class Arrow:
    """A vector along a motion: its words, foot (T, 3) and way (T, 3) to the tip as it is drawn."""

    words: str
    foot: Annotated[Array, "T 3"]
    way: Annotated[Array, "T 3"]

    def corners(self, k: Any = slice(None)) -> Array:
        """(..., 2, 3): foot and tip, at some moments."""
        return np.stack([self.foot[k], self.foot[k] + self.way[k]], axis=-2)


@dataclass(frozen=True, eq=False)
class Frame:
    """Axes along a motion: words, origin (T, 3), directions as columns (T, 3, 3), their length."""

    words: str
    centre: Annotated[Array, "T 3"]
    turn: Annotated[Array, "T 3 3"]
    length: float

    def corners(self, k: Any = slice(None)) -> Array:
        """(..., 4, 3): the origin and the three tips, at some moments."""
        tips = self.centre[k][..., None, :] + self.length * np.swapaxes(self.turn[k], -1, -2)
        return np.concatenate([self.centre[k][..., None, :], tips], axis=-2)


@dataclass(frozen=True, eq=False)
class Scenery:
    """What is drawn in space beside points, lines and springs."""

    bodies: Sequence[Solid] = ()
    arrows: Sequence[Arrow] = ()
    frames: Sequence[Frame] = ()

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing."""
        return not (self.bodies or self.arrows or self.frames)

    def places(self, k: Any = slice(None)) -> list[Array]:
        """(..., 3) each: all its corners at some moments, of bodies, arrows, then frames."""
        every: list[Solid | Arrow | Frame] = [*self.bodies, *self.arrows, *self.frames]
        return [each.corners(k).reshape(-1, 3) for each in every]


@dataclass(frozen=True)
class Told:
    """What is to be drawn in space, as a person or a file gives it."""

    bodies: Sequence[Mapping[str, Any]] = ()
    arrows: Sequence[tuple[str, Any, Any]] = ()
    frames: Sequence[tuple[str, Any, Any]] = ()

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing."""
        return not (self.bodies or self.arrows or self.frames)


def told(bodies: Any, arrows: Any, frames: Any) -> Told:
    """What a person gives, with its form checked."""
    if not isinstance(bodies, (list, tuple)):
        raise DeclarationError(
            '`bodies` lists mappings, like [{"box": (a, b, c), "at": r, "rotation": R}]. Got'
            f" {in_line(bodies)}."
        )
    return Told(
        tuple(_checked(each) for each in bodies),
        _pairs(arrows, "`arrows`", '{"L": (r, L)} or [(r, L)], a foot and a vector each'),
        _pairs(frames, "`frames`", '{"body": (r, R)} or [(r, R)], an origin and a rotation each'),
    )


def scenery(system: System, given: Told, point: Point, others: Sequence[Array]) -> Scenery:
    """Bodies, arrows and frames at every point of a stack; the first body gives the measure of others.

    Raises:
        DeclarationError: what is given has not three components, does not turn, or has no size.
    """
    bodies = [_solid(system, each, point) for each in given.bodies]
    feet = [
        (words, _place(system, at, point, "the foot of an arrow"), _place(system, w, point, "an arrow"))
        for words, at, w in given.arrows
    ]
    frames = [
        (words, _place(system, at, point, "a frame"), _turn(system, turn, point, "a frame"))
        for words, at, turn in given.frames
    ]
    size = _measure(bodies, [*others, *(each[1] for each in (*feet, *frames))])
    return Scenery(
        bodies,
        [Arrow(words, foot, _scaled(way, size)) for words, foot, way in feet],
        [Frame(words, centre, turn, FRAME * size) for words, centre, turn in frames],
    )


def _measure(bodies: Sequence[Solid], others: Sequence[Array]) -> float:
    """The length by which arrows and frames are drawn."""
    if bodies:
        return float(np.ptp(bodies[0].mesh.vertices, axis=0).max())
    spread = float(np.ptp(np.concatenate(others), axis=0).max()) if others else 0.0
    return WITHOUT_BODY * (spread or 1.0)


def _scaled(way: Array, size: float) -> Array:
    longest = float(np.linalg.norm(way, axis=1).max())
    return np.asarray(way * (ARROW * size / longest) if longest > 0 else way)


def _pairs(given: Any, what: str, example: str) -> tuple[tuple[str, Any, Any], ...]:
    if given is not None and not isinstance(given, (Mapping, list, tuple)):
        raise DeclarationError(f"{what} are pairs, like {example}. Got {in_line(given)}.")
    named = given.items() if isinstance(given, Mapping) else (("", each) for each in given or ())
    found = []
    for words, pair in named:
        if not isinstance(pair, (list, tuple)) or len(pair) != 2:
            raise DeclarationError(f"{what} are pairs, like {example}. Got {in_line(pair)}.")
        found.append((str(words), *pair))
    return tuple(found)


def _checked(given: Any) -> Mapping[str, Any]:
    """The mapping of a body, if it has one shape and what that needs."""
    known = [*SHAPES, "at", "rotation", "axis"]
    if not isinstance(given, Mapping):
        raise DeclarationError(
            f'A body is a mapping, like {{"box": (a, b, c), "at": r, "rotation": R}}. Got'
            f" {in_line(given)}."
        )
    for word in given:
        if word not in known:
            raise DeclarationError(
                f"A body knows no `{word}`. Known: {listed(known)}." + did_you_mean(str(word), known)
            )
    shapes = [word for word in given if word in SHAPES]
    if len(shapes) != 1:
        raise DeclarationError(f"A body has one shape of {listed(SHAPES)}. Got {listed(shapes)}.")
    (kind,) = shapes
    if "at" not in given:
        raise DeclarationError(f'A {kind} needs its place, like "at": r.')
    if kind != "sphere" and given.get("rotation") is None:
        raise DeclarationError(
            f"A {kind} needs its `rotation`: the matrix from its axes to those of space, like"
            " quaternion(...) or euler_angles(...), or 1 if it keeps its direction."
        )
    if given.get("axis", "z") not in AXES:
        raise DeclarationError(f'`axis` is "x", "y" or "z" of the body. Got {given["axis"]!r}.')
    if "axis" in given and kind in WITHOUT_AXIS:
        raise DeclarationError(f"A {kind} has no `axis`: that is for what is round. Leave it out.")
    return given


def _solid(system: System, given: Mapping[str, Any], point: Point) -> Solid:
    kind = next(word for word in given if word in SHAPES)
    make, names = SHAPES[kind]
    sizes = given[kind] if isinstance(given[kind], (list, tuple, sympy.MatrixBase)) else [given[kind]]
    if len(sizes) != len(names):
        raise DeclarationError(
            f"A {kind} has {len(names)} size{'s' * (len(names) > 1)}: {', '.join(names)}. Got"
            f" {len(sizes)}."
        )
    values = _values(system, sizes, point, f"a {kind}")
    if not np.allclose(values, values[0], rtol=1e-9, atol=0) or not (values[0] > 0).all():
        ranges = zip(names, values.min(axis=0), values.max(axis=0), strict=True)
        raise DeclarationError(
            f"The sizes of a {kind} must be above zero and stay as they are along the motion. Got"
            f" {', '.join(f'{name} from {low:.4g} to {high:.4g}' for name, low, high in ranges)}."
        )
    mesh = make(*values[0])
    along = mesh.vertices if kind == "box" else mesh.vertices[:, AXES[given.get("axis", "z")]]
    return Solid(
        kind,
        Mesh(along, mesh.faces, mesh.tones, mesh.edges, mesh.closed),
        _place(system, given["at"], point, f"a {kind}"),
        _turn(system, given.get("rotation", 1), point, f"a {kind}"),
    )


def _values(system: System, given: Any, point: Point, what: str) -> Array:
    """(N, k): numbers along a motion."""
    entries = as_vector(vector_by_name(system, list(given), what), what)
    found = kernel(system).values([own_expression(system, e, what) for e in entries], point)
    if not np.isfinite(found).all():
        raise DeclarationError(f"What is drawn of {what} is not finite along the whole motion.")
    return np.asarray(found)


def _place(system: System, given: Any, point: Point, what: str) -> Array:
    """(N, 3): a place or a vector of space."""
    found = body(system, given, point)
    if found.shape[1:] != (1, 3):
        raise DeclarationError(
            f"Bodies, arrows and frames are drawn in space: {what} needs a vector of three components"
            f" that does not vary along a space. Got {found.shape[2]} components"
            f" at {found.shape[1]} places."
        )
    if not np.isfinite(found).all():
        raise DeclarationError(f"What is drawn of {what} is not finite along the whole motion.")
    return np.asarray(found[:, 0])


def _turn(system: System, given: Any, point: Point, what: str) -> Array:
    """(N, 3, 3): a rotation along a motion; 1 stands for none."""
    if isinstance(given, (int, float, sympy.Number)) and given == 1:
        return np.broadcast_to(np.eye(3), (len(point.q), 3, 3))
    matrix = sympy.Matrix(given) if isinstance(given, (list, tuple, np.ndarray)) else given
    if not isinstance(matrix, sympy.MatrixBase) or matrix.shape != (3, 3):
        raise DeclarationError(
            f"The rotation of {what} is a 3 x 3 matrix, like quaternion(...), euler_angles(...) or"
            f" rotation(angle, axis), or 1. Got {in_line(given)}."
        )
    found = _values(system, list(matrix), point, what).reshape(-1, 3, 3)
    off = float(np.abs(np.swapaxes(found, 1, 2) @ found - np.eye(3)).max())
    if off > NOT_TURNED or np.linalg.det(found[0]) < 0:
        raise DeclarationError(
            f"The rotation of {what} is none: R^T R must be the unit matrix and det R = 1. R^T R"
            f" differs by {off:.1e}, det R is {np.linalg.det(found[0]):.4g}."
        )
    return found
