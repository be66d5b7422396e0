"""The ask `values`: the text of the model with the numbers of the sliders written into it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from routh.errors import DeclarationError
from routh.files.model import Model
from routh.files.renumbered import renumbered
from routh.studio.answers.request import table
from routh.studio.bench import Bench


def values(bench: Bench, about: Mapping[str, Any]) -> dict[str, Any]:
    """`values` {text, values}: {text}, with comments and layout kept.

    Numbers that are as in the file stay as they are written there.
    """
    text = about.get("text", "")
    found = bench.findings(text, table(about, "values"))
    return {"text": with_numbers(found.model, text, found.values)}


def with_numbers(model: Model, text: str, numbers: Mapping[str, float]) -> str:
    """The text with the numbers that differ from its own."""
    changed = {name: x for name, x in numbers.items() if x != model.values.get(name)}
    if not changed:
        return text
    if model.remarks or text.lstrip("\ufeff \t\r\n").startswith("<"):
        raise DeclarationError(
            "Numbers are written into model files alone, and this is a file in another format. Export"
            " the model as TOML, and go on with that."
        )
    return renumbered(text, changed)
