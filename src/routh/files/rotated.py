"""Rotations of model files, by a quaternion, in natural coordinates or by angles; where they start."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sympy

from routh.errors import DeclarationError, listed
from routh.files.schema import RotationPart
from routh.language.calculus import vector
from routh.language.rotations import Rotation, euler_angles, quaternion, rotation, rotation_matrix

KINDS = ("quaternion", "matrix", "euler")


def made_rotation(name: str, part: RotationPart, scalar: Callable[[str, int], Any]) -> Rotation:
    """The rotation that a table describes; `scalar` reads the angle of some number.

    Raises:
        DeclarationError: the table says none of the three descriptions, or several.
    """
    given = [kind for kind in KINDS if getattr(part, kind)]
    if len(given) != 1:
        raise DeclarationError(
            'A rotation has one of quaternion = "e" (four coordinates e0 to e3), matrix = true (nine)'
            f' and euler = "zxz" with its angles. Got: {listed(given)}.'
        )
    if part.euler is None and part.angles:
        raise DeclarationError('`angles` belong to a rotation by angles, like euler = "zxz".')
    if part.quaternion:
        return quaternion(part.quaternion)
    if part.matrix:
        return rotation_matrix(name)
    if part.angle or any(part.spin):
        raise DeclarationError(
            "A rotation by angles starts from its angles: give them `start` and `rate` under"
            " [coordinates]."
        )
    return euler_angles(str(part.euler), *(scalar(text, k) for k, text in enumerate(part.angles)))


def rotation_start(made: Rotation, part: RotationPart) -> dict[Any, float]:
    """Where the coordinates of a rotation start, and their rates; nothing for one by angles."""
    if not made.coordinates:
        return {}
    if not any(part.axis):
        raise DeclarationError(f"`axis` must have a direction. Got {list(part.axis)}.")
    turn = rotation(sympy.Float(part.angle), vector(*part.axis)) if part.angle else None
    return dict(made.start(None if turn is None else turn.evalf(), list(part.spin)))
