"""The files of an export to CasADi: a function that `casadi.Function.load` reads, and what it is."""

from __future__ import annotations

from pathlib import Path

from routh.exports.casadi_functions import formed
from routh.exports.files_out import Files
from routh.exports.heading import heading
from routh.exports.subject import Subject
from routh.kernels.handed_out import save


def casadi_files(given: Subject, path: Path, command: str, form: str) -> Files:
    """NAME.casadi, and NAME.txt, which says what its arguments and results are."""
    function = formed(given, form, derivatives=False, name=None)
    head = heading(
        given, f"equations of motion as a CasADi function, in the form {form!r}", command, {}
    )
    use = [
        "",
        f"    function = casadi.Function.load({path.name!r})",
        "",
        f"arguments: {', '.join(function.name_in())}",
        f"results: {', '.join(function.name_out())}",
        "Derivatives by any argument: function.factory(NAME, arguments, ['jac:rate:x', ...]).",
    ]
    about = "\n".join([*head, *use]) + "\n"
    return {path: lambda beside: save(function, beside), path.with_suffix(".txt"): about}
