"""What a page executes: its cells, read from the text without building anything.

The builder and the tests read pages by this one function, so that what is tested is what is shown.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

EXECUTED = ("run", "check", "model", "terminal")
"""Directives with something to execute."""

_FENCE = re.compile(r"^(?P<indent> *)(?P<mark>`{3,}|~{3,}|:{3,})(?P<info>.*)$")
_DIRECTIVE = re.compile(r"^\{(?P<name>[\w:-]+)\}\s*(?P<argument>.*?)\s*$")
_OPTION = re.compile(r"^:(?P<key>[\w-]+):\s*(?P<value>.*?)\s*$")


@dataclass(frozen=True)
class Cell:
    """One executed directive: its name, argument, options and code, and the line where the code is."""

    kind: str
    argument: str
    code: str
    line: int
    options: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Page:
    """A page: its path, its cells in order, whether it takes long, and whether the builder made it."""

    path: Path
    cells: tuple[Cell, ...]
    slow: bool
    made: bool = False


def read_page(path: Path) -> Page:
    """The cells of a page in their order; `slow: true` at its head says that it takes long."""
    text = path.read_text("utf-8")
    head = re.match(r"---\n(.*?)\n---\n", text, re.DOTALL)
    said = set(re.findall(r"^(\w+):\s*true\s*$", head[1], re.MULTILINE)) if head else set()
    cells = tuple(_cells(text.splitlines()))
    return Page(path, cells, slow="slow" in said, made="made" in said)


def every_page(root: Path) -> list[Page]:
    """All pages below a folder that execute something, in order of their paths.

    Those that the builder made itself (`made: true` at their head) are left out.
    """
    found = (path for path in sorted(root.rglob("*.md")) if not _apart(path.relative_to(root)))
    return [page for page in map(read_page, found) if page.cells and not page.made]


def _apart(path: Path) -> bool:
    return any(part.startswith(("_", ".")) for part in path.parts)


def _cells(lines: list[str]) -> list[Cell]:
    """A literal block is passed over; what contains text (exercises, notes) is looked into."""
    found: list[Cell] = []
    k = 0
    while k < len(lines):
        opened = _FENCE.match(lines[k])
        k += 1
        if opened is None:
            continue
        directive = _DIRECTIVE.match(opened["info"])
        if opened["mark"][0] == ":" or (directive and _has_text(directive["name"])):
            continue
        closed = _closed(lines, k, opened["mark"])
        if directive and directive["name"] in EXECUTED:
            found.append(_cell(directive, lines[k:closed], k + 1, len(opened["indent"])))
        k = closed + 1
    return found


def _has_text(name: str) -> bool:
    return name in {"exercise", "solution", "note", "tip", "warning", "admonition", "dropdown"}


def _closed(lines: list[str], start: int, mark: str) -> int:
    """The line that closes a fence: the same mark, at least as long, and nothing else."""
    shut = re.compile(rf"^ *{re.escape(mark[0])}{{{len(mark)},}} *$")
    return next((k for k in range(start, len(lines)) if shut.match(lines[k])), len(lines))


def _cell(directive: re.Match[str], lines: list[str], first: int, indent: int) -> Cell:
    body = [line[indent:] if not line[:indent].strip() else line for line in lines]
    options: dict[str, str] = {}
    while body and (option := _OPTION.match(body[0])):
        options[option["key"]] = option["value"]
        body, first = body[1:], first + 1
    while body and not body[0].strip():
        body, first = body[1:], first + 1
    code = "\n".join(body).rstrip()
    return Cell(directive["name"], directive["argument"], code, first, options)
