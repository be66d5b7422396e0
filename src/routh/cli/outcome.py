"""How a verb of the command ended: a word for programs, a sentence for people, a code for scripts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from routh.errors import RouthError, Status

if TYPE_CHECKING:
    from routh.analysis.branches.follow import Branch
    from routh.analysis.fitting.fit_result import Fit
    from routh.analysis.motion.phases import StickSlip
    from routh.analysis.motion.trajectory import Trajectory
    from routh.analysis.rest.result import Equilibrium
    from routh.analysis.stability.natural_modes import Modes
    from routh.display.report.findings import Findings

DONE, REFUSED, MISSPELT, FAULT, INTERRUPTED = 0, 1, 2, 3, 130

FOUND = (Status.CONVERGED, Status.DEGENERATE)

CODES = (
    "The command ends with 0 when done, 1 when a model or a computation was refused or the result is"
    " not whole (a motion that ended early or is doubtful, points that were not found), 2 when the"
    " command line was wrong, 3 when Routh itself failed, 130 when interrupted. A result that is not"
    " whole is printed all the same: JSON has `status` and `message`, CSV begins with a line"
    " `# status: ...`, and the sentence is on standard error."
)


@dataclass(frozen=True)
class Outcome:
    """How a verb ended.

    Attributes:
        status: a word for programs.
        message: a sentence for people.
        code: what the command ends with; not 0 where the result is not whole.
    """

    status: str = "done"
    message: str = ""
    code: int = DONE

    @property
    def line(self) -> str:
        """Both in one line."""
        return f"status: {self.status}. {' '.join(self.message.split())}".rstrip()


class NotWhole(RouthError):
    """What was printed is not the whole result; the command ends with the code of the outcome."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(outcome.message)
        self.outcome = outcome


def of_motion(motion: Trajectory | StickSlip) -> Outcome:
    """How a motion ended."""
    code = DONE if motion.completed else REFUSED
    if motion.status is Status.INTERRUPTED:
        code = INTERRUPTED
    return Outcome(_word(motion.status), str(motion.message), code)


def of_fit(fit: Fit) -> Outcome:
    """How a fit ended: not whole where something was not found or is not determined."""
    whole = fit.converged and bool(fit.is_determined.all())
    word = "done" if whole else "not determined" if fit.converged else _word(fit.status)
    return Outcome(word, fit.remark or fit.message, DONE if whole else REFUSED)


def of_status(status: Status) -> Outcome:
    """How the search for one equilibrium ended."""
    return Outcome(_word(status), str(status), DONE if status in FOUND else REFUSED)


def of_modes(found: Modes) -> Outcome:
    """Whether the modes that are listed are those of the body, or of the functions it is made of."""
    known = found.converged
    if not found.frequencies.shape[-1]:
        said = "There are no modes: nothing here has both a mass and a way to move."
        return Outcome("no modes", said, REFUSED)
    if known is None or known.all():
        return of_status(found.linear.reference.status)
    done = f"{int(known.sum())} of {len(known)} modes are converged"
    if known.any():
        return Outcome("partly converged", f"{done}; the others are not those of the body.")
    return Outcome("not converged", f"{done}. Give the fields more `functions` or `elements`.", REFUSED)


def of_equilibria(found: Findings) -> Outcome:
    """Whether the list of equilibria is whole, and each is judged."""
    if isinstance(found.rests, str):
        return Outcome("none", found.rests, REFUSED)
    unknown = [k for k, verdict in enumerate(found.verdicts, 1) if isinstance(verdict, str)]
    if not found.rests:
        return Outcome("none", found.completeness, REFUSED)
    if unknown:
        said = f"The verdict on equilibrium {unknown[0]} is unknown: {found.verdicts[unknown[0] - 1]}"
        return Outcome("unjudged", said, REFUSED)
    if not found.searchable:
        return Outcome("near the guess", found.completeness)
    if found.complete:
        return Outcome("proven", found.completeness)
    if found.doubted:
        return Outcome("unsure", found.completeness, REFUSED)
    return Outcome("searched", found.completeness)


def of_branch(branch: Branch, to: float) -> Outcome:
    """Whether a branch went through the whole range."""
    first, last = float(branch.at[0]), float(branch.at[-1])
    unknown = int(np.sum(~np.asarray(np.isfinite(branch.modes.eigenvalues)).any(axis=-1)))
    if unknown and branch.modes.eigenvalues.shape[-1]:
        said = f"{unknown} of {len(branch)} points have no linear model, so no verdict."
        return Outcome("unjudged", f"{branch.ended} {said}", REFUSED)
    reach = abs(to - first)
    if abs(last - to) <= 1e-9 * reach:
        return Outcome("reached", branch.ended)
    if abs(last - first) <= 1e-9 * reach:
        return Outcome("returned", branch.ended)
    return Outcome("stopped", branch.ended, REFUSED)


def of_points(rest: Equilibrium, known: NDArray[np.bool_]) -> list[Outcome]:
    """How each point of a sweep ended; `known` says whether it has modes."""
    return [
        of_status(status)
        if has or status not in FOUND
        else Outcome(
            "no linear model",
            "It has a kink or a pole of the coordinates, or numbers are not finite.",
            REFUSED,
        )
        for status, has in zip(rest.status.reshape(-1), known, strict=True)
    ]


def of_sweep(parameter: str, numbers: NDArray[np.float64], points: list[Outcome]) -> Outcome:
    """Whether every point of a sweep was found; the sentence is that of the first that was not."""
    lost = [k for k, point in enumerate(points) if point.code]
    if not lost:
        return Outcome("converged", "Every point was found.")
    count = f"{len(lost)} of {len(points)} points {'has' if len(lost) == 1 else 'have'} no modes"
    where = f"{parameter} = {numbers[lost[0]]:g}"
    return Outcome("incomplete", f"{count}. At {where}: {points[lost[0]].message}", REFUSED)


def of_study(counts: Mapping[str, int]) -> Outcome:
    """Whether every point of a study was found, by how many ended how."""
    found = [status.name.lower() for status in FOUND]
    lost = {word: n for word, n in counts.items() if word not in found}
    if not lost:
        return Outcome("converged", "Every point was found.")
    if "unknown" in lost:
        said = f"{lost['unknown']} points are not computed yet: the same command goes on with them."
        return Outcome("incomplete", said, INTERRUPTED)
    told = ", ".join(f"{n} {word}" for word, n in lost.items())
    return Outcome("incomplete", f"{sum(lost.values())} points were not found: {told}.", REFUSED)


def of_report(found: Findings) -> Outcome:
    """Whether the motion of a report is whole, and its list of equilibria sure."""
    motion = found.motion
    ended = Outcome("refused", motion, REFUSED) if isinstance(motion, str) else of_motion(motion)
    if ended.code:
        return Outcome(
            ended.status, f"The motion of the report is not whole. {ended.message}", ended.code
        )
    rests = of_equilibria(found)
    if rests.code and not found.without_rests:
        return Outcome(
            rests.status, f"The report lacks equilibria or verdicts. {rests.message}", rests.code
        )
    return ended


def _word(status: Status) -> str:
    return status.name.lower().replace("_", " ")
