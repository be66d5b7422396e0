"""The same system with more functions for its fields, or with fewer."""

from __future__ import annotations

from functools import lru_cache

from routh.language.system import System
from routh.mechanics.ritz.discretize import discretize


@lru_cache(maxsize=16)
def finer(system: System) -> System:
    """The same system with more functions for every field, made once."""
    assert system.continuous is not None
    breaks = {space: rule.breaks for space, rule in system.rules.items()}
    shapes = {shape.field: shape for shape in system.shapes}
    sizes = {w: n.finer(shapes[w], breaks[w.space]) for w, n in system.sizes.items()}
    return discretize(system.continuous, sizes, points=_more_points(system))


@lru_cache(maxsize=16)
def coarser(system: System) -> System:
    """The same system with fewer functions for every field, made once."""
    assert system.continuous is not None
    asked = max((rule.asked or 0 for rule in system.rules.values()), default=0) or None
    sizes = {w: size.coarser() for w, size in system.sizes.items()}
    return discretize(system.continuous, sizes, points=asked)


def _more_points(system: System) -> int | None:
    """The points in a cell that were asked for, and more where functions get more in a cell."""
    asked = max((rule.asked or 0 for rule in system.rules.values()), default=0)
    if not asked:
        return None
    grow = any(not size.divides for size in system.sizes.values())
    return asked + max(2, asked // 4) if grow else asked
