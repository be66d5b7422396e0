"""Elastic bodies in pictures: shapes at rest, mode shapes and snapshots of a motion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import sympy

from routh.analysis.given.bodies import body, field_along
from routh.analysis.motion.trajectory import Trajectory
from routh.analysis.rest.result import Equilibrium
from routh.analysis.stability.natural_modes import Modes
from routh.arrays import Array
from routh.display.colours import MODES
from routh.display.pictures.style import Axes, finished, fresh, name, title_of
from routh.errors import DeclarationError
from routh.kernels.engine import Point
from routh.language.fields import Field
from routh.language.system import System

FIRST = 4
"""Modes that are drawn over each other."""

SWING = 0.15
"""Largest displacement of a mode in a picture, as a share of the size of the body."""

SNAPSHOTS = 9
"""Moments of a motion that are drawn over each other."""


def is_body(shown: Any) -> bool:
    """Whether this asks for a picture of fields or of bodies, and not for curves over time."""
    several = shown if isinstance(shown, (list, tuple)) else [shown]
    return bool(several) and all(
        isinstance(each, sympy.MatrixBase) or (isinstance(each, Field) and each.end is None)
        for each in several
    )


def shapes(result: Modes | Equilibrium | Trajectory, shown: Any, axes: Axes | None) -> Axes:
    """The picture of fields or bodies in a result."""
    if isinstance(result, Modes):
        return mode_shapes(result, shown, axes)
    if isinstance(result, Equilibrium):
        return rest_shape(result, shown, axes)
    return motion_shapes(result, shown, axes)


def rest_shape(rest: Equilibrium, shown: Any, axes: Axes | None) -> Axes:
    """Fields along their space, or bodies in the plane or in space, at an equilibrium."""
    if rest.conditions.shape:
        raise DeclarationError(
            f"The shape of one equilibrium is drawn. Got a batch of shape {rest.conditions.shape};"
            " choose one with rest.single(k)."
        )
    picture = _Picture(rest.system, shown, axes)
    picture.draw(rest.point(), "#1c2733", label="at rest")
    return picture.finished("Equilibrium")


def mode_shapes(modes: Modes, shown: Any, axes: Axes | None) -> Axes:
    """The first modes, each in its colour, about the shape at rest."""
    if modes.linear.shape:
        raise DeclarationError(
            f"Mode shapes are drawn for one point. Got a batch of shape {modes.linear.shape}; take"
            " modes(linearize(rest.single(k)))."
        )
    rest = modes.linear.reference
    picture = _Picture(rest.system, shown, axes)
    picture.draw(rest.point(), "#999999", label="at rest", linestyle="--")
    moving = [k for k in range(len(modes.frequencies)) if modes.frequencies[k] > 0][:FIRST]
    chosen = moving or list(range(min(FIRST, modes.shapes.shape[-1])))
    for colour, k in zip(MODES, chosen, strict=False):
        vector = np.real(modes.shapes[:, k])
        point = rest.point()
        step = picture.swing(point, vector)
        moved = replace(point, q=point.q + step * vector)
        unsure = modes.converged is not None and not modes.converged[k]
        told = f"{modes.frequencies[k]:.4g} rad/s" + (", not converged" if unsure else "")
        picture.draw(moved, colour, label=told)
    return picture.finished("Modes")


def motion_shapes(motion: Trajectory, shown: Any, axes: Axes | None) -> Axes:
    """Snapshots of a motion, from light to dark."""
    if motion.conditions.shape:
        raise DeclarationError(
            f"Snapshots of one motion are drawn. Got a batch of shape {motion.conditions.shape}."
        )
    picture = _Picture(motion.system, shown, axes)
    chosen = np.unique(np.linspace(0, len(motion.t) - 1, SNAPSHOTS).round().astype(int))
    point = motion.point()
    shades = plt.get_cmap("viridis_r")(np.linspace(0.1, 0.95, len(chosen)))
    for k, shade in zip(chosen, shades, strict=True):
        one = Point(*(argument[k : k + 1] for argument in point.arguments))
        picture.draw(one, shade, label=f"t = {motion.t[k]:.3g}")
    return picture.finished("Snapshots")


class _Picture:
    """Axes on which fields or bodies are drawn again and again."""

    def __init__(self, system: System, shown: Any, axes: Axes | None) -> None:
        self._system = system
        self._shown: Sequence[Any] = shown if isinstance(shown, (list, tuple)) else [shown]
        self._fields = all(isinstance(each, Field) for each in self._shown)
        if not self._fields and any(isinstance(each, Field) for each in self._shown):
            raise DeclarationError(
                "Fields along their space and bodies in space are different pictures. Got both in"
                " `shown`."
            )
        sizes = {2} if self._fields else {len(each) for each in self._shown}
        if len(sizes) > 1 or not sizes <= {2, 3}:
            raise DeclarationError(
                "Positions must all have two components, or all three. Got"
                f" {' and '.join(map(str, sorted(sizes)))}."
            )
        self._three = sizes == {3}
        self._axes = _three_axes() if self._three and axes is None else fresh(axes)

    def curves(self, point: Point) -> list[Array]:
        """(places, d) of each body or field, at one point of a stack."""
        if not self._fields:
            return [body(self._system, each, point)[0] for each in self._shown]
        found = [field_along(self._system, each, point) for each in self._shown]
        return [np.stack([s[0], values[0]], axis=1) for _, s, values in found]

    def swing(self, point: Point, vector: Array) -> float:
        """By how much of a mode to move, so that its largest displacement is a share of the size."""
        still = self.curves(point)
        size = float(np.ptp(np.concatenate(still), axis=0).max())
        step = 1e-4 * (size or 1.0) / float(np.abs(vector).max())
        moved = self.curves(replace(point, q=point.q + step * vector))
        reach = max(float(np.abs(a - b).max()) for a, b in zip(moved, still, strict=True))
        return step * SWING * size / reach if reach > 0 and size > 0 else step

    def draw(self, point: Point, colour: Any, label: str, linestyle: str = "-") -> None:
        """All bodies or fields at one point."""
        for k, curve in enumerate(self.curves(point)):
            style = "o" if len(curve) == 1 else linestyle
            self._axes.plot(
                *curve.T, style, color=colour, linewidth=1.6, label=label if k == 0 else None
            )

    def finished(self, kind: str) -> Axes:
        """The axes with names and a legend."""
        axes = self._axes
        if self._fields:
            spaces = dict.fromkeys(name(each.space) for each in self._shown)
            axes.set_xlabel(", ".join(spaces))
            axes.set_ylabel(", ".join(name(each) for each in self._shown))
        elif self._three:
            axes.set_aspect("equal")
            axes.locator_params(nbins=5)
            for label in "xyz":
                getattr(axes, f"set_{label}label")(f"${label}$")
        else:
            axes.set_aspect("equal", adjustable="datalim")
            axes.set_xlabel("$x$")
            axes.set_ylabel("$y$")
        axes.legend(frameon=False, fontsize=8)
        title = f"{kind} of {title_of(self._system)}"
        if self._three:
            axes.set_title(title, fontsize=10, loc="left", parse_math=False)
            return axes
        return finished(axes, title)


def _three_axes() -> Axes:
    figure = plt.figure(figsize=(6.4, 4.8), layout="constrained")
    return figure.add_subplot(projection="3d")
