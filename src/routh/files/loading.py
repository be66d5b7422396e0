"""Model files: `load` reads TOML into a `Model`, and every mistake is told with its place."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import sympy
from pydantic import ValidationError

from routh.errors import DeclarationError, a_kind, did_you_mean, listed
from routh.files.building import kind_of
from routh.files.model import Drawing, Model
from routh.files.places import Places, Steps, shown
from routh.files.schema import ForcePart, ModelPart, ParameterPart
from routh.files.schema_errors import first_refusal
from routh.files.text import parse
from routh.files.units import dimension_of
from routh.language.calculus import let
from routh.language.fields import Field, Space, space
from routh.language.fields import field as new_field
from routh.language.forces import Force, force, generalized_force, torque
from routh.language.friction import Friction, friction
from routh.language.symbols import Coordinate, Parameter, checked_name, coordinate, parameter
from routh.language.symbols import input as new_input
from routh.language.system import System
from routh.language.walk import unfold

LARGEST = 1_000_000
"""Characters of a model file."""

LONGEST = 1000
"""Characters of a path."""


def load(source: str | Path) -> Model:
    """The model in a file, or in a text that contains line breaks.

    Raises:
        DeclarationError: for anything that is no model, with the place and what to do about it.

    Example:
        >>> import routh as rt
        >>> text = '''
        ... name = "pendulum"
        ... [coordinates]
        ... theta = {start = 0.5}
        ... [parameters]
        ... l = 2
        ... g = 9.81
        ... [energy]
        ... kinetic = "l^2/2*theta'^2"
        ... potential = "-g*l*cos(theta)"
        ... '''
        >>> model = rt.load(text)
        >>> model.system
        System(pendulum: 1 coordinate theta; parameters g, l)
        >>> model.values
        {'l': 2.0, 'g': 9.81}
    """
    text = _read(source)
    try:
        document = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise DeclarationError(
            f'{_named(source)} is no TOML: {error}. Texts stand in quotes, like kinetic = "m/2*x\'^2".'
        ) from None
    at = Places(_named(source), text)
    try:
        part = ModelPart.model_validate(document)
    except ValidationError as error:
        path, sentence = first_refusal(error)
        raise DeclarationError(f"{at.at(path)}: {sentence}") from None
    return _Reader(part, text, at).model()


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
    inline = isinstance(source, str) and "\n" in source
    return "The model" if inline else f"The model file {str(source)!r}"


def _parameter(name: str, part: ParameterPart) -> Parameter:
    """The parameter of an entry; one that a report varies above zero is positive if nothing is said."""
    above = part.range is not None and part.range[0] > 0
    positive = above if part.positive is None else part.positive
    return parameter(
        name,
        part.value,
        unit=part.unit,
        latex=part.latex,
        positive=positive,
        nonnegative=bool(part.nonnegative),
    )


class _Reader:
    """Makes a system of a checked model file."""

    def __init__(self, part: ModelPart, text: str, at: Places) -> None:
        self._part = part
        self._text = text
        self._places = at
        self._names: dict[str, Any] = {}

    def model(self) -> Model:
        """The model."""
        part = self._part
        coordinates = self._symbols("coordinates", lambda n, q: coordinate(n, latex=q.latex))
        self._symbols("parameters", _parameter)
        inputs = self._symbols("inputs", lambda n, u: new_input(n, latex=u.latex))
        self._symbols("spaces", self._space)
        fields = self._symbols("fields", self._field)
        for table in ("let", "points"):
            for name, text in getattr(part, table).items():
                with self._places.reading(table, name):
                    self._let(name, text, (table, name))
        for name in part.points:
            self._vector(name, "points", name)
        energies = self._energies()
        forces = [f for k in range(len(part.forces)) for f in self._force(k)] or None
        held = [self._scalar(c, "constraints", k) for k, c in enumerate(part.constraints)]
        rubbing = [self._friction(k) for k in range(len(part.friction))] or None
        with self._places.reading("energy"):
            system = System(
                **energies, forces=forces, constraints=held, friction=rubbing, name=part.name
            )
        self._refuse_unused(system, [*coordinates.values(), *fields.values()])
        self._check_analysis(system)
        used = {each.name for each in (*system.parameters, *system.inputs)}
        return Model(
            name=part.name,
            description=part.description,
            system=system,
            values={n: p.value for n, p in part.parameters.items()
                    if p.value is not None and n in used},
            ranges={n: p.range for n, p in part.parameters.items() if p.range and n in used},
            inputs={inputs[n]: u.value for n, u in part.inputs.items() if n in used},
            laws={inputs[n]: u.value if u.law is None else self._scalar(u.law, "inputs", n, "law")
                  for n, u in part.inputs.items() if n in used},
            start=self._start(coordinates, fields),
            guess={coordinates[n]: c.guess for n, c in part.coordinates.items()},
            within={coordinates[n]: c.range for n, c in part.coordinates.items() if c.range},
            periodic={coordinates[n]: c.periodic for n, c in part.coordinates.items()
                      if c.periodic is not None},
            sizes={f: ("elements", part.fields[n].elements or 0) if part.fields[n].elements
                   else ("functions", part.fields[n].functions or 12) for n, f in fields.items()},
            units=self._units(),
            drawing=self._drawing(),
            analysis=part.analysis,
            names=dict(self._names),
            text=self._text,
        )  # fmt: skip

    def _symbols(self, table: str, make: Any) -> dict[str, Any]:
        """A symbol for each entry of a table, under its name, which must be new."""
        made = {}
        for name, part in getattr(self._part, table).items():
            with self._places.reading(table, name):
                self._refuse_taken(name)
                made[name] = self._names[name] = make(name, part)
        return made

    def _refuse_taken(self, name: str) -> None:
        if name in self._names or name in ("t", "pi"):
            raise DeclarationError(
                f"The name `{name}` stands for two things in the model. Choose another."
            )

    def _space(self, name: str, part: Any) -> Space:
        return space(
            name, self._scalar(part.start, "spaces", name, "from"),
            self._scalar(part.end, "spaces", name, "to"),
        )  # fmt: skip

    def _field(self, name: str, part: Any) -> Field:
        over = self._names.get(part.space)
        if not isinstance(over, Space):
            spaces = list(self._part.spaces)
            raise DeclarationError(
                f"The field `{name}` lives on `{part.space}`, which is no space of the model. Spaces:"
                f" {listed(spaces)}." + did_you_mean(part.space, spaces)
            )
        return new_field(name, over, latex=part.latex)

    def _let(self, name: str, text: str, path: Steps) -> None:
        checked_name(name, "an intermediate")
        self._refuse_taken(name)
        value = parse(text, self._names, what=shown(path))
        varies = any(isinstance(x, Space) for x in sympy.Matrix([value]).free_symbols)
        fields = sympy.Matrix([value]).atoms(Field)
        self._names[name] = value if varies or fields else let(name, value)

    def _parsed(self, text: str, *path: str | int) -> Any:
        with self._places.reading(*path):
            return parse(text, self._names, what=shown(path))

    def _scalar(self, text: str, *path: str | int) -> Any:
        value = self._parsed(text, *path)
        with self._places.reading(*path):
            if isinstance(value, sympy.MatrixBase):
                raise DeclarationError(
                    f"Expected a scalar. Got {kind_of(value)}. Write norm2(r), dot(a, b) or a component"
                    " like r[1]."
                )
        return value

    def _vector(self, text: str, *path: str | int) -> Any:
        value = self._parsed(text, *path)
        with self._places.reading(*path):
            if not isinstance(value, sympy.MatrixBase):
                raise DeclarationError("Expected a vector like [x, y]. Got a scalar.")
        return value

    def _energies(self) -> dict[str, Any]:
        found = {}
        for name in ("kinetic", "potential", "lagrangian", "dissipation"):
            texts: list[str] | None = getattr(self._part.energy, name)
            if texts is not None:
                several = len(texts) > 1
                found[name] = [
                    self._scalar(text, "energy", name, *((k,) if several else ()))
                    for k, text in enumerate(texts)
                ]
        return found

    def _force(self, k: int) -> Iterable[Force]:
        part = self._part.forces[k]
        given = {n for n in ForcePart.model_fields if getattr(part, n)}

        def read(word: str) -> Any:
            return self._parsed(getattr(part, word), "forces", k, word)

        with self._places.reading("forces", k):
            if given == {"on", "value"}:
                on = read("on")
                if not isinstance(on, (Coordinate, Field)) or on.order:
                    raise DeclarationError(f"`on` must be a coordinate, a field or its end. Got {on}.")
                return [generalized_force(on, read("value"))]
            if given == {"force", "at"}:
                return [force(read("force"), at=self._vector(str(part.at), "forces", k, "at"))]
            if given == {"torque", "about"}:
                found = torque(read("torque"), read("about"))
                return found if isinstance(found, tuple) else [found]
            raise DeclarationError(
                "A force has `on` and `value` (for a coordinate), `force` and `at` (at a point), or"
                f" `torque` and `about` (an angle). Got: {listed(sorted(given))}."
            )

    def _friction(self, k: int) -> Friction:
        part = self._part.friction[k]
        words = [
            n for n in ("static", "kinetic", "stribeck", "viscous") if getattr(part, n) is not None
        ]
        given = {n: self._scalar(getattr(part, n), "friction", k, n) for n in words}
        slip = self._scalar(part.slip, "friction", k, "slip")
        with self._places.reading("friction", k):
            return friction(slip, **given, name=part.name)

    def _start(
        self, coordinates: Mapping[str, Coordinate], fields: Mapping[str, Field]
    ) -> dict[Any, Any]:
        found: dict[Any, Any] = {}
        for name, q in coordinates.items():
            part = self._part.coordinates[name]
            found |= {q: part.start, q.rate: part.rate}
        for name, w in fields.items():
            shape = self._scalar(self._part.fields[name].start, "fields", name, "start")
            if shape != 0:
                found[w] = shape
        return found

    def _units(self) -> dict[str, str]:
        found = {}
        for table in ("coordinates", "parameters", "inputs", "fields", "spaces"):
            for name, part in getattr(self._part, table).items():
                if part.unit:
                    with self._places.reading(table, name, "unit"):
                        dimension_of(part.unit)
                    found[name] = part.unit
        return found

    def _drawing(self) -> Drawing:
        part = self._part.drawing

        def place(text: str, *path: str | int) -> Any:
            return self._vector(text, "drawing", *path)

        def through(kind: str) -> tuple[tuple[Any, ...], ...]:
            return tuple(
                tuple(place(text, kind, k, j) for j, text in enumerate(line))
                for k, line in enumerate(getattr(part, kind))
            )

        found = Drawing(
            points={text: place(text, "points", k) for k, text in enumerate(part.points)},
            masses={text: place(text, "masses", k) for k, text in enumerate(part.masses)},
            lines=through("lines"),
            springs=through("springs"),
        )
        every = [*found.marks, *(r for line in (*found.lines, *found.springs) for r in line)]
        sizes = {r.rows for r in every}
        if len(sizes) > 1 or not sizes <= {2, 3}:
            raise DeclarationError(
                f"{self._places.at(('drawing',))}: what is drawn must have two components everywhere,"
                f" or three. Got {' and '.join(map(str, sorted(sizes)))}."
            )
        return found

    def _refuse_unused(self, system: System, declared: list[Any]) -> None:
        known = {*system.coordinates, *system.fields}
        for x in declared:
            if x not in known:
                table = "fields" if isinstance(x, Field) else "coordinates"
                raise DeclarationError(
                    f"{self._places.at((table, x.name))}: `{x}` is declared and enters no energy,"
                    " force or constraint. Write its energy, or leave it out."
                )

    def _refuse_unknown(self, name: str, symbols: Iterable[Any], kind: str, *path: str | int) -> None:
        known = [x.name for x in symbols]
        with self._places.reading(*path):
            if name not in known:
                raise DeclarationError(
                    f"`{name}` is no {kind} of the model. Known: {listed(known)}."
                    + did_you_mean(name, known)
                )

    def _check_analysis(self, system: System) -> None:
        """What reports are to show must be there."""
        asked = self._part.analysis
        for name in asked.speeds:
            self._refuse_unknown(name, system.coordinates, "coordinate", "analysis", "speeds", name)
        if asked.sweep is not None:
            path = ("analysis", "sweep", "parameter")
            self._refuse_unknown(asked.sweep.parameter, system.parameters, "parameter", *path)
        for k, text in enumerate(asked.motion.shown):
            self._scalar(text, "analysis", "motion", "shown", k)
        if asked.period is not None:
            self._check_period(system, self._scalar(asked.period, "analysis", "period"))

    def _check_period(self, system: System, period: Any) -> None:
        """A period is made of parameters and numbers."""
        others = unfold(period).free_symbols - set(system.parameters)
        if others:
            raise DeclarationError(
                f"{self._places.at(('analysis', 'period'))}: a period is made of numbers and parameters"
                f" of the energies. Got `{sorted(map(str, others))[0]}` in it."
            )
