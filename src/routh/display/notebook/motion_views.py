"""Motions: how they went, what happened on the way, and where everything was."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from routh.analysis.dynamics import Dynamics
from routh.analysis.motion.drift import Drift
from routh.analysis.motion.event_watch import Occurrence
from routh.analysis.motion.hamiltonian import CanonicalPoint
from routh.analysis.motion.integrators.base import Statistics
from routh.analysis.motion.phases import Change, Phase, StickSlip
from routh.analysis.motion.trajectory import Trajectory
from routh.display.notebook import html_pieces as page
from routh.display.notebook.html_pieces import COLUMNS, Cells, number
from routh.display.notebook.rest_views import batch_table, given
from routh.display.notebook.symbol_names import symbol
from routh.display.notebook.thumbnails import thumbnail
from routh.display.notebook.view_kinds import html_of

STATES = {0: "sticks", 1: "slips forwards", -1: "slips backwards"}


@html_of.register
def _(motion: Trajectory) -> str:
    if motion.conditions.shape:
        return page.whole(page.said(str(motion)), _batch(motion), thumbnail(motion, "the motions"))
    told = str(motion).splitlines()
    return page.whole(
        page.heading(f"Motion of {motion.system.title}"),
        page.said("\n".join([motion.message, _cost(motion.statistics), *told[2:]])),
        _picture(motion),
        _ranges(motion),
        happened(motion.events, motion),
        outputs(motion),
        given(motion.conditions),
    )


def _cost(found: Statistics) -> str:
    """How the motion was integrated; without seconds, so that it is shown alike every time."""
    steps = f"{found.steps} steps, " if found.steps else ""
    return f"{' then '.join(found.methods)}: {steps}{found.evaluations} evaluations."


def _picture(motion: Trajectory) -> str:
    """Curves over time; of a body its shapes."""
    shapes = motion.system.shapes
    if shapes and set(motion.system.coordinates) == {q for s in shapes for q in s.coordinates}:
        field = shapes[0].field
        return thumbnail(motion, f"snapshots of {field}", shown=field)
    return thumbnail(motion, "coordinates over time")


def _ranges(motion: Any) -> str:
    """Of each coordinate where it starts and ends and between what it moves."""
    names = motion.system.coordinates

    def row(k: int) -> Cells:
        curve = motion.q[:, k]
        known = curve[np.isfinite(curve)]
        ends = (known[0], known[-1], known.min(), known.max()) if len(known) else (np.nan,) * 4
        return [symbol(names[k]), *map(number, ends)]

    head = ["", "start", "end", "least", "most"]
    return page.table(head, len(names), row, words=(0,), what="coordinates", rest="`q`")


def outputs(motion: Any) -> str:
    """Coordinates and velocities at the outputs, behind a fold."""
    names = motion.system.coordinates[: COLUMNS // 2]
    rates = [q.rate for q in names]
    n = len(names)

    def row(k: int) -> Cells:
        return [number(x) for x in (motion.t[k], *motion.q[k, :n], *motion.v[k, :n])]

    head = ["<i>t</i>", *map(symbol, names), *map(symbol, rates)]
    inside = page.table(head, len(motion.t), row, what="times", rest="`t`, `q` and `v`")
    return page.folded(f"the {len(motion.t)} outputs", inside)


def happened(events: Sequence[Any], motion: Any) -> str:
    """What happened along a motion, and when."""
    if not events:
        return ""
    contacts = motion.system.friction

    def row(k: int) -> Cells:
        each = events[k]
        if isinstance(each, Change):
            told = f"{contacts[each.contact]} {_begins(each)}"
        else:
            told = str(each.event)
        return [number(each.t), page.prose(told)]

    return page.table(
        ["<i>t</i>", "what"], len(events), row, words=(1,), what="events", rest="`events`"
    )


def _begins(change: Change) -> str:
    return "begins to " + {0: "stick", 1: "slip forwards", -1: "slip backwards"}[change.state]


def _batch(motion: Trajectory) -> str:
    """How each run of a batch ended."""
    names = motion.system.coordinates[:COLUMNS]
    q = motion.conditions.stacked(motion.q)
    messages = np.ravel(np.asarray(motion.status, dtype=object))

    def row(k: int) -> Cells:
        return [*(number(x) for x in q[k, -1, : len(names)]), page.prose(str(messages[k]))]

    head = [*(f"{symbol(name)} at the end" for name in names), ""]
    return batch_table(motion.conditions, head, row, words=[len(names)], rest="`q`")


@html_of.register
def _(motion: StickSlip) -> str:
    return page.whole(
        page.heading(f"Motion of {motion.system.title}"),
        page.said("\n".join([motion.message, *str(motion).splitlines()[1:]])),
        thumbnail(motion, "coordinates over time"),
        _phases(motion),
        _ranges(motion),
        happened([each for each in motion.events if isinstance(each, Occurrence)], motion),
        outputs(motion),
        given(motion.conditions),
    )


def _phases(motion: StickSlip) -> str:
    contacts = motion.system.friction

    def row(k: int) -> Cells:
        phase = motion.phases[k]
        states = (page.prose(STATES[state]) for state in phase.states)
        return [number(phase.start), number(phase.end), *states]

    head = ["from", "to", *(page.prose(str(contact)) for contact in contacts)]
    words = range(2, 2 + len(contacts))
    return page.table(head, len(motion.phases), row, words=words, what="phases", rest="`phases`")


@html_of.register
def _(phase: Phase) -> str:
    states = [[f"contact {k + 1}", STATES[state]] for k, state in enumerate(phase.states)]
    return page.whole(
        page.heading(f"Phase from t = {phase.start:.6g} to {phase.end:.6g}"),
        page.pairs(states, words=(0, 1)),
        _ranges(phase.motion),
    )


@html_of.register
def _(change: Change) -> str:
    told = f"At t = {change.t:.6g} contact {change.contact + 1} {_begins(change)}."
    return page.whole(page.said(told))


@html_of.register
def _(found: Occurrence) -> str:
    rows = [
        [str(k + 1), number(a), number(b)]
        for k, (a, b) in enumerate(zip(found.before, found.after, strict=True))
    ]
    return page.whole(
        page.heading(f"Event `{found.event}` at t = {found.t:.10g}"),
        page.pairs(rows, ["state", "before", "after"], words=(), what="states",
                   rest="`before` and `after`"),
    )  # fmt: skip


@html_of.register
def _(found: Statistics) -> str:
    rows = [
        ["method", page.prose(", then ".join(found.methods))],
        ["steps", str(found.steps)],
        ["evaluations", str(found.evaluations)],
        ["seconds, all", number(found.seconds, 3)],
        ["seconds of the run", number(found.run_seconds, 3)],
    ]
    return page.whole(page.heading("What the run cost"), page.pairs(rows))


@html_of.register
def _(found: Dynamics) -> str:
    if found.conditions.shape:
        count = found.conditions.count
        return page.whole(page.heading(f"The equations of motion at {count} states"))
    columns = (found.q, found.v, found.h, found.Q, found.a)
    rows = [
        [symbol(x), *(page.number(column[k]) for column in columns)]
        for k, x in enumerate(found.system.coordinates)
    ]
    heads = ["", *(f"<i>{letter}</i>" for letter in "qvhQa")]
    return page.whole(
        page.heading("The equations of motion at a state, M a + h = Q"),
        page.pairs(rows, heads, rest="`q`, `v`, `h`, `Q` and `a`"),
    )


@html_of.register
def _(found: Drift) -> str:
    if found.conditions.shape:
        return page.whole(page.heading(str(found)))
    pairs = zip(found.forms, found.off_q[:, -1], found.off_v[:, -1], strict=True)
    rows = [[name, page.number(p), page.number(v)] for name, p, v in pairs]
    return page.whole(
        page.heading(f"Drift of {found.system.title} off its constraints"),
        page.said(f"At t = {found.t[-1]:g}, by steps of {found.step:g} at most."),
        page.pairs(rows, ["", "of positions", "of velocities"], rest="`off_q` and `off_v`"),
        given(found.conditions),
    )


@html_of.register
def _(found: CanonicalPoint) -> str:
    if found.H.ndim:
        return page.whole(page.heading(f"Hamilton's equations at {found.H.size} points"))
    rows = [
        [str(k + 1), page.number(v), page.number(rate)]
        for k, (v, rate) in enumerate(zip(found.v, found.p_rate, strict=True))
    ]
    held = ", ".join(page.number(own) for own in found.multipliers)
    return page.whole(
        page.heading("Hamilton's equations at a point"),
        page.paragraph(f"<i>H</i> = {page.number(found.H)}"),
        page.pairs(rows, ["", "<i>q</i>&prime;", "<i>p</i>&prime;"], rest="`v` and `p_rate`"),
        page.paragraph(f"multipliers {held}" if held else ""),
    )
