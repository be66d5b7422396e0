"""Motion in the lowest modes alone, and what that leaves out.

Positions are `q = q_0 + B y` with the lowest modes of M and K at the start as the columns of B: a
constraint without friction, so that energy is kept. The modes that are cut stay where the forces at
the start would hold them, to first order, and do not move: `B^T M B y'' = B^T M a`, where a are the
accelerations of the whole system.

What is left out is told twice: what the start loses, and the largest that the forces on the way would
hold the cut modes at, `f_k/omega_k^2`. Both are shares of the largest displacement; sizes are by mass,
`sqrt(y . y)` of all modes that swing. What cut modes would do in resonance is not told by that.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from routh.analysis.motion.flow import MovingSystem
from routh.arrays import Array
from routh.errors import DeclarationError
from routh.numerics.exponential.linear_part import LinearPart


@dataclass(frozen=True)
class ModalCut:
    """The lowest modes at a start, and what is cut.

    Attributes:
        basis: (n, k) the modes that are kept.
        cut: (n, c) those that are not.
        squares: (c,) of the frequencies of these.
        inverse: (n, n) from positions to modes.
        x: the start without what is cut.
        lost: (n,) by how much positions were moved for that.
        swings: (n,) which modes have a stiffness.
    """

    basis: Array
    cut: Array
    squares: Array
    inverse: Array
    x: Array = field(repr=False)
    lost: Array = field(repr=False)
    swings: Array

    @classmethod
    def at(cls, flow: MovingSystem, t: float, x: Array, count: int) -> ModalCut:
        """The cut to so many modes at a start, which is moved.

        Raises:
            DeclarationError: there are not more modes than that, or one that is cut has no stiffness.
        """
        n = flow.motion.n
        if count >= n:
            raise DeclarationError(
                f"`modes` must be less than the number of coordinates, {n}, or nothing is cut. Got"
                f" {count}."
            )
        part = LinearPart.of(*flow.linear(t, x))
        w = part.oscillators.w[:-1]
        squares, shapes = w[count:], part.shapes[:, count:]
        if not squares[0] > 0:
            raise DeclarationError(
                f"`modes` = {count} would cut a mode that nothing holds: {int((w <= 0).sum())} have no"
                f" positive stiffness at the start. Keep more modes."
            )
        moved = x.copy()
        moved[n : 2 * n] -= shapes @ (part.inverse[count:] @ x[n : 2 * n])
        moved[:n] += shapes @ (part.inverse[count:] @ flow.rate(t, moved)[n : 2 * n] / squares)
        lost = moved[:n] - x[:n]
        swings = w > np.finfo(float).eps * n * w[-1]
        return cls(part.shapes[:, :count], shapes, squares, part.inverse, moved, lost, swings)

    def held(self, flow: MovingSystem, t: Array, x: Array) -> tuple[Array, Array]:
        """(T, size): x' with the cut modes at rest, and (T, n): the forces that this takes."""
        n, B = flow.motion.n, self.basis
        rates = flow.rates(t, x)
        M = flow.along("matrices", t, x)[0]
        forces = (M @ rates[:, n : 2 * n, None])[..., 0]
        kept = np.linalg.solve(B.T @ M @ B, (forces @ B)[..., None])[..., 0] @ B.T
        rates[:, n : 2 * n] = kept
        return rates, forces - (M @ kept[..., None])[..., 0]

    def left_out(self, flow: MovingSystem) -> tuple[float, float]:
        """What the start has lost, and what forces along the run would hold the cut modes at."""
        n = flow.motion.n
        t = np.array([each for each, _ in flow.samples])
        x = np.stack([each for _, each in flow.samples])
        _, forces = self.held(flow, t, x)
        static = float(np.linalg.norm(forces @ self.cut / self.squares, axis=1).max())
        y = ((x[:, :n] - self.lost) @ self.inverse.T)[:, self.swings]
        size = float(np.linalg.norm(y, axis=1).max())
        start = float(np.linalg.norm(self.inverse @ self.lost))
        return (start / size, static / size) if size > 0 else (start, static)
