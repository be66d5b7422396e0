"""The tree of a robot: which link carries which, with joints that do not move taken together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from routh.errors import DeclarationError, did_you_mean, listed, quoted
from routh.files.urdf.robot import MOVING_BY_ONE, Frame, Robot, RobotJoint, whole

Wrong = Callable[[int, str], DeclarationError]
"""An error at a line of the file."""

HELD = Frame(np.zeros(3), np.eye(3))


@dataclass(frozen=True)
class Place:
    """Where a link is: in the frame behind a joint that moves, or of the root where there is none."""

    joint: RobotJoint | None
    frame: Frame

    def beyond(self, other: Frame) -> Place:
        """A place in the same frame, given along the axes of this one."""
        R = self.frame.R
        return Place(self.joint, Frame(self.frame.xyz + R @ other.xyz, whole(R @ other.R)))


@dataclass(frozen=True)
class KinematicTree:
    """A robot in the order in which links carry each other.

    Attributes:
        root: the link that stands still.
        places: where every link is, parents first.
        order: the joints, parents first.
    """

    root: str
    places: dict[str, Place]
    order: tuple[RobotJoint, ...]

    def before(self, joint: RobotJoint) -> Place:
        """Where a joint is, before it moves."""
        return self.places[joint.parent].beyond(joint.frame)


def kinematic_tree(robot: Robot, wrong: Wrong) -> KinematicTree:
    """The tree of a robot.

    Raises:
        DeclarationError: its links are no tree, a joint moves nothing that has mass, or one mimics
            what does not move by one coordinate.
    """
    root = _root(robot, wrong)
    hanging: dict[str, list[RobotJoint]] = {name: [] for name in robot.links}
    for joint in robot.joints.values():
        hanging[joint.parent].append(joint)
    places = {root: Place(None, HELD)}
    order: list[RobotJoint] = []
    waiting = [root]
    while waiting:
        link = waiting.pop(0)
        for joint in hanging[link]:
            fixed = joint.kind == "fixed"
            places[joint.child] = places[link].beyond(joint.frame) if fixed else Place(joint, HELD)
            order.append(joint)
            waiting.append(joint.child)
    lost = [name for name in robot.links if name not in places]
    if lost:
        raise wrong(
            robot.links[lost[0]].line,
            f"{quoted(lost[:5])} hang on each other in a ring. A URDF is a tree: cut the ring at a"
            " joint, and close it by `constraints` of the system.",
        )
    _refuse_massless(robot, order, hanging, wrong)
    _refuse_mimics(robot, wrong)
    return KinematicTree(root, places, tuple(order))


def _root(robot: Robot, wrong: Wrong) -> str:
    carried: dict[str, RobotJoint] = {}
    for joint in robot.joints.values():
        if joint.child in carried:
            raise wrong(
                joint.line,
                f"link `{joint.child}` is the child of two joints, `{carried[joint.child].name}` and"
                f" `{joint.name}`. In a tree each link hangs on one: close rings by `constraints`.",
            )
        carried[joint.child] = joint
    roots = [name for name in robot.links if name not in carried]
    first = next(iter(robot.links.values())).line
    if not roots:
        raise wrong(first, "every link is the child of a joint, in a ring. A tree has one root.")
    if len(roots) > 1:
        raise wrong(
            robot.links[roots[1]].line,
            f"{quoted(roots[:5])} hang on nothing. A tree has one root: join the others to it, by fixed"
            " joints where they stand still.",
        )
    return roots[0]


def _refuse_massless(
    robot: Robot, order: list[RobotJoint], hanging: dict[str, list[RobotJoint]], wrong: Wrong
) -> None:
    """Every joint that moves must move some mass, or nothing says how it moves."""
    if all(joint.kind == "fixed" for joint in order):
        raise wrong(
            next(iter(robot.links.values())).line,
            f"nothing moves: the robot has {len(order)} joints, all fixed. Expected one that moves.",
        )
    heavy = {name for name, link in robot.links.items() if link.is_heavy}
    for joint in reversed(order):
        if any(each.child in heavy for each in hanging[joint.child]):
            heavy.add(joint.child)
    for joint in order:
        if joint.kind != "fixed" and joint.child not in heavy:
            raise wrong(
                joint.line,
                f"joint `{joint.name}` moves link `{joint.child}`, and nothing behind it has mass. Give"
                " the link `<inertial>` with its mass, or make the joint fixed.",
            )


def _refuse_mimics(robot: Robot, wrong: Wrong) -> None:
    movable = [name for name, joint in robot.joints.items() if joint.kind in MOVING_BY_ONE]
    for joint in robot.joints.values():
        seen, now = [joint.name], joint
        while now.mimics is not None:
            other = now.mimics[0]
            if other not in movable:
                raise wrong(
                    now.line,
                    f"joint `{now.name}` mimics `{other}`, which is no joint that turns or slides."
                    f" Known: {listed(movable)}." + did_you_mean(other, movable),
                )
            if other in seen:
                raise wrong(now.line, f"{quoted(seen)} mimic each other, and none moves by itself.")
            seen.append(other)
            now = robot.joints[other]
