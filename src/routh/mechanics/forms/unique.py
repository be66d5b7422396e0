"""A unique form of what mechanics makes: fractions of polynomials in symbols, waves and roots.

Sines and cosines are taken apart into waves exp(i m), one for each term m of their arguments, so that
all relations between them are adding up equal products. A root is a generator whose powers are lowered
by what it is the root of. What is divided by is kept as factors, which are taken out where they divide
what is above. Two writings of one function have the same numerator then, and a difference that is zero
has none: that is shown, not sampled. Other functions, integrals and named intermediates are generators.

The work is counted in products of terms, so that what is given up is so on every machine.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf
from typing import Any

import sympy

from routh.language.symbols import Let
from routh.mechanics.forms.division import divided, primitive
from routh.mechanics.forms.laurent import (
    Form,
    Product,
    Rational,
    TooLongError,
    Work,
    constant,
    generator,
    plus,
    scaled,
    times,
    whole,
)

HALF = Fraction(1, 2)

HIGHEST = 12
"""Powers of sums beyond this are not multiplied out."""

MOST_RADICAND = 10**12
"""Numbers beyond this are not factored under a root."""


Below = tuple[tuple[int, int], ...]
"""Numbers of factors with their powers."""


@dataclass(frozen=True)
class Quotient:
    """A form over factors, given by their numbers, with their powers."""

    above: Form
    below: Below = ()


Parts = tuple[Quotient, ...]
"""A sum of quotients, each over other factors: they need not be multiplied out to be written."""


@dataclass(frozen=True)
class Atom:
    """What a generator stands for: "plain", "wave" for exp(i expression), "growth" or "root"."""

    kind: str
    expression: sympy.Expr
    order: int = 1
    """Of a root."""
    radicand: Form | None = None


class Reader:
    """Reads expressions into quotients over common generators."""

    def __init__(self, work: Work) -> None:
        self.work = work
        self.atoms: list[Atom] = []
        self.factors: list[Form] = []
        self.decimal = False
        """Whether decimals were read: the numbers are printed as such again."""
        self.hyperbolic = False
        self._numbers: dict[tuple[str, sympy.Basic, int], int] = {}
        self._known: dict[frozenset[Any], int] = {}
        self._roots: set[int] = set()
        self._radicands: set[frozenset[Any]] = set()
        self._written: dict[frozenset[Any], sympy.Expr] = {}
        self._read: dict[sympy.Basic, Parts] = {}

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

    def written_as(self, form: Form) -> sympy.Expr | None:
        """How what is divided by, or the root is taken of, was written, if it was as it is."""
        return self._written.get(frozenset(form.items()))

    def joined(self, parts: Parts) -> Quotient:
        """A sum of quotients as one."""
        return parts[0] if len(parts) == 1 else self.lowest(self.plus(list(parts)))

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

    def _gathered(self, quotients: list[Quotient]) -> Parts:
        """Quotients over the same factors added up."""
        groups: dict[Below, list[Form]] = {}
        for each in quotients:
            groups.setdefault(each.below, []).append(each.above)
        added = [Quotient(plus(forms), below) for below, forms in groups.items()]
        lowest = [self.lowest(each) if each.below else each for each in added if each.above]
        if len({each.below for each in lowest}) < len(lowest):  # what was divided by went away
            return self._gathered(lowest)
        return tuple(lowest) or (Quotient({}),)

    def _product(self, factors: Sequence[sympy.Expr]) -> Parts:
        total: Parts = (Quotient(constant(1)),)
        for factor in sorted(factors, key=_length):
            own = self.parts(factor)
            total = self._gathered([self.times(a, b) for a in total for b in own])
        return total

    def number(self, kind: str, expression: sympy.Basic, order: int = 1) -> int:
        """The number of a generator, which is new the first time."""
        key = (kind, expression, order)
        if key not in self._numbers:
            self._numbers[key] = len(self.atoms)
            self.atoms.append(Atom(kind, expression, order))
        return self._numbers[key]

    def is_free(self, form: Form) -> bool:
        """Whether its generators are known to be independent: symbols and waves, and one root."""
        used = {k for product in form for k, _ in product}
        kinds = [self.atoms[k] for k in used]
        roots = sum(atom.kind == "root" for atom in kinds)
        symbols = all(atom.kind != "plain" or atom.expression.is_Symbol for atom in kinds)
        inside = all(
            part.is_Symbol or part.is_number or part.is_Add or part.is_Mul or part.is_Pow
            for atom in kinds
            for part in sympy.preorder_traversal(atom.expression)
        )
        return symbols and inside and roots <= 1 and not any(atom.kind == "growth" for atom in kinds)

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

    def plus(self, terms: list[Quotient]) -> Quotient:
        """The sum over what is divided by in any of them."""
        powers: dict[int, int] = {}
        for term in terms:
            for k, power in term.below:
                powers[k] = max(power, powers.get(k, 0))
        if not powers:
            return Quotient(plus([term.above for term in terms]))
        parts = []
        for term in terms:
            own, above = dict(term.below), term.above
            for k, power in powers.items():
                for _ in range(power - own.get(k, 0)):
                    above = self._multiplied(above, self.factors[k])
            parts.append(above)
        return Quotient(plus(parts), tuple(sorted(powers.items())))

    def times(self, a: Quotient, b: Quotient) -> Quotient:
        """The product."""
        powers = dict(a.below)
        for k, power in b.below:
            powers[k] = powers.get(k, 0) + power
        return Quotient(self._multiplied(a.above, b.above), tuple(sorted(powers.items())))

    def lowest(self, whole_: Quotient) -> Quotient:
        """The quotient without factors that divide what is above."""
        above, below = whole_.above, {}
        if not above:
            return Quotient({})
        for k, power in whole_.below:
            left = power
            while left:
                found = divided(above, self.factors[k], self.work)
                if found is None:
                    break
                above, left = found, left - 1
            if left:
                below[k] = left
        return Quotient(above, tuple(sorted(below.items())))

    def _multiplied(self, a: Form, b: Form) -> Form:
        """The product of forms with the powers of roots lowered."""
        found = times(a, b, self.work)
        return self._lowered(found) if self._roots else found

    def _lowered(self, form: Form) -> Form:
        parts: list[Form] = []
        plain: Form = {}
        for product, number in form.items():
            high = next(
                ((k, e) for k, e in product if k in self._roots and e >= self.atoms[k].order), None
            )
            if high is None:
                plain[product] = number
                continue
            k, e = high
            atom = self.atoms[k]
            assert atom.radicand is not None
            count, left = divmod(int(e), atom.order)
            rest = tuple((j, x) for j, x in product if j != k)
            part: Form = {rest: number}
            if left:
                part = times(part, generator(k, left), self.work)
            for _ in range(count):
                part = times(part, atom.radicand, self.work)
            parts.append(self._lowered(part))
        return plus([plain, *parts]) if parts else form

    def inverse(self, q: Quotient) -> Quotient:
        """One over a quotient."""
        if not q.above:
            raise TooLongError
        total = Quotient(constant(1))
        for k, power in q.below:
            for _ in range(power):
                total = Quotient(self._multiplied(total.above, self.factors[k]))
        return self.times(total, self._over(q.above))

    def _over(self, form: Form) -> Quotient:
        """One over a form: of a product at once, else by a factor."""
        content, product, rest = primitive(form, self._divides)
        front: Form = {tuple((k, -e) for k, e in product): (whole(1 / content), 0)}
        if len(rest) == 1:
            ((own, (a, b)),) = rest.items()
            if not own and not b:
                return Quotient(scaled(front, whole(Fraction(1) / Fraction(a))))
        powers: dict[int, int] = {}
        for k, factor in enumerate(list(self.factors)):
            while len(rest) >= len(factor):
                found = divided(rest, factor, self.work)
                if found is None:
                    break
                powers[k] = powers.get(k, 0) + 1
                rest = found
        if len(rest) == 1 and () in rest and not rest[()][1]:
            number = whole(Fraction(1) / Fraction(rest[()][0]))
            return Quotient(scaled(front, number), tuple(sorted(powers.items())))
        if powers:  # what is left over may have a common factor of its own again
            left = self._over(rest)
            for k, power in left.below:
                powers[k] = powers.get(k, 0) + power
            return Quotient(self._multiplied(front, left.above), tuple(sorted(powers.items())))
        turned = _first(rest)[0] < 0 and frozenset(rest.items()) not in self._radicands
        sign = -1 if turned else 1
        rest = scaled(rest, sign)
        key = frozenset(rest.items())
        if key not in self._known:
            self._known[key] = len(self.factors)
            self.factors.append(rest)
        return Quotient(scaled(front, sign), ((self._known[key], 1),))

    def _divides(self, k: int) -> bool:
        """Whether a generator may be divided by alone: a wave is only real together with its mirror."""
        return self.atoms[k].kind == "plain"

    def power(self, q: Quotient, exponent: int) -> Quotient:
        """A whole power."""
        if abs(exponent) > HIGHEST and len(q.above) > 1:
            raise TooLongError
        base = q if exponent >= 0 else self.inverse(q)
        if len(base.above) == 1 and not base.below:
            ((product, number),) = base.above.items()
            if not number[1] and not any(k in self._roots for k, _ in product):
                raised = Fraction(number[0]) ** abs(exponent)
                return Quotient({tuple((k, e * abs(exponent)) for k, e in product): (whole(raised), 0)})
        total = Quotient(constant(1))
        for _ in range(abs(exponent)):
            total = self.times(total, base)
        return total

    def _power(self, node: sympy.Expr) -> Quotient:
        exponent = node.exp
        if exponent.is_Rational and (exponent.q > 1 or exponent.p < 0) and not node.base.is_number:
            base = self(node.base)
            if not base.below:
                self._written.setdefault(frozenset(base.above.items()), node.base)
        if exponent.is_Integer:
            return self.power(self(node.base), int(exponent))
        if exponent.is_Rational:
            return self._root(node)
        return self._opaque(node)

    def _root(self, node: sympy.Expr) -> Quotient:
        base, order = node.base, int(node.exp.q)
        if base.is_Rational:
            return self._number_root(base, int(node.exp.p), order)
        inside = self(base)
        if inside.below or not inside.above:
            return self._opaque(node)
        return self._root_of(inside.above, int(node.exp.p), order)

    def _root_of(self, form: Form, exponent: int, order: int) -> Quotient:
        """A root, a positive number taken out of what it is the root of."""
        content, _, _ = primitive(form, lambda _: False)
        if content != 1 and len(form) > 1:
            number = self._number_root(in_sympy(content), exponent, order)
            rest = scaled(form, whole(1 / content))
            return self.times(number, self._root_of(rest, exponent, order))
        count, left = divmod(exponent, order)
        k = self.number("root", self.written(form), order)
        if k not in self._roots:
            self._roots.add(k)
            self._radicands.add(frozenset(form.items()))
            self.atoms[k] = Atom("root", self.atoms[k].expression, order, form)
        return self.times(self.power(Quotient(form), count), Quotient(generator(k, left)))

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
        up, down = (self._waves(node.args[0], sign) for sign in (1, -1))
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
        return Quotient(self._grown(node.args[0], 1))

    def _hyperbolic(self, node: sympy.Expr) -> Quotient:
        self.hyperbolic = True
        up, down = (self._grown(node.args[0], sign) for sign in (1, -1))
        if isinstance(node, sympy.tanh):
            above, below = plus([up, scaled(down, -1)]), plus([up, down])
            return self.times(Quotient(above), self.inverse(Quotient(below)))
        sign = HALF if isinstance(node, sympy.cosh) else -HALF
        return Quotient(plus([scaled(up, HALF), scaled(down, sign)]))

    def _waves(self, angle: sympy.Expr, sign: int) -> Form:
        return self._exponential("wave", angle, sign)

    def _grown(self, exponent: sympy.Expr, sign: int) -> Form:
        return self._exponential("growth", exponent, sign)

    def _exponential(self, kind: str, inside: sympy.Expr, sign: int) -> Form:
        """exp(sum) as a product of powers, one for each term; the exponent is the number before it."""
        found = self(inside)
        simple = not found.below and all(
            not b and all(self.atoms[k].kind in ("plain", "root") for k, _ in product)
            for product, (_, b) in found.above.items()
        )
        if not simple:
            return generator(self.number(kind, self.expression(found)), sign)
        total = constant(1)
        for product, (a, _) in found.above.items():
            k = self.number(kind, self.written({product: (1, 0)}))
            total = times(total, generator(k, sign * a), self.work)
        return total

    def _function(self, node: sympy.Expr) -> Quotient:
        """Any other function, of arguments in their unique form."""
        made = node.func(*(self._rebuilt(each) for each in node.args))
        return self._opaque(made)

    def _rebuilt(self, node: sympy.Basic) -> sympy.Basic:
        return self.expression(self(node)) if isinstance(node, sympy.Expr) else node

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
        return atom.expression ** (exponent / atom.order if atom.kind == "root" else exponent)

    def in_sympy(self, number: Rational) -> sympy.Expr:
        """The number, as a decimal where decimals were read."""
        found = in_sympy(number)
        return found if found.is_Integer or not self.decimal else sympy.Float(float(number))

    _rules: Mapping[Any, Callable[[Reader, Any], Quotient]] = {
        Let: _opaque,
        sympy.Symbol: _opaque,
        sympy.Pow: _power,
        (sympy.sin, sympy.cos): _wave,
        (sympy.tan, sympy.cot): _tangent,
        sympy.exp: _growth,
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


def _length(node: sympy.Expr) -> int:
    return len(node.args)


def _first(form: Form) -> tuple[Rational, Rational]:
    """The number that decides about the sign: real before imaginary, of the last product."""
    a, b = form[max(form)]
    return (a, b) if a else (b, a)
