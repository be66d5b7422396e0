"""One worker as the server sees it: a process, and a thread that talks to it.

The thread starts the process, hands it a request and hears its messages; the loop of the server is
never kept waiting by a pipe.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from queue import SimpleQueue
from threading import Thread
from typing import Any, Protocol

from routh.studio.shift import READY, shift
from routh.studio.wire import LAST_WORDS, ON_THE_WAY

LOADED_BEFORE = ["routh.studio.warmed"]
"""What processes are forked from has this loaded."""


Work = Callable[[Connection, int, str], None]
"""What runs in the process: a connection to the server, bytes of memory, a folder for files."""


@dataclass(frozen=True)
class Limits:
    """What a worker may use."""

    memory: int = 2 * 2**30
    """Bytes."""
    seconds: float = 120.0
    """Of one ask."""


class Hearing(Protocol):
    """Who is told what a worker does, in the loop of the server."""

    def said(self, worker: Worker, message: bytes, last: bool) -> None:
        """A message, and whether it is the last one of its ask."""

    def ready(self, worker: Worker) -> None:
        """The process is there and waits."""

    def gone(self, worker: Worker, code: int | None) -> None:
        """The process has ended, with this code."""


class Worker:
    """A process that answers one request after another, and is killed where that takes too long."""

    def __init__(self, hearing: Hearing, limits: Limits, keep: str, work: Work = shift) -> None:
        """Start a process that does `work`; what it says is told to `hearing` in the running loop."""
        self.begun = False
        """Whether the process has got the last request: one that it has not is not to blame."""
        self._hearing = hearing
        self._loop = asyncio.get_running_loop()
        self._requests: SimpleQueue[bytes | None] = SimpleQueue()
        self._process: Any = None
        self._connection: Connection | None = None
        self._killed = False
        Thread(target=self._talk, args=(work, limits.memory, keep), daemon=True).start()

    def ask(self, request: bytes) -> None:
        """Hand over a request; the one before has been answered."""
        self.begun = False
        self._requests.put(request)

    def end(self) -> None:
        """Let the process go where it waits for nothing."""
        self._requests.put(None)

    def kill(self) -> None:
        """End the process at once, whatever it does."""
        self._killed = True
        self._requests.put(None)
        process = self._process
        if process is not None:
            with suppress(ValueError):  # it is gone already
                process.kill()

    def _tell(self, what: Callable[..., None], *about: Any) -> None:
        with suppress(RuntimeError):  # the loop is closed: nobody listens any more
            self._loop.call_soon_threadsafe(what, self, *about)

    def _talk(self, work: Work, memory: int, keep: str) -> None:
        with suppress(Exception):  # the process ended before it had said all, or did not even start
            self._begin(work, memory, keep)
            while (request := self._requests.get()) is not None:
                self._converse(request)
        self._tell(self._hearing.gone, self._finish())

    def _begin(self, work: Work, memory: int, keep: str) -> None:
        context = _context()
        self._connection, far = context.Pipe()
        process = context.Process(target=work, args=(far, memory, keep), daemon=True)
        process.start()
        self._process = process
        far.close()
        if self._killed:
            process.kill()
        if self._connection.recv_bytes() == READY:
            self._tell(self._hearing.ready)

    def _converse(self, request: bytes) -> None:
        """Hand over a request and hear what is said until its end."""
        assert self._connection is not None
        if not self._process.is_alive():
            raise EOFError
        self._connection.send_bytes(request)
        self.begun = True
        while True:
            message = self._connection.recv_bytes()
            last = message[:1] != ON_THE_WAY
            self._tell(self._hearing.said, message[1:], last)
            if message[:1] == LAST_WORDS:
                raise EOFError
            if last:
                return

    def _finish(self) -> int | None:
        """Close the connection and wait for the process, which ends then."""
        if self._connection is not None:
            self._connection.close()
        if self._process is None:
            return None
        self._process.join(timeout=1.0)
        if self._process.exitcode is None:
            self._process.kill()
            self._process.join()
        code: int | None = self._process.exitcode
        self._process.close()
        self._process = None
        return code


def _context() -> Any:
    """Processes are forked from one that has everything loaded; where there is no fork they are new."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    started = [name for name in ("routh.cli.main",) if name in sys.modules]
    context.set_forkserver_preload([*LOADED_BEFORE, *started])
    return context
