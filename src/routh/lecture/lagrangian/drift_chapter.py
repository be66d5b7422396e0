"""The chapter on drift: the forms of equations with constraints, and how far each has left them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from routh.analysis.motion.drift import Drift
from routh.errors import DeclarationError
from routh.lecture.kinds import chapter_of
from routh.lecture.transformed.wording import number, table, titled
from routh.mechanics.forms.chapter import Chapter, Formula, Step, chapter, formula


@chapter_of.register
def drift_chapter(found: Drift) -> Chapter:
    """From the constraints to what each form makes of them."""
    if found.conditions.shape:
        raise DeclarationError(
            "derive explains the drift of one motion. Got a batch: give one number for each parameter."
        )
    sections = [
        ("Constraints", list(_constraints(found))),
        ("Forms", list(_forms(found))),
        ("Drift", list(_measured(found))),
    ]
    return chapter(titled(found.system, "how constraints are kept"), sections)


def _constraints(found: Drift) -> Iterator[Step]:
    yield "The motion has to keep"
    yield from (formula(phi, 0) for phi in found.system.constraints)


def _forms(found: Drift) -> Iterator[Step]:
    positions = any(found.system.is_holonomic)
    if positions:
        yield "Index 3: positions are held, and velocities with them, after every step."
        yield Formula("phi = 0", r"\varphi = 0")
    yield "Index 2: velocities are held after every step."
    yield Formula("phi' = 0", r"\dot\varphi = 0")
    yield "Index 1: accelerations are held, which with the multipliers follow from a saddle point."
    yield Formula("phi'' = 0", r"\ddot\varphi = 0")
    yield (
        "Baumgarte: accelerations are held so that deviations die out, here with"
        f" alpha = {number(found.alpha).text} and beta = {number(found.beta).text}."
    )
    yield Formula(
        "phi'' + 2 alpha phi' + beta^2 phi = 0",
        r"\ddot\varphi + 2 \alpha \dot\varphi + \beta^2 \varphi = 0",
    )
    first, second = (number(s).text for s in found.roots)
    yield f"Its roots, of s^2 + 2 alpha s + beta^2 = 0, are {first} and {second}."
    yield (
        "Ordinary: as many coordinates as are free, along the tangent space where a step begins, from"
        " which positions and velocities follow."
    )
    if not all(found.system.is_holonomic):
        yield (
            "For a constraint on velocities, phi of positions is missing: phi' above is the constraint"
            " itself, and Baumgarte's row is its rate plus 2 alpha times it."
        )


def _measured(found: Drift) -> Iterator[Step]:
    yield (
        f"At t = {number(found.t[-1]).text}, by the method of Runge and Kutta of order 4 in steps of"
        f" {number(found.step).text} at most, the largest deviations are"
    )
    pairs = zip(found.forms, found.off_q[:, -1], found.off_v[:, -1], strict=True)
    yield table(
        ["form", "of positions", "of velocities"],
        [[name, number(p, 2), number(v, 2)] for name, p, v in pairs],
    )
    powers = dict(zip(found.forms, found.growth, strict=True))
    for form in ("index 2", "index 1"):
        if np.isfinite(powers[form]):
            yield (
                f"In the second half of the run the deviation of positions by {form} grew with the"
                f" power {number(powers[form], 3).text} of time."
            )
