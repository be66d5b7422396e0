"""The linear part of equations of second order, taken apart into oscillators."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import scipy
from numpy.polynomial import legendre

from routh.arrays import Array
from routh.numerics.exponential.oscillators import Oscillators
from routh.numerics.steppers import StuckError

NODES = 16
"""Gauss nodes of a step: the polynomials of a force have one degree less."""

TAIL = 2
"""Legendre coefficients of a force that tell the error of a step: one even, one odd."""

KEPT = 12
"""Lengths of steps whose weights are kept."""


@dataclass(frozen=True)
class Weights:
    """What a step of one length does, at its nodes and at its end (S = nodes + 1).

    Attributes:
        free: (2, 2, k, S) what position and velocity become of those at the start, less these.
        of_nodes: (2, k, S, nodes) positions and velocities by the forces at the nodes.
        of_tails: (2, k, S, 2) the same by the last two Legendre coefficients of the forces.
        sums: (2, k) bounds of `of_nodes` by forces of size one.
    """

    free: Array
    of_nodes: Array
    of_tails: Array
    sums: Array


@dataclass
class LinearPart:
    """Oscillators `y = inverse @ q`, `q = shapes @ y`, in whose terms the equations are nearly linear.

    The pencil `K y = w M y` gives the shapes (n, k) and the squares of frequencies w; of the damping
    the part beside the diagonal is left to the forces. A last oscillator without restoring force stands
    for what is summed up along the motion.
    """

    shapes: Array
    inverse: Array
    oscillators: Oscillators
    _weights: dict[float, Weights] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, M: Array, K: Array, C: Array, basis: Array | None = None) -> LinearPart:
        """Of `M q'' + C q' + K q`, within the span of a basis (n, k) where one is given.

        Raises:
            StuckError: the masses are not positive definite, or something is not finite.
        """
        B = np.eye(len(M)) if basis is None else basis
        try:
            w, own = scipy.linalg.eigh(*(B.T @ (each + each.T) @ B / 2 for each in (K, M)))
        except (ValueError, np.linalg.LinAlgError) as error:
            raise StuckError("the masses are not positive definite") from error
        shapes = B @ own
        d = np.einsum("nk,nm,mk->k", shapes, C, shapes) / 2
        nearest = Oscillators.nearest(np.append(w, 0.0), np.append(d, 0.0))
        return cls(shapes, shapes.T @ M, nearest)

    @property
    def count(self) -> int:
        """The number of oscillators, without the last one."""
        return int(self.shapes.shape[1])

    @cached_property
    def sizes(self) -> Array:
        """(n, k) the sizes of the shapes."""
        return np.abs(self.shapes)

    def weights(self, h: float) -> Weights:
        """What a step of length h does."""
        if h not in self._weights:
            if len(self._weights) >= KEPT:
                del self._weights[next(iter(self._weights))]
            self._weights[h] = self._made(h)
        return self._weights[h]

    def _made(self, h: float) -> Weights:
        ends = np.append(PLACES, 1.0)
        forced = self.oscillators.forced(h, ends, NODES)
        of_nodes = forced @ INTERPOLATION
        return Weights(
            free=self.increments(h * ends),
            of_nodes=of_nodes,
            of_tails=forced[..., -TAIL:],
            sums=np.abs(of_nodes).sum(axis=-1).max(axis=-1),
        )

    def increments(self, times: Array) -> Array:
        """(2, 2, k, T): what is added to positions and velocities by moving freely."""
        return self.oscillators.free(times) - np.eye(2)[..., None, None]


_x, _ = legendre.leggauss(NODES)
PLACES = (_x + 1) / 2
"""The nodes, in shares of a step."""

INTERPOLATION = np.linalg.inv(legendre.legvander(_x, NODES - 1))
"""(nodes, nodes): the Legendre coefficients of what is known at the nodes."""
