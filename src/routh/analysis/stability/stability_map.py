"""Verdicts over a plane of two parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from routh.analysis.given.large import refuse_large
from routh.analysis.given.numbers import Numbers, number
from routh.analysis.linear.linearize import linearize
from routh.analysis.rest.equilibrium import equilibrium, settled_from
from routh.analysis.rest.result import Equilibrium
from routh.analysis.stability.judge import stability
from routh.analysis.stability.verdict import Region, Stability
from routh.arrays import Array
from routh.errors import DeclarationError, listed
from routh.language.gates import checked_numeric
from routh.language.system import System
from routh.recorded import Recorded
from routh.shown import as_html

PASSES = 200
"""How often points without equilibrium are tried again from a neighbour that has one."""


@dataclass(frozen=True, eq=False, repr=False)
class StabilityMap(Recorded):
    """How small motions behave over a plane: rows are values of `y`, columns of `x`.

    Attributes:
        x: name of the parameter along the columns; its values are `across` (m,).
        y: name of the parameter along the rows; its values are `up` (k,).
        rest: the equilibria, a batch of shape (k, m).
        stability: the verdicts, of the same shape.
    """

    x: str
    y: str
    across: Annotated[Array, "m"]
    up: Annotated[Array, "k"]
    rest: Equilibrium
    stability: Stability

    @property
    def system(self) -> System:
        """The system it is the map of."""
        return self.rest.system

    @property
    def region(self) -> Annotated[NDArray[np.object_], "k m"]:
        """(k, m) a `Region` for each point."""
        return np.asarray(self.stability.region, dtype=object)

    def __repr__(self) -> str:
        return f"StabilityMap({self.system.title}, {self.y} x {self.x}, {self.rest.conditions.shape})"

    def __str__(self) -> str:
        region = self.region
        shares = {r: np.mean(region == r) for r in Region}
        parts = ", ".join(f"{share:.1%} {r}" for r, share in shares.items() if share)
        return f"Stability of {self.system.title} over {self.x} and {self.y}: {parts}."

    _repr_html_ = as_html


def stability_map(
    system: System,
    values: Numbers,
    *,
    guess: Numbers | None = None,
    inputs: Numbers | None = None,
    speeds: Numbers | None = None,
    engine: str = "auto",
) -> StabilityMap:
    """The verdict on every point of a plane of two parameters.

    Arguments:
        system: the system.
        values: a number for each parameter, and for two of them an array of numbers: the first
            runs along the columns of the map, the second along its rows.
        guess: where to look for the equilibrium; points where none is found from there are tried
            again from their neighbours.
        inputs: constants for inputs.
        speeds: rates of coordinates that move on steadily.
        engine: "casadi"; "c": compiled for all cores of this machine, which "auto" does where there are
            so many points that it pays; or "cuda": the same for an NVIDIA GPU (extra `gpu`). Verdicts
            are the same.

    Raises:
        DeclarationError: not exactly two arrays of one axis are among the values.
        DerivationError: "c" was asked for, and there is no compiler.

    Example:
        >>> import routh as rt
        >>> x, (k, c) = rt.coordinate("x"), rt.parameters("k c")
        >>> kinetic, dissipation = rt.ddt(x)**2 / 2, c * rt.ddt(x)**2 / 2
        >>> system = rt.System(kinetic=kinetic, potential=k * x**2 / 2, dissipation=dissipation)
        >>> print(rt.stability_map(system, {"k": [-1, 1, 2], "c": [0.0, 1.0]}))
        Stability of the system over k and c: 33.3% stable, 33.3% asymptotically stable, 33.3%
        divergence.
    """
    refuse_large(checked_numeric(system, "stability_map"))
    (x, across), (y, up) = _two_arrays(values)
    plane = dict(values)
    plane[x], plane[y] = across[None, :], up[:, None]
    rest = equilibrium(
        system, plane, guess=guess, inputs=inputs, speeds=speeds, raises=False, engine=engine
    )
    rest = _filled(rest)
    found = stability(linearize(rest, engine=engine), engine=engine)
    return StabilityMap(str(x), str(y), across, up, rest, found)


def _two_arrays(values: Numbers) -> tuple[tuple[Any, Array], tuple[Any, Array]]:
    if not isinstance(values, Mapping):
        raise DeclarationError(f"`values` must map parameters to numbers. Got {values!r}.")
    arrays = {key: number(v, f"`{key}` in `values`") for key, v in values.items() if np.ndim(v)}
    good = [(key, array) for key, array in arrays.items() if array.ndim == 1 and array.size > 1]
    if len(good) != 2 or len(arrays) != 2:
        shapes = [f"{key} {array.shape}" for key, array in arrays.items()]
        raise DeclarationError(
            "stability_map needs two parameters with an array of one axis each, like"
            f" dict(m=1, k=np.linspace(0, 1, 101), c=np.linspace(0, 2, 51)). Got: {listed(shapes)}."
        )
    return good[0], good[1]


def _filled(rest: Equilibrium) -> Equilibrium:
    """The same with points that failed tried again from a neighbour, as long as that helps."""
    for _ in range(PASSES):
        lost = ~np.asarray(rest.converged)
        if not lost.any():
            return rest
        source = _neighbours(~lost)
        index = np.flatnonzero(lost.reshape(-1) & (source >= 0))
        if not len(index):
            return rest
        better = settled_from(rest, index, source[index])
        if np.sum(better.converged) == np.sum(rest.converged):
            return rest
        rest = better
    return rest


def _neighbours(known: NDArray[np.bool_]) -> NDArray[np.intp]:
    """(N,) a neighbour of each point that is known, or -1."""
    numbers = np.where(known, np.arange(known.size).reshape(known.shape), -1)
    padded = np.pad(numbers, 1, constant_values=-1)
    around = [padded[:-2, 1:-1], padded[2:, 1:-1], padded[1:-1, :-2], padded[1:-1, 2:]]
    return np.asarray(np.max(around, axis=0).reshape(-1))
