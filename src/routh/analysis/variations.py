"""Variational equations: how small changes of a start grow, and whether the flow is symplectic."""

from __future__ import annotations

import numpy as np
from scipy.integrate import solve_ivp

from routh.analysis.flow import MovingSystem
from routh.kernels.batch import Array

FINE = 1e-11
"""Tolerance with which the variational equations are integrated."""


def transition(canonical: MovingSystem, times: Array, x: Array) -> Array:
    """(2n, 2n): how small changes of (q, p) at the first time have grown at the last.

    By the variational equations along the canonical flow, from a state (q, v, ...).
    """
    n = canonical.motion.n
    size = canonical.motion.size
    start = x.copy()
    start[n : 2 * n] = canonical.run("momenta", float(times[0]), x)[0][:, 0]
    scales = np.concatenate([canonical.scales, 1 / canonical.scales])

    def rate(t: float, z: Array) -> Array:
        own, grown = z[:size], z[size:].reshape(2 * n, 2 * n)
        A = canonical.slope(t, own)[: 2 * n, : 2 * n] / scales[:, None] * scales
        return np.concatenate([canonical.rate(t, own), (A @ grown).reshape(-1)])

    z0 = np.concatenate([start, np.eye(2 * n).reshape(-1)])
    span = (float(times[0]), float(times[-1]))
    found = solve_ivp(rate, span, z0, method="DOP853", rtol=FINE, atol=FINE)
    grown = found.y[size:, -1].reshape(2 * n, 2 * n)
    return np.asarray(scales[:, None] * grown / scales)


def symplectic_error(grown: Array) -> float:
    """The largest entry of `grown^T I grown - I`, relative to what cancels in it."""
    n = len(grown) // 2
    form = np.block([[np.zeros((n, n)), np.eye(n)], [-np.eye(n), np.zeros((n, n))]])
    off = np.abs(grown.T @ form @ grown - form)
    size = np.abs(grown.T) @ np.abs(form) @ np.abs(grown)
    return float((off / np.maximum(size, 1.0)).max())
