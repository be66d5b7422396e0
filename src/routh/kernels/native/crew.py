"""All cores on one stack of points: threads take parts of it as they become free.

Compiled code runs without the interpreter's lock. Which thread has which point changes nothing, as
points do not know of each other.
"""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait

PARTS = 8
"""Parts for each thread, so that none waits long for the others."""

AWAKE = 0.1
"""Seconds after which the main thread looks for Ctrl-C at the latest."""

Work = Callable[[int, int, ctypes.c_int], object]
"""Points from a number up to another, ending early where the flag is raised."""


def cores() -> int:
    """How many threads work at once: the cores this process may use, or fewer by OMP_NUM_THREADS."""
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    asked = os.environ.get("OMP_NUM_THREADS", "").split(",")[0]
    return min(allowed, int(asked)) if asked.isdecimal() and int(asked) > 0 else allowed


def share(count: int, work: Work) -> None:
    """Have every point from 0 to `count` worked on; Ctrl-C ends it after the points in hand."""
    stop = ctypes.c_int(0)
    if count == 1:  # a thread takes longer to begin than most points to be done
        work(0, 1, stop)
        return
    hands = min(cores(), count)
    size = max(1, -(-count // (PARTS * max(hands, 1))))
    parts, lock = iter(range(0, count, size)), threading.Lock()

    def busy() -> None:
        for start in _each(parts, lock):
            if stop.value:
                return
            work(start, min(start + size, count), stop)

    with ThreadPoolExecutor(max(hands, 1)) as crew:  # the main thread stays free for Ctrl-C
        try:
            left = {crew.submit(busy) for _ in range(hands)}
            while left:  # a signal that another thread got is seen when this one wakes up
                done, left = wait(left, timeout=AWAKE, return_when=FIRST_EXCEPTION)
                for each in done:
                    each.result()
        except BaseException:
            stop.value = 1
            raise


def _each(parts: Iterator[int], lock: threading.Lock) -> Iterator[int]:
    while True:
        with lock:
            start = next(parts, None)
        if start is None:
            return
        yield start
