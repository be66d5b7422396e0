"""A symbolic linear model as the small motions obey it: on the admissible motions, row by row."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import sympy
from sympy import ImmutableDenseMatrix as Matrix

from routh.language.symbols import Coordinate, Input, Signal, t
from routh.language.walk import leaves
from routh.lecture.lagrangian.admissible_basis import admissible_basis
from routh.lecture.linearized import layout
from routh.lecture.linearized.matrix_letters import MatrixLetters
from routh.lecture.linearized.second_derivatives import shortened
from routh.mechanics.constraints import ConstraintKind, constraint_kinds
from routh.mechanics.forms.chapter import Formula, Side, Step, formula
from routh.mechanics.forms.printing import latex, text
from routh.mechanics.forms.tidy import Tidy
from routh.mechanics.forms.vanish import vanishes
from routh.mechanics.quadratic import LinearEquations


@dataclass(frozen=True)
class SmallMotions:
    """`M eta'' + (D + G) eta' + (K + H) eta + R^T mu = B u` with `R eta' + W eta = 0`.

    The symbols of the coordinates stand for deviations. Without velocity constraints R has no rows.
    """

    coordinates: tuple[Coordinate, ...]
    inputs: tuple[Input, ...]
    M: Matrix
    D: Matrix
    G: Matrix
    K: Matrix
    H: Matrix
    B: Matrix
    R: Matrix
    W: Matrix

    @property
    def matrices(self) -> tuple[Matrix, Matrix, Matrix]:
        """M, D + G and K + H."""
        return self.M, Matrix(self.D + self.G), Matrix(self.K + self.H)

    @property
    def changing(self) -> list[sympy.Symbol]:
        """Time and inputs that the matrices contain."""
        entries = [entry for X in (*self.matrices, self.R, self.W) for entry in X]
        found = {x for x in leaves(entries) if x == t or isinstance(x, Input)}
        return sorted(found, key=str)


def small_motions(linear: LinearEquations) -> SmallMotions:
    """The model in all coordinates, with what cancels left out."""
    multipliers = _multipliers(linear)
    made = {
        key: Matrix(
            [[_steady(entry.xreplace(multipliers)) for entry in X.row(i)] for i in range(X.rows)]
        )
        if X.rows and X.cols
        else X
        for key in "MDGKHB"
        for X in (getattr(linear, key),)
    }
    none = Matrix.zeros(0, len(linear.system.coordinates))
    return SmallMotions(linear.system.coordinates, linear.inputs, R=none, W=none, **made)


def _multipliers(linear: LinearEquations) -> dict[sympy.Basic, sympy.Expr]:
    """The multipliers that the residual gives, where it is linear in them.

    Where constraints repeat each other, some are given by others that may have any value. Rows without
    multipliers are conditions on other things, like u = 0, and say nothing of them.
    """
    rows = [row for row in linear.residual if row.has(*linear.multipliers)]
    if not rows:
        return {}
    found = sympy.linsolve(rows, list(linear.multipliers))
    if not isinstance(found, sympy.FiniteSet) or not found.args:
        return {}
    tidy = Tidy(1.0)
    return {
        x: tidy(value) for x, value in zip(linear.multipliers, found.args[0], strict=True) if value != x
    }


def _steady(entry: sympy.Expr) -> sympy.Expr:
    """The entry without time, where it drops out."""
    if t not in leaves([entry]) or any(isinstance(x, Input) for x in leaves([entry])):
        return entry
    return Tidy(1.0)(entry.xreplace({t: sympy.S.Zero})) if vanishes(entry.diff(t)) else entry


def constraint_steps(
    linear: LinearEquations, full: SmallMotions, letters: MatrixLetters
) -> Iterator[Step]:
    """J, the basis of the admissible motions, and the multipliers."""
    if not linear.multipliers:
        return
    if all(linear.system.is_holonomic):
        yield "The deviations keep the constraints: J eta = 0."
    else:
        yield "The deviations keep the constraints: J eta = 0, and J eta' + W eta = 0 for velocities."
    yield layout.matrix(letters("J"), linear.J)
    yield from _multiplier_steps(linear)
    reduced = admissible(linear, full)
    if reduced is None:
        yield "J depends on time along the reference: the constraints stay beside the equations."
        return
    motions, Z = reduced
    if Z.cols < Z.rows:
        kept = ", ".join(f"`{q}`" for q in motions.coordinates)
        if Z.cols:
            yield f"The deviations of {kept} carry the others along, by a matrix Z with J Z = 0:"
            yield layout.matrix(letters("Z"), Z)
            yield "The equations along the columns of Z have the matrices Z^T M Z, Z^T (D + G) Z, ..."
            for key in "MDGKHB":
                X = getattr(motions, key)
                if key in "MK" or any(X):
                    yield layout.matrix(letters(key), X)
        else:
            yield "They leave no motion."
    if motions.R.rows:
        yield "Velocity constraints that hold no position stay: R eta' + W eta = 0, with forces R^T mu."
        yield layout.matrix(letters("R"), motions.R)
        if any(motions.W):
            yield layout.matrix(letters("W"), motions.W)


def _multiplier_steps(linear: LinearEquations) -> Iterator[Step]:
    """The multipliers on the reference, and which of them may have any value."""
    known = _multipliers(linear)
    if not known:
        return
    yield "The equations of motion on the reference give the multipliers:"
    yield from (formula(x, value) for x, value in known.items())
    free = [f"`{x}`" for x in linear.multipliers if x not in known]
    if free:
        yield (
            f"The constraints repeat each other, so that {' and '.join(free)} may have any value; what"
            " all of them do together, J^T lambda, is determined."
        )


def admissible(linear: LinearEquations, full: SmallMotions) -> tuple[SmallMotions, Matrix] | None:
    """The model on the admissible motions and their basis; None where the basis changes in time."""
    kinds = constraint_kinds(linear.system)
    rolling = [k for k, kind in enumerate(kinds) if kind is ConstraintKind.NONHOLONOMIC]
    holding = [k for k in range(len(kinds)) if k not in rolling]
    if any(x == t or isinstance(x, Input) for x in leaves(linear.J)):
        return None
    Z, kept = admissible_basis(Matrix(linear.J[holding, :]))
    own = {key: shortened(Z.T * getattr(full, key) * Z) for key in "MDGKH"}
    return (
        replace(
            full,
            coordinates=tuple(full.coordinates[k] for k in kept),
            B=shortened(Z.T * full.B),
            R=shortened(Matrix(linear.J[rolling, :]) * Z),
            W=shortened(Matrix(linear.W[rolling, :]) * Z),
            **own,
        ),
        Z,
    )


def row_steps(motions: SmallMotions, letters: MatrixLetters) -> Iterator[Step]:
    """The rows as equations, inputs on the right; divided by the mass where it stands alone."""
    both = _both(motions)
    if both:
        yield (
            "The letters of coordinates and inputs stand for their deviations, but delta is before"
            f" those of {' and '.join(f'`{x}`' for x in both)}, whose values on the reference are in"
            " the matrices. Row by row:"
        )
    else:
        yield "With the letters of the coordinates for their deviations, row by row:"
    mu = letters.name("mu")
    rows = [_row(motions, k, mu) for k in range(len(motions.coordinates))]
    rows += [_held(motions, k) for k in range(motions.R.rows)]
    yield from (formula(layout.linear_sum(left), layout.linear_sum(right)) for left, right in rows)
    lighter = [_divided(motions, k, mu) for k in range(len(motions.coordinates))]
    if any(lighter) and not motions.R.rows:
        yield "that is, divided by the mass,"
        yield from (
            formula(layout.linear_sum(left), layout.linear_sum(right))
            for left, right in (x or rows[k] for k, x in enumerate(lighter))
        )


def _both(motions: SmallMotions) -> list[Signal]:
    """Coordinates and inputs that stand in the matrices themselves, and have deviations too."""
    entries = [entry for X in (*motions.matrices, motions.B, motions.R, motions.W) for entry in X]
    found = {x.base for x in leaves(entries) if isinstance(x, (Coordinate, Input))}
    own = {x.base: None for x in (*motions.coordinates, *motions.inputs)}
    return [x for x in own if x in found]


def _deviation(x: Signal, both: list[Signal]) -> Side:
    """The letter of a deviation."""
    if x.base not in both:
        return x
    return Formula(f"delta {text(x)}", rf"\delta {latex(x)}")


def _row(motions: SmallMotions, k: int, mu: str) -> tuple[list[layout.Term], list[layout.Term]]:
    q, both = motions.coordinates, _both(motions)
    left: list[layout.Term] = [
        (X[k, j], _deviation(_derivative(x, order), both))
        for X, order in zip(motions.matrices, (2, 1, 0), strict=True)
        for j, x in enumerate(q)
    ]
    left += [(motions.R[i, k], sympy.Symbol(f"{mu}{i + 1}")) for i in range(motions.R.rows)]
    return left, [(motions.B[k, j], _deviation(u, both)) for j, u in enumerate(motions.inputs)]


def _held(motions: SmallMotions, i: int) -> tuple[list[layout.Term], list[layout.Term]]:
    q, both = motions.coordinates, _both(motions)
    left = [(motions.R[i, j], _deviation(x.rate, both)) for j, x in enumerate(q)]
    return [*left, *((motions.W[i, j], _deviation(x, both)) for j, x in enumerate(q))], []


def _divided(
    motions: SmallMotions, k: int, mu: str
) -> tuple[list[layout.Term], list[layout.Term]] | None:
    """A row over its mass, where one acceleration alone is in it and has another factor than 1."""
    heavy = [entry for entry in motions.M.row(k) if entry != 0]
    if len(heavy) != 1 or heavy[0] == 1 or motions.M[k, k] == 0:
        return None
    tidy = Tidy(1.0)
    left, right = (
        [(tidy(sympy.cancel(coefficient / heavy[0])), x) for coefficient, x in terms]
        for terms in _row(motions, k, mu)
    )
    return left, right


def _derivative(x: Coordinate, order: int) -> Coordinate:
    for _ in range(order):
        x = x.rate
    return x
