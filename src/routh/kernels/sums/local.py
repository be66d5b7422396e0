"""The engine of one density: a small Lagrangian, evaluated at all quadrature points in one call.

Its coordinates are what the density contains (fields and slopes at a point, coordinates, end values).
Each is linear in the coordinates of the system, x = X q; for elements X is sparse.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import scipy
import sympy

from routh.arrays import Array
from routh.kernels.engine import Arguments
from routh.kernels.graphs.graph import Graph, Parts
from routh.language.fields import Field, Space
from routh.language.forces import Force
from routh.language.symbols import Coordinate, Parameter, Signal
from routh.language.system import System
from routh.language.walk import leaves, unfold
from routh.mechanics.fields.densities import Part

MANY = 150
"""Coordinates beyond which sums are made with sparse matrices."""


Rows = dict[Field, Any]
"""For each field the matrix from the coordinates of the system to its amplitudes, sparse."""


class Local:
    """The density over one space: its engine, and where its coordinates come from."""

    def __init__(
        self, system: System, space: Space, parts: tuple[Part, Part], amplitudes: Rows
    ) -> None:
        self.rule = self._rule = system.rules[space]
        densities = [part.densities.get(space, sympy.S.Zero) for part in parts]
        forces = [force for force in system.forces if force.space == space]
        written = [*densities, *(unfold(e) for f in forces for e in (*f.components, *f.at))]
        moving = [s for s in leaves(written) if isinstance(s, (Coordinate, Field))]
        bases = {s.position if isinstance(s, Field) else s.base for s in moving}
        self.variables: list[Signal] = sorted(bases, key=lambda s: (s.serial, str(s)))
        self._xi = Parameter("xi")
        words = self._words(space)
        half = space.length / 2

        def local(value: sympy.Expr) -> sympy.Expr:
            return unfold(value).xreplace(words)

        own = Parts(
            coordinates=tuple(self._names.values()),
            parameters=(*system.parameters, self._xi),
            signals=system.signals,
            lagrangian=(local(densities[0]) * half,),
            dissipation=(local(densities[1]) * half,) if densities[1] != 0 else (),
            forces=tuple(
                Force(f.components.applyfunc(lambda e: local(e) * half), f.at.applyfunc(local))
                for f in forces
            ),
        )
        self.graph = Graph(own)
        self._rows = [self._row(system, x, amplitudes) for x in self.variables]

    def _words(self, space: Space) -> dict[sympy.Basic, sympy.Basic]:
        """What replaces the symbols of a density: coordinates of its own, slopes counted in xi."""
        self._names: dict[Signal, Coordinate] = {}
        words: dict[sympy.Basic, sympy.Basic] = {}
        for x in self.variables:
            name = Coordinate(str(x))
            assert isinstance(name, Coordinate)
            self._names[x] = name
            unit = (2 / x.space.length) ** x.slope if isinstance(x, Field) else sympy.S.One
            words[x], words[x.rate] = name * unit, name.rate * unit
        words[space] = space.bounds[0] + space.length * (1 + self._xi) / 2
        return words

    def _row(self, system: System, x: Signal, amplitudes: Rows) -> Any:
        """(G, n) sparse: one variable at every point in terms of the coordinates."""
        G, n = len(self._rule.xi), len(system.coordinates)
        if not isinstance(x, Field):
            column = system.coordinates.index(x)
            ones = np.ones(G)
            return scipy.sparse.csr_array((ones, (np.arange(G), np.full(G, column))), shape=(G, n))
        shape = next(shape for shape in system.shapes if shape.field == x.base)
        if x.end is None:
            return scipy.sparse.csr_array(
                shape.basis.values(self._rule.xi, x.slope) @ amplitudes[x.base]
            )
        row = scipy.sparse.csr_array(shape.basis.values(np.array([1.0 if x.end else -1.0]), x.slope))
        return scipy.sparse.csr_array(np.ones((G, 1))) @ (row @ amplitudes[x.base])

    @cached_property
    def X(self) -> Any:
        """(G m, n) sparse: all variables, those of a point together."""
        m, G = len(self._rows), len(self._rule.xi)
        stacked = scipy.sparse.vstack(self._rows, format="csr")
        order = np.arange(G * m).reshape(m, G).T.ravel()
        return scipy.sparse.csr_array(stacked[order])

    @cached_property
    def dense(self) -> Array:
        """(G m, n): the same for few coordinates."""
        return np.asarray(self.X.toarray())

    @cached_property
    def weights(self) -> Array:
        """(G,): those of the quadrature."""
        return self._rule.weights

    def spread(self, arguments: Arguments) -> Arguments:
        """The arguments at every point of every member of a stack, (N G, ...) each."""
        t, q, v, a, p, u, _ = arguments
        N, G, m = len(q), len(self._rule.xi), len(self.variables)
        x = [self._of(y).reshape(N * G, m) for y in (q, v, a)]
        places = np.tile(self._rule.xi, N)[:, None]
        fixed = np.concatenate([np.repeat(p, G, axis=0), places], axis=1)
        times, signals = np.repeat(t, G, axis=0), np.repeat(u, G, axis=0)
        return times, *x, fixed, signals, np.zeros((N * G, 0))

    def spread_change(self, turn: Arguments) -> Arguments:
        """A change of the arguments at every point; the points themselves stay."""
        found = self.spread(turn)
        found[4][:, -1] = 0.0
        return found

    def _of(self, q: Array) -> Array:
        """(N, G m): the variables of coordinates (N, n)."""
        if not q.any():
            return np.zeros((len(q), self.X.shape[0]))
        return np.asarray(q @ self.dense.T if q.shape[1] <= MANY else (self.X @ q.T).T)

    def sizes(self, q: Array) -> Array:
        """(N G, m): the absolute sums that the variables of coordinates (N, n) are."""
        return np.asarray((abs(self.X) @ np.abs(q).T).T).reshape(-1, len(self.variables))

    def column_sizes(self, sizes: Array, count: int) -> Array:
        """(N, n): the sum over points of |X|^T sizes, sizes being (N G, m)."""
        weighted = np.abs(self._weighted(sizes, count)).reshape(count, -1)
        return np.asarray((abs(self.X).T @ weighted.T).T)

    def column(self, values: Array, count: int) -> Array:
        """(N, n, ...): the sum over points of X^T values, values being (N G, m, ...)."""
        rest = values.shape[2:]
        if not count:
            return np.zeros((0, self.X.shape[1], *rest))
        weighted = self._weighted(values, count).reshape(count, self.X.shape[0], -1)
        if self.X.shape[1] <= MANY:
            summed = self.dense.T @ weighted
        else:
            summed = np.stack([self.X.T @ each for each in weighted])
        return np.asarray(summed.reshape(count, self.X.shape[1], *rest))

    def _weighted(self, values: Array, count: int) -> Array:
        shaped = values.reshape(count, len(self.weights), *values.shape[1:])
        weights = self.weights.reshape(1, -1, *[1] * (values.ndim - 1))
        return np.asarray(shaped * weights)

    def matrix(self, blocks: Array, count: int) -> Array:
        """(N, n, n): the sum over points of X^T block X, blocks being (N G, m, m)."""
        if not count:
            return np.zeros((0, self.X.shape[1], self.X.shape[1]))
        if self.X.shape[1] > MANY:
            whole = self._weighted(blocks, count)
            return np.stack([self._sparse(each).toarray() for each in whole])
        G, m = len(self.weights), len(self.variables)
        X = self.dense.reshape(G, m, -1)
        inner = self._weighted(blocks, count) @ X
        return np.asarray(self.dense.T @ inner.reshape(count, G * m, -1))

    def sparse_matrix(self, blocks: Array) -> Any:
        """(n, n) sparse: the same for one member."""
        return self._sparse(self._weighted(blocks, 1)[0])

    def _sparse(self, blocks: Array) -> Any:
        """Pair by pair of variables, those alone that some point couples."""
        n = self.X.shape[1]
        found = scipy.sparse.csr_array((n, n))
        for i, j in np.argwhere(np.abs(blocks).any(axis=0)).tolist():
            scaled = scipy.sparse.diags_array(blocks[:, i, j]) @ self._rows[j]
            found = found + self._rows[i].T @ scaled
        return found

    def product(self, blocks: Array, V: Array) -> Array:
        """(N, n, k): the sum over points of X^T block (X V), blocks (N G, m, m), V (N, n, k)."""
        weighted = self._weighted(blocks, len(V)).reshape(len(V), len(self.weights), *blocks.shape[1:])
        bent = np.stack([self.X @ each for each in V]).reshape(*weighted.shape[:3], -1)
        forces = (weighted @ bent).reshape(len(V), self.X.shape[0], -1)
        return np.stack([self.X.T @ each for each in forces])

    def projected(self, blocks: Array, V: Array, U: Array | None = None) -> Array:
        """(k, k): the sum over points of (X U)^T block (X V) for a few vectors U, V (n, k), or V alone.

        So that what is left of large numbers in X V is squared, and not taken from larger ones yet.
        """
        return self.projected_sizes(blocks, V, V if U is None else U)[0]

    def projected_sizes(self, blocks: Array, V: Array, U: Array) -> tuple[Array, Array]:
        """The same, and the absolute sum of what is added up in it."""
        weighted = self._weighted(blocks, 1)[0]
        pairs = np.argwhere(np.abs(weighted).any(axis=0)).tolist()
        found, sizes = np.zeros((2, U.shape[1], V.shape[1]))
        for i, j in pairs:
            left, right = self._rows[i] @ U, weighted[:, i, j, None] * (self._rows[j] @ V)
            found += left.T @ right
            sizes += np.abs(left).T @ np.abs(right)
        return found, sizes
