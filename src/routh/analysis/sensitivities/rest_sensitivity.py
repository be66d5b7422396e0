"""`rest.sensitivity`: how a position of rest or a steady motion moves with parameters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

import numpy as np
import sympy

from routh.analysis.given.protocols import Found
from routh.analysis.given.reading import own_expression
from routh.analysis.pieces.kinks import refuse_kinked_outputs
from routh.analysis.sensitivities.asked_knobs import asked_knobs
from routh.analysis.sensitivities.moved_rest import Moves, loosely, moves, unmoved
from routh.arrays import Array
from routh.errors import listed
from routh.kernels.kernel import kernel
from routh.language.system import System
from routh.shown import as_html


@dataclass(frozen=True, eq=False, repr=False)
class RestSensitivity:
    """Derivatives of a rest or steady motion by parameters, inputs or steady velocities.

    Attributes:
        rest: the rest.
        parameters: what the derivatives are by, the last axis of all arrays.
        q: (..., n, parameters) derivatives of the coordinates.
        multipliers: (..., c, parameters) those of the multipliers.
        v: (..., n, parameters) those of the velocities: zero but where momenta are given, or a
            velocity is turned itself.
    """

    rest: Any
    parameters: tuple[sympy.Symbol, ...]
    q: Annotated[Array, "*batch n parameters"]
    multipliers: Annotated[Array, "*batch c parameters"]
    v: Annotated[Array, "*batch n parameters"]
    _moves: Moves = field(repr=False)

    @property
    def system(self) -> System:
        """The system it is about."""
        found: System = self.rest.system
        return found

    @property
    def remark(self) -> str:
        """What the numbers alone do not say, or nothing."""
        return " ".join(filter(None, (loosely(self._moves), unmoved(self._moves))))

    def __getitem__(self, expression: sympy.Expr | str) -> Annotated[Array, "*batch parameters"]:
        """(..., parameters): the derivatives of any expression at the rest."""
        checked = own_expression(self.system, expression, "What is read of a sensitivity")
        engine, point = kernel(self.system), self.rest.point()
        broken = refuse_kinked_outputs(engine, [checked], point)
        every = [self._moves.at(k, engine) for k in range(len(self.parameters))]
        columns = [engine.turned([checked], point, turn)[0][:, 0, 0] for turn in every]
        known = self._moves.known & ~broken[:, None]
        return self.rest.conditions.folded(np.where(known, np.stack(columns, axis=1), np.nan))  # type: ignore[no-any-return]

    def __repr__(self) -> str:
        return f"RestSensitivity({self.system.title}, by {listed(self.parameters)})"

    def __str__(self) -> str:
        head = f"Derivatives of the equilibrium of {self.system.title} by {listed(self.parameters)}"
        if self.rest.conditions.shape:
            return f"{head}, in a batch of shape {self.rest.conditions.shape}. {self.remark}".strip()
        names = [*map(str, self.system.coordinates), *map(str, self.system.multipliers)]
        rows = [*self.q, *self.multipliers]
        lines = [
            f"d{name}: " + ", ".join(f"{x:.6g}" for x in row)
            for name, row in zip(names, rows, strict=True)
        ]
        return "\n".join([f"{head}.", *lines, *filter(None, [self.remark])])

    _repr_html_ = as_html


def rest_sensitivity(rest: Found, chosen: Sequence[object]) -> RestSensitivity:
    """The derivatives of a rest by what was chosen, or by all parameters."""
    given = rest.conditions
    knobs = asked_knobs(rest.system, given, chosen)
    moved = moves(rest, knobs, order=1)

    def folded(name: str) -> Array:
        each = np.stack([getattr(turn, name) for turn in moved.turns], axis=2)
        return given.folded(np.where(moved.known[:, None], each, np.nan))

    return RestSensitivity(
        rest=rest,
        parameters=tuple(each.symbol for each in knobs),
        q=folded("q"),
        multipliers=folded("multipliers"),
        v=folded("v"),
        _moves=moved,
    )
