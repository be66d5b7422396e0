"""The equations of rest in ball arithmetic, on which proofs stand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import flint
import numpy as np

from routh.analysis.given.conditions import Conditions
from routh.analysis.pieces.kinks import pieces
from routh.arrays import Array
from routh.errors import DerivationError
from routh.kernels.engine import Kernel
from routh.kernels.exact_system import ExactSystem
from routh.mechanics.lagrange import is_cyclic

Balls = list[Any]


class ExactBalance:
    """The equations of rest in ball arithmetic as functions of some of the coordinates.

    The others stay at `q`, and the conditions are the first ones given.

    Raises:
        DerivationError: the equations change in time, or have constraints.
    """

    def __init__(self, engine: Kernel, given: Conditions, unknown: Sequence[int], q: Array) -> None:
        _refuse_inexact(engine, given)
        self._unknown = list(unknown)
        self._others = [k for k in range(len(q)) if k not in self._unknown]
        self._fixed = [flint.arb(float(x)) for x in q]
        one = given.chosen(np.zeros(1, dtype=np.intp))
        point = one.point(engine, q[None], np.zeros((1, 0)))
        self._system = ExactSystem(engine.system, point.p[0], point.u[0], point.v[0])

    def _placed(self, X: Balls) -> Balls:
        full = list(self._fixed)
        for k, x in zip(self._unknown, X, strict=True):
            full[k] = x
        return full

    def rows(self, X: Balls) -> Balls:
        """The equations, those of the unknown coordinates first."""
        rows = self._system.balance(self._placed(X))
        return [rows[k] for k in (*self._unknown, *self._others)]

    def slopes(self, X: Balls) -> list[Balls]:
        """Derivatives of the first equations by the unknown coordinates."""
        rows = self._system.slopes(self._placed(X))
        return [[rows[i][j] for j in self._unknown] for i in self._unknown]

    def matrices(self, X: Balls) -> list[list[Balls]]:
        """M, C and K of all coordinates."""
        return self._system.matrices(self._placed(X))


def _refuse_inexact(engine: Kernel, given: Conditions) -> None:
    if engine.system.constraints:
        raise DerivationError(
            "A proof works without constraints so far. Choose coordinates that satisfy them."
        )
    if kinks := pieces(engine.system):  # jumps of an energy have slope zero: the graphs lack them
        raise DerivationError(
            "A proof works with smooth functions: + - * / **, roots, trigonometric and hyperbolic"
            f" functions and their inverses, exp, log, erf. The energies or forces contain {kinks[0]}."
        )
    if not all(is_cyclic(engine.system, engine.system.coordinates[k]) for k in given.turning):
        raise DerivationError(
            "A proof of a steady motion needs coordinates that drop out of the energies, and on which"
            " no force acts. What turns here could not be shown to be so."
        )
    if not given.autonomous(engine):
        raise DerivationError(
            "A proof needs equations of motion without time. Here time stays in them, or could not be"
            " simplified away; write the energies without it, like T2 + T1 + T0 of equations(system)."
        )
