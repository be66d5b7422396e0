"""Modelica: one model with units, start values and the equations row by row.

The equations are those of index 1, M a + P multipliers = f and J a + gamma = 0: what tools make of
constraints of index 3 differs from one to the next, and velocity constraints have none. Constraints are
then kept by the errors of the integrator alone.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from routh.errors import DerivationError
from routh.exports import reserved_words
from routh.exports.base_units import read_unit
from routh.exports.files_out import Files, stem_of
from routh.exports.functions import Functions
from routh.exports.heading import commented, heading, unit_of
from routh.exports.lines import Language
from routh.exports.subject import Subject

_SAME = (
    "sqrt", "exp", "log", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "floor",
    "ceil", "abs",
)  # fmt: skip
WORDS = {
    "add": "{0} + {1}", "sub": "{0} - {1}", "mul": "{0} * {1}", "div": "{0} / {1}",
    "neg": "-{0}", "square": "{0} * {0}", "twice": "2.0 * {0}", "inverse": "1.0 / {0}",
    "power": "{0} ^ {1}", "atan2": "atan2({0}, {1})", "min": "min({0}, {1})", "max": "max({0}, {1})",
    "hypot": "sqrt({0} * {0} + {1} * {1})",
    "less": "if {0} < {1} then 1.0 else 0.0", "less_equal": "if {0} <= {1} then 1.0 else 0.0",
    "not": "if abs({0}) > 0.0 then 0.0 else 1.0", "where": "if abs({0}) > 0.0 then {1} else 0.0",
    "and": "if abs({0}) > 0.0 and abs({1}) > 0.0 then 1.0 else 0.0",
    "or": "if abs({0}) > 0.0 or abs({1}) > 0.0 then 1.0 else 0.0",
    "sign": "if {0} < 0.0 then -1.0 elseif {0} > 0.0 then 1.0 else 0.0",
}  # fmt: skip
WORDS |= {name: f"{name}({{0}})" for name in _SAME}


def _number(value: float) -> str:
    """A number, which Modelica has finite ones of alone."""
    if not math.isfinite(value):
        raise DerivationError(
            f"Modelica has no number {value}, which the equations contain. Write the energies without"
            " it."
        )
    return repr(value)


MODELICA = Language("Modelica", WORDS, _number, lambda name, k: f"{name}_{k}", "  {name} = {value};")


def modelica_files(given: Subject, path: Path, command: str) -> Files:
    """NAME.mo."""
    name = stem_of(path, "Modelica", reserved_words.MODELICA)
    return {path: modelica_text(given, name, command)}


def modelica_text(given: Subject, name: str, command: str) -> str:
    """The model of that name."""
    # a name of the model inside it would be another thing
    functions = Functions(given, MODELICA, frozenset((*reserved_words.MODELICA, name)))
    head = heading(given, "equations of motion in Modelica", command, functions.called)
    _, lines = functions["matrices"]
    # time is no argument there, and intermediates are declared
    named = [line.split(" = ", 1)[0].strip() for line in lines.lines]
    body = [_timed(line) for line in lines.lines]
    rows = [
        f'model {name} "{_text(given.system.name or name)}"',
        *_declared(given, functions),
        *(["protected", *(f"  Real {word};" for word in named)] if named else []),
        "equation",
        *_rates(functions),
        *body,
        *_balance(given, functions, lines.results),
        f"end {name};",
    ]
    return commented(head, "//") + "\n".join(rows) + "\n"


def _timed(text: str) -> str:
    return re.sub(r"\bt\b", "time", text)


def _text(text: str) -> str:
    """What may stand in quotes."""
    return " ".join(text.split()).replace("\\", "/").replace('"', "'")


def _declared(given: Subject, functions: Functions) -> Iterator[str]:
    """Parameters, inputs, states and multipliers, with what they are called in the system."""
    n, words = given.functions.n, functions.names
    for p in functions.symbols["p"]:
        known = given.values.get(p.name)
        value = "" if known is None else f" = {_number(float(known))}"
        yield f"  parameter Real {words[p]}{_attributes(p, given)}{value}{_said(p, words[p])};"
    for s in functions.symbols["u"]:
        yield f"  input Real {words[s]}{_attributes(s, given)}{_said(s, words[s])};"
    for s in functions.symbols["x"]:
        start = f"start = {_number(given.start.get(str(s), 0.0))}, fixed = true"
        yield f"  Real {words[s]}{_attributes(s, given, start)}{_said(s, words[s])};"
    for s in functions.symbols["z"][n:]:
        yield f"  Real {words[s]}{_said(s, words[s])};"


def _attributes(symbol: Any, given: Subject, start: str = "") -> str:
    label = unit_of(symbol, given.units)
    unit = _own_unit(label) if label else ""
    parts = [part for part in (f'unit = "{unit}"' if unit else "", start) if part]
    return f"({', '.join(parts)})" if parts else ""


_UNIT = re.compile(
    r"(1|[A-Za-z]+\d*(\.[A-Za-z]+\d*)*)(/([A-Za-z]+\d*|\([A-Za-z]+\d*(\.[A-Za-z]+\d*)*\)))?"
)


def _own_unit(label: str) -> str:
    """A label in the syntax of Modelica, else in base units; empty where it is not read."""
    plain = label.replace("*", ".").replace("^", "").replace(" ", "")
    if _UNIT.fullmatch(plain):
        return plain
    meant = read_unit(label)
    if meant is None or meant.factor != 1.0:
        return ""
    return ".".join(f"{name}{k if k != 1 else ''}" for name, k in meant.exponents.items()) or "1"


def _said(symbol: Any, word: str) -> str:
    return "" if str(symbol) == word else f' "{_text(str(symbol))}"'


def _rates(functions: Functions) -> Iterator[str]:
    states, words = functions.symbols["x"], functions.names
    n = len(states) // 2
    for q, v in zip(states[:n], states[n:], strict=True):
        yield f"  der({words[q]}) = {words[v]};"


def _balance(given: Subject, functions: Functions, results: Any) -> Iterator[str]:
    """The rows of M a + P multipliers = f, and of J a + gamma = 0."""
    n, c, words = given.functions.n, given.functions.c, functions.names
    accelerations = [f"der({words[v]})" for v in functions.symbols["x"][n:]]
    multipliers = [words[s] for s in functions.symbols["z"][n:]]
    table = {
        key: {(row, column): _timed(text) for row, column, text in results[key]} for key in results
    }

    def terms(key: str, row: int, factors: list[str]) -> list[str]:
        own = table[key]
        return [f"({own[row, k]}) * {word}" for k, word in enumerate(factors) if (row, k) in own]

    for row in range(n):
        left = [*terms("M", row, accelerations), *terms("P", row, multipliers)]
        yield f"  {' + '.join(left) or '0.0'} = {table['f'].get((row, 0), '0.0')};"
    for row in range(c):
        left = [*terms("J", row, accelerations), f"({table['gamma'].get((row, 0), '0.0')})"]
        yield f"  {' + '.join(left)} = 0.0;"
