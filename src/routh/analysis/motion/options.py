"""What a simulation is told, checked at the door: times, method, tolerances, form."""

from __future__ import annotations

from collections.abc import Sized
from typing import Any

import numpy as np

from routh.analysis.given.engines import checked_engine
from routh.analysis.given.numbers import number, yes_or_no
from routh.analysis.motion.integrators.methods import METHODS
from routh.analysis.motion.integrators.modal import MODAL
from routh.analysis.motion.integrators.momenta import FORMS
from routh.analysis.motion.settings import ALL, AUTOMATIC, LAST, USUAL, Options
from routh.arrays import Array
from routh.errors import DeclarationError, did_you_mean, listed
from routh.language.events import Event
from routh.language.system import System
from routh.numerics.steppers import TIGHTEST

MOST_OUTPUTS = 10**8
"""Output times of one motion."""

MOST_BYTES = 4 * 2**30
"""Memory that the states at all outputs of a call may take."""

CHECKED = TIGHTEST / 1e-2
"""The finest relative tolerance that can be checked at a hundredth of it."""


def checked_options(
    *,
    method: object,
    rtol: object,
    atol: object,
    stabilize: object,
    check: bool,
    form: object,
    regularize: float | None,
    variations: bool,
    progress: bool,
    engine: object,
    keep: object,
    modes: object = None,
) -> Options:
    """How a call asks for its motions, each word by itself; friction looks at its width."""
    yes_or_no(check, "check")
    yes_or_no(progress, "progress")
    yes_or_no(variations, "variations")
    chosen, kept = _checked_method(method), _checked_modes(modes)
    return Options(
        method=MODAL.name if kept is not None and chosen == AUTOMATIC else chosen,
        modes=kept,
        rtol=USUAL if rtol is None else _checked_tolerance(rtol, "rtol"),
        related=rtol is None,
        atol=None if atol is None else _checked_tolerance(atol, "atol"),
        stabilize=_checked_stabilization(stabilize),
        check=check,
        form=_checked_form(form),
        regularize=regularize,
        variations=variations,
        progress=progress,
        engine=checked_engine(engine),
        keep=_checked_keep(keep),
    )


def refuse_unfit(system: System, times: Array, events: tuple[Event, ...], options: Options) -> None:
    """Refuse what does not go together."""
    if options.regularize is not None:
        raise DeclarationError(f"`regularize` is for friction, and {system.title} has none.")
    method = METHODS.get(options.method)  # none where it is chosen later, to fit
    if options.form == "hamilton":
        against = (
            "events" if events
            else f'method="{method.name}"' if method and not method.takes_momenta
            else ""
        )  # fmt: skip
        if against:
            raise DeclarationError(
                f'form="hamilton" integrates coordinates and momenta, without {against}. Use'
                ' form="lagrange".'
            )
    if options.modes is not None:
        _refuse_uncut(system, events, options)
    if method:
        method.refuse(system, times, events, options)
    if options.check:
        _refuse_no_finer(options.rtol)
    if not isinstance(options.keep, str) and (options.check or options.variations):
        raise DeclarationError(
            "`keep` with expressions or a function lets states go, which `check` and `variations` need."
            " Leave out one of them."
        )
    if options.variations and events:
        raise DeclarationError(
            "`variations` are those of a smooth motion; events are not differentiated. Leave out one of"
            " them."
        )


def takes_events(method: str) -> bool:
    """Whether events can be watched along a run; one that is chosen later is chosen to fit."""
    return method == AUTOMATIC or METHODS[method].takes_events


def checked_times(given: Any) -> Array:
    """Rising times, two at least."""
    count = len(given) if isinstance(given, Sized) else 0
    if count > MOST_OUTPUTS:
        raise DeclarationError(
            f"`times` must list at most {MOST_OUTPUTS:,} times of outputs. Got {count:,}. Ask for"
            " fewer: the motion between them is known to full accuracy, as motion(times)."
        )
    times = number(given, "`times`")
    if times.ndim != 1 or len(times) < 2:
        raise DeclarationError(
            "`times` must list the times of the outputs, two at least, like np.linspace(0, 10, 101)."
            f" Got {'one number' if not times.shape else f'an array of shape {times.shape}'}."
        )
    steps = np.diff(times)
    if (steps == 0).any():
        raise DeclarationError(f"`times` must rise. Got {times[np.argmax(steps == 0)]:g} twice.")
    if (steps < 0).any():
        k = int(np.argmax(steps < 0))
        raise DeclarationError(
            f"`times` must rise. Got {times[k]:g} followed by {times[k + 1]:g}. To run backwards in"
            " time, reverse the velocities of a system that time and damping do not enter."
        )
    return times


def refuse_too_many(outputs: int, runs: int, size: int) -> None:
    """Refuse a call whose results would not fit into memory, before anything is made."""
    needed = 8 * outputs * runs * size
    if needed > MOST_BYTES:
        of = f" of {runs:,} motions" if runs > 1 else ""
        raise DeclarationError(
            f"{outputs:,} outputs{of} with {size} numbers each would take {needed / 2**30:,.1f} GiB."
            f' Expected {MOST_BYTES // 2**30} GiB at most. Ask for fewer outputs, or give keep="last":'
            " the motion between them is known to full accuracy, as motion(times); or expressions or a"
            " function in `keep`."
        )


def _refuse_uncut(system: System, events: tuple[Event, ...], options: Options) -> None:
    """Refuse a cut to the lowest modes where it cannot be made."""
    reason = (
        f'method="{options.method}"' if options.method != MODAL.name
        else "variations" if options.variations
        else "constraints" if system.constraints
        else "events that change velocities" if any(each.change for each in events)
        else ""
    )  # fmt: skip
    if reason:
        raise DeclarationError(
            f"`modes` cuts a motion in modal coordinates to the lowest ones, and cannot take {reason}."
            " Leave out one of them."
        )


def _checked_modes(given: object) -> int | None:
    """How many modes are kept."""
    if given is None:
        return None
    if isinstance(given, bool) or not isinstance(given, (int, np.integer)) or given < 1:
        raise DeclarationError(
            f"`modes` is the number of the lowest modes that are kept, like 4. Got {given!r}."
        )
    return int(given)


def _refuse_no_finer(rtol: float) -> None:
    """Refuse to check a run that is as fine as doubles allow already."""
    if rtol < CHECKED:
        raise DeclarationError(
            f"check=True runs again at a hundredth of rtol, and below {TIGHTEST:g} rounding leaves"
            f" nothing finer. Got rtol = {rtol:g}. Give rtol = {CHECKED:g} or more."
        )


def _checked_method(given: object) -> str:
    """The name of a method, or the word for choosing one."""
    names = (AUTOMATIC, *METHODS)
    if not isinstance(given, str) or given not in names:
        raise DeclarationError(
            f"`method` must be one of {listed(names)}. Got {given!r}." + did_you_mean(given, names)
        )
    return given


def _checked_keep(given: object) -> Any:
    """Which outputs are kept, or what of them."""
    if callable(given) or (isinstance(given, (list, tuple)) and given):
        return given
    if not isinstance(given, str) or given not in (ALL, LAST):
        raise DeclarationError(
            f'`keep` must be "all", for every output, "last", for the first and the last, a list of'
            f" expressions to be read at all outputs, or a function of a motion. Got"
            f" {given!r}.{did_you_mean(given, (ALL, LAST))}"
        )
    return given


def _checked_form(given: object) -> str:
    """What is integrated."""
    if not isinstance(given, str) or given not in FORMS:
        raise DeclarationError(f'`form` must be "lagrange" or "hamilton". Got {given!r}.')
    return given


def _checked_tolerance(given: object, name: str) -> float:
    """A number between 0 and 1; no relative one below what doubles can keep."""
    value = number(given, f"`{name}`")
    if value.shape or not 0 < value < 1:
        raise DeclarationError(f"`{name}` must be a number between 0 and 1, like 1e-9. Got {given!r}.")
    if name == "rtol" and value < TIGHTEST:
        raise DeclarationError(
            f"`rtol` must be {TIGHTEST:g} or more: steps cannot be told apart more finely than doubles"
            f" round. Got {given!r}."
        )
    return float(value)


def _checked_stabilization(given: object) -> Any:
    """The word projection, (alpha, beta) or None."""
    if given is None or (isinstance(given, str) and given == "projection"):
        return given
    if isinstance(given, (tuple, list, np.ndarray)) and len(given) == 2:
        alpha, beta = (number(each, "`stabilize`") for each in given)
        if not alpha.shape and not beta.shape and alpha >= 0 and beta >= 0:
            return float(alpha), float(beta)
    raise DeclarationError(
        '`stabilize` must be "projection", a pair (alpha, beta) of numbers for Baumgarte\'s'
        f" stabilization, or None. Got {given!r}."
    )
