"""A robot as a model: its links in chains of joints, with gravity, damping and what is drawn.

Masses and dampings become parameters, so that they can be varied; inertias and lengths are numbers. A
joint that floats begins a chain of its own, whose base it moves; one that is planar is two slides and a
turn. Links that do not move against each other stand behind one joint.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import sympy
from sympy import ImmutableDenseMatrix as Matrix

from routh.arrays import Array
from routh.errors import quoted
from routh.files.drawn import Drawing
from routh.files.free_names import LONGEST_NAME, FreeNames
from routh.files.model import Model
from routh.files.saving import document_of, toml
from routh.files.schema import AnalysisPart
from routh.files.urdf.kinematic_tree import KinematicTree, Place, kinematic_tree
from routh.files.urdf.plain_xml import read_xml
from routh.files.urdf.robot import MOVING_BY_ONE, Frame, Robot, RobotJoint, RobotLink, RobotReader
from routh.language.calculus import ddt, vector
from routh.language.declaring import coordinate, parameter
from routh.language.rotations import carrying, quaternion
from routh.language.symbols import Coordinate, Parameter
from routh.models.chains import chain
from routh.models.joints import Joint
from routh.models.parts import Parts

GRAVITY = 9.81
"""In m/s^2, against the third axis of the root: the format has none."""

INTERMEDIATES = r"(omega_)?[PReswr][a-z]{0,2}\d+_\d+(_dot)*"
"""Names that chains give to intermediates; no coordinate is called so."""

Seen = tuple[Any, Any]
"""The place and the rotation of a frame in space."""

STILL = vector(0, 0, 0)
ROOT: Seen = (STILL, carrying(Matrix(sympy.eye(3)), STILL))
"""The frame of the root."""


def load_urdf(text: str, named: str) -> Model:
    """The model of a URDF; `named` is how messages call the file.

    Raises:
        DeclarationError: it is no URDF that can be read, with the line and what to do about it.
    """
    reader = RobotReader(named)
    robot = reader.robot(read_xml(text, named))
    return _Maker(robot, kinematic_tree(robot, reader.wrong)).model()


class _Maker:
    """Makes the symbols and energies of a robot."""

    def __init__(self, robot: Robot, tree: KinematicTree) -> None:
        self._robot, self._tree = robot, tree
        self._names = FreeNames(INTERMEDIATES)
        self._start: dict[Any, float] = {}
        self._within: dict[Coordinate, tuple[float, float]] = {}
        self._units: dict[str, str] = {}
        self._values: dict[str, float] = {}
        self._remarks: list[str] = []
        self._behind: dict[str, Seen] = {}
        self._moved: dict[str, sympy.Expr] = {}
        self._dampings: list[sympy.Expr] = []
        self._held: list[sympy.Expr] = []
        self._own: list[Coordinate] = []

    def model(self) -> Model:
        """The model."""
        movable = [j for j in self._robot.joints.values() if j.kind in MOVING_BY_ONE]
        for joint in movable:
            if joint.mimics is None:
                self._moved[joint.name] = self._coordinate(joint)
        g = self._parameter("g", GRAVITY, "m/s^2")
        masses = {
            name: self._parameter(f"m_{name}", link.mass, "kg")
            for name, link in self._robot.links.items()
            if link.mass and self._tree.places[name].joint is not None
        }
        parts = self._chains(masses, g)
        for joint in movable:
            self._damp(joint)
        more = Parts(dissipation=tuple(self._dampings), constraints=tuple(self._held))
        system = (parts + more).system(name=self._robot.name[:LONGEST_NAME], coordinates=self._own)
        self._say()
        guess = {q: self._start[q] for q in self._own}
        symbols = {x.name: x for x in (*self._own, *system.parameters)}
        places = {
            self._names.taken(name): self._seen(place)[0] for name, place in self._tree.places.items()
        }
        return Model(
            name=system.name,
            description="",
            system=system,
            values={p.name: self._values[p.name] for p in system.parameters},
            ranges={},
            inputs={},
            laws={},
            start=dict(self._start),
            guess=guess,
            within=dict(self._within),
            periodic={},
            sizes={},
            units=dict(self._units),
            drawing=self._drawing(),
            analysis=AnalysisPart(),
            made=(),
            constants={},
            names=symbols | places,
            text=self._text(system),
            remarks=tuple(self._remarks),
        )

    def _parameter(self, name: str, value: float, unit: str) -> Parameter:
        word = self._names.taken(name)
        self._values[word], self._units[word] = value, unit
        return parameter(word, value, unit=unit, nonnegative=True)

    def _coordinate(self, joint: RobotJoint) -> Coordinate:
        """The coordinate of a joint that turns or slides."""
        q = self._new(joint.name, "m" if joint.kind == "prismatic" else "rad")
        if q.name != joint.name:
            self._remarks.append(f"The coordinate of joint `{joint.name}` is called `{q}`.")
        if joint.limits is not None:
            low, high = joint.limits
            if low < high:
                self._within[q] = (low, high)
            else:
                self._remarks.append(
                    f"Joint `{joint.name}` has no range between its limits; none is kept."
                )
                return q
            if not low <= 0 <= high:
                self._start[q] = (low + high) / 2
        return q

    def _new(self, name: str, unit: str) -> Coordinate:
        q = coordinate(self._names.taken(name))
        self._own.append(q)
        self._units[q.name] = unit
        self._start |= {q: 0.0, q.rate: 0.0}
        return q

    def _value(self, joint: RobotJoint) -> sympy.Expr:
        """What a joint turns or slides by: its coordinate, or what it makes of that of another."""
        if joint.mimics is None:
            return self._moved[joint.name]
        other, factor, offset = joint.mimics
        return factor * self._value(self._robot.joints[other]) + offset

    def _chains(self, masses: dict[str, Parameter], g: Parameter) -> Parts:
        """The energies of all links, one chain after the other."""
        begins = [None, *(j for j in self._tree.order if j.kind == "floating")]
        parts = Parts()
        for count, floating in enumerate(begins):
            base = ROOT if floating is None else self._float(floating)
            self._behind["" if floating is None else floating.name] = base
            rows, joints = self._rows(floating, masses)
            if rows:
                letter = "" if not count else chr(ord("a") + (count - 1) % 26) * (1 + (count - 1) // 26)
                made = chain(rows, gravity=(0, 0, -g), base=base, name=letter)
                self._behind |= {name: (made.links[k].r, made.links[k].R) for name, k in joints.items()}
                parts += made.parts
        return parts

    def _rows(
        self, floating: RobotJoint | None, masses: dict[str, Parameter]
    ) -> tuple[list[Joint], dict[str, int]]:
        """The rows of the chain behind a floating joint, or from the root, and that of each joint."""
        rows: list[Joint] = []
        behind = {"" if floating is None else floating.name: -1}

        def bodies(joint: RobotJoint | None, parent: int) -> Iterable[Joint]:
            for name, place in self._tree.places.items():
                link = self._robot.links[name]
                if place.joint == joint and link.is_heavy:
                    yield _fixed(place.frame, parent, link, masses.get(name, sympy.S.Zero))

        if floating is not None:
            rows += bodies(floating, -1)
        for joint in self._tree.order:
            before = self._tree.before(joint)
            carrier = "" if before.joint is None else before.joint.name
            if joint.kind in ("fixed", "floating") or carrier not in behind:
                continue
            rows += self._moving(joint, before.frame, behind[carrier], len(rows))
            behind[joint.name] = len(rows) - 1
            rows += bodies(joint, behind[joint.name])
        del behind["" if floating is None else floating.name]
        return rows, behind

    def _moving(self, joint: RobotJoint, frame: Frame, parent: int, row: int) -> list[Joint]:
        """The rows of one joint: one, or three of a planar one."""
        at: dict[str, Any] = {"offset": tuple(frame.xyz), "turn": frame.R, "parent": parent}
        if joint.kind != "planar":
            kind = "prismatic" if joint.kind == "prismatic" else "revolute"
            return [Joint(self._value(joint), kind, tuple(joint.axis), **at)]
        first, second = across(joint.axis)
        along = [self._new(f"{joint.name}_{end}", unit) for end, unit in PLANAR]
        self._remarks.append(
            f"Joint `{joint.name}` is planar: `{along[0]}` is along {_told(first)}, `{along[1]}` along"
            f" {_told(second)}, and `{along[2]}` turns about the axis."
        )
        return [
            Joint(along[0], "prismatic", tuple(first), **at),
            Joint(along[1], "prismatic", tuple(second), parent=row),
            Joint(along[2], "revolute", tuple(joint.axis), parent=row + 1),
        ]

    def _float(self, joint: RobotJoint) -> Seen:
        """The frame that a floating joint moves: a place and a quaternion along its own axes."""
        r, R = self._seen(self._tree.before(joint))
        place = [self._new(f"{joint.name}_{end}", "m") for end in "xyz"]
        turn = quaternion(self._names.prefix(f"{joint.name}_e", "0123"))
        self._own += turn.coordinates
        self._start |= turn.start() | {q.rate: 0.0 for q in turn.coordinates}
        self._held += turn.constraints
        return Matrix(r + Matrix(R) * Matrix(place)), R * turn

    def _seen(self, place: Place) -> Seen:
        """Where a place is in space, and how it is turned."""
        r, R = self._behind["" if place.joint is None else place.joint.name]
        still = carrying(Matrix(place.frame.R.tolist()).applyfunc(_entry), STILL)
        line = Matrix([_entry(x) for x in place.frame.xyz])
        return Matrix(r + Matrix(R) * line), R * still

    def _damp(self, joint: RobotJoint) -> None:
        if joint.damping:
            unit = "N*s/m" if joint.kind == "prismatic" else "N*m*s"
            d = self._parameter(f"d_{joint.name}", joint.damping, unit)
            self._dampings.append(d / 2 * ddt(self._value(joint)) ** 2)

    def _say(self) -> None:
        """Remarks on what the model does not have of what the file has."""
        links, joints = self._robot.links.values(), self._robot.joints.values()
        meshes = [link.name for link in links if link.meshes]
        if meshes:
            self._remarks.append(f"Meshes are not read: those of {quoted(meshes)} are not drawn.")
        if any(link.collides for link in links):
            self._remarks.append("Shapes of collision are not read: links pass through each other.")
        if self._within:
            self._remarks.append(
                "Limits of joints are where equilibria are looked for; motions go beyond them."
            )
        rubbing = [joint.name for joint in joints if joint.friction]
        if rubbing:
            self._remarks.append(f"Dry friction of {quoted(rubbing)} is left out.")
        loose = [j.name for j in joints if j.damping and j.kind in ("fixed", "floating", "planar")]
        if loose:
            self._remarks.append(f"Damping of {quoted(loose)} is left out: it has no one direction.")
        points = [link.name for link in links if link.mass and not link.inertia.any()]
        if points:
            self._remarks.append(f"The mass of {quoted(points)} is in a point: it has no inertia.")
        strange = [link.name for link in links if _is_impossible(link)]
        if strange:
            self._remarks.append(
                f"The inertia of {quoted(strange)} is that of no body: one principal moment is above"
                " the sum of the others."
            )
        if self._robot.besides:
            tags = quoted(f"<{tag}>" for tag in self._robot.besides)
            self._remarks.append(f"Elements {tags} are not read.")

    def _drawing(self) -> Drawing:
        """Lines from joint to joint, bodies of simple shape, and the other masses as points."""
        lines, masses, bodies = [], {}, []
        for joint in self._tree.order:
            start, end = (
                self._seen(self._tree.places[joint.parent])[0],
                self._seen(self._tree.before(joint))[0],
            )
            if start != end:
                lines.append((start, end))
        for name, place in self._tree.places.items():
            link = self._robot.links[name]
            for solid in link.solids:
                at, R = self._seen(place.beyond(solid.frame))
                sizes = tuple(map(sympy.Float, solid.sizes))
                bodies.append({solid.shape: sizes, "at": at, "rotation": R})
            if link.mass and not link.solids:
                masses[name] = self._seen(place.beyond(Frame(link.centre, np.eye(3))))[0]
        return Drawing(masses=masses, lines=tuple(lines), bodies=tuple(bodies))

    def _text(self, system: Any) -> str:
        """The same as a model file, without what is drawn."""
        document = document_of(system)
        for q in system.coordinates:
            own: dict[str, Any] = {"unit": self._units[q.name]} if q.name in self._units else {}
            if self._start[q]:
                own |= {"start": self._start[q], "guess": self._start[q]}
            if q in self._within:
                own["range"] = list(self._within[q])
            document["coordinates"][q.name] |= own
        head = {key: document.pop(key) for key in ("name",) if key in document}
        if self._remarks:
            head["description"] = " ".join(self._remarks)[:5000]
        return toml(head | document)


PLANAR = (("x", "m"), ("y", "m"), ("angle", "rad"))
"""How the coordinates of a planar joint are called, and their units."""


def across(axis: Array) -> tuple[Array, Array]:
    """Two directions across an axis, with it right-handed: x and y for z, y and z for x, z and x for y.

    >>> [each.tolist() for each in across(np.array([0.0, 0.0, 1.0]))]
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    """
    largest = int(np.argmax(np.abs(axis)))
    first = np.cross(np.eye(3)[largest - 1], axis)
    first /= np.linalg.norm(first)
    return first + 0.0, np.cross(axis, first) + 0.0


def _fixed(frame: Frame, parent: int, link: RobotLink, mass: Any) -> Joint:
    """A body that stands in the frame behind a row."""
    return Joint(
        kind="fixed", offset=tuple(frame.xyz), turn=frame.R, parent=parent, mass=mass,
        centre=tuple(link.centre), inertia=link.inertia.tolist() if link.inertia.any() else 0,
    )  # fmt: skip


def _is_impossible(link: RobotLink) -> bool:
    """Whether a principal moment is above the sum of the others, beyond what rounding of files does."""
    low, middle, high = np.linalg.eigvalsh(link.inertia)
    return bool(high > (low + middle) * (1 + 1e-6))


def _entry(x: Any) -> sympy.Expr:
    return sympy.Integer(int(x)) if float(x).is_integer() else sympy.Float(x)


def _told(direction: Array) -> str:
    return "(" + ", ".join(f"{x:.6g}" for x in direction) + ")"
