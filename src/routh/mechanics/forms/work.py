"""Budgets of symbolic work, counted in calls of SymPy, not by a clock.

SymPy's searches have no bound of their own. They are left where their budget is spent, and since that
is a number of calls it is spent at the same place on every machine, busy or not.

`simplify=1.0` is a second as 400,000 calls are one, counted by a profile hook, with SymPy's own
memory cleared before: forms do not depend on what was done before either.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from inspect import CO_GENERATOR
from types import FrameType
from typing import Any

RATE = 400_000
"""Calls of functions of SymPy that count as a second; a common machine makes about as many."""


class _Spent(BaseException):
    """Not an Exception, so that no handler inside SymPy swallows it."""

    def __init__(self, budget: Work) -> None:
        super().__init__()
        self.budget = budget


class Work:
    """Work that may be spent.

    A profile hook counts calls of plain functions of SymPy, in this thread only and on every platform;
    a body that spends its time inside one C function is not interrupted. Generators are not counted: an
    exception could get lost in their clean-up. A profiler that is on is off meanwhile.
    """

    def __init__(self, amount: float) -> None:
        self._left = amount * RATE

    @property
    def spent(self) -> bool:
        """Whether nothing is left."""
        return self._left <= 0

    @property
    def left(self) -> float:
        """Calls that may still be made."""
        return max(self._left, 0.0)

    def charge(self, calls: float) -> None:
        """Count work that was done without calls."""
        self._left -= calls

    @contextmanager
    def spend(self, share: float = 1.0) -> Iterator[None]:
        """Run the body, or leave it where this share of what is left is spent."""
        # SymPy's `simplify` loads it when first called: 200,000 calls that are no work on a formula,
        # and made in vain time and again, since what is left half-way is not kept as a loaded module
        import_module("sympy.physics.units")
        until = (1 - share) * self._left
        before = sys.getprofile()
        outer: Callable[..., Any] | None = before if callable(before) else None

        def count(frame: FrameType, event: str, argument: object) -> None:
            if outer is not None:
                outer(frame, event, argument)
            if event != "call" or frame.f_code.co_flags & CO_GENERATOR:
                return
            if str(frame.f_globals.get("__name__", "")).startswith("sympy."):
                self._left -= 1
                if self._left < until:
                    raise _Spent(self)

        sys.setprofile(count)
        try:
            yield
        except _Spent as spent:
            if spent.budget is not self:
                raise
        finally:
            _restore(before)


def _restore(before: Any) -> None:
    """Profile as before: by a function, by an object of cProfile, or not at all."""
    if before is None or callable(before):
        sys.setprofile(before)
    else:
        sys.setprofile(None)
        before.enable()
