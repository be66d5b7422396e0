r"""Names of symbols in LaTeX: what is one symbol looks like one.

A single letter is italic and a Greek name its letter; a word is upright, since `mass` in italics is the
product of m, a, s and s. What follows an underscore, and digits at the end, stand below. Letters beyond
ASCII go through `\text`, where KaTeX and pdflatex take them.
"""

from __future__ import annotations

import re
import unicodedata

_GREEK = """
alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi pi
varpi rho varrho sigma varsigma tau upsilon phi varphi chi psi omega Gamma Delta Theta Lambda Xi
Pi Sigma Upsilon Phi Psi Omega
"""
_COMMANDS = {name: f"\\{name}" for name in [*_GREEK.split(), "ell", "hbar"]}
_LIKE_LATIN = {
    "Alpha": "A", "Beta": "B", "Epsilon": "E", "Zeta": "Z", "Eta": "H", "Iota": "I", "Kappa": "K",
    "Mu": "M", "Nu": "N", "Omicron": "O", "Rho": "P", "Tau": "T", "Chi": "X", "omicron": "o",
}  # fmt: skip
"""Greek letters that LaTeX has no command for: upright, so that they are not the Latin ones."""

_COMMANDS |= {name: rf"\mathrm{{{letter}}}" for name, letter in _LIKE_LATIN.items()}
_ITALIC = ("EA", "EI", "GA", "GI", "GJ")
"""Products of the books on beams that are one quantity."""

_ACCENTS = ("hat", "bar", "tilde", "vec")
_SIGNS = {"ℓ": "ell", "ħ": "hbar", "ϑ": "vartheta", "ϱ": "varrho", "ϖ": "varpi"}


def latex_name(name: str) -> str:
    r"""The name of a symbol in LaTeX.

    >>> [latex_name(name) for name in ("m1", "omega_max", "mass", "θ_é")]
    ['m_{1}', '\\omega_{\\mathrm{max}}', '\\mathrm{mass}', '\\theta_{\\text{é}}']
    """
    stem, index = with_index(name)
    return _letter(stem) + (f"_{{{','.join(map(_index, index))}}}" if index else "")


def with_index(name: str) -> tuple[str, list[str]]:
    """A name and what stands below it; where underscores part nothing all of it is the name."""
    stem, *below = name.split("_")
    if not stem or not all(below):
        return name, []
    letters = stem.rstrip("0123456789")
    return letters, ([stem[len(letters) :], *below] if letters != stem else below)


def dotted(plain: str, order: int) -> str:
    """A letter in LaTeX with dots, its index behind them; from the fourth on their number."""
    if not order:
        return plain
    if order > 3:
        return f"{{{plain}}}^{{({order})}}"
    letter, index = parted(plain)
    return f"\\{'d' * order}ot{{{letter}}}{index}"


def parted(plain: str) -> tuple[str, str]:
    """A letter in LaTeX and its index with the mark before it, which stands outside of braces."""
    depth = 0
    for place, sign in enumerate(plain):
        escaped = place > 0 and plain[place - 1] == "\\"
        depth += (sign == "{") - (sign == "}") if not escaped else 0
        if sign == "_" and not depth and not escaped:
            return plain[:place], plain[place:]
    return plain, ""


def _letter(name: str) -> str:
    """One letter or one word."""
    spelt = _spelt(name)
    if spelt in _COMMANDS:
        return _COMMANDS[spelt]
    accent = next((each for each in _ACCENTS if spelt.endswith(each)), "")
    below = spelt.removesuffix(accent)
    if accent and (len(below) == 1 or below in _COMMANDS):
        return rf"\{accent}{{{_letter(below)}}}"
    if spelt in _ITALIC:
        return rf"\mathit{{{spelt}}}"
    return spelt if len(spelt) == 1 and spelt.isascii() else _word(spelt)


def _index(name: str) -> str:
    """One part of an index: a number, a letter with or without digits, or a word."""
    letters = name.rstrip("0123456789")
    if not letters:
        return name
    digits = name[len(letters) :]
    written = _letter(letters)
    if not digits:
        return written
    return f"{written}{digits}" if len(written) == 1 else f"{written}_{{{digits}}}"


def _word(name: str) -> str:
    escaped = _spelt(name).replace("_", r"\_")
    return rf"\mathrm{{{escaped}}}" if escaped.isascii() else rf"\text{{{escaped}}}"


def _spelt(name: str) -> str:
    """A single Greek letter by its name; a letter that only looks different as the plain one."""
    if name in _SIGNS:
        return _SIGNS[name]
    plain = unicodedata.normalize("NFKC", name)
    if len(plain) != 1 or plain.isascii():
        return plain
    called = unicodedata.name(plain, "").replace("LAMDA", "LAMBDA").replace("FINAL ", "")
    found = re.fullmatch(r"GREEK (SMALL|CAPITAL) LETTER (\w+)", called)
    if not found:
        return plain
    spelt = found[2].lower() if found[1] == "SMALL" else found[2].capitalize()
    return spelt if spelt in _COMMANDS else plain
