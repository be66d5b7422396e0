"""The ask `drag`: a point of the mechanism follows the hand along admissible motions.

Newton's method on |r(q) - target|^2 / 2, where positions move along what holonomic constraints allow
and are put back onto them to rounding after each step. Out of reach Gauss and Newton alone would creep:
the curvature of r and of the constraints belongs to the slope of the gradient. Steps are bounded, so
that a linkage never jumps into another assembly. In space the target lies in the plane of the paper:
what is along the line of sight is free.

Fields bend only where nothing else reaches the target: first the ordinary coordinates go as near as
they can, then the amplitudes help with the least elastic energy, as if a force at the point did it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from routh.arrays import Array, Mask
from routh.display.pictures.sketch import flat
from routh.errors import DeclarationError, SolveError
from routh.kernels.engine import Point
from routh.studio.answers.easel import easel
from routh.studio.answers.pose import Pose, angles, onto_constraints, pose
from routh.studio.answers.request import chosen, findings, number, position
from routh.studio.answers.still_picture import NOTHING, drawn, view_of
from routh.studio.bench import Bench

STEPS = 60
"""Steps at most."""

LONGEST = 0.25
"""Of one step: radians of an angle, or that share of the size of the drawing."""

THERE = 1e-12
"""Share of the size of the drawing within which the point has arrived."""

STILL = 1e-10
"""Length of a step, in the same units, that moves nothing."""

BALANCED = 1e-6
"""Length of a step that leads nowhere but to where the point is farthest in some direction."""

MOST = 40
"""Coordinates up to which curvatures are looked at; beyond, Gauss and Newton must do."""

ASIDE = 1e-6
"""Of a coordinate, for differences of slopes."""

FLAT = 1e-7
"""Share of the largest curvature below which a direction counts as flat."""

STIFF = 1e-8
"""Share of the largest stiffness that amplitudes have at least, where an energy does not hold them."""


def drag(bench: Bench, about: Mapping[str, Any]) -> dict[str, Any]:
    """`drag` {text, values, q, handle, to: [x, y], view, hold?: [names]}: the handle nearest to `to`.

    `to` is in units of the SVG, `view` what the picture gave. Coordinates on which the handle does not
    depend stay, angles are not wrapped, and those named in `hold` stay too.

    Returns:
        As `picture`, and `reached`: whether the handle is where the hand is.
    """
    found = findings(bench, about)
    if found.model.drawing.is_empty:
        raise DeclarationError(NOTHING)
    here = pose(found, position(found, about.get("q")))
    own = easel(found)
    by_key = {each.key: each for each in own.handles}
    handle = by_key[chosen(about.get("handle"), by_key, "`handle`")]
    to = about.get("to")
    if not isinstance(to, list) or len(to) != 2:
        raise DeclarationError("`to` must be a place [x, y] on the paper.")
    window = view_of(about.get("view")) or own.window
    target = window.seen(np.array([number(x, "`to`") for x in to]))
    size = max(window.box[2], window.box[3]) / window.scale
    reached, off = follow_hand(here, handle.place, target, size, held=_held(here, about))
    answer = drawn(found, reached, window)
    return answer | {"reached": bool(off <= 1e-6 * size)}


def _held(here: Pose, about: Mapping[str, Any]) -> Mask:
    """(n,) which coordinates stay."""
    names = about.get("hold") or []
    known = [q.name for q in here.system.coordinates]
    if not isinstance(names, list):
        raise DeclarationError("`hold` must list names of coordinates.")
    for name in names:
        chosen(name, known, "`hold`")
    return np.array([name in names for name in known], dtype=bool)


def follow_hand(
    here: Pose, place: tuple[Any, ...], target: Array, size: float, held: Mask
) -> tuple[Pose, float]:
    """The position nearest to a target, and how far the point is from it."""
    amplitudes = {x for shape in here.system.shapes for x in shape.coordinates}
    bent = np.array([x in amplitudes for x in here.system.coordinates], dtype=bool)
    scale = np.where(angles(here.system) | bent, 1.0, size)
    hand = _Hand(place, target, size)
    rigid = np.diag(scale)[:, ~held & ~bent]
    if rigid.size:
        here = _nearest(hand, here, rigid)
    if (bent & ~held).any() and hand.off(here) > THERE * size:
        here = _nearest(hand, here, np.hstack([rigid, _pliant(here, bent & ~held)]))
    return here, hand.off(here)


def _pliant(here: Pose, bent: Mask) -> Array:
    """(n, k): moves of the amplitudes that each take the same elastic energy.

    In them the shortest step is that of the least energy.
    """
    K = -here.engine.second_derivatives(here.point)["L_qq"][0]
    own = K[np.ix_(bent, bent)]
    stiffness, shapes = np.linalg.eigh((own + own.T) / 2)
    least = STIFF * float(np.abs(stiffness).max(initial=1.0))
    moves = np.zeros((len(bent), int(bent.sum())))
    moves[bent] = shapes / np.sqrt(np.maximum(np.abs(stiffness), least))
    return moves


class _Hand:
    """A point that is pulled to where the hand is on the paper."""

    def __init__(self, place: tuple[Any, ...], target: Array, size: float) -> None:
        self._place, self._target, self.size = list(place), target, size
        # what is seen is linear in the place, so that a unit of each axis says all
        self._seen = np.array([flat(axis[None])[0] for axis in np.eye(len(place))]).T

    def gap(self, here: Pose) -> Array:
        """(2,) from the point to the hand, as it is seen."""
        return np.asarray(self._target - self._seen @ here.read(self._place))

    def off(self, here: Pose) -> float:
        """How far the point is from the hand; infinite where it is nowhere."""
        gap = float(np.linalg.norm(self.gap(here)))
        return gap if np.isfinite(gap) else np.inf

    def slopes(self, here: Pose) -> Array:
        """(2, n) how the point moves with the coordinates."""
        return np.asarray(self._seen @ here.slopes(self._place))

    def curvature(self, here: Pose, gap: Array, push: Array) -> Array:
        """(n, n): the slope of -gap . r_q + push . phi_q by the coordinates, gap and push being held.

        Differences of exact slopes: Newton's method needs no more digits of it.
        """
        n, point = len(here.q), here.point
        stack = Point(*(np.repeat(argument, n, axis=0) for argument in point.arguments))
        bent = replace(stack, q=stack.q + ASIDE * np.eye(n))
        slope = self._seen @ here.engine.slopes(self._place, bent)[0]
        change = -np.einsum("i,kin->kn", gap, slope - self.slopes(here))
        if len(push):
            rows = here.holonomic
            beside = here.engine.constraint_slopes(bent)[1][:, rows]
            change += np.einsum("i,kin->kn", push, beside - here.constraints()[1])
        H = change / ASIDE
        return np.asarray((H + H.T) / 2)


def _nearest(hand: _Hand, here: Pose, moves: Array) -> Pose:
    """Steps of Newton's method along combinations of `moves` (n, k), each of a bounded length."""
    gap, longest = hand.gap(here), LONGEST
    for _ in range(STEPS):
        off = float(np.linalg.norm(gap))
        if off <= THERE * hand.size:
            break
        along = moves @ _allowed(here, moves)
        step = along @ _step(hand, here, along, gap, longest)
        length = float(np.linalg.norm(np.linalg.lstsq(moves, step, rcond=None)[0]))
        if length <= STILL:
            break
        ahead = _tried(here, step)
        left = gap if ahead is None else hand.gap(ahead)
        if ahead is None or not np.linalg.norm(left) < off:
            longest = length / 4
            continue
        here, gap = ahead, left
        longest = min(LONGEST, 2 * longest)
    return here


def _step(hand: _Hand, here: Pose, along: Array, gap: Array, longest: float) -> Array:
    """(m,) the step of Newton's method, downhill in every direction and no longer than allowed."""
    J = hand.slopes(here)
    gradient = -J.T @ gap
    H = J.T @ J
    if len(here.q) <= MOST:
        _, slopes = here.constraints()
        push = np.zeros(0)
        if len(slopes):
            push = np.asarray(np.linalg.lstsq(slopes.T, -gradient, rcond=1e-10)[0], dtype=float)
        H = H + hand.curvature(here, gap, push)
    values, vectors = np.linalg.eigh(along.T @ H @ along)
    downhill = vectors.T @ (along.T @ gradient)
    least = FLAT * float(np.abs(values).max(initial=0.0))
    step = -vectors @ (downhill / np.maximum(np.abs(values), max(least, 1e-300)))
    if float(np.linalg.norm(step)) <= BALANCED and values[0] < -least:
        # a straight chain that is pushed along itself: it gives way, to either side
        step = vectors[:, 0] * np.sign(vectors[np.argmax(np.abs(vectors[:, 0])), 0]) * LONGEST / 2
    return np.asarray(step * min(1.0, longest / max(float(np.linalg.norm(step)), 1e-300)))


def _allowed(here: Pose, moves: Array) -> Array:
    """(k, m): the combinations of moves that the constraints allow."""
    _, slopes = here.constraints()
    if not len(slopes):
        return np.eye(moves.shape[1])
    _, sizes, V = np.linalg.svd(slopes @ moves)
    rank = int((sizes > 1e-10 * sizes.max(initial=0.0)).sum())
    return np.asarray(V[rank:].T)


def _tried(here: Pose, step: Array) -> Pose | None:
    """The position after a step, back on the constraints; None where that leads far away or nowhere."""
    try:
        ahead = onto_constraints(here.at(here.q + step))
    except SolveError:
        return None
    back = np.abs(ahead.q - here.q - step).max(initial=0.0)
    return ahead if back <= 2 * np.abs(step).max(initial=0.0) else None
