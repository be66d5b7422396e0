"""Which coordinates are angles: what the equations contain of them repeats after whole turns.

Decided from how a coordinate is written: only inside sines, cosines and tangents of sums, with rational
factors. This is exact, so that proofs may rely on it.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import lcm

import sympy

from routh.language.symbols import Coordinate, Let
from routh.language.system import System

MOST = 4
"""Turns after which a coordinate counts as no angle."""

WAVES = (sympy.sin, sympy.cos, sympy.tan, sympy.cot, sympy.sec, sympy.csc)


@lru_cache(maxsize=64)
def turns(system: System) -> tuple[int | None, ...]:
    """For each coordinate the number of full turns after which the equations repeat, or None.

    Amplitudes of fields are not written in the energies, and none of them is an angle.
    """
    amplitudes = {q for shape in system.shapes for q in shape.coordinates}
    return tuple(None if q in amplitudes else _turns(system, q) for q in system.coordinates)


def _turns(system: System, q: Coordinate) -> int | None:
    """One coordinate; terms linear in it have constant slopes and do no harm."""
    reader = _Reader(q)
    energies = [*system.kinetic, *system.lagrangian, *system.potential, *system.dissipation]
    for energy in energies:
        for term in sympy.Add.make_args(energy):
            if not _has_constant_slope(term, q):
                reader.read(term)
    for force in system.forces:
        for place in force.at:
            if reader.factor(place) is None:
                reader.read(place)
        for component in force.components:
            reader.read(component)
    for phi in system.constraints:
        reader.read(phi)
    found = lcm(*reader.parts)
    return found if reader.periodic and found <= MOST else None


def _has_constant_slope(term: sympy.Expr, q: Coordinate) -> bool:
    """Whether a term is q times something without coordinates, velocities and time."""
    slope = term.coeff(q)
    rest = sympy.expand(term - slope * q) if slope != 0 else term
    if slope == 0 or rest != 0:
        return False
    return not any(isinstance(s, (Coordinate, Let)) or s.name == "t" for s in slope.atoms(sympy.Symbol))


class _Reader:
    """Reads expressions and remembers how a coordinate occurs in them."""

    def __init__(self, q: Coordinate) -> None:
        self._q = q
        self._seen: set[sympy.Basic] = set()
        self._factors: dict[sympy.Basic, Fraction | None] = {}
        self.periodic = True
        self.parts = [1]
        """Denominators of the factors with which it is turned."""

    def read(self, expression: sympy.Basic) -> None:
        """Look at every place where the coordinate occurs."""
        stack = [expression]
        while stack and self.periodic:
            node = stack.pop()
            if node in self._seen:
                continue
            self._seen.add(node)
            if node == self._q:
                self.periodic = False
            elif isinstance(node, WAVES):
                self._read_wave(node, stack)
            else:
                stack.extend([node.expression] if isinstance(node, Let) else node.args)

    def _read_wave(self, node: sympy.Basic, stack: list[sympy.Basic]) -> None:
        factor = self.factor(node.args[0])
        if factor is None:
            stack.extend(node.args)
        else:
            self.parts.append(factor.denominator)

    def factor(self, expression: sympy.Basic) -> Fraction | None:
        """The rational number with which the coordinate enters a sum, None if it enters otherwise."""
        if expression not in self._factors:
            self._factors[expression] = self._factor(expression)
        return self._factors[expression]

    def _factor(self, e: sympy.Basic) -> Fraction | None:
        if e == self._q:
            return Fraction(1)
        if isinstance(e, Let):
            return self.factor(e.expression)
        if e.is_Add:
            parts = [self.factor(term) for term in e.args]
            return None if None in parts else sum((p for p in parts if p), Fraction(0))
        if e.is_Mul:
            number, rest = e.as_coeff_Mul()
            inner = self.factor(rest) if number != 1 else self._without(e)
            if inner is None or (inner and not number.is_Rational):
                return None
            return inner * Fraction(int(number.p), int(number.q)) if inner else Fraction(0)
        return self._without(e)

    def _without(self, e: sympy.Basic) -> Fraction | None:
        """Zero if the coordinate does not occur at all."""
        occurs = any(self.factor(child) != 0 for child in e.args)
        return None if occurs else Fraction(0)
