"""Chains and trees of rigid links, as robot arms are: energies from a table of joints.

Along space axes, with e the axis of a joint and d the line to it from the origin of its parent,

    omega = omega_parent + e q'        v = v_parent + omega_parent x d        of a revolute joint
    omega = omega_parent               v = v_parent + omega_parent x d + e q'  of a prismatic one

each named once, so that what is written grows with the number of links and not with its square. The
kinetic energy of a link, of translation and of rotation, is m |v_c|^2/2 + omega^T I omega/2; as a
function of velocities it is the co-energy, and equal to the energy, since momenta are linear in them.
With the Jacobians of the links it is q'^T M q'/2,

    v_c = J_l q',  omega = J_omega q',        M(q) = sum of m J_l^T J_l + J_omega^T (R I R^T) J_omega

which is the same M that the energies give.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import sympy
from sympy import ImmutableDenseMatrix as Matrix

from routh.errors import DeclarationError, a_kind, quoted
from routh.language.calculus import as_vector, cross, ddt, diff, multiplied, norm2, vector
from routh.language.intermediates import let, let_moving, let_turning
from routh.language.rotations import Rotation, angular_velocity, checked_rotation, rotation
from routh.language.symbols import Coordinate, Input, t
from routh.language.system import System
from routh.language.walk import leaves
from routh.models.joints import CheckedJoint, Joint, checked_joint, refuse_no_rotation
from routh.models.parts import Parts

UNIT = Matrix(sympy.eye(3))
NOTHING = vector(0, 0, 0)


@dataclass(frozen=True, eq=False)
class Link:
    """A rigid link in space, along space axes.

    Attributes:
        R: its rotation, which carries its angular velocity.
        r: its origin, and `v` the velocity of it.
        omega: its angular velocity along space axes.
        centre: its centre of mass, and `velocity` the velocity of that.
        axis: the direction of its joint, and `joint` where that is.
        mass, inertia: the latter about the centre along body axes, 3 x 3.

    Example:
        >>> import routh as rt
        >>> q = rt.coordinate("q")
        >>> link = chain([Joint(q, mass=2, centre=(1, 0, 0))]).links[0]
        >>> link.omega.T, link.mass
        (Matrix([[0, 0, w1_3]]), 2)
    """

    R: Rotation
    r: Matrix
    v: Matrix
    omega: Matrix
    centre: Matrix
    velocity: Matrix
    axis: Matrix
    joint: Matrix
    mass: sympy.Expr
    inertia: Matrix

    def at(self, *place: Any) -> Matrix:
        """Where a point of the link is, given along its axes from its origin."""
        return Matrix(self.r + Matrix(self.R) * as_vector(list(place), "A point of a link"))

    @property
    def kinetic(self) -> sympy.Expr:
        """The kinetic energy, of its centre of mass and about it."""
        spin = angular_velocity(self.R)
        turning = multiplied(spin.T, multiplied(self.inertia, spin))[0] / 2
        return self.mass / 2 * norm2(self.velocity) + turning


@dataclass(frozen=True, eq=False)
class Chain:
    """Rigid links that are joined to a chain or a tree; `parts` are its energies.

    Attributes:
        joints: the rows of the table.
        links: one for each row.
        parts: a kinetic and, under gravity, a potential energy for each link that has mass, to be added
            to other parts of a system.

    Example:
        >>> import routh as rt
        >>> slide, turn = rt.coordinates("slide turn")
        >>> rail = Joint(slide, kind="prismatic", axis=(1, 0, 0), mass=2)
        >>> arm = chain([rail, Joint(turn, mass=3, centre=(0, 1, 0))])
        >>> arm.coordinates, arm.J_l(0)
        ((slide, turn), Matrix([
        [1, 0],
        [0, 0],
        [0, 0]]))
    """

    joints: tuple[CheckedJoint, ...]
    links: tuple[Link, ...]
    parts: Parts

    def system(self, **more: Any) -> System:
        """The system of the chain alone; `more` are other arguments of System, like `forces`."""
        made = self.parts.system(**more)
        still = [q for q in self.coordinates if q not in made.coordinates]
        if still:
            raise DeclarationError(
                f"{quoted(still)} of the chain appears in no energy, so nothing says how it moves. Give"
                " mass or inertia to the links behind the joint, or make it fixed."
            )
        return made

    @cached_property
    def coordinates(self) -> tuple[Coordinate, ...]:
        """The coordinates of the joints, in the order of the rows."""
        found: dict[Coordinate, None] = {}
        for joint in self.joints:
            own = [s for s in leaves([joint.q]) if isinstance(s, Coordinate) and not s.order]
            found.update(dict.fromkeys(sorted(own, key=str)))
        return tuple(found)

    def J_l(self, k: int) -> Matrix:
        """(3, n): the velocity of the centre of mass of a link by the velocities, v_c = J_l q'."""
        return self._jacobian(k, turns=False)

    def J_omega(self, k: int) -> Matrix:
        """(3, n): the angular velocity of a link along space axes, omega = J_omega q'."""
        return self._jacobian(k, turns=True)

    def _jacobian(self, k: int, turns: bool) -> Matrix:
        """From the base: columns e x (c - joint) or e of revolute joints, e or 0 of prismatic ones."""
        if not isinstance(k, int) or not 0 <= k < len(self.links):
            raise DeclarationError(
                f"A link is named by its row, counted from 0, below {len(self.links)}. Got {k!r}."
            )
        columns = dict.fromkeys(self.coordinates, NOTHING)
        centre, row = self.links[k].centre, k
        while row >= 0:
            joint, link = self.joints[row], self.links[row]
            if joint.kind == "revolute":
                own = link.axis if turns else cross(link.axis, centre - link.joint)
            else:
                own = NOTHING if turns else link.axis
            for q in columns:
                slope = diff(joint.q, q)
                if slope != 0:
                    columns[q] = Matrix(columns[q] + slope * own)
            row = joint.parent
        return Matrix(sympy.Matrix.hstack(*columns.values()))

    def mass_matrix(self) -> Matrix:
        """M(q) by the Jacobians: the sum of m J_l^T J_l + J_omega^T (R I R^T) J_omega.

        Written with the named intermediates of the chain; a base that moves is taken as held.
        """
        n = len(self.coordinates)
        M = sympy.zeros(n, n)
        for k, link in enumerate(self.links):
            J_l, J_omega = self.J_l(k), multiplied(Matrix(link.R).T, self.J_omega(k))
            turning = multiplied(J_omega.T, multiplied(link.inertia, J_omega))
            M += link.mass * multiplied(J_l.T, J_l) + turning
        return Matrix(M)


def chain(
    joints: Iterable[Joint | dict[str, Any]],
    *,
    gravity: Any = None,
    base: tuple[Any, Any] | None = None,
    name: str = "",
) -> Chain:
    """A chain or tree of rigid links from a table of joints, as a list of energies.

    Arguments:
        joints: a row each: a `Joint` (axis and offset), `dh(...)` (Denavit-Hartenberg), or a mapping of
            the fields of a joint. Rows hang on the row before, or on the one `parent` says.
        gravity: the acceleration of gravity, like (0, 0, -9.81); none if not given.
        base: the origin and the rotation of the base in space, where it is not at rest at the origin:
            anything that moves will do, as the frame of another link, (link.r, link.R).
        name: put before the names of intermediates, to tell several chains apart.

    Example:
        >>> import routh as rt
        >>> q1, q2 = rt.coordinates("q1 q2")
        >>> rod = dict(axis=(0, 1, 0), mass=1, centre=(0, 0, -0.5), inertia=(1 / 12, 1 / 12, 0))
        >>> arm = chain(
        ...     [Joint(q1, **rod), Joint(q2, offset=(0, 0, -1), **rod)], gravity=(0, 0, -9.81)
        ... )
        >>> arm.system(name="double pendulum")
        System(double pendulum: 2 coordinates q1, q2)
        >>> len(arm.parts.kinetic), arm.links[1].R.shape
        (2, (3, 3))
    """
    rows = _rows(joints)
    start = _base((NOTHING, UNIT) if base is None else base)
    frames: list[_Frame] = []
    links: list[Link] = []
    for k, row in enumerate(rows):
        parent = start if row.parent < 0 else frames[row.parent]
        link = _link(row, parent, f"{name}{k + 1}")
        links.append(link)
        frames.append(_Frame(link.R, link.r, link.v, link.omega))
    heavy = [link for link in links if link.mass != 0 or not link.inertia.is_zero_matrix]
    if not heavy:
        raise DeclarationError(
            "No link of the chain has mass. Give `mass` or `inertia` of some joints."
        )
    kinetic = tuple(link.kinetic for link in heavy)
    potential: tuple[sympy.Expr, ...] = ()
    if gravity is not None:
        down = as_vector(gravity, "`gravity`")
        if down.rows != 3:
            raise DeclarationError(f"`gravity` must have three components. Got {down.rows}.")
        potential = tuple(
            -link.mass * multiplied(down.T, link.centre)[0] for link in heavy if link.mass != 0
        )
    return Chain(tuple(rows), tuple(links), Parts(kinetic=kinetic, potential=potential))


def _base(given: Any) -> _Frame:
    if not isinstance(given, (tuple, list)) or len(given) != 2:
        raise DeclarationError(
            "`base` is the origin and the rotation of the base, like (vector(x, 0, 0), rotation(phi,"
            f" (0, 0, 1))) or (link.r, link.R). Got {a_kind(given)}."
        )
    R = checked_rotation(given[1])
    refuse_no_rotation(R, "The rotation of the base")
    return _Frame.of(as_vector(given[0], "The origin of the base"), R)


def _rows(joints: Any) -> list[CheckedJoint]:
    if isinstance(joints, (Joint, dict, str)) or not isinstance(joints, Iterable):
        raise DeclarationError(f"`joints` must be a list of joints. Got {a_kind(joints)}.")
    rows = [checked_joint(each, k) for k, each in enumerate(joints)]
    if not rows:
        raise DeclarationError("A chain needs at least one joint. Got none.")
    for k, row in enumerate(rows):
        given = (row.axis, row.offset, row.centre, row.reach, row.turn, row.twist, row.inertia)
        fixed: Sequence[Any] = [row.mass, *(x for matrix in given for x in matrix)]
        varying = [s for s in leaves(fixed) if isinstance(s, (Coordinate, Input)) or s == t]
        if varying:
            raise DeclarationError(
                f"Joint {k} contains {quoted(sorted(varying, key=str))}. Mass, inertia, axis, offset,"
                " centre, reach, turn and twist of a joint are constants; what moves is `q`."
            )
    return rows


@dataclass(frozen=True)
class _Frame:
    """A frame in space with its velocities along space axes."""

    R: Matrix
    r: Matrix
    v: Matrix
    omega: Matrix

    @classmethod
    def of(cls, r: Matrix, R: Matrix) -> _Frame:
        if r.rows != 3:
            raise DeclarationError(f"The origin of the base needs three components. Got {r.rows}.")
        return cls(R, r, ddt(r), angular_velocity(R, "space"))


def _link(row: CheckedJoint, parent: _Frame, name: str) -> Link:
    """A link from its parent: where its joint is, how that moves, and what hangs on it."""
    R = Matrix(parent.R)
    line = multiplied(R, row.offset)
    joint, v, omega = Matrix(parent.r + line), parent.v + cross(parent.omega, line), parent.omega
    if row.turn != UNIT:
        R = let(f"P{name}", multiplied(R, row.turn))
    axis = let(f"e{name}", multiplied(R, row.axis))
    rate = ddt(row.q)
    if row.kind == "revolute":
        R = multiplied(R, Matrix(rotation(row.q, row.axis)))
        omega = let(f"w{name}", Matrix(omega + rate * axis))
        joint = let_moving(f"r{name}", joint, Matrix(v))
        v, r = ddt(joint), joint
    else:
        r = let_moving(f"r{name}", Matrix(joint + row.q * axis), _sliding(row, v, omega, axis))
        v = ddt(r)
    turned = let_turning(f"R{name}", multiplied(R, row.twist), lambda named: multiplied(named.T, omega))
    if not row.reach.is_zero_matrix:
        line = multiplied(R, row.reach)
        r = let_moving(f"s{name}", Matrix(r + line), Matrix(v + cross(omega, line)))
        v = ddt(r)
    arm = multiplied(Matrix(turned), row.centre)
    return Link(
        R=turned,
        r=r,
        v=v,
        omega=omega,
        centre=Matrix(r + arm),
        velocity=Matrix(v + cross(omega, arm)),
        axis=axis,
        joint=joint,
        mass=row.mass,
        inertia=row.inertia,
    )


def _sliding(row: CheckedJoint, v: Matrix, omega: Matrix, axis: Matrix) -> Matrix:
    """The velocity of the origin of what slides along an axis that turns."""
    return Matrix(v + ddt(row.q) * axis + row.q * cross(omega, axis))
