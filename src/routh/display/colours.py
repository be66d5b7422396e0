"""Colours of verdicts, regions and modes: the same in pictures, notebooks and reports."""

from __future__ import annotations

from routh.analysis.stability.verdict import Region, Verdict

VERDICTS = {
    Verdict.STABLE: "#2166ac",
    Verdict.ASYMPTOTICALLY_STABLE: "#1b7f5c",
    Verdict.UNSTABLE: "#c2334d",
    Verdict.UNDECIDED: "#7f7f7f",
}

REGIONS = {
    Region.STABLE: "#4393c3",
    Region.ASYMPTOTICALLY_STABLE: "#1b7f5c",
    Region.GYROSCOPIC: "#b3cde3",
    Region.DIVERGENCE: "#f1a340",
    Region.FLUTTER: "#c2334d",
    Region.UNDECIDED: "#969696",
    Region.NO_EQUILIBRIUM: "#f7f7f7",
}

MODES = ("#2166ac", "#d95f02", "#1b7f5c", "#7b3294", "#a6761d", "#e7298a", "#444444")
"""Colours of modes, of coordinates and of curves, in order."""

BRIGHT = {
    "#2166ac": "#4a90d9", "#1b7f5c": "#2aa876", "#c2334d": "#dd4b63", "#7b3294": "#a868c8",
    "#a6761d": "#bd8f3a",
}  # fmt: skip
"""Colours that dark pages swallow, and what is seen on both: notebooks do not say which they are."""
