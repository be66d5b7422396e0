"""Functions given as expressions in the space, such as known modes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import sympy

from routh.arrays import Array
from routh.errors import DeclarationError, quoted, shortened
from routh.language.calculus import expression
from routh.language.fields import MOST_SLOPES, Field, Space
from routh.language.shapes import Basis, Shape
from routh.language.symbols import Coordinate
from routh.language.walk import leaves, unfold
from routh.mechanics.fields.end_conditions import EndConditions
from routh.mechanics.ritz.bases.basis_size import Size


@dataclass(frozen=True)
class GivenFunctions(Size):
    """The functions themselves, as a list; others than these are not known."""

    functions: Sequence[object]

    def basis(self, w: Field, _order: int, conditions: EndConditions) -> Basis:
        """They must be independent, and satisfy the conditions at the ends."""
        made = Given(_checked(w, self.functions), w.space)
        _refuse_dependent(w, made, conditions)
        return made

    def finer(self, shape: Shape, _breaks: tuple[float, ...]) -> Size:
        """More are not known."""
        raise DeclarationError(
            f"`{shape.field}` is made of given functions, and more of them are not known. Discretize it"
            " with a number of polynomials or Elements(n) for modes to a given accuracy."
        )

    def coarser(self) -> Size:
        """Which of them are dispensable is not known either."""
        raise DeclarationError("A field is made of given functions, and fewer of them are not known.")

    @property
    def described(self) -> str:
        """How many there are."""
        return f"{len(self.functions)} functions"

    def __str__(self) -> str:
        return str(self.functions)


def _checked(w: Field, given: Sequence[object]) -> list[sympy.Expr]:
    if not given:
        raise DeclarationError(f"The list of functions for `{w}` is empty. Expected one at least.")
    found = [unfold(expression(f, f"A function for `{w}`")) for f in given]
    for f in found:
        other = [s for s in leaves([f]) if isinstance(s, (Coordinate, Field))]
        if other:
            raise DeclarationError(
                f"The function `{shortened(f)}` for `{w}` contains {quoted(other)}. Expected an"
                f" expression in `{w.space}`."
            )
    return found


def _refuse_dependent(w: Field, basis: Given, conditions: EndConditions) -> None:
    """No functions that are sums of others, and none of which the conditions leave nothing."""
    xi = np.cos(np.linspace(0.1, np.pi - 0.1, 4 * basis.size + 8))
    rows = basis.values(xi, 0)
    if np.linalg.matrix_rank(rows / np.maximum(np.abs(rows).max(axis=0), 1e-300)) < basis.size:
        raise DeclarationError(
            f"The functions given for `{w}` are not independent: one of them is a sum of the others."
            " Leave it out."
        )
    held = [end for end, value in conditions.solved.items() if end.base == w and value == 0]
    ends = [basis.values(np.array([1.0 if end.end else -1.0]), end.slope)[0] for end in held]
    if ends and np.linalg.matrix_rank(np.array(ends), tol=1e-10 * np.abs(rows).max()) == basis.size:
        raise DeclarationError(
            f"No sum of the functions given for `{w}` satisfies {quoted(held)} = 0. Give functions that"
            " do."
        )


class Given(Basis):
    """Functions given as expressions in the space."""

    def __init__(self, functions: Sequence[sympy.Expr], space: Space) -> None:
        self.size = len(functions)
        self.cells = (-1.0, 1.0)
        self.degree = None
        self._xi = sympy.Dummy("xi", real=True)
        place = space.bounds[0] + space.length * (1 + self._xi) / 2
        self._functions = [sympy.simplify(f.xreplace({space: place})) for f in functions]
        for given, function in zip(functions, self._functions, strict=True):
            alien = sorted(function.free_symbols - {self._xi}, key=str)
            alien.sort(key=lambda x: x in space.length.free_symbols)
            if alien:
                raise DeclarationError(
                    f"The shape `{given}` depends on `{alien[0]}`. Expected a function of the"
                    f" share of the space alone, like sin(pi*{space}/{space.length}); parameters other"
                    " than the bounds belong into the energies."
                )

    @property
    def steep(self) -> Sequence[tuple[sympy.Expr, sympy.Symbol]]:
        """The functions and their slopes that are no polynomials."""
        return [(f, self._xi) for f in self._steep]

    @cached_property
    def _steep(self) -> list[sympy.Expr]:
        slopes = [f.diff(self._xi, k) for f in self._functions for k in range(MOST_SLOPES + 1)]
        return list(dict.fromkeys(f for f in slopes if not f.is_polynomial(self._xi)))

    def values(self, xi: Array, slope: int) -> Array:
        """(len(xi), size): their derivatives."""
        derived = [f.diff(self._xi, slope) for f in self._functions]
        found = [[float(f.evalf(17, subs={self._xi: x})) for f in derived] for x in np.asarray(xi)]
        return np.array(found).reshape(len(found), self.size)
