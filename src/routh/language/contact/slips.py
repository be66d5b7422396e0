"""Slip velocities at the door: relative velocities, linear in those of the system."""

from __future__ import annotations

import sympy
from sympy import ImmutableDenseMatrix as Matrix

from routh.errors import DeclarationError, quoted, shortened
from routh.language.calculus import as_vector, expression
from routh.language.checks import velocities
from routh.language.contact.reaction import reactions
from routh.language.walk import unfold


def checked_slip(given: object) -> sympy.Expr | Matrix:
    """A relative velocity, or a vector of them.

    Raises:
        DeclarationError: it contains no velocity, or is not linear in them.
    """
    if not isinstance(given, (sympy.MatrixBase, list, tuple)):
        rate = expression(given, "`slip`")
        _refuse_other(rate)
        return rate
    vector = as_vector(given, "`slip`")
    if vector.rows != 2:
        raise DeclarationError(
            "`slip` is the relative velocity along a line, or a vector of two components along a"
            f" surface. Got one of {vector.rows}."
        )
    for each in vector:
        _refuse_other(each)
    return Matrix(vector)


def _refuse_other(rate: sympy.Expr) -> None:
    held = reactions([rate])
    if held:
        raise DeclarationError(
            f"`slip` is a velocity: it must not contain the force of a constraint. Got {quoted(held)}"
            f" in {shortened(rate)}."
        )
    moving = velocities(rate)
    if not moving:
        raise DeclarationError(
            f"`slip` is the relative velocity in a contact, like ddt(x) - v. Got {shortened(rate)},"
            " which contains no velocity."
        )
    for v in moving:
        others = velocities(sympy.expand(unfold(rate).diff(v)))
        if others:
            raise DeclarationError(
                f"`slip` must be linear in the velocities. {quoted(others)} is left in the derivative"
                f" of {shortened(rate)} by `{v}`."
            )
