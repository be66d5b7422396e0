"""The verb: the derivation of a system, or of a result, step by step."""

from __future__ import annotations

from routh.lecture import (  # noqa: F401
    balance_chapter,
    linear_chapter,
    linear_numbers_chapter,
    rest_chapter,
    stability_chapter,
)
from routh.lecture.kinds import chapter_of
from routh.mechanics.forms.chapter import Chapter


def derive(result: object) -> Chapter:
    """The derivation as a lecturer would write it: print it, copy it as LaTeX, show it in a notebook.

    Arguments:
        result: a system, or what a verb has returned.
    """
    return chapter_of(result)
