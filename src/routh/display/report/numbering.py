"""Numbers of equations: 1, 2, 3 in sight, A1, A2 for those of the first fold that has some."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class Numbers:
    """Counts equations; what is folded has a letter of its own, so that nobody misses a number."""

    def __init__(self) -> None:
        self._open = 0
        self._folds = 0
        self._inside: int | None = None

    def __call__(self) -> str:
        """The next number."""
        if self._inside is None:
            self._open += 1
            return str(self._open)
        self._folds += not self._inside
        self._inside += 1
        return f"{letters(self._folds)}{self._inside}"

    @contextmanager
    def folded(self) -> Iterator[None]:
        """Number apart what is within a fold; one within another goes on with its letter."""
        outermost = self._inside is None
        if outermost:
            self._inside = 0
        try:
            yield
        finally:
            if outermost:
                self._inside = None


def letters(count: int) -> str:
    """A, B, ... Z, AA, AB, ... for 1, 2, ..."""
    word = ""
    while count:
        count, place = divmod(count - 1, 26)
        word = chr(ord("A") + place) + word
    return word
