"""Verbs about measurements: what they say of the parameters of a model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

import routh as rt
from routh.cli import outcome
from routh.cli.app import As, ModelFile, Values, app
from routh.cli.checked import findings
from routh.cli.output import Output, emit, working

Looked = Annotated[
    list[str] | None,
    Parameter(name="--unknown", help="A parameter, or a coordinate at the start; several times"),
]
Moved = Annotated[str | None, Parameter(name="--input", help="The input that answers are to")]

RESERVED = ("t", "mode", "frequency", "damping")
"""Columns that are no expressions of a model."""


@app.command
def fit(
    model: ModelFile,
    data: Annotated[Path, Parameter(help="Measurements, comma-separated under names")],
    *,
    unknown: Looked = None,
    moved: Moved = None,
    huber: Annotated[bool, Parameter(help="Let outliers count less")] = False,
    level: Annotated[float, Parameter(help="Probability of the intervals")] = 0.95,
    p: Values = None,
    output: As = Output(),  # noqa: B008
) -> None:
    """Parameters of a model from measurements: estimates, intervals, and what is not determined.

    The data are comma-separated values under names: t and what was measured of a motion, or mode and
    frequency, or frequency and complex answers. The model has the first guesses.

    Example: routh fit swing.toml swing.csv --unknown l --unknown theta
    """
    from routh.files.measured_csv import measured_csv

    read = rt.load(model)
    found = findings(read, p)
    system = found.system
    if not unknown:
        raise rt.DeclarationError(
            "Say what is looked for, like --unknown l; several times for several. The model has the"
            " first guesses."
        )
    columns = measured_csv(data)
    table: dict[Any, Any] = {
        name if name in RESERVED else read.expression(name): column for name, column in columns.items()
    }
    if moved is not None:
        table["input"] = moved
    states = {str(s): s for s in (*system.coordinates, *system.velocities)}
    start = {str(key): value for key, value in read.start.items()}
    values = {str(key): value for key, value in found.values.items()}
    guesses = {
        name: start.pop(name, 0.0) if name in states else values.pop(name, 1.0) for name in unknown
    }
    moving = "t" in table
    with working("Fitting"):
        fitted = rt.fit(
            system, table, guesses, values,
            start=start if moving else None, guess=None if moving else read.guess or None,
            inputs=(read.laws if moving else read.inputs) or None,
            loss="huber" if huber else "squares", level=level,
        )  # fmt: skip
    rows: list[dict[str, Any]] = [
        {
            "unknown": name, "estimate": float(fitted.x[k]), "standard error": float(fitted.errors[k]),
            "from": float(fitted.intervals[k, 0]), "to": float(fitted.intervals[k, 1]),
            "determined": bool(fitted.is_determined[k]),
        }
        for k, name in enumerate(fitted.names)
    ]  # fmt: skip
    ended = outcome.of_fit(fitted)
    emit({"fit": rows}, output, str(fitted).splitlines(), rows=rows, outcome=ended)
