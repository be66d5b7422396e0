"""A motion: positions, velocities and what follows from them, at the output times."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any

import numpy as np
import sympy

from routh.analysis.given.conditions import Conditions
from routh.analysis.given.field_values import field_values
from routh.analysis.given.reading import own_expression
from routh.analysis.given.redundancy import least_norm, redundant
from routh.analysis.given.required import own_ends
from routh.analysis.motion.flows import Flows
from routh.analysis.motion.trust import Ledger, contradicted, surely_balanced, unbalanced
from routh.arrays import Array
from routh.errors import DeclarationError, Status, capital, quoted
from routh.kernels.engine import Engine, Point
from routh.kernels.kernel import kernel
from routh.language.events import Event
from routh.language.fields import Field
from routh.language.system import System
from routh.numerics.symplectic import symplectic_error
from routh.recorded import Recorded
from routh.shown import as_html

FINE = 1e-11
"""Tolerance of the flow whose symplectic error is looked at."""

ARRIVED = (Status.FINISHED, Status.EVENT)
"""How runs end that get where they are to go."""


@dataclass(frozen=True, eq=False, repr=False)
class Trajectory(Recorded):
    """A motion of a system, for every point of the batch.

    Attributes:
        system: the system.
        conditions: parameter values and constant inputs.
        t: (T,) the output times that were reached; the end of the longest run in a batch.
        q, v: (..., T, n) positions and velocities; NaN where a run of a batch ended before.
        work: (..., T) what forces, damping, time and moving constraints have added to the energy; NaN
            where an input in the energies is a Python function, whose rate is not known.
        run_status, run_message: how each run ended by itself, as a `Status` and a sentence;
            `status` and `message` are these after looking at the energy.
        events: what happened, a tuple of occurrences (or of tuples of them for a batch) with `event`,
            `t`, and the states `before` and `after` as (q, v).
        statistics: methods, steps, evaluations and time of each run.
        rtol: the relative tolerance of the steps.
        atol: (...) their absolute tolerance.
        basis_error: what the functions of discretized fields leave out, as a share of the vibrations,
            where rtol was not given and follows from it; None elsewhere.
        cut_error: (..., 2) with `modes`, what the cut to them left out, as shares of the largest
            displacement by mass: of the start, and the most that forces on the way would hold the cut
            modes at; None without. Accelerations are still those of the whole system.
        share: the share of both that steps had, where the power balance asked for less; the least of
            a batch.
        flows: the compiled functions of each run, in a row.
        watched: the events that were asked for, and those that end motions of the system by themselves.
        again: gives the same motion at other times, run again.
        global_error: (..., T, 2n) with check=True: how far the same run at a tighter tolerance is away
            in q and v; None without.
        coarser: with check=True, the run at the tolerances that were asked for; None without.
        varied: with variations=True, what `transition` and `sensitivity` read; None without.
        engine: what made each run, "casadi", "c" or "cuda".
        kept: (..., ...) with a function or a list of expressions in `keep`, what they are along each
            run; None without.
    """

    system: System
    conditions: Conditions
    t: Annotated[Array, "T"]
    q: Annotated[Array, "*batch T n"]
    v: Annotated[Array, "*batch T n"]
    work: Annotated[Array, "*batch T"]
    run_status: Any
    run_message: Any
    events: Any
    statistics: Any
    rtol: float
    flows: Flows
    watched: tuple[Event, ...]
    again: Callable[[Array], Trajectory]
    atol: Any
    basis_error: float | None = None
    cut_error: Annotated[Array, "*batch 2"] | None = None
    share: float = 1.0
    global_error: Annotated[Array, "*batch T 2*n"] | None = None
    coarser: Trajectory | None = field(default=None, repr=False)
    varied: (
        tuple[
            Annotated[Array, "*batch T 2*n 2*n"],
            Annotated[Array, "*batch T 2*n parameters"],
        ]
        | None
    ) = None
    engine: Any = Engine.CASADI
    kept: Any = None

    @property
    def values(self) -> dict[str, Annotated[Array, "*batch"]]:
        """Parameter values by name, of batch shape."""
        return self.conditions.values

    @cached_property
    def status(self) -> Any:
        """A `Status` for one run, an array of them for a batch; `message` says it with numbers.

        A run that got where it was to go while the power balance failed, or that a second run of
        check=True contradicts, is doubtful (see `routh.analysis.motion.trust`): no local error tells.
        """
        if not self.conditions.shape:
            return Status.DOUBTFUL if self._doubts[0] else self.run_status
        status = np.array(self.run_status, dtype=object)
        status.reshape(-1)[[bool(text) for text in self._doubts]] = Status.DOUBTFUL
        return status

    @cached_property
    def message(self) -> Any:
        """A sentence on how the run ended, with numbers, or an array of them for a batch."""
        said = self._each(self.run_message)
        for k, doubt in enumerate(self._doubts):
            if doubt:
                said[k] = f"{said[k]} But {doubt}"
        if self.conditions.shape:
            return said.reshape(self.conditions.shape)
        text = str(said[0])
        if np.isnan(self.work[0]):
            text += " Its power balance is not known: a Python function does not tell its rate."
        happened = {id(each.event) for each in self.events}
        happened |= {id(each) for each in self.watched if each in own_ends(self.system)}
        quiet = [each for each in self.watched if id(each) not in happened]
        if quiet:
            text += f" The event{'s' * (len(quiet) > 1)} {quoted(quiet)} did not happen."
        return text

    def _each(self, told: Any) -> Any:
        """What is told of each run, in a row."""
        row = np.empty(self.conditions.count, dtype=object)
        row[:] = told.reshape(-1) if self.conditions.shape else [told]
        return row

    @cached_property
    def _doubts(self) -> list[str]:
        """What speaks against each run, as a clause; empty where nothing does."""
        with np.errstate(all="ignore"):
            if self.coarser is None and self._all_fine:
                return [""] * self.conditions.count
            return [
                " And ".join(text for text in (self._unbalanced(k), self._contradicted(k)) if text)
                if status in ARRIVED
                else ""
                for k, status in enumerate(self._each(self.run_status))
            ]

    @property
    def _all_fine(self) -> bool:
        """Whether the power balances of all runs are known and kept, all of which got to the end."""
        if self.conditions.count == 1 or any(
            s is not Status.FINISHED for s in self._each(self.run_status)
        ):
            return False
        energy, balance = (self._stack(each) for each in (self.energy, self.power_balance))
        return surely_balanced(energy, balance, np.reshape(self.energy_moved, -1), self.rtol)

    def _unbalanced(self, k: int) -> str:
        known = not np.isnan(self._stack(self.work)[k, 0])  # else an input is a Python function
        return unbalanced([self.ledger(k)], self.rtol) if known else ""

    def ledger(self, k: int = 0) -> Ledger:
        """The energy along run k of a batch, as far as it got."""
        reached = np.isfinite(self._stack(self.q)[k]).all(axis=-1)
        energy, balance = (self._stack(each)[k][reached] for each in (self.energy, self.power_balance))
        return Ledger(self.flows[k], energy, balance, float(np.reshape(self.energy_moved, -1)[k]))

    def _contradicted(self, k: int) -> str:
        first = self.coarser
        if first is None or self.global_error is None:
            return ""
        if self._met(k) != first._met(k):
            return "the run at the tolerances asked for ends in another way or meets other events"
        names = (*self.system.coordinates, *self.system.velocities)
        error, atol = self._stack(self.global_error)[k], float(np.reshape(first.atol, -1)[k])
        return contradicted((first.flows[k], self.flows[k]), names, error, first.rtol, atol)

    def _met(self, k: int) -> tuple[Status, list[Event]]:
        """How a run ended, and which events it met."""
        return self._each(self.run_status)[k], [each.event for each in self._each(self.events)[k]]

    @property
    def completed(self) -> Any:
        """Whether the run got where it was to go: to the last time, or to an event that stops it."""
        reached = np.array([status in ARRIVED for status in self._each(self.status)])
        return reached.reshape(self.conditions.shape) if self.conditions.shape else bool(reached[0])

    def _stack(self, array: Array) -> Array:
        """(N, T, ...)"""
        return self.conditions.stacked(array)

    @cached_property
    def flow_states(self) -> Annotated[Array, "runs T size"]:
        """(N, T, size): the states as compiled functions take them, for each of N runs."""
        x = [self._stack(self.q), self._stack(self.v)]
        if self.flows.motion.works:
            x.append(self._stack(self.work)[..., None])
        return np.concatenate(x, axis=-1)

    def _along(self, name: str) -> list[Array]:
        """Results of a compiled function, (..., T, rows, columns) each."""
        with np.errstate(all="ignore"):
            found = self.flows.along(name, self.t, self.flow_states)
        return [self.conditions.folded(result) for result in found]

    @cached_property
    def _solved(self) -> list[Array]:
        return self._along("solved")

    @property
    def a(self) -> Annotated[Array, "*batch T n"]:
        """(..., T, n) accelerations."""
        return self._solved[0][..., 0]

    @cached_property
    def multipliers(self) -> Annotated[Array, "*batch T c"]:
        """(..., T, c) one for each constraint: `M a + h + J^T multipliers = Q`.

        Of least norm where constraints are redundant.
        """
        found = self._solved[1][..., 0]
        if not self.flows.redundant:
            return found
        flat = found.reshape(-1, found.shape[-1])
        J = self._along("matrices")[1].reshape(len(flat), len(self.system.constraints), -1)
        return least_norm(J, flat).reshape(found.shape)

    @cached_property
    def _energies(self) -> list[Array]:
        """The energy v . L_v - L, and the same at rest, (..., T) each."""
        return [each[..., 0, 0] for each in self._along("energy")]

    @property
    def energy(self) -> Annotated[Array, "*batch T"]:
        """(..., T): v . L_v - L, which is T + V where the kinetic energy is quadratic in v."""
        return self._energies[0]

    @cached_property
    def power_balance(self) -> Annotated[Array, "*batch T"]:
        """(..., T): energy minus what it was at the start and the work done since; zero if exact."""
        return self.energy - self.energy[..., :1] - self.work

    @cached_property
    def energy_error(self) -> Any:
        """(...): the largest error of the power balance, relative to the energy that moves about."""
        with np.errstate(all="ignore"):
            size = self.energy_moved
            error = _largest(self.power_balance) / np.where(size > 0, size, 1.0)
        return error if self.conditions.shape else float(error)

    @cached_property
    def energy_moved(self) -> Any:
        """(...): the energy that moves about: the largest kinetic energy along the run, the range of
        the potential, and the largest work.
        """
        with np.errstate(all="ignore"):
            size = self.conditions.folded(self.flows.moved(float(self.t[-1]))) + _largest(self.work)
        return size if self.conditions.shape else float(size)

    @cached_property
    def constraint_error(self) -> Any:
        """(...): the largest violation of phi = 0, in its own units; 0 without constraints.

        Of velocity constraints too; `constraint_rate_error` is that of d(phi)/dt of all.
        """
        return self._over_time(self.violations)

    @cached_property
    def constraint_rate_error(self) -> Any:
        """(...): the largest violation of the velocities that constraints allow."""
        return self._over_time(self._held[1])

    @property
    def violations(self) -> Annotated[Array, "*batch T c"]:
        """(..., T, c): how far phi is from zero at each time, or the rate of velocity constraints."""
        phi, rate = self._held
        velocity = [k for k, kind in enumerate(self.system.is_holonomic) if not kind]
        return np.concatenate([phi, rate[..., velocity]], axis=-1)

    @cached_property
    def _held(self) -> list[Array]:
        return [each[..., 0] for each in self._along("held")]

    def _over_time(self, found: Array) -> Any:
        if not found.shape[-1]:
            return np.zeros(self.conditions.shape) if self.conditions.shape else 0.0
        error = _largest(found.reshape(*found.shape[:-2], -1))
        return error if self.conditions.shape else float(error)

    @property
    def transition(self) -> Annotated[Array, "*batch T 2*n 2*n"]:
        """(..., T, 2n, 2n): how changes of q and v at the start have grown, with variations=True."""
        return self._varied()[0]

    @property
    def sensitivity(self) -> Annotated[Array, "*batch T 2*n parameters"]:
        """(..., T, 2n, parameters): derivatives of q and v by the parameters, with variations=True.

        NaN for parameters in constraints: a start that is kept would leave them.
        """
        return self._varied()[1]

    def _varied(self) -> tuple[Array, Array]:
        if self.varied is None:
            raise DeclarationError(
                "The variational equations were not integrated along this motion. Ask for them:"
                " simulate(..., variations=True)."
            )
        return self.varied

    @cached_property
    def symplectic_error(self) -> Any:
        """(...): how far the flow from the first to the last time is from a symplectic one.

        The variational equations in coordinates and momenta give the matrix S of growth; the largest
        entry of S^T I S - I, relative to what cancels in it, is zero to the tolerance where no force
        acts outside of the Hamiltonian.

        Raises:
            DeclarationError: constraints hold the system, or events change its velocities.
        """
        if self.system.constraints or self.watched:
            raise DeclarationError(
                "The symplectic error is that of a smooth flow in coordinates and momenta:"
                f" {self.system.title} has {'constraints' if self.system.constraints else 'events'}."
            )
        found = []
        for flow, x in zip(self.flows, self.flow_states, strict=True):
            canonical, start = flow.canonical(float(self.t[0]), x[0])
            _, grown, _ = canonical.varied(start, self.t[[0, -1]], FINE)
            found.append(symplectic_error(grown[-1]))
        return self.conditions.folded(np.array(found)) if self.conditions.shape else found[0]

    @cached_property
    def momenta(self) -> Annotated[Array, "*batch T n"]:
        """(..., T, n) L_v along the motion."""
        return self._along("momenta")[0][..., 0]

    @cached_property
    def inputs(self) -> Annotated[Array, "*batch T signals"]:
        """(..., T, number of signals): inputs and their derivatives, in the order of the kernel."""
        return self._along("signals")[0][..., 0]

    def point(self) -> Point:
        """The states of all runs and times as one stack, for kernels."""
        count, times = self.conditions.count, len(self.t)

        def flat(array: Array) -> Array:
            return self._stack(array).reshape(count * times, array.shape[-1])

        return Point(
            t=np.tile(self.t, count)[:, None],
            q=flat(self.q),
            v=flat(self.v),
            a=flat(self.a),
            p=np.repeat(self.conditions.p, times, axis=0),
            u=flat(self.inputs),
            multipliers=flat(self.multipliers),
        )

    def __getitem__(self, expression: sympy.Expr | str) -> Array:
        """(..., T): any expression along the motion, accelerations and inputs included."""
        checked = own_expression(self.system, expression, "What is read along a motion")
        with np.errstate(all="ignore"):
            value = kernel(self.system).values([checked], self.point())[:, 0]
        return self.conditions.folded(value.reshape(self.conditions.count, len(self.t)))

    def field(self, field: Field | str, places: object) -> Array:
        """(..., T, k): a field of a discretized system, or a derivative of it, at k places."""
        found = field_values(kernel(self.system), self.point(), field, places)
        return self.conditions.folded(found.reshape(self.conditions.count, len(self.t), -1))

    def __call__(self, times: Any) -> Trajectory:
        """The motion at other times within its range, to the accuracy of the integration.

        It is run again with these outputs, not interpolated between the old ones: the same steps, and
        so the same motion, bit by bit.
        """
        return self.again(times)

    def __repr__(self) -> str:
        return f"Trajectory({self.system.title}, q {self.q.shape})"

    def __str__(self) -> str:
        if self.conditions.shape:
            done, count = int(np.sum(self.completed)), self.conditions.count
            return (
                f"{done} of {count} motions of {self.system.title} completed, in a batch of shape"
                f" {self.conditions.shape}."
            )
        lines = [f"{capital(self.system.title)}: {self.message}", f"{self.statistics}."]
        if np.isfinite(self.energy_error) and len(self.t) > 1:
            lines.append(f"Energy balance {self.energy_error:.1e} of the energy that moves about.")
        if self.basis_error is not None:
            lines.append(
                f"Steps may err by {self.rtol:.1g}: the functions of the fields leave out about"
                f" {self.basis_error:.1g} of the vibrations. Give rtol= for other steps."
            )
        if self.cut_error is not None:
            lines.append(
                f"The modes that were cut would add about {self.cut_error[1]:.1g} of the displacement"
                f" by the forces on the way; the start lost {self.cut_error[0]:.1g}."
            )
        if self.system.constraints:
            J = kernel(self.system).constraint_jacobian(self.point())[0]
            depends = redundant(self.system, J)
            lines.append(f"Constraints hold to {self.constraint_error:.1e}.{depends}")
        if self.global_error is not None:
            error = _largest(self.global_error.ravel())
            lines.append(f"Largest difference to a run at a hundred times the tolerance: {error:.1e}.")
        return "\n".join(lines)

    _repr_html_ = as_html


def _largest(array: Array) -> Any:
    """The largest size along the last axis, whatever is NaN left out."""
    return np.fmax.reduce(np.abs(array), axis=-1)
