"""Runs of a batch a part at a time, of which only what is asked for is kept.

A part is as large as its states may take memory. What a function makes of it is kept, and its first and
last outputs; then the next part takes its place. How parts are cut follows from sizes alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import sympy

from routh.analysis.given.conditions import Conditions
from routh.analysis.given.reading import own_expression
from routh.analysis.motion.asked import Plan
from routh.analysis.motion.flows import joined_flows
from routh.analysis.motion.options import MOST_BYTES
from routh.analysis.motion.plan import run_all
from routh.analysis.motion.trajectory import Trajectory
from routh.arrays import Array
from routh.errors import DeclarationError, Status, a_kind
from routh.language.system import System

PART = 2**28
"""Memory in bytes that the states of one part may take, unless one run alone takes more."""

Kept = Callable[[Trajectory], Any]


def what_is_kept(system: System, asked: Any) -> Kept:
    """A function of a motion, or one that reads expressions along it, (..., T, k)."""
    if callable(asked):
        return asked  # type: ignore[no-any-return]
    return partial(_read, [own_expression(system, each, "What is kept") for each in asked])


def kept_in_parts(plan: Plan, given: Conditions, x: Array) -> Trajectory:
    """All runs, with what is kept of them, and their first and last outputs."""
    keeps, times = what_is_kept(plan.system, plan.options.keep), plan.grid
    _refuse_too_much(plan, given)
    parts: list[Trajectory] = []
    for index in _parts(given.count, 8 * len(times) * x.shape[1]):
        made = run_all(plan, given.chosen(index), x[index], times)
        found = np.asarray(keeps(made))
        _refuse_unfit(found, made, given.count)
        parts.append(_ends(made, found, times))
        if Status.INTERRUPTED in made.run_status:
            break
    reached = sum(part.conditions.count for part in parts)
    whole = given if reached == given.count else given.chosen(np.arange(reached))
    return _joined(parts, whole)


def _read(expressions: Sequence[sympy.Expr], motion: Trajectory) -> Array:
    return np.stack([motion[each] for each in expressions], axis=-1)


def _parts(count: int, each: int) -> Iterator[np.ndarray[Any, Any]]:
    """The numbers of the runs, in parts of the same size but for one."""
    yield from np.array_split(np.arange(count), min(count, -(-count * each // PART)))


def _refuse_too_much(plan: Plan, given: Conditions) -> None:
    """Refuse expressions whose values would not fit into memory, before anything is run."""
    if not callable(plan.options.keep):
        numbers = len(plan.options.keep) * len(plan.grid)
        _refuse_bytes(8 * numbers * given.count, given.count, f"{numbers:,} numbers of each")


def _refuse_unfit(found: Array, made: Trajectory, count: int) -> None:
    """Refuse what a function returned if it does not tell the runs apart, or would not fit."""
    runs = made.conditions.count
    if found.dtype == object or found.ndim < 1 or len(found) != runs:
        got = a_kind(found.item()) if found.ndim == 0 else f"an array of shape {found.shape}"
        raise DeclarationError(
            f"The function in `keep` gets a motion of several runs, here {runs}, and must return an"
            f" array with as many rows. Got {got}. Reduce along the times alone, like"
            ' lambda motion: motion["theta"].max(axis=-1).'
        )
    _refuse_bytes(found.nbytes // runs * count, count, f"{found[0].size:,} numbers of each")


def _refuse_bytes(needed: int, runs: int, what: str) -> None:
    if needed > MOST_BYTES:
        raise DeclarationError(
            f"{what} of {runs:,} motions would take {needed / 2**30:,.1f} GiB. Expected"
            f" {MOST_BYTES // 2**30} GiB at most. Keep less of each, by a function in `keep`."
        )


def _ends(made: Trajectory, found: Array, times: Array) -> Trajectory:
    """A part with its first and last outputs alone, NaN where the last was not reached."""
    ends = [0, -1] if len(made.t) == len(times) else [0]
    own = {name: getattr(made, name)[:, ends] for name in ("q", "v", "work")}
    return replace(made, t=made.t[ends], kept=found, again=made.again, **own)


def _joined(parts: Sequence[Trajectory], given: Conditions) -> Trajectory:
    """Parts as one motion."""
    longest = max(parts, key=lambda part: len(part.t))

    def whole(name: str) -> Any:
        each = [_padded(getattr(part, name), len(longest.t), name) for part in parts]
        stack = np.concatenate(each)
        return given.folded(stack) if given.shape else stack[0]

    names = ["q", "v", "work", "run_status", "run_message", "events", "statistics", "atol", "engine"]
    names += [] if longest.kept is None else ["kept"]
    return replace(
        longest,
        conditions=given,
        share=min(part.share for part in parts),
        flows=joined_flows([part.flows for part in parts]),
        again=partial(_again, [part.again for part in parts], given),
        **{name: whole(name) for name in names},
    )


def _padded(array: Array, rows: int, name: str) -> Array:
    """With NaN in the rows of time that a part has not reached."""
    if name not in ("q", "v", "work") or array.shape[1] == rows:
        return array
    missing = np.full((len(array), rows - array.shape[1], *array.shape[2:]), np.nan)
    return np.concatenate([array, missing], axis=1)


def _again(parts: Sequence[Callable[[Any], Trajectory]], given: Conditions, times: Any) -> Trajectory:
    """The same motions at other times; nothing is kept of those but their states."""
    return _joined([again(times) for again in parts], given)
