"""What becomes of equations in symbols: Hamilton, Routh, Legendre, Gibbs and Appell, expansions."""

from __future__ import annotations

from collections.abc import Iterator

from routh.display.notebook import formula_blocks as md
from routh.display.notebook.equation_views import zero_row
from routh.display.notebook.view_kinds import markdown_of
from routh.mechanics.expansion import Expansion, FieldExpansion
from routh.mechanics.forms.printing import latex
from routh.mechanics.transforms.appell import AppellEquations
from routh.mechanics.transforms.hamel import HamelEquations
from routh.mechanics.transforms.hamilton import CanonicalEquations
from routh.mechanics.transforms.legendre import Legendre
from routh.mechanics.transforms.one_to_many import Branch
from routh.mechanics.transforms.routhian import Routhian

MOST = 12
"""Parts of a transform, and symbols, that are listed."""


@markdown_of.register
def _(found: CanonicalEquations) -> str:
    closed = "" if found.is_explicit else "H has no closed form in momenta that was found."
    return md.document(
        md.heading(f"Hamilton's equations of {found.system.title}"),
        _canonical(found),
        md.told("H is the energy T + V." if found.is_energy else ""),
        md.told(closed),
        md.told(found.remark),
    )


def _canonical(found: CanonicalEquations) -> str:
    if found.H is None:
        return md.formulas([found.latex()], 1, rest="`str(...)`")
    rates = zip(found.system.coordinates, found.q_rates, strict=True)
    rows = [f"H &= {latex(found.H)}", *(f"{latex(q.rate)} &= {latex(own)}" for q, own in rates)]
    pushed = zip(found.momenta, found.p_rates, strict=True)
    rows += [f"{latex(p.rate)} &= {latex(own)}" for p, own in pushed]
    rows += [f"{latex(phi)} &= 0" for phi in found.constraints]
    return md.formulas(rows, len(rows), what="equations", rest="`q_rates` and `p_rates`")


@markdown_of.register
def _(found: Routhian) -> str:
    pairs = found.velocities.items()
    rows = [f"R &= {latex(found.R)}", *(f"{latex(q.rate)} &= {latex(v)}" for q, v in pairs)]
    held = ", ".join(md.inline(latex(p)) for p in found.momenta.values())
    return md.document(
        md.heading("Routhian"),
        md.formulas(rows, len(rows), what="equations", rest="`R` and `velocities`"),
        f"constant momenta {held}; what is left is {md.told(found.system.title)}",
    )


@markdown_of.register
def _(found: Legendre) -> str:
    return md.document(
        md.heading("Legendre transform"),
        md.formulas(_legendre(found), 2 + len(found.variables)),
        md.told(found.remark),
        *(_branch(each) for each in found.branches[:MOST]),
        "" if _are_all(found) else "and others further out",
    )


def _branch(part: Branch) -> str:
    """A part of a transform that is not one: where it holds, and what it is."""
    if part.transform is None:
        return md.told(f"{part.where}: no closed form")
    return md.document(md.told(f"{part.where}:"), md.formulas([f"f^* &= {latex(part.transform)}"], 1))


def _are_all(found: Legendre) -> bool:
    """Whether all parts are listed."""
    known = found.bending.pieces is None or found.bending.pieces.complete
    return (known or not found.branches) and len(found.branches) <= MOST


def _legendre(found: Legendre) -> Iterator[str]:
    yield f"f &= {latex(found.f)}"
    for y, slope in zip(found.conjugates, found.slopes, strict=True):
        yield f"{latex(y)} &= {latex(slope)}"
    yield f"f^* &= {latex(found.written if found.transform is None else found.transform)}"


@markdown_of.register
def _(found: AppellEquations) -> str:
    return md.document(
        md.heading(f"Equations of Gibbs and Appell of {found.system.title}"),
        md.formulas(_appell(found), 1 + 2 * len(found.quasi) + len(found.system.velocities)),
    )


def _appell(found: AppellEquations) -> Iterator[str]:
    for u in found.quasi:
        yield f"{latex(u)} &= {latex(found.definitions[u])}"
    yield f"S &= {latex(found.S)}"
    for row in found.residual:
        yield f"& {latex(row)} = 0"
    for v, own in zip(found.system.velocities, found.velocities, strict=True):
        yield f"{latex(v)} &= {latex(own)}"


@markdown_of.register
def _(found: HamelEquations) -> str:
    rows = list(_hamel(found))
    return md.document(
        md.heading(f"Equations of Boltzmann and Hamel of {found.system.title}"),
        md.formulas(rows, len(rows)),
    )


def _hamel(found: HamelEquations) -> Iterator[str]:
    yield f"T &= {latex(found.T)}"
    for *at, own in found.coefficients():
        yield f"{found.coefficient_name(*at)[1]} &= {latex(own)}"
    for row in found.residual:
        yield f"& {latex(row)} = 0"


@markdown_of.register
def _(found: Expansion) -> str:
    rows = (
        f"E^{{({degree})}}_{{{latex(q)}}} &= {latex(row)}"
        for degree, part in found.parts.items()
        for q, row in zip(found.system.coordinates, part, strict=True)
    )
    count = len(found.parts) * len(found.system.coordinates)
    about = ", ".join(
        md.inline(f"{latex(x)} = {latex(e)}") for x, e in list(found.about.items())[:MOST]
    )
    names = ", ".join(md.inline(latex(each)) for each in found.deviations[:MOST])
    return md.document(
        md.heading(f"Parts of the equations of {found.system.title} up to degree {found.order}"),
        md.formulas(rows, count, what="parts", rest="`parts`"),
        f"about {about}; deviations {names}",
        md.told("" if not any(found.residual) else "The reference is no motion: `residual` is left."),
    )


@markdown_of.register
def _(found: FieldExpansion) -> str:
    parts = []
    for degree, rows in found.parts.items():
        parts.append(f"degree {degree}:" if rows else f"degree {degree}: nothing")
        parts.append(md.formulas(map(zero_row, rows), len(rows), rest="`parts`"))
    return md.document(md.heading(f"What each degree adds to the rows of {found.system.title}"), *parts)
