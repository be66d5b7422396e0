"""What a report says about motions: the one from the start, and small ones under a periodic drive."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from routh.analysis.motion.phases import StickSlip
from routh.analysis.motion.trajectory import Trajectory
from routh.display.report.about_equations import explained
from routh.display.report.findings import Findings
from routh.display.report.formulas import complex_number, matrix
from routh.display.report.items import Badge, Equation, Heading, Item, Pictures, Rows, Words


def floquet_section(found: Findings, pictures: Pictures) -> Iterator[Item]:
    """What a period of the drive does to small motions, where the model gives one."""
    own = found.floquet
    if own is None:
        return
    yield Heading("Small motions under the drive")
    if isinstance(own, str):
        yield Words(own, aside=True)
        return
    yield Words(
        f"About {found.place(own.reference)}: over a period of {float(own.period):.6g} s a small"
        " deviation (q, p) is multiplied by the monodromy matrix. Its eigenvalues are Floquet's"
        " multipliers; a deviation grows where one of them is larger than 1 in size."
    )
    if len(own.monodromy) <= 8:
        yield Equation(rf"\Phi(T) = {matrix(own.monodromy)}")
    rows = [
        (str(k), complex_number(m, 6), f"{abs(m):.8g}", complex_number(s, 5))
        for k, (m, s) in enumerate(zip(own.multipliers, own.exponents, strict=True), 1)
    ]
    yield Rows(("", "multiplier", "size", "exponent in 1/s"), tuple(rows), numbers=(1, 2, 3))
    yield Rows(("verdict", "nearest to"), ((Badge(str(own.verdict)), str(own.near)),))
    yield from pictures.multipliers(own)
    yield from explained(own, "How the multipliers are found")


def motion_section(found: Findings, pictures: Pictures) -> Iterator[Item]:
    """The motion from the start: how it was computed, the film, the curves."""
    yield Heading("Motion")
    if not found.moves:
        yield Words(
            "A system alone does not say where a motion starts. Save it, write `start` under"
            " [coordinates] of the model file, and report that.",
            aside=True,
        )
        return
    motion = found.motion
    if isinstance(motion, str):
        yield Words(motion, aside=True)
        return
    for line in told(motion):
        yield Words(line)
    if not motion.v.any() and not np.ptp(motion.q, axis=0).any():
        yield Words("Nothing moves from this start.", aside=True)
        return
    if found.coarse:
        more = " Write `outputs` under [analysis.motion]."
        yield Words(f"Warning: {found.coarse}{more}")
    yield from pictures.motion(motion)


def told(motion: Trajectory | StickSlip) -> list[str]:
    """What a motion says of itself, but for how long the machine took."""
    if isinstance(motion, StickSlip):
        return str(motion).splitlines()
    seconds = f", {motion.statistics.seconds:.3g} s"
    return [line.replace(seconds, "") for line in str(motion).splitlines()]
