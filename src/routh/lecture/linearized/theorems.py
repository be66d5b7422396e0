"""The theorem behind each verdict, in a sentence."""

from __future__ import annotations

from routh.analysis.stability.verdict import Reason

_SENTENCES = {
    Reason.MINIMUM: (
        "Lagrange and Dirichlet: without damping and circulatory forces the energy (eta'^T M eta' +"
        " eta^T K"
        " eta)/2 keeps its value along small motions; where K is positive definite, it bounds them."
    ),
    Reason.COMPLETE_DAMPING: (
        "Thomson, Tait and Chetaev: with M, K and D positive definite and no circulatory forces all"
        " motions"
        " decay, whatever the gyroscopic forces are."
    ),
    Reason.PERVASIVE_DAMPING: (
        "With M and K positive definite the energy can only fall, and it stands still in no motion,"
        " since"
        " no free motion of the undamped system escapes the damping: all motions decay."
    ),
    Reason.PARTIAL_DAMPING: (
        "With M and K positive definite the energy can only fall, so nothing grows; a motion that"
        " the damping"
        " does not reach goes on."
    ),
    Reason.NO_MINIMUM: (
        "With M positive definite and neither damping, gyroscopic nor circulatory forces, each"
        " direction in"
        " which the potential falls has a real root s > 0."
    ),
    Reason.DAMPED_NO_MINIMUM: (
        "Thomson, Tait and Chetaev: with complete damping and no circulatory forces as many roots have"
        " positive real parts as the potential has directions in which it falls; gyroscopic forces"
        " do not"
        " change that."
    ),
    Reason.GYROSCOPIC: (
        "Roots that are all imaginary and simple, or have as many vectors as they count, belong to"
        " motions"
        " that neither grow nor decay; without a minimum of the potential that is the work of"
        " gyroscopic"
        " forces."
    ),
    Reason.CIRCULATORY: (
        "Roots that are all imaginary and simple, or have as many vectors as they count, belong to"
        " motions"
        " that neither grow nor decay."
    ),
    Reason.DECAY: (
        "Where all roots have negative real parts, every small motion is a sum of decaying ones."
    ),
    Reason.DIVERGENCE: (
        "A real root s > 0 belongs to a motion exp(s t) that leaves without oscillation."
    ),
    Reason.FLUTTER: "A pair of roots with positive real part belongs to an oscillation that grows.",
    Reason.FED: (
        "The roots add up to -tr(M^-1 D), by the second coefficient of the characteristic polynomial,"
        " to which gyroscopic forces add nothing: where that is positive, some root has a positive real"
        " part."
    ),
    Reason.FREE: "A root s = 0 belongs to a displacement that nothing brings back.",
    Reason.MARGINAL: (
        "Roots on the imaginary axis that are zero or double, or beside damped ones, leave the linear"
        " equations without an answer: terms of higher order decide."
    ),
    Reason.DEGENERATE: (
        "Where the stiffness vanishes along some direction, terms of higher order decide."
    ),
    Reason.FROZEN: "Eigenvalues of matrices that were frozen at one moment say nothing about growth.",
}


def theorem(reason: Reason) -> str:
    """The theorem that a verdict rests on, or nothing where its own sentence says all."""
    return _SENTENCES.get(reason, "")
