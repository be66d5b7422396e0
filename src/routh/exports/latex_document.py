"""LaTeX: a document with the letters, units, energies, equations of motion and constraints of a system.

The formulas are those that `equations` gives and notebooks show. What is long has parts with names, the
same in all formulas, which stand at the end.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import sympy

from routh.errors import DeclarationError
from routh.exports.files_out import Files
from routh.exports.heading import commented, listed_symbols, prose, unit_of
from routh.exports.subject import Subject
from routh.language.walk import unfold
from routh.mechanics.forms.chapter import Formula, Step, Table, chapter
from routh.mechanics.forms.printing import latex, latex_lines, latex_named, operations
from routh.mechanics.lagrange import Equations, equations
from routh.version import __version__

Named = list[tuple[str, sympy.Expr]]
"""Expressions, and what they are."""

FIRST = r"""\documentclass{article}
\usepackage[utf8]{inputenc}
\usepackage{amsmath}
\usepackage{amssymb}
\begin{document}
"""
LAST = "\n\\end{document}\n"


def latex_files(given: Subject, path: Path, command: str) -> Files:
    """The document."""
    system = given.system
    if system.shapes:
        raise DeclarationError(
            f"A document in LaTeX has equations that are written out, and {system.title} is"
            " discretized: its equations are sums over many points. Those with fields are"
            " equations(system.continuous).latex()."
        )
    eq = equations(system)
    assert isinstance(eq, Equations)
    title = system.name or "A system"
    told = chapter(title, [*_sections(given, eq)])
    return {path: f"{commented(_head(given, command), '%')}{FIRST}{told.latex()}{LAST}"}


def _head(given: Subject, command: str) -> list[str]:
    """The comments at the head: what it is, how it was made, and how symbols are written here."""
    system = given.system
    states = (*system.coordinates, *system.velocities)
    every = (*states, *given.functions.signals, *system.parameters)
    called = {str(s): latex(s) for s in every if latex(s) != str(s)}
    return [
        *prose(f"{system.name or 'A system'}: equations of motion in LaTeX."),
        *(prose(given.about) if given.about else []),
        *prose(
            f"Written by Routh {__version__} with {command}, from the energies, by Lagrange's equation."
            " It stands alone: Routh is not needed to use it."
        ),
        "",
        *listed_symbols("x, the state", states, given, called),
        *listed_symbols("u, the inputs", given.functions.signals, given, called),
        *listed_symbols("p, the parameters", system.parameters, given, called),
    ]


def _sections(given: Subject, eq: Equations) -> Iterator[tuple[str, list[Step]]]:
    """The letters, then the formulas, which share the names of their parts."""
    energies, work, laws = _energies(eq), list(eq.residual), _laws(given)
    every = [e for _, e in energies] + work + list(eq.phi) + [e for _, e in laws]
    written, where = latex_named(every)
    texts = iter(written)
    yield "Letters", [*([given.about] if given.about else []), *_letters(given, eq)]
    shown: list[Step] = []
    for what, _ in energies:
        shown += [f"{what} is", _formula(next(texts))]
    yield "Energies", shown
    yield "Equations of motion", [_rows(f"{next(texts)} &= 0" for _ in work)]
    yield "Constraints", [_rows(f"{next(texts)} &= 0" for _ in eq.phi)] if len(eq.phi) else []
    put = [_rows(f"{name} &= {next(texts)}" for name, _ in laws)] if laws else []
    yield "Inputs", ["These are put in for inputs:", *put] if put else []
    yield "Parts with names", [_rows(each.replace(" = ", " &= ", 1) for each in where)] if where else []


def _energies(eq: Equations) -> Named:
    """The energies that are there."""
    if eq.system.lagrangian:
        found = [("The Lagrangian", eq.L)]
    else:
        forms = [unfold(sympy.Add(*eq.system.kinetic)), eq.T2 + eq.T1 + eq.T0]
        found = [("The kinetic energy", min(forms, key=operations)), ("The potential energy", eq.V)]
    return [(what, e) for what, e in (*found, ("The Rayleigh function", eq.D)) if e != 0]


def _laws(given: Subject) -> Named:
    return [(latex(signal), unfold(law)) for signal, law in given.laws]


def _letters(given: Subject, eq: Equations) -> Iterator[Step]:
    """Tables of what the letters are, with their units and numbers."""
    system = given.system
    kinds: dict[str, tuple[Any, ...]] = {
        "coordinate": system.coordinates,
        "input": (*(signal for signal, _ in given.laws), *given.functions.signals),
        "parameter": system.parameters,
        "multiplier": eq.multipliers,
    }
    rows = [
        (Formula(str(s), latex(s)), kind, _number(s, given, kind), unit_of(s, given.units))
        for kind, symbols in kinds.items()
        for s in symbols
    ]
    yield Table(("letter", "what it is", "number", "unit"), tuple(rows))
    yield "A dot is a derivative by time, t."


def _number(symbol: Any, given: Subject, kind: str) -> str:
    number = given.values.get(str(symbol)) if kind == "parameter" else None
    return "" if number is None else repr(number)


def _formula(text: str) -> Formula:
    return Formula(text, text)


def _rows(rows: Iterator[str]) -> Formula:
    return _formula(latex_lines(rows))
