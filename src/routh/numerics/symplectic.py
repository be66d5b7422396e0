"""Whether a matrix of growth in coordinates and momenta is symplectic."""

from __future__ import annotations

import numpy as np

from routh.arrays import Array


def symplectic_error(grown: Array) -> float:
    """The largest entry of `grown^T I grown - I`, relative to what cancels in it."""
    n = len(grown) // 2
    form = np.block([[np.zeros((n, n)), np.eye(n)], [-np.eye(n), np.zeros((n, n))]])
    off = np.abs(grown.T @ form @ grown - form)
    size = np.abs(grown.T) @ np.abs(form) @ np.abs(grown)
    return float((off / np.maximum(size, 1.0)).max())
