"""Which declaration a symbol comes from: a number that counts on, and the process that counted.

Two symbols of one name are told apart by both, so that one that was sent to another process (by pickle)
and back is itself, and never taken for one that was declared there. Whoever receives a symbol counts on
from beyond its number: what is made later of it has a larger one, which is an order of evaluation.
"""

from __future__ import annotations

import os
import secrets
from itertools import count
from threading import Lock

_lock = Lock()
_count = count()
_origin = secrets.token_hex(8)
_seen = -1


def new_serial() -> int:
    """The next number, larger than that of every symbol here."""
    return next(_count)


def here() -> str:
    """The process that symbols are declared in, as a word that no other has."""
    return _origin


def arrived(serial: int) -> None:
    """Count on from beyond the number of a symbol that was sent here."""
    global _count, _seen  # noqa: PLW0603  # one count for the process
    with _lock:
        if serial > _seen:
            _count = count(max(next(_count), serial + 1))
            _seen = serial


def _forked() -> None:
    """A child of a fork counts under a name of its own: its parent goes on with the same numbers."""
    global _origin  # noqa: PLW0603
    _origin = secrets.token_hex(8)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)
