"""Points at which what was exported is compared with the engine: the same ones every time."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from routh.arrays import Array
from routh.errors import DeclarationError
from routh.exports.subject import Subject
from routh.numerics.solving.dependence import dependence

TRIED = 40
"""Random points that are looked at, until enough have finite results."""

HELD, NEWTON, ROUNDING = 4, 30, 1e-13
"""Points at which constraints are held, the steps to each, and what is left of them there."""


@dataclass(frozen=True)
class SamplePoint:
    """Arguments of functions, and what the engine gives there, by the name of the result."""

    t: float
    x: Array
    u: Array
    p: Array
    results: dict[str, Array]


def sample_points(given: Subject, count: int = 3) -> list[SamplePoint]:
    """As many points, or fewer where results are seldom finite."""
    found: list[SamplePoint] = []
    for seed in range(TRIED):
        at = _arguments(given, seed)
        with np.errstate(all="ignore"):
            rate, multipliers = given.functions.rate(**at)
            if not np.isfinite(rate).all() or not np.isfinite(multipliers).all():
                continue
            point = SamplePoint(**at, results=_results(given, at))  # type: ignore[arg-type]
        if all(np.isfinite(each).all() for each in point.results.values()):
            found.append(point)
        if len(found) == count:
            break
    return found


def refuse_undetermined(given: Subject) -> None:
    """Say that accelerations do not follow from the equations, where they do at no point tried.

    Points at which energies have no values do not count.
    """
    _refuse_dependent(given)
    own, singular = given.functions, 0
    for seed in range(TRIED):
        at = _arguments(given, seed)
        with np.errstate(all="ignore"):
            if all(np.isfinite(rate).all() for rate in own.rate(**at)):
                return
            singular += all(np.isfinite(each).all() for each in own.values("matrices", **at))
    if singular:
        why = "a coordinate has no mass"
        if own.c:
            why = f"constraints depend on each other, or {why}"
        raise DeclarationError(
            f"The equations of {given.system.title} determine no accelerations, wherever it was tried:"
            f" {why}. Leave out what follows from the rest; simulate takes constraints of which some"
            " follow from others."
        )


def _refuse_dependent(given: Subject) -> None:
    """Say that constraints depend on each other, where they do wherever they were found to hold."""
    found = [dependence(J) for J in map(partial(_slopes, given), range(HELD)) if J is not None]
    if found and all(each.lacking for each in found):
        raise DeclarationError(
            f"The constraints of {given.system.title} depend on each other wherever they hold, as far"
            " as it was tried: the forces of some are not determined. Leave out those that follow from"
            " the rest; simulate takes constraints of which some follow from others."
        )


def _slopes(given: Subject, seed: int) -> Array | None:
    """The slopes of several constraints where they hold, near a random point, if it is found."""
    own, at = given.functions, _arguments(given, seed)
    holonomic = [k for k, kind in enumerate(given.system.is_holonomic) if kind]
    if own.c < 2:
        return None
    q = np.array(at["x"])[: own.n]
    for _ in range(NEWTON):
        at["x"] = np.concatenate([q, np.zeros(own.n)])
        J, phi = own.values("matrices", **at)[3], own.values("held", **at)[0].ravel()
        if not (np.isfinite(J).all() and np.isfinite(phi).all()):
            return None
        if not phi.size or np.abs(phi).max() <= ROUNDING * (1 + np.abs(q).max()):
            return J
        q = q - np.linalg.pinv(J[holonomic], rcond=1e-8) @ phi
    return None


def _arguments(given: Subject, seed: int) -> dict[str, Array | float]:
    own, system, random = given.functions, given.system, np.random.default_rng(seed)
    shares = random.uniform(0.5, 1.5, size=len(system.parameters))
    p = [given.values.get(s.name, share) for s, share in zip(system.parameters, shares, strict=True)]
    return {
        "t": float(random.uniform(0, 1)),
        "x": random.normal(size=2 * own.n),
        "u": 1 + random.normal(size=len(own.signals)),
        "p": np.array(p, dtype=float),
    }


def _results(given: Subject, at: dict[str, Array | float]) -> dict[str, Array]:
    """What the engine gives, functions by functions."""
    own = given.functions
    rate, multipliers = own.rate(**at)
    A, B = own.linear(**at)
    names = ("M", "f", "P", "J", "gamma") if own.c else ("M", "f")
    results = dict(zip(names, own.values("matrices", **at), strict=False))
    results |= {"rate": rate, "a": rate[own.n :], "A": A, "B": B}
    results["energies"] = own.values("energies", **at)[0]
    if own.c:
        phi, phi_rate = own.values("held", **at)
        results |= {"multipliers": multipliers, "phi": phi, "phi_rate": phi_rate}
    if given.events:
        solved = np.concatenate([rate[own.n :], multipliers])
        results["events"] = own.values("outputs", **at, z=solved)[0][: len(given.events)]
    return {name: np.asarray(each, dtype=float) for name, each in results.items()}
