"""The chapter on Gibbs and Appell: S from the accelerations of the masses, forces from power."""

from __future__ import annotations

import numpy as np
import pytest
import sympy

import routh as rt
from holding import check, value
from routh.lecture.derive import derive


def numbers_of(system, quasi, S, seed=3):
    """Numbers of a state that meets the constraints, its accelerations, and S without its rest."""
    draw = np.random.default_rng(seed)
    q, v = system.coordinates, system.velocities
    a = [x.rate for x in v]
    here = {s: draw.uniform(0.4, 0.9) for s in (*system.parameters, *q)}
    u = {name: draw.uniform(-1, 1) for name in quasi}
    rows = [*quasi.values(), *system.constraints]

    def solved(unknown, rows, right, at):
        matrix = [[float(row.diff(x).subs(at)) for x in unknown] for row in rows]
        still = [float(row.subs(dict.fromkeys(unknown, 0)).subs(at)) for row in rows]
        found = np.linalg.solve(matrix, np.array(right) - still)
        return dict(zip(unknown, found, strict=True))

    right = [*u.values(), *([0.0] * len(system.constraints))]
    here |= solved(v, rows, right, here)
    speeding = [rt.ddt(row) for row in rows]
    rates = {f"{name}'": draw.uniform(-1, 1) for name in quasi}
    with_rates = here | solved(a, speeding, [*rates.values(), *right[len(u) :]], here)
    without = here | solved(a, speeding, [0.0] * len(rows), here)
    known = {s.name: x for s, x in with_rates.items()} | u | rates
    known["S"] = float(S.subs(with_rates)) - float(S.subs(without))
    D, V = sympy.Add(*system.dissipation), sympy.Add(*system.potential)
    moved = {x: float(sympy.N((-D.diff(x.rate) - V.diff(x)).subs(here))) for x in q}
    known |= {f"-dV/d{x}": float(sympy.N(-V.diff(x).subs(here))) for x in q}
    for name in quasi:  # the power of a unit of one quasi-velocity
        unit = [float(each == name) for each in quasi] + [0.0] * len(system.constraints)
        flat = [row - row.subs(dict.fromkeys(v, 0)) for row in rows]
        turn = solved(v, flat, unit, here)
        known[f"U_{name}"] = sum(moved[x] * turn[x.rate] for x in q)
    return known


def sleigh():
    x, y, theta = rt.coordinates("x y theta")
    m, J, a, c = rt.parameters("m J a c")
    centre = rt.vector(x + a * rt.cos(theta), y + a * rt.sin(theta))
    system = rt.System(
        kinetic=m * rt.norm2(rt.ddt(centre)) / 2 + J * theta.rate**2 / 2,
        dissipation=c * theta.rate**2 / 2,
        potential=m * x,
        constraints=[-x.rate * rt.sin(theta) + y.rate * rt.cos(theta)],
    )
    quasi = {"u": x.rate * rt.cos(theta) + y.rate * rt.sin(theta), "w": theta.rate}
    return system, quasi, m * rt.norm2(rt.ddt(centre, 2)) / 2 + J * rt.ddt(theta, 2) ** 2 / 2


def rolling_disc():
    """A ring on a table, all of its mass on the rim in four points: S is that of the points."""
    x, y, phi, theta, psi = rt.coordinates("x y phi theta psi")
    m, r, g = rt.parameters("m r g")
    sin, cos = rt.sin, rt.cos
    ahead = rt.vector(cos(phi), sin(phi), 0)
    across = rt.vector(-cos(theta) * sin(phi), cos(theta) * cos(phi), sin(theta))
    centre = rt.vector(x, y, 0) + r * across
    S = 0
    for k in range(4):
        turned = psi + k * rt.pi / 2
        point = centre + r * (cos(turned) * ahead + sin(turned) * across)
        S += m * rt.norm2(rt.ddt(point, 2)) / 8
    A, C = m * r**2 / 2, m * r**2
    spin = psi.rate + phi.rate * cos(theta)
    short = m * rt.norm2(rt.ddt(centre)) / 2 + A / 2 * (
        theta.rate**2 + phi.rate**2 * sin(theta) ** 2
    ) + C / 2 * spin**2  # fmt: skip
    system = rt.System(
        kinetic=short,
        potential=m * g * r * sin(theta),
        constraints=[x.rate + r * psi.rate * cos(phi), y.rate + r * psi.rate * sin(phi)],
    )
    quasi = {"w1": theta.rate, "w2": phi.rate * sin(theta), "w3": spin}
    return system, quasi, S


@pytest.mark.parametrize(
    ("made", "least"), [(sleigh, 12), pytest.param(rolling_disc, 20, marks=pytest.mark.slow)]
)
def test_every_formula_on_gibbs_and_appell_holds(made, least):
    system, quasi, S = made()
    chapter = derive(rt.gibbs_appell(system, quasi))
    known = numbers_of(system, quasi, S)
    formulas = [f for section in chapter if section.title != "Equations of motion"
                for f in section.formulas]  # fmt: skip
    parts = {f.text.partition(" = ")[0]: f.text.partition(" = ")[2] for f in formulas}
    known |= {name: value(parts[name], known) for name in ("S1", "S2") if name in parts}
    assert check(formulas, known) >= least
    rows = [f for f in chapter["Equations of motion"].formulas if not f.text.startswith("dS/d")]
    assert len(rows) == len(quasi)
    found = rt.gibbs_appell(system, quasi, simplify=0)
    here = {s: known[s.name] for s in found.residual.atoms(sympy.Symbol)}
    for row, own in zip(rows, found.residual, strict=True):
        left, right = (value(side, known) for side in row.text.split(" = "))
        assert left - right == pytest.approx(float(own.subs(here)), rel=1e-9, abs=1e-10)


def test_a_system_without_constraints_says_so():
    x, y = rt.coordinates("x y")
    m = rt.parameter("m")
    system = rt.System(kinetic=m * (x.rate**2 + y.rate**2) / 2)
    chapter = derive(rt.gibbs_appell(system, {"u": x.rate + y.rate, "w": y.rate}, simplify=0.1))
    assert "The definitions are solved" in str(chapter["Velocities"].steps[0])
    assert "Neither forces nor the potential" in str(chapter["Forces"].steps[0])
    assert "nothing is of first degree" in str(chapter)
