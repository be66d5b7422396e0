"""Cases that are easy to get wrong: bad units, stiff beside soft, drives, kinks, degenerate points."""

from __future__ import annotations

import numpy as np
import pytest
import sympy
from sympy.physics.mechanics import dynamicsymbols

import routh as rt
from routh import cos, ddt, dot, exp, norm2, pi, rotation, sin, t, vector
from routh.results import Reason
from sampling import assert_same

x, y, z = rt.coordinates("x y z")
th = rt.coordinate("theta")
m, M, k, k2, c, F, w = rt.parameters("m M k k2 c F w")
v = ddt(x)


def modes_of(system, values, **more):
    return rt.modes(rt.linearize(rt.equilibrium(system, values, **more)))


def oscillator(**more):
    return rt.System(kinetic=m * v**2 / 2, **more)


# Stiff beside soft -------------------------------------------------------------------------------


@pytest.mark.parametrize("mass", [1e-3, 1e-7, 1e-8, 1e-12])
def test_a_small_mass_does_not_spoil_the_other_eigenvalues(mass):
    """Characteristic polynomial m s^4 + s^3 + (1 + 2 m) s^2 + 2 s + 1."""
    system = rt.System(
        kinetic=M * v**2 / 2 + m * ddt(y) ** 2 / 2,
        potential=k * x**2 / 2 + k2 * (x - y) ** 2 / 2,
        dissipation=c * ddt(y) ** 2 / 2,
    )
    modes = modes_of(system, {"M": 1, "m": mass, "c": 1, "k": 1, "k2": 1})
    expected = np.roots([mass, 1, 1 + 2 * mass, 2, 1])
    error = np.abs(modes.eigenvalues[:, None] - expected).min(axis=1) / np.abs(modes.eigenvalues)
    assert error.max() < 1e-8
    assert modes.stability.verdict is rt.Verdict.ASYMPTOTICALLY_STABLE


def test_without_that_mass_there_is_one_root_less_and_it_comes_last():
    system = oscillator(potential=k * x**2 / 2 + k2 * (x - y) ** 2 / 2, dissipation=c * ddt(y) ** 2 / 2)
    modes = modes_of(system, {"m": 1, "k": 1, "k2": 1, "c": 1})
    expected = np.roots([1, 1, 2, 1])
    assert np.abs(modes.eigenvalues[:, None] - expected).min(axis=1).max() < 1e-13
    assert modes.infinite == 1
    np.testing.assert_allclose(modes.damping, [0.16235898, 1], rtol=1e-7)
    assert modes.frequencies[1] == 0
    assert modes.shapes.shape == (2, 2)


def test_extreme_damping():
    damped = oscillator(potential=k * x**2 / 2, dissipation=c * v**2 / 2)
    for values in ({"m": 1, "c": 1e12, "k": 1}, {"m": 1e-10, "c": 1e4, "k": 100}):
        slow = modes_of(damped, values).eigenvalues[0]
        assert slow == pytest.approx(-values["k"] / values["c"], rel=1e-9)


@pytest.mark.parametrize("damping", [0.0, 1e-5])
def test_soft_modes_beside_stiff_ones_are_no_rigid_motions(damping):
    system = rt.System(
        kinetic=(v**2 + ddt(y) ** 2) / 2,
        potential=k * x**2 / 2 + k2 * y**2 / 2,
        dissipation=c * (v**2 + ddt(y) ** 2) / 2,
    )
    modes = modes_of(system, {"k": 1e-6, "k2": 1e8, "c": damping})
    np.testing.assert_allclose(modes.frequencies, [np.sqrt(1e-6 - damping**2 / 4), 1e4], rtol=1e-9)
    assert not modes.rigid.any()


def test_one_stiff_spring_among_thirty():
    q = rt.coordinates(" ".join(f"x{i}" for i in range(30)))
    system = rt.System(
        kinetic=sum(ddt(a) ** 2 for a in q) / 2,
        potential=[k * q[0] ** 2 / 2, *(a**2 / 2 for a in q[1:])],
    )
    modes = modes_of(system, {"k": 1e12})
    np.testing.assert_allclose(modes.frequencies, [1] * 29 + [1e6], rtol=1e-12)
    assert not modes.rigid.any()


def free_chain(**more):
    return rt.System(
        kinetic=(v**2 + ddt(y) ** 2 + ddt(z) ** 2) / 2,
        potential=[k * (x - y) ** 2 / 2, k2 * (y - z) ** 2 / 2],
        **more,
    )


@pytest.mark.parametrize("stiff", [2e5, 1e7, 1e10])
def test_a_free_chain_of_stiff_and_soft_springs_has_one_rigid_motion(stiff):
    modes = modes_of(free_chain(), {"k": stiff, "k2": 1.0})
    assert modes.rigid.tolist() == [True, False, False]
    soft = (3 + 2 / stiff) / 2 - 9 / 4 / stiff  # to first order in k2/k
    np.testing.assert_allclose(modes.frequencies[1:] ** 2, [soft, 2 * stiff], rtol=1e-5)
    assert modes.stability.reason is Reason.FREE
    batch = rt.stability(rt.linearize(rt.equilibrium(free_chain(), {"k": [stiff, 3.0], "k2": 1.0})))
    assert list(batch.reason) == [Reason.FREE, Reason.FREE]


@pytest.mark.parametrize("stiff", np.logspace(4, 11, 8))
def test_a_passively_damped_free_chain_does_not_flutter(stiff):
    damped = free_chain(dissipation=c * (v - ddt(y)) ** 2 / 2)
    modes = modes_of(damped, {"k": stiff, "k2": 1.0, "c": 0.01})
    assert modes.eigenvalues[:2].tolist() == [0, 0]
    assert modes.stability.reason is Reason.FREE
    assert modes.eigenvalues[4].real == pytest.approx(-0.01, rel=1e-4)


def test_soft_modes_of_an_indefinite_stiffness():
    """K = diag(1e10, e, -e): in the limit w2 = +-e/sqrt(3) for this M."""
    q = rt.coordinates("q1 q2 q3")
    mass = sympy.Matrix([[2, 1, 0], [1, 2, 1], [0, 1, 2]])
    u = sympy.Matrix([ddt(a) for a in q])
    system = rt.System(
        kinetic=(u.T * mass * u)[0] / 2, potential=k * q[0] ** 2 / 2 + k2 * (q[1] ** 2 - q[2] ** 2) / 2
    )
    modes = modes_of(system, {"k": 1e10, "k2": 1e-5})
    np.testing.assert_allclose(np.abs(modes.eigenvalues[[0, 2]]) ** 2, 1e-5 / np.sqrt(3), rtol=1e-9)


def test_shapes_belong_to_eigenvalues_on_every_path():
    """The pencil times the shape vanishes: conservative, general, repaired, singular, with freedoms."""
    strong = rt.System(
        kinetic=(
            sympy.Float("1e-3") * v**2
            + sympy.Float("1e-6") * ddt(y) ** 2
            + sympy.Float("1e-9") * ddt(z) ** 2
        )
        / 2,
        potential=(x**2 + (x - y) ** 2 + (y - z) ** 2 + z**2) / 2,
        dissipation=c * (v**2 + (v + ddt(y)) ** 2 + (ddt(y) + ddt(z)) ** 2 + ddt(z) ** 2) / 2,
    )
    cases = [
        (strong, {"c": 1e6}),
        (strong, {"c": 1e-3}),
        (strong, {"c": 0.0}),
        (free_chain(), {"k": 1e9, "k2": 1.0}),
        (free_chain(dissipation=c * (v - ddt(y)) ** 2 / 2), {"k": 1e5, "k2": 1.0, "c": 0.01}),
        (oscillator(potential=k * x**2 / 2 + k2 * (x - y) ** 2 / 2, dissipation=c * ddt(y) ** 2 / 2),
         {"m": 1, "k": 1, "k2": 1, "c": 1}),
    ]  # fmt: skip
    for system, values in cases:
        modes = modes_of(system, values)
        L = modes.linear
        for s, shape in zip(modes.eigenvalues, modes.eigenvectors.T, strict=True):
            parts = [L.M * s**2, (L.D + L.G) * s, L.K + L.H]
            size = sum(np.abs(part) @ np.abs(shape) for part in parts)
            assert (np.abs(sum(parts) @ shape) <= 1e-7 * size.max()).all()
    slow = modes_of(strong, {"c": 1e6})
    np.testing.assert_allclose(slow.shapes[:, 0], [1 / np.sqrt(2), 1, 1 / np.sqrt(2)], rtol=1e-6)


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
def test_dampers_at_a_massless_node_in_any_unit(scale):
    """The node follows at half speed: m x'' + c/2 x' + k x = 0, and the node may be anywhere."""
    system = oscillator(
        potential=k * x**2 / 2, dissipation=[c * (v - ddt(y)) ** 2 / 2, c * ddt(y) ** 2 / 2]
    )
    values = {"m": scale, "k": 100 * scale, "c": 4 * scale}
    modes = modes_of(system, values)
    np.testing.assert_allclose(modes.eigenvalues[0], -1 + 1j * np.sqrt(99), rtol=1e-10)
    assert modes.eigenvalues[-1] == 0


def test_mixed_batches_pair_lone_roots_like_single_points():
    system = rt.System(
        kinetic=m * v**2 / 2 + M * ddt(y) ** 2 / 2,
        potential=k * x**2 / 2 + (x - y) ** 2 / 2,
        dissipation=ddt(y) ** 2 / 2,
    )
    alone = modes_of(system, {"m": 1, "k": 1, "M": 0.0}).damping
    batch = modes_of(system, {"m": 1, "k": 1, "M": [0.0, 0.3]}).damping
    np.testing.assert_allclose(batch[0], alone, rtol=1e-12)


# Units -------------------------------------------------------------------------------------------


def test_a_soft_torsion_spring_is_not_free():
    system = rt.System(
        kinetic=1e-9 * v**2 / 2 + 1e-18 * ddt(th) ** 2 / 2, potential=k * x**2 / 2 + 1e-12 * th**2 / 2
    )
    rest = rt.equilibrium(system, {"k": 10}, guess={th: 0.1})
    assert rest.free == ()
    np.testing.assert_allclose(rest.q, [0, 0], atol=1e-15)


@pytest.mark.parametrize("radius", [1.0, 1e9, 1.5e11])
def test_constraints_of_very_different_size_all_count(radius):
    R = rt.parameter("R")
    system = rt.System(
        kinetic=m * (v**2 + ddt(y) ** 2 + ddt(z) ** 2) / 2,
        potential=m * 9.81 * y,
        constraints=[(x**2 + y**2 - R**2) / 2, z],
    )
    modes = modes_of(system, {"m": 1, "R": radius}, guess={y: -radius})
    assert modes.frequencies == pytest.approx([np.sqrt(9.81 / radius)], rel=1e-9)


# Time --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rate", [2 * np.pi * f for f in (1, 50, 100, 1000, 1e6)] + [1.0, 1e-5, 7.3e-5])
@pytest.mark.parametrize("shape", [sin, cos])
def test_driven_systems_have_no_equilibrium_at_any_frequency(rate, shape):
    system = oscillator(potential=k * x**2 / 2, forces={x: F * shape(w * t)})
    with pytest.raises(rt.NoEquilibrium, match="`x`"):
        rt.equilibrium(system, {"m": 1, "k": 100, "F": 5, "w": rate})


@pytest.mark.parametrize(
    ("drive", "values"),
    [
        (F * sin(w * t), {"m": 1e-11, "k": 1, "F": 2e-9, "w": 3e5}),
        (sympy.Float("1e-9") * F * sin(t), {"m": 1e-9, "k": 1e-3, "F": 1000.0}),
        (F * exp(-((t - 10) ** 2)), {"m": 1, "k": 1, "F": 1}),
    ],
)
def test_small_drives_and_pulses_are_seen(drive, values):
    with pytest.raises(rt.NoEquilibrium):
        rt.equilibrium(oscillator(potential=k * x**2 / 2, forces={x: drive}), values)


@pytest.mark.parametrize("rate", [1e9, 1e12])
def test_very_fast_drives_are_seen(rate):
    with pytest.raises(rt.NoEquilibrium):
        rt.equilibrium(
            oscillator(potential=k * x**2 / 2, forces={x: sin(w * t)}), {"m": 1, "k": 1, "w": rate}
        )


def test_drives_behind_a_switch_are_seen():
    a, g = rt.parameters("a g")
    stop = oscillator(potential=[-m * g * x, k / 2 * sympy.Max(0, x - 2 - a * sin(w * t)) ** 2])
    with pytest.raises(rt.NoEquilibrium):
        rt.equilibrium(stop, {"m": 1, "g": 10, "k": 100, "a": 0.05, "w": 30}, guess={x: 3})


@pytest.mark.parametrize("rpm", [6000, 5999, 3000, 60])
def test_a_shaft_with_unequal_stiffness_seen_from_outside_depends_on_time(rpm):
    turned = rotation(-w * t) @ vector(x, y)
    system = rt.System(
        kinetic=m * (v**2 + ddt(y) ** 2) / 2,
        potential=3e5 * turned[0] ** 2 / 2 + 5e5 * turned[1] ** 2 / 2,
    )
    rest = rt.equilibrium(system, {"m": 1, "w": rpm * 2 * np.pi / 60})
    with pytest.raises(rt.DerivationError, match=r"depends on time.*`K \+ H`"):
        rt.linearize(rest)


@pytest.mark.parametrize("rate", [1e-3, 1.0, 628.3, 1e5])
def test_time_that_cancels_is_not_mistaken_for_a_drive(rate):
    """Springs between points that turn together, at any rate."""
    turn = rotation(w * t)
    r, anchor = turn @ vector(x, y), turn @ vector(2, 1)
    length = sympy.sqrt(norm2(r - anchor))
    system = rt.System(
        kinetic=m / 2 * norm2(ddt(r)), potential=[k / 2 * (length - 1) ** 2, k * norm2(r)]
    )
    stiff = 1e3 * rate**2
    rest = rt.equilibrium(system, {"m": 1, "k": stiff, "w": rate}, guess={x: 0.5, y: 0.3})
    assert rest.converged
    assert rt.linearize(rest).time is None


def test_frozen_matrices_decide_nothing():
    """Mathieu: unstable, although the frozen potential has a minimum."""
    system = rt.System(kinetic=v**2 / 2, potential=(1 + F * cos(2 * t)) * x**2 / 2)
    linear = rt.linearize(rt.equilibrium(system, {"F": 0.5}), time=0.0)
    verdict = rt.stability(linear)
    assert verdict.reason is Reason.FROZEN
    assert verdict.verdict is rt.Verdict.UNDECIDED
    assert "frozen at t = 0" in str(linear)


def test_only_points_that_move_are_called_time_dependent():
    a = rt.parameter("a")
    system = oscillator(potential=k * x**2 / 2 - a * x, forces={x: F * sin(t)})
    rest = rt.equilibrium(system, {"m": 1, "k": [1, 1, 0], "F": [0, 1, 0], "a": 1})
    expected = [rt.Status.CONVERGED, rt.Status.TIME_DEPENDENT, rt.Status.STALLED]
    assert list(rest.status) == expected
    assert rest.tangent.shape == (3, 1, 1)


# Convergence -------------------------------------------------------------------------------------


def test_forces_that_fade_out_are_no_equilibrium():
    with pytest.raises(rt.SolveError):
        rt.equilibrium(oscillator(potential=exp(x)), {"m": 1})
    bond = oscillator(potential=x**-12 - 2 * x**-6)
    with pytest.raises(rt.SolveError):
        rt.equilibrium(bond, {"m": 1}, guess={x: 1.5})
    assert rt.equilibrium(bond, {"m": 1}, guess={x: 1.05}).q == pytest.approx([1], rel=1e-14)


@pytest.mark.parametrize("power", [3, 4, 6])
@pytest.mark.parametrize("guess", [1.0, -0.5])
def test_degenerate_equilibria_are_undecided(power, guess):
    rest = rt.equilibrium(oscillator(potential=x**power), {"m": 1}, guess={x: guess})
    assert rest.status is rt.Status.DEGENERATE
    assert rest.converged
    assert rest.free == ()
    assert rest.q == pytest.approx([0], abs=1e-6)
    assert rt.stability(rt.linearize(rest)).reason is Reason.DEGENERATE


def test_soft_and_stiff_rows_converge_together():
    system = rt.System(
        kinetic=(v**2 + ddt(th) ** 2) / 2,
        potential=[1e9 * (x**4 / 4 + x**2 / 2 - pi * x), 1e-9 * (-cos(th) - 0.7 * th)],
    )
    for guess in (-2.2, -0.95, 0.3):
        rest = rt.equilibrium(system, {}, guess={x: 1, th: guess})
        assert abs(np.sin(rest.q[1]) - 0.7) < 1e-12


def test_rigid_motions_need_not_be_straight():
    x2, y2 = rt.coordinates("x2 y2")
    dumbbell = rt.System(
        kinetic=(v**2 + ddt(y) ** 2 + ddt(x2) ** 2 + ddt(y2) ** 2) / 2,
        potential=k / 2 * (sympy.sqrt((x2 - x) ** 2 + (y2 - y) ** 2) - 1) ** 2,
    )
    modes = modes_of(dumbbell, {"k": 3}, guess={x2: 0.6, y2: 0.8})
    assert modes.rigid.tolist() == [True, True, True, False]
    assert modes.stability.reason is Reason.FREE
    bead = rt.System(
        kinetic=(v**2 + ddt(y) ** 2) / 2, potential=x**2 + y**2, constraints=[x**2 + y**2 - 1]
    )
    assert modes_of(bead, {}, guess={x: 0.6, y: 0.8}).stability.reason is Reason.FREE


def test_bead_on_a_hoop_through_its_critical_speed():
    """Below w^2 = g/R at the bottom, above it at cos(theta) = g/(w^2 R) with frequency w sin(theta)."""
    r, g = rt.parameters("r g")
    p = r * vector(sin(th) * cos(w * t), sin(th) * sin(w * t), -cos(th))
    hoop = rt.System(kinetic=m / 2 * norm2(ddt(p)), potential=m * g * p[2])
    speeds = np.array([2.0, 3.0, np.sqrt(9.81), 3.2, 4.0, 6.0])
    rest = rt.equilibrium(hoop, {"m": 1, "g": 9.81, "r": 1, "w": speeds}, guess={th: 1.2})
    expected = np.arccos(np.minimum(1, 9.81 / speeds**2))
    np.testing.assert_allclose(rest.q[:, 0], expected, rtol=1e-12, atol=1e-7)
    modes = rt.modes(rt.linearize(rest))
    np.testing.assert_allclose(modes.frequencies[3:, 0], (speeds * np.sin(expected))[3:], rtol=1e-11)
    verdicts = [str(v) for v in modes.stability.verdict]
    assert verdicts == ["stable", "stable", "undecided", "stable", "stable", "stable"]


def test_a_flat_spot_is_no_rigid_motion():
    rest = rt.equilibrium(oscillator(potential=x**4), {"m": 1})
    assert rest.free == ()
    assert rt.stability(rt.linearize(rest)).reason is Reason.MARGINAL


# Structure against rounding ----------------------------------------------------------------------


def test_springs_as_potential_and_as_force_get_the_same_verdict():
    l1, l2, W = rt.parameters("l1 l2 W")

    def e(angle):
        return vector(cos(W * t + angle), sin(W * t + angle))

    r1 = sympy.Rational(2, 5) * e(0) + l1 * e(x)
    r2 = r1 + l2 * e(x + y)
    pull = r2 - sympy.Rational(17, 10) * e(sympy.Rational(3, 10))
    T = [m / 2 * norm2(ddt(r)) for r in (r1, r2)]
    values = {"m": 1.1, "k": 2.7, "l1": 0.7, "l2": 1.3, "W": 1.3}
    stored = rt.System(kinetic=T, potential=k / 2 * norm2(pull))
    forced = rt.System(kinetic=T, forces=[rt.force(-k * pull, at=r2)])
    one, two = (rt.linearize(rt.equilibrium(s, values)) for s in (stored, forced))
    assert not two.H.any()
    assert rt.stability(one).reason is rt.stability(two).reason


def test_a_point_gets_the_same_verdict_alone_and_in_a_batch():
    W = rt.parameter("W")
    system = rt.System(
        kinetic=[m * (v**2 + ddt(y) ** 2) / 2, W * (x * ddt(y) - y * v)],
        potential=-k * x**2 / 2 - k * y**2,
        dissipation=c * v**2 / 2,
    )
    values = {"m": 1, "k": 1, "W": 3.3}
    alone = rt.stability(rt.linearize(rt.equilibrium(system, values | {"c": 0.0})))
    batch = rt.stability(rt.linearize(rt.equilibrium(system, values | {"c": [0.0, 0.1]})))
    assert alone.reason is batch.reason[0] is Reason.GYROSCOPIC


def test_first_order_lagrangians_with_a_minimum_are_stable():
    linear = rt.linearize(rt.equilibrium(rt.System(lagrangian=x * ddt(y) - (x**2 + y**2) / 2), {}))
    assert rt.stability(linear).reason is Reason.MINIMUM
    np.testing.assert_allclose(rt.modes(linear).eigenvalues, [1j, -1j], atol=1e-14)


def test_weak_effect_of_strong_damping_is_still_damping():
    system = rt.System(
        kinetic=(v**2 + ddt(y) ** 2) / 2,
        potential=x**2 / 2 + (x - y) ** 2 / 2,
        dissipation=c * ddt(y) ** 2 / 2,
    )
    assert (
        rt.stability(rt.linearize(rt.equilibrium(system, {"c": 1e5}))).reason
        is Reason.PERVASIVE_DAMPING
    )


# Kinks and removable singularities ---------------------------------------------------------------


def test_sinc_has_its_slopes_at_zero():
    linear = rt.linearize(rt.equilibrium(oscillator(potential=-k * sympy.sinc(x)), {"m": 1, "k": 3}))
    np.testing.assert_allclose(linear.K, [[1]], rtol=1e-14)


SMOOTH = {
    "a stop far from contact": (
        {"potential": k * x**2 / 2 - F / (2e-6 - x) + 1e3 * k * sympy.Max(0, x - 1.9e-6) ** 2 / 2},
        {"m": 1e-9, "k": 1.0, "F": 2e-19},
    ),
    "contact under a small load": (
        {"potential": k * sympy.Max(0, x) ** 2 / 2 - F * x},
        {"m": 1, "k": 1, "F": 1e-6},
    ),
    "quadratic drag": (
        {"potential": k * x**2 / 2, "dissipation": F * sympy.Abs(v) ** 3 / 3},
        {"m": 1, "k": 1e-3, "F": 500},
    ),
    "drag without stiffness": (
        {"potential": 0 * x, "dissipation": F * sympy.Abs(v) ** 3 / 3},
        {"m": 1, "F": 1},
    ),
    "a cubic well": ({"potential": k * sympy.Abs(x) ** 3 + k * x**2}, {"m": 1, "k": 1}),
}


@pytest.mark.parametrize("case", SMOOTH)
def test_pieces_that_join_smoothly_have_a_linear_model(case):
    parts, values = SMOOTH[case]
    linear = rt.linearize(rt.equilibrium(oscillator(**parts), values))
    assert np.isfinite(linear.K).all()


KINKS = {
    "a slightly one-sided spring": {
        "potential": k * x**2 / 2 + sympy.Rational(1, 25) * k * sympy.Max(0, x) ** 2 / 2
    },
    "weak friction at a stiff spring": {
        "potential": 10**6 * k * x**2 / 2,
        "dissipation": k / 10 * sympy.Abs(v),
    },
    "one-sided spring": {"potential": k * sympy.Max(0, x) ** 2 / 2 + k * x**2 / 2},
    "a sharp valley": {"potential": k * sympy.Abs(x)},
    "dry friction": {"potential": k * x**2 / 2, "dissipation": k * sympy.Abs(v)},
}


@pytest.mark.parametrize("case", KINKS)
def test_there_is_no_linear_model_at_a_kink(case):
    rest = rt.equilibrium(oscillator(**KINKS[case]), {"m": 1, "k": 1})
    with pytest.raises(
        rt.DerivationError, match=r"a kink at the equilibrium, where branches of `(Max|Abs)"
    ):
        rt.linearize(rest)


def test_beside_a_kink_there_is():
    pressed = oscillator(potential=k * sympy.Max(0, x) ** 2 / 2 + k * x**2 / 2 - F * x)
    rest = rt.equilibrium(pressed, {"m": 1, "k": 1, "F": [1.0, -1.0, 0.0]})
    linear = rt.linearize(rest)
    np.testing.assert_allclose(linear.K[:2, 0, 0], [2, 1], rtol=1e-12)
    assert np.isnan(linear.K[2]).all()


# Batches -----------------------------------------------------------------------------------------


def test_failed_points_of_a_batch_are_nan_everywhere():
    a = rt.parameter("a")
    rest = rt.equilibrium(oscillator(potential=k * x**2 / 2 - F * x), {"m": 1, "k": [1.0, 0.0], "F": 1})
    A, *_ = rt.state_space(rt.linearize(rest))
    assert np.isfinite(A[0]).all()
    assert np.isnan(A[1, 1]).any()
    bound = rt.System(
        kinetic=m * (v**2 + ddt(y) ** 2) / 2,
        potential=x**2 + k * y**2,
        constraints=[y - sympy.sqrt(a) * x],
    )
    linear = rt.linearize(rt.equilibrium(bound, {"m": 1, "k": 1, "a": [2.0, -1.0]}))
    assert np.isfinite(linear.K[0]).all()
    assert np.isnan(linear.K[1]).all()


# The language ------------------------------------------------------------------------------------


def test_tidying_keeps_special_angles():
    """cos(x) cos(x + pi/4) + sin(x) sin(x + pi/4) is sqrt(2)/2, also when it multiplies a wave."""
    number = dot(rotation(x) @ vector(1, 0), rotation(x + pi / 4) @ vector(1, 0))
    system = rt.System(
        kinetic=m * (v**2 + ddt(y) ** 2) / 2, potential=k * sympy.expand(number * sin(y))
    )
    assert_same(
        rt.equations(system, simplify=0).residual[1], m * ddt(y, 2) + k * cos(y) / sympy.sqrt(2)
    )


def test_torque_about_the_axis_of_rotation():
    tau = rt.parameter("tau")
    axis = vector(0, 0, 1)
    system = rt.System(kinetic=ddt(th) ** 2, forces=[rt.torque(tau * axis, rotation(th, axis))])
    assert_same(rt.equations(system, simplify=0).Q[0], tau)
    with pytest.raises(rt.DeclarationError, match="must turn with some coordinate"):
        rt.torque(tau * axis, sympy.eye(3))
    with pytest.raises(rt.DeclarationError, match="about an angle is a scalar"):
        rt.torque(tau * axis, th)


@pytest.mark.parametrize(
    "system",
    [
        oscillator(potential=k * sympy.Max(0, x - 1) ** 2 / 2),
        oscillator(potential=k * sympy.Heaviside(t - 5) * x**2),
        rt.System(
            kinetic=m * (v**2 + ddt(y) ** 2) / 2,
            potential=k * (x - y) ** 2 / 2,
            constraints=[ddt(y) - w],
        ),
    ],
    ids=["contact", "switched on", "driven by a constraint"],
)
def test_nothing_false_is_called_conserved(system):
    names = [kept.name for kept in rt.equations(system, simplify=0).conserved]
    assert "momentum of x" not in names
    assert names == (["energy"] if system.potential[0].has(sympy.Max) else [])


def test_unevaluated_derivatives_of_dynamicsymbols_are_carried_out():
    q = dynamicsymbols("q")
    T = sympy.Derivative(sympy.sin(q), dynamicsymbols._t) ** 2 / 2
    system = rt.System.from_dynamicsymbols(T - q**2, [q])
    (ours,) = system.coordinates
    assert_same(rt.equations(system, simplify=0).M[0], cos(ours) ** 2)


def test_ddt_refuses_what_it_cannot_know():
    for unknown in (sympy.Symbol("z"), dynamicsymbols("q")):
        with pytest.raises(rt.DeclarationError, match="cannot know how"):
            ddt(unknown)
