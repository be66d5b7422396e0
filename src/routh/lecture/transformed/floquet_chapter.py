"""The chapter on what a period does: periodic equations, the monodromy matrix, multipliers, verdict."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import sympy
from sympy import ImmutableDenseMatrix as Matrix

from routh.analysis.periodic.multipliers import Floquet
from routh.analysis.periodic.periodic_motion import PeriodicMotion
from routh.analysis.rest.result import Equilibrium
from routh.analysis.stability.verdict import Verdict
from routh.errors import DeclarationError, RouthError, listed
from routh.language.declaring import coordinate
from routh.lecture.kinds import chapter_of
from routh.lecture.transformed.wording import number, numbers, table, titled
from routh.mechanics.forms.chapter import Chapter, Formula, Step, chapter, formula
from routh.mechanics.quadratic import LinearEquations, linear_equations

WRITTEN = 4
"""Coordinates up to which the periodic equations are written in symbols."""


@chapter_of.register
def floquet_chapter(found: Floquet) -> Chapter:
    """From periodic linear equations to multipliers and the verdict on them."""
    if found.monodromy.ndim > 2:
        raise DeclarationError(
            "derive explains floquet at one point. Got a batch of shape"
            f" {found.monodromy.shape[:-2]}; plot draws its stability chart."
        )
    told = _Told(found)
    sections = [
        ("Small motions", list(told.small_motions())),
        ("What a period does", list(told.monodromy())),
        ("Multipliers", list(told.multipliers())),
        ("Verdict", list(told.verdict())),
    ]
    return chapter(titled(found.system, "Floquet's theory"), sections)


@chapter_of.register
def periodic_motion_chapter(found: PeriodicMotion) -> Chapter:
    """The motion that repeats, and what it does to its neighbours."""
    own = floquet_chapter(found.floquet)
    names = (*found.system.coordinates, *found.system.velocities)
    size = float(np.abs(found.start).max())
    rows = [
        (formula(s), number(_clean(complex(x), size))) for s, x in zip(names, found.start, strict=True)
    ]
    steps: list[Step] = [
        f"A start was looked for from which the motion comes back after a period: {len(found.nodes)}"
        " pieces, each run from its own start, were made to fit by Newton's method, with the growth of"
        " changes of the starts as the slope. It starts at",
        table(["", "at the start"], rows),
        formula("T", number(found.period, 10)),
        f"The ends of the pieces meet to {found.gap:.1e} of the size of the motion.",
    ]
    more = [(section.title, section.steps) for section in own]
    return chapter(titled(found.system, "a periodic motion"), [("The motion", steps), *more])


@dataclass(frozen=True, eq=False)
class _Told:
    """What is said of a period, section by section."""

    found: Floquet

    @property
    def n(self) -> int:
        return int(self.found.monodromy.shape[-1]) // 2

    def small_motions(self) -> Iterator[Step]:
        """The periodic linear equations."""
        reference = self.found.reference
        if not isinstance(reference, Equilibrium):
            yield (
                "Deviations (dq, dp) of coordinates and momenta from the periodic motion grow by"
                " linear equations whose matrix repeats with it."
            )
            yield _canonical()
            return
        place = [
            (formula(q), number(float(x)))
            for q, x in zip(reference.system.coordinates, reference.q, strict=True)
        ]
        yield "The system rests, whatever the drive does, at"
        yield table(["coordinate", "at rest"], place)
        rows = self._written(reference)
        if rows:
            small = listed(f"e_{q}" for q in reference.system.coordinates)
            yield f"Small deviations {small} have linear equations whose factors repeat in time."
            yield from rows
        yield "With momenta in the place of rates they are of first order."
        yield _canonical()

    def _written(self, reference: Equilibrium) -> list[Formula]:
        """The linear equations about the rest, in symbols, where they are few."""
        system = reference.system
        if self.n > WRITTEN:
            return []
        about = {q: _plain(float(x)) for q, x in zip(system.coordinates, reference.q, strict=True)}
        try:
            own = linear_equations(system, about)
        except RouthError:
            return []
        assert isinstance(own, LinearEquations)
        eta = [coordinate(f"e_{q}", latex=rf"\eta_{{{formula(q).latex}}}") for q in system.coordinates]
        moved = [Matrix([e.rate.rate for e in eta]), Matrix([e.rate for e in eta]), Matrix(eta)]
        rows = own.M * moved[0] + (own.D + own.G) * moved[1] + (own.K + own.H) * moved[2]
        return [formula(row, 0) for row in rows]

    def monodromy(self) -> Iterator[Step]:
        """The matrix X(T)."""
        found = self.found
        yield (
            "As many motions as there are unknowns, each with one of them 1 at first, are the columns"
            " of X(t). After a period T they are the monodromy matrix, which takes any deviation to"
            " where it is then."
        )
        yield Formula("X' = A(t) X, X(0) = 1", r"\dot{X} = A(t) X, \quad X(0) = 1")
        yield formula("T", number(float(found.period), 10))
        yield numbers("X(T)", found.monodromy)
        yield (
            "Its determinant is exp of the integral of the trace of A."
            if self._loses
            else "Without forces outside of H it is symplectic: with m also 1/m is a multiplier."
        )
        yield formula(Formula("det X(T)", r"\det X(T)"), number(float(found.determinant)))

    def multipliers(self) -> Iterator[Step]:
        """The eigenvalues of X(T)."""
        found = self.found
        yield (
            "A deviation that a period multiplies by a number m is an eigenvector of X(T); it goes like"
            " exp(s t) times something periodic, with s = ln(m)/T."
        )
        if self.n == 1:
            trace = float(np.trace(found.monodromy))
            yield formula(
                Formula("m^2 - tr X(T)*m + det X(T)", r"m^2 - \operatorname{tr} X(T) \, m + \det X(T)"),
                0,
            )
            yield formula(Formula("tr X(T)", r"\operatorname{tr} X(T)"), number(trace))
        rows = [
            [number(_clean(m, 1.0)), number(abs(m)), number(_clean(s, 1 / float(found.period)))]
            for m, s in zip(found.multipliers, found.exponents, strict=True)
        ]
        yield table(["m", "|m|", "s in 1/s"], rows)

    def verdict(self) -> Iterator[Step]:
        """What the multipliers say."""
        found = self.found
        if found.trivial:
            yield (
                f"{found.trivial} of them {'is' if found.trivial == 1 else 'are'} 1 because the motion"
                f" can be shifted in time{' and within its family' * (found.trivial > 1)}. That decides"
                " nothing, and is left out."
                + " Such a double one is found to the root of rounding only."
                * (found.trivial > 1)
            )
        if found.trivial == 2 * self.n:
            yield "Nothing else is left."
            yield from self._told_verdict()
            return
        yield {
            Verdict.UNSTABLE: "A multiplier lies outside of the unit circle: deviations grow.",
            Verdict.ASYMPTOTICALLY_STABLE: "All multipliers lie inside of the unit circle: deviations"
            " die out.",
            Verdict.STABLE: "No multiplier lies outside of the unit circle, and those on it are apart"
            " from each other: deviations stay small, in the linear equations.",
            Verdict.UNDECIDED: "Multipliers lie so near to the unit circle, or to each other on it,"
            " that the linear equations do not decide within the errors.",
        }[found.verdict]
        decided = found.verdict is not Verdict.UNDECIDED
        if self.n == 1 and decided and not found.trivial and not self._loses:
            trace = abs(float(np.trace(found.monodromy)))
            sign = "<" if trace < 2 else ">"
            yield f"For one coordinate without losses that is |tr X(T)| = {trace:.6g} {sign} 2."
        if found.verdict is Verdict.UNSTABLE:
            yield f"They grow at {float(found.growth):.4g} 1/s, by {_ways(found.near)}."
        yield from self._told_verdict()

    def _told_verdict(self) -> Iterator[Step]:
        """The verdict, and of what: where the motion can be shifted in time it is one on the orbit."""
        found = self.found
        held = found.verdict in (Verdict.STABLE, Verdict.ASYMPTOTICALLY_STABLE)
        yield f"Verdict: {found.verdict}."
        if found.trivial and held:
            yield (
                "That is said of the orbit: a motion beside it stays near it, and may go ahead or fall"
                " behind along it."
            )

    @property
    def _loses(self) -> bool:
        return bool(self.found.system.forces or self.found.system.dissipation)


def _ways(near: str) -> str:
    """How deviations grow, by where the largest multiplier is."""
    return {
        "divergence": "divergence (m real and positive)",
        "period doubling": "period doubling (m real and negative: they change their sign each period)",
        "flutter": "flutter (m complex)",
    }.get(near, listed([near]))


def _clean(z: complex, size: float) -> complex:
    """A number without parts that are rounding."""
    real, imaginary = (0.0 if abs(x) < 1e-12 * size else x for x in (z.real, z.imag))
    return complex(real, imaginary)


def _canonical() -> Formula:
    return Formula(
        "z' = A(t) z, z = (dq, dp), A(t + T) = A(t)",
        r"\dot{z} = A(t) z, \quad z = (\delta q, \delta p), \quad A(t + T) = A(t)",
    )


def _plain(x: float) -> sympy.Expr:
    """A number as a person would write it where it is whole."""
    return sympy.Integer(round(x)) if abs(x - round(x)) < 1e-12 else sympy.Float(x, 10)
