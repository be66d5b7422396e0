"""Positions of rest and steady motions: E = 0 and phi = 0 with constant velocities, at every time.

E = d/dt L_v - L_q + D_v - Q + J^T multipliers. In a steady motion some coordinates, on which nothing
depends, turn or slide on at constant rates; at rest all rates are zero.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from routh.analysis.given.conditions import columns_of, conditions
from routh.analysis.given.engines import checked_engine
from routh.analysis.given.numbers import Numbers, yes_or_no
from routh.analysis.given.required import beyond, moving
from routh.analysis.rest.absorbed import unseen
from routh.analysis.rest.descent import large_equilibrium
from routh.analysis.rest.failure import failure
from routh.analysis.rest.points import refuse_few_points
from routh.analysis.rest.problem import Problem
from routh.analysis.rest.result import Equilibrium
from routh.analysis.rest.slip import (
    is_on_its_sides,
    refuse_jammed,
    refuse_lost,
    refuse_open,
    refuse_other_slip,
    sides_of_rest,
    slipping_signs,
)
from routh.analysis.rest.solve import solve
from routh.arrays import Array, Selected
from routh.errors import SolveError, Status
from routh.kernels.engine import Engine
from routh.kernels.kernel import kernel
from routh.language.gates import checked_numeric, checked_system
from routh.language.make import Make
from routh.language.system import System
from routh.numerics.solving.newton import newton


def equilibrium(
    system: System,
    values: Numbers,
    *,
    guess: Numbers | None = None,
    inputs: Numbers | None = None,
    speeds: Numbers | None = None,
    momenta: Numbers | None = None,
    raises: bool = True,
    engine: str = "auto",
) -> Equilibrium:
    """A position of rest or a steady motion near a guess, by Newton's method with the exact tangent.

    Arguments:
        system: the system.
        values: a number or an array for each parameter; arrays broadcast and add leading axes.
        guess: where to start for some coordinates; zero for the others. Arrays are welcome.
        inputs: constants for inputs, zero if not given. A constant derivative is welcome too
            (`{ddt(x_b, 2): 3.0}`): the input is then a polynomial in time.
        speeds: constant rates of coordinates that move on, like `{phi: 5.0}` for a conical pendulum:
            a steady motion. Nothing may depend on such a coordinate itself.
        momenta: the same by the generalized momentum L_v of a coordinate; its rate is found.
        raises: whether one point that fails raises an error. A batch never does: look at
            `converged` and `status`.
        engine: "casadi"; "c": compiled for all cores of this machine, which "auto" does where there are
            so many points that it pays; or "cuda": the same for an NVIDIA GPU (extra `gpu`). Roots are
            the same to rounding; points whose way to them is not plain are not left to it.

    The equations must hold at every time. Where time cancels, as in a frame turning at constant
    rate, this is found out by evaluation. A coordinate on which nothing depends is left at its
    guess and named in `free`.

    Raises:
        DerivationError: a contact with friction does not slip at rest: see `stick_zone`; or how hard
            it is pressed is not determined; or "c" was asked for, and there is no compiler.
        NoEquilibrium: no rest satisfies the equations at every time; names coordinate and term.
        SolveError: Newton's method failed; `error.result` is where it stopped.
        DeclarationError: for values that are missing, unknown or no numbers.

    Example:
        >>> import routh as rt
        >>> theta, (m, l, g) = rt.coordinate("theta"), rt.parameters("m l g")
        >>> kinetic, potential = m * l**2 * rt.ddt(theta)**2 / 2, -m * g * l * rt.cos(theta)
        >>> pendulum = rt.System(kinetic=kinetic, potential=potential)
        >>> rest = rt.equilibrium(pendulum, {"m": 1, "l": 2, "g": 9.81}, guess={"theta": 3})
        >>> rest.q, rest.converged
        (array([3.14159265]), True)
    """
    yes_or_no(raises, "raises")
    given = (values, guess, inputs, speeds, momenta, raises, checked_engine(engine))
    if not checked_system(system, "equilibrium").friction:
        return _smooth_rest(system, *given)
    signs = slipping_signs(system, values, guess, inputs)
    for sides in sides_of_rest(system):
        try:
            found = _smooth_rest(system.phase(*signs, sides=sides), *given)
        except SolveError as error:
            refuse_jammed(system, error)
            raise
        if found.converged and is_on_its_sides(system, sides, found):
            refuse_open(system, found)
            refuse_other_slip(system, values, inputs, signs, found)
            refuse_lost(system, found)
            return found
    return found


def _smooth_rest(
    system: System,
    values: Numbers,
    guess: Numbers | None,
    inputs: Numbers | None,
    speeds: Numbers | None,
    momenta: Numbers | None,
    raises: bool,
    engine: Engine,
) -> Equilibrium:
    """A rest of a system without friction."""
    checked_numeric(system, "equilibrium")
    given, by = conditions(system, values, inputs, guess=guess, speeds=speeds, momenta=momenta)
    system = given.system  # with cells of quadrature for these values
    q = columns_of(system, given.count, by["guess"])
    if system.make is Make.SPARSE:
        large = large_equilibrium(kernel(system), given, q, raises=raises)
        refuse_few_points(large)
        return large
    problem = Problem(kernel(system), given, q)
    result = problem.result(solve(problem, problem.start(q), engine=engine), engine)
    if not given.shape and result.converged and unseen(kernel(system), result):
        result = replace(result, status=Status.UNDERFLOW)
    result = _within(result)
    if raises and not given.shape and not result.converged:
        raise failure(result)
    if system.shapes:
        refuse_few_points(result)
    return result


def _within(result: Equilibrium) -> Equilibrium:
    """The result with OUTSIDE as the status of rests that a part of the system does not reach."""
    away, _ = beyond(result.system, result.point()) if moving(result.system) else ([False], "")
    if not np.any(away):
        return result
    given = result.conditions
    if not given.shape:
        return replace(result, status=Status.OUTSIDE) if result.converged else result
    status = np.array(result.status, dtype=object)
    status[given.folded(np.asarray(away)) & result.converged] = Status.OUTSIDE
    return replace(result, status=status)


def settle(reference: Equilibrium, index: Selected, q: Array) -> Array:
    """(k, n): where Newton's method ends from other positions, for some points of a batch."""
    given = reference.conditions
    problem = Problem(kernel(reference.system), given, given.stacked(reference.q))
    start = problem.unknowns(q, given.stacked(reference.multipliers)[index], given.speeds[index])
    found = newton(
        lambda x, some: problem.equations(x, index[some]),
        lambda x, some: problem.tangent(x, index[some]),
        start,
        sizes=lambda x, some: problem.sizes(x, index[some]),
        crosses=lambda x, there, some: problem.crosses(x, there, index[some]),
    )
    return found.x[:, : problem.n]


def settled_from(reference: Equilibrium, index: Selected, source: Selected) -> Equilibrium:
    """The batch with some points solved again, each from where another point of it is."""
    given = reference.conditions
    q, multipliers = given.stacked(reference.q), given.stacked(reference.multipliers)
    problem = Problem(kernel(reference.system), given.chosen(index), q[source])
    start = problem.unknowns(q[source], multipliers[source], given.speeds[source])
    again = problem.result(solve(problem, start))
    better = index[again.converged]
    stacks = {
        name: given.stacked(np.array(getattr(reference, name)))
        for name in ("q", "multipliers", "residual", "tangent", "status")
    }
    for name, stack in stacks.items():
        stack[better] = getattr(again, name)[again.converged]
    q, multipliers, residual, tangent, status = (given.folded(x) for x in stacks.values())
    return replace(
        reference, q=q, multipliers=multipliers, residual=residual, tangent=tangent, status=status
    )
