"""Equilibria followed as a parameter moves, through folds, with the points where something happens."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Any, overload

import numpy as np

from routh.analysis.branches.path import Path, Traced
from routh.analysis.branches.rolling_path import RollingPath
from routh.analysis.branches.special_points import SpecialPoint
from routh.analysis.given.knob import Knob, knob
from routh.analysis.given.large import refuse_large
from routh.analysis.given.numbers import number
from routh.analysis.given.required import beyond, refuse_values
from routh.analysis.given.resolve import resolved
from routh.analysis.periodic.family import PeriodicBranch
from routh.analysis.periodic.follow_periodic import follow_periodic
from routh.analysis.periodic.periodic_motion import PeriodicMotion
from routh.analysis.rest.result import Equilibrium
from routh.analysis.stability.branch_words import Kind, branch_text, of_kind
from routh.analysis.stability.natural_modes import Modes
from routh.analysis.stability.verdict import Stability
from routh.arrays import Array
from routh.errors import DeclarationError, SolveError, a_kind
from routh.language.symbols import Parameter
from routh.language.system import System
from routh.recorded import Recorded
from routh.shown import as_html


@dataclass(frozen=True, eq=False, repr=False)
class Branch(Recorded):
    """Equilibria along a parameter, in the order in which they were followed.

    Attributes:
        rest: the equilibria as one batch of shape (k,).
        modes: their modes, likewise.
        parameter: what was moved; its values are `at`.
        points: the folds, branch points, Hopf and flutter points met, in order.
        ended: why it ended, as a sentence.
    """

    rest: Equilibrium
    modes: Modes
    parameter: Any
    points: tuple[SpecialPoint, ...]
    ended: str
    _path: Path
    _knob: Knob

    @property
    def system(self) -> System:
        """The system it belongs to."""
        return self.rest.system

    @property
    def at(self) -> Annotated[Array, "k"]:
        """(k,) values of the parameter."""
        return self._knob.value(self.rest.conditions)

    @property
    def q(self) -> Annotated[Array, "k n"]:
        """(k, n) coordinates."""
        return self.rest.q

    @property
    def stability(self) -> Stability:
        """The verdicts along the branch, a batch of shape (k,)."""
        return self.modes.stability

    @property
    def verdicts(self) -> list[Any]:
        """The verdict on each equilibrium."""
        return list(self.stability.verdict)

    def of(self, kind: Kind) -> tuple[SpecialPoint, ...]:
        """The special points of one kind."""
        return of_kind(self.points, kind)

    def switch(self, point: SpecialPoint) -> Branch:
        """The other branch through a branch point, from one end of it to the other.

        Raises:
            DeclarationError: the point is no branch point of this branch.
            SolveError: no other branch was found there, or what crosses is a family of equilibria at
                this one value of the parameter.
        """
        if not any(point is own for own in self.points) or point.kind is not Kind.BRANCH:
            raise DeclarationError(
                "switch needs a branch point of this branch, one of branch.of(Kind.BRANCH). Got"
                f" {point!r}."
            )
        return _branch(self._path, self._knob, self._path.other_branch(point))

    def __len__(self) -> int:
        return len(self.at)

    def __repr__(self) -> str:
        return f"Branch({self.system.title}, {len(self)} points, {len(self.points)} special)"

    def __str__(self) -> str:
        lines = [f"Along it: {self.stability}.", *(f"  {point}" for point in self.points)]
        return branch_text(self.system, "", self.parameter, self.at, self.ended, lines)

    _repr_html_ = as_html


@overload
def follow(
    reference: Equilibrium, parameter: object, to: float, *, step: float | None = None
) -> Branch: ...
@overload
def follow(
    reference: PeriodicMotion, parameter: object, to: float, *, period: object = None
) -> PeriodicBranch: ...
def follow(
    reference: Equilibrium | PeriodicMotion,
    parameter: object,
    to: float,
    *,
    step: float | None = None,
    period: object = None,
) -> Branch | PeriodicBranch:
    """The branch of equilibria, or of periodic motions, through one of them.

    The branch is followed by arclength, so it may turn back at a fold; it ends when the parameter
    reaches `to` or comes back to where it started. Folds, points where another branch crosses, and
    points where an oscillation begins to grow are located.

    Arguments:
        reference: one equilibrium, steady motion or periodic motion, where the branch begins.
        parameter: a parameter or an input of the system, or its name; for a steady motion also the
            velocity of what turns, like `ddt(phi)`. For periodic motions a parameter, and "amplitude"
            or "energy" for conservative ones.
        to: the value at which to end.
        step: the longest step along the branch, measured by the change of the parameter where that
            is all that changes; three hundredths of the way if not given. Not for periodic motions.
        period: of driven periodic motions the period as an expression in the parameter, like
            2*pi/omega, where it changes with it. Not for equilibria.

    Raises:
        DeclarationError: the parameter is no part of the system, `to` is where it is already, or an
            argument belongs to the other kind of branch.
        SolveError: the reference was not found, or is one of a family that cannot be followed.
        NoEquilibrium: away from the start the equations change in time, or what turns is driven.

    Example:
        >>> from routh import coordinate, parameters, ddt, cos, sin, System, equilibrium
        >>> theta, (g, omega) = coordinate("theta"), parameters("g omega")
        >>> T = (ddt(theta) ** 2 + omega**2 * sin(theta) ** 2) / 2
        >>> hoop = System(kinetic=T, potential=-g * cos(theta))
        >>> branch = follow(equilibrium(hoop, dict(g=9, omega=1)), omega, 5)
        >>> [round(point.value, 9) for point in branch.points]
        [3.0]
    """
    if isinstance(reference, PeriodicMotion):
        if step is not None:
            raise DeclarationError(
                "`step` is for branches of equilibria; along periodic motions steps are as long as the"
                f" corrections allow. Got step={step!r}; leave it out."
            )
        return follow_periodic(reference, parameter, to, period)
    _check(reference)
    if period is not None:
        raise DeclarationError(
            "`period` is for driven periodic motions; an equilibrium has none. Got"
            f" period={period!r}; leave it out, or follow a periodic_motion(...)."
        )
    refuse_large(reference.system)
    moved = knob(reference.system, reference.conditions, parameter)
    start = float(moved.value(reference.conditions)[0])
    end = number(to, "`to`")
    if end.shape or end == start:
        raise DeclarationError(
            f"`to` must be a number other than the present value of `{moved.symbol}`, {start:g}. Got"
            f" {to!r}."
        )
    if isinstance(moved.symbol, Parameter):
        moved.symbol.refuse_sign(float(end), "`to`")
        refuse_values(reference.system, moved.turned(reference.conditions, np.array([end])).p, "to")
    reference = _resolved(reference, moved, float(end))
    kind = Path if all(reference.system.is_holonomic) else RollingPath
    path = kind(reference, moved, start, float(end), _share(step, abs(float(end) - start)))
    return _branch(path, moved, path.from_start())


def _resolved(reference: Equilibrium, moved: Knob, end: float) -> Equilibrium:
    """The reference with cells of quadrature for all values up to the end."""
    given = reference.conditions
    to = moved.turned(given, np.array([end])).p
    system = resolved(reference.system, given.p, to)
    return replace(reference, system=system, conditions=replace(given, system=system))


def _branch(path: Path, moved: Knob, traced: Traced) -> Branch:
    _refuse_beyond(traced.rest, moved)
    return Branch(
        rest=traced.rest,
        modes=traced.modes,
        parameter=moved.symbol,
        points=traced.points,
        ended=traced.ended,
        _path=path,
        _knob=moved,
    )


def _refuse_beyond(rest: Equilibrium, moved: Knob) -> None:
    """Refuse a branch with equilibria that a part of the system does not reach.

    Raises:
        SolveError: it carries them.
    """
    away, said = beyond(rest.system, rest.point())
    if away.any():
        value = float(moved.value(rest.conditions)[int(np.argmax(away))])
        raise SolveError(
            f"The branch of {rest.system.title} leaves what a part of it reaches before"
            f" {moved.symbol} = {value:.6g}. {said} Follow it to a value before that.",
            rest,
        )


def _check(reference: Equilibrium) -> None:
    if not isinstance(reference, Equilibrium):
        raise DeclarationError(
            "follow needs an Equilibrium, as equilibrium(system, values) returns it. Got"
            f" {a_kind(reference)}."
        )
    if reference.conditions.shape:
        raise DeclarationError(
            "follow starts from one equilibrium. Got a batch of shape"
            f" {reference.conditions.shape}; take one point of it, like rest.single(0)."
        )
    if not reference.converged:
        raise SolveError(
            f"follow needs an equilibrium that was found. Got one with status: {reference.status}",
            reference,
        )


def _share(step: float | None, way: float) -> float | None:
    if step is None:
        return None
    value = number(step, "`step`")
    if value.shape or value <= 0:
        raise DeclarationError(f"`step` must be a number above zero. Got {step!r}.")
    return float(value) / way
