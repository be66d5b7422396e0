"""Public names as Markdown: signatures as they are written, docstrings, members and examples."""

from __future__ import annotations

import enum
import inspect
import re
import textwrap
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cache, cached_property
from importlib import import_module
from typing import Any

HEADS = ("Arguments", "Attributes", "Returns", "Raises", "Example")
MODULES = {"t", "pi", "__version__", "energies", "models", "results"}
"""Public names that have a page or a line and no entry."""
_HEAD = re.compile(rf"^({'|'.join(HEADS)}):$", re.MULTILINE)


def found(path: str) -> Any:
    """What a dotted path leads to, like `routh.models.kite.wind`."""
    module, *rest = path.split(".")
    value = import_module(module)
    for k, name in enumerate(rest):
        try:
            value = getattr(value, name)
        except AttributeError:
            value = import_module(".".join([module, *rest[: k + 1]]))
    return value


@cache
def places() -> dict[str, str]:
    """Where each class and function that signatures and sentences name is described."""
    import routh  # noqa: PLC0415  # loads nothing by itself

    own = {name: f"routh.{name}" for name in routh.__all__ if name not in MODULES}
    nouns = {name: f"routh.results.{name}" for name in routh.results.__all__}
    return nouns | own


def described(path: str) -> str:
    """One public name as Markdown."""
    value = found(path)
    if isinstance(value, enum.EnumType):
        return _block("py:class", path, _words(value))
    if isinstance(value, type):
        signatures = _class_signature(path, value)
        return _block("py:class", signatures, "\n\n".join([prose(value), *_members(path, value)]))
    if not callable(value):
        return _block("py:data", path, prose(value))
    return _block("py:function", f"{path}{signature(value)}", prose(value))


def _block(kind: str, signatures: str, inside: str) -> str:
    """A directive; a fence of as many marks as what is inside allows."""
    longest = max((len(each) for each in re.findall(r"^:{3,}", inside, re.MULTILINE)), default=3)
    fence = ":" * (longest + 1)
    return f"{fence}{{{kind}}} {signatures}\n\n{inside}\n{fence}"


def signature(value: Any, *, skip: int = 0) -> str:
    """The signature with annotations as they are written, and links in them."""
    given = inspect.signature(value)
    kept = list(given.parameters.values())[skip:]
    given = given.replace(
        parameters=[each.replace(annotation=_annotation(each.annotation)) for each in kept],
        return_annotation=_annotation(given.return_annotation),
    )
    return str(given)


class _Plain:
    """An annotation that is written without quotes."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


def _annotation(given: Any) -> Any:
    if given is inspect.Parameter.empty:
        return given
    text = given if isinstance(given, str) else getattr(given, "__name__", str(given))
    text = re.sub(r"Annotated\[(.+?), \"[^\"]*\"\]", r"\1", text)
    return _Plain(re.sub(r"(?<![\w.])([A-Z]\w+)\b", lambda name: places().get(name[1], name[1]), text))


def _class_signature(path: str, value: type) -> str:
    """With arguments where people make it themselves."""
    made = path in {"routh.System", "routh.Elements"} or path.startswith("routh.models")
    return path + re.sub(r" -> None$", "", signature(value)) if made else path


def _members(path: str, value: type) -> Iterator[str]:
    """Fields that the docstring leaves out, then properties and methods, in the order of the source."""
    told = inspect.getdoc(value) or ""
    if is_dataclass(value):
        rest = [f for f in fields(value) if f.name[0] != "_" and not _told(f.name, told)]
        if rest:
            names = ", ".join(f"`{f.name}`" for f in rest)
            yield f"Fields: {names}."
    for name, member in vars(value).items():
        if name.startswith("_") or not _documented(member):
            continue
        if isinstance(member, (property, cached_property)):
            yield _block("py:property", f"{path}.{name}", prose(member))
        elif callable(member) or isinstance(member, (classmethod, staticmethod)):
            function = getattr(member, "__func__", member)
            own = signature(function, skip=not isinstance(member, staticmethod))
            yield _block("py:method", f"{path}.{name}{own}", prose(member))


def _told(name: str, text: str) -> bool:
    return bool(re.search(rf"^\s*(?:\w+, )*{re.escape(name)}(?:, \w+)*:", text, re.MULTILINE))


def _documented(member: Any) -> bool:
    inside = getattr(member, "__func__", member)
    known = isinstance(member, (property, cached_property, classmethod, staticmethod))
    return bool(getattr(inside, "__doc__", None)) and (known or inspect.isfunction(member))


def _words(value: enum.EnumType) -> str:
    rows = [f"`{each.name}`\n: {text(str(each.value))}" for each in value]
    return "\n\n".join([prose(value), *rows])


def prose(value: Any) -> str:
    """A docstring as Markdown: paragraphs, then each of its sections."""
    parts = _HEAD.split(inspect.getdoc(value) or "")
    written = [paragraphs(parts[0])]
    for head, inside in zip(parts[1::2], parts[2::2], strict=True):
        body, below = _indented(inside.strip("\n"))
        own = _example(body) if head == "Example" else _section(head, body)
        written += [own, paragraphs(below)]
    return "\n\n".join(each for each in written if each)


def _indented(inside: str) -> tuple[str, str]:
    """The indented lines of a section, and the paragraphs after it."""
    lines = inside.splitlines()
    end = next((k for k, x in enumerate(lines) if x.strip() and not x.startswith(" ")), len(lines))
    return textwrap.dedent("\n".join(lines[:end])).strip("\n"), "\n".join(lines[end:])


def _section(head: str, body: str) -> str:
    """Names with what they are; a section without names is a paragraph."""
    rows = _entries(body)
    if not rows:
        return f"**{head}:** {paragraphs(body)}"
    named = places() if head == "Raises" else {}
    return f"**{head}**\n\n" + "\n\n".join(
        f"{_linked(name, named)}\n: {text(said)}" for name, said in rows
    )


def _linked(name: str, named: dict[str, str]) -> str:
    return f"{{py:class}}`~{named[name]}`" if name in named else f"`{name}`"


def _entries(body: str) -> list[tuple[str, str]]:
    rows: list[tuple[str, str]] = []
    for line in body.splitlines():
        begun = re.match(r"^([\w*.]+(?:, [\w*.]+)*): (.*)$", line)
        if begun:
            rows.append((begun[1], begun[2]))
        elif rows:
            rows[-1] = (rows[-1][0], f"{rows[-1][1]} {line.strip()}")
        else:
            return []
    return rows


def _example(body: str) -> str:
    return f"```pycon\n{body}\n```"


def paragraphs(given: str) -> str:
    """Paragraphs, tables and indented lines of a docstring."""
    blocks = re.split(r"\n\s*\n", given.strip("\n"))
    return "\n\n".join(_paragraph(each) for each in blocks if each.strip())


def _paragraph(block: str) -> str:
    if block.startswith("|"):
        return "\n".join(_row(line) for line in block.splitlines())
    if all(line.startswith("    ") for line in block.splitlines()):
        return f"```text\n{textwrap.dedent(block)}\n```"
    return text(" ".join(line.strip() for line in block.splitlines()))


def _row(line: str) -> str:
    if re.fullmatch(r"[|\s:-]+", line):
        return line
    return "| " + " | ".join(text(cell) for cell in line.strip("| ").split(" | ")) + " |"


def text(given: str) -> str:
    """A sentence: names in backticks are code, or links where they are described; the rest is plain."""
    pieces = given.split("`")
    return "".join(_name(x) if k % 2 else _plain(x) for k, x in enumerate(pieces))


def _name(name: str) -> str:
    where = places().get(name)
    if where is None:
        ticks = "``" if "`" in name else "`"
        return f"{ticks}{name}{ticks}" if name else ""
    return f"{{py:obj}}`{name} <{where}>`"


def _plain(given: str) -> str:
    return re.sub(r"([\\*_<>\[\]{}$#|~^])", r"\\\1", given)
