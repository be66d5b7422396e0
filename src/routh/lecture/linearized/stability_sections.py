"""From the matrices to conditions of stability: the polynomial, Routh's array, inequalities."""

from __future__ import annotations

from collections.abc import Iterator

import sympy

from routh.lecture.linearized import layout
from routh.lecture.linearized.array_steps import INLINE, array_steps, named
from routh.lecture.linearized.characteristic import characteristic
from routh.lecture.linearized.condition_steps import condition_steps
from routh.lecture.linearized.matrix_letters import MatrixLetters
from routh.lecture.linearized.small_motions import SmallMotions
from routh.mechanics.forms.chapter import Formula, Step, formula
from routh.mechanics.forms.printing import operations

Sections = list[tuple[str, list[Step]]]


def stability_sections(motions: SmallMotions, letters: MatrixLetters) -> Sections:
    """The sections on the polynomial, the array and the conditions."""
    if motions.changing:
        return [("Stability", [_why_not(motions)])]
    if not motions.coordinates:
        return []
    a = characteristic(motions)
    polynomial = list(_polynomial_steps(motions, a, letters))
    if not a:
        return [("Characteristic polynomial", polynomial)]
    zeros = next(k for k, c in enumerate(reversed(a)) if c != 0)
    own = a[: len(a) - zeros]
    return [
        ("Characteristic polynomial", polynomial),
        ("Routh's array", [] if len(own) < 2 else list(array_steps(own, letters.variable))),
        ("Conditions of stability", list(condition_steps(motions, own, zeros))),
    ]


def _why_not(motions: SmallMotions) -> str:
    named = " and ".join(f"`{x}`" for x in motions.changing)
    if motions.changing == [sympy.Symbol("t", real=True)]:
        return (
            "The matrices depend on time. Their eigenvalues at one moment decide nothing: where"
            " they are"
            " periodic, Floquet's multipliers do."
        )
    return (
        f"The matrices contain {named}, which may change in time; eigenvalues belong to matrices that"
        " are constant."
    )


def _polynomial_steps(
    motions: SmallMotions, a: list[sympy.Expr] | None, letters: MatrixLetters
) -> Iterator[Step]:
    yield "eta = x exp(s t) is a motion, with an x that is not zero, where the determinant vanishes:"
    yield letters(_determinant(motions))
    if a is None:
        yield "Multiplied out it is too long to be read; modes(...) gives its roots in numbers."
        return
    if not a:
        yield (
            "It vanishes whatever s is: some direction has neither mass nor damping nor stiffness, or"
            " constraints repeat each other, and the equations do not determine the motion."
        )
        return
    if len(a) == 1:
        yield "It does not contain s: no motion exp(s t) is free."
        yield formula(a[0], 0, relation="!=")
        return
    powers = [letters.variable ** (len(a) - 1 - k) for k in range(len(a))]
    if sum(map(operations, a)) <= INLINE:
        yield formula(layout.linear_sum(zip(a, powers, strict=True)), 0)
    else:
        names = named(a)
        yield formula(layout.linear_sum(zip(names, powers, strict=True)), 0)
        yield "with the coefficients"
        yield from (formula(x, c) for x, c in zip(names, a, strict=True) if c != x)
    if len(a) > 3 and not any(a[1::2]):
        yield "Every other coefficient is zero: with s a root, so is -s."


def _determinant(motions: SmallMotions) -> Formula:
    every = (("M", "", "s**2"), ("D", "G", "s"), ("K", "H", ""))
    text = " + ".join(filter(None, (_behind(motions, *each) for each in every)))
    tex = text.replace("**", "^").replace("*", r" \, ")
    if motions.R.rows:
        held = "R*s + W" if any(motions.W) else "R*s"
        drawn = held.replace("*", r" \, ")
        return Formula(
            f"det([{text}, R^T], [{held}, 0]) = 0",
            rf"\det\begin{{bmatrix}} {tex} & R^T \\ {drawn} & 0 \end{{bmatrix}} = 0",
        )
    return Formula(f"det({text}) = 0", rf"\det\left({tex}\right) = 0")


def _behind(motions: SmallMotions, first: str, second: str, power: str) -> str:
    """The letters of matrices that are not zero, with the power of s that they stand before."""
    both = [letter for letter in (first, second) if letter and any(getattr(motions, letter))]
    inside = " + ".join(both)
    if not both or not power:
        return inside
    return f"({inside})*{power}" if len(both) > 1 else f"{inside}*{power}"
