"""The verbs of the command `routh`: everything about a model file without writing Python."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from cyclopts import App, Parameter

import routh as rt
from routh.cli import outcome
from routh.cli.checked import (
    checked_stops,
    checked_until,
    findings,
    refuse_false_angles,
    refuse_unknown,
)
from routh.cli.examples import copied, example_names
from routh.cli.output import Output, emit, progress, working
from routh.cli.template import TEMPLATE
from routh.disk import is_stream, refuse_unwritable, write_text
from routh.errors import DeclarationError, SolveError, Status, did_you_mean

app = App(
    name="routh",
    help="Write the energy, get the dynamics. Begin with a model file: routh new swing.toml\n\n"
    + outcome.CODES,
    suppress_keyboard_interrupt=False,
)

app.register_install_completion_command(name="--install-completion")

SOON = 1e-6
"""Seconds of a motion that `check` tries."""

Values = Annotated[dict[str, float] | None, Parameter(name="--p", help="A parameter, like --p.m 2.0")]
As = Annotated[Output, Parameter(name="*")]


@app.command
def new(path: Path, *, force: bool = False) -> None:
    """Write a commented model to start from.

    Example: routh new swing.toml
    """
    if path.exists() and not force:
        raise DeclarationError(f"{str(path)!r} is there already. Choose another name, or say --force.")
    write_text(path, TEMPLATE)
    print(f"{path} is a pendulum to begin with. Next: routh report {path}")


@app.command
def check(model: Path, *, p: Values = None) -> None:
    """Say whether a model can be used, and what it contains.

    Example: routh check swing.toml
    """
    from routh.files.units import dimension_warnings

    read = rt.load(model)
    found = findings(read, p)
    refuse_false_angles(read)
    motion = rt.simulate(found.system, found.values, read.start, [0.0, SOON], inputs=read.laws or None)
    if not motion.completed and motion.status is not Status.DOUBTFUL:  # nothing moves so soon
        raise SolveError(f"The model does not move from its start. {motion.message}", motion)
    print(f"{read.system!r} is fine.")
    for sentence in dimension_warnings(read.system, read.units):
        print(f"Units: {sentence}")


@app.command
def schema() -> None:
    """Print the JSON Schema of model files, for editors.

    Example: routh schema > routh.schema.json
    """
    import json

    from routh.files.schema import ModelPart

    print(json.dumps(ModelPart.model_json_schema(), indent=2))


@app.command
def equations(model: Path, *, output: As = Output()) -> None:  # noqa: B008
    """The equations of motion.

    Example: routh equations swing.toml --latex
    """
    with working("Deriving the equations"):
        from routh.display.report.findings import slipping

        read = rt.load(model)
        found = rt.equations(slipping(read.system))
    lines = str(found).splitlines()
    if read.system.friction and output.for_people:
        print("While every contact slips forwards:")
    emit({"equations": lines}, output, lines, latex=found.latex)


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
    from routh.display.report.formulas import matrix

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


@app.command
def simulate(
    model: Path,
    *,
    until: float | None = None,
    p: Values = None,
    output: As = Output(),  # noqa: B008
) -> None:
    """The motion from the start, as a table over time.

    Example: routh simulate swing.toml --until 20 --csv > swing.csv
    """
    read = rt.load(model)
    found = findings(read, p)
    asked = read.analysis.motion
    times = np.linspace(0, checked_until(asked.until if until is None else until), asked.outputs)
    with working("Computing the motion"):
        motion = rt.simulate(found.system, found.values, read.start, times, inputs=read.laws or None)
    shown = [read.expression(text) for text in asked.shown] or list(read.system.coordinates)
    shown = shown or list(found.system.coordinates[:6])
    columns = {str(e): motion[e] for e in shown}
    rows: list[dict[str, Any]] = [
        {"t": float(time)} | {name: float(column[k]) for name, column in columns.items()}
        for k, time in enumerate(motion.t)
    ]
    ended = outcome.of_motion(motion)
    step = max(1, len(rows) // 20) if output.for_people else 1
    some = rows[::step] + (rows[-1:] if (len(rows) - 1) % step else [])
    emit({"motion": rows}, output, str(motion).splitlines(), rows=some, outcome=ended)


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


@app.command
def report(
    model: Path,
    *,
    output: Annotated[Path | None, Parameter(name=["-o", "--output"])] = None,
    p: Values = None,
) -> None:
    """Everything about a model on one page that opens from disk.

    Example: routh report swing.toml -o swing.html
    """
    from routh.display.report.formats import written_report

    read = rt.load(model)
    target = output or Path(f"{model.stem}.html")
    refuse_unwritable(target)
    command = shlex.join(["routh", *sys.argv[1:]])
    found = findings(read, p)
    with progress("Writing the report") as step:
        path = written_report(found, target, command, step)
    aside = sys.stderr if is_stream(target) else sys.stdout
    print(f"The report is in {path.absolute()}", file=aside)
    ended = outcome.of_report(found)
    if ended.code:
        raise outcome.NotWhole(ended)


@app.command
def examples(action: str = "list", name: str = "") -> None:
    """List the models that come with Routh, copy one, or copy it and write its report.

    Example: routh examples run double_pendulum
    """
    if action == "list":
        for each, about in example_names().items():
            print(f"{each:26} {about}")
        return
    if action in ("copy", "run"):
        path = copied(name)
        print(f"{path} is there. Next: routh report {path}")
        if action == "run":
            report(path)
        return
    raise DeclarationError(
        f"`routh examples` knows list, copy and run. Got {action!r}."
        + did_you_mean(action, ["list", "copy", "run"])
    )


def _number(x: float) -> float | None:
    return None if np.isnan(x) else float(x)
