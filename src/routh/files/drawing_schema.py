"""What the table `drawing` of a model file may contain."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from routh.files.schema_words import Bound, Part, Text


class CirclePart(Part):
    """A circle in the plane."""

    at: Text
    radius: Bound


class CurvePart(Part):
    """A curve: a vector in a name of its own that goes from one number to another."""

    along: Text
    name: str = "u"
    start: Bound = Field(alias="from")
    end: Bound = Field(alias="to")
    points: Annotated[int, Field(strict=True, ge=2, le=1000)] = 61


class SolidPart(Part):
    """A body in space: one shape with its sizes, where it is, and how it is turned."""

    box: tuple[Bound, Bound, Bound] | None = Field(None, description="edges along x, y, z of the body")
    cylinder: tuple[Bound, Bound] | None = Field(None, description="radius and height")
    cone: tuple[Bound, Bound] | None = Field(None, description="radius and height; its tip is at `at`")
    disc: Bound | None = Field(None, description="radius")
    sphere: Bound | None = Field(None, description="radius")
    at: Text
    rotation: Bound | None = Field(None, description="a name of [rotations], or 1 if it does not turn")
    axis: Literal["x", "y", "z"] | None = Field(
        None, description="of the body, about which it is round; z if not given"
    )


class ArrowPart(Part):
    """A vector in space, drawn to a scale of its own."""

    at: Text
    along: Text
    text: str = Field("", max_length=100)


class FramePart(Part):
    """The axes of a rotation, drawn at a point in space."""

    at: Text
    rotation: Bound
    text: str = Field("", max_length=100)


class LabelPart(Part):
    """Words beside a point."""

    at: Text
    text: str = Field(max_length=100)


Way = Annotated[list[Text], Field(min_length=1)]


class DrawingPart(Part):
    """What a picture of the mechanism shows: vectors of two or three components."""

    points: list[Text] = []
    masses: list[Text] = Field([], description="points that are drawn large")
    lines: list[Way] = []
    springs: list[tuple[Text, Text]] = []
    circles: list[CirclePart] = []
    curves: list[CurvePart] = []
    ground: list[Way] = Field([], description="lines with strokes to the right of the way along them")
    labels: list[LabelPart] = []
    bodies: list[SolidPart] = Field([], description="in space; then every vector has three components")
    arrows: list[ArrowPart] = []
    frames: list[FramePart] = []
