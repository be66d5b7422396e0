"""The verb `lqr`: the state feedback that makes a quadratic cost least."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NoReturn, overload

import numpy as np

from routh.analysis.control.reach import reach, refuse_left
from routh.analysis.control.regulator import Regulator
from routh.analysis.control.regulator_along import RegulatorAlong, lqr_along
from routh.analysis.control.riccati_gains import riccati_gains
from routh.analysis.control.states_told import checked_space, stacks
from routh.analysis.control.weights import plain_inputs, signal_weight, state_weight
from routh.analysis.linear.along import LinearAlong
from routh.analysis.linear.state_space import StateSpace
from routh.arrays import Array
from routh.errors import DeclarationError, DerivationError, SolveError

STILL = 1e-9
"""Share of the quickest motion within which an eigenvalue counts as one on the imaginary axis."""


@overload
def lqr(space: StateSpace, Q: Any, R: Any, *, final: Any = None) -> Regulator: ...
@overload
def lqr(space: LinearAlong, Q: Any, R: Any, *, final: Any = None) -> RegulatorAlong: ...


def lqr(
    space: StateSpace | LinearAlong, Q: Any, R: Any, *, final: Any = None
) -> Regulator | RegulatorAlong:
    """The feedback u = -gain x that makes the integral of x^T Q x + u^T R u least.

    Arguments:
        space: a state-space model, or a linear model along a motion, for which gains change in time.
        Q: (states, states) weight of the states, not negative; or `{expression: weight}`: the cost is
            then the sum of weight times the square of each expression's deviation.
        R: (p, p) weight of the inputs, positive; a number for one input; or `{input: weight}`.
        final: along a motion, the weight x^T final x of where it ends, as Q; none if not given.

    Returns:
        A `Regulator` with a gain for each point of the batch; along a motion a `RegulatorAlong`.

    Raises:
        DerivationError: a motion that does not decay is not reached by any input; or one on the
            imaginary axis has no weight in Q. Both are named.
        DeclarationError: weights of another shape, not symmetric or negative; no input.

    Example:
        >>> import routh as rt
        >>> theta, u = rt.coordinate("theta"), rt.input("u")
        >>> pendulum = rt.System(
        ...     kinetic=rt.ddt(theta)**2 / 2, potential=9 * rt.cos(theta), forces={theta: u}
        ... )
        >>> space = rt.state_space(rt.linearize(rt.equilibrium(pendulum, {})))
        >>> found = rt.lqr(space, {theta: 19.0}, 1.0)
        >>> found.gain.round(6)
        array([[19.  ,  6.164414]])
        >>> print(found.stability.verdict)
        asymptotically stable
    """
    if isinstance(space, LinearAlong):
        return lqr_along(space, Q, R, final)
    checked_space(space, "lqr")
    if final is not None:
        raise DeclarationError(
            "`final` is the weight of where a motion ends, and this model is about a rest, held for all"
            " times. Leave it out."
        )
    plain_inputs(space.inputs, "lqr")
    batch = space.A.shape[:-2]
    weight = state_weight(space, Q, "Q")
    effort = signal_weight(space.inputs, batch, R, "R", "input")
    refuse_left(reach(space, "inputs"))
    A, B, _, _ = stacks(space)
    n, p = A.shape[-1], B.shape[-1]
    S, left, gain = riccati_gains(
        A, B, weight, effort, lambda k, left: _refuse_unsolved(space, weight[k], left)
    )
    return Regulator(
        space,
        weight.reshape(*batch, n, n),
        effort.reshape(*batch, p, p),
        gain.reshape(*batch, p, n),
        S.reshape(*batch, n, n),
        left.reshape(batch),
    )


def _refuse_unsolved(space: StateSpace, Q: Array, left: float) -> NoReturn:
    _refuse_unweighted(space, Q)
    raise SolveError(
        f"The Riccati equation has no solution that is known to rounding: its residual is {left:.2g} of"
        " its terms. Weights or units that are many powers of ten apart do this: bring Q and R nearer"
        " to each other. So do motions that the inputs barely tell apart."
    )


def _refuse_unweighted(space: StateSpace, Q: Array) -> None:
    """Refuse motions of one model, on the imaginary axis, that cost nothing: none is least then."""
    if space.A.ndim > 2:
        return
    values, vectors = np.linalg.eigh(Q)
    rows = (vectors * np.sqrt(np.maximum(values, 0.0))).T
    found = reach(replace(space, C=rows, D=np.zeros((len(rows), space.B.shape[-1]))), "outputs")
    still = np.abs(found.eigenvalues.real) <= STILL * np.abs(found.eigenvalues).max(initial=0)
    if (still & ~found.reached).any():
        raise DerivationError(
            f"Q gives no weight to {' nor '.join(found.missed[0])}, which neither grows nor decays: no"
            " feedback that holds it is the least. Give it a weight."
        )
