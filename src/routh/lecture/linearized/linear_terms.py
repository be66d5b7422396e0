"""M, D + G, K + H and B term by term: the formula, each second derivative, their sum, its parts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

import sympy
from sympy import ImmutableDenseMatrix as Matrix

from routh.language.calculus import ddt
from routh.language.symbols import Input, Signal
from routh.language.system import System
from routh.language.unknown import put
from routh.lecture.linearized import layout
from routh.lecture.linearized.matrix_letters import MatrixLetters
from routh.lecture.linearized.second_derivatives import (
    SecondDerivatives,
    input_derivatives,
    shortened,
)
from routh.mechanics.forms.chapter import Formula, Step, formula


class Place(Protocol):
    """Where derivatives are evaluated: on a reference in symbols, or at a rest in numbers."""

    letters: MatrixLetters

    def here(self, entries: Matrix) -> Any:
        """The matrix at the place."""

    def rate(self, entries: Matrix) -> Any:
        """The total time derivative of the matrix at the place."""

    def shown(self, head: Formula, found: Any) -> Formula:
        """What was found, with its name."""


class OnReference:
    """A place in symbols: what stands for every signal on the reference."""

    def __init__(self, at: Mapping[Signal, sympy.Expr], letters: MatrixLetters) -> None:
        self._at, self.letters = at, letters
        self._found: dict[Matrix, Matrix] = {}

    def here(self, entries: Matrix) -> Matrix:
        """The matrix at the place."""
        if entries not in self._found:
            self._found[entries] = shortened(put(entries, self._at))
        return self._found[entries]

    def rate(self, entries: Matrix) -> Matrix:
        """The total time derivative of the matrix along the reference."""
        return shortened(put(Matrix(ddt(self.here(entries))), self._at))

    def shown(self, head: Formula, found: Matrix) -> Formula:
        """What was found, with its name."""
        return layout.matrix(self.letters(head), found)


def name(text: str, in_latex: str = "") -> Formula:
    """A letter with subscripts like L_vq, in text and in LaTeX."""
    return Formula(text, in_latex or _subscripted(text))


def _subscripted(text: str) -> str:
    letter, mark, index = text.partition("_")
    return f"{letter}_{{{index}}}" if mark else letter


RATE_OF_M = name("dM/dt", r"\dot M")
RATE_OF_F = name("dF/dt", r"\dot F")
SKEW_OF_F = name("F - F^T", "F - F^T")
PUSH_Q = name("d(J^T lambda)/dq", r"\frac{\partial (J^T \lambda)}{\partial q}")

PUSH_U = name("d(J^T lambda)/du", r"\frac{\partial (J^T \lambda)}{\partial u}")


def mass_steps(of: SecondDerivatives, place: Place, M: Any) -> Iterator[Step]:
    """M = L_vv."""
    yield "The mass matrix holds the second derivatives of the Lagrangian by the velocities:"
    if _same(of.L_vv, place.here(of.L_vv)):
        yield place.shown(name("M = L_vv", "M = L_{vv}"), M)
        return
    yield layout.matrix(place.letters(name("L_vv")), of.L_vv)
    yield "and on the reference"
    yield place.shown(name("M"), M)


def velocity_steps(of: SecondDerivatives, place: Place, parts: tuple[Any, Any, Any]) -> Iterator[Step]:
    """D + G, and its symmetric and skew parts. `parts` are D + G, D and G."""
    system = of.system
    yield "The matrix of the velocities is, with F = L_vq,"
    terms = [RATE_OF_M, SKEW_OF_F, *[name("D_vv")] * bool(system.dissipation)]
    yield place.letters(formula("D + G", _sum(terms, [name("Q_v")] * bool(system.forces))))
    moving, skew = place.rate(of.L_vv), _skew(place.here(of.L_vq))
    silent = [] if _any(moving) else ["dM/dt"]
    silent += [] if _any(skew) else ["F - F^T" if any(of.L_vq) else "F"]
    silent += ["D_vv"] * (bool(system.dissipation) and not any(of.D_vv))
    silent += ["Q_v"] * (bool(system.forces) and not any(of.Q_v))
    if any(of.L_vq):
        yield layout.matrix(place.letters(name("F = L_vq", "F = L_{vq}")), of.L_vq)
    if _any(moving):
        yield place.shown(RATE_OF_M, moving)
    if _any(skew):
        yield place.shown(SKEW_OF_F, skew)
    several = _any(moving) + _any(skew) + any(of.D_vv) + any(of.Q_v) > 1
    for each, entries in (("D_vv", of.D_vv), ("Q_v", of.Q_v)):
        yield from _evaluated(name(each), entries, place, several)
    yield from _vanishing(silent)
    yield from _split("D + G", "D", "G", place, parts)


def position_steps(of: SecondDerivatives, place: Place, parts: tuple[Any, Any, Any]) -> Iterator[Step]:
    """K + H, and its symmetric and skew parts. `parts` are K + H, K and H."""
    system = of.system
    yield "The matrix of the positions is"
    lost, driven, held = map(bool, (system.dissipation, system.forces, system.multipliers))
    first = [RATE_OF_F], [name("L_qq")]
    others = [name("D_vq")] * lost, [name("Q_q")] * driven, [PUSH_Q] * held
    yield place.letters(formula("K + H", _sum(*first, *others)))
    rate = place.rate(of.L_vq)
    if _any(rate):
        yield "On the reference F depends on time:"
        if isinstance(rate, sympy.MatrixBase):
            yield place.shown(name("F"), place.here(of.L_vq))
        yield place.shown(RATE_OF_F, rate)
    each = [(name("L_qq"), of.L_qq), (name("D_vq"), of.D_vq), (name("Q_q"), of.Q_q), (PUSH_Q, of.J_q)]
    several = _any(rate) + sum(any(entries) for _, entries in each) > 1
    for own, entries in each:
        yield from _evaluated(own, entries, place, several)
    there = (True, lost, driven, held)
    yield from _vanishing(
        ["dF/dt"] * (not _any(rate))
        + [own.text for on, (own, entries) in zip(there, each, strict=True) if on and not any(entries)]
    )
    yield from _split("K + H", "K", "H", place, parts)


def input_steps(
    system: System,
    inputs: tuple[Input, ...],
    rates: Mapping[Signal, sympy.Expr],
    place: Place,
    B: Any,
) -> Iterator[Step]:
    """B, column by column."""
    if not inputs:
        return
    yield "An input u acts through the column, u_ being the input with one dot less,"
    terms = [name("d/dt L_vu", r"\frac{d}{dt} L_{vu}"), name("L_vu_", r"L_{v u_-}")]
    lost, driven, held = map(bool, (system.dissipation, system.forces, system.multipliers))
    others = [name("L_qu")], [name("D_vu")] * lost, [name("Q_u")] * driven, [PUSH_U] * held
    inside = _sum(terms, *others)
    yield place.letters(Formula(f"B_u = -({inside.text})", rf"B_u = -\left({inside.latex}\right)"))
    for u in inputs:
        of = input_derivatives(system, u, rates)
        yield f"For `{u}`:"
        yield from _evaluated(name("L_vu"), of.L_vu, place)
        rate = place.rate(of.L_vu)
        if _any(rate):
            yield place.shown(terms[0], rate)
        yield from _evaluated(terms[1], of.L_v_below, place)
        for each, entries in (("L_qu", of.L_qu), ("D_vu", of.D_vu), ("Q_u", of.Q_u)):
            yield from _evaluated(name(each), entries, place)
        yield from _evaluated(PUSH_U, of.J_u, place)
    yield "Column by column:"
    yield place.shown(name("B"), B)


def _evaluated(own: Formula, entries: Matrix, place: Place, evaluated: bool = True) -> Iterator[Step]:
    """A second derivative at any position and, if asked, at the place; nothing where it is zero."""
    if not any(entries):
        return
    yield layout.matrix(place.letters(own), entries)
    found = place.here(entries)
    if evaluated and not _same(entries, found):
        where = Formula(f"{own.text} on the reference", rf"{own.latex}\big|_{{*}}")
        yield place.shown(where, found)


def _vanishing(names: list[str]) -> Iterator[Step]:
    """A sentence on terms that are zero."""
    if names:
        yield f"{_joined(names)} {'vanishes' if len(names) == 1 else 'vanish'}."


def _same(entries: Matrix, found: Any) -> bool:
    """Whether nothing changed when the reference was put in."""
    return all(e.is_number for e in entries) or (
        isinstance(found, sympy.MatrixBase) and Matrix(found) == Matrix(entries)
    )


def _split(
    whole: str, even: str, odd: str, place: Place, parts: tuple[Any, Any, Any]
) -> Iterator[Step]:
    """The sum, its symmetric part and its skew part."""
    total, symmetric, skew = parts
    if not _any(total):
        yield f"Nothing is left: {even} = {odd} = 0."
    elif total.shape == (1, 1):
        yield "Together, on the reference:"
        yield place.shown(name(even), symmetric)
    elif not _any(skew):
        yield f"On the reference the sum is symmetric, so that {odd} = 0 and"
        yield place.shown(name(even), symmetric)
    elif not _any(symmetric):
        yield f"On the reference the sum is skew, so that {even} = 0 and"
        yield place.shown(name(odd), skew)
    else:
        yield "On the reference the sum, its symmetric part and its skew part are"
        yield place.shown(name(whole), total)
        yield place.shown(name(even), symmetric)
        yield place.shown(name(odd), skew)


def _sum(*groups: list[Formula]) -> Formula:
    """Terms of groups that are added and taken away by turns."""
    pairs = [(" - " if k % 2 else " + ", term) for k, group in enumerate(groups) for term in group]
    text, tex = pairs[0][1].text, pairs[0][1].latex
    for sign, term in pairs[1:]:
        text, tex = text + sign + term.text, tex + sign + term.latex
    return Formula(text, tex)


def _skew(found: Any) -> Any:
    return found - found.T


def _any(found: Any) -> bool:
    entries = list(found) if isinstance(found, sympy.MatrixBase) else found.reshape(-1).tolist()
    return any(entry != 0 for entry in entries)


def _joined(words: list[str]) -> str:
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " and " + words[-1]
