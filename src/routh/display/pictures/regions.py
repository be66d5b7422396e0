"""Maps of stability over two parameters."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from routh.analysis.stability.stability_map import StabilityMap
from routh.analysis.stability.verdict import Region
from routh.display.colours import REGIONS
from routh.display.pictures.coloured_plane import words_drawn
from routh.display.pictures.style import Axes, finished, fresh, name, title_of


def regions(found: StabilityMap, axes: Axes | None = None) -> Axes:
    """The plane in colours, one for each kind of behaviour that occurs."""
    axes = fresh(axes)
    every, region = list(Region), found.region

    def codes(rows: slice) -> NDArray[Any]:
        part = region[rows]
        return np.select([part == each for each in every], range(len(every)))

    labels, colours = [str(each) for each in every], [REGIONS[each] for each in every]
    words_drawn(axes, (found.up, found.across), codes, labels, colours)
    axes.set_xlabel(name(found.x))
    axes.set_ylabel(name(found.y))
    return finished(axes, f"Stability of {title_of(found.system)}", grid=False)
