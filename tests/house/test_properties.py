"""What must hold for every system, tried on random ones. Letters and signs: docs/conventions.md."""

from __future__ import annotations

import numpy as np
import pytest
import sympy
from hypothesis import assume, given
from hypothesis import strategies as st

import routh as rt
from depth import cases
from random_systems import random_system, smooth
from routh import ddt, norm2, rotation, sqrt, t, vector
from routh.kernels.graphs.graph import Graph
from routh.kernels.graphs.second_variation import Columns, Whole
from routh.kernels.kernel import kernel
from sampling import point

seeds = st.integers(0, 10**6)
sizes = st.integers(1, 3)


def somewhere(system, seed):
    """A random point of a random motion."""
    n = len(system.coordinates)
    generator = np.random.default_rng(seed + 1)
    q, v, a = generator.uniform(-0.5, 0.5, (3, n))
    return point(system, {}, list(q), list(v), list(a), time=float(generator.uniform(0, 1)))


def numbers(matrix, system, at):
    """A symbolic matrix at a point."""
    values = {t: at.t[0, 0]}
    for k, q in enumerate(system.coordinates):
        values |= {q: at.q[0, k], ddt(q): at.v[0, k], ddt(q, 2): at.a[0, k]}
    exact = {s: sympy.Float(float(x), 30) for s, x in values.items()}
    return np.array(matrix.xreplace(exact).evalf(25).tolist(), dtype=float)


@given(seeds, st.integers(1, 2))
@cases(2)
def test_direct_linearization_is_the_jacobian_of_the_residual(seed, n):
    compare_with_the_jacobian_of_the_residual(random_system(seed, n), seed)


@pytest.mark.slow
@given(seeds)
@cases(10)
def test_direct_linearization_is_the_jacobian_of_the_residual_in_three_coordinates(seed):
    compare_with_the_jacobian_of_the_residual(random_system(seed, 3), seed)


def compare_with_the_jacobian_of_the_residual(system, seed):
    """The indirect route: SymPy's equations of motion, differentiated."""
    at = somewhere(system, seed)
    residual = rt.equations(system, simplify=0).residual
    M, C, K = kernel(system).matrices(at)
    for direct, order in ((M, 2), (C, 1), (K, 0)):
        indirect = numbers(residual.jacobian([ddt(q, order) for q in system.coordinates]), system, at)
        np.testing.assert_allclose(direct[0], indirect, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(
        kernel(system).residual(at)[0], numbers(residual, system, at)[:, 0], rtol=1e-11, atol=1e-11
    )


@given(seeds, st.integers(1, 2))
@cases(2)
def test_dynamics_and_derivatives_agree_with_sympy(seed, n):
    """M, h, Q and every block by CasADi, against the symbolic ones."""
    system = random_system(seed, n)
    at = somewhere(system, seed)
    eq = rt.equations(system, simplify=0)
    M, h, Q, _ = kernel(system).dynamics(at)
    for got, expected in ((M[0], eq.M), (h[0][:, None], eq.h), (Q[0][:, None], eq.Q)):
        np.testing.assert_allclose(got, numbers(expected, system, at), rtol=1e-10, atol=1e-11)
    q, v = sympy.Matrix(system.coordinates), sympy.Matrix(system.velocities)
    L = sympy.Matrix([eq.L])
    D_v = sympy.Matrix([eq.D]).jacobian(v).T
    blocks = {
        "L_q": L.jacobian(q).T, "L_v": L.jacobian(v).T, "L_vv": L.jacobian(v).T.jacobian(v),
        "L_vq": L.jacobian(v).T.jacobian(q), "L_qq": L.jacobian(q).T.jacobian(q),
        "D_vv": D_v.jacobian(v), "D_vq": D_v.jacobian(q), "Q_v": eq.Q.jacobian(v), "Q_q": eq.Q.jacobian(q),
    }  # fmt: skip
    found = kernel(system).derivatives(at)
    assert found.keys() == blocks.keys()
    for name, expected in blocks.items():
        got = found[name][0]
        exact = numbers(expected, system, at).reshape(got.shape)
        np.testing.assert_allclose(got, exact, rtol=1e-10, atol=1e-11, err_msg=name)


@given(seeds, sizes)
@cases(15)
def test_mass_matrix_is_symmetric_and_both_ways_agree(seed, n):
    system = random_system(seed, n)
    at = somewhere(system, seed)
    graph = Graph(system)
    for at_rest in (True, False):
        whole, columns = Whole(graph, at_rest), Columns(graph, at_rest)
        for a, b in zip(whole.matrices(at.arguments), columns.matrices(at.arguments), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12)
        M, _, K = whole.matrices(at.arguments)
        np.testing.assert_allclose(M, M.swapaxes(1, 2), rtol=1e-14, atol=1e-14)
        np.testing.assert_allclose(whole.stiffness(at.arguments), K, rtol=1e-14, atol=1e-14)
        np.testing.assert_allclose(columns.stiffness(at.arguments), K, rtol=1e-12, atol=1e-12)


@given(seeds, sizes)
@cases(15)
def test_a_total_derivative_added_to_l_changes_nothing(seed, n):
    system = random_system(seed, n)
    generator = np.random.default_rng(seed + 2)
    f = smooth(generator, [*system.coordinates, t])
    gauged = rt.System(
        lagrangian=[*system.lagrangian_terms, ddt(f)],
        dissipation=system.dissipation,
        forces=list(system.forces),
    )
    at = somewhere(system, seed)
    for a, b in zip(
        kernel(system).matrices(at),
        kernel(gauged).matrices(at),
        strict=True,
    ):
        np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(
        kernel(system).residual(at), kernel(gauged).residual(at), rtol=1e-11, atol=1e-11
    )


@pytest.mark.slow
@given(seeds, st.integers(1, 3), st.booleans())
@cases(6)
def test_eigenvalues_do_not_depend_on_the_coordinates(seed, n, forced):
    """q = r + a quadratic map of r; velocities follow by ddt."""
    system = random_system(seed, n, timed=False, forced=forced)
    generator = np.random.default_rng(seed + 3)
    r = rt.coordinates(" ".join(f"r{k}" for k in range(1, n + 1)))
    q = [x + smooth(generator, list(r)) / 20 for x in r]
    map_ = dict(zip(system.coordinates, q, strict=True))
    map_ |= {ddt(old): ddt(new) for old, new in zip(system.coordinates, q, strict=True)}

    def moved(terms):
        return [term.xreplace(map_) for term in terms]

    other = rt.System(
        kinetic=moved(system.kinetic),
        potential=moved(system.potential),
        dissipation=moved(system.dissipation),
        forces=[rt.force(moved(f.components), at=moved(f.at)) for f in system.forces],
    )
    rest, rest_ = (rt.equilibrium(s, {}, raises=False) for s in (system, other))
    assume(rest.converged and rest_.converged)  # random forces need not leave a rest near zero
    there = [float(sympy.N(x.xreplace(dict(zip(r, rest_.q, strict=True))))) for x in q]
    np.testing.assert_allclose(there, rest.q, rtol=1e-9, atol=1e-10)
    one, two = (rt.modes(rt.linearize(x)).eigenvalues for x in (rest, rest_))
    scale = np.abs(one).max()
    # Close eigenvalues lose up to half the digits; most agree to 1e-12.
    np.testing.assert_allclose(two, one, rtol=1e-7, atol=1e-8 * scale)


@given(seeds, sizes)
@cases(15)
def test_parts_are_symmetric_and_skew_to_the_last_bit_and_add_up(seed, n):
    system = random_system(seed, n, timed=False)
    rest = rt.equilibrium(system, {}, raises=False)
    assume(rest.converged)  # random forces need not leave a rest near zero
    linear = rt.linearize(rest)
    for X in (linear.M, linear.D, linear.K):
        assert (X == X.T).all()
    for X in (linear.G, linear.H):
        assert (-X.T == X).all()
    M, C, K = (X[0] for X in kernel(system).matrices(rest.point()))
    np.testing.assert_allclose(linear.D + linear.G, C, rtol=1e-14, atol=1e-14)
    np.testing.assert_allclose(linear.K + linear.H, K, rtol=1e-14, atol=1e-14)
    np.testing.assert_allclose(linear.M, M, rtol=1e-14, atol=1e-14)


@given(seeds, sizes)
@cases(15)
def test_without_forces_nothing_is_damped_or_circulatory(seed, n):
    """The engine itself finds sym(C) = 0 and skew(K) = 0; that linearize writes zeros is right."""
    system = random_system(seed, n, timed=False, forced=False)
    rest = rt.equilibrium(system, {})
    _, C, K = kernel(system).matrices(rest.point())
    assert np.abs(C + C.swapaxes(1, 2)).max() <= 1e-13 * max(1, np.abs(C).max())
    assert np.abs(K - K.swapaxes(1, 2)).max() <= 1e-13 * np.abs(K).max()
    linear = rt.linearize(rest)
    assert not linear.D.any()
    assert not linear.H.any()
    values = rt.modes(linear).eigenvalues
    mirrored = -values.conj()
    distance = np.abs(values[:, None] - mirrored).min(axis=1)
    assert distance.max() <= 1e-7 * np.abs(values).max()  # a double root is known to 1e-8


def frames(psi):
    """The A6 system written from positions in a frame turned by psi."""
    x, y = rt.coordinates("x y")
    m, k1, k2, c = rt.parameters("m k1 k2 c")
    R = sympy.Rational(7, 10)
    left, right = sqrt((R + x) ** 2 + y**2), sqrt((R - x) ** 2 + y**2)
    return rt.System(
        kinetic=m / 2 * norm2(ddt(rotation(psi) @ vector(x, y))),
        potential=[k1 * ((left - R) ** 2 + (right - R) ** 2) / 2, k2 * y**2],
        dissipation=c / 2 * ddt(left) ** 2,
    )


@given(
    st.floats(0.1, 5),
    st.floats(0.5, 5),
    st.floats(1, 30),
    st.floats(1, 30),
    st.just(0.0) | st.floats(1e-9, 2),
)
@cases(15)
def test_a_turning_frame_does_not_care_how_time_is_written(speed, m, k1, k2, c):
    Omega, angle = rt.parameter("Omega"), rt.input("psi")
    values = {"m": m, "k1": k1, "k2": k2, "c": c}
    spun = dict(values, Omega=speed)
    models = [
        rt.linearize(rt.equilibrium(frames(Omega * t), spun)),
        rt.linearize(rt.equilibrium(frames(Omega * (t + 3) - 1), spun)),
        rt.linearize(rt.equilibrium(frames(angle), values, inputs={ddt(angle): speed})),
    ]
    exact_K = np.diag([2 * k1, 2 * k2]) - m * speed**2 * np.eye(2)
    scale = 2 * max(k1, k2) + m * speed**2
    for linear in models:
        np.testing.assert_allclose(linear.K, exact_K, atol=1e-11 * scale)
        np.testing.assert_allclose(
            linear.G, m * speed * np.array([[0, -2], [2, 0]]), rtol=1e-9, atol=1e-9
        )
    first, *others = [rt.modes(linear).eigenvalues for linear in models]
    for other in others:
        # Near a zero or double root eigenvalues know only half the digits of the matrices above.
        np.testing.assert_allclose(other, first, rtol=1e-6, atol=1e-6 * np.abs(first).max())


@given(st.lists(st.floats(0.2, 3), min_size=1, max_size=6), st.integers(1, 4))
@cases(10)
def test_a_batch_is_the_loop_over_its_points(speeds, rows):
    Omega = rt.parameter("Omega")
    system = frames(Omega * t)
    values = {"m": np.linspace(1, 2, rows)[:, None], "k1": 10, "k2": 15, "c": 0.5}
    batch = rt.modes(rt.linearize(rt.equilibrium(system, values | {"Omega": np.array(speeds)})))
    assert batch.eigenvalues.shape == (rows, len(speeds), 4)
    assert batch.shapes.shape == (rows, len(speeds), 2, 2)
    for i, m in enumerate(np.linspace(1, 2, rows)):
        for j, speed in enumerate(speeds):
            single = rt.modes(rt.linearize(rt.equilibrium(system, values | {"m": m, "Omega": speed})))
            np.testing.assert_allclose(
                batch.eigenvalues[i, j], single.eigenvalues, rtol=1e-9, atol=1e-9
            )
            assert batch.stability.verdict[i, j] is single.stability.verdict


@pytest.mark.slow
@given(seeds, st.integers(4, 7))
@cases(10)
def test_larger_systems_by_both_ways(seed, n):
    system = random_system(seed, n)
    at = somewhere(system, seed)
    graph = Graph(system)
    for a, b in zip(
        Whole(graph, at_rest=False).matrices(at.arguments),
        Columns(graph, at_rest=False).matrices(at.arguments),
        strict=True,
    ):
        np.testing.assert_allclose(a, b, rtol=1e-11, atol=1e-11)
