"""Chapters on fields: every formula that is printed is read back and compared with another derivation."""

from __future__ import annotations

import re
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
    lines = [p for p in formulas(lecture, "Conjugate forces") if p[0].startswith("G") and len(p) == 2]
    assert len(lines) == len(forces)
    assert len({left for left, _ in lines}) == len(forces)  # no name for two of them
    for (left, right), ((_, x), force) in zip(lines, forces.items(), strict=True):
        assert str(x) in left
        same(read(right, words), force)
    names = {left: read(right, words) for left, right in lines}
    for group, title in (
        (found.partial, "Partial equations"),
        (found.boundary, "Conditions at the ends"),
    ):
        shown = [left for left, right in formulas(lecture, title) if right == "0"]
        own = [read(left, words) for left in shown if "G" not in left]
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


def test_forces_of_what_is_the_same_everywhere_are_named_by_where_they_act():
    found = written(ARM)
    lecture = derive(found)
    sides = dict(formulas(lecture, "Conjugate forces"))
    words = vocabulary(ARM)
    (total,) = (left for left, right in formulas(lecture, "Coordinates") if "G" in left)
    assert total == "-(G^D_theta + Integral(G^s_theta, (s, 0, L)))"
    outside, inside = (read(sides[f"G^{where}_theta"], words) for where in "Ds")
    same(-outside - sympy.Integral(inside, (s, 0, L)), found.ordinary[0].expression)
    assert formulas(lecture, "Virtual work")[1] == ("Q^D_theta", "u")


def test_two_spaces_have_two_names_for_the_force_on_one_end():
    r = rt.space("r", 0, R)
    v = rt.field("v", r)
    tip = at(w, s, L)
    bent = integral(EI / 2 * diff(v, r, 2) ** 2, r)
    both = rt.System(
        kinetic=[integral(rho / 2 * ddt(w) ** 2, s), integral(rho / 2 * (ddt(v) + ddt(tip)) ** 2, r)],
        potential=[BENDING, bent],
        constraints=[*CLAMPED, at(v, r, 0), at(diff(v, r), r, 0)],
    )
    text = str(derive(rt.equations(both, simplify=0)))
    assert "Integral(G^r_(w(L)), (r, 0, R))" in text
    assert "L_hat_r = T_hat_r - V_hat_r" in text


FORMULAS = {"G", "Q", "S", "T", "V", "L", "Lag", "D", "W", "delta", "d", "dt", "hat", "Integral"}


@pytest.mark.parametrize("verb", ["equations", "linear", "rest"])
def test_every_symbol_of_a_field_chapter_is_introduced_before(verb):
    about = {hub: 0, w: "w*"}
    found = {
        "equations": lambda: written(ARM),
        "linear": lambda: rt.linear_equations(ARM, about, simplify=0.2),
        "rest": lambda: rt.equilibrium_equations(ARM, simplify=0),
    }[verb]()
    lecture = derive(found)
    known = set(FORMULAS)
    known |= set(re.findall(r"[A-Za-z]+", " ".join(f.text for f in lecture["The system"].formulas)))
    known |= {"sum", "over", "of", "x", "y", "sigma"}
    for section in lecture:
        for step in section.formulas:
            used = set(re.findall(r"[A-Za-z]+", step.text))
            slopes = {name for name in used if set(name) <= {"s", "t"}}
            new = {name.removeprefix("d") for name in used - slopes - known}  # dx, dL, dtheta
            assert new <= known, step.text
            left = re.match(r"\(?(\w+)", step.text)
            known |= {left[1]} if left else set()
    text = str(lecture)
    if verb != "rest":
        assert text.index("L_hat = T_hat - V_hat") < text.index("Lag = ")
        assert text.index("Lag_D = T_D") < text.index("Lag = ")


def test_names_are_told_before_rows_have_them():
    text = str(derive(written(BEAM)))
    for name, use in (("G_x = ", "G_u(s)*"), ("u(s) = ", "G_u(s)*"), ("N(s) = ", "(N(s)*w_s)_s")):
        assert text.index(name) < text.index(use)
    assert text.count("u(s) = ") == 1


def test_a_reference_needs_what_is_written_with_a_plus():
    lecture = derive(rt.linear_equations(ARM, {hub: 0, w: 0}, simplify=0.2))
    assert "u = 0" in [str(f) for f in lecture["Reference"].formulas]


def test_what_any_value_will_do_for_is_not_solved_for():
    section = derive(rt.equilibrium_equations(ARM, simplify=0))["Solution"]
    assert [str(f) for f in section.formulas] == ["w = 0", "u = 0"]
    assert section.steps[-1] == "`theta` is in no equation: any value will do."


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
    assert lecture.title.startswith("Hub with a flexible arm: ")
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
