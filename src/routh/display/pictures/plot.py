"""The verb `plot`: each result has its picture."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from routh.analysis.fitting.fit_result import Fit
from routh.analysis.linear.response import FrequencyResponse
from routh.analysis.motion.phases import StickSlip
from routh.analysis.motion.trajectory import Trajectory
from routh.analysis.paths.action import Action
from routh.analysis.periodic.multipliers import Floquet
from routh.analysis.rest.result import Equilibrium
from routh.analysis.search.equilibria import Equilibria
from routh.analysis.stability.natural_modes import Modes
from routh.analysis.stability.stability_map import StabilityMap
from routh.errors import DeclarationError, a_kind, needing
from routh.language.contact.friction import Friction
from routh.language.symbols import named

Axes = Any
"""matplotlib.axes.Axes"""


def plot(
    result: Any,
    *,
    against: Any = None,
    shown: Any = None,
    rpm: bool = False,
    axes: Axes | None = None,
) -> Axes:
    """A picture of a result, drawn with matplotlib.

    | result | picture |
    |---|---|
    | `Modes` along a sweep, with `against` | frequencies over the parameter; over a speed of rotation \
(in rad/s, as Omega*t, or with `rpm`) a Campbell diagram |
    | `Modes` without `against` | eigenvalues in the complex plane, a root locus along a sweep |
    | `Branch`, or several of them | bifurcation diagram; `shown` is what is drawn upwards |
    | `StabilityMap` | regions of the plane in colours |
    | `Equilibria` of one or two coordinates | the landscape of the dynamic potential with them on it |
    | `Trajectory` | coordinates over time; with `against` a phase portrait |
    | `Floquet` over two parameters | stability chart |
    | `PeriodicBranch` | amplitude (of `shown`) over frequency or parameter |
    | `FrequencyResponse` | Bode plot; with against="real" Nyquist's |
    | `Friction` | the force over the slip velocity |
    | what `sweep` gives | curves over one parameter, a map over two, points of a list in colours; of \
more points than pixels cells that keep what is rare, with a note |
    | `Fit` | residuals in standard deviations; with `shown` a measured column and what is predicted |
    | `Action` | S over the size of variations of a coordinate (`shown`), and the paths |
    | `Modes`, `Equilibrium` or `Trajectory` of a discretized system, with a field or positions as \
`shown` | mode shapes, the shape at rest, snapshots |

    Arguments:
        result: what a verb returned.
        against: what runs along the axis: of modes and studies the parameter, of a motion an expression
            instead of time.
        shown: what is drawn: for branches an expression, for a motion one or a list of them; the
            coordinates if not given, or the velocity of `against`. Of a study a variable. Of a
            discretized system also a field, drawn along its space, or a position vector that varies
            along a space (or a list of such), drawn as a body.
        rpm: whether a Campbell diagram has revolutions per minute and hertz instead of rad/s.
        axes: matplotlib axes to draw on; new ones if not given.

    Raises:
        DeclarationError: the result has no picture, or not of this kind.

    Returns:
        The axes. `axes.figure.savefig("picture.png")` writes them to a file.

    Example:
        >>> import routh as rt
        >>> x, k = rt.coordinate("x"), rt.parameter("k")
        >>> system = rt.System(kinetic=rt.ddt(x)**2 / 2, potential=k * x**2 / 2)
        >>> found = rt.modes(rt.linearize(rt.equilibrium(system, {"k": [1.0, 4.0, 9.0]})))
        >>> axes = rt.plot(found)  # a root locus; axes.figure.savefig("roots.png") writes it
        >>> axes.get_xlabel()
        'Re $s$ in 1/s'
        >>> import matplotlib.pyplot as plt
        >>> plt.close(axes.figure)
    """
    with needing("plot", "matplotlib", "Pictures need a plotting package"):
        from routh.display.pictures.bifurcation import are_branches, branch_diagram
        from routh.display.pictures.elastic import is_body, shapes
        from routh.display.pictures.fitted import fit_diagram
        from routh.display.pictures.friction_curve import friction_curve
        from routh.display.pictures.landscape import landscape
        from routh.display.pictures.motions import motion_diagram
        from routh.display.pictures.regions import regions
        from routh.display.pictures.repeating import repeating
        from routh.display.pictures.spectra import campbell_diagram, root_locus
        from routh.display.pictures.studies_drawn import study_diagram
        from routh.display.pictures.varied_paths import action_diagram
    if is_study(result) and not rpm:
        return study_diagram(result, against, shown, axes)
    shown = _with_fields(result, shown)
    if isinstance(result, (Modes, Equilibrium, Trajectory)) and shown is not None and is_body(shown):
        if against is not None or rpm:
            raise DeclarationError("`against` and `rpm` do not go with a field or a body in `shown`.")
        return shapes(result, shown, axes)
    if isinstance(result, (Trajectory, StickSlip)) and not rpm:
        return motion_diagram(result, against, shown, axes)
    if isinstance(result, (Floquet, FrequencyResponse)) and shown is None and not rpm:
        return repeating(result, against, axes)
    if isinstance(result, Fit) and against is None and not rpm:
        return fit_diagram(result, shown, axes)
    if isinstance(result, Action) and against is None and not rpm:
        return action_diagram(result, shown, axes)
    if are_branches(result):
        return branch_diagram(result, against, rpm, shown, axes)
    _refuse_odd(result, against, shown, rpm)
    if isinstance(result, Modes):
        if against is None:
            return root_locus(result, axes)
        return campbell_diagram(result, against, rpm, axes)
    drawn: dict[type, Callable[..., Axes]] = {
        StabilityMap: regions, Equilibria: landscape, Friction: friction_curve
    }  # fmt: skip
    if type(result) in drawn:
        return drawn[type(result)](result, axes)
    raise DeclarationError(
        "plot draws Modes, a Branch or a list of them, a StabilityMap, Equilibria, a Trajectory, a"
        f" Fit, a study or Friction, and an Equilibrium with a field as `shown`. Got {a_kind(result)}."
    )


def _refuse_odd(result: Any, against: Any, shown: Any, rpm: bool) -> None:
    """Refuse what does not go with a result."""
    if shown is not None:
        raise DeclarationError(
            "`shown` is an expression or a list of them for motions and branches, and a field or"
            f" positions for discretized systems. Got shown={shown!r} for {a_kind(result)}."
        )
    if rpm and (not isinstance(result, Modes) or against is None):
        raise DeclarationError("`rpm` is for Campbell diagrams of modes, with against=parameter.")
    if against is not None and isinstance(result, (StabilityMap, Equilibria, Action, Fit, Friction)):
        raise DeclarationError("`against` is for modes and motions.")


def is_study(result: Any) -> bool:
    """Whether a result is what `sweep` gives; xarray is not loaded to find out."""
    package = sys.modules.get("xarray")
    return (
        package is not None and isinstance(result, package.Dataset) and "routh_system" in result.attrs
    )


def _with_fields(result: Any, shown: Any) -> Any:
    """What is to be shown, with the fields of a discretized system in the place of their names."""
    if isinstance(shown, (list, tuple)):
        return [_with_fields(result, each) for each in shown]
    if not isinstance(shown, str) or not isinstance(result, (Modes, Equilibrium, Trajectory)):
        return shown
    system = result.linear.system if isinstance(result, Modes) else result.system
    return named(shown, (shape.field for shape in system.shapes)) or shown
