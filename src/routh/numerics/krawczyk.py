"""All roots in a box, with proof: branch and prune with the Krawczyk operator on balls.

    K(X) = m - Y f(m) + (I - Y J(X)) (X - m),   m the midpoint of X, Y an approximate inverse of J(X)

K(X) inside X proves one root in X and no second one; K(X) beside X proves that there is none
(Krawczyk, 1969; Neumaier, *Interval Methods for Systems of Equations*, 1990, chapter 5).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from flint import arb
from numpy.typing import NDArray

from routh.errors import OutsideError

Array = NDArray[np.float64]
Ball = Any
Balls = list[Any]

SMALL = 1e-9
"""Share of the first box below which a box is not halved any more."""

SMALLEST = 1e-30
"""The same for boxes at or near places where the function is not finite, which go on to be halved
until they are a few units in the last place of their ends."""

NEAR_POLE = 8
"""Halvings in each direction after which a box is no longer near such a place."""

CLOSE = 1e-5
"""Size of the first box around a root that is to be enclosed tightly."""

SUSPECT = 1e-6
"""Share of the first box at which an open box is looked at together with its neighbours."""

SPLIT = 0.4871
"""Where boxes are cut: not in the middle, where symmetric systems have their roots."""

NEIGHBOUR = 16
"""How many of the smallest boxes a place where the function is not finite reaches."""

TIGHT = 1e-14
"""Size at which a box is small enough to tell roots apart."""

TIGHTEST = 1e-60
"""The same where matrices are to be computed over the box."""

TRIES = 120
"""Halvings of the box around a known root until the test succeeds."""


@dataclass
class Roots:
    """What branch and prune found out.

    `proven` holds for each known root a small box with exactly one, or None. `new` are small boxes
    with exactly one root that was not known. `undecided` are boxes (low, high) that may hold roots,
    `undefined` tiny ones at places where the function or its slopes are not finite.
    """

    proven: list[Balls | None]
    new: list[Balls] = field(default_factory=list)
    undecided: list[tuple[Array, Array]] = field(default_factory=list)
    undefined: list[tuple[Array, Array]] = field(default_factory=list)
    boxes: int = 0


Function = Callable[[Balls], Balls]
Slopes = Callable[[Balls], list[Balls]]


def all_roots(
    function: Function,
    slopes: Slopes,
    low: Array,
    high: Array,
    known: Sequence[Array],
    most_boxes: int,
) -> Roots:
    """Every root of a square or tall system in a box.

    The first n equations must determine the n unknowns near regular roots; all of them may exclude.

    Arguments:
        function: of a box of n balls, the m >= n balls of the equations.
        slopes: likewise the n rows of derivatives of the first n equations.
        low: (n,) lower ends of the box.
        high: (n,) upper ends.
        known: approximate roots, which are proven first.
        most_boxes: after which the rest is left undecided.
    """
    test = _Test(function, slopes)
    large = [test.around(root, high - low) for root in known]
    roots = Roots([None if box is None else test.narrowed(box) for box in large])
    sure = [box for box in large if box is not None]
    queue: deque[tuple[Array, Array, int]] = deque([(low, high, NEAR_POLE * len(low))])
    hopeless: list[Array] = []
    while queue:
        a, b, since = queue.popleft()
        if roots.boxes >= most_boxes:
            roots.undecided.append((a, b))
            continue
        roots.boxes += 1
        X = [arb(x).union(arb(y)) for x, y in zip(a, b, strict=True)]
        if any(_inside(X, box) for box in sure):
            continue
        outcome, K = test.check(X)
        finite, smear = test.finite, test.smear(b - a)
        since = since + 1 if finite else 0
        if outcome == "none":
            continue
        if outcome == "one":
            assert K is not None
            if not any(_inside(K, box) for box in sure):
                roots.new.append(test.narrowed(K))
                sure.append(X)
            continue
        a, b = _shrunk(a, b, K)
        middle = (a + b) / 2
        tried = any((np.abs(middle - other) < CLOSE * (high - low)).all() for other in hopeless)
        if ((b - a) <= SUSPECT * (high - low)).all() and finite and not tried:
            larger = test.around(middle, CLOSE * (high - low))
            if larger is None:
                hopeless.append(middle)
            if larger is not None:  # a root near the face of a box: the larger box proves it
                roots.new.append(test.narrowed(larger))
                sure.append(larger)
                continue
        small = ((b - a) <= SMALL * (high - low)).all() and since >= NEAR_POLE * len(low)
        if small or _smallest(a, b, high - low):
            (roots.undecided if finite else roots.undefined).append((a, b))
            continue
        k = int(np.argmax(smear))
        cut = a[k] + SPLIT * (b[k] - a[k])
        left, right = b.copy(), a.copy()
        left[k] = right[k] = cut
        queue.extend([(a, left, since), (right, b, since)])
    return _with_neighbours(roots, high - low)


def _smallest(a: Array, b: Array, width: Array) -> bool:
    """Whether a box is too small to be halved."""
    ulps = 8 * np.spacing(np.maximum(np.abs(a), np.abs(b)))
    return bool(((b - a) <= np.maximum(ulps, SMALLEST * width)).all())


def _with_neighbours(roots: Roots, width: Array) -> Roots:
    """Undecided boxes of the smallest size that touch places where the function is not finite.

    They belong to these: there is nothing between them but a few units in the last place.
    """
    middles = np.array([(a + b) / 2 for a, b in roots.undefined]).reshape(-1, len(width))
    still: list[tuple[Array, Array]] = []
    for a, b in roots.undecided:
        near = (np.abs(middles - (a + b) / 2) <= NEIGHBOUR * (b - a)).all(axis=1)
        touches = near.any() and _smallest(a, b, width)
        (roots.undefined if touches else still).append((a, b))
    roots.undecided = still
    return roots


class _Test:
    def __init__(self, function: Function, slopes: Slopes) -> None:
        self._function = function
        self._slopes = slopes
        self._smear: Array | None = None
        self.finite = True

    def check(self, X: Balls) -> tuple[str, Balls | None]:
        """("none" | "one" | "open", K(X) or None)"""
        self._smear = None
        try:
            over = self._function(X)
        except OutsideError:
            return "none", None
        if any(_without_zero(value) for value in over):
            return "none", None
        J = self._slopes(X)
        n = len(X)
        size = np.array([[float(abs(x).upper()) for x in row] for row in J])
        self.finite = bool(np.isfinite(size).all()) and all(value.is_finite() for value in over)
        if not self.finite:
            return "open", None
        self._smear = size.max(axis=0)
        centre = np.array([[float(x.mid()) for x in row] for row in J])
        try:
            Y = np.linalg.inv(centre)
        except np.linalg.LinAlgError:
            return "open", None
        m = [x.mid() for x in X]
        f = self._function(m)
        if not all(value.is_finite() for value in f):
            return "open", None
        K = []
        for i in range(n):
            y = [arb(float(value)) for value in Y[i]]
            total = m[i]
            for k in range(n):
                total -= y[k] * f[k]
            for j in range(n):
                slope = arb(1 if i == j else 0)
                for k in range(n):
                    slope -= y[k] * J[k][j]
                total += slope * (X[j] - m[j])
            if not total.is_finite():
                return "open", None
            if not total.overlaps(X[i]):
                return "none", None
            K.append(total)
        return ("one" if _inside(K, X, interior=True) else "open"), K

    def smear(self, width: Array) -> Array:
        """How much the equations change over the box in each direction."""
        return width if self._smear is None else width * (self._smear + 1e-300)

    def narrowed(self, X: Balls, tight: float = TIGHT) -> Balls:
        """A box with one root made smaller, as long as that works and it is not tight."""
        for _ in range(TRIES):
            if all(float(x.rad()) <= tight * (1 + abs(float(x.mid()))) for x in X):
                return X
            K = self.check(X)[1]
            if K is None:
                return X
            smaller = [k.intersection(x) for k, x in zip(K, X, strict=True)]
            if all(float(s.rad()) > 0.9 * float(x.rad()) for s, x in zip(smaller, X, strict=True)):
                return smaller
            X = smaller
        return X

    def around(self, root: Array, width: Array) -> Balls | None:
        """The largest box tried around an approximate root in which it is proven to be alone."""
        radius = width / 4
        for _ in range(TRIES):
            X = [arb(float(x), float(r)) for x, r in zip(root, radius, strict=True)]
            if self.check(X)[0] == "one":
                return X
            radius = radius / 2
        return None


def alone(function: Function, slopes: Slopes, root: Array) -> Balls | None:
    """A box around an approximate root that holds exactly one, as small as the precision allows."""
    test = _Test(function, slopes)
    X = test.around(root, CLOSE * (1 + np.abs(root)))
    return None if X is None else test.narrowed(X, TIGHTEST)


def _inside(inner: Balls, outer: Balls, *, interior: bool = False) -> bool:
    pairs = zip(outer, inner, strict=True)
    if interior:
        return all(o.contains_interior(i) for o, i in pairs)
    return all(o.contains(i) for o, i in pairs)


def _without_zero(value: Ball) -> bool:
    return bool(value.is_finite() and not value.contains(0))


def _shrunk(a: Array, b: Array, K: Balls | None) -> tuple[Array, Array]:
    """The box cut down to K(X), which holds all its roots; ends are rounded outwards."""
    if K is None:
        return a, b
    low = np.array([np.nextafter(float(k.lower()), -np.inf) for k in K])
    high = np.array([np.nextafter(float(k.upper()), np.inf) for k in K])
    return np.maximum(a, low), np.minimum(b, high)
