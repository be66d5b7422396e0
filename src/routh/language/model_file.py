"""Model files: a system with its numbers, written as text.

`load` reads TOML into a `Model`: the system, values, a start, what to draw and what to show. `save`
writes one, also of a system that was made in Python.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import sympy
from pydantic import ValidationError

from routh.errors import DeclarationError, a_kind, did_you_mean, listed, shortened
from routh.language.calculus import as_vector, let
from routh.language.fields import Field, Space, space
from routh.language.fields import field as new_field
from routh.language.forces import Force, force, generalized_force, torque
from routh.language.schema import AnalysisPart, ForcePart, ModelPart, ParameterPart, Texts
from routh.language.symbols import Coordinate, Input, Parameter, checked_name, coordinate, parameter
from routh.language.symbols import input as new_input
from routh.language.system import System
from routh.language.text import parse

LARGEST = 1_000_000
"""Characters of a model file."""

LONGEST = 1000
"""Characters of a path."""


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


@dataclass(frozen=True)
class Model:
    """A system with its numbers, as a model file gives it.

    Attributes:
        name, description: what it is.
        system: the system.
        values: a number for each parameter that has one.
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
        """An expression in the names of the model, read like those in the file."""
        return parse(text, self.names)


def load(source: str | Path) -> Model:
    """The model in a file, or in a text that contains line breaks.

    Raises:
        DeclarationError: for anything that is no model, with the place and what to do about it.
    """
    text = _read(source)
    try:
        document = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise DeclarationError(
            f'{_named(source)} is no TOML: {error}. Texts stand in quotes, like kinetic = "m/2*x\'^2".'
        ) from None
    try:
        part = ModelPart.model_validate(document)
    except ValidationError as error:
        raise DeclarationError(_sentence(source, error)) from None
    return _Reader(part, text).model()


def _read(source: str | Path) -> str:
    if isinstance(source, str) and "\n" in source:
        return _short(source)
    if not isinstance(source, (str, Path)):
        raise DeclarationError(f"load reads a path or a text. Got {a_kind(source)}.")
    path = Path(source)
    if len(str(source)) > LONGEST or not path.is_file():
        raise DeclarationError(f"There is no model file {str(source)!r}. Write one with `routh new`.")
    try:
        return _short(path.read_text(encoding="utf-8"))
    except UnicodeDecodeError:
        raise DeclarationError(f"The model file {str(source)!r} is no text in UTF-8.") from None


def _short(text: str) -> str:
    if len(text) > LARGEST:
        raise DeclarationError(f"A model file has {LARGEST} characters at most. Got {len(text)}.")
    return text


def _named(source: str | Path) -> str:
    return (
        "The model" if isinstance(source, str) and "\n" in source else f"The model file {str(source)!r}"
    )


def _sentence(source: str | Path, error: ValidationError) -> str:
    """The first thing that the schema refuses, as a sentence."""
    first = error.errors()[0]
    place = ".".join(str(step) for step in first["loc"])
    if first["type"] == "extra_forbidden":
        word = str(first["loc"][-1])
        known = _words(first["loc"][:-1])
        return (
            f"{_named(source)} has `{place}`, which means nothing there. Known: {listed(known)}."
            + did_you_mean(word, known)
        )
    if first["type"] == "missing":
        hint = " Write a table [energy] with kinetic and potential." if place == "energy" else ""
        return f"{_named(source)} lacks `{place}`.{hint}"
    got = shortened(repr(first["input"]), 80)
    return f"{_named(source)}: `{place}` is not what is expected. {first['msg']}. Got {got}."


def _words(place: Iterable[Any]) -> list[str]:
    """The words that a table of a model file knows."""
    kind: Any = ModelPart
    for step in place:
        found = kind.model_fields.get(step) if hasattr(kind, "model_fields") else None
        if found is not None:
            kind = found.annotation
        for inner in getattr(kind, "__args__", ()):
            for each in (inner, *getattr(inner, "__args__", ())):
                if hasattr(each, "model_fields"):
                    kind = each
    fields = getattr(kind, "model_fields", {})
    return [found.alias or name for name, found in fields.items()]


class _Reader:
    """Makes a system of a checked model file."""

    def __init__(self, part: ModelPart, text: str) -> None:
        self._part = part
        self._text = text
        self._names: dict[str, Any] = {}

    def model(self) -> Model:
        """The model."""
        part = self._part
        coordinates = {n: self._put(coordinate(n, latex=c.latex)) for n, c in part.coordinates.items()}
        for name, given_ in part.parameters.items():
            self._parameter(name, given_)
        inputs = {n: self._put(new_input(n, latex=u.latex)) for n, u in part.inputs.items()}
        for name, each in part.spaces.items():
            self._put(space(name, self._bound(each.start, name), self._bound(each.end, name)))
        fields = {n: self._field(n) for n in part.fields}
        for name, expression in (*part.let.items(), *part.points.items()):
            self._let(name, expression)
        for name in part.points:
            as_vector(self._names[name], f"The point `{name}`")
        system = System(
            **self._energies(),
            forces=[f for each in part.forces for f in self._force(each)] or None,
            constraints=[self._parsed(c, f"constraint {k}") for k, c in enumerate(part.constraints, 1)],
            name=part.name,
        )
        self._refuse_unused(system, [*coordinates.values(), *fields.values()])
        given = {n: p if isinstance(p, ParameterPart) else ParameterPart(value=p)
                 for n, p in part.parameters.items()}  # fmt: skip
        every: list[tuple[str, Any]] = [
            *part.coordinates.items(), *given.items(), *part.inputs.items(), *part.fields.items(),
            *part.spaces.items(),
        ]  # fmt: skip
        used = {each.name for each in system.parameters}
        return Model(
            name=part.name,
            description=part.description,
            system=system,
            values={n: p.value for n, p in given.items() if p.value is not None and n in used},
            inputs={inputs[n]: u.value for n, u in part.inputs.items() if inputs[n] in system.inputs},
            laws={inputs[n]: u.value if u.law is None else self._parsed(u.law, f"inputs.{n}.law")
                  for n, u in part.inputs.items() if inputs[n] in system.inputs},
            start=self._start(coordinates, fields),
            guess={coordinates[n]: c.guess for n, c in part.coordinates.items()},
            within={coordinates[n]: c.range for n, c in part.coordinates.items() if c.range},
            periodic={coordinates[n]: c.periodic for n, c in part.coordinates.items()
                      if c.periodic is not None},
            sizes={f: ("elements", part.fields[n].elements or 0) if part.fields[n].elements
                   else ("functions", part.fields[n].functions or 12) for n, f in fields.items()},
            units={n: each.unit for n, each in every if each.unit},
            drawing=self._drawing(),
            analysis=part.analysis,
            names=dict(self._names),
            text=self._text,
        )  # fmt: skip

    def _put(self, symbol: Any) -> Any:
        """A symbol under its name, which must be new."""
        if symbol.name in self._names or symbol.name in ("t", "pi"):
            raise DeclarationError(
                f"The name `{symbol.name}` stands for two things in the model. Choose another."
            )
        self._names[symbol.name] = symbol
        return symbol

    def _parameter(self, name: str, given: float | ParameterPart) -> Parameter:
        part = given if isinstance(given, ParameterPart) else ParameterPart(value=given)
        made: Parameter = self._put(parameter(name, part.value, unit=part.unit, latex=part.latex))
        return made

    def _bound(self, given: float | str, name: str) -> Any:
        return self._parsed(given, f"spaces.{name}") if isinstance(given, str) else given

    def _field(self, name: str) -> Field:
        part = self._part.fields[name]
        over = self._names.get(part.space)
        if not isinstance(over, Space):
            spaces = list(self._part.spaces)
            raise DeclarationError(
                f"The field `{name}` lives on `{part.space}`, which is no space of the model. Spaces:"
                f" {listed(spaces)}." + did_you_mean(part.space, spaces)
            )
        made: Field = self._put(new_field(name, over, latex=part.latex))
        return made

    def _let(self, name: str, text: str) -> None:
        checked_name(name, "an intermediate")
        if name in self._names or name in ("t", "pi"):
            raise DeclarationError(
                f"The name `{name}` stands for two things in the model. Choose another."
            )
        value = self._parsed(text, f"let.{name}")
        varies = any(isinstance(x, Space) for x in sympy.Matrix([value]).free_symbols)
        fields = sympy.Matrix([value]).atoms(Field)
        self._names[name] = value if varies or fields else let(name, value)

    def _parsed(self, text: str, what: str) -> Any:
        return parse(text, self._names, what=what)

    def _energies(self) -> dict[str, Any]:
        found = {}
        for name in ("kinetic", "potential", "lagrangian", "dissipation"):
            given: Texts | None = getattr(self._part.energy, name)
            if given is not None:
                texts = given if isinstance(given, list) else [given]
                found[name] = [self._parsed(text, name) for text in texts]
        return found

    def _force(self, part: ForcePart) -> Iterable[Force]:
        given = {n for n in ("on", "value", "force", "at", "torque", "about") if getattr(part, n)}
        if given == {"on", "value"}:
            value = self._parsed(str(part.value), "forces.value")
            return [generalized_force(self._parsed(str(part.on), "forces.on"), value)]
        if given == {"force", "at"}:
            at = as_vector(self._parsed(str(part.at), "forces.at"), "The point `at`")
            return [force(self._parsed(str(part.force), "forces.force"), at=at)]
        if given == {"torque", "about"}:
            tau = self._parsed(str(part.torque), "forces.torque")
            found = torque(tau, self._parsed(str(part.about), "forces.about"))
            return found if isinstance(found, tuple) else [found]
        raise DeclarationError(
            "A force of a model has `on` and `value` (for a coordinate), `force` and `at` (at a point),"
            f" or `torque` and `about` (an angle). Got: {listed(sorted(given))}."
        )

    def _start(
        self, coordinates: Mapping[str, Coordinate], fields: Mapping[str, Field]
    ) -> dict[Any, Any]:
        found: dict[Any, Any] = {}
        for name, q in coordinates.items():
            part = self._part.coordinates[name]
            found |= {q: part.start, q.rate: part.rate}
        for name, w in fields.items():
            shape = self._parsed(self._part.fields[name].start, f"fields.{name}.start")
            if shape != 0:
                found[w] = shape
        return found

    def _drawing(self) -> Drawing:
        part = self._part.drawing
        if any(len(line) < 1 for line in part.lines):
            raise DeclarationError("A line of the drawing runs through one point at least. Got none.")

        def place(text: str) -> Any:
            return as_vector(self._parsed(text, "drawing"), f"`{text}` in the drawing")

        found = Drawing(
            points={text: place(text) for text in part.points},
            masses={text: place(text) for text in part.masses},
            lines=tuple(tuple(place(text) for text in line) for line in part.lines),
            springs=tuple((place(a), place(b)) for a, b in part.springs),
        )
        every = [*found.marks, *(r for line in (*found.lines, *found.springs) for r in line)]
        sizes = {r.rows for r in every}
        if len(sizes) > 1 or not sizes <= {2, 3}:
            raise DeclarationError(
                "What is drawn must have two components everywhere, or three. Got"
                f" {' and '.join(map(str, sorted(sizes)))}."
            )
        return found

    def _refuse_unused(self, system: System, declared: list[Any]) -> None:
        known = {*system.coordinates, *system.fields}
        unused = [x for x in declared if x not in known]
        if unused:
            raise DeclarationError(
                f"`{unused[0]}` is declared and enters no energy, force or constraint. Write its"
                " energy, or leave it out."
            )
