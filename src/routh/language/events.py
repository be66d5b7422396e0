"""Events: moments at which an expression passes through zero, and what happens then."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import sympy

from routh.errors import DeclarationError, shortened
from routh.language.calculus import expression
from routh.language.symbols import BySymbol, Coordinate
from routh.shown import as_markdown


@dataclass(frozen=True)
class Event:
    """An expression that is watched, in which direction it passes zero, and what happens then."""

    expression: Any
    """An expression, or the name of a symbol of the system whose motion is watched."""
    direction: int
    stop: bool
    change: tuple[tuple[Any, Any], ...] = field(repr=False)
    """Pairs of a velocity and what it becomes, each by symbols or by name likewise."""
    name: str

    def __str__(self) -> str:
        return self.name or shortened(self.expression, 60)

    _repr_markdown_ = as_markdown


def event(
    watched: sympy.Expr | str,
    *,
    direction: int = 0,
    stop: bool = False,
    change: BySymbol | None = None,
    name: str = "",
) -> Event:
    """A moment at which an expression passes through zero, for `simulate(..., events=[...])`.

    Arguments:
        watched: an expression in coordinates, velocities, parameters and time, or the name of a symbol.
        direction: 1 for rising, -1 for falling, 0 for both.
        stop: whether the motion ends there.
        change: velocities that jump, as in an impact: `{ddt(y): -0.8 * ddt(y)}`, or by name. The
            expressions are read just before. With constraints, the velocities that result are the
            nearest ones that satisfy them, as an impact of the constraints would make them.
        name: how messages call it.

    It is looked for at least eight times within each step and four times between two outputs; where an
    expression passes zero more often, ask for more outputs.

    Example:
        >>> from routh import coordinate, ddt
        >>> y = coordinate("y")
        >>> event(y, direction=-1, change={ddt(y): -0.8 * ddt(y)}, name="bounce").direction
        -1
    """
    plain = isinstance(direction, (int, float)) and not isinstance(direction, bool)
    if not plain or direction not in (-1, 0, 1):
        raise DeclarationError(
            f"`direction` must be 1 (rising), -1 (falling) or 0 (both). Got {direction!r}."
        )
    if change is not None and not isinstance(change, Mapping):
        raise DeclarationError(
            f"`change` must map velocities to expressions, like {{ddt(y): -ddt(y)}}. Got {change!r}."
        )
    found = []
    for velocity, value in (change or {}).items():
        is_rate = isinstance(velocity, Coordinate) and velocity.order == 1
        if not is_rate and not (isinstance(velocity, str) and velocity.endswith("'")):
            raise DeclarationError(
                "An event changes velocities, like {ddt(y): -0.8 * ddt(y)}; positions go on from where"
                f" they are. Got the key {velocity!r}."
            )
        found.append((velocity, _watched(value, f"What `{velocity}` becomes")))
    if not isinstance(stop, bool):
        raise DeclarationError(f"`stop` must be True or False. Got {stop!r}.")
    return Event(_watched(watched, "What an event watches"), direction, stop, tuple(found), str(name))


def _watched(value: object, what: str) -> Any:
    """An expression, or a name as it is: which system it belongs to is known when it is watched."""
    return value if isinstance(value, str) else expression(value, what)
