"""A gain as laws of inputs, in coordinates and velocities; and the system that they close.

A law is put in the place of an input where that stands in forces. In an energy it may not: Lagrange's
equations would differentiate it as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
import sympy

from routh.analysis.linear.linear_model import LinearModel
from routh.analysis.linear.linearize import linearize
from routh.analysis.rest.equilibrium import equilibrium
from routh.analysis.rest.result import Equilibrium
from routh.analysis.stability.judge import stability
from routh.analysis.stability.verdict import Stability
from routh.arrays import Array
from routh.errors import DerivationError, capital, quoted
from routh.language.forces import Force
from routh.language.symbols import Coordinate, Input, t
from routh.language.system import System
from routh.language.walk import leaves, replaced, unfold

Laws = dict[Input, sympy.Expr]


def state_expressions(
    linear: LinearModel, velocities: tuple[Coordinate, ...] | None
) -> list[sympy.Expr]:
    """The states of one point of a model, to first order, as expressions in coordinates and velocities.

    With constraints eta is read by the pseudo-inverse of Z: what is off is of second order.
    """
    rest = linear.reference
    if np.nan_to_num(linear.Y).any():
        raise DerivationError(
            f"An input moves a constraint of {linear.system.title}, so that states are no expressions"
            " in coordinates and velocities. Choose coordinates that move along with it."
        )
    moved = [
        q - _number(at) - _number(rate) * t
        for q, at, rate in zip(linear.coordinates, rest.q, rest.v, strict=True)
    ]
    rates = [q.rate - _number(rate) for q, rate in zip(linear.coordinates, rest.v, strict=True)]
    Z = np.asarray(linear.Z)
    plain = Z.shape[0] == Z.shape[1] and np.array_equal(Z, np.eye(len(Z)))
    L = np.eye(len(Z)) if plain else np.linalg.pinv(Z)
    eta = combined(L, moved)
    if velocities is None:
        return [*eta, *combined(L, rates)]
    known = dict(zip((q.rate for q in linear.coordinates), rates, strict=True))
    return [*eta, *(known[w] for w in velocities)]


def combined(L: Array, terms: Sequence[sympy.Expr]) -> list[sympy.Expr]:
    """L times the terms, without what is zero."""
    return [
        sympy.Add(*(_number(x) * term for x, term in zip(row, terms, strict=True) if x)) for row in L
    ]


def _number(value: float) -> sympy.Expr:
    """A double as SymPy has it; 0 and 1 as they are, so that nothing is written for them."""
    x = float(value)
    return sympy.Integer(int(x)) if x in (0.0, 1.0, -1.0) else sympy.Float(x)


def laws_of(
    linear: LinearModel, gain: Array, states: Sequence[sympy.Expr], inputs: Sequence[Input]
) -> Laws:
    """The law u* - gain x of each input."""
    return {
        u: _number(at) + feedback for u, at, feedback in
        zip(inputs, _held(linear, inputs), combined(-gain, states), strict=True)
    }  # fmt: skip


def deviations(linear: LinearModel, inputs: Sequence[Input]) -> list[sympy.Expr]:
    """Inputs less what they are at the equilibrium."""
    return [u - _number(at) for u, at in zip(inputs, _held(linear, inputs), strict=True)]


def _held(linear: LinearModel, inputs: Sequence[Input]) -> list[float]:
    """What inputs are at the equilibrium."""
    given = linear.reference.conditions.inputs
    return [float(given[u][0]) if u in given else 0.0 for u in inputs]


def closed_system(system: System, laws: Mapping[Input, sympy.Expr]) -> System:
    """The system whose inputs follow the laws.

    Raises:
        DerivationError: an input stands elsewhere than in forces; time is in a law; or the system is
            discretized or rubs.
    """
    if system.discretization is not None or system.friction:
        why = "is discretized" if system.discretization is not None else "has friction"
        raise DerivationError(
            f"{capital(system.title)} {why}, so that no closed System is written. Give the laws to"
            " simulate(..., inputs=laws)."
        )
    if any(t in leaves([law]) for law in laws.values()):
        raise DerivationError(
            f"The law holds what turns in a steady motion of {system.title}, and contains time; a"
            " closed System would have no rest. Give the laws to simulate(..., inputs=laws)."
        )
    elsewhere = system.parts() | {"forces": [e for each in system.forces for e in each.at]}
    for part, expressions in elsewhere.items():
        inside = [u for u in laws if any(s.base == u for s in _inputs(expressions))]
        if inside:
            raise DerivationError(
                f"The input {quoted(inside[:1])} stands in `{part}` of {system.title}; a law put there"
                " would be differentiated with the energy. Write what it does as a force, or give the"
                " laws to simulate(..., inputs=laws)."
            )
    given: list[Force] = list(system.as_written["forces"])
    rates = [s for s in _inputs(e for each in given for e in each.components) if s.order]
    wrong = [s for s in rates if s.base in laws]
    if wrong:
        raise DerivationError(
            f"The forces of {system.title} contain {quoted(wrong[:1])}, the rate of an input, which a"
            " law of coordinates and velocities does not tell."
        )
    forces = [replace(each, components=each.components.applyfunc(_put(laws))) for each in given]
    declared = [s for s in system.declared if getattr(s, "base", s) not in laws]
    return system.changed(forces=forces, declared=declared)


def closed_stability(rest: Equilibrium, closed: System, inputs: Sequence[Input]) -> Stability:
    """The verdict on a system closed about a rest by laws of some inputs; others stay as they were."""
    if rest.turning:
        raise DerivationError(
            "The verdict on a closed loop is that of a rest, and the reference is a steady motion."
            " Look at `eigenvalues`, or at a motion."
        )
    others = {u: x[0] for u, x in rest.conditions.inputs.items() if u not in inputs}
    guess = dict(zip(rest.system.coordinates, rest.q, strict=True))
    held = equilibrium(closed, dict(rest.values), guess=guess, inputs=others or None)
    return stability(linearize(held))


def _put(laws: Mapping[Input, sympy.Expr]) -> Callable[[sympy.Expr], sympy.Expr]:
    """What puts the laws into an expression."""

    def put(component: sympy.Expr) -> sympy.Expr:
        return replaced(unfold(component), dict(laws)) if leaves([component]) & set(laws) else component

    return put


def _inputs(expressions: Iterable[sympy.Expr]) -> set[Input]:
    """The inputs and their rates in expressions."""
    return {s for s in leaves(expressions) if isinstance(s, Input)}
