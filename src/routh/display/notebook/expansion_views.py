"""Beyond the linear model in numbers: terms of higher degree, and normal forms."""

from __future__ import annotations

from collections import Counter
from math import factorial, prod
from typing import Any

import numpy as np

from routh.analysis.expansion.normal_form import NormalForm, Resonance
from routh.analysis.expansion.taylor import Taylor
from routh.display.notebook import html_pieces as page
from routh.display.notebook.html_pieces import Cells, number
from routh.display.notebook.rest_views import given
from routh.display.notebook.symbol_names import symbol
from routh.display.notebook.view_kinds import html_of
from routh.errors import DeclarationError

FEW = 6
"""Coordinates up to which derivatives of L are listed."""


@html_of.register
def _(found: Taylor) -> str:
    outside = found.system.forces or found.system.dissipation
    return page.whole(
        page.heading(f"Expansion of {found.system.title} in numbers, up to degree {found.order}"),
        page.said(
            "Terms of L in deviations from the rest:"
            if len(found.system.coordinates) <= FEW
            else "Parts of the equations are had by calling it, terms of L by `tensor`."
        ),
        *(_terms(found, degree) for degree in range(2, found.order + 2)),
        page.said("Forces and damping add to the parts of the equations." if outside else ""),
        given(found.reference.conditions),
    )


def _terms(found: Taylor, degree: int) -> str:
    """The terms of L of one degree, each with its factor."""
    n = len(found.system.coordinates)
    if n > FEW:
        return ""
    try:
        tensor = found.tensor(degree).tocoo()
    except DeclarationError:
        return ""
    factors = _factors(tensor, 2 * n, degree)
    names = [*found.system.coordinates, *found.system.velocities]
    rows = [[_monomial(key, names), number(x)] for key, x in factors.items()]
    head = [f"degree {degree}", "factor"]
    if not rows:
        return page.paragraph(f"degree {degree}: nothing")
    return page.pairs(rows, head, what="terms", rest="`tensor`")


def _factors(tensor: Any, size: int, degree: int) -> dict[tuple[int, ...], float]:
    """Derivatives by (i, j, ...) as factors of monomials; each monomial is met in every order."""
    found: dict[tuple[int, ...], float] = {}
    for i, column, value in zip(tensor.row, tensor.col, tensor.data, strict=True):
        others = [int(column) // size**k % size for k in range(degree - 1)]
        key = tuple(sorted([int(i), *others]))
        found[key] = float(value) / prod(factorial(times) for times in Counter(key).values())
    largest = max(map(abs, found.values()), default=0.0)
    kept = {key: x for key, x in found.items() if abs(x) > page.NOISE * largest}
    return dict(sorted(kept.items()))


def _monomial(key: tuple[int, ...], names: list[Any]) -> str:
    powers = Counter(key)
    return " ".join(
        f"&delta;{symbol(names[k])}" + (f"<sup>{times}</sup>" if times > 1 else "")
        for k, times in powers.items()
    )


@html_of.register
def _(found: NormalForm) -> str:
    def row(k: int) -> Cells:
        w, c = float(found.frequencies[k]), float(found.shift[k])
        return [str(k + 1), number(w), number(c), symbol(found.measure[k]), _kind(w, c)]

    head = ["mode", "frequency in rad/s", "change by A<sup>2</sup>", "A is that of", ""]
    resonances = [[page.prose(str(each))] for each in found.resonances]
    return page.whole(
        page.heading(f"Normal form of {found.system.title}"),
        page.paragraph("<i>&omega;</i>(<i>A</i>) = frequency + change <i>A</i><sup>2</sup>"),
        page.table(head, len(found.frequencies), row, words=(3, 4), what="modes", rest="`shift`"),
        page.pairs(resonances, ["resonances"], what="resonances", rest="`resonances`"),
    )


def _kind(w: float, c: float) -> str:
    """As it is told in words."""
    if np.isnan(c):
        return "in exact resonance: it does not go by itself"
    if abs(c) < 1e-12 * w:
        return "the same at every amplitude, to this order"
    return "softens" if c < 0 else "hardens"


@html_of.register
def _(found: Resonance) -> str:
    return page.whole(page.said(str(found)))
