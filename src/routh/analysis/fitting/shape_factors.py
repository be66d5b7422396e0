"""Measured shapes have factors of their own: the best ones, so that none of its entries is the unit.

A measured shape u is compared with c phi, c being (phi . W u)/(phi . W phi) for weights W. As an
unknown that each shape has to itself, c takes one of its data, and what is left of the slopes is what
does not follow phi (Golub and Pereyra 1973): covariances are then those of all unknowns together.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from routh.analysis.fitting.channels import Channel, Predicted
from routh.arrays import Array


def scaled_shapes(
    channels: Sequence[Channel], weights: Sequence[Array], found: Sequence[Predicted]
) -> list[Predicted]:
    """What is predicted, shapes with their factors, and the slopes of all of it."""
    result = list(found)
    for members in _tables(channels):
        count = 1 + max(int(channels[k].shape.max()) for k in members)
        width = found[members[0]][1].shape[1]
        above, below = np.zeros(count), np.zeros(count)
        d_above, d_below = np.zeros((count, width)), np.zeros((count, width))
        for k in members:
            (phi, slope), w = found[k], weights[k] ** 2
            rows, u = channels[k].shape, channels[k].measured
            above[rows] += w * phi * u
            below[rows] += w * phi**2
            d_above[rows] += (w * u)[:, None] * slope
            d_below[rows] += (2 * w * phi)[:, None] * slope
        known = below > 0
        c = np.where(known, above / np.where(known, below, 1.0), 0.0)
        d_c = (d_above - c[:, None] * d_below) / np.where(known, below, 1.0)[:, None]
        for k in members:
            (phi, slope), rows = found[k], channels[k].shape
            result[k] = c[rows] * phi, c[rows][:, None] * slope + d_c[rows] * phi[:, None]
    return result


def spent_on_factors(
    channels: Sequence[Channel], weights: Sequence[Array], found: Sequence[Array]
) -> list[float]:
    """How many of the data of each channel the factors of shapes take, `found` being predicted."""
    spent = [0.0] * len(channels)
    for members in _tables(channels):
        sums = np.zeros(1 + max(int(channels[k].shape.max()) for k in members))
        parts = {k: (weights[k] * found[k]) ** 2 for k in members}
        for k in members:
            sums[channels[k].shape] += parts[k]
        for k in members:
            below = sums[channels[k].shape]
            spent[k] = float((parts[k] / np.where(below > 0, below, 1.0)).sum())
    return spent


def count_shapes(channels: Sequence[Channel]) -> int:
    """How many shapes were measured, each of which has a factor."""
    return sum(
        len(set().union(*(channels[k].shape.tolist() for k in members)))
        for members in _tables(channels)
    )


def _tables(channels: Sequence[Channel]) -> list[list[int]]:
    """The channels of shapes, table by table."""
    found: dict[str, list[int]] = {}
    for k, each in enumerate(channels):
        if each.shape.size:
            found.setdefault(each.source[0], []).append(k)
    return list(found.values())
