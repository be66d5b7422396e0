"""The chapter on the equations of Boltzmann and Hamel: energy, fields, their order, equations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import sympy

from routh.language.walk import replaced
from routh.lecture.free_letters import FreeLetters
from routh.lecture.kinds import chapter_of
from routh.lecture.transformed.wording import lettering, rated, slope, titled
from routh.mechanics.forms.chapter import Chapter, Formula, Step, chapter, formula
from routh.mechanics.forms.tidy import Tidy
from routh.mechanics.transforms.hamel import HamelEquations


@chapter_of.register
def hamel_chapter(found: HamelEquations) -> Chapter:
    """From the kinetic energy in quasi-velocities to equations without multipliers."""
    told = _Told(found)
    sections = [
        ("Kinetic energy", list(told.energy())),
        ("Order of moves", list(told.brackets())),
        ("Equations of motion", list(told.equations())),
    ]
    sections.insert(0, ("Letters", list(told.letter.remarks())))
    return chapter(titled(found.system, "the equations of Boltzmann and Hamel"), sections)


@dataclass(frozen=True, eq=False)
class _Told:
    """What is said of the equations, section by section."""

    found: HamelEquations

    @cached_property
    def letter(self) -> FreeLetters:
        return lettering(self.found.system)

    @property
    def T(self) -> Formula:
        """The letter of the kinetic energy, or of the Lagrangian where that was given."""
        return self.letter("L" if self.found.system.lagrangian else "T")

    def energy(self) -> Iterator[Step]:
        """T and its momenta, those beyond the constraints too."""
        found, T = self.found, self.T
        what = "Lagrangian" if found.system.lagrangian else "kinetic energy"
        met = "Along motions that meet the constraints the" if found.system.constraints else "The"
        yield f"{met} {what} is, in quasi-velocities,"
        yield formula(T, found.T)
        yield "Its slopes by them are their momenta."
        r = len(found.quasi)
        for k, u in enumerate(found.quasi):
            yield formula(_p(k), slope(T, u), found.momenta[k])
        if found.momenta[r:]:
            yield (
                "A velocity that a constraint holds at zero (of a position, its rate) has a momentum"
                f" too: the slope of the {what} by what that velocity would be beside the"
                " quasi-velocities, taken where it is zero."
            )
            yield from (formula(_p(r + k), e) for k, e in enumerate(found.momenta[r:]))

    def brackets(self) -> Iterator[Step]:
        """Gamma, and what it says of the constraints."""
        found, r = self.found, len(self.found.quasi)
        yield (
            "Each quasi-velocity moves positions along a field of its own. Two small moves, one after"
            " the other, need not lead where they lead in the other order: what is between is their"
            " bracket,"
        )
        yield Formula(
            "[X_k, X_j] = sum over a of gamma^a_kj X_a",
            r"[X_k, X_j] = \sum_a \gamma^a_{kj} X_a",
        )
        listing = found.coefficients()
        yield (
            "Of its parts, k before j, since gamma^a_jk = -gamma^a_kj, there are"
            if listing
            else "Here all of its parts vanish."
        )
        for *at, e in listing:
            yield formula(Formula(*found.coefficient_name(*at)), e)
        if any(any(each) for each in found.drift):
            yield "With what moves by itself, as time goes on, they have the parts"
            for a, each in enumerate(found.drift):
                for k, e in enumerate(each):
                    if e != 0:
                        name = f"gamma^{a + 1}_{k + 1}0", rf"\gamma^{{{a + 1}}}_{{{k + 1}0}}"
                        yield formula(Formula(*name), e)
        if found.momenta[r:]:
            yield (
                "None leads out of the constraints: together they hold positions (Frobenius)."
                if found.is_integrable
                else f"Those with a above {r} lead out of the constraints: these do not all hold"
                " positions."
            )

    def equations(self) -> Iterator[Step]:
        """Row by row, with the parts of the left side."""
        found, T = self.found, self.T
        yield "The equations of motion are, with the forces U by power,"
        yield self._general(T, any(any(each) for each in found.drift))
        u_rates = [u.rate for u in found.quasi]
        still: dict[sympy.Basic, sympy.Basic] = dict.fromkeys(u_rates, sympy.S.Zero)
        for k, u in enumerate(found.quasi):
            if found.slopes[k] != 0:
                yield formula(Formula(f"X{k + 1}({T.text})", f"X_{k + 1}({T.latex})"), found.slopes[k])
            M = [found.momenta[k].diff(other) for other in found.quasi]
            moved = sympy.Add(*(_short(m) * a for m, a in zip(M, u_rates, strict=True)))
            rest = _short(replaced(found.residual[k] + found.U[k], still))
            yield f"Along `{u}`, with {rated(slope(T, u)).text} written out,"
            yield formula(moved + rest, found.U[k])
        yield "They are the rows of Gibbs and Appell, without accelerations on the way."

    def _general(self, T: Formula, drifts: bool) -> Formula:
        inner = "sum over j of gamma^a_kj u_j"
        inner = f"({inner} + gamma^a_k0)" if drifts else inner
        drawn = r"\sum_j \gamma^a_{kj} u_j"
        drawn = rf"\Bigl({drawn} + \gamma^a_{{k0}}\Bigr)" if drifts else drawn
        return Formula(
            f"d/dt d{T.text}/du_k - X_k({T.text}) + sum over a of p_a {inner} = U_k",
            rf"\frac{{d}}{{dt}} \frac{{\partial {T.latex}}}{{\partial u_k}} - X_k({T.latex})"
            rf" + \sum_a p_a {drawn} = U_k",
        )


def _p(k: int) -> Formula:
    return Formula(f"p{k + 1}", f"p_{k + 1}")


def _short(e: sympy.Expr) -> sympy.Expr:
    return Tidy(1.0)(e)
