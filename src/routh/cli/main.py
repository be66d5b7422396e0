"""The command `routh`: everything about a model file without writing Python."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from routh.errors import DeclarationError, RouthError, SolveError, did_you_mean, listed, needing

with needing("command", "cyclopts", "The command `routh` needs packages"):
    from cyclopts import App, Parameter
    from rich.console import Console

import routh as rt
from routh.cli.examples import copied, example_names
from routh.cli.output import Output, emit, progress, working
from routh.cli.template import TEMPLATE

if TYPE_CHECKING:
    from routh.display.findings import Findings
    from routh.language.model import Model

app = App(
    name="routh",
    help="Write the energy, get the dynamics. Begin with a model file: routh new swing.toml",
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
    path.write_text(TEMPLATE, encoding="utf-8")
    print(f"{path} is a pendulum to begin with. Next: routh report {path}")


@app.command
def check(model: Path, *, p: Values = None) -> None:
    """Say whether a model can be used, and what it contains.

    Example: routh check swing.toml
    """
    from routh.language.units import dimension_warnings

    read = rt.load(model)
    found = _findings(read, p)
    _check_angles(read)
    rt.simulate(found.system, found.values, read.start, [0.0, SOON], inputs=read.laws or None)
    print(f"{read.system!r} is fine.")
    for sentence in dimension_warnings(read.system, read.units):
        print(f"Units: {sentence}")


@app.command
def schema() -> None:
    """Print the JSON Schema of model files, for editors.

    Example: routh schema > routh.schema.json
    """
    from routh.language.schema import ModelPart

    emit(ModelPart.model_json_schema(), Output(json=True))


@app.command
def equations(model: Path, *, output: As = Output()) -> None:  # noqa: B008
    """The equations of motion.

    Example: routh equations swing.toml --latex
    """
    with working("Deriving the equations"):
        from routh.display.findings import slipping

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
    found = _findings(read, p)
    with working("Looking for equilibria"):
        rests = found.rests
    if isinstance(rests, str):
        raise SolveError(rests)
    rows: list[dict[str, Any]] = []
    for rest, verdict in zip(rests, found.verdicts, strict=True):
        place = dict(zip(map(str, rest.system.coordinates), map(float, rest.q), strict=True))
        if isinstance(verdict, str):
            said = {"verdict": "unknown", "why": verdict}
        else:
            said = {"verdict": str(verdict.verdict), "why": str(verdict).partition(". ")[2]}
        rows.append(place | said)
    emit(rows, output)
    if output.for_people:
        print(found.completeness)


@app.command
def linearize(model: Path, *, p: Values = None, output: As = Output()) -> None:  # noqa: B008
    """The linear model about the equilibrium near the guess.

    Example: routh linearize swing.toml --json
    """
    read = rt.load(model)
    linear = rt.linearize(_findings(read, p).rest())
    data = {name: getattr(linear, name).tolist() for name in "MDGKHB"}
    data["coordinates"] = [str(q) for q in linear.coordinates]
    data["inputs"] = [str(u) for u in linear.inputs]
    emit(data, output, str(linear).splitlines(), latex=lambda: _matrices(linear))


def _matrices(linear: Any) -> str:
    """The matrices that are not zero, one formula each."""
    from routh.display.html import matrix

    each = {name: getattr(linear, name) for name in "MDGKHB"}
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
        found = rt.modes(rt.linearize(_findings(read, p).rest()), count=count)
    rows = [
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
    if not output.json:
        emit(rows, output)
        if output.for_people:
            print(found.stability)
        return
    names = [str(q) for q in found.linear.coordinates]
    shapes = [
        {"shape": {q: [float(x.real), float(x.imag)] for q, x in zip(names, column, strict=True)}}
        for column in found.shapes.T
    ]
    verdict = found.stability
    emit(
        {
            "modes": [row | shape for row, shape in zip(rows, shapes, strict=True)],
            "verdict": str(verdict.verdict),
            "why": str(verdict).partition(". ")[2],
        },
        output,
    )


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
    found = _findings(read, p)
    asked = read.analysis.motion
    last = asked.until if until is None else until
    if not 0 < last < float("inf"):
        raise DeclarationError(f"`until` must be a time above zero. Got {last:g}.")
    times = np.linspace(0, last, asked.outputs)
    with working("Computing the motion"):
        motion = rt.simulate(found.system, found.values, read.start, times, inputs=read.laws or None)
    shown = [read.expression(text) for text in asked.shown] or list(read.system.coordinates)
    shown = shown or list(found.system.coordinates[:6])
    columns = {str(e): motion[e] for e in shown}
    rows = [
        {"t": float(time)} | {name: float(column[k]) for name, column in columns.items()}
        for k, time in enumerate(motion.t)
    ]
    if not output.for_people:
        emit(rows, output)
        return
    step = max(1, len(rows) // 20)
    emit(rows[::step], output)
    print(motion)


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
    with working("Following the branch"):
        branch = rt.follow(_findings(read, p).rest(), parameter, to)
    names = list(map(str, branch.rest.system.coordinates))
    special = [
        {"kind": point.kind.name.lower(), parameter: float(point.value)} for point in branch.points
    ]
    rows = [
        {parameter: float(value)}
        | dict(zip(names, map(float, q), strict=True))
        | {"verdict": str(said)}
        for value, q, said in zip(branch.at, branch.rest.q, branch.stability.verdict, strict=True)
    ]
    if output.json:
        emit({"points": special, "branch": rows}, output)
    else:
        emit(rows, output, str(branch).splitlines())


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
    _known(parameter, read)
    if points < 2:
        raise DeclarationError(f"`points` must be two at least. Got {points}.")
    if not (np.isfinite(start) and np.isfinite(to)):
        raise DeclarationError(
            f"A sweep goes from one finite number to another. Got {start:g} to {to:g}."
        )
    numbers = np.linspace(start, to, points)
    with working("Computing modes"):
        each = _findings(read, p).along(parameter, numbers, count=count)
    rows = [
        {parameter: float(x)}
        | {f"mode {j + 1}": float(f) for j, f in enumerate(each.frequencies[k])}
        | _not_converged(each, k)
        | {"growth": float(each.stability.growth[k]), "verdict": str(each.stability.verdict[k])}
        for k, x in enumerate(numbers)
    ]
    emit(rows, output)


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
    read = rt.load(model)
    target = output or Path(f"{model.stem}.html")
    if not target.parent.is_dir():
        raise DeclarationError(f"There is no folder {str(target.parent)!r} to write the report into.")
    command = shlex.join(["routh", *sys.argv[1:]])
    with progress("Writing the report") as step:
        path = rt.report(read, target, values=_findings(read, p).values, command=command, progress=step)
    print(f"The report is in {path.resolve()}")


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


def _findings(model: Model, given: dict[str, float] | None) -> Findings:
    """What can be computed of a model with the parameters of the command line."""
    from routh.display.findings import Findings

    found = Findings(model, _values(model, given))
    if found.lacking:
        name = found.lacking[0]
        raise DeclarationError(
            f"The model has no value for {listed(found.lacking)}. Write {name} = 1.0 under"
            f" [parameters], or say --p.{name} 1.0."
        )
    return found


def _check_angles(model: Model) -> None:
    """Refuse a coordinate that was said to be an angle and is none, or the other way round."""
    from routh.mechanics.turns import turns

    periods = dict(zip(model.system.coordinates, turns(model.system), strict=True))
    for q, said in model.periodic.items():
        if said != (periods[q] is not None):
            found = "repeat after whole turns of it" if periods[q] else "do not repeat in it"
            raise DeclarationError(
                f"`{q}` is said to be {'' if said else 'not '}periodic, but the equations {found}."
                " Leave `periodic` out, or look at how the energies contain it."
            )


def _values(model: Model, given: dict[str, float] | None) -> dict[str, float]:
    for name, value in (given or {}).items():
        _known(name, model)
        if not np.isfinite(value):
            raise DeclarationError(f"`{name}` must be a finite number. Got {value}.")
    return model.values | (given or {})


def _known(name: str, model: Model) -> None:
    names = [p.name for p in model.system.parameters]
    if name not in names:
        raise DeclarationError(
            f"`{name}` is no parameter of the model. Parameters: {listed(names)}."
            + did_you_mean(name, names)
        )


def _number(x: float) -> float | None:
    return None if np.isnan(x) else float(x)


def main() -> None:
    """Run the command; a mistake is one sentence on standard error and a code for scripts.

    0: done; 1: the model or the computation was refused; 2: the command line was; 130: interrupted.
    """
    try:
        app(sys.argv[1:])
    except RouthError as error:
        Console(stderr=True, highlight=False, soft_wrap=True).print(
            str(error), markup=False, style="red"
        )
        sys.exit(1)
    except BrokenPipeError:  # who reads has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except OSError as error:
        print(f"{error.strerror}: {error.filename!r}.", file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
