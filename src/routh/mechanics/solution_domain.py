"""Where a solution in closed form exists: what stands under roots, in arcus functions and below lines.

`acos(x)` is a real angle for `-1 <= x <= 1`, a root of what is not negative is real, and nothing is
divided by zero. A bead on a hoop rests at `acos(g/(R omega^2))` only where `g <= R omega^2`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import sympy

from routh.language.walk import nodes
from routh.mechanics.forms.chapter import Formula, formula


def existence(
    values: Iterable[sympy.Expr], nonnegative: Iterable[sympy.Expr] = ()
) -> tuple[Formula, ...]:
    """The conditions under which values are real and finite, each once; none where they always are.

    Arguments:
        values: a solution.
        nonnegative: what must not be negative beside.
    """
    found = [each for node in nodes(list(values)) for each in _needed(node)]
    found += map(_not_below, nonnegative)
    return tuple({each.text: each for each in found}.values())


def _needed(node: sympy.Basic) -> Iterator[Formula]:
    """The condition of one function, unless signs that were declared settle it."""
    if isinstance(node, (sympy.acos, sympy.asin)):
        yield from _within(node.args[0])
    elif isinstance(node, sympy.log) and not node.args[0].is_positive:
        yield formula(node.args[0], 0, relation=">")
    elif isinstance(node, sympy.Pow):
        base, exponent = node.args
        is_root = exponent.is_Rational and exponent.q % 2 == 0
        if is_root and exponent.is_positive and not base.is_nonnegative:
            yield _not_below(base)
        elif is_root and exponent.is_negative and not base.is_positive:
            yield formula(*_sides(base), relation=">")
        elif exponent.is_negative and base.is_Add and not base.is_nonzero:
            yield formula(*_sides(base), relation="!=")


def _within(x: sympy.Expr) -> Iterator[Formula]:
    """-1 <= x <= 1; of what is positive as one writes it, without a line."""
    if x.is_number and abs(x) <= 1:
        return
    above, below = sympy.fraction(sympy.together(x))
    if x.is_nonnegative and below.is_positive:
        yield formula(above, below, relation="<=")
    elif x.is_nonpositive and below.is_positive:
        yield formula(-above, below, relation="<=")
    else:
        yield formula(-1, x, 1, relation="<=")


def _not_below(base: sympy.Expr) -> Formula:
    return formula(*_sides(base), relation=">=")


def _sides(e: sympy.Expr) -> tuple[sympy.Expr, sympy.Expr]:
    """A sum with the terms that have a minus on the other side; with a positive line multiplied out."""
    above, below = sympy.fraction(sympy.together(e))
    whole = sympy.expand(above) if below.is_positive else e
    minus = [term for term in sympy.Add.make_args(whole) if term.as_coeff_Mul()[0].is_negative]
    plus = sympy.Add(*(term for term in sympy.Add.make_args(whole) if term not in minus))
    return (plus, -sympy.Add(*minus)) if plus != 0 else (whole, sympy.S.Zero)
