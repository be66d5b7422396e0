"""The chapter on a linear model in numbers: second derivatives in symbols, then at the equilibrium."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import sympy
from sympy import ImmutableDenseMatrix as Matrix

from routh.analysis.given.redundancy import redundant
from routh.analysis.linear.linear_model import LinearModel, skew, symmetric
from routh.analysis.linear.linearize import left_basis, linearize
from routh.analysis.rest.result import Equilibrium
from routh.arrays import Array
from routh.errors import DeclarationError
from routh.kernels.kernel import kernel
from routh.language.calculus import ddt
from routh.language.contact.reaction import depends_on_reactions
from routh.language.gates import checked_symbolic
from routh.language.symbols import Coordinate
from routh.language.system import System
from routh.lecture.kinds import chapter_of
from routh.lecture.linearized import layout
from routh.lecture.linearized.linear_terms import (
    input_steps,
    mass_steps,
    name,
    position_steps,
    velocity_steps,
)
from routh.lecture.linearized.matrix_letters import MatrixLetters
from routh.lecture.linearized.second_derivatives import second_derivatives
from routh.mechanics.forms.chapter import Chapter, Formula, Step, chapter, formula

MOST_WRITTEN = 6
"""Coordinates up to which second derivatives are written in symbols."""

MOST_SHOWN = 12
"""Rows up to which matrices of numbers are shown."""

ROUNDING = 1e-12
"""What is below this share of the others is zero to rounding."""


class AtRest:
    """An equilibrium as the place where second derivatives are evaluated, in numbers."""

    def __init__(self, rest: Equilibrium, time: float, floor: float) -> None:
        self._system, self._point, self._floor = rest.system, rest.point(time), floor
        self.letters = MatrixLetters(rest.system)

    def here(self, entries: Matrix) -> Array:
        """The matrix at the equilibrium; rounding is zero."""
        if not any(entries):
            return np.zeros(entries.shape)
        values = kernel(self._system).values(list(entries), self._point)[0]
        found = np.asarray(values, dtype=float).reshape(entries.shape)
        return np.where(np.abs(found) <= self._floor, 0.0, found)

    def rate(self, entries: Matrix) -> Array:
        """The total time derivative of the matrix, accelerations being zero."""
        still = {v.rate: sympy.S.Zero for v in self._system.velocities}
        return self.here(Matrix(ddt(entries)).xreplace(still))

    def shown(self, head: Formula, found: Array) -> Formula:
        """What was found, with its name."""
        return layout.numbers(self.letters(head), found)


@chapter_of.register
def _(linear: LinearModel) -> Chapter:
    one = single_model(linear)
    system = one.system
    title = layout.titled(system, "the linear model")
    if one.M.shape[-1] > MOST_SHOWN:
        return chapter(title, [("Matrices", [_too_large(one)])])
    sections: list[tuple[str, list[Step]]] = [("Reference", list(reference_steps(linear, one)))]
    if is_written(system):
        sections += _written(one)
    else:
        sections.append(("Matrices", list(matrix_steps(one, letters=MatrixLetters(system)))))
    sections.append(("Equations of small motions", list(_rows(one))))
    return chapter(title, MatrixLetters(system).told(sections))


def single_model(linear: LinearModel) -> LinearModel:
    """The model itself, or that of the first point of a batch."""
    return linearize(linear.reference.single(0), time=linear.time) if linear.shape else linear


def is_written(system: System) -> bool:
    """Whether its second derivatives can be written in symbols and read."""
    if system.shapes or len(system.coordinates) > MOST_WRITTEN:
        return False
    try:
        checked_symbolic(system, "derive")
    except DeclarationError:
        return False
    return True


def reference_steps(linear: LinearModel, one: LinearModel) -> Iterator[Step]:
    """Where the model belongs to."""
    rest = one.reference
    if linear.shape:
        yield (
            f"Of the {linear.reference.conditions.count} points of the batch this is the first;"
            " linearize(rest.single(k)) is another, counted from 0."
        )
    what = "steady motion" if rest.turning else "equilibrium"
    yield f"Deviations eta from the {what} obey"
    whole = Formula(
        "M eta'' + (D + G) eta' + (K + H) eta = B u",
        r"M \ddot\eta + (D + G) \dot\eta + (K + H) \eta = B u",
    )
    yield MatrixLetters(one.system)(whole)
    yield "with D, K symmetric and G, H skew, all from second derivatives of L = T - V. The values are"
    yield assigned(given_numbers(rest))
    yield f"and the {what} {'begins' if rest.turning else 'is'} at"
    yield position(rest)
    if rest.turning:
        yield "moving on with"
        yield assigned({rest.system.velocities[k]: rest.v[k] for k in rest.turning})
    yield from multiplier_steps(rest)
    if one.time is not None:
        yield f"The matrices depend on time; they are those at t = {layout.number(one.time)}."


def multiplier_steps(rest: Equilibrium) -> Iterator[Step]:
    """The multipliers of a single rest; what is determined of them where constraints are redundant."""
    if not rest.multipliers.size:
        return
    yield "with the multipliers"
    yield assigned(dict(zip(rest.system.multipliers, rest.multipliers, strict=True)))
    said = redundant(rest.system, kernel(rest.system).constraint_jacobian(rest.point())[0]).strip()
    if said:
        yield said
        yield "The force of all constraints together, -J^T lambda, is unique; how they share it is not."


def position(rest: Equilibrium) -> Formula:
    """Where a single rest is; what is rounding beside 1 or the largest is zero."""
    rounding = 1e-14 * max(1.0, float(np.abs(rest.q).max(initial=0)))
    clean = np.where(np.abs(rest.q) < rounding, 0.0, rest.q)
    return assigned(dict(zip(rest.system.coordinates, clean, strict=True)))


def given_numbers(rest: Equilibrium) -> dict[sympy.Symbol, float]:
    """The parameters and inputs of a single rest with their numbers."""
    given = dict(zip(rest.system.parameters, rest.conditions.p[0], strict=True))
    return {**given, **{u: x[0] for u, x in rest.conditions.inputs.items()}}


def assigned(values: Mapping[sympy.Symbol, float]) -> Formula:
    """Symbols with their numbers, in one line."""
    pairs = [formula(x, layout.number(float(value), 10)) for x, value in values.items()]
    if not pairs:
        return Formula("none", r"\text{none}")
    return Formula(", ".join(p.text for p in pairs), r",\quad ".join(p.latex for p in pairs))


def _written(one: LinearModel) -> list[tuple[str, list[Step]]]:
    """The sections with second derivatives in symbols."""
    system, rest = one.system, one.reference
    still = [v for k, v in enumerate(system.velocities) if k not in rest.turning]
    rates: dict[Coordinate, sympy.Expr] = dict.fromkeys(still, sympy.S.Zero)
    of = second_derivatives(system, rates)
    time = one.time or 0.0
    exact = AtRest(rest, time, 0.0)
    M = exact.here(of.L_vv)
    F = exact.here(of.L_vq)
    C = exact.rate(of.L_vv) + F - F.T + exact.here(of.D_vv) - exact.here(of.Q_v)
    K = exact.rate(of.L_vq) - exact.here(of.L_qq) + exact.here(of.D_vq) - exact.here(of.Q_q)
    K = K + exact.here(of.J_q)
    size_M, size_C, size_K = (np.abs(X).max(initial=0.0) for X in (M, C, K))
    place = AtRest(rest, time, ROUNDING * max(size_K, size_C, size_M))
    damping = (C, symmetric(C), skew(C)) if system.constraints else (one.D + one.G, one.D, one.G)
    stiffness = (K, symmetric(K), skew(K)) if system.constraints else (one.K + one.H, one.K, one.H)
    sections: list[tuple[str, list[Step]]] = [
        ("Mass", list(mass_steps(of, place, M))),
        ("Damping and gyroscopic forces", list(velocity_steps(of, place, _clean(damping, M, C, K)))),
        (
            "Stiffness and circulatory forces",
            list(position_steps(of, place, _clean(stiffness, M, C, K))),
        ),
    ]
    if not system.constraints:
        steps = input_steps(system, one.inputs, rates, place, one.B)
        sections.append(("Inputs", list(steps)))
    else:
        sections.append(("Constraints", list(_constraint_steps(one, M))))
    return sections


def _clean(parts: tuple[Any, Any, Any], *others: Array) -> tuple[Any, Any, Any]:
    """Matrices without what is rounding beside others."""
    size = max(np.abs(other).max(initial=0.0) for other in others)
    whole, even, odd = (np.where(np.abs(X) <= ROUNDING * size, 0.0, X) for X in parts)
    return whole, even, odd


def _constraint_steps(one: LinearModel, M: Array) -> Iterator[Step]:
    """J, the basis Z, and the matrices on the admissible motions."""
    letters = MatrixLetters(one.system)
    J = kernel(one.system).constraint_jacobian(one.reference.point(one.time or 0.0))[0]
    yield "The constraints have the slopes"
    yield layout.numbers(letters(name("J")), J)
    if not one.Z.shape[-1]:
        yield "They leave no motion."
        return
    if one.Z.shape[-1] < one.Z.shape[-2]:
        yield (
            "The columns of Z are a basis of the motions that those on positions allow, J Z = 0; the"
            " deviations are Z eta:"
        )
        yield layout.numbers(letters(name("Z")), one.Z)
        left = "Z^T"
        if depends_on_reactions(one.system.forces):
            left = "Z_left^T"
            yield from _left_steps(one, M, letters)
        yield f"In eta the matrices are {left} M Z, {left} (D + G) Z, {left} (K + H) Z:"
        yield from matrix_steps(one, "MDGKHB", letters)
    if not one.is_holonomic:
        yield (
            "Constraints on velocities that hold no position stay beside the equations: R eta' + W"
            " eta ="
            " 0, with forces R^T mu."
        )
        yield from matrix_steps(one, "RWS", letters)


def _left_steps(one: LinearModel, M: Array, letters: MatrixLetters) -> Iterator[Step]:
    """What the equations are multiplied with where forces depend on those of constraints."""
    engine, point = kernel(one.system), one.reference.point(one.time or 0.0)
    n = len(one.system.coordinates)
    yield (
        "Forces depend on those of the constraints, as friction does: Q = Q_0 + Q_lambda lambda. What"
        " drops out is not J^T but"
    )
    push = Formula("J^T - Q_lambda", r"J^T - Q_\lambda")
    yield layout.numbers(letters(push), engine.tangent(point)[0][:n, n:])
    yield (
        "so that the equations are multiplied by a matrix of their own, with Z_left^T (J^T - Q_lambda)"
        " = 0 and Z_left^T M Z = Z^T M Z:"
    )
    found = left_basis(engine, point, M[None], one.Z[None])[0]
    yield layout.numbers(Formula("Z_left", r"Z_{\mathrm{left}}"), found.T)


def matrix_steps(
    one: LinearModel, keys: str = "MDGKHBRWS", letters: MatrixLetters | None = None
) -> Iterator[Step]:
    """The matrices that are not zero, in numbers; by other letters where these are taken."""
    for key in keys:
        X = getattr(one, key)
        if key in "MK" or X.any():
            yield layout.numbers(letters(key) if letters else name(key), X)


def deviations(one: LinearModel) -> list[sympy.Symbol]:
    """The letters of the deviations: of the coordinates, or eta1, eta2, ... along a basis."""
    if one.Z.shape[-1] < one.Z.shape[-2]:
        eta = MatrixLetters(one.system).name("eta")
        return [Coordinate(f"{eta}{k + 1}") for k in range(one.Z.shape[-1])]
    return list(one.coordinates)


def _rows(one: LinearModel) -> Iterator[Step]:
    """The rows as equations."""
    letters = deviations(one)
    if not letters:
        return
    own = (
        "eta1, eta2, ... for the factors of the columns of Z"
        if one.Z.shape[-1] < one.Z.shape[-2]
        else "the letters of the coordinates for their deviations"
    )
    yield f"With {own}, row by row:"
    M, C, K = map(layout.clean, (one.M, one.D + one.G, one.K + one.H))
    mu = MatrixLetters(one.system).name("mu")
    for k in range(len(letters)):
        left = [(layout.decimal(M[k, j]), x.rate.rate) for j, x in enumerate(letters)]
        left += [(layout.decimal(C[k, j]), x.rate) for j, x in enumerate(letters)]
        left += [(layout.decimal(K[k, j]), x) for j, x in enumerate(letters)]
        left += [(layout.decimal(one.R[i, k]), sympy.Symbol(f"{mu}{i + 1}")) for i in range(len(one.R))]
        right = [(layout.decimal(one.B[k, j]), u) for j, u in enumerate(one.inputs)]
        yield formula(layout.linear_sum(left), layout.linear_sum(right))
    for i in range(len(one.R)):
        left = [(layout.decimal(one.R[i, j]), x.rate) for j, x in enumerate(letters)]
        left += [(layout.decimal(one.W[i, j]), x) for j, x in enumerate(letters)]
        right = [(-layout.decimal(one.S[i, j]), u) for j, u in enumerate(one.inputs)]
        yield formula(layout.linear_sum(left), layout.linear_sum(right))


def _too_large(one: LinearModel) -> str:
    return (
        f"The model has {one.M.shape[-1]} degrees of freedom, too many for a page: its matrices are"
        f" read"
        " as linear.M, linear.K and so on, and modes(linear) gives its free motions."
    )
