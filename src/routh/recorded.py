"""How results get to files and to other packages: the one door from the rooms below up to `data`.

Results know their numbers, not how files are made of them: that is known in `data`, above them. So
nouns that hold numbers are `Recorded`, and the package has said at its head (`routh/__init__.py`) who
writes them. Nothing of `data` is loaded before someone asks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

Expressions = Sequence[Any] | str
"""Expressions of a system, or names of symbols; one alone may be given as it is."""


class Outlets(Protocol):
    """What makes files and objects of other packages out of results."""

    def to_dict(self, result: object, expressions: Expressions) -> dict[str, Any]: ...
    def to_json(self, result: object, expressions: Expressions) -> str: ...
    def save(self, result: object, path: str | Path, expressions: Expressions) -> Path: ...
    def to_pandas(self, result: object, expressions: Expressions) -> Any: ...
    def to_xarray(self, result: object, expressions: Expressions) -> Any: ...
    def restored(self, record: Any, system: Any) -> Any: ...


_LOADED_BY: list[Callable[[], Outlets]] = []


def recorded_by(loaded: Callable[[], Outlets]) -> None:
    """Say who does it; what is given loads that when someone asks."""
    _LOADED_BY[:] = [loaded]


def outlets() -> Outlets:
    """Who does it, loaded."""
    return _LOADED_BY[0]()


class Recorded:
    """What holds numbers, and can be written down with their names, axes, units and sources.

    `expressions` are written beside what the result has by itself: anything that can be read in it by
    `result[expression]`, as along a motion or at a rest.
    """

    __slots__ = ()

    def to_dict(self, *, expressions: Expressions = ()) -> dict[str, Any]:
        """All of it as plain lists, texts and numbers by name; complex numbers as real and imag."""
        return outlets().to_dict(self, expressions)

    def to_json(self, *, expressions: Expressions = ()) -> str:
        """The same as a text; floats are written so that they are read back bit for bit.

        NaN and infinity, for which JSON has no number, are texts.
        """
        return outlets().to_json(self, expressions)

    def save(self, path: str | Path, *, expressions: Expressions = ()) -> Path:
        """Write it to a file by the suffix of its name, and give the path; `load_result` reads it.

        `.npz`, `.json` and `.mat` hold all of it, with what it is made of; `.csv` the table of
        `to_pandas`, `.nc` and `.zarr` the dataset of `to_xarray`.

        Raises:
            DeclarationError: another suffix, no such folder, or an expression of another system.
            WriteError: the file could not be written; what was there before is as it was.
        """
        return outlets().save(self, path, expressions)

    def to_pandas(self, *, expressions: Expressions = ()) -> Any:
        """What has the rows of the result as a table, a `pandas.DataFrame` (the extra `data`).

        Rows are the times of a motion, the modes, the points of a branch or a batch; a result without
        rows is a table of names and values.
        """
        return outlets().to_pandas(self, expressions)

    def to_xarray(self, *, expressions: Expressions = ()) -> Any:
        """An `xarray.Dataset` (the extra `data`): arrays with names, axes, labels and units."""
        return outlets().to_xarray(self, expressions)
