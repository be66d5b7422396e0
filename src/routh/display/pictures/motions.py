"""Motions over time, and phase portraits."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy

from routh.analysis.given.reading import own_expression
from routh.analysis.motion.phases import StickSlip
from routh.analysis.motion.trajectory import Trajectory
from routh.display.colours import MODES
from routh.display.pictures.legends import beneath
from routh.display.pictures.style import Axes, finished, fresh, name, title_of
from routh.errors import DeclarationError
from routh.language.symbols import Coordinate
from routh.mechanics.lagrange import is_cyclic
from routh.mechanics.turns import turns

MOST = len(MODES)
"""Curves that can be told apart in one picture."""


def motion_diagram(motion: Trajectory | StickSlip, against: Any, shown: Any, axes: Axes | None) -> Axes:
    """Expressions along a motion, over time or over another expression."""
    along = None if against is None else _expression(motion, against)
    if shown is None:
        chosen = [_velocity(along)] if along is not None else list(motion.system.coordinates)[:MOST]
    else:
        several = list(shown) if isinstance(shown, (list, tuple)) else [shown]
        chosen = [_expression(motion, each) for each in several]
        if not chosen:
            raise DeclarationError("`shown` must hold at least one expression. Got an empty list.")
    left: Axes = fresh(axes)
    t = motion.t if along is None else motion.conditions.stacked(motion[along])
    other = _other_axes(motion, chosen, left) if along is None and shown is None else {}
    for k, expression in enumerate(chosen):
        curves = motion.conditions.stacked(motion[expression])
        own: Axes = other.get(expression, left)
        for i, curve in enumerate(curves):
            at = t if along is None else t[i]
            colour = MODES[(k if len(chosen) > 1 else i) % len(MODES)]
            label = name(expression) if i == 0 and len(chosen) > 1 else None
            own.plot(at, curve, color=colour, linewidth=1.3, label=label)
            if own is not left:  # one legend for both
                left.plot([], [], color=colour, linewidth=1.3, label=label)
            if along is not None:
                left.plot(at[0], curve[0], "o", color=colour, markersize=4)
    _mark_events(motion, along, left)
    left.set_xlabel("t" if along is None else name(along))
    if len(chosen) == 1:
        left.set_ylabel(name(chosen[0]))
    else:
        beneath(left)
    left_out = len(motion.system.coordinates) - MOST if shown is None and along is None else 0
    note = f", first {MOST} of {MOST + left_out} coordinates" if left_out > 0 else ""
    kind = "Motion" if along is None else "Phase portrait"
    done = finished(left, f"{kind} of {title_of(motion.system)}{note}")
    left.spines["right"].set_visible(bool(other))
    return done


def _other_axes(motion: Trajectory | StickSlip, chosen: list[Any], axes: Axes) -> dict[Any, Axes]:
    """An axis of their own, to the right, for angles beside coordinates that may be none."""
    system = motion.system
    periods = dict(zip(system.coordinates, turns(system), strict=True))
    angles = [x for x in chosen if periods[x] is not None and not is_cyclic(system, x)]
    others = [x for x in chosen if x not in angles]
    if not angles or not others:
        return {}
    right = axes.twinx()
    right.spines["top"].set_visible(False)
    right.set_ylabel(f"{', '.join(map(name, angles))} in rad")
    axes.set_ylabel(", ".join(map(name, others)))
    return dict.fromkeys(angles, right)


def error_diagram(motion: Trajectory) -> Axes:
    """How far the energy is from its balance along a motion, and constraints from zero."""
    axes = fresh(None)
    curves = {"energy minus work": np.abs(motion.power_balance)}
    for k in range(motion.violations.shape[-1]):
        curves[f"constraint {k + 1}"] = np.abs(motion.violations[..., k])
    for k, (label, curve) in enumerate(list(curves.items())[:MOST]):
        error = np.where(curve > 0, curve, np.nan)
        axes.semilogy(motion.t, error.T, color=MODES[k], linewidth=1.1, label=label)
    axes.set_xlabel("$t$ in s")
    beneath(axes)
    return finished(axes, f"Errors of {title_of(motion.system)}, in their own units")


def _mark_events(motion: Trajectory | StickSlip, along: Any, axes: Axes) -> None:
    """Broken lines where something happened, over time."""
    if along is not None or motion.conditions.shape:
        return
    for each in motion.events:
        axes.axvline(each.t, color="#999999", linewidth=0.8, linestyle=":", zorder=0)


def _velocity(along: sympy.Expr) -> sympy.Expr:
    if not isinstance(along, Coordinate) or along.order:
        raise DeclarationError(
            "A phase portrait over an expression needs `shown`, what is drawn upwards. Got"
            f" against={along} alone."
        )
    return along.rate


def _expression(motion: Trajectory | StickSlip, given: Any) -> sympy.Expr:
    """An expression of the system, or a symbol by its name."""
    return own_expression(motion.system, given, "What is drawn")
