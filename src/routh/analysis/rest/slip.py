"""Equilibria of systems with friction in which every contact slips."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import Any

import numpy as np

from routh.analysis.given.conditions import conditions
from routh.analysis.given.contact_words import refuse_driving
from routh.analysis.given.numbers import Numbers
from routh.analysis.given.pressed_once import refuse_open_normals
from routh.analysis.rest.result import Equilibrium
from routh.arrays import Array
from routh.errors import DeclarationError, DerivationError, SolveError, capital, listed
from routh.kernels.kernel import kernel
from routh.language.system import System
from routh.numerics.solving.dependence import dependence

AT_REST = 1e-12
"""A slip velocity below this share of the largest at rest is none."""

CHANGING = (
    "The other forces change with time, or may: what friction holds now may slip later, and"
    " simulate(system, values, start, times) shows how it sticks and slips."
)


def slip_signs(
    system: System, values: Numbers, guess: Numbers | None, inputs: Numbers | None
) -> list[int]:
    """The sign of each slip velocity at rest."""
    if not system.friction:
        raise DeclarationError(
            f"{capital(system.title)} has no friction. Declare contacts: System(..., friction=["
            "friction(ddt(x), static=1.0)])."
        )
    given, by = conditions(system, values, inputs, guess=guess)
    if given.shape:
        raise DeclarationError(
            "Equilibria with friction are found point by point. Got arrays of shape"
            f" {given.shape} among the values; write a loop over them."
        )
    refuse_driving(system, given)
    engine = kernel(system)
    q = np.stack([by["guess"].get(x, np.zeros(1)) for x in system.coordinates], axis=1)
    point = given.point(engine, q, np.zeros((1, len(system.constraints))))
    statics = engine.values([contact.shares(0)[0] for contact in system.friction], point)[0]
    for contact, size in zip(system.friction, statics, strict=True):
        if size < 0:
            what = "force" if contact.normal is None else "coefficient"
            raise DeclarationError(
                f"The static {what} of {contact} is {size:.6g}. Friction must not be negative: it would"
                " drive the slip."
            )
    slips = [engine.values(list(contact.components), point)[0] for contact in system.friction]
    none = AT_REST * max(np.abs(slip).max() for slip in slips)
    return [_sign(slip, none) for slip in slips]


def _sign(slip: Array, none: float) -> int:
    """The sign of a slip velocity; of one with components, 1 if any is there."""
    found = [0 if abs(x) <= none else int(np.sign(x)) for x in slip]
    return int(any(found)) if len(found) > 1 else found[0]


def slipping_signs(
    system: System, values: Numbers, guess: Numbers | None, inputs: Numbers | None
) -> list[int]:
    """The sign of each slip velocity at rest, where all contacts slip.

    Raises:
        DerivationError: a contact does not slip there, so that there is a set of equilibria.
    """
    signs = slip_signs(system, values, guess, inputs)
    if 0 in signs:
        resting = [c for c, sign in zip(system.friction, signs, strict=True) if not sign]
        free = system.changed(friction=None)
        own, signals = _named(values, free.parameters), _named(inputs or {}, free.inputs)
        held = "stick_zone(system, values) gives the positions that it holds."
        then = CHANGING if moved_by_time(free, own, guess, signals) else held
        raise DerivationError(
            f"{capital(system.title)} has no isolated equilibrium and no linear model there:"
            f" {listed(resting)} does not slip at rest, where friction is a set of forces. {then}"
        )
    return signs


def _named(given: Numbers, symbols: Iterable[Any]) -> dict[Any, Any]:
    """What is given for some symbols, by symbol or by name."""
    names = {symbol.name for symbol in symbols}
    return {key: value for key, value in given.items() if getattr(key, "name", key) in names}


def moved_by_time(
    system: System, values: Numbers, guess: Numbers | None, inputs: Numbers | None
) -> bool:
    """Whether forces change with time, or may, at a guess or beside it."""
    given, by = conditions(system, values, inputs, guess=guess)
    engine = kernel(system)
    if not given.may_change_in_time(engine):
        return False
    q = np.stack([by["guess"].get(x, np.zeros(1)) for x in system.coordinates], axis=1)
    aside = np.random.default_rng(1831).uniform(0.5, 1.0, q.shape) * (np.abs(q) + 1)
    none = np.zeros((1, len(system.constraints)))
    return any(given.timeless.rows(given.point(engine, at, none)).any() for at in (q, q + aside))


def sides_of_rest(system: System) -> list[tuple[int, ...]]:
    """The signs that reactions may have whose sizes press contacts."""
    count = sum(len(contact.sides) for contact in system.friction)
    return list(product((1, -1), repeat=count))


def is_on_its_sides(system: System, sides: tuple[int, ...], found: Equilibrium) -> bool:
    """Whether reactions have the signs that a rest was found with."""
    sizes = [size for contact in system.friction for size in contact.sides]
    return all(side * found[e.args[0]] >= 0 for e, side in zip(sizes, sides, strict=True))


def refuse_open(system: System, found: Equilibrium) -> None:
    """Refuse a rest in which it is not determined how hard a contact is pressed.

    Raises:
        DerivationError: names the contact and the constraints.
    """
    if any(contact.reactions for contact in system.friction):
        engine, point = kernel(found.system), found.point()
        J = engine.constraint_jacobian(point)[0]
        refuse_open_normals(system, J, lambda own: np.asarray(engine.values(own, point)[0]))


def refuse_jammed(system: System, error: SolveError) -> None:
    """Refuse a rest that was not found since friction outweighs what presses the contacts.

    There the tangent is singular, and would not be with J^T in the place of J^T - Q_multipliers.

    Raises:
        SolveError: it carries the place.
    """
    found = error.result
    if not any(contact.reactions for contact in system.friction) or found is None:
        return
    engine, point, n = kernel(found.system), found.point(), len(system.coordinates)
    tangent = engine.tangent(point)[0]
    free = tangent.copy()
    free[:n, n:] = free[n:, :n].T
    if dependence(tangent).rank < dependence(free).rank:
        raise SolveError(
            f"{capital(system.title)} has no equilibrium near the guess: what contacts lose by friction"
            " is as much as what presses them, so that no reactions balance the other forces. It jams"
            " there (Painleve).",
            found,
        ) from error


def refuse_lost(system: System, found: Equilibrium) -> None:
    """Refuse a rest in which a contact would have to be pulled.

    Raises:
        SolveError: it carries the rest.
    """
    for contact in system.friction:
        if contact.is_one_sided and contact.normal is not None:
            normal = float(found[contact.normal])
            if normal < -AT_REST * np.abs(found.multipliers).max(initial=0.0):
                raise SolveError(
                    f"{capital(system.title)} has no equilibrium near the guess: the normal force of"
                    f" {contact} would be {normal:.6g} there, and it cannot pull. It is lost, or"
                    " friction is large enough to jam it (Painleve).",
                    found,
                )


def refuse_other_slip(
    system: System,
    values: Numbers,
    inputs: Numbers | None,
    signs: list[int],
    found: Equilibrium,
) -> None:
    """Refuse a rest that was found with these signs of slip, and has others.

    Raises:
        SolveError: it carries the rest.
    """
    place = dict(zip(system.coordinates, found.q.tolist(), strict=True))
    if slip_signs(system, values, place, inputs) != signs:
        raise SolveError(
            f"{capital(system.title)} has no equilibrium near the guess: where the forces balance a"
            " contact slips the other way.",
            found,
        )
