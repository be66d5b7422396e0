"""The same source on an NVIDIA GPU, a thread a point: compiled by NVRTC through CuPy (extra `gpu`).

Stacks lie column by column there, so that threads side by side read numbers side by side. What does not
fit into the memory of the device is taken in parts, which changes nothing but the time.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from routh.errors import DerivationError, needing

THREADS = 64
"""Threads in a block: with the registers that a point takes more did no better."""

SHARE = 0.5
"""Share of the device's free memory that the stacks of one part may take."""

OPTIONS = ("--std=c++17", "--fmad=false")
"""As on a machine's cores, products and sums are not contracted."""


class GpuProgram:
    """A source as of `Program`, with the same `run`."""

    def __init__(self, source: str) -> None:
        self.source = source

    @cached_property
    def _module(self) -> Any:
        return devices().RawModule(code=self.source, options=OPTIONS, backend="nvrtc")

    def run(self, name: str, count: int, arrays: Sequence[NDArray[Any]]) -> None:
        """Call an entry for so many points.

        Arrays with a row for each point are stacks; the others are shared by all points. Those that
        the entry may write are written in place.
        """
        cupy = devices()
        kernel, fixed = self._module.get_function(name), _fixed(self.source, name)
        stacked = [array.ndim > 0 and len(array) == count for array in arrays]
        needed = sum(array.nbytes for array, own in zip(arrays, stacked, strict=True) if own)
        for part in _parts(cupy, count, needed):
            size = part.stop - part.start
            there = [
                cupy.asarray(_columns(array[part], size) if own else array)
                for array, own in zip(arrays, stacked, strict=True)
            ]
            kernel((-(-size // THREADS),), (THREADS,), (np.int64(size), *there))
            for array, own, kept, found in zip(arrays, stacked, fixed, there, strict=True):
                if not kept and own:
                    array[part] = found.get().T.reshape(array[part].shape)
                elif not kept:
                    array[...] = found.get()


def _columns(stack: NDArray[Any], size: int) -> NDArray[Any]:
    """A stack column by column."""
    return np.ascontiguousarray(stack.reshape(size, -1).T)


def devices() -> Any:
    """CuPy, if it is there and sees a device.

    Raises:
        MissingExtra: it is not installed.
        DerivationError: there is no device.
    """
    with needing("gpu", "cupy", 'engine="cuda" runs on an NVIDIA GPU'):
        import cupy
    try:
        found = cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError as error:
        found, reason = 0, f" ({error})"
    else:
        reason = ""
    if not found:
        raise DerivationError(
            f'engine="cuda" needs an NVIDIA GPU, and this machine shows none{reason}. Give engine="c"'
            ' or "casadi": the results are the same.'
        )
    return cupy


def _fixed(source: str, name: str) -> list[bool]:
    """Which arrays of an entry are only read."""
    found = re.search(rf"__global__ void {name}\(long long count, (.*?)\)\n", source)
    assert found is not None
    return [each.strip().startswith("const") for each in found[1].split(",")]


def _parts(cupy: Any, count: int, needed: int) -> list[slice]:
    """The points in parts that fit into the device's memory."""
    free, _ = cupy.cuda.runtime.memGetInfo()
    size = count if not needed else max(1, min(count, int(SHARE * free * count / needed)))
    return [slice(k, min(k + size, count)) for k in range(0, count, size)]
