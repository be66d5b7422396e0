"""The verb: the derivation of a system, or of a result, step by step."""

from __future__ import annotations

from routh.lecture import (  # noqa: F401  # each registers what it explains
    action_chapter,
    appell_chapter,
    balance_chapter,
    expansion_chapter,
    floquet_chapter,
    hamilton_chapter,
    legendre_chapter,
    linear_chapter,
    linear_numbers_chapter,
    normal_form_chapter,
    rest_chapter,
    routhian_chapter,
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
