"""Labels of units as products of powers of the base units of the SI, as far as they can be read.

    read_unit("N*m") -> exponents kg 1, m 2, s -2, factor 1

What is not read stays a label: programs then compare units by name.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from functools import reduce

BASE = ("kg", "m", "s", "A", "K", "mol", "cd", "rad")
"""The base units of the standard, in its order; an angle is one of them there."""


@dataclass(frozen=True)
class BaseUnit:
    """A factor times a product of powers of base units."""

    factor: float = 1.0
    exponents: dict[str, int] = field(default_factory=dict)

    def times(self, other: BaseUnit, power: int = 1) -> BaseUnit:
        """The product with a power of another."""
        names = [name for name in BASE if name in self.exponents or name in other.exponents]
        sums = {n: self.exponents.get(n, 0) + power * other.exponents.get(n, 0) for n in names}
        return BaseUnit(self.factor * other.factor**power, {n: k for n, k in sums.items() if k})


def _unit(factor: float, **exponents: int) -> BaseUnit:
    return BaseUnit(factor, exponents)


KNOWN = {name: _unit(1.0, **{name: 1}) for name in BASE} | {
    "1": _unit(1.0),
    "%": _unit(0.01),
    "N": _unit(1.0, kg=1, m=1, s=-2),
    "kN": _unit(1e3, kg=1, m=1, s=-2),
    "J": _unit(1.0, kg=1, m=2, s=-2),
    "W": _unit(1.0, kg=1, m=2, s=-3),
    "Pa": _unit(1.0, kg=1, m=-1, s=-2),
    "GPa": _unit(1e9, kg=1, m=-1, s=-2),
    "Hz": _unit(1.0, s=-1),
    "C": _unit(1.0, A=1, s=1),
    "V": _unit(1.0, kg=1, m=2, s=-3, A=-1),
    "F": _unit(1.0, kg=-1, m=-2, s=4, A=2),
    "ohm": _unit(1.0, kg=1, m=2, s=-3, A=-2),
    "Ohm": _unit(1.0, kg=1, m=2, s=-3, A=-2),
    "H": _unit(1.0, kg=1, m=2, s=-2, A=-2),
    "Wb": _unit(1.0, kg=1, m=2, s=-2, A=-1),
    "T": _unit(1.0, kg=1, s=-2, A=-1),
    "g": _unit(1e-3, kg=1),
    "mm": _unit(1e-3, m=1),
    "cm": _unit(1e-2, m=1),
    "km": _unit(1e3, m=1),
    "ms": _unit(1e-3, s=1),
    "min": _unit(60.0, s=1),
    "h": _unit(3600.0, s=1),
    "deg": _unit(math.pi / 180, rad=1),
}
"""Units that labels are made of."""

_TOKEN = re.compile(r"\s*(\*\*|[*/^()]|-?\d+|[A-Za-z%]+)")


def read_unit(label: str) -> BaseUnit | None:
    """What a label means, or nothing where it is not a product of powers of known units.

    >>> read_unit("(m/s)/s^2")
    BaseUnit(factor=1.0, exponents={'m': 1, 's': -3})
    >>> read_unit("bananas") is None
    True
    """
    text = label.strip().replace("·", "*").replace("Ω", "ohm").replace("²", "^2").replace("³", "^3")
    tokens = _TOKEN.findall(text)
    if not tokens or "".join(tokens) != re.sub(r"\s+", "", text):
        return None
    try:
        found = _product(tokens)
    except (LookupError, ValueError):
        return None
    return None if tokens else found


def _product(tokens: list[str]) -> BaseUnit:
    """A product or quotient, taken from the front of the tokens."""
    factors = [_power(tokens)]
    while tokens and tokens[0] in ("*", "/"):
        power = 1 if tokens.pop(0) == "*" else -1
        factors.append(BaseUnit().times(_power(tokens), power))
    return reduce(BaseUnit.times, factors)


def _power(tokens: list[str]) -> BaseUnit:
    """A unit or a bracket, with its exponent."""
    first = tokens.pop(0)
    if first == "(":
        base = _product(tokens)
        if tokens.pop(0) != ")":
            raise ValueError
    else:
        base = KNOWN[first]
    if tokens and tokens[0] in ("^", "**"):
        tokens.pop(0)
        return BaseUnit().times(base, int(tokens.pop(0)))
    return base
