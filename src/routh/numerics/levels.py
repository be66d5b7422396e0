"""The levels at which verdicts are decided, each from the rounding of doubles, with its reason.

Results are compared with bounds of their own rounding wherever these are known; a level here says how
such a bound is made, or where a closer look is worth its price. A closer look gives the same answer as
a quick one where both apply, so that moving any of these by ten changes no verdict; a test does that.
They are read as `levels.NAME` when they are used.
"""

from __future__ import annotations

import numpy as np

EPS = float(np.finfo(float).eps)
"""The distance from 1 to the next double, 2.2e-16."""

BITS = 4 * EPS
"""By how much values are moved to see their rounding in what is computed from them: a few last bits."""

NOISE = 32.0
"""Observed rounding times this bounds what was not observed: that of numbers in the energies, which no
trial moves, and sums in which three trials happened to agree."""

COMPONENT = 16 * EPS
"""Each component of a computed direction, and each entry of a matrix, is known to this share of what
it is the sum of. Sums of n terms lose sqrt(n) of it at most in practice."""

SUSPECT = 1e-8
"""Where the least eigenvalue or pivot of a scaled matrix is this much smaller than the largest, entries
may not determine it, and the matrices are taken along their own motions. Half of the digits are left
where it begins."""

RANK = 2.0**14 * EPS
"""Singular values of a cleaned matrix in unit size below this, 4e-12, are zero. What is judged by it
has either none between rounding and `SUSPECT`, or was taken along its own motions before."""

REACH = 64 * EPS
"""A mode whose share in the damping is below this is not reached by it: eigenvectors and damping are
known to that."""

MULTIPLE = 32.0
"""Times its error of first order, an eigenvalue is beyond doubt. Where rounding splits a double root
that error is half the way that each half has gone, so that 2 is the least; the rest is room."""

DISTANT = 2.0**22 * EPS
"""Real parts below this share, 1e-9, decide nothing where eigenvalues are not looked at one by one: of
themselves, for the fast modes of large systems and with velocity constraints."""

BROKEN = 1e-3
"""A result known to no more than this share of itself has lost its digits, and says so."""
