"""State-space form of a linear model, for control engineers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import sympy
from scipy import signal

from routh.analysis.given.large import refuse_large
from routh.analysis.linear.admissible import null_basis
from routh.analysis.linear.linear_model import LinearModel, constant_model
from routh.analysis.linear.outputs import checked_outputs, output_slopes
from routh.analysis.linear.rolling import carried, first_order, independent_velocities
from routh.arrays import Array
from routh.errors import DerivationError, listed, needing
from routh.kernels.kernel import kernel
from routh.language.symbols import Coordinate, Input
from routh.numerics.rank import definite
from routh.recorded import Recorded
from routh.shown import as_html


@dataclass(frozen=True, eq=False, repr=False)
class StateSpace(Recorded):
    """`x' = A x + B u`, `y = C x + D u`; unpacks into these four.

    The state x is (eta, eta'), the deviation from the equilibrium and its rate, on the admissible
    motions; without constraints eta are the coordinates. With velocity constraints it is (eta, w), w
    being the velocities of as many coordinates as are independent. `inputs` and `outputs` name
    columns of B and rows of C; they too are deviations from their values at the equilibrium.
    """

    A: Annotated[Array, "*batch states states"]
    B: Annotated[Array, "*batch states p"]
    C: Annotated[Array, "*batch outputs states"]
    D: Annotated[Array, "*batch outputs p"]
    inputs: tuple[Input, ...]
    outputs: tuple[sympy.Expr, ...]
    velocities: tuple[Coordinate, ...] | None = None
    """With velocity constraints, the velocities w; None without, or where they differ in a batch."""
    states: tuple[str, ...] = ()
    """A name for each state: x, x' and so on, or eta1, eta1' where eta are no coordinates."""
    linear: LinearModel | None = None
    """The linear model whose states these are; None of matrices alone, and of balanced states."""

    def __post_init__(self) -> None:
        if not self.states:
            names = tuple(f"x{k + 1}" for k in range(self.A.shape[-1]))
            object.__setattr__(self, "states", names)

    def __repr__(self) -> str:
        names = f"inputs {listed(self.inputs)}, outputs {listed(self.outputs)}"
        return f"StateSpace(A {self.A.shape}, {names})"

    def __iter__(self) -> Iterator[Array]:
        return iter((self.A, self.B, self.C, self.D))

    def control(self) -> Any:
        """The same as a `control.StateSpace` of python-control (the extra `control`).

        States, inputs and outputs keep their names; points in them, which python-control keeps for
        itself, become underscores.

        Example:
            >>> import routh as rt
            >>> x, u = rt.coordinate("x"), rt.input("u")
            >>> cart = rt.System(kinetic=rt.ddt(x)**2 / 2, potential=2 * x**2, forces={x: u})
            >>> plant = rt.state_space(rt.linearize(rt.equilibrium(cart, {}))).control()
            >>> plant.poles()
            array([0.+2.j, 0.-2.j])
            >>> plant.state_labels
            ['x', "x'"]
        """
        with needing("control", "control", "StateSpace.control() needs python-control"):
            import control
        self._refuse_batch("python-control")
        if not self.inputs:
            raise DerivationError(
                "python-control needs a model with at least one input. This system has none: declare"
                " an input and let it act in `forces`."
            )
        if not self.outputs:
            raise DerivationError(
                "python-control needs a model with at least one output. Give `outputs` to state_space."
            )
        return control.ss(
            *self,
            states=_without_points(self.states),
            inputs=_without_points(self.inputs),
            outputs=_without_points(self.outputs),
        )

    def scipy(self) -> Any:
        """The same as a `scipy.signal.StateSpace`, for `lsim`, `bode` and the like.

        SciPy knows no names; the object has them as `state_names`, `input_names` and `output_names`.

        Example:
            >>> import routh as rt
            >>> x, u = rt.coordinate("x"), rt.input("u")
            >>> cart = rt.System(kinetic=rt.ddt(x)**2 / 2, potential=2 * x**2, forces={x: u})
            >>> plant = rt.state_space(rt.linearize(rt.equilibrium(cart, {}))).scipy()
            >>> plant.A.tolist(), plant.state_names
            ([[0.0, 1.0], [-4.0, 0.0]], ('x', "x'"))
        """
        self._refuse_batch("SciPy")
        made = signal.StateSpace(*self)
        made.state_names = self.states
        made.input_names = tuple(map(str, self.inputs))
        made.output_names = tuple(map(str, self.outputs))
        return made

    def _refuse_batch(self, package: str) -> None:
        if self.A.ndim != 2:
            raise DerivationError(
                f"{package} takes one model at a time. Got a batch of shape {self.A.shape[:-2]};"
                " linearize one point, or make objects of A[k], B[k], C[k], D[k]."
            )

    _repr_html_ = as_html


def state_space(linear: LinearModel, outputs: Sequence[sympy.Expr | str] | None = None) -> StateSpace:
    """The matrices A, B, C, D of a linear model.

    Arguments:
        linear: the linear model.
        outputs: expressions in coordinates, velocities, accelerations, inputs and parameters;
            the coordinates if not given.

    Raises:
        DerivationError: the mass matrix is singular, so velocities are no independent states; or an
            output has a kink at the equilibrium, or contains time.
        DeclarationError: an output is no expression of this system.

    Example:
        >>> import routh as rt
        >>> x, u = rt.coordinate("x"), rt.input("u")
        >>> cart = rt.System(kinetic=rt.ddt(x)**2 / 2, potential=2 * x**2, forces={x: u})
        >>> model = rt.state_space(rt.linearize(rt.equilibrium(cart, {})))
        >>> model.A
        array([[ 0.,  1.],
               [-4.,  0.]])
        >>> model.B.T
        array([[0., 1.]])
    """
    refuse_large(constant_model(linear, "state_space").system)
    given = linear.reference.conditions
    M, K, C, B, Z = (
        given.stacked(X)
        for X in (linear.M, linear.K + linear.H, linear.D + linear.G, linear.B, linear.Z)
    )
    known = np.asarray(np.isfinite(M).all(axis=(1, 2)))
    N = null_basis(given.stacked(linear.R))
    if not definite((N.swapaxes(1, 2) @ M @ N)[known]).all():
        raise DerivationError(
            f"The mass matrix of {linear.system.title} is singular or not positive: some direction"
            " has no inertia, so velocities are no independent states. Give it a mass, or remove"
            " the coordinate."
        )
    y = checked_outputs(linear, outputs)
    engine = kernel(linear.system)
    y_q, y_v, y_a, y_u = output_slopes(linear, y)
    signals = _signals(linear, engine.signals, y_u)
    columns = [engine.signals.index(signal) for signal in signals]
    B_all = np.zeros((given.count, M.shape[-1], len(signals)))
    B_all[..., [signals.index(signal) for signal in linear.inputs]] = B
    A, B_x, V, T = _states(linear, M, C, K, B_all)
    Y = np.zeros((given.count, Z.shape[1], len(signals)))
    Y[..., [signals.index(signal) for signal in linear.inputs]] = given.stacked(linear.Y)
    C_y = (y_v @ Z) @ V + (y_a @ Z) @ V @ A
    C_y[..., : M.shape[-1]] += y_q @ Z
    D_y = y_u[..., columns] + (y_v @ Z) @ T + (y_a @ Z) @ (V @ B_x + carried(T, signals, 1))
    for y_x, order in ((y_q, 0), (y_v, 1), (y_a, 2)):
        D_y += carried(y_x @ Y, signals, order)
    fold = given.folded
    w = None if linear.is_holonomic else independent_velocities(linear)
    states = _state_names(linear, w, A.shape[-1])
    return StateSpace(
        fold(A), fold(B_x), fold(C_y), fold(D_y), tuple(signals), tuple(y), w, states, linear
    )


def _state_names(
    linear: LinearModel, velocities: tuple[Coordinate, ...] | None, count: int
) -> tuple[str, ...]:
    """Names of (eta, eta') or (eta, w); velocities that differ within a batch have numbers."""
    eta = linear.displacements
    if linear.is_holonomic:
        return (*eta, *(f"{name}'" for name in eta))
    if velocities is None:
        return (*eta, *(f"w{k + 1}" for k in range(count - len(eta))))
    return (*eta, *map(str, velocities))


def _without_points(names: Sequence[object]) -> list[str]:
    """Names that python-control takes, each different from the others."""
    found: list[str] = []
    for name in names:
        text = str(name).replace(".", "_")
        while text in found:
            text += "_"
        found.append(text)
    return found


def _states(
    linear: LinearModel, M: Array, C: Array, K: Array, B: Array
) -> tuple[Array, Array, Array, Array]:
    """A and B of the states (eta, eta'), or (eta, w) with velocity constraints; eta' = V x + T u."""
    if not linear.is_holonomic:
        A, push, V, T = first_order(linear)
        more = ((0, 0), (0, 0), (0, B.shape[2] - push.shape[2]))
        return A, np.pad(push, more), V, np.pad(T, more)
    count, r = M.shape[:2]
    below = np.linalg.solve(M, np.concatenate([-K, -C, B], axis=-1))
    A = np.zeros((count, 2 * r, 2 * r))
    A[:, :r, r:] = np.eye(r)
    A[:, r:] = below[..., : 2 * r] + 0.0  # no -0
    push = below[..., 2 * r :]
    nothing = np.zeros_like(push)
    return A, np.concatenate([nothing, push], axis=1), A[:, :r], nothing


def _signals(linear: LinearModel, every: Sequence[Input], y_u: Array) -> list[Input]:
    """The inputs of the model, and those that outputs contain beside them."""
    seen = [signal for k, signal in enumerate(every) if y_u[..., k].any()]
    return [*linear.inputs, *(signal for signal in seen if signal not in linear.inputs)]
