"""What can be done with expressions: vectors, time derivatives, partial derivatives."""

from __future__ import annotations

from typing import Any

import sympy
from sympy import ImmutableDenseMatrix as Matrix
from sympy.core.add import _addsort

from routh.errors import DeclarationError, a_kind, in_line, quoted
from routh.language.contact.reaction_symbol import Reaction
from routh.language.derivation import derived, domain, integrand, running, tail
from routh.language.fields import Field, Space
from routh.language.symbols import Let, Parameter, Signal, t
from routh.language.walk import leaves, lets, nodes, unfold


def expression(value: object, what: str) -> sympy.Expr:
    """The value as a scalar SymPy expression; text is never parsed."""
    if isinstance(value, sympy.MatrixBase):
        raise DeclarationError(
            f"{what} must be a scalar expression. Got a {value.rows} x {value.cols} matrix; make a"
            " scalar of it with norm2(...) or dot(...), or take one of its components."
        )
    if isinstance(value, sympy.Expr):
        return value
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return sympy.Float(value) if isinstance(value, float) else sympy.Integer(value)
    if getattr(value, "ndim", None) == 0 and hasattr(value, "item"):
        return expression(value.item(), what)
    raise DeclarationError(
        f"{what} must be an expression. Got {in_line(value)}, {a_kind(value)}.{_hint(value)}"
    )


def _hint(value: object) -> str:
    if isinstance(value, sympy.Equality):
        return " Write a - b instead of Eq(a, b): an expression is held at zero."
    if isinstance(value, (tuple, list)):
        one = len(value) == 1 and isinstance(value[0], Signal)
        return ' One coordinate is made by coordinate("x").' if one else " A vector is vector(x, y)."
    return ""


def vector(*components: object) -> Matrix:
    """A column vector of the components.

    Example:
        >>> vector(1, 2) + vector(3, 4)
        Matrix([
        [4],
        [6]])
    """
    if not components:
        raise DeclarationError("A vector needs components, like vector(x, y). Got none.")
    return Matrix([expression(c, "A component of a vector") for c in components])


def as_vector(value: object, what: str) -> Matrix:
    """The value as a column vector, or an error that names what it should have been."""
    if isinstance(value, Matrix) and value.cols == 1:
        return value
    if isinstance(value, sympy.MatrixBase) and 1 in value.shape:
        return Matrix(list(value))
    if getattr(value, "ndim", None) == 1 and hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (list, tuple)) and value:
        return vector(*value)
    raise DeclarationError(f"{what} must be a vector, like vector(x, y). Got {in_line(value)}.")


def dot(a: object, b: object) -> sympy.Expr:
    """The scalar product of two vectors of equal length.

    Example:
        >>> dot(vector(1, 2), vector(3, 4))
        11
    """
    u, w = as_vector(a, "The first factor"), as_vector(b, "The second factor")
    if u.rows != w.rows:
        raise DeclarationError(
            f"dot(a, b) needs two vectors of equal length. Got {u.rows} and {w.rows} components."
        )
    return sympy.Add(*(x * y for x, y in zip(u, w, strict=True)))


def norm2(r: object) -> sympy.Expr:
    """The squared length of a vector: the sum of its squared components.

    Example:
        >>> from routh import coordinates
        >>> x, y = coordinates("x y")
        >>> norm2(ddt(vector(x, y)))
        x'**2 + y'**2
    """
    return sympy.Add(*(component**2 for component in as_vector(r, "The argument of norm2")))


def cross(a: object, b: object) -> Matrix:
    """The vector product of two vectors of three components.

    Example:
        >>> cross(vector(1, 0, 0), vector(0, 1, 0)).T
        Matrix([[0, 0, 1]])
    """
    u, w = as_vector(a, "The first factor"), as_vector(b, "The second factor")
    if (u.rows, w.rows) != (3, 3):
        raise DeclarationError(
            f"cross(a, b) needs vectors of three components. Got {u.rows} and {w.rows}."
        )
    return Matrix(u.cross(w))


def multiplied(A: Matrix, B: Matrix) -> Matrix:
    """The product of two matrices, each entry one sum; SymPy's own asks much of every product."""
    left, right, inner = A.flat(), B.flat(), range(A.cols)
    entries = [
        _total([_times(left[i * A.cols + k], right[k * B.cols + j]) for k in inner])
        for i in range(A.rows)
        for j in range(B.cols)
    ]
    return Matrix(A.rows, B.cols, entries)


def _total(terms: list[sympy.Expr]) -> sympy.Expr:
    """The sum; that of different products of two factors is written down at once, in SymPy's order."""
    kept = [term for term in terms if term is not sympy.S.Zero]
    what = {
        (term.args[1] if term.args[0].is_Float else term)
        for term in kept
        if term.is_Mul and len(term.args) == 2 and term.args[1].is_Symbol
    }
    if len(kept) < 2 or len(what) < len(kept):
        return sympy.Add(*kept)
    _addsort(kept)
    return sympy.Add._from_args(kept, is_commutative=True)


def _times(a: sympy.Expr, b: sympy.Expr) -> sympy.Expr:
    """The product; that of two symbols, or of a decimal and a symbol, is written down at once."""
    if a is sympy.S.Zero or b is sympy.S.Zero:
        return sympy.S.Zero
    if b.is_Float or (b.is_Symbol and a.is_Symbol and b.name < a.name):
        a, b = b, a
    if b.is_Symbol and (a.is_Float or (a.is_Symbol and a.name != b.name)):
        return sympy.Mul._from_args((a, b), is_commutative=True)
    return a * b


def ddt(value: sympy.Expr | Matrix, order: int = 1) -> Any:
    """The total time derivative of an expression or a vector, `order` times.

    Example:
        >>> from routh import coordinate
        >>> theta = coordinate("theta")
        >>> ddt(sympy.sin(theta))
        theta'*cos(theta)
    """
    if not isinstance(order, int) or order < 0:
        raise DeclarationError(f"The order of a time derivative must be 0, 1, 2, ... Got {order!r}.")
    if isinstance(value, sympy.MatrixBase):
        return Matrix(value.rows, value.cols, [ddt(entry, order) for entry in value])
    result = expression(value, "The argument of ddt")
    _refuse_foreign(result)
    for _ in range(order):
        for intermediate in lets([result], new=lambda each: not each.has_rate):
            intermediate.rate(_rate)
        result = _rate(result)
    return result


def _refuse_foreign(value: sympy.Expr) -> None:
    """Intermediates that have a time derivative were looked into before."""
    for node in nodes([value], enter=lambda each: not each.has_rate):
        if isinstance(node, sympy.Derivative) and node.atoms(Signal):
            raise DeclarationError(
                f"ddt takes no derivatives of SymPy, like `{node}`. Write rates with ddt, like"
                " ddt(x), and slopes along a space with routh.diff."
            )
        if isinstance(node, Reaction):
            raise DeclarationError(
                f"ddt cannot know how `{node}` changes in time: it follows from accelerations. Read it"
                " along a motion, and take differences there."
            )
        ours = isinstance(node, (Signal, Parameter, Let, Space)) or node == t
        if isinstance(node, sympy.Symbol) and not ours:
            raise DeclarationError(
                f"ddt cannot know how {quoted([node])} changes in time: it is a plain SymPy symbol."
                " Declare it as a coordinate, an input or a parameter; time is `routh.t`."
            )


def _rate(value: sympy.Expr) -> sympy.Expr:
    """The time derivative."""
    return derived(value, _time_leaf)


def _time_leaf(value: sympy.Expr) -> sympy.Expr:
    if isinstance(value, Signal):
        return value.rate
    if isinstance(value, Let):
        return value.rate(_rate)
    if isinstance(value, sympy.Integral):
        inner = _rate(integrand(value))
        return sympy.Integral(inner, domain(value)) if inner != 0 else sympy.S.Zero
    return sympy.S.One if value == t else sympy.S.Zero


def diff(value: sympy.Expr | Matrix, variable: sympy.Symbol, order: int = 1) -> Any:
    """The derivative of an expression or a vector with respect to a symbol.

    It is partial: coordinates, their velocities, parameters and inputs count as independent of each
    other; named intermediates are looked into. With respect to `t` and along a space it is total:
    `diff(theta, t)` is `ddt(theta)`, and fields over the space are differentiated.

    Example:
        >>> from routh import coordinate, t
        >>> theta = coordinate("theta")
        >>> diff(theta**2 * theta.rate, theta), diff(theta**2, t)
        (2*theta*theta', 2*theta*theta')
    """
    if not isinstance(variable, sympy.Symbol) or (variable.name == "t" and variable != t):
        raise DeclarationError(
            "diff(expression, variable) differentiates with respect to a symbol (a coordinate, a"
            f" velocity, a parameter, an input, a space or routh.t). Got {in_line(variable)}"
            + (", another symbol than routh.t." if isinstance(variable, sympy.Symbol) else ".")
        )
    if not isinstance(order, int) or order < 0:
        raise DeclarationError(f"The order of a derivative must be 0, 1, 2, ... Got {order!r}.")
    if isinstance(value, sympy.MatrixBase):
        return Matrix(value.rows, value.cols, [diff(entry, variable, order) for entry in value])
    result = expression(value, "The argument of diff")
    if isinstance(variable, Space):
        return _along(result, variable, order)
    if variable == t:
        return ddt(result, order)
    if order:
        _refuse_twin(result, variable)
    return result.diff(variable, order) if order else result


def _refuse_twin(value: sympy.Expr, variable: sympy.Symbol) -> None:
    """No derivative by a symbol that only looks like one of the expression: it would be zero."""
    own = leaves([value])
    twins = [x for x in own if x.name == variable.name and x != variable]
    if twins and variable not in own:
        raise DeclarationError(
            f"The expression contains another `{variable}` than the one to differentiate by. Declare"
            " each name once and use the same symbol everywhere; parameters are the same if all that"
            " was declared of them is."
        )


def _along(value: sympy.Expr, space: Space, order: int) -> sympy.Expr:
    """The total derivative along a space."""
    if isinstance(value, Field) and (value.space != space or value.end is not None):
        where = "is the value at an end" if value.end is not None else f"lives on `{value.space}`"
        raise DeclarationError(
            f"diff(expression, {space}) differentiates fields over `{space}`. Got `{value}`, which"
            f" {where}."
        )

    def leaf(node: sympy.Expr) -> sympy.Expr:
        if isinstance(node, Field) and node.space == space and node.end is None:
            return node.steeper
        if isinstance(node, sympy.Integral):
            if tail(node) == space:
                return -integrand(node)
            return integrand(node) if running(node) == space else sympy.S.Zero
        return sympy.S.One if node == space else sympy.S.Zero

    result = unfold(value)
    for _ in range(order):
        result = derived(result, leaf)
    return result
