"""Formulas by KaTeX, without a network: elements of class `tex`, set when the page opens."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.util.fileutil import copy_asset_file

from .markup import formula

VENDOR = Path(__file__).parents[3] / "src/routh/display/report/vendor"


def _inline(self: Any, node: Any) -> None:
    from docutils import nodes  # noqa: PLC0415

    self.body.append(formula(node.astext(), inline=True))
    raise nodes.SkipNode


def _block(self: Any, node: Any) -> None:
    from docutils import nodes  # noqa: PLC0415

    number = f'<span class="eqno">({node["number"]})</span>' if node.get("number") else ""
    ids = "".join(f'<span id="{each}"></span>' for each in node.get("ids", []))
    self.body.append(f'<div class="equation">{ids}{formula(node.astext())}{number}</div>')
    raise nodes.SkipNode


def _copy(app: Sphinx, error: Exception | None) -> None:
    if error is None and app.builder.format == "html":
        for name in ("katex.js", "katex.css"):
            copy_asset_file(VENDOR / name, Path(app.outdir) / "_static" / name, force=True)


def setup_formulas(app: Sphinx) -> None:
    """Tell Sphinx how formulas are written, and what sets them."""
    app.add_html_math_renderer("katex", (_inline, None), (_block, None))
    app.add_css_file("katex.css")
    app.add_js_file("katex.js")
    app.add_js_file("formulas.js", loading_method="defer")
    app.connect("build-finished", _copy)
