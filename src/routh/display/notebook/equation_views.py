"""Equations in symbols: of motion, of equilibrium and linear ones, of coordinates and of fields."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import sympy

from routh.display.notebook import formula_blocks as md
from routh.display.notebook.view_kinds import markdown_of
from routh.mechanics.fields.boundary_values import FieldEquilibriumEquations
from routh.mechanics.fields.equations import FieldEquations
from routh.mechanics.fields.linear_fields import LinearFieldEquations
from routh.mechanics.fields.named_parts import Definition, where_latex
from routh.mechanics.fields.variation import Row
from routh.mechanics.forms.chapter import Formula
from routh.mechanics.forms.printing import latex
from routh.mechanics.lagrange import Conserved, Equations
from routh.mechanics.quadratic import LinearEquations
from routh.mechanics.rest import EquilibriumEquations

SMALL = 6
"""Coordinates up to which M, h and Q are shown beside the rows."""


@markdown_of.register
def _(found: Equations) -> str:
    rows = (f"& {latex(row)} = 0" for row in found.index3)
    count = len(found.system.coordinates) + len(found.system.constraints)
    parts = [name for name in ("M", "h", "Q", "J") if any(getattr(found, name))]
    right = "Q" if "Q" in parts else "0"
    return md.document(
        md.heading(f"Equations of motion of {found.system.title}"),
        md.formulas(rows, count, what="equations", rest="`residual`"),
        *map(_conserved, found.conserved),
        md.folded(
            f"{', '.join(parts)} in M a + h{' + J^T λ' * bool(found.multipliers)} = {right}",
            md.formulas((f"{name} &= {latex(getattr(found, name))}" for name in parts), len(parts)),
        ) if count <= SMALL else "",
    )  # fmt: skip


def _conserved(kept: Conserved) -> str:
    return md.document(
        md.told(f"Constant: {kept.name}, since {kept.reason}."), md.formulas([kept.latex()], 1)
    )


@markdown_of.register
def _(found: EquilibriumEquations) -> str:
    rows = [row for row in found.residual if row != 0]
    return md.document(
        md.heading(f"Equations of equilibrium of {found.system.title}"),
        md.formulas((f"& {latex(row)} = 0" for row in rows), len(rows), what="equations"),
        "" if rows else "Every position is one.",
        *_solutions(found.solutions, found.required, found.remark, found.conditions),
    )


def _solutions(
    solutions: Sequence[Mapping[Any, sympy.Expr]],
    required: Sequence[sympy.Expr],
    remark: str,
    conditions: Sequence[Sequence[Formula]] = (),
) -> Iterable[str]:
    """Solutions in closed form with where they exist, what they require, or why there are none."""
    if solutions:
        yield "Solution:" if len(solutions) == 1 else "Solutions:"
        places = conditions or ((),) * len(solutions)
        rows = [_solution(*each) for each in zip(solutions, places, strict=True)]
        yield md.formulas(rows, len(rows), what="solutions", rest="`solutions`")
    if required:
        yield "They need"
        yield md.formulas((f"& {latex(each)} = 0" for each in required), len(required))
    if remark:
        yield md.told(f"No solution in closed form: {remark}")


def _solution(found: Mapping[Any, sympy.Expr], where: Sequence[Formula]) -> str:
    if not found:
        return r"&\text{every position}"
    pairs = [f"{latex(x)} = {latex(value)}" for x, value in found.items()]
    return "&" + r",\quad ".join(pairs) + _only_where(where)


def _only_where(where: Sequence[Formula]) -> str:
    told = r",\; ".join(each.latex for each in where)
    return rf"\quad\text{{if }} {told}" if told else ""


@markdown_of.register
def _(found: LinearEquations) -> str:
    every = {name: getattr(found, name) for name in "MDGKHBJ"}
    shown = {name: m for name, m in every.items() if name in "MK" or any(m)}
    if found.J != found.W:
        shown["W"] = found.W
    rows = (f"{name} &= {latex(m)}" for name, m in shown.items())
    form = r"M \ddot{\eta} + (D + G)\, \dot{\eta} + (K + H)\, \eta"
    if found.multipliers:
        form += r" + J^T \delta\lambda"
    names = zip(found.system.coordinates, found.residual, strict=False)
    left = [f"E_{{{latex(q)}}} &= {latex(row)}" for q, row in names if row != 0]
    return md.document(
        md.heading(f"Linear equations of {found.system.title}"),
        md.formulas([f"{form} = B u"], 1),
        md.formulas(rows, len(shown), what="matrices"),
        _inputs(found),
        _about(found.about),
        md.document(
            "At the reference the equations of motion are not zero:",
            md.formulas(left, len(left), rest="`residual`"),
        ) if left else "",
    )  # fmt: skip


def _inputs(found: LinearEquations) -> str:
    return f"u is {', '.join(md.inline(latex(u)) for u in found.inputs)}" if found.inputs else ""


def _about(about: Mapping[Any, Any]) -> str:
    """The reference."""
    if not about:
        return ""
    own = {x: e for x, e in about.items() if x != e}
    pairs = [md.inline(f"{latex(x)} = {latex(e)}") for x, e in list(own.items())[:12]]
    more = f" and {len(own) - 12} more" if len(own) > 12 else ""
    return f"about {', '.join(pairs)}{more}"


@markdown_of.register
def _(found: FieldEquations) -> str:
    return md.document(
        md.heading(f"Equations of motion of {found.system.title}"),
        *_labelled(found.rows),
        _where(found.where),
    )


@markdown_of.register
def _(found: LinearFieldEquations) -> str:
    return md.document(
        md.heading(f"Linear equations of {found.system.title}, in deviations"),
        *_labelled(found.rows),
        _where(found.where),
        _about(found.about),
        *(["At the reference the equations of motion are not zero:", _left(found.residual)]
          if found.residual else []),
    )  # fmt: skip


@markdown_of.register
def _(found: FieldEquilibriumEquations) -> str:
    named = [f"{latex(each)} &= {latex(own)}" for each, own in found.named.items()]
    return md.document(
        md.heading(f"Equations of equilibrium of {found.system.title}"),
        *_labelled(found.rows),
        _where(found.where),
        *_solutions(found.solutions, found.required, found.remark),
        md.document("with", md.formulas(named, len(named))) if named else "",
    )


def _where(where: Sequence[Definition]) -> str:
    """What the names in rows stand for."""
    lines = where_latex(where)
    return md.document("where", md.formulas(lines, len(lines))) if lines else ""


def _left(rows: Sequence[Row]) -> str:
    """What rows leave, by what they belong to."""
    owners = ["" if row.of is None else latex(row.of) for row in rows]
    lines = [rf"{of}: &\quad {row.formula.latex}" for of, row in zip(owners, rows, strict=True)]
    return md.formulas(lines, len(lines), rest="`residual`")


def _labelled(rows: Sequence[Row]) -> Iterable[str]:
    """Rows by their kinds, each kind under its name."""
    kinds = dict.fromkeys(row.kind for row in rows)
    for kind in kinds:
        own = [row for row in rows if row.kind is kind]
        yield md.plain(f"{kind}:")
        yield md.formulas(map(zero_row, own), len(own), rest="`rows`")


def zero_row(row: Row) -> str:
    """A row of LaTeX that says what is zero."""
    return f"& {row.formula.latex} = 0"
