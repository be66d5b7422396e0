"""The equations about a reference that keeps its velocities: a rest, or a steady motion.

At rest everything without velocities and accelerations drops out of the graphs, which makes them
smaller; in motion they are kept. Both give the same numbers where both apply.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import casadi
import numpy as np

from routh.arrays import Array
from routh.kernels.engine import Arguments, Unsupported, Variation
from routh.kernels.graphs.batch import Batched
from routh.kernels.graphs.graph import Graph
from routh.kernels.graphs.lower import SX
from routh.kernels.graphs.poles import poles
from routh.kernels.graphs.second_variation import Products, Whole, variation
from routh.kernels.instructions.sizes import Sizes
from routh.kernels.instructions.sizes_graph import sizes_function


class Balance:
    """E = d/dt L_v - L_q + D_v - Q + J^T multipliers and phi along a reference, and their slopes."""

    def __init__(self, graph: Graph, at_rest: bool) -> None:
        self._graph = graph
        self._at_rest = at_rest

    @cached_property
    def column(self) -> SX:
        """(n + c, 1): E and phi."""
        graph = self._graph
        E = graph.along(graph.g_v, at_rest=self._at_rest) - graph.g_q + graph.N
        return casadi.densify(*self._reduced([casadi.vertcat(E, graph.phi)]))

    def _reduced(self, expressions: list[SX]) -> list[SX]:
        return self._graph.at_rest(expressions) if self._at_rest else expressions

    def residual(self, arguments: Arguments) -> Array:
        """(N, n + c): E and phi."""
        return self._residual(*arguments)[0][..., 0]

    @cached_property
    def _residual(self) -> Batched:
        return Batched(self._graph.function("balance", [self.column]))

    def sizes(self, arguments: Arguments, size: Array | None = None) -> Array:
        """(N, n + c): the absolute sums of what is added up in E and phi; eps times it is rounding.

        `size` (N, n) is that of the coordinates where they are sums themselves.
        """
        return self._sizes(arguments, None if size is None else {1: size})[0][..., 0]

    @cached_property
    def _sizes(self) -> Sizes:
        return Sizes(self._graph.function("balance", [self.column]))

    def poles(self, arguments: Arguments) -> Array:
        """(N, number): what vanishes where energies or forces are infinite."""
        if not self._poles:
            return np.zeros((len(arguments[0]), 0))
        return np.concatenate([x[..., 0] for x in self._poles[0](*arguments)], axis=1)

    @cached_property
    def _poles(self) -> list[Batched]:
        columns = [casadi.densify(column) for column in poles(self._graph)]
        return [Batched(self._graph.function("poles", columns))] if columns else []

    @cached_property
    def rest_functions(self) -> dict[str, Any] | None:
        """The functions that Newton's method takes: E, the rows of K, the sizes and the poles.

        None where K is not one function, or has parts whose rounding is not written out.
        """
        if not isinstance(self.variation, Whole):
            return None
        balance = self._graph.function("balance", [self.column])
        vanishing = casadi.densify(casadi.vertcat(*(casadi.vec(x) for x in poles(self._graph))))
        try:
            sizes = sizes_function(balance)
        except Unsupported:
            return None
        return {
            "balance": balance,
            "stiffness": self.variation.rows_of_stiffness,
            "sizes": sizes,
            "poles": self._graph.function("poles", [vanishing]),
        }

    def slopes(self, arguments: Arguments) -> dict[str, Array]:
        """(N, n + c, size): the derivatives by the parameters p, the signals u and velocities v."""
        return dict(zip("puv", self._slopes(*arguments), strict=True))

    @cached_property
    def _slopes(self) -> Batched:
        graph = self._graph
        by = [casadi.jacobian(self.column, x) for x in (graph.p, graph.u, graph.v)]
        return Batched(graph.function("slopes", by))

    def lagrangian(self, arguments: Arguments) -> Array:
        """(N,): L, with the multipliers of holonomic constraints."""
        return self._lagrangian(*arguments)[0][:, 0, 0]

    @cached_property
    def _lagrangian(self) -> Batched:
        return Batched(self._graph.function("L", [self._graph.L]))

    @cached_property
    def variation(self) -> Variation:
        """The way to M, C and K."""
        return variation(self._graph, self._at_rest)

    def products(self, arguments: Arguments, V: Array) -> tuple[Array, Array, Array]:
        """M V, C V and K V, each (N, n, m), with the digits that entries lose."""
        return self._products(arguments, V)

    def rounding(self, arguments: Arguments, errors: Arguments, V: Array) -> tuple[Array, Array, Array]:
        """Bounds of the rounding in these products, given the errors of the arguments."""
        return self._products.rounding(arguments, errors, V)

    @cached_property
    def _products(self) -> Products:
        return Products(self._graph, self._at_rest)

    def turned(self, arguments: Arguments, turn: Arguments, V: Array | None = None) -> dict[str, Array]:
        """How the blocks M, D + G, K + H, B, J, W, push and phi_u change along `turn`.

        `push` is J^T without the slopes of the forces by the multipliers, (N, n, c). M, D + G and K + H
        are taken along directions V (N, n, m) where they are given.
        """
        n = arguments[1].shape[1]
        V = np.broadcast_to(np.eye(n), (len(arguments[1]), n, n)) if V is None else V
        M, C, K = self._products.turned(arguments, turn, V)
        names = ("B", "J", "W", "push", "phi_u")
        found = dict(zip(names, self._turned(*arguments, *turn), strict=True))
        return {"M": M, "D + G": C, "K + H": K, **found}

    @cached_property
    def _turned(self) -> Batched:
        graph = self._graph
        along = [casadi.SX.sym("along", x.numel()) for x in graph.arguments]
        blocks = [
            graph.input_columns(at_rest=self._at_rest),
            graph.J,
            casadi.jacobian(graph.phi, graph.q),
            graph.J.T - graph.Q_multipliers,
            casadi.jacobian(graph.phi, graph.u),
        ]
        before, after = casadi.vertcat(*graph.arguments), casadi.vertcat(*along)
        rates = [
            casadi.reshape(casadi.jtimes(casadi.vec(casadi.densify(X)), before, after), *X.shape)
            for X in self._reduced(blocks)
        ]
        return Batched(graph.function("turned", rates, along))

    def input_columns(self, arguments: Arguments) -> Array:
        """(N, n, number of signals): B."""
        if not self._graph.signals:
            return np.zeros((*arguments[1].shape, 0))
        return self._input_columns(*arguments)[0]

    @cached_property
    def _input_columns(self) -> Batched:
        B = self._graph.input_columns(at_rest=self._at_rest)
        return Batched(self._graph.function("B", [B]))

    @cached_property
    def acting(self) -> tuple[int, ...]:
        """The signals that can act: columns of B not zero by structure."""
        (B,) = self._reduced([self._graph.input_columns(at_rest=self._at_rest)])
        counts = np.diff(casadi.sparsify(B).sparsity().colind())
        return tuple(int(k) for k in np.flatnonzero(counts))

    @cached_property
    def moving_constraints(self) -> tuple[int, ...]:
        """The signals that the constraints contain."""
        pattern = casadi.jacobian_sparsity(self._graph.phi, self._graph.u)
        return tuple(int(k) for k in np.flatnonzero(np.diff(pattern.colind())))

    @cached_property
    def idle(self) -> tuple[bool, ...]:
        """Which coordinates enter none of the equations."""
        return tuple(not used for used in casadi.which_depends(self.column, self._graph.q, 1))

    def varies_with_position(self, row: int) -> bool:
        """Whether one of the equations contains any coordinate or multiplier."""
        return self._varying[row]

    @cached_property
    def _varying(self) -> tuple[bool, ...]:
        unknowns = casadi.vertcat(self._graph.q, self._graph.multipliers)
        return tuple(casadi.which_depends(self.column, unknowns, 1, True))
