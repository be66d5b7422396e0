"""What is proven of a list of equilibria in a box, and what is left open.

It is a noun apart from the search that makes it, so that it can be asked for without ball arithmetic,
which an extra brings.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from routh.arrays import Array
from routh.recorded import Recorded
from routh.shown import as_html

PLACES = 3
"""Places without a claim that are shown in a sentence."""


@dataclass(frozen=True, eq=False)
class Certificate(Recorded):
    """What ball arithmetic proves of a list of equilibria.

    Attributes:
        is_complete: whether there is no other equilibrium in the box outside `undefined`, rounding
            included.
        proven: (k,) which of the listed are proven to exist, each alone in some box around it.
        undecided: (u, 2, s) lower and upper corners of the boxes that may hold others, in the s
            coordinates that were searched.
        undefined: (d, 2, s) corners of tiny boxes at or beside places where the equations are not
            finite, or have no finite bounds; in them nothing is claimed.
        unlisted: how many roots of the equations were proven that are not listed: an energy does not
            exist there, or Newton's method did not settle.
        repeated: how many entries of the list are proven to repeat another one, or may do so.
        boxes: how many boxes were looked at.
        missing: the share of the box that the search gives no account of, exactly. Anything but zero
            is an error of the search, and nothing is proven.

    The proof is about the equations with the values as the doubles they are.
    """

    is_complete: bool
    proven: Annotated[NDArray[np.bool_], "k"]
    undecided: Annotated[Array, "u 2 s"] = field(repr=False)
    undefined: Annotated[Array, "d 2 s"] = field(repr=False)
    unlisted: int
    repeated: int
    boxes: int
    missing: Fraction

    def __str__(self) -> str:
        if self.missing:
            return (
                "No proof: the boxes that were looked at do not add up to the box that was asked for; a"
                f" share of {float(self.missing):.3g} is missing. This is an error of Routh: please"
                " report it."
            )
        looked = _counted(self.boxes, "box", "boxes")
        if self.is_complete:
            return f"Proven complete with interval arithmetic on {looked}{self._exceptions()}."
        return (
            f"Not proven complete: {self._open()}; {looked} looked at. Families, degenerate or nearly"
            " coinciding equilibria and too many boxes prevent a proof."
        )

    def _open(self) -> str:
        """What prevents the proof."""
        unproven = int(np.sum(~self.proven))
        parts = [
            (len(self.undecided), "box is undecided", "boxes are undecided"),
            (self.unlisted, "root is proven but not listed", "roots are proven but not listed"),
            (unproven, "listed equilibrium is unproven", "listed equilibria are unproven"),
            (self.repeated, "may be listed twice", "may be listed twice"),
        ]
        return ", ".join(_counted(*part) for part in parts if part[0]) or "no account of the whole box"

    def _exceptions(self) -> str:
        """The places about which nothing is claimed."""
        middles = self.undefined.mean(axis=1).tolist()
        places = list(dict.fromkeys(f"({', '.join(f'{x:.6g}' for x in m)})" for m in middles))
        if not places:
            return ""
        more = f" and {len(places) - PLACES} more" if len(places) > PLACES else ""
        return (
            ", but for tiny boxes in which the equations have no finite bounds and nothing is claimed:"
            f" {', '.join(places[:PLACES])}{more}"
        )

    _repr_html_ = as_html


def _counted(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"
