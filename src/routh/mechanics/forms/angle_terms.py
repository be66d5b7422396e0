"""Angles and exponents as sums of terms that no rational numbers connect.

Of a polynomial these are its products. A quotient is taken apart as far as it goes, R/(R - r) into
1 + r/(R - r): one over each factor is a letter of its own, and what is left after division by a
Groebner basis of their relations is one sum of products (Heller and von Manteuffel, MultivariateApart,
2022). That of a sum of angles is the sum of theirs, so that their waves are multiplied, however they
are written.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import chain
from typing import Any

import sympy
from sympy.polys.groebnertools import groebner
from sympy.polys.orderings import ProductOrder, grlex

from routh.mechanics.forms.irreducible import sympy_number
from routh.mechanics.forms.laurent import Form, Product, Rational, Work, whole
from routh.mechanics.forms.naming import by_name

MOST_FACTORS = 3
"""Different factors below a quotient that is taken apart."""

MOST_TERMS = 6
"""Terms of each of them."""

MOST_POWERS = 6
"""Powers of all of them, and of letters that are divided by, together."""

TAKEN_APART = 500
"""Products of terms that taking one term of a quotient apart counts as."""

Term = tuple[Rational, sympy.Expr]


class Remainders:
    """Takes quotients of polynomials apart into sums of a number times products and powers of factors.

    Arguments:
        letters: what the generators of the polynomials stand for.
        factors: pairs of a form that is divided by and how it is written.
        work: what may be spent.
    """

    def __init__(
        self, letters: dict[int, sympy.Expr], factors: list[tuple[Form, sympy.Expr]], work: Work
    ) -> None:
        self._work = work
        signed = [_positive(form, written) for form, written in factors]
        names = [by_name(written) for _, written, _ in signed]
        self._order = sorted(range(len(signed)), key=lambda i: names[i])
        self._factors = [signed[i][:2] for i in self._order]
        self._signs = [signed[i][2] for i in self._order]
        self._used = sorted(letters, key=lambda k: by_name(letters[k]))
        self._letters = [letters[k] for k in self._used]
        self._bases: dict[frozenset[int], Any] = {}

    def __call__(self, above: Form, powers: list[int]) -> list[Term]:
        """The terms of a polynomial, powers of letters negative at will, over powers of the factors."""
        columns = [[Fraction(dict(p).get(k, 0)) for p in above] for k in self._used]
        down = frozenset(i for i, column in enumerate(columns) if min(column, default=0) < 0)
        letters, basis = self._basis(down)
        own = [powers[i] for i in self._order]
        sign = 1
        for s, power in zip(self._signs, own, strict=True):
            sign *= s**power
        rows = {}
        for i, number in enumerate(above.values()):
            ups = [max(int(column[i]), 0) for column in columns]
            downs = [max(-int(columns[j][i]), 0) for j in sorted(down)]
            rows[*own, *downs, *ups] = sympy.QQ(number[0].numerator, number[0].denominator) * sign
        self._work.spend(TAKEN_APART * len(rows))
        left = letters.from_dict(rows).rem(basis)
        return [(sympy_number(n), self._written(row, sorted(down))) for row, n in left.terms()]

    def _basis(self, down: frozenset[int]) -> Any:
        """The ring in which each factor and letter that is divided by has an inverse, and its basis."""
        if down not in self._bases:
            count = len(self._factors) + len(down)
            order = ProductOrder((grlex, lambda m: m[:count]), (grlex, lambda m: m[count:]))
            names = [f"x{i}" for i in range(count + len(self._used))]
            letters, *all_ = sympy.ring(names, sympy.QQ, order)
            ups = all_[count:]
            given = []
            for q, (form, _) in zip(all_, self._factors, strict=False):
                value = letters.zero
                for product, (a, _) in form.items():
                    term = letters.ground_new(sympy.QQ(a.numerator, a.denominator))
                    for k, e in product:
                        term *= ups[self._used.index(k)] ** int(e)
                    value += term
                given.append(q * value - 1)
            given += [
                q * ups[i] - 1 for q, i in zip(all_[len(self._factors) :], sorted(down), strict=False)
            ]
            self._work.spend(TAKEN_APART * len(given))
            self._bases[down] = letters, groebner(given, letters)
        return self._bases[down]

    def _written(self, row: tuple[int, ...], down: list[int]) -> sympy.Expr:
        below, count = len(self._factors), len(self._factors) + len(down)
        parts = chain(
            (written**-e for (_, written), e in zip(self._factors, row, strict=False)),
            (self._letters[i] ** -e for i, e in zip(down, row[below:], strict=False)),
            (letter**e for letter, e in zip(self._letters, row[count:], strict=True)),
        )
        return sympy.Mul(*parts)


def _positive(form: Form, written: sympy.Expr) -> tuple[Form, sympy.Expr, int]:
    if not written.could_extract_minus_sign():
        return form, written, 1
    return {p: (-a, -b) for p, (a, b) in form.items()}, -written, -1


def sorted_apart(above: Form, inside: set[int]) -> dict[Product, Form]:
    """A form by products of generators outside of a set, each with a polynomial of those inside."""
    groups: dict[Product, Form] = {}
    for product, number in above.items():
        own = tuple((k, whole(e)) for k, e in product if k in inside)
        rest = tuple((k, e) for k, e in product if k not in inside)
        groups.setdefault(rest, {})[own] = number
    return groups
