"""Equations of equilibrium without unknowns: what inputs must fulfil, and what nothing can.

A torque on a hub that nothing holds must be zero at an equilibrium. That is a condition on the input,
and no contradiction; a weight that nothing holds is one, unless the weight is zero.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import sympy

from routh.language.symbols import Input
from routh.language.walk import leaves
from routh.mechanics.forms.chapter import Formula
from routh.mechanics.forms.printing import text


def split_conditions(
    rows: Iterable[sympy.Expr],
) -> tuple[list[sympy.Expr], list[sympy.Expr]]:
    """The rows that inputs can fulfil, each once and with a plain sign, and the others."""
    conditions: dict[sympy.Expr, None] = {}
    others: list[sympy.Expr] = []
    for row in rows:
        if any(isinstance(x, Input) for x in leaves([row])):
            conditions[-row if row.could_extract_minus_sign() else row] = None
        else:
            others.append(row)
    return list(conditions), others


def why_unfulfilled(rows: Sequence[sympy.Expr], lengths: Iterable[sympy.Expr] = ()) -> str:
    """What rows of numbers and parameters, which are not zero, say of an equilibrium.

    Lengths of spaces are positive.
    """
    above = {x: sympy.Dummy(x.name, positive=True) for x in lengths if x.is_Symbol}
    if any(row.is_number or row.xreplace(above).is_nonzero for row in rows):
        return "The equations contradict each other: there is no equilibrium."
    demands = " and ".join(f"{text(row)} = 0" for row in rows)
    return f"There is no equilibrium unless {demands}."


def only_if(conditions: Sequence[sympy.Expr], existence: Sequence[Formula] = ()) -> str:
    """The conditions behind the word `solution`: what must be zero, and where it exists."""
    told = [*(f"{text(e)} = 0" for e in conditions), *map(str, existence)]
    return f" if {', '.join(told)}" if told else ""
