"""Random systems for property tests: smooth, with positive mass matrix, everything switched on."""

from __future__ import annotations

import numpy as np
import sympy

import routh as rt
from routh import cos, ddt, exp, sin, t


def rational(generator: np.random.Generator, low: float = -1.0, high: float = 1.0) -> sympy.Expr:
    return sympy.Rational(int(generator.integers(int(16 * low), int(16 * high) + 1)), 16)


def smooth(generator: np.random.Generator, symbols: list[sympy.Symbol]) -> sympy.Expr:
    """A smooth function of the symbols with values of order one."""
    inner = sum((rational(generator) * s for s in symbols), rational(generator))
    other = sum((rational(generator) * s for s in symbols), rational(generator))
    shapes = [sin(inner), cos(inner), exp(inner / 4), inner * other, inner**2 * other / 2]
    picked = generator.choice(len(shapes), size=2, replace=False)
    return sum((rational(generator) * shapes[k] for k in picked), sympy.S.Zero)


def random_system(
    seed: int, n: int, *, timed: bool = True, forced: bool = True, gyroscopic: bool = True
) -> rt.System:
    """T = v^T A(q, t) v / 2 + B(q, t) v, V with a stiff quadratic part, D and Q of everything."""
    generator = np.random.default_rng(seed)
    q = list(rt.coordinates(" ".join(f"q{k}" for k in range(1, n + 1))))
    v = [ddt(x) for x in q]
    seen = [*q, t] if timed else q
    kinetic: list[sympy.Expr] = [2 * sum(x**2 for x in v) / 2]
    for _ in range(n):
        stretch = sum((smooth(generator, seen) * x for x in v), sympy.S.Zero)
        kinetic.append(stretch**2 / 2)
    if gyroscopic:
        kinetic.append(sum((smooth(generator, seen) * x for x in v), sympy.S.Zero))
    stiff = sum(((3 + rational(generator)) * x**2 for x in q), sympy.S.Zero)
    potential = [stiff + smooth(generator, q), smooth(generator, seen)]
    if not forced:
        return rt.System(kinetic=kinetic, potential=potential)
    losses = [(smooth(generator, seen) * generator.permutation(v)[0] + v[-1]) ** 2 / 8]
    forces = {x: smooth(generator, [*seen, *v]) for x in q}
    return rt.System(kinetic=kinetic, potential=potential, dissipation=losses, forces=forces)
