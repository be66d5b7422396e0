"""Where a motion with friction ceases to be the only one that agrees with its forces (Painleve).

Normal forces grow without bounds towards such a place, or pass it where the bodies are about to part.
Steps may go over it, so that a phase is looked at again: at its outputs, and in pieces.
"""

from __future__ import annotations

import numpy as np

from routh.analysis.motion.rubbing.agreement import Known, Trouble, is_regular, resolved
from routh.analysis.motion.rubbing.contacts import Choice, Contacts
from routh.analysis.motion.trajectory import Trajectory

FEW = 16
"""Outputs of a phase below which it is looked at in as many pieces."""

PIECES, ROUNDS = 64, 3
"""The first interval that is not regular is divided into so many pieces, in so many rounds."""


def ceases_to_be_regular(
    look: Contacts, choice: Choice, part: Trajectory
) -> tuple[float, Trouble] | None:
    """The last time at which a phase is regular, and what there is behind it; None if it stays so."""
    pieces = np.linspace(part.t[0], part.t[-1], FEW + 1)
    moved = part if len(part.t) > FEW or not (np.diff(pieces) > 0).all() else part(pieces)
    found = _first(look, choice, moved)
    if found is None:
        return None
    low, high = found
    for _ in range(ROUNDS):
        times = np.unique(np.linspace(low, high, PIECES + 1))
        moved = part(np.concatenate([part.t[:1], times[times > part.t[0]]]))
        low, high = _first(look, choice, moved) or (low, high)
    known = Known(choice.states, choice.sides)
    behind = part(np.array([part.t[0], high]))
    trouble = resolved(look, known, high, np.concatenate([behind.q[-1], behind.v[-1]]))
    return (low, trouble) if isinstance(trouble, Trouble) else None


def _first(look: Contacts, choice: Choice, moved: Trajectory) -> tuple[float, float] | None:
    """The first interval between outputs at whose end the equations are not regular."""
    for k in range(1, len(moved.t)):
        x = np.concatenate([moved.q[k], moved.v[k]])
        if not is_regular(look, choice, float(moved.t[k]), x):
            return float(moved.t[k - 1]), float(moved.t[k])
    return None
