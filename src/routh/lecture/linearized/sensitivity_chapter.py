"""The chapter on how modes change with parameters: third derivatives of L, the moving rest, and the
derivative of an eigenvalue by its left and right vectors (Lancaster, 1964).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import sympy
from sympy import ImmutableDenseMatrix as Matrix

from routh.analysis.given.knob import knob
from routh.analysis.linear.linearize import linearize
from routh.analysis.rest.result import Equilibrium
from routh.analysis.sensitivities.modes_sensitivity import ModesSensitivity
from routh.analysis.sensitivities.moved_rest import moves
from routh.analysis.sensitivities.pencil_slopes import pencil_slopes
from routh.analysis.stability.modes import modes
from routh.arrays import Array, Complex
from routh.lecture.kinds import chapter_of
from routh.lecture.linearized import layout
from routh.lecture.linearized.moved_rest_chapter import (
    MOST_SHOWN,
    moved_steps,
    place_steps,
    written_rows,
)
from routh.lecture.linearized.second_derivatives import second_derivatives, shortened
from routh.lecture.linearized.sensitivity_letters import SensitivityLetters
from routh.mechanics.forms.chapter import Chapter, Formula, Step, Table, chapter, formula
from routh.numerics.rank import balanced

Pencil = tuple[Array, Array, Array]
"""M, D + G and K + H, in all coordinates and multipliers."""

HEADS = (
    ("M", "$M", "$M"),
    ("C", "($D + $G)", "($D + $G)"),
    ("K", "($K + $H)", "($K + $H)"),
)


@chapter_of.register
def _(found: ModesSensitivity) -> Chapter:
    one: Equilibrium = found.rest.single(0) if found.rest.conditions.shape else found.rest
    if found.rest.conditions.shape:
        found, whole = modes(linearize(one)).sensitivity(*found.parameters), found.rest
    else:
        whole = one
    letters = SensitivityLetters(one.system)
    sections: list[tuple[str, list[Step]]] = [("Reference", list(place_steps(whole, one)))]
    if one.q.size + one.multipliers.size <= MOST_SHOWN:
        moved = one.sensitivity(*found.parameters)
        sections += [
            ("The rest moves", list(moved_steps(moved, letters))),
            ("The matrices change", list(_matrix_steps(found, one, letters))),
        ]
    sections += [
        ("Derivative of an eigenvalue", list(_eigenvalue_steps(letters))),
        ("Eigenvalues", list(_listed(found, one, letters))),
    ]
    title = layout.titled(one.system, "how the modes change with parameters")
    return chapter(title, letters.told(sections))


def _matrix_steps(
    found: ModesSensitivity, rest: Equilibrium, letters: SensitivityLetters
) -> Iterator[Step]:
    """How M, D + G and K + H change: with the parameter itself, and with the rest that moves."""
    yield letters.sentence(
        "$M, $D + $G and $K + $H are second derivatives of L. They change with $p by third derivatives:"
        " by $p itself, and by the positions that move along,"
    )
    yield letters(
        "d$M/d$p = L_vv$p + L_vvq dq/d$p",
        r"\frac{d $M}{d $p} = L_{vv $p} + L_{vvq} \frac{dq}{d $p}",
    )
    yield letters(
        "d($K + $H)/d$p = -L_qq$p - L_qqq dq/d$p",
        r"\frac{d ($K + $H)}{d $p} = -L_{qq $p} - L_{qqq} \frac{dq}{d $p}",
    )
    yield "and so do the parts that dissipation, forces and constraints have in them."
    yield from _third_derivatives(found, rest, letters)
    pencil, slopes = _pencils(found, rest)
    if rest.multipliers.size:
        yield (
            "With the multipliers as further unknowns the slopes of the constraints stand beside and"
            " below; in numbers"
        )
    else:
        yield "In numbers"
    for (_, head, tex), X in zip(HEADS, pencil, strict=True):
        if X.any():
            yield layout.numbers(letters(head.strip("()"), tex.strip("()")), X)
    for k, p in enumerate(found.parameters):
        yield from _changes(p, [X[k] for X in slopes], letters)


def _changes(p: sympy.Symbol, slopes: list[Array], letters: SensitivityLetters) -> Iterator[Step]:
    """The derivatives of the matrices by one parameter in numbers, those that are not zero."""
    size = max(np.abs(X).max(initial=0.0) for X in slopes)
    some = [(own, X) for own, X in zip(HEADS, slopes, strict=True) if (np.abs(X) > 1e-14 * size).any()]
    if not some:
        yield f"With `{p}` none of them changes."
    for (_, head, tex), X in some:
        yield layout.numbers(letters(f"d{head}/d$a", rf"\frac{{d {tex}}}{{d $a}}", a=p), X)


def _third_derivatives(
    found: ModesSensitivity, rest: Equilibrium, letters: SensitivityLetters
) -> Iterator[Step]:
    """The slopes of the entries in symbols, those that are not zero, where they can be written."""
    if written_rows(rest) is None:
        return
    yield "Those that are not zero are, with all else held,"
    system = rest.system
    moving = [*system.coordinates, *system.multipliers]
    by = [*found.parameters, *(x for x in moving if x not in found.parameters)]
    for (_, head, tex), entries in zip(HEADS, written_matrices(rest), strict=True):
        for x in by:
            slope = shortened(entries.applyfunc(lambda e, x=x: e.diff(x)))
            if any(slope):
                name = letters(f"d{head}/d$a", rf"\frac{{\partial {tex}}}{{\partial $a}}", a=x)
                yield layout.matrix(Formula(f"partial {name.text}", name.latex), slope)


def written_matrices(rest: Equilibrium) -> tuple[Matrix, Matrix, Matrix]:
    """M, D + G and K + H of a system at rest, in symbols, before positions are put in."""
    system = rest.system
    still = dict.fromkeys(system.velocities, sympy.S.Zero)
    of = second_derivatives(system, still)
    return of.L_vv, of.L_vq - of.L_vq.T + of.D_vv - of.Q_v, -of.L_qq + of.D_vq - of.Q_q + of.J_q


def _pencils(found: ModesSensitivity, rest: Equilibrium) -> tuple[Pencil, tuple[Array, Array, Array]]:
    """The matrices (size, size), and their derivatives (P, size, size)."""
    full = linearize(rest).descriptor
    knobs = tuple(knob(rest.system, rest.conditions, each) for each in found.parameters)
    slopes = pencil_slopes(rest, moves(rest, knobs, order=2))
    return (full.M, full.C, full.K), (slopes.M[0], slopes.C[0], slopes.K[0])


def _eigenvalue_steps(letters: SensitivityLetters) -> Iterator[Step]:
    yield letters.sentence("A motion $chi exp($s t) has an eigenvalue $s with vectors on both sides,")
    pencil = "($s^2 $M + $s ($D + $G) + $K + $H)"
    drawn = r"\left($s^2 $M + $s ($D + $G) + $K + $H\right)"
    yield letters(f"{pencil} $chi = 0", f"{drawn} $chi = 0")
    yield letters(f"$psi^H {pencil} = 0", f"$psi^H {drawn} = 0")
    yield letters.sentence(
        "The first is differentiated by $p and multiplied by $psi^H: the derivative of $chi drops out"
        " by the second, and"
    )
    change = "$psi^H ($s^2 d$M/d$p + $s d($D + $G)/d$p + d($K + $H)/d$p) $chi"
    tex = (
        r"$psi^H \left($s^2 \frac{d $M}{d $p} + $s \frac{d ($D + $G)}{d $p}"
        r" + \frac{d ($K + $H)}{d $p}\right) $chi"
    )
    yield letters(
        f"d$s/d$p = -{change} / ($psi^H (2 $s $M + $D + $G) $chi)",
        rf"\frac{{d $s}}{{d $p}} = -\frac{{{tex}}}{{$psi^H (2 $s $M + $D + $G) $chi}}",
    )


def _listed(found: ModesSensitivity, rest: Equilibrium, letters: SensitivityLetters) -> Iterator[Step]:
    """Each eigenvalue with its vectors and its derivatives, then all of them in a table."""
    chosen = [k for k, s in enumerate(found.s) if np.isfinite(s) and s.imag >= 0]
    if rest.q.size + rest.multipliers.size <= MOST_SHOWN:
        at, slopes = _pencils(found, rest)
        for k in chosen:
            if np.isfinite(found.eigenvalues[k]).any():
                yield from _one(k, found, (at, slopes), letters)
    head: tuple[str | Formula, ...] = (
        "mode", letters("$s", "$s"),
        *(letters("d$s/d$a", r"d $s / d $a", a=p) for p in found.parameters),
    )  # fmt: skip
    yield ("Altogether; of two conjugate eigenvalues the first, and derivatives are conjugate too:")
    yield Table(head, tuple(_row(found, k) for k in chosen))
    if found.remark:
        yield found.remark


def _row(found: ModesSensitivity, k: int) -> tuple[str | Formula, ...]:
    cells = [layout.number(z) if np.isfinite(z) else "none" for z in found.eigenvalues[k]]
    return (str(k // 2 + 1), layout.number(found.s[k]), *cells)


def _one(
    k: int,
    found: ModesSensitivity,
    matrices: tuple[Pencil, tuple[Array, Array, Array]],
    letters: SensitivityLetters,
) -> Iterator[Step]:
    """One eigenvalue: its vectors, what is divided, and the derivatives."""
    (M, C, K), (dM, dC, dK) = matrices
    s = complex(found.s[k])
    terms = abs(s) ** 2 * np.abs(M) + abs(s) * np.abs(C) + np.abs(K)
    chi, psi = null_vectors(np.asarray(s**2 * M + s * C + K, dtype=complex), terms)
    yield f"Mode {k // 2 + 1}:"
    yield formula(letters("$s", "$s"), layout.number(s))
    yield layout.complex_numbers(letters("$chi^T", "$chi^T"), chi[None])
    yield layout.complex_numbers(letters("$psi^T", "$psi^T"), psi[None])
    weight = complex(psi.conj() @ (2 * s * M + C) @ chi)
    yield formula(
        letters("$psi^H (2 $s $M + $D + $G) $chi", "$psi^H (2 $s $M + $D + $G) $chi"),
        layout.number(weight),
    )
    for j, p in enumerate(found.parameters):
        if np.isfinite(found.eigenvalues[k, j]):
            pushed = complex(psi.conj() @ (s**2 * dM[j] + s * dC[j] + dK[j]) @ chi)
            yield formula(
                letters("d$s/d$a", r"\frac{d $s}{d $a}", a=p),
                _share(pushed, weight),
                layout.number(found.eigenvalues[k, j]),
            )


def _share(above: complex, below: complex) -> Formula:
    up, down = layout.number(above), layout.number(below)
    return Formula(f"-({up.text}) / ({down.text})", rf"-\frac{{{up.latex}}}{{{down.latex}}}")


def null_vectors(P: Complex, terms: Array) -> tuple[Complex, Complex]:
    """The right and left null vectors of P, a sum of terms, the largest entry of each being 1."""
    _, rows, columns = balanced(terms[None])
    U, _, V = np.linalg.svd(P / rows[0][:, None] / columns[0])
    found = V[-1].conj() / columns[0], U[:, -1] / rows[0]
    right, left = (x / x[np.argmax(np.abs(x))] for x in found)
    return _settled(right), _settled(left)


def _settled(x: Complex) -> Complex:
    """A vector without what is rounding beside its largest entry."""
    real, imaginary = (np.where(np.abs(part) < 1e-12, 0.0, part) for part in (x.real, x.imag))
    return np.asarray(real + 1j * imaginary)
