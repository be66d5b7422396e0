"""Quadratic forms turned around: `W x = y` solved as a person would, block by block.

Variables that do not feel each other are inverted by themselves. A block is one fraction over its
determinant, with common factors cancelled and every entry above tidied; or a sum of squares, where
eliminating one variable after the other needs no fractions within the squares: the top, where
`(p_phi - p_psi cos(theta))^2` stays as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from itertools import permutations
from math import factorial

import sympy
from sympy import ImmutableDenseMatrix as Matrix
from sympy.polys.domains import QQ
from sympy.polys.polyerrors import BasePolynomialError
from sympy.polys.polytools import Poly

from routh.language.evaluation import FEW, Evaluation
from routh.language.walk import written_size
from routh.mechanics.forms.inverse import adjugate, determinant
from routh.mechanics.forms.printing import operations
from routh.mechanics.forms.tidy import Tidy

LARGEST_CANCELLED = 2000
"""Nodes of a determinant up to which common factors are looked for."""

MOST_ORDERS = 6
"""Orders of elimination that are tried for a sum of squares: those of three variables."""


Quotient = tuple[Matrix, sympy.Expr]
"""A row of factors, and what they are divided by."""


@dataclass(frozen=True, eq=False)
class InvertedBlock:
    """The inverse of one block: `numerator / over`, and squares where they are shorter.

    Attributes:
        places: which variables it holds, by number.
        numerator: (k, k) what stands above.
        over: the determinant, without what is common to all.
        determinant: the determinant itself, as a product.
        rows: pairs (row, over) in lowest terms: each variable is row . y / over.
        squares: pairs (row, d): the transform is the sum of (row . y)^2 / (2 d), or None.
        is_cancelled: whether all is in lowest terms; else it is as minors are.
    """

    places: tuple[int, ...]
    numerator: Matrix
    over: sympy.Expr
    determinant: sympy.Expr
    rows: tuple[Quotient, ...]
    squares: tuple[Quotient, ...] | None
    is_cancelled: bool

    def transform(self, y: Sequence[sympy.Expr]) -> sympy.Expr:
        """`y^T W^-1 y / 2` of the variables of the block."""
        own = [y[k] for k in self.places]
        if self.squares is not None:
            return sympy.Add(*(_dot(row, own) ** 2 / (2 * d) for row, d in self.squares))
        return self.above(y) / (2 * self.over)

    def above(self, y: Sequence[sympy.Expr]) -> sympy.Expr:
        """`y^T numerator y`, term by term."""
        own = [y[k] for k in self.places]
        pairs = ((i, j) for i in range(len(own)) for j in range(i, len(own)))
        return sympy.Add(
            *((1 if i == j else 2) * self.numerator[i, j] * own[i] * own[j] for i, j in pairs)
        )

    def solved(self, y: Sequence[sympy.Expr]) -> list[sympy.Expr]:
        """`W^-1 y` for the variables of the block."""
        own = [y[k] for k in self.places]
        if self.squares is not None:
            parts = [(row, _dot(row, own) / d) for row, d in self.squares]
            return [sympy.Add(*(row[i] * part for row, part in parts)) for i in range(len(own))]
        return [_dot(row, own) / over for row, over in self.rows]


def inverted_blocks(W: Matrix, tidy: Tidy, *, lowest: bool) -> tuple[InvertedBlock, ...]:
    """The blocks of a symmetric matrix of expressions, each inverted, in lowest terms if asked for."""
    return tuple(_inverted(W, places, tidy, lowest) for places in _connected(W))


def _connected(W: Matrix) -> list[tuple[int, ...]]:
    """Variables that hang together by entries other than zero."""
    left, found = list(range(W.rows)), []
    while left:
        group = [left.pop(0)]
        for k in group:
            near = [j for j in left if W[k, j] != 0]
            group += near
            left = [j for j in left if j not in near]
        found.append(tuple(sorted(group)))
    return found


def _inverted(W: Matrix, places: tuple[int, ...], tidy: Tidy, lowest: bool) -> InvertedBlock:
    n = len(places)
    own = Matrix(n, n, lambda i, j: W[places[i], places[j]])
    numerator, over = adjugate(own), determinant(own)
    short = written_size(over) <= LARGEST_CANCELLED
    waves = _Waves([*numerator, over] if lowest and short else [])
    if not waves.fit:
        rows = tuple((numerator[i, :], over) for i in range(n))
        return InvertedBlock(places, numerator, over, over, rows, None, is_cancelled=n == 1)
    *entries, below = waves.polynomials
    above, least = waves.lowest(entries, below, tidy)
    each = [waves.lowest(entries[i * n : (i + 1) * n], below, tidy) for i in range(n)]
    rows = tuple((Matrix([row]), over) for row, over in each)
    whole = waves.product(below, tidy)
    made = InvertedBlock(places, Matrix(n, n, above), least, whole, rows, None, is_cancelled=True)
    return replace(made, squares=_squares(own, made, tidy))


def _squares(W: Matrix, whole: InvertedBlock, tidy: Tidy) -> tuple[Quotient, ...] | None:
    """The shortest sum of squares without fractions in them, if it is shorter than one fraction."""
    if W.rows == 1 or factorial(W.rows) > MOST_ORDERS:
        return None
    y = [sympy.Dummy() for _ in range(max(whole.places) + 1)]
    best, length = None, operations(whole.transform(y))
    for order in permutations(range(W.rows)):
        found = _eliminated(W, order, tidy)
        if found is not None and operations(replace(whole, squares=found).transform(y)) < length:
            best, length = found, operations(replace(whole, squares=found).transform(y))
    return best


def _eliminated(W: Matrix, order: tuple[int, ...], tidy: Tidy) -> tuple[Quotient, ...] | None:
    """Squares by eliminating the variables in some order; None where one has a fraction in it."""
    n = W.rows
    waves = _Waves(list(W))
    left = [waves.polynomials[k * n : (k + 1) * n] for k in range(n)]
    rows = [[waves.number(int(i == j)) for j in range(n)] for i in range(n)]
    found: dict[int, sympy.Expr] = {}
    for place, k in enumerate(order):
        pivot = left[k][k]
        if pivot.is_zero:
            return None
        found[k] = waves.product(pivot, tidy)
        for i in order[place + 1 :]:
            share, remainder = left[i][k].div(pivot)
            if not remainder.is_zero:
                return None
            rows[i] = [waves.less(a, share, b) for a, b in zip(rows[i], rows[k], strict=True)]
            left[i] = [waves.less(a, share, b) for a, b in zip(left[i], left[k], strict=True)]
    return tuple((Matrix([[tidy(waves.expression(p)) for p in rows[k]]]), d) for k, d in found.items())


class _Waves:
    """Expressions as polynomials in their symbols, sines and cosines, with sines to the first power.

    Multiples of one angle are written in the least of them. `fit` says whether the expressions are such
    polynomials, with fractions as numbers.
    """

    def __init__(self, expressions: Sequence[sympy.Expr]) -> None:
        every = sympy.Tuple(*expressions)
        self._pairs: list[tuple[sympy.Symbol, sympy.Symbol]] = []
        self._back: dict[sympy.Basic, sympy.Basic] = {}
        self.polynomials: list[Poly] = []
        table = self._table(every)
        plain = [e.xreplace(table) for e in expressions]
        waves = [x for pair in self._pairs for x in pair]
        others = sorted(sympy.Tuple(*plain).free_symbols - set(waves), key=str)
        self._generators = [*others, *waves] or [sympy.Dummy()]
        if every.has(sympy.Float):
            return
        try:
            self.polynomials = [self._lowered(Poly(e, *self._generators, domain=QQ)) for e in plain]
        except BasePolynomialError:
            return

    @property
    def fit(self) -> bool:
        """Whether all of them are polynomials."""
        return bool(self.polynomials)

    def _table(self, every: sympy.Basic) -> dict[sympy.Basic, sympy.Basic]:
        """What stands for each sine and cosine."""
        angles = sorted({f.args[0] for f in every.atoms(sympy.sin, sympy.cos)}, key=str)
        times: dict[sympy.Expr, list[sympy.Rational]] = {}
        for angle in angles:
            number, base = angle.as_coeff_Mul()
            times.setdefault(base, []).append(number)
        table: dict[sympy.Basic, sympy.Basic] = {}
        for base, numbers in times.items():
            least = reduce(sympy.gcd, numbers)
            c, s = sympy.Dummy(), sympy.Dummy()
            self._pairs.append((c, s))
            self._back |= {c: sympy.cos(least * base), s: sympy.sin(least * base)}
            for number in numbers:
                n = int(number / least)
                table[sympy.cos(number * base)] = sympy.chebyshevt(abs(n), c)
                sine = s * sympy.chebyshevu(abs(n) - 1, c) if n else sympy.S.Zero
                table[sympy.sin(number * base)] = sine if n > 0 else -sine
        return table

    def _lowered(self, p: Poly) -> Poly:
        """The polynomial with squares of sines replaced by those of cosines."""
        for c, s in self._pairs:
            if p.degree(s) > 1:
                p = Poly(sympy.rem(p.as_expr(), s**2 + c**2 - 1, s), *self._generators, domain=QQ)
        return p

    def number(self, value: int) -> Poly:
        """A number as a polynomial."""
        return Poly(value, *self._generators, domain=QQ)

    def less(self, a: Poly, share: Poly, b: Poly) -> Poly:
        """`a - share b`."""
        return self._lowered(a - share * b)

    def expression(self, p: Poly) -> sympy.Expr:
        """A polynomial as it is written."""
        return p.as_expr().xreplace(self._back)

    def lowest(
        self, above: Sequence[Poly], below: Poly, tidy: Tidy
    ) -> tuple[list[sympy.Expr], sympy.Expr]:
        """Numerators over one denominator without what is common to all of them."""
        common = reduce(lambda a, b: a.gcd(b), above, below)
        least = below.quo(common)
        if self._is_negative(self.expression(least)):
            common, least = -common, -least
        return [_short(self.expression(p.quo(common)), tidy) for p in above], self.product(least, tidy)

    def product(self, p: Poly, tidy: Tidy) -> sympy.Expr:
        """A determinant as a product, in the shortest of a few forms."""
        powers, rest = p.terms_gcd()
        number, factors = rest.factor_list()
        outer = sympy.Mul(*(x**k for x, k in zip(p.gens, powers, strict=True))).xreplace(self._back)
        inner = sympy.Mul(number, *(_short(self.expression(f), tidy) ** k for f, k in factors))
        content, rest = rest.primitive()
        return outer * min((inner, content * _short(self.expression(rest), tidy)), key=operations)

    @staticmethod
    def _is_negative(e: sympy.Expr) -> bool:
        """Whether an expression is negative at a sample, where all its symbols are positive."""
        symbols = sorted(e.free_symbols, key=str)
        found = Evaluation({s: 0.4 + 0.2 * k for k, s in enumerate(symbols)}, FEW)(e)
        return found is not None and found < 0


def _short(e: sympy.Expr, tidy: Tidy) -> sympy.Expr:
    """The shortest form with squares of cosines, of sines, or with twice the angle in their place."""
    best = min((tidy(e), sympy.factor_terms(e)), key=operations)
    for wave in sorted(e.atoms(sympy.cos), key=str):
        half = 1 - 2 * sympy.sin(wave.args[0] / 2) ** 2
        for turned in (best.replace(partial(_is_square, wave), _turned), best.xreplace({wave: half})):
            other = sympy.expand(turned)
            best = min((best, tidy(other), sympy.factor_terms(other)), key=operations)
    return best


def _is_square(wave: sympy.Expr, e: sympy.Basic) -> bool:
    return bool(e.is_Pow and e.base == wave and e.exp.is_Integer and e.exp > 1)


def _turned(power: sympy.Expr) -> sympy.Expr:
    """A power of a cosine with its squares written in sines."""
    wave, exponent = power.base, int(power.exp)
    return (1 - sympy.sin(wave.args[0]) ** 2) ** (exponent // 2) * wave ** (exponent % 2)


def _dot(row: Sequence[sympy.Expr], column: Sequence[sympy.Expr]) -> sympy.Expr:
    return sympy.Add(*(a * b for a, b in zip(row, column, strict=True) if a != 0))
