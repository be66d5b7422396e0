"""Mappings whose keys are symbols or their names: each symbol is given once.

Python takes a name and its symbol for two keys, so that one would win in silence, or
forces add up.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from routh.errors import DeclarationError


def once(pairs: Iterable[tuple[Any, Any]], argument: str) -> dict[Any, Any]:
    """What is given for each symbol; one that is given by its name too is refused."""
    found: dict[Any, Any] = {}
    for symbol, value in pairs:
        if symbol in found:
            raise DeclarationError(f"`{argument}` gives `{symbol}` twice, by name and as a symbol.")
        found[symbol] = value
    return found
