"""An observer that runs along with its system, in motions of any size; with a regulator, a loop closed
by what is measured alone.

The estimate z is no mechanical state: z' = A z + B u + L (y - C z - D u) is of first order. Each state
gets a coordinate w of unit mass with z = w + w'/c, on which the force c (z' - w') acts: w follows z
at the rate c, and nothing reads w but through z. So the loop is a System as others are, and each state
of the estimate brings an eigenvalue -c of its own, which no motion of the plant or of z sees.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated

import numpy as np
import sympy
from sympy import ImmutableDenseMatrix as Matrix

from routh.analysis.control.feedback_laws import (
    Laws,
    closed_stability,
    closed_system,
    combined,
    deviations,
    laws_of,
)
from routh.analysis.control.regulator import Regulator
from routh.analysis.control.states_told import slowest_first
from routh.analysis.linear.linear_model import LinearModel
from routh.analysis.linear.state_space import StateSpace, state_space
from routh.analysis.stability.verdict import Stability
from routh.arrays import Array, Complex
from routh.errors import DeclarationError, DerivationError, capital, listed, quoted
from routh.language.forces import Force, Origin
from routh.language.latex_names import latex_name
from routh.language.symbols import Coordinate, Signal
from routh.language.system import System
from routh.language.walk import leaves
from routh.shown import as_html

FOLLOWS = 2.0
"""The rate c, beside the quickest of the error: beyond it, so that no eigenvalue is met twice."""


@dataclass(frozen=True, eq=False, repr=False)
class ObserverLoop:
    """A system with its observer beside it, which estimates the state from what is measured.

    Attributes:
        space: the state-space model of the observer; its outputs are what is measured.
        gain: (states, outputs) L of the observer.
        regulator: whose gain feeds back the estimate; None where inputs are left as they were.
        system: the system and the observer. Its inputs are those of the system: `laws` gives them to
            `simulate`, `closed` has them inside. Energies of its motions contain w'^2/2 of what runs
            along, and are not those of the plant.
        running: (states) the coordinates w by which the estimate runs along. It begins at the
            equilibrium; a start {w: x} begins it at the deviation x.
        states: (states) z of the running estimate, as expressions.
        estimates: for each coordinate and velocity of the system its estimate, an expression that
            motions of `system` and `closed` read: `motion[loop.estimates[theta]]`.
    """

    space: StateSpace
    gain: Annotated[Array, "states outputs"]
    regulator: Regulator | None
    system: System
    running: tuple[Coordinate, ...]
    states: tuple[sympy.Expr, ...]
    estimates: dict[Coordinate, sympy.Expr]

    @cached_property
    def laws(self) -> Laws:
        """The law u* - gain z of each input, in the estimate, for `simulate(..., inputs=...)`."""
        regulator = self._given
        return laws_of(_linear(regulator.space), regulator.gain, self.states, regulator.inputs)

    @cached_property
    def closed(self) -> System:
        """The system and the observer with the laws in the place of the inputs.

        Raises:
            DerivationError: an input stands in an energy, a dissipation or a constraint.
        """
        return closed_system(self.system, self.laws)

    @cached_property
    def stability(self) -> Stability:
        """The verdict on the closed loop at the equilibrium, by `stability`."""
        rest = _linear(self.space).reference
        return closed_stability(rest, self.closed, self._given.inputs)

    @cached_property
    def eigenvalues(self) -> Annotated[Complex, "both"]:
        """(2 states,): those of the loop, A - B K and then A - L C, in 1/s: they do not mix."""
        return np.concatenate(
            [self._given.eigenvalues, slowest_first(self.space.A - self.gain @ self.space.C)]
        )

    @property
    def _given(self) -> Regulator:
        if self.regulator is None:
            raise DeclarationError(
                "This observer runs along without a regulator, so that inputs have no law: give them to"
                " simulate(..., inputs=...), or make the loop with observer.loop(regulator)."
            )
        return self.regulator

    def __repr__(self) -> str:
        return f"ObserverLoop({self.system.title}, estimates {listed(self.estimates)})"

    def __str__(self) -> str:
        outputs = listed(self.space.outputs)
        if self.regulator is None:
            return f"Observer of {self.system.title} by {outputs}, running along."
        slowest = -float(self.eigenvalues.real.max())
        return (
            f"Feedback of {outputs} to {listed(self.regulator.inputs)} by an observer and a regulator:"
            f" the slowest motion decays by {slowest:.6g} 1/s"
        )

    _repr_html_ = as_html


def observer_loop(space: StateSpace, gain: Array, regulator: Regulator | None) -> ObserverLoop:
    """The system of a model with an observer of this gain beside it."""
    linear = _linear(space)
    _refuse(space, linear)
    rate = FOLLOWS * float(np.abs(slowest_first(space.A - gain @ space.C)).max(initial=0)) or 1.0
    running = _coordinates(space, linear.system)
    z = [w + w.rate / sympy.Float(rate) for w in running]
    u = deviations(linear, space.inputs)
    slopes = [
        sympy.Add(*terms) for terms in
        zip(combined(space.A, z), combined(space.B, u), combined(gain, _missed(space, z, u)),
            strict=True)
    ]  # fmt: skip
    forces = [
        Force(Matrix([sympy.Float(rate) * (slope - w.rate)]), Matrix([w]), Origin.COORDINATE)
        for w, slope in zip(running, slopes, strict=True)
    ]
    whole = _with(linear.system, running, forces)
    read = _estimates(linear, z, u)
    return ObserverLoop(space, gain, regulator, whole, running, tuple(z), read)


def _missed(space: StateSpace, z: Sequence[sympy.Expr], u: Sequence[sympy.Expr]) -> list[sympy.Expr]:
    """Y - C z - D u: what is measured beyond what the estimate expects."""
    rest = _linear(space).reference
    expected = zip(combined(space.C, z), combined(space.D, u), strict=True)
    return [
        y - sympy.Float(float(rest[y])) - seen - fed
        for y, (seen, fed) in zip(space.outputs, expected, strict=True)
    ]


def _with(system: System, running: Sequence[Coordinate], forces: Sequence[Force]) -> System:
    """The system with coordinates of unit mass on which these forces act."""
    part = "lagrangian" if system.lagrangian else "kinetic"
    masses = [w.rate**2 / 2 for w in running]
    return system.changed(
        **{part: [*system.as_written[part], *masses]},
        forces=[*system.as_written["forces"], *forces],
        coordinates=[*system.coordinates, *running],
    )


def _estimates(
    linear: LinearModel, z: Sequence[sympy.Expr], u: Sequence[sympy.Expr]
) -> dict[Coordinate, sympy.Expr]:
    """Coordinates and velocities as the estimate has them, to first order."""
    moving = [*linear.coordinates, *(q.rate for q in linear.coordinates)]
    read = state_space(linear, moving)
    at = [*map(float, linear.reference.q), *map(float, linear.reference.v)]
    C, D = combined(read.C, z), combined(read.D, u[: read.D.shape[-1]])
    return {
        q: sympy.Float(x) + seen + fed if x else seen + fed
        for q, x, seen, fed in zip(moving, at, C, D, strict=True)
    }


def _coordinates(space: StateSpace, system: System) -> tuple[Coordinate, ...]:
    """A new coordinate for each state, with a hat on its name."""
    taken = {s.name for s in (*system.coordinates, *system.parameters, *system.inputs)}
    found = []
    for state in space.states:
        bare, order = state.rstrip("'"), len(state) - len(state.rstrip("'"))
        name = f"{bare}{'_rate' * order}_hat"
        while name in taken:
            name += "_"
        taken.add(name)
        letter = latex_name(bare) if not order else rf"\dot{{{latex_name(bare)}}}"
        found.append(Coordinate(name, rf"\hat{{{letter}}}"))
    return tuple(found)


def _linear(space: StateSpace) -> LinearModel:
    if space.linear is None:
        raise DerivationError(
            "An observer runs along with a system, and this one is of matrices alone. Make it of what"
            " state_space(linear) returns."
        )
    return space.linear


def _refuse(space: StateSpace, linear: LinearModel) -> None:
    """Refuse what a running observer cannot be written for.

    Raises:
        DeclarationError: a batch.
        DerivationError: a steady motion, a discretized system, friction, a measured acceleration.
    """
    if space.A.ndim > 2:
        raise DeclarationError(
            "An observer runs along with one system, at one point. Got a batch of shape"
            f" {space.A.shape[:-2]}; take observer.single(k)."
        )
    system = linear.system
    if system.discretization is not None or system.friction:
        why, other = "has friction", "system.regularized(width)"
        if system.discretization is not None:
            why, other = "is discretized", "reduce(linear, modes=...).system"
        raise DerivationError(
            f"{capital(system.title)} {why}, and takes no further coordinates for an observer. Take"
            f" {other}, or the matrices of the controller, observer.with_regulator(regulator)."
        )
    if linear.reference.turning or linear.reference.conditions.inputs_move:
        raise DerivationError(
            "An observer runs along about a rest, and the reference is a steady motion. The matrices of"
            " the controller are observer.with_regulator(regulator)."
        )
    measured: set[Signal] = {s for s in leaves(space.outputs) if isinstance(s, Coordinate)}
    wrong = sorted((s for s in measured if s.order > 1), key=str)
    if wrong:
        raise DerivationError(
            f"The observer measures the acceleration {quoted(wrong[:1])}, which follows from forces and"
            " is not known before them. Measure positions or velocities, or put a coordinate of its"
            " own behind the sensor."
        )
