"""A system with its numbers, what to draw and what to show."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from routh.files.schema import AnalysisPart
from routh.files.text import parse
from routh.language.fields import Field
from routh.language.symbols import Coordinate, Input
from routh.language.system import System
from routh.shown import as_markdown


@dataclass(frozen=True)
class Drawing:
    """What a picture of the mechanism shows."""

    points: dict[str, Any] = field(default_factory=dict)
    masses: dict[str, Any] = field(default_factory=dict)
    lines: tuple[tuple[Any, ...], ...] = ()
    springs: tuple[tuple[Any, Any], ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to draw."""
        return not (self.points or self.masses or self.lines or self.springs)

    @property
    def marks(self) -> list[Any]:
        """Points and masses."""
        return [*self.points.values(), *self.masses.values()]

    _repr_markdown_ = as_markdown


@dataclass(frozen=True)
class Model:
    """A system with its numbers, as a model file gives it.

    Attributes:
        name, description: what it is.
        system: the system.
        values: a number for each parameter that has one.
        ranges: within which reports vary parameters.
        inputs: a number for each input, at equilibria.
        laws: what inputs are in motions: numbers or expressions.
        start: where motions start, by coordinate, velocity and field.
        guess: near where an equilibrium is looked for, by coordinate.
        within: ranges in which equilibria are looked for, by coordinate.
        periodic: what was said about coordinates being angles.
        sizes: how fields are made of coordinates.
        units: labels by name.
        drawing: what a picture shows.
        analysis: what reports show.
        names: what each name of the file stands for.
        text: the file.
    """

    name: str
    description: str
    system: System
    values: dict[str, float]
    ranges: dict[str, tuple[float, float]]
    inputs: dict[Input, float]
    laws: dict[Input, Any]
    start: dict[Any, Any]
    guess: dict[Coordinate, float]
    within: dict[Coordinate, tuple[float, float]]
    periodic: dict[Coordinate, bool]
    sizes: dict[Field, tuple[str, int]]
    units: dict[str, str]
    drawing: Drawing
    analysis: AnalysisPart
    names: dict[str, Any] = field(repr=False)
    text: str = field(repr=False)

    def expression(self, text: str) -> Any:
        """An expression in the names of the model, read like those in the file.

        Example:
            >>> import routh as rt
            >>> text = '''
            ... [coordinates]
            ... x = {}
            ... [energy]
            ... kinetic = "x'^2/2"
            ... '''
            >>> model = rt.load(text)
            >>> model.expression("2*x'^2")
            2*x'**2
        """
        return parse(text, self.names)

    _repr_markdown_ = as_markdown
