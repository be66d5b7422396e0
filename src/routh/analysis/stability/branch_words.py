"""What is said of branches, of rests and of periodic motions alike: kinds of points, why they end.

Both are `Followed` (`analysis/given/protocols`). A special point of either has `kind`, `parameter` (the
name), `value` and `multiplicity`, and its `rest` or its `motion`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import Enum
from typing import Any, Protocol, TypeVar

from routh.arrays import Array
from routh.errors import DeclarationError
from routh.language.system import System
from routh.numerics.curves.curve import Curve, End


class Kind(Enum):
    """What happens at a point of a branch.

    Example:
        >>> print(Kind.FOLD)
        fold: the parameter turns back
    """

    FOLD = "fold: the parameter turns back"
    BRANCH = "branch point: another branch crosses"
    HOPF = "Hopf point: an oscillation begins or ceases to grow"
    FLUTTER = "flutter point: two frequencies meet, without damping"
    CHANGE = "change of stability, where no other branch was seen and no oscillation begins"
    PERIOD_DOUBLING = "period doubling: a motion of twice the period begins"

    def __str__(self) -> str:
        return self.value


class _Point(Protocol):
    @property
    def kind(self) -> Kind: ...


AnyPoint = TypeVar("AnyPoint", bound=_Point)


def of_kind(points: Iterable[AnyPoint], kind: Kind) -> tuple[AnyPoint, ...]:
    """The special points of one kind."""
    if not isinstance(kind, Kind):
        raise DeclarationError(
            f"Expected a Kind, like {', '.join(f'Kind.{k.name}' for k in Kind)}. Got {kind!r}."
        )
    return tuple(point for point in points if point.kind is kind)


def branch_text(
    system: System, what: str, parameter: Any, at: Array, ended: str, lines: Sequence[str]
) -> str:
    """A branch in words: how far it goes, why it ends, and further lines."""
    head = (
        f"Branch of {what}{system.title} between {parameter} = {at.min():.6g} and {at.max():.6g}:"
        f" {len(at)} points. {ended}"
    )
    return "\n".join([head, *lines])


def ending(curve: Curve, name: object, start: float | None, to: float, stopped: str) -> str:
    """Why a curve ends, naming values of what is moved.

    It began at `start`, None for a branch that was switched to; `stopped` says why no further points
    were found.
    """
    last = float(curve.places[-1].y[-1])
    if curve.end is End.CLOSED:
        return str(curve.end.value)
    if curve.end is not End.RANGE:
        return f"It stopped at {name} = {last:.6g}: {stopped}"
    if start is None or abs(last - to) < abs(last - start):
        return f"It reached {name} = {last:.6g}, the end of the range."
    return f"It came back to {name} = {last:.6g}, where it began, without reaching {to:.6g}."


def turns_back(name: object, start: float, to: float) -> str:
    """Why a branch that begins at a fold does not go towards a value."""
    return (
        f"The branch does not go from {name} = {start:g} towards {to:g}: it turns back here (a fold)."
        " Follow it the other way."
    )
