"""Verbs of the command as Markdown, from the functions that are the verbs."""

from __future__ import annotations

import re
from typing import Any

from routh.cli.main import app

from .docstrings import paragraphs, text


def verbs() -> list[str]:
    """The verbs of the command, in the order of their modules."""
    return [name for name in app if not name.startswith("-")]


def verb(name: str) -> str:
    """What a verb does, its arguments and options."""
    own = app[name]
    told = re.sub(r"\n\s*Example: .*", "", own.default_command.__doc__ or "", flags=re.DOTALL)
    told = re.split(r"^\s*Arguments:", told, flags=re.MULTILINE)[0]
    words = "\n".join(line.strip() for line in told.strip().splitlines())
    rows = [_row(each) for each in own.assemble_argument_collection(parse_docstring=True) if each.show]
    head = "| argument | what | if not given |\n|---|---|---|\n"
    return f"{paragraphs(words)}\n\n" + (head + "\n".join(rows) if rows else "")


def _row(argument: Any) -> str:
    names = [name for name in argument.names if not name.startswith(("--no-", "--empty-"))]
    positional = argument.field_info.kind.name.startswith("POSITIONAL")
    shown = argument.field_info.name.upper() if positional else ", ".join(names)
    required = argument.field_info.default is argument.field_info.empty
    given = getattr(argument.field_info.default, "value", argument.field_info.default)
    default = "**needed**" if required else "" if given in (None, False) else f"`{given}`"
    said = " ".join((argument.parameter.help or "").split())
    choices = argument.get_choices() or ()
    said += f": {', '.join(choices)}" if choices else ""
    return f"| `{shown}` | {text(said)} | {default} |"
