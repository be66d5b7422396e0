"""The files of an export to C99: source, header and the program that tests them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from routh.exports.c_source import CSource
from routh.exports.c_test import c_test
from routh.exports.files_out import Files, stem_of
from routh.exports.subject import Subject
from routh.kernels.handed_out import HandedOut

HEADERS = ("math", "stdio")
"""What the files include of others: a header of that name would be taken for theirs."""


def c_files(given: Subject, path: Path, command: str) -> Files:
    """NAME.c, NAME.h and NAME_test.c."""
    if given.events:
        watched = [event.expression for event in given.events]
        changed = [value for event in given.events for _, value in event.change]
        functions = HandedOut(given.system, given.laws, [*watched, *changed])
        given = replace(given, functions=functions)
    source = CSource(given, stem_of(path, "C", HEADERS), command)
    beside = path.with_name(f"{path.stem}_test.c")
    return {path: source.source, path.with_suffix(".h"): source.header, beside: c_test(source)}
