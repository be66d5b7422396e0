"""Conditions of stability, by the criterion that fits the structure of the matrices."""

from __future__ import annotations

from collections.abc import Iterator

import sympy

from routh.lecture.array_steps import is_long, lettered, named
from routh.lecture.criteria import hurwitz, leading_minors, real_negative
from routh.lecture.signs import Condition, Settled, Signs
from routh.lecture.small_motions import SmallMotions
from routh.mechanics.forms.chapter import Formula, Step, formula

LEFT_OUT = (
    "What is positive anyway has been left out: M is positive definite, and parameters have the signs"
    " that were declared."
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
        signs.learn(motions.M[k, k])
    full = len(a) - 1 + zeros == 2 * motions.M.rows - motions.R.rows
    if full:
        signs.learn(a[0])
    if zeros:
        yield _zero_sentence(motions, zeros)
    if len(a) == 1:
        return
    if not full and not signs.of(a[0]):
        a = [sympy.cancel(c / a[0]) for c in a]
    if zeros:
        yield "The conditions for the other roots:"
    yield from _criterion(motions, a, zeros, signs)


def _zero_sentence(motions: SmallMotions, zeros: int) -> str:
    both = motions.K + motions.H
    free = [f"`{q}`" for k, q in enumerate(motions.coordinates) if not any(both[:, k])]
    held = f": nothing holds {' and '.join(free)}" if free else ""
    times = {1: "once", 2: "twice"}.get(zeros, f"{zeros} times")
    return f"s = 0 is a root, {times}{held}. What is put elsewhere stays there, or drifts on."


def _criterion(motions: SmallMotions, a: list[sympy.Expr], zeros: int, signs: Signs) -> Iterator[Step]:
    """The criterion, and what it asks of the parameters."""
    D, G, H = (any(X) for X in (motions.D, motions.G, motions.H))
    symmetric = not H and not motions.R.rows
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
        yield from written(signs.settled(leading_minors(motions.K)), "all motions decay")
    elif not any(a[1::2]):
        yield from _mirrored(motions, a, signs, symmetric and not zeros)
    elif is_long(a):
        yield (
            "All roots have negative real parts exactly if the first column of Routh's array is"
            " positive:"
        )
        yield from _column(a, signs)
    else:
        yield (
            "All roots have negative real parts exactly if all coefficients and every other one of"
            " Hurwitz's determinants are positive (Lienard and Chipart):"
            if len(a) > 3
            else "Both roots have negative real parts exactly if all coefficients have one sign:"
            if len(a) == 3
            else "It is negative exactly if both coefficients have one sign:"
        )
        yield from written(signs.settled(hurwitz(a)), f"{others} decay")


def _conservative(
    motions: SmallMotions, a: list[sympy.Expr], zeros: int, signs: Signs
) -> Iterator[Step]:
    """Conditions without damping, gyroscopic and circulatory forces."""
    if zeros:
        yield (
            "M and K are symmetric and M is positive definite, so the roots s^2 are real. They are"
            " negative"
            " exactly if all coefficients have one sign:"
        )
        yield from written(signs.settled(a[2::2]), "the other motions are oscillations")
        return
    yield (
        "M is positive, and so nothing grows exactly if K is positive too (Lagrange and Dirichlet):"
        if motions.M.rows == 1
        else "M and K are symmetric and M is positive definite, so the roots s^2 are real. They are"
        " negative, and nothing grows, exactly if K is positive definite (Lagrange and Dirichlet). By"
        " Sylvester's criterion its leading minors must be positive:"
    )
    yield from written(signs.settled(leading_minors(motions.K)), "all motions are oscillations")


def _is_definite(D: sympy.MatrixBase, signs: Signs) -> bool:
    return all(signs.of(sympy.factor(minor)) > 0 for minor in leading_minors(D))


def _mirrored(
    motions: SmallMotions, a: list[sympy.Expr], signs: Signs, symmetric: bool
) -> Iterator[Step]:
    """Conditions on a polynomial in s^2."""
    f = a[::2]
    if symmetric:
        minors = Signs().settled(leading_minors(motions.K))
        if minors.broken is None and minors.open:
            yield "Where K is positive definite nothing grows, whatever G is (Lagrange and Dirichlet):"
            yield from map(_inequality, minors.open)
            yield "Elsewhere G may hold it."
        elif minors.broken is None:
            yield "K is positive definite: nothing grows, whatever G is (Lagrange and Dirichlet)."
            return
    yield (
        "With s also -s is a root: nothing decays, and nothing grows if all s are imaginary and"
        " different, that is if the roots s^2 are real, negative and different"
        + (", for which the discriminant is positive too:" if len(f) == 3 else ":")
    )
    if len(f) > 3:
        yield "The first column of Routh's array must be positive:"
        yield from _column(a, signs)
        return
    yield from written(signs.settled(real_negative(f)), "all motions are oscillations", exactly=False)


def _column(a: list[sympy.Expr], signs: Signs) -> Iterator[Step]:
    """The first column of an array in letters, unless a coefficient has a wrong sign anyway."""
    even = not any(a[1::2])
    found = signs.settled(a[2::2] if even else a[1:])
    if found.broken is not None:
        yield from written(found, "", exactly=not even)
        return
    array, _ = lettered(named(a))
    yield from (formula(e, 0, relation=">") for e in array.column[1 + even :] if not e.is_Number)


def written(settled: Settled, good: str, exactly: bool = True) -> Iterator[Step]:
    """What is left of the conditions; `good` says what follows where nothing is."""
    if settled.broken is not None:
        yield "One of them is never met, whatever the parameters are:"
        yield formula(settled.broken, 0, relation=">")
        if settled.sign < 0:
            yield "It is unstable."
        else:
            yield "Some roots lie on the imaginary axis." if exactly else "Some roots coincide."
    elif settled.open:
        yield from map(_inequality, settled.open)
        yield LEFT_OUT
    else:
        yield f"That is so whatever the parameters are: {good}."


def _inequality(condition: Condition) -> Formula:
    left, right, relation = condition.sides
    return formula(left, right, relation=relation)
