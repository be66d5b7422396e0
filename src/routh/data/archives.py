"""Records as `.npz` archives of NumPy, and back: one array by name for each quantity, and a manifest.

Nothing is unpickled: arrays of objects are refused. Sizes are looked at before anything is unpacked.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping
from pathlib import Path as FilePath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from routh.data.manifest import (
    DTYPES,
    LONGEST_EMPTY,
    MARK,
    OF_DTYPES,
    Path,
    described,
    gathered,
    parsed,
    understood,
)
from routh.data.record import Quantity, Record
from routh.data.sources import MOST
from routh.disk import written
from routh.errors import DeclarationError

ABOUT = "about"
"""The array that holds the manifest."""


def save_npz(record: Record, path: FilePath) -> None:
    """Write an archive."""
    arrays: dict[str, NDArray[Any]] = {}

    def put(at: Path, quantity: Quantity) -> Mapping[str, Any]:
        arrays["/".join(at)] = quantity.array
        return {}

    said = described(record, put)
    with written(path) as beside, zipfile.ZipFile(beside, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, array in {ABOUT: np.array(json.dumps(said)), **arrays}.items():
            member = zipfile.ZipInfo(f"{name}.npy")  # no time of day: the same result, the same file
            member.compress_type = zipfile.ZIP_DEFLATED
            with archive.open(member, "w", force_zip64=True) as file:
                np.lib.format.write_array(file, np.ascontiguousarray(array).reshape(array.shape))


def load_npz(path: FilePath) -> Record:
    """The record in an archive; the arrays by name where others wrote it.

    Raises:
        DeclarationError: it is no archive, it is damaged, or holds what is no plain array.
    """
    arrays = _arrays(path)
    about = arrays.get(ABOUT)
    if about is None or about.dtype.kind != "U" or about.ndim or f'"{MARK}"' not in str(about)[:100]:
        return foreign(arrays, path)
    part = understood(parsed(str(arrays[ABOUT]), repr(str(path))), repr(str(path)))
    return gathered(part, lambda at, _: arrays["/".join(at)], repr(str(path)))


def foreign(arrays: Mapping[str, NDArray[Any]], path: FilePath, left: str = "") -> Record:
    """Arrays that others wrote, by name, their axes by number."""
    quantities = {
        name: Quantity(in_full(array, name, path), tuple(f"{name}_{k + 1}" for k in range(array.ndim)))
        for name, array in arrays.items()
    }
    return Record(
        "Arrays", f"Arrays in {path.name}", quantities, provenance={"left_out": left} if left else {}
    )


def _arrays(path: FilePath) -> dict[str, NDArray[Any]]:
    """All arrays of an archive."""
    try:
        with zipfile.ZipFile(path) as archive:
            members = [each for each in archive.infolist() if each.filename.endswith(".npy")]
            refuse_large(sum(each.file_size for each in members), path)
            found = {}
            for each in members:
                with archive.open(each) as file:
                    found[each.filename.removesuffix(".npy")] = np.lib.format.read_array(
                        file, allow_pickle=False
                    )
    except DeclarationError:
        raise
    except Exception as error:  # zip, zlib and NumPy each have errors of their own for what is cut
        if "allow_pickle" in str(error):
            raise DeclarationError(
                f"{str(path)!r} holds arrays of Python objects, which could run code when they are"
                " read. Save numbers and texts alone."
            ) from None
        raise DeclarationError(
            f"{str(path)!r} is no whole .npz archive: {type(error).__name__}. It was cut or damaged;"
            " write it again."
        ) from None
    odd = [name for name, array in found.items() if array.dtype.kind not in "biufcU"]
    if odd:
        raise DeclarationError(
            f"`{odd[0]}` in {str(path)!r} is an array of {found[odd[0]].dtype}. Expected numbers,"
            " truth values or texts."
        )
    return found


def in_full(array: NDArray[Any], name: str, path: FilePath) -> NDArray[Any]:
    """An array in one of the five kinds of numbers and texts that records have, to the last bit.

    Raises:
        DeclarationError: they have no place for its numbers.
    """
    made = array.astype(DTYPES[OF_DTYPES[array.dtype.kind]]) if array.dtype.kind != "U" else array
    if array.dtype.kind in "fcu" and not np.array_equal(made, array, equal_nan=True):
        raise DeclarationError(
            f"`{name}` in {str(path)!r} has numbers of {array.dtype} that no double and no whole number"
            " of 64 bits with a sign can hold. Save it as float64 or int64."
        )
    if not array.size and max(array.shape) > LONGEST_EMPTY:
        raise DeclarationError(
            f"`{name}` in {str(path)!r} is empty, and of shape {array.shape}. Leave it out."
        )
    return made


def refuse_large(size: int, path: FilePath) -> None:
    """Refuse what would fill the memory."""
    if size > MOST:
        raise DeclarationError(
            f"{str(path)!r} unpacks to {size / 2**30:.3g} GiB, more than the {MOST / 2**30:.3g} GiB"
            " that are read at once. Open it with NumPy, SciPy or xarray and take what you need."
        )
