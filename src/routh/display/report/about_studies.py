"""What a report says about studies: what was varied, how the points ended, what was found."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from routh.display.pictures.plot import is_study
from routh.display.report.about_model import unit_text
from routh.display.report.findings import Findings
from routh.display.report.items import Heading, Item, Pictures, Rows, Words
from routh.errors import DeclarationError, a_kind, quoted
from routh.language.system import System
from routh.studies.provenance import told_system


def checked_studies(study: Any, system: System) -> tuple[Any, ...]:
    """The studies that were given, each of them one of this system.

    Raises:
        DeclarationError: it is nothing that `sweep` gave, or the study of another system.
    """
    if study is None:
        return ()
    every = tuple(study) if isinstance(study, (list, tuple)) else (study,)
    for each in every:
        if not is_study(each):
            raise DeclarationError(
                f"`study` is what `sweep` gave, or a list of such. Got {a_kind(each)}."
            )
        if each.attrs["routh_system"] != told_system(system):
            raise DeclarationError(
                f"`study` is one of another system: {each.attrs.get('title', 'a study')}. This report"
                f" is of {system.title}. Give a study of the same energies, coordinates and parameters."
            )
    return every


def study_section(found: Findings, pictures: Pictures) -> Iterator[Item]:
    """Each study that was given: its points, what was found at them, and its picture."""
    for study in found.studies:
        varied = [str(each) for each in study.coords if each != "time"]
        yield Heading(f"Study over {quoted(varied)}")
        yield Words(_points(study, varied))
        if not study.attrs.get("is_complete", 1):
            yield Words("It is not complete: what is not computed yet is called unknown.", aside=True)
        yield from _counted(study)
        yield from _ranges(study)
        if study.attrs.get("remarks"):
            yield Words(f"Some points raised errors. {study.attrs['remarks']}", aside=True)
        yield from pictures.study(study)


def _points(study: Any, varied: list[str]) -> str:
    """How many points there are, and where."""
    parts = []
    for name in varied:
        numbers, unit = study[name], unit_text(study[name].attrs.get("units", ""))
        ends = f"from {float(numbers.min()):.6g} to {float(numbers.max()):.6g} {unit}".rstrip()
        parts.append(f"`{name}` {ends} ({numbers.size:,} values)")
    fixed = ", ".join(f"`{name}` = {value:.6g}" for name, value in _fixed(study).items())
    told = f"{study.status.size:,} points: {', '.join(parts)}"
    return f"{told}; at {fixed}." if fixed else f"{told}."


def _fixed(study: Any) -> dict[str, float]:
    """Parameters that were not varied; nothing where there are too many to be told."""
    try:
        told = json.loads(study.attrs.get("routh_values", ""))
    except ValueError:  # longer than what is kept as text
        return {}
    return {name: float(x) for name, x in told.items() if isinstance(x, (int, float))}


def _counted(study: Any) -> Iterator[Item]:
    """How often each word occurs."""
    rows = []
    for name, variable in study.data_vars.items():
        words = variable.attrs.get("flag_meanings", "").split()
        if not words:
            continue
        codes, counts = np.unique(variable.values, return_counts=True)
        rows += [
            (f"`{name}`", words[code + 1].replace("_", " "), f"{n:,}", f"{n / variable.size:.2%}")
            for code, n in zip(codes, counts, strict=True)
        ]
    if rows:
        yield Rows(("found", "word", "points", "share"), tuple(rows), numbers=(2, 3))


def _ranges(study: Any) -> Iterator[Item]:
    """Between which numbers the others lie."""
    rows = []
    for name, variable in study.data_vars.items():
        if variable.dtype.kind != "f" or not variable.size:
            continue
        least, most = float(variable.min()), float(variable.max())
        unit = unit_text(variable.attrs.get("units", ""))
        rows.append((f"`{name}`", f"{least:.6g}", f"{most:.6g}", unit))
    if rows:
        yield Rows(("found", "least", "largest", "unit"), tuple(rows), numbers=(1, 2))
