"""Constraints: what they hold, their derivatives, and how they act."""

from __future__ import annotations

from collections.abc import Iterator

import sympy

from routh.language.symbols import Coordinate
from routh.language.system import System
from routh.language.walk import unfold
from routh.lecture.lagrangian.constraint_rates import held
from routh.lecture.lagrangian.degrees import kinetic
from routh.lecture.lagrangian.expressions import joined, matrix, primed
from routh.lecture.lagrangian.letters import Letters
from routh.mechanics.constraints import ConstraintKind
from routh.mechanics.forms.chapter import Formula, Step, formula
from routh.mechanics.lagrange import Equations


def hold(eq: Equations, letters: Letters) -> Iterator[Step]:
    """Each constraint with its derivatives, and what it does to the Lagrangian."""
    system = eq.system
    if not system.constraints:
        return
    found = held(eq)
    for kind, sentence in _KINDS.items():
        own = [k for k, each in enumerate(eq.kinds) if each is kind]
        if own:
            yield sentence
        for k in own:
            yield from _rates(system.constraints[k], found.rates[k], letters("phi", k + 1))
    J, gamma, a = letters("J"), letters("gamma"), primed(letters("q"), 2)
    yield "Sorted by accelerations, the last rate of each is"
    yield formula(joined([J, " ", a, " + ", gamma]), 0)
    yield matrix(J, found.J)
    yield matrix(gamma, found.gamma)
    yield from _quaternion(system)
    yield from _multiplied(eq, letters)


_KINDS = {
    ConstraintKind.HOLONOMIC: (
        "A constraint on positions holds at all times, so that its first and second rates vanish too:"
    ),
    ConstraintKind.INTEGRABLE: (
        "A constraint on velocities holds at all times, so that its rate vanishes too. Here it is"
        " itself the rate of a function of position and time:"
    ),
    ConstraintKind.NONHOLONOMIC: (
        "A constraint on velocities holds at all times, so that its rate vanishes too:"
    ),
}


def _rates(written: sympy.Expr, rates: tuple[sympy.Expr, ...], name: Formula) -> Iterator[Step]:
    """A constraint as written, in its short form if that is another, and its rates."""
    forms = [written] if rates[0] == written else [written, rates[0]]
    yield formula(name, *forms, 0)
    for order, rate in enumerate(rates[1:], 1):
        yield formula(primed(name, order), rate, 0)


def _quaternion(system: System) -> Iterator[Step]:
    """Four coordinates of unit length, named as `quaternion` names them."""
    for phi in system.constraints:
        own = sorted((s for s in phi.atoms(Coordinate) if not s.order), key=str)
        unit = sympy.Add(*(e**2 / 2 for e in own)) - sympy.Rational(1, 2)
        stem = own[0].label[:-1] if own else ""
        names = [f"{stem}{k}" for k in range(4)]
        if sympy.expand(phi - unit) == 0 and [e.label for e in own] == names and stem:
            yield (
                f"`{names[0]}` to `{names[3]}` are held at unit length, like the four numbers of a"
                " quaternion: one more than a rotation needs, and no position of the body is singular."
            )


def _multiplied(eq: Equations, letters: Letters) -> Iterator[Step]:
    """The augmented Lagrangian, and why velocity constraints are not in it."""
    every = list(zip(eq.multipliers, eq.kinds, range(1, len(eq.kinds) + 1), strict=True))
    positions = [(factor, k) for factor, kind, k in every if kind is ConstraintKind.HOLONOMIC]
    L, plain = letters("Lbar"), letters("L")
    if positions:
        yield (
            "Constraints on positions are subtracted from the Lagrangian with their multipliers. So the"
            " force of the constraints on the system is minus the transposed Jacobian times these:"
        )
        minus = [joined([" - ", formula(factor), " ", letters("phi", k)]) for factor, k in positions]
        phis = list(map(unfold, eq.system.constraints))
        total = kinetic(eq) - eq.V - sympy.Add(*(factor * phis[k - 1] for factor, k in positions))
        yield formula(L, joined([plain, *minus]), total)
    if len(positions) < len(every):
        yield (
            "A constraint on velocities is not added to the Lagrangian: stationary action among the"
            " paths that obey it is another problem (vakonomic), with rates of multipliers in its"
            " equations. By d'Alembert its force does no work along the displacements that it admits,"
            " those at right angles to its slopes by the velocities, and so it is minus a multiplier"
            " times these slopes."
        )
    if ConstraintKind.INTEGRABLE in eq.kinds:
        yield (
            "One that is the rate of a function of position and time could also be replaced by that"
            " function, held at the value it starts with: the motion is the same."
        )
