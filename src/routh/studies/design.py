"""Which points a study has: a grid, a list, or a design that is spread over ranges; cut into chunks.

A chunk is a block of points that is computed at once and stored as one file for each variable. Its size
is counted, not measured: a point is always computed among the same neighbours, so that every digit is
the same whoever computes it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from scipy.stats import qmc

from routh.analysis.given.numbers import number
from routh.arrays import Array
from routh.errors import DeclarationError, did_you_mean, listed, quoted
from routh.language.keys import once
from routh.language.symbols import Coordinate, Input, Parameter
from routh.language.system import System

POINT = "point"
"""The dimension of a list of points."""

DESIGNS = ("grid", "points", "random", "latin", "sobol", "halton")
_SAMPLERS = {"latin": qmc.LatinHypercube, "sobol": qmc.Sobol, "halton": qmc.Halton}

Block = tuple[slice, ...]


@dataclass(frozen=True)
class Design:
    """The points of a study.

    Attributes:
        symbols: what is varied.
        columns: the numbers of each: along its own dimension in a grid, else along that of the points.
        is_grid: whether all combinations are points.
        block: (dimensions,) the shape of a chunk.
    """

    symbols: tuple[Parameter | Input | Coordinate, ...]
    columns: tuple[Array, ...]
    is_grid: bool
    block: tuple[int, ...]

    @property
    def dimensions(self) -> tuple[str, ...]:
        """The names of the dimensions, in the order of the axes."""
        return tuple(map(str, self.symbols)) if self.is_grid else (POINT,)

    @property
    def shape(self) -> tuple[int, ...]:
        """How many points there are along each dimension."""
        return tuple(map(len, self.columns)) if self.is_grid else (len(self.columns[0]),)

    @property
    def count(self) -> int:
        """How many points there are."""
        return int(np.prod(self.shape))

    @property
    def blocks(self) -> tuple[int, ...]:
        """How many chunks there are along each dimension."""
        return tuple(-(-n // size) for n, size in zip(self.shape, self.block, strict=True))

    def chunks(self) -> Iterator[tuple[int, ...]]:
        """The places of all chunks, the last dimension moving first."""
        return product(*map(range, self.blocks))

    def where(self, chunk: tuple[int, ...]) -> Block:
        """Which points are in a chunk."""
        return tuple(
            slice(k * size, min((k + 1) * size, n))
            for k, size, n in zip(chunk, self.block, self.shape, strict=True)
        )

    def numbers(self, chunk: tuple[int, ...]) -> list[Array]:
        """What is varied at the points of a chunk, in a row of points for each symbol."""
        block = self.where(chunk)
        if not self.is_grid:
            return [column[block[0]] for column in self.columns]
        own = [column[part] for column, part in zip(self.columns, block, strict=True)]
        return [each.reshape(-1) for each in np.meshgrid(*own, indexing="ij")]


def designed(
    system: System, over: Any, design: str, points: int | None, seed: int | None, size: int
) -> Design:
    """The points that are asked for, in chunks of at most `size`.

    Raises:
        DeclarationError: there is nothing of that name to vary, or what is given is no such design.
    """
    if design not in DESIGNS:
        raise DeclarationError(
            f"`design` is one of {listed(DESIGNS)}. Got {design!r}.{did_you_mean(design, DESIGNS)}"
        )
    if not isinstance(over, Mapping) or not over:
        raise DeclarationError(
            "`over` maps what is varied to its numbers, like {'Omega': np.linspace(0, 600, 2000)}. Got"
            f" {over!r}."
        )
    given = once(((_varied(system, key), value) for key, value in over.items()), "over")
    if design in ("grid", "points"):
        if points is not None or seed is not None:
            raise DeclarationError(
                f'`points` and `seed` are for designs that are spread over ranges. design="{design}"'
                " has the points that `over` gives."
            )
        columns = [_listed(symbol, value) for symbol, value in given.items()]
    else:
        columns = _spread(given, design, points, seed)
    lengths = {len(column) for column in columns}
    if design != "grid" and len(lengths) > 1:
        told = listed(f"{symbol} {len(x)}" for symbol, x in zip(given, columns, strict=True))
        raise DeclarationError(f"A list of points has as many numbers of each symbol. Got: {told}.")
    is_grid = design == "grid"
    shape = tuple(map(len, columns)) if is_grid else (len(columns[0]),)
    return Design(tuple(given), tuple(columns), is_grid, _block(shape, size))


def _block(shape: tuple[int, ...], size: int) -> tuple[int, ...]:
    """The shape of a chunk: as much of the last dimensions as there is room for."""
    block, room = [], size
    for n in reversed(shape):
        block.append(max(1, min(n, room)))
        room //= max(1, block[-1])
    return tuple(reversed(block))


def _varied(system: System, key: Any) -> Any:
    """The parameter, input, coordinate or velocity of a key of `over`."""
    own = (*system.parameters, *system.signals, *system.coordinates, *system.velocities)
    if isinstance(key, str):
        found = {str(symbol): symbol for symbol in own}.get(key)
    else:
        found = key if key in own else None
    if found is None:
        raise DeclarationError(
            f"`over` has {quoted([key])}, which is no parameter, input, coordinate or velocity of"
            f" {system.title}. Parameters: {listed(system.parameters)}."
            f"{did_you_mean(key, own)}"
        )
    return found


def _listed(symbol: Any, value: Any) -> Array:
    numbers = number(value, f"`{symbol}` in `over`")
    if numbers.ndim != 1 or not numbers.size:
        raise DeclarationError(
            f"`{symbol}` in `over` must be an array of one axis with at least one number. Got an array"
            f" of shape {numbers.shape}."
        )
    return numbers


def _spread(given: Mapping[Any, Any], design: str, points: int | None, seed: int | None) -> list[Array]:
    """Points that are spread over ranges or distributions."""
    for name, value, least in (("points", points, 1), ("seed", seed, 0)):
        if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or value < least:
            raise DeclarationError(
                f'design="{design}" needs `{name}`, a whole number from {least} on. Got {value!r}.'
            )
    assert points is not None
    random = np.random.default_rng(seed)
    if design == "random":
        unit = random.random((points, len(given)))
    else:
        unit = _SAMPLERS[design](len(given), rng=random).random(points)
    return [_at(symbol, value, unit[:, k]) for k, (symbol, value) in enumerate(given.items())]


def _at(symbol: Any, value: Any, unit: Array) -> Array:
    """Numbers between 0 and 1 as numbers of a range, or as quantiles of a distribution."""
    quantile = getattr(value, "ppf", None)
    if quantile is not None:
        return number(quantile(unit), f"What the distribution of `{symbol}` gives")
    ends = number(value, f"`{symbol}` in `over`")
    if ends.shape != (2,) or not ends[0] < ends[1]:
        raise DeclarationError(
            f"`{symbol}` in `over` must be a range, like (0, 600), or a distribution of scipy.stats."
            f" Got {value!r}."
        )
    return np.asarray(ends[0] + (ends[1] - ends[0]) * unit)
