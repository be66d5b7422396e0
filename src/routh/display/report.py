"""Reports: everything about a model on one page that opens from disk, and as Markdown."""

from __future__ import annotations

import platform
import re
from collections.abc import Iterator
from fractions import Fraction
from html import escape
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import sympy

from routh.analysis.linear import linearize
from routh.analysis.modes import Modes, modes
from routh.analysis.steady import Equilibrium
from routh.display.figures import animation_of, campbell, mode_films, motion_figures, sketch
from routh.display.findings import Findings
from routh.display.paper import latex_document, markdown
from routh.errors import DeclarationError, RouthError
from routh.language.fields import Field
from routh.language.model import Model
from routh.language.units import dimension_warnings
from routh.language.walk import unfold
from routh.mechanics.lagrange import Equations
from routh.mechanics.quadratic import linear_equations
from routh.mechanics.writing import CAP, latex

SHOWN = 6
"""Equilibria that are shown in full."""

SMALL = 6
"""Coordinates up to which matrices are shown entry by entry."""

FEW = 3
"""Coordinates up to which matrices are shown in symbols."""

SHORT = 80
"""Operations up to which a matrix is shown in symbols."""

MODES = 6
"""Modes that are listed for one equilibrium."""


def report(
    model: Model, path: str | Path, *, values: dict[str, float] | None = None, command: str = ""
) -> Path:
    """Write everything about a model to one file, and give its path.

    An .html file needs nothing else and opens from disk; .md and .tex are for papers.

    Arguments:
        model: what `load` returned.
        path: the file to write.
        values: other numbers for some parameters.
        command: how it was called, for the section on how to reproduce it.
    """
    findings = Findings(model, model.values | (values or {}))
    target = Path(path)
    writers = {".html": lambda: _page(findings, command), ".md": lambda: markdown(findings),
               ".tex": lambda: latex_document(findings)}  # fmt: skip
    if target.suffix.lower() not in writers:
        raise DeclarationError(f"A report is written as .html, .md or .tex. Got {str(path)!r}.")
    if not target.parent.is_dir():
        raise DeclarationError(f"There is no folder {str(target.parent)!r} to write the report into.")
    target.write_text(writers[target.suffix.lower()](), encoding="utf-8")
    return target


def _page(findings: Findings, command: str) -> str:
    """The report as one HTML page."""
    body = "\n".join(_sections(findings, command))
    parts = {
        "title": escape(findings.model.name or "Model"),
        "katex_css": _asset("vendor/katex.css"),
        "katex_js": _asset("vendor/katex.js"),
        "body": body,
    }
    # in one pass, so that nothing a model says is taken for a mark
    return re.sub(r"\{\{(\w+)\}\}", lambda mark: parts[mark[1]], _asset("report.html"))


def _asset(name: str) -> str:
    return files("routh.display").joinpath(name).read_text(encoding="utf-8")


def _sections(found: Findings, command: str) -> Iterator[str]:
    yield from _head(found)
    yield from _numbers(found)
    yield from _energies(found)
    yield from _motion_equations(found)
    yield from _equilibria(found)
    yield from _sweep(found)
    yield from _motion(found)
    yield from _reproduce(found, command)


def _head(found: Findings) -> Iterator[str]:
    model = found.model
    yield f"<h1>{escape(model.name or 'Model')}</h1>"
    if model.description:
        yield f'<p class="lead">{escape(model.description)}</p>'
    drawn = sketch(found)
    if drawn:
        yield f"<figure>{drawn}<figcaption>The mechanism at the start.</figcaption></figure>"


def _prose(text: str) -> str:
    """A sentence of the library, names in backticks set as code."""
    return re.sub(r"`([^`]*)`", r"<code>\1</code>", escape(text))


def _note(text: str) -> str:
    """A sentence of the library beside the findings."""
    return f'<p class="note">{_prose(text)}</p>'


def _math(source: str, inline: bool = False) -> str:
    if inline:
        return f'<span class="math" data-inline>{escape(source)}</span>'
    return f'<div class="math">{escape(source)}</div>'


def _table(head: list[str], rows: list[list[str]], numbers: tuple[int, ...] = ()) -> str:
    top = "".join(f"<th>{cell}</th>" for cell in head)
    lines = [
        "".join(
            f'<td class="n">{c}</td>' if k in numbers else f"<td>{c}</td>" for k, c in enumerate(row)
        )
        for row in rows
    ]
    inside = "".join(f"<tr>{line}</tr>" for line in lines)
    return f'<div class="scroll"><table><tr>{top}</tr>{inside}</table></div>'


def _numbers(found: Findings) -> Iterator[str]:
    model = found.model
    yield "<h2>Coordinates and parameters</h2>"
    names = [*model.system.coordinates, *model.system.fields]
    rows = [
        [_math(latex(x), inline=True), _kind(x), escape(model.units.get(x.name, "")),
         escape(str(model.start.get(x, 0)))]
        for x in names
    ]  # fmt: skip
    yield _table(["", "", "unit", "start"], rows)
    rows = [
        [_math(latex(p), inline=True), f"{found.values[p.name]:g}" if p.name in found.values else "",
         escape(model.units.get(p.name, ""))]
        for p in model.system.parameters
    ]  # fmt: skip
    if rows:
        yield _table(["parameter", "value", "unit"], rows, numbers=(1,))
    for sentence in dimension_warnings(model.system, model.units):
        yield _note(f"Units: {sentence}")


def _kind(x: Any) -> str:
    return f"field along {x.space}" if isinstance(x, Field) else "coordinate"


def _energies(found: Findings) -> Iterator[str]:
    yield "<h2>Energies</h2>"
    system, eq = found.model.system, found.equations
    if isinstance(eq, str):
        yield _note(eq)
        return
    if isinstance(eq, Equations):
        parts = {"T": eq.T2 + eq.T1 + eq.T0, "V": eq.V, "D": eq.D}
        if system.lagrangian:
            parts = {"L": eq.L, "D": eq.D}
    else:
        terms = {
            "T": system.kinetic,
            "V": system.potential,
            "L": system.lagrangian,
            "D": system.dissipation,
        }
        parts = {letter: unfold(sympy.Add(*own)) for letter, own in terms.items()}
    for letter, expression in parts.items():
        if expression != 0:
            yield _shown(expression, head=f"{letter} = ")
    for k, phi in enumerate(system.constraints, 1):
        yield _shown(unfold(phi), "= 0", head=rf"\varphi_{{{k}}} = ")


def _motion_equations(found: Findings) -> Iterator[str]:
    yield "<h2>Equations of motion</h2>"
    eq = found.equations
    if isinstance(eq, str):
        yield _note(eq)
        return
    rows = eq.index3 if isinstance(eq, Equations) else [row.expression for row in eq.rows]
    for row in rows:
        yield _shown(row, "= 0")
    steps = "".join(_math(line) for line in eq.steps())
    yield f"<details><summary>How they are derived</summary>{steps}</details>"
    if isinstance(eq, Equations) and eq.conserved:
        yield "<p>Conserved:</p>"
        for each in eq.conserved:
            yield _shown(each.expression, r"= \text{const}")


def _shown(expression: sympy.Expr, tail: str = "", head: str = "") -> str:
    """A formula, broken between its terms where it is long; behind a fold where it is very long."""
    size = int(sympy.count_ops(expression))
    terms = expression.as_ordered_terms() if isinstance(expression, sympy.Add) else [expression]
    if size > CAP:
        whole = _math(f"{head}{latex(expression, cap=20 * CAP)} {tail}")
        return f"<details><summary>{size} operations, show all</summary>{whole}</details>"
    lines, width = [""], 0
    for term in terms:
        text = latex(term)
        sign = "" if text.startswith("-") or (lines == [""]) else "+ "
        own = len(sympy.sstr(term))
        if width and width + own > 90:
            lines.append("")
            width = 0
        lines[-1] += f" {sign}{text}"
        width += own
    joined = r" \\ &\quad ".join(lines)
    return _math(rf"\begin{{aligned}} & {head}{joined} {tail} \end{{aligned}}")


def _equilibria(found: Findings) -> Iterator[str]:
    yield "<h2>Equilibria</h2>"
    rests = found.rests
    if isinstance(rests, str):
        yield _note(rests)
        return
    models = [_linear(rest) for rest in rests]
    rows = []
    for k, (rest, linear) in enumerate(zip(rests, models, strict=True), 1):
        place = escape(_place(rest))
        if isinstance(linear, str):
            rows.append([str(k), place, "", escape(linear)])
            continue
        verdict = linear.stability
        word = str(verdict.verdict)
        badge = f'<span class="badge {word.split(maxsplit=1)[0]}">{escape(word)}</span>'
        rows.append([str(k), place, badge, escape(str(verdict).partition(". ")[2])])
    yield _table(["", "position", "", "why"], rows)
    searched = "Found by a search until nothing new turned up; this is no proof."
    single = "The equilibrium near the guess of the model; there may be others."
    yield f'<p class="note">{searched if found.searchable else single}</p>'
    for k, (rest, linear) in enumerate(zip(rests, models, strict=True), 1):
        if not isinstance(linear, str) and k <= SHOWN:
            yield from _linear_model(found, k, rest, linear)
    if len(rests) > SHOWN:
        yield f'<p class="note">Linear models of the first {SHOWN} of {len(rests)} are shown.</p>'


def _place(rest: Equilibrium) -> str:
    return str(rest).partition(" at ")[2].partition(". ")[0]


def _linear(rest: Equilibrium) -> Modes | str:
    """The modes about an equilibrium, or why there are none."""
    try:
        found = modes(linearize(rest))
        str(found.stability)
    except RouthError as error:
        return str(error)
    return found


def _linear_model(found: Findings, k: int, rest: Equilibrium, each: Modes) -> Iterator[str]:
    yield f"<h3>About equilibrium {k}: {escape(_place(rest))}</h3>"
    linear = each.linear
    n = linear.M.shape[-1]
    symbolic = _symbolic(rest)
    if n <= SMALL:
        for name in "MDGKHB":
            matrix = getattr(linear, name)
            if matrix.any():
                symbols = f" = {symbolic[name]}" if name in symbolic else ""
                yield _math(f"{name} = {_matrix(matrix)}{symbols}")
    else:
        yield f'<p class="note">Matrices of {n} rows are not shown.</p>'
    rows = []
    for j in range(min(MODES, len(each.frequencies))):
        s = each.eigenvalues[2 * j]
        ratio = "" if np.isnan(each.damping[j]) else f"{each.damping[j]:.4g}"
        rows.append([str(j + 1), _complex(s), f"{each.frequencies[j]:.6g}", ratio])
    yield _table(["mode", "eigenvalue 1/s", "rad/s", "damping"], rows, numbers=(1, 2, 3))
    films = mode_films(found.model, each)
    if films:
        cells = "".join(
            f"<figure>{frame}<figcaption>{escape(caption)}</figcaption></figure>"
            for caption, frame in films
        )
        yield f'<div class="grid">{cells}</div>'


def _symbolic(rest: Equilibrium) -> dict[str, str]:
    """The matrices in symbols, where the position is a share of a turn and they are short."""
    system = rest.system
    shares = [Fraction(float(x) / np.pi).limit_denominator(4) for x in rest.q]
    exact = np.allclose(rest.q, [float(share) * np.pi for share in shares], atol=1e-10)
    plain = not (system.constraints or system.shapes or rest.turning or rest.conditions.inputs)
    if not exact or not plain or len(system.coordinates) > FEW:
        return {}
    about = {
        q: sympy.Rational(share.numerator, share.denominator) * sympy.pi
        for q, share in zip(system.coordinates, shares, strict=True)
    }
    found = linear_equations(system, about)
    matrices = {name: getattr(found, name) for name in "MDGKH"}
    return {
        name: latex(matrix)
        for name, matrix in matrices.items()
        if sum(int(sympy.count_ops(entry)) for entry in matrix) <= SHORT
    }


def _matrix(matrix: np.ndarray[Any, Any]) -> str:
    rows = [" & ".join(_number(x) for x in row) for row in matrix]
    return r"\begin{bmatrix}" + r" \\ ".join(rows) + r"\end{bmatrix}"


def _number(x: float) -> str:
    text = f"{x:.5g}"
    if "e" not in text:
        return text
    digits, _, power = text.partition("e")
    return rf"{digits} \cdot 10^{{{int(power)}}}"


def _complex(s: complex) -> str:
    if s.imag == 0:
        return f"{s.real:.6g}"
    return f"{s.real:.6g} &plusmn; {abs(s.imag):.6g}i" if s.real else f"&plusmn; {abs(s.imag):.6g}i"


def _sweep(found: Findings) -> Iterator[str]:
    swept = found.sweep
    if swept is None:
        return
    asked = found.model.analysis.sweep
    assert asked is not None
    yield f"<h2>Along {escape(asked.parameter)}</h2>"
    if isinstance(swept, str):
        yield _note(swept)
        return
    for caption, figure in campbell(swept, asked.parameter):
        yield f"<figure>{figure}<figcaption>{escape(caption)}</figcaption></figure>"


def _motion(found: Findings) -> Iterator[str]:
    yield "<h2>Motion</h2>"
    motion = found.motion
    if isinstance(motion, str):
        yield _note(motion)
        return
    for line in str(motion).splitlines():
        yield f"<p>{_prose(line)}</p>"
    film = animation_of(found.model, motion)
    if film:
        yield f"<figure>{film}</figure>"
    for caption, figure in motion_figures(found.model, motion):
        yield f"<figure>{figure}<figcaption>{escape(caption)}</figcaption></figure>"


def _reproduce(found: Findings, command: str) -> Iterator[str]:
    yield "<h2>How to reproduce it</h2>"
    packages = ", ".join(f"{name} {version(name)}" for name in ("routh", "sympy", "casadi", "numpy"))
    yield f'<p class="note">Python {platform.python_version()}, {packages}.</p>'
    if command:
        yield f"<pre>{escape(command)}</pre>"
    yield f"<details><summary>The model file</summary><pre>{escape(found.model.text)}</pre></details>"
