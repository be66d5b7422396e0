"""Whether a function is convex: shown by rules, by bounds of its second derivatives, or refuted.

The rules are those of disciplined convex programming (Grant, Boyd and Ye 2006): sums, multiples, and
compositions of functions whose sign, slope and curvature are known. One variable without other symbols
is decided by bounds over all real numbers. Evaluation refutes, and never shows.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np
import sympy
from sympy import ImmutableDenseMatrix as Matrix

from routh.errors import listed
from routh.language.evaluation import Evaluation
from routh.language.symbols import Parameter
from routh.language.walk import leaves, nodes
from routh.mechanics.forms.work import Work
from routh.mechanics.transforms.bounds import EVERYWHERE, POSITIVE, Outside, Unbounded, bounds
from routh.mechanics.transforms.monotone import Pieces, pieces

PLACES = (0.0, 1e-3, 0.03, 0.3, 1.0, 3.0, 30.0)
"""Sizes of variables at which second derivatives are looked at."""

SEEN = 1e-9
"""Curvature of this share of the largest has a sign."""

SECONDS = 0.5
"""Spent on shorter forms of a second derivative whose sign is asked for."""


class Shape(Enum):
    """What is known of how a function bends."""

    CONVEX = "convex"
    CONCAVE = "concave"
    NEITHER = "neither convex nor concave"
    OPEN = "could not be shown to be convex"

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True)
class Bending:
    """The shape of a function, why, and for one variable the pieces in which it bends one way."""

    shape: Shape
    reason: str
    pieces: Pieces | None = None


def bending(f: sympy.Expr, variables: Sequence[sympy.Symbol], hessian: Matrix) -> Bending:
    """How a function bends in some of its symbols; parameters count as positive."""
    moving = [term for term in sympy.Add.make_args(f) if leaves([term]) & set(variables)]
    f = sympy.Add(*moving)  # the others do not bend
    taken = assumed(leaves([f]))
    ruled = _curvature(f, set(variables), {})
    if ruled in _SHAPES:
        return Bending(_SHAPES[ruled], f"by the rules of sums and compositions{taken}")
    if not leaves(hessian):
        return _signature(hessian)
    if len(variables) == 1 and variables[0] in leaves(hessian):
        found = _one(f, variables[0], hessian[0], taken)
        if found is not None:
            return found
    return refuted(hessian, variables) or Bending(
        Shape.OPEN, "neither rules nor bounds of its second derivatives show it"
    )


def assumed(symbols: set[sympy.Symbol]) -> str:
    """The parameters whose sign is taken for granted."""
    open_ = sorted((s for s in symbols if isinstance(s, Parameter) and not s.is_positive), key=str)
    return f", for positive {listed(open_)}" if open_ else ""


def _signature(hessian: Matrix) -> Bending:
    """The signs of the eigenvalues of a matrix of numbers."""
    values = np.linalg.eigvalsh(np.array(hessian.evalf(), dtype=float))
    size = SEEN * np.abs(values).max()
    if (values > size).all():
        return Bending(Shape.CONVEX, "all eigenvalues of its second derivatives are positive")
    if (values < -size).all():
        return Bending(Shape.CONCAVE, "all eigenvalues of its second derivatives are negative")
    if (values > size).any() and (values < -size).any():
        return Bending(Shape.NEITHER, "its second derivatives have eigenvalues of both signs")
    return Bending(Shape.OPEN, "an eigenvalue of its second derivatives is near zero")


def _one(f: sympy.Expr, x: sympy.Symbol, second: sympy.Expr, taken: str) -> Bending | None:
    """A function of one variable: the sign of its second derivative."""
    positive = _inside_roots(f)
    whole = not _has_poles(f)
    alone = leaves([f]) == {x}
    forms: list[sympy.Expr] = []
    for form in _forms(second, x):
        forms.append(form)
        sign = sign_of(form, positive) if whole else 0
        if sign:
            shape = Shape.CONVEX if sign > 0 else Shape.CONCAVE
            return Bending(shape, f"its second derivative has one sign{taken}")
    best: Pieces | None = None
    for form in dict.fromkeys(forms if alone else ()):
        found = pieces(f.diff(x), form, x, f)
        best = found if best is None or found.complete else best
        if found.complete or found.many:
            break
    return None if best is None or _breaks_off(f) else _of_pieces(best)


def _of_pieces(found: Pieces) -> Bending | None:
    if found.sign:
        shape = Shape.CONVEX if found.sign > 0 else Shape.CONCAVE
        return Bending(shape, "by bounds of its second derivative over all real numbers", found)
    if len({piece.sign for piece in found.pieces}) == 2:
        return Bending(Shape.NEITHER, "its second derivative changes its sign", found)
    if found.complete and len(found.pieces) > 1:
        return Bending(Shape.NEITHER, "it has a pole", found)
    return None


def _has_poles(f: sympy.Expr) -> bool:
    """Whether something is divided by that may vanish."""
    return any(node.is_Pow and node.exp.is_negative for node in nodes([f])) or _breaks_off(f)


def _breaks_off(f: sympy.Expr) -> bool:
    """Whether f has poles that no power shows: of tangents, and of logarithms of what may vanish."""
    for node in nodes([f]):
        if isinstance(node, (sympy.tan, sympy.cot, sympy.sec, sympy.csc)):
            return True
        if isinstance(node, sympy.log):
            inside = node.args[0]
            symbols = leaves([inside])
            plain = inside.is_polynomial(*symbols) and sympy.Poly(inside, *symbols).total_degree() == 1
            if not (inside.is_positive or plain):
                return True
    return False


def _forms(second: sympy.Expr, x: sympy.Symbol) -> Iterator[sympy.Expr]:
    """Forms of a second derivative that differ in what their bounds lose."""
    yield second
    work = Work(SECONDS)
    found: list[sympy.Expr] = []
    with work.spend(0.5):
        joined = sympy.factor_terms(sympy.together(second))
        found.append(joined)
        above, below = sympy.fraction(joined)
        if above.is_polynomial(x) and below.is_polynomial(x):
            found.append(sympy.horner(sympy.expand(above), x) * sympy.horner(sympy.expand(below), x))
    yield from found
    simple = second
    with work.spend():
        simple = sympy.simplify(second)
    yield simple


def _inside_roots(f: sympy.Expr) -> set[sympy.Expr]:
    """What is not negative where f is real: arguments of logarithms and of roots."""
    logs = {node.args[0] for node in nodes([f]) if isinstance(node, sympy.log)}
    roots = {
        node.base
        for node in nodes([f])
        if node.is_Pow and node.exp.is_Rational and not node.exp.is_Integer
    }
    return logs | roots


def sign_of(e: sympy.Expr, positive: set[sympy.Expr]) -> int:
    """1 where nothing is negative, -1 where nothing is positive, 0 where that is not known."""
    if e in positive:
        return 1
    known = _sign_by_rules(e, positive)
    if known:
        return known
    box = {s: POSITIVE if _is_positive(s) or s in positive else EVERYWHERE for s in leaves([e])}
    try:
        found = bounds(e, box)
    except (Outside, Unbounded):
        return 0
    return 1 if found.a >= 0 else (-1 if found.b <= 0 else 0)


def _is_positive(s: sympy.Symbol) -> bool:
    return bool(isinstance(s, Parameter) or s.is_positive)


def _sign_by_rules(e: sympy.Expr, positive: set[sympy.Expr]) -> int:
    if e.is_Symbol:
        return int(_is_positive(e))
    if e.is_Add:
        signs = {sign_of(term, positive) for term in e.args}
        return signs.pop() if len(signs) == 1 else 0
    if e.is_Mul:
        total = 1
        for factor in e.args:
            total *= sign_of(factor, positive)
        return total
    if e.is_Pow and e.exp.is_Integer:
        return 1 if e.exp % 2 == 0 else sign_of(e.base, positive)
    if e.is_Pow and e.exp.is_Rational:
        return 1
    if isinstance(e, (sympy.exp, sympy.cosh, sympy.Abs)):
        return 1
    return 0


_SHAPES = {"convex": Shape.CONVEX, "concave": Shape.CONCAVE}
_OPPOSITE = {"convex": "concave", "concave": "convex", "affine": "affine", "constant": "constant"}


def _curvature(e: sympy.Expr, variables: set[sympy.Symbol], found: dict[sympy.Expr, str]) -> str | None:
    """One of "constant", "affine", "convex", "concave", or None where the rules do not tell."""
    if e not in found:
        if not leaves([e]) & variables:
            found[e] = "constant"
        elif e in variables:
            found[e] = "affine"
        else:
            found[e] = _composed(e, variables, found) or ""
    return found[e] or None


def _composed(e: sympy.Expr, variables: set[sympy.Symbol], found: dict[sympy.Expr, str]) -> str | None:
    parts = [_curvature(part, variables, found) for part in e.args]
    if None in parts:
        return None
    if e.is_Add:
        kinds = set(parts) - {"constant", "affine"}
        return "affine" if not kinds else (kinds.pop() if len(kinds) == 1 else None)
    if e.is_Mul:
        return _multiple(e, parts)
    if e.is_Pow:
        return _power(e, parts, variables, found)
    inner = parts[0]
    if isinstance(e, sympy.Abs):
        return "convex" if inner == "affine" else None
    if isinstance(e, sympy.exp):
        return "convex" if inner in ("affine", "convex") else None
    if isinstance(e, sympy.log):
        return "concave" if inner in ("affine", "concave") else None
    if isinstance(e, sympy.cosh):
        return "convex" if inner == "affine" else None
    if isinstance(e, (sympy.Max, sympy.Min)):
        kind = "convex" if isinstance(e, sympy.Max) else "concave"
        return kind if set(parts) <= {"constant", "affine", kind} else None
    return None


def _multiple(e: sympy.Expr, parts: list[str | None]) -> str | None:
    moving = [part for part in parts if part != "constant"]
    if len(moving) != 1:
        return _modulus(e, parts)
    if moving[0] == "affine":
        return "affine"
    sign = 1
    for factor, part in zip(e.args, parts, strict=True):
        if part == "constant":
            sign *= sign_of(factor, set())
    if not sign:
        return None
    return moving[0] if sign > 0 else _OPPOSITE[str(moving[0])]


def _modulus(e: sympy.Expr, parts: list[str | None]) -> str | None:
    """x^2 |x|, which SymPy writes for |x|^3, and a multiple of it."""
    sign, bases, power = 1, set(), sympy.S.Zero
    for factor, part in zip(e.args, parts, strict=True):
        base, exponent = factor.as_base_exp()
        if part == "constant":
            sign *= sign_of(factor, set())
            continue
        modulus = isinstance(base, sympy.Abs)
        bases.add(base.args[0] if modulus else base)
        power += exponent
        if not exponent.is_Rational or not (modulus or (exponent.is_Integer and exponent % 2 == 0)):
            return None
    plain = len(bases) == 1 and power >= 1 and bases.pop().is_Symbol
    return {1: "convex", -1: "concave"}.get(sign) if plain else None


def _is_norm(e: sympy.Expr, variables: set[sympy.Symbol], found: dict[sympy.Expr, str]) -> bool:
    """Whether the root of an expression is a length: a sum of squares of what is affine, and more."""
    for term in sympy.Add.make_args(e):
        for factor in sympy.Mul.make_args(term):
            kind = _curvature(factor, variables, found)
            square = factor.is_Pow and factor.exp == 2
            affine = square and _curvature(factor.base, variables, found) == "affine"
            if not affine and not (kind == "constant" and sign_of(factor, set()) > 0):
                return False
    return all(
        sum(factor.is_Pow and _curvature(factor, variables, found) != "constant"
            for factor in sympy.Mul.make_args(term)) <= 1
        for term in sympy.Add.make_args(e)
    )  # fmt: skip


def _power(
    e: sympy.Expr, parts: list[str | None], variables: set[sympy.Symbol], found: dict[sympy.Expr, str]
) -> str | None:
    inner, p = parts[0], e.exp
    if parts[1] != "constant" or not p.is_Rational:
        return None
    real = set() if p.is_Integer else {e.base}
    positive = sign_of(e.base, real) > 0
    if p >= 1:
        even = p.is_Integer and p % 2 == 0
        if (even and inner == "affine") or (positive and inner in ("affine", "convex")):
            return "convex"
        return None
    if 0 < p < 1:
        if inner in ("affine", "concave"):
            return "concave"
        return "convex" if p == sympy.S.Half and _is_norm(e.base, variables, found) else None
    return "convex" if not p.is_Integer and inner in ("affine", "concave") else None


def refuted(hessian: Matrix, variables: Sequence[sympy.Symbol]) -> Bending | None:
    """Both signs of curvature at places tried, with the same numbers for all other symbols."""
    others = sorted(leaves(hessian) - set(variables), key=str)
    generator = random.Random(1795)
    for _ in range(3):
        fixed = {
            s: generator.uniform(0.2, 0.9) * (1 if _is_positive(s) else generator.choice((-1, 1)))
            for s in others
        }
        signs: dict[int, dict[sympy.Basic, float]] = {}
        for size in PLACES:
            for _ in range(2 if len(variables) == 1 else 4):
                shares = {v: generator.choice((-1, 1)) * generator.uniform(0.8, 1) for v in variables}
                place = {v: size * share + 0.0 for v, share in shares.items()}
                for sign in _signs_at(hessian, fixed | place):
                    signs.setdefault(sign, fixed | place)
        if {1, -1} <= set(signs):
            up, down = (
                ", ".join(f"{s} = {value:.3g}" for s, value in signs[sign].items()) for sign in (1, -1)
            )
            both = f"at {up}" if up == down else f"upwards at {up}, and downwards at {down}"
            return Bending(Shape.NEITHER, f"it bends both ways, {both}")
    return None


def _signs_at(hessian: Matrix, here: dict[sympy.Basic, float]) -> set[int]:
    """The signs of the eigenvalues of the second derivatives at a point."""
    at = Evaluation(here, 30)
    entries = [at(entry) for entry in hessian]
    known = [float(entry) for entry in entries if entry is not None]
    if len(known) < len(entries):
        return set()
    numbers = np.array(known).reshape(hessian.shape)
    if not np.isfinite(numbers).all() or not numbers.any():
        return set()
    values = np.linalg.eigvalsh(numbers)
    size = SEEN * np.abs(values).max()
    return {int(np.sign(value)) for value in values if abs(value) > size}
