"""What a report says about energies and equations: as written, in coordinates, and derived."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from typing import Any

import sympy

from routh.display.report.chapters import chapter_items
from routh.display.report.findings import Findings
from routh.display.report.formulas import equation, fitted
from routh.display.report.items import Equation, Folded, Heading, Item, Words
from routh.display.report.written_energies import definitions, written
from routh.errors import RouthError
from routh.language.walk import unfold
from routh.lecture.derive import derive
from routh.mechanics.fields.named_parts import defined
from routh.mechanics.forms.printing import latex
from routh.mechanics.forms.tidy import Tidy
from routh.mechanics.lagrange import Equations


def energies_section(found: Findings) -> Iterator[Item]:
    """The energies as they were written, with what their names stand for, then in coordinates."""
    yield Heading("Energies")
    system = found.model.system
    terms = {"T": system.kinetic, "V": system.potential, "L": system.lagrangian,
             "D": system.dissipation}  # fmt: skip
    own = {letter: sympy.Add(*each) for letter, each in terms.items() if each}
    names = _named_in_file(found)
    shown = written(names, list(own.values()))
    for letter, expression in own.items():
        yield equation(shown(expression), head=letter)
    told = definitions(names, shown, list(own.values()))
    if told:
        yield Words("with")
        yield from told
        yield Words("In the coordinates:")
        for letter, expression in _in_coordinates(found, own).items():
            yield equation(expression, head=letter)
    for k, phi in enumerate(system.constraints, 1):
        yield equation(unfold(phi), head=rf"\varphi_{{{k}}}", tail="0")


def _named_in_file(found: Findings) -> dict[str, Any]:
    """What the model file gives names, in its order."""
    document = tomllib.loads(found.model.text)
    names = [*document.get("let", {}), *document.get("points", {})]
    return {name: found.model.names[name] for name in names if name in found.model.names}


def _in_coordinates(found: Findings, given: dict[str, sympy.Expr]) -> dict[str, sympy.Expr]:
    """The energies with names replaced, as short as they are as written, tidied or in the equations."""
    parts = {letter: min((plain, Tidy(1.0)(plain)), key=sympy.count_ops)
             for letter, own in given.items() for plain in [unfold(own)]}  # fmt: skip
    eq = found.equations
    if isinstance(eq, Equations) and not found.model.system.lagrangian:
        tidied = {"T": eq.T2 + eq.T1 + eq.T0, "V": eq.V, "D": eq.D}
        parts |= {
            letter: tidied[letter]
            for letter, own in parts.items()
            if sympy.count_ops(tidied[letter]) < sympy.count_ops(own)
        }
    return parts


def equations_section(found: Findings) -> Iterator[Item]:
    """The equations of motion, their derivation, and what is conserved."""
    yield Heading("Equations of motion")
    eq = found.equations
    if isinstance(eq, str):
        yield Words(eq, aside=True)
        return
    if found.model.system.friction:
        yield Words(
            "While every contact slips forwards; one that sticks holds its slip velocity at zero.",
            aside=True,
        )
    if isinstance(eq, Equations):
        yield from (equation(row, tail="0") for row in eq.index3)
    else:
        yield from (Equation(fitted(f"{row.formula.latex} = 0")) for row in eq.rows)
        yield from (Equation(fitted(defined(each).latex)) for each in eq.where)
    yield from explained(eq, "How they are derived")
    if isinstance(eq, Equations) and eq.conserved:
        for each in eq.conserved:
            yield Words(f"Conserved, since {each.reason}:")
            yield equation(each.expression, tail=r"\text{const}")


def explained(result: Any, title: str) -> list[Item]:
    """The chapter that derives a result, folded; nothing where none is written."""
    try:
        return [Folded(title, chapter_items(derive(result)))]
    except RouthError:
        return []


def hamiltonian_section(found: Findings) -> Iterator[Item]:
    """Momenta, the Hamiltonian and the canonical equations, where the model asks for them."""
    own = found.hamiltonian
    if own is None:
        return
    yield Heading("Hamilton's equations")
    if isinstance(own, str):
        yield Words(own, aside=True)
        return
    for p, definition in zip(own.momenta, own.definitions, strict=True):
        yield equation(definition, head=latex(p))
    if own.H is None:
        yield equation(own.energy, head="H")
        if own.remark:
            yield Words(own.remark)
    else:
        yield equation(own.H, head="H")
        for x, rate in zip(own.system.coordinates, own.q_rates, strict=True):
            yield equation(rate, head=latex(x.rate))
        for p, rate in zip(own.momenta, own.p_rates, strict=True):
            yield equation(rate, head=latex(p.rate))
    for phi in own.constraints:
        yield equation(phi, tail="0")
    if own.is_energy:
        yield Words("H is the energy T + V.")
    yield from explained(own, "How it is derived")
