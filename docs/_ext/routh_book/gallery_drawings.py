"""Pictures of scripts that draw none themselves, from what they computed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import matplotlib.pyplot as plt
import numpy as np

import routh as rt

Names = dict[str, Any]

DRAWN = ("StabilityMap", "Branch", "PeriodicBranch", "StickSlip", "Trajectory", "Floquet", "Action",
         "Equilibria", "FrequencyResponse", "Modes")  # fmt: skip
"""Results by how much their picture tells; the first that there is is drawn."""


def draw(script: str, names: Names) -> None:
    """The picture of a script."""
    if script in OWN:
        OWN[script](names)
        return
    for result in _telling(names):
        try:
            rt.plot(result)
        except rt.RouthError:  # this one has no picture
            continue
        return


def _telling(names: Names) -> Iterator[Any]:
    for kind in DRAWN:
        yield from (each for each in names.values() if type(each).__name__ == kind)


def _fresh(x: str, y: str) -> Any:
    _, axes = plt.subplots(figsize=(6.4, 4.0), layout="constrained")
    axes.set(xlabel=x, ylabel=y)
    axes.spines[["top", "right"]].set_visible(False)
    return axes


def _torques(names: Names) -> None:
    axes = _fresh("t in s", "torque in N m")
    for k, column in enumerate(names["torques"].T, 1):
        axes.plot(names["t"], column, label=f"joint {k}")
    axes.legend(fontsize=8)


def _configurations(names: Names) -> None:
    axes = _fresh("x", "y")
    for corners in names["corners"]:
        axes.fill(*corners.T, fill=False, edgecolor="#7f7f7f", linewidth=0.8)
    for k, size in enumerate((20, 40, 60)):
        axes.scatter(*names["corners"][:, k].T, s=size, zorder=3)
    axes.set_aspect("equal")


def _rod(names: Names) -> None:
    """Painleve's rod at the angle of the script, sliding to the left."""
    axes = _fresh("", "")
    along = np.array([1.0, 2.0]) / np.sqrt(5)
    axes.plot([0, 2 * along[0]], [0, 2 * along[1]], linewidth=5, solid_capstyle="round")
    axes.axhline(0, color="#7f7f7f")
    axes.annotate("slides", (-0.8, 0.08), (-0.1, 0.08), arrowprops={"arrowstyle": "->"}, va="center")
    told = "\n".join(
        f"mu = {mu}, {spin} rad/s: {said[:46]}..." for (mu, spin), said in names["answers"].items()
    )
    axes.text(1.1, 0.2, told, fontsize=7)
    axes.set(xlim=(-1, 4.2), ylim=(-0.2, 2), aspect="equal", xticks=[], yticks=[])


def _rolling(names: Names) -> None:
    axes = _fresh("turns in rad/s", "lean in rad")
    axes.plot(names["turns"], names["steady"].q[:, 3], "o-")


def _modes(names: Names) -> None:
    rt.plot(rt.modes(names["linear"]))


def _spin(names: Names) -> None:
    axes = _fresh("t in s", "spin about the middle axis in rad/s")
    axes.plot(names["times"], names["spin"])


def _landscape(names: Names) -> None:
    rt.plot(rt.equilibria(names["pendulum"], {"m1": 1, "m2": 1, "l1": 1, "l2": 1, "g": 9.81}))


OWN: dict[str, Callable[[Names], None]] = {
    "arm_puma_560": _torques,
    "equilibria_three_bodies": _configurations,
    "friction_painleve": _rod,
    "rigid_body_compound_pendulum": _modes,
    "rigid_body_tennis_racket": _spin,
    "steady_heavy_top": _modes,
    "steady_rolling_disc": _rolling,
    "study_unround_shaft": lambda names: rt.plot(names["small"]),
    "tour": _landscape,
}
"""Scripts whose picture is made by hand."""
