"""Numbers that are given for parameters of a model beside its file, by symbol or by name."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from routh.errors import DeclarationError, did_you_mean, listed
from routh.language.keys import once
from routh.language.system import System


def stated_values(
    system: System, values: Mapping[Any, Any] | None, *, what: str = "values"
) -> dict[str, float]:
    """What is given for some parameters, by name; refused in a sentence what is no such thing.

    Arguments:
        system: whose parameters.
        values: numbers by symbol or name.
        what: what messages call them.
    """
    if values is None:
        return {}
    if not isinstance(values, Mapping):
        raise DeclarationError(
            f"`{what}` must map parameters to numbers, like dict(m=1, g=9.81). Got {values!r}."
        )
    own = {p.name: p for p in system.parameters}
    found: dict[str, float] = {}
    for name, value in once(((str(key), value) for key, value in values.items()), what).items():
        if name not in own:
            raise DeclarationError(
                f"`{what}` has `{name}`, which is no parameter of {system.title}. Parameters:"
                f" {listed(own)}." + did_you_mean(name, own)
            )
        found[name] = _finite(value, f"`{name}` in `{what}`")
        own[name].refuse_sign(found[name], f"`{name}` in `{what}`")
    return found


def _finite(value: object, what: str) -> float:
    """One number that a file can hold."""
    try:
        if isinstance(value, (str, bytes)):
            raise TypeError
        given = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        raise DeclarationError(f"{what} must be a number. Got {value!r}.") from None
    if not math.isfinite(given):
        raise DeclarationError(f"{what} must be finite. Got {value!r}.")
    return given
