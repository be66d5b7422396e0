"""Motions in space: bodies, arrows and frames are where the motion has them, and hide each other rightly."""

from __future__ import annotations

import json
import re
import shutil

import matplotlib as mpl
import numpy as np
import pytest

mpl.use("Agg")

from PIL import Image

import routh as rt
from routh import vector
from routh.display.pictures.sketch import looked
from routh.display.pictures.space.painter import Stroke, painted, plane
from routh.display.pictures.space.solids import SIDES, box, cone, cylinder, disc, sphere

R = rt.quaternion("e")
OMEGA = rt.angular_velocity(R)
BODY = rt.System(
    kinetic=(OMEGA[0] ** 2 + 2 * OMEGA[1] ** 2 + 3 * OMEGA[2] ** 2) / 2,
    constraints=R.constraints,
    name="satellite <1>",
)
ORIGIN = vector(0, 0, 0)
BRICK = {"box": (1, 2, 3), "at": ORIGIN, "rotation": R}


def flown(last: float = 2, count: int = 41):
    return rt.simulate(BODY, {}, R.start(spin=(0.1, 1.0, 0.2)), np.linspace(0, last, count))


def data_of(page: str) -> dict:
    return json.loads(re.search(r"const data = (.*);\n", page)[1])


def rotations(e) -> np.ndarray:
    """Rotation matrices of unit quaternions (T, 4), by v + 2 a (b x v) + 2 b x (b x v)."""
    found = []
    for v in np.eye(3):
        once = np.cross(e[:, 1:], v)
        found.append(v + 2 * e[:, :1] * once + 2 * np.cross(e[:, 1:], once))
    return np.stack(found, axis=2)


def test_the_page_holds_places_rotations_and_vectors_of_the_motion():
    motion = flown()
    tip = R @ vector(0, 0, 2)
    momentum = R @ vector(OMEGA[0], 2 * OMEGA[1], 3 * OMEGA[2])
    film = rt.animate(motion, points={"tip": tip}, bodies=[{**BRICK, "at": tip}],
                      arrows={"L": (tip, momentum)}, frames=[(ORIGIN, R)])  # fmt: skip
    assert repr(film) == "Animation(satellite <1>, 1 points, 0 lines, 1 bodies, 1 arrows, 1 frames)"
    data = data_of(film.html)
    turns = rotations(motion.q)
    (brick,), (arrow,), (frame,) = (data["space"][k] for k in ("bodies", "arrows", "frames"))
    np.testing.assert_allclose(np.array(brick["turn"]).reshape(-1, 3, 3), turns, atol=1e-5)
    np.testing.assert_allclose(frame["turn"], brick["turn"])
    np.testing.assert_allclose(brick["at"], 2 * turns[:, :, 2], atol=1e-4)
    np.testing.assert_allclose(data["points"][0]["track"], brick["at"])
    # momentum is kept, and at the start the axes of the body are those of space
    way = np.array(arrow["way"])
    np.testing.assert_allclose(way, np.broadcast_to(way[0], way.shape), atol=1e-4)
    assert np.linalg.norm(way, axis=1).max() == pytest.approx(3, abs=1e-4)  # as long as the box
    np.testing.assert_allclose(way[0] / np.linalg.norm(way[0]), [0.1, 2, 0.6] / np.linalg.norm([0.1, 2, 0.6]),
                               atol=1e-5)  # fmt: skip
    # corners lie within the box of the view
    corners = np.array(brick["vertices"]) @ turns.swapaxes(1, 2) + 2 * turns[:, None, :, 2]
    assert (corners.min(axis=(0, 1)) >= np.array(data["space"]["low"]) - 1e-3).all()
    assert (corners.max(axis=(0, 1)) <= np.array(data["space"]["high"]) + 1e-3).all()


def test_the_page_loads_nothing_and_says_what_it_shows():
    page = rt.animate(flown(1, 5), bodies=[BRICK], frames={"<b>": (ORIGIN, R)}).html
    assert not re.search(r"https?://|src=|@import|fetch\(", page)
    assert (
        'aria-label="animation of satellite &lt;1&gt; in space: 0 points, 0 lines, 1 bodies, 1 frames"'
        in page
    )
    assert "<b>" not in page


POLYGON = SIDES / 2 * np.sin(2 * np.pi / SIDES)


@pytest.mark.parametrize(
    ("mesh", "volume", "rtol"),
    [
        (box(1, 2, 3), 6, 1e-12),
        (cylinder(2, 3), 12 * POLYGON, 1e-12),
        (cone(2, 3), 4 * POLYGON, 1e-12),
        (sphere(2), 4 / 3 * np.pi * 8, 0.05),  # inscribed, in ten bands
    ],
)
def test_closed_bodies_have_their_volume_and_every_edge_twice(mesh, volume, rtol):
    sides = [pair for face in mesh.faces for pair in zip(face, (*face[1:], face[0]), strict=True)]
    assert len(set(sides)) == len(sides)
    assert {(b, a) for a, b in sides} == set(sides)
    x = mesh.vertices
    parts = [
        np.linalg.det(x[[face[0], face[k], face[k + 1]]]) / 6
        for face in mesh.faces
        for k in range(1, len(face) - 1)
    ]
    assert min(parts) > -1e-12
    assert sum(parts) == pytest.approx(volume, rel=rtol)
    for i, j, f, g in mesh.edges:
        assert {i, j} <= set(mesh.faces[f]) & set(mesh.faces[g])
    assert len(mesh.tones) == len(mesh.faces)
    assert len(disc(1).faces) == len(disc(1).tones) == 4


def inside(polygon, x) -> bool:
    a, b = polygon[:, :2], np.roll(polygon[:, :2], -1, axis=0)
    turned = (b - a)[:, 0] * (x - a)[:, 1] - (b - a)[:, 1] * (x - a)[:, 0]
    return bool((turned > 0).all() or (turned < 0).all())


@pytest.mark.parametrize("seed", range(4))
def test_what_is_drawn_last_at_a_place_is_nearest_to_the_eye(seed):
    """The order of drawing against rays through faces that pass through each other."""
    rng = np.random.default_rng(seed)
    faces = []
    for name in range(12):
        centre, (a, b) = rng.normal(size=3), np.linalg.qr(rng.normal(size=(3, 2)))[0].T
        corners = centre + 1.5 * np.array([a + b, b - a, -a - b, a - b])
        faces.append(Stroke(corners, name))
    order = painted(faces, [])
    assert len(order) > len(faces)  # some were cut
    for x in rng.uniform(-2, 2, size=(150, 2)):
        heights = {}
        for each in faces:
            if inside(each.places, x):
                normal, offset = plane(each.places)
                heights[each.look] = (offset - normal[:2] @ x) / normal[2]
        drawn = [each.look for each in order if inside(each.places, x)]
        if heights and drawn:
            assert drawn[-1] == max(heights, key=heights.get)


def test_faces_that_are_not_quite_flat_are_drawn_all_the_same():
    """Rounded to few digits, the corners of a face do not lie in a plane."""
    mesh = sphere(1)
    corners = looked(mesh.vertices.round(2))
    faces = [Stroke(corners[list(face)], k) for k, face in enumerate(mesh.faces)]
    assert {each.look for each in painted(faces, [])} == set(range(len(faces)))


def test_lines_are_cut_where_they_pass_through_faces():
    square = Stroke(np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]], float), "square")
    needle = Stroke(np.array([[0, 0, -1], [0.5, 0, 1]], float), "needle")
    order = painted([square], [needle])
    assert [each.look for each in order] == ["needle", "square", "needle"]
    np.testing.assert_allclose(order[0].places, [[0, 0, -1], [0.25, 0, 0]])


def test_the_view_is_a_rotation():
    view = looked(np.eye(3)).T
    np.testing.assert_allclose(view.T @ view, np.eye(3), atol=1e-15)
    assert np.linalg.det(view) == pytest.approx(1)


x, y = rt.coordinates("x y")
PLANE = rt.System(kinetic=(rt.ddt(x) ** 2 + rt.ddt(y) ** 2) / 2, potential=x**2)


def planar():
    return rt.simulate(PLANE, {}, {x: 1}, [0, 1])


MISTAKES = {
    "mixed": (lambda: rt.animate(planar(), points=[vector(x, y)], bodies=[{"sphere": 1, "at": vector(x, y, 0)}]),
              "are drawn in space, with points and lines of three components. Got vectors of two"),
    "flat": (lambda: rt.animate(planar(), bodies=[{"sphere": 1, "at": vector(x, y)}]), "a sphere needs a vector of three"),
    "no rotation": (lambda: rt.animate(flown(1, 3), bodies=[{"box": (1, 1, 1), "at": ORIGIN}]),
                    "A box needs its `rotation`.*or 1 if it keeps its direction"),
    "no place": (lambda: rt.animate(flown(1, 3), bodies=[{"sphere": 1}]), "A sphere needs its place"),
    "no shape": (lambda: rt.animate(flown(1, 3), bodies=[{"at": ORIGIN, "rotation": R}]), "one shape of box, cylinder"),
    "two shapes": (lambda: rt.animate(flown(1, 3), bodies=[{**BRICK, "disc": 1}]), "Got box, disc"),
    "misspelt": (lambda: rt.animate(flown(1, 3), bodies=[{**BRICK, "rotaton": R}]), "Did you mean `rotation`"),
    "sizes": (lambda: rt.animate(flown(1, 3), bodies=[{**BRICK, "box": (1, 2)}]), "A box has 3 sizes: a, b, c. Got 2"),
    "negative": (lambda: rt.animate(flown(1, 3), bodies=[{**BRICK, "box": (1, 2, -1)}]), "above zero.*c from -1 to -1"),
    "growing": (lambda: rt.animate(planar(), bodies=[{"sphere": 2 + x, "at": vector(x, y, 0)}]), "stay as they are"),
    "no turn": (lambda: rt.animate(flown(1, 3), bodies=[{**BRICK, "rotation": 2 * R}]), "R\\^T R must be the unit matrix"),
    "vector": (lambda: rt.animate(flown(1, 3), bodies=[{**BRICK, "rotation": ORIGIN}]), "is a 3 x 3 matrix"),
    "axis": (lambda: rt.animate(flown(1, 3), bodies=[{**BRICK, "axis": "w"}]), '`axis` is "x", "y" or "z"'),
    "axis of a box": (lambda: rt.animate(flown(1, 3), bodies=[{**BRICK, "axis": "x"}]), "A box has no `axis`"),
    "no arrow": (lambda: rt.animate(flown(1, 3), arrows={"L": (ORIGIN, 0 * ORIGIN)}),
                 "The arrow `L` is zero along the whole motion"),
    "matrix in a line": (lambda: rt.animate(flown(1, 3), arrows=[ORIGIN]), "Got Matrix\\(\\[ \\[0\\], \\[0\\], \\[0\\]\\]\\)\\.$"),
    "a mapping": (lambda: rt.animate(flown(1, 3), bodies=BRICK), "`bodies` lists mappings"),
    "a list": (lambda: rt.animate(flown(1, 3), bodies=[[1, 2]]), "A body is a mapping"),
    "arrow": (lambda: rt.animate(flown(1, 3), arrows=[ORIGIN]), "`arrows` are pairs"),
    "frame": (lambda: rt.animate(flown(1, 3), frames={"b": R}), "`frames` are pairs"),
}  # fmt: skip


@pytest.mark.parametrize("case", sorted(MISTAKES))
def test_mistakes_in_space_are_told_in_a_sentence(case):
    make, sentence = MISTAKES[case]
    with pytest.raises(rt.DeclarationError, match=sentence):
        make()


def test_films_of_bodies_move(tmp_path):
    film = rt.animate(flown(1, 21), bodies=[BRICK, {"sphere": 0.3, "at": vector(0, 0, 2)}],
                      points={"p": vector(0, 0, 3)}, labels={"up": vector(0, 1, 2)},
                      springs=[[ORIGIN, vector(0, 0, 3)]], frames=[(ORIGIN, R)], speed=5)  # fmt: skip
    with Image.open(film.save(tmp_path / "brick.gif")) as picture:
        assert picture.n_frames == 6
        first = np.asarray(picture.convert("RGB"), dtype=int)
        picture.seek(5)
        assert (
            np.abs(first - np.asarray(picture.convert("RGB"), dtype=int)).max(axis=2) > 60
        ).sum() > 500


CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


PIXELS = "pen.getImageData(0, 0, stage.width, stage.height).data"
CHANGED = f"{PIXELS}.reduce((sum, each, k) => sum + Math.abs(each - before[k]), 0)"


@pytest.mark.skipif(CHROMIUM is None, reason="the player is tried in Chromium, which is not installed")
def test_the_player_is_turned_by_hand_and_hides_what_is_behind(tmp_path):
    """Two boxes behind each other: from one side the first is seen in the middle, from the other the second."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    ahead = vector(np.sin(0.6), -np.cos(0.6), 0)  # towards the eye at first: yaw is -0.6
    still = {"box": (1, 1, 1), "rotation": 1}
    film = rt.animate(flown(1, 5), bodies=[{**still, "at": ahead}, {**still, "at": -ahead}, {**BRICK, "at": 3 * ahead},
                              {"sphere": 0.7, "at": R @ vector(0, 0, 1), "rotation": R},
                              {"disc": 1, "at": ORIGIN, "rotation": R, "axis": "x"}],
                      arrows={"w": (ORIGIN, R @ OMEGA)}, frames=[(ORIGIN, R)],
                      points=[R @ vector(0, 0, 2)], springs=[[ORIGIN, vector(0, 0, 2)]])  # fmt: skip
    path = film.save(tmp_path / "boxes.html")
    # of boxes alone, for colours in the middle
    path.write_text(path.read_text(encoding="utf-8").replace("requestAnimationFrame(frame);\n</script>",
        "space.bodies.length = 2; space.arrows = []; space.frames = []; data.springs = []; data.points = [];"
        "playing = false; requestAnimationFrame(frame);\n</script>"), encoding="utf-8")  # fmt: skip
    whole = film.save(tmp_path / "whole.html")
    middle = "[...pen.getImageData(stage.width / 2, stage.height / 2 + 2, 1, 1).data]"
    with sync_api.sync_playwright() as player:
        browser = player.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 700, "height": 500})
        wrong, asked = [], []
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
        page.on("request", lambda request: asked.append(request.url))
        page.goto(path.as_uri())
        page.evaluate("tilt = 0; draw()")
        red, _, blue, _ = page.evaluate(middle)
        assert blue > red + 30  # the first box
        page.evaluate("yaw += Math.PI; draw()")
        red, _, blue, _ = page.evaluate(middle)
        assert red > blue + 30  # the second
        page.goto(whole.as_uri())
        page.evaluate("if (playing) toggle()")
        page.evaluate(f"draw(); window.before = {PIXELS}")
        stage = page.locator("#stage").bounding_box()
        page.mouse.move(stage["x"] + 100, stage["y"] + 100)
        page.mouse.down()
        page.mouse.move(stage["x"] + 250, stage["y"] + 130)
        page.mouse.up()
        assert page.evaluate("yaw") == pytest.approx(0.4)
        assert page.evaluate("tilt") == pytest.approx(0.55)
        turned = page.evaluate(f"draw(), {CHANGED}")
        page.locator("#stage").focus()
        for key in ("ArrowLeft", "ArrowUp", "+"):
            page.keyboard.press(key)
        assert page.evaluate("[yaw, tilt, zoom]") == pytest.approx([0.3, 0.65, 1.2])
        page.keyboard.press("0")
        assert page.evaluate("[yaw, tilt, zoom]") == pytest.approx([-0.6, 0.35, 1])
        again = page.evaluate(f"draw(), {CHANGED}")
        assert again < 0.1 * turned  # browsers may smooth edges in two ways
        browser.close()
    assert wrong == []
    assert asked == [path.as_uri(), whole.as_uri()]
