"""Results whose point is numbers: all views of them, loaded together."""

from __future__ import annotations

from routh.display.notebook import (
    control_views,
    expansion_views,
    fit_views,
    linear_views,
    motion_views,
    path_views,
    periodic_views,
    record_views,
    rest_views,
    sensitivity_views,
    stability_views,
)
from routh.display.notebook.view_kinds import html_of

VIEWS = (
    rest_views, linear_views, stability_views, expansion_views, motion_views, path_views,
    periodic_views, sensitivity_views, record_views, control_views, fit_views,
)  # fmt: skip
"""Each registers the nouns that it shows."""


def html(result: object) -> str:
    """A result in tables and pictures."""
    return html_of(result)
