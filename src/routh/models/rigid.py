"""Rigid bodies by their shapes: rods, plates, discs, rings, boxes, cylinders, spheres, cones, regions.

Each function gives a `Body` with its origin where its docstring says, of a `mass` or of a `density`:
mass per length of a rod and a ring, per area of flat bodies and shells, per volume of solid ones. A
density may vary along the body, as a function of the place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import sympy
from sympy import ImmutableDenseMatrix as Matrix

from routh.errors import DeclarationError, a_kind, quoted, shortened
from routh.language.calculus import as_vector, expression, vector
from routh.language.domains import integral
from routh.language.fields import Space, space
from routh.language.matter.body import Body, Piece, spaces_of
from routh.language.matter.closing import value_of
from routh.language.matter.sign_over import Sign, in_factors, sign_of_constant, sign_over
from routh.language.walk import leaves

Density = Any
"""An expression, or a function of the place."""


def rod(length: object, *, mass: object = None, density: Density = None) -> Body:
    """A thin rod along the first axis, the origin in its middle.

    Example:
        >>> import routh as rt
        >>> m, l = rt.parameters("m l")
        >>> rod(l, mass=m).inertia[2, 2]
        l**2*m/12
    """
    l = _size(length, "The length of a rod")
    s = space("s", -l / 2, l / 2)
    return _body([s], vector(s, 0), 1, mass, density)


def rectangle(width: object, height: object, *, mass: object = None, density: Density = None) -> Body:
    """A thin plate along the first two axes, the origin in its middle.

    Example:
        >>> import routh as rt
        >>> m, a, b = rt.parameters("m a b")
        >>> rectangle(a, b, mass=m).inertia[2, 2]
        m*(a**2 + b**2)/12
    """
    a, b = _size(width, "The width of a plate"), _size(height, "The height of a plate")
    x, y = space("x", -a / 2, a / 2), space("y", -b / 2, b / 2)
    return _body([x, y], vector(x, y), 1, mass, density)


def disc(radius: object, *, mass: object = None, density: Density = None) -> Body:
    """A thin disc in the plane of the first two axes, the origin in its middle.

    Example:
        >>> import routh as rt
        >>> rho, R, a = rt.parameters("rho R a")
        >>> (disc(R, density=rho) - disc(a, density=rho)).mass
        -rho*pi*(-R + a)*(R + a)
    """
    R = _size(radius, "The radius of a disc")
    r, phi = space("r", 0, R), space("phi", 0, 2 * sympy.pi)
    return _body([r, phi], vector(r * sympy.cos(phi), r * sympy.sin(phi)), r, mass, density)


def ring(radius: object, *, mass: object = None, density: Density = None) -> Body:
    """A thin ring in the plane of the first two axes, the origin in its middle.

    Example:
        >>> import routh as rt
        >>> m, R = rt.parameters("m R")
        >>> ring(R, mass=m).inertia[2, 2]
        R**2*m
    """
    R = _size(radius, "The radius of a ring")
    phi = space("phi", 0, 2 * sympy.pi)
    return _body([phi], vector(R * sympy.cos(phi), R * sympy.sin(phi)), R, mass, density)


def box(
    length: object, width: object, height: object, *, mass: object = None, density: Density = None
) -> Body:
    """A box along the three axes, the origin in its middle.

    Example:
        >>> import routh as rt
        >>> m, a, b, c = rt.parameters("m a b c")
        >>> box(a, b, c, mass=m).inertia[0, 0]
        m*(b**2 + c**2)/12
    """
    sizes = [_size(x, "The side of a box") for x in (length, width, height)]
    x, y, z = (space(name, -a / 2, a / 2) for name, a in zip("xyz", sizes, strict=True))
    return _body([x, y, z], vector(x, y, z), 1, mass, density)


def cylinder(radius: object, height: object, *, mass: object = None, density: Density = None) -> Body:
    """A solid cylinder about the third axis, the origin in its middle.

    Example:
        >>> import routh as rt
        >>> m, R, h = rt.parameters("m R h")
        >>> cylinder(R, h, mass=m).inertia[0, 0]
        m*(3*R**2 + h**2)/12
    """
    R, h = _size(radius, "The radius of a cylinder"), _size(height, "The height of a cylinder")
    r, phi, z = space("r", 0, R), space("phi", 0, 2 * sympy.pi), space("z", -h / 2, h / 2)
    place = vector(r * sympy.cos(phi), r * sympy.sin(phi), z)
    return _body([r, phi, z], place, r, mass, density)


def sphere(radius: object, *, mass: object = None, density: Density = None) -> Body:
    """A solid sphere, the origin in its middle.

    Example:
        >>> import routh as rt
        >>> m, R = rt.parameters("m R")
        >>> sphere(R, mass=m).inertia[2, 2]
        2*R**2*m/5
    """
    R = _size(radius, "The radius of a sphere")
    r = space("r", 0, R)
    return _round(r, [r], r**2, mass, density)


def spherical_shell(radius: object, *, mass: object = None, density: Density = None) -> Body:
    """A thin shell of a sphere, the origin in its middle.

    Example:
        >>> import routh as rt
        >>> m, R = rt.parameters("m R")
        >>> spherical_shell(R, mass=m).inertia[2, 2]
        2*R**2*m/3
    """
    R = _size(radius, "The radius of a shell")
    return _round(R, [], R**2, mass, density)


def _round(
    r: sympy.Expr, along: list[Space], square: sympy.Expr, mass: object, density: Density
) -> Body:
    theta, phi = space("theta", 0, sympy.pi), space("phi", 0, 2 * sympy.pi)
    across = r * sympy.sin(theta)
    place = vector(across * sympy.cos(phi), across * sympy.sin(phi), r * sympy.cos(theta))
    return _body([*along, theta, phi], place, square * sympy.sin(theta), mass, density)


def cone(radius: object, height: object, *, mass: object = None, density: Density = None) -> Body:
    """A solid cone about the third axis, its point in the origin and its base at `height`.

    Example:
        >>> import routh as rt
        >>> m, R, h = rt.parameters("m R h")
        >>> body = cone(R, h, mass=m)
        >>> body.centre[2], body.inertia[2, 2], body.about([0, 0, 0])[0, 0]
        (3*h/4, 3*R**2*m/10, 3*m*(R**2 + 4*h**2)/20)
    """
    R, h = _size(radius, "The radius of a cone"), _size(height, "The height of a cone")
    z, phi = space("z", 0, h), space("phi", 0, 2 * sympy.pi)
    r = space("r", 0, R * z / h)
    place = vector(r * sympy.cos(phi), r * sympy.sin(phi), z)
    return _body([r, phi, z], place, r, mass, density)


def region(place: object, spaces: object, *, mass: object = None, density: Density = None) -> Body:
    """A body of places that are a function of one, two or three spaces: a curve, a surface, a volume.

    Arguments:
        place: a vector of two or three components in the spaces and parameters.
        spaces: as `space(...)` makes them; bounds of one may depend on others.
        mass: of the whole body, spread evenly; or
        density: mass per length, area or volume, an expression or a function of the place.

    What a unit of the spaces covers is worked out: the root of det(J^T J), J being the derivatives of
    the place. A map that folds is refused: where J is square its determinant must not change its sign.
    It is looked at on a grid, where no parameter is left in its shape or all have values; parameters
    count as above zero. Where its sign cannot be seen the map is refused too.

    Example:
        >>> import routh as rt
        >>> m, a, b = rt.parameters("m a b")
        >>> u, phi = rt.space("u", 0, 1), rt.space("phi", 0, 2 * rt.pi)
        >>> ellipse = rt.vector(a * u * rt.cos(phi), b * u * rt.sin(phi))
        >>> region(ellipse, [u, phi], mass=m).inertia[2, 2]
        m*(a**2 + b**2)/4
    """
    own = spaces_of(spaces)
    where = as_vector(place, "The place of a region")
    if where.rows not in (2, 3) or len(own) > where.rows:
        raise DeclarationError(
            f"The place of a region over {len(own)} spaces has"
            f" {'three' if len(own) == 3 else 'two or three'} components. Got {where.rows}."
        )
    return _body(list(own), where, _measure(where, own), mass, density)


def _measure(place: Matrix, spaces: tuple[Space, ...]) -> sympy.Expr:
    """The length, area or volume for a unit of the spaces."""
    J = Matrix(place.rows, len(spaces), lambda i, k: place[i].diff(spaces[k]))
    if place.rows == len(spaces):
        covered = in_factors(sympy.trigsimp(J.det()))
        sign = _seen_sign(covered, covered, spaces)
        if sign is Sign.BOTH:
            raise DeclarationError(
                f"The region folds: the determinant of its map, `{shortened(covered)}`, is above zero"
                " at some places and below at others, so that parts of it are covered more than once."
                " Divide it there, or choose other ranges."
            )
        measure = -covered if sign is Sign.BELOW else covered
    else:
        square = in_factors(sympy.trigsimp((J.T * J).det()))
        factors = sympy.Mul.make_args(sympy.powdenest(sympy.sqrt(square), force=True))
        roots = [x for x in factors if _is_root(x)]
        taken = sympy.Mul(*(_without_size(x) for x in factors if not _is_root(x)))
        measure = sympy.Mul(taken, *roots)
        sign = _seen_sign(taken, measure, spaces)
        if sign is Sign.BOTH:  # the root changes it
            measure = sympy.sqrt(square)
        elif sign is Sign.BELOW:
            measure = -measure
    if measure == 0:
        raise DeclarationError(
            f"The region has no size: its place `{shortened(list(place))}` must change with each of its"
            f" spaces on its own. Got the spaces {', '.join(f'`{s}`' for s in spaces)}."
        )
    return measure


def _is_root(factor: sympy.Expr) -> bool:
    exponent = factor.as_base_exp()[1]
    return bool(exponent.is_Rational and exponent.q == 2)


def _without_size(factor: sympy.Expr) -> sympy.Expr:
    """|x|^n as x^n: whether that is its size is looked at afterwards."""
    base, exponent = factor.as_base_exp()
    return base.args[0] ** exponent if isinstance(base, sympy.Abs) else factor


def _seen_sign(value: sympy.Expr, covered: sympy.Expr, spaces: tuple[Space, ...]) -> Sign:
    """The sign of what a map covers, which must be known: matter would be counted below zero."""
    sign = sign_over(value, spaces)
    if sign is not Sign.UNKNOWN:
        return sign
    written = [value, *(bound for s in spaces for bound in s.bounds)]
    free = sorted((x for x in leaves(written) if not isinstance(x, Space)), key=str)
    raise DeclarationError(
        f"Whether the region folds depends on {quoted(free)}: what a unit of its spaces covers,"
        f' `{shortened(covered)}`, may change its sign. Give them values, like parameter("{free[0]}",'
        " 0.5), or write numbers, or choose spaces in which the sign is seen."
    )


def _size(value: object, what: str) -> sympy.Expr:
    found = expression(value, what)
    if found.is_nonpositive:
        raise DeclarationError(f"{what} must be above zero. Got {found}.")
    return found


def _body(
    spaces: Iterable[Space], place: Matrix, measure: object, mass: object, density: Density
) -> Body:
    own = spaces_of(list(spaces))
    _refuse_backwards(own)
    covered = expression(measure, "The measure")
    if (mass is None) == (density is None):
        raise DeclarationError(
            "A body needs either its `mass`, which is spread evenly, or its `density`. Got"
            f" {'neither' if mass is None else 'both'}."
        )
    if mass is not None:
        m = expression(mass, "The mass of a body")
        if m.is_zero or m.is_negative or sign_of_constant(m) is Sign.BELOW:
            raise DeclarationError(
                f"The mass of a body must be above zero, as its parameters are. Got {m}."
            )
        spread = m / in_factors(value_of(integral(covered, list(own))))
    else:
        spread = _checked_density(density, place, own)
    where = Matrix([*place, 0]) if place.rows == 2 else place
    return Body((_distinct(Piece(own, where, spread, covered)),))


def _distinct(piece: Piece) -> Piece:
    """The piece with other names for spaces that are called like one of its parameters."""
    written = [*piece.place, piece.density, piece.measure, *(b for s in piece.spaces for b in s.bounds)]
    taken = {x.name for x in leaves(written) if not isinstance(x, Space)}
    new: dict[sympy.Basic, Space] = {}
    for each in reversed(piece.spaces):  # outer ones first: the bounds of others may contain them
        name = each.name
        while name in taken:
            name += "_"
        bounds = [bound.xreplace(new) for bound in each.bounds]
        if name != each.name or bounds != list(each.bounds):
            new[each] = space(name, *bounds)
    return Piece(
        tuple(new.get(s, s) for s in piece.spaces),
        Matrix(piece.place.xreplace(new)),
        piece.density.xreplace(new),
        piece.measure.xreplace(new),
    )


def _checked_density(density: Density, place: Matrix, spaces: tuple[Space, ...]) -> sympy.Expr:
    try:
        value = density(place) if isinstance(density, Callable) else density  # type: ignore[arg-type]
    except IndexError:
        raise DeclarationError(
            f"The density asks for a component of the place that is not there: it has {place.rows},"
            f" r[0] to r[{place.rows - 1}]."
        ) from None
    found = sympy.trigsimp(expression(value, "The density of a body"))
    alien = sorted(found.atoms(Space) - set(spaces), key=str)
    if alien:
        raise DeclarationError(
            f"The density varies along `{alien[0]}`, which is no space of the body. Give it as a"
            f" function of the place, like density=lambda r: rho*(1 + r[0]/l), not {a_kind(density)}."
        )
    if sign_over(found, spaces) in (Sign.BELOW, Sign.BOTH):
        raise DeclarationError(
            f"The density `{shortened(found)}` is below zero at places of the body. A hole is another"
            " body that is taken away: plate - hole."
        )
    return found


def _refuse_backwards(spaces: tuple[Space, ...]) -> None:
    for each in spaces:
        if sign_over(each.length, spaces) in (Sign.BELOW, Sign.BOTH):
            raise DeclarationError(
                f"The space `{each}` must end behind its start everywhere. Got"
                f" {each.bounds[0]} to {each.bounds[1]}."
            )
