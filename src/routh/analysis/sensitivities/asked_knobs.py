"""What derivatives are asked by: parameters, inputs, steady velocities; and those that have none.

A derivative under an integral is that of the branches of a function. Where a jump of a property moves
along a space with a parameter, or branches of a function of parameters meet, it is another number, and
none is given.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import sympy

from routh.analysis.given.conditions import Conditions
from routh.analysis.given.knob import Knob, knob
from routh.analysis.pieces.rough import is_rough
from routh.errors import DeclarationError, DerivationError, shortened
from routh.kernels.plain_values import plain_values
from routh.language.domains import space_of
from routh.language.fields import Space
from routh.language.symbols import Parameter
from routh.language.system import System
from routh.language.walk import leaves, nodes, unfold
from routh.mechanics.forms.vanish import vanishes

CONTINUOUS = (sympy.Abs, sympy.Max, sympy.Min, sympy.Pow)
"""Functions made of pieces without jumps: what their kinks do under an integral is of second order."""

MANY_JUMPS = (sympy.floor, sympy.ceiling, sympy.Mod)
"""Functions that jump at many places, of which zero is one."""

BESIDE = 1e-7
"""Share of a parameter by which one looks to both sides of it."""

ALIKE = 1e-4
"""Share of slopes that may differ there where they are smooth."""


def asked_knobs(system: System, given: Conditions, chosen: Sequence[object]) -> tuple[Knob, ...]:
    """The knobs of what was named, or all parameters of the system.

    Raises:
        DeclarationError: a name is none of the system, or there is none.
        DerivationError: the parameter moves a jump, or branches meet at its value.
    """
    if not chosen:
        if not system.parameters:
            raise DeclarationError(
                f"{system.title} has no parameters to take derivatives by. Write numbers as"
                ' parameter("m", 1.0), or name an input.'
            )
        chosen = system.parameters
    knobs = tuple(knob(system, given, each) for each in chosen)
    twice = [each for k, each in enumerate(knobs) if each in knobs[:k]]
    if twice:
        raise DeclarationError(f"`{twice[0].symbol}` is asked for twice. Name each parameter once.")
    rough = [node for node in nodes(_expressions(system)) if is_rough(node)]
    for each in knobs if rough else ():
        _refuse_moving_jumps(system, each, rough)
        _refuse_own_kinks(system, given, each, rough)
    return knobs


def _expressions(system: System) -> list[sympy.Basic]:
    return [e for expressions in system.parts().values() for e in expressions]


def _refuse_moving_jumps(system: System, moved: Knob, rough: Sequence[sympy.Basic]) -> None:
    for node in rough:
        space = space_of([node])
        if space is None or isinstance(node, CONTINUOUS):
            continue
        touched = leaves([node, *(unfold(sympy.sympify(b)) for b in space.bounds)])
        if moved.symbol not in touched:
            continue
        many = isinstance(node, MANY_JUMPS)
        if many or not all(_stays(place, space, moved.symbol) for place in _switches(node)):
            raise DerivationError(
                f"There is no derivative by `{moved.symbol}` of {system.title}: with it the place moves"
                f" where `{shortened(node, 60)}` jumps along `{space}`, and derivatives of its branches"
                " do not see that. Ask for other parameters, or write the jump as a steep smooth"
                " function."
            )


def _switches(node: sympy.Basic) -> list[sympy.Expr]:
    """What passes zero where branches change."""
    relations = node.atoms(sympy.core.relational.Relational)
    return [each.lhs - each.rhs for each in relations] or [sympy.sympify(node.args[0])]


def _stays(switch: sympy.Expr, space: Space, symbol: sympy.Symbol) -> bool:
    """Whether a place along a space, counted in shares of its length, does not move with a symbol."""
    share = sympy.Dummy("share")
    start, end = (unfold(sympy.sympify(b)) for b in space.bounds)
    along = unfold(switch).xreplace({space: start + (end - start) * share})
    slope = sympy.diff(along, share)
    if share in slope.free_symbols or slope == 0:
        return False
    place = -along.xreplace({share: sympy.S.Zero}) / slope
    return vanishes(sympy.diff(place, symbol))


def _refuse_own_kinks(
    system: System, given: Conditions, moved: Knob, rough: Sequence[sympy.Basic]
) -> None:
    """Refuse functions of parameters alone that have a kink at the value of one of them."""
    if moved.kind != "p":
        return
    for node in rough:
        inside = leaves([node])
        if moved.symbol not in inside or not all(isinstance(s, Parameter) for s in inside):
            continue
        sides = []
        for sign in (-1, 1):
            p = given.p.copy()
            p[:, moved.place] += sign * BESIDE * np.maximum(np.abs(p[:, moved.place]), BESIDE)
            sides.append(plain_values([node, sympy.diff(node, moved.symbol)], system.parameters, p))
        size = np.abs(sides[0]) + np.abs(sides[1])
        if (np.abs(sides[1] - sides[0]) > ALIKE * size).any():
            raise DerivationError(
                f"There is no derivative by `{moved.symbol}` of {system.title}: branches of"
                f" `{shortened(node, 60)}` meet at its value. Take another value, or ask for other"
                " parameters."
            )
