"""Models that `reduce` returns: in fewer displacements, or in balanced states."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated, Any

import numpy as np
import sympy
from scipy.linalg import eigh

from routh.analysis.linear.linear_model import LinearModel
from routh.analysis.linear.state_space import StateSpace, state_space
from routh.arrays import Array
from routh.errors import DerivationError, listed
from routh.language.calculus import ddt
from routh.language.declaring import coordinates
from routh.language.symbols import Input
from routh.language.system import System
from routh.recorded import Recorded
from routh.shown import as_html


@dataclass(frozen=True, eq=False, repr=False)
class ReducedModel(Recorded):
    """`M xi'' + (D + G) xi' + (K + H) xi = B u` with `eta = basis xi`, fewer displacements than eta.

    Attributes:
        linear: the linear model that was reduced.
        basis: (r, k) displacements that are kept.
        M, D, G, K, H: (k, k) matrices along them; B: (k, p).
        interface: expressions that are xi themselves, the first of them, by Craig and Bampton; none by
            modes alone.
    """

    linear: LinearModel
    basis: Annotated[Array, "r k"]
    M: Annotated[Array, "k k"]
    D: Annotated[Array, "k k"]
    G: Annotated[Array, "k k"]
    K: Annotated[Array, "k k"]
    H: Annotated[Array, "k k"]
    B: Annotated[Array, "k p"]
    interface: tuple[sympy.Expr, ...] = ()

    @property
    def inputs(self) -> tuple[Input, ...]:
        """The inputs, the columns of B."""
        return self.linear.inputs

    @cached_property
    def frequencies(self) -> Annotated[Array, "k"]:
        """(k,) rad/s: roots of the eigenvalues of K beside M, without damping and gyroscopic forces.

        By Rayleigh's principle none is below that of the whole model. NaN where K is negative.
        """
        values = np.asarray(eigh(self.K, self.M, eigvals_only=True))
        return np.sqrt(np.where(values >= 0, values, np.nan))

    def state_space(self, outputs: Any = None) -> StateSpace:
        """The state-space model in (xi, xi'), with the outputs of the whole model."""
        small = replace(
            self.linear, M=self.M, D=self.D, G=self.G, K=self.K, H=self.H, B=self.B,
            Z=self.linear.Z @ self.basis, R=self.linear.R[..., : len(self.M)],
            W=self.linear.W[..., : len(self.M)],
        )  # fmt: skip
        return replace(state_space(small, outputs), linear=None)

    @cached_property
    def system(self) -> System:
        """The reduced model as a `System` of coordinates xi1, xi2 ..., linear about the rest.

        Raises:
            DerivationError: circulatory forces come from no energy; or derivatives of inputs act.
        """
        if self.H.any() or any(u.order for u in self.inputs):
            why = "circulatory forces" if self.H.any() else "derivatives of inputs"
            raise DerivationError(
                f"The reduced model has {why}, which no energies give. Work with its matrices, or with"
                " state_space()."
            )
        xi = coordinates(" ".join(f"xi{j + 1}" for j in range(len(self.M))))
        q, v = sympy.Matrix(xi), sympy.Matrix([ddt(x) for x in xi])

        def form(left: Any, matrix: Array, right: Any) -> sympy.Expr:
            return (left.T * sympy.Matrix(matrix) * right)[0]

        push = sympy.Matrix(self.B) * sympy.Matrix(self.inputs) if self.inputs else None
        return System(
            lagrangian=form(v, self.M, v) / 2 + form(v, self.G, q) / 2 - form(q, self.K, q) / 2,
            dissipation=form(v, self.D, v) / 2 if self.D.any() else None,
            forces=dict(zip(xi, push, strict=True)) if push is not None else None,
            coordinates=xi,
            name=f"{self.linear.system.name} reduced".strip(),
        )

    def __repr__(self) -> str:
        return f"ReducedModel({self.linear.system.title}, {self.basis.shape[0]} to {len(self.M)})"

    def __str__(self) -> str:
        kept = f", {listed(self.interface)} kept" if self.interface else ""
        return (
            f"Linear model of {self.linear.system.title} in {len(self.M)} of {self.basis.shape[0]}"
            f" displacements{kept}."
        )

    _repr_html_ = as_html


@dataclass(frozen=True, eq=False, repr=False)
class BalancedModel(Recorded):
    """A state-space model in the balanced states that inputs reach and outputs see most.

    Attributes:
        space: the whole model.
        reduced: the reduced one; its states are balanced ones, D is the same.
        hankel: (states,) the Hankel values of the whole model, falling.
        bound: twice the sum of those left out: the largest gain of the difference of both models over
            all frequencies is at most this, but for rounding.
    """

    space: StateSpace
    reduced: StateSpace
    hankel: Annotated[Array, "states"]
    bound: float

    def __repr__(self) -> str:
        return f"BalancedModel({len(self.hankel)} to {self.reduced.A.shape[-1]} states)"

    def __str__(self) -> str:
        return (
            f"Balanced model of {self.reduced.A.shape[-1]} of {len(self.hankel)} states; the error of"
            f" its gain is at most {self.bound:.3g} at every frequency."
        )

    _repr_html_ = as_html
