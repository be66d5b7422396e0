"""The names of a model file, and its texts read with them: every mistake is told with its place."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import AbstractContextManager
from typing import Any

import sympy

from routh.errors import DeclarationError, did_you_mean, listed
from routh.files.building import kind_of
from routh.files.places import Places, Steps, shown
from routh.files.text import parse
from routh.language.fields import Field, Space
from routh.language.intermediates import let
from routh.language.rotations import Rotation
from routh.language.symbols import checked_name

FIXED = {"t": "the time", "pi": "the number 3.14159..."}
"""Names that mean the same in every model."""


class NamedTexts:
    """Reads the texts of a model file with the names that were declared so far."""

    def __init__(self, places: Places) -> None:
        self.places = places
        self.names: dict[str, Any] = {}

    def at(self, *path: str | int) -> AbstractContextManager[None]:
        """Within it, what is refused is told with this place of the file."""
        return self.places.reading(*path)

    def add(self, name: str, value: Any) -> Any:
        """A name for something, which must be new."""
        if name in FIXED:
            raise DeclarationError(f"The name `{name}` is {FIXED[name]}. Choose another.")
        if name in self.names:
            raise DeclarationError(
                f"The name `{name}` stands for two things in the model. Choose another."
            )
        self.names[name] = value
        return value

    def add_let(self, name: str, text: str, path: Steps, later: Collection[str]) -> None:
        """A name for an expression or a vector of earlier names; `later` are those to come."""
        with self.at(*path):
            checked_name(name, "an intermediate")
            value = parse(text, self.names, what=shown(path), later=later)
            entries = sympy.Matrix([value])
            varies = any(isinstance(x, Space) for x in entries.free_symbols) or entries.atoms(Field)
            self.add(name, value if varies else let(name, value))

    def parsed(self, text: str, *path: str | int, names: Mapping[str, Any] | None = None) -> Any:
        """An expression or a vector; `names` are known here alone."""
        with self.at(*path):
            return parse(text, {**self.names, **(names or {})}, what=shown(path))

    def scalar(self, text: str, *path: str | int, names: Mapping[str, Any] | None = None) -> Any:
        """An expression."""
        value = self.parsed(text, *path, names=names)
        with self.at(*path):
            if isinstance(value, sympy.MatrixBase):
                raise DeclarationError(
                    f"Expected a scalar. Got {kind_of(value)}. Write norm2(r), dot(a, b) or a component"
                    " like r[1]."
                )
        return value

    def vector(self, text: str, *path: str | int, names: Mapping[str, Any] | None = None) -> Any:
        """A vector."""
        value = self.parsed(text, *path, names=names)
        with self.at(*path):
            if not isinstance(value, sympy.MatrixBase):
                raise DeclarationError("Expected a vector like [x, y]. Got a scalar.")
        return value

    def rotation(self, text: str, *path: str | int) -> Rotation:
        """A rotation by its name."""
        found = self.names.get(text)
        if not isinstance(found, Rotation):
            known = [name for name, value in self.names.items() if isinstance(value, Rotation)]
            with self.at(*path):
                raise DeclarationError(
                    f"`{text}` is no rotation of the model. Rotations: {listed(known)}."
                    + did_you_mean(text, known)
                )
        return found
