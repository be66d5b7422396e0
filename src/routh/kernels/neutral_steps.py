"""A function of numbers as a list of steps, in words that every language has: what writers are given.

    steps[7] = Step("mul", of=(3, 5))        the product of the results of steps 3 and 5

A step is a number, an entry of an argument, or an operation on the results of earlier steps. Nothing in
it belongs to an engine, so that whoever writes it down need not know any.
"""

from __future__ import annotations

from dataclasses import dataclass

OF_ONE = (
    "neg", "square", "twice", "inverse", "sqrt", "exp", "log", "sin", "cos", "tan", "asin", "acos",
    "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "floor", "ceil", "abs", "sign", "erf",
    "log1p", "expm1", "not",
)  # fmt: skip
"""Operations on one number. `sign` is 0 at 0, and `not` is 1 where the number is 0."""

OF_TWO = (
    "add", "sub", "mul", "div", "power", "min", "max", "atan2", "fmod", "copysign", "hypot", "less",
    "less_equal", "equal", "not_equal", "and", "or", "where",
)  # fmt: skip
"""Operations on two. Comparisons give 1 or 0; `where` is the second where the first is not 0, else 0,
whatever the second is there. `fmod` has the sign of the first, as in C."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step: `word` is "number", "argument" or an operation of `OF_ONE` and `OF_TWO`.

    Attributes:
        word: what it is.
        of: the steps whose results it takes.
        number: the number, where it is one.
        argument, entry: the argument that it is read from, and the place in it.
    """

    word: str
    of: tuple[int, ...] = ()
    number: float = 0.0
    argument: str = ""
    entry: int = 0


@dataclass(frozen=True)
class Result:
    """A matrix of results: `entries` are row, column and step of what is not zero by structure."""

    name: str
    rows: int
    columns: int
    entries: tuple[tuple[int, int, int], ...]


@dataclass(frozen=True)
class Steps:
    """A function of numbers.

    Attributes:
        name: what it computes.
        arguments: names and sizes of the arguments, each a list of numbers; `t` is one number.
        steps: what is to be done, one after the other.
        results: the matrices that come out.
    """

    name: str
    arguments: tuple[tuple[str, int], ...]
    steps: tuple[Step, ...]
    results: tuple[Result, ...]
