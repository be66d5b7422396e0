"""Who computes the chunks: this process, processes of this machine, or any cluster that dask knows.

Whoever it is, a chunk is the same computation, and what it finds comes back here to be kept: one
process writes. How many chunks a worker gets at once follows from how long the first ones took: that
changes when a number is known, and never the number.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from time import perf_counter
from typing import Any

from routh.errors import DeclarationError, a_kind, needing
from routh.kernels.engine import Engine
from routh.studies.chunk import Found, Job, NothingError, computed
from routh.studies.gpu_crew import gpu_cluster

LONG = 2.0
"""Seconds of work that a worker gets at once: much more than it takes to hand it over."""

MOST = 64
"""Chunks that a worker gets at once, at most."""

AHEAD = 2
"""How many portions are handed out to each worker: the next lies ready when one is done."""

Chunk = tuple[int, ...]
Answer = tuple[Chunk, "Found | str"]
"""A chunk and what was found in it; where every point raised an error, that of the first in words."""


@contextmanager
def crew(workers: Any, job: Job) -> Iterator[Any]:
    """A function that computes chunks in any order, as an iterator of answers.

    Raises:
        DeclarationError: `workers` is neither None, nor a number, nor a client of dask; or what is
            to be sent to them cannot be.
    """
    if workers is None:
        yield lambda chunks: _alone(job, chunks)
        return
    if isinstance(workers, bool) or (isinstance(workers, int) and workers < 1):
        raise DeclarationError(
            f"`workers` is None, a number of processes from 1 on, or a Client of dask. Got {workers!r}."
        )
    with needing("sweep", "distributed", "Workers need dask"):
        from distributed import Client
    sent = _sent(job)
    if isinstance(workers, Client):
        yield lambda chunks: _shared(workers, sent, chunks)
        return
    if not isinstance(workers, int):
        raise DeclarationError(
            "`workers` is None, a number of processes from 1 on, or a Client of dask. Got"
            f" {a_kind(workers)}."
        )
    with _cluster(workers, job) as cluster, Client(cluster) as client:
        yield lambda chunks: _shared(client, sent, chunks)


def _cluster(workers: int, job: Job) -> Any:
    """So many processes of this machine."""
    from distributed import LocalCluster

    if job.task.engine == Engine.CUDA:
        return gpu_cluster(workers)
    return LocalCluster(
        n_workers=workers, threads_per_worker=1, processes=True, dashboard_address="127.0.0.1:0"
    )


def _alone(job: Job, chunks: Sequence[Chunk]) -> Iterator[Answer]:
    for chunk in chunks:
        yield _answered(job, chunk)


def _answered(job: Job, chunk: Chunk) -> Answer:
    try:
        return chunk, computed(job, chunk)
    except NothingError as nothing:
        return chunk, str(nothing)


def _sent(job: Job) -> bytes:
    """The job as it is handed to workers."""
    import cloudpickle

    try:
        return bytes(cloudpickle.dumps(job))
    except Exception as error:
        stuck = [each.name for each in job.variables if not _can_be_sent(each)]
        what = f"The function `{stuck[0]}` of `find`" if stuck else "What is given"
        raise DeclarationError(
            f"{what} cannot be sent to other processes: {type(error).__name__}: {error}. Write a"
            " function that uses nothing but its argument and modules, or leave `workers` out."
        ) from error


def _can_be_sent(value: object) -> bool:
    import cloudpickle

    try:
        cloudpickle.dumps(value)
    except Exception:
        return False
    return True


@lru_cache(maxsize=4)
def _received(sent: bytes) -> Job:
    import cloudpickle

    job: Job = cloudpickle.loads(sent)
    return job


def _portion(sent: bytes, chunks: Sequence[Chunk]) -> tuple[list[Answer], float]:
    """What a worker does: some chunks, and the seconds that they took."""
    began = perf_counter()
    job = _received(sent)
    return [_answered(job, chunk) for chunk in chunks], perf_counter() - began


def _shared(client: Any, sent: bytes, chunks: Sequence[Chunk]) -> Iterator[Answer]:
    """Chunks computed by the workers of a client; those of a worker that dies go to another."""
    from distributed import as_completed

    left, together = deque(chunks), 1
    running = as_completed()
    handed = 0

    def hand_out() -> None:
        nonlocal handed
        portion = [left.popleft() for _ in range(min(together, len(left)))]
        running.add(client.submit(_portion, sent, portion, pure=False))
        handed += 1

    try:
        crowd = max(1, len(client.scheduler_info(n_workers=-1)["workers"]))
        while left and handed < AHEAD * crowd:
            hand_out()
        for future in running:
            answers, seconds = future.result()
            handed -= 1
            share = max(seconds / len(answers), 1e-6)
            together = max(1, min(MOST, int(LONG / share), -(-len(left) // (AHEAD * crowd))))
            if left:
                hand_out()
            yield from answers
            future.release()
    finally:
        client.cancel(list(running.futures), force=True)
