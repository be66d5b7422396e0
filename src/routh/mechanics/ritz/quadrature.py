"""At which points densities are evaluated: Gauss's rule on each cell, as exact as they ask for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import sympy
from numpy.polynomial import legendre

from routh.arrays import Array
from routh.errors import DeclarationError
from routh.language.derivation import integrand
from routh.language.fields import Field, Space
from routh.language.shapes import Rule, Shape
from routh.language.system import Discretization, System
from routh.mechanics.fields.densities import energies

MORE = 12
"""Gauss points beyond the degree of the functions for densities that are no polynomials."""

MORE_IN_ELEMENT = 4
"""The same for short elements, within which everything is nearly a polynomial."""


def rules(system: System, shapes: Sequence[Shape], points: int | None) -> dict[Space, Rule]:
    """A rule for each space."""
    if points is not None and (isinstance(points, bool) or not isinstance(points, int) or points < 1):
        raise DeclarationError(f"`points` is the number of Gauss points in a cell. Got {points!r}.")
    return {space: _rule(system, space, shapes, points) for space in _spaces(system)}


def gauss(cells: Sequence[float], points: int) -> tuple[Array, Array]:
    """Places and weights of Gauss's rule of so many points on each cell."""
    x, w = np.polynomial.legendre.leggauss(points)
    places = [(a + b) / 2 + (b - a) / 2 * x for a, b in pairwise(cells)]
    weights = [(b - a) / 2 * w for a, b in pairwise(cells)]
    return np.concatenate(places), np.concatenate(weights)


def running_matrix(rule: Rule) -> Array:
    """(G, G): the matrix of the integral from the start to each place.

    It is exact for polynomials of degree less than the points in a cell.
    """
    n = rule.per_cell
    x, _ = legendre.leggauss(n)
    # values -> Legendre coefficients -> coefficients of the integral from -1 -> its values
    analysis = np.linalg.inv(legendre.legvander(x, n - 1))
    steps = np.array([legendre.legint(unit, lbnd=-1) for unit in np.eye(n)])
    within = legendre.legvander(x, n) @ steps.T @ analysis
    found = np.zeros((len(rule.xi), len(rule.xi)))
    for k in range(len(rule.cells) - 1):
        part = slice(k * n, (k + 1) * n)
        half = (rule.cells[k + 1] - rule.cells[k]) / 2
        found[part, : k * n] = rule.weights[: k * n]
        found[part, part] = half * within
    return found


def _spaces(system: System) -> list[Space]:
    return sorted(system.spaces, key=lambda space: space.serial)


def _rule(system: System, space: Space, shapes: Sequence[Shape], points: int | None) -> Rule:
    own = [shape for shape in shapes if shape.field.space == space]
    cells = tuple(sorted({c for shape in own for c in shape.basis.cells}))
    degree, inner = _degree(system, space, own)
    highest = max((shape.basis.degree or shape.basis.size + MORE) for shape in own)
    more = MORE if len(cells) == 2 else MORE_IN_ELEMENT
    least = highest + more if degree is None else max(degree // 2, inner) + 1
    xi, weights = gauss(cells, points or least)
    exact = degree is not None and (points is None or points >= least)
    return Rule(xi, weights, cells, exact, asked=points)


def _degree(system: System, space: Space, shapes: Sequence[Shape]) -> tuple[int | None, int]:
    """The degree of all densities in xi, None where one is no polynomial, and that of what running
    integrals are of: they are exact for polynomials that their points determine.
    """
    parts = energies(system, tuple(range(len(system.constraints))))
    degrees: Degrees = {shape.field: shape.basis.degree for shape in shapes}
    for x, delta in parts.virtual.items():
        inside = isinstance(x, Field) and x.space == space and x.end is None
        degrees[delta] = degree_of(x, space, degrees) if inside else 0
    densities = [part.densities.get(space, sympy.S.Zero) for part in (parts.L, parts.D, parts.work)]
    found = [degree_of(density, space, degrees) for density in densities]
    known = [d for d in found if d is not None]
    sums = [integrand(each) for density in densities for each in density.atoms(sympy.Integral)]
    inner = max((degree_of(each, space, degrees) or 0 for each in sums), default=0)
    return (max(known) if len(known) == len(found) else None), inner


def finer(system: System) -> System:
    """The same discretized system with twice as many points where densities are no polynomials."""
    changed = dict(system.rules)
    for space, rule in system.rules.items():
        if not rule.exact:
            xi, weights = gauss(rule.cells, 2 * rule.per_cell)
            changed[space] = replace(rule, xi=xi, weights=weights)
    return _ruled(system, changed, system.shapes, system.sizes)


@dataclass(frozen=True)
class Cells:
    """Where densities over a space are integrated piece by piece.

    Attributes:
        ends: the ends of cells.
        breaks: those at which coefficients have jumps and kinks.
        nodes: for a field the ends of its elements, where they are others than before.
    """

    ends: tuple[float, ...]
    breaks: tuple[float, ...] = ()
    nodes: tuple[tuple[Field, tuple[float, ...]], ...] = ()


def with_cells(system: System, cells: Mapping[Space, Cells]) -> System:
    """The same discretized system with other cells, and as many points in each of them."""
    changed = {}
    for space, rule in system.rules.items():
        new = cells[space]
        xi, weights = gauss(new.ends, rule.per_cell)
        changed[space] = replace(rule, xi=xi, weights=weights, cells=new.ends, breaks=new.breaks)
    nodes = {w: ends for new in cells.values() for w, ends in new.nodes}
    shapes, sizes = list(system.shapes), dict(system.sizes)
    for k, shape in enumerate(shapes):
        w = shape.field
        if w in nodes:
            sizes[w], basis = sizes[w].moved(shape.basis, np.array(nodes[w]))
            shapes[k] = replace(shape, basis=basis)
    return _ruled(system, changed, shapes, sizes)


def same_equations(first: System, second: System) -> bool:
    """Whether two systems are the same but for the cells in which densities are integrated."""
    if first.continuous is None or second.continuous is None:
        return first == second
    return first.continuous == second.continuous and first.shapes == second.shapes


def _ruled(
    system: System, changed: Mapping[Space, Rule], shapes: Sequence[Shape], sizes: Mapping[Field, Any]
) -> System:
    assert system.continuous is not None
    made = Discretization(system.continuous, tuple(shapes), changed, sizes)
    return system.continuous.discretized(made, system.coordinates, system.constraints)


Degrees = dict[sympy.Basic, int | None]


def degree_of(value: sympy.Basic, space: Space, degrees: Degrees) -> int | None:
    """A bound for the degree of an expression in xi, or None where it is no polynomial."""
    if isinstance(value, Field) and value.space == space and value.end is None:
        own = degrees[value.base]
        return None if own is None else max(own - value.slope, 0)
    if value == space:
        return 1
    if value in degrees:
        return degrees[value]
    if isinstance(value, sympy.Integral):
        inner = degree_of(integrand(value), space, degrees)
        return None if inner is None else inner + 1
    found = [degree_of(argument, space, degrees) for argument in value.args]
    known = [d for d in found if d is not None]
    if len(known) < len(found):
        return None
    if not any(known):
        return 0
    if value.is_Add:
        return max(known)
    if value.is_Mul:
        return sum(known)
    if value.is_Pow and value.exp.is_Integer and value.exp > 0:
        return known[0] * int(value.exp)
    return None
