"""The chapter on the equations of Gibbs and Appell: quasi-velocities, accelerations, S, equations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import sympy

from routh.errors import listed
from routh.language.calculus import ddt
from routh.language.derivation import partials
from routh.language.walk import replaced, unfold
from routh.lecture.free_letters import FreeLetters
from routh.lecture.kinds import chapter_of
from routh.lecture.transformed.momentum_frame import in_squares
from routh.lecture.transformed.wording import lettering, minus, slope, titled, total
from routh.mechanics.forms.chapter import Chapter, Formula, Step, chapter, formula
from routh.mechanics.forms.tidy import Tidy
from routh.mechanics.transforms.appell import AppellEquations


@chapter_of.register
def appell_chapter(found: AppellEquations) -> Chapter:
    """From quasi-velocities to equations without multipliers."""
    told = _Told(found)
    sections = [
        ("Quasi-velocities", list(told.quasi_velocities())),
        ("Velocities", list(told.velocities())),
        ("Accelerations", list(told.accelerations())),
        ("Gibbs-Appell function", list(told.gibbs())),
        ("Forces", list(told.forces())),
        ("Equations of motion", list(told.equations())),
    ]
    sections.insert(0, ("Letters", list(told.letter.remarks())))
    return chapter(titled(found.system, "the equations of Gibbs and Appell"), sections)


@dataclass(frozen=True, eq=False)
class _Told:
    """What is said of the equations, section by section."""

    found: AppellEquations

    @cached_property
    def letter(self) -> FreeLetters:
        return lettering(self.found.system)

    @cached_property
    def rates(self) -> list[sympy.Symbol]:
        return [u.rate for u in self.found.quasi]

    def quasi_velocities(self) -> Iterator[Step]:
        """Constraints, and what was chosen."""
        found = self.found
        held, n = found.system.constraints, len(found.system.coordinates)
        if held:
            lines = "one constraint" if len(held) == 1 else f"{len(held)} constraints"
            yield f"{n} velocities are held by {lines}, which leaves {n - len(held)} of them free."
            yield from (formula(unfold(phi), 0) for phi in held)
        which = "as many quasi-velocities" if held else "quasi-velocities"
        yield f"The motion is described by {which}, which need not be rates of coordinates."
        yield from (formula(u, e) for u, e in found.definitions.items())

    def velocities(self) -> Iterator[Step]:
        """V = W u + w."""
        found = self.found
        yield (
            "Definitions and constraints together are solved for the velocities, which then meet the"
            " constraints whatever the quasi-velocities are."
            if found.system.constraints
            else "The definitions are solved for the velocities."
        )
        pairs = zip(found.system.velocities, found.velocities, strict=True)
        yield from (formula(v, _short(e)) for v, e in pairs)

    def accelerations(self) -> Iterator[Step]:
        """A = W u' + W' u + w'."""
        found = self.found
        yield "Differentiated once more, with the velocities put in again,"
        known = dict(zip(found.system.velocities, found.velocities, strict=True))
        for v, e in known.items():
            yield formula(v.rate, _short(replaced(ddt(e), known)))
        yield f"They contain {listed(self.rates)} linearly."

    def gibbs(self) -> Iterator[Step]:
        """S term by term: of second and of first degree in the quasi-accelerations."""
        found, S = self.found, self.letter("S")
        yield (
            f"{S.text} is half of the sum of mass times acceleration squared, in quasi-accelerations;"
            " what is free of them does not matter. Of second degree in them is"
        )
        two, one = (Formula(f"{S.text}{k}", f"{S.latex}_{k}") for k in "21")
        quadratic = in_squares(found.M, self.rates)
        yield formula(two, quadratic)
        linear = {u: self._centrifugal(k) for k, u in enumerate(self.rates)}
        kept = {u: e for u, e in linear.items() if e != 0}
        if not kept:
            yield "and nothing is of first degree."
            yield formula(S, two)
            return
        yield "and of first degree, from accelerations that are there without them,"
        yield formula(one, sympy.Add(*(u * e for u, e in kept.items())))
        yield formula(S, total([two, one]))

    def _centrifugal(self, k: int) -> sympy.Expr:
        """dS/du' at u' = 0."""
        still: dict[sympy.Basic, sympy.Basic] = dict.fromkeys(self.rates, sympy.S.Zero)
        return _short(replaced(self.found.residual[k] + self.found.U[k], still))

    def forces(self) -> Iterator[Step]:
        """U from the power of forces and potential."""
        found, V = self.found, self.letter("V")
        system = found.system
        kinds = {"forces": system.forces, "damping": system.dissipation, "the potential": True}
        if not any(found.U):
            yield "Neither forces nor the potential have power along these velocities."
            yield from (formula(_force(u), 0) for u in found.quasi)
            return
        held = " The constraints have none." if system.constraints else ""
        yield (
            f"The power of {' and '.join(word for word, own in kinds.items() if own)} is written in"
            f" quasi-velocities; what stands before each is its force.{held}"
        )
        slopes = partials(unfold(sympy.Add(*found.system.potential)), found.system.coordinates)
        for q, e in zip(found.system.coordinates, slopes, strict=True):
            own = _short(e)
            if own != 0:
                yield formula(minus(slope(V, q)), -own)
        yield from (formula(_force(u), e) for u, e in zip(found.quasi, found.U, strict=True))

    def equations(self) -> Iterator[Step]:
        """dS/du' = U."""
        found, S = self.found, self.letter("S")
        yield f"The slopes of {S.text} along the quasi-accelerations are the forces."
        for k, u in enumerate(found.quasi):
            moved = sympy.Add(*(found.M[k, j] * a for j, a in enumerate(self.rates)))
            left = moved + self._centrifugal(k)
            yield formula(slope(S, u.rate), _force(u))
            yield formula(left, found.U[k])
        yield ("With the velocities above they are as many equations as unknowns, without multipliers.")


def _force(u: sympy.Symbol) -> Formula:
    return Formula(f"U_{u}", f"U_{{{formula(u).latex}}}")


def _short(e: sympy.Expr) -> sympy.Expr:
    tidy = Tidy(1.0)
    return tidy(tidy(e))
