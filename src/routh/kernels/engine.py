"""What the house asks of an engine: systems and expressions go in, arrays come out.

CasADi is known in `kernels` alone. The modules at its door are the wall that other rooms see; the rooms
behind it (`graphs`, `sums`, `moving`, `instructions`) are nobody else's business. A second engine is a
folder with the same wall:

    engine            this: the types of what crosses the wall
    motion_engine     the same for motions
    kernel            kernel(system): a Kernel
    motion            motion(system, laws, ...) and canonical_motion(...): a Motion
    discrete_action   variational(system): steps that keep the structure
    compiled          what is compiled for this machine, a thread a point
    blocks            the blocks of a linear model, by any Kernel
    both_sides        branches(system, pieces, outputs): functions made of pieces, side by side
    sampling          samples(system): expressions along the spaces of bodies
    plain_values      expressions of parameters alone, and along a space
    taylor_parts      parts of the equations and derivatives of L of any order
    loaded_rest       the equations of rest with loads among the unknowns
    precise_balance   the same with many digits
    exact_system      the same in balls, on which proofs stand
    lifted            how a system changes along fields of displacements
    handed_out        the functions of a system for other programs
    neutral_steps     a function as steps in words that every language has
    shared_object     libraries for other programs, by the compiler of this machine, and an integrator

`Engine` names them. `native` writes the functions of CasADi out as C for the cores of this machine.

`tests/kernels/test_one_engine.py` holds the list of all names that are imported through it. Stacks have
one row for each point, and arguments are passed in the order of `Point`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol

import numpy as np
import sympy
from numpy.typing import NDArray

from routh.arrays import Array, Mask
from routh.language.shapes import Rule
from routh.language.symbols import Input, Signal
from routh.language.system import System

Arguments = tuple[Array, ...]

Number = Any
"""A number of many digits, with the arithmetic of Python's."""


class Engine(StrEnum):
    """What carries out the functions of a system. Results are the same by each, to rounding."""

    AUTO = "auto"
    CASADI = "casadi"
    C = "c"
    CUDA = "cuda"

    @property
    def compiles(self) -> bool:
        """Whether functions are compiled, for cores or for a GPU."""
        return self in (Engine.C, Engine.CUDA)

    @property
    def target(self) -> Engine:
        """What is compiled for, where it is: a GPU if that was asked for, else the cores."""
        return Engine.CUDA if self is Engine.CUDA else Engine.C


class Unsupported(Exception):
    """A function without value here, or one that cannot be carried out."""


@dataclass(frozen=True)
class Point:
    """Where functions are evaluated: stacks of shape (N, size).

    `p` are the parameters of the system, `u` the signals of its kernel: inputs and their
    derivatives.
    """

    t: Array
    q: Array
    v: Array
    a: Array
    p: Array
    u: Array
    multipliers: Array

    @property
    def at_rest(self) -> bool:
        """Whether every velocity and acceleration is zero, at every point of the stack."""
        return not (self.v.any() or self.a.any())

    @property
    def arguments(self) -> Arguments:
        """The stacks in the order in which kernels take them."""
        return (self.t, self.q, self.v, self.a, self.p, self.u, self.multipliers)


class Rests(Protocol):
    """Roots that compiled code found, for each of N points."""

    @property
    def x(self) -> Array:
        """(N, n)"""

    @property
    def residual(self) -> Array:
        """(N, n)"""

    @property
    def tangent(self) -> Array:
        """(N, n, n): the derivative of the equations where the last step began."""

    @property
    def history(self) -> Array:
        """(steps + 1, N, n): the places from the guess on."""

    @property
    def plain(self) -> Mask:
        """(N,) where it is a root; the others take another way."""


class Structure(Protocol):
    """What energy decides of a linear model, for each of N points.

    `kind` is 0 where it is nothing for sure, 1 for a minimum, 2 for one with complete damping, 3 for
    none and nothing that holds against it, 4 for none with complete damping.
    """

    @property
    def kind(self) -> NDArray[np.int32]:
        """(N,)"""

    @property
    def falls(self) -> NDArray[np.int32]:
        """(N,) in how many directions the potential falls."""

    @property
    def least(self) -> Array:
        """(N,) the least curvature."""

    @property
    def blur(self) -> Array:
        """(N,) its bound."""


class Variation(Protocol):
    """The second variation of the Lagrangian at a reference."""

    def matrices(self, arguments: Arguments) -> tuple[Array, Array, Array]:
        """M, C and K, each of shape (N, n, n)."""

    def stiffness(self, arguments: Arguments) -> Array:
        """K alone."""


class Reference(Protocol):
    """The equations E = d/dt L_v - L_q + D_v - Q + J^T multipliers and phi about a reference."""

    def residual(self, arguments: Arguments) -> Array:
        """(N, n + c): E and phi."""

    def sizes(self, arguments: Arguments) -> Array:
        """(N, n + c): the absolute sums of what is added up in them; eps times it is rounding."""

    def poles(self, arguments: Arguments) -> Array:
        """(N, number): what vanishes where energies or forces are infinite."""

    def slopes(self, arguments: Arguments) -> dict[str, Array]:
        """(N, n + c, size): the derivatives by the parameters p, the signals u and velocities v."""

    def turned(self, arguments: Arguments, turn: Arguments, V: Array | None = None) -> dict[str, Array]:
        """How blocks of the linear model change where the arguments do, by `turn`: third derivatives.

        M, D + G, K + H (N, n, n), or times directions V (N, n, m) where they are given; B (N, n,
        signals), J and W (N, c, n) as of `blocks`, push (N, n, c), how multipliers push the
        coordinates, and phi_u (N, c, signals).
        """

    def input_columns(self, arguments: Arguments) -> Array:
        """(N, n, number of signals): B."""

    def products(self, arguments: Arguments, V: Array) -> tuple[Array, Array, Array]:
        """M V, C V and K V, each (N, n, m), with the digits that entries lose."""

    def rounding(self, arguments: Arguments, errors: Arguments, V: Array) -> tuple[Array, Array, Array]:
        """Bounds of the rounding in these products, given the errors of the arguments."""

    def varies_with_position(self, row: int) -> bool:
        """Whether one of the equations contains any coordinate or multiplier."""

    @property
    def variation(self) -> Variation:
        """The way to M, C and K."""

    @property
    def acting(self) -> tuple[int, ...]:
        """The signals that can act."""

    @property
    def moving_constraints(self) -> tuple[int, ...]:
        """The signals that the constraints contain."""

    @property
    def idle(self) -> tuple[bool, ...]:
        """Which coordinates enter none of the equations."""


class Density(Protocol):
    """The energy density along one space, and where it is evaluated."""

    @property
    def rule(self) -> Rule:
        """The points of the quadrature."""

    @property
    def variables(self) -> list[Signal]:
        """What the density contains: fields and slopes, coordinates, end values."""


class Sums(Reference, Protocol):
    """The same for a discretized system, which is a sum over quadrature points."""

    def local_matrices(self, arguments: Arguments) -> Iterator[tuple[Density, Array, Array]]:
        """(N, G, m, m) for each space: the masses and the stiffness of its density at the points."""

    def stiffness_along(self, arguments: Arguments, U: Array, V: Array) -> tuple[Array, Array]:
        """U^T K V with more digits than K has, and the absolute sum of what is added up in it."""


class SparseMatrices(Protocol):
    """M, C and K of a discretized system of very many coordinates, at one point at rest."""

    def matrices(self, arguments: Arguments) -> tuple[Any, Any, Any]:
        """M, C and K, sparse."""

    def stiffness(self, arguments: Arguments) -> Any:
        """K alone."""

    def projected(self, arguments: Arguments, V: Array) -> list[Array]:
        """V^T M V, V^T C V and V^T K V, with more digits than the matrices have."""

    def stiffness_along(self, arguments: Arguments, V: Array) -> tuple[Array, Array]:
        """V^T K V in the same way, and the absolute sum of what is added up in it."""


class Kernel(Protocol):
    """The functions of one system."""

    @property
    def system(self) -> System:
        """The system."""

    @property
    def signals(self) -> tuple[Input, ...]:
        """Inputs and their derivatives, in the order of `Point.u`."""

    @property
    def depends_on_time(self) -> bool:
        """Whether `t` is left in the energies; it may still cancel in value."""

    @property
    def masses_depend_on_time(self) -> bool:
        """Whether `t` is left in L_vv."""

    @property
    def matrices_depend_on_time(self) -> bool:
        """Whether time or inputs are left in M, C and K along a motion."""

    @property
    def forces_depend_on_velocity(self) -> bool:
        """Whether D_v - Q contains a velocity; if not, nothing is damped."""

    @property
    def forces_depend_on_position(self) -> bool:
        """Whether D_v - Q contains a coordinate; if not, nothing is circulatory."""

    @property
    def is_sum(self) -> bool:
        """Whether the system is discretized, and a plain sum over quadrature points."""

    @property
    def at_rest(self) -> Reference:
        """The equations where nothing but time and inputs moves."""

    @property
    def in_motion(self) -> Reference:
        """The equations along any motion."""

    def about(self, point: Point) -> Reference:
        """The equations about a reference: the small ones where nothing moves."""

    def sums_about(self, point: Point) -> Sums | None:
        """The same as a sum over points; None if it is none."""

    @property
    def sparse(self) -> SparseMatrices:
        """The matrices of a sum over points of very many coordinates."""

    def lagrangian(self, point: Point) -> Array:
        """(N,): L; the constraints' part vanishes where they hold."""

    def dynamics(
        self, point: Point, forces: Array | None = None, engine: Engine = Engine.AUTO
    ) -> tuple[Array, Array, Array, Array | None]:
        """M, h, Q with forces added, and a where it is written out."""

    def constraint_accelerations(self, point: Point) -> Array:
        """(N, c): gamma, so that the constraints' accelerations are J a + gamma."""

    def derivatives(self, point: Point) -> dict[str, Array]:
        """L_q, L_v (N, n); L_vv, L_vq, L_qq, D_vv, D_vq, Q_v, Q_q (N, n, n), a row each equation."""

    def second_derivatives(self, point: Point) -> dict[str, Array]:
        """L_vv, L_vq, L_qq, and the slopes Q_q and Q_v of the forces with damping, (N, n, n) each."""

    def growth(
        self, engine: Engine, evaluations: float
    ) -> Callable[[list[Array], Array, int], Array] | None:
        """What times of small motions about rests make of them by compiled code, if that pays for so
        many evaluations of second derivatives.

        A function of stacks of q to the multipliers of `Point`, rising times (N, cells + 1), and the
        number of equal steps in a cell, that gives (N, 2n, 2n) changes of (q, p).
        """

    def momentum_slopes(self, point: Point) -> dict[str, Array]:
        """(N, n, size): the derivatives of L_v by the parameters p, the signals u and velocities v."""

    def rests(self, point: Point, engine: Engine, least: Array | None = None) -> Rests | None:
        """Rests near guesses `point.q`, by compiled code; None where it is not for these.

        `least` (n,) are sizes that coordinates have at least.
        """

    @property
    def damping_depends_on_position(self) -> bool:
        """Whether the symmetric part of C at rest contains a coordinate, or may."""

    def structure(
        self,
        point: Point,
        moved: Sequence[tuple[Array, Array]],
        units: Array,
        matrices: Sequence[Array],
        engine: Engine,
    ) -> Structure | None:
        """What energy decides at rest, by compiled code; None where it is not for these points.

        Of M, D, G, K and H in units (N, n) of their own. `moved` are factors of p and q that move their
        last bits, by trial.
        """

    def tangent(self, point: Point) -> Array:
        """(N, n + c, n + c): the derivative of the balance by the coordinates and multipliers."""

    def matrices(self, point: Point, engine: Engine = Engine.CASADI) -> tuple[Array, Array, Array]:
        """M, C = D + G and K + H, each (N, n, n), about a rest or any motion."""

    def matrices_by(self, point: Point, engine: Engine) -> Engine:
        """Which engine makes `matrices` there."""

    def constraint_jacobian(self, point: Point) -> Array:
        """(N, c, n): J = dphi/dq, or dphi/dv for a velocity constraint."""

    def constraint_slopes(self, point: Point) -> tuple[Array, Array]:
        """(N, c, n) both: J, and dphi/dq of velocity constraints too."""

    def constraint_jacobian_rates(self, point: Point) -> tuple[Array, Array, Array]:
        """(N, c, n) each: J, and its first and second derivatives in time along a motion."""

    def values(self, expressions: Sequence[sympy.Expr], point: Point) -> Array:
        """(N, number of expressions): their values."""

    def by_parameters(self, expressions: Sequence[sympy.Expr], point: Point) -> Array:
        """Their derivatives by the parameters: (N, number of expressions, parameters)."""

    def slopes(self, expressions: Sequence[sympy.Expr], point: Point) -> tuple[Array, ...]:
        """Their derivatives by q, v, a and the signals: (N, number of expressions, size) each."""

    def turned(self, expressions: Sequence[sympy.Expr], point: Point, turn: Point) -> tuple[Array, ...]:
        """How their values (N, number of expressions, 1) and these derivatives change along `turn`."""


class Precise(Protocol):
    """A function with many digits and without bounds on exponents."""

    absorbed: bool
    """Whether, since it was last set to False, a term of a sum left no trace beside another."""

    def __call__(self, arguments: Sequence[Sequence[Number]]) -> list[list[list[Number]]]:
        """Each output as rows of numbers.

        Raises:
            Unsupported: a function has no value here, or is not known.
        """

    def number(self, value: Any) -> Number:
        """A number with these digits."""

    @property
    def matrix(self) -> Any:
        """What makes matrices of rows of numbers."""

    def solved(self, A: Any, b: Any) -> list[Number]:
        """The solution x of A x = b.

        Raises:
            ZeroDivisionError: A is singular.
        """
