"""Symmetries that a person declares: maps of the coordinates that take equilibria to equilibria."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import sympy

from routh.analysis.given.reading import own_expression
from routh.analysis.rest.equilibrium import settle
from routh.analysis.rest.result import Equilibrium
from routh.analysis.search.box import Box
from routh.arrays import Array
from routh.errors import DeclarationError, did_you_mean, listed, quoted
from routh.kernels.kernel import kernel
from routh.language.keys import once
from routh.language.symbols import Coordinate, Signal, t
from routh.language.system import System
from routh.language.walk import leaves

NEAR = 1e-6
"""Share of the box by which the image of an equilibrium may miss one."""


@dataclass(frozen=True)
class Symmetry:
    """A map q -> (expressions in q and the parameters)."""

    mapping: dict[Coordinate, sympy.Expr]

    def image(self, rest: Equilibrium, box: Box) -> Array:
        """(k, n): where each equilibrium is mapped to.

        Raises:
            DeclarationError: an image is no equilibrium.
        """
        engine = kernel(rest.system)
        columns = [self.mapping.get(q, q) for q in rest.system.coordinates]
        with np.errstate(all="ignore"):
            image = box.wrapped(engine.values(columns, rest.point()))
        settled = settle(rest, np.arange(len(image)), image)
        near = np.abs(box.apart(settled, image)) / box.width <= NEAR
        if not near[:, box.searched].all():
            shown = ", ".join(f"{q}: {e}" for q, e in self.mapping.items())
            raise DeclarationError(
                f"`symmetries` has {{{shown}}}, which takes an equilibrium to a position that is none."
                " Expected a map that leaves the equations unchanged."
            )
        return image


def symmetry(system: System, mapping: object) -> Symmetry:
    """A checked symmetry."""
    if not isinstance(mapping, Mapping):
        raise DeclarationError(
            "`symmetries` must hold maps of coordinates to expressions, like [{x: -x}]. Got"
            f" {mapping!r}."
        )
    checked = {}
    images = once(((_mapped(system, key), image) for key, image in mapping.items()), "symmetries")
    for q, image in images.items():
        value = own_expression(system, image, f"The image of `{q}` in `symmetries`")
        moving = [s for s in leaves([value]) if s == t or (isinstance(s, Signal) and s.order)]
        if moving:
            raise DeclarationError(
                f"The image of `{q}` in `symmetries` must be made of coordinates and parameters. Got"
                f" {value}, which contains {quoted(moving)}."
            )
        checked[q] = value
    return Symmetry(checked)


def _mapped(system: System, key: object) -> Coordinate:
    """The coordinate whose image is given."""
    known = {q.name: q for q in system.coordinates}
    q = key if isinstance(key, Coordinate) else known.get(str(key))
    if q is None or q not in system.coordinates:
        raise DeclarationError(
            f"`symmetries` maps {quoted([key])}, which is no coordinate of {system.title}."
            f" Coordinates: {listed(known)}." + did_you_mean(key, known)
        )
    return q
