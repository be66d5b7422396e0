"""Where each value of a TOML document stands, so that messages can point at it.

`tomllib` reads the values and forgets the places; this reads the places and leaves the values alone.
It follows documents that `tomllib` has accepted, so it checks nothing.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cached_property

from routh.errors import DeclarationError, Span
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
    def _reader(self) -> _Reader:
        return read(self._text)

    @cached_property
    def _places(self) -> dict[Steps, Place]:
        return self._reader.places

    def place(self, path: Steps) -> Place | None:
        """Where a value stands; of the table around it where it has no place of its own.

        A list of tables stands where its first one does.
        """
        return self._places.get(self._known(path))

    def _known(self, path: Steps) -> Steps:
        """The path of what has a place: of the value, or of the table around it."""
        while path and path not in self._places and (*path, 0) not in self._places:
            path = path[:-1]
        return path if path in self._places else (*path, 0)

    def at(self, path: Steps) -> str:
        """The beginning of a sentence about a value."""
        place = self.place(path)
        return f"{self._title}, line {place[0]}" if place else self._title

    def refusal(self, path: Steps, sentence: str, *, key: bool = False) -> DeclarationError:
        """The error about a value, or about the key before it, which knows its place in the file."""
        told = DeclarationError(sentence)
        known = self._known(path)
        if place := self._places.get(known):
            by_key = self._reader.keys.get(known) if key else None
            line, column = by_key or place
            length = len(str(known[-1])) if by_key else self._reader.lengths[known]
            told.span = Span(line, column, length, shown(path))
        return told

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
                self._told = self.refusal(path, f"{self.at(path)}, `{shown(path)}`: {error}")
            raise self._told from None


def places(text: str) -> dict[Steps, Place]:
    """The place of each value; of texts, the place of their first character behind the quotes."""
    return read(text).places


def read(text: str) -> _Reader:
    """The places of values and keys in a document."""
    reader = _Reader(text)
    reader.document()
    return reader


class _Reader:
    """`found` has where values begin and end, `named` where their keys begin, as characters from 0."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.found: dict[Steps, tuple[int, int]] = {}
        self.named: dict[Steps, int] = {}
        self._counts: dict[Steps, int] = {}

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *(found.end() for found in re.finditer("\n", self.text))]

    def _place(self, at: int) -> Place:
        line = bisect_right(self._starts, at) - 1
        return line + 1, at - self._starts[line] + 1

    @cached_property
    def places(self) -> dict[Steps, Place]:
        """Where values begin."""
        return {path: self._place(begin) for path, (begin, _) in self.found.items()}

    @cached_property
    def keys(self) -> dict[Steps, Place]:
        """Where the keys before them begin."""
        return {path: self._place(begin) for path, begin in self.named.items()}

    @cached_property
    def lengths(self) -> dict[Steps, int]:
        """How many characters values have, up to the end of their first line; one at least."""
        return {path: max(1, len(self.text[begin:end].partition("\n")[0].rstrip()))
                for path, (begin, end) in self.found.items()}  # fmt: skip

    def document(self) -> None:
        table: Steps = ()
        while self._skip() < len(self.text):
            start = self.at
            if self.text.startswith("[", self.at):
                table = self._header()
                self.found.setdefault(table, (start, self.at))
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
        self.named[path] = start
        self.at = max(self.text.find("=", self.at) + 1, start + 1)
        while self.text.startswith((" ", "\t"), self.at):
            self.at += 1
        self._value(path)

    def _value(self, path: Steps) -> None:
        start = self.at
        self.found[path] = (start, start)  # before what it contains
        if string := _STRING.match(self.text, self.at):
            self.at = string.end()
            self.found[path] = string.span(string.lastindex or 0)
            return
        if self.text.startswith("[", self.at):
            self._listed(path)
        elif self.text.startswith("{", self.at):
            self._inline(path)
        else:
            match = _PLAIN.match(self.text, self.at)
            self.at = match.end() if match else self.at + 1
        self.found[path] = (start, self.at)

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
