"""What a report says last: what of it is certain, and how it can be had again."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from importlib.metadata import version

from routh.analysis.motion.trajectory import Trajectory
from routh.analysis.stability.verdict import Stability
from routh.display.report.findings import Findings
from routh.display.report.items import Claim, Code, Folded, Heading, Item, Words
from routh.mechanics.lagrange import Equations
from routh.version import __version__


def proof_section(found: Findings) -> Iterator[Item]:
    """What of the report is certain, what was computed, and what was only looked for."""
    yield Heading("What was proven and what was not")
    eq, rests = found.equations, found.rests
    if not isinstance(eq, str):
        yield Claim("exact", "The equations of motion follow from the energies by exact derivatives.")
        if isinstance(eq, Equations) and eq.conserved:
            yield Claim("exact", "The conserved quantities follow from cyclic coordinates and time.")
    if not isinstance(rests, str):
        yield Claim("proven" if found.complete else "not proven", found.completeness)
        yield from _verdicts(found)
    if not found.moves:
        return
    motion = found.motion
    if not isinstance(motion, str) and not motion.completed:
        yield Claim("not whole", f"The motion. {motion.message}")
    elif isinstance(motion, Trajectory):
        yield Claim("computed", _accuracy(motion))


def _verdicts(found: Findings) -> Iterator[Item]:
    judged = [verdict for verdict in found.verdicts if not isinstance(verdict, str)]
    sure = sum(isinstance(verdict, Stability) and bool(verdict.proven) for verdict in judged)
    if judged and found.model.analysis.proof:
        yield Claim(
            "proven" if sure == len(judged) else "not proven",
            f"{sure} of {len(judged)} verdicts on stability hold with rounding included.",
        )
    elif judged:
        yield Claim(
            "computed",
            "Verdicts on stability rest on the theorems named beside them and on matrices in double"
            " precision; `proof = true` under [analysis] includes the rounding.",
        )


def _accuracy(motion: Trajectory) -> str:
    said = f"The motion was integrated to a relative tolerance of {motion.rtol:.1g} for each step"
    if motion.system.constraints:
        said += f"; constraints are kept to {float(motion.constraint_error):.1g}"
    return f"{said}; the error that builds up over time is not bounded."


def reproduction_section(found: Findings, command: str) -> Iterator[Item]:
    """The versions, the command and the model file."""
    yield Heading("How to reproduce it")
    others = (f"{name} {version(name)}" for name in ("sympy", "casadi", "numpy"))
    packages = ", ".join([f"routh {__version__}", *others])
    yield Words(f"Python {platform.python_version()}, {packages}.", aside=True)
    if command:
        yield Code(command)
    if found.model.text:
        yield Folded("The model file", (Code(found.model.text),))
