"""The verb `hamiltonian`: Hamilton's equations in symbols, and their numbers where symbols end."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Annotated

import numpy as np

from routh.analysis.given.conditions import conditions
from routh.analysis.given.numbers import Numbers, number
from routh.analysis.motion.flow import MovingSystem
from routh.arrays import Array
from routh.errors import DeclarationError, DerivationError, SolveError
from routh.kernels.engine import Point
from routh.kernels.kernel import kernel
from routh.kernels.motion import canonical_motion
from routh.language.system import System
from routh.mechanics.transforms.hamilton import CanonicalEquations, canonical_equations
from routh.shown import as_html, as_markdown

RETURNED = 1e-6
"""Share by which the momenta of the velocities that were found may be off."""


@dataclass(frozen=True, eq=False)
class CanonicalPoint:
    """The Hamiltonian and the canonical equations at a point, with the batch shape of the values.

    Attributes:
        H: (...) the Hamiltonian.
        v: (..., n) the velocities q' = H_p.
        p_rate: (..., n) p' = -H_q + Q.
    """

    H: Annotated[Array, "*batch"]
    v: Annotated[Array, "*batch n"]
    p_rate: Annotated[Array, "*batch n"]

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

        Arguments:
            values: a number or an array for each parameter.
            q: coordinates, by symbol or name; zero if not given.
            p: momenta, by coordinate; zero if not given.
            time: the time.
            inputs: numbers for inputs and their derivatives at this point.

        Raises:
            DeclarationError: constraints hold the system, or something is missing or unknown.
            DerivationError: L is not convex, and different velocities have the same momenta.
        """
        system = self.system
        if self.is_ambiguous:
            raise DerivationError(self.remark)
        if system.constraints:
            raise DeclarationError(
                "Numbers of Hamilton's equations are for systems without constraints; here the"
                " multipliers would be missing. simulate gives them along a motion."
            )
        given, by = conditions(system, values, inputs, guess=q, momenta=p)
        system = given.system
        when = float(number(time, "`time`"))
        zero = np.zeros(given.count)
        states = np.stack(
            [by[name].get(x, zero) for name in ("guess", "momenta") for x in system.coordinates], axis=1
        )
        motion = canonical_motion(system, ())
        u = given.signals_at(kernel(system), 0.0)  # as they were given, at this point
        n = len(system.coordinates)
        found = []
        for k, state in enumerate(states):
            flow = MovingSystem(motion, given.p[k], u[k], None)
            x = np.zeros(motion.size)
            x[: 2 * n] = state
            rate = flow.rate(when, x)
            x[n : 2 * n] = rate[:n]
            energy = flow.run("energy", when, x)[0][0, 0]
            found.append(np.concatenate([[energy], rate[: 2 * n]]))
        whole = np.stack(found)
        rest = np.zeros((len(whole), 0))
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
        stack = given.folded(whole)
        return CanonicalPoint(H=stack[..., 0], v=stack[..., 1 : n + 1], p_rate=stack[..., n + 1 :])

    _repr_markdown_ = as_markdown


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
