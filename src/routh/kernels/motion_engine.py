"""What the house asks of an engine for motions: functions of time and state, and whole runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

import numpy as np
import sympy
from numpy.typing import NDArray

from routh.arrays import Array
from routh.kernels.engine import Engine
from routh.language.symbols import Input
from routh.language.system import System

Laws = tuple[tuple[Input, sympy.Expr], ...]
"""What signals are, as expressions in time, coordinates, velocities and parameters."""


Watched = tuple[tuple[sympy.Expr, int], ...]
"""Expressions whose zeros are looked for, each with a direction: 1 rising, -1 falling, 0 both."""


class Call(Protocol):
    """A function of arrays that are shared with whoever writes into them."""

    @property
    def run(self) -> Callable[[], object]:
        """Evaluates the function at what the arguments are now."""

    @property
    def results(self) -> list[Array]:
        """What it then has written: entries that are not zero by structure, column by column."""

    def dense(self) -> list[Array]:
        """The same as matrices of their own."""


class Run(Protocol):
    """A run that is laid out in memory and has not begun."""

    @property
    def run(self) -> Callable[[], object]:
        """Begins it. Raises RuntimeError where it ends early, by Ctrl-C too."""

    @property
    def states(self) -> Array:
        """(T, size) what it has reached, NaN beyond."""

    def spent(self) -> tuple[int, int]:
        """The evaluations of x', and the steps, that it has taken."""


class Fleet(Protocol):
    """Runs that go at once, each with numbers of its own; rows of arrays are runs."""

    @property
    def t(self) -> Array:
        """(N,) where they are."""

    @property
    def x(self) -> Array:
        """(N, size) their states there."""

    @property
    def states(self) -> Array:
        """(N, T, size) the states at the outputs, NaN where they are not reached."""

    @property
    def going(self) -> NDArray[np.bool_]:
        """(N,) which are neither there nor stuck."""

    @property
    def arrived(self) -> NDArray[np.bool_]:
        """(N,) which have reached the last output."""

    @property
    def steps(self) -> NDArray[np.int64]:
        """(N,) their steps."""

    @property
    def evaluations(self) -> NDArray[np.int64]:
        """(N,) their evaluations of x'."""

    @property
    def energies(self) -> dict[str, Array]:
        """(N,) each, over the ends of all steps: how far the power balance is `off`, the largest size
        of the `kinetic` energy, the `least` and `most` of that at rest, and the largest sizes of the
        `whole` and of the `work`.
        """

    @property
    def ranges(self) -> tuple[Array, Array]:
        """(N, 2n) each: the least and the largest of q and v there."""

    def go(self, most: int) -> None:
        """So many steps of all that are going."""

    def give_up(self, which: NDArray[np.bool_]) -> None:
        """Take no further steps of some of them."""


class Settled(NamedTuple):
    """A step of exponential collocation: forces at its nodes, its end, its error, what rounds gain."""

    forces: Array
    end: Array
    error: float
    gain: float


class Step(Protocol):
    """Steps of exponential collocation of one length, by one linear part."""

    def __call__(
        self, t: float, x: Array, h: float, signals: Sequence[Array] = ()
    ) -> tuple[Settled | None, int]:
        """What the rounds of one settle at, if they do, and the evaluations of x' that they took.

        `signals` are those at the start and at the nodes (signals, nodes), where they change.
        """


class Rounds(Protocol):
    """Steps of exponential collocation by compiled code."""

    def step(
        self,
        given: tuple[Array, Array, Array],
        rule: Array,
        rounds: tuple[float, int],
        tolerances: tuple[float, Array],
        linear: Array,
        weights: Array,
    ) -> Step:
        """Steps of one length by one linear part, under parameters, signals and scales.

        `rounds` are the share of the tolerance that they leave, and how many there may be; arrays are
        those of `numerics.exponential.going_round`.
        """


class Motion(Protocol):
    """The functions of one system under given laws for its inputs.

    The state x is (q, v), or (q, p) `in_momenta`, and the work done on the system as a last entry where
    it can change (`works`). All functions take t, x, the parameters p, all signals u, and k: the scales
    of the coordinates (n) and of the constraints (c), and alpha and beta of Baumgarte's stabilization.
    Those that are asked for by name are

        rate        x'
        slope       (size, size) dx'/dx
        solved      the accelerations a, and the multipliers
        projected   the state after one step towards the constraints, and how far q moved
        held        the holonomic phi, and the rates J v + ... of all constraints
        matrices    M and J, without scales
        rubbing     the slopes of the forces by the multipliers, (n, c)
        energy      v . L_v - L, and the same without velocities
        momenta     (n, 1) L_v at (q, v)
        velocities  (n, 1) v at (q, p), where the state is in momenta
        signals     all signals, with those that laws give
    """

    @property
    def system(self) -> System:
        """The system that moves."""

    @property
    def laws(self) -> Laws:
        """The laws of its inputs."""

    @property
    def n(self) -> int:
        """The number of coordinates."""

    @property
    def c(self) -> int:
        """The number of constraints."""

    @property
    def size(self) -> int:
        """The length of the state."""

    @property
    def in_momenta(self) -> bool:
        """Whether the state is (q, p) instead of (q, v)."""

    @property
    def redundant(self) -> bool:
        """Whether constraints may depend on each other."""

    @property
    def works(self) -> bool:
        """Whether forces, damping, time or moving constraints can change the energy."""

    @property
    def damped(self) -> bool:
        """Whether forces or laws contain velocities, so that something may decay."""

    @property
    def timed(self) -> bool:
        """Whether time enters the equations of motion, by energies, constraints or laws."""

    @property
    def used(self) -> tuple[Input, ...]:
        """The signals that the equations of motion contain."""

    @property
    def moving_energy(self) -> tuple[Input, ...]:
        """The signals on which the work done on the system depends."""

    @property
    def effort(self) -> int:
        """Instructions of one evaluation of x': the same number on every machine."""

    def in_place(self, name: str, arguments: Sequence[Array]) -> Call:
        """One of the functions, at arguments that are written into from outside."""

    def at_points(self, name: str, arguments: Sequence[Array]) -> list[Array]:
        """Results of one of the functions for stacks of arguments, (N, rows, columns) each."""

    def run(
        self,
        implicit: bool,
        x: Array,
        p: Array,
        grid: tuple[float, ...],
        most: int,
        tolerances: tuple[float, float],
        longest: float,
    ) -> Run:
        """A run by a multistep method from x through the times t0 + h grid.

        `p` is (p, u, k, t0, h); BDF if it is implicit, else Adams, with at most so many steps from one
        time to the next, a relative and an absolute tolerance and a longest step in units of h.
        """

    def fleet(
        self,
        x: Array,
        given: tuple[Array, Array, Array],
        tolerances: Array,
        times: Array,
        last: float,
        longest: float,
        engine: Engine,
        watched: Watched = (),
        gap: float = np.inf,
        *,
        implicit: bool = False,
    ) -> Fleet:
        """Runs by compiled code from states (N, size) at the first of the times, which have not begun.

        `given` are the parameters, the signals and the scales k, `tolerances` (N, 2) relative and
        absolute. The explicit method is that of order 8, with projection onto the constraints after
        each step, the implicit one Radau IIA without; no step goes beyond `last`. A run in which
        something `watched` may have passed zero its way, as events that are looked for four times at
        least within `gap`, is stuck; constraints and the implicit method go without. Raises
        Unsupported where the equations cannot be written out.
        """

    def compiled(
        self, engine: Engine, evaluations: float, watched: Watched = (), *, implicit: bool = False
    ) -> bool:
        """Whether `fleet` is to be used for so many evaluations of x' by an engine."""

    def rounds(self, engine: Engine, evaluations: float, nodes: int) -> Rounds | None:
        """Steps of exponential collocation with so many nodes by compiled code.

        None where the equations cannot be written out, or that does not pay for so many evaluations of
        x' by an engine.
        """

    def varied(
        self, grid: tuple[float, ...], most: int, tolerances: tuple[float, float], longest: float
    ) -> Callable[[Array, Array], Array]:
        """A function of (x, X) and of (p, u, k, t0, h) that gives (x, X) at the times, (T, size).

        X (2n, 2n + parameters + 1), column by column, is how changes of the start, of the parameters
        and of the first time have grown. The function raises RuntimeError where it does not get there.
        """

    def held_rows(self, arguments: Sequence[Array]) -> tuple[Array, Array]:
        """(N, h) the holonomic phi, and (N, h, n) their slopes J, for stacks of arguments."""

    def held_curvature(self, arguments: Sequence[Array], mu: Array) -> Array:
        """(N, n, n): the second derivatives of mu . phi by q, for stacks of arguments and of mu."""

    def held_sizes(self, arguments: Sequence[Array]) -> list[Array]:
        """The sizes of what is added up in `held`, (N, rows, 1) each."""

    def watched(self, expressions: Sequence[sympy.Expr]) -> Callable[..., Array]:
        """A function of t, x, p, u, k and x' that gives values and rates (2, k) of expressions.

        They contain no accelerations; inputs are held fixed in the rates.
        """
