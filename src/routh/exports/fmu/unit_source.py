"""The sources of a unit: the equations in C, its numbers, and the functions of a standard."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate
from pathlib import Path

from routh.exports.c_source import C, CSource, number
from routh.exports.fmu.variables import Variables, ended
from routh.exports.functions import ARGUMENTS
from routh.exports.lines import Written, written
from routh.kernels.neutral_steps import Steps
from routh.kernels.shared_object import integrator

TOLERANCE = 1e-8
"""Of co-simulation, where none is asked for."""

_FOLDER = Path(__file__).parent / "c"
_SHARED = ("unit.h", "events.h", "steps.h", "standard.h")
_GIVEN = "double t, const double *state, const double *inputs, const double *parameters"
_SIGNS = {"": 0, "nonnegative": 1, "positive": 2}


def unit_source(variables: Variables, version: str, command: str) -> tuple[dict[str, str], str]:
    """The files of sources by name, the one that is compiled first, and the token of the unit."""
    own = CSource(replace(variables.given, events=()), "model", command)
    main = f"fmi{version[0]}.c"
    texts = {
        main: (_FOLDER / main).read_text("utf-8"),
        **{name: (_FOLDER / name).read_text("utf-8") for name in _SHARED},
        "model.c": own.source,
        "model.h": own.header,
        "more.h": _more(variables),
        "dop853.h": integrator(),
        "all.h": _ALL,
    }
    numbers = _numbers(variables)
    token = hashlib.sha256("\n".join([*texts.values(), numbers]).encode()).hexdigest()[:32]
    texts["numbers.h"] = f'#define TOKEN "{token}"\n{numbers}'
    return texts, token


_ALL = """/* All of a unit but the functions of the standard, as one source. The equations come first:
   no macro may be in the way of their names. */
#include "model.c"
#include "numbers.h"
#include "more.h"
#define ROUTH static inline
#define ROUTH_APART static
#define SIZE STATES
#include "dop853.h"
#include "unit.h"
#include "events.h"
#include "steps.h"
"""


def _numbers(variables: Variables) -> str:
    """How many there are of each, their names and starts, and what is required of them."""
    own, system = variables.functions, variables.given.system
    asked = (*variables.checks, *variables.ends)
    counts = {
        "STATES": 2 * own.n,
        "INPUTS": len(own.signals),
        "PARAMETERS": len(system.parameters),
        "CONSTRAINTS": own.c,
        "ENERGIES": len(own.energies),
        "CHECKS": len(variables.checks),
        "ENDS": len(variables.ends),
        "EVENTS": len(variables.events),
        "CHANGES": len(variables.changes),
        "ASKS_SOLVED": int(variables.asks_solved),
        "DIRECT": int(own.direct),
    }
    rows = [f"#define {name} {count}" for name, count in counts.items()]
    rows.append(f"#define TOLERANCE {TOLERANCE!r}")
    starts = [variable.start or 0.0 for variable in variables.all]
    for name in ("states", "inputs", "parameters"):
        values = [number(float(starts[k])) for k in variables.places(name)]
        rows.append(_array("double", f"{name[:-1].upper()}_STARTS", values))
    signs = [str(_SIGNS[p.sign]) for p in system.parameters]
    rows.append(_array("int", "PARAMETER_SIGNS", signs))
    rows.append(_array("int", "STRICT", [str(int(r.strict)) for r in asked]))
    told = [f"{r.what} must {r.word}: {r.expression}." for r in asked]
    rows.append(_array("char *", "REQUIRED", [_quoted(text) for text in told]))
    rows.append(_array("char *", "THEN", [_quoted(ended(r)) for r in variables.ends]))
    rows += _event_rows(variables)
    rows.append(_array("char *", "NAMES", [_quoted(v.name) for v in variables.all]))
    return "\n".join(rows) + "\n"


def _event_rows(variables: Variables) -> Iterator[str]:
    """What events watch, and where the velocities are that they change."""
    events = variables.events
    yield _array("int", "EVENT_DIRECTIONS", [str(int(e.direction)) for e in events])
    yield _array("int", "EVENT_STOPS", [str(int(e.stop)) for e in events])
    firsts = accumulate((len(e.change) for e in events), initial=0)
    yield _array("int", "CHANGES_FIRST", [str(first) for first in firsts])
    places = [str(variables.states.index(velocity)) for velocity, _ in variables.changes]
    yield _array("int", "CHANGES_PLACES", places)
    yield _array("char *", "EVENT_NAMES", [_quoted(str(e)) for e in events])


def _array(kind: str, name: str, values: Sequence[str]) -> str:
    """A constant array, of one entry where there would be none."""
    empty = '""' if "char" in kind else "0"
    rows = ",\n    ".join(values) or empty
    return (
        f"static const {kind} {'const ' if '*' in kind else ''}{name}[] = {{\n    {rows}\n}};".replace(
            "* const", "*const"
        )
    )


def _quoted(text: str) -> str:
    """A text in C: ASCII as it is, the bytes of others in octal."""
    plain = []
    for byte in " ".join(text.split())[:200].encode():
        sign = chr(byte)
        plain.append(sign if 32 <= byte < 127 and sign not in '"\\?' else f"\\{byte:03o}")
    return '"' + "".join(plain) + '"'


def _more(variables: Variables) -> str:
    """What a unit asks beyond the equations: requirements, events, and changes along a direction."""
    return "\n".join(_more_functions(variables))


def _more_functions(variables: Variables) -> Iterator[str]:
    if variables.asked:
        yield _more_function(variables, "outputs", "asked_at", "const double *solved")
    yield _more_function(variables, "tangent", "tangent", "const double *d, const double *solved")
    if variables.asked:
        more = "const double *solved, const double *d, const double *e"
        yield _more_function(variables, "outputs_tangent", "asked_tangent", more)


def _more_function(variables: Variables, name: str, called: str, more: str) -> str:
    """One of the functions, of more arguments than t, x, u and p."""
    language = replace(C, entry=lambda name, k: "t" if name == "t" else f"{_CALLED[name]}[{k}]")
    function = variables.functions.steps(name)
    lines = written(function, language)
    results = ", ".join(f"double *{result.name}_out" for result in function.results)
    head = f"static void {called}({_GIVEN}, {more}, {results})"
    given = ["t", "state", "inputs", "parameters", *(word.split("*")[1] for word in more.split(", "))]
    unread = f"    {', '.join(f'(void){word}' for word in given)};"
    return _function(head, unread, lines.lines, _assigned(function, lines))


_CALLED = {**ARGUMENTS, "d": "d", "e": "e"}


def _assigned(function: Steps, lines: Written) -> Iterator[str]:
    """The lines that give the results."""
    for result in function.results:
        found = lines.results[result.name]
        entries = {row * result.columns + column: text for row, column, text in found}
        for k in range(result.rows * result.columns):
            yield f"    {result.name}_out[{k}] = {entries.get(k, '0.0')};"


def _function(head: str, first: str, lines: Sequence[str], last: Iterator[str]) -> str:
    return "\n".join([head, "{", first, *lines, *last, "}", ""])
