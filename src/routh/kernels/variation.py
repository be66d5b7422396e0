"""The second variation of the Lagrangian as arrays: M, D + G and K + H at a reference.

    M = L_vv,   C = dM/dt + F - F^T + D_vv - Q_v,   K = dF/dt - L_qq + D_vq - Q_q,   F = L_vq

Two ways to the same matrices. A small graph gets one function for all entries. A large one is
differentiated in one direction (forward over reverse), and that function is mapped over the unit
vectors: its size stays linear in the number of coordinates.
"""

from __future__ import annotations

from typing import Protocol

import casadi
import numpy as np

from routh.kernels.batch import Array, Batched, Mapped
from routh.kernels.graph import Graph
from routh.kernels.lower import SX

WHOLE_LIMIT = 30_000
"""Nodes of the gradient times entries in the fullest column of the Hessian, up to which one
function for all entries is the quicker way (measured on pendulum chains: about 20 links)."""

Arguments = tuple[Array, ...]


class Variation(Protocol):
    """Either way."""

    def matrices(self, arguments: Arguments) -> tuple[Array, Array, Array]:
        """M, C and K, each of shape (N, n, n)."""

    def stiffness(self, arguments: Arguments) -> Array:
        """K alone."""


def variation(graph: Graph, at_rest: bool) -> Variation:
    """The quicker way for this graph."""
    gradient = casadi.vertcat(graph.g_q, graph.g_v)
    pattern = casadi.jacobian_sparsity(gradient, graph.z)
    fullest = int(np.max(np.diff(pattern.colind()), initial=0))
    work = graph.function("gradient", [gradient]).n_nodes() * fullest
    return Whole(graph, at_rest) if work <= WHOLE_LIMIT else Columns(graph, at_rest)


def second_variation(graph: Graph, at_rest: bool) -> tuple[SX, SX, SX]:
    """M, C and K as graphs."""
    M, F = casadi.jacobian(graph.g_v, graph.v), casadi.jacobian(graph.g_v, graph.q)
    N_v, N_q = casadi.jacobian(graph.N, graph.v), casadi.jacobian(graph.N, graph.q)
    C = graph.along(M, at_rest) + F - F.T + N_v
    K = graph.along(F, at_rest) - casadi.jacobian(graph.g_q, graph.q) + N_q
    if at_rest:
        M, C, K = graph.at_rest([M, C, K])
    return M, C, K


class Whole:
    """All entries in one function; its nonzeros only."""

    def __init__(self, graph: Graph, at_rest: bool) -> None:
        M, C, K = second_variation(graph, at_rest)
        self._matrices = Batched(graph.function("matrices", [M, C, K]))
        self._stiffness = Batched(graph.function("stiffness", [K]))

    def matrices(self, arguments: Arguments) -> tuple[Array, Array, Array]:
        """M, C and K, each of shape (N, n, n)."""
        M, C, K = self._matrices(*arguments)
        return M, C, K

    def stiffness(self, arguments: Arguments) -> Array:
        """K alone."""
        return self._stiffness(*arguments)[0]


class Columns:
    """Products with unit vectors: those of q give F, L_qq and dF/dt, those of v give M and dM/dt."""

    def __init__(self, graph: Graph, at_rest: bool) -> None:
        self._n = n = graph.q.numel()
        seed = casadi.SX.sym("seed", 2 * n)
        gradient = casadi.vertcat(graph.g_q, graph.g_v)
        product = casadi.jtimes(gradient, graph.z, seed)
        g_q, g_v = product[:n], product[n:]
        outputs = [g_v, g_q, graph.along(g_v, at_rest), casadi.jtimes(graph.N, graph.z, seed)]
        if at_rest:
            outputs = graph.at_rest(outputs)
        self._product = Mapped(graph.function("product", outputs, [seed]))
        self._stiffness = _stiffness_at_rest(graph) if at_rest else None

    def _columns(self, arguments: Arguments, seeds: Array) -> list[Array]:
        points = range(len(arguments[0]))
        each = [self._product([x[k] for x in arguments], seeds) for k in points]
        return [np.stack(column) for column in zip(*each, strict=True)]

    def matrices(self, arguments: Arguments) -> tuple[Array, Array, Array]:
        """M, C and K, each of shape (N, n, n)."""
        n = self._n
        g_v, g_q, rise, N = self._columns(arguments, np.eye(2 * n))
        F = g_v[..., :n]
        M = g_v[..., n:]
        C = rise[..., n:] + F - F.swapaxes(1, 2) + N[..., n:]
        K = rise[..., :n] - g_q[..., :n] + N[..., :n]
        return M, C, K

    def stiffness(self, arguments: Arguments) -> Array:
        """K alone: half of the products, or one function where the kinetic energy was what is large."""
        if self._stiffness is not None:
            return self._stiffness(*arguments)[0]
        _, g_q, rise, N = self._columns(arguments, np.eye(2 * self._n)[: self._n])
        return rise - g_q + N


def _stiffness_at_rest(graph: Graph) -> Batched | None:
    """K as the slope of the equations at rest, if what is left of them without velocities is small."""
    (E,) = graph.at_rest([graph.along(graph.g_v, at_rest=True) - graph.g_q + graph.N])
    if graph.function("rest", [E]).n_nodes() * graph.q.numel() > WHOLE_LIMIT:
        return None
    return Batched(graph.function("stiffness", [casadi.jacobian(E, graph.q)]))
