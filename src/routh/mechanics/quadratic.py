"""The linear model from second derivatives of the Lagrangian, written out for people.

About any reference q*(t), with `F_ij = d2L/dv_i dq_j` and d/dt along the reference:

    M = L_vv,   D + G = dM/dt + F - F^T + D_vv - Q_v,   K + H = dF/dt - L_qq + D_vq - Q_q

The nonlinear equations of motion are not used.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import sympy
from sympy import ImmutableDenseMatrix as Matrix

from routh.language.calculus import ddt
from routh.language.derivation import partial
from routh.language.gates import checked_symbolic
from routh.language.symbols import BySymbol, Input, Signal
from routh.language.system import System
from routh.language.unknown import put
from routh.language.walk import unfold
from routh.mechanics.constraints import constraint_jacobian, multiplier_symbols
from routh.mechanics.fields.linear_fields import (
    LinearFieldEquations,
    Reference,
    linear_field_equations,
)
from routh.mechanics.forms.printing import latex, matrix_text
from routh.mechanics.forms.tidy import Tidy
from routh.mechanics.forms.vanish import vanishes
from routh.mechanics.lagrange import generalized_forces
from routh.mechanics.reference import checked_reference, given_multipliers
from routh.mechanics.smooth import refuse_infinite, refuse_kinks
from routh.shown import as_markdown


@dataclass(frozen=True)
class LinearEquations:
    """The symbolic linear model `M eta'' + (D + G) eta' + (K + H) eta = B u`.

    D and K are symmetric, G and H skew. `inputs` names the columns of B; a derivative of an input
    has a column of its own. `residual` is what the equations of motion leave at the reference:
    zero if it is an equilibrium or a motion.

    With constraints these are the rows of all coordinates, with `J^T` times the deviations of the
    multipliers beside them: K and H contain the multipliers, as given in `about` or as symbols whose
    values the residual gives.
    The constraints themselves are `J eta = 0`, or `J eta' + W eta = 0` for velocities.
    """

    system: System
    about: dict[sympy.Symbol, sympy.Expr]
    inputs: tuple[Input, ...]
    M: Matrix = field(repr=False)
    D: Matrix = field(repr=False)
    G: Matrix = field(repr=False)
    K: Matrix = field(repr=False)
    H: Matrix = field(repr=False)
    B: Matrix = field(repr=False)
    J: Matrix = field(repr=False)
    """(c, n): dphi/dq, or dphi/dv for a velocity constraint."""
    W: Matrix = field(repr=False)
    """(c, n): dphi/dq of every constraint."""
    multipliers: tuple[sympy.Symbol, ...]
    residual: Matrix = field(repr=False)

    def text(self) -> str:
        """The matrices that are not zero, as plain text."""
        return "\n".join(matrix_text(name, m) for name, m in self._shown())

    def latex(self) -> str:
        """The matrices that are not zero, in LaTeX."""
        return ",\\quad ".join(f"{name} = {latex(m)}" for name, m in self._shown())

    def _shown(self) -> list[tuple[str, Matrix]]:
        every = {name: getattr(self, name) for name in "MDGKHBJ"}
        if self.J != self.W:
            every["W"] = self.W
        return [(name, m) for name, m in every.items() if name in "MK" or any(m)]

    def __str__(self) -> str:
        return self.text()

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {self.latex()}$"

    def __hash__(self) -> int:
        return hash((self.system, tuple(self.about.items())))

    _repr_markdown_ = as_markdown


def linear_equations(
    system: System, about: BySymbol, *, simplify: float = 1.0
) -> LinearEquations | LinearFieldEquations:
    """The linear model about a reference, symbolically and directly from the Lagrangian.

    That of a system with fields are `.ordinary`, `.partial` and `.boundary` rows.

    Arguments:
        system: the system.
        about: for each coordinate its reference: a number, an expression in the parameters, or for
            a moving reference an expression in `t`; for each field the same, and in its space. A name,
            like {w: "w*"}, stands for a shape or a constant that is not specified. Inputs
            may be given too; else they stay symbols, in the matrices and in the residual. So may
            multipliers, as in a solution of `equilibrium_equations`.
        simplify: work to spend on shorter forms, 1 being about a second of it.

    Raises:
        DeclarationError: for a coordinate without reference or a key that is none.
        DerivationError: the equations have a kink at the reference, or a derivative is infinite there.

    Example:
        >>> from routh import coordinate, parameters, ddt, sin, cos, vector, norm2, System
        >>> theta, (m, l, g) = coordinate("theta"), parameters("m l g")
        >>> r = l * vector(sin(theta), -cos(theta))
        >>> pendulum = System(kinetic=m / 2 * norm2(ddt(r)), potential=m * g * r[1])
        >>> print(linear_equations(pendulum, {theta: 0}))
        M = [m*l**2]
        K = [m*g*l]
    """
    checked_symbolic(system, "linear_equations")
    held: dict[sympy.Symbol, sympy.Expr] = {}
    if isinstance(about, Mapping) and not system.fields:
        held, about = given_multipliers(system, about)
    refuse_kinks(system, Reference(system, about))
    if system.fields:
        return linear_field_equations(system, about, simplify)
    return _discrete(system, about, held, simplify)


def _discrete(
    system: System, about: BySymbol, held: dict[sympy.Symbol, sympy.Expr], simplify: float
) -> LinearEquations:
    """The linear model of a system of coordinates, with the multipliers that are given."""
    reference = {x: unfold(value) for x, value in checked_reference(system, about).items()}
    at = _along(system, reference) | held
    q, v = system.coordinates, system.velocities
    multipliers = multiplier_symbols(system)
    pairs = list(zip(multipliers, map(unfold, system.constraints), system.is_holonomic, strict=True))
    L = unfold(sympy.Add(*system.lagrangian_terms))
    L -= sympy.Add(*(factor * phi for factor, phi, holonomic in pairs if holonomic))
    rayleigh = unfold(sympy.Add(*system.dissipation))
    Q = generalized_forces(system)
    for factor, phi, holonomic in pairs:
        if not holonomic:
            Q -= factor * Matrix([phi.diff(velocity) for velocity in v])
    L_v, L_q, D_v = ([partial(f, x) for x in s] for f, s in ((L, v), (L, q), (rayleigh, v)))
    M, F = (Matrix(put(_jacobian(L_v, s), at)) for s in (v, q))
    C = ddt(M) + F - F.T + put(_jacobian(D_v, v) - _jacobian(Q, v), at)
    K = ddt(F) + put(_jacobian(D_v, q) - _jacobian(L_q, q) - _jacobian(Q, q), at)
    tidy = Tidy.within(simplify)
    inputs, B = _input_columns(system, L_v, L_q, D_v, Q, at, tidy)
    rest = put(Matrix(D_v) - Matrix(L_q) - Q, at)
    residual = ddt(put(Matrix(L_v), at)) + rest
    M, C, K, residual = (tidy.matrix(Matrix(put(X, at))) for X in (M, C, K, residual))
    refuse_infinite(system, (M, C, K, residual, B))
    D, K_symmetric = (tidy.matrix(Matrix((X + X.T) / 2)) for X in (C, K))
    G, H = (tidy.matrix(Matrix((X - X.T) / 2)) for X in (C, K))
    phi = [each for _, each, _ in pairs]
    J, W = (tidy.matrix(Matrix(put(X, at))) for X in (constraint_jacobian(system), _jacobian(phi, q)))
    return LinearEquations(
        system, reference | held, inputs, M, D, G, K_symmetric, H, B, J, W, multipliers, residual
    )


def _jacobian(rows: list[sympy.Expr] | Matrix, variables: tuple[Signal, ...]) -> Matrix:
    entries = [partial(row, x) for row in rows for x in variables]
    return Matrix(len(list(rows)), len(variables), entries)


def _along(system: System, reference: dict[Signal, sympy.Expr]) -> dict[sympy.Symbol, sympy.Expr]:
    """The reference of every signal and its derivatives, up to the highest that can occur."""
    highest = 2 + max((s.order for s in system.signals), default=0)
    at: dict[sympy.Symbol, sympy.Expr] = {}
    for signal, value in reference.items():
        if value == signal:
            continue
        symbol, expr = signal, value
        for _ in range(highest + 1):
            at[symbol] = expr
            symbol, expr = symbol.rate, ddt(expr)
    return at


def _input_columns(
    system: System,
    L_v: list[sympy.Expr],
    L_q: list[sympy.Expr],
    D_v: list[sympy.Expr],
    Q: Matrix,
    at: dict[sympy.Symbol, sympy.Expr],
    tidy: Tidy,
) -> tuple[tuple[Input, ...], Matrix]:
    """B column by column: `-(d/dt L_vu + L_vu_ - L_qu + D_vu - Q_u)`, u_ one dot below u."""
    columns: dict[Input, Matrix] = {}
    for u in system.signals:
        here = put(_jacobian(L_q, (u,)) - _jacobian(D_v, (u,)) + _jacobian(Q, (u,)), at)
        column = here - ddt(Matrix(put(_jacobian(L_v, (u,)), at)))
        if u.order:
            below = ddt(u.base, u.order - 1)
            column = column - put(_jacobian(L_v, (below,)), at)
        column = tidy.matrix(Matrix(put(column, at)))
        if not all(map(vanishes, column)):
            columns[u] = column
    n = len(system.coordinates)
    B = Matrix.hstack(*columns.values()) if columns else Matrix(n, 0, [])
    return tuple(columns), Matrix(B)
