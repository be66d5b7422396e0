"""Forces along a family of equilibria that doubles absorb beside stiffer ones: no family then.

Two masses held together by a spring, one of them far out on the tail of a well: along their common
motion a force of 1e-40 acts, which no sum of doubles shows. On a true family it vanishes to any number
of digits.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from routh.analysis.rest.result import Equilibrium
from routh.arrays import Array
from routh.kernels.engine import Kernel, Number, Point, Precise, Unsupported
from routh.kernels.precise_balance import PreciseBalance
from routh.numerics.rank import null_space

FEW, MANY = 60, 300
"""Decimal digits of two looks: one for forces so small that they are absorbed, one for the others."""

GAP = 3 * FEW
"""Digits by which a term must be smaller than another to count as absorbed in the first look. Squares
and cubes of the distance to the family, which is 1e-60, are no such terms."""

VANISHED = 10.0 ** (30 - MANY)
"""Share of the stiff forces below which one has vanished in the second look, after cancellation."""

UNSEEN = 1e-20
"""The same of a force that is no rounding of the numbers of a model, which are known to 1e-16."""

HELD = 1e-6
"""The same of the force that a move by the size of the position raises along them: a soft spring
that is nearly in balance is in balance, on a tail force and slope are of one size."""

ASIDE = 1e-3
"""How far that move goes, in lengths."""

MOVED = 1e-6
"""Coordinates with a smaller share in the soft directions stay where they are."""

STEPS = 7
"""Newton steps across the family: each doubles the digits, 16 of which are there."""

LARGEST = 24
"""Coordinates of systems that are looked at; in larger ones it takes too long."""


def absorbed(engine: Kernel, point: Point, soft: Array, width: Array) -> bool:
    """Whether a force acts along soft directions (d, n) of one equilibrium, too small for doubles.

    The position is first brought onto the family, across these directions, with many digits. `width`
    (n,) are the lengths in which directions are measured. A force of the size of rounding may come
    from rounded numbers of the model, and is none.
    """
    n = point.q.shape[1]
    if n > LARGEST or point.multipliers.shape[1] or not len(soft):
        return False
    # a force without coordinates is judged as it is, by `stray`
    balance = PreciseBalance(engine.system, point.at_rest, without_constant=True)
    every = range(n)
    q = point.q[0].tolist()
    across = np.linalg.svd(soft)[2][len(soft) :] * width
    arguments: list[Any] = [argument[0].tolist() for argument in point.arguments]
    try:
        arguments[1], _ = _settled(balance.forces_and_slopes(every, FEW), arguments, across)
        arguments[1] = _beside(arguments[1], width)
        moved = [int(row) for row in np.flatnonzero(np.abs(soft).max(axis=0) > MOVED)]
        look = balance.forces(moved, FEW, GAP)
        look(arguments)
        if look.absorbed:
            return True
        many = balance.forces_and_slopes(every, MANY)
        arguments[1], scale = _settled(many, [arguments[0], q, *arguments[2:]], across)
        fixed = arguments[2:]
        look = balance.forces(every, MANY)
        rows = (soft * width).tolist()
        pushes = _along(look, [arguments[0], arguments[1], *fixed], rows)
        place = max(range(len(rows)), key=lambda k: abs(pushes[k]))
        moved_on = [x + ASIDE * c for x, c in zip(q, rows[place], strict=True)]
        there, _ = _settled(many, [arguments[0], moved_on, *fixed], across)
        further = _along(look, [arguments[0], there, *fixed], rows)[place]
    except (Unsupported, ZeroDivisionError):
        return False
    push = abs(pushes[place])
    held = abs(further - pushes[place]) / ASIDE
    return bool(VANISHED * scale < push < UNSEEN * scale and push > HELD * held)


def _along(look: Precise, arguments: list[Any], rows: list[list[float]]) -> list[Number]:
    """The forces along some directions."""
    left = [row[0] for row in look(arguments)[0]]
    return [sum(c * f for c, f in zip(row, left, strict=True)) for row in rows]


def unseen(engine: Kernel, rest: Equilibrium) -> bool:
    """Whether at one equilibrium a force acts along a soft motion that is too small for doubles."""
    given, n = rest.conditions, len(rest.q)
    if (
        rest.system.shapes
        or given.turning
        or given.may_change_in_time(engine)
        or not np.isfinite(rest.tangent).all()
    ):
        return False
    width = 1 + np.abs(rest.q)
    soft = null_space(rest.tangent[:n, :n] * width).T
    return absorbed(engine, rest.point(), soft, width)


def _beside(q: list[Number], width: Array) -> list[Number]:
    """A position a little beside the family, so that nothing is zero there by chance of rounding.

    What is zero but for rounding is put to zero first, lest its digits count.
    """
    near = 10.0 ** (2 - FEW)
    clean = [x if abs(x) > near * size else 0 for x, size in zip(q, width.tolist(), strict=True)]
    parts = np.modf(np.arange(1, len(q) + 1) * (1 + 5**0.5) / 2)[0].tolist()
    return [x + near * size * part for x, size, part in zip(clean, width.tolist(), parts, strict=True)]


def _settled(whole: Precise, arguments: list[Any], across: Array) -> tuple[list[Number], Number]:
    """The position where the forces across the family vanish, and the stiffness across.

    By whole Newton steps in many digits, from where all that doubles have is known: nothing to damp.
    """
    arguments, rows = list(arguments), across.tolist()
    matrix = whole.matrix
    scale: Number = 0
    for _ in range(STEPS if rows else 0):
        E, K = whole(arguments)
        force = [sum(c * e[0] for c, e in zip(row, E, strict=True)) for row in rows]
        pulled = [[sum(k * c for k, c in zip(line, row, strict=True)) for line in K] for row in rows]
        slopes = [
            [sum(c * p for c, p in zip(row, column, strict=True)) for column in pulled] for row in rows
        ]
        scale = max(abs(entry) for line in slopes for entry in line)
        step = whole.solved(matrix(slopes), matrix(force))
        arguments[1] = [
            x - sum(s * row[i] for s, row in zip(step, rows, strict=True))
            for i, x in enumerate(arguments[1])
        ]
    return arguments[1], scale
