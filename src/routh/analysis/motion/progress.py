"""Runs that take long: a bar in the terminal, and Ctrl-C that waits for compiled code to return."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, suppress
from io import StringIO
from time import perf_counter
from typing import Any

PATIENCE = 1.0
"""Seconds that a run may take before a bar appears."""

Tick = Callable[[float], None]


@contextmanager
def shown_progress(first: float, last: float, *, shown: bool = True) -> Iterator[Tick]:
    """A function to be told the time that a run has reached."""
    bar = _Bar(first, last) if shown and sys.stderr.isatty() else None
    try:
        yield bar.tick if bar else _nothing
    finally:
        if bar:
            bar.close()


@contextmanager
def interrupts_wait() -> Iterator[None]:
    """Ctrl-C is raised when the block is done; compiled code inside would make something else of it."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    pressed: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _frame: pressed.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.SIG_DFL if before is None else before)
        if pressed:
            raise KeyboardInterrupt


def interrupted(call: Callable[[], object]) -> bool:
    """Whether Ctrl-C ended compiled code, which raises a RuntimeError then; other such errors pass too.

    CasADi looks for signals at every evaluation and takes an exception for one that failed for good.
    What it says of that is not shown. The exception is raised once, so that it is caught once, wherever
    it strikes.
    """
    if threading.current_thread() is not threading.main_thread():
        with suppress(RuntimeError):
            call()
        return False
    pressed: list[int] = []

    def end(number: int, _frame: object) -> None:
        pressed.append(number)
        if len(pressed) == 1:
            raise KeyboardInterrupt

    before = signal.getsignal(signal.SIGINT)
    try:
        signal.signal(signal.SIGINT, end)
        with redirect_stderr(StringIO()), suppress(RuntimeError):
            call()
    except KeyboardInterrupt:
        pressed.append(0)
    finally:
        signal.signal(signal.SIGINT, signal.SIG_DFL if before is None else before)
    return bool(pressed)


def _nothing(_t: float) -> None:
    return None


class _Bar:
    """Appears after a while, then moves ten times a second at most."""

    def __init__(self, first: float, last: float) -> None:
        self._first, self._span = first, last - first
        self._next = perf_counter() + PATIENCE
        self._bar: Any = None
        self._task: Any = None

    def tick(self, t: float) -> None:
        now = perf_counter()
        if now < self._next:
            return
        self._next = now + 0.1
        if self._bar is None:
            self._open()
        self._bar.update(self._task, completed=(t - self._first) / self._span)

    def _open(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
        self._bar = Progress(*columns, console=Console(stderr=True), transient=True)
        self._task = self._bar.add_task("simulating, Ctrl-C keeps what is there", total=1.0)
        self._bar.start()

    def close(self) -> None:
        if self._bar is not None:
            self._bar.stop()
