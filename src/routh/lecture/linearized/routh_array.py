"""Routh's array of a polynomial, exactly, with both special cases (Routh 1877; Gantmacher, ch. XV).

The rows of `a0 s^n + a1 s^(n-1) + ... = 0` are (a0, a2, ...), (a1, a3, ...), and each further one

    c_j = (b_0 a_(j+1) - a_0 b_(j+1)) / b_0

of the two above it. Sign changes in the first column are roots with positive real part.

* A row of zeros belongs to roots that come with their opposites. They are the roots of the auxiliary
  polynomial, that of the row above; the coefficients of its derivative stand in the place of the zeros.
* A zero in the first column of another row is replaced by a small positive number, which must not meet
  roots that come with their opposites: it would move them. Where both happen, those roots are split off
  before, `p(s) = c(s^2) r(s)`, and each factor has an array of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import sympy

from routh.mechanics.forms.vanish import vanishes

s = sympy.Symbol("s")
"""The variable of characteristic polynomials."""


class _Mixed(Exception):
    """A zero in the first column, while some roots come with their opposites."""


@dataclass(frozen=True)
class RouthArray:
    """The array of one polynomial.

    Attributes:
        coefficients: those of the polynomial, the highest power first.
        rows: one for each power of s, the highest first; entries from the left.
        auxiliary: the powers of s whose row was zero, each with its auxiliary polynomial.
        small: powers of s in whose row a small positive number stands for a zero, with its symbol.
    """

    coefficients: tuple[sympy.Expr, ...]
    rows: tuple[tuple[sympy.Expr, ...], ...]
    auxiliary: tuple[tuple[int, sympy.Expr], ...] = ()
    small: tuple[tuple[int, sympy.Symbol], ...] = ()

    @property
    def degree(self) -> int:
        """The highest power of s."""
        return len(self.coefficients) - 1

    @property
    def column(self) -> tuple[sympy.Expr, ...]:
        """The first column, whose signs count."""
        return tuple(row[0] for row in self.rows)

    @property
    def signs(self) -> tuple[int, ...]:
        """The signs of the first column, where its entries are numbers but for the small ones."""
        order = [symbol for _, symbol in self.small]
        return tuple(_sign(entry, order) for entry in self.column)

    @property
    def changes(self) -> int:
        """How many roots have positive real part: the changes of sign in the first column."""
        signs = self.signs
        return sum(one != other for one, other in pairwise(signs))


def routh_arrays(
    coefficients: Sequence[sympy.Expr],
    shorter: Callable[[sympy.Expr], sympy.Expr] = sympy.cancel,
    rounding: float = 0.0,
) -> tuple[tuple[RouthArray, int], ...]:
    """The array of a polynomial; or those of its factors, each with its power, where one does not do.

    Arguments:
        coefficients: the highest power first, the first one not zero.
        shorter: brings an entry to its form; of what is zero it must make 0.
        rounding: share of what an entry is the difference of, below which it is zero; for numbers.

    Example:
        >>> (array, _), = routh_arrays([1, 2, 3, 10])
        >>> array.column, array.changes
        ((1, 2, -2, 10), 2)
    """
    given = tuple(sympy.S.Zero + c for c in coefficients)
    try:
        return ((_array(given, shorter, rounding), 1),)
    except _Mixed:
        pass
    found: list[tuple[RouthArray, int]] = []
    for factor, power in _factors(given):
        found.append((_array(factor, shorter, rounding), power))
    return tuple(found)


def _array(
    given: tuple[sympy.Expr, ...], shorter: Callable[[sympy.Expr], sympy.Expr], rounding: float
) -> RouthArray:
    """The array of a polynomial whose special cases do not meet."""
    n = len(given) - 1
    width = n // 2 + 1
    rows = [_filled(given[0::2], width), _filled(given[1::2], width)]
    auxiliary: list[tuple[int, sympy.Expr]] = []
    small: list[tuple[int, sympy.Symbol]] = []
    for k in range(1, n + 1):
        power = n - k
        above, row = rows[k - 1], rows[k]
        if not any(row):
            auxiliary.append((power, _polynomial(above, power + 1)))
            rows[k] = row = tuple(e * (power + 1 - 2 * j) for j, e in enumerate(above))
        elif row[0] == 0:
            if _common(above, row):
                raise _Mixed
            symbol = sympy.Symbol("epsilon" + str(len(small) + 1) * bool(small), positive=True)
            small.append((power, symbol))
            rows[k] = row = (symbol, *row[1:])
        rows.append(_next(above, row, shorter, rounding))
    entries = (row[: (n - k) // 2 + 1] for k, row in enumerate(rows[: n + 1]))
    return RouthArray(given, tuple(entries), tuple(auxiliary), tuple(small))


def _next(
    above: tuple[sympy.Expr, ...],
    row: tuple[sympy.Expr, ...],
    shorter: Callable[[sympy.Expr], sympy.Expr],
    rounding: float,
) -> tuple[sympy.Expr, ...]:
    """The row below two others."""
    a, b = above[0], row[0]

    def entry(x: sympy.Expr, y: sympy.Expr) -> sympy.Expr:
        if y == 0:
            return x
        made = shorter((b * x - a * y) / b)
        if rounding and made.is_number and abs(b * made) <= rounding * (abs(b * x) + abs(a * y)):
            return sympy.S.Zero
        return made

    pairs = zip((*above[1:], sympy.S.Zero), (*row[1:], sympy.S.Zero), strict=True)
    made = (entry(x, y) for x, y in pairs)
    return tuple(e if e.is_Rational or not vanishes(e) else sympy.S.Zero for e in made)


def _filled(entries: tuple[sympy.Expr, ...], width: int) -> tuple[sympy.Expr, ...]:
    return (*entries, *[sympy.S.Zero] * (width - len(entries)))


def _polynomial(row: tuple[sympy.Expr, ...], power: int) -> sympy.Expr:
    """The polynomial whose coefficients stand in a row that begins with a power of s."""
    return sympy.Add(*(e * s ** (power - 2 * j) for j, e in enumerate(row) if power >= 2 * j))


def _common(above: tuple[sympy.Expr, ...], row: tuple[sympy.Expr, ...]) -> bool:
    """Whether the polynomials of two rows have common roots s^2 that are not zero."""
    x = sympy.Dummy("x")
    one, other = (sympy.Poly(list(entries), x) for entries in (above, row))
    shared = sympy.gcd(one, other)
    return len([c for c in shared.all_coeffs() if c != 0]) > 1


def _factors(given: tuple[sympy.Expr, ...]) -> list[tuple[tuple[sympy.Expr, ...], int]]:
    """`c(s^2)` in factors of simple roots, each with its power, and r(s): their product is p(s)."""
    p = sympy.Poly(list(given), s)
    mirrored = sympy.gcd(p, p.compose(sympy.Poly(-s, s)))
    rest, left = sympy.div(p, mirrored)
    assert left.is_zero
    found = [(factor, int(power)) for factor, power in mirrored.sqf_list()[1]]
    found += [(rest * mirrored.sqf_list()[0], 1)] if rest.degree() else []
    return [(tuple(factor.all_coeffs()), power) for factor, power in found]


def _sign(entry: sympy.Expr, small: list[sympy.Symbol]) -> int:
    """The sign of a number with small positive ones in it, each much smaller than those before it."""
    above, below = sympy.fraction(sympy.cancel(entry))
    return _lowest(above, small) * _lowest(below, small)


def _lowest(polynomial: sympy.Expr, small: list[sympy.Symbol]) -> int:
    """The sign of a polynomial in small numbers: that of its lowest power."""
    for symbol in reversed(small):
        if polynomial.has(symbol):
            polynomial = sympy.Poly(polynomial, symbol).all_coeffs()
            polynomial = next(c for c in reversed(polynomial) if c != 0)
    return int(sympy.sign(polynomial))
