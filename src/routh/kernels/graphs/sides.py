"""Functions put together of pieces, with the side of each switch as an argument.

`Abs(a)` is `side a`, `Max(a, b)` is `(a + b)/2 + side (a - b)/2` and so on, side being 1 or -1: smooth
expressions that are the function on one side of its switch. What a function does on both sides of a
place, and whether that is the same, is then seen from derivatives by the sides, in which all that
has no kink drops out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from operator import mul
from typing import Any

import casadi
import sympy
from sympy.core.relational import Relational

from routh.kernels.graphs.lower import SX
from routh.language.walk import nodes

Lowered = Callable[[Sequence[sympy.Expr]], list[SX]]


class Sides:
    """The switches of some functions, each with its side.

    Attributes:
        chosen: the sides, 1 or -1, a column of symbols.
        switches: what is above zero on side 1, each an expression of the arguments and of the sides
            of switches inside of it.
        owner: for each switch the function it belongs to.
        undefined: for each function 1 where none of its pieces exists, by the sides.
    """

    def __init__(self, pieces: Sequence[sympy.Basic], lowered: Lowered, table: dict[Any, SX]) -> None:
        self.switches: list[SX] = []
        self.owner: list[sympy.Basic] = []
        self.undefined: list[SX] = []
        self._symbols: list[SX] = []
        self._lowered = lowered
        self._table = table
        for node in _inner_first(pieces):
            table[node] = self._on_sides(node)

    @property
    def chosen(self) -> SX:
        """The sides as a column."""
        return casadi.vertcat(*self._symbols) if self._symbols else casadi.SX(0, 1)

    def _side(self, switch: SX, owner: sympy.Basic) -> SX:
        """A new side, of a switch."""
        side = casadi.SX.sym(f"side{len(self._symbols)}")
        self._symbols.append(side)
        self.switches.append(switch)
        self.owner.append(owner)
        return side

    def _on_sides(self, node: sympy.Basic) -> SX:
        """A function with its sides as arguments."""
        if isinstance(node, sympy.Piecewise):
            return self._piecewise(node)
        arguments = self._lowered(list(node.args))
        first = arguments[0]
        if isinstance(node, (sympy.Max, sympy.Min)):
            sign = 1 if isinstance(node, sympy.Max) else -1
            return reduce(lambda a, b: self._larger(a, b, sign, node), arguments)
        if isinstance(node, (sympy.floor, sympy.ceiling)):
            return self._whole(first, 1 if isinstance(node, sympy.floor) else -1, node)
        if isinstance(node, sympy.Mod):
            return first - arguments[1] * self._whole(first / arguments[1], 1, node)
        side = self._side(first, node)
        if isinstance(node, sympy.Pow):
            broken = casadi.floor(arguments[1]) != arguments[1]
            self.undefined.append(broken * (1 - side) / 2)
            return casadi.power(first, arguments[1])
        if isinstance(node, sympy.Abs):
            return side * first
        return side if isinstance(node, sympy.sign) else (1 + side) / 2

    def _larger(self, a: SX, b: SX, sign: int, node: sympy.Basic) -> SX:
        side = self._side(a - b, node)
        return (a + b) / 2 + sign * side * (a - b) / 2

    def _whole(self, a: SX, sign: int, node: sympy.Basic) -> SX:
        """The whole number below (1) or above (-1); it changes where `a` is one."""
        near = casadi.floor(a + 0.5)
        side = self._side(a - near, node)
        return near - sign * (1 - sign * side) / 2

    def _piecewise(self, node: sympy.Piecewise) -> SX:
        """The branches, each with 1 where it counts; what no condition takes goes to the last."""
        left, total = casadi.SX(1), casadi.SX(0)
        for k, (value, condition) in enumerate(node.args):
            own = self._holds(condition, node)
            share = left if k == len(node.args) - 1 else left * own
            (branch,) = self._lowered([value])
            total += casadi.if_else(share != 0, share * branch, 0)
            left = left * (1 - own)
        self.undefined.append(left)
        return total

    def _holds(self, condition: sympy.Basic, node: sympy.Basic) -> SX:
        """1 where a condition holds, 0 where not, by sides; on both sides of a switch none is equal."""
        if condition in (sympy.true, sympy.false):
            return casadi.SX(int(condition is sympy.true))
        if isinstance(condition, sympy.Not):
            return 1 - self._holds(condition.args[0], node)
        if isinstance(condition, sympy.And):
            return reduce(mul, (self._holds(each, node) for each in condition.args))
        if isinstance(condition, sympy.Or):
            return 1 - reduce(mul, (1 - self._holds(each, node) for each in condition.args))
        assert isinstance(condition, Relational)
        lhs, rhs = self._lowered([condition.lhs, condition.rhs])
        side = self._side(lhs - rhs, node)
        if isinstance(condition, (sympy.Eq, sympy.Ne)):
            return casadi.SX(int(isinstance(condition, sympy.Ne)))
        above = isinstance(condition, (sympy.Gt, sympy.Ge))
        return (1 + side) / 2 if above else (1 - side) / 2


def _inner_first(pieces: Sequence[sympy.Basic]) -> list[sympy.Basic]:
    """The functions, each after those inside of it."""
    inside = {node: sum(each in set(pieces) for each in nodes([node])) for node in pieces}
    return sorted(pieces, key=lambda node: inside[node])
