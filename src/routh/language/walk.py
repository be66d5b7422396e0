"""Walking through expressions as graphs: leaves, named intermediates, and unfolding them.

SymPy expressions are trees with shared branches; each distinct branch is visited once, without
recursion, so the cost is linear in what was written and long chains are no problem.

Products of rotations are small as graphs and huge as trees, and SymPy goes through trees. So
derivatives, values with many digits and replacements go this way, and what is small as a graph but
long written down is announced, not shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeVar

import sympy

from routh.language.symbols import Input, Let, t

Value = TypeVar("Value")


def nodes(
    expressions: Iterable[sympy.Basic],
    enter: Callable[[Let], bool] | None = None,
    *,
    into_integrals: bool = True,
) -> Iterator[sympy.Basic]:
    """Every distinct node of the expressions and of the intermediates entered, parents first."""
    stack = list(expressions)
    seen: set[sympy.Basic] = set()
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        yield node
        if isinstance(node, sympy.Integral) and not into_integrals:
            continue
        if isinstance(node, sympy.Subs):  # its variable is bound, like that of an integral
            stack.extend([*node.point, *(node.args[0].atoms(sympy.Symbol) - set(node.variables))])
        elif not isinstance(node, Let):
            stack.extend(node.args)
        elif enter is None or enter(node):
            stack.append(node.expression)


def leaves(expressions: Iterable[sympy.Basic]) -> set[sympy.Symbol]:
    """Every symbol that the expressions depend on, seen through named intermediates."""
    return {n for n in nodes(expressions) if isinstance(n, sympy.Symbol) and not isinstance(n, Let)}


def contains_time(*expressions: sympy.Basic) -> bool:
    """Whether time is written in expressions, seen through named intermediates.

    The first of several questions about time (see `analysis/time/timeless`): it may drop out of what
    follows from them, and positions, velocities and inputs are not counted.
    """
    return t in leaves(expressions)


def prescribed(expressions: Iterable[sympy.Basic]) -> set[sympy.Symbol]:
    """What changes in expressions without being moved by the system: time and inputs."""
    return {s for s in leaves(expressions) if s == t or isinstance(s, Input)}


def outside_integrals(expressions: Iterable[sympy.Basic]) -> set[sympy.Symbol]:
    """Every symbol that the expressions depend on other than through integrals."""
    found = nodes(expressions, into_integrals=False)
    return {n for n in found if isinstance(n, sympy.Symbol) and not isinstance(n, Let)}


def lets(expressions: Iterable[sympy.Basic], new: Callable[[Let], bool] | None = None) -> list[Let]:
    """The named intermediates that the expressions use, each after those it refers to.

    Those that are not `new`, and what only they refer to, are left out.
    """
    reached = (node for node in nodes(expressions, enter=new) if isinstance(node, Let))
    found = [let for let in reached if new is None or new(let)]
    return sorted(found, key=lambda let: let.serial)


def unfolded_size(expressions: Iterable[sympy.Basic]) -> int:
    """How many nodes the expressions have with every named intermediate written out."""
    roots = list(expressions)
    sizes: dict[Let, int] = {}

    def size(expression: sympy.Basic) -> int:
        return sum(sizes.get(node, 1) for node in sympy.preorder_traversal(expression))

    for let in lets(roots):
        sizes[let] = size(let.expression)
    return sum(map(size, roots))


def written(node: sympy.Basic) -> tuple[sympy.Basic, ...]:
    """The parts that a node is written with."""
    return tuple(node.args)


def meant(node: sympy.Basic) -> tuple[sympy.Basic, ...]:
    """The parts of a node, seen through named intermediates."""
    return (node.expression,) if isinstance(node, Let) else tuple(node.args)


def bottom_up(
    root: sympy.Basic,
    value: Callable[[sympy.Basic, list[Value]], Value],
    found: dict[sympy.Basic, Value],
    parts: Callable[[sympy.Basic], tuple[sympy.Basic, ...]] = written,
) -> Value:
    """What an expression comes to, from what its parts come to: each distinct node once.

    Arguments:
        root: the expression.
        value: of a node and what its parts came to.
        found: what is known of nodes already, which are not gone into; all others are added.
        parts: the parts of a node.
    """
    stack = [root]
    while stack:
        node = stack[-1]
        if node in found:
            stack.pop()
            continue
        own = parts(node)
        waiting = [part for part in own if part not in found]
        if waiting:
            stack.extend(waiting)
        else:
            found[stack.pop()] = value(node, [found[part] for part in own])
    return found[root]


def written_size(expression: sympy.Basic) -> int:
    """How many nodes an expression has as a tree, that is when it is written down."""
    sizes: dict[sympy.Basic, int] = {}
    return bottom_up(expression, lambda _, parts: 1 + sum(parts), sizes)


def unfold(expression: sympy.Expr) -> sympy.Expr:
    """The expression with every named intermediate written out."""
    written: dict[sympy.Basic, sympy.Basic] = {}
    for let in lets([expression]):
        written[let] = let.expression.xreplace(written)
    return expression.xreplace(written) if written else expression


def replaced(expression: sympy.Expr, values: Mapping[sympy.Basic, sympy.Basic]) -> sympy.Expr:
    """The expression with other values of symbols, each branch of the graph once."""

    def made(node: sympy.Basic, parts: list[sympy.Basic]) -> sympy.Basic:
        same = all(new is old for new, old in zip(parts, node.args, strict=True))
        return node if same else _made(node.func, parts)

    return bottom_up(expression, made, dict(values))


def _made(function: Callable[..., sympy.Basic], parts: list[sympy.Basic]) -> sympy.Basic:
    """A node of its parts; nothing is asked of the other factors where one is zero."""
    if function is sympy.Mul and sympy.S.Zero in parts and not _INFINITE & set(parts):
        return sympy.S.Zero
    return function(*parts)


_INFINITE = {sympy.nan, sympy.zoo, sympy.oo, -sympy.oo}
