"""CasADi functions of scalars as C that is CUDA C too.

Each function becomes one of pointers, `NAME(a0, a1, ..., r0, r1, ...)`, to the entries of its arguments
and results that are not zero by structure, column by column. Nothing is reordered: without contraction
of products and sums the digits are those of the engine. Long functions are taken a few hundred
instructions at a time on one array of numbers, as compilers take long for one long function.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import casadi

from routh.kernels.engine import Unsupported

WHOLE = 2000
"""Instructions of a function that stays in one piece, with numbers in registers."""

LOT = 200
"""Instructions in one piece of a longer one; with five times as many compilers take twice as long."""

RUNTIME = Path(__file__).parent / "c"
"""What is written in C here: macros, linear algebra, Newton's method, integrators."""

SIDE_BY_SIDE = "lanes"
"""The type of numbers of points side by side."""

WAVES = (casadi.OP_SIN, casadi.OP_COS)

_OF_ONE = (
    "exp", "log", "sqrt", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh",
    "acosh", "atanh", "floor", "ceil", "fabs", "erf", "log1p", "expm1",
)  # fmt: skip
_OF_TWO = ("fmin", "fmax", "atan2", "fmod", "copysign", "hypot", "pow")
_NAMES = {name: f"{name}({{0}})" for name in _OF_ONE}
_NAMES |= {name: f"{name}({{0}}, {{1}})" for name in _OF_TWO}
_NAMES |= {
    "constpow": _NAMES["pow"],
    "assign": "{0}", "add": "{0} + {1}", "sub": "{0} - {1}", "mul": "{0} * {1}", "div": "{0} / {1}",
    "neg": "-{0}", "sq": "{0} * {0}", "twice": "2.0 * {0}", "inv": "1.0 / {0}",
    "lt": "{0} < {1}", "le": "{0} <= {1}", "eq": "{0} == {1}", "ne": "{0} != {1}",
    "not": "!{0}", "and": "{0} && {1}", "or": "{0} || {1}", "if_else_zero": "{0} ? {1} : 0.0",
    "sign": "{0} < 0 ? -1.0 : {0} > 0 ? 1.0 : {0}",
}  # fmt: skip
FORMS = {getattr(casadi, f"OP_{name.upper()}"): form for name, form in _NAMES.items()}
"""What C writes for the code of an instruction."""

_WORDS = {
    *_OF_ONE,
    *_OF_TWO,
    "constpow",
    "lt",
    "le",
    "eq",
    "ne",
    "not",
    "and",
    "or",
    "if_else_zero",
    "sign",
}
IN_LANES = {
    getattr(casadi, f"OP_{name.upper()}"): (
        f"lanes_{name.replace('const', '')}({', '.join(['{0}', '{1}'][: 1 + ('{1}' in form)])})"
        if name in _WORDS
        else form
    )
    for name, form in _NAMES.items()
}
"""The same for numbers of points side by side, by `lanes.h`."""


def runtime(*names: str) -> str:
    """Parts of the C that is written here, in the order in which they need each other."""
    return "\n".join(header(name) for name in ("points", *names))


def header(name: str) -> str:
    """One of them."""
    return (RUNTIME / f"{name}.h").read_text("utf-8")


def c_function(function: Any, name: str, number: str = "double") -> str:
    """An `SXFunction` as a C function of this name, of a type of numbers: `double`, or `lanes`.

    Raises:
        Unsupported: it contains what C has no word for here, such as a linear solve.
    """
    if not function.is_a("SXFunction"):
        raise Unsupported(f"`{name}` is no function of scalars alone")
    given = [f"const {number} *a{k}" for k in range(function.n_in())]
    given += [f"{number} *r{k}" for k in range(function.n_out())]
    head = f"ROUTH void {name}({', '.join(given) or 'void'})"
    if function.n_instructions() <= WHOLE:
        return f"{head}\n{{\n" + "\n".join(_in_registers(function, number)) + "\n}\n"
    return _in_parts(function, name, given, head, number)


def _in_parts(function: Any, name: str, given: Sequence[str], head: str, number: str) -> str:
    """A long function as functions on one array `w`."""
    lines = list(_on_array(function, number))
    lots = [lines[k : k + LOT] for k in range(0, len(lines), LOT)]
    listed = ", ".join([*given, f"{number} *w"])
    parts = [
        f"ROUTH_APART void {name}_{k}({listed})\n{{\n" + "\n".join(lot) + "\n}\n"
        for k, lot in enumerate(lots)
    ]
    names = ", ".join([*(each.split("*")[1] for each in given), "w"])
    calls = [f"{name}_{k}({names});" for k in range(len(lots))]
    body = [f"{number} w[{max(1, function.sz_w())}];", *calls]
    return "\n".join([*parts, head, "{", *body, "}", ""])


def _in_registers(function: Any, number: str) -> Iterator[str]:
    """The lines of a function in which every number has a name of its own, and is computed once."""
    names: dict[int, str] = {}
    known: dict[str, str] = {}
    for k in range(function.n_instructions()):
        code = function.instruction_id(k)
        i, o = function.instruction_input(k), function.instruction_output(k)
        if code == casadi.OP_OUTPUT:
            yield f"r{o[0]}[{o[1]}] = {names[i[0]]};"
            continue
        value = _value(function, k, [names.get(j, "") for j in i], number)
        if value not in known:
            known[value] = f"x{k}"
            if code in WAVES and number == SIDE_BY_SIDE:
                yield from _wave(k, names[i[0]], known)
            else:
                yield f"const {number} x{k} = {value};"
        names[o[0]] = known[value]


def _wave(k: int, of: str, known: dict[str, str]) -> Iterator[str]:
    """Sine and cosine of a number at once."""
    known[IN_LANES[casadi.OP_SIN].format(of)] = f"s{k}"
    known[IN_LANES[casadi.OP_COS].format(of)] = f"c{k}"
    yield f"{SIDE_BY_SIDE} s{k}, c{k}; lanes_sincos({of}, &s{k}, &c{k});"


def _on_array(function: Any, number: str) -> Iterator[str]:
    """The lines of a function whose numbers stand in an array `w`."""
    for k in range(function.n_instructions()):
        code = function.instruction_id(k)
        i, o = function.instruction_input(k), function.instruction_output(k)
        if code == casadi.OP_OUTPUT:
            yield f"r{o[0]}[{o[1]}] = w[{i[0]}];"
        else:
            yield f"w[{o[0]}] = {_value(function, k, [f'w[{j}]' for j in i], number)};"


def _value(function: Any, k: int, names: Sequence[str], number: str) -> str:
    """What an instruction computes."""
    code, places = function.instruction_id(k), function.instruction_input(k)
    if code == casadi.OP_INPUT:
        return f"a{places[0]}[{places[1]}]"
    if code == casadi.OP_CONST:
        value = constant(function.instruction_constant(k))
        return f"ALL_LANES({value})" if number == SIDE_BY_SIDE else value
    if code not in FORMS:
        raise Unsupported("a function that is not written in C here")
    return (IN_LANES if number == SIDE_BY_SIDE else FORMS)[code].format(*names)


def constant(value: float) -> str:
    """A number with all its bits."""
    if math.isnan(value):
        return "NAN"
    return value.hex() if math.isfinite(value) else "INFINITY" if value > 0 else "-INFINITY"


def entry(name: str, arrays: Sequence[str], body: str, together: str = "") -> str:
    """What is called from outside: a body of C for each point `id` of `count`.

    `arrays` are parameters, like "const double *p". On a machine's cores it is
    `NAME(begin, end, count, stop, arrays...)`, which ends early where `*stop` is not zero; on a GPU a
    kernel `NAME(count, arrays...)` with a thread a point. `together` is what the cores do instead with
    `some` points from `id` on, LANES at most; it may call `NAME_at(id, count, arrays...)`.
    """
    listed, names = ", ".join(arrays), ", ".join(re.findall(r"(\w+)(?:,|$)", ",".join(arrays)))
    each = f"for (long long id = begin; id < end && !*stop; id++) {name}_at(id, count, {names});"
    if together:
        each = f"""for (long long id = begin; id < end && !*stop; id += LANES) {{
const int some = end - id < LANES ? (int)(end - id) : LANES;
{together}
}}"""
    return f"""ROUTH void {name}_at(long long id, long long count, {listed})
{{
(void)count;
{body}
}}
#ifdef __CUDACC__
extern "C" __global__ void {name}(long long count, {listed})
{{
const long long id = blockIdx.x * (long long)blockDim.x + threadIdx.x;
if (id < count) {name}_at(id, count, {names});
}}
#else
ROUTH_OUTSIDE void
{name}(long long begin, long long end, long long count, const volatile int *stop, {listed})
{{
{each}
}}
#endif
"""
