"""Which size is meant by what a person gives for a field, or by a word of a model file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import sympy

from routh.errors import DeclarationError
from routh.language.fields import Field
from routh.mechanics.ritz.bases.basis_size import Size
from routh.mechanics.ritz.bases.elements import Elements
from routh.mechanics.ritz.bases.given_functions import GivenFunctions
from routh.mechanics.ritz.bases.legendre_functions import Polynomials

GivenSize = int | Size | Sequence[sympy.Expr]

PLAIN: dict[type, Callable[[Any], Size]] = {
    int: lambda n: Polynomials(int(n)),
    np.integer: lambda n: Polynomials(int(n)),
    list: GivenFunctions,
    tuple: GivenFunctions,
}
"""What numbers and lists stand for; every other size is given as itself."""

NAMED: dict[str, Callable[[int], Size]] = {"functions": Polynomials, "elements": Elements}
"""The sizes that model files know."""


def size_of(w: Field, given: object) -> Size:
    """The size that is meant.

    Raises:
        DeclarationError: nothing is known by it.
    """
    if isinstance(given, Size):
        return given
    for kind, made in PLAIN.items():
        if isinstance(given, kind) and not isinstance(given, bool):
            return made(given)
    raise DeclarationError(
        f"The size of `{w}` must be a number of polynomials, Elements(n) or a list of functions of"
        f" `{w.space}`. Got {given!r}."
    )
