"""Reports: everything about a model in one file, as a page, as Markdown or as LaTeX."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from routh.disk import is_stream, refuse_unwritable, write_text
from routh.display.report.about_studies import checked_studies
from routh.display.report.findings import Findings
from routh.display.report.paper import latex_document, markdown
from routh.display.report.plain_model import plain_model
from routh.errors import DeclarationError, a_kind, needing, quoted
from routh.files.loading import load
from routh.files.model import Model
from routh.files.stated_values import stated_values
from routh.language.system import System


def report(
    model: Model | System | str | Path,
    path: str | Path | None = None,
    *,
    values: Mapping[Any, float] | None = None,
    study: Any = None,
    command: str = "",
    progress: Callable[[str, float], None] | None = None,
) -> Path:
    """Write everything about a model to one file, and give its path.

    An .html file needs nothing else and opens from disk; .md and .tex are for papers. It is written
    beside and renamed: if that fails, what was there before is as it was.

    Arguments:
        model: what `load` returned, the path or text that it would read, or a system; of a system
            alone there is no motion, and no drawing.
        path: the file to write. That of a model file is called like it, with .html, if not given.
        values: numbers for parameters, by symbol or name, beside those that the model has.
        study: what `sweep` gave of the same system, or a list of such: a section for each, with its
            points, what was found and a map.
        command: how it was called, for the section on how to reproduce it.
        progress: is told what is being computed and which share is done, from 0 to 1.

    Raises:
        DeclarationError: it is no model, no such file, or there is no such folder; values are for
            nothing in it, or a parameter has none.
        WriteError: the file could not be written.
        MissingExtra: an .html file without the extra `plot`.

    Example:
        >>> import tempfile
        >>> from pathlib import Path
        >>> import routh as rt
        >>> x, k = rt.coordinate("x"), rt.parameter("k", 4)
        >>> system = rt.System(kinetic=rt.ddt(x)**2 / 2, potential=k * x**2 / 2, name="spring")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = rt.report(system, Path(folder) / "spring.md", values={k: 9})
        ...     page = path.read_text(encoding="utf-8")
        ...
        >>> page.splitlines()[0]
        '# spring'
    """
    if path is None:
        path = _page_of(model)
    if isinstance(model, (str, Path)):
        model = load(model)
    if not isinstance(model, (Model, System)):
        raise DeclarationError(
            f"report takes a model file, the Model that `load` gives, or a System. Got {a_kind(model)}."
        )
    own = plain_model(model) if isinstance(model, System) else model
    found = Findings(own, own.values | stated_values(own.system, values), moves=own is model)
    if own is not model and found.lacking:
        raise DeclarationError(
            f"`values` lacks {quoted(found.lacking)}. Give a number for each parameter, like"
            f" values=dict({found.lacking[0]}=1.0)."
        )
    found = replace(found, studies=checked_studies(study, found.system)) if study is not None else found
    return written_report(found, path, command, progress)


def _page_of(model: object) -> Path:
    """The page of a model file, in the folder where one works, as that of the command."""
    if isinstance(model, (str, Path)) and "\n" not in str(model):
        return Path(f"{Path(model).stem}.html")
    raise DeclarationError('Say where the report goes, like report(model, "swing.html").')


def written_report(
    findings: Findings,
    path: str | Path,
    command: str = "",
    progress: Callable[[str, float], None] | None = None,
) -> Path:
    """The same of what is computed already, or will be; streams such as /dev/stdout get HTML."""
    target = Path(path)
    kind = ".html" if is_stream(target) and not target.suffix else target.suffix.lower()
    write = _writer(kind, str(path), command)
    refuse_unwritable(target)
    _compute(findings, progress)
    return write_text(target, write(findings))


def _writer(kind: str, path: str, command: str) -> Callable[[Findings], str]:
    """What makes the text of a report of this kind; only the page has pictures."""
    if kind in (".md", ".tex"):
        paper = markdown if kind == ".md" else latex_document
        return lambda findings: paper(findings, command)
    if kind != ".html":
        raise DeclarationError(f"A report is written as .html, .md or .tex. Got {path!r}.")
    with needing("plot", "matplotlib", "Reports with pictures need a plotting package"):
        from routh.display.report.page import page
    return lambda findings: page(findings, command)


def _compute(findings: Findings, progress: Callable[[str, float], None] | None) -> None:
    """Compute what a report needs, telling how far it is."""
    parts = {
        "equations": "Deriving the equations",
        "hamiltonian": "Deriving Hamilton's equations",
        "rests": "Looking for equilibria",
        "verdicts": "Judging them",
        "moved": "Moving parameters",
        "sweep": "Sweeping",
        "floquet": "Growing over a period",
    }
    if findings.moves:
        parts["motion"] = "Computing the motion"
    for k, (part, doing) in enumerate(parts.items()):
        if progress is not None:
            progress(doing, k / (len(parts) + 1))
        getattr(findings, part)
    if progress is not None:
        progress("Writing", len(parts) / (len(parts) + 1))
