"""Rotations in space: about an axis, by natural coordinates, by a quaternion, by angles.

Each is a 3 x 3 matrix that turns vectors of the body into vectors of space, with the constraints that
its coordinates obey. It carries its angular velocity: that of a product is the sum of those of its
factors along the axes of the last, (A B)' = A B hat(B^T a + b), so that no matrix is differentiated.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from itertools import pairwise
from math import isfinite
from operator import mul
from typing import Any

import sympy
from sympy import ImmutableDenseMatrix as Matrix

from routh.errors import DeclarationError, in_line
from routh.language.calculus import as_vector, ddt, dot, expression, norm2, vector
from routh.language.declaring import coordinate
from routh.language.symbols import Coordinate, Signal, checked_name, t
from routh.language.walk import leaves

AXES = {"x": vector(1, 0, 0), "y": vector(0, 1, 0), "z": vector(0, 0, 1)}


Spin = Callable[[], "Matrix | None"]
"""How an angular velocity along body axes is made; None where it is not known by itself."""


class Rotation(Matrix):  # type: ignore[misc]
    """A rotation matrix that knows its angular velocity, its coordinates and the constraints they obey.

    Products of rotations and transposes are rotations with their angular velocity; coordinates and
    constraints stay with the factors. What else is computed from it is an ordinary matrix.
    """

    coordinates: tuple[Coordinate, ...] = ()
    """The nine entries, or the four numbers of a quaternion; none where angles are used."""
    constraints: tuple[sympy.Expr, ...] = ()
    """Held at zero: to be put into `constraints` of the system."""
    _spin: Spin | Matrix | None = None

    @property
    def spin(self) -> Matrix | None:
        """The angular velocity along body axes where it is simpler than R^T R'; made when asked for."""
        if callable(self._spin):
            self._spin = self._spin()
        return self._spin

    @classmethod
    def _fromrep(cls, rep: Any) -> Any:
        return Matrix._fromrep(rep)

    def __mul__(self, other: Any) -> Any:
        product = Matrix.__mul__(self, other)
        return _turned_on(self, other, product) if isinstance(other, Rotation) else product

    def __matmul__(self, other: Any) -> Any:
        product = Matrix.__matmul__(self, other)
        return _turned_on(self, other, product) if isinstance(other, Rotation) else product

    def _eval_transpose(self) -> Any:
        back = Matrix._eval_transpose(self)

        def spin() -> Matrix | None:
            own = self.spin
            return None if own is None else Matrix(-(Matrix(self) * own))

        return _rotation(back, (), (), spin)

    def start(self, matrix: Any = None, spin: Any = None) -> dict[Coordinate, float]:
        """Numbers for `guess` or `start`: the coordinates of a rotation, and their rates with a spin.

        Arguments:
            matrix: a 3 x 3 rotation matrix of numbers; the unit matrix if not given.
            spin: the angular velocity along body axes, three numbers; without it no rates are given.
        """
        if not self.coordinates:
            raise DeclarationError(
                "A rotation by angles, or one that is a product, starts from its angles and factors:"
                " give those and their rates by themselves."
            )
        R = sympy.eye(3) if matrix is None else sympy.Matrix(3, 3, _numbers(matrix, 9, "`matrix`"))
        if (R.T * R - sympy.eye(3)).norm() > 1e-9 or R.det() < 0:
            raise DeclarationError(
                f"`matrix` must be a rotation, R^T R = 1 and det R = 1. Got {in_line(matrix)}."
            )
        w = Matrix(_numbers((0, 0, 0) if spin is None else spin, 3, "`spin`"))
        if len(self.coordinates) == 4:
            place, rate = _quaternion_of(R, w)
        else:
            place, rate = list(R), list(R * hat(w))
        found = dict(zip(self.coordinates, map(float, place), strict=True))
        if spin is not None:
            found |= dict(zip([q.rate for q in self.coordinates], map(float, rate), strict=True))
        return found


def _numbers(given: Any, count: int, what: str) -> list[float]:
    """So many finite numbers, from nested lists, arrays or matrices."""
    try:
        rows = given.tolist() if hasattr(given, "tolist") else list(given)
        flat = [x for row in rows for x in (row if isinstance(row, (list, tuple)) else [row])]
        found = [float(x) for x in flat]
    except (TypeError, ValueError):
        found = []
    if len(found) != count or not all(map(isfinite, found)):
        raise DeclarationError(f"{what} must hold {count} finite numbers. Got {in_line(given)}.")
    return found


def rotation(angle: object, axis: object = None) -> Matrix:
    """The matrix that turns vectors by an angle, in the plane or about an axis in space.

    Counterclockwise seen against the axis. The axis need not be of unit length. In space it is a
    rotation that carries its angular velocity, and products of such do.

    Example:
        >>> rotation(sympy.pi / 2) @ vector(1, 0)
        Matrix([
        [0],
        [1]])
    """
    angle = expression(angle, "The angle of a rotation")
    c, s = sympy.cos(angle), sympy.sin(angle)
    if axis is None:
        return Matrix([[c, -s], [s, c]])
    direction = as_vector(axis, "The axis of a rotation")
    if direction.rows != 3 or direction.is_zero_matrix:
        raise DeclarationError(
            "The axis of a rotation must be a vector of three components, not all zero,"
            f" like vector(0, 0, 1). Got {list(direction)}."
        )
    e = Matrix(direction / sympy.sqrt(norm2(direction)))
    R = Matrix(c * sympy.eye(3) + s * hat(e) + (1 - c) * e * e.T)
    moves = any(isinstance(x, Signal) or x == t for x in leaves(e))
    return _rotation(R, (), (), None if moves else lambda: Matrix(ddt(angle) * e))


def rotation_matrix(name: str) -> Rotation:
    """A body's rotation in natural coordinates: the nine entries, with six constraints.

    The columns are the body axes in space, R^T R = 1. Nothing is singular, and the mass matrix of a
    rigid body is constant. The entries are named like `R11`. The constraints also admit mirrored
    bodies, det R = -1, which no motion reaches: start from a rotation, as `R.start(...)` gives it.

    Example:
        >>> R = rotation_matrix("R")
        >>> R[0, 1], len(R.constraints)
        (R12, 6)
    """
    name = checked_name(name, "a rotation")
    entries = [
        coordinate(f"{name}{i}{j}", latex=_indexed(name, f"{{{i}{j}}}"))
        for i in (1, 2, 3)
        for j in (1, 2, 3)
    ]
    R = Matrix(3, 3, entries)
    columns = [R[:, k] for k in range(3)]
    lengths = [(norm2(e) - 1) / 2 for e in columns]
    angles = [dot(columns[i], columns[j]) for i, j in ((0, 1), (1, 2), (2, 0))]
    return _rotation(R, tuple(entries), (*lengths, *angles), None)


def quaternion(name: str) -> Rotation:
    """A body's rotation by a unit quaternion: four coordinates, with one constraint.

    With e = (cos(a/2), sin(a/2) n) for a turn by a about n; e and -e are the same rotation. The
    coordinates are named like `e0`.

    Example:
        >>> e = quaternion("e")
        >>> e.coordinates, e.constraints
        ((e0, e1, e2, e3), (e0**2/2 + e1**2/2 + e2**2/2 + e3**2/2 - 1/2,))
    """
    name = checked_name(name, "a quaternion")
    e = tuple(coordinate(f"{name}{k}", latex=_indexed(name, str(k))) for k in range(4))
    a, b, c, d = e
    R = Matrix(
        [
            [a**2 + b**2 - c**2 - d**2, 2 * (b * c - a * d), 2 * (b * d + a * c)],
            [2 * (b * c + a * d), a**2 - b**2 + c**2 - d**2, 2 * (c * d - a * b)],
            [2 * (b * d - a * c), 2 * (c * d + a * b), a**2 - b**2 - c**2 + d**2],
        ]
    )
    turn = Matrix([[-b, a, d, -c], [-c, -d, a, b], [-d, c, -b, a]])
    spin = 2 * turn * Matrix([q.rate for q in e])
    return _rotation(R, e, ((sum(q**2 for q in e) - 1) / 2,), Matrix(spin))


def _indexed(name: str, index: str) -> str | None:
    """A letter with an index below it; names of several letters are set as any others are."""
    return f"{name}_{index}" if len(name) == 1 else None


def euler_angles(sequence: str, *angles: object) -> Rotation:
    """A body's rotation by angles about axes of the body, one after the other.

    `euler_angles("zxz", psi, theta, phi)` are Euler's angles, precession, nutation and spin;
    "zyx" are yaw, pitch and roll. Any sequence of x, y and z will do; there are no constraints.

    Example:
        >>> from routh import coordinates
        >>> psi, theta, phi = coordinates("psi theta phi")
        >>> euler_angles("zxz", psi, theta, phi)[2, 2]
        cos(theta)
    """
    if not isinstance(sequence, str) or not sequence or set(sequence) - set(AXES):
        raise DeclarationError(
            f'The sequence of axes is a word of the letters x, y, z, like "zxz". Got {sequence!r}.'
        )
    if len(angles) != len(sequence):
        raise DeclarationError(
            f'The sequence "{sequence}" needs {len(sequence)} angles. Got {len(angles)}.'
        )
    if any(a == b for a, b in pairwise(sequence)):
        raise DeclarationError(
            f'Two turns about one axis in a row are one turn. Got the sequence "{sequence}".'
        )
    each = zip(sequence, angles, strict=True)
    turns = [rotation(expression(angle, "An angle"), AXES[letter]) for letter, angle in each]
    made: Rotation = reduce(mul, turns)
    return made


def angular_velocity(R: object, axes: str = "body") -> Matrix:
    """The angular velocity of a rotation matrix, along body axes or along space axes.

    R' = R hat(omega) along body axes, R' = hat(omega) R along space axes.

    Example:
        >>> from routh import coordinate, rotation, vector
        >>> phi = coordinate("phi")
        >>> angular_velocity(rotation(phi, axis=vector(0, 0, 1))).T
        Matrix([[0, 0, phi']])
    """
    matrix = checked_rotation(R)
    if axes not in ("body", "space"):
        raise DeclarationError(f'`axes` must be "body" or "space". Got {axes!r}.')
    spin = matrix.spin if isinstance(matrix, Rotation) else None
    if spin is None:
        turn = Matrix(matrix).T * ddt(Matrix(matrix))
        spin = Matrix([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]]) / 2
    return Matrix(spin if axes == "body" else Matrix(matrix) * spin)


def checked_rotation(R: object) -> Matrix:
    """What was given, if it is a 3 x 3 matrix."""
    if not isinstance(R, sympy.MatrixBase) or R.shape != (3, 3):
        raise DeclarationError(
            "Expected the rotation of a body as a 3 x 3 matrix, as rotation(angle, axis),"
            f" rotation_matrix, quaternion or euler_angles make it. Got {in_line(R)}."
        )
    return R


_DRAWS = (0.37, 0.81, 1.43)


def is_rotation(R: sympy.MatrixBase) -> bool:
    """Whether R^T R = 1 and det R = 1, to nine digits, for a few values of its symbols."""
    symbols = sorted(leaves(R), key=str)
    off = sympy.lambdify(symbols, [*(R.T * R - sympy.eye(R.rows)), R.det() - 1], "mpmath", cse=True)
    values = ([draw * (1 + 0.1 * k) for k in range(len(symbols))] for draw in _DRAWS)
    return all(abs(x) < 1e-9 for each in values for x in off(*each))


def _rotation(
    R: Matrix,
    coordinates: tuple[Coordinate, ...],
    constraints: tuple[sympy.Expr, ...],
    spin: Spin | Matrix | None,
) -> Rotation:
    made: Rotation = Matrix._fromrep.__func__(Rotation, R._rep)
    made.coordinates, made.constraints, made._spin = coordinates, constraints, spin
    return made


def carrying(R: Matrix, spin: Matrix | None) -> Rotation:
    """A rotation of these entries that carries an angular velocity along body axes."""
    return _rotation(R, (), (), spin)


def _turned_on(A: Rotation, B: Rotation, product: Matrix) -> Rotation:
    """A B with its angular velocity, B^T a + b."""

    def spin() -> Matrix | None:
        a, b = A.spin, B.spin
        return None if a is None or b is None else Matrix(Matrix(B).T * a + b)

    return _rotation(product, (), (), spin)


def hat(w: Matrix) -> Matrix:
    """The matrix of the vector product with w: its product with r is w x r."""
    x, y, z = w
    return Matrix([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def _quaternion_of(R: Any, w: Matrix) -> tuple[list[Any], list[Any]]:
    """The quaternion of a rotation matrix of numbers, from its largest entry, and its rate."""
    squares = [1 + R.trace(), *(1 + 2 * R[k, k] - R.trace() for k in range(3))]
    k = max(range(4), key=lambda i: squares[i])
    half = sympy.sqrt(squares[k]) / 2
    skew = [R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]
    e: list[Any] = [0, 0, 0, 0]
    e[k] = half
    if k == 0:
        e[1:] = [s / (4 * half) for s in skew]
    else:
        i = k - 1
        e[0] = skew[i] / (4 * half)
        for j in range(3):
            if j != i:
                e[j + 1] = (R[i, j] + R[j, i]) / (4 * half)
    sign = -1 if e[0] < 0 else 1
    a, b, c, d = (sign * x for x in e)
    turn = Matrix([[-b, -c, -d], [a, -d, c], [d, a, -b], [-c, b, a]])
    return [a, b, c, d], list(turn * w / 2)
