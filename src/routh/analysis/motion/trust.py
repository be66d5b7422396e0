"""Whether a motion may be trusted: its power balance, and a second run at finer tolerances.

The rules, for a run that got where it was to go:

* A power balance that is not finite is no balance.
* The imbalance is compared with the energy that moves about. Beyond 1e4 times rtol, 1 % at most, no
  tolerance is an excuse; rounding of the energy itself is one, and so is that nothing moves: what the
  forces of constraints hold moves by rounding alone, and has no energy to compare with.
* With check=True each coordinate and velocity may differ between the two runs by a hundred times what
  was asked of the steps: 100 (rtol range + atol), its range being that along the motion.

Work is integrated along with the motion where anything can change the energy. The balance also finds
runs whose local errors add up too fast, as at the sharp turns of a light cart-pole: these are made
again, closer, at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from routh.analysis.motion.flow import MovingSystem
from routh.arrays import Array

TRUSTED = 1e4
"""The power balance may be violated by so many times the tolerance of a step."""

WRONG = 0.01
"""Beyond this no tolerance is an excuse."""

LEAST = 1e-8
"""What rounding may do to the power balance of a long run."""

BLUR = 1e4
"""Units in the last place of an energy or a position that a run of many steps may lose to rounding."""

STILL = 1e-10
"""What moves by less than this share of where it is does not move but for rounding; nor does what
accelerates by less than this share of what the forces that hold it would do."""

HUNDRED = 100.0
"""So many times what was asked of the steps may two runs differ."""


def moved_energy(flow: MovingSystem, last: float) -> float:
    """How much energy went to and fro along a run: kinetic energy and the range of the potential."""
    if flow.extent is not None:
        return flow.extent.kinetic + flow.extent.most - flow.extent.least
    whole, still, _ = _energies(flow, last)
    return float(_largest(whole - still) + np.fmax.reduce(still) - np.fmin.reduce(still))


def is_loose(flow: MovingSystem, allowed: float) -> bool:
    """Whether the power balance is off by more than this share of the energy that moves about.

    Looked at wherever the run was kept, also between its outputs; rounding does not count.
    """
    whole, still, work = _energies(flow, np.inf)
    with np.errstate(all="ignore"):
        off = _largest(whole - whole[0] - work)
        size = _largest(whole - still) + float(np.ptp(still)) + _largest(work)
    rounding = BLUR * np.finfo(float).eps * _largest(whole)
    return bool(np.isfinite(off + size)) and off > max(allowed * size, rounding) and _moves(flow)


def are_loose(
    energies: Mapping[str, Array], ranges: tuple[Array, Array], n: int, allowed: Array
) -> NDArray[np.bool_]:
    """(N,): the same of runs of n coordinates that compiled code has looked at."""
    size = energies["kinetic"] + energies["most"] - energies["least"] + energies["work"]
    off = energies["off"]
    rounding = BLUR * np.finfo(float).eps * energies["whole"]
    moves = _range_moves(*(each[:, :n] for each in ranges)).any(axis=1)
    return np.asarray(np.isfinite(off + size) & (off > np.maximum(allowed * size, rounding)) & moves)


def _energies(flow: MovingSystem, last: float) -> tuple[Array, Array, Array]:
    """Energy, energy at rest and work at the states that were kept of a run."""
    t, x = _kept(flow, last)
    with np.errstate(all="ignore"):
        whole, still = (each[:, 0, 0] for each in flow.along("energy", t, x))
    return whole, still, x[:, -1] if flow.motion.works else np.zeros(len(t))


def _kept(flow: MovingSystem, last: float) -> tuple[Array, Array]:
    kept = [sample for sample in flow.samples if sample[0] <= last]
    return np.array([t for t, _ in kept]), np.array([x for _, x in kept])


@dataclass(frozen=True)
class Ledger:
    """The energy along a run, or along one phase of it.

    Attributes:
        flow: what moves.
        energy, balance: (T,) the energy, and the error of the power balance.
        size: the energy that moves about.
    """

    flow: MovingSystem
    energy: Array
    balance: Array
    size: float


def surely_balanced(energy: Array, balance: Array, size: Array, rtol: float) -> bool:
    """Whether nothing speaks against any of many runs, (N, T) each and (N,), by their power balance."""
    off, whole = (np.abs(each).max(axis=1) for each in (balance, energy))
    rounding = BLUR * np.finfo(float).eps * whole
    allowed = min(max(TRUSTED * rtol, LEAST), WRONG) * size
    return bool(np.isfinite(size).all() and (off <= np.maximum(allowed, rounding)).all())


def unbalanced(ledgers: Sequence[Ledger], rtol: float) -> str:
    """What the power balance of a run in one or several phases says against it; empty for nothing."""
    finite = [np.isfinite(each.balance).all() and np.isfinite(each.size) for each in ledgers]
    if not all(finite):
        return (
            "its power balance is not finite: do not trust it. Look for an energy that overflows or has"
            " no value along it."
        )
    off = sum(_largest(each.balance) for each in ledgers)
    size = max(each.size for each in ledgers)
    rounding = BLUR * np.finfo(float).eps * sum(_largest(each.energy) for each in ledgers)
    if off <= max(min(max(TRUSTED * rtol, LEAST), WRONG) * size, rounding):
        return ""
    if not any(_moves(each.flow) for each in ledgers):
        return ""
    share = f"{off / size:.1e} of the energy that moves about" if size > 0 else f"{off:.1e}"
    return (
        f"its power balance is off by {share}: do not trust it. Ask for smaller rtol and atol,"
        f" or another method: rtol is {rtol:g}."
    )


def _moves(flow: MovingSystem) -> bool:
    """Whether something moves, beyond the rounding of positions and of forces that cancel."""
    n = flow.motion.n
    moved = _range_moves(*(each[:n] for each in _range(flow)))
    if not moved.any() or not flow.motion.c or flow.extent is not None:
        return bool(moved.any())
    t, x = _kept(flow, np.inf)
    a, multipliers = (each[..., 0] for each in flow.along("solved", t, x))
    M, J = flow.along("matrices", t, x)
    s = flow.scales
    pushed = np.linalg.norm(s * (M @ a[..., None])[..., 0], axis=-1).max()
    held = np.linalg.norm(s * (J.swapaxes(1, 2) @ multipliers[..., None])[..., 0], axis=-1).max()
    speed = np.linalg.norm(x[:, n : 2 * n] / s, axis=-1).max()
    return not bool(pushed <= STILL * held and speed <= STILL * held * (t[-1] - t[0]))


def _range(flow: MovingSystem) -> tuple[Array, Array]:
    """The least and the largest of each q and v along a run."""
    if flow.extent is not None:
        return flow.extent.low, flow.extent.high
    x = _kept(flow, np.inf)[1][:, : 2 * flow.motion.n]
    return x.min(axis=0), x.max(axis=0)


def _range_moves(low: Array, high: Array) -> NDArray[np.bool_]:
    """What moves by more than rounding."""
    return np.asarray(high - low > STILL * np.maximum(np.abs(low), np.abs(high)))


def contradicted(
    flows: Sequence[MovingSystem], names: Sequence[object], error: Array, rtol: float, atol: float
) -> str:
    """What the difference (T, 2n) of two runs says against them, as a clause; empty for nothing.

    `rtol` and `atol` are those of the first of them, as asked for.
    """
    lows, highs = (np.stack(each) for each in zip(*map(_range, flows), strict=True))
    low, high = lows.min(axis=0), highs.max(axis=0)
    blurred = BLUR * np.finfo(float).eps * np.maximum(np.abs(low), np.abs(high))
    asked = rtol * (high - low) + atol
    largest = np.fmax.reduce(np.abs(error), axis=0)
    times = np.where(largest <= blurred, 0.0, largest / asked)
    worst = int(np.argmax(times))
    if times[worst] <= HUNDRED:
        return ""
    return (
        f"`{names[worst]}` differs by {largest[worst]:.1e} from the run at the tolerances asked for,"
        f" {times[worst]:.1e} times what these allow a step (100 is too much): do not trust it. Ask for"
        " smaller rtol and atol."
    )


def _largest(array: Array) -> float:
    return float(np.fmax.reduce(np.abs(array)))
