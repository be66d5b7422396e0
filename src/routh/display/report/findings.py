"""What is computed for a report: each part when it is asked for.

Verbs are called by their public names, as a person would, so that each is loaded with its first use.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

import routh as rt
from routh.analysis.periodic.multipliers import Floquet
from routh.arrays import Array
from routh.display.report.outputs_needed import too_few
from routh.errors import DerivationError, NoEquilibrium, RouthError, quoted
from routh.language.symbols import Coordinate
from routh.language.system import System
from routh.mechanics.ritz.bases.basis_table import NAMED
from routh.mechanics.turns import turns

if TYPE_CHECKING:
    from routh.files.model import Model
    from routh.results import (
        Equilibria,
        Equilibrium,
        Hamiltonian,
        Modes,
        Stability,
        StickSlip,
        Trajectory,
    )

SLIDERS = 4
"""Parameters with a range along which modes are computed."""

STOPS = 41
"""Values of a parameter within its range."""


NOISE = 1e-12
"""A coordinate below this is written as zero."""


def reason(verdict: Stability | Floquet) -> str:
    """Why a verdict is what it is, without the verdict itself."""
    said = str(verdict).partition(". ")[2]
    if isinstance(verdict, Floquet):
        said = re.sub(r"(?<=\d)j\b", "i", f"{said[:1].lower()}{said[1:]}")
        over = f"over a period of {float(verdict.period):.6g} s"
        return f"By Floquet's theory of the linear equations, {over}: {said}"
    return said


def slipping(system: System) -> System:
    """The system while every contact with friction slips forwards; itself without friction."""
    return system.phase(*[1] * len(system.friction)) if system.friction else system


@dataclass(frozen=True, eq=False)
class Findings:
    """What is computed for a report; each part when it is asked for, and what failed as a sentence."""

    model: Model
    values: dict[str, float]
    moves: bool = True
    """Whether a motion belongs to it: a model says where it starts, a system alone does not."""
    studies: tuple[Any, ...] = ()
    """What `sweep` gave of the same system."""

    @cached_property
    def system(self) -> System:
        """The system of coordinates: fields are discretized."""
        model = self.model
        if not model.system.fields:
            return model.system
        sizes = {w: NAMED[kind](n) for w, (kind, n) in model.sizes.items()}
        return rt.discretize(model.system, sizes)

    def with_values(self, values: dict[str, float]) -> Findings:
        """The same with other values of parameters; fields are not made into coordinates again."""
        other = replace(self, values=self.values | values)
        vars(other)["system"] = self.system
        return other

    @cached_property
    def equations(self) -> Any:
        """The equations of motion (of slip, with friction), or why they are not written."""
        try:
            return rt.equations(slipping(self.model.system))
        except RouthError as error:
            return str(error)

    @cached_property
    def searchable(self) -> bool:
        """Whether all equilibria can be looked for: every coordinate is an angle or has a range."""
        model = self.model
        special = model.system.fields or model.analysis.speeds or model.system.friction or model.made
        if not model.analysis.equilibria or special:
            return False
        return not self._unbounded

    def rest(self) -> Equilibrium:
        """The equilibrium near the guess of the model."""
        model = self.model
        speeds = model.analysis.speeds or None
        return rt.equilibrium(
            self.system, self.values, guess=model.guess, inputs=model.inputs, speeds=speeds
        )

    @cached_property
    def every(self) -> Equilibria | str:
        """All equilibria in the ranges of the model, or why there are none."""
        model = self.model
        try:
            return rt.equilibria(
                self.system,
                self.values,
                inputs=model.inputs,
                within=model.within or None,
                certify=model.analysis.proof,
            )
        except RouthError as error:
            return str(error)

    @cached_property
    def rests(self) -> list[Equilibrium] | str:
        """The equilibria to be shown, or why there are none."""
        if not self.searchable:
            return self._near_the_guess
        found = self.every if isinstance(self.every, str) else list(self.every)
        return found or self._impossible or found

    @cached_property
    def _near_the_guess(self) -> list[Equilibrium] | str:
        found = self._tried
        return str(found) if isinstance(found, RouthError) else [found]

    @cached_property
    def _tried(self) -> Equilibrium | RouthError:
        """The equilibrium near the guess, or the refusal."""
        try:
            return self.rest()
        except RouthError as error:
            return error

    @cached_property
    def _impossible(self) -> str:
        """Why there can be no equilibrium, where that is known; else nothing."""
        return str(self._tried) if isinstance(self._tried, NoEquilibrium) else ""

    @cached_property
    def without_rests(self) -> bool:
        """Whether it is a fact, and no failure, that there is no equilibrium to be shown.

        None balances the forces, or a contact that sticks holds many.
        """
        if not isinstance(self.rests, str) or (self.searchable and isinstance(self.every, str)):
            return False
        return isinstance(self._tried, (NoEquilibrium, DerivationError))

    @cached_property
    def complete(self) -> bool:
        """Whether it is proven that there are no other equilibria in the ranges."""
        if not self.searchable or isinstance(self.every, str):
            return False
        return self.every.certificate is not None and self.every.certificate.is_complete

    @cached_property
    def doubted(self) -> bool:
        """Whether a list may lack some: the search is not sure, or the proof asked for failed."""
        if not self.searchable or isinstance(self.every, str):
            return False
        if self.every.certificate is not None:
            return not self.every.certificate.is_complete
        return not self.every.saturated

    @cached_property
    def completeness(self) -> str:
        """Whether there may be other equilibria."""
        if not self.searchable:
            kind = "steady motion" if self.model.analysis.speeds else "equilibrium"
            return (
                f"This is the {kind} near the guess of the model; there may be others."
                f" {self._not_searched}"
            )
        if isinstance(self.every, str):
            return self.every
        where, said = "in the ranges of the model", self.every.completeness
        if self.complete and not self.rests:
            return f"There is no equilibrium {where}. The list is empty, and p{said[1:]}"
        if self.complete:
            return f"All equilibria {where}: {said}"
        if self.every.certificate is not None:
            return f"{'These equilibria' if self.rests else 'No equilibria'} were found {where}. {said}"
        found = "Found by a search" if self.rests else f"No equilibrium was found {where}"
        return f"{found}: {said} This is no proof; `proof = true` under [analysis] asks for one."

    @property
    def _not_searched(self) -> str:
        """Why not all equilibria were looked for, and what would let them be."""
        model = self.model
        special = {"fields": model.system.fields, "constant `speeds`": model.analysis.speeds,
                   "friction": model.system.friction,
                   "coordinates of rotations and tethers": model.made}  # fmt: skip
        for what, given in special.items():
            if given:
                return f"With {what} not all are looked for."
        needed = []
        if self._unbounded:
            needed.append(
                f"give {quoted(self._unbounded)} a `range` under [coordinates], like"
                f" {self._unbounded[0]} = {{range = [-1, 1]}}"
            )
        if not model.analysis.equilibria:
            needed.append("leave out `equilibria = false` under [analysis]")
        return f"To have all looked for, {' and '.join(needed)}."

    @cached_property
    def _unbounded(self) -> list[Coordinate]:
        """Coordinates that are no angles and have no range."""
        model = self.model
        periods = zip(model.system.coordinates, turns(model.system), strict=True)
        return [q for q, period in periods if q not in model.within and period is None]

    def place(self, rest: Equilibrium) -> str:
        """Where an equilibrium is, with units, and with what rates a steady motion goes on.

        Names stand in backticks.
        """
        if rest.system.shapes or rest.turning:
            said = str(rest).partition(" at ")[2].partition(". ")[0]
            return re.sub(r"(?<![\w'])([^\W\d]\w*'*)(?= = )", r"`\1`", said)
        units = self.model.units
        q = np.where(np.abs(rest.q) < NOISE, 0, rest.q)
        return ", ".join(
            f"`{name}` = {x:.6g} {units.get(name.name, '')}".rstrip()
            for name, x in zip(rest.system.coordinates, q, strict=True)
        )

    def family(self, k: int) -> int:
        """How many ways there are to go on resting, from an equilibrium: 0 for an isolated one."""
        if self.searchable:
            return 0 if isinstance(self.every, str) else int(self.every.dimension[k])
        return len(self.rests[k].free) if not isinstance(self.rests, str) else 0

    @cached_property
    def lacking(self) -> list[str]:
        """Parameters without a value."""
        return [p.name for p in self.model.system.parameters if p.name not in self.values]

    @cached_property
    def models(self) -> list[Modes | str]:
        """The modes about each equilibrium, or why there are none."""
        return [self._modes(rest) for rest in self.rests] if not isinstance(self.rests, str) else []

    def _modes(self, rest: Equilibrium) -> Modes | str:
        try:
            found = rt.modes(rt.linearize(rest))
            str(found.stability)
        except RouthError as error:
            return str(error)
        return found

    @cached_property
    def verdicts(self) -> list[Stability | Floquet | str]:
        """The verdict on each equilibrium, proven where that is asked for, or why there is none.

        Where the linear model changes with the drive, a period of it judges if the model gives one.
        """
        rests = [] if isinstance(self.rests, str) else self.rests
        return [
            self._over_a_period(rest, each) if isinstance(each, str) else self._verdict(each)
            for rest, each in zip(rests, self.models, strict=True)
        ]

    def _over_a_period(self, rest: Equilibrium, why: str) -> Floquet | str:
        """What the multipliers about an equilibrium say, or why there is no verdict at all."""
        if self.model.analysis.period is None or rest.system.shapes:
            return why
        found = self._multipliers(dict(zip(rest.system.coordinates, rest.q, strict=True)))
        return why if isinstance(found, str) else found

    def _verdict(self, each: Modes) -> Stability | str:
        if not self.model.analysis.proof:
            return each.stability
        try:
            return rt.stability(each.linear, proven=True)
        except RouthError:
            return each.stability

    @cached_property
    def motion(self) -> Trajectory | StickSlip | str:
        """The motion from the start of the model, or why there is none."""
        model, asked = self.model, self.model.analysis.motion
        times = np.linspace(0, asked.until, asked.outputs)
        try:
            # without its own bar: a report shows how far it is as a whole
            return rt.simulate(
                self.system,
                self.values,
                model.start,
                times,
                inputs=model.laws or None,
                events=model.ends or None,
                progress=False,
            )
        except RouthError as error:
            return str(error)

    @cached_property
    def sweep(self) -> Modes | str | None:
        """Modes along the parameter that is to be moved."""
        asked = self.model.analysis.sweep
        if asked is None:
            return None
        return self._said(asked.parameter, np.linspace(asked.start, asked.end, asked.points))

    @cached_property
    def hamiltonian(self) -> Hamiltonian | str | None:
        """Hamilton's equations where the model asks for them, or why there are none."""
        if not self.model.analysis.hamiltonian:
            return None
        try:
            return rt.hamiltonian(slipping(self.model.system))
        except RouthError as error:
            return str(error)

    @cached_property
    def floquet(self) -> Floquet | str | None:
        """What a period of the drive does to small motions where the model gives one, or why not."""
        return None if self.model.analysis.period is None else self._multipliers(self.model.guess)

    def _multipliers(self, guess: Any) -> Floquet | str:
        """What a period of the drive does to small motions about the rest near a guess, or why not."""
        model = self.model
        try:
            period = model.number(model.analysis.period or "", self.values)
            return rt.floquet(self.system, self.values, period, guess=guess, inputs=model.laws or None)
        except RouthError as error:
            return str(error)

    @cached_property
    def shown(self) -> list[Any]:
        """The expressions that the model shows of its motion; none where it says nothing."""
        return [self.model.expression(text) for text in self.model.analysis.motion.shown]

    @cached_property
    def coarse(self) -> str:
        """A warning where the motion has too few points to be drawn, or nothing."""
        return "" if isinstance(self.motion, str) else too_few(self.motion)

    @cached_property
    def moved(self) -> dict[str, Modes | str]:
        """Modes along each parameter that has a range, or why there are none."""
        ranges = [item for item in self.model.ranges.items() if item[0] in self.values][:SLIDERS]
        return {
            name: self._said(name, np.unique([*np.linspace(*ends, STOPS), self.values[name]]))
            for name, ends in ranges
        }

    def _said(self, parameter: str, numbers: Array) -> Modes | str:
        try:
            return self.along(parameter, numbers)
        except RouthError as error:
            return str(error)

    def along(self, parameter: str, numbers: Array, *, count: int | None = None) -> Modes:
        """Modes about the equilibrium near the guess, for each of these numbers of a parameter."""
        model = self.model
        values: dict[str, Any] = self.values | {parameter: numbers}
        speeds = model.analysis.speeds or None
        rest = rt.equilibrium(
            self.system, values, guess=model.guess, inputs=model.inputs, speeds=speeds
        )
        return rt.modes(rt.linearize(rest), count=count)
