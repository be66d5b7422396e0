"""Where numbers come from, in texts: the version, the system, and the model file of it."""

from __future__ import annotations

from routh.errors import RouthError, capital
from routh.files.saving import model_text
from routh.language.system import System
from routh.version import __version__

FORMAT = 1
"""The number of the form of files; it rises when what is written could be misread."""

MOST = 4 * 2**30
"""Bytes that a file may unpack to."""


def provenance(system: System | None) -> dict[str, str]:
    """The version, the system as it shows itself, and its model file where one can hold it."""
    said = {"routh": __version__}
    if system is None:
        return said
    said["system"] = repr(system)
    if system.shapes:
        said["no_model"] = (
            f"{capital(system.title)} is discretized, and files do not hold its functions."
        )
        return said
    try:
        said["model"] = model_text(system)
    except RouthError as reason:
        said["no_model"] = str(reason)
    return said


def title(kind: str, system: System | None) -> str:
    """What a record is about."""
    return f"{kind} of {system.title.replace('`', '')}" if system is not None else kind
