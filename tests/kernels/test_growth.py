"""Growth over a period by compiled code: that of the batched steps, to rounding, with every verdict."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
import sympy

import routh as rt
from routh.kernels.engine import Engine
from routh.kernels.kernel import kernel
from routh.kernels.native.compiler import compiler
from routh.numerics.gauss import _run as product_of_steps

pytestmark = pytest.mark.skipif(compiler() is None, reason="no compiler of C on this machine")


def shaken(forces=0.0, damping=0.0):
    """Two coupled pendulums on a shaken support; damped, or pushed against the second one's angle."""
    a, b = rt.coordinates("a b")
    A, w, c = rt.parameters("A w c")
    r = rt.vector(rt.sin(a), -rt.cos(a) + A * rt.cos(w * rt.t))
    s = rt.vector(rt.sin(a) + rt.sin(b) / 2, r[1] - rt.cos(b) / 2)
    T = (rt.norm2(rt.ddt(r)) + rt.norm2(rt.ddt(s))) / 2
    return rt.System(
        kinetic=T, potential=9.81 * (r[1] + s[1]) + c * (a - b) ** 2 / 2,
        dissipation=damping * rt.ddt(b) ** 2 / 2, forces={a: forces * b, b: -forces * a},
    )  # fmt: skip


def charts(system):
    A, w = np.meshgrid(np.linspace(0.0, 0.2, 8), np.linspace(3, 25, 8))
    ask = (system, {"A": A, "w": w, "c": 1.0}, 2 * np.pi / w)
    return (rt.floquet(*ask, engine=engine) for engine in ("c", "casadi"))


@pytest.mark.parametrize("more", [{}, {"damping": 0.1}, {"damping": 1e-9}, {"forces": 0.5}])
def test_charts_are_the_same_by_every_engine(more):
    fast, slow = charts(shaken(**more))
    size = np.abs(slow.monodromy).max(axis=(-1, -2), keepdims=True)
    assert (np.abs(fast.monodromy - slow.monodromy) < 1e-12 * size).all()
    assert (fast.verdict == slow.verdict).all()
    assert (fast.engine, slow.engine) == ("c", "casadi")
    np.testing.assert_allclose(fast.losses[0], slow.losses[0], rtol=1e-6, atol=1e-12)


def test_hill_with_jumps_has_its_closed_form():
    x, (k, d) = rt.coordinate("x"), rt.parameters("k d")
    stiffness = k + d * sympy.sign(rt.sin(2 * rt.pi * rt.t))
    system = rt.System(kinetic=rt.ddt(x) ** 2 / 2, potential=stiffness * x**2 / 2)
    values = {"k": np.linspace(5, 60, 9), "d": 3.0}
    found = rt.floquet(system, values, 1.0, engine="c")

    def half(c):
        s = np.sqrt(c)
        return np.array([[np.cos(s / 2), np.sin(s / 2) / s], [-s * np.sin(s / 2), np.cos(s / 2)]])

    for c, X in zip(values["k"], found.monodromy, strict=True):
        np.testing.assert_allclose(X, half(c - 3) @ half(c + 3), atol=1e-9)


def test_a_point_alone_and_in_a_chart_has_the_same_bits():
    chart, _ = charts(shaken())
    values = {name: float(v[3, 5]) for name, v in chart.reference.values.items()}
    alone = rt.floquet(chart.system, values, float(chart.period[3, 5]), engine="c")
    np.testing.assert_array_equal(alone.monodromy, chart.monodromy[3, 5])


@pytest.mark.parametrize("engine", ["c", "casadi"])
def test_a_step_of_any_length_is_the_diagonal_approximant_of_the_exponential(engine):
    # of Pade, order (4, 4); lanes of one core have short steps and long ones, with pivots far from 1
    x, k = rt.coordinate("x"), rt.parameter("k")
    system = rt.System(kinetic=rt.ddt(x) ** 2 / 2, potential=k * x**2 / 2)
    stiffness, h = np.geomspace(1e-2, 1e8, 37), 0.3
    edges = np.tile([0.0, h], (37, 1))
    if engine == "c":
        grown = kernel(system).growth(Engine.C, 1e9)
        assert grown is not None
        still = [np.zeros((37, size)) for size in (1, 1, 1, 1, 0, 0)]
        still[3] = stiffness[:, None]
        found = grown(still, edges, 1)
    else:
        A = np.array([[[0.0, 1.0], [-k, 0.0]] for k in stiffness])
        found = product_of_steps(lambda which, _: A[which], None, np.arange(37), edges, 2, 1)[0]
    for k, X in zip(stiffness, found, strict=True):
        with mpmath.workdps(40):
            Z = mpmath.mpf(h) * mpmath.matrix([[0, 1], [-mpmath.mpf(k), 0]])
            above, below = (
                mpmath.eye(2) + s * Z / 2 + 3 * Z**2 / 28 + s * Z**3 / 84 + Z**4 / 1680 for s in (1, -1)
            )
            exact = np.array((below**-1 * above).tolist(), dtype=float)
        unit = np.array([1.0, np.sqrt(k)])
        off = np.abs((X - exact) / unit[:, None] * unit).max()
        assert off < 4e-15 * (10 + h * np.sqrt(k)), (h * np.sqrt(k), off)


def test_forces_of_zero_lose_nothing():
    chart, _ = charts(shaken())
    assert not chart.losses[1].any()
