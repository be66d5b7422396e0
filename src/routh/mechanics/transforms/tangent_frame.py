"""Velocities that rotations leave open: rates of coordinates, and angular velocities along body axes.

A system without rotations among its coordinates has its velocities for a frame. A rotation by nine
entries, or by a quaternion, moves along three fields e_i of positions instead, with

    [e_1, e_2] = e_3  and so round,    where [X, Y] = (dY/dq) X - (dX/dq) Y,

and along them Lagrange's equations become Poincare's (1901), for s = (v, omega):

    d/dt T_s - e(T) + (0, omega x T_omega) = Q - D_v - V_q  along the fields
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import sympy
from sympy import ImmutableDenseMatrix as Matrix

from routh.language.calculus import ddt
from routh.language.declaring import coordinate
from routh.language.derivation import partial, partials
from routh.language.symbols import Coordinate
from routh.language.system import System
from routh.language.walk import replaced, unfold
from routh.mechanics.forms.tidy import Tidy
from routh.mechanics.lagrange import Equations, equations, generalized_forces
from routh.mechanics.transforms.attitudes import Attitude, attitudes

Column = list[sympy.Expr]


@dataclass(frozen=True, eq=False)
class Balance:
    """`M s' + inertia = push`, beside the forces of constraints."""

    M: Matrix
    inertia: Column
    push: Column


@dataclass(frozen=True, eq=False)
class Frame:
    """The fields along which positions move, and the velocity along each.

    Attributes:
        system: the system.
        turning: the rotations among its coordinates that constraints hold.
        symbols: the velocities s of the frame: those of other coordinates, and three for each rotation.
        fields: the rates of the coordinates for one unit of each velocity.
        rows: the constraints that are left, as rows that are linear in velocities.
    """

    system: System
    turning: tuple[Attitude, ...]
    symbols: tuple[Coordinate, ...]
    fields: tuple[dict[Coordinate, sympy.Expr], ...] = field(repr=False)
    rows: tuple[sympy.Expr, ...] = field(repr=False)

    @cached_property
    def velocities(self) -> dict[sympy.Basic, sympy.Basic]:
        """The velocities of the system in those of the frame."""
        found: dict[Coordinate, Column] = {}
        for s, own in zip(self.symbols, self.fields, strict=True):
            for q, e in own.items():
                found.setdefault(q.rate, []).append(s * e)
        return {v: sympy.Add(*terms) for v, terms in found.items()}

    def lowered(self, e: sympy.Expr) -> sympy.Expr:
        """The expression in its lowest form among those that are equal for all rotations."""
        for each in self.turning:
            e = each.lowered(e)
        return e

    def along(self, e: sympy.Expr) -> sympy.Expr:
        """An expression with the velocities of the frame."""
        return self.lowered(replaced(e, self.velocities)) if self.turning else e

    def slope(self, e: sympy.Expr, k: int) -> sympy.Expr:
        """The derivative of a function of positions along a field."""
        terms = (partial(e, q) * factor for q, factor in self.fields[k].items())
        return self.lowered(sympy.Add(*terms))

    def derivative(self, e: sympy.Expr, X: Sequence[sympy.Expr]) -> sympy.Expr:
        """The derivative of a function of positions along a sum of fields."""
        terms = (x * self.slope(e, k) for k, x in enumerate(X) if x != 0)
        return self.lowered(sympy.Add(*terms))

    def bracket(self, X: Sequence[sympy.Expr], Y: Sequence[sympy.Expr]) -> Column:
        """[X, Y] of two sums of fields, as a sum of fields."""
        pairs = zip(X, Y, strict=True)
        found = [self.derivative(y, X) - self.derivative(x, Y) for x, y in pairs]
        first = len(self.symbols) - 3 * len(self.turning)
        for k in range(first, len(self.symbols), 3):
            turned = Matrix(X[k : k + 3]).cross(Matrix(Y[k : k + 3]))
            found[k : k + 3] = [a + b for a, b in zip(found[k : k + 3], turned, strict=True)]
        return [self.lowered(e) for e in found]

    def balance(self, tidy: Tidy, simplify: float) -> Balance:
        """Inertia and forces along the fields."""
        return self._turned(tidy) if self.turning else _plain(self.system, tidy, simplify)

    def _turned(self, tidy: Tidy) -> Balance:
        system, s = self.system, self.symbols
        T, V, D = (unfold(sympy.Add(*terms)) for terms in (
            (*system.kinetic, *system.lagrangian), system.potential, system.dissipation))  # fmt: skip
        T = self.along(T)
        still: dict[sympy.Basic, sympy.Basic] = {x.rate: sympy.S.Zero for x in s}
        p = [tidy(e) for e in partials(T, s)]
        M = Matrix([[tidy(self.lowered(e)) for e in partials(slope, s)] for slope in p])
        rates = [self.along(replaced(ddt(e), still)) for e in p]
        inertia = [rate - self.slope(T, k) for k, rate in enumerate(rates)]
        for k in range(len(s) - 3 * len(self.turning), len(s), 3):
            turned = Matrix(s[k : k + 3]).cross(Matrix(p[k : k + 3]))
            inertia[k : k + 3] = [a + b for a, b in zip(inertia[k : k + 3], turned, strict=True)]
        Q = generalized_forces(system)
        terms = zip(system.coordinates, Q, partials(D, system.velocities), strict=True)
        push = {q: self.along(force - damping) - partial(V, q) for q, force, damping in terms}
        pushed = [sympy.Add(*(e * push[q] for q, e in own.items())) for own in self.fields]
        return Balance(
            M, [tidy(self.lowered(e)) for e in inertia], [tidy(self.lowered(e)) for e in pushed]
        )


def _plain(system: System, tidy: Tidy, simplify: float) -> Balance:
    """Lagrange's equations in their parts."""
    eq = equations(system, simplify=simplify)
    assert isinstance(eq, Equations)
    D_v = partials(eq.D, system.velocities)
    V_q = partials(eq.V, system.coordinates)
    parts = list(zip(eq.h, eq.Q, D_v, V_q, strict=True))
    return Balance(eq.M, [tidy(h - d - v) for h, _, d, v in parts], [Q - d - v for _, Q, d, v in parts])


def tangent_frame(system: System) -> Frame:
    """The frame of a system's velocities."""
    turning = attitudes(system)
    own = {q for each in turning for q in each.coordinates}
    plain = [q for q in system.coordinates if q not in own]
    symbols = [q.rate for q in plain]
    fields: list[dict[Coordinate, sympy.Expr]] = [{q: sympy.S.One} for q in plain]
    for number, each in enumerate(turning, 1):
        symbols += [coordinate(f"{axis}{number}") for axis in _unused(system)]
        fields += [
            {q: e for q, e in zip(each.coordinates, each.rates[:, k], strict=True) if e != 0}
            for k in range(3)
        ]
    done = {phi for each in turning for phi in each.constraints}
    rows = [
        ddt(unfold(phi)) if holonomic else unfold(phi)
        for phi, holonomic in zip(system.constraints, system.is_holonomic, strict=True)
        if phi not in done
    ]
    return Frame(system, turning, tuple(symbols), tuple(fields), tuple(rows))


def _unused(system: System) -> list[str]:
    """Names of components that begin as no name of the system does."""
    names = [s.name for s in (*system.coordinates, *system.parameters, *system.inputs)]
    stem = "omega_"
    while any(name.startswith(stem) for name in names):
        stem += "_"
    return [stem + axis for axis in "xyz"]
