"""Where mistakes stand in a model file, as data: what an editor marks."""

from __future__ import annotations

import pytest

import routh as rt
from routh.errors import DeclarationError

GOOD = """name = "pendulum"
[coordinates]
theta = {start = 0.5, unit = "rad"}
[parameters]
l = {value = 2}
g = 9.81
[let]
r = "l*[sin(theta), -cos(theta)]"
[energy]
kinetic = "norm2(r')/2"
potential = ["g*r[2]", "0"]
"""


def marked(text: str) -> tuple[str, str]:
    """What the span of the error marks in a text, and what it says stands there."""
    with pytest.raises(DeclarationError) as caught:
        rt.load(text)
    span = caught.value.span
    assert span is not None
    line = text.split("\n")[span.line - 1]
    return line[span.column - 1 : span.column - 1 + span.length], span.what


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("sin(theta)", "sin(thta)", ("thta", "let.r")),
        ("g*r[2]", "g*r[3]", ("[", "energy.potential.1")),
        ("[sin(theta), -cos(theta)]", "[sin(theta), -cos(theta)", ("[", "let.r")),
        ("start = 0.5", 'start = "x"', ("x", "coordinates.theta.start")),
        ("start = 0.5", "begin = 0.5", ("begin", "coordinates.theta.begin")),
        ("[parameters]", "[parametres]", ("[parametres]", "parametres")),
        ('unit = "rad"', 'unit = "rod"', ("rod", "coordinates.theta.unit")),
        ("[parameters]", "phi = {}\n[parameters]", ("phi", "coordinates.phi")),
        ("g = 9.81", "t = 9.81", ("9.81", "parameters.t")),
        ("value = 2", "value = [2]", ("[2]", "parameters.l.value")),
        ("norm2(r')/2", "norm2(r')/", ('"', "energy.kinetic")),
    ],
)
def test_what_is_wrong_is_marked(old: str, new: str, told: tuple[str, str]) -> None:
    assert marked(GOOD.replace(old, new)) == told


def test_an_error_in_the_second_line_of_a_text_is_marked_there() -> None:
    text = GOOD.replace('"norm2(r\')/2"', '"""\nnorm2(r\')/2\n + qq"""')
    assert marked(text) == ("qq", "energy.kinetic")


def test_what_is_no_toml_is_marked_where_its_reader_stops() -> None:
    assert marked(GOOD.replace("g = 9.81", "g = 9.81 x"))[0] == "x"
    assert marked(GOOD + 'description = "open')[1] == ""


def test_refusals_beside_a_file_have_no_place() -> None:
    with pytest.raises(DeclarationError) as caught:
        rt.load(GOOD).expression("l +")
    assert caught.value.span is None
