"""Records as `.mat` files, and back: a variable for each quantity, a struct for each part.

MATLAB's names are letters, digits and underscores; the manifest, a text in the variable `about`, has
the names as they were, and the axes that MATLAB's arrays of two axes at least do not tell.
"""

from __future__ import annotations

import io
import json
import re
import warnings
import zlib
from collections.abc import Mapping
from pathlib import Path as FilePath
from typing import Any

import numpy as np
import scipy.io
from numpy.typing import NDArray

from routh.data.archives import ABOUT, foreign, refuse_large
from routh.data.manifest import MARK, Path, QuantityPart, described, gathered, parsed, understood
from routh.data.record import Quantity, Record
from routh.data.sources import MOST
from routh.disk import written
from routh.errors import DeclarationError
from routh.files.tokens import plain as spelt
from routh.version import __version__

HEADER = 116
"""Bytes of the text at the head of a file."""

LONGEST = 31
"""Characters of a name in every version of MATLAB; `long_field_names` would need a later one."""

COMPRESSED = 15
"""The type of an element that is compressed."""


def save_mat(record: Record, path: FilePath) -> None:
    """Write a file of MATLAB's version 5, which Octave and SciPy read too."""
    tree: dict[str, Any] = {}
    names: dict[Path, dict[str, str]] = {}

    def put(at: Path, quantity: Quantity) -> Mapping[str, Any]:
        inside, place = tree, []
        for k, word in enumerate(at):
            own = names.setdefault(at[:k], {ABOUT: ABOUT} if not k else {})
            name = own.setdefault(word, _name(word, own.values()))
            place.append(name)
            if k < len(at) - 1:
                inside = inside.setdefault(name, {})
        inside[place[-1]] = _for_matlab(quantity.array)
        return {"at": place}

    said = described(record, put)
    text = f"MATLAB 5.0 MAT-file, written by Routh {__version__}"  # SciPy's tells the time of day
    with written(path) as beside, beside.open("wb") as file:
        memory = io.BytesIO()
        scipy.io.savemat(
            memory, {ABOUT: json.dumps(said), **tree}, do_compression=True, oned_as="column"
        )
        file.write(text.encode("ascii").ljust(HEADER) + memory.getvalue()[HEADER:])


def _name(word: str, taken: Any) -> str:
    """A name that MATLAB takes, and that is not taken."""
    plain = re.sub(r"\W", "_", spelt(word.replace("'", "_dot")), flags=re.ASCII).strip("_") or "x"
    plain = plain if plain[0].isalpha() else f"x{plain}"
    made, k = plain[:LONGEST], 1
    while made in taken:
        k += 1
        made = f"{plain[: LONGEST - 4]}_{k}"
    return made


def _for_matlab(array: NDArray[Any]) -> Any:
    if array.dtype.kind != "U":
        return array
    if not array.ndim:
        return str(array)
    cells = np.empty(array.shape, dtype=object)
    cells[...] = array
    return cells


def load_mat(path: FilePath) -> Record:
    """The record in a file; the numeric arrays by name where others wrote it.

    Raises:
        DeclarationError: it is no such file, it is damaged, or of version 7.3.
    """
    found = _variables(path)
    about = found.get(ABOUT)
    text = _text(about) if isinstance(about, np.ndarray) and about.dtype.kind == "U" else ""
    if f'"{MARK}"' not in text[:100]:
        return _foreign(found, path)
    part = understood(parsed(text, repr(str(path))), repr(str(path)))
    return gathered(part, lambda at, row: _taken(found, row.at or list(at), row), repr(str(path)))


def _variables(path: FilePath) -> dict[str, Any]:
    try:
        _measure(path)
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # a variable that SciPy could not read
            found: dict[str, Any] = scipy.io.loadmat(path, appendmat=False)
    except DeclarationError:
        raise
    except NotImplementedError:
        raise DeclarationError(
            f"{str(path)!r} is of MATLAB's version 7.3, which is another format. Save it there with"
            " save(..., '-v7')."
        ) from None
    except Exception as error:  # SciPy raises whatever it stumbles over in files that are damaged
        raise DeclarationError(
            f"{str(path)!r} is no whole .mat file: {type(error).__name__}. It was cut or damaged; write"
            " it again."
        ) from None
    return {name: each for name, each in found.items() if not name.startswith("__")}


def _measure(path: FilePath) -> None:
    """Refuse what unpacks to too much, or ends before it says: elements have their size at the head."""
    with path.open("rb") as file:
        head = file.read(128)
        order = {b"IM": "little", b"MI": "big"}.get(head[126:128])
        if order is None:
            return  # version 4 or none at all: SciPy says it
        rest = path.stat().st_size - 128
        total = 0
        while rest >= 8:
            tag = file.read(8)
            kind, size = (int.from_bytes(tag[k : k + 4], order) for k in (0, 4))  # type: ignore[arg-type]
            rest -= 8 + size
            if rest < 0:
                raise DeclarationError(f"{str(path)!r} was cut: it ends before its last variable does.")
            total += _unpacked(file, size, path) if kind == COMPRESSED else size
            refuse_large(total, path)
            if kind != COMPRESSED:
                file.seek(size, io.SEEK_CUR)


def _unpacked(file: Any, size: int, path: FilePath) -> int:
    """How many bytes a compressed element has, unpacked piece by piece and thrown away."""
    unpacking, count = zlib.decompressobj(), 0
    while size:
        piece = file.read(min(size, 2**16))
        size -= len(piece)
        while piece:
            count += len(unpacking.decompress(piece, 2**24))
            piece = unpacking.unconsumed_tail
            refuse_large(count, path)
        if not piece and unpacking.eof:
            file.seek(size, io.SEEK_CUR)
            return count
    return count


def _text(array: NDArray[Any]) -> str:
    return str(array.reshape(-1)[0]) if array.size else ""


def _taken(found: Mapping[str, Any], place: list[str], row: QuantityPart) -> Any:
    """An array in structs in structs."""
    inside: Any = found
    for name in place:
        if isinstance(inside, np.ndarray):
            if inside.dtype.names is None or name not in inside.dtype.names or inside.size != 1:
                raise KeyError(name)
            inside = inside[name].reshape(-1)[0]
        else:
            inside = inside[name]
    if row.type == "text":
        return _texts(inside, row)
    if row.type == "bool":
        return np.asarray(inside).astype(bool)
    return inside


def _texts(inside: Any, row: QuantityPart) -> Any:
    flat = np.asarray(inside)
    if flat.dtype.kind == "U":  # one text alone
        return np.array(_text(flat)) if not row.shape else flat
    return np.array([_text(np.asarray(each)) for each in flat.reshape(-1)], dtype=str)


def _foreign(found: Mapping[str, Any], path: FilePath) -> Record:
    """Numeric arrays, also in structs, and which variables are none."""
    arrays: dict[str, NDArray[Any]] = {}
    left: list[str] = []

    def take(name: str, each: Any) -> None:
        if isinstance(each, np.ndarray) and each.dtype.names and each.size == 1:
            for inner in each.dtype.names:
                take(f"{name}.{inner}", each[inner].reshape(-1)[0])
        elif isinstance(each, np.ndarray) and each.dtype.kind in "biufcU":
            arrays[name] = each
        elif isinstance(each, np.ndarray) and each.dtype.kind == "O" and _is_cell_of_texts(each):
            arrays[name] = np.array([_text(np.asarray(x)) for x in each.reshape(-1)], dtype=str)
        elif type(each).__module__.startswith("scipy.sparse"):
            take(name, each.toarray()) if np.prod(each.shape) * 8 <= MOST else left.append(name)
        else:
            left.append(name)

    for name, each in found.items():
        take(name, each)
    return foreign(arrays, path, ", ".join(left))


def _is_cell_of_texts(each: NDArray[Any]) -> bool:
    return all(isinstance(x, np.ndarray) and x.dtype.kind == "U" for x in each.reshape(-1))
