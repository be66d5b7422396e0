"""Functions of a box whose roots are known in closed form, to hold proofs against.

Each is a system whose forces vanish just at the roots given: narrow bumps of several shapes, close
pairs, clusters, waves, double roots, in one to three coordinates, in any units, at the ends of a box.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import sympy

import routh as rt
from routh import ddt

x, y, z = rt.coordinates("x y z")
a, w, c, d, e, f, slant, bend = rt.parameters("a w c d e f slant bend")
ENDS = np.array([-1.0, 1.0])

Shape = tuple[Callable[[sympy.Expr], sympy.Expr], Callable[[float], float]]

SHAPES: dict[str, Shape] = {
    "Gaussian": (lambda u: rt.exp(-(u**2)), lambda s: np.sqrt(-np.log(s))),
    "Lorentzian": (lambda u: 1 / (1 + u**2), lambda s: np.sqrt(1 / s - 1)),
    "quartic": (lambda u: 1 / (1 + u**4), lambda s: (1 / s - 1) ** 0.25),
    "hyperbolic": (lambda u: 1 / rt.cosh(u), lambda s: np.arccosh(1 / s)),
    "two steps": (
        lambda u: (rt.tanh(u + 1) - rt.tanh(u - 1)) / 2,
        lambda s: np.arccosh(np.sinh(2) / s - np.cosh(2)) / 2,
    ),
}
"""Even bumps of height 1 (tanh(1) for two steps), falling to zero, and where they have a height."""


@dataclass(frozen=True, eq=False)
class Case:
    """A system, its values, a box, and the roots that it has there."""

    system: rt.System
    values: dict[str, float]
    within: dict[rt.Coordinate, tuple[float, float]]
    roots: np.ndarray
    """(k, n)"""
    near: np.ndarray
    """(n,) how near a listed root must be."""
    double: bool = False
    """Whether a root is multiple: then nothing can be proven complete."""


@lru_cache
def bump(name: str, dimension: int) -> rt.System:
    """A bump across one direction of space, slanted; the others are coupled to it."""
    shape = SHAPES[name][0]
    along = x if dimension == 1 else x + slant * y
    forces = {x: shape((along - a) / w) - c}
    if dimension > 1:
        forces[y] = y - slant * x - bend * rt.sin(along)
    if dimension > 2:
        forces[z] = z - x * y
    T = sum(ddt(q) ** 2 for q in forces) / 2
    return rt.System(kinetic=T, forces=forces)


def bump_case(generator: np.random.Generator, dimension: int = 1, widest: float = -0.5) -> Case:
    """A bump 1e-9 to `10^widest` of the box wide, in a box of any size and place."""
    name = str(generator.choice(list(SHAPES)))
    unit = 10.0 ** generator.uniform(-9, 9) if dimension == 1 else 1.0
    width = unit * 10.0 ** generator.uniform(-9, widest)
    place = unit * generator.uniform(-0.7, 0.7)
    height = generator.choice([generator.uniform(0.05, 0.7), 0.7, 1e-3])
    far = SHAPES[name][1](height) * width
    values = {"a": place, "w": width, "c": height}
    along = place + far * ENDS
    inside = np.abs(along) < unit
    roots = along[inside, None]
    within = {x: (-unit, unit)}
    if dimension > 1:
        # y - slant x = bend sin(u), x + slant y = u
        values |= {"slant": generator.uniform(-0.5, 0.5), "bend": generator.uniform(-0.3, 0.3)}
        k, b = values["slant"], values["bend"] * np.sin(along)
        roots = np.array([(along - k * b), (b + k * along)]).T / (1 + k**2)
        within = {x: (-2.0, 2.0), y: (-3.0, 3.0)}
    if dimension > 2:
        roots = np.column_stack([roots, roots.prod(axis=1)])
        within |= {z: (-5.0, 5.0)}
    near = np.full(dimension, 1e-5 * width) + 1e-15 * unit
    return Case(bump(name, dimension), values, within, roots, near)


@lru_cache
def product(count: int, double: bool) -> rt.System:
    places = [a, c, d, e, f][:count]
    force = sympy.prod((x - place) / w for place in places)
    if double:
        force = force * (x - a) / w
    return rt.System(kinetic=ddt(x) ** 2 / 2, forces={x: force})


def cluster_case(generator: np.random.Generator, double: bool = False) -> Case:
    """Two to five roots within 1e-9 to 1/2 of a box, perhaps one of them double."""
    count = int(generator.integers(2, 6))
    unit = 10.0 ** generator.uniform(-9, 9)
    size = unit * 10.0 ** generator.uniform(-9, -0.5)
    middle = generator.choice([0.0, generator.uniform(-0.4, 0.4) * unit])
    steps = generator.permutation(np.cumsum(generator.uniform(0.2, 1, count)))
    roots = middle + size * steps / count
    names = "acdef"[:count]
    values = dict(zip(names, roots.tolist(), strict=True)) | {"w": size}
    near = np.array([1e-5 * size + 1e-15 * unit])
    within = {x: (-unit, unit)}
    return Case(product(count, double), values, within, roots[:, None], near, double)


def edge_case(generator: np.random.Generator) -> Case:
    """Roots at one or both ends of a box, to the last bit, or one bit beside them."""
    unit = 10.0 ** generator.uniform(-9, 9)
    ends = np.sort(unit * generator.uniform(-1, 1, 2))
    roots = ends.copy()
    if generator.random() < 0.5:
        roots[1] = ends.mean()
    towards = generator.choice([-np.inf, np.inf])
    if generator.random() < 0.5:
        roots[0] = np.nextafter(roots[0], towards)
    inside = (roots >= ends[0]) & (roots <= ends[1])
    values = {"a": roots[0], "c": roots[1], "w": unit}
    near = np.array([1e-9 * np.ptp(ends)])
    within = {x: (float(ends[0]), float(ends[1]))}
    return Case(product(2, False), values, within, roots[inside, None], near)


@lru_cache
def ring() -> rt.System:
    force = rt.exp(w * (rt.cos(x - a) - 1)) - c
    return rt.System(kinetic=ddt(x) ** 2 / 2, forces={x: force})


def ring_case(generator: np.random.Generator) -> Case:
    """A bump on a circle, down to 1e-7 of it wide, often where the circle closes."""
    sharp = 10.0 ** generator.uniform(0.5, 13)
    place = generator.choice([np.pi, -np.pi, generator.uniform(-np.pi, np.pi)])
    height = generator.uniform(0.05, 0.7)
    far = 2 * np.arcsin(np.sqrt(-np.log(height) / sharp / 2))
    roots = np.remainder(place + far * ENDS + np.pi, 2 * np.pi) - np.pi
    values = {"a": place, "w": sharp, "c": height}
    near = np.array([1e-4 * far + 1e-14])
    return Case(ring(), values, {}, roots[:, None], near)


@lru_cache
def wave() -> rt.System:
    return rt.System(kinetic=ddt(x) ** 2 / 2, forces={x: rt.sin(x / w - a) - c})


def wave_case(generator: np.random.Generator, double: bool = False) -> Case:
    """A few waves over a box; double roots where it is as high as it can be."""
    unit = 10.0 ** generator.uniform(-9, 9)
    width, phase = unit / generator.uniform(2, 20), generator.uniform(0, 6)
    height = 1.0 if double else generator.choice([generator.uniform(-1, 1), 1 - 1e-10])
    turns = 2 * np.pi * np.arange(-6, 7)
    angles = np.concatenate([np.arcsin(height) + turns, np.pi - np.arcsin(height) + turns])
    roots = width * (angles + phase)
    roots = roots[np.abs(roots) < unit]
    values = {"a": phase, "w": width, "c": float(height)}
    near = np.array([1e-7 * width])
    touching = double and len(roots) > 0
    return Case(wave(), values, {x: (-unit, unit)}, roots[:, None], near, touching)


def touching_case(generator: np.random.Generator) -> Case:
    """A bump that just reaches the level: one double root."""
    name = str(generator.choice(["Gaussian", "Lorentzian", "hyperbolic"]))
    case = bump_case(generator)
    roots = np.array([[case.values["a"]]])
    return Case(bump(name, 1), case.values | {"c": 1.0}, case.within, roots, case.near, True)


CASES: Sequence[Callable[[np.random.Generator], Case]] = (
    bump_case,
    lambda g: bump_case(g, 2, -1.5),
    lambda g: bump_case(g, 3, -1.5),
    cluster_case,
    lambda g: cluster_case(g, double=True),
    edge_case,
    ring_case,
    wave_case,
    lambda g: wave_case(g, double=True),
    touching_case,
)
