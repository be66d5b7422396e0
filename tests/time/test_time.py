"""Time that drops out, and time that does not: shown, never sampled."""

from __future__ import annotations

import random

import numpy as np
import pytest
import sympy
from sympy import Abs, Piecewise

import routh as rt
from depth import draws
from routh import cos, ddt, exp, let, norm2, rotation, sin, sqrt, t, vector
from routh.analysis.time.periods import refuse_other_period
from routh.analysis.time.timeless import timeless
from routh.language.walk import unfold
from routh.mechanics.forms.laurent import TooLongError
from routh.mechanics.forms.time_form import MixedError, sorted_parts

x, y = rt.coordinates("x y")
a, b, w = rt.parameters("a b w")


def plane(potential: object, **more: object) -> rt.System:
    return rt.System(kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2, potential=potential, **more)


# the form: the sum of what it was sorted into is what was read

NAMED, TIMED = let("named", x + sin(y)), let("timed", x * cos(w * t) + y + b)
ATOMS = [x, y, x.rate, a, b, t, w * t, NAMED, TIMED, t - a, x - w * t, sympy.Float(0.1), sympy.Rational(1, 3)]  # fmt: skip


def any_expression(draw: random.Random, depth: int) -> sympy.Expr:
    if not depth:
        return draw.choice(ATOMS)
    first, second = any_expression(draw, depth - 1), any_expression(draw, depth - 1)
    return draw.choice(
        [first + second, first - second, first * second, sin(first), cos(first), exp(-(first**2) / 9),
         first**2, sqrt(1 + first**2), first / (2 + sin(second)), sympy.cosh(first / 3)]
    )  # fmt: skip


def check_form(seed: int) -> bool:
    """Whether a random expression could be sorted; wrong sorting fails."""
    draw = random.Random(seed)
    expression = any_expression(draw, draw.choice([2, 3, 4]))
    moving = {y: y + b * t} if seed % 2 else {}
    try:
        (found,) = sorted_parts([expression], moving)
    except (MixedError, TooLongError):
        return False
    for part in (found.steady, *found.moving.values()):
        assert t not in unfold(part).atoms(sympy.Symbol)
    total = found.steady + sympy.Add(*(f.expression * c for f, c in found.moving.items()))
    point = {s: sympy.Float(draw.uniform(-1, 1), 30) for s in (x, y, x.rate, a, b, w, t)}
    want = unfold(expression).xreplace(moving).xreplace(point)
    got = unfold(total).xreplace(point)
    assert abs(got - want) <= 1e-13 * (1 + abs(want))  # decimals stand for doubles
    return True


@pytest.mark.slow
def test_an_expression_is_the_sum_of_what_it_was_sorted_into() -> None:
    assert sum(check_form(seed) for seed in range(20)) > 6


@pytest.mark.slow
def test_thousands_of_expressions_are_sums_of_what_they_were_sorted_into() -> None:
    assert sum(check_form(seed) for seed in range(60, 3060)) > 1000


# time that drops out: the same linear model as of a twin without time


def random_frame(draw: random.Random, extra: sympy.Expr | float = 0) -> tuple[rt.System, rt.System]:
    """A few bodies with springs in a turning frame, written with time and without."""
    count = draw.choice([1, 2, 3])
    bodies = [rt.coordinates(f"u{k} v{k}") for k in range(count)]
    rate = draw.choice([w, sympy.Rational(1, 3), sympy.Float(0.7), 2 * w])
    corner = vector(draw.uniform(-1, 1), draw.uniform(-1, 1))
    shown, plain, springs = [], [], [extra * bodies[0][0]]
    last_turned, last = rotation(rate * t) @ corner, corner
    for k, (u, v) in enumerate(bodies):
        own = vector(u, v)
        turned = last_turned + rotation(rate * t) @ own
        whole = last + own
        turned, whole = let(f"r{k}", turned), let(f"s{k}", whole)
        shown.append(norm2(ddt(turned)) / 2)
        relative = ddt(whole) + rate * vector(-whole[1], whole[0])
        plain.append(norm2(relative) / 2)
        springs.append(draw.uniform(5, 9) * (u - draw.uniform(-1, 1)) ** 2 + draw.uniform(5, 9) * v**2)
        springs.append(sqrt(1 + norm2(turned - rotation(rate * t) @ vector(1, 2))))
        last_turned, last = turned, whole
    without = [*springs]
    without[2::2] = [
        sqrt(1 + norm2(let(f"d{k}", s - vector(1, 2)))) for k, s in enumerate(_places(bodies, corner))
    ]
    return rt.System(kinetic=shown, potential=springs), rt.System(kinetic=plain, potential=without)


def _places(bodies: list[tuple[rt.Coordinate, ...]], corner: object) -> list[object]:
    found, last = [], corner
    for u, v in bodies:
        last = last + vector(u, v)
        found.append(last)
    return found


def check_frame(seed: int) -> None:
    system, plain = random_frame(random.Random(seed))
    values = {"w": 0.4} if system.parameters else {}
    assert timeless(system).shown
    found, want = (rt.linearize(rt.equilibrium(s, values)) for s in (system, plain))
    for name in ("M", "G", "K"):
        np.testing.assert_allclose(getattr(found, name), getattr(want, name), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_a_turning_frame_has_the_linear_model_of_its_twin_without_time(seed: int) -> None:
    check_frame(seed)


@pytest.mark.slow
def test_hundreds_of_turning_frames() -> None:
    for seed in range(6, 306):
        check_frame(seed)


def test_a_long_chain_on_a_turntable_is_shown() -> None:
    p, kinetic, potential = vector(0, 0), [], []
    for k, q in enumerate(rt.coordinates(" ".join(f"q{k}" for k in range(20)))):
        p = let(f"p{k}", p + rotation(w * t) @ vector(cos(q), sin(q)))
        kinetic.append(norm2(ddt(p)) / 2)
        potential.append(q**2 / 2)
    assert timeless(rt.System(kinetic=kinetic, potential=potential)).shown


def test_uniform_acceleration_and_total_derivatives_change_nothing() -> None:
    accelerated = rt.System(kinetic=(ddt(x) + a * t) ** 2 / 2, potential=x**2 / 2 + a * t)
    assert timeless(accelerated).shown
    assert float(rt.equilibrium(accelerated, {"a": 2.0}).q[0]) == pytest.approx(-2, abs=1e-12)
    # d/dt (x^3 sin(w t) / 3) adds nothing to the equations
    rate = ddt(x) * x**2 * sin(w * t) + x**3 * w * cos(w * t) / 3
    added = rt.System(lagrangian=ddt(x) ** 2 / 2 - x**2 / 2 + rate)
    assert timeless(added).shown
    assert rt.modes(rt.linearize(rt.equilibrium(added, {"w": 3.0}))).frequencies == pytest.approx(1)


# time that stays: refused, however short it acts

KICKS = {
    "potential": lambda f: plane(x**2 + y**2 - f * x),
    "force": lambda f: plane(x**2 + y**2, forces={x: f}),
    "point": lambda f: plane(x**2 + y**2, forces=[rt.force(vector(1, 0), at=vector(x * f, y))]),
    "constraint": lambda f: plane(x**2 + y**2, constraints=[x - y - f]),
    "kinetic": lambda f: rt.System(kinetic=(ddt(x + f) ** 2 + ddt(y) ** 2) / 2, potential=x**2 + y**2),
}


@pytest.mark.parametrize("where", KICKS)
@pytest.mark.parametrize("width", [1.0, 1e-3, 1e-6, 1e-9])
def test_a_kick_leaves_no_rest(where: str, width: float) -> None:
    pulse = exp(-(((t - 27.3) / width) ** 2))
    with pytest.raises(rt.NoEquilibrium, match=r"changes? with time"):
        rt.equilibrium(KICKS[where](pulse), {})


@pytest.mark.parametrize(
    "law",
    [
        Piecewise((0, t < 1e7), (1, True)), exp(-t), 1e-20 * cos(t), 1e-30 * exp(t), sympy.sign(sin(t / 1e8)),
        cos(t**2), 1 / (1 + (t - 1e4) ** 2), Abs(t), sympy.Max(0, t - 1e6), t**3,
    ],
)  # fmt: skip
def test_other_laws_of_time_leave_no_rest(law: sympy.Expr) -> None:
    with pytest.raises(rt.NoEquilibrium, match="time"):
        rt.equilibrium(plane(x**2 + y**2 - law * x), {})


def check_kick(seed: int) -> None:
    """A frame in which time drops out, with a kick somewhere in time."""
    draw = random.Random(seed)
    at, width = 10 ** draw.uniform(-6, 6), 10 ** draw.uniform(-9, 0)
    size = 10 ** draw.uniform(-12, 3)
    system, _ = random_frame(draw, size * exp(-(((t - at) / width) ** 2)))
    with pytest.raises(rt.NoEquilibrium):
        rt.equilibrium(system, {"w": 0.4} if system.parameters else {})


def test_a_kick_in_a_turning_frame_is_seen() -> None:
    for seed in range(draws(2, 4)):
        check_kick(seed)


@pytest.mark.slow
def test_a_thousand_kicks_in_turning_frames_are_seen() -> None:
    for seed in range(4, 1004):
        check_kick(seed)


def test_what_contains_time_and_position_together_is_refused_by_name() -> None:
    springs = plane(sqrt(1 + (x - cos(t)) ** 2) + sqrt(1 + (x + cos(t)) ** 2) + y**2)
    with pytest.raises(rt.NoEquilibrium, match=r"sqrt.* together with what moves.*frame that moves"):
        rt.equilibrium(springs, {})


def test_a_rest_where_time_multiplies_zero_is_one() -> None:
    kapitza = plane(-(9.81 + cos(3 * t)) * cos(x) + y**2)
    rest = rt.equilibrium(kapitza, {}, guess={x: 3.1})
    assert float(rest.q[0]) == pytest.approx(np.pi, abs=1e-15)
    with pytest.raises(rt.DerivationError, match=r"`K \+ H` changes"):
        rt.linearize(rest)
    driven = plane(x**2 + y**2 - a * x * exp(-((t - 50) ** 2)))
    found = rt.equilibrium(driven, {"a": np.array([0.0, 1.0])})
    assert list(found.converged) == [True, False]


def test_damping_that_acts_once_changes_the_linear_model() -> None:
    rest = rt.equilibrium(plane(x**2 + y**2, dissipation=ddt(x) ** 2 * exp(-((t - 400) ** 2))), {})
    with pytest.raises(rt.DerivationError, match=r"`D \+ G` changes"):
        rt.linearize(rest)


# what turns is time, too


def test_steady_motion_past_a_narrow_bump() -> None:
    phi = rt.coordinate("phi")
    bump = exp(-(10**6) * (1 - cos(phi - 2)))
    rotor = rt.System(kinetic=(ddt(phi) ** 2 + ddt(x) ** 2) / 2, potential=x**2 / 2 + x * bump)
    with pytest.raises(rt.NoEquilibrium, match="no steady motion in which `phi` moves on"):
        rt.equilibrium(rotor, {}, speeds={phi: 0.5})
    round_ = norm2(ddt(vector(x, y) + rotation(phi) @ vector(a, 0))) / 2 + ddt(phi) ** 2 / 2
    disc = rt.System(kinetic=round_, potential=(x**2 + y**2) / 2)
    assert rt.equilibrium(disc, {"a": 0.0}, speeds={phi: 3.0}).converged
    with pytest.raises(rt.NoEquilibrium, match="no steady motion"):
        rt.equilibrium(disc, {"a": 0.1}, speeds={phi: 3.0})


def test_inputs_that_rise() -> None:
    u = rt.input("u")
    pushed = plane(x**2 + y**2 - ddt(u) * x)
    assert float(rt.equilibrium(pushed, {}, inputs={ddt(u): 2.0}).q[0]) == pytest.approx(1)
    with pytest.raises(rt.NoEquilibrium, match="changes with time"):
        rt.equilibrium(plane(x**2 + y**2 - u * x), {}, inputs={ddt(u): 1e-9})
    base = rt.System(kinetic=ddt(x + u) ** 2 / 2, potential=x**2 / 2)
    assert float(rt.equilibrium(base, {}, inputs={ddt(u, 2): 2.0}).q[0]) == pytest.approx(-2)


# bodies


def test_loads_and_ends_of_bodies() -> None:
    s = rt.space("s", 0, 1)
    W = rt.field("W", s)
    held = [rt.at(W, s, 0), rt.at(W, s, 1)]

    def beam(load: sympy.Expr, push: sympy.Expr) -> rt.System:
        bending = rt.diff(W, s, 2) ** 2 / 2 - push * rt.diff(W, s) ** 2 / 2 - load * W
        whole = rt.System(
            kinetic=rt.integral(ddt(W) ** 2 / 2, s), potential=rt.integral(bending, s), constraints=held
        )
        return rt.discretize(whole, {W: 4})

    assert rt.equilibrium(
        beam(sympy.S.Zero, cos(t)), {}
    ).converged  # a load along the axis bends nothing
    with pytest.raises(rt.NoEquilibrium, match="time"):
        rt.equilibrium(beam(exp(-(((t - 1234.5) * 1e5) ** 2)), sympy.S.One), {})
    turned = rotation(w * t) @ vector(1 + s, W)
    blade = rt.System(
        kinetic=rt.integral(norm2(ddt(turned)) / 2, s),
        potential=rt.integral(rt.diff(W, s, 2) ** 2 / 2, s),
        constraints=[rt.at(W, s, 0), rt.at(rt.diff(W, s), s, 0)],
    )
    assert timeless(rt.discretize(blade, {W: 4})).shown


# which periods


@pytest.mark.parametrize(
    ("law", "period", "other"),
    [
        (cos(2 * t), np.pi, 1), (exp(-sin(t / 2 - 1) ** 2), 2 * np.pi, 3),
        (Abs(sin(t / 2)), 2 * np.pi, np.pi), (sympy.sign(cos(3 * t)), 2 * np.pi / 3, 1),
        (sqrt(1 + (x - cos(t)) ** 2), 2 * np.pi, np.pi), (sympy.Mod(t, 2), 4, 3),
        (Piecewise((1, sin(t) > 0), (0, True)), 2 * np.pi, 2), (cos(t) * cos(2 * t / 3), 6 * np.pi, 2),
        (t - sympy.floor(t), 1, 0.5), (cos(w * t) * sin(w * t), np.pi / 3, 1), (sin(t) ** 2, np.pi, 2),
    ],
)  # fmt: skip
def test_periods_are_shown(law: sympy.Expr, period: float, other: float) -> None:
    system = plane(x**2 * (2 + law) + y**2)
    p = np.full((1, len(system.parameters)), 3.0)
    refuse_other_period(system, p, np.array([period]))
    with pytest.raises(rt.DeclarationError, match="is not seen to have the period"):
        refuse_other_period(system, p, np.array([other]))


@pytest.mark.parametrize("law", [exp(-((t - 27) ** 2)), t * x, cos(x * t), cos(t**2), exp(-t)])
def test_what_does_not_repeat_is_refused(law: sympy.Expr) -> None:
    with pytest.raises(rt.DeclarationError, match="is not seen to have the period"):
        refuse_other_period(plane(x**2 * (2 + law) + y**2), np.zeros((1, 0)), np.array([2 * np.pi]))


def test_a_period_is_found_where_time_drops_out() -> None:
    # d/dt (x^3 sin(2 t) / 3) is added: the motion is that of Duffing's oscillator
    lost = ddt(x) * x**2 * sin(2 * t) + 2 * x**3 * cos(2 * t) / 3
    L = ddt(x) ** 2 / 2 - x**2 / 2 - x**4 / 4
    plain, written = (rt.System(lagrangian=each) for each in (L, L + lost))
    want, found = (rt.periodic_motion(each, {}, {x: 1.0}, 5.0).period for each in (plain, written))
    assert found == pytest.approx(want, rel=1e-10)


@pytest.mark.slow
def test_the_period_of_a_known_orbit_is_found_where_time_drops_out() -> None:
    # Arenstorf's orbit (Hairer, Norsett, Wanner 1993, section II.0), written in a turning frame
    mu = 0.012277471
    V = -(1 - mu) / sqrt((x + mu) ** 2 + y**2) - mu / sqrt((x - 1 + mu) ** 2 + y**2)
    turning = rt.System(kinetic=norm2(ddt(rotation(t) @ vector(x, y))) / 2, potential=V)
    start = {x: 0.994, ddt(y): -2.00158510637908252240537862224}
    found = rt.periodic_motion(turning, {}, start, 17.06)
    assert found.period == pytest.approx(17.0652165601579625, rel=1e-10)


def test_a_number_that_no_double_holds_is_refused() -> None:
    # SymPy takes exp(-1e6) out of the exponential, and 3e-434295 is zero for a double
    bump = plane(x**2 + y**2 + y * exp(-1e6 * (1 - cos(x))))
    with pytest.raises(rt.DerivationError, match=r"too small for a double.*whole numbers stay"):
        rt.equilibrium(bump, {})


def test_a_chain_of_relative_angles_on_a_turntable_is_shown() -> None:
    p, angle, kinetic = vector(0, 0), w * t, []
    for k, q in enumerate(rt.coordinates(" ".join(f"q{k}" for k in range(12)))):
        angle = angle + q
        p = let(f"p{k}", p + rotation(angle) @ vector(1, 0))
        kinetic.append(norm2(ddt(p)) / 2)
    assert timeless(rt.System(kinetic=kinetic, potential=0)).shown


def test_a_total_derivative_beside_a_drive_that_stays() -> None:
    # d/dt (x sin(w t) + 2 x cos(w t)) is no force; y is at rest in the valley that is shaken
    lost = ddt(x) * sin(w * t) + x * w * cos(w * t)
    lost += 2 * ddt(x) * cos(w * t) - 2 * x * w * sin(w * t)
    L = (ddt(x) ** 2 + ddt(y) ** 2) / 2 - (x - 1) ** 2 / 2 - (2 + cos(t)) * y**2 / 2
    rest = rt.equilibrium(rt.System(lagrangian=L + lost), {"w": 3.0})
    assert rest.q == pytest.approx([1, 0], abs=1e-12)
    with pytest.raises(rt.NoEquilibrium, match="changes with time"):  # a sign apart it is a force
        rt.equilibrium(rt.System(lagrangian=L + lost - 2 * x * w * cos(w * t)), {"w": 3.0})
