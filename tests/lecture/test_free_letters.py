"""Letters of chapters and of results are none of the system's, whatever it is called."""

from __future__ import annotations

import re

import pytest
import sympy

import routh as rt
from routh import ddt, derive
from routh.lecture.free_letters import FreeLetters, Role, taken_names
from routh.lecture.lagrangian import letters as lagrangian
from routh.lecture.linearized import matrix_letters
from routh.lecture.transformed import wording
from routh.lecture.varied import field_letters

TABLES = [
    lagrangian._ROLES,
    matrix_letters.ROLES,
    wording._ROLES,
    field_letters._ENERGIES,
]
EVERY = sorted(
    {x for table in TABLES for x in (*table, *(o for r in table.values() for o in r.others))}
)
NAMES = [x for x in EVERY if x.isidentifier()]


@pytest.mark.parametrize("table", TABLES)
def test_no_letter_is_that_of_the_system_or_of_two_roles(table):
    for taken in ([], ["M", "s", "L1", "T2", "lambda", "eta", "phi"], NAMES, [*NAMES, "p1", "mu1"]):
        letters = FreeLetters(table, taken)
        found = [letters(letter) for letter in table]
        assert not {each.text for each in found} & set(taken)
        assert len({each.text for each in found}) == len(found)
        assert len({each.latex for each in found}) == len(found)
        given = {letter for letter in table if letters.name(letter) != letter}
        assert {re.search("`(.*?)`", each)[1] for each in letters.remarks()} == given


def test_text_and_latex_name_the_same_letter():
    letters = FreeLetters({"T": Role("an energy", ("T_kin",), numbered=True)}, ["T1"])
    assert (letters("T").text, letters("T").latex) == ("T_kin", r"{T_{\mathrm{kin}}}")
    assert letters("T", 2).latex == r"{T_{\mathrm{kin}}}_{2}"


@pytest.fixture(scope="module")
def crowded():
    """Two masses, one held by a constraint, with a parameter for every letter that chapters know."""
    x, y = rt.coordinates("x y")
    own = [
        rt.parameter(name, positive=True) for name in [*NAMES, "lambda1", "eta1", "mu1", "xi", "p_x"]
    ]
    mass, stiffness = rt.parameter("M", positive=True), rt.parameter("K", positive=True)
    return rt.System(
        kinetic=mass * (ddt(x) ** 2 + ddt(y) ** 2) / 2,
        potential=stiffness * x**2 / 2 + sympy.Add(*own),
        constraints=[y - 2 * x],
    )


def test_every_letter_may_be_taken(crowded):
    taken = taken_names(crowded)
    assert {"lambda1", "s_exp", "eta1", "p_x"} <= taken
    for result in (
        rt.equations(crowded, simplify=0),
        rt.linear_equations(crowded, about=dict.fromkeys(crowded.coordinates, 0), simplify=0),
    ):
        chapter = derive(result)
        left = {str(each).split(" = ")[0] for s in chapter for each in s.formulas}
        assert not left & {p.name for p in crowded.parameters}


def test_multipliers_are_called_as_nothing_else(crowded):
    (multiplier,) = crowded.multipliers
    assert multiplier.name not in {p.name for p in crowded.parameters}
    assert multiplier in rt.equations(crowded, simplify=0).residual.atoms(sympy.Symbol)
    x, lambda1 = rt.coordinate("x"), rt.parameter("lambda1")
    held = rt.System(kinetic=ddt(x) ** 2 / 2, potential=-lambda1 * x, constraints=[x - 1])
    rest = rt.equilibrium(held, {lambda1: 3.0}, guess={x: 1})
    assert [each.name for each in held.multipliers] == ["mu1"]
    assert rest["mu1"] == pytest.approx(3.0, rel=1e-12)  # V_x + mu1 = 0
    assert rest["lambda1"] == 3.0


def test_momenta_are_called_as_nothing_else():
    x, p_x = rt.coordinate("x"), rt.parameter("p_x")
    system = rt.System(kinetic=p_x * ddt(x) ** 2 / 2)
    with pytest.raises(rt.DeclarationError, match="`x'` would be called `p_x`"):
        rt.hamiltonian(system)
    assert str(rt.legendre(system.kinetic[0], ddt(x), names="b").transform) == "b**2/(2*p_x)"
