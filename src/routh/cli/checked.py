"""What the command is told, checked at the door: parameters, times, numbers of points."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from routh.errors import DeclarationError, did_you_mean, listed

if TYPE_CHECKING:
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
