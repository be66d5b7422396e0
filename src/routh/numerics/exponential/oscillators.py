"""Damped oscillators apart from each other: how they move freely, and under a force along a step.

Each obeys `y'' + 2 d y' + w y = f`, with `w` of either sign. Its answer to a push is

    s(t) = exp(-d t) sin(r t) / r,    r = sqrt(w - d^2),    and    y(t) = (s' + 2 d s) y(0) + s y'(0)

and under a force that is a sum of Legendre polynomials along the step it is a sum of the integrals of
`s(c - t) P_k(t)` over 0 <= t <= c, in shares of the step. They are found

* by Gauss points where an oscillator turns little within the step;
* elsewhere from those of `exp(z (c - t))`, z being the roots, by integration by parts with
  `2 (2 k + 1) P_k = P'_(k+1) - P'_(k-1)`:

      I_(k+1) = I_(k-1) + (2 (2 k + 1) I_k - b_(k+1) + b_(k-1)) / z,    b_k = P_k(c) - exp(z c) P_k(0)

  which loses no digits as long as |z| is not much smaller than 4 k.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.polynomial import legendre

from routh.arrays import Array

FAST = 80.0
"""Roots beyond, in turns of one radian within the step, go by parts, others by Gauss points."""

POINTS = 96
"""Gauss points, which integrate waves of 80 radians times polynomials of degree 30 to rounding."""

APART = 0.1
"""Two roots nearer to each other than this share of their size are put apart: see `Oscillators`."""

_x, _b = legendre.leggauss(POINTS)
GAUSS = (_x + 1) / 2, _b / 2
"""Their places and weights, over the unit interval."""


@dataclass(frozen=True)
class Oscillators:
    """Oscillators with squares of frequencies `w` (k,) and halves of damping rates `d` (k,).

    Where damping is nearly critical a little less of it is taken, so that the two roots differ: what is
    left over belongs to the force.
    """

    w: Array
    d: Array

    @classmethod
    def nearest(cls, w: Array, d: Array) -> Oscillators:
        """The oscillators of these numbers, none of them nearly critical."""
        critical = (w > 0) & (np.abs(d**2 - w) < APART * w)
        return cls(w, np.where(critical, np.sign(d) * np.sqrt((1 - APART) * np.abs(w)), d))

    @property
    def roots(self) -> Array:
        """(2, k): the roots of z^2 + 2 d z + w, the second one of larger size where both are real."""
        r = np.sqrt((self.d**2 - self.w).astype(complex))
        r = np.where(self.d > 0, -r, r)  # no cancellation
        far = -self.d + r
        near = np.where(far == 0, 0, self.w / np.where(far == 0, 1, far))
        return np.stack([np.where(np.abs(near.imag) > 0, far.conj(), near), far])

    def answers(self, times: Array) -> tuple[Array, Array]:
        """(k, ...): s and s' at times after a push, of any shape."""
        w, d = (each.reshape(-1, *[1] * times.ndim) for each in (self.w, self.d))
        r2 = w - d**2
        r = np.sqrt(np.abs(r2))
        x = r * times
        with np.errstate(over="ignore", invalid="ignore"):
            turning = r2 > 0
            decay = np.exp(-d * times)
            grow, fall = (np.exp((sign * r - d) * times) / 2 for sign in (1, -1))
            even = np.where(turning, decay * np.cos(x), grow + fall)
            small = x < 1e-3
            series = times * decay * (1 - np.where(turning, 1, -1) * x**2 / 6 + x**4 / 120)
            odd = np.where(turning, decay * np.sin(x), grow - fall) / np.where(small, 1, r)
            s = np.where(small, series, odd)
        return s, even - d * s

    def free(self, times: Array) -> Array:
        """(2, 2, k, ...): what position and velocity become of position and velocity."""
        s, rate = self.answers(times)
        w, d = (each.reshape(-1, *[1] * times.ndim) for each in (self.w, self.d))
        return np.stack([np.stack([rate + 2 * d * s, s]), np.stack([-w * s, rate])])

    def forced(self, h: float, shares: Array, count: int) -> Array:
        """(2, k, shares, count): positions and velocities at shares of a step h, by Legendre forces."""
        found = np.empty((2, len(self.w), len(shares), count))
        roots = h * self.roots
        fast = np.abs(roots).max(axis=0) > FAST
        slow = Oscillators(h**2 * self.w[~fast], h * self.d[~fast])
        found[:, ~fast] = _by_points(slow, shares, count)
        if fast.any():
            first, second = (_by_parts(each, shares, count) for each in roots[:, fast])
            z = roots[:, fast][..., None, None]
            gap = z[0] - z[1]
            found[0, fast] = ((first - second) / gap).real
            found[1, fast] = ((z[0] * first - z[1] * second) / gap).real
        found[0] *= h**2
        found[1] *= h
        return found


@lru_cache(maxsize=64)
def _legendre_at(shares: tuple[float, ...], count: int) -> tuple[Array, Array, Array]:
    """Places and weights of Gauss points up to each share, (S, P), and polynomials there, (S, P, k)."""
    ends = np.array(shares)[:, None]
    places, weights = ends * GAUSS[0], ends * GAUSS[1]
    polynomials: Array = np.asarray(legendre.legvander(2 * places - 1, count - 1), dtype=float)
    return places, weights, polynomials


def _by_points(own: Oscillators, shares: Array, count: int) -> Array:
    """(2, k, S, count): the integrals over a unit step by Gauss points."""
    places, weights, polynomials = _legendre_at(tuple(shares.tolist()), count)
    answers = np.stack(own.answers(shares[:, None] - places)) * weights
    return _summed(answers, polynomials)


def _summed(answers: Array, polynomials: Array) -> Array:
    """(a, k, S, m): sums over the points P of (a, k, S, P) and (S, P, m)."""
    a, k, shares, points = answers.shape
    rows = answers.transpose(2, 0, 1, 3).reshape(shares, a * k, points)
    return (rows @ polynomials).reshape(shares, a, k, polynomials.shape[-1]).transpose(1, 2, 0, 3)


def _by_parts(z: Array, shares: Array, count: int) -> Array:
    """(k, S, count): the integrals of exp(z (c - t)) P_k; by Gauss points where a root is small."""
    found = np.empty((len(z), len(shares), count), dtype=complex)
    small = np.abs(z) <= FAST
    if small.any():
        places, weights, polynomials = _legendre_at(tuple(shares.tolist()), count)
        waves = np.exp(z[small][:, None, None] * (shares[:, None] - places)) * weights
        found[small] = _summed(waves[None], polynomials)[0]
    z = z[~small][:, None]
    wave = np.exp(z * shares)
    ends = legendre.legvander(2 * shares - 1, count) - wave[..., None] * (-1.0) ** np.arange(count + 1)
    own = np.empty((*wave.shape, count), dtype=complex)
    own[..., 0] = (wave - 1) / z
    if count > 1:
        own[..., 1] = (2 * own[..., 0] - ends[..., 1]) / z
    for k in range(1, count - 1):
        change = 2 * (2 * k + 1) * own[..., k] - ends[..., k + 1] + ends[..., k - 1]
        own[..., k + 1] = own[..., k - 1] + change / z
    found[~small] = own
    return found
