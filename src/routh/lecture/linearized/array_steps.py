"""Routh's array as steps of a chapter: with its entries, or with letters where these are long."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from string import ascii_letters

import sympy

from routh.lecture.linearized import layout
from routh.lecture.linearized.routh_array import RouthArray, routh_arrays, s
from routh.mechanics.forms.chapter import Formula, Side, Step, Table, formula
from routh.mechanics.forms.printing import operations

INLINE = 40
"""Operations up to which coefficients stand in the polynomial itself; longer ones get names."""

IN_ARRAY = 60
"""Operations of all coefficients up to which the array is written with them."""

LONGEST_ENTRY = 60
"""Operations of an entry up to which it is."""


def named(a: Sequence[sympy.Expr]) -> list[sympy.Expr]:
    """a0, a1, ... for the coefficients that are no numbers; b0, ... where there is an a0 in them."""
    first = rows_of(a)[0]
    return [c if c.is_Number else sympy.Symbol(f"{first}{k}", real=True) for k, c in enumerate(a)]


def rows_of(a: Sequence[sympy.Expr]) -> str:
    """Letters for the rows of an array, none of which has a number in the coefficients."""
    inside = {x.name for c in a for x in c.free_symbols}
    return "".join(x for x in ascii_letters if not any(re.fullmatch(rf"{x}\d+", y) for y in inside))


class _TooLong(Exception):
    """An entry of the array is longer than can be read."""


def short_array(a: Sequence[sympy.Expr]) -> tuple[tuple[RouthArray, int], ...] | None:
    """The array with the coefficients themselves, of each factor; None where it gets long."""
    if sum(map(operations, a)) > IN_ARRAY:
        return None
    try:
        return routh_arrays(a, _entry)
    except _TooLong:
        return None


def array_steps(a: list[sympy.Expr], variable: sympy.Symbol = s) -> Iterator[Step]:
    """The array of a polynomial; for one in s^2 none, unless conditions are read off it."""
    even = not any(a[1::2])
    if even and len(a) <= 5:
        return
    yield (
        "Each row follows from the two above it: below a_0, a_1, ... and b_0, b_1, ... stands (b_0"
        " a_(j+1) - a_0 b_(j+1))/b_0. As many roots have positive real part as there are changes of"
        " sign in the first column."
    )
    arrays = short_array(a)
    if arrays is None and not even and a[1] == 0:
        yield "The second row begins with zero: not all roots can have negative real parts."
    elif arrays is None:
        if even:
            yield (
                "The row of odd coefficients is zero; half the coefficients of the derivative of the"
                " polynomial stand in its place."
            )
        names = named(a)
        array, fractions = lettered(names, rows_of(a))
        yield array_table(array, variable=variable)
        yield "with"
        if sum(map(operations, a)) <= INLINE:  # else the polynomial has told them
            yield from (formula(x, c) for x, c in zip(names, a, strict=True) if x != c)
        yield from fractions
    else:
        yield from arrays_told(arrays, variable=variable)


def arrays_told(
    arrays: tuple[tuple[RouthArray, int], ...],
    digits: int | None = None,
    variable: sympy.Symbol = s,
) -> Iterator[Step]:
    """The array of a polynomial, or those of its factors, with what stands in the place of zeros."""
    for array, power in arrays:
        if len(arrays) > 1:
            terms = [(c, variable ** (array.degree - k)) for k, c in enumerate(array.coefficients)]
            yield f"For the factor, which occurs {power} times," if power > 1 else "For the factor"
            yield layout.linear_sum(terms)
        yield array_table(array, digits, variable)
        yield from special_cases(array, variable, digits)


def _entry(e: sympy.Expr) -> sympy.Expr:
    """A fraction in lowest terms, with as few minus signs as can be."""
    above, below = sympy.fraction(sympy.cancel(e))
    if operations(above) + operations(below) > LONGEST_ENTRY:
        raise _TooLong
    forms = [sympy.factor(sign * above) / sympy.factor(sign * below) for sign in (1, -1)]
    return min(forms, key=lambda form: str(form).count("-"))


def lettered(a: list[sympy.Expr], letters: str) -> tuple[RouthArray, list[Formula]]:
    """The array in letters, a row of new ones for each row of fractions, and what they stand for."""
    n = len(a) - 1
    rows, found = [list(a[0::2]), list(a[1::2])], []
    if not any(rows[1]):
        rows[1] = [(n // 2 - j) * c for j, c in enumerate(rows[0]) if n > 2 * j]
    for k in range(2, n + 1):
        above, row = rows[-2], rows[-1]
        made = []
        for j in range((n - k) // 2 + 1):
            x, y = above[j + 1], row[j + 1] if j + 1 < len(row) else sympy.S.Zero
            if y == 0:
                made.append(x)
                continue
            letter = sympy.Symbol(f"{letters[k - 1]}{j}", real=True)
            found.append(formula(letter, _fraction(row[0], x, above[0], y)))
            made.append(letter)
        rows.append(made)
    return RouthArray(tuple(a), tuple(map(tuple, rows))), found


def _fraction(b: sympy.Expr, x: sympy.Expr, a: sympy.Expr, y: sympy.Expr) -> Side:
    """(b x - a y) / b."""
    if not (b * x - a * y).is_Add:
        return sympy.cancel((b * x - a * y) / b)
    above = layout.linear_sum([(b * x, sympy.S.One), (-a * y, sympy.S.One)])
    below = formula(b)
    inside = below.text if b.is_Symbol else f"({below.text})"
    return Formula(f"({above.text})/{inside}", rf"\frac{{{above.latex}}}{{{below.latex}}}")


def array_table(array: RouthArray, digits: int | None = None, variable: sympy.Symbol = s) -> Table:
    """The array, a power of s before each row; numbers rounded to digits."""
    width = max(map(len, array.rows))
    rows = []
    for k, row in enumerate(array.rows):
        cells = [_cell(e, digits) for e in row] + [""] * (width - len(row))
        power = array.degree - k
        rows.append((Formula(f"{variable}**{power}", f"{sympy.latex(variable)}^{{{power}}}"), *cells))
    return Table(("", "first column", *[""] * (width - 1)), tuple(rows))


def _cell(e: sympy.Expr, digits: int | None) -> Formula:
    return layout.number(float(e), digits) if digits and e.is_number else formula(e)


def special_cases(
    array: RouthArray, variable: sympy.Symbol, digits: int | None = None
) -> Iterator[Step]:
    """What stands in the place of zeros; numbers rounded where digits are given."""
    for power, auxiliary in array.auxiliary:
        yield (
            f"The row of s^{power} was zero: there are roots that come with their opposites, those"
            f" of the"
            " auxiliary polynomial above it, whose derivative stands in its place."
        )
        if digits:
            terms = [
                (layout.decimal(float(c)), variable**k) for (k,), c in sympy.Poly(auxiliary, s).terms()
            ]
            yield formula(layout.linear_sum(terms), 0)
        else:
            yield formula(auxiliary.xreplace({s: variable}), 0)
    for power, symbol in array.small:
        yield (
            f"The row of s^{power} began with zero; `{symbol}` is a small positive number in its place."
            " Not all roots can have negative real parts."
        )
