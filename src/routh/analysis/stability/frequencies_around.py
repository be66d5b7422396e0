"""Frequencies at which a harmonic response is looked at: around those of the modes, on none of them."""

from __future__ import annotations

import numpy as np

from routh.analysis.stability.natural_modes import Modes
from routh.analysis.stability.verdict import Stability, Verdict
from routh.arrays import Array

NEAR = 0.25
"""Share of a step within which a frequency is moved away from an undamped resonance."""

BELOW = 0.98
"""Of a body with fields, the share of the highest converged frequency up to which answers are told."""

SLOW = 1e-6
"""Share of the fastest eigenvalue below which one counts as zero for the range."""


def frequency_range(modes: Modes) -> tuple[float, float] | None:
    """From a tenth of the lowest frequency or rate of the modes to ten times the highest, in rad/s.

    Of a body with fields to just below the highest that is converged; None where none is.
    """
    known = modes.converged
    pairs = [np.abs(modes.pair(k)) for k in range(len(modes.frequencies)) if known is None or known[k]]
    sizes = np.concatenate(pairs) if pairs else np.zeros(0)
    if known is not None and not len(sizes):
        return None
    sizes = sizes[np.isfinite(sizes)]
    sizes = sizes[sizes > SLOW * sizes.max(initial=0.0)]
    if not len(sizes):
        return 0.1, 10.0
    low, high = float(sizes.min()), float(sizes.max())
    return low / 10, high * (10 if known is None else BELOW)


def frequencies_around(modes: Modes, low: float, high: float, points: int) -> Array:
    """(points,) by equal factors between two frequencies, but for those on an undamped resonance.

    These are moved by a part of a step, to where the next resonance is farthest; the ends stay.
    """
    at = np.linspace(np.log(low), np.log(high), points)
    step = at[1] - at[0]
    s = modes.eigenvalues[np.isfinite(modes.eigenvalues)]
    s = s[(s.imag > 0) & (np.abs(s.real) <= NEAR * step * s.imag)]
    poles = np.log(s.imag)
    if len(poles):
        for k in 1 + np.flatnonzero(np.abs(at[1:-1, None] - poles).min(axis=1) < NEAR * step):
            others = at[k] + step * np.linspace(-0.4, 0.4, 41)
            at[k] = others[np.argmax(np.abs(others[:, None] - poles).min(axis=1))]
    return np.concatenate([[low], np.exp(at[1:-1]), [high]])


def formal(verdict: Stability) -> str:
    """That nothing settles to harmonic answers about an unstable equilibrium; else nothing."""
    if verdict.verdict is not Verdict.UNSTABLE:
        return ""
    return "The equilibrium is unstable: no motion settles to these answers, which are formal."
