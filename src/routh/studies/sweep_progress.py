"""How far a study is: a bar with the rate and the time left, in a terminal or a notebook."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import Any

PATIENCE = 1.0
"""Seconds that a study may take before a bar appears."""


@contextmanager
def shown_points(total: int, done: int, *, shown: bool) -> Iterator[Callable[[int], None]]:
    """A function to be told how many more points are done; `done` of them were there before."""
    bar = _Points(total, done) if shown and _is_watched() else None
    try:
        yield bar.tick if bar else _nothing
    finally:
        if bar:
            bar.close()


def _nothing(_points: int) -> None:
    return None


def _is_watched() -> bool:
    """Whether there is somebody to look: a terminal, or a notebook."""
    if sys.stderr.isatty():
        return True
    shell = sys.modules.get("IPython")
    return bool(shell and type(shell.get_ipython()).__name__ == "ZMQInteractiveShell")


class _Points:
    """Appears after a while."""

    def __init__(self, total: int, done: int) -> None:
        self._total, self._before, self._done = total, done, done
        self._began = perf_counter()
        self._bar: Any = None
        self._task: Any = None

    def tick(self, points: int) -> None:
        self._done += points
        passed = perf_counter() - self._began
        if passed < PATIENCE:
            return
        if self._bar is None:
            self._open()
        rate = (self._done - self._before) / passed
        self._bar.update(self._task, completed=self._done, rate=f"{rate:,.3g} points a second")

    def _open(self) -> None:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeRemainingColumn,
        )

        said = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
        left = (TextColumn("{task.fields[rate]}"), TimeRemainingColumn())
        self._bar = Progress(*said, *left, console=Console(stderr=True), transient=True)
        self._task = self._bar.add_task(
            "sweeping, Ctrl-C keeps what is there", total=self._total, completed=self._before, rate=""
        )
        self._bar.start()

    def close(self) -> None:
        if self._bar is not None:
            self._bar.stop()
