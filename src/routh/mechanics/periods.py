"""Which periods functions of time have, shown from how they are written.

Waves exp(i r t) repeat after T if r T is a whole number of turns. All else repeats if what it is a
function of does. A look at some times could not tell that a kick comes once only.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import sympy

from routh.language.derivation import explicit_rate
from routh.language.symbols import Let, t
from routh.language.walk import leaves
from routh.mechanics.generators import in_sympy
from routh.mechanics.laurent import Product, TooLongError, Work
from routh.mechanics.time_form import GRANTED, MixedError, TimeForm


@dataclass(frozen=True)
class Turning:
    """An angle that must have advanced by whole turns: `rate * T = k * turn`."""

    rate: sympy.Expr
    turn: sympy.Expr
    term: sympy.Expr
    """Where it was found."""


class AperiodicError(Exception):
    """A function of time that repeats after no period, or was not shown to."""

    def __init__(self, term: sympy.Basic) -> None:
        super().__init__(str(term))
        self.term = term


def turnings(expressions: Iterable[sympy.Expr]) -> list[Turning]:
    """The angles that say which periods the expressions have.

    Raises:
        AperiodicError: something in them does not repeat, or is too long to tell.
    """
    reader = TimeForm({}, 1, Work(GRANTED))
    found: dict[tuple[sympy.Expr, sympy.Expr], Turning] = {}
    for expression in expressions:
        try:
            for turning in _of(reader, expression):
                found.setdefault((turning.rate, turning.turn), turning)
        except TooLongError:
            raise AperiodicError(expression) from None
    return list(found.values())


def _of(reader: TimeForm, node: sympy.Basic) -> Iterable[Turning]:
    if not reader.has_time(node):
        return
    if not isinstance(node, sympy.Expr):  # a condition, or a value with its condition
        for each in node.args:
            yield from _of(reader, each)
        return
    try:
        form = reader.form(node)
    except MixedError:
        yield from _inside(reader, node)
        return
    for product in form:
        yield from _repeats(reader, product, node)


def _repeats(reader: TimeForm, product: Product, node: sympy.Expr) -> Iterable[Turning]:
    """The angles of one product of generators."""
    phase = sympy.S.Zero
    for k, exponent in product:
        own = reader.generators[k]
        if not own.timed:
            continue
        if own.kind == "wave" and not own.mixed:
            phase += in_sympy(exponent) * explicit_rate(own.expression)
        elif own.kind == "other":
            yield from _inside(reader, own.expression)
        else:
            raise AperiodicError(node)
    if phase != 0:
        yield Turning(phase, 2 * sympy.pi, node)


def _inside(reader: TimeForm, node: sympy.Basic) -> Iterable[Turning]:
    """The angles in what a function is of."""
    if isinstance(node, Let):
        yield from _of(reader, node.expression)
    elif isinstance(node, sympy.Abs):
        yield from _of(reader, node.args[0] ** 2)
    elif isinstance(node, sympy.Mod) and not reader.has_time(node.args[1]):
        rate = explicit_rate(node.args[0])
        if t in leaves([rate]):
            raise AperiodicError(node)
        yield Turning(rate, node.args[1], node)
    elif node.args:
        for each in node.args:
            yield from _of(reader, each)
    else:
        raise AperiodicError(node)
