"""The verb `floquet`: what a period does to small motions, for whole charts of parameters."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from routh.analysis.canonical_model import canonical_blocks
from routh.analysis.equilibrium import equilibrium
from routh.analysis.kinks import pieces
from routh.analysis.values import Numbers, number
from routh.analysis.verdict import Verdict
from routh.errors import DeclarationError, DerivationError, SolveError, capital, shortened
from routh.kernels.batch import Array
from routh.kernels.kernel import Point, kernel
from routh.language.driven import driven
from routh.language.gates import checked_numeric
from routh.language.symbols import t
from routh.language.system import System
from routh.numerics.gauss import FEWEST, transitions
from routh.numerics.pairs import Complex

TOLERANCE = 1e-10
"""Change of a monodromy matrix, relative to its largest entry, when steps are halved: what is left is
some three hundred times smaller, since the method is of order eight."""

SAME = 1e-9
"""Share of their size by which matrices may differ a period later."""

ON_CIRCLE = 1e-7
"""A multiplier whose size differs less from one is on the circle: double ones keep half the digits."""

PARTED = 1e-5
"""Multipliers closer than this on the circle may be double ones, which decide nothing."""

CLUSTER = 1e-3
"""Distance within which multipliers of a motion with symmetries may all be 1."""

SAMPLES, LOOKED = 512, 24
"""Times of a period, and points of a batch, at which short pulses are looked for."""

PROBES = (0.11, 0.37, 0.62, 0.93)
"""Shares of a period at which its matrices are compared with those a period later."""


@dataclass(frozen=True, eq=False, repr=False)
class Floquet:
    """What one period does to small deviations of coordinates and momenta.

    Attributes:
        system: the system.
        monodromy: (..., 2n, 2n) deviations (dq, dp) after a period by those before.
        period: (...) the period.
        reference: the rest, or the periodic motion, about which deviations are small.
        trivial: how many multipliers are 1 because the motion can be shifted in time, or in a family;
            they are left out of the verdict, of `near` and of `growth`.
    """

    system: System
    monodromy: Array
    period: Array
    reference: Any = field(repr=False)
    trivial: int = 0

    @cached_property
    def _own(self) -> Complex:
        """The multipliers without the trivial ones, those nearest to 1."""
        order = np.argsort(np.abs(self.multipliers - 1), axis=-1)
        kept = np.sort(order[..., self.trivial :], axis=-1)
        return np.take_along_axis(self.multipliers, kept, axis=-1)

    @cached_property
    def multipliers(self) -> Complex:
        """(..., 2n) eigenvalues of the monodromy matrix, the largest first."""
        finite = np.asarray(np.isfinite(self.monodromy).all(axis=(-1, -2), keepdims=True))
        found: Complex = np.linalg.eigvals(np.where(finite, self.monodromy, 0.0)).astype(complex)
        found = np.where(finite[..., 0], found, np.nan)
        order = np.lexsort((-found.imag, -np.abs(found)), axis=-1)
        return np.take_along_axis(found, order, axis=-1)

    @property
    def exponents(self) -> Complex:
        """(..., 2n) ln(multiplier)/period in 1/s; imaginary parts up to multiples of 2 pi/period."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.multipliers) / np.asarray(self.period)[..., None])

    @property
    def growth(self) -> Array:
        """(...) the largest real part of an exponent."""
        if not self._own.shape[-1]:
            return np.zeros(self._own.shape[:-1])
        with np.errstate(divide="ignore"):
            own = np.log(np.abs(self._own)) / np.asarray(self.period)[..., None]
        return np.asarray(own.max(axis=-1))

    @property
    def determinant(self) -> Array:
        """(...) of the monodromy matrix: 1 where nothing is lost."""
        return np.asarray(np.linalg.det(self.monodromy))

    @cached_property
    def verdict(self) -> Any:
        """(...) the verdict on small motions: a `Verdict`, or an array of them."""
        found = np.empty(self.multipliers.shape[:-1], dtype=object)
        for place in np.ndindex(found.shape):
            found[place] = self._judged(self._own[place], self.multipliers[place])
        return found if found.shape else found[()]

    def _judged(self, multipliers: Complex, every: Complex) -> Verdict:
        sizes = np.abs(multipliers)
        if not len(sizes):
            return Verdict.STABLE  # nothing is left but shifts within the family
        if not np.isfinite(sizes).all():
            return Verdict.UNDECIDED
        ones = int((np.abs(every - 1) < CLUSTER).sum())
        if self.trivial and ones > self.trivial and sizes.max() < 1 + CLUSTER:
            return Verdict.UNDECIDED  # further symmetries: ones that rounding parts by its root
        if sizes.max() > 1 + PARTED:
            return Verdict.UNSTABLE
        on = multipliers[sizes >= 1 - ON_CIRCLE]
        if not len(on):
            return Verdict.ASYMPTOTICALLY_STABLE
        apart = np.abs(on[:, None] - on[None, :]) + np.eye(len(on))
        if apart.min() <= 2 * PARTED:  # double ones, which rounding parts
            return Verdict.UNDECIDED
        return Verdict.UNSTABLE if sizes.max() > 1 + ON_CIRCLE else Verdict.STABLE

    @property
    def near(self) -> Any:
        """(...) what happens where the largest multiplier crosses the unit circle, in a word.

        "divergence" at 1, "period doubling" at -1, "flutter" (a torus) elsewhere.
        """
        if not self._own.shape[-1]:
            return "nothing"
        first = self._own[..., 0]
        real = np.abs(first.imag) <= PARTED * np.abs(first)
        words = np.where(real, np.where(first.real > 0, "divergence", "period doubling"), "flutter")
        return words if words.shape else str(words)

    def __repr__(self) -> str:
        return f"Floquet({self.system.title}, monodromy {self.monodromy.shape})"

    def __str__(self) -> str:
        title = capital(self.system.title)
        if self.monodromy.ndim > 2:
            count = [int(np.sum(self.verdict == each)) for each in Verdict]
            words = ", ".join(f"{n} {each}" for n, each in zip(count, Verdict, strict=True) if n)
            return f"{title}: {self.verdict.size} points: {words}."
        shown = ", ".join(f"{m:.6g}" for m in self.multipliers)
        return (
            f"{title} over a period of {float(self.period):.6g} s: {self.verdict}. Multipliers {shown};"
            f" nearest to {self.near}, growth {float(self.growth):.4g} 1/s."
        )


def floquet(
    system: Any,
    values: Numbers | None = None,
    period: Any = None,
    *,
    guess: Numbers | None = None,
    inputs: Numbers | None = None,
) -> Floquet:
    """What a period does to small motions about a rest of a periodically driven system.

    Eigenvalues of frozen matrices say nothing where matrices depend on time; multipliers do.

    Arguments:
        system: the system; it must have a rest that stays one at all times. Or what `periodic_motion`
            returned, alone.
        values: a number or an array for each parameter; a stability chart is one call.
        period: the period of the drive, a number or an array that broadcasts against the values.
        guess: near which rest.
        inputs: for each input a number or an expression in t with this period.

    Raises:
        DeclarationError: the period is none of the matrices, or no positive number.
        DerivationError: constraints hold the system.
        NoEquilibrium: the drive leaves no rest: look for a `periodic_motion`.

    Example:
        >>> from routh import coordinate, cos, ddt, parameters, pi, System, t
        >>> x, (a, q) = coordinate("x"), parameters("a q")
        >>> mathieu = System(kinetic=ddt(x)**2/2, potential=(a - 2*q*cos(2*t))*x**2/2)
        >>> str(floquet(mathieu, {"a": 0.5, "q": 0.1}, float(pi)).verdict)
        'stable'
    """
    if hasattr(system, "floquet"):
        own: Floquet = system.floquet  # of a periodic motion
        return own
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
    rest = equilibrium(made, values, guess=guess)
    given = rest.conditions
    shape = np.broadcast_shapes(given.shape, T.shape)
    if shape != given.shape:
        spread = {name: np.broadcast_to(v, shape) for name, v in given.values.items()}
        place = {q: np.broadcast_to(rest.q[..., k], shape) for k, q in enumerate(made.coordinates)}
        rest = equilibrium(made, spread, guess=place)
        given = rest.conditions
    spans = np.broadcast_to(T, shape).reshape(-1).astype(float)
    count, n = given.count, len(made.coordinates)

    engine, still = kernel(made), rest.point()

    def matrices(which: Any, times: Array) -> Array:
        """(K, 2n, 2n): the matrix of Hamilton's equations at some points of the batch and times."""
        point = Point(times[:, None], *(each[which] for each in still.arguments[1:]))
        return canonical_blocks(engine.second_derivatives(point))["A"]

    _refuse_jumps(made)
    _refuse_other_period(matrices, spans, count)
    zero = np.zeros(count)
    fewest = _fewest(matrices, spans, count)
    grown, _ = transitions(matrices, zero, spans, 2 * n, TOLERANCE, fewest)
    found = np.atleast_1d(rest.converged).reshape(-1)
    grown[~found] = np.nan
    if not given.shape and not np.isfinite(grown).all():
        raise SolveError(
            f"The growth over a period of {float(spans[0]):.6g} s could not be computed: too much"
            " happens within it. Give the shortest period of the drive."
        )
    fold = given.folded
    return Floquet(system, fold(grown), fold(spans), rest)


def _refuse_jumps(system: System) -> None:
    """A drive that jumps is not seen by steps of a fixed size."""
    jumping = [node for node in pieces(system) if t in node.free_symbols]
    if jumping:
        raise DerivationError(
            f"The drive of {system.title} has a jump or a kink in time, in"
            f" `{shortened(jumping[0], 60)}`, which floquet's method of high order does not see. Write"
            " it smooth, like tanh(20*sin(t)) for sign(sin(t))."
        )


def _fewest(matrices: Any, spans: Array, count: int) -> int:
    """Steps to begin with: enough that no short pulse of the drive falls between two of them."""
    which = np.unique(np.linspace(0, count - 1, min(count, LOOKED)).astype(int))
    shares = (np.arange(SAMPLES) + 0.5) / SAMPLES
    times = shares * spans[which, None]
    found = matrices(np.repeat(which, SAMPLES), times.reshape(-1)).reshape(len(which), SAMPLES, -1)
    reach = np.ptp(found, axis=1)
    jump = np.abs(np.diff(found, axis=1, append=found[:, :1])).max(axis=1)
    share = np.divide(jump, reach, out=np.zeros_like(jump), where=reach > 1e-12 * np.abs(found).max())
    wanted = 2 * SAMPLES * float(share.max(initial=0))
    return int(2 ** np.ceil(np.log2(np.clip(wanted, FEWEST, SAMPLES))))


def _refuse_other_period(matrices: Any, spans: Array, count: int) -> None:
    """The matrices must be the same a period later."""
    which = np.arange(count)
    for share in PROBES:
        here, later = matrices(which, share * spans), matrices(which, (1 + share) * spans)
        size = np.maximum(np.abs(here).max(axis=(1, 2)), 1e-300)
        off = np.abs(later - here).max(axis=(1, 2)) / size
        if (off > SAME).any():
            k = int(np.argmax(off))
            raise DeclarationError(
                f"The equations do not have the period {spans[k]:.6g}: a period later their matrices"
                f" differ by {off[k]:.1e} of their size. Give the period of the drive, like 2*pi/Omega."
            )
