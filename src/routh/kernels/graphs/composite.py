"""The mass matrix by way of named intermediates: each is eliminated from T once, the last first.

Let x be the intermediates that contain velocities, each a vector linear in the velocities v and in
those before it, x_k = sum of B_kj x_j + B_k v, and T quadratic in v and all x. Then x_k is put into T,
whose second derivatives W move on to what it is made of,

    W_ij  +=  B_ki^T W_kj + W_ik B_kj + B_ki^T W_kk B_kj,

and when none is left W is M (edge pushing: Gower and Mello 2012, on vectors instead of scalars). For a
chain of links whose velocities are named, W_kk is the inertia of a link with all that hangs on it, and
this is the method of composite rigid bodies (Walker and Orin 1982), in far fewer instructions than the
columns of a Hessian, each of which goes through the whole chain.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import casadi
import sympy

from routh.language.symbols import Coordinate, Let
from routh.language.walk import lets

SX = Any
Lowered = Callable[[Sequence[sympy.Expr], Mapping[sympy.Symbol, SX]], list[SX]]
"""Expressions in CasADi, with some symbols standing for themselves."""

FEWEST = 4
"""Named vectors with velocities below which columns of the Hessian are as short."""


def mass_matrix(terms: Sequence[sympy.Expr], v: SX, lowered: Lowered) -> SX | None:
    """L_vv of the sum of the terms; None where it does not follow from named intermediates.

    That is where there are few of them, or something is not linear or quadratic in what it contains.
    """
    groups = _groups(terms)
    if len(groups) < FEWEST:
        return None
    columns = [casadi.SX.sym("x", len(group)) for group in groups]
    own = {
        let: entry
        for group, column in zip(groups, columns, strict=True)
        for let, entry in zip(group, column.elements(), strict=True)
    }
    every = [let.expression for group in groups for let in group]
    made = lowered([*every, *terms], own)
    x = casadi.vertcat(*columns, v)
    count = len(every)
    B = casadi.jacobian(casadi.vertcat(*made[:count]), x)
    L = casadi.sum1(casadi.vertcat(*made[count:]))
    W, _ = casadi.hessian(L, x)
    if casadi.depends_on(casadi.vertcat(casadi.vec(B), casadi.vec(W)), x):
        return None
    starts = [0]
    for column in [*columns, v]:
        starts.append(starts[-1] + column.numel())
    return _Elimination(B, W, starts).reduced()


def _groups(terms: Sequence[sympy.Expr]) -> list[list[Let]]:
    """The intermediates that contain velocities, those of one vector together, in the order made.

    Each is made of those before it alone: where something that is made of one component of a vector
    makes another one, all stand for themselves.
    """
    moving: set[Let] = set()
    found: dict[Any, list[Let]] = {}
    for let in lets(terms):
        if _contains(let.expression, moving):
            moving.add(let)
            base = let.rate_of or let
            key = let.serial if base.vector is None else (base.vector[0], base.vector[1], let is base)
            found.setdefault(key, []).append(let)
    together = sorted(found.values(), key=lambda group: group[-1].serial)
    if _is_in_order(together):
        return together
    return [[let] for let in sorted(moving, key=lambda let: let.serial)]


def _is_in_order(groups: Sequence[Sequence[Let]]) -> bool:
    """Whether each intermediate is made of those of groups before its own."""
    place = {let: k for k, group in enumerate(groups) for let in group}
    return all(
        place.get(each, -1) < k for let, k in place.items() for each in let.expression.atoms(Let)
    )


def _contains(expression: sympy.Expr, moving: set[Let]) -> bool:
    """Whether an expression contains a velocity, or an intermediate that does."""
    return any(
        each in moving or (isinstance(each, Coordinate) and each.order == 1)
        for each in expression.atoms(Let, Coordinate)
    )


class _Elimination:
    """Blocks of second derivatives, from which the vectors go one after the other; the last is v."""

    def __init__(self, B: SX, W: SX, starts: list[int]) -> None:
        self._last = len(starts) - 2
        self._size = starts[-1] - starts[-2]
        slices = [slice(a, b) for a, b in pairwise(starts)]
        self._B = [
            {j: block for j, at in enumerate(slices) if (block := B[rows, at]).nnz()}
            for rows in slices[:-1]
        ]
        self._W: list[dict[int, SX]] = [{} for _ in slices]
        for k, rows in enumerate(slices):
            for j, at in enumerate(slices[: k + 1]):
                block = W[rows, at]
                if block.nnz():
                    self._add(k, j, block)

    def _add(self, i: int, j: int, block: SX) -> None:
        """Add W_ij and its mirror image; v counts as before all others, so that it is kept."""
        if self._rank(i) < self._rank(j):
            i, j, block = j, i, block.T
        row = self._W[i]
        row[j] = row[j] + block if j in row else block

    def _rank(self, k: int) -> int:
        return -1 if k == self._last else k

    def reduced(self) -> SX:
        """W of v alone."""
        for k in range(self._last - 1, -1, -1):
            self._eliminate(k)
        found = self._W[self._last].get(self._last)
        return casadi.SX(self._size, self._size) if found is None else _symmetric(found)

    def _eliminate(self, k: int) -> None:
        row, made_of = self._W[k], self._B[k]
        own = row.pop(k, None)
        for j, block in row.items():
            for i, B in made_of.items():
                pushed = casadi.mtimes(B.T, block)
                self._add(i, j, pushed + pushed.T if i == j else pushed)
        if own is not None:
            own = _symmetric(own)
            parts = list(made_of.items())
            for a, (i, B) in enumerate(parts):
                half = casadi.mtimes(own, B)
                self._add(i, i, _symmetric(casadi.mtimes(B.T, half)))
                for j, C in parts[a + 1 :]:
                    self._add(j, i, casadi.mtimes(C.T, half))


def _symmetric(block: SX) -> SX:
    """The upper triangle, mirrored: the lower one is never computed."""
    return casadi.triu2symm(casadi.triu(block))
