"""Which chapter explains what: each chapter registers the nouns that it tells of."""

from __future__ import annotations

from functools import singledispatch

from routh.errors import DeclarationError
from routh.mechanics.forms.chapter import Chapter


@singledispatch
def chapter_of(result: object) -> Chapter:
    """The chapter that explains a system or a result."""
    raise DeclarationError(
        "derive(...) explains a system, or what Routh has computed of one. Got"
        f" {type(result).__name__}."
    )
