"""One run of one system from a start through its output times."""

from __future__ import annotations

from time import perf_counter

import numpy as np

from routh.analysis.compiled import again_by_cvodes, by_cvodes
from routh.analysis.flow import MovingSystem
from routh.analysis.progress import Tick
from routh.analysis.run import Leg, Outputs, Run
from routh.analysis.settings import MULTISTEP, STIFF, Settings
from routh.analysis.stepping import Stepping
from routh.analysis.stiffness import is_stiff
from routh.analysis.watching import UndefinedEventError, Watch
from routh.errors import DeclarationError, Status
from routh.kernels.batch import Array
from routh.numerics.steppers import StuckError


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
    try:
        if method not in MULTISTEP:
            run.begin(Leg(method, outputs.now, x, settings.last))
        elif legs:
            again_by_cvodes(flow, outputs, settings, run, legs, tick)
        else:
            by_cvodes(flow, outputs, settings, run, tick)
        if outputs.waiting:
            Stepping(flow, outputs, settings, run, watch).go(tick)
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
    if settings.free and is_stiff(flow, t, x, settings.last - t):
        return STIFF.get(settings.method, settings.method)
    return settings.method
