"""What a request of the page gives, checked where it comes in: numbers, names, positions, ranges."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from routh.display.report.findings import Findings
from routh.errors import DeclarationError, did_you_mean, in_line, listed
from routh.language.symbols import Coordinate
from routh.studio.bench import Bench
from routh.studio.plain import is_finite


def findings(bench: Bench, about: Mapping[str, Any]) -> Findings:
    """What is computed of the model of a request, at its values; every parameter has one.

    Raises:
        DeclarationError: the text is no model, or a parameter has no value.
    """
    found = bench.findings(about.get("text", ""), table(about, "values"), table(about, "sizes") or None)
    if found.lacking:
        name = found.lacking[0]
        raise DeclarationError(
            f"The model has no value for {listed(found.lacking)}. Write {name} = 1.0 under"
            " [parameters]."
        )
    return found


def table(about: Mapping[str, Any], key: str) -> dict[str, Any]:
    """A table of the request; empty where there is none."""
    given = about.get(key)
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise DeclarationError(f"`{key}` must be a table of names and numbers. Got {in_line(given)}.")
    return dict(given)


def number(given: Any, what: str) -> float:
    """A finite number."""
    if not is_finite(given):
        raise DeclarationError(f"{what} must be a finite number. Got {in_line(given)}.")
    return float(given)


def whole(given: Any, what: str, most: int) -> int:
    """A number that counts something, from 0."""
    if not isinstance(given, int) or isinstance(given, bool) or not 0 <= given <= most:
        raise DeclarationError(f"{what} must be a whole number from 0 to {most}. Got {in_line(given)}.")
    return given


def chosen(given: Any, known: Iterable[str], what: str) -> str:
    """One of some words."""
    words = list(known)
    if given not in words:
        raise DeclarationError(
            f"{what} must be one of {listed(words)}. Got {in_line(given)}." + did_you_mean(given, words)
        )
    return str(given)


def position(found: Findings, given: Any) -> dict[Coordinate, float]:
    """A position of the page, by coordinate; amplitudes of fields are coordinates too.

    Names that the system does not have are left out where they are amplitudes of a field with another
    number of functions: the page keeps a position while the slider of functions moves.
    """
    by_name = {q.name: q for q in found.system.coordinates}
    fields = tuple(f"{w.name}" for w in found.model.system.fields)
    read: dict[Coordinate, float] = {}
    for name, value in table({"q": given}, "q").items():
        if name in by_name:
            read[by_name[name]] = number(value, f"`{name}`")
        elif not name.startswith(fields or ("\0",)):
            raise DeclarationError(
                f"`{name}` is no coordinate of the model. Coordinates: {listed(by_name)}."
                + did_you_mean(name, by_name)
            )
    return read


def bounds(given: Mapping[str, Any], what: str) -> tuple[float, float]:
    """`from` and `to` of a range, which differ."""
    low, high = (number(given.get(key), f"`{key}` of {what}") for key in ("from", "to"))
    if low == high:
        raise DeclarationError(f"`from` and `to` of {what} must differ. Got {low:g} twice.")
    return low, high
