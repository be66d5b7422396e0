"""The verb `floquet`: what a period does to small motions, for whole charts of parameters.

Steps begin at the ends of the cells of a period that `time/one_period` finds, and all of them are
halved until nothing changes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from routh.analysis.given.engines import checked_engine
from routh.analysis.given.numbers import Numbers, number
from routh.analysis.linear.canonical import canonical_blocks, outside
from routh.analysis.periodic.multipliers import Floquet, near_circle
from routh.analysis.periodic.periodic_motion import PeriodicMotion
from routh.analysis.pieces.kinks import smooth_at
from routh.analysis.rest.equilibrium import equilibrium
from routh.analysis.rest.result import Equilibrium
from routh.analysis.time.one_period import divided
from routh.analysis.time.periods import refuse_other_period
from routh.arrays import Array, Mask
from routh.errors import DeclarationError, DerivationError, SolveError
from routh.kernels.engine import Engine, Point
from routh.kernels.kernel import kernel
from routh.language.driven import driven
from routh.language.gates import checked_numeric
from routh.language.system import System
from routh.numerics.gauss import FEWEST, losses, transitions

TOLERANCE = 1e-10
"""Change of a monodromy matrix, relative to its largest entry, when steps are halved: what is left is
some three hundred times smaller, since the method is of order eight."""

HALVED = 60
"""Matrices that each of the first steps takes in the end: it has four, and is halved three times."""

SAMPLES, LOOKED = 512, 24
"""Times of a period, and points of a batch, at which matrices are looked at before the first step."""


def floquet(
    system: System | PeriodicMotion,
    values: Numbers | None = None,
    period: Any = None,
    *,
    guess: Numbers | None = None,
    inputs: Numbers | None = None,
    engine: str = "auto",
) -> Floquet:
    """What a period does to small motions about a rest of a periodically driven system.

    Eigenvalues of frozen matrices say nothing where matrices depend on time; multipliers do. Functions
    of time may jump, and have kicks as narrow as 1e-9 of the period.

    Arguments:
        system: the system; it must have a rest that stays one at all times. Or what `periodic_motion`
            returned, alone.
        values: a number or an array for each parameter; a stability chart is one call.
        period: the period of the drive, a number or an array that broadcasts against the values.
        guess: near which rest.
        inputs: for each input a number or an expression in t with this period.
        engine: "c" for code compiled by this machine's compiler of C, on all cores; "cuda" for the same
            on an NVIDIA GPU (extra `gpu`); "casadi" for none; "auto" for what pays on the cores, by
            counted work. Results are the same, to rounding.

    Raises:
        DeclarationError: the period is none of the matrices, or no positive number; a function of time
            that is no product of sines is not seen to have it.
        DerivationError: constraints hold the system, or a function of time cannot be resolved.
        NoEquilibrium: the drive leaves no rest: look for a `periodic_motion`.

    Example:
        >>> from routh import coordinate, cos, ddt, parameters, pi, System, t
        >>> x, (a, q) = coordinate("x"), parameters("a q")
        >>> mathieu = System(kinetic=ddt(x)**2/2, potential=(a - 2*q*cos(2*t))*x**2/2)
        >>> str(floquet(mathieu, {"a": 0.5, "q": 0.1}, float(pi)).verdict)
        'stable'
    """
    by = checked_engine(engine)
    if isinstance(system, PeriodicMotion):
        _refuse_further(values=values, period=period, guess=guess, inputs=inputs)
        return system.floquet
    if values is None or period is None:
        raise DeclarationError("floquet needs a system, values and a period; or a periodic motion.")
    made = driven(checked_numeric(system, "floquet"), inputs)
    if made.constraints:
        raise DerivationError(
            f"floquet works on systems without constraints, and {system.title} has some. Choose"
            " coordinates that meet them."
        )
    T = number(period, "`period`")
    if not (np.isfinite(T).all() and (T > 0).all()):
        raise DeclarationError(f"`period` must be a positive number. Got {period!r}.")
    rest = _rest(made, values, guess, T.shape, by)
    given = rest.conditions
    spans = np.broadcast_to(T, given.shape).reshape(-1).astype(float)
    broken = _kinked(rest, system.title)
    refuse_other_period(rest.system, given.p, spans)
    grown, error, losses_of, made_by = _growth(rest, spans, by)
    grown[~np.atleast_1d(rest.converged).reshape(-1) | broken] = np.nan
    if not given.shape and not np.isfinite(grown).all():
        raise SolveError(
            f"The growth over a period of {float(spans[0]):.6g} s could not be computed: too much"
            " happens within it. Give the shortest period of the drive."
        )
    fold = given.folded
    lost, size = (fold(each) for each in losses_of)
    return Floquet(
        system, fold(grown), fold(spans), rest, error=fold(error), losses=(lost, size), engine=made_by
    )


def _refuse_further(**further: object) -> None:
    """A periodic motion has all of it already."""
    for name, given in further.items():
        if given is not None:
            raise DeclarationError(
                f"`{name}` is for floquet(system, values, period); a periodic motion has its own."
                f" Got {name}={given!r}; leave it out, or find another periodic_motion(...)."
            )


def _rest(
    system: System, values: Numbers, guess: Numbers | None, periods: tuple[int, ...], engine: Engine
) -> Equilibrium:
    """The rest, for as many points as there are values and periods."""
    rest = equilibrium(system, values, guess=guess, engine=engine)
    given = rest.conditions
    shape = np.broadcast_shapes(given.shape, periods)
    if shape == given.shape:
        return rest
    spread = {name: np.broadcast_to(v, shape) for name, v in given.values.items()}
    place = {q: np.broadcast_to(rest.q[..., k], shape) for k, q in enumerate(system.coordinates)}
    return equilibrium(system, spread, guess=place, engine=engine)


def _kinked(rest: Equilibrium, title: str) -> Mask:
    """(N,) which rests are at a kink, where growth is not linear; one alone is refused."""
    kinks = smooth_at(kernel(rest.system), rest.point(), order=1, inputs=False)
    if not rest.conditions.shape:
        kinks.refuse(
            f"Growth about the rest of {title} is not linear: the equations have a kink there",
            "Write the function smooth, or look at motions with simulate.",
        )
    return kinks.broken


def _growth(
    rest: Equilibrium, spans: Array, engine: Engine
) -> tuple[Array, Array, tuple[Array, Array], Engine]:
    """(N, 2n, 2n) monodromy matrices, (N,) their errors, losses with their sizes, and what made them.

    Losses are summed up where a multiplier is so near to the circle that only they can tell.
    """
    equations, given = _Equations(rest), rest.conditions
    count, n = given.count, len(rest.system.coordinates)
    fewest = _fewest(equations.masses, spans, count) if equations.masses_change else FEWEST
    grown, error = np.full((count, 2 * n, 2 * n), np.nan), np.full(count, np.nan)
    lost, size, made_by = np.zeros_like(grown), np.zeros_like(grown), Engine.CASADI
    for part in divided(rest.system, given.p, given.stacked(rest.q), spans, fewest):
        own = equations.at(part.points)
        quick = own.quick(engine, part.edges.size)
        made_by = Engine.CASADI if quick is None else engine.target
        found = transitions(own.matrices, part.edges, 2 * n, TOLERANCE, part.noise, quick)
        grown[part.points], error[part.points] = found.grown, found.error
        for steps in np.unique(found.steps):
            same = np.flatnonzero(found.steps == steps)
            near = same[near_circle(found.grown[same])] if own.loses else same[:0]
            if not len(near):
                continue
            where = part.points[near]
            lost[where], size[where] = losses(
                own.matrices, own.outside, near, part.edges[near], 2 * n, int(steps)
            )
    return grown, error, (lost, size), made_by


class _Equations:
    """Hamilton's equations about a rest, as matrices at points of a stack and times."""

    def __init__(self, rest: Equilibrium, points: Any = None) -> None:
        self._rest = rest
        self._engine, still = kernel(rest.system), rest.point()
        self._still = (
            still.arguments[1:] if points is None else [x[points] for x in still.arguments[1:]]
        )
        self.masses_change = self._engine.masses_depend_on_time
        acting = [e for each in rest.system.forces for e in each.components]
        acting += rest.system.dissipation
        self.loses = any(each != 0 for each in acting)

    def at(self, points: Any) -> _Equations:
        """Those of some points, counted anew."""
        return _Equations(self._rest, points)

    def _blocks(self, which: Any, times: Array) -> dict[str, Array]:
        point = Point(times[:, None], *(each[which] for each in self._still))
        return canonical_blocks(self._engine.second_derivatives(point))

    def matrices(self, which: Any, times: Array) -> Array:
        """(K, 2n, 2n): A of x' = A x."""
        return self._blocks(which, times)["A"]

    def quick(self, engine: Engine, steps: int) -> Callable[[Any, Array, int], Array] | None:
        """Products of steps by compiled code, if it pays where so many are tried first."""
        if self._still[1].any() or self._still[2].any():
            return None
        found = self._engine.growth(engine, HALVED * steps)
        if found is None:
            return None
        return lambda which, edges, number: found([x[which] for x in self._still], edges, number)

    def masses(self, which: Any, times: Array) -> Array:
        """(K, n, n): the inverse of M."""
        return self._blocks(which, times)["Hpp"]

    def outside(self, which: Any, times: Array) -> Array:
        """(K, 2n, 2n): I A + A^T I^T, what forces outside of H add to it."""
        return outside(self._blocks(which, times))


def _fewest(masses: Any, spans: Array, count: int) -> int:
    """Steps to begin with, by samples of the inverse of masses that change: it may have peaks."""
    which = np.unique(np.linspace(0, count - 1, min(count, LOOKED)).astype(int))
    shares = (np.arange(SAMPLES) + 0.5) / SAMPLES
    times = shares * spans[which, None]
    found = masses(np.repeat(which, SAMPLES), times.reshape(-1)).reshape(len(which), SAMPLES, -1)
    reach = np.ptp(found, axis=1)
    jump = np.abs(np.diff(found, axis=1, append=found[:, :1])).max(axis=1)
    share = np.divide(jump, reach, out=np.zeros_like(jump), where=reach > 1e-12 * np.abs(found).max())
    wanted = 2 * SAMPLES * float(share.max(initial=0))
    return int(2 ** np.ceil(np.log2(np.clip(wanted, FEWEST, SAMPLES))))
