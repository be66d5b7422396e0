"""Verbs that move a parameter: branches of equilibria, and frequencies along it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import routh as rt
from routh.cli import outcome
from routh.cli.app import As, Values, app
from routh.cli.checked import checked_stops, findings, refuse_unknown
from routh.cli.output import Output, emit, working


@app.command
def follow(
    model: Path,
    parameter: str,
    to: float,
    *,
    p: Values = None,
    output: As = Output(),  # noqa: B008
) -> None:
    """The branch of equilibria as a parameter moves, with folds, branch points and onsets of flutter.

    Example: routh follow hoop.toml omega 6 --p.omega 0.5
    """
    read = rt.load(model)
    refuse_unknown(parameter, read)
    with working("Following the branch"):
        branch = rt.follow(findings(read, p).rest(), parameter, to)
    names = list(map(str, branch.rest.system.coordinates))
    special = [
        {"kind": point.kind.name.lower(), parameter: float(point.value)} for point in branch.points
    ]
    rows: list[dict[str, Any]] = [
        {parameter: float(value)}
        | dict(zip(names, map(float, q), strict=True))
        | {"verdict": str(said)}
        for value, q, said in zip(branch.at, branch.rest.q, branch.stability.verdict, strict=True)
    ]
    table = None if output.for_people else rows
    ended = outcome.of_branch(branch, to)
    data = {"points": special, "branch": rows}
    emit(data, output, str(branch).splitlines(), rows=table, outcome=ended)


@app.command
def sweep(
    model: Path,
    parameter: str,
    start: float,
    to: float,
    *,
    points: int = 21,
    count: int | None = 6,
    p: Values = None,
    output: As = Output(),  # noqa: B008
) -> None:
    """Frequencies along a parameter.

    Example: routh sweep table.toml Omega 0 6
    """
    read = rt.load(model)
    refuse_unknown(parameter, read)
    numbers = checked_stops(start, to, points)
    with working("Computing modes"):
        each = findings(read, p).along(parameter, numbers, count=count)
    known = np.isfinite(each.stability.growth) & np.isfinite(each.frequencies).all(axis=-1)
    ends = outcome.of_points(each.linear.reference, known)
    rows: list[dict[str, Any]] = [
        {parameter: float(x)}
        | {f"mode {j + 1}": float(f) for j, f in enumerate(each.frequencies[k])}
        | _not_converged(each, k)
        | {"growth": float(each.stability.growth[k])}
        | {"verdict": str(each.stability.verdict[k]) if known[k] else "", "status": ends[k].status}
        for k, x in enumerate(numbers)
    ]
    ended = outcome.of_sweep(parameter, numbers, ends)
    emit({"sweep": rows}, output, rows=rows, outcome=ended)


def _not_converged(each: Any, k: int) -> dict[str, str]:
    """The numbers of the modes of a discretized field that are not converged."""
    if each.converged is None:
        return {}
    return {"not converged": ", ".join(str(j + 1) for j in np.flatnonzero(~each.converged[k]))}
