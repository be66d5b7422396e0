"""Where something happened, and what is not finite there: sentences about rests and motions alike."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import sympy

from routh.arrays import Array
from routh.errors import shortened
from routh.kernels.engine import Kernel, Point
from routh.language.system import System
from routh.language.walk import lets, nodes


def where(system: System, q: Array, digits: int = 6) -> str:
    """A position, coordinate by coordinate; what is rounding beside 1 or the largest is zero."""
    rounding = 1e-14 * max(1.0, float(np.abs(q).max(initial=0)))
    clean = np.where(np.abs(q) < rounding, 0.0, q)
    values = dict(zip(system.coordinates, clean, strict=True))
    amplitudes = [x for shape in system.shapes for x in shape.coordinates]
    own = [x for x in system.coordinates if x not in set(amplitudes)]
    said = [f"{x} = {values[x]:.{digits}g}" for x in own]
    for shape in system.shapes:
        most = max((abs(values[x]) for x in shape.coordinates), default=0.0)
        said.append(f"amplitudes of {shape.field} up to {most:.{digits}g}")
    return ", ".join(said)


def not_finite(system: System, engine: Kernel, point: Point, *, guessed: bool) -> str:
    """Names the energy term that is NaN or infinite, or whose slope is.

    Where a person has guessed the place, another guess may help.
    """
    place = where(system, point.q[0])
    look = "Try another `guess`, or look there" if guessed else "Look there"
    for part in ("kinetic", "potential", "lagrangian", "dissipation"):
        for term in getattr(system, part):
            arrays = (engine.values([term], point), *engine.slopes([term], point))
            if not all(np.isfinite(array).all() for array in arrays):
                return (
                    f"The term `{shortened(term)}` of `{part}`, or its slope, is not finite at"
                    f" {place}.{_reason(engine, point, [term])} {look} for a division by zero or the"
                    " root of a negative number."
                )
    for each in system.forces:
        components = list(each.components)
        arrays = (engine.values(components, point), *engine.slopes(components, point))
        if not all(np.isfinite(array).all() for array in arrays):
            return (
                f"A force at `{shortened(list(each.at), 60)}`, or its slope, is not finite at {place}."
                f"{_reason(engine, point, components)} {look} for a division by zero or the root of a"
                " negative number."
            )
    return f"The equations are not finite at {place}." + (" Try another `guess`." if guessed else "")


def _reason(engine: Kernel, point: Point, expressions: Sequence[sympy.Expr]) -> str:
    return edge(engine, point, expressions) or _nought(engine, point, expressions)


def edge(engine: Kernel, point: Point, expressions: Sequence[sympy.Expr], near: float = 0.0) -> str:
    """Names what a power or a logarithm is taken of where that is negative, or less than `near`.

    Roots of squares are left out: they are of what cannot be negative.
    """
    for node in nodes(expressions):
        power = isinstance(node, sympy.Pow) and node.exp.is_number and not (2 * node.exp).is_integer
        if not (power or isinstance(node, sympy.log)) or node.args[0].is_number:
            continue
        value = float(engine.values([node.args[0]], point)[0, 0])
        if value < near:
            what = f"the power {float(node.exp):.6g}" if power else "the logarithm"
            return f" There `{shortened(node.args[0])}` is {value:.3g}, of which {what} is taken."
    return ""


def _nought(engine: Kernel, point: Point, expressions: Sequence[sympy.Expr]) -> str:
    """Names an intermediate that is zero there, which may be what is divided by."""
    found = [each.name for each in lets(expressions) if not engine.values([each], point).any()]
    return f" There `{min(found, key=len)}` is zero." if found else ""
