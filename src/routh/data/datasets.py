"""Records as datasets of xarray, as `.nc` files and `.zarr` stores, and back.

Axes that a quantity numbers, as the times of a motion, have it as their coordinate; labels are
coordinates too. Datasets have no parts. A store may name codecs that run code, pickle among them: it is
read only where all that it names are plain compression.
"""

from __future__ import annotations

import json
import re
import secrets
import shutil
from collections.abc import Mapping
from pathlib import Path as FilePath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from routh.data.archives import ABOUT, in_full, refuse_large
from routh.data.manifest import MARK, Path, QuantityPart, described, gathered, parsed, understood
from routh.data.record import Quantity, Record
from routh.disk import written
from routh.errors import DeclarationError, WriteError, needing
from routh.files.tokens import plain as spelt

PLAIN_CODECS = {
    "zstd", "blosc", "zlib", "gzip", "bz2", "lzma", "lz4", "bytes", "transpose", "crc32c", "vlen-utf8",
    "sharding_indexed", "shuffle", "delta",
}  # fmt: skip
"""Codecs of zarr that pack bytes and do nothing else."""


def to_xarray(record: Record) -> Any:
    """A dataset; what it is about is in its attributes."""
    xarray = _xarray()
    names = _names(record)
    found = {
        name: (each.axes, each.array, {"units": each.unit} if each.unit else {})
        for name, each in _by_name(record, names).items()
        if name not in each.axes or each.axes == (name,)
    }
    data = xarray.Dataset(found).assign_coords(_coordinates(record))
    data = data.drop_vars([each for each in _numbers_of_axes(record, names).values() if each in data])
    return data.assign_attrs(
        title=record.title, kind=record.kind, **{f"routh_{k}": x for k, x in record.provenance.items()}
    )


def _xarray() -> Any:
    with needing("data", "xarray", "Arrays with names for their axes are those of xarray"):
        import xarray

    return xarray


def _names(record: Record) -> dict[Path, str]:
    """A name in the dataset for each quantity; one that is an axis or taken gets an underscore."""
    found: dict[Path, str] = {}
    every = (record.quantities, record.expressions, record.values)
    axes = {axis for group in every for each in group.values() for axis in each.axes}
    for group, inside in zip(every, ((), ("expressions",), ("values",)), strict=True):
        for name, each in group.items():
            own = name
            while own in found.values() or (own in axes and each.axes != (own,)):
                own += "_"
            found[(*inside, name)] = own
    return found


def _by_name(record: Record, names: Mapping[Path, str]) -> dict[str, Quantity]:
    groups = {"expressions": record.expressions, "values": record.values}
    return {
        own: record.quantities[path[0]] if len(path) == 1 else groups[path[0]][path[1]]
        for path, own in names.items()
    }


def _coordinates(record: Record) -> dict[str, Any]:
    """What stands along axes: labels, or the numbers of a quantity."""
    sizes = {
        axis: size
        for group in (record.quantities, record.expressions, record.values)
        for each in group.values()
        for axis, size in zip(each.axes, each.array.shape, strict=True)
    }
    found: dict[str, Any] = {}
    for axis, known in record.axes.items():
        if isinstance(known, tuple):
            if sizes.get(axis) == len(known) > 0:
                found[axis] = ((axis,), np.array(known, dtype=str))
        else:
            numbers = record.quantities.get(known) or record.values.get(known)
            if numbers is not None and numbers.axes == (axis,):
                said = {"units": numbers.unit} if numbers.unit else {}
                found[axis] = ((axis,), numbers.array, said)
    return found


def _numbers_of_axes(record: Record, names: Mapping[Path, str]) -> dict[str, str]:
    """Quantities that are coordinates already, under the names of their axes."""
    found = {}
    for axis, known in record.axes.items():
        each = record.quantities.get(known) if isinstance(known, str) and known != axis else None
        if each is not None and each.axes == (axis,):
            found[axis] = names[(str(known),)]
    return found


def _for_files(record: Record) -> Any:
    """A dataset without texts, empty and complex arrays, and with a manifest that has or knows them."""
    names = _names(record)
    apart = {own: axis for axis, own in _numbers_of_axes(record, names).items()}
    variables: dict[str, Any] = {}
    known = _coordinates(record)
    spellings = _spellings(record, known)
    taken = set(spellings.values())

    def put(path: Path, quantity: Quantity) -> Mapping[str, Any]:
        array = quantity.array
        if array.dtype.kind == "U" or _is_beyond_netcdf(array):
            return {"data": array.tolist()}
        if not array.size:
            return {"data": []}
        own = names[path]
        if own in apart:
            return {"at": [spellings[apart[own]]]}
        if own in known and quantity.axes == (own,):
            return {"at": [spellings[own]]}
        plain = _plain_name(own, {*variables, *taken})
        said: dict[str, Any] = {"long_name": path[-1]}
        said |= {"units": quantity.unit} if quantity.unit else {}
        axes = tuple(spellings[axis] for axis in quantity.axes)
        if array.dtype.kind != "c":
            variables[plain] = (axes, array, said)
            return {"at": [plain]}
        both = [f"{plain}_{part}" for part in ("real", "imag")]
        for each, part in zip(both, (array.real, array.imag), strict=True):
            variables[each] = (axes, part, said)
        return {"at": both}

    alone = Record(
        record.kind, record.title, record.quantities, record.values, record.expressions, record.axes,
        record.rows, {}, record.provenance,
    )  # fmt: skip
    said = described(alone, put)
    coords = {spellings[axis]: ((spellings[axis],), *each[1:]) for axis, each in known.items()}
    data = _xarray().Dataset(variables, coords=coords)
    return data.assign_attrs(title=record.title, **{ABOUT: json.dumps(said)})


def _spellings(record: Record, known: Mapping[str, Any]) -> dict[str, str]:
    """What axes are called in a file."""
    every = (record.quantities, record.expressions, record.values)
    axes = [axis for group in every for each in group.values() for axis in each.axes]
    found: dict[str, str] = {}
    for axis in dict.fromkeys([*known, *axes]):
        found[axis] = _plain_name(axis, set(found.values()))
    return found


def _is_beyond_netcdf(array: NDArray[Any]) -> bool:
    """Whether there are whole numbers of more than 32 bits, which the form of netCDF has not."""
    small = np.iinfo(np.int32)
    far = array.dtype.kind == "i" and array.size
    return bool(far and (array.min() < small.min or array.max() > small.max))


def _plain_name(name: str, taken: set[str]) -> str:
    """A name of ASCII that netCDF takes, Greek letters in words; primes are dots."""
    made = re.sub(r"[^\w\-+*().]", "_", spelt(name.replace("'", "_dot")), flags=re.ASCII)
    made = made if made[:1].isalnum() else f"x{made}"
    while made in taken or f"{made}_real" in taken:
        made += "_"
    return made


def save_nc(record: Record, path: FilePath) -> None:
    """Write a netCDF file, by SciPy."""
    data = _for_files(record)
    with written(path) as beside:
        data.to_netcdf(beside, engine="scipy", format="NETCDF3_64BIT")


def save_zarr(record: Record, path: FilePath) -> None:
    """Write a store, a folder that is not there yet."""
    with needing("data", "zarr", "Stores need zarr"):
        import zarr  # noqa: F401
    data = _for_files(record)
    beside = path.parent / f".routh-{secrets.token_hex(8)}"
    try:
        data.to_zarr(beside, zarr_format=2, consolidated=False)  # 3 has no texts of fixed length yet
        beside.rename(path)
    except OSError as error:
        raise WriteError(f"{str(path)!r} was not written: {error.strerror or error}.") from error
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def load_nc(path: FilePath) -> Record:
    """The record in a netCDF file; variables by name where others wrote it."""
    return _loaded(path, {})


def load_zarr(path: FilePath) -> Record:
    """The record in a store, likewise."""
    _refuse_codecs(path)
    return _loaded(path, {"engine": "zarr", "consolidated": False})


def _loaded(path: FilePath, how: Mapping[str, Any]) -> Record:
    xarray = _xarray()
    try:
        with xarray.open_dataset(
            path, decode_times=False, decode_timedelta=False, mask_and_scale=False, **how
        ) as opened:
            refuse_large(opened.nbytes, path)
            data = opened.load()
    except DeclarationError:
        raise
    except Exception as error:  # each backend has errors of its own
        raise DeclarationError(
            f"{str(path)!r} is no whole netCDF file or zarr store: {type(error).__name__}. It was cut"
            " or damaged, or needs a package that is not installed (netCDF4 for files in HDF5)."
        ) from None
    text = data.attrs.get(ABOUT)
    if not isinstance(text, str) or f'"{MARK}"' not in text[:100]:
        return _foreign(data, path)
    arrays = {str(name): np.asarray(each) for name, each in data.variables.items()}
    part = understood(parsed(text, repr(str(path))), repr(str(path)))
    return gathered(part, lambda _, row: _taken(arrays, row), repr(str(path)))


def _taken(arrays: Mapping[str, NDArray[Any]], row: QuantityPart) -> Any:
    if row.at is None:
        return np.array(row.data) if np.size(row.data) else np.zeros(0)
    if row.type == "complex" and len(row.at) == 2:
        real, imag = (arrays[name] for name in row.at)
        made = np.empty(real.shape, dtype=complex)
        made.real, made.imag = real, imag
        return made
    array = arrays[row.at[0]]
    return array.astype(bool) if row.type == "bool" and array.dtype.kind == "i" else array


def _foreign(data: Any, path: FilePath) -> Record:
    """Variables that others wrote, with their axes and units."""
    quantities = {
        str(name): Quantity(
            in_full(_plain(each), str(name), path),
            tuple(map(str, each.dims)),
            str(each.attrs.get("units", "")),
        )
        for name, each in data.variables.items()
    }
    axes = {str(name): str(name) for name in data.dims if name in data.variables}
    about = str(data.attrs.get("title", "")) or f"Arrays in {path.name}"
    return Record("Arrays", about, quantities, axes=axes)


def _plain(variable: Any) -> NDArray[Any]:
    array = np.asarray(variable)
    return array if array.dtype.kind in "biufcU" else array.astype(str)


def _refuse_codecs(path: FilePath) -> None:
    """Refuse a store that names anything but plain compression, or arrays of objects."""
    for file in sorted(path.rglob("*")):
        if file.name not in (".zarray", "zarr.json", ".zmetadata"):
            continue
        said = parsed(file.read_text(encoding="utf-8", errors="replace"), repr(str(file)))
        odd = sorted(set(_codecs(said)) - PLAIN_CODECS)
        if odd:
            raise DeclarationError(
                f"{str(path)!r} names the codec `{odd[0]}`, which may do more than pack bytes. Expected"
                " plain compression, like zstd or blosc."
            )


def _codecs(said: Any) -> list[str]:
    """The codecs and the kinds of objects that metadata name."""
    if isinstance(said, list):
        return [name for each in said for name in _codecs(each)]
    if not isinstance(said, dict):
        return []
    own = []
    if isinstance(said.get("id"), str):
        own.append(said["id"])
    for key in ("codecs", "index_codecs"):
        listed = said.get(key)
        own += [str(each.get("name")) for each in listed or [] if isinstance(each, dict)]
    if said.get("dtype") == "|O" and not any("vlen-utf8" in name for name in own):
        own += [name for name in ("object",) if "vlen-utf8" not in json.dumps(said)]
    return own + [name for each in said.values() for name in _codecs(each)]
