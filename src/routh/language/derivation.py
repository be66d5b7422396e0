"""The rules of differentiation, over sums, products, powers, chains and integrals.

One pass over the expression as it was written, in which a branch that occurs many times, as in products
of rotations, is differentiated once: SymPy's own `diff` looks for more and costs more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import sympy

from routh.language.fields import Space
from routh.language.symbols import Let, Signal, t
from routh.language.walk import leaves, unfold

Leaf = Callable[[sympy.Expr], sympy.Expr]
"""The derivative of an atom or of an integral."""


def derived(value: sympy.Expr, leaf: Leaf) -> sympy.Expr:
    """A derivative by the rules of sums, products, powers and chains."""
    return _derived(value, leaf, {})


def partial(value: sympy.Expr, symbol: sympy.Symbol) -> sympy.Expr:
    """The partial derivative by a symbol with all else held fixed, also what moves while `t` changes.

    Named intermediates are symbols here: unfold them before.
    """
    return derived(value, _Partial(symbol))


def partials(value: sympy.Expr, symbols: Sequence[sympy.Symbol]) -> list[sympy.Expr]:
    """The partial derivatives by several symbols, of the terms that contain each."""
    terms: dict[sympy.Symbol, list[sympy.Expr]] = {symbol: [] for symbol in symbols}
    for term in sympy.Add.make_args(value):
        for symbol in leaves([term]) & terms.keys():
            terms[symbol].append(term)
    return [sympy.Add(*(partial(term, symbol) for term in terms[symbol])) for symbol in symbols]


class _Partial:
    """What is left of atoms and integrals in a partial derivative."""

    def __init__(self, symbol: sympy.Symbol) -> None:
        self._symbol = symbol

    def __call__(self, value: sympy.Expr) -> sympy.Expr:
        if value.is_Atom:
            return sympy.S.One if value == self._symbol else sympy.S.Zero
        return _held(value, self._symbol)


_Done = dict[sympy.Expr, sympy.Expr]


def _derived(value: sympy.Expr, leaf: Leaf, done: _Done) -> sympy.Expr:
    if value.is_Atom or isinstance(value, sympy.Integral):
        return leaf(value)
    known = done.get(value)
    if known is None:
        known = done[value] = _rule(value, leaf, done)
    return known


def _rule(value: sympy.Expr, leaf: Leaf, done: _Done) -> sympy.Expr:
    if value.is_Add:
        return sympy.Add(*(_derived(term, leaf, done) for term in value.args))
    if value.is_Mul:
        return _product(value, leaf, done)
    if value.is_Pow and value.exp.is_number:
        inner = _derived(value.base, leaf, done)
        if inner is sympy.S.Zero:  # asking SymPy for 0 times something long takes long
            return inner
        return value.exp * value.base ** (value.exp - 1) * inner
    if isinstance(value, _ELEMENTARY):
        inner = _derived(value.args[0], leaf, done)
        return value.fdiff(1) * inner if inner is not sympy.S.Zero else sympy.S.Zero
    return _chain(value, leaf)


def _product(value: sympy.Expr, leaf: Leaf, done: _Done) -> sympy.Expr:
    terms = []
    for k, factor in enumerate(value.args):
        rate = _derived(factor, leaf, done)
        if rate is not sympy.S.Zero:
            terms.append(sympy.Mul(*value.args[:k], *sympy.Mul.make_args(rate), *value.args[k + 1 :]))
    return sympy.Add(*terms)


_ELEMENTARY = (
    sympy.sin, sympy.cos, sympy.tan, sympy.asin, sympy.acos, sympy.atan,
    sympy.sinh, sympy.cosh, sympy.tanh, sympy.exp, sympy.log,
)  # fmt: skip
"""Functions whose slope SymPy gives plainly; Abs, sign and the like go by `_chain`."""


def _chain(value: sympy.Expr, leaf: Leaf) -> sympy.Expr:
    """The chain rule over every symbol and integral in the expression, for all other functions."""
    masked, back = masked_integrals(value)
    own = sorted(masked.atoms(sympy.Symbol), key=str)
    slopes = ((x, leaf(back.get(x, x))) for x in own)
    terms = (_held(masked, x) * slope for x, slope in slopes if slope is not sympy.S.Zero)
    return sympy.Add(*terms).xreplace(back)


def masked_integrals(value: sympy.Expr) -> tuple[sympy.Expr, dict[sympy.Basic, sympy.Basic]]:
    """The expression with a symbol in the place of each integral, and what they stand for."""
    inner = outer_integrals(value)
    masks = {each: sympy.Dummy("integral", real=True) for each in inner}
    return value.xreplace(masks) if masks else value, {mask: each for each, mask in masks.items()}


def outer_integrals(value: sympy.Basic) -> list[sympy.Integral]:
    """The integrals in an expression that are in no other one, in the order of writing."""
    found: dict[sympy.Integral, None] = {}
    seen: set[sympy.Basic] = set()
    stack = [value]
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        if isinstance(node, sympy.Integral):
            found[node] = None
        else:
            stack.extend(reversed(node.args))
    return list(found)


def plainly(value: sympy.Expr) -> tuple[sympy.Expr, dict[sympy.Basic, sympy.Basic]]:
    """The expression with plain symbols for all that moves, and what they stand for.

    SymPy's solvers differentiate by whatever symbols they find, and what moves refuses that for `t`.
    """
    plain = {x: sympy.Dummy(x.name, real=True) for x in value.atoms(Let, Signal)}
    return value.xreplace(plain), {d: x for x, d in plain.items()}


def _held(value: sympy.Expr, symbol: sympy.Symbol) -> sympy.Expr:
    """SymPy's own partial derivative, with all else in the expression held fixed.

    Named intermediates are not looked into, and what moves is held while `t` or a space changes.
    """
    frozen = {x: sympy.Dummy(x.name, real=True) for x in value.atoms(Let, Signal)}
    symbol = frozen.get(symbol, symbol)
    return value.xreplace(frozen).diff(symbol).xreplace({d: x for x, d in frozen.items()})


def explicit_rate(value: sympy.Expr) -> sympy.Expr:
    """The partial derivative by time: coordinates, inputs and fields are held, and intermediates seen
    through.
    """
    return partial(unfold(value), t)


def domain(integral: sympy.Integral) -> sympy.Tuple:
    """The space, where the outer integral starts, and where it ends.

    SymPy writes an integral of an integral as one with several domains, the outer one last.
    """
    return integral.limits[-1]


def integrand(integral: sympy.Integral) -> sympy.Expr:
    """What the outer integral is of."""
    return (
        sympy.Integral(integral.function, *integral.limits[:-1])
        if integral.limits[1:]
        else integral.function
    )


def tail(integral: sympy.Integral) -> Space | None:
    """The space of an integral that runs from where it is read to the end of the space."""
    space, lower, _ = domain(integral)
    return space if lower == space else None


def running(integral: sympy.Integral) -> Space | None:
    """The space of an integral that runs from the start of the space to where it is read."""
    space, _, upper = domain(integral)
    return space if upper == space else None
