"""What is conserved along every motion and why, or how the energy changes."""

from __future__ import annotations

from collections.abc import Iterator

import sympy

from routh.language.derivation import explicit_rate, partial, partials
from routh.language.symbols import Input
from routh.language.walk import leaves, replaced, unfold
from routh.lecture.lagrangian.degrees import is_quadratic, kinetic_part
from routh.lecture.lagrangian.expressions import joined, rate_of, short
from routh.lecture.lagrangian.letters import Letters
from routh.mechanics.forms.chapter import Formula, Step, formula
from routh.mechanics.forms.vanish import vanishes
from routh.mechanics.lagrange import Equations


def conserve(eq: Equations, letters: Letters) -> Iterator[Step]:
    """Quantities that keep their value, and the balance of energy where that is none of them."""
    is_kept = False
    for each in eq.conserved:
        held = " and the constraints do no work" if eq.multipliers and each.name in _ENERGIES else ""
        found = "" if each.shown else ", as evaluating it with hundreds of digits says"
        yield f"Since {each.reason}{held}{found}, the {each.name} is constant:"
        if each.name in _ENERGIES:
            is_kept = True
            yield formula(letters("E"), *_energy(eq, letters), _CONSTANT)
        else:
            yield formula(short(each.expression), _CONSTANT)
    if not is_kept:
        yield from _balance(eq, letters)


_ENERGIES = ("energy", "Jacobi integral")
_CONSTANT = Formula("const", r"\text{const}")


def _energy(eq: Equations, letters: Letters) -> list[Formula | sympy.Expr]:
    """The energy v . L_v - L: T + V, or T2 - T0 + V, where T is quadratic in the velocities."""
    if not is_quadratic(eq):
        v = eq.system.velocities
        return [sympy.Add(*(x * p for x, p in zip(v, eq.momenta, strict=True))) - eq.L]
    T, V = "L" if eq.system.lagrangian else "T", letters("V")
    simple = eq.T1 == 0 == eq.T0
    names: list[Formula | str] = [letters(T) if simple else letters(T, 2)]
    names += [" - ", letters(T, 0)] if eq.T0 != 0 else []
    names += [" + ", V] if eq.V != 0 else []
    return [joined(names), kinetic_part(eq, 2) - eq.T0 + eq.V]


def _balance(eq: Equations, letters: Letters) -> Iterator[Step]:
    """d/dt (v . L_v - L) along a motion."""
    power = short(power_in(eq))
    plain = eq.T1 == 0 == eq.T0 and not eq.system.lagrangian
    yield "The energy" if plain else "The energy of Jacobi"
    yield formula(letters("E"), *_energy(eq, letters))
    if vanishes(power):
        yield "is constant, since the forces do no work:"
    else:
        yield f"changes along a motion by the power of {_feeding(eq)}:"
    yield formula(rate_of(letters("E")), power)


def _feeding(eq: Equations) -> str:
    """What has power, in words."""
    causes = {
        "forces": any(eq.Q),
        "damping": eq.D != 0,
        "what is prescribed": _explicit(eq.L) != 0 or any(
            _moved(unfold(phi), holonomic, eq.system.velocities) != 0
            for phi, holonomic in zip(eq.system.constraints, eq.system.is_holonomic, strict=True)
        ),
    }  # fmt: skip
    own = [word for word, acts in causes.items() if acts]
    return ", ".join(own[:-1]) + " and " + own[-1] if len(own) > 1 else own[0]


def power_in(eq: Equations) -> sympy.Expr:
    """d/dt (v . L_v - L): `v . (Q - D_v)` less dL/dt, and what moving constraints do.

    A constraint does `-multiplier * J v`, and along a motion J v is what is left of `J v + b = 0`.
    """
    v = eq.system.velocities
    slopes = partials(eq.D, v)
    forces = sympy.Add(*(x * (Q - D) for x, Q, D in zip(v, eq.Q, slopes, strict=True)))
    moved = sympy.Add(*(
        factor * _moved(unfold(phi), holonomic, v)
        for factor, phi, holonomic in zip(
            eq.multipliers, eq.system.constraints, eq.system.is_holonomic, strict=True)
    ))  # fmt: skip
    return forces - _explicit(eq.L) + moved


def _moved(phi: sympy.Expr, holonomic: bool, v: tuple[sympy.Symbol, ...]) -> sympy.Expr:
    return _explicit(phi) if holonomic else replaced(phi, dict.fromkeys(v, sympy.S.Zero))


def _explicit(e: sympy.Expr) -> sympy.Expr:
    """The rate with coordinates and velocities held: of time by itself, and of inputs."""
    inputs = [s for s in leaves([e]) if isinstance(s, Input)]
    return explicit_rate(e) + sympy.Add(*(partial(e, u) * u.rate for u in inputs))
