"""Whether equations or outputs have the derivatives that someone is about to take: one gate for all.

Abs, sign, Max, Min, Piecewise and the like are differentiated by the engine branch by branch; at the
very point where branches meet, what comes out belongs to none of them. So do powers like x**(5/2) end
at zero. Near such a point a function is a smooth one on each side of its switches, and it has
derivatives up to some order if these smooth functions have the same ones, whichever sides are chosen
(`kernels/graphs/sides`). Sides that no displacement leads to are not compared.

Taylor parts up to the order asked for must be the same on all sides that displacements lead to: |x|^3
has a linear model and no third part.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations

import numpy as np
import sympy
from numpy.typing import NDArray

from routh.analysis.pieces.along_space import densities, space_kinks
from routh.analysis.pieces.crossings import crossings
from routh.analysis.pieces.rough import is_rough
from routh.arrays import Array
from routh.errors import DerivationError, capital, quoted, shortened
from routh.kernels.both_sides import MOVED, Branches, branches
from routh.kernels.engine import Kernel, Point
from routh.language.domains import space_of
from routh.language.symbols import Parameter
from routh.language.system import System
from routh.language.walk import leaves, nodes, unfold
from routh.mechanics.forms.one_piece import PIECED

MEETING = 1e-9
"""A switch this near to zero, compared with what it would be a unit further, is at zero."""

LEADING = 1e-9
"""A Taylor coefficient of a switch below this share of its terms is none: the next one counts."""

SAME = 1e-9
"""Share of what depends on the sides that may be left where they do the same."""

FLOOR = 8 * float(np.finfo(float).eps)
"""Share of a row below which a difference is rounding, whatever depends on the sides."""

RAYS = 24
"""Directions at random in which it is looked which sides are met."""

PROBES = 3
"""Directions at random along which Taylor parts are compared: polynomials that agree there agree."""

NODES, WEIGHTS = (x / 2 for x in np.polynomial.legendre.leggauss(6))
"""Gauss points from one choice of sides to another; exact for eleven factors that switch."""

FEW = 8
"""Switches at one point up to which all pairs are looked at for sides that are thin wedges."""


@dataclass(frozen=True)
class Kinks:
    """At which points derivatives are missing.

    Attributes:
        broken: (N,) where.
        pieces: the functions whose branches meet there, or that end there.
    """

    broken: NDArray[np.bool_]
    pieces: tuple[sympy.Basic, ...]

    def refuse(self, sentence: str, advice: str) -> None:
        """Raise if some point is broken."""
        if self.broken.any():
            raise DerivationError(f"{sentence}, {self.where}. {advice}")

    @property
    def where(self) -> str:
        """Where the kink is, as the end of a sentence."""
        ending = [node for node in self.pieces if isinstance(node, sympy.Pow)]
        if len(ending) == len(self.pieces):
            return f"where {quoted(shortened(m, 60) for m in ending[:2])} ends"
        return f"where branches of {quoted(shortened(m, 60) for m in self.pieces[:2])} meet"


def pieces(system: System) -> list[sympy.Basic]:
    """The functions put together of pieces that the system contains."""
    return [node for node in nodes(_expressions(system)) if isinstance(node, PIECED)]


def _expressions(system: System) -> list[sympy.Basic]:
    return [e for expressions in system.parts().values() for e in expressions]


def smooth_at(
    engine: Kernel,
    point: Point,
    order: int,
    *,
    outputs: Sequence[sympy.Expr] | None = None,
    inputs: bool = True,
) -> Kinks:
    """Where the equations of motion, or some outputs, lack derivatives up to an order.

    Derivatives are those by coordinates, velocities, accelerations, and by inputs where asked for.
    Order 0 is continuity.
    """
    rough = _rough_of(engine.system) if outputs is None else _rough(outputs)
    found = np.zeros(len(point.q), dtype=bool)
    fixed = tuple(node for node in rough if space_of([node]) is None)
    named: list[sympy.Basic] = []
    if fixed:
        read = None if outputs is None else tuple(outputs)
        own = _Gate(branches(engine.system, fixed, read), order, inputs)
        found, named = own.broken(point)
    varying = [node for node in rough if node not in fixed]
    if varying:
        under = _parts_of(outputs) if outputs is not None else densities(engine.system)
        along = space_kinks(engine, list(under), point, order, _at_places)
        found = found | along
        named += varying if along.any() else []
    return Kinks(found, tuple(named))


@lru_cache(maxsize=64)
def _rough_of(system: System) -> tuple[sympy.Basic, ...]:
    """What is not smooth in a system: looked for once, since sliders ask many times a second."""
    return _rough(_expressions(system))


def _rough(expressions: Sequence[sympy.Basic]) -> tuple[sympy.Basic, ...]:
    return tuple(node for node in nodes(list(expressions)) if is_rough(node) and _moves(node))


def _parts_of(outputs: Sequence[sympy.Expr]) -> list[tuple[sympy.Expr, int]]:
    """What outputs integrate along spaces."""
    return [(x.function, 0) for e in outputs for x in unfold(e).atoms(sympy.Integral)]


def _at_places(
    local: Kernel, point: Point, order: int, density: sympy.Expr, between: bool
) -> NDArray[np.bool_]:
    """Where a density lacks derivatives, at places or where switches are passed between them."""
    if not between:
        return smooth_at(local, point, order, outputs=[density]).broken
    passed = crossings(local.system, (density,), point)
    if passed is None:
        return np.zeros(0, dtype=bool)
    return smooth_at(local, passed, order, outputs=[density]).broken


def _moves(node: sympy.Basic) -> bool:
    """Whether it contains anything but parameters."""
    return any(not isinstance(s, Parameter) for s in leaves([node]))


@dataclass
class _Gate:
    """The comparison of all sides that meet at points."""

    own: Branches
    order: int
    inputs: bool

    def broken(self, point: Point) -> tuple[NDArray[np.bool_], list[sympy.Basic]]:
        """(N,) where derivatives are missing, and of what."""
        found = np.zeros(len(point.q), dtype=bool)
        meeting, sides = self._meeting(point)
        owners: dict[sympy.Basic, None] = {}
        with np.errstate(all="ignore"):
            for kind in np.unique(meeting, axis=0):
                which = np.flatnonzero((meeting == kind).all(axis=1))
                if not kind.any():
                    continue
                near = Point(*(argument[which] for argument in point.arguments))
                found[which] = self._differ(near, kind, sides[which])
                if found[which].any():
                    owners.update((self.own.owner[k], None) for k in np.flatnonzero(kind))
        return found, list(owners)

    def _meeting(self, point: Point) -> tuple[NDArray[np.bool_], Array]:
        """(N, switches) which switches are zero to rounding, and the sides of all of them."""
        sides = np.ones((len(point.q), len(self.own.owner)))
        reach = np.concatenate([np.abs(getattr(point, name)) + 1 for name in MOVED], axis=1)
        with np.errstate(all="ignore"):
            for _ in range(len(self.own.owner) + 1):  # sides of outer switches by inner ones
                values, slopes = self.own.switches(point, sides)
                before, sides = sides, np.where(values < 0, -1.0, 1.0)
                if (before == sides).all():
                    break
            size = np.einsum("ksz,kz->ks", np.abs(np.nan_to_num(slopes)), reach)
            return np.abs(values) <= MEETING * size, sides

    def _differ(self, point: Point, kind: NDArray[np.bool_], sides: Array) -> NDArray[np.bool_]:
        """(N,) whether Taylor parts differ between sides that are met, at points of one kind."""
        point, slopes = self._onto(point, kind, sides)
        patterns = [
            np.where(kind, self._met(point, ray, kind, sides), sides)
            for ray in self._rays(slopes, kind)
        ]
        first, count = patterns[0], len(sides)
        found = self.own.undefined(point, first)
        probes = np.random.default_rng(1788).uniform(0.3, 1.0, (PROBES, slopes.shape[2]))
        probes *= np.where(np.arange(slopes.shape[2]) % 2, -1, 1)
        seen = {first.tobytes()}
        for pattern in patterns[1:]:
            if pattern.tobytes() in seen:
                continue
            seen.add(pattern.tobytes())
            found |= self.own.undefined(point, pattern)
            for probe in probes:
                found |= self._apart(point, first, pattern, np.tile(self._held(probe), (count, 1)))
        if len(seen) == 1:  # no side but one is met: its own derivatives must exist
            found |= self._apart(point, first, first, np.tile(self._held(probes[0]), (count, 1)))
        return found

    def _held(self, direction: Array) -> Array:
        """A direction without inputs, where they are not differentiated by."""
        if self.inputs:
            return direction
        moved = direction.copy()
        moved[..., moved.shape[-1] - len(self.own.system.signals) :] = 0.0
        return moved

    def _onto(self, point: Point, kind: NDArray[np.bool_], sides: Array) -> tuple[Point, Array]:
        """The points moved by rounding to where the switches are zero, and the slopes of these."""
        values, slopes = self.own.switches(point, sides)
        G = np.nan_to_num(slopes[:, kind])
        unit = np.linalg.norm(G, axis=2, keepdims=True)
        unit[unit == 0] = 1.0
        inverse = np.linalg.pinv(G / unit, rcond=1e-6)
        step = -np.einsum("kzs,ks->kz", inverse, np.nan_to_num(values[:, kind]) / unit[..., 0])
        sizes = np.cumsum([getattr(point, name).shape[1] for name in MOVED])[:-1]
        pairs = zip(MOVED, np.split(step, sizes, axis=1), strict=True)
        return replace(point, **{name: getattr(point, name) + part for name, part in pairs}), slopes

    def _rays(self, slopes: Array, kind: NDArray[np.bool_]) -> list[Array]:
        """(N, moved) each: directions that lead to all sides, thin wedges between two switches too."""
        count, _, size = slopes.shape
        generator = np.random.default_rng(1831)
        rays = [np.tile(ray, (count, 1)) for ray in generator.normal(size=(RAYS, size))]
        places = [int(k) for k in np.flatnonzero(kind)]
        groups: list[tuple[int, ...]] = [(k,) for k in places]
        groups += list(combinations(places, 2)) if len(places) <= FEW else []
        if 2 < len(places) <= FEW:
            groups.append(tuple(places))
        for group in groups:
            G = np.nan_to_num(slopes[:, list(group)])
            unit = np.linalg.norm(G, axis=2, keepdims=True)
            inverse = np.linalg.pinv(G / np.where(unit == 0, 1.0, unit), rcond=1e-12)
            for number in range(2 ** len(group)):
                signs = np.array([1.0 if number >> k & 1 else -1.0 for k in range(len(group))])
                rays.append(inverse @ signs)
        rays += [-ray for ray in rays[:RAYS]]
        return [self._held(ray) for ray in rays]

    def _met(self, point: Point, ray: Array, kind: NDArray[np.bool_], sides: Array) -> Array:
        """(N, switches): the sides that a ray leads to, by the first Taylor part that is not zero."""
        size = np.einsum("ksz,kz->ks", np.abs(self.own.switches(point, sides)[1]), np.abs(ray))
        chosen = sides.copy()
        for _ in range(int(kind.sum()) + 1):
            rises = np.nan_to_num(self.own.rises(point, chosen, ray))
            found = np.zeros_like(chosen)
            for degree in range(rises.shape[1]):
                own = rises[:, degree]
                least = LEADING * size if degree == 0 else np.zeros_like(size)
                found = np.where((found == 0) & (np.abs(own) > least), np.sign(own), found)
            after = np.where(kind & (found != 0), found, chosen)
            if (after == chosen).all():
                break
            chosen = after
        return chosen

    def _apart(self, point: Point, first: Array, other: Array, along: Array) -> NDArray[np.bool_]:
        """(N,) whether Taylor parts along a line differ between two choices of sides.

        The difference is the integral of the derivative by the sides on the way from one to the
        other, in which all that has no kink has dropped out.
        """
        order, turned = self.order, other - first
        highest = order + 1
        whole, total, size = (np.zeros(0),) * 3
        for node, weight in zip(NODES, WEIGHTS, strict=True):
            between = (first + other) / 2 + node * turned
            _, change = self.own.parts(highest, point, between, along, turned)
            total = total + weight * change if total.size else weight * change
            size = size + weight * np.abs(change) if size.size else weight * np.abs(change)
        for sides in (first, other):
            own = np.abs(self.own.parts(highest, point, sides, along, turned)[0])
            whole = np.maximum(whole, own) if whole.size else own
        eps = float(np.finfo(float).eps)
        place = np.abs(point.q).max(axis=1, initial=0)[:, None, None]
        off = SAME * size[:, : order + 1] + FLOOR * whole[:, : order + 1]
        off = off + 64 * eps * place * np.nan_to_num(size[:, 1 : order + 2], posinf=0.0)
        differ = np.abs(total[:, : order + 1]) > off
        lost = ~np.isfinite(total[:, : order + 1]) | ~np.isfinite(whole[:, : order + 1])
        return np.asarray((differ | lost).any(axis=(1, 2)))


def refuse_kinks(engine: Kernel, point: Point, order: int, what: str) -> None:
    """Refuse a rest about which the equations lack derivatives up to an order, by displacements."""
    smooth_at(engine, point, order, inputs=False).refuse(
        f"{capital(engine.system.title)} has {what}: its equations have a kink at the equilibrium",
        "Look beside it, or replace the function by a smooth one.",
    )


def refuse_kinked_outputs(
    engine: Kernel, outputs: Sequence[sympy.Expr], point: Point
) -> NDArray[np.bool_]:
    """(N,) where the outputs have no slopes; one point is refused."""
    found = np.zeros(len(point.q), dtype=bool)
    for output in outputs:
        kinks = smooth_at(engine, point, 1, outputs=[output])
        infinite = ~np.all(
            [np.isfinite(slope).all(axis=(1, 2)) for slope in engine.slopes([output], point)], axis=0
        )
        own = kinks.broken | infinite | ~np.isfinite(engine.values([output], point)).all(axis=1)
        if own.all():
            reason = (
                f"it has a kink there, {kinks.where}"
                if kinks.pieces
                else "it or its slope is infinite there"
            )
            raise DerivationError(
                f"The output `{shortened(output)}` has no linear part at the equilibrium: {reason}."
                " Ask for a smooth output, or linearize beside that place."
            )
        found |= own
    return found
