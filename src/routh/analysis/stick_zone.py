"""The verb `stick_zone`: sets of equilibria that dry friction holds."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np

from routh.analysis.equilibrium import equilibrium
from routh.analysis.slip import slip_signs
from routh.analysis.steady import Equilibrium
from routh.analysis.values import Numbers, conditions
from routh.errors import (
    DeclarationError,
    DerivationError,
    NoEquilibrium,
    SolveError,
    capital,
    listed,
    quoted,
)
from routh.kernels.batch import Array
from routh.kernels.kernel import kernel
from routh.language.forces import generalized_force
from routh.language.friction import Friction
from routh.language.gates import checked_system
from routh.language.symbols import Input
from routh.language.symbols import input as new_input
from routh.language.system import System

HOLDS = 1e-9
"""Share of the forces that may be left over where friction holds."""

MOST_CONTACTS = 8
"""Contacts whose forces are combined to corners of a zone."""


@dataclass(frozen=True, eq=False)
class StickZone:
    """Positions of rest that friction holds: a set with as many dimensions as contacts that stick.

    Attributes:
        system: the system.
        contacts: those that do not slip at rest.
        centre: the equilibrium without their forces; None where no other force balances.
        corners: a batch of equilibria with every combination of full forces; None likewise.
        low, high: (n,) the range of each coordinate over the centre and the corners; infinite where
            there are none.
    """

    system: System
    contacts: tuple[Friction, ...]
    centre: Equilibrium | None = field(repr=False)
    corners: Equilibrium | None = field(repr=False)
    _held: System = field(repr=False)
    _values: Any = field(repr=False)
    _loads: tuple[Input, ...] = field(repr=False)

    @property
    def _places(self) -> Array:
        if self.centre is None or self.corners is None:
            ends = np.full(len(self.system.coordinates), np.inf)
            return np.stack([-ends, ends])
        return np.concatenate([self.centre.q[None], self.corners.q])

    @property
    def low(self) -> Array:
        """(n,): the least of each coordinate."""
        return np.asarray(self._places.min(axis=0))

    @property
    def high(self) -> Array:
        """(n,): the largest of each coordinate."""
        return np.asarray(self._places.max(axis=0))

    def loads(self, q: Numbers) -> Array:
        """(contacts,): which share of its static force each contact needs to hold a position.

        Raises:
            DerivationError: no friction force at all holds it: other forces are left.
        """
        held = self._held
        given, by = conditions(held, self._values, dict.fromkeys(self._loads, 0.0), guess=q)
        if given.shape:
            raise DeclarationError("A position to be looked at is one number for each coordinate.")
        place = np.stack([by["guess"].get(x, np.zeros(1)) for x in held.coordinates], axis=1)
        engine = kernel(held)
        multipliers = np.zeros((1, len(held.constraints)))
        point = given.point(engine, place, multipliers)
        rows = engine.about(point).residual(point.arguments)[0][: place.shape[1]]
        slopes = engine.about(point).input_columns(point.arguments)[0]
        columns = slopes[:, [engine.signals.index(u) for u in self._loads]]
        J = engine.constraint_jacobian(point)[0].T
        found, *_ = np.linalg.lstsq(np.hstack([columns, -J]), rows, rcond=None)
        left = np.hstack([columns, -J]) @ found - rows
        if np.abs(left).max(initial=0) > HOLDS * max(np.abs(rows).max(initial=0), 1e-300):
            raise DerivationError(
                f"No friction holds {self.system.title} there: forces are left along"
                f" {quoted(x for x, r in zip(held.coordinates, left, strict=True) if abs(r) > 0)}."
            )
        return np.asarray(found[: len(self._loads)])

    def contains(self, q: Numbers) -> bool:
        """Whether friction holds the system at a position."""
        try:
            needed = self.loads(q)
        except DerivationError:
            return False
        return bool((np.abs(needed) <= 1 + HOLDS).all())

    def __str__(self) -> str:
        if self.centre is None:
            return (
                f"{capital(self.system.title)} rests wherever {listed(self.contacts)} can hold it: no"
                " other force balances, so no ends were found."
            )
        ranges = zip(self.system.coordinates, self.low, self.high, strict=True)
        shown = ", ".join(f"{q} from {a:.6g} to {b:.6g}" for q, a, b in ranges)
        return (
            f"{capital(self.system.title)} rests in a set of dimension {len(self.contacts)}, held by"
            f" {listed(self.contacts)}: {shown}."
        )


def stick_zone(
    system: System, values: Numbers, *, guess: Numbers | None = None, inputs: Numbers | None = None
) -> StickZone:
    """Where friction holds a system at rest: a set of equilibria, not one.

    Arguments:
        system: a system with `friction`.
        values: a number for each parameter.
        guess: where to look for the equilibrium without friction.
        inputs: constants for inputs.

    Raises:
        DeclarationError: the system has no friction, or arrays are among the values.
        DerivationError: every contact slips at rest; `equilibrium` is then the verb.

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
    taken = {s.name for s in (*system.inputs, *system.parameters, *system.coordinates)}
    loads = tuple(new_input(_free(f"load{k + 1}", taken)) for k in range(len(contacts)))
    held = _loaded(system, signs, contacts, loads)
    names = {p.name for p in held.parameters}
    own = {key: value for key, value in values.items() if getattr(key, "name", key) in names}
    none = dict.fromkeys(loads, 0.0)
    corners = np.array(list(product((-1.0, 1.0), repeat=len(loads))))
    given = dict(zip(loads, corners.T, strict=True))
    try:
        centre = equilibrium(held, own, guess=guess, inputs={**(inputs or {}), **none})
        if centre.free:
            raise SolveError("A coordinate rests anywhere.")
        start = dict(zip(held.coordinates, centre.q, strict=True))
        found = equilibrium(held, own, guess=start, inputs={**(inputs or {}), **given})
        lost = not np.all(found.converged)
    except (NoEquilibrium, SolveError):
        lost = True
    if lost:
        zone = StickZone(system, contacts, None, None, held, own, loads)
        if not zone.contains(guess or {}):
            raise SolveError(
                f"Friction does not hold {system.title} at the guess, and no rest was found near it."
                " Give a guess where it rests."
            )
        return zone
    return StickZone(system, contacts, centre, found, held, own, loads)


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
