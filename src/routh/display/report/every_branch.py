"""Every branch of equilibria over a parameter: from both ends of the range, and where they cross."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from routh.analysis.branches.follow import Branch, follow
from routh.analysis.branches.special_points import SpecialPoint
from routh.analysis.rest.equilibrium import equilibrium
from routh.analysis.rest.result import Equilibrium
from routh.analysis.search.equilibria import equilibria
from routh.analysis.stability.branch_words import Kind
from routh.arrays import Array
from routh.display.report.findings import Findings
from routh.errors import RouthError
from routh.language.system import System
from routh.mechanics.turns import turns

MOST = 24
"""Branches after which no more are looked for."""

SAME = 1e-5
"""Difference of coordinates, relative to their size, under which two equilibria are one."""


SEEN = 1e-4
"""The same of a branch point, which is known to fewer digits along the branch that crosses."""


@dataclass(frozen=True)
class Diagram:
    """The branches that were found over a parameter, and what was left out, as sentences."""

    branches: tuple[Branch, ...]
    remarks: tuple[str, ...]

    @property
    def moves(self) -> bool:
        """Whether there is more to see than one equilibrium that stays where it is."""
        q = np.concatenate([branch.q for branch in self.branches])
        still = np.ptp(q, axis=0).max(initial=0.0) <= SAME * (1 + np.abs(q).max(initial=0.0))
        return len(self.branches) > 1 or not still or bool(self.branches[0].points)


def diagram(found: Findings) -> Diagram | str:
    """Every branch that is found over the parameter that a model wants moved, or why there is none."""
    asked = found.model.analysis.sweep
    if asked is None:
        return ""
    name, low, high = asked.parameter, float(asked.start), float(asked.end)
    try:
        ends = [(_isolated(found, {name: low}), [high]), (_isolated(found, {name: high}), [low])]
    except RouthError as error:
        return str(error)
    own, rests = found.values.get(name, low), found.rests
    if min(low, high) < own < max(low, high) and not isinstance(rests, str):
        ends.append(([rest for k, rest in enumerate(rests) if not found.family(k)], [low, high]))
    made = every_branch(name, ends)
    return made if made.branches else " ".join(made.remarks)


def _isolated(found: Findings, values: dict[str, float]) -> list[Equilibrium]:
    """The equilibria with other values, families left out; that near the guess without a search."""
    model, given = found.model, found.values | values
    if not found.searchable:
        speeds = model.analysis.speeds or None
        return [equilibrium(found.system, given, guess=model.guess, inputs=model.inputs, speeds=speeds)]
    every = equilibria(found.system, given, inputs=model.inputs, within=model.within or None)
    return [rest for rest, dimension in zip(every, every.dimension, strict=True) if not dimension]


def every_branch(
    parameter: str, ends: Sequence[tuple[Iterable[Equilibrium], Sequence[float]]]
) -> Diagram:
    """The branches through these equilibria, and those that cross them.

    Arguments:
        parameter: what is moved.
        ends: equilibria at one value of it, those at the ends of the range first, and the values up to
            which they are followed.
    """
    found: list[Branch] = []
    remarks: list[str] = []
    crossed: list[SpecialPoint] = []
    for rests, targets in ends:
        every = list(rests)
        met = {k for branch in found for k in _passed(branch, every, parameter)}
        for k, rest in enumerate(every):
            if k in met or any(_ends_at(branch, rest, parameter) for branch in found):
                continue
            for to in targets[: MOST - len(found)]:
                try:
                    found.append(follow(rest, parameter, to))
                except RouthError as error:
                    remarks.append(str(error))
        _cross(found, crossed, remarks)
    if len(found) >= MOST:
        remarks.append(f"No more than {MOST} branches were followed.")
    return Diagram(tuple(found), tuple(dict.fromkeys(remarks)))


def _cross(found: list[Branch], crossed: list[SpecialPoint], remarks: list[str]) -> None:
    """Add the branches that cross those found, and those that cross them.

    A point at which one was left for the other already, `crossed`, shows nothing new from the other.
    """
    waiting = list(found)
    while waiting:
        for crossing in _crossings(waiting.pop(0), crossed, remarks):
            if len(found) < MOST and not any(_alike(crossing, other) for other in found):
                found.append(crossing)
                waiting.append(crossing)


def _passed(branch: Branch, rests: Sequence[Equilibrium], parameter: str) -> Iterator[int]:
    """Which of the equilibria at one value of the parameter a branch passes: the nearest each time."""
    if not rests:
        return
    value = float(rests[0].values[parameter])
    past = branch.at - value
    for k in np.flatnonzero(past[:-1] * past[1:] < 0):
        share = past[k] / (past[k] - past[k + 1])
        q = branch.q[k] + share * (branch.q[k + 1] - branch.q[k])
        yield int(np.argmin([np.abs(_between(branch.system, q, rest.q)).max() for rest in rests]))


def _crossings(branch: Branch, crossed: list[SpecialPoint], remarks: list[str]) -> Iterator[Branch]:
    """The other branches through the branch points of one."""
    for point in branch.of(Kind.BRANCH):
        if any(_one_point(point, other) for other in crossed):
            continue
        crossed.append(point)
        try:
            yield branch.switch(point)
        except RouthError as error:
            remarks.append(str(error))


def _ends_at(branch: Branch, rest: Equilibrium, parameter: str) -> bool:
    """Whether a branch begins or ends at an equilibrium."""
    value = rest.values[parameter]
    return any(
        np.isclose(branch.at[end], value) and _near(branch.system, branch.q[end], rest.q)
        for end in (0, -1)
    )


def _alike(a: Branch, b: Branch) -> bool:
    """Whether two branches have the same ends, in either order."""
    for first, last in ((0, -1), (-1, 0)):
        same = np.isclose(a.at[0], b.at[first]) and np.isclose(a.at[-1], b.at[last])
        if same and _near(a.system, a.q[0], b.q[first]) and _near(a.system, a.q[-1], b.q[last]):
            return True
    return False


def _one_point(a: SpecialPoint, b: SpecialPoint) -> bool:
    """Whether two branch points are one, seen from both branches."""
    off = np.abs(_between(a.rest.system, a.rest.q, b.rest.q)).max(initial=0.0)
    return bool(np.isclose(a.value, b.value, rtol=SEEN) and off <= SEEN * (1 + np.abs(a.rest.q).max()))


def _near(system: System, a: Array, b: Array) -> bool:
    """Whether two positions are one."""
    off = np.abs(_between(system, a, b)).max(initial=0.0)
    return bool(off <= SAME * (1 + np.abs(a).max(initial=0.0)))


def _between(system: System, a: Array, b: Array) -> Array:
    """From one position to another, whole turns of angles aside."""
    off = np.asarray(b - a)
    for k, turned in enumerate(turns(system)):
        if turned is not None:
            off[k] -= 2 * np.pi * turned * np.round(off[k] / (2 * np.pi * turned))
    return off
