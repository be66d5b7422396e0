"""A C source with entries on stacks of points, compiled when it is first called, for cores or a GPU."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

from numpy.typing import NDArray

from routh.kernels.engine import Engine
from routh.kernels.native.crew import share
from routh.kernels.native.gpu import GpuProgram
from routh.kernels.native.shelf import library


class Program:
    """A source made of `written.runtime`, `written.c_function` and `written.entry`.

    `lanes` are the points that it takes side by side.
    """

    def __init__(self, source: str, lanes: int = 1) -> None:
        self.source, self._lanes = source, lanes

    @cached_property
    def _library(self) -> Any:
        return library(self.source)

    @cached_property
    def _on_gpu(self) -> GpuProgram:
        return GpuProgram(self.source)

    def run(
        self, name: str, count: int, arrays: Sequence[NDArray[Any]], engine: Engine = Engine.C
    ) -> None:
        """Call an entry for so many points; arrays are contiguous and written in place."""
        if engine is Engine.CUDA:
            self._on_gpu.run(name, count, arrays)
            return
        entry = getattr(self._library, name)
        entry.restype = None
        assert all(array.flags.c_contiguous for array in arrays)
        pointers = [ctypes.c_void_p(array.ctypes.data) for array in arrays]

        def work(begin: int, end: int, stop: ctypes.c_int) -> None:
            first, last = begin * self._lanes, min(end * self._lanes, count)
            numbers = (ctypes.c_longlong(each) for each in (first, last, count))
            entry(*numbers, ctypes.byref(stop), *pointers)

        share(-(-count // self._lanes), work)

    def bound(self, name: str, arrays: Sequence[NDArray[Any]]) -> Callable[[], None]:
        """An entry at one point, with its arrays kept in place, to be called many times."""
        entry = getattr(self._library, name)
        entry.restype = None
        assert all(array.flags.c_contiguous for array in arrays)
        stop, kept = ctypes.c_int(0), list(arrays)
        numbers = [ctypes.c_longlong(each) for each in (0, 1, 1)]
        given = [*numbers, ctypes.byref(stop), *(ctypes.c_void_p(each.ctypes.data) for each in kept)]

        def call(_kept: object = kept) -> None:  # what pointers point to lives as long as this
            entry(*given)

        return call
