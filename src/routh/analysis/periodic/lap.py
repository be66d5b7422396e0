"""One period of a motion in pieces, with what changes of their starts grow to."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from routh.arrays import Array


@dataclass(frozen=True, eq=False)
class Lap:
    """One period of a motion in pieces.

    Attributes:
        nodes: (pieces, 2n) where they begin.
        ends: (pieces, 2n) where they end.
        by_starts: (pieces, 2n, 2n) the growth of what is changed at their starts.
        by_others: (pieces, 2n, parameters + 1) that by the parameters and by the time of the start.
        rates: (pieces, 2n) how fast the states change at their ends.
    """

    nodes: Array
    ends: Array
    by_starts: Array
    by_others: Array
    rates: Array

    @property
    def width(self) -> int:
        """The number of coordinates and velocities, 2n."""
        return int(self.nodes.shape[1])

    @property
    def gaps(self) -> Array:
        """(pieces * 2n,) from the end of each piece to the start of the next."""
        return np.asarray((self.ends - np.roll(self.nodes, -1, axis=0)).reshape(-1))

    @property
    def by_nodes(self) -> Array:
        """Slopes of the gaps by the starts of all pieces."""
        count, n = self.nodes.shape
        found = np.zeros((count * n, count * n))
        for k in range(count):
            rows, after = slice(k * n, (k + 1) * n), (k + 1) % count
            found[rows, rows] += self.by_starts[k]
            found[rows, after * n : (after + 1) * n] -= np.eye(n)
        return found

    @property
    def by_period(self) -> Array:
        """Slopes of the gaps by the period: pieces get longer, and start later."""
        count = len(self.nodes)
        late = self.by_others[:, :, -1] * np.arange(count)[:, None] / count
        return np.asarray((self.rates / count + late).reshape(-1))

    @property
    def by_values(self) -> Array:
        """Slopes of the gaps by the parameters."""
        return self.by_others[:, :, :-1].reshape(self.nodes.size, -1)

    @property
    def monodromy(self) -> Array:
        """(2n, 2n) what the period does to deviations at the start."""
        grown = np.eye(self.width)
        for by_start in self.by_starts:
            grown = by_start @ grown
        return grown
