"""What the conditions of equilibrium are made of, coordinate by coordinate.

With constant velocities, zero at rest, `d/dt L_v - L_q + D_v + J^T multipliers = Q` has no term of T2
left: with T1 and T0 the parts of T of first and zeroth degree in what the velocities are beyond the
given speeds, it is `d/dt T1_v + (V - T0)_q + D_v + J^T multipliers = Q`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import sympy

from routh.language.calculus import ddt
from routh.language.symbols import Coordinate, Signal
from routh.language.system import System
from routh.language.walk import unfold
from routh.mechanics.constraints import constraint_jacobian
from routh.mechanics.forms.printing import operations
from routh.mechanics.forms.tidy import Tidy
from routh.mechanics.forms.vanish import vanishes
from routh.mechanics.lagrange import generalized_forces


@dataclass(frozen=True)
class RestTerms:
    """The terms, one entry for each coordinate, with the velocities of the equilibrium put in.

    Attributes:
        V: the potential energy.
        T0: the kinetic energy at the velocities of the equilibrium.
        T1: what is linear in the velocities beyond them.
        momentum_rate: d/dt T1_v, of what depends on time and on inputs.
        inertia_potential: W with the slopes d/dt T1_v, or None where these have none.
        slope: (V - T0)_q.
        damping: D_v.
        force: Q.
        push: J^T multipliers.
        held: the constraints.
    """

    system: System
    V: sympy.Expr
    T0: sympy.Expr
    T1: sympy.Expr
    momentum_rate: tuple[sympy.Expr, ...]
    slope: tuple[sympy.Expr, ...]
    damping: tuple[sympy.Expr, ...]
    force: tuple[sympy.Expr, ...]
    push: tuple[sympy.Expr, ...]
    held: tuple[sympy.Expr, ...]
    inertia_potential: sympy.Expr | None

    @property
    def dynamic_potential(self) -> sympy.Expr:
        """V* = V - T0."""
        return min((self.V - self.T0, Tidy(1.0)(self.V - self.T0)), key=operations)


def rest_terms(system: System, speeds: Mapping[Coordinate, sympy.Expr]) -> RestTerms:
    """The terms of the conditions, for constant speeds of some coordinates."""
    tidy = Tidy(1.0)
    still = dict.fromkeys(system.velocities, sympy.S.Zero)
    still |= {q.rate: rate for q, rate in speeds.items()}
    T, V, D = (
        unfold(sympy.Add(*terms))
        for terms in ((*system.kinetic, *system.lagrangian), system.potential, system.dissipation)
    )
    q, v = system.coordinates, system.velocities
    T0 = tidy(T.xreplace(still))
    slopes = [tidy(T.diff(rate).xreplace(still)) for rate in v]
    beyond = [rate - still[rate] for rate in v]
    T1 = tidy(sympy.Add(*(a * b for a, b in zip(slopes, beyond, strict=True))))
    rates = tuple(tidy(ddt(each).xreplace(still)) for each in slopes)
    J, multipliers = constraint_jacobian(system), system.multipliers
    push = [
        sympy.Add(*(J[i, k] * factor for i, factor in enumerate(multipliers))) for k in range(len(q))
    ]
    return RestTerms(
        system, tidy(V), T0, T1,
        momentum_rate=rates,
        slope=tuple(tidy((V - T0).diff(x)) for x in q),
        damping=tuple(tidy(D.diff(rate).xreplace(still)) for rate in v),
        force=tuple(tidy(each.xreplace(still)) for each in generalized_forces(system)),
        push=tuple(each.xreplace(still) for each in push),
        held=tuple(unfold(phi).xreplace(still) for phi in system.constraints),
        inertia_potential=potential_of(rates, q) if any(rates) else None,
    )  # fmt: skip


def potential_of(slopes: Sequence[sympy.Expr], q: Sequence[Coordinate]) -> sympy.Expr | None:
    """A function of the coordinates that has these slopes, found by integrating one after the other.

    None where there is none, or none was found.
    """
    plain = {x: sympy.Dummy(x.name, real=True) for e in slopes for x in e.atoms(Signal)}
    plain |= {x: plain.get(x, sympy.Dummy(x.name, real=True)) for x in q}
    back = {d: x for x, d in plain.items()}
    own = [e.xreplace(plain) for e in slopes]
    W = sympy.S.Zero
    for x, slope in zip(q, own, strict=True):
        W += sympy.integrate(sympy.expand(slope - W.diff(plain[x])), plain[x])
    if W.has(sympy.Integral):
        return None
    left = (slope - W.diff(plain[x]) for x, slope in zip(q, own, strict=True))
    found = Tidy(1.0)(W.xreplace(back))
    return found if all(vanishes(e.xreplace(back)) for e in left) else None
