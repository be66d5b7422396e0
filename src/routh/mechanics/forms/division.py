"""Exact division of forms: a quotient where there is no remainder, or none.

Generators may have negative exponents and so have no smallest power of their own; both forms are
shifted until none is negative, which changes the quotient by one product.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import gcd, lcm

from routh.mechanics.forms.laurent import Form, Number, Product, Rational, Work, inverse, whole

Dense = tuple[Rational, ...]


def divided(above: Form, by: Form, work: Work) -> Form | None:
    """The quotient, None where a remainder is left."""
    used = sorted({k for product in (*above, *by) for k, _ in product})
    place = {k: i for i, k in enumerate(used)}
    left, shift_above = _dense(above, place)
    divisor, shift_by = _dense(by, place)
    found = _divided(left, divisor, work, whole=True)
    if found is None:
        return None
    moved = [a - b for a, b in zip(shift_above, shift_by, strict=True)]
    return {_sparse(power, moved, used): number for power, number in found[0].items()}


def remainder(above: Form, by: Form, work: Work) -> tuple[Form, Form]:
    """A quotient and what is left of a form, no term of which the highest of the divisor divides.

    Generators of the divisor have no negative exponents. The highest is by numbers of generators.
    """
    used = sorted({k for product in (*above, *by) for k, _ in product})
    place = {k: i for i, k in enumerate(used)}
    left, shift = _dense(above, place)
    divisor, _ = _dense(by, place)
    parts = _divided(left, divisor, work, whole=False)
    assert parts is not None
    found = ({_sparse(power, shift, used): n for power, n in part.items()} for part in parts)
    return next(found), next(found)


def _divided(
    left: dict[Dense, Number], divisor: dict[Dense, Number], work: Work, *, whole: bool
) -> tuple[dict[Dense, Number], dict[Dense, Number]] | None:
    """A quotient and what is left; None where something is and the quotient is to be `whole`."""
    lead = max(divisor)
    over = inverse(divisor.pop(lead))
    quotient: dict[Dense, Number] = {}
    rest: dict[Dense, Number] = {}
    while left:
        work.spend(len(divisor) + 1)
        first = max(left)
        number = left.pop(first)
        power = tuple(a - b for a, b in zip(first, lead, strict=True))
        if all(e >= 0 for e in power):
            quotient[power] = _times(number, over)
            _take_off(left, power, quotient[power], divisor)
        elif whole:
            return None
        else:
            rest[first] = number
    return quotient, rest


def primitive(form: Form, among: Callable[[int], bool]) -> tuple[Fraction, Product, Form]:
    """A form as content times product times the rest, which has no such factor in it.

    The content makes the numbers whole and coprime; the product is of generators, `among` those that
    count, which stand in all terms.
    """
    numbers = [Fraction(x) for pair in form.values() for x in pair if x]
    above, below = 0, 1
    for number in numbers:
        above, below = gcd(above, number.numerator), lcm(below, number.denominator)
    content = Fraction(above, below)
    common = {k: e for k, e in next(iter(form)) if among(k)}
    every = {k for product in form for k, _ in product if among(k)}
    for product in form:
        own = dict(product)
        common = {k: min(common.get(k, 0), own.get(k, 0)) for k in every}
    shared = tuple(sorted((k, e) for k, e in common.items() if e))
    rest = {
        _without(product, common): (whole(Fraction(a) / content), whole(Fraction(b) / content))
        for product, (a, b) in form.items()
    }
    return content, shared, rest


def _without(product: Product, common: dict[int, Rational]) -> Product:
    own = dict(product)
    keys = sorted(own.keys() | common.keys())
    moved = ((k, own.get(k, 0) - common.get(k, 0)) for k in keys)
    return tuple((k, e) for k, e in moved if e)


def _dense(form: Form, place: dict[int, int]) -> tuple[dict[Dense, Number], list[Rational]]:
    """Exponents in a row for every generator, from zero on, and what they were shifted by."""
    rows = {}
    for product, number in form.items():
        row: list[Rational] = [0] * len(place)
        for k, e in product:
            row[place[k]] = e
        rows[tuple(row)] = number
    least = [min(column) for column in zip(*rows, strict=True)]
    return {
        tuple(a - b for a, b in zip(row, least, strict=True)): number for row, number in rows.items()
    }, least


def _sparse(power: Dense, moved: list[Rational], used: list[int]) -> Product:
    total = (a + b for a, b in zip(power, moved, strict=True))
    return tuple((k, whole(e)) for k, e in zip(used, total, strict=True) if e)


def _take_off(
    left: dict[Dense, Number], power: Dense, number: Number, divisor: dict[Dense, Number]
) -> None:
    """Subtract a multiple of the divisor without its highest term."""
    for other, own in divisor.items():
        to = tuple(a + b for a, b in zip(power, other, strict=True))
        a, b = _times(number, own)
        c, d = left.get(to, (0, 0))
        real, imaginary = whole(c - a), whole(d - b)
        if real or imaginary:
            left[to] = (real, imaginary)
        else:
            left.pop(to, None)


def _times(p: Number, q: Number) -> Number:
    (a, b), (c, d) = p, q
    return whole(a * c - b * d), whole(a * d + b * c)
