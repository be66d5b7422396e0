"""Where a function of one number crosses zero between two places: SciPy's `toms748`.

Algorithm 748 (Alefeld, Potra and Shi, 1995) interpolates and halves: it needs about ten looks at a
smooth function, and up to twice as many as bisection at a jump or a pole, which it brackets to the last
bits too. Where the looks are at many functions together, or at claims instead of numbers, plain halving
stays: `barriers` and `onto` do it for a whole batch, `enclosed_zeros` with bounds over intervals.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import scipy

MOST = 2200
"""Rounds, each of which halves the bracket at least: more than doubles have bits and exponents."""

SMALLEST, LARGEST = 1e-300, 1e100
"""Bounds of what is not zero, in sizes of the function at the ends, so that its sign is never lost."""

NARROW = 1e-15
"""Share of the bracket within which a crossing is located: places are mostly shares of some way, and no
better known than to rounding of the whole."""

LAST_BITS = float(np.finfo(float).eps)
"""Share of the place within which it is not located any better."""


class _UndefinedError(Exception):
    """A function is not a number within its bracket."""


def crossing(
    function: Callable[[float], float],
    low: float,
    high: float,
    *,
    ends: tuple[float, float] | None = None,
    width: float | None = None,
) -> float:
    """Where a function crosses zero between two finite places, NaN where nothing says that it does.

    That is where it has one sign at both ends, or is not a number at a place that is looked at. An end
    at which it is zero is the crossing. Infinite values count by their sign, so that jumps and poles
    are found as well; whether it is one the caller sees by the function there.

    Arguments:
        function: of one number.
        low: one end.
        high: the other end; it may be the lower one.
        ends: the function at both, if it is known; it is not looked at there then.
        width: how near to each other the two places are in the end between which it crosses, but for
            the last bits of a double. If not given, NARROW of the bracket.

    Example:
        >>> round(crossing(lambda x: x**2 - 2, 0.0, 2.0), 12)
        1.414213562373
    """
    if low > high:
        low, high = high, low
        ends = None if ends is None else (ends[1], ends[0])
    first, last = (function(low), function(high)) if ends is None else ends
    if first == 0 or last == 0:
        return low if first == 0 else high
    if not np.sign(first) * np.sign(last) < 0:
        return float("nan")
    size = min(max(abs(first), abs(last)), np.finfo(float).max)  # `toms748` compares with 1
    outside = np.geterr()

    def scaled(x: float) -> float:
        with np.errstate(**outside):  # the function warns as it would alone
            value = first if x == low else last if x == high else function(x)
        if math.isnan(value):
            raise _UndefinedError
        bounded = min(max(abs(value) / size, SMALLEST), LARGEST)
        return math.copysign(bounded, value) if value else 0.0

    narrow = NARROW * (high - low) if width is None else width
    try:
        with np.errstate(all="ignore"):  # interpolation overflows next to zero, and halving goes on
            # named in full, so that scipy.optimize, which takes long, is loaded only here
            found = scipy.optimize.toms748(
                scaled, low, high, xtol=narrow, rtol=LAST_BITS, maxiter=MOST, disp=False
            )
    except _UndefinedError:
        return float("nan")
    return float(found)
