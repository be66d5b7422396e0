"""What a URDF says: links with mass and inertia, joints between them, as checked numbers.

An `origin` moves by `xyz` and then turns by `rpy`, R = Rz(yaw) Ry(pitch) Rx(roll), as the format says.
The inertia of a link is about its centre of mass, along the axes of the `origin` of `<inertial>`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import cos, hypot, isfinite, sin
from typing import Any

import numpy as np

from routh.arrays import Array
from routh.errors import DeclarationError, did_you_mean, listed
from routh.files.urdf.plain_xml import Element

ROUNDING = 1e-15
"""An entry of a rotation so near to 0 or 1 is that: sines of a right angle as a double are 6e-17."""

KINDS = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar")
MOVING_BY_ONE = ("revolute", "continuous", "prismatic")
LIMITED = ("revolute", "prismatic")
SHAPES = {"box": ("size", 3), "cylinder": ("radius length", 2), "sphere": ("radius", 1)}
"""Geometries that are drawn, with their attributes and how many numbers these hold in all."""

MOMENTS = (("ixx", "ixy", "ixz"), ("ixy", "iyy", "iyz"), ("ixz", "iyz", "izz"))


@dataclass(frozen=True)
class Frame:
    """Where something is, and how it is turned, along the axes of what it belongs to."""

    xyz: Array
    R: Array


@dataclass(frozen=True)
class Solid:
    """A shape with its sizes, and its frame in the link."""

    shape: str
    sizes: tuple[float, ...]
    frame: Frame


@dataclass(frozen=True)
class RobotLink:
    """A link: mass, centre of mass and inertia about it along the axes of the link; what is drawn."""

    name: str
    line: int
    mass: float
    centre: Array
    inertia: Array
    solids: tuple[Solid, ...]
    meshes: int
    collides: bool

    @property
    def is_heavy(self) -> bool:
        """Whether it has a kinetic energy."""
        return self.mass > 0 or bool(self.inertia.any())


@dataclass(frozen=True)
class RobotJoint:
    """A joint from a link to another, its axis of unit length."""

    name: str
    line: int
    kind: str
    parent: str
    child: str
    frame: Frame
    axis: Array
    damping: float
    friction: float
    limits: tuple[float, float] | None
    mimics: tuple[str, float, float] | None
    """The joint that it follows, and by which factor and offset."""


@dataclass(frozen=True)
class Robot:
    """A robot as its file has it; `besides` are elements that say nothing of mechanics here."""

    name: str
    links: dict[str, RobotLink]
    joints: dict[str, RobotJoint]
    besides: tuple[str, ...]


class RobotReader:
    """Reads elements into a robot; what is wrong is told with its line."""

    def __init__(self, named: str) -> None:
        self._named = named

    def wrong(self, line: int, sentence: str) -> DeclarationError:
        """What is wrong in a line."""
        return DeclarationError(f"{self._named}, line {line}: {sentence}")

    def robot(self, top: Element) -> Robot:
        """The robot of the outermost element.

        Raises:
            DeclarationError: it is no robot, or something in it is wrong.
        """
        self._refuse_others(top)
        links = self._by_name(top, "link", self._link)
        if not links:
            raise self.wrong(top.line, "the robot has no `<link>`. Expected one for each rigid body.")
        joints = self._by_name(top, "joint", self._joint)
        for joint in joints.values():
            for word, link in (("parent", joint.parent), ("child", joint.child)):
                if link not in links:
                    raise self.wrong(
                        joint.line,
                        f"`{link}`, the {word} of joint `{joint.name}`, is no link of the robot."
                        f" Links: {listed(links)}." + did_you_mean(link, links),
                    )
        known = {"link", "joint", "material"}
        besides = tuple(dict.fromkeys(each.tag for each in top.children if each.tag not in known))
        return Robot(top.attributes.get("name", ""), links, joints, besides)

    def _refuse_others(self, top: Element) -> None:
        if top.tag != "robot":
            raise self.wrong(
                top.line,
                f"expected a URDF, whose outermost element is `<robot>`. Got `<{top.tag}>`. Other"
                " formats (SDF, MJCF, Collada) are converted to URDF by their own tools.",
            )
        macro = next((each for each in top.walk() if each.tag.startswith("xacro:")), None)
        if macro is not None:
            raise self.wrong(
                macro.line,
                f"`<{macro.tag}>` is a macro. Make the URDF first: xacro arm.xacro > arm.urdf",
            )

    def _by_name(self, top: Element, tag: str, read: Callable[[Element, str], Any]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for each in top.every(tag):
            name = self._word(each, "name", f"a {tag}")
            if name in found:
                raise self.wrong(each.line, f"there are two {tag}s `{name}`. Give each its own name.")
            found[name] = read(each, name)
        return found

    def _word(self, element: Element, attribute: str, what: str) -> str:
        given = element.attributes.get(attribute, "").strip()
        if not given:
            raise self.wrong(
                element.line, f'{what} needs `{attribute}`, as <{element.tag} {attribute}="...">.'
            )
        return given

    def numbers(
        self, element: Element | None, attribute: str, default: Sequence[float], *, needed: str = ""
    ) -> list[float]:
        """As many finite numbers as the default has; that where nothing is given, unless needed."""
        text = None if element is None else element.attributes.get(attribute)
        if element is None or (text is None and not needed):
            return list(default)
        try:
            found = [float(x) for x in (text or "").split() if "_" not in x]
        except ValueError:
            found = []
        words = (text or "").split()
        if len(found) != len(words) or len(found) != len(default) or not all(map(isfinite, found)):
            count = "one finite number" if len(default) == 1 else f"{len(default)} finite numbers"
            macro = " Is it a macro? Run xacro first." if "${" in (text or "") else ""
            raise self.wrong(
                element.line,
                f"`{attribute}` of `<{element.tag}>`{needed} must be {count}. Got"
                f" {'nothing' if text is None else repr(text[:60])}.{macro}",
            )
        return found

    def _frame(self, element: Element | None) -> Frame:
        origin = None if element is None else element.first("origin")
        xyz = np.array(self.numbers(origin, "xyz", (0, 0, 0)))
        return Frame(xyz, turned(*self.numbers(origin, "rpy", (0, 0, 0))))

    def _link(self, element: Element, name: str) -> RobotLink:
        inertial = element.first("inertial")
        if len(element.every("inertial")) > 1:
            raise self.wrong(
                element.every("inertial")[1].line,
                f"link `{name}` has two `<inertial>`. A link is one rigid body: add them up, or join"
                " two links by a fixed joint.",
            )
        frame = self._frame(inertial)
        mass, inertia = 0.0, np.zeros((3, 3))
        if inertial is not None:
            mass, inertia = self._mass(inertial, name), self._inertia(inertial, name, frame.R)
        solids, meshes = self._solids(element)
        collides = bool(element.every("collision"))
        return RobotLink(name, element.line, mass, frame.xyz, inertia, solids, meshes, collides)

    def _mass(self, inertial: Element, name: str) -> float:
        given = inertial.first("mass")
        if given is None:
            raise self.wrong(
                inertial.line, f'`<inertial>` of link `{name}` needs `<mass value="...">`.'
            )
        mass = self.numbers(given, "value", (0,), needed=f" of link `{name}`")[0]
        if mass < 0:
            raise self.wrong(
                given.line, f"the mass of link `{name}` must not be negative. Got {mass:g}."
            )
        return mass

    def _inertia(self, inertial: Element, name: str, R: Array) -> Array:
        given = inertial.first("inertia")
        if given is None:
            return np.zeros((3, 3))
        moments = [
            [self.numbers(given, word, (0,), needed=f" of link `{name}`")[0] for word in row]
            for row in MOMENTS
        ]
        tensor: Array = R @ np.array(moments) @ R.T
        tensor = (tensor + tensor.T) / 2
        principal = np.linalg.eigvalsh(tensor)
        if principal[0] < -1e-9 * abs(principal[2]):
            raise self.wrong(
                given.line,
                f"the inertia of link `{name}` must have no principal moment below zero. Got"
                f" {principal[0]:.6g}.",
            )
        tensor[np.abs(tensor) < 4 * ROUNDING * np.abs(principal).max(initial=0.0)] = 0.0
        return tensor

    def _solids(self, element: Element) -> tuple[tuple[Solid, ...], int]:
        """What of the visuals is drawn, and how many are meshes."""
        found, meshes = [], 0
        for visual in element.every("visual"):
            geometry = visual.first("geometry")
            for shape in () if geometry is None else geometry.children:
                meshes += shape.tag == "mesh"
                if shape.tag in SHAPES:
                    words, count = SHAPES[shape.tag]
                    sizes = [
                        x
                        for word in words.split()
                        for x in self.numbers(
                            shape, word, (0,) * (count // len(words.split())), needed=" to be drawn"
                        )
                    ]
                    found.append(Solid(shape.tag, tuple(sizes), self._frame(visual)))
        return tuple(found), meshes

    def _joint(self, element: Element, name: str) -> RobotJoint:
        kind = self._word(element, "type", f"joint `{name}`")
        if kind not in KINDS:
            raise self.wrong(
                element.line,
                f"the type of joint `{name}` must be one of {listed(KINDS)}. Got {kind!r}."
                + did_you_mean(kind, KINDS),
            )
        ends = []
        for word in ("parent", "child"):
            end = element.first(word)
            if end is None:
                raise self.wrong(
                    element.line, f'joint `{name}` needs its {word}, as <{word} link="...">.'
                )
            ends.append(self._word(end, "link", f"the {word} of joint `{name}`"))
        dynamics = element.first("dynamics")
        damping, friction = (
            self.numbers(dynamics, word, (0,))[0] for word in ("damping", "friction")
        )  # fmt: skip
        for word, value in (("damping", damping), ("friction", friction)):
            if value < 0:
                raise self.wrong(
                    element.line, f"the {word} of joint `{name}` must not be negative. Got {value:g}."
                )
        return RobotJoint(
            name, element.line, kind, ends[0], ends[1], self._frame(element),
            self._axis(element, name, kind), damping, friction, self._limits(element, name, kind),
            self._mimic(element, name, kind),
        )  # fmt: skip

    def _axis(self, element: Element, name: str, kind: str) -> Array:
        axis = np.array(self.numbers(element.first("axis"), "xyz", (1, 0, 0)))
        length = hypot(*axis)  # NumPy's would square what has no square
        if not length and kind not in ("fixed", "floating"):
            raise self.wrong(
                element.line, f"the axis of joint `{name}` must have a direction. Got 0 0 0."
            )
        return whole(axis / length) if length else axis

    def _limits(self, element: Element, name: str, kind: str) -> tuple[float, float] | None:
        if kind not in LIMITED:
            return None
        limit = element.first("limit")
        if limit is None:
            other = ", or make it continuous" if kind == "revolute" else ""
            raise self.wrong(
                element.line,
                f'joint `{name}` is {kind} and needs `<limit lower="" upper="">`. Write it{other}.',
            )
        low, high = (self.numbers(limit, word, (0,))[0] for word in ("lower", "upper"))
        if low > high:
            raise self.wrong(
                limit.line, f"joint `{name}` has its lower limit above the upper: {low:g} and {high:g}."
            )
        return (low, high)

    def _mimic(self, element: Element, name: str, kind: str) -> tuple[str, float, float] | None:
        mimic = element.first("mimic")
        if mimic is None:
            return None
        if kind not in MOVING_BY_ONE:
            raise self.wrong(mimic.line, f"joint `{name}` is {kind}, and cannot mimic another.")
        other = self._word(mimic, "joint", f"`<mimic>` of joint `{name}`")
        factor, offset = (
            self.numbers(mimic, word, (default,))[0]
            for word, default in (("multiplier", 1), ("offset", 0))
        )
        return other, factor, offset


def turned(roll: float, pitch: float, yaw: float) -> Array:
    """The rotation Rz(yaw) Ry(pitch) Rx(roll)."""
    (a, b, c), (r, s, u) = (tuple(f(x) for x in (roll, pitch, yaw)) for f in (cos, sin))
    about_x = np.array([[1, 0, 0], [0, a, -r], [0, r, a]])
    about_y = np.array([[b, 0, s], [0, 1, 0], [-s, 0, b]])
    about_z = np.array([[c, -u, 0], [u, c, 0], [0, 0, 1]])
    return whole(whole(about_z) @ whole(about_y) @ whole(about_x))


def whole(entries: Array) -> Array:
    """Entries of a rotation or a direction, 0 and 1 where they are that to rounding."""
    near = np.round(entries)
    return np.where(np.abs(entries - near) < ROUNDING, near, entries) + 0.0
