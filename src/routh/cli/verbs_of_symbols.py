"""Verbs that write formulas: the equations of motion, their derivation, the Hamiltonian."""

from __future__ import annotations

from pathlib import Path

import routh as rt
from routh.cli.app import As, app
from routh.cli.output import Output, emit, working


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
