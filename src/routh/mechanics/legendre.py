"""Legendre transforms: energy and co-energy, Lagrangian and Hamiltonian."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from time import thread_time
from typing import Any

import sympy
from scipy.optimize import brentq
from sympy import ImmutableDenseMatrix as Matrix

from routh.errors import DeclarationError, DerivationError, SolveError, listed, quoted, shortened
from routh.language.calculus import expression
from routh.language.symbols import Atom, Coordinate, Momentum, checked_name, momentum
from routh.language.walk import leaves, unfold
from routh.mechanics.tidy import Tidy, until
from routh.mechanics.vanish import vanishes
from routh.mechanics.writing import latex, latex_lines, text

LARGEST = 4
"""Variables up to which a matrix of second derivatives is inverted in symbols."""

ROOTS = 60
"""Operations up to which an equation of one variable is solved in symbols."""

SUMMED = 60
"""Operations up to which a transform is written as a sum."""

TRIALS = (0.31, 0.17, 0.05, 0.013)
"""Where the branch of an inverse is told from others; small, so that roots exist."""

MOST_STEPS = 100
"""Steps of a numeric transform."""

ROUNDED = 1e-14
"""Numbers with a point are taken for fractions this near, so that equations can be solved."""

STARTS = (0.0, 1e-3, 0.1, 1.0, 10.0, -0.1)
"""Where Newton's method starts."""


@dataclass(frozen=True, eq=False)
class Legendre:
    """`f*(y) = y . x - f(x)` with `y = df/dx`.

    Attributes:
        f: what is transformed.
        variables: x.
        conjugates: y, as symbols.
        slopes: (k, 1) y as expressions, df/dx.
        hessian: (k, k) d2f/dx2.
        inverse: (k, 1) x in terms of y, or None where it has no closed form.
        transform: f* in terms of y, or None.
        written: f* in terms of x, which always exists: y . x - f.
    """

    f: sympy.Expr
    variables: tuple[sympy.Symbol, ...]
    conjugates: tuple[Momentum, ...]
    slopes: Matrix = field(repr=False)
    hessian: Matrix = field(repr=False)
    inverse: Matrix | None = field(repr=False)
    transform: sympy.Expr | None
    written: sympy.Expr = field(repr=False)

    @property
    def is_explicit(self) -> bool:
        """Whether the transform has a closed form."""
        return self.transform is not None

    def __call__(self, numbers: Mapping[Any, float]) -> float:
        """The value of f* for numbers of y and of all else, by Newton's method where need be.

        Raises:
            DeclarationError: a number is missing.
            SolveError: no x has these slopes.
        """
        values = {key: _finite(key, value) for key, value in numbers.items()}
        wanted = [values.get(y) for y in self.conjugates]
        others = {k: v for k, v in values.items() if k not in self.conjugates}
        needed = leaves([self.f]) - set(self.variables) | set(self.conjugates)
        missing = sorted((s for s in needed if s not in values), key=str)
        if missing:
            raise DeclarationError(f"The numbers lack {quoted(missing)}. Got: {listed(values)}.")
        if self.transform is not None:
            closed = sympy.N(self.transform.subs(values))
            if closed.is_real and closed.is_finite:
                return float(closed)
        x = self._solved([float(w) for w in wanted if w is not None], others)
        at = others | dict(zip(self.variables, x, strict=True))
        return float(sympy.N(self.written.subs(at)))

    def _solved(self, wanted: Sequence[float], others: Mapping[Any, float]) -> list[float]:
        """X from y: between two places where the slope is above and below, or by Newton's method."""
        slopes = self.slopes.subs(others)
        found = (
            _between(slopes[0], self.variables[0], wanted[0])
            if len(wanted) == 1
            else _newton(slopes, self.hessian.subs(others), self.variables, wanted)
        )
        if found is None:
            raise SolveError(
                f"No {listed(self.variables)} was found whose conjugates are {listed(wanted)}. The"
                " slopes of f may not reach them, or f is not convex there."
            )
        return found

    def latex(self) -> str:
        """The conjugates and the transform in LaTeX."""
        pairs = zip(self.conjugates, self.slopes, strict=True)
        rows = [f"{latex(y)} &= {latex(slope)}" for y, slope in pairs]
        rows.append(f"f^* &= {latex(self.written if self.transform is None else self.transform)}")
        return latex_lines(rows)

    def __str__(self) -> str:
        pairs = zip(self.conjugates, self.slopes, strict=True)
        lines = [f"{y} = {text(slope)}" for y, slope in pairs]
        shown = self.written if self.transform is None else self.transform
        return "\n".join([*lines, f"f* = {text(shown)}"])

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {self.latex()}$"


def _real(e: sympy.Expr) -> float:
    """The number, or NaN where it is none or complex."""
    value = sympy.N(e, 30)
    return float(value) if value.is_real and value.is_finite else float("nan")


def _between(slope: sympy.Expr, x: sympy.Symbol, wanted: float) -> list[float] | None:
    """Where a slope has a value: between neighbouring places of a wide grid, and then by halving."""
    sizes = [10.0**k for k in range(-30, 31)]
    places = [*(-size for size in reversed(sizes)), 0.0, *sizes]
    gaps = [_real(slope.subs(x, place) - wanted) for place in places]
    for low, high, a, b in zip(places, places[1:], gaps, gaps[1:], strict=False):
        if a == 0:
            return [low]
        if isfinite(a) and isfinite(b) and (a < 0) != (b < 0):
            return [_halved(slope, x, wanted, low, high)]
        if isfinite(a) != isfinite(b):  # the slope ends between them, perhaps without bound
            inside, outside = (low, high) if isfinite(a) else (high, low)
            edge = _edge(slope, x, wanted, inside, outside)
            if edge is not None:
                return [_halved(slope, x, wanted, inside, edge)]
    return None


def _edge(
    slope: sympy.Expr, x: sympy.Symbol, wanted: float, inside: float, outside: float
) -> float | None:
    """A place beyond which the slope does not exist, where it has passed the wanted value."""
    first = _real(slope.subs(x, inside) - wanted)
    low, high = inside, outside
    for _ in range(MOST_STEPS):
        middle = (low + high) / 2
        here = _real(slope.subs(x, middle) - wanted)
        if not isfinite(here):
            high = middle
        elif (here < 0) != (first < 0):
            return middle
        else:
            low = middle
    return None


def _halved(slope: sympy.Expr, x: sympy.Symbol, wanted: float, low: float, high: float) -> float:
    return float(
        brentq(lambda at: _real(slope.subs(x, at) - wanted), low, high, xtol=1e-300, rtol=1e-15)
    )


def _newton(
    slopes: Matrix, hessian: Matrix, variables: tuple[sympy.Symbol, ...], wanted: Sequence[float]
) -> list[float] | None:
    """Newton's method from several starts, with steps that are halved until they help."""
    target = sympy.Matrix(wanted)
    size = max(*(abs(w) for w in wanted), 1e-300)

    def gap(at: list[float]) -> Any:
        return (slopes.subs(dict(zip(variables, at, strict=True))) - target).evalf()

    for start in STARTS:
        x = [start] * len(variables)
        off = gap(x)
        for _ in range(MOST_STEPS):
            if not all(entry.is_real and isfinite(entry) for entry in off):
                break
            if max(map(abs, off)) <= 1e-13 * size:
                return x
            W = hessian.subs(dict(zip(variables, x, strict=True))).evalf()
            if W.det() == 0:
                break
            step, share, better = W.LUsolve(off), 1.0, False
            while share > 1e-12 and not better:
                trial = [float(a - share * b) for a, b in zip(x, step, strict=True)]
                after = gap(trial)
                real = all(entry.is_real and isfinite(entry) for entry in after)
                better = real and max(map(abs, after)) < max(map(abs, off))
                share /= 2
            if not better:
                if max(map(abs, off)) <= 1e-9 * size:
                    return x
                break
            x, off = trial, after
    return None


def _finite(key: object, value: object) -> float:
    if isinstance(value, (int, float)) and not isinstance(value, bool) and isfinite(value):
        return float(value)
    raise DeclarationError(f"`{key}` must be a finite number. Got {value!r}.")


def legendre(f: object, x: object, *, names: str | None = None, seconds: float = 2.0) -> Legendre:
    """The Legendre transform of an expression in one or several of its symbols.

    Kinetic energy and co-energy, energy and co-energy of springs, Lagrangian and Hamiltonian are
    transforms of each other. Closed forms that are not quadratic take parameters to be positive.

    Arguments:
        f: the expression.
        x: a symbol of it or a list of symbols: velocities, extensions, currents.
        names: names of the conjugates, like "f1 f2"; p_x for x if not given.
        seconds: to spend on closed and shorter forms.

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
    tidy = Tidy.within(seconds)
    slopes = Matrix([tidy(given.diff(v)) for v in variables])
    hessian = Matrix([[tidy(s.diff(v)) for v in variables] for s in slopes])
    if _singular(hessian):
        raise DerivationError(
            f"The Legendre transform by {quoted(variables)} does not exist: the second derivatives of"
            f" `{shortened(given, 80)}` are singular, so that {listed(variables)} do not follow from"
            " their conjugates. Leave out what enters at most linearly."
        )
    written = (Matrix(variables).T * slopes)[0] - given
    inverse = _inverse(variables, conjugates, slopes, hessian, tidy, seconds)
    transform = None
    if inverse is not None:
        whole = written.subs(dict(zip(variables, inverse, strict=True)), simultaneous=True)
        quadratic = not leaves(hessian) & set(variables)
        transform = _summed(tidy(whole)) if quadratic else _positive(tidy, whole, conjugates)
    return Legendre(given, variables, conjugates, slopes, hessian, inverse, transform, tidy(written))


def _singular(hessian: Matrix) -> bool:
    """Whether the determinant vanishes: in symbols, or for many variables at some numbers."""
    if hessian.rows <= LARGEST:
        return vanishes(hessian.det())
    symbols = sorted(leaves(hessian), key=str)
    at = {s: sympy.Rational(7 * k + 3, 11 * k + 13) for k, s in enumerate(symbols, 1)}
    numbers = hessian.subs(at).evalf(30)
    size = max((abs(entry) for entry in numbers), default=sympy.S.Zero)
    scaled = numbers / size if size else numbers
    return bool(abs(scaled.det()) < sympy.Float("1e-20"))


def _variables(given: sympy.Expr, x: object) -> tuple[sympy.Symbol, ...]:
    several = list(x) if isinstance(x, (list, tuple, sympy.MatrixBase)) else [x]
    known = leaves([given])
    for each in several:
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


def _named(name: str) -> Momentum:
    made = Momentum(name)
    assert isinstance(made, Momentum)
    return made


def _inverse(
    variables: tuple[sympy.Symbol, ...],
    conjugates: tuple[Momentum, ...],
    slopes: Matrix,
    hessian: Matrix,
    tidy: Tidy,
    seconds: float,
) -> Matrix | None:
    """X in terms of y: by the inverse matrix where f is quadratic, by solving one equation else."""
    if len(variables) > LARGEST:
        return None
    if not leaves(hessian) & set(variables):
        still = slopes.subs(dict.fromkeys(variables, 0))
        return Matrix([tidy(x) for x in hessian.inv(method="ADJ") * (Matrix(conjugates) - still)])
    if len(variables) > 1 or sympy.count_ops(slopes[0]) > ROOTS:
        return None
    x, y = variables[0], conjugates[0]
    slope = sympy.nsimplify(slopes[0], rational=True, tolerance=ROUNDED)
    plain = {s: sympy.Symbol(f"a{k}", positive=True) for k, s in enumerate(_others(slope, x))}
    unknown, given = sympy.Symbol("unknown", real=True), sympy.Symbol("given", real=True)
    found: list[Any] = []
    with until(thread_time() + seconds):
        found = sympy.solve(slope.xreplace(plain | {x: unknown}) - given, unknown)
    back = {symbol: s for s, symbol in plain.items()} | {given: y}
    for root in found:
        candidate = root.xreplace(back)
        if not candidate.has(sympy.I, sympy.Piecewise) and _is_inverse(candidate, slope, x, y):
            return Matrix([tidy(candidate)])
    return None


def _summed(e: sympy.Expr) -> sympy.Expr:
    """The expression as a sum where that is hardly longer."""
    if sympy.count_ops(e) > SUMMED:
        return e
    expanded = sympy.expand(e)
    return expanded if sympy.count_ops(expanded) <= sympy.count_ops(e) + 4 else e


def _positive(tidy: Tidy, whole: sympy.Expr, conjugates: tuple[Momentum, ...]) -> sympy.Expr:
    """The expression shortened with all symbols but the conjugates taken to be positive."""
    others = sorted(leaves([whole]) - set(conjugates), key=str)
    plain = {s: sympy.Symbol(s.name, positive=True) for s in others}
    back = {symbol: s for s, symbol in plain.items()}
    joined = whole.xreplace(plain).replace(
        lambda e: e.is_Pow and not e.exp.is_Integer, lambda e: sympy.factor(e.base) ** e.exp
    )
    return tidy(joined).xreplace(back)


def _others(slope: sympy.Expr, x: sympy.Symbol) -> list[sympy.Symbol]:
    return sorted((s for s in leaves([slope]) if s != x), key=str)


def _is_inverse(candidate: sympy.Expr, slope: sympy.Expr, x: sympy.Symbol, y: Momentum) -> bool:
    """Whether it gives back what it was made of, near zero on both sides."""
    others = {s: sympy.Rational(7 + 2 * k, 5) for k, s in enumerate(_others(slope, x))}
    for size in TRIALS:
        for trial in (sympy.Float(size, 30), sympy.Float(-size, 30)):
            at = slope.subs(others | {x: trial}).evalf(30)
            back = candidate.subs(others | {y: at}).evalf(30)
            if not (at.is_real and back.is_real and abs(back - trial) <= 1e-20):
                return False
    return True
