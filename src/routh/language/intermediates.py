"""Named intermediates: scalars, vectors, matrices and rotations that stay one symbol each."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import sympy
from sympy import ImmutableDenseMatrix as Matrix

from routh.language.calculus import as_vector, expression, multiplied
from routh.language.rotations import Rotation, carrying, hat
from routh.language.symbols import Let, checked_name


def let(name: str, value: object) -> Any:
    """A name for an intermediate (a scalar, vector, matrix or rotation) that stays a symbol.

    `ddt` and `diff` see through it, and the engine evaluates it once, so the size of a long
    kinematic chain stays linear. The components of a vector `r` are named `r_1`, `r_2`, ..., the
    entries of a matrix `A` `A_11`, `A_12`, ... Of a rotation `R` that carries its angular velocity that
    is named too, `omega_R` along body axes, and the rates of the entries are R hat(omega).

    Example:
        >>> from routh import coordinate, diff
        >>> theta = coordinate("theta")
        >>> height = let("h", 1 - sympy.cos(theta))
        >>> height**2, diff(height, theta)
        (h**2, sin(theta))
    """
    name = checked_name(name, "an intermediate")
    if isinstance(value, sympy.MatrixBase) and 1 not in value.shape:
        known = value.spin if isinstance(value, Rotation) else None
        if known is not None:
            return let_turning(name, value, lambda _: known)
        named = _matrix(name, value)
        return carrying(named, None) if isinstance(value, Rotation) else named
    if isinstance(value, (sympy.MatrixBase, list, tuple)):
        return _vector(name, as_vector(value, f"The vector `{name}`"))
    return _named(name, expression(value, f"The intermediate `{name}`"))


def let_moving(name: str, value: object, rate: Matrix) -> Matrix:
    """A named vector with a rate that is known in a shorter form than its time derivative."""
    found = _vector(name, as_vector(value, f"The vector `{name}`"))
    for each, own in zip(found, rate, strict=True):
        if isinstance(each, Let):
            each.knows_rate(partial(_same, own))
    return found


def _same(value: sympy.Expr) -> sympy.Expr:
    return value


def _named(name: str, value: sympy.Expr) -> sympy.Expr:
    return value if value.is_number else Let(name, value)


def _vector(name: str, components: Matrix) -> Matrix:
    found = tuple(_named(f"{name}_{k}", c) for k, c in enumerate(components, 1))
    for each in found:
        if isinstance(each, Let):
            each.vector = (name, found)
    return Matrix(found)


def _matrix(name: str, value: Any) -> Matrix:
    rows, columns = value.shape
    between = "" if max(rows, columns) < 10 else "_"  # else A_111 would be two entries
    return Matrix(
        rows, columns, lambda i, j: _named(f"{name}_{i + 1}{between}{j + 1}", value[i, j])
    )  # fmt: skip


def let_turning(name: str, value: Any, spin: Callable[[Matrix], Matrix]) -> Rotation:
    """A named rotation with the angular velocity along body axes that follows from its entries."""
    entries = _matrix(name, Matrix(value))
    omega = _vector(f"omega_{name}", spin(entries))
    for k, each in enumerate(entries):
        if isinstance(each, Let):
            each.knows_rate(partial(_turning, entries, omega, k))
    return carrying(entries, omega)


def _turning(entries: Matrix, omega: Matrix, k: int) -> sympy.Expr:
    """The rate of one entry: that of R hat(omega)."""
    row, column = divmod(k, 3)
    return multiplied(entries[row, :], hat(omega)[:, column])[0]
