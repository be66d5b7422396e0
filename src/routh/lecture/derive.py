"""The verb: the derivation of a system, or of a result, step by step."""

from __future__ import annotations

from routh.lecture import field_chapter  # noqa: F401  # it registers what it explains
from routh.lecture.kinds import chapter_of
from routh.mechanics.forms.chapter import Chapter


def derive(result: object) -> Chapter:
    """The derivation as a lecturer would write it: print it, copy it as LaTeX, show it in a notebook.

    Arguments:
        result: a system, or what a verb has returned.
    """
    return chapter_of(result)
