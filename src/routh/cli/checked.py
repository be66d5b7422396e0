"""What the command is told, checked at the door: parameters, times, numbers of points."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from routh.errors import DeclarationError, did_you_mean, listed

if TYPE_CHECKING:
    from routh.analysis.stability.natural_modes import Modes
    from routh.display.report.findings import Findings
    from routh.files.model import Model


def findings(model: Model, given: dict[str, float] | None) -> Findings:
    """What can be computed of a model with the parameters of the command line."""
    from routh.display.report.findings import Findings
    from routh.files.stated_values import stated_values

    found = Findings(model, model.values | stated_values(model.system, given, what="--p"))
    if found.lacking:
        name = found.lacking[0]
        raise DeclarationError(
            f"The model has no value for {listed(found.lacking)}. Write {name} = 1.0 under"
            f" [parameters], or say --p.{name} 1.0."
        )
    return found


def misspelt_parameter(words: list[str]) -> str:
    """How a parameter is said, where it was not said so; else nothing."""
    for k, word in enumerate(words):
        option, joined, value = word.partition("=")
        if option != "--p":
            continue
        value = value if joined else " ".join(words[k + 1 : k + 2])
        name, _, number = value.partition("=")
        more = number or " ".join(words[k + 2 : k + 3]) or "1.0"
        meant = f" Did you mean --p.{name} {more}?" if name.isidentifier() else ""
        got = word if joined else f"{word} {value}".rstrip()
        return f"A parameter is said as --p.NAME NUMBER. Got {got}.{meant}"
    return ""


def checked_until(until: float) -> float:
    """The end of a motion."""
    from routh.files.schema import LONGEST_RUN

    if not 0 < until <= LONGEST_RUN:
        longer = " For a longer motion choose another unit of time." if until > LONGEST_RUN else ""
        raise DeclarationError(
            f"`until` must be a time above zero, and at most {LONGEST_RUN:g}. Got {until:g}.{longer}"
        )
    return until


def checked_stops(start: float, to: float, points: int) -> NDArray[np.float64]:
    """The values of a parameter along a sweep."""
    from routh.files.schema import MOST_POINTS

    if not 2 <= points <= MOST_POINTS:
        raise DeclarationError(
            f"`points` must be two at least, and {MOST_POINTS} at most. Got {points}."
        )
    if not (np.isfinite(start) and np.isfinite(to)) or start == to:
        raise DeclarationError(
            f"A sweep goes from one finite number to another. Got {start:g} to {to:g}."
        )
    stops = np.linspace(start, to, points)
    if not np.isfinite(stops).all() or len(np.unique(stops)) < points:
        raise DeclarationError(
            f"There are no {points} different numbers between {start:g} and {to:g}. Ask for fewer"
            " `points`, or for another range."
        )
    return stops


def refuse_unknown(name: str, model: Model) -> None:
    """A parameter must be one of the model."""
    names = [p.name for p in model.system.parameters]
    if name not in names:
        raise DeclarationError(
            f"`{name}` is no parameter of the model. Parameters: {listed(names)}."
            + did_you_mean(name, names)
        )


def refuse_false_angles(model: Model) -> None:
    """Refuse a coordinate that was said to be an angle and is none, or the other way round."""
    from routh.mechanics.turns import turns

    periods = dict(zip(model.system.coordinates, turns(model.system), strict=True))
    for q, said in model.periodic.items():
        if said != (periods[q] is not None):
            found = "repeat after whole turns of it" if periods[q] else "do not repeat in it"
            raise DeclarationError(
                f"`{q}` is said to be {'' if said else 'not '}periodic, but the equations {found}."
                " Leave `periodic` out, or look at how the energies contain it."
            )


def outputs_of(model: Model, texts: list[str] | None) -> list[Any] | None:
    """What is to be read of a linear model: as said here, as the model shows of motions, or None."""
    asked = texts or model.analysis.motion.shown
    return [model.expression(text) for text in asked] or None


def chosen_input(model: Model, name: str | None) -> Any:
    """The input that moves: the one of that name, or the only one."""
    inputs = {u.name: u for u in model.system.inputs}
    if not inputs:
        raise DeclarationError(
            "The model has no input. Declare one under [inputs], and let it act under [[forces]], in an"
            " energy or in a constraint."
        )
    if name is None and len(inputs) > 1:
        raise DeclarationError(f"The model has the inputs {listed(inputs)}. Say which one moves.")
    if name is not None and name not in inputs:
        raise DeclarationError(
            f"`{name}` is no input of the model. Inputs: {listed(inputs)}." + did_you_mean(name, inputs)
        )
    return inputs[name] if name is not None else next(iter(inputs.values()))


def checked_frequencies(
    modes: Callable[[], Modes], start: float | None, to: float | None, points: int
) -> NDArray[np.float64]:
    """Frequencies by equal factors; those that are not given are around those of the modes."""
    from routh.analysis.stability.frequencies_around import frequencies_around, frequency_range
    from routh.files.schema import MOST_POINTS

    if not 2 <= points <= MOST_POINTS:
        raise DeclarationError(
            f"`points` must be two at least, and {MOST_POINTS} at most. Got {points}."
        )
    if start is not None and to is not None:
        _refuse_range(start, to)
        return np.asarray(np.geomspace(start, to, points))
    found = modes()
    around = frequency_range(found)
    if around is None:
        raise DeclarationError(
            "No mode of the fields is converged, so that no frequencies are known to be those of the"
            " body. Give the fields more `functions` or `elements`, or say --from and --to."
        )
    low, high = around[0] if start is None else start, around[1] if to is None else to
    _refuse_range(low, high)
    return frequencies_around(found, low, high, points)


def _refuse_range(low: float, high: float) -> None:
    if not (0 < low < high and np.isfinite(high)):
        raise DeclarationError(
            f"Frequencies go from one above zero to a larger one, in rad/s. Got {low:g} to {high:g}."
        )


def checked_period(found: Findings, text: str | None) -> float:
    """A period in seconds: a number or an expression in the parameters, or that of the model."""
    said = found.model.analysis.period if text is None else text
    if said is None:
        raise DeclarationError(
            "Floquet multipliers belong to a period. Say it, like `routh floquet swing.toml 2*pi/w`, or"
            ' write period = "2*pi/w" under [analysis].'
        )
    period = found.model.number(said, found.values)
    if not (np.isfinite(period) and period > 0):
        raise DeclarationError(f"A period is a time above zero. Got {said} = {period:g}.")
    return period
