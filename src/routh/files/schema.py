"""What a model file may contain, as a schema: for checking, and as JSON Schema for editors."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from routh.language.notation import no_mathematics

LONGEST_RUN = 1e9
"""The latest end of a motion."""

MOST_POINTS = 100_000
"""Outputs of a motion, and points of a sweep."""


def _is_number(given: Any) -> bool:
    return isinstance(given, int | float) and not isinstance(given, bool)


Number = Annotated[float, Field(strict=True)]
Whole = Annotated[int, Field(strict=True)]
Truth = Annotated[bool, Field(strict=True)]
Text = Annotated[str, Field(min_length=1, max_length=20_000)]
Texts = Annotated[
    list[Text],
    Field(max_length=1000),
    BeforeValidator(
        lambda given: [given] if isinstance(given, str) else given,
        json_schema_input_type=Text | list[Text],
    ),
]
Bound = Annotated[
    Text,
    BeforeValidator(
        lambda given: repr(given) if _is_number(given) else given, json_schema_input_type=float | Text
    ),
]


def _rising(given: tuple[float, float]) -> tuple[float, float]:
    if not given[0] < given[1]:
        raise ValueError("Expected the lower end of a range first")
    return given


def _mathematics(given: str) -> str:
    reason = no_mathematics(given)
    if reason:
        raise ValueError(f"Expected mathematics in LaTeX, like \\vartheta_{{1}}. {reason[:-1]}")
    return given


Latex = Annotated[str, Field(max_length=200), AfterValidator(_mathematics)]
Range = Annotated[tuple[Number, Number], AfterValidator(_rising)]


class Part(BaseModel):
    """A table of a model file; words it does not know are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True, allow_inf_nan=False)


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

    value: Number | None = None
    unit: str | None = Field(None, description="like kg or N/m")
    range: Range | None = Field(None, description="where reports vary it")
    positive: Truth | None = Field(
        None, description="whether it is above zero; true if its range is, unless this says false"
    )
    nonnegative: Truth | None = Field(None, description="whether it is zero or above")
    latex: Latex | None = None


Parameter = Annotated[
    ParameterPart,
    BeforeValidator(
        lambda given: {"value": given} if _is_number(given) else given,
        json_schema_input_type=float | ParameterPart,
    ),
]


class InputPart(Part):
    """A prescribed function of time."""

    value: Number = Field(0.0, description="its value at equilibria")
    law: Text | None = Field(None, description="its law in motions, an expression in t and coordinates")
    unit: str | None = None
    latex: Latex | None = None


class SpacePart(Part):
    """A material coordinate along a body."""

    start: Bound = Field("0", alias="from")
    end: Bound = Field(alias="to")
    unit: str | None = None


class FieldPart(Part):
    """A field along a body."""

    space: str
    functions: Whole | None = Field(12, ge=1, le=200, description="polynomials that make it")
    elements: Whole | None = Field(
        None, ge=1, le=100_000, description="cubic elements that make it instead"
    )
    start: Text = Field("0", description="its shape at the start, an expression in its space")
    unit: str | None = None
    latex: Latex | None = None


class EnergyPart(Part):
    """The energies; a list is a sum of terms."""

    kinetic: Texts | None = None
    potential: Texts | None = None
    lagrangian: Texts | None = None
    dissipation: Texts | None = None


class ForcePart(Part):
    """A force: `on` with a `value`, a `force` `at` a point, or a `torque` `about` an angle."""

    on: Text | None = None
    value: Text | None = None
    force: Text | None = None
    at: Text | None = None
    torque: Text | None = None
    about: Text | None = None


class FrictionPart(Part):
    """A contact: `kinetic + (static - kinetic) exp(-(s/stribeck)^2) + viscous s` against slip s."""

    slip: Text = Field(description="the relative velocity, like x' - v")
    static: Text | None = Field(None, description="the largest force at rest")
    kinetic: Text | None = Field(None, description="the force of slow slip")
    stribeck: Text | None = Field(None, description="the speed over which one falls to the other")
    viscous: Text | None = None
    name: str = ""


class DrawingPart(Part):
    """What a picture of the mechanism shows: vectors of two or three components."""

    points: list[Text] = []
    masses: list[Text] = Field([], description="points that are drawn large")
    lines: list[Annotated[list[Text], Field(min_length=1)]] = []
    springs: list[tuple[Text, Text]] = []


class MotionPart(Part):
    """The motion that is shown."""

    until: Number = Field(10.0, gt=0, le=LONGEST_RUN)
    outputs: Whole = Field(501, ge=2, le=MOST_POINTS)
    shown: list[Text] = []


class SweepPart(Part):
    """A parameter that is moved."""

    parameter: str
    start: Number = Field(alias="from")
    end: Number = Field(alias="to")
    points: Whole = Field(101, ge=2, le=MOST_POINTS)

    @model_validator(mode="after")
    def _moves(self) -> SweepPart:
        if self.start == self.end:
            raise ValueError("Expected `from` and `to` to differ")
        return self


class AnalysisPart(Part):
    """What reports show, beside what they always do."""

    motion: MotionPart = MotionPart()
    sweep: SweepPart | None = None
    speeds: dict[str, Number] = Field({}, description="constant rates of a steady motion")
    equilibria: Truth = Field(True, description="whether to look for all equilibria")
    proof: Truth = Field(False, description="whether to prove the list and the verdicts")
    hamiltonian: Truth = Field(False, description="whether to show Hamilton's equations")
    period: Bound | None = Field(
        None, description="the period of a drive, like 2*pi/omega, for Floquet's multipliers"
    )


class ModelPart(Part):
    """A model file."""

    name: str = Field("", max_length=200)
    description: str = Field("", max_length=5000)
    coordinates: dict[str, CoordinatePart] = {}
    parameters: dict[str, Parameter] = {}
    inputs: dict[str, InputPart] = {}
    spaces: dict[str, SpacePart] = {}
    fields: dict[str, FieldPart] = {}
    let: dict[str, Text] = Field({}, description="named expressions or vectors, each of earlier ones")
    points: dict[str, Text] = Field({}, description="positions, each of earlier names")
    energy: EnergyPart
    forces: list[ForcePart] = Field([], max_length=1000)
    constraints: list[Text] = Field([], max_length=1000)
    friction: list[FrictionPart] = Field([], max_length=100)
    drawing: DrawingPart = DrawingPart()
    analysis: AnalysisPart = AnalysisPart()
