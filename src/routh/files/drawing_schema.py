"""What the table `drawing` of a model file may contain."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from routh.files.schema_words import Bound, Part, Text


class CirclePart(Part):
    """A circle in the plane."""

    at: Text = Field(description="its centre, a vector")
    radius: Bound = Field(description="its radius")


class CurvePart(Part):
    """A curve: a vector in a name of its own that goes from one number to another."""

    along: Text = Field(description="a vector in `name`")
    name: str = Field("u", description="the name that goes along it")
    start: Bound = Field(alias="from", description="its first value")
    end: Bound = Field(alias="to", description="its last value")
    points: Annotated[int, Field(strict=True, ge=2, le=1000)] = Field(
        61, description="places that are joined"
    )


class SolidPart(Part):
    """A body in space: one shape with its sizes, where it is, and how it is turned."""

    box: tuple[Bound, Bound, Bound] | None = Field(None, description="edges along x, y, z of the body")
    cylinder: tuple[Bound, Bound] | None = Field(None, description="radius and height")
    cone: tuple[Bound, Bound] | None = Field(None, description="radius and height; its tip is at `at`")
    disc: Bound | None = Field(None, description="radius")
    sphere: Bound | None = Field(None, description="radius")
    at: Text = Field(description="where its middle is, a vector")
    rotation: Bound | None = Field(None, description="a name of [rotations], or 1 if it does not turn")
    axis: Literal["x", "y", "z"] | None = Field(
        None, description="of the body, about which it is round; z if not given"
    )


class ArrowPart(Part):
    """A vector in space, drawn to a scale of its own."""

    at: Text = Field(description="where it begins, a vector")
    along: Text = Field(description="what it shows, a vector")
    text: str = Field("", max_length=100, description="words beside it")


class FramePart(Part):
    """The axes of a rotation, drawn at a point in space."""

    at: Text = Field(description="its origin, a vector")
    rotation: Bound = Field(description="a name of [rotations], or 1 if it does not turn")
    text: str = Field("", max_length=100, description="words beside it")


class LabelPart(Part):
    """Words beside a point."""

    at: Text = Field(description="a vector")
    text: str = Field(max_length=100, description="the words")


Way = Annotated[list[Text], Field(min_length=1)]


class DrawingPart(Part):
    """What a picture of the mechanism shows: vectors of two or three components."""

    points: list[Text] = Field([], description="points that are drawn small")
    masses: list[Text] = Field([], description="points that are drawn large")
    lines: list[Way] = Field([], description="each a list of points that are joined")
    springs: list[tuple[Text, Text]] = Field([], description="each from a point to another")
    circles: list[CirclePart] = Field([], description="circles in the plane")
    curves: list[CurvePart] = Field([], description="curves")
    ground: list[Way] = Field([], description="lines with strokes to the right of the way along them")
    labels: list[LabelPart] = Field([], description="words beside points")
    bodies: list[SolidPart] = Field([], description="in space; then every vector has three components")
    arrows: list[ArrowPart] = Field([], description="vectors drawn to a scale of their own")
    frames: list[FramePart] = Field([], description="axes of rotations")
