"""The chapter on the action: Hamilton's principle along a motion, in numbers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from routh.analysis.paths.action import Action
from routh.errors import DerivationError
from routh.lecture.kinds import chapter_of
from routh.lecture.transformed.wording import lettering, number, table, titled
from routh.mechanics.forms.chapter import Chapter, Formula, Step, chapter, formula

SHOWN = 3
"""Sines of each coordinate whose variations are listed."""


@chapter_of.register
def action_chapter(found: Action) -> Chapter:
    """From the integral of L to what neighbouring paths do to it."""
    sections = [
        ("Action", list(_value(found))),
        ("First variation", list(_first(found))),
        ("Second variation", list(_second(found))),
    ]
    return chapter(titled(found.system, "the action along a motion"), sections)


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
        "Other paths with the same ends are the motion and a multiple epsilon of a sine in one of its"
        " coordinates, tau going from 0 to 1 with time."
    )
    yield Formula("q + epsilon*sin(k*pi*tau)", r"q + \varepsilon \sin k \pi \tau")
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
    yield Formula(
        f"integral of L_q*eta + L_v*eta'{work} dt",
        rf"\int \left(L_q \, \eta + L_v \, \dot{{\eta}}{drawn}\right) dt",
    )
    yield (
        f"which vanishes for a motion: the largest of {found.first.size} is {found.stationarity:.1e} of"
        " what adds up to it."
    )


def _second(found: Action) -> Iterator[Step]:
    if _pushed(found):
        yield "Forces and constraints are no part of S: no second variation of it tells a minimum."
        return
    yield "In second order they change it by epsilon^2 times"
    yield Formula(
        "1/2 integral of eta'*L_vv*eta' + 2*eta'*L_vq*eta + eta*L_qq*eta dt",
        r"\tfrac12 \int \left(\dot{\eta} L_{vv} \dot{\eta} + 2 \dot{\eta} L_{vq} \eta"
        r" + \eta L_{qq} \eta\right) dt",
    )
    each = np.diag(found.second).reshape(len(found.system.coordinates), found.shapes)
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
    yield (
        f"Of sines {'' if whole else 'at least '}{falling} independent"
        f" direction{'s' * (falling != 1)} make{'s' * (falling == 1)} it fall."
    )
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
        "Motions from the same place with other velocities meet again on the way, at conjugate places."
        " Beyond the first of them S is stationary, and not least."
    )
    yield table(["conjugate at t"], ([number(x)] for x in found.conjugate))
