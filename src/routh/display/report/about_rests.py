"""What a report says about equilibria: the table, the linear models, their modes."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import sympy

from routh.analysis.rest.result import Equilibrium
from routh.analysis.stability.natural_modes import Modes
from routh.display.report.about_equations import explained
from routh.display.report.about_inputs import inputs_part
from routh.display.report.findings import Findings, reason
from routh.display.report.formulas import complex_number, matrix, roots, signal
from routh.display.report.items import (
    Badge,
    Cell,
    Equation,
    Folded,
    Heading,
    Item,
    Maths,
    Pictures,
    Rows,
    Words,
)
from routh.errors import RouthError
from routh.mechanics.forms.printing import latex, operations
from routh.mechanics.quadratic import LinearEquations, linear_equations

SHOWN = 6
"""Equilibria whose linear models are open; those of the others are folded."""

SMALL = 6
"""Coordinates up to which matrices are open."""

LARGE = 30
"""Coordinates up to which matrices are written at all."""

FEW = 3
"""Coordinates up to which matrices are shown in symbols."""

SHORT = 80
"""Operations up to which a matrix is shown in symbols."""

INFLUENCES = 8
"""Parameters that are listed for the critical mode."""

MODES = 6
"""Modes that are listed for one equilibrium."""


def equilibria_section(found: Findings, pictures: Pictures) -> Iterator[Item]:
    """Every equilibrium with its verdict and reason, and the linear model about each."""
    yield Heading("Equilibria")
    rests = found.rests
    if isinstance(rests, str) or not rests:
        yield Words(rests if isinstance(rests, str) else found.completeness, aside=True)
        return
    rows: list[tuple[Cell, ...]] = []
    for k, (rest, verdict) in enumerate(zip(rests, found.verdicts, strict=True), 1):
        place = found.place(rest)
        if found.family(k - 1):
            place += f", one of a family of dimension {found.family(k - 1)}"
        if isinstance(verdict, str):
            rows.append((str(k), place, "", verdict))
        else:
            rows.append((str(k), place, Badge(str(verdict.verdict)), reason(verdict)))
    yield Rows(("", "position", "verdict", "why"), tuple(rows))
    yield Words(found.completeness, aside=True)
    yield from explained(rests[0], "How equilibrium 1 is found")
    for k, (rest, each) in enumerate(zip(rests, found.models, strict=True), 1):
        if isinstance(each, str):
            continue
        title = f"About equilibrium {k}: {found.place(rest)}"
        inside = tuple(_linear_model(found, k, each, pictures))
        yield from [Heading(title, 3), *inside] if k <= SHOWN else [Folded(title, inside)]


def _linear_model(found: Findings, number: int, each: Modes, pictures: Pictures) -> Iterator[Item]:
    linear = each.linear
    n = linear.M.shape[-1]
    symbolic = symbolic_model(linear.reference)
    if n > LARGE:
        yield Words(f"Matrices of {n} rows: `routh linearize --json` writes them.", aside=True)
    else:
        matrices = tuple(_matrices(each, symbolic))
        yield from matrices if n <= SMALL else [Folded(f"Matrices of {n} rows, show all", matrices)]
    if number == 1:
        yield from explained(symbolic or linear, "How the linear model is derived")
    yield from _modes(each)
    if number <= SHOWN:
        yield from _sensitivities(each)
    if number == 1:
        yield from explained(each, "How the modes and the verdict are found")
    if number <= SHOWN:
        yield from pictures.modes(each, number)
        yield from inputs_part(each, number, symbolic, found.shown, pictures)


def _matrices(each: Modes, symbolic: LinearEquations | None) -> Iterator[Item]:
    """M, D, G, K, H and B in numbers, and in symbols where those are short."""
    linear = each.linear
    for name in "MDGKHB":
        numbers = getattr(linear, name)
        if not numbers.any():
            continue
        written = f"{name} = {matrix(numbers)}"
        if name == "B":
            columns = r" \\ ".join(signal(u) for u in linear.inputs)
            written += rf", \quad u = \begin{{bmatrix}} {columns} \end{{bmatrix}}"
        own = None if symbolic is None else _ordered(name, symbolic, each)
        if own is not None and sum(map(operations, own)) <= SHORT:
            written += f", \\quad {name} = {latex(own)}"
        yield Equation(written)


def _ordered(name: str, symbolic: LinearEquations, each: Modes) -> sympy.Matrix | None:
    """A matrix in symbols, the columns of B in the order of the numbers; None where they differ."""
    own = getattr(symbolic, name)
    if name != "B":
        return own
    if set(symbolic.inputs) != set(each.linear.inputs):
        return None
    return own[:, [symbolic.inputs.index(u) for u in each.linear.inputs]]


def _modes(each: Modes) -> Iterator[Item]:
    """Eigenvalues, frequencies, periods and damping, and how the coordinates move."""
    known = each.converged
    rows: list[tuple[Cell, ...]] = []
    for j, w in enumerate(each.frequencies):
        ratio = "" if np.isnan(each.damping[j]) else f"{each.damping[j]:.4g}"
        hertz, period = (f"{w / (2 * np.pi):.5g}", f"{2 * np.pi / w:.5g}") if w > 0 else ("", "")
        row = (str(j + 1), roots(*each.pair(j)), f"{w:.6g}", hertz, period, ratio)
        rows.append((*row, *(() if known is None else ("yes" if known[j] else "no",))))
    head: tuple[Cell, ...] = (
        "mode",
        "eigenvalues in 1/s",
        "rad/s",
        "Hz",
        "period in s",
        "damping ratio",
    )
    head += () if known is None else ("converged",)
    yield Rows(head, tuple(rows[:MODES]), numbers=(1, 2, 3, 4, 5))
    if len(rows) > MODES:
        yield Folded(
            f"{len(rows)} modes, show all", (Rows(head, tuple(rows[MODES:]), numbers=(1, 2, 3, 4, 5)),)
        )
    system = each.linear.system
    if system.shapes or len(system.coordinates) > SMALL or len(system.coordinates) < 2:
        return
    names: tuple[Cell, ...] = ("mode shape", *(Maths(latex(q)) for q in system.coordinates))
    lines = [
        (str(j + 1), *map(complex_number, each.shapes[:, j])) for j in range(len(each.frequencies))
    ]
    yield Rows(names, tuple(lines), numbers=tuple(range(1, len(names))))


def _sensitivities(each: Modes) -> Iterator[Item]:
    """What changes the critical mode most, where it has derivatives; nothing elsewhere."""
    if each.linear.is_sparse or not each.linear.system.parameters:
        return
    try:
        found = each.sensitivity()
    except RouthError:
        return
    if found.critical < 0:
        return
    relative, rates = found.influences()
    if not np.isfinite(relative).any():
        return
    s = complex(found.s[found.place()])
    yield Words(
        f"What changes mode {found.critical + 1}, s = {complex_number(s)} 1/s, most: by how many per"
        " cent of its size the eigenvalue moves as a parameter p grows by one per cent, and ds/dp."
    )
    rows: list[tuple[Cell, ...]] = [
        (
            Maths(latex(found.parameters[k])),
            f"{abs(relative[k]):.4g}",
            _rate(rates[k].real, rates[k]),
            _rate(rates[k].imag, rates[k]),
        )
        for k in found.strongest()
        if np.isfinite(relative[k])
    ]
    head: tuple[Cell, ...] = ("p", Maths("|p/s \\; ds/dp|"), "real part of ds/dp", "imaginary part")
    yield Rows(head, tuple(rows[:INFLUENCES]), numbers=(1, 2, 3))
    if len(rows) > INFLUENCES:
        more = (Rows(head, tuple(rows[INFLUENCES:]), numbers=(1, 2, 3)),)
        yield Folded(f"{len(rows)} parameters, show all", more)
    if found.remark:
        yield Words(found.remark, aside=True)


def _rate(part: float, whole: complex) -> str:
    """A part of a derivative, zero where it is rounding beside the whole."""
    return f"{part + 0.0:.4g}" if abs(part) > 1e-12 * abs(whole) else "0"


def symbolic_model(rest: Equilibrium) -> LinearEquations | None:
    """The linear model in symbols, where the position is a share of a turn; None elsewhere."""
    system = rest.system
    shares = [Fraction(float(x) / np.pi).limit_denominator(4) for x in rest.q]
    exact = np.allclose(rest.q, [float(share) * np.pi for share in shares], atol=1e-10)
    plain = not (system.constraints or system.shapes or rest.turning or system.friction)
    if not exact or not plain or len(system.coordinates) > FEW:
        return None
    about = {
        q: sympy.Rational(share.numerator, share.denominator) * sympy.pi
        for q, share in zip(system.coordinates, shares, strict=True)
    }
    inputs = rest.conditions.inputs.items()
    about |= {u: sympy.nsimplify(float(np.ravel(x)[0])) for u, x in inputs if not u.order}
    try:
        found = linear_equations(system, about)
    except RouthError:
        return None
    return found if isinstance(found, LinearEquations) else None
