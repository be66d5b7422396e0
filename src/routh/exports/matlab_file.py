"""MATLAB and Octave: one file with a function that gives all others, as `model = pendulum()`."""

from __future__ import annotations

import math
from pathlib import Path

from routh.exports import reserved_words
from routh.exports.counted_from_one import Dialect, Written
from routh.exports.files_out import Files, stem_of
from routh.exports.lines import Language
from routh.exports.subject import Subject

_PLAIN = (
    "exp", "sin", "cos", "tan", "atan", "sinh", "cosh", "tanh", "asinh", "floor", "ceil", "abs", "sign",
    "erf", "expm1",
)  # fmt: skip
_PERHAPS_COMPLEX = ("sqrt", "log", "asin", "acos", "acosh", "atanh", "log1p")
_OF_TWO = ("min", "max", "atan2", "hypot")

WORDS = {
    "add": "{0} + {1}", "sub": "{0} - {1}", "mul": "{0} * {1}", "div": "{0} / {1}",
    "neg": "-{0}", "square": "{0} * {0}", "twice": "2.0 * {0}", "inverse": "1.0 / {0}",
    "power": "real_({0} ^ {1})", "fmod": "rem({0}, {1})", "where": "where_({0}, {1})",
    "less": "double({0} < {1})", "less_equal": "double({0} <= {1})", "equal": "double({0} == {1})",
    "not_equal": "double({0} ~= {1})", "not": "double({0} == 0)",
    "and": "double({0} ~= 0 && {1} ~= 0)", "or": "double({0} ~= 0 || {1} ~= 0)",
    **{word: f"{word}({{0}})" for word in _PLAIN},
    **{word: f"real_({word}({{0}}))" for word in _PERHAPS_COMPLEX},
    **{word: f"{word}({{0}}, {{1}})" for word in _OF_TWO},
}  # fmt: skip


def number(value: float) -> str:
    """A number with all its digits."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Inf" if value > 0 else "-Inf"
    return repr(value)


MATLAB = Dialect(
    Language("MATLAB", WORDS, number, lambda name, k: f"{name}({k + 1})", "    {name} = {value};"),
    reserved_words.MATLAB,
    "%",
    lambda name, *places: f"{name}({', '.join(map(str, places))})",
    lambda name, results, given: f"function [{results}] = {name}({given})",
    lambda name, rows, columns: f"    {name} = zeros({rows}, {columns});",
    lambda _: "end",
    ";",
)


def matlab_files(given: Subject, path: Path, command: str) -> Files:
    """NAME.m, of which `model = NAME()` gives the functions and names."""
    name = stem_of(path, "MATLAB", reserved_words.MATLAB)
    own = Written(given, MATLAB, "equations of motion for MATLAB and Octave", command)
    symbols = own.functions.symbols
    lists = {
        "states": symbols["x"],
        "inputs": symbols["u"],
        "parameters": symbols["p"],
        "energy_parts": own.own.energies,
    }
    numbers = [given.values.get(p.name, math.nan) for p in symbols["p"]]
    rows = [f"    model.{key} = {{{', '.join(map(_quoted, names))}}};" for key, names in lists.items()]
    rows += [f"    model.defaults = [{'; '.join(number(float(x)) for x in numbers)}];"]
    rows += [f"    model.{each} = @{each};" for each in own.names()]
    use = (
        f"%\n% model = {name}();\n% model.rate(t, state, inputs, model.defaults) is x', a column.\n"
        "% Others: matrices [M, f, P, J, gamma], linear [A, B], energies; with constraints held\n"
        "% [phi, phi_rate] and project, one step of a state onto them.\n"
    )
    head = f"function model = {name}()\n{own.head}{use}" + "\n".join([*rows, "end", ""])
    return {path: "\n".join([head, own.template("helpers"), *own.every()])}


def _quoted(name: object) -> str:
    text = str(name).replace("'", "''")
    return f"'{text}'"
