"""The verb `stick_zone`: sets of equilibria that dry friction holds."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import product
from typing import Annotated, Any

import numpy as np

from routh.analysis.given.numbers import Numbers
from routh.analysis.rest.equilibrium import equilibrium
from routh.analysis.rest.held_rest import Held, held_at, normals
from routh.analysis.rest.result import Equilibrium
from routh.analysis.rest.slip import CHANGING, moved_by_time, slip_signs
from routh.analysis.rest.zone_range import zone_range
from routh.arrays import Array
from routh.errors import (
    DeclarationError,
    DerivationError,
    NoEquilibrium,
    SolveError,
    capital,
    listed,
)
from routh.language.contact.friction import Friction
from routh.language.declaring import input as new_input
from routh.language.forces import generalized_force
from routh.language.gates import checked_system
from routh.language.symbols import Input
from routh.language.system import System
from routh.recorded import Recorded
from routh.shown import as_html

MOST_CONTACTS = 8
"""Contacts whose forces are combined to corners of a zone."""


@dataclass(frozen=True, eq=False)
class StickZone(Recorded):
    """Positions of rest that friction holds: a set with as many dimensions as directions it holds.

    Attributes:
        system: the system.
        contacts: those that do not slip at rest.
        centre: the equilibrium without their forces; None where no other force balances.
        corners: a batch of equilibria with every combination of full forces; None where some do not
            exist.
        low, high: (n,) the range of each coordinate over the piece of the set that is connected with
            the centre (with the guess, where there is none), infinite where it has no end. The ends are
            attained; that nothing of the piece lies beyond is the outcome of a search that walks
            through it (`numerics/patch`), no proof. Other pieces may lie elsewhere: give a guess there.
        is_complete: whether every walk came to an end; else the ranges are at least as wide as told.
    """

    system: System
    contacts: tuple[Friction, ...]
    centre: Equilibrium | None = field(repr=False)
    corners: Equilibrium | None = field(repr=False)
    low: Annotated[Array, "n"]
    high: Annotated[Array, "n"]
    is_complete: bool
    _dimension: int = field(repr=False)
    _held: System = field(repr=False)
    _values: Any = field(repr=False)
    _loads: tuple[Input, ...] = field(repr=False)
    _inputs: Any = field(repr=False)

    def loads(self, q: Numbers) -> Array:
        """(contacts,): which share of its static force each contact needs to hold a position.

        Where they hold it in more ways than one these are the shares of forces of least size, or, where
        those are too large, of forces that keep farthest from their limits. The share of a contact that
        is not pressed and would have to hold is infinite.

        Raises:
            DerivationError: the position is not on the constraints; or no friction force at all holds
                it: other forces are left.
        """
        return self._at(q).shares

    def _at(self, q: Numbers) -> Held:
        """What holds a position."""
        inputs = {**self._inputs, **dict.fromkeys(self._loads, 0.0)}
        pressing = normals(self.system)
        return held_at(self._held, self.contacts, pressing, self._values, inputs, q)

    def contains(self, q: Numbers) -> bool:
        """Whether friction holds the system at a position, which must be on its constraints.

        Example:
            >>> import routh as rt
            >>> x = rt.coordinate("x")
            >>> held = rt.friction(rt.ddt(x), static=1)
            >>> block = rt.System(kinetic=rt.ddt(x)**2 / 2, potential=2 * x**2, friction=held)
            >>> zone = rt.stick_zone(block, {})
            >>> zone.contains({x: 0.2}), zone.contains({x: 0.3})
            (True, False)
        """
        try:
            return self._at(q).holds
        except DerivationError:
            return False

    def __str__(self) -> str:
        ranges = zip(self.system.coordinates, self.low, self.high, strict=True)
        shown = ", ".join(f"{q} {_range(a, b)}" for q, a, b in ranges)
        least = "" if self.is_complete else "at least "
        return (
            f"{capital(self.system.title)} rests in a set of dimension {self._dimension}, held by"
            f" {listed(self.contacts)}: {least}{shown}."
        )

    _repr_html_ = as_html


def _range(low: float, high: float) -> str:
    """A range in words."""
    if np.isinf(low) and np.isinf(high):
        return "anywhere"
    if np.isinf(low):
        return f"up to {high:.6g}"
    return f"from {low:.6g}" + (" on" if np.isinf(high) else f" to {high:.6g}")


def stick_zone(
    system: System, values: Numbers, *, guess: Numbers | None = None, inputs: Numbers | None = None
) -> StickZone:
    """Where friction holds a system at rest: a set of equilibria, not one.

    Arguments:
        system: a system with `friction`.
        values: a number for each parameter.
        guess: where to look for the equilibrium without friction; of several pieces of the set the
            one there is described.
        inputs: constants for inputs.

    Raises:
        DeclarationError: the system has no friction, or arrays are among the values.
        DerivationError: every contact slips at rest, and `equilibrium` is the verb; forces change
            with time, so that what is held now may slip later; or what presses the contacts is not
            determined by the position.
        SolveError: friction holds it neither at the rest without it nor at the guess.

    Example:
        >>> from routh import coordinate, ddt, friction, System
        >>> x = coordinate("x")
        >>> block = System(kinetic=ddt(x)**2/2, potential=2*x**2, friction=friction(ddt(x), static=1))
        >>> print(stick_zone(block, {}))
        The system rests in a set of dimension 1, held by contact with slip x': x from -0.25 to 0.25.
    """
    signs = slip_signs(checked_system(system, "stick_zone"), values, guess, inputs)
    resting = [k for k, sign in enumerate(signs) if not sign]
    if not resting:
        raise DerivationError(
            f"Every contact of {system.title} slips at rest, so its equilibria are isolated:"
            " equilibrium(system, values) finds one."
        )
    if len(resting) > MOST_CONTACTS:
        raise DeclarationError(
            f"A zone is spanned by {MOST_CONTACTS} contacts at most. {len(resting)} are at rest."
        )
    contacts = tuple(system.friction[k] for k in resting)
    _refuse_other_contacts(system, contacts)
    taken = {s.name for s in (*system.inputs, *system.parameters, *system.coordinates)}
    loads = tuple(new_input(_free(f"load{k + 1}", taken)) for k in range(len(contacts)))
    held = _loaded(system, signs, contacts, loads)
    names = {p.name for p in held.parameters}
    own = {key: value for key, value in values.items() if getattr(key, "name", key) in names}
    given = {} if inputs is None else dict(inputs)
    if moved_by_time(held, own, guess, {**given, **dict.fromkeys(loads, 1.0)}):
        raise DerivationError(f"stick_zone needs forces that stay as they are. {CHANGING}")
    centre = _centre(held, own, guess, {**given, **dict.fromkeys(loads, 0.0)})
    corners = None if centre is None else _corners(held, own, centre, given, loads)
    none = np.zeros(len(system.coordinates))
    zone = StickZone(system, contacts, centre, corners, none, none, True, 0, held, own, loads, given)
    start = _start(zone, guess or {})
    reach = zone_range(
        held, own, given, loads, (start.q, start.multipliers, start.shares), normals(system)
    )
    return replace(
        zone, low=reach.low, high=reach.high, is_complete=reach.complete, _dimension=start.dimension
    )


def _start(zone: StickZone, guess: Numbers) -> Held:
    """What holds the centre, or else the guess: the point from which a zone is walked through."""
    system, centre = zone.system, zone.centre
    places = [] if centre is None else [dict(zip(system.coordinates, centre.q, strict=True))]
    for place in (*places, guess):
        if zone.contains(place):
            found = zone._at(place)
            if found.spread:
                raise DerivationError(
                    f"{listed(zone.contacts)} hold {system.title} in more ways than one: how hard they"
                    " are pressed is not determined by the position, so that what they hold depends on"
                    " how it came there (prestress). simulate(system, values, start, times) tells"
                    " whether some forces hold it at a start."
                )
            return found
    raise SolveError(
        f"Friction does not hold {system.title} at the guess, and no rest that it holds was found near"
        " it. Give a guess where it rests, on all constraints."
    )


def _refuse_other_contacts(system: System, resting: tuple[Friction, ...]) -> None:
    """Refuse contacts whose forces at rest are not a range each, or whose side is not known."""
    for contact in system.friction:
        plane = contact.is_vector and contact in resting
        if plane or contact.sides:
            why = "has a direction in a plane" if plane else "presses on either side"
            raise DerivationError(
                f"stick_zone is for contacts that slip along lines and press on one side: {contact}"
                f" {why}. simulate(system, values, start, times) tells whether it rests at a start."
            )


def _centre(
    held: System, values: Numbers, guess: Numbers | None, inputs: Numbers
) -> Equilibrium | None:
    """The equilibrium without the forces of resting contacts; None where there is none, or a set."""
    try:
        found = equilibrium(held, values, guess=guess, inputs=inputs)
    except (NoEquilibrium, SolveError):
        return None
    return None if found.free else found


def _corners(
    held: System, values: Numbers, centre: Equilibrium, inputs: Numbers, loads: tuple[Input, ...]
) -> Equilibrium | None:
    """Equilibria with every combination of full forces; None where some were not found."""
    corners = np.array(list(product((-1.0, 1.0), repeat=len(loads))))
    full = dict(zip(loads, corners.T, strict=True))
    start = dict(zip(held.coordinates, centre.q, strict=True))
    try:
        found = equilibrium(held, values, guess=start, inputs={**inputs, **full})
    except (NoEquilibrium, SolveError):
        return None
    return found if np.all(found.converged) else None


def _free(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    return name


def _loaded(
    system: System, signs: list[int], contacts: tuple[Friction, ...], loads: tuple[Input, ...]
) -> System:
    """The system with a share of each static force as an input, and slip where there is some."""
    shares = [
        generalized_force(q, load * contact.static * slope)
        for contact, load in zip(contacts, loads, strict=True)
        for q, slope in contact.slopes.items()
    ]
    slipping = [f for c, s in zip(system.friction, signs, strict=True) if s for f in c.force(s)]
    return system.changed(forces=[*system.forces, *slipping, *shares], friction=None)
