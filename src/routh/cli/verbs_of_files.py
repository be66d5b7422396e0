"""Verbs about model files: a new one, a check, the schema, the examples, the report."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

import routh as rt
from routh.cli import outcome
from routh.cli.app import Begun, ModelFile, Values, app
from routh.cli.checked import findings, refuse_false_angles
from routh.cli.output import progress
from routh.cli.template import TEMPLATE
from routh.disk import is_stream, refuse_unwritable, write_text
from routh.errors import DeclarationError, SolveError, Status, did_you_mean
from routh.files.examples import copied, example_names

SOON = 1e-6
"""Seconds of a motion that `check` tries."""


@app.command
def new(
    path: Annotated[Path, Parameter(help="The file to be written")],
    *,
    force: Annotated[bool, Parameter(help="Write over a file that is there")] = False,
) -> None:
    """Write a commented model to start from.

    Example: routh new swing.toml
    """
    if path.exists() and not force:
        raise DeclarationError(f"{str(path)!r} is there already. Choose another name, or say --force.")
    write_text(path, TEMPLATE)
    print(f"{path} is a pendulum to begin with. Next: routh report {path}")


@app.command
def check(model: ModelFile, *, p: Values = None) -> None:
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
    for sentence in read.remarks:
        print(sentence)
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
def report(
    model: ModelFile,
    *,
    output: Annotated[
        Path | None,
        Parameter(name=["-o", "--output"], help="The page; its suffix says what is written"),
    ] = None,
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
def export(
    model: ModelFile,
    path: Annotated[Path, Parameter(help="The file to be written; its suffix is the language")],
    *,
    what: Annotated[str | None, Parameter(help="Which of several forms, like jax or 2.0")] = None,
    laws: Annotated[bool, Parameter(help="Put the laws of the file in the place of inputs")] = False,
    force: Annotated[bool, Parameter(help="Write over a file that is there")] = False,
    p: Values = None,
    start: Begun = None,
) -> None:
    """Write the equations for another program, by the suffix of a file, which stands alone.

    .c is C99 with a header and a test program, .py a module of NumPy (or --what jax), .m for MATLAB and
    Octave, .jl a module of Julia, .tex a document, .mo a model of Modelica, .fmu an FMU of FMI 3.0 (or
    --what 2.0), .casadi a function for CasADi (--what is its form: explicit, "index 1", "index 3",
    stabilized or canonical). Inputs stay inputs, unless --laws puts those of the file in their place.
    An FMU and a model of Modelica start where the file says, or where --start does; an FMU and C have
    its ends as events.

    Example: routh export swing.toml swing.fmu --start.theta 0.5
    """
    from routh.exports.export import writer_of, written_export
    from routh.exports.subject import subject

    writer = writer_of(path, what)
    read = rt.load(model)
    given = subject(read, p, read.laws if laws else None, "export", start)
    command = shlex.join(["routh", *sys.argv[1:]])
    with progress("Writing the export"):
        paths = written_export(given, writer, path, command, force, "--force")
    print(f"The export is in {', '.join(str(each) for each in paths)}")


@app.command
def examples(
    action: Annotated[str, Parameter(help="list, copy or run")] = "list",
    name: Annotated[str, Parameter(help="One of those that are listed")] = "",
) -> None:
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
