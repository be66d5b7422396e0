"""Functions that are made once and kept while they are used: pictures read the same ones often."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Made = TypeVar("Made")


class Kept(Generic[Made]):
    """The last functions that were asked for, by what they are of."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._made: dict[Hashable, Made] = {}

    def __call__(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """What was made for a key, or is made now; what was used longest ago is let go."""
        found = self._made.pop(key) if key in self._made else make()
        self._made[key] = found
        if len(self._made) > self._most:
            del self._made[next(iter(self._made))]
        return found
