"""What a report says about equilibria: the table, the linear models, and how parameters move them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from fractions import Fraction
from html import escape

import numpy as np
import sympy

from routh.analysis.rest.result import Equilibrium
from routh.analysis.stability.natural_modes import Modes
from routh.display.report.figures import mode_films
from routh.display.report.findings import Findings
from routh.display.report.html import attempted, eigenvalue, folded, maths, matrix, note, prose, table
from routh.mechanics.forms.printing import latex
from routh.mechanics.quadratic import linear_equations

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

MODES = 6
"""Modes that are listed for one equilibrium."""


def equilibria_section(found: Findings) -> Iterator[str]:
    """Every equilibrium with its verdict and reason, and the linear model about each."""
    yield "<h2>Equilibria</h2>"
    rests = found.rests
    if isinstance(rests, str) or not rests:
        yield note(rests if isinstance(rests, str) else found.completeness)
        return
    rows = []
    for k, (rest, verdict) in enumerate(zip(rests, found.verdicts, strict=True), 1):
        place = escape(found.place(rest))
        if isinstance(verdict, str):
            rows.append([str(k), place, "", prose(verdict)])
            continue
        word = str(verdict.verdict)
        badge = f'<span class="badge {word.split(maxsplit=1)[0]}">{escape(word)}</span>'
        if found.family(k - 1):
            place += f"<br>one of a family of dimension {found.family(k - 1)}"
        rows.append([str(k), place, badge, prose(str(verdict).partition(". ")[2])])
    yield table(["", "position", "", "why"], rows)
    yield note(found.completeness)
    for k, (rest, linear) in enumerate(zip(rests, found.models, strict=True), 1):
        if isinstance(linear, str):
            continue
        title = f"About equilibrium {k}: {escape(found.place(rest))}"
        inside = "\n".join(_linear_model(found, rest, linear, films=k <= SHOWN))
        yield f"<h3>{title}</h3>\n{inside}" if k <= SHOWN else folded(title, inside)


def _linear_model(found: Findings, rest: Equilibrium, each: Modes, films: bool) -> Iterator[str]:
    linear = each.linear
    n = linear.M.shape[-1]
    symbolic = _symbolic(rest)
    formulas = []
    for name in "MDGKHB" if n <= LARGE else "":
        numbers = getattr(linear, name)
        if numbers.any():
            symbols = f" = {symbolic[name]}" if name in symbolic else ""
            formulas.append(maths(f"{name} = {matrix(numbers)}{symbols}"))
    written = "\n".join(formulas)
    if n > LARGE:
        yield note(f"Matrices of {n} rows: `routh linearize --json` writes them.")
    else:
        yield written if n <= SMALL else folded(f"Matrices of {n} rows, show all", written)
    rows = []
    for j in range(len(each.frequencies)):
        ratio = "" if np.isnan(each.damping[j]) else f"{each.damping[j]:.4g}"
        rows.append([str(j + 1), eigenvalue(*each.pair(j)), f"{each.frequencies[j]:.6g}", ratio])
        if each.converged is not None:
            rows[-1].append("yes" if each.converged[j] else "no")
    head = ["mode", "eigenvalue 1/s", "rad/s", "damping"]
    head += [] if each.converged is None else ["converged"]
    yield table(head, rows[:MODES], numbers=(1, 2, 3))
    if len(rows) > MODES:
        others = table(head, rows[MODES:], numbers=(1, 2, 3))
        yield folded(f"{len(rows)} modes, show all", others)
    if films:
        yield attempted(lambda: _films(found, each))


def _films(found: Findings, each: Modes) -> str:
    cells = "".join(
        f"<figure>{frame}<figcaption>{escape(caption)}</figcaption></figure>"
        for caption, frame in mode_films(found.model, each)
    )
    return f'<div class="grid">{cells}</div>' if cells else ""


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
        name: latex(own)
        for name, own in matrices.items()
        if sum(int(sympy.count_ops(entry)) for entry in own) <= SHORT
    }


def moving_section(found: Findings) -> Iterator[str]:
    """A slider for each parameter that has a range, moving the eigenvalues near the guess."""
    if not found.moved:
        return
    yield "<h2>Moving a parameter</h2>"
    yield note("Eigenvalues about the equilibrium near the guess, in 1/s; those on the right grow.")
    for name, swept in found.moved.items():
        if isinstance(swept, str):
            yield note(f"`{name}`: {swept}")
            continue
        numbers = swept.linear.reference.conditions.values[name]
        roots, known = np.asarray(swept.eigenvalues), swept.converged
        if known is not None and known.any():
            known = np.repeat(known, 2, axis=-1)[..., : roots.shape[-1]]
            roots = np.where(known, roots, np.nan)
            yield note("Those that are not converged are left out.") if not known.all() else ""
        data = {
            "unit": found.model.units.get(name, ""),
            "values": [float(f"{x:.6g}") for x in numbers],
            "roots": [
                [[float(f"{s.real:.5g}"), float(f"{s.imag:.5g}")] for s in row if np.isfinite(s)]
                for row in roots
            ],
            "verdicts": [str(verdict) for verdict in swept.stability.verdict],
        }
        start = int(np.argmin(np.abs(np.asarray(numbers) - found.values[name])))
        yield (
            f'<div class="moving" data-points="{escape(json.dumps(data))}"><label>{escape(name)}'
            f' <input type="range" min="0" max="{len(numbers) - 1}" value="{start}"></label>'
            ' <output></output><svg viewBox="0 0 320 240" role="img"></svg></div>'
        )
