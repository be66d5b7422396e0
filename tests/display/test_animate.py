"""Animations: what is drawn is where things are, in a page that plays by itself, and in films."""

from __future__ import annotations

import json
import re
import shutil
import subprocess

import matplotlib as mpl
import numpy as np
import pytest

mpl.use("Agg")

import matplotlib.pyplot as plt
from PIL import Image

import routh as rt
from routh import cos, ddt, sin, vector
from routh.display.pictures.coils import WIDTH, zigzag

theta = rt.coordinate("theta")
TIP = vector(sin(theta), -cos(theta))
PENDULUM = rt.System(kinetic=ddt(theta) ** 2 / 2, potential=9.81 * TIP[1], name="swing <1>")
ORIGIN = vector(0, 0)


@pytest.fixture(autouse=True)
def _closed():
    yield
    plt.close("all")


def swing(last: float = 4, count: int = 201):
    return rt.simulate(PENDULUM, {}, {theta: 2}, np.linspace(0, last, count))


def data_of(page: str) -> dict:
    return json.loads(re.search(r"const data = (.*);\n", page)[1])


def test_the_page_holds_the_motion_and_nothing_from_elsewhere():
    motion = swing()
    page = rt.animate(motion, points={"tip": TIP}, lines=[[ORIGIN, TIP]]).html
    data = data_of(page)
    np.testing.assert_allclose(data["t"], motion.t, atol=1e-5)
    track = np.array(data["points"][0]["track"])
    expected = np.stack([np.sin(motion.q[:, 0]), -np.cos(motion.q[:, 0])], axis=1)
    np.testing.assert_allclose(track, expected, atol=1e-5)
    assert data["points"][0]["name"] == "tip"
    assert data["lines"][0][0] == [[0.0, 0.0]]  # what rests is stored once
    assert "swing &lt;1&gt;" in page
    assert not re.search(r"https?://|src=|@import|fetch\(", page)


def test_springs_are_told_from_lines_and_stretch_without_getting_wider():
    film = rt.animate(swing(1, 11), points=[TIP], springs=[[ORIGIN, TIP]])
    assert repr(film) == "Animation(swing <1>, 1 points, 0 lines, 1 springs)"
    data = data_of(film.html)
    assert data["lines"] == []
    assert data["springs"][0][1] == data["points"][0]["track"]
    for d in (2, 3):
        a, b = np.zeros(d), np.eye(d)[0]
        for length in (0.5, 2.0):
            coil = zigzag(a, length * b, 4.0)
            np.testing.assert_allclose(coil[[0, -1]], [a, length * b])
            aside = np.linalg.norm(coil - np.outer(coil @ b, b), axis=1)
            np.testing.assert_allclose(np.unique(aside.round(12)), [0, WIDTH * 4.0])
    assert np.isfinite(zigzag(np.ones(2), np.ones(2), 1.0)).all()


def test_long_motions_are_thinned_and_paced():
    long = rt.animate(swing(400, 9001), points=[TIP])
    assert len(data_of(long.html)["t"]) <= 4000
    assert long.speed == pytest.approx(40)
    assert rt.animate(swing(), points=[TIP]).speed == 1
    assert rt.animate(swing(1e-3), points=[TIP]).speed == pytest.approx(1e-4)


def test_what_is_far_away_or_late_keeps_its_digits():
    late = rt.simulate(PENDULUM, {}, {theta: 2}, 1e6 + np.linspace(0, 4, 201))
    far = vector(1e7, 0) + TIP
    data = data_of(rt.animate(late, points=[far]).html)
    np.testing.assert_allclose(np.diff(data["t"]), 0.02, atol=1e-4)
    track = np.array(data["points"][0]["track"])
    np.testing.assert_allclose(track[:, 0] - 1e7, np.sin(late.q[:, 0]), atol=1e-4)


def test_a_motion_of_one_moment_can_be_shown():
    stop = rt.event(theta - 2, direction=-1, stop=True)
    motion = rt.simulate(PENDULUM, {}, {theta: 2, ddt(theta): -1}, [0, 1], events=stop)
    assert len(motion.t) == 1
    assert len(data_of(rt.animate(motion, points=[TIP]).html)["t"]) == 1


def test_it_is_saved_as_page_and_film(tmp_path):
    film = rt.animate(
        swing(0.4, 21), points=[TIP], lines=[[ORIGIN, TIP]], springs=[[vector(1, 0), TIP]], speed=1
    )
    page = film.save(tmp_path / "swing.html")
    assert page.read_text(encoding="utf-8") == film.html
    assert 'srcdoc="' in film._repr_html_()
    frames = []
    with Image.open(film.save(tmp_path / "swing.gif")) as picture:
        assert picture.n_frames == 11
        for k in (0, 10):
            picture.seek(k)
            frames.append(np.asarray(picture.convert("RGB"), dtype=int))
    assert np.abs(frames[0] - frames[1]).max() > 100
    space = vector(*TIP, theta)
    solid = rt.animate(swing(0.2, 11), points=[space], lines=[[vector(0, 0, 0), space]], speed=1)
    with Image.open(solid.save(tmp_path / "solid.gif")) as picture:
        assert picture.n_frames == 6
    if shutil.which("ffmpeg") is None:
        with pytest.raises(rt.DeclarationError, match="needs the program `ffmpeg`"):
            film.save(tmp_path / "swing.mp4")
    else:
        assert film.save(tmp_path / "swing.mp4").stat().st_size > 1000


REFUSED = {
    "nothing": (lambda: rt.animate(swing()), "needs `points`, `lines` or `springs`"),
    "no motion": (lambda: rt.animate(PENDULUM, points=[TIP]), "animate needs a Trajectory"),
    "mixed": (
        lambda: rt.animate(swing(), points=[TIP, vector(0, 0, 0)]),
        "all have two components, or all three",
    ),
    "flat": (lambda: rt.animate(swing(), points=[vector(theta)]), "all have two components"),
    "speed": (
        lambda: rt.animate(swing(), points=[TIP], speed=0),
        "`speed` must be a number above zero",
    ),
    "points": (lambda: rt.animate(swing(), points=None), "`points` lists vectors"),
    "format": (
        lambda: rt.animate(swing(), points=[TIP]).save("swing.avi"),
        "saved as .html, .gif or .mp4",
    ),
    "folder": (
        lambda: rt.animate(swing(), points=[TIP]).save("nowhere/swing.html"),
        "There is no folder",
    ),
    "batch": (
        lambda: rt.animate(rt.simulate(PENDULUM, {}, {theta: np.array([1, 2])}, [0, 1]), points=[TIP]),
        "animate shows one motion",
    ),
}


@pytest.mark.parametrize("case", sorted(REFUSED))
def test_what_cannot_be_animated_is_refused_with_a_sentence(case):
    make, sentence = REFUSED[case]
    with pytest.raises(rt.DeclarationError, match=sentence):
        make()


CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

PLAYED = """
<script>
window.onerror = message => { document.title = "error: " + message; };
setTimeout(() => {
  time = first; last = null; frame(1000); frame(2000);
  const seen = {running: time, button: $("play").textContent};
  $("play").click();
  seen.paused = $("play").textContent;
  frame(3000);
  seen.stays = time;
  $("scrub").value = 0.5; $("scrub").dispatchEvent(new Event("input"));
  seen.scrubbed = $("clock").value;
  seen.speed = $("speed").value;
  seen.drawn = pen.getImageData(0, 0, stage.width, stage.height).data.some(x => x > 0);
  document.title = JSON.stringify(seen);
}, 500);
</script></body>"""


@pytest.mark.skipif(CHROMIUM is None, reason="the player is tried in Chromium, which is not installed")
@pytest.mark.parametrize("space", [False, True])
def test_the_player_plays_scrubs_and_pauses(tmp_path, space):
    place = vector(*TIP, theta) if space else TIP
    origin = vector(0, 0, 0) if space else ORIGIN
    film = rt.animate(
        swing(), points={"tip": place}, lines=[[origin, place]], springs=[[place, origin]], speed=0.5
    )
    page = film.html
    path = tmp_path / "player.html"
    path.write_text(page.replace("</body>", PLAYED), encoding="utf-8")
    command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--window-size=800,600",
               "--virtual-time-budget=3000", "--dump-dom", path.as_uri()]  # fmt: skip
    shown = subprocess.run(command, capture_output=True, text=True, timeout=600, check=True).stdout
    title = re.search(r"<title>(.*?)</title>", shown)[1]
    seen = json.loads(title)
    assert seen["running"] == pytest.approx(0.5)  # a second at half speed
    assert seen["stays"] == seen["running"]
    assert (seen["button"], seen["paused"]) == ("pause", "play")
    assert seen["scrubbed"] == "t = 2.00"
    assert seen["speed"] == "0.5"
    assert seen["drawn"]
