"""The rules of differentiation, over sums, products, powers, chains and integrals.

One pass over the expression as it was written: SymPy's own `diff` looks for more and costs more.
"""

from __future__ import annotations

from collections.abc import Callable

import sympy

from routh.language.fields import Space
from routh.language.symbols import Let, Signal, t
from routh.language.walk import unfold

Leaf = Callable[[sympy.Expr], sympy.Expr]
"""The derivative of an atom or of an integral."""


def derived(value: sympy.Expr, leaf: Leaf) -> sympy.Expr:
    """A derivative by the rules of sums, products, powers and chains."""
    if value.is_Atom or isinstance(value, sympy.Integral):
        return leaf(value)
    if value.is_Add:
        return sympy.Add(*(derived(term, leaf) for term in value.args))
    if value.is_Mul:
        return _product(value, leaf)
    if value.is_Pow and value.exp.is_number:
        return value.exp * value.base ** (value.exp - 1) * derived(value.base, leaf)
    if isinstance(value, _ELEMENTARY):
        inner = derived(value.args[0], leaf)
        return value.fdiff(1) * inner if inner is not sympy.S.Zero else sympy.S.Zero
    return _chain(value, leaf)


def _product(value: sympy.Expr, leaf: Leaf) -> sympy.Expr:
    terms = []
    for k, factor in enumerate(value.args):
        rate = derived(factor, leaf)
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
    terms = (partial(masked, x) * slope for x, slope in slopes if slope is not sympy.S.Zero)
    return sympy.Add(*terms).xreplace(back)


def masked_integrals(value: sympy.Expr) -> tuple[sympy.Expr, dict[sympy.Basic, sympy.Basic]]:
    """The expression with a symbol in the place of each integral, and what they stand for."""
    inner = outer_integrals(value)
    masks = {each: sympy.Dummy("integral", real=True) for each in inner}
    return value.xreplace(masks) if masks else value, {mask: each for each, mask in masks.items()}


def outer_integrals(value: sympy.Basic) -> list[sympy.Integral]:
    """The integrals in an expression that are in no other one, in the order of writing."""
    found: dict[sympy.Integral, None] = {}
    stack = [value]
    while stack:
        node = stack.pop()
        if isinstance(node, sympy.Integral):
            found[node] = None
        else:
            stack.extend(reversed(node.args))
    return list(found)


def partial(value: sympy.Expr, symbol: sympy.Symbol) -> sympy.Expr:
    """The partial derivative with all else in the expression held fixed.

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
