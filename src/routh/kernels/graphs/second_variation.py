"""The second variation of the Lagrangian as arrays: M, D + G and K + H at a reference.

    M = L_vv,   C = dM/dt + F - F^T + D_vv - Q_v,   K = dF/dt - L_qq + D_vq - Q_q,   F = L_vq

Two ways to the same matrices. A small graph gets one function for all entries. A large one is
differentiated in one direction (forward over reverse), and that function is mapped over the unit
vectors: its size stays linear in the number of coordinates.

`Products` takes them along given directions and never through the entries: k (x - y)^2 along
x = y is zero there, while the entries of a matrix have lost what is small beside k.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import casadi
import numpy as np

from routh.arrays import Array
from routh.kernels.engine import Arguments, Variation
from routh.kernels.graphs.batch import Batched, Mapped
from routh.kernels.graphs.graph import Graph
from routh.kernels.graphs.lower import SX
from routh.kernels.instructions.sizes import Sizes

WHOLE_LIMIT = 30_000
"""Nodes of the gradient times entries in the fullest column of the Hessian, up to which one
function for all entries is the quicker way (measured on pendulum chains: about 20 links)."""

EPS = float(np.finfo(float).eps)


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
        self.function = graph.function("matrices", [M, C, K])
        self._matrices = Batched(self.function)
        self._stiffness = Batched(graph.function("stiffness", [K]))
        self.rows = graph.function("rows", [casadi.densify(X.T) for X in (M, C, K)])
        self.rows_of_stiffness = graph.function("stiffness_rows", [casadi.densify(K.T)])

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
        self._n = graph.q.numel()
        self._product = Mapped(product(graph, at_rest))
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


class Products:
    """M, C and K times given directions, each evaluated on the graph."""

    def __init__(self, graph: Graph, at_rest: bool) -> None:
        self._function = product(graph, at_rest)
        self._product = Batched(self._function)

    @cached_property
    def _sizes(self) -> Sizes:
        return Sizes(self._function)

    def __call__(self, arguments: Arguments, V: Array) -> tuple[Array, Array, Array]:
        """M V, C V and K V, each (N, n, m), for directions V (N, n, m)."""
        return _summed(self._product(*_repeated(arguments, V.shape[2]), _seeds(V)), V.shape)

    @cached_property
    def _turned(self) -> Batched:
        function = self._function
        *at, seed = (casadi.SX.sym(f"x{k}", function.size1_in(k)) for k in range(function.n_in()))
        along = [casadi.SX.sym(f"along{k}", x.numel()) for k, x in enumerate(at)]
        outputs = function.call([*at, seed])
        rates = [casadi.jtimes(x, casadi.vertcat(*at), casadi.vertcat(*along)) for x in outputs]
        return Batched(casadi.Function("turned", [*at, seed, *along], rates))

    def turned(self, arguments: Arguments, turn: Arguments, V: Array) -> tuple[Array, Array, Array]:
        """How M V, C V and K V change where the arguments do, by `turn`: third derivatives of L."""
        m = V.shape[2]
        found = self._turned(*_repeated(arguments, m), _seeds(V), *_repeated(turn, m))
        return _summed(found, V.shape)

    def rounding(self, arguments: Arguments, errors: Arguments, V: Array) -> tuple[Array, Array, Array]:
        """Bounds of the rounding in M V, C V and K V, given the errors of the arguments."""
        m, seeds = V.shape[2], _seeds(V)
        given = [*_repeated(arguments, m), seeds]
        own = [*(error / EPS for error in _repeated(errors, m)), np.zeros_like(seeds)]
        found = [EPS * x[..., 0] for x in self._sizes(given, dict(enumerate(own)))]
        g_v, g_q, rise, slope = _shaped(found, V.shape)
        C = rise[..., m:] + g_v[..., :m] + g_q[..., m:] + slope[..., m:]
        return g_v[..., m:], C, rise[..., :m] + g_q[..., :m] + slope[..., :m]


def _seeds(V: Array) -> Array:
    """(N 2m, 2n): directions (N, n, m) of q, then of v."""
    N, n, m = V.shape
    seeds = np.zeros((N, 2 * m, 2 * n))
    seeds[:, :m, :n] = seeds[:, m:, n:] = V.swapaxes(1, 2)
    return seeds.reshape(-1, 2 * n)


def _repeated(arguments: Arguments, m: int) -> list[Array]:
    return [np.repeat(x, 2 * m, axis=0) for x in arguments]


def _summed(found: list[Array], shape: tuple[int, ...]) -> tuple[Array, Array, Array]:
    """M V, C V and K V of the changes of L_v, L_q, dL_v/dt and N along directions of q, then of v."""
    m = shape[2]
    g_v, g_q, rise, slope = _shaped([x[..., 0] for x in found], shape)
    C = rise[..., m:] + g_v[..., :m] - g_q[..., m:] + slope[..., m:]
    return g_v[..., m:], C, rise[..., :m] - g_q[..., :m] + slope[..., :m]


def _shaped(found: list[Array], shape: tuple[int, ...]) -> list[Array]:
    """(N, n, 2m) each, of rows for each direction."""
    N, n, m = shape
    return [x.reshape(N, 2 * m, n).swapaxes(1, 2) for x in found]


def product(graph: Graph, at_rest: bool) -> Any:
    """The function of a point and one direction of (q, v) to the changes of L_v, L_q, dL_v/dt and N."""
    n = graph.q.numel()
    seed = casadi.SX.sym("seed", 2 * n)
    gradient = casadi.vertcat(graph.g_q, graph.g_v)
    product = casadi.jtimes(gradient, graph.z, seed)
    g_q, g_v = product[:n], product[n:]
    outputs = [g_v, g_q, graph.along(g_v, at_rest), casadi.jtimes(graph.N, graph.z, seed)]
    return graph.function("product", graph.at_rest(outputs) if at_rest else outputs, [seed])


def _stiffness_at_rest(graph: Graph) -> Batched | None:
    """K as the slope of the equations at rest, if what is left of them without velocities is small."""
    (E,) = graph.at_rest([graph.along(graph.g_v, at_rest=True) - graph.g_q + graph.N])
    if graph.function("rest", [E]).n_nodes() * graph.q.numel() > WHOLE_LIMIT:
        return None
    return Batched(graph.function("stiffness", [casadi.jacobian(E, graph.q)]))
