"""Contacts with friction in model files: Stribeck's words, or a law of the slip speed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sympy

from routh.errors import DeclarationError
from routh.files.named_texts import NamedTexts
from routh.files.schema import FrictionPart
from routh.language.contact.friction import Friction, friction
from routh.language.symbols import checked_name

WORDS = (
    "coefficient", "static_coefficient", "normal", "static", "kinetic", "stribeck", "viscous",
)  # fmt: skip
"""How large friction is, in words of its declaration."""


def made_friction(part: FrictionPart, k: int, read: NamedTexts) -> Friction:
    """A contact of a file, the one of this number."""
    given: dict[str, Any] = {
        word: read.scalar(getattr(part, word), "friction", k, word)
        for word in WORDS
        if getattr(part, word) is not None
    }
    if part.law is not None:
        given["law"] = _law(part.law, part.speed, k, read)
    is_vector = str(part.slip).lstrip().startswith("[")
    slip = (read.vector if is_vector else read.scalar)(str(part.slip), "friction", k, "slip")
    with read.at("friction", k):
        return friction(slip, **given, name=part.name)


def _law(text: str, speed: str, k: int, read: NamedTexts) -> Any:
    """A function of the slip speed, whose name is known in the law alone."""
    with read.at("friction", k, "speed"):
        if checked_name(speed, "a slip speed") in read.names:
            raise DeclarationError(
                f"`{speed}` is a name of the model already. Give the slip speed in `law` another name,"
                ' like speed = "s1".'
            )
    s = sympy.Dummy(speed, positive=True)
    found = read.scalar(text, "friction", k, "law", names={speed: s})
    return lambda value: found.xreplace({s: value})


def written_friction(
    contact: Friction, text: Any, taken: Mapping[str, Any] | set[str]
) -> dict[str, Any]:
    """A contact as a table of a file; `taken` are names that the slip speed must not have."""
    if contact.curve is not None:
        return {name: text(e) for name, e in contact.curve}
    speed = next(x for x in ("s", *(f"s_{k}" for k in range(len(taken) + 1))) if x not in taken)
    s = sympy.Symbol(speed, positive=True)
    held, sliding = contact.shares(s)
    size = "static" if contact.normal is None else "static_coefficient"
    own = {"law": text(sliding), "speed": speed}
    if held != sliding.subs(s, 0):
        own[size] = text(held)
    return own if contact.normal is None else own | {"normal": text(contact.normal)}
