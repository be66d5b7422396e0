"""What the page is told of a model, and numbers written into its text."""

from __future__ import annotations

import math

import pytest
from asking import MODELS, ask, text_of

import routh as rt
from routh.errors import DeclarationError
from routh.files.renumbered import renumbered


def test_a_model_is_told_with_its_names_numbers_and_ranges() -> None:
    told = ask("read", text_of("double_pendulum"))
    assert told["counted"] == "2 coordinates, 5 parameters"
    assert [p["name"] for p in told["parameters"]] == ["m1", "m2", "l1", "l2", "g"]
    ranged = {p["name"]: (p["low"], p["high"]) for p in told["parameters"] if p["ranged"]}
    assert ranged == {"l2": (0.2, 2.0)}
    assert all(p["low"] < p["value"] < p["high"] for p in told["parameters"])
    first = told["coordinates"][0]
    assert first["angle"]
    assert (first["low"], first["high"]) == (-math.pi, math.pi)
    assert first["start"] == 2.0
    assert [e["what"] for e in told["energies"]] == ["T", "V", "with", "with"]
    assert told["drawn"] == 2
    assert not told["friction"]
    assert not told["units"]
    assert not told["lacking"]


def test_fields_inputs_and_periods_are_told() -> None:
    beam = ask("read", text_of("hub_beam"))
    (field,) = beam["fields"]
    assert (field["name"], field["space"], field["kind"], field["count"]) == ("w", "s", "functions", 8)
    assert [u["name"] for u in beam["inputs"]] == ["u"]
    assert ask("read", text_of("shaken_pendulum"))["periodic"]
    assert ask("read", text_of("stick_slip"))["friction"]
    assert ask("read", text_of("spinning_top"))["drawn"] == 3


def test_a_unit_that_does_not_fit_is_told_while_one_types() -> None:
    text = text_of("double_pendulum").replace('g = {value = 9.81, unit = "m/s^2"}', 'g = {unit = "m"}')
    told = ask("read", text)
    assert any("dimension" in sentence for sentence in told["units"])
    assert told["lacking"] == ["g"]
    with pytest.raises(DeclarationError, match=r"no value for g. Write g = 1.0"):
        ask("live", text)


def test_the_slider_of_a_parameter_without_a_range_keeps_its_sign() -> None:
    text = """[coordinates]
x = {}
[parameters]
a = -2
b = 0
c = {value = 0.1, nonnegative = true}
e = {positive = true}
[energy]
kinetic = "x'^2/2"
potential = "(a + b + c + e)*x^2"
"""
    told = {p["name"]: (p["low"], p["high"]) for p in ask("read", text)["parameters"]}
    assert told == {"a": (-6.0, -0.4), "b": (-1.0, 1.0), "c": (0.0, 0.3), "e": (0.1, 10.0)}


@pytest.mark.parametrize("path", sorted(MODELS.glob("*.toml")), ids=lambda path: path.stem)
def test_numbers_written_into_a_text_are_read_back_and_nothing_else_changes(path) -> None:
    text = path.read_text(encoding="utf-8")
    model = rt.load(path)
    wanted = {name: 1.25 * x + 0.5 for name, x in model.values.items()}
    changed = renumbered(text, wanted)
    assert rt.load(changed).values == pytest.approx(wanted, rel=1e-11)
    before, after = text.splitlines(), changed.splitlines()
    assert len(before) == len(after)
    names = set(model.values)
    for old, new in zip(before, after, strict=True):
        assert old == new or old.split("=")[0].strip() in names or "value" in old


def test_a_comment_stays_and_a_missing_number_is_put_in() -> None:
    text = "[parameters]\nm = {unit = 'kg'} # heavy\nl = {}\n[parameters.k] # soft\nunit = 'N/m'\n"
    made = renumbered(text, {"m": 2, "l": 0.5, "k": 1e-7})
    assert made == (
        "[parameters]\nm = {value = 2, unit = 'kg'} # heavy\nl = {value = 0.5}\n"
        "[parameters.k]\nvalue = 1e-07 # soft\nunit = 'N/m'\n"
    )


def test_numbers_of_no_parameter_are_refused() -> None:
    with pytest.raises(DeclarationError, match=r"no parameter `n`. Parameters: m"):
        renumbered("[parameters]\nm = 1\n", {"n": 2})
    with pytest.raises(DeclarationError, match=r"no parameter `l3`.*Did you mean `l2`"):
        ask("values", text_of("double_pendulum"), values={"l3": 1.0})


def test_values_as_in_the_file_leave_the_text_alone() -> None:
    text = text_of("double_pendulum")
    assert ask("values", text, values={"m1": 1.0})["text"] == text
    assert rt.load(ask("values", text, values={"m1": 1.5})["text"]).values["m1"] == 1.5
