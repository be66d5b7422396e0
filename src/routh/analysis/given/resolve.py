"""Discretized systems with cells of quadrature, and elements, as the values of parameters ask for.

Where properties jump depends on values, so cells are made when values are given: the system of a
result is the one that was asked for, with other cells.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache

import numpy as np
import sympy

from routh.analysis.given.cells import FINEST, Along, Division, Part, jumps_of
from routh.arrays import Array
from routh.errors import DerivationError, listed
from routh.language.derivation import running
from routh.language.fields import Field, Space
from routh.language.shapes import Rule
from routh.language.system import System
from routh.mechanics.fields.coefficients import coefficients
from routh.mechanics.ritz.quadrature import Cells, with_cells

MOST_IN_BATCH = 40000
"""Cells that the points of a batch may have beyond their own, as all have the same: seconds of work."""


def resolved(system: System, p: Array, to: Array | None = None) -> System:
    """The system with cells that resolve its densities for these parameters (N, size).

    With `to` they do so for all parameters on the way there too.

    Raises:
        DerivationError: a density varies too quickly, or moves along the space.
    """
    end = p if to is None else to
    cells = []
    for space, rule in system.rules.items():
        along = None if rule.exact else _along(system, space, rule, p, end)
        cells.append(Cells(rule.cells) if along is None else _union(system, along, len(p)))
    if all(new.ends == rule.cells for new, rule in zip(cells, system.rules.values(), strict=True)):
        return system
    return _divided(system, tuple(cells))


@lru_cache(maxsize=64)
def _divided(system: System, cells: tuple[Cells, ...]) -> System:
    return with_cells(system, dict(zip(system.rules, cells, strict=True)))


def _along(system: System, space: Space, rule: Rule, p: Array, to: Array) -> Along | None:
    """A space with what varies along it; None where nothing does that is no polynomial."""
    shapes = [shape for shape in system.shapes if shape.field.space == space]
    moved = (p != to).any(axis=0)
    moving = frozenset(each for each, here in zip(system.parameters, moved, strict=True) if here)
    own = coefficients(system.continuous or system, space, moving)
    fixed = {space, *system.parameters} - moving
    parts = [Part(value, space, not value.atoms(sympy.Symbol) <= fixed) for value in own]
    for shape in shapes:
        parts += [Part(f, xi) for f, xi in shape.basis.steep]
    if not parts:
        return None
    free = set().union(*(part.value.free_symbols for part in parts), space.length.free_symbols)
    free |= space.bounds[0].free_symbols
    places = [k for k, each in enumerate(system.parameters) if each in free]
    rows = np.unique(np.concatenate([p[:, places], to[:, places]], axis=1), axis=0)
    runs = any(
        running(node) == space
        for part in system.parts().values()
        for e in part
        for node in e.atoms(sympy.Integral)
    )
    found = Along(
        space=space,
        parts=(),
        parameters=tuple(system.parameters[k] for k in places),
        p=rows[:, : len(places)],
        to=rows[:, len(places) :],
        degree=2 * max(shape.basis.degree or 0 for shape in shapes),
        cells=rule.cells,
        power=rule.per_cell if runs else 2 * rule.per_cell,
    )
    kept = tuple(part for part in parts if not part.moves or _is_bounded(found, part))
    return replace(found, parts=kept) if kept else None


def _is_bounded(along: Along, part: Part) -> bool:
    """Whether what moves is bounded wherever it may be; if not, it is judged at a rest alone."""
    ones = np.ones(len(along.p))
    bounds = along.real(part, part.value, np.arange(len(along.p)), -ones, ones)
    return bool(np.isfinite(bounds.mag).all())


def _union(system: System, along: Along, count: int) -> Cells:
    """The ends of cells that resolve every point of the batch, and those that are jumps and kinks."""
    jumps = jumps_of(along)
    breaks = _distinct((lo + hi) / 2 for found in jumps for lo, hi in found)
    breaks = tuple(x for x in breaks if abs(x) < 1 - 4 * FINEST)
    nodes = _nodes(system, along.space, breaks)
    if nodes:
        along = replace(along, cells=_base_cells(system, along.space, dict(nodes)))
    state = Division(along, jumps)
    while state.divide():
        pass
    state.refuse(system)
    ends = _distinct([*along.cells, *state.ends.tolist()])
    if count * (len(ends) - state.most) > MOST_IN_BATCH:
        raise DerivationError(
            f"The {count} points of the batch of {system.title} need {len(ends)} cells along"
            f" `{along.space}` together, as what varies along it moves with"
            f" {listed(along.parameters)}. Loop over them, or take the batch in parts."
        )
    return Cells(ends, breaks, nodes)


def _nodes(
    system: System, space: Space, breaks: tuple[float, ...]
) -> tuple[tuple[Field, tuple[float, ...]], ...]:
    """Elements that end where properties jump, for fields with elements whose places are free."""
    found = []
    for shape in system.shapes:
        w = shape.field
        if breaks and w.space == space:
            nodes = system.sizes[w].placed(breaks, shape.basis)
            if nodes is not None:
                found.append((w, tuple(nodes.tolist())))
    return tuple(found)


def _base_cells(
    system: System, space: Space, nodes: dict[Field, tuple[float, ...]]
) -> tuple[float, ...]:
    own = [shape for shape in system.shapes if shape.field.space == space]
    return _distinct(x for shape in own for x in nodes.get(shape.field, shape.basis.cells))


def _distinct(places: Iterable[float]) -> tuple[float, ...]:
    """Rising numbers without those that are the same but for rounding."""
    ordered: Array = np.array(sorted(places))
    if not len(ordered):
        return ()
    new = np.concatenate([[True], np.diff(ordered) > 4 * FINEST])
    kept = ordered[new]
    kept[np.abs(kept - 1) <= 4 * FINEST] = 1.0
    return tuple(kept.tolist())
