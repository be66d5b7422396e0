"""Planes of more points than a picture has room for: in cells, so that nothing thin is lost.

Every point is read, and what is seen only once is drawn too. Words: a cell that has several shows the
one that is rarest in the whole plane, so that a tongue thinner than a cell is as wide as the cell.
Numbers: a cell shows the one farthest from the middle of all. A plane is read in bands, so that memory
does not grow with it, and what was done is told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from routh.arrays import Array

BAND = 2**21
"""Points that are read at once."""

Read = Callable[[slice], NDArray[Any]]
"""Gives some rows of a plane."""


@dataclass(frozen=True, eq=False)
class Cells:
    """A plane in cells.

    Attributes:
        values: (rows, columns) what each cell shows: a code, or a number.
        steps: how many rows and columns of points are in a cell.
        present: the codes that occur, of a plane of words.
        note: what was done, as a sentence; empty where each point has a cell of its own.
    """

    values: NDArray[Any]
    steps: tuple[int, int]
    present: tuple[int, ...] = ()
    note: str = ""

    @property
    def turned(self) -> Cells:
        """The same with rows for columns."""
        return Cells(self.values.T, self.steps[::-1], self.present, self.note)


def words_in_cells(read: Read, shape: tuple[int, int], room: tuple[int, int], count: int) -> Cells:
    """A plane of codes from 0 to `count` - 1 in as many cells as there is room for."""
    steps = _steps(shape, room)
    often = np.zeros(count, dtype=np.int64)
    bands = []
    for rows in _bands(shape, steps):
        codes = np.asarray(read(rows)).astype(np.int64)
        often += np.bincount(codes.reshape(-1), minlength=count)
        bands.append(_reduced(np.bitwise_or, np.int64(1) << codes, steps))
    seen = np.concatenate(bands)
    values = np.zeros(seen.shape, dtype=np.int64)
    for code in np.argsort(-often, kind="stable"):  # the rarest last, over all others
        values[(seen >> code) & 1 == 1] = code
    note = _note(shape, steps, "where words meet in a cell the rarest of all is shown")
    return Cells(values, steps, tuple(int(code) for code in np.flatnonzero(often)), note)


def numbers_in_cells(read: Read, shape: tuple[int, int], room: tuple[int, int]) -> Cells:
    """A plane of numbers in as many cells as there is room for."""
    steps = _steps(shape, room)
    low, high = [], []
    for rows in _bands(shape, steps):
        numbers = np.asarray(read(rows), dtype=float)
        low.append(_reduced(np.fmin, numbers, steps))
        high.append(_reduced(np.fmax, numbers, steps))
    least, most = np.concatenate(low), np.concatenate(high)
    known = np.isfinite(least) & np.isfinite(most)
    middle = float(np.median([least[known], most[known]])) if known.any() else 0.0
    values: Array = np.where(most - middle >= middle - least, most, least)
    note = _note(shape, steps, f"a cell shows its number farthest from {middle:.3g}")
    return Cells(values, steps, note=note)


def edges(numbers: Array, step: int, *, geometric: bool) -> Array:
    """(cells + 1,) the borders of cells of so many points, halfway between points."""
    along = np.log(numbers) if geometric else np.asarray(numbers, dtype=float)
    if len(along) == 1:
        borders = along[0] + np.array([-0.5, 0.5])
    else:
        between = (along[1:] + along[:-1]) / 2
        borders = np.concatenate([[2 * along[0] - between[0]], between, [2 * along[-1] - between[-1]]])
    kept = np.append(borders[:-1:step], borders[-1])
    return np.exp(kept) if geometric else kept


def is_geometric(numbers: Array) -> bool:
    """Whether numbers are a geometric row, and no even one: the axis is then logarithmic."""
    if len(numbers) < 3 or not (numbers > 0).all():
        return False
    ratios, steps = numbers[1:] / numbers[:-1], np.diff(numbers)
    even = np.ptp(steps) < 1e-6 * abs(steps[0])
    return bool(np.ptp(ratios) < 1e-6 * ratios[0] and abs(ratios[0] - 1) > 1e-9 and not even)


def _steps(shape: tuple[int, int], room: tuple[int, int]) -> tuple[int, int]:
    rows, columns = (-(-n // max(1, most)) for n, most in zip(shape, room, strict=True))
    return rows, columns


def _bands(shape: tuple[int, int], steps: tuple[int, int]) -> Iterator[slice]:
    """Rows of whole cells that are read at once."""
    height = steps[0] * max(1, BAND // (steps[0] * shape[1]))
    return (slice(k, min(k + height, shape[0])) for k in range(0, shape[0], height))


def _reduced(by: np.ufunc, band: NDArray[Any], steps: tuple[int, int]) -> NDArray[Any]:
    """A band of points in cells."""
    for axis, step in enumerate(steps):
        if step > 1:
            band = by.reduceat(band, np.arange(0, band.shape[axis], step), axis=axis)
    return band


def _note(shape: tuple[int, int], steps: tuple[int, int], rule: str) -> str:
    if steps == (1, 1):
        return ""
    cells = " x ".join(f"{-(-n // step):,}" for n, step in zip(shape, steps, strict=True))
    return f"{shape[0] * shape[1]:,} points in {cells} cells; {rule}"
