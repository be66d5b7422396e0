"""Names of symbols as HTML: Greek letters, indices and primes, without anything that sets formulas.

A velocity has a prime, as in text: tables are read in notebooks that set no formulas in HTML.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

import sympy
from sympy.printing.pretty.pretty_symbology import greek_unicode

from routh.errors import shortened
from routh.language.fields import Field
from routh.language.latex_names import with_index
from routh.language.symbols import Atom, Signal

LONGEST = 80
"""Letters of an expression in a table."""

NAMED = 12
"""Names that are listed in a row."""


def symbol(given: object) -> str:
    """A symbol, or a name of one, as HTML; what is no symbol as the text of an expression."""
    if isinstance(given, Signal) and not isinstance(given, Field):
        return _lettered(given.label) + "&prime;" * given.order
    if isinstance(given, str) or type(given) is sympy.Symbol or type(given) in PLAIN:
        name = str(given)
        bare = name.rstrip("'")
        return _lettered(bare) + "&prime;" * (len(name) - len(bare))
    return f"<code>{escape(shortened(given, LONGEST))}</code>"


PLAIN = tuple(kind for kind in Atom.__subclasses__() if kind not in (Signal, Field))
"""Kinds of symbols that are called as they are printed: parameters, intermediates, spaces."""


def symbols(given: Iterable[object], most: int = NAMED) -> str:
    """Symbols with commas between them; how many more there are, where they are many."""
    every = list(given)
    said = ", ".join(symbol(each) for each in every[:most])
    return said + (f" and {len(every) - most} more" if len(every) > most else "")


def _lettered(name: str) -> str:
    """A name in letters: theta_1 and theta1 have an index. Words are upright, as in formulas."""
    if not name.isidentifier():
        return f"<code>{escape(name)}</code>"
    stem, below = with_index(name)
    letter = _letter(stem)
    letters = f"<i>{escape(letter)}</i>" if len(letter) == 1 else escape(letter)
    index = ",".join(escape(_letter(each)) for each in below)
    return letters + (f"<sub>{index}</sub>" if index else "")


def _letter(word: str) -> str:
    """A Greek letter for its name, with digits behind it."""
    stem = word.rstrip("0123456789")
    return str(greek_unicode.get(stem, stem)) + word[len(stem) :]
