"""Measured columns from text: a first line of names, then numbers; what is empty was not measured."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from routh.errors import DeclarationError, shortened

Column = NDArray[np.float64] | NDArray[np.complex128]

LARGEST = 200_000_000
"""Bytes of a file that are read."""


def measured_csv(path: str | Path) -> dict[str, Column]:
    """The columns of a file of comma-separated values by name; lines that begin with # are remarks.

    Complex numbers are written as in Python, 0.1-0.2j. Nothing is executed.

    Raises:
        DeclarationError: there is no such file, or it is no table of numbers; says the line.
    """
    lines = [(k, line) for k, line in _lines(Path(path)) if line.strip() and line.strip()[0] != "#"]
    if len(lines) < 2:
        raise DeclarationError(
            f"{str(path)!r} must have a line of names, like t,theta, and lines of numbers. Got"
            f" {len(lines)} lines."
        )
    rows = [[cell.strip() for cell in row] for row in csv.reader(line for _, line in lines)]
    names = rows[0]
    if "" in names or len(set(names)) < len(names):
        raise DeclarationError(
            f"{str(path)!r}, line {lines[0][0]}: every column has a name of its own. Got"
            f" {shortened(','.join(names), 80)!r}."
        )
    table: list[list[complex]] = []
    for (k, _), row in zip(lines[1:], rows[1:], strict=True):
        if len(row) != len(names):
            raise DeclarationError(
                f"{str(path)!r}, line {k}: expected {len(names)} numbers, one for each name. Got"
                f" {len(row)}."
            )
        table.append([_number(cell, name, path, k) for cell, name in zip(row, names, strict=True)])
    found = np.array(table, dtype=complex)
    return {
        name: column if np.any(np.nan_to_num(column.imag)) else column.real
        for name, column in zip(names, found.T, strict=True)
    }


def _lines(path: Path) -> list[tuple[int, str]]:
    try:
        if path.stat().st_size > LARGEST:
            raise DeclarationError(f"{str(path)!r} is larger than {LARGEST:,} bytes. Measure less.")
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise DeclarationError(
            f"{str(path)!r} cannot be read: {error.strerror or error}. Give a file of comma-separated"
            " values."
        ) from None
    except UnicodeDecodeError:
        raise DeclarationError(f"{str(path)!r} is no text in UTF-8. Save it as such.") from None
    return list(enumerate(text.splitlines(), start=1))


def _number(cell: str, name: str, path: str | Path, line: int) -> complex:
    if not cell:
        return complex(np.nan)
    try:
        return complex(cell)
    except ValueError:
        raise DeclarationError(
            f"{str(path)!r}, line {line}: `{name}` must be a number, or empty where nothing was"
            f" measured. Got {shortened(cell, 40)!r}."
        ) from None
