"""The verb `normal_form`: how the frequency of each mode changes with its amplitude, and resonances."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations_with_replacement
from typing import Annotated, Any

import numpy as np

from routh.analysis.expansion.taylor import Taylor
from routh.analysis.linear.linearize import linearize
from routh.analysis.rest.result import Equilibrium
from routh.arrays import Array
from routh.errors import DeclarationError, DerivationError, a_kind, capital
from routh.kernels.kernel import kernel
from routh.language.symbols import Coordinate
from routh.language.system import System
from routh.recorded import Recorded
from routh.shown import as_html

PHASES = 16
"""Places of a period at which nonlinear terms are looked at: harmonics up to seven are told apart."""

NEAR = 0.05
"""Relative distance within which frequencies count as resonant."""

EXACT = 1e-6
"""Relative distance within which a resonance is exact, so that no mode goes by itself."""

MOST_LISTED = 12
"""Resonances that are written out."""

SINGULAR = 1e-9
"""Share of its size at which a matrix of second harmonics is singular: an exact 1:2 resonance."""


@dataclass(frozen=True)
class Resonance(Recorded):
    """Frequencies of modes that nearly add up: sum of multiples times frequencies is near zero."""

    modes: tuple[int, ...]
    kind: str
    off: float

    def __str__(self) -> str:
        names = ", ".join(str(k + 1) for k in self.modes)
        return f"{self.kind} of modes {names}, off by {self.off:.2%}"

    _repr_html_ = as_html


@dataclass(frozen=True, eq=False)
class ModeSteps:
    """What a mode of amplitude 1 excites, order by order; None where an exact resonance ends it.

    Attributes:
        mean_force, cosine_force, sine_force: (n,) quadratic terms along the mode: their mean, and what
            goes with cos 2 w t and sin 2 w t.
        mean, cosine, sine: (n,) the deviations by which they are balanced.
        back: (n,) what comes back in third order with cos w t.
        shift: change of the frequency by the square of the amplitude.
        exact: the resonance that ends it, like "1:2"; else nothing.
    """

    mean_force: Annotated[Array, "n"]
    cosine_force: Annotated[Array, "n"]
    sine_force: Annotated[Array, "n"]
    mean: Annotated[Array, "n"] | None = None
    cosine: Annotated[Array, "n"] | None = None
    sine: Annotated[Array, "n"] | None = None
    back: Annotated[Array, "n"] | None = None
    shift: float = float("nan")
    exact: str = ""


@dataclass(frozen=True, eq=False)
class NormalForm(Recorded):
    """Each mode by itself: `omega = frequency + shift amplitude^2`, and which modes feel each other.

    Attributes:
        system: the system.
        frequencies: (r,) of the linear modes, rad/s.
        shift: (r,) change of the frequency by the square of the amplitude; NaN at an exact 1:1, 1:2 or
            1:3 resonance, where no mode goes by itself.
        shapes: (n, r) of the modes; their amplitude is that of the coordinate in `measure`.
        measure: the coordinate whose amplitude counts, for each mode.
        resonances: pairs and triples of modes that exchange energy.
        expansion: the parts of the equations that it was made of, about the rest.
        M, K: (n, n) masses and stiffnesses there.
        steps: for each mode what the transformation found on its way.
    """

    system: System
    frequencies: Annotated[Array, "r"]
    shift: Annotated[Array, "r"]
    shapes: Annotated[Array, "n r"] = field(repr=False)
    measure: tuple[Coordinate, ...]
    resonances: tuple[Resonance, ...]
    expansion: Taylor = field(repr=False)
    M: Annotated[Array, "n n"] = field(repr=False)
    K: Annotated[Array, "n n"] = field(repr=False)
    steps: tuple[ModeSteps, ...] = field(repr=False)

    def frequency(self, mode: int, amplitude: Any) -> Array:
        """The frequency of a mode, counted from 0 as in `frequencies`, at some amplitude."""
        count = len(self.frequencies)
        if not isinstance(mode, (int, np.integer)) or not -count <= mode < count:
            raise DeclarationError(f"Expected the number of a mode, below {count}. Got {mode!r}.")
        A = np.asarray(amplitude, dtype=float)
        return np.asarray(self.frequencies[mode] + self.shift[mode] * A**2)

    def __str__(self) -> str:
        lines = [f"{capital(self.system.title)} beyond its linear model:"]
        for k, (w, c, q) in enumerate(zip(self.frequencies, self.shift, self.measure, strict=True), 1):
            if np.isnan(c):
                lines.append(f"  mode {k}: {w:.6g} rad/s, in exact resonance: it does not go by itself")
            elif abs(c) < 1e-12 * w:
                lines.append(f"  mode {k}: {w:.6g} rad/s at every amplitude of {q}, to this order")
            else:
                kind = "softens" if c < 0 else "hardens"
                lines.append(
                    f"  mode {k}: {w:.6g} rad/s {c:+.4g} A^2, A the amplitude of {q}: it {kind}"
                )
        lines += [f"  {each}" for each in self.resonances[:MOST_LISTED]]
        left = len(self.resonances) - MOST_LISTED
        return "\n".join([*lines, f"  and {left} more resonances"] if left > 0 else lines)

    _repr_html_ = as_html


def normal_form(reference: Equilibrium | Taylor) -> NormalForm:
    """The amplitude-frequency relation of each mode of a conservative system about a stable rest.

    Quadratic and cubic terms of the equations of motion count: to second order a mode excites the
    mean and twice its frequency, and to third order these come back to it.

    Arguments:
        reference: a stable equilibrium of a system without damping, gyroscopic terms and constraints;
            or what `expand` of one returned, with parts up to the third degree.

    Raises:
        DerivationError: the system has some of these, or the rest is not stable.

    Example:
        >>> import routh as rt
        >>> theta = rt.coordinate("theta")
        >>> pendulum = rt.System(kinetic=rt.ddt(theta)**2 / 2, potential=-4 * rt.cos(theta))
        >>> print(rt.normal_form(rt.equilibrium(pendulum, {})))
        The system beyond its linear model:
          mode 1: 2 rad/s -0.125 A^2, A the amplitude of theta: it softens
    """
    if not isinstance(reference, (Equilibrium, Taylor)):
        raise DeclarationError(
            "normal_form needs an Equilibrium, or what expand(equilibrium, order=3) returned. Got"
            f" {a_kind(reference)}."
        )
    rest = reference.reference if isinstance(reference, Taylor) else reference
    linear = linearize(rest)
    against = (
        "a batch of points" if linear.shape
        else "constraints" if rest.system.constraints
        else "damping, gyroscopic or circulatory terms" if np.any(linear.D) or np.any(linear.G)
        or np.any(linear.H) or kernel(rest.system).forces_depend_on_velocity
        else ""
    )  # fmt: skip
    if against:
        raise DerivationError(
            f"normal_form is for one rest of a conservative system that is not gyroscopic."
            f" {capital(rest.system.title)} has {against}. follow(periodic_motion(...), ...) gives its"
            " backbone curves."
        )
    M, K = np.asarray(linear.M), np.asarray(linear.K)
    half = np.linalg.inv(np.linalg.cholesky(M))
    squares, vectors = np.linalg.eigh(half @ K @ half.T)
    if squares[0] <= 0:
        raise DerivationError(
            f"The rest of {rest.system.title} is no minimum of the potential, so modes do not oscillate"
            " about it."
        )
    w, shapes = np.sqrt(squares), half.T @ vectors
    largest = np.abs(shapes).argmax(axis=0)
    shapes = shapes / shapes[largest, range(len(w))]
    taylor = Taylor(rest, 3)
    if isinstance(reference, Taylor) and reference.order >= 3:
        taylor = reference
    steps = tuple(_steps(taylor, M, K, w, shapes, k) for k in range(len(w)))
    measure = tuple(rest.system.coordinates[int(k)] for k in largest)
    shift = np.array([each.shift for each in steps])
    near = tuple(_resonances(w))
    return NormalForm(rest.system, w, shift, shapes, measure, near, taylor, M, K, steps)


def _steps(taylor: Taylor, M: Array, K: Array, every: Array, shapes: Array, k: int) -> ModeSteps:
    """How the frequency of one mode changes with its amplitude, by Lindstedt's method."""
    w, shape = float(every[k]), shapes[:, k]
    phase = 2 * np.pi * np.arange(PHASES) / PHASES
    cos, sin = np.cos(phase), np.sin(phase)
    first = [(shape * c, -w * shape * s, -(w**2) * shape * c) for c, s in zip(cos, sin, strict=True)]
    second = np.stack([taylor(2, *x) for x in first])
    mean = second.mean(axis=0)
    twice = [2 * (second * f(2 * phase)[:, None]).mean(axis=0) for f in (np.cos, np.sin)]
    if _driven(twice, every, shapes, 2 * w, k):
        return ModeSteps(mean, twice[0], twice[1], exact="1:2")
    x0 = np.linalg.solve(K, -mean)
    dynamic = K - 4 * w**2 * M
    xc, xs = (np.linalg.lstsq(dynamic, -each, rcond=SINGULAR)[0] for each in twice)
    total = np.zeros((PHASES, len(shape)))
    for i, p in enumerate(phase):
        c2, s2 = np.cos(2 * p), np.sin(2 * p)
        swing, turned = xc * c2 + xs * s2, xs * c2 - xc * s2
        other = (x0 + swing, 2 * w * turned, -4 * w**2 * swing)
        both = tuple(a + b for a, b in zip(first[i], other, strict=True))
        crossed = taylor(2, *both) - taylor(2, *first[i]) - taylor(2, *other)
        total[i] = crossed + taylor(3, *first[i])
    known = (mean, twice[0], twice[1], x0, xc, xs)
    for many in (1, 3):
        found = [2 * (total * f(many * phase)[:, None]).mean(axis=0) for f in (np.cos, np.sin)]
        if _driven(found, every, shapes, many * w, k):
            return ModeSteps(*known, exact=f"1:{many}")
    back = 2 * (total * cos[:, None]).mean(axis=0)
    return ModeSteps(*known, back, float(shape @ back / (2 * w * (shape @ M @ shape))))


def _driven(forces: list[Array], every: Array, shapes: Array, at: float, k: int) -> bool:
    """Whether a harmonic force drives another mode exactly at its frequency."""
    size = max(float(np.abs(each).max()) for each in forces)
    others = [j for j in range(len(every)) if j != k and abs(every[j] - at) < EXACT * at]
    return any(abs(shapes[:, j] @ each) > SINGULAR * size > 0 for j in others for each in forces)


def _resonances(w: Array) -> list[Resonance]:
    """1:1, 1:2, 1:3 and sums of two frequencies."""
    found = []
    for i, j in combinations_with_replacement(range(len(w)), 2):
        if i == j:
            continue
        for many in (1, 2, 3):
            off = abs(many * w[i] - w[j]) / w[j]
            if off < NEAR:
                found.append(Resonance((i, j), f"1:{many} resonance", float(off)))
        for k in range(len(w)):
            off = abs(w[i] + w[j] - w[k]) / w[k]
            if k not in (i, j) and off < NEAR:
                found.append(Resonance((i, j, k), "sum resonance", float(off)))
    return found
