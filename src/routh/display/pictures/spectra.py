"""Eigenvalues in pictures: Campbell diagrams and root loci."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy
from numpy.typing import NDArray

from routh.analysis.stability.modes import modes
from routh.analysis.stability.natural_modes import Modes
from routh.analysis.stability.verdict import Verdict
from routh.display.colours import MODES, VERDICTS
from routh.display.pictures.style import Axes, finished, fresh, name, title_of
from routh.errors import DeclarationError
from routh.language.symbols import t
from routh.language.system import System
from routh.language.walk import unfold
from routh.mechanics.turns import turns

STANDING = 1e-6
"""Share of the largest eigenvalue under which one is a zero in the picture."""

LOWEST = 6
"""Modes of fields that a Campbell diagram shows, if not fewer were asked for."""

UNSURE = "#b9c0c7"
"""The colour of modes that are not converged."""

GROWING = 1e-9
"""Share of an eigenvalue by which its real part makes it a growing one in the picture."""


def campbell_diagram(along: Modes, against: Any, rpm: bool = False, axes: Axes | None = None) -> Axes:
    """Frequencies over a parameter, each mode in its colour; where one grows its line is dotted.

    Over a speed of rotation it is a Campbell diagram: with the line of the first order, and critical
    speeds marked. `rpm` states that the parameter is one.
    """
    speed = along.swept(against)
    unit = unit_of(along, against)
    turning = rpm or is_speed(along, against)
    if rpm and unit not in ("", "rad/s"):
        raise DeclarationError(
            f"`rpm` is for a speed in rad/s. `{against}` has the unit {unit}; leave `rpm` out."
        )
    count = along.frequencies.shape[-1]
    if along.linear.system.shapes:  # of many modes the lowest are what is looked for
        count = min(count, LOWEST)
    if not _followed(along):
        along = modes(along.linear, track=True, count=count)
    axes = fresh(axes)
    x_unit, y_unit = (60 / (2 * np.pi), 1 / (2 * np.pi)) if rpm else (1.0, 1.0)
    s = along.eigenvalues[..., ::2]
    known = _converged(along)
    growing = s.real > GROWING * np.abs(s)
    growing &= np.abs(s) > STANDING * np.nanmax(np.abs(s))
    lowest = np.argsort(along.frequencies[0])[:count]
    for k in lowest.tolist():
        height = along.frequencies[:, k] * y_unit
        sure = np.where(known[:, k], height, np.nan)
        told = f"mode {k + 1}" if known[:, k].any() else None
        axes.plot(speed * x_unit, sure, color=MODES[k % len(MODES)], label=told)
        if not known[:, k].all():
            axes.plot(speed * x_unit, height, color=UNSURE, linewidth=0.8, zorder=1)
        bad = np.where(growing[:, k] & known[:, k], height, np.nan)
        axes.plot(speed * x_unit, bad, color=VERDICTS[Verdict.UNSTABLE], linestyle=":", linewidth=3.5)
    if (growing & known)[:, lowest].any():
        axes.plot(
            [], [], color=VERDICTS[Verdict.UNSTABLE], linestyle=":", linewidth=3.5, label="growing"
        )
    if not known[:, lowest].all():
        axes.plot([], [], color=UNSURE, linewidth=0.8, label="not converged")
    shown = np.where(known, along.frequencies, np.nan)[:, lowest]
    top = float(np.nanmax(shown, initial=0.0))
    if turning:
        _order_line(axes, along, against, speed, x_unit, y_unit, top)
        unit = "rpm" if rpm else "rad/s"
    axes.set_xlabel(f"{name(str(against))} in {unit}" if unit else name(str(against)))
    axes.set_ylabel(f"frequency in {'Hz' if rpm else 'rad/s'}")
    axes.set_xlim(speed.min() * x_unit, speed.max() * x_unit)
    axes.set_ylim(0, None if known[:, lowest].all() or not top else 1.1 * top * y_unit)
    axes.legend(frameon=False, fontsize=8, ncols=2)
    kind = "Campbell diagram" if turning else "Frequencies"
    return finished(axes, f"{kind} of {title_of(along.linear.system)}")


def unit_of(along: Modes, against: Any) -> str:
    """The unit that a parameter was declared with, or nothing."""
    units = {p.name: p.unit for p in along.linear.system.parameters}
    return units.get(str(against)) or ""


def is_speed(along: Modes, against: Any) -> bool:
    """Whether this is a speed of rotation: its unit says so, or it turns something as Omega*t.

    A velocity that a sweep goes along, like that of a steady rotation, is one of an angle.
    """
    system = along.linear.system
    unit = unit_of(along, against)
    if unit:
        return unit == "rad/s"
    written = str(against)
    if written.endswith("'"):
        periods = zip(system.coordinates, turns(system), strict=True)
        return any(str(q.rate) == written and period is not None for q, period in periods)
    return any(
        {str(x) for x in angle.free_symbols} >= {written, str(t)} and sympy.diff(angle, t).is_Symbol
        for angle in _angles(system)
    )


def _angles(system: System) -> set[sympy.Expr]:
    """What sines and cosines are taken of in the energies, constraints and forces."""
    parts = [unfold(e) for part in (system.continuous or system).parts().values() for e in part]
    return {each.args[0] for e in parts for each in e.atoms(sympy.sin, sympy.cos)}


def _followed(along: Modes) -> bool:
    """Whether modes were followed along the sweep, or cannot be."""
    return bool(along.infinite.any()) or along.is_tracked


def _order_line(
    axes: Axes, along: Modes, against: Any, speed: Any, x_unit: float, y_unit: float, top: float
) -> None:
    """Frequency = speed, and where modes meet it."""
    ends = np.array([max(speed.min(), 0.0), min(speed.max(), top)])
    if ends[1] <= ends[0]:
        return
    axes.plot(ends * x_unit, ends * y_unit, color="black", linewidth=0.8, linestyle="--")
    axes.annotate("order 1", (ends[1] * x_unit, ends[1] * y_unit), fontsize=8, ha="right", va="bottom")
    critical = along.critical_speeds(against)
    if len(critical):
        axes.plot(
            critical * x_unit, critical * y_unit, "o", color="black", markerfacecolor="white",
            markersize=6, label="critical speed", zorder=5,
        )  # fmt: skip


def root_locus(along: Modes, axes: Axes | None = None) -> Axes:
    """Eigenvalues in the complex plane, in the colours of the parameter that was swept."""
    if len(along.linear.shape) > 1:
        raise DeclarationError(
            "A root locus is drawn along one array of values. Got a batch of shape"
            f" {along.linear.shape}."
        )
    axes = fresh(axes)
    s = along.eigenvalues.reshape(-1, along.eigenvalues.shape[-1])
    known = np.repeat(_converged(along).reshape(len(s), -1), 2, axis=1)[:, : s.shape[1]]
    axes.axvline(0, color="black", linewidth=0.8)
    axes.axhline(0, color="black", linewidth=0.4)
    others, s = np.where(known, complex(np.nan, np.nan), s), np.where(known, s, complex(np.nan, np.nan))
    if len(s) == 1:
        axes.plot(s[0].real, s[0].imag, "x", color=MODES[0], markersize=8)
    else:
        _locus(axes, along, s)
    if not known.all() and known.any():
        _behind(axes, others)
    axes.set_xlabel("Re $s$ in 1/s")
    axes.set_ylabel("Im $s$ in rad/s")
    return finished(axes, f"Eigenvalues of {title_of(along.linear.system)}")


def _converged(along: Modes) -> NDArray[np.bool_]:
    """(..., r) which modes are drawn: those that are converged, or all where that is not known."""
    known = along.converged
    return np.ones(along.frequencies.shape, dtype=bool) if known is None or not known.any() else known


def _behind(axes: Axes, s: Any) -> None:
    """Eigenvalues that are not converged, pale, as far as the scale of the others lets see them."""
    (left, right), (low, high) = axes.get_xlim(), axes.get_ylim()
    x, y = (part[~np.isnan(part)] for part in (s.real, s.imag))
    outside = int(np.sum((x < left) | (x > right) | (y < low) | (y > high)))
    told = "not converged" + (f", {outside} of {len(x)} outside" if outside else "")
    axes.plot(x, y, ".", color=UNSURE, markersize=4, zorder=1, label=told)
    axes.set_xlim(left, right)
    axes.set_ylim(low, high)
    axes.legend(frameon=False, fontsize=8)


def _locus(axes: Axes, along: Modes, s: Any) -> None:
    swept = _swept(along)
    values = np.arange(len(s)) if swept is None else along.swept(swept)
    dots = axes.scatter(
        s.real.ravel(), s.imag.ravel(), c=np.repeat(values, s.shape[1]), s=9, cmap="viridis", zorder=3
    )
    axes.plot(s[0].real, s[0].imag, "x", color="black", markersize=8, label="first", zorder=4)
    axes.plot(
        s[-1].real, s[-1].imag, "o", color="black", markerfacecolor="none", label="last", zorder=4
    )
    bar = axes.figure.colorbar(dots, ax=axes)
    bar.set_label("place in the sweep" if swept is None else name(str(swept)))
    axes.legend(frameon=False, fontsize=8)


def _swept(along: Modes) -> Any:
    """The one parameter or input that changes along the batch, or None."""
    given = along.linear.reference.conditions
    moving = [p for p, k in zip(given.system.parameters, given.p.T, strict=True) if np.ptp(k)]
    moving += [u for u, k in given.inputs.items() if np.ptp(k) and not u.order]
    return moving[0] if len(moving) == 1 else None
