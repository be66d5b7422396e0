"""What the runs of one call have in common."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from routh.analysis.motion.settings import FEWEST, Options
from routh.analysis.motion.signals import Signals
from routh.arrays import Array
from routh.language.events import Event
from routh.language.system import System


@dataclass(frozen=True)
class Plan:
    """All that the runs of one call have in common."""

    system: System
    driven: Signals
    events: tuple[Event, ...]
    options: Options
    grid: Array
    """The output times that were asked for first: what else is asked for later takes the same steps."""
    basis_error: float | None = None
    """What the functions of fields leave out, where the tolerance of steps follows from it."""

    @property
    def often(self) -> float:
        """The largest step, where time enters the equations by what cannot be looked into."""
        last = float(self.grid[-1] - self.grid[0])
        return min(float(np.diff(self.grid).max()), last / FEWEST)
