"""Systems that are sent to other processes, by pickle.

Named intermediates go first, each behind those it refers to: a long chain then needs no recursion.
SymPy makes expressions again by evaluating them, which changes what was written unevaluated; a
system that contains such expressions is sent in a pickle of its own, which knows them.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Mapping
from io import BytesIO
from typing import Any

import sympy

from routh.language.symbols import Let
from routh.language.walk import lets, nodes

DERIVED = ("_content", "_hash", "is_holonomic", "lagrangian_terms", "make", "signals")
"""What a system derives of what it is made of, and keeps; where it arrives it is derived anew."""


def to_send(own: Mapping[str, Any], *parts: Mapping[str, Iterable[Any]]) -> tuple[Any, ...]:
    """What a system has, by names, as arguments of `remade`; its expressions are in the parts."""
    made = {name: each for name, each in own.items() if name not in DERIVED}
    every = [e for part in parts for each in part.values() for e in each if isinstance(e, sympy.Basic)]
    first: list[Let] = lets(every)
    if all(map(_is_evaluated, nodes(every))):
        return first, made
    kept = BytesIO()
    _Exact(kept, protocol=pickle.HIGHEST_PROTOCOL).dump((first, made))
    return (kept.getvalue(),)


def remade(kind: type[Any], *sent: Any) -> Any:
    """What was sent, as it was made: checks are not repeated."""
    # these bytes were a part of a pickle that somebody chose to read, never a file of their own
    _, own = sent if len(sent) == 2 else pickle.loads(sent[0])  # noqa: S301
    made = object.__new__(kind)
    made.__dict__.update(own)
    return made


class _Exact(pickle.Pickler):
    """Pickles expressions as they are written, evaluated or not."""

    def reducer_override(self, node: Any) -> Any:
        if not isinstance(node, sympy.Basic) or _is_evaluated(node):
            return NotImplemented
        return _unevaluated, (type(node), node.args)


def _is_evaluated(node: sympy.Basic) -> bool:
    """Whether SymPy makes the same of a node and of its parts."""
    if not node.args:
        return True
    try:
        return bool(node.func(*node.args) == node)
    except (TypeError, ValueError):
        return False


def _unevaluated(kind: Any, parts: tuple[Any, ...]) -> sympy.Basic:
    made: sympy.Basic = kind(*parts, evaluate=False)
    return made
