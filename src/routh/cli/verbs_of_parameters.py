"""Verbs that move a parameter: branches of equilibria, and frequencies along it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import numpy as np
from cyclopts import Parameter

import routh as rt
from routh.cli import outcome
from routh.cli.app import As, ModelFile, Values, app
from routh.cli.checked import checked_stops, findings, refuse_unknown
from routh.cli.output import Output, emit, working


@app.command
def follow(
    model: ModelFile,
    parameter: Annotated[str, Parameter(help="The parameter that moves")],
    to: Annotated[float, Parameter(help="Its last value")],
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


Over = Annotated[
    list[tuple[str, float, float, int]] | None,
    Parameter(name="--over", help="What is varied: its name, from, to, how many points; several times"),
]
Logarithmic = Annotated[
    list[str] | None, Parameter(name="--log", help="A name of --over whose points are a geometric row")
]
Find = Annotated[
    list[str] | None, Parameter(name="--find", help="What is kept, like verdict; several times")
]
Store = Annotated[Path | None, Parameter(name="--to", help="A folder for the zarr store of a study")]


@app.command
def sweep(
    model: ModelFile,
    parameter: Annotated[str | None, Parameter(help="The parameter that moves")] = None,
    start: Annotated[float | None, Parameter(help="Its first value")] = None,
    end: Annotated[float | None, Parameter(help="Its last value")] = None,
    /,
    *,
    points: Annotated[int, Parameter(help="How many values it takes")] = 21,
    count: Annotated[int | None, Parameter(help="How many modes are shown")] = 6,
    over: Over = None,
    log: Logarithmic = None,
    find: Find = None,
    to: Store = None,
    workers: Annotated[int | None, Parameter(help="Processes of a study")] = None,
    p: Values = None,
    output: As = Output(),  # noqa: B008
) -> None:
    """Frequencies along a parameter; or, with --over, a study over any number of points into a store.

    Example: routh sweep table.toml Omega 0 6

    Example: routh sweep rotor.toml --over Omega 0 600 2000 --over k 1e5 1e8 2000 --to rotor.zarr
    """
    if over:
        if parameter is not None or start is not None or end is not None:
            raise rt.DeclarationError("Give a parameter with its ends, or --over. Got both.")
        _study(model, over, log or [], find or ["eigenvalues", "verdict"], to, workers, p, output)
        return
    if log or find or to is not None or workers is not None:
        raise rt.DeclarationError("--log, --find, --to and --workers are for studies, with --over.")
    if parameter is None or start is None or end is None:
        raise rt.DeclarationError(
            "A sweep needs a parameter and its ends, like routh sweep table.toml Omega 0 6; or --over."
        )
    read = rt.load(model)
    refuse_unknown(parameter, read)
    numbers = checked_stops(start, end, points)
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


def _study(
    model: ModelFile,
    over: list[tuple[str, float, float, int]],
    log: list[str],
    find: list[str],
    to: Path | None,
    workers: int | None,
    p: dict[str, float] | None,
    output: Output,
) -> None:
    """A study into a store; what is printed is how many points ended how."""
    if to is None:
        raise rt.DeclarationError("A study is kept in a store: give --to, like --to rotor.zarr.")
    read = rt.load(model)
    stray = [name for name in log if name not in [row[0] for row in over]]
    if stray:
        raise rt.DeclarationError(f"--log has `{stray[0]}`, which --over does not vary.")
    axes = {name: _row(name, low, high, n, name in log) for name, low, high, n in over}
    known = {str(each) for each in read.system.parameters}
    first = {name: float(row[0]) for name, row in axes.items() if name in known}
    found = findings(read, first | (p or {}))
    study = rt.sweep(
        found.system,
        {key: value for key, value in found.values.items() if str(key) not in axes},
        over=axes, find=find, to=to, workers=workers,
        guess=read.guess or None, inputs=read.inputs or None, speeds=read.analysis.speeds or None,
    )  # fmt: skip
    words = study.status.attrs["flag_meanings"].split()
    codes, counts = np.unique(study.status.values, return_counts=True)
    rows = [
        {"status": words[code + 1].replace("_", " "), "points": int(n)}
        for code, n in zip(codes, counts, strict=True)
    ]
    ended = outcome.of_study({row["status"]: row["points"] for row in rows})
    emit({"store": str(to), "study": rows}, output, rows=rows, outcome=ended)


def _row(name: str, low: float, high: float, n: int, geometric: bool) -> Any:
    """The points of one axis of a study."""
    if n < 1:
        raise rt.DeclarationError(f"--over {name} needs at least one point. Got {n}.")
    if geometric and not 0 < low < high:
        raise rt.DeclarationError(f"--log {name} needs 0 < from < to. Got {low:g} and {high:g}.")
    return np.geomspace(low, high, n) if geometric else np.linspace(low, high, n)


def _not_converged(each: Any, k: int) -> dict[str, str]:
    """The numbers of the modes of a discretized field that are not converged."""
    if each.converged is None:
        return {}
    return {"not converged": ", ".join(str(j + 1) for j in np.flatnonzero(~each.converged[k]))}
