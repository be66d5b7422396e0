"""Proof that a list of equilibria is complete in a box, or what is left open."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations, product
from typing import Any

import flint
import numpy as np
from numpy.typing import NDArray

from routh.analysis.box import Box
from routh.analysis.values import Conditions
from routh.errors import DerivationError
from routh.kernels.balls import ExactPoint, ExactSystem
from routh.kernels.batch import Array
from routh.kernels.kernel import Kernel
from routh.mechanics.lagrange import timeless
from routh.numerics.krawczyk import Roots, all_roots

Balls = list[Any]

BOXES = 100_000
"""Boxes after which the rest is left undecided."""

FEW_BOXES = 5_000

BITS = 64
"""Precision of the balls."""

SAME = 1e-13
"""Rounding of a root of the list beside its proven box."""

MARGIN = 1e-3
"""By this share of a turn the box of an angle is enlarged, so that no gap is left where it closes."""


@dataclass(frozen=True, eq=False)
class Certificate:
    """What ball arithmetic proves of a list of equilibria.

    Attributes:
        complete: whether there is no other equilibrium in the box, rounding included. Places where the
            equations are not finite, like a spring of no length, are left out of this.
        proven: (k,) which of the listed are proven to exist, each alone in some box around it.
        undecided: (u, 2, s) lower and upper corners of the boxes that may hold others, in the s
            coordinates that were searched.
        undefined: (d, 2, s) corners of tiny boxes in which the equations are not finite everywhere.
        boxes: how many boxes were looked at.

    The proof is about the equations with the values as the doubles they are.
    """

    complete: bool
    proven: NDArray[np.bool_]
    undecided: Array = field(repr=False)
    undefined: Array = field(repr=False)
    boxes: int

    def __str__(self) -> str:
        if self.complete:
            text = f"Proven complete with interval arithmetic on {self.boxes} boxes"
            places = np.unique(np.round(self.undefined.mean(axis=1), 6), axis=0)
            if len(places):
                listed = ", ".join(str(tuple(place.tolist())) for place in places[:3])
                text += f", but for places where the equations are not finite: {listed}"
            return text + "."
        open_boxes = len(self.undecided)
        unproven = int(np.sum(~self.proven))
        return (
            f"Not proven complete: of {self.boxes} boxes {open_boxes} are undecided, and of the listed"
            f" {unproven} are unproven (families, degenerate or nearly coinciding ones, many boxes)."
        )


def exact(engine: Kernel, given: Conditions) -> tuple[ExactSystem, ExactPoint]:
    """The equations under the first of the conditions in ball arithmetic.

    Raises:
        DerivationError: the equations change in time, or have constraints.
    """
    if engine.system.constraints:
        raise DerivationError(
            "A proof works without constraints so far. Choose coordinates that satisfy them."
        )
    moving = any(signal.order and number.any() for signal, number in given.inputs.items())
    if moving or (engine.depends_on_time and not timeless(engine.system)):
        raise DerivationError(
            "A proof needs equations of motion without time. Here time stays in them, or could not be"
            " simplified away; write the energies without it, like T2 + T1 + T0 of equations(system)."
        )
    n = len(engine.system.coordinates)
    one = given.chosen(np.zeros(1, dtype=np.intp))
    point = one.point(engine, np.zeros((1, n)), np.zeros((1, 0)))
    system = ExactSystem(engine.system, at_rest=point.at_rest)
    return system, ExactPoint(point.p[0], point.u[0], point.v[0])


def certified(
    engine: Kernel, given: Conditions, q: Array, where: Box, families: bool
) -> tuple[Certificate, Array]:
    """The certificate for a list of equilibria q (k, n), and starts for those that it lacks.

    Where there are `families` nothing can be proven complete, and few boxes are spent on it.
    """
    system, point = exact(engine, given)
    searched = where.searched.tolist()
    others = [k for k in range(len(where.low)) if k not in searched]

    def placed(X: Balls) -> Balls:
        full = [flint.arb(0)] * len(where.low)
        for k, x in zip(searched, X, strict=True):
            full[k] = x
        return full

    def function(X: Balls) -> Balls:
        rows = system.balance(placed(X), point)
        return [rows[k] for k in (*searched, *others)]

    def slopes(X: Balls) -> list[Balls]:
        rows = system.slopes(placed(X), point)
        return [[rows[i][j] for j in searched] for i in searched]

    low, high = _enlarged(where)
    known, owner = _images(q, where, low, high)
    most = FEW_BOXES if families else BOXES
    with flint.ctx.workprec(BITS):
        if not searched:
            return _unsearched(function([]), q), np.zeros((0, len(where.low)))
        roots = all_roots(function, slopes, low, high, known, most)
    return _certificate(roots, owner, q, where)


def _unsearched(rows: Balls, q: Array) -> Certificate:
    """The certificate where no coordinate enters: proven only if nothing is left of the equations."""
    holds = all(row.is_zero() for row in rows)
    nothing = np.zeros((0, 2, 0))
    return Certificate(holds, np.full(len(q), holds), nothing, nothing, 0)


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
        start = np.zeros(len(where.low))
        start[where.searched] = [float(x.mid()) for x in box]
        radius = np.zeros(len(where.low))
        radius[where.searched] = [float(x.rad()) for x in box]
        near = np.abs(where.apart(start, q)) <= 2 * radius + SAME * (1 + np.abs(start))
        match = np.flatnonzero(near[:, where.searched].all(axis=1))
        proven[match] = True
        if not len(match):
            missed.append(start)
    apart = _all_apart(roots.proven)
    certificate = Certificate(
        complete=not roots.undecided and not missed and bool(proven.all()) and apart,
        proven=proven,
        undecided=np.array(roots.undecided).reshape(-1, 2, len(where.searched)),
        undefined=np.array(roots.undefined).reshape(-1, 2, len(where.searched)),
        boxes=roots.boxes,
    )
    return certificate, np.array(missed).reshape(-1, len(where.low))


def _all_apart(boxes: list[Balls | None]) -> bool:
    """Whether no listed root was proven twice: each narrowed box holds another root."""
    known = [box for box in boxes if box is not None]
    return not any(
        all(x.overlaps(y) for x, y in zip(a, b, strict=True)) for a, b in combinations(known, 2)
    )
