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


def to_send(own: Mapping[str, Any], expressions: Iterable[sympy.Basic]) -> tuple[Any, ...]:
    """What is known, by names, as arguments of `received`; the expressions are those in it."""
    every = list(expressions)
    first: list[Let] = lets(every)
    if all(map(_is_evaluated, nodes(every))):
        return first, dict(own)
    kept = BytesIO()
    _Exact(kept, protocol=pickle.HIGHEST_PROTOCOL).dump((first, dict(own)))
    return (kept.getvalue(),)


def received(*sent: Any) -> dict[str, Any]:
    """What was sent, by names."""
    # these bytes were a part of a pickle that somebody chose to read, never a file of their own
    _, own = sent if len(sent) == 2 else pickle.loads(sent[0])  # noqa: S301
    return dict(own)


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
