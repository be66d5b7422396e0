"""Files of results by their suffix: what is written by which, and the verb that reads them."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path

from routh.data.archives import load_npz, refuse_large, save_npz
from routh.data.datasets import load_nc, load_zarr, save_nc, save_zarr
from routh.data.matlab_files import load_mat, save_mat
from routh.data.plain_forms import of_json, to_json
from routh.data.record import Record
from routh.data.tables import load_csv, save_csv
from routh.disk import refuse_unwritable, write_text
from routh.errors import DeclarationError, a_kind, did_you_mean, listed, shortened


def _save_json(record: Record, path: Path) -> None:
    write_text(path, to_json(record))


def _load_json(path: Path) -> Record:
    return of_json(_text(path), repr(str(path)))


def _load_csv(path: Path) -> Record:
    return load_csv(path, _text(path))


def _text(path: Path) -> str:
    refuse_large(path.stat().st_size, path)
    try:
        return path.read_text(encoding="utf-8-sig")  # spreadsheets put a mark of order before it
    except UnicodeDecodeError:
        raise DeclarationError(f"{str(path)!r} is no text in UTF-8.") from None


FORMATS: Mapping[str, tuple[Callable[[Record, Path], None], Callable[[Path], Record]]] = {
    ".npz": (save_npz, load_npz),
    ".json": (_save_json, _load_json),
    ".csv": (save_csv, _load_csv),
    ".mat": (save_mat, load_mat),
    ".nc": (save_nc, load_nc),
    ".zarr": (save_zarr, load_zarr),
}
"""What writes and what reads files, by their suffix."""


def save_record(make: Callable[[], Record], path: str | Path) -> Path:
    """Write a record, which is made once the path is known to be one, and give the path.

    Raises:
        DeclarationError: the suffix is none of those that are known, or there is no such folder.
        WriteError: the file could not be written.
    """
    place = refuse_unsavable_path(path)
    FORMATS[place.suffix.lower()][0](make(), place)
    return place


def refuse_unsavable_path(path: str | Path) -> Path:
    """The path, if a result can be saved there.

    Raises:
        DeclarationError: the suffix is none of those that are known, there is no such folder, or a
            store is there already.
        WriteError: the folder or the file may not be written.
    """
    place = _checked(path, "saved")
    if place.suffix.lower() == ".zarr" and place.exists():
        raise DeclarationError(f"{str(path)!r} is there already. Choose another name, or remove it.")
    refuse_unwritable(place)
    return place


def load_result(path: str | Path) -> Record:
    """The record in a file: arrays with names, axes, units and where they come from.

    It reads what `result.save(path)` wrote, and arrays in files of others: `.npz`, `.json`, `.csv`,
    `.mat`, `.nc` and `.zarr`. Nothing is executed. `record.restored()` is the noun itself where that
    can be made again.

    Raises:
        DeclarationError: there is no such file, it was cut or damaged, or is none of these.

    Example:
        >>> import tempfile
        >>> from pathlib import Path
        >>> import routh as rt
        >>> x, k = rt.coordinate("x"), rt.parameter("k", unit="N/m")
        >>> spring = rt.System(kinetic=rt.ddt(x)**2 / 2, potential=k * x**2 / 2)
        >>> motion = rt.simulate(spring, {k: 4}, {x: 1}, [0, 0.5, 1])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = motion.save(Path(folder) / "motion.npz", expressions=[k * x**2 / 2])
        ...     record = rt.load_result(path)
        ...
        >>> bool((record["x"] == motion["x"]).all()), record["k"], record.unit("k")
        (True, array(4.), 'N/m')
        >>> record["k*x**2/2"][0]
        np.float64(2.0)
    """
    place = _checked(path, "read")
    try:
        _refuse_unreadable(place, place.suffix.lower() == ".zarr")
        return FORMATS[place.suffix.lower()][1](place)
    except OSError as error:
        reason = error.strerror or str(error)
        raise DeclarationError(f"{shortened(str(path), 100)!r} was not read: {reason}.") from None


def _refuse_unreadable(place: Path, is_store: bool) -> None:
    if not place.exists():
        raise DeclarationError(f"There is no file {str(place)!r}.")
    if place.is_dir() != is_store:
        what = "a folder" if place.is_dir() else "no folder, as a store of zarr is"
        raise DeclarationError(f"{str(place)!r} is {what}. Give the path of a result.")
    if not is_store and not place.is_file():
        raise DeclarationError(f"{str(place)!r} is a pipe or a device. Give the path of a result.")
    if not os.access(place, os.R_OK):
        raise DeclarationError(f"{str(place)!r} may not be read. Allow it, or choose another file.")


def _checked(path: object, done: str) -> Path:
    if not isinstance(path, (str, Path)):
        raise DeclarationError(f'A result is {done} by a path, like "motion.npz". Got {a_kind(path)}.')
    place = Path(path)
    suffix = place.suffix.lower()
    if suffix not in FORMATS:
        raise DeclarationError(
            f"The suffix of a file says its form: {listed(FORMATS)}. Got {str(path)!r}."
            + did_you_mean(suffix, FORMATS)
        )
    return place
