"""One word for one thing: the table in docs/conventions.md holds for every verb and every result."""

from __future__ import annotations

import inspect
import re
from dataclasses import fields, is_dataclass
from pathlib import Path

import routh as rt

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "conventions.md").read_text("utf-8")


def table():
    """The words of each row, and those that are not said."""
    section = PAGE.split("## One word for one thing")[1].split("\n## ")[0]
    rows = [line.split("|")[2:4] for line in section.splitlines() if line.startswith("| ")][1:]
    return [tuple(re.findall(r"`([a-z_0-9]+=?)`", cell) for cell in row) for row in rows]


def verbs():
    """Every public function."""
    every = {name: getattr(rt, name) for name in rt.__all__}
    return [f for f in every.values() if inspect.isfunction(f) and f.__module__[:5] == "routh"]


def results():
    """The classes of results."""
    every = (getattr(rt.results, name) for name in rt.results.__all__)
    return [each for each in every if is_dataclass(each)]


def arguments():
    return {f"{name}=" for verb in verbs() for name in inspect.signature(verb).parameters}


def attributes():
    own = {field.name for cls in results() for field in fields(cls)}
    return own | {name for cls in results() for name in vars(cls) if name[0] != "_"}


def test_the_words_of_the_table_are_in_use():
    words = {word for row in table() for word in row[0]}
    assert len(words) > 30
    assert not words - arguments() - attributes() - set(dir(rt.System))


def test_the_words_beside_them_are_not():
    others = {word for row in table() for word in row[1]}
    assert len(others) > 10
    assert not others & (arguments() | attributes())


def test_one_budget_of_forms_and_one_default():
    """All verbs that write forms take `simplify`, seconds counted in work."""
    given = {
        verb.__name__: inspect.signature(verb).parameters["simplify"].default
        for verb in verbs()
        if "simplify" in inspect.signature(verb).parameters
    }
    assert {"equations", "linear_equations", "hamiltonian", "routhian", "legendre"} <= set(given)
    assert set(given.values()) <= {1.0, 2.0, None}


WORDS_IN_ISE = {
    "raise", "raises", "raised", "noise", "rise", "rising", "raising", "arise", "arising", "precise",
    "otherwise", "likewise", "piecewise", "pairwise", "elementwise", "clockwise", "counterclockwise",
    "wise", "promise", "promises", "promised", "promising", "exercise", "exercises", "treatise", "advise", "advised", "revise",
    "revised", "comprise", "surprise", "surprised", "disguise", "enterprise", "praise", "uprising", "rises",
}  # fmt: skip


def test_words_are_spelt_as_in_oxford():
    pages = [*(ROOT / "src").rglob("*.py"), *(ROOT / "docs").rglob("*.md"), ROOT / "README.md"]
    british = r"\b[a-z]+(?:ise|ised|ises|ising|isation|yse|ysed)\b"
    american = r"\b(?:neighbor|behavior|favor|modeling|modeled|labeled)[a-z]*\b"
    found = {
        word
        for page in pages
        for word in re.findall(f"{british}|{american}", page.read_text("utf-8").lower())
    }
    assert not found - WORDS_IN_ISE - {"regularise"}  # which the table names


def test_numbers_of_modes_count_from_zero():
    theta = rt.coordinate("theta")
    swing = rt.System(kinetic=rt.ddt(theta) ** 2 / 2, potential=-4 * rt.cos(theta))
    rest = rt.equilibrium(swing, {})
    form = rt.normal_form(rest)
    assert form.frequency(0, 0.0) == form.frequencies[0] == rt.modes(rt.linearize(rest)).frequencies[0]
    assert str(rt.modes(rt.linearize(rest))).splitlines()[1].startswith("1: 2 rad/s")
