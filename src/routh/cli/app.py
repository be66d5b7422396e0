"""The app whose verbs are the functions of the modules beside, and what they have in common."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from routh.cli import outcome
from routh.cli.output import Formulas, Output

app = App(
    name="routh",
    help="Write the energy, get the dynamics. Begin with a model file: routh new swing.toml\n\n"
    + outcome.CODES,
    suppress_keyboard_interrupt=False,
)

app.register_install_completion_command(name="--install-completion")

ModelFile = Annotated[Path, Parameter(help="A model file, like swing.toml")]
Values = Annotated[dict[str, float] | None, Parameter(name="--p", help="A parameter, like --p.m 2.0")]
Begun = Annotated[
    dict[str, float] | None,
    Parameter(name="--start", help="A coordinate or a velocity, like --start.theta 0.5"),
]
As = Annotated[Output, Parameter(name="*")]
Written = Annotated[Formulas, Parameter(name="*")]
Saved = Annotated[
    Path | None,
    Parameter(name="--save", help="A file for all of it: .npz, .json, .csv, .mat, .nc or .zarr"),
]
Read = Annotated[
    list[str] | None,
    Parameter(name="--of", help="What is read, an expression like theta'; several times for several"),
]
