"""Integrals over spaces, and values at their ends."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import sympy
from sympy import ImmutableDenseMatrix as Matrix

from routh.errors import DeclarationError, in_line, quoted, shortened
from routh.language.calculus import expression
from routh.language.derivation import integrand, masked_integrals, running, tail
from routh.language.fields import Field, Space
from routh.language.unknown import put
from routh.language.walk import leaves, outside_integrals, unfold


def integral(density: object, over: Space | Sequence[Space], *, upto: Space | None = None) -> Any:
    """The integral of a density over a space or several, or from its start up to where it is read.

    Arguments:
        density: an expression in fields over the space, their derivatives, the space itself,
            coordinates and so on; a vector is integrated component by component.
        over: the space; a list of two for an area, of three for a volume, in any order. Bounds of
            one may depend on others: a disc is x from -R to R and y between -+ sqrt(R^2 - x^2).
        upto: the space again for a running integral, itself a function of the place: the shortening
            of an inextensible beam is `-integral(diff(w, s)**2 / 2, s, upto=s)`.

    Where no field varies along the spaces the body is rigid, and a system works its integral out: term
    by term by rules, else by Gauss points, in parts that are divided until the sum settles; symbols
    other than the spaces must be factors there. Fields live along single spaces.

    Example:
        >>> from routh import System, coordinate, ddt, equations, field, parameters, space
        >>> L, rho = parameters("L rho")
        >>> s = space("s", 0, L)
        >>> integral(rho / 2 * ddt(field("w", s)) ** 2, s)
        Integral(rho*w_t**2/2, (s, 0, L))
        >>> phi = coordinate("phi")
        >>> print(equations(System(kinetic=integral(rho / 2 * (s * ddt(phi)) ** 2, s))))
        phi: rho*L**3*phi''/3 = 0
    """
    if isinstance(over, (list, tuple, sympy.MatrixBase)):
        return _over_several(density, list(over), upto)
    if not isinstance(over, Space):
        raise DeclarationError(
            'integral(density, s) integrates over a space, as s = space("s", 0, L) makes it, or over a'
            f" list of spaces. Got {in_line(over)}."
        )
    if upto not in (None, over):
        raise DeclarationError(
            f"A running integral over `{over}` is written with upto={over}. Got upto={upto!r}."
        )
    if isinstance(density, sympy.MatrixBase):
        entries = [integral(entry, over, upto=upto) for entry in density]
        return Matrix(density.rows, density.cols, entries)
    value = unfold(expression(density, "A density"))
    _refuse_foreign(value, over, f"A density over `{over}`", places=True)
    if value == 0:
        return sympy.S.Zero
    return sympy.Integral(value, (over, over.bounds[0], over.bounds[1] if upto is None else over))


def _over_several(density: Any, spaces: list[Any], upto: object) -> Any:
    """An integral over an area or a volume: from spaces whose bounds depend on others outwards."""
    alien = [x for x in spaces if not isinstance(x, Space)]
    if alien or not spaces or len(set(spaces)) < len(spaces) or upto is not None:
        raise DeclarationError(
            "integral(density, [x, y]) goes over different spaces, as space(...) makes them, without"
            f" `upto`. Got {quoted(spaces) or 'none'}{'' if upto is None else f' and upto={upto!r}'}."
        )
    found = density
    for each in inner_first(spaces):
        found = integral(found, each)
    return found


def inner_first(spaces: Iterable[Space]) -> list[Space]:
    """Spaces in the order of integration: one before those that its bounds depend on."""
    waiting = list(reversed(list(spaces)))
    found: list[Space] = []
    while waiting:
        needed = {x for each in waiting for bound in each.bounds for x in bound.atoms(Space)}
        found.append(next(x for x in waiting if x not in needed))
        waiting.remove(found[-1])
    return found


def at(value: object, space: Space, end: object) -> Any:
    """An expression or a vector at an end of a space: of fields over it, and of the place itself.

    Example:
        >>> from routh import diff, field, parameter, space
        >>> L = parameter("L")
        >>> s = space("s", 0, L)
        >>> at(s * diff(field("w", s), s), s, L)
        L*w_s(L)
    """
    if not isinstance(space, Space):
        raise DeclarationError(
            "at(expression, s, end) needs a space and one of its ends, like at(w, s, 0). Got"
            f" {space!r}."
        )
    which = _which_end(space, expression(end, "An end"))
    if isinstance(value, sympy.MatrixBase):
        return Matrix(value.rows, value.cols, [at(entry, space, end) for entry in value])
    masked, back = masked_integrals(unfold(expression(value, "The argument of at")))
    _refuse_foreign(masked, space, f"at(..., {space}, {end})")
    fixed: dict[sympy.Basic, sympy.Basic] = {
        f: f.at_end(which) for f in masked.atoms(Field) if f.space == space and f.end is None
    }
    whole = {mask: _completed(each, space, which) for mask, each in back.items()}
    fixed[space] = space.bounds[which]
    found: sympy.Expr = put(masked, fixed)
    return found.xreplace(whole)


def _refuse_foreign(value: sympy.Expr, own: Space, what: str, *, places: bool = False) -> None:
    """Nothing that varies along another space, outside integrals; but for places of a rigid body."""
    found = outside_integrals([value])
    rigid = places and not any(isinstance(x, Field) and x.end is None for x in leaves([value]))
    for x in sorted(found, key=str):
        if rigid and isinstance(x, Space):
            continue
        inside = isinstance(x, Field) and x.end is None
        along = x if isinstance(x, Space) else x.space if inside else own
        if along != own:
            raise DeclarationError(
                f"{what} contains `{x}`, which varies along `{along}`, not along `{own}`. Integrate it"
                f" over `{along}`, or take its value at an end with at(..., {along}, end)."
            )


def _completed(integral: sympy.Integral, space: Space, which: int) -> sympy.Expr:
    """An integral read at an end: a running one is over the whole space there, or over nothing."""
    if space not in (running(integral), tail(integral)):
        return integral
    whole = which == (1 if running(integral) == space else 0)
    return sympy.Integral(integrand(integral), (space, *space.bounds)) if whole else sympy.S.Zero


def _which_end(space: Space, end: sympy.Expr) -> int:
    for which, bound in enumerate(space.bounds):
        if sympy.simplify(end - bound) == 0:
            return which
    raise DeclarationError(
        f"`{end}` is no end of the space `{space}`, which goes from {space.bounds[0]} to"
        f" {space.bounds[1]}. at(...) takes values at ends; for something inside, divide the body into"
        " two spaces that meet there, with conditions of continuity in `constraints`."
    )


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
