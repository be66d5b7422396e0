"""Fields in results: their values along the space, and coordinates for a shape that was given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy
import sympy
from numpy.typing import NDArray

from routh.arrays import Array
from routh.errors import DeclarationError, capital, did_you_mean, listed, quoted, shortened
from routh.kernels.engine import Kernel, Point
from routh.kernels.plain_values import plain_values, values_along
from routh.language.calculus import ddt, diff
from routh.language.calculus import expression as as_expression
from routh.language.fields import Field
from routh.language.keys import once
from routh.language.names import by_name
from routh.language.shapes import Shape
from routh.language.symbols import Parameter
from routh.language.system import System
from routh.language.walk import leaves, unfold

OUTSIDE = 1e-9
"""Share of a space by which a place may lie outside it, for rounding."""

FEW = 300
"""Unknowns up to which shapes are fitted with a dense matrix."""

VIOLATED = 1e-6
"""Share of the largest amplitude that a given shape may miss a condition at an end by."""


def shape_of(system: System, given: object) -> tuple[Shape, Field]:
    """The shape of a field of a discretized system, and the derivative that was asked for."""
    if not system.shapes:
        raise DeclarationError(
            f"{capital(system.title)} has no fields that were made of coordinates by discretize(...)."
        )
    own = [shape.field for shape in system.shapes]
    names = {w.name: w for field in own for w in (field, field.rate)}
    field = names.get(given) if isinstance(given, str) else given
    for shape in system.shapes:
        if isinstance(field, Field) and field.base == shape.field and field.end is None:
            return shape, field
    raise DeclarationError(
        f"Expected a field of {system.title} or a derivative of one: {listed(own)}. Got"
        f" {quoted([given])}." + did_you_mean(given, names)
    )


def field_values(engine: Kernel, point: Point, given: object, places: object) -> Array:
    """(N, k): a field or a derivative of it at k places, at every point of a stack."""
    shape, field = shape_of(engine.system, given)
    amplitudes = engine.values([ddt(a, field.order) for a in shape.amplitudes], point)
    functions = _functions(engine, point, shape, field, places)
    return np.asarray(np.einsum("nkm,nm->nk", functions, amplitudes))


def field_slopes(engine: Kernel, point: Point, given: object, places: object) -> Array:
    """(N, k, n): the derivative of a field at k places by the coordinates."""
    shape, field = shape_of(engine.system, given)
    if field.order:
        raise DeclarationError(
            f"The shape of a mode has no rate: ask for `{field.position}` and multiply by the"
            " eigenvalue."
        )
    by_q = engine.slopes(list(shape.amplitudes), point)[0]
    functions = _functions(engine, point, shape, field, places)
    return np.asarray(np.einsum("nkm,nmq->nkq", functions, by_q))


def _functions(engine: Kernel, point: Point, shape: Shape, field: Field, places: object) -> Array:
    """(N, k, m): the functions of a field at the places, differentiated along the space."""
    s = _places(places, field)
    start, end = engine.values(list(field.space.bounds), point).T
    same = bool((start == start[0]).all() and (end == end[0]).all())
    rows = [0] if same else range(len(start))
    found = []
    for k in rows:
        xi = 2 * (s - start[k]) / (end[k] - start[k]) - 1
        if (np.abs(xi) > 1 + 2 * OUTSIDE).any():
            raise DeclarationError(
                f"Places along `{field.space}` must lie between {start[k]:g} and {end[k]:g}. Got"
                f" {s[np.argmax(np.abs(xi))]:g}."
            )
        values = shape.basis.values(np.clip(xi, -1.0, 1.0), field.slope)
        dense = values if isinstance(values, np.ndarray) else values.toarray()
        found.append(dense * (2 / (end[k] - start[k])) ** field.slope)
    return np.broadcast_to(np.stack(found), (len(start), *found[0].shape))


def refuse_short_spaces(system: System, p: Array) -> None:
    """No space whose end is not behind its start, for some values of the parameters (N, size)."""
    if not system.shapes:
        return
    found = plain_values([space.length for space in system.spaces], system.parameters, p)
    if (found > 0).all():
        return
    worst = int(np.argmin(found.min(axis=0)))
    space = system.spaces[worst]
    raise DeclarationError(
        f"The space `{space}` from {space.bounds[0]} to {space.bounds[1]} must have a length above"
        f" zero. Got {found[:, worst].min():g} with these values."
    )


def _places(given: object, field: Field) -> Array:
    try:
        s = np.atleast_1d(np.asarray(given, dtype=float))
    except (TypeError, ValueError):
        s = np.full(1, np.nan)
    if s.ndim != 1 or not np.isfinite(s).all():
        raise DeclarationError(
            f"Places along `{field.space}` are numbers or one array of them, like"
            f" numpy.linspace(0, 1, 50). Got {given!r}."
        )
    return s


def fitted(system: System, values: Mapping[Parameter, Array], given: Any, argument: str) -> Any:
    """What was given by coordinate and by field, by coordinate alone: shapes fitted to functions."""
    if not system.shapes or not isinstance(given, Mapping):
        return given
    found: dict[Any, Any] = {}
    names = {w.name: w for w in system.fields} | {w.rate.name: w.rate for w in system.fields}
    meant = ((names.get(k, k) if isinstance(k, str) else k, value) for k, value in given.items())
    for key, value in once(meant, argument).items():
        if not isinstance(key, Field):
            found[key] = value
            continue
        shape, field = shape_of(system, key)
        if field.slope or field.order > 1:
            raise DeclarationError(
                f"A start or guess gives fields and their rates, like `{shape.field}`. Got `{field}`."
            )
        what = f"The shape of `{field}`"
        amplitudes = _fit(shape, as_expression(by_name(system, value, what), what), values)
        for k, symbol in enumerate(shape.amplitudes):
            if symbol in shape.coordinates:
                found[ddt(symbol, field.order)] = amplitudes[..., k]
    return found


def _fit(shape: Shape, function: sympy.Expr, values: Mapping[Parameter, Array]) -> Array:
    """(..., m): amplitudes that come nearest to a function of the space and its slopes."""
    basis, space = shape.basis, shape.field.space
    count = 8 if len(basis.cells) > 2 else min(4 * basis.size + 8, 200)
    x, weights = np.polynomial.legendre.leggauss(count)
    cells = np.array(basis.cells)
    half = np.diff(cells)[:, None] / 2
    xi = (cells[:-1, None] + half * (1 + x)).ravel()
    root = np.sqrt((half * weights).ravel())
    slopes = min(getattr(basis, "order", 0), 2)
    rows, targets = [], []
    for slope in range(slopes + 1):
        rows.append(scipy.sparse.diags_array(root) @ scipy.sparse.csr_array(basis.values(xi, slope)))
        scale = (space.length / 2) ** slope
        targets.append(root * _evaluated(diff(function, space, slope) * scale, shape, xi, values))
    A = scipy.sparse.vstack(rows, format="csr")
    b = np.concatenate(targets, axis=-1)
    found = _nearest(A, b.reshape(-1, A.shape[0]).T).T
    amplitudes = found.reshape(*b.shape[:-1], basis.size)
    held = [k for k, symbol in enumerate(shape.amplitudes) if symbol == 0]
    size = np.abs(amplitudes).max(initial=0.0)
    if np.abs(amplitudes[..., held]).max(initial=0.0) > VIOLATED * size:
        raise DeclarationError(
            f"The shape `{shortened(function)}` of `{shape.field}` does not satisfy its conditions at"
            " the ends. Give one that does."
        )
    return np.asarray(amplitudes)


def _nearest(A: Any, b: Array) -> Array:
    """The least-squares solution, by normal equations where there are very many unknowns."""
    if A.shape[1] <= FEW:
        return np.asarray(np.linalg.lstsq(A.toarray(), b, rcond=None)[0])
    return np.asarray(
        scipy.sparse.linalg.splu(scipy.sparse.csc_matrix(A.T @ A)).solve(np.asarray(A.T @ b))
    )


def _evaluated(
    function: sympy.Expr, shape: Shape, xi: Array, values: Mapping[Parameter, Array]
) -> NDArray[Any]:
    """(..., G): a function of the space at the points, for all values of the parameters."""
    space = shape.field.space
    function = unfold(function)
    alien = [s for s in leaves([function]) if s != space and s not in values]
    if alien:
        raise DeclarationError(
            f"The shape `{shortened(function)}` of `{shape.field}` contains {quoted(alien)}. Expected"
            f" an expression in `{space}` and the parameters of the system."
        )
    shapes = np.broadcast_shapes(*(np.shape(x) for x in values.values()))
    flat = [np.broadcast_to(x, shapes).reshape(-1) for x in values.values()]
    count = int(np.prod(shapes))
    p = np.stack(flat, axis=1) if flat else np.zeros((count, 0))
    return values_along(function, space, list(values), p, xi).reshape(*shapes, len(xi))
