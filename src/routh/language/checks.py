"""What a system refuses at the door: foreign symbols, names used twice, derivatives out of place,
constraints that are not linear in the velocities.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import sympy

from routh.errors import DeclarationError, did_you_mean, listed, quoted, shortened
from routh.language.contact.reaction_symbol import Reaction
from routh.language.derivation import running
from routh.language.fields import MOST_SLOPES, Field, Space
from routh.language.linearity import Linearity, linearity
from routh.language.symbols import Coordinate, Input, Let, Parameter, Signal, t
from routh.language.unknown import is_slope
from routh.language.walk import leaves, nodes, outside_integrals

HIGHEST_ORDER = {
    "kinetic": 1, "potential": 0, "lagrangian": 1, "dissipation": 1, "constraints": 1, "forces": 1,
    "friction": 1,
}  # fmt: skip
"""How often coordinates may be differentiated in each part."""


def foreign_message(symbol: sympy.Symbol, where: str, ours: set[sympy.Symbol]) -> str:
    """Why a symbol that is not ours is refused, and what may be meant."""
    message = f"`{where}` contains `{symbol}`, a plain SymPy symbol that Routh does not know."
    if symbol.name == "t":
        return (
            f"{message} Time is `routh.t`; a model written with dynamicsymbols is read by"
            " System.from_dynamicsymbols."
        )
    if symbol.name.startswith("lambda") and symbol.name[6:].isdigit():
        return (
            f"`{where}` contains `{symbol}`, a multiplier, which events and results read. A force that"
            " depends on the force of a constraint phi is written with reaction(phi), minus the"
            " multiplier of phi."
        )
    if symbol.name in {s.name for s in ours}:
        return f"{message} Use the declared `{symbol}` of Routh instead."
    hint = did_you_mean(symbol, ours)
    return (hint and message + hint) or (
        f'{message} Declare it with parameter("{symbol}"), coordinate("{symbol}") or input("{symbol}").'
    )


def refuse_twins(symbols: set[sympy.Symbol], intermediates: list[Let]) -> None:
    """One name, one thing: two different symbols of a system may not look the same."""
    seen: dict[str, sympy.Symbol] = {}
    bases = {s.base if isinstance(s, Signal) else s for s in symbols}
    for symbol in [*sorted(bases, key=lambda s: (s.name, type(s).__name__)), *intermediates]:
        other = seen.setdefault(symbol.name, symbol)
        if other != symbol:
            a, b = _kind(other), _kind(symbol)
            both = f"two {a}s" if a == b else f"{_article(a)} and {_article(b)}"
            raise DeclarationError(
                f"The name `{symbol.name}` stands for {both} in one system. Declare each name once"
                " and use the same symbol everywhere, or choose another name."
            )


def refuse_like_names(fields: tuple[Field, ...]) -> None:
    """No field with the name of a derivative of another one."""
    for w in fields:
        for other in fields:
            head, mark, tail = other.label.rpartition("_")
            left = tail.lstrip("t").replace(w.space.name, "")
            if mark and head == w.label and not left:
                raise DeclarationError(
                    f"The field `{other}` has the name of a derivative of `{w}`. Choose another name."
                )


def _kind(symbol: sympy.Symbol) -> str:
    if isinstance(symbol, Let):
        return "intermediate"
    return "time" if symbol == t else type(symbol).__name__.lower()


def _article(kind: str) -> str:
    return kind if kind == "time" else ("an " if kind[0] in "aeiou" else "a ") + kind


def refuse_orders(symbols: set[sympy.Symbol], part: str, highest: int) -> None:
    """No accelerations anywhere, no velocities in the potential, no high derivatives along spaces."""
    for symbol in sorted(symbols, key=str):
        if isinstance(symbol, Field):
            _refuse_slopes(symbol, part)
        if not isinstance(symbol, (Coordinate, Field)) or symbol.order <= highest:
            continue
        if part == "potential" and symbol.order == 1:
            raise DeclarationError(
                f"`potential` contains the velocity `{symbol}`. Expected V(q, t). A kinetic term"
                " belongs into `kinetic`; a velocity-dependent potential (magnetic forces) is"
                " written with `lagrangian=T - V`."
            )
        raise DeclarationError(
            f"`{part}` contains `{symbol}`. Expected derivatives in time up to order"
            f" {highest}; Lagrange's equations make the accelerations."
        )


def _refuse_slopes(symbol: Field, part: str) -> None:
    """Two derivatives along a space inside, values and slopes at ends."""
    if symbol.end is None and symbol.slope > MOST_SLOPES:
        raise DeclarationError(
            f"`{part}` contains `{symbol}`, a derivative of order {symbol.slope} along"
            f" `{symbol.space}`. Expected densities with derivatives up to order {MOST_SLOPES};"
            " integrate by parts, or make the slope a field of its own."
        )
    if symbol.end is not None and symbol.slope > 1:
        raise DeclarationError(
            f"`{part}` contains `{symbol}`. Expected values and slopes at ends; conditions on higher"
            " derivatives there (moment, shear force) follow from the energies and are left out."
        )


def refuse_stray_fields(expressions: list[sympy.Expr], part: str) -> None:
    """No field outside an integral but by its values at ends."""
    _refuse_foreign_calculus(expressions, part)
    if part == "forces":  # those may vary along a space, which is checked when they are made
        return
    for symbol in sorted(outside_integrals(expressions), key=str):
        stray = isinstance(symbol, Space) or (isinstance(symbol, Field) and symbol.end is None)
        if not stray:
            continue
        space = symbol if isinstance(symbol, Space) else symbol.space
        named = symbol.base if isinstance(symbol, Field) else "..."
        what = (
            f"`{symbol}`, which varies along `{space}`," if symbol != space else f"the space `{space}`"
        )
        raise DeclarationError(
            f"`{part}` contains {what} outside an integral."
            + (
                f" Hold it at an end with at({named}, {space}, {space.bounds[0]}), or on the average"
                f" with integral(..., {space})."
                if part == "constraints"
                else f" Write a density as integral(..., {space}), and a value at an end as"
                f" at({named}, {space}, {space.bounds[1]})."
            )
        )


def _refuse_foreign_calculus(expressions: list[sympy.Expr], part: str) -> None:
    """No derivatives and integrals of SymPy's own, and no running integral outside a density."""
    for node in nodes(expressions):
        if isinstance(node, sympy.Derivative) and not is_slope(node):
            raise DeclarationError(
                f"`{part}` contains `{shortened(node)}`, a derivative of SymPy. Write ddt(x) for a rate"
                " and diff(w, s) for a slope along a space. A function of time is an input."
            )
        if isinstance(node, sympy.Integral):
            for space, *ends in (tuple(limits) for limits in node.limits):
                whole = isinstance(space, Space) and tuple(ends) in (
                    space.bounds, (space.bounds[0], space)
                )  # fmt: skip
                if not whole:
                    raise DeclarationError(
                        f"`{part}` contains `{shortened(node)}`. Expected integral(density, s) over a"
                        " whole space, or a running one with upto=s. For a part of a body, divide it"
                        " into two spaces that meet there."
                    )
    for node in nodes(expressions, into_integrals=False):
        if part != "forces" and isinstance(node, sympy.Integral) and running(node):
            raise DeclarationError(
                f"`{part}` contains the running integral `{shortened(node)}` outside a density. Write"
                " it inside integral(..., s), or take its value at an end with at(...)."
            )


def velocities(expression: sympy.Expr) -> list[Signal]:
    """The velocities in an expression, in the order of declaration."""
    found = [s for s in leaves([expression]) if isinstance(s, (Coordinate, Field)) and s.order]
    return sorted(found, key=lambda s: s.serial)


def refuse_nonlinear(phi: sympy.Expr) -> None:
    """No constraint that is not linear in the velocities, and none of which that cannot be told."""
    found, v, others = linearity(phi, velocities(phi))
    if found is Linearity.SHOWN:
        return
    expected = (
        "Expected A(q, t) v + b(q, t) = 0, as rolling and blades give it; for another one d'Alembert's"
        " principle does not say along what its force acts."
    )
    if found is Linearity.REFUTED:
        raise DeclarationError(
            f"Constraint `{shortened(phi)}` is not linear in the velocities: {quoted(others)} is"
            f" left in its derivative by `{v}`. {expected} Write phi(q, t) = 0 for a length that is"
            " kept, and a force for a controller that keeps a speed."
        )
    raise DeclarationError(
        f"Constraint `{shortened(phi)}` could not be shown to be linear in the velocities: its"
        f" derivative by `{v}` contains {quoted(others)}, though no change with them was found."
        f" {expected} Write it so that each term has one velocity as a factor, or none."
    )


_NOT_REAL = {sympy.nan, sympy.zoo, sympy.oo, -sympy.oo, sympy.I}

_KINDS = (Coordinate, Parameter, Input, Field, Space)

_PUSHED = ("forces", "friction")
"""The parts of a system that may depend on the forces of its constraints."""


def checked_symbols(parts: Mapping[str, list[sympy.Expr]]) -> dict[str, set[sympy.Symbol]]:
    """The symbols of each part of a system, after refusing foreign ones and names used twice."""
    symbols: dict[str, set[sympy.Symbol]] = {}
    intermediates: set[Let] = set()
    for part, expressions in parts.items():
        atoms = {node for node in nodes(expressions) if not node.args}
        if not atoms.isdisjoint(_NOT_REAL):
            raise DeclarationError(
                f"`{part}` must be real and finite. It contains"
                f" {listed(atoms & _NOT_REAL)}; look for a division by zero or the root of a"
                " negative number."
            )
        intermediates.update(a for a in atoms if isinstance(a, Let))
        symbols[part] = {a for a in atoms if isinstance(a, sympy.Symbol)} - intermediates
        reacting = {a for a in symbols[part] if isinstance(a, Reaction)}
        if reacting and part not in _PUSHED:
            raise DeclarationError(
                f"`{part}` contains `{shortened(min(reacting, key=str))}`. The force of a constraint"
                " may stand in `forces` and in `friction`, not in what it follows from."
            )
        symbols[part] -= reacting
    every: set[sympy.Symbol] = set().union(*symbols.values())
    ours = {s for s in every if isinstance(s, _KINDS) or s == t}
    for foreign in sorted(every - ours, key=str):
        where = next(part for part, found in symbols.items() if foreign in found)
        raise DeclarationError(foreign_message(foreign, where, ours))
    refuse_twins(ours, sorted(intermediates, key=lambda let: let.serial))
    return symbols


def refuse_unmoved(coordinates: Iterable[Coordinate], symbols: Mapping[str, set[sympy.Symbol]]) -> None:
    """No coordinate without an energy."""
    energies = ("kinetic", "potential", "lagrangian", "dissipation", "constraints")
    found: set[sympy.Symbol] = set().union(*(symbols[part] for part in energies))
    every: set[Coordinate] = {s.base for s in found if isinstance(s, Coordinate)}
    held = sorted(every, key=lambda q: q.serial)
    for q in coordinates:
        if q not in held:
            raise DeclarationError(
                f"Coordinate `{q}` appears in no energy, so nothing says how it moves."
                f" The energies contain: {listed(held)}."
                " Write its energy, or leave it out."
            )


def refuse_empty_constraints(constraints: Iterable[sympy.Expr], there: Iterable[sympy.Symbol]) -> None:
    """No constraint that no motion can keep, or that is not linear in velocities."""
    for phi in constraints:
        if not any(isinstance(s, (Coordinate, Field)) for s in leaves([phi])):
            raise DeclarationError(
                f"Constraint `{shortened(phi)}` contains no coordinate and no field, so no motion"
                f" can keep it at zero. There are: {listed(there)}."
            )
        refuse_nonlinear(phi)
