"""The model description of a unit: what it has and how it may be used, in the words of the standard.

Both versions say the same: variables with units and start values, which of them are derivatives and
outputs, and on what these depend. Start values of a system with constraints are near ones: the unit
moves them onto the constraints.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from xml.sax.saxutils import quoteattr

from routh.exports.base_units import read_unit
from routh.exports.fmu.dependencies import dependencies
from routh.exports.fmu.unit_source import TOLERANCE
from routh.exports.fmu.variables import Variable, Variables
from routh.version import __version__


@dataclass(frozen=True)
class Described:
    """What a description tells: the variables, the name of the binary, the token and a title."""

    variables: Variables
    identifier: str
    token: str
    title: str
    about: str

    @property
    def held(self) -> bool:
        """Whether there are constraints."""
        return bool(self.variables.functions.c)

    @property
    def happens(self) -> bool:
        """Whether there is anything to watch."""
        return bool(self.variables.ends or self.variables.events)

    def jumps(self, place: int) -> bool:
        """Whether a variable may be changed at events: a state, by constraints or by what they do."""
        states = self.variables.places("states")
        velocity = place in states[len(states) // 2 :]
        return place in states and (self.held or (velocity and bool(self.variables.changes)))

    @property
    def outputs(self) -> list[int]:
        """The places of all outputs."""
        return [k for k, v in enumerate(self.variables.all) if v.causality == "output"]

    @property
    def initial_unknowns(self) -> list[int]:
        """The places of what is computed while a unit is initialized."""
        states = self.variables.places("states")
        computed = [k for k in self.outputs if k not in states]
        near = list(states) if self.held else []
        return sorted([*near, *self.variables.places("rates"), *computed])


def element(name: str, given: Mapping[str, object], inside: Iterable[str] = ()) -> str:
    """An element of XML: attributes that are there, and others inside."""
    said = "".join(f" {key}={_attribute(x)}" for key, x in given.items() if x is not None)
    lines = [f"  {line}" for each in inside for line in each.splitlines()]
    return "\n".join([f"<{name}{said}>", *lines, f"</{name}>"]) if lines else f"<{name}{said}/>"


def _attribute(value: object) -> str:
    if isinstance(value, bool):
        return '"true"' if value else '"false"'
    text = repr(value) if isinstance(value, float) else str(value)
    return quoteattr(" ".join(text.split()), {'"': "&quot;"})


def document(root: str) -> str:
    """A file of XML."""
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{root}\n'


def units(variables: Variables) -> str:
    """The units that variables have; what labels mean, as far as they can be read."""
    labels = dict.fromkeys(v.unit for v in variables.all if v.unit)
    return element("UnitDefinitions", {}, (_unit(label) for label in labels))


def _unit(label: str) -> str:
    meant = read_unit(label)
    if meant is None:
        return element("Unit", {"name": label})
    factor = {} if meant.factor == 1.0 else {"factor": meant.factor}
    return element("Unit", {"name": label}, [element("BaseUnit", {**meant.exponents, **factor})])


def log_categories() -> str:
    """What the unit speaks of."""
    return element(
        "LogCategories",
        {},
        [
            element("Category", {"name": "logStatusError", "description": "what went wrong"}),
            element("Category", {"name": "logEvents", "description": "what has ended a motion"}),
        ],
    )


def experiment() -> str:
    """What is asked for where nothing is said."""
    return element("DefaultExperiment", {"startTime": 0.0, "tolerance": TOLERANCE})


def initial(described: Described, place: int, variable: Variable) -> str | None:
    """How a variable gets its first value."""
    if place in described.variables.places("states"):
        return "approx" if described.held else "exact"
    return "calculated" if variable.causality in ("output", "local") else None


def variability(variable: Variable) -> str:
    """How a variable changes."""
    if variable.causality == "parameter":
        return "tunable"
    return "discrete" if variable.discrete else "continuous"


def head(described: Described, version: str) -> dict[str, object]:
    """The attributes of a description."""
    return {
        "fmiVersion": version,
        "modelName": described.title,
        ("guid" if version == "2.0" else "instantiationToken"): described.token,
        "description": described.about or None,
        "generationTool": f"Routh {__version__}",
        "variableNamingConvention": "structured",
    }


def description_3(described: Described) -> str:
    """modelDescription.xml of FMI 3.0."""
    able = {
        "modelIdentifier": described.identifier,
        "canGetAndSetFMUState": True,
        "canSerializeFMUState": True,
        "providesDirectionalDerivatives": True,
    }
    exchange = {**able, "needsCompletedIntegratorStep": described.held or described.happens}
    steps = {"canHandleVariableCommunicationStepSize": True}
    steps |= {"hasEventMode": True} if described.happens else {}
    parts = [
        element("ModelExchange", exchange),
        element("CoSimulation", {**able, **steps}),
        units(described.variables),
        log_categories(),
        experiment(),
        element("ModelVariables", {}, _variables_3(described)),
        element("ModelStructure", {}, _structure_3(described)),
    ]
    return document(element("fmiModelDescription", head(described, "3.0"), parts))


def _variables_3(described: Described) -> Iterator[str]:
    for place, v in enumerate(described.variables.all):
        yield element(
            "Float64",
            {
                "name": v.name,
                "valueReference": place,
                "causality": v.causality,
                "variability": variability(v),
                "initial": initial(described, place, v),
                "description": v.about,
                "unit": v.unit or None,
                "min": v.least,
                "start": v.start,
                "derivative": v.derivative_of,
                "reinit": True if described.jumps(place) else None,
            },
        )


def _structure_3(described: Described) -> Iterator[str]:
    own, known = described.variables, dependencies(described.variables)

    def unknown(kind: str, place: int) -> str:
        on = " ".join(map(str, known[place])) if place in known else None
        return element(kind, {"valueReference": place, "dependencies": on})

    yield from (unknown("Output", k) for k in described.outputs)
    yield from (unknown("ContinuousStateDerivative", k) for k in own.places("rates"))
    for k in described.initial_unknowns:
        yield element("InitialUnknown", {"valueReference": k})
    for kind in ("ends", "watched"):
        yield from (unknown("EventIndicator", k) for k in own.places(kind))


def description_2(described: Described, sources: Iterable[str]) -> str:
    """modelDescription.xml of FMI 2.0, whose variables are counted from 1."""
    files = element("SourceFiles", {}, (element("File", {"name": name}) for name in sources))
    able = {
        "modelIdentifier": described.identifier,
        "canNotUseMemoryManagementFunctions": True,
        "canGetAndSetFMUstate": True,
        "canSerializeFMUstate": True,
        "providesDirectionalDerivative": True,
    }
    count = len(described.variables.ends) + len(described.variables.events)
    exchange = {**able, "completedIntegratorStepNotNeeded": not (described.held or count)}
    parts = [
        element("ModelExchange", exchange, [files]),
        element("CoSimulation", {**able, "canHandleVariableCommunicationStepSize": True}, [files]),
        units(described.variables),
        log_categories(),
        experiment(),
        element("ModelVariables", {}, _variables_2(described)),
        element("ModelStructure", {}, _structure_2(described)),
    ]
    given = {**head(described, "2.0"), "numberOfEventIndicators": count}
    return document(element("fmiModelDescription", given, parts))


def _variables_2(described: Described) -> Iterator[str]:
    for place, v in enumerate(described.variables.all):
        near = initial(described, place, v)
        real = {
            "unit": v.unit or None,
            "min": v.least,
            "start": v.start,
            "derivative": None if v.derivative_of is None else v.derivative_of + 1,
            "reinit": True if described.jumps(place) else None,
        }
        yield element(
            "ScalarVariable",
            {
                "name": v.name,
                "valueReference": place,
                "description": v.about,
                "causality": v.causality,
                "variability": variability(v),
                "initial": near,
            },
            [element("Real", real)],
        )


def _structure_2(described: Described) -> Iterator[str]:
    own, known = described.variables, dependencies(described.variables)

    def unknown(place: int, first: bool = False) -> str:
        on = None if first or place not in known else " ".join(str(k + 1) for k in known[place])
        return element("Unknown", {"index": place + 1, "dependencies": on})

    yield element("Outputs", {}, (unknown(k) for k in described.outputs))
    yield element("Derivatives", {}, (unknown(k) for k in own.places("rates")))
    yield element("InitialUnknowns", {}, (unknown(k, True) for k in described.initial_unknowns))
