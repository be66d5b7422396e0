"""Figures that a cell left open, as HTML: SVG in the colours of the page, large ones as an image."""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from typing import Any

from routh.display.colours import BRIGHT

LARGE = 700_000
"""Letters of SVG beyond which a figure is kept as an image."""

INK = "#0a0b0c"
"""Stands for the colour of the text around the figure, on light and dark pages."""

_DARK = re.compile(r"#[0-4][0-9a-f][0-4][0-9a-f][0-4][0-9a-f]\b")

STYLE = dict.fromkeys(
    ("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color"), INK
) | {
    "axes.facecolor": "none", "figure.facecolor": "none", "savefig.facecolor": "none",
    "svg.hashsalt": "routh", "figure.max_open_warning": 0, "legend.framealpha": 0.0,
}  # fmt: skip


@contextmanager
def without_figures() -> Iterator[None]:
    """No figure is open before and after, and figures have the style of the site."""
    import matplotlib  # noqa: PLC0415  # loads long

    matplotlib.use("Agg", force=True)
    import matplotlib.pyplot as plt  # noqa: PLC0415

    plt.close("all")
    with matplotlib.rc_context(STYLE):
        yield
    plt.close("all")


def figures_made(caption: str) -> list[str]:
    """All open figures as HTML, closed afterwards."""
    import matplotlib.pyplot as plt  # noqa: PLC0415

    made = [plt.figure(number) for number in plt.get_fignums()]
    words = escape(caption)
    below = f"<figcaption>{words}</figcaption>" if words else ""
    html = [f"<figure>{as_html(each, words)}{below}</figure>" for each in made]
    plt.close("all")
    return html


def as_html(figure: Any, told: str) -> str:
    """The SVG element alone, in the colour of the text around it; a large one as an image."""
    text = io.StringIO()
    figure.savefig(text, format="svg", bbox_inches="tight", metadata={"Date": None, "Creator": None})
    svg = text.getvalue()
    if len(svg) > LARGE:
        return image(figure, told)
    found = svg[svg.index("<svg") :]
    found = re.sub(r"<metadata>.*?</metadata>\s*|<!--.*?-->\s*", "", found, flags=re.DOTALL)
    found = re.sub(r' xmlns="[^"]*"', "", found)
    found = _DARK.sub("currentColor", found)
    if "<image" not in found:  # images have their colours, and a legend has to have the same
        for dim, bright in BRIGHT.items():
            found = found.replace(dim, bright)
    return found.replace("<svg", f'<svg role="img" aria-label="{told or "figure"}"', 1)


def image(figure: Any, told: str, dots: int = 130) -> str:
    """The figure as an image on white, within the page."""
    data = io.BytesIO()
    figure.savefig(data, format="png", dpi=dots, bbox_inches="tight", facecolor="white")
    inside = base64.b64encode(data.getvalue()).decode()
    return f'<img class="drawn" alt="{told or "figure"}" src="data:image/png;base64,{inside}">'
