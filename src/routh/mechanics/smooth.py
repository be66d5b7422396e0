"""Whether energies written in symbols have the derivatives that linear equations need at a reference.

SymPy gives `Max(x, 0)**2` the slope `Heaviside(0)` = 1/2 at zero, that of neither side. Near a place
where branches meet, each function made of pieces is a smooth one on either side of its switch; the
derivatives exist if these have the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import reduce
from itertools import product

import sympy
from sympy.core.relational import Relational

from routh.errors import DerivationError, capital, shortened
from routh.language.symbols import Signal
from routh.language.system import System
from routh.language.walk import leaves, unfold
from routh.mechanics.forms.one_piece import PIECED
from routh.mechanics.forms.vanish import vanishes

MOST_SWITCHES = 6
"""Switches at one place whose sides are combined; more are refused."""

At = Callable[[sympy.Expr], sympy.Expr]
"""An expression on the reference."""


def refuse_kinks(system: System, at: At) -> None:
    """Refuse a reference at which energies, forces or constraints have a kink.

    Raises:
        DerivationError: derivatives that the linear equations are made of do not exist.
    """
    terms = (*system.lagrangian_terms, *system.dissipation, *system.constraints)
    points = [c for force in system.forces for c in force.at]
    pushes = [c for force in system.forces for c in force.components]
    for order, several in ((2, (*terms, *points)), (1, pushes)):
        for e in several:
            for part in _integrands(unfold(e)):
                _refuse_kink(system, part, at, order)


def refuse_infinite(system: System, matrices: Iterable[sympy.Matrix]) -> None:
    """Refuse linear equations with an entry that is no number, for a root or quotient at its end."""
    for matrix in matrices:
        if matrix.has(sympy.zoo, sympy.nan, sympy.oo, -sympy.oo, sympy.DiracDelta(0)):
            raise DerivationError(
                f"{capital(system.title)} has no linear equations about this reference: a derivative is"
                " infinite there. Look for a root, a logarithm or a division that is singular, or"
                " choose another reference."
            )


def _integrands(e: sympy.Expr) -> list[sympy.Expr]:
    """What stands outside of integrals, and what inside."""
    inside = e.atoms(sympy.Integral)
    outer = e.xreplace({x: sympy.Dummy() for x in inside})
    return [outer, *(part for x in inside for part in _integrands(x.function))]


def _refuse_kink(system: System, e: sympy.Expr, at: At, order: int) -> None:
    rough = [x for x in e.atoms(*PIECED, sympy.Pow) if _is_rough(x)]
    for node in rough:
        if isinstance(node, (sympy.floor, sympy.ceiling, sympy.Mod)):
            raise DerivationError(
                f"`{shortened(node, 60)}` in {system.title} has no slopes that can be written out."
                " Write the branch that holds at the reference, or use linearize, which works with"
                " numbers."
            )
    if not rough:
        return
    sided = _Sided(at)
    one_sided = sided(e, rough)
    if not sided.meeting:
        return
    if sided.ends or len(sided.sides) > MOST_SWITCHES or not _agree(one_sided, sided, at, order):
        raise DerivationError(
            f"{capital(system.title)} has no linear equations about this reference: its equations have"
            f" a kink there, where branches of `{shortened(sided.meeting[0], 60)}` meet. Choose a"
            " reference beside it, or write the function smooth."
        )


def _is_rough(node: sympy.Basic) -> bool:
    """Made of pieces that displacements switch, or a power that ends at zero."""
    if not any(isinstance(s, Signal) for s in leaves([node])):
        return False
    if isinstance(node, sympy.Pow):
        return bool(node.exp.is_number and node.exp.is_integer is False)
    return True


class _Sided:
    """Functions made of pieces, on one side of the switches that are zero at the reference."""

    def __init__(self, at: At) -> None:
        self._at = at
        self.sides: dict[sympy.Expr, sympy.Dummy] = {}
        self.meeting: list[sympy.Basic] = []
        self.ends = False

    def __call__(self, e: sympy.Expr, rough: list[sympy.Basic]) -> sympy.Expr:
        """The expression with a symbol for each side, inner functions first."""
        table: dict[sympy.Basic, sympy.Expr] = {}
        for node in sorted(rough, key=lambda x: (sympy.count_ops(x, visual=False), str(x))):
            own = self._on_sides(node, [argument.xreplace(table) for argument in node.args])
            if own is not None:
                table[node] = own
                self.meeting.append(node)
        return e.xreplace(table)

    def _side(self, switch: sympy.Expr) -> sympy.Expr | None:
        """The side of a switch that is zero at the reference; None elsewhere."""
        if not any(isinstance(s, Signal) for s in leaves([switch])):
            return None
        inner = dict.fromkeys(self.sides.values(), sympy.S.One)
        if not vanishes(self._at(switch.xreplace(inner))):
            return None
        factor, rest = switch.as_coeff_Mul()
        sign = -1 if (factor < 0) != rest.could_extract_minus_sign() else 1
        rest = -rest if rest.could_extract_minus_sign() else rest
        return sign * self.sides.setdefault(rest, sympy.Dummy("side", real=True))

    def _on_sides(self, node: sympy.Basic, arguments: list[sympy.Expr]) -> sympy.Expr | None:
        """A function with sides for its switches; None where it is far from all of them."""
        first = arguments[0]
        if isinstance(node, sympy.Piecewise):
            return self._piecewise(arguments)
        if isinstance(node, (sympy.Max, sympy.Min)):
            return self._extreme(arguments, 1 if isinstance(node, sympy.Max) else -1)
        side = self._side(first)
        if side is None:
            return None
        if isinstance(node, sympy.Pow):
            slopes = [self._at(first.diff(s)) for s in leaves([first]) if isinstance(s, Signal)]
            self.ends |= not all(map(vanishes, slopes))
            return first ** arguments[1]
        if isinstance(node, sympy.Abs):
            return side * first
        return side if isinstance(node, sympy.sign) else (1 + side) / 2

    def _extreme(self, arguments: list[sympy.Expr], sign: int) -> sympy.Expr | None:
        function = sympy.Max if sign > 0 else sympy.Min
        met = False

        def larger(a: sympy.Expr, b: sympy.Expr) -> sympy.Expr:
            nonlocal met
            side = self._side(a - b)
            if side is None:
                return function(a, b)
            met = True
            return (a + b) / 2 + sign * side * (a - b) / 2

        found = reduce(larger, arguments)
        return found if met else None

    def _piecewise(self, branches: list[sympy.Expr]) -> sympy.Expr | None:
        relations = {r for _, condition in branches for r in condition.atoms(Relational)}
        holds: dict[sympy.Basic, sympy.Expr] = {}
        for relation in relations:
            side = self._side(relation.lhs - relation.rhs)
            if side is not None:
                above = isinstance(relation, (sympy.Gt, sympy.Ge))
                holds[relation] = (1 + side) / 2 if above else (1 - side) / 2
                if isinstance(relation, (sympy.Eq, sympy.Ne)):
                    holds[relation] = sympy.Integer(isinstance(relation, sympy.Ne))
        if not holds:
            return None
        far = {r: self._at(r.lhs - r.rhs) for r in relations if r not in holds}
        left, total = sympy.S.One, sympy.S.Zero
        for k, (value, condition) in enumerate(branches):
            own = _weight(condition, holds, far)
            total += left * (sympy.S.One if k == len(branches) - 1 else own) * value
            left *= 1 - own
        return total


def _weight(
    condition: sympy.Basic,
    holds: dict[sympy.Basic, sympy.Expr],
    far: dict[sympy.Basic, sympy.Expr],
) -> sympy.Expr:
    """1 where a condition holds and 0 where not, by the sides of its switches."""
    if condition in (sympy.true, sympy.false):
        return sympy.Integer(condition is sympy.true)
    if isinstance(condition, sympy.Not):
        return 1 - _weight(condition.args[0], holds, far)
    if isinstance(condition, sympy.And):
        return sympy.Mul(*(_weight(each, holds, far) for each in condition.args))
    if isinstance(condition, sympy.Or):
        return 1 - sympy.Mul(*(1 - _weight(each, holds, far) for each in condition.args))
    if condition in holds:
        return holds[condition]
    return sympy.Piecewise((1, condition.func(far[condition], 0)), (0, True))


def _agree(e: sympy.Expr, sided: _Sided, at: At, order: int) -> bool:
    """Whether derivatives up to an order are the same on all sides."""
    small = sympy.Dummy("small", real=True)
    moving = [s for s in leaves([e]) if isinstance(s, Signal)]
    table = {s: s + small * sympy.Dummy(f"e_{s.name}", real=True) for s in moving}
    own = e.xreplace(table)
    sides = list(sided.sides.values())
    chosen = list(product((sympy.S.One, sympy.S.NegativeOne), repeat=len(sides)))
    for degree in range(order + 1):
        here = at(own.xreplace({small: sympy.S.Zero}))
        if here.has(sympy.nan, sympy.zoo, sympy.oo):
            return False
        each = [here.xreplace(dict(zip(sides, signs, strict=True))) for signs in chosen]
        if not all(vanishes(sympy.expand(other - each[0])) for other in each[1:]):
            return False
        own = own.diff(small) if degree < order else own
    return True
