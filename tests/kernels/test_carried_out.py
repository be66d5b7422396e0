"""The instructions of a graph carried out on doubles are what CasADi itself makes of them."""

from __future__ import annotations

import math
import operator

import casadi
import numpy as np
import pytest

from routh.kernels.instructions.carried_out import Instructions

RULES = {
    casadi.OP_ADD: operator.add, casadi.OP_SUB: operator.sub, casadi.OP_MUL: operator.mul,
    casadi.OP_DIV: operator.truediv, casadi.OP_NEG: operator.neg, casadi.OP_SQ: lambda x: x * x,
    casadi.OP_TWICE: lambda x: 2 * x, casadi.OP_INV: lambda x: 1 / x, casadi.OP_SIN: math.sin,
    casadi.OP_COS: math.cos, casadi.OP_SQRT: math.sqrt, casadi.OP_ASSIGN: lambda x: x,
}  # fmt: skip


def function():
    """Two outputs, the second a sparse matrix."""
    x, y = casadi.SX.sym("x", 2), casadi.SX.sym("y")
    first = casadi.vertcat(x[0] * casadi.sin(y) - 0.75, casadi.sqrt(x[1]) / (1 + y * y))
    return casadi.Function("f", [x, y], [first, casadi.jacobian(first, x)])


def test_doubles_come_out_as_casadi_has_them():
    made = function()
    given = [[1.5, 2.5], [0.3]]
    read = Instructions(made)
    found = [np.zeros(shape) for shape in read.shapes]
    for output, row, column, value in read.carried_out(
        constant=float,
        argument=lambda k, place: given[k][place],
        operation=lambda code, operands: RULES[code](*operands),
    ):
        found[output][row, column] = value
    for mine, theirs in zip(found, made(*given), strict=True):
        assert np.array_equal(mine, theirs.full())


def test_entries_that_are_zero_by_structure_do_not_come():
    entries = [
        (output, row, column)
        for output, row, column, _ in Instructions(function()).carried_out(
            constant=lambda _: None, argument=lambda *_: None, operation=lambda *_: None
        )
    ]
    assert sorted(entries) == [(0, 0, 0), (0, 1, 0), (1, 0, 0), (1, 1, 1)]


def test_an_arithmetic_that_gives_up_is_not_asked_again():
    asked = []

    def operation(code, operands):
        asked.append(code)
        raise ArithmeticError

    with pytest.raises(ArithmeticError):
        list(Instructions(function()).carried_out(lambda x: x, lambda *_: 1.0, operation))
    assert len(asked) == 1
