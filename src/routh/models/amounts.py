"""Sizes and masses that parts of a model are given: numbers of the right sign, or expressions.

A number is checked at once; what contains parameters becomes a requirement, which their values must
keep; what moves, as a coefficient of lift that an input sets, is left as it is.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import sympy
from sympy import ImmutableDenseMatrix as Matrix

from routh.errors import DeclarationError, shortened
from routh.language.calculus import as_vector, expression
from routh.language.requirements import Requirement
from routh.language.symbols import Coordinate, Input, t
from routh.language.walk import leaves


@dataclass(frozen=True)
class Amounts:
    """What arguments of a part are, by name, and what is required of them."""

    values: Mapping[str, sympy.Expr]
    requirements: tuple[Requirement, ...]

    def __getitem__(self, name: str) -> sympy.Expr:
        return self.values[name]


def amounts(
    owner: str,
    positive: Mapping[str, object],
    nonnegative: Mapping[str, object] | None = None,
    *,
    constant: Collection[str] = (),
) -> Amounts:
    """Arguments of a part, checked.

    Arguments:
        owner: whose they are, like "a drum".
        positive: what must be above zero, by name.
        nonnegative: what may be zero too.
        constant: names of those that must not contain coordinates, inputs or time.

    Raises:
        DeclarationError: one is no expression, not finite and real, of the wrong sign or not constant.
    """
    values: dict[str, sympy.Expr] = {}
    required: list[Requirement] = []
    for given, strict in ((positive, True), (nonnegative or {}, False)):
        for name, value in given.items():
            what = f"The `{name}` of {owner}"
            own = Requirement(expression(value, what), what, strict)
            values[name] = own.expression
            if own.expression.is_number:
                refuse_sign(own)
            elif own.moves and name in constant:
                raise DeclarationError(f"{what} must be constant. Got {shortened(own.expression)}.")
            elif not own.moves:
                required.append(own)
    return Amounts(values, tuple(required))


def refuse_sign(own: Requirement) -> None:
    """Refuse a number that is not finite, not real or of the wrong sign."""
    e = own.expression
    if not (e.is_real and e.is_finite):
        raise DeclarationError(f"{own.what} must be a finite real number. Got {shortened(e)}.")
    if not own.is_kept(float(e)):
        raise DeclarationError(f"{own.what} must {own.word}. Got {float(e):.6g}.")


def changes(value: sympy.Expr) -> bool:
    """Whether a length or a mass changes."""
    return any(isinstance(s, (Coordinate, Input)) or s == t for s in leaves([value]))


def length_of(value: object, what: str = "The length of a tether") -> Amounts:
    """A length, positive where it is constant; of positions, not of their rates."""
    size = expression(value, what)
    rates = [s for s in leaves([size]) if isinstance(s, Coordinate) and s.order]
    if rates:
        raise DeclarationError(
            f"{what} is a coordinate, or made of some. Got {shortened(size)}, with the rate"
            f" `{min(rates, key=str)}`."
        )
    own = Requirement(size, what)
    if size.is_number:
        refuse_sign(own)
    return Amounts({"length": size}, () if own.moves or size.is_number else (own,))


def vector_of(value: object, size: int, what: str) -> Matrix:
    """A vector of so many components."""
    found = as_vector(value, what)
    if found.rows != size:
        raise DeclarationError(f"{what} has {size} components here. Got {found.rows}.")
    return found
