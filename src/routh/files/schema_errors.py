"""What the schema of model files refuses, as a sentence in the words of model files."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pydantic import ValidationError

from routh.errors import did_you_mean, listed, shortened
from routh.files.places import Steps, shown
from routh.files.schema import ModelPart

_WANTED = {
    "float_type": "a number",
    "int_type": "a whole number",
    "bool_type": "true or false",
    "string_type": "a text in quotes",
    "list_type": "a list in brackets",
    "tuple_type": "two values in brackets",
    "model_type": "a table like {start = 0.5}",
    "dict_type": "a table",
    "finite_number": "a finite number",
    "too_long": "fewer entries",
    "string_too_short": "a text that is not empty",
    "string_too_long": "a shorter text",
    "missing_argument": "two values in brackets",
}
"""What is expected where pydantic reports an error of this type."""


def refuses_word(error: ValidationError) -> bool:
    """Whether the first thing that the schema refuses is a word that it does not know."""
    return bool(_telling(error)["type"] == "extra_forbidden")


def first_refusal(error: ValidationError) -> tuple[Steps, str]:
    """Where the first thing stands that the schema refuses, and the sentence about it."""
    first = _telling(error)
    path = first["loc"]
    place = shown(path)
    if first["type"] == "extra_forbidden":
        word, known = str(path[-1]), _words(path[:-1])
        table = f"`{shown(path[:-1])}`" if len(path) > 1 else "A model"
        return path, f"{table} knows no `{word}`. Known: {listed(known)}.{did_you_mean(word, known)}"
    if first["type"] == "missing" and isinstance(path[-1], int):
        count = {2: "two", 3: "three"}.get(_entries(error, path[:-1]), "more")
        return path[:-1], f"`{shown(path[:-1])}`: Expected {count} values in brackets. Got fewer."
    if first["type"] == "missing":
        hint = " Write a table [energy] with kinetic and potential." if place == "energy" else ""
        return path[:-1], f"`{place}` is missing.{hint}"
    if first["type"] == "list_type" and isinstance(first["input"], dict):
        return path, f"`{place}`: Expected a list of tables. Write [[{place}]] above each of them."
    got = shortened(repr(first["input"]), 80)
    wanted = _WANTED.get(first["type"])
    said = f"Expected {wanted}" if wanted else first["msg"].removeprefix("Value error, ")
    return path, f"`{place}`: {said.replace('Input should be', 'Expected a number')}. Got {got}."


def _telling(error: ValidationError) -> Any:
    """The first error, or a word in its place that is not known: it was meant for what is missing."""
    every = error.errors()
    first = every[0]
    beside = (e for e in every if e["type"] == "extra_forbidden" and e["loc"][:-1] == first["loc"][:-1])
    return next(beside, first) if first["type"] == "missing" else first


def _entries(error: ValidationError, path: Steps) -> int:
    """How many entries a list must have that has too few."""
    lacking = (each["loc"] for each in error.errors() if each["type"] == "missing")
    return max(int(place[-1]) for place in lacking if place[:-1] == path) + 1


def _words(path: Iterable[str | int]) -> list[str]:
    """The words that a table of a model file knows."""
    kind: Any = ModelPart
    for step in path:
        found = kind.model_fields.get(step) if hasattr(kind, "model_fields") else None
        if found is not None:
            kind = found.annotation
        for inner in _inside(kind):
            if hasattr(inner, "model_fields"):
                kind = inner
                break
    fields = getattr(kind, "model_fields", {})
    return [found.alias or name for name, found in fields.items()]


def _inside(kind: Any) -> Iterable[Any]:
    """The types that a type is made of."""
    for inner in getattr(kind, "__args__", ()):
        yield inner
        yield from _inside(inner)
