"""What a record holds of each noun: the names of its arrays, of its parts, and what its axes are.

Names are those of attributes, and the words of axes those of their annotations
(`Annotated[Array, "*batch T n"]`), so that a row here says everything. Seconds that a run took are not
recorded: the same motion makes the same file.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

WORDS = {
    "T": "time", "n": "coordinate", "c": "constraint", "p": "input", "s": "eigenvalue", "r": "mode",
    "F": "frequency", "k": "point", "2*n": "state", "2*r": "state", "n+c": "unknown", "size": "unknown",
    "steps": "iterate", "parameters": "parameter", "signals": "input", "states": "state",
    "outputs": "output", "f": "form", "contacts": "contact", "slips": "slip", "pieces": "piece",
    "turning": "held",
}  # fmt: skip
"""What axes run over, by the words of annotations; another word is its own name."""

UNITS = {
    "t": "s", "time": "s", "start_time": "s", "end_time": "s", "period": "s", "periods": "s",
    "conjugate": "s", "eigenvalues": "1/s", "dominant": "1/s", "exponents": "1/s",
    "frequencies": "rad/s", "frequency": "rad/s", "resonances": "rad/s", "phase": "rad",
    "curvature": "1/s^2",
}  # fmt: skip
"""Units that follow from what a quantity is, time being in seconds."""


@dataclass(frozen=True)
class Contents:
    """What is recorded of a noun.

    Attributes:
        names: attributes that hold numbers, truth values or texts; what is None is left out.
        parts: attributes that are results themselves, or several of them.
        rows: the words of the axes along which it is a table.
        axes: words of axes that mean something else than elsewhere.
        numbered: the attributes that number axes, by the names of the axes.
        about: the attribute that knows system and conditions, as a path; the noun itself if empty.
        further: what no attribute is, by name, with the words of its axes.
        units: units that differ from those that the same name has elsewhere.
        words: the axes of attributes that are not, or otherwise, annotated.
    """

    names: str
    parts: str = ""
    rows: str = "*batch"
    axes: Mapping[str, str] = field(default_factory=dict)
    numbered: Mapping[str, str] = field(default_factory=dict)
    about: str = ""
    further: Callable[[Any], dict[str, tuple[Any, str]]] = lambda _: {}
    units: Mapping[str, str] = field(default_factory=dict)
    words: Mapping[str, str] = field(default_factory=dict)


def _of_conditions(given: Any) -> dict[str, tuple[Any, str]]:
    """Constant inputs, speeds and held momenta, which are there by symbol."""
    made: dict[str, tuple[Any, str]] = {
        "shape": (np.array(given.shape, dtype=int), "axis"),
        "speeds": (given.folded(given.speeds), "*batch n"),
        "turning": (np.array(given.turning, dtype=int), "turning"),
    }
    for name, numbers in (("inputs", given.inputs), ("momenta", given.momenta)):
        if numbers:
            stack = np.stack([given.folded(each) for each in numbers.values()], axis=-1)
            made[f"given_{name}"] = (stack, f"*batch given_{name}")
            made[f"{name}_given"] = (np.array([str(s) for s in numbers]), f"given_{name}")
    return made


def _of_motion(found: Any) -> dict[str, tuple[Any, str]]:
    """The parts of the energy, where they were given apart."""
    system = found.system
    parts = {} if system.lagrangian else {"kinetic": system.kinetic, "potential": system.potential}
    along = "*batch T" if found.conditions.shape else "T"
    return {name: (found[sum(terms)], along) for name, terms in parts.items() if terms}


def _of_occurrence(found: Any) -> dict[str, tuple[Any, str]]:
    return {"event": (str(found.event), "")}


def _of_branch(found: Any) -> dict[str, tuple[Any, str]]:
    return {"parameter": (str(found.parameter), "")}


def _of_orbits(found: Any) -> dict[str, tuple[Any, str]]:
    return _of_branch(found) | {"starts": (np.array([each.start for each in found.motions]), "k 2*n")}


def _of_zone(found: Any) -> dict[str, tuple[Any, str]]:
    return {"contacts": (np.array([each.name for each in found.contacts], dtype=str), "contacts")}


def _of_proof(found: Any) -> dict[str, tuple[Any, str]]:
    return {"missing": (str(found.missing), "")}


def _of_along(found: Any) -> dict[str, tuple[Any, str]]:
    A, B = found.first_order()
    return {"A": (A, "*batch T 2*r 2*r"), "input_matrix": (B, "*batch T 2*r p")}


def _of_response(found: Any) -> dict[str, tuple[Any, str]]:
    return {"input": (str(found.input), "")}


ETA = {"r": "eta"}
TIMES = {"time": "t"}
BY = {"parameters": "by"}

CONTENTS: Mapping[str, Contents] = {
    "Conditions": Contents("", further=_of_conditions),
    "Equilibrium": Contents(
        "q v multipliers momenta residual status converged free tangent history", "conditions",
        words={"free": "free"},
    ),
    "Equilibria": Contents(
        "q residual dimension copies orbit index starts saturated symmetry remarks completeness",
        "rest stability certificate", rows="k", words={"remarks": "remark"},
    ),
    "Certificate": Contents(
        "is_complete proven undecided undefined unlisted repeated boxes",
        axes={"s": "unknown", "u": "undecided_box", "d": "undefined_box", "2": "end"}, rows="k",
        further=_of_proof,
    ),
    "StickZone": Contents("low high is_complete", "centre corners", further=_of_zone),
    "Start": Contents("time q v moved_q moved_v status", "conditions"),
    "Dynamics": Contents("q v M h Q J gamma a multipliers", "conditions"),
    "Trajectory": Contents(
        "t q v a multipliers momenta inputs energy work power_balance transition sensitivity"
        " global_error cut_error status message completed rtol atol basis_error energy_error"
        " constraint_error constraint_rate_error",
        "events statistics", rows="*batch T", axes={"2": "cut"}, numbered=TIMES,
        further=_of_motion,
    ),
    "Statistics": Contents("methods steps evaluations", words={"methods": "leg"}),
    "Occurrence": Contents("t before after is_at_rest", further=_of_occurrence),
    "StickSlip": Contents(
        "t q v a multipliers energy states friction normals status message completed rtol",
        "events phases", rows="T", numbered=TIMES, further=_of_motion,
    ),
    "Phase": Contents("start end states sides shares", "motion", about="motion",
                      units={"start": "s", "end": "s"},
                      words={"states": "contacts", "sides": "reaction"}),
    "Change": Contents("t contact state"),
    "Drift": Contents("t off_q off_v growth forms step alpha beta", rows="*batch T", numbered=TIMES,
                      words={"forms": "f"},
                      units={"step": "s", "alpha": "1/s", "beta": "1/s"}),
    "CanonicalPoint": Contents("H v p_rate multipliers"),
    "LinearModel": Contents(
        "M D G K H B Z Y R W S held time", "reference", axes=ETA | {"k": "velocity_constraint"},
        about="reference",
    ),
    "LinearAlong": Contents(
        "t M D G K H B Z closed independent", "reference", rows="*batch T", axes=ETA, numbered=TIMES,
        about="reference", further=_of_along, words={"independent": "r"},
    ),
    "CanonicalModel": Contents(
        "A Hqq Hqp Hpp Qq Qv eigenvalues", axes={"2*n": "canonical_state"},
        words={"eigenvalues": "*batch s"},
    ),
    "Descriptor": Contents("M C K B"),
    "StateSpace": Contents("A B C D"),
    "Regulator": Contents("Q R gain cost residual", "space"),
    "RegulatorAlong": Contents(
        "Q R final gain cost error", "linear", rows="*batch T", axes={"s": "state"},
    ),
    "Observer": Contents("W V gain covariance residual", "space", axes={"outputs": "seen"}),
    "Reach": Contents("eigenvalues share", "space", axes={"states": "eigenvalue"}),
    "ReducedModel": Contents("basis M D G K H B", "linear", axes={"r": "eta", "k": "kept"}),
    "BalancedModel": Contents("hankel bound", "space reduced"),
    "RestSensitivity": Contents("q multipliers v", about="rest", axes=BY),
    "ModesSensitivity": Contents(
        "s eigenvalues eigenvectors multiplicity defective lost", about="rest", axes=BY,
    ),
    "ResponseSensitivity": Contents("transfer remark", "response", axes=BY),
    "Fit": Contents(
        "names x covariance scatter at_bound level loss status evaluations", rows="k",
        axes={"k": "unknown"}, words={"names": "k"},
    ),
    "FrequencyResponse": Contents(
        "frequencies transfer magnitude phase resonant", "linear", rows="*batch F",
        numbered={"frequency": "frequencies"}, about="linear.reference", further=_of_response,
    ),
    "Modes": Contents(
        "frequencies damping rigid shapes eigenvalues eigenvectors infinite order accuracy lowest"
        " is_tracked",
        "linear", rows="*batch r", about="linear.reference",
    ),
    "Stability": Contents(
        "verdict reason sentence region eigenvalues dominant growth curvature falling index nonlinear"
        " proven remark",
        units={"growth": "1/s"}, about="linear.reference",
    ),
    "StabilityMap": Contents(
        "x y across up region", "rest stability", rows="k m",
        axes={"k": "up", "m": "across"}, numbered={"up": "up", "across": "across"},
    ),
    "Branch": Contents("at q verdicts ended", "points rest modes", rows="k",
                       further=_of_branch, words={"verdicts": "k"}),
    "SpecialPoint": Contents("kind parameter value frequency multiplicity", "rest", about="rest"),
    "Oscillation": Contents("kind interval share frequency"),
    "PeriodicMotion": Contents("period start monodromy gap nodes distance guessed energy",
                               "floquet motion"),
    "PeriodicBranch": Contents("at periods frequencies verdicts ended", "points", rows="k",
                               further=_of_orbits, words={"verdicts": "k"}),
    "PeriodicPoint": Contents("kind parameter value multiplicity", "motion", about="motion"),
    "Floquet": Contents(
        "monodromy period multipliers exponents growth determinant trivial error verdict near",
        units={"growth": "1/s"}, about="reference",
        words={"multipliers": "*batch multiplier", "exponents": "*batch multiplier"},
    ),
    "Action": Contents("value error shapes first stationarity", "motion",
                       axes={"shapes": "shape"}),
    "NormalForm": Contents("frequencies shift shapes measure M K", "resonances", rows="r",
                           words={"measure": "r"}),
    "Resonance": Contents("modes kind off", words={"modes": "of"}),
    "Taylor": Contents("order", "reference", about="reference"),
}  # fmt: skip
"""Every noun that holds numbers, by its name."""
