"""Making expressions shorter for people, within a budget of work.

Nothing numeric passes through here. When the budget is spent, the shortest form found so far is
what comes back. Seconds are counted in calls of SymPy, so that the form is the same on every machine.

`simplify`, `expand` and `solve` belong to what people read: nothing numeric waits for them.
"""

from __future__ import annotations

from collections.abc import Callable

import sympy
from sympy.core.cache import clear_cache

from routh.errors import DeclarationError
from routh.mechanics.forms.lowest_terms import MOST_PRODUCTS, reduced
from routh.mechanics.forms.printing import operations
from routh.mechanics.forms.vanish import vanishes
from routh.mechanics.forms.work import Work

EXPAND_LIMIT = 4000
"""Operations beyond which an expression is not multiplied out."""

SIMPLIFY_LIMIT = 400
"""Operations beyond which SymPy's general `simplify` is not tried: it would not end in time."""


class Tidy:
    """Shortens expressions until its seconds are spent.

    The general `simplify` of SymPy gets at most a quarter of what is left for one expression, so
    that the last ones are not left out.
    """

    def __init__(self, seconds: float | Work) -> None:
        self._work = seconds if isinstance(seconds, Work) else Work(seconds)

    @classmethod
    def within(cls, seconds: object) -> Tidy:
        """The same for seconds that a person gave, whatever SymPy remembers of what was done before."""
        found = cls.seconds(seconds, "simplify", "shorter forms")
        if found:
            clear_cache()
        return cls(found)

    @staticmethod
    def seconds(given: object, argument: str, purpose: str) -> float:
        """A checked number of seconds."""
        if isinstance(given, bool) or not isinstance(given, (int, float)) or not given >= 0:
            raise DeclarationError(
                f"`{argument}` is the number of seconds to spend on {purpose}, 0 for none. Got"
                f" {given!r}."
            )
        return float(given)

    def __call__(self, expression: sympy.Expr) -> sympy.Expr:
        """The shortest form found."""
        best = expression
        for transform, share in _TRANSFORMS:
            if best.is_Atom or self._work.spent:
                break
            with self._work.spend(share):
                candidate = transform(best)
                if _length(candidate) < _length(best) and not _new_pieces(candidate, best):
                    best = candidate
        return best

    def fraction(self, expression: sympy.Expr) -> sympy.Expr:
        """The expression in lowest terms, with sines and cosines, if that is shorter."""
        if expression.is_Atom or self._work.spent:
            return expression
        found, products = reduced(expression, min(MOST_PRODUCTS, self._work.left))
        self._work.charge(products)
        with self._work.spend(0.25):
            found = sympy.factor_terms(found)
        return found if operations(found) <= operations(expression) else expression

    @property
    def spent(self) -> bool:
        """Whether nothing is left to spend."""
        return self._work.spent

    def matrix(self, matrix: sympy.ImmutableDenseMatrix) -> sympy.ImmutableDenseMatrix:
        """The matrix with shortened entries."""
        return type(matrix)(matrix.rows, matrix.cols, [self(entry) for entry in matrix])


def _length(expression: sympy.Expr) -> int:
    return operations(expression)


def _new_pieces(candidate: sympy.Expr, before: sympy.Expr) -> bool:
    """Whether a smooth function, or |x|, became one that is put together of pieces."""
    return candidate.has(sympy.Piecewise) and not before.has(sympy.Piecewise)


def _products_to_sums(expression: sympy.Expr) -> sympy.Expr:
    """sin(a)*sin(b) + cos(a)*cos(b) becomes cos(a - b): what positions and velocities ask for.

    Like TR8 of Fu, Zhong and Zeng (2006), on the expanded sum and hence without a search.
    """
    if _length(expression) > EXPAND_LIMIT:
        return expression
    terms = sympy.Add.make_args(sympy.expand(expression))
    candidate = sympy.factor_terms(sympy.Add(*map(_harmonics, terms)))
    return candidate if vanishes(candidate - expression) else expression


def fewer_symbols(expression: sympy.Expr) -> sympy.Expr:
    """The expression multiplied out, with sines and cosines of sums, if some symbol cancels by that.

    So time and angles of frames disappear from the squares of velocities.
    """
    if not expression.has(sympy.sin, sympy.cos) or _length(expression) > EXPAND_LIMIT:
        return expression
    terms = sympy.Add.make_args(sympy.expand(expression))
    candidate = sympy.Add(*map(_harmonics, terms))
    if len(candidate.atoms(sympy.Symbol)) == len(expression.atoms(sympy.Symbol)):
        return expression
    return candidate if vanishes(candidate - expression) else expression


def _harmonics(term: sympy.Expr) -> sympy.Expr:
    """One product of sines and cosines as a sum of single sines and cosines."""
    plain: list[sympy.Expr] = []
    waves: list[sympy.Expr] = []
    for factor in sympy.Mul.make_args(term):
        base, exponent = factor.as_base_exp()
        if isinstance(base, (sympy.sin, sympy.cos)) and exponent in (1, 2, 3, 4):
            waves += [base] * int(exponent)
        else:
            plain.append(factor)
    if not 2 <= len(waves) <= 8:
        return term
    total = waves[0]
    for wave in waves[1:]:
        total = sympy.Add(*(_product(part, wave) for part in sympy.Add.make_args(total)))
    return sympy.Add(*(sympy.Mul(*plain, part) for part in sympy.Add.make_args(total)))


def _product(part: sympy.Expr, wave: sympy.Expr) -> sympy.Expr:
    """A number times a sine or cosine, or a bare number, times another sine or cosine."""
    number, single = part.as_coeff_Mul()
    if not isinstance(single, (sympy.sin, sympy.cos)):
        return part * wave
    a, b = single.args[0], wave.args[0]
    same = isinstance(single, sympy.cos) == isinstance(wave, sympy.cos)
    function = sympy.cos if same else sympy.sin
    plus, minus = function(a + b), function(a - b)
    if isinstance(wave, sympy.sin):
        return number * (minus - plus if same else plus - minus) / 2
    return number * (plus + minus) / 2


def _simplified(expression: sympy.Expr) -> sympy.Expr:
    return expression if _length(expression) > SIMPLIFY_LIMIT else sympy.simplify(expression)


_TRANSFORMS: tuple[tuple[Callable[[sympy.Expr], sympy.Expr], float], ...] = (
    (sympy.factor_terms, 1.0),
    (_products_to_sums, 1.0),
    (_simplified, 0.25),
)
