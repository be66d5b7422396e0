"""Reading models written with `sympy.physics.mechanics.dynamicsymbols`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import sympy
from sympy.core.function import AppliedUndef

from routh.errors import DeclarationError
from routh.language.calculus import ddt
from routh.language.calculus import expression as as_expression
from routh.language.declaring import coordinate, input, parameter
from routh.language.symbols import Coordinate, Input, Parameter, t


@dataclass(frozen=True)
class Translation:
    """A dictionary from SymPy's functions of time and symbols to ours; call it on an expression."""

    words: dict[sympy.Basic, sympy.Expr]
    coordinates: dict[sympy.Expr, Coordinate]

    def __call__(self, expression: object) -> sympy.Expr:
        """The expression in our symbols."""
        return _plain(expression).xreplace(self.words)


def translate(expressions: Iterable[object], coordinates: Sequence[sympy.Expr]) -> Translation:
    """Our symbols for all that the expressions contain.

    Functions of one symbol (the time) listed in `coordinates` become coordinates, other such
    functions inputs, and every other symbol a parameter.
    """
    for q in coordinates:
        if not isinstance(q, AppliedUndef) or len(q.args) != 1:
            raise DeclarationError(
                f"`coordinates` must list functions of time from dynamicsymbols. Got {q!r}."
            )
    given = [_plain(e) for e in expressions if e is not None]
    functions = sorted(set().union(*(e.atoms(AppliedUndef) for e in given)), key=str)
    times = {argument for f in [*functions, *coordinates] for argument in f.args}
    if len(times) > 1:
        raise DeclarationError(
            f"The functions must all depend on one symbol, the time. Got {sorted(map(str, times))}."
        )
    signals: dict[sympy.Expr, Coordinate | Input] = {q: coordinate(q.name) for q in coordinates}
    signals.update({f: input(f.name) for f in functions if f not in signals})
    words: dict[sympy.Basic, sympy.Expr] = dict.fromkeys(times, t)
    words.update(signals)
    for rate in set().union(*(e.atoms(sympy.Derivative) for e in given)):
        if rate.expr not in signals or set(rate.variables) != times:
            raise DeclarationError(
                f"Expected time derivatives of functions of time only. Got {rate}; write it out."
            )
        words[rate] = ddt(signals[rate.expr], int(rate.derivative_count))
    symbols = set().union(*(e.atoms(sympy.Symbol) for e in given)) - times
    words.update({s: _parameter(s) for s in symbols})
    own = {q: s for q, s in signals.items() if isinstance(s, Coordinate)}
    return Translation(words, own)


def _parameter(symbol: sympy.Symbol) -> Parameter:
    return parameter(
        symbol.name, positive=symbol.is_positive is True, nonnegative=symbol.is_nonnegative is True
    )


def _plain(given: object) -> sympy.Expr:
    """The expression with derivatives of products and powers carried out."""
    return as_expression(given, "A part of the system").doit()
