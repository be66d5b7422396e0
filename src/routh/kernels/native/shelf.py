"""Compiled libraries on disk, found again by what they were made of.

A library stands in the user's folder of caches as `KEY-CHECKSUM.so`: the key is that of its source, its
compiler and this processor, the checksum that of its own bytes. It is written beside and renamed, so
that two processes may make the same one at the same time, and what a broken disk or another hand has
changed is made anew. A folder that others may write to is not used.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import stat
import sys
import tempfile
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

from routh.disk import written
from routh.errors import DerivationError, WriteError
from routh.kernels.native.compiler import COMMANDS, Compiler, compiler

MOST = 400
"""Libraries that are kept; those that were used longest ago go first."""

_loaded: dict[str, Any] = {}
_lock = threading.Lock()


def library(source: str) -> Any:
    """The library made of a C source, compiled unless it is there already.

    Raises:
        DerivationError: there is no compiler, or it fails.
    """
    found = compiler()
    if found is None:
        raise DerivationError(
            f'engine="c" needs a compiler of C: one of {", ".join(COMMANDS)} on the path, or the extra'
            ' `compiler` (pip install "routh[compiler]"). Install one, or give engine="casadi": the'
            " results are the same."
        )
    key = _key(source, found)
    with _lock:
        if key not in _loaded:
            _loaded[key] = _opened(key, source, found)
        return _loaded[key]


def folder() -> Path:
    """Where compiled libraries stand: private, in the user's folder of caches."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or str(Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = str(Path.home() / "Library" / "Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "routh" / "native"


def _key(source: str, made_by: Compiler) -> str:
    return hashlib.sha256(f"{made_by.identity}\0{source}".encode()).hexdigest()[:32]


def _opened(key: str, source: str, made_by: Compiler) -> Any:
    """A library from the shelf, or a new one that is put there if that is allowed."""
    place = _private(folder())
    if place is not None:
        for path in sorted(place.glob(f"{key}-*.so")):
            if _is_whole(path):
                with suppress(OSError):
                    os.utime(path)
                with suppress(OSError):
                    return ctypes.CDLL(str(path))
            with suppress(OSError):
                path.unlink()
    made = made_by.make(source)
    if place is not None:
        with suppress(OSError, WriteError):
            path = place / f"{key}-{hashlib.sha256(made).hexdigest()}.so"
            with written(path) as beside:
                beside.write_bytes(made)
            _clear(place)
            return ctypes.CDLL(str(path))
    with tempfile.TemporaryDirectory(prefix="routh-", ignore_cleanup_errors=True) as beside_it:
        path = Path(beside_it, "routh.so")
        path.write_bytes(made)
        return ctypes.CDLL(str(path))


def _is_whole(path: Path) -> bool:
    """Whether a file is what its name says."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest() == path.stem.partition("-")[2]
    except OSError:
        return False


def _private(place: Path) -> Path | None:
    """The folder, made if need be, if it is ours alone to write to."""
    try:
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = place.stat()
    except OSError:
        return None
    if sys.platform != "win32":
        others = stat.S_IWGRP | stat.S_IWOTH
        if found.st_uid != os.getuid() or found.st_mode & others:
            return None
    return place if os.access(place, os.W_OK | os.X_OK) else None


def _clear(place: Path) -> None:
    """Take away what was used longest ago, where there are too many."""
    kept = sorted(place.glob("*.so"), key=lambda path: path.stat().st_mtime, reverse=True)
    for path in kept[MOST:]:
        with suppress(OSError):
            path.unlink()
