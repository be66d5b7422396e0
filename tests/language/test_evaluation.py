"""Values with many digits: what is zero, what is not, and what is neither."""

import sympy

from routh.language.evaluation import is_zero_at

X = sympy.Symbol("x", real=True)


def test_rounding_over_rounding_is_no_zero():
    nothing = (X + 1) ** 2 - X**2 - 2 * X - 1  # zero, but for rounding
    assert is_zero_at(nothing, {X: 0.3}) is True
    assert is_zero_at(1 + nothing, {X: 0.3}) is False
    assert is_zero_at(sympy.Mul(X, 1 / sympy.sqrt(nothing)), {X: 0.3}) is None
    assert is_zero_at(sympy.exp(-300 * X) * X, {X: 0.9}) is False  # small is not zero
