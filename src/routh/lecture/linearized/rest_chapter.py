"""The chapter on an equilibrium in numbers: the conditions, Newton's iterates, what is left."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from routh.analysis.rest.result import Equilibrium
from routh.arrays import Array
from routh.errors import RouthError
from routh.kernels.kernel import kernel
from routh.lecture.kinds import chapter_of
from routh.lecture.linearized import layout
from routh.lecture.linearized.balance_chapter import balance_sections
from routh.lecture.linearized.linear_numbers_chapter import (
    assigned,
    given_numbers,
    is_written,
    multiplier_steps,
    position,
)
from routh.mechanics.forms.chapter import Chapter, Formula, Step, Table, chapter, formula
from routh.mechanics.rest import EquilibriumEquations, equilibrium_equations

MOST_COLUMNS = 6
"""Coordinates whose iterates are listed one by one."""


@chapter_of.register
def _(rest: Equilibrium) -> Chapter:
    one = rest.single(0) if rest.conditions.shape else rest
    title = layout.titled(rest.system, "a steady motion" if one.turning else "an equilibrium")
    sections: list[tuple[str, list[Step]]] = [("Values", list(_values(rest, one)))]
    conditions = _conditions(one)
    if conditions is not None:
        sections += balance_sections(conditions)
    sections += [("Newton's method", list(_newton(one))), ("Result", list(_result(one)))]
    return chapter(title, sections)


def _values(rest: Equilibrium, one: Equilibrium) -> Iterator[Step]:
    if rest.conditions.shape:
        yield (
            f"Of the {rest.conditions.count} points of the batch this is the first; rest.single(k) is"
            " another, counted from 0."
        )
    given = given_numbers(one)
    if given:
        yield "The values are"
        yield assigned(given)
    if one.turning:
        yield "and these move on at constant rates:"
        yield assigned({one.system.velocities[k]: one.v[k] for k in one.turning})


def _conditions(one: Equilibrium) -> EquilibriumEquations | None:
    """The conditions in symbols, where they can be written."""
    if not is_written(one.system):
        return None
    turning = {one.system.coordinates[k]: one.system.velocities[k] for k in one.turning}
    speeds = {q: layout.decimal(float(one.v[k])) for k, q in zip(one.turning, turning, strict=True)}
    try:
        found = equilibrium_equations(one.system, speeds=speeds or None, solve=0)
    except RouthError:
        return None
    return found if isinstance(found, EquilibriumEquations) else None


def _newton(one: Equilibrium) -> Iterator[Step]:
    """The iterates with what they leave of the conditions."""
    yield (
        "The conditions r(q) = 0 are solved from the guess by steps with the exact tangent, each halved"
        " until it lowers the residual,"
    )
    yield Formula(
        "q_new = q - (dr/dq)^-1 r",
        r"q_{\text{new}} = q - \left(\frac{\partial r}{\partial q}\right)^{-1} r",
    )
    if one.multipliers.size:
        yield (
            "The multipliers are solved for together with q; the residuals here are those with the"
            " multipliers that fit q best."
        )
    q = np.concatenate([one.history, one.q[None]])
    moved = np.append(True, (np.diff(q, axis=0) != 0).any(axis=1))
    q = q[moved]
    if len(q) == 1:
        yield "Here the start meets them already."
    sizes = [np.linalg.norm(r) for r in residuals(one, q)]
    names = [str(x) for x in one.system.coordinates]
    if len(names) > MOST_COLUMNS:
        names, shown = ["largest coordinate"], np.abs(q).max(axis=1, keepdims=True)
    else:
        shown = q
    head: tuple[str | Formula, ...] = ("step", *names, Formula("|r|", r"\lVert r \rVert"))
    rows: list[tuple[str | Formula, ...]] = []
    for k, (there, size) in enumerate(zip(shown, sizes, strict=True)):
        cells = [layout.number(float(x), 10) for x in there]
        rows.append((str(k), *cells, layout.number(float(size), 5)))
    yield Table(head, tuple(rows))


def residuals(one: Equilibrium, q: Array) -> Array:
    """(k, n + c): the equations at positions (k, n); with multipliers of least squares."""
    engine, given = kernel(one.system), one.conditions
    count, c = len(q), one.multipliers.shape[-1]
    stack = given.chosen(np.zeros(count, dtype=int))
    none = np.zeros((count, c))
    point = stack.point(engine, q, none)
    plain = engine.about(point).residual(point.arguments)
    if not c:
        return np.asarray(plain)
    n = q.shape[1]
    J = engine.constraint_jacobian(point)
    best = -np.einsum("kcn,kn->kc", np.linalg.pinv(J.swapaxes(1, 2)), plain[:, :n])
    point = stack.point(engine, q, best)
    return np.asarray(engine.about(point).residual(point.arguments))


def _result(one: Equilibrium) -> Iterator[Step]:
    if not one.converged:
        yield f"No equilibrium was found: {one.status}"
        return
    yield "The equilibrium is at"
    yield position(one)
    yield from multiplier_steps(one)
    if one.free:
        yield f"Nothing depends on {' and '.join(f'`{q}`' for q in one.free)}: it stays at the guess."
    yield "Put into the conditions it leaves, at most,"
    yield formula(Formula("max |r|", r"\max |r|"), layout.number(float(np.max(one.residual)), 3))
    yield f"{one.status}"
