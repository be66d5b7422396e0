"""Fields in CasADi: their values at ends and at quadrature points, and integrals of densities.

A density is lowered once, as a function of what varies along the space, and mapped over the points.
What does not vary along the space is lowered once for all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Protocol

import casadi
import numpy as np
import scipy
import sympy

from routh.errors import DeclarationError
from routh.kernels.graphs.lower import SX, lower
from routh.language.calculus import ddt
from routh.language.derivation import domain, integrand, running
from routh.language.fields import Field, Space
from routh.language.forces import Force
from routh.language.shapes import Rule, Shape
from routh.mechanics.ritz.quadrature import running_matrix


class Fielded(Protocol):
    """A system, or a part of one, whose fields have shapes."""

    @property
    def shapes(self) -> tuple[Shape, ...]:
        """How each field is made of coordinates."""

    @property
    def spaces(self) -> tuple[Space, ...]:
        """The spaces."""

    @property
    def rules(self) -> Mapping[Space, Rule]:
        """Where densities are evaluated."""


Lowered = Callable[[Sequence[sympy.Expr]], list[SX]]


class Fields:
    """The fields of a discretized system in terms of the CasADi symbols of its coordinates.

    `lowered` turns expressions without integrals into CasADi.
    """

    def __init__(self, system: Fielded, lowered: Lowered) -> None:
        self._system = system
        self._lowered = lowered
        self._shapes: dict[Field, Shape] = {shape.field: shape for shape in system.shapes}
        self._amplitudes: dict[tuple[Field, int], SX] = {}
        self._lengths = dict(
            zip(system.spaces, lowered([space.length for space in system.spaces]), strict=True)
        )
        self._starts = dict(
            zip(system.spaces, lowered([space.bounds[0] for space in system.spaces]), strict=True)
        )
        self._jets: dict[Field, SX] = {}

    def end_value(self, x: Field) -> SX:
        """The value, slope and so on of a field at an end, or its derivative in time."""
        shape = self._shapes[x.base]
        row = scipy.sparse.csr_array(shape.basis.values(np.array([1.0 if x.end else -1.0]), x.slope))
        written = [ddt(shape.amplitudes[k], x.order) for k in row.indices]
        scale = (2 / self._lengths[x.space]) ** x.slope
        terms = zip(row.data.tolist(), self._lowered(written), strict=True)
        return sum((c * a for c, a in terms), casadi.SX(0)) * scale

    def _amplitudes_of(self, field: Field, order: int) -> SX:
        """(m, 1): the amplitudes of a field or their rates."""
        if (field, order) not in self._amplitudes:
            written = [ddt(a, order) for a in self._shapes[field].amplitudes]
            self._amplitudes[field, order] = casadi.vertcat(*self._lowered(written))
        return self._amplitudes[field, order]

    def integral(self, node: sympy.Integral) -> SX:
        """The integral of a density over a space."""
        space = domain(node)[0]
        if running(node):
            raise DeclarationError(f"A running integral varies along `{space}`: take it at an end.")
        rule = self._system.rules[space]
        return self.along(integrand(node), space) @ rule.weights * self._lengths[space] / 2

    def distributed(self, force: Force, space: Space) -> tuple[SX, SX]:
        """The points of a distributed force, and the forces there times what they stand for."""
        weights = casadi.DM(self._system.rules[space].weights).T * self._lengths[space] / 2
        at = [self.along(r, space) for r in force.at]
        components = [self.along(f, space) * weights for f in force.components]
        return casadi.vec(casadi.vertcat(*at)), casadi.vec(casadi.vertcat(*components))

    def along(self, density: sympy.Expr, space: Space) -> SX:
        """(1, G): the values of a density at the points of its space."""
        rule = self._system.rules[space]
        varying, fixed = _leaves(density, space)
        inside = [casadi.SX.sym(f"x{k}") for k in range(len(varying))]
        outside = [casadi.SX.sym(f"y{k}") for k in range(len(fixed))]
        table = dict(zip([*varying, *fixed], [*inside, *outside], strict=True))
        (value,) = lower([density], table)
        local = casadi.Function("density", [casadi.vertcat(*inside), casadi.vertcat(*outside)], [value])
        G = len(rule.xi)
        rows = [self._at_points(x, rule, space) for x in varying]
        columns = casadi.repmat(casadi.vertcat(*self._lowered(fixed)), 1, G) if fixed else None
        return local.map(G)(
            casadi.vertcat(*rows) if rows else casadi.SX(0, G),
            casadi.SX(0, G) if columns is None else columns,
        )

    def _at_points(self, leaf: sympy.Basic, rule: Rule, space: Space) -> SX:
        """(1, G): a field, the place itself, or a running integral."""
        if leaf not in self._jets:
            self._jets[leaf] = self._jet(leaf, rule, space)
        return self._jets[leaf]

    def _jet(self, leaf: sympy.Basic, rule: Rule, space: Space) -> SX:
        length = self._lengths[space]
        if isinstance(leaf, Field):
            matrix = _matrix(self._shapes[leaf.base].basis.values(rule.xi, leaf.slope))
            amplitudes = self._amplitudes_of(leaf.base, leaf.order)
            return (matrix @ amplitudes * (2 / length) ** leaf.slope).T
        if isinstance(leaf, sympy.Integral):
            inner = self.along(integrand(leaf), space)
            return inner @ _running(rule).T * length / 2
        return (self._starts[space] + length * (1 + casadi.DM(rule.xi)) / 2).T


def _matrix(values: Any) -> Any:
    """A dense or sparse array as a CasADi matrix without zeros."""
    if isinstance(values, np.ndarray):
        return casadi.sparsify(casadi.DM(values))
    return casadi.DM(scipy.sparse.csc_matrix(values))  # arrays are not read by every CasADi


@lru_cache(maxsize=8)
def _running(rule: Rule) -> Any:
    return casadi.DM(running_matrix(rule))


def _leaves(density: sympy.Expr, space: Space) -> tuple[list[sympy.Basic], list[sympy.Basic]]:
    """What of a density varies along the space, and the largest parts that do not."""
    varies: dict[sympy.Basic, bool] = {}

    def look(node: sympy.Basic) -> bool:
        if node not in varies:
            own = node == space or (isinstance(node, sympy.Integral) and running(node) == space)
            own = own or (isinstance(node, Field) and node.space == space and node.end is None)
            inner = [] if isinstance(node, sympy.Integral) else [look(a) for a in node.args]
            varies[node] = own or any(inner)
        return varies[node]

    look(density)
    inside: dict[sympy.Basic, None] = {}
    outside: dict[sympy.Basic, None] = {}
    stack = [density]
    while stack:
        node = stack.pop()
        if not varies[node]:
            if not node.is_number:
                outside[node] = None
        elif not node.args or isinstance(node, sympy.Integral):
            inside[node] = None
        else:
            stack.extend(node.args)
    return list(inside), list(outside)
