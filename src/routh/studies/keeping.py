"""Where the chunks of a study are kept: in memory, or in a zarr store that grows while it runs.

In a store a chunk is one file for each variable. They are written beside and renamed, `status` last,
and settled on the disk; then the chunk is marked complete by a file of its own. What is not marked is
never taken for a result: its status is "unknown", and it is computed again. Nothing is unpickled.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from shutil import rmtree
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from routh.arrays import Array
from routh.disk import write_text
from routh.errors import DeclarationError, WriteError, needing, quoted
from routh.language.symbols import Parameter
from routh.studies.chain import AXES, UNITS
from routh.studies.chunk import Found, Job, empty, missing, put

MARKS = Path("status", "complete")
"""The folder of a store that says which chunks are complete."""

KEY = "routh"
"""The attribute of a store that says what it is about."""

Chunk = tuple[int, ...]


class Kept(Protocol):
    """A place for chunks."""

    def complete(self) -> set[Chunk]:
        """The chunks that are there, whole."""

    def prepare(self, found: Found) -> None:
        """Make room for all chunks, of the form of one of them; once."""

    def keep(self, chunk: Chunk, found: Found) -> None:
        """Keep a chunk."""

    def errors(self) -> Iterator[tuple[Chunk, dict[int, str]]]:
        """What was raised in chunks, in words."""


def axes_of(name: str, count: int, kind: str) -> tuple[str, ...]:
    """What the axes of a variable behind those of the design run over."""
    own = AXES.get(name, ())
    if kind == "motions":
        own = ("time", *own) if name != "multipliers" else ("time", "constraint")
    if kind == "periods" or len(own) != count:
        own = () if kind != "motions" or not count else ("time",)
        own = (*own, *(f"{name}_{k}" for k in range(len(own), count)))[:count]
    return own


def attributes(name: str, words: Mapping[str, tuple[str, ...]]) -> dict[str, Any]:
    """What is said of a variable beside its numbers: its unit, and what codes stand for."""
    said: dict[str, Any] = {"units": UNITS[name]} if name in UNITS else {}
    if words.get(name):
        said |= {
            "flag_values": list(range(-1, len(words[name]))),
            "flag_meanings": " ".join(("unknown", *words[name])),
        }
    return said


def coordinates(job: Job) -> dict[str, tuple[tuple[str, ...], Array, dict[str, str]]]:
    """The parameters, and times of motions: along which dimension, their numbers and their unit."""
    design = job.design
    found = {}
    for symbol, column in zip(design.symbols, design.columns, strict=True):
        unit = symbol.unit if isinstance(symbol, Parameter) else None
        along = (str(symbol),) if design.is_grid else design.dimensions
        found[str(symbol)] = (along, column, {"units": unit} if unit else {})
    if job.task.kind == "motions":
        times = np.asarray(job.task.options["times"], dtype=float)
        found["time"] = (("time",), times, {"units": "s"})
    return found


class InMemory:
    """Arrays of the whole study."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self.arrays: dict[str, NDArray[Any]] = {}
        self.words: dict[str, tuple[str, ...]] = {}
        self._there: set[Chunk] = set()
        self._errors: dict[Chunk, dict[int, str]] = {}

    def complete(self) -> set[Chunk]:
        return set(self._there)

    def prepare(self, found: Found) -> None:
        for name, own in found.arrays.items():
            self.arrays[name] = missing((*self._job.design.shape, *own.shape[1:]), own.dtype)
        self.words = found.words

    def keep(self, chunk: Chunk, found: Found) -> None:
        design = self._job.design
        where = design.where(chunk)
        for name, whole in self.arrays.items():
            whole[where] = unfolded(found.arrays[name], whole[where].shape, whole.dtype, name)
        self._there.add(chunk)
        if found.errors:
            self._errors[chunk] = found.errors

    def errors(self) -> Iterator[tuple[Chunk, dict[int, str]]]:
        yield from sorted(self._errors.items())


class InStore:
    """A zarr store."""

    def __init__(self, job: Job, path: Path, about: Mapping[str, str]) -> None:
        self._job, self.path, self._about = job, path, dict(about)
        self._group: Any = None
        if _is_there(path):
            self._group = _same_study(path, self._about)
        elif not path.parent.is_dir():
            raise DeclarationError(
                f"There is no folder {str(path.parent)!r} to make the store {path.name!r} in. Make it,"
                " or choose another."
            )
        place = path if path.exists() else path.parent
        if not os.access(place, os.W_OK | os.X_OK):
            raise WriteError(f"{str(place)!r} may not be written. Allow it, or choose another `to`.")

    def complete(self) -> set[Chunk]:
        names = (each.stem for each in (self.path / MARKS).glob("*.json"))
        return {tuple(map(int, name.split("."))) for name in names}

    def prepare(self, found: Found) -> None:
        if self._group is not None:
            return
        import zarr

        design, kind = self._job.design, self._job.task.kind
        with made_whole(self.path):
            group = zarr.open_group(self.path, mode="w-", zarr_format=3)
            for name, own in found.arrays.items():
                more = own.shape[1:]
                group.create_array(
                    name,
                    shape=(*design.shape, *more),
                    chunks=(*design.block, *(max(1, n) for n in more)),
                    dtype=own.dtype,
                    fill_value=empty(own.dtype),
                    attributes=attributes(name, found.words),
                    dimension_names=(*design.dimensions, *axes_of(name, len(more), kind)),
                )
            for name, (along, numbers, said) in coordinates(self._job).items():
                group.create_array(name, data=numbers, attributes=said, dimension_names=along)
            (self.path / MARKS).mkdir()
            group.attrs.update({KEY: self._about})  # last: a store that lacks it is not whole
        self._group = group

    def keep(self, chunk: Chunk, found: Found) -> None:
        where = self._job.design.where(chunk)
        names = sorted(found.arrays, key=lambda name: name == "status")
        with told(self.path):
            for name in names:
                array = self._group[name]
                shape = (*(part.stop - part.start for part in where), *array.shape[len(where) :])
                array[where] = unfolded(found.arrays[name], shape, array.dtype, name)
                more = (0,) * (array.ndim - len(where))
                _settle(self.path / name / "c" / Path(*map(str, (*chunk, *more))))
            mark = self.path / MARKS / f"{'.'.join(map(str, chunk))}.json"
            write_text(mark, json.dumps({"errors": found.errors}))

    def errors(self) -> Iterator[tuple[Chunk, dict[int, str]]]:
        for mark in sorted((self.path / MARKS).glob("*.json")):
            told_of = json.loads(mark.read_text(encoding="utf-8"))["errors"]
            if told_of:
                chunk = tuple(map(int, mark.stem.split(".")))
                yield chunk, {int(k): text for k, text in told_of.items()}


def unfolded(part: NDArray[Any], shape: tuple[int, ...], dtype: Any, name: str) -> NDArray[Any]:
    """Points of a chunk in the shape of its block, filled up where another chunk has more."""
    more = shape[len(shape) - part.ndim + 1 :]
    if any(have > room for have, room in zip(part.shape[1:], more, strict=True)):
        raise DeclarationError(
            f"`{name}` has the shape {part.shape[1:]} at some points, and {more} at the first ones. A"
            " function of `find` must give the same shape everywhere: fill it up with NaN."
        )
    whole = missing((len(part), *more), dtype)
    put(whole, part)
    return whole.reshape(shape)


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except OSError as error:
        raise WriteError(
            f"{str(path)!r} may not be looked at: {error.strerror or error}. Allow it, or choose"
            " another `to`."
        ) from error


def _same_study(path: Path, about: Mapping[str, str]) -> Any:
    """The store, if it is one of this study."""
    with needed():
        import zarr
    try:
        group = zarr.open_group(path, mode="r+")
        kept = group.attrs[KEY]
    except Exception:  # whatever lies there, it is nothing that was made here
        raise DeclarationError(
            f"{str(path)!r} is there and is no whole store of a study. Choose another `to`, or"
            " remove it."
        ) from None
    other = [name for name, text in about.items() if kept.get(name) != text]
    if other:
        raise DeclarationError(
            f"The store {str(path)!r} is of another study: {quoted(other)} differ"
            f"{'s' * (len(other) == 1)}. There: {kept.get(other[0])!r}, here: {about[other[0]]!r}."
            " Choose another `to`, or remove it."
        )
    return group


@contextmanager
def needed() -> Iterator[None]:
    """Imports of the extra `sweep`."""
    with needing("sweep", "xarray", "Studies need arrays with names and a store for them"):
        yield


@contextmanager
def made_whole(path: Path) -> Iterator[None]:
    """A new folder, which goes away again if it cannot be filled."""
    try:
        path.mkdir()
        with _swept_away(path):
            yield
    except FileExistsError:
        raise DeclarationError(
            f"{str(path)!r} was made by somebody else just now. Run the same line again when that study"
            " is done, or choose another `to`."
        ) from None
    except OSError as error:
        raise WriteError(
            f"The store {str(path)!r} could not be made: {error.strerror or error}. Choose another"
            " `to`, or make room."
        ) from error


@contextmanager
def _swept_away(path: Path) -> Iterator[None]:
    try:
        yield
    except BaseException:
        rmtree(path, ignore_errors=True)
        raise


@contextmanager
def told(path: Path) -> Iterator[None]:
    """What the system refuses, as a sentence."""
    try:
        yield
    except WriteError:
        raise
    except OSError as error:
        reason = error.strerror or str(error)
        raise WriteError(
            f"The store {str(path)!r} was not written: {reason}. Complete chunks are kept; run the same"
            " line again when it can be, and the rest is computed."
        ) from error


def _settle(path: Path) -> None:
    """Wait until the disk has it; a chunk of nothing but fill values has no file."""
    try:
        handle = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
