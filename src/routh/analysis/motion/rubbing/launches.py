"""How contacts in a surface begin to slip: in the direction in which they accelerate.

While it slips with velocity v the force is along -v, so that the direction d of the first slip is one
for which the acceleration is along d itself. It attracts the directions nearby, and is found by going
the way they turn. The motion then starts from a slip of negligible size along it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from routh.analysis.motion.rubbing.contacts import View
from routh.arrays import Array

MOST_TURNS = 400
"""Turns of the direction towards that of the acceleration."""

ALONG = 1e-12
"""Sine of the angle between both below which they are the same."""


def launched(view: View, vectors: Mapping[int, Array | None], t: float, x: Array) -> Array | None:
    """The state with a slip along its own acceleration; None where no direction is driven on.

    `vectors` are the contacts that begin to slip, with the direction in which what held them gave way.
    """
    first = [np.eye(len(view.slips[k]))[0] if d is None else d for k, d in vectors.items()]
    directions = first
    for _ in range(MOST_TURNS):
        start = _slipping(view, list(vectors), directions, t, x)
        rates = view.at(t, start).rates
        found = [rates[k] for k in vectors]
        if not all(np.isfinite(a).all() for a in found):
            return None
        if all(_off(a, d) <= ALONG for a, d in zip(found, directions, strict=True)):
            break
        directions = [_turned(d, a) for d, a in zip(directions, found, strict=True)]
    if all(a @ d > 0 for a, d in zip(found, directions, strict=True)):
        return start
    if any(d is None for d in vectors.values()):
        return None
    return _slipping(view, list(vectors), first, t, x)  # it gives way, and is not yet driven on


def _off(a: Array, d: Array) -> float:
    """The sine of the angle between an acceleration and a direction; 1 where they are opposed."""
    size = float(np.linalg.norm(a))
    along = float(a @ d)
    return float(np.linalg.norm(a - along * d)) / size if size > 0 and along > 0 else 1.0


def _turned(d: Array, a: Array) -> Array:
    """The direction halfway to that of the acceleration."""
    size = float(np.linalg.norm(a))
    turned = d + (a / size if size > 0 else 0.0)
    length = float(np.linalg.norm(turned))
    if length > 1e-6:
        return np.asarray(turned / length)
    aside = np.roll(d, 1) * np.where(np.arange(len(d)) % 2, 1.0, -1.0)  # opposed: to one side
    return np.asarray(aside / np.linalg.norm(aside))


def _slipping(
    view: View, vectors: Sequence[int], directions: Sequence[Array], t: float, x: Array
) -> Array:
    """The state whose slips have a negligible size along directions, by the least change."""
    state, n = view.state(x), view.flow.motion.n
    M, J = view.flow.run("matrices", t, state)
    rows = np.concatenate([J, *(view.slip_slopes(k, t, state) for k in vectors)])
    wanted = [view.slow(k) * d for k, d in zip(vectors, directions, strict=True)]
    moves = [w - view.velocity(k, t, state) for k, w in zip(vectors, wanted, strict=True)]
    right = np.concatenate([np.zeros(n + len(J)), *moves])
    K = np.block([[M, rows.T], [rows, np.zeros((len(rows), len(rows)))]])
    found = x.copy()
    found[n : 2 * n] += np.linalg.lstsq(K, right, rcond=None)[0][:n]
    return found
