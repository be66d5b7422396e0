"""Conditions of stability, by the criterion that fits the structure of the matrices."""

from __future__ import annotations

from collections.abc import Iterator

import sympy

from routh.language.symbols import Parameter
from routh.lecture.linearized import layout
from routh.lecture.linearized.array_steps import lettered, named, rows_of, short_array
from routh.lecture.linearized.criteria import hurwitz, leading_minors, real_negative
from routh.lecture.linearized.signs import Condition, Settled, Signs
from routh.lecture.linearized.small_motions import SmallMotions
from routh.mechanics.forms.chapter import Formula, Step, formula
from routh.mechanics.forms.printing import latex, operations

LEFT_OUT = (
    "What is positive anyway has been left out: the kinetic energy is positive, and parameters have the"
    " signs that were declared."
)


def condition_steps(motions: SmallMotions, a: list[sympy.Expr], zeros: int) -> Iterator[Step]:
    """What must be positive so that nothing grows.

    Arguments:
        motions: the linear model.
        a: the coefficients of its characteristic polynomial, without the roots that are zero.
        zeros: how many these are.
    """
    signs = Signs()
    for k in range(motions.M.rows):
        if motions.M[k, k] != 0:
            signs.learn(motions.M[k, k])
    full = len(a) - 1 + zeros == 2 * motions.M.rows - motions.R.rows
    if full:
        signs.learn(a[0])
    else:
        yield "M is singular: there are fewer roots than coordinates and velocities."
    if zeros:
        yield _zero_sentence(motions, zeros)
    if len(a) == 1:
        return
    if not full and signs.of(a[0]) <= 0:
        a = [sympy.cancel(c / a[0]) for c in a]
    if zeros:
        yield "The conditions for the other roots:"
    yield from _criterion(motions, a, zeros, signs, full)


def _zero_sentence(motions: SmallMotions, zeros: int) -> str:
    both = motions.K + motions.H
    free = [f"`{q}`" for k, q in enumerate(motions.coordinates) if not any(both[:, k])]
    held = f": no force brings {' and '.join(free)} back" if free else ""
    times = {1: "once", 2: "twice"}.get(zeros, f"{zeros} times")
    return f"s = 0 is a root, {times}{held}. What is put elsewhere stays there, or drifts on."


def _criterion(
    motions: SmallMotions, a: list[sympy.Expr], zeros: int, signs: Signs, full: bool
) -> Iterator[Step]:
    """The criterion, and what it asks of the parameters."""
    D, G, H = (any(X) for X in (motions.D, motions.G, motions.H))
    symmetric = full and not H and not motions.R.rows
    others = "the other motions" if zeros else "all motions"
    if symmetric and not D and not G:
        yield from _conservative(motions, a, zeros, signs)
    elif symmetric and not zeros and D and _is_definite(motions.D, signs):
        yield (
            "M and D are positive, and so all motions decay exactly if K is positive too:"
            if motions.M.rows == 1
            else "M and D are positive definite and there are no circulatory forces: by the theorem of"
            " Thomson, Tait and Chetaev all motions decay exactly if K is positive definite, whatever G"
            " is. By Sylvester's criterion its leading minors must be positive:"
        )
        yield from written(signs.settled(leading_minors(motions.K)), "all motions decay", UNSTABLE)
    elif not any(a[1::2]):
        yield from _mirrored(motions, a, signs, symmetric and not zeros and not D, others)
    elif len(a) > 5:
        yield (
            "All roots have negative real parts exactly if the first column of Routh's array is"
            " positive:"
        )
        yield from _column(a, signs, f"{others} decay", "So not all motions decay.")
    else:
        yield (
            "All roots have negative real parts exactly if all coefficients and every other one of"
            " Hurwitz's determinants are positive (Lienard and Chipart):"
            if len(a) > 3
            else "Both roots have negative real parts exactly if all coefficients have one sign:"
            if len(a) == 3
            else "It is negative exactly if both coefficients have one sign:"
        )
        yield from written(signs.settled(hurwitz(a)), f"{others} decay", "So not all motions decay.")


def _conservative(
    motions: SmallMotions, a: list[sympy.Expr], zeros: int, signs: Signs
) -> Iterator[Step]:
    """Conditions without damping, gyroscopic and circulatory forces."""
    if zeros:
        yield (
            "M and K are symmetric and M is positive definite, so the roots s^2 are real. They are"
            " negative exactly if all coefficients have one sign:"
        )
        found = signs.settled(a[2::2])
        yield from written(found, "the other motions are oscillations", UNSTABLE)
        return
    yield (
        "M is positive, and so nothing grows exactly if K is positive too (Lagrange and Dirichlet):"
        if motions.M.rows == 1
        else "M and K are symmetric and M is positive definite, so the roots s^2 are real. They are"
        " negative, and nothing grows, exactly if K is positive definite (Lagrange and Dirichlet). By"
        " Sylvester's criterion its leading minors must be positive:"
    )
    found = signs.settled(leading_minors(motions.K))
    yield from written(found, "all motions are oscillations", UNSTABLE)


def _is_definite(D: sympy.MatrixBase, signs: Signs) -> bool:
    return all(signs.of(sympy.factor(minor)) > 0 for minor in leading_minors(D))


def _mirrored(
    motions: SmallMotions, a: list[sympy.Expr], signs: Signs, symmetric: bool, others: str
) -> Iterator[Step]:
    """Conditions on a polynomial in s^2."""
    f = a[::2]
    if symmetric:
        minors = signs.settled_apart(leading_minors(motions.K))
        never = minors.broken is not None or minors.is_contradictory
        if not never and minors.open:
            yield "Where K is positive definite nothing grows, whatever G is (Lagrange and Dirichlet):"
            yield from map(_inequality, minors.open)
            yield "Elsewhere G may hold it."
        elif not never:
            yield "K is positive definite: nothing grows, whatever G is (Lagrange and Dirichlet)."
            return
    yield (
        "With s also -s is a root: nothing decays, and nothing grows if all s are imaginary and"
        " different, that is if the roots s^2 are real, negative and different"
        + (", for which the discriminant is positive too:" if len(f) == 3 else ":")
    )
    good, bad = f"{others} are oscillations", "So they are not all real, negative and different."
    if len(f) > 3:
        yield "The first column of Routh's array must be positive:"
        yield from _column(a, signs, good, bad)
        return
    yield from written(signs.settled(real_negative(f)), good, bad)


def _column(a: list[sympy.Expr], signs: Signs, good: str, bad: str) -> Iterator[Step]:
    """The first column of the array, in letters where it is long."""
    even = not any(a[1::2])
    coefficients = a[2::2] if even else a[1:]
    found = signs.settled_apart(coefficients)
    arrays = short_array(a)
    if found.broken is not None or found.is_contradictory:
        yield from written(found, good, bad)
    elif arrays is None:
        array, _ = lettered(named(a), rows_of(a))
        yield from (formula(e, 0, relation=">") for e in array.column[1 + even :] if not e.is_Number)
    elif len(arrays) > 1 or arrays[0][0].small or len(arrays[0][0].auxiliary) > even:
        yield "It has a zero, for which something else was put."
        yield bad
    else:
        yield from written(signs.settled(arrays[0][0].column[1:]), good, bad)


UNSTABLE = "It is unstable."

TOGETHER = "It is unstable for every value of the parameters at which none of them is zero."
"""What follows from conditions that contradict each other: then no root is on the imaginary axis, and
not all are to the left of it."""


def written(settled: Settled, good: str, bad: str) -> Iterator[Step]:
    """What is left of the conditions.

    Arguments:
        settled: the conditions, as far as signs are known.
        good: what follows where all of them are met anyway.
        bad: what follows where one of them is zero.
    """
    if settled.broken is not None and settled.sign is None:
        yield "They cannot be met together: where the others are, this one is not,"
        yield formula(_shorter(settled.broken), 0, relation=">")
        yield TOGETHER
    elif settled.broken == 0:
        yield f"One of them is zero, whatever the parameters are. {bad}"
    elif settled.broken is not None:
        yield "One of them cannot be met, whatever the parameters are:"
        yield formula(_shorter(settled.broken), 0, relation=">")
        unstable = "It is unstable where this is not zero." if settled.unless_zero else UNSTABLE
        yield unstable if settled.sign == -1 else bad
    elif settled.is_contradictory:
        yield from map(_inequality, settled.open)
        yield f"They cannot be met together. {TOGETHER}"
    elif settled.open:
        yield from map(_inequality, settled.open)
        yield LEFT_OUT
        yield from _with_defaults(settled.open)
    else:
        yield f"That is so whatever the parameters are: {good}."


def _shorter(e: sympy.Expr) -> sympy.Expr:
    return min((e, sympy.factor(e)), key=operations)


def _with_defaults(conditions: tuple[Condition, ...]) -> Iterator[Step]:
    """Whether the numbers that parameters were declared with meet the conditions."""
    symbols = sorted({x for each in conditions for x in each.expression.free_symbols}, key=str)
    numbers = {x: x.default for x in symbols if isinstance(x, Parameter) and x.default is not None}
    if not symbols or len(numbers) < len(symbols):
        return
    yield "With the values that were declared,"
    yield Formula(
        ", ".join(f"{x} = {layout.number(value)}" for x, value in numbers.items()),
        r",\; ".join(f"{latex(x)} = {layout.number(value).latex}" for x, value in numbers.items()),
    )
    missed = [each for each in conditions if not each.is_met(numbers)]
    if not missed:
        yield "they are met."
        return
    yield "this is not so, and they are violated:" if len(missed) > 1 else "this one is violated:"
    yield from map(_inequality, missed)


def _inequality(condition: Condition) -> Formula:
    left, right, relation = condition.sides
    return formula(left, right, relation=relation)
