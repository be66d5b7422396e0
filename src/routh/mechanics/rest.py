"""The equations of equilibrium, written out for people, and their solutions in closed form.

At rest v = 0: `d_t L_v - L_q + D_v + J^T multipliers = Q` and phi = 0. In a steady motion some
velocities are constants.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import sympy
from sympy import ImmutableDenseMatrix as Matrix

from routh.errors import DeclarationError, DerivationError, did_you_mean, listed, quoted
from routh.language.calculus import ddt, expression
from routh.language.derivation import partial
from routh.language.gates import checked_symbolic
from routh.language.keys import once
from routh.language.names import by_name
from routh.language.symbols import BySymbol, Coordinate, Signal, t
from routh.language.system import System
from routh.language.walk import contains_time, leaves, unfold
from routh.mechanics.balance_conditions import only_if, split_conditions, why_unfulfilled
from routh.mechanics.constraints import constraint_jacobian, multiplier_symbols
from routh.mechanics.fields.boundary_values import FieldEquilibriumEquations, field_equilibrium
from routh.mechanics.forms.chapter import Formula
from routh.mechanics.forms.printing import latex_rows, text, turned
from routh.mechanics.forms.tidy import Tidy
from routh.mechanics.forms.work import Work
from routh.mechanics.held_roots import Conditions
from routh.mechanics.lagrange import generalized_forces
from routh.mechanics.roots import Solution, roots
from routh.mechanics.solution_domain import existence
from routh.shown import as_markdown


@dataclass(frozen=True)
class EquilibriumEquations:
    """What must vanish at an equilibrium, and solutions in closed form.

    Attributes:
        residual: (n + c, 1) the equations of the coordinates, then the constraints.
        unknowns: the coordinates that occur, then the multipliers.
        solutions: those found in time, each a mapping of unknowns to expressions; an unknown without
            entry is free. The list may lack some: `equilibria` finds all numbers.
        nonnegative: for each solution what must not be negative, beside what stands under its roots.
        required: what inputs must fulfil, each zero; without it there is no equilibrium.
        remark: why no solution is listed, or nothing.
        speeds: the constant rates of what moves on in a steady motion.
    """

    system: System
    residual: Matrix = field(repr=False)
    unknowns: tuple[sympy.Symbol, ...]
    solutions: tuple[Solution, ...]
    required: tuple[sympy.Expr, ...] = ()
    remark: str = ""
    speeds: Mapping[Coordinate, sympy.Expr] = field(default_factory=dict)
    nonnegative: tuple[tuple[sympy.Expr, ...], ...] = ()

    @property
    def conditions(self) -> tuple[tuple[Formula, ...], ...]:
        """For each solution where it exists, and is one."""
        pairs = zip(self.solutions, self.nonnegative or ((),) * len(self.solutions), strict=True)
        return tuple(existence(solution.values(), needed) for solution, needed in pairs)

    def text(self) -> str:
        """The equations and the solutions, one a line."""
        lines = [f"{text(turned(row))} = 0" for row in self.residual if row != 0]
        for solution, where in zip(self.solutions, self.conditions, strict=True):
            pairs = ", ".join(f"{x} = {text(value)}" for x, value in solution.items())
            lines.append(f"solution{only_if(self.required, where)}: {pairs or 'every position'}")
        if self.remark:
            lines.append(f"no solution in closed form: {self.remark}")
        return "\n".join(lines)

    def latex(self) -> str:
        """The equations under each other, in LaTeX."""
        return latex_rows(("", turned(row), " &= 0") for row in self.residual if row != 0)

    def __str__(self) -> str:
        return self.text()

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {self.latex()}$"

    def __hash__(self) -> int:
        return hash((self.system, self.residual))

    _repr_markdown_ = as_markdown


def equilibrium_equations(
    system: System,
    *,
    speeds: BySymbol | None = None,
    simplify: float = 1.0,
    solve: float = 2.0,
) -> EquilibriumEquations | FieldEquilibriumEquations:
    """The equations of equilibrium of a system, symbolically, with solutions where they are found.

    Those of a system with fields are a boundary-value problem along each space.

    Arguments:
        system: the system.
        speeds: constant rates of coordinates that move on, as numbers or expressions in parameters:
            the equations are those of a steady motion.
        simplify: work to spend on shorter forms, 1 being about a second of it.
        solve: work to spend on solutions; 0 for none.

    Example:
        >>> from routh import coordinate, parameters, ddt, sin, cos, System
        >>> theta, (m, R, g, w) = coordinate("theta"), parameters("m R g omega")
        >>> T = m * R**2 * (ddt(theta) ** 2 + w**2 * sin(theta) ** 2) / 2
        >>> print(equilibrium_equations(System(kinetic=T, potential=-m * g * R * cos(theta))))
        m*R*(g - R*omega**2*cos(theta))*sin(theta) = 0
        solution if -1 <= g/(R*omega**2) <= 1: theta = acos(g/(R*omega**2))
        solution if -1 <= g/(R*omega**2) <= 1: theta = -acos(g/(R*omega**2))
        solution: theta = 0
        solution: theta = pi
    """
    checked_symbolic(system, "equilibrium_equations")
    rates = _rates(system, speeds)
    if system.fields:
        amount = Tidy.amount(solve, "solve", "solutions")
        return field_equilibrium(system, rates, simplify, amount)
    tidy = Tidy.within(simplify)
    amount = Tidy.amount(solve, "solve", "solutions")
    multipliers = list(multiplier_symbols(system))
    rows = [tidy(row) for row in _balance(system, rates, multipliers)]
    used = leaves(rows)
    unknowns = tuple(x for x in (*system.coordinates, *multipliers) if x in used)
    _refuse_dependence(system, rates, used)
    conditions, unfulfilled = split_conditions(
        row for row in rows if row != 0 and not leaves([row]) & set(unknowns)
    )
    found, note = _solved(rows, unknowns, unfulfilled, amount)
    solutions, needed = tuple(own for own, _ in found), tuple(needed for _, needed in found)
    return EquilibriumEquations(
        system, Matrix(rows), unknowns, solutions, tuple(conditions), note, rates, needed
    )


def _solved(
    rows: list[sympy.Expr],
    unknowns: tuple[sympy.Symbol, ...],
    unfulfilled: list[sympy.Expr],
    amount: float,
) -> tuple[list[tuple[Solution, Conditions]], str]:
    """The solutions of the rows with unknowns, and the reason where there are none."""
    if contains_time(*rows):
        return [], "The equations contain time, and no solution was looked for."
    if unfulfilled:
        return [], why_unfulfilled(unfulfilled)
    if not amount:
        return [], ""
    own = [row for row in rows if leaves([row]) & set(unknowns)]
    if not own:
        return [({}, ())], ""
    work = Work(amount)
    solutions = roots(own, unknowns, work)
    if solutions:
        return solutions, ""
    if work.spent:
        return [], f"None was found with the work of solve={amount:g}; raise it."
    return [], "None was found by rules or by SymPy; `equilibria` finds numbers."


def _balance(
    system: System, rates: Mapping[Coordinate, sympy.Expr], multipliers: list[sympy.Symbol]
) -> list[sympy.Expr]:
    """E + J^T multipliers and phi with constant velocities."""
    L = unfold(sympy.Add(*system.lagrangian_terms))
    D = unfold(sympy.Add(*system.dissipation))
    Q = generalized_forces(system)
    J = constraint_jacobian(system)
    still: dict[sympy.Symbol, sympy.Expr] = {v.rate: sympy.S.Zero for v in system.velocities}
    still |= {q.rate: rates.get(q, sympy.S.Zero) for q in system.coordinates}
    rows = []
    for k, q in enumerate(system.coordinates):
        push = sympy.Add(*(J[i, k] * multiplier for i, multiplier in enumerate(multipliers)))
        E = ddt(partial(L, q.rate)) - partial(L, q) + partial(D, q.rate) - Q[k] + push
        rows.append(E.xreplace(still))
    return [*rows, *(unfold(phi).xreplace(still) for phi in system.constraints)]


def _rates(system: System, speeds: BySymbol | None) -> dict[Coordinate, sympy.Expr]:
    """The checked speeds."""
    if speeds is not None and not isinstance(speeds, Mapping):
        raise DeclarationError(
            f"`speeds` must map coordinates to rates, like {{phi: Omega}}. Got {speeds!r}."
        )
    found = {}
    for q, rate in once(
        ((_turned(system, key), v) for key, v in (speeds or {}).items()), "speeds"
    ).items():
        value = expression(by_name(system, rate, f"The rate of `{q}`"), f"The rate of `{q}`")
        if any(isinstance(s, Signal) or s == t for s in leaves([value])):
            raise DeclarationError(f"The rate of `{q}` must be constant. Got {value}.")
        found[q] = value
    return found


def _turned(system: System, key: object) -> Coordinate:
    """The coordinate whose rate is given."""
    q = {q.name: q for q in system.coordinates}.get(key) if isinstance(key, str) else key
    if not isinstance(q, Coordinate) or q not in system.coordinates:
        raise DeclarationError(
            f"`speeds` has {quoted([key])}, which is no coordinate of {system.title}. Coordinates:"
            f" {listed(system.coordinates)}." + did_you_mean(key, system.coordinates)
        )
    return q


def _refuse_dependence(
    system: System, rates: Mapping[Coordinate, sympy.Expr], used: set[sympy.Symbol]
) -> None:
    moving = [q for q in rates if q in used]
    if moving:
        raise DerivationError(
            f"{quoted(moving)} cannot move on at a constant rate in {system.title}: the equations"
            f" contain {'it' if len(moving) == 1 else 'them'}. Expected coordinates that enter by their"
            " rates alone."
        )
