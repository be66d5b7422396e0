"""All roots in a box, with proof: branch and prune with the Krawczyk operator on balls.

A box is cut into cells until each is excluded, inside a box in which one root is proven alone, or too
small to go on with. What is cut off a cell goes back to the queue, and an exact account of the volumes
shows that nothing was lost.

Boxes at poles are halved down to the last bits, so that nothing near them is left out. Two proven
boxes are one root only if that is proven, and two roots only if they are apart.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from flint import arb
from numpy.typing import NDArray

from routh.arrays import Array
from routh.numerics.solving.account import Account, Cell, beside, common, volume
from routh.numerics.solving.contraction import Balls, Checked, Function, Krawczyk, Outcome, Root, Slopes

SMALL = 1e-9
"""Share of the first box below which a cell is deep: only so many of them are halved further."""

DEEP = 1000
"""How many deep cells are halved: enough for the roots of narrow features, few for degenerate ones."""

DEEPEST = 1e-13
"""Share of the first box below which a cell is not halved any more."""

SMALLEST = 1e-30
"""The same for boxes at or near places where the function is not finite, which go on to be halved
until they are a few units in the last place of their ends."""

NEAR_POLE = 8
"""Halvings in each direction after which a box is no longer near such a place."""

CLOSE = 1e-5
"""Size of the first box around a root that is to be enclosed tightly."""

SUSPECT = 1e-6
"""Share of the first box at which an open box is looked at together with its neighbours."""

NEWTON = 4.0
"""So many of its widths from the middle of a cell a root is looked for that is near its face."""

COARSER = 16
"""By this factor cells must have shrunk before the same neighbourhood is looked at once more."""

SPLIT = 0.4871
"""Where boxes are cut: not in the middle, where symmetric systems have their roots."""

NEIGHBOUR = 16
"""How many of the smallest boxes a place where the function is not finite reaches."""

LARGE = 1e300
"""Larger slopes count as equal."""

TIGHTEST = 1e-60
"""Size of a box over which matrices are to be computed, as a share of that in which a root is alone."""


@dataclass
class Roots:
    """What branch and prune found out.

    Attributes:
        found: every root that was proven, in the box or just beside it, each once unless `unclear`.
        proven: for each known point the number of its root in `found`, None if there is none near it.
        unclear: pairs of `found` of which it stayed open whether they are one root.
        undecided: cells that may hold roots.
        undefined: tiny cells at places where the function is not finite.
        account: volumes of the box and of what became of it.
        boxes: how many cells were looked at.
    """

    account: Account
    found: list[Root] = field(default_factory=list)
    proven: list[int | None] = field(default_factory=list)
    unclear: int = 0
    undecided: list[Cell] = field(default_factory=list)
    undefined: list[Cell] = field(default_factory=list)
    boxes: int = 0


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
    There are no other roots than `found` outside `undecided` and `undefined` if the account closes.

    Arguments:
        function: of a box of n balls, the m >= n balls of the equations.
        slopes: likewise the n rows of derivatives of the first n equations.
        low: (n,) lower ends of the box.
        high: (n,) upper ends, above the lower ones.
        known: approximate roots, which are proven first.
        most_boxes: after which the rest is left undecided.
    """
    search = _Search(Krawczyk(function, slopes), low, high)
    for point in known:
        search.know(point)
    queue: deque[tuple[Cell, int]] = deque([((low, high), NEAR_POLE * len(low))])
    while queue:
        cell, since = queue.popleft()
        if search.roots.boxes >= most_boxes:
            search.leave(cell, undefined=False)
            continue
        search.roots.boxes += 1
        queue.extend(search.look(cell, since))
    return _with_neighbours(search.roots, high - low)


class _Search:
    """What is known so far, and one step: what becomes of a cell."""

    def __init__(self, test: Krawczyk, low: Array, high: Array) -> None:
        self._test = test
        self._width = high - low
        self.roots = Roots(Account(volume(low, high)))
        self._sure, self._places = _Boxes(len(low)), _Boxes(len(low))
        self._deep = 0
        self._hopeless: set[tuple[int, ...]] = set()

    def know(self, point: Array) -> None:
        """Prove the root at a known point, if it is one."""
        root = self._test.around(point, self._width)
        if root is None:
            self.roots.proven.append(None)
            return
        number = self._enter(root)
        near = root.stands_at(point)  # the one root of a large box may be far from the point
        self.roots.proven.append(number if near else None)

    def look(self, cell: Cell, since: int) -> list[tuple[Cell, int]]:
        """Close a cell, or the parts of it that can be closed; the others come back."""
        a, b = cell
        if self._sure.contain(a, b):
            self.roots.account.proven += volume(a, b)
            return []
        X = [arb(x).union(arb(y)) for x, y in zip(a.tolist(), b.tolist(), strict=True)]
        checked = self._test.check(X)
        if checked.outcome is Outcome.NONE:
            self.roots.account.excluded += volume(a, b)
            return []
        if checked.outcome is Outcome.ONE and checked.K is not None:
            self._enter(Root(X, self._test.narrowed(checked.K, X)))
            self.roots.account.proven += volume(a, b)
            return []
        since = since + 1 if checked.smooth else 0
        return [(part, since) for part in self._open(cell, checked, since)]

    def _open(self, cell: Cell, checked: Checked, since: int) -> list[Cell]:
        """The parts of a cell that may hold roots, unless they are left."""
        kept = _shrunk(cell, checked.K)
        if kept is None:
            self.roots.account.excluded += volume(*cell)
            return []
        self.roots.account.excluded += volume(*cell) - volume(*kept)
        share = (kept[1] - kept[0]) / self._width
        whole = (cell[1] - cell[0]) / self._width  # what was kept of it is not yet looked at by itself
        regular = since >= NEAR_POLE * len(share)
        promising = regular or (share < whole / 2).any()  # K(X) is of use, also near a pole
        if (share <= SUSPECT).all() and checked.smooth and promising:
            parts = self._around(kept, float(share.max()))
            if parts is not None:
                return parts
        small = (whole <= SMALL).all() and regular
        self._deep += int(small)
        spent = small and (self._deep > DEEP or (whole <= DEEPEST).all())
        along = _splittable(kept, self._width)
        if not along.any() and (share < whole).any():
            return [kept]
        if spent or not along.any():
            self.leave(kept, undefined=not checked.defined)
            return []
        change = (kept[1] - kept[0]) * _relative(checked.smear)
        large = along & (share > SMALL)
        return _halves(kept, change if change.any() else share, large if large.any() else along)

    def _around(self, cell: Cell, share: float) -> list[Cell] | None:
        """The rest of a cell beside a box with a root that is larger, or None if none is proven.

        A root near the face of a cell is proven by no cell alone.
        """
        middle = (cell[0] + cell[1]) / 2
        place = _neighbourhood(middle, share, self._width)
        if place in self._hopeless:
            return None
        near = self._test.settled(middle, NEWTON * (cell[1] - cell[0]))
        root = None if near is None else self._test.around(near, CLOSE * self._width)
        if root is not None:
            self._enter(root)
            core = common(cell, _within(root.alone))
            if core is not None:
                self.roots.account.proven += volume(*core)
                return beside(cell, core)
        self._hopeless.add(place)
        return None

    def _enter(self, root: Root) -> int:
        """The number of a root, a new one if it is none of those known."""
        low, high = _around(root.place)
        for number in np.flatnonzero(self._places.overlap(low, high)).tolist():
            same = self._test.same(root, self.roots.found[number])
            if same:
                return int(number)
            self.roots.unclear += same is None
        self.roots.found.append(root)
        self._places.append(low, high)
        self._sure.append(*_within(root.alone))
        return len(self.roots.found) - 1

    def leave(self, cell: Cell, *, undefined: bool) -> None:
        """Give a cell up."""
        if undefined:  # at the end of the domain of a function there may be a root, finite as it is
            origin = np.clip(0.0, *cell)
            undefined = not any(
                self._test.vanishes(x) for x in (*cell, (cell[0] + cell[1]) / 2, origin)
            )
        (self.roots.undefined if undefined else self.roots.undecided).append(cell)
        self.roots.account.left += volume(*cell)


class _Boxes:
    """Boxes of doubles that are asked all at once; room doubles when it is filled."""

    def __init__(self, n: int) -> None:
        self._count = 0
        self._low, self._high = np.zeros((2, 16, n))

    def append(self, low: Array, high: Array) -> None:
        if self._count == len(self._low):
            self._low, self._high = (np.concatenate([x, x]) for x in (self._low, self._high))
        self._low[self._count], self._high[self._count] = low, high
        self._count += 1

    def contain(self, low: Array, high: Array) -> bool:
        """Whether one of them contains a box."""
        inside = (self._low[: self._count] <= low) & (self._high[: self._count] >= high)
        return bool(inside.all(axis=1).any())

    def overlap(self, low: Array, high: Array) -> NDArray[np.bool_]:
        """Which of them have points in common with a box."""
        common = (self._low[: self._count] <= high) & (self._high[: self._count] >= low)
        return np.asarray(common.all(axis=1))


def alone(function: Function, slopes: Slopes, root: Array) -> Balls | None:
    """A box around an approximate root that holds exactly one, as small as the precision allows."""
    found = Krawczyk(function, slopes).around(root, CLOSE * (1 + np.abs(root)), TIGHTEST)
    return found.place if found is not None and found.stands_at(root) else None


def _neighbourhood(middle: Array, share: float, width: Array) -> tuple[int, ...]:
    """A name for the places near a cell: a few cells of about its size have the same."""
    level = int(np.floor(np.log(share) / np.log(COARSER)))
    place = np.floor(middle / (COARSER ** float(level + 1) * width))
    return level, *(int(x) for x in place)


def _splittable(cell: Cell, width: Array) -> NDArray[np.bool_]:
    """(n,) the directions in which a cell is large enough to be halved."""
    ulps = 8 * np.spacing(np.maximum(np.abs(cell[0]), np.abs(cell[1])))
    return np.asarray(cell[1] - cell[0] > np.maximum(ulps, SMALLEST * width))


def _relative(smear: Array) -> Array:
    """Slopes compared with the largest of them, which may be too large for a double."""
    bounded = np.minimum(smear, LARGE)
    return np.asarray(bounded / max(bounded.max(initial=0.0), 1 / LARGE))


def _halves(cell: Cell, change: Array, along: NDArray[np.bool_]) -> list[Cell]:
    """A cell cut in the direction, one of some, in which the equations change most over it."""
    a, b = cell
    k = int(np.argmax(np.where(along, change, -1.0)))
    cut = a[k] + SPLIT * (b[k] - a[k])
    left, right = b.copy(), a.copy()
    left[k] = right[k] = cut
    return [(a, left), (right, b)]


def _with_neighbours(roots: Roots, width: Array) -> Roots:
    """Undecided boxes of the smallest size that touch places where the function is not finite.

    They belong to these: there is nothing between them but a few units in the last place.
    """
    middles = np.array([(a + b) / 2 for a, b in roots.undefined]).reshape(-1, len(width))
    still: list[Cell] = []
    for a, b in roots.undecided:
        near = (np.abs(middles - (a + b) / 2) <= NEIGHBOUR * (b - a)).all(axis=1)
        touches = near.any() and not _splittable((a, b), width).any()
        (roots.undefined if touches else still).append((a, b))
    roots.undecided = still
    return roots


def _shrunk(cell: Cell, K: Balls | None) -> Cell | None:
    """A cell cut down to K(X), which holds all its roots; None if nothing is left of it.

    Ends are rounded outwards, and no side becomes empty: a root may be on a face.
    """
    if K is None:
        return cell
    low, high = _around(K)
    low, high = np.maximum(cell[0], low), np.minimum(cell[1], high)
    if (low > high).any():
        return None
    low = np.where(low == high, np.maximum(cell[0], np.nextafter(low, -np.inf)), low)
    high = np.where(low == high, np.nextafter(high, np.inf), high)
    return low, high


def _around(box: Balls) -> Cell:
    """The ends of a box of balls, rounded outwards."""
    low = [np.nextafter(float(x.lower()), -np.inf) for x in box]
    high = [np.nextafter(float(x.upper()), np.inf) for x in box]
    return np.array(low), np.array(high)


def _within(box: Balls) -> Cell:
    """The ends of a box of balls, rounded inwards."""
    low = [np.nextafter(float(x.lower()), np.inf) for x in box]
    high = [np.nextafter(float(x.upper()), -np.inf) for x in box]
    return np.array(low), np.array(high)
