"""The folder whose models are opened and saved: no path leads out of it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from routh.disk import write_text
from routh.errors import DeclarationError, RouthError

LARGEST = 1_000_000
"""Characters of a model."""

ENDINGS = (".toml", ".urdf")
"""What models are called."""

MOST_FILES = 1000
"""Files in a list of them."""

MOST_LOOKED_AT = 20_000
"""Entries of folders that are looked at for it."""

DEVICES = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)
"""Names that Windows takes for devices, whatever follows the first point."""

DEEPEST = 8
"""Folders within each other."""


@dataclass(frozen=True)
class Folder:
    """A folder of models, by its real path."""

    root: Path

    @classmethod
    def at(cls, path: Path) -> Folder:
        """The folder of this path, links resolved."""
        return cls(path.resolve())

    def files(self) -> dict[str, Any]:
        """The models below it, by relative paths."""
        found = []
        for path in self._walked():
            found.append(path.relative_to(self.root).as_posix())
            if len(found) == MOST_FILES:
                break
        return {"files": sorted(found)}

    def open(self, about: dict[str, Any]) -> dict[str, Any]:
        """The text of a model."""
        path = self._inside(about.get("path"))
        if not path.is_file():
            raise DeclarationError(f"There is no model {about['path']!r} in {str(self.root)!r}.")
        return {"path": path.relative_to(self.root).as_posix(), "text": read_model(path)}

    def save(self, about: dict[str, Any]) -> dict[str, Any]:
        """Write a model; one that is there already only where `over` says so."""
        path, text = self._inside(about.get("path")), about.get("text")
        if not isinstance(text, str) or len(text) > LARGEST or _broken(text):
            raise DeclarationError(f"A model is a text of {LARGEST} characters at most.")
        if path.exists() and not path.is_file():
            raise DeclarationError(f"{about['path']!r} is no file. Choose another name.")
        if path.exists() and about.get("over") is not True:
            raise DeclarationError(
                f"{about['path']!r} is there already. Choose another name, or write over it."
            )
        write_text(path, text)
        return {"path": path.relative_to(self.root).as_posix()}

    def _inside(self, given: Any) -> Path:
        """The real path of a model below the folder; anything else is refused."""
        if not isinstance(given, str) or not 0 < len(given) <= 1000:
            raise DeclarationError("The path of a model is a text like models/swing.toml.")
        parts = given.split("/")
        odd = not given.isprintable() or set(given) & set('\\:*?"<>|')  # drives and streams of Windows
        if odd or not all(_is_plain(part) for part in parts):
            raise DeclarationError(
                "The path of a model leads downwards from the folder of the studio, by plain names"
                f" like models/swing.toml. Got {given!r}."
            )
        path = (self.root / PurePosixPath(*parts)).resolve()
        return self._allowed(path, given)

    def _allowed(self, path: Path, given: str) -> Path:
        """The path, where it is that of a model below the folder after all links."""
        if not self._is_inside(path):
            raise DeclarationError(
                f"{given!r} leads out of the folder of the studio, {str(self.root)!r}. Only what is"
                " below it is opened and saved."
            )
        if path.suffix.lower() not in ENDINGS:
            raise DeclarationError(f"Models are called *.toml or *.urdf. Got {given!r}.")
        return path

    def _walked(self) -> Iterator[Path]:
        looked = 0
        for top, folders, names in os.walk(self.root):
            here = Path(top)
            deep = len(here.relative_to(self.root).parts)
            folders[:] = sorted(f for f in folders if not f.startswith(".") and deep < DEEPEST)
            looked += len(names) + len(folders)
            if looked > MOST_LOOKED_AT:
                return
            for name in sorted(names):
                path = here / name
                if name.startswith(".") or path.suffix.lower() not in ENDINGS:
                    continue
                if self._is_inside(path.resolve()) and path.is_file():
                    yield path

    def _is_inside(self, path: Path) -> bool:
        """Whether a real path is below the folder, and no part of it hidden."""
        below = path.is_relative_to(self.root)
        return below and not any(part.startswith(".") for part in path.relative_to(self.root).parts)


def _is_plain(part: str) -> bool:
    """Whether a part of a path is a name that means the same everywhere, and is not hidden."""
    bare = part == part.strip() and part != "" and part[0] != "." and part[-1] != "."
    return bare and not DEVICES.fullmatch(part)


def _broken(text: str) -> bool:
    """Whether a text holds half a character, which no file can."""
    return any("\ud800" <= c <= "\udfff" for c in text)


def read_model(path: Path) -> str:
    """The text of a file, which is neither long nor something other than text."""
    try:
        if path.stat().st_size > 4 * LARGEST:  # bytes of a character in UTF-8, at most
            raise DeclarationError(f"A model has {LARGEST} characters at most; {path.name!r} has more.")
        text = path.read_bytes().decode("utf-8")
    except UnicodeDecodeError:
        raise DeclarationError(f"{path.name!r} is no text in UTF-8.") from None
    except OSError as error:
        raise RouthError(f"{path.name!r} cannot be read: {error.strerror or error}.") from None
    if len(text) > LARGEST:
        raise DeclarationError(f"A model has {LARGEST} characters at most; {path.name!r} has more.")
    return text.replace("\r\n", "\n")
