"""Definite integrals over one place, in closed form by a few rules.

What varies along a body is nearly always a sum of products of powers, sines, cosines and exponentials
of the place, with factors that do not depend on it. Such sums are integrated term by term, each by one
rule; where no rule applies the answer is None, and nothing is searched for. SymPy's own `integrate`
tries much and may take minutes.

| integrand | how |
|---|---|
| u^n cos(w u + p), products of several | sums of single waves, then by parts |
| u^n exp(a u) | by parts |
| u^n (c + d u)^p | powers of c + d u |
| u^n (c - d u^2)^(k/2), k odd | u = b sin(phi), if it vanishes at an end |
| u^n Q^(k/2), Q a parabola, k odd | asinh, if Q is above zero everywhere (`parabolas`) |
| exp(c + b u - a u^2) | erf, if a is above zero (`parabolas`) |
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import comb

import sympy
from sympy.functions.elementary.piecewise import ExprCondPair

from routh.language.matter.parabolas import of_bell, of_parabola
from routh.language.symbols import Signal, t
from routh.language.walk import bottom_up, leaves

MOST_TERMS = 4000
"""Terms of an integrand that is multiplied out."""

MOST_WAVES = 12
"""Sines and cosines in one product."""

_Masks = dict[sympy.Basic, sympy.Basic]


def definite(
    density: sympy.Expr, u: sympy.Symbol, start: sympy.Expr, end: sympy.Expr
) -> tuple[sympy.Expr, list[sympy.Expr]]:
    """The integral over u of the terms that a rule closes, and the terms that none does.

    Named intermediates are symbols here: unfold them before.
    """
    masked, back = _masked(density, u)
    if _count(masked) > MOST_TERMS:
        return sympy.S.Zero, [density]
    done: list[sympy.Expr] = []
    left: list[sympy.Expr] = []
    for term in _terms(masked):
        constant, rest = term.as_independent(u, as_Add=False)
        found = _term(rest, u, start, end, back)
        if found is None:
            left.append(term.xreplace(back))
        else:
            done.append(constant.xreplace(back) * found)
    return sympy.Add(*done), left


def _masked(density: sympy.Expr, u: sympy.Symbol) -> tuple[sympy.Expr, _Masks]:
    """The density with one symbol for each largest part that does not vary along u."""
    masks: dict[sympy.Basic, sympy.Dummy] = {}
    varies: dict[sympy.Basic, bool] = {}

    def is_varying(node: sympy.Basic) -> bool:
        return bottom_up(node, lambda each, parts: each == u or any(parts), varies)

    def mask(node: sympy.Basic) -> sympy.Basic:
        if node.is_number:
            return node
        return masks.setdefault(node, sympy.Dummy("c", real=True))

    def made(node: sympy.Basic, _: list[sympy.Basic]) -> sympy.Basic:
        if not is_varying(node):
            return mask(node)
        if node == u:
            return node
        if node.func in (sympy.Add, sympy.Mul):
            fixed = [x for x in node.args if not is_varying(x)]
            moved = [done[x] for x in node.args if is_varying(x)]
            return node.func(*moved, *([mask(node.func(*fixed))] if fixed else []))
        if isinstance(node, sympy.Piecewise):  # its conditions do not vary: `steps` has seen to that
            return sympy.Piecewise(*((done[value], condition) for value, condition in node.args))
        if isinstance(node, ExprCondPair):
            return node
        return node.func(*(done[x] for x in node.args))

    done: dict[sympy.Basic, sympy.Basic] = {}
    return bottom_up(density, made, done), {dummy: node for node, dummy in masks.items()}


MOST_ROUNDS = 6
"""How often products of roots may give polynomials that are multiplied out again."""


def _terms(masked: sympy.Expr) -> list[sympy.Expr]:
    """The density as a sum of products; what is below a line, under a root or in a function stays."""
    for _ in range(MOST_ROUNDS):
        found = _multiplied_out(masked)
        if found == masked:
            break
        masked = found
    return [term for term in sympy.Add.make_args(masked) if term != 0]


def _multiplied_out(density: sympy.Expr) -> sympy.Expr:
    shut: dict[sympy.Basic, sympy.Basic] = {}

    def made(node: sympy.Basic, parts: list[sympy.Basic]) -> sympy.Basic:
        if node.is_Atom:
            return node
        if node.is_Add or node.is_Mul or (node.is_Pow and node.exp.is_Integer and node.exp > 0):
            return node.func(*parts)
        return shut.setdefault(node, sympy.Dummy("shut", real=True))

    opened = sympy.expand(bottom_up(density, made, {}))
    return opened.xreplace({dummy: node for node, dummy in shut.items()})


def _count(node: sympy.Basic) -> int:
    """How many terms an expression has at most when it is multiplied out."""

    def number(each: sympy.Basic, parts: list[int]) -> int:
        if each.is_Add:
            return min(sum(parts), MOST_TERMS + 1)
        if each.is_Mul:
            product = 1
            for part in parts:
                product = min(product * part, MOST_TERMS + 1)
            return product
        if each.is_Pow and each.exp.is_Integer and each.exp > 1 and parts[0] > 1:
            n, k = min(int(each.exp), MOST_TERMS), parts[0]
            return comb(n + k - 1, n) if n * k <= MOST_TERMS else MOST_TERMS + 1
        return 1

    return bottom_up(node, number, {})


@dataclass
class _Factors:
    """What a product is made of: u^power, waves, exp(growth u) and powers of other bases."""

    power: int = 0
    waves: list[tuple[sympy.Expr, sympy.Expr]] = field(default_factory=list)
    growth: sympy.Expr = sympy.S.Zero
    shift: sympy.Expr = sympy.S.Zero
    powers: dict[sympy.Expr, sympy.Expr] = field(default_factory=dict)


def _factors(rest: sympy.Expr, u: sympy.Symbol) -> _Factors | None:
    found = _Factors()
    for factor in sympy.Mul.make_args(rest) if rest != 1 else ():
        if factor.has(sympy.Piecewise):  # its pieces may have other slopes, or none
            return None
        if isinstance(factor, sympy.exp):
            line = _linear(factor.args[0], u)
            if line is None:
                return None
            found.growth += line[0]
            found.shift += line[1]
            continue
        base, exponent = factor.as_base_exp()
        if isinstance(base, (sympy.sin, sympy.cos)) and exponent.is_Integer and exponent > 0:
            line = _linear(base.args[0], u)
            if line is None or len(found.waves) + exponent > MOST_WAVES:
                return None
            turn = sympy.pi / 2 if isinstance(base, sympy.sin) else sympy.S.Zero
            found.waves += [(line[0], line[1] - turn)] * int(exponent)
        elif base == u and exponent.is_Integer and exponent > 0:
            found.power += int(exponent)
        elif exponent.is_Rational and base not in found.powers:
            found.powers[base] = exponent
        else:
            return None
    return found


def _term(
    rest: sympy.Expr, u: sympy.Symbol, start: sympy.Expr, end: sympy.Expr, back: _Masks
) -> sympy.Expr | None:
    """The integral of one product by the rule for it."""
    if isinstance(rest, sympy.exp):
        bell = of_bell(rest.args[0].xreplace(back), u, start, end)
        if bell is not None:
            return bell
    own = _factors(rest, u)
    if own is None:
        return None
    if own.powers:
        if own.waves or own.growth != 0 or len(own.powers) > 1:
            return None
        ((base, p),) = own.powers.items()
        return _of_power(own.power, base.xreplace(back), p, u, start, end)
    if own.growth != 0:
        return None if own.waves else _of_exponential(own, start, end, back)
    return _of_waves(own, start, end, back)


def _linear(e: sympy.Expr, u: sympy.Symbol) -> tuple[sympy.Expr, sympy.Expr] | None:
    """Slope and value at zero of what is linear in u."""
    slope = sympy.expand(e.diff(u))
    return None if slope.has(u) else (slope, e.xreplace({u: sympy.S.Zero}))


def _stands_still(rate: sympy.Expr) -> bool:
    """Whether something below the line of a result is never passed by a motion on its way through 0."""
    return not any(isinstance(x, Signal) or x == t for x in leaves([rate]))


def _of_waves(own: _Factors, start: sympy.Expr, end: sympy.Expr, back: _Masks) -> sympy.Expr | None:
    """u^n times cosines: products of cosines are sums of such, and by parts n goes down."""
    sums: dict[tuple[sympy.Expr, sympy.Expr], sympy.Expr] = {(sympy.S.Zero, sympy.S.Zero): sympy.S.One}
    for w, p in own.waves:
        more: dict[tuple[sympy.Expr, sympy.Expr], sympy.Expr] = {}
        for (W, P), c in sums.items():
            for sign in (-1, 1):
                key = (sympy.expand(W + sign * w), sympy.expand(P + sign * p))
                more[key] = more.get(key, sympy.S.Zero) + c / 2
        sums = more
    found = []
    for (W, P), c in sums.items():
        w, p = W.xreplace(back), P.xreplace(back)
        if w == 0:
            n = own.power + 1
            found.append(c * sympy.cos(p) * (end**n - start**n) / n)
        elif not _stands_still(w):
            return None
        else:
            found.append(c * (_by_parts(own.power, w, p, end) - _by_parts(own.power, w, p, start)))
    return sympy.Add(*found)


def _by_parts(n: int, w: sympy.Expr, p: sympy.Expr, at: sympy.Expr) -> sympy.Expr:
    """The antiderivative of u^n cos(w u + p) at a place."""
    terms, factor = [], sympy.S.One
    for k in range(n + 1):
        wave = sympy.cos(sympy.expand(w * at + p - (k + 1) * sympy.pi / 2))
        terms.append(factor * at ** (n - k) * wave / w ** (k + 1))
        factor *= -(n - k)
    return sympy.Add(*terms)


def _of_exponential(
    own: _Factors, start: sympy.Expr, end: sympy.Expr, back: _Masks
) -> sympy.Expr | None:
    a, shift, n = own.growth.xreplace(back), own.shift.xreplace(back), own.power
    if not _stands_still(a):
        return None

    def value(at: sympy.Expr) -> sympy.Expr:
        factors = [sympy.Integer((-1) ** k * sympy.ff(n, k)) for k in range(n + 1)]
        terms = (c * at ** (n - k) / a ** (k + 1) for k, c in enumerate(factors))
        return sympy.exp(a * at + shift) * sympy.Add(*terms)

    return value(end) - value(start)


def _of_power(
    n: int, base: sympy.Expr, p: sympy.Rational, u: sympy.Symbol, start: sympy.Expr, end: sympy.Expr
) -> sympy.Expr | None:
    """u^n times a power of something linear, or half a power of a parabola."""
    plain, back = _masked(base, u)
    line = _linear(plain, u)
    if line is None:
        circle = _of_root(n, base, p, u, start, end)
        return of_parabola(n, base, p, u, start, end) if circle is None else circle
    slope, constant = (x.xreplace(back) for x in line)
    if not _stands_still(slope):
        return None
    a, b = (base.xreplace({u: end_}) for end_ in (start, end))
    if p <= -1 and not (a * b).is_positive:  # it could pass zero, where the integral diverges
        return None
    terms = []
    for k in range(n + 1):
        weight = sympy.binomial(n, k) * (-constant) ** (n - k)
        m = p + k + 1
        terms.append(weight * (sympy.log(b / a) if m == 0 else (b**m - a**m) / m))
    return sympy.Add(*terms) / slope ** (n + 1)


def _of_root(
    n: int, base: sympy.Expr, p: sympy.Rational, u: sympy.Symbol, start: sympy.Expr, end: sympy.Expr
) -> sympy.Expr | None:
    """u^n (c - d u^2)^p with 2p odd, above zero between the ends: with u = b sin(phi), by waves in phi.

    The factor is d^p (b cos(phi))^(2p): cos(phi) is not negative from -pi/2 to pi/2, and neither is b,
    since a space ends behind its start.
    """
    plain, back = _masked(base, u)
    bend = sympy.expand(plain.diff(u, 2) / 2)
    if bend.has(u) or plain.diff(u).xreplace({u: sympy.S.Zero}) != 0 or p.q != 2 or p < 0:
        return None
    d, c = -bend.xreplace(back), plain.xreplace({u: sympy.S.Zero}).xreplace(back)
    b = end if sympy.expand(c - d * end**2) == 0 else -start
    if sympy.expand(c - d * b**2) != 0 or b == 0:
        return None
    angles = [sympy.asin(sympy.cancel(x / b)) for x in (start, end)]
    if not all(angle.is_number for angle in angles) or n + int(2 * p) + 1 > MOST_WAVES:
        return None
    sine, cosine = (sympy.S.One, -sympy.pi / 2), (sympy.S.One, sympy.S.Zero)
    waves = _Factors(waves=[sine] * n + [cosine] * int(2 * p + 1))
    turned = _of_waves(waves, angles[0], angles[1], {})
    return None if turned is None else d**p * b ** (n + 1 + 2 * p) * turned
