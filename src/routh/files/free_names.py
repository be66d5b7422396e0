"""Names of other programs as names of symbols: one word each, no two alike."""

from __future__ import annotations

import re
from collections.abc import Iterable

from routh.errors import DeclarationError
from routh.files.tokens import plain
from routh.language.symbols import checked_name

LONGEST_NAME = 200
"""Characters of a name."""

_OTHER = re.compile(r"\W+")


class FreeNames:
    """Hands out names that no other symbol has.

    >>> names = FreeNames()
    >>> names.taken("left-wheel"), names.taken("left wheel"), names.taken("2nd"), names.taken("t")
    ('left_wheel', 'left_wheel_2', 'n2nd', 't_0')
    """

    def __init__(self, reserved: str = "") -> None:
        self._given: set[str] = set()
        self._reserved = re.compile(reserved) if reserved else None

    def taken(self, name: str) -> str:
        """A name for what is called so elsewhere; the same one is not given again."""
        return self.prefix(name, [""])

    def prefix(self, name: str, endings: Iterable[str]) -> str:
        """What to put before all these endings, so that each makes a name that is free."""
        if len(name) > LONGEST_NAME:
            raise DeclarationError(
                f"A name has {LONGEST_NAME} characters at most. Got {name[:20]!r} ... of {len(name)}."
            )
        every, stem, count = list(endings), _word(name), 1
        made = stem
        while not all(self._is_free(made + each) for each in every):
            count += 1
            made = f"{stem}_{count}"
        self._given |= {made + each for each in every}
        return made

    def _is_free(self, name: str) -> bool:
        return name not in self._given and not (self._reserved and self._reserved.fullmatch(name))


def _word(name: str) -> str:
    """One word of letters, digits and underscores, which formulas have no other meaning for."""
    word = _OTHER.sub("_", plain(name)).strip("_")
    if not word.isidentifier():
        word = f"n{word}" if word else "unnamed"
    try:
        return checked_name(word, "a symbol")
    except DeclarationError:
        return f"{word}_0"
