"""Where functions made of pieces switch between neighbouring points of a stack."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import sympy
from numpy.typing import NDArray

from routh.arrays import Array
from routh.kernels.both_sides import MOVED, Branches, branches
from routh.kernels.engine import Point
from routh.language.domains import space_of
from routh.language.symbols import Coordinate
from routh.language.system import System
from routh.language.walk import leaves, nodes
from routh.mechanics.forms.one_piece import PIECED

CORRECTIONS = 6
"""Newton steps onto a switch, from between two samples."""


def crossings(system: System, outputs: tuple[sympy.Expr, ...] | None, point: Point) -> Point | None:
    """Points on the switches that are passed between neighbouring rows; None where none is.

    The switches are those of a system or of some outputs.
    """
    every = [e for part in system.parts().values() for e in part] if outputs is None else outputs
    fixed = tuple(
        node
        for node in nodes(every)
        if isinstance(node, PIECED)
        and space_of([node]) is None
        and any(isinstance(s, Coordinate) for s in leaves([node]))
    )
    if not fixed:
        return None
    own = branches(system, fixed, outputs)
    sides = _sides(own, point)
    places = []
    for k in range(sides.shape[1]):
        passed = np.flatnonzero(np.diff(sides[:, k]) != 0)
        if len(passed):
            places.append(_onto(own, point, sides, passed, k))
    if not places:
        return None
    stacked = zip(*(place.arguments for place in places), strict=True)
    return Point(*(np.concatenate(each) for each in stacked))


def _sides(own: Branches, point: Point) -> Array:
    """(N, switches): the sides of the switches."""
    sides = np.ones((len(point.q), len(own.owner)))
    for _ in range(sides.shape[1] + 1):
        values, _ = own.switches(point, sides)
        before, sides = sides, np.where(values < 0, -1.0, 1.0)
        if (before == sides).all():
            break
    return sides


def _onto(own: Branches, point: Point, sides: Array, rows: NDArray[np.intp], k: int) -> Point:
    """The motion between some rows and the next ones, brought onto a switch.

    By whole steps, the shortest ones, since a switch that is passed between two samples is near.
    """
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
