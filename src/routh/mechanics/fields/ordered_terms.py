"""Rows of systems with fields as people write them: inertia, velocities, stiffness, forces.

Nothing of this changes a value; it is how a row is shown. Integrals up to a place run over another one
with a name of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import sympy

from routh.language.calculus import ddt
from routh.language.derivation import domain, integrand, masked_integrals
from routh.language.fields import Field, Space
from routh.language.symbols import Atom, Input, Signal, new_symbol
from routh.language.walk import written_size
from routh.mechanics.fields.term_groups import Group, grouped, varies
from routh.mechanics.forms.chapter import Formula
from routh.mechanics.forms.printing import latex, text
from routh.mechanics.forms.term_kinds import INERTIA, kind_of

FACTORED = 400
"""Nodes beyond which a coefficient is not factored."""

Places = Mapping[Space, sympy.Symbol]
"""What the place along a space is called inside integrals."""


@dataclass(frozen=True)
class Piece:
    """One term: where it stands, whether it is subtracted, and how it is written."""

    order: tuple[int, int, int, str]
    negative: bool
    formula: Formula


class _Placed(Atom):
    """A field at the place that an integral runs over, while it is printed."""

    __slots__ = ()
    _rank = 4


def written(parts: Sequence[sympy.Expr], of: Signal | None = None) -> Formula:
    """The sum of parts[0], the slope of parts[1] and the second slope of parts[2] along the space.

    Of what is of one kind, that of the variable `of`, whose row it is, comes first.
    """
    return _sum(pieces(parts, of))


def written_whole(value: sympy.Expr) -> Formula:
    """One expression, with a single integral for each domain: what a name stands for."""
    if not value.atoms(Signal) and not value.has(sympy.Integral):
        short = min(value, factored(sympy.expand(value)), key=sympy.count_ops)
        return Formula(text(short), latex(short))
    return _sum(sorted(_pieces(value, {}, 0, None, sorted_by_kind=False), key=_order))


def written_energy(value: sympy.Expr) -> Formula:
    """An energy, by degree in the rates: squares of velocities first."""
    groups = grouped(value, sorted_by_kind=True)
    found = [(-_rates(key), _piece(key, kind, group, {})) for (key, kind), group in groups.items()]
    return _sum(piece for _, piece in sorted(found, key=lambda item: (item[0], item[1].order)))


def _rates(key: sympy.Expr) -> int:
    """How many rates a product has."""
    powers = key.as_powers_dict().items()
    return sum(int(n) for x, n in powers if isinstance(x, Signal) and x.order and n.is_Integer)


def pieces(parts: Sequence[sympy.Expr], of: Signal | None = None) -> list[Piece]:
    """The terms in the order in which people write them."""
    space = of.space if isinstance(of, Field) else None
    found = [piece for k, part in enumerate(parts) for piece in _pieces(part, {}, k, space)]
    first = str(ddt(of, 2)) if of is not None else ""
    found = [
        replace(p, order=(p.order[0], -1, *p.order[2:])) if p.order[3] == first else p for p in found
    ]
    if any(piece.order[0] == INERTIA for piece in found):
        return sorted(found, key=_order)
    return sorted(found, key=_order_at_rest)


def has_inertia(parts: Sequence[sympy.Expr]) -> bool:
    """Whether there are accelerations."""
    return any(kind_of(part.atoms(sympy.Symbol)) == INERTIA for part in parts)


def is_led_by_a_minus(parts: Sequence[sympy.Expr], of: Signal | None = None) -> bool:
    """Whether the first term is subtracted."""
    found = pieces(parts, of)
    return bool(found) and found[0].negative


def _sum(found: Iterable[Piece]) -> Formula:
    words, symbols = "", ""
    for piece in found:
        sign = (" - " if piece.negative else " + ") if words else ("-" if piece.negative else "")
        words += sign + piece.formula.text
        symbols += sign + piece.formula.latex
    return Formula(words or "0", symbols or "0")


def _pieces(
    value: sympy.Expr,
    places: Places,
    slopes: int,
    space: Space | None,
    *,
    sorted_by_kind: bool = True,
) -> Iterator[Piece]:
    groups = grouped(value, sorted_by_kind)
    if slopes:  # one bracket for what is of one kind
        for kind in dict.fromkeys(kind for _, kind in groups):
            own = {key: group for key, group in groups.items() if key[1] == kind}
            inner = sorted((_piece(*key, group, places) for key, group in own.items()), key=_order)
            negative = inner[0].negative
            turned = [Piece(p.order, p.negative != negative, p.formula) for p in inner]
            order = (kind, 0, inner[0].order[2] + slopes, inner[0].order[3])
            yield Piece(order, negative, _sloped(turned, slopes, space))
        return
    for (key, kind), group in groups.items():
        if key == 1 and not group.integrals:
            yield from _alone(kind, factored(sympy.Add(*group.plain)), places)
        else:
            yield _piece(key, kind, group, places)


def _alone(kind: int, plain: sympy.Expr, places: Places) -> Iterator[Piece]:
    """The terms in which nothing moves."""
    for k, term in enumerate(plain.as_ordered_terms()):
        negative, value = _without_sign(term)
        yield Piece((kind, 4, k, ""), negative, _shut(value, places))


def _order(piece: Piece) -> tuple[int, int, int, str]:
    return piece.order


def _order_at_rest(piece: Piece) -> tuple[int, int, int, str]:
    """Without inertia the steepest term leads."""
    kind, standing, slope, name = piece.order
    return kind, standing, -slope, name


def _sloped(inner: list[Piece], slopes: int, space: Space | None) -> Formula:
    assert space is not None
    whole = _sum(inner)
    return Formula(
        f"({whole.text})_{space.name * slopes}", rf"\left({whole.latex}\right){chr(39) * slopes}"
    )


def _piece(key: sympy.Expr, kind: int, group: Group, places: Places) -> Piece:
    order = (kind, *_standing(key, bool(group.integrals)), str(key))
    plain = sympy.Add(*group.plain)
    if not group.integrals:
        negative, plain = _without_sign(factored(plain))
        return Piece(order, negative, _product(plain, key, places))
    common, inner = _coefficient(plain, group, places)
    negative, common = _without_sign(common)
    whole = _sum(inner) if len(inner) == 1 else _bracketed(_sum(inner))
    if len(inner) == 1:  # what moves stands before a single integral
        return Piece(order, negative, _scaled(common * key, whole, places))
    whole = _scaled(common, whole, places)
    return Piece(order, negative, whole if key == 1 else _times(whole, _leaf(key, places)))


def _coefficient(plain: sympy.Expr, group: Group, places: Places) -> tuple[sympy.Expr, list[Piece]]:
    """A sum with integrals as a common factor and its terms, the first of them added."""
    integrals: dict[sympy.Symbol, Piece] = {}
    total = plain
    for limits, densities in sorted(group.integrals.items(), key=lambda item: item[0][0].serial):
        number, piece = _integral_piece(sympy.Add(*densities), limits, places)
        if piece is not None:
            mask = sympy.Dummy("integral", real=True)
            integrals[mask] = piece
            total += number * mask
    common, body = _common(total)
    masks = list(integrals)
    terms = sorted(sympy.Add.make_args(body), key=lambda term: _rank_of(term, masks))
    signed = [(*_without_sign(term), next((m for m in masks if term.has(m)), None)) for term in terms]
    if signed[0][0]:
        common, signed = -common, [(not minus, term, mask) for minus, term, mask in signed]
    return common, [
        Piece((0, 0, 0, ""), minus, _with_integral(term, mask, integrals, places))
        for minus, term, mask in signed
    ]


def _common(total: sympy.Expr) -> tuple[sympy.Expr, sympy.Expr]:
    """A sum as a product of a factor and a sum."""
    if not total.is_Add:
        masks = [f for f in sympy.Mul.make_args(total) if isinstance(f, sympy.Dummy)]
        return total / masks[0], masks[0]
    shaped = sympy.factor_terms(total)
    sums = [f for f in sympy.Mul.make_args(shaped) if f.is_Add]
    if not shaped.is_Mul or len(sums) != 1:
        return sympy.S.One, total
    return shaped / sums[0], sums[0]


def _rank_of(term: sympy.Expr, masks: list[sympy.Symbol]) -> tuple[int, str]:
    found = [k for k, mask in enumerate(masks) if term.has(mask)]
    return (found[0], "") if found else (-1, str(term))


def _with_integral(
    term: sympy.Expr, mask: sympy.Symbol | None, integrals: Mapping[sympy.Symbol, Piece], places: Places
) -> Formula:
    """A term that may be a number of times an integral."""
    if mask is None:
        return _leaf(term, places)
    number, formula = term / mask, integrals[mask].formula
    return _scaled(number, formula, places)


def _scaled(number: sympy.Expr, whole: Formula, places: Places) -> Formula:
    """A factor before something that is written already, with its denominator behind it."""
    above, below = sympy.fraction(number)
    formula = whole if above == 1 else _times(_shut(above, places), whole)
    if below == 1:
        return formula
    under, over = _leaf(below, places), _leaf(above, places)
    return Formula(
        f"{formula.text}/{under.text}" if below.is_Atom else f"{formula.text}/({under.text})",
        rf"\frac{{{over.latex}}}{{{under.latex}}} {whole.latex}",
    )


def _without_sign(value: sympy.Expr) -> tuple[bool, sympy.Expr]:
    """Whether a product has a minus before it, and what is behind it; sums in it begin with a plus."""
    negative, factors = False, []
    for factor in sympy.Mul.make_args(value):
        turned = factor.is_Add and factor.as_ordered_terms()[0].could_extract_minus_sign()
        turned = turned or (factor.is_Number and factor.is_negative)
        negative ^= bool(turned)
        factors.append(-factor if turned else factor)
    return negative, sympy.Mul(*factors)


def _standing(key: sympy.Expr, integrated: bool) -> tuple[int, int]:
    """Fields first, then coordinates, values at ends and integrals; then by slopes along the space."""
    signals = [x for x in key.atoms(Signal) if not isinstance(x, Input)]
    slopes = [x.slope for x in signals if isinstance(x, Field)]
    if not signals:
        return (3 if integrated else 4), 0
    inside = any(isinstance(x, Field) and x.end is None for x in signals)
    at_end = any(isinstance(x, Field) and x.end is not None for x in signals)
    return (0 if inside else 2 if at_end else 1), max(slopes, default=0)


def _integral_piece(
    density: sympy.Expr, limits: tuple[sympy.Expr, ...], places: Places
) -> tuple[sympy.Expr, Piece | None]:
    """An integral over a place with a name of its own, and the factors that do not vary before it."""
    space, lower, upper = limits
    assert isinstance(space, Space)
    masked, inner = masked_integrals(density)
    factors = sympy.Mul.make_args(sympy.factor_terms(masked))
    fixed = [f for f in factors if not varies(f.xreplace(inner), space)]
    left = sympy.Mul(*(f for f in factors if f not in fixed)).xreplace(inner)
    number = sympy.Mul(*fixed).xreplace(inner)
    if number == 0:
        return number, None
    ends = [_leaf(bound, places) for bound in (lower, upper)]
    own = dict(places)
    if varies(lower, space) or varies(upper, space) or space in places:
        own[space] = _bound_place(density, space, places)
    body = sorted(_pieces(left, own, 0, None), key=_order)
    if all(piece.negative for piece in body):
        number, body = -number, [Piece(p.order, False, p.formula) for p in body]
    inside, name = _sum(body), _leaf(space, own)
    wide = rf"\left({inside.latex}\right)" if len(body) > 1 else inside.latex
    formula = Formula(
        f"Integral({inside.text}, ({name.text}, {ends[0].text}, {ends[1].text}))",
        rf"\int_{{{ends[0].latex}}}^{{{ends[1].latex}}} {wide} \, d{name.latex}",
    )
    return number, Piece((0, 0, 0, ""), False, formula)


def _bound_place(density: sympy.Expr, space: Space, places: Places) -> sympy.Symbol:
    """A name for the place that an integral runs over: sigma, or the space's with a number."""
    taken = {x.name for x in density.atoms(sympy.Symbol)} | {x.name for x in places.values()}
    names = ["sigma", *(f"{space.name}{k}" for k in range(1, len(taken) + 2))]
    return sympy.Symbol(next(name for name in names if name not in taken), real=True)


def _product(coefficient: sympy.Expr, key: sympy.Expr, places: Places) -> Formula:
    """A coefficient before what moves; SymPy would print sums last."""
    apart = any(f.is_Add or isinstance(f, sympy.Function) for f in sympy.Mul.make_args(coefficient))
    quotient = any(f.is_Pow and f.exp.could_extract_minus_sign() for f in sympy.Mul.make_args(key))
    if key == 1 or not apart or quotient:
        return _shut(coefficient * key, places)
    return _times(_shut(coefficient, places), _leaf(key, places))


def _times(left: Formula, right: Formula) -> Formula:
    return Formula(f"{left.text}*{right.text}", f"{left.latex} {right.latex}")


def _shut(value: sympy.Expr, places: Places) -> Formula:
    """The formula as a factor or a term: a sum in brackets."""
    leaf = _leaf(value, places)
    return _bracketed(leaf) if value.is_Add else leaf


def _bracketed(inside: Formula) -> Formula:
    return Formula(f"({inside.text})", rf"\left({inside.latex}\right)")


def _leaf(value: sympy.Expr, places: Places) -> Formula:
    """An expression with the names of places put in; integrals in it are written by themselves."""
    masked, integrals = masked_integrals(value)
    back: dict[sympy.Basic, sympy.Basic] = {}
    for mask, each in integrals.items():
        number, found = _integral_piece(integrand(each), tuple(domain(each)), places)
        if found is None:
            back[mask] = sympy.S.Zero
            continue
        symbol = new_symbol(_Placed, found.formula.text)
        symbol._latex_name = found.formula.latex
        back[mask] = number * symbol
    for x in masked.atoms(Field):
        if x.end is None and x.space in places:
            place = places[x.space]
            symbol = new_symbol(_Placed, f"{x.name}({place.name})")
            symbol._latex_name = f"{sympy.latex(x)}({sympy.latex(place)})"
            back[x] = symbol
    shown = masked.xreplace({**places, **back})
    return Formula(text(shown), latex(shown))


def factored(value: sympy.Expr) -> sympy.Expr:
    """The shortest of a few forms of a coefficient; of two alike the first."""
    if not value.is_Add or written_size(value) > FACTORED:
        return value
    negative, product = _without_sign(sympy.factor(value))
    forms = (sympy.factor_terms(value), -product if negative else product, value)
    return min(forms, key=sympy.count_ops)
