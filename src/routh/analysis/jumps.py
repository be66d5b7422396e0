"""Jumps of forces along a motion, where small deviations jump too and variational equations are wrong.

Where a force jumps (dry friction as `sign(v)`, the valley of `Abs(x)`), a neighbouring motion passes
the switch a little earlier or later, and deviations change at once by a saltation matrix that no
second derivative knows of.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from routh.analysis.kinks import Kinks, pieces, smooth_at
from routh.errors import DerivationError, quoted, shortened
from routh.kernels.batch import Array
from routh.kernels.branches import MOVED, Branches, branches
from routh.kernels.kernel import Kernel, Point
from routh.kernels.sampling import space_of
from routh.language.symbols import Coordinate
from routh.language.walk import leaves

CORRECTIONS = 6
"""Newton steps onto a switch, from between two samples of the motion."""


def jumps_along(engine: Kernel, point: Point) -> Kinks:
    """Where the equations of motion jump between neighbouring rows of a stack along a motion."""
    fixed = tuple(
        node
        for node in pieces(engine.system)
        if space_of([node]) is None and any(isinstance(s, Coordinate) for s in leaves([node]))
    )
    nowhere = Kinks(np.zeros(0, dtype=bool), ())
    if not fixed:
        return nowhere
    own = branches(engine.system, fixed)
    values, sides = _sides(own, point)
    places = []
    for k in range(values.shape[1]):
        passed = np.flatnonzero(np.diff(sides[:, k]) != 0)
        if len(passed):
            places.append(_onto(own, point, sides, passed, k))
    if not places:
        return nowhere
    stacked = zip(*(place.arguments for place in places), strict=True)
    return smooth_at(engine, Point(*(np.concatenate(each) for each in stacked)), order=0)


def refuse_jumps(engine: Kernel, point: Point, what: str) -> None:
    """Refuse a motion along which a force jumps, where growth of deviations is asked for."""
    found = jumps_along(engine, point)
    if found.broken.any():
        raise DerivationError(
            f"{what} of {engine.system.title} is not known: along the motion forces jump where"
            f" {quoted(shortened(m, 60) for m in found.pieces[:2])} switches, and deviations jump with"
            " them, which its variational equations do not see. Write the force smooth, like"
            " tanh(50*x) for sign(x)."
        )


def _sides(own: Branches, point: Point) -> tuple[Array, Array]:
    """(N, switches) the values of the switches, and their sides."""
    sides = np.ones((len(point.q), len(own.owner)))
    for _ in range(sides.shape[1] + 1):
        values, _ = own.switches(point, sides)
        before, sides = sides, np.where(values < 0, -1.0, 1.0)
        if (before == sides).all():
            break
    return values, sides


def _onto(own: Branches, point: Point, sides: Array, rows: NDArray[np.intp], k: int) -> Point:
    """The motion between some rows and the next ones, brought onto a switch."""
    at = Point(*((each[rows] + each[rows + 1]) / 2 for each in point.arguments))
    sizes = np.cumsum([getattr(at, name).shape[1] for name in MOVED])[:-1]
    for _ in range(CORRECTIONS):
        values, slopes = own.switches(at, sides[rows])
        slope = slopes[:, k]
        length = np.maximum((slope**2).sum(axis=1), 1e-300)
        step = -(values[:, k] / length)[:, None] * slope
        pairs = zip(MOVED, np.split(step, sizes, axis=1), strict=True)
        at = replace(at, **{name: getattr(at, name) + part for name, part in pairs})
    return at
