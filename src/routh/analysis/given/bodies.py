"""Where the points of elastic bodies are: vectors that vary along a space, read in results."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import sympy
from sympy import ImmutableDenseMatrix as Matrix

from routh.analysis.given.field_values import shape_of
from routh.analysis.given.reading import own_expression
from routh.arrays import Array
from routh.kernels.engine import Point
from routh.kernels.kernel import kernel
from routh.kernels.sampling import samples
from routh.language.calculus import as_vector
from routh.language.domains import space_of
from routh.language.fields import Field, Space
from routh.language.names import vector_by_name
from routh.language.system import System

READ = 512
"""Vectors whose expressions are remembered: those of a drawing are read again and again."""


def body(system: System, given: Any, point: Point) -> Array:
    """(N, places, d): a vector along the body that it varies along, or (N, 1, d) for a single point."""
    return bodies(system, [given], point)[0]


def bodies(system: System, given: Sequence[Any], point: Point) -> list[Array]:
    """The same of many vectors; single points are evaluated together."""
    what = "What is drawn"
    read = [_read(system, as_vector(vector_by_name(system, r, what), what)) for r in given]
    flat = [e for expressions, space in read if space is None for e in expressions]
    values = kernel(system).values(flat, point) if flat else None
    found, begin = [], 0
    for expressions, space in read:
        if space is None:
            assert values is not None
            found.append(values[:, None, begin : begin + len(expressions)])
            begin += len(expressions)
        else:
            found.append(samples(system).values(expressions, space, point).swapaxes(1, 2))
    return found


@lru_cache(maxsize=READ)
def _read(system: System, vector: Matrix) -> tuple[tuple[sympy.Expr, ...], Space | None]:
    """The expressions of a vector, and the space that it varies along."""
    read = tuple(own_expression(system, e, "What is drawn", varying=True) for e in vector)
    return read, space_of(list(read))


def field_along(system: System, given: Any, point: Point) -> tuple[Field, Array, Array]:
    """A field with the places (N, k) and its values (N, k) there."""
    _, field = shape_of(system, given)
    bounds = kernel(system).values(list(field.space.bounds), point)
    values = samples(system).values([field], field.space, point)[:, 0]
    return field, samples(system).places(field.space, bounds), values
