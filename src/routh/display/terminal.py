"""Results as rich renderables for the terminal."""

from __future__ import annotations

import numpy as np
import sympy
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text
from sympy.printing.pretty.pretty import PrettyPrinter
from sympy.printing.pretty.pretty_symbology import pretty_use_unicode

from routh.analysis.linear.linear_model import LinearModel
from routh.analysis.rest.result import Equilibrium
from routh.analysis.stability.natural_modes import Modes
from routh.analysis.stability.verdict import Stability, Verdict
from routh.arrays import Array, Complex
from routh.mechanics.lagrange import Equations
from routh.mechanics.quadratic import LinearEquations

COLOURS = {
    Verdict.STABLE: "green",
    Verdict.ASYMPTOTICALLY_STABLE: "green",
    Verdict.UNSTABLE: "red",
    Verdict.UNDECIDED: "yellow",
}


def formula(left: str, expression: sympy.Basic, width: int = 96) -> Text:
    """`left = expression`, set in two dimensions with Greek letters and dots.

    A sum that is wider than the terminal is broken between its terms.
    """
    head = f"{left} = "
    rows = _rows(expression, width - len(head))
    lines: list[str] = []
    for k, (drawn, baseline) in enumerate(rows):
        first = head if k == 0 else " " * len(head)
        lines += [(first if i == baseline else " " * len(head)) + line for i, line in enumerate(drawn)]
    return Text("\n".join(lines), style="cyan", no_wrap=True)


def _rows(expression: sympy.Basic, width: int) -> list[tuple[list[str], int]]:
    """The drawings of an expression that stand under each other, with their baselines."""
    whole = _drawn(expression)
    if not isinstance(expression, sympy.Add) or len(whole[0][0]) <= width:
        return [whole]
    rows: list[tuple[list[str], int]] = []
    packed: list[sympy.Expr] = []
    for term in [*expression.as_ordered_terms(), None]:
        longer = sympy.Add(*packed, term, evaluate=False) if term is not None else None
        if packed and (longer is None or len(_drawn(longer)[0][0]) > width - 2):
            sign = "" if not rows or packed[0].could_extract_minus_sign() else "+ "
            lines, baseline = _drawn(sympy.Add(*packed, evaluate=False))
            rows.append(
                (
                    [(sign if i == baseline else " " * len(sign)) + x for i, x in enumerate(lines)],
                    baseline,
                )
            )
            packed = []
        packed.append(term)
    return rows


def _drawn(expression: sympy.Basic) -> tuple[list[str], int]:
    """Lines of a two-dimensional drawing, and which of them is the baseline."""
    before = pretty_use_unicode(True)
    try:
        form = PrettyPrinter({"wrap_line": False})._print(expression)
        return form.render(wrap_line=False).splitlines(), form.baseline
    finally:
        pretty_use_unicode(before)


def name_of(symbol: sympy.Symbol) -> str:
    """A symbol with Greek letters and subscripts."""
    return "".join(_drawn(symbol)[0])


def equations_of_motion(equations: Equations, width: int = 96) -> RenderableType:
    """M a + h = Q by its matrices, and what stays constant."""
    parts: list[RenderableType] = [
        _indented(formula("M", equations.M, width)),
        *(
            _indented(formula(f"h{_subscript(k)}", entry, width))
            for k, entry in enumerate(equations.h, 1)
        ),
    ]
    kept = [f"Constant of the motion: {c.name} ({c.reason})." for c in equations.conserved]
    return Group(*parts, *(Text(sentence, style="dim") for sentence in kept))


def linear_equations(linear: LinearEquations, width: int = 96) -> RenderableType:
    """The symbolic matrices that are not zero."""
    shown = [name for name in "MDGKHB" if any(getattr(linear, name)) or name in "MK"]
    return Group(*(_indented(formula(name, getattr(linear, name), width)) for name in shown))


def matrices(linear: LinearModel) -> RenderableType:
    """The numbers of M, D, G, K, H side by side, without those that vanish."""
    table = Table.grid(padding=(0, 3))
    shown = [name for name in "MDGKH" if name in "MK" or getattr(linear, name).any()]
    for _ in shown:
        table.add_column(justify="left", vertical="middle")
    table.add_row(*(_numbers(name, getattr(linear, name)) for name in shown))
    return Padding(table, (1, 0))


def _numbers(name: str, matrix: Array) -> Text:
    cells = [[f"{x + 0.0:.5g}" for x in row] for row in matrix]  # + 0.0: no -0
    widths = [max(len(row[k]) for row in cells) for k in range(len(cells[0]))]
    middle = (len(cells) - 1) // 2
    lines = []
    for i, row in enumerate(cells):
        inner = "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        lines.append((f"{name} = " if i == middle else " " * (len(name) + 3)) + f"⎢{inner}⎥")
    return Text("\n".join(lines))


def modes_table(modes: Modes) -> RenderableType:
    """One row a mode: eigenvalues, frequency, damping ratio, whether it is converged, shape."""
    table = Table(box=None, header_style="dim", padding=(0, 2), pad_edge=False)
    known = modes.converged
    told = () if known is None else ("converged",)
    for title in ("mode", "eigenvalues 1/s", "frequency rad/s", "damping", *told, "shape"):
        table.add_column(title, justify="left" if title in ("mode", "shape") else "right")
    names = [name_of(q) for q in modes.linear.coordinates]
    for k, frequency in enumerate(modes.frequencies):
        ratio = modes.damping[k]
        shape = ", ".join(
            f"{name} {_short(x)}" for name, x in zip(names, modes.shapes[:, k], strict=True)
        )
        table.add_row(
            str(k + 1),
            _pair(modes.pair(k)),
            "rigid body" if modes.rigid[k] else f"{frequency:.6g}",
            "" if np.isnan(ratio) else f"{ratio:.4g}",
            *(() if known is None else ("yes" if known[k] else "no",)),
            shape,
        )
    return table


def verdict(stability: Stability) -> Text:
    """The verdict as a coloured badge, and its reason."""
    badge = Text(f" {stability.verdict} ", style=f"bold reverse {COLOURS[stability.verdict]}")
    return Text.assemble(badge, "  ", str(stability.sentence))


def position(rest: Equilibrium) -> Text:
    """Where an equilibrium is."""
    q = np.where(np.abs(rest.q) < 1e-14 * max(1.0, np.abs(rest.q).max()), 0.0, rest.q)
    parts = (f"{name_of(s)} = {x:.6g}" for s, x in zip(rest.system.coordinates, q, strict=True))
    return Text(", ".join(parts), style="bold")


def _pair(pair: Complex) -> str:
    first = pair[0]
    if first.imag:
        return (
            f"{first.real:.5g} ± {abs(first.imag):.6g}i" if first.real else f"± {abs(first.imag):.6g}i"
        )
    if len(pair) == 2 and pair[1] == -first:
        return f"± {abs(first.real):.6g}"
    return ", ".join(f"{s.real + 0.0:.6g}" for s in pair)


def _short(x: complex) -> str:
    if abs(complex(x).imag) < 1e-12:
        return f"{complex(x).real + 0.0:.4g}"
    return f"{abs(x):.4g}∠{np.degrees(np.angle(x)):.0f}°"


def _subscript(k: int) -> str:
    return "".join("₀₁₂₃₄₅₆₇₈₉"[int(digit)] for digit in str(k))


def _indented(renderable: RenderableType) -> Padding:
    return Padding(renderable, (0, 0, 1, 2))
