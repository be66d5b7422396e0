"""Libraries for other programs: made by the compiler of this machine, for all machines of its kind."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from routh.errors import DerivationError
from routh.kernels.native.compiler import PORTABLE, compiler

_FOLDER = Path(__file__).parent / "native" / "c"


def shared_object(source: str, beside: Mapping[str, str], what: str, instead: str) -> bytes:
    """The library made of a source and of files that it includes.

    Arguments:
        source: C.
        beside: texts of other files, by name.
        what: what is made, for sentences.
        instead: what else can be done, for sentences.

    Raises:
        DerivationError: there is no compiler, or it fails.
    """
    found = compiler()
    if found is None:
        raise DerivationError(
            f"{what} needs a compiler of C, and neither cc, gcc nor clang is found. Install one, or"
            f' "routh[compiler]", which brings one along; or {instead}.'
        )
    return found.make(source, beside, PORTABLE, instead)


def integrator() -> str:
    """The method of Dormand and Prince in C, for one run of SIZE numbers that move by `motion_rate`."""
    parts = [(_FOLDER / f"{name}.h").read_text("utf-8") for name in ("lanes", "dop853")]
    return "\n".join(["#define LANES 1", *parts])
