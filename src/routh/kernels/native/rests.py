"""Rests of stacks of small systems by Newton's method, a thread a point.

Points that leave the plain way are told, and left to `numerics/solving/newton`, which has all ways.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from routh.arrays import Array, Mask
from routh.kernels.engine import Engine, Point
from routh.kernels.native.choice import chosen
from routh.kernels.native.program import Program
from routh.kernels.native.written import c_function, entry, header, runtime

MOST = 16
"""Unknowns up to which a thread has room for a problem of its own."""

STEPS = 24
"""Steps that a point may take on the plain way."""

USUAL = 8
"""Steps that it takes as a rule."""


@dataclass(frozen=True, eq=False)
class Rests:
    """Where Newton's method ended, for each of N points.

    Attributes:
        x, residual: (N, n).
        tangent: (N, n, n) where the last step began.
        history: (steps + 1, N, n); a point that is done keeps its last place.
        plain: (N,) where it is a root at which there is an energy; the rest is not told here.
    """

    x: Array
    residual: Array
    tangent: Array
    history: Array
    plain: Mask


class RestsInC:
    """The equations of rest of one system, compiled when they are first solved."""

    def __init__(self, functions: Mapping[str, Any]) -> None:
        balance = functions["balance"]
        self._n = balance.nnz_out(0)
        self._instructions = sum(each.n_instructions() for each in functions.values())
        self._program = Program(_source(functions))

    def pays(self, engine: Engine, count: int) -> bool:
        """Whether so many points are for compiled code."""
        return 0 < self._n <= MOST and chosen(engine, self._instructions, USUAL * count).compiles

    def __call__(self, point: Point, engine: Engine = Engine.C, least: Array | None = None) -> Rests:
        """The rests from guesses `point.q`, by cores or by a GPU; `least` (n,) are sizes that
        coordinates have at least.
        """
        count, n = point.q.shape
        given = [np.ascontiguousarray(x, dtype=float) for x in point.arguments]
        x, residual, tangent = given[1].copy(), np.empty((count, n)), np.empty((count, n, n))
        history = np.empty((count, STEPS + 1, n))
        steps, polished = np.empty((2, count), dtype=np.int32)
        sizes = np.zeros(n) if least is None else np.ascontiguousarray(least, dtype=float)
        found = [x, residual, tangent, history, steps, polished]
        self._program.run("rests", count, [*given, sizes, *found], engine.target)
        plain = steps >= 0
        most = int(steps.max(initial=0))
        return Rests(x, residual, tangent, _told(history, x, steps, most, bool(polished.any())), plain)


def _told(history: Array, x: Array, steps: NDArray[np.int32], most: int, polished: bool) -> Array:
    """(steps + 1, N, n), in which points that are done keep their last place."""
    told = history[:, : most + 1].transpose(1, 0, 2).copy()
    for k in range(int(steps.min(initial=most)) + 1, most + 1):
        over = np.flatnonzero(steps < k)
        told[k, over] = told[k - 1, over]
    return np.concatenate([told, x[None]]) if polished else told


_NAMES = ("t", "q", "v", "a", "p", "u", "multipliers")

_PLACE = """
struct place { const double *t, *v, *a, *p, *u, *multipliers; };
"""


def _source(functions: Mapping[str, Any]) -> str:
    balance = functions["balance"]
    n, poles = balance.nnz_out(0), functions["poles"].nnz_out(0)
    words = {"equations": "balance", "slopes": "stiffness", "sizes": "sizes", "poles": "poles"}
    passed = ", ".join("x" if name == "q" else f"at->{name}" for name in _NAMES)
    written = [c_function(function, f"of_{name}") for name, function in functions.items()]
    written += [
        f"ROUTH void {word}(const struct place *at, const double *x, double *found)"
        f" {{ of_{name}({passed}, found); }}\n"
        for word, name in words.items()
    ]
    sizes = {name: balance.nnz_in(k) for k, name in enumerate(_NAMES)}
    arrays = [f"const double *{name.upper()}" for name in _NAMES]
    arrays += [
        "SHARED const double *LEAST",
        "double *X",
        "double *R",
        "double *K",
        "double *HISTORY",
        "int *STEPS",
        "int *MENDED",
    ]
    body = [
        f"double {name}[{max(1, size)}]; LOAD({name}, {name.upper()}, {size});"
        for name, size in sizes.items()
    ]
    body += [
        f"double residual[{n}], k[{n * n}], history[(NEWTON_STEPS + 1) * {n}];",
        "const struct place at = {t, v, a, p, u, multipliers}; int polishing;",
        "int steps = newton(&at, LEAST, q, residual, k, history, &polishing);",
        f"double energy; of_energy({', '.join(_NAMES)}, &energy);",
        "if (!isfinite(energy)) steps = -1;",
        f"STORE(X, q, {n}); STORE(R, residual, {n}); STORE(K, k, {n * n});",
        f"for (int s = 0; s <= steps; s++) for (int i = 0; i < {n}; i++)",
        f"HISTORY[AT(s * {n} + i, (NEWTON_STEPS + 1) * {n})] = history[s * {n} + i];",
        "STEPS[id] = steps; MENDED[id] = steps >= 0 && polishing;",
    ]
    head = f"#define COORDINATES {n}\n#define POLES {poles}\n"
    parts = [head, runtime("dense"), _PLACE, *written, header("newton")]
    return "\n".join(parts) + entry("rests", arrays, "\n".join(body))
