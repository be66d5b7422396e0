"""What holds a position: the friction and the multipliers that balance all other forces there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import sympy

from routh.analysis.given.conditions import conditions
from routh.analysis.given.numbers import Numbers
from routh.arrays import Array
from routh.errors import DeclarationError, DerivationError, quoted
from routh.kernels.engine import Kernel, Point
from routh.kernels.kernel import kernel
from routh.language.friction import Friction
from routh.language.system import System
from routh.numerics.solving.margins import widest_margin

HOLDS = 1e-9
"""Share of the forces that may be left over where friction holds."""


@dataclass(frozen=True)
class Held:
    """A position, and the shares of static forces and the multipliers that hold it.

    `holds` says whether some forces that balance are within their limits, and press.
    """

    q: Array
    shares: Array
    multipliers: Array
    holds: bool


def held_at(
    held: System, contacts: tuple[Friction, ...], values: Numbers, inputs: Numbers, q: Numbers
) -> Held:
    """What contacts that rest need to hold a position of a system without their forces.

    Raises:
        DerivationError: no friction force at all holds it: other forces are left.
    """
    given, by = conditions(held, values, inputs, guess=q)
    if given.shape:
        raise DeclarationError("A position to be looked at is one number for each coordinate.")
    place = np.stack([by["guess"].get(x, np.zeros(1)) for x in held.coordinates], axis=1)
    engine, c = kernel(held), len(held.constraints)
    point = given.point(engine, place, np.zeros((1, c)))
    rows = engine.about(point).residual(point.arguments)[0][: place.shape[1]]
    push = engine.tangent(point)[0][: place.shape[1], place.shape[1] :]
    columns = np.hstack([_slopes(held, contacts, engine, point), -push])
    found = np.linalg.lstsq(columns, rows, rcond=None)[0]
    left = columns @ found - rows
    if np.abs(left).max(initial=0) > HOLDS * max(np.abs(rows).max(initial=0), 1e-300):
        raise DerivationError(
            f"No friction holds {held.title} there: forces are left along"
            f" {quoted(x for x, r in zip(held.coordinates, left, strict=True) if abs(r) > 0)}."
        )

    def limits(multipliers: Array) -> Array:
        """The static forces, and then the normal forces, both linear in the multipliers."""
        every = [contact.static for contact in contacts]
        every += [contact.normal for contact in contacts if contact.normal is not None]
        at = given.point(engine, place, multipliers[None])
        return np.asarray(engine.values(every, at)[0])

    m = len(contacts)
    own = limits(found[m:])
    small = np.finfo(float).tiny
    shares = np.where(found[:m] == 0, 0.0, found[:m] / np.where(own[:m] == 0, small, own[:m]))
    with np.errstate(over="ignore"):
        within = (np.abs(shares) <= 1 + HOLDS).all()
    pressed = (own >= -HOLDS * np.abs(found).max(initial=0.0)).all()
    holds = bool(within and pressed) or _can_hold(columns, found, limits, m)
    return Held(place[0], shares, found[m:], holds)


def _slopes(held: System, contacts: tuple[Friction, ...], engine: Kernel, point: Point) -> Array:
    """(n, contacts): the generalized forces of a unit force along each slip."""
    rows = [contact.slopes.get(q, sympy.S.Zero) for contact in contacts for q in held.coordinates]
    return np.asarray(engine.values(rows, point)[0]).reshape(len(contacts), -1).T


def _can_hold(columns: Array, found: Array, limits: Callable[[Array], Array], m: int) -> bool:
    """Whether other forces that balance as well are within their limits."""
    values, rows = np.linalg.svd(columns)[1:]
    null = rows[int((values > HOLDS * values.max(initial=0.0)).sum()) :].T
    if not null.shape[1]:
        return False
    own = limits(found[m:])
    steps = np.array([limits(found[m:] + step) - own for step in null[m:].T]).T
    A = np.concatenate([null[:m] - steps[:m], -null[:m] - steps[:m], -steps[m:]])
    b = np.concatenate([own[:m] - found[:m], own[:m] + found[:m], own[m:]])
    size = max(np.abs(b).max(initial=0.0), 1e-300)
    return bool(widest_margin(A, b / size)[1] >= -HOLDS)
