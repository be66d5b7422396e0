"""Whether a system has a period: refused unless it is shown from how its functions are written."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import sympy

from routh.analysis.time.repeats import same_after
from routh.analysis.time.timeless import timeless
from routh.arrays import Array
from routh.errors import DeclarationError, capital, shortened
from routh.language.symbols import Signal
from routh.language.system import System
from routh.language.walk import contains_time, leaves, unfold
from routh.mechanics.drives import drives


def refuse_other_period(system: System, p: Array, spans: Array) -> None:
    """Refuse periods (N,) that are none of the system with parameters (N, number), or not shown to be.

    Raises:
        DeclarationError: something in the energies, forces or constraints has another period, or none.
    """
    functions, terms = _functions(system)
    unseen = _unseen(functions, system, p, spans)
    if unseen is not None and functions != terms:
        unseen = _unseen(terms, system, p, spans) and unseen
    if unseen is not None:
        written = _unseen(drives(system), system, p, spans) or unseen
        function, T = written
        raise DeclarationError(
            f"{capital(system.title)} contains `{shortened(function, 80)}`, which is not seen to have"
            f" the period {T:.6g}. Give the period of the drive, like 2*pi/Omega, or a multiple of it,"
            " and write the drive by sines, cosines or Mod of time, which repeat."
        )


def _unseen(
    functions: Sequence[sympy.Expr], system: System, p: Array, spans: Array
) -> tuple[sympy.Expr, float] | None:
    """A function that is not shown to repeat, and the period in question."""
    for function in functions:
        same = same_after(function, system.parameters, p, spans)
        if not same.all():
            return function, float(spans[np.argmin(same)])
    return None


@lru_cache(maxsize=64)
def _functions(system: System) -> tuple[tuple[sympy.Expr, ...], tuple[sympy.Expr, ...]]:
    """The functions of time that a system contains, and the terms that contain them.

    Functions have been taken out of products; terms are as they were written, with positions held.
    """
    what = timeless(system)
    parts = (system.continuous or system).parts() | {"constraints": list(system.constraints)}
    written = [unfold(e) for part in parts.values() for e in part]
    held = {s: sympy.Dummy(s.name, real=True) for s in leaves(written) if isinstance(s, Signal)}
    terms = tuple(e.xreplace(held) for e in written if contains_time(e))
    functions = tuple(function.expression for function, _ in what.functions)
    return (functions if what.shown or what.twin is not None else terms), terms
