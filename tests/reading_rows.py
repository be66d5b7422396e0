"""Reading printed rows of systems with fields back: what a text says, as an expression again.

Names are looked up as they are printed: `w_ss`, `w_s(L)`, `w_s(sigma)` inside a running integral, `(w*)`
for a reference, and `(...)_s` for the derivative along a space.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

import sympy
from sympy.parsing.sympy_parser import parse_expr

import routh as rt
from routh import ddt
from routh.language.fields import Field
from routh.mechanics.forms.printing import text

PLACES = ("sigma", "s1", "s2", "x1", "x2")


def vocabulary(system: rt.System, where: Iterable[tuple[sympy.Expr, sympy.Expr]] = ()) -> dict:
    """What the names in printed rows of a system mean."""
    found = {x.name: x for x in (*system.parameters, *system.spaces, *system.multipliers, rt.t)}
    for x in (*system.coordinates, *system.inputs):
        found |= {f"{x.name}{dots * chr(39)}": ddt(x, dots) for dots in range(4)}
    for w in system.fields:
        found |= _jets(w, {})
    for name, value in where:
        if isinstance(name, Field):
            found |= _jets(name, {ddt(name, k): ddt(read(value, found), k) for k in range(4)})
        else:
            found[text(name)] = read(value, found)
    return found


def _jets(w: Field, meaning: Mapping[Field, sympy.Expr]) -> dict:
    """A field with its derivatives, at every place; or what is meant by a name that is printed like one."""
    found, steep = {}, w
    for _ in range(7):
        x = steep
        for _ in range(5):
            value = meaning.get(x, x)
            found[x.name] = value
            found |= {f"{x.name}({place})": value for place in PLACES if place not in _own(w)}
            if not meaning:
                ends = (x.at_end(end) for end in (0, 1))
                found |= {end.name: end for end in ends}
            x = x.rate
        if meaning:
            break
        steep = steep.steeper
    return found


def _own(w: Field) -> set[str]:
    return {w.space.name, *(str(bound) for bound in w.space.bounds)}


def read(printed: str | sympy.Expr, meaning: Mapping[str, sympy.Expr]) -> sympy.Expr:
    """What a text says."""
    if not isinstance(printed, str):
        back = {symbol: meaning[symbol.name] for symbol in printed.atoms(sympy.Symbol)
                if symbol.name in meaning and isinstance(symbol, sympy.Symbol)}  # fmt: skip
        return printed.xreplace({x: value for x, value in back.items() if x != value})
    spaces = [x for x in meaning.values() if type(x).__name__ == "Space"]
    bound = {} if not spaces else {place: spaces[0] for place in PLACES if place not in meaning}
    words = dict(sorted({**bound, **meaning}.items(), key=lambda item: -len(item[0])))
    table: dict[str, sympy.Expr] = {}
    for k, (name, value) in enumerate(words.items()):
        marked = re.sub(rf"(?<![\w')]){re.escape(name)}(?![\w'])", f"N{k}_", printed)
        if marked != printed:
            printed, table[f"N{k}_"] = marked, value
    printed = _sloped(printed, {x.name: x for x in spaces}, table)
    return parse_expr(printed, local_dict={**table, "Integral": sympy.Integral})


def _sloped(printed: str, spaces: Mapping[str, sympy.Symbol], table: dict) -> str:
    """`(...)_s` as a call."""
    while True:
        found = re.search(r"\)_((?:\w(?!\d*_))+)", printed)
        if found is None:
            return printed
        letters = found.group(1)
        name = next(x for x in spaces if letters == x * (len(letters) // len(x)))
        times, space = len(letters) // len(name), spaces[name]
        depth, start = 0, found.start()
        while True:
            depth += {")": 1, "(": -1}.get(printed[start], 0)
            if depth == 0:
                break
            start -= 1
        call = f"slope_{name}_{times}"
        table[call] = lambda e, space=space, times=times: rt.diff(e, space, times)
        inner = printed[start : found.start() + 1]
        printed = printed[:start] + call + inner + printed[found.end() :]
