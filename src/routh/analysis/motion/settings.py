"""What runs are told: what a call asks for, and the numbers of one run that follow from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from routh.kernels.engine import Engine

FEWEST = 64
"""Times at least at which a run is looked at: for its energy, for Ctrl-C, for what time changes."""

UNITS = 1024
"""Parts of the whole time that a compiled run counts in."""

AUTOMATIC = "auto"
"""In the place of a method: it is chosen, and may change on the way."""

PROJECTION = "projection"
"""How constraints are held where nothing else is asked for: states are moved onto them."""

USUAL = 1e-9
"""Relative tolerance of steps where none is asked for."""


ALL, LAST = "all", "last"
"""The outputs that are kept: each of them, or the first and the last."""


@dataclass(frozen=True)
class Options:
    """How a call of `simulate` asks for its motions, in its words and with its defaults."""

    method: str = AUTOMATIC
    rtol: float = USUAL
    related: bool = False
    """Whether rtol may be looser where the functions of fields leave out more."""
    atol: float | None = None
    stabilize: Any = PROJECTION
    check: bool = False
    form: str = "lagrange"
    regularize: float | None = None
    variations: bool = False
    progress: bool = True
    engine: Engine = Engine.AUTO
    keep: Any = ALL
    """A word, a list of expressions, or a function of a motion of several runs."""
    modes: int | None = None
    """How many of the lowest modes move; all where none is given."""

    @property
    def free(self) -> bool:
        """Whether the method may be chosen."""
        return self.method == AUTOMATIC


@dataclass(frozen=True)
class Settings:
    """How one run goes: method, tolerances, whether the method may change, and whether to project."""

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
    cut: Any = None
    """The modes that move, as a `ModalCut`; None for all."""
    noise: Any = 0.0
    """What rounding of time does to each entry of the state: no step errs by less."""
    engine: Engine = Engine.CASADI
    """What carries out steps, where there is a choice."""
