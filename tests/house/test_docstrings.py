"""Every public callable shows how it is used; the examples themselves are run as doctests."""

from __future__ import annotations

import inspect
from types import ModuleType

import pytest

import routh as rt


def callables() -> dict[str, object]:
    """Every public function and class of Routh's own, also those in public modules, by name."""
    found = {name: getattr(rt, name) for name in rt.__all__}
    for inside in (rt.energies, rt.models, rt.models.kite, rt.models.tether, rt.models.winch):
        path = inside.__name__.removeprefix("routh.")
        found |= {f"{path}.{name}": each for name, each in vars(inside).items() if name[0] != "_"}
    return {
        name: each
        for name, each in found.items()
        if callable(each) and not isinstance(each, ModuleType) and _own(name, each)
    }


def _own(name: str, each: object) -> bool:
    """Whether Routh defines it, and where it is named; an imported helper is none of a module's."""
    home = str(getattr(each, "__module__", ""))
    path = name.rpartition(".")[0]
    return home.startswith("routh.") and (not path or home.startswith(f"routh.{path}"))


@pytest.mark.parametrize("name", sorted(callables()))
def test_every_public_callable_has_an_example(name):
    doc = inspect.getdoc(callables()[name]) or ""
    assert "\nExample:\n    >>> " in doc
