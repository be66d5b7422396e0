"""Whether values, starts and rests keep what a system requires, and sentences where they do not."""

from __future__ import annotations

import numpy as np

from routh.arrays import Array, Mask
from routh.errors import DeclarationError, quoted
from routh.kernels.engine import Point
from routh.kernels.kernel import kernel
from routh.language.events import Event
from routh.language.requirements import Requirement
from routh.language.system import System

ROUNDING = 1e-12
"""Share of the largest coordinate by which a rest may be beyond what is required."""


def moving(system: System) -> tuple[Requirement, ...]:
    """What must be kept along motions and at rest."""
    return tuple(each for each in system.requirements if each.moves)


def own_ends(system: System) -> tuple[Event, ...]:
    """The events that end motions where something that is required is kept no longer."""
    return tuple(each.end for each in moving(system))


def refuse_values(system: System, p: Array, argument: str = "values") -> None:
    """Refuse values (N, parameters) of which what is required does not hold.

    Raises:
        DeclarationError: names it, its value and the parameters.
    """
    still = [each for each in system.requirements if not each.moves]
    if not still:
        return
    engine = kernel(system)
    none = np.zeros((len(p), len(system.coordinates)))
    point = Point(
        t=np.zeros((len(p), 1)), q=none, v=none, a=none, p=p,
        u=np.zeros((len(p), len(engine.signals))),
        multipliers=np.zeros((len(p), len(system.constraints))),
    )  # fmt: skip
    columns = engine.values([each.expression for each in still], point).T
    for each, column in zip(still, columns, strict=True):
        least = float(column.min()) if np.isfinite(column).all() else float("nan")
        if not each.is_kept(least):
            raise DeclarationError(
                f"{each.told(least)} Give other numbers for {quoted(each.parameters)} in `{argument}`."
            )


def beyond(system: System, point: Point) -> tuple[Mask, str]:
    """(N,) where something that is required is not kept, and a sentence on the first of these."""
    found, said = np.zeros(len(point.q), dtype=bool), ""
    size = ROUNDING * np.abs(point.q).max(axis=1, initial=1.0)
    for each, column in _columns(system, point):
        own = ~(column >= -size)
        said = said or (each.told(float(column[np.argmax(own)])) if own.any() else "")
        found |= own
    return found, said


def _columns(system: System, point: Point) -> list[tuple[Requirement, Array]]:
    """What must be kept, each with its values (N,)."""
    every = moving(system)
    if not every:
        return []
    values = kernel(system).values([each.expression for each in every], point)
    return list(zip(every, values.T, strict=True))
