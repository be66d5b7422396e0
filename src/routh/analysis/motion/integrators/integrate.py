"""One run of one system from a start through its output times."""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter

import numpy as np

from routh.analysis.motion.event_watch import UndefinedEventError, Watch
from routh.analysis.motion.flow import MovingSystem
from routh.analysis.motion.integrators.base import Leg, Outputs, Passage, Run
from routh.analysis.motion.integrators.jumps import passed
from routh.analysis.motion.integrators.methods import METHODS
from routh.analysis.motion.integrators.stiffness import is_stiff
from routh.analysis.motion.progress import Tick
from routh.analysis.motion.settings import UNITS, Settings
from routh.analysis.time.segments import Segment, is_plain
from routh.arrays import Array
from routh.errors import DeclarationError, Status
from routh.numerics.steppers import StuckError

LOOKED = 65
"""Times of a narrow segment at which rates are looked at."""


def integrate(
    flow: MovingSystem,
    times: Array,
    x: Array,
    settings: Settings,
    watch: Watch | None,
    tick: Tick,
    legs: tuple[Leg, ...] = (),
) -> Run:
    """The run through all output times, or as far as it gets; `tick` is told the time now and then.

    `legs` are those of the same run made before, which then takes the same steps.
    """
    outputs = Outputs(times, x)
    flow.sample(float(times[0]), x)
    method = legs[0].method if legs else _first(flow, float(times[0]), x, settings)
    run = Run(times, outputs.x, Status.FINISHED, [method], 0, [], atol=settings.atol)
    began = perf_counter()
    passage = Passage(flow, outputs, settings, run, watch, tick, legs)
    try:
        if is_plain(flow.segments, float(times[0]), settings.last):
            _go(passage)
        else:
            run.begin(Leg(method, outputs.now, x, settings.last))
            _in_segments(passage)
    except KeyboardInterrupt:
        run.status = Status.INTERRUPTED
    except (DeclarationError, UndefinedEventError) as error:  # fine at the start, and then not
        run.status, run.cause = Status.FAILED, str(error)
    except StuckError:  # velocities that an event changed cannot be kept
        run.status, run.stuck = Status.STUCK, (outputs.now, outputs.latest)
    run.seconds = perf_counter() - began
    stopped = run.status in (Status.EVENT, Status.PILED_UP) and run.occurrences
    run.t, run.x = times[: outputs.count], outputs.x[: outputs.count]
    end = (run.occurrences[-1].t, run.occurrences[-1].after) if stopped else run.stuck
    if end is not None and end[0] > run.t[-1]:  # where it ended, between two outputs
        run.t = np.append(run.t, end[0])
        run.x = np.concatenate([run.x, end[1][None]])
    return run


def _first(flow: MovingSystem, t: float, x: Array, settings: Settings) -> str:
    """The method to begin with."""
    stiff = METHODS[settings.method].stiff
    if settings.free and is_stiff(flow, t, x, settings.last - t):
        return stiff.name if stiff else settings.method
    return settings.method


def _go(passage: Passage) -> None:
    """To the last output, or as far as it gets, by one method after the other."""
    while passage.outputs.waiting and passage.run.status is Status.FINISHED:
        METHODS[passage.run.methods[-1]].go(passage)
        passage = replace(passage, legs=())


def _in_segments(passage: Passage) -> None:
    """The run in segments, each with the longest step that its functions of time allow."""
    flow, outputs, settings, run = passage.flow, passage.outputs, passage.settings, passage.run
    now, x = outputs.now, outputs.latest
    for k, segment in enumerate(flow.segments):
        if segment.start > now:  # a jump, across which momenta stay
            _put_within(flow, outputs, now, segment.start, x)
            x = passed(flow, now, segment.start, x)
        inside = outputs.times[(outputs.times > segment.start) & (outputs.times <= segment.end)]
        ends = [segment.end] if not len(inside) or inside[-1] < segment.end else []
        part = Outputs(np.concatenate([[segment.start], inside, ends]), x)
        looser = max(1.0, segment.finest / settings.rtol)
        own = replace(
            settings,
            rtol=looser * settings.rtol,
            atol=looser * settings.atol,
            longest=min(segment.longest, settings.longest),
            unit=(segment.end - segment.start) / UNITS,
            noise=_noise(flow, segment, x) if segment.longest < settings.longest else 0.0,
            last=segment.end,
        )
        _go(replace(passage, outputs=part, settings=own, legs=(), begins=k == 0))
        for state in part.x[1 : min(part.count, len(inside) + 1)]:
            outputs.put(state)
        if run.status is not Status.FINISHED or not outputs.waiting:
            return
        now, x = segment.end, part.latest
    _put_within(flow, outputs, now, np.inf, x)


def _noise(flow: MovingSystem, segment: Segment, x: Array) -> Array:
    """What the last bits of time do to each entry of the state, where rates are large for a moment."""
    times = np.linspace(segment.start, segment.end, LOOKED)
    rates = np.abs([flow.rate(time, x) for time in times.tolist()])
    late = max(abs(segment.start), abs(segment.end))
    return np.asarray(4 * np.finfo(float).eps * late * np.nan_to_num(rates).max(axis=0))


def _put_within(flow: MovingSystem, outputs: Outputs, before: float, after: float, x: Array) -> None:
    """Outputs in the very place of a jump: momenta are those before it, masses those of that time."""
    while outputs.waiting and outputs.next <= after:
        outputs.put(passed(flow, before, outputs.next, x))
