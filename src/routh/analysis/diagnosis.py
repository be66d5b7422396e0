"""Why an equilibrium was not found, or is not the only one nearby, in sentences."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import sympy

from routh.errors import Status, capital, quoted, shortened
from routh.kernels.balance import Balance
from routh.kernels.batch import Array
from routh.kernels.kernel import Kernel, Point
from routh.language.calculus import ddt
from routh.language.symbols import Coordinate, Input, t
from routh.language.system import System
from routh.language.walk import leaves, unfold
from routh.mechanics.lagrange import generalized_forces
from routh.numerics.newton import NULL_CUT
from routh.numerics.rank import balanced


def changes_with_time(system: System, rows: Array, turning: Sequence[int] = ()) -> str:
    """Names the coordinate and the terms of its equation that change with time."""
    if turning:
        moving = quoted(system.coordinates[k] for k in turning)
        verb = "moves" if len(turning) == 1 else "move"
        return (
            f"{capital(system.title)} has no steady motion in which {moving} {verb} on at a constant"
            f" rate: the equations change with {'it' if len(turning) == 1 else 'them'}. Expected"
            " coordinates that enter no energy, force or constraint but by their rates."
        )
    for i in np.argsort(-rows[: len(system.coordinates)]):
        q = system.coordinates[i]
        terms = _timed_terms(system, q)
        if terms:
            return (
                f"{capital(system.title)} has no equilibrium: at rest the equation of `{q}` contains"
                f" {quoted(shortened(term) for term in terms)}, which changes with time, and no"
                " position balances it at every t. Write the energies in a frame that moves along,"
                " or follow the motion in time."
            )
    return (
        f"{capital(system.title)} has no equilibrium: its equations change with time at every position"
        " near the guess."
    )


def _timed_terms(system: System, q: Coordinate) -> list[sympy.Expr]:
    """Up to three terms of the equation of rest of q that contain time or an input."""
    L = unfold(sympy.Add(*system.lagrangian_terms))
    D = unfold(sympy.Add(*system.dissipation))
    Q = generalized_forces(system)[system.coordinates.index(q)]
    still = {s: sympy.S.Zero for v in system.velocities for s in (v, v.rate)}
    E = (ddt(L.diff(q.rate)) - L.diff(q) + D.diff(q.rate) - Q).xreplace(still)
    terms = sympy.Add.make_args(sympy.expand(E))
    return [e for e in terms if any(s == t or isinstance(s, Input) for s in leaves([e]))][:3]


def not_finite(system: System, engine: Kernel, point: Point) -> str:
    """Names the energy term that is NaN or infinite, or whose slope is."""
    place = where(system, point.q[0])
    for part in ("kinetic", "potential", "lagrangian", "dissipation"):
        for term in getattr(system, part):
            arrays = (engine.values([term], point), *engine.slopes([term], point))
            if not all(np.isfinite(array).all() for array in arrays):
                return (
                    f"The term `{shortened(term)}` of `{part}`, or its slope, is not finite at"
                    f" {place}. Try another `guess`, or look there for a division by zero or the"
                    " root of a negative number."
                )
    return f"The equations are not finite at {place}. Try another `guess`."


def unbalanced(system: System, about: Balance, rows: Array, turning: Sequence[int] = ()) -> str:
    """Names a force that no position can balance, or an empty string if there is none."""
    row = int(np.argmax(rows))
    if turning:
        row = max(turning, key=lambda k: float(rows[k]))
        return (
            f"{capital(system.title)} has no such steady motion: a force {rows[row]:.3g} is left on"
            f" `{system.coordinates[row]}`, which would change its rate. Is a drive or damping missing?"
        )
    if row >= len(system.coordinates) or about.varies_with_position(row):
        return ""
    return (
        f"{capital(system.title)} has no equilibrium: the force {rows[row]:.3g} on"
        f" `{system.coordinates[row]}` does not depend on any coordinate, so no position balances"
        " it. Is a spring or a constraint missing?"
    )


def unsolved(system: System, rows: Array, q: Array, status: Status) -> str:
    """Where Newton's method ended and how far from balance."""
    row = int(np.argmax(rows))
    n = len(system.coordinates)
    what = f"the equation of `{system.coordinates[row]}`" if row < n else f"constraint {row - n + 1}"
    return (
        f"Newton's method ended with a residual of {rows[row]:.2g} in {what}, at"
        f" {where(system, q)}. {status} Try another `guess`, or raises=False to look at it."
    )


def loose(system: System, tangent: Array) -> str:
    """Names the directions in which an equilibrium can be shifted, as a sentence or nothing."""
    if not np.isfinite(tangent).all():
        return ""
    scaled, _, columns = balanced(tangent)
    _, values, rows = np.linalg.svd(scaled)
    null = (rows / columns)[np.sum(values > NULL_CUT) :, : len(system.coordinates)]
    null = null / np.abs(null).max(axis=1, keepdims=True, initial=1e-300)
    directions = [
        " with ".join(f"`{q}`" for q, x in zip(system.coordinates, row, strict=True) if abs(x) > 1e-6)
        for row in null
    ]
    named = [direction for direction in directions if direction]
    if not named:
        return ""
    return f" It can be shifted along {'; '.join(named)}: the tangent is singular there."


def where(system: System, q: Array, digits: int = 6) -> str:
    """A position, coordinate by coordinate; what is rounding beside 1 or the largest is zero."""
    rounding = 1e-14 * max(1.0, float(np.abs(q).max(initial=0)))
    pairs = zip(system.coordinates, np.where(np.abs(q) < rounding, 0.0, q), strict=True)
    return ", ".join(f"{name} = {x:.{digits}g}" for name, x in pairs)
