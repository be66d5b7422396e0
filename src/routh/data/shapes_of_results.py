"""Whether arrays have the shapes and kinds that a noun states for them: files may say otherwise."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cached_property
from typing import Any

from routh.errors import DeclarationError

STATED = re.compile(r"Annotated\[.*?, ?['\"]([^'\"]+)['\"]\]")
"""The shape in the text of an annotation."""

BATCH = "*batch"


def annotation(kind: type[object], name: str) -> str:
    """The annotation of an attribute, as text; empty where there is none."""
    text = ""
    if is_dataclass(kind):
        text = next((str(each.type) for each in fields(kind) if each.name == name), "")
    own = vars(kind).get(name)
    if isinstance(own, property):
        text = str(own.fget.__annotations__.get("return", ""))
    elif isinstance(own, cached_property):
        text = str(own.func.__annotations__.get("return", ""))
    return text


def stated(kind: type[object], name: str) -> str | None:
    """The words of the shape that is stated for an attribute, if it is an array."""
    found = STATED.search(annotation(kind, name))
    return found[1] if found else None


def refuse_misfits(noun: Any, batch: tuple[int, ...], sizes: Mapping[str, int]) -> None:
    """Refuse a noun whose arrays are not of the shapes that it states.

    Arguments:
        noun: what was made of a record.
        batch: the shape of its batch.
        sizes: what is known of the words of shapes, like n; another word is one size throughout.

    Raises:
        DeclarationError: an array is of another shape, or of another kind of number.
    """
    known = dict(sizes)
    for each in fields(noun):
        words, value = stated(type(noun), each.name), getattr(noun, each.name)
        if words is None or value is None:
            continue
        wanted = _wanted(words.split(), batch, value.shape, known)
        text = annotation(type(noun), each.name)
        kinds = "c" if "Complex" in text else "iu" if "intp" in text else "f"
        if value.shape != wanted or value.dtype.kind not in kinds:
            kind = {"c": "complex", "f": "float"}.get(kinds, "int")
            raise DeclarationError(
                f"The record does not fit its noun: `{each.name}` of {type(noun).__name__} must be"
                f" {kind} of shape {wanted}. Got {value.dtype} of shape {value.shape}."
            )


def _wanted(
    words: list[str], batch: tuple[int, ...], shape: tuple[int, ...], known: dict[str, int]
) -> tuple[int, ...]:
    """The shape that words stand for; one that is not known yet is as large as it is."""
    found: list[int] = []
    for word in words:
        if word == BATCH:
            found += batch
            continue
        if "+" not in word and word not in known:
            known[word] = shape[len(found)] if len(found) < len(shape) else 0
        found.append(sum(known[part] for part in word.split("+")))
    return tuple(found)
