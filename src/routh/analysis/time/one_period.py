"""A period of prescribed functions of time, divided so that steps see all that they do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np
import sympy

from routh.analysis.time.enclosure import enclosed
from routh.analysis.time.pulses import LONG, Cells, Clusters, Span, breaks, cells
from routh.analysis.time.repeats import repeats
from routh.arrays import Array
from routh.errors import DerivationError, capital, shortened
from routh.language.symbols import t
from routh.language.system import System
from routh.language.walk import contains_time, leaves, unfold
from routh.mechanics.drives import drives, harmonic
from routh.numerics.enclosed_zeros import Index
from routh.numerics.gauss import FEWEST, MOST
from routh.numerics.intervals import Strip

FEW = 3
"""Coordinates up to which the determinant of the masses is written out."""

PACE = 2.0
"""Radians of a sine that one step of order eight shows well enough to begin with."""

MOST_CELLS = 4096
"""Cells that one function may ask for."""

BLUR = 16.0
"""Times the rounding of time that what a narrow kick does may be off: evaluated, not averaged."""

SAME = 2.0**-47
"""Share of a time within which ends of cells are one."""


@dataclass(frozen=True, eq=False)
class Divided:
    """Points of a stack whose periods have the same number of cells."""

    points: Index
    edges: Array
    """(points, cells + 1)"""
    noise: Array
    """(points,) what rounding of time may do to narrow features, relative to what they do."""


def divided(system: System, p: Array, q: Array, spans: Array, fewest: int = FEWEST) -> list[Divided]:
    """The periods (N,) of a stack of parameters p (N, parameters) and positions q (N, n), in cells.

    Raises:
        DerivationError: one changes too quickly, has a jump that cannot be located, or is not shown to
            repeat.
    """
    whole = drives(system)
    rates = [harmonic(each) for each in whole]
    others = [each for each, rate in zip(whole, rates, strict=True) if rate is None]
    fast = _fastest(system, [rate for rate in rates if rate], p)
    need = np.maximum(fewest, np.ceil(np.minimum(fast * spans / PACE, MOST)))
    peaks = _peaks(system)
    if not others and not peaks:
        need = 2 ** np.ceil(np.log2(need))
        return [
            Divided(own, spans[own, None] * np.linspace(0, 1, int(k) + 1), np.zeros(len(own)))
            for k in np.unique(need)
            for own in [np.flatnonzero(need == k)]
        ]
    free = leaves([*others, *peaks])
    every, numbers = (*system.parameters, *system.coordinates), np.column_stack([p, q])
    places = [k for k, each in enumerate(every) if each in free]
    table = np.column_stack([numbers[:, places], spans])
    rows, back = np.unique(table, axis=0, return_inverse=True)
    own = tuple(every[k] for k in places)
    span = Span(own, rows[:, :-1], np.zeros(len(rows)), rows[:, -1])
    others += [each for each in peaks if repeats(each, own, span.p, span.end).all()]
    ends, noise = _ends(system, others, span)
    back = back.reshape(-1)
    filled = [
        _filled(ends[row], float(T) / float(k)) for row, T, k in zip(back, spans, need, strict=True)
    ]
    return _grouped(filled, noise[back])


@lru_cache(maxsize=64)
def _peaks(system: System) -> tuple[sympy.Expr, ...]:
    """What the inverse of few masses that change in time is divided by, as a function of it at rest.

    Where a mass nearly vanishes for a moment the equations have a peak that no function of time has.
    """
    v = system.velocities
    if len(v) > FEW:
        return ()
    T = unfold(sympy.Add(*system.kinetic, *system.lagrangian))
    if not contains_time(T):
        return ()
    rest = dict.fromkeys(v, sympy.S.Zero)
    M = sympy.Matrix(len(v), len(v), lambda i, j: sympy.diff(T, v[i], v[j]).xreplace(rest))
    det = M.det(method="berkowitz")
    known = {t, *system.parameters, *system.coordinates}
    found = leaves([det])
    return (1 / det,) if t in found and found <= known else ()


def _fastest(system: System, rates: list[tuple[sympy.Expr, ...]], p: Array) -> Array:
    """(N,) the highest angular frequency of sines and their products."""
    zero = np.zeros(len(p))
    table: dict[sympy.Basic, Strip] = {t: Strip(zero, zero, zero)}
    table |= {each: Strip(p[:, k], p[:, k], zero) for k, each in enumerate(system.parameters)}
    found = zero
    for each in rates:
        found = np.maximum(found, sum((enclosed(rate, table)[rate].mag for rate in each), zero))
    return np.nan_to_num(found, nan=0.0)


def _ends(
    system: System, functions: Sequence[sympy.Basic], span: Span
) -> tuple[list[list[float]], Array]:
    """For each row the ends of cells that resolve all functions, and the rounding of narrow ones."""
    jumps = located(system, functions, span)
    ends: list[list[float]] = [
        [float(b), *((lo + hi) / 2 for lo, hi in own)] for own, b in zip(jumps, span.end, strict=True)
    ]
    noise = np.zeros(len(span.p))
    for each in functions:
        if not isinstance(each, sympy.Expr):
            continue
        found = cells(each, span, jumps, MOST_CELLS)
        if found.is_open.any():
            k = int(np.flatnonzero(found.is_open)[0])
            refuse_unresolved(system, each, float(found.a[k]), float(found.b[k]))
        for member, a in zip(found.member.tolist(), found.a.tolist(), strict=True):
            ends[member].append(a)
        noise = np.maximum(noise, _noise(found))
    return [_distinct(own) for own in ends], noise


def _noise(found: Cells) -> Array:
    """(N,) what rounding of time does to a function, relative to its integral, jumps included."""
    varied = found.change * found.b
    steps = np.abs(np.diff(found.value, prepend=found.value[:1])) * found.a
    steps[np.diff(found.member, prepend=-1) != 0] = 0.0
    whole = np.bincount(found.member, varied + steps, minlength=len(found.total))
    share = np.divide(whole, found.total, out=np.zeros_like(whole), where=found.total > 0)
    return np.asarray(BLUR * np.finfo(float).eps * share)


def located(system: System, functions: Sequence[sympy.Basic], span: Span) -> Clusters:
    """Where functions of time jump or have kinks.

    Raises:
        DerivationError: such a place cannot be located.
    """
    found = breaks(functions, span)
    for k, own in enumerate(found):
        vague = [each for each in own if each[1] - each[0] > LONG * (span.end[k] - span.start[k])]
        if vague:
            pieced = [f for f in functions if any(breaks([f], span)[k])]
            refuse_unresolved(system, (pieced or list(functions))[0], *vague[0])
    return found


def refuse_unresolved(system: System, function: sympy.Basic, a: float, b: float) -> None:
    """Refuse what no cells show."""
    raise DerivationError(
        f"{capital(system.title)} contains `{shortened(function, 80)}`, which cannot be resolved"
        f" between t = {a:.10g} and {b:.10g}: it jumps, grows without bound or changes there more"
        f" quickly than {MOST_CELLS} cells can follow. Write it smoother or wider, or a jump by sign,"
        " Heaviside or Piecewise of something whose sign changes there."
    )


def _distinct(places: list[float]) -> list[float]:
    """Rising places from zero to the last, without those that are the same but for rounding."""
    found, last = [0.0], max(places)
    for x in sorted(places):
        apart = max(SAME * x, 1e-20 * last)
        if x - found[-1] > apart and (last - x > apart or x == last):
            found.append(x)
    return found


def _filled(ends: list[float], longest: float) -> Array:
    """The same with none further apart than that."""
    parts = [
        np.linspace(a, b, max(1, int(np.ceil((b - a) / longest * (1 - 1e-12)))) + 1)[:-1]
        for a, b in pairwise(ends)
    ]
    return np.concatenate([*parts, ends[-1:]])


def _grouped(edges: list[Array], noise: Array) -> list[Divided]:
    """Points with like numbers of cells together; empty cells at the end make them equal."""
    sizes = np.array([len(each) - 1 for each in edges])
    kinds = np.ceil(2 * np.log2(sizes)).astype(int)
    found = []
    for kind in np.unique(kinds):
        points = np.flatnonzero(kinds == kind)
        most = int(sizes[points].max())
        table = np.stack([np.pad(edges[k], (0, most - sizes[k]), mode="edge") for k in points])
        found.append(Divided(points, table, noise[points]))
    return found
