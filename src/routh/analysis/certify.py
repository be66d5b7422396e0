"""Proof that a list of equilibria is complete in a box, or what is left open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations, product
from typing import Any

import flint
import numpy as np
from numpy.typing import NDArray

from routh.analysis.box import Box
from routh.analysis.values import Conditions
from routh.errors import DerivationError
from routh.kernels.balls import ExactSystem
from routh.kernels.batch import Array
from routh.kernels.kernel import Kernel
from routh.mechanics.lagrange import is_cyclic, timeless
from routh.numerics.krawczyk import Roots, all_roots

Balls = list[Any]

BOXES = 100_000
"""Boxes after which the rest is left undecided."""

FEW_BOXES = 5_000
"""The same where families leave boxes undecided however small they are."""

BITS = 64
"""Precision of the balls."""

MARGIN = 1e-3
"""By this share of a turn the box of an angle is enlarged, so that no gap is left where it closes."""


@dataclass(frozen=True, eq=False)
class Certificate:
    """What ball arithmetic proves of a list of equilibria.

    Attributes:
        complete: whether there is no other equilibrium in the box outside `undefined`, rounding
            included.
        proven: (k,) which of the listed are proven to exist, each alone in some box around it.
        undecided: (u, 2, s) lower and upper corners of the boxes that may hold others, in the s
            coordinates that were searched.
        undefined: (d, 2, s) corners of tiny boxes at or beside places where the equations are not
            finite.
        unlisted: how many roots of the equations were proven that are not listed: an energy does not
            exist there, or Newton's method did not settle.
        boxes: how many boxes were looked at.

    The proof is about the equations with the values as the doubles they are.
    """

    complete: bool
    proven: NDArray[np.bool_]
    undecided: Array = field(repr=False)
    undefined: Array = field(repr=False)
    unlisted: int
    boxes: int

    def __str__(self) -> str:
        if self.complete:
            boxes = "1 box" if self.boxes == 1 else f"{self.boxes} boxes"
            text = f"Proven complete with interval arithmetic on {boxes}"
            places = np.unique(np.round(self.undefined.mean(axis=1), 6), axis=0)
            if len(places):
                listed = ", ".join(str(tuple(place.tolist())) for place in places[:3])
                text += f", but for places where the equations are not finite: {listed}"
            return text + "."
        unproven = int(np.sum(~self.proven))
        return (
            f"Not proven complete: {len(self.undecided)} of {self.boxes} boxes are undecided,"
            f" {self.unlisted} proven roots of the equations are not listed and"
            f" {unproven} of the listed {'is' if unproven == 1 else 'are'} unproven. Families,"
            " degenerate or nearly coinciding equilibria and too many boxes prevent a proof."
        )


class ExactBalance:
    """The equations of rest in ball arithmetic as functions of some of the coordinates.

    The others stay at `q`, and the conditions are the first ones given.

    Raises:
        DerivationError: the equations change in time, or have constraints.
    """

    def __init__(self, engine: Kernel, given: Conditions, unknown: Sequence[int], q: Array) -> None:
        _refuse_inexact(engine, given)
        self._unknown = list(unknown)
        self._others = [k for k in range(len(q)) if k not in self._unknown]
        self._fixed = [flint.arb(float(x)) for x in q]
        one = given.chosen(np.zeros(1, dtype=np.intp))
        point = one.point(engine, q[None], np.zeros((1, 0)))
        self._system = ExactSystem(engine.system, point.p[0], point.u[0], point.v[0])

    def _placed(self, X: Balls) -> Balls:
        full = list(self._fixed)
        for k, x in zip(self._unknown, X, strict=True):
            full[k] = x
        return full

    def rows(self, X: Balls) -> Balls:
        """The equations, those of the unknown coordinates first."""
        rows = self._system.balance(self._placed(X))
        return [rows[k] for k in (*self._unknown, *self._others)]

    def slopes(self, X: Balls) -> list[Balls]:
        """Derivatives of the first equations by the unknown coordinates."""
        rows = self._system.slopes(self._placed(X))
        return [[rows[i][j] for j in self._unknown] for i in self._unknown]

    def matrices(self, X: Balls) -> list[list[Balls]]:
        """M, C and K of all coordinates."""
        return self._system.matrices(self._placed(X))


def _refuse_inexact(engine: Kernel, given: Conditions) -> None:
    if engine.system.constraints:
        raise DerivationError(
            "A proof works without constraints so far. Choose coordinates that satisfy them."
        )
    if not all(is_cyclic(engine.system, engine.system.coordinates[k]) for k in given.turning):
        raise DerivationError(
            "A proof of a steady motion needs coordinates that drop out of the energies, and on which"
            " no force acts. What turns here could not be shown to be so."
        )
    if given.inputs_move or (engine.depends_on_time and not timeless(engine.system)):
        raise DerivationError(
            "A proof needs equations of motion without time. Here time stays in them, or could not be"
            " simplified away; write the energies without it, like T2 + T1 + T0 of equations(system)."
        )


def certified(
    engine: Kernel, given: Conditions, q: Array, where: Box, families: bool
) -> tuple[Certificate, Array]:
    """The certificate for a list of equilibria q (k, n), and starts for those that it lacks.

    Where there are `families` nothing can be proven complete, and few boxes are spent on it.
    """
    n = len(where.low)
    equations = ExactBalance(engine, given, where.searched.tolist(), np.zeros(n))
    low, high = _enlarged(where)
    known, owner = _images(q, where, low, high)
    most = FEW_BOXES if families else BOXES
    with flint.ctx.workprec(BITS):
        if not len(where.searched):
            return _unsearched(equations.rows([]), q), np.zeros((0, n))
        roots = all_roots(equations.rows, equations.slopes, low, high, known, most)
    return _certificate(roots, owner, q, where)


def _unsearched(rows: Balls, q: Array) -> Certificate:
    """The certificate where no coordinate enters: all positions are equilibria, or none is."""
    holds = all(row.is_zero() for row in rows)
    fails = any(row.is_finite() and not row.contains(0) for row in rows)
    nothing = np.zeros((0, 2, 0))
    complete = holds or (fails and not len(q))
    return Certificate(complete, np.full(len(q), holds), nothing, nothing, 0, 0)


def _enlarged(where: Box) -> tuple[Array, Array]:
    """The ends of the box in the searched directions, whole turns with a margin."""
    low, high = where.low[where.searched], where.high[where.searched]
    period = where.period[where.searched]
    whole = high - low >= period * (1 - 1e-9)
    margin = np.where(whole, MARGIN * np.where(np.isfinite(period), period, 0.0), 0.0)
    return low - margin, high + margin


def _images(q: Array, where: Box, low: Array, high: Array) -> tuple[list[Array], list[int]]:
    """The equilibria and what repeats them a period away, inside the box, and whose image each is."""
    period = np.where(np.isfinite(where.period), where.period, 0.0)[where.searched]
    known: list[Array] = []
    owner: list[int] = []
    for k, root in enumerate(q[:, where.searched]):
        turns = [(-1, 0, 1) if p else (0,) for p in period]
        for shift in product(*turns):
            image = root + np.array(shift) * period
            edge = 1e-9 * (high - low)
            if any(shift) and not ((image >= low - edge) & (image <= high + edge)).all():
                continue
            known.append(image)
            owner.append(k)
    return known, owner


def _certificate(roots: Roots, owner: list[int], q: Array, where: Box) -> tuple[Certificate, Array]:
    proven = np.ones(len(q), dtype=bool)
    for k, box in zip(owner, roots.proven, strict=True):
        proven[k] &= box is not None
    missed = []
    for box in roots.new:
        if not any(known is not None and _overlap(known, box) for known in roots.proven):
            start = np.zeros(len(where.low))
            start[where.searched] = [float(x.mid()) for x in box]
            missed.append(start)
    apart = not any(
        a is not None and b is not None and _overlap(a, b) for a, b in combinations(roots.proven, 2)
    )
    certificate = Certificate(
        complete=not roots.undecided and not missed and bool(proven.all()) and apart,
        proven=proven,
        undecided=np.array(roots.undecided).reshape(-1, 2, len(where.searched)),
        undefined=np.array(roots.undefined).reshape(-1, 2, len(where.searched)),
        unlisted=len(missed),
        boxes=roots.boxes,
    )
    return certificate, np.array(missed).reshape(-1, len(where.low))


def _overlap(a: Balls, b: Balls) -> bool:
    """Whether two small boxes, each with one root, may hold the same one."""
    return all(x.overlaps(y) for x, y in zip(a, b, strict=True))
