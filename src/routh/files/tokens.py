"""Text cut into numbers, names and signs, and the error that points at a place in it."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

import sympy

from routh.errors import DeclarationError, Span
from routh.language.limits import MOST_DIGITS

MOST_CHARACTERS = 20_000
"""Length of one text; longer ones are refused before anything else is looked at."""

MOST_TOKENS = 4_000
"""Numbers, names and signs in one text."""

_SHOWN = 60
"""Characters of the source line shown on either side of the place of an error."""

_NUMBER = re.compile(r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_SIGNS = "+-*/^()[],='"
_SUBSCRIPTS = dict(zip("₀₁₂₃₄₅₆₇₈₉", "0123456789", strict=True))
_GREEK = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "epsilon", "ϵ": "epsilon", "ζ": "zeta",
    "η": "eta", "θ": "theta", "ϑ": "theta", "ι": "iota", "κ": "kappa", "λ": "lambda", "μ": "mu",
    "ν": "nu", "ξ": "xi", "ο": "omicron", "π": "pi", "ϖ": "pi", "ρ": "rho", "ϱ": "rho", "σ": "sigma",
    "ς": "sigma", "τ": "tau", "υ": "upsilon", "φ": "phi", "ϕ": "phi", "χ": "chi", "ψ": "psi",
    "ω": "omega",
}  # fmt: skip
_CAPITALS = {letter.upper(): name.capitalize() for letter, name in _GREEK.items() if letter not in "ϖ"}
_LETTERS = str.maketrans(_GREEK | _CAPITALS | _SUBSCRIPTS)

_COMPARISON = "An expression has a value and compares nothing. Write the two sides as one difference."
_REFUSED = {
    "<": _COMPARISON,
    ">": _COMPARISON,
    "≤": _COMPARISON,
    "≥": _COMPARISON,
    "%": "There is no remainder or percent: write a quotient like x/100.",
    "!": "There is no factorial and no negation: write the number itself.",
    "@": "There is no matrix product: write dot(a, b), cross(a, b) or rotate(angle, v).",
    ":": "A colon has no meaning in an expression: parameters and lets are declared elsewhere.",
    '"': "Text in quotes is no part of an expression: write names without quotes.",
    "`": "Text in quotes is no part of an expression: write names without quotes.",
    "\\": "A backslash has no meaning here: write theta, not \\theta, and a/b, not \\frac.",
    ".": "Names have no attributes: a dot belongs between digits alone, like 2.5.",
    "#": "A comment does not belong into an expression: write it outside.",
    ";": "One text is one expression: write the next one by itself.",
    "{": "Braces have no meaning here: write parentheses ( ).",
    "}": "Braces have no meaning here: write parentheses ( ).",
    "$": "A dollar sign has no meaning here: write plain text, not LaTeX.",
    "&": "There is no logic in an expression: write a value.",
    "|": "Bars have no meaning here: write abs(x), or norm2(r) for a squared length.",
    "~": "There is no logic in an expression: write a value.",
    "?": "There is no choice in an expression: write min(a, b), max(a, b) or sign(x).",
    "·": "Write a product with *, like m*g.",
    "×": "Write a product with *, like m*g, and a vector product cross(a, b).",
    "÷": "Write a quotient with /, like a/b.",
    "−": "Write a difference with the plain minus sign -.",
    "–": "Write a difference with the plain minus sign -.",
    "√": "Write a root as sqrt(x).",
    "∞": "Infinity is no number of a model: write a finite one.",
    "²": "Write a power with ^, like x^2.",
    "³": "Write a power with ^, like x^3.",
}


class TextError(DeclarationError):
    """A text that is no expression of the language, with the place where reading stopped.

    `line` and `column` count from 1, `source` is the line in question and `caret` the blanks and the
    mark to be printed below it; both are cut around the place where the line is long. `length` counts
    the characters of what stands there.
    """

    def __init__(
        self, sentence: str, what: str, line: int, column: int, source: str, caret: str, length: int = 1
    ) -> None:
        super().__init__(
            f"`{what}`, line {line}, column {column}: {sentence}\n    {source}\n    {caret}"
        )
        self.sentence = sentence
        self.what = what
        self.line = line
        self.column = column
        self.source = source
        self.caret = caret
        self.length = length

    def moved(self, line: int, column: int) -> TextError:
        """The same error of a text whose first character stands at this place of a file."""
        own = self.column + (column - 1 if self.line == 1 else 0)
        row = self.line + line - 1
        told = TextError(self.sentence, self.what, row, own, self.source, self.caret, self.length)
        told.span = Span(row, own, self.length, self.what)
        return told


@dataclass(frozen=True)
class Source:
    """A text and what it is called."""

    text: str
    what: str

    def error(self, sentence: str, place: int) -> TextError:
        """The error with this sentence at this character, counted from 0."""
        start = self.text.rfind("\n", 0, place) + 1
        row = self.text.count("\n", 0, place)
        stop = self.text.find("\n", place)
        first = max(start, place - _SHOWN)
        last = min(len(self.text) if stop < 0 else stop, place + _SHOWN)
        source = "".join(_visible(c) for c in self.text[first:last])
        caret = "".join("\t" if c == "\t" else " " for c in source[: place - first]) + "^"
        length = _length(self.text, place)
        return TextError(sentence, self.what, row + 1, place - start + 1, source, caret, length)


@dataclass(frozen=True)
class Token:
    """A number, a name, a sign or the end, and where it begins."""

    kind: str
    text: str
    place: int

    def __str__(self) -> str:
        return "the end" if self.kind == "end" else f"`{self.text}`"


def tokens(source: Source) -> list[Token]:
    """The text cut into tokens, with one of the kind "end" behind them; `**` is `^`."""
    text, found, place = source.text, list[Token](), 0
    if len(text) > MOST_CHARACTERS:
        raise source.error(
            f"Expected a text of at most {MOST_CHARACTERS} characters. Got {len(text)}. Give parts of"
            " it names with `let`.",
            0,
        )
    while place < len(text):
        if text[place].isspace():
            place += 1
            continue
        if len(found) == MOST_TOKENS:
            raise source.error(
                f"Expected at most {MOST_TOKENS} numbers, names and signs. Give parts of it"
                " names with `let`.",
                place,
            )
        token, length = _token(source, place)
        found.append(token)
        place += length
    return [*found, Token("end", "", len(text))]


def plain(name: str) -> str:
    """The name with Greek letters spelt out and subscripts as digits: θ₁ is theta1."""
    if name.isascii():
        return name
    return unicodedata.normalize("NFKC", name.translate(_LETTERS)).translate(_LETTERS)


def number(source: Source, token: Token) -> sympy.Number:
    """The number that a token stands for: exact if it is whole, else a double."""
    if token.text.isdigit():
        if len(token.text.lstrip("0")) > MOST_DIGITS:
            raise source.error(f"Expected at most {MOST_DIGITS} digits.", token.place)
        return sympy.Integer(int(token.text.lstrip("0") or "0"))
    value = float(token.text)
    nought = not token.text.lower().partition("e")[0].strip("0.")
    if not (nought or 10.0**-MOST_DIGITS <= value <= 10.0**MOST_DIGITS):
        raise source.error(
            f"Expected a number between 1e-{MOST_DIGITS} and 1e{MOST_DIGITS}. Got"
            f" {token.text[:_SHOWN]}.",
            token.place,
        )
    return sympy.Float(value) if not nought else sympy.S.Zero


def _token(source: Source, place: int) -> tuple[Token, int]:
    """The token at a place, and how many characters it takes."""
    text, sign = source.text, source.text[place]
    digits = _NUMBER.match(text, place)
    if digits:
        return Token("number", digits.group(), place), len(digits.group())
    if sign.isidentifier():
        length = _length(text, place)
        return Token("name", text[place : place + length], place), length
    if text.startswith("**", place):
        return Token("sign", "^", place), 2
    if text.startswith("==", place):
        raise source.error(_COMPARISON, place)
    if sign == "′":
        return Token("sign", "'", place), 1
    if sign in _SIGNS:
        return Token("sign", sign, place), 1
    shown = f"`{sign}`" if sign.isprintable() and sign != "`" else f"The character {sign!r}"
    why = _REFUSED.get(sign, "Expected numbers, names, + - * / ^, parentheses and commas.")
    raise source.error(f"{shown} is not understood. {why}", place)


def _length(text: str, place: int) -> int:
    """How many characters the number, the name or the sign at a place has; one at the end."""
    if digits := _NUMBER.match(text, place):
        return len(digits.group())
    end = place + 1
    if text[place : place + 1].isidentifier():
        while end < len(text) and _continues(text[end]):
            end += 1
    return end - place


def _continues(sign: str) -> bool:
    return sign in _SUBSCRIPTS or (sign != "·" and f"x{sign}".isidentifier())


def _visible(sign: str) -> str:
    return sign if sign.isprintable() or sign == "\t" else "�"
