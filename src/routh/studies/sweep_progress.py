"""How far a study is: its points, their rate and the time left, in a terminal or a notebook."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from time import perf_counter
from typing import Any, Protocol

PATIENCE = 1.0
"""Seconds that a study may take before it is shown."""

PAUSE = 0.2
"""Seconds between what is shown of it."""

HINT = "Ctrl-C keeps what is there"

WIDE = 110
"""Columns of a terminal that has room for the hint beside the bar."""


@contextmanager
def shown_points(total: int, done: int, *, shown: bool) -> Iterator[Callable[[int], None]]:
    """A function to be told how many more points are done; `done` of them were there before."""
    place = _place() if shown else None
    bar = _Points(total, done, place) if place else None
    try:
        yield bar.tick if bar else _nothing
    finally:
        if bar:
            bar.close()


def _nothing(_points: int) -> None:
    return None


def _place() -> Callable[[int], Shown] | None:
    """Where somebody looks: at a terminal, in a notebook, or nowhere."""
    shell = sys.modules.get("IPython")
    if shell and type(shell.get_ipython()).__name__ == "ZMQInteractiveShell":
        return _InNotebook
    return _InTerminal if sys.stderr.isatty() else None


def how_far(done: int, total: int, rate: float) -> str:
    """Points, rate and time left in words."""
    left = timedelta(seconds=round((total - done) / rate)) if rate > 0 else "?"
    digits = f"{rate:,.0f}" if rate >= 10 else f"{rate:.2g}"
    return f"{done:,} of {total:,} points, {digits} a second, {left} left"


class Shown(Protocol):
    """Something that is looked at."""

    def show(self, done: int, told: str) -> None:
        """Show how many points are done."""

    def close(self) -> None:
        """Take it away."""


class _Points:
    """Appears after a while."""

    def __init__(self, total: int, done: int, place: Callable[[int], Shown]) -> None:
        self._total, self._before, self._done = total, done, done
        self._began = perf_counter()
        self._next = self._began + PATIENCE
        self._place = place
        self._shown: Shown | None = None

    def tick(self, points: int) -> None:
        self._done += points
        now = perf_counter()
        if now < self._next:
            return
        self._next = now + PAUSE
        if self._shown is None:
            self._shown = self._place(self._total)
        rate = (self._done - self._before) / max(now - self._began, 1e-9)
        self._shown.show(self._done, how_far(self._done, self._total, rate))

    def close(self) -> None:
        if self._shown is not None:
            self._shown.close()


class _InTerminal:
    """A bar that goes away when the study is done."""

    def __init__(self, total: int) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn

        console = Console(stderr=True)
        columns = [BarColumn(bar_width=None), TextColumn("{task.description}")]
        columns = columns if console.width >= WIDE // 2 else columns[1:]
        more = [TextColumn(f"({HINT})", style="dim")] if console.width >= WIDE else []
        self._bar = Progress(*columns, *more, console=console, transient=True, expand=True)
        self._task = self._bar.add_task("", total=total)
        self._bar.start()

    def show(self, done: int, told: str) -> None:
        """Move the bar."""
        self._bar.update(self._task, completed=done, description=told)

    def close(self) -> None:
        """Take it away."""
        self._bar.stop()


class _InNotebook:
    """A line below the cell; rich would need ipywidgets for a bar."""

    def __init__(self, total: int) -> None:
        from IPython.display import display

        self._total = total
        self._line: Any = display({"text/plain": ""}, raw=True, display_id=True)

    def show(self, done: int, told: str) -> None:
        """Write the line anew."""
        full = round(20 * done / self._total)
        bar = "#" * full + "." * (20 - full)
        self._line.update({"text/plain": f"[{bar}] {told} (interrupt keeps what is there)"}, raw=True)

    def close(self) -> None:
        """Take it away."""
        self._line.update({"text/plain": ""}, raw=True)
