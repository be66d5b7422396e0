"""Verbs about equilibria: where they are, the linear model there, its modes and its answers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import routh as rt
from routh.cli import outcome
from routh.cli.app import As, Values, app
from routh.cli.checked import findings
from routh.cli.output import Output, emit, working


@app.command
def equilibria(model: Path, *, p: Values = None, output: As = Output()) -> None:  # noqa: B008
    """Every equilibrium, with its verdict and the reason.

    Example: routh equilibria swing.toml --p.g 1.62
    """
    read = rt.load(model)
    found = findings(read, p)
    with working("Looking for equilibria"):
        rests = found.rests
    rows: list[dict[str, Any]] = []
    for k, rest in enumerate([] if isinstance(rests, str) else rests):
        place = dict(zip(map(str, rest.system.coordinates), map(float, rest.q), strict=True))
        verdict = found.verdicts[k]
        if isinstance(verdict, str):
            said = {"verdict": "unknown", "why": verdict}
        else:
            said = {"verdict": str(verdict.verdict), "why": str(verdict).partition(". ")[2]}
        rates = {str(rest.system.velocities[i]): float(rest.v[i]) for i in rest.turning}
        rows.append(place | rates | {"family": found.family(k)} | said)
    shown = rows
    if not any(row["family"] for row in rows):
        shown = [{name: x for name, x in row.items() if name != "family"} for row in rows]
    lines = [found.completeness] if rows else []
    ended = outcome.of_equilibria(found)
    emit({"equilibria": rows}, output, lines, rows=shown, outcome=ended)


@app.command
def linearize(model: Path, *, p: Values = None, output: As = Output()) -> None:  # noqa: B008
    """The linear model about the equilibrium near the guess.

    Example: routh linearize swing.toml --json
    """
    read = rt.load(model)
    linear = rt.linearize(findings(read, p).rest())
    data: dict[str, Any] = {name: _dense(linear, name).tolist() for name in "MDGKHB"}
    data["coordinates"] = [str(q) for q in linear.coordinates]
    data["inputs"] = [str(u) for u in linear.inputs]
    ended = outcome.of_status(linear.reference.status)
    lines = str(linear).splitlines()
    emit(data, output, lines, latex=lambda: _matrices(linear), outcome=ended)


def _dense(linear: Any, name: str) -> Any:
    """A matrix with all its entries."""
    own = getattr(linear, name)
    return own.toarray() if linear.is_sparse and name != "B" else own


def _matrices(linear: Any) -> str:
    """The matrices that are not zero, one formula each."""
    from routh.display.report.html import matrix

    each = {name: _dense(linear, name) for name in "MDGKHB"}
    return "\n".join(f"{name} = {matrix(own)}" for name, own in each.items() if own.any())


@app.command
def modes(
    model: Path,
    *,
    p: Values = None,
    count: int | None = None,
    output: As = Output(),  # noqa: B008
) -> None:
    """Natural frequencies and damping about the equilibrium near the guess.

    Example: routh modes beam.toml --count 4
    """
    read = rt.load(model)
    with working("Computing modes"):
        found = rt.modes(rt.linearize(findings(read, p).rest()), count=count)
    rows: list[dict[str, Any]] = [
        {
            "mode": k + 1,
            "frequency": float(found.frequencies[k]),
            "damping": _number(found.damping[k]),
            "real": float(found.eigenvalues[2 * k].real),
            "imaginary": float(found.eigenvalues[2 * k].imag),
            "second real": float(found.pair(k)[-1].real) if len(found.pair(k)) > 1 else None,
        }
        | ({} if found.converged is None else {"converged": bool(found.converged[k])})
        for k in range(len(found.frequencies))
    ]
    names = [str(q) for q in found.linear.coordinates]
    shapes = [
        {"shape": {q: [float(x.real), float(x.imag)] for q, x in zip(names, column, strict=True)}}
        for column in (found.shapes.T if output.json else [])
    ]
    verdict = found.stability
    data = {
        "modes": [row | shape for row, shape in zip(rows, shapes, strict=False)],
        "verdict": str(verdict.verdict),
        "why": str(verdict).partition(". ")[2],
    }
    emit(data, output, [str(verdict)], rows=rows, outcome=outcome.of_modes(found))


def _number(x: float) -> float | None:
    return None if np.isnan(x) else float(x)
