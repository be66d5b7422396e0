"""The eigenvalues of a linear model, with the symmetry of its spectrum restored.

Zero damping is structural: if nothing in D_v - Q contains a velocity and the matrices are constant, D
is exactly zero, and likewise H. Simple eigenvalues of such systems are put exactly onto the imaginary
axis.
"""

from __future__ import annotations

from dataclasses import replace
from weakref import WeakKeyDictionary

import numpy as np

from routh.analysis.given.large import refuse_large
from routh.analysis.linear.linear_model import LinearModel
from routh.analysis.linear.rolling import rolling_spectrum
from routh.arrays import Array, Complex
from routh.errors import DerivationError
from routh.kernels.compiled import eigenvalues, in_c
from routh.kernels.engine import Engine
from routh.numerics.spectra.pencil import Spectrum, joined, spectrum

CHUNK = 1024
"""Points that are stacked at once: larger stacks fall out of the cache."""


_KNOWN: WeakKeyDictionary[LinearModel, dict[Engine, Spectrum]] = WeakKeyDictionary()
"""Eigenvalues that were asked for before, by engine: modes and their stability ask one by one."""


def linear_spectrum(linear: LinearModel, *, vectors: bool, engine: Engine = Engine.AUTO) -> Spectrum:
    """The finite eigenvalues (N, k) of all points, in pairs, and their vectors if asked for.

    Compiled code finds eigenvalues alone, where nothing takes a closer look.

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
    compiled = not vectors and in_c(engine, count, linear.M.shape[-1])
    made_by = engine.target if compiled else Engine.CASADI
    known = _KNOWN.setdefault(linear, {})
    if not vectors and made_by in known:
        return replace(known[made_by], values=known[made_by].values.copy())
    own = linear.own
    matrices = own.M, own.C, own.S
    found = _compiled(*matrices, engine) if compiled else _in_parts(*matrices, vectors=vectors)
    if found.vectors is not None:
        found = replace(found, vectors=own.V @ found.vectors)
    if not linear.shape and found.undetermined[0]:
        raise DerivationError(
            f"The linear equations of {linear.system.title} do not determine its motion: some"
            " direction has neither mass nor damping nor stiffness. Remove that coordinate, or give"
            " it an energy."
        )
    found = replace(found, values=_on_axis(linear, found.values))
    if not vectors:
        known[made_by] = replace(found, values=found.values.copy())
    return found


def _in_parts(M: Array, C: Array, S: Array, *, vectors: bool) -> Spectrum:
    parts = [slice(k, k + CHUNK) for k in range(0, len(M), CHUNK)]
    return joined([spectrum(M[p], C[p], S[p], vectors=vectors) for p in parts])


def _compiled(M: Array, C: Array, S: Array, engine: Engine) -> Spectrum:
    """The eigenvalues by compiled code, but for the points that it leaves."""
    values, plain = eigenvalues(M, C, S, engine)
    if plain.all():
        none = np.zeros(len(M), dtype=int)
        return Spectrum(values, None, none, none.astype(bool), compiled=True)
    left = np.flatnonzero(~plain)
    others = _in_parts(M[left], C[left], S[left], vectors=False)
    width = values.shape[1] if plain.any() else others.values.shape[1]
    values[left] = np.nan
    values[left, : others.values.shape[1]] = others.values
    infinite, undetermined = np.zeros(len(M), dtype=int), np.zeros(len(M), dtype=bool)
    infinite[left], undetermined[left] = others.infinite, others.undetermined
    return Spectrum(values[:, :width], None, infinite, undetermined, compiled=True)


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
