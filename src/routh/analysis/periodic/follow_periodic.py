"""Families of periodic motions, followed along amplitude, energy or a parameter."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import sympy

from routh.analysis.given.conditions import conditions
from routh.analysis.given.numbers import number
from routh.analysis.given.resolve import resolved
from routh.analysis.periodic.family import Family, PeriodicBranch
from routh.analysis.periodic.periodic_motion import PeriodicMotion
from routh.analysis.periodic.shooting import Moved, Regime, Shooting
from routh.analysis.pieces.switches import refuse_jumps
from routh.errors import DeclarationError, DerivationError, did_you_mean, listed
from routh.kernels.kernel import kernel
from routh.language.system import System

RESERVED = ("amplitude", "energy")
"""What a family is followed along beside parameters."""

Law = Callable[[float], tuple[float, float]]
"""The period of a drive by the parameter that is moved, and its slope."""


def _first_value(start: PeriodicMotion, along: str) -> float:
    """The value of what is moved, at the start."""
    if along == "amplitude":
        return float(start.nodes[0, start._shooting.turning])
    return start.energy if along == "energy" else start.values[along]


def follow_periodic(
    start: PeriodicMotion, along: object, to: float, period: object = None
) -> PeriodicBranch:
    """The branch of periodic motions through one of them, until what is moved reaches a value."""
    shooting: Shooting = start._shooting
    name = getattr(along, "name", along)
    family_names = list(RESERVED) if shooting.regime is Regime.CONSERVATIVE else []
    if start.system.forces:
        family_names = family_names[:1]  # the energy of forces is not known
    known = [*family_names, *(p.name for p in start.system.parameters)]
    if name in RESERVED and name in (p.name for p in start.system.parameters):
        raise DeclarationError(
            f"`{name}` is a parameter of {start.system.title}, and the word for what a family of"
            " periodic motions is followed along. Give the parameter another name."
        )
    if name not in known:
        raise DeclarationError(
            f"Periodic motions of {start.system.title} are followed along {listed(known)}. Got"
            f" {along!r}." + did_you_mean(str(name), known)
        )
    end = number(to, "`to`")
    first = _first_value(start, str(name))
    if end.shape or float(end) == first:
        raise DeclarationError(f"`to` must be a number other than the present {first:g}. Got {to!r}.")
    for own in start.system.parameters:
        if own.name == name:
            own.refuse_sign(float(end), "`to`")
            conditions(start.system, {**start.values, str(name): float(end)})
    _refuse_moving_properties(start, str(name), float(end))
    refuse_jumps(kernel(start.system), start.motion.point(), "What deviations do after a period")
    law = _period(start, str(name), period)
    if shooting.regime is Regime.DRIVEN and law is None:
        beside = start.values | {str(name): first + 1e-3 * (float(end) - first)}
        if not shooting.is_period(start.period, beside):
            raise DeclarationError(
                f"The period of the drive changes with `{name}`: give it as period=, like 2*pi/{name}."
            )
    moved = Moved(str(name), abs(float(end) - first), law)
    return Family(start, moved, first, float(end)).branch(_symbol(start.system, str(name)))


def _refuse_moving_properties(start: PeriodicMotion, name: str, end: float) -> None:
    """Refuse a parameter that moves what is narrow along a space out of its cells of quadrature."""
    system = start.system
    p = np.array([[start.values[each.name] for each in system.parameters]])
    to = np.array([[(start.values | {name: end})[each.name] for each in system.parameters]])
    if resolved(system, p, to) != system:
        raise DerivationError(
            f"`{name}` changes how properties of {system.title} vary along a space, and the cells of"
            " quadrature that this motion was found with are not fine enough for all values up to"
            f" {end:g}. Find the motions one by one with periodic_motion(...)."
        )


def _period(start: PeriodicMotion, name: str, period: object) -> Law | None:
    """The period of a drive as a function of the parameter."""
    if start._shooting.regime is not Regime.DRIVEN:
        if period is not None:
            raise DeclarationError("`period` is for driven systems; here it is found.")
        return None
    if period is None:
        return None
    symbols = {p: sympy.Float(x) for p in start.system.parameters for n, x in start.values.items()
               if p.name == n and n != name}  # fmt: skip
    own = next(p for p in start.system.parameters if p.name == name)
    e = period.xreplace(symbols) if isinstance(period, sympy.Expr) else None
    if e is None or e.free_symbols - {own}:
        raise DeclarationError(
            f"`period` is an expression in `{name}`, like 2*pi/{name}. Got {period!r}."
        )
    slope = e.diff(own)
    return cache(lambda value: (float(e.subs(own, value)), float(slope.subs(own, value))))


def _symbol(system: System, name: str) -> Any:
    """A parameter by its name, or the name itself."""
    return next((p for p in system.parameters if p.name == name), name)
