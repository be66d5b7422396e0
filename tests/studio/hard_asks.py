"""Asks that no answer should ever be: endless, greedy, crashing. Workers of tests know them."""

from __future__ import annotations

import ctypes
import os
import sys
import time

import numpy as np

from routh.errors import DeclarationError
from routh.studio.shift import shift


def echo(bench, about):
    return {"echo": about.get("word"), "pid": os.getpid(), "desk": bench.desk}


def spin(bench, about):
    bench.progress(0.25, "spinning")
    while True:
        pass


def held(bench, about):
    """Sleeps in C without a look at anything."""
    time.sleep(about.get("seconds", 60))
    return {"pid": os.getpid()}


def hoard(bench, about):
    """Takes memory piece by piece, and uses it."""
    pieces = []
    while True:
        pieces.append(np.ones(4_000_000))


def hoard_at_once(bench, about):
    return {"sum": float(np.ones(10**12).sum())}


def hoard_lists(bench, about):
    kept = []
    while True:
        kept.append([0.0] * 100_000)


def crash(bench, about):
    ctypes.string_at(0)


def leave(bench, about):
    os._exit(3)


def abort(bench, about):
    os.abort()


def parts(bench, about):
    for k in range(about.get("count", 3)):
        yield {"k": k}
    return {"whole": True}


def refuse(bench, about):
    raise DeclarationError("Expected `x`. Got `y`.")


def fail(bench, about):
    return {}["nothing"]


def shout(bench, about):
    """Prints in every way there is."""
    print("SHOUT", flush=True)
    print("SHOUT", file=sys.stderr, flush=True)
    os.write(1, b"SHOUT")
    os.write(2, b"SHOUT")
    return {"stdout": 1}


def large(bench, about):
    return {"text": "x" * about["size"]}


def recurse(bench, about):
    def deeper(k):
        return deeper(k + 1)

    return deeper(0)


def threads(bench, about):
    return {name: os.environ.get(name) for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")}


def export(bench, about):
    return bench.made(about["name"], about["content"])


HARD = {
    each.__name__: each
    for each in (
        echo, spin, held, hoard, hoard_at_once, hoard_lists, crash, leave, abort, parts, refuse, fail,
        shout, large, recurse, threads, export,
    )
}  # fmt: skip


def hard_shift(connection, memory, keep):
    """A worker that knows them, and whose `live` is an echo."""
    from routh.studio import workbench

    workbench.ASKS |= HARD
    workbench.ASKS["live"] = echo
    workbench.ASKS["picture"] = echo
    shift(connection, memory, keep)
