"""One worker process from its beginning to its end: requests come in, messages go out."""

from __future__ import annotations

import json
import os
from multiprocessing.connection import Connection
from pathlib import Path

from routh.studio.process_limits import (
    ONE_THREAD,
    be_patient,
    end_with_the_server,
    keep_silent,
    limit_memory,
    memory_used,
)

READY = b"r"
"""What a worker says when it can be asked."""

TIRED = 0.3
"""Share of the memory beyond which a worker ends between two asks, and a fresh one takes its place."""


def shift(connection: Connection, memory: int, keep: str) -> None:
    """Answer what comes over the connection, until it is closed.

    Arguments:
        connection: to the server.
        memory: bytes that the process may have.
        keep: the folder for files that are made.
    """
    end_with_the_server()
    keep_silent()
    limit_memory(memory)
    os.environ.update(ONE_THREAD)
    from routh.studio import warmed  # noqa: F401  # is there already where processes are forked
    from routh.studio.workbench import Workbench

    workbench = Workbench(connection.send_bytes, Path(keep))
    connection.send_bytes(READY)
    patient = False
    try:
        while True:
            request = connection.recv_bytes()
            if not patient and json.loads(request)["long"]:
                patient = True
                be_patient()
            if not workbench.answer(request) or memory_used() > TIRED * memory:
                break
    except (EOFError, OSError):  # the server closed its end, or is gone
        pass
    os._exit(0)  # at once: what is left goes with the process
