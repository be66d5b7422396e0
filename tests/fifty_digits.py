"""Rests and eigenvalues by SymPy's own derivatives of the energies, with as many digits as asked.

A second route to linear models and their derivatives: the equations of motion are written out and
differentiated as people do, and then differenced with 50 digits, or stepped into the complex plane.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import mpmath
import numpy as np
import sympy

import routh as rt
from routh.language.walk import unfold

DIGITS = 50
STEP = mpmath.mpf(10) ** -15
"""Central differences are then right to 30 digits, and rounding leaves 35."""


class Written:
    """The equations of a system without time, in plain symbols: E(q, v, a, multipliers, p) and phi."""

    def __init__(self, system: rt.System) -> None:
        n, c = len(system.coordinates), len(system.constraints)
        self.q, self.v, self.a = (sympy.symbols(f"{name}:{n}") for name in ("q_", "v_", "a_"))
        self.multipliers = sympy.symbols(f"l_:{c}")
        self.p = sympy.symbols(f"p_:{len(system.parameters)}")
        words: dict[Any, Any] = dict(zip(system.coordinates, self.q, strict=True))
        words |= dict(zip(system.velocities, self.v, strict=True))
        words |= dict(zip(system.parameters, self.p, strict=True))

        def plain(e: sympy.Expr) -> sympy.Expr:
            return unfold(sympy.sympify(e)).xreplace(words)

        T, V, D = (
            sum((plain(e) for e in part), sympy.S.Zero)
            for part in (system.kinetic, system.potential, system.dissipation)
        )
        phi = [plain(e) for e in system.constraints]
        forces = [sympy.S.Zero] * n
        for force in system.forces:
            for k, q in enumerate(self.q):
                forces[k] += sum(
                    plain(F) * plain(r).diff(q) for F, r in zip(force.components, force.at, strict=True)
                )
        L = T - V
        E = []
        for k in range(n):
            p = L.diff(self.v[k])
            rate = sum(p.diff(self.q[j]) * self.v[j] + p.diff(self.v[j]) * self.a[j] for j in range(n))
            held = sum(
                mu * each.diff(self.q[k] if holonomic else self.v[k])
                for mu, each, holonomic in zip(self.multipliers, phi, system.is_holonomic, strict=True)
            )
            E.append(rate - L.diff(self.q[k]) + D.diff(self.v[k]) - forces[k] + held)
        still = dict.fromkeys((*self.v, *self.a), sympy.S.Zero)
        whole = sympy.Matrix([*E, *phi])
        unknowns = (*self.q, *self.multipliers)
        self.balance = whole.xreplace(still)
        self.tangent = self.balance.jacobian(unknowns)
        none = sympy.zeros(n + c, c)
        self.M, self.C = (
            whole.jacobian(each).xreplace(still).row_join(none) for each in (self.a, self.v)
        )
        self.arguments = (*unknowns, *self.p)

    def functions(self, module: str) -> list[Callable[..., Any]]:
        """The balance, its tangent K, M and C, as functions of unknowns and parameters."""
        parts = (self.balance, self.tangent, self.M, self.C)
        return [sympy.lambdify(self.arguments, part, module) for part in parts]


def eigenvalue_slopes(written: Written, modes: Any) -> np.ndarray[Any, Any]:
    """(s, parameters): derivatives of eigenvalues by 50-digit differences, the rest moving along."""
    with mpmath.workdps(DIGITS):
        balance, tangent, M, C = written.functions("mpmath")
        rest = modes.linear.reference
        start = [mpmath.mpf(x) for x in (*rest.q.tolist(), *rest.multipliers.tolist())]
        values = [mpmath.mpf(float(rest.values[p.name])) for p in rest.system.parameters]
        columns = []
        for k in range(len(values)):
            ends = []
            for sign in (1, -1):
                p = [x + sign * STEP if j == k else x for j, x in enumerate(values)]
                x = start
                for _ in range(6):
                    step = mpmath.lu_solve(tangent(*x, *p), balance(*x, *p))
                    x = [a - b for a, b in zip(x, step, strict=True)]
                own = [f(*x, *p) for f in (M, C, tangent)]
                ends.append([_root(own, s) for s in modes.eigenvalues])
            columns.append([complex((a - b) / (2 * STEP)) for a, b in zip(*ends, strict=True)])
    return np.array(columns).T


def _root(matrices: Sequence[Any], start: complex) -> Any:
    """The zero near a number of the determinant of M s^2 + C s + K."""
    M, C, K = matrices

    def determinant(s: Any) -> Any:
        return mpmath.det(M * s**2 + C * s + K)

    return mpmath.findroot(determinant, mpmath.mpc(start), tol=mpmath.mpf(10) ** -80)


def complex_step(written: Written, rest: Any) -> dict[str, np.ndarray[Any, Any]]:
    """Derivatives of the rest and of M, C and K along its move, by steps into the complex plane."""
    balance, tangent, M, C = written.functions("numpy")
    start = np.concatenate([rest.q, rest.multipliers]).astype(complex)
    values = np.array([rest.values[p.name] for p in rest.system.parameters], dtype=complex)
    h = 1e-30
    found: dict[str, list[Any]] = {"x": [], "M": [], "C": [], "K": []}
    for k in range(len(values)):
        p = values.copy()
        p[k] += 1j * h
        x = start.copy()
        for _ in range(3):
            x = x - np.linalg.solve(
                np.asarray(tangent(*x, *p), dtype=complex), np.asarray(balance(*x, *p))[:, 0]
            )
        found["x"].append(x.imag / h)
        for name, f in zip("MCK", (M, C, tangent), strict=True):
            found[name].append(np.asarray(f(*x, *p), dtype=complex).imag / h)
    return {name: np.array(each) for name, each in found.items()}
