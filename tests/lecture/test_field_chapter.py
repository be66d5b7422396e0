"""Chapters on fields: every formula that is printed is read back and compared with another derivation."""

from __future__ import annotations

from functools import cache

import pytest
import sympy

import routh as rt
from reading_rows import read, vocabulary
from routh import at, ddt, diff, integral, norm2, rotation, t, vector
from routh.language.derivation import integrand, masked_integrals
from routh.lecture.derive import derive
from routh.mechanics.forms.chapter import Formula
from sampling import assert_same

L, R, J, rho, EI, m, Om = rt.parameters("L R J rho EI m Om")
s = rt.space("s", 0, L)
w = rt.field("w", s)
hub, u = rt.coordinate("theta"), rt.input("u")
CLAMPED = [at(w, s, 0), at(diff(w, s), s, 0)]
BENDING = integral(EI / 2 * diff(w, s, 2) ** 2, s)
ARM = rt.System(
    kinetic=J / 2 * ddt(hub) ** 2 + integral(rho / 2 * norm2(ddt(rotation(hub) @ vector(R + s, w))), s),
    potential=BENDING,
    forces={hub: u},
    constraints=CLAMPED,
    name="hub with a flexible arm",
)
SHORTER = vector(R + s + rt.energies.foreshortening(w), w)
BEAM = rt.System(
    kinetic=integral(rho / 2 * norm2(ddt(rotation(Om * t) @ SHORTER)), s),
    potential=BENDING,
    constraints=CLAMPED,
)
TIED = rt.System(
    kinetic=[integral(rho / 2 * ddt(w) ** 2, s), J / 2 * ddt(hub) ** 2],
    potential=[BENDING, m * at(w, s, L) ** 2 / 2],
    dissipation=integral(m / 2 * ddt(w) ** 2, s),
    constraints=[*CLAMPED, at(diff(w, s), s, L) - 2 * hub, at(w, s, L) - hub**2 + u],
)


@cache
def written(system):
    return rt.equations(system, simplify=0.2)


def formulas(lecture, title):
    """The formulas of a section, as pairs of left and right sides."""
    return [tuple(str(step).split(" = ")) for step in lecture[title].formulas]


def polynomials(value):
    put = {}
    for f in value.atoms(type(w)):
        if f.end is None:
            shape = (1 + f.order) * s ** (2 + f.order) / 3 + s * (3 - f.order) + sympy.Rational(1, 7)
            put[f] = shape.diff(s, f.slope)
    return value.xreplace(put).doit()


def same(a, b):
    assert_same(polynomials(a - b), sympy.S.Zero, digits=20)


@pytest.mark.parametrize("system", [ARM, BEAM, TIED], ids=["arm", "beam", "tied"])
def test_conjugate_forces_and_rows_are_read_back(system):
    found = written(system)
    lecture = derive(found)
    words = vocabulary(system, found.where)
    forces = {}
    for space, own in (*found.conjugates.inside.items(), (None, found.conjugates.outside)):
        forces |= {(space, x): force for x, force in own.items() if force != 0}
    lines = [p for p in formulas(lecture, "Conjugate forces") if p[0].startswith("G_") and len(p) == 2]
    lines = lines[1:]  # the first is the formula of all
    assert len(lines) == len(forces)
    for (left, right), ((_, x), force) in zip(lines, forces.items(), strict=True):
        assert str(x) in left
        same(read(right, words), force)
    names = {left: read(right, words) for left, right in lines}
    for group, title in (
        (found.partial, "Partial equations"),
        (found.boundary, "Conditions at the ends"),
    ):
        shown = [left for left, right in formulas(lecture, title) if right == "0"]
        own = [read(left, words) for left in shown if "G_" not in left]
        assert len(own) == len(group)
        for one, row in zip(own, group, strict=True):
            same(one, row.expression)
    collected = formulas(lecture, "Partial equations")[0][0]
    same(read(collected, {**words, **names}), found.partial[0].expression)


def test_energies_are_read_back():
    for system in (ARM, BEAM):
        words = vocabulary(system, written(system).where)
        sides = dict(formulas(derive(written(system)), "Energies"))
        masked, densities = masked_integrals(sympy.Add(*system.kinetic))
        ((mask, whole),) = densities.items()
        assert_same(read(sides.get("T_D", "0"), words), masked - mask)
        same(read(sides["T_hat"], words), integrand(whole))
        assert_same(read(sides["V_hat"], words), EI * diff(w, s, 2) ** 2 / 2)


def test_a_running_integral_is_turned_around():
    found = written(BEAM)
    section = derive(found)["Running integrals"]
    words = vocabulary(BEAM, found.where)
    inner = read(str(section.formulas[1]).split(" = ")[1], words)
    force = read(str(section.formulas[2]).split(" = ")[2], words)
    # its share of the force on the slope: the derivative of the integrand times the integral from s on
    share = inner.diff(diff(w, s)) * sympy.Integral(force, (s, s, L))
    same(share, found.conjugates.inside[s][diff(w, s)])
    # and the formula with an integral within an integral, for polynomials
    one, other = str(section.formulas[0]).split(" = ")
    for side in (one, other):
        assert "delta u_s" in side
    put = {"G_u(s)": s**2, "G_u(sigma)": s**2, "delta u_s(sigma)": s + 1, "delta u_s(s)": s + 1}
    same(read(one, {**words, **put}).doit(), read(other, {**words, **put}).doit())


def test_integration_by_parts_is_an_identity():
    lecture = derive(written(BEAM))
    G, d = s**3 - 2 * s + 1, s**4 + s**2 / 3 - 5  # any functions
    words = vocabulary(BEAM)
    rules = [p for p in formulas(lecture, "Integration by parts") if "delta" in p[0]]
    assert len(rules) == 2
    for left, right in rules:
        name = left.partition("*")[0].removeprefix("Integral(")
        put = {name: G, "delta w_ss": d.diff(s, 2), "delta w_s": d.diff(s), "delta w": d}
        ends, bracket = right[1:].split("] ", 1)
        at_ends = read(ends, {**words, **put})
        inside = read("0 " + bracket, {**words, **put})
        total = at_ends.xreplace({s: L}) - at_ends.xreplace({s: sympy.S.Zero}) + inside
        assert sympy.expand(read(left, {**words, **put}).doit() - total.doit()) == 0


def test_second_derivatives_are_those_of_the_density():
    found = rt.linear_equations(ARM, {hub: 0, w: "w*"}, simplify=0.2)
    lecture = derive(found)
    words = {**vocabulary(ARM), "(w*)": found.about[w]}
    density = rho * (
        ddt(w) ** 2 + ((R + s) ** 2 + w**2) * ddt(hub) ** 2 + 2 * (R + s) * ddt(w) * ddt(hub)
    ) / 2 - EI * diff(w, s, 2) ** 2 / 2  # fmt: skip
    lines = formulas(lecture, "Second variation")[1:]
    assert len(lines) == 5
    for left, right in lines[1:]:
        x, y = (words[name] for name in left.removeprefix("S(").removesuffix(")").split(", "))
        second = density.diff(x).diff(y).xreplace({w: found.about[w], ddt(hub): 0, ddt(w): 0})
        assert_same(read(right, words).subs(found.about[w], s**2), second.subs(found.about[w], s**2))
    assert "theta = 0" in str(lecture)
    assert "w = (w*)" in str(lecture)


def test_each_condition_says_where_it_comes_from():
    text = str(derive(written(TIED)))
    assert "solved for w_s(L), which moves with theta and hands its force on." in text
    assert "A condition that is not built in acts with the multiplier lambda4:" in text
    assert "As declared; it keeps a multiplier." in text
    assert "Natural: delta w(L) is free" in text
    assert "2*((G_(w_ss))(L))" in text.replace("(2)", "2")


def test_the_rest_is_told_with_its_solution():
    system = rt.System(
        kinetic=integral(rho / 2 * ddt(w) ** 2, s),
        potential=[BENDING, integral(-rho * Om**2 / 2 * (w - R) ** 2, s)],
        constraints=CLAMPED,
    )
    found = rt.equilibrium_equations(system, simplify=0, solve=20)
    (solution,) = found.solutions
    lecture = derive(found)
    words = {**vocabulary(system), **{str(name): name for name in found.named}}
    sides = dict(formulas(lecture, "Solution"))
    assert_same(read(sides["w"], words), solution[w])
    for name, value in found.named.items():
        assert_same(read(sides[str(name)], words), value)
    assert [str(name) for name in found.named][:2] == ["beta", "Delta"]
    column = rt.System(kinetic=integral(ddt(w) ** 2, s), potential=integral(w**4 + diff(w, s) ** 2, s))
    assert "No solution in closed form is given." in str(derive(rt.equilibrium_equations(column)))


@pytest.mark.parametrize("result", [rt.equations, rt.equilibrium_equations])
def test_chapters_are_whole_in_every_form(result):
    lecture = derive(result(ARM, simplify=0))
    assert lecture.title.endswith(": hub with a flexible arm")
    assert [own.title for own in derive(ARM)] == [own.title for own in derive(rt.equations(ARM))]
    for section in lecture:
        assert section.steps
        for step in section.steps:
            if isinstance(step, Formula):
                assert step.latex.count("{") == step.latex.count("}")
                assert step.latex.count(r"\left") == step.latex.count(r"\right")
    assert "operations, not shown" not in str(lecture)
    assert r"\ddot{w}" in lecture.latex() or result is rt.equilibrium_equations
    assert "$$" in lecture.markdown()
