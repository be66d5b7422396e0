"""Whether the formulas that a chapter prints hold, by numbers for everything that is named in them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

import pytest
import sympy
from sympy.parsing.sympy_parser import parse_expr

from routh.mechanics.forms.chapter import Formula

_FUNCTIONS = {name: getattr(sympy, name) for name in ("sin", "cos", "tan", "sqrt", "exp", "log")}
_MARKED = re.compile(r"[A-Za-z_]\w*(?:\*(?=$|[ )])|'+)?")
_SLOPE = re.compile(r"d\w+\*?/d\w+'*")


def value(side: str, known: Mapping[str, float]) -> float | None:
    """The value of one side, or None where something in it has no number."""
    if side in known:
        return float(known[side])
    table: dict[str, str] = {}

    def plain(found: re.Match[str]) -> str:
        word = found[0]
        if word in _FUNCTIONS:
            return word
        return table.setdefault(word, f"name{len(table)}_")

    text = _SLOPE.sub(plain, side)
    text = re.sub(_MARKED, lambda m: m[0] if re.fullmatch(r"name\d+_", m[0]) else plain(m), text)
    if any(word not in known for word in table):
        return None
    symbols = {name: sympy.Symbol(name) for name in table.values()}
    try:
        made = parse_expr(text, local_dict=symbols | _FUNCTIONS)
    except (SyntaxError, TypeError):
        return None
    if not isinstance(made, sympy.Expr):
        return None
    return float(sympy.N(made.subs({symbols[n]: known[word] for word, n in table.items()}), 20))


def with_names(formulas: Iterable[Formula], known: Mapping[str, float]) -> dict[str, float]:
    """The numbers with those of names that formulas give: Delta = ..., w1 = ..."""
    found = dict(known)
    for each in formulas:
        name, _, right = each.text.partition(" = ")
        own = value(right, found)
        if re.fullmatch(r"\w+'*", name) and name not in found and own is not None:
            found[name] = own
    return found


def check(formulas: Iterable[Formula], known: Mapping[str, float], rel: float = 1e-9) -> int:
    """Every formula holds, of those with numbers on both sides; how many these are."""
    count = 0
    for each in formulas:
        sides = [value(side, known) for side in each.text.split(" = ")]
        found = [side for side in sides if side is not None]
        count += len(found) > 1
        size = max(map(abs, found), default=0.0)
        for side in found[1:]:
            assert side == pytest.approx(found[0], rel=rel, abs=rel * max(size, 1e-3)), each.text
    return count
