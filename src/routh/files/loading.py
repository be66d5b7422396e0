"""Model files: `load` reads TOML, or a URDF, into a `Model`; every mistake is told with its place."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from routh.errors import DeclarationError, Span, a_kind, did_you_mean, listed
from routh.files.components import components
from routh.files.contacts_of_files import made_friction
from routh.files.drawn import Drawing, drawing_of
from routh.files.hanging import Strung, node_starts
from routh.files.matter import made_body
from routh.files.model import Model, with_numbers
from routh.files.named_texts import NamedTexts
from routh.files.places import Places
from routh.files.rotated import made_rotation, rotation_start
from routh.files.schema import ForcePart, ModelPart, ParameterPart
from routh.files.schema_errors import first_refusal, refuses_word
from routh.files.units import dimension_of
from routh.files.urdf.robot_model import load_urdf
from routh.language.declaring import coordinate, parameter
from routh.language.declaring import input as new_input
from routh.language.fields import Field, Space, space
from routh.language.fields import field as new_field
from routh.language.forces import Force, force, generalized_force, torque
from routh.language.rotations import Rotation
from routh.language.symbols import Coordinate, Parameter
from routh.language.system import System
from routh.language.walk import leaves
from routh.models.parts import Parts

LARGEST = 1_000_000
"""Characters of a model file."""

LONGEST = 1000
"""Characters of a path."""


def load(source: str | Path) -> Model:
    """The model in a file, or in a text that contains line breaks: in TOML, or a robot in URDF.

    A URDF (XML, with `<robot>`) is a tree of rigid bodies. Its joints are the coordinates, called by
    their names; a floating one has a place and a unit quaternion, a planar one two slides and an angle.
    Masses `m_...` of links and dampings `d_...` of joints are parameters, and so is `g`, 9.81 m/s^2
    against the third axis of the root, which stands still. Names of links are their origins in
    `model.expression`. `model.remarks` say what else the file has, as meshes, which are left out.

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
    if _is_xml(source, text):
        return load_urdf(text, _named(source))
    try:
        document = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise _no_toml(
            f'{_named(source)} is no TOML: {error}. Texts stand in quotes, like kinetic = "m/2*x\'^2".',
            text,
            error,
        ) from None
    at = Places(_named(source), text)
    try:
        part = ModelPart.model_validate(document)
    except ValidationError as error:
        path, sentence = first_refusal(error)
        told = at.refusal(path, f"{at.at(path)}: {sentence}", key=refuses_word(error))
        raise told from None
    return _Reader(part, text, at).model()


def _no_toml(sentence: str, text: str, error: Exception) -> DeclarationError:
    """The refusal of what is no TOML, at the place that its reader tells."""
    told = DeclarationError(sentence)
    lines = text.split("\n")
    place = re.search(r"\(at line (\d+), column (\d+)\)$", str(error))
    line, column = (int(place[1]), int(place[2])) if place else (len(lines), len(lines[-1]) + 1)
    if place or "end of document" in str(error):
        told.span = Span(line, column, 1, "")
    return told


def _read(source: str | Path) -> str:
    if isinstance(source, str) and "\n" in source:
        return _short(source)
    if not isinstance(source, (str, Path)):
        raise DeclarationError(f"load reads a path or a text. Got {a_kind(source)}.")
    path = Path(source)
    if len(str(source)) <= LONGEST and path.is_dir():
        raise DeclarationError(f"{str(source)!r} is a folder. Give the path of a model file in it.")
    if len(str(source)) > LONGEST or not path.is_file():
        raise DeclarationError(f"There is no model file {str(source)!r}. Write one with `routh new`.")
    if path.stat().st_size > 4 * LARGEST:  # bytes of a character in UTF-8, at most
        raise DeclarationError(
            f"A model file has {LARGEST} characters at most. Got {path.stat().st_size} bytes."
        )
    try:
        return _short(path.read_text(encoding="utf-8"))
    except UnicodeDecodeError:
        raise DeclarationError(f"The model file {str(source)!r} is no text in UTF-8.") from None


def _is_xml(source: str | Path, text: str) -> bool:
    """Whether it is a robot: by its ending, or by how it begins."""
    path = isinstance(source, Path) or "\n" not in source
    return (path and Path(source).suffix.lower() == ".urdf") or text.lstrip("\ufeff \t\r\n").startswith(
        "<"
    )


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
        self._read = NamedTexts(at)
        self._constants: dict[Parameter, float] = {}

    def model(self) -> Model:
        """The model."""
        part, read = self._part, self._read
        coordinates = self._symbols("coordinates", lambda n, q: coordinate(n, latex=q.latex))
        self._symbols("parameters", _parameter)
        inputs = self._symbols("inputs", lambda n, u: new_input(n, latex=u.latex))
        self._symbols("spaces", self._space)
        fields = self._symbols("fields", self._field)
        rotations = self._symbols("rotations", self._rotation)
        self._symbols("bodies", lambda n, each: made_body(n, each, read))
        named = [(table, name) for table in ("let", "points") for name in getattr(part, table)]
        for k, (table, name) in enumerate(named):
            later = [other for _, other in named[k + 1 :]]
            read.add_let(name, getattr(part, table)[name], (table, name), later)
        for name in part.points:
            read.vector(name, "points", name)
        parts, strung = components(part, read)
        for line in strung:
            self._name_nodes(line)
        system = self._system(parts, rotations)
        self._refuse_unused(system, [*coordinates.values(), *fields.values()])
        self._check_analysis(system)
        used = {each.name for each in (*system.parameters, *system.inputs)}
        self._constants = {read.names[n]: p.value for n, p in part.parameters.items()
                           if p.value is not None and n not in used}  # fmt: skip
        laws = {inputs[n]: u.value if u.law is None else self._law(n, u.law)
                for n, u in part.inputs.items() if n in used}  # fmt: skip
        start = self._start(coordinates, fields, rotations)
        start |= self._node_starts(strung, start, laws)
        guess = {q: x for q, x in start.items() if q in system.coordinates}
        return Model(
            name=part.name,
            description=part.description,
            system=system,
            values={n: p.value for n, p in part.parameters.items()
                    if p.value is not None and n in used},
            ranges={n: p.range for n, p in part.parameters.items() if p.range and n in used},
            inputs={inputs[n]: u.value for n, u in part.inputs.items() if n in used},
            laws=laws,
            start=start,
            guess=guess | {coordinates[n]: c.guess for n, c in part.coordinates.items()},
            within={coordinates[n]: c.range for n, c in part.coordinates.items() if c.range},
            periodic={coordinates[n]: c.periodic for n, c in part.coordinates.items()
                      if c.periodic is not None},
            sizes={f: ("elements", part.fields[n].elements or 0) if part.fields[n].elements
                   else ("functions", part.fields[n].functions or 12) for n, f in fields.items()},
            units=self._units(),
            drawing=self._drawing(),
            analysis=part.analysis,
            made=tuple(q for q in system.coordinates if q not in coordinates.values()),
            constants=self._constants,
            names=dict(read.names),
            text=self._text,
        )  # fmt: skip

    def _symbols(self, table: str, make: Any) -> dict[str, Any]:
        """A symbol for each entry of a table, under its name, which must be new."""
        made = {}
        for name, part in getattr(self._part, table).items():
            with self._read.at(table, name):
                made[name] = self._read.add(name, make(name, part))
        return made

    def _rotation(self, name: str, part: Any) -> Rotation:
        made = made_rotation(
            name, part, lambda text, k: self._read.scalar(text, "rotations", name, "angles", k)
        )
        for q in made.coordinates:
            self._read.add(q.name, q)
        return made

    def _name_nodes(self, line: Strung) -> None:
        """Names for the nodes of a tether, and for their coordinates."""
        with self._read.at("tether", line.number):
            for k, node in enumerate(line.nodes, 1):
                self._read.add(f"{line.name}{k}", node)
                for q in node:
                    self._read.add(q.name, q)

    def _system(self, parts: Parts, rotations: Mapping[str, Rotation]) -> System:
        part, read = self._part, self._read
        energies = self._energies()
        for name in ("kinetic", "potential"):
            own = list(getattr(parts, name))
            if own and "lagrangian" in energies:
                energies["lagrangian"] += own if name == "kinetic" else [-e for e in own]
            elif own:
                energies[name] = [*energies.get(name, []), *own]
        if parts.dissipation:
            energies["dissipation"] = [*energies.get("dissipation", []), *parts.dissipation]
        forces = [f for k in range(len(part.forces)) for f in self._force(k)]
        held = [read.scalar(c, "constraints", k) for k, c in enumerate(part.constraints)]
        own_held = [c for R in rotations.values() for c in R.constraints]
        rubbing = [made_friction(each, k, read) for k, each in enumerate(part.friction)] or None
        with read.at("energy"):
            return System(
                **energies,
                forces=[*forces, *parts.forces] or None,
                constraints=[*held, *_new(own_held, parts), *parts.constraints],
                friction=rubbing,
                name=part.name,
                requirements=parts.requirements,
            )

    def _space(self, name: str, part: Any) -> Space:
        return space(
            name, self._read.scalar(part.start, "spaces", name, "from"),
            self._read.scalar(part.end, "spaces", name, "to"),
        )  # fmt: skip

    def _field(self, name: str, part: Any) -> Field:
        over = self._read.names.get(part.space)
        if not isinstance(over, Space):
            spaces = list(self._part.spaces)
            raise DeclarationError(
                f"The field `{name}` lives on `{part.space}`, which is no space of the model. Spaces:"
                f" {listed(spaces)}." + did_you_mean(part.space, spaces)
            )
        return new_field(name, over, latex=part.latex)

    def _energies(self) -> dict[str, Any]:
        found = {}
        for name in ("kinetic", "potential", "lagrangian", "dissipation"):
            texts: list[str] | None = getattr(self._part.energy, name)
            if texts is not None:
                several = len(texts) > 1
                found[name] = [
                    self._read.scalar(text, "energy", name, *((k,) if several else ()))
                    for k, text in enumerate(texts)
                ]
        return found

    def _force(self, k: int) -> Iterable[Force]:
        part = self._part.forces[k]
        given = {n for n in ForcePart.model_fields if getattr(part, n)}

        def read(word: str) -> Any:
            return self._read.parsed(getattr(part, word), "forces", k, word)

        with self._read.at("forces", k):
            if given == {"on", "value"}:
                on = read("on")
                if not isinstance(on, (Coordinate, Field)) or on.order:
                    raise DeclarationError(f"`on` must be a coordinate, a field or its end. Got {on}.")
                return [generalized_force(on, read("value"))]
            if given == {"force", "at"}:
                return [force(read("force"), at=self._read.vector(str(part.at), "forces", k, "at"))]
            if given == {"torque", "about"}:
                turned = self._read.names.get(str(part.about))
                body = turned if isinstance(turned, Rotation) else read("about")
                found = torque(read("torque"), body)
                return found if isinstance(found, tuple) else [found]
            raise DeclarationError(
                "A force has `on` and `value` (for a coordinate), `force` and `at` (at a point), or"
                f" `torque` and `about` (an angle). Got: {listed(sorted(given))}."
            )

    def _law(self, name: str, text: str) -> Any:
        return with_numbers(self._read.scalar(text, "inputs", name, "law"), self._constants)

    def _start(
        self,
        coordinates: Mapping[str, Coordinate],
        fields: Mapping[str, Field],
        rotations: Mapping[str, Rotation],
    ) -> dict[Any, Any]:
        found: dict[Any, Any] = {}
        for name, q in coordinates.items():
            part = self._part.coordinates[name]
            found |= {q: part.start, q.rate: part.rate}
        for name, w in fields.items():
            shape = self._read.scalar(self._part.fields[name].start, "fields", name, "start")
            if shape != 0:
                found[w] = shape
        for name, R in rotations.items():
            with self._read.at("rotations", name):
                found |= rotation_start(R, self._part.rotations[name])
        return found

    def _node_starts(
        self, strung: Iterable[Strung], start: Mapping[Any, Any], laws: Mapping[Any, Any]
    ) -> dict[Any, float]:
        """Where the nodes of tethers start."""
        values = {p: p.default for p in self._read.names.values() if isinstance(p, Parameter)}
        found: dict[Any, float] = {}
        for line in strung:
            with self._read.at("tether", line.number):
                found |= node_starts(line, {**values, **start, **laws})
        return found

    def _units(self) -> dict[str, str]:
        found = {}
        for table in ("coordinates", "parameters", "inputs", "fields", "spaces"):
            for name, part in getattr(self._part, table).items():
                if part.unit:
                    with self._read.at(table, name, "unit"):
                        dimension_of(part.unit)
                    found[name] = part.unit
        return found

    def _drawing(self) -> Drawing:
        def place(text: str, *path: str | int, names: Mapping[str, Any] | None = None) -> Any:
            found = self._read.vector(text, "drawing", *path, names=names)
            return with_numbers(found, self._constants)

        def scalar(text: str, *path: str | int) -> Any:
            return with_numbers(self._read.scalar(text, "drawing", *path), self._constants)

        def rotation(text: str, *path: str | int) -> Any:
            return 1 if text in ("1", "1.0") else self._read.rotation(text, "drawing", *path)

        with self._read.at("drawing"):
            return drawing_of(self._part.drawing, place, scalar, rotation)

    def _refuse_unused(self, system: System, declared: list[Any]) -> None:
        known = {*system.coordinates, *system.fields}
        for x in declared:
            if x not in known:
                table = "fields" if isinstance(x, Field) else "coordinates"
                at = self._read.places
                raise at.refusal(
                    (table, x.name),
                    f"{at.at((table, x.name))}: `{x}` is declared and enters no energy, force or"
                    " constraint. Write its energy, or leave it out.",
                    key=True,
                )

    def _refuse_unknown(self, name: str, symbols: Iterable[Any], kind: str, *path: str | int) -> None:
        known = [x.name for x in symbols]
        with self._read.at(*path):
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
        if asked.period is not None:
            self._read.scalar(asked.period, "analysis", "period")
        for k, text in enumerate(asked.motion.shown):
            self._read.scalar(text, "analysis", "motion", "shown", k)
        for k, text in enumerate(asked.motion.ends):
            end = ("analysis", "motion", "ends", k)
            if all(isinstance(s, Parameter) for s in leaves([self._read.scalar(text, *end)])):
                with self._read.at(*end):
                    raise DeclarationError(f"`{text}` does not change along a motion, and ends none.")


def _new(own: list[Any], parts: Parts) -> list[Any]:
    """Constraints of rotations that no part has brought along already."""
    return [c for c in own if c not in parts.constraints]
