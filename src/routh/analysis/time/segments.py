"""A run in segments, so that nothing prescribed in time is stepped over.

Where a function of time jumps or has a kink, one segment ends just before and the next begins just
behind. Where it changes within less than the longest step, segments have a step of their own, so short
that every cell of `pulses` is met. What changes everywhere alike, as fast as it may, is left to the
control of errors, which sees it wherever it looks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import sympy

from routh.analysis.time.enclosure import enclosed
from routh.analysis.time.pulses import FINEST, LONG, Cells, Span, breaks, cells
from routh.analysis.time.repeats import period_of
from routh.arrays import Array
from routh.errors import DerivationError, capital, shortened
from routh.language.symbols import Parameter, t
from routh.language.system import System
from routh.language.walk import contains_time, leaves
from routh.mechanics.drives import drives, paced
from routh.mechanics.fields.coefficients import switches
from routh.numerics.intervals import Strip

MOST_CELLS = 20_000
"""Cells of one function beyond which it is busy everywhere, or cannot be resolved."""

MOST = 300_000
"""Segments of one run."""

LITTLE = 8.0
"""If no step need be shorter than the longest by more than this, all steps are made so."""

ALIKE = 4.0
"""Neighbouring cells whose lengths differ by no more have the same longest step."""

OFTEN = 0.05
"""Share of the time that a function is away from its usual value, from which on samples of it tell."""

AWAY = 0.01
"""Share of its range by which it is then away."""

MANY_STEPS = 8.0
"""Longest steps that a stretch must last for its samples to be taken for certain."""

PLACES, SAMPLES = 16, 256
"""Cells of a busy function that are looked at, and samples in each."""

WIDER = 8 * FINEST
"""Share of the time by which places that were found a period earlier are uncertain."""

Window = tuple[float, float, float]
"""Start, end and longest step."""


@dataclass(frozen=True)
class Segment:
    """A stretch of a run without jumps in time, and its longest step.

    Where the next one does not start at its end, something jumps or has a kink in between.
    """

    start: float
    end: float
    longest: float

    @property
    def finest(self) -> float:
        """The relative tolerance that rounding of time leaves for such short steps."""
        return float(8 * np.finfo(float).eps * max(abs(self.start), abs(self.end)) / self.longest)


def is_plain(found: tuple[Segment, ...], start: float, end: float) -> bool:
    """Whether a run is one segment from start to end."""
    return not found or (len(found) == 1 and (found[0].start, found[0].end) == (start, end))


def within(found: tuple[Segment, ...], start: float, end: float) -> tuple[Segment, ...]:
    """The parts of segments between two times."""
    cut = (Segment(max(each.start, start), min(each.end, end), each.longest) for each in found)
    return tuple(each for each in cut if each.end > each.start)


def segments(
    system: System,
    laws: tuple[sympy.Expr, ...],
    p: Array,
    start: float,
    end: float,
    longest: float,
) -> tuple[Segment, ...]:
    """The segments of a run with these numbers for the parameters, and laws of the inputs.

    Raises:
        DerivationError: a function of time has too many narrow features to be followed.
    """
    found = _uneven(system, laws)
    if not found:
        return (Segment(start, end, longest),)
    return _segments(system, found, tuple(p.tolist()), start, end, longest)


def is_even(system: System, laws: tuple[sympy.Expr, ...]) -> bool:
    """Whether every run is one segment, whatever its numbers."""
    return not _uneven(system, laws)


@lru_cache(maxsize=64)
def _uneven(system: System, laws: tuple[sympy.Expr, ...]) -> tuple[sympy.Basic, ...]:
    """The functions of time that may have narrow features."""
    return tuple(each for each in drives(system, laws) if not paced(each))


@lru_cache(maxsize=256)
def _segments(
    system: System,
    functions: tuple[sympy.Basic, ...],
    p: tuple[float, ...],
    start: float,
    end: float,
    longest: float,
) -> tuple[Segment, ...]:
    look = _Look(system, p, start, end, longest)
    for each in functions:
        look.at(each)
    return look.found()


class _Look:
    """The jumps and windows of the functions of one run, as they are gathered."""

    def __init__(
        self, system: System, p: tuple[float, ...], start: float, end: float, longest: float
    ) -> None:
        self._system = system
        self._p = dict(zip(system.parameters, p, strict=True))
        self._start, self._end, self._longest = start, end, longest
        self._jumps: list[tuple[float, float]] = []
        self._windows: list[list[Window]] = []

    def at(self, function: sympy.Basic) -> None:
        """Look at one function."""
        free = leaves([function])
        own: tuple[Parameter, ...] = tuple(each for each in self._p if each in free)
        p = np.array([[self._p[each] for each in own]])
        period = period_of(function, own, p)
        repeats = 2 * period < self._end - self._start
        end = self._start + period if repeats else self._end
        span = Span(own, p, np.array([self._start]), np.array([end]))
        jumps = breaks([function], span)[0]
        vague = [each for each in jumps if each[1] - each[0] > LONG * (end - self._start)]
        windows: list[Window] = [(a, b, (b - a) / 64) for a, b in vague]
        jumps = [each for each in jumps if each not in vague]
        if isinstance(function, sympy.Expr):
            found = cells(function, span, [sorted([*jumps, *vague])], MOST_CELLS)
            if len(found.a) > MOST_CELLS:
                self._busy(function, span, found)
            elif period > self._longest or not _is_seen(found.value, found.b - found.a):
                windows += _windows(found, self._longest)
            elif len(jumps) * (self._end - self._start) > MOST * period:
                return
        self._put(function, jumps, windows, period if repeats else np.inf)

    def _put(
        self, function: sympy.Basic, jumps: Sequence[tuple[float, float]], windows: list[Window],
        period: float,
    ) -> None:  # fmt: skip
        """Add jumps and windows, with all that are periods later."""
        span = self._end - self._start
        count = int(np.ceil(span / period)) if np.isfinite(period) else 1
        features = count * (len(jumps) + len(windows))
        if features > MOST:
            raise DerivationError(
                f"{capital(self._system.title)} contains `{shortened(function, 80)}`, which has"
                f" {features} narrow features between t = {self._start:g} and {self._end:g}. Ask"
                " for a shorter run, or write it smoother or wider."
            )
        for k in range(count):
            shift = k * period if k else 0.0
            wider = WIDER * max(abs(self._start), abs(self._end)) if k else 0.0
            self._jumps += [(a + shift - wider, b + shift + wider) for a, b in jumps]
        if windows:
            tiled = [
                (a + k * period if k else a, b + k * period if k else b, h)
                for k in range(count)
                for a, b, h in windows
            ]
            self._windows.append(tiled)

    def _busy(self, function: sympy.Basic, span: Span, found: Cells) -> None:
        """What changes everywhere is seen by samples; what it is made of is looked at by itself."""
        waiting = np.flatnonzero(found.is_open)
        chosen = waiting[np.linspace(0, len(waiting) - 1, PLACES).astype(int)]
        shares = np.random.default_rng(1831).uniform(size=SAMPLES)
        for k in chosen.tolist():
            times = found.a[k] + shares * (found.b[k] - found.a[k])
            table = span.leaves(np.zeros(SAMPLES, dtype=np.intp), Strip(times, times, 0 * times))
            bounds = enclosed(function, table)[function]
            if not _is_seen((bounds.lo + bounds.hi) / 2, np.ones(SAMPLES)):
                raise DerivationError(
                    f"{capital(self._system.title)} contains `{shortened(function, 80)}`, which cannot"
                    f" be resolved between t = {self._start:g} and {self._end:g}: near t ="
                    f" {found.a[k]:.6g} it has narrow features that more than {MOST_CELLS} cells do not"
                    " show. Ask for a shorter run, or write it smoother or wider."
                )
        for part in drives_within(function):
            if not paced(part):
                self.at(part)

    def found(self) -> tuple[Segment, ...]:
        """All segments."""
        limits = [h for own in self._windows for _, _, h in own]
        longest = self._longest
        windows = self._windows
        if limits and min(limits) >= longest / LITTLE:
            longest, windows = min(limits), []
        walls = _joined(self._jumps, self._start, self._end)
        edges = [x for own in windows for a, b, _ in own for x in (a, b)]
        places = _apart(edges, walls, self._start, self._end)
        if len(places) > 2 * MOST:
            raise DerivationError(
                f"The functions of time in {self._system.title} have {len(places)} narrow features"
                f" between t = {self._start:g} and {self._end:g}. Ask for a shorter run."
            )
        middles = np.array([(a + b) / 2 for a, b in places])
        steps = np.full(len(places), longest)
        for own in windows:
            steps = np.minimum(steps, _limits(own, middles))
        return _merged(places, steps.tolist())


def drives_within(function: sympy.Basic) -> list[sympy.Basic]:
    """The functions of time that a function is made of."""
    terms = [term for part in function.args for term in sympy.Add.make_args(part)]
    return [term for term in terms if contains_time(term)]


def _is_seen(values: Array, weights: Array) -> bool:
    """Whether samples of a function at random times show that it changes."""
    with np.errstate(invalid="ignore"):
        reach = float(np.ptp(values))
        order = np.argsort(values)
        half = np.searchsorted(np.cumsum(weights[order]), weights.sum() / 2)
        usual = values[order][min(int(half), len(values) - 1)]
        away = weights[np.abs(values - usual) > AWAY * reach].sum() / weights.sum()
    return not np.isfinite(reach) or reach == 0 or bool(away >= OFTEN)


def _windows(found: Cells, longest: float) -> list[Window]:
    """Stretches of cells of like length that are shorter than the longest step.

    A stretch of many steps in which samples show the function is left to the control of errors.
    """
    lengths = found.b - found.a
    active = ~found.is_quiet & ~found.is_open & (lengths < longest)
    stretches: list[list[int]] = []
    for k in np.flatnonzero(active).tolist():
        own = stretches[-1] if stretches else []
        joins = own and found.b[own[-1]] == found.a[k]
        if joins and lengths[own[0]] / ALIKE <= lengths[k] <= lengths[own[0]] * ALIKE:
            own.append(k)
        else:
            stretches.append([k])
    windows: list[Window] = []
    for own in stretches:
        a, b = float(found.a[own[0]]), float(found.b[own[-1]])
        if b - a < MANY_STEPS * longest or not _is_seen(found.value[own], lengths[own]):
            windows.append((a, b, float(lengths[own].min())))
    return windows


def _limits(windows: list[Window], times: Array) -> Array:
    """The longest steps at times, by windows that do not overlap."""
    table = np.array(sorted(windows))
    k = np.searchsorted(table[:, 0], times, side="right") - 1
    inside = (k >= 0) & (times < table[np.maximum(k, 0), 1])
    return np.where(inside, table[np.maximum(k, 0), 2], np.inf)


def _joined(jumps: list[tuple[float, float]], start: float, end: float) -> list[tuple[float, float]]:
    """Jumps that touch as one."""
    found: list[tuple[float, float]] = []
    for lo, hi in sorted(jumps):
        near = 4 * FINEST * max(abs(lo), abs(hi))
        if found and lo <= found[-1][1] + near:
            found[-1] = found[-1][0], max(hi, found[-1][1])
        elif hi >= start and lo <= end:
            found.append((lo, hi))
    return found


def _apart(
    edges: list[float], walls: list[tuple[float, float]], start: float, end: float
) -> list[tuple[float, float]]:
    """What lies between edges and walls, but for what is shorter than rounding."""
    marks = sorted([*((x, x) for x in edges if start < x < end), *walls, (end, end)])
    found: list[tuple[float, float]] = []
    left = start
    for lo, hi in marks:
        if lo - left > WIDER * max(abs(lo), abs(left)):
            found.append((left, lo))
        left = max(left, hi)
    return found


def _merged(places: list[tuple[float, float]], steps: list[float]) -> tuple[Segment, ...]:
    """Neighbours with the same longest step as one segment."""
    found: list[Segment] = []
    for (a, b), h in zip(places, steps, strict=True):
        if found and found[-1].end == a and found[-1].longest == h:
            found[-1] = Segment(found[-1].start, b, h)
        else:
            found.append(Segment(a, b, h))
    return tuple(found)


def shifted(
    system: System, laws: tuple[sympy.Expr, ...], p: Array, before: float, after: float
) -> Array:
    """(parameters,) how the place of a jump between two times moves with each parameter.

    Where a sign s(t, p) changes, dt/dp = -s_p/s_t; NaN where s has no slope.
    """
    parameters, middle = system.parameters, np.array([(before + after) / 2])
    span = Span(parameters, p[None], np.array([before]), np.array([after]))
    zero = np.zeros(1, dtype=np.intp)
    for value, whole in _switches(drives(system, laws)):
        over = Strip(np.array([before]), np.array([after]), np.zeros(1))
        bounds = enclosed(value, span.leaves(zero, over))[value]
        lo, hi = float(bounds.lo[0]), float(bounds.hi[0])
        if (np.ceil(lo) <= np.floor(hi)) if whole else (lo <= 0 <= hi):
            at = span.leaves(zero, Strip(middle, middle, np.zeros(1)))
            slopes = [_value(sympy.diff(value, each), at) for each in (t, *parameters)]
            with np.errstate(divide="ignore", invalid="ignore"):
                return np.asarray(-np.array(slopes[1:]) / np.float64(slopes[0]))
    return np.zeros(len(parameters))


def _switches(functions: Sequence[sympy.Basic]) -> list[tuple[sympy.Expr, bool]]:
    """What chooses branches, and whether by whole numbers."""
    found: dict[tuple[sympy.Expr, bool], None] = {}
    for each in functions:
        for kind, own in enumerate(switches(each, t)):
            found.update(dict.fromkeys((value, bool(kind)) for value in own))
    return list(found)


def _value(expression: sympy.Expr, leaves: dict[sympy.Basic, Strip]) -> float:
    found = enclosed(expression, leaves)[expression]
    return float(found.lo[0] + found.hi[0]) / 2
