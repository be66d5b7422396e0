"""What a worker process may do: so much memory, one thread, no output, no life beyond the server's."""

from __future__ import annotations

import ctypes
import multiprocessing.forkserver
import os
import signal
import sys
import threading
from contextlib import suppress
from multiprocessing.connection import wait
from multiprocessing.process import parent_process
from pathlib import Path

ONE_THREAD = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "MPLBACKEND": "Agg",
}
"""Several workers share the cores: threads of linear algebra would only get in each other's way."""

_DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG of <linux/prctl.h>
_EASILY = "500"  # of 1000: when the machine's memory is full, a worker goes before anything else


def limit_memory(most: int) -> None:
    """Let nothing beyond so many bytes of data be had; more is a MemoryError.

    On Linux RLIMIT_DATA counts what is private and writable, and so the arrays of NumPy and CasADi as
    well; RLIMIT_AS would count the gigabytes of addresses that libraries reserve and never use.
    Other systems have no limit that holds.
    """
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (most, most))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(_EASILY)


def keep_silent() -> None:
    """Let what libraries print go nowhere: the terminal belongs to the server."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    sys.stdout = sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123


def end_with_the_server() -> None:
    """Let this process end when the server does, however that ends.

    The process that workers are forked from ends with the last that holds its pipe, and the kernel
    ends them with it; where the system is another, a thread waits for the server to be gone.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which ends its workers
    server = getattr(multiprocessing.forkserver, "_forkserver", None)
    held = getattr(server, "_forkserver_alive_fd", None)
    if held is not None:
        with suppress(OSError):
            os.close(held)
        server._forkserver_alive_fd = None  # type: ignore[union-attr]
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL)
    threading.Thread(target=_watch, daemon=True).start()


def _watch() -> None:
    server = parent_process()
    if server is not None:
        wait([server.sentinel])
        os._exit(0)


def be_patient() -> None:
    """Leave the cores to those whom a hand at a slider waits for."""
    with suppress(OSError, AttributeError):
        os.nice(10)


def memory_used() -> int:
    """Bytes of this process that are in memory now; 0 where that is not told."""
    with suppress(OSError, ValueError, IndexError):
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")
    return 0
