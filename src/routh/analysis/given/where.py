"""Where something happened, and what is not finite there: sentences about rests and motions alike."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import sympy

from routh.arrays import Array
from routh.errors import shortened
from routh.kernels.engine import Kernel, Point
from routh.language.symbols import Let
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
    """What is beyond an edge, a scalar that is zero, a vector without length, in this order."""
    given = (engine, point, expressions)
    return _powers(*given, 0.0) or _nought(*given) or _lengths(*given, 0.0)


def edge(engine: Kernel, point: Point, expressions: Sequence[sympy.Expr], near: float) -> str:
    """Names what a power or a logarithm is taken of where that is less than `near`, and what is
    divided by its length where that is not above it.
    """
    given = (engine, point, expressions, near)
    return _powers(*given) or _lengths(*given)


def _powers(engine: Kernel, point: Point, expressions: Sequence[sympy.Expr], near: float) -> str:
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


def _lengths(engine: Kernel, point: Point, expressions: Sequence[sympy.Expr], near: float) -> str:
    """Names a vector that is divided by its length, the root of a sum of squares, where it has none."""
    for node in nodes(expressions):
        root = isinstance(node, sympy.Pow) and node.exp.is_number and (2 * node.exp).is_integer
        if not root or node.exp.is_integer or not node.exp.is_negative or node.base.is_number:
            continue
        squares = [e for e in sympy.Add.make_args(node.base) if e.is_Pow and e.exp == 2]
        if len(squares) < len(sympy.Add.make_args(node.base)):
            continue
        length = float(np.sqrt(engine.values([node.base], point)[0, 0]))
        if length <= near:
            known = {e.base.vector[0] for e in squares if isinstance(e.base, Let) and e.base.vector}
            if len(known) == 1:
                return (
                    f" There `{known.pop()}` has the length {length:.3g}: its direction is not defined."
                )
            return (
                f" There `{shortened(sympy.sqrt(node.base), 60)}` is {length:.3g}, which is divided by."
            )
    return ""


def _nought(engine: Kernel, point: Point, expressions: Sequence[sympy.Expr]) -> str:
    """Names an intermediate that is zero there, no part of a vector, which may be divided by."""
    own = [each for each in lets(expressions) if each.vector is None]
    found = [each.name for each in own if not engine.values([each], point).any()]
    return f" There `{min(found, key=len)}` is zero." if found else ""
