"""The order in which people count names: theta2 before theta10."""

from __future__ import annotations

import re

import sympy

Name = tuple[tuple[bool, str | int], ...]


def by_name(expression: sympy.Basic) -> Name:
    """What an expression is sorted by."""
    written = expression.name if isinstance(expression, sympy.Symbol) else str(expression)
    pieces = re.split(r"(\d+)", written)
    counted = ((x.isdecimal(), int(x) if x.isdecimal() else x) for x in pieces if x)
    return (*counted, (False, written))  # m1 and m01 count the same
