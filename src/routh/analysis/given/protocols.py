"""What results have in common, so that one of two kinds is used without asking which it is.

Results are frozen dataclasses; these protocols say what each kind of them has, and
tests hold every kind to them. Arrays have the leading axes of the batch everywhere.

`isinstance` asks whether the names are there, and computes none of them: before Python 3.12 that of
`typing` would, the verdicts along a branch and the energy of a motion, so `typing_extensions` is used.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from typing_extensions import Protocol, runtime_checkable

from routh.analysis.given.conditions import Conditions
from routh.arrays import Array
from routh.kernels.engine import Point
from routh.language.symbols import Input
from routh.language.system import System


@runtime_checkable
class OfSystem(Protocol):
    """Anything that a verb found out about a system."""

    @property
    def system(self) -> System:
        """The system it is about."""
        ...


@runtime_checkable
class Found(OfSystem, Protocol):
    """What was found for numbers, and what can be read in it: a rest, a steady motion, a motion."""

    @property
    def conditions(self) -> Conditions:
        """Parameter values, inputs and speeds that it was found for; `shape` is that of the batch."""
        ...

    @property
    def values(self) -> dict[str, Array]:
        """Parameter values by name, of batch shape."""
        ...

    @property
    def q(self) -> Array:
        """(..., n) coordinates; along a motion (..., T, n)."""
        ...

    @property
    def v(self) -> Array:
        """(..., n) velocities, likewise."""
        ...

    @property
    def multipliers(self) -> Array:
        """(..., c) one for each constraint, likewise."""
        ...

    @property
    def status(self) -> Any:
        """How it ended: a `Status`, or an array of them for a batch."""
        ...

    def point(self) -> Point:
        """All of it as one stack, for kernels."""
        ...

    def __getitem__(self, expression: Any) -> Array:
        """Any expression, or a symbol by its name."""
        ...


@runtime_checkable
class Motion(Found, Protocol):
    """What `simulate` returns: a `Trajectory`, or a `StickSlip` where there is dry friction."""

    @property
    def t(self) -> Array:
        """(T,) the times that were reached."""
        ...

    @property
    def a(self) -> Array:
        """(..., T, n) accelerations."""
        ...

    @property
    def energy(self) -> Array:
        """(..., T) the energy v . L_v - L."""
        ...

    @property
    def events(self) -> Any:
        """What happened, each with its time `t`."""
        ...

    @property
    def message(self) -> Any:
        """How it ended, as a sentence with numbers."""
        ...

    @property
    def completed(self) -> Any:
        """Whether it got where it was to go."""
        ...

    @property
    def rtol(self) -> float:
        """The relative tolerance of its steps."""
        ...


@runtime_checkable
class Linear(OfSystem, Protocol):
    """What `linearize` returns: a `LinearModel`, or a `LinearAlong` with time as the axis before."""

    @property
    def reference(self) -> Any:
        """The rest or the motion that it is about."""
        ...

    @property
    def M(self) -> Any:
        """(..., r, r) mass matrix."""
        ...

    @property
    def D(self) -> Any:
        """(..., r, r) damping matrix, symmetric."""
        ...

    @property
    def G(self) -> Any:
        """(..., r, r) gyroscopic matrix, skew."""
        ...

    @property
    def K(self) -> Any:
        """(..., r, r) stiffness matrix, symmetric."""
        ...

    @property
    def H(self) -> Any:
        """(..., r, r) circulatory matrix, skew."""
        ...

    @property
    def B(self) -> Array:
        """(..., r, p) input matrix."""
        ...

    @property
    def Z(self) -> Any:
        """(..., n, r) how the coordinates move."""
        ...

    @property
    def inputs(self) -> tuple[Input, ...]:
        """What the columns of B belong to."""
        ...


@runtime_checkable
class Followed(OfSystem, Protocol):
    """What `follow` returns: a `Branch` of equilibria or a `PeriodicBranch` of periodic motions."""

    @property
    def parameter(self) -> Any:
        """What was moved."""
        ...

    @property
    def at(self) -> Array:
        """(k,) its values, in the order in which they were met."""
        ...

    @property
    def points(self) -> tuple[Any, ...]:
        """The special points met, in order, each with its `kind` and its `value` of the parameter."""
        ...

    @property
    def verdicts(self) -> list[Any]:
        """The verdict on each of the equilibria or motions, a `Verdict`."""
        ...

    @property
    def ended(self) -> str:
        """Why it ended, as a sentence."""
        ...

    def of(self, kind: Any) -> tuple[Any, ...]:
        """The special points of one `Kind`."""
        ...

    def __len__(self) -> int: ...


@runtime_checkable
class Written(OfSystem, Protocol):
    """What `equations`, `linear_equations`, `equilibrium_equations` and `expand` write, of any system.

    Their `str` is plain text, and a notebook shows them as LaTeX.
    """

    def latex(self) -> str:
        """All of it in LaTeX."""
        ...

    def _repr_latex_(self) -> str: ...


@runtime_checkable
class Expanded(OfSystem, Protocol):
    """What `expand` returns, in symbols or in numbers."""

    @property
    def order(self) -> int:
        """The highest degree."""
        ...


@runtime_checkable
class ExpandedInSymbols(Expanded, Written, Protocol):
    """An `Expansion`, or a `FieldExpansion` of a system with fields."""

    @property
    def lagrangian(self) -> Mapping[int, Any]:
        """The parts of L by degree."""
        ...

    @property
    def parts(self) -> Mapping[int, Any]:
        """The parts of the equations by degree."""
        ...

    @property
    def residual(self) -> Any:
        """What is left of the equations at the reference itself."""
        ...

    def __getitem__(self, degree: int) -> Any:
        """The part of one degree."""
        ...
