"""Expressions read from text, by precedence climbing over a small grammar.

Nothing is ever executed: SymPy expressions are built directly from the names that are given and from a
fixed table of functions, within limits on length, depth and the size of numbers.

What a node will cost is estimated before SymPy makes it (`limits`), so that towers of powers and deep
nests are refused in milliseconds.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

import sympy

from routh.errors import did_you_mean
from routh.files.building import FEW, MOST_DEPTH, TOO_DEEP, Builder, kind_of
from routh.files.calls import CALLS, OTHER_NAMES, Call, ddt
from routh.files.spellings import meant_derivative
from routh.files.tokens import Source, TextError, Token, number, plain, tokens
from routh.files.writing import write
from routh.language.calculus import as_vector, expression
from routh.language.matter.body import Body
from routh.language.rotations import Rotation
from routh.language.symbols import t

__all__ = ["TextError", "parse", "write"]

_SUM, _PRODUCT, _POWER = 1, 2, 3
_NAMED = {"r": Rotation, "b": Body}
"""What stands in a call by its name alone, by the letter of its shape."""
_LEVELS = {"+": _SUM, "-": _SUM, "*": _PRODUCT, "/": _PRODUCT, "^": _POWER}


def parse(
    text: str, names: Mapping[str, Any], *, what: str = "expression", later: Collection[str] = ()
) -> Any:
    """The expression or column vector that a text stands for.

    Numbers are `2`, `2.5` and `1e-3`; `θ₁` is the same name as `theta1`. `theta'` is a time derivative,
    `^` or `**` a power, `[x, y]` or `(x, y)` a vector, and `r[1]` its first component, counting from 1
    as textbooks do. -x^2 is -(x^2), and a^b^c is a^(b^c). Products need their sign: `2*theta`.

    Arguments:
        text: what to read.
        names: symbols, expressions and vectors by name; `t` and `pi` are always known.
        what: how messages call the text.
        later: names that are given a meaning further below, and cannot be used here.

    Raises:
        TextError: with the place, for everything that is no expression of the language.

    Example:
        >>> from routh import coordinate, parameters
        >>> theta, (m, g, l) = coordinate("theta"), parameters("m g l")
        >>> parse("m*l^2*θ'^2/2 - m*g*l*(1 - cos θ)", dict(theta=theta, m=m, g=g, l=l), what="L")
        Traceback (most recent call last):
        routh.files.tokens.TextError: `L`, line 1, column 27: `cos` is a function. Write cos(x).
            m*l^2*θ'^2/2 - m*g*l*(1 - cos θ)
                                      ^
        >>> parse("m*l^2*θ'^2/2", dict(theta=theta, m=m, g=g, l=l))
        l**2*m*theta'**2/2
    """
    if not isinstance(text, str):
        raise Source("", what).error(f"Expected a text. Got {text!r}.", 0)
    source = Source(text, what)
    parser = _Parser(source, names, later)
    if parser.token.kind == "end":
        raise source.error("Expected an expression. Got nothing.", 0)
    try:
        value = parser.climb(_SUM)
    except RecursionError:
        raise source.error(TOO_DEEP, parser.token.place) from None
    if parser.token.kind != "end":
        raise parser.unexpected()
    if value.has(sympy.I, sympy.zoo, sympy.nan, sympy.oo):
        raise source.error("This has no finite real value. Write one that has.", 0)
    return value


class _Parser:
    """A place in a list of tokens; each method reads one thing and moves behind it."""

    def __init__(self, source: Source, names: Mapping[str, Any], later: Collection[str] = ()) -> None:
        self.source = source
        self.later = {plain(name) for name in later}
        self.tokens = tokens(source)
        self.place = 0
        self.depth = 0
        self.build = Builder(source)
        self.given = {"t": t, "pi": sympy.pi, **names}
        self.names = {plain(name): value for name, value in self.given.items()}

    @property
    def token(self) -> Token:
        return self.tokens[self.place]

    def next(self) -> Token:
        token = self.token
        self.place += token.kind != "end"
        return token

    def accept(self, sign: str) -> bool:
        found = self.token.kind == "sign" and self.token.text == sign
        self.place += found
        return found

    def expect(self, sign: str, opened: Token) -> None:
        if not self.accept(sign):
            if self.token.kind == "end":
                raise self.source.error(
                    f"`{opened.text}` is never closed: `{sign}` is missing.", opened.place
                )
            raise self.unexpected()

    def climb(self, floor: int) -> Any:
        """Operands and the operators between them that bind at least as tightly as the floor."""
        self._deeper(1)
        left = self._operand()
        while (level := _LEVELS.get(self.token.text, 0)) >= floor:
            left = self._raised(left) if level == _POWER else self._chain(left, level)
        self.depth -= 1
        return left

    def _deeper(self, levels: int) -> None:
        self.depth += levels
        if self.depth > MOST_DEPTH:
            raise self.source.error(TOO_DEEP, self.token.place)

    def _chain(self, left: Any, level: int) -> Any:
        """A whole sum or product, built at once: term by term it would take quadratic time."""
        operators, parts = [self.token], [left]
        while _LEVELS.get(self.token.text, 0) == level:
            operators.append(self.next())
            parts.append(self.climb(level + 1))
        operators[0] = Token("sign", "+" if level == _SUM else "*", operators[0].place)
        together = self.build.sum if level == _SUM else self.build.product
        return together(operators, parts)

    def _raised(self, base: Any) -> Any:
        operator = self.next()
        return self.build.power(operator, base, self.climb(_POWER))

    def _operand(self) -> Any:
        """Signs and what they stand before: a power binds more tightly, a product less."""
        first, signs, minus = self.token, 0, False
        while self.token.kind == "sign" and self.token.text in "+-":
            minus ^= self.next().text == "-"
            signs += 1
            self._deeper(1)
        if not signs:
            return self._postfix(self._primary())
        value = self.climb(_POWER)
        self.depth -= signs
        return self.build.made(first, lambda: -value) if minus else value

    def _postfix(self, value: Any) -> Any:
        """Primes and components behind something."""
        while True:
            token = self.token
            if self.accept("'"):
                value = self.build.made(token, ddt, self.build.limits, value)
            elif self.accept("["):
                value = self._component(token, value)
            elif token.kind in ("name", "number") or (token.kind, token.text) == ("sign", "("):
                raise self._missing_sign()
            else:
                return value

    def _missing_sign(self) -> TextError:
        before, after = self.tokens[self.place - 1], self.token
        following = "(...)" if after.text == "(" else after.text
        return self.source.error(
            f"A product needs its sign: write {before.text}*{following}."
            if before.kind != "sign"
            else f"An operator is missing before `{after.text}`: write *{following} for a product.",
            after.place,
        )

    def _component(self, opened: Token, value: Any) -> Any:
        return self.build.component(opened, value, self._listed(opened, "]"))

    def _primary(self) -> Any:
        token = self.next()
        if token.kind == "number":
            return number(self.source, token)
        if token.kind == "name":
            return self._call(token) if self._calls(token) else self._name(token)
        if token.kind == "sign" and token.text in "([":
            parts = self._listed(token, ")" if token.text == "(" else "]")
            return (
                parts[0] if len(parts) == 1 and token.text == "(" else self.build.vector(token, parts)
            )
        self.place -= token.kind != "end"
        raise self.unexpected()

    def _listed(self, opened: Token, closing: str) -> list[Any]:
        self._deeper(1)
        parts = [self.climb(_SUM)]
        while self.accept(","):
            parts.append(self.climb(_SUM))
        self.depth -= 1
        self.expect(closing, opened)
        return parts

    def _name(self, token: Token) -> Any:
        name = plain(token.text)
        value = self.given.get(token.text, self.names.get(name))
        if value is None:
            value = self._indexed(name)
        if value is None:
            raise self.source.error(self._unknown(token.text, name), token.place)
        if isinstance(value, Rotation):
            raise self.source.error(
                f"`{name}` is a rotation. Write rotate({name}, v) for a turned vector,"
                f" angular_velocity({name}), or rigid_body(m, [A, B, C], r, {name}).",
                token.place,
            )
        if isinstance(value, Body):
            raise self.source.error(
                f"`{name}` is a body. Write mass({name}), centre({name}), moment({name}) or"
                f" rigid_body({name}, r, phi).",
                token.place,
            )
        if isinstance(value, sympy.MatrixBase):
            return self.build.made(token, as_vector, value, f"`{name}`")
        return self.build.made(token, expression, value, f"`{name}`")

    def _indexed(self, name: str) -> Any:
        """The component of a vector by the name that `let` gives it: `r_1` of `r`."""
        stem, _, index = name.rpartition("_")
        whole = self.names.get(stem)
        if not isinstance(whole, sympy.MatrixBase) or not (index.isascii() and index.isdigit()):
            return None
        return whole[int(index) - 1] if len(index) < 4 and 1 <= int(index) <= len(whole) else None

    def _unknown(self, written: str, name: str) -> str:
        shown = written if len(written) <= FEW else written[:FEW] + "..."
        if name in CALLS:
            return f"`{shown}` is a function. Write {CALLS[name].example}."
        if name == "e":
            return "`e` is no name of this model. Write exp(1) for Euler's number."
        if name in self.later:
            return f"`{shown}` gets its meaning further below. Write it above what is made of it."
        meant = meant_derivative(name, self.names)
        hint = f" Did you mean `{meant}`?" if meant else did_you_mean(shown, self.names)
        return f"`{shown}` is no name of this model.{hint}"

    def _calls(self, name: Token) -> bool:
        """Whether a name is called; a name of the model before a parenthesis lacks its sign."""
        called = self.token.kind == "sign" and self.token.text == "("
        if called and plain(name.text) in self.names and plain(name.text) not in CALLS:
            raise self.source.error(
                f"`{name.text}` is a name, no function: write {name.text}*(...) for a product.",
                name.place,
            )
        return called

    def _call(self, name: Token) -> Any:
        call = CALLS.get(name.text)
        if call is None:
            shown = name.text[:FEW]
            here = OTHER_NAMES.get(name.text)
            hint = f" Write {here}." if here else did_you_mean(shown, CALLS)
            raise self.source.error(f"`{shown}` is no function of the language.{hint}", name.place)
        arguments = self._arguments(name, call)
        return self.build.made(name, call.build, self.build.limits, *arguments)

    def _arguments(self, name: Token, call: Call) -> list[Any]:
        opened = self.next()
        if self.accept(")"):
            raise self._count(name, call, 0)
        self._deeper(1)
        arguments: list[Any] = []
        while not arguments or self.accept(","):
            place = self.token
            if self._keyword(name, call) and len(arguments) != len(call.shapes) - 1:
                raise self.source.error(
                    f"`{call.keyword}=...` is the last of the {len(call.shapes)} arguments of"
                    f" `{name.text}`. Write {call.example}.",
                    place.place,
                )
            value = self._by_name(call.shapes[len(arguments) :][:1]) or self.climb(_SUM)
            if isinstance(value, Body) and call.of_body:
                call = replace(call, shapes=call.of_body, least=len(call.of_body))
            arguments.append(value)
            if len(arguments) <= len(call.shapes):
                self._shaped(name, call.shapes[len(arguments) - 1], value, place)
        self.depth -= 1
        self.expect(")", opened)
        if not call.least <= len(arguments) <= len(call.shapes):
            raise self._count(name, call, len(arguments))
        return arguments

    def _by_name(self, shape: str) -> Rotation | Body | None:
        """A rotation or a body by its name, where one may stand."""
        value = self.names.get(plain(self.token.text)) if self.token.kind == "name" else None
        if shape not in _NAMED or not isinstance(value, _NAMED[shape]):
            return None
        self.next()
        return value

    def _keyword(self, name: Token, call: Call) -> bool:
        word, sign = self.token, self.tokens[min(self.place + 1, len(self.tokens) - 1)]
        if word.kind != "name" or (sign.kind, sign.text) != ("sign", "="):
            return False
        if word.text != call.keyword:
            raise self.source.error(
                f"`{name.text}` takes no argument named `{word.text[:FEW]}`. Write {call.example}.",
                word.place,
            )
        self.place += 2
        return True

    def _count(self, name: Token, call: Call, count: int) -> TextError:
        least, most = call.least, len(call.shapes)
        number = f"{least}" if least == most else f"{least} to {most}"
        return self.source.error(
            f"`{name.text}` needs {number} argument{'s' * (most > 1)}. Got {count}. Write"
            f" {call.example}.",
            name.place,
        )

    def _shaped(self, name: Token, shape: str, value: Any, place: Token) -> None:
        arrow = isinstance(value, sympy.MatrixBase)
        if shape in "srb" and arrow and not isinstance(value, Rotation):
            raise self.source.error(
                f"`{name.text}` needs a scalar here. Got {kind_of(value)}. Take a component like"
                " r[1], or norm2(r) or dot(a, b).",
                place.place,
            )
        if shape == "v" and not arrow:
            raise self.source.error(
                f"`{name.text}` needs a vector here, like [x, y]. Got a scalar.", place.place
            )

    def unexpected(self) -> TextError:
        token = self.token
        if token.text == "=":
            sentence = "An expression holds no `=`. Write a - b for something held at zero."
        elif token.text == "'":
            sentence = (
                "A prime stands behind what it differentiates, like theta'; quotes have no meaning."
            )
        elif token.text == "," and not self.depth:
            sentence = "A comma stands between arguments. Write a vector as [x, y]."
        elif token.text in (")", "]") and not self.depth:
            sentence = f"`{token.text}` closes nothing. Take it away, or open it before."
        else:
            sentence = f"Expected a number, a name or a parenthesis. Got {token}."
        return self.source.error(sentence, token.place)
