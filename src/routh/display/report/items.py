"""What a report is made of, before it is a page or a paper: sentences, formulas, tables, pictures.

Pictures are drawn when a page asks for them; papers leave them out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True)
class Heading:
    """The title of what follows: level 1 for the whole, 2 for a section, 3 below it."""

    text: str
    level: int = 2


@dataclass(frozen=True)
class Description:
    """What the author of a model says of it, as it is."""

    text: str


@dataclass(frozen=True)
class Words:
    """A sentence of the library, names in backticks; an aside is set smaller."""

    text: str
    aside: bool = False


@dataclass(frozen=True)
class Maths:
    """A formula within a line or a table."""

    latex: str


@dataclass(frozen=True)
class Badge:
    """A verdict."""

    word: str


Cell = str | Maths | Badge


@dataclass(frozen=True)
class Equation:
    """A formula on its own, which gets a number, and lines that fit where it is written."""

    latex: str


@dataclass(frozen=True)
class Rows:
    """A table: its head, its rows, and which columns are numbers."""

    head: tuple[Cell, ...]
    rows: tuple[tuple[Cell, ...], ...]
    numbers: tuple[int, ...] = ()


@dataclass(frozen=True)
class Picture:
    """A figure, which gets a number: drawn as SVG when it is asked for."""

    draw: Callable[[], str]
    caption: str


@dataclass(frozen=True)
class Film:
    """An animation, and the picture that stands for it on paper; either is empty without a drawing."""

    play: Callable[[], str]
    still: Callable[[], str]
    caption: str
    wide: bool = False


@dataclass(frozen=True)
class Gallery:
    """Figures side by side."""

    figures: tuple[Picture | Film, ...]
    wide: bool = True


@dataclass(frozen=True)
class Folded:
    """Something long behind its title; open on paper."""

    title: str
    items: tuple[Item, ...]


@dataclass(frozen=True)
class Claim:
    """How certain something is, in a word, and what."""

    kind: str
    text: str


@dataclass(frozen=True)
class Slider:
    """Eigenvalues along a parameter, to be moved by hand."""

    name: str
    start: int
    data: dict[str, Any]


@dataclass(frozen=True)
class Code:
    """Text as it is typed."""

    text: str


Item = (
    Heading
    | Description
    | Words
    | Equation
    | Rows
    | Picture
    | Film
    | Gallery
    | Folded
    | Claim
    | Slider
    | Code
)


class Pictures(Protocol):
    """Who draws; papers have one who draws nothing."""

    def mechanism(self) -> Iterable[Item]:
        """The mechanism with its names."""

    def modes(self, each: Any, number: int) -> Iterable[Item]:
        """The modes about one equilibrium: films, and shapes of fields."""

    def response(self, found: Any, number: int) -> Iterable[Item]:
        """A frequency response."""

    def along(self, parameter: str, swept: Any) -> Iterable[Item]:
        """Frequencies and eigenvalues along a parameter."""

    def branches(self, found: Any) -> Iterable[Item]:
        """Branches of equilibria over a parameter."""

    def motion(self, motion: Any) -> Iterable[Item]:
        """A motion: film and curves."""

    def multipliers(self, found: Any) -> Iterable[Item]:
        """Floquet's multipliers in the complex plane."""

    def study(self, study: Any) -> Iterable[Item]:
        """A study over what was varied."""


class NoPictures:
    """Draws nothing."""

    def mechanism(self) -> Iterable[Item]:
        """Nothing."""
        return ()

    def modes(self, each: Any, number: int) -> Iterable[Item]:  # noqa: ARG002
        """Nothing."""
        return ()

    def response(self, found: Any, number: int) -> Iterable[Item]:  # noqa: ARG002
        """Nothing."""
        return ()

    def along(self, parameter: str, swept: Any) -> Iterable[Item]:  # noqa: ARG002
        """Nothing."""
        return ()

    def branches(self, found: Any) -> Iterable[Item]:  # noqa: ARG002
        """Nothing."""
        return ()

    def motion(self, motion: Any) -> Iterable[Item]:  # noqa: ARG002
        """Nothing."""
        return ()

    def multipliers(self, found: Any) -> Iterable[Item]:  # noqa: ARG002
        """Nothing."""
        return ()

    def study(self, study: Any) -> Iterable[Item]:  # noqa: ARG002
        """Nothing."""
        return ()
