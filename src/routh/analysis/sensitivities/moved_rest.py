"""How a rest or steady motion moves with what is given, by the implicit function theorem.

The equations E(x, p) = 0 of `given/balance_slopes` hold all along, so that `E_x dx/dp = -E_p`. Where
time enters, they hold at every time, and so must this: several times are solved together. What the
equations leave free stays where it is, by the shortest move in units of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import factorial

import numpy as np

from routh.analysis.given.balance_slopes import by_knob, by_unknowns
from routh.analysis.given.knob import Knob
from routh.analysis.given.protocols import Found
from routh.analysis.given.redundancy import redundant
from routh.analysis.pieces.kinks import smooth_at
from routh.arrays import Array, Mask
from routh.errors import DerivationError, SolveError, Status, capital, quoted
from routh.kernels.engine import Kernel, Point
from routh.kernels.kernel import kernel
from routh.numerics import levels
from routh.numerics.rank import balanced
from routh.numerics.solving.dependence import ranks

TIMES = (0.0, 0.61, 2.3)
"""Times in s at which equations and matrices that contain time must tell of the same derivatives."""

LEFT = 1e-9
"""Share of its terms that may be left of an equation that is met."""


@dataclass(frozen=True, eq=False)
class Moves:
    """How a rest moves with each of some knobs.

    Attributes:
        knobs: what is turned.
        turns: for each knob the derivatives of the arguments of kernels, as stacks, but for inputs.
        known: (N, knobs) where there is such a derivative.
        loose: (N,) where the equations leave some direction free, and the shortest move is taken.
    """

    knobs: tuple[Knob, ...]
    turns: tuple[Point, ...]
    known: Mask
    loose: Mask

    def at(self, k: int, engine: Kernel, time: float = 0.0) -> Point:
        """The derivatives of all arguments by knob k at a time: what moves has gone on."""
        turn, moved = self.turns[k], self.knobs[k]
        u = turn.u
        if moved.kind == "u":
            u = np.broadcast_to(signal_rates(engine, moved, time), u.shape)
        return replace(turn, q=turn.q + turn.v * time, u=u)


def times_of(rest: Found) -> tuple[float, ...]:
    """The times that matter."""
    engine = kernel(rest.system)
    return TIMES if rest.conditions.may_change_in_time(engine) else TIMES[:1]


def point_at(rest: Found, time: float) -> Point:
    """The rest at a time, as a stack."""
    given = rest.conditions
    q, multipliers = given.stacked(rest.q), given.stacked(rest.multipliers)
    return given.point(kernel(rest.system), q, multipliers, time)


def moves(rest: Found, knobs: Sequence[Knob], *, order: int) -> Moves:
    """The derivatives of a rest, where the equations are smooth up to an order.

    Raises:
        SolveError: one point, which is no rest.
        DerivationError: one point, at which the equations have no derivatives, constraints depend on
            each other, or the rest goes on with none of the knobs.
    """
    engine, given = kernel(rest.system), rest.conditions
    single = not given.shape
    statuses = np.ravel(np.asarray(rest.status, dtype=object))
    sound = np.array([each is Status.CONVERGED for each in statuses])
    if single and not sound[0]:
        raise SolveError(
            "sensitivity needs an equilibrium that was found and that is not degenerate. Got one with"
            f" status: {rest.status}",
            rest,
        )
    sound = sound & _smooth(engine, rest, order) & _independent(engine, rest)
    held = [engine.system.coordinates.index(q) for q in given.momenta]
    tangents, slopes = [], []
    for time in times_of(rest):
        point = point_at(rest, time)
        tangents.append(by_unknowns(engine, point, given.turning, held))
        columns = [_slope(engine, point, each, time, (given.turning, held)) for each in knobs]
        slopes.append(np.stack(columns, axis=2))
    T, F = np.concatenate(tangents, axis=1), np.concatenate(slopes, axis=1)
    sound = sound & np.isfinite(T).all(axis=(1, 2)) & np.isfinite(F).all(axis=(1, 2))
    x, met, loose = _shortest(T, F, sound)
    known = met & sound[:, None]
    if single and not known.any():
        raise DerivationError(
            f"The equilibrium of {rest.system.title} has no derivative by"
            f" {quoted([each.symbol for each in knobs])}: it turns back here (a fold), or does not go"
            " on at all times. Look beside it, or ask for other parameters."
        )
    turns = [_turn(rest.point(), each, x[..., k], held) for k, each in enumerate(knobs)]
    return Moves(tuple(knobs), tuple(turns), known, loose & sound)


Parts = tuple[Sequence[int], Sequence[int]]
"""The places of what turns, and of speeds that follow from momenta."""


def _slope(engine: Kernel, point: Point, moved: Knob, time: float, parts: Parts) -> Array:
    """(N, unknowns): how the equations at a time change with a knob."""
    if moved.kind != "u":
        return by_knob(engine, point, moved, *parts)
    rates = signal_rates(engine, moved, time)
    each = [(replace(moved, symbol=engine.signals[k]), rates[k]) for k in np.flatnonzero(rates)]
    return np.asarray(sum(rate * by_knob(engine, point, own, *parts) for own, rate in each))


def signal_rates(engine: Kernel, moved: Knob, time: float) -> Array:
    """(signals,): how inputs and their derivatives at a time change with one at time zero."""
    ahead = [
        moved.symbol.order - signal.order if signal.base == moved.symbol.base else -1
        for signal in engine.signals
    ]
    return np.array([time**k / factorial(k) if k >= 0 else 0.0 for k in ahead])


def _smooth(engine: Kernel, rest: Found, order: int) -> Mask:
    """(N,) where the equations have derivatives; one point is refused."""
    found = smooth_at(engine, rest.point(), order)
    if not rest.conditions.shape:
        found.refuse(
            f"{capital(rest.system.title)} has no derivatives by parameters here: its equations have a"
            " kink at the equilibrium",
            "Look beside it, or replace the function by a smooth one.",
        )
    return ~found.broken


def _independent(engine: Kernel, rest: Found) -> Mask:
    """(N,) where constraints do not depend on each other; one point is refused."""
    J = engine.constraint_jacobian(rest.point())
    if not J.shape[1]:
        return np.ones(len(J), dtype=bool)
    finite = np.asarray(np.isfinite(J).all(axis=(1, 2)))
    found = finite.copy()
    found[finite] = ranks(J[finite]) == J.shape[1]
    if not rest.conditions.shape and not found[0]:
        raise DerivationError(
            "Derivatives by parameters need constraints that do not depend on each other."
            f"{redundant(rest.system, J[0])} Leave out those that are too many."
        )
    return np.asarray(found)


def _shortest(T: Array, F: Array, sound: Mask) -> tuple[Array, Mask, Mask]:
    """The x (N, unknowns, P) of T x = -F, (N, P) whether it is met, (N,) whether there are others."""
    T, F = np.where(sound[:, None, None], T, 0.0), np.where(sound[:, None, None], F, 0.0)
    unit, rows, columns = balanced(T)
    right = F / rows[..., None]
    U, sizes, V = np.linalg.svd(unit, full_matrices=False)
    kept = sizes > levels.RANK * np.maximum(sizes.max(axis=1, keepdims=True, initial=0), levels.EPS)
    share = np.where(kept, 1 / np.where(kept, sizes, 1.0), 0.0)
    y = -V.swapaxes(1, 2) @ (share[..., None] * (U.swapaxes(1, 2) @ right))
    left = np.abs(unit @ y + right)
    terms = np.abs(unit) @ np.abs(y) + np.abs(right)
    met = (left <= LEFT * np.maximum(terms, terms.max(axis=1, keepdims=True, initial=0))).all(axis=1)
    return y / columns[..., None], np.asarray(met), np.asarray(~kept.all(axis=1))


def _turn(point: Point, moved: Knob, x: Array, held: list[int]) -> Point:
    """The derivatives of all arguments of kernels by one knob, inputs apart."""
    n, width = point.q.shape[1], point.q.shape[1] + point.multipliers.shape[1]
    still = Point(*(np.zeros_like(each) for each in point.arguments))
    v = still.v.copy()
    v[:, held] = x[:, width:]
    own = {"p": still.p.copy(), "v": v}
    if moved.kind in own:
        own[moved.kind][:, moved.place] = 1.0
    return replace(still, q=x[:, :n], multipliers=x[:, n:width], **own)


def loosely(moved: Moves) -> str:
    """What is said where the equations leave some direction free."""
    if not moved.loose.any():
        return ""
    return (
        "The equations leave some direction of the rest free, as along a family of rests or at a"
        " branch point: it is taken to stay where it is along that direction."
    )


def unmoved(moved: Moves) -> str:
    """What is said of knobs that the rest does not go on with, where it does with others."""
    lost = [each.symbol for k, each in enumerate(moved.knobs) if not moved.known[:, k].any()]
    if not lost or len(lost) == len(moved.knobs):
        return ""
    return (
        f"There is no derivative by {quoted(lost)}: the rest turns back here, or does not go on with"
        " the speeds and at the times that are given."
    )
