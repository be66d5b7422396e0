"""Boltzmann and Hamel: equations in quasi-velocities from the kinetic energy alone.

With X_k the field of positions along which the quasi-velocity u_k moves, and p_a the momentum of each
quasi-velocity, those that constraints hold at zero among them,

    d/dt dT/du_k - X_k(T) + sum over a and j of gamma^a_kj u_j p_a = U_k

gamma^a_kj is the part of [X_k, X_j] along u_a: what the order of two small moves makes. Where no
constraint has such a part, the motions that are left stay on surfaces: the constraints together hold
positions (Frobenius). No accelerations are needed, as for Gibbs and Appell. G. Hamel (1904).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import sympy
from sympy import ImmutableDenseMatrix as Matrix

from routh.language.calculus import ddt
from routh.language.derivation import explicit_rate, partials
from routh.language.symbols import Coordinate
from routh.language.system import System
from routh.language.walk import replaced, unfold
from routh.mechanics.forms.printing import latex, latex_lines, text
from routh.mechanics.forms.tidy import Tidy
from routh.mechanics.forms.vanish import vanishes
from routh.mechanics.transforms.quasi_velocities import Admissible, velocities_of
from routh.mechanics.transforms.tangent_frame import Column, Frame, tangent_frame
from routh.shown import as_markdown


@dataclass(frozen=True, eq=False)
class HamelEquations:
    """`d/dt T_u - X(T) + sum of gamma u p = U` for quasi-velocities u.

    Attributes:
        system: the system.
        quasi: the quasi-velocities as symbols.
        T: the kinetic energy in u and q along admissible motions (L, where the system was given so).
        momenta: of each quasi-velocity, T_u, then of each velocity that a constraint holds at zero: the
            slope of T by what it would be, taken along admissible motions.
        gamma: for each momentum an (r, r) skew matrix, [X_k, X_j] along it at k, j.
        drift: for each momentum (r, 1) the same with the motion that is there without u, where
            constraints or definitions depend on time.
        slopes: (r, 1) X(T), the derivatives of T along the fields of u.
        U: (r, 1) generalized forces for u.
        residual: (r, 1) left minus right side, zero along a motion.
    """

    system: System
    quasi: tuple[Coordinate, ...]
    T: sympy.Expr = field(repr=False)
    momenta: tuple[sympy.Expr, ...] = field(repr=False)
    gamma: tuple[Matrix, ...] = field(repr=False)
    drift: tuple[Matrix, ...] = field(repr=False)
    slopes: Matrix = field(repr=False)
    U: Matrix = field(repr=False)
    residual: Matrix = field(repr=False)

    @property
    def is_integrable(self) -> bool:
        """Whether the constraints together hold positions: no gamma or drift leads out of them."""
        beyond = (*self.gamma[len(self.quasi) :], *self.drift[len(self.quasi) :])
        return all(vanishes(e) for each in beyond for e in each)

    @property
    def _letter(self) -> str:
        return "L" if self.system.lagrangian else "T"

    def coefficients(self) -> list[tuple[int, int, int, sympy.Expr]]:
        """The gamma that do not vanish, as (a, k, j, value) with k before j, counted from 0."""
        r = len(self.quasi)
        places = ((a, k, j) for a in range(len(self.gamma)) for k in range(r) for j in range(k + 1, r))
        return [(*at, e) for at in places if (e := self.gamma[at[0]][at[1:]]) != 0]

    def coefficient_name(self, a: int, k: int, j: int) -> tuple[str, str]:
        """What a coefficient is called in text and in LaTeX, counted from 1: gamma^1_23."""
        low = f"{k + 1}{',' if len(self.quasi) > 9 else ''}{j + 1}"
        return f"gamma^{a + 1}_{low}", rf"\gamma^{{{a + 1}}}_{{{low}}}"

    def latex(self) -> str:
        """T, the coefficients and the equations in LaTeX."""
        rows = [f"{self._letter} &= {latex(self.T)}"]
        each = ((self.coefficient_name(*at)[1], e) for *at, e in self.coefficients())
        rows += [f"{name} &= {latex(e)}" for name, e in each]
        return latex_lines([*rows, *(f"{latex(row)} &= 0" for row in self.residual)])

    def __str__(self) -> str:
        lines = [f"{self._letter} = {text(self.T)}"]
        each = ((self.coefficient_name(*at)[0], e) for *at, e in self.coefficients())
        lines += [f"{name} = {text(e)}" for name, e in each]
        rows = zip(self.quasi, self.residual, strict=True)
        return "\n".join([*lines, *(f"{u}: {text(row)} = 0" for u, row in rows)])

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {self.latex()}$"

    _repr_markdown_ = as_markdown


def boltzmann_hamel(
    system: System, definitions: Mapping[Coordinate, sympy.Expr], U: Matrix, simplify: float
) -> HamelEquations:
    """The equations of Boltzmann and Hamel for quasi-velocities that determine the velocities."""
    tidy, u = Tidy(simplify), tuple(definitions)
    frame = tangent_frame(system)
    free = velocities_of(frame, definitions, tidy, beyond=True)
    moved = [_dot(free.W[i, :], u) + free.w[i] for i in range(len(frame.symbols))]
    by_quasi = dict(zip(frame.symbols, moved, strict=True))
    known = {v: replaced(e, by_quasi) for v, e in frame.velocities.items()}

    def along(e: sympy.Expr) -> sympy.Expr:
        return tidy(frame.lowered(replaced(replaced(e, known), by_quasi)))

    whole = frame.along(unfold(sympy.Add(*system.kinetic, *system.lagrangian)))
    T = along(whole)
    p = [along(e) for e in partials(whole, frame.symbols)]
    fields = [list(free.W[:, k]) for k in range(len(u))]
    beyond = [tidy(frame.lowered(_dot(free.C[:, k], p))) for k in range(free.C.cols)]
    momenta = [*(tidy(e) for e in partials(T, u)), *beyond]
    gamma, drift = _structure(frame, definitions, free, tidy)
    slopes = [tidy(frame.derivative(T, X)) for X in fields]
    residual = []
    for k in range(len(u)):
        turn = (_dot(gamma[a][k, :], u) + drift[a][k] for a in range(len(momenta)))
        beside = _dot(turn, momenta)
        inertia = _dot((tidy(e) for e in partials(momenta[k], u)), [x.rate for x in u])
        still = along(replaced(ddt(momenta[k]), dict.fromkeys([x.rate for x in u], sympy.S.Zero)))
        rest = tidy(frame.lowered(still - slopes[k] + beside))
        residual.append(tidy(inertia + rest - U[k]))
    return HamelEquations(
        system, u, T, tuple(momenta), gamma, drift, Matrix(slopes), U, Matrix(residual)
    )


def _structure(
    frame: Frame, definitions: Mapping[Coordinate, sympy.Expr], free: Admissible, tidy: Tidy
) -> tuple[tuple[Matrix, ...], tuple[Matrix, ...]]:
    """The brackets of the fields of u, and those with what moves by itself, along each momentum."""
    s, r = frame.symbols, len(definitions)
    fields, alone = [list(free.W[:, k]) for k in range(r)], list(free.w)
    rows = [partials(frame.along(e), s) for e in (*definitions.values(), *frame.rows)]

    def part(row: Column, bracket: Column) -> sympy.Expr:
        return tidy(frame.lowered(_dot(row, bracket)))

    brackets = {(k, j): frame.bracket(fields[k], fields[j]) for k in range(r) for j in range(k + 1, r)}
    carried = []
    for X in fields:
        turned = frame.bracket(X, alone) if any(alone) else [sympy.S.Zero] * len(s)
        carried.append([a - explicit_rate(x) for a, x in zip(turned, X, strict=True)])
    gamma = []
    for row in rows:
        upper = {at: part(row, bracket) for at, bracket in brackets.items()}
        own = sympy.zeros(r, r)
        for (k, j), e in upper.items():
            own[k, j], own[j, k] = e, -e
        gamma.append(Matrix(own))
    drift = [Matrix([part(row, each) for each in carried]) for row in rows]
    return tuple(gamma), tuple(drift)


def _dot(a: Iterable[sympy.Expr], b: Iterable[sympy.Expr]) -> sympy.Expr:
    """The sum of products, without those with zero."""
    return sympy.Add(*(x * y for x, y in zip(a, b, strict=True) if x != 0 and y != 0))
