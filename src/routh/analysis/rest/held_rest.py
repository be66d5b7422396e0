"""What holds a position: the friction and the multipliers that balance all other forces there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import sympy

from routh.analysis.given.conditions import conditions
from routh.analysis.given.numbers import Numbers
from routh.arrays import Array
from routh.errors import DeclarationError, DerivationError, capital, quoted, shortened
from routh.kernels.engine import Kernel, Point
from routh.kernels.kernel import kernel
from routh.language.contact.friction import Friction
from routh.language.system import System
from routh.numerics.solving.dependence import dependence
from routh.numerics.solving.margins import widest_margin

HOLDS = 1e-9
"""Share of the forces that may be left over where friction holds."""

ON = 1e-6
"""Share of the largest coordinate by which a position may be off its constraints."""


@dataclass(frozen=True)
class Held:
    """A position, and the shares of static forces and the multipliers that hold it.

    `holds` says whether some forces that balance are within their limits, and press; `spread` whether
    other forces balance as well that change the limits themselves, and `dimension` how many directions
    of motion the contacts hold.
    """

    q: Array
    shares: Array
    multipliers: Array
    holds: bool
    spread: bool
    dimension: int


def normals(system: System) -> list[sympy.Expr]:
    """The normal forces of contacts that can be lost."""
    return [c.normal for c in system.friction if c.is_one_sided and c.normal is not None]


def held_at(
    held: System,
    contacts: tuple[Friction, ...],
    pressing: Sequence[sympy.Expr],
    values: Numbers,
    inputs: Numbers,
    q: Numbers,
) -> Held:
    """What contacts that rest need to hold a position of a system without their forces.

    `pressing` are the normal forces that must not be negative, of contacts that slip too.

    Raises:
        DerivationError: the position is not on the constraints; or no friction force at all holds it:
            other forces are left.
    """
    given, by = conditions(held, values, inputs, guess=q)
    if given.shape:
        raise DeclarationError("A position to be looked at is one number for each coordinate.")
    place = np.stack([by["guess"].get(x, np.zeros(1)) for x in held.coordinates], axis=1)
    engine, c = kernel(held), len(held.constraints)
    point = given.point(engine, place, np.zeros((1, c)))
    n = place.shape[1]
    residual, tangent = engine.about(point).residual(point.arguments)[0], engine.tangent(point)[0]
    _refuse_off(held, place[0], residual[n:], tangent[n:, :n])
    rows, push = residual[:n], tangent[:n, n:]
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
        every = [*(contact.static for contact in contacts), *pressing]
        at = given.point(engine, place, multipliers[None])
        return np.asarray(engine.values(every, at)[0])

    m = len(contacts)
    own = limits(found[m:])
    null = _null_space(columns)
    steps = np.array([limits(found[m:] + step) - own for step in null[m:].T]).reshape(-1, len(own)).T
    large = np.abs(found).max(initial=0.0)
    holds = bool((np.abs(found[:m]) <= own[:m] * (1 + HOLDS)).all() and (own >= -HOLDS * large).all())
    if not holds and null.shape[1]:
        y, holds = _within(null, steps, found, own, m)
        found, own = (found + null @ y, own + steps @ y) if holds else (found, own)
    with np.errstate(all="ignore"):
        shares = np.where(found[:m] == 0, 0.0, found[:m] / own[:m])
    spread = bool(np.abs(steps).max(initial=0.0) > HOLDS)
    dimension = dependence(columns.T).rank - dependence(push.T).rank
    return Held(place[0], shares, found[m:], holds, spread, dimension)


def _refuse_off(held: System, q: Array, off: Array, J: Array) -> None:
    """Refuse a position that is not on the constraints."""
    near = ON * np.abs(J).sum(axis=1) * np.abs(q).max(initial=0.0)
    for phi, value, least in zip(held.constraints, off, near, strict=True):
        if abs(value) > least:
            raise DerivationError(
                f"{capital(held.title)} is not on its constraints there: `{shortened(phi, 60)}` is"
                f" {value:.6g} and not 0. Give coordinates for which all of them hold."
            )


def _slopes(held: System, contacts: tuple[Friction, ...], engine: Kernel, point: Point) -> Array:
    """(n, contacts): the generalized forces of a unit force along each slip."""
    rows = [contact.slopes.get(q, sympy.S.Zero) for contact in contacts for q in held.coordinates]
    return np.asarray(engine.values(rows, point)[0]).reshape(len(contacts), -1).T


def _null_space(columns: Array) -> Array:
    """(forces, k): combinations of forces that do nothing."""
    values, rows = np.linalg.svd(columns)[1:]
    return np.asarray(rows[int((values > HOLDS * values.max(initial=0.0)).sum()) :].T)


def _within(null: Array, steps: Array, found: Array, own: Array, m: int) -> tuple[Array, bool]:
    """How much of the null space brings forces farthest within their limits; and whether it does."""
    A = np.concatenate([null[:m] - steps[:m], -null[:m] - steps[:m], -steps[m:]])
    b = np.concatenate([own[:m] - found[:m], own[:m] + found[:m], own[m:]])
    size = max(np.abs(b).max(initial=0.0), 1e-300)
    y, margin = widest_margin(A, b / size)
    return size * y, bool(margin >= -HOLDS)
