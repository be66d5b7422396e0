"""What a model file may contain, as a schema: for checking, and as JSON Schema for editors."""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator, Field, model_validator

from routh.files.drawing_schema import DrawingPart
from routh.files.schema_words import (
    Bound,
    Latex,
    Number,
    Part,
    Range,
    Text,
    Texts,
    Truth,
    Whole,
    is_number,
)

LONGEST_RUN = 1e9
"""The latest end of a motion."""

MOST_POINTS = 100_000
"""Outputs of a motion, and points of a sweep."""


class CoordinatePart(Part):
    """A generalized coordinate."""

    start: Number = Field(0.0, description="where motions start")
    guess: Number = Field(0.0, description="near which an equilibrium is looked for")
    rate: Number = Field(0.0, description="its velocity at the start of motions")
    range: Range | None = Field(None, description="where equilibria are looked for")
    periodic: Truth | None = Field(None, description="whether it is an angle; found out if not given")
    unit: str | None = Field(None, description="like m or rad")
    latex: Latex | None = Field(None, description="how it is set in formulas")


class ParameterPart(Part):
    """A constant."""

    value: Number | None = Field(
        None, description="its number; without one `--p.name` or `values` gives it"
    )
    unit: str | None = Field(None, description="like kg or N/m")
    range: Range | None = Field(None, description="where reports vary it")
    positive: Truth | None = Field(
        None, description="whether it is above zero; true if its range is, unless this says false"
    )
    nonnegative: Truth | None = Field(None, description="whether it is zero or above")
    latex: Latex | None = Field(None, description="how it is set in formulas")


Parameter = Annotated[
    ParameterPart,
    BeforeValidator(
        lambda given: {"value": given} if is_number(given) else given,
        json_schema_input_type=float | ParameterPart,
    ),
]


class InputPart(Part):
    """A prescribed function of time."""

    value: Number = Field(0.0, description="its value at equilibria")
    law: Text | None = Field(None, description="its law in motions, an expression in t and coordinates")
    unit: str | None = Field(None, description="like N or m")
    latex: Latex | None = Field(None, description="how it is set in formulas")


class SpacePart(Part):
    """A material coordinate along a body."""

    start: Bound = Field("0", alias="from", description="where the body begins")
    end: Bound = Field(alias="to", description="where it ends")
    unit: str | None = Field(None, description="like m")


class FieldPart(Part):
    """A field along a body."""

    space: str = Field(description="the name of the space it goes along")
    functions: Whole | None = Field(12, ge=1, le=200, description="polynomials that make it")
    elements: Whole | None = Field(
        None, ge=1, le=100_000, description="cubic elements that make it instead"
    )
    start: Text = Field("0", description="its shape at the start, an expression in its space")
    unit: str | None = Field(None, description="like m")
    latex: Latex | None = Field(None, description="how it is set in formulas")


class EnergyPart(Part):
    """The energies; a list is a sum of terms."""

    kinetic: Texts | None = Field(None, description="T, of coordinates, rates and time")
    potential: Texts | None = Field(None, description="V, of coordinates and time")
    lagrangian: Texts | None = Field(None, description="L instead of T and V")
    dissipation: Texts | None = Field(None, description="Rayleigh's function D; its force is -dD/dv")


class ForcePart(Part):
    """A force: `on` with a `value`, a `force` `at` a point, or a `torque` `about` an angle."""

    on: Text | None = Field(None, description="a coordinate, or a field for a force per length")
    value: Text | None = Field(None, description="its generalized force")
    force: Text | None = Field(None, description="a vector")
    at: Text | None = Field(None, description="the point that it acts at, a vector")
    torque: Text | None = Field(None, description="a scalar in the plane, a vector in space")
    about: Text | None = Field(None, description="the angle or the rotation that it turns")


class FrictionPart(Part):
    """A contact: `kinetic + (static - kinetic) exp(-(s/stribeck)^2) + viscous s` against slip s.

    With a `normal` force N, `kinetic` is `coefficient` N and `static` is `static_coefficient` N. A
    `law` of the slip speed, of the coefficient where there is a `normal`, stands instead of the curve.
    """

    slip: Text = Field(description="the relative velocity, like x' - v, or [x', y'] in a plane")
    coefficient: Text | None = Field(None, description="that of slow slip, with `normal`")
    static_coefficient: Text | None = Field(None, description="that at rest, with `normal`")
    normal: Text | None = Field(
        None, description="the force that presses, like m*g, or reaction(phi) of a constraint phi"
    )
    static: Text | None = Field(None, description="the largest force at rest")
    kinetic: Text | None = Field(None, description="the force of slow slip")
    stribeck: Text | None = Field(None, description="the speed over which one falls to the other")
    viscous: Text | None = Field(None, description="force per slip velocity")
    law: Text | None = Field(None, description="instead of the curve, like F/(1 + s) of the slip speed")
    speed: str = Field("s", description="the name of the slip speed in `law`")
    name: str = Field("", description="how messages call the contact")


class RotationPart(Part):
    """The rotation from the axes of a body to those of space: a `quaternion`, a `matrix` or `euler`."""

    quaternion: str | None = Field(None, description="the letter of four coordinates, e for e0 to e3")
    matrix: Truth | None = Field(None, description="whether its nine entries are the coordinates")
    euler: str | None = Field(None, description='axes of the body one after the other, like "zxz"')
    angles: list[Text] = Field([], description="the angle about each of these axes")
    axis: tuple[Number, Number, Number] = Field(
        (0.0, 0.0, 1.0), description="it starts turned about this"
    )
    angle: Number = Field(0.0, description="by this")
    spin: tuple[Number, Number, Number] = Field(
        (0.0, 0.0, 0.0), description="its angular velocity at the start, along body axes"
    )


class BodyPart(Part):
    """A rigid body: a `shape` with its sizes, a `place` in `spaces`, or `parts` made before."""

    shape: str | None = Field(None, description='like "disc" or "rod"')
    length: Bound | None = Field(None, description="of a rod")
    width: Bound | None = Field(None, description="of a rectangle or box")
    height: Bound | None = Field(None, description="of a rectangle, box, cylinder or cone")
    radius: Bound | None = Field(None, description="of a round shape")
    place: Text | None = Field(None, description="a vector in the spaces of the body")
    spaces: list[str] = Field([], max_length=3, description="over which it goes")
    parts: list[str] = Field([], max_length=100, description="bodies that make it up")
    without: list[str] = Field([], max_length=100, description="bodies that are cut out of it")
    mass: Bound | None = Field(None, description="spread evenly")
    density: Bound | None = Field(None, description="an expression in the place x, y, z")
    angle: Bound | None = Field(None, description="it is turned by about the third axis")
    at: Text | None = Field(None, description="where its origin is put, a vector")


class VariableMassPart(Part):
    """A point mass that depends on position or time."""

    mass: Bound = Field(description="an expression in coordinates or time")
    at: Text = Field(description="where it is")
    accretion: str | None = Field(None, description='what its change keeps: "energy" or "momentum"')
    intake: Text | None = Field(None, description="the velocity of what is taken in or lost")


class DragPart(Part):
    """The drag of a tether in the wind."""

    diameter: Bound = Field(description="of the tether")
    density: Bound = Field(description="of the air")
    coefficient: Bound = Field(description="of drag across the tether")
    wind: Bound | None = Field(None, description="a vector, or the speed at the reference height")
    reference: Bound | None = Field(None, description="that height")
    exponent: Bound | None = Field(None, description="of the growth of the wind with height")
    roughness: Bound | None = Field(None, description="of the ground, for the logarithmic law")


class TetherPart(Part):
    """A tether that keeps its length, or has a `stiffness`; straight, or in `pieces`."""

    start: Text = Field(description="where it begins, a vector")
    end: Text = Field(description="where it ends, a vector")
    length: Bound = Field(description="between its ends when it is straight and not pulled")
    stiffness: Bound | None = Field(None, description="force per strain; it is slack when shorter")
    damping: Bound | None = Field(None, description="force per rate of strain")
    mass: Bound | None = Field(None, description="of a straight one, with `gravity`")
    pieces: Annotated[int, Field(strict=True, ge=1, le=1000)] | None = Field(
        None, description="how many it is cut into"
    )
    density: Bound | None = Field(None, description="mass per length of one in pieces")
    gravity: Bound | None = Field(None, description="the acceleration of gravity, for one with mass")
    rods: Truth = Field(False, description="whether pieces are rods; else their mass is in the nodes")
    name: str = Field("n", description="of its nodes: n1 has the coordinates n1_x and n1_z")
    nodes: list[list[Number]] | None = Field(None, description="where they start; hanging if not given")
    drag: DragPart | None = Field(None, description="in the wind")


class DrumPart(Part):
    """A drum that reels a tether as it turns."""

    length: Bound = Field(description="of the tether outside, a coordinate or made of some")
    radius: Bound = Field(description="at which the tether leaves it")
    inertia: Bound = Field(description="its moment of inertia, without the tether")
    torque: Bound | None = Field(None, description="positive where it reels out")
    damping: Bound | None = Field(None, description="torque per angular velocity")
    density: Bound | None = Field(None, description="of the tether that is wound up, mass per length")
    whole: Bound | None = Field(None, description="the length of the tether, outside and wound up")


class KitePart(Part):
    """A kite: a point with `lift` and `drag`, or a rigid body with a `rotation` and `coefficients`."""

    at: Text = Field(description="its position, three components")
    mass: Bound = Field(description="of the kite")
    area: Bound = Field(description="that lift and drag are counted with")
    density: Bound = Field(description="of the air")
    gravity: Bound = Field(description="the acceleration of gravity")
    wind: Bound | None = Field(None, description="a vector, or the speed at the reference height")
    reference: Bound | None = Field(None, description="that height")
    exponent: Bound | None = Field(None, description="of the growth of the wind with height")
    roughness: Bound | None = Field(None, description="of the ground, for the logarithmic law")
    lift: Bound | None = Field(None, description="coefficient of a point")
    drag: Bound | None = Field(None, description="coefficient of a point")
    roll: Bound | None = Field(None, description="the angle by which its lift leans, in rad")
    towards: Text | None = Field(None, description="from the tether to the kite")
    rotation: str | None = Field(None, description="the name of its rotation")
    inertia: tuple[Bound, Bound, Bound] | None = Field(
        None, description="its principal moments of inertia"
    )
    span: Bound | None = Field(None, description="of the wing, for moments about x and z")
    chord: Bound | None = Field(None, description="of the wing, for moments about y")
    coefficients: str | dict[str, Bound] | None = Field(
        None, description='like "aerosonde", or a table'
    )
    elevator: Bound | None = Field(None, description="its angle in rad")
    aileron: Bound | None = Field(None, description="its angle in rad")
    rudder: Bound | None = Field(None, description="its angle in rad")
    name: str = Field("", description="how messages call it")


class RequirementPart(Part):
    """What values and motions must keep: an expression that is `positive` or `nonnegative`."""

    positive: Bound | None = Field(None, description="what must be above zero")
    nonnegative: Bound | None = Field(None, description="what must not be below zero")
    what: str = Field(description="how sentences call it")
    then: str = Field("", description="what has happened where a motion comes to its end there")


class MotionPart(Part):
    """The motion that is shown."""

    until: Number = Field(10.0, gt=0, le=LONGEST_RUN, description="its last time")
    outputs: Whole = Field(501, ge=2, le=MOST_POINTS, description="times at which it is known")
    shown: list[Text] = Field([], description="what is drawn over time; the coordinates if not given")
    ends: list[Text] = Field([], description="it ends where one of these falls below zero")


class SweepPart(Part):
    """A parameter that is moved."""

    parameter: str = Field(description="its name")
    start: Number = Field(alias="from", description="its first value")
    end: Number = Field(alias="to", description="its last value")
    points: Whole = Field(101, ge=2, le=MOST_POINTS, description="how many values")

    @model_validator(mode="after")
    def _moves(self) -> SweepPart:
        if self.start == self.end:
            raise ValueError("Expected `from` and `to` to differ")
        return self


class AnalysisPart(Part):
    """What reports show, beside what they always do."""

    motion: MotionPart = Field(MotionPart(), description="the motion of reports")
    sweep: SweepPart | None = Field(None, description="a parameter along which reports look")
    speeds: dict[str, Number] = Field({}, description="constant rates of a steady motion")
    equilibria: Truth = Field(True, description="whether to look for all equilibria")
    period: Bound | None = Field(
        None, description="of the drive, in numbers and parameters: multipliers of Floquet"
    )
    hamiltonian: Truth = Field(False, description="whether to write the canonical equations")
    proof: Truth = Field(False, description="whether to prove the list and the verdicts")


class ModelPart(Part):
    """A model file."""

    name: str = Field("", max_length=200, description="how sentences and pages call it")
    description: str = Field("", max_length=5000, description="a sentence or two about it")
    coordinates: dict[str, CoordinatePart] = Field({}, description="generalized coordinates by name")
    parameters: dict[str, Parameter] = Field({}, description="constants by name")
    inputs: dict[str, InputPart] = Field({}, description="prescribed functions of time by name")
    spaces: dict[str, SpacePart] = Field({}, description="material coordinates along bodies by name")
    fields: dict[str, FieldPart] = Field({}, description="fields along bodies by name")
    rotations: dict[str, RotationPart] = Field({}, description="rotations of bodies by name")
    bodies: dict[str, BodyPart] = Field({}, description="rigid bodies by name")
    let: dict[str, Text] = Field({}, description="named expressions or vectors, each of earlier ones")
    points: dict[str, Text] = Field({}, description="positions, each of earlier names")
    energy: EnergyPart = Field(description="the energies")
    forces: list[ForcePart] = Field([], max_length=1000, description="forces by their virtual work")
    constraints: list[Text] = Field(
        [], max_length=1000, description="expressions held at zero, of positions or of velocities"
    )
    friction: list[FrictionPart] = Field([], max_length=100, description="contacts with dry friction")
    variable_mass: list[VariableMassPart] = Field([], max_length=100, description="masses that change")
    tether: list[TetherPart] = Field([], max_length=100, description="tethers")
    drum: list[DrumPart] = Field([], max_length=100, description="drums that reel tethers")
    kite: list[KitePart] = Field([], max_length=100, description="kites")
    requirements: list[RequirementPart] = Field(
        [], max_length=1000, description="what values and motions must keep"
    )
    drawing: DrawingPart = Field(DrawingPart(), description="how the mechanism looks")
    analysis: AnalysisPart = Field(AnalysisPart(), description="what reports show")
