"""Figures of matplotlib as SVG for a page: in the colours of the page, with a title, without a date."""

from __future__ import annotations

import io
import re
from collections.abc import Set
from functools import partial
from html import escape

import matplotlib as mpl
import matplotlib.pyplot as plt

from routh.display.pictures.style import Axes

COLOURS = {
    "#000000": "ink", "#1c2733": "ink", "#444444": "ink", "#262626": "ink", "#5c6b7a": "soft",
    "#999999": "soft", "#7f7f7f": "soft", "#b9c0c7": "faint", "#b0b0b0": "line", "#cccccc": "line",
    "#ffffff": "paper", "#2166ac": "blue", "#d95f02": "orange", "#1b7f5c": "green", "#7b3294": "violet",
    "#a6761d": "brown", "#e7298a": "pink", "#c2334d": "red", "#f1a340": "orange",
}  # fmt: skip
"""Colours of pictures, by what the page calls them: it has others for dark paper."""


INKS = ("ink", "soft", "faint", "line", "paper")
"""Colours that mean nothing. Where a part is an image the others stay as they are in it."""


def as_svg(axes: Axes, title: str) -> str:
    """A figure as SVG text, the same for the same figure; closed afterwards."""
    buffer = io.StringIO()
    with mpl.rc_context({"svg.hashsalt": "routh"}):
        axes.figure.savefig(
            buffer, format="svg", bbox_inches="tight", transparent=True,
            metadata={"Date": None, "Creator": None, "Format": None, "Type": None},
        )  # fmt: skip
    plt.close(axes.figure)
    text = buffer.getvalue()
    text = re.sub(r"<metadata>.*?</metadata>", "", text[text.index("<svg") :], flags=re.DOTALL)
    kept = set(COLOURS.values()) - set(INKS) if "<image" in text else set()
    text = re.sub(r"(?<=[ \"])(fill|stroke): (#[0-9a-f]{6})", partial(_themed, kept), text)
    opened, _, inside = text.partition(">")
    return f'{opened} role="img" class="drawn"><title>{escape(title)}</title>{inside.rstrip()}'


def _themed(kept: Set[str], found: re.Match[str]) -> str:
    """A colour as the page has it, unless it is to be kept."""
    name = COLOURS.get(found[2])
    return found[0] if name is None or name in kept else f"{found[1]}: var(--{name}, {found[2]})"


def own_ids(svg: str, number: int) -> str:
    """The figure with names of its own inside, so that several can stand on one page."""
    ids = set(re.findall(r'\bid="([^"]+)"', svg))
    svg = re.sub(r'\bid="([^"]+)"', rf'id="f{number}-\1"', svg)

    def renamed(found: re.Match[str]) -> str:
        return f"{found[1]}#f{number}-{found[2]}" if found[2] in ids else found[0]

    return re.sub(r'(xlink:href="|href="|url\()#([^")]+)', renamed, svg)
