"""Verbs about motions: the motion from the start, and what a period does to small ones."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from cyclopts import Parameter

import routh as rt
from routh.arrays import Array
from routh.cli import outcome
from routh.cli.app import As, ModelFile, Saved, Values, app
from routh.cli.checked import checked_period, checked_until, findings
from routh.cli.keeping_results import refuse_unsavable, saved
from routh.cli.output import Output, emit, working
from routh.cli.readable import ROUNDING, field_columns, thinned, told
from routh.errors import NoEquilibrium


@app.command
def simulate(
    model: ModelFile,
    *,
    until: Annotated[
        float | None, Parameter(help="The last time; that of the file if not given")
    ] = None,
    p: Values = None,
    save: Saved = None,
    output: As = Output(),  # noqa: B008
) -> None:
    """The motion from the start, as a table over time.

    JSON and CSV have all coordinates and velocities, the energies, and the multipliers of constraints;
    a file that it is saved to has all of these too.

    Example: routh simulate swing.toml --until 20 --save swing.npz
    """
    refuse_unsavable(save)
    read = rt.load(model)
    found = findings(read, p)
    motion = whole_motion(found, until)
    few = _shown(found, motion)
    saved(motion, save, [read.expression(text) for text in read.analysis.motion.shown])
    columns = few if output.for_people else few | _further(found, motion, few)
    if output.for_people:
        columns = {name: told(column) for name, column in columns.items()}
    names = list(columns)
    rows: list[dict[str, Any]] = [
        {"t": float(time)} | {name: float(columns[name][k]) for name in names}
        for k, time in enumerate(motion.t)
    ]
    lines = str(motion).splitlines()
    ended = outcome.of_motion(motion)
    emit({"motion": rows}, output, lines, rows=rows, shown=thinned(rows), outcome=ended)


def whole_motion(found: Any, until: float | None = None, *, bar: bool = True) -> Any:
    """The motion of a model from its start; a bar shows how far it is, where no other sign is shown."""
    model, asked = found.model, found.model.analysis.motion
    times = np.linspace(0, checked_until(asked.until if until is None else until), asked.outputs)
    return rt.simulate(
        found.system,
        found.values,
        model.start,
        times,
        inputs=model.laws or None,
        events=model.ends or None,
        progress=bar,
    )


def _shown(found: Any, motion: Any) -> dict[str, Array]:
    """What the model asks to be shown; else coordinates, and fields where they move."""
    model = found.model
    asked = {text: model.expression(text) for text in model.analysis.motion.shown}
    if asked:
        return {min(str(e), text, key=len): motion[e] for text, e in asked.items()}
    columns = {str(q): motion[q] for q in model.system.coordinates}
    if model.system.fields:
        columns |= {w: track for w, track in field_columns(found, motion).items() if track.any()}
    return columns


def _further(found: Any, motion: Any, given: dict[str, Array]) -> dict[str, Array]:
    """What programs get beside: coordinates, velocities, energies, multipliers, friction."""
    system = found.system
    every = {str(q): motion.q[:, k] for k, q in enumerate(system.coordinates)}
    every |= {str(v): motion.v[:, k] for k, v in enumerate(system.velocities)}
    for part in ("kinetic", "potential"):
        if getattr(system, part) and not system.lagrangian:
            every[part] = motion[sum(getattr(system, part))]
    every["energy"] = motion.energy
    every |= {str(x): motion.multipliers[:, k] for k, x in enumerate(system.multipliers)}
    columns = iter(motion.friction.T if system.friction else ())
    for k, contact in enumerate(system.friction):
        name = contact.name or k + 1
        for axis in ("x", "y") if contact.is_vector else ("",):
            every[f"friction {name} {axis}".rstrip()] = next(columns)
        if contact.normal is not None:
            every[f"normal {name}"] = motion.normals[:, k]
        every[f"state {name}"] = motion.states[:, k]
    return {name: column for name, column in every.items() if name not in given}


@app.command
def floquet(
    model: ModelFile,
    period: Annotated[str | None, Parameter(help="A number or an expression, like 2*pi/w")] = None,
    *,
    p: Values = None,
    save: Saved = None,
    output: As = Output(),  # noqa: B008
) -> None:
    """What a period of the drive does to small motions: multipliers, exponents and the verdict.

    The period is a number or an expression in the parameters; that under [analysis] if not given. Where
    the drive leaves no rest, this is about the motion with its period that is near the start.

    Example: routh floquet shaken_pendulum.toml 2*pi/w
    """
    refuse_unsavable(save)
    read = rt.load(model)
    with working("Computing the multipliers"):
        found = over_a_period(findings(read, p), period)
    saved(found, save)
    rows: list[dict[str, Any]] = [
        {
            "multiplier": k + 1,
            "real": float(m.real),
            "imaginary": float(m.imag),
            "size": float(abs(m)),
            "exponent real": float(e.real),
            "exponent imaginary": float(e.imag),
        }
        for k, (m, e) in enumerate(zip(found.multipliers, found.exponents, strict=True))
    ]
    data = {
        "period": float(found.period),
        "multipliers": rows,
        "growth": float(found.growth),
        "near": str(found.near),
        "verdict": str(found.verdict),
    }
    shown = [
        {"multiplier": _written(m), "size": float(abs(m)), "exponent 1/s": _written(e)}
        for m, e in zip(found.multipliers, found.exponents, strict=True)
    ]
    emit(data, output, _said(found), rows=rows, shown=shown)


def _written(x: complex) -> str:
    """A complex number without a part that is rounding beside the other."""
    parts = (0.0 if abs(part) <= ROUNDING * abs(x) else part for part in (x.real, x.imag))
    return f"{complex(*parts):.6g}".replace("j", "i")


def over_a_period(found: Any, period: str | None) -> Any:
    """Multipliers about the rest near the guess, or about the motion that the drive leaves instead."""
    model, given = found.model, checked_period(found, period)
    inputs = model.laws or None
    try:
        return rt.floquet(found.system, found.values, given, guess=model.guess, inputs=inputs)
    except NoEquilibrium:
        moving = rt.periodic_motion(found.system, found.values, model.start, given, inputs=inputs)
        return moving.floquet


def _said(found: Any) -> list[str]:
    """The verdict, and about what."""
    still = isinstance(found.reference, rt.results.Equilibrium)
    about = "the rest near the guess" if still else "the periodic motion near the start"
    lines = [
        f"About {about}, over a period of {float(found.period):.6g} s: {found.verdict}.",
        f"The largest multiplier is nearest to {found.near}; growth {float(found.growth):.4g} 1/s.",
    ]
    if found.trivial:
        lines.append(f"Multipliers that are 1 because the motion can be shifted: {found.trivial}.")
    return lines
