"""The chapter on Routh's reduction: cyclic momenta, elimination, R, reduced equations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import sympy

from routh.errors import listed
from routh.language.derivation import partials
from routh.language.walk import contains_time, replaced
from routh.lecture.kinds import chapter_of
from routh.lecture.transformed.momentum_frame import MomentumFrame
from routh.lecture.transformed.wording import minus, product, rated, slope, total
from routh.mechanics.forms.chapter import Chapter, Formula, Step, formula
from routh.mechanics.forms.tidy import Tidy
from routh.mechanics.transforms.routhian import Routhian


@chapter_of.register
def routhian_chapter(found: Routhian) -> Chapter:
    """From the momenta of cyclic coordinates to a system without them."""
    told = _Told(found)
    return told.frame.chapter(
        "Routh's reduction",
        [
            ("Cyclic coordinates", told.cyclic()),
            ("Velocities that leave", told.velocities()),
            ("Routhian", told.routhian()),
            ("Amended potential", told.amended()),
            ("Reduced equations", told.reduced()),
        ],
    )


@dataclass(frozen=True, eq=False)
class _Told:
    """What is said of a reduction, section by section."""

    found: Routhian

    @cached_property
    def frame(self) -> MomentumFrame:
        found = self.found
        return MomentumFrame(found.whole, found.system, (*found.velocities.values(), found.R))

    def cyclic(self) -> Iterator[Step]:
        """The momenta that are kept."""
        found, L = self.found, self.frame.letter("L")
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
        named = list(self.frame.below.steps)
        yield from named
        yield from (formula(q.rate, self.frame.below(v)) for q, v in found.velocities.items())

    def routhian(self) -> Iterator[Step]:
        """R = L - p . v."""
        found, (R, L) = self.found, (self.frame.letter(x) for x in "RL")
        pairs = [minus(product(p, q.rate)) for q, p in found.momenta.items()]
        yield (
            "The Routhian is the Lagrangian less the products of the momenta and these velocities: a"
            " Legendre transform by them alone."
        )
        yield formula(R, total([L, *pairs]))
        yield "With the velocities of the last section"
        yield formula(R, self.frame.below(found.R))

    def amended(self) -> Iterator[Step]:
        """R at rest: the potential that the momenta amend."""
        eq, (R, V) = self.frame.own, (self.frame.letter(x) for x in "RV")
        if not self.frame.is_quadratic:
            return
        star = Formula(f"{V.text}*", f"{V.latex}^*")
        yield (
            f"Sorted by degree in the velocities that stay, {R.text} has a kinetic part"
            f"{', a part that acts like a gyroscope,' if eq.T1 != 0 else ''} and the amended potential:"
            " the potential energy and what the momenta store."
        )
        parts = [_indexed(R, "2"), *([_indexed(R, "1")] if eq.T1 != 0 else []), minus(star)]
        yield formula(R, total(parts))
        yield formula(parts[0], self.frame.below(self.frame.kinetic))
        if eq.T1 != 0:
            yield formula(parts[1], self.frame.below(eq.T1))
        still: dict[sympy.Basic, sympy.Basic] = dict.fromkeys(
            self.found.system.velocities, sympy.S.Zero
        )
        U = -replaced(self.found.R, still)
        yield formula(star, self.frame.below(U))
        if self.found.system.forces or self.found.system.constraints or contains_time(U, eq.T1):
            return
        yield (
            "Where it is stationary the reduced system rests, and the whole one moves steadily with"
            " these momenta."
        )
        for q, e in zip(
            self.found.system.coordinates, partials(U, self.found.system.coordinates), strict=True
        ):
            yield formula(slope(star, q), self.frame.below(Tidy(1.0)(e)), 0)
        yield "By Routh's theorem an isolated minimum is stable as long as the momenta stay."

    def reduced(self) -> Iterator[Step]:
        """Lagrange's equations of R."""
        found, R = self.found, self.frame.letter("R")
        yield f"{R.text} takes the place of the Lagrangian for the coordinates that stay,"
        for q, row in zip(found.system.coordinates, self.frame.own.residual, strict=True):
            left = total([rated(slope(R, q.rate)), minus(slope(R, q))])
            sides = [left] if not (found.system.forces or found.system.constraints) else []
            yield formula(*sides, self.frame.below(row), 0)
        one = len(found.momenta) == 1
        yield (
            f"and {listed(q.rate for q in found.momenta)} {'follows' if one else 'follow'} from the"
            " solution, as written above."
        )


def _indexed(letter: Formula, number: str) -> Formula:
    return Formula(f"{letter.text}{number}", f"{letter.latex}_{{{number}}}")
