"""The chapters on modes and on a verdict: from matrices to eigenvalues, and what follows from them."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import sympy

from routh.analysis.linear.linear_model import LinearModel
from routh.analysis.stability.natural_modes import Modes
from routh.analysis.stability.verdict import Reason, Stability
from routh.arrays import Complex
from routh.lecture.kinds import chapter_of
from routh.lecture.linearized import layout
from routh.lecture.linearized.array_steps import arrays_told
from routh.lecture.linearized.linear_numbers_chapter import (
    matrix_steps,
    reference_steps,
    single_model,
)
from routh.lecture.linearized.matrix_letters import MatrixLetters
from routh.lecture.linearized.routh_array import routh_arrays, s
from routh.lecture.linearized.theorems import theorem
from routh.mechanics.forms.chapter import Chapter, Formula, Step, Table, chapter, formula

MOST_MULTIPLIED = 4
"""Degrees of freedom up to which the determinant is multiplied out."""

ROUNDING = 1e-13
"""Share of what an entry of Routh's array is the difference of, below which it is rounding."""

MOST_LISTED = 12
"""Degrees of freedom up to which matrices and shapes are shown."""


@chapter_of.register
def _(modes: Modes) -> Chapter:
    linear = modes.linear
    sections: list[tuple[str, list[Step]]] = []
    if linear.shape:
        first = single_model(linear)
        modes = Modes(first, modes.eigenvalues.reshape(-1, modes.eigenvalues.shape[-1])[0], np.array(0))
        said = f"Of the {linear.reference.conditions.count} points of the batch this is the first."
        sections.append(("Batch", [said]))
        linear = first
    small = not linear.is_sparse and linear.M.shape[-1] <= MOST_LISTED
    if small:
        sections.append(("Matrices", list(matrix_steps(linear))))
        sections += _polynomial_sections(linear, modes.stability)
    sections.append(("Eigenvalues", list(_modes_steps(modes, small))))
    if not linear.is_sparse:
        sections.append(("Verdict", list(_verdict_steps(modes.stability))))
    return chapter(layout.titled(linear.system, "modes"), sections)


@chapter_of.register
def _(stability: Stability) -> Chapter:
    sections: list[tuple[str, list[Step]]] = []
    linear = stability.linear
    if not isinstance(stability.reason, Reason):
        count = int(np.size(stability.reason))
        sections.append(("Batch", [f"Of the {count} points of the batch this is the first."]))
        stability = _first(stability)
    if linear is not None:
        sections += _model_sections(single_model(linear), stability)
    sections.append(("Eigenvalues", list(_eigenvalue_steps(stability))))
    sections.append(("Verdict", list(_verdict_steps(stability))))
    title = "Stability" if linear is None else layout.titled(linear.system, "stability")
    return chapter(title, sections)


def _model_sections(one: LinearModel, stability: Stability) -> list[tuple[str, list[Step]]]:
    """The linear model that is judged: where, its matrices, and the characteristic polynomial.

    A steady motion whose momenta are kept is judged without what turns, by Routh's reduction.
    """
    letters = MatrixLetters(one.system)
    steps: list[Step] = list(reference_steps(one, one))
    reduced = one.at_constant_momenta if one.is_holonomic else one
    if reduced is not one:
        steps.append(
            "The momenta of what turns are constant. Held, they leave by Routh's reduction equations"
            " without the coordinates that turn, with the matrices"
        )
    else:
        steps.append("Evaluated there the matrices that are not zero are")
    small = not one.is_sparse and reduced.M.shape[-1] <= MOST_LISTED
    if small:
        steps += matrix_steps(reduced, letters=letters)
    else:
        steps[-1] = "They are too large for a page: linear.M, linear.K and so on."
    sections = letters.told([("Linear model", steps)])
    return [*sections, *(_polynomial_sections(reduced, stability) if small else [])]


def _first(stability: Stability) -> Stability:
    """The verdict on the first point of a batch."""
    size = int(np.size(stability.reason))

    def of(value: object) -> object:
        flat = np.asarray(value, dtype=object).reshape(-1)
        return flat[0] if len(flat) in (1, size) else value

    return Stability(
        reason=of(stability.reason),
        eigenvalues=stability.eigenvalues.reshape(-1, stability.eigenvalues.shape[-1])[0],
        curvature=np.ravel(stability.curvature)[0],
        falling=np.ravel(stability.falling)[0],
        index=np.ravel(stability.index)[0],
        nonlinear=np.ravel(stability.nonlinear)[0],
        proven=of(stability.proven),
        proviso=of(stability.proviso),
        blur=np.ravel(stability.blur)[0],
        remark=of(stability.remark),
        potential=of(stability.potential),
    )


def _polynomial_sections(linear: LinearModel, stability: Stability) -> list[tuple[str, list[Step]]]:
    """The characteristic polynomial and Routh's array, in numbers."""
    if not linear.is_holonomic or not 0 < linear.M.shape[-1] <= MOST_MULTIPLIED:
        return []
    a = polynomial(linear)
    if len(a) < 2:
        return []
    powers = [s ** (len(a) - 1 - k) for k in range(len(a))]
    shown = [(layout.decimal(float(c)), p) for c, p in zip(a, powers, strict=True)]
    steps: list[Step] = [
        "eta = x exp(s t) is a motion, with an x that is not zero, where the determinant vanishes:",
        Formula(
            "det(M*s**2 + (D + G)*s + K + H) = 0", r"\det\left(M s^2 + (D + G) s + K + H\right) = 0"
        ),
        "Divided by its first coefficient,",
        formula(layout.linear_sum(shown), 0),
    ]
    return [("Characteristic polynomial", steps), ("Routh's array", list(_array_steps(a, stability)))]


def polynomial(linear: LinearModel) -> list[sympy.Expr]:
    """The coefficients, exactly for the matrices as the doubles they are, the first being 1."""
    M, C, K = linear.M, linear.D + linear.G, linear.K + linear.H
    size = M.shape[-1]
    exact = sympy.Matrix(
        size,
        size,
        lambda i, j: _exact(M[i, j]) * s**2 + _exact(C[i, j]) * s + _exact(K[i, j]),
    )
    found = sympy.Poly(exact.det(method="berkowitz"), s).all_coeffs()
    return [c / found[0] for c in found] if found[0] != 0 else []


def _exact(x: float) -> sympy.Rational:
    ratio = Fraction(float(x))
    return sympy.Rational(ratio.numerator, ratio.denominator)


def _array_steps(a: list[sympy.Expr], stability: Stability) -> Iterator[Step]:
    if not any(a[1::2]) or a[-1] == 0:
        return
    arrays = routh_arrays(a, rounding=ROUNDING)
    yield from arrays_told(arrays, layout.DIGITS)
    changes = sum(array.changes * power for array, power in arrays)
    if changes == int(stability.index):
        times = {0: "are no changes", 1: "is one change"}.get(changes, f"are {changes} changes")
        roots = {0: "no root has", 1: "one root has"}.get(changes, f"{changes} roots have")
        yield f"There {times} of sign in the first column: {roots} positive real part."


def _modes_steps(modes: Modes, small: bool) -> Iterator[Step]:
    yield "The roots s, in pairs, with frequencies, periods and damping ratios:"
    head = (
        "mode",
        Formula("s [1/s]", r"s\ [1/\text{s}]"),
        "rad/s",
        "Hz",
        "period [s]",
        "damping ratio",
    )
    rows = []
    for k, (omega, zeta) in enumerate(zip(modes.frequencies, modes.damping, strict=True)):
        turning = omega > 0
        rows.append(
            (
                str(k + 1),
                _pair(modes.pair(k)),
                layout.number(omega),
                layout.number(omega / (2 * np.pi)),
                layout.number(2 * np.pi / omega) if turning else "",
                "" if np.isnan(zeta) else layout.number(float(zeta) * (abs(zeta) > layout.NOISE)),
            )
        )
    yield Table(head, tuple(rows))
    if int(modes.infinite):
        yield f"{int(modes.infinite)} roots are infinite: some direction has no mass."
    if small and rows:
        names = [f"`{q}`" for q in modes.linear.coordinates]
        rows_are = "rows being the coordinates" if len(names) > 1 else "the row being the coordinate"
        yield f"The shapes are the columns, {rows_are} {', '.join(names)}; the largest entry is 1:"
        yield _shapes(modes)


def _shapes(modes: Modes) -> Formula:
    shapes = np.asarray(modes.shapes)
    if not np.iscomplexobj(shapes):
        return layout.numbers(Formula("shapes", r"X"), shapes)
    return layout.complex_numbers(Formula("shapes", r"X"), shapes)


def _pair(pair: Complex) -> Formula:
    """Two conjugate eigenvalues with one sign for both, or two real ones."""
    if len(pair) == 2 and pair[0].imag and pair[0] == np.conj(pair[1]):
        real, imaginary = layout.number(pair[0].real), layout.number(abs(pair[0].imag))
        if abs(pair[0].real) <= layout.NOISE * abs(pair[0]):
            return Formula(f"± {imaginary.text}i", rf"\pm {imaginary.latex} i")
        return Formula(f"{real.text} ± {imaginary.text}i", rf"{real.latex} \pm {imaginary.latex} i")
    both = [layout.number(x) for x in pair]
    return Formula(", ".join(x.text for x in both), r",\ ".join(x.latex for x in both))


def _eigenvalue_steps(stability: Stability) -> Iterator[Step]:
    found = stability.eigenvalues[~np.isnan(stability.eigenvalues.real)]
    if not len(found):
        yield "There are none."
        return
    yield "There are motions exp(s t) with these s, in 1/s:"
    written = [layout.number(x) for x in found[: 2 * MOST_LISTED]]
    more = ", ..." if len(found) > 2 * MOST_LISTED else ""
    yield Formula(", ".join(x.text for x in written) + more, r",\quad ".join(x.latex for x in written))


def _verdict_steps(stability: Stability) -> Iterator[Step]:
    """The verdict, its reason with numbers, and the theorem behind it."""
    said = theorem(stability.reason)
    if said:
        yield said
    yield f"So it is {stability.verdict}." if said else f"It is {stability.verdict}."
    yield stability.sentence
