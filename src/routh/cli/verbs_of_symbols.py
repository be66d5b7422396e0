"""Verbs that write formulas: the equations of motion, their derivation, the Hamiltonian."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Annotated, Any

from cyclopts import Parameter

import routh as rt
from routh.cli.app import ModelFile, Values, Written, app
from routh.cli.checked import findings
from routh.cli.output import Formulas, emit, working
from routh.cli.verbs_of_motions import over_a_period, whole_motion


@app.command
def equations(model: ModelFile, *, output: Written = Formulas()) -> None:  # noqa: B008
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
def hamiltonian(model: ModelFile, *, output: Written = Formulas()) -> None:  # noqa: B008
    """The momenta, the Hamiltonian and the canonical equations.

    Example: routh hamiltonian swing.toml --latex
    """
    with working("Deriving the Hamiltonian"):
        from routh.display.report.findings import slipping
        from routh.mechanics.forms.printing import text

        read = rt.load(model)
        found = rt.hamiltonian(slipping(read.system))
        momenta = {str(p): text(e) for p, e in zip(found.momenta, found.definitions, strict=True)}
        H = text(found.energy if found.H is None else found.H)
        rows = _canonical_rows(found, text)
    if read.system.friction and output.for_people:
        print("While every contact slips forwards:")
    data: dict[str, Any] = {
        "momenta": momenta,
        "hamiltonian": H,
        "equations": rows,
        "is_explicit": found.is_explicit,
        "is_energy": found.is_energy,
    }
    lines = [f"{p} = {e}" for p, e in momenta.items()] if found.is_explicit else []
    lines += str(found).splitlines()
    emit(data, output, [*lines, _meaning(found)], latex=found.latex)


def _meaning(found: Any) -> str:
    """What the Hamiltonian is, in the parts of T by degree in the velocities where T has such parts."""
    from routh.language.walk import leaves

    if found.is_energy:
        return "H is T + V."
    moving = found.definitions.jacobian(list(found.system.velocities))
    quadratic = not leaves(moving) & set(found.system.velocities)
    if found.system.lagrangian or not quadratic:
        return "H is v . L_v - L."
    return "H is T2 - T0 + V, which is not T + V."


def _canonical_rows(found: Any, text: Callable[[Any], str]) -> list[str]:
    """The canonical equations in q and p; in velocities where there is no closed form."""
    if not found.is_explicit:
        return str(found).splitlines()[1:]
    rates = zip(found.system.coordinates, found.q_rates, strict=True)
    forces = zip(found.momenta, found.p_rates, strict=True)
    held = [f"{text(phi)} = 0" for phi in found.constraints]
    return [*(f"{x.rate} = {text(e)}" for x, e in (*rates, *forces)), *held]


class Told(Enum):
    """What `derive` tells of."""

    system = "system"
    rest = "rest"
    linear = "linear"
    modes = "modes"
    stability = "stability"
    hamiltonian = "hamiltonian"
    motion = "motion"
    floquet = "floquet"


@app.command
def derive(
    model: ModelFile,
    what: Annotated[Told, Parameter(help="What is derived")] = Told.system,
    *,
    p: Values = None,
    output: Written = Formulas(),  # noqa: B008
) -> None:
    """The derivation, step by step: of the equations, or of what follows from them.

    Example: routh derive swing.toml linear --latex
    """
    with working("Writing the derivation"):
        from routh.lecture.derive import derive as derivation

        read = rt.load(model)
        chapter = derivation(_result(read, what, p))
    emit(_told(chapter), output, str(chapter).splitlines(), latex=chapter.latex)


def _result(read: Any, what: Told, p: dict[str, float] | None) -> Any:
    """What a chapter explains: the system, or what a verb says of it."""
    from routh.display.report.findings import slipping

    if what is Told.system:
        return slipping(read.system)
    if what is Told.hamiltonian:
        return rt.hamiltonian(slipping(read.system))
    found = findings(read, p)
    if what is Told.motion:
        return rt.action(whole_motion(found, bar=False))
    if what is Told.floquet:
        return over_a_period(found, None)
    rest = found.rest()
    if what is Told.rest:
        return rest
    linear = rt.linearize(rest)
    if what is Told.linear:
        return linear
    return rt.modes(linear) if what is Told.modes else rt.stability(linear)


def _told(chapter: Any) -> dict[str, Any]:
    """A chapter as data: each step says of which kind it is."""
    return {
        "title": chapter.title,
        "sections": [
            {"title": section.title, "steps": [_step(step) for step in section.steps]}
            for section in chapter
        ],
    }


def _step(step: Any) -> dict[str, Any]:
    if isinstance(step, str):
        return {"sentence": step}
    if isinstance(step.text, str):
        return {"formula": step.text, "latex": step.latex}
    rows = [[str(cell) for cell in row] for row in (step.head, *step.rows)]
    return {"table": rows, "latex": step.latex()}
