"""A unique form of what mechanics makes: fractions of polynomials in symbols, waves and roots.

Sines and cosines are taken apart into waves exp(i m), one for each term m of their arguments, so that
all relations between them are adding up equal products. A root is a generator whose powers are lowered
by what it is the root of. What is divided by is kept as factors, which are taken out where they divide
what is above. Two writings of one function have the same numerator then, and a difference that is zero
has none: that is shown, not sampled. Other functions, integrals and named intermediates are generators.

The work is counted in products of terms, so that what is given up is so on every machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction
from math import inf
from typing import Any

import sympy

from routh.language.symbols import Let
from routh.mechanics.forms.angle_terms import (
    MOST_FACTORS,
    MOST_POWERS,
    MOST_TERMS,
    Remainders,
    Term,
    sorted_apart,
)
from routh.mechanics.forms.decimals import decimal
from routh.mechanics.forms.division import primitive
from routh.mechanics.forms.laurent import (
    Form,
    Product,
    Rational,
    Work,
    constant,
    generator,
    plus,
    scaled,
    times,
    whole,
)
from routh.mechanics.forms.quotients import HIGHEST, Atom, Parts, Quotient, Quotients
from routh.mechanics.forms.writing_effort import effort

HALF = Fraction(1, 2)

WRITTEN = 50
"""Products of terms that writing one term with SymPy counts as."""

MOST_RADICAND = 10**12
"""Numbers beyond this are not factored under a root."""


class Reader(Quotients):
    """Reads expressions into quotients over common generators."""

    def __init__(self, work: Work) -> None:
        super().__init__(work)
        self.decimal = False
        """Whether decimals were read: the numbers are printed as such again."""
        self.decimal_inside = False
        """Whether decimals were read in an angle, an exponent or another function."""
        self._written: dict[frozenset[Any], sympy.Expr] = {}
        self._read: dict[sympy.Basic, Parts] = {}
        self._terms: dict[sympy.Basic, list[Term]] = {}

    def __call__(self, node: sympy.Expr) -> Quotient:
        """The quotient of an expression, common factors taken out.

        Raises:
            TooLongError: it would take more work than was granted.
        """
        return self.joined(self.parts(node))

    def parts(self, node: sympy.Expr) -> Parts:
        """The same as a sum of quotients over different factors."""
        known = self._read.get(node)
        if known is None:
            known = self._read[node] = self._parts(node)
        return known

    def canonical(self, parts: Parts) -> Parts:
        """The same parts, numbered by names and not as they came."""
        made, moved = self.renumbered(parts)
        self._written = {
            frozenset(moved(dict(form)).items()): written for form, written in self._written.items()
        }
        self._read = {}
        return made

    def written_as(self, form: Form) -> sympy.Expr | None:
        """How what is divided by, or the root is taken of, was written, if it was as it is."""
        return self._written.get(frozenset(form.items()))

    def _parts(self, node: sympy.Expr) -> Parts:
        if node.is_Add:
            return self._gathered([each for term in node.args for each in self.parts(term)])
        if node.is_Mul:
            return self._product(node.args)
        if node.is_Pow and node.exp.is_Integer and 1 < node.exp <= HIGHEST:
            own = self.parts(node.base)
            if len(own) > 1:
                return self._product([node.base] * int(node.exp))
        return (self.lowest(self._quotient(node)),)

    def _product(self, factors: Sequence[sympy.Expr]) -> Parts:
        total: Parts = (Quotient(constant(1)),)
        for factor in sorted(factors, key=_length):
            own = self.parts(factor)
            total = self._gathered([self.times(a, b) for a in total for b in own])
        return total

    def _quotient(self, node: sympy.Expr) -> Quotient:
        if node.is_Rational:
            return Quotient(constant(whole(Fraction(int(node.p), int(node.q)))))
        if node.is_Float and 0 < abs(float(node)) < inf:  # the decimals as written: 0.1 + 0.2 is 0.3
            self.decimal = True
            return Quotient(constant(whole(Fraction(repr(float(node))))))
        for kinds, read in self._rules.items():
            if isinstance(node, kinds):
                return read(self, node)
        return self._opaque(node)

    def _opaque(self, node: sympy.Expr) -> Quotient:
        """A symbol, an intermediate or a function that has no rule."""
        return Quotient(generator(self.number("plain", node)))

    def _power(self, node: sympy.Expr) -> Quotient:
        exponent = node.exp
        if exponent.is_Rational and (exponent.q > 1 or exponent.p < 0) and not node.base.is_number:
            base = self(node.base)
            if not base.below:
                self._keep(base.above, node.base)
        if exponent.is_Integer:
            return self.power(self(node.base), int(exponent))
        if exponent.is_Rational:
            return self._root(node)
        return self._opaque(node)

    def _keep(self, form: Form, written: sympy.Expr) -> None:
        """Remember how a form was written, in the shortest way of several."""
        key = frozenset(form.items())
        known = self._written.get(key)
        if known is None or _by_effort(written) < _by_effort(known):
            self._written[key] = written

    def _root(self, node: sympy.Expr) -> Quotient:
        base, order = node.base, int(node.exp.q)
        if base.is_Rational:
            return self._number_root(base, int(node.exp.p), order)
        inside = self(base)
        if inside.below or not inside.above:
            return self._opaque(node)
        return self._root_of(inside.above, int(node.exp.p), order)

    def _root_of(self, form: Form, exponent: int, order: int) -> Quotient:
        """A root, with numbers and powers of positive symbols taken out of what it is the root of."""
        content, shared, _ = primitive(self._doubled(form), self._is_positive)
        content = Fraction(1) if self.decimal else content  # 1 - 0.3 x stays so
        out = tuple((k, whole(Fraction(e) / order)) for k, e in shared if e % order == 0)
        if (content != 1 or out) and len(form) > 1:
            number = self._number_root(in_sympy(content), exponent, order)
            front = self.power(Quotient({out: (1, 0)}), exponent)
            over: Form = {tuple((k, -e * order) for k, e in out): (whole(1 / content), 0)}
            rest = self._root_of(self.product(form, over), exponent, order)
            return self.times(self.times(number, front), rest)
        count, left = divmod(exponent, order)
        k = self.number("root", self.written(form), order)
        if k not in self._roots:
            self._roots.add(k)
            self.atoms[k] = Atom("root", self.atoms[k].expression, order, form)
        return self.times(self.power(Quotient(form), count), Quotient(generator(k, left)))

    def _doubled(self, form: Form) -> Form:
        """The form with cosines and sines counted whole: each is half a wave and half its mirror."""
        waves = {p for p in form if any(self.atoms[k].kind == "wave" for k, _ in p)}
        return {p: (2 * a, 2 * b) if p in waves else (a, b) for p, (a, b) in form.items()}

    def _is_positive(self, k: int) -> bool:
        atom = self.atoms[k]
        return atom.kind == "plain" and bool(atom.expression.is_positive)

    def _absolute(self, node: sympy.Expr) -> Quotient:
        """An absolute value as the root of a square."""
        inside = self(node.args[0])
        if inside.below or not inside.above or not node.args[0].is_real:
            return self._opaque(node)
        square = node.args[0] ** 2  # not the node, of which there may be a root too
        k = self.number("root", square, 2)
        if k not in self._roots:
            self._roots.add(k)
            self.atoms[k] = Atom("root", square, 2, self.product(inside.above, inside.above))
        return Quotient(generator(k))

    def _number_root(self, base: sympy.Rational, exponent: int, order: int) -> Quotient:
        """Roots of whole numbers as those of their primes, so that sqrt(6) is sqrt(2) sqrt(3)."""
        total = Quotient(constant(1))
        for number, sign in ((abs(int(base.p)), 1), (int(base.q), -1)):
            if number > MOST_RADICAND or base < 0:
                return self._opaque(sympy.Pow(base, sympy.Rational(exponent, order)))
            for prime, count in sympy.factorint(number).items():
                own = self._root_of(constant(int(prime)), sign * exponent * int(count), order)
                total = self.times(total, own)
        return total

    def _wave(self, node: sympy.Expr) -> Quotient:
        """A cosine or sine of a sum as products of waves, one for each term."""
        up, down = (self._exponential("wave", node.args[0], sign) for sign in (1, -1))
        if isinstance(node, sympy.cos):
            return Quotient(plus([scaled(up, HALF), scaled(down, HALF)]))
        return Quotient(plus([scaled(up, 0, -HALF), scaled(down, 0, HALF)]))

    def _tangent(self, node: sympy.Expr) -> Quotient:
        angle = node.args[0]
        above, below = self(sympy.sin(angle)), self(sympy.cos(angle))
        if isinstance(node, sympy.cot):
            above, below = below, above
        return self.times(above, self.inverse(below))

    def _growth(self, node: sympy.Expr) -> Quotient:
        return Quotient(self._exponential("growth", node.args[0], 1))

    def _hyperbolic(self, node: sympy.Expr) -> Quotient:
        self.hyperbolic = True
        up, down = (self._exponential("growth", node.args[0], sign) for sign in (1, -1))
        if isinstance(node, sympy.tanh):
            above, below = plus([up, scaled(down, -1)]), plus([up, down])
            return self.times(Quotient(above), self.inverse(Quotient(below)))
        sign = HALF if isinstance(node, sympy.cosh) else -HALF
        return Quotient(plus([scaled(up, HALF), scaled(down, sign)]))

    def _exponential(self, kind: str, inside: sympy.Expr, sign: int) -> Form:
        """exp(sum) as a product of powers, one for each term; the exponent is the number before it."""
        if inside not in self._terms:
            with self.inside(inside):
                self._terms[inside] = self._apart(self(inside))
        total = constant(1)
        for number, term in self._terms[inside]:
            if kind == "wave" and term is sympy.pi:
                self.take_turns()
                own = self.turned(sign * number)
            else:
                own = generator(self.number(kind, term), sign * number)
            total = times(total, own, self.work)
        return total

    def _apart(self, found: Quotient) -> list[Term]:
        """A sum as real terms with numbers before them."""
        if not found.below:
            return self._real_terms(found.above)
        below = [self.factors[k] for k, _ in found.below]
        inside = {k for form in below for product in form for k, _ in product}
        groups = sorted_apart(found.above, inside)
        downs = [-e for form in groups.values() for product in form for _, e in product if e < 0]
        long = sum(power for _, power in found.below) + max(downs, default=0) > MOST_POWERS
        if long or len(below) > MOST_FACTORS or max(map(len, below)) > MOST_TERMS or any(
            self.atoms[k].kind != "plain" for k in inside
        ):  # fmt: skip
            return self._whole_term(found)
        written = [(form, self.written(form)) for form in below]
        take = Remainders({k: self.atoms[k].expression for k in inside}, written, self.work)
        terms: list[Term] = []
        for rest, form in groups.items():
            front = self._real_terms({rest: (1, 0)}) if not self._has_wave(rest) else None
            if front is None:
                return self._whole_term(found)
            for number, term in take(form, [power for _, power in found.below]):
                terms.append((number, term * front[0][1]))
        return terms

    def _has_wave(self, product: Product) -> bool:
        return any(self.atoms[k].kind == "wave" for k, _ in product)

    def _whole_term(self, found: Quotient) -> list[Term]:
        """A quotient as one term, with a plus somewhere."""
        written = self.expression(found)
        sign = -1 if written.could_extract_minus_sign() else 1
        return [(sign, sign * written)]

    def _real_terms(self, form: Form) -> list[Term]:
        """The products of a real form, with sines and cosines whole."""
        terms: list[Term] = []
        for product, (a, b) in form.items():
            factors, angle = self.split(product)
            if angle == 0:
                terms.append((a, factors))
                continue
            turning = sum((e for k, e in product if k == self.turn), 0) * sympy.pi
            if (angle - turning).could_extract_minus_sign():  # the mirror of another
                continue
            count = 2 if angle != turning else 1
            terms += [(count * a, factors * sympy.cos(angle))] if a else []
            terms += [(-count * b, factors * sympy.sin(angle))] if b else []
        return terms

    def take_turns(self) -> None:
        """Know the wave exp(i pi), twelfths of which are numbers."""
        if not self.turns:
            self.turn = self.number("wave", sympy.pi)
            cosines = [self(sympy.cos(k * sympy.pi / 12)).above for k in range(24)]
            turned = [scaled(cosines[k - 6], 0, 1) for k in range(24)]
            self.turns = tuple(plus([a, b]) for a, b in zip(cosines, turned, strict=True))

    def _function(self, node: sympy.Expr) -> Quotient:
        """Any other function, of arguments in their unique form."""
        made = node.func(*(self._rebuilt(each) for each in node.args))
        return self._opaque(made)

    def _rebuilt(self, node: sympy.Basic) -> sympy.Basic:
        if not isinstance(node, sympy.Expr):
            return node
        with self.inside(node):
            return self.expression(self(node))

    @contextmanager
    def inside(self, node: sympy.Expr) -> Iterator[None]:
        """Read or write what a function is taken of: decimals outside of it are none of its own."""
        own, before = node.has(sympy.Float), self.decimal
        self.decimal = own
        self.decimal_inside |= own
        try:
            yield
        finally:
            self.decimal |= before

    def expression(self, q: Quotient) -> sympy.Expr:
        """The quotient as an expression, multiplied out."""
        below = [self.written(self.factors[k]) ** power for k, power in q.below]
        return self.written(q.above) / sympy.Mul(*below)

    def written(self, form: Form) -> sympy.Expr:
        """A real form as a sum of products with sines and cosines of sums."""
        terms = []
        for product, (a, b) in form.items():
            factors, angle = self.split(product)
            if angle == 0:
                terms.append(self.in_sympy(a) * factors)
            else:
                wave = self.in_sympy(a) * sympy.cos(angle) - self.in_sympy(b) * sympy.sin(angle)
                terms.append(wave * factors)
        return sympy.Add(*terms)

    def split(self, product: Product) -> tuple[sympy.Expr, sympy.Expr]:
        """A product as `factor * exp(i angle)`."""
        self.work.spend(WRITTEN * (1 + sum(effort(self.atoms[k].expression) for k, _ in product)))
        factors, angles = [], []
        for k, e in product:
            atom, exponent = self.atoms[k], in_sympy(e)
            if atom.kind == "wave":
                angles.append(exponent * atom.expression)
            else:
                factors.append(self.factor(atom, exponent))
        return sympy.Mul(*factors), sympy.Add(*angles)

    def factor(self, atom: Atom, exponent: sympy.Rational) -> sympy.Expr:
        """A power of a generator that is no wave."""
        if atom.kind == "growth":
            return sympy.exp(exponent * atom.expression)
        return atom.expression ** (exponent / atom.order)

    def in_sympy(self, number: Rational) -> sympy.Expr:
        """The number, as a decimal where decimals were read."""
        found = in_sympy(number)
        return found if found.is_Integer or not self.decimal else decimal(found)

    _rules: Mapping[Any, Callable[[Reader, Any], Quotient]] = {
        Let: _opaque,
        sympy.Symbol: _opaque,
        sympy.Pow: _power,
        (sympy.sin, sympy.cos): _wave,
        (sympy.tan, sympy.cot): _tangent,
        sympy.exp: _growth,
        sympy.Abs: _absolute,
        (sympy.sinh, sympy.cosh, sympy.tanh): _hyperbolic,
        sympy.Integral: _opaque,
        sympy.Subs: _opaque,
        sympy.Derivative: _opaque,
        sympy.Piecewise: _opaque,
        sympy.Function: _function,
    }


def in_sympy(number: Rational) -> sympy.Rational:
    """A number as SymPy's."""
    return sympy.Rational(number.numerator, number.denominator)


def _by_effort(written: sympy.Expr) -> tuple[int, str]:
    return effort(written), str(written)


def _length(node: sympy.Expr) -> int:
    return len(node.args)
