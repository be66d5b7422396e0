"""Results whose point is formulas: all views of them, loaded together and without the engine."""

from __future__ import annotations

from routh.display.notebook import declaration_views, equation_views, transform_views
from routh.display.notebook.view_kinds import markdown_of

VIEWS = (declaration_views, equation_views, transform_views)
"""Each registers the nouns that it shows."""


def markdown(result: object) -> str:
    """A result in formulas."""
    return markdown_of(result)
