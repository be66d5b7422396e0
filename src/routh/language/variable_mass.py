"""Masses that depend on position or time, and what their change does to momentum and energy."""

from __future__ import annotations

from dataclasses import dataclass, replace

import sympy

from routh.errors import DeclarationError, did_you_mean, quoted
from routh.language.calculus import as_vector, ddt, expression, norm2
from routh.language.forces import Force, Origin, force, generalized_force
from routh.language.symbols import Coordinate
from routh.language.walk import leaves, prescribed, unfold
from routh.shown import as_markdown

RULES = ("energy", "momentum")


@dataclass(frozen=True)
class VariableMass:
    """A point mass that changes: its kinetic energy, and the forces of what is taken in or lost.

    Attributes:
        kinetic: m |r'|^2 / 2, a term of `kinetic`.
        forces: what is to be added to `forces`.
    """

    kinetic: sympy.Expr
    forces: tuple[Force, ...]

    _repr_markdown_ = as_markdown


def variable_mass(
    mass: object, r: object, *, accretion: str | None = None, intake: object = None
) -> VariableMass:
    """A point mass that depends on position or time.

    Lagrange's equations alone keep the energy of a mass that depends on position, as in a chain that
    unfolds without loss. Where mass is taken in at a velocity of its own, momentum is what is kept, and
    two forces come on top (Pesce 2003): `m' w . dr/dq` of the momentum that comes with it, and
    `-(dm/dq) |r'|^2 / 2`.

    Arguments:
        mass: the mass, an expression in coordinates and t.
        r: where it is.
        accretion: "energy" or "momentum": what the change keeps.
        intake: with "momentum", w, the velocity of the mass that is taken in or lost: zero for a heap
            at rest, ddt(r) for what leaves without a push.

    Raises:
        DeclarationError: the mass changes and `accretion` does not say how.

    Example:
        >>> from routh import coordinate, parameters, vector, System
        >>> x, (mu, g) = coordinate("x"), parameters("mu g")
        >>> end = variable_mass(mu * x, vector(x), accretion="momentum", intake=vector(0))
        >>> chain = System(kinetic=end.kinetic, potential=-mu * g * x**2 / 2, forces=end.forces)
    """
    m = expression(mass, "The mass")
    place = as_vector(r, "The position of a mass")
    velocity = ddt(place)
    symbols = leaves([m])
    moving = sorted((s for s in symbols if isinstance(s, Coordinate)), key=str)
    rates = [s for s in moving if s.order]
    if rates:
        raise DeclarationError(
            f"A mass depends on coordinates and time. Got {quoted(rates)}, which is a velocity."
        )
    given = sorted(prescribed([m]), key=str)
    changes = bool(moving or given)
    _refuse_unsaid(changes, accretion, [*moving, *given])
    if accretion == "energy" and given:
        raise DeclarationError(
            'accretion="energy" is for a mass that depends on position alone: one that depends on time'
            ' brings or takes energy along. Say accretion="momentum" with intake=, the velocity of what'
            " is taken in or lost."
        )
    kinetic = m / 2 * norm2(velocity)
    if not changes or accretion == "energy":
        if intake is not None:
            raise DeclarationError(
                '`intake` is the velocity of the mass that is taken in, for accretion="momentum". Got'
                f" {'a mass that is constant' if not changes else 'accretion=' + repr(accretion)}."
            )
        return VariableMass(kinetic, ())
    if intake is None:
        raise DeclarationError(
            'accretion="momentum" needs `intake`, the velocity of the mass that is taken in or lost: a'
            " vector of zeros for what was at rest, ddt(r) for what leaves without a push."
        )
    w = as_vector(intake, "`intake`")
    if w.rows != place.rows:
        raise DeclarationError(
            f"`intake` must have as many components as the position. Got {w.rows} and {place.rows}."
        )
    written = unfold(m)
    forces = [
        generalized_force(q, -written.diff(q) * norm2(velocity) / 2, Origin.ACCRETION)
        for q in moving
        if written.diff(q) != 0
    ]
    if any(w):
        forces.append(replace(force(ddt(m) * w, at=place), origin=Origin.INTAKE))
    return VariableMass(kinetic, tuple(forces))


def _refuse_unsaid(changes: bool, accretion: object, by: list[sympy.Symbol]) -> None:
    if accretion is not None and accretion not in RULES:
        raise DeclarationError(
            f'`accretion` is "energy" or "momentum". Got {accretion!r}.'
            + did_you_mean(str(accretion), RULES)
        )
    if changes and accretion is None:
        raise DeclarationError(
            f"The mass depends on {quoted(by)}, so it must be said what its change keeps:"
            ' accretion="energy" (as in a chain that unfolds without loss), or accretion="momentum"'
            " with intake=, the velocity of the mass that is taken in. They give different motions."
        )
