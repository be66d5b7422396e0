"""A linear model of matrices that someone else made: they are the second derivatives of energies.

Matrices without a system are one: `T = v.M v/2 + v.G q/2`, `V = q.K q/2`, the Rayleigh function
`v.D v/2` and the forces `B u - H q` have `M q'' + (D + G) q' + (K + H) q = B u` as their equations. So
everything that can be asked of a linear model can be asked of them, and they move in `simulate`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import sympy

from routh.analysis.given.numbers import LARGEST as LARGEST_NUMBER
from routh.analysis.linear.linear_model import LinearModel, skew, symmetric
from routh.analysis.linear.linearize import linearize
from routh.analysis.rest.equilibrium import equilibrium
from routh.arrays import Array
from routh.data.formats_of_results import load_result
from routh.data.record import Quantity, Record
from routh.data.restoring import signals_named, sparse_matrix
from routh.errors import DeclarationError, a_kind, in_line, listed, quoted
from routh.language.calculus import ddt
from routh.language.declaring import coordinate
from routh.language.symbols import Coordinate, Input
from routh.language.system import System

LARGEST = 100
"""Degrees of freedom: each entry becomes a term of an energy."""

ALIKE = 1e-12
"""Share of a mass matrix by which it may differ from its transpose, as rounding makes it."""

LETTERS = "MDGKHB"


def linear_model(
    given: str | Path | Record | Mapping[str, Any],
    *,
    coordinates: Sequence[str] | None = None,
    inputs: Sequence[str] | None = None,
    name: str = "",
) -> LinearModel:
    """The linear model `M q'' + (D + G) q' + (K + H) q = B u` of matrices.

    Its system is made of them, so `modes`, `stability`, `state_space`, `frequency_response` and
    `simulate` take it as any other.

    Arguments:
        given: a file that `load_result` reads, a record, or arrays by name: `M` and `K`, and those of
            `D`, `G`, `H`, `B` that are not zero; `C` may stand for D + G. What is skew in D, C and K
            goes to G and H. Of a model with constraints on positions eta are the coordinates.
        coordinates: names for them; those in the file, or q1, q2 and so on, if not given.
        inputs: names for the columns of B; those in the file, or u1, u2 and so on, if not given.
        name: what the system is called.

    A column of B that is zero belongs to no input.

    Raises:
        DeclarationError: matrices are missing, do not fit each other, or are a batch.

    Example:
        >>> import routh as rt
        >>> linear = rt.linear_model({"M": [[2.0, 0], [0, 1]], "K": [[6.0, -2], [-2, 2]]})
        >>> rt.modes(linear).frequencies
        array([1., 2.])
    """
    record = _record(given)
    matrices: dict[str, Any] = _matrices(record)
    n, p = matrices["B"].shape
    q = tuple(coordinate(each) for each in _names(record, "eta", coordinates, n, "q"))
    u = signals_named(_names(record, "input", inputs, p, "u"))
    if len({*map(str, q), *map(str, u)}) < n + p:
        raise DeclarationError(
            f"Coordinates and inputs need names that differ. Got {listed((*q, *u))}: give `coordinates`"
            " and `inputs`."
        )
    found = linearize(equilibrium(_system(matrices, q, u, name), {}))
    columns = [u.index(each) for each in found.inputs]
    matrices["B"] = matrices["B"][:, columns]  # in the order of the model, acting ones alone
    return replace(found, **matrices)  # as they were given, to the last bit


def _record(given: object) -> Record:
    if isinstance(given, (str, Path)):
        return load_result(given)
    if isinstance(given, Record):
        return given
    if not isinstance(given, Mapping):
        raise DeclarationError(
            f"linear_model takes a file, a record or matrices by name. Got {a_kind(given)}."
        )
    return Record("Arrays", "", {str(name): Quantity(_numbers(name, x)) for name, x in given.items()})


def _numbers(name: object, given: object) -> Array:
    try:
        return np.array(given, dtype=float)
    except (TypeError, ValueError):
        raise DeclarationError(f"`{name}` must be a matrix of numbers. Got {in_line(given)}.") from None


def _matrices(record: Record) -> dict[str, Array]:
    """M, D, G, K, H and B, with their symmetry, checked."""
    found = {name: each for name in (*LETTERS, "C") if (each := _matrix(record, name)) is not None}
    if "A" in record.quantities and "M" not in found:
        raise DeclarationError(
            "These are the matrices of a state space, of first order: load_result(path).restored()"
            " makes a StateSpace of A, B, C and D. A linear model has M and K."
        )
    missing = [name for name in "MK" if name not in found]
    if missing:
        raise DeclarationError(
            f"A linear model needs the matrices `M` and `K`. {quoted(missing)} missing among"
            f" {listed(record.quantities)}."
        )
    n = found["M"].shape[-1]
    found.setdefault("B", np.zeros((n, 0)))
    _refuse_shapes(found, n)
    _refuse_rest(record)
    zero = np.zeros((n, n))
    M, D, G, K, H, C = (found.get(name, zero) for name in "MDGKHC")
    if np.abs(M - M.T).max(initial=0) > ALIKE * np.abs(M).max(initial=0):
        raise DeclarationError("`M` must be symmetric: it is the second derivative of an energy.")
    return {
        "M": symmetric(M),
        "D": symmetric(D) + symmetric(C) + symmetric(G),
        "G": skew(G) + skew(D) + skew(C),
        "K": symmetric(K) + symmetric(H),
        "H": skew(H) + skew(K),
        "B": found["B"],
    }


def _matrix(record: Record, name: str) -> Array | None:
    part = record.parts.get(name)
    if isinstance(part, Record) and part.kind == "SparseMatrix":
        found = sparse_matrix(part)
        if max(found.shape) > LARGEST:
            raise _too_large(max(found.shape))
        return np.asarray(found.toarray())
    each = record.quantities.get(name)
    if each is None:
        return None
    if each.array.dtype.kind not in "fiu":
        raise DeclarationError(f"`{name}` must be a matrix of real numbers. Got {each!r}.")
    return each.array.astype(float)


def _refuse_shapes(found: Mapping[str, Array], n: int) -> None:
    batch = next((name for name, each in found.items() if each.ndim > 2), None)
    if batch is not None:
        raise DeclarationError(
            f"linear_model takes one model at a time. Got `{batch}` of shape {found[batch].shape}:"
            ' choose one, like linear_model({name: record[name][k] for name in "MDGKHB"}).'
        )
    for name, each in found.items():
        fits = each.ndim == 2 and each.shape[0] == n and (name == "B" or each.shape[1] == n)
        if not fits:
            wide = "inputs" if name == "B" else n
            raise DeclarationError(
                f"The matrices must fit each other: `{name}` must be of shape ({n}, {wide}). Got"
                f" {each.shape}."
            )
        if not (np.abs(each) <= LARGEST_NUMBER).all():
            raise DeclarationError(
                f"`{name}` has entries that are NaN, infinite or beyond {LARGEST_NUMBER:g}, whose"
                " products overflow. Write it in other units."
            )
    if n > LARGEST:
        raise _too_large(n)


def _too_large(n: int) -> DeclarationError:
    return DeclarationError(
        f"linear_model makes energies of up to {LARGEST} degrees of freedom. Got {n}: take the lowest"
        " modes before, or use the arrays of load_result as they are."
    )


def _refuse_rest(record: Record) -> None:
    """Refuse what matrices of a model without constraints do not say."""
    R = record.quantities.get("R")
    if record.kind == "LinearModel" and R is not None and R.array.shape[-2]:
        raise DeclarationError(
            "The linear model has velocity constraints, `R eta' + W eta + S u = 0`, which are no part"
            " of M, D, G, K and H. record.restored(system) makes it again."
        )


def _names(
    record: Record, axis: str, given: Sequence[str] | None, count: int, letter: str
) -> tuple[str, ...]:
    if given is not None:
        if isinstance(given, str) or len(given) != count:
            what = "coordinates" if letter == "q" else "inputs"
            raise DeclarationError(f"`{what}` must be {count} names, in a list. Got {in_line(given)}.")
        return tuple(given)
    own = record.axes.get(axis)
    if isinstance(own, tuple) and len(own) == count:
        return own
    return tuple(f"{letter}{k + 1}" for k in range(count))


def _system(
    matrices: Mapping[str, Array], q: tuple[Coordinate, ...], u: tuple[Input, ...], name: str
) -> System:
    """The system whose energies have these second derivatives."""
    v = tuple(ddt(each) for each in q)
    M, D, G, K, H, B = (matrices[letter] for letter in LETTERS)
    forces = {
        each: _sum(zip(B[k], u, strict=True)) - _sum(zip(H[k], q, strict=True))
        for k, each in enumerate(q)
    }
    return System(
        kinetic=_form(M, v, v) + _form(G, v, q),
        potential=_form(K, q, q),
        dissipation=_form(D, v, v),
        forces={each: force for each, force in forces.items() if force},
        coordinates=q,
        name=name,
    )


def _form(matrix: Array, left: Sequence[sympy.Expr], right: Sequence[sympy.Expr]) -> sympy.Expr:
    """The form left . matrix right / 2, without what is zero; halves of doubles are doubles."""
    return sympy.Add(
        *(
            sympy.Float(float(matrix[i, j]) / 2) * left[i] * right[j]
            for i, j in zip(*np.nonzero(matrix), strict=True)
        )
    )


def _sum(terms: Iterable[tuple[float, sympy.Expr]]) -> sympy.Expr:
    return sympy.Add(*(sympy.Float(float(x)) * each for x, each in terms if x))
