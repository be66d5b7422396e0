"""Prescribed functions of time: the largest parts of a system that contain time and numbers alone."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

import sympy
from sympy.logic.boolalg import Boolean

from routh.language.derivation import explicit_rate
from routh.language.symbols import Parameter, t
from routh.language.system import System
from routh.language.walk import bottom_up, contains_time, meant, unfold

LOW = 8
"""Powers of a sine up to which it has no narrow features of its own."""

CHIRP = 3
"""Degree of a phase up to which its pace changes slowly."""


@lru_cache(maxsize=64)
def drives(system: System, laws: tuple[sympy.Expr, ...] = ()) -> tuple[sympy.Basic, ...]:
    """The functions of time in a system, and in laws of its inputs, term by term, without factors.

    What mixes time with coordinates, like exp(-(x - c*t)**2), is none; the functions of time within it
    are. A condition on time alone stands for itself.
    """
    every = [e for part in system.parts().values() for e in part]
    found: dict[sympy.Basic, None] = {}
    for node in _largest([*every, *laws]):
        whole = unfold(node) if isinstance(node, sympy.Expr) else node
        for term in sympy.Add.make_args(whole) if isinstance(whole, sympy.Expr) else (whole,):
            if contains_time(term):
                found[_varying(term)] = None
    return tuple(found)


def _varying(term: sympy.Basic) -> sympy.Basic:
    """A term without the factors that stay what they are."""
    if not isinstance(term, sympy.Mul):
        return term
    return sympy.Mul(*(factor for factor in term.args if contains_time(factor)))


def _largest(expressions: list[sympy.Expr]) -> Iterable[sympy.Basic]:
    """The largest nodes that contain time and parameters alone; of sums and products their part."""
    kinds: dict[sympy.Basic, tuple[bool, bool]] = {}
    for root in expressions:
        bottom_up(root, _kind, kinds, meant)
    stack: list[sympy.Basic] = list(expressions)
    seen: set[sympy.Basic] = set()
    while stack:
        node = stack.pop()
        timed, alone = kinds[node]
        if node in seen or not timed:
            continue
        seen.add(node)
        if alone and isinstance(node, (sympy.Expr, Boolean)):
            yield node
            continue
        parts = meant(node)
        if isinstance(node, sympy.exp) and node.args[0].is_Add:  # a product of exponentials
            parts = node.args[0].args
            own = [part for part in parts if kinds[part] == (True, True)]
            if own:
                yield sympy.exp(sympy.Add(*own))
            parts = tuple(part for part in parts if part not in own)
        elif isinstance(node, (sympy.Add, sympy.Mul)):
            own = [part for part in parts if kinds[part] == (True, True)]
            if own:
                yield node.func(*own)
            parts = tuple(part for part in parts if part not in own)
        stack.extend(parts)


def _kind(node: sympy.Basic, parts: list[tuple[bool, bool]]) -> tuple[bool, bool]:
    """Whether a node contains time, and whether it contains nothing else but numbers."""
    if parts:
        return any(x for x, _ in parts), all(x for _, x in parts)
    known = not isinstance(node, sympy.Symbol) or node == t or isinstance(node, Parameter)
    return node == t, known


def harmonic(value: sympy.Basic) -> tuple[sympy.Expr, ...] | None:
    """The angular frequencies of a product of few sines, cosines and powers of time; else None.

    Such a function changes at the same pace everywhere, so that nothing narrow hides in it.
    """
    found: list[sympy.Expr] = []
    for factor in sympy.Mul.make_args(value):
        base, power = factor.as_base_exp() if isinstance(factor, sympy.Pow) else (factor, sympy.S.One)
        if not contains_time(factor) or base == t:
            if contains_time(power) or (base == t and not _is_low(power)):
                return None
            continue
        if not (isinstance(base, (sympy.sin, sympy.cos)) and _is_low(power)):
            return None
        rate = explicit_rate(base.args[0])
        if contains_time(rate):
            return None
        found.append(power * rate)
    return tuple(found)


def paced(value: sympy.Basic) -> bool:
    """Whether a function changes as quickly as its neighbourhood, by its form.

    So do sines whose phase is a polynomial of low degree, like the chirp cos(t**2), and their products.
    """
    if harmonic(value) is not None:
        return True
    for factor in sympy.Mul.make_args(value):
        base, power = factor.as_base_exp() if isinstance(factor, sympy.Pow) else (factor, sympy.S.One)
        if base == t or not contains_time(factor):
            inner = t
        elif isinstance(base, (sympy.sin, sympy.cos)):
            inner = base.args[0]
        else:
            return False
        slow = inner.is_polynomial(t) and sympy.degree(inner, t) <= CHIRP
        if not slow or (contains_time(factor) and not _is_low(power)):
            return False
    return True


def _is_low(power: sympy.Basic) -> bool:
    return bool(power.is_Integer) and 0 < int(power) <= LOW
