"""Ten systems that every export is tried on: each kind of what a system may be made of is among them.

A double pendulum, a cart-pole with an input, a pendulum with a constraint, a rolling disc with velocity
constraints, a rotating table, a beam made of coordinates, a DC motor, a kite on a tether, friction made
smooth, and a pendulum on a base that moves in time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from math import sqrt
from pathlib import Path
from typing import Any

import rolling
import routh as rt
from depth import mostly_slow

MODELS = Path(__file__).parents[1] / "examples" / "models"


@dataclass(frozen=True)
class Given:
    """A system with its numbers, a start that keeps its constraints, inputs, and how long it moves."""

    system: rt.System
    values: Mapping[str, float]
    start: Mapping[Any, float]
    until: float
    inputs: Mapping[str, float] = field(default_factory=dict)


def _of_file(name: str, start: Mapping[str, float], until: float, **inputs: float) -> Given:
    model = rt.load(MODELS / f"{name}.toml")
    return Given(model.system, model.values, start, until, inputs)


def double_pendulum() -> Given:
    start = {"theta1": 1.1, "theta2": -0.4, "theta1'": 0.3}
    return _of_file("double_pendulum", start, 2.0)


def cart_pole() -> Given:
    return _of_file("cart_pole", {"theta": 0.4, "x'": 0.2}, 1.5, F=1.3)


def cartesian_pendulum() -> Given:
    return _of_file("cartesian_pendulum", {"x": 0.9, "y": -1.2, "x'": 0.8, "y'": 0.6}, 1.0)


def rolling_disc() -> Given:
    """It leans a little, and its contact moves as it rolls."""
    start = {"theta": 0.3, "phi'": 4.0, "psi'": 0.5, "x'": 2.0}
    return Given(rolling.disc(), rolling.DISC, start, 0.5)


def rotating_table() -> Given:
    return _of_file("turning_table", {"x": 0.2, "y": -0.1, "y'": 0.4}, 2.0)


def beam() -> Given:
    """Three functions of a cantilever under its weight, damped."""
    s = rt.space("s", 0, rt.parameter("L", 1.5))
    w = rt.field("w", over=s)
    rho, EI, c, g = rt.parameters("rho EI c g")
    continuous = rt.System(
        kinetic=rt.integral(rho / 2 * rt.ddt(w) ** 2, s),
        potential=rt.integral(EI / 2 * rt.diff(w, s, 2) ** 2 + rho * g * w, s),
        dissipation=rt.integral(c / 2 * rt.ddt(w) ** 2, s),
        constraints=[rt.at(w, s, 0), rt.at(rt.diff(w, s), s, 0)],
        name="beam",
    )
    values = {"L": 1.5, "rho": 1.2, "EI": 4.0, "c": 0.3, "g": 9.81}
    return Given(rt.discretize(continuous, {w: 3}), values, {}, 1.0)


def dc_motor() -> Given:
    return _of_file("dc_motor", {"phi": 0.1, "q'": 2.0}, 0.1, U=12.0)


def kite() -> Given:
    z = -sqrt(36 - 4.2**2 - 0.9**2)
    start = {"x": 4.2, "y": -0.9, "z": z, "y'": 1.0, "z'": 0.9 / z}
    return _of_file("carousel_kite", start, 0.5, roll=0.1, length=6.0)


def friction() -> Given:
    """A block on a belt, its friction smooth over a small velocity."""
    given = _of_file("block_on_belt", {"x": 1.1}, 3.0)
    return Given(given.system.regularized(0.1), given.values, given.start, given.until)


def moving_base() -> Given:
    return _of_file("shaken_pendulum", {"theta": 3.0}, 0.4)


TEN = (
    double_pendulum, cart_pole, cartesian_pendulum, rolling_disc, rotating_table, beam, dc_motor, kite,
    friction, moving_base,
)  # fmt: skip
"""What makes them, by name."""


@cache
def ten(name: str) -> Given:
    """One of them, made once."""
    return next(make for make in TEN if make.__name__ == name)()


NAMES = [make.__name__ for make in TEN]
SOME = mostly_slow(NAMES, "cart_pole", "cartesian_pendulum", "rolling_disc")
"""Cases for `parametrize`: a few in make test, all in make test-all."""
