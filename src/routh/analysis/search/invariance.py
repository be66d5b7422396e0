"""Continuous symmetries of a system, found from the invariance of its energies.

Candidates X(q) = A q + b come from linear algebra on sampled gradients. One is used only if it is
confirmed: the conditions of invariance must hold to dozens of digits at random positions, velocities
and times, with no term so small that these digits absorb it. Functions put together of pieces are not
believed from samples; there, only coordinates that enter nothing are symmetries.

To 40 of 60 digits, so that neither a spike between the samples nor a term of 1e-17 is overlooked.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from mpmath import MPContext
from numpy.typing import NDArray

from routh.analysis.given.conditions import Conditions
from routh.analysis.pieces.kinks import pieces
from routh.analysis.search.box import Box
from routh.analysis.search.orbits import Orbits
from routh.arrays import Array
from routh.kernels.engine import Kernel, Number, Unsupported
from routh.kernels.lifted import Entry, Lifted

MOST_ENTRIES = 700
"""Entries of A and b that are looked for; in systems with more, of b alone."""

NULL = 1e-10
"""Share of the largest singular value below which sampled conditions may have a solution."""

NOTHING = 1e-7
"""Entries of a candidate below this are none; those that are left are computed anew."""

DIGITS = 60
"""Decimal digits of the confirmation."""

AGREEING = 1e-40
"""Share of its terms below which a condition holds: what is left of 60 digits after elimination."""

CHECKS = 6
"""Random states beyond those that determine a candidate at which it must hold."""


def orbits(engine: Kernel, given: Conditions, where: Box) -> Orbits:
    """The orbits of the continuous symmetries of a system under given conditions.

    Coordinates that enter no equation come first; what turns in a steady motion is held, and left out.
    """
    n = len(where.low)
    idle = (engine.in_motion if given.turning else engine.at_rest).idle
    alone = [k for k in range(n) if idle[k] and k not in given.turning]
    fields = [(np.zeros((n, n)), np.eye(n)[k]) for k in alone]
    if _readable(engine, given):
        entries = _entries(where, given, alone)
        if entries:
            fields += _Sampled(engine, given, where, entries).fields()
    A = np.array([field[0] for field in fields]).reshape(-1, n, n)
    b = np.array([field[1] for field in fields]).reshape(-1, n)
    return Orbits(engine.system, where, A, b)


def _readable(engine: Kernel, given: Conditions) -> bool:
    """Whether samples tell: smooth functions, constant inputs, no sums over points of a field."""
    system = engine.system
    return not (system.shapes or given.inputs_move or pieces(system))


def _entries(where: Box, given: Conditions, alone: list[int]) -> list[Entry]:
    """The entries of A and b that may be there: an angle shifts, but nothing is proportional to it."""
    n = len(where.low)
    held = set(given.turning)
    moved = [k for k in range(n) if k not in held]
    straight = [k for k in moved if not np.isfinite(where.period[k])]
    shifts = [(k, n) for k in moved if k not in alone]
    linear = [(i, j) for i in moved for j in straight]
    return shifts + (linear if len(linear) + len(shifts) <= MOST_ENTRIES else [])


@dataclass(frozen=True, eq=False)
class _Sampled:
    """The conditions of invariance at random states."""

    engine: Kernel
    given: Conditions
    where: Box
    entries: list[Entry]

    def fields(self) -> list[tuple[Array, Array]]:
        """The confirmed fields, (A, b) each."""
        found = []
        for support in self._candidates(Lifted(self.engine.system, self.entries)):
            lifted = Lifted(self.engine.system, [self.entries[place] for place in support])
            values = _confirmed(lifted, self._states(len(support) + CHECKS, 1788))
            if values is not None:
                found.append(self._field(support, values))
        return found

    def _states(self, count: int, seed: int) -> list[Array]:
        """The arguments of a kernel at random states, (count, size) each."""
        random = np.random.default_rng(seed)
        n = len(self.where.low)
        unit = random.uniform(0.02, 0.98, (count, len(self.where.searched)))
        q = self.where.at(unit)
        others = [k for k in range(n) if k not in set(self.where.searched.tolist())]
        q[:, others] = random.uniform(-1, 1, (count, len(others)))
        one = self.given.chosen(np.zeros(count, dtype=np.intp))
        point = one.point(self.engine, q, np.zeros((count, len(self.engine.system.constraints))))
        v = random.uniform(-1, 1, (count, n)) * self.where.width
        time = random.uniform(0.0, 1.0, (count, 1)) + random.uniform(1.0, 2.0)
        return [time, q, v, *point.arguments[3:]]

    def _candidates(self, lifted: Lifted) -> list[NDArray[np.intp]]:
        """The places of the entries that each candidate has, the one that is 1 first."""
        m = len(self.entries)
        with np.errstate(all="ignore"):
            rows = lifted(self._states(m + m // 4 + 16, 1736)) * self._scale
        rows = rows.reshape(-1, m)
        rows = rows[np.isfinite(rows).all(axis=1)]
        size = np.abs(rows).max(axis=1, initial=0.0, keepdims=True)
        rows = rows[size[:, 0] > 0] / size[size[:, 0] > 0]
        if len(rows) > 2 * m:
            rows = np.asarray(np.linalg.qr(rows, mode="r"))
        _, sizes, vectors = np.linalg.svd(rows)
        null = vectors[int(np.sum(sizes > NULL * max(sizes.max(initial=0.0), 1e-300))) :]
        return _echelon(null)

    @property
    def _scale(self) -> Array:
        """(entries,): what makes displacements in lengths of the box of them."""
        n, width = len(self.where.low), self.where.width
        return np.array([width[i] / (width[j] if j < n else 1.0) for i, j in self.entries])

    def _field(self, support: NDArray[np.intp], values: list[float]) -> tuple[Array, Array]:
        n = len(self.where.low)
        full = np.zeros((n, n + 1))
        for place, value in zip(support, values, strict=True):
            full[self.entries[place]] = value
        return full[:, :n], full[:, n]


def _echelon(null: Array) -> list[NDArray[np.intp]]:
    """The reduced echelon form of vectors (d, m): for each the places of its entries, the pivot first.

    Rotations and shifts come out apart from each other, with as few entries as may be.
    """
    vectors, pivots = null.copy(), []
    for row in range(len(vectors)):
        pivot = int(np.abs(vectors[row]).argmax())
        vectors[row] /= vectors[row, pivot]
        others = np.arange(len(vectors)) != row
        vectors[others] -= np.outer(vectors[others, pivot], vectors[row])
        pivots.append(pivot)
    found = []
    for vector, pivot in zip(vectors, pivots, strict=True):
        places = np.flatnonzero(np.abs(vector) > NOTHING)
        found.append(np.array([pivot, *places[places != pivot]], dtype=np.intp))
    return found


def _confirmed(lifted: Lifted, states: list[Array]) -> list[float] | None:
    """The entries of a candidate if it is a symmetry: its pivot is 1, the others solve the conditions.

    They are computed with many digits from as many conditions as there are entries, and must then
    satisfy those at other states.
    """
    exact = lifted.exactly(DIGITS)
    numbers = lifted.numbers(exact, DIGITS)
    rows: list[list[Number]] = []
    try:
        for k in range(len(states[0])):
            rows += exact([*(state[k].tolist() for state in states), numbers])[0]
    except Unsupported:
        return None
    return None if exact.absorbed else _solution(rows)


def _solution(rows: list[list[Number]]) -> list[float] | None:
    """The vector (1, x) that all rows (r0, r) annihilate, r0 + r x = 0, or None."""
    context = MPContext()
    context.dps = DIGITS
    work = [list(map(context.mpf, row)) for row in rows if any(row)]
    unknown = len(rows[0]) - 1
    for column in range(1, unknown + 1):
        pivot = max(range(column - 1, len(work)), key=lambda k: _share(work[k], column), default=-1)
        if pivot < 0 or len(work) < column or not work[pivot][column]:
            return None
        work[column - 1], work[pivot] = work[pivot], work[column - 1]
        head = work[column - 1]
        for k, row in enumerate(work):
            if k != column - 1 and row[column]:
                factor = row[column] / head[column]
                work[k] = [a - factor * b for a, b in zip(row, head, strict=True)]
    x = [context.one] + [-work[k][0] / work[k][k + 1] for k in range(unknown)]
    for row in rows:
        terms = [context.mpf(a) * b for a, b in zip(row, x, strict=True)]
        if abs(context.fsum(terms)) > AGREEING * context.fsum(abs(term) for term in terms):
            return None
    return [float(entry) for entry in x]


def _share(row: list[Number], column: int) -> Number:
    """How large an entry is beside the others of its row."""
    size = max(abs(entry) for entry in row)
    return abs(row[column]) / size if size else size
