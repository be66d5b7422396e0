"""The linear model along a motion: matrices as functions of time."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any

import numpy as np
import sympy

from routh.analysis.given.redundancy import redundant
from routh.analysis.motion.trajectory import Trajectory
from routh.analysis.pieces.switches import refuse_jumps
from routh.arrays import Array
from routh.errors import DerivationError, capital, quoted
from routh.kernels.engine import Kernel, Point
from routh.kernels.kernel import kernel
from routh.language.symbols import Coordinate, Input
from routh.language.system import System
from routh.language.walk import leaves
from routh.numerics.solving.dependence import evened, independent_rows, ranks
from routh.recorded import Recorded
from routh.shown import as_html

LOOKED = 9
"""Places of a motion at which independent coordinates are looked for."""

WELL = 1e-3
"""Share of J that the chosen part of it must keep along a motion."""


@dataclass(frozen=True, eq=False, repr=False)
class LinearAlong(Recorded):
    """`M eta'' + (D + G) eta' + (K + H) eta = B u` along a motion; the matrices depend on time.

    D and K are symmetric, G and H skew; K + H holds dF/dt along the motion, D + G holds dM/dt. With
    constraints eta are independent coordinates: all of them move by `Z eta`, and what Z' and Z'' do is
    in D + G and K + H.

    Inputs that follow feedback laws along the motion are inputs like others (open loop), unless the
    model is that of the closed loop: then the laws are in D, G, K and H, and A is the matrix of the
    equation that `motion.transition` obeys.

    Attributes:
        reference: the motion.
        t: (T,) times.
        M, D, G, K, H: (..., T, r, r) matrices.
        B: (..., T, r, p) input matrix; `inputs` names its columns, a derivative being one of its own.
        Z: (..., T, n, r) how the coordinates move with eta.
        independent: the coordinates that eta are.
    """

    reference: Trajectory
    M: Annotated[Array, "*batch T r r"]
    D: Annotated[Array, "*batch T r r"]
    G: Annotated[Array, "*batch T r r"]
    K: Annotated[Array, "*batch T r r"]
    H: Annotated[Array, "*batch T r r"]
    B: Annotated[Array, "*batch T r p"]
    Z: Annotated[Array, "*batch T n r"] = field(repr=False)
    independent: tuple[Coordinate, ...]
    inputs: tuple[Input, ...]
    closed: bool = False
    """Whether feedback laws are part of the model."""

    @property
    def system(self) -> System:
        """The system."""
        return self.reference.system

    @property
    def t(self) -> Annotated[Array, "T"]:
        """(T,): the times."""
        return self.reference.t

    def __call__(self, times: object) -> LinearAlong:
        """The model at other times within the motion, from the motion itself at these times."""
        names = self.system.coordinates
        chosen = tuple(names.index(q) for q in self.independent)
        return linear_along(self.reference(times), chosen, closed=self.closed)

    @property
    def states(self) -> tuple[str, ...]:
        """The names of x = (eta, eta')."""
        return (*map(str, self.independent), *(str(q.rate) for q in self.independent))

    def first_order(self, times: Any = None) -> tuple[Array, Array]:
        """A (..., T, 2r, 2r) and B (..., T, 2r, p) of `x' = A x + B u` for x = (eta, eta').

        At the times of the model, or at others within the motion, of any shape: one time gives
        matrices alone. The motion is run again up to them, so values are as exact as it is; whoever
        needs A(t) and B(t) at very many times asks for them at once. `states` and `inputs` name rows
        and columns; of a model with closed=True feedback is part of A.

        Example:
            >>> import numpy as np
            >>> import routh as rt
            >>> x, u = rt.coordinate("x"), rt.input("u")
            >>> cart = rt.System(kinetic=rt.ddt(x)**2 / 2, potential=x**4 / 4, forces={x: u})
            >>> motion = rt.simulate(cart, {}, {x: 2.0}, np.linspace(0, 1, 5), inputs={u: 0.0})
            >>> A, B = rt.linearize(motion).first_order(0.0)
            >>> (A + 0.0).tolist(), B.tolist()
            ([[0.0, 1.0], [-12.0, 0.0]], [[0.0], [1.0]])
        """
        if times is None:
            return self.A, self._pushed
        asked = np.asarray(times, dtype=float)
        distinct, places = np.unique(asked, return_inverse=True)
        model = self(distinct)
        k = places.reshape(asked.shape)
        A, B = (np.moveaxis(each, -3, 0)[k] for each in (model.A, model._pushed))
        if self.reference.conditions.shape:
            A, B = (_batch_first(each, asked.ndim) for each in (A, B))
        return A, B

    @property
    def _pushed(self) -> Array:
        """(..., T, 2r, p): how inputs change the rates of the states."""
        push = np.linalg.solve(self.M, self.B)
        return np.concatenate([np.zeros_like(push), push], axis=-2)

    @cached_property
    def A(self) -> Annotated[Array, "*batch T 2*r 2*r"]:
        """(..., T, 2r, 2r): the state matrix for x = (eta, eta')."""
        r = self.M.shape[-1]
        inverse = np.linalg.inv(self.M)
        top = np.broadcast_to(np.eye(r, 2 * r, r), (*self.M.shape[:-2], r, 2 * r))
        below = np.concatenate([-inverse @ (self.K + self.H), -inverse @ (self.D + self.G)], axis=-1)
        return np.concatenate([top, below], axis=-2)

    def __repr__(self) -> str:
        return f"LinearAlong({self.system.title}, M {self.M.shape})"

    def __str__(self) -> str:
        count, r = len(self.t), self.M.shape[-1]
        text = (
            f"Linear model of {self.system.title} along a motion from t = {self.t[0]:g} to"
            f" {self.t[-1]:g}: {count} times, {r} degrees of freedom."
        )
        fed = [signal for signal, _ in feedback(self.reference)]
        if not fed:
            return text
        one = len(fed) == 1
        if self.closed:
            return (
                f"{text} Closed loop: the feedback {quoted(fed)} {'is' if one else 'are'} part of it."
            )
        return (
            f"{text} Open loop: the feedback {quoted(fed)} {'is an input' if one else 'are inputs'};"
            " closed=True makes it part of the model."
        )

    _repr_html_ = as_html


def _batch_first(array: Array, times: int) -> Array:
    """Axes of times behind those of the batch."""
    return np.moveaxis(array, range(times), range(array.ndim - 2 - times, array.ndim - 2))


def feedback(motion: Trajectory) -> tuple[tuple[Input, sympy.Expr], ...]:
    """The laws of a motion that contain coordinates or velocities."""
    laws = motion.flows[0].motion.laws
    return tuple(
        (signal, law) for signal, law in laws if any(isinstance(s, Coordinate) for s in leaves([law]))
    )


def linear_along(
    motion: Trajectory, chosen: tuple[int, ...] | None = None, *, closed: bool = False
) -> LinearAlong:
    """The linear model along a motion, in the independent coordinates that are chosen.

    With `closed` the feedback laws of its inputs are part of it.

    Raises:
        DerivationError: velocity constraints hold it, or the rank of constraints changes on the way.
    """
    system = motion.system
    if not all(system.is_holonomic):
        raise DerivationError(
            f"{capital(system.title)} has velocity constraints; the linear model along a motion is for"
            " constraints on positions."
        )
    engine = kernel(system)
    point = motion.point()
    refuse_jumps(engine, point, "The linear model along a motion")
    about = engine.in_motion
    M, C, K = about.variation.matrices(point.arguments)
    acting = list(about.acting)
    B = about.input_columns(point.arguments)[..., acting]
    if closed:
        C, K, acting, B = _closed(motion, engine, point, (C, K, B), acting)
    n = M.shape[-1]
    Z = np.broadcast_to(np.eye(n), M.shape)
    independent = tuple(range(n))
    if system.constraints:
        if about.moving_constraints:
            raise DerivationError(
                f"An input moves a constraint of {system.title}; its linear model along a motion is not"
                " available. Choose coordinates that move along with it."
            )
        count = motion.conditions.count
        independent, Z, Zd, Zdd = _admissible(engine, point, system, chosen, count)
        Zt = Z.swapaxes(1, 2)
        K = Zt @ (K @ Z + C @ Zd + M @ Zdd)
        C = Zt @ (C @ Z + 2 * M @ Zd)
        M, B = Zt @ M @ Z, Zt @ B
    given = motion.conditions
    count = len(motion.t)

    def fold(stack: Array) -> Array:
        return stack.reshape((*given.shape, count, *stack.shape[1:]))

    return LinearAlong(
        reference=motion,
        M=fold(_half(M, 1)),
        D=fold(_half(C, 1)),
        G=fold(_half(C, -1)),
        K=fold(_half(K, 1)),
        H=fold(_half(K, -1)),
        B=fold(B),
        Z=fold(np.asarray(Z)),
        independent=tuple(system.coordinates[k] for k in independent),
        inputs=tuple(engine.signals[k] for k in acting),
        closed=closed,
    )


def _closed(
    motion: Trajectory,
    engine: Kernel,
    point: Point,
    matrices: tuple[Array, Array, Array],
    acting: list[int],
) -> tuple[Array, Array, list[int], Array]:
    """C and K with the slopes of feedback laws, and what is left of the inputs.

    `M eta'' + C eta' + K eta = B du` with `du = law_v eta' + law_q eta`.
    """
    C, K, B = matrices
    laws = feedback(motion)
    if not laws:
        return C, K, acting, B
    by_q, by_v, _, _ = engine.slopes([law for _, law in laws], point)
    fed = {engine.signals.index(signal): row for row, (signal, _) in enumerate(laws)}
    columns = [k for k, place in enumerate(acting) if place in fed]
    rows = [fed[acting[k]] for k in columns]
    others = [k for k in range(len(acting)) if k not in columns]
    push = B[..., columns]
    left = [acting[k] for k in others]
    return C - push @ by_v[:, rows], K - push @ by_q[:, rows], left, B[..., others]


def _half(matrix: Array, sign: int) -> Array:
    return np.asarray((matrix + sign * matrix.swapaxes(-1, -2)) / 2)


def _admissible(
    engine: Kernel, point: Point, system: System, chosen: tuple[int, ...] | None, runs: int
) -> tuple[tuple[int, ...], Array, Array, Array]:
    """Independent coordinates, and how all move with them: Z, Z' and Z'' along the motion.

    J = (J_d, J_i) with J_d chosen well conditioned at the first point, so that Z is smooth in time:
    `J_d G = J_i`, `Z = (1, -G)`. Of constraints that depend on each other, as many count as are
    independent.
    """
    J, Jd, Jdd = engine.constraint_jacobian_rates(point)
    rows = _independent_rows(system, J, point.t[:, 0])
    J, Jd, Jdd = (each[:, rows] for each in (J, Jd, Jdd))
    n = J.shape[2]
    every = range(n)
    _, size, unit = evened(np.abs(J).max(axis=0, initial=0))
    even = J / size[:, None] / unit  # metres or millimetres, rows times what they like
    places = np.unique(np.linspace(0, len(J) - 1, LOOKED).astype(int))
    tried = [each for each in (_pivots(even[k]) for k in places) if each is not None]
    if chosen is not None:
        tried = [[k for k in every if k not in chosen]]
    dependent = next((each for each in tried if _keeps(even, each, runs)), None)
    if dependent is None:
        others = tried[0] if tried else []
        names = ", ".join(str(system.coordinates[k]) for k in every if k not in others)
        raise DerivationError(
            f"Along this motion {names} stop being independent coordinates of {system.title}. Linearize"
            " shorter pieces of it."
        )
    independent = tuple(k for k in every if k not in dependent)
    D, Dd, Ddd = (each[:, :, dependent] for each in (J, Jd, Jdd))
    I, Id, Idd = (each[:, :, independent] for each in (J, Jd, Jdd))
    G = np.linalg.solve(D, I)
    Gd = np.linalg.solve(D, Id - Dd @ G)
    Gdd = np.linalg.solve(D, Idd - Ddd @ G - 2 * Dd @ Gd)
    found = []
    for k, part in enumerate((G, Gd, Gdd)):
        own = np.zeros((len(J), n, len(independent)))
        own[:, dependent] = -part
        if k == 0:
            own[:, independent, range(len(independent))] = 1.0
        found.append(own)
    Z, Zd, Zdd = found
    return independent, Z, Zd, Zdd


def _independent_rows(system: System, J: Array, t: Array) -> list[int]:
    """As many constraints as J (T, c, n) has rank, which says the same as all of them.

    Raises:
        DerivationError: the rank is not the same all along.
    """
    found = ranks(J)
    most, least = int(np.argmax(found)), int(np.argmin(found))
    if found[most] != found[least]:
        raise DerivationError(
            f"The slope of the constraints of {system.title} has rank {found[least]} at"
            f" t = {t[least]:.6g} and rank {found[most]} at t = {t[most]:.6g}."
            f"{redundant(system, J[least])} Linearize pieces of the motion that do not contain it."
        )
    return independent_rows(J[most])


def _keeps(J: Array, dependent: list[int], runs: int) -> bool:
    """Whether the other coordinates stay independent along every run."""
    D = J[:, :, dependent]
    if D.shape[1] != D.shape[2]:
        return False
    sizes = np.linalg.svd(D, compute_uv=False)[:, -1]
    whole = np.linalg.svd(J, compute_uv=False)[:, 0]
    signs = np.sign(np.linalg.det(D)).reshape(runs, -1)
    return bool((sizes > WELL * whole).all() and (signs == signs[:, :1]).all())


def _pivots(J: Array) -> list[int] | None:
    """Columns of J that are far from dependent, one for each row, if there are: Gram-Schmidt."""
    left, chosen = J.copy(), list[int]()
    for _ in range(len(J)):
        sizes = (left**2).sum(axis=0)
        sizes[chosen] = 0.0
        k = int(np.argmax(sizes))
        if sizes[k] <= (WELL * np.abs(J).max(initial=0)) ** 2:
            return None
        direction = left[:, k] / np.sqrt(sizes[k])
        left = left - np.outer(direction, direction @ left)
        chosen.append(k)
    return sorted(chosen)
