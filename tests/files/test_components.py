"""Rotations, rigid bodies, tethers, kites and masses that change, as words of model files; drawings."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import routh as rt
from routh.files.hanging import hanging
from routh.models import kite, tether

MODELS = Path(__file__).parents[2] / "examples" / "models"
TOP = (MODELS / "quaternion_top.toml").read_text(encoding="utf-8")

PLANE = """
[coordinates]
x = {start = 0.6}
z = {start = -1.6}
[energy]
kinetic = "(x'^2 + z'^2)/2"
potential = "9.81*z"
"""

SPACE = """
[coordinates]
x = {start = 1}
y = {start = 2}
z = {start = 20}
[rotations]
R = {quaternion = "e", axis = [0, 1, 0], angle = 0.2, spin = [0.1, 0.2, 0.3]}
[energy]
"""


def first(model):
    """Accelerations at the start."""
    motion = rt.simulate(model.system, model.values, model.start, [0, 1e-9], inputs=model.laws or None)
    return dict(zip(map(str, model.system.coordinates), motion.a[0], strict=True))


def test_a_top_is_the_same_by_a_quaternion_in_natural_coordinates_and_by_angles():
    spin, start = re.search(r"spin = (\[.*?\])", TOP)[1], "axis = [1, 0, 0], angle = 0.4"
    rotation = next(line for line in TOP.splitlines() if line.startswith("R = "))
    texts = {
        "quaternion": TOP,
        "matrix": TOP.replace(rotation, f"R = {{matrix = true, {start}, spin = {spin}}}"),
        "euler": TOP.replace(rotation, 'R = {euler = "zxz", angles = ["psi", "theta", "phi"]}')
        + "\n[coordinates]\npsi = {rate = 0.9}\ntheta = {start = 0.4}\nphi = {rate = 60}\n",
    }
    heights = {}
    for kind, text in texts.items():
        model = rt.load(text)
        motion = rt.simulate(model.system, model.values, model.start, [0, 0.1, 0.2], rtol=1e-11)
        heights[kind] = motion[model.expression("r[3]")]
        assert motion[model.expression("angular_velocity(R)[3]")] == pytest.approx(
            60 + 0.9 * np.cos(0.4), rel=1e-9
        )
    np.testing.assert_allclose(heights["matrix"], heights["quaternion"], rtol=1e-9)
    np.testing.assert_allclose(heights["euler"], heights["quaternion"], rtol=1e-9)


def test_a_torque_turns_a_body_about_its_rotation():
    text = SPACE.replace("[energy]\n", '[energy]\nkinetic = "rigid_body(2, [1, 2, 3], [x, y, z], R)"\n')
    model = rt.load(text + '[[forces]]\ntorque = "[0, 0, 6]"\nabout = "R"\n')
    motion = rt.simulate(model.system, {}, model.start, [0, 1e-6, 2e-6])
    spin = [motion[model.expression(f"angular_velocity(R)[{k}]")] for k in (1, 2, 3)]
    gained = (np.array(spin)[:, 2] - np.array(spin)[:, 0]) / 2e-6
    J, w = np.diag([1.0, 2, 3]), np.array([0.1, 0.2, 0.3])
    c, s = np.cos(0.2), np.sin(0.2)
    turned = np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])
    expected = np.linalg.solve(J, turned.T @ [0, 0, 6] - np.cross(w, J @ w))
    np.testing.assert_allclose(gained, expected, rtol=1e-4, atol=1e-6)


def test_a_rigid_kite_of_a_file_is_that_of_python():
    words = (
        '[[kite]]\nat = "[x, y, z]"\nrotation = "R"\nmass = 13.5\ninertia = [0.82, 1.14, 1.76]\n'
        "area = 0.55\nspan = 2.9\nchord = 0.19\ndensity = 1.27\ngravity = 9.81\nwind = 30\n"
        'elevator = 0.05\ncoefficients = "aerosonde"\n'
    )
    model = rt.load(SPACE + words)
    x, y, z = rt.coordinates("x y z")
    R = rt.quaternion("e")
    parts = kite.rigid(
        rt.vector(x, y, z), R, mass=13.5, inertia=(0.82, 1.14, 1.76), area=0.55, span=2.9, chord=0.19,
        density=1.27, coefficients=kite.AEROSONDE, gravity=9.81, wind=kite.wind(z, 30), elevator=0.05,
    )  # fmt: skip
    system = parts.system()
    start = {str(s): number for s, number in model.start.items()}
    motion = rt.simulate(system, {}, start, [0, 1e-9])
    own = dict(zip(map(str, system.coordinates), motion.a[0], strict=True))
    assert len(model.system.constraints) == 1
    assert first(model) == pytest.approx(own, rel=1e-9)


def test_a_straight_tether_has_mass_damping_and_drag():
    heavy = '[[tether]]\nstart = "[0, 0]"\nend = "[x, z]"\nlength = "sqrt(0.6^2 + 1.6^2)"\n'
    rod = rt.load(PLANE + heavy + "mass = 3\ngravity = 9.81\n")
    length, angle = np.hypot(0.6, 1.6), np.arctan2(0.6, 1.6)
    turning = -9.81 * np.sin(angle) * (1 + 3 / 2) * length / ((1 + 3 / 3) * length**2)
    assert first(rod)["x"] == pytest.approx(turning * length * np.cos(angle), rel=1e-9)
    blown = rt.load(
        PLANE + heavy + "stiffness = 100\ndamping = 1\n"
        'drag = {diameter = 0.1, density = 1.2, coefficient = 1.1, wind = "[5, 0]"}\n'
    )
    across = 5 * np.cos(angle)
    push = 1.2 * 1.1 * 0.1 / 2 * length * across**2 / 2  # half of it at the end
    along = np.array([np.cos(angle), np.sin(angle)])
    assert [first(blown)["x"], first(blown)["z"]] == pytest.approx(push * along + [0, -9.81], rel=1e-9)


DRUM = '[[drum]]\nlength = "x"\nradius = 0.5\ninertia = 2\n'


def test_a_drum_of_a_file_is_that_of_python_and_its_motion_ends():
    model = rt.load(
        PLANE + DRUM + "torque = -3\ndamping = 0.2\ndensity = 0.1\nwhole = 9\n"
        '[analysis.motion]\nends = ["x - 0.25"]\n'
    )
    x, _ = model.system.coordinates
    assert first(model)["x"] == pytest.approx(-6 / (1 + 8 + 0.1 * (9 - 0.6)), rel=1e-9)
    (end,) = model.ends
    motion = rt.simulate(model.system, {}, model.start, [0, 5], events=end)
    assert motion[x][-1] == pytest.approx(0.25, rel=1e-9)
    assert "`x - 0.25 = 0`" in motion.message


def test_the_wind_of_a_tether_and_of_a_kite_grows_with_height():
    shear = "wind = 5\nreference = 8\nroughness = 0.1\n"
    blown = rt.load(
        PLANE.replace("-1.6", "1.6")
        + TETHER.replace("length = 2", "length = 3\nstiffness = 1")
        + "[tether.drag]\ndiameter = 0.1\ndensity = 1.2\ncoefficient = 1.1\n"
        + shear
    )
    x, z = blown.system.coordinates
    own = tether.drag(
        rt.vector(0, 0), rt.vector(x, z), diameter=0.1, density=1.2, coefficient=1.1,
        wind=lambda h: kite.wind(h, 5, reference=8, roughness=0.1),
    )  # fmt: skip
    found = [float(f.generalized(x).subs({x.rate: 0, z.rate: 0, x: 0.6, z: 1.6})) for f in own.forces]
    assert first(blown)["x"] == pytest.approx(sum(found), rel=1e-9)


def test_nodes_hang_in_an_arc_of_equal_chords_or_start_where_they_are_put():
    for a, b in (((0, 0), (2, 1)), ((0, 0), (0, -1)), ((0, 0, 1), (1, 1, 1)), ((0, 0), (0, 0))):
        ends = np.array(a, float), np.array(b, float)
        places = np.array([ends[0], *hanging(*ends, 3.0, 7), ends[1]])
        np.testing.assert_allclose(np.linalg.norm(np.diff(places, axis=0), axis=1), 3 / 7, rtol=1e-9)
        if a[-1] == b[-1]:
            assert (places[1:-1, -1] < a[-1]).all()
    np.testing.assert_allclose(hanging(np.zeros(2), np.array([3.0, 0]), 2.0, 3), [[1, 0], [2, 0]])
    words = '[[tether]]\nstart = "[0, 0]"\nend = "[x, z]"\nlength = 2\npieces = 2\ndensity = 0.1\n'
    model = rt.load(PLANE + words + "gravity = 9.81\nstiffness = 50\nnodes = [[0.3, -0.8]]\n")
    assert [model.start[q] for q in model.system.coordinates] == [0.6, -1.6, 0.3, -0.8]
    assert [str(q) for q in model.made] == ["n1_x", "n1_z"]


def test_circles_curves_ground_and_labels_are_drawn():
    model = rt.load(
        PLANE + '[parameters]\nR = 0.5\n[drawing]\npoints = ["[x, z]"]\n'
        'circles = [{at = "[x, z]", radius = "R"}]\nground = [["[0, 0]", "[1, 0]"]]\n'
        'curves = [{along = "[u, u^2]", from = 0, to = "2*R", points = 3}]\n'
        'labels = [{at = "[x, z]", text = "m"}]\n'
    )
    circle, curve, ground, *strokes = model.drawing.outlines
    x, z = model.system.coordinates
    radii = [(p - rt.vector(x, z)).norm() for p in circle]
    assert np.array(radii, float) == pytest.approx(0.5)
    assert [list(map(float, p)) for p in curve] == [[0, 0], [0.5, 0.25], [1, 1]]
    assert [list(map(float, p)) for p in ground] == [[0, 0], [1, 0]]
    assert all(float(stroke[1][1]) < 0 for stroke in strokes)
    assert len(strokes) == 12
    motion = rt.simulate(model.system, {}, model.start, np.linspace(0, 0.1, 3))
    page = rt.animate(motion, lines=model.drawing.paths, labels={"m": rt.vector(x, z)}).html
    assert '"labels":[{"name":"m","track":[[0.6,-1.6]' in page


TETHER = '[[tether]]\nstart = "[0, 0]"\nend = "[x, z]"\nlength = 2\n'
KITE = '[[kite]]\nat = "[x, y, z]"\nmass = 1\narea = 1\ndensity = 1\ngravity = 1\n'
WRONG = {
    "no kind of rotation": (
        SPACE.replace('quaternion = "e", ', ""), r"line 7, `rotations.R`: A rotation has one of quaternion",
    ),
    "an axis without direction": (
        SPACE.replace("[0, 1, 0]", "[0, 0, 0]") + 'kinetic = "rigid_body(1, [1, 1, 1], [x, y, z], R)"',
        r"line 7, `rotations.R`: `axis` must have a direction",
    ),
    "a rotation that is multiplied": (
        SPACE + 'kinetic = "R*x"', r"line 9, column 12: `R` is a rotation. Write rotate\(R, v\)",
    ),
    "a rotation of a vector in the plane": (
        SPACE + 'kinetic = "norm2(rotate(R, [x, y]))"', r"turns a vector of 3 components by a rotation",
    ),
    "a body in space by an angle": (
        SPACE + 'kinetic = "rigid_body(1, [1, 1, 1], [x, y, z], x)"', r"turns by a rotation, declared under",
    ),
    "a body in the plane with three moments": (
        PLANE.replace("(x'^2 + z'^2)/2", "rigid_body(1, [1, 1, 1], [x, z], x)"), r"one moment of inertia in the plane.* Got 3",
    ),
    "a body in space with one moment": (
        SPACE + 'kinetic = "rigid_body(1, 2, [x, y, z], R)"', r"three principal ones in space.* Got 1",
    ),
    "a body nowhere": (
        PLANE.replace("(x'^2 + z'^2)/2", "rigid_body(1, 1, [x, z, x, z], x)"), r"two components in the plane.* Got 4",
    ),
    "the spin of an angle": (SPACE + 'kinetic = "angular_velocity(x)[1]"', r"declared under \[rotations\]"),
    "a quaternion with a name that is taken": (
        SPACE.replace('"e"', '"x"').replace("x = {start = 1}", "x0 = {start = 1}"),
        r"line 7, `rotations.R`: The name `x0` stands for two things",
    ),
    "pieces without density": (PLANE + TETHER + "pieces = 3\n", r"line 8, `tether.1`: A tether in `pieces` has"),
    "damping alone": (PLANE + TETHER + "damping = 3\n", r"`damping` of a tether belongs to its `stiffness`"),
    "density of a straight one": (PLANE + TETHER + "density = 3\n", r"A straight tether has no mass, or"),
    "nodes that are not there": (
        PLANE + TETHER + "pieces = 2\ndensity = 1\ngravity = 1\nnodes = [[1, 2, 3]]\n",
        r"`nodes` says where each of 1 nodes starts, 2 numbers each",
    ),
    "no piece": (PLANE + TETHER + "pieces = 0\n", r"line 12: `tether.1.pieces`: "),
    "a length without a name": (
        PLANE + TETHER.replace("= 2", '= "L"'), r"line 11, column 11: `L` is no name of this model",
    ),
    "a drum without radius": (PLANE + DRUM.replace("0.5", "0"), r"line 8, `drum.1`: The `radius` of a drum must be positive"),
    "a drum of a prescribed length": (
        PLANE + DRUM.replace('"x"', "3"), r"`drum.1`: The length that a drum reels must be a coordinate",
    ),
    "shear of a vector": (
        PLANE + TETHER + 'drag = {diameter = 1, density = 1, coefficient = 1, wind = "[5, 0]", roughness = 1}',
        r"`reference`, `exponent` and `roughness` say how a wind grows",
    ),
    "an end that never comes": (PLANE + '[analysis.motion]\nends = ["5"]\n', r"`5` does not change along a motion, and ends none"),
    "an end that is none": (PLANE + '[analysis.motion]\nends = ["y"]\n', r"`y` is no name of this model"),
    "a kite without lift": (SPACE + KITE, r"line 9, `kite.1`: A kite that is a point has .* Missing: lift, drag"),
    "a kite by a rotation that is none": (
        SPACE + KITE + 'rotation = "Q"\ninertia = [1, 1, 1]\nspan = 1\nchord = 1\ncoefficients = "aerosonde"',
        r"line 15, `kite.1.rotation`: `Q` is no rotation of the model. Rotations: R",
    ),
    "unknown coefficients": (
        SPACE + KITE + 'rotation = "R"\ninertia = [1, 1, 1]\nspan = 1\nchord = 1\ncoefficients = "aerosond"',
        r"There are no coefficients 'aerosond'.*Did you mean `aerosonde`\?",
    ),
    "an unknown coefficient": (
        SPACE + KITE + 'rotation = "R"\ninertia = [1, 1, 1]\nspan = 1\nchord = 1\ncoefficients = {CL = 1}',
        r"A kite has no coefficient `CL`. Known: CL0",
    ),
    "a mass that changes somehow": (
        PLANE + '[[variable_mass]]\nmass = "x"\nat = "[x, z]"\n', r"line 8, `variable_mass.1`: The mass depends on `x`",
    ),
    "a circle in space": (
        SPACE + 'kinetic = "rigid_body(1, [1, 1, 1], [x, y, z], R)"\n[drawing]\n'
        'circles = [{at = "[x, y, z]", radius = 1}]', r"a circle is drawn in the plane",
    ),
    "a label in space": (
        PLANE + '[drawing]\npoints = ["[x, z]"]\nlabels = [{at = "[x, 0, z]", text = "m"}]',
        r"two components everywhere, or three. Got 2 and 3",
    ),
    "a word that tethers do not know": (PLANE + TETHER + "lenght = 3\n", r"knows no `lenght`. Known: start.*Did you mean"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_mistakes_are_told_with_their_place(case):
    text, sentence = WRONG[case]
    with pytest.raises(rt.DeclarationError, match=sentence):
        rt.load(text)


def test_an_axis_with_too_few_components_says_how_many_it_has():
    with pytest.raises(rt.DeclarationError, match=r"rotations\.R\.axis`: Expected three values"):
        rt.load(TOP.replace("axis = [1, 0, 0]", "axis = [1, 0]"))


# --- a law of friction

RUBBED = """
name = "rubbed"
[coordinates]
x = {start = 1}
[parameters]
F = 2
[energy]
kinetic = "x'^2/2"
potential = "8*x^2"
[[friction]]
slip = "x'"
"""


def test_a_law_of_friction_is_a_function_of_the_slip_speed(tmp_path):
    own = rt.load(RUBBED + 'law = "F/(1 + s/2)"\nstatic = "3*F/2"\n')
    x, F = rt.coordinate("x"), rt.parameter("F")
    made = rt.System(
        kinetic=rt.ddt(x) ** 2 / 2,
        potential=8 * x**2,
        friction=rt.friction(rt.ddt(x), law=lambda s: F / (1 + s / 2), static=3 * F / 2),
    )
    again = rt.load(rt.save(made, tmp_path / "law.toml", values={"F": 2}))
    ways = [
        rt.simulate(each, {"F": 2}, {"x": 1.0}, [0, 1]) for each in (own.system, made, again.system)
    ]
    for way in ways[:1] + ways[2:]:
        np.testing.assert_allclose(way.q, ways[1].q, rtol=1e-9)
        assert way.system.friction[0].static.subs(dict.fromkeys(way.system.parameters, 2)) == 3


def test_a_law_with_a_normal_force_is_that_of_the_coefficient(tmp_path):
    text = RUBBED + 'law = "0.3 + 0.1*exp(-v)"\nspeed = "v"\nnormal = "5*F"\n'
    own = rt.load(text)
    again = rt.load(rt.save(own.system, tmp_path / "law.toml", values={"F": 2}))
    for each in (own, again):
        (contact,) = each.system.friction
        values = dict.fromkeys(each.system.parameters, 2.0)
        assert float(contact.law(1.0).subs(values)) == pytest.approx(10 * (0.3 + 0.1 * np.exp(-1)))
        assert float(contact.static.subs(values)) == pytest.approx(4)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ('law = "F"\nkinetic = "1"\n', r"Give either `law`, or `kinetic`, `stribeck` and `viscous`"),
        ('law = "F/(1 + s)"\nspeed = "x"\n', r"`x` is a name of the model already"),
        ('law = "F/(1 + v)"\n', r"`friction.1.law`.*`v` is no name"),
        ('law = "F - 3*F"\n', None),
        ('law = "-1"\n', r"of friction must not be negative"),
    ],
)
def test_laws_of_friction_that_are_refused(words, sentence):
    if sentence is None:
        model = rt.load(RUBBED + words)  # negative for these values alone: told where they are given
        with pytest.raises(rt.DeclarationError, match=r"must not be negative"):
            rt.simulate(model.system, model.values, model.start, [0, 1])
        return
    with pytest.raises(rt.DeclarationError, match=sentence):
        rt.load(RUBBED + words)
