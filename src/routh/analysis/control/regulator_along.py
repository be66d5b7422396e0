"""Gains along a motion: the Riccati differential equation backwards, as arrays and as laws of time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any

import numpy as np
import sympy

from routh.analysis.control.series_in_time import TooRoughError, fitted_waves, written_waves
from routh.analysis.control.weights import plain_inputs, signal_weight, symmetric_weight
from routh.analysis.given.numbers import number
from routh.analysis.linear.along import LinearAlong, feedback
from routh.arrays import Array
from routh.errors import DeclarationError, SolveError, did_you_mean, listed, quoted
from routh.language.symbols import Input
from routh.numerics.linear_systems.riccati_along import riccati_along
from routh.recorded import Recorded
from routh.shown import as_html

CHANGE = 1e-9
"""Share of the largest gain by which gains may change with twice as many steps."""

REFUSED = 1e-6
"""The same, above which gains are not given."""

FOLLOWED, SCHEDULED = 1e-9, 1e-6
"""How near the motion and its gains are written in laws, beside their ranges."""

PIECES = 64
"""Steps between two outputs at most."""


@dataclass(frozen=True, eq=False, repr=False)
class RegulatorAlong(Recorded):
    """`u = u*(t) - gain(t) x`, x being the deviation (eta, eta') from a motion, for the least cost.

    The cost is the integral of x^T Q x + u^T R u up to the end of the motion, and x^T final x there.

    Attributes:
        linear: the linear model along the motion.
        Q, final: (2r, 2r) weights of the states, along the way and at its end.
        R: (p, p) weight of the inputs.
        gain: (..., T, p, 2r) at the times of the model.
        cost: (..., T, 2r, 2r) S(t): x^T S x is what is still to be paid. It solves
            -S' = A^T S + S A - S B R^-1 B^T S + Q with S = final at the end.
        error: how far gains change with half as many steps, beside the largest of them.
    """

    linear: LinearAlong
    Q: Annotated[Array, "s s"]
    R: Annotated[Array, "p p"]
    final: Annotated[Array, "s s"]
    gain: Annotated[Array, "*batch T p s"]
    cost: Annotated[Array, "*batch T s s"]
    error: float

    @property
    def t(self) -> Annotated[Array, "T"]:
        """(T,): the times."""
        return self.linear.t

    @property
    def inputs(self) -> tuple[Input, ...]:
        """The inputs that it moves, the rows of `gain`."""
        return self.linear.inputs

    @cached_property
    def laws(self) -> dict[Input, sympy.Expr]:
        """The law of each input in time, coordinates and velocities, for `simulate(..., inputs=...)`.

        The motion is written as a sum of waves over its times to 1e-9 of its range, gains to 1e-6 of
        theirs: the law holds from the first of them to the last.

        Raises:
            DeclarationError: the model is of a batch of motions.
            SolveError: the motion is too long or too rough for sums of 128 waves.
        """
        if self.gain.ndim > 3:
            raise DeclarationError(
                f"A law is that of one motion. Got a batch of shape {self.gain.shape[:-3]}; `gain` has"
                " all gains as one array."
            )
        states = [*self.linear.independent, *(q.rate for q in self.linear.independent)]
        moving = self._series(self._moved, FOLLOWED)
        gains = self._series(self._gains, SCHEDULED)
        apart = [x - at for x, at in zip(states, moving, strict=False)]
        found = {}
        for j, u in enumerate(self.inputs):
            own = gains[j * len(states) : (j + 1) * len(states)]
            fed = sympy.Add(*(k * x for k, x in zip(own, apart, strict=True)))
            found[u] = moving[len(states) + j] - fed
        return found

    def _series(self, read: Callable[[Array], Array], tolerance: float) -> list[sympy.Expr]:
        """Functions of time that are read along the motion, as expressions."""
        first, last = float(self.t[0]), float(self.t[-1])
        try:
            factors = fitted_waves(read, first, last, tolerance)
        except TooRoughError as rough:
            raise SolveError(
                f"What happens along this motion is no sum of {rough.waves} waves in time, to"
                f" {tolerance:.0e} of its range: {rough.left:.1g} is left. Take a shorter piece of it."
            ) from None
        return written_waves(factors, first, last)

    def _moved(self, times: Array) -> Array:
        """(T, 2r + p): states and inputs of the motion."""
        motion = self.linear.reference(times)
        names = self.linear.system.coordinates
        places = [names.index(q) for q in self.linear.independent]
        fed = [motion[u][:, None] for u in self.inputs]
        return np.concatenate([motion.q[:, places], motion.v[:, places], *fed], axis=1)

    def _gains(self, times: Array) -> Array:
        """(T, p 2r): the gains."""
        gain = solved(self.linear, self.Q, self.R, self.final, times)[0][0]
        return np.asarray(gain.reshape(len(times), -1))

    def __repr__(self) -> str:
        return f"RegulatorAlong({self.linear.system.title}, gain {self.gain.shape})"

    def __str__(self) -> str:
        return (
            f"Regulator of {listed(self.inputs)} along a motion of {self.linear.system.title} from"
            f" t = {self.t[0]:g} to {self.t[-1]:g}: u = u* - gain(t) x, {len(self.t)} times, error"
            f" {self.error:.1e}."
        )

    _repr_html_ = as_html


def lqr_along(along: LinearAlong, Q: Any, R: Any, final: Any) -> RegulatorAlong:
    """The gains along a motion."""
    plain_inputs(along.inputs, "lqr")
    if along.closed and feedback(along.reference):
        raise DeclarationError(
            "lqr along a motion takes the open loop: inputs are what it finds a law for. Linearize the"
            " motion without closed=True."
        )
    if len(along.t) < 2:
        raise DeclarationError("lqr needs a motion of two times at least. Got one time.")
    weight = _weight(along, Q, "Q")
    end = np.zeros_like(weight) if final is None else _weight(along, final, "final")
    effort = signal_weight(along.inputs, (), R, "R", "input")[0]
    gain, cost, error = solved(along, weight, effort, end, along.t)
    batch = along.M.shape[:-3]
    return RegulatorAlong(
        along, weight, effort, end,
        gain.reshape(*batch, *gain.shape[1:]), cost.reshape(*batch, *cost.shape[1:]), error,
    )  # fmt: skip


def solved(
    along: LinearAlong, Q: Array, R: Array, final: Array, times: Array
) -> tuple[Array, Array, float]:
    """Gains (N, T, p, 2r) and costs (N, T, 2r, 2r) of all motions at rising times up to the last."""
    B = _first_order(along(times))[1]
    before, pieces, change = None, 1, np.inf
    while pieces <= PIECES:
        cost = _costs(along, Q, R, final, times, pieces, len(B))
        gain: Array = np.asarray(np.linalg.solve(R, B.swapaxes(2, 3) @ cost), dtype=float)
        if before is not None:
            with np.errstate(invalid="ignore"):
                change = float(np.abs(gain - before).max() / max(float(np.abs(gain).max()), 1e-300))
            if change <= CHANGE:  # NaN where long steps overflow: shorter ones follow
                break
        before, pieces = gain, 2 * pieces
    if not change <= REFUSED:
        how = f"change by {change:.1g} of themselves" if np.isfinite(change) else "are not finite"
        raise SolveError(
            f"The Riccati equation along this motion of {along.system.title} is not solved: gains still"
            f" {how} with {PIECES} steps between two outputs. Simulate with more output times, or give"
            " weights that are nearer to each other."
        )
    return gain, cost, change


def _costs(
    along: LinearAlong, Q: Array, R: Array, final: Array, times: Array, pieces: int, runs: int
) -> Array:
    """S (N, T, 2r, 2r), by so many steps between two times."""
    known: dict[bytes, tuple[Array, Array]] = {}

    def matrices(of: int) -> Any:
        def at(moments: Array) -> tuple[Array, Array]:
            key = moments.tobytes()
            if key not in known:
                known[key] = _first_order(along(moments))
            A, B = known[key]
            return A[of], B[of]

        return at

    return np.stack([riccati_along(matrices(k), Q, R, final, times, pieces) for k in range(runs)])


def _first_order(along: LinearAlong) -> tuple[Array, Array]:
    """A (N, T, 2r, 2r) and B (N, T, 2r, p) of all motions."""
    push = np.linalg.solve(along.M, along.B)
    B = np.concatenate([np.zeros_like(push), push], axis=-2)
    return (
        along.A.reshape(-1, *along.A.shape[-3:]),
        B.reshape(-1, *B.shape[-3:]),
    )


def _weight(along: LinearAlong, given: Any, what: str) -> Array:
    """(2r, 2r): from a matrix, or by names of independent coordinates and their rates."""
    states = [*along.independent, *(q.rate for q in along.independent)]
    if isinstance(given, Mapping):
        names = {str(s): k for k, s in enumerate(states)}
        diagonal = np.zeros(len(states))
        for key, weight in given.items():
            if str(key) not in names:
                raise DeclarationError(
                    f"`{what}` along a motion weighs {quoted(states)}. Got `{key}`."
                    + did_you_mean(key, names)
                )
            diagonal[names[str(key)]] = float(number(weight, f"The weight of `{key}` in `{what}`"))
        given = np.diag(diagonal)
    return np.asarray(symmetric_weight(given, len(states), (), what, listed(states))[0])
