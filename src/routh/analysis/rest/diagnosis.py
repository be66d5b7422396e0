"""Why an equilibrium was not found, or is not the only one nearby, in sentences."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import sympy

from routh.analysis.given.redundancy import contradiction, named
from routh.analysis.given.where import where
from routh.analysis.time.timeless import Timeless
from routh.arrays import Array
from routh.errors import Status, capital, quoted, shortened
from routh.kernels.engine import Reference
from routh.language.calculus import ddt
from routh.language.symbols import Coordinate
from routh.language.system import System
from routh.language.walk import prescribed, unfold
from routh.mechanics.lagrange import generalized_forces
from routh.numerics.rank import balanced
from routh.numerics.solving.tangents import NULL_CUT


def changes_with_time(what: Timeless, rows: Array) -> str:
    """Names the coordinate and the terms of its equation that change with time, or may."""
    system = what.system
    if what.turning:
        moving = quoted(system.coordinates[k] for k in what.turning)
        one = len(what.turning) == 1
        return (
            f"{capital(system.title)} has no steady motion in which {moving}"
            f" {'moves' if one else 'move'} on at a constant rate: the equations change with"
            f" {'it' if one else 'them'}. Expected coordinates that enter no energy, force or"
            " constraint but by their rates." + _in_circles(system)
        )
    if what.twin is None:
        return _not_shown(what)
    amplitudes = {q for shape in system.shapes for q in shape.coordinates}  # nobody wrote these
    for i in np.argsort(-rows[: len(system.coordinates)]):
        q = system.coordinates[i]
        terms = [] if q in amplitudes else _timed_terms(system, q)
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


def _in_circles(system: System) -> str:
    """What to do where something rolls, which goes round while it turns."""
    if all(system.is_holonomic):
        return ""
    return (
        " What rolls in a circle rests in axes that turn with it: write its place there, as"
        " rotation(psi) @ vector(xi, eta)."
    )


def _not_shown(what: Timeless) -> str:
    """Why nothing can be said of all times."""
    system = what.system
    if what.term is None:
        return (
            f"{capital(system.title)} has time in its energies or forces, in too long a form to show"
            " that it drops out. Write them in a frame that moves along, so that time is not in them,"
            " or follow the motion in time."
        )
    return (
        f"{capital(system.title)} may have no equilibrium: `{shortened(what.term)}` contains time"
        " together with what moves, and it could not be shown that nothing changes with it at every t."
        " Write the energies in a frame that moves along, or follow the motion in time."
    )


def _timed_terms(system: System, q: Coordinate) -> list[sympy.Expr]:
    """Up to three terms of the equation of rest of q that contain time or an input."""
    L = unfold(sympy.Add(*system.lagrangian_terms))
    D = unfold(sympy.Add(*system.dissipation))
    Q = generalized_forces(system)[system.coordinates.index(q)]
    still = {s: sympy.S.Zero for v in system.velocities for s in (v, v.rate)}
    E = (ddt(L.diff(q.rate)) - L.diff(q) + D.diff(q.rate) - Q).xreplace(still)
    terms = sympy.Add.make_args(sympy.expand_mul(E, deep=False))
    return [e for e in terms if prescribed([e])][:3]


PUSHED = 1e-3
"""Share of the forces left that acts along a motion without stiffness, if it is what is wrong."""


def too_small(system: System, q: Array) -> str:
    """Says that forces which come out as zero are none."""
    return (
        f"Newton's method ended at {where(system, q)}, where a force is too small for floating-point"
        " numbers, alone or beside others, but not zero: that is no equilibrium. Expected a guess"
        " from which forces can be told. Try another `guess`, nearer to where something acts."
    )


def digits_lost(system: System, q: Array) -> str:
    """Says that forces which balance to rounding do not tell where a body rests."""
    return (
        f"The forces on {system.title} balance to rounding at {where(system, q)}, but this does not"
        " tell where it rests: beside stiff parts the digits of soft ones are lost. Take fewer"
        " functions, or let stiff parts be rigid."
    )


def unbalanced(system: System, about: Reference, rows: Array, turning: Sequence[int] = ()) -> str:
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


def pushed_away(system: System, tangents: Array, E: Array) -> str:
    """Says if a force acts along a motion without stiffness, or an empty string.

    `tangents` (k, n, n) are those where Newton's method ended and at other places: a motion without
    stiffness has none anywhere, while an equation without root may have none where it comes nearest.
    """
    if not (np.isfinite(tangents).all() and np.isfinite(E).all()):
        return ""
    scaled, rows, columns = balanced(np.concatenate(list(tangents)))
    _, values, null = np.linalg.svd(scaled)
    forces = E / np.where(rows[: len(E)] > 0, rows[: len(E)], 1.0)
    for direction in null[np.sum(values > NULL_CUT) :]:
        if abs(direction @ forces) < PUSHED * np.linalg.norm(forces):
            continue
        moved = np.abs(direction / columns)
        return (
            f"{capital(system.title)} has no equilibrium near the guess: a motion of"
            f" `{_owner(system, int(np.argmax(moved)))}` has no stiffness, and a force acts along it."
            f" Is a support or a spring missing? Less than {NULL_CUT:.0e} of the stiffness of others"
            " counts as none: its digits are lost."
        )
    return ""


def _owner(system: System, k: int) -> object:
    """A coordinate, or the field whose amplitude it is."""
    q = system.coordinates[k]
    return next((shape.field for shape in system.shapes if q in shape.coordinates), q)


def unsolved(system: System, rows: Array, q: Array, status: Status, J: Array, phi: Array) -> str:
    """Where Newton's method ended and how far from balance; J (c, n) are the slopes of phi (c,)."""
    row = int(np.argmax(rows))
    n = len(system.coordinates)
    if row >= n:
        against = contradiction(system, J, phi)
        if against:
            return f"{against} Newton's method ended at {where(system, q)}."
    what = f"the equation of `{_owner(system, row)}`" if row < n else named(system, row - n)
    return (
        f"Newton's method ended with a residual of {rows[row]:.2g} in {what}, at"
        f" {where(system, q)}. {status} Try another `guess`, or raises=False to look at it."
    )


def loose(system: System, tangent: Array) -> str:
    """Names the directions in which an equilibrium can be shifted, as a sentence or nothing."""
    if not np.isfinite(tangent).all():
        return ""
    n = len(system.coordinates)
    scaled, _, columns = balanced(tangent)
    _, values, rows = np.linalg.svd(scaled)
    null = rows[np.sum(values > NULL_CUT) :]
    # directions in multipliers alone are no shifts, and rounding in the coordinates none either
    moved = null[np.abs(null[:, :n]).max(axis=1, initial=0) > 1e-6]
    moved = np.where(np.abs(moved) > 1e-9, moved / columns, 0.0)[:, :n]
    moved = moved / np.abs(moved).max(axis=1, keepdims=True, initial=1e-300)
    directions = [
        " with ".join(f"`{q}`" for q, x in zip(system.coordinates, row, strict=True) if abs(x) > 1e-6)
        for row in moved
    ]
    named = [direction for direction in directions if direction]
    if not named:
        return ""
    return f" It can be shifted along {'; '.join(named)}: the tangent is singular there."
