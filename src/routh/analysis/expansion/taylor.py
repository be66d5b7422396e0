"""Parts of the equations of motion about a rest in numbers, for systems of any size."""

from __future__ import annotations

from typing import Any

import numpy as np

from routh.analysis.pieces.kinks import refuse_kinks
from routh.analysis.rest.result import Equilibrium
from routh.arrays import Array
from routh.errors import DeclarationError, DerivationError, capital, listed
from routh.kernels.kernel import kernel
from routh.kernels.taylor_parts import TaylorParts, energy_tensor
from routh.recorded import Recorded
from routh.shown import as_html

MOST_ENTRIES = 2_000_000
"""Entries of a derivative tensor that are computed at most."""


class Taylor(Recorded):
    """Parts of the equations of motion about a rest that are homogeneous in the deviations, in numbers.

    They are derivatives of the equations along a line, of any order, so large and discretized systems
    are welcome.
    """

    def __init__(self, rest: Equilibrium, order: int) -> None:
        if not isinstance(order, int) or isinstance(order, bool) or order < 1:
            raise DeclarationError(f"`order` must be a whole number, 1 or more. Got {order!r}.")
        if rest.conditions.shape or not rest.converged:
            raise DeclarationError("An expansion in numbers is about one equilibrium that was found.")
        if rest.system.constraints:
            raise DerivationError(
                f"{capital(rest.system.title)} has constraints; expand works on systems without. Choose"
                " coordinates that meet them."
            )
        if rest.conditions.may_change_in_time(kernel(rest.system)):
            raise DerivationError(
                f"The equations of {rest.system.title} contain time; an expansion in numbers would"
                " freeze it. expand(system, about) gives the parts in symbols."
            )
        refuse_kinks(kernel(rest.system), rest.point(), order, f"no parts up to degree {order} here")
        self.system = rest.system
        self.reference = rest
        self.order = order
        self._parts = TaylorParts(rest.system, order)
        self._point = rest.point()
        self._refuse_infinite()

    def _refuse_infinite(self) -> None:
        """Refuse a rest at which a root or a quotient has no derivatives."""
        n = len(self.system.coordinates)
        line = np.random.default_rng(1788).uniform(0.3, 1.0, (3, n))
        for degree in range(1, self.order + 1):
            if not np.isfinite(self(degree, *line)).all():
                raise DerivationError(
                    f"The equations of {self.system.title} have no part of degree {degree} at the"
                    " equilibrium: a root or a quotient in them has no such derivative there. Ask for"
                    f" a lower order than {degree}, or write it smooth."
                )

    def __call__(self, degree: int, eta: Any, rate: Any, acceleration: Any) -> Array:
        """(n,): the part of one degree for deviations and their first and second rates."""
        if degree not in range(1, self.order + 1):
            known = list(range(1, self.order + 1))
            raise DeclarationError(
                f"The expansion has parts of degree {listed(known)}. Got {degree!r}."
            )
        return self._parts(degree, self._point, eta, rate, acceleration)

    def tensor(self, degree: int) -> Any:
        """The derivatives of L of one degree by (q, v), sparse: (2n, (2n)^(degree - 1)).

        Entry (i, j + 2n k + ...) is the derivative by the i-th, j-th, k-th ... of them.
        """
        if not isinstance(degree, int) or degree < 1:
            raise DeclarationError(f"`degree` must be a whole number, 1 or more. Got {degree!r}.")
        if degree > self.order + 1:
            what = f"no derivatives of L of degree {degree} here"
            refuse_kinks(kernel(self.system), self._point, degree - 1, what)
        found = energy_tensor(self.system, degree, self._point, MOST_ENTRIES)
        if found is None:
            raise DeclarationError(
                f"The tensor of degree {degree} has more than {MOST_ENTRIES} entries that are not"
                " zero. Ask for parts along deviations instead: expansion(degree, eta, rate, a)."
            )
        return found

    _repr_html_ = as_html
