"""C99: a source and its header, without allocation and without anything but math.h."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path

from routh.exports import reserved_words
from routh.exports.c_events import event_declarations, event_functions
from routh.exports.functions import ARGUMENTS, Functions
from routh.exports.heading import heading
from routh.exports.lines import Language
from routh.exports.subject import Subject

_FUNCTIONS = (
    "sqrt", "exp", "log", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh",
    "acosh", "atanh", "floor", "ceil", "erf", "log1p", "expm1", "fabs", "pow", "fmin", "fmax", "atan2",
    "fmod", "copysign", "hypot",
)  # fmt: skip
_MEANT = {"fabs": "abs", "pow": "power", "fmin": "min", "fmax": "max"}
WORDS = {
    "add": "{0} + {1}", "sub": "{0} - {1}", "mul": "{0} * {1}", "div": "{0} / {1}",
    "neg": "-{0}", "square": "{0} * {0}", "twice": "2.0 * {0}", "inverse": "1.0 / {0}",
    "less": "{0} < {1} ? 1.0 : 0.0", "less_equal": "{0} <= {1} ? 1.0 : 0.0",
    "equal": "{0} == {1} ? 1.0 : 0.0", "not_equal": "{0} != {1} ? 1.0 : 0.0",
    "not": "{0} == 0.0 ? 1.0 : 0.0", "and": "{0} != 0.0 && {1} != 0.0 ? 1.0 : 0.0",
    "or": "{0} != 0.0 || {1} != 0.0 ? 1.0 : 0.0", "where": "{0} != 0.0 ? {1} : 0.0",
    "sign": "{0} < 0.0 ? -1.0 : {0} > 0.0 ? 1.0 : {0}",
}  # fmt: skip
_OF_ONE, _OF_TWO = _FUNCTIONS[:-7], _FUNCTIONS[-7:]
WORDS |= {_MEANT.get(name, name): f"{name}({{0}})" for name in _OF_ONE}
WORDS |= {_MEANT.get(name, name): f"{name}({{0}}, {{1}})" for name in _OF_TWO}


def number(value: float) -> str:
    """A number in C, with all its digits."""
    if math.isnan(value):
        return "NAN"
    if math.isinf(value):
        return "INFINITY" if value > 0 else "-INFINITY"
    return repr(value)


C = Language("C", WORDS, number, lambda name, k: f"{name}[{k}]", "    const double {name} = {value};")

TEMPLATES = Path(__file__).parent / "templates"
"""What is written in C here: linear algebra and what stands on it."""

SINGULAR = 1e-13
"""The least pivot of scaled equations that still determines anything."""

_GIVEN = "double t, const double *state, const double *inputs, const double *parameters"


class CSource:
    """The texts of a source and of its header; all names begin with a prefix."""

    def __init__(self, given: Subject, prefix: str, command: str) -> None:
        self.given, self.own, self.prefix = given, given.functions, prefix
        self.functions = Functions(given, C, reserved_words.C)
        self._head = _comment(
            heading(given, "equations of motion in C99", command, self.functions.called)
        )

    @property
    def header(self) -> str:
        """The declarations, and the numbers of everything."""
        guard = f"{self.prefix.upper()}_H"
        parts = [self._head, f"#ifndef {guard}\n#define {guard}\n", self._counts(), self._places()]
        parts += ['#ifdef __cplusplus\nextern "C" {\n#endif\n']
        parts += [f"/* {said} */\n{head};\n" for head, said in self._declared()]
        parts += ["#ifdef __cplusplus\n}\n#endif\n\n#endif\n"]
        return "\n".join(parts)

    @property
    def source(self) -> str:
        """All functions."""
        parts = [self._head, f'#include "{self.prefix}.h"\n\n#include <math.h>\n', self._defaults()]
        names = ["matrices", "energies"]
        parts += [self._function(name) for name in (*names, *(["held"] if self.own.c else []))]
        parts += [self._function("outputs", internal=True)] if self.given.events else []
        if self.own.direct:
            parts += [self._function("rate", internal=True), self._function("linear", internal=True)]
            parts += [self._checked("rate"), self._checked("linear")]
        else:
            parts += [self._function("slopes", internal=True), *self._solving()]
        parts += event_functions(self.given, self.prefix, _GIVEN) if self.given.events else []
        return "\n".join(parts)

    def _counts(self) -> str:
        own, name = self.own, self.prefix
        counts = {
            "coordinates": own.n,
            "states": 2 * own.n,
            "inputs": len(own.signals),
            "parameters": len(self.given.system.parameters),
            "constraints": own.c,
            "holonomic": own.held,
            "energy_parts": len(own.energies),
        }
        counts |= {"event_count": len(self.given.events)} if self.given.events else {}
        rows = ",\n".join(f"    {name}_{key} = {count}" for key, count in counts.items())
        return f"/* how many there are of each */\nenum {{\n{rows}\n}};\n"

    def _places(self) -> str:
        """Where each symbol stands: state[PREFIX_x_theta] and so on."""
        parts = []
        for key in ("x", "u", "p"):
            symbols = self.functions.symbols[key]
            rows = ",\n".join(f"    {self.prefix}_{key}_{self.functions.names[s]}" for s in symbols)
            if symbols:
                parts.append(f"/* places in {ARGUMENTS[key]} */\nenum {{\n{rows}\n}};\n")
        rows = ",\n".join(f"    {self.prefix}_e_{name}" for name in self.own.energies)
        return "\n".join([*parts, f"/* places in what _energies gives */\nenum {{\n{rows}\n}};\n"])

    def _defaults(self) -> str:
        """The numbers of the parameters; NAN where none was given."""
        values = [self.given.values.get(p.name, math.nan) for p in self.given.system.parameters]
        rows = ", ".join(number(float(x)) for x in values) or "0.0"
        return f"const double {self.prefix}_defaults[{max(1, len(values))}] = {{{rows}}};\n"

    def _declared(self) -> Iterator[tuple[str, str]]:
        """The heads of the functions, and what they do."""
        name, count = self.prefix, max(1, len(self.given.system.parameters))
        yield (
            f"extern const double {name}_defaults[{count}]",
            "The parameters; NAN where no number was given.",
        )
        yield self._head_of("rate"), "x'. This and others give 0, or 1 where it is not determined."
        if not self.own.direct:
            yield self._head_of("solved"), "The accelerations, and the multipliers of constraints."
        yield self._head_of("matrices"), "The equations themselves; matrices row by row."
        yield self._head_of("linear"), "A = dx'/dx and B = dx'/du at this point, row by row."
        yield self._head_of("energies"), "The energies."
        if self.own.c:
            yield self._head_of("held"), "Holonomic constraints, and the rates of all."
            yield (
                self._head_of("project"),
                "One step of the state onto the constraints, the nearest in kinetic energy.",
            )
        yield from event_declarations(self.given, self.prefix, _GIVEN)

    def results(self, name: str) -> list[tuple[str, int]]:
        """The results of a function that is called from outside, and their sizes."""
        n, c, u = self.own.n, self.own.c, len(self.own.signals)
        held = [("P", n * c), ("J", c * n), ("gamma", c)] if c else []
        solved = [("a", n), ("multipliers", c)] if c else [("a", n)]
        return {
            "rate": [("rate", 2 * n)],
            "solved": solved,
            "matrices": [("M", n * n), ("f", n), *held],
            "linear": [("A", 4 * n * n), *([("B", 2 * n * u)] if u else [])],
            "energies": [("energies", len(self.own.energies))],
            "held": [*([("phi", self.own.held)] if self.own.held else []), ("phi_rate", c)],
            "events": [("events", len(self.given.events))],
        }[name]

    @property
    def outside(self) -> tuple[str, ...]:
        """The functions that give results, by name."""
        solved = () if self.own.direct else ("solved",)
        held = ("held",) if self.own.c else ()
        watched = ("events",) if self.given.events else ()
        return ("rate", *solved, "matrices", "linear", "energies", *held, *watched)

    def tells(self, name: str) -> bool:
        """Whether a function says if its results are determined."""
        return name not in ("matrices", "energies", "held")

    def _head_of(self, name: str) -> str:
        kind = "int" if self.tells(name) else "void"
        if name == "project":
            given = _GIVEN.replace("const double *state", "double *state")
            return f"{kind} {self.prefix}_{name}({given})"
        results = ", ".join(f"double *{key}_out" for key, _ in self.results(name))
        return f"{kind} {self.prefix}_{name}({_GIVEN}, {results})"

    def _function(self, name: str, internal: bool = False) -> str:
        """A function of scalars, written out."""
        steps, lines = self.functions[name]
        kept = [result for result in steps.results if result.rows * result.columns]
        if internal:
            results = ", ".join(f"double *{result.name}_out" for result in kept)
            more = ", const double *solved" if any(key == "z" for key, _ in steps.arguments) else ""
            head = f"static void {name}_written({_GIVEN}{more}, {results})"
        else:
            head = self._head_of(name)
        body = [*self._unpacked(name), *lines.lines]
        for result in kept:
            entries = {
                row * result.columns + column: text for row, column, text in lines.results[result.name]
            }
            body += [
                f"    {result.name}_out[{k}] = {entries.get(k, '0.0')};"
                for k in range(result.rows * result.columns)
            ]
        return f"{head}\n{{\n" + "\n".join(body) + "\n}\n"

    def _unpacked(self, name: str) -> Iterator[str]:
        """What is read of the arguments, by name; what is not read is said to be so."""
        read = self.functions.unpacked(name)
        for key, entries in read.items():
            if key == "t":
                if not entries:
                    yield "    (void)t;"
                continue
            if not entries:
                yield f"    (void){ARGUMENTS[key]};"
            for k, word in entries:
                yield f"    const double {word} = {ARGUMENTS[key]}[{k}];"

    def _checked(self, name: str) -> str:
        """A function that says whether its results are finite."""
        results = self.results(name)
        listed = ", ".join(f"{key}_out" for key, _ in results)
        rows = [f"    {name}_written(t, state, inputs, parameters, {listed});"]
        for key, size in results:
            rows.append(f"    for (int i = 0; i < {size}; i++) if (!isfinite({key}_out[i])) return 1;")
        return f"{self._head_of(name)}\n{{\n" + "\n".join([*rows, "    return 0;"]) + "\n}\n"

    def _solving(self) -> Iterator[str]:
        """The functions that solve a saddle point, and what they are made for."""
        own = self.own
        counts = {
            "N": own.n,
            "C": own.c,
            "U": len(own.signals),
            "H": own.held,
            "LARGEST": own.n + own.c,
        }
        yield "".join(f"#define {key} {count}\n" for key, count in counts.items()) + (
            f"#define SINGULAR {SINGULAR!r}\n"
        )
        yield self._filled("saddle")
        if own.c:
            yield self._filled("projection")

    def _filled(self, name: str) -> str:
        """One of the texts that are written in C, with the names of this source."""
        text = (TEMPLATES / f"{name}.c").read_text("utf-8")
        for function in re.findall(r"^HEAD_(\w+)$", text, re.MULTILINE):
            text = text.replace(f"HEAD_{function}\n", f"{self._head_of(function)}\n")
        places = [k for k, kind in enumerate(self.given.system.is_holonomic) if kind]
        return text.replace("NAME_", f"{self.prefix}_").replace("PLACES", ", ".join(map(str, places)))


def _comment(lines: list[str]) -> str:
    """Lines as one comment, which nothing in them ends or begins anew."""
    text = "\n".join(f" * {line}".rstrip() for line in lines)
    return f"/*\n{text.replace('*/', '* /').replace('/*', '/ *').replace('??/', '?? /')}\n */\n"
