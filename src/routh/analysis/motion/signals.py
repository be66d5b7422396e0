"""Inputs along a motion: numbers, functions of time, expressions, and feedback laws.

An expression in time is differentiated as often as the equations need it. A feedback law is an
expression with coordinates or velocities. A Python function of time gives the input alone; where the
equations contain its derivative, that is given beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import sympy

from routh.analysis.given.conditions import Conditions
from routh.analysis.given.numbers import Numbers, by_symbol, number
from routh.analysis.given.reading import own_expression
from routh.arrays import Array
from routh.errors import DeclarationError, listed, quoted, shortened
from routh.kernels.engine import Kernel
from routh.kernels.kernel import kernel
from routh.kernels.motion import motion
from routh.kernels.motion_engine import Laws
from routh.language.calculus import ddt
from routh.language.names import by_name
from routh.language.symbols import Coordinate, Input
from routh.language.system import System
from routh.language.walk import leaves

Given = Callable[[float], float]


@dataclass(frozen=True)
class Signals:
    """What was given for inputs, by kind."""

    numbers: Numbers
    laws: Laws
    functions: dict[Input, Given] = field(repr=False)

    def tell(self, needed: Sequence[Input]) -> bool:
        """Whether functions of time were given for all derivatives that are needed."""
        bases = {signal.base for signal in self.functions}
        return all(signal.base not in bases or signal in self.functions for signal in needed)

    def at(
        self, system: System, given: Conditions, k: int
    ) -> tuple[Array, Callable[[float], Array] | None]:
        """The signals of point k of a batch at time zero, and their function of time if they move."""
        engine = kernel(system)
        constant = given.chosen(np.array([k]))
        start = constant.signals_at(engine, 0.0)[0]
        if not self.functions and not constant.inputs_move:
            return start, None
        places = {engine.signals.index(u): f for u, f in self.functions.items()}
        return start, _Along(engine, constant, start, places)


@dataclass(frozen=True)
class _Along:
    """All signals of one point of a batch as a function of time."""

    engine: Kernel
    constant: Conditions
    start: Array
    places: dict[int, Given]

    def __call__(self, t: float) -> Array:
        moves = self.constant.inputs_move
        u: Array = self.constant.signals_at(self.engine, t)[0] if moves else self.start.copy()
        for place, function in self.places.items():
            u[place] = function(t)
        return u


def signals(system: System, inputs: Numbers | None) -> Signals:
    """The checked inputs of a simulation."""
    engine = motion(system, (), False, False)
    asked = tuple(s for s in system.declared if isinstance(s, Input) and s.order)  # as slips contain
    used = (*engine.used, *(s for s in asked if s not in engine.used))
    told = {*used, *engine.moving_energy}
    given = by_symbol(system, {} if inputs is None else inputs, "inputs")
    lacking = [u for u in system.inputs if not any(s.base == u for s in given)]
    if lacking:
        raise DeclarationError(
            f"`inputs` lacks {quoted(lacking)}. Got: {listed(given)}. Give a number, an expression in t"
            f" or in the coordinates, or a function of time: inputs={{{lacking[0]}: 0}}."
        )
    numbers: dict[Input, object] = {}
    laws: dict[Input, sympy.Expr] = {}
    functions: dict[Input, Given] = {}
    for signal, told_by in given.items():
        value = by_name(system, told_by, f"The law of `{signal}`")
        if isinstance(value, sympy.Expr) and not value.is_number:
            laws |= {
                s: e for s, e in _law(system, signal, value, used).items() if s in told or s == signal
            }
        elif callable(value):
            functions[signal] = _Checked(signal, value)
        else:
            numbers[signal] = value
    _refuse_missing_derivatives(functions, laws, numbers, used)
    return Signals(numbers, _ordered(laws), functions)


def _ordered(laws: Mapping[Input, sympy.Expr]) -> Laws:
    """Laws in an order that does not depend on how they were given."""
    return tuple(sorted(laws.items(), key=lambda law: (law[0].serial, law[0].order)))


def _law(
    system: System, signal: Input, value: sympy.Expr, used: tuple[Input, ...]
) -> dict[Input, sympy.Expr]:
    """The signal and its derivatives as expressions."""
    law = own_expression(system, value, f"The law of `{signal}`")
    inputs = [s for s in leaves([law]) if isinstance(s, Input)]
    if inputs:
        raise DeclarationError(
            f"The law of `{signal}`, `{shortened(law)}`, contains the input {quoted(inputs[:1])}."
            " Expected an expression in t, coordinates, velocities and parameters."
        )
    moving = [s for s in leaves([law]) if isinstance(s, Coordinate)]
    rising = [s for s in moving if s.order > 1]
    if rising:
        raise DeclarationError(
            f"The law of `{signal}` contains the acceleration {quoted(rising)}. Expected"
            " an expression in t, coordinates, velocities and parameters."
        )
    own = [s for s in kernel(system).signals if s.base == signal.base and s.order >= signal.order]
    later = [s for s in own if s.order > signal.order and s in used]
    if moving and later:
        raise DeclarationError(
            f"The equations contain {quoted(later)}, so `{signal}` cannot be a feedback law: its"
            " derivative would contain accelerations. Give it as an expression in t."
        )
    if moving:
        return {signal: law}
    rates = {s: ddt(law, s.order - signal.order) for s in own}
    infinite = [s for s, rate in rates.items() if rate.has(sympy.DiracDelta) and s in used]
    if infinite:
        raise DeclarationError(
            f"The equations contain {quoted(infinite)}, which is not finite where the law of"
            f" `{signal}`, `{shortened(law)}`, jumps. Write it without jumps, like tanh(100*x)"
            " for sign(x)."
        )
    # what others do is work, and work at jumps is the change of the energy there
    return {s: rate.replace(sympy.DiracDelta, lambda *_: sympy.S.Zero) for s, rate in rates.items()}


@dataclass(frozen=True)
class _Checked:
    """A function of time that names itself when what it gives is no number."""

    signal: Input
    function: Callable[[float], object]

    def __call__(self, t: float) -> float:
        try:
            found = self.function(t)
        except Exception as error:
            raise DeclarationError(
                f"The input `{self.signal}` must be a function of one number, the time, like"
                f" lambda t: 2 * t. At t = {t:g} it raised {type(error).__name__}: {error}."
            ) from error
        checked = number(found, f"What the function of `{self.signal}` gives at t = {t:g}")
        if checked.shape not in ((), (1,)):
            raise DeclarationError(
                f"The function of `{self.signal}` must give one number. Got an array of shape"
                f" {checked.shape} at t = {t:g}."
            )
        return float(checked.reshape(()))


def _refuse_missing_derivatives(
    functions: Mapping[Input, Given],
    laws: Mapping[Input, sympy.Expr],
    numbers: Mapping[Input, object],
    used: tuple[Input, ...],
) -> None:
    for signal in used:
        known = signal in functions or signal in laws or signal in numbers
        if known or not any(f.base == signal.base for f in functions):
            continue
        base = signal.base
        raise DeclarationError(
            f"The equations contain `{signal}`, which a function of time for `{base}` does not tell."
            f" Give `{base}` as an expression in t, whose derivatives are exact, or add a function for"
            f" ddt({base}, {signal.order})."
        )
