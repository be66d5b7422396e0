"""Small pictures for notebooks: SVG within the page and in its colours; none without the extra.

Text and axes have the colour of the text around them, and there is no background, so that a picture
is the same on light and dark pages. What has very many points is drawn into it as an image.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from html import escape
from typing import Any

from routh.display.colours import BRIGHT
from routh.display.pictures.plot import plot
from routh.errors import MissingExtra, RouthError, needing

SIZE = (4.8, 3.0)
"""Inches."""

MANY = 3000
"""Points of a line beyond which it is drawn as an image."""

INK = "#0a0b0c"
"""Stands for the colour of the text around the picture."""

DARK = r"#[0-4][0-9a-f][0-4][0-9a-f][0-4][0-9a-f]\b"
"""What is black or nearly so, like that, has the colour of the text."""

DPI = 110
"""Dots per inch of what is drawn as an image."""

Draw = Callable[[Any], object]


def thumbnail(result: Any, told: str, **more: Any) -> str:
    """The picture that `plot` draws of a result, or nothing where it has none."""
    return drawn(lambda axes: plot(result, axes=axes, **more), told)


def drawn(draw: Draw, told: str) -> str:
    """What a function draws on axes, as SVG text with words for those who cannot see it."""
    try:
        with needing("plot", "matplotlib", "Pictures need a plotting package"):
            import matplotlib
            from matplotlib.figure import Figure
    except MissingExtra:
        return ""
    ink = ("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color")
    style = dict.fromkeys(ink, INK) | {
        "svg.hashsalt": "routh", "axes.facecolor": "none", "figure.facecolor": "none",
        "font.size": 9.0, "axes.grid": False, "text.usetex": False,
    }  # fmt: skip
    with matplotlib.rc_context(style):
        figure = Figure(figsize=SIZE, layout="constrained")
        axes = figure.subplots()
        try:
            draw(axes)
        except RouthError:  # this result has no such picture; its table says what there is
            return ""
        for each in figure.axes:
            each.set_title("", loc="left")  # it stands above the picture
            _as_images(each)
            _lowered(each)
        buffer = io.StringIO()
        figure.savefig(buffer, format="svg", dpi=DPI, metadata={"Date": None, "Creator": None})
    return _inline(buffer.getvalue(), told)


def _as_images(axes: Any) -> None:
    """Lines with very many points and filled areas become images, so that no picture is large."""
    heavy = [line for line in axes.get_lines() if len(line.get_xdata()) > MANY]
    for artist in (*heavy, *axes.collections):
        artist.set_rasterized(True)


def _lowered(axes: Any) -> None:
    """A legend below the axes stands further below: it was placed for a larger picture."""
    legend = axes.get_legend()
    if legend is not None:
        anchor = legend.get_bbox_to_anchor().transformed(axes.transAxes.inverted())
        if anchor.y0 < 0:
            legend.set_bbox_to_anchor((0, -0.22), transform=axes.transAxes)
            legend.set_frame_on(False)


def _inline(text: str, told: str) -> str:
    """The SVG element alone, in the colour of the text around it."""
    found = text[text.index("<svg") :]
    found = re.sub(r"<metadata>.*?</metadata>\s*|<!--.*?-->\s*", "", found, flags=re.DOTALL)
    found = re.sub(r' xmlns(:\w+)?="[^"]*"', "", found)
    found = re.sub(DARK, "currentColor", found)
    if "<image" not in found:  # images have their colours, and a legend has to have the same
        for dim, bright in BRIGHT.items():
            found = found.replace(dim, bright)
    return found.replace("<svg", f'<svg role="img" aria-label="{escape(told)}"', 1)
