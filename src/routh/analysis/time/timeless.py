"""Whether time drops out of the equations, shown from how they are written.

A twin of the system has its energies, forces and constraints sorted by functions of time
(`mechanics/forms/time_form`), with an input in the place of each function. So time drops out altogether
where no function is left, and at a point where what stands before each function is zero, to rounding.
Nothing is sampled: a kick of any width has a function of its own. What turns at a constant rate and an
input that rises are functions of time as well: a steady motion of the system is a rest of its twin.

Coefficients of long chains get names, so that forty links on a turntable take a second. What cannot
be sorted, since time and position are in one function, is refused. Work is counted in products of
terms, not in seconds.

Whether time enters is several questions, each asked by one function:

* Is it written in an expression? `language/walk.contains_time`; with inputs, `prescribed`. Is it left
  in the compiled energies? `Kernel.depends_on_time`. Both are forms: what they deny needs no proof.
* Does an expression change while positions, velocities and inputs are held? `language/derivation
  .explicit_rate`, which must vanish for an energy to be conserved.
* Do the equations change, in whatever motion? `autonomous`, and with the inputs of a person
  `Conditions.autonomous`.
* Do they about a rest or a steady motion of these coordinates? `Conditions.may_change_in_time` is quick
  and may say yes in vain; `Timeless.rows` and `Timeless.blocks` tell at a point.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import comb, factorial
from typing import Any

import numpy as np
import sympy
from numpy.typing import NDArray

from routh.arrays import Array
from routh.errors import RouthError
from routh.kernels.blocks import Blocks
from routh.kernels.engine import Kernel, Point
from routh.kernels.kernel import kernel
from routh.kernels.plain_values import plain_values
from routh.language.calculus import ddt
from routh.language.fields import Field
from routh.language.forces import Force, generalized_force
from routh.language.symbols import Coordinate, Input, Parameter, t
from routh.language.system import Discretization, System
from routh.language.walk import leaves
from routh.mechanics.forms.laurent import TooLongError
from routh.mechanics.forms.time_form import MixedError, Sorted, TimeFunction, sorted_parts

CERTAIN = 1e3
"""How many times rounding what stands before a function of time must be to count."""

LOUD = 2.0**200
"""Each function is tried this large, so that what it does is not lost beside what is steady; the
equations are linear in it."""

LONGEST = 1500
"""Operations of what is left with time, beyond which its equations are not derived."""

ENERGIES = ("kinetic", "potential", "lagrangian", "dissipation", "constraints")

Evaluate = Callable[[Kernel, Point], Blocks]
"""Blocks of a linear model of a system at a point."""

Differing = Callable[[Blocks, Blocks, float], Iterable[str]]
"""The names of blocks that differ by more than a share of the sizes of their entries."""

Rising = tuple[tuple[Input, int], ...]
"""Inputs that change in time, with the highest derivative that is given."""


@dataclass(frozen=True, eq=False)
class Timeless:
    """What time does in a system.

    Attributes:
        system: the system.
        shown: whether its equations are the same at all times, at whatever position and velocity.
        twin: the system with an input for each function of time that is left; None if there is none.
        functions: what each of these inputs stands for.
        term: what keeps time and what moves together, so that there is no twin.
    """

    system: System
    shown: bool
    turning: tuple[int, ...] = ()
    rising: Rising = ()
    twin: System | None = None
    functions: tuple[tuple[TimeFunction, Input], ...] = ()
    term: sympy.Expr | None = None

    def rows(self, point: Point) -> Array:
        """(N, n + c): what stands before functions of time in the equations, at a point at time zero.

        Absolute values, as far as they are more than rounding: zero where nothing changes, infinite
        where that is not shown.
        """
        none = np.zeros((len(point.q), point.q.shape[1] + point.multipliers.shape[1]))
        if self.shown:
            return none
        if self.twin is None:
            return none + np.inf
        base = self._at(point, {})
        steady = self._engine.about(base).residual(base.arguments)
        found = none
        for loud in self._directions(point):
            about = self._engine.about(loud)
            with np.errstate(all="ignore"):
                change = np.abs(about.residual(loud.arguments) - steady)
                rounding = np.finfo(float).eps * about.sizes(loud.arguments)
            found = np.maximum(found, np.where(change <= CERTAIN * rounding, 0.0, change / LOUD))
        return found

    def blocks(self, point: Point, evaluate: Evaluate, differing: Differing) -> list[str]:
        """The names of blocks that change with time, or may, about such points.

        They are evaluated for the twin with each function of time at work, and compared with those
        without. Blocks of Lagrange's equations do not change where time is `shown` to drop out.
        """
        if self.twin is None:
            return [] if self.shown else list(evaluate(kernel(self.system), point))
        steady = self._own(evaluate(self._engine, self._at(point, {})))
        names = set[str]()
        for loud in self._directions(point):
            found = self._own(evaluate(self._engine, loud))
            names |= set(differing(found, steady, CERTAIN * np.finfo(float).eps))
        return [name for name in steady if name in names]

    @property
    def _engine(self) -> Kernel:
        assert self.twin is not None
        return kernel(self.twin)

    def _own(self, found: Blocks) -> Blocks:
        """Blocks of the twin, with columns for the inputs of the system alone."""
        if "B" not in found:
            return found
        own = [k for k, s in enumerate(self._engine.signals) if s in self.system.signals]
        return {**found, "B": found["B"][..., own]}

    def _at(self, point: Point, signals: dict[Input, Array]) -> Point:
        """The point of the twin for a point of the system at time zero, with numbers for functions."""
        assert self.twin is not None
        count = len(point.q)
        numbers = dict(zip(self.system.parameters, point.p.T, strict=True))
        numbers |= {self._rates[k]: point.v[:, k] for k in self.turning}
        given = dict(zip(self.system.signals, point.u.T, strict=True))
        moved = {u for u, _ in self.rising}
        for (u, order), own in self._slopes.items():
            numbers[own] = given.get(ddt(u, order), np.zeros(count))
        v = point.v.copy()
        v[:, list(self.turning)] = 0.0
        constant = {s: x for s, x in given.items() if not (s.base in moved and s.order)}
        acting = constant | signals
        zero = np.zeros(count)
        return Point(
            t=np.zeros((count, 1)),
            q=point.q,
            v=v,
            a=point.a,
            p=_columns([numbers.get(p, zero) for p in self.twin.parameters], count),
            u=_columns([acting.get(s, zero) for s in self.twin.signals], count),
            multipliers=point.multipliers,
        )

    def _directions(self, point: Point) -> Iterator[Point]:
        """The point with one function of time at work after the other, very large.

        Derivatives of t**j exp((g + i w) t) are of the same kind; those of any other function are taken
        for functions of their own.
        """
        assert self.twin is not None
        highest = {u: max(s.order for s in self.twin.signals if s.base == u) for _, u in self.functions}
        kinds: dict[tuple[sympy.Expr, sympy.Expr], dict[tuple[int, bool], Input]] = {}
        one = np.full(len(point.q), LOUD)
        for f, u in self.functions:
            if f.other == 1:
                kinds.setdefault((f.growth, f.phase), {})[f.power, f.sine] = u
                continue
            for order in range(highest[u] + 1):
                yield self._at(point, {ddt(u, order): one})
        for (growth, phase), own in kinds.items():
            rate = self._number(growth, point) + 1j * self._number(phase, point)
            constant = growth == 0 and phase == 0
            for power in range(max(j for j, _ in own) + 1):
                if constant and not power:
                    continue  # what is left of t when it is differentiated does not change
                for sine in (False,) if phase == 0 else (False, True):
                    signals: dict[Input, Array] = {}
                    for (j, is_sine), u in own.items():
                        for order in range(highest[u] + 1):
                            factor = _share(rate, j, power, order)
                            part = factor.real if sine == is_sine else factor.imag
                            signals[ddt(u, order)] = LOUD * (-part if sine and not is_sine else part)
                    yield self._at(point, signals)

    def _number(self, expression: sympy.Expr, point: Point) -> Array:
        """(N,) the rate of a phase or growth, which is linear in time."""
        rate = expression.diff(t)
        own = sorted(rate.free_symbols, key=str)
        base = self._at(point, {})
        assert self.twin is not None
        numbers = dict(zip(self.system.parameters, point.p.T, strict=True))
        numbers |= {p: base.p[:, k] for k, p in enumerate(self.twin.parameters)}
        numbers |= {self._rates[k]: point.v[:, k] for k in self.turning}
        columns = _columns([numbers[p] for p in own], len(point.q))
        return plain_values([rate], own, columns)[:, 0]

    @cached_property
    def _rates(self) -> dict[int, Parameter]:
        return _rate_symbols(self.system, self.turning)

    @cached_property
    def _slopes(self) -> dict[tuple[Input, int], Parameter]:
        return _slope_symbols(self.rising)


def _columns(columns: Sequence[Array], count: int) -> Array:
    return np.stack(columns, axis=1) if len(columns) else np.zeros((count, 0))


def _share(rate: NDArray[np.complex128], j: int, power: int, order: int) -> NDArray[np.complex128]:
    """What stands before t**power exp(rate t) in a derivative of t**j exp(rate t)."""
    lost = j - power
    if not 0 <= lost <= order:
        return np.zeros_like(rate)
    whole = comb(order, lost) * factorial(j) // factorial(power)
    return np.asarray(whole * rate ** (order - lost))


def autonomous(engine: Kernel) -> bool:
    """Whether it is shown that time drops out of the equations, in whatever motion."""
    return not engine.depends_on_time or timeless(engine.system).shown


@lru_cache(maxsize=64)
def timeless(system: System, turning: tuple[int, ...] = (), rising: Rising = ()) -> Timeless:
    """What time does in a system, where some coordinates turn at constant rates and inputs rise."""
    moving = _moving(system, turning, rising)
    parts = {name: list(getattr(system.continuous or system, name)) for name in ENERGIES}
    parts["constraints"] = list(system.constraints)
    try:
        parts |= _forces(system, {t, *moving})
        flat = [e for part in parts.values() for e in part]
        found = iter(sorted_parts(flat, moving))
        sorts = {name: [next(found) for _ in part] for name, part in parts.items()}
    except TooLongError:
        return Timeless(system, False, turning, rising)
    except MixedError as error:
        return Timeless(system, False, turning, rising, term=error.term)
    if not any(each.moving for part in sorts.values() for each in part):
        return Timeless(system, True, turning, rising)
    shown = _adds_nothing(system, sorts)
    twin, functions = _twin(system, sorts, {t, *moving})
    return Timeless(system, shown, turning, rising, twin, functions)


def _moving(system: System, turning: tuple[int, ...], rising: Rising) -> dict[sympy.Symbol, sympy.Expr]:
    """What changes with time by itself: what turns, and inputs that rise."""
    moving: dict[sympy.Symbol, sympy.Expr] = {}
    for k, rate in _rate_symbols(system, turning).items():
        q = system.coordinates[k]
        moving |= {q: q + rate * t, q.rate: q.rate + rate}
    slopes = _slope_symbols(rising)
    for signal in system.signals:
        terms = [
            own * t ** (order - signal.order) / factorial(order - signal.order)
            for (u, order), own in slopes.items()
            if u == signal.base and order >= signal.order
        ]
        if terms:
            moving[signal] = signal + sympy.Add(*terms)
    return moving


def _rate_symbols(system: System, turning: tuple[int, ...]) -> dict[int, Parameter]:
    return {k: Parameter(f"rate of {system.coordinates[k]}") for k in turning}


def _slope_symbols(rising: Rising) -> dict[tuple[Input, int], Parameter]:
    return {
        (u, order): Parameter(f"slope {order} of {u}")
        for u, highest in rising
        for order in range(1, highest + 1)
    }


def _forces(system: System, timed: set[sympy.Symbol]) -> dict[str, list[sympy.Expr]]:
    """The components of forces at points without time; forces at points that time moves by coordinate.

    Raises:
        MixedError: a force per length acts at points that time moves.
    """
    carried = [f for f in system.forces if leaves(f.at) & timed]
    if carried and system.fields:
        raise MixedError(carried[0].at[0])
    by = [sympy.Add(*(f.generalized(q) for f in carried)) for q in system.coordinates]
    components = [e for f in system.forces if f not in carried for e in f.components]
    return {"forces": components, "carried": by if carried else []}


def _adds_nothing(system: System, sorts: dict[str, list[Sorted]]) -> bool:
    """Whether what is left with time in the energies leaves no time in the equations.

    So it is with m a t x' on a base that accelerates uniformly, and with the energy of a drive alone.
    """
    if any(each.moving for name in ("dissipation", "constraints", "forces", "carried")
           for each in sorts[name]):  # fmt: skip
        return False
    left = sympy.Add(
        *(
            (-1 if name == "potential" else 1) * coefficient * function.expression
            for name in ("kinetic", "potential", "lagrangian")
            for each in sorts[name]
            for function, coefficient in each.moving.items()
            if any(isinstance(s, (Coordinate, Field)) for s in leaves([coefficient]))
        )
    )
    if left == 0:
        return True
    if system.fields or sympy.count_ops(left) > LONGEST:
        return False
    rows = [ddt(left.diff(q.rate)) - left.diff(q) for q in system.coordinates]
    try:
        return not any(row.moving for row in sorted_parts(rows, {}))
    except (TooLongError, MixedError):
        return False


def _twin(
    system: System, sorts: dict[str, list[Sorted]], timed: set[sympy.Symbol]
) -> tuple[System | None, tuple[tuple[TimeFunction, Input], ...]]:
    """The system with inputs for the functions of time."""
    every = dict.fromkeys(f for part in sorts.values() for each in part for f in each.moving)
    inputs = {f: Input(f"function{k}") for k, f in enumerate(every)}
    written: dict[str, Any] = {
        name: [
            each.steady + sympy.Add(*(c * inputs[f] for f, c in each.moving.items())) for each in part
        ]
        for name, part in sorts.items()
    }
    components, carried = iter(written.pop("forces")), written.pop("carried")
    forces = [
        Force(type(f.components)([next(components) for _ in f.components]), f.at)
        for f in system.forces
        if not leaves(f.at) & timed
    ]
    forces += [generalized_force(q, Q) for q, Q in zip(system.coordinates, carried, strict=False)]
    try:
        own = system.continuous or system
        held = written.pop("constraints")
        if system.continuous is None:
            twin = own.changed(**written, forces=forces, constraints=held, friction=None)
        else:
            made = own.changed(**written, forces=forces)
            shaped = Discretization(made, system.shapes, system.rules, system.sizes)
            twin = made.discretized(shaped, system.coordinates, tuple(held))
        same = twin.coordinates == system.coordinates and twin.is_holonomic == system.is_holonomic
    except RouthError:
        return None, ()
    return (twin if same else None), tuple((f, u) for f, u in inputs.items())
