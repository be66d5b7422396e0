"""What a system refuses at the door: foreign symbols, names used twice, derivatives out of place,
constraints that are not linear in the velocities.
"""

from __future__ import annotations

import sympy

from routh.errors import DeclarationError, did_you_mean, quoted, shortened
from routh.language.symbols import Coordinate, Let, Signal, t
from routh.language.walk import leaves, unfold


def foreign_message(symbol: sympy.Symbol, where: str, ours: set[sympy.Symbol]) -> str:
    """Why a symbol that is not ours is refused, and what may be meant."""
    message = f"`{where}` contains `{symbol}`, a plain SymPy symbol that Routh does not know."
    if symbol.name == "t":
        return (
            f"{message} Time is `routh.t`; a model written with dynamicsymbols is read by"
            " System.from_dynamicsymbols."
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


def _kind(symbol: sympy.Symbol) -> str:
    if isinstance(symbol, Let):
        return "intermediate"
    return "time" if symbol == t else type(symbol).__name__.lower()


def _article(kind: str) -> str:
    return kind if kind == "time" else ("an " if kind[0] in "aeiou" else "a ") + kind


def refuse_orders(symbols: set[sympy.Symbol], part: str, highest: int) -> None:
    """No accelerations anywhere, and no velocities in the potential."""
    for symbol in sorted(symbols, key=str):
        if not isinstance(symbol, Coordinate) or symbol.order <= highest:
            continue
        if part == "potential" and symbol.order == 1:
            raise DeclarationError(
                f"`potential` contains the velocity `{symbol}`. Expected V(q, t). A kinetic term"
                " belongs into `kinetic`; a velocity-dependent potential (magnetic forces) is"
                " written with `lagrangian=T - V`."
            )
        raise DeclarationError(
            f"`{part}` contains `{symbol}`. Expected derivatives of coordinates up to order"
            f" {highest}; Lagrange's equations make the accelerations."
        )


def velocities(expression: sympy.Expr) -> list[Coordinate]:
    """The velocities in an expression, in the order of declaration."""
    found = [s for s in leaves([expression]) if isinstance(s, Coordinate) and s.order]
    return sorted(found, key=lambda s: s.serial)


def refuse_nonlinear(phi: sympy.Expr) -> None:
    """No constraint that is not linear in the velocities."""
    written = unfold(phi)
    for v in velocities(phi):
        others = velocities(sympy.expand(written.diff(v)))
        if others:
            raise DeclarationError(
                f"Constraint `{shortened(phi)}` is not linear in the velocities: {quoted(others)} is"
                f" left in its derivative by `{v}`. Expected A(q, t) v + b(q, t) = 0, as rolling and"
                " blades give it; for another one d'Alembert's principle does not say along what its"
                " force acts. Write phi(q, t) = 0 for a length that is kept, and a force for a"
                " controller that keeps a speed."
            )
