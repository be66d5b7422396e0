"""What a report says about energies and equations: as written, in coordinates, and derived."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sympy

from routh.display.report.chapters import chapter_items
from routh.display.report.findings import Findings
from routh.display.report.formulas import equation, equations
from routh.display.report.items import Equation, Folded, Heading, Item, Words
from routh.display.report.written_energies import definitions, named_in_file, written
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
    letters = {"T": "kinetic", "V": "potential", "L": "lagrangian", "D": "dissipation"}
    terms = {letter: system.as_written[part] for letter, part in letters.items()}
    own = {letter: sympy.Add(*each) for letter, each in terms.items() if each}
    names = named_in_file(found.model)
    shown = written(names, list(own.values()))
    yield from equations((letter, shown(expression), "") for letter, expression in own.items())
    told = definitions(names, shown, list(own.values()))
    worked_out = {letter: sympy.Add(*getattr(system, letters[letter])) for letter in own}
    if told:
        yield Words("with")
        yield from told
    if told or worked_out != own:
        yield Words("In the coordinates:")
        yield from equations(
            (letter, e, "") for letter, e in _in_coordinates(found, worked_out).items()
        )
    constraints = enumerate(system.constraints, 1)
    yield from equations((rf"\varphi_{{{k}}}", unfold(phi), "0") for k, phi in constraints)


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
        yield from equations(("", row, "0") for row in eq.index3)
    else:
        yield from (Equation(f"{row.formula.latex} = 0") for row in eq.rows)
        yield from (Equation(defined(each).latex) for each in eq.where)
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
    pairs = zip(own.momenta, own.definitions, strict=True)
    yield from equations((latex(p), definition, "") for p, definition in pairs)
    if own.H is None:
        yield equation(own.energy, head="H")
        if own.remark:
            yield Words(own.remark)
    else:
        rates = zip((*own.system.coordinates, *own.momenta), (*own.q_rates, *own.p_rates), strict=True)
        yield from equations([("H", own.H, ""), *((latex(x.rate), rate, "") for x, rate in rates)])
    for phi in own.constraints:
        yield equation(phi, tail="0")
    if own.is_energy:
        yield Words("H is the energy T + V.")
    yield from explained(own, "How it is derived")
