"""The instructions of a function of scalars as neutral steps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import casadi

from routh.errors import DerivationError
from routh.kernels.instructions.carried_out import Instructions
from routh.kernels.neutral_steps import OF_ONE, OF_TWO, Result, Step, Steps

_OWN = {
    "square": "SQ", "inverse": "INV", "abs": "FABS", "power": "POW", "min": "FMIN", "max": "FMAX",
    "less": "LT", "less_equal": "LE", "equal": "EQ", "not_equal": "NE", "where": "IF_ELSE_ZERO",
}  # fmt: skip
"""What CasADi calls some operations."""

_WORDS = {getattr(casadi, f"OP_{_OWN.get(word, word.upper())}"): word for word in (*OF_ONE, *OF_TWO)}
_WORDS[casadi.OP_CONSTPOW] = "power"


def neutral(function: Any, name: str, results: Sequence[str]) -> Steps:
    """An `SXFunction` as steps, its results with these names.

    Raises:
        DerivationError: it contains an operation that has no word.
    """
    steps: list[Step] = []
    names = [function.name_in(k) for k in range(function.n_in())]

    def made(step: Step) -> int:
        steps.append(step)
        return len(steps) - 1

    def operation(code: int, operands: list[int]) -> int:
        if code == casadi.OP_ASSIGN:
            return operands[0]
        if code not in _WORDS:
            raise DerivationError(
                f"`{name}` contains an operation of the engine that other languages have no word for."
                " Write the energies with powers, roots, exponentials, logarithms and functions of"
                " angles; casadi_function takes them as they are."
            )
        word = _WORDS[code]
        return made(Step(word, tuple(operands[: 1 if word in OF_ONE else 2])))

    read = Instructions(function)
    entries: list[list[tuple[int, int, int]]] = [[] for _ in read.shapes]
    for output, row, column, place in read.carried_out(
        constant=lambda number: made(Step("number", number=number)),
        argument=lambda k, entry: made(Step("argument", argument=names[k], entry=entry)),
        operation=operation,
    ):
        entries[output].append((row, column, place))
    sizes = tuple((each, int(function.nnz_in(k))) for k, each in enumerate(names))
    found = tuple(
        Result(each, *shape, tuple(own))
        for each, shape, own in zip(results, read.shapes, entries, strict=True)
    )
    return Steps(name, sizes, tuple(steps), found)
