"""A system with its numbers, what to draw and what to show."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import sympy

from routh.errors import DeclarationError
from routh.files.drawn import Drawing
from routh.files.schema import AnalysisPart
from routh.files.text import parse
from routh.language.events import Event, event
from routh.language.fields import Field
from routh.language.symbols import Coordinate, Input, Parameter
from routh.language.system import System
from routh.language.walk import leaves, unfold
from routh.shown import as_markdown


def with_numbers(value: Any, constants: Mapping[Parameter, float]) -> Any:
    """An expression or a vector with numbers for parameters that the system does not know."""
    entries = list(value) if isinstance(value, sympy.MatrixBase) else [value]
    if not leaves(entries) & constants.keys():
        return value
    numbers = {p: sympy.Float(x) for p, x in constants.items()}
    return (
        value.applyfunc(lambda e: unfold(e).xreplace(numbers))
        if isinstance(value, sympy.MatrixBase)
        else unfold(value).xreplace(numbers)
    )


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
        made: coordinates that rotations and tethers bring along.
        constants: numbers of parameters that no energy, force or constraint contains.
        names: what each name of the file stands for.
        text: the file; where it was in another format, the same as a model file.
        remarks: what of a file in another format was left out, or is called otherwise.
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
    made: tuple[Coordinate, ...]
    constants: dict[Parameter, float]
    names: dict[str, Any] = field(repr=False)
    text: str = field(repr=False)
    remarks: tuple[str, ...] = ()

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
        return with_numbers(parse(text, self.names), self.constants)

    @property
    def ends(self) -> tuple[Event, ...]:
        """The events that end the motion of the model: where one of `ends` falls below zero."""
        return tuple(
            event(self.expression(text), direction=-1, stop=True, name=f"{text} = 0")
            for text in self.analysis.motion.ends
        )

    def number(self, text: str, values: Mapping[str, float] | None = None) -> float:
        """The number of an expression in the parameters of the model.

        Arguments:
            text: the expression.
            values: numbers for parameters, by name; those of the model for the others.

        Raises:
            DeclarationError: something in it has no number.

        Example:
            >>> import routh as rt
            >>> text = '''
            ... [coordinates]
            ... x = {}
            ... [parameters]
            ... w = 4
            ... [energy]
            ... kinetic = "x'^2/2"
            ... potential = "cos(w*t)*x^2"
            ... '''
            >>> rt.load(text).number("2*pi/w")
            1.5707963267948966
        """
        e = unfold(self.expression(text))
        numbers = {**self.values, **(values or {})}
        known = {p: numbers[p.name] for p in self.system.parameters if p.name in numbers}
        if isinstance(e, sympy.MatrixBase) or e.free_symbols - known.keys():
            raise DeclarationError(
                f"Expected a number, or an expression in parameters that have values. Got {text}."
            )
        found = e.xreplace(known).evalf()
        return float(found) if found.is_real else math.nan

    _repr_markdown_ = as_markdown
