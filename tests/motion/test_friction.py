"""Dry friction: laws, motion in phases, zones of rest, linear models in slip, what is refused."""

from __future__ import annotations

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import solve_ivp

import routh as rt
from depth import cases

STRIBECK = {"static": 1.5, "kinetic": 1, "stribeck": 0.1, "viscous": 0.4}


def block_on_a_belt(law=None, **curve):
    x, (v, delta) = rt.coordinate("x"), rt.parameters("v delta")
    contact = rt.friction(x.rate - v, law=law and (lambda s: law(s, delta)), name="belt", **curve)
    return rt.System(kinetic=x.rate**2 / 2, potential=x**2 / 2, friction=contact, name="block"), x


def leine():
    return block_on_a_belt(law=lambda s, delta: 1 / (1 + delta * s))


def test_the_curve_of_stribeck_and_its_slope():
    x = rt.coordinate("x")
    contact = rt.friction(x.rate, **STRIBECK)
    for speed, force in ((0.05, 1.40940039153570), (0.3, 1.12006170490204), (2, 1.8)):
        assert float(contact.law(speed)) == pytest.approx(force, rel=1e-14)
    slope = contact.law(x.rate).diff(x.rate)
    for speed, damping in ((0.05, -3.49400391535702), (0.3, 0.396297705877400)):
        assert float(slope.subs(x.rate, speed)) == pytest.approx(damping, rel=1e-13)


def test_the_linear_model_in_slip_has_the_slope_of_the_curve_as_damping():
    x, v = rt.coordinate("x"), rt.parameter("v")
    system = rt.System(
        kinetic=x.rate**2 / 2,
        potential=2 * x**2,
        friction=rt.friction(x.rate - v, **STRIBECK),
    )
    for speed, damping in ((0.05, -3.49400391535702), (0.3, 0.396297705877400)):
        rest = rt.equilibrium(system, {"v": speed})
        assert rest.q[0] == pytest.approx(float(system.friction[0].law(speed)) / 4, rel=1e-12)
        linear = rt.linearize(rest)
        assert linear.D[0, 0] == pytest.approx(damping, rel=1e-12)
        stable = rt.stability(linear).verdict is rt.Verdict.ASYMPTOTICALLY_STABLE
        assert stable == (damping > 0)


def test_leine_stick_slip_cycle():
    system, x = leine()
    motion = rt.simulate(
        system, {"v": 0.2, "delta": 3}, {x: 1.133944669704}, np.linspace(0, 50, 501), rtol=1e-12
    )
    assert motion.completed
    sticks = [change.t for change in motion.changes if change.state == 0]
    assert np.diff(sticks)[1:] == pytest.approx(12.001031294830, rel=1e-10)
    slips = np.array([p.end - p.start for p in motion.phases if p.states == (-1,)][1:-1])
    assert slips == pytest.approx(4.295999525480, rel=1e-10)
    at = np.array([p.motion.q[0, 0] for p in motion.phases if p.states == (0,)][1:])
    assert at == pytest.approx(-0.541006353870, rel=1e-10)
    largest = max(p.motion.q.max() for p in motion.phases[2:])
    assert largest <= 1.133944669704 * (1 + 1e-9)
    fine = [p for p in motion.phases if p.states == (-1,)][1]
    top = fine.motion(np.linspace(fine.start, fine.end, 20001)).q.max()
    assert top == pytest.approx(1.133944669704, abs=1e-7)  # sampled near its maximum


def test_sticking_moves_with_the_belt_and_the_force_stays_within_its_limit():
    system, x = leine()
    motion = rt.simulate(system, {"v": 0.2, "delta": 3}, {x: 1.1}, np.linspace(0, 40, 401))
    stuck = motion.states[:, 0] == 0
    assert stuck.any()
    assert motion.v[stuck, 0] == pytest.approx(0.2, abs=1e-12)
    assert (np.abs(motion.friction) <= 1 + 1e-9).all()
    assert motion.friction[stuck, 0] == pytest.approx(motion.q[stuck, 0], abs=1e-9)  # balances k x
    inside = [p for p in motion.phases if p.states == (0,)]
    assert str(motion).startswith("`block`: Reached the last time.")
    assert inside[0].motion.constraint_error < 1e-12


def coulomb(mass=1.0, stiffness=1.0, force=0.1):
    x = rt.coordinate("x")
    system = rt.System(
        kinetic=mass * x.rate**2 / 2,
        potential=stiffness * x**2 / 2,
        friction=rt.friction(x.rate, kinetic=force),
    )
    return system, x


@pytest.mark.slow
@cases(12)
@given(st.floats(0.3, 3.0), st.floats(0.05, 0.3))
def test_a_block_with_coulomb_friction_loses_the_same_amplitude_each_half_turn(start, force):
    """Exact: the turning points are x0 - 2 k F, until one is within the stick zone."""
    system, x = coulomb(force=force)
    half_turns = int(np.ceil((start / force - 1) / 2)) if start > force else 0
    last = (-1) ** half_turns * (start - 2 * half_turns * force)
    motion = rt.simulate(system, {}, {x: start}, np.linspace(0, np.pi * (half_turns + 2), 101))
    assert motion.completed
    assert motion.q[-1, 0] == pytest.approx(last, abs=1e-8)
    assert motion.v[-1, 0] == 0 or abs(motion.v[-1, 0]) < 1e-9
    assert rt.stick_zone(system, {}).contains({x: float(motion.q[-1, 0])})
    ends = [phase.end for phase in motion.phases if phase.states != (0,)]
    assert ends == pytest.approx(np.pi * np.arange(1, half_turns + 1), rel=1e-8)


@pytest.mark.slow
def test_the_energy_that_is_lost_is_the_work_of_friction():
    system, x = coulomb(force=0.2)
    motion = rt.simulate(system, {}, {x: 2.0}, np.linspace(0, 20, 2001))
    power = motion.friction[:, 0] * motion[x.rate]
    work = np.trapezoid(power, motion.t)
    assert motion.energy[-1] - motion.energy[0] == pytest.approx(work, abs=2e-4)  # of the trapezoids
    assert (np.diff(motion.energy) <= 1e-9).all()


def test_regularized_friction_comes_near_and_says_what_it_costs():
    system, x = coulomb(force=0.2)
    times = np.linspace(0, 15, 151)
    exact = rt.simulate(system, {}, {x: 2.0}, times)
    errors = []
    for width in (1e-2, 1e-3):
        smooth = rt.simulate(system, {}, {x: 2.0}, times, regularize=width)
        errors.append(np.abs(smooth.q - exact.q).max())
        assert f"Friction is smooth over a slip velocity of {width:g}" in smooth.message
    assert errors[1] < errors[0] / 3
    assert errors[1] < 0.02


@pytest.mark.slow
def test_two_contacts_against_an_independent_solution():
    """Two blocks in a row; the second sticks until the spring between them pulls hard enough."""
    x, y = rt.coordinates("x y")
    F1, F2 = 0.3, 0.8
    system = rt.System(
        kinetic=(x.rate**2 + y.rate**2) / 2,
        potential=(x - y) ** 2,
        friction=[rt.friction(x.rate, kinetic=F1), rt.friction(y.rate, kinetic=F2)],
    )
    motion = rt.simulate(system, {}, {x.rate: 2.0}, np.linspace(0, 3, 301), rtol=1e-11)

    def first(t, z):  # x slips, y sticks
        return [z[1], -2 * z[0] - F1]

    def pulls(t, z):
        return 2 * z[0] - F2

    pulls.terminal = True
    one = solve_ivp(first, (0, 3), [0, 2.0], events=pulls, rtol=1e-12, atol=1e-13)
    assert motion.phases[0].states == (1, 0)
    assert motion.phases[0].end == pytest.approx(one.t[-1], rel=1e-9)

    def both(t, z):
        return [z[2], z[3], -2 * (z[0] - z[1]) - F1, 2 * (z[0] - z[1]) - F2]

    def stops(t, z):
        return min(z[2], z[3] if t > one.t[-1] + 1e-6 else z[2])

    stops.terminal = True
    start = [one.y[0, -1], 0, one.y[1, -1], 0]
    two = solve_ivp(both, (one.t[-1], 3), start, events=stops, rtol=1e-12, atol=1e-13)
    assert motion.phases[1].states == (1, 1)
    assert motion.phases[1].end == pytest.approx(two.t[-1], rel=1e-8)
    assert motion.phases[1].motion.q[-1] == pytest.approx(two.y[:2, -1], rel=1e-8)


def test_a_pushed_block_moves_when_the_push_is_strong_enough():
    x, u = rt.coordinate("x"), rt.input("u")
    system = rt.System(
        kinetic=x.rate**2 / 2, forces={x: u}, friction=rt.friction(x.rate, static=1, kinetic=0.5)
    )
    motion = rt.simulate(system, {}, {}, np.linspace(0, 3, 31), inputs={u: rt.t})
    assert motion.phases[0].states == (0,)
    assert motion.phases[0].end == pytest.approx(1, rel=1e-9)
    t = motion.t[-1]
    assert motion.q[-1, 0] == pytest.approx(((t**3 - 1) / 6 - (t - 1) / 2) - (t - 1) ** 2 / 4, rel=1e-7)


def test_friction_beside_a_holonomic_constraint():
    """A bead on an inclined wire: it slides where the slope exceeds the coefficient of friction."""
    x, y = rt.coordinates("x y")
    slope, mu, g = 0.7, 0.4, 9.81
    normal = g / np.hypot(1, slope)
    speed = (x.rate + slope * y.rate) / np.hypot(1, slope)
    system = rt.System(
        kinetic=(x.rate**2 + y.rate**2) / 2,
        potential=g * y,
        constraints=[y - slope * x],
        friction=rt.friction(speed, kinetic=mu * normal),
    )
    motion = rt.simulate(system, {}, {}, np.linspace(0, 1, 11))
    down = g * slope / np.hypot(1, slope) - mu * normal
    assert motion[speed][-1] == pytest.approx(-down, rel=1e-8)
    steep = rt.System(
        kinetic=(x.rate**2 + y.rate**2) / 2,
        potential=g * y,
        constraints=[y - slope * x],
        friction=rt.friction(speed, kinetic=0.8 * normal),
    )
    held = rt.simulate(steep, {}, {}, np.linspace(0, 1, 11))
    assert held.q[-1] == pytest.approx([0, 0], abs=1e-12)
    assert held.friction[:, 0] == pytest.approx(g * slope / np.hypot(1, slope), rel=1e-9)


# --- zones


def test_the_zone_of_a_spring():
    system, x = coulomb(stiffness=4.0, force=1.0)
    zone = rt.stick_zone(system, {})
    assert (zone.low[0], zone.high[0]) == pytest.approx((-0.25, 0.25))
    assert zone.contains({x: 0.2})
    assert not zone.contains({x: 0.26})
    assert zone.loads({x: 0.1}) == pytest.approx([0.4])
    assert "rests in a set of dimension 1" in str(zone)
    still = rt.simulate(system, {}, {x: 0.24}, [0, 1, 2])
    assert still.q[:, 0] == pytest.approx(0.24, rel=1e-15)


def test_the_zone_of_two_contacts_is_the_image_of_a_square():
    x, y = rt.coordinates("x y")
    system = rt.System(
        kinetic=x.rate**2 + y.rate**2,
        potential=x**2 / 2 + (x - y) ** 2 / 2,
        friction=[rt.friction(x.rate, kinetic=0.1), rt.friction(y.rate, kinetic=0.2)],
    )
    zone = rt.stick_zone(system, {})
    K = np.array([[2, -1], [-1, 1]])
    corners = [np.linalg.solve(K, [a, b]) for a in (-0.1, 0.1) for b in (-0.2, 0.2)]
    assert zone.corners.q == pytest.approx(np.array(corners))
    inside = np.linalg.solve(K, [0.05, -0.19])
    assert zone.contains({x: inside[0], y: inside[1]})
    outside = np.linalg.solve(K, [0.05, -0.21])
    assert not zone.contains({x: outside[0], y: outside[1]})


def test_what_friction_does_not_hold_is_outside():
    x, y = rt.coordinates("x y")
    system = rt.System(
        kinetic=x.rate**2 + y.rate**2,
        potential=x**2 / 2 + y**2 / 2,
        friction=rt.friction(x.rate, kinetic=0.1),
    )
    zone = rt.stick_zone(system, {})
    with pytest.raises(
        rt.DerivationError, match="No friction holds the system there: forces are left along"
    ):
        zone.loads({y: 0.1})
    assert not zone.contains({y: 0.1})


# --- refusals


REFUSED = {
    "no velocity": (lambda x: rt.friction(x, static=1), "contains no velocity"),
    "a square": (lambda x: rt.friction(x.rate**2, static=1), "must be linear in the velocities"),
    "negative": (lambda x: rt.friction(x.rate, static=-1), "must not be negative: it would drive"),
    "negative viscous": (lambda x: rt.friction(x.rate, static=1, viscous=-1), "`viscous` of friction"),
    "nothing": (lambda x: rt.friction(x.rate), "needs `static`"),
    "static below kinetic": (lambda x: rt.friction(x.rate, static=1, kinetic=2), "at least `kinetic`"),
    "two laws": (lambda x: rt.friction(x.rate, kinetic=1, law=lambda s: s), "Give either `law`"),
    "no function": (lambda x: rt.friction(x.rate, law=3), "is a function of the slip speed"),
    "no speed": (lambda x: rt.friction(x.rate, static=1, stribeck=0), "a speed above zero"),
    "not a number": (lambda x: rt.friction(x.rate, static=float("nan")), "finite|number"),
    "a pole": (lambda x: rt.friction(x.rate, law=lambda s: 1 / s), "must be finite and real"),
    "a foreign velocity": (
        lambda x: rt.friction(x.rate, static=rt.coordinate("y").rate ** 2),
        "must not contain velocities",
    ),
    "velocities in a force": (lambda x: rt.friction(x.rate, static=x.rate), "must not contain"),
    "no contact": (lambda x: rt.System(kinetic=x.rate**2, friction=3), "lists what friction"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_declarations_that_are_refused(case):
    make, sentence = REFUSED[case]
    with pytest.raises(rt.DeclarationError, match=sentence):
        make(rt.coordinate("x"))


def test_what_cannot_be_done_with_friction():
    system, x = coulomb()
    with pytest.raises(
        rt.DerivationError, match=r"does not slip at rest.*stick_zone\(system, values\)"
    ):
        rt.equilibrium(system, {})
    for verb in (rt.equations, rt.equilibria):
        args = (system,) if verb is rt.equations else (system, {})
        with pytest.raises(
            rt.DeclarationError, match=r"whose equations depend on what sticks.*phase\(1\)"
        ):
            verb(*args)
    with pytest.raises(rt.DeclarationError, match="1, -1 or 0"):
        system.phase(2)
    with pytest.raises(rt.DeclarationError, match="`regularize` is for friction"):
        rt.simulate(system.phase(1), {}, {x: 1.0}, [0, 1], regularize=0.1)
    with pytest.raises(rt.DeclarationError, match="slip velocity above zero"):
        rt.simulate(system, {}, {x: 1.0}, [0, 1], regularize=0)
    with pytest.raises(rt.DeclarationError, match="Events that change velocities"):
        rt.simulate(system, {}, {x: 1.0}, [0, 1], events=rt.event(x, change={x.rate: -x.rate}))
    with pytest.raises(rt.DeclarationError, match="point by point"):
        rt.simulate(system, {}, {x: np.array([1.0, 2.0])}, [0, 1])
    with pytest.raises(rt.DerivationError, match="Every contact of `block` slips at rest"):
        rt.stick_zone(leine()[0], {"v": 0.2, "delta": 3})
    with pytest.raises(rt.DeclarationError, match="has no friction"):
        rt.stick_zone(system.phase(1), {})


def test_a_negative_value_is_refused_when_it_is_known():
    x, F = rt.coordinate("x"), rt.parameter("F")
    system = rt.System(kinetic=x.rate**2, potential=x**2, friction=rt.friction(x.rate, static=F))
    with pytest.raises(rt.DeclarationError, match=r"is -1. Friction must not be negative"):
        rt.stick_zone(system, {"F": -1.0})
    with pytest.raises(rt.DeclarationError, match="Friction must not be negative"):
        rt.simulate(system, {"F": -1.0}, {x: 1.0}, [0, 1])
    other = rt.System(
        kinetic=x.rate**2, potential=x**2, friction=rt.friction(x.rate, static=1, kinetic=F)
    )
    with pytest.raises(rt.DeclarationError, match="Friction must not be negative"):
        rt.simulate(other, {"F": -1.0}, {x: 1.0}, [0, 1])
    with pytest.raises(rt.DeclarationError, match="below the 2 of `kinetic`"):
        rt.simulate(other, {"F": 2.0}, {x: 1.0}, [0, 1])


def test_forces_that_only_rest_or_only_slip_knows():
    x = rt.coordinate("x")
    v, high, low = rt.parameters("v high low")
    drop = rt.friction(x.rate - v, static=high, kinetic=low)
    system = rt.System(kinetic=x.rate**2 / 2, potential=x**2 / 2, friction=drop)
    values = {"v": 0.1, "high": 1.0, "low": 0.6}
    motion = rt.simulate(system, values, {x: 0.2, x.rate: 0.1}, np.linspace(0, 30, 301))
    assert motion.phases[0].states == (0,)
    assert motion.phases[0].end == pytest.approx(8.0, rel=1e-9)  # 0.2 + 0.1 t = 1
    assert motion.phases[1].states == (-1,)
    # slip about 0.6: back at the speed of the belt after 2 (pi - atan(0.4/0.1))
    assert motion.phases[1].end - 8.0 == pytest.approx(2 * (np.pi - np.arctan(4)), rel=1e-8)


@pytest.mark.parametrize("kinetic", [0.1, 0.4, 0.5, 0.6, 0.75, 0.8])
def test_a_block_that_a_spring_drags_sticks_and_slips(kinetic):
    x = rt.coordinate("x")
    system = rt.System(
        kinetic=x.rate**2 / 2,
        potential=(x - 0.3 * rt.t) ** 2,
        friction=rt.friction(x.rate, static=1.0, kinetic=kinetic),
    )
    motion = rt.simulate(system, {}, {}, np.linspace(0, 10, 6))
    assert motion.completed
    assert motion.phases[0].end == pytest.approx(1 / 0.6, rel=1e-12)
    w, a, v = np.sqrt(2), (1 - kinetic) / 2, 0.3  # x = v s + b - (b cos + v/w sin) with b = a
    stop = 2 * (np.pi - np.arctan(a * w / v)) / w
    assert motion.phases[1].end - motion.phases[1].start == pytest.approx(stop, rel=1e-7)
    if len(motion.phases) > 3:
        place = motion.phases[2].motion.q[0, 0]
        assert motion.phases[2].end == pytest.approx((0.5 + place) / 0.3, rel=1e-9)


@pytest.mark.slow
def test_a_long_run_of_the_cycle_is_not_cut_off():
    system, x = leine()
    motion = rt.simulate(system, {"v": 0.2, "delta": 3}, {x: 1.1}, np.linspace(0, 400, 5))
    assert motion.completed
    assert min(phase.end - phase.start for phase in motion.phases[:-1]) > 1


def test_a_contact_that_comes_loose_shakes_the_others():
    x, y = rt.coordinates("x y")
    u = rt.input("u")
    stacked = rt.System(
        kinetic=(x.rate**2 + y.rate**2) / 2,
        potential=5 * (x - u) ** 2,
        friction=[
            rt.friction(x.rate, static=3, kinetic=0.5),
            rt.friction(y.rate - x.rate, static=1, kinetic=0.8),
        ],
    )
    motion = rt.simulate(stacked, {}, {}, np.linspace(0, 5, 6), inputs={u: rt.t})
    assert motion.completed
    assert [phase.states for phase in motion.phases[:2]] == [(0, 0), (1, -1)]
    assert motion.phases[1].motion.a[0] == pytest.approx([3 - 0.5 - 0.8, 0.8], rel=1e-9)


@pytest.mark.parametrize("law", [0.2, 0.2 + 0 * rt.t])
def test_a_belt_that_is_an_input(law):
    x, u = rt.coordinate("x"), rt.input("u")
    system = rt.System(
        kinetic=x.rate**2 / 2,
        potential=x**2 / 2,
        friction=rt.friction(x.rate - u, static=1, kinetic=0.5),
    )
    motion = rt.simulate(system, {}, {}, np.linspace(0, 12, 61), inputs={u: law})
    plain = rt.System(
        kinetic=x.rate**2 / 2,
        potential=x**2 / 2,
        friction=rt.friction(x.rate - 0.2, static=1, kinetic=0.5),
    )
    other = rt.simulate(plain, {}, {}, np.linspace(0, 12, 61))
    assert motion.q == pytest.approx(other.q, abs=1e-7)


def test_multipliers_and_accelerations_are_read_along_phases():
    x, y = rt.coordinates("x y")
    system = rt.System(
        kinetic=(x.rate**2 + y.rate**2) / 2,
        potential=9.81 * y,
        constraints=[y],
        friction=rt.friction(x.rate, static=1),
    )
    motion = rt.simulate(
        system, {}, {x.rate: 2}, np.linspace(0, 4, 5), events=rt.event(x - 1, name="one")
    )
    assert motion[system.multipliers[0]] == pytest.approx(-9.81)
    assert motion[rt.ddt(x, 2)] == pytest.approx([-1, -1, 0, 0, 0], abs=1e-9)
    assert [str(getattr(each, "event", "stops")) for each in motion.events] == ["one", "stops"]


def test_contacts_that_cannot_stick_together():
    x = rt.coordinate("x")
    belts = rt.System(
        kinetic=x.rate**2 / 2,
        potential=x**2 / 2,
        friction=[rt.friction(x.rate - 1, static=0.5), rt.friction(x.rate + 1, static=0.2)],
    )
    motion = rt.simulate(belts, {}, {}, np.linspace(0, 20, 101))
    assert motion.completed
    assert set(motion.states[:, 0]) <= {-1.0, 0.0}


def test_large_neighbours_do_not_hide_a_stop():
    x, far = rt.coordinates("x far")
    system = rt.System(
        kinetic=x.rate**2 / 2 + 1e10 * far.rate**2 / 2,
        potential=x**2 / 2,
        forces={far: 1e10},
        friction=rt.friction(x.rate, static=1e-5),
    )
    motion = rt.simulate(system, {}, {x: 1e-4}, np.linspace(0, 12, 25))
    stops = [phase.end for phase in motion.phases[:3]]
    assert stops == pytest.approx(np.pi * np.arange(1, 4), rel=1e-7)


def test_an_event_at_a_change_counts_once_and_may_stop():
    system, x = coulomb()
    stopped = rt.simulate(
        system, {}, {x: 1.0}, np.linspace(0, 20, 11), events=rt.event(x.rate, stop=True, direction=1)
    )
    assert stopped.t[-1] == pytest.approx(np.pi, rel=1e-8)
    assert stopped.status is rt.Status.EVENT
    motion = rt.simulate(
        system, {}, {x: 1.0}, np.linspace(0, 20, 11), events=rt.event(x.rate, name="turn")
    )
    turns = [each.t for each in motion.events if str(getattr(each, "event", "")) == "turn"]
    assert np.diff(turns) == pytest.approx(np.pi, rel=1e-6)


def test_friction_that_becomes_negative_ends_the_motion():
    x = rt.coordinate("x")
    for contact in (
        rt.friction(x.rate, static=0.5 - 0.3 * rt.t),
        rt.friction(x.rate, law=lambda s: 0.2 - 0.3 * s),
    ):
        system = rt.System(kinetic=x.rate**2 / 2, potential=x**2 / 2, friction=contact)
        motion = rt.simulate(system, {}, {x: 3.0}, np.linspace(0, 10, 11))
        assert motion.status is rt.Status.FAILED
        assert "Friction must not drive the slip" in motion.message
        assert (np.diff(motion.energy) <= 1e-9).all()


def test_variations_need_smooth_friction():
    system, x = coulomb()
    with pytest.raises(rt.DeclarationError, match="without check and variations"):
        rt.simulate(system, {}, {x: 1.0}, [0, 1], variations=True)
    smooth = rt.simulate(system, {}, {x: 1.0}, [0, 1], variations=True, regularize=0.1)
    assert smooth.transition.shape == (2, 2, 2)


def test_zones_without_ends_and_with_a_turn():
    x, y = rt.coordinates("x y")
    hoop = rt.System(
        kinetic=(x.rate**2 + y.rate**2) / 2,
        potential=9.81 * y,
        constraints=[(x**2 + y**2 - 1) / 2],
        friction=rt.friction(-x.rate * y + y.rate * x, static=3),
    )
    zone = rt.stick_zone(hoop, {}, guess={x: 0.0, y: -1.0})
    assert zone.low[1] == pytest.approx(-1)
    assert zone.high == pytest.approx([3 / 9.81, -np.sqrt(1 - (3 / 9.81) ** 2)])
    slope = rt.System(
        kinetic=x.rate**2 / 2, potential=0.3 * x, friction=rt.friction(x.rate, static=0.5)
    )
    held = rt.stick_zone(slope, {})
    assert held.contains({x: 17.0})
    assert held.loads({x: 2.0}) == pytest.approx([0.6])
    assert "x anywhere" in str(held)
    table = rt.System(kinetic=x.rate**2 / 2, friction=rt.friction(x.rate, static=0.5))
    assert rt.stick_zone(table, {}).contains({x: -3.0})
    steep = rt.System(kinetic=x.rate**2 / 2, potential=x, friction=rt.friction(x.rate, static=0.5))
    with pytest.raises(rt.SolveError, match="Friction does not hold the system at the guess"):
        rt.stick_zone(steep, {})


def test_an_event_of_the_user_stops_the_motion():
    system, x = coulomb()
    motion = rt.simulate(system, {}, {x: 1.0}, [0, 1, 5], events=rt.event(x - 0.5, stop=True))
    assert motion.q[-1, 0] == pytest.approx(0.5, abs=1e-9)
    assert motion.status is rt.Status.EVENT


def test_multipliers_can_be_watched_and_read():
    """A ball inside a hoop that is thrown up leaves it where the hoop would have to pull."""
    x, y = rt.coordinates("x y")
    hoop = rt.System(
        kinetic=(x.rate**2 + y.rate**2) / 2, potential=9.81 * y, constraints=[(x**2 + y**2 - 1) / 2]
    )
    (force,) = hoop.multipliers
    v0 = 6.0
    motion = rt.simulate(
        hoop,
        {},
        {y: -1.0, x.rate: v0},
        np.linspace(0, 2, 21),
        events=rt.event(force, direction=-1, stop=True),
    )
    assert motion.q[-1, 1] == pytest.approx((v0**2 - 2 * 9.81) / (3 * 9.81), rel=1e-8)
    assert motion[force][-1] == pytest.approx(0, abs=1e-8)
    assert motion[force] == pytest.approx(motion.multipliers[:, 0], abs=1e-12)


def test_pictures_of_motion_with_friction():
    system, x = leine()
    motion = rt.simulate(system, {"v": 0.2, "delta": 3}, {x: 1.1}, np.linspace(0, 20, 101))
    axes = rt.plot(motion)
    assert len(axes.lines) > len(motion.changes)
    plt.close("all")
    assert "track" in rt.animate(motion, points={"m": rt.vector(x, 0)}).html


def test_a_contact_without_mass_and_one_without_a_slope_are_answered():
    """A block on a belt: no mass leaves its acceleration open, and Stribeck's speed 0 has no slope."""
    model = rt.load(Path(__file__).parents[2] / "examples" / "models" / "block_on_belt.toml")
    with pytest.raises(rt.SolveError, match="do not determine the acceleration of `x` at the start"):
        rt.simulate(model.system, model.values | {"m": 0}, model.start, [0, 1])
    F_c, m, k = (model.values[name] for name in ("F_c", "m", "k"))
    motion = rt.simulate(model.system, model.values | {"v_s": 0}, model.start, [0, 0.1])
    # slipping backwards on the belt, it is pushed on by Coulomb's force alone
    w, x = (k / m) ** 0.5, model.start[model.system.coordinates[0]]
    rate = model.start[model.system.velocities[0]]
    exact = F_c / k + (x - F_c / k) * np.cos(0.1 * w) + rate / w * np.sin(0.1 * w)
    assert motion.q[-1, 0] == pytest.approx(exact, rel=1e-8)
