"""The mass matrix by named intermediates is the Hessian of the energy by velocities."""

from __future__ import annotations

import casadi
import numpy as np
import pytest

import routh as rt
from routh.kernels.graphs.composite import mass_matrix
from routh.kernels.graphs.graph import Graph


def pendulum(n: int) -> rt.System:
    """Links with points that are named, on a cart that is driven, one more mass on a spring of the last."""
    x_b, angles = rt.input("x_b"), rt.coordinates(" ".join(f"q{k}" for k in range(n)))
    y = rt.coordinate("y")
    place, terms = rt.vector(x_b, 0), []
    for k, q in enumerate(angles):
        place = rt.let(f"r{k}", place + rt.vector(rt.sin(q), -rt.cos(q)))
        terms.append((k + 1) * rt.norm2(rt.ddt(place)) / 2)
    terms.append(rt.norm2(rt.ddt(place + rt.vector(y, 0))) / 2)
    return rt.System(kinetic=terms, potential=y**2)


def by_columns(graph: Graph):
    return casadi.jacobian(graph.g_v, graph.v)


def values(graph: Graph, M, seed: int = 0):
    rng = np.random.default_rng(seed)
    symbols = [graph.t, graph.q, graph.v, graph.p, graph.u]
    function = casadi.Function("M", symbols, [casadi.densify(M)])
    return np.array(function(*(rng.normal(size=each.numel()) for each in symbols)))


@pytest.mark.parametrize("n", [4, 7])
def test_it_is_the_hessian(n):
    graph = Graph(pendulum(n))
    plain = by_columns(graph)
    np.testing.assert_allclose(values(graph, graph.M), values(graph, plain), rtol=1e-14, atol=1e-13)
    assert values(graph, graph.M).tolist() == values(graph, graph.M).T.tolist()


def test_what_is_made_of_one_component_and_makes_another():
    """A drum that the first component of a velocity turns is made before the others are."""
    q = rt.coordinates("a b c d e")
    place, terms = rt.vector(0, 0), []
    for k, each in enumerate(q):
        place = rt.let(f"r{k}", place + rt.vector(rt.sin(each), -rt.cos(each)))
        drum = rt.let(f"drum{k}", 3 * rt.ddt(place[0]) + rt.ddt(each))
        terms += [drum**2 / 2, rt.norm2(rt.ddt(place)) / 2, drum * rt.ddt(place[1])]
    graph = Graph(rt.System(kinetic=terms))
    assert mass_matrix(graph.system.kinetic, graph.v, graph._with) is not None
    plain = values(graph, by_columns(graph))
    np.testing.assert_allclose(values(graph, graph.M), plain, rtol=1e-13, atol=1e-12)


def test_few_names_and_what_is_not_quadratic_go_by_columns():
    q = rt.coordinates("a b c d e")
    few = rt.System(kinetic=rt.norm2(rt.ddt(rt.let("r", rt.vector(rt.sin(q[0]), q[1])))))
    graph = Graph(few)
    assert mass_matrix(few.kinetic, graph.v, graph._with) is None
    quick = [rt.let(f"w{k}", rt.sqrt(1 + rt.ddt(x) ** 2)) for k, x in enumerate(q)]
    fast = rt.System(kinetic=[w**2 + w for w in quick])
    graph = Graph(fast)
    assert mass_matrix(fast.kinetic, graph.v, graph._with) is None
    np.testing.assert_allclose(values(graph, graph.M), values(graph, by_columns(graph)), rtol=1e-14)


def test_energies_that_are_linear_in_velocities_have_no_masses():
    q = rt.coordinates("a b c d e")
    terms = [rt.let(f"w{k}", rt.ddt(x) * rt.sin(x)) * q[k - 1] for k, x in enumerate(q)]
    graph = Graph(rt.System(lagrangian=terms))
    assert not values(graph, graph.M).any()
