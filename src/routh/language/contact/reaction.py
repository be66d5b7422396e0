"""The force of a constraint as a symbol, so that other forces can depend on it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import sympy

from routh.errors import DeclarationError, listed, shortened
from routh.language.calculus import expression
from routh.language.contact.reaction_symbol import Reaction
from routh.language.forces import Force
from routh.language.symbols import Coordinate
from routh.language.walk import leaves


def reaction(constraint: object) -> Reaction:
    """The force with which a constraint pushes, as a symbol for forces, friction, events and results.

    `constraint` is the very expression phi that the system lists in `constraints`, read as a gap: the
    force on the system is `reaction(phi)` times the slope of phi, so it is positive where it pushes the
    gap open. It is in newtons where phi is the distance of two bodies, whose slope has length 1.

    Example:
        >>> import routh as rt
        >>> x, y = rt.coordinates("x y")
        >>> block = rt.System(kinetic=rt.ddt(x)**2 + rt.ddt(y)**2, potential=20 * y, constraints=[y])
        >>> float(rt.equilibrium(block, {})[reaction(y)])
        20.0
    """
    phi = expression(constraint, "The constraint of a reaction")
    if not any(isinstance(s, Coordinate) for s in leaves([phi])):
        raise DeclarationError(
            "reaction(phi) is the force of a constraint phi, an expression with coordinates that the"
            f" system lists in `constraints`. Got {shortened(phi)}."
        )
    return Reaction(phi)


def reactions(expressions: Iterable[sympy.Basic]) -> list[Reaction]:
    """The reactions in expressions, by name."""
    found = [s for s in leaves(expressions) if isinstance(s, Reaction)]
    return sorted(found, key=lambda s: s.name)


def refuse_other_reactions(
    expressions: Iterable[sympy.Basic], constraints: Sequence[sympy.Expr], part: str
) -> None:
    """No reaction of what is no constraint of the system."""
    for each in reactions(expressions):
        if each.constraint not in constraints:
            raise DeclarationError(
                f"`{part}` contains `{shortened(each)}`, and `{shortened(each.constraint)}` is not"
                " among the constraints of the system. Write the constraint as it is listed. Got:"
                f" {listed(shortened(phi) for phi in constraints)}."
            )


def refuse_nonlinear_reactions(values: Iterable[sympy.Expr], what: str) -> None:
    """No force that depends on reactions but linearly: accelerations follow from linear equations."""
    for value in values:
        for each in reactions([value]):
            if reactions([value.diff(each)]):
                raise DeclarationError(
                    f"{what} must be linear in reactions; the normal force of a contact that presses on"
                    f" either side is abs(reaction(phi)). Got {shortened(value)}."
                )


def depends_on_reactions(forces: Iterable[Force]) -> bool:
    """Whether forces of constraints are among what other forces depend on."""
    return bool(reactions([e for force in forces for e in force.components]))


def by_multipliers(
    constraints: Sequence[sympy.Expr], multipliers: Sequence[sympy.Symbol]
) -> dict[sympy.Basic, sympy.Basic]:
    """What reactions are in terms of multipliers: the opposite of that of their constraint."""
    return {Reaction(phi): -own for phi, own in zip(constraints, multipliers, strict=True)}
