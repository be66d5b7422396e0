"""Motion: published problems, exact solutions, conserved quantities, and what can go wrong."""

from __future__ import annotations

import re
import signal
from itertools import pairwise

import numpy as np
import pytest
import sympy
from scipy.special import ellipk

import routh as rt
from routh import cos, ddt, dot, exp, norm2, sin, sqrt, t, vector
from routh.analysis.motion import progress


def bob() -> rt.System:
    """The pendulum in Cartesian coordinates."""
    x, y = rt.coordinates("x y")
    m, l, g = rt.parameters("m l g")
    return rt.System(
        kinetic=m / 2 * (ddt(x) ** 2 + ddt(y) ** 2),
        potential=m * g * y,
        constraints=[(x**2 + y**2 - l**2) / 2],
        name="bob",
    )


def double_pendulum() -> rt.System:
    one, two = rt.coordinates("one two")
    r1 = vector(sin(one), -cos(one))
    r2 = r1 + vector(sin(two), -cos(two))
    return rt.System(kinetic=(norm2(ddt(r1)) + norm2(ddt(r2))) / 2, potential=9.81 * (r1[1] + r2[1]))


def four_bars() -> tuple[rt.System, dict]:
    """Double four-bar mechanism (IFToMM A02) by the coordinates of its three moving points."""
    names = [rt.coordinates(f"x{k} y{k}") for k in range(3)]
    ground = [vector(k, 0) for k in range(3)]
    moving = [vector(*pair) for pair in names]

    def rod(a, b):
        va, vb = ddt(a), ddt(b)
        return (norm2(va) + norm2(vb) + dot(va, vb)) / 6

    cranks, bars = list(zip(ground, moving, strict=True)), list(pairwise(moving))
    start: dict = {}
    for k, (x, y) in enumerate(names):
        start |= {x: k, y: 1, ddt(x): 1}
    return rt.System(
        kinetic=[rod(a, b) for a, b in (*cranks, *bars)],
        potential=[9.81 * (a[1] + b[1]) / 2 for a, b in (*cranks, *bars)],
        constraints=[(norm2(b - a) - 1) / 2 for a, b in (*cranks, *bars)],
    ), start


def car_axis() -> tuple[rt.System, dict]:
    xl, yl, xr, yr = rt.coordinates("xl yl xr yr")
    k = 10 * 1e-4 / 2
    yb = sin(10 * t) / 10
    xb = sqrt(1 - yb**2)
    left, right = sqrt(xl**2 + yl**2), sqrt((xr - xb) ** 2 + (yr - yb) ** 2)
    half = rt.let("half", (left - 0.5) ** 2 / 2)
    system = rt.System(
        kinetic=k / 2 * sum(ddt(q) ** 2 for q in (xl, yl, xr, yr)),
        potential=half + (right - 0.5) ** 2 / 2 + k * (yl + yr),
        constraints=[xl * xb + yl * yb, (xl - xr) ** 2 + (yl - yr) ** 2 - 1],
    )
    return system, {yl: 0.5, xr: 1, yr: 0.5, ddt(xl): -0.5, ddt(xr): -0.5}


def test_cartesian_pendulum():
    """Hairer's test set: twelve digits in x at t = 1."""
    motion = rt.simulate(
        bob(), {"m": 1, "l": 1, "g": 1}, {"x": 1, "y'": 1}, [0, 1], rtol=1e-13, atol=1e-14
    )
    place = [0.867348640600439322, 0.497701050479672929]
    speed = [-0.0337480180609545196, 0.0588130114652500075]
    np.testing.assert_allclose(motion.q[-1], place, atol=1e-12)
    np.testing.assert_allclose(motion.v[-1], speed, atol=1e-12)
    np.testing.assert_allclose(motion.multipliers[-1], -0.493103151439018788, atol=1e-12)


PUBLISHED = {
    "projection": {
        1e-5: (2.5e-6, 2.3e-3, 1e-15),
        1e-7: (3.0e-9, 7.8e-5, 1e-15),
        1e-9: (1.6e-12, 1.8e-6, 1e-15),
    },
    None: {
        1e-5: (5.6e-1, 9.0e-1, 6.2e-4),
        1e-7: (2.6e-4, 3.5e-2, 6.8e-4),
        1e-9: (1.4e-6, 1.7e-3, 5.7e-6),
    },
}


@pytest.mark.parametrize("stabilize", ["projection", None])
@pytest.mark.parametrize("rtol", [1e-5, 1e-7, 1e-9])
def test_sundials_pendulum_is_met_or_beaten(stabilize, rtol):
    g = 13.750371636040745654980191559621  # the period is 2
    motion = rt.simulate(
        bob(), {"m": 1, "l": 1, "g": g}, {"x": 1}, [0, 30], rtol=rtol, atol=rtol, stabilize=stabilize
    )
    x, y = motion.q[-1]
    errors = abs(x - 1), abs(y), abs(x**2 + y**2 - 1) / 2
    assert all(e <= known for e, known in zip(errors, PUBLISHED[stabilize][rtol], strict=True))


def test_baumgarte_holds_the_constraint_to_the_tolerance():
    motion = rt.simulate(
        bob(), {"m": 1, "l": 1, "g": 9.81}, {"x": 1}, np.linspace(0, 20, 201), stabilize=(10, 10)
    )
    free = rt.simulate(
        bob(), {"m": 1, "l": 1, "g": 9.81}, {"x": 1}, np.linspace(0, 20, 201), stabilize=None
    )
    assert motion.constraint_error < 1e-9
    assert free.constraint_error > 10 * motion.constraint_error


def test_car_axis():
    system, start = car_axis()
    motion = rt.simulate(system, {}, start, [0, 3], rtol=1e-13, atol=1e-15)
    expected = [
        0.04934557842755629, 0.4969894602303324, 1.041742524885400, 0.3739110272652214,
        -0.07705836840321485, 0.007446866596327776, 0.01755681574942899, 0.7703410437794031,
    ]  # fmt: skip
    np.testing.assert_allclose(np.concatenate([motion.q[-1], motion.v[-1]]), expected, atol=1e-10)
    assert motion.energy_error < 1e-12  # the work of the moving constraint is counted


def test_iftomm_a01():
    values = {"m": 1, "l": 1, "g": 9.81}
    motion = rt.simulate(bob(), values, {"x": -1}, np.linspace(0, 10, 101))
    np.testing.assert_allclose(motion.q[-1], [-0.275087462576117, -0.961419205099125], atol=1e-7)
    assert np.ptp(motion.energy) < 5e-5
    period = 4 * ellipk(0.5) / np.sqrt(9.81)
    assert period == pytest.approx(2.367841947576237, rel=1e-14)
    closed = rt.simulate(bob(), values, {"x": -1}, [0, period])
    np.testing.assert_allclose(closed.q[-1], [-1, 0], atol=1e-7)


@pytest.mark.parametrize("rtol", [1e-7, 1e-9])
def test_iftomm_a02_passes_its_singular_position(rtol):
    """When all bars lie in one line, one degree of freedom becomes three."""
    system, start = four_bars()
    motion = rt.simulate(system, {}, start, np.linspace(0, 10, 101), rtol=rtol, atol=rtol / 10)
    assert motion.completed
    state = np.concatenate([motion.q[-1, :2], motion.v[-1, :2]])
    exact = [0.32845811154082, 0.9445185381786, 1.4230514702069, -0.49486884548704]
    np.testing.assert_allclose(state, exact, atol=1e-4)
    assert np.ptp(motion.energy) < 1e-4
    passed = np.diff(np.sign(motion.q[:, 1])) != 0
    assert passed.sum() >= 4


def test_iftomm_a02_at_tolerances_below_its_rounding_stops_and_says_where():
    """Within 1e-6 of the line the accelerations are known to four digits, too few for steps of 1e-11."""
    system, start = four_bars()
    motion = rt.simulate(system, {}, start, np.linspace(0, 10, 101), rtol=1e-11, atol=1e-12)
    assert not motion.completed
    assert "in a singular position" in motion.message
    assert "depends on the others there" in motion.message
    assert np.abs(motion.q[-1, 1]) < 1e-5


def test_double_pendulum_to_nine_digits():
    start = {"one": np.pi / 2, "two": np.pi / 2}
    motion = rt.simulate(double_pendulum(), {}, start, [0, 10], rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(motion.q[-1], [-0.568474664015950175, -0.526393727932404713], atol=1e-9)
    np.testing.assert_allclose(motion.v[-1], [6.07838488576196487, -9.68136068170887879], atol=1e-9)


def kepler() -> rt.System:
    x, y = rt.coordinates("x y")
    return rt.System(kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2, potential=-1 / sqrt(x**2 + y**2))


def henon_heiles() -> rt.System:
    x, y = rt.coordinates("x y")
    return rt.System(
        kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2, potential=(x**2 + y**2) / 2 + x**2 * y - y**3 / 3
    )


def test_kepler_closes():
    system = kepler()
    x, y = system.coordinates
    motion = rt.simulate(system, {}, {x: 0.4, ddt(y): 2.0}, np.linspace(0, 2 * np.pi, 9))
    np.testing.assert_allclose(motion.q[-1], [0.4, 0], atol=1e-6)
    np.testing.assert_allclose(motion.energy, -0.5, rtol=1e-7)
    np.testing.assert_allclose(motion[x * ddt(y) - y * ddt(x)], 0.8, rtol=1e-7)


HENON_HEILES = [0.03670891970302608, 0.6826922399017149, 0.04716396717584516, -0.02530595881386305]


@pytest.mark.parametrize("method", ["DOP853", "Adams", "BDF", "Radau", "variational"])
def test_every_method_gets_henon_heiles(method):
    system = henon_heiles()
    x, y = system.coordinates
    loose = method in ("BDF", "Radau")
    motion = rt.simulate(
        system,
        {},
        {x: 0.1, ddt(y): 0.5},
        np.linspace(0, 10, 11),
        method=method,
        rtol=1e-9 if loose else 1e-11,
    )
    assert motion.energy[0] == pytest.approx(0.13)
    state = np.concatenate([motion.q[-1], motion.v[-1]])
    np.testing.assert_allclose(state, HENON_HEILES, atol=1e-7 if loose else 1e-9)
    assert motion.statistics.methods == (method,)


def test_a_variational_run_keeps_its_energy_error_bounded():
    system = henon_heiles()
    x, y = system.coordinates
    motion = rt.simulate(
        system, {}, {x: 0.1, ddt(y): 0.5}, np.linspace(0, 2000, 2001), method="variational", rtol=1e-6
    )
    early, late = (
        np.abs(part).max() for part in (motion.power_balance[:200], motion.power_balance[-200:])
    )
    assert late < 2 * early
    assert motion.completed


def test_a_variational_run_with_a_constraint():
    values = {"m": 1, "l": 1, "g": 9.81}
    motion = rt.simulate(
        bob(), values, {"x": -1}, np.linspace(0, 100, 1001), method="variational", rtol=1e-8
    )
    assert motion.constraint_error < 1e-14
    assert motion.constraint_rate_error < 1e-12
    np.testing.assert_allclose(motion.q[100], [-0.275087462576117, -0.961419205099125], atol=1e-6)
    early, late = (
        np.abs(part).max() for part in (motion.power_balance[:200], motion.power_balance[-200:])
    )
    assert late < 2 * early


def light_cart_pole() -> rt.System:
    X, theta = rt.coordinates("X theta")
    pole = vector(X + sin(theta), -cos(theta))
    return rt.System(kinetic=1e-6 / 2 * ddt(X) ** 2 + norm2(ddt(pole)) / 2, potential=9.81 * pole[1])


def test_light_cart_pole_has_no_false_success():
    """SciPy's solvers at their defaults claim success here with errors of 0.09 to 3.9."""
    quarter = 0.451524535681659
    motion = rt.simulate(light_cart_pole(), {}, {"theta": np.pi / 2}, [0, quarter])
    assert motion.completed
    assert motion.q[-1] == pytest.approx([1, 0], abs=1e-5)
    checked = rt.simulate(light_cart_pole(), {}, {"theta": np.pi / 2}, [0, 4 * quarter], check=True)
    assert np.abs(checked.global_error[-1, :2]).max() < 1e-4
    crude = rt.simulate(
        light_cart_pole(), {}, {"theta": np.pi / 2}, [0, 2], method="BDF", rtol=1e-3, atol=1e-3
    )
    assert crude.status is rt.Status.DOUBTFUL
    assert not crude.completed
    assert "do not trust it" in crude.message


def top(R) -> rt.System:
    r = R @ vector(0, 1, 0)
    return rt.System(
        kinetic=rt.rigid_body(15, (0.234375, 0.46875, 0.234375), r, R),
        potential=15 * 9.81 * r[2],
        constraints=R.constraints,
    )


@pytest.mark.parametrize("description", ["natural", "quaternion", "angles"])
def test_heavy_top_in_three_descriptions(description):
    spin = (0, 150, -4.61538)
    if description == "angles":
        a, b, c = rt.coordinates("a b c")
        R = rt.euler_angles("xzy", a, b, c)
        start = {ddt(a): spin[0], ddt(b): spin[2], ddt(c): spin[1]}
    else:
        R = rt.rotation_matrix("R") if description == "natural" else rt.quaternion("e")
        start = R.start(spin=spin)
    motion = rt.simulate(top(R), {}, start, [0, 1])
    final = np.array([[motion[entry][-1] for entry in R[i, :]] for i in range(3)])
    e0 = np.sqrt(1 + np.trace(final)) / 2
    skew = [final[2, 1] - final[1, 2], final[0, 2] - final[2, 0], final[1, 0] - final[0, 1]]
    found = [e0, *(s / (4 * e0) for s in skew)]
    np.testing.assert_allclose(found, [0.73294398, -0.27828572, 0.53182461, -0.32017614], atol=1.5e-7)
    assert motion.constraint_error < 1e-14


def test_a_feedback_law_holds_a_pendulum_up():
    theta, F = rt.coordinate("theta"), rt.input("F")
    m, l, g = rt.parameters("m l g")
    tip = l * vector(sin(theta), -cos(theta))
    pushed = rt.System(
        kinetic=m / 2 * norm2(ddt(tip)),
        potential=m * g * tip[1],
        forces={theta: F},
    )
    values = {"m": 2, "l": 0.5, "g": 9.81}
    law = -40 * (theta - rt.pi) - 5 * ddt(theta)
    motion = rt.simulate(pushed, values, {theta: 3.0}, np.linspace(0, 5, 51), inputs={F: law})
    assert motion.q[-1, 0] == pytest.approx(np.pi, abs=1e-6)
    np.testing.assert_allclose(
        motion[F], -40 * (motion.q[:, 0] - np.pi) - 5 * motion.v[:, 0], atol=1e-12
    )
    assert motion.energy_error < 1e-8
    # the same with the law written into the system
    built_in = rt.System(kinetic=m / 2 * norm2(ddt(tip)), potential=m * g * tip[1], forces={theta: law})
    other = rt.simulate(built_in, {"m": 2, "l": 0.5, "g": 9.81}, {theta: 3.0}, motion.t)
    np.testing.assert_allclose(motion.q, other.q, atol=1e-8)


def test_inputs_as_numbers_expressions_and_functions_agree():
    x, u = rt.coordinate("x"), rt.input("u")
    led = rt.System(kinetic=(ddt(x) + ddt(u)) ** 2 / 2, potential=2 * x**2)  # x'' + 4 x = -u''
    times = np.linspace(0, 3, 31)
    exact = 0.1 * 9 / (4 - 9) * (np.sin(3 * times) - 1.5 * np.sin(2 * times))
    by_expression = rt.simulate(led, {}, {}, times, inputs={u: sin(3 * t) / 10})
    np.testing.assert_allclose(by_expression.q[:, 0], exact, atol=1e-8)
    functions = {
        u: lambda s: np.sin(3 * s) / 10,
        ddt(u): lambda s: 0.3 * np.cos(3 * s),
        ddt(u, 2): lambda s: -0.9 * np.sin(3 * s),
    }
    by_functions = rt.simulate(led, {}, {}, times, inputs=functions)
    np.testing.assert_allclose(by_functions.q[:, 0], exact, atol=1e-8)
    np.testing.assert_allclose(by_functions[ddt(u, 2)], -0.9 * np.sin(3 * times), atol=1e-12)
    pushed = rt.System(kinetic=ddt(x) ** 2 / 2, potential=2 * x**2, forces={x: u})
    steady = rt.simulate(pushed, {}, {}, times, inputs={u: 2.0})
    np.testing.assert_allclose(steady.q[:, 0], 0.5 * (1 - np.cos(2 * times)), atol=1e-8)
    ramp = rt.simulate(pushed, {}, {}, times, inputs={ddt(u): 2.0})
    np.testing.assert_allclose(ramp.q[:, 0], 0.5 * times - np.sin(2 * times) / 4, atol=1e-8)


def test_power_balance_counts_forces_damping_and_time():
    x, y = rt.coordinates("x y")
    k, c = rt.parameters("k c")
    shaken = rt.System(
        kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2,
        potential=k / 2 * (x - sin(t)) ** 2 + y**2 * x + y**4,
        dissipation=c / 2 * ddt(y) ** 2,
        forces=[rt.force(vector(-y, x), at=vector(x, y))],
    )
    motion = rt.simulate(shaken, {"k": 3, "c": 0.2}, {"x": 0.3, "y": 0.4}, np.linspace(0, 8, 81))
    assert np.ptp(motion.energy) > 0.1
    assert motion.energy_error < 1e-8


def test_velocity_constraints_keep_the_energy_and_their_rows():
    """Chaplygin's sleigh: without work, and along the exact circle of a skate with a at its mass."""
    x, y, psi = rt.coordinates("x y psi")
    sleigh = rt.System(
        kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2 + ddt(psi) ** 2 / 4,
        constraints=[ddt(y) * cos(psi) - ddt(x) * sin(psi)],
    )
    motion = rt.simulate(sleigh, {}, {ddt(x): 2, ddt(psi): 1}, np.linspace(0, 2 * np.pi, 13))
    np.testing.assert_allclose(motion.q[:, 0], 2 * np.sin(motion.t), atol=1e-7)
    np.testing.assert_allclose(motion.q[:, 1], 2 * (1 - np.cos(motion.t)), atol=1e-7)
    assert motion.constraint_error < 1e-15 * 10
    assert motion.energy_error < 1e-8


def test_a_rolling_disc_wobbles_as_its_linear_model_says():
    from rolling import DISC, disc

    system = disc()
    v = 2.0
    rolling = rt.equilibrium(system, DISC, speeds={"x": v, "phi": v / 0.5})
    wobble = rt.modes(rt.linearize(rolling)).frequencies.max()
    x, _, _, theta, phi = system.coordinates
    start = rt.consistent(
        system, DISC, {ddt(x): v, ddt(phi): v / 0.5, theta: 1e-4}, keep=[theta, ddt(phi)]
    )
    times = np.linspace(0, 3, 301)
    motion = rt.simulate(system, DISC, start, times)
    lean = motion[theta]
    fitted = np.linalg.lstsq(
        np.stack([np.cos(wobble * times), np.sin(wobble * times), np.ones_like(times)], axis=1),
        lean,
        rcond=None,
    )
    assert np.abs(fitted[1]).max(initial=0) < 1e-12  # the square of what the wobble leaves
    assert motion.energy_error < 1e-9


def test_redundant_constraints_move_as_one():
    x, y = rt.coordinates("x y")
    one, two = (x**2 + y**2 - 1) / 2, 3 * (x**2 + y**2 - 1)
    T, V = (ddt(x) ** 2 + ddt(y) ** 2) / 2, 9.81 * y
    times = np.linspace(0, 3, 31)
    single = rt.simulate(rt.System(kinetic=T, potential=V, constraints=[one]), {}, {x: 1}, times)
    double = rt.simulate(rt.System(kinetic=T, potential=V, constraints=[one, two]), {}, {x: 1}, times)
    np.testing.assert_allclose(double.q, single.q, atol=1e-8)
    multiplier = single.multipliers[:, 0]
    np.testing.assert_allclose(double.multipliers, np.outer(multiplier, [1, 6]) / 37, atol=1e-6)
    assert "The 2 constraints have rank 1" in str(double)
    assert "rank" not in str(single)


def test_a_massless_point_is_fine_where_constraints_determine_it():
    """A massless pulley block between two masses: only the saddle-point matrix is regular."""
    x, y, z = rt.coordinates("x y z")
    g = 9.81
    system = rt.System(
        kinetic=ddt(x) ** 2 / 2 + ddt(z) ** 2,
        potential=g * x + 2 * g * z,
        constraints=[x + 2 * y, y - z / 2],
    )
    motion = rt.simulate(system, {}, {}, [0, 1])
    # z = -x: (1 + 2) x'' = -g + 2 g
    assert motion.q[-1] == pytest.approx([g / 6, -g / 12, -g / 6], rel=1e-9)


def test_stiff_equations_are_noticed():
    x, y = rt.coordinates("x y")
    stiff = rt.System(
        kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2,
        potential=x**2 / 2 + y**2 / 2,
        dissipation=1e5 / 2 * (ddt(x) - ddt(y)) ** 2,
    )
    motion = rt.simulate(stiff, {}, {x: 1}, np.linspace(0, 20, 21))
    assert motion.statistics.methods == ("BDF",)
    assert motion.statistics.evaluations < 5000
    mean = (motion.q[:, 0] + motion.q[:, 1]) / 2
    np.testing.assert_allclose(mean, 0.5 * np.cos(motion.t), atol=1e-6)
    tied = rt.System(
        kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2,
        potential=x**2 / 2 + y**2 / 2,
        dissipation=1e5 / 2 * ddt(x) ** 2,
        constraints=[x + y - 1],
    )
    motion = rt.simulate(tied, {}, {x: 1}, np.linspace(0, 20, 21), rtol=1e-6)
    assert motion.statistics.methods == ("Radau",)
    assert motion.completed


def test_a_collision_stops_with_time_and_coordinate():
    x = rt.coordinate("x")
    falling = rt.System(kinetic=ddt(x) ** 2 / 2, potential=-1 / x)
    motion = rt.simulate(falling, {}, {x: 1}, np.linspace(0, 2, 41))
    collapse = np.pi / (2 * np.sqrt(2))
    assert not motion.completed
    assert motion.t[-1] == pytest.approx(collapse, abs=0.06)
    assert f"t = {collapse:.6f}"[:10] in motion.message
    assert "x" in motion.message
    assert np.isfinite(motion.q).all()


def test_what_is_not_finite_is_named():
    x = rt.coordinate("x")
    edge = rt.System(kinetic=ddt(x) ** 2 / 2, potential=sqrt(1 - x))
    motion = rt.simulate(edge, {}, {x: 0.0, ddt(x): 1.0}, np.linspace(0, 5, 51))
    assert not motion.completed
    assert 0 < motion.t[-1] < 2
    assert "Stopped at t = " in motion.message


@pytest.mark.parametrize("kind", ["collision", "escape", "edge"])
def test_no_solver_prints_when_a_motion_ends(kind, capfd):
    x = rt.coordinate("x")
    potential, speed, end = {
        "collision": (-1 / x, 0, np.pi / (2 * np.sqrt(2))),
        "escape": (-(x**4), 0, 0.92703733),
        "edge": (-sqrt(x), -3, 0.34683945),
    }[kind]
    system = rt.System(kinetic=ddt(x) ** 2 / 2, potential=potential)
    motion = rt.simulate(system, {}, {x: 1, ddt(x): speed}, np.linspace(0, 10, 101))
    assert not motion.completed
    assert f"Stopped at t = {end:.6f}"[:21] in motion.message
    assert capfd.readouterr() == ("", "")


def test_a_singular_position_stops_with_time_and_coordinate():
    """By the square root of a place: x^2 = 1 - 2 t, and there is no going on at x = 0."""
    y = rt.coordinate("y")
    root = rt.System(kinetic=y**2 * ddt(y) ** 2 / 2)
    motion = rt.simulate(root, {}, {y: 1.0, ddt(y): -1.0}, np.linspace(0, 1, 21))
    assert not motion.completed
    np.testing.assert_allclose(motion.q[:, 0] ** 2, 1 - 2 * motion.t, atol=1e-6)
    assert motion.t[-1] == pytest.approx(0.5, abs=0.06)
    assert re.search(
        r"Stopped at t = 0\.(49|5).*mass matrix is singular there, along `y`", motion.message
    )
    x, z = rt.coordinates("x z")
    toggle = rt.System(
        kinetic=(ddt(x) ** 2 + ddt(z) ** 2) / 2, constraints=[(x**2 + z**2 - 1) / 2, x - rt.t]
    )
    motion = rt.simulate(toggle, {}, {z: 1, ddt(x): 1}, np.linspace(0, 2, 21))
    assert not motion.completed
    assert motion.t[-1] == pytest.approx(0.9, abs=0.11)
    assert "Stopped at t = 0.999" in motion.message or "Stopped at t = 1" in motion.message


def test_long_runs_show_how_far_they_are(monkeypatch, capsys):
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    monkeypatch.setattr(progress.sys.stderr, "isatty", lambda: True, raising=False)
    rt.simulate(bob(), {"m": 1, "l": 1, "g": 9.81}, {"x": 1}, np.linspace(0, 5, 501))
    assert "simulating" in capsys.readouterr().err
    rt.simulate(bob(), {"m": 1, "l": 1, "g": 9.81}, {"x": 1}, np.linspace(0, 5, 501), progress=False)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("scale", [1e-9, 1e-6, 1.0, 1e9])
@pytest.mark.parametrize("count", [11, 2001])
def test_compiled_runs_do_not_depend_on_the_unit_of_time(scale, count):
    x, k = rt.coordinate("x"), rt.parameter("k")
    spring = rt.System(kinetic=ddt(x) ** 2 / 2, potential=k * x**2 / 2)
    motion = rt.simulate(spring, {"k": scale**-2}, {x: 1}, np.linspace(0, 10 * scale, count))
    np.testing.assert_allclose(motion.q[:, 0], np.cos(motion.t / scale), atol=1e-7)
    assert motion.statistics.methods == ("Adams",)


@pytest.mark.parametrize(
    "times",
    [
        [0, 10, 10 + 1e-14],
        [1e6, 1e6 + 1e-9, 1e6 + 10],
        [1e6, 1e6 + 10, 1e6 + 10 + 1e-9],
        [0, 1e-14, 10],
    ],
)
def test_outputs_may_be_as_close_as_they_like(times):
    x = rt.coordinate("x")
    spring = rt.System(kinetic=ddt(x) ** 2 / 2, potential=x**2 / 2)
    motion = rt.simulate(spring, {}, {x: 1}, times)
    np.testing.assert_allclose(motion.q[:, 0], np.cos(motion.t - times[0]), atol=1e-6)


@pytest.mark.parametrize("speed", [0.0, 1e-18, 1e-12])
def test_a_velocity_of_rounding_size_costs_nothing(speed):
    s, d = rt.coordinates("s d")
    system = rt.System(
        kinetic=1.1 * (ddt(s) ** 2 + ddt(d) ** 2), potential=-1.3 * (cos(s + d) + cos(s - d))
    )
    motion = rt.simulate(system, {}, {s: 1, ddt(d): speed}, [0, 0.5, 20], method="DOP853")
    assert motion.statistics.steps < 300


@pytest.mark.parametrize("way", ["free", "event", "held"])
def test_a_pulse_is_seen_whatever_runs(way):
    x, y = rt.coordinates("x y")
    more = {"constraints": [y]} if way == "held" else {}
    system = rt.System(
        kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2,
        potential=x**2 / 2 + y**2,
        forces={x: exp(-20 * (t - 50) ** 2)},
        **more,
    )
    events = [rt.event(x - 100)] if way == "event" else None
    motion = rt.simulate(system, {}, {}, [0, 100], events=events)
    exact = np.sqrt(np.pi / 20) * np.exp(-1 / 80) * np.sin(50)
    assert motion.q[-1, 0] == pytest.approx(exact, rel=1e-6)


def test_ctrl_c_in_the_second_run_of_a_check_keeps_the_first():
    x, u, k = rt.coordinate("x"), rt.input("u"), rt.parameter("k")
    pushed = rt.System(kinetic=ddt(x) ** 2 / 2, potential=k * x**2 / 2, forces={x: u})
    seen = []

    def impatient(_time: float) -> float:
        seen.append(1)
        if len(seen) == last:
            raise KeyboardInterrupt
        return 1.0

    def run(**more):
        return rt.simulate(
            pushed,
            {"k": np.array([1.0, 4.0])},
            {},
            np.linspace(0, 5, 11),
            inputs={u: impatient},
            **more,
        )

    last = 0
    whole = run()
    last = int(1.3 * len(seen))
    seen.clear()
    kept = run(check=True)
    assert kept.completed.all()
    np.testing.assert_allclose(kept.q, whole.q)


@pytest.mark.parametrize("method", ["Adams", "DOP853"])
def test_a_pulse_written_in_time_is_not_stepped_over(method):
    x, F = rt.coordinate("x"), rt.input("F")
    pushed = rt.System(kinetic=ddt(x) ** 2 / 2, potential=x**2 / 2, forces={x: F})
    times = np.linspace(0, 10, 101)
    motion = rt.simulate(
        pushed, {}, {}, times, inputs={F: exp(-(((t - 5) / 0.05) ** 2))}, method=method
    )
    strength = 0.05 * np.sqrt(np.pi) * np.exp(-(0.05**2) / 4)
    assert motion.q[-1, 0] == pytest.approx(strength * np.sin(5), rel=1e-6)


@pytest.mark.parametrize("method", ["auto", "variational"])
def test_a_signal_interrupts_compiled_code(method, capfd):
    x = rt.coordinate("x")
    pendulum = rt.System(kinetic=ddt(x) ** 2 / 2, potential=-9.81 * cos(x))
    rt.simulate(pendulum, {}, {x: 1}, [0, 1], method=method)
    before = signal.signal(signal.SIGVTALRM, lambda *_: signal.raise_signal(signal.SIGINT))
    ctrl_c = signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where in the background
    signal.setitimer(signal.ITIMER_VIRTUAL, 0.3)  # of this process, however busy the machine is
    try:
        motion = rt.simulate(pendulum, {}, {x: 1}, np.linspace(0, 1e6, 200001), method=method)
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
        signal.signal(signal.SIGINT, ctrl_c)
    assert motion.status is rt.Status.INTERRUPTED
    assert len(motion.t) < 200001
    assert "Interrupted at t = " in str(motion)
    assert capfd.readouterr() == ("", "")


def test_rest_is_no_reason_to_doubt():
    x = rt.coordinate("x")
    wells = rt.System(kinetic=ddt(x) ** 2 / 2, potential=(x**2 - 0.3) ** 2 / 2)
    for check in (False, True):
        motion = rt.simulate(wells, {}, {x: np.sqrt(0.3)}, np.linspace(0, 100, 101), check=check)
        assert motion.completed
        assert motion.statistics.evaluations < 20000


def test_an_input_that_fails_in_the_first_step_leaves_the_start():
    x, F = rt.coordinate("x"), rt.input("F")
    pushed = rt.System(kinetic=ddt(x) ** 2 / 2, forces={x: F})

    def broken(time: float) -> float:
        if time > 0:
            raise ValueError("no data")
        return 0.0

    motion = rt.simulate(pushed, {}, {x: 1}, [0, 1, 2], inputs={F: broken})
    assert motion.status is rt.Status.FAILED
    assert motion.t.tolist() == [0]
    assert "ValueError: no data" in str(motion)
    with pytest.raises(rt.SolveError, match="The law of `F` is not finite at t = 0"):
        rt.simulate(pushed, {}, {x: 1}, [0, 1], inputs={F: 1 / t})


def test_work_is_counted_for_inputs_in_the_energies():
    x, F = rt.coordinate("x"), rt.input("F")
    system = rt.System(kinetic=ddt(x) ** 2 / 2, potential=x**2 - F * x)
    times = np.linspace(0, 10, 101)
    for law in (sin(3 * t), -x - ddt(x) / 10):
        motion = rt.simulate(system, {}, {x: 1}, times, inputs={F: law})
        assert np.ptp(motion.energy) > 0.01
        assert motion.energy_error < 1e-8
    unknown = rt.simulate(system, {}, {x: 1}, times, inputs={F: lambda s: np.sin(3 * s)})
    assert np.isnan(unknown.energy_error)
    assert unknown.completed
    known = rt.simulate(
        system,
        {},
        {x: 1},
        times,
        inputs={F: lambda s: np.sin(3 * s), ddt(F): lambda s: 3 * np.cos(3 * s)},
    )
    assert known.energy_error < 1e-8


@pytest.mark.parametrize("size", [1e-15, 1e-9, 1e6])
def test_small_and_large_motions_are_as_good(size):
    x = rt.coordinate("x")
    spring = rt.System(kinetic=ddt(x) ** 2 / 2, potential=x**2 / 2)
    motion = rt.simulate(spring, {}, {x: size}, np.linspace(0, 10, 11))
    np.testing.assert_allclose(motion.q[:, 0] / size, np.cos(motion.t), atol=1e-7)
    assert motion.completed


def test_rounding_of_the_energy_is_no_reason_to_doubt():
    theta = rt.coordinate("theta")
    pendulum = rt.System(kinetic=ddt(theta) ** 2 / 2, potential=-9.81 * cos(theta))
    motion = rt.simulate(pendulum, {}, {theta: 1e-6}, np.linspace(0, 10, 101))
    assert motion.completed
    np.testing.assert_allclose(motion.q[:, 0], 1e-6 * np.cos(np.sqrt(9.81) * motion.t), atol=1e-13)


def test_the_energy_error_does_not_depend_on_the_unit_of_mass():
    errors = [
        rt.simulate(
            bob(), {"m": m, "l": 1, "g": 9.81}, {"x": 1}, np.linspace(0, 20, 21), rtol=1e-4
        ).energy_error
        for m in (1e-6, 1, 1e6)
    ]
    np.testing.assert_allclose(errors, errors[0], rtol=0.05)
    assert 1e-6 < errors[0] < 1e-2


def test_an_input_that_fails_on_the_way_keeps_what_was_computed():
    x, u = rt.coordinate("x"), rt.input("u")
    pushed = rt.System(kinetic=ddt(x) ** 2 / 2, potential=x**2 / 2, forces={x: u})
    motion = rt.simulate(pushed, {}, {}, np.linspace(0, 10, 101), inputs={u: lambda s: 1 / int(s < 3)})
    assert not motion.completed
    assert 2 < motion.t[-1] <= 3
    assert "The input `u`" in motion.message
    assert "ZeroDivisionError" in motion.message


def test_a_pulse_between_outputs_is_not_stepped_over():
    x, u = rt.coordinate("x"), rt.input("u")
    pushed = rt.System(kinetic=ddt(x) ** 2 / 2, potential=x**2 / 2, forces={x: u})
    motion = rt.simulate(
        pushed, {}, {}, np.linspace(0, 10, 2001), inputs={u: lambda s: 1.0 if 5 < s < 5.01 else 0.0}
    )
    assert np.abs(motion.q).max() == pytest.approx(0.01, rel=1e-3)


def test_constraints_that_come_to_contradict_each_other_stop_the_run():
    x, y = rt.coordinates("x y")
    system = rt.System(
        kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2, constraints=[x - 1, x - 1 - (t - 1) ** 2 / 2]
    )
    motion = rt.simulate(system, {}, {x: 1}, np.linspace(1, 3, 21))
    assert not motion.completed
    assert "constraint 2 depends on the others" in motion.message


def test_a_chaotic_run_is_doubted_when_a_second_one_contradicts_it():
    start = {"one": 2.0, "two": 2.5}
    motion = rt.simulate(double_pendulum(), {}, start, np.linspace(0, 60, 61), check=True)
    assert motion.status is rt.Status.DOUBTFUL


def test_a_variational_run_finds_its_step_where_it_is_needed():
    system = kepler()
    x, y = system.coordinates
    motion = rt.simulate(
        system, {}, {x: 1.9, ddt(y): np.sqrt(0.1 / 1.9)}, np.linspace(0, 6 * np.pi, 301),
        method="variational", rtol=1e-9,
    )  # fmt: skip
    np.testing.assert_allclose(motion.q[-1], [1.9, 0], atol=1e-4)
    assert motion.completed


def test_the_variational_method_is_of_order_six():
    from routh.kernels.discrete_action import variational

    system = henon_heiles()
    engine = variational(system)
    start = np.array([0.1, 0, 0, 0.5, 0])
    errors = []
    for count in (16, 32, 64):
        state = engine.stepped(start, np.zeros(0), 10 / count, count)[:4]
        errors.append(np.abs(state - HENON_HEILES).max())
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert orders[-1] == pytest.approx(6, abs=0.4)
    back = np.array([*state[:2], *-state[2:], 0])
    returned = engine.stepped(back, np.zeros(0), 10 / 64, 64)[:4]
    np.testing.assert_allclose(returned, [0.1, 0, 0, -0.5], atol=1e-12)


def test_a_motion_is_read_between_its_outputs():
    motion = rt.simulate(double_pendulum(), {}, {"one": 1.0}, np.linspace(0, 2, 5))
    finer = rt.simulate(double_pendulum(), {}, {"one": 1.0}, np.linspace(0, 2, 41))
    between = motion(np.linspace(0.1, 1.9, 19))
    np.testing.assert_allclose(between.q[:, 0], finer.q[2:-1:2, 0], atol=1e-7)
    with pytest.raises(rt.DeclarationError, match="The motion is known from t = 0 to 2"):
        motion([3.0])


@pytest.mark.parametrize("more", [{}, {"method": "DOP853"}])
def test_a_chaotic_motion_is_the_same_one_between_its_outputs(more):
    motion = rt.simulate(double_pendulum(), {}, {"one": 2, "two": 2.5}, np.linspace(0, 15, 151), **more)
    for times in (np.linspace(0, 15, 16), np.array([14.95, 15.0]), np.array([0, 7.5])):
        places = np.round(times * 10).astype(int)
        shared = np.isclose(motion.t[places], times)
        np.testing.assert_allclose(motion(times).q[shared], motion.q[places[shared]], atol=1e-6)


def test_a_law_that_switches_needs_no_derivative():
    x, F = rt.coordinate("x"), rt.input("F")
    pushed = rt.System(kinetic=ddt(x) ** 2 / 2, forces={x: F})
    motion = rt.simulate(pushed, {}, {}, np.linspace(0, 2, 21), inputs={F: sympy.Heaviside(t - 1)})
    np.testing.assert_allclose(motion.q[:, 0], np.maximum(motion.t - 1, 0) ** 2 / 2, atol=1e-6)


def test_chattering_stops_with_a_sentence():
    """A bang-bang law slides along its switching line, where no step is small enough."""
    x, F = rt.coordinate("x"), rt.input("F")
    system = rt.System(kinetic=ddt(x) ** 2 / 2, forces={x: F})
    motion = rt.simulate(system, {}, {x: 1}, np.linspace(0, 5, 51), inputs={F: -sympy.sign(x + ddt(x))})
    assert motion.status is rt.Status.STUCK
    assert motion.statistics.steps > 1000
    assert "a jump" in motion.message
    assert 0.5 < motion.t[-1] < 5


def test_a_batch_of_motions_adds_leading_axes():
    theta = rt.coordinate("theta")
    l = rt.parameter("l")
    pendulum = rt.System(kinetic=l**2 * ddt(theta) ** 2 / 2, potential=-9.81 * l * cos(theta))
    times = np.linspace(0, 2, 21)
    lengths = np.array([0.5, 1.0, 2.0])
    many = rt.simulate(pendulum, {"l": lengths}, {theta: np.array([[0.3], [1.0]])}, times)
    assert many.q.shape == (2, 3, 21, 1)
    assert many.energy_error.shape == (2, 3)
    assert many.completed.all()
    one = rt.simulate(pendulum, {"l": 2.0}, {theta: 1.0}, times)
    np.testing.assert_allclose(many.q[1, 2], one.q, atol=1e-12)
    np.testing.assert_allclose(many[sin(theta)][1, 2], np.sin(one.q[:, 0]), atol=1e-12)


def test_check_reports_the_global_error():
    motion = rt.simulate(double_pendulum(), {}, {"one": 2.0}, np.linspace(0, 10, 11), check=True)
    plain = rt.simulate(double_pendulum(), {}, {"one": 2.0}, np.linspace(0, 10, 11))
    exact = rt.simulate(double_pendulum(), {}, {"one": 2.0}, np.linspace(0, 10, 11), rtol=1e-13)
    real = np.abs(plain.q - exact.q).max()
    told = np.abs(motion.global_error[:, :2]).max()
    assert told == pytest.approx(real, rel=0.2)
    assert np.abs(motion.q - exact.q).max() < real
    assert "Largest difference to a run at a hundred times the tolerance" in str(motion)


def test_rod_tension_and_forces_on_points():
    """B7 of the worked examples: the double pendulum in Cartesian coordinates."""
    x1, y1, x2, y2 = rt.coordinates("x1 y1 x2 y2")
    m, l, g = rt.parameters("m l g")
    r1, r2 = vector(x1, y1), vector(x2, y2)
    rods = [(norm2(r1) - l**2) / 2, (norm2(r2 - r1) - l**2) / 2]
    system = rt.System(
        kinetic=m / 2 * (norm2(ddt(r1)) + norm2(ddt(r2))), potential=m * g * (y1 + y2), constraints=rods
    )
    p, d, length = np.array([0.5, -0.3]), np.array([0.8, -1.1]), 1.2
    place = length * np.cumsum(np.stack([np.sin(p), -np.cos(p)], axis=1), axis=0)
    speed = length * np.cumsum(np.stack([np.cos(p) * d, np.sin(p) * d], axis=1), axis=0)
    start = dict(
        zip([*system.coordinates, *system.velocities], [*place.ravel(), *speed.ravel()], strict=True)
    )
    motion = rt.simulate(system, {"m": 1.5, "l": 1.2, "g": 9.81}, start, [0, 0.1])
    a = [-7.81458954448636, -3.39399838907490, 1.55800361076142, -4.77339787940277]
    np.testing.assert_allclose(motion.a[0], a, rtol=1e-12)
    np.testing.assert_allclose(motion.multipliers[0], [16.3127155051552, 6.59008917005659], rtol=1e-12)
    upper, lower = motion.multipliers[0]
    on_lower = rt.constraint_forces(motion, at=r2)[0]
    np.testing.assert_allclose(on_lower, -lower * (place[1] - place[0]), rtol=1e-10)
    of_upper_rod = rt.constraint_forces(motion, at=r1, of=rods[0])[0]
    np.testing.assert_allclose(of_upper_rod, -upper * place[0], rtol=1e-10)
    assert np.linalg.norm(of_upper_rod) == pytest.approx(upper * length)
    every = rt.constraint_forces(motion)[0]
    np.testing.assert_allclose(every, 1.5 * np.array(a) + [0, 1.5 * 9.81, 0, 1.5 * 9.81], rtol=1e-10)
    with pytest.raises(rt.DerivationError, match="not those of a single force at this point"):
        rt.constraint_forces(motion, at=r1 + r2)


def test_b8_crane_with_a_prescribed_length():
    X, x, y = rt.coordinates("X x y")
    F, r = rt.input("F"), rt.input("r")
    crane = rt.System(
        kinetic=5 / 2 * ddt(X) ** 2 + ddt(x) ** 2 + ddt(y) ** 2,
        potential=2 * 9.81 * y,
        constraints=[((x - X) ** 2 + y**2 - r**2) / 2],
        forces={X: F},
    )
    th, d, length, rate = 0.4, -0.5, 1.5, -0.2
    start = {
        x: length * np.sin(th), y: -length * np.cos(th), ddt(X): 0.3,
        ddt(x): 0.3 + rate * np.sin(th) + length * d * np.cos(th),
        ddt(y): -rate * np.cos(th) + length * d * np.sin(th),
    }  # fmt: skip
    motion = rt.simulate(crane, {}, start, [0, 0.5], inputs={F: 3, r: 1.5 - 0.2 * t + 0.05 * t**2})
    np.testing.assert_allclose(
        motion.a[0], [1.93303345264017, -3.33258363160041, -1.92769847788334], rtol=1e-12
    )
    np.testing.assert_allclose(motion.multipliers[0], [11.4104662245520], rtol=1e-12)
    assert motion.energy_error < 1e-8


def test_b3_constrained_polar_pendulum():
    l, theta = rt.coordinates("l theta")
    m, l0, g = rt.parameters("m l0 g")
    r = l * vector(sin(theta), -cos(theta))
    system = rt.System(kinetic=m / 2 * norm2(ddt(r)), potential=m * g * r[1], constraints=[l - l0])
    start = {l: 1.5, theta: 0.6, ddt(theta): 1.2}
    motion = rt.simulate(system, {"m": 2, "l0": 1.5, "g": 9.81}, start, [0, 1])
    assert motion.a[0] == pytest.approx([0, -3.69276177600353], abs=1e-12)
    assert motion.multipliers[0] == pytest.approx([20.5130847645279], rel=1e-12)
    force = rt.constraint_forces(motion, at=r)[0]
    np.testing.assert_allclose(
        force, -20.5130847645279 * np.array([np.sin(0.6), -np.cos(0.6)]), rtol=1e-12
    )


def test_ctrl_c_keeps_what_was_computed():
    x, u = rt.coordinate("x"), rt.input("u")
    pushed = rt.System(kinetic=ddt(x) ** 2 / 2, potential=x**2 / 2, forces={x: u})

    def impatient(time: float) -> float:
        if time > 5:
            raise KeyboardInterrupt
        return 1.0

    motion = rt.simulate(pushed, {}, {}, np.linspace(0, 10, 101), inputs={u: impatient})
    assert motion.status is rt.Status.INTERRUPTED
    assert 2 < motion.t[-1] <= 5
    np.testing.assert_allclose(motion.q[:, 0], 1 - np.cos(motion.t), atol=1e-7)
    assert "Interrupted at t = " in motion.message


def test_consistent_is_nearest_by_mass():
    """A heavy and a light mass on a rod that is too short: the light one moves."""
    x, y = rt.coordinates("x y")
    m = rt.parameter("m")
    rod = rt.System(kinetic=(m * ddt(x) ** 2 + ddt(y) ** 2) / 2, constraints=[y - x - 1])
    near = rt.consistent(rod, {"m": 99}, {x: 0, y: 2, ddt(y): 1})
    assert near.q == pytest.approx([0.01, 1.01])
    assert near.v == pytest.approx([0.01, 0.01])
    assert near.moved_q == pytest.approx([0.01, -0.99])
    kept = rt.consistent(rod, {"m": 99}, {x: 0, y: 2, ddt(y): 1}, keep=[y, ddt(y)])
    assert kept.q == pytest.approx([1, 2])
    assert kept.v == pytest.approx([1, 1])
    with pytest.raises(rt.SolveError, match=r"cannot be met|No position near"):
        rt.consistent(rod, {"m": 99}, {x: 0, y: 2}, keep=[x, y])
    with pytest.raises(rt.DeclarationError, match="`keep` lists coordinates and velocities"):
        rt.consistent(rod, {"m": 99}, {x: 0, y: 2}, keep=["z"])


def test_consistent_on_a_circle_is_the_nearest_point():
    x, y = rt.coordinates("x y")
    ring = rt.System(kinetic=ddt(x) ** 2 + 4 * ddt(y) ** 2, constraints=[x**2 + y**2 - 1])
    near = rt.consistent(ring, {}, {x: 1.0, y: 1.0})
    angle = np.linspace(0, np.pi / 2, 100001)
    distance = (np.cos(angle) - 1) ** 2 + 4 * (np.sin(angle) - 1) ** 2
    best = angle[np.argmin(distance)]
    assert near.q == pytest.approx([np.cos(best), np.sin(best)], abs=1e-4)


def _spring(**more):
    x = rt.coordinate("x")
    return rt.System(kinetic=ddt(x) ** 2 / 2, potential=x**2 / 2, **more), x


def refusals():
    plain, x = _spring()
    u = rt.input("u")
    driven = rt.System(kinetic=ddt(x) ** 2 / 2, potential=x**2 / 2, forces={x: u})
    led = rt.System(kinetic=(ddt(x) + ddt(u)) ** 2 / 2, potential=x**2 / 2)
    go = rt.simulate
    values = {"m": 1, "l": 1, "g": 9.81}
    tied = bob()
    z = rt.coordinate("z")
    return {
        "no times": (lambda: go(plain, {}, {}, 3.0), "`times` must list the times.*Got one number"),
        "backwards": (lambda: go(plain, {}, {}, [0, 1, 0.5]), "`times` must rise. Got 1 followed by 0.5"),
        "twice": (lambda: go(plain, {}, {}, [0, 1, 1]), "`times` must rise"),
        "no input": (lambda: go(driven, {}, {}, [0, 1]), "`inputs` lacks `u`.*inputs={u: 0}"),
        "unknown input": (lambda: go(driven, {}, {}, [0, 1], inputs={"w": 1}), "`inputs` has `w`"),
        "inconsistent": (
            lambda: go(tied, values, {"x": 1, "y": 1}, [0, 1]),
            r"`start` violates constraint 1, .*, by 0.5.*consistent\(system, values, start\)",
        ),
        "inconsistent velocity": (
            lambda: go(tied, values, {"x": 1, "x'": 1}, [0, 1]),
            "violates the rate of constraint 1, .*, by 1",
        ),
        "acceleration": (lambda: go(plain, {}, {ddt(x, 2): 1}, [0, 1]), "accelerations follow from"),
        "foreign start": (lambda: go(plain, {}, {z: 1}, [0, 1]), "`start` has `z`"),
        "method": (lambda: go(plain, {}, {}, [0, 1], method="adams"), "Did you mean `Adams`"),
        "tolerance": (lambda: go(plain, {}, {}, [0, 1], rtol=0), "`rtol` must be a number between 0 and 1"),
        "stabilize": (lambda: go(tied, values, {"x": 1}, [0, 1], stabilize="baumgarte"), "`stabilize` must be"),
        "derivative": (
            lambda: go(led, {}, {}, [0, 1], inputs={u: np.sin}),
            r"The equations contain `u''`, which a function of time.*as an expression in t",
        ),
        "feedback": (
            lambda: go(led, {}, {}, [0, 1], inputs={u: -x}),
            "The equations contain .*cannot be a feedback law",
        ),
        "no number": (
            lambda: go(driven, {}, {}, [0, 1], inputs={u: lambda s: "one"}),
            "What the function of `u` gives at t = 0 must be a number",
        ),
        "arguments": (
            lambda: go(driven, {}, {}, [0, 1], inputs={u: lambda s, y: 1}),
            "The input `u` must be a function of one number, the time",
        ),
        "events": (lambda: go(plain, {}, {}, [0, 1], events=[x]), "`events` lists what event"),
        "foreign event": (
            lambda: go(plain, {}, {}, [0, 1], events=[rt.event(z)]),
            "An event, `z`, contains `z`, which is no part of",
        ),
        "position jump": (lambda: rt.event(x, change={x: 0}), "An event changes velocities"),
        "direction": (lambda: rt.event(x, direction=2), "`direction` must be 1"),
        "variational damping": (
            lambda: go(driven, {}, {}, [0, 1], inputs={u: 0}, method="variational"),
            "is for conservative systems.*has `forces`",
        ),
        "uneven": (
            lambda: go(plain, {}, {}, [0, 1, 3], method="variational"),
            "`times` must be evenly spaced.*Got gaps from 1 to 2",
        ),
        "no mass": (
            lambda: go(rt.System(kinetic=ddt(x) ** 2, potential=z**2 + x * z), {}, {}, [0, 1]),
            "do not determine the acceleration of `z` at the start",
        ),
        "no system": (lambda: go(3, {}, {}, [0, 1]), "simulate works on a System"),
    }  # fmt: skip


@pytest.mark.parametrize("case", sorted(refusals()))
def test_what_cannot_be_simulated_is_refused_with_a_sentence(case):
    run, sentence = refusals()[case]
    with pytest.raises(rt.RouthError, match=sentence):
        run()


def test_contradictory_constraints_are_named_before_a_run():
    x, y = rt.coordinates("x y")
    system = rt.System(kinetic=ddt(x) ** 2 + ddt(y) ** 2, constraints=[y, y - 1])
    with pytest.raises(rt.DeclarationError, match=r"`start` violates constraint 2, `y - 1`, by -1"):
        rt.simulate(system, {}, {}, [0, 1])
    with pytest.raises(rt.SolveError, match=r"contradict each other.*`y`.*`y - 1`"):
        rt.consistent(system, {}, {})
