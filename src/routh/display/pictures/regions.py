"""Maps of stability over two parameters."""

from __future__ import annotations

import numpy as np
from matplotlib.colors import ListedColormap
from matplotlib.patches import Patch

from routh.analysis.stability.stability_map import StabilityMap
from routh.analysis.stability.verdict import Region
from routh.display.colours import REGIONS
from routh.display.pictures.style import Axes, finished, fresh, name, title_of


def regions(found: StabilityMap, axes: Axes | None = None) -> Axes:
    """The plane in colours, one for each kind of behaviour that occurs."""
    axes = fresh(axes)
    every = list(Region)
    codes = np.array([[every.index(region) for region in row] for row in found.region])
    axes.pcolormesh(
        found.across, found.up, codes, cmap=ListedColormap([REGIONS[r] for r in every]),
        vmin=-0.5, vmax=len(every) - 0.5, shading="nearest", rasterized=True,
    )  # fmt: skip
    present = [r for k, r in enumerate(every) if (codes == k).any()]
    patches = [Patch(facecolor=REGIONS[r], edgecolor="#777777", label=str(r)) for r in present]
    axes.legend(
        handles=patches,
        fontsize=8,
        frameon=False,
        loc="upper left",
        bbox_to_anchor=(0, -0.14),
        ncols=2,
    )
    axes.set_xlabel(name(found.x))
    axes.set_ylabel(name(found.y))
    return finished(axes, f"Stability of {title_of(found.system)}", grid=False)
