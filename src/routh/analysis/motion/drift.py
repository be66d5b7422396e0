"""The verb `drift`: one motion by several forms of its equations, and how far each leaves constraints.

All are integrated by the same method, Runge and Kutta's of order 4 in equal steps, so that what differs
is the form alone:

    index 3     phi = 0 is held: after each step positions and velocities are moved onto it
    index 2     phi' = 0 is held: after each step velocities are; positions keep what each step errs
    index 1     phi'' = 0 is held, by the saddle point: position and velocity both drift
    Baumgarte   phi'' + 2 alpha phi' + beta^2 phi = 0: deviations die out with the roots of
                s^2 + 2 alpha s + beta^2
    ordinary    as many coordinates as are free, along the tangent space where each step begins, and
                positions found from them

Errors of a step do not grow by themselves in the first and the last; they add up in the second, and in
the third velocities that are off carry positions away: |phi| <= h^4 (A t + B t^2). See E. Hairer,
G. Wanner, Solving Ordinary Differential Equations II, VII.2. A velocity constraint has no phi of
positions: its forms are of index 2 and 1, and Baumgarte's row is phi' + 2 alpha phi = 0.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Annotated, Any

import numpy as np

from routh.analysis.given.conditions import Conditions
from routh.analysis.given.numbers import Numbers, number
from routh.analysis.motion.flow import MovingSystem
from routh.analysis.motion.options import checked_times
from routh.analysis.motion.signals import Signals, signals
from routh.analysis.motion.starts.start import Start, projected, refuse_inconsistent, stated
from routh.analysis.motion.stopping import is_redundant
from routh.arrays import Array
from routh.errors import DeclarationError
from routh.kernels.motion import motion
from routh.language.gates import checked_numeric
from routh.language.system import System
from routh.numerics.steppers import StuckError
from routh.recorded import Recorded
from routh.shown import as_html

FORMS = ("index 3", "index 2", "index 1", "Baumgarte", "ordinary")
"""The forms, in the order of the results."""

STEPS = 1000
"""Steps of a run whose step was not given."""

MOST_STEPS = 10**6
"""Steps that one call may take for each form."""

SLOWEST = 0.1
"""Baumgarte's constants times the step where they are not given: well within what the method stands."""

CORRECTIONS = 8
"""Newton steps that find positions from the coordinates of a tangent space."""

ROUNDING = 1e-13
"""Deviations below this share of the largest one show no growth."""

Step = Callable[[float, Array, float], Array]


@dataclass(frozen=True, eq=False)
class Drift(Recorded):
    """How far each form of the equations of motion has left the constraints.

    Attributes:
        system: the system.
        conditions: values of parameters and constant inputs.
        t: (T,) the times.
        step: the longest step.
        alpha, beta: Baumgarte's constants.
        off_q: (..., f, T) the largest |phi| of constraints on positions, form by form (`forms`);
            zero where there are none. NaN from where a form has no further state.
        off_v: (..., f, T) the largest |phi'| of these and |phi| of constraints on velocities.
    """

    system: System
    conditions: Conditions = field(repr=False)
    t: Annotated[Array, "T"]
    step: float
    alpha: float
    beta: float
    off_q: Annotated[Array, "*batch f T"] = field(repr=False)
    off_v: Annotated[Array, "*batch f T"] = field(repr=False)

    @property
    def forms(self) -> tuple[str, ...]:
        """The names of the forms: index 3, index 2, index 1, Baumgarte, ordinary.

        Without a constraint on positions there is none of index 3.
        """
        return _forms_of(self.system)

    @property
    def roots(self) -> tuple[complex, complex]:
        """The roots of s^2 + 2 alpha s + beta^2, by which Baumgarte's row lets deviations die out."""
        split = np.sqrt(complex(self.alpha**2 - self.beta**2))
        return complex(-self.alpha + split), complex(-self.alpha - split)

    @property
    def growth(self) -> Annotated[Array, "*batch f"]:
        """(..., f) the power of time with which |phi| grows, fitted over the second half of the run.

        About 2 for index 1 and 1 for index 2 where errors of steps have one sign; NaN where |phi| is
        rounding.
        """
        return _growth(self.t, self.off_q)

    def __str__(self) -> str:
        if self.conditions.shape:
            return f"Drift of {self.system.title} in a batch of shape {self.conditions.shape}."
        head = (
            f"{'form':<10} {'|phi|':>9} {'|phi_t|':>9}   at t = {self.t[-1]:g}, steps of {self.step:g}"
        )
        ends = zip(self.forms, self.off_q[:, -1], self.off_v[:, -1], strict=True)
        return "\n".join([head, *(f"{name:<10} {p:9.1e} {v:9.1e}" for name, p, v in ends)])

    _repr_html_ = as_html


def drift(
    system: System,
    values: Numbers,
    start: Numbers | Start,
    times: Any,
    *,
    step: float | None = None,
    stabilize: tuple[float, float] | None = None,
    inputs: Numbers | None = None,
) -> Drift:
    """How far equations of index 3, 2, 1, Baumgarte's and ordinary ones drift off the constraints.

    One motion, integrated in each form by the same method in equal steps. It shows what index reduction
    costs, and is no way to compute motions: `simulate` is.

    Arguments:
        system: a system with constraints.
        values: a number or an array for each parameter.
        start: coordinates and velocities that meet the constraints, or what `consistent` returned.
        times: rising times at which the deviation is measured.
        step: the longest step; a thousandth of the run if not given.
        stabilize: Baumgarte's constants (alpha, beta). With alpha = beta both roots of s^2 + 2 alpha s
            + beta^2 are -alpha: deviations die out without swinging. If not given both are a tenth over
            the step; far above one over the step the row is stiff, and the method unstable.
        inputs: as for `simulate`.

    Raises:
        DeclarationError: there are no constraints, the start violates them, or a number does not fit.

    Example:
        >>> from routh import System, coordinates, ddt
        >>> x, y = coordinates("x y")
        >>> bob = System(kinetic=(ddt(x)**2 + ddt(y)**2) / 2, potential=9.81 * y,
        ...     constraints=[(x**2 + y**2 - 1) / 2])
        >>> found = drift(bob, {}, {x: 1.0}, [0.0, 5.0, 10.0], step=0.02)
        >>> bool(found.off_q[found.forms.index("index 1"), -1] > 1e-6 > found.off_q[0, -1])
        True
    """
    checked_numeric(system, "drift")
    if not system.constraints:
        raise DeclarationError(
            f"drift measures how constraints are kept, and {system.title} has none. Use simulate."
        )
    at = checked_times(times)
    longest = _step(step, at)
    a, b = _gains(stabilize, longest)
    driven = signals(system, inputs)
    given, q, v = stated(system, values, driven, start)
    system = given.system
    names = _forms_of(system)
    found = np.full((2, given.count, len(names), len(at)), np.nan)
    for k in range(given.count):
        plain, pulled, x = _started(
            driven, given, k, np.concatenate([q[k], v[k]]), float(at[0]), (a, b)
        )
        ways = _forms(plain, pulled)
        for form, name in enumerate(names):
            found[:, k, form] = _run(plain, ways[name], x, at, longest)
    off_q, off_v = (given.folded(each) for each in found)
    return Drift(system, given, at, longest, a, b, off_q, off_v)


def _started(
    driven: Signals, given: Conditions, k: int, state: Array, t: float, gains: tuple[float, float]
) -> tuple[MovingSystem, MovingSystem, Array]:
    """The motion of one point without and with Baumgarte's gains, and the state that it starts from."""
    system = given.system

    def flow_of(own: tuple[float, float], redundant: bool) -> MovingSystem:
        engine = motion(system, driven.laws, any(own), redundant)
        return MovingSystem(engine, given.p[k], *driven.at(system, given, k), gains=own)

    plain = flow_of((0.0, 0.0), False)
    x = np.zeros(plain.motion.size)
    x[: len(state)] = state
    plain.scaled_at(t, x)
    refuse_inconsistent(plain, t, x)
    redundant = is_redundant(plain, t, x)
    if redundant:
        plain = flow_of((0.0, 0.0), True).scaled_at(t, x)
    x = projected(plain, t, x)
    return plain, flow_of(gains, redundant).scaled_at(t, x), x


def _step(given: float | None, times: Array) -> float:
    whole = float(times[-1] - times[0])
    step = whole / STEPS if given is None else float(number(given, "`step`"))
    if not 0 < step <= whole or whole / step > MOST_STEPS:
        raise DeclarationError(
            f"`step` must be above zero, at most the length of the run, and leave at most"
            f" {MOST_STEPS:,} steps. Got {step:g} for a run of {whole:g}."
        )
    return step


def _gains(given: object, step: float) -> tuple[float, float]:
    """Baumgarte's constants, both above zero."""
    if given is None:
        return SLOWEST / step, SLOWEST / step
    if isinstance(given, (tuple, list, np.ndarray)) and len(given) == 2:
        alpha, beta = (number(each, "`stabilize`") for each in given)
        if not alpha.shape and not beta.shape and alpha > 0 and beta > 0:
            return float(alpha), float(beta)
    raise DeclarationError(
        "`stabilize` is a pair (alpha, beta) of numbers above zero, so that deviations die out. Got"
        f" {given!r}."
    )


def _run(flow: MovingSystem, advance: Step, x: Array, times: Array, longest: float) -> Array:
    """(2, T): the largest |phi| and |phi'| at the times."""
    found = np.full((2, len(times)), np.nan)
    found[:, 0] = _off(flow, float(times[0]), x)
    with np.errstate(all="ignore"):
        for k, (now, end) in enumerate(pairwise(times), 1):
            count = int(np.ceil((end - now) / longest * (1 - 1e-12)))
            h = float(end - now) / count
            try:
                for i in range(count):
                    x = advance(float(now) + i * h, x, h)
            except (StuckError, np.linalg.LinAlgError):
                return found
            if not np.isfinite(x).all():
                return found
            found[:, k] = _off(flow, float(end), x)
    return found


def _off(flow: MovingSystem, t: float, x: Array) -> tuple[float, float]:
    phi, rates = flow.run("held", t, x)[:2]
    return float(np.abs(phi).max(initial=0.0)), float(np.abs(rates).max(initial=0.0))


def _forms_of(system: System) -> tuple[str, ...]:
    """The forms that the equations of a system have: a constraint on velocities is of index 2."""
    return FORMS if any(system.is_holonomic) else FORMS[1:]


def _forms(flow: MovingSystem, pulled: MovingSystem) -> dict[str, Step]:
    """A step of each form, by name."""

    def plain(t: float, x: Array, h: float) -> Array:
        return _runge_kutta(flow.rate, t, x, h)

    def moved(t: float, x: Array, h: float) -> Array:
        return flow.projected(t + h, plain(t, x, h))

    def slowed(t: float, x: Array, h: float) -> Array:
        return _with_rates(flow, t + h, plain(t, x, h))

    def stabilized(t: float, x: Array, h: float) -> Array:
        return _runge_kutta(pulled.rate, t, x, h)

    def ordinary(t: float, x: Array, h: float) -> Array:
        chart = _Chart(flow, t, x)
        y = _runge_kutta(chart.rate, t, chart.place(x), h)
        return chart.state(t + h, y)

    return dict(zip(FORMS, (moved, slowed, plain, stabilized, ordinary), strict=True))


def _runge_kutta(rate: Callable[[float, Array], Array], t: float, x: Array, h: float) -> Array:
    a = rate(t, x)
    b = rate(t + h / 2, x + h / 2 * a)
    c = rate(t + h / 2, x + h / 2 * b)
    return np.asarray(x + h / 6 * (a + 2 * b + 2 * c + rate(t + h, x + h * c)))


def _with_rates(flow: MovingSystem, t: float, x: Array) -> Array:
    """The state with the nearest velocities that meet phi' = 0 where it is."""
    n, x = flow.motion.n, x.copy()
    _, J = flow.run("matrices", t, x)
    x[n : 2 * n] -= np.linalg.pinv(J) @ flow.run("held", t, x)[1][:, 0]
    return x


class _Chart:
    """Coordinates y along the tangent space of a state, with q = q0 + Z y + what meets phi = 0."""

    def __init__(self, flow: MovingSystem, t: float, x: Array) -> None:
        self._flow, self._x, self._n = flow, x, flow.motion.n
        self._holonomic = np.flatnonzero(flow.motion.system.is_holonomic)
        _, J = flow.run("matrices", t, x)
        self._Z, self._Y = (_across(each) for each in (J[self._holonomic], J))

    def place(self, x: Array) -> Array:
        """(y, w, rest of the state): where q, v are along the chart."""
        n, q0 = self._n, self._x[: self._n]
        return np.concatenate([self._Z.T @ (x[:n] - q0), self._Y.T @ x[n : 2 * n], x[2 * n :]])

    def state(self, t: float, y: Array) -> Array:
        """Positions and velocities that meet the constraints."""
        n, k, w = self._n, self._Z.shape[1], self._Y.shape[1]
        x = np.concatenate([self._x[:n] + self._Z @ y[:k], self._Y @ y[k : k + w], y[k + w :]])
        for _ in range(CORRECTIONS if len(self._holonomic) else 0):
            phi = self._flow.run("held", t, x)[0][:, 0]
            J = self._flow.run("matrices", t, x)[1][self._holonomic]
            whole = np.vstack([J, self._Z.T])
            x[:n] -= np.linalg.lstsq(whole, np.concatenate([phi, np.zeros(k)]), rcond=None)[0]
        _, J = self._flow.run("matrices", t, x)
        off = self._flow.run("held", t, x)[1][:, 0]
        whole = np.vstack([J, self._Y.T])
        x[n : 2 * n] -= np.linalg.lstsq(whole, np.concatenate([off, np.zeros(w)]), rcond=None)[0]
        return x

    def rate(self, t: float, y: Array) -> Array:
        """The rates of y and w, and of the rest."""
        n = self._n
        slope = self._flow.rate(t, self.state(t, y))
        return np.concatenate([self._Z.T @ slope[:n], self._Y.T @ slope[n : 2 * n], slope[2 * n :]])


def _across(J: Array) -> Array:
    """An orthonormal basis of what J leaves free."""
    _, sizes, turned = np.linalg.svd(J, full_matrices=True)
    rank = int((sizes > 1e-10 * sizes.max(initial=0.0)).sum())
    return np.asarray(turned[rank:].T)


def _growth(t: Array, off: Array) -> Array:
    late = t - t[0] >= (t[-1] - t[0]) / 2
    top = np.maximum.accumulate(off, axis=-1)[..., late]
    largest = np.nanmax(off, axis=(-2, -1), keepdims=True) if off.size else off
    with np.errstate(all="ignore"):
        logs = np.log(np.where(top > ROUNDING * np.maximum(largest, 1e-300), top, np.nan))
        logs = np.where(top > 1e-12, logs, np.nan)
        x = np.log(t[late] - t[0])
        x = x - x.mean()
        return np.asarray((logs * x).sum(axis=-1) / (x**2).sum())
