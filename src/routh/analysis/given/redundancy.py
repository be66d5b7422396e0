"""What is said and done where constraints depend on each other, or contradict each other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from routh.arrays import Array
from routh.errors import capital, quoted, shortened
from routh.language.symbols import Coordinate
from routh.language.system import System
from routh.language.walk import unfold
from routh.mechanics.forms.vanish import vanishes
from routh.numerics.solving.dependence import RANK, dependence, evened, nonzero

MOST_NAMED = 6
"""Constraints that a sentence names."""

AGAINST = 1e-6
"""Rows with less than this share of what cannot be met have no part in it."""

MOSTLY = 0.1
"""Share of the violations that no move may lessen, for constraints to contradict each other."""


def named(system: System, k: int) -> str:
    """A constraint by its number and its expression."""
    return f"constraint {k + 1}, `{shortened(system.constraints[k], 60)}`"


def _some(system: System, places: Sequence[int]) -> str:
    """Constraints by name, as many as a sentence holds."""
    more = len(places) - MOST_NAMED
    said = "; ".join(named(system, k) for k in places[:MOST_NAMED])
    return f"{said}; and {more} more" if more > 0 else said


def redundant(system: System, J: Array) -> str:
    """Says which constraints depend on each other where J (c, n) lacks rank, or nothing.

    A constraint is named only if it takes part in a combination that vanishes.
    """
    found = dependence(J)
    flat = [group[0] for group in found.groups if not np.abs(J[group[0]]).max(initial=0)]
    said = "".join(_flat(system, k) for k in flat)
    linked = [_some(system, group) for group in found.groups if group[0] not in flat]
    if not linked:
        return said
    return (
        f"{said} The {len(J)} constraints have rank {found.rank}: {linked[0]} depend on each"
        f" other,{''.join(f' so do {each},' for each in linked[1:])} and their multipliers are those"
        " of least norm."
    )


def _flat(system: System, k: int) -> str:
    """What is said of a constraint without slope."""
    if vanishes(unfold(system.constraints[k])):
        return f" {capital(named(system, k))}, is zero everywhere and holds nothing."
    return f" {capital(named(system, k))}, has no slope here: a singular position."


def least_norm(J: Array, multipliers: Array) -> Array:
    """(N, c): multipliers of the same forces J^T multipliers, with the smallest norm.

    Where J (N, c, n) has full rank they stay what they are.
    """
    if not J.shape[1] or not J.shape[2]:
        return multipliers
    unit, rows, _ = evened(np.nan_to_num(J))
    U, sizes, _ = np.linalg.svd(unit)
    rank = nonzero(sizes)
    result = multipliers.copy()
    for k in np.flatnonzero(rank < J.shape[1]):
        idle = np.linalg.qr(U[k][:, rank[k] :] / rows[k][:, None])[0]  # push nothing at all
        result[k] -= idle @ (idle.T @ multipliers[k])
    return result


def contradiction(system: System, J: Array, off: Array, kept: Sequence[Coordinate] = ()) -> str:
    """Names constraints that no move brings closer to zero together, or nothing if there are none.

    `J` (c, n) are the slopes and `off` (c,) the violations: a move dq would have to meet J dq = -off.
    Columns of what is `kept` must be zero in J; it is named as what holds the constraints apart.
    """
    if not np.isfinite(J).all() or not np.isfinite(off).all():
        return ""
    against = against_each_other(J, off)
    if not against:
        return ""
    names, first = _some(system, against), against[0]
    if kept:
        return (
            f"With {quoted(kept)} kept, {names} cannot be met: {off[first]:.3g} is left of"
            f" constraint {first + 1}. Keep fewer of them, or give other values for them."
        )
    if len(against) > 1:
        return (
            f"The constraints contradict each other: no move near here brings {names} closer to zero"
            " together."
        )
    if not system.is_holonomic[first]:
        return (
            f"{capital(names)}, is off by {off[first]:.3g} at the rates that are"
            " given, and it holds velocities: give rates (`speeds`) that satisfy it."
        )
    if not np.abs(J[first]).max(initial=0):
        return (
            f"{capital(names)}, is {off[first]:.3g} off, and no coordinate changes"
            " that here: either it cannot be met, or its slope vanishes just here. Start elsewhere."
        )
    return (
        f"{capital(names)}, cannot be met: it is {off[first]:.3g} off, and no coordinate changes that."
    )


def against_each_other(J: Array, off: Array) -> list[int]:
    """The constraints that cannot all be met, those most off first; none where others are worse."""
    unit, rows, _ = evened(J)
    violated = off / rows
    left = violated - unit @ (np.linalg.pinv(unit, rcond=RANK) @ violated)
    size = np.abs(left)
    if not size.any() or np.linalg.norm(left) <= MOSTLY * np.linalg.norm(violated):
        return []
    worst = int(np.argmax(size))
    together = next((g for g in dependence(J).groups if worst in g), tuple(range(len(J))))
    return [k for k in together if size[k] > AGAINST * size[worst]]
