"""One chunk of a study: all its points at once, or, where that fails, one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from routh.errors import Status
from routh.studies.chain import Chain, Task
from routh.studies.design import Design
from routh.studies.questions import UNKNOWN, Variable, plain

RAISED = len(Status)
"""The code of points at which a verb or a function raised an error."""

STATUSES = (*(each.name.lower() for each in Status), "raised")

TOLD = 5
"""Errors of a chunk that are kept in words."""


@dataclass(frozen=True)
class Job:
    """All that whoever computes a chunk must know."""

    task: Task
    design: Design
    variables: tuple[Variable, ...]


@dataclass(frozen=True)
class Found:
    """What was found in a chunk.

    Attributes:
        arrays: (points, ...) by variable, `status` among them.
        words: what codes stand for, by variable.
        errors: what was raised, by the place of the point in the chunk; a few of them.
    """

    arrays: dict[str, NDArray[Any]]
    words: dict[str, tuple[str, ...]]
    errors: dict[int, str]


class NothingError(Exception):
    """Every point of a chunk raised an error; it has that of the first."""

    def __init__(self, error: Exception) -> None:
        super().__init__(f"{type(error).__name__}: {error}")
        self.error = error


def computed(job: Job, chunk: tuple[int, ...]) -> Found:
    """What is found at the points of a chunk.

    Raises:
        NothingError: every point raised an error.
    """
    numbers = job.design.numbers(chunk)
    count = len(numbers[0])
    varied = dict(zip(job.design.symbols, numbers, strict=True))
    if job.task.is_single:
        return _one_by_one(job, numbers)
    try:
        with np.errstate(all="ignore"):
            return _together(job, Chain(job.task, varied), count)
    except Exception:  # one point among many: each is tried alone, and says itself what is wrong
        return _one_by_one(job, numbers)


def _together(job: Job, chain: Chain, count: int) -> Found:
    arrays, words = {}, {}
    for variable in job.variables:
        arrays[variable.name], words[variable.name] = variable.of(chain, count)
    codes, _ = plain(chain.status(), count, "status")
    arrays["status"], words["status"] = codes, STATUSES
    return Found(arrays, words, {})


def _one_by_one(job: Job, numbers: Sequence[NDArray[Any]]) -> Found:
    """The same with each point as a batch of its own, or, where contacts may stick, as numbers."""
    count = len(numbers[0])
    parts: dict[int, Found] = {}
    errors: dict[int, str] = {}
    first: Exception | None = None
    for k in range(count):
        place = k if job.task.is_single else slice(k, k + 1)
        varied = dict(zip(job.design.symbols, (each[place] for each in numbers), strict=True))
        try:
            with np.errstate(all="ignore"):
                parts[k] = _together(job, Chain(job.task, varied), 1)
        except Exception as error:
            first = first or error
            if len(errors) < TOLD:
                errors[k] = f"{type(error).__name__}: {error}"
    if not parts:
        assert first is not None
        raise NothingError(first)
    model = next(iter(parts.values()))
    arrays = {}
    for name, own in model.arrays.items():
        shape = np.max([part.arrays[name].shape[1:] for part in parts.values()], axis=0).astype(int)
        whole = missing((count, *shape), own.dtype)
        for k, part in parts.items():
            put(whole[k : k + 1], part.arrays[name])
        arrays[name] = whole
    arrays["status"][[k for k in range(count) if k not in parts]] = RAISED
    return Found(arrays, model.words, errors)


def barren(like: Found, count: int, error: str) -> Found:
    """A chunk at whose every point an error was raised, of the form of another one."""
    arrays = {name: missing((count, *own.shape[1:]), own.dtype) for name, own in like.arrays.items()}
    arrays["status"][:] = RAISED
    return Found(arrays, like.words, {0: error})


def missing(shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
    """An array of what is not known."""
    return np.full(shape, empty(dtype), dtype=dtype)


def empty(dtype: Any) -> Any:
    """What stands for one number that is not known."""
    kind = np.dtype(dtype).kind
    return UNKNOWN if kind == "i" else complex(np.nan, np.nan) if kind == "c" else np.nan


def put(whole: NDArray[Any], part: NDArray[Any]) -> None:
    """Write a part into the first places of an array whose last axes may be longer."""
    whole[tuple(slice(0, n) for n in part.shape)] = part
