"""Lagrange's equations, written out for people.

`d/dt L_v - L_q + D_v + J^T multipliers = Q`, that is `M a + h + J^T multipliers = Q`.
Nothing numeric is computed from these expressions: see `routh.kernels`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

import sympy
from sympy import ImmutableDenseMatrix as Matrix

from routh.errors import DeclarationError, did_you_mean, listed
from routh.language.calculus import ddt
from routh.language.contact.reaction import by_multipliers, depends_on_reactions
from routh.language.derivation import explicit_rate, partial, partials
from routh.language.gates import checked_symbolic
from routh.language.symbols import Coordinate, Input
from routh.language.system import System
from routh.language.walk import contains_time, leaves, nodes, replaced, unfold
from routh.mechanics.constraints import (
    ConstraintKind,
    constraint_accelerations,
    constraint_jacobian,
    constraint_kinds,
    multiplier_symbols,
)
from routh.mechanics.fields.equations import FieldEquations, field_equations
from routh.mechanics.forms.printing import latex, latex_rows, matrix_text, text, text_rows
from routh.mechanics.forms.tidy import Tidy
from routh.mechanics.forms.vanish import decided, vanishes
from routh.shown import as_markdown

PARTS = (
    "residual", "M", "h", "Q", "phi", "J", "gamma", "index1", "saddle", "right_side", "T2", "T1", "T0",
    "A", "B", "C", "V", "D", "U", "L", "momenta"
)  # fmt: skip
"""The parts of `Equations` that can be shown one by one."""

_NAMES = {"residual": "E", "T2": "T_2", "T1": "T_1", "T0": "T_0", "momenta": "p"}


@dataclass(frozen=True)
class Conserved:
    """A quantity that keeps its value along every motion, and why."""

    name: str
    expression: sympy.Expr
    reason: str
    shown: bool = True
    """Whether the reason is shown by a unique form; else it was found with hundreds of digits."""

    def latex(self) -> str:
        """The quantity set constant, in LaTeX."""
        return f"{latex(self.expression)} = \\text{{const}}"

    def __str__(self) -> str:
        found = "" if self.shown else ", as evaluating it with hundreds of digits says"
        return f"{self.name}: {text(self.expression)} = const, since {self.reason}{found}"

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {self.latex()}$"


@dataclass(frozen=True)
class Equations:
    """The equations of motion of a system and the parts they are made of.

    With `T = v^T A v / 2 + B^T v + C / 2`: `T2`, `T1` and `T0` are its parts of second, first and
    zeroth degree in the velocities. Where T is no quadratic function of the velocities (or where
    only a Lagrangian was given) `T2` is all that is left beside `T1` and `T0`.
    """

    system: System
    residual: Matrix = field(repr=False)
    """(n, 1): `M a + h + J^T multipliers - Q`, zero along a motion."""
    M: Matrix = field(repr=False)
    """(n, n): mass matrix L_vv."""
    h: Matrix = field(repr=False)
    """(n, 1): all terms without accelerations, multipliers and forces Q."""
    Q: Matrix = field(repr=False)
    """(n, 1): generalized forces by virtual work."""
    phi: Matrix = field(repr=False)
    """(c, 1): the constraints."""
    J: Matrix = field(repr=False)
    """(c, n): dphi/dq, or dphi/dv for a velocity constraint."""
    gamma: Matrix = field(repr=False)
    """(c, 1): the constraints differentiated until accelerations appear are J a + gamma = 0."""
    kinds: tuple[ConstraintKind, ...]
    """Whether each constraint holds positions, rates of positions, or velocities."""
    multipliers: tuple[sympy.Symbol, ...]
    T2: sympy.Expr = field(repr=False)
    T1: sympy.Expr = field(repr=False)
    T0: sympy.Expr = field(repr=False)
    A: Matrix = field(repr=False)
    B: Matrix = field(repr=False)
    C: sympy.Expr = field(repr=False)
    V: sympy.Expr = field(repr=False)
    D: sympy.Expr = field(repr=False)
    """Rayleigh function."""
    simplify: float = field(repr=False)
    """The amount of work that was granted for short forms."""

    @cached_property
    def conserved(self) -> tuple[Conserved, ...]:
        """Quantities that keep their values along every motion."""
        tidy = Tidy(self.simplify)
        return (*_momenta_kept(self, tidy), *_energy_kept(self, tidy))

    @property
    def U(self) -> sympy.Expr:
        """Dynamic potential V - T0: at a rest of a scleronomic or steadily turning system, U_q = 0."""
        return self.V - self.T0

    @property
    def L(self) -> sympy.Expr:
        """Lagrangian T - V."""
        return self.T2 + self.T1 + self.T0 - self.V

    @property
    def index3(self) -> Matrix:
        """(n + c, 1): the residual and the constraints, a DAE of index 3.

        (Of index 2 where all of them are velocity constraints.)
        """
        return Matrix([*self.residual, *self.phi])

    @property
    def index1(self) -> Matrix:
        """(n + c, 1): the residual and the constraints' accelerations J a + gamma, of index 1."""
        return Matrix([*self.residual, *(self.J * self._accelerations + self.gamma)])

    @property
    def saddle(self) -> Matrix:
        """(n + c, n + c): the matrix of `[[M, J^T], [J, 0]] (a, multipliers) = (Q - h, -gamma)`.

        Where forces depend on multipliers it is `[[M, J^T - Q_multipliers], [J, 0]]`, unsymmetric.
        """
        c = len(self.multipliers)
        push = self.J.T - self.Q_multipliers if c else self.J.T
        return Matrix(sympy.BlockMatrix([[self.M, push], [self.J, sympy.zeros(c, c)]])) if c else self.M

    @property
    def Q_multipliers(self) -> Matrix:
        """(n, c): the slopes of Q by the multipliers; zero but for friction by normal forces."""
        return Matrix(self.Q.jacobian(self.multipliers))

    @property
    def free_Q(self) -> Matrix:
        """(n, 1): Q without the multipliers."""
        return Matrix(self.Q.xreplace(dict.fromkeys(self.multipliers, sympy.S.Zero)))

    @property
    def right_side(self) -> Matrix:
        """(n + c, 1): Q - h and -gamma, the right side of the saddle-point system.

        Q is that without the multipliers, which stand on the left.
        """
        return Matrix([*(self.free_Q - self.h), *(-self.gamma)])

    @property
    def _accelerations(self) -> Matrix:
        return Matrix([velocity.rate for velocity in self.system.velocities])

    @property
    def momenta(self) -> Matrix:
        """(n, 1): generalized momenta L_v."""
        return Matrix(partials(self.L, self.system.velocities))

    def latex(self, part: str | None = None) -> str:
        """The equations of motion under each other, or one part like "M" or "T2", in LaTeX."""
        if part is not None:
            return f"{_NAMES.get(part, part)} = {latex(self._part(part))}"
        return latex_rows(("", row, " &= 0") for row in self._rows())

    def text(self, part: str | None = None) -> str:
        """The equations of motion line by line, or one part like "M" or "T2", as plain text."""
        if part is not None:
            found = self._part(part)
            if isinstance(found, sympy.MatrixBase):
                return matrix_text(part, found)
            return f"{part} = {text(found)}"
        names = [*map(str, self.system.coordinates), *map(str, self.multipliers)]
        rows = zip(names, self._rows(), strict=True)
        return text_rows((f"{name}: ", row, " = 0") for name, row in rows)

    def _part(self, name: str) -> sympy.Basic:
        if name not in PARTS:
            raise DeclarationError(
                f"Equations have no part `{name}`. Parts: {listed(PARTS)}." + did_you_mean(name, PARTS)
            )
        part: sympy.Basic = getattr(self, name)
        return part

    def _rows(self) -> list[sympy.Expr]:
        return list(self.index3)

    def __str__(self) -> str:
        return self.text()

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {self.latex()}$"

    _repr_markdown_ = as_markdown


def equations(system: System, *, simplify: float = 1.0) -> Equations | FieldEquations:
    """The equations of motion of a system, symbolically.

    Those of a system with fields are `.ordinary`, `.partial` and `.boundary` rows.

    Arguments:
        system: the system.
        simplify: work to spend on shorter forms, 1 being about a second of it; 0 leaves everything as
            differentiated.

    Example:
        >>> from routh import coordinate, parameters, ddt, System
        >>> x, (m, k) = coordinate("x"), parameters("m k")
        >>> print(equations(System(kinetic=m * ddt(x) ** 2 / 2, potential=k * x**2 / 2)))
        x: m*x'' + k*x = 0
    """
    checked_symbolic(system, "equations", graphs=True)
    return field_equations(system, simplify) if system.fields else _discrete(system, simplify)


def _discrete(system: System, simplify: float) -> Equations:
    """The equations of a system of coordinates."""
    q, v = system.coordinates, system.velocities
    T, V, D = (unfold(sympy.Add(*terms)) for terms in (
        (*system.kinetic, *system.lagrangian), system.potential, system.dissipation))  # fmt: skip
    tidy = Tidy.within(simplify)
    A, B, C = _coefficients(T, v, tidy)
    V = tidy(V)
    T1 = _dot(B, v)
    T0 = C / 2
    quadratic = not (leaves(A) & set(v))
    T2 = _dot(v, [_dot(A[i, :], v) for i in range(len(v))]) / 2 if quadratic else T - T1 - T0
    L = _shorter(T2 + T1 + T0, T) - V
    multipliers = multiplier_symbols(system)
    Q = tidy.matrix(generalized_forces(system))
    h = tidy.matrix(_without_accelerations(L, D, q))
    J = tidy.matrix(constraint_jacobian(system))
    phi = [tidy(unfold(each)) for each in system.constraints]
    a = [velocity.rate for velocity in v]
    held = [h[i] + _dot(J[:, i], multipliers) for i in range(len(q))]
    left = [_cancelled(each, force, tidy) for each, force in zip(held, Q, strict=True)]
    rows = [_dot(A[i, :], a) + left[i] for i in range(len(q))]
    return Equations(
        system=system, residual=Matrix(rows), M=A, h=h, Q=Q, phi=Matrix(len(phi), 1, phi), J=J,
        gamma=tidy.matrix(constraint_accelerations(system)), kinds=constraint_kinds(system),
        multipliers=multipliers, T2=T2, T1=T1, T0=T0, A=A, B=B, C=C, V=V, D=D,
        simplify=Tidy.amount(simplify, "simplify", "shorter forms"),
    )  # fmt: skip


def _cancelled(held: sympy.Expr, force: sympy.Expr, tidy: Tidy) -> sympy.Expr:
    """What is left beside inertia, taken together where something drops out by that."""
    apart = held - force
    if force == 0 or held == 0:
        return apart
    together = tidy(apart)
    return together if leaves([together]) < leaves([apart]) else apart


def _dot(row: Iterable[sympy.Expr], column: Iterable[sympy.Expr]) -> sympy.Expr:
    """The sum of products; SymPy's matrices also multiply by zeros, which takes long."""
    pairs = zip(row, column, strict=True)
    return sympy.Add(*(a * b for a, b in pairs if a is not sympy.S.Zero and b is not sympy.S.Zero))


def _shorter(tidied: sympy.Expr, written: sympy.Expr) -> sympy.Expr:
    """What has fewer branches as a graph: composed rotations have many as soon as they are sorted."""
    a, b = (sum(1 for _ in nodes([e])) for e in (tidied, written))
    return written if b < a else tidied


@lru_cache(maxsize=64)
def _simplified(system: System) -> Equations:
    return _discrete(system, simplify=4.0)


def is_cyclic(system: System, q: Coordinate) -> bool:
    """Whether a coordinate drops out of L, and no force, damping or constraint acts on it."""
    found = _simplified(system)
    i = system.coordinates.index(q)
    free = found.Q[i] == 0 and found.D.diff(q.rate) == 0 and not any(found.J[:, i])
    return free and q not in leaves([found.L, found.D, *found.Q])


def _coefficients(
    T: sympy.Expr, v: tuple[Coordinate, ...], tidy: Tidy
) -> tuple[Matrix, Matrix, sympy.Expr]:
    """A, B and C of `T = v^T A v / 2 + B^T v + C / 2`, tidied; A is L_vv if T is not quadratic."""
    still = dict.fromkeys(v, sympy.S.Zero)
    slopes = partials(T, v)
    n = len(v)
    rows = [[tidy(e) for e in partials(slope, v[i:])] for i, slope in enumerate(slopes)]
    A = Matrix(n, n, lambda i, j: rows[min(i, j)][abs(i - j)])
    B = Matrix(n, 1, [tidy(replaced(slope, still)) for slope in slopes])
    return A, B, tidy(2 * replaced(T, still))


def _without_accelerations(L: sympy.Expr, D: sympy.Expr, q: tuple[Coordinate, ...]) -> Matrix:
    """h: what is left of d/dt L_v - L_q + D_v when all accelerations are zero."""
    v = [x.rate for x in q]
    still: dict[sympy.Basic, sympy.Basic] = {velocity.rate: sympy.S.Zero for velocity in v}
    slopes = zip(partials(L, v), partials(L, q), partials(D, v), strict=True)
    return Matrix([replaced(ddt(L_v), still) - L_q + D_v for L_v, L_q, D_v in slopes])


def generalized_forces(system: System) -> Matrix:
    """(n, 1): Q by virtual work, written out; forces of constraints by their multipliers."""
    rows = [unfold(sympy.Add(*(f.generalized(q) for f in system.forces))) for q in system.coordinates]
    if not depends_on_reactions(system.forces):
        return Matrix(rows)
    reacting = by_multipliers(system.constraints, system.multipliers)
    return Matrix([row.xreplace(reacting) for row in rows])


def _momenta_kept(eq: Equations, tidy: Tidy) -> Iterator[Conserved]:
    """Momenta of coordinates that enter neither L nor the forces nor a constraint."""
    system = eq.system
    bound = leaves(system.constraints)
    q, v = system.coordinates, system.velocities
    slopes = zip(q, eq.Q, partials(eq.D, v), partials(eq.L, q), partials(eq.L, v), strict=True)
    for x, force, D_v, L_q, L_v in slopes:
        if not {x, x.rate} & bound and force == 0 and D_v == 0 and (zero := decided(L_q)).is_zero:
            yield Conserved(f"momentum of {x}", tidy(L_v), f"`{x}` does not enter L", zero.is_shown)


def _is_workless(phi: sympy.Expr) -> bool:
    """Whether a constraint does no work: phi(q), or phi(q, v) homogeneous of degree one in v."""
    velocities = [s for s in leaves([phi]) if isinstance(s, Coordinate) and s.order]
    by_v = sympy.Add(*(v * partial(phi, v) for v in velocities))
    return not contains_time(phi) and (not velocities or vanishes(phi - by_v))


def _energy_kept(eq: Equations, tidy: Tidy) -> Iterator[Conserved]:
    """`v . L_v - L`: the energy where T has no part T1 or T0, else the Jacobi integral.

    What only seems to depend on time, like a frame turning at constant rate, drops out of dL/dt.
    """
    system = eq.system
    driven = any(isinstance(s, Input) for s in leaves([eq.L, *system.constraints]))
    working = not all(map(_is_workless, map(unfold, system.constraints)))
    if driven or working or system.forces or system.dissipation:
        return
    zero = decided(explicit_rate(eq.L))
    if not zero.is_zero:
        return
    T = eq.T2 + eq.T1 + eq.T0
    kinetic = _dot(system.velocities, partials(T, system.velocities)) - T
    is_energy = not system.lagrangian and vanishes(eq.T1 + eq.T0)
    name = "energy" if is_energy else "Jacobi integral"
    yield Conserved(name, tidy(kinetic) + eq.V, "time does not enter L", zero.is_shown)
