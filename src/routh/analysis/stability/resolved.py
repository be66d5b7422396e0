"""Verdicts on discretized fields that rest on eigenvalues of the field, and never on artefacts.

What energy decides holds for whatever functions a field is made of. What eigenvalues decide, and the
rates that are told, are looked at with another number of functions:

    growth that stays, with its shape and its sign          unstable
    what grows moves on with the functions, or nothing      as the lowest modes are, all that stay
    what grows is among these, or no mode stays             undecided: more functions are needed

Energy needs no second size: a direction in which the potential falls is one of the field.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from routh.analysis.linear.linear_model import LinearModel
from routh.analysis.stability.comparison import CONVERGED, Comparison, comparison
from routh.analysis.stability.verdict import Reason, Stability, joined
from routh.arrays import Complex, Mask

VISIBLE = 1e-6
"""Real parts above this share of an eigenvalue of the other size are growth."""

MOVES = 0.1
"""Relative change with the functions above which growth is an artefact: half of a fifth, by which
sizes differ at least and artefacts move."""

SEVERAL = 2
"""Modes that must be converged before growth above them is taken for an artefact."""

FAR = 3.0
"""How far above the modes that stay growth is too far away to be one that is only not resolved."""

BY_EIGENVALUES = frozenset({Reason.DIVERGENCE, Reason.FLUTTER, Reason.GYROSCOPIC, Reason.CIRCULATORY,
                            Reason.DECAY, Reason.MARGINAL, Reason.HELD_YET_GROWING})  # fmt: skip
"""Reasons that eigenvalues give."""

BY_DAMPING = frozenset({Reason.COMPLETE_DAMPING, Reason.PERVASIVE_DAMPING, Reason.PARTIAL_DAMPING,
                        Reason.DAMPED_NO_MINIMUM})  # fmt: skip
"""Reasons that energy gives, with rates that are those of modes, or with modes that are not reached."""

Judge = Callable[[LinearModel, Complex, Mask], Stability]
"""The verdict on a batch of one axis from those of its eigenvalues that count."""


def resolved(linear: LinearModel, eigenvalues: Complex, found: Stability, judge: Judge) -> Stability:
    """The verdict on a linear model as far as eigenvalues that stay with the functions decide it."""
    given = linear.reference.conditions
    reasons = np.asarray(found.reason, dtype=object).reshape(-1)
    index = np.flatnonzero([reason in BY_EIGENVALUES | BY_DAMPING for reason in reasons])
    beside = comparison(linear.at_constant_momenta) if len(index) and linear.is_holonomic else None
    if beside is None:
        return found
    flat, values = _flat(found, len(reasons)), given.stacked(found.eigenvalues)
    seen = [evidence(beside, k, values[k], flat.reason[k], int(flat.index[k])) for k in index.tolist()]
    counted = np.array([each.counted for each in seen])
    again = judge(linear.chosen(index), given.stacked(eigenvalues)[index], counted)
    again = replace(
        again,
        reason=_objects([each.reason or told for each, told in zip(seen, again.reason, strict=True)]),
        nonlinear=again.nonlinear & np.array([each.is_whole for each in seen]),
        remark=_objects([each.remark for each in seen]),
    )
    left = np.setdiff1d(np.arange(len(reasons)), index)
    every = joined([(left, flat.chosen(left)), (index, again)], given.shape or (1,))
    return every if given.shape else _single(every)


def _objects(entries: list[Any]) -> Any:
    array = np.empty(len(entries), dtype=object)
    array[:] = entries
    return array


def _flat(found: Stability, count: int) -> Stability:
    """A verdict with one axis."""
    shape = np.shape(found.reason)
    entries = {
        f.name: getattr(found, f.name) for f in fields(found) if f.name not in ("linear", "engine")
    }
    values = entries.pop("eigenvalues")
    words = ("reason", "proviso", "remark", "potential")
    arrays = {
        name: np.asarray(x, dtype=object if name in words else None) for name, x in entries.items()
    }
    changed: dict[str, Any] = {n: np.broadcast_to(x, shape).reshape(count) for n, x in arrays.items()}
    return Stability(eigenvalues=values.reshape(count, values.shape[-1]), **changed)


def _single(batch: Stability) -> Stability:
    """The verdict of a batch of one."""
    entries = {f.name: getattr(batch, f.name) for f in fields(batch)}
    first: dict[str, Any] = {name: x[0] for name, x in entries.items() if isinstance(x, np.ndarray)}
    return Stability(**first)


@dataclass(frozen=True, eq=False)
class Evidence:
    """What the eigenvalues of one point say beside those of another size.

    Attributes:
        counted: which count: the lowest ones that stay, without a gap, and growth that stays.
        remark: what the verdict rests on, in words.
        reason: the reason where it is not the one that they give, or None.
        is_whole: whether nothing that moves on says otherwise, so that the verdict is one on the
            equations of the discretized system too.
    """

    counted: Mask
    remark: str
    reason: Reason | None = None
    is_whole: bool = True


def evidence(beside: Comparison, k: int, values: Complex, found: Reason, unstable: int) -> Evidence:
    """The evidence at point k: settled growth first, then whether the lowest modes can be told."""
    known = ~np.isnan(values.real)
    order = np.argsort(np.where(known, np.abs(values), np.inf), kind="stable")
    growing = np.zeros(len(values), dtype=bool)
    growing[np.argsort(np.where(known, -values.real, np.inf), kind="stable")[:unstable]] = True
    stays = beside.stays(k, values)
    run = _leading(order, stays & ~growing)
    exact = (beside.change(k, values)[0] <= CONVERGED) & _among(order, stays)
    settled = growing & (_leading(order, stays) | exact) & beside.keeps_side(k, values)
    settled &= _alone(values, growing & ~settled)
    if settled.any():
        settled[settled] = beside.alike(k, values[settled])
    if settled.any():
        return Evidence(run | settled, f"It stays with {beside.described}.")
    if found is Reason.DAMPED_NO_MINIMUM:
        return Evidence(known, "")
    moving = _moving(beside, k, values[growing])
    if found in BY_EIGENVALUES and _is_hidden(beside, k, values, run, moving):
        first = _lowest(moving if len(moving) else values[known])
        remark = f"s = {_root(first)} 1/s is another with {beside.described}."
        return Evidence(known, remark, Reason.UNRESOLVED, is_whole=False)
    sure = beside.keeps_side(k, values[run])
    if found is Reason.DECAY and not sure.all():
        remark = f"s = {_root(_lowest(values[run][~sure]))} 1/s decays at another rate"
        return Evidence(known, f"{remark} with {beside.described}.", Reason.UNRESOLVED, is_whole=False)
    if found in (Reason.PARTIAL_DAMPING, Reason.PERVASIVE_DAMPING) and run.any():
        remark = f"This rests on the {_modes(run, known)} with {beside.described}."
        reason = Reason.PERVASIVE_DAMPING if sure.all() else Reason.PARTIAL_DAMPING
        return Evidence(run, remark, reason, is_whole=reason is found)
    return _on_the_lowest(beside, values, found, run, moving)


def _is_hidden(beside: Comparison, k: int, values: Complex, run: Mask, moving: Complex) -> bool:
    """Whether what grows may be growth of the field that is not resolved yet, rather than an artefact.

    An artefact lies above the first mode that is not settled, and moves on with the functions, unless
    it is far above all that are. Where nothing grows one mode that stays is enough; to set growth aside
    takes several that are converged: one alone may be that of a simpler field, as a string is of a
    beam whose bending is not resolved.
    """
    exact = run.copy()
    exact[run] = beside.change(k, values[run])[0] <= CONVERGED
    if not run.any() or (len(moving) and exact.sum() < 2 * SEVERAL):
        return True
    others = values[~run & ~np.isnan(values.real)]
    if np.abs(moving).min(initial=np.inf) <= np.abs(others).min(initial=np.inf):
        return True
    near = moving[np.abs(moving) <= FAR * np.abs(values[run]).max()]
    elsewhere = beside.values[k] if np.isin(near, values).all() else values
    distance = np.abs(near[:, None] - elsewhere[~np.isnan(elsewhere.real)])
    return bool((distance.min(axis=1, initial=np.inf) < MOVES * np.abs(near)).any())


def _moving(beside: Comparison, k: int, growing: Complex) -> Complex:
    """What grows at this size, or, where nothing does, with more functions."""
    if len(growing) or not beside.is_finer:
        return growing
    others = beside.values[k]
    with np.errstate(invalid="ignore"):
        return np.asarray(others[others.real > VISIBLE * np.abs(others)])


def _on_the_lowest(
    beside: Comparison, values: Complex, found: Reason, run: Mask, moving: Complex
) -> Evidence:
    """The evidence of the lowest modes, where nothing that grows stays."""
    known = ~np.isnan(values.real)
    if not run.any():
        return Evidence(known, f"No mode stays with {beside.described}.")
    remark = f"This rests on the {_modes(run, known)} with {beside.described}."
    if found not in BY_EIGENVALUES or not len(moving):
        return Evidence(run, remark)
    first = _root(_lowest(moving))
    remark += f" What seems to grow, s = {first} 1/s first, moves on with their number."
    return Evidence(run, remark, is_whole=False)


def _leading(order: NDArray[np.intp], mask: Mask) -> Mask:
    """Those of a mask that come first in an order, up to the first that is not in it."""
    length = len(order) if mask.all() else int(np.argmin(mask[order]))
    leading = np.zeros(len(mask), dtype=bool)
    leading[order[:length]] = True
    return leading


def _among(order: NDArray[np.intp], mask: Mask) -> Mask:
    """Those that have as many of a mask as of others below them in an order.

    Where artefacts are crowded one of them will be found near some other at any size.
    """
    share = np.cumsum(mask[order]) / np.arange(1, len(order) + 1)
    among = np.zeros(len(mask), dtype=bool)
    among[order] = share >= 0.5
    return among


def _alone(values: Complex, moving: Mask) -> Mask:
    """Which eigenvalues have nothing that grows and moves on below them or not far above.

    Artefacts come in rows, and some of a row lie near some of the row at any other size.
    """
    lowest = np.abs(values[moving]).min(initial=np.inf)
    with np.errstate(invalid="ignore"):
        return np.asarray(FAR * np.abs(values) < lowest)


def _modes(run: Mask, known: Mask) -> str:
    """How many of the modes are counted."""
    count, total = (int(x.sum() + 1) // 2 for x in (run, known))
    if count == total:
        return "only mode, which stays" if count == 1 else f"{count} modes, which stay"
    return "lowest mode, which stays" if count == 1 else f"{count} lowest of {total} modes, which stay"


def _lowest(values: Complex) -> complex:
    return complex(values[np.argmin(np.abs(values))])


def _root(s: complex) -> str:
    return f"{s.real:.6g}" + (f" ± {abs(s.imag):.6g}i" if s.imag else "")
