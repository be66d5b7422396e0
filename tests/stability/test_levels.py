"""The levels of verdicts, each turned by ten both ways: no verdict and no reason changes."""

from __future__ import annotations

from functools import cache

import pytest

import problems
import routh as rt
from rolling import DISC, disc
from routh import at, ddt, diff, integral
from routh.numerics import levels

x, y = rt.coordinates("x y")
k, c, g, s = rt.parameters("k c g s")
T = (ddt(x) ** 2 + ddt(y) ** 2) / 2


def stiff_beside_soft():
    return rt.System(kinetic=T, potential=k / 2 * (x - y) ** 2 + (x**2 + y**2) / 2), {"k": 1e13}


def free_pair():
    return rt.System(kinetic=T, potential=k / 2 * (x - y) ** 2), {"k": 0.1}


def weakly_driven():
    loss = (ddt(x) ** 2 + ddt(y) ** 2) / 2 + (1 + c) * ddt(x) * ddt(y)
    return rt.System(kinetic=T, potential=(x**2 + y**2) / 2, dissipation=loss), {"c": 1e-7}


def defective():
    return (
        rt.System(
            kinetic=T, potential=2 * x**2 + 2 * (s * y) ** 2 + s * x * y, forces={x: s * y, y: -s * x}
        ),
        {"s": 1.0},
    )


def one_of_two_damped():
    """Two equal oscillators side by side, one of them damped: the other is not reached."""
    return rt.System(kinetic=T, potential=(x**2 + 2 * y**2) / 2, dissipation=c * ddt(x) ** 2), {
        "c": 0.1
    }


def reached_weakly():
    coupled = (x**2 + 2 * y**2 + 2 * k * x * y) / 2
    return rt.System(kinetic=T, potential=coupled, dissipation=c * ddt(x) ** 2), {"c": 0.1, "k": 1e-4}


def massless():
    return rt.System(
        kinetic=ddt(x) ** 2 / 2, potential=(x - y) ** 2 + y**2, dissipation=c * ddt(x) ** 2
    ), {"c": 1.0}


def two_gyroscopes():
    """Twice the same hill held by gyroscopic forces: double roots with two vectors each."""
    a, b = rt.coordinates("a b")
    L = sum((ddt(p) ** 2 + ddt(q) ** 2) / 2 - g / 2 * (p * ddt(q) - q * ddt(p)) + (p**2 + q**2) / 2
            for p, q in ((x, y), (a, b)))  # fmt: skip
    return rt.System(lagrangian=L), {"g": 2.5}


def soft_beam(size):
    L, EI, m = rt.parameters("L EI m")
    r = rt.space("r", 0, L)
    w = rt.field("w", r)
    springs = k / 2 * (at(w, r, 0) ** 2 + at(w, r, L) ** 2)
    beam = rt.System(
        kinetic=integral(m / 2 * ddt(w) ** 2, r),
        potential=integral(EI / 2 * diff(w, r, 2) ** 2, r) + springs,
    )
    return rt.discretize(beam, {w: size}), {"L": 1.0, "EI": 100.0, "m": 1.0, "k": 0.01}


def zoo():
    made = {
        "stiff beside soft": stiff_beside_soft(),
        "free pair": free_pair(),
        "weakly driven": weakly_driven(),
        "defective": defective(),
        "one of two damped": one_of_two_damped(),
        "reached weakly": reached_weakly(),
        "massless": massless(),
        "two gyroscopes": two_gyroscopes(),
        "soft beam, polynomials": soft_beam(14),
        "soft beam, elements": soft_beam(rt.Elements(20)),
    }
    named = (
        problems.pendulum, problems.double_pendulum, problems.coupled_pendulums, problems.rotating_table,
        problems.elastic_pendulum, problems.inclined_plane, problems.crane_trolley, problems.bead_on_hoop,
        problems.gyroscopic_top_of_a_hill, problems.overhung_rotor, problems.two_bar_truss,
    )  # fmt: skip
    for problem in named:
        p = problem()
        made[problem.__name__] = p.system, p.values
    for damped in (False, True):
        p = problems.ziegler(damped)
        for load in (1.4, 1.5, 2.0, 2.2):
            made[f"ziegler {damped} {load}"] = p.system, p.values | {"P": load}
    return made


@cache
def rests():
    rolling = {speed: {"x": speed, "phi": 2 * speed} for speed in (0.5, 2.0)}
    found = {f"disc {v}": rt.equilibrium(disc(), DISC, speeds=speeds) for v, speeds in rolling.items()}
    for name, (system, values) in zoo().items():
        try:
            found[name] = rt.equilibrium(system, values)
        except rt.RouthError:
            continue
    return found


def verdicts():
    """The reason at the first equilibrium of every problem; nothing is kept from one call to the next."""
    return {name: rt.stability(rt.linearize(rest)).reason for name, rest in rests().items()}


@cache
def usual():
    return verdicts()


LEVELS = [name for name in vars(levels) if name.isupper() and name != "EPS"]


@pytest.mark.parametrize("factor", [0.1, 10.0])
@pytest.mark.parametrize("name", LEVELS)
def test_no_verdict_hangs_on_a_level(name, factor, monkeypatch):
    before = usual()
    assert len(before) >= 24
    monkeypatch.setattr(levels, name, getattr(levels, name) * factor)
    assert verdicts() == before


def test_the_zoo_has_every_kind_of_verdict():
    found = {reason.verdict for reason in usual().values()}
    assert found == set(rt.Verdict)
    assert usual()["stiff beside soft"].name == "MINIMUM"
    assert usual()["free pair"].name == "FREE"
    assert usual()["weakly driven"].name == "FLUTTER"
    assert usual()["defective"].name == "MARGINAL"
    assert usual()["disc 0.5"].verdict is rt.Verdict.UNSTABLE
    assert usual()["disc 2.0"].verdict is rt.Verdict.STABLE
    assert usual()["one of two damped"].name == "PARTIAL_DAMPING"
    assert usual()["reached weakly"].name == "PERVASIVE_DAMPING"
    assert usual()["two gyroscopes"].name == "GYROSCOPIC"
    assert {usual()["soft beam, polynomials"].name, usual()["soft beam, elements"].name} == {"MINIMUM"}
