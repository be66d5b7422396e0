"""XML as a tree of elements with the lines they stand in, and nothing that XML can do besides.

Document types and entities are refused, so that nothing is fetched and nothing grows when it is read;
elements are counted, and so is how deep they stand in each other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from xml.parsers import expat

from routh.errors import DeclarationError

MOST_ELEMENTS = 100_000
"""Elements of a file."""

DEEPEST = 100
"""Elements within each other."""


@dataclass(frozen=True)
class Element:
    """An element with its attributes, the elements in it, and the line in which it begins."""

    tag: str
    attributes: dict[str, str]
    line: int
    children: list[Element] = field(default_factory=list)

    def every(self, tag: str) -> list[Element]:
        """Its children with a tag."""
        return [each for each in self.children if each.tag == tag]

    def walk(self) -> Iterator[Element]:
        """The element, and all that are in it."""
        yield self
        for each in self.children:
            yield from each.walk()

    def first(self, tag: str) -> Element | None:
        """Its first child with a tag, if there is one."""
        return next(iter(self.every(tag)), None)


def read_xml(text: str, named: str) -> Element:
    """The outermost element of a text; `named` is how messages call the file.

    Raises:
        DeclarationError: it is no XML, or contains what is refused.
    """
    reader = _Reader(named)
    parser = expat.ParserCreate()
    parser.StartElementHandler = lambda tag, given: reader.begin(tag, given, parser.CurrentLineNumber)
    parser.EndElementHandler = reader.end
    parser.StartDoctypeDeclHandler = reader.refuse
    parser.EntityDeclHandler = reader.refuse
    parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
    try:
        parser.Parse(text.removeprefix("\ufeff"), True)
    except expat.ExpatError as error:
        raise DeclarationError(
            f"{named}, line {error.lineno}, is no XML: {expat.ErrorString(error.code)}. Mend it there."
        ) from None
    return reader.outermost()


class _Reader:
    """Puts elements into each other as they come."""

    def __init__(self, named: str) -> None:
        self._named = named
        self._top: list[Element] = []
        self._open: list[Element] = []
        self._count = 0

    def begin(self, tag: str, attributes: dict[str, str], line: int) -> None:
        made = Element(tag, attributes, line)
        self._count += 1
        if self._count > MOST_ELEMENTS or len(self._open) >= DEEPEST:
            raise DeclarationError(
                f"{self._named}, line {line}: a file has {MOST_ELEMENTS} elements at most, within each"
                f" other at most {DEEPEST}. Divide it."
            )
        (self._open[-1].children if self._open else self._top).append(made)
        self._open.append(made)

    def end(self, _tag: str) -> None:
        self._open.pop()

    def refuse(self, *_given: Any) -> None:
        raise DeclarationError(
            f"{self._named} has a document type or entities (`<!DOCTYPE`, `<!ENTITY`), which are not"
            " read: they can reach other files. Remove them, and write out what they stand for."
        )

    def outermost(self) -> Element:
        return self._top[0]
