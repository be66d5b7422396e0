"""Whether an expression is made in one piece: zero near one point, it is zero wherever it has a value.

That holds for what is analytic on a connected set. Fractions of polynomials, sines and exponentials are
so: a way around what is divided by leads through complex numbers. Roots and inverse functions are so
where what they are taken of has a sign that is known, and no pole; `atan(1/x)` jumps at its pole, and
`sqrt(1 - sin(x)**2)` is the cosine or its negative, in turns.

Square roots of what may have either sign are so too if no product of some of the radicands is a square:
then a sum of products of these roots that is zero has no terms, by the Galois group of the roots.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from math import lcm, prod

import sympy

from routh.language.walk import nodes
from routh.mechanics.forms.laurent import Form, TooLongError, Work
from routh.mechanics.forms.quotients import Atom
from routh.mechanics.forms.unique import Reader

PIECED = (
    sympy.Abs, sympy.sign, sympy.Max, sympy.Min, sympy.Piecewise, sympy.Heaviside, sympy.DiracDelta,
    sympy.floor, sympy.ceiling, sympy.Mod,
)  # fmt: skip
"""Functions that may vanish on one side and not on the other."""

ENTIRE = (sympy.sin, sympy.cos, sympy.exp, sympy.sinh, sympy.cosh, sympy.tanh, sympy.erf)
"""Functions that are analytic for all real arguments."""

ANALYTIC = (sympy.atan, sympy.asinh)
"""Inverse functions that are."""

WITH_POLES = (sympy.tan, sympy.cot, sympy.sec, sympy.csc, sympy.coth, sympy.sech, sympy.csch)

ON_INTERVALS = (
    sympy.asin, sympy.acos, sympy.acosh, sympy.atanh, sympy.log, sympy.atan2, *ANALYTIC,
)  # fmt: skip
"""Functions that are analytic on an interval, or on the plane without a ray."""

MOST_ROOTS = 4
"""Square roots up to which products of their radicands are looked at."""

GRANTED = 5_000
"""Products of terms that may be spent on reading what roots are taken of."""


def is_one_piece(expression: sympy.Expr) -> bool:
    """Whether the expression is known to be zero everywhere if it is zero near one point."""
    inverse, rough, roots, angles = False, False, set(), set()
    for node in nodes([expression], enter=lambda _: False):
        if node.is_Atom or node.is_Add or node.is_Mul or isinstance(node, (*ENTIRE, *WITH_POLES)):
            continue
        if node.is_Pow:
            if not node.exp.is_Integer and not node.is_number:
                roots.add(node)
                rough |= not _is_plain_power(node)
        elif isinstance(node, ON_INTERVALS) and _is_plain_inverse(node):
            inverse |= not node.is_number
            if isinstance(node, sympy.atan2):
                angles.add(node)
        else:
            return False
    if len(angles) > 1:  # two rays part the plane
        return False
    if not rough:
        return True
    square = all(node.exp.is_Rational and node.exp.q == 2 for node in roots)
    return square and not inverse and _are_independent({node.base for node in roots})


def is_smooth(expression: sympy.Expr) -> bool:
    """Whether there is neither a root nor an inverse function: three points tell all then."""
    return not any(
        (node.is_Pow and not node.exp.is_Integer) or isinstance(node, ON_INTERVALS)
        for node in nodes([expression], enter=lambda _: False)
    )


def _is_plain_power(node: sympy.Expr) -> bool:
    """Whether what a power is taken of is positive throughout, or has one side where it is."""
    base, exponent = node.args
    if exponent.is_number and base.is_Symbol:
        return True
    if not _is_entire(exponent):
        return False
    return any(bool(each.is_positive) and _is_entire(each) for each in (base, _read(base)))


def _read(expression: sympy.Expr) -> sympy.Expr:
    """The expression multiplied out, where that is short."""
    reader = Reader(Work(GRANTED))
    try:
        return reader.expression(reader(expression))
    except (TooLongError, RecursionError):
        return expression


def _is_plain_inverse(node: sympy.Expr) -> bool:
    if node.is_number or (
        all(each.is_Symbol for each in node.args) and len({*node.args}) == len(node.args)
    ):
        return True
    inside = node.args[0]
    known = isinstance(node, ANALYTIC) or (isinstance(node, sympy.log) and bool(inside.is_positive))
    return known and _is_entire(inside)


def _is_entire(expression: sympy.Expr) -> bool:
    """Whether the expression is analytic for all values that its symbols may have."""
    for node in nodes([expression], enter=lambda _: False):
        if node.is_Pow:
            known = node.exp.is_Integer and node.exp.is_positive
            if not known and not (node.base.is_positive and node.exp.is_number):
                return False
        elif not (node.is_Atom or node.is_Add or node.is_Mul or isinstance(node, ENTIRE)):
            return False
    return True


def is_free(atom: Atom) -> bool:
    """Whether a generator is known to be independent of others: a symbol, a wave of a product.

    Products of powers of symbols are: no rational numbers connect them, unless they are the same.
    """
    if atom.kind == "plain":
        return bool(atom.expression.is_Symbol)
    return atom.kind == "wave" and _is_monomial(atom.expression)


def _is_monomial(expression: sympy.Expr) -> bool:
    """Whether an expression is a product of rational powers of symbols."""
    pairs = [factor.as_base_exp() for factor in sympy.Mul.make_args(expression)]
    return all(base.is_Symbol and exponent.is_Rational for base, exponent in pairs)


def _are_independent(radicands: Iterable[sympy.Expr]) -> bool:
    """Whether no product of some radicands is known to be a square: by numbers in all letters but one.

    A square stays one if letters become numbers. Waves have roots that are waves.
    """
    reader = Reader(Work(GRANTED))
    try:
        forms = list(_distinct(reader, radicands))
    except (TooLongError, RecursionError):
        return False
    used = {k for form in forms for product in form for k, _ in product}
    if len(forms) > MOST_ROOTS or not all(is_free(reader.atoms[k]) for k in used):
        return False
    several = (chosen for n in range(len(forms)) for chosen in combinations(forms, n + 1))
    return all(_is_no_square(reader, chosen) for chosen in several)


def _distinct(reader: Reader, radicands: Iterable[sympy.Expr]) -> Iterator[Form]:
    """The forms of which roots are taken up to squares, each once up to a positive number."""
    seen = set()
    for radicand in sorted(radicands, key=str):
        quotient = reader(radicand)
        form = quotient.above
        for k, power in quotient.below:
            if power % 2:
                form = reader.product(form, reader.factors[k])
        size = max((abs(Fraction(x)) for number in form.values() for x in number), default=Fraction(1))
        key = frozenset((p, (Fraction(a) / size, Fraction(b) / size)) for p, (a, b) in form.items())
        if key not in seen:
            seen.add(key)
            yield form


def _is_no_square(reader: Reader, forms: Sequence[Form]) -> bool:
    pick = random.Random(1831)
    used = sorted({k for form in forms for product in form for k, _ in product})
    at = {k: pick.randint(2, 99) for k in used}
    return any(_is_odd(forms, k, at, reader.atoms[k].kind == "wave") for k in used)


def _is_odd(forms: Sequence[Form], k: int, at: Mapping[int, int], wave: bool) -> bool:
    """Whether the product, with numbers for all letters but one, has a factor to an odd power."""
    products = [product for form in forms for product in form]
    steps = {j: lcm(*(Fraction(dict(p).get(j, 0)).denominator for p in products)) for j in at}
    letter = sympy.Dummy()
    whole = sympy.Poly(1, letter, domain=sympy.QQ_I)
    for form in forms:
        rows: dict[int, sympy.Expr] = {}
        for product, (a, b) in form.items():
            powers = {j: int(e * steps[j]) for j, e in product}
            own = powers.pop(k, 0)
            size = prod((Fraction(at[j]) ** e for j, e in powers.items()), start=Fraction(1))
            value = sympy.QQ_I(
                *(sympy.QQ((x * size).numerator, (x * size).denominator) for x in (a, b))
            )
            rows[own] = rows.get(own, sympy.QQ_I.zero) + value
        low = min(rows)
        down = low if wave else low - low % 2
        rows = {own - down: value for own, value in rows.items()}
        whole *= sympy.Poly.from_dict({(e,): v for e, v in rows.items()}, letter, domain=sympy.QQ_I)
    return any(power % 2 for _, power in whole.sqf_list()[1])
