"""What the command prints: a table for people, or JSON and CSV for programs."""

from __future__ import annotations

import csv
import json as json_
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import isfinite
from typing import Any

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from routh.errors import DeclarationError


@dataclass(frozen=True)
class Output:
    """How to print.

    Attributes:
        json: as JSON.
        csv: as comma-separated values.
        latex: as LaTeX, where there is some.
    """

    json: bool = False
    csv: bool = False
    latex: bool = False

    @property
    def for_people(self) -> bool:
        """Whether people read it, so that more may be said beside it."""
        return not (self.json or self.csv or self.latex)


def emit(
    data: Any,
    output: Output,
    lines: list[str] | None = None,
    *,
    latex: Callable[[], str] | None = None,
) -> None:
    """Print data as asked: rows are a list of mappings.

    `lines` are what people read instead of a table, and `latex` writes it for a paper.
    """
    if output.json + output.csv + output.latex > 1:
        raise DeclarationError("Choose one of --json, --csv and --latex.")
    if output.json:
        print(json_.dumps(_finite(data), indent=2, allow_nan=False))
    elif output.csv:
        _csv(data)
    elif output.latex:
        print(latex() if latex else _tabular(data))
    elif lines is not None:
        print("\n".join(lines))
    else:
        _table(data)


def _finite(data: Any) -> Any:
    """The same with null for what JSON has no number for."""
    if isinstance(data, dict):
        return {key: _finite(value) for key, value in data.items()}
    if isinstance(data, list):
        return [_finite(value) for value in data]
    return None if isinstance(data, float) and not isfinite(data) else data


def _csv(data: Any) -> None:
    rows = data if isinstance(data, list) else [data]
    if any(isinstance(x, (list, dict)) for row in rows for x in row.values()):
        raise DeclarationError("This is no table. Ask for --json instead of --csv.")
    writer = csv.DictWriter(sys.stdout, fieldnames=list(rows[0]) if rows else [])
    writer.writeheader()
    writer.writerows(rows)


def _table(rows: list[dict[str, Any]]) -> None:
    if not rows:
        print("Nothing was found.")
        return
    table = Table(box=None, pad_edge=False)
    for name in rows[0]:
        table.add_column(name, justify="right" if isinstance(rows[0][name], float) else "left")
    for row in rows:
        table.add_row(*(_cell(value) for value in row.values()))
    Console(soft_wrap=False).print(table)


def _tabular(rows: list[dict[str, Any]]) -> str:
    """Rows as a table in LaTeX."""
    from routh.display.paper import tabular

    head = tuple(rows[0]) if rows else ()
    return tabular([head, *(tuple(_cell(value) for value in row.values()) for row in rows)])


@contextmanager
def working(what: str) -> Iterator[None]:
    """A sign of life on standard error while something may take long; nothing where no one looks."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield
        return
    with console.status(f"{what} ..."):
        yield


@contextmanager
def progress(what: str) -> Iterator[Callable[[str, float], None] | None]:
    """A bar on standard error, moved by what is being done and the share that is done.

    None where no one looks.
    """
    console = Console(stderr=True)
    if not console.is_terminal:
        yield None
        return
    with Progress(console=console, transient=True) as bar:
        task = bar.add_task(what, total=1.0)
        yield lambda doing, share: bar.update(task, description=doing, completed=share)


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
