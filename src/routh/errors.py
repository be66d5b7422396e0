"""The one exception tree, the sentences of a numerical outcome, and the wording of messages.

Every message says what was expected, what was got and what to do, with names in backticks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from enum import Enum
from typing import Any, NamedTuple


class RouthError(Exception):
    """Anything Routh refuses or fails to do.

    Example:
        >>> import routh as rt
        >>> try:
        ...     rt.equilibrium(rt.System(kinetic=rt.ddt(rt.coordinate("x"))**2 / 2), {"m": 1})
        ... except rt.RouthError as error:
        ...     print(type(error).__name__)
        ...
        DeclarationError
    """


class Span(NamedTuple):
    """A place in a model file: line and column from 1, how many characters, and what stands there."""

    line: int
    column: int
    length: int
    what: str


class DeclarationError(RouthError, ValueError):
    """What was written down is no system, no value or no argument that Routh can use.

    `span` is where it stands in the text of a model file, for editors that mark it; None elsewhere.

    Example:
        >>> import routh as rt
        >>> rt.coordinate("")
        Traceback (most recent call last):
            ...
        routh.errors.DeclarationError: The name of a coordinate must be one word of letters, digits and
        underscores, like theta1 or k_c. Got ''.
    """

    span: Span | None = None


class DerivationError(RouthError):
    """The system is well declared, but what was asked cannot be derived from it.

    Example:
        >>> import routh as rt
        >>> x = rt.coordinate("x")
        >>> rt.linearize(rt.equilibrium(rt.System(kinetic=rt.ddt(x)**2 / 2, potential=abs(x)), {}))
        Traceback (most recent call last):
            ...
        routh.errors.DerivationError: The system has no linear model here: its equations have a kink at
        the equilibrium, where branches of `Abs(x)` meet. Linearize beside it, or replace the function
        by a smooth one.
    """


class SolveError(RouthError, RuntimeError):
    """A solver failed; `result` is what it had when it stopped, to be looked at.

    Example:
        >>> import routh as rt
        >>> x = rt.coordinate("x")
        >>> system = rt.System(kinetic=rt.ddt(x)**2 / 2, potential=x**3 + x)
        >>> try:
        ...     rt.equilibrium(system, {})
        ... except rt.SolveError as error:
        ...     print(error.result.status)
        ...
        Stopped: no step reduces the residual any further.
    """

    def __init__(self, message: str, result: Any = None) -> None:
        super().__init__(message)
        self.result = result


class NoEquilibrium(SolveError):
    """No position of rest satisfies the equations of motion at every time.

    Example:
        >>> import routh as rt
        >>> x = rt.coordinate("x")
        >>> shaken = rt.System(kinetic=rt.ddt(x)**2 / 2, potential=x**2 / 2 - x * rt.sin(rt.t))
        >>> try:
        ...     rt.equilibrium(shaken, {})
        ... except rt.NoEquilibrium as error:
        ...     print(error)
        ...
        The system has no equilibrium: at rest the equation of `x` contains `-sin(t)`, which changes
        with time, and no position balances it at every t. Write the energies in a frame that moves
        along, or follow the motion in time.
    """


class WriteError(RouthError, OSError):
    """A file could not be written; what was there before is as it was."""


class MissingExtra(RouthError, ImportError):
    """A package that only some of Routh needs is not installed; the message names its extra."""


class OutsideError(Exception):
    """A function has no value anywhere on a box: the energy does not exist there."""


class Status(Enum):
    """How a solve ended, as a sentence.

    Example:
        >>> print(Status.FINISHED)
        Reached the last time.
    """

    CONVERGED = "Converged: the equations hold to rounding."
    DEGENERATE = (
        "Converged slowly: the equilibrium is degenerate, known to fewer digits, and its linear"
        " model does not decide."
    )
    STALLED = "Stopped: no step reduces the residual any further."
    TOO_MANY_STEPS = "Stopped: the residual is still falling after the last allowed step."
    NOT_FINITE = "Stopped: the equations give NaN or infinity here."
    UNDERFLOW = "Stopped: a force here is too small for floating-point numbers, and not zero."
    DRIVEN = "No steady motion: a force is left on what turns, which would change its rate."
    TIME_DEPENDENT = "No equilibrium: the equations change with time at every position found."

    FINISHED = "Reached the last time."
    EVENT = "Stopped by an event."
    PILED_UP = "Stopped: events follow each other ever faster, and no time passes between them."
    INTERRUPTED = "Interrupted: what was computed until then is kept."
    STUCK = "Stopped: no step is small enough to go on."
    SINGULAR = "Stopped: in this position the equations do not determine the accelerations."
    FAILED = "Stopped: an input or an event has no value here."
    LOST = "Stopped: a contact is lost, since its normal force would have to pull."
    OUTSIDE = "Stopped: a part of the system goes no further, as a tether that has run out."
    JAMMED = "Stopped: no state of the contacts agrees with the forces it leads to (Painleve)."
    AMBIGUOUS = "Stopped: several states of the contacts agree with the forces they lead to (Painleve)."
    UNDETERMINED = "Stopped: the forces that hold contacts are not determined, nor is what they do."
    DOUBTFUL = (
        "Reached the last time, but the energy balance or a second run is off by far more than the"
        " tolerance: do not trust it. Ask for smaller rtol and atol."
    )

    def __str__(self) -> str:
        return self.value


@contextmanager
def needing(extra: str, package: str, purpose: str) -> Iterator[None]:
    """Imports that need an optional package, with an error that names the extra to install."""
    try:
        yield
    except ModuleNotFoundError as missing:
        raise MissingExtra(
            f'{purpose}, from the package `{package}`: pip install "routh[{extra}]".'
        ) from missing


def quoted(names: Iterable[object]) -> str:
    """Names in backticks, joined as in a sentence: `a`, `b` and `c`."""
    ticks = [f"`{name}`" for name in names]
    if len(ticks) < 2:
        return "".join(ticks)
    return ", ".join(ticks[:-1]) + " and " + ticks[-1]


def a_kind(value: object) -> str:
    """The kind of a value with its article: a Branch, an Equilibrium."""
    name = type(value).__name__
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"


def capital(sentence: str) -> str:
    """The sentence with its first letter large."""
    return sentence[:1].upper() + sentence[1:]


def listed(names: Iterable[object]) -> str:
    """Names joined by commas, or the word "nothing"."""
    return ", ".join(str(name) for name in names) or "nothing"


def did_you_mean(name: object, options: Iterable[object], *, alike: float = 0.5) -> str:
    """A closing hint with the nearest of the options, or an empty string if none is alike enough."""
    close = get_close_matches(str(name), [str(option) for option in options], n=1, cutoff=alike)
    return f" Did you mean `{close[0]}`?" if close else ""


def no_attribute(module: str, name: str, options: Iterable[object]) -> AttributeError:
    """The error of a module that lacks a name, with the nearest one that it has.

    It knows the name and not the module, so that Python adds no second hint of its own to the first.
    """
    hint = "" if name.startswith("_") else did_you_mean(name, options, alike=0.75)
    return AttributeError(f"module {module!r} has no attribute {name!r}.{hint}", name=name)


def in_line(value: object, limit: int = 120) -> str:
    """The value as Python writes it, in one line: SymPy and NumPy write matrices over several."""
    return shortened(" ".join(repr(value).split()), limit)


def shortened(expression: object, limit: int = 120) -> str:
    """The expression as text, cut in the middle where it is longer than the limit."""
    text = str(expression)
    if len(text) <= limit:
        return text
    half = (limit - 5) // 2
    return f"{text[:half]} ... {text[-half:]}"
