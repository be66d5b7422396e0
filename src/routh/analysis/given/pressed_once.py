"""Whether constraints that repeat each other leave it open how hard contacts are pressed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import sympy

from routh.arrays import Array
from routh.errors import DerivationError, quoted, shortened
from routh.language.contact.reaction_symbol import Reaction
from routh.language.system import System
from routh.language.walk import unfold
from routh.numerics.solving.dependence import dependence, evened

OPEN = 1e-9
"""Share of its terms by which a normal force must change with forces that do nothing, to be open."""


def refuse_open_normals(system: System, J: Array, values: Callable[[list[sympy.Expr]], Array]) -> None:
    """Refuse friction by reactions that are not unique, since rows of J (c, n) depend on each other.

    `values` gives numbers of expressions in the place of J.

    Raises:
        DerivationError: names the contact and the constraints.
    """
    found = dependence(J)
    if not found.lacking:
        return
    nothing = found.null / evened(J)[1][:, None]
    every = [Reaction(phi) for phi in system.constraints]
    for contact in system.friction:
        if not contact.reactions:
            continue
        pressed = contact.static if contact.normal is None else contact.normal
        own = unfold(contact.on_sides(pressed, [1] * len(contact.sides)))
        slopes = np.asarray(values([own.diff(R) for R in every]))
        parts = slopes[:, None] * nothing
        if (np.abs(parts.sum(axis=0)) > OPEN * np.abs(parts).max(initial=1e-300)).any():
            among = sorted({k for group in found.groups for k in group})
            names = quoted(shortened(system.constraints[k], 60) for k in among)
            raise DerivationError(
                f"Constraints of {system.title} depend on each other, among {names}: how their forces"
                f" are shared is not determined (prestress), nor is how hard {contact} is"
                " pressed. Leave out those that repeat others, or make contacts compliant: a stiff"
                " spring in the place of a constraint."
            )
