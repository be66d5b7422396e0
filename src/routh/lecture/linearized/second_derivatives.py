"""The second derivatives that a linear model is made of, one by one, at any position.

The velocities of the reference are put in at once: derivatives by positions are taken with velocities
held. Positions stay symbols, until `on` puts those of the reference in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import sympy
from sympy import ImmutableDenseMatrix as Matrix

from routh.language.calculus import ddt
from routh.language.symbols import Input, Signal
from routh.language.system import System
from routh.language.unknown import put
from routh.language.walk import unfold
from routh.mechanics.constraints import constraint_jacobian
from routh.mechanics.forms.tidy import Tidy
from routh.mechanics.lagrange import generalized_forces


@dataclass(frozen=True)
class SecondDerivatives:
    """Of L by velocities and positions; of the Rayleigh function; of forces and constraints.

    `J_q` is the derivative of `J^T multipliers` by q: for constraints on positions the sum of
    multipliers times second derivatives.
    """

    system: System
    L_vv: Matrix
    L_vq: Matrix
    L_qq: Matrix
    D_vv: Matrix
    D_vq: Matrix
    Q_v: Matrix
    Q_q: Matrix
    J_q: Matrix


@dataclass(frozen=True)
class InputDerivatives:
    """One column of B, `-(d/dt L_vu + L_vu_ - L_qu + D_vu - Q_u + d(J^T lambda)/du)`, in parts."""

    u: Input
    L_vu: Matrix
    L_v_below: Matrix
    L_qu: Matrix
    D_vu: Matrix
    Q_u: Matrix
    J_u: Matrix


def second_derivatives(system: System, rates: Mapping[Signal, sympy.Expr]) -> SecondDerivatives:
    """All of them, with the velocities of the reference."""
    q, v = system.coordinates, system.velocities
    L_v, L_q, D_v, Q = _slopes(system)
    of = {
        "L_vv": (L_v, v), "L_vq": (L_v, q), "L_qq": (L_q, q), "D_vv": (D_v, v), "D_vq": (D_v, q),
        "Q_v": (Q, v), "Q_q": (Q, q), "J_q": (_push(system), q),
    }  # fmt: skip
    made = {name: _short(_jacobian(*pair), rates) for name, pair in of.items()}
    return SecondDerivatives(system, **made)


def input_derivatives(system: System, u: Input, rates: Mapping[Signal, sympy.Expr]) -> InputDerivatives:
    """What the column of one input is made of."""
    L_v, L_q, D_v, Q = _slopes(system)
    below = (ddt(u.base, u.order - 1),) if u.order else ()
    empty = Matrix.zeros(len(L_v), 1)
    return InputDerivatives(
        u,
        L_vu=_short(_jacobian(L_v, (u,)), rates),
        L_v_below=_short(_jacobian(L_v, below), rates) if below else empty,
        L_qu=_short(_jacobian(L_q, (u,)), rates),
        D_vu=_short(_jacobian(D_v, (u,)), rates),
        Q_u=_short(_jacobian(Q, (u,)), rates),
        J_u=_short(_jacobian(_push(system), (u,)), rates),
    )


def on_reference(
    system: System, about: Mapping[sympy.Symbol, sympy.Expr]
) -> dict[sympy.Symbol, sympy.Expr]:
    """What stands for every coordinate, input and given multiplier on a reference, with derivatives."""
    highest = 2 + max((signal.order for signal in system.signals), default=0)
    at: dict[sympy.Symbol, sympy.Expr] = {x: about[x] for x in system.multipliers if x in about}
    for signal, value in about.items():
        if not isinstance(signal, Signal):
            continue
        symbol, expr = signal, value
        for _ in range(highest + 1 if value != signal else 0):
            at[symbol] = expr
            symbol, expr = symbol.rate, ddt(expr)
    return at


def shortened(entries: sympy.MatrixBase) -> Matrix:
    """A matrix with the shortest forms of its entries."""
    tidy = Tidy(1.0)
    return Matrix(entries.rows, entries.cols, [tidy(entry) for entry in entries])


def _slopes(system: System) -> tuple[list[sympy.Expr], ...]:
    """L_v, L_q, D_v and Q."""
    q, v = system.coordinates, system.velocities
    L = unfold(sympy.Add(*system.lagrangian_terms))
    D = unfold(sympy.Add(*system.dissipation))
    by_v, by_q, lost = ([f.diff(x) for x in s] for f, s in ((L, v), (L, q), (D, v)))
    return by_v, by_q, lost, list(generalized_forces(system))


def _push(system: System) -> list[sympy.Expr]:
    """`J^T multipliers`, coordinate by coordinate."""
    return list(constraint_jacobian(system).T * Matrix(len(system.multipliers), 1, system.multipliers))


def _jacobian(rows: Sequence[sympy.Expr], variables: Sequence[Signal]) -> Matrix:
    return Matrix(len(rows), len(variables), [row.diff(x) for row in rows for x in variables])


def _short(entries: Matrix, rates: Mapping[Signal, sympy.Expr]) -> Matrix:
    return shortened(put(entries, rates) if any(entries) else entries)
