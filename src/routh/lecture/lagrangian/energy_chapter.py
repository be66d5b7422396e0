"""Energies as they were written, their sums, and the kinetic energy by its degree in the velocities."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import sympy

from routh.language.derivation import partials
from routh.language.walk import lets
from routh.lecture.lagrangian.degrees import by_velocities, is_quadratic, kinetic, kinetic_part
from routh.lecture.lagrangian.expressions import added, joined, matrix, primed, short, turned
from routh.lecture.lagrangian.letters import Letters
from routh.mechanics.forms.chapter import Formula, Step, formula
from routh.mechanics.forms.printing import operations
from routh.mechanics.forms.vanish import vanishes
from routh.mechanics.lagrange import Equations

Terms = tuple[sympy.Expr, ...]


def store(eq: Equations, letters: Letters) -> Iterator[Step]:
    """T and V term by term, and L."""
    system = eq.system
    given = system.as_written
    if system.lagrangian:
        L = [by_velocities(term, system.velocities) for term in system.lagrangian]
        yield from _sum("The Lagrangian", letters("L"), given["lagrangian"], L, kinetic(eq))
        return
    if system.kinetic:
        T = [by_velocities(term, system.velocities) for term in system.kinetic]
        yield from _sum("The kinetic energy", letters("T"), given["kinetic"], T, kinetic(eq))
    else:
        yield "There is no kinetic energy."
    V = [short(term) for term in system.potential]
    yield from _sum("The potential energy", letters("V"), given["potential"], V, eq.V)
    yield "The Lagrangian is"
    names: list[Formula | str] = [letters("T")] if system.kinetic else []
    names += [" - ", letters("V")] if system.potential else []
    yield formula(letters("L"), joined(names), kinetic(eq) - eq.V)


def _sum(
    what: str, letter: Formula, written: Terms, short_ones: Sequence[sympy.Expr], total: sympy.Expr
) -> Iterator[Step]:
    """Terms as written, each in its short form too, and their sum."""
    if not written:
        return
    several = len(written) > 1
    yield f"{what} has {len(written)} terms, as written:" if several else f"{what} is"
    for term, found in zip(written, short_ones, strict=True):
        yield formula(*([] if several else [letter]), *_forms(term, found))
    if several:
        yield "Together they are"
        yield formula(letter, total)


def _forms(written: sympy.Expr, found: sympy.Expr) -> list[sympy.Expr]:
    """As written, and in the other form where that says more.

    It does for intermediates and integrals, and where there are fewer operations.
    """
    named = lets([written]) or written.has(sympy.Integral)
    tells = named or operations(found) < operations(written)
    return [written, found] if tells and found != written else [written]


def sort_by_degree(eq: Equations, letters: Letters) -> Iterator[Step]:
    """T2 + T1 + T0, and A, B and C."""
    letter = "L" if eq.system.lagrangian else "T"
    parts = {2: eq.T2, 1: eq.T1, 0: eq.T0}
    there = [k for k, part in parts.items() if part != 0]
    if not is_quadratic(eq):
        yield (
            f"{letters(letter)} is no quadratic function of the velocities: its second derivatives by"
            " them, the mass matrix, contain them."
        )
        return
    if there == [2]:
        yield f"{letters(letter)} is a quadratic form of the velocities,"
        yield formula(letters(letter), _written(letters, there))
    else:
        yield "Sorted by its degree in the velocities,"
        names = [letters(letter, k) for k in there]
        yield formula(letters(letter), added(names), _written(letters, there))
        for k, name in zip(there, names, strict=True):
            yield _DEGREES[k] if eq.system.lagrangian else _PARTS[k]
            yield formula(name, kinetic_part(eq, k))
    yield "with"
    yield from _coefficients(eq, there, letters)


_DEGREES = {2: "Of the second degree:", 1: "Of the first degree:", 0: "Without velocities:"}

_PARTS = {
    2: "The relative part, of the second degree:",
    1: "The coupling part, of the first degree, in which what moves meets what is moved:",
    0: "The transport part, which is left where the coordinates stand still:",
}


def _coefficients(eq: Equations, there: list[int], letters: Letters) -> Iterator[Step]:
    if 2 in there:
        yield matrix(letters("A"), eq.A)
    if 1 in there:
        yield matrix(letters("B"), eq.B)
    if 0 in there:
        yield formula(letters("C"), eq.C)


def _written(letters: Letters, there: list[int]) -> Formula:
    """v^T A v/2 + B^T v + C/2, as far as it is there."""
    v = primed(letters("q"))
    pieces: dict[int, Callable[[], list[Formula | str]]] = {
        2: lambda: [turned(v), " ", letters("A"), " ", v, "/2"],
        1: lambda: [turned(letters("B")), " ", v],
        0: lambda: [letters("C"), "/2"],
    }  # a letter is asked for where it is used
    return added([joined(pieces[k]()) for k in there])


def lose(eq: Equations, letters: Letters) -> Iterator[Step]:
    """The Rayleigh function and its power."""
    v = eq.system.velocities
    if not eq.system.dissipation:
        return
    D = [short(term) for term in eq.system.dissipation]
    given = eq.system.as_written["dissipation"]
    yield from _sum("The Rayleigh function", letters("D"), given, D, sympy.Add(*D))
    yield "Its force on a coordinate is its negative slope by the velocity of this coordinate."
    power = sympy.Add(*(x * slope for x, slope in zip(v, partials(eq.D, v), strict=True)))
    if vanishes(power - 2 * eq.D):
        yield "It is of the second degree in the velocities: the power lost is twice its value."
    else:
        yield "The power lost is"
        yield formula(short(power))
