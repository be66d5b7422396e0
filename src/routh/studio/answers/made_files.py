"""The ask `export`: the model as a report, a notebook, or files for other programs."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import routh as rt
from routh.display.pictures.films import motion_film
from routh.display.report.findings import Findings
from routh.display.report.formats import written_report
from routh.errors import DeclarationError
from routh.files.saving import model_text
from routh.studio.answers.kept_values import with_numbers
from routh.studio.answers.played_motion import simulated, start_of
from routh.studio.answers.request import chosen, findings, table
from routh.studio.answers.written_code import notebook, script
from routh.studio.bench import Bench

PROGRAMS = {
    "python": (".py", "numpy"), "jax": (".py", "jax"), "c": (".c", None), "fmu": (".fmu", None),
    "fmu2": (".fmu", "2.0"), "latex": (".tex", None), "matlab": (".m", None), "julia": (".jl", None),
    "modelica": (".mo", None), "casadi": (".casadi", None),
}  # fmt: skip
"""What `export` writes for other programs: the suffix, and which of several things of it."""

REPORTS = {"report": ".html", "markdown": ".md", "paper": ".tex"}
"""Reports by their suffix."""

LONGEST_NAME = 60
"""Characters of the name of a file."""


def export(bench: Bench, about: Mapping[str, Any]) -> dict[str, Any]:
    """`export` {text, values, what, start?, until?}: {url, name, size} of a file that was made.

    what is "report" (a page), "markdown", "paper" (LaTeX of the report); "notebook", "script" (Python
    that calls the verbs), "toml" (the model with these numbers), "animation" (a page that plays the
    motion); or for other programs "python" (NumPy), "jax", "c", "fmu", "fmu2", "latex" (the equations),
    "matlab", "julia", "modelica", "casadi". Several files come as one .zip.
    """
    found = findings(bench, about)
    what = chosen(about.get("what"), [*REPORTS, *TEXTS, *PROGRAMS], "`what`")
    name = _name(found)
    with TemporaryDirectory(prefix="routh-") as folder:
        paths = _written(bench, found, about, what, Path(folder) / name)
        if len(paths) == 1:
            return bench.made(paths[0].name, paths[0].read_bytes())
        return bench.made(f"{name}.zip", _packed(paths))


def _written(
    bench: Bench, found: Findings, about: Mapping[str, Any], what: str, path: Path
) -> list[Path]:
    """The files, in a folder that is left behind."""
    if what in REPORTS:
        bench.progress(0.0, "Computing the report")
        target = path.with_suffix(REPORTS[what])
        return [
            written_report(found, target, progress=lambda doing, share: bench.progress(share, doing))
        ]
    if what in TEXTS:
        suffix, text = TEXTS[what]
        target = path.with_suffix(suffix)
        target.write_text(text(found, about), encoding="utf-8")
        return [target]
    suffix, kind = PROGRAMS[what]
    bench.progress(None, f"Writing {path.stem}{suffix}")
    start = start_of(found, table(about, "start")) if about.get("start") else None
    target = path.with_suffix(suffix)
    return list(rt.export(found.model, target, what=kind, values=found.values, start=start))


def _packed(paths: list[Path]) -> bytes:
    """Several files as one archive, the same for the same files."""
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in paths:
            archive.writestr(zipfile.ZipInfo(path.name), path.read_bytes(), zipfile.ZIP_DEFLATED)
    return raw.getvalue()


def _name(found: Findings) -> str:
    """The name of the model as that of a file, and of a function in other languages."""
    name = re.sub(r"[^a-z0-9]+", "_", (found.model.name or "model").lower()).strip("_")
    name = name[:LONGEST_NAME] or "model"
    return f"model_{name}" if name[0].isdigit() else name


def _toml(found: Findings, about: Mapping[str, Any]) -> str:
    """The model file with these numbers; that of a robot in another format is made of its system."""
    text = about["text"]
    if text.lstrip("\ufeff \t\r\n").startswith("<"):
        return found.model.text or model_text(found.model.system)
    return with_numbers(found.model, text, found.values)


def _animation(found: Findings, about: Mapping[str, Any]) -> str:
    if found.model.drawing.is_empty:
        raise DeclarationError("The model draws nothing, and there is nothing to play.")
    run, _ = simulated(found, about)
    return motion_film(run, found.model.drawing).html


TEXTS: dict[str, tuple[str, Callable[[Findings, Mapping[str, Any]], str]]] = {
    "toml": (".toml", _toml),
    "notebook": (".ipynb", lambda found, about: notebook(found, _toml(found, about))),
    "script": (".py", lambda found, about: script(found, _toml(found, about))),
    "animation": (".html", _animation),
}
"""What is one text: its suffix, and what makes it."""
