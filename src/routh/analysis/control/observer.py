"""The verb `observer`: a model of the state that follows what is measured (Kalman and Bucy 1961)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, NoReturn

import numpy as np

from routh.analysis.control.observer_loop import ObserverLoop, observer_loop
from routh.analysis.control.reach import reach, refuse_left
from routh.analysis.control.regulator import Regulator
from routh.analysis.control.riccati_gains import riccati_gains
from routh.analysis.control.states_told import (
    checked_space,
    single_space,
    slowest_first,
    stacks,
)
from routh.analysis.control.weights import signal_weight, state_weight
from routh.analysis.linear.state_space import StateSpace
from routh.arrays import Array, Complex
from routh.errors import DeclarationError, SolveError, a_kind, listed
from routh.recorded import Recorded
from routh.shown import as_html


@dataclass(frozen=True, eq=False, repr=False)
class Observer(Recorded):
    """`z' = A z + B u + gain (y - C z - D u)`: z follows the state x from outputs y and inputs u.

    Attributes:
        space: the state-space model; its outputs are what is measured.
        W: (..., states, states) intensity of noise on x'.
        V: (..., outputs, outputs) intensity of noise on y.
        gain: (..., states, outputs).
        covariance: (..., states, states) P of the error x - z where it has settled; it solves
            A P + P A^T - P C^T V^-1 C P + W = 0.
        residual: (...) what is left of that equation, beside the largest of its terms.
    """

    space: StateSpace
    W: Annotated[Array, "*batch states states"]
    V: Annotated[Array, "*batch outputs outputs"]
    gain: Annotated[Array, "*batch states outputs"]
    covariance: Annotated[Array, "*batch states states"]
    residual: Annotated[Array, "*batch"]

    @cached_property
    def eigenvalues(self) -> Annotated[Complex, "*batch states"]:
        """(..., states): those of the error, A - gain C, in 1/s; the slowest decay first."""
        return slowest_first(self.space.A - self.gain @ self.space.C)

    def with_regulator(self, regulator: Regulator) -> tuple[Array, Array, Array]:
        """F, G, H of the controller `z' = F z + G y`, `u = H z`, by outputs alone.

        F = A - B K - L (C - D K), G = L and H = -K, with the gains K of the regulator and L of the
        observer. The loop has the eigenvalues of both.
        """
        self._refuse_other(regulator, "with_regulator")
        A, B, C, D = self.space
        K, L = regulator.gain, self.gain
        return A - B @ K - L @ (C - D @ K), L, -K

    def loop(self, regulator: Regulator | None = None) -> ObserverLoop:
        """The system with this observer running along, in motions of any size.

        Arguments:
            regulator: feeds back the estimate, by `loop.laws` or in the System `loop.closed`; without
                one the inputs are left, and the observer is told them.

        Raises:
            DerivationError: the model is of matrices alone or about a steady motion; the system is
                discretized or has friction; or an acceleration is measured.

        Example:
            >>> import routh as rt
            >>> theta, u = rt.coordinate("theta"), rt.input("u")
            >>> pendulum = rt.System(
            ...     kinetic=rt.ddt(theta)**2 / 2, potential=9 * rt.cos(theta), forces={theta: u}
            ... )
            >>> space = rt.state_space(rt.linearize(rt.equilibrium(pendulum, {})), [theta])
            >>> watch = rt.observer(space, {rt.ddt(theta): 25.0}, 0.01)
            >>> loop = watch.loop(rt.lqr(space, {theta: 19.0}, 1.0))
            >>> motion = rt.simulate(loop.closed, {}, {theta: 0.3}, [0, 5])
            >>> bool(abs(motion[theta][-1]) < 1e-3)
            True
            >>> bool(abs(motion[loop.estimates[theta]] - motion[theta])[-1] < 1e-3)
            True
        """
        if regulator is not None:
            self._refuse_other(regulator, "loop")
        return observer_loop(self.space, self.gain, regulator)

    def single(self, k: int) -> Observer:
        """One point of the batch alone, by its number."""
        n, y = self.W.shape[-1], self.V.shape[-1]
        return Observer(
            single_space(self.space, k),
            self.W.reshape(-1, n, n)[k],
            self.V.reshape(-1, y, y)[k],
            self.gain.reshape(-1, n, y)[k],
            self.covariance.reshape(-1, n, n)[k],
            self.residual.reshape(-1)[k],
        )

    def _refuse_other(self, regulator: object, verb: str) -> None:
        if not isinstance(regulator, Regulator):
            raise DeclarationError(
                f"{verb} needs what lqr(space, ...) returned. Got {a_kind(regulator)}."
            )
        alike = regulator.inputs == self.space.inputs and all(
            one.shape == other.shape and np.array_equal(one, other, equal_nan=True)
            for one, other in ((regulator.space.A, self.space.A), (regulator.space.B, self.space.B))
        )
        if not alike:
            raise DeclarationError(
                "The regulator and the observer must be of one model, with the same states, inputs and"
                " matrices A and B. Make both of state_space(linear) of one linear model."
            )

    def __repr__(self) -> str:
        return f"Observer(gain {self.gain.shape}, outputs {listed(self.space.outputs)})"

    def __str__(self) -> str:
        if self.space.A.ndim > 2:
            return (
                f"Observer by {listed(self.space.outputs)}, batch of shape {self.space.A.shape[:-2]}."
            )
        rows = np.array2string(self.gain, precision=8, suppress_small=True, prefix=" " * 7)
        return (
            f"Observer by {listed(self.space.outputs)}: its error decays by"
            f" {-self.eigenvalues[0].real:.6g} 1/s or faster\ngain = {rows}"
        )

    _repr_html_ = as_html


def observer(space: StateSpace, W: Any, V: Any) -> Observer:
    """The observer whose error is least for noise of given intensities: a stationary Kalman filter.

    Arguments:
        space: a state-space model; its outputs are what is measured.
        W: (states, states) intensity of noise on the rates of the states, not negative; or
            `{expression: weight}`, as in `lqr`.
        V: (outputs, outputs) intensity of noise on what is measured, positive; a number for one
            output; or `{output: intensity}`.

    Raises:
        DerivationError: a motion that does not decay is not seen in any output; it is named.
        DeclarationError: intensities of another shape, not symmetric or negative.

    Example:
        >>> import routh as rt
        >>> x = rt.coordinate("x")
        >>> body = rt.System(kinetic=rt.ddt(x)**2 / 2)
        >>> space = rt.state_space(rt.linearize(rt.equilibrium(body, {})), [x])
        >>> rt.observer(space, [[0, 0], [0, 4]], 1.0).gain.round(9)
        array([[2.],
               [2.]])
    """
    checked_space(space, "observer")
    batch = space.A.shape[:-2]
    W_x = state_weight(space, W, "W")
    V_y = signal_weight(space.outputs, batch, V, "V", "output")
    refuse_left(reach(space, "outputs"))
    A, _, C, _ = stacks(space)
    n, y = A.shape[-1], C.shape[-2]
    P, left, dual = riccati_gains(
        A.swapaxes(1, 2), C.swapaxes(1, 2), W_x, V_y, lambda _, left: _refuse_unsolved(left)
    )
    return Observer(
        space,
        W_x.reshape(*batch, n, n),
        V_y.reshape(*batch, y, y),
        dual.swapaxes(1, 2).reshape(*batch, n, y),
        P.reshape(*batch, n, n),
        left.reshape(batch),
    )


def _refuse_unsolved(left: float) -> NoReturn:
    raise SolveError(
        f"The Riccati equation of the observer has no solution that is known to rounding (residual"
        f" {left:.2g} of its terms). Motions that neither grow nor decay need noise in `W`; intensities"
        " many powers of ten apart do this too."
    )
