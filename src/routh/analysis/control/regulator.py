"""What `lqr` finds about a rest: a gain, what it costs, the laws it means and the system it closes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated

import numpy as np
import sympy

from routh.analysis.control.feedback_laws import (
    closed_stability,
    closed_system,
    laws_of,
    state_expressions,
)
from routh.analysis.control.states_told import single_space, slowest_first
from routh.analysis.linear.linear_model import LinearModel
from routh.analysis.linear.state_space import StateSpace
from routh.analysis.stability.verdict import Stability
from routh.arrays import Array, Complex
from routh.errors import DeclarationError, DerivationError, listed
from routh.language.symbols import Input
from routh.language.system import System
from routh.recorded import Recorded
from routh.shown import as_html


@dataclass(frozen=True, eq=False, repr=False)
class Regulator(Recorded):
    """`u = -gain x`, which makes the integral of x^T Q x + u^T R u least, at every point of a batch.

    Attributes:
        space: the state-space model that it holds; x and u are deviations as there.
        Q: (..., states, states) weight of the states.
        R: (..., p, p) weight of the inputs.
        gain: (..., p, states).
        cost: (..., states, states) S, of which x^T S x is what it costs to come to rest from x; it
            solves A^T S + S A - S B R^-1 B^T S + Q = 0.
        residual: (...) what is left of that equation, beside the largest of its terms.
    """

    space: StateSpace
    Q: Annotated[Array, "*batch states states"]
    R: Annotated[Array, "*batch p p"]
    gain: Annotated[Array, "*batch p states"]
    cost: Annotated[Array, "*batch states states"]
    residual: Annotated[Array, "*batch"]

    @cached_property
    def eigenvalues(self) -> Annotated[Complex, "*batch states"]:
        """(..., states): those of the closed loop, A - B gain, in 1/s; the slowest decay first."""
        return slowest_first(self.space.A - self.space.B @ self.gain)

    @property
    def inputs(self) -> tuple[Input, ...]:
        """The inputs that it moves, the rows of `gain`."""
        return self.space.inputs

    def single(self, k: int) -> Regulator:
        """One point of the batch alone, by its number."""
        n, p = self.Q.shape[-1], self.R.shape[-1]
        return Regulator(
            single_space(self.space, k),
            self.Q.reshape(-1, n, n)[k],
            self.R.reshape(-1, p, p)[k],
            self.gain.reshape(-1, p, n)[k],
            self.cost.reshape(-1, n, n)[k],
            self.residual.reshape(-1)[k],
        )

    @property
    def _linear(self) -> LinearModel:
        if self.space.linear is None:
            raise DerivationError(
                "A law in coordinates and velocities needs a StateSpace that state_space(linear) made;"
                " this regulator is of matrices alone: u = -gain x."
            )
        return self.space.linear

    def _refuse_batch(self, what: str) -> None:
        if self.space.A.ndim > 2:
            raise DeclarationError(
                f"{what} is that of one point. Got a batch of shape {self.space.A.shape[:-2]}; take"
                " regulator.single(k). `gain` has all gains as one array."
            )

    @cached_property
    def laws(self) -> dict[Input, sympy.Expr]:
        """The law of each input in coordinates and velocities, for `simulate(..., inputs=...)`.

        It is u* - gain x about the equilibrium. With constraints x is known to first order from the
        coordinates, and so is the law; about a steady motion the reference moves on with time.

        Example:
            >>> import routh as rt
            >>> x, u = rt.coordinate("x"), rt.input("u")
            >>> cart = rt.System(kinetic=rt.ddt(x)**2 / 2, forces={x: u})
            >>> space = rt.state_space(rt.linearize(rt.equilibrium(cart, {})))
            >>> law = rt.lqr(space, {x: 4.0}, 1.0).laws[u]
            >>> [round(float(-law.coeff(s)), 9) for s in (x, rt.ddt(x))]
            [2.0, 2.0]
        """
        self._refuse_batch("A law")
        states = state_expressions(self._linear, self.space.velocities)
        return laws_of(self._linear, self.gain, states, self.inputs)

    @cached_property
    def closed(self) -> System:
        """The system with the laws in the place of its inputs.

        Raises:
            DerivationError: an input stands in an energy, a dissipation or a constraint; a law contains
                time; or the system is discretized or has friction.
        """
        self._refuse_batch("A closed System")
        return closed_system(self._linear.system, self.laws)

    @cached_property
    def stability(self) -> Stability:
        """The verdict on the closed system at the equilibrium, by `stability`."""
        return closed_stability(self._linear.reference, self.closed, self.inputs)

    def __repr__(self) -> str:
        return f"Regulator(gain {self.gain.shape}, inputs {listed(self.inputs)})"

    def __str__(self) -> str:
        if self.space.A.ndim > 2:
            return f"Regulator of {listed(self.inputs)}, batch of shape {self.space.A.shape[:-2]}."
        rows = np.array2string(self.gain, precision=8, suppress_small=True, prefix=" " * 7)
        slowest = self.eigenvalues[0]
        return (
            f"Regulator of {listed(self.inputs)}: u = -gain x, the slowest motion decays by"
            f" {-slowest.real:.6g} 1/s\ngain = {rows}"
        )

    _repr_html_ = as_html
