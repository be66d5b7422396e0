"""The arguments of a system, made into what it holds: terms, forces, coordinates in their order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import sympy

from routh.errors import DeclarationError, did_you_mean, in_line, listed, quoted
from routh.language.calculus import expression
from routh.language.fields import Field
from routh.language.forces import Force, generalized_force
from routh.language.keys import once
from routh.language.symbols import Coordinate, Input, Parameter, named
from routh.language.walk import leaves

Terms = tuple[sympy.Expr, ...]

MANY = 12
"""Coordinates beyond which a system does not name all when it is shown."""


def terms_of(given: object, what: str) -> Terms:
    """One expression or a list of them as terms."""
    if given is None:
        return ()
    if what == "constraints" and isinstance(given, sympy.Expr):
        given = [given]
    terms = list(given) if isinstance(given, (list, tuple)) else [given]
    named = f"A term of `{what}`" if isinstance(given, (list, tuple)) else f"`{what}`"
    return tuple(expression(term, named) for term in terms)


def refuse_energies(kinetic: object, potential: object, lagrangian: object) -> None:
    """Refuse energies that say one thing twice, or nothing."""
    if lagrangian is not None and (kinetic is not None or potential is not None):
        raise DeclarationError("Give either `lagrangian`, or `kinetic` and `potential`. Got both.")
    if lagrangian is None and kinetic is None and potential is None:
        raise DeclarationError(
            "A system needs an energy: give `kinetic` and `potential`, or `lagrangian`."
        )


def held_of(given: object) -> tuple[Terms, tuple[int, ...]]:
    """Constraints, and the places, as given, of those that are 0 whatever happens: they hold nothing.

    Components of vectors that close a loop in a plane are such.
    """
    terms = terms_of(given, "constraints")
    idle = [isinstance(phi, sympy.Number) and bool(phi.is_zero) for phi in terms]
    held = tuple(phi for phi, nothing in zip(terms, idle, strict=True) if not nothing)
    return held, tuple(k for k, nothing in enumerate(idle) if nothing)


def forces_of(given: object, others: Iterable[sympy.Expr]) -> tuple[Force, ...]:
    """Forces of a mapping or of a list; the other terms of the system say what names mean."""
    if given is None:
        return ()
    if isinstance(given, Mapping):
        by_moved = once(((_moved(q, others), Q) for q, Q in given.items()), "forces")
        return tuple(generalized_force(q, Q) for q, Q in by_moved.items())
    if isinstance(given, Force):
        return (given,)
    if not isinstance(given, (list, tuple)):
        raise DeclarationError(
            "`forces` must be {coordinate: expression} or a list of force(..., at=...) and"
            f" torque(...). Got {in_line(given)}."
        )
    flat: list[Force] = []
    for item in given:
        if isinstance(item, Force):
            flat.append(item)
        elif isinstance(item, (tuple, Mapping)):
            flat.extend(forces_of(item, others))
        else:
            raise DeclarationError(
                f"An item of `forces` must be force(F, at=point) or torque(tau, angle). Got"
                f" {in_line(item)}."
            )
    return tuple(flat)


def given_parts(
    energies: Mapping[str, object], forces: object, held: Terms
) -> dict[str, tuple[Any, ...]]:
    """The parts of a system as they are given: terms of each energy, forces and constraints."""
    found: dict[str, tuple[Any, ...]] = {name: terms_of(e, name) for name, e in energies.items()}
    others = [*held, *(e for terms in found.values() for e in terms)]
    return found | {"forces": forces_of(forces, others), "constraints": held}


def _moved(given: object, others: Iterable[sympy.Expr]) -> object:
    """The coordinate, the field or the value of one at an end that a force is given for."""
    if not isinstance(given, str):
        return given
    found = {s.position for s in leaves(others) if isinstance(s, Field)}
    found |= {s.base for s in leaves(others) if isinstance(s, (Coordinate, Field))}
    moved = named(given, found)
    if moved is None:
        names = sorted(s.name for s in found)
        raise DeclarationError(
            f"`forces` has `{given}`, which is no coordinate or field in the energies. They contain:"
            f" {listed(names)}." + did_you_mean(given, names)
        )
    return moved


def coordinates_of(
    found: set[sympy.Symbol], order: Sequence[Coordinate | str] | None
) -> tuple[Coordinate, ...]:
    """The coordinates in the order of declaration, or in the one asked for."""
    present: set[Coordinate] = {s.base for s in found if isinstance(s, Coordinate)}
    if not present and not order and any(isinstance(s, Field) for s in found):
        return ()
    if not present and not order:
        raise DeclarationError(
            'The energies contain no coordinate. Declare one with coordinate("x") and write the'
            " energies in it."
        )
    if order is None:
        return tuple(sorted(present, key=by_serial))
    asked = [named(q, present) if isinstance(q, str) else q for q in order]
    for given, q in zip(order, asked, strict=True):
        if not isinstance(q, Coordinate) or q.order:
            hint = did_you_mean(given, present) if isinstance(given, str) else ""
            raise DeclarationError(f"`coordinates` must list coordinates. Got {in_line(given)}.{hint}")
    missing = present - set(asked)
    if missing:
        raise DeclarationError(
            f"`coordinates` lacks {quoted(sorted(missing, key=by_serial))}, which the system"
            f" contains. Got: {listed(asked)}."
        )
    if len(set(asked)) < len(asked):
        raise DeclarationError(f"`coordinates` names one twice. Got: {listed(asked)}.")
    return tuple(asked)


def declared_of(given: object) -> tuple[sympy.Symbol, ...]:
    """Parameters, inputs and fields that belong to a system though no part contains them."""
    symbols = tuple(given) if isinstance(given, Iterable) and not isinstance(given, str) else (given,)
    for s in symbols:
        if not isinstance(s, (Parameter, Input, Field)):
            raise DeclarationError(f"`declared` must list parameters and inputs. Got {s!r}.")
    return symbols


def fields_of(found: set[sympy.Symbol]) -> tuple[Field, ...]:
    """The fields in the order of declaration."""
    fields: set[Field] = {s.base for s in found if isinstance(s, Field)}
    return tuple(sorted(fields, key=by_serial))


def some_of(symbols: Sequence[sympy.Symbol]) -> str:
    """Their names, or the first and the last of many."""
    if len(symbols) <= MANY:
        return listed(symbols)
    return f"{listed(symbols[:2])}, ... {symbols[-1]}"


def of_kind(found: set[sympy.Symbol], kind: type) -> tuple[Any, ...]:
    """The symbols of one kind by name, m2 before m10."""
    return tuple(sorted((s for s in found if isinstance(s, kind)), key=lambda s: _natural(s.name)))


def _natural(name: str) -> tuple[str, int, str]:
    """Sort key that puts m2 before m10."""
    stem = name.rstrip("0123456789")
    return (stem.lower(), int(name[len(stem) :] or -1), name)


def by_serial(symbol: Any) -> int:
    """Sort key: the order of declaration."""
    return int(symbol.serial)
