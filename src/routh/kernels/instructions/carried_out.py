"""The instructions of a compiled function, carried out in any arithmetic.

CasADi's own evaluation knows doubles alone. Here the same instructions run on whatever an arithmetic
makes of constants, arguments and operations: numbers of many digits, pairs of values and sizes, places
in a list of balls. Each arithmetic is a table of rules in a module of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import casadi

Value = TypeVar("Value")


class Instructions:
    """The instructions of a function of scalars (an `SXFunction`), read once.

    Attributes:
        shapes: rows and columns of each output.
    """

    def __init__(self, function: Any) -> None:
        patterns = [function.sparsity_out(k) for k in range(function.n_out())]
        self.shapes: list[tuple[int, int]] = [pattern.shape for pattern in patterns]
        self._places = [list(zip(s.row(), s.get_col(), strict=True)) for s in patterns]
        codes = [function.instruction_id(k) for k in range(function.n_instructions())]
        self._steps = [
            (
                code,
                tuple(function.instruction_input(k)),
                tuple(function.instruction_output(k)),
                function.instruction_constant(k) if code == casadi.OP_CONST else 0.0,
            )
            for k, code in enumerate(codes)
        ]

    def carried_out(
        self,
        constant: Callable[[float], Value],
        argument: Callable[[int, int], Value],
        operation: Callable[[int, list[Value]], Value],
    ) -> Iterator[tuple[int, int, int, Value]]:
        """The entries of the outputs that are not zero by structure: output, row, column and value.

        `argument` gets the number of an argument and the place in it, `operation` the code of an
        instruction and its operands. Each entry comes as soon as it is known.
        """
        work: dict[int, Value] = {}
        for code, i, o, number in self._steps:
            if code == casadi.OP_OUTPUT:
                row, column = self._places[o[0]][o[1]]
                yield o[0], row, column, work[i[0]]
            elif code == casadi.OP_CONST:
                work[o[0]] = constant(number)
            elif code == casadi.OP_INPUT:
                work[o[0]] = argument(i[0], i[1])
            else:
                work[o[0]] = operation(code, [work[register] for register in i])
