"""Joints of chains of rigid links: one row of the table that a robot arm is described by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import sympy
from sympy import ImmutableDenseMatrix as Matrix

from routh.energies import inertia_tensor
from routh.errors import DeclarationError, a_kind, did_you_mean, in_line, quoted
from routh.language.calculus import as_vector, expression, vector
from routh.language.rotations import Rotation, checked_rotation, is_rotation, rotation
from routh.language.symbols import Signal, t
from routh.language.walk import leaves

ROUNDING = 1e-9
"""Of the largest moment: one so far below zero is taken for zero."""

KINDS = ("revolute", "prismatic", "fixed")


@dataclass(frozen=True)
class Joint:
    """A joint with the link behind it.

    The frame of a joint is that of its parent, moved by `offset` and turned by `turn`; the joint turns
    it about `axis` by q, or moves it along `axis` by q. The frame of the link is that of the joint,
    moved by `reach` and turned by `twist`; centre and inertia are given along it.

    Example:
        >>> import routh as rt
        >>> q = rt.coordinate("q")
        >>> Joint(q, axis=(0, 1, 0), mass=2, centre=(0.5, 0, 0)).kind
        'revolute'
    """

    q: Any = 0
    """The angle or the displacement: a coordinate, or an expression, as one that is driven."""
    kind: str = "revolute"
    """Or "prismatic", or "fixed"."""
    axis: Any = (0, 0, 1)
    """In the frame of the joint; it need not be of unit length."""
    offset: Any = (0, 0, 0)
    """From the origin of the parent to the joint, along the axes of the parent."""
    turn: Any = None
    """The rotation from the parent to the joint at q = 0, 3 x 3; none if not given."""
    parent: int | None = None
    """The row of the parent, counted from 0; -1 is the base. The row before if not given."""
    mass: Any = 0
    centre: Any = (0, 0, 0)
    """The centre of mass of the link."""
    inertia: Any = 0
    """About the centre of mass: three principal moments or a symmetric matrix; 0 for a point."""
    reach: Any = (0, 0, 0)
    """From the joint to the origin of the link, along the axes of the joint after it has moved."""
    twist: Any = None
    """The rotation from the joint to the link; none if not given."""


def dh(
    q: Any = 0,
    *,
    a: Any = 0,
    alpha: Any = 0,
    d: Any = 0,
    theta: Any = 0,
    kind: str = "revolute",
    modified: bool = False,
    **link: Any,
) -> Joint:
    """A joint by Denavit and Hartenberg's parameters, each a number or an expression.

    Standard (distal): Rot_z(theta) Trans_z(d) Trans_x(a) Rot_x(alpha), the frame of the link at its
    far end; with `modified=True` (proximal, Craig) Rot_x(alpha) Trans_x(a) Rot_z(theta) Trans_z(d), the
    frame at the joint. The coordinate is added to theta of a revolute joint, to d of a prismatic one.

    Arguments:
        q: the coordinate.
        a: the length along x.
        alpha: the twist about x.
        d: the offset along z.
        theta: the angle about z.
        kind: "revolute" or "prismatic".
        modified: Craig's order.
        link: `parent`, `mass`, `centre` and `inertia` as of a `Joint`, along the frame of the link.

    Example:
        >>> import routh as rt
        >>> dh(rt.coordinate("q"), a=0.4, alpha=rt.pi / 2, mass=3).reach.T
        Matrix([[0.4, 0, 0]])
    """
    if kind not in ("revolute", "prismatic"):
        raise DeclarationError(f'`kind` of dh(...) is "revolute" or "prismatic". Got {kind!r}.')
    known = ("parent", "mass", "centre", "inertia")
    for name in link:
        if name not in known:
            raise DeclarationError(
                f"dh(...) takes no `{name}`; what a link has is {quoted(known)}."
                f"{did_you_mean(name, known)}"
            )
    x, z = vector(1, 0, 0), vector(0, 0, 1)
    length, rise = (expression(e, "A parameter of dh") for e in (a, d))
    about_x = rotation(expression(alpha, "`alpha`"), x)
    about_z = rotation(expression(theta, "`theta`"), z)
    if modified:
        offset = Matrix(length * x + Matrix(about_x) * (rise * z))
        return Joint(q, kind, z, offset, about_x * about_z, **link)
    return Joint(q, kind, z, turn=about_z, reach=Matrix(length * x + rise * z), twist=about_x, **link)


@dataclass(frozen=True)
class CheckedJoint:
    """A row of the table with everything made into expressions."""

    q: sympy.Expr
    kind: str
    axis: Matrix
    offset: Matrix
    turn: Matrix
    parent: int
    mass: sympy.Expr
    centre: Matrix
    inertia: Matrix
    reach: Matrix
    twist: Matrix


def checked_joint(given: object, row: int) -> CheckedJoint:
    """A row that was given as a Joint or as a mapping of its fields, checked."""
    joint = _joint(given, row)
    what = f"of joint {row}"
    if joint.kind not in KINDS:
        raise DeclarationError(
            f"`kind` {what} must be one of {quoted(KINDS)}. Got {joint.kind!r}."
            f"{did_you_mean(joint.kind, KINDS)}"
        )
    parent = row - 1 if joint.parent is None else joint.parent
    if not isinstance(parent, int) or isinstance(parent, bool) or not -1 <= parent < row:
        raise DeclarationError(
            f"`parent` {what} must be a row before it, counted from 0, or -1 for the base. Got"
            f" {joint.parent!r}. Write rows in an order in which parents come first."
        )
    q = expression(joint.q, f"`q` {what}")
    if joint.kind == "fixed" and q != 0:
        raise DeclarationError(f"A fixed joint has no coordinate. Got q = {q} {what}.")
    axis, offset, centre, reach = (
        _three(getattr(joint, name), f"`{name}` {what}")
        for name in ("axis", "offset", "centre", "reach")
    )
    if axis.is_zero_matrix:
        raise DeclarationError(f"`axis` {what} must not be zero.")
    length = sympy.sqrt(sympy.Add(*(x**2 for x in axis)))
    return CheckedJoint(
        q=q,
        kind=joint.kind,
        axis=Matrix(axis / length),
        offset=offset,
        turn=_turn(joint.turn, f"`turn` {what}"),
        parent=parent,
        mass=_mass(joint.mass, f"`mass` {what}"),
        centre=centre,
        inertia=_inertia(joint.inertia, f"`inertia` {what}"),
        reach=reach,
        twist=_turn(joint.twist, f"`twist` {what}"),
    )


def _joint(given: object, row: int) -> Joint:
    if isinstance(given, Joint):
        return given
    if not isinstance(given, Mapping):
        raise DeclarationError(
            f"Row {row} of a chain must be a Joint, dh(...) or a mapping of their fields. Got"
            f" {a_kind(given)}."
        )
    known = [f.name for f in fields(Joint)]
    for name in given:
        if name not in known:
            raise DeclarationError(
                f"Row {row} of a chain has no field `{name}`. Known: {quoted(known)}."
                f"{did_you_mean(name, known)}"
            )
    return Joint(**given)


def _mass(given: object, what: str) -> sympy.Expr:
    found = expression(given, what)
    if found.is_negative:
        raise DeclarationError(f"{what} must not be below zero. Got {found}.")
    return found


def _inertia(given: Any, what: str) -> Matrix:
    """The tensor of a link; 0 for a point. Numbers must have no principal moment below zero.

    That none is above the sum of the others is not asked for: tables of arms that were measured leave
    moments out that do not show, as that of the Puma 560 does.
    """
    if isinstance(given, (int, float, sympy.Number)) and given == 0:
        return Matrix(sympy.zeros(3, 3))
    tensor = Matrix(inertia_tensor(given)).applyfunc(_whole)
    if all(x.is_number for x in tensor):
        moments = np.linalg.eigvalsh(np.array(tensor.tolist(), dtype=float))
        if moments[0] < -ROUNDING * abs(moments[2]):
            raise DeclarationError(
                f"{what} must have no principal moment below zero. Got {moments[0]:.6g}."
            )
    return tensor


def _three(given: object, what: str) -> Matrix:
    found = as_vector(given, what)
    if found.rows != 3:
        raise DeclarationError(f"{what} must have three components. Got {found.rows}.")
    return Matrix([_whole(x) for x in found])


def _whole(x: sympy.Expr) -> sympy.Expr:
    """A decimal like 1.0 as a whole number: factors of one and zero are then left out."""
    return sympy.Integer(int(x)) if x.is_Float and float(x).is_integer() else x


def _turn(given: Any, what: str) -> Matrix:
    """A fixed rotation, held to R^T R = 1."""
    if given is None:
        return Matrix(sympy.eye(3))
    if not isinstance(given, sympy.MatrixBase):
        rows = given.tolist() if hasattr(given, "tolist") else given
        try:
            given = Matrix([[expression(x, f"An entry of {what}") for x in row] for row in rows])
        except (TypeError, ValueError):
            raise DeclarationError(f"{what} must be a 3 x 3 rotation. Got {in_line(given)}.") from None
    R = Matrix(checked_rotation(given)).applyfunc(_whole)
    refuse_no_rotation(R, what)
    return R


def refuse_no_rotation(R: Matrix, what: str) -> None:
    """No matrix that is no rotation; where coordinates stand in it, constraints may make it one."""
    if isinstance(R, Rotation) or any(isinstance(x, Signal) or x == t for x in leaves(R)):
        return
    if not is_rotation(R):
        raise DeclarationError(f"{what} must be a rotation, R^T R = 1 and det R = 1. Got {R.tolist()}.")
