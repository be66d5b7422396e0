"""Outputs of a linear model: expressions whose linear part about the equilibrium is read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy

from routh.analysis.given.reading import own_expression
from routh.analysis.linear.linear_model import LinearModel
from routh.analysis.pieces.kinks import refuse_kinked_outputs
from routh.arrays import Array
from routh.errors import DeclarationError, DerivationError, shortened
from routh.kernels.kernel import kernel
from routh.language.domains import at
from routh.language.symbols import Signal, t
from routh.language.system import System
from routh.language.walk import leaves, unfold
from routh.mechanics.forms.laurent import TooLongError
from routh.mechanics.forms.time_form import MixedError, sorted_parts


def checked_outputs(
    linear: LinearModel, outputs: Any, argument: str = "outputs", each: str = "An output"
) -> list[sympy.Expr]:
    """The outputs as expressions of the system; all coordinates if none are given.

    `argument` and `each` are how messages call them.
    """
    if outputs is None:
        return list(linear.system.coordinates)
    given: Sequence[Any] = [outputs] if isinstance(outputs, (sympy.Expr, str)) else outputs
    if not isinstance(given, Sequence) or not len(given):
        raise DeclarationError(f"`{argument}` must hold at least one expression. Got {outputs!r}.")
    return [own_expression(linear.system, y, each) for y in given]


def plain_outputs(system: System) -> list[Signal]:
    """What is read where nothing is asked for: coordinates, and in the place of amplitudes the fields
    at their far ends.
    """
    amplitudes = {q for shape in system.shapes for q in shape.coordinates}
    fields = dict.fromkeys(shape.field for shape in system.shapes)
    ends = [at(w, w.space, w.space.bounds[1]) for w in fields]
    return [*(q for q in system.coordinates if q not in amplitudes), *ends]


def output_slopes(linear: LinearModel, outputs: Sequence[sympy.Expr]) -> tuple[Array, ...]:
    """(N, outputs, size) each: the slopes by coordinates, velocities, accelerations and signals.

    Points of a batch where an output has a kink get NaN.

    Raises:
        DerivationError: an output has no slopes at the equilibrium, or they change with time.
    """
    if linear.time is None:  # else all was frozen on purpose
        for y in outputs:
            _refuse_moving(linear, y)
    engine, point = kernel(linear.system), linear.reference.point(linear.time or 0.0)
    broken = refuse_kinked_outputs(engine, outputs, point)
    slopes = engine.slopes(list(outputs), point)
    for slope in slopes:
        slope[broken] = np.nan
    return slopes


def _refuse_moving(linear: LinearModel, output: sympy.Expr) -> None:
    """Refuse an output that contains time, or whose slopes change as the reference moves on."""
    on_the_way = _on_the_way(linear)
    found = leaves([output]) & {t, *on_the_way}
    if not found:
        return
    e = unfold(output)
    slopes = [e.diff(x).xreplace(on_the_way) for x in leaves([e]) if isinstance(x, Signal)]
    if _without_time([e, *(slope.xreplace(_numbers(linear)) for slope in slopes)]):
        return
    if t in found:
        raise DerivationError(
            f"The output `{shortened(output)}` contains time, and a linear model with constant matrices"
            " would freeze it. Ask for outputs without `t`; a motion, simulate(...)[output], is read"
            " with time and all."
        )
    moving = ", ".join(f"`{s}`" for s in sorted(found, key=str))
    raise DerivationError(
        f"The output `{shortened(output)}` has a slope that changes as {moving} moves on in the steady"
        " motion, so that no constant matrices read it. Ask for an output that is the same all along,"
        f" like {moving.split(',')[0]} itself."
    )


def _on_the_way(linear: LinearModel) -> dict[Signal, sympy.Expr]:
    """Coordinates and inputs that move on along the reference, as functions of time."""
    given = linear.reference.conditions
    single = given.count == 1
    found: dict[Signal, sympy.Expr] = {}
    for k in linear.reference.turning:
        q = linear.system.coordinates[k]
        rate = _exact(given.speeds[0, k]) if single else sympy.Dummy("rate")
        found[q] = q + rate * t
    if given.inputs_move:
        for u, value in given.inputs.items():
            rate = _exact(value[0]) if single else sympy.Dummy("rate")
            below: Signal = u.base
            for lower in range(u.order):
                ahead = u.order - lower
                here = found.get(below, below)
                found[below] = here + rate * t**ahead / sympy.factorial(ahead)
                below = below.rate
    return found


def _numbers(linear: LinearModel) -> dict[sympy.Symbol, sympy.Expr]:
    """The parameters of one point as the numbers that their doubles are."""
    given = linear.reference.conditions
    if given.count != 1:
        return {}
    return {s: _exact(x) for s, x in zip(linear.system.parameters, given.p[0], strict=True)}


def _exact(value: float) -> sympy.Rational:
    return sympy.Rational(*float(value).as_integer_ratio())


def _without_time(expressions: Sequence[sympy.Expr]) -> bool:
    """Whether it is shown that time drops out of all of them."""
    try:
        return not any(found.moving for found in sorted_parts(expressions, {}))
    except (MixedError, TooLongError):
        return False
