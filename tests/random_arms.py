"""Random trees of rigid links, and Newton's and Euler's equations on them: a way that knows no energies.

Luh, Walker and Paul 1980, in the frames of the links: velocities and accelerations outwards, forces inwards.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.spatial.transform import Rotation as Turn

import routh as rt

GRAVITY = np.array([0.3, -0.2, -9.81])


@dataclass(frozen=True)
class Arm:
    """A table of numbers, a row for each link; `slides` are its prismatic joints."""

    parents: list[int]
    slides: np.ndarray
    axes: np.ndarray
    offsets: np.ndarray
    turns: np.ndarray
    masses: np.ndarray
    centres: np.ndarray
    inertias: np.ndarray

    @property
    def n(self) -> int:
        return len(self.parents)

    def chain(self) -> rt.models.Chain:
        """The same as energies."""
        rows = [
            rt.models.Joint(
                rt.coordinate(f"q{k + 1}"),
                kind="prismatic" if self.slides[k] else "revolute",
                axis=self.axes[k],
                offset=self.offsets[k],
                turn=self.turns[k],
                parent=self.parents[k],
                mass=self.masses[k],
                centre=self.centres[k],
                inertia=self.inertias[k],
            )
            for k in range(self.n)
        ]
        return rt.models.chain(rows, gravity=GRAVITY)

    def forces(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
        """(n,) by Newton and Euler."""
        frames = [self._moved(k, q[k]) for k in range(self.n)]
        omegas, alphas, accelerations, pushes, moments = [], [], [], [], []
        for k, (R, r) in enumerate(frames):
            e, p = self.axes[k], self.parents[k]
            omega, alpha, up = (omegas[p], alphas[p], accelerations[p]) if p >= 0 else _base()
            up = R.T @ (up + np.cross(alpha, r) + np.cross(omega, np.cross(omega, r)))
            omega, alpha = R.T @ omega, R.T @ alpha
            if self.slides[k]:
                up = up + 2 * np.cross(omega, e * v[k]) + e * a[k]
            else:
                alpha = alpha + np.cross(omega, e * v[k]) + e * a[k]
                omega = omega + e * v[k]
            c, I = self.centres[k], self.inertias[k]
            push = self.masses[k] * (up + np.cross(alpha, c) + np.cross(omega, np.cross(omega, c)))
            omegas.append(omega)
            alphas.append(alpha)
            accelerations.append(up)
            pushes.append(push)
            moments.append(I @ alpha + np.cross(omega, I @ omega) + np.cross(c, push))
        found = np.zeros(self.n)
        for k in reversed(range(self.n)):
            found[k] = self.axes[k] @ (pushes[k] if self.slides[k] else moments[k])
            p, (R, r) = self.parents[k], frames[k]
            if p >= 0:
                pushes[p] = pushes[p] + R @ pushes[k]
                moments[p] = moments[p] + R @ moments[k] + np.cross(r, R @ pushes[k])
        return found

    def masses_at(self, q: np.ndarray) -> np.ndarray:
        """(n, n) M, a column each by what unit accelerations take."""
        still = np.zeros(self.n)
        weight = self.forces(q, still, still)
        return np.stack([self.forces(q, still, unit) - weight for unit in np.eye(self.n)], axis=1)

    def _moved(self, k: int, q: float) -> tuple[np.ndarray, np.ndarray]:
        """The frame of a link seen from its parent."""
        A, e, d = self.turns[k], self.axes[k], self.offsets[k]
        if self.slides[k]:
            return A, d + A @ e * q
        return A @ Turn.from_rotvec(e * q).as_matrix(), d


def _base() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return np.zeros(3), np.zeros(3), -GRAVITY


def random_arm(seed: int, n: int, *, tree: bool = True, slides: bool = True) -> Arm:
    """A tree of n links; axes along x, y or z, or anywhere."""
    rng = np.random.default_rng(seed)
    axes = np.array(
        [np.eye(3)[rng.integers(3)] if rng.random() < 0.5 else rng.normal(size=3) for _ in range(n)]
    )
    roots = rng.normal(size=(n, 3, 3))
    return Arm(
        parents=[int(rng.integers(-1, k)) if tree and k else k - 1 for k in range(n)],
        slides=rng.random(n) < (0.25 if slides else 0),
        axes=axes / np.linalg.norm(axes, axis=1)[:, None],
        offsets=rng.normal(size=(n, 3)) / 2,
        turns=Turn.random(n, random_state=np.random.RandomState(seed)).as_matrix(),
        masses=0.5 + rng.random(n),
        centres=rng.normal(size=(n, 3)) / 2,
        inertias=roots @ roots.swapaxes(1, 2) / 5 + np.eye(3) / 10,
    )


def aligned(arm: Arm) -> Arm:
    """The same with axes along x, y or z alone, as most robot arms are described."""
    return replace(arm, axes=np.eye(3)[np.abs(arm.axes).argmax(axis=1)])
