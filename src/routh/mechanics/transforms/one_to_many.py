"""Branches of a Legendre transform: where a slope of one variable rises or falls, x follows from it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import sympy
from sympy.polys.polyerrors import PolynomialError

from routh.language.evaluation import Evaluation, Number
from routh.language.symbols import Momentum
from routh.language.walk import leaves
from routh.mechanics.forms.printing import operations, text
from routh.mechanics.forms.work import Work
from routh.mechanics.transforms.convexity import assumed, sign_of
from routh.mechanics.transforms.cubic_roots import cubic_roots, reduced
from routh.mechanics.transforms.monotone import Pieces

ROOTS = 60
"""Operations up to which an equation of one variable is solved in symbols."""

ROUNDED = 1e-14
"""Numbers with a point are taken for fractions this near, so that equations can be solved."""

SHORT = 30
"""Operations up to which an end of a branch is written in closed form."""

DIGITS = 60
SAME = 1e-30
"""Digits with which a closed form is tried, and how near it must come."""

NEAR = 1e-25
"""An end this near to zero is zero: cells are not halved further there."""


@dataclass(frozen=True, eq=False)
class Branch:
    """A part of the transform, for x between two ends.

    Attributes:
        variable: x.
        lower, upper: its ends, as expressions.
        conjugate: y.
        slopes: df/dx at the ends, None at infinity.
        convex: whether f bends upwards there, downwards if not.
        inverse: x in terms of y, or None where it has no closed form.
        transform: f* in terms of y, or None.
    """

    variable: sympy.Symbol
    lower: sympy.Expr
    upper: sympy.Expr
    convex: bool
    conjugate: Momentum
    slopes: tuple[sympy.Expr | None, sympy.Expr | None]
    inverse: sympy.Expr | None
    transform: sympy.Expr | None

    @property
    def where(self) -> str:
        """Where the branch holds, in words."""
        return self.holds("f")

    def holds(self, f: str) -> str:
        """The same with another letter for the function."""
        infinity = sympy.oo
        low, high = (None if abs(end) == infinity else end for end in (self.lower, self.upper))
        place = _range(low, self.variable, high) or f"every {self.variable}"
        slopes = _range(*_ordered(self.slopes, self.conjugate, self.convex))
        bends = f"{f} is {'convex' if self.convex else 'concave'}{assumed(self._symbols)}"
        return f"{place}{f', that is {slopes}' if slopes else ''}, where {bends}"

    @property
    def _symbols(self) -> set[sympy.Symbol]:
        parts = (self.lower, self.upper, *self.slopes, self.inverse, self.transform)
        return leaves([part for part in parts if part is not None])

    def told(self, f: str, star: str) -> str:
        """Where it holds and what it is, with letters for the function and for its transform."""
        found = "no closed form" if self.transform is None else f"{star} = {text(self.transform)}"
        return f"{self.holds(f)}: {found}"

    def __str__(self) -> str:
        return self.told("f", "f*")


def _ordered(
    slopes: tuple[sympy.Expr | None, sympy.Expr | None], y: Momentum, rising: bool
) -> tuple[sympy.Expr | None, sympy.Symbol, sympy.Expr | None]:
    return (slopes[0], y, slopes[1]) if rising else (slopes[1], y, slopes[0])


def _range(low: sympy.Expr | None, x: sympy.Symbol, high: sympy.Expr | None) -> str:
    if low is None or high is None:
        return (
            f"{x} < {_short(high)}"
            if high is not None
            else f"{x} > {_short(low)}"
            if low is not None
            else ""
        )
    return f"{_short(low)} < {x} < {_short(high)}"


def _short(e: sympy.Expr) -> str:
    return f"{float(e):.6g}" if e.is_Float else text(e)


def inverses(slope: sympy.Expr, x: sympy.Symbol, y: Momentum, work: float) -> list[sympy.Expr]:
    """Closed forms of x with a given slope that SymPy finds; other symbols count as positive."""
    if operations(slope) > ROOTS:
        return []
    exact = _exact(slope)
    others = sorted((s for s in leaves([exact]) if s != x), key=str)
    plain = {s: sympy.Symbol(f"a{k}", positive=True) for k, s in enumerate(others)}
    unknown, given = sympy.Symbol("unknown", real=True), sympy.Symbol("given", real=True)
    found: list[Any] = []
    with Work(work).spend():
        try:
            found = sympy.solve(exact.xreplace(plain | {x: unknown}) - given, unknown)
        except _UNSOLVED:
            found = []
    back = {symbol: s for s, symbol in plain.items()} | {given: y}
    closed = [root.xreplace(back) for root in found if isinstance(root, sympy.Expr)]
    return [root for root in closed if not root.has(sympy.Piecewise)]


def _exact(e: sympy.Expr) -> sympy.Expr:
    """The expression with fractions in the place of numbers with a point."""
    return sympy.nsimplify(e, rational=True, tolerance=ROUNDED) if e.has(sympy.Float) else e


_UNSOLVED = (
    NotImplementedError, ValueError, TypeError, AttributeError, ArithmeticError, RecursionError,
    PolynomialError, IndexError, KeyError,
)  # fmt: skip
"""What SymPy's solvers raise of equations that they do not solve."""


def whole_inverse(
    f: sympy.Expr, x: sympy.Symbol, y: Momentum, roots: list[sympy.Expr]
) -> sympy.Expr | None:
    """The closed form that holds wherever f has real values, if there is one."""
    infinity = sympy.oo
    return next((root for root in roots if _holds(root, f, x, y, -infinity, infinity)), None)


def branches(
    f: sympy.Expr,
    second: sympy.Expr,
    x: sympy.Symbol,
    y: Momentum,
    roots: list[sympy.Expr],
    found: Pieces | None,
) -> tuple[Branch, ...]:
    """The branches between the places where the second derivative changes its sign, as far as known."""
    ends = _ends_of_pieces(second, x, found) if found else _ends_of_polynomial(second, x)
    exact = _exact(f)
    roots = [*cubic_roots(exact.diff(x), x, y), *roots]
    least = reduced(exact, x, y)
    made = []
    for lower, upper, sign in ends:
        inverse = next((root for root in roots if _holds(root, f, x, y, lower, upper)), None)
        transform = None if inverse is None else least.xreplace({x: inverse})
        slopes = (_slope_at(f.diff(x), x, lower), _slope_at(f.diff(x), x, upper))
        made.append(Branch(x, lower, upper, sign > 0, y, slopes, inverse, transform))
    return tuple(made)


def _slope_at(slope: sympy.Expr, x: sympy.Symbol, end: sympy.Expr) -> sympy.Expr | None:
    """The slope at a finite end where it is finite."""
    if abs(end) == sympy.oo:
        return None
    at = sympy.factor_terms(slope.xreplace({x: end}))
    return None if at.has(sympy.zoo, sympy.nan, sympy.oo, -sympy.oo) else at


_Ends = list[tuple[sympy.Expr, sympy.Expr, int]]


def _ends_of_pieces(second: sympy.Expr, x: sympy.Symbol, found: Pieces) -> _Ends:
    kept = found.pieces if found.complete else found.pieces[1:-1]
    return [(_closed(p.lower, second, x), _closed(p.upper, second, x), p.sign) for p in kept]


def _closed(end: float, second: sympy.Expr, x: sympy.Symbol) -> sympy.Expr:
    """An end as a root or a multiple of pi, where it is one."""
    if abs(end) == float("inf"):
        return sympy.oo if end > 0 else -sympy.oo
    if abs(end) < NEAR:
        return sympy.S.Zero
    for constants in ([], [sympy.pi]):
        guess = sympy.nsimplify(end, constants, tolerance=1e-13, rational=not constants)
        if operations(guess) <= 4 and second.xreplace({x: guess}) == 0:
            return guess
    if second.is_polynomial(x):
        for root in _radicals(second, x):
            if abs(float(root) - end) <= 1e-12 * abs(end):
                return root
    return sympy.Float(end)


def _radicals(second: sympy.Expr, x: sympy.Symbol) -> list[sympy.Expr]:
    found = sympy.roots(sympy.Poly(_exact(second), x))
    return [root for root in found if root.is_real and operations(root) <= SHORT]


def _ends_of_polynomial(second: sympy.Expr, x: sympy.Symbol) -> _Ends:
    """Ends in symbols, where the second derivative is linear or quadratic in x."""
    if not second.is_polynomial(x):
        return []
    polynomial = sympy.Poly(second, x)
    lead = sign_of(polynomial.LC(), set())
    infinity = sympy.oo
    if polynomial.degree() == 1 and lead:
        place = -polynomial.coeff_monomial(1) / polynomial.LC()
        return [(-infinity, place, -lead), (place, infinity, lead)]
    if polynomial.degree() != 2 or not lead:
        return []
    a, b, c = (polynomial.coeff_monomial(x**k) for k in (2, 1, 0))
    inside = sympy.factor(b**2 - 4 * a * c)
    if sign_of(inside, set()) <= 0:
        return []
    middle, away = -b / (2 * a), sympy.sqrt(inside) / (2 * a)
    ends = [-infinity, middle - lead * away, middle + lead * away, infinity]
    return [(low, high, lead * s) for (low, high), s in zip(pairwise(ends), (1, -1, 1), strict=True)]


def _holds(
    root: sympy.Expr, f: sympy.Expr, x: sympy.Symbol, y: Momentum, lower: sympy.Expr, upper: sympy.Expr
) -> bool:
    """Whether a closed form gives back what its slope was taken at, at several places of a branch."""
    slope = _exact(f).diff(x)
    symbols = sorted((leaves([f, lower, upper]) - {x}), key=str)
    others = {s: 1.4 + 0.4 * k for k, s in enumerate(symbols)}
    at = Evaluation(others, DIGITS)
    low, high = (None if abs(end) == sympy.oo else at(end) for end in (lower, upper))
    tried = 0
    for place in _places(low, high):
        given = Evaluation(others | {x: place}, DIGITS)(slope)
        if given is None:
            continue
        back = Evaluation(others | {y: given}, DIGITS, beyond=True)(root)
        if back is None or abs(back - place) > SAME * max(1, abs(place)):
            return False
        tried += 1
    return tried > 1


def _places(low: Number | None, high: Number | None) -> list[Number]:
    """Places within an interval, with ends or without."""
    away = (0.013, 0.17, 0.5, 2.1, 7.3)
    if low is None:
        both = [-3.9, -1.1, -0.31, -0.013, 0.05, 0.17, 0.7, 2.6]
        return both if high is None else [high - d for d in away]
    if high is None:
        return [low + d for d in away]
    return [low + share * (high - low) for share in (0.013, 0.17, 0.5, 0.83)]
