"""What writers give, and how it comes to the disk: nothing of it where a file is there already."""

from __future__ import annotations

import re
from collections.abc import Callable, Container
from pathlib import Path

from routh.disk import refuse_unwritable, write_text, written
from routh.errors import DeclarationError, quoted

Files = dict[Path, str | Callable[[Path], None]]
"""The files of an export: a text, or what writes to a path."""


def stem_of(path: Path, language: str, reserved: Container[str] = ()) -> str:
    """The name of a file without its suffix, which names what is in it.

    Raises:
        DeclarationError: it cannot be a name in the language.
    """
    stem = path.stem
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", stem) or stem in reserved:
        meaning = "means something else there" if stem in reserved else "is none"
        made = re.sub(r"\W+", "_", stem, flags=re.ASCII).strip("_")
        if stem in reserved:
            made = f"{made}_model"
        elif not made[:1].isalpha():
            made = f"model_{made}".rstrip("_")
        raise DeclarationError(
            f"{language} calls what is in a file by the file's name, a word of letters, digits and"
            f" underscores, and {path.name!r} {meaning}. Choose another, like {made + path.suffix!r}."
        )
    return stem


def refuse_present(files: Files, overwrite: bool, how: str) -> None:
    """Say before anything is written that a file is there already, or that none can be written."""
    for path in files:
        refuse_unwritable(path)
    present = [path.name for path in files if path.exists()]
    if present and not overwrite:
        is_there = "is" if len(present) == 1 else "are"
        raise DeclarationError(
            f"{quoted(present)} {is_there} there already. Choose another name, or say {how}."
        )


def put_out(files: Files) -> tuple[Path, ...]:
    """Write all files, and give their paths, the one that was asked for first."""
    for path, content in files.items():
        if isinstance(content, str):
            write_text(path, content)
        else:
            with written(path) as beside:
                content(beside)
    return tuple(files)
