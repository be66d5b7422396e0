"""Letters of a chapter that the system has not taken.

A crane has a mass `M`, a circuit an inductance `L`, a beam runs along `s`. A formula in which one
letter stands for two things is wrong, so that what the chapter talks of gives way, and says so. Another
letter is called the same in text and in LaTeX, so that sentences and formulas agree.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from routh.language.latex_names import latex_name
from routh.language.system import System
from routh.language.walk import lets
from routh.mechanics.fields.named_parts import free_name
from routh.mechanics.fields.named_parts import taken_names as names_of
from routh.mechanics.forms.chapter import Formula


@dataclass(frozen=True)
class Role:
    """What a letter stands for in a chapter.

    Attributes:
        what: in words.
        others: what it is called where the letter is taken, the first that is free.
        latex: how it is set, where that is not by its name.
        numbered: whether it comes with numbers, which must be free too.
    """

    what: str
    others: tuple[str, ...]
    latex: str = ""
    numbered: bool = False


Roles = Mapping[str, Role]


def taken_names(system: System) -> set[str]:
    """The names that a system has, also of vectors and of multipliers."""
    every = [e for part in system.parts().values() for e in part]
    vectors = {each.vector[0] for each in lets(every) if each.vector}
    return {*names_of(system), *vectors, *(x.name for x in system.multipliers)}


class FreeLetters:
    """A letter for each role of a chapter; what was used instead is kept for the remarks.

    >>> letters = FreeLetters({"M": Role("the mass matrix", ("M_mat",))}, {"M"})
    >>> print(letters("M"), *letters.remarks(), sep="; ")
    M_mat; The letter `M` belongs to the system: the mass matrix is written `M_mat`.
    """

    def __init__(self, roles: Roles, taken: Iterable[str]) -> None:
        names = set(taken)
        self._roles = roles
        self._instead: dict[str, str] = {}
        for letter, role in roles.items():
            if _is_taken(letter, role, names):
                free = [other for other in role.others if not _is_taken(other, role, names)]
                found = free[0] if free else free_name(names, role.others)
                self._instead[letter] = found
                names.add(found)
        self._used: dict[str, None] = {}

    def __call__(self, letter: str, number: object = "") -> Formula:
        """The letter, perhaps with a number."""
        name = self.name(letter)
        own = _drawn(name) if letter in self._instead else self._roles[letter].latex or latex_name(name)
        return Formula(f"{name}{number}", f"{own}_{{{number}}}" if str(number) else own)

    def name(self, letter: str) -> str:
        """What the letter is called."""
        if letter in self._instead:
            self._used[letter] = None
        return self._instead.get(letter, letter)

    @property
    def instead(self) -> Mapping[str, str]:
        """The names of letters that gave way."""
        return self._instead

    def remarks(self) -> Iterator[str]:
        """What the letters that gave way are called instead, of those used so far."""
        return map(self.remark, self._used)

    def remark(self, letter: str) -> str:
        """What a letter that gave way is called instead."""
        return (
            f"The letter `{letter}` belongs to the system: {self._roles[letter].what} is written"
            f" `{self._instead[letter]}`."
        )


def _is_taken(letter: str, role: Role, names: set[str]) -> bool:
    if letter in names:
        return True
    return role.numbered and any(re.fullmatch(rf"{re.escape(letter)}_?\d+", name) for name in names)


def _drawn(name: str) -> str:
    """A name in LaTeX that may get an index or an exponent; M(q) is a function."""
    head, bracket, inside = name.partition("(")
    if bracket:
        return f"{latex_name(head)}({inside}".replace("q'", r"\dot{q}")
    own = latex_name(name)
    return f"{{{own}}}" if "_" in own else own
