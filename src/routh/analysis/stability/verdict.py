"""Verdicts on stability and their reasons, in words and with the numbers behind them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from enum import Enum
from functools import cached_property
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from routh.arrays import Array, Complex
from routh.kernels.engine import Engine
from routh.numerics import levels
from routh.recorded import Recorded
from routh.shown import as_html


class Verdict(Enum):
    """What can be said of small motions about the equilibrium.

    Example:
        >>> import routh as rt
        >>> x = rt.coordinate("x")
        >>> system = rt.System(kinetic=rt.ddt(x)**2 / 2, potential=x**2)
        >>> rt.stability(rt.linearize(rt.equilibrium(system, {}))).verdict is Verdict.STABLE
        True
    """

    STABLE = "stable"
    ASYMPTOTICALLY_STABLE = "asymptotically stable"
    UNSTABLE = "unstable"
    UNDECIDED = "undecided"

    def __str__(self) -> str:
        return self.value


class Reason(Enum):
    """Why, each with the verdict it leads to and a sentence; names in braces stand for numbers."""

    MINIMUM = (
        Verdict.STABLE,
        "The {potential} has a minimum (Lagrange-Dirichlet): its lowest curvature is"
        " omega^2 = {curvature} 1/s^2.",
    )
    COMPLETE_DAMPING = (
        Verdict.ASYMPTOTICALLY_STABLE,
        "The {potential} has a minimum, omega^2 = {curvature} 1/s^2 at least, and every velocity"
        " is damped (Thomson-Tait-Chetaev): all motions decay, the slowest like exp({growth} t).",
    )
    PERVASIVE_DAMPING = (
        Verdict.ASYMPTOTICALLY_STABLE,
        "The {potential} has a minimum, omega^2 = {curvature} 1/s^2 at least, and the damping"
        " reaches every mode: the slowest decays like exp({growth} t).",
    )
    PARTIAL_DAMPING = (
        Verdict.STABLE,
        "The {potential} has a minimum, omega^2 = {curvature} 1/s^2 at least; some mode is not"
        " reached by the damping.",
    )
    NO_MINIMUM = (
        Verdict.UNSTABLE,
        "The potential falls in {falling}, omega^2 = {curvature} 1/s^2, and nothing holds against it"
        " (divergence, s = {growth} 1/s).",
    )
    DAMPED_NO_MINIMUM = (
        Verdict.UNSTABLE,
        "The {potential} falls in {falling}, and with complete damping no gyroscopic forces hold"
        " against it (Thomson-Tait-Chetaev): s = {dominant} 1/s.",
    )
    GYROSCOPIC = (
        Verdict.STABLE,
        "Gyroscopic forces hold it against a potential that falls in {falling}, all eigenvalues being"
        " imaginary and simple, with frequencies from {slowest} to {fastest} rad/s; any complete"
        " damping destroys this (Thomson-Tait-Chetaev).",
    )
    CIRCULATORY = (
        Verdict.STABLE,
        "All eigenvalues are imaginary and simple under circulatory forces, with frequencies from"
        " {slowest} to {fastest} rad/s; damping may destroy this.",
    )
    FREE = (
        Verdict.UNDECIDED,
        "It can drift: there is a rigid-body freedom (eigenvalues that are zero: {zeros}).",
    )
    DECAY = (
        Verdict.ASYMPTOTICALLY_STABLE,
        "All eigenvalues have negative real parts, {growth} 1/s and below.",
    )
    STEADY_DECAY = (
        Verdict.STABLE,
        "Velocity constraints hold it: all motions decay to it or to a neighbouring steady motion, the"
        " slowest like exp({slowly} t); eigenvalues that are zero: {zeros}.",
    )
    STEADY_OSCILLATION = (
        Verdict.STABLE,
        "Velocity constraints hold it: nothing grows, all eigenvalues being imaginary and simple or"
        " decaying, the fastest at {fastest} rad/s, but for those that are zero, of neighbouring steady"
        " motions: {zeros}.",
    )
    HELD = (Verdict.STABLE, "The constraints leave no motion.")
    DIVERGENCE = (
        Verdict.UNSTABLE,
        "It leaves without oscillation (divergence): an eigenvalue is positive, s = {dominant} 1/s.",
    )
    FLUTTER = (
        Verdict.UNSTABLE,
        "It oscillates and grows (flutter): a pair of eigenvalues has positive real part, s ="
        " {dominant} 1/s.",
    )
    FED = (
        Verdict.UNSTABLE,
        "Forces feed more energy in than they take out: by the trace of M^-1 D, which is negative, the"
        " eigenvalues add up to a positive number, so that some motion grows, if slowly.",
    )
    MARGINAL = (
        Verdict.UNDECIDED,
        "Linear theory does not decide: s = {dominant} 1/s is on the imaginary axis to rounding, as a"
        " zero, a double root or an undamped one.",
    )
    BLURRED = (
        Verdict.UNDECIDED,
        "Linear theory does not decide: the stiffness of some motion is zero to rounding, omega^2 = 0 ±"
        " {blur} 1/s^2.",
    )
    HELD_YET_GROWING = (
        Verdict.UNDECIDED,
        "Structure and eigenvalues contradict each other: by the matrices nothing can grow, as the"
        " potential falls nowhere and no energy is fed in; but s = {dominant} 1/s. Rounding has spoilt"
        " one of the two.",
    )
    FALLING_YET_HELD = (
        Verdict.UNDECIDED,
        "Structure and eigenvalues contradict each other: by the matrices something must grow, the"
        " potential falling in {falling}; but the largest real part is {growth} 1/s. Rounding has"
        " spoilt one of the two.",
    )
    FROZEN = (
        Verdict.UNDECIDED,
        "The matrices depend on time and were frozen; their eigenvalues decide nothing.",
    )
    DEGENERATE = (
        Verdict.UNDECIDED,
        "The equilibrium is degenerate: linear theory does not decide, higher orders do.",
    )
    SINGULAR = (
        Verdict.UNDECIDED,
        "The coordinates fail here: the mass matrix is singular but for rounding. Choose others.",
    )
    NO_SLOPE = (
        Verdict.UNDECIDED,
        "A singular position: slopes of the constraints vanish or depend on each other just here, so"
        " that the linear model has motions which the constraints do not allow.",
    )
    NO_MODEL = (
        Verdict.UNDECIDED,
        "There is no linear model here: the equations have a kink, or do not determine the motion.",
    )
    UNRESOLVED = (
        Verdict.UNDECIDED,
        "Whether it grows is not settled with so few functions; discretize with more.",
    )
    UNKNOWN = Verdict.UNDECIDED, "No equilibrium was found here."

    @property
    def verdict(self) -> Verdict:
        """The verdict it leads to."""
        return self.value[0]

    def __str__(self) -> str:
        return self.value[1]


class Region(Enum):
    """How small motions behave, as one draws it on a map."""

    STABLE = "stable"
    ASYMPTOTICALLY_STABLE = "asymptotically stable"
    GYROSCOPIC = "held by gyroscopic or circulatory forces"
    DIVERGENCE = "divergence"
    FLUTTER = "flutter"
    UNDECIDED = "undecided"
    NO_EQUILIBRIUM = "no equilibrium"

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True, eq=False, repr=False)
class Stability(Recorded):
    """A verdict with its reason and the numbers behind it; arrays of them for a batch.

    Attributes:
        reason: a `Reason`.
        eigenvalues: (..., k) that were judged; those of a steady motion at constant momenta.
        curvature: (...) 1/s^2: the least omega^2 of K x = omega^2 M x, the dynamic potential measured
            by the mass; NaN where the mass matrix is singular.
        falling: (...) number of directions in which the dynamic potential falls.
        index: (...) number of unstable directions: eigenvalues with positive real part.
        nonlinear: (...) whether the verdict holds for the nonlinear equations as well.
        proven: (...) whether interval arithmetic has proven the verdict, rounding included.
        proviso: what a verdict on a steady motion presumes, or an empty string.
        blur: (...) 1/s^2: how far rounding can have moved the curvature.
        remark: which modes of a discretized field the verdict rests on, or an empty string.
        potential: what K is the curvature of, in words: the dynamic potential V - T0, or an effective
            one, to which accelerated bases and forces add.
        linear: the linear model that was judged, or None.
        engine: which engine judged: "c" or "cuda" where code was compiled for it.
    """

    reason: Any
    eigenvalues: Annotated[Complex, "*batch s"] = field(repr=False)
    curvature: Annotated[Any, "*batch"]
    falling: Annotated[Any, "*batch"]
    index: Annotated[Any, "*batch"]
    nonlinear: Any
    proven: Any = False
    proviso: Any = ""
    blur: Annotated[Any, "*batch"] = np.nan
    remark: Any = ""
    potential: Any = "dynamic potential"
    linear: Any = field(default=None, repr=False)
    engine: Engine = Engine.CASADI

    @property
    def verdict(self) -> Any:
        """A `Verdict`, or an array of them for a batch."""
        return self._each(lambda reason: reason.verdict)

    def _each(self, of: Any) -> Any:
        if isinstance(self.reason, Reason):
            return of(self.reason)
        table = {id(reason): of(reason) for reason in Reason}
        found = np.empty(self.reason.shape, dtype=object)
        found.reshape(-1)[:] = [table[id(reason)] for reason in self.reason.flat]
        return found

    def chosen(self, index: NDArray[np.intp]) -> Stability:
        """Some points of a batch of one axis."""

        def of(value: Any) -> Any:
            return value[index] if isinstance(value, np.ndarray) else value

        changed = {f.name: of(getattr(self, f.name)) for f in fields(self)}
        own = None if self.linear is None else self.linear.chosen(index)
        return Stability(**{**changed, "linear": own})

    def folded(self, shape: tuple[int, ...]) -> Stability:
        """A batch of one axis in another shape."""

        def of(value: Any) -> Any:
            return value.reshape((*shape, *value.shape[1:])) if isinstance(value, np.ndarray) else value

        return Stability(**{f.name: of(getattr(self, f.name)) for f in fields(self)})

    def _of_one(self) -> Stability:
        """The verdict on a single point as a batch of one."""
        reason = np.full(1, self.reason, dtype=object)
        return replace(self, reason=reason, eigenvalues=self.eigenvalues[None], linear=None)

    @cached_property
    def dominant(self) -> Annotated[Complex, "*batch"]:
        """(...) the eigenvalue with the largest real part; of a pair the upper one."""
        s = self.eigenvalues
        if not s.shape[-1]:
            return np.full(s.shape[:-1], np.nan, dtype=complex)
        real = np.where(np.isnan(s.real), -np.inf, s.real)
        top = real == real.max(axis=-1, keepdims=True)
        place = np.argmax(np.where(top, s.imag, -np.inf), axis=-1)
        return np.take_along_axis(s, place[..., None], axis=-1)[..., 0]

    @property
    def growth(self) -> Annotated[Array, "*batch"]:
        """(...) 1/s: the largest real part of the eigenvalues."""
        return self.dominant.real

    @property
    def region(self) -> Any:
        """A `Region`, or an array of them for a batch."""
        oscillating = self.dominant.imag != 0
        reasons = np.asarray(self.reason, dtype=object)
        found = np.empty(reasons.shape, dtype=object)
        flat = [
            _region(reason, bool(turns))
            for reason, turns in zip(reasons.flat, np.ravel(oscillating), strict=True)
        ]
        found.reshape(-1)[:] = flat
        return found if found.shape else flat[0]

    @property
    def sentence(self) -> Any:
        """The reason with its numbers: a sentence, or an array of them for a batch."""
        reasons = np.asarray(self.reason, dtype=object)
        found = np.empty(reasons.shape, dtype=object)
        for place in np.ndindex(reasons.shape):
            reason: Any = reasons[place]
            found[place] = self._written(reason, place)
        return found if found.shape else found[()]

    def _written(self, reason: Reason, place: tuple[int, ...]) -> str:
        s = self.eigenvalues[place]
        s = s[~np.isnan(s.real)]
        turning = np.abs(s.imag[s.imag != 0])
        decay = s.real[s.real < 0]
        falling = int(self.falling[place])
        text = str(reason).format(
            curvature=_number(self.curvature[place]),
            growth=_number(self.growth[place]),
            dominant=_root(self.dominant[place]),
            falling="one direction" if falling == 1 else f"{falling} directions",
            slowest=_number(turning.min(initial=np.inf)),
            fastest=_number(turning.max(initial=0)),
            slowly=_number(decay.max(initial=-np.inf)),
            zeros=int(np.sum(s == 0)),
            blur=_number(np.broadcast_to(self.blur, np.shape(self.reason))[place]),
            potential=self.potential if isinstance(self.potential, str) else self.potential[place],
        )
        if np.isnan(self.curvature[place]) and "curvature" in str(reason):
            text = text.replace(": its lowest curvature is omega^2 = nan 1/s^2", "")
            text = text.replace(", omega^2 = nan 1/s^2 at least", "")
        text += self._lost_digits(reason, place)
        proviso = self.proviso if isinstance(self.proviso, str) else self.proviso[place]
        if proviso:
            text = text.replace("(Lagrange-Dirichlet)", "(Routh's theorem)")
            text = f"{proviso}: {text[:1].lower()}{text[1:]}"
        if reason.verdict in (Verdict.STABLE, Verdict.ASYMPTOTICALLY_STABLE):
            whole = "It holds for the nonlinear equations too."
            text += " " + (
                whole if self.nonlinear[place] else "This is shown for the linear equations only."
            )
        remark = self.remark if isinstance(self.remark, str) else self.remark[place]
        text += f" {remark}" if remark else ""
        sure = np.broadcast_to(self.proven, np.shape(self.reason))[place]
        return text + (" Proven with interval arithmetic." if sure else "")

    def _lost_digits(self, reason: Reason, place: tuple[int, ...]) -> str:
        """What to say of a curvature that rounding has spoilt, or may hide."""
        blur = np.broadcast_to(self.blur, np.shape(self.reason))[place]
        if reason is Reason.FREE and blur > 0:
            return (
                f" Rounding does not tell a stiffness below omega^2 = {_number(blur)} 1/s^2 from none."
            )
        if "{curvature}" not in str(reason) or not blur > levels.BROKEN * abs(self.curvature[place]):
            return ""
        return (
            f" Digits of this omega^2 are lost beside stiffer ones: it is known to ± {_number(blur)}."
        )

    def __repr__(self) -> str:
        return f"Stability({self})"

    def __str__(self) -> str:
        if isinstance(self.reason, Reason):
            return f"{self.verdict}. {self.sentence}"
        counts = {v: int(np.sum(self.verdict == v)) for v in Verdict}
        return ", ".join(f"{number} {verdict}" for verdict, number in counts.items() if number)

    _repr_html_ = as_html


def gathered(each: Sequence[Stability | None]) -> Stability:
    """Verdicts on single points as a batch of one axis; None stands for no linear model."""
    parts = [(np.array([k]), one._of_one()) for k, one in enumerate(each) if one is not None]
    return joined(parts, (len(each),), Reason.NO_MODEL)


def joined(
    parts: Sequence[tuple[NDArray[np.intp], Stability]],
    shape: tuple[int, ...],
    otherwise: Reason = Reason.UNKNOWN,
) -> Stability:
    """Verdicts on parts of a batch, each of one axis with its places, as one of a given shape.

    Places of no part have the reason `otherwise`.
    """
    count = int(np.prod(shape))
    width = max([1, *(part.eigenvalues.shape[-1] for _, part in parts)])
    eigenvalues = np.full((count, width), complex(np.nan, np.nan))
    reason = np.full(count, otherwise, dtype=object)
    proviso, remark = np.full(count, "", dtype=object), np.full(count, "", dtype=object)
    potential = np.full(count, Stability.potential, dtype=object)
    curvature, nonlinear = np.full(count, np.nan), np.zeros(count, dtype=bool)
    falling, unstable = np.zeros(count, dtype=np.intp), np.zeros(count, dtype=np.intp)
    blur = np.full(count, np.nan)
    for index, part in parts:
        eigenvalues[index, : part.eigenvalues.shape[-1]] = part.eigenvalues
        reason[index], proviso[index], nonlinear[index] = part.reason, part.proviso, part.nonlinear
        remark[index], potential[index] = part.remark, part.potential
        curvature[index], falling[index], unstable[index] = part.curvature, part.falling, part.index
        blur[index] = part.blur
    return Stability(
        reason=reason.reshape(shape),
        eigenvalues=eigenvalues.reshape(*shape, width),
        curvature=curvature.reshape(shape),
        falling=falling.reshape(shape),
        index=unstable.reshape(shape),
        nonlinear=nonlinear.reshape(shape),
        proviso=proviso.reshape(shape),
        blur=blur.reshape(shape),
        remark=remark.reshape(shape),
        potential=potential.reshape(shape),
    )


def _region(reason: Reason, oscillating: bool) -> Region:
    if reason is Reason.UNKNOWN:
        return Region.NO_EQUILIBRIUM
    if reason in (Reason.GYROSCOPIC, Reason.CIRCULATORY):
        return Region.GYROSCOPIC
    if reason.verdict is Verdict.UNSTABLE:
        return Region.FLUTTER if oscillating else Region.DIVERGENCE
    return Region[reason.verdict.name]


def _number(x: Any) -> str:
    return f"{float(x):.6g}"


def _root(s: complex) -> str:
    return _number(s.real) if not s.imag else f"{_number(s.real)} ± {_number(abs(s.imag))}i"
