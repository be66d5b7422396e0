"""A model file with other numbers for its parameters: comments, order and layout stay as they are."""

from __future__ import annotations

import re
from collections.abc import Mapping

from routh.errors import DeclarationError, did_you_mean, listed
from routh.files.places import Steps, read

_NUMBER = re.compile(r"[^\s,}\]#]+")


def renumbered(text: str, values: Mapping[str, float]) -> str:
    r"""The text of a model file in TOML with these values of its parameters.

    A number is replaced where it stands; a parameter without one gets it before what is said of it.

    Raises:
        DeclarationError: a parameter is not declared in the text.

    Example:
        >>> text = "[parameters]\nm = 1  # kg\nl = {unit = 'm', value = 2.0}\n"
        >>> print(renumbered(text, {"m": 1.5, "l": 0.25}))
        [parameters]
        m = 1.5  # kg
        l = {unit = 'm', value = 0.25}
        <BLANKLINE>
    """
    found = read(text).found
    declared = [path[1] for path in found if len(path) == 2 and path[0] == "parameters"]
    edits = []
    for name, value in values.items():
        if name not in declared:
            raise DeclarationError(
                f"The text declares no parameter `{name}`. Parameters: {listed(declared)}."
                + did_you_mean(name, declared)
            )
        edits.append(_edit(text, found, name, value))
    for begin, end, new in sorted(edits, reverse=True):
        text = text[:begin] + new + text[end:]
    return text


def _edit(
    text: str, found: Mapping[Steps, tuple[int, int]], name: str, value: float
) -> tuple[int, int, str]:
    """From where to where a number is put into the text, and what."""
    path: Steps = ("parameters", name)
    written = f"{float(value):.12g}"
    begin, end = found.get((*path, "value"), found[path])
    if (*path, "value") in found or text[begin] not in "{[":
        number = _NUMBER.match(text, begin)
        return begin, number.end() if number else end, written
    if text[begin] == "{":  # an entry like l = {unit = "m"}
        inside = text[begin + 1 : end].strip() not in ("}", "")
        return begin + 1, begin + 1, f"value = {written}{', ' if inside else ''}"
    return end, end, f"\nvalue = {written}"  # a table [parameters.l] of its own
