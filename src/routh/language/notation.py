r"""What a symbol may be set as: LaTeX that is mathematics and nothing else.

Formulas go into pages, Markdown and papers. What TeX would execute there (`\input`, `\def`, `$`, `%`),
or a page (`<`, `&`), is no part of a letter, so all that is not known to be mathematics is refused.
"""

from __future__ import annotations

import re

from routh.errors import DeclarationError, did_you_mean, shortened

DEEPEST = 10
"""Braces within braces."""

_LETTERS = """
alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa varkappa lambda mu nu
xi pi varpi rho varrho sigma varsigma tau upsilon phi varphi chi psi omega Gamma Delta Theta Lambda
Xi Pi Sigma Upsilon Phi Psi Omega ell hbar imath jmath Re Im wp aleph partial nabla infty emptyset
prime dagger ddagger star ast circ bullet cdot cdots ldots dots times pm mp perp parallel angle
triangle square diamond oplus ominus otimes odot rightarrow leftarrow leftrightarrow to uparrow
downarrow mid vert Vert sim approx equiv propto degree quad qquad max min sin cos tan exp log det
"""
_ACCENTS = """
dot ddot dddot hat bar tilde vec check breve acute grave mathring overline underline widehat widetilde
overrightarrow
"""
_FONTS = "mathrm mathbf mathit mathsf mathtt mathcal mathfrak mathbb mathscr boldsymbol operatorname"

_ALONE = frozenset(_LETTERS.split())
_WITH_ONE = frozenset([*_ACCENTS.split(), *_FONTS.split(), "text", "sqrt"])
_WITH_TWO = frozenset(["frac", "overset", "underset"])
KNOWN = _ALONE | _WITH_ONE | _WITH_TWO
"""The commands of a symbol."""

_PIECE = re.compile(r"\\[A-Za-z]+|\\[,;:! ]|.", re.DOTALL)
_SIGNS = frozenset("'+-*/=(),.;:|!")


def checked_latex(latex: str | None, what: str) -> str | None:
    """What a symbol is set as, if it is mathematics.

    Raises:
        DeclarationError: for anything that LaTeX or a page could take for more than a formula.
    """
    if latex is None:
        return None
    reason = no_mathematics(latex) if isinstance(latex, str) else "It is no text."
    if reason:
        raise DeclarationError(
            f"The `latex` of {what} must be mathematics, like \\vartheta_{{1}} or \\hat{{x}}. Got"
            f" {shortened(repr(latex), 80)}. {reason}"
        )
    return latex


def no_mathematics(latex: str) -> str:
    """Why a text is no mathematics in LaTeX, as a sentence; empty if it is."""
    if not latex.strip():
        return "It is empty."
    reader = _Reader([piece for piece in _PIECE.findall(latex) if piece != " "])
    try:
        reader.row(depth=0)
    except _Refused as refused:
        return str(refused)
    return ""


class _Refused(Exception):
    """A sentence on what is no mathematics."""


class _Reader:
    """Goes through a formula as TeX does: letters, groups, commands, and their scripts."""

    def __init__(self, pieces: list[str]) -> None:
        self._left = pieces[::-1]

    def row(self, depth: int) -> None:
        """What stands in a group, or in the whole."""
        if depth > DEEPEST:
            raise _Refused(f"Its braces are more than {DEEPEST} deep.")
        while self._left and self._left[-1] != "}":
            self._item(depth)
            self._scripts(depth)
        if (depth > 0) != bool(self._left):
            raise _Refused("Its braces do not match.")

    def _scripts(self, depth: int) -> None:
        """One index and one exponent at most."""
        seen = ""
        while self._left and self._left[-1] in ("_", "^"):
            sign = self._left.pop()
            if sign in seen:
                raise _Refused(f"Two `{sign}` in a row need braces, like {{x{sign}1}}{sign}2.")
            seen += sign
            self._argument(sign, depth)

    def _argument(self, of: str, depth: int) -> None:
        """What a command or a script acts upon; without it TeX would take what follows the symbol."""
        if not self._left or self._left[-1] in ("}", "_", "^"):
            raise _Refused(f"`{of}` needs something to act upon, like {of}{{x}}.")
        self._item(depth)

    def _item(self, depth: int) -> None:
        piece = self._left.pop()
        name = piece[1:]
        if piece == "{":
            self.row(depth + 1)
            self._left.pop()
        elif piece in ("_", "^"):
            raise _Refused(f"`{piece}` belongs to something before it, like x{piece}{{1}}.")
        elif len(piece) > 1 and name.isalpha():
            if name not in KNOWN:
                raise _Refused(f"`{piece}` is not known there.{did_you_mean(name, KNOWN)}")
            for _ in range((name in _WITH_ONE) + 2 * (name in _WITH_TWO)):
                self._argument(piece, depth)
        elif len(piece) == 1 and not (piece in _SIGNS or piece.isalnum()):
            raise _Refused(f"The sign {piece!r} is no part of a symbol.")
