"""Results as rows and lines that people can read: fields by places, matrices, eigenvalues, few rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from routh.arrays import Array, Complex

if TYPE_CHECKING:
    from routh.display.report.findings import Findings
    from routh.language.fields import Field

SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Where a field is told, as shares of its space."""

FEWER = (0.5, 1.0)
"""Where several fields are told."""

WIDE = 10
"""Columns beside verdicts; what has more coordinates is told one below the other."""

ROWS = 20
"""Rows of a table that people read to its end."""

ROUNDING = 1e-13
"""Share of the largest number beside it below which a number is told as zero."""

NOTHING = 1e-15
"""What is below this, or below this share of all of a matrix, is told as zero in any unit."""


def told(values: Array) -> Array:
    """The same numbers, with zero for what is rounding beside the largest of them."""
    largest = float(np.abs(values[np.isfinite(values)]).max(initial=0.0))
    return np.asarray(np.where(np.abs(values) <= max(ROUNDING * largest, NOTHING), 0.0, values))


def place_rows(found: Findings, rest: Any) -> dict[str, float]:
    """Where a rest is: its coordinates, and fields by their values at some places."""
    q = np.where(np.abs(rest.q) < NOTHING, 0.0, rest.q)
    by_name = dict(zip(map(str, rest.system.coordinates), map(float, q), strict=True))
    if not rest.system.shapes:
        return by_name
    own = [str(x) for x in found.model.system.coordinates]
    return {name: by_name[name] for name in own} | field_columns(found, rest)


def field_columns(found: Findings, result: Any) -> dict[str, Any]:
    """The fields of a rest or of a motion at some places along them, by names like `w(0.75)`."""
    columns: dict[str, Any] = {}
    for w in found.model.system.fields:
        shares = SHARES if len(found.model.system.fields) == 1 else FEWER
        places = _places(found, w, shares)
        values = np.asarray(result.field(w, places))
        for k, place in enumerate(places):
            column = told(values)[..., k]
            columns[f"{w}({place:.4g})"] = column if column.ndim else float(column)
    return columns


def _places(found: Findings, w: Field, shares: tuple[float, ...]) -> Array:
    """Numbers for places along the space of a field."""
    numbers = {p: found.values[p.name] for p in found.model.system.parameters}
    low, high = (float(end.xreplace(numbers)) for end in w.space.bounds)
    return low + np.array(shares) * (high - low)


def thinned(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """As many rows as a person reads, the first and the last among them."""
    step = max(1, len(rows) // ROWS)
    return rows[::step] + (rows[-1:] if (len(rows) - 1) % step else [])


def matrix_lines(name: str, matrix: Array) -> list[str]:
    """A matrix of numbers, one line for each of its rows, columns under each other.

    What is rounding beside the largest numbers of its row and its column, or of all, is told as zero.
    """
    if not matrix.size:
        return []
    size = np.abs(matrix)
    beside = np.sqrt(size.max(axis=1)[:, None]) * np.sqrt(size.max(axis=0)[None, :])
    shown = np.where((size <= ROUNDING * beside) | (size <= NOTHING * size.max()), 0.0, matrix)
    cells = [[f"{x:.6g}" for x in row] for row in shown]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = []
    for k, row in enumerate(cells):
        head = f"{name} = [" if k == 0 else " " * (len(name) + 3) + "["
        inside = "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        lines.append(f"{head}{inside}]")
    return lines


NOISE = 1e-14
"""What is below this share of a number beside it is rounding, and not shown to people."""


def seen(ratio: float | None) -> float | None:
    """A ratio as people see it: zero where it is rounding beside 1."""
    return 0.0 if ratio is not None and abs(ratio) <= NOISE else ratio


def pair(eigenvalues: Complex) -> str:
    """The eigenvalues of a mode: a conjugate pair, two real ones, or one alone."""
    first = eigenvalues[0]
    if first.imag:
        size = f"± {abs(first.imag):.6g}i"
        return f"{first.real:.6g} {size}" if abs(first.real) > NOISE * abs(first) else size
    return ", ".join(f"{s.real + 0.0:.6g}" for s in eigenvalues)
