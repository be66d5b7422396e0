"""Rotations among the coordinates of a system: entries of a matrix, or four numbers of a quaternion.

Their constraints hold positions, and their rates follow from the angular velocity along body axes,

    R' = R hat(omega),    e' = turn(e)^T omega / 2

which meets the constraints whatever omega is. What is equal for all rotations, as R^T R and 1, is told
by a Groebner basis of the relations among the entries: each expression has one lowest form.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache

import sympy
from sympy import ImmutableDenseMatrix as Matrix

from routh.language.rotations import hat
from routh.language.symbols import Coordinate
from routh.language.system import System
from routh.language.walk import bottom_up, leaves

Exponents = tuple[int, ...]
Rule = tuple[Exponents, tuple[tuple[Exponents, sympy.Rational], ...]]
"""A product of entries, and the sum that it is equal to."""


@dataclass(frozen=True, eq=False)
class Attitude:
    """A rotation whose coordinates obey constraints.

    Attributes:
        coordinates: the nine entries row by row, or the four numbers of a quaternion.
        constraints: those of the system that hold them.
        rates: (9 or 4, 3) their rates for an angular velocity of one along each body axis.
        rules: products of coordinates that are replaced, in the order of a Groebner basis.
    """

    coordinates: tuple[Coordinate, ...]
    constraints: tuple[sympy.Expr, ...]
    rates: Matrix
    rules: tuple[Rule, ...] = field(repr=False)

    def lowered(self, e: sympy.Expr) -> sympy.Expr:
        """The expression in its lowest form, the same for all that are equal for every rotation.

        Sums are brought there from the inside out: what rolls is a sum of products of sums, which are
        short when they are lowest. What is no polynomial in the coordinates stays as it is.
        """
        wanted = set(self.coordinates)

        def made(node: sympy.Basic, parts: list[sympy.Basic]) -> sympy.Basic:
            same = all(new is old for new, old in zip(parts, node.args, strict=True))
            node = node if same else node.func(*parts)
            return self._sum(node) if node.is_Add and leaves([node]) & wanted else node

        found = bottom_up(e, made, {})
        return self._sum(found) if leaves([found]) & wanted else found

    def _sum(self, e: sympy.Expr) -> sympy.Expr:
        left = self._terms(sympy.expand(e))
        done: list[sympy.Expr] = []
        while left:
            product = max(left, key=_grevlex)
            factor = sympy.expand(sympy.Add(*left.pop(product)))
            rule = next((r for r in self.rules if _divides(r[0], product)), None)
            if factor == 0:
                continue
            if rule is None:
                powers = zip(self.coordinates, product, strict=True)
                done.append(factor * sympy.Mul(*(x**k for x, k in powers)))
                continue
            rest = [a - b for a, b in zip(product, rule[0], strict=True)]
            for own, number in rule[1]:
                key = tuple(a + b for a, b in zip(rest, own, strict=True))
                left.setdefault(key, []).append(number * factor)
        return sympy.Add(*done)

    def _terms(self, e: sympy.Expr) -> dict[Exponents, list[sympy.Expr]]:
        """The terms of a sum by the powers of the coordinates in them."""
        place = {x: k for k, x in enumerate(self.coordinates)}
        found: dict[Exponents, list[sympy.Expr]] = {}
        for term in sympy.Add.make_args(e):
            powers, others = [0] * len(place), []
            for each in sympy.Mul.make_args(term):
                base, power = each.as_base_exp()
                if base in place and power.is_Integer and power > 0:
                    powers[place[base]] += int(power)
                else:
                    others.append(each)
            found.setdefault(tuple(powers), []).append(sympy.Mul(*others))
        return found


def attitudes(system: System) -> tuple[Attitude, ...]:
    """The rotations of a system, as `rotation_matrix` and `quaternion` name and hold them."""
    by_name = {q.name: q for q in system.coordinates}
    held = set(system.constraints)
    return tuple(a for a in _candidates(by_name) if held.issuperset(a.constraints))


def _candidates(by_name: dict[str, Coordinate]) -> Iterator[Attitude]:
    for name in by_name:
        if name.endswith("11"):
            names = [f"{name[:-2]}{i}{j}" for i in "123" for j in "123"]
            if by_name.keys() >= set(names):
                yield _matrix([by_name[each] for each in names])
        if name.endswith("0"):
            names = [f"{name[:-1]}{k}" for k in range(4)]
            if by_name.keys() >= set(names):
                yield _quaternion([by_name[each] for each in names])


def _matrix(entries: Sequence[Coordinate]) -> Attitude:
    R = Matrix(3, 3, entries)
    columns = [R[:, k] for k in range(3)]
    lengths = [(e.dot(e) - 1) / 2 for e in columns]
    angles = [columns[i].dot(columns[j]) for i, j in ((0, 1), (1, 2), (2, 0))]
    units = [hat(Matrix(sympy.eye(3)[:, k])) for k in range(3)]
    rates = Matrix([list(R * unit) for unit in units]).T
    return Attitude(tuple(entries), (*lengths, *angles), rates, _matrix_rules())


def _quaternion(e: Sequence[Coordinate]) -> Attitude:
    a, b, c, d = e
    turn = Matrix([[-b, a, d, -c], [-c, -d, a, b], [-d, c, -b, a]])
    unit = (sum(q**2 for q in e) - 1) / 2
    square = [tuple(2 * (k == i) for k in range(4)) for i in range(4)]
    rest = [((0, 0, 0, 0), sympy.Integer(1)), *((each, sympy.Integer(-1)) for each in square[1:])]
    return Attitude(tuple(e), (unit,), Matrix(turn.T / 2), ((square[0], tuple(rest)),))


@cache
def _matrix_rules() -> tuple[Rule, ...]:
    """The relations of a rotation matrix: R^T R = R R^T = 1, and each entry is its cofactor."""
    x = sympy.symbols("x:9")
    R, unit = sympy.Matrix(3, 3, x), sympy.eye(3)
    relations = [*(R.T * R - unit), *(R * R.T - unit), *(R.adjugate().T - R)]
    basis = sympy.groebner([sympy.expand(e) for e in relations], *x, order="grevlex")
    return tuple(_rule(each) for each in basis.polys)


def _rule(polynomial: sympy.Poly) -> Rule:
    (first, factor), *rest = polynomial.terms(order="grevlex")
    return tuple(first), tuple((tuple(each), -number / factor) for each, number in rest)


def _grevlex(powers: Exponents) -> tuple[int, tuple[int, ...]]:
    return sum(powers), tuple(-k for k in reversed(powers))


def _divides(a: Exponents, b: Exponents) -> bool:
    return all(x <= y for x, y in zip(a, b, strict=True))
