"""Dry friction: contacts that stick or slip, with a force that is a set of values at rest.

The force is given in newtons, or by coefficients and the normal force. That may be the reaction of a
constraint, which follows from the accelerations as friction does: both are then found together.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import sympy
from sympy import ImmutableDenseMatrix as Matrix

from routh.errors import DeclarationError, a_kind, shortened
from routh.language.calculus import expression
from routh.language.checks import velocities
from routh.language.contact.friction_words import SPEED, Words, checked_words
from routh.language.contact.reaction import reactions
from routh.language.contact.reaction_symbol import Reaction
from routh.language.contact.slips import checked_slip
from routh.language.forces import Force, Origin, generalized_force
from routh.language.symbols import Coordinate
from routh.language.walk import nodes, unfold
from routh.shown import as_markdown

STICK = 0
"""The state of a contact is the sign of its slip velocity, and this where it has none."""

_NEVER_ZERO = sympy.Float("1e-300")
"""Added to the square of a slip in a surface by which its direction is divided: no slip has one."""


_SIZE = sympy.Dummy("size", positive=True)
"""The size of a reaction in a normal force."""


@dataclass(frozen=True)
class Friction:
    """A contact that opposes the slip velocity.

    Attributes:
        slip: the relative velocity, linear in the velocities of the system; a vector where the bodies
            touch along a surface.
        static: the largest force that holds while it sticks.
        law: the force while it slips, as a function of the slip speed.
        normal: the force that presses the bodies together; None where forces were given in newtons.
        name: shown in messages.
    """

    slip: sympy.Expr | Matrix
    static: sympy.Expr
    name: str
    _law: sympy.Expr = field(repr=False)
    curve: tuple[tuple[str, sympy.Expr], ...] | None = field(repr=False, default=None)
    """The arguments of Stribeck's curve as they were given; None where a law was."""
    normal: sympy.Expr | None = None
    _shares: tuple[sympy.Expr, sympy.Expr] = field(repr=False, default=(sympy.S.Zero, sympy.S.Zero))

    def law(self, speed: Any) -> sympy.Expr:
        """The force of a contact that slips at this speed, above zero."""
        return self._law.xreplace({SPEED: expression(speed, "The slip speed")})

    def shares(self, speed: Any) -> tuple[sympy.Expr, sympy.Expr]:
        """The size at rest and that of slip at a speed: coefficients with a normal force, else forces.

        Without the viscous part, which is no share of the normal force.
        """
        held, sliding = self._shares
        return held, sliding.xreplace({SPEED: expression(speed, "The slip speed")})

    @property
    def components(self) -> tuple[sympy.Expr, ...]:
        """The slip velocity as numbers: one, or those of a vector."""
        return tuple(self.slip) if isinstance(self.slip, sympy.MatrixBase) else (self.slip,)

    @property
    def is_vector(self) -> bool:
        """Whether the slip has a direction in a surface, so that its state is 1 or 0."""
        return len(self.components) > 1

    @property
    def speed(self) -> sympy.Expr:
        """The size of the slip velocity."""
        if not self.is_vector:
            return sympy.Abs(self.slip)
        return sympy.sqrt(sympy.Add(*(each**2 for each in self.components)))

    def along_heading(self, heading: int) -> sympy.Expr:
        """The component of a slip in a surface along a heading, a number of eighths of a turn."""
        angle = heading * sympy.pi / 4
        x, y = self.components
        return sympy.cos(angle) * x + sympy.sin(angle) * y

    def signed_speed(self, heading: int) -> sympy.Expr:
        """The size of a slip in a surface, negative where it goes against a heading, and never zero."""
        square = sympy.Add(_NEVER_ZERO, *(each**2 for each in self.components))
        return sympy.sign(self.along_heading(heading)) * sympy.sqrt(square)

    @property
    def reactions(self) -> tuple[Reaction, ...]:
        """The forces of constraints on which the friction depends."""
        return tuple(reactions([self.static, self._law]))

    @property
    def sides(self) -> tuple[sympy.Abs, ...]:
        """Sizes of reactions in the normal force of a contact that presses on either side."""
        found = [e for e in nodes([self.static, self._law]) if isinstance(e, sympy.Abs)]
        return tuple(sorted((e for e in found if reactions([e])), key=str))

    @property
    def factors(self) -> dict[sympy.Abs, sympy.Expr]:
        """What stands before each size of a reaction in the normal force."""
        written = sympy.S.Zero if self.normal is None else unfold(self.normal)
        return {size: written.xreplace({size: _SIZE}).diff(_SIZE) for size in self.sides}

    @property
    def is_one_sided(self) -> bool:
        """Whether it has a normal force that must not become negative: the contact would be lost."""
        return self.normal is not None and not self.sides

    def on_sides(self, value: sympy.Expr, sides: Sequence[int]) -> sympy.Expr:
        """An expression with the sizes of reactions written as 1 or -1 times what is inside."""
        chosen = {e: side * e.args[0] for e, side in zip(self.sides, sides, strict=True)}
        return unfold(value).xreplace(chosen) if chosen else value

    @property
    def slopes(self) -> dict[Coordinate, sympy.Expr]:
        """The derivatives of a slip velocity in one direction by the velocities, by coordinate."""
        return _slopes(self.components[0])

    def force(self, state: int, sides: Sequence[int] = (), heading: int | None = None) -> list[Force]:
        """The generalized forces of a contact that slips, forwards (1) or backwards (-1).

        A slip that is a vector may have a heading, a number of eighths of a turn: its speed is then
        negative on the other side, so that the force goes on smoothly where the slip passes zero.
        """
        if self.is_vector:
            speed = self.speed if heading is None else self.signed_speed(heading)
            size = -self.law(speed) / speed
            return self.pushing([self.on_sides(size, sides) * each for each in self.components])
        size = -state * self.law(state * self.components[0])
        return self.pushing([self.on_sides(size, sides)])

    def regularized(self, width: float) -> list[Force]:
        """The same as a smooth force, with slip/sqrt(slip^2 + width^2) for the sign of the slip."""
        if self.sides:
            raise DeclarationError(
                f"The force of {self} depends on the size of a reaction, `{shortened(self.sides[0])}`,"
                " which is not smooth. Leave out regularize=: its phases end where the side changes."
            )
        square = sympy.Add(*(each**2 for each in self.components))
        speed = sympy.sqrt(square + sympy.Float(width) ** 2)
        return self.pushing([-self.law(speed) * each / speed for each in self.components])

    def pushing(self, sizes: Sequence[sympy.Expr]) -> list[Force]:
        """The generalized forces of a force with one size along each component of the slip."""
        return [
            generalized_force(q, size * slope, Origin.FRICTION)
            for size, each in zip(sizes, self.components, strict=True)
            for q, slope in _slopes(each).items()
        ]

    @property
    def expressions(self) -> list[sympy.Expr]:
        """All that it is made of, in symbols of the system."""
        every = [*self.components, self.static, self.law(self.components[0])]
        return every if self.normal is None else [*every, self.normal]

    def __str__(self) -> str:
        given = list(self.slip) if isinstance(self.slip, sympy.MatrixBase) else self.slip
        return self.name or f"contact with slip {shortened(given, 60)}"

    _repr_markdown_ = as_markdown


def _slopes(slip: sympy.Expr) -> dict[Coordinate, sympy.Expr]:
    written = unfold(slip)
    return {v.base: written.diff(v) for v in velocities(slip)}


def friction(
    slip: object,
    *,
    coefficient: object = None,
    normal: object = None,
    static_coefficient: object = None,
    static: object = None,
    kinetic: object = None,
    stribeck: object = None,
    viscous: object = 0,
    law: Callable[[Any], Any] | None = None,
    name: str = "",
) -> Friction:
    """A contact with dry friction: it sticks until its static force is exceeded, and then slips.

    Against a slip of speed s acts the force `Fc + (Fs - Fc) exp(-(s/vs)^2) + beta s`, where `Fc` and
    `Fs` are given in newtons, or are `mu N` and `mu_s N`.

    Arguments:
        slip: the relative velocity in the contact, linear in velocities, like `ddt(x) - v_belt`; a
            vector of two components where the bodies touch in a plane.
        coefficient: mu, that of slow slip (Coulomb's), with `normal`.
        normal: N, the force that presses the bodies together: an expression, like `m*g`, or with
            `reaction(phi)` the force of a constraint. Where it becomes negative the contact is lost,
            and a motion ends. `abs(reaction(phi))` is that of a contact which presses on either side,
            like a sleeve on a rod. It is linear in reactions, or in sizes of them.
        static_coefficient: mu_s, the largest at rest; `coefficient` if not given.
        static: Fs, the largest force at rest; that of the law at no speed if not given.
        kinetic: Fc, the force of slow slip (Coulomb's); the static force if not given.
        stribeck: vs, the speed over which the force falls from static to kinetic; at once if not given.
        viscous: beta, a force per speed.
        law: instead of these, a function that gives the force for a slip speed above zero; with
            `normal`, the coefficient.
        name: shown in messages.

    Raises:
        DeclarationError: for a slip that is no velocity, or a force or coefficient that is negative.

    Example:
        >>> from routh import coordinate, ddt
        >>> x = coordinate("x")
        >>> float(friction(ddt(x), static=1.5, kinetic=1, stribeck=0.1, viscous=0.4).law(2))
        1.8
        >>> friction(ddt(x), coefficient=0.3, normal=20).static
        6.00000000000000
    """
    rate = checked_slip(slip)
    words = Words(coefficient, normal, static_coefficient, static, kinetic, stribeck, viscous, law)
    found = checked_words(words)
    given = (rate, found.static, str(name), found.law, found.curve, found.normal, found.shares)
    return Friction(*given)


def frictions_of(given: object) -> tuple[Friction, ...]:
    """What `friction=` of a system holds."""
    if given is None:
        return ()
    several = (given,) if isinstance(given, Friction) else given
    if not isinstance(several, (list, tuple)) or not all(isinstance(c, Friction) for c in several):
        raise DeclarationError(
            f"`friction` of a system lists what friction(slip, static=...) makes. Got {a_kind(given)}."
        )
    return tuple(several)
