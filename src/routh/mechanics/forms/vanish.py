"""Deciding whether an expression is identically zero: by its unique form, or else by evaluation.

The unique form shows it: a numerator without terms is zero, and one of symbols and waves alone is not,
nor one with a square root whose norm is not zero.
Where that takes too much work, or where functions and several roots may hide a relation between them,
the expression is evaluated with 100 and with 300 digits: a number stays, rounding shrinks. Terms that
even those digits absorb are looked at by themselves, so that a spike far away is not zero. What is zero
at all points tried is zero if it is made in one piece (`one_piece`), and else not decided.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from itertools import chain

import sympy
from sympy.core.function import AppliedUndef

from routh.language.derivation import masked_integrals
from routh.language.evaluation import is_zero_at, is_zero_near
from routh.language.walk import nodes, unfold
from routh.mechanics.forms.laurent import Form, TooLongError, Work, plus, scaled
from routh.mechanics.forms.one_piece import PIECED, is_free, is_one_piece, is_smooth
from routh.mechanics.forms.unique import Reader

POINTS = 3
"""Random points at which an expression is evaluated."""

FAR_POINTS = 12
"""More of them, large and small and of both signs, where there are roots or inverse functions."""


GRANTED = 20_000
"""Products of terms that may be spent on a unique form, before evaluating is quicker."""


class Decided(Enum):
    """What is known of an expression, and how."""

    SHOWN_ZERO = "zero, shown by its unique form"
    SHOWN_OTHER = "not zero, shown by its unique form"
    FOUND_ZERO = "zero at random points, to hundreds of digits"
    FOUND_OTHER = "not zero at a random point, to hundreds of digits"
    UNDECIDED = "not decided, and counted as not zero: it is put together of pieces"

    @property
    def is_zero(self) -> bool:
        """Whether it is zero."""
        return self in (Decided.SHOWN_ZERO, Decided.FOUND_ZERO)

    @property
    def is_shown(self) -> bool:
        """Whether that follows from the form and not from numbers."""
        return self in (Decided.SHOWN_ZERO, Decided.SHOWN_OTHER)


def vanishes(expression: sympy.Expr) -> bool:
    """Whether an expression is zero for all values of its symbols."""
    return decided(expression).is_zero


def decided(expression: sympy.Expr) -> Decided:
    """Whether an expression is zero for all values of its symbols, and whether that is shown.

    Named intermediates may be anything here.
    """
    if expression == 0:
        return Decided.SHOWN_ZERO
    reader = Reader(Work(GRANTED))
    try:
        above = reader(expression).above
        if not above:
            return Decided.SHOWN_ZERO
        if _is_other(reader, above):
            return Decided.SHOWN_OTHER
    except (TooLongError, RecursionError):  # what is nested deeply is evaluated without recursion
        pass
    return _evaluated(expression)


def _is_other(reader: Reader, form: Form) -> bool:
    """Whether a form is known not to be zero: of independent generators, or of a norm that is not.

    Of one square root s of r, `A + B s` is zero only where `A^2 - B^2 r` is.
    """
    used = {k for product in form for k, _ in product}
    roots = [k for k in used if reader.atoms[k].kind == "root"]
    if not roots:
        return bool(form) and all(is_free(reader.atoms[k]) for k in used)
    radicand = reader.atoms[roots[0]].radicand
    exponents = {e for product in form for k, e in product if k == roots[0]}
    if len(roots) > 1 or reader.atoms[roots[0]].order != 2 or radicand is None or exponents != {1}:
        return False
    with_root = {p: n for p, n in form.items() if any(k == roots[0] for k, _ in p)}
    without = {p: n for p, n in form.items() if p not in with_root}
    squares = [reader.product(part, part) for part in (without, with_root)]
    return _is_other(reader, plus([squares[0], scaled(squares[1], -1)]))


def _evaluated(expression: sympy.Expr) -> Decided:
    if any(isinstance(node, PIECED) for node in nodes([expression])):
        return Decided.UNDECIDED
    plain = _without_unknowns(expression)
    if not _is_zero(plain):
        return Decided.FOUND_OTHER
    return Decided.FOUND_ZERO if is_one_piece(plain) else Decided.UNDECIDED


def _without_unknowns(expression: sympy.Expr) -> sympy.Expr:
    """Symbols for integrals, unknown functions, their slopes and their values at other places.

    Different ones count as independent.
    """
    expression, _ = masked_integrals(expression)
    for kind in (sympy.Subs, sympy.Derivative, AppliedUndef):
        unknown = {
            node: sympy.Dummy("unknown", real=True)
            for node in nodes([expression], enter=lambda _: False)
            if isinstance(node, kind)
        }
        expression = expression.xreplace(unknown) if unknown else expression
    return expression


def _is_zero(expression: sympy.Expr) -> bool:
    """Whether the expression is zero at random points, to hundreds of digits.

    A smooth expression that is not zero passes with probability zero, also where it is as small as a
    spike far away. With roots and inverse functions, points count at which all of them are real, if
    there are such. One that is infinite at every point tried counts as not zero.
    """
    atoms = nodes([expression], enter=lambda _: False)  # an intermediate may be anything here
    symbols = sorted((node for node in atoms if isinstance(node, sympy.Symbol)), key=str)
    generator = random.Random(1831)
    points = [{s: generator.uniform(0.2, 0.9) for s in symbols} for _ in range(POINTS)]
    if is_smooth(expression):
        return _agree(is_zero_at(expression, point) for point in points) is True
    points += [signed for point in points for signed in _mirrored(point, generator)]
    real = chain(
        (is_zero_at(expression, point, beyond=False) for point in points),
        (is_zero_near(expression, point) for point in _far(symbols, generator)),
    )
    found = _agree(real)
    if found is None:
        found = _agree(is_zero_at(expression, point) for point in points)
    return found is True


def _agree(verdicts: Iterable[bool | None]) -> bool | None:
    """False as soon as one says so; True if one does; None if none has a say."""
    found = None
    for verdict in verdicts:
        if verdict is False:
            return False
        found = verdict or found
    return found


def _far(
    symbols: Sequence[sympy.Symbol], generator: random.Random
) -> Iterator[dict[sympy.Symbol, float]]:
    """Points of all sizes from 0.01 to 30, of both signs where both may be."""
    for _ in range(FAR_POINTS):
        point = {s: 10 ** generator.uniform(-2, 1.5) for s in symbols}
        yield {s: x if s.is_nonnegative else x * generator.choice((-1, 1)) for s, x in point.items()}


def _mirrored(
    point: dict[sympy.Symbol, float], generator: random.Random
) -> Iterator[dict[sympy.Symbol, float]]:
    """The point with other signs, and with those turned: the root of a square is not its base there."""
    turned = [s for s in point if not s.is_nonnegative]
    signs = {s: generator.choice((-1, 1)) for s in turned}
    for sign in (1, -1) if turned else ():
        yield {s: x * sign * signs[s] if s in signs else x for s, x in point.items()}


def vanishes_named(expression: sympy.Expr) -> bool:
    """Whether it is zero for whatever its named intermediates are, or for what they stand for.

    Those are roots of positive numbers here, whose absolute values are taken for what they are.
    """
    return vanishes(expression) or vanishes(unfold(expression).replace(sympy.Abs, lambda x: x))
