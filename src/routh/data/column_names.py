"""Names of columns of arrays: a coordinate for its column of q, theta' for that of v, else M[x, y]."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any, Protocol

OWN = {"q": "", "v": "'", "a": "''", "multipliers": "", "inputs": ""}
"""Quantities whose columns have the names of their labels, and what is put behind them."""


class Named(Protocol):
    """An array with names of its axes."""

    @property
    def array(self) -> Any:
        """The array."""

    @property
    def axes(self) -> tuple[str, ...]:
        """What its axes run over."""


@dataclass(frozen=True)
class Column:
    """Where a column is: in which quantity, and at which place of it."""

    quantity: str
    place: tuple[Any, ...]


def columns(
    quantities: Mapping[str, Named],
    axes: Mapping[str, tuple[str, ...] | str],
    taken: Collection[str],
) -> dict[str, Column]:
    """Columns along the last axis that have names of their own, and no one else's."""
    found: dict[str, Column] = {}
    for name, behind in OWN.items():
        each = quantities.get(name)
        if each is None or not each.axes:
            continue
        labels = axes.get(each.axes[-1], ())
        if isinstance(labels, str) or len(labels) != each.array.shape[-1]:
            continue
        for k, label in enumerate(labels):
            if f"{label}{behind}" not in (*found, *taken):
                found[f"{label}{behind}"] = Column(name, (..., k))
    return found


def spread(
    name: str,
    quantity: Named,
    axes: Mapping[str, tuple[str, ...] | str],
    rows: tuple[str, ...],
    taken: Collection[str],
) -> dict[str, tuple[Any, ...]]:
    """The columns of one quantity beside its rows: the name of each, and where it is."""
    over = [k for k, axis in enumerate(quantity.axes) if axis not in rows]
    if not over:
        return {name: (...,)}
    labels = [_labels(axes.get(quantity.axes[k], ()), quantity.array.shape[k]) for k in over]
    found: dict[str, tuple[Any, ...]] = {}
    for numbers in product(*(range(len(each)) for each in labels)):
        words = [label[k] for label, k in zip(labels, numbers, strict=True)]
        short = f"{words[0]}{OWN[name]}" if len(words) == 1 and name in OWN else ""
        heading = short if short and short not in taken else f"{name}[{', '.join(words)}]"
        place: list[Any] = [slice(None)] * quantity.array.ndim
        for k, number in zip(over, numbers, strict=True):
            place[k] = number
        found[heading] = tuple(place)
    return found


def _labels(known: tuple[str, ...] | str, count: int) -> tuple[str, ...]:
    if isinstance(known, tuple) and len(known) == count:
        return known
    return tuple(str(k + 1) for k in range(count))
