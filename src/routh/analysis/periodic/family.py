"""Families of periodic motions, followed along amplitude, energy or a parameter."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated, Any

import numpy as np
import sympy

from routh.analysis.given.numbers import number
from routh.analysis.given.resolve import resolved
from routh.analysis.periodic.periodic_motion import PeriodicMotion
from routh.analysis.periodic.shooting import UNFOLD, Shooting
from routh.analysis.pieces.switches import refuse_jumps
from routh.arrays import Array
from routh.errors import (
    DeclarationError,
    DerivationError,
    SolveError,
    capital,
    did_you_mean,
    listed,
)
from routh.kernels.kernel import kernel
from routh.language.system import System
from routh.numerics.steppers import StuckError

Law = Callable[[float], tuple[float, float]]
"""The period of a drive by the parameter that is moved, and its slope."""

CLOSED = 1e-10
"""Size of the equations, in units of the motion, at which a point is on the branch."""

WIDE = 3.0
"""Sizes of the first motion that count as much as the whole way of what is moved."""

MOST_CORRECTIONS = 10
"""Newton steps back to the branch."""

FIRST, LARGEST, SMALLEST = 0.02, 0.06, 1e-6
"""Steps along the branch, as shares of the way."""

REACHED, BACK = "It reached the end of the range.", "It came back to the value where it began."

REST = 1e-3
"""Share of the first motion at which a family has shrunk to a rest."""

MOST_POINTS = 400
"""Motions of one branch."""

LOCATED = 1e-9
"""Share of a step within which a special point is located."""


@dataclass(frozen=True, eq=False)
class PeriodicPoint:
    """A special point of a branch: a fold, a branch point of driven motions, or a period doubling."""

    kind: str
    value: float
    motion: PeriodicMotion = field(repr=False)

    def __str__(self) -> str:
        return f"{self.kind} at {self.value:.9g}, period {self.motion.period:.9g}"


@dataclass(frozen=True, eq=False, repr=False)
class PeriodicBranch:
    """Periodic motions along amplitude, energy or a parameter, in the order in which they follow.

    Attributes:
        system: the system.
        parameter: what is moved: "amplitude", "energy" or the name of a parameter.
        motions: the motions.
        at: (k,) values of what is moved.
        points: folds and period doublings, in order.
        ended: why it ended, as a sentence.
    """

    system: System
    parameter: str
    motions: tuple[PeriodicMotion, ...]
    at: Annotated[Array, "k"]
    points: tuple[PeriodicPoint, ...]
    ended: str

    @property
    def periods(self) -> Annotated[Array, "k"]:
        """(k,) periods."""
        return np.array([motion.period for motion in self.motions])

    @property
    def frequencies(self) -> Annotated[Array, "k"]:
        """(k,) angular frequencies 2 pi / period."""
        return np.asarray(2 * np.pi / self.periods)

    def amplitudes(self, q: Any) -> Array:
        """(k,) half of the range of an expression along each motion."""
        return np.array([motion.amplitude(q) for motion in self.motions])

    @property
    def verdicts(self) -> list[Any]:
        """The verdict on each motion."""
        return [motion.floquet.verdict for motion in self.motions]

    def __len__(self) -> int:
        return len(self.motions)

    def __repr__(self) -> str:
        return f"PeriodicBranch({self.system.title}, {len(self)} motions along {self.parameter})"

    def __str__(self) -> str:
        head = (
            f"{capital(self.system.title)}: {len(self)} periodic motions along {self.parameter} from"
            f" {self.at[0]:.6g} to {self.at[-1]:.6g}. {self.ended}"
        )
        return "\n".join([head, *(f"  {point}" for point in self.points)])


class _Family:
    """The equations of a family in unknowns z: nodes, period, unfolding, and what is moved."""

    def __init__(self, start: PeriodicMotion, along: str, to: float, period: Law | None) -> None:
        self.shooting: Shooting = start._shooting
        self.along = along
        self.period = period
        self.kind = self.shooting.kind
        self.values = self.shooting.values | start.values
        self.nodes = start.nodes
        self.count = self.nodes.size
        self.held = float(self.nodes[0, self.shooting.turning])
        first = _first_value(start, along)
        self.fixed_period = start.period
        y = [*self.nodes.reshape(-1)]
        size = np.maximum(np.abs(self.nodes).max(axis=0), 1e-3 * np.abs(self.nodes).max())
        scale = [*(WIDE * np.sqrt(self.count) * np.tile(size, len(self.nodes)))]
        if self.kind != "driven":
            y.append(start.period)
            scale.append(start.period)
        if self.kind == "conservative":
            y.append(0.0)
            scale.append(1.0)
        y.append(first)
        scale.append(abs(to - first))
        self.scale = np.array(scale)
        self.first = np.array(y) / self.scale

    def unpacked(self, z: Array) -> tuple[Array, float, dict[str, float], float]:
        """Nodes, period, values and what is moved."""
        y = z * self.scale
        nodes, rest = y[: self.count].reshape(self.nodes.shape), list(y[self.count :])
        value = float(rest[-1])
        numbers = dict(self.values)
        if self.along not in ("amplitude", "energy"):
            numbers[self.along] = value
        if self.kind == "conservative":
            numbers[UNFOLD] = float(rest[1])
        if self.kind == "driven":
            period = self.period(value)[0] if self.period else self.fixed_period
        else:
            period = float(rest[0])
        return nodes, period, numbers, value

    def equations(self, z: Array) -> tuple[Array, Array]:
        """What must vanish, in units of the motion, and its slopes by z."""
        nodes, period, numbers, value = self.unpacked(z)
        shooting = self.shooting
        gaps, by_nodes, by_period, by_values = shooting.system_of(nodes, period, numbers)
        own = self.scale[: self.count] / (WIDE * np.sqrt(self.count))
        J = np.zeros((self.count, len(z)))
        J[:, : self.count] = by_nodes
        if self.kind != "driven":
            J[:, self.count] = by_period
        if self.kind == "conservative":
            J[:, self.count + 1] = by_values[:, shooting.names.index(UNFOLD)]
        if self.along in shooting.names:
            J[:, -1] = by_values[:, shooting.names.index(self.along)]
            if self.period is not None:
                J[:, -1] += by_period * self.period(value)[1]
        rows, off = [J / own[:, None] * self.scale], [gaps / own]
        for k, row in self._fixed(nodes, numbers, value):
            rows.append((row * self.scale)[None])
            off.append(np.array([k]))
        return np.concatenate(off), np.vstack(rows)

    def _fixed(
        self, nodes: Array, numbers: dict[str, float], value: float
    ) -> list[tuple[float, Array]]:
        """The phase of an autonomous motion, and what a conservative family holds."""
        found = []
        size = float(np.abs(self.nodes).max())
        length = len(self.first)
        if self.kind != "driven":
            row = np.zeros(length)
            row[self.shooting.phase] = 1 / size
            found.append((nodes[0, self.shooting.phase] / size, row))
        if self.kind != "conservative":
            return found
        row = np.zeros(length)
        if self.along == "energy":
            energy, slope = self.shooting.energy(nodes[0], numbers)
            scale = abs(value) or 1.0
            row[: len(slope)] = slope / scale
            row[-1] = -1 / scale
            found.append(((energy - value) / scale, row))
            return found
        row[self.shooting.turning] = 1 / size
        held = self.held
        if self.along == "amplitude":
            row[-1] = -1 / size
            held = value
        found.append(((nodes[0, self.shooting.turning] - held) / size, row))
        return found

    def mean(self, z: Array) -> Array:
        """The nodes of a motion, each replaced by their mean."""
        nodes = z[: self.count].reshape(self.nodes.shape)
        return np.tile(nodes.mean(axis=0), len(nodes))

    @property
    def spread(self) -> float:
        """How far the nodes of the first motion are from their mean."""
        return float(np.abs(self.first[: self.count] - self.mean(self.first)).max())

    def corrected(self, guess: Array, across: Array) -> Array | None:
        """The solution in the plane through a guess."""
        z = guess.copy()
        for _ in range(MOST_CORRECTIONS):
            try:
                off, J = self.equations(z)
            except StuckError:
                return None
            off = np.append(off, across @ (z - guess))
            if np.abs(off).max() <= CLOSED:
                return z
            step = np.linalg.lstsq(np.vstack([J, across]), -off, rcond=1e-13)[0]
            if not np.isfinite(step).all() or np.abs(step).max() > 1:
                return None
            z = z + step
        return z if np.abs(off).max() <= 1e2 * CLOSED else None

    def tangent(self, z: Array, along: Array | None) -> Array:
        """The direction of the branch, on from another direction or to larger values."""
        _, J = self.equations(z)
        found: Array = np.asarray(np.linalg.svd(J)[2][-1], dtype=float)
        if along is None:
            return found
        return found if found @ along >= 0 else -found

    def motion(self, z: Array) -> PeriodicMotion:
        """The motion at a point of the branch."""
        nodes, period, numbers, _ = self.unpacked(z)
        if self.kind == "conservative":
            numbers = numbers | {UNFOLD: 0.0}
        grown = self.shooting.monodromy(nodes, period, numbers)
        off, _ = self.equations(z)
        kept = {name: x for name, x in numbers.items() if name != UNFOLD}
        return PeriodicMotion(
            self.shooting.system, kept, period, nodes[0], grown, float(np.abs(off).max()), nodes,
            self.shooting,
        )  # fmt: skip


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
    family_names = ["amplitude", "energy"] if shooting.kind == "conservative" else []
    if start.system.forces:
        family_names = family_names[:1]  # the energy of forces is not known
    known = [*family_names, *(p.name for p in start.system.parameters)]
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
    _refuse_moving_properties(start, str(name), float(end))
    refuse_jumps(kernel(start.system), start.motion.point(), "What deviations do after a period")
    law = _period(start, str(name), period)
    if shooting.kind == "driven" and law is None:
        moved = start.values | {str(name): first + 1e-3 * (float(end) - first)}
        if not shooting.is_period(start.period, moved):
            raise DeclarationError(
                f"The period of the drive changes with `{name}`: give it as period=, like 2*pi/{name}."
            )
    family = _Family(start, str(name), float(end), law)
    return _walked(family, start, float(end), first)


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
    if start._shooting.kind != "driven":
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
    return lambda value: (float(e.subs(own, value)), float(slope.subs(own, value)))


def _walked(family: _Family, start: PeriodicMotion, to: float, first: float) -> PeriodicBranch:
    z = family.first
    tangent = family.tangent(z, None)
    tangent = tangent if tangent[-1] * (to - first) >= 0 else -tangent
    if abs(tangent[-1]) < 1e-9:
        tangent = -tangent
    places, tangents, motions = [z], [tangent], [start]
    step, ended = FIRST, "It stopped after the largest number of motions."
    points: list[PeriodicPoint] = []
    low, high = min(first, to), max(first, to)
    while len(places) < MOST_POINTS:
        found = family.corrected(z + step * tangent, tangent)
        if found is not None:
            after = family.tangent(found, tangent)
            if after @ tangent < 0.95:
                found = None
        if found is None:
            step /= 2
            if step < SMALLEST:
                ended = "It stopped: no further motion of the branch was found."
                break
            continue
        value = float(found[-1] * family.scale[-1])
        if not low - 1e-12 <= value <= high + 1e-12:
            goal = np.zeros(len(z))
            goal[-1] = 1.0
            edge = to if abs(value - to) < abs(value - first) else first
            share = (edge / family.scale[-1] - z[-1]) / (found[-1] - z[-1])
            last = family.corrected(z + share * (found - z), goal)
            ended = BACK if edge == first else REACHED
            if last is not None:
                found, after = last, family.tangent(last, tangent)
        motion = family.motion(found)
        points += _special(family, (z, tangent, motions[-1]), (found, after, motion))
        places.append(found)
        tangents.append(after)
        motions.append(motion)
        if ended in (BACK, REACHED):
            break
        if np.abs(found[: family.count] - family.mean(found)).max() < REST * family.spread:
            ended = "It ends in a rest."
            break
        z, tangent = found, after
        step = min(1.3 * step, LARGEST)
    if len(motions) < 2:
        raise SolveError(f"The periodic motion of {start.system.title} could not be followed.")
    at = np.array([place[-1] * family.scale[-1] for place in places])
    return PeriodicBranch(start.system, family.along, tuple(motions), at, tuple(points), ended)


def _special(family: _Family, a: Any, b: Any) -> list[PeriodicPoint]:
    """Folds and period doublings between two neighbouring motions."""

    def fold(place: Any) -> float:
        return float(place[1][-1])

    def doubling(place: Any) -> float:
        grown = place[2].monodromy
        return float(np.linalg.det(grown + np.eye(len(grown))))

    def branching(place: Any) -> float:
        grown = place[2].monodromy
        return float(np.linalg.det(grown - np.eye(len(grown))))

    found: list[PeriodicPoint] = []
    tests = [("fold", fold), ("period doubling", doubling)]
    if family.kind == "driven" and fold(a) * fold(b) > 0:
        tests.append(("branch point", branching))
    for kind, test in tests:
        if test(a) * test(b) < 0:
            place = _located(family, a, b, test)
            value = float(place[0][-1] * family.scale[-1])
            found.append(PeriodicPoint(kind, value, place[2]))
    return found


def _located(family: _Family, a: Any, b: Any, test: Callable[..., float]) -> Any:
    """Where a test function vanishes between two motions, by regula falsi with halving."""
    fa, fb = test(a), test(b)
    low, high, best = 0.0, 1.0, b
    chord = b[0] - a[0]
    across = chord / np.linalg.norm(chord)
    for k in range(60):
        share = low - fa * (high - low) / (fb - fa) if k % 3 else (low + high) / 2
        z = family.corrected(a[0] + share * chord, across)
        if z is None:
            return best
        best = (z, family.tangent(z, a[1]), family.motion(z))
        f = test(best)
        if (f < 0) == (fa < 0):
            low, fa = share, f
        else:
            high, fb = share, f
        if high - low < LOCATED or f == 0:
            break
    return best
