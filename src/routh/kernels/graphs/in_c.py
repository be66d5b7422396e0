"""A function of scalars as C, compiled by the compiler of this machine: the same instructions.

They are taken a few hundred at a time, each lot a function on one array of numbers, as compilers take
long for one long function. Nothing is reordered or contracted: the digits are those of the engine.
"""

from __future__ import annotations

import ctypes
import math
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import casadi
import numpy as np

from routh.arrays import Array
from routh.errors import DerivationError
from routh.kernels.graphs.batch import patterns_of

LOT = 200
"""Instructions in one function of C; with five times as many compilers take twice as long."""

COMPILERS = ("cc", "gcc", "clang")
OPTIONS = ("-O1", "-ffp-contract=off", "-fPIC", "-shared")

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
    "sign": "({0} > 0) - ({0} < 0)",
}  # fmt: skip
FORMS = {getattr(casadi, f"OP_{name.upper()}"): form for name, form in _NAMES.items()}
"""What C writes for the code of an instruction."""


def compiler() -> str | None:
    """The compiler of C that is found, if there is one."""
    return next((found for name in COMPILERS if (found := shutil.which(name))), None)


class InC:
    """A function of stacks of arguments, (N, size) each, compiled; the same results as a `Batched`."""

    def __init__(self, function: Any) -> None:
        self._patterns = patterns_of(function)
        self._run = _loaded(c_code(function))

    def __call__(self, *arguments: Array) -> list[Array]:
        """The results, dense, of shape (N, rows, columns) each."""
        kept = [np.ascontiguousarray(argument, dtype=float) for argument in arguments]
        count = len(kept[0])
        nonzeros = [np.empty((count, pattern.count)) for pattern in self._patterns]
        self._run(count, _pointers(kept), _pointers(nonzeros))
        return [pattern.dense(each) for pattern, each in zip(self._patterns, nonzeros, strict=True)]


def c_code(function: Any) -> str:
    """The C of an `SXFunction`: `run(count, arguments, results)` for stacks of points.

    Raises:
        DerivationError: it contains what C has no word for here.
    """
    lines = [_line(function, k) for k in range(function.n_instructions())]
    lots = [lines[k : k + LOT] for k in range(0, len(lines), LOT)]
    given = "const double *const *a, double *const *r, double *w"
    parts = [
        f"static void __attribute__((noinline)) part{k}({given})\n{{\n" + "\n".join(lot) + "\n}\n"
        for k, lot in enumerate(lots)
    ]
    sizes = [function.nnz_in(k) for k in range(function.n_in())]
    results = [function.nnz_out(k) for k in range(function.n_out())]
    steps = [f"x[{k}] = a[{k}] + i * {size};" for k, size in enumerate(sizes)]
    steps += [f"y[{k}] = r[{k}] + i * {size};" for k, size in enumerate(results)]
    steps += [f"part{k}(x, y, w);" for k in range(len(lots))]
    whole = (
        "void run(long count, const double *const *a, double *const *r)\n{\n"
        f"static __thread double w[{max(1, function.sz_w())}];\n"
        f"const double *x[{max(1, len(sizes))}]; double *y[{max(1, len(results))}];\n"
        "for (long i = 0; i < count; i++) {\n" + "\n".join(steps) + "\n}\n}\n"
    )
    return "\n".join(["#include <math.h>", *parts, whole])


def _line(function: Any, k: int) -> str:
    code = function.instruction_id(k)
    i, o = function.instruction_input(k), function.instruction_output(k)
    if code == casadi.OP_INPUT:
        return f"w[{o[0]}] = a[{i[0]}][{i[1]}];"
    if code == casadi.OP_OUTPUT:
        return f"r[{o[0]}][{o[1]}] = w[{i[0]}];"
    if code == casadi.OP_CONST:
        return f"w[{o[0]}] = {_constant(function.instruction_constant(k))};"
    if code not in FORMS:
        raise DerivationError(
            "The equations contain a function that is not written in C here. Leave out `compiled=True`."
        )
    return f"w[{o[0]}] = {FORMS[code].format(*(f'w[{j}]' for j in i))};"


def _constant(value: float) -> str:
    if math.isnan(value):
        return "NAN"
    return value.hex() if math.isfinite(value) else "INFINITY" if value > 0 else "-INFINITY"


def _loaded(code: str) -> Any:
    """The function `run` of this C.

    Raises:
        DerivationError: there is no compiler, or it fails.
    """
    found = compiler()
    if found is None:
        raise DerivationError(
            f"`compiled=True` needs a compiler of C. Expected one of {', '.join(COMPILERS)} on the"
            " path. Install one, or leave it out: the digits are the same."
        )
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        source, library = Path(folder, "run.c"), Path(folder, "run.so")
        source.write_text(code)
        words = [found, *OPTIONS, str(source), "-o", str(library), "-lm"]
        done = subprocess.run(words, capture_output=True, text=True, check=False)  # noqa: S603
        if done.returncode:
            raise DerivationError(
                f"The compiler `{found}` failed: {done.stderr.strip()[:300]} Leave out `compiled=True`."
            )
        run = ctypes.CDLL(str(library)).run
    run.argtypes = [ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
    run.restype = None
    return run


def _pointers(arrays: list[Array]) -> Any:
    return (ctypes.c_void_p * len(arrays))(*(array.ctypes.data for array in arrays))
