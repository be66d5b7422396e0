"""The verb `hamiltonian`: Hamilton's equations in symbols, and their numbers where symbols end."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Annotated

import numpy as np

from routh.analysis.given.conditions import conditions
from routh.analysis.given.numbers import Numbers, number
from routh.analysis.given.redundancy import least_norm
from routh.analysis.motion.flow import MovingSystem
from routh.analysis.motion.starts import held
from routh.analysis.motion.stopping import is_redundant
from routh.arrays import Array
from routh.errors import DeclarationError, DerivationError, SolveError, shortened
from routh.kernels.engine import Point
from routh.kernels.kernel import kernel
from routh.kernels.motion import canonical_motion, motion
from routh.language.system import System
from routh.mechanics.transforms.ambiguity import why_ambiguous
from routh.mechanics.transforms.hamilton import CanonicalEquations, canonical_equations
from routh.recorded import Recorded
from routh.shown import as_html, as_markdown

RETURNED = 1e-6
"""Share by which the momenta of the velocities that were found may be off."""


@dataclass(frozen=True, eq=False)
class CanonicalPoint(Recorded):
    """The Hamiltonian and the canonical equations at a point, with the batch shape of the values.

    Attributes:
        H: (...) the Hamiltonian.
        v: (..., n) the velocities q' = H_p.
        p_rate: (..., n) p' = -H_q + Q - J^T multipliers.
        multipliers: (..., c) of the constraints, which they keep along the motion through the point;
            those of least norm where constraints are redundant.
    """

    H: Annotated[Array, "*batch"]
    v: Annotated[Array, "*batch n"]
    p_rate: Annotated[Array, "*batch n"]
    multipliers: Annotated[Array, "*batch c"]

    _repr_html_ = as_html


@dataclass(frozen=True, eq=False)
class Hamiltonian(CanonicalEquations):
    """Hamilton's equations of a system: symbols as attributes, numbers by calling it."""

    def __call__(
        self,
        values: Numbers,
        q: Numbers,
        p: Numbers,
        time: float = 0.0,
        *,
        inputs: Numbers | None = None,
    ) -> CanonicalPoint:
        """H, q' and p' in numbers, also where the Legendre transform has no closed form.

        With constraints q must satisfy them and p belong to velocities that keep them; in a batch all
        is NaN where they do not, and where L is not convex for the values.

        Arguments:
            values: a number or an array for each parameter.
            q: coordinates, by symbol or name; zero if not given.
            p: momenta, by coordinate; zero if not given.
            time: the time.
            inputs: numbers for inputs and their derivatives at this point.

        Raises:
            DeclarationError: the point violates a constraint, or something is missing or unknown.
            DerivationError: L is not convex for these values: different velocities may have the same
                momenta.
        """
        system = self.system
        given, by = conditions(system, values, inputs, guess=q, momenta=p)
        system = given.system
        when = float(number(time, "`time`"))
        zero = np.zeros(given.count)
        states = np.stack(
            [by[name].get(x, zero) for name in ("guess", "momenta") for x in system.coordinates], axis=1
        )
        u = given.signals_at(kernel(system), 0.0)  # as they were given, at this point
        n = len(system.coordinates)
        unclear = [_why_not(system, own) for own in given.p]
        if any(unclear) and not given.shape:
            raise DerivationError(unclear[0])
        each = zip(states, given.p, u, strict=True)
        whole = np.stack([_at(system, when, *own, alone=not given.shape) for own in each])
        whole[[bool(why) for why in unclear]] = np.nan
        rest = np.zeros((len(whole), len(system.constraints)))
        still, now = np.zeros((len(whole), n)), np.full((len(whole), 1), when)
        point = Point(now, states[:, :n], whole[:, 1 : n + 1], still, given.p, u, rest)
        back = kernel(system).derivatives(point)["L_v"]
        off = np.abs(back - states[:, n:]) > RETURNED * (np.abs(back) + np.abs(states[:, n:]))
        whole[off.any(axis=1)] = np.nan  # where L_v jumps, velocities that are none may come out
        if not np.isfinite(whole).all() and not given.shape:
            raise SolveError(
                f"No velocities of {system.title} have these momenta, or its equations are not finite"
                " there: the Legendre transform does not reach this point."
            )
        stack = given.folded(whole + 0.0)  # no zero with a minus
        return CanonicalPoint(
            H=stack[..., 0],
            v=stack[..., 1 : n + 1],
            p_rate=stack[..., n + 1 : 2 * n + 1],
            multipliers=stack[..., 2 * n + 1 :],
        )

    _repr_markdown_ = as_markdown


def _why_not(system: System, p: Array) -> str:
    """Why momenta do not tell the velocities for numbers of the parameters; else nothing."""
    why = why_ambiguous(system, dict(zip(system.parameters, p, strict=True)))
    return why and (
        f"{why} Different velocities may have the same momenta, so that there is not one Hamiltonian;"
        " Lagrange's equations do without."
    )


def _at(system: System, t: float, state: Array, p: Array, u: Array, *, alone: bool) -> Array:
    """H, q', p' and the multipliers at (q, p), NaN where the constraints are violated."""
    n, c = len(system.coordinates), len(system.constraints)
    free = MovingSystem(canonical_motion(system, (), False, False), p, u, None)
    x = np.zeros(free.motion.size)
    x[: 2 * n] = state
    x[n : 2 * n] = free.run("velocities", t, x)[0][:, 0]
    flow = MovingSystem(motion(system, (), False, False), p, u, None).scaled_at(t, x)
    if c and np.isfinite(x).all():
        broken = _broken(flow, t, x)
        if broken and alone:
            raise DeclarationError(broken)
        if broken:
            return np.full(1 + 2 * n + c, np.nan)
        if is_redundant(flow, t, x):
            flow = MovingSystem(motion(system, (), False, True), p, u, None).scaled_at(t, x)
    canonical, own = flow.canonical(t, x)
    own[n : 2 * n] = state[n:]
    multipliers = canonical.run("solved", t, own)[1].reshape(c)
    if flow.motion.redundant:
        J = flow.run("matrices", t, x)[1]
        multipliers = least_norm(J[None], multipliers[None])[0]
    energy = canonical.run("energy", t, x)[0][0]
    return np.concatenate([energy, canonical.rate(t, own)[: 2 * n], multipliers])


def _broken(flow: MovingSystem, t: float, x: Array) -> str:
    """What is to be said of a state (q, v) that does not keep the constraints; else nothing."""
    system = flow.motion.system
    for rows, what in (
        (held.positions(flow, t, x), "The coordinates violate"),
        (held.velocities(flow, t, x), "The velocities of these momenta do not keep"),
    ):
        for k, off, broken in zip(rows.places, rows.off, rows.broken(), strict=True):
            if broken:
                return (
                    f"{what} constraint {k + 1}, `{shortened(system.constraints[k], 60)}`: {off:.3g} is"
                    " left. Expected a point on the constraints; consistent(system, values, start)"
                    " finds the nearest coordinates and velocities, and momenta follow from these."
                )
    return ""


def hamiltonian(system: System, *, simplify: float = 1.0) -> Hamiltonian:
    """The Hamiltonian of a system and its canonical equations.

    `H` is a closed form in q and p where the Legendre transform has one; numbers come from calling the
    result, and motions from `simulate(..., form="hamilton")`, in any case.

    Arguments:
        system: the system.
        simplify: work to spend on closed and shorter forms, 1 being about a second of it.

    Raises:
        DerivationError: some velocity does not follow from the momenta.

    Example:
        >>> from routh import coordinate, ddt, parameters, System
        >>> x, (m, k) = coordinate("x"), parameters("m k")
        >>> print(hamiltonian(System(kinetic=m * ddt(x) ** 2 / 2, potential=k * x**2 / 2)))
        H = k*x**2/2 + p_x**2/(2*m)
        x' = p_x/m
        p_x' = -k*x
    """
    found = canonical_equations(system, simplify=simplify)
    return Hamiltonian(**{f.name: getattr(found, f.name) for f in fields(found)})
