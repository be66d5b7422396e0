"""Files are written beside and renamed: whatever happens on the way, the old file stays whole.

So a full disk, a kill or a missing permission leave it as it was. Devices, pipes and /dev/stdout are
written as they are; a kill can leave a `.routh-...` beside.
"""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from routh.errors import DeclarationError, WriteError

LINKS = 40
"""Links that are followed to a file, as the system does."""


def is_stream(path: str | Path) -> bool:
    """Whether a path is no file to be replaced, but a device, a pipe or what a process has open."""
    place = _place(Path(path))
    return place.exists() and (_is_open(place) or not (place.is_file() or place.is_dir()))


def refuse_unwritable(path: str | Path) -> None:
    """Say before long work that a file could not be written afterwards.

    Raises:
        DeclarationError: there is no such folder, or the path is one.
        WriteError: the folder or the file may not be written.
    """
    try:
        place = _place(Path(path))
    except OSError as error:  # a name that is too long
        raise WriteError(f"{str(path)!r} cannot be written: {error.strerror}.") from error
    if not place.parent.is_dir():
        folder = place.parent if Path(path).is_symlink() else Path(path).parent
        raise DeclarationError(
            f"There is no folder {str(folder)!r} to write {place.name!r} into. Make it, or choose"
            " another."
        )
    if place.is_dir():
        raise DeclarationError(f"{str(path)!r} is a folder. Give the name of a file in it.")
    if is_stream(path):
        return
    if place.exists() and not os.access(place, os.W_OK):
        raise WriteError(f"{str(path)!r} may not be written. Allow it, or choose another file.")
    if not os.access(place.parent, os.W_OK | os.X_OK):
        raise WriteError(
            f"Nothing may be written into the folder {str(place.parent)!r}. Allow it, or choose"
            " another."
        )


def write_text(path: str | Path, text: str) -> Path:
    """Write a text as UTF-8, whole or not at all, and give the path."""
    with written(path) as beside, beside.open("w", encoding="utf-8") as file:
        file.write(text)
    return Path(path)


@contextmanager
def written(path: str | Path) -> Iterator[Path]:
    """A new file beside the one that is to be written, which takes its place when all went well.

    Links are followed, permissions are kept, and the disk has it all before the old file goes. What
    is killed midway leaves a file `.routh-...` beside. Streams are written as they are.

    Raises:
        DeclarationError, WriteError: it cannot be written; the old file is as it was.
    """
    refuse_unwritable(path)
    with _told(path):
        if is_stream(path):
            yield Path(path)
            return
        place = _place(Path(path))
        beside = _made(place)
        try:
            yield beside
            _settle(beside)
            beside.replace(place)
        except BaseException:
            with suppress(OSError):
                beside.unlink(missing_ok=True)
            raise
        with suppress(OSError):  # some systems know no such thing for folders
            _settle(place.parent)


@contextmanager
def _told(path: str | Path) -> Iterator[None]:
    """What the system refuses, as a sentence."""
    try:
        yield
    except (WriteError, BrokenPipeError):
        raise
    except UnicodeEncodeError:
        raise WriteError(
            f"{str(path)!r} was not written: a text has halves of characters, which UTF-8 has not. What"
            " was there before is as it was."
        ) from None
    except OSError as error:
        kept = "" if is_stream(path) else " What was there before is as it was."
        reason = error.strerror or str(error)
        raise WriteError(f"{str(path)!r} was not written: {reason}.{kept}") from error


def _place(path: Path) -> Path:
    """The file that a path leads to, link by link; not beyond what names an open file."""
    place = path.absolute()
    for _ in range(LINKS):
        if _is_open(place) or not place.is_symlink():
            return place
        place = place.parent / place.readlink()
    raise DeclarationError(f"{str(path)!r} is a link that leads to itself. Remove it.")


def _is_open(place: Path) -> bool:
    """Whether a path names what a process has open, like /dev/stdout: it is no place for a file."""
    folder = str(place.parent)
    return folder in {"/dev", "/dev/fd"} or folder.startswith("/proc/")


def _made(place: Path) -> Path:
    """A new empty file in the same folder, of the same kind, with the permissions of the old one."""
    beside = place.parent / f".routh-{secrets.token_hex(6)}{place.suffix}"
    os.close(os.open(beside, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))  # less the umask
    with suppress(FileNotFoundError):
        old = place.stat()
        with suppress(OSError, AttributeError):  # only some may give files away
            os.chown(beside, old.st_uid, old.st_gid)
        beside.chmod(stat.S_IMODE(old.st_mode))
    return beside


def _settle(path: Path) -> None:
    """Wait until the disk has it."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
