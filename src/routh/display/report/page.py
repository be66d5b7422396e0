"""The page of a report: everything about a model in HTML that opens from disk.

Formulas are rendered in the browser, with KaTeX and its fonts inside the page (0.7 MB): it asks for
nothing. Titles and descriptions are escaped for HTML, Markdown and LaTeX alike.
"""

from __future__ import annotations

import platform
import re
import tomllib
from collections.abc import Iterator
from html import escape
from importlib.metadata import version
from importlib.resources import files
from typing import Any

import numpy as np
import sympy

from routh.analysis.motion.phases import StickSlip
from routh.analysis.motion.trajectory import Trajectory
from routh.display.report.figures import Figure, animation_of, campbell, motion_figures, sketch
from routh.display.report.findings import Findings
from routh.display.report.html import attempted, folded, formula, maths, note, prose, table
from routh.display.report.rests import equilibria_section, moving_section
from routh.files.model import Model
from routh.files.units import dimension_warnings
from routh.language.fields import Field
from routh.language.walk import unfold
from routh.lecture.derive import derive
from routh.mechanics.fields.equations import FieldEquations
from routh.mechanics.fields.named_parts import defined
from routh.mechanics.forms.chapter import Formula, Step
from routh.mechanics.forms.printing import latex
from routh.mechanics.lagrange import Equations
from routh.version import __version__

_SPEED = sympy.Symbol("s", positive=True)


def page(findings: Findings, command: str) -> str:
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
    return files("routh.display.report").joinpath(name).read_text(encoding="utf-8")


def _sections(found: Findings, command: str) -> Iterator[str]:
    yield from _head(found)
    yield from _numbers(found)
    yield from _energies(found)
    yield from _motion_equations(found)
    yield from equilibria_section(found)
    yield from moving_section(found)
    yield from _sweep(found)
    yield from _motion(found)
    yield from _proven(found)
    yield from _reproduce(found, command)


def _head(found: Findings) -> Iterator[str]:
    model = found.model
    yield f"<h1>{escape(model.name or 'Model')}</h1>"
    if model.description:
        yield f'<p class="lead">{escape(model.description)}</p>'
    yield attempted(lambda: _sketch(found))


def _sketch(found: Findings) -> str:
    drawn = sketch(found)
    caption = "<figcaption>The mechanism at the start.</figcaption>"
    return f"<figure>{drawn}{caption}</figure>" if drawn else ""


def _numbers(found: Findings) -> Iterator[str]:
    model = found.model
    yield "<h2>Coordinates and parameters</h2>"
    names = [*model.system.coordinates, *model.system.fields]
    rows = [
        [maths(latex(x), inline=True), _kind(x), escape(model.units.get(x.name, "")),
         escape(_start(model.start.get(x, 0))),
         "" if isinstance(x, Field) else escape(_start(model.start.get(x.rate, 0)))]
        for x in names
    ]  # fmt: skip
    yield table(["", "", "unit", "start", "rate at the start"], rows)
    rows = [
        [maths(latex(p), inline=True), f"{found.values[p.name]:g}" if p.name in found.values else "",
         escape(model.units.get(p.name, ""))]
        for p in model.system.parameters
    ]  # fmt: skip
    if rows:
        yield table(["parameter", "value", "unit"], rows, numbers=(1,))
    yield from _given(model)
    for sentence in dimension_warnings(model.system, model.units):
        yield note(f"Units: {sentence}")


def _given(model: Model) -> Iterator[str]:
    """Inputs with their laws, forces with their points, and what the file gives names."""
    rows = [
        [maths(latex(u), inline=True), f"{model.inputs[u]:g}", _inline(model.laws[u]),
         escape(model.units.get(u.name, ""))]
        for u in model.inputs
    ]  # fmt: skip
    if rows:
        yield table(["input", "at equilibria", "in motions", "unit"], rows, numbers=(1,))
    rows = [[_inline(f.components), _inline(f.at)] for f in model.system.forces]
    if rows:
        yield table(["force", "at"], rows)
    rows = [[escape(str(c.name)), _inline(c.slip), _inline(c.static), _inline(c.law(_SPEED))]
            for c in model.system.friction]  # fmt: skip
    if rows:
        yield table(["contact", "slip velocity", "holds up to", "brakes at a slip of s with"], rows)
    document = tomllib.loads(model.text)
    named = {**document.get("let", {}), **document.get("points", {})}
    if named:
        lines = [
            [f"<code>{escape(name)}</code>", f"<code>{escape(e)}</code>"] for name, e in named.items()
        ]
        yield folded("Names in the energies", table(["", ""], lines))


def _inline(e: Any) -> str:
    if isinstance(e, sympy.MatrixBase) and e.rows == 1:
        e = e[0]
    return maths(latex(e), inline=True) if isinstance(e, sympy.Basic) else f"{e:g}"


def _start(given: Any) -> str:
    return f"{given:g}" if isinstance(given, float) else str(given)


def _kind(x: Any) -> str:
    return f"field along {x.space}" if isinstance(x, Field) else "coordinate"


def _energies(found: Findings) -> Iterator[str]:
    yield "<h2>Energies</h2>"
    system, eq = found.model.system, found.equations
    if isinstance(eq, str):
        yield note(eq)
        return
    terms = {"T": system.kinetic, "V": system.potential, "L": system.lagrangian,
             "D": system.dissipation}  # fmt: skip
    parts = {letter: unfold(sympy.Add(*own)) for letter, own in terms.items()}
    if isinstance(eq, Equations) and not system.lagrangian:  # as written, or as tidied if shorter
        tidied = {"T": eq.T2 + eq.T1 + eq.T0, "V": eq.V, "D": eq.D}
        parts |= {x: e for x, e in tidied.items() if sympy.count_ops(e) < sympy.count_ops(parts[x])}
    for letter, expression in parts.items():
        if expression != 0:
            yield formula(expression, head=f"{letter} = ")
    for k, phi in enumerate(system.constraints, 1):
        yield formula(unfold(phi), "= 0", head=rf"\varphi_{{{k}}} = ")


def _motion_equations(found: Findings) -> Iterator[str]:
    yield "<h2>Equations of motion</h2>"
    eq = found.equations
    if isinstance(eq, str):
        yield note(eq)
        return
    if found.model.system.friction:
        yield note(
            "While every contact slips forwards; one that sticks holds its slip velocity at zero."
        )
    if isinstance(eq, Equations):
        yield from (formula(row, "= 0") for row in eq.index3)
    else:
        yield from (maths(f"{row.formula.latex} = 0") for row in eq.rows)
        yield from (maths(defined(each).latex) for each in eq.where)
    yield folded("How they are derived", _derivation(eq))
    if isinstance(eq, Equations) and eq.conserved:
        yield "<p>Conserved:</p>"
        for each in eq.conserved:
            yield formula(each.expression, r"= \text{const}")


def _derivation(eq: Equations | FieldEquations) -> str:
    return "".join(
        f"<h3>{escape(own.title)}</h3>{''.join(map(_step, own.steps))}" for own in derive(eq)
    )


def _step(step: Step) -> str:
    if isinstance(step, str):
        return f"<p>{prose(step)}</p>"
    return maths(step.latex if isinstance(step, Formula) else step.latex())


def _sweep(found: Findings) -> Iterator[str]:
    swept = found.sweep
    if swept is None:
        return
    asked = found.model.analysis.sweep
    assert asked is not None
    yield f"<h2>Along {escape(asked.parameter)}</h2>"
    if isinstance(swept, str):
        yield note(swept)
        return
    yield attempted(lambda: _side_by_side(campbell(swept, asked.parameter)))


def _side_by_side(figures: list[Figure]) -> str:
    each = (
        f"<figure>{own}<figcaption>{escape(caption)}</figcaption></figure>" for caption, own in figures
    )
    return f'<div class="grid wide">{"".join(each)}</div>'


def _motion(found: Findings) -> Iterator[str]:
    yield "<h2>Motion</h2>"
    motion = found.motion
    if isinstance(motion, str):
        yield note(motion)
        return
    for line in str(motion).splitlines():
        yield f"<p>{prose(line)}</p>"
    if not motion.v.any() and not np.ptp(motion.q, axis=0).any():
        yield note("Nothing moves from this start.")
        return
    yield attempted(lambda: _film(found, motion))
    yield attempted(lambda: _side_by_side(motion_figures(found.model, motion)))


def _film(found: Findings, motion: Trajectory | StickSlip) -> str:
    film = animation_of(found.model, motion)
    return f"<figure>{film}</figure>" if film else ""


def _proven(found: Findings) -> Iterator[str]:
    """What of the page is certain, what was computed, and what was only looked for."""
    yield "<h2>What was proven and what was not</h2>"
    eq, rests, motion = found.equations, found.rests, found.motion
    if not isinstance(eq, str):
        yield _point("exact", "The equations of motion follow from the energies by exact derivatives.")
        if isinstance(eq, Equations) and eq.conserved:
            yield _point("exact", "The conserved quantities follow from cyclic coordinates and time.")
    if not isinstance(rests, str):
        yield _point("proven" if found.complete else "not proven", found.completeness)
        judged = [verdict for verdict in found.verdicts if not isinstance(verdict, str)]
        sure = sum(bool(verdict.proven) for verdict in judged)
        if judged and found.model.analysis.proof:
            yield _point(
                "proven" if sure == len(judged) else "not proven",
                f"{sure} of {len(judged)} verdicts on stability hold with rounding included.",
            )
        elif judged:
            yield _point(
                "computed",
                "Verdicts on stability rest on the theorems named beside them and on matrices in double"
                " precision; `proof = true` under [analysis] includes the rounding.",
            )
    if not isinstance(motion, str) and not motion.completed:
        yield _point("not whole", f"The motion. {motion.message}")
    elif isinstance(motion, Trajectory):
        yield _point("computed", _accuracy(motion))


def _point(kind: str, sentence: str) -> str:
    return f'<p class="point"><span class="kind">{kind}</span> {prose(sentence)}</p>'


def _accuracy(motion: Trajectory) -> str:
    said = f"The motion was integrated to a relative tolerance of {motion.rtol:.1g} for each step"
    if motion.system.constraints:
        said += f"; constraints are kept to {float(motion.constraint_error):.1g}"
    return f"{said}; the error that builds up over time is not bounded."


def _reproduce(found: Findings, command: str) -> Iterator[str]:
    yield "<h2>How to reproduce it</h2>"
    others = (f"{name} {version(name)}" for name in ("sympy", "casadi", "numpy"))
    packages = ", ".join([f"routh {__version__}", *others])
    yield f'<p class="note">Python {platform.python_version()}, {packages}.</p>'
    if command:
        yield f"<pre>{escape(command)}</pre>"
    yield folded("The model file", f"<pre>{escape(found.model.text)}</pre>")
