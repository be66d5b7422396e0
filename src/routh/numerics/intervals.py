"""Sound bounds of functions over intervals, and over strips of the complex plane around them.

A `Strip` holds for each entry of an array the set lo <= Re z <= hi, |Im z| <= im; with im = 0 it is a
real interval. Every operation encloses all its values on the set, rounding included. Functions that are
real on the real axis map such sets, symmetric to it, into such sets. Where a function is not analytic
somewhere on a strip the result is not bounded, so that a finite result says that it is analytic there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import scipy
from numpy.typing import NDArray

from routh.arrays import Array

WIDER = 8 * np.finfo(float).eps
"""Share by which a bound is moved outwards: functions of the mathematical library err by less."""

LEAST = float(np.finfo(float).smallest_subnormal)
"""What is added to it, for numbers so small that they are rounded to zero."""

FAR = 1e8
"""Angles beyond which sines are not located: they are between -1 and 1."""


@dataclass(frozen=True, eq=False)
class Strip:
    """Sets of numbers: lo <= Re z <= hi, |Im z| <= im and |z| >= least, an entry each."""

    lo: Array
    hi: Array
    im: Array
    least: Array | None = None

    @property
    def away(self) -> Array:
        """A lower bound of |z|."""
        return self.mig if self.least is None else np.maximum(self.mig, self.least)

    @property
    def modulus(self) -> Array:
        """An upper bound of |z|."""
        return _up(np.hypot(self.mag, self.im))

    @property
    def mag(self) -> Array:
        """The largest |Re z|."""
        return np.maximum(np.abs(self.lo), np.abs(self.hi))

    @property
    def mig(self) -> Array:
        """The smallest |Re z|."""
        return np.maximum(np.maximum(self.lo, -self.hi), 0.0)

    @property
    def is_real(self) -> NDArray[np.bool_]:
        """Which sets are intervals."""
        return np.asarray(self.im == 0)

    def where(self, chosen: NDArray[np.bool_], other: Strip) -> Strip:
        """These sets where chosen, others elsewhere."""
        pairs = ((self.lo, other.lo), (self.hi, other.hi), (self.im, other.im))
        lo, hi, im = (np.where(chosen, a, b) for a, b in pairs)
        least = None
        if self.least is not None or other.least is not None:
            least = np.where(chosen, self.away, other.away)
        return Strip(lo, hi, im, least)

    def __neg__(self) -> Strip:
        return Strip(-self.hi, -self.lo, self.im, self.least)

    def __add__(self, other: Strip) -> Strip:
        lo, hi = _outward(self.lo + other.lo, self.hi + other.hi)
        for a, b in ((self, other), (other, self)):
            zero = (a.lo == 0) & (a.hi == 0)
            lo, hi = np.where(zero, b.lo, lo), np.where(zero, b.hi, hi)
        least = None
        if self.least is not None or other.least is not None:
            with np.errstate(invalid="ignore"):
                apart = np.fmax(self.away - other.modulus, other.away - self.modulus)
            least = _below(apart)
        return _clean(lo, hi, _up(self.im + other.im), least)

    def __sub__(self, other: Strip) -> Strip:
        return self + (-other)

    def __mul__(self, other: Strip) -> Strip:
        with np.errstate(invalid="ignore", over="ignore"):
            pairs = [_zero(a * b) for a in (self.lo, self.hi) for b in (other.lo, other.hi)]
            both = _zero(self.im * other.im)
            im = _zero(self.mag * other.im) + _zero(other.mag * self.im)
        lo, hi = _outward(np.minimum.reduce(pairs) - both, np.maximum.reduce(pairs) + both)
        zero = _nothing(self) | _nothing(other)
        least = None
        if self.least is not None or other.least is not None:
            with np.errstate(invalid="ignore", over="ignore"):
                least = _below(np.where(zero, 0.0, self.away * other.away))
        lo, hi, im = (np.where(zero, 0.0, x) for x in (lo, hi, _up(im)))
        return _clean(lo, hi, im, least)

    def square(self) -> Strip:
        """z**2, with a real part that is not negative where z is real."""
        with np.errstate(over="ignore", invalid="ignore"):
            lo, hi = _outward(self.mig**2, self.mag**2)
            im = _zero(2 * self.mag * self.im)
            least = None if self.least is None else _below(self.away**2)
            return _clean(np.maximum(lo, 0.0) - _up(self.im**2), hi, _up(im), least)

    def reciprocal(self) -> Strip:
        """1/z; not bounded where z may be zero."""
        near = self.mig
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            most = 1 / near
            size = [_zero(x / (x**2 + self.im**2)) for x in (near, self.mag)]
            least = np.where(self.is_real, 1 / self.mag, np.minimum(*size))
            im = np.where(self.im < near, self.im / (near**2 + self.im**2), 0.5 * most)
        lo, hi = _outward(least, most)
        found = Strip(lo, hi, np.where(self.is_real, 0.0, _up(im)))
        found = found.where(self.lo > 0, -found)
        if self.least is None:
            return found.where(near > 0, whole(self.lo))
        with np.errstate(divide="ignore"):
            ball, inner = _up(1 / self.away), _below(1 / self.modulus)
        found = found.where(near > 0, Strip(-ball, ball, ball)).where(self.away > 0, whole(self.lo))
        return replace(found, least=np.where(self.away > 0, inner, 0.0))

    def power(self, exponent: int) -> Strip:
        """z**n for a whole number n."""
        if exponent < 0:
            return self.power(-exponent).reciprocal()
        if exponent == 0:
            return constant(1.0, self.lo)
        half = self.power(exponent // 2).square() if exponent > 1 else constant(1.0, self.lo)
        return half * self if exponent % 2 else half

    def real_power(self, exponent: Array) -> Strip:
        """z**a for a real a and Re z > 0; for real intervals from zero on."""
        base = np.maximum(self.lo, 0.0)
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            ends = [base**exponent, np.maximum(self.hi, 0.0) ** exponent]
            far = np.hypot(self.hi, self.im)
            slope = np.abs(exponent) * np.maximum(base ** (exponent - 1), far ** (exponent - 1))
        lo, hi = _outward(np.minimum(*ends), np.maximum(*ends))
        return self._beside(lo, hi, slope, (self.lo > 0) | (self.is_real & (self.hi >= 0)))

    def exp(self) -> Strip:
        """e**z."""
        with np.errstate(over="ignore", invalid="ignore"):
            lo, hi = _outward(np.exp(self.lo), np.exp(self.hi))
            turn = np.where(self.im < 1.5, np.cos(self.im), -1.0)
            least = np.where(self.is_real, lo, np.where(turn > 0, lo * turn, -hi))
            im = _zero(hi * np.minimum(self.im, 1.0))
            least = np.where(least > 0, least * (1 - WIDER), least)
            inner = _below(np.exp(self.lo))
        return _clean(least, hi, _up(im), inner)

    def log(self) -> Strip:
        """The logarithm, for Re z > 0."""
        with np.errstate(divide="ignore", invalid="ignore"):
            lo, hi = _outward(np.log(np.maximum(self.lo, 0.0)), np.log(np.maximum(self.hi, 0.0)))
            slope = 1 / np.maximum(self.lo, 0.0)
        return self._beside(lo, hi, slope, (self.lo > 0) | (self.is_real & (self.hi > 0)))

    def sqrt(self) -> Strip:
        """The root, for Re z > 0; for real intervals from zero on."""
        return self.real_power(np.full_like(self.lo, 0.5))

    def sin(self) -> Strip:
        """The sine, sin x cosh y + i cos x sinh y."""
        sine, cosine = _sine(self.lo, self.hi), _sine(self.lo, self.hi, quarter=1)
        with np.errstate(over="ignore", invalid="ignore"):
            stretch = Strip(np.ones_like(self.lo), _up(np.cosh(self.im)), np.zeros_like(self.lo))
            im = _zero(cosine.mag * _up(np.sinh(self.im)))
        found = sine.where(self.is_real, sine * stretch)
        return _clean(found.lo, found.hi, np.where(self.is_real, 0.0, _up(im)))

    def cos(self) -> Strip:
        """The sine a quarter of a turn ahead."""
        return (self + interval(np.pi / 2, np.nextafter(np.pi / 2, 2), self.lo)).sin()

    def tan(self) -> Strip:
        """Not bounded where a pole may be near."""
        with np.errstate(divide="ignore", invalid="ignore"):
            turns = [np.floor(x / np.pi + 0.5) for x in _outward(self.lo, self.hi)]
            slope = 1 / _sine(self.lo, self.hi, quarter=1).mig ** 2
            lo, hi = _outward(np.tan(self.lo), np.tan(self.hi))
        same = (turns[0] == turns[1]) & (self.mag < FAR) & (lo <= hi)
        return self._beside(lo, hi, slope, same)

    def sinh(self) -> Strip:
        """Half of e**z - e**-z."""
        with np.errstate(over="ignore"):
            lo, hi = _outward(np.sinh(self.lo), np.sinh(self.hi))
            slope = np.cosh(self.mag)
            least = _below(np.sinh(self.mig))
        return replace(self._beside(lo, hi, slope), least=least)

    def cosh(self) -> Strip:
        """Half of e**z + e**-z."""
        with np.errstate(over="ignore"):
            lo, hi = _outward(np.cosh(self.mig), np.cosh(self.mag))
            slope = np.cosh(self.mag)
            least = _below(np.sinh(self.mig))
        return replace(self._beside(lo, hi, slope), least=least)

    def tanh(self) -> Strip:
        """By |cosh z|**2 = sinh(x)**2 + cos(y)**2."""
        lo, hi = _outward(np.tanh(self.lo), np.tanh(self.hi))
        with np.errstate(over="ignore", divide="ignore"):
            turn = np.where(self.im < 1.5, np.cos(self.im), 0.0)
            slope = 1 / (np.sinh(self.mig) ** 2 + turn**2)
        return self._beside(np.maximum(lo, -1.0), np.minimum(hi, 1.0), slope)

    def atan(self) -> Strip:
        """Analytic but for the imaginary axis from i and -i outwards."""
        lo, hi = _outward(np.arctan(self.lo), np.arctan(self.hi))
        return self._beside(lo, hi, 1 / self._from_i(), (self.im < 1) | (self.mig > 0))

    def asinh(self) -> Strip:
        """Analytic but for the imaginary axis from i and -i outwards."""
        lo, hi = _outward(np.arcsinh(self.lo), np.arcsinh(self.hi))
        return self._beside(lo, hi, 1 / np.sqrt(self._from_i()), (self.im < 1) | (self.mig > 0))

    def _from_i(self) -> Array:
        """A lower bound of |z**2 + 1| = |z - i| |z + i|."""
        with np.errstate(over="ignore"):
            below = np.maximum(1 - self.im, 0.0)
            near = np.sqrt(below**2 + self.mig**2)
            far = np.where(self.im < 1, np.sqrt(1 + self.mig**2), near)
            return np.asarray(np.maximum(near * far, 1e-300))

    def asin(self) -> Strip:
        """Between -1 and 1."""
        inner = [np.clip(x, -1, 1) for x in (self.lo, self.hi)]
        lo, hi = _outward(np.arcsin(inner[0]), np.arcsin(inner[1]))
        return self._beside(lo, hi, 1 / np.sqrt(self._from_one()), self._within_one())

    def acos(self) -> Strip:
        """A quarter of a turn less the arcsine."""
        return interval(np.pi / 2, np.nextafter(np.pi / 2, 2), self.lo) - self.asin()

    def atanh(self) -> Strip:
        """Between -1 and 1."""
        with np.errstate(divide="ignore"):
            inner = [np.clip(x, -1, 1) for x in (self.lo, self.hi)]
            lo, hi = _outward(np.arctanh(inner[0]), np.arctanh(inner[1]))
        return self._beside(lo, hi, 1 / self._from_one(), self._within_one())

    def _within_one(self) -> NDArray[np.bool_]:
        inside = (self.lo > -1) & (self.hi < 1)
        return np.asarray(inside | (self.is_real & (self.hi >= -1) & (self.lo <= 1)))

    def _from_one(self) -> Array:
        """A lower bound of |1 - z**2| for -1 < Re z < 1."""
        return np.asarray(np.maximum((1 - self.hi) * (1 + self.lo), 1e-300))

    def acosh(self) -> Strip:
        """From 1 on."""
        lo, hi = _outward(*(np.arccosh(np.maximum(x, 1.0)) for x in (self.lo, self.hi)))
        with np.errstate(over="ignore"):
            slope = 1 / np.sqrt(np.maximum(self.lo**2 - 1, 1e-300))
        return self._beside(lo, hi, slope, (self.lo > 1) | (self.is_real & (self.hi >= 1)))

    def erf(self) -> Strip:
        """By its slope 2/sqrt(pi) exp(-z**2)."""
        lo, hi = _outward(scipy.special.erf(self.lo), scipy.special.erf(self.hi))
        with np.errstate(over="ignore", invalid="ignore"):
            slope = 1.13 * np.exp(_zero(self.im**2 - self.mig**2))
        return self._beside(np.maximum(lo, -1.0), np.minimum(hi, 1.0), slope)

    def sinc(self) -> Strip:
        """sin(z)/z: its slope is at most cosh(y)/2."""
        middle = np.where(np.isfinite(self.lo) & np.isfinite(self.hi), (self.lo + self.hi) / 2, 0.0)
        value = np.sinc(middle / np.pi)
        with np.errstate(over="ignore", invalid="ignore"):
            most = _up(np.cosh(self.im))
            reach = _up((self.hi - self.lo) / 2 * most / 2 + WIDER)
        lo, hi = np.maximum(value - reach, -most), np.minimum(value + reach, most)
        return self._beside(lo, hi, most / 2)

    def _beside(
        self, lo: Array, hi: Array, slope: Array, defined: NDArray[np.bool_] | bool = True
    ) -> Strip:
        """Values on the axis, from lo to hi, and beside it, where the slope is at most `slope`."""
        with np.errstate(over="ignore", invalid="ignore"):
            off = np.where(self.is_real, 0.0, _up(self.im * _up(slope)))
        found = _clean(lo - off, hi + off, off)
        return found.where(np.broadcast_to(np.asarray(defined), lo.shape), whole(lo))


def interval(lo: float, hi: float, like: Array) -> Strip:
    """The same interval for every entry of an array."""
    return Strip(np.full_like(like, lo), np.full_like(like, hi), np.zeros_like(like))


def constant(value: float, like: Array) -> Strip:
    """The same number for every entry."""
    return interval(value, value, like)


def whole(like: Array) -> Strip:
    """Any number: what is known of what is not bounded."""
    return Strip(np.full_like(like, -np.inf), np.full_like(like, np.inf), np.full_like(like, np.inf))


def hull(first: Strip, second: Strip) -> Strip:
    """What contains both."""
    return Strip(
        np.minimum(first.lo, second.lo),
        np.maximum(first.hi, second.hi),
        np.maximum(first.im, second.im),
    )


def _nothing(x: Strip) -> NDArray[np.bool_]:
    return np.asarray((x.lo == 0) & (x.hi == 0) & (x.im == 0))


def _zero(x: Array) -> Array:
    """Zero times infinity is zero: a bound, not a limit."""
    return np.where(np.isnan(x), 0.0, x)


def _up(x: Array) -> Array:
    return np.where(x == 0, 0.0, x + np.abs(x) * WIDER + LEAST)


def _outward(lo: Array, hi: Array) -> tuple[Array, Array]:
    with np.errstate(invalid="ignore"):
        return lo - (np.abs(lo) * WIDER + LEAST), hi + (np.abs(hi) * WIDER + LEAST)


def _below(x: Array) -> Array:
    """A lower bound of a modulus, zero where there is none."""
    with np.errstate(invalid="ignore"):
        return np.where(x > 0, np.minimum(x, 1e300) * (1 - WIDER), 0.0)


def _clean(lo: Array, hi: Array, im: Array, least: Array | None = None) -> Strip:
    """Bounds that are no numbers become none."""
    lost = np.isnan(lo) | np.isnan(hi) | np.isnan(im)
    found = Strip(lo, hi, im, least)
    if not lost.any():
        return found
    unknown = whole(lo)
    return found.where(~lost, unknown if least is None else replace(unknown, least=least))


def _sine(lo: Array, hi: Array, quarter: int = 0) -> Strip:
    """sin(x + quarter * pi/2) over intervals."""
    function: Callable[[Array], Array] = np.cos if quarter else np.sin
    far = (np.maximum(np.abs(lo), np.abs(hi)) > FAR) | ~np.isfinite(lo) | ~np.isfinite(hi)
    a, b = np.where(far, 0.0, lo), np.where(far, 0.0, hi)
    ends = function(a), function(b)
    least, most = _outward(np.minimum(*ends), np.maximum(*ends))
    for sign in (1, -1):
        # an extremum sign * 1 at x = sign * pi/2 - quarter * pi/2 + 2 pi k
        place = sign * np.pi / 2 - quarter * np.pi / 2
        first, last = ((x - place) / (2 * np.pi) for x in (a, b))
        slack = 1e-15 * (1 + np.maximum(np.abs(first), np.abs(last)))
        inside = far | (np.ceil(first - slack) <= np.floor(last + slack))
        least, most = (
            (least, np.where(inside, 1.0, most)) if sign > 0 else (np.where(inside, -1.0, least), most)
        )
    return Strip(np.maximum(least, -1.0), np.minimum(most, 1.0), np.zeros_like(least))
