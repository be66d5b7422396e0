"""How to run: methods, tolerances, steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

MULTISTEP = ("Adams", "BDF")
"""Methods of CVODES in SUNDIALS, by way of CasADi: order up to 12, and stiff up to order 5."""

FEWEST = 64
"""Times at least at which a run is looked at: for its energy, for Ctrl-C, for what time changes."""

UNITS = 1024
"""Parts of the whole time that a compiled run counts in."""

STIFF = {"DOP853": "Radau", "Adams": "BDF"}
"""What takes over where the equations turn out to be stiff."""


@dataclass(frozen=True)
class Settings:
    """How to run: method, tolerances, whether the method may change, and whether to project."""

    method: str
    rtol: float
    atol: float
    free: bool
    project: bool
    gap: float
    """The least time between two outputs, within which events are looked for several times."""
    longest: float
    """The largest step where time enters the equations, lest a pulse be stepped over; else infinity."""
    unit: float
    """What a compiled run counts time in."""
    last: float
    """Where the run is to end, whatever outputs are asked for: no step goes beyond."""
    noise: Any = 0.0
    """What rounding of time does to each entry of the state: no step errs by less."""
