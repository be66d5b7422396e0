"""Robots in URDF: against Pinocchio's numbers, against chains and by hand; and files that are wrong.

Numbers of Pinocchio are those of its version 4.1.0 on the same files; where it is installed they are
computed again.
"""

from __future__ import annotations

import re

import numpy as np
import pytest

import routh as rt
from routh.models import Joint, chain

TREE = """<?xml version="1.0"?>
<robot name="tree">
  <link name="world"/>
  <link name="base">
    <inertial><origin xyz="0.1 0 0.2" rpy="0.3 0.2 -0.4"/><mass value="5"/>
      <inertia ixx="0.4" ixy="0.01" ixz="0.02" iyy="0.5" iyz="-0.03" izz="0.6"/></inertial>
  </link>
  <link name="upper">
    <inertial><origin xyz="0 0.05 0.25" rpy="0.1 0 0.7"/><mass value="2.5"/>
      <inertia ixx="0.05" ixy="0.001" ixz="0" iyy="0.06" iyz="0.002" izz="0.02"/></inertial>
    <visual><origin xyz="0 0 0.25"/><geometry><cylinder radius="0.05" length="0.5"/></geometry></visual>
    <collision><geometry><sphere radius="0.3"/></geometry></collision>
  </link>
  <link name="slide">
    <inertial><origin xyz="0.02 0 0.1"/><mass value="1.5"/>
      <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.012" iyz="0" izz="0.005"/></inertial>
    <visual><geometry><mesh filename="package://tree/slide.stl"/></geometry></visual>
  </link>
  <link name="tool">
    <inertial><origin xyz="0 0 0.05"/><mass value="0.4"/>
      <inertia ixx="0.001" ixy="0" ixz="0" iyy="0.001" iyz="0" izz="0.0005"/></inertial>
    <visual><geometry><box size="0.1 0.2 0.3"/></geometry></visual>
  </link>
  <link name="side">
    <inertial><origin xyz="0.3 0 0"/><mass value="0.8"/>
      <inertia ixx="0.002" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial>
  </link>
  <joint name="stand" type="fixed"><origin xyz="0 0 0.5" rpy="0 0.1 0.2"/>
    <parent link="world"/><child link="base"/></joint>
  <joint name="shoulder" type="revolute"><origin xyz="0.1 0.2 0.3" rpy="0.2 -0.3 0.5"/>
    <parent link="base"/><child link="upper"/><axis xyz="0 2 1"/>
    <limit lower="-2" upper="2" effort="10" velocity="3"/><dynamics damping="0.7" friction="0.1"/></joint>
  <joint name="extend" type="prismatic"><origin xyz="0 0.05 0.5" rpy="0 0.4 0"/>
    <parent link="upper"/><child link="slide"/><axis xyz="0 0 1"/>
    <limit lower="0.1" upper="0.6" effort="10" velocity="3"/></joint>
  <joint name="wrist" type="fixed"><origin xyz="0.01 0.02 0.2" rpy="1.5707963267948966 0 0"/>
    <parent link="slide"/><child link="tool"/></joint>
  <joint name="side-turn" type="continuous"><origin xyz="-0.2 0 0.1" rpy="0 0 1.1"/>
    <parent link="base"/><child link="side"/><dynamics damping="0.2"/></joint>
</robot>
"""

FLYING = """<robot name="flying">
  <link name="world"/>
  <link name="body"><inertial><origin xyz="0.05 0 0.02" rpy="0.3 0 0"/><mass value="3"/>
      <inertia ixx="0.04" ixy="0.001" ixz="0.002" iyy="0.05" iyz="-0.003" izz="0.06"/></inertial></link>
  <link name="arm"><inertial><origin xyz="0 0 -0.2"/><mass value="0.7"/>
      <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.001"/></inertial></link>
  <link name="plate"><inertial><origin xyz="0.02 0.01 0"/><mass value="0.5"/>
      <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.02"/></inertial></link>
  <joint name="free" type="floating"><origin xyz="0 0 1" rpy="0 0 0.3"/>
    <parent link="world"/><child link="body"/></joint>
  <joint name="hinge" type="continuous"><origin xyz="0.1 0 0" rpy="0 0.2 0"/>
    <parent link="body"/><child link="arm"/><axis xyz="0 1 0"/></joint>
  <joint name="flat" type="planar"><origin xyz="0 0 -0.4" rpy="0 0 0.4"/>
    <parent link="arm"/><child link="plate"/><axis xyz="0 0 1"/></joint>
</robot>
"""

STATE = {"shoulder": (0.4, 0.5, 0.3), "extend": (0.3, -0.2, 0.8), "side-turn": (-0.7, 1.1, -0.6)}
"""Position, velocity and acceleration of the joints of the tree."""

E = np.array([0.8, 0.2, -0.4, 0.4])
SPIN = np.array([0.7, -0.4, 0.2])
"""A quaternion, and the angular velocity along body axes."""


def rates_of_quaternion(e, spin):
    a, b, c, d = e
    return np.array([[-b, -c, -d], [a, -d, c], [d, a, -b], [-c, b, a]]) @ spin / 2


def flying_state():
    place = {"hinge": 0.6, "free_x": 0.2, "free_y": -0.3, "free_z": 0.4, "flat_x": 0.1, "flat_y": -0.2}
    speed = {"hinge": 1.3, "free_x": 0.5, "free_y": -0.1, "free_z": 0.3, "flat_x": 0.3, "flat_y": -0.6}
    e, rate = E, rates_of_quaternion(E, SPIN)
    place |= {"flat_angle": 0.9} | {f"free_e{k}": e[k] for k in range(4)}
    speed |= {"flat_angle": 0.8} | {f"free_e{k}": rate[k] for k in range(4)}
    return place, speed


def test_masses_and_torques_of_a_tree_are_those_of_pinocchio():
    model = rt.load(TREE)
    q, v, a = np.array(list(STATE.values())).T
    M = [[1.35238401476296, 0.28602579814677, 0], [0.28602579814677, 1.9, 0], [0, 0, 0.002]]
    np.testing.assert_allclose(
        rt.dynamics(model.system, model.values, q, v).M, M, rtol=1e-13, atol=1e-15
    )
    torques = [-4.01598995159347, 17.2143558887583, -0.0012]
    damping = [0.7 * v[0], 0, 0.2 * v[2]]
    found = rt.inverse_dynamics(model.system, model.values, q, v, a)
    np.testing.assert_allclose(found - damping, torques, rtol=1e-12)


def test_accelerations_of_what_floats_are_those_of_pinocchio():
    model = rt.load(FLYING)
    names = [x.name for x in model.system.coordinates]
    place, speed = ([state[n] for n in names] for state in flying_state())
    found = rt.dynamics(model.system, model.values, place, speed)
    assert np.array(speed) @ found.M @ np.array(speed) / 2 == pytest.approx(
        0.800495549960621, rel=1e-13
    )
    a = dict(zip(names, found.a, strict=True))
    assert a["hinge"] == pytest.approx(-1.047740048591696, rel=1e-12)
    moved = [a[f"free_{x}"] for x in "xyz"]
    np.testing.assert_allclose(
        moved, [-0.070296600756284, 0.013751919955516, -9.769654126935322], rtol=1e-11
    )
    slid = [a["flat_x"], a["flat_y"], a["flat_angle"]]
    np.testing.assert_allclose(
        slid, [-0.782544304531924, -0.025048325146964, -0.6660714979456318], rtol=1e-11
    )


@pytest.mark.slow
def test_pinocchio_itself_agrees_on_a_tree():
    pin = pytest.importorskip("pinocchio")
    robot = pin.buildModelFromXML(TREE)
    data, q, v, a = robot.createData(), pin.neutral(robot), *np.zeros((2, 3))
    rng = np.random.default_rng(3)
    model = rt.load(TREE)
    for _ in range(5):
        ours = rng.uniform(-1, 1, (3, 3))
        for joint, name in zip(robot.joints, robot.names, strict=True):
            if name in STATE:
                k = list(STATE).index(name)
                turn = (np.cos(ours[0, k]), np.sin(ours[0, k]))
                q[joint.idx_q : joint.idx_q + joint.nq] = turn if joint.nq == 2 else ours[0, k]
                v[joint.idx_v], a[joint.idx_v] = ours[1:, k]
        found = rt.inverse_dynamics(
            model.system, {**model.values, "d_shoulder": 0, "d_side_turn": 0}, *ours
        )
        np.testing.assert_allclose(found, pin.rnea(robot, data, q, v, a), rtol=1e-11, atol=1e-12)


def test_a_model_has_what_the_file_says():
    model = rt.load(TREE)
    assert [str(q) for q in model.system.coordinates] == ["shoulder", "extend", "side_turn"]
    assert {str(q): given for q, given in model.within.items()} == {
        "shoulder": (-2, 2),
        "extend": (0.1, 0.6),
    }
    start = {str(q): x for q, x in model.start.items() if x}
    assert start == {"extend": pytest.approx(0.35)}  # zero is no place between its limits
    assert model.values == {
        "g": 9.81, "m_upper": 2.5, "m_slide": 1.5, "m_tool": 0.4, "m_side": 0.8, "d_shoulder": 0.7, "d_side_turn": 0.2,
    }  # fmt: skip
    assert model.units["extend"] == "m"
    assert model.units["d_shoulder"] == "N*m*s"
    said = " ".join(model.remarks)
    for words in ("`side-turn` is called `side_turn`", "those of `slide` are not drawn", "links pass through",
                  "Dry friction of `shoulder` is left out", "motions go beyond"):  # fmt: skip
        assert words in said
    kinds = [next(iter(body)) for body in model.drawing.bodies]
    assert kinds == ["cylinder", "box"]
    assert set(model.drawing.masses) == {"base", "slide", "side"}


def test_links_are_places_in_expressions():
    """The tool at rest, by the rotations of the file by hand."""
    model = rt.load(TREE)
    motion = rt.simulate(model.system, model.values, model.start, [0, 1e-6])

    def turned(roll, pitch, yaw):
        (a, b, c), (r, s, u) = np.cos([roll, pitch, yaw]), np.sin([roll, pitch, yaw])
        about = [
            [[c, -u, 0], [u, c, 0], [0, 0, 1]],
            [[b, 0, s], [0, 1, 0], [-s, 0, b]],
            [[1, 0, 0], [0, a, -r], [0, r, a]],
        ]
        return np.linalg.multi_dot(np.array(about))

    hand = np.array([0, 0, 0.35]) + turned(0, 0, 0) @ [0.01, 0.02, 0.2]
    hand = np.array([0, 0.05, 0.5]) + turned(0, 0.4, 0) @ hand
    hand = np.array([0.1, 0.2, 0.3]) + turned(0.2, -0.3, 0.5) @ hand
    hand = np.array([0, 0, 0.5]) + turned(0, 0.1, 0.2) @ hand
    found = [motion[model.expression(f"tool[{k}]")][0] for k in (1, 2, 3)]
    np.testing.assert_allclose(found, hand, rtol=1e-12)


def test_a_robot_is_saved_as_a_model_file(tmp_path):
    for text in (TREE, FLYING):
        model = rt.load(text)
        back = rt.load(rt.save(model, tmp_path / "robot.toml"))
        assert back.values == model.values
        assert [str(q) for q in back.system.coordinates] == [str(q) for q in model.system.coordinates]
        assert {str(q): x for q, x in back.start.items()} == {str(q): x for q, x in model.start.items()}
        assert {str(q): x for q, x in back.within.items()} == {
            str(q): x for q, x in model.within.items()
        }
        rng = np.random.default_rng(1)
        q, v = rng.uniform(-1, 1, (2, len(model.system.coordinates)))
        both = [rt.inverse_dynamics(each.system, each.values, q, v) for each in (model, back)]
        np.testing.assert_allclose(both[0], both[1], rtol=1e-10, atol=1e-12)


def arm(joints, **more):
    """A robot of links that are alike."""
    heavy = '<inertial><origin xyz="0 0 -0.5"/><mass value="2"/>' + (
        '<inertia ixx="0.2" ixy="0" ixz="0" iyy="0.3" iyz="0" izz="0.1"/></inertial>'
    )
    links = "".join(f'<link name="l{k + 1}">{heavy}</link>' for k in range(len(joints)))
    text = f'<robot name="arm"><link name="l0"/>{links}\n'
    for k, inner in enumerate(joints):
        kind = more.get("kind", "continuous")
        text += (
            f'<joint name="q{k + 1}" type="{kind}"><parent link="l{k}"/><child link="l{k + 1}"/>'
            f'<origin xyz="0 0 {-1 if k else 0}"/><axis xyz="0 1 0"/>{inner}</joint>\n'
        )
    return text + "</robot>\n"


def test_an_arm_is_the_chain_of_its_joints():
    model = rt.load(arm(["", ""]))
    q = rt.coordinates("q1 q2")
    link = {"axis": (0, 1, 0), "mass": 2, "centre": (0, 0, -0.5), "inertia": (0.2, 0.3, 0.1)}
    by_hand = chain(
        [Joint(q[0], **link), Joint(q[1], offset=(0, 0, -1), **link)], gravity=(0, 0, -9.81)
    ).system()
    at = ([0.3, -0.8], [0.5, 0.2], [1.0, -2.0])
    found = rt.inverse_dynamics(model.system, model.values, *at)
    np.testing.assert_allclose(found, rt.inverse_dynamics(by_hand, {}, *at), rtol=1e-13)


def test_a_joint_that_mimics_another_moves_with_it():
    """The torque on q1 is that of q1 and 2.5 times that of q2 of the arm that moves so."""
    free, tied = (
        rt.load(arm(["", ""])),
        rt.load(arm(["", '<mimic joint="q1" multiplier="2.5" offset="0.1"/>'])),
    )
    assert [str(q) for q in tied.system.coordinates] == ["q1"]
    q, v, a = 0.3, 0.4, -0.7
    both = rt.inverse_dynamics(free.system, free.values, [q, 2.5 * q + 0.1], [v, 2.5 * v], [a, 2.5 * a])
    found = rt.inverse_dynamics(tied.system, tied.values, [q], [v], [a])
    assert found[0] == pytest.approx(both @ [1, 2.5], rel=1e-13)


@pytest.mark.parametrize(("axis", "first"), [("0 0 1", 0), ("1 0 0", 1), ("0 1 0", 2), ("0 0 -3", 0)])
def test_a_planar_joint_slides_across_its_axis(axis, first):
    model = rt.load(arm([""], kind="planar").replace('xyz="0 1 0"', f'xyz="{axis}"'))
    motion = rt.simulate(
        model.system, model.values, model.start | {model.system.coordinates[0]: 0.5}, [0, 1e-9]
    )
    expected = np.zeros(3)
    expected[first] = -0.5 if "-" in axis else 0.5
    np.testing.assert_allclose(
        [motion[model.expression(f"l1[{k}]")][0] for k in (1, 2, 3)], expected, atol=1e-12
    )
    assert "is planar" in model.remarks[0]


def test_names_are_made_words():
    text = (
        arm(["", "", "", ""])
        .replace('"q1"', '"t"')
        .replace('"q2"', '"2nd joint"')
        .replace('"q3"', '"w1_1"')
    )
    text = text.replace('"q4"', '"θ₁"')
    found = [str(q) for q in rt.load(text).system.coordinates]
    assert found == ["t_0", "n2nd_joint", "w1_1_2", "theta1"]


def test_a_file_is_read_by_its_ending_and_by_how_it_begins(tmp_path):
    for name, text in (("arm.urdf", arm([""])), ("arm.xml", "\ufeff" + arm([""]))):
        (tmp_path / name).write_text(text, encoding="utf-8")
        assert rt.load(tmp_path / name).system.name == "arm"
    (tmp_path / "no.urdf").write_text("[energy]\n")
    with pytest.raises(rt.DeclarationError, match=r"no\.urdf', line 1, is no XML"):
        rt.load(tmp_path / "no.urdf")


LIMIT = '<limit lower="1" upper="-1"/>'
JOINT = '<joint name="q1"'
WRONG = {
    "no XML": (arm([""]).replace("</robot>", ""), r"line 4, is no XML: no element found"),
    "a document type": ('<!DOCTYPE robot [<!ENTITY a "x">]>\n' + arm([""]), "document type or entities"),
    "a file elsewhere": (
        '<!DOCTYPE robot SYSTEM "file:///etc/passwd">\n<robot>&a;</robot>', "document type or entities"
    ),
    "another format": ("<sdf>\n</sdf>", r"line 1: expected a URDF.*Got `<sdf>`"),
    "a macro": ("<robot>\n<xacro:include/></robot>", "line 2: `<xacro:include>` is a macro"),
    "a macro in a link": (arm([""]).replace("<inertial>", "<xacro:body/><inertial>"), "`<xacro:body>` is a macro"),
    "two inertias": (
        arm([""]).replace("<inertial>", '<inertial><mass value="1"/></inertial><inertial>'), "link `l1` has two `<inertial>`"
    ),
    "a macro for a number": (arm([""]).replace('value="2"', 'value="${m}"'), "Is it a macro"),
    "no links": ("<robot>\n</robot>", "has no `<link>`"),
    "two links of one name": (arm(["", ""]).replace('<link name="l2">', '<link name="l1">'), "two links `l1`"),
    "no name": (arm([""]).replace(' name="q1"', ""), "a joint needs `name`"),
    "no type": (arm([""]).replace(' type="continuous"', ""), "joint `q1` needs `type`"),
    "a wrong type": (arm([""], kind="revolut"), "Did you mean `revolute`"),
    "no child": (arm([""]).replace('<child link="l1"/>', ""), "joint `q1` needs its child"),
    "an unknown link": (arm([""]).replace('<child link="l1"/>', '<child link="l11"/>'), "`l11`, the child of.*mean `l1`"),
    "two parents": (arm(["", ""]).replace('<child link="l2"/>', '<child link="l1"/>'), "child of two joints, `q1` and `q2`"),
    "two roots": (arm([""]).replace("<link", '<link name="lost"/><link', 1), "`lost` and `l0` hang on nothing"),
    "a ring": (
        arm(["", ""]).replace('<parent link="l1"/>', '<parent link="l2"/>'), "hang on each other in a ring"
    ),
    "nothing moves": (arm([""], kind="fixed"), "nothing moves: the robot has 1 joints, all fixed"),
    "no mass": (arm([""]).replace('value="2"', 'value="0"').replace("0.2", "0").replace("0.3", "0").replace("0.1", "0"),
                "moves link `l1`, and nothing behind it has mass"),
    "a mass below zero": (arm([""]).replace('value="2"', 'value="-2"'), "must not be negative. Got -2"),
    "no value of a mass": (arm([""]).replace(' value="2"', ""), "`value` of `<mass>` of link `l1` must be one finite"),
    "a mass that is no number": (arm([""]).replace('value="2"', 'value="1_0"'), "Got '1_0'"),
    "a mass without end": (arm([""]).replace('value="2"', 'value="inf"'), "finite number. Got 'inf'"),
    "an inertia below zero": (arm([""]).replace('ixx="0.2"', 'ixx="-0.2"'), "no principal moment below zero. Got -0.2"),
    "two numbers for three": (arm([""]).replace('xyz="0 0 -0.5"', 'xyz="0 0"'), "must be 3 finite numbers. Got '0 0'"),
    "no axis": (arm([""]).replace('xyz="0 1 0"', 'xyz="0 0 0"'), "axis of joint `q1` must have a direction"),
    "no limits": (arm([""], kind="revolute"), "needs `<limit.*or make it continuous"),
    "limits the wrong way": (arm([LIMIT], kind="prismatic"), "lower limit above the upper: 1 and -1"),
    "damping below zero": (arm(['<dynamics damping="-1"/>']), "damping of joint `q1` must not be negative"),
    "it mimics nothing": (arm(['<mimic joint="q9"/>']), "mimics `q9`, which is no joint.*Did you mean `q1`"),
    "they mimic each other": (arm(['<mimic joint="q2"/>', '<mimic joint="q1"/>']), "mimic each other"),
    "deep": ("<robot>\n" + "<a>" * 200 + "</a>" * 200 + "</robot>", "within each other at most 100"),
    "a long name": (arm([""]).replace('"q1"', f'"{"q" * 300}"'), "200 characters at most"),
}  # fmt: skip


@pytest.mark.parametrize("what", WRONG)
def test_wrong_files_say_what_is_wrong(what):
    text, message = WRONG[what]
    with pytest.raises(rt.DeclarationError, match=message):
        rt.load(text)


@pytest.mark.parametrize("size", ["1e-200", "1e200", "7"])
def test_an_axis_is_a_direction_of_any_length(size):
    rows = [arm([""]).replace('xyz="0 1 0"', f'xyz="0 {each} {each}"') for each in ("1", size)]
    one, other = (
        rt.dynamics(model.system, model.values, {"q1": 0.4}, {"q1": 2.0}).a
        for model in map(rt.load, rows)
    )
    assert other == pytest.approx(one, rel=1e-14)
    assert abs(one[0]) > 1


def test_a_mass_without_inertia_is_told():
    text = re.sub(r"<inertia [^>]*/>", "", arm([""]))
    assert "The mass of `l1` is in a point: it has no inertia." in rt.load(text).remarks


def test_a_large_file_is_refused_before_it_is_read(tmp_path):
    path = tmp_path / "large.urdf"
    with path.open("wb") as file:
        file.truncate(5_000_000)
    with pytest.raises(rt.DeclarationError, match="1000000 characters at most"):
        rt.load(path)


def test_remarks_tell_of_strange_inertias_and_of_what_is_not_read():
    text = (
        arm([""])
        .replace('iyy="0.3"', 'iyy="0.9"')
        .replace("</robot>", "<gazebo/><transmission/></robot>")
    )
    said = " ".join(rt.load(text).remarks)
    assert "The inertia of `l1` is that of no body" in said
    assert "Elements `<gazebo>` and `<transmission>` are not read" in said
