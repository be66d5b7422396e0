"""The chapter on equations of equilibrium: their terms, the conditions, solutions in closed form."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import sympy

from routh.language.symbols import Coordinate
from routh.language.walk import leaves
from routh.lecture.kinds import chapter_of
from routh.lecture.linearized import layout
from routh.lecture.linearized.rest_terms import RestTerms, rest_terms
from routh.mechanics.forms.chapter import Chapter, Formula, Step, chapter, formula
from routh.mechanics.forms.printing import latex
from routh.mechanics.forms.tidy import Tidy
from routh.mechanics.rest import EquilibriumEquations

VIRTUAL = Formula("V*", "V^*")


@chapter_of.register
def _(found: EquilibriumEquations) -> Chapter:
    what = "steady motion" if found.speeds else "equilibrium"
    title = layout.titled(found.system, what)
    return chapter(title, [*balance_sections(found), ("Solutions", list(_solutions(found)))])


def balance_sections(found: EquilibriumEquations) -> list[tuple[str, list[Step]]]:
    """The sections from the energies to the conditions."""
    terms = rest_terms(found.system, found.speeds)
    return [
        ("Energies", list(_energies(terms, found.speeds))),
        ("Terms", list(_terms(terms))),
        ("Conditions", list(_conditions(found))),
    ]


def _energies(terms: RestTerms, speeds: Mapping[Coordinate, sympy.Expr]) -> Iterator[Step]:
    """V, T0, V* and T1."""
    if speeds:
        yield "In the steady motion velocities are constant and accelerations zero:"
        yield from (formula(q.rate, rate) for q, rate in speeds.items())
        yield (
            "T0 is the kinetic energy at these velocities, T1 what is linear in the velocities"
            " beyond them."
        )
    else:
        yield (
            "At rest velocities and accelerations are zero. Of the kinetic energy T = T2 + T1 + T0, by"
            " degree in the velocities, T2 drops out."
        )
    if terms.system.lagrangian:
        yield "The Lagrangian is given as a whole: T1 and T0 stand for its own parts of that degree."
    else:
        yield formula("V", terms.V)
    if terms.T0 == 0 and terms.T1 == 0:
        yield (
            "T has no parts of first and zeroth degree: T1 = T0 = 0, and the dynamic potential is"
            " V* = V."
        )
        return
    yield formula(Formula("T0", "T_0"), terms.T0)
    yield "The dynamic potential is"
    yield formula(VIRTUAL, Formula("V - T0", "V - T_0"), terms.dynamic_potential)
    if terms.T1 == 0:
        yield "There is no T1."
    else:
        yield formula(Formula("T1", "T_1"), terms.T1)


def _terms(terms: RestTerms) -> Iterator[Step]:
    """Each term of the balance of each coordinate."""
    system = terms.system
    yield "Lagrange's equation leaves, for each coordinate,"
    yield _balance(terms)
    if any(terms.momentum_rate):
        yield "d/dt is taken where the system stays, of what depends on time and on inputs."
    for k, q in enumerate(system.coordinates):
        rate = q.rate
        names = (
            (_rate_name(rate), terms.momentum_rate),
            (_partial(VIRTUAL, q), terms.slope),
            (_partial(Formula("D", "D"), rate), terms.damping),
            (Formula(f"(J^T lambda)_{q}", rf"(J^T \lambda)_{{{latex(q)}}}"), terms.push),
            (Formula(f"Q_{q}", f"Q_{{{latex(q)}}}"), terms.force),
        )
        shown = [formula(name, entries[k]) for name, entries in names if entries[k] != 0]
        if shown:
            yield f"For `{q}`:"
            yield from shown
        else:
            yield f"`{q}` has no term at all."
    yield from _effective(terms)


def _effective(terms: RestTerms) -> Iterator[Step]:
    """The potential of what prescribed motion does, where it has one."""
    W = terms.inertia_potential
    if W is None:
        return
    yield (
        "The rates of the slopes of T1, the inertia of what is prescribed, are themselves the slopes of"
        " a function of the coordinates,"
    )
    yield formula("W", W)
    yield (
        "so that they act like a potential. At rest V* + W, the effective potential, takes the place of"
        " the potential energy; up to what is free of the coordinates it is"
    )
    every = sympy.Add.make_args(sympy.expand(terms.dynamic_potential + W))
    moving = sympy.Add(*(term for term in every if _moves(term, terms)))
    yield formula(Formula("V* + W", "V^* + W"), Tidy(1.0)(moving))


def _moves(term: sympy.Expr, terms: RestTerms) -> bool:
    return bool(leaves([term]) & set(terms.system.coordinates))


def _balance(terms: RestTerms) -> Formula:
    """The terms that there are, as letters."""
    left = [Formula("d/dt dT1/dv", r"\frac{d}{dt} \frac{\partial T_1}{\partial v}")] * any(
        terms.momentum_rate
    )
    left.append(Formula("dV*/dq", r"\frac{\partial V^*}{\partial q}"))
    left += [Formula("dD/dv", r"\frac{\partial D}{\partial v}")] * any(terms.damping)
    left += [Formula("J^T lambda", r"J^T \lambda")] * bool(terms.held)
    right = Formula("Q", "Q") if any(terms.force) else Formula("0", "0")
    return Formula(
        " + ".join(x.text for x in left) + f" = {right.text}",
        " + ".join(x.latex for x in left) + f" = {right.latex}",
    )


def _partial(of: Formula, by: sympy.Symbol) -> Formula:
    return Formula(f"d{of.text}/d{by}", rf"\frac{{\partial {of.latex}}}{{\partial {latex(by)}}}")


def _rate_name(rate: sympy.Symbol) -> Formula:
    inner = _partial(Formula("T1", "T_1"), rate)
    return Formula(f"d/dt {inner.text}", rf"\frac{{d}}{{dt}} {inner.latex}")


def _conditions(found: EquilibriumEquations) -> Iterator[Step]:
    """The rows that are not fulfilled anyway."""
    n = len(found.system.coordinates)
    rows = [row for row in found.residual[:n, :] if row != 0]
    if rows:
        yield "Together these must vanish:"
        yield from (formula(-row if _is_minus(row) else row, 0) for row in rows)
    held = [row for row in found.residual[n:, :] if row != 0]
    if held:
        yield "and the constraints hold:" if rows else "The constraints hold:"
        yield from (formula(row, 0) for row in held)
    free = [f"`{q}`" for q in found.system.coordinates if q not in found.unknowns]
    if free:
        verb = "enters" if len(free) == 1 else "enter"
        yield f"{' and '.join(free)} {verb} no condition: every place will do."
    if not rows and not held:
        yield "All of them are fulfilled at every position."


def _is_minus(row: sympy.Expr) -> bool:
    """Whether a row is a single term with a minus."""
    return not row.is_Add and row.could_extract_minus_sign()


def _solutions(found: EquilibriumEquations) -> Iterator[Step]:
    """Solutions in closed form, each put into the conditions when it was found."""
    if found.required:
        yield "There is an equilibrium only where"
        yield from (formula(e, 0) for e in found.required)
    if len(found.solutions) > 1 or (found.solutions and found.solutions[0]):
        yield "The conditions are fulfilled by"
    for solution, where in zip(found.solutions, found.conditions, strict=True):
        pairs = [formula(x, value) for x, value in solution.items()]
        if pairs:
            yield _where(pairs, where)
        elif not found.required:
            yield "Every position is an equilibrium."
    free = [x for x in found.system.multipliers if all(x not in s for s in found.solutions)]
    if free and found.solutions:
        yield (
            f"{' and '.join(f'`{x}`' for x in free)} may have any value: the constraints repeat each"
            " other, and what all of them do together, J^T lambda, is determined alone."
        )
    if found.solutions and any(found.solutions):
        yield "The list may lack some, full turns of angles among them; equilibria(...) finds numbers."
    if found.remark:
        yield found.remark


def _where(pairs: Sequence[Formula], needed: Sequence[Formula]) -> Formula:
    """A solution, and behind it where it exists."""
    text, tex = ", ".join(x.text for x in pairs), r",\quad ".join(x.latex for x in pairs)
    if not needed:
        return Formula(text, tex)
    return Formula(
        f"{text}, if {' and '.join(x.text for x in needed)}",
        rf"{tex} \quad \text{{if }} " + r" \text{ and } ".join(x.latex for x in needed),
    )
