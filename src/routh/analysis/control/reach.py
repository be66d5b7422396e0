"""The verbs `controllability` and `observability`: which motions inputs reach and outputs see."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from routh.analysis.control.states_told import OwnStates, checked_space, own_states, spectra, stacks
from routh.analysis.linear.state_space import StateSpace
from routh.arrays import Array, Complex, Mask
from routh.errors import DerivationError, listed
from routh.numerics.linear_systems.modal_reach import NOT_REACHED, modal_reach
from routh.recorded import Recorded
from routh.shown import as_html

DECAYS = 1e-12
"""Share of the quickest motion by which an eigenvalue must be left of the axis to decay."""


@dataclass(frozen=True, eq=False, repr=False)
class Reach(Recorded):
    """Which motions exp(s t) of a linear model its inputs reach, or its outputs see.

    Attributes:
        space: the state-space model.
        by: "inputs" or "outputs".
        eigenvalues: (..., states) s in 1/s, in pairs as those of `modes`.
        share: (..., states) how strongly each is reached, between 0 and 1: the cosine of the angle
            between the motion and the nearest combination of inputs (outputs), displacements being
            measured by mass and rates by the quickest motion; so it depends on no units.
        missed: for each point of the batch, in its order, the motions that are not reached, in words.
        left: likewise those of them that do not decay by themselves.
    """

    space: StateSpace
    by: str
    eigenvalues: Annotated[Complex, "*batch states"]
    share: Annotated[Array, "*batch states"]
    missed: tuple[tuple[str, ...], ...]
    left: tuple[tuple[str, ...], ...]

    @property
    def reached(self) -> Annotated[Mask, "*batch states"]:
        """(..., states) which eigenvalues are reached, beyond rounding."""
        return np.asarray(self.share > NOT_REACHED)

    @property
    def is_complete(self) -> Annotated[Mask, "*batch"]:
        """(...) whether all motions are: the model is controllable (by outputs: observable)."""
        return np.asarray(self.reached.all(axis=-1))

    @property
    def others_decay(self) -> Annotated[Mask, "*batch"]:
        """(...) whether what is not reached decays by itself: stabilizable (by outputs: detectable)."""
        return np.asarray((self.reached | decaying(self.eigenvalues)).all(axis=-1))

    def __repr__(self) -> str:
        return f"Reach(by {self.by}, {int(self.reached.sum())} of {self.share.size} eigenvalues)"

    def __str__(self) -> str:
        whole, word, done = _WORDS[self.by]
        who = listed(self.space.inputs if self.by == "inputs" else self.space.outputs)
        if self.share.ndim > 1:
            count = int(self.is_complete.sum())
            return f"{count} of {self.is_complete.size} points are {whole} by {who}."
        if self.is_complete:
            return f"{whole.capitalize()} by {who}: every motion is {done}."
        one = len(self.missed[0]) == 1
        alone = "It decays by itself" if one else "They decay by themselves"
        end = f"{alone}: {word}." if self.others_decay else f"Not {word}."
        return f"Not {whole} by {who}. Not {done}: {'; '.join(self.missed[0])}. {end}"

    _repr_html_ = as_html


_WORDS = {
    "inputs": ("controllable", "stabilizable", "reached"),
    "outputs": ("observable", "detectable", "seen"),
}


def controllability(space: StateSpace) -> Reach:
    """Which motions of a linear model its inputs reach, by name of those that they do not.

    Example:
        >>> import routh as rt
        >>> (x, y), u = rt.coordinates("x y"), rt.input("u")
        >>> pair = rt.System(
        ...     kinetic=(rt.ddt(x)**2 + rt.ddt(y)**2) / 2, potential=2 * x**2 + 2 * y**2, forces={x: u}
        ... )
        >>> print(rt.controllability(rt.state_space(rt.linearize(rt.equilibrium(pair, {})))))
        Not controllable by u. Not reached: the motion with s = 2i 1/s, in which `y` moves. Not
        stabilizable.
    """
    checked_space(space, "controllability")
    if not space.inputs:
        raise DerivationError(
            "controllability asks what inputs reach, and this model has none: declare an input and let"
            " it act in `forces`."
        )
    return reach(space, "inputs")


def observability(space: StateSpace) -> Reach:
    """Which motions of a linear model its outputs see, by name of those that they do not.

    Example:
        >>> import routh as rt
        >>> x, y = rt.coordinates("x y")
        >>> pair = rt.System(
        ...     kinetic=(rt.ddt(x)**2 + rt.ddt(y)**2) / 2, potential=x**2 / 2 + y**2 / 2 + (x - y)**2
        ... )
        >>> linear = rt.linearize(rt.equilibrium(pair, {}))
        >>> print(rt.observability(rt.state_space(linear, [x + y])))
        Not observable by x + y. Not seen: the motion with s = 2.23607i 1/s, in which `x` and `y` move
        as 1 : -1. Not detectable.
    """
    return reach(checked_space(space, "observability"), "outputs")


def reach(space: StateSpace, by: str) -> Reach:
    """What inputs reach or outputs see, at every point."""
    A, B, C, _ = stacks(space)
    values = spectra(space)
    share = np.full(values.shape, np.nan)
    missed: list[tuple[str, ...]] = [() for _ in A]
    left: list[tuple[str, ...]] = [() for _ in A]
    for k in np.flatnonzero(np.isfinite(values).all(axis=1) & np.isfinite(A).all(axis=(1, 2))):
        own = own_states(space, int(k), values[k])
        inside = np.linalg.solve(own.T, A[k] @ own.T)
        if by == "inputs":
            found = modal_reach(inside, np.linalg.solve(own.T, B[k]), values[k])
            motions = [(place, v) for place, _, v in found.motions]
        else:
            found = modal_reach(inside.T, (C[k] @ own.T).T, values[k])
            motions = [(place, w.conj()) for place, w, _ in found.motions]
        share[k] = found.share
        missed[k] = _told(own, values[k], motions)
        decays = decaying(values[k])
        left[k] = _told(own, values[k], [(place, z) for place, z in motions if not decays[place]])
    batch = space.A.shape[:-2]
    found_by = values.reshape(*batch, -1), share.reshape(*batch, -1)
    return Reach(space, by, *found_by, tuple(missed), tuple(left))


def refuse_left(found: Reach) -> None:
    """Refuse what is neither reached (seen) nor decays by itself.

    Raises:
        DerivationError: there is such a motion, at some point.
    """
    wrong = ~found.others_decay & np.isfinite(found.share).all(axis=-1)
    if not wrong.any():
        return
    k = int(np.flatnonzero(wrong.reshape(-1))[0])
    where = f" At point {k} of the batch:" if wrong.ndim else ""
    what, advice = _REFUSED[found.by]
    many = len(found.left[k]) > 1
    end = "they do not decay by themselves" if many else "it does not decay by itself"
    raise DerivationError(
        f"Not {_WORDS[found.by][1]}:{where} {what} {' nor '.join(found.left[k])}, and {end}. {advice}"
    )


_REFUSED = {
    "inputs": ("no input reaches", "Let an input act there, or give damping to what moves."),
    "outputs": ("no output shows", "Measure something that moves with it."),
}


def _told(own: OwnStates, s: Complex, motions: list[tuple[int, Complex]]) -> tuple[str, ...]:
    """Motions in words, of two conjugate ones the one that turns forwards."""
    kept = [(place, z) for place, z in motions if s[place].imag >= 0]
    return tuple(dict.fromkeys(own.described(complex(s[place]), z) for place, z in kept))


def decaying(eigenvalues: Complex) -> Mask:
    """(..., n) which eigenvalues are left of the imaginary axis, beyond rounding of the quickest."""
    with np.errstate(invalid="ignore"):
        quickest = np.abs(eigenvalues).max(axis=-1, keepdims=True, initial=0)
        return np.asarray(eigenvalues.real < -DECAYS * np.maximum(quickest, 1e-300))
