"""Where the page stands: the rest near a position, its modes and its verdict, as plain rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

import routh as rt
from routh.analysis.periodic.multipliers import Floquet
from routh.analysis.rest.result import Equilibrium
from routh.analysis.stability.natural_modes import Modes
from routh.display.report.findings import Findings, reason
from routh.errors import RouthError
from routh.language.symbols import Coordinate

ON_AXIS = 1e-9
"""Share of an eigenvalue below which its real part is no growth and no decay in words."""


@dataclass(frozen=True, eq=False)
class Standing:
    """A rest with what is known of small motions about it.

    Attributes:
        rest: the equilibrium or steady motion.
        modes: its modes, or None where the drive changes the linear model along a period.
        periodic: what a period of the drive does to small motions, where there are no modes.
    """

    rest: Equilibrium
    modes: Modes | None
    periodic: Floquet | None


def rest_near(found: Findings, q: Mapping[Coordinate, float]) -> Equilibrium:
    """The rest near a position; near the guess of the model for coordinates that it lacks.

    Raises:
        RouthError: there is none, in a sentence.
    """
    model = found.model
    return rt.equilibrium(
        found.system,
        found.values,
        guess={**model.guess, **q},
        inputs=model.inputs,
        speeds=model.analysis.speeds or None,
    )


def stand(found: Findings, q: Mapping[Coordinate, float]) -> Standing:
    """The rest near a position with its modes, or with the multipliers of a period.

    Raises:
        RouthError: there is no rest, or nothing is known about small motions there.
    """
    rest = rest_near(found, q)
    try:
        return Standing(rest, rt.modes(rt.linearize(rest)), None)
    except RouthError:
        if found.model.analysis.period is None or rest.system.shapes:
            raise
    return Standing(rest, None, floquet_at(found, rest))


def floquet_at(found: Findings, rest: Equilibrium) -> Floquet:
    """What a period of the drive does to small motions about a rest."""
    model = found.model
    period = model.number(str(model.analysis.period), found.values)
    guess = dict(zip(rest.system.coordinates, rest.q, strict=True))
    return rt.floquet(found.system, found.values, period, guess=guess, inputs=model.laws or None)


def place_of(found: Findings, rest: Equilibrium) -> dict[str, Any]:
    """{q, rates, place}: numbers by name, and the place in words."""
    names = [q.name for q in rest.system.coordinates]
    return {
        "q": dict(zip(names, rest.q.tolist(), strict=True)),
        "rates": {names[k]: float(rest.v[k]) for k in rest.turning},
        "place": found.place(rest),
    }


def judged(standing: Standing) -> dict[str, Any]:
    """{verdict, reason, region}, as `modes(...).stability` or `floquet` says."""
    own: Any = standing.periodic
    try:
        own = own if standing.modes is None else standing.modes.stability
        region = "" if isinstance(own, Floquet) else str(own.region)
        return {"verdict": str(own.verdict), "reason": reason(own), "region": region}
    except RouthError as error:  # the verdict of very many coordinates is refused
        return {"verdict": "undecided", "reason": str(error), "region": "undecided"}


def eigenvalues(standing: Standing) -> list[complex]:
    """The eigenvalues, or the exponents of a period."""
    own = standing.periodic
    values = standing.modes.eigenvalues if own is None and standing.modes else own.exponents  # type: ignore[union-attr]
    return [complex(s) for s in values if not np.isnan(s.real)]


def mode_rows(modes: Modes, *, converged: bool = False) -> list[dict[str, Any]]:
    """A row for each mode: {re, im, pair, frequency, hertz, period, damping, kind, converged?}."""
    ratios = modes.damping
    known = modes.converged if converged else None
    rows = []
    for k, w in enumerate(modes.frequencies):
        pair = modes.pair(k)
        rows.append(
            {
                "re": float(pair[0].real),
                "im": float(abs(pair[0].imag)),
                "pair": list(pair),
                "frequency": float(w),
                "hertz": float(w / (2 * np.pi)),
                "period": float(2 * np.pi / w) if w > 0 else None,
                "damping": float(ratios[k]),
                "kind": kind_of(pair),
                "converged": None if known is None else bool(known[k]),
            }
        )
    return rows


def kind_of(pair: Any) -> str:
    """What a mode does, in words, by its eigenvalues."""
    s, size = pair[0], np.abs(pair)
    if s.imag != 0:
        growth = s.real / abs(s)
        if abs(growth) <= ON_AXIS:
            return "oscillates"
        return "oscillates and grows" if growth > 0 else "oscillates and decays"
    if (size == 0).any():
        return "drifts"
    if (pair.real > 0).any():
        return "leaves"
    return "decays"
