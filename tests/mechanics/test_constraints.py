"""Constraints: kinds, equations, equilibria and linear models, by a second route each."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg

import routh as rt
from rolling import DISC, disc, sleigh
from routh import cos, cross, ddt, norm2, rotation, sin, vector
from routh.mechanics.constraints import constraint_kinds
from routh.results import ConstraintKind


@pytest.mark.parametrize("v", [0.4, 1.2, 1.3, 2.0, 5.0])
def test_a_thin_disc_rolls_upright_above_a_speed(v):
    rolling = rt.equilibrium(disc(), DISC, speeds={"x": v, "phi": v / 0.5})
    modes = rt.modes(rt.linearize(rolling))
    square = (12 * v**2 / 0.5**2 - 4 * 9.81 / 0.5) / 5  # of the wobble, by hand
    root = np.sqrt(-square + 0j)
    assert np.abs(modes.eigenvalues - root).min() < 1e-9 * abs(root)
    assert np.sum(modes.eigenvalues == 0) == 6
    stable = v**2 > 9.81 * 0.5 / 3
    assert modes.stability.verdict is (rt.Verdict.STABLE if stable else rt.Verdict.UNSTABLE)


def test_the_disc_in_a_batch_and_its_threshold():
    edge = np.sqrt(9.81 * 0.5 / 3)
    v = edge * np.array([0.999, 1.001])
    rolling = rt.equilibrium(disc(), DISC, speeds={"x": v, "phi": v / 0.5})
    verdicts = rt.stability(rt.linearize(rolling)).verdict
    assert [str(verdict) for verdict in verdicts] == ["unstable", "stable"]


def test_full_and_reduced_form_of_a_rolling_disc_have_the_same_eigenvalues():
    linear = rt.linearize(rt.equilibrium(disc(), DISC, speeds={"x": 2.0, "phi": 4.0}))
    E, A = linear.descriptor.pencil
    found = scipy.linalg.eigvals(A, E)
    wobble = np.sqrt(-(12 * 4 / 0.25 - 4 * 9.81 / 0.5) / 5 + 0j)
    assert np.abs(found - wobble).min() < 1e-8
    A, *_ = rt.state_space(linear)
    assert np.abs(np.linalg.eigvals(A) - wobble).min() < 1e-9


@pytest.mark.parametrize("v", [1.5, -1.5])
def test_a_sleigh_is_stable_with_its_mass_ahead(v):
    values = {"m": 2.0, "a": 0.3, "I": 0.1}
    gliding = rt.equilibrium(sleigh(), values, speeds={"x": v})
    modes = rt.modes(rt.linearize(gliding))
    decay = -2.0 * 0.3 * v / (0.1 + 2.0 * 0.3**2)
    assert np.abs(modes.eigenvalues - decay).min() < 1e-12
    assert modes.stability.verdict is (rt.Verdict.STABLE if v > 0 else rt.Verdict.UNSTABLE)
    assert not modes.linear.is_holonomic


def test_reactions_of_velocity_constraints_enter_the_stiffness():
    """A blade pressed sideways by the wind: d(A^T multipliers)/dq turns it, which L does not know."""
    x, y, psi = rt.coordinates("x y psi")
    m, inertia, F, c = rt.parameters("m I F c")
    blade = rt.System(
        kinetic=m / 2 * (ddt(x) ** 2 + ddt(y) ** 2) + inertia / 2 * ddt(psi) ** 2,
        potential=c / 2 * psi**2 - F * y,
        constraints=[ddt(y) * cos(psi) - ddt(x) * sin(psi)],
    )
    rest = rt.equilibrium(blade, {"m": 1, "I": 0.5, "F": 3, "c": 2})
    assert rest.multipliers == pytest.approx([3.0])
    # along the blade s'' = F sin(psi) / m, psi'' = -c psi / I: the push is F psi in x
    linear = rt.linearize(rest)
    A, _, _, _ = rt.state_space(linear)
    found = np.sort_complex(np.linalg.eigvals(A))
    assert np.abs(found - 2j).min() < 1e-12
    K = linear.K + linear.H
    assert K[0, 2] == pytest.approx(-3.0)
    assert K[2, 0] == pytest.approx(0.0)


def test_constraints_are_told_apart():
    x, y, psi = rt.coordinates("x y psi")
    phi = rt.coordinate("phi")
    kinds = constraint_kinds(
        rt.System(
            kinetic=sum(ddt(q) ** 2 for q in (x, y, psi, phi)),
            constraints=[
                x + y - 1,
                ddt(x) - 2 * ddt(phi),
                ddt(x * sin(psi)),
                ddt(y) * cos(psi) - ddt(x) * sin(psi),
                ddt(x) - rt.t * y,
                ddt(x) - rt.t,
            ],
        )
    )
    holonomic, integrable, velocity = ConstraintKind
    assert kinds == (holonomic, integrable, integrable, velocity, velocity, integrable)


def test_an_integrable_velocity_constraint_counts_as_the_position_it_holds():
    x, theta = rt.coordinates("x theta")
    m, k, R = rt.parameters("m k R")
    T = m / 2 * ddt(x) ** 2 + m * R**2 / 4 * ddt(theta) ** 2
    values = {"m": 2, "k": 30, "R": 0.4}
    rolling, geared = (
        rt.System(kinetic=T, potential=k / 2 * x**2, constraints=[phi])
        for phi in (ddt(x) - R * ddt(theta), x - R * theta)
    )
    found = [rt.modes(rt.linearize(rt.equilibrium(s, values))) for s in (rolling, geared)]
    for modes in found:
        assert modes.frequencies == pytest.approx([np.sqrt(30 / 3)], rel=1e-12)
    assert "cannot be met" not in str(found[0].linear.reference)


def test_an_input_may_move_a_constraint():
    """A mass on a spring whose other end is led: the same with the end as a coordinate or without."""
    x, y = rt.coordinates("x y")
    m, mu, k, c = rt.parameters("m mu k c")
    u = rt.input("u")
    led = rt.System(
        kinetic=m / 2 * ddt(x) ** 2 + mu * ddt(x) * ddt(y) + ddt(y) ** 2,
        potential=k / 2 * (x - y) ** 2,
        dissipation=c / 2 * (ddt(x) - ddt(y)) ** 2,
        constraints=[2 * (y - u)],
    )
    plain = rt.System(
        kinetic=m / 2 * ddt(x) ** 2 + mu * ddt(x) * ddt(u) + ddt(u) ** 2,
        potential=k / 2 * (x - u) ** 2,
        dissipation=c / 2 * (ddt(x) - ddt(u)) ** 2,
    )
    values = {"m": 2, "mu": 0.3, "k": 5, "c": 0.7}
    outputs = {
        "led": [x, y, ddt(y), ddt(x, 2) + ddt(y, 2)],
        "plain": [x, u, ddt(u), ddt(x, 2) + ddt(u, 2)],
    }
    both = [
        rt.state_space(rt.linearize(rt.equilibrium(s, values, inputs={u: 0.4})), outputs[name])
        for name, s in (("led", led), ("plain", plain))
    ]
    assert both[0].inputs == both[1].inputs
    for one, other in zip(*both, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-12)


def test_redundant_constraints_share_their_force():
    x, y = rt.coordinates("x y")
    k = rt.parameter("k")
    T = (ddt(x) ** 2 + ddt(y) ** 2) / 2
    system = rt.System(kinetic=T, potential=k * x**2 / 2 + y, constraints=[y - x, 2 * (y - x)])
    rest = rt.equilibrium(system, {"k": 1}, guess={x: 1, y: 0.5})
    assert rest.multipliers == pytest.approx([-0.2, -0.4])  # of least norm
    assert "The 2 constraints have rank 1" in str(rest)
    assert rt.modes(rt.linearize(rest)).frequencies == pytest.approx([np.sqrt(0.5)])


def test_contradictory_constraints_are_named():
    x, y = rt.coordinates("x y")
    T = (ddt(x) ** 2 + ddt(y) ** 2) / 2
    system = rt.System(kinetic=T, potential=x**2 + y, constraints=[y, y - 1])
    with pytest.raises(
        rt.SolveError, match=r"contradict each other.*constraint 1, `y`; constraint 2, `y - 1`"
    ):
        rt.equilibrium(system, {}, guess={x: 1})
    moving = rt.System(kinetic=T, potential=x**2, constraints=[ddt(y) - 1])
    with pytest.raises(
        rt.SolveError,
        match=r"Constraint 1, `y' - 1`, is off by -1 at the rates.*give rates \(`speeds`\)",
    ):
        rt.equilibrium(moving, {})


def test_a_constraint_that_is_not_linear_in_velocities_is_refused():
    x, y = rt.coordinates("x y")
    T = ddt(x) ** 2 + ddt(y) ** 2
    with pytest.raises(rt.DeclarationError, match=r"is not linear in the velocities: `x'`.*d'Alembert"):
        rt.System(kinetic=T, constraints=[T - 1])
    with pytest.raises(rt.DeclarationError, match="not linear in the velocities: `y'`"):
        rt.System(kinetic=T, constraints=[ddt(x) * ddt(y)])


def test_index_1_and_saddle_point_form_are_shown():
    """B4 of the worked examples: the pendulum in Cartesian coordinates."""
    x, y = rt.coordinates("x y")
    m, g, l = rt.parameters("m g l")
    found = rt.equations(
        rt.System(
            kinetic=m / 2 * norm2(ddt(vector(x, y))),
            potential=m * g * y,
            constraints=[(x**2 + y**2 - l**2) / 2],
        ),
        simplify=0,
    )
    assert found.saddle.tolist() == [[m, 0, x], [0, m, y], [x, y, 0]]
    assert found.right_side.tolist() == [[0], [-g * m], [-(ddt(x) ** 2) - ddt(y) ** 2]]
    (multiplier,) = found.multipliers
    assert found.index1[2] == x * ddt(x, 2) + y * ddt(y, 2) + ddt(x) ** 2 + ddt(y) ** 2
    assert found.index3[0] == m * ddt(x, 2) + multiplier * x
    assert "gamma = [x'**2 + y'**2]" in found.text("gamma")


def test_verdicts_look_for_families_and_do_not_take_flat_potentials_for_them():
    x, y, psi, z = rt.coordinates("x y psi z")
    blade = [ddt(y) * cos(psi) - ddt(x) * sin(psi)]
    T = (ddt(x) ** 2 + ddt(y) ** 2 + ddt(psi) ** 2) / 2
    more, loss = T + ddt(z) ** 2 / 2, T + ddt(z) ** 2 / 2
    cases = {
        "at rest, damped": ({"kinetic": T, "dissipation": T}, "stable"),
        "on a flat hill": ({"kinetic": more, "potential": -(z**4), "dissipation": loss}, "undecided"),
        "undamped": ({"kinetic": more, "potential": -(z**4), "dissipation": T}, "undecided"),
        "along the blade": (
            {"kinetic": T, "potential": -(x**4) + psi**2 / 2, "dissipation": T}, "undecided"
        ),
        "beside it": ({"kinetic": more}, "undecided"),
    }  # fmt: skip
    for name, (parts, verdict) in cases.items():
        found = rt.stability(rt.linearize(rt.equilibrium(rt.System(**parts, constraints=blade), {})))
        assert str(found.verdict) == verdict, name
        assert not found.nonlinear, name


def test_the_verdict_on_a_disc_does_not_depend_on_its_coordinates():
    """By its centre, with a holonomic height: the same wobble and the same verdict."""
    X, Y, Z, psi, theta, phi = rt.coordinates("X Y Z psi theta phi")
    m, R, g = rt.parameters("m R g")
    frame = rotation(psi, vector(0, 0, 1)) @ rotation(theta, vector(1, 0, 0))
    turn = frame.T @ ddt(frame)
    w = vector(turn[2, 1], turn[0, 2] + ddt(phi), turn[1, 0])
    slip = ddt(vector(X, Y, Z)) + cross(frame @ w, frame @ vector(0, 0, -R))
    inertia = m * R**2 / 4
    system = rt.System(
        kinetic=m / 2 * norm2(ddt(vector(X, Y, Z)))
        + inertia / 2 * (w[0] ** 2 + 2 * w[1] ** 2 + w[2] ** 2),
        potential=m * g * Z,
        constraints=[Z - R * cos(theta), slip[0], slip[1]],
    )
    rolling = rt.equilibrium(system, DISC, guess={Z: 0.5}, speeds={X: 2.0, phi: 4.0})
    modes = rt.modes(rt.linearize(rolling))
    wobble = np.sqrt((12 * 4 / 0.25 - 4 * 9.81 / 0.5) / 5)
    assert modes.frequencies.max() == pytest.approx(wobble, rel=1e-9)
    assert modes.stability.verdict is rt.Verdict.STABLE


def test_no_freedom_left_is_said():
    x, y = rt.coordinates("x y")
    T = (ddt(x) ** 2 + ddt(y) ** 2) / 2
    modes = rt.modes(rt.linearize(rt.equilibrium(rt.System(kinetic=T, constraints=[x, y - 1]), {})))
    assert modes.frequencies.shape == (0,)
    assert modes.shapes.shape == (2, 0)
    assert "The constraints leave no motion" in str(modes.stability)


def test_velocity_constraints_need_mass_and_batches_survive_without():
    x, y, psi = rt.coordinates("x y psi")
    m = rt.parameter("m")
    blade = rt.System(
        kinetic=(ddt(x) ** 2 + ddt(y) ** 2 + m * ddt(psi) ** 2) / 2,
        potential=psi**2 / 2,
        constraints=[ddt(y) * cos(psi) - ddt(x) * sin(psi)],
    )
    with pytest.raises(
        rt.DerivationError, match="every velocity that the system has left must have a mass"
    ):
        rt.modes(rt.linearize(rt.equilibrium(blade, {"m": 0})))
    modes = rt.modes(rt.linearize(rt.equilibrium(blade, {"m": np.array([0, 4.0])})))
    assert np.isnan(modes.eigenvalues[0]).all()
    assert modes.frequencies[1].max() == pytest.approx(0.5)


def test_multipliers_do_not_depend_on_how_constraints_are_scaled():
    x, y, z = rt.coordinates("x y z")
    k, l = rt.parameters("k l")
    system = rt.System(
        kinetic=(ddt(x) ** 2 + ddt(y) ** 2 + ddt(z) ** 2) / 2,
        potential=9.81 * y + k * z,
        constraints=[(x**2 + y**2 - l**2) / 2, k * (z - 0.3)],
    )
    rest = rt.equilibrium(system, {"k": 1e5, "l": 1e-6}, guess={y: -1e-6})
    np.testing.assert_allclose(rt.constraint_forces(rest), [0, 9.81, 1e5], atol=1e-9)
    assert rt.modes(rt.linearize(rest)).frequencies == pytest.approx([np.sqrt(9.81e6)])


@pytest.mark.parametrize("mass", [1e-15, 1e-9, 1, 1e7])
def test_consistent_does_not_depend_on_the_unit_of_mass(mass):
    x, y = rt.coordinates("x y")
    m = rt.parameter("m")
    ring = rt.System(
        kinetic=m * (ddt(x) ** 2 + 4 * ddt(y) ** 2) / 2, constraints=[(x**2 + y**2 - 1) / 2]
    )
    near = rt.consistent(ring, {"m": mass}, {x: 0.9, y: 0.9, ddt(x): 1})
    np.testing.assert_allclose(near.q, [0.6, 0.8], atol=1e-8)
    np.testing.assert_allclose(near.v, [4 / 13, -3 / 13], atol=1e-8)


def test_gyroscopic_system_with_two_constraints_by_four_routes():
    """Multipliers, reduced model, saddle-point pencil and elimination give the same (an oracle)."""
    q = rt.coordinates("q1 q2 q3 q4")
    q1, q2, q3, q4 = q
    v = [ddt(each) for each in q]
    A = 2 * np.eye(4) + np.diag([1 / 3] * 3, 1) + np.diag([1 / 3] * 3, -1)
    mass = sum(A[i, j] * v[i] * v[j] for i in range(4) for j in range(4)) / 2
    mass += (q2**2 * v[0] ** 2 + q1 * v[1] ** 2) / 2
    turning = q2 * q3 * v[0] - q1 * v[1] + (q4**2 + q1) * v[2] + q2 * v[3]
    V = q1**2 + 2 * q2**2 + 3 * q3**2 + q4**2 + q1 * q4 + q3**3 - 2 * q1 + q3
    third, fourth = q1**2 + q1 * q2 + q2 / 2, q2**2 - 3 * q1
    held = rt.System(kinetic=mass + turning, potential=V, constraints=[q3 - third, q4 - fourth])
    rest = rt.equilibrium(held, {})
    np.testing.assert_allclose(rest.q[:2], [0.144091137475449, -0.143111804294990], rtol=1e-12)
    np.testing.assert_allclose(rest.multipliers, [-0.586811482734228, 0.679493710320112], rtol=1e-12)
    linear = rt.linearize(rest)
    frequencies = [0.749283384274962, 1.3977440770529]
    np.testing.assert_allclose(rt.modes(linear).frequencies, frequencies, rtol=1e-11)
    E, A = linear.descriptor.pencil
    pencil = scipy.linalg.eigvals(A, E)
    for frequency in frequencies:
        assert np.abs(pencil - 1j * frequency).min() < 1e-9
    gone = {q3: third, q4: fourth, v[2]: ddt(third), v[3]: ddt(fourth)}
    free = rt.System(kinetic=(mass + turning).subs(gone), potential=V.subs(gone))
    eliminated = rt.modes(rt.linearize(rt.equilibrium(free, {})))
    np.testing.assert_allclose(eliminated.frequencies, frequencies, rtol=1e-11)


def test_symbolic_linear_models_contain_the_multipliers():
    x, y = rt.coordinates("x y")
    m, g, l = rt.parameters("m g l")
    bob = rt.System(
        kinetic=m / 2 * norm2(ddt(vector(x, y))),
        potential=m * g * y,
        constraints=[(x**2 + y**2 - l**2) / 2],
    )
    found = rt.linear_equations(bob, {x: 0, y: -l}, simplify=0)
    (multiplier,) = found.multipliers
    assert found.K.tolist() == [[multiplier, 0], [0, multiplier]]
    assert found.J.tolist() == [[0, -l]]
    assert found.residual.tolist() == [[0], [g * m - l * multiplier]]  # the multiplier is m g / l
    blade = rt.linear_equations(sleigh(), {"x": 2 * rt.t, "y": 0, "psi": 0}, simplify=0)
    assert blade.J.tolist() == [[0, 1, 0]]
    assert blade.W.tolist() == [[0, 0, -2]]
    (side,) = blade.multipliers
    assert (blade.K + blade.H)[0, 2] == -side


@pytest.mark.parametrize("heading", [0.0, np.pi / 3, np.pi / 2, 2.5])
@pytest.mark.parametrize("R", [0.5, 3.0, 1e4])
def test_a_disc_is_judged_alike_in_every_direction_and_unit(heading, R):
    v = 1.1 * np.sqrt(9.81 * R / 3)
    rolling = rt.equilibrium(
        disc(), DISC | {"R": R}, guess={"psi": heading},
        speeds={"x": v * np.cos(heading), "y": v * np.sin(heading), "phi": v / R},
    )  # fmt: skip
    modes = rt.modes(rt.linearize(rolling))
    wobble = np.sqrt((12 * v**2 / R**2 - 4 * 9.81 / R) / 5)
    assert modes.frequencies.max() == pytest.approx(wobble, rel=1e-9)
    assert np.sum(modes.eigenvalues == 0) == 6
    assert modes.stability.verdict is rt.Verdict.STABLE


@pytest.mark.parametrize("kind", ["natural", "quaternion"])
@pytest.mark.parametrize("a", [0.1, 1.0])
def test_a_ball_on_a_turntable_goes_in_circles_at_two_sevenths_of_its_rate(kind, a):
    x, y = rt.coordinates("x y")
    m, radius, Omega = rt.parameters("m a Omega")
    R = rt.rotation_matrix("R") if kind == "natural" else rt.quaternion("e")
    w = rt.angular_velocity(R, "space")
    slip = (
        ddt(vector(x, y, 0))
        + cross(w, vector(0, 0, -radius))
        - cross(vector(0, 0, Omega), vector(x, y, 0))
    )
    inertia = 2 * m * radius**2 / 5
    ball = rt.System(
        kinetic=rt.rigid_body(m, (inertia,) * 3, vector(x, y, radius), R),
        constraints=[*R.constraints, slip[0], slip[1]],
    )
    values = {"m": 2, "a": a, "Omega": 3}
    modes = rt.modes(rt.linearize(rt.equilibrium(ball, values, guess=R.start())))
    assert np.abs(modes.eigenvalues - 6j / 7).min() < 1e-8
    start = rt.consistent(ball, values, {x: 0.5, ddt(x): 0.2, **R.start()}, keep=[x, y, ddt(x), ddt(y)])
    motion = rt.simulate(ball, values, start, np.linspace(0, 14 * np.pi / 6, 8))
    np.testing.assert_allclose(motion.q[-1, :2], motion.q[0, :2], atol=1e-6)  # a full circle


def test_a_batch_does_not_depend_on_its_company():
    x, y, psi = rt.coordinates("x y psi")
    k, h = rt.parameters("k h")
    blade = ddt(y) * cos(psi) - ddt(x) * sin(psi)
    T = (ddt(x) ** 2 + ddt(y) ** 2 + ddt(psi) ** 2) / 2
    spring = rt.System(kinetic=T, potential=k * x**2 / 2 + 2 * psi**2, constraints=[blade])
    for order in ([0.0, 10.0], [10.0, 0.0]):
        modes = rt.modes(rt.linearize(rt.equilibrium(spring, {"k": np.array(order)})))
        alone = [rt.modes(rt.linearize(rt.equilibrium(spring, {"k": each}))) for each in order]
        np.testing.assert_allclose(modes.eigenvalues, [each.eigenvalues for each in alone], atol=1e-12)
        assert [str(v) for v in modes.stability.verdict] == [
            str(each.stability.verdict) for each in alone
        ]
    turned = rt.System(
        kinetic=T, potential=(10 * x**2 + 20 * y**2) / 2 + 2 * (psi - h) ** 2, constraints=[blade]
    )
    angles = np.array([0.0, np.pi / 2])
    linear = rt.linearize(rt.equilibrium(turned, {"h": angles}, guess={psi: angles}))
    for k, stiffness in enumerate((10, 20)):
        values = np.linalg.eigvals(rt.state_space(linear).A[k])
        assert np.abs(values - 1j * np.sqrt(stiffness)).min() < 1e-9
    assert rt.state_space(linear).velocities is None


def test_redundant_velocity_constraints_change_nothing():
    x, y, psi = rt.coordinates("x y psi")
    blade = ddt(y) * cos(psi) - ddt(x) * sin(psi)
    T = (ddt(x) ** 2 + ddt(y) ** 2 + ddt(psi) ** 2) / 2
    for sign, verdict in ((1, rt.Verdict.STABLE), (-1, rt.Verdict.UNSTABLE)):
        system = rt.System(
            kinetic=T, potential=psi**2 / 2 + sign * x**2, constraints=[blade, 2 * blade]
        )
        linear = rt.linearize(rt.equilibrium(system, {}))
        modes = rt.modes(linear)
        expected = np.sqrt(-2 * sign + 0j)
        assert np.abs(modes.eigenvalues - expected).min() < 1e-9
        assert modes.stability.verdict is verdict
        assert {str(v) for v in rt.state_space(linear).velocities} == {"x'", "psi'"}


def test_speeds_that_meet_a_velocity_constraint_but_for_rounding_are_fine():
    x, phi = rt.coordinates("x phi")
    R = rt.parameter("R")
    wheel = rt.System(kinetic=ddt(x) ** 2 + ddt(phi) ** 2, constraints=[ddt(x) - R * ddt(phi)])
    radii, speeds = np.random.default_rng(0).uniform(0.1, 10, (2, 500))
    assert rt.equilibrium(wheel, {"R": radii}, speeds={x: speeds, phi: speeds / radii}).converged.all()
    with pytest.raises(rt.SolveError, match="it holds velocities: give rates"):
        rt.equilibrium(wheel, {"R": 2}, speeds={x: 1, phi: 1})


@pytest.mark.parametrize("k", [1.0, -1.0])
def test_a_speed_that_runs_away_slowly_is_no_family(k):
    x, y, psi = rt.coordinates("x y psi")
    system = rt.System(
        kinetic=(ddt(x) ** 2 + ddt(y) ** 2 + ddt(psi) ** 2) / 2,
        potential=psi**2 / 2,
        dissipation=ddt(psi) ** 2 / 2,
        constraints=[ddt(y) * cos(psi) - ddt(x) * sin(psi)],
        forces={x: k * (ddt(x) - 1) ** 3},
    )
    gliding = rt.equilibrium(system, {}, speeds={x: 1.0})
    assert rt.stability(rt.linearize(gliding)).verdict is rt.Verdict.UNDECIDED


def test_steering_is_an_input_in_a_velocity_constraint():
    """A car with a blade behind and a steered one in front: y'' = v u' l'/l + v^2 u / l at small angles."""
    x, y, psi = rt.coordinates("x y psi")
    m, inertia, l = rt.parameters("m I l")
    u = rt.input("u")
    rear = ddt(y) * cos(psi) - ddt(x) * sin(psi)
    front = (ddt(y) + l * ddt(psi) * cos(psi)) * cos(psi + u) - (
        ddt(x) - l * ddt(psi) * sin(psi)
    ) * sin(psi + u)
    car = rt.System(
        kinetic=m / 2 * (ddt(x) ** 2 + ddt(y) ** 2) + inertia / 2 * ddt(psi) ** 2,
        constraints=[rear, front],
    )
    values = {"m": 2, "I": 0.5, "l": 0.8}
    driving = rt.equilibrium(car, values, speeds={x: 3.0})
    model = rt.state_space(rt.linearize(driving), outputs=[ddt(psi), ddt(y, 2)])
    steer = model.inputs.index(u)
    s = 0.7j  # transfer functions: psi' = v/l u, y'' = v^2/l u
    G = model.C @ np.linalg.solve(s * np.eye(len(model.A)) - model.A, model.B) + model.D
    total = sum(G[:, k] * s**signal.order for k, signal in enumerate(model.inputs))
    np.testing.assert_allclose(total, [3 / 0.8, 9 / 0.8], atol=1e-9)
    assert steer >= 0
    motion = rt.simulate(
        car, values, {ddt(x): 3.0}, np.linspace(0, 2, 21), inputs={u: 1e-4 * sin(rt.t)}
    )
    np.testing.assert_allclose(motion.v[:, 2], 3 / 0.8 * 1e-4 * np.sin(motion.t), atol=1e-9)
    led = rt.System(kinetic=ddt(x) ** 2 + ddt(y) ** 2 + ddt(psi) ** 2, constraints=[rear, psi - u])
    with pytest.raises(rt.DerivationError, match="no holonomic one contains an input"):
        rt.linearize(rt.equilibrium(led, {}))


def test_a_lost_point_of_a_batch_leaves_the_state_space_of_the_others():
    x, y, psi = rt.coordinates("x y psi")
    u = rt.input("u")
    sledge = rt.System(
        kinetic=(ddt(x) ** 2 + ddt(y) ** 2 + ddt(psi) ** 2) / 2,
        potential=psi**2 / 2,
        dissipation=ddt(x) ** 2 / 10,
        forces={x: 0.4},
        constraints=[ddt(y) * cos(psi + u) - ddt(x) * sin(psi + u)],
    )
    model = rt.state_space(rt.linearize(rt.equilibrium(sledge, {}, speeds={x: np.array([2.0, 1.0])})))
    alone = rt.state_space(rt.linearize(rt.equilibrium(sledge, {}, speeds={x: 2.0})))
    np.testing.assert_allclose(model.A[0], alone.A, atol=1e-12)
    np.testing.assert_allclose(model.B[0], alone.B, atol=1e-12)
    assert np.isnan(model.A[1]).any()
