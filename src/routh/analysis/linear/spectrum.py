"""The eigenvalues of a linear model, with the symmetry of its spectrum restored.

Zero damping is structural: if nothing in D_v - Q contains a velocity and the matrices are constant, D
is exactly zero, and likewise H. Simple eigenvalues of such systems are put exactly onto the imaginary
axis.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from routh.analysis.given.large import refuse_large
from routh.analysis.linear.linear_model import LinearModel
from routh.analysis.linear.rolling import rolling_spectrum
from routh.arrays import Complex
from routh.errors import DerivationError
from routh.numerics.spectra.pencil import Spectrum, joined, spectrum

CHUNK = 1024
"""Points that are stacked at once: larger stacks fall out of the cache."""


def linear_spectrum(linear: LinearModel, *, vectors: bool) -> Spectrum:
    """The finite eigenvalues (N, k) of all points, in pairs, and their vectors if asked for.

    Raises:
        DerivationError: for a single point whose equations leave some motion undetermined; in a
            batch its eigenvalues are NaN.
    """
    if linear.is_sparse:
        refuse_large(linear.system)
    count = linear.reference.conditions.count
    if not linear.M.shape[-1]:  # the constraints leave no motion
        none = np.zeros(count, dtype=int)
        nothing = np.zeros((count, 0, 0), dtype=complex)
        return Spectrum(nothing.reshape(count, 0), nothing, none, none.astype(bool))
    if not linear.is_holonomic:
        return rolling_spectrum(linear, vectors=vectors)
    own = linear.own
    M, C, S = own.M, own.C, own.S
    parts = [slice(k, k + CHUNK) for k in range(0, count, CHUNK)]
    found = joined([spectrum(M[p], C[p], S[p], vectors=vectors) for p in parts])
    if found.vectors is not None:
        found = replace(found, vectors=own.V @ found.vectors)
    if not linear.shape and found.undetermined[0]:
        raise DerivationError(
            f"The linear equations of {linear.system.title} do not determine its motion: some"
            " direction has neither mass nor damping nor stiffness. Remove that coordinate, or give"
            " it an energy."
        )
    return replace(found, values=_on_axis(linear, found.values))


def _on_axis(linear: LinearModel, values: Complex) -> Complex:
    """Simple imaginary eigenvalues of systems with a symmetric spectrum, put onto the axis.

    Without damping, and with gyroscopic or circulatory forces but not both, -conj(s) is an
    eigenvalue with s. One that has no neighbour as close as its own mirror image is on the axis, and
    so is one that rounding alone keeps off it: where two meet and part, it would be its root.
    """
    stacked = linear.reference.conditions.stacked
    damped, gyroscopic, circulatory = (
        np.asarray(stacked(X).any(axis=(1, 2))) for X in (linear.D, linear.G, linear.H)
    )
    symmetric = ~damped & ~(gyroscopic & circulatory)
    if not symmetric.any():
        return values
    frequency, drift = np.abs(values.imag), np.abs(values.real)
    gap = np.full((len(values), (values.shape[1] + 1) // 2), np.inf)
    step = np.diff(frequency[:, ::2], axis=1)
    gap[:, 1:] = step
    gap[:, :-1] = np.minimum(gap[:, :-1], step)
    gap = np.repeat(gap, 2, axis=1)[:, : values.shape[1]]
    single = (frequency > 0) & (4 * drift < gap) & (drift < 1e-6 * frequency)
    single |= (frequency > 0) & (drift < 1e-12 * frequency)
    return np.where(single & symmetric[:, None], 1j * values.imag, values)
