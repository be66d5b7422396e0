"""The verb `action`: the integral of L along a motion, and what it is along paths beside it.

A motion makes S, the integral of L dt, stationary among paths with the same ends: Hamilton's principle.
With forces F outside of L and constraints it is delta S and the integral of (F - J^T multipliers) . eta
that vanish together. Stationary is not least: beyond a conjugate place S falls in some directions.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any

import numpy as np
import sympy

from routh.analysis.given.numbers import number
from routh.analysis.motion.phases import StickSlip
from routh.analysis.motion.trajectory import Trajectory
from routh.analysis.paths.conjugate_times import conjugate_times
from routh.arrays import Array
from routh.errors import DeclarationError, DerivationError, a_kind, capital, did_you_mean, listed
from routh.kernels.engine import Point
from routh.kernels.kernel import kernel
from routh.language.derivation import partials
from routh.language.symbols import Coordinate, named
from routh.language.system import System
from routh.language.walk import unfold
from routh.mechanics.lagrange import generalized_forces
from routh.recorded import Recorded
from routh.shown import as_html

NODES = 8
"""Gauss points of a cell of the quadrature."""

CELLS, MOST_CELLS = 16, 2048
"""Cells at first and at most; they are halved until the action stays."""

SHARE = 10.0
"""Times the tolerance of the motion that the action may change when cells are halved."""

FLAT = 1e-7
"""Share of the kinetic part below which a second variation counts as zero."""

MET, RESOLVED = 1e3, 1e-9
"""Times the tolerance of the motion, and a share at least, up to which a first variation is none."""

MOST_SHAPES = 64
"""Sines of each coordinate at most."""

MOST_DIRECTIONS = 512
"""Sines of all coordinates at most among which falling directions are counted."""

AT_END = 1e-6
"""Share of the time before the end in which a conjugate place is one at the end."""


@dataclass(frozen=True, eq=False, repr=False)
class Action(Recorded):
    """The action along a motion, and how it changes along paths with the same ends.

    Paths beside the motion are `q + epsilon sin(k pi tau)`, tau going from 0 to 1, for each coordinate
    and k = 1 ... shapes; along one of them `S(epsilon) = S + epsilon first + epsilon^2 second + ...`.

    Attributes:
        system: the system.
        motion: the motion.
        value: S, the integral of L over its time.
        error: how much S changed when the cells of the quadrature were halved.
        shapes: the number of sines for each coordinate.
        first: (n, shapes) the first variation by each of them, the virtual work of forces, damping and
            constraints included: zero along a motion.
        stationarity: the largest of them, relative to what adds up to it.
    """

    system: System
    motion: Trajectory = field(repr=False)
    value: float
    error: float
    shapes: int
    first: Annotated[Array, "n shapes"] = field(repr=False)
    stationarity: float
    _path: Any = field(repr=False)

    @cached_property
    def second(self) -> Annotated[Array, "directions directions"]:
        """(n shapes, n shapes): the second variation as a quadratic form of the sines' amplitudes.

        The amplitudes of the first coordinate come first. It is half of the second derivative, what
        stands before epsilon^2.

        Raises:
            DerivationError: forces or constraints act, which are no part of S.
        """
        self._refuse_outside()
        return np.asarray(self._path.second(self.shapes))

    @cached_property
    def index(self) -> int:
        """In how many independent directions the action falls: that of the sines, at least.

        Sines are added until they have every direction that the conjugate places promise, and twice
        as many have no more. `index_is_whole` says whether both counts agree.

        Raises:
            DerivationError: forces or constraints act, the kinetic energy is not positive definite, or
                the variational equations cannot be integrated.
        """
        self._refuse_outside()
        if not self._path.is_convex:
            raise DerivationError(
                f"The second variation of the action of {self.system.title} is not judged: its kinetic"
                " energy is not positive definite along the motion, and conjugate places do not count"
                " the directions in which the action falls."
            )
        inside, most = self.conjugate_inside, max(self.shapes, MOST_DIRECTIONS // len(self.first))
        shapes, found = self.shapes, int(self._path.falling(self.shapes))
        while shapes < most:
            before, shapes = found, min(2 * shapes, most)
            found = int(self._path.falling(shapes))
            if found == before and found >= inside:
                break
        return found

    @property
    def index_is_whole(self) -> bool:
        """Whether there is a conjugate place for each falling direction (Morse's theorem).

        If not, directions or conjugate places may be missing.
        """
        return self.conjugate_inside <= self.index <= len(self.conjugate)

    @property
    def conjugate_inside(self) -> int:
        """How many conjugate places there are before the end; one at the end itself does not count."""
        t = self.motion.t
        before = t[-1] - AT_END * (t[-1] - t[0])
        return sum(x < before for x in self.conjugate)

    @cached_property
    def conjugate(self) -> tuple[float, ...]:
        """When neighbouring motions from the start meet again, after the start and up to the end.

        A time is listed once for each direction in which they do.
        """
        self._refuse_outside()
        return conjugate_times(self.motion)

    @property
    def is_minimum(self) -> bool:
        """Whether the action is least among neighbouring paths: no conjugate place up to the end."""
        return self.index == 0 and not self.conjugate

    def varied(self, epsilon: Any, coordinate: Coordinate | str, shape: int = 1) -> Array:
        """The action along paths in which one coordinate is varied by a sine.

        Arguments:
            epsilon: amplitudes of the sine, a number or an array.
            coordinate: which coordinate.
            shape: k of sin(k pi tau), 1 or more.
        """
        by_name = {q.name: k for k, q in enumerate(self.system.coordinates)}
        own = named(coordinate, self.system.coordinates) if isinstance(coordinate, str) else coordinate
        if own not in self.system.coordinates:
            raise DeclarationError(
                f"`{coordinate}` is no coordinate of {self.system.title}. Coordinates:"
                f" {listed(self.system.coordinates)}." + did_you_mean(str(coordinate), by_name)
            )
        if not isinstance(shape, int) or shape < 1:
            raise DeclarationError(f"`shape` must be a whole number, 1 or more. Got {shape!r}.")
        amplitudes = number(epsilon, "`epsilon`")
        place = self.system.coordinates.index(own)
        found = [self._path.action(float(e), place, shape) for e in amplitudes.reshape(-1)]
        return np.array(found).reshape(amplitudes.shape)

    def _refuse_outside(self) -> None:
        against = (
            "constraints hold it" if self.system.constraints
            else "forces or damping act that are no part of L" if _pushes(self.system)
            else ""
        )  # fmt: skip
        if against:
            raise DerivationError(
                f"The action of {self.system.title} has no second variation that tells a minimum:"
                f" {against}. `first` includes their virtual work, and vanishes."
            )

    _repr_html_ = as_html

    def __repr__(self) -> str:
        return f"Action({self.system.title}, {self.value:.10g})"

    def __str__(self) -> str:
        t = self.motion.t
        pushed = ", virtual work included" if self.system.constraints or _pushes(self.system) else ""
        held = self.stationarity <= max(MET * self.motion.rtol, RESOLVED)
        word = "Stationary" if held else "Not stationary to the accuracy of the motion"
        lines = [
            f"{capital(self.system.title)} from t = {t[0]:g} to {t[-1]:g}: S = {self.value:.10g}.",
            f"{word}: {len(self.first) * self.shapes} sines change it in first order by"
            f" {self.stationarity:.1e} of what adds up{pushed}.",
        ]
        return "\n".join([*lines, *([] if pushed else [self._bend])])

    @property
    def _bend(self) -> str:
        """Minimum or saddle, in a sentence."""
        try:
            least = self.is_minimum
        except DerivationError as error:
            told = str(error)
            return told if "is not judged" in told else f"The second variation is not judged: {told}"
        if least:
            return "Least among neighbouring paths: no motions from the start meet again on the way."
        times = listed(dict.fromkeys(f"{x:.6g}" for x in self.conjugate))
        meet = f"motions from the start meet again at t = {times}"
        if self.index_is_whole and not self.index:
            return f"{capital(meet)}: no strict minimum."
        few = "" if self.index_is_whole else "at least "
        falls = f"it falls in {few}{self.index} direction{'s' * (self.index != 1)}"
        if self.index_is_whole:
            return f"A saddle: {falls}; {meet}."
        missing = "The counts differ: conjugate places or directions may be missing."
        if not self.conjugate:
            return f"A saddle: {falls} of the sines. {missing}"
        return f"No strict minimum: {falls}; {meet}. {missing}"


def action(motion: Trajectory, *, shapes: int = 8) -> Action:
    """The action along a motion, with its variations.

    Arguments:
        motion: what `simulate` or `between` returned, one motion; of a `periodic_motion` its `.motion`.
        shapes: how many sines vary each coordinate, 64 at most.

    Raises:
        DeclarationError: what is given is no motion, a batch of them, or one that sticks and slips.
        DerivationError: its velocities jump at events, or the integral does not converge.

    Example:
        >>> import numpy as np
        >>> from routh import coordinate, ddt, simulate, System
        >>> x = coordinate("x")
        >>> spring = System(kinetic=ddt(x)**2 / 2, potential=x**2 / 2)
        >>> found = action(simulate(spring, {}, {x: 1.0}, [0, 4]))
        >>> found.stationarity < 1e-9
        True
        >>> print(str(found).splitlines()[-1])
        A saddle: it falls in 1 direction; motions from the start meet again at t = 3.14159.
    """
    if isinstance(motion, StickSlip):
        raise DeclarationError(
            f"action needs a motion whose forces do not jump. Got a StickSlip: the friction of"
            f" {motion.system.title} is no part of L, and jumps where a contact slips another way or"
            " sticks. Make it smooth over a small width of slip, simulate(..., regularize=1e-3)."
        )
    if not isinstance(motion, Trajectory):
        raise DeclarationError(
            f"action needs one motion, as simulate or between returns it. Got {a_kind(motion)}."
        )
    if motion.conditions.shape:
        raise DeclarationError(
            f"action is that of one motion. Got a batch of shape {motion.conditions.shape}."
        )
    if len(motion.t) < 2 or np.size(motion.events):
        why = "it ended at its start" if len(motion.t) < 2 else "its velocities may jump at events"
        raise DerivationError(f"The motion of {motion.system.title} has no action here: {why}.")
    if not isinstance(shapes, int) or isinstance(shapes, bool) or not 1 <= shapes <= MOST_SHAPES:
        raise DeclarationError(
            f"`shapes` must be a whole number from 1 to {MOST_SHAPES}. Got {shapes!r}."
        )
    path, value, error = _integrated(motion, shapes)
    first, size = path.first(shapes)
    off = float(np.abs(first).max() / max(float(size.max()), 1e-300))
    return Action(motion.system, motion, value, error, shapes, first, off, path)


def _pushes(system: System) -> bool:
    return bool(system.forces or system.dissipation)


def _integrated(motion: Trajectory, shapes: int) -> tuple[_Path, float, float]:
    """The path at Gauss points of as many cells as the action needs, S and its error."""
    cells = max(CELLS, 2 * shapes)
    path = _Path(motion, cells)
    value = path.action(0.0, 0, 1)
    while cells < MOST_CELLS:
        cells *= 2
        finer = _Path(motion, cells)
        own = finer.action(0.0, 0, 1)
        change = abs(own - value)
        if change <= SHARE * motion.rtol * finer.size:
            return finer, own, change
        path, value = finer, own
    raise DerivationError(
        f"The action of {motion.system.title} does not settle with {MOST_CELLS} cells of quadrature: L"
        " jumps along the motion, or has a pole. Look at it piece by piece."
    )


class _Path:
    """A motion at the Gauss points of equal cells, and integrals along paths beside it."""

    def __init__(self, motion: Trajectory, cells: int) -> None:
        x, weights = np.polynomial.legendre.leggauss(NODES)
        edges = np.linspace(motion.t[0], motion.t[-1], cells + 1)
        half, middle = np.diff(edges) / 2, (edges[:-1] + edges[1:]) / 2
        times = (middle[:, None] + half[:, None] * x).reshape(-1)
        whole = motion(np.concatenate([motion.t[:1], times, motion.t[-1:]]))
        self._point = Point(*(each[1:-1] for each in whole.point().arguments))
        self.w = (half[:, None] * weights).reshape(-1)
        self.t, self.q = times, whole.q[1:-1]
        self.tau = (times - edges[0]) / (edges[-1] - edges[0])
        self._duration = float(edges[-1] - edges[0])
        self._motion, self._system = motion, motion.system
        self._engine = kernel(motion.system)

    @cached_property
    def size(self) -> float:
        """The integral of |L|, or of the size of v . L_v if that is more."""
        momenta = self._slopes["L_v"]
        L = np.abs(self._engine.lagrangian(self._point))
        return float(self.w @ np.maximum(L, np.abs((momenta * self._point.v).sum(axis=1))))

    def _sines(self, shapes: int) -> tuple[Array, Array]:
        """(G, shapes): the sines and their rates."""
        k = np.pi * np.arange(1, shapes + 1)
        angle = self.tau[:, None] * k
        return np.sin(angle), np.cos(angle) * k / self._duration

    def action(self, epsilon: float, place: int, shape: int) -> float:
        """S along the path in which one coordinate is varied."""
        s, rate = (each[:, -1] for each in self._sines(shape))
        q, v = self._point.q.copy(), self._point.v.copy()
        q[:, place] += epsilon * s
        v[:, place] += epsilon * rate
        t, _, _, a, p, u, multipliers = self._point.arguments
        return float(self.w @ self._engine.lagrangian(Point(t, q, v, a, p, u, multipliers)))

    @cached_property
    def _slopes(self) -> dict[str, Array]:
        """Slopes of L itself, which kernels augment by constraints."""
        found = self._engine.derivatives(self._point)
        if self._system.constraints:
            L = unfold(sympy.Add(*self._system.lagrangian_terms))
            pull = partials(L, self._system.coordinates)
            found = found | {"L_q": self._engine.values(pull, self._point)}
        return found

    @cached_property
    def _outside(self) -> Array:
        """(G, n): forces, damping and constraints, which are no part of L."""
        system, point = self._system, self._point
        D = unfold(sympy.Add(*system.dissipation))
        pairs = zip(generalized_forces(system), partials(D, system.velocities), strict=True)
        found = self._engine.values([Q - damping for Q, damping in pairs], point)
        if system.constraints:
            J = self._engine.constraint_jacobian(point)
            found = found - np.einsum("gci,gc->gi", J, point.multipliers)
        return found

    def first(self, shapes: int) -> tuple[Array, Array]:
        """(n, shapes) the first variation, and the size of what adds up to it."""
        s, rate = self._sines(shapes)
        parts = [(self._slopes["L_q"], s), (self._slopes["L_v"], rate), (self._outside, s)]
        each = [np.einsum("g,gi,gk->gik", self.w, f, sine) for f, sine in parts]
        size = np.sum([np.abs(part).sum(axis=0) for part in each], axis=0)
        return np.sum([part.sum(axis=0) for part in each], axis=0), size

    def second(self, shapes: int) -> Array:
        """The second variation, by amplitudes of the sines."""
        s, rate = self._sines(shapes)
        of = self._slopes
        mixed = self._form(of["L_vq"], rate, s)
        return self._form(of["L_vv"], rate, rate) + mixed + mixed.T + self._form(of["L_qq"], s, s)

    def falling(self, shapes: int) -> int:
        """In how many directions of so many sines the action falls."""
        cells = len(self.w) // NODES
        path = self if cells >= 2 * shapes else _Path(self._motion, 2 * shapes)
        half = np.linalg.inv(np.linalg.cholesky(path.kinetic(shapes)))
        return int((np.linalg.eigvalsh(half @ path.second(shapes) @ half.T) < -FLAT).sum())

    @cached_property
    def is_convex(self) -> bool:
        """Whether L is convex in the velocities all along (Legendre's condition)."""
        masses = np.linalg.eigvalsh(self._slopes["L_vv"])
        return bool((masses[:, 0] > 1e-14 * np.abs(masses).max(axis=1)).all())

    def kinetic(self, shapes: int) -> Array:
        """Its part of second degree in the rates."""
        _, rate = self._sines(shapes)
        return self._form(self._slopes["L_vv"], rate, rate)

    def _form(self, matrix: Array, left: Array, right: Array) -> Array:
        found = np.einsum("g,gij,gk,gl->ikjl", self.w / 2, matrix, left, right, optimize=True)
        size = found.shape[0] * found.shape[1]
        return np.asarray(found.reshape(size, size))
