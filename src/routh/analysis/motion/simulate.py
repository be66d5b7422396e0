"""The verb `simulate`: motion from a start, with constraints, inputs and events."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from routh.analysis.given.numbers import Numbers
from routh.analysis.motion.options import checked_options
from routh.analysis.motion.phases import StickSlip
from routh.analysis.motion.runs import smooth_motion
from routh.analysis.motion.starts.start import Start
from routh.analysis.motion.stick_slip import motion_with_friction
from routh.analysis.motion.trajectory import Trajectory
from routh.language.events import Event
from routh.language.gates import checked_system
from routh.language.make import Make
from routh.language.system import System


def simulate(
    system: System,
    values: Numbers,
    start: Numbers | Start,
    times: Any,
    *,
    inputs: Numbers | None = None,
    events: Sequence[Event] | Event | None = None,
    method: str = "auto",
    rtol: float | None = None,
    atol: float | None = None,
    stabilize: Any = "projection",
    check: bool = False,
    form: str = "lagrange",
    regularize: float | None = None,
    variations: bool = False,
    progress: bool = True,
    engine: str = "auto",
    keep: str | Sequence[Any] | Callable[[Trajectory], Any] = "all",
    modes: int | None = None,
) -> Trajectory | StickSlip:
    """The motion of a system from a start, at the times asked for.

    Arguments:
        system: the system; with constraints its equations are a DAE, solved in the form of index 1.
        values: a number or an array for each parameter; arrays broadcast and add leading axes.
        start: coordinates and velocities at the first time, like `{theta: 2.0, ddt(theta): 1.0}`, zero
            if not given; or what `consistent` returned.
        times: rising times of the outputs, the first being that of the start. Steps are chosen by
            the method, not by them.
        inputs: for each input a number, an expression in t (its derivatives are taken as needed), a
            feedback law (an expression with coordinates and velocities) or a Python function of time.
            What a Python function does within a sixty-fourth of the run and within two outputs may be
            stepped over: ask for more outputs there. Expressions in t may be as narrow as they like.
        events: what `event(...)` made.
        method: "Adams" (CVODES, order up to 12), "BDF" (CVODES, stiff), "DOP853" (order 8), "Radau"
            (stiff), "modal" (linear oscillations exactly, the rest in long steps: for discretized
            fields and stiff springs without constraints), "variational" (symplectic, order 6: for long
            runs of conservative systems, in equal steps that rtol sets, with evenly spaced times), or
            "auto": modal for discretized fields whose quickest mode turns by more than 1000 radians,
            Adams without constraints, events and Python functions, DOP853 with them or for
            rtol < 1e-10, and the stiff companion where eigenvalues show that it pays. A run by "auto"
            whose power balance is off by more than 10 rtol in 1500 evaluations is made again at a
            hundredth of the tolerances.
        rtol: relative tolerance of each step, 1e-13 at least; if not given 1e-9. In the modal motion
            of a discretized field it is then a thousandth of what the functions leave out of the
            vibrations (`motion.basis_error`, an estimate), if that is more, up to 1e-7; the motion
            says so.
        atol: absolute tolerance of each step; if not given 1e-12, or less where the motion is small.
        stabilize: "projection" onto positions and velocities after each step, (alpha, beta) for
            Baumgarte's phi'' + 2 alpha phi' + beta^2 phi = 0, or None.
        check: whether to run again at a hundredth of the tolerances: the result is the finer run,
            `coarser` the one that was asked for, and `global_error` says how far the two are apart.
            Where a coordinate or velocity differs by more than 100 (rtol range + atol), its range being
            that along the motion, or other events happen, the status is DOUBTFUL.
        form: "lagrange" integrates coordinates and velocities, "hamilton" coordinates and momenta by
            the canonical equations: for systems without events.
        regularize: with friction, a slip velocity over which it is made smooth instead of finding what
            sticks; the message says what that costs.
        variations: whether to integrate the variational equations too: `motion.transition` is how
            changes of the start grow, `motion.sensitivity` the derivatives by the parameters.
        modes: how many of the lowest modes at the start move, in modal coordinates; the others stay
            where the forces at the start hold them. `motion.cut_error` says what that leaves out.
        progress: whether long runs show a bar in the terminal. Ctrl-C ends a run and keeps what it has.
        engine: "c" for code compiled by this machine's compiler of C, by DOP853 on all cores, where
            inputs are no Python functions and at most 30 coordinates and constraints are held by
            projection; for method="Radau" without constraints, and for the steps of method="modal",
            up to ten coordinates; "cuda" for motions by DOP853 without constraints on an NVIDIA GPU
            (extra `gpu`); "casadi" for none of that; "auto" for what pays, by counted work. Runs that
            compiled code cannot finish, and those along which events happen, are made by the other;
            `motion.engine` says which made each.
        keep: "all" outputs, or "last": the first and the last alone, for many motions whose outputs
            would not fit into memory; or a list of expressions, or a function of a motion of several
            runs that returns an array with a row for each. What these give is `motion.kept`, (..., T,
            k) or (..., whatever a row is), beside the first and the last outputs: runs go in parts
            whose states take about 256 MiB, and what is kept 4 GiB at most. Steps and states are the
            same; events and what is known of the energy are those of the whole motion.

    The same call gives the same motion, bit by bit, on a busy machine and on an idle one, and so does
    `motion(times)` at other times: methods, steps and restarts follow from counts, never from a clock.

    Returns:
        The motion as far as it got, a `Trajectory`: look at `completed`, `status` and `message`. Of a
        system with friction it is a `StickSlip`, in phases of sticking and slipping.

    Raises:
        DeclarationError: for anything that is missing, unknown or inconsistent.
        SolveError: the equations do not determine the accelerations at the start.
        DerivationError: a function of time has too many narrow features to be followed.

    Example:
        >>> import numpy as np
        >>> from routh import coordinate, ddt, System
        >>> x = coordinate("x")
        >>> spring = System(kinetic=ddt(x) ** 2 / 2, potential=x**2 / 2)
        >>> motion = simulate(spring, {}, {x: 1.0}, [0, np.pi])
        >>> bool(abs(motion.q[-1, 0] + 1) < 1e-7)
        True
    """
    checked_system(system, "simulate")
    options = checked_options(
        method=method, rtol=rtol, atol=atol, stabilize=stabilize, check=check, form=form,
        regularize=regularize, variations=variations, progress=progress, engine=engine,
        keep=keep, modes=modes,
    )  # fmt: skip
    way = motion_with_friction if system.make is Make.FRICTION else smooth_motion
    return way(system, values, start, times, options, inputs=inputs, events=events)
