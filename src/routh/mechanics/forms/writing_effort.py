"""How much there is to write: operations, and parentheses within parentheses as one each."""

from __future__ import annotations

from functools import lru_cache

import sympy


@lru_cache(maxsize=1 << 14)
def effort(expression: sympy.Basic, inside: bool = False) -> int:
    """Operations and nested parentheses of an expression when it is written down.

    What occurs many times is counted once and remembered: a graph may be huge when written.

    Arguments:
        expression: what is written.
        inside: whether it stands in parentheses already.
    """
    if expression.is_Atom:
        return 0
    if expression.is_Add:
        negative = [term for term in expression.args if is_negative(term)]
        terms = sum(effort(term, inside) for term in expression.args)
        terms -= sum(not term.is_Atom for term in negative)  # the sign of a number is no operation yet
        return terms + len(expression.args) - 1 + (len(negative) == len(expression.args))
    if expression.is_Mul:
        return _product(expression, inside)
    if expression.is_Pow:
        return _power(expression, inside) + int(expression.exp == -1)
    return 1 + sum(effort(each) for each in expression.args)


def _product(expression: sympy.Mul, inside: bool) -> int:
    above = below = total = 0
    for factor in expression.args:
        if factor.is_Rational:
            total += factor.p < 0
            above += abs(factor.p) != 1
            below += factor.q != 1
        elif factor.is_Pow and factor.exp.is_Rational and factor.exp.p < 0:
            below += 1
            total += _power(factor, inside)
        else:
            above += 1
            total += _in_parentheses(factor, inside) if factor.is_Add else effort(factor, inside)
    return total + max(above - 1, 0) + below


def _in_parentheses(expression: sympy.Add, inside: bool) -> int:
    """A sum as a factor, in which at least one sign should be a plus."""
    return effort(expression, True) + inside + all(map(is_negative, expression.args))


def _power(expression: sympy.Pow, inside: bool) -> int:
    """A power without the division that a negative exponent is."""
    base, exponent = expression.args
    within = _in_parentheses(base, inside) if base.is_Add else effort(base, inside)
    if not exponent.is_Rational:
        return within + 1 + effort(exponent)
    return within + bool(abs(exponent) != 1)


def is_negative(term: sympy.Basic) -> bool:
    """Whether a term has a minus sign, which a sum writes instead of a plus."""
    if term.is_Mul:
        first = term.args[0]
        return bool(first.is_number and first.is_real and first < 0)
    return bool(term.is_number and term.is_real and term < 0)
