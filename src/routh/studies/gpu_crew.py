"""Local processes with a GPU each: a worker sees one device of the machine, and no other.

Chunks on a GPU gain nothing from a second process on the same one, which would wait for the first; so
there are as many workers as devices at most. A cluster that has GPUs is started by who owns it, with
CUDA_VISIBLE_DEVICES set for each of its workers, and given as a client.
"""

from __future__ import annotations

import os
from typing import Any

from routh.errors import DeclarationError
from routh.kernels.compiled import devices

VISIBLE = "CUDA_VISIBLE_DEVICES"
"""The variable by which a process is told what devices it sees."""


def gpu_cluster(workers: int) -> Any:
    """A cluster of so many processes, each with a GPU of its own.

    Raises:
        DeclarationError: there are fewer GPUs.
        DerivationError: there is none.
    """
    from distributed import Nanny, Scheduler, SpecCluster

    there = int(devices().cuda.runtime.getDeviceCount())
    if workers > there:
        raise DeclarationError(
            f'With engine="cuda" each worker has a GPU of its own, and this machine shows {there}. Got'
            f" workers={workers}. Give at most {there}."
        )
    return SpecCluster(
        workers={
            k: {"cls": Nanny, "options": {"nthreads": 1, "env": {VISIBLE: name}}}
            for k, name in enumerate(_names(workers))
        },
        scheduler={
            "cls": Scheduler,
            "options": {"dashboard_address": "127.0.0.1:0", "host": "127.0.0.1"},
        },
        name="routh",
    )


def _names(workers: int) -> list[str]:
    """The devices as this process is told of them, or their numbers."""
    told = [name for name in os.environ.get(VISIBLE, "").split(",") if name.strip()]
    return (told or list(map(str, range(workers))))[:workers]
