"""Verbs about motions: the motion from the start, and what a period does to small ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import routh as rt
from routh.cli import outcome
from routh.cli.app import As, Values, app
from routh.cli.checked import checked_until, findings
from routh.cli.output import Output, emit, working


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
