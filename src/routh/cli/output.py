"""What the command prints: a table for people, or JSON and CSV for programs."""

from __future__ import annotations

import csv
import json as json_
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import isfinite, isnan
from typing import Annotated, Any

from cyclopts import Parameter
from rich.console import Console
from rich.table import Table

from routh.cli.outcome import NotWhole, Outcome
from routh.errors import DeclarationError


@dataclass(frozen=True)
class Output:
    """How to print.

    Attributes:
        json: as JSON.
        csv: as comma-separated values.
        latex: as LaTeX.
    """

    json: bool = False
    csv: bool = False
    latex: bool = False

    @property
    def for_people(self) -> bool:
        """Whether people read it, so that more may be said beside it."""
        return not (self.json or self.csv or self.latex)


@dataclass(frozen=True)
class Formulas(Output):
    """How to print what is no table: none is offered, and who asks for one is told what there is.

    Attributes:
        json: as JSON.
        csv: not here.
        latex: as LaTeX.
    """

    csv: Annotated[bool, Parameter(show=False)] = False


def emit(
    data: dict[str, Any],
    output: Output,
    lines: list[str] | None = None,
    *,
    rows: list[dict[str, Any]] | None = None,
    shown: list[dict[str, Any]] | None = None,
    latex: Callable[[], str] | None = None,
    outcome: Outcome = Outcome(),  # noqa: B008
) -> None:
    """Print a result as asked, and end the command with the code of its outcome.

    `data` is the whole for JSON, and `rows` (a list of mappings) the table in it; `lines` are what
    people read, below the table if there is one, and `latex` writes it for a paper. People see `shown`
    in the place of the rows where it is given.

    Raises:
        NotWhole: the outcome has a code; the result is printed.
    """
    if output.json + output.csv + output.latex > 1:
        raise DeclarationError("Choose one of --json, --csv and --latex.")
    if output.json:
        whole = {"status": outcome.status, "message": outcome.message} | data
        print(json_.dumps(_finite(whole), indent=2, allow_nan=False))
    elif output.csv:
        _csv(rows, outcome)
    elif output.latex:
        if outcome.code:
            print(f"% {outcome.line}")
        print(latex() if latex else _tabular(rows or []))
    else:
        seen = rows if shown is None else shown
        if seen:
            _table(seen)
        if lines:
            print("\n".join(lines))
    if outcome.code:
        raise NotWhole(outcome)


def _finite(data: Any) -> Any:
    """The same with null for what JSON has no number for."""
    if isinstance(data, dict):
        return {key: _finite(value) for key, value in data.items()}
    if isinstance(data, list):
        return [_finite(value) for value in data]
    if isinstance(data, float):
        return data + 0.0 if isfinite(data) else None  # + 0.0: no -0
    return data


def _csv(rows: list[dict[str, Any]] | None, outcome: Outcome) -> None:
    if rows is None:
        raise DeclarationError("This is no table. Ask for --json or --latex instead of --csv.")
    if outcome.code:
        print(f"# {outcome.line}")
    writer = csv.DictWriter(sys.stdout, fieldnames=list(rows[0]) if rows else [], lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({name: x + 0.0 if isinstance(x, float) else x for name, x in row.items()})


WORDS = 28
"""Characters that a column of sentences has at least."""


def _table(rows: list[dict[str, Any]]) -> None:
    """A table as wide as its numbers need: one that a terminal cuts is another number."""
    table = Table(box=None, pad_edge=False)
    needed = 0
    for name in rows[0]:
        widest = max(len(name), *(len(_cell(row[name])) for row in rows))
        short = widest <= WORDS
        needed += min(widest, WORDS) + 2
        numbers = all(isinstance(row[name], float | int | None) for row in rows)
        table.add_column(name, justify="right" if numbers else "left", no_wrap=short)
    for row in rows:
        table.add_row(*(_cell(value) for value in row.values()))
    console = Console(soft_wrap=False)
    console.width = max(console.width, needed)
    console.print(table)


def _tabular(rows: list[dict[str, Any]]) -> str:
    """Rows as a table in LaTeX."""
    from routh.display.report.paper import tabular

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
    from rich.progress import Progress

    with Progress(console=console, transient=True) as bar:
        task = bar.add_task(what, total=1.0)
        yield lambda doing, share: bar.update(task, description=doing, completed=share)


def _cell(value: Any) -> str:
    if value is None or (isinstance(value, float) and isnan(value)):
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value + 0.0:.6g}" if isinstance(value, float) else str(value)  # + 0.0: no -0
