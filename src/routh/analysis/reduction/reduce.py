"""The verb `reduce`: a smaller linear model, by modes, with interfaces kept, or balanced."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, overload

import numpy as np
import sympy
from scipy.linalg import eigh, null_space

from routh.analysis.given.large import refuse_large
from routh.analysis.linear.linear_model import LinearModel, skew, symmetric
from routh.analysis.linear.outputs import checked_outputs, output_slopes
from routh.analysis.linear.state_space import StateSpace
from routh.analysis.reduction.reduced_model import BalancedModel, ReducedModel
from routh.arrays import Array
from routh.errors import DeclarationError, DerivationError, a_kind, quoted
from routh.numerics.linear_systems.balancing import balanced_states
from routh.numerics.rank import definite

DECAYS = 1e-12
"""Share of the quickest motion by which every eigenvalue must be left of the imaginary axis."""

DEPENDENT = 1e-10
"""Share of the largest singular value below which interfaces depend on each other."""


@overload
def reduce(
    linear: LinearModel, *, modes: int | None = None, order: int | None = None, interface: Any = None
) -> ReducedModel: ...
@overload
def reduce(
    linear: StateSpace, *, modes: int | None = None, order: int | None = None, interface: Any = None
) -> BalancedModel: ...


def reduce(
    linear: LinearModel | StateSpace,
    *,
    modes: int | None = None,
    order: int | None = None,
    interface: Any = None,
) -> ReducedModel | BalancedModel:
    """A smaller model: the lowest modes of a linear model, or the balanced states of a state space.

    Arguments:
        linear: a linear model, for `modes`; or a state-space model, for `order`.
        modes: how many of the lowest modes of M and K are kept; damping and gyroscopic forces are
            taken along them.
        order: how many balanced states are kept (balanced truncation). All motions must decay: a model
            that does not is refused, and not split.
        interface: expressions of coordinates, like values of a field at an end, that stay themselves
            (Craig and Bampton 1968): beside the static shapes of each, `modes` of those with all
            interfaces held are kept.

    Raises:
        DeclarationError: both or none of `modes` and `order`, or numbers that are none.
        DerivationError: a batch, velocity constraints, a model that does not decay, interfaces that
            depend on each other, or what they leave free.

    Example:
        >>> import routh as rt
        >>> x, y = rt.coordinates("x y")
        >>> pair = rt.System(kinetic=rt.ddt(x)**2 / 2 + rt.ddt(y)**2 / 2, potential=2*x**2 + 8*y**2)
        >>> rt.reduce(rt.linearize(rt.equilibrium(pair, {})), modes=1).frequencies
        array([2.])
    """
    if isinstance(linear, StateSpace):
        if modes is not None or interface is not None:
            raise DeclarationError(
                "A StateSpace is reduced by `order`, its balanced states; `modes` and `interface` are"
                " for a LinearModel."
            )
        return _balanced(linear, _counted(order, "order", linear.A.shape[-1]))
    if not isinstance(linear, LinearModel):
        raise DeclarationError(
            f"reduce needs a LinearModel, as linearize(rest) returns it, or a StateSpace. Got"
            f" {a_kind(linear)}."
        )
    if order is not None:
        raise DeclarationError(
            "`order` counts balanced states, which depend on outputs: reduce(state_space(linear,"
            " outputs), order=...). A LinearModel is reduced by `modes`."
        )
    if linear.is_sparse:
        refuse_large(linear.system)
    if linear.shape or not linear.is_holonomic:
        what = f"a batch of shape {linear.shape}" if linear.shape else "velocity constraints"
        raise DerivationError(
            f"reduce takes one linear model without velocity constraints. Got {what}."
        )
    if not definite(linear.M[None]).all():
        raise DerivationError(
            f"The mass matrix of {linear.system.title} is singular or not positive: some direction has"
            " no inertia, and modes are not told. Give it a mass, or remove the coordinate."
        )
    if interface is None:
        count = _counted(modes, "modes", linear.M.shape[-1])
        return _along(linear, np.asarray(eigh(linear.K, linear.M)[1])[:, :count], ())
    return _craig_bampton(linear, modes, interface)


def _along(linear: LinearModel, basis: Array, interface: tuple[sympy.Expr, ...]) -> ReducedModel:
    """The model along some displacements; what is symmetric or skew stays so."""
    sides = {"M": symmetric, "D": symmetric, "K": symmetric, "G": skew, "H": skew}
    small = {name: part(basis.T @ getattr(linear, name) @ basis) for name, part in sides.items()}
    return ReducedModel(linear, basis, B=basis.T @ linear.B, interface=interface, **small)


def _craig_bampton(linear: LinearModel, modes: int | None, interface: Any) -> ReducedModel:
    kept = tuple(checked_outputs(linear, interface, "interface", "An interface"))
    by_q, *others = (slope[0] for slope in output_slopes(linear, kept))
    if any(slope.any() for slope in others):
        raise DeclarationError(
            f"`interface` takes expressions of coordinates. Got {quoted(kept)}, of which one contains a"
            " velocity, an acceleration or an input."
        )
    C = by_q @ linear.Z
    still = [y for y, row in zip(kept, C, strict=True) if not row.any()]
    if still:
        raise DerivationError(
            f"The interface {quoted(still[:1])} does not move with {linear.system.title}."
            " Leave it out, or take an expression that does."
        )
    held = null_space(C, rcond=DEPENDENT)
    if held.shape[1] != C.shape[1] - len(C):
        raise DerivationError(f"The interfaces {quoted(kept)} depend on each other. Leave one out.")
    inside = held.T @ linear.K @ held
    if not definite(inside[None]).all():
        raise DerivationError(
            f"With {quoted(kept)} held, {linear.system.title} is not held by its stiffness: static"
            " shapes are not told. Add interfaces, or reduce by modes alone."
        )
    across = np.linalg.pinv(C)
    static = across - held @ np.linalg.solve(inside, held.T @ linear.K @ across)
    count = _counted(modes, "modes", held.shape[1], least=0)
    shapes = held @ np.asarray(eigh(inside, held.T @ linear.M @ held)[1])[:, :count]
    return _along(linear, np.concatenate([static, shapes], axis=1), kept)


def _balanced(space: StateSpace, order: int) -> BalancedModel:
    if space.A.ndim > 2:
        raise DerivationError(f"reduce takes one model. Got a batch of shape {space.A.shape[:-2]}.")
    if not space.inputs or not space.outputs:
        raise DerivationError("Balanced states are between inputs and outputs; this model lacks one.")
    s = np.linalg.eigvals(space.A)
    slowest = s[np.argmax(s.real)]
    if slowest.real >= -DECAYS * np.abs(s).max():
        raise DerivationError(
            f"Balanced truncation needs a model whose motions all decay. Here s = {slowest:.6g} 1/s"
            " does not. Give it damping or feedback first, or reduce by modes."
        )
    found = balanced_states(space.A, space.B, space.C, order)
    if found.right.shape[1] < order:
        known = int((found.hankel > np.finfo(float).eps * len(s) * found.hankel[0]).sum())
        raise DerivationError(
            f"Of the balanced states {known} are above rounding. Got order={order}; ask for {known} or"
            " fewer."
        )
    A, B, C = found.left @ space.A @ found.right, found.left @ space.B, space.C @ found.right
    small = replace(space, A=A, B=B, C=C, velocities=None, linear=None)
    return BalancedModel(space, small, found.hankel, 2 * float(found.hankel[order:].sum()))


def _counted(given: Any, what: str, most: int, least: int = 1) -> int:
    if (
        isinstance(given, bool)
        or not isinstance(given, (int, np.integer))
        or not least <= given <= most
    ):
        raise DeclarationError(
            f"`{what}` must be a number from {least} to {most}: how many are kept. Got {given!r}."
        )
    return int(given)
