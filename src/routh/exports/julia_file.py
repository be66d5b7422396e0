"""Julia: one module, whose functions are called as `pendulum.rate(t, state, inputs, parameters)`."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path

from routh.exports import reserved_words
from routh.exports.counted_from_one import Dialect, Written
from routh.exports.files_out import Files, stem_of
from routh.exports.lines import Language
from routh.exports.subject import Subject

_PLAIN = ("exp", "atan", "sinh", "cosh", "tanh", "asinh", "floor", "ceil", "abs", "sign", "expm1")
_PERHAPS_NONE = (
    "sqrt", "log", "log1p", "asin", "acos", "acosh", "atanh", "sin", "cos", "tan",
)  # fmt: skip
_OF_TWO = {"min": "min", "max": "max", "atan2": "atan", "hypot": "hypot", "fmod": "rem",
           "copysign": "copysign", "power": "power_", "where": "where_"}  # fmt: skip

WORDS = {
    "add": "{0} + {1}", "sub": "{0} - {1}", "mul": "{0} * {1}", "div": "{0} / {1}",
    "neg": "-{0}", "square": "{0} * {0}", "twice": "2.0 * {0}", "inverse": "1.0 / {0}",
    "less": "Float64({0} < {1})", "less_equal": "Float64({0} <= {1})",
    "equal": "Float64({0} == {1})", "not_equal": "Float64({0} != {1})", "not": "Float64({0} == 0)",
    "and": "Float64({0} != 0 && {1} != 0)", "or": "Float64({0} != 0 || {1} != 0)",
    **{word: f"{word}({{0}})" for word in _PLAIN},
    **{word: f"{word}_({{0}})" for word in _PERHAPS_NONE},
    **{word: f"{own}({{0}}, {{1}})" for word, own in _OF_TWO.items()},
}  # fmt: skip
"""Its library has no `erf`."""

MATRICES = ("M", "P", "J", "A", "B", "by_x", "by_u")
"""Results that are matrices, of one column too; others are vectors."""


def number(value: float) -> str:
    """A number with all its digits."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Inf" if value > 0 else "-Inf"
    return repr(value)


def _zeros(name: str, rows: int, columns: int) -> str:
    is_matrix = name.removesuffix("_out") in MATRICES or columns != 1
    return f"    {name} = zeros({rows}, {columns})" if is_matrix else f"    {name} = zeros({rows})"


def _entry(name: str, *places: int) -> str:
    """An entry; a vector has one in column 1, too."""
    return f"{name}[{', '.join(map(str, places))}]"


JULIA = Dialect(
    Language("Julia", WORDS, number, lambda name, k: f"{name}[{k + 1}]", "    {name} = {value}"),
    reserved_words.JULIA,
    "#",
    _entry,
    lambda name, _, given: f"function {name}({given})",
    _zeros,
    lambda results: f"    return {results}\nend",
    "",
)


def julia_files(given: Subject, path: Path, command: str) -> Files:
    """NAME.jl, with the module NAME."""
    name = stem_of(path, "Julia", reserved_words.JULIA)
    own = Written(given, JULIA, "equations of motion as a module of Julia", command)
    symbols = own.functions.symbols
    numbers = (number(float(given.values.get(p.name, math.nan))) for p in symbols["p"])
    facts = [
        f"const STATES = {_texts(symbols['x'])}",
        f"const INPUTS = {_texts(symbols['u'])}",
        f"const PARAMETERS = {_texts(symbols['p'])}",
        f"const ENERGIES = {_texts(own.own.energies)}",
        f"const DEFAULTS = Float64[{', '.join(numbers)}]",
    ]
    held = "; held (phi, phi_rate) and project,\n# one step of a state onto the constraints" * bool(
        own.own.c
    )
    use = (
        f'#\n# include("{path.name}")\n'
        f"# {name}.rate(t, state, inputs, {name}.DEFAULTS) is x', a vector.\n"
        f"# Others: matrices (M, f, P, J, gamma), linear (A, B), energies{held}.\n"
        "# State, inputs and parameters are vectors of Float64. Places above are counted from 0,\n"
        "# those of arrays in Julia from 1.\n"
    )
    using = [] if own.own.direct else ["using LinearAlgebra", ""]
    head = "\n".join([f"{own.head}{use}module {name}", "", *using, *facts, ""])
    return {path: "\n".join([head, own.template("helpers"), *own.every(), f"end # module {name}\n"])}


def _texts(names: Iterable[object]) -> str:
    """Names as a vector of texts."""
    return f"String[{', '.join(map(_quoted, names))}]"


def _quoted(name: object) -> str:
    text = str(name).replace("\\", "\\\\").replace('"', '\\"').replace("$", "\\$")
    return f'"{text}"'
