"""The functions of a subject as lines of a language, with words for every entry of their arguments."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any

from routh.exports.lines import Language, Written, written
from routh.exports.subject import Subject
from routh.exports.target_names import Names, names_of
from routh.kernels.neutral_steps import Steps

ARGUMENTS = {"x": "state", "u": "inputs", "p": "parameters", "z": "solved"}
"""What the arguments of functions are called in files; `t` stays."""


class Functions:
    """The functions of a subject in a language, each written once.

    Attributes:
        names: the words of all symbols.
    """

    def __init__(self, given: Subject, language: Language, reserved: frozenset[str]) -> None:
        self.given, self.own = given, given.functions
        system = given.system
        accelerations = [v.rate for v in system.velocities]
        self.symbols: dict[str, tuple[Any, ...]] = {
            "x": (*system.coordinates, *system.velocities),
            "u": self.own.signals,
            "p": system.parameters,
            "z": (*accelerations, *system.multipliers),
        }
        every = [symbol for symbols in self.symbols.values() for symbol in symbols]
        self.names: Names = names_of(every, reserved)
        self._language = replace(language, entry=self._entry)
        self._made: dict[str, tuple[Steps, Written]] = {}

    def _entry(self, argument: str, place: int) -> str:
        return "t" if argument == "t" else self.names[self.symbols[argument][place]]

    def __getitem__(self, name: str) -> tuple[Steps, Written]:
        """One of the functions, as steps and as lines."""
        if name not in self._made:
            steps = self.own.steps(name)
            self._made[name] = steps, written(steps, self._language)
        return self._made[name]

    def unpacked(self, name: str) -> dict[str, list[tuple[int, str]]]:
        """For each argument of a function the places and words of the entries that it reads."""
        steps, _ = self[name]
        read = {(s.argument, s.entry) for s in steps.steps if s.word == "argument"}
        return {
            argument: [(k, self._entry(argument, k)) for of, k in sorted(read) if of == argument]
            for argument, _ in steps.arguments
        }

    @cached_property
    def called(self) -> dict[str, str]:
        """What is called otherwise than in the system, without accelerations and multipliers."""
        told = [s for key in ("x", "u", "p") for s in self.symbols[key]]
        return {str(s): self.names[s] for s in told if str(s) != self.names[s]}
