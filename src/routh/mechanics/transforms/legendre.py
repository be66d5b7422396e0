"""Legendre transforms: energy and co-energy, Lagrangian and Hamiltonian."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

import sympy
from sympy import ImmutableDenseMatrix as Matrix

from routh.errors import (
    DeclarationError,
    DerivationError,
    SolveError,
    did_you_mean,
    listed,
    quoted,
    shortened,
)
from routh.language.calculus import expression
from routh.language.derivation import partial, partials
from routh.language.keys import once
from routh.language.symbols import Atom, Coordinate, Momentum, Parameter, checked_name, momentum, named
from routh.language.walk import leaves, replaced, unfold, written_size
from routh.mechanics.forms.inverse import is_singular
from routh.mechanics.forms.printing import latex, latex_lines, text
from routh.mechanics.forms.tidy import Tidy
from routh.mechanics.transforms.conjugate_points import between, newton
from routh.mechanics.transforms.convexity import Bending, Shape, bending
from routh.mechanics.transforms.one_root import own_terms, with_positive
from routh.mechanics.transforms.one_to_many import Branch, branches, inverses, whole_inverse
from routh.mechanics.transforms.quadratic_inverse import inverted_blocks
from routh.shown import as_markdown

LARGEST = 4
"""Variables up to which a matrix of second derivatives is inverted in symbols."""

LONGEST = 20_000
"""Nodes up to which a transform is written out."""

MET = 1e-9
"""A closed form is used for numbers whose slopes it meets to this share."""


@dataclass(frozen=True)
class Point:
    """One x that has given conjugates, and the value of the transform there."""

    x: tuple[float, ...]
    value: float


@dataclass(frozen=True, eq=False)
class Legendre:
    """`f*(y) = y . x - f(x)` with `y = df/dx`.

    Attributes:
        f: what is transformed.
        variables: x.
        conjugates: y, as symbols.
        slopes: (k, 1) y as expressions, df/dx.
        hessian: (k, k) d2f/dx2.
        inverse: (k, 1) x in terms of y, or None where it has no closed form, or is not unique.
        transform: f* in terms of y, or None.
        written: f* in terms of x, which always exists: y . x - f.
        bending: whether f is convex, and how that is known.
        branches: for a function of one variable that is not convex the parts of the transform, each
            with where it holds; those that are known.
    """

    f: sympy.Expr
    variables: tuple[sympy.Symbol, ...]
    conjugates: tuple[Momentum, ...]
    slopes: Matrix = field(repr=False)
    hessian: Matrix = field(repr=False)
    inverse: Matrix | None = field(repr=False)
    transform: sympy.Expr | None
    written: sympy.Expr = field(repr=False)
    bending: Bending = field(repr=False)
    branches: tuple[Branch, ...] = field(repr=False)

    @property
    def is_explicit(self) -> bool:
        """Whether the transform has a closed form."""
        return self.transform is not None

    @property
    def is_quadratic(self) -> bool:
        """Whether f is quadratic in x, so that each y belongs to one x, convex or not."""
        return not leaves(self.hessian) & set(self.variables)

    @property
    def is_unique(self) -> bool:
        """Whether each y is known to have one value of f*: f is quadratic, convex or concave."""
        return self.is_quadratic or self.bending.shape in (Shape.CONVEX, Shape.CONCAVE)

    @property
    def remark(self) -> str:
        """What is to be said of f where it is not convex, or not known to be; else nothing."""
        shape, reason = self.bending.shape, self.bending.reason
        if shape is Shape.CONVEX or (self.is_quadratic and shape is Shape.OPEN):
            return ""
        if shape is Shape.CONCAVE:
            return f"f is concave ({reason}): f* is the least value of y x - f, not the largest."
        if self.is_quadratic:
            return f"f is {shape} ({reason}): f* is a stationary value of y x - f, no largest one."
        if shape is Shape.NEITHER:
            return (
                f"f is not convex: {reason}. Different {listed(self.variables)} may have the same"
                " slopes, and each has its own f*."
            )
        return (
            f"f {shape}: {reason}. If different {listed(self.variables)} have the same slopes, each has"
            " its own f*."
        )

    def __call__(self, numbers: Mapping[Any, float]) -> float:
        """The value of f* for numbers of y and of all else, by Newton's method where need be.

        Raises:
            DeclarationError: a number is missing.
            SolveError: no x has these slopes, or several have where f is not convex; see `points`.
        """
        found, complete = self._points(numbers)
        if len(found) == 1 and complete:
            return found[0].value
        each = "; ".join(
            f"{', '.join(f'{v} = {a:.6g}' for v, a in zip(self.variables, p.x, strict=True))}:"
            f" f* = {p.value:.6g}"
            for p in found
        )
        more = "" if complete else " and perhaps others"
        known = f"f is {self.bending.shape} {self.bending.reason}, and these numbers are others."
        raise SolveError(
            f"{self.remark or known} Found here: {each}{more}. Choose one of points(...) of the"
            " transform."
        )

    def points(self, numbers: Mapping[Any, float]) -> tuple[Point, ...]:
        """Every x that was found to have the conjugates given, with the value of f*.

        One where f is convex or concave. Of one variable they are all that there are, as long as f
        bends another way a few times only; of several those to which Newton's method went.
        """
        return self._points(numbers)[0]

    def _points(self, numbers: Mapping[Any, float]) -> tuple[tuple[Point, ...], bool]:
        """The points, and whether there are no others as far as is known."""
        wanted, others = self._read(numbers)
        found, complete = self._closed(wanted, others), self.is_unique and self._as_assumed(others)
        if not found or not complete:
            found, complete = self._searched(wanted, others)
        if not found:
            raise SolveError(
                f"No {listed(self.variables)} was found whose conjugates are {listed(wanted)}. The"
                " slopes of f may not reach them" + ("." if self.is_unique else f". {self.remark}")
            )
        return tuple(self._point(x, others) for x in found), complete

    def _read(self, numbers: Mapping[Any, float]) -> tuple[list[float], dict[Any, float]]:
        needed = leaves([self.f]) - set(self.variables) | set(self.conjugates)
        meant = ((named(k, needed) or k if isinstance(k, str) else k, x) for k, x in numbers.items())
        read = once(meant, "numbers")
        values = {key: _finite(key, value) for key, value in read.items()}
        missing = sorted((s for s in needed if s not in values), key=str)
        if missing:
            unknown = [key for key in values if isinstance(key, str)]
            hint = did_you_mean(unknown[0], missing) if unknown else ""
            raise DeclarationError(f"The numbers lack {quoted(missing)}. Got: {listed(values)}.{hint}")
        others = {k: v for k, v in values.items() if k not in self.conjugates}
        return [values[y] for y in self.conjugates], others

    def _point(self, x: Sequence[float], others: Mapping[Any, float]) -> Point:
        at = dict(others) | dict(zip(self.variables, x, strict=True))
        return Point(tuple(x), float(sympy.N(self.written.subs(at), 30)))

    def _closed(self, wanted: list[float], others: dict[Any, float]) -> list[list[float]]:
        """The x of the closed form, if it is real and has the slopes that are wanted."""
        if self.inverse is None:
            return []
        here = others | dict(zip(self.conjugates, wanted, strict=True))
        x = [sympy.N(e.subs(here), 30) for e in self.inverse]
        if not all(each.is_real and each.is_finite for each in x):
            return []
        back = self.slopes.subs(others | dict(zip(self.variables, x, strict=True))).evalf(30)
        pairs = list(zip(back, wanted, strict=True))
        size = max(abs(w) for w in wanted)
        met = all(b.is_real and abs(b - w) <= MET * size for b, w in pairs)
        return [[float(each) for each in x]] if met else []

    def _searched(
        self, wanted: list[float], others: dict[Any, float]
    ) -> tuple[list[list[float]], bool]:
        """X from y: between places where the slope is above and below, or by Newton's method."""
        slopes = self.slopes.subs(others)
        unique = self.is_unique and self._as_assumed(others)
        if len(wanted) > 1:
            hessian = self.hessian.subs(others)
            found = newton(slopes, hessian, self.variables, wanted, every=not unique)
            return found, unique
        x = self.variables[0]
        spans, complete = [(-float("inf"), float("inf"))], unique
        if not unique:
            f, second = self.f.subs(others), self.hessian[0].subs(others)
            own = bending(f, (x,), Matrix([[second]])).pieces
            if own is not None:
                spans, complete = [(p.lower, p.upper) for p in own.pieces], own.complete
        ends = [between(slopes[0], x, wanted[0], *span) for span in spans]
        return [[at] for at in dict.fromkeys(at for at in ends if at is not None)], complete

    def _as_assumed(self, others: Mapping[Any, float]) -> bool:
        """Whether parameters are positive, as was taken for granted where f was seen to be convex."""
        return all(x > 0 for s, x in others.items() if isinstance(s, Parameter))

    def latex(self) -> str:
        """The conjugates and the transform in LaTeX."""
        pairs = zip(self.conjugates, self.slopes, strict=True)
        rows = [f"{latex(y)} &= {latex(slope)}" for y, slope in pairs]
        shown = self.written if self.transform is None else self.transform
        rows.append(f"f^* &= {latex(shown)}")
        return latex_lines(rows)

    def __str__(self) -> str:
        pairs = zip(self.conjugates, self.slopes, strict=True)
        lines = [f"{y} = {text(slope)}" for y, slope in pairs]
        shown = self.written if self.transform is None else self.transform
        lines.append(f"f* = {text(shown)}")
        lines += [self.remark] if self.remark else []
        lines += [f"  {branch}" for branch in self.branches]
        known = self.bending.pieces is None or self.bending.pieces.complete
        more = [] if known or not self.branches else ["  and others further out"]
        return "\n".join([*lines, *more])

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {self.latex()}$"

    _repr_markdown_ = as_markdown


def _finite(key: object, value: object) -> float:
    if isinstance(value, (int, float)) and not isinstance(value, bool) and isfinite(value):
        return float(value)
    raise DeclarationError(f"`{key}` must be a finite number. Got {value!r}.")


def legendre(f: object, x: object, *, names: str | None = None, simplify: float = 2.0) -> Legendre:
    """The Legendre transform of an expression in one or several of its symbols.

    Kinetic energy and co-energy, energy and co-energy of springs, Lagrangian and Hamiltonian are
    transforms of each other. Closed forms that are not quadratic take parameters to be positive. Where
    f is not convex, `remark` says so and `branches` are what there is instead of one transform.

    Arguments:
        f: the expression.
        x: a symbol of it or a list of symbols: velocities, extensions, currents.
        names: names of the conjugates, like "f1 f2"; p_x for x if not given.
        simplify: work to spend on closed and shorter forms, 1 being about a second of it.

    Raises:
        DerivationError: the second derivatives are singular, so that x does not follow from the slopes.

    Example:
        >>> from routh import coordinate, ddt, parameters
        >>> q, (m, k) = coordinate("q"), parameters("m k")
        >>> legendre(m * ddt(q) ** 2 / 2, ddt(q)).transform
        p_q**2/(2*m)
        >>> legendre(k * q**2 / 2, q, names="f").transform
        f**2/(2*k)
    """
    given = unfold(expression(f, "What legendre transforms"))
    variables = _variables(given, x)
    conjugates = _conjugates(variables, names)
    _refuse_taken(given, variables, conjugates)
    tidy = Tidy.within(simplify)
    slopes = Matrix([tidy(slope) for slope in partials(given, variables)])
    hessian = Matrix([[tidy(partial(s, v)) for v in variables] for s in slopes])
    if is_singular(hessian, keeping=variables):
        raise DerivationError(
            f"The Legendre transform by {quoted(variables)} does not exist: the second derivatives of"
            f" `{shortened(given, 80)}` are singular, so that {listed(variables)} do not follow from"
            " their conjugates. Leave out what enters at most linearly, or by way of the others."
        )
    written = sympy.Add(*(v * slope for v, slope in zip(variables, slopes, strict=True))) - given
    parts = (given, variables, conjugates, slopes, hessian)
    if not leaves(hessian) & set(variables):
        inverse, transform = _quadratic(*parts, tidy, lowest=simplify > 0)
        bends = bending(given, variables, hessian)
        return Legendre(*parts, inverse, transform, tidy(written), bends, ())
    bends = bending(given, variables, hessian)
    inverse, transform, own = _one_variable(*parts, bends, tidy, simplify)
    return Legendre(*parts, inverse, transform, tidy(written), bends, own)


def _quadratic(
    f: sympy.Expr,
    variables: tuple[sympy.Symbol, ...],
    conjugates: tuple[Momentum, ...],
    slopes: Matrix,
    hessian: Matrix,
    tidy: Tidy,
    *,
    lowest: bool,
) -> tuple[Matrix | None, sympy.Expr | None]:
    """`x = W^-1 (y - b)` and `f* = (y - b)^T W^-1 (y - b) / 2 - f(0)`, if that is not too long."""
    n = len(variables)
    if n > LARGEST:
        return None, None
    still: dict[sympy.Basic, sympy.Basic] = dict.fromkeys(variables, sympy.S.Zero)
    moved = [y - replaced(slope, still) for y, slope in zip(conjugates, slopes, strict=True)]
    blocks = inverted_blocks(hessian, tidy, lowest=lowest)
    rows: dict[int, sympy.Expr] = {}
    for block in blocks:
        solved = block.solved(moved)
        solved = solved if len(solved) > 1 else [tidy(tidy(solved[0]))]
        rows |= dict(zip(block.places, solved, strict=True))
    whole = sympy.Add(*(block.transform(moved) for block in blocks))
    if written_size(whole) > LONGEST:
        return None, None
    rest = tidy(-replaced(f, still))
    if not all(block.is_cancelled for block in blocks):
        inverse = [tidy(tidy(rows[k])) for k in range(n)]
        return Matrix(inverse), tidy(whole) + rest
    if moved != list(conjugates):  # squares of y - b contain what cancels f(0)
        return Matrix([rows[k] for k in range(n)]), tidy(whole + rest)
    return Matrix([rows[k] for k in range(n)]), whole + rest


def _one_variable(
    f: sympy.Expr,
    variables: tuple[sympy.Symbol, ...],
    conjugates: tuple[Momentum, ...],
    slopes: Matrix,
    hessian: Matrix,
    bends: Bending,
    tidy: Tidy,
    work: float,
) -> tuple[Matrix | None, sympy.Expr | None, tuple[Branch, ...]]:
    """What closed forms there are: of the whole where f bends one way, of branches else."""
    if len(variables) > 1:
        return None, None, ()
    x, y = variables[0], conjugates[0]
    roots = inverses(slopes[0], x, y, work)
    if bends.shape is Shape.NEITHER:
        return None, None, branches(f, hessian[0], x, y, roots, bends.pieces)
    inverse = whole_inverse(f, x, y, roots)
    if inverse is None:
        return None, None, ()
    own, rest = own_terms(f, x)
    transform = with_positive(tidy, y * inverse - replaced(own, {x: inverse}), conjugates)
    return Matrix([tidy(inverse)]), transform - tidy(rest), ()


def _variables(given: sympy.Expr, x: object) -> tuple[sympy.Symbol, ...]:
    several = list(x) if isinstance(x, (list, tuple, sympy.MatrixBase)) else [x]
    known = leaves([given])
    several = [named(x, known) or x if isinstance(x, str) else x for x in several]
    for each in several:
        if isinstance(each, str):
            raise DeclarationError(
                f"`{each}` is no symbol of what legendre transforms. It contains:"
                f" {listed(sorted(known, key=str))}." + did_you_mean(each, known)
            )
        if not isinstance(each, Atom):
            raise DeclarationError(
                f"legendre transforms by symbols, like ddt(q) or a list of them. Got {each!r}."
            )
        if each not in known:
            raise DeclarationError(
                f"`{each}` is not contained in what legendre transforms. It contains:"
                f" {listed(sorted(known, key=str))}."
            )
    if not several or len(set(several)) < len(several):
        raise DeclarationError(f"legendre needs different symbols. Got: {listed(several)}.")
    return tuple(several)


def _conjugates(variables: tuple[sympy.Symbol, ...], names: str | None) -> tuple[Momentum, ...]:
    if names is None:
        return tuple(
            momentum(v.base) if isinstance(v, Coordinate) and v.order == 1 else _named(f"p_{v.name}")
            for v in variables
        )
    found = names.replace(",", " ").split() if isinstance(names, str) else []
    if len(found) != len(variables):
        raise DeclarationError(
            f"`names` must hold {len(variables)} names separated by blanks, one for each variable. Got"
            f" {names!r}."
        )
    return tuple(_named(checked_name(name, "a conjugate")) for name in found)


def _refuse_taken(
    given: sympy.Expr, variables: tuple[sympy.Symbol, ...], conjugates: tuple[Momentum, ...]
) -> None:
    """A conjugate is called as nothing else in what is transformed."""
    taken = {x.name for x in leaves([given])}
    for v, y in zip(variables, conjugates, strict=True):
        if y.name in taken:
            raise DeclarationError(
                f"The conjugate of `{v}` would be called `{y}`, and something else has that name. Call"
                " the other one differently, or give `names` to legendre."
            )


def _named(name: str) -> Momentum:
    made = Momentum(name)
    assert isinstance(made, Momentum)
    return made
