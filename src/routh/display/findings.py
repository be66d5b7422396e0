"""What is computed for a report: each part when it is asked for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from routh.analysis.equilibria import Equilibria, equilibria
from routh.analysis.equilibrium import equilibrium
from routh.analysis.linear import linearize
from routh.analysis.modes import Modes, modes
from routh.analysis.simulate import simulate
from routh.analysis.steady import Equilibrium
from routh.analysis.trajectory import Trajectory
from routh.errors import RouthError
from routh.language.model import Model
from routh.language.system import System
from routh.mechanics.bases import Elements
from routh.mechanics.lagrange import equations
from routh.mechanics.ritz import discretize
from routh.mechanics.turns import turns


@dataclass(frozen=True, eq=False)
class Findings:
    """What is computed for a report; each part when it is asked for, and what failed as a sentence."""

    model: Model
    values: dict[str, float]

    @cached_property
    def system(self) -> System:
        """The system of coordinates: fields are discretized."""
        model = self.model
        if not model.system.fields:
            return model.system
        sizes = {w: Elements(n) if kind == "elements" else n for w, (kind, n) in model.sizes.items()}
        return discretize(model.system, sizes)

    @cached_property
    def equations(self) -> Any:
        """The equations of motion, or why they are not written."""
        try:
            return equations(self.model.system)
        except RouthError as error:
            return str(error)

    @cached_property
    def searchable(self) -> bool:
        """Whether all equilibria can be looked for: every coordinate is an angle or has a range."""
        model = self.model
        if not model.analysis.equilibria or model.system.fields or model.analysis.speeds:
            return False
        periods = zip(model.system.coordinates, turns(model.system), strict=True)
        return all(q in model.within or period is not None for q, period in periods)

    def rest(self) -> Equilibrium:
        """The equilibrium near the guess of the model."""
        model = self.model
        speeds = model.analysis.speeds or None
        return equilibrium(
            self.system, self.values, guess=model.guess, inputs=model.inputs, speeds=speeds
        )

    @cached_property
    def rests(self) -> list[Equilibrium] | str:
        """The equilibria to be shown, or why there are none."""
        model = self.model
        try:
            if self.searchable:
                found: Equilibria = equilibria(
                    self.system, self.values, inputs=model.inputs, within=model.within or None
                )
                return [found[k] for k in range(len(found))]
            return [self.rest()]
        except RouthError as error:
            return str(error)

    @cached_property
    def motion(self) -> Trajectory | str:
        """The motion from the start of the model, or why there is none."""
        model, asked = self.model, self.model.analysis.motion
        times = np.linspace(0, asked.until, asked.outputs)
        try:
            return simulate(self.system, self.values, model.start, times, inputs=model.laws or None)
        except RouthError as error:
            return str(error)

    @cached_property
    def sweep(self) -> Modes | str | None:
        """Modes along the parameter that is to be moved."""
        asked = self.model.analysis.sweep
        if asked is None:
            return None
        values: dict[str, Any] = dict(self.values)
        values[asked.parameter] = np.linspace(asked.start, asked.end, asked.points)
        try:
            speeds = self.model.analysis.speeds or None
            rest = equilibrium(
                self.system, values, guess=self.model.guess, inputs=self.model.inputs, speeds=speeds
            )
            return modes(linearize(rest))
        except RouthError as error:
            return str(error)
