"""The functions that text may call: a fixed table, each with the shapes of its arguments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import sympy

from routh import energies
from routh.errors import DeclarationError
from routh.language import calculus, domains, rotations
from routh.language.contact.reaction import reaction
from routh.language.fields import Space
from routh.language.limits import MOST_NODES, Limits
from routh.language.matter.body import Body
from routh.language.rotations import Rotation
from routh.language.walk import unfold

MOST_ORDERS = 4
"""The highest derivative that one diff(w, s, k) takes."""
MOST_CHOICES = 8
"""Arguments of one min or max."""


@dataclass(frozen=True)
class Call:
    """How a function is called: `s` a scalar, `v` a vector, `a` either, `r` a rotation by its name or a
    scalar, `b` a body by its name or a scalar; the example is for messages. `of_body` are the shapes
    where the first argument is a body.
    """

    shapes: str
    least: int
    example: str
    build: Callable[..., Any]
    keyword: str = ""
    of_body: str = ""


def ddt(limits: Limits, value: Any) -> Any:
    """The time derivative, if there is room for it."""
    limits.derive(value)
    return calculus.ddt(value)


def _elementary(function: Any) -> Callable[..., Any]:
    def build(limits: Limits, *arguments: Any) -> Any:
        limits.call(function, list(arguments))
        return function(*arguments)

    return build


def _sqrt(limits: Limits, value: Any) -> Any:
    limits.power(value, sympy.S.Half)
    return sympy.sqrt(value)


def _careful(function: Any) -> Callable[..., Any]:
    """Numbers are worked out; for the rest SymPy would try long to find a sign or an order."""

    def build(limits: Limits, *arguments: Any) -> Any:
        limits.call(function, list(arguments))
        exact = all(argument.is_Number for argument in arguments)
        return function(*arguments) if exact else function(*arguments, evaluate=False)

    return build


def _rotate(limits: Limits, angle: Any, vector: Any, axis: Any = None) -> Any:
    if isinstance(angle, Rotation):
        if vector.rows != 3 or axis is not None:
            raise DeclarationError(
                "rotate(R, v) turns a vector of 3 components by a rotation, which has axes already. Got"
                f" {vector.rows} components{' and an axis' if axis is not None else ''}."
            )
        return calculus.as_vector(sympy.ImmutableDenseMatrix(angle) * vector, "A turned vector")
    limits.call(sympy.sin, [angle])
    needed = 2 if axis is None else 3
    if vector.rows != needed:
        how = "rotate(angle, v)" if axis is None else "rotate(angle, v, axis)"
        raise DeclarationError(
            f"{how} turns a vector of {needed} components. Got {vector.rows}."
            + (" In space give an axis, like rotate(angle, v, [0, 0, 1])." if axis is None else "")
        )
    return rotations.rotation(angle, axis) * vector


def _diff(limits: Limits, value: Any, variable: Any, order: Any = sympy.S.One) -> Any:
    if not order.is_Integer or not 0 <= order <= MOST_ORDERS:
        raise DeclarationError(
            f"The order of a derivative must be a whole number from 0 to {MOST_ORDERS}. Got {order}."
        )
    _unfoldable(value)
    for _ in range(int(order)):
        limits.derive(value)
        value = calculus.diff(value, variable)
        limits.check(value)
    return value


def _at(_: Limits, value: Any, space: Any, end: Any) -> Any:
    if not isinstance(space, Space):
        raise DeclarationError(
            f"at(e, s, end) needs a space and one of its ends, like at(w, s, 0). Got `{space}`."
        )
    ends = [bound for bound in space.bounds if (end - bound).is_zero]
    if not ends:
        raise DeclarationError(
            f"Expected an end of the space `{space}`, {space.bounds[0]} or {space.bounds[1]} as it was"
            " declared. For something inside, divide the body into two spaces that meet there."
        )
    _unfoldable(value)
    if ends[0].is_number:
        # SymPy works out every number at the end, so its size is looked at first.
        there = Limits({space: float(ends[0])})
        for entry in value if isinstance(value, sympy.MatrixBase) else [value]:
            there.measure(unfold(entry))
    return domains.at(value, space, ends[0])


def _integral(_: Limits, density: Any, over: Any, upto: Any = None) -> Any:
    _unfoldable(density)
    return domains.integral(density, over, upto=upto)


def _of_body(ask: Callable[..., Any], example: str) -> Callable[..., Any]:
    def build(_: Limits, body: Any, *more: Any) -> Any:
        if not isinstance(body, Body):
            raise DeclarationError(f"{example} is asked of a body, declared under [bodies].")
        return ask(body, *more)

    return build


def _moment(body: Body, point: Any = None) -> Any:
    """The moment of inertia about the third axis, through the centre of mass or a point."""
    return (body.inertia if point is None else body.about(point))[2, 2]


def _rigid_body(_: Limits, mass: Any, inertia: Any, centre: Any, turned: Any = None) -> Any:
    if isinstance(mass, Body):
        return energies.rigid_body(mass, inertia, centre)
    moments = len(inertia) if isinstance(inertia, sympy.MatrixBase) else 1
    if not isinstance(turned, Rotation) and len(centre) == 3:
        raise DeclarationError(
            "A body in space turns by a rotation, declared under [rotations]: rigid_body(m, [A, B, C],"
            " r, R). Got an angle."
        )
    if moments != (3 if isinstance(turned, Rotation) else 1):
        raise DeclarationError(
            "rigid_body needs one moment of inertia in the plane, J, and the three principal ones in"
            f" space, [A, B, C]. Got {moments}."
        )
    return energies.rigid_body(mass, inertia, centre, turned)


def _angular_velocity(_: Limits, turned: Any) -> Any:
    if not isinstance(turned, Rotation):
        raise DeclarationError(
            "angular_velocity(R) is that of a rotation, declared under [rotations]. That of an angle is"
            " its rate, like phi'."
        )
    return rotations.angular_velocity(turned)


def _unfoldable(value: Any) -> None:
    """Refuses an expression whose intermediates would be too long when written out."""
    inside = Limits(inside=True)
    for entry in value if isinstance(value, sympy.MatrixBase) else [value]:
        if inside.measure(entry).size > MOST_NODES:
            raise DeclarationError(
                "The named intermediates here are too long to be written out, which integrals, ends"
                " and partial derivatives need. Use shorter ones in them."
            )


CALLS: dict[str, Call] = {
    **{
        name: Call("s", 1, f"{name}(x)", _elementary(getattr(sympy, name)))
        for name in ("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "log")
    },
    "sqrt": Call("s", 1, "sqrt(x)", _sqrt),
    "abs": Call("s", 1, "abs(x)", _careful(sympy.Abs)),
    "sign": Call("s", 1, "sign(x)", _careful(sympy.sign)),
    "atan2": Call("ss", 2, "atan2(y, x)", _elementary(sympy.atan2)),
    "min": Call("s" * MOST_CHOICES, 2, "min(a, b)", _careful(sympy.Min)),
    "max": Call("s" * MOST_CHOICES, 2, "max(a, b)", _careful(sympy.Max)),
    "ddt": Call("a", 1, "ddt(x)", ddt),
    "norm2": Call("v", 1, "norm2(r)", lambda _, r: calculus.norm2(r)),
    "dot": Call("vv", 2, "dot(a, b)", lambda _, a, b: calculus.dot(a, b)),
    "cross": Call("vv", 2, "cross(a, b)", lambda _, a, b: calculus.cross(a, b)),
    "rotate": Call("rvv", 2, "rotate(angle, v), rotate(angle, v, axis) or rotate(R, v)", _rotate),
    "angular_velocity": Call("r", 1, "angular_velocity(R)", _angular_velocity),
    "rigid_body": Call(
        "bavr",
        4,
        "rigid_body(m, J, r, phi), rigid_body(m, [A, B, C], r, R) or rigid_body(body, r, phi)",
        _rigid_body,
        of_body="bvr",
    ),
    "reaction": Call("s", 1, "reaction(phi)", lambda _, phi: reaction(phi)),
    "mass": Call("b", 1, "mass(body)", _of_body(lambda body: body.mass, "mass(body)")),
    "centre": Call("b", 1, "centre(body)", _of_body(lambda body: body.centre, "centre(body)")),
    "moment": Call("bv", 1, "moment(body) or moment(body, point)", _of_body(_moment, "moment(body)")),
    "diff": Call("ass", 2, "diff(w, s) or diff(w, s, 2)", _diff),
    "at": Call("ass", 3, "at(w, s, end)", _at),
    "integral": Call(
        "aas", 2, "integral(e, s), integral(e, [x, y]) or integral(e, s, upto=s)", _integral, "upto"
    ),
}
"""The functions of the language by their names."""

OTHER_NAMES = {
    "ln": "log(x)", "arcsin": "asin(x)", "arccos": "acos(x)", "arctan": "atan(x)", "pow": "x^n",
    "fabs": "abs(x)", "Abs": "abs(x)", "norm": "sqrt(norm2(r))", "vector": "[x, y]",
    "der": "x' or ddt(x)", "Derivative": "x' for a rate, diff(w, s) for a slope", "D": "x' or ddt(x)",
    "cot": "1/tan(x)", "sec": "1/cos(x)", "csc": "1/sin(x)", "sum": "a + b", "root": "sqrt(x)",
}  # fmt: skip
"""What people write elsewhere, and how it is written here."""
