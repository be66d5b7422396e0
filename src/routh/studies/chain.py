"""What a study can find at its points: the chain of verbs, and which of their results has a name.

A study of rests goes equilibrium, linearize, modes, stability, as far as it is asked; one of motions
is `simulate`, one of periods `floquet`. Each is called with the arrays of a chunk; where contacts may
stick, with the numbers of one point after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from typing import Any

import numpy as np

from routh.analysis.linear.linear_model import LinearModel
from routh.analysis.linear.linearize import linearize
from routh.analysis.motion.simulate import simulate
from routh.analysis.periodic.floquet import floquet
from routh.analysis.periodic.multipliers import Floquet
from routh.analysis.rest.equilibrium import equilibrium
from routh.analysis.rest.result import Equilibrium
from routh.analysis.stability.judge import stability
from routh.analysis.stability.modes import modes
from routh.analysis.stability.natural_modes import Modes
from routh.analysis.stability.verdict import Stability
from routh.errors import Status
from routh.kernels.compiled import compiler
from routh.language.make import Make
from routh.language.symbols import Input, Parameter
from routh.language.system import System

PER_CHUNK = {"rests": 4096, "motions": 16, "periods": 64, "friction": 16}
"""Points of a chunk, by kind: a fraction of a second of work for small systems."""

MANY = 100_000
"""Points from which on a study of rests is compiled: a chunk alone would not pay for it."""

_OF_RESTS = {
    "rest": ("q", "v", "multipliers", "momenta", "residual", "converged"),
    "linear": ("M", "D", "G", "K", "H"),
    "modes": ("frequencies", "damping", "eigenvalues", "shapes", "infinite"),
    "stability": ("verdict", "reason", "region", "growth", "dominant", "index", "falling", "curvature",
                  "nonlinear"),
}  # fmt: skip
NAMES: Mapping[str, Mapping[str, str]] = {
    "rests": {name: part for part, names in _OF_RESTS.items() for name in names},
    "motions": dict.fromkeys(
        ("q", "v", "a", "multipliers", "energy", "work", "energy_error", "completed"), "motion"
    ),
    "periods": dict.fromkeys(
        ("multipliers", "exponents", "growth", "verdict", "monodromy", "determinant"), "periodic"
    ),
}
"""What can be found by name, by kind, and which result of the chain has it."""

WITHOUT_FRICTION = ("work", "energy_error")
"""Names of what motions of sticking and slipping do not have."""

AXES = {
    "q": ("coordinate",), "v": ("coordinate",), "a": ("coordinate",), "momenta": ("coordinate",),
    "multipliers": ("constraint",), "eigenvalues": ("eigenvalue",), "frequencies": ("mode",),
    "damping": ("mode",), "shapes": ("coordinate", "mode"),
    **dict.fromkeys("MDGKH", ("row", "column")),
}  # fmt: skip
"""What the last axes of variables run over; those of motions run over time before."""

_BY_FREEDOM = {"eigenvalues": 2, "frequencies": 1, "damping": 1, "shapes": 1}
"""How many there are along the last axis, per degree of freedom."""

UNITS = {
    "eigenvalues": "1/s", "dominant": "1/s", "growth": "1/s", "frequencies": "rad/s",
    "curvature": "1/s^2", "exponents": "1/s",
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Task:
    """What is computed at every point, beside what is varied."""

    system: System
    kind: str
    values: Mapping[Any, Any]
    options: Mapping[str, Any] = field(default_factory=dict)
    engine: str = "auto"
    is_large: bool = False
    """Whether there are so many points that they are compiled where the engine is not asked for."""

    @property
    def is_single(self) -> bool:
        """Whether points are computed one by one, since each sticks at places or times of its own."""
        return self.system.make is Make.FRICTION

    @property
    def by(self) -> str:
        """The engine, on the machine that asks."""
        if self.engine == "auto" and self.is_large and compiler() is not None:
            return "c"
        return self.engine


class Chain:
    """The results at the points of a chunk, each computed when it is asked for."""

    def __init__(self, task: Task, varied: Mapping[Any, Any]) -> None:
        self._task = task
        own = {str(key): value for key, value in task.values.items()}
        signals: dict[Any, Any] = {}
        start: dict[Any, Any] = {}
        for symbol, value in varied.items():
            kinds = ((Parameter, own), (Input, signals))
            part = next((part for kind, part in kinds if isinstance(symbol, kind)), start)
            part[str(symbol) if part is own else symbol] = value
        self._values = own
        options = dict(task.options)
        if signals:
            options["inputs"] = {**(options.get("inputs") or {}), **signals}
        if start:
            name = "start" if task.kind == "motions" else "guess"
            options[name] = {**(options.get(name) or {}), **start}
        self._options = options

    @cached_property
    def rest(self) -> Equilibrium:
        """The equilibria."""
        return equilibrium(
            self._task.system, self._values, raises=False, engine=self._task.by, **self._options
        )

    @cached_property
    def linear(self) -> LinearModel:
        """Their linear models."""
        made = linearize(self.rest, engine=self._task.by)
        assert isinstance(made, LinearModel)
        return made

    @cached_property
    def modes(self) -> Modes:
        """Their modes."""
        return modes(self.linear, engine=self._task.by)

    @cached_property
    def stability(self) -> Stability:
        """The verdicts."""
        return stability(self.linear, engine=self._task.by)

    @cached_property
    def motion(self) -> Any:
        """The motions."""
        options = {"start": {}, "progress": False, "engine": self._task.by, **self._options}
        found = simulate(self._task.system, self._values, **options)
        ends = np.atleast_1d(np.asarray(found.status, dtype=object))
        if any(each is Status.INTERRUPTED for each in ends.flat):
            raise KeyboardInterrupt
        return found

    @cached_property
    def periodic(self) -> Floquet:
        """What a period does."""
        return floquet(self._task.system, self._values, engine=self._task.by, **self._options)

    def given_to(self, function: Callable[[Any], Any]) -> Any:
        """What a function of `find` makes of the results."""
        part = {"rests": "modes", "motions": "motion", "periods": "periodic"}[self._task.kind]
        return self._in_a_row(function(getattr(self, part)))

    def _in_a_row(self, found: Any) -> Any:
        """With an axis for the points, where there is but one."""
        if not self._task.is_single:
            return found
        if isinstance(found, np.ndarray):
            return found[None]
        row = np.empty(1, dtype=object if isinstance(found, Enum) else type(found))
        row[0] = found
        return row

    def status(self) -> Any:
        """How each point ended, as `Status`."""
        if self._task.kind == "rests":
            return self._in_a_row(self.rest.status)
        if self._task.kind == "motions":
            return self._in_a_row(self.motion.status)
        sure = np.asarray(np.isfinite(self.periodic.multipliers).all(axis=-1))
        every = np.empty(sure.shape, dtype=object)
        every.reshape(-1)[:] = [Status.CONVERGED if one else Status.NOT_FINITE for one in sure.flat]
        return every

    def read(self, name: str) -> Any:
        """What a name of `find` stands for: an attribute of a result, or an expression."""
        part = NAMES[self._task.kind].get(name)
        if part is None:
            found = (self.rest if self._task.kind == "rests" else self.motion)[name]
        else:
            found = getattr(getattr(self, part), name)
        return self._of_full_size(name, self._in_a_row(found))

    def _of_full_size(self, name: str, found: Any) -> Any:
        """With what a chunk lacks and another may have: infinite eigenvalues, times not reached."""
        if self._task.kind == "motions":
            axis, size = 1, len(self._task.options["times"]) if np.ndim(found) > 1 else 0
        elif name in _BY_FREEDOM:
            axis, size = -1, _BY_FREEDOM[name] * self.linear.M.shape[-1]
        else:
            return found
        if not size or found.shape[axis] >= size:
            return found
        room = [(0, 0)] * found.ndim
        room[axis] = (0, size - found.shape[axis])
        return np.pad(found, room, constant_values=np.nan)
