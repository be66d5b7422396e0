"""Modes, verdicts and state spaces of linear models."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import scipy.linalg
import sympy

import problems
import routh as rt
from routh import ddt
from routh.results import Reason

x, y = rt.coordinates("x y")
g, k1, k2, c, d, h = rt.parameters("g k1 k2 c d h")


def plane(**values):
    """x'' + d x' + g y' + k1 x + h y = 0, y'' + d y' - g x' + k2 y - h x = 0, c in x alone."""
    system = rt.System(
        kinetic=[(ddt(x) ** 2 + ddt(y) ** 2) / 2, g / 2 * (y * ddt(x) - x * ddt(y))],
        potential=k1 * x**2 / 2 + k2 * y**2 / 2,
        dissipation=c * ddt(x) ** 2 / 2 + d * (ddt(x) ** 2 + ddt(y) ** 2) / 2,
        forces={x: -h * y, y: h * x},
    )
    full = {"g": 0, "k1": 1, "k2": 1, "c": 0, "d": 0, "h": 0} | values
    return rt.linearize(rt.equilibrium(system, full))


def test_signs_of_the_plane_model():
    linear = plane(g=2.5, k1=3, k2=4, c=0.1, d=0.2, h=0.3)
    np.testing.assert_allclose(linear.G, [[0, 2.5], [-2.5, 0]], rtol=1e-14)
    np.testing.assert_allclose(linear.H, [[0, 0.3], [-0.3, 0]], rtol=1e-14)
    np.testing.assert_allclose(linear.D, np.diag([0.3, 0.2]), rtol=1e-14)


VERDICTS = {
    Reason.MINIMUM: {"g": 1.7, "k1": 1, "k2": 2},
    Reason.COMPLETE_DAMPING: {"d": 0.1, "g": 1},
    Reason.PERVASIVE_DAMPING: {"c": 0.1, "g": 1},
    Reason.PARTIAL_DAMPING: {"c": 0.1},
    Reason.NO_MINIMUM: {"k1": -1},
    Reason.DAMPED_NO_MINIMUM: {"k1": -1, "k2": -1, "g": 2.5, "d": 0.01},
    Reason.GYROSCOPIC: {"k1": -1, "k2": -1, "g": 2.5},
    Reason.CIRCULATORY: {"k1": 1, "k2": 2, "h": 0.3},
    Reason.FREE: {"k1": 0},
    Reason.DECAY: {"k1": 1, "k2": 2, "d": 0.5, "h": 0.2},
    Reason.DIVERGENCE: {"k1": -1, "c": 0.2, "h": 0.1},
    Reason.FLUTTER: {"k1": 1, "k2": 1, "h": 0.3},
}


@pytest.mark.parametrize("reason", VERDICTS, ids=lambda r: r.name)
def test_each_reason_is_found(reason):
    verdict = rt.stability(plane(**VERDICTS[reason]))
    assert verdict.reason is reason
    assert str(verdict).startswith(str(reason.verdict))


def test_gyroscopic_stabilization_and_its_loss():
    """Stable iff g > sqrt(k1) + sqrt(k2); equal damping destroys it. Numbers from the literature."""
    modes = rt.modes(plane(k1=-1, k2=-1, g=2.5))
    np.testing.assert_allclose(modes.eigenvalues, [0.5j, -0.5j, 2j, -2j], rtol=1e-12)
    lost = rt.modes(plane(k1=-1, k2=-1, g=1.9))
    np.testing.assert_allclose(np.abs(lost.eigenvalues.real), 0.31225, rtol=1e-5)
    np.testing.assert_allclose(np.abs(lost.eigenvalues.imag), 0.95, rtol=1e-12)
    assert lost.stability.reason is Reason.FLUTTER
    damped = rt.modes(plane(k1=-1, k2=-1, g=2.5, d=0.01)).eigenvalues
    np.testing.assert_allclose(damped[[0, 2]], [0.003333 + 0.49997j, -0.013333 + 2.0000j], atol=5e-5)


def test_at_the_edge_linear_theory_does_not_decide():
    """g = 2: a double imaginary pair, not semisimple."""
    assert rt.stability(plane(k1=-1, k2=-1, g=2.0)).verdict is rt.Verdict.UNDECIDED


def test_verdicts_of_a_batch():
    speeds = np.array([1.9, 2.5, 3.0])
    verdict = rt.stability(plane(k1=-1, k2=-1, g=speeds))
    assert [str(v) for v in verdict.verdict] == ["unstable", "stable", "stable"]
    assert verdict.growth.shape == (3,)
    assert str(verdict) == "2 stable, 1 unstable"


def test_frequencies_and_damping_ratios():
    modes = rt.modes(plane(k1=4, k2=9, d=0.4))
    np.testing.assert_allclose(modes.damping, [0.1, 0.4 / 6], rtol=1e-12)
    np.testing.assert_allclose(modes.frequencies, np.sqrt([4 - 0.04, 9 - 0.04]), rtol=1e-12)
    over = rt.modes(plane(k1=4, k2=9, d=10))
    assert not over.frequencies.any()
    np.testing.assert_allclose(over.damping, [10 / 4, 10 / 6], rtol=1e-12)
    product = over.eigenvalues[::2] * over.eigenvalues[1::2]
    assert (product.real > 0).all()


def test_no_ratio_for_what_does_not_oscillate():
    modes = rt.modes(plane(k1=-4, k2=9))
    assert np.isnan(modes.damping[0])
    assert modes.eigenvalues[:2].tolist() == [2, -2]


def test_shapes_are_normalized_and_solve_the_problem():
    p = problems.double_pendulum()
    linear = rt.linearize(rt.equilibrium(p.system, p.values))
    modes = rt.modes(linear)
    assert modes.shapes.dtype == float
    np.testing.assert_allclose(modes.shapes, [[1, -0.25], [0.5, 1]], rtol=1e-12)
    for w, shape in zip(modes.frequencies, modes.shapes.T, strict=True):
        np.testing.assert_allclose((linear.K - w**2 * linear.M) @ shape, 0, atol=1e-12)
    gyro = rt.modes(plane(g=1.0, k1=1, k2=2, d=0.1))
    for s, vector in zip(gyro.eigenvalues, gyro.eigenvectors.T, strict=True):
        L = gyro.linear
        pencil = L.M * s**2 + (L.D + L.G) * s + L.K + L.H
        np.testing.assert_allclose(pencil @ vector, 0, atol=1e-12)
        assert np.abs(vector).max() == pytest.approx(1, rel=1e-12)
        assert 1 in vector.round(12)


def test_shapes_of_equal_entries_have_a_fixed_sign():
    """Two equal masses and springs: (1, 1) and (1, -1), whatever the solver returns."""
    m = rt.parameter("m")
    system = rt.System(
        kinetic=m * (ddt(x) ** 2 + ddt(y) ** 2) / 2,
        potential=k1 * (x**2 + y**2) / 2 + k2 * (x - y) ** 2 / 2,
    )
    values = {"m": np.linspace(1, 3, 40), "k1": 2.0, "k2": 0.7}
    shapes = rt.modes(rt.linearize(rt.equilibrium(system, values))).shapes
    np.testing.assert_allclose(shapes, np.broadcast_to([[1, 1], [1, -1]], (40, 2, 2)), rtol=1e-9)


def test_rigid_body_modes_are_labelled():
    system = rt.System(kinetic=(ddt(x) ** 2 + 2 * ddt(y) ** 2) / 2, potential=k1 * (x - y) ** 2 / 2)
    rest = rt.equilibrium(system, {"k1": 3})
    assert "can be shifted along `x` with `y`" in str(rest)
    assert rest.free == ()
    modes = rt.modes(rt.linearize(rest))
    assert modes.rigid.tolist() == [True, False]
    assert modes.eigenvalues[:2].tolist() == [0, 0]
    assert modes.frequencies[1] == pytest.approx(np.sqrt(4.5), rel=1e-13)
    assert "1: rigid body, s = 0 and 0 1/s" in str(modes)
    assert modes.stability.reason is Reason.FREE


def test_circle_of_equilibria_is_a_rigid_freedom():
    """A flat potential along a circle: one loose direction that is no coordinate axis."""
    system = rt.System(kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2, potential=(x**2 + y**2 - 1) ** 2)
    rest = rt.equilibrium(system, {}, guess={x: 0.9, y: 0.5})
    assert np.hypot(*rest.q) == pytest.approx(1, rel=1e-14)
    assert "the tangent is singular" in str(rest)


def test_state_space_is_the_flow_of_the_linear_model():
    p = problems.crane_trolley()
    F = p.F
    linear = rt.linearize(rt.equilibrium(p.system, p.values))
    tip = p.X + p.l * rt.sin(p.th)
    space = rt.state_space(linear, outputs=[tip, ddt(tip), ddt(tip, 2), F])
    A, B, C, D = space
    M, K = linear.M, linear.K
    np.testing.assert_allclose(A[2:, :2], -np.linalg.solve(M, K), rtol=1e-13)
    np.testing.assert_allclose(B[2:], np.linalg.solve(M, linear.B), rtol=1e-13)
    np.testing.assert_allclose(C[0], [1, 1.5, 0, 0])
    np.testing.assert_allclose(C[1], [0, 0, 1, 1.5])
    np.testing.assert_allclose(C[2], C[1] @ A, rtol=1e-13)
    np.testing.assert_allclose(D[2], C[1] @ B, atol=1e-13)
    np.testing.assert_allclose(D[3], [1])
    assert space.inputs == (F,)
    np.testing.assert_allclose(
        np.sort_complex(scipy.linalg.eigvals(A)).imag[[0, -1]],
        [-rt.modes(linear).frequencies[-1], rt.modes(linear).frequencies[-1]],
        rtol=1e-7,
    )


def test_state_space_outputs_coordinates_by_default_and_follows_the_batch():
    p = problems.pushed_pendulum()
    rest = rt.equilibrium(p.system, {"m": [1.0, 2.0, 3.0], "l": 1.5, "g": 9.81}, inputs={p.F: 4})
    A, B, C, D = rt.state_space(rt.linearize(rest))
    assert [X.shape for X in (A, B, C, D)] == [(3, 2, 2), (3, 2, 1), (3, 1, 2), (3, 1, 1)]
    assert rt.state_space(rt.linearize(rest)).outputs == (p.theta,)


def test_python_control_gets_the_same_model():
    control = pytest.importorskip("control", reason="the extra `control` is not installed")
    p = problems.pushed_pendulum()
    space = rt.state_space(rt.linearize(rt.equilibrium(p.system, p.values, inputs={p.F: 4})))
    model = space.control()
    assert isinstance(model, control.StateSpace)
    np.testing.assert_allclose(model.A, space.A)
    assert (model.state_labels, model.input_labels, model.output_labels) == (
        ["theta", "theta'"],
        ["F"],
        ["theta"],
    )
    batch = rt.state_space(rt.linearize(rt.equilibrium(p.system, p.values | {"m": [1, 2]})))
    with pytest.raises(rt.DerivationError, match="one model at a time"):
        batch.control()


def test_names_that_python_control_keeps_for_itself_are_changed():
    pytest.importorskip("control", reason="the extra `control` is not installed")
    p = problems.pushed_pendulum()
    linear = rt.linearize(rt.equilibrium(p.system, p.values, inputs={p.F: 4}))
    outputs = [1.5 * p.theta, 1.5 * p.theta, rt.ddt(p.theta)]
    assert rt.state_space(linear, outputs).control().output_labels == [
        "1_5*theta",
        "1_5*theta_",
        "theta'",
    ]
    with pytest.raises(rt.DerivationError, match="at least one output"):
        replace(rt.state_space(linear), C=np.zeros((0, 2)), D=np.zeros((0, 1)), outputs=()).control()


def test_scipy_gets_the_same_model_with_its_names():
    p = problems.pushed_pendulum()
    linear = rt.linearize(rt.equilibrium(p.system, p.values, inputs={p.F: 4}))
    space = rt.state_space(linear)
    model = space.scipy()
    assert (model.state_names, model.input_names, model.output_names) == (
        ("theta", "theta'"),
        ("F",),
        ("theta",),
    )
    found = model.C @ np.linalg.solve(0.7j * np.eye(2) - model.A, model.B) + model.D
    expected = rt.frequency_response(linear, p.F, [p.theta], [0.7]).transfer
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_states_have_names_with_and_without_constraints():
    x, y, phi = rt.coordinates("x y phi")
    T = (x.rate**2 + y.rate**2 + phi.rate**2) / 2
    bob = rt.System(
        kinetic=(x.rate**2 + y.rate**2) / 2, potential=y, constraints=[(x**2 + y**2 - 1) / 2]
    )
    hanging = rt.linearize(rt.equilibrium(bob, {}, guess={y: -1}))
    assert rt.state_space(hanging).states == ("eta1", "eta1'")
    knife = x.rate * rt.sin(phi) - y.rate * rt.cos(phi)
    skate = rt.linearize(
        rt.equilibrium(rt.System(kinetic=T, potential=x**2 + phi**2, constraints=[knife]), {})
    )
    found = rt.state_space(skate)
    assert found.states == ("x", "y", "phi", *map(str, found.velocities))
    clash = rt.coordinates("eta1 eta2")
    held = rt.System(
        kinetic=clash[0].rate ** 2 + clash[1].rate ** 2,
        potential=clash[0] ** 2,
        constraints=[clash[0] - clash[1]],
    )
    assert rt.linearize(rt.equilibrium(held, {})).displacements == ("eta_1",)


def test_expressions_can_be_read_at_an_equilibrium():
    p = problems.pushed_pendulum()
    rest = rt.equilibrium(p.system, p.values, inputs={p.F: [0.0, 4.0]})
    np.testing.assert_allclose(rest[p.tip[0]], 1.5 * np.sin([0, 0.201117383996941]), rtol=1e-12)
    np.testing.assert_allclose(rest[p.F * p.m], [0, 8])


def test_linear_model_prints_itself():
    text = str(plane(g=1, d=0.1))
    assert text.startswith("Linear model of the system: M eta''")
    assert "G = " in text
    assert "H = " not in text
    assert "batch of shape (2,)" in str(plane(g=[1, 2]))


def test_large_systems_use_products_with_the_hessian():
    """50 links by mapped products against the closed form: M_ij = n - max(i, j), K_ii = g (n - i)."""
    n = 50
    p = problems.pendulum_chain(n)
    linear = rt.linearize(rt.equilibrium(p.system, p.values))
    i = np.arange(n)
    np.testing.assert_allclose(linear.M, n - np.maximum.outer(i, i), rtol=1e-13)
    np.testing.assert_allclose(linear.K, np.diag(9.81 * (n - i)), rtol=1e-13, atol=1e-12)
    expected = np.sqrt(scipy.linalg.eigh(linear.K, linear.M, eigvals_only=True))
    np.testing.assert_allclose(rt.modes(linear).frequencies, expected, rtol=1e-10)


def test_sparse_systems_stay_sparse():
    """A chain of 300 masses: the Hessian has three diagonals, so one small function is made."""
    from routh.kernels.graphs.second_variation import Whole
    from routh.kernels.kernel import kernel

    n = 300
    q = rt.coordinates(" ".join(f"x{i}" for i in range(n)))
    m, k = rt.parameters("m k")
    ends = [sympy.S.Zero, *q, sympy.S.Zero]
    system = rt.System(
        kinetic=[m * ddt(z) ** 2 / 2 for z in q],
        potential=[k * (a - b) ** 2 / 2 for a, b in pairwise(ends)],
    )
    assert isinstance(kernel(system).at_rest.variation, Whole)
    modes = rt.modes(rt.linearize(rt.equilibrium(system, {"m": 2.0, "k": 5.0})))
    j = np.arange(1, n + 1)
    expected = 2 * np.sqrt(2.5) * np.sin(j * np.pi / (2 * (n + 1)))
    np.testing.assert_allclose(modes.frequencies, expected, rtol=1e-9)
