"""Routh's reduction: cyclic coordinates leave, and their momenta stay as parameters."""

from __future__ import annotations

from dataclasses import dataclass, field

import sympy
from sympy import ImmutableDenseMatrix as Matrix

from routh.errors import DeclarationError, DerivationError, a_kind, did_you_mean, listed, quoted
from routh.language.declaring import parameter
from routh.language.derivation import partials
from routh.language.gates import checked_symbolic
from routh.language.symbols import Coordinate, Parameter
from routh.language.system import System
from routh.language.walk import leaves, replaced, unfold
from routh.mechanics.forms.inverse import is_singular
from routh.mechanics.forms.printing import latex, latex_lines, text
from routh.mechanics.forms.tidy import Tidy
from routh.mechanics.lagrange import generalized_forces, is_cyclic
from routh.mechanics.transforms.quadratic_inverse import inverted_blocks
from routh.shown import as_markdown


@dataclass(frozen=True, eq=False)
class Routhian:
    """A system without its cyclic coordinates.

    Attributes:
        system: the reduced system; its Lagrangian is `R`, and the momenta are parameters of it.
        R: L - p . v of the cyclic coordinates, in the other coordinates, their velocities and p.
        momenta: the parameter that stands for the momentum of each cyclic coordinate.
        velocities: how fast each cyclic coordinate goes, in the terms of R.
        whole: the system as it was, with its cyclic coordinates.
        definitions: the momenta as L_v of the whole system.
    """

    system: System
    R: sympy.Expr
    momenta: dict[Coordinate, Parameter]
    velocities: dict[Coordinate, sympy.Expr] = field(repr=False)
    whole: System = field(repr=False)
    definitions: dict[Coordinate, sympy.Expr] = field(repr=False)

    def latex(self) -> str:
        """The Routhian and the velocities of what has left, in LaTeX."""
        rows = [f"R &= {latex(self.R)}"]
        rows += [f"{latex(q.rate)} &= {latex(v)}" for q, v in self.velocities.items()]
        return latex_lines(rows)

    def __str__(self) -> str:
        lines = [f"R = {text(self.R)}"]
        return "\n".join([*lines, *(f"{q.rate} = {text(v)}" for q, v in self.velocities.items())])

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {self.latex()}$"

    _repr_markdown_ = as_markdown


def routhian(system: System, cyclic: object, *, simplify: float = 1.0) -> Routhian:
    """The system reduced by cyclic coordinates, whose momenta become parameters.

    Every verb works on `.system`: its equilibria are the steady motions of the whole system with
    these momenta, and their stability is that at constant momenta.

    Arguments:
        system: the system.
        cyclic: a coordinate or a list: none may enter the energies but by its velocity, nor may a
            force, damping or a constraint act on it.
        simplify: work to spend on a shorter form, 1 being about a second of it.

    Raises:
        DeclarationError: what is given is no coordinate of the system.
        DerivationError: a coordinate is not cyclic, or the momenta do not determine the velocities.

    Example:
        >>> from routh import coordinates, ddt, parameters, System
        >>> (r, phi), (m, k) = coordinates("r phi"), parameters("m k")
        >>> orbit = System(kinetic=m * (ddt(r) ** 2 + r**2 * ddt(phi) ** 2) / 2, potential=-k / r)
        >>> print(routhian(orbit, phi))
        R = m*r'**2/2 + k/r - p_phi**2/(2*m*r**2)
        phi' = p_phi/(m*r**2)
    """
    checked_symbolic(system, "routhian")
    chosen = _checked(system, cyclic)
    L = unfold(sympy.Add(*system.lagrangian_terms))
    D = unfold(sympy.Add(*system.dissipation))
    tidy = Tidy.within(simplify)
    rates = [q.rate for q in chosen]
    taken = {s.name for s in (*system.parameters, *system.coordinates, *system.inputs)}
    momenta = {q: parameter(_free(f"p_{q.name}", taken), latex=f"p_{{{latex(q)}}}") for q in chosen}
    still: dict[sympy.Basic, sympy.Basic] = dict.fromkeys(rates, sympy.S.Zero)
    at_rest = tidy(replaced(L, still))
    slopes = [tidy(slope) for slope in partials(L, rates)]
    W = Matrix([partials(slope, rates) for slope in slopes])
    if leaves(W) & set(rates):
        raise DerivationError(
            f"routhian needs a Lagrangian that is quadratic in {quoted(rates)}, so that they follow"
            " from their momenta in closed form."
        )
    W = tidy.matrix(W)
    if is_singular(W):
        raise DerivationError(
            f"The momenta of {quoted(chosen)} do not determine their velocities: the mass matrix of"
            " them is singular. Leave out what carries no inertia."
        )
    p = [tidy(y - replaced(b, still)) for y, b in zip(momenta.values(), slopes, strict=True)]
    # in what leaves L = L(0) + b . v + v . W v / 2, so that p = b + W v, and R = L(0) - v . W v / 2
    blocks = inverted_blocks(W, tidy, lowest=simplify > 0)
    places = [k for block in blocks for k in block.places]
    solved = dict(zip(places, (e for block in blocks for e in block.solved(p)), strict=True))
    velocities = {rate: solved[k] for k, rate in enumerate(rates)}
    R = at_rest - sympy.Add(*(block.transform(p) for block in blocks))
    kept = [q for q in system.coordinates if q not in chosen]
    if not kept:
        raise DerivationError(
            f"routhian leaves at least one coordinate. {quoted(chosen)} are all that there are; with"
            " constant momenta nothing else moves."
        )

    def without(e: sympy.Expr) -> sympy.Expr:
        return replaced(unfold(e), velocities)

    rows = zip(system.coordinates, generalized_forces(system), strict=True)
    forces = {q: without(Q) for q, Q in rows if q in kept and Q != 0}
    reduced = System(
        lagrangian=R,
        dissipation=D if D != 0 else None,
        forces=forces or None,
        constraints=list(system.constraints),
        coordinates=kept,
        name=f"{system.name}, reduced" if system.name else "",
        requirements=system.requirements,
    )
    return Routhian(
        reduced, R, momenta, {v.base: e for v, e in velocities.items()},
        system, dict(zip(chosen, slopes, strict=True)),
    )  # fmt: skip


def _checked(system: System, cyclic: object) -> list[Coordinate]:
    several = list(cyclic) if isinstance(cyclic, (list, tuple)) else [cyclic]
    by_name = {q.name: q for q in system.coordinates}
    found = []
    for each in several:
        q = by_name.get(each) if isinstance(each, str) else each
        if q not in system.coordinates:
            shown = f"`{each}`" if isinstance(each, (str, sympy.Basic)) else a_kind(each)
            raise DeclarationError(
                f"routhian takes cyclic coordinates of {system.title}. Got {shown}. Coordinates:"
                f" {listed(system.coordinates)}." + did_you_mean(str(each), by_name)
            )
        if not is_cyclic(system, q):
            raise DerivationError(
                f"`{q}` is not cyclic: it enters the energies, or a force, damping or a constraint acts"
                " on it, so that its momentum changes."
            )
        found.append(q)
    if not found or len(set(found)) < len(found):
        raise DeclarationError(f"routhian needs different coordinates. Got: {listed(several)}.")
    touched = [q for q in found if q.rate in leaves([unfold(d) for d in system.dissipation])]
    if touched:
        raise DerivationError(f"Damping acts on {quoted(touched)}, so its momentum changes.")
    return found


def _free(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    taken.add(name)
    return name
