"""Integrals over rigid bodies become what they are: sums of products of moments and of what moves.

Along a rigid body only places vary; coordinates, velocities and parameters are factors. The integral is
separated into functions of the place, which are integrated, times all the rest. So A, B and C
of T = v^T A v/2 + B^T v + C/2 become integrals over the body.

What contains fields is left as it is, and so is what runs along a space that fields live on: there
equations and `discretize` take care of it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

import sympy

from routh.errors import DeclarationError, quoted, shortened
from routh.language.derivation import outer_integrals, partial, running
from routh.language.fields import Field, Space
from routh.language.forces import Force, generalized_force
from routh.language.matter.antiderivative import definite
from routh.language.matter.cubature import Limits, cubature, separated
from routh.language.matter.sign_over import Sign, sign_over
from routh.language.matter.steps import in_smooth_pieces
from routh.language.symbols import Coordinate, Let, Signal, t
from routh.language.walk import leaves, lets, nodes, unfold


def closed(expression: sympy.Expr, carried: Collection[Space] = ()) -> sympy.Expr:
    """The expression with its integrals over rigid bodies worked out.

    Arguments:
        expression: with integrals, also in named intermediates, which are written out where they are.
        carried: spaces that fields live on.
    """
    if not any(isinstance(node, sympy.Integral) for node in nodes([expression])):
        return expression
    written: dict[sympy.Basic, sympy.Basic] = {}
    for let in lets([expression]):
        value = let.expression.xreplace(written)
        found = _closed(value, carried)
        if found != let.expression:
            written[let] = found
    return _closed(expression.xreplace(written) if written else expression, carried)


def _closed(expression: sympy.Expr, carried: Collection[Space]) -> sympy.Expr:
    values = {each: value_of(each) for each in outer_integrals(expression) if _is_rigid(each, carried)}
    return expression.xreplace(values) if values else expression


def _is_rigid(integral: sympy.Integral, carried: Collection[Space]) -> bool:
    spaces = {limits[0] for limits in integral.limits}
    if not all(isinstance(space, Space) for space in spaces) or not spaces.isdisjoint(carried):
        return False
    return not any(isinstance(x, Field) and x.end is None for x in leaves([integral]))


def value_of(integral: sympy.Integral) -> sympy.Expr:
    """An integral without fields, by rules term by term, and by Gauss points where none applies."""
    function = unfold(integral.function)
    inner = {each: value_of(each) for each in outer_integrals(function)}
    limits: list[Limits] = [tuple(each) for each in integral.limits]
    _refuse_crossing(limits)
    pieces = in_smooth_pieces(function.xreplace(inner), limits)
    return sympy.Add(*(_of_smooth(density, own, integral) for density, own in pieces))


def _of_smooth(density: sympy.Expr, limits: list[Limits], integral: sympy.Integral) -> sympy.Expr:
    found: list[sympy.Expr] = []
    for k, (u, start, end) in enumerate(limits):
        density, left = definite(density, u, start, end)
        found += [_summed(term, limits[k:], integral) for term in left]
    return sympy.Add(density, *found)


def _refuse_crossing(limits: list[Limits]) -> None:
    """No bounds that depend on places and cross there: what is behind would be counted below zero."""
    for k, (u, start, end) in enumerate(limits):
        outer = [each for each in limits[k + 1 :] if isinstance(each[0], Space)]
        if not {s for s, _, _ in outer} & leaves([start, end]):
            continue
        if sign_over(end - start, outer) in (Sign.BELOW, Sign.BOTH):
            raise DeclarationError(
                f"The space `{u}` must end behind its start everywhere. Got {start} to {end} over"
                f" {quoted(s for s, _, _ in outer)}: the bounds cross. Choose other ranges."
            )


def _summed(term: sympy.Expr, limits: list[Limits], integral: sympy.Integral) -> sympy.Expr:
    places = [u for u, _, _ in limits]
    constant, rest = _apart(term, places)
    nested = len(set(places)) == len(places) and places[-1] not in leaves(limits[-1][1:])
    if nested:
        _refuse_symbols(rest, limits, integral)
    value = cubature(rest, limits) if nested else None
    if value is None:
        raise DeclarationError(
            f"The integral `{shortened(integral)}` could not be worked out: no rule closes the term"
            f" `{shortened(rest)}`, and sums over Gauss points do not settle. Look for places where it"
            " is infinite or has a kink, and divide the body there; or give the integral a parameter"
            " of its own."
        )
    return constant * value


def _refuse_symbols(rest: sympy.Expr, limits: list[Limits], integral: sympy.Integral) -> None:
    """A sum over points has numbers only: for other values of a symbol other points would be needed."""
    parts, cell = separated(rest, limits)
    inside = sorted(leaves([function for _, function in parts]) - set(cell), key=str)
    if not inside:
        return
    moving = [x for x in inside if isinstance(x, Signal) or x == t]
    advice = (
        "Expand it in powers of what moves, or write it as a sum over points of the body."
        if moving
        else "Write numbers for them into it; or give the integral a parameter of its own."
    )
    raise DeclarationError(
        f"The integral `{shortened(integral)}` has no closed form here: no rule closes the term"
        f" `{shortened(rest)}`, and {quoted(moving or inside)} in it cannot be taken out as a factor,"
        f" so that no sum over Gauss points holds for all values. {advice}"
    )


def _apart(term: sympy.Expr, places: list[sympy.Symbol]) -> tuple[sympy.Expr, sympy.Expr]:
    """A product as what does not depend on places, and what does."""
    own = set(places)
    factors = sympy.Mul.make_args(term)
    fixed = [x for x in factors if own.isdisjoint(leaves([x]))]
    return sympy.Mul(*fixed), sympy.Mul(*(x for x in factors if not own.isdisjoint(leaves([x]))))


def open_spaces(expressions: Iterable[sympy.Expr]) -> set[Space]:
    """The spaces that expressions vary along, which no integral in them goes over."""
    found: set[Space] = set()
    for expression in expressions:
        found |= _open(unfold(expression) if expression.atoms(Let) else expression)
    return found


def _open(expression: sympy.Basic) -> set[Space]:
    inside = outer_integrals(expression)
    bare = expression.xreplace({each: sympy.Dummy() for each in inside}) if inside else expression
    found = set(bare.atoms(Space))
    for integral in inside:
        within = _open(integral.function)
        for space, *ends in integral.limits:
            within -= {space}
            within |= {x for end in ends for x in end.atoms(Space)}
        found |= within
    return found


def refuse_open(expressions: Iterable[sympy.Expr], part: str) -> None:
    """No integral over a part of the places that its density varies along."""
    inside = [each for e in expressions for each in outer_integrals(e) if not running(each)]
    stray = sorted(open_spaces(inside), key=str)
    if stray:
        raise DeclarationError(
            f"`{part}` contains an integral that still varies along {quoted(stray)}. Integrate over all"
            f" places of the body, like integral(density, [{', '.join(map(str, stray))}, ...])."
        )


def spread_force(force: Force) -> list[Force]:
    """A force per length along a rigid body, as the generalized forces that do the same work."""
    limits = () if force.space is None else (force.space, *force.space.bounds)
    points = [unfold(r) for r in force.at]
    moved = {q for q in leaves(points) if isinstance(q, Coordinate)}
    found = []
    for q in sorted(moved, key=lambda each: each.serial):
        density = sympy.Add(
            *(unfold(f) * partial(r, q) for f, r in zip(force.components, points, strict=True))
        )
        if density != 0:
            Q = value_of(sympy.Integral(density, limits))
            found.append(generalized_force(q, Q, force.origin))
    return found


def closed_forces(forces: Iterable[Force], carried: Collection[Space]) -> tuple[Force, ...]:
    """Forces with what is spread over rigid bodies worked out."""
    found: list[Force] = []
    for force in forces:
        rigid = force.space is not None and force.space not in carried
        found += spread_force(force) if rigid else [force]
    return tuple(found)


def worked_out(
    given: Mapping[str, tuple[Any, ...]], declared: Iterable[sympy.Symbol]
) -> dict[str, tuple[Any, ...]]:
    """The parts of a system, forces among them, with integrals over rigid bodies worked out."""
    points = [e for f in given["forces"] for e in (*f.components, *f.at)]
    every = [e for part, terms in given.items() if part != "forces" for e in terms]
    written = set(nodes([*every, *points]))
    carried = {w.space for w in (*written, *declared) if isinstance(w, Field)}
    found = dict(given) | {"forces": closed_forces(given["forces"], carried)}
    if not any(isinstance(node, sympy.Integral) for node in written):
        return found
    for part, terms in given.items():
        if part != "forces":
            refuse_open(terms, part)
            found[part] = tuple(closed(e, carried) for e in terms)
    return found
