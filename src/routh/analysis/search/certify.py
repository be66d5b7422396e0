"""The search of a whole box in ball arithmetic that proves a list of equilibria complete."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import flint
import numpy as np

from routh.analysis.given.conditions import Conditions
from routh.analysis.rest.exact import ExactBalance
from routh.analysis.search.box import Box
from routh.analysis.search.certificate import Certificate
from routh.arrays import Array
from routh.kernels.engine import Kernel
from routh.numerics.solving.krawczyk import Roots, all_roots

Balls = list[Any]

BOXES = 100_000
"""Boxes after which the rest is left undecided."""

FEW_BOXES = 5_000
"""The same where families leave boxes undecided however small they are."""

BITS = 64
"""Precision of the balls."""

MOST_MISSED = 256
"""Roots that are added to a list: one that lacks more is not completed by a proof."""

ROUNDING = 1e-12
"""Share of the box within which roots a period apart are counted once."""

MARGIN = 1e-3
"""By this share of a turn the box of an angle is enlarged, so that no gap is left where it closes."""


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
        missed = _missed(roots, where, low, high)
    return _certificate(roots, owner, missed, q, where), missed[:MOST_MISSED]


def _unsearched(rows: Balls, q: Array) -> Certificate:
    """The certificate where no coordinate enters: all positions are equilibria, or none is."""
    holds = all(row.is_zero() for row in rows)
    fails = any(row.is_finite() and not row.contains(0) for row in rows)
    nothing = np.zeros((0, 2, 0))
    complete = (holds and len(q) == 1) or (fails and not len(q))
    return Certificate(complete, np.full(len(q), holds), nothing, nothing, 0, 0, 0, Fraction(0))


def _enlarged(where: Box) -> tuple[Array, Array]:
    """The ends of the box in the searched directions; of an angle one turn, the last, with a margin."""
    low, high = where.low[where.searched], where.high[where.searched]
    period = where.period[where.searched]
    whole = high - low >= period * (1 - 1e-9)
    turn = np.where(whole, period, 0.0)
    margin = MARGIN * turn
    return np.where(whole, high - turn, low) - margin, high + margin


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


def _missed(roots: Roots, where: Box, low: Array, high: Array) -> Array:
    """(m, n) roots in the box that are not listed, those a period apart once.

    Roots beside the box were proven along with a neighbourhood that reaches beyond it.
    """
    box = [flint.arb(a).union(flint.arb(b)) for a, b in zip(low.tolist(), high.tolist(), strict=True)]
    listed = {number for number in roots.proven if number is not None}
    missed = np.zeros((len(roots.found), len(where.low)))
    count = 0
    for number, root in enumerate(roots.found):
        inside = all(x.overlaps(y) for x, y in zip(root.place, box, strict=True))
        if number in listed or not inside:
            continue
        missed[count, where.searched] = [float(x.mid()) for x in root.place]
        count += not _repeats(missed[:count], missed[count], where)
    return missed[:count]


def _repeats(places: Array, place: Array, where: Box) -> bool:
    """Whether a place is a whole number of periods from one of others."""
    way, straight = np.abs(where.apart(places, place)), np.abs(places - place)
    shifted = (straight > way + where.width / 2).any(axis=1)
    return bool((shifted & (way <= ROUNDING * where.width).all(axis=1)).any())


def _certificate(roots: Roots, owner: list[int], missed: Array, q: Array, where: Box) -> Certificate:
    proven = np.ones(len(q), dtype=bool)
    owners: dict[int, set[int]] = {}
    for k, number in zip(owner, roots.proven, strict=True):
        proven[k] &= number is not None
        if number is not None:
            owners.setdefault(number, set()).add(k)
    repeated = sum(len(entries) - 1 for entries in owners.values()) + roots.unclear
    settled = not roots.undecided and not len(missed) and not repeated and bool(proven.all())
    return Certificate(
        is_complete=settled and roots.account.closes,
        proven=proven if roots.account.closes else np.zeros(len(q), dtype=bool),
        undecided=np.array(roots.undecided).reshape(-1, 2, len(where.searched)),
        undefined=np.array(roots.undefined).reshape(-1, 2, len(where.searched)),
        unlisted=len(missed),
        repeated=repeated,
        boxes=roots.boxes,
        missing=roots.account.missing,
    )
