"""The methods by name, and the one that is taken where none is asked for.

A new one is a file beside `base`, which says what a method is, and a row here.
"""

from __future__ import annotations

from collections.abc import Sequence

from routh.analysis.motion.integrators.base import Integrator
from routh.analysis.motion.integrators.cvodes import ADAMS, BDF
from routh.analysis.motion.integrators.modal import MODAL
from routh.analysis.motion.integrators.one_step import DOP853, RADAU
from routh.analysis.motion.integrators.variational import VARIATIONAL

METHODS: dict[str, Integrator] = {
    each.name: each for each in (ADAMS, BDF, DOP853, RADAU, MODAL, VARIATIONAL)
}

FINE = 1e-10
"""Relative tolerances below this are met best by a one-step method of order eight."""


def automatic(rtol: float, before: Sequence[str], *, smooth: bool, rings: bool) -> Integrator:
    """The method to begin with where none was asked for.

    Fields whose modes turn many times go in modal coordinates: `rings`. A compiled run is the quickest
    of others, where nothing happens on the way: `smooth`. `before` are the methods that the same run
    had at looser tolerances; where equations are stiff, BDF stays the best there is.
    """
    if rings:
        return MODAL
    return ADAMS if smooth and (rtol >= FINE or BDF.name in before) else DOP853
