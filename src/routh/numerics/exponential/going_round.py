"""What going round within a step ends with, and the numbers of a step laid out for compiled code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np

from routh.arrays import Array
from routh.numerics.exponential.linear_part import INTERPOLATION, NODES, PLACES, TAIL, LinearPart

SETTLED = 0.1
"""Share of the tolerance that going round leaves."""

ROUNDS = 12
"""Rounds after which a step is given up."""

RULE = np.concatenate([PLACES, INTERPOLATION[-TAIL:].ravel()])
"""The nodes, and what gives the last Legendre coefficients of a force."""


class Settled(Protocol):
    """A step whose rounds have settled."""

    @property
    def forces(self) -> Array:
        """(k + sums, nodes): the forces at the nodes."""

    @property
    def end(self) -> Array:
        """The state at its end."""

    @property
    def error(self) -> float:
        """1 is the tolerance."""

    @property
    def gain(self) -> float:
        """What is left of a change after one more round."""


Rounds = Callable[[float, Array, float, LinearPart], Settled | None]
"""A step from a time and state, of a length, by a linear part; None where rounds do not settle."""


def linear_numbers(part: LinearPart) -> Array:
    """Shapes, their inverse, and w and d of the oscillators, side by side."""
    own, k = part.oscillators, part.count
    parts = (part.shapes, part.inverse, own.w[:k], own.d[:k])
    return np.concatenate([each.ravel() for each in parts])


def step_numbers(part: LinearPart, h: float) -> Array:
    """The weights of a step with nodes lying side by side: those of the oscillators, then of sums.

    `free` at the nodes and at the end, (2, k, 2, nodes) and (2, k, 2); `of_nodes` in the same way, by
    force and place (2 k + 1, nodes, nodes), and (2 k + 1, nodes); `of_tails` (2 k + 1, nodes + 1, 2);
    `sums` (2, k).
    """
    own, k = part.weights(h), part.count
    free = own.free[:, :, :k].swapaxes(1, 2)
    of_nodes, of_tails = (
        np.concatenate([each[0, :k], each[1, : k + 1]]) for each in (own.of_nodes, own.of_tails)
    )
    between = of_nodes[:, :NODES].swapaxes(1, 2)
    parts = (
        free[..., :NODES],
        free[..., NODES],
        between,
        of_nodes[:, NODES],
        of_tails,
        own.sums[:, :k],
    )
    return np.concatenate([each.ravel() for each in parts])
