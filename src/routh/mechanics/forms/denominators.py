"""What is divided by, put together again from irreducible factors as people write it.

Halves of angles go in pairs, `sin(x)**2` and `1 - cos(x)`, and a root over what it is the root of is
one over the root.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import reduce

from routh.mechanics.forms.irreducible import Factors
from routh.mechanics.forms.laurent import Form, Product, scaled, whole
from routh.mechanics.forms.quotients import Below, Quotient
from routh.mechanics.forms.unique import Reader

WAVES = ("wave", "growth")

TOGETHER = 8
"""Terms up to which factors are multiplied out to see whether that is shorter."""


class Denominators:
    """Writes what is below in quotients of a reader."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    def __call__(self, roots: Product, quotient: Quotient) -> Iterator[tuple[Product, Quotient]]:
        """Powers of roots, and the rest; then that with whole angles below, if it has halves."""
        front, left = self._under(roots, quotient)
        yield front, left
        odd = {k for k, power in left.below if power % 2 and self._halves(self._reader.factors[k])}
        if odd:
            above = left.above
            for k in sorted(odd):
                above = self._reader.product(above, self._reader.factors[k])
            yield front, Quotient(above, tuple((k, power + (k in odd)) for k, power in left.below))

    def _under(self, roots: Product, quotient: Quotient) -> tuple[Product, Quotient]:
        """Roots over powers of what they are roots of, as powers of the roots."""
        front = []
        for k, e in roots:
            atom = self._reader.atoms[k]
            if atom.order != 2 or e != 1 or atom.radicand is None:
                continue
            over = self._reader.over(atom.radicand)
            powers = dict(quotient.below)
            count = min((powers.get(j, 0) // power for j, power in over.below), default=0)
            if not count or len(over.above) > 1:
                continue
            for j, power in over.below:
                powers[j] -= power * count
            below = tuple((j, power) for j, power in sorted(powers.items()) if power)
            quotient = Quotient(_without(quotient.above, k, over.above, count), below)
            front.append((k, 1 - 2 * count))
        return tuple(front), quotient

    def below(self, below: Below) -> Iterator[Factors]:
        """What is below as factors with their powers: those of the same power together, and apart."""
        apart = self.paired([(self._reader.factors[k], power) for k, power in below])
        together: dict[int, list[Form]] = {}
        for form, power in apart:
            together.setdefault(power, []).append(form)
        if len(together) < len(apart):
            merged = [(reduce(self._reader.product, forms), n) for n, forms in together.items()]
            if sum(len(form) for form, _ in merged) <= TOGETHER:
                yield merged
        yield apart

    def paired(self, factors: Factors) -> Factors:
        """Factors with halves of angles in pairs."""
        found: Factors = []
        odd: Factors = []
        for form, power in factors:
            (odd if self._halves(form) else found).append((form, power))
        while odd:
            form, power = odd.pop(0)
            same = [i for i, (each, _) in enumerate(odd) if self._halves(each) == self._halves(form)]
            if same:
                other, count = odd.pop(same[0])
                both = min(power, count)
                found.append((self._reader.product(form, other), both))
                odd[:0] = [(f, n - both) for f, n in ((form, power), (other, count)) if n > both]
            else:
                found += [(self._reader.product(form, form), power // 2)] if power > 1 else []
                found += [(form, 1)] if power % 2 else []
        return found

    def _halves(self, form: Form) -> frozenset[int]:
        """The waves and exponentials of which half powers stand in a form."""
        first = next(iter(form))
        return frozenset(
            k for k, e in first if e.denominator == 2 and self._reader.atoms[k].kind in WAVES
        )


def _without(form: Form, root: int, over: Form, count: int) -> Form:
    """A form without a root in each of its terms, over a power of a number times a product."""
    ((shared, (number, _)),) = over.items()
    found: Form = {}
    for product, pair in form.items():
        powers = dict(product)
        powers.pop(root)
        for k, e in shared:
            powers[k] = powers.get(k, 0) - count * e
        found[tuple((k, e) for k, e in sorted(powers.items()) if e)] = pair
    return scaled(found, whole(1 / Fraction(number) ** count))
