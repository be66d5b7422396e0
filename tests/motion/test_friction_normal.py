"""Friction by the normal force: hand-made numbers, limits of rest, lost contacts, Painleve's rod."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import routh as rt
from depth import cases
from routh import ddt

G = 9.81


def wheel(share):
    """A round body of moment share m r^2 on a plane, held there by a constraint."""
    x, y, turn = rt.coordinates("x y turn")
    m, r, mu = rt.parameters("m r mu")
    floor = y - r
    contact = rt.friction(
        ddt(x) - r * ddt(turn), coefficient=mu, normal=rt.reaction(floor), name="floor"
    )
    system = rt.System(
        kinetic=m * (ddt(x) ** 2 + ddt(y) ** 2) / 2 + share * m * r**2 * ddt(turn) ** 2 / 2,
        potential=m * G * y,
        constraints=[floor],
        friction=contact,
        name="wheel",
    )
    return system, (x, y, turn), floor


@pytest.mark.parametrize(("share", "kept"), [(0.5, 2 / 3), (0.4, 5 / 7), (1.0, 1 / 2)])
def test_a_thrown_wheel_rolls_with_its_share_of_the_speed(share, kept):
    """Disc, ball and hoop: m v r + I v/r is kept about the point of the floor; v1 = v0/(1 + share)."""
    system, (x, y, _), floor = wheel(share)
    values = {"m": 2, "r": 0.5, "mu": 0.3}
    times = np.linspace(0, 1, 5)
    motion = rt.simulate(system, values, {y: 0.5, ddt(x): 3}, times)
    assert motion.completed
    assert motion.v[-1, 0] == pytest.approx(3 * kept, rel=1e-12)
    rolls = [change.t for change in motion.changes if change.state == 0]
    assert rolls == pytest.approx([3 * (1 - kept) / (0.3 * G)], rel=1e-12)
    assert motion.normals[:, 0] == pytest.approx(2 * G, rel=1e-12)
    assert motion[rt.reaction(floor)] == pytest.approx(2 * G, rel=1e-12)
    assert motion.friction[0, 0] == pytest.approx(-0.3 * 2 * G, rel=1e-12)


def test_a_wheel_that_is_driven_too_hard_slips_at_the_limit_of_its_friction():
    """Torque T on a disc: rolling needs F = T/(r (1 + I/(m r^2))) = 2 T/(3 r) <= mu m g."""
    system, (_, y, turn), _ = wheel(0.5)
    torque = rt.input("T")
    driven = system.changed(forces={turn: torque})
    values = {"m": 2, "r": 0.5, "mu": 0.3}
    motion = rt.simulate(driven, values, {y: 0.5}, np.linspace(0, 10, 11), inputs={torque: rt.t})
    slips = [change.t for change in motion.changes]
    assert slips == pytest.approx([1.5 * 0.5 * 0.3 * 2 * G], rel=1e-9)
    assert motion.states[-1, 0] == -1


def test_a_block_on_a_plane_that_accelerates():
    """A lorry with a deck that rises as s(t): N = m (g + s''); the crate slides where a > mu N/m."""
    x, y = rt.coordinates("x y")
    m, mu = rt.parameters("m mu")
    deck, rise = rt.inputs("deck rise")
    gap = y - rise
    crate = rt.System(
        kinetic=m * (ddt(x) ** 2 + ddt(y) ** 2) / 2,
        potential=m * G * y,
        constraints=[gap],
        friction=rt.friction(ddt(x) - ddt(deck), coefficient=mu, normal=rt.reaction(gap)),
    )
    values = {"m": 40, "mu": 0.3}
    for lift, slides in ((0, True), (2, False)):
        laws = {deck: 3.2 * rt.t**2 / 2, rise: lift * rt.t**2 / 2}
        motion = rt.simulate(crate, values, {}, [0, 1], inputs=laws)
        limit = 0.3 * (G + lift)
        assert motion.a[0, 0] == pytest.approx(limit if slides else 3.2, rel=1e-9)
        assert (limit < 3.2) == slides
        assert motion.normals[-1, 0] == pytest.approx(40 * (G + lift), rel=1e-9)


def test_a_block_on_a_moving_wedge_by_hand():
    """Newton for both bodies: the block slides down a rough wedge that is free on ice."""
    X, x, y = rt.coordinates("X x y")
    M, m, mu, alpha = rt.parameters("M m mu alpha")
    s, c = rt.sin(alpha), rt.cos(alpha)
    gap = (y * c) - (X - x) * s  # distance from the face, which falls towards -x
    slip = (ddt(X) - ddt(x)) * c + ddt(y) * s  # up the face
    wedge = rt.System(
        kinetic=M * ddt(X) ** 2 / 2 + m * (ddt(x) ** 2 + ddt(y) ** 2) / 2,
        potential=m * G * y,
        constraints=[gap],
        friction=rt.friction(slip, coefficient=mu, normal=rt.reaction(gap), name="face"),
    )
    values = {"M": 5.0, "m": 2.0, "mu": 0.2, "alpha": 0.6}
    motion = rt.simulate(wedge, values, {}, [0, 0.5])
    sa, ca, k = np.sin(0.6), np.cos(0.6), 0.2
    # N normal on the block, mu N up the face on it: the wedge gets the opposite
    # M A = -N s_ + mu N c_ with the signs of the face; gap'' = 0 closes it
    block = np.array([sa + k * -ca, ca + k * sa])  # force on the block per N: (x, y)
    A = -block[0] / 5.0
    N = G * ca / (ca * block[1] / 2.0 - (A - block[0] / 2.0) * sa)
    assert motion.normals[0, 0] == pytest.approx(N, rel=1e-10)
    assert motion.a[0] == pytest.approx([A * N, block[0] * N / 2, block[1] * N / 2 - G], rel=1e-10)
    assert motion.states[0, 0] == -1
    rough = rt.simulate(wedge, {**values, "mu": np.tan(0.6) + 1e-9}, {}, [0, 0.5])
    assert (rough.states == 0).all()  # mu > tan(alpha): it sticks, and nothing moves the wedge


def ladder():
    """A uniform ladder of length 2 l, its centre at (x, y), against a wall at x = 0."""
    x, y, angle = rt.coordinates("x y angle")
    m, l, mu1, mu2 = rt.parameters("m l mu1 mu2")
    floor, wall = y - l * rt.sin(angle), x - l * rt.cos(angle)
    foot, top = ddt(x + l * rt.cos(angle)), ddt(y + l * rt.sin(angle))
    return rt.System(
        kinetic=m * (ddt(x) ** 2 + ddt(y) ** 2) / 2 + m * l**2 * ddt(angle) ** 2 / 6,
        potential=m * G * y,
        constraints=[floor, wall],
        friction=[
            rt.friction(foot, coefficient=mu1, normal=rt.reaction(floor), name="foot"),
            rt.friction(top, coefficient=mu2, normal=rt.reaction(wall), name="top"),
        ],
        name="ladder",
    ), (x, y, angle)


def leaning(system, places, angle, mu1, mu2, until=0.3):
    x, y, turn = places
    start = {x: 1.5 * np.cos(angle), y: 1.5 * np.sin(angle), turn: angle}
    values = {"m": 2, "l": 1.5, "mu1": mu1, "mu2": mu2}
    return rt.simulate(system, values, start, np.linspace(0, until, 4))


@pytest.mark.parametrize(("mu1", "mu2"), [(0.3, 0.4), (0.5, 0.0)])
def test_a_ladder_stands_down_to_its_limit_angle(mu1, mu2):
    """tan(angle) = (1 - mu1 mu2)/(2 mu1), both contacts then being at their limits."""
    system, places = ladder()
    limit = np.arctan((1 - mu1 * mu2) / (2 * mu1))
    stands = leaning(system, places, limit + 1e-6, mu1, mu2)
    assert (stands.states == 0).all()
    assert "keep farthest from their limits" in stands.message
    forces = np.abs(stands.friction)
    assert (forces <= np.array([mu1, mu2]) * stands.normals * (1 + 1e-9) + 1e-12).all()
    weight = stands.normals[:, 0] + stands.friction[:, 1]
    assert weight == pytest.approx(2 * G, rel=1e-9)  # on the floor, and hung up at the wall
    slides = leaning(system, places, limit - 1e-6, mu1, mu2)
    assert (slides.states == [1, -1]).all()
    assert slides.q[-1, 2] < limit - 1e-6


def test_a_sliding_ladder_without_friction_leaves_the_wall_at_two_thirds_of_its_height():
    """The classical result: sin(angle) = (2/3) sin(start); there the contact is lost, and it is said."""
    system, places = ladder()
    begun = 1.1
    motion = leaning(system, places, begun, 0.0, 0.0, until=3)
    assert motion.status is rt.Status.LOST
    assert "top is lost, since the reaction of" in motion.message
    assert not motion.completed
    assert np.sin(motion.q[-1, 2]) == pytest.approx(2 / 3 * np.sin(begun), rel=1e-8)


def test_a_bead_on_a_rod_that_turns_presses_on_one_side_and_then_on_the_other():
    """r'' = w^2 r - 2 mu w r' both ways: N = 2 m w |r'| changes sides where the bead turns back."""
    r, turn = rt.coordinates("r turn")
    m, mu, w = rt.parameters("m mu w")
    held = turn - w * rt.t
    bead = rt.System(
        kinetic=m * (ddt(r) ** 2 + r**2 * ddt(turn) ** 2) / 2,
        constraints=[held],
        friction=rt.friction(ddt(r), coefficient=mu, normal=abs(rt.reaction(held) / r), name="rod"),
    )
    values = {"m": 2, "mu": 0.3, "w": 2}
    start = {r: 1, ddt(turn): 2, ddt(r): -1.2}
    motion = rt.simulate(bead, values, start, np.linspace(0, 2, 9))
    assert motion.completed
    roots = 2 * np.array([-0.3 + np.sqrt(1.09), -0.3 - np.sqrt(1.09)])
    c = np.linalg.solve([[1, 1], roots], [1, -1.2])
    back = np.log(-c[1] * roots[1] / (c[0] * roots[0])) / (roots[0] - roots[1])
    assert motion.changes[0].t == pytest.approx(back, rel=1e-9)
    assert [phase.sides for phase in motion.phases] == [(-1,), (1,)]
    assert motion.q[:, 0] == pytest.approx(np.exp(np.outer(motion.t, roots)) @ c, rel=1e-8)
    speed = np.abs(motion.v[:, 0])
    assert motion.normals[:, 0] == pytest.approx(2 * 2 * 2 * speed, abs=1e-8)
    plain = rt.System(  # the same in one coordinate, with the normal force written down
        kinetic=m * (ddt(r) ** 2 + r**2 * w**2) / 2,
        friction=rt.friction(ddt(r), coefficient=mu, normal=abs(2 * m * w * ddt(r))),
    )
    again = rt.simulate(plain, values, {r: 1, ddt(r): -1.2}, np.linspace(0, 2, 9))
    assert again.q[:, 0] == pytest.approx(motion.q[:, 0], rel=1e-7)


@pytest.mark.parametrize(
    ("towards", "mu", "locks"), [(1, 0.51, True), (1, 0.49, False), (-1, 0.9, False)]
)
def test_a_drum_brake_locks_itself_by_its_geometry(towards, mu, locks):
    """A lever of arm a with its shoe at the height b: it locks for mu >= a/b, and one way only.

    Moments about the hinge: P p - N a + mu N b = 0, so that N = P p/(a - mu b).
    """
    spin, lever = rt.coordinates("spin lever")
    I, a, b, R, P, k = rt.parameters("I a b R P mu")
    shoe = -a * lever  # the gap closes as the lever turns
    slip = R * ddt(spin) - b * ddt(lever)
    brake = rt.System(
        kinetic=I * ddt(spin) ** 2 / 2 + ddt(lever) ** 2 / 2,
        constraints=[shoe],
        forces={lever: P},
        friction=rt.friction(slip, coefficient=k, normal=rt.reaction(shoe), name="shoe"),
        name="brake",
    )
    values = {"I": 3, "a": 0.1, "b": 0.2, "R": 0.25, "P": 6.0, "mu": mu}
    start = {ddt(spin): 20.0 * towards}
    if locks:
        with pytest.raises(rt.SolveError, match="large enough to jam"):
            rt.simulate(brake, values, start, [0, 0.01])
        return
    motion = rt.simulate(brake, values, start, [0, 0.01])
    assert motion.normals[0, 0] == pytest.approx(6.0 / (0.1 - towards * mu * 0.2), rel=1e-10)


def rod():
    """Painleve's rod of length 2 l with its lower end on a rough floor."""
    x, y, angle = rt.coordinates("x y angle")
    m, l, mu = rt.parameters("m l mu")
    gap = y - l * rt.sin(angle)
    system = rt.System(
        kinetic=m * (ddt(x) ** 2 + ddt(y) ** 2) / 2 + m * l**2 * ddt(angle) ** 2 / 6,
        potential=m * G * y,
        constraints=[gap],
        friction=rt.friction(
            ddt(x - l * rt.cos(angle)), coefficient=mu, normal=rt.reaction(gap), name="tip"
        ),
        name="rod",
    )

    def start(at, spin, slip):
        own = {x: 0, y: np.sin(at), angle: at, ddt(angle): spin}
        return {**own, ddt(y): np.cos(at) * spin, ddt(x): slip - np.sin(at) * spin}

    return system, start


def test_the_rod_has_the_normal_force_of_the_textbook():
    """N = m (g - l w^2 sin)/(1 + 3 cos (cos + s mu sin)), s the sign of slip of the lower left end."""
    system, start = rod()
    for at, spin, slip in ((1.2, 0.5, 1.0), (1.2, 0.5, -1.0), (0.9, -1.0, -2.0)):
        values = {"m": 1, "l": 1, "mu": 0.5}
        motion = rt.simulate(system, values, start(at, spin, slip), [0, 1e-3])
        below = 1 + 3 * np.cos(at) * (np.cos(at) + np.sign(slip) * 0.5 * np.sin(at))
        assert motion.normals[0, 0] == pytest.approx((G - spin**2 * np.sin(at)) / below, rel=1e-9)


@pytest.mark.parametrize(
    ("mu", "spin", "said"),
    [
        (1.34, 0.0, "neither sticking nor slipping agrees"),
        (1.34, 5.0, "2 motions agree .* tip slips; or the bodies part"),
        (1.32, 5.0, "tip is lost"),
    ],
)
def test_painleves_rod_is_recognized_and_named(mu, spin, said):
    """At tan(angle) = 2 the denominator 1 + 3 cos (cos - mu sin) vanishes for mu = 4/3, the least of all."""
    system, start = rod()
    with pytest.raises(rt.SolveError, match=said):
        rt.simulate(system, {"m": 1, "l": 1, "mu": mu}, start(np.arctan(2), spin, -1.0), [0, 0.1])


def test_below_four_thirds_the_rod_slips_on():
    system, start = rod()
    motion = rt.simulate(system, {"m": 1, "l": 1, "mu": 1.33}, start(np.arctan(2), 0, -1.0), [0, 1e-4])
    assert motion.states[0, 0] == -1


@pytest.mark.slow
def test_a_rod_that_slips_into_the_jam_stops_there():
    """The denominator is zero at the end, and the normal force has grown without bounds."""
    system, start = rod()
    values = {"m": 1, "l": 1, "mu": 2}
    motion = rt.simulate(system, values, start(0.5, 3.0, -5.0), np.linspace(0, 1, 21))
    assert motion.status is rt.Status.JAMMED
    at = motion.q[-1, 2]
    assert abs(1 + 3 * np.cos(at) * (np.cos(at) - 2 * np.sin(at))) < 1e-5
    assert motion.normals[-1, 0] > 1e4


def plane_block(**more):
    x, y, z = rt.coordinates("x y z")
    m, mu, F = rt.parameters("m mu F")
    slip = rt.vector(ddt(x), ddt(y))
    return rt.System(
        kinetic=m * (ddt(x) ** 2 + ddt(y) ** 2 + ddt(z) ** 2) / 2,
        potential=m * G * z,
        forces={x: F},
        constraints=[z],
        friction=rt.friction(slip, coefficient=mu, normal=rt.reaction(z), name="plane", **more),
    ), (x, y)


def test_slip_in_a_plane_stops_in_finite_time():
    """Across a force F < mu m g the block stops after v0 k/(k^2 - f^2), k = mu g, f = F/m.

    (Of d|v|/dt = -k + f cos and |v| d(angle)/dt = -f sin, |v| (k + f cos) falls at k^2 - f^2.)
    """
    system, (x, y) = plane_block()
    values = {"m": 2, "mu": 0.3, "F": 0}
    motion = rt.simulate(system, values, {ddt(x): 0.6, ddt(y): 0.8}, [0, 1])
    assert motion.changes[0].t == pytest.approx(1 / (0.3 * G), rel=1e-9)
    assert motion.q[-1, :2] == pytest.approx(np.array([0.6, 0.8]) / (2 * 0.3 * G), rel=1e-8)
    k, f = 0.3 * G, 2.5
    across = rt.simulate(system, {**values, "F": 2 * f}, {ddt(y): 0.8}, np.linspace(0, 1, 11))
    assert across.changes[-1].t == pytest.approx(0.8 * k / (k**2 - f**2), rel=1e-8)
    assert across.states[-1, 0] == 0
    size = np.linalg.norm(across.friction, axis=1)
    assert (size <= 0.3 * 2 * G * (1 + 1e-12)).all()
    assert across.friction[-1] == pytest.approx([-2 * f, 0], abs=1e-12)


def test_what_sticks_in_a_plane_gives_way_along_its_acceleration():
    """With other masses along x and y the first slip is not along the force: (M + k) d = force."""
    x, y, z = rt.coordinates("x y z")
    push = rt.input("push")
    contact = rt.friction(
        rt.vector(ddt(x), ddt(y)), coefficient=0.3, static_coefficient=0.45, normal=rt.reaction(z)
    )
    system = rt.System(
        kinetic=ddt(x) ** 2 / 2 + 2 * ddt(y) ** 2 + ddt(z) ** 2 / 2,
        potential=G * z,
        forces={x: push, y: push},
        constraints=[z],
        friction=contact,
    )
    gives = 0.45 * G / np.sqrt(2)
    motion = rt.simulate(system, {}, {}, [0, gives - 1e-3, gives + 1e-3], inputs={push: rt.t})
    assert motion.changes[0].t == pytest.approx(gives, rel=1e-9)
    direction = motion.v[-1, :2] / np.linalg.norm(motion.v[-1, :2])
    a = np.array([gives, gives]) - 0.3 * G * direction
    a[1] /= 4
    assert a / np.linalg.norm(a) == pytest.approx(direction, abs=1e-3)  # after a short while


def test_a_billiard_ball_with_side_spin_rolls_with_five_sevenths_and_two_sevenths():
    """v1 = (5 v0 + 2 (what it would roll with)) / 7, whatever the coefficient."""
    x, y, z, a, b = rt.coordinates("x y z a b")  # turns a about x, b about y
    mu = rt.parameter("mu")
    slip = rt.vector(ddt(x) - ddt(b), ddt(y) + ddt(a))  # radius 1
    ball = rt.System(
        kinetic=(ddt(x) ** 2 + ddt(y) ** 2 + ddt(z) ** 2) / 2 + (ddt(a) ** 2 + ddt(b) ** 2) / 5,
        potential=G * z,
        constraints=[z],
        friction=rt.friction(slip, coefficient=mu, normal=rt.reaction(z)),
    )
    motion = rt.simulate(ball, {"mu": 0.2}, {ddt(x): 2, ddt(a): -3}, np.linspace(0, 2, 5))
    assert motion.states[-1, 0] == 0
    assert motion.v[-1, :2] == pytest.approx([5 / 7 * 2, 2 / 7 * 3], rel=1e-8)


def test_pads_that_slip_together_share_what_they_hold():
    """Static forces 1 along x' and 1 along 2 x' hold 3 together; before, forces are within both."""
    x, F = rt.coordinate("x"), rt.input("F")
    pads = rt.System(
        kinetic=ddt(x) ** 2 / 2,
        forces={x: F},
        friction=[rt.friction(ddt(x), static=1), rt.friction(2 * ddt(x), static=1)],
    )
    motion = rt.simulate(pads, {}, {}, np.linspace(0, 4, 9), inputs={F: rt.t})
    assert [change.t for change in motion.changes] == pytest.approx([3, 3], abs=1e-8)
    assert (np.abs(motion.friction) <= 1 + 1e-9).all()
    held = motion.t < 3
    together = -motion.friction @ np.array([1, 2])
    assert together[held] == pytest.approx(motion.t[held], abs=1e-9)
    assert "not determined" in motion.message


def test_pads_that_stick_together_in_a_plane_are_refused():
    """The circles of their limits are not looked into. Each alone in its plane is."""
    x, y, z = rt.coordinates("x y z")
    slip = rt.vector(ddt(x), ddt(y))
    pads = rt.System(
        kinetic=(ddt(x) ** 2 + ddt(y) ** 2 + ddt(z) ** 2) / 2,
        potential=-rt.t * x,
        friction=[rt.friction(slip, static=1, name="a"), rt.friction(slip, static=1.5)],
    )
    with pytest.raises(rt.SolveError, match=r"a has a direction in a plane.*Make one contact of those"):
        rt.simulate(pads, {}, {}, [0, 1])
    moving = rt.simulate(pads, {}, {ddt(y): 1}, [0, 2])
    assert moving.status is rt.Status.UNDETERMINED
    assert "Make one contact of those" in moving.message
    beside = pads.changed(
        friction=[rt.friction(slip, static=1), *[rt.friction(ddt(z), static=1) for _ in range(2)]]
    )
    motion = rt.simulate(beside, {}, {}, [0, 2])
    assert [change.t for change in motion.changes] == pytest.approx([1], abs=1e-8)


@pytest.mark.slow
def test_a_pulse_between_the_outputs_makes_shared_contacts_slip():
    """Two pads with half of the weight each slip as one with the whole weight does."""
    x = rt.coordinate("x")

    def pushed(count):
        pads = [rt.friction(ddt(x), coefficient=0.3, normal=10 / count) for _ in range(count)]
        pulse = 6 * rt.exp(-(((rt.t - 1.02) / 0.02) ** 2))
        system = rt.System(kinetic=ddt(x) ** 2 / 2, forces={x: pulse}, friction=pads)
        return rt.simulate(system, {}, {}, [0, 2, 4])

    one, two = pushed(1), pushed(2)
    assert [c.t for c in two.changes[::2]] == pytest.approx([c.t for c in one.changes], abs=1e-8)
    assert two.q[-1] == pytest.approx(one.q[-1], rel=1e-6)


def rough_ladder(mu, at_foot=0, up=0):
    """A ladder of length 2 and weight 10, rough at both ends and pushed at its foot and its middle."""
    x, y, th = rt.coordinates("x y th")
    floor, wall = y - rt.sin(th), x - rt.cos(th)
    foot, top = ddt(x + rt.cos(th)), ddt(y + rt.sin(th))
    return rt.System(
        kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2 + ddt(th) ** 2 / 6,
        potential=(10 - up) * y,
        constraints=[floor, wall],
        friction=[
            rt.friction(foot, coefficient=mu, normal=rt.reaction(floor)),
            rt.friction(top, coefficient=mu, normal=rt.reaction(wall)),
        ],
        forces=[rt.force(rt.vector(at_foot, 0), at=rt.vector(x + rt.cos(th), 0 * y))],
    )


def test_what_holds_by_prestress_alone_is_not_decided():
    """At 45 degrees the line through both ends lies in both cones if mu > 1: it can be wedged in.

    Its weight holds it without that; lifted by more than its weight it holds only if it is wedged in.
    """
    place = {"x": np.sqrt(0.5), "y": np.sqrt(0.5), "th": np.pi / 4}
    held = rt.simulate(rough_ladder(1.5), {}, place, [0, 0.1])
    assert held.completed
    assert "could be squeezed against each other by any larger force" in held.message
    with pytest.raises(rt.SolveError, match=r"any larger one would do.*depends on prestress"):
        rt.simulate(rough_ladder(1.5, up=12), {}, place, [0, 0.1])


def test_what_is_pressed_by_forces_that_are_not_determined_is_not_lost_by_one_of_them():
    """A ladder, rough at both ends, pushed at its foot: the wall need not pull while friction holds.

    With a frictionless wall it is N = 5 cot(1.2), and the foot holds N plus the push: at most 3.44 of
    the 5 that it can.
    """
    rough = rough_ladder(0.5, at_foot=5 * (rt.t - 0.3))
    motion = rt.simulate(rough, {}, {"x": np.cos(1.2), "y": np.sin(1.2), "th": 1.2}, [0, 0.3, 0.6])
    assert motion.status is rt.Status.FINISHED
    assert not motion.changes
    assert (motion.normals > 0).all()
    assert (np.abs(motion.friction) <= 0.5 * motion.normals * (1 + 1e-9)).all()


def on_repeated(normal, slip):
    """A block on a plane that is declared twice."""
    x, y = rt.coordinates("x y")
    return rt.System(
        kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2,
        potential=10 * y + 5 * x**2,
        constraints=[y, 2 * y],
        friction=rt.friction(slip(x), coefficient=0.3, normal=normal(y), name="block"),
    )


def test_friction_by_a_reaction_that_is_not_unique_is_refused():
    """The sum of what two equal constraints do is determined, and friction by it is: 0.3 times 10."""
    one, why = rt.reaction, r"among `y` and `2\*y`.*nor is how hard block is pressed"
    with pytest.raises(rt.DerivationError, match=why):
        rt.simulate(on_repeated(one, ddt), {}, {}, [0, 1])
    with pytest.raises(rt.DerivationError, match=why):
        rt.equilibrium(on_repeated(one, lambda x: ddt(x) - 1), {})
    both = lambda y: rt.reaction(y) + 2 * rt.reaction(2 * y)  # noqa: E731
    rest = rt.equilibrium(on_repeated(both, lambda x: ddt(x) - 1), {})
    assert rest.q == pytest.approx([0.3, 0])


def test_a_table_of_four_legs_is_refused_at_once():
    x, y, z, a, b = rt.coordinates("x y z a b")
    legs = [z + i * a + j * b for i in (1, -1) for j in (1, -1)]
    slip = rt.vector(ddt(x), ddt(y))
    table = rt.System(
        kinetic=sum(ddt(q) ** 2 for q in (x, y, z, a, b)) / 2,
        potential=10 * z,
        constraints=legs,
        friction=[rt.friction(slip, coefficient=0.3, normal=rt.reaction(leg)) for leg in legs],
    )
    with pytest.raises(rt.DerivationError, match="depend on each other"):
        rt.simulate(table, {}, {ddt(x): 1}, [0, 1])


def test_a_start_at_which_a_contact_would_pull_says_so_and_names_the_sign():
    x, y = rt.coordinates("x y")
    block = rt.System(
        kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2,
        potential=10 * y,
        constraints=[-y],
        friction=rt.friction(ddt(x), coefficient=0.3, normal=rt.reaction(-y)),
    )
    weak = block.changed(friction=rt.friction(ddt(x), coefficient=0.3, normal=x - 1))
    for system in (block, weak):
        with pytest.raises(rt.SolveError, match=r"is lost.*would have to pull.*grows as they part"):
            rt.simulate(system, {}, {ddt(x): 1}, [0, 1])


X, Y, TURN = rt.coordinates("x y turn")
MU, MORE, UP, DOWN = rt.parameters("mu more up down")
ON_A_SLOPE = rt.System(
    kinetic=(ddt(X) ** 2 + ddt(Y) ** 2) / 2 + ddt(TURN) ** 2 / 4,
    potential=UP * Y - DOWN * X,
    constraints=[Y],
    friction=rt.friction(
        ddt(X) - ddt(TURN), coefficient=MU, static_coefficient=MU * MORE, normal=rt.reaction(Y)
    ),
)


@cases(8)
@given(
    st.floats(0.0, 1.2), st.floats(1.0, 1.5), st.floats(-2, 2), st.floats(-3, 3), st.floats(0.0, 0.9)
)
def test_friction_never_gives_energy_and_stays_within_its_limit(mu, more, speed, spin, slope):
    """A wheel on a slope: power of friction <= 0, |F| <= mu_s N while it sticks, F = mu N while not."""
    values = {"mu": mu, "more": more, "up": G * np.cos(slope), "down": G * np.sin(slope)}
    start = {ddt(X): speed, ddt(TURN): spin}
    motion = rt.simulate(ON_A_SLOPE, values, start, np.linspace(0, 1, 11))
    assert motion.completed
    F, N, slip = motion.friction[:, 0], motion.normals[:, 0], motion[ddt(X) - ddt(TURN)]
    assert (F * slip <= 1e-9).all()
    stuck = motion.states[:, 0] == 0
    assert (np.abs(F[stuck]) <= mu * more * N[stuck] * (1 + 1e-9)).all()
    assert np.abs(F[~stuck]) == pytest.approx(mu * N[~stuck], rel=1e-9)
    assert (np.diff(motion.energy) <= 1e-9 * max(1.0, np.abs(motion.energy).max())).all()


PUSH, K1, K2 = rt.input("push"), rt.parameter("k1"), rt.parameter("k2")
DRIVEN = rt.System(
    kinetic=(ddt(X) ** 2 + 2 * ddt(Y) ** 2 + ddt(TURN) ** 2) / 2,
    potential=G * TURN + K1 * X**2 / 2 + K2 * Y**2 / 2,
    forces={X: PUSH, Y: PUSH / 2},
    constraints=[TURN],
    friction=rt.friction(
        rt.vector(ddt(X), ddt(Y)),
        coefficient=MU,
        static_coefficient=1.2 * MU,
        normal=rt.reaction(TURN),
    ),
)
"""A block on springs in a plane, pushed about; what is across the plane is held at zero."""


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_friction_in_a_plane_never_gives_energy_and_stays_within_its_limit(seed):
    pick = np.random.default_rng(seed).uniform
    values = {"mu": pick(0.05, 0.5), "k1": pick(0, 30), "k2": pick(0, 30)}
    start = {X: pick(-1, 1), Y: pick(-1, 1), ddt(X): pick(-2, 2), ddt(Y): pick(-2, 2)}
    law = {PUSH: pick(0, 6) * rt.sin(pick(1, 4) * rt.t)}
    motion = rt.simulate(DRIVEN, values, start, np.linspace(0, 3, 31), inputs=law)
    assert motion.completed
    slip = np.stack([motion[ddt(X)], motion[ddt(Y)]], axis=1)
    assert ((motion.friction * slip).sum(axis=1) <= 1e-9).all()
    size = np.linalg.norm(motion.friction, axis=1)
    stuck = motion.states[:, 0] == 0
    assert (size[stuck] <= 1.2 * values["mu"] * G * (1 + 1e-9)).all()
    assert size[~stuck] == pytest.approx(values["mu"] * G, rel=1e-9)


def test_regularized_friction_by_the_normal_force_tends_to_the_same():
    system, (x, y, _), _ = wheel(0.4)
    values, start, times = {"m": 2, "r": 0.5, "mu": 0.3}, {y: 0.5, ddt(x): 3}, np.linspace(0, 0.6, 7)
    exact = rt.simulate(system, values, start, times)
    errors = [
        np.abs(rt.simulate(system, values, start, times, regularize=width).q - exact.q).max()
        for width in (1e-2, 1e-3)
    ]
    assert errors[1] < errors[0] / 5
    assert errors[1] < 1e-3


def test_a_smooth_contact_is_lost_as_well():
    """On a ball a block without friction leaves where cos = 2/3; with a little, a little later."""
    x, y = rt.coordinates("x y")
    gap = rt.sqrt(x**2 + y**2) - 1
    slip = (y * ddt(x) - x * ddt(y)) / rt.sqrt(x**2 + y**2)
    block = rt.System(
        kinetic=(ddt(x) ** 2 + ddt(y) ** 2) / 2,
        potential=G * y,
        constraints=[gap],
        friction=rt.friction(slip, coefficient=1e-9, normal=rt.reaction(gap), name="ball"),
    )
    start = {x: np.sin(0.1), y: np.cos(0.1)}
    for width in (None, 1e-6):
        motion = rt.simulate(block, {}, start, [0, 0.5, 1, 2, 3], regularize=width)
        assert motion.status is rt.Status.LOST
        assert "ball is lost" in motion.message
        assert motion.q[-1, 1] == pytest.approx(2 / 3 * np.cos(0.1), rel=1e-6)


x_ = rt.coordinate("x")
y_ = rt.coordinate("y")
FLOOR = y_ - 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"coefficient": -0.1, "normal": 5}, "`coefficient` of friction must not be negative"),
        ({"coefficient": 0.1}, "needs `normal`, the force that presses"),
        ({"coefficient": 0.1, "normal": -5}, "`normal` of friction is the force that presses"),
        ({"kinetic": 0.1, "normal": 5}, "With `normal` friction is given by `coefficient`"),
        ({"normal": 5}, "friction needs `static_coefficient`"),
        (
            {"coefficient": 0.3, "static_coefficient": 0.2, "normal": 5},
            "`static_coefficient` must be at least `coefficient`",
        ),
        ({"coefficient": 0.3, "normal": rt.reaction(FLOOR) ** 2}, "linear in reactions"),
        ({"coefficient": 0.3, "normal": ddt(y_, 2)}, "follows from accelerations is the reaction"),
        ({"static": rt.reaction(FLOOR)}, "contains the force of a constraint. Give a `coefficient`"),
    ],
)
def test_declarations_that_are_refused(words, said):
    with pytest.raises(rt.DeclarationError, match=said):
        rt.friction(ddt(x_), **words)


def test_reactions_belong_to_constraints_of_the_system():
    contact = rt.friction(ddt(x_), coefficient=0.3, normal=rt.reaction(FLOOR))
    energy = (ddt(x_) ** 2 + ddt(y_) ** 2) / 2
    with pytest.raises(rt.DeclarationError, match="`y - 1` is not among the constraints"):
        rt.System(kinetic=energy, constraints=[y_ - 2], friction=contact)
    with pytest.raises(rt.DeclarationError, match="not in what it follows from"):
        rt.System(kinetic=energy, potential=rt.reaction(FLOOR), constraints=[FLOOR])
    with pytest.raises(rt.DeclarationError, match="must be linear in reactions"):
        rt.System(kinetic=energy, constraints=[FLOOR], forces={x_: rt.reaction(FLOOR) ** 2})
    with pytest.raises(rt.DeclarationError, match="an expression with coordinates"):
        rt.reaction(3)
    with pytest.raises(rt.DeclarationError, match="it follows from accelerations"):
        ddt(rt.reaction(FLOOR))
    with pytest.raises(rt.DeclarationError, match="vector of two components"):
        rt.friction(rt.vector(ddt(x_), ddt(y_), ddt(x_)), static=1)


def test_a_coefficient_that_is_negative_by_its_value_is_refused():
    mu = rt.parameter("mu")
    contact = rt.friction(ddt(x_), coefficient=mu, normal=rt.reaction(FLOOR), name="floor")
    energy = (ddt(x_) ** 2 + ddt(y_) ** 2) / 2
    system = rt.System(kinetic=energy, potential=G * y_, constraints=[FLOOR], friction=contact)
    with pytest.raises(rt.DeclarationError, match=r"`coefficient` of floor is -0\.2"):
        rt.simulate(system, {"mu": -0.2}, {y_: 1, ddt(x_): 1}, [0, 1])


def test_a_normal_force_that_is_written_down_may_be_lost_too():
    """A magnet that lets go: N = 5 - 10 t."""
    contact = rt.friction(ddt(x_), coefficient=0.1, normal=5 - 10 * rt.t, name="magnet")
    system = rt.System(kinetic=ddt(x_) ** 2 / 2, friction=contact)
    motion = rt.simulate(system, {}, {ddt(x_): 3}, [0, 1])
    assert motion.status is rt.Status.LOST
    assert motion.t[-1] == pytest.approx(0.5, rel=1e-12)
    assert motion.v[-1, 0] == pytest.approx(3 - 0.1 * (5 * 0.5 - 5 * 0.25), rel=1e-10)


def test_forces_may_depend_on_reactions_without_friction():
    """Rolling resistance f N against a wheel that rolls on."""
    system, (x, y, turn), floor = wheel(0.5)
    f = rt.parameter("f")
    rolls = system.changed(
        friction=None,
        constraints=[floor, ddt(x) - rt.parameter("r") * ddt(turn)],
        forces={turn: -f * rt.reaction(floor)},
    )
    values = {"m": 2, "r": 0.5, "f": 0.01}
    motion = rt.simulate(rolls, values, {y: 0.5, ddt(x): 1, ddt(turn): 2}, [0, 0.1])
    assert motion.a[0, 0] == pytest.approx(-0.01 * G / 0.5 / 1.5, rel=1e-10)
    for verb in (rt.hamiltonian, rt.equilibrium_equations):
        with pytest.raises(rt.DerivationError, match="do not depend on those of constraints"):
            verb(rolls)


def test_the_equations_of_slip_have_an_unsymmetric_saddle_point():
    system, _, _ = wheel(0.5)
    written = rt.equations(system.phase(1), simplify=0)
    mu, m = rt.parameters("mu m")
    assert written.saddle[0, 3] == -mu
    assert written.saddle[3, 0] == 0
    unknown = written.saddle.LUsolve(written.right_side)
    a, multiplier = unknown[0], unknown[3]
    assert (a + mu * G).simplify() == 0
    assert (multiplier + m * G).simplify() == 0
