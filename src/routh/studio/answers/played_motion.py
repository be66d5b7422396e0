"""The ask `motion`: a motion from a start, as curves and as tracks for the player."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

import routh as rt
from routh.analysis.given.bodies import field_along
from routh.analysis.linear.outputs import plain_outputs
from routh.analysis.motion.phases import StickSlip
from routh.analysis.motion.trajectory import Trajectory
from routh.arrays import Array
from routh.display.pictures.animation_page import played
from routh.display.pictures.films import motion_film
from routh.display.report.findings import Findings
from routh.display.report.outputs_needed import too_few
from routh.errors import DeclarationError, RouthError, Status
from routh.files.schema import LONGEST_RUN
from routh.kernels.engine import Point
from routh.kernels.kernel import kernel
from routh.language.fields import Field
from routh.language.symbols import Coordinate
from routh.mechanics.forms.printing import latex
from routh.studio.answers.request import chosen, findings, number, position, table, whole
from routh.studio.bench import Bench
from routh.studio.plain import plain

MOST_OUTPUTS = 5001
"""Outputs of one motion on the page."""

FRAMES = 601
"""Samples of the player."""

SNAPSHOTS = 60
"""Moments at which fields are drawn along their body."""


def motion(bench: Bench, about: Mapping[str, Any]) -> dict[str, Any]:
    """`motion` {text, values, start?: {q, rates}, until?, outputs?, inputs?}: a motion from a start.

    What `start` does not say is as in the file. `inputs` are numbers or texts, read like laws in the
    file. A start that breaks constraints is moved onto them, and `moved` says so.

    Returns:
        t: [s]. columns, rates: [{name, latex, unit, angle, values}]: coordinates (fields at their far
            ends) and what the model shows, and the rates of coordinates.
        energies: {E, T, V: [...], names: {E, T, V}}; what is kept is E. balance: [...] energy minus
            work, zero if exact, or null with friction. constraints: [[...]] violations.
        status, message, words: as the motion says; trusted: whether it got where it was to go, and the
            balance does not speak against it. coarse: a warning on too few outputs, or "".
        moved: "" or how the start was moved. start: {q, rates} it began from, by name.
        events: [{t, words}]. contacts: [{name, states: [1 | -1 | 0]}] with friction.
        along: [{name, space, s: [...], t: [...], w: [[along s] at each t]}] of fields.
        drawing: null, or tracks for the player: {t, points: [{name, track}], lines: [[track]], springs,
            labels, speed, trail, space?}; a track has one place where it does not move.
    """
    found = findings(bench, about)
    bench.progress(None, "Integrating the motion")
    run, moved = simulated(found, about)
    columns = _columns(found, run)
    answer = {
        "t": run.t,
        "columns": columns,
        "rates": _rates(found, run),
        "energies": _energies(run),
        "balance": run.power_balance if isinstance(run, Trajectory) else None,
        "constraints": run.violations.T if isinstance(run, Trajectory) else [],
        "status": run.status.name.lower(),
        "message": str(run.message),
        "words": str(run.status),
        "trusted": run.status in (Status.FINISHED, Status.EVENT),
        "coarse": too_few(run),
        "moved": moved,
        "start": _began(run),
        "events": [_event(found, each) for each in run.events],
        "contacts": _contacts(run),
        "along": [_along(found, run, w) for w in _fields(run)],
        "drawing": _drawing(found, run),
    }
    return dict(plain(answer))


def simulated(found: Findings, about: Mapping[str, Any]) -> tuple[Trajectory | StickSlip, str]:
    """The motion that is asked for, and how its start was moved onto constraints, or nothing."""
    model = found.model
    until = about.get("until")
    last = model.analysis.motion.until if until is None else number(until, "`until`")
    if not 0 < last <= LONGEST_RUN:
        raise DeclarationError(
            f"`until` must be a time above zero, and at most {LONGEST_RUN:g}. Got {last:g}."
        )
    outputs = about.get("outputs")
    count = model.analysis.motion.outputs if outputs is None else whole(outputs, "`outputs`", 10**6)
    times = np.linspace(0, last, max(2, min(count, MOST_OUTPUTS)))
    start = start_of(found, table(about, "start"))
    inputs = _inputs(found, table(about, "inputs")) or None

    def run(begin: Any) -> Trajectory | StickSlip:
        return rt.simulate(
            found.system,
            found.values,
            begin,
            times,
            inputs=inputs,
            events=model.ends or None,
            progress=False,
        )

    if not any(found.system.is_holonomic):
        return run(start), ""
    put = rt.consistent(found.system, found.values, start, inputs=inputs)
    shift = float(max(np.abs(put.moved_q).max(initial=0.0), np.abs(put.moved_v).max(initial=0.0)))
    size = 1 + float(max(np.abs(put.q).max(initial=0.0), np.abs(put.v).max(initial=0.0)))
    return run(put), str(put).partition(" Moved")[2].lstrip(": ") if shift > 1e-9 * size else ""


def start_of(found: Findings, given: Mapping[str, Any]) -> dict[Any, Any]:
    """The start of the file with what the page has changed of it."""
    q, rates = position(found, given.get("q")), position(found, given.get("rates"))
    start = dict(found.model.start)
    amplitudes = {x for shape in found.system.shapes for x in shape.coordinates}
    if amplitudes & q.keys():  # the page says how the fields are bent
        start = {x: value for x, value in start.items() if not isinstance(x, Field)}
    return start | q | {x.rate: v for x, v in rates.items()}


def _inputs(found: Findings, given: Mapping[str, Any]) -> dict[Any, Any]:
    """Laws of the file, with numbers or texts of the page in their place."""
    model = found.model
    by_name = {u.name: u for u in model.inputs}
    read: dict[Any, Any] = dict(model.laws)
    for name, value in given.items():
        u = by_name[chosen(name, by_name, "An input")]
        read[u] = model.expression(value) if isinstance(value, str) else number(value, f"`{name}`")
    return read


def _fields(run: Trajectory | StickSlip) -> list[Field]:
    return list(dict.fromkeys(shape.field for shape in run.system.shapes))


def _columns(found: Findings, run: Trajectory | StickSlip) -> list[dict[str, Any]]:
    """Coordinates, or fields at their far ends, then what the model shows."""
    shown = [*plain_outputs(run.system), *found.shown]
    every = {str(e): e for e in shown}
    return [_column(found, name, e, run[e]) for name, e in every.items()]


def _rates(found: Findings, run: Trajectory | StickSlip) -> list[dict[str, Any]]:
    own = [x.rate for x in plain_outputs(run.system)]
    return [_column(found, str(e), e, run[e]) for e in own]


def _column(found: Findings, name: str, e: Any, values: Array) -> dict[str, Any]:
    units = found.model.units
    base = e.base.label if isinstance(e, (Coordinate, Field)) else ""
    unit = units.get(base, "")
    order = e.order if isinstance(e, (Coordinate, Field)) else 0
    return {
        "name": name,
        "latex": latex(e),
        "unit": unit + ("", "/s", "/s^2")[min(order, 2)] if unit else "",
        "angle": unit == "rad" and not order,
        "values": values,
    }


def _energies(run: Trajectory | StickSlip) -> dict[str, Any]:
    """Energy, and its parts of motion and of position: V - T0 is V where nothing turns by itself."""
    point = run.point()
    still = replace(point, v=np.zeros_like(point.v))
    level = -kernel(run.system).lagrangian(still)
    names = {"E": "energy", "T": "kinetic", "V": "potential"}
    if run.system.lagrangian or _spins(run, still):
        names = {"E": "energy", "T": "of motion", "V": "dynamic potential"}
    return {"E": run.energy, "T": run.energy - level, "V": level, "names": names}


def _spins(run: Trajectory | StickSlip, still: Point) -> bool:
    """Whether there is kinetic energy at rest, as in a frame that turns."""
    if run.system.shapes:
        return False
    one = Point(*(argument[:1] for argument in still.arguments))
    resting = kernel(run.system).values(list(run.system.kinetic), one)
    return bool(np.abs(resting).max(initial=0.0) > 0)


def _began(run: Trajectory | StickSlip) -> dict[str, dict[str, float]]:
    names = [x.name for x in run.system.coordinates]
    return {
        "q": dict(zip(names, run.q[0].tolist(), strict=True)),
        "rates": dict(zip(names, run.v[0].tolist(), strict=True)),
    }


def _event(found: Findings, each: Any) -> dict[str, Any]:
    """What happened, in words."""
    if hasattr(each, "state"):
        contact = str(found.model.system.friction[each.contact].name)
        return {"t": each.t, "words": f"{contact} {'sticks' if each.state == 0 else 'slips'}"}
    return {"t": each.t, "words": str(each.event.name or each.event)}


def _contacts(run: Trajectory | StickSlip) -> list[dict[str, Any]]:
    if not isinstance(run, StickSlip):
        return []
    names = [str(c.name) for c in run.system.friction]
    return [{"name": name, "states": run.states[:, k]} for k, name in enumerate(names)]


def _along(found: Findings, run: Trajectory | StickSlip, w: Field) -> dict[str, Any]:
    """A field along its body at some moments."""
    rows = np.unique(np.linspace(0, len(run.t) - 1, SNAPSHOTS).round().astype(int))
    point = run.point()
    some = Point(*(argument[rows] for argument in point.arguments))
    _, places, values = field_along(run.system, w, some)
    unit = found.model.units.get(w.name, "")
    told = {"name": w.name, "latex": latex(w), "unit": unit, "space": str(w.space)}
    return told | {"s": places[0], "t": run.t[rows], "w": values}


def _drawing(found: Findings, run: Trajectory | StickSlip) -> dict[str, Any] | None:
    if found.model.drawing.is_empty:
        return None
    try:
        return played(motion_film(run, found.model.drawing), FRAMES)
    except RouthError:  # a place that is not finite, say; the curves tell what there is
        return None
