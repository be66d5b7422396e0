"""Expressions of parameters alone, or of them and a place along a space: no system is needed."""

from __future__ import annotations

from collections.abc import Sequence

import casadi
import numpy as np
import sympy

from routh.arrays import Array
from routh.kernels.graphs.batch import Batched
from routh.kernels.graphs.lower import SX, lower
from routh.language.fields import Space


def plain_values(
    expressions: Sequence[sympy.Expr], symbols: Sequence[sympy.Symbol], values: Array
) -> Array:
    """(N, expressions): their values for values (N, symbols) of the symbols that they contain."""
    own = _named(symbols)
    column = casadi.vertcat(*(casadi.SX(e) for e in lower(expressions, own)))
    function = casadi.Function("plain", [_column(own)], [casadi.densify(column)])
    return Batched(function)(values)[0][..., 0]


def values_along(
    function: sympy.Expr, space: Space, symbols: Sequence[sympy.Symbol], values: Array, xi: Array
) -> Array:
    """(N, places): a function of a space at places xi from -1 to 1 of it, and of other symbols."""
    place = casadi.SX.sym("xi")
    own = _named(symbols)
    start, length = lower([space.bounds[0], space.length], own)
    (value,) = lower([function], {**own, space: start + length * (1 + place) / 2})
    run = Batched(casadi.Function("along", [place, _column(own)], [casadi.densify(value)]))
    every = run(np.tile(xi, len(values))[:, None], np.repeat(values, len(xi), axis=0))[0]
    return every.reshape(len(values), len(xi))


def _named(symbols: Sequence[sympy.Symbol]) -> dict[sympy.Symbol, SX]:
    return {each: casadi.SX.sym(str(each)) for each in symbols}


def _column(own: dict[sympy.Symbol, SX]) -> SX:
    return casadi.vertcat(*own.values()) if own else casadi.SX(0, 1)
