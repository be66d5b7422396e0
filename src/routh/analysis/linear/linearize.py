"""The linear model about an equilibrium, as arrays straight from second derivatives of L."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import singledispatch
from typing import Any, overload

import numpy as np
import scipy
from numpy.typing import NDArray

from routh.analysis.given.engines import checked_engine
from routh.analysis.given.large import refuse_other_sums
from routh.analysis.given.numbers import number, yes_or_no
from routh.analysis.linear.admissible import admissible, null_basis
from routh.analysis.linear.along import LinearAlong, linear_along
from routh.analysis.linear.linear_model import LinearModel, skew, symmetric
from routh.analysis.linear.own_motions import Place, bounded
from routh.analysis.linear.sparse_matrices import large_matrices, sparse_blocks, sparse_differing
from routh.analysis.linear.unseen import refuse_unseen
from routh.analysis.motion.trajectory import Trajectory
from routh.analysis.pieces.kinks import smooth_at
from routh.analysis.rest.result import Equilibrium
from routh.analysis.time.timeless import Differing, Evaluate
from routh.arrays import Array, Mask
from routh.errors import (
    DeclarationError,
    DerivationError,
    SolveError,
    a_kind,
    capital,
    quoted,
    shortened,
)
from routh.kernels.blocks import Blocks, block_sizes, blocks, differing
from routh.kernels.engine import Engine, Kernel, Point
from routh.kernels.kernel import kernel
from routh.language.calculus import ddt
from routh.language.contact.reaction import depends_on_reactions
from routh.language.gates import refuse_reactions
from routh.language.make import Make
from routh.language.symbols import Input
from routh.language.system import System
from routh.language.walk import leaves
from routh.mechanics.constraints import ConstraintKind, constraint_kinds
from routh.numerics.solving.dependence import RANK, inverse, ranks
from routh.numerics.spectra.own_units import in_units, units

LARGEST = 1e150
"""Entries of matrices beyond this have no squares in double precision."""

PURE_ROUNDING = 1e-13
"""A skew or symmetric part below this share of the whole matrix may be rounding: then it is compared
with a bound of its own."""


@overload
def linearize(
    reference: Equilibrium, *, time: float | None = None, engine: str = "auto"
) -> LinearModel: ...
@overload
def linearize(reference: Trajectory, *, closed: bool = False) -> LinearAlong: ...
def linearize(
    reference: Equilibrium | Trajectory,
    *,
    time: float | None = None,
    closed: bool = False,
    engine: str = "auto",
) -> LinearModel | LinearAlong:
    """The linear model about an equilibrium, or along a motion.

    With constraints it is the model on the admissible motions, `Z^T M Z` and so on, with the
    multiplier-weighted Hessian of the constraints in K; `descriptor` is its full form. Velocity
    constraints that hold no position stay beside it, as R and W. A point of a batch where no
    equilibrium was found, or where the equations have a kink, has NaN for matrices.

    Arguments:
        reference: what `equilibrium` returned; or a motion that `simulate` returned, along which the
            matrices are functions of time (`LinearAlong`).
        time: where the matrices depend on time although the position does not, the time at
            which to freeze them. Eigenvalues of frozen matrices say nothing about stability.
        closed: along a motion whose inputs follow feedback laws, whether the laws are part of the model
            (closed loop, as in `motion.transition`) or the inputs stay inputs (open loop).
        engine: about an equilibrium, "casadi", or "c": compiled for all cores of this machine; "auto"
            does so where there are so many points that it pays. The digits are the same. "cuda" is for
            an NVIDIA GPU (extra `gpu`), where sines and the like differ in the last digit.

    Raises:
        DeclarationError: `closed` is asked for about an equilibrium, or `time` or `engine` along a
            motion.
        DerivationError: the matrices depend on time and `time` is not given; the equations have a
            kink at the equilibrium (Abs, Max, Piecewise where their branches meet); an input moves
            a holonomic constraint beside velocity constraints; the matrices along a motion change
            within less than its outputs show; or "c" was asked for, and there is no compiler.
        SolveError: the reference is a single point that was not found.

    Example:
        >>> import routh as rt
        >>> theta = rt.coordinate("theta")
        >>> pendulum = rt.System(kinetic=rt.ddt(theta)**2 / 2, potential=-4 * rt.cos(theta))
        >>> linear = rt.linearize(rt.equilibrium(pendulum, {}))
        >>> linear.M, linear.K
        (array([[1.]]), array([[4.]]))
    """
    yes_or_no(closed, "closed")
    return _linearized(reference, time, closed, checked_engine(engine))


@singledispatch
def _linearized(reference: object, *_: Any) -> LinearModel | LinearAlong:
    """The linear model of what was given: about a rest, or along a motion."""
    raise DerivationError(
        f"linearize needs an Equilibrium, as equilibrium(system, values) returns it, or a motion."
        f" Got {a_kind(reference)}."
    )


@_linearized.register
def _(reference: Trajectory, time: float | None, closed: bool, by: Engine) -> LinearAlong:
    if by is not Engine.AUTO:
        raise DeclarationError(
            f'`engine` is for the matrices about an equilibrium. Got "{by}" along a motion.'
        )
    if time is not None:
        raise DeclarationError(
            "`time` freezes matrices about an equilibrium; along a motion they are functions of"
            " time: linearize(motion)([1.5]) has those at t = 1.5."
        )
    refuse_unseen(reference)
    refuse_reactions(reference.system, "linearize(motion)")
    return linear_along(reference, closed=closed)


@_linearized.register
def _(reference: Equilibrium, time: float | None, closed: bool, by: Engine) -> LinearModel:
    if closed:
        raise DeclarationError(
            "`closed` is for a motion, whose inputs follow feedback laws. About an equilibrium inputs"
            " are constant: write the law into `forces` instead."
        )
    if not reference.conditions.shape and not reference.converged:
        raise SolveError(
            f"linearize needs an equilibrium that was found. Got one with status: {reference.status}",
            reference,
        )
    if time is not None:
        when = number(time, "`time`")
        if when.shape:
            raise DeclarationError(f"`time` must be one number. Got {time!r}.")
        time = float(when)
    if reference.system.make is Make.SPARSE:
        return _about_many(kernel(reference.system), reference, time)
    return _about(kernel(reference.system), reference, time, by)


def _about(engine: Kernel, reference: Equilibrium, time: float | None, by: Engine) -> LinearModel:
    """The model with dense matrices, which change in time only if they are frozen on purpose."""
    if reference.system.constraints:
        _refuse_moved_positions(reference.system)
    frozen = _frozen(engine, reference, time, blocks, differing)
    point = reference.point(frozen or 0.0)
    found = blocks(engine, point, by)
    broken = _kinked(engine, reference) | _overflowing(reference, found)
    made = _model(engine, reference, found, frozen, broken)
    return replace(made, engine=engine.matrices_by(point, by))


def _about_many(engine: Kernel, reference: Equilibrium, time: float | None) -> LinearModel:
    """The model of a system of very many coordinates, with sparse matrices."""
    refuse_other_sums(engine)
    frozen = _frozen(engine, reference, time, sparse_blocks, sparse_differing)
    _kinked(engine, reference)
    M, D, G, K, H = large_matrices(engine, reference, frozen or 0.0)
    n = M.shape[0]
    point = reference.point(frozen or 0.0)
    acting = list(engine.about(point).acting)
    B = engine.about(point).input_columns(point.arguments)[0][:, acting]
    none = np.zeros((0, n))
    inputs = tuple(engine.signals[k] for k in acting)
    return LinearModel(
        reference=reference, M=M, D=D, G=G, K=K, H=H, B=B, Z=scipy.sparse.eye_array(n, format="csr"),
        Y=np.zeros_like(B), R=none, W=none, S=np.zeros((0, len(inputs))), inputs=inputs, time=frozen,
    )  # fmt: skip


def _frozen(
    engine: Kernel, reference: Equilibrium, time: float | None, made: Evaluate, compared: Differing
) -> float | None:
    """The time at which matrices that change are frozen on purpose; None where they are constant."""
    given = reference.conditions
    if not given.may_change_in_time(engine) or given.timeless.shown:
        return None
    moving = given.timeless.blocks(reference.point(0.0), made, compared)
    if moving and time is None:
        raise DerivationError(
            f"The linear model of {reference.system.title} depends on time, although its"
            f" equilibrium does not: {quoted(moving)} {'changes' if len(moving) == 1 else 'change'}."
            " Eigenvalues of frozen matrices would be wrong: floquet(system, values, period) judges a"
            " periodic drive; time= freezes them on purpose."
        )
    return time if moving else None


def _kinked(engine: Kernel, reference: Equilibrium) -> NDArray[np.bool_]:
    """(N,) where there is no linear model because branches of a function meet."""
    found = smooth_at(engine, reference.point(), order=1)
    if not reference.conditions.shape:
        found.refuse(
            f"{capital(reference.system.title)} has no linear model here: its equations have a kink at"
            " the equilibrium",
            "Linearize beside it, or replace the function by a smooth one.",
        )
    return found.broken


def _overflowing(reference: Equilibrium, found: Blocks) -> NDArray[np.bool_]:
    """(N,) where matrices are too large to compute with; they become NaN."""
    known = np.atleast_1d(reference.converged).reshape(-1)
    lost = np.zeros(len(known), dtype=bool)
    for name in ("M", "D + G", "K + H", "B"):
        with np.errstate(invalid="ignore"):
            beyond = known & ~(np.abs(found[name]) <= LARGEST).all(axis=(1, 2))
        if beyond.any() and not reference.conditions.shape:
            raise SolveError(
                f"The linear model of {reference.system.title} cannot be computed: an entry of"
                f" `{name}` is not finite or beyond {LARGEST:g}, where products overflow. Look at the"
                " values, or write them in other units.",
                reference,
            )
        lost |= beyond
    for block in found.values():
        block[lost] = np.nan
    return lost


def _refuse_moved_positions(system: System) -> None:
    """An input in a holonomic constraint carries coordinates along, which R and W do not tell."""
    kinds = constraint_kinds(system)
    if ConstraintKind.NONHOLONOMIC not in kinds:
        return
    for phi, kind in zip(system.constraints, kinds, strict=True):
        moved = [s for s in leaves([phi]) if isinstance(s, Input)]
        if moved and kind is not ConstraintKind.NONHOLONOMIC:
            raise DerivationError(
                "linearize works with velocity constraints where no holonomic one contains an input."
                f" `{shortened(phi)}` contains {quoted(moved[:1])}; choose coordinates that move along"
                " with it, or make it a parameter."
            )


def _model(
    engine: Kernel,
    reference: Equilibrium,
    found: Blocks,
    time: float | None,
    broken: NDArray[np.bool_],
) -> LinearModel:
    """The blocks on the admissible motions, split into symmetric and skew parts."""
    M, C, K, B, J, W = found.values()
    kinds = constraint_kinds(reference.system) if reference.system.constraints else ()
    rolling = [k for k, kind in enumerate(kinds) if kind is ConstraintKind.NONHOLONOMIC]
    holding = [k for k in range(len(kinds)) if k not in rolling]
    Z = admissible(J[:, holding], units(M, C, K))
    point = reference.point(time or 0.0)
    B, Y, S, acting = _inputs(engine, point, found, holding)
    R, W, S = J[:, rolling] @ Z, W[:, rolling] @ Z, S[:, rolling]
    if holding:
        Zt = Z.swapaxes(1, 2)
        if depends_on_reactions(reference.system.forces):
            Zt = left_basis(engine, point, M, Z, rolling)
        M, C, K, B = Zt @ M @ Z, Zt @ C @ Z, Zt @ K @ Z, Zt @ B
    lost = ~np.atleast_1d(reference.converged).reshape(-1) | broken
    if lost.any():
        for block in (M, C, K, B):
            block[lost] = np.nan  # there is no equilibrium, or no linear model of it
    # Constant matrices: sym(C) = dM/dt + sym(N_v) and skew(K) = dG/dt / 2 + skew(N_q), N = D_v - Q.
    damped = time is not None or engine.forces_depend_on_velocity
    circulatory = time is not None or engine.forces_depend_on_position
    D = symmetric(C) if damped else np.zeros_like(C)
    H = skew(K) if circulatory else np.zeros_like(K)
    G = skew(C)
    if reference.system.forces or rolling or reference.system.shapes:
        # a gradient written as a force leaves rounding, and so do sums over many points
        d = units(M, C, K)
        sizes = block_sizes({"M": in_units(M, d), "D + G": in_units(C, d), "K + H": in_units(K, d)})
        slight = [_slight(X, d, sizes[name]) for X, name in ((D, "D + G"), (G, "D + G"), (H, "K + H"))]
        place = Place(reference, Z, np.zeros((*Z.shape[:2], 0)), time or 0.0)
        for X, mask in zip((D, G, H), _rounding(place, (D, G, H), slight), strict=True):
            X[mask] = 0.0
    fold = reference.conditions.folded
    return LinearModel(
        reference=reference,
        M=fold(symmetric(M)),
        D=fold(D),
        G=fold(G),
        K=fold(symmetric(K)),
        H=fold(H),
        B=fold(B),
        Z=fold(Z),
        Y=fold(Y),
        R=fold(R),
        W=fold(W),
        S=fold(S),
        inputs=tuple(engine.signals[k] for k in acting),
        time=time,
    )


def left_basis(engine: Kernel, point: Point, M: Array, Z: Array, rolling: Sequence[int] = ()) -> Array:
    """(N, r, n): Z_left^T, for the equations where forces depend on those of constraints.

    It takes the place of Z^T: J^T - Q_multipliers drops out by it, and Z^T M Z is left for the inertia.
    What such forces do appears in K + H and D + G.
    """
    if rolling:
        raise DerivationError(
            "The linear model with velocity constraints is for forces that do not depend on those of"
            " constraints, as friction by reaction(...) does. Look at motions instead."
        )
    n = point.q.shape[1]
    push = engine.tangent(point)[:, :n, n:]
    left = null_basis(push.swapaxes(1, 2)).swapaxes(1, 2)
    inertia = left @ M @ Z
    if left.shape[1] != Z.shape[2] or (np.linalg.cond(inertia) > 1 / RANK).any():
        raise DerivationError(
            "The system has no linear model here: forces that depend on those of constraints, as"
            " friction does, are large enough to jam (Painleve)."
        )
    return np.asarray(Z.swapaxes(1, 2) @ M @ Z @ np.linalg.solve(inertia, left))


def _inputs(
    engine: Kernel, point: Point, found: Blocks, holding: list[int]
) -> tuple[Array, Array, Array, list[int]]:
    """B, Y and dphi/du for the signals that act, and their places.

    Where inputs move holonomic constraints, `J dq + phi_u u = 0` is met by dq = Z eta + Y u, and the
    inertia, damping and stiffness of Y u act as `-(M Y u'' + C Y u' + K Y u)`. In velocity constraints
    an input acts, and its rate.
    """
    about = engine.about(point)
    n = point.q.shape[1]
    B = found["B"].copy()
    Y = np.zeros_like(B)
    acting = set(about.acting)
    by_u = np.zeros((len(B), found["J"].shape[1], B.shape[2]))
    if about.moving_constraints:
        by_u = about.slopes(point.arguments)["u"][:, n:]
    shortest = _shortest(np.nan_to_num(found["J"][:, holding]))
    for k in about.moving_constraints:
        Y[..., k] = -np.einsum("knc,kc->kn", shortest, by_u[:, holding, k])
        carried = bool(Y[..., k].any())
        for order, name in enumerate(("K + H", "D + G", "M")):
            if order < 2 or carried:
                place = engine.signals.index(ddt(engine.signals[k], order))
                B[..., place] -= np.einsum("kij,kj->ki", found[name], Y[..., k])
                acting.add(place)
    chosen = sorted(acting)
    return B[..., chosen], Y[..., chosen], by_u[..., chosen], chosen


def _shortest(J: Array) -> Array:
    """(N, n, c): the shortest displacements that meet J dq = r, as many rows counting as independent
    as elsewhere.
    """
    size = np.abs(J).max(axis=2, initial=0)
    size = np.where(size > 0, size, 1.0)  # factors of constraints must not decide on their rank
    rows = J / size[..., None]
    found: Array = np.linalg.pinv(rows, rcond=RANK) / size[:, None]
    if J.shape[1] > 1:
        values = np.linalg.svd(rows, compute_uv=False)
        for k in np.flatnonzero((values > RANK * values[:, :1]).sum(axis=1) < ranks(J)):
            found[k] = inverse(J[k])  # units of coordinates hide a row: they are taken out
    return found


def _slight(part: Array, d: Array, size: Array) -> Mask:
    """(N,) where a symmetric or skew part, in units d, is so small that it may be rounding."""
    return np.asarray((np.abs(in_units(part, d)) <= PURE_ROUNDING * size).all(axis=(1, 2)))


def _rounding(place: Place, parts: Sequence[Array], slight: Sequence[Mask]) -> Sequence[Mask]:
    """(N,) each, where D, G and H are nothing but rounding, of those points where they are slight.

    A weak force that is written as it is, one term, is known to all of its digits beside a stiff
    spring. What is summed up over points, or divided by reactions, has no bound of its own.
    """
    system = place.reference.system
    acting = np.any([mask & X.any(axis=(1, 2)) for X, mask in zip(parts, slight, strict=True)], axis=0)
    index = np.flatnonzero(acting)
    if system.shapes or depends_on_reactions(system.forces) or not len(index):
        return slight
    some = place.chosen(index)
    damping, stiffness = bounded(some, some.Z)[4:]
    found = [mask.copy() for mask in slight]
    for mask, X, bound in zip(found, parts, (damping, damping, stiffness), strict=True):
        mask[index] &= (np.abs(X[index]) <= bound).all(axis=(1, 2))
    return found
