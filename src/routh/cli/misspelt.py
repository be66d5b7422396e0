"""Sentences about a command line that has too many words, or an option that is not known."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from difflib import get_close_matches
from typing import Any

from cyclopts import App, CycloptsError, CycloptsPanel, UnknownOptionError, UnusedCliTokensError

ALIKE = 0.75
"""How alike an option must be to be meant; two letters in common are not enough."""


def told_misspelt(error: CycloptsError) -> Any:
    """What is printed in the place of what the parser of command lines says."""
    if isinstance(error, UnusedCliTokensError):
        return CycloptsPanel(_too_many(error))
    if isinstance(error, UnknownOptionError):
        return CycloptsPanel(_unknown(error))
    return CycloptsPanel(error)


def _too_many(error: UnusedCliTokensError) -> str:
    """Which words are left, what the verb takes, and which option a file is written by."""
    given = " ".join(error.unused_tokens or ())
    taken = [name.upper() for name in _words(error.target)]
    verb = _verb(error)
    said = f"`{verb}` takes {', '.join(taken) or 'nothing'} beside options. Got {given} too."
    if "-o" in _options(error.app):
        said += f" Say where to write with -o: {verb} {' '.join(taken)} -o {given}"
    return said


def _unknown(error: UnknownOptionError) -> str:
    word = (error.token.keyword or error.token.value).split("=", 1)[0]
    known = [*_options(error.app), "--help"]
    close = get_close_matches(word, known, n=1, cutoff=ALIKE)
    said = f"`{_verb(error)}` knows no option {word}. Known: {', '.join(known)}."
    return f"{said} Did you mean {close[0]}?" if close else said


def _verb(error: CycloptsError) -> str:
    return " ".join(["routh", *(error.command_chain or ())])


def _words(verb: Callable[..., Any] | None) -> list[str]:
    """What a verb takes without an option before it."""
    every = inspect.signature(verb).parameters.values() if verb else ()
    return [x.name for x in every if x.kind is x.POSITIONAL_OR_KEYWORD]


def _options(app: App | None) -> list[str]:
    """The options of a verb; not those that say again what is given without one."""
    if app is None or app.default_command is None:
        return []
    words = {f"--{name}" for name in _words(app.default_command)}
    every = [name for each in app.assemble_argument_collection() for name in each.names]
    return [x for x in every if x.startswith("-") and not x.startswith("--no-") and x not in words]
