"""The chapter on Routh's reduction: cyclic momenta, elimination, R, reduced equations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import sympy

from routh.errors import listed
from routh.language.derivation import partials
from routh.language.walk import contains_time, leaves, replaced
from routh.lecture.free_letters import FreeLetters
from routh.lecture.kinds import chapter_of
from routh.lecture.transformed.hamilton_chapter import in_squares
from routh.lecture.transformed.wording import (
    Denominators,
    lettering,
    minus,
    product,
    rated,
    slope,
    titled,
    total,
)
from routh.mechanics.forms.chapter import Chapter, Formula, Step, chapter, formula
from routh.mechanics.forms.tidy import Tidy
from routh.mechanics.lagrange import Equations, equations
from routh.mechanics.transforms.routhian import Routhian


@chapter_of.register
def routhian_chapter(found: Routhian) -> Chapter:
    """From the momenta of cyclic coordinates to a system without them."""
    told = _Told(found)
    sections = [
        ("Cyclic coordinates", list(told.cyclic())),
        ("Velocities that leave", list(told.velocities())),
        ("Routhian", list(told.routhian())),
        ("Amended potential", list(told.amended())),
        ("Reduced equations", list(told.reduced())),
    ]
    sections.insert(0, ("Letters", list(told.letter.remarks())))
    return chapter(titled(found.whole, "Routh's reduction"), sections)


@dataclass(frozen=True, eq=False)
class _Told:
    """What is said of a reduction, section by section."""

    found: Routhian

    @cached_property
    def letter(self) -> FreeLetters:
        return lettering(self.found.whole)

    @cached_property
    def below(self) -> Denominators:
        whole = self.found.whole
        taken = [*whole.coordinates, *whole.parameters, *whole.inputs]
        return Denominators([*self.found.velocities.values(), self.found.R], taken)

    def cyclic(self) -> Iterator[Step]:
        """The momenta that are kept."""
        found, L = self.found, self.letter("L")
        own = list(found.momenta)
        one = len(own) == 1
        yield (
            f"{listed(own)} {'enters' if one else 'enter'} {L.text} by"
            f" {'its velocity' if one else 'their velocities'} alone, and nothing pushes"
            f" {'it: the momentum keeps its value' if one else 'them: the momenta keep their values'}."
        )
        for q in own:
            yield formula(found.momenta[q], slope(L, q.rate), found.definitions[q])

    def velocities(self) -> Iterator[Step]:
        """The momenta solved for the velocities of what leaves."""
        found = self.found
        one = len(found.momenta) == 1
        yield f"Solved for the {'velocity that leaves' if one else 'velocities that leave'},"
        named = list(self.below.steps)
        yield from named
        yield from (formula(q.rate, self.below(v)) for q, v in found.velocities.items())

    def routhian(self) -> Iterator[Step]:
        """R = L - p . v."""
        found, (R, L) = self.found, (self.letter(x) for x in "RL")
        pairs = [minus(product(p, q.rate)) for q, p in found.momenta.items()]
        yield (
            "The Routhian is the Lagrangian less the products of the momenta and these velocities: a"
            " Legendre transform by them alone."
        )
        yield formula(R, total([L, *pairs]))
        yield "With the velocities of the last section"
        yield formula(R, self.below(found.R))

    @cached_property
    def own(self) -> Equations:
        """The equations of the reduced system, whose Lagrangian is R."""
        made = equations(self.found.system)
        assert isinstance(made, Equations)
        return made

    def amended(self) -> Iterator[Step]:
        """R at rest: the potential that the momenta amend."""
        eq, (R, V) = self.own, (self.letter(x) for x in "RV")
        if leaves(eq.M) & set(self.found.system.velocities):
            return
        star = Formula(f"{V.text}*", f"{V.latex}^*")
        yield (
            f"Sorted by degree in the velocities that stay, {R.text} has a kinetic part"
            f"{', a part that acts like a gyroscope,' if eq.T1 != 0 else ''} and the amended potential:"
            " the potential energy and what the momenta store."
        )
        parts = [_indexed(R, "2"), *([_indexed(R, "1")] if eq.T1 != 0 else []), minus(star)]
        yield formula(R, total(parts))
        yield formula(parts[0], self.below(in_squares(eq.M, self.found.system.velocities)))
        if eq.T1 != 0:
            yield formula(parts[1], self.below(eq.T1))
        still: dict[sympy.Basic, sympy.Basic] = dict.fromkeys(
            self.found.system.velocities, sympy.S.Zero
        )
        U = -replaced(self.found.R, still)
        yield formula(star, self.below(U))
        if self.found.system.forces or self.found.system.constraints or contains_time(U, eq.T1):
            return
        yield (
            "Where it is stationary the reduced system rests, and the whole one moves steadily with"
            " these momenta."
        )
        for q, e in zip(
            self.found.system.coordinates, partials(U, self.found.system.coordinates), strict=True
        ):
            yield formula(slope(star, q), self.below(Tidy(1.0)(e)), 0)
        yield "By Routh's theorem an isolated minimum is stable as long as the momenta stay."

    def reduced(self) -> Iterator[Step]:
        """Lagrange's equations of R."""
        found, R = self.found, self.letter("R")
        yield f"{R.text} takes the place of the Lagrangian for the coordinates that stay,"
        for q, row in zip(found.system.coordinates, self.own.residual, strict=True):
            left = total([rated(slope(R, q.rate)), minus(slope(R, q))])
            sides = [left] if not (found.system.forces or found.system.constraints) else []
            yield formula(*sides, self.below(row), 0)
        one = len(found.momenta) == 1
        yield (
            f"and {listed(q.rate for q in found.momenta)} {'follows' if one else 'follow'} from the"
            " solution, as written above."
        )


def _indexed(letter: Formula, number: str) -> Formula:
    return Formula(f"{letter.text}{number}", f"{letter.latex}_{{{number}}}")
