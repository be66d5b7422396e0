"""Where a function has given slopes, in numbers: between two places, or by Newton's method."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import inf, isfinite

import numpy as np
import sympy
from sympy import ImmutableDenseMatrix as Matrix

from routh.arrays import Array
from routh.numerics.solving.crossing import crossing
from routh.numerics.solving.damping import damped

NARROWEST = 1e-300
"""Where a search between two ends stops: places next to zero are told apart through all exponents."""

MOST_STEPS = 100
"""Steps of Newton's method, and of the search for the end of a slope."""

STARTS = (0.0, 1e-3, 0.1, 1.0, 10.0, -0.1, -1.0, -10.0)
"""Where Newton's method starts."""

MET, NEAR = 1e-13, 1e-9
"""Share of the slopes by which they may be off: where no step is needed, and where none helps."""

SAME = 1e-6
"""Points nearer than this, relatively, are one."""


def between(
    slope: sympy.Expr, x: sympy.Symbol, wanted: float, lower: float = -inf, upper: float = inf
) -> float | None:
    """Where a slope that only rises, or only falls, has a value within an interval."""
    places = _places(lower, upper)
    gaps = (_real(slope.subs(x, place) - wanted) for place in places)
    for (low, a), (high, b) in pairwise(zip(places, gaps, strict=True)):
        for place, gap in ((low, a), (high, b)):
            if gap == 0:
                return place
        if isfinite(a) and isfinite(b) and (a < 0) != (b < 0):
            return _passed(slope, x, wanted, low, high)
        if isfinite(a) != isfinite(b):  # the slope ends between them, perhaps without bound
            inside, outside = (low, high) if isfinite(a) else (high, low)
            edge = _edge(slope, x, wanted, inside, outside)
            if edge is not None:
                return _passed(slope, x, wanted, inside, edge)
    return None


def _places(lower: float, upper: float) -> list[float]:
    """A wide grid within an interval, finer towards its ends."""
    sizes = [10.0**k for k in range(-30, 31)]
    places = {0.0, *sizes, *(-size for size in sizes)}
    for end, other in ((lower, upper), (upper, lower)):
        if isfinite(end):
            width = other - end if isfinite(other) else (1.0 if other > end else -1.0)
            places |= {end, *(end + width * 2.0**-k for k in range(1, 40))}
    return sorted(place for place in places if lower <= place <= upper)


def _real(e: sympy.Expr) -> float:
    """The number, or NaN where it is none or complex."""
    value = sympy.N(e, 30)
    return float(value) if value.is_real and value.is_finite else float("nan")


def _edge(
    slope: sympy.Expr, x: sympy.Symbol, wanted: float, inside: float, outside: float
) -> float | None:
    """A place beyond which the slope does not exist, where it has passed the wanted value.

    By halving, as what is looked for is the edge of where there are numbers, not a zero of them.
    """
    first = _real(slope.subs(x, inside) - wanted)
    low, high = inside, outside
    for _ in range(MOST_STEPS):
        middle = (low + high) / 2
        here = _real(slope.subs(x, middle) - wanted)
        if not isfinite(here):
            high = middle
        elif (here < 0) != (first < 0):
            return middle
        else:
            low = middle
    return None


def _passed(slope: sympy.Expr, x: sympy.Symbol, wanted: float, low: float, high: float) -> float | None:
    """Where the slope passes the wanted value between two places; None where it does not exist."""
    place = crossing(lambda at: _real(slope.subs(x, at) - wanted), low, high, width=NARROWEST)
    return place if isfinite(place) else None


def newton(
    slopes: Matrix,
    hessian: Matrix,
    variables: tuple[sympy.Symbol, ...],
    wanted: Sequence[float],
    *,
    every: bool = False,
) -> list[list[float]]:
    """The first point found from several starts, or every one that is."""
    found: list[list[float]] = []
    for start in STARTS:
        x = _from(start, slopes, hessian, variables, wanted)
        if x is None or any(_same(x, other) for other in found):
            continue
        found.append(x)
        if not every:
            break
    return found


def _same(a: list[float], b: list[float]) -> bool:
    size = max(map(abs, [*a, *b]), default=0.0)
    return max(abs(p - q) for p, q in zip(a, b, strict=True)) <= SAME * size


def _from(
    start: float,
    slopes: Matrix,
    hessian: Matrix,
    variables: tuple[sympy.Symbol, ...],
    wanted: Sequence[float],
) -> list[float] | None:
    """Damped Newton's method from one start, with slopes as SymPy evaluates them."""
    size = max(*(abs(w) for w in wanted), 1e-300)

    def look(x: Array) -> tuple[Array, Array]:
        at = dict(zip(variables, x.tolist(), strict=True))
        return _numbers(slopes.subs(at))[:, 0] - wanted, x

    def solve(x: Array, residual: Array) -> Array | None:
        W = _numbers(hessian.subs(dict(zip(variables, x.tolist(), strict=True))))
        try:
            return np.asarray(np.linalg.solve(W, residual))
        except np.linalg.LinAlgError:
            return None

    def holds(_: Array, residual: Array) -> bool:
        return bool(np.abs(residual).max() <= MET * size)

    found = damped(look, solve, np.full(len(variables), start), holds=holds, most=MOST_STEPS)
    near = np.abs(found.residual).max() <= NEAR * size
    return found.x.tolist() if found.held or near else None


def _numbers(matrix: Matrix) -> Array:
    """The entries as numbers, NaN where they are none or complex."""
    entries = [float(e) if e.is_real and e.is_finite else np.nan for e in matrix.evalf()]
    return np.array(entries).reshape(matrix.shape)
