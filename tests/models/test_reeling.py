"""Tethers that are reeled: exact motions, closed forms of winches, and material followed lump by lump."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import routh as rt
from routh import t
from routh.models import Parts, tether

G = 9.81
RHO, KITE = 0.5, 5.0


def hanging(pieces, rods=False):
    """A kite that hangs on a tether below a drum."""
    end = rt.vector(*rt.coordinates("x z"))
    length = rt.input("length")
    parts, nodes = tether.segmented(
        "n", rt.vector(0, 0), end, pieces, length=length, density=RHO, gravity=G, rods=rods
    )
    parts += Parts(kinetic=(KITE / 2 * rt.norm2(rt.ddt(end)),), potential=(KITE * G * end[1],))
    return parts.system(), [*nodes, end], length


@pytest.mark.parametrize("rods", [False, True])
@pytest.mark.parametrize(("rate", "more"), [(1.0, 2.0), (-3.0, -2.0), (1.5, 0.0)])
def test_all_material_of_a_vertical_tether_is_accelerated_with_its_length(rods, rate, more):
    pieces, L = 4, 30.0
    system, places, length = hanging(pieces, rods)
    start = {p[1]: -L * (k + 1) / pieces for k, p in enumerate(places)}
    start |= {p[1].rate: -rate * (k + 1) / pieces for k, p in enumerate(places)}
    law = L + rate * t + more / 2 * t**2
    motion = rt.simulate(system, {}, start, [0, 0.5, 1.0], inputs={length: law})
    now = np.array([float(law.subs(t, moment)) for moment in motion.t])
    assert motion[places[-1][1]] == pytest.approx(-now, rel=1e-8)
    for k in range(pieces):  # what hangs below the middle of each piece, or below it where lumped
        pull = motion.multipliers[:, k] * now / pieces
        below = (pieces - k - 0.5) / pieces
        assert pull == pytest.approx((KITE + RHO * now * below) * (G - more), rel=1e-7)


@pytest.mark.parametrize(("speed", "rods"), [(2.0, False), (-2.0, True)])
def test_a_tether_that_runs_along_itself_keeps_any_shape(speed, rods):
    """A string that runs along a fixed curve with speed c and tension rho c^2 needs nothing else."""
    R, errors = 3.0, []
    for pieces in (5, 10):
        arc = rt.input("arc")  # the angle of a polygon inscribed in a circle
        size = 2 * R * rt.sin(arc / (2 * pieces))
        end = R * rt.vector(rt.sin(arc), 1 - rt.cos(arc))
        parts, nodes = tether.segmented(
            "n", rt.vector(0, 0), end, pieces, length=pieces * size, density=RHO, gravity=0, rods=rods
        )
        rate, start = speed / R, {}
        for k, node in enumerate(nodes, 1):
            angle, turn = 1.2 * k / pieces, rate * k / pieces
            start |= {node[0]: R * np.sin(angle), node[1]: R * (1 - np.cos(angle))}
            start |= {node[0].rate: R * np.cos(angle) * turn, node[1].rate: R * np.sin(angle) * turn}
        law = 1.2 + rate * t
        motion = rt.simulate(parts.system(), {}, start, [0, 1e-3], inputs={arc: law})
        pull = motion.multipliers[0] * 2 * R * np.sin(0.6 / pieces)
        errors.append(np.abs(pull / (RHO * speed**2) - 1).max())
    assert errors[1] < 0.01
    assert errors[1] < errors[0] / 3  # of second order in the length of a piece


@pytest.mark.parametrize("rods", [False, True])
def test_a_free_body_that_reels_out_is_pulled_by_the_material(rods):
    """(M + rho l) x'' = -rho l l'': the body and the material outside, which all moves with x' + l'."""
    M, L, rate, more = 4.0, 10.0, 1.5, 2.0
    body = rt.vector(*rt.coordinates("a_x a_z"))
    end = rt.vector(*rt.coordinates("b_x b_z"))
    length = rt.input("length")
    parts, nodes = tether.segmented("n", body, end, 5, length=length, density=RHO, gravity=0, rods=rods)
    parts += Parts(kinetic=(M / 2 * rt.norm2(rt.ddt(body)),))
    places = [*nodes, end]
    start = {p[0]: L * (k + 1) / 5 for k, p in enumerate(places)}
    start |= {p[0].rate: 0.3 + rate * (k + 1) / 5 for k, p in enumerate(places)}
    start |= {body[0].rate: 0.3}
    law = L + rate * t + more / 2 * t**2
    motion = rt.simulate(parts.system(), {}, start, [0, 0.4], inputs={length: law})
    now = np.array([float(law.subs(t, moment)) for moment in motion.t])
    column = list(motion.system.coordinates).index(body[0])
    expected = -RHO * now * more / (M + RHO * now)
    assert motion.a[:, column] == pytest.approx(expected, rel=1e-7)


@pytest.mark.parametrize("rods", [False, True])
def test_a_winch_is_turned_by_the_weight_of_all_that_hangs(rods):
    """(drum + kite + rho l) l'' = (kite + rho l) g, the material that comes out moving already."""
    drum, pieces, L, rate = 3.0, 4, 12.0, 0.7
    length = rt.coordinate("length")
    end = rt.vector(*rt.coordinates("x z"))
    parts, nodes = tether.segmented(
        "n", rt.vector(0, 0), end, pieces, length=length, density=RHO, gravity=G, rods=rods
    )
    parts += Parts(
        kinetic=(KITE / 2 * rt.norm2(rt.ddt(end)) + drum / 2 * length.rate**2,),
        potential=(KITE * G * end[1],),
    )
    places = [*nodes, end]
    start = {length: L, length.rate: rate}
    start |= {p[1]: -L * (k + 1) / pieces for k, p in enumerate(places)}
    start |= {p[1].rate: -rate * (k + 1) / pieces for k, p in enumerate(places)}
    motion = rt.simulate(parts.system(), {}, start, [0, 0.6])
    now = motion[length]
    column = list(motion.system.coordinates).index(length)
    expected = (KITE + RHO * now) * G / (drum + KITE + RHO * now)
    assert motion.a[:, column] == pytest.approx(expected, rel=1e-7)


EA = 2000.0
LAW = 2 + 0.4 * t + 0.9 * t**2


def in_pieces(pieces, times, begin):
    """A kite that swings on an elastic tether while it is reeled out."""
    end = rt.vector(*rt.coordinates("x z"))
    length = rt.input("length")
    parts, nodes = tether.segmented(
        "n", rt.vector(0, 0), end, pieces, length=length, density=RHO, gravity=G, stiffness=EA
    )
    parts += Parts(kinetic=(rt.norm2(rt.ddt(end)) / 2,), potential=(G * end[1],))
    start = {}
    for k, p in enumerate([*nodes, end], 1):
        place, velocity = begin(k / pieces)
        start |= dict(zip(p, place, strict=True))
        start |= {c.rate: v for c, v in zip(p, velocity, strict=True)}
    motion = rt.simulate(parts.system(), {}, start, times, inputs={length: LAW})
    return np.stack([motion[end[0]], motion[end[1]]], axis=1)


def lump_by_lump(spacing, times, begin):
    """The same by Newton's law for lumps of material, which come out of the drum one by one.

    The first link is between half and one and a half times as long as the others; beyond that a lump
    is born in it, where the material of that place is and moves.
    """
    law, speed = (
        (lambda now: 2 + 0.4 * now + 0.9 * now**2), (lambda now: 0.4 + 1.8 * now))  # fmt: skip
    whole = law(0.0)
    count = int(whole / spacing)
    parts = 1 - np.arange(count - 1, -1, -1) * spacing / whole
    place, velocity = map(np.array, zip(*(begin(part, material=True) for part in parts), strict=True))

    def slopes(now, state):
        r, v = state.reshape(2, -1, 2)
        sizes = np.full(len(r), spacing)
        sizes[0] = law(now) - spacing * (len(r) - 1)
        line = np.diff(r, axis=0, prepend=np.zeros((1, 2)))
        reach = np.linalg.norm(line, axis=1)
        pull = (EA * np.maximum(0, reach / sizes - 1) / reach)[:, None] * line
        mass = np.full(len(r), RHO * spacing)
        mass[-1] = RHO * spacing / 2 + 1.0
        mass[0] += RHO * (sizes[0] - spacing) / 2
        net = -pull
        net[:-1] += pull[1:]
        return np.concatenate([v.ravel(), (net / mass[:, None] + [0, -G]).ravel()])

    found, now = [place[-1]], times[0]
    for stop in times[1:]:
        while now < stop:
            full = spacing * (len(place) + 0.5)  # when the first link is one and a half long
            due = (-0.4 + np.sqrt(0.16 + 3.6 * (full - 2))) / 1.8
            until = min(stop, due)
            run = solve_ivp(
                slopes, (now, until), np.concatenate([place.ravel(), velocity.ravel()]),
                method="DOP853", rtol=1e-7, atol=1e-9)  # fmt: skip
            place, velocity = run.y[:, -1].reshape(2, -1, 2)
            now = until
            if until == due and due < stop:
                along = place[0] / (spacing * 1.5)
                share = 1 / 3
                leaving = speed(now) * along
                born = (share * place[0], (1 - share) * leaving + share * velocity[0])
                place = np.concatenate([[born[0]], place])
                velocity = np.concatenate([[born[1]], velocity])
        found.append(place[-1])
    return np.array(found)


@pytest.mark.slow
def test_a_swinging_kite_on_a_reeled_tether_by_newtons_law_for_its_material():
    angle, turn = 0.5, 0.8
    along = np.array([np.sin(angle), -np.cos(angle)])
    across = np.array([np.cos(angle), np.sin(angle)])

    def begin(part, material=False):
        out = 0.4 if material else 0.4 * part
        return 2.0 * part * along, out * along + 2.0 * part * turn * across

    times = np.linspace(0, 0.8, 5)
    fine = lump_by_lump(0.05, times, begin)
    errors = [np.abs(in_pieces(n, times, begin) - fine).max() for n in (4, 8)]
    assert errors[1] < 4e-3  # the strain waves of the first moments are not resolved alike
    assert errors[1] < errors[0]


def test_a_density_that_changes_is_refused():
    end = rt.vector(*rt.coordinates("x z"))
    with pytest.raises(rt.DeclarationError, match="`density` of a tether must be constant"):
        tether.segmented("n", rt.vector(0, 0), end, 3, length=1, density=1 + t, gravity=G)
