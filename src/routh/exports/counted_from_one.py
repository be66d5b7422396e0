"""MATLAB and Julia: arrays are counted from one, and matrices are divided by as they are written."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from routh.exports.functions import ARGUMENTS, Functions
from routh.exports.heading import commented, heading
from routh.exports.lines import Language
from routh.exports.subject import Subject

TEMPLATES = Path(__file__).parent / "templates"
"""What is the same for all systems."""

GIVEN = "t, state, inputs, parameters"
"""The arguments of every function."""


@dataclass(frozen=True)
class Dialect:
    """How functions are written.

    Attributes:
        language: its words.
        reserved: words that symbols cannot have.
        comment: what begins a comment.
        entry: an entry of an array, from its name and the places from one.
        head: the first line of a function, from its name, its results and its arguments.
        zeros: a line that makes a result of zeros, from its name, rows and columns.
        last: the lines at the end of a function, from its results.
        end: what ends a statement.
    """

    language: Language
    reserved: frozenset[str]
    comment: str
    entry: Callable[..., str]
    head: Callable[[str, str, str], str]
    zeros: Callable[[str, int, int], str]
    last: Callable[[str], str]
    end: str


class Written:
    """The functions of a subject in a dialect, and what stands at the head of its file."""

    def __init__(self, given: Subject, dialect: Dialect, kind: str, command: str) -> None:
        self.given, self.own, self.dialect = given, given.functions, dialect
        self.functions = Functions(given, dialect.language, dialect.reserved)
        lines = heading(given, kind, command, self.functions.called)
        self.head = commented(lines, dialect.comment)

    def every(self) -> Iterator[str]:
        """All functions."""
        yield self._function("matrices")
        yield self._function("energies")
        if self.own.c:
            yield self._function("held")
        if self.own.direct:
            yield self._function("rate")
            yield self._function("linear")
            return
        yield self._function("slopes")
        yield self.template("saddle")
        if self.own.c:
            places = [k for k, kind in enumerate(self.given.system.is_holonomic, 1) if kind]
            yield self.template("projection").replace("PLACES", ", ".join(map(str, places)))

    def names(self) -> list[str]:
        """The functions that are called from outside."""
        held = ["held", "project"] if self.own.c else []
        solved = [] if self.own.direct else ["solved"]
        return ["rate", "matrices", "linear", "energies", *solved, *held]

    def template(self, part: str) -> str:
        """A part that is the same for all systems."""
        text = (TEMPLATES / f"{part}_{self.dialect.language.name.lower()}.txt").read_text("utf-8")
        return text.replace("COUNT", str(self.own.n))

    def _function(self, name: str) -> str:
        """A function that is written out."""
        steps, lines = self.functions[name]
        dialect = self.dialect
        more = ", solved" if any(key == "z" for key, _ in steps.arguments) else ""
        results = ", ".join(f"{result.name}_out" for result in steps.results)
        body = [dialect.head(name, results, GIVEN + more)]
        end = dialect.end
        for key, entries in self.functions.unpacked(name).items():
            body += [
                f"    {word} = {dialect.entry(ARGUMENTS[key], k + 1)}{end}"
                for k, word in entries
                if key != "t"
            ]
        body += lines.lines
        for result in steps.results:
            body.append(dialect.zeros(f"{result.name}_out", result.rows, result.columns))
            body += [
                f"    {dialect.entry(f'{result.name}_out', row + 1, column + 1)} = {text}{end}"
                for row, column, text in lines.results[result.name]
            ]
        return "\n".join([*body, dialect.last(results)]) + "\n"
