"""Curves from a place on: one way, or both ways where they turn back there."""

from __future__ import annotations

from dataclasses import replace

from routh.numerics.curves.continuation import Tracer, Until
from routh.numerics.curves.curve import Curve, Place

FLAT = 1e-6
"""Share of its length by which a tangent must move the last unknown to have a direction."""


def walked(
    tracer: Tracer, first: Place, forward: bool, most: int, until: Until | None = None
) -> Curve | None:
    """The curve from a place towards larger (`forward`) or smaller last unknowns.

    Where it turns back at this very place it goes on to both sides, and the place is inside of it. None
    where it turns away from that direction.
    """
    back = _turned(first)
    if abs(first.turn) > FLAT:
        return tracer.walk(first if forward else back, most, until)
    both = [tracer.walk(start, most, until) for start in (back, first)]
    arms = [arm for arm in both if len(arm.places) > 2]
    if not arms:
        return None
    return arms[0] if len(arms) == 1 else joined(arms[0], None, arms[1])


def joined(back: Curve, middle: Place | None, ahead: Curve) -> Curve:
    """Two arms as one curve, the first one backwards; they begin at one place, or beside a `middle`."""
    turned = [_turned(place) for place in reversed(back.places)]
    rest = ahead.places if middle is not None else ahead.places[1:]
    return Curve((*turned, *([middle] if middle is not None else []), *rest), ahead.end)


def _turned(place: Place) -> Place:
    return replace(place, tangent=-place.tangent, cross=-place.cross)
