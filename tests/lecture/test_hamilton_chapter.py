"""Chapters on momenta: every formula by numbers from the energies as they were written."""

from __future__ import annotations

import random

import pytest
import sympy

import routh as rt
from holding import check, with_names
from holding import value as number
from problems import accelerated_pendulum, double_pendulum, heavy_top, rotating_spring_mass
from routh.lecture.derive import derive


def draw(symbols, seed=5):
    """A number for each symbol."""
    generator = random.Random(seed)
    return {s: generator.uniform(0.3, 0.9) for s in sorted(symbols, key=str)}


def formulas_of(chapter):
    return [each for section in chapter for each in section.formulas]


def lagrangian(system):
    return sympy.Add(*system.kinetic, *system.lagrangian) - sympy.Add(*system.potential)


def canonical_numbers(system):
    """What is named in a chapter on Hamilton's equations, from L and its slopes at one place."""
    L, T, D = lagrangian(system), sympy.Add(*system.kinetic), sympy.Add(*system.dissipation)
    q, v = system.coordinates, system.velocities
    here = draw([*q, *v, *system.parameters, *system.inputs, rt.t])

    def at(e):
        return float(sympy.N(sympy.sympify(e).subs(here), 20))

    known = {s.name: x for s, x in here.items()}
    s = sympy.Symbol("s")
    scaled = T.subs({x: s * x for x in v}, simultaneous=True).subs(here)
    for k in range(3):
        known[f"T{k}"] = float(sympy.diff(scaled, s, k).subs(s, 0) / sympy.factorial(k))
    known |= {"T": at(T), "V": at(sympy.Add(*system.potential)), "L": at(L), "H": -at(L)}
    moved = L.subs({x: here[x] for x in (*q, *v)})
    known["d/dt H"] = -at(sympy.diff(moved, rt.t))
    for x, rate in zip(q, v, strict=True):
        p, pull = at(L.diff(rate)), at(L.diff(x))
        push = sum(at(f.generalized(x)) for f in system.forces) - at(D.diff(rate))
        known |= {f"p_{x}": p, f"dL/d{rate}": p, f"dL/d{x}": pull, f"p_{x}'": pull + push}
        known |= {f"dH/dp_{x}": here[rate], f"dH/d{x}": -pull}
        known |= {f"{{{x}, H}}": here[rate], f"{{p_{x}, H}}": pull}
        known["H"] += p * here[rate]
        known["d/dt H"] += push * here[rate]
    return known


def forced():
    x, y = rt.coordinates("x y")
    m, k, c = rt.parameters("m k c")
    u = rt.input("u")
    return rt.System(
        kinetic=m * (x.rate**2 + (x.rate + y.rate) ** 2) / 2, potential=k * (x - y) ** 2 / 2,
        dissipation=c * x.rate**2 / 2, forces={y: u},
    )  # fmt: skip


def relativistic():
    x = rt.coordinate("x")
    m, c, k = rt.parameters("m c k")
    return rt.System(
        kinetic=m * c**2 * (1 - rt.sqrt(1 - x.rate**2 / (4 * c) ** 2)), potential=k * x**2 / 2
    )


@pytest.mark.parametrize(
    ("made", "least"),
    [
        pytest.param(lambda: heavy_top().system, 25, marks=pytest.mark.slow),
        (lambda: double_pendulum().system, 18),
        (lambda: accelerated_pendulum().system, 15),
        (lambda: rotating_spring_mass().system, 15),
        (forced, 20),
        (relativistic, 12),
    ],
)
def test_every_formula_on_hamiltons_equations_holds(made, least):
    system = made()
    chapter = derive(rt.hamiltonian(system))
    known = canonical_numbers(system)
    formulas = formulas_of(chapter)
    assert check(formulas, with_names(formulas, known)) >= least


def test_what_keeps_its_value_is_said_with_its_reason():
    x, y = rt.coordinates("x y")
    m, k = rt.parameters("m k")
    free = rt.System(kinetic=m * (x.rate**2 + y.rate**2) / 2, potential=k * x**2 / 2)
    said = str(derive(rt.hamiltonian(free)))
    assert "p_y commutes with H." in said
    assert "pushed" not in said
    assert "{p_x, H} = -dH/dx = p_x'" in said
    assert "It is the energy, H = T + V." in said
    turning = str(derive(rt.hamiltonian(rotating_spring_mass().system, simplify=0.1)))
    assert "It is Jacobi's integral, not the energy T + V" in turning
    driven = str(derive(rt.hamiltonian(accelerated_pendulum().system, simplify=0.1)))
    assert "H changes, since time enters it." in driven
    pushed = derive(rt.hamiltonian(forced(), simplify=0.1))
    assert "pushed by what is not in H: forces and damping." in str(pushed)
    assert pushed["What is conserved"].formulas


def test_letters_that_a_system_has_taken_give_way():
    x, y = rt.coordinates("x y")
    H, M, V = rt.parameters("H M V")
    system = rt.System(kinetic=(H * x.rate**2 + M * (x.rate + y.rate) ** 2) / 2, potential=V * x**2)
    chapter = derive(rt.hamiltonian(system, simplify=0.1))
    said = chapter["Letters"].steps
    assert "The letter `H` belongs to the system: the Hamiltonian is written `Ham`." in said
    assert not any(each.text.startswith(("H = ", "V = ")) for each in formulas_of(chapter))


def test_velocities_without_closed_form_are_said_so():
    x = rt.coordinate("x")
    m, k = rt.parameters("m k")
    system = rt.System(kinetic=m * x.rate**2 / 2 + x.rate**4 * rt.exp(x.rate**2), potential=k * x**2)
    chapter = derive(rt.hamiltonian(system, simplify=0))
    assert "numbers" in str(chapter["Velocities in terms of momenta"].steps[0])
    assert chapter["Canonical equations"].formulas


def test_the_routhian_of_the_top_by_numbers():
    problem = heavy_top()
    top = problem.system
    phi, psi = (q for q in top.coordinates if q.name in ("phi", "psi"))
    found = rt.routhian(top, [phi, psi])
    chapter = derive(found)
    known = canonical_numbers(top)
    known["R"] = known["L"] - sum(known[f"p_{q}"] * known[f"{q}'"] for q in (phi, psi))
    (theta,) = found.system.coordinates
    known |= {f"dV*/d{theta}": 0.0 - known[f"dL/d{theta}"]}  # at rest R_q is L_q at these momenta
    formulas = [f for f in formulas_of(chapter) if not f.text.endswith(" = 0")]
    known = with_names(formulas, known)
    known["V*"] = known["R2"] - known["R"]
    assert check(formulas, known) >= 9
    (row,) = chapter["Reduced equations"].formulas
    (steady,) = chapter["Amended potential"].formulas[-1:]
    eq = rt.equations(found.system, simplify=0)
    numbers = known | {"theta''": 0.37}
    here = {s: numbers[s.name] for s in eq.residual.atoms(sympy.Symbol)}
    value = float(eq.residual[0].subs(here))
    assert number(row.text.split(" = ")[1], numbers) == pytest.approx(value, rel=1e-9)
    assert steady.text.endswith(" = 0")


def test_transforms_with_the_words_energy_and_co_energy():
    x = rt.coordinate("x")
    m, c, k, k3 = rt.parameters("m c k k3")
    v = x.rate
    mass = derive(rt.legendre(m * c**2 * (1 - rt.sqrt(1 - v**2 / c**2)), v))
    at = {"m": 1.5, "c": 3.0, "x'": 2.0, "p_x": 4.02492235949962, "f": 3.43769410125095}
    known = at | {"f*": 4.61215061774830, "df/dx'": at["p_x"], "f* - f": 1.17445651649735}
    assert check(formulas_of(mass), known) >= 5  # D1 of the worked examples
    assert "kinetic co-energy" in str(mass)
    spring = derive(rt.legendre(k * x**2 / 2 + k3 * x**4 / 4, x, names="f"))
    known = {"k": 10.0, "k3": 4.0, "x": 0.5, "f": 5.5, "F": 1.3125, "F*": 1.4375, "dF/dx": 5.5}
    assert check(formulas_of(spring), known) >= 5  # D2
    assert "F* is the co-energy" in str(spring)
    linear = derive(rt.legendre(k * x**2 / 2, x, names="F"))
    assert "both have the same value" in str(linear)


def test_a_transform_of_several_branches_names_them():
    x = rt.coordinate("x")
    chapter = derive(rt.legendre(x**4 - x**2, x, simplify=0.1))
    assert "each slope belongs to one place" in str(chapter["Inversion"].steps[0])


def test_forces_without_power_leave_h_as_it_is():
    x, y = rt.coordinates("x y")
    c = rt.parameter("c")
    system = rt.System(kinetic=(x.rate**2 + y.rate**2) / 2, forces={x: -c * y.rate, y: c * x.rate})
    said = str(derive(rt.hamiltonian(system))["What is conserved"])
    assert "the forces do no work" in said
    assert "changes" not in said


def pendulum_in_the_plane():
    x, y = rt.coordinates("x y")
    m, g, l = rt.parameters("m g l")
    return rt.System(
        kinetic=m * (x.rate**2 + y.rate**2) / 2, potential=m * g * y, constraints=[x**2 + y**2 - l**2]
    )


def knife_edge():
    x, y, a = rt.coordinates("x y a")
    m, g, c = rt.parameters("m g c")
    return rt.System(
        kinetic=m * (x.rate**2 + y.rate**2 + a.rate**2) / 2, potential=m * g * x,
        dissipation=c * a.rate**2 / 2, constraints=[x.rate * rt.sin(a) - y.rate * rt.cos(a)],
    )  # fmt: skip


def on_a_ring_that_grows():
    x, y = rt.coordinates("x y")
    m, u = rt.parameter("m"), rt.input("u")
    return rt.System(
        kinetic=m * (x.rate**2 + y.rate**2) / 2, constraints=[x**2 + y**2 - (u + rt.t) ** 2]
    )


@pytest.mark.parametrize(
    ("made", "start"),
    [
        (pendulum_in_the_plane, {"x": 0.48, "y": -0.64, "x'": 0.4, "y'": 0.3}),
        (knife_edge, {"x": 0.2, "y": 0.5, "a": 0.0, "x'": 0.7, "a'": 0.6}),
        (on_a_ring_that_grows, {"x": 0.8, "x'": 1.3, "y'": 0.7}),
    ],
)
def test_constraints_in_momenta_hold_along_a_motion(made, start):
    """Every row at a state of a simulated motion, with its multipliers."""
    system = made()
    values = {p.name: 0.8 if p.name == "l" else 1.3 for p in system.parameters}
    inputs = {"u": 0.8, "u'": 0.3} if system.inputs else None
    motion = rt.simulate(system, values, start, [0, 1e-3], inputs=inputs, rtol=1e-12)
    known = values | {"t": 0.0, "u": 0.8, "u'": 0.3, "u''": 0.0, "lambda1": motion.multipliers[0, 0]}
    for k, q in enumerate(system.coordinates):
        known |= {str(q): motion.q[0, k], f"{q}'": motion.v[0, k], f"p_{q}": motion.momenta[0, k]}
    rows = derive(rt.hamiltonian(system))["Constraints"].formulas
    assert len(rows) == (2 if system.constraints[0].has(rt.ddt(system.coordinates[0])) else 3)
    for row in rows:
        left, right = (number(side, known) for side in row.text.split(" = "))
        assert left == pytest.approx(right, rel=1e-9, abs=1e-12), row.text
    assert abs(left) > 0.1  # the last one has the multiplier in it


def test_a_constraint_is_written_under_the_canonical_equations():
    found = rt.hamiltonian(pendulum_in_the_plane())
    assert str(found).splitlines()[-1] == "x**2 + y**2 - l**2 = 0"
    assert r"x^{2} + y^{2} - l^{2} &= 0" in found.latex()
    assert "x*p_x" in str(found.constraint_rates[0])
