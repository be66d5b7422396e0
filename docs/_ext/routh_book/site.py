"""The extension of Sphinx: what it is told, and the pages that are carried out before they are read."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

from .cells import read_page
from .directives import Check, Exercise, Model, Run, Solution, Terminal
from .formulas import setup_formulas
from .gallery import Thumbnails, write_pages
from .generated import EVERY
from .keeping import kept

PAGES_OF_FILES = {"CONTRIBUTING.md": "/inside/adding.md"}
"""Files above `docs` that pages link to, and the pages that include them."""


def _carry_out(app: Sphinx, env: Any, docnames: list[str]) -> None:
    """Before pages are read: the outcomes of all that will be."""
    root, folder = Path(app.srcdir), Path(app.config.routh_book_kept)
    pages = {name: read_page(Path(env.doc2path(name))) for name in docnames}
    executed = {name: page for name, page in pages.items() if page.cells}
    paths = [str(page.path) for page in executed.values()]
    above = os.pathsep.join([str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, "-m", "routh_book.keeping", str(folder), str(root), *paths]
    done = subprocess.run(command, env=os.environ | {"PYTHONPATH": above}, check=False)  # noqa: S603
    if done.returncode:
        raise ExtensionError("Pages did not run as they say; the reasons stand above.")
    app.routh_book = {  # type: ignore[attr-defined]
        name: kept(folder, page, root) or [] for name, page in executed.items()
    }


def _lacking(app: Sphinx, env: Any, *changes: set[str]) -> list[str]:  # noqa: ARG001
    """Pages that are as they were and have no outcomes any more: the library is another."""
    root, folder = Path(app.srcdir), Path(app.config.routh_book_kept)
    pages = {name: read_page(Path(env.doc2path(name))) for name in env.found_docs}
    lacking = [name for name, page in pages.items() if page.cells and kept(folder, page, root) is None]
    pictured = {"gallery/models", "gallery/scripts"} & set(pages) if lacking else set()
    return [*lacking, *pictured]


def _led(app: Sphinx, docname: str, source: list[str]) -> None:
    """Links to files of the repository that are pages of the site as well lead to those."""
    if docname == "index":
        source[0] = "\n".join(line for line in source[0].splitlines() if _is_written(line, app.env))
    for path, page in PAGES_OF_FILES.items():
        source[0] = re.sub(rf"\]\((?:\.\./)+{re.escape(path)}", f"]({page}", source[0])


def _is_written(line: str, env: Any) -> bool:
    """Whether a line of the front page leads to a part of the site that is there."""
    part = re.search(r"^(\w+/index)$|\((\w+/index)\.md\)", line)
    return part is None or (part[1] or part[2]) in env.found_docs


def setup(app: Sphinx) -> dict[str, Any]:
    """Tell Sphinx what there is."""
    app.add_config_value("routh_book_kept", "", "")
    app.connect("builder-inited", write_pages)
    app.connect("source-read", _led)
    app.connect("env-get-outdated", _lacking)
    app.connect("env-before-read-docs", _carry_out)
    every = {"run": Run, "check": Check, "model": Model, "terminal": Terminal,
             "exercise": Exercise, "solution": Solution,
             "thumbnails": Thumbnails}  # fmt: skip
    for name, directive in (every | EVERY).items():
        app.add_directive(name, directive)
    setup_formulas(app)
    return {"version": "1", "parallel_read_safe": False, "parallel_write_safe": True}
