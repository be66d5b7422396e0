"""Units as labels, and whether energies and constraints agree with them.

A unit is a text like `kg*m^2/s^2`. Numbers are never converted: the dimensions are compared, and what
does not fit is said. What has no label is not judged.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

import sympy

from routh.errors import DeclarationError, did_you_mean, listed, shortened
from routh.language.derivation import domain, integrand
from routh.language.fields import Field
from routh.language.symbols import Let, Signal, t
from routh.language.system import System

Dimension = tuple[Fraction, ...]
"""Powers of kg, m, s, A and K."""

_BASE = ("kg", "m", "s", "A", "K")
NONE: Dimension = (Fraction(0),) * len(_BASE)


def _made(**powers: int) -> Dimension:
    return tuple(Fraction(powers.get(name, 0)) for name in _BASE)


UNITS: dict[str, Dimension] = {
    **{name: _made(**{name: 1}) for name in _BASE},
    **dict.fromkeys(("1", "rad", "deg", "%"), NONE),
    **dict.fromkeys(("mm", "cm", "km"), _made(m=1)),
    **dict.fromkeys(("ms", "min", "h"), _made(s=1)),
    "g": _made(kg=1),
    "Hz": _made(s=-1),
    "N": _made(kg=1, m=1, s=-2),
    "kN": _made(kg=1, m=1, s=-2),
    "J": _made(kg=1, m=2, s=-2),
    "W": _made(kg=1, m=2, s=-3),
    "Pa": _made(kg=1, m=-1, s=-2),
    "C": _made(A=1, s=1),
    "V": _made(kg=1, m=2, s=-3, A=-1),
    "Ohm": _made(kg=1, m=2, s=-3, A=-2),
    "F": _made(kg=-1, m=-2, s=4, A=2),
    "H": _made(kg=1, m=2, s=-2, A=-2),
    "Wb": _made(kg=1, m=2, s=-2, A=-1),
    "T": _made(kg=1, s=-2, A=-1),
}


_POWER = re.compile("-?[1-9]")

SCALED = {"deg": "rad", "%": "1", "mm": "m", "cm": "m", "km": "m", "ms": "s", "min": "s", "h": "s",
          "g": "kg", "kN": "N"}  # fmt: skip
"""Units that are a multiple of another one."""


def dimension_of(unit: str) -> Dimension:
    """The dimension of a unit like `N*m/rad` or `m/s^2`."""
    total = NONE
    sign = 1
    for part in unit.replace(" ", "").replace("*", "*\0").replace("/", "/\0").split("\0"):
        word = part.rstrip("*/")
        name, raised, power = word.partition("^")
        if name not in UNITS or (raised and not _POWER.fullmatch(power)):
            raise DeclarationError(
                f"The unit `{unit}` contains `{word}`, which is not known. Expected products and powers"
                f" of {listed(UNITS)}." + did_you_mean(name, UNITS)
            )
        times = sign * Fraction(int(power or 1))
        total = tuple(a + times * b for a, b in zip(total, UNITS[name], strict=True))
        sign = -1 if part.endswith("/") else 1
    return total


def shown(dimension: Dimension) -> str:
    """A dimension as a product of base units."""
    words = [
        name if power == 1 else f"{name}^{power}"
        for name, power in zip(_BASE, dimension, strict=True)
        if power
    ]
    return "*".join(words) or "1"


@dataclass(frozen=True)
class _Mismatch(Exception):
    """Two parts of an expression that do not fit together."""

    sentence: str


def dimension_warnings(system: System, units: Mapping[str, str]) -> tuple[str, ...]:
    """A sentence for each energy term or constraint whose dimensions do not fit."""
    known = {name: dimension_of(unit) for name, unit in units.items()}
    found: list[str] = [
        f"`{name}` is in `{unit}`, and numbers are never converted: write it in"
        f" `{SCALED[word]}` where the other units are not multiples too."
        for name, unit in units.items()
        for word in re.findall(r"[A-Za-z%]+", unit)
        if word in SCALED
    ]
    wanted: dict[str, Dimension | None] = {
        "kinetic": UNITS["J"], "potential": UNITS["J"], "lagrangian": UNITS["J"],
        "dissipation": UNITS["W"], "constraints": None,
    }  # fmt: skip
    for part, expected in wanted.items():
        for term in getattr(system, part):
            try:
                got = _dimension(term, known)
            except _Mismatch as wrong:
                found.append(f"`{shortened(term, 80)}` in `{part}`: {wrong.sentence}")
                continue
            if expected is not None and got is not None and got != expected and term != 0:
                found.append(
                    f"`{shortened(term, 80)}` in `{part}` has the dimension {shown(got)}, where"
                    f" {shown(expected)} is expected."
                )
    return tuple(found)


def _dimension(e: sympy.Basic, known: Mapping[str, Dimension]) -> Dimension | None:
    """The dimension of an expression; None where a label is missing."""
    if isinstance(e, Let):
        return _dimension(e.expression, known)
    if isinstance(e, Signal):
        return _of_signal(e, known)
    if e == t:
        return UNITS["s"]
    if isinstance(e, sympy.Symbol):
        return known.get(e.name)
    if e.is_number:
        return NONE
    if isinstance(e, sympy.Integral):
        return _times([_dimension(integrand(e), known), _dimension(domain(e)[0], known)])
    if e.is_Mul:
        return _times(_dimension(factor, known) for factor in e.args)
    if e.is_Pow:
        return _of_power(e, known)
    if e.is_Add:
        return _of_sum(e, known)
    return _of_function(e, known)


def _of_signal(e: Signal, known: Mapping[str, Dimension]) -> Dimension | None:
    own = known.get(e.label)
    if own is None:
        return None
    slope = e.slope if isinstance(e, Field) else 0
    along = known.get(e.space.name) if isinstance(e, Field) else NONE
    if slope and along is None:
        return None
    second, place = UNITS["s"], along or NONE
    return tuple(a - e.order * b - slope * c for a, b, c in zip(own, second, place, strict=True))


def _times(factors: Iterable[Dimension | None]) -> Dimension | None:
    total = NONE
    for factor in factors:
        if factor is None:
            return None
        total = tuple(a + b for a, b in zip(total, factor, strict=True))
    return total


def _of_power(e: sympy.Expr, known: Mapping[str, Dimension]) -> Dimension | None:
    base = _dimension(e.base, known)
    if base is None or not e.exp.is_Rational:
        return base if base == NONE else None
    power = Fraction(int(e.exp.p), int(e.exp.q))
    return tuple(power * a for a in base)


def _of_sum(e: sympy.Expr, known: Mapping[str, Dimension]) -> Dimension | None:
    parts = [(term, _dimension(term, known)) for term in e.args]
    judged = [(term, own) for term, own in parts if own is not None]
    for term, own in judged[1:]:
        first, other = judged[0]
        if own != other:
            raise _Mismatch(
                f"`{shortened(first, 40)}` has the dimension {shown(other)} and `{shortened(term, 40)}`"
                f" {shown(own)}; they cannot be added."
            )
    return judged[0][1] if len(judged) == len(parts) else None


_PLAIN = (sympy.Abs, sympy.Max, sympy.Min)


def _of_function(e: sympy.Basic, known: Mapping[str, Dimension]) -> Dimension | None:
    inner = [_dimension(argument, known) for argument in e.args if isinstance(argument, sympy.Expr)]
    if isinstance(e, _PLAIN):  # the largest of 0 and a length is a length
        counted = [x for argument, x in zip(e.args, inner, strict=True) if argument != 0]
        return None if None in counted else counted[0]
    if isinstance(e, sympy.atan2):
        return NONE
    for argument, own in zip(e.args, inner, strict=False):
        if own is not None and own != NONE:
            raise _Mismatch(
                f"the argument `{shortened(argument, 40)}` of {type(e).__name__} has the dimension"
                f" {shown(own)}; it must be a pure number."
            )
    return NONE
