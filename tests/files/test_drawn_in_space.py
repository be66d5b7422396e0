"""Bodies, arrows and frames of model files, and the pictures that reports make of them."""

from __future__ import annotations

import json
import re
from html import unescape

import numpy as np
import pytest

import routh as rt

HEAD = """
name = "box"
[coordinates]
phi = {start = 0.3, rate = 1}
[parameters]
a = 0.5
[rotations]
R = {euler = "zxz", angles = ["phi", "0.2", "0"]}
[energy]
kinetic = "phi'^2/2"
[drawing]
"""
BOX = 'bodies = [{box = ["a", 1, "2*a"], at = "[1, 0, 0]", rotation = "R"}]\n'
TAIL = "[analysis]\nequilibria = false\nmotion = {until = 1, outputs = 11}\n"


def test_bodies_arrows_and_frames_reach_the_player(tmp_path):
    model = rt.load(
        HEAD + BOX + 'arrows = [{at = "[0, 0, 0]", along = "angular_velocity(R)", text = "w"}]\n'
        'frames = [{at = "[0, 0, 1]", rotation = "R"}, {at = "[0, 0, 0]", rotation = 1, text = "O"}]\n'
        + TAIL
    )
    page = rt.report(model, tmp_path / "box.html").read_text(encoding="utf-8")
    (film,) = (text for text in re.findall(r'srcdoc="([^"]*)"', page) if "const data" in text)
    data = json.loads(re.search(r"const data = (.*);\n", unescape(film))[1])["space"]
    (box,) = data["bodies"]
    np.testing.assert_allclose(np.ptp(box["vertices"], axis=0), [0.5, 1, 1])
    c, s = np.cos(0.3), np.sin(0.3)
    about_z = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    about_x = np.array([[1, 0, 0], [0, np.cos(0.2), -np.sin(0.2)], [0, np.sin(0.2), np.cos(0.2)]])
    np.testing.assert_allclose(np.reshape(box["turn"][0], (3, 3)), about_z @ about_x, atol=1e-5)
    assert len(box["turn"]) == 11
    assert [each["name"].strip() for each in data["frames"]] == ["", "O"]
    assert data["frames"][1]["turn"] == [[1, 0, 0, 0, 1, 0, 0, 0, 1]]
    assert data["arrows"][0]["name"] == "w"
    assert "<polygon" in page  # on paper, with its faces


WRONG = {
    "no rotation": (BOX.replace(', rotation = "R"', ""), r"`bodies.1`, a box, needs its `rotation`"),
    "another rotation": (BOX.replace('"R"', '"Q"'), r"`Q` is no rotation of the model. Rotations: R"),
    "no shape": ('bodies = [{at = "[0, 0, 0]"}]\n', r"`bodies.1` needs one shape of box, cylinder"),
    "in the plane": ('bodies = [{sphere = 1, at = "[0, 0]"}]\n', r"drawn in space, at vectors of three components"),
    "mixed": (BOX + 'points = ["[1, 2]"]\n', r"two components everywhere, or three. Got 2 and 3"),
    "axis of a box": (BOX.replace('"R"}', '"R", axis = "x"}'), r"`bodies.1`, a box, has no `axis`"),
    "misspelt": (BOX.replace("box =", "bx ="), r"knows no `bx`.*Did you mean `box`"),
    "sizes": (BOX.replace('"a", 1, "2*a"', '"a", 1'), r"line 12: `drawing.bodies.1.box"),
}  # fmt: skip


@pytest.mark.parametrize("case", sorted(WRONG))
def test_mistakes_in_drawings_of_space_are_told_with_their_line(case):
    text, sentence = WRONG[case]
    with pytest.raises(rt.DeclarationError, match=sentence):
        rt.load(HEAD + text)
