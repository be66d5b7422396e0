"""Names of symbols in other languages: Greek letters, primes, reserved words and clashes are mapped.

    theta1' -> theta1_dot     λ -> lambda -> lambda_ (in Python)     é -> e     _x -> x_

Each symbol gets one word of ASCII, the same in all functions of a file; `changed` lists those that are
called otherwise than in the system.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from routh.language.symbols import Signal

_DOTS = {0: "", 1: "_dot", 2: "_ddot", 3: "_dddot"}

TAKEN = ("t", "state", "inputs", "parameters", "solved", "shape")
"""Words that the functions of a file use for themselves; results end in `_out`."""

LONGEST = 63
"""Characters of a word: C and MATLAB do not tell longer ones apart."""


@dataclass(frozen=True)
class Names:
    """The words of some symbols, in their order."""

    words: dict[Any, str]

    def __getitem__(self, symbol: Any) -> str:
        return self.words[symbol]

    @property
    def changed(self) -> dict[str, str]:
        """What is called otherwise, by the name that it has in the system."""
        return {str(symbol): word for symbol, word in self.words.items() if str(symbol) != word}


def names_of(symbols: Iterable[Any], reserved: Iterable[str]) -> Names:
    """A word for each of the symbols that is no other's, and none of the reserved ones.

    Symbols whose names can stay as they are keep them, wherever they come.

    >>> from routh.language.symbols import Coordinate, Parameter
    >>> x = Coordinate("x")
    >>> names_of([x, x.rate, Parameter("x_dot"), Parameter("lambda"), Parameter("θ")], ["lambda"]).words
    {x: 'x', x': 'x_dot_2', x_dot: 'x_dot', lambda: 'lambda_', θ: 'theta'}
    """
    own, forbidden = list(symbols), set(reserved)
    plain = {s: word(s) for s in own}
    kept = {s for s in own if str(s) == plain[s] and _is_free(plain[s], forbidden)}
    taken = {plain[s] for s in kept}
    found: dict[Any, str] = {}
    for s in own:
        found[s] = plain[s] if s in kept else _other(plain[s], taken, forbidden)
        taken.add(found[s])
    return Names(found)


def _is_free(name: str, forbidden: set[str]) -> bool:
    """Whether a word may be used: `w1` and the like are intermediates, `M_out` is a result."""
    is_short = len(name) <= LONGEST
    return is_short and name not in forbidden and not re.fullmatch(r"w\d+|.*_out", name)


def _other(name: str, taken: set[str], forbidden: set[str]) -> str:
    """The word itself, cut where it is long, with an underscore where it is reserved, and counted."""
    name = name[:LONGEST]
    base = name if _is_free(name, forbidden) else f"{name[: LONGEST - 1]}_"
    made, count = base, 2
    while made in taken or not _is_free(made, forbidden):
        tail = f"_{count}"
        made, count = base[: LONGEST - len(tail)].rstrip("_") + tail, count + 1
    return made


def word(symbol: Any) -> str:
    """The name of a symbol in ASCII, with words for its dots.

    >>> from routh.language.symbols import Coordinate
    >>> word(Coordinate("θ_é").rate), word("w*'"), word("1st")
    ('theta_e_dot', 'w__dot', 'n_1st')
    """
    if isinstance(symbol, Signal):
        label, order = symbol.label, symbol.order
    else:
        label = str(symbol).rstrip("'")
        order = len(str(symbol)) - len(label)
    made = "".join(_letter(sign) for sign in label)
    if made[:1] == "_":  # such names are reserved in C, and none at all in MATLAB
        made = made.lstrip("_") + "_"
    if not made[:1].isalpha():
        made = f"n_{made}"
    return made + _DOTS.get(order, f"_d{order}")


def _letter(sign: str) -> str:
    """One character in ASCII: Greek letters by name, others without their accents."""
    if sign.isascii():
        return sign if sign.isalnum() or sign == "_" else "_"
    found = re.fullmatch(r"GREEK (SMALL|CAPITAL) LETTER (\w+)", unicodedata.name(sign, ""))
    if found:
        name = found[2].lower().replace("lamda", "lambda")
        return name if found[1] == "SMALL" else name.capitalize()
    plain = unicodedata.normalize("NFKD", sign).encode("ascii", "ignore").decode()
    return plain if plain.isalnum() else f"u{ord(sign):04x}"
