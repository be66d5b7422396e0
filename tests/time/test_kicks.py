"""Narrow features and jumps of prescribed functions of time, against kicked limits and exact matrices."""

from itertools import pairwise

import numpy as np
import pytest
import sympy
from scipy.integrate import quad, solve_ivp
from scipy.linalg import expm

import routh as rt
from routh import cos, ddt, exp, sin, t
from routh.analysis.time.pulses import Span, breaks, cells
from routh.analysis.time.repeats import period_of, repeats
from routh.analysis.time.segments import segments
from routh.mechanics.drives import drives, harmonic, paced

T = 2 * np.pi
x = rt.coordinate("x")
a, b, c, W = rt.parameters("a b c W")


def oscillator(stiffness=1, **more):
    return rt.System(kinetic=ddt(x) ** 2 / 2, potential=stiffness * x**2 / 2, **more)


def free(k, time, damping=0.0):
    """exp(A time) of x'' + damping x' + k x = 0."""
    return expm(np.array([[0.0, 1.0], [-k, -damping]]) * time)


def kick(strength):
    return np.array([[1.0, 0.0], [-strength, 1.0]])


# --- what is found in an expression


def test_functions_of_time_are_the_largest_parts_without_coordinates():
    system = rt.System(
        kinetic=ddt(x) ** 2 / 2,
        potential=(a + b * exp(-(t**2))) * x**2 / 2 + exp(-((x - c * t) ** 2)) + cos(x - sin(W * t)),
        forces={x: rt.let("push", 3 * sympy.tanh(t))},
    )
    found = set(drives(system))
    assert found == {exp(-(t**2)), t, sin(W * t), sympy.tanh(t)}
    assert {each for each in found if harmonic(each) is None} == {exp(-(t**2)), sympy.tanh(t)}
    assert paced(t * cos(3 * t**2 + t))
    assert not paced(cos(t) ** 900)


def test_jumps_are_located_to_the_last_bits():
    span = Span((W,), np.array([[0.3], [0.7]]), np.zeros(2), np.full(2, 7.0))
    found = breaks([sympy.sign(sin(t) - W) + sympy.Mod(t, 2)], span)
    for row, level in zip(found, (0.3, 0.7), strict=True):
        places = sorted(
            [np.arcsin(level), np.pi - np.arcsin(level), T + np.arcsin(level), 0.0, 2.0, 4.0, 6.0]
        )
        places = [p for p in places if p <= 7]
        assert len(row) == len(places)
        for (lo, hi), place in zip(row, places, strict=True):
            assert lo - 1e-15 <= place <= hi + 1e-15
            assert hi - lo < 3e-14  # bounds of quotients are wider than rounding


@pytest.mark.parametrize("width", [1e-2, 1e-5, 1e-9])
def test_cells_hold_the_integral_of_what_is_narrow(width):
    """Four Gauss points in each cell integrate a Gaussian: sqrt(pi), to the thousandth they promise."""
    span = Span((W,), np.array([[width]]), np.zeros(1), np.ones(1))
    found = cells(exp(-(((t - sympy.Rational(123, 1000)) / W) ** 2)) / W, span, [[]], 1000)
    nodes, weights = np.polynomial.legendre.leggauss(4)
    times = (found.a + found.b)[:, None] / 2 + (found.b - found.a)[:, None] / 2 * nodes
    values = np.exp(-(((times - 0.123) / width) ** 2)) / width
    assert not found.is_open.any()
    assert len(found.a) < 120
    assert ((found.b - found.a)[:, None] / 2 * weights * values).sum() == pytest.approx(
        np.sqrt(np.pi), rel=1e-3
    )


@pytest.mark.parametrize(
    ("function", "period", "shown"),
    [
        (exp(-((sin(t / 2 - 1) / W) ** 2)), T, True),
        (exp(-((sin(t / 2 - 1) / W) ** 2)), T / 2, False),
        (exp(-((t - 27) ** 2)), T, False),
        (sympy.sign(cos(t)), T, True),
        (t - 2 * sympy.pi * sympy.floor(t / (2 * sympy.pi)), T, True),
        (sympy.Piecewise((1, sympy.Mod(t, 1) < W), (0, True)), 3.0, True),
        (sympy.Piecewise((1, sympy.Mod(t, 1) < W), (0, True)), 2.5, False),
        (exp(cos(t)), T / 2, False),
    ],
)
def test_that_a_function_repeats_is_shown_by_its_form(function, period, shown):
    assert repeats(function, (W,), np.array([[0.1]]), np.array([period]))[0] == shown


def test_the_period_of_a_function():
    assert period_of(sympy.tanh(sin(3 * t) + cos(2 * t)), (), np.zeros((1, 0))) == pytest.approx(T)
    assert period_of(exp(-(t**2)), (), np.zeros((1, 0))) == np.inf


# --- floquet


@pytest.mark.parametrize("strength", [-1.0, 3.0])
def test_a_kick_of_any_width_is_seen(strength):
    """The limit of narrow kicks is a shear times a free turn; its error is of the order of the width."""
    system = oscillator(a + b / W * exp(-((sin(t / 2 - 1) / W) ** 2)))
    widths = np.array([1e-3, 1e-6, 1e-9])
    found = rt.floquet(system, {"a": 0.3, "b": strength, "W": widths}, T)
    exact = free(0.3, T - 2) @ kick(strength * 2 * np.sqrt(np.pi)) @ free(0.3, 2)
    for monodromy, width in zip(found.monodromy, widths, strict=True):
        assert monodromy == pytest.approx(exact, abs=60 * width * strength**2 + 1e-6)
    assert all(v is rt.Verdict.UNSTABLE for v in found.verdict)
    assert (found.error < 1e-5).all()


def test_a_narrow_kick_by_small_steps_of_another_method():
    """Runge and Kutta's classical method with twenty thousand steps about the kick."""
    system = oscillator(a - 1 / W * exp(-((sin(t / 2 - 1) / W) ** 2)))
    found = rt.floquet(system, {"a": 0.3, "W": 1e-3}, T)

    def rate(s, y):
        return np.array([y[1], -(0.3 - 1e3 * np.exp(-((np.sin(s / 2 - 1) / 1e-3) ** 2))) * y[0]])

    y = np.eye(2)
    for start, end, count in ((0, 1.98, 400), (1.98, 2.02, 4000), (2.02, T, 800)):
        h = (end - start) / count
        for s in start + h * np.arange(count):
            k1 = rate(s, y)
            k2 = rate(s + h / 2, y + h / 2 * k1)
            k3 = rate(s + h / 2, y + h / 2 * k2)
            y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + rate(s + h, y + h * k3))
    assert found.monodromy == pytest.approx(y, abs=1e-8)


SQUARE = free(1.5, T / 4) @ free(0.5, T / 2) @ free(1.5, T / 4)
MEISSNER = [
    (a + b * sympy.sign(cos(t)), {"a": 1.0, "b": 0.5}, T, SQUARE),
    (a - b + 2 * b * sympy.Heaviside(cos(t)), {"a": 1.0, "b": 0.5}, T, SQUARE),
    (sympy.Piecewise((a + b, cos(t) > 0), (a - b, True)), {"a": 1.0, "b": 0.5}, T, SQUARE),
    (
        a + b * sympy.floor(4 * sympy.Mod(t, 1)),
        {"a": 1.0, "b": 2.0},
        1.0,
        free(7, 0.25) @ free(5, 0.25) @ free(3, 0.25) @ free(1, 0.25),
    ),
    (
        sympy.Piecewise((a + b / W, sympy.Mod(t, 1) < W), (a, True)),
        {"a": 1.0, "b": -3.0, "W": 1e-9},
        1.0,
        free(1, 1 - 1e-9) @ free(1 - 3e9, 1e-9),
    ),
]


def test_steep_flanks_are_nearly_jumps():
    system = oscillator(1 + sympy.tanh(cos(t) / W) / 2)
    found = rt.floquet(system, {"W": np.array([1e-4, 1e-8])}, T)
    assert found.monodromy[1] == pytest.approx(SQUARE, abs=1e-6)
    assert found.monodromy[0] == pytest.approx(SQUARE, abs=1e-3)


@pytest.mark.parametrize(("stiffness", "values", "period", "exact"), MEISSNER)
def test_meissner_by_products_of_exponentials(stiffness, values, period, exact):
    found = rt.floquet(oscillator(stiffness), values, period)
    assert found.monodromy == pytest.approx(exact, abs=1e-11 * np.abs(exact).max())


def test_masses_that_jump_keep_momenta():
    system = rt.System(kinetic=(2 + sympy.sign(cos(t))) * ddt(x) ** 2 / 2, potential=x**2 / 2)
    found = rt.floquet(system, {}, T)

    def turn(m, time):
        return expm(np.array([[0, 1 / m], [-1, 0]]) * time)

    exact = turn(3, T / 4) @ turn(1, T / 2) @ turn(3, T / 4)
    assert found.monodromy == pytest.approx(exact, abs=1e-12)
    motion = rt.simulate(system, {}, {x: 1}, np.linspace(0, T, 21))
    assert motion.completed
    assert motion.q[-1, 0] == pytest.approx(exact[0, 0], abs=1e-8)
    assert 3 * motion.v[-1, 0] == pytest.approx(exact[1, 0], abs=1e-8)
    with pytest.raises(rt.DerivationError, match="rates in its linear model are not finite"):
        rt.linearize(motion)


@pytest.mark.parametrize("least", [1e-3, 1e-9])
def test_a_mass_that_nearly_vanishes_for_a_moment(least):
    """Its inverse has a peak that the mass itself has not; by another method, begun anew about it."""
    system = rt.System(kinetic=(1 + a - cos(t - 1)) * ddt(x) ** 2 / 2, potential=x**2 / 200)
    found = rt.floquet(system, {"a": least}, T)

    def rate(time, y):
        m = least + 2 * np.sin((time - 1) / 2) ** 2
        return [y[2] / m, y[3] / m, -y[0] / 100, -y[1] / 100]

    y, w = np.eye(2).reshape(-1), 30 * np.sqrt(least)
    for start, end in pairwise(sorted({0.0, max(1 - w, 0.0), 1 + w, T})):
        y = solve_ivp(rate, (start, end), y, rtol=1e-11, atol=1e-14, method="DOP853").y[:, -1]
    exact = y.reshape(2, 2)
    assert found.monodromy == pytest.approx(exact, abs=1e-9 * np.abs(exact).max())


def test_drives_that_do_not_repeat_are_refused():
    values = {"a": 1.0, "b": 0.3}
    with pytest.raises(
        rt.DeclarationError, match=r"`exp\(-\(t - 27\)\*\*2\)`, which is not seen to have"
    ):
        rt.floquet(oscillator(a + b * exp(-((t - 27) ** 2))), values, T)
    with pytest.raises(rt.DeclarationError, match=r"not seen to have the period 3\.14159"):
        rt.floquet(oscillator(a + b * exp(-((sin(t / 2) / sympy.Float(1e-4)) ** 2))), values, T / 2)
    with pytest.raises(rt.DerivationError, match=r"`tan\(t/2\)`, which cannot be resolved between"):
        rt.floquet(oscillator(a + b * sympy.tan(t / 2)), values, T)
    with pytest.raises(rt.DerivationError, match="cannot be resolved between"):
        rt.floquet(oscillator(a + b * sympy.sign(sin(t) ** 2 + cos(t) ** 2 - 1)), values, T)


# --- weak damping


@pytest.mark.parametrize("damping", [1e-4, 1e-8, 1e-12])
def test_weak_damping_and_weak_growth_are_told_apart(damping):
    """Liouville: both multipliers of Mathieu's equation with damping have the size exp(-c T/2)."""
    system = oscillator(a - 2 * b * cos(2 * t), dissipation=c * ddt(x) ** 2 / 2)
    found = rt.floquet(system, {"a": 0.5, "b": 0.1, "c": np.array([damping, -damping, 0])}, np.pi)
    assert [str(v) for v in found.verdict] == ["asymptotically stable", "unstable", "stable"]
    assert found.growth == pytest.approx([-damping / 2, damping / 2, 0], rel=1e-9)


def test_damping_that_cancels_over_a_period_is_not_decided():
    system = oscillator(dissipation=sympy.Float(0.1) * cos(t) * ddt(x) ** 2 / 2)
    found = rt.floquet(system, {}, T)
    assert found.verdict is rt.Verdict.UNDECIDED
    assert abs(found.growth) < 1e-12


def test_one_weakly_growing_mode_beside_a_damped_one():
    y = rt.coordinate("y")
    system = rt.System(
        kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2,
        potential=(2 + 0.1 * cos(t)) * x**2 / 2 + 5 * y**2 / 2,
        dissipation=[c * ddt(x) ** 2 / 2, 0.1 * ddt(y) ** 2 / 2],
    )
    found = rt.floquet(system, {"c": np.array([-1e-10, 0.0, 1e-10])}, T)
    assert [str(v) for v in found.verdict] == ["unstable", "stable", "asymptotically stable"]
    assert found.growth[[0, 2]] == pytest.approx([5e-11, -5e-11], rel=1e-6)


def test_weak_damping_of_a_periodic_motion():
    system = rt.System(
        kinetic=ddt(x) ** 2 / 2,
        potential=3 * x**2 / 2 + x**4 / 10,
        dissipation=c * ddt(x) ** 2 / 2,
        forces={x: 0.2 * cos(t)},
    )
    words = {0.0: "stable", 1e-9: "asymptotically stable", -1e-9: "unstable"}
    for damping, word in words.items():
        found = rt.periodic_motion(system, {"c": damping}, {x: 0.1}, T).floquet
        assert str(found.verdict) == word
        assert found.growth == pytest.approx(-damping / 2, rel=1e-6, abs=1e-20)


# --- motions


@pytest.mark.parametrize("method", ["auto", "Adams", "BDF", "DOP853", "Radau", "hamilton"])
def test_a_kick_of_a_run_is_seen(method):
    system = oscillator(forces={x: exp(-(((t - c) / W) ** 2)) / W})
    more = {"form": "hamilton"} if method == "hamilton" else {"method": method}
    for width in (1e-2, 6e-8) if method == "auto" else (1e-5,):
        motion = rt.simulate(system, {"c": 27.123, "W": width}, {}, [0, 60], rtol=1e-8, **more)
        exact = np.sqrt(np.pi) * np.exp(-(width**2) / 4) * np.sin(60 - 27.123)
        assert motion.completed
        assert motion.q[-1, 0] == pytest.approx(exact, abs=1e-5)


def test_kicks_that_repeat_are_all_seen():
    system = oscillator(forces={x: exp(-((sin(t / 2 - 1) / W) ** 2)) / W})
    motion = rt.simulate(system, {"W": 1e-6}, {}, np.linspace(0, 100, 11))
    kicks = 2 + T * np.arange(16)
    exact = 2 * np.sqrt(np.pi) * np.sin(100 - kicks[kicks < 100]).sum()
    assert motion.q[-1, 0] == pytest.approx(exact, rel=1e-6)


def square_wave(end):
    """x'' + x = sign(cos(t)) from rest, piece by piece."""
    walls = [0.0, *(np.pi / 2 + np.pi * np.arange(int(end / np.pi))), end]
    q, v, side = 0.0, 0.0, 1.0
    for start, stop in pairwise(walls):
        h = stop - start
        turned = (q - side) * np.cos(h) + v * np.sin(h)
        v = v * np.cos(h) - (q - side) * np.sin(h)
        q, side = turned + side, -side
    return q


@pytest.mark.parametrize("given", ["force", "input", "potential", "event"])
def test_a_square_wave_is_integrated_piece_by_piece(given):
    u, wave = rt.input("u"), sympy.sign(cos(t))
    system = oscillator(forces={x: u})
    more = {"inputs": {u: wave}}
    if given == "potential":
        system = rt.System(kinetic=ddt(x) ** 2 / 2, potential=x**2 / 2 - u * x)
    elif given in ("force", "event"):
        system, more = oscillator(forces={x: wave}), {}
    if given == "event":
        more["events"] = [rt.event(t - 10)]
    motion = rt.simulate(system, {}, {}, np.linspace(0, 20, 41), rtol=1e-10, **more)
    assert motion.completed
    assert motion.q[-1, 0] == pytest.approx(square_wave(20.0), abs=1e-9)
    assert motion.energy_error < 1e-9
    if given == "event":
        assert [each.t for each in motion.events] == pytest.approx([10.0], abs=1e-12)


def test_jumps_at_the_first_the_last_and_an_output_time():
    for place, exact in ((0, 1 - np.cos(6)), (3, 1 - np.cos(3)), (6, 0)):
        system = rt.System(kinetic=ddt(x) ** 2 / 2, potential=x**2 / 2 - x * sympy.Heaviside(t - place))
        motion = rt.simulate(system, {}, {}, np.linspace(0, 6, 13))
        assert motion.completed
        assert motion.q[-1, 0] == pytest.approx(exact, abs=1e-8)


def test_what_is_busy_everywhere_is_left_to_the_control_of_errors():
    for drive in (cos(1000 * t), cos(t**2), sympy.tanh(5 * sin(1000 * t))):
        system = oscillator(forces={x: drive})
        assert len(segments(system, (), np.zeros(0), 0.0, 100.0, 1.0)) == 1
    hidden = cos(1000 * t + 5 * exp(-(((t - 3) / sympy.Float(1e-6)) ** 2)))
    found = segments(oscillator(forces={x: hidden}), (), np.zeros(0), 0.0, 100.0, 1.0)
    assert min(each.longest for each in found) < 1e-6


def test_too_many_kicks_are_refused():
    narrow = exp(-((sin(1000 * t) / sympy.Float(1e-6)) ** 2))
    with pytest.raises(rt.DerivationError, match="narrow features between t = 0 and 1000"):
        rt.simulate(oscillator(forces={x: narrow}), {}, {}, np.linspace(0, 1000, 11))


def test_a_constraint_keeps_what_a_kick_gives():
    y = rt.coordinate("y")
    system = rt.System(
        kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2,
        potential=y,
        constraints=[x**2 + y**2 - 1],
        forces={x: exp(-(((t - 3) / W) ** 2)) / W},
    )
    motion = rt.simulate(system, {"W": 1e-6}, {y: -1}, [0, 3.001])
    assert motion.v[-1, 0] == pytest.approx(np.sqrt(np.pi), rel=1e-4)
    jumping = system.changed(constraints=[x**2 + y**2 - 1 - sympy.Heaviside(t - 2)])
    assert not rt.simulate(jumping, {"W": 1e-6}, {y: -1}, [0, 3]).completed


def test_a_block_that_friction_holds_is_kicked_loose():
    system = oscillator(
        0, forces={x: exp(-(((t - 3) / W) ** 2)) / W}, friction=rt.friction(ddt(x), static=0.5)
    )
    motion = rt.simulate(system, {"W": 1e-5}, {}, [0, 10])
    strength = np.sqrt(np.pi)
    assert motion.q[-1, 0] == pytest.approx(strength**2 / (2 * 0.5), rel=1e-3)


def test_a_base_that_jerks_for_a_moment():
    """y = x + u has y'' + y = u, the exact response of which is an integral."""
    u = rt.let("u", b * exp(-(((t - 3) / W) ** 2)))
    system = rt.System(kinetic=(ddt(x) + ddt(u)) ** 2 / 2, potential=x**2 / 2)
    motion = rt.simulate(system, {"b": 1e-3, "W": 1e-3}, {}, [0, 10])
    exact = 1e-6 * np.sqrt(np.pi) * np.exp(-1e-6 / 4) * np.sin(7)
    assert motion.q[-1, 0] == pytest.approx(exact, rel=1e-5)
    assert np.array_equal(motion([0, 5, 10]).q[[0, 2]], motion.q)


# --- variations and periodic motions


def test_variations_pass_through_kicks_and_jumps():
    system = oscillator(1 + b / W * exp(-(((t - c) / W) ** 2)))
    motion = rt.simulate(system, {"b": -1.0, "c": 2.5, "W": 1e-6}, {x: 1}, [0, 5, 10], variations=True)
    exact = free(1, 7.5) @ kick(-np.sqrt(np.pi)) @ free(1, 2.5)
    assert motion.transition[-1] == pytest.approx(exact, abs=1e-5)
    with pytest.raises(rt.DerivationError, match="matrices at the outputs do not show it"):
        rt.linearize(motion)
    inside = np.union1d([0, 10], np.linspace(2.5 - 3e-6, 2.5 + 3e-6, 15))
    assert rt.linearize(rt.simulate(system, motion.values, {x: 1}, inside)).K.min() < -1e5


def test_a_later_jump_changes_the_motion_as_its_sensitivity_says():
    """x = F (1 - cos(t - c)) behind the jump."""
    system = oscillator(forces={x: b * sympy.Heaviside(t - c)})
    values = {"b": 1.5, "c": 2.5}
    motion = rt.simulate(system, values, {}, [0, 1, 10], variations=True)
    assert motion.sensitivity[-1, 0] == pytest.approx([1 - np.cos(7.5), -1.5 * np.sin(7.5)], abs=1e-7)
    assert motion.sensitivity[-1, 1] == pytest.approx([np.sin(7.5), -1.5 * np.cos(7.5)], abs=1e-7)
    assert (motion.sensitivity[1] == 0).all()


@pytest.mark.slow
def test_a_periodic_motion_of_a_square_wave():
    system = oscillator(a, dissipation=b * ddt(x) ** 2 / 2, forces={x: sympy.sign(cos(t))})
    found = rt.periodic_motion(system, {"a": 1.0, "b": 0.2}, {x: 1}, T)

    def piece(time, side):
        return expm(np.array([[0, 1, 0], [-1, -0.2, side], [0, 0, 0]]) * time)

    whole = piece(T / 4, 1) @ piece(T / 2, -1) @ piece(T / 4, 1)
    exact = np.linalg.solve(np.eye(2) - whole[:2, :2], whole[:2, 2])
    assert found.start == pytest.approx(exact, abs=1e-10)
    assert found.floquet.determinant == pytest.approx(np.exp(-0.2 * T), rel=1e-9)


@pytest.mark.slow
def test_a_periodic_motion_under_kicks():
    system = oscillator(
        a, dissipation=b * ddt(x) ** 2 / 2, forces={x: exp(-((sin(t / 2 - 1) / W) ** 2)) / W}
    )
    found = rt.periodic_motion(system, {"a": 1.3, "b": 0.2, "W": 1e-7}, {x: 1}, T)
    push = np.array([0, 2 * np.sqrt(np.pi)])
    exact = np.linalg.solve(np.eye(2) - free(1.3, T, 0.2), free(1.3, T - 2, 0.2) @ push)
    assert found.start == pytest.approx(exact, abs=1e-6)
    with pytest.raises(rt.DeclarationError, match="not seen to have the period"):
        rt.periodic_motion(system, {"a": 1.3, "b": 0.2, "W": 1e-7}, {x: 1}, T / 2)


# --- at random


def kicked(seed, shape):
    """A random kick of a random oscillator, its width, and its monodromy matrix by another way."""
    rng = np.random.default_rng(seed)
    width = 10 ** rng.uniform(-9, -1)
    place, stiffness, strength = rng.uniform(0.15, 0.85), rng.uniform(-3, 9), rng.uniform(-4, 4)
    values = {"a": stiffness, "b": strength, "W": width, "c": place}
    if shape == "box":
        lo, hi = place, min(place + width, 0.99)
        exact = (
            free(stiffness, 1 - hi) @ free(stiffness + strength / width, hi - lo) @ free(stiffness, lo)
        )
        return values | {"W": hi - lo, "b": strength * (hi - lo) / width}, exact, 0.0
    area = quad(lambda z: np.exp(-((np.sin(np.pi * z * width) / width) ** 2)), -0.5 / width, 0.5 / width,
                points=[-6 / np.pi, 6 / np.pi] if width < 0.05 else None, limit=400)[0]  # fmt: skip
    exact = free(stiffness, 1 - place) @ kick(strength * area) @ free(stiffness, place)
    return values, exact, 40 * width


SHAPES = {
    "box": sympy.Piecewise(
        (b / W, (sympy.Mod(t, 1) > c) & (sympy.Mod(t, 1) < c + W)), (sympy.S.Zero, True)
    ),
    "bell": b / W * exp(-((sin(sympy.pi * (t - c)) / W) ** 2)),
}
KICKED = {shape: oscillator(a + f) for shape, f in SHAPES.items()}


def agrees(seed, shape):
    values, exact, order = kicked(seed, shape)
    found = rt.floquet(KICKED[shape], values, 1.0)
    size = np.abs(exact).max()
    # the kicked limit is of first order in the width, and time has sixteen digits
    off = order * max(1.0, values["b"] ** 2) + 1e-10 + 1e-14 / values["W"]
    assert np.abs(found.monodromy - exact).max() <= off * size, (seed, shape, values)
    trace = abs(np.trace(exact))
    if abs(trace - 2) > 8 * off * size:
        assert str(found.verdict) == ("unstable" if trace > 2 else "stable"), (seed, shape, values)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("seed", range(4))
def test_kicks_at_random(seed, shape):
    agrees(seed, shape)


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("block", range(10))
def test_very_many_kicks_at_random(block, shape):
    for seed in range(100 * block + 1000, 100 * block + 1100):
        agrees(seed, shape)


def run_agrees(seed):
    """A Gaussian push of a spring, by its exact response: x(t) = sqrt(pi) F exp(-(w W)^2/4) sin(w (t - c))/w."""
    rng = np.random.default_rng(seed)
    width, place, rate = 10 ** rng.uniform(-9, -1.5), rng.uniform(0.2, 0.8), rng.uniform(0.5, 20)
    system = oscillator(a, forces={x: b / W * exp(-(((t - c) / W) ** 2))})
    values = {"a": rate**2, "b": rng.uniform(-2, 2), "c": place, "W": width}
    method = rng.choice(["auto", "DOP853", "Adams"])
    motion = rt.simulate(system, values, {}, [0, 1], method=str(method))
    exact = (
        values["b"]
        * np.sqrt(np.pi)
        * np.exp(-((rate * width) ** 2) / 4)
        * np.sin(rate * (1 - place))
        / rate
    )
    assert motion.completed
    assert motion.q[-1, 0] == pytest.approx(exact, abs=(1e-6 + 1e-13 / width) * abs(values["b"]) / rate)


@pytest.mark.parametrize("seed", range(3))
def test_pushes_at_random(seed):
    run_agrees(seed)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(10))
def test_very_many_pushes_at_random(block):
    for seed in range(100 * block + 5000, 100 * block + 5100):
        run_agrees(seed)


# --- outputs, nodes and starts in the very place of a jump


@pytest.mark.parametrize("count", [3, 401, 801])
def test_outputs_at_a_jump_shift_nothing(count):
    pushed = oscillator(1, forces={x: sympy.sign(sin(t - np.pi / 4))})
    motion = rt.simulate(pushed, {}, {}, np.linspace(0, np.pi, count))
    assert motion.completed
    assert motion.q[(count - 1) // 2, 0] == pytest.approx(1 - np.sqrt(2), rel=1e-7)


def test_a_run_goes_on_from_its_own_state_at_a_jump_of_the_mass():
    """Own route: momenta kept between pieces with constant mass."""
    drag = sympy.Rational(3, 10)
    system = rt.System(
        kinetic=(2 + sympy.sign(cos(t))) * ddt(x) ** 2 / 2,
        potential=x**2 / 2,
        dissipation=drag * ddt(x) ** 2 / 2,
        forces={x: sin(t)},
    )
    y = np.array([1.0, 0.0])
    for first, last, mass in ((0, 1, 3.0), (1, 3, 1.0), (3, 4, 3.0)):

        def rate(s, z, mass=mass):
            return [z[1] / mass, -z[0] - 0.3 * z[1] / mass + np.sin(s)]

        span = (first * np.pi / 2, last * np.pi / 2)
        y = solve_ivp(rate, span, y, rtol=1e-11, atol=1e-12).y[:, -1]
    whole = rt.simulate(system, {}, {x: 1.0}, np.linspace(0, T, 9))
    assert whole.completed
    assert whole.q[-1, 0] == pytest.approx(y[0], rel=1e-7)
    half = {x: whole.q[2, 0], ddt(x): whole.v[2, 0]}
    again = rt.simulate(system, {}, half, [np.pi / 2, T])
    assert again.q[-1, 0] == pytest.approx(y[0], rel=1e-7)
    with pytest.raises(rt.SolveError, match="velocities jump with the masses"):
        rt.periodic_motion(system, {}, {x: 1.0}, T)


def test_a_kick_in_a_sum_of_exponents_is_the_same_as_in_a_product():
    kick = -((sin(t / 2 - 1) * 10**5) ** 2)
    found = [
        rt.simulate(oscillator(1, forces={x: force}), {}, {}, [0, 3.0]).q[-1, 0]
        for force in (10**5 * exp(kick - x**2), 10**5 * exp(kick) * exp(-(x**2)))
    ]
    assert found[0] == pytest.approx(found[1], rel=1e-6)
    assert abs(found[0]) > 0.1


def test_a_belt_that_jumps_is_refused():
    belt = sympy.Piecewise((1, t < 8), (-1, True))
    block = rt.System(
        kinetic=ddt(x) ** 2 / 2, potential=0, friction=rt.friction(ddt(x) - belt, static=1)
    )
    with pytest.raises(rt.DeclarationError, match=r"jumps in time.*cannot follow at once"):
        rt.simulate(block, {}, {ddt(x): 1.0}, [0, 20])


def test_a_narrow_event_is_seen():
    """exp(-(s/w)^2) = 1/2 at s = -w sqrt(log 2) and w sqrt(log 2)."""
    seen = rt.event(exp(-(((t - sympy.Rational(33, 10)) * 10**6) ** 2)) - sympy.Rational(1, 2))
    times = [each.t for each in rt.simulate(oscillator(1), {}, {x: 1.0}, [0, 10], events=seen).events]
    np.testing.assert_allclose(times, 3.3 + 1e-6 * np.sqrt(np.log(2)) * np.array([-1, 1]), atol=1e-12)
