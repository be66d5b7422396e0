"""The files of an export to an FMU: one archive with description, documentation, sources and a binary.

It has the same bytes whenever the same model is written by the same compiler.
"""

from __future__ import annotations

import html
import platform
import sys
import zipfile
from pathlib import Path

from routh.exports.files_out import Files, stem_of
from routh.exports.fmu.description import Described, description_2, description_3, document, element
from routh.exports.fmu.unit_source import unit_source
from routh.exports.fmu.variables import Variables
from routh.exports.heading import heading
from routh.exports.subject import Subject
from routh.kernels.shared_object import shared_object

VERSIONS = ("3.0", "2.0")
"""Of the standard; the first where nothing is said."""

_EPOCH = (1980, 1, 1, 0, 0, 0)


def fmu_files(given: Subject, path: Path, command: str, version: str) -> Files:
    """NAME.fmu.

    Raises:
        DeclarationError: a parameter has no number, or the file has no name that C takes.
        DerivationError: there is no compiler, or it fails.
    """
    identifier = stem_of(path, "An FMU")
    variables = Variables(given)
    sources, token = unit_source(variables, version, command)
    main = next(iter(sources))
    title = given.system.name or identifier
    described = Described(variables, identifier, token, title, given.about)
    binary = shared_object(
        sources[main],
        sources,
        "An FMU",
        f'export the equations as C: rt.export(system, "{identifier}.c")',
    )
    content: dict[str, str | bytes] = {
        "modelDescription.xml": (
            description_3(described) if version == "3.0" else description_2(described, [main])
        ),
        "documentation/index.html": _documentation(variables, command, version),
        f"binaries/{_platform(version)}/{identifier}{_suffix()}": binary,
        **{f"sources/{name}": text for name, text in sources.items()},
    }
    if version == "3.0":
        content["sources/buildDescription.xml"] = _build(identifier, main)
    return {path: lambda beside: _packed(beside, content)}


def _packed(path: Path, content: dict[str, str | bytes]) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in content.items():
            entry = zipfile.ZipInfo(name, _EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o755 if name.startswith("binaries/") else 0o644) << 16
            archive.writestr(entry, data)


def _build(identifier: str, main: str) -> str:
    """buildDescription.xml: one source, which includes the others."""
    files = element("SourceFileSet", {"language": "C99"}, [element("SourceFile", {"name": main})])
    one = element("BuildConfiguration", {"modelIdentifier": identifier}, [files])
    return document(element("fmiBuildDescription", {"fmiVersion": "3.0"}, [one]))


def _documentation(variables: Variables, command: str, version: str) -> str:
    kind = f"a unit of FMI {version} for Model Exchange and Co-Simulation"
    called = {str(s): word for s, word in variables.names.items() if str(s) != word}
    text = html.escape("\n".join([*heading(variables.given, kind, command, called), "", _USE]))
    page = f'<html><head><meta charset="utf-8"></head><body><pre>{text}</pre></body></html>'
    return f"<!DOCTYPE html>\n{page}\n"


_USE = """\
Parameters may be changed until the unit starts, and between steps. A number that is not finite, a
mass that is zero, or a start near which no state keeps the constraints, ends in the status error with a
message in the log.

Co-Simulation integrates by the method of Dormand and Prince of order 8 with the tolerance that is asked
for, and keeps constraints by projection after each of its steps. Inputs are constant from one
communication point to the next; derivatives of inputs are inputs of their own.

Model Exchange gives the equations with constraints differentiated to accelerations (index 1). Where a
step of the integrator leaves the constraints by more than 100 tolerances, it asks for an event, where
the state is projected.

Events are looked for within the steps of Co-Simulation, and handled there, unless whoever steps the
unit has said (FMI 3.0) that it handles them: then a step ends at each, where it may end early. In Model
Exchange what they watch are event indicators. `event_1_count` says how often the first of them has
happened, and `event_1_time` when it did last. Where the motion ends by an event, or by something that
is required, the simulation is terminated; in Co-Simulation of FMI 2.0 the step is discarded then, with
the status terminated.

Directional derivatives are exact, by states, inputs, parameters and time.
"""


def _platform(version: str) -> str:
    """The folder of binaries for this machine."""
    machine = {"amd64": "x86_64", "arm64": "aarch64"}.get(
        platform.machine().lower(), platform.machine()
    )
    system = {"win32": "windows", "darwin": "darwin"}.get(sys.platform, "linux")
    if version == "3.0":
        return f"{machine.lower()}-{system}"
    bits = "64" if sys.maxsize > 2**32 else "32"
    return {"windows": "win", "darwin": "darwin", "linux": "linux"}[system] + bits


def _suffix() -> str:
    return {"win32": ".dll", "darwin": ".dylib"}.get(sys.platform, ".so")
