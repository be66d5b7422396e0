"""Sums of products of powers, with every product multiplied out and equal ones added up.

A form maps products to complex rational numbers; a product lists generators with their exponents,
which may be negative, and for waves exp(i m) fractions. Two forms are the same function for whatever
the generators are if and only if they are the same mapping, so a form without a generator does not
depend on it: that is shown, not sampled.
"""

from __future__ import annotations

from fractions import Fraction

Rational = int | Fraction
"""Whole numbers stay Python's own, which are several times quicker."""

Product = tuple[tuple[int, Rational], ...]
"""Generators by number, ascending, with exponents other than zero."""

Number = tuple[Rational, Rational]
"""Real and imaginary part."""

Form = dict[Product, Number]


class TooLongError(Exception):
    """Multiplying out takes more products than were granted."""


class Work:
    """Counts products of terms, so that what is given up is so on every machine."""

    def __init__(self, granted: int) -> None:
        self.left = granted

    def spend(self, count: int) -> None:
        """Take so many from what is left.

        Raises:
            TooLongError: nothing is left.
        """
        self.left -= count
        if self.left < 0:
            raise TooLongError


def constant(real: Rational, imaginary: Rational = 0) -> Form:
    """A number."""
    return {(): (real, imaginary)} if real or imaginary else {}


def generator(number: int, exponent: Rational = 1) -> Form:
    """A power of one generator."""
    return {((number, exponent),): (1, 0)} if exponent else constant(1)


def whole(number: Rational) -> Rational:
    """The same number, as an integer if it is one."""
    return int(number) if number.denominator == 1 else number


def plus(forms: list[Form]) -> Form:
    """The sum."""
    total: Form = {}
    for form in forms:
        for product, (a, b) in form.items():
            _add(total, product, a, b)
    return total


def times(first: Form, second: Form, work: Work) -> Form:
    """The product, multiplied out."""
    work.spend(len(first) * len(second))
    total: Form = {}
    for p, (a, b) in first.items():
        for q, (c, d) in second.items():
            _add(total, _joined(p, q), a * c - b * d, a * d + b * c)
    return total


def scaled(form: Form, real: Rational, imaginary: Rational = 0) -> Form:
    """A number times the form."""
    a, b = real, imaginary
    return {p: (whole(a * c - b * d), whole(a * d + b * c)) for p, (c, d) in form.items()}


def power(form: Form, exponent: int, work: Work) -> Form:
    """A whole power, not negative."""
    total = constant(1)
    for _ in range(exponent):
        total = times(total, form, work)
    return total


def inverse(number: Number) -> Number:
    """One over a number."""
    a, b = number
    size = Fraction(a * a + b * b)
    return whole(a / size), whole(-b / size)


def unified(form: Form) -> tuple[Number, Form]:
    """A number times a form in which the first product, in their order, stands alone."""
    first = form[min(form)]
    return first, scaled(form, *inverse(first))


def _add(total: Form, product: Product, real: Rational, imaginary: Rational) -> None:
    known = total.get(product)
    if known is None:
        if real or imaginary:
            total[product] = (real, imaginary)
        return
    real, imaginary = known[0] + real, known[1] + imaginary
    if real or imaginary:
        total[product] = (real, imaginary)
    else:
        del total[product]


def _joined(p: Product, q: Product) -> Product:
    """The product of two: their generators merged, exponents of the same one added."""
    if not p or not q:
        return p or q
    if p[-1][0] < q[0][0]:
        return p + q
    if q[-1][0] < p[0][0]:
        return q + p
    made: list[tuple[int, Rational]] = []
    i = j = 0
    while i < len(p) and j < len(q):
        a, b = p[i], q[j]
        if a[0] < b[0]:
            made.append(a)
            i += 1
        elif b[0] < a[0]:
            made.append(b)
            j += 1
        else:
            exponent = a[1] + b[1]
            if exponent:
                made.append((a[0], exponent))
            i, j = i + 1, j + 1
    return (*made, *p[i:], *q[j:])
