"""Which view shows what: each module of views registers the nouns that it knows."""

from __future__ import annotations

from functools import singledispatch

from routh.errors import DeclarationError, a_kind


@singledispatch
def html_of(result: object) -> str:
    """A result in tables and pictures, as HTML."""
    raise DeclarationError(f"Notebooks show results of Routh in tables. Got {a_kind(result)}.")


@singledispatch
def markdown_of(result: object) -> str:
    """A result in formulas, as Markdown."""
    raise DeclarationError(f"Notebooks show results of Routh in formulas. Got {a_kind(result)}.")
