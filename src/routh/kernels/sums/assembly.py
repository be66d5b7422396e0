"""Discretized systems as sums over quadrature points: M, C, K and the residual as sum of X^T m X.

A density is a Lagrangian: what it contains (fields and slopes at a point, coordinates, end values)
are its coordinates, so it has an engine of its own, by the same code as any system. All are linear in
the coordinates of the whole, x = X q, with X a constant matrix since functions live on a fixed
interval. Bounds are parameters like any other, and may be swept. Running integrals, functions of
integrals and ends that time carries along go through one graph for the whole instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import scipy
import sympy

from routh.arrays import Array
from routh.kernels.engine import Arguments
from routh.kernels.graphs.balance import Balance
from routh.kernels.graphs.batch import Batched
from routh.kernels.graphs.graph import Graph, Parts
from routh.kernels.graphs.second_variation import second_variation
from routh.kernels.sums.local import Local, Rows
from routh.language.system import System
from routh.language.walk import leaves, unfold
from routh.mechanics.fields.densities import Part, sorted_part


def assembly(system: System) -> Assembly | None:
    """The sums of a discretized system; None where it is no plain sum of densities.

    That is so for running integrals, functions of integrals, and fields that time carries along.
    """
    L = sorted_part(sympy.Add(*system.lagrangian_terms))
    D = sorted_part(sympy.Add(*system.dissipation))
    if L.factors or D.factors or not _plain(system, L, D):
        return None
    rows = _amplitude_rows(system)
    return None if rows is None else Assembly(system, L, D, rows)


def _plain(system: System, *parts: Part) -> bool:
    densities = [density for part in parts for density in part.densities.values()]
    acting = [e for force in system.forces for e in (*force.components, *force.at)]
    return not any(e.has(sympy.Integral) for e in (*densities, *map(unfold, acting))) and not any(
        unfold(phi).has(sympy.Integral) for phi in system.constraints
    )


def _amplitude_rows(system: System) -> Rows | None:
    """The matrices, if amplitudes are linear in the coordinates with numbers for factors."""
    place = {q: k for k, q in enumerate(system.coordinates)}
    found: Rows = {}
    for shape in system.shapes:
        rows, columns, factors = [], [], []
        for row, amplitude in enumerate(shape.amplitudes):
            if amplitude in place:
                terms: Sequence[tuple[Any, Any]] = ((amplitude, 1),)
            else:
                own = [s for s in leaves([amplitude]) if s in place]
                terms = [(q, amplitude.diff(q)) for q in own]
                rest = sympy.expand(amplitude - sympy.Add(*(q * c for q, c in terms)))
                if rest != 0 or not all(c.is_number for _, c in terms):
                    return None
            for q, c in terms:
                rows.append(row)
                columns.append(place[q])
                factors.append(float(c))
        size = (len(shape.amplitudes), len(system.coordinates))
        found[shape.field] = scipy.sparse.csr_array((factors, (rows, columns)), shape=size)
    return found


class Assembly:
    """A discretized system as what stands outside integrals, and a local engine for each space."""

    def __init__(self, system: System, L: Part, D: Part, amplitudes: Rows) -> None:
        self.system = system
        outside = Parts(
            coordinates=system.coordinates,
            parameters=system.parameters,
            signals=system.signals,
            lagrangian=(L.discrete,) if L.discrete != 0 else (),
            dissipation=(D.discrete,) if D.discrete != 0 else (),
            forces=tuple(force for force in system.forces if force.space is None),
            constraints=system.constraints,
            is_holonomic=system.is_holonomic,
            multipliers=system.multipliers,
            shapes=system.shapes,
            spaces=system.spaces,
            rules=dict(system.rules),
        )
        self.outside = Graph(outside)
        loaded = {force.space for force in system.forces if force.space is not None}
        spaces = sorted({*L.densities, *D.densities, *loaded}, key=lambda s: s.serial)
        self.locals = [Local(system, space, (L, D), amplitudes) for space in spaces]

    @cached_property
    def graphs(self) -> list[Graph]:
        """All engines."""
        return [self.outside, *(local.graph for local in self.locals)]


class AssembledBalance:
    """E and phi along a reference and their slopes, as sums; the same as `Balance` in numbers."""

    def __init__(self, assembled: Assembly, at_rest: bool) -> None:
        self._assembly = assembled
        self._outside = Balance(assembled.outside, at_rest)
        self._locals = [(local, Balance(local.graph, at_rest)) for local in assembled.locals]
        self._n = len(assembled.system.coordinates)

    def residual(self, arguments: Arguments) -> Array:
        """(N, n + c): E and phi."""
        found = self._outside.residual(arguments)
        for local, balance in self._locals:
            rows = balance.residual(local.spread(arguments))
            found[:, : self._n] += local.column(rows, len(found))
        return found

    def sizes(self, arguments: Arguments) -> Array:
        """(N, n + c): the absolute sums of what is added up in E and phi; eps times it is rounding."""
        found = self._outside.sizes(arguments)
        for local, balance in self._locals:
            rows = balance.sizes(local.spread(arguments), local.sizes(arguments[1]))
            found[:, : self._n] += local.column_sizes(rows, len(found))
        return found

    def poles(self, arguments: Arguments) -> Array:
        """(N, number): what vanishes where energies or forces are infinite, at every point."""
        count = len(arguments[0])
        found = [self._outside.poles(arguments)]
        for local, balance in self._locals:
            found.append(balance.poles(local.spread(arguments)).reshape(count, -1))
        return np.concatenate(found, axis=1)

    def lagrangian(self, arguments: Arguments) -> Array:
        """(N,): L, with the multipliers of holonomic constraints."""
        found = self._outside.lagrangian(arguments)
        for local, balance in self._locals:
            density = balance.lagrangian(local.spread(arguments)).reshape(
                len(found), len(local.weights)
            )
            found = found + density @ local.weights
        return found

    def slopes(self, arguments: Arguments) -> dict[str, Array]:
        """(N, n + c, size): the derivatives by the parameters p, the signals u and velocities v."""
        found = self._outside.slopes(arguments)
        count = len(arguments[0])
        for local, balance in self._locals:
            inner = balance.slopes(local.spread(arguments))
            found["p"][:, : self._n] += local.column(inner["p"][..., :-1], count)
            found["u"][:, : self._n] += local.column(inner["u"], count)
            found["v"][:, : self._n] += local.matrix(inner["v"], count)
        return found

    @property
    def variation(self) -> AssembledBalance:
        """The way to M, C and K: this."""
        return self

    def matrices(self, arguments: Arguments) -> tuple[Array, Array, Array]:
        """M, C and K, each of shape (N, n, n)."""
        M, C, K = self._outside.variation.matrices(arguments)
        for local, balance in self._locals:
            inner = balance.variation.matrices(local.spread(arguments))
            M, C, K = (X + local.matrix(x, len(X)) for X, x in zip((M, C, K), inner, strict=True))
        return M, C, K

    def stiffness(self, arguments: Arguments) -> Array:
        """K alone."""
        K = self._outside.variation.stiffness(arguments)
        for local, balance in self._locals:
            inner = balance.variation.stiffness(local.spread(arguments))
            K = K + local.matrix(inner, len(K))
        return K

    def products(self, arguments: Arguments, V: Array) -> tuple[Array, Array, Array]:
        """M V, C V and K V, each (N, n, m), with the digits that entries lose."""
        M, C, K = self._outside.products(arguments, V)
        for local, balance in self._locals:
            inner = balance.variation.matrices(local.spread(arguments))
            M, C, K = (X + local.product(x, V) for X, x in zip((M, C, K), inner, strict=True))
        return M, C, K

    def rounding(self, arguments: Arguments, errors: Arguments, V: Array) -> tuple[Array, Array, Array]:
        """Bounds of the rounding in these products, of what stands outside integrals.

        Strains at points are squared, so that their rounding is of second order.
        """
        return self._outside.rounding(arguments, errors, V)

    def local_matrices(self, arguments: Arguments) -> Iterator[tuple[Local, Array, Array]]:
        """(N, G, m, m) for each space: the masses and the stiffness of its density at the points."""
        for local, balance in self._locals:
            M, _, K = balance.variation.matrices(local.spread(arguments))
            M, K = (X.reshape(len(arguments[0]), -1, *X.shape[1:]) for X in (M, K))
            yield local, M, K

    def stiffness_along(self, arguments: Arguments, U: Array, V: Array) -> tuple[Array, Array]:
        """U^T K V for a few vectors (n, k), and the absolute sum of what is added up in it.

        At one point of a stack, with more digits than K has: stiff parts that U and V leave at rest
        have no share in it.
        """
        outside = self._outside.variation.stiffness(arguments)[0]
        found, sizes = U.T @ outside @ V, np.abs(U).T @ np.abs(outside) @ np.abs(V)
        for local, balance in self._locals:
            inner = balance.variation.stiffness(local.spread(arguments))
            own, added = local.projected_sizes(inner, V, U)
            found, sizes = found + own, sizes + added
        return found, sizes

    def turned(self, arguments: Arguments, turn: Arguments, V: Array | None = None) -> dict[str, Array]:
        """How the blocks M, D + G, K + H, B, J, W, push and phi_u change along `turn`.

        M, D + G and K + H are taken along directions V (N, n, m) where they are given.
        """
        found = self._outside.turned(arguments, turn, V)
        for local, balance in self._locals:
            inner = balance.turned(local.spread(arguments), local.spread_change(turn))
            for name in ("M", "D + G", "K + H"):
                own = inner[name]
                added = local.matrix(own, len(found[name])) if V is None else local.product(own, V)
                found[name] = found[name] + added
            if found["B"].shape[2]:
                found["B"] = found["B"] + local.column(inner["B"], len(found["B"]))
        return found

    def input_columns(self, arguments: Arguments) -> Array:
        """(N, n, number of signals): B."""
        B = self._outside.input_columns(arguments)
        if B.shape[2]:
            for local, balance in self._locals:
                B = B + local.column(balance.input_columns(local.spread(arguments)), len(B))
        return B

    @cached_property
    def acting(self) -> tuple[int, ...]:
        """The signals that can act."""
        every = [self._outside, *(balance for _, balance in self._locals)]
        return tuple(sorted({k for balance in every for k in balance.acting}))

    @property
    def moving_constraints(self) -> tuple[int, ...]:
        """The signals that the constraints contain."""
        return self._outside.moving_constraints

    @cached_property
    def idle(self) -> tuple[bool, ...]:
        """Which coordinates enter none of the equations."""
        used = ~np.array(self._outside.idle)
        for local, balance in self._locals:
            rows = np.tile(~np.array(balance.idle), len(local.weights))
            used |= np.abs(local.X[np.flatnonzero(rows)]).sum(axis=0) > 0
        return tuple(bool(x) for x in ~used)

    def varies_with_position(self, row: int) -> bool:
        """Whether one of the equations contains any coordinate or multiplier."""
        if self._outside.varies_with_position(row):
            return True
        if row >= self._n:
            return False
        for local, balance in self._locals:
            column = local.X[:, [row]].toarray().reshape(len(local.weights), -1)
            own = np.flatnonzero(np.abs(column).max(axis=0))
            if any(balance.varies_with_position(int(k)) for k in own):
                return True
        return False


class SparseVariation:
    """M, C and K of one point at rest as sparse matrices."""

    def __init__(self, assembled: Assembly) -> None:
        graph = assembled.outside
        self._outside = Batched(graph.function("matrices", second_variation(graph, at_rest=True)))
        self._locals = [
            (local, Balance(local.graph, at_rest=True).variation) for local in assembled.locals
        ]

    def matrices(self, arguments: Arguments) -> tuple[Any, Any, Any]:
        """M, C and K."""
        found = self._outside.sparse(*arguments)
        for local, variation in self._locals:
            inner = variation.matrices(local.spread(arguments))
            found = [X + local.sparse_matrix(x) for X, x in zip(found, inner, strict=True)]
        M, C, K = found
        return M, C, K

    def stiffness(self, arguments: Arguments) -> Any:
        """K alone."""
        K = self._outside.sparse(*arguments)[2]
        for local, variation in self._locals:
            K = K + local.sparse_matrix(variation.stiffness(local.spread(arguments)))
        return K

    def projected(self, arguments: Arguments, V: Array) -> list[Array]:
        """V^T M V, V^T C V and V^T K V, with more digits than the matrices have."""
        found = [V.T @ (X @ V) for X in self._outside.sparse(*arguments)]
        for local, variation in self._locals:
            inner = variation.matrices(local.spread(arguments))
            found = [X + local.projected(x, V) for X, x in zip(found, inner, strict=True)]
        return found

    def stiffness_along(self, arguments: Arguments, V: Array) -> tuple[Array, Array]:
        """V^T K V, with more digits than K has, and the absolute sum of what is added up in it."""
        outside = self._outside.sparse(*arguments)[2]
        found, sizes = V.T @ (outside @ V), np.abs(V).T @ (abs(outside) @ np.abs(V))
        for local, variation in self._locals:
            inner = variation.stiffness(local.spread(arguments))
            own, added = local.projected_sizes(inner, V, V)
            found, sizes = found + own, sizes + added
        return found, sizes
