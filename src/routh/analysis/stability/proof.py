"""Verdicts on stability proven in ball arithmetic: the equilibrium and its matrices are enclosed."""

from __future__ import annotations

from typing import Any

import flint
import numpy as np
from numpy.typing import NDArray

from routh.analysis.linear.linear_model import LinearModel
from routh.analysis.rest.exact import ExactBalance
from routh.analysis.stability.verdict import Reason, Stability, Verdict
from routh.kernels.engine import Kernel
from routh.kernels.kernel import kernel
from routh.mechanics.lagrange import is_cyclic
from routh.numerics.solving.krawczyk import alone
from routh.numerics.spectra.hurwitz import definite, negative_roots, right_half_roots

Balls = list[Any]
Matrix = Any
"""An `arb_mat`."""

BITS = 256
"""Precision of the balls: the matrices are known to so many bits that only true zeros stay open."""


def proven(linear: LinearModel, judged: Stability) -> NDArray[np.bool_]:
    """(...) whether the verdict at each point is proven.

    The equilibrium is enclosed in a box in which it is the only one, the matrices over this box.
    Then a minimum and complete damping are proven by pivots, other verdicts by Routh's array or
    Sturm's chain on the characteristic polynomial. What linear theory leaves undecided stays so.
    """
    given = linear.reference.conditions
    engine = kernel(linear.system)
    reasons = np.asarray(judged.reason, dtype=object).reshape(-1)
    found = np.zeros(given.count, dtype=bool)
    with flint.ctx.workprec(BITS):
        for k, reason in enumerate(reasons):
            if reason.verdict is not Verdict.UNDECIDED and reason is not Reason.PARTIAL_DAMPING:
                found[k] = _proven(engine, linear, k, reason)
    return given.folded(found)


def _proven(engine: Kernel, linear: LinearModel, k: int, reason: Reason) -> bool:
    rest = linear.reference.single(k) if linear.shape else linear.reference
    turning = [rest.system.coordinates[i] for i in rest.turning]
    if rest.conditions.momenta or not all(is_cyclic(rest.system, q) for q in turning):
        return False  # rates that were computed are not exact, momenta that may change are not kept
    matrices = _enclosed(engine, rest)
    if matrices is None:
        return False
    M, C, K = matrices
    damped, circulatory = engine.forces_depend_on_velocity, engine.forces_depend_on_position
    D = (C + C.transpose()) / 2
    if not definite(_rows(M)):
        return False
    passive = not damped if reason is Reason.MINIMUM else definite(_rows(D))
    if reason in (Reason.MINIMUM, Reason.COMPLETE_DAMPING) and not circulatory and passive:
        return definite(_rows((K + K.transpose()) / 2))
    if reason is Reason.MINIMUM and damped:
        return False
    p = _characteristic(M, C, K)
    gyroscopic = not all(x.is_zero() for row in _rows(C - C.transpose()) for x in row)
    if damped or (gyroscopic and circulatory):
        unstable = right_half_roots(p)
        return unstable is not None and (unstable > 0) == (reason.verdict is Verdict.UNSTABLE)
    falling = negative_roots(p[::2])  # the spectrum is symmetric: a polynomial in s^2
    whole = int(M.nrows())
    return falling is not None and (falling < whole) == (reason.verdict is Verdict.UNSTABLE)


def _enclosed(engine: Kernel, rest: Any) -> tuple[Matrix, Matrix, Matrix] | None:
    """M, C and K over a box that holds the equilibrium; at constant momenta in a steady motion."""
    idle = engine.about(rest.point()).idle
    unknown = [k for k, out in enumerate(idle) if not out and k not in rest.turning]
    equations = ExactBalance(engine, rest.conditions, unknown, rest.q)
    X = alone(equations.rows, equations.slopes, rest.q[unknown])
    if X is None:
        return None
    M, C, K = (flint.arb_mat(rows) for rows in equations.matrices(X))
    if not rest.turning:
        return M, C, K
    return _at_constant_momenta(M, C, K, list(rest.turning))


def _at_constant_momenta(
    M: Matrix, C: Matrix, K: Matrix, turning: list[int]
) -> tuple[Matrix, Matrix, Matrix] | None:
    """Routh's reduction; see `routh.analysis.linear.constant_momenta`."""
    y = [k for k in range(M.nrows()) if k not in turning]
    if not y:
        return None
    try:
        inverse = _part(M, turning, turning).inv()
    except ZeroDivisionError:
        return None
    by_speed = inverse * _part(M, turning, y)
    by_place = inverse * _part(C, turning, y)
    M_yp, C_yp = _part(M, y, turning), _part(C, y, turning)
    return (
        _part(M, y, y) - M_yp * by_speed,
        _part(C, y, y) - M_yp * by_place - C_yp * by_speed,
        _part(K, y, y) - C_yp * by_place,
    )


def _part(X: Matrix, rows: list[int], columns: list[int]) -> Matrix:
    return flint.arb_mat([[X[i, j] for j in columns] for i in rows])


def _rows(X: Matrix) -> list[Balls]:
    rows: list[Balls] = X.tolist()
    return rows


def _characteristic(M: Matrix, C: Matrix, K: Matrix) -> Balls:
    """det(M s^2 + C s + K) / det(M), the highest power first."""
    n = M.nrows()
    right = [(M.solve(X)).tolist() for X in (K, C)]
    zero, one = flint.arb(0), flint.arb(1)
    rows = [[zero] * n + [one if i == j else zero for j in range(n)] for i in range(n)]
    rows += [[-x for x in right[0][i]] + [-x for x in right[1][i]] for i in range(n)]
    return list(reversed(list(flint.arb_mat(rows).charpoly())))
