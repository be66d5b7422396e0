"""Real forms as products of irreducible real ones, so that what is divided by has one writing.

Waves are letters of a polynomial here, and a real factor is one that is its own mirror, or one times
its mirror: 1 - cos(x) is twice the square of sin(x/2), and 1 - cos(x)^2 four times the squares of
sin(x/2) and cos(x/2). What has sines is turned by a quarter where that makes all numbers real. What is
long, or has roots in it, is left whole.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Set
from fractions import Fraction
from itertools import pairwise
from math import lcm
from typing import Any

import sympy

from routh.mechanics.forms.division import divided, primitive
from routh.mechanics.forms.laurent import Form, Number, Product, Rational, Work, inverse, times, whole

MOST_TERMS = 30
"""Terms up to which a form is taken apart."""

HIGHEST_POWER = 12
"""Powers up to which it is."""

FACTORED = 200
"""Products of terms that taking one term apart counts as."""

Factors = list[tuple[Form, int]]

Exponents = tuple[int, ...]

QUARTERS: tuple[Number, ...] = ((1, 0), (0, 1), (-1, 0), (0, -1))
"""Powers of i."""


def factors(
    form: Form, waves: Set[int], growths: Set[int], middle: Set[int], work: Work
) -> Factors | None:
    """The irreducible factors of a form with their powers, each up to a number; None if it is whole.

    Arguments:
        form: real, without a product that all its terms share, and without roots.
        waves: generators that are waves.
        growths: generators that are exponentials.
        middle: those whose powers are as far up as down in each factor.
        work: what may be spent.
    """
    if len(form) > MOST_TERMS:
        return None
    used = sorted({k for product in form for k, _ in product})
    rows, steps = _whole_powers(form, used)
    if max(e for row in rows for e in row) > HIGHEST_POWER:
        return None
    if any(_is_lone(column) for column in zip(*rows, strict=True)):
        return [(form, 1)]
    for turned in _turns([i for i, k in enumerate(used) if k in waves and steps[i] == 1]):
        numbers = _real({row: _product(n, _quarter(row, turned, 1)) for row, n in rows.items()})
        if numbers is None:
            continue
        work.spend(FACTORED * len(form))
        letters = sympy.ring([f"x{k}" for k in used], sympy.QQ)[0]
        made = []
        for polynomial, power in _factored(letters.from_dict(numbers)).items():
            own = {row: sympy_number(n) for row, n in polynomial.terms()}
            back = {row: _product((n, 0), _quarter(row, turned, -1)) for row, n in own.items()}
            made.append((_sparse(back, used, steps), power))
        centred = [(_centred(factor, waves | middle), power) for factor, power in made]
        return _mirrored(centred, waves, work)
    return _without_waves(form, waves | growths, work)


def _without_waves(form: Form, waves: Collection[int], work: Work) -> Factors | None:
    """The factors without waves, and what is left whole."""
    parts: dict[Product, list[Form]] = {}
    for product, number in form.items():
        wave = tuple((k, e) for k, e in product if k in waves)
        rest = tuple((k, e) for k, e in product if k not in waves)
        pair = parts.setdefault(wave, [{}, {}])
        for part, x in zip(pair, number, strict=True):
            if x:
                part[rest] = (x, 0)
    used = sorted({k for product in form for k, _ in product if k not in waves})
    if not used:
        return None
    work.spend(FACTORED * len(form))
    letters = sympy.ring([f"x{k}" for k in used], sympy.QQ)[0]
    shared = letters.zero
    for part in (part for pair in parts.values() for part in pair if part):
        rows = {tuple(int(dict(p).get(k, 0)) for k in used): sympy.QQ(a.numerator, a.denominator)
                for p, (a, _) in part.items()}  # fmt: skip
        shared = shared.gcd(letters.from_dict(rows))
    if shared.is_ground:
        return None
    made, left = [], form
    for polynomial, power in _factored(shared).items():
        rows = {row: (sympy_number(n), 0) for row, n in polynomial.terms()}
        factor = _primitive(_sparse(rows, used, [1] * len(used)))
        made.append((factor, power))
        for _ in range(power):
            divided_ = divided(left, factor, work)
            assert divided_ is not None
            left = divided_
    return [*made, (_primitive(left), 1)]


def _factored(polynomial: Any) -> dict[Any, int]:
    """The irreducible factors of a polynomial with their powers.

    What is linear in a letter has no factor but those that its coefficient and its rest share.
    """
    letters = polynomial.ring
    for k, degree in enumerate(polynomial.degrees()):
        if degree == 1:
            rows = list(polynomial.terms())
            first, rest = (letters.from_dict({r: n for r, n in rows if r[k] == e}) for e in (1, 0))
            shared = first.quo(letters.gens[k]).gcd(rest)
            if shared.is_ground:
                return {polynomial: 1}
            found = {polynomial.exquo(shared): 1}
            for each, power in _factored(shared).items():
                found[each] = found.get(each, 0) + power
            return found
    return dict(polynomial.factor_list()[1])


def sympy_number(number: object) -> Rational:
    """A rational number of SymPy's, or of what it computes with, as Python's."""
    return whole(Fraction(int(number.numerator), int(number.denominator)))  # type: ignore[attr-defined]


def _whole_powers(form: Form, used: list[int]) -> tuple[dict[Exponents, Number], list[int]]:
    """Exponents in rows, from zero on, in whole steps, and how many steps are one."""
    columns = [[Fraction(dict(product).get(k, 0)) for product in form] for k in used]
    least = [min(column) for column in columns]
    moved = [[e - low for e in column] for column, low in zip(columns, least, strict=True)]
    steps = [lcm(*(e.denominator for e in column)) for column in moved]
    scaled = [[int(e * step) for e in column] for column, step in zip(moved, steps, strict=True)]
    return dict(zip(zip(*scaled, strict=True), form.values(), strict=True)), steps


def _is_lone(column: Exponents) -> bool:
    """Whether one term alone has a letter, once, or one alone has it not: no factor is shared then."""
    return max(column) == 1 and (sum(column) == 1 or sum(column) == len(column) - 1)


def _turns(places: list[int]) -> Iterator[tuple[int, ...]]:
    """Waves that are turned by a quarter: none, one, or all."""
    yield ()
    yield from ((i,) for i in places)
    if len(places) > 1:
        yield tuple(places)


def _quarter(row: Exponents, turned: tuple[int, ...], sign: int) -> Number:
    return QUARTERS[sign * sum(row[i] for i in turned) % 4]


def _real(rows: dict[Exponents, Number]) -> dict[Exponents, sympy.Rational] | None:
    """The numbers over the first, if these are real."""
    over = inverse(next(iter(rows.values())))
    found = {row: _product(n, over) for row, n in rows.items()}
    if any(b for _, b in found.values()):
        return None
    return {row: sympy.QQ(a.numerator, a.denominator) for row, (a, _) in found.items()}


def _sparse(rows: dict[Exponents, Number], used: list[int], steps: list[int]) -> Form:
    return {
        tuple((k, whole(Fraction(e, s))) for k, e, s in zip(used, row, steps, strict=True) if e): n
        for row, n in rows.items()
    }


def _mirrored(found: Factors, waves: Collection[int], work: Work) -> Factors | None:
    """Factors made real: centred if they are their own mirror, or times their mirror."""
    made: Factors = []
    left = list(found)
    while left:
        form, power = left.pop(0)
        mirror = _mirror(form, waves)
        phase = _ratio(mirror, form)
        if phase is None:
            other = next((i for i, (p, n) in enumerate(left) if n == power and _ratio(p, mirror)), None)
            if other is None:
                return None
            left.pop(other)
            made.append((_primitive(times(form, mirror, work)), power))
        elif phase == (1, 0):
            made.append((_primitive(form), power))
        elif phase == (-1, 0):
            made.append((_primitive({p: _product(n, (0, 1)) for p, n in form.items()}), power))
        elif power % 2 == 0:  # real together with itself, up to a quarter turn
            square = times(form, form, work)
            own = square if _ratio(_mirror(square, waves), square) == (1, 0) else {
                p: _product(n, (0, 1)) for p, n in square.items()
            }  # fmt: skip
            made.append((_primitive(own), power // 2))
        else:
            return None
    return made


def _centred(form: Form, waves: Collection[int]) -> Form:
    """The form with the powers of each wave as far up as down."""
    used = {k for product in form for k, _ in product if k in waves}
    rows = [dict(product) for product in form]
    for k in used:
        own = [row.get(k, 0) for row in rows]
        middle = whole(Fraction(max(own) + min(own)) / 2)
        for row, e in zip(rows, own, strict=True):
            row[k] = whole(Fraction(e) - middle)
    products = [tuple((k, e) for k, e in sorted(row.items()) if e) for row in rows]
    return dict(zip(products, form.values(), strict=True))


def _mirror(form: Form, waves: Collection[int]) -> Form:
    """The complex conjugate."""
    return {
        tuple((k, -e if k in waves else e) for k, e in product): (a, -b)
        for product, (a, b) in form.items()
    }


def _ratio(one: Form, other: Form) -> Number | None:
    """The number by which two forms differ, if they do so only by a number."""
    if one.keys() != other.keys():
        return None
    ratios = [_product(n, inverse(other[p])) for p, n in one.items()]
    return ratios[0] if all(a == b for a, b in pairwise(ratios)) else None


def _primitive(form: Form) -> Form:
    """The form with whole and coprime numbers."""
    return primitive(form, lambda _: False)[2]


def lead(form: Form) -> Number:
    """The number of the highest term: that of a product is the product of theirs."""
    used = sorted({k for product in form for k, _ in product})

    def row(product: Product) -> list[Rational]:
        own = dict(product)
        return [own.get(k, 0) for k in used]

    return form[max(form, key=row)]


def _product(p: Number, q: Number) -> Number:
    (a, b), (c, d) = p, q
    return whole(a * c - b * d), whole(a * d + b * c)
