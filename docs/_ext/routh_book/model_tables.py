"""Tables of model files and functions of their expressions, as Markdown from what reads them."""

from __future__ import annotations

import ast
import re
from inspect import cleandoc
from typing import Any

from pydantic import BaseModel
from pydantic_core import PydanticUndefined

from routh.files import drawing_schema, schema
from routh.files.calls import CALLS, OTHER_NAMES, Call

from .docstrings import paragraphs, text

WORDS = {
    "Number": "number", "float": "number", "Whole": "whole number", "int": "whole number",
    "Truth": "true or false", "Text": "expression", "Bound": "number or expression",
    "Texts": "expression, or a list of them", "str": "text", "Latex": "LaTeX",
    "Range": "[low, high]", "Way": "list of vectors", "Parameter": "number, or a table",
}  # fmt: skip
"""How a type of the schema is called."""

SHAPES = {
    "s": "a scalar", "v": "a vector", "a": "a scalar or a vector",
    "r": "an angle, or the name of a rotation", "b": "the name of a body",
}  # fmt: skip
"""How the shape of an argument is called."""


def parts() -> dict[str, type[BaseModel]]:
    """The tables of the schema by the names of their classes."""
    modules = (schema, drawing_schema)
    own = {name: each for module in modules for name, each in vars(module).items()}
    return {
        name: each
        for name, each in own.items()
        if isinstance(each, type) and issubclass(each, BaseModel) and name != "Part"
    }


def table_of(name: str) -> str:
    """The entries of one table: name, what may stand there, default, what it means."""
    part = parts()[name]
    rows = [
        f"| `{field.alias or key}` | {_kind(part, key)} | {_default(field)}"
        f" | {text(field.description or '')} |"
        for key, field in part.model_fields.items()
    ]
    head = "| entry | what stands there | if not given | meaning |\n|---|---|---|---|"
    return "\n".join([paragraphs(cleandoc(part.__doc__ or "")), "", head, *rows])


def _kind(part: type[BaseModel], key: str) -> str:
    return _said(ast.parse(str(part.__annotations__[key]), mode="eval").body)


def _said(node: ast.expr) -> str:
    """A type in words."""
    if isinstance(node, ast.BinOp):
        sides = [_said(side) for side in (node.left, node.right) if not _is_none(side)]
        return " or ".join(sides)
    if isinstance(node, ast.Subscript):
        return _generic(ast.unparse(node.value), node.slice)
    name = ast.unparse(node)
    if name.endswith("Part"):
        return "table"
    return WORDS[name]


def _generic(name: str, inside: ast.expr) -> str:
    given = inside.elts if isinstance(inside, ast.Tuple) else [inside]
    if name == "list":
        return f"list of {_said(given[0])}s".replace("vectorss", "vectors").replace("]s", "]")
    if name == "dict":
        inside = _said(given[1])
        return f"{'an' if inside[0] in 'aeiou' else 'a'} {inside} for each name"
    if name == "tuple":
        return f"[{', '.join(_said(each) for each in given)}]"
    if name == "Annotated":
        return _said(given[0])
    return " or ".join(repr(each.value) for each in given if isinstance(each, ast.Constant))  # Literal


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _default(field: Any) -> str:
    if field.is_required():
        return "**needed**"
    given = field.default
    if given in (None, "", [], {}) or given is PydanticUndefined or isinstance(given, BaseModel):
        return ""
    shown = str(given).lower() if isinstance(given, bool) else given
    return f"`{list(shown) if isinstance(shown, tuple) else shown}`"


def signatures(name: str) -> list[str]:
    """The ways to call a function of expressions."""
    return re.split(r", (?=\w+\()| or ", CALLS[name].example)


def call(name: str) -> str:
    """How a function is called and what its arguments are."""
    written = "<br>".join(f"**`{each}`**" for each in signatures(name))
    arguments = _arguments(CALLS[name])
    return f"{written}\n\n{arguments}" if arguments else written


def _arguments(own: Call) -> str:
    """What the arguments are, where that is not plain from how a function is called."""
    if set(own.shapes) == {"s"}:
        return f"{own.least} to {len(own.shapes)} arguments." if len(own.shapes) > 2 else ""
    said = [
        f"{SHAPES[shape]}{' (may be left out)' * (k >= own.least)}"
        for k, shape in enumerate(own.shapes)
    ]
    keyword = f" The last one is written `{own.keyword}=...`." if own.keyword else ""
    of_body = f" With a body first: {', '.join(SHAPES[x] for x in own.of_body)}." if own.of_body else ""
    return f"Arguments: {'; '.join(said)}.{keyword}{of_body}"


def other_names() -> str:
    """What is written elsewhere, and how it is written here."""
    rows = [f"| `{name}` | `{here}` |" for name, here in OTHER_NAMES.items()]
    return "| elsewhere | here |\n|---|---|\n" + "\n".join(rows)
