"""Steps as lines of a language: each gets a name, but for what is read once, or is no more than a word.

A step that only one other takes is written inside it, as long as the line stays readable. The order of
operations stays as it is, so that digits are those of the engine wherever functions are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from routh.errors import DerivationError
from routh.kernels.neutral_steps import Step, Steps

LONG = 72
"""Characters beyond which an expression gets a name."""


@dataclass(frozen=True)
class Language:
    """How a language writes steps.

    Attributes:
        name: what people call it.
        words: a form with places {0} and {1} for each operation, which need no brackets.
        number: writes a number with all its digits.
        entry: writes an entry of an argument, from its name and its place from 0.
        line: a form with {name} and {value} that gives a value a name.
    """

    name: str
    words: Mapping[str, str]
    number: Callable[[float], str]
    entry: Callable[[str, int], str]
    line: str


@dataclass(frozen=True)
class Written:
    """A function as lines, and for each result the row, the column and the text of its entries."""

    lines: tuple[str, ...]
    results: Mapping[str, tuple[tuple[int, int, str], ...]]


def written(function: Steps, language: Language) -> Written:
    """The lines that carry out a function.

    Raises:
        DerivationError: the language has no word for an operation.
    """
    texts: list[str] = []
    lines = list(_lines(function, language, texts))
    results = {
        result.name: tuple((row, column, texts[step]) for row, column, step in result.entries)
        for result in function.results
    }
    return Written(tuple(lines), results)


def _lines(function: Steps, language: Language, texts: list[str]) -> Iterator[str]:
    """The lines, while `texts` gets how each step is called."""
    uses = Counter(k for step in function.steps for k in step.of)
    uses.update(k for result in function.results for _, _, k in result.entries)
    count = 0
    for k, step in enumerate(function.steps):
        if step.word == "number":
            texts.append(language.number(step.number))
        elif step.word == "argument":
            texts.append(language.entry(step.argument, step.entry))
        else:
            text = _operation(step, language, texts)
            if uses[k] > 1 or len(text) > LONG:
                count += 1
                texts.append(f"w{count}")
                yield language.line.format(name=f"w{count}", value=text)
            else:
                texts.append(text)


def _operation(step: Step, language: Language, texts: list[str]) -> str:
    if step.word not in language.words:
        raise DerivationError(
            f"{language.name} has no `{step.word}`, which the equations contain. Write the energies"
            " without it, or export to another language: C has all of them."
        )
    return language.words[step.word].format(*(_bracketed(texts[k]) for k in step.of))


def _bracketed(text: str) -> str:
    """In brackets, unless it is one word, a call or an entry."""
    depth = 0
    for place, sign in enumerate(text):
        depth += (sign in "([") - (sign in ")]")
        outside = not depth and sign in " +-*/<>=!?&|^"
        if outside and not (sign == "-" and text[place - 1 : place] == "e"):
            return f"({text})"
    return text
