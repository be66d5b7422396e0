"""The nouns that verbs return, to annotate with and to ask for with `isinstance`.

    from routh.results import Equilibrium, Modes

    def lowest(rest: Equilibrium) -> float: ...

Each is loaded when it is first used; the list is `results.pyi`. It is read here in a few lines since
`lazy_loader` takes names from below a package only, and these live beside this module.
"""

import ast
from importlib import import_module
from pathlib import Path
from typing import Any

from routh.errors import no_attribute

_STUB = ast.parse(Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
_WHERE = {
    alias.name: f"routh.{each.module}"
    for each in _STUB.body
    if isinstance(each, ast.ImportFrom)
    for alias in each.names
}

__all__ = sorted(_WHERE)  # noqa: PLE0605  # the stub is the list


def __getattr__(name: str) -> Any:
    """A noun, loaded and kept; what is none of them gets the nearest one."""
    if name not in _WHERE:
        raise no_attribute("routh.results", name, __all__)
    found = globals()[name] = getattr(import_module(_WHERE[name]), name)
    return found


def __dir__() -> list[str]:
    return list(__all__)
