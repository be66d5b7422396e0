"""Where the points of elastic bodies are: vectors that vary along a space, read in results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy
from sympy import ImmutableDenseMatrix as Matrix

from routh.analysis.fields import shape_of
from routh.analysis.reading import own_expression
from routh.errors import DeclarationError, shortened
from routh.kernels.batch import Array
from routh.kernels.kernel import Point, kernel
from routh.kernels.sampling import places, samples
from routh.language.calculus import as_vector
from routh.language.fields import Field, Space
from routh.language.system import System
from routh.language.walk import outside_integrals, unfold


def space_of(expressions: Sequence[sympy.Expr]) -> Space | None:
    """The space along which some expressions vary; None if they do not."""
    found = outside_integrals([unfold(e) for e in expressions])
    inside = {s.space for s in found if isinstance(s, Field) and s.end is None}
    spaces = sorted(inside | {s for s in found if isinstance(s, Space)}, key=lambda s: s.serial)
    if len(spaces) > 1:
        raise DeclarationError(
            f"A point of a body varies along one space. Got `{shortened(list(expressions))}`, which"
            f" varies along `{spaces[0]}` and `{spaces[1]}`."
        )
    return spaces[0] if spaces else None


def body(system: System, given: Any, point: Point) -> Array:
    """(N, places, d): a vector along the body that it varies along, or (N, 1, d) for a single point."""
    vector: Matrix = as_vector(given, "What is drawn")
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
    return field, places(system, field.space, bounds), values
