"""Closed forms of the solutions of equations, where rules or SymPy find them in time.

An equation is split into factors; a factor that is linear in an unknown, or linear in its sine and
cosine, is solved by rule, another by SymPy. Each solution is put into the other equations, and so on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import sympy

from routh.language.derivation import plainly
from routh.mechanics.forms.tidy import Tidy
from routh.mechanics.forms.vanish import vanishes
from routh.mechanics.forms.work import Work
from routh.mechanics.held_roots import Conditions, conditions

Solution = dict[sympy.Symbol, sympy.Expr]

MOST = 64
"""Solutions after which the search ends."""


def roots(
    equations: Sequence[sympy.Expr], unknowns: Sequence[sympy.Symbol], work: Work
) -> list[tuple[Solution, Conditions]]:
    """Solutions that were found within some work, each checked, with what must not be negative for it.

    The list may lack some. An unknown without entry in a solution is free.
    """
    found: list[tuple[Solution, Conditions]] = []
    with work.spend():
        start = [sympy.expand(e) for e in equations]
        for solution, angles in _branch(start, list(unknowns), {}, frozenset()):
            if len(found) >= MOST:
                break
            turned = {x: _turned(value) if x in angles else value for x, value in solution.items()}
            if any(turned == other for other, _ in found):
                continue
            needed = _needed(equations, turned)
            if needed is not None:
                found.append((turned, needed))
    tidy = Tidy(1.0)
    return [({x: tidy(value) for x, value in solution.items()}, needed) for solution, needed in found]


def _turned(value: sympy.Expr) -> sympy.Expr:
    """A multiple of pi without its whole turns."""
    turns = value / (2 * sympy.pi)
    return value - 2 * sympy.pi * sympy.ceiling(turns - sympy.S.Half) if turns.is_Rational else value


def _needed(equations: Sequence[sympy.Expr], solution: Solution) -> Conditions | None:
    """What must not be negative for a solution to be one; None where it is none, or not known to be."""
    at = [e.subs(solution) for e in equations]
    if any(e.has(sympy.nan, sympy.zoo, sympy.oo) for e in at):
        return None
    needed: list[sympy.Expr] = []
    for e in at:
        own = conditions(e)
        if own is None:
            return None
        needed += own
    return tuple(dict.fromkeys(needed))


def _branch(
    equations: list[sympy.Expr],
    unknowns: list[sympy.Symbol],
    known: Solution,
    angles: frozenset[sympy.Symbol],
) -> Iterator[tuple[Solution, frozenset[sympy.Symbol]]]:
    """Solve one equation for one unknown, all factors in turn, and go on with the others.

    `angles` are the unknowns that were found by their sine and cosine.
    """
    left = [e for e in equations if not vanishes(e)]
    settled = [e for e in left if not e.free_symbols & set(unknowns)]
    if any(conditions(e) is None for e in settled):
        return
    left = [e for e in left if e not in settled]
    if not left:
        yield known, angles
        return
    chosen = _easiest(left, unknowns)
    for factor in _factors(chosen, unknowns):
        for x, values, turns in _solved(factor, unknowns):
            for value in values:
                rest = [sympy.expand(e.subs(x, value)) for e in left if e is not chosen]
                others = [y for y in unknowns if y != x]
                before = {y: old.subs(x, value) for y, old in known.items()}
                more = angles | {x} if turns else angles
                yield from _branch(rest, others, {**before, x: value}, more)


def _easiest(equations: list[sympy.Expr], unknowns: list[sympy.Symbol]) -> sympy.Expr:
    """The equation with the fewest unknowns, the shortest of these."""
    return min(equations, key=lambda e: (len(e.free_symbols & set(unknowns)), sympy.count_ops(e)))


def _factors(equation: sympy.Expr, unknowns: list[sympy.Symbol]) -> list[sympy.Expr]:
    """The factors that contain unknowns."""
    whole = sympy.factor(sympy.expand_trig(equation))
    parts = [base for base, _ in (f.as_base_exp() for f in sympy.Mul.make_args(whole))]
    return [part for part in parts if part.free_symbols & set(unknowns)]


def _solved(
    factor: sympy.Expr, unknowns: list[sympy.Symbol]
) -> Iterator[tuple[sympy.Symbol, list[sympy.Expr], bool]]:
    """One unknown of a factor with its values, and whether they are angles.

    The first unknown for which a rule exists is taken, else one by SymPy.
    """
    inside = [x for x in unknowns if x in factor.free_symbols]
    for rule in (_linear, _harmonic, _by_sympy):
        for x in inside:
            values = rule(factor, x)
            if values:
                yield x, values, rule is _harmonic
                return


def _linear(f: sympy.Expr, x: sympy.Symbol) -> list[sympy.Expr]:
    """A x + B = 0."""
    slope = f.diff(x)
    if slope.has(x) or vanishes(slope):
        return []
    return [sympy.cancel(-f.subs(x, 0) / slope)]


def _harmonic(f: sympy.Expr, x: sympy.Symbol) -> list[sympy.Expr]:
    """A cos x + B sin x + C = 0."""
    c, s = sympy.Dummy("c"), sympy.Dummy("s")
    g = sympy.expand(f.xreplace({sympy.cos(x): c, sympy.sin(x): s}))
    whole = None if g.has(x) else g.as_poly(c, s)  # None too where they stand under a root
    if whole is None or whole.total_degree() != 1:
        return []
    A, B, C = g.coeff(c), g.coeff(s), g.subs({c: 0, s: 0})
    if vanishes(C):
        if vanishes(A):
            return [sympy.S.Zero, sympy.pi]
        first = sympy.pi / 2 if vanishes(B) else sympy.atan2(*_lowest(-A, B))
        return [first, first + sympy.pi]
    if vanishes(B):
        angle = sympy.acos(sympy.cancel(-C / A))
        return [angle, -angle]
    if vanishes(A):
        angle = sympy.asin(sympy.cancel(-C / B))
        return [angle, sympy.pi - angle]
    lead, angle = sympy.atan2(B, A), sympy.acos(-C / sympy.sqrt(A**2 + B**2))
    return [lead + angle, lead - angle]


def _lowest(y: sympy.Expr, x: sympy.Expr) -> tuple[sympy.Expr, sympy.Expr]:
    """The arguments of atan2 without common factors, the second one not with a minus sign.

    A factor of unknown sign may be dropped: the angle that lies opposite is a solution as well.
    """
    y, x = sympy.fraction(sympy.cancel(y / x))
    return (-y, -x) if x.could_extract_minus_sign() else (y, x)


def _by_sympy(f: sympy.Expr, x: sympy.Symbol) -> list[sympy.Expr]:
    plain, back = plainly(f)
    unknown = next((d for d, own in back.items() if own == x), x)
    try:
        values = sympy.solve(plain, unknown)
    except NotImplementedError:
        return []
    real = [
        v
        for v in values
        if isinstance(v, sympy.Expr) and (v.is_real or (v.is_real is None and not v.has(sympy.I)))
    ]
    return [v.xreplace(back) for v in real if not v.has(unknown)]
