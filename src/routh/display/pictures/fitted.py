"""The picture of a fit: what is left of the measured columns, or one beside what is predicted."""

from __future__ import annotations

from typing import Any

import numpy as np

from routh.analysis.fitting.fit_result import Fit
from routh.display.colours import MODES
from routh.display.pictures.style import Axes, finished, fresh, title_of
from routh.errors import DeclarationError, did_you_mean, listed

WORDS = {"t": "$t$ in s", "mode": "mode", "frequency": "frequency in rad/s"}
"""What runs along the axis."""

FAR = 3.0
"""Standard deviations between which nearly all residuals lie where scatter is normal."""


def fit_diagram(fit: Fit, shown: Any, axes: Axes | None) -> Axes:
    """Residuals in standard deviations over what runs along them; with `shown` one column itself."""
    axes = fresh(axes)
    if shown is not None:
        return _column(fit, shown, axes)
    for k, (c, r, s) in enumerate(zip(fit.channels, fit.residuals, fit.scatter, strict=True)):
        axes.plot(
            c.along, r / (c.weight * s), ".", color=MODES[k % len(MODES)], markersize=4, label=c.label
        )
    for level in (-FAR, 0.0, FAR):
        axes.axhline(level, color="#999999", linewidth=0.6, linestyle="-" if level == 0 else "--")
    axes.set_xlabel(_along(fit))
    axes.set_ylabel("measured less predicted, in standard deviations")
    if len(fit.channels) > 1:
        axes.legend(frameon=False, fontsize=8)
    return finished(axes, f"Residuals of the fit of {title_of(fit.system)}")


def _column(fit: Fit, shown: Any, axes: Axes) -> Axes:
    labels = [c.label for c in fit.channels]
    if str(shown) not in labels:
        raise DeclarationError(
            f"`shown` of a fit is a measured column: {listed(labels)}. Got {shown!r}."
            + did_you_mean(shown, labels)
        )
    k = labels.index(str(shown))
    c = fit.channels[k]
    predicted = c.measured - fit.residuals[k]
    order = np.argsort(c.along, kind="stable")
    line = "-" if c.name != "mode" else "_"
    axes.plot(c.along[order], predicted[order], line, color=MODES[1], linewidth=1.2, label="predicted")
    axes.plot(c.along, c.measured, ".", color=MODES[0], markersize=4, label="measured")
    axes.set_xlabel(WORDS[c.name])
    axes.set_ylabel(c.label)
    axes.legend(frameon=False, fontsize=8)
    return finished(axes, f"Fit of {title_of(fit.system)}")


def _along(fit: Fit) -> str:
    """What runs along the axis; of several kinds of tables, all of them."""
    return ", ".join(dict.fromkeys(WORDS[c.name] for c in fit.channels))
