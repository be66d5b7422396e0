"""Formulas of the calculus of variations along a space, with the names of the system's fields."""

from __future__ import annotations

from collections.abc import Sequence

import sympy

from routh.language.fields import Field, Space
from routh.language.symbols import Signal
from routh.lecture.varied.field_letters import FieldLetters
from routh.mechanics.fields.densities import Energies, jets
from routh.mechanics.forms.chapter import Formula
from routh.mechanics.forms.printing import latex, text


def name_of(x: sympy.Symbol) -> Formula:
    """A symbol."""
    return Formula(text(x), latex(x))


def conjugate_name(x: sympy.Symbol, space: Space | None = None) -> Formula:
    """The conjugate force of a variable: G_w, G_(w_s) of a field and its slopes along their space.

    A variable that is the same everywhere has one per length of each space, G^s_theta, and one outside
    of integrals, G^D_theta, where `space` is None.
    """
    return _force("G", x, space)


def force_name(x: sympy.Symbol, space: Space | None) -> Formula:
    """The force outside of the Lagrangian on a variable, named likewise: Q_w, Q^D_theta."""
    return _force("Q", x, space)


def _force(letter: str, x: sympy.Symbol, space: Space | None) -> Formula:
    plain = text(x)
    inside = isinstance(x, Field) and x.end is None
    where = "" if inside else "^D" if space is None else f"^{space}"
    mark = "" if inside else "^{D}" if space is None else f"^{{{latex(space)}}}"
    return Formula(
        f"{letter}{where}_{plain}" if plain.isalnum() else f"{letter}{where}_({plain})",
        f"{letter}{mark}_{{{latex(x)}}}",
    )


def added(sides: Sequence[Formula]) -> Formula:
    """A sum."""
    if not sides:
        return Formula("0", "0")
    return Formula(" + ".join(e.text for e in sides), " + ".join(e.latex for e in sides))


def turned(value: Formula) -> Formula:
    """Minus a sum."""
    return Formula(f"-({value.text})", rf"-\left({value.latex}\right)")


def derivative(letter: Formula, x: sympy.Symbol) -> Formula:
    """The partial derivative of an energy."""
    return Formula(
        f"d{letter.text}/d{text(x)}", rf"\frac{{\partial {letter.latex}}}{{\partial {latex(x)}}}"
    )


def integral_of(inside: Formula, space: Space) -> Formula:
    """The integral over a space."""
    a, b = space.bounds
    return Formula(
        f"Integral({inside.text}, ({space}, {text(a)}, {text(b)}))",
        rf"\int_{{{latex(a)}}}^{{{latex(b)}}} {inside.latex} \, d{latex(space)}",
    )


def conjugate_force(parts: Energies, letters: FieldLetters) -> Formula:
    """What a conjugate force is, with the terms that this system has."""
    damped, loaded = _has(parts)
    x = letters.any
    words = f"G_{x} = dL_hat/d{x} - d/dt(dL_hat/d{x}')" + (f" - dD_hat/d{x}'" if damped else "")
    symbols = rf"G_{{{x}}} = \frac{{\partial \hat{{L}}}}{{\partial {x}}}"
    symbols += rf" - \frac{{d}}{{dt}} \frac{{\partial \hat{{L}}}}{{\partial \dot{{{x}}}}}"
    symbols += rf" - \frac{{\partial \hat{{D}}}}{{\partial \dot{{{x}}}}}" if damped else ""
    pushed = (f" + Q_{x}", f" + Q_{{{x}}}") if loaded else ("", "")
    return Formula(words + pushed[0], symbols + pushed[1])


def linear_force(parts: Energies, letters: FieldLetters) -> Formula:
    """The same to first order."""
    damped, loaded = _has(parts)
    x, y = letters.any, letters.other
    words = f"S({x}, {y})*{y} - d/dt(S({x}', {y})*{y})" + (f" - D({x}', {y})*{y}" if damped else "")
    symbols = rf"S_{{{x} {y}}}\, {y} - \frac{{d}}{{dt}} \left(S_{{\dot{{{x}}} {y}}}\, {y}\right)"
    symbols += rf" - D_{{\dot{{{x}}} {y}}}\, {y}" if damped else ""
    return Formula(
        f"G_{x} = sum over {y} of (" + words + (f" + Q({x}, {y})*{y})" if loaded else ")"),
        rf"G_{{{x}}} = \sum_{{{y}}} \left({symbols}"
        + (rf" + Q_{{{x} {y}}}\, {y}" if loaded else "")
        + r"\right)",
    )


def _has(parts: Energies) -> tuple[bool, bool]:
    damped, loaded = (part.discrete != 0 or bool(part.densities) for part in (parts.D, parts.work))
    return bool(damped), bool(loaded)


def share_of_running(x: Signal, density: Formula) -> Formula:
    """The conjugate force of a running integral in words."""
    first, second = derivative(density, x), derivative(density, x.rate)
    return Formula(
        f"{first.text} - d/dt({second.text})", rf"{first.latex} - \frac{{d}}{{dt}} {second.latex}"
    )


def interchanged(name: Field) -> Formula:
    """Fubini's theorem for a running integral and what it does."""
    s, G, g = name.space, conjugate_name(name), name.steeper
    (a, b), place = map(text, s.bounds), text(s)
    A, B, z = latex(s.bounds[0]), latex(s.bounds[1]), latex(s)
    early = f"Integral(delta {g}(sigma), (sigma, {a}, {place}))"
    late = f"Integral({G.text}(sigma), (sigma, {place}, {b}))"
    inner = rf"\int_{{{A}}}^{{{z}}} \delta {latex(g)}(\sigma) \, d\sigma"
    outer = rf"\int_{{{z}}}^{{{B}}} {G.latex}(\sigma) \, d\sigma"
    whole = rf"\int_{{{A}}}^{{{B}}}"
    return Formula(
        f"Integral({G.text}({place})*{early}, ({place}, {a}, {b}))"
        f" = Integral(delta {g}({place})*{late}, ({place}, {a}, {b}))",
        rf"{whole} {G.latex}({z}) {inner} \, d{z} = {whole} \delta {latex(g)}({z}) {outer} \, d{z}",
    )


def by_parts_rule(w: Field, k: int) -> Formula:
    """The integration by parts of the variation of a slope."""
    s, (a, b) = w.space, w.space.bounds
    G, steep, last = conjugate_name(jets(w)[k]), jets(w)[k], jets(w)[k - 1]
    limits, bounds = f"({s}, {text(a)}, {text(b)})", rf"_{{{latex(a)}}}^{{{latex(b)}}}"
    ends, shown = f"{G.text}*delta {last}", rf"{G.latex} \, \delta {latex(last)}"
    if k == 2:
        ends += f" - ({G.text})_{s}*delta {w}"
        shown += rf" - {G.latex}' \, \delta {latex(w)}"
    sign, primes, z = "-" if k == 1 else "+", "'" * k, latex(s)
    return Formula(
        f"Integral({G.text}*delta {steep}, {limits}) = [{ends}] {sign}"
        f" Integral(({G.text})_{s.name * k}*delta {w}, {limits})",
        rf"\int{bounds} {G.latex} \, \delta {latex(steep)} \, d{z} = \left[{shown}\right]{bounds}"
        rf" {sign} \int{bounds} {G.latex}{primes} \, \delta {latex(w)} \, d{z}",
    )


def beside_inside(w: Field, forces: Sequence[sympy.Expr], sign: int) -> Formula:
    """What stands beside the variation of a field, with the sign of its row."""
    return _alternating(w, forces, 0, sign)


def beside_at_end(w: Field, forces: Sequence[sympy.Expr], k: int) -> Formula:
    """What stands at the ends beside the variation of a field (k = 1) or of its slope (k = 2)."""
    return _alternating(w, forces, k, 1)


def _alternating(w: Field, forces: Sequence[sympy.Expr], first: int, sign: int) -> Formula:
    words, symbols = "", ""
    for k in range(first, len(forces)):
        if forces[k] == 0:
            continue
        G, times = conjugate_name(jets(w)[k]), k - first
        minus = (-1) ** times * sign < 0
        joined = (" - " if minus else " + ") if words else ("-" if minus else "")
        words += joined + (f"({G.text})_{w.space.name * times}" if times else G.text)
        symbols += joined + G.latex + "'" * times
    return Formula(words or "0", symbols or "0")
