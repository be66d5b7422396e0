"""Where a function of one variable rises and where it falls, shown by bounds of its slope.

Cells are halved until the slope has one sign in each, or passes zero once; unbounded ones are halved
towards infinity. A pole lies between two pieces. What is found is about all real numbers, or it says
that it is not.
"""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count

import sympy

from routh.mechanics.transforms.bounds import INTERVALS, Interval, Outside, Unbounded, bounds

MOST_CELLS = 400
"""Cells after which the search ends."""

MOST_PIECES = 9
"""Pieces after which the search ends: a wave has ever more of them."""

NARROW = 1e-13
"""Relative width of a cell that is not halved."""

FAR = 1e9
"""Where an unbounded cell is given up."""


@dataclass(frozen=True)
class Piece:
    """An interval where the slope has one sign: 1 if it is nowhere negative, -1 if nowhere positive."""

    lower: float
    upper: float
    sign: int


@dataclass(frozen=True)
class Pieces:
    """The pieces in their order; `complete` if they are all that there is on the real line."""

    pieces: tuple[Piece, ...]
    complete: bool

    @property
    def many(self) -> bool:
        """Whether the search ended since there are ever more pieces."""
        return not self.complete and len(self.pieces) >= MOST_PIECES

    @property
    def sign(self) -> int:
        """The sign everywhere, 0 if there are both or not all is known."""
        return self.pieces[0].sign if self.complete and len(self.pieces) == 1 else 0


def pieces(
    function: sympy.Expr, slope: sympy.Expr, x: sympy.Symbol, within: sympy.Expr = sympy.S.Zero
) -> Pieces:
    """The pieces of the slope of a function, where `within` has real values; without other symbols."""
    return _Search(function, slope, x, within).found()


class _Search:
    def __init__(
        self, function: sympy.Expr, slope: sympy.Expr, x: sympy.Symbol, within: sympy.Expr
    ) -> None:
        self._function, self._slope, self._x, self._within = function, slope, x, within
        self._curvature = slope.diff(x)
        self._crossings = 0
        self._left: list[tuple[float, float]] = []
        """Narrow cells whose signs are not known."""
        self._poles: set[tuple[float, float]] = set()
        """Cells in which the function is not bounded."""
        self._done: list[tuple[float, float, int | None]] = []
        """Cells with their signs; None where the slope has no real value."""
        self._serial = count()
        self._queue: list[tuple[float, int, float, float]] = []

    def found(self) -> Pieces:
        infinity = float("inf")
        for low, high in ((-1.0, 0.0), (0.0, 1.0), (1.0, infinity), (-infinity, -1.0)):
            self._push(low, high)
        for _ in range(MOST_CELLS):
            if not self._queue or self._crossings >= MOST_PIECES:
                break
            _, _, low, high = heappop(self._queue)
            if self._settled(low, high):
                continue
            if self._narrow(low, high):
                self._left.append((low, high))
            else:
                self._halve(low, high)
        told = (cell in self._poles or self._at_an_edge(*cell) for cell in self._left)
        complete = not self._queue and all(told)
        return Pieces(tuple(self._merged()), complete)

    def _push(self, low: float, high: float) -> None:
        nearest = 0.0 if low <= 0 <= high else min(abs(low), abs(high))
        heappush(self._queue, (nearest, next(self._serial), low, high))

    def _settled(self, low: float, high: float) -> bool:
        """Whether the sign in a cell is known."""
        try:
            self._over(self._within, low, high)
            if not _bounded(self._over(self._function, low, high), low, high):
                self._poles.add((low, high))
                return False
            sign = _sign(self._over(self._slope, low, high))
        except Outside:
            self._done.append((low, high, None))
            return True
        except Unbounded:
            return False
        if sign:
            self._done.append((low, high, sign))
            return True
        return self._crosses(low, high)

    def _crosses(self, low: float, high: float) -> bool:
        """Whether the slope rises or falls all along, so that the signs at both ends say all."""
        if abs(low) == float("inf") or abs(high) == float("inf"):
            return False
        try:
            if not _sign(self._over(self._curvature, low, high)):
                return False
            a, b = (_sign(self._over(self._slope, end, end)) for end in (low, high))
        except (Outside, Unbounded):
            return False
        if not a or not b:
            return False
        if a == b:
            self._done.append((low, high, a))
            return True
        place = self._zero(low, high, a)
        self._done += [(low, place, a), (place, high, b)]
        self._crossings += 1
        return True

    def _zero(self, low: float, high: float, sign: int) -> float:
        """Where the sign changes, by halving: bounds of a slope prove signs, but are no values."""
        while True:
            middle = (low + high) / 2
            if middle in (low, high):
                return middle
            here = _sign(self._over(self._slope, middle, middle))
            if not here:
                return middle
            low, high = (middle, high) if here == sign else (low, middle)

    def _over(self, e: sympy.Expr, low: float, high: float) -> Interval:
        return bounds(e, {self._x: INTERVALS.mpf([low, high])})

    def _narrow(self, low: float, high: float) -> bool:
        if float("inf") in (abs(low), abs(high)):
            return min(abs(low), abs(high)) >= FAR
        return _thin(low, high)

    def _at_an_edge(self, low: float, high: float) -> bool:
        """Whether a cell touches where there is no value, which is the end of the function."""
        return any(sign is None and (a == high or b == low) for a, b, sign in self._done)

    def _halve(self, low: float, high: float) -> None:
        if high == float("inf"):
            middle = 4 * max(low, 1.0)
        elif low == -float("inf"):
            middle = 4 * min(high, -1.0)
        else:
            middle = (low + high) / 2
        self._push(low, middle)
        self._push(middle, high)

    def _merged(self) -> list[Piece]:
        """Neighbouring cells of one sign as one piece; a zero at an end of a cell leaves no piece."""
        cells = sorted(
            (low, high, sign) for low, high, sign in self._done if sign and not _thin(low, high)
        )
        merged: list[Piece] = []
        for low, high, sign in cells:
            last = merged[-1] if merged else None
            if last and last.sign == sign and self._adjoin(last.upper, low):
                merged[-1] = Piece(last.lower, high, sign)
            else:
                merged.append(Piece(low, high, sign))
        return merged

    def _adjoin(self, end: float, start: float) -> bool:
        """Whether nothing lies between two places, also no pole."""
        return _thin(end, start) and not any(end <= low and high <= start for low, high in self._left)


def _thin(low: float, high: float) -> bool:
    """Whether a cell is as good as a point."""
    return high - low <= NARROW * min(max(abs(low), abs(high), NARROW), FAR)


def _bounded(values: Interval, low: float, high: float) -> bool:
    infinity = float("inf")
    far = infinity in (abs(low), abs(high))
    return far or bool(-INTERVALS.inf < values.a and values.b < INTERVALS.inf)


def _sign(interval: Interval) -> int:
    if interval.a >= 0:
        return 1
    return -1 if interval.b <= 0 else 0
