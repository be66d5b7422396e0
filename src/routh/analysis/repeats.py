"""Whether a system has a period: refused unless it can be read off its functions of time."""

from __future__ import annotations

from functools import lru_cache

import casadi
import numpy as np

from routh.errors import DeclarationError, shortened
from routh.kernels.batch import Array, Batched
from routh.kernels.lower import lower
from routh.language.system import System
from routh.mechanics.periods import AperiodicError, Turning, turnings

SAME = 1e-9
"""Share of the turns in a period by which it may be off: one may be typed with ten digits."""


def refuse_other_period(system: System, p: Array, spans: Array) -> None:
    """Refuse periods (N,) that are none of the system with parameters (N, number), or not shown to be.

    Raises:
        DeclarationError: something in the energies, forces or constraints has another period.
    """
    found = _turnings(system)
    if isinstance(found, AperiodicError):
        raise DeclarationError(
            f"It could not be shown that {system.title} has a period: `{shortened(found.term)}` does"
            " not repeat, or not in a way that can be read off. Write functions of time with"
            " cos(k*Omega*t), sin(k*Omega*t) or Mod(t, T)."
        )
    if not found:
        return
    symbols = casadi.SX.sym("p", len(system.parameters))
    table = dict(zip(system.parameters, casadi.vertsplit(symbols), strict=True))
    sides = lower([e for each in found for e in (each.rate, each.turn)], table)
    function = casadi.Function("turns", [symbols], [casadi.densify(casadi.vertcat(*sides))])
    numbers = Batched(function)(p)[0][..., 0]
    turns = np.atleast_2d(numbers[:, 0::2] * spans[:, None] / numbers[:, 1::2])
    off = np.abs(turns - np.round(turns)) > SAME * np.maximum(1, np.abs(turns))
    for k, j in np.argwhere(off):
        own = abs(float(numbers[k, 2 * j + 1] / numbers[k, 2 * j]))
        raise DeclarationError(
            f"The drive of {system.title} does not have the period {spans[k]:.6g}. Give its period,"
            f" like 2*pi/Omega: `{shortened(found[j].term)}` has a part that repeats after {own:.6g}."
        )


@lru_cache(maxsize=64)
def _turnings(system: System) -> list[Turning] | AperiodicError:
    own = (system.continuous or system).parts() | {"constraints": list(system.constraints)}
    try:
        return turnings([e for part in own.values() for e in part])
    except AperiodicError as error:
        return error
