"""Pictures of what repeats: stability charts, backbone and response curves, Bode and Nyquist plots."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.colors import ListedColormap
from matplotlib.patches import Patch

from routh.analysis.given.reading import own_expression
from routh.analysis.linear.response import FrequencyResponse
from routh.analysis.periodic.family import PeriodicBranch
from routh.analysis.periodic.multipliers import Floquet
from routh.analysis.stability.frequencies_around import formal
from routh.analysis.stability.judge import stability
from routh.analysis.stability.verdict import Verdict
from routh.display.colours import MODES, VERDICTS
from routh.display.pictures.legends import beneath
from routh.display.pictures.marks import mark
from routh.display.pictures.style import LINES, Axes, finished, fresh, name, runs, title_of
from routh.errors import DeclarationError, a_kind

OUTSIDE = 1e-9
"""By how much a multiplier must be larger than 1 to be drawn as one that grows."""


def repeating(result: Floquet | FrequencyResponse, against: Any, axes: Axes | None) -> Axes:
    """The picture of what `floquet` or `frequency_response` returned."""
    if against is not None and (isinstance(result, Floquet) or against != "real"):
        raise DeclarationError(
            '`against` is "real" for Nyquist\'s plot of a frequency response. Got'
            f" {against!r} for {a_kind(result)}."
        )
    if isinstance(result, Floquet):
        return chart(result, axes)
    return nyquist(result, axes) if against == "real" else bode(result, axes)


def chart(found: Floquet, axes: Axes | None = None) -> Axes:
    """The verdict over the two parameters of a chart."""
    values = found.reference.conditions.values if hasattr(found.reference, "conditions") else {}
    if found.monodromy.ndim != 4:
        raise DeclarationError(
            "A stability chart is drawn over two parameters: call floquet with two arrays of numbers,"
            " as numpy.meshgrid makes them."
        )
    spread = {key: x for key, x in values.items() if np.ptp(x) > 0}
    across = next((k for k, x in spread.items() if np.ptp(x, axis=1).max() > 0), None)
    up = next((k for k, x in spread.items() if np.ptp(x, axis=0).max() > 0 and k != across), None)
    if across is None or up is None:
        raise DeclarationError("A stability chart needs two parameters that change. Got fewer.")
    axes = fresh(axes)
    every = list(Verdict)
    codes = np.vectorize(every.index)(found.verdict)
    axes.pcolormesh(
        spread[across], spread[up], codes, cmap=ListedColormap([VERDICTS[v] for v in every]),
        vmin=-0.5, vmax=len(every) - 0.5, shading="nearest", rasterized=True,
    )  # fmt: skip
    present = [v for k, v in enumerate(every) if (codes == k).any()]
    patches = [Patch(facecolor=VERDICTS[v], label=str(v)) for v in present]
    axes.legend(handles=patches, fontsize=8, frameon=False, loc="upper left", bbox_to_anchor=(0, -0.14))
    axes.set_xlabel(name(across))
    axes.set_ylabel(name(up))
    return finished(axes, f"Stability of {title_of(found.system)}", grid=False)


def unit_circle(found: Floquet, axes: Axes | None = None) -> Axes:
    """The multipliers of one point in the complex plane, those outside of the unit circle in red."""
    axes = fresh(axes)
    turn = np.linspace(0, 2 * np.pi, 361)
    axes.plot(np.cos(turn), np.sin(turn), color="#999999", linewidth=0.9)
    out = np.abs(found.multipliers) > 1 + OUTSIDE
    for chosen, colour in ((~out, MODES[0]), (out, VERDICTS[Verdict.UNSTABLE])):
        axes.plot(found.multipliers[chosen].real, found.multipliers[chosen].imag, "o", color=colour)
    axes.set_aspect("equal", adjustable="datalim")
    axes.set_xlabel("real part")
    axes.set_ylabel("imaginary part")
    return finished(axes, f"Multipliers of {title_of(found.system)}")


def backbone(found: PeriodicBranch, shown: Any, axes: Axes | None = None) -> Axes:
    """Amplitude over frequency for families, or over the parameter that is moved."""
    axes = fresh(axes)
    upwards = found.system.coordinates[0] if shown is None else shown
    measured = own_expression(found.system, upwards, "What is drawn")
    up = found.amplitudes(measured)
    family = found.parameter in ("amplitude", "energy")
    across = found.frequencies if family else found.at
    for verdict, first, after in runs(found.verdicts):
        last = min(after + 1, len(found))
        axes.plot(
            across[first:last], up[first:last], LINES[verdict], color=VERDICTS[verdict], linewidth=1.4
        )
    points = []
    for point in found.points:
        x = 2 * np.pi / point.motion.period if family else point.value
        points.append((point.kind, x, point.motion.amplitude(measured)))
    mark(axes, points)
    if points:
        axes.legend(frameon=False, fontsize=8)
    axes.set_xlabel("frequency in rad/s" if family else name(found.parameter))
    axes.set_ylabel(f"amplitude of {name(measured)}")
    return finished(axes, f"Periodic motions of {title_of(found.system)}")


def bode(found: FrequencyResponse, axes: Axes | None = None) -> Axes:
    """Magnitudes over the frequency on logarithmic scales, phases broken, resonances dotted."""
    _refuse_batch(found)
    axes = fresh(axes)
    other = axes.twinx()
    for k, output in enumerate(found.outputs):
        colour = MODES[k % len(MODES)]
        size = found.magnitude[:, k]
        if not (np.isfinite(size) & (size > 0)).any():
            why = "does not answer" if not size.any() else "has no finite answer"
            axes.plot([], [], color=colour, label=f"{name(output)}, {why}")
            continue
        axes.loglog(found.frequencies, size, color=colour, label=name(output))
        degrees = np.degrees(found.phase[:, k])
        other.semilogx(found.frequencies, degrees, "--", color=colour, linewidth=0.9)
    for w in found.resonances:
        axes.axvline(w, color="#999999", linewidth=0.8, linestyle=":", zorder=0)
    axes.set_xlabel("frequency in rad/s")
    axes.set_ylabel(f"magnitude by {name(found.input)}")
    other.set_ylabel("phase in degrees (broken)")
    other.spines["top"].set_visible(False)
    beneath(axes)
    done = finished(axes, f"Response of {title_of(found.linear.system)}{_about(found)}")
    axes.spines["right"].set_visible(True)
    return done


def _about(found: FrequencyResponse) -> str:
    """What a title must say of an equilibrium that is not attained."""
    return " about an unstable equilibrium, formal" if formal(stability(found.linear)) else ""


def nyquist(found: FrequencyResponse, axes: Axes | None = None) -> Axes:
    """The responses in the complex plane."""
    _refuse_batch(found)
    axes = fresh(axes)
    for k, output in enumerate(found.outputs):
        colour = MODES[k % len(MODES)]
        axes.plot(
            found.transfer[:, k].real, found.transfer[:, k].imag, color=colour, label=name(output)
        )
        axes.plot(found.transfer[0, k].real, found.transfer[0, k].imag, "o", color=colour, markersize=4)
    axes.axhline(0, color="#999999", linewidth=0.6)
    axes.axvline(0, color="#999999", linewidth=0.6)
    axes.set_xlabel("real part")
    axes.set_ylabel("imaginary part")
    axes.set_aspect("equal", adjustable="datalim")
    axes.legend(frameon=False, fontsize=8)
    told = f"Response of {title_of(found.linear.system)} to {found.input}{_about(found)}"
    return finished(axes, told)


def _refuse_batch(found: FrequencyResponse) -> None:
    if found.transfer.ndim != 2:
        raise DeclarationError(
            f"A response is drawn for one point. Got a batch of shape {found.transfer.shape[:-2]}."
        )
