"""What operators and brackets of a text make: sums, products, powers, vectors, within limits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sympy

from routh.errors import DeclarationError
from routh.files.tokens import Source, TextError, Token
from routh.language.calculus import vector
from routh.language.limits import Limits

MOST_DEPTH = 200
"""How deep an expression may be nested: operands and signs count one level, brackets two."""

TOO_DEEP = f"Expected at most {MOST_DEPTH} levels of nesting. Give inner parts names with `let`."

FEW = 120
"""Characters of an expression that is repeated in a message."""


class Builder:
    """Builds expressions; what is refused is told at its place in the text."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.limits = Limits()

    def made(self, token: Token, build: Callable[..., Any], *arguments: Any) -> Any:
        """What is built, with the errors of Routh's own functions put in their place."""
        try:
            value = build(*arguments)
            self.limits.check(value)
        except TextError:
            raise
        except DeclarationError as error:
            raise self.source.error(str(error), token.place) from error
        except RecursionError:
            raise self.source.error(TOO_DEEP, token.place) from None
        return value

    def sum(self, operators: list[Token], parts: list[Any]) -> Any:
        """Terms of one kind with the signs before them."""
        for operator, part in zip(operators, parts, strict=True):
            if kind_of(part) != kind_of(parts[0]):
                raise self.source.error(
                    f"Expected terms of one kind. Got {kind_of(parts[0])} and {kind_of(part)}.",
                    operator.place,
                )
        terms = [-part if op.text == "-" else part for op, part in zip(operators, parts, strict=True)]
        if isinstance(terms[0], sympy.MatrixBase):
            columns = zip(*terms, strict=True)
            return self.made(operators[1], lambda: vector(*(sympy.Add(*each) for each in columns)))
        return self.made(operators[1], sympy.Add, *terms)

    def product(self, operators: list[Token], parts: list[Any]) -> Any:
        """Factors, at most one of them a vector, with the operators before them."""
        factors: list[Any] = []
        arrow: Any = None
        for operator, part in zip(operators, parts, strict=True):
            if operator.text == "/":
                factors.append(self.power(operator, part, sympy.S.NegativeOne))
            elif not isinstance(part, sympy.MatrixBase):
                factors.append(part)
            elif arrow is None:
                arrow = part
            else:
                raise self.source.error(
                    "Two vectors have no plain product. Write dot(a, b) or cross(a, b).",
                    operator.place,
                )
        if arrow is None:
            return self.made(operators[1], sympy.Mul, *factors)
        return self.made(operators[1], lambda: vector(*(sympy.Mul(*factors, x) for x in arrow)))

    def power(self, operator: Token, base: Any, exponent: Any) -> Any:
        """A power of scalars within the limits on its size."""
        if isinstance(base, sympy.MatrixBase) or isinstance(exponent, sympy.MatrixBase):
            raise self.source.error(
                "Dividing by a vector has no meaning: write a component or a length."
                if operator.text == "/"
                else "A power needs scalars. Write norm2(r) for the square of a vector.",
                operator.place,
            )

        def build() -> Any:
            self.limits.power(base, exponent)
            return sympy.Pow(base, exponent)

        return self.made(operator, build)

    def component(self, opened: Token, value: Any, listed: list[Any]) -> Any:
        """The component of a vector that a number in brackets asks for."""
        which, *more = listed
        if not isinstance(value, sympy.MatrixBase):
            raise self.source.error("A scalar has no components. Expected a vector here.", opened.place)
        if not (getattr(which, "is_Integer", False) and not more and 1 <= which <= value.rows):
            raise self.source.error(
                f"Expected the number of a component, from 1 to {value.rows}. Got"
                f" {kind_of(which) if isinstance(which, sympy.MatrixBase) else str(which)[:FEW]}.",
                opened.place,
            )
        return value[int(which) - 1]

    def vector(self, token: Token, parts: list[Any]) -> Any:
        """A vector of scalars."""
        if any(isinstance(part, sympy.MatrixBase) for part in parts):
            raise self.source.error(
                "The components of a vector are scalars. Got a vector.", token.place
            )
        return self.made(token, vector, *parts)


def kind_of(value: Any) -> str:
    """What messages call a value."""
    if isinstance(value, sympy.MatrixBase):
        return f"a vector of {value.rows} component{'s' * (value.rows > 1)}"
    return "a scalar"
