"""The same source on an NVIDIA GPU, a thread a point: compiled by NVRTC through CuPy (extra `gpu`).

Stacks lie column by column there, so that threads side by side read numbers side by side. What does not
fit into the memory of the device is taken in parts, which changes nothing but the time.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

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

        Arrays have a row for each point, but for those that are SHARED; those that the entry may write
        are written in place.

        Raises:
            DerivationError: the device has too little memory.
        """
        cupy, kinds = devices(), _kinds(self.source, name)
        stacks = [array for array, kind in zip(arrays, kinds, strict=True) if not kind.shared]
        needed = sum(array.nbytes for array in stacks)
        try:
            for part in _parts(cupy, count, needed):
                self._run_part(cupy, name, part, arrays, kinds)
        except cupy.cuda.memory.OutOfMemoryError as error:
            free, _ = cupy.cuda.runtime.memGetInfo()
            raise DerivationError(
                f"The GPU has {free / 1e9:.3g} GB of memory left, which is too little for {count}"
                f" points with {needed / 1e9:.3g} GB of numbers, also in parts. Free memory on it"
                ' (other programs may hold some), or give engine="c": the results are the same.'
            ) from error

    def _run_part(
        self,
        cupy: Any,
        name: str,
        part: slice,
        arrays: Sequence[NDArray[Any]],
        kinds: Sequence[_Kind],
    ) -> None:
        size = part.stop - part.start
        there = [
            cupy.asarray(array if kind.shared else _columns(array[part], size))
            for array, kind in zip(arrays, kinds, strict=True)
        ]
        self.launch(name, size, there)
        for array, kind, found in zip(arrays, kinds, there, strict=True):
            if not kind.fixed:
                array[part] = found.get().T.reshape(array[part].shape)

    def launch(self, name: str, count: int, there: Sequence[Any]) -> None:
        """Call an entry on arrays that are on the device already, column by column."""
        kernel = self._module.get_function(name)
        kernel((-(-count // THREADS),), (THREADS,), (np.int64(count), *there))


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


class _Kind(NamedTuple):
    """Whether an array of an entry is the same for all points, and whether it is only read."""

    shared: bool
    fixed: bool


def _kinds(source: str, name: str) -> list[_Kind]:
    """What the arrays of an entry are."""
    found = re.search(rf"__global__ void {name}\(long long count, (.*?)\)\n", source)
    assert found is not None
    return [_Kind("SHARED" in words, "const" in words) for words in map(str.split, found[1].split(","))]


def _parts(cupy: Any, count: int, needed: int) -> list[slice]:
    """The points in parts that fit into the device's memory."""
    free, _ = cupy.cuda.runtime.memGetInfo()
    size = count if not needed else max(1, min(count, int(SHARE * free * count / needed)))
    return [slice(k, min(k + size, count)) for k in range(0, count, size)]
