"""What `equilibrium` finds: a position of rest or a steady motion, with what it was found for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np
import sympy

from routh.analysis.given.conditions import Conditions
from routh.analysis.given.field_values import field_values
from routh.analysis.given.reading import own_expression
from routh.analysis.given.redundancy import redundant
from routh.analysis.given.where import where
from routh.analysis.rest import diagnosis, stray
from routh.analysis.sensitivities.rest_sensitivity import RestSensitivity, rest_sensitivity
from routh.arrays import Array, Selected
from routh.errors import DeclarationError, Status, capital
from routh.kernels.engine import Engine, Point
from routh.kernels.kernel import kernel
from routh.language.fields import Field
from routh.language.symbols import Coordinate
from routh.language.system import System
from routh.numerics.solving.newton import found
from routh.shown import as_html


@dataclass(frozen=True, eq=False, repr=False)
class Equilibrium:
    """One position of rest, or steady motion, for every point of the batch.

    Attributes:
        system: the system.
        conditions: parameter values, inputs and speeds it was found for.
        q: (..., n) coordinates; in a steady motion at time zero.
        multipliers: (..., c) one for each constraint; those of least norm where some are redundant.
        residual: (...) largest violation of the equations, in their own units.
        status: a `Status` for one point, an array of them for a batch.
        free: the coordinates that enter no equation; they stay at the guess.
        tangent: (..., n + c, n + c) derivative of the equations by q and the multipliers.
        history: (steps + 1, ..., n) the iterates of q.
        engine: which engine found it: "c" or "cuda" where code was compiled for most of the points.
    """

    system: System
    conditions: Conditions
    q: Annotated[Array, "*batch n"]
    multipliers: Annotated[Array, "*batch c"]
    residual: Annotated[Array, "*batch"]
    status: Any
    free: tuple[Coordinate, ...]
    tangent: Annotated[Array, "*batch n+c n+c"]
    history: Annotated[Array, "steps *batch n"]
    engine: Engine = Engine.CASADI

    @property
    def values(self) -> dict[str, Annotated[Array, "*batch"]]:
        """Parameter values by name, of batch shape."""
        return self.conditions.values

    @property
    def v(self) -> Annotated[Array, "*batch n"]:
        """(..., n) velocities: zero at rest, constant rates in a steady motion."""
        return self.conditions.folded(self.conditions.speeds)

    @property
    def momenta(self) -> Annotated[Array, "*batch n"]:
        """(..., n) generalized momenta L_v."""
        return self.conditions.folded(kernel(self.system).derivatives(self.point())["L_v"])

    @property
    def turning(self) -> tuple[int, ...]:
        """The places of the coordinates that move on in a steady motion."""
        return self.conditions.turning

    @property
    def converged(self) -> Any:
        """Whether the equations hold: a bool, or an array of them for a batch."""
        if not self.conditions.shape:
            return self.status in (Status.CONVERGED, Status.DEGENERATE)
        return found(self.status)

    def chosen(self, index: Selected) -> Equilibrium:
        """Some points of the batch, which may repeat, as a batch of one axis."""
        stacked = self.conditions.stacked
        status = np.atleast_1d(np.asarray(self.status, dtype=object)).reshape(-1)[index]
        return replace(
            self,
            conditions=self.conditions.chosen(index),
            q=stacked(self.q)[index],
            multipliers=stacked(self.multipliers)[index],
            residual=stacked(np.asarray(self.residual))[index],
            status=status,
            tangent=stacked(self.tangent)[index],
            history=self.history.reshape(len(self.history), -1, self.q.shape[-1])[:, index],
        )

    def single(self, k: int) -> Equilibrium:
        """One point of the batch alone, by its number."""
        count = self.conditions.count
        if not isinstance(k, (int, np.integer)) or not -count <= k < count:
            raise DeclarationError(f"Expected the number of a point, below {count}. Got {k!r}.")
        one = self.chosen(np.array([k]))
        return replace(
            one,
            conditions=one.conditions.single(),
            q=one.q[0],
            multipliers=one.multipliers[0],
            residual=one.residual[0],
            status=one.status[0],
            tangent=one.tangent[0],
            history=one.history[:, 0],
        )

    def point(self, time: float = 0.0) -> Point:
        """The equilibrium at a time as a stack, for kernels."""
        given = self.conditions
        q, multipliers = given.stacked(self.q), given.stacked(self.multipliers)
        return given.point(kernel(self.system), q, multipliers, time)

    def __getitem__(self, expression: sympy.Expr | str) -> Array:
        """The value of any expression at this equilibrium."""
        checked = own_expression(self.system, expression, "What is read at an equilibrium")
        value = kernel(self.system).values([checked], self.point())[:, 0]
        return self.conditions.folded(value)

    def sensitivity(self, *parameters: object) -> RestSensitivity:
        """Derivatives of the rest by parameters, inputs or given speeds; by all parameters if none.

        By the implicit function theorem, exact to rounding. What the equations leave free stays where
        it is. Points of a batch without derivatives, as at a fold, have NaN.

        Raises:
            DeclarationError: a name is none of the system.
            DerivationError: one point without derivatives: a fold, a kink, constraints that depend on
                each other; or a parameter moves a jump along a space.
            SolveError: one point that was not found, or is degenerate.

        Example:
            >>> import routh as rt
            >>> x, (k, F) = rt.coordinate("x"), rt.parameters("k F")
            >>> spring = rt.System(kinetic=rt.ddt(x)**2 / 2, potential=k * x**2 / 2 - F * x)
            >>> found = rt.equilibrium(spring, {"k": 2.0, "F": 4.0}).sensitivity("k", "F")
            >>> found.q + 0.0
            array([[-1. ,  0.5]])
        """
        return rest_sensitivity(self, parameters)

    def field(self, field: Field | str, places: object) -> Array:
        """(..., k): a field of a discretized system, or a derivative of it, at k places."""
        return self.conditions.folded(field_values(kernel(self.system), self.point(), field, places))

    def __repr__(self) -> str:
        where = self.q.tolist() if self.q.size < 9 else f"of shape {self.q.shape}"
        return f"Equilibrium({self.system.title}, q {where})"

    def __str__(self) -> str:
        if self.conditions.shape:
            return (
                f"{np.sum(self.converged)} of {self.conditions.count} equilibria of"
                f" {self.system.title} found, in a batch of shape {self.conditions.shape}."
            )
        place = where(self.system, self.q, digits=10)
        if self.turning:
            moving = [self.system.velocities[k] for k in self.turning]
            rates = zip(moving, self.v[list(self.turning)], strict=True)
            place += ", moving on with " + ", ".join(f"{v} = {x:.10g}" for v, x in rates)
        note = ""
        if isinstance(self.tangent, np.ndarray):
            note = stray.said(kernel(self.system), self.point()) if self.converged else ""
            note += diagnosis.loose(self.system, self.tangent)
            note += redundant(self.system, kernel(self.system).constraint_jacobian(self.point())[0])
        return f"{capital(self.system.title)} at {place}. {self.status}{note}"

    _repr_html_ = as_html
