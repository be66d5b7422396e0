"""Where the points of elastic bodies are: vectors that vary along a space, read in results."""

from __future__ import annotations

from typing import Any

from sympy import ImmutableDenseMatrix as Matrix

from routh.analysis.given.field_values import shape_of
from routh.analysis.given.reading import own_expression
from routh.arrays import Array
from routh.kernels.engine import Point
from routh.kernels.kernel import kernel
from routh.kernels.sampling import samples
from routh.language.calculus import as_vector
from routh.language.domains import space_of
from routh.language.fields import Field
from routh.language.names import vector_by_name
from routh.language.system import System


def body(system: System, given: Any, point: Point) -> Array:
    """(N, places, d): a vector along the body that it varies along, or (N, 1, d) for a single point."""
    vector: Matrix = as_vector(vector_by_name(system, given, "What is drawn"), "What is drawn")
    expressions = [own_expression(system, e, "What is drawn", varying=True) for e in vector]
    space = space_of(expressions)
    if space is None:
        return kernel(system).values(expressions, point)[:, None, :]
    return samples(system).values(expressions, space, point).swapaxes(1, 2)


def field_along(system: System, given: Any, point: Point) -> tuple[Field, Array, Array]:
    """A field with the places (N, k) and its values (N, k) there."""
    _, field = shape_of(system, given)
    bounds = kernel(system).values(list(field.space.bounds), point)
    values = samples(system).values([field], field.space, point)[:, 0]
    return field, samples(system).places(field.space, bounds), values
