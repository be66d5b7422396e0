"""Where each value of a TOML document stands, so that messages can point at it.

`tomllib` reads the values and forgets the places; this reads the places and leaves the values alone.
It follows documents that `tomllib` has accepted, so it checks nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cached_property

from routh.errors import DeclarationError
from routh.files.tokens import TextError

Steps = tuple[str | int, ...]
"""Keys and positions in lists that lead to a value."""

Place = tuple[int, int]
"""Line and column, counted from 1."""

_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_KEY = re.compile(r"""[ \t]*(?:"((?:[^"\\\n]|\\.)*)"|'([^'\n]*)'|([A-Za-z0-9_-]+))[ \t]*""")
_STRING = re.compile(
    r"\"\"\"(?:\r?\n)?((?:[^\\]|\\.)*?\"{0,2})\"\"\"(?!\")|'''(?:\r?\n)?(.*?'{0,2})'''(?!')"
    r"|\"((?:[^\"\\\n]|\\.)*)\"|'([^'\n]*)'",
    re.DOTALL,
)
_PLAIN = re.compile(r"[^,\]}#\n]*")


def shown(path: Iterable[str | int]) -> str:
    """A path as it is written in messages; entries of lists are counted from 1."""
    return ".".join(str(step + 1) if isinstance(step, int) else step for step in path)


class Places:
    """The places of a file, looked up when something is to be said about one of them."""

    def __init__(self, title: str, text: str) -> None:
        self._title = title
        self._text = text
        self._told: Exception | None = None

    @cached_property
    def _places(self) -> dict[Steps, Place]:
        return places(self._text)

    def place(self, path: Steps) -> Place | None:
        """Where a value stands; of the table around it where it has no place of its own.

        A list of tables stands where its first one does.
        """
        while path and path not in self._places and (*path, 0) not in self._places:
            path = path[:-1]
        return self._places.get(path) or self._places.get((*path, 0))

    def at(self, path: Steps) -> str:
        """The beginning of a sentence about a value."""
        place = self.place(path)
        return f"{self._title}, line {place[0]}" if place else self._title

    @contextmanager
    def reading(self, *path: str | int) -> Iterator[None]:
        """Within it, refusals are told with the place in the file; the innermost place counts."""
        try:
            yield
        except DeclarationError as error:
            if error is self._told:
                raise
            place = self.place(path)
            if isinstance(error, TextError):
                self._told = error.moved(*place) if place else error
            else:
                self._told = DeclarationError(f"{self.at(path)}, `{shown(path)}`: {error}")
            raise self._told from None


def places(text: str) -> dict[Steps, Place]:
    """The place of each value; of texts, the place of their first character behind the quotes."""
    reader = _Reader(text)
    reader.document()
    starts = [0, *(found.end() for found in re.finditer("\n", text))]
    found: dict[Steps, Place] = {}
    line = 0
    for path, place in sorted(reader.found.items(), key=lambda each: each[1]):
        while line + 1 < len(starts) and starts[line + 1] <= place:
            line += 1
        found[path] = (line + 1, place - starts[line] + 1)
    return found


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.found: dict[Steps, int] = {}
        self._counts: dict[Steps, int] = {}

    def document(self) -> None:
        table: Steps = ()
        while self._skip() < len(self.text):
            start = self.at
            if self.text.startswith("[", self.at):
                table = self._header()
                self.found.setdefault(table, start)
            else:
                self._entry(table)

    def _skip(self) -> int:
        match = _BLANK.match(self.text, self.at)
        self.at = match.end() if match else self.at
        return self.at

    def _header(self) -> Steps:
        """The path of a table that a header names; lists of tables count theirs."""
        listed = self.text.startswith("[[", self.at)
        self.at += 1 + listed
        path: Steps = ()
        keys = self._keys()
        for k, key in enumerate(keys):
            path = (*path, key)
            if listed and k == len(keys) - 1:
                self._counts[path] = self._counts.get(path, -1) + 1
            if path in self._counts:
                path = (*path, self._counts[path])
        self.at = self.text.find("]", self.at) + 1 + listed
        return path

    def _keys(self) -> list[str]:
        keys: list[str] = []
        while match := _KEY.match(self.text, self.at):
            keys.append(next(part for part in match.groups() if part is not None))
            self.at = match.end()
            if not self.text.startswith(".", self.at):
                break
            self.at += 1
        return keys

    def _entry(self, table: Steps) -> None:
        start = self.at
        path = (*table, *self._keys())
        self.at = max(self.text.find("=", self.at) + 1, start + 1)
        while self.text.startswith((" ", "\t"), self.at):
            self.at += 1
        self._value(path)

    def _value(self, path: Steps) -> None:
        self.found[path] = self.at
        if string := _STRING.match(self.text, self.at):
            self.found[path] = string.start(string.lastindex or 0)
            self.at = string.end()
        elif self.text.startswith("[", self.at):
            self._listed(path)
        elif self.text.startswith("{", self.at):
            self._inline(path)
        else:
            match = _PLAIN.match(self.text, self.at)
            self.at = match.end() if match else self.at + 1

    def _listed(self, path: Steps) -> None:
        self.at += 1
        count = 0
        while self._skip() < len(self.text) and not self.text.startswith("]", self.at):
            self._value((*path, count))
            count += 1
            self._skip()
            self.at += self.text.startswith(",", self.at)
        self.at += 1

    def _inline(self, path: Steps) -> None:
        self.at += 1
        while self._skip() < len(self.text) and not self.text.startswith("}", self.at):
            self._entry(path)
            self._skip()
            self.at += self.text.startswith(",", self.at)
        self.at += 1
