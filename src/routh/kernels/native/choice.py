"""Which engine carries work out where none was asked for: compiling must save more than it takes.

Work is counted in instructions, never timed: the choice is the same on every machine that has a
compiler, however busy, and whether or not the library is on the shelf already.
"""

from __future__ import annotations

from routh.kernels.engine import Engine
from routh.kernels.native.compiler import compiler

START = 1e8
"""Instructions that CasADi carries out while a compiler starts; measured, on the safe side."""

EACH = 1e5
"""Instructions that it carries out while a compiler reads one more."""


def pays(instructions: int, evaluations: float, read: int | None = None) -> bool:
    """Whether compiling a function of so many instructions pays for so many evaluations of it.

    `read` is how many of them a compiler has to read, if not all.
    """
    return instructions * evaluations > START + EACH * (instructions if read is None else read)


def chosen(engine: Engine, instructions: int, evaluations: float, read: int | None = None) -> Engine:
    """The engine for so many evaluations: what was asked for, or what pays and is there."""
    if engine is not Engine.AUTO:
        return engine
    paid = pays(instructions, evaluations, read)
    return Engine.C if paid and compiler() is not None else Engine.CASADI
