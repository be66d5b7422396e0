"""The chapter on the action: Hamilton's principle along a motion, in numbers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from routh.analysis.paths.action import Action
from routh.errors import DerivationError
from routh.lecture.kinds import chapter_of
from routh.lecture.transformed.wording import lettering, number, table, titled
from routh.mechanics.forms.chapter import Chapter, Formula, Step, chapter, formula

ROUNDING = 1e-12
"""Share of the largest second variation below which another is rounding."""

SHOWN = 3
"""Sines of each coordinate whose variations are listed."""


@chapter_of.register
def action_chapter(found: Action) -> Chapter:
    """From the integral of L to what neighbouring paths do to it."""
    sections = [
        ("Motion", list(_motion(found))),
        ("Action", list(_value(found))),
        ("First variation", list(_first(found))),
        ("Second variation", list(_second(found))),
    ]
    return chapter(titled(found.system, "the action along a motion"), sections)


def _motion(found: Action) -> Iterator[Step]:
    """What was said of the motion."""
    yield str(found.motion.message)


def _pushed(found: Action) -> bool:
    system = found.system
    return bool(system.forces or system.dissipation or system.constraints)


def _value(found: Action) -> Iterator[Step]:
    L = lettering(found.system)("L")
    yield "The action is the integral of the Lagrangian along the motion, from its start to its end."
    yield Formula(f"S = integral of {L.text} dt", rf"S = \int {L.latex} \, dt")
    t = found.motion.t
    yield table(["from", "to", "S"], [[number(t[0]), number(t[-1]), number(found.value, 10)]])


def _first(found: Action) -> Iterator[Step]:
    yield (
        "Other paths with the same ends are the motion and a multiple epsilon of eta, a sine in one of"
        " its coordinates and zero in the others, tau going from 0 to 1 with time."
    )
    yield Formula("q + epsilon*eta", r"q + \varepsilon \eta")
    yield Formula("eta = sin(k*pi*tau)", r"\eta = \sin k \pi \tau")
    yield (
        "In first order they change S by epsilon times"
        + (
            " what follows, with the work of the generalized forces F of all that is no part of L:"
            " forces, damping and constraints."
            if _pushed(found)
            else ""
        )
    )
    work, drawn = (" + F*eta", r" + F \, \eta") if _pushed(found) else ("", "")
    L = lettering(found.system)("L")
    yield Formula(
        f"integral of {L.text}_q*eta + {L.text}_v*eta'{work} dt",
        rf"\int \left({L.latex}_q \, \eta + {L.latex}_v \, \dot{{\eta}}{drawn}\right) dt",
    )
    yield (
        f"with {L.text}_q and {L.text}_v for the slopes of {L.text} along coordinates and velocities."
    )
    yield (
        f"For a motion this vanishes: of {found.first.size} sines the largest is"
        f" {found.stationarity:.1e} of what adds up to it."
    )


def _second(found: Action) -> Iterator[Step]:
    if _pushed(found):
        yield "Forces and constraints are no part of S: no second variation of it tells a minimum."
        return
    yield "In second order they change it by epsilon^2 times"
    L = lettering(found.system)("L")
    yield Formula(
        f"1/2 integral of eta'*{L.text}_vv*eta' + 2*eta'*{L.text}_vq*eta + eta*{L.text}_qq*eta dt",
        rf"\tfrac12 \int \left(\dot{{\eta}} {L.latex}_{{vv}} \dot{{\eta}}"
        rf" + 2 \dot{{\eta}} {L.latex}_{{vq}} \eta + \eta {L.latex}_{{qq}} \eta\right) dt",
    )
    each = np.diag(found.second).reshape(len(found.system.coordinates), found.shapes)
    each = np.where(np.abs(each) < ROUNDING * np.abs(each).max(), 0.0, each)
    head = ["coordinate", *(f"k = {k + 1}" for k in range(min(SHOWN, found.shapes)))]
    yield table(
        head,
        (
            [formula(q), *(number(x) for x in row[:SHOWN])]
            for q, row in zip(found.system.coordinates, each, strict=True)
        ),
    )
    try:
        falling, whole = found.index, found.index_is_whole
    except DerivationError as error:
        yield str(error)
        return
    if falling:
        yield (
            f"Of sums of sines {'' if whole else 'at least '}{falling} independent"
            f" direction{'s' * (falling != 1)} make{'s' * (falling == 1)} it fall."
        )
    else:
        yield "No sum of sines makes it fall."
    if not whole:
        yield "There are not as many conjugate places as directions: some of them may be missing."
    if found.is_minimum:
        yield (
            "Motions from the same place with other velocities do not meet again up to the end: S is"
            " least among neighbouring paths."
        )
    if not found.conjugate:
        return
    yield (
        "Motions from the same place with other velocities meet again, to first order, at conjugate"
        " places:"
    )
    yield table(["conjugate at t"], ([number(x)] for x in found.conjugate))
    if found.conjugate_inside:
        yield "Beyond the first of them S is stationary, and not least."
    else:
        yield (
            "It is the end itself: along the direction in which they meet S does not change in second"
            " order either. It is no strict minimum, and the motion between the two places need not be"
            " the only one."
        )
