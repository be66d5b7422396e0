"""The sentences that the library can say when it refuses, collected from its source, room by room."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import routh

from .docstrings import text

SOURCE = Path(routh.__file__).parent
GAP = "…"
"""Stands for what a sentence is told with: a name, a number."""

ERRORS = {
    "DeclarationError", "DerivationError", "SolveError", "NoEquilibrium", "WriteError", "MissingExtra",
    "wrong", "error",
}  # fmt: skip
"""What is raised with a sentence: classes, and functions that add a place to it."""

SHORTEST = 20
"""Letters of a sentence that can be looked for."""


def rooms() -> dict[str, list[tuple[str, str, str]]]:
    """The sentences of each room: what is said, the error, the module."""
    found: dict[str, list[tuple[str, str, str]]] = {}
    for path in sorted(SOURCE.rglob("*.py")):
        room = _room(path)
        for error, said in _raised(ast.parse(path.read_text("utf-8"))):
            row = (said, error, path.relative_to(SOURCE).as_posix())
            if row not in found.setdefault(room, []):
                found[room].append(row)
    return {room: rows for room, rows in found.items() if rows}


def _room(path: Path) -> str:
    parts = path.relative_to(SOURCE).parts[:-1]
    return "/".join(parts[:2] if parts[:1] == ("analysis",) else parts[:1]) or "routh"


def _raised(tree: ast.AST) -> Iterator[tuple[str, str]]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.Raise) or not isinstance(node.exc, ast.Call):
            continue
        name = ast.unparse(node.exc.func).rpartition(".")[2]
        said = [_words(each) for each in node.exc.args[:2]]
        longest = max(said, key=len, default="")
        if name in ERRORS and len(longest.replace(GAP, "")) >= SHORTEST:
            yield name if name[0].isupper() else "DeclarationError", " ".join(longest.split())


def _words(node: ast.expr) -> str:
    """A text of the source, with gaps where it is told with something."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(_words(each) for each in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return _words(node.left) + _words(node.right)
    return GAP


def page() -> str:
    """All of them, a heading for each room."""
    return "\n\n".join(_section(room, rows) for room, rows in rooms().items())


def _section(room: str, rows: list[tuple[str, str, str]]) -> str:
    doc = import_module("routh" if room == "routh" else f"routh.{room.replace('/', '.')}").__doc__ or ""
    head = f"## {room.replace('/', ': ')}\n\n{text(doc.strip().splitlines()[0])}\n"
    lines = [f"- {text(_even(said))} ({error}, {where})" for said, error, where in sorted(rows)]
    return "\n".join([head, *lines])


def _even(said: str) -> str:
    """A gap may hold a backtick; what is left has them in pairs."""
    return said if said.count("`") % 2 == 0 else said.replace("`", "")
