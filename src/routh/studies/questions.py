"""What is asked for at every point: names of what results have, and functions of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np
import sympy
from numpy.typing import NDArray

from routh.analysis.given.reading import own_expression
from routh.errors import DeclarationError, did_you_mean, listed
from routh.language.make import Make
from routh.language.system import System
from routh.studies.chain import NAMES, WITHOUT_FRICTION, Chain

UNKNOWN = -1
"""The code of what is not known: a verdict on a point that failed, a status of one not computed yet."""

CLAIMS = ("false", "true")
"""What the codes of claims stand for."""


@dataclass(frozen=True)
class Variable:
    """One thing that a study keeps of every point.

    Attributes:
        name: how it is called in the data.
        function: what gives it; None where it is what results have by that name.
    """

    name: str
    function: Callable[[Any], Any] | None = None

    def of(self, chain: Chain, count: int) -> tuple[NDArray[Any], tuple[str, ...]]:
        """(count, ...) its values at the points of a chunk, and the words that codes stand for."""
        found = chain.read(self.name) if self.function is None else chain.given_to(self.function)
        return plain(found, count, self.name)


def asked_for(find: Any, system: System, kind: str) -> tuple[Variable, ...]:
    """The variables that are asked for, each once.

    Raises:
        DeclarationError: there is nothing of that name, or a function has none.
    """
    if not isinstance(find, Iterable) or isinstance(find, (str, bytes, sympy.Symbol)):
        find = [] if find is None else [find]
    pairs = find.items() if isinstance(find, Mapping) else [(None, each) for each in find]
    found: dict[str, Variable] = {}
    for name, each in pairs:
        made = _variable(name, each, system, kind)
        if made.name in found or made.name == "status":
            raise DeclarationError(
                f"`find` has `{made.name}` twice."
                if made.name in found
                else "`status` is always among what is found. Leave it out of `find`, or name the"
                " function otherwise."
            )
        found[made.name] = made
    if not found:
        raise DeclarationError(
            f"`find` lists what is kept of every point. Names: {listed(NAMES[kind])}. Got {find!r}."
        )
    return tuple(found.values())


def _variable(name: str | None, each: Any, system: System, kind: str) -> Variable:
    if isinstance(each, sympy.Symbol):
        each = each.name
    if isinstance(each, str):
        if each not in NAMES[kind]:
            _refuse_unknown(each, system, kind)
        if kind == "motions" and each in WITHOUT_FRICTION and system.make is Make.FRICTION:
            raise DeclarationError(
                f"`find` has `{each}`, which motions with friction do not have. Leave it out, or take"
                " it from their phases by a function."
            )
        if name not in (None, each):
            raise DeclarationError(
                f"`find` gives a name, `{name}`, to `{each}`, which has one already."
            )
        return Variable(each)
    if not callable(each):
        raise DeclarationError(
            f"`find` has names of what results have, or functions of a result. Got {each!r}."
        )
    own = str(name or getattr(each, "__name__", ""))
    if not own.isidentifier():
        raise DeclarationError(
            f"A function in `find` needs a name: write it with def, or as {{'least': function}}. Got"
            f" {each!r}."
        )
    return Variable(own, each)


def _refuse_unknown(name: str, system: System, kind: str) -> None:
    """Refuse a name that is neither of a result nor an expression to be read of it."""
    if kind != "periods":
        try:
            own_expression(system, name, f"`{name}` in `find`")
        except DeclarationError:
            pass
        else:
            return
    raise DeclarationError(
        f"`find` has `{name}`, which results of {kind} do not have. Names: {listed(NAMES[kind])}, and"
        f" coordinates.{did_you_mean(name, [*NAMES[kind], *system.coordinates, *system.velocities])}"
    )


def plain(value: Any, count: int, name: str) -> tuple[NDArray[Any], tuple[str, ...]]:
    """Values of `count` points as numbers that a store can hold, and the words that codes stand for.

    Words (verdicts, statuses) become codes in the order of their list; claims 0 and 1, and whole
    numbers floats, so that what is not known can be said.
    """
    array = np.asarray(value)
    if array.dtype == object:
        return _codes(array, count, name)
    if array.dtype.kind not in "bifc":
        raise DeclarationError(f"`{name}` must be numbers. Got {array.dtype} from `find`.")
    if not array.shape or array.shape[0] != count:
        raise DeclarationError(
            f"`{name}` must have one entry for each point along its first axis. Got the shape"
            f" {array.shape} for points in the number of {count}. A function of `find` is given the"
            " points of a chunk at once."
        )
    if array.dtype.kind == "b":
        return array.astype(np.int8), CLAIMS
    return array.astype(complex if array.dtype.kind == "c" else float), ()


def _codes(array: NDArray[Any], count: int, name: str) -> tuple[NDArray[Any], tuple[str, ...]]:
    kinds = {type(each) for each in array.flat if each is not None}
    if array.shape == (count,) and kinds and kinds <= {bool, np.bool_}:
        return np.array([UNKNOWN if x is None else int(x) for x in array], np.int8), CLAIMS
    if array.shape != (count,) or len(kinds) != 1 or not issubclass(kind := kinds.pop(), Enum):
        raise DeclarationError(f"`{name}` must be numbers or words of one list, one for each point.")
    order = {each: k for k, each in enumerate(kind)}
    codes = np.array([order.get(each, UNKNOWN) for each in array], dtype=np.int8)
    return codes, tuple(each.name.lower() for each in kind)
