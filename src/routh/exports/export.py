"""The verb `export`: a system in another language, in files that stand alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from routh.analysis.given.numbers import Numbers
from routh.errors import DeclarationError, a_kind, did_you_mean, listed
from routh.exports.c_files import c_files
from routh.exports.casadi_files import casadi_files
from routh.exports.casadi_functions import FORMS
from routh.exports.files_out import Files, put_out, refuse_present
from routh.exports.fmu.unit_files import VERSIONS, fmu_files
from routh.exports.julia_file import julia_files
from routh.exports.latex_document import latex_files
from routh.exports.matlab_file import matlab_files
from routh.exports.modelica import modelica_files
from routh.exports.python_module import jax_files, numpy_files
from routh.exports.sample_points import refuse_undetermined
from routh.exports.subject import Subject, subject
from routh.files.model import Model
from routh.language.events import Event
from routh.language.system import System

Writer = Callable[[Subject, Path, str], Files]
"""Makes the files of an export: of what is exported, the path asked for, and the command."""

WRITERS: dict[str, dict[str, Writer]] = {
    ".c": {"c99": c_files},
    ".mo": {"modelica": modelica_files},
    ".fmu": {version: partial(fmu_files, version=version) for version in VERSIONS},
    ".py": {"numpy": numpy_files, "jax": jax_files},
    ".m": {"matlab": matlab_files},
    ".jl": {"julia": julia_files},
    ".tex": {"latex": latex_files},
    ".casadi": {form: partial(casadi_files, form=form) for form in FORMS},
}
"""What is written for each suffix; the first where nothing is said."""


WATCHING = (".fmu", ".c")
"""Suffixes of files that take events along."""


def export(
    system: System | Model,
    path: str | Path,
    *,
    what: str | None = None,
    values: Numbers | None = None,
    inputs: Mapping[Any, Any] | None = None,
    start: Numbers | None = None,
    events: Sequence[Event] | Event | None = None,
    overwrite: bool = False,
) -> tuple[Path, ...]:
    """Write the equations of a system for another program, by the suffix of a file.

        .c        C99: right side, mass matrix, linear model, energies, with a header and a test program
        .py       one module of plain NumPy, or with what="jax" of JAX, to be differentiated and mapped
        .m        one file for MATLAB and Octave, whose function gives all others
        .jl       one module of Julia with the same functions
        .tex      a document in LaTeX: letters, units, energies, equations of motion, constraints
        .casadi   a function for `casadi.Function.load`, with a text about it; `what` is its form
        .mo       one model of Modelica, with units and start values
        .fmu      an FMU of FMI 3.0 for Model Exchange and Co-Simulation, with sources and a binary for
                  machines like this one; what="2.0" for that version of the standard

    Every file says what it is, the order of states, inputs and parameters, their units and how it was
    made, and needs no Routh. Parameters stay parameters, with the numbers that are known as defaults.

    Arguments:
        system: a system of coordinates, or a model that `load` gave.
        path: the file; others are written beside it.
        what: which of several things of that suffix.
        values: numbers for parameters, by symbol or name; those of the model, or defaults, for others.
        inputs: what is put in for inputs: numbers, expressions in t, feedback laws. Others stay inputs.
        start: where the motion of an FMU or a Modelica model starts: coordinates and velocities, like
            `{theta: 2.0, ddt(theta): 1.0}`; those of the model, or zero, for others.
        events: what `event(...)` made, as in `simulate`, for an FMU or for C; if not, the ends that the
            file of a model has.
        overwrite: whether files that are there already are replaced.

    Returns:
        The files that were written, `path` first.

    Raises:
        DeclarationError: a system that has no one set of equations of coordinates, an input that is a
            Python function, an unknown suffix, a folder that is not there or a file that is.
        DerivationError: an operation that the language does not have.

    Example:
        >>> import tempfile
        >>> import routh as rt
        >>> x, k = rt.coordinate("x"), rt.parameter("k", 4.0, unit="N/m")
        >>> spring = rt.System(kinetic=rt.ddt(x)**2 / 2, potential=k * x**2 / 2, name="spring")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     print([path.name for path in rt.export(spring, f"{folder}/spring.c")])
        ...
        ['spring.c', 'spring.h', 'spring_test.c']
    """
    writer = writer_of(path, what)
    if not isinstance(overwrite, bool):
        raise DeclarationError(f"`overwrite` must be True or False. Got {overwrite!r}.")
    said = "" if what is None else f", what={what!r}"
    more = {"values": values, "inputs": inputs, "start": start, "events": events}
    said += "".join(f", {key}=..." for key, x in more.items() if x is not None)
    command = f"rt.export(system, {Path(path).name!r}{said})"
    given = subject(system, values, inputs, "export", start, events)
    if events is not None and given.events:
        refuse_events(path)
    return written_export(given, writer, Path(path), command, overwrite, "overwrite=True")


def written_export(
    given: Subject, writer: Writer, path: Path, command: str, overwrite: bool, how: str
) -> tuple[Path, ...]:
    """Write what is exported; `how` says how files are replaced."""
    refuse_present({path: ""}, overwrite, how)
    refuse_undetermined(given)
    files = writer(given, path, command)
    refuse_present(files, overwrite, how)
    return put_out(files)


def refuse_events(path: str | Path) -> None:
    """Say that a file cannot have events, where it cannot."""
    suffix = Path(path).suffix
    if suffix not in WATCHING:
        raise DeclarationError(
            f"Events go into files {listed(WATCHING)}; a file {suffix} has equations alone. Leave out"
            " `events`, and watch for them where it is integrated."
        )


def writer_of(path: object, what: object) -> Writer:
    """What writes files of this suffix."""
    if not isinstance(path, (str, Path)):
        raise DeclarationError(f'export writes to a path, like "pendulum.c". Got {a_kind(path)}.')
    suffix = Path(path).suffix
    if suffix not in WRITERS:
        raise DeclarationError(
            f"export knows files by their suffix: {listed(WRITERS)}. Got {str(path)!r}."
            + (did_you_mean(suffix.lower(), WRITERS) if suffix else "")
        )
    choice = WRITERS[suffix]
    if what is None:
        return next(iter(choice.values()))
    if what not in choice:
        raise DeclarationError(
            f"`what` of a file {suffix} is one of {listed(choice)}. Got {what!r}."
            + did_you_mean(what, choice)
        )
    return choice[str(what)]
