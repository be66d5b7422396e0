"""The energies of a system with fields, sorted by where they live.

L = L_D(y, y') + sum over spaces of the integral of l(x, x', y, y', s, t), where x are fields and their
slopes along the space, y the coordinates and the values of fields at ends. Each density is a Lagrangian
of its own, with x and y for coordinates.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import sympy

from routh.errors import DerivationError, shortened
from routh.language.derivation import domain, integrand, masked_integrals, running
from routh.language.fields import MOST_SLOPES, Field, Space
from routh.language.symbols import Coordinate, Signal
from routh.language.system import System
from routh.language.walk import leaves, unfold
from routh.mechanics.constraints import multiplier_symbols
from routh.mechanics.forms.tidy import fewer_symbols


@dataclass(frozen=True)
class Part:
    """An energy or a virtual work: what stands outside integrals, and a density for each space.

    Where an energy is no linear function of its integrals, the factor before a density contains them:
    `factors` says what the symbols in densities stand for, which depend on time alone.
    """

    discrete: sympy.Expr
    densities: dict[Space, sympy.Expr]
    factors: dict[sympy.Symbol, sympy.Expr]


def sorted_part(expression: sympy.Expr) -> Part:
    """An expression with integrals, sorted; products with an integral are taken inside."""
    masked, integrals = masked_integrals(unfold(expression))
    densities: dict[Space, sympy.Expr] = {}
    factors: dict[sympy.Symbol, sympy.Expr] = {}
    rest = masked
    for mask, each in integrals.items():
        if running(each):
            raise DerivationError(
                f"`{shortened(each)}` is a running integral outside a density. Write it inside"
                " integral(..., s), or take its value at an end with at(...)."
            )
        factor = masked.diff(mask)
        if factor.free_symbols & set(integrals):
            name = sympy.Dummy("factor", real=True)
            factors[name] = factor.xreplace(integrals)
            factor = name
        else:
            rest = sympy.expand(rest - factor * mask)
        space = domain(each)[0]
        densities[space] = densities.get(space, sympy.S.Zero) + factor * integrand(each)
    linear = not rest.free_symbols & set(integrals)
    return Part(rest if linear else rest.xreplace(integrals), densities, factors)


@dataclass(frozen=True)
class Energies:
    """L with the multipliers of what is left of the constraints, D, and the virtual work of forces."""

    L: Part
    D: Part
    work: Part
    """Forces times symbols of virtual displacements; `virtual` says which belong to what."""
    virtual: dict[Signal, sympy.Symbol]


@lru_cache(maxsize=32)
def energies(system: System, left: tuple[int, ...]) -> Energies:
    """The energies of a system; the constraints at the places `left` act by multipliers."""
    multipliers = multiplier_symbols(system)
    reaction = sympy.Add(
        *(multipliers[k] * unfold(system.constraints[k]) for k in left if system.is_holonomic[k])
    )
    L = sorted_part(sympy.Add(*system.lagrangian_terms) - reaction)
    D = sorted_part(sympy.Add(*system.dissipation))
    virtual: dict[Signal, sympy.Symbol] = {}
    work = [_work(components, at, space, virtual) for components, at, space in _acting(system)]
    work += [
        _push(multipliers[k], unfold(system.constraints[k]), virtual)
        for k in left
        if not system.is_holonomic[k]
    ]
    return Energies(L, D, sorted_part(sympy.Add(*work)), virtual)


def shortened_parts(parts: Energies) -> Energies:
    """The same energies with shorter densities: what cancels there need not be derived."""

    def short(value: sympy.Expr) -> sympy.Expr:
        masked, integrals = masked_integrals(value)
        return fewer_symbols(masked).xreplace(integrals)

    L, D, work = (
        replace(
            part,
            discrete=short(part.discrete),
            densities={space: short(density) for space, density in part.densities.items()},
        )
        for part in (parts.L, parts.D, parts.work)
    )
    return Energies(L, D, work, parts.virtual)


def _acting(system: System) -> list[tuple[list[sympy.Expr], list[sympy.Expr], Space | None]]:
    return [
        ([unfold(f) for f in force.components], [unfold(r) for r in force.at], force.space)
        for force in system.forces
    ]


def _work(
    components: list[sympy.Expr],
    at: list[sympy.Expr],
    space: Space | None,
    virtual: dict[Signal, sympy.Symbol],
) -> sympy.Expr:
    """The virtual work of a force, with a symbol for each virtual displacement."""
    total = sympy.Add(
        *(f * varied(r, virtual) for f, r in zip(components, at, strict=True)),
    )
    return total if space is None else sympy.Integral(total, (space, *space.bounds))


def varied(expression: sympy.Expr, virtual: dict[Signal, sympy.Symbol]) -> sympy.Expr:
    """The change of a position under virtual displacements, with time held."""
    masked, integrals = masked_integrals(expression)
    moved = [s for s in leaves([masked]) if isinstance(s, (Coordinate, Field))]
    change = sympy.Add(*(masked.diff(s) * _virtual(s, virtual) for s in sorted(moved, key=str)))
    inner = (
        masked.diff(mask) * sympy.Integral(varied(integrand(each), virtual), domain(each))
        for mask, each in integrals.items()
    )
    return (change + sympy.Add(*inner)).xreplace(integrals)


def _push(multiplier: sympy.Symbol, phi: sympy.Expr, virtual: dict[Signal, sympy.Symbol]) -> sympy.Expr:
    """The virtual work of a velocity constraint: -multiplier * dphi/dv . dq."""
    moved = [s for s in leaves([phi]) if isinstance(s, (Coordinate, Field)) and s.order == 1]
    bases = [(s, s.position if isinstance(s, Field) else s.base) for s in sorted(moved, key=str)]
    return -multiplier * sympy.Add(*(phi.diff(s) * _virtual(x, virtual) for s, x in bases))


def _virtual(symbol: Signal, virtual: dict[Signal, sympy.Symbol]) -> sympy.Symbol:
    return virtual.setdefault(symbol, sympy.Dummy(f"delta_{symbol}", real=True))


def jets(field: Field) -> tuple[Field, ...]:
    """A field and its slopes along its space, as far as energies may contain them."""
    found = [field]
    for _ in range(MOST_SLOPES):
        found.append(found[-1].steeper)
    return tuple(found)


def end_values(field: Field) -> tuple[Field, ...]:
    """The values and slopes of a field at both ends, those that energies may contain."""
    return tuple(jet.at_end(end) for end in (0, 1) for jet in jets(field)[:MOST_SLOPES])


def locals_of(system: System, space: Space) -> tuple[Signal, ...]:
    """What a density over a space may depend on: jets of its fields, coordinates, end values."""
    inside = [x for w in system.fields if w.space == space for x in jets(w)]
    return (*inside, *globals_of(system))


def globals_of(system: System) -> tuple[Signal, ...]:
    """The coordinates and the end values of every field."""
    return (*system.coordinates, *(x for w in system.fields for x in end_values(w)))
