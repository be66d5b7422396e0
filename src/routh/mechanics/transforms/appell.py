"""Gibbs and Appell: equations in quasi-velocities, without the multipliers of velocity constraints."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import sympy
from sympy import ImmutableDenseMatrix as Matrix

from routh.errors import DeclarationError, did_you_mean, listed, quoted, shortened
from routh.language.calculus import as_vector, ddt, expression
from routh.language.declaring import coordinate
from routh.language.derivation import partials
from routh.language.gates import checked_symbolic
from routh.language.linearity import Linearity, linearity
from routh.language.names import by_name, known_names
from routh.language.symbols import Coordinate, Input, Parameter, t
from routh.language.system import System
from routh.language.walk import leaves, replaced, unfold
from routh.mechanics.forms.printing import latex, latex_lines, text
from routh.mechanics.forms.tidy import Tidy
from routh.mechanics.transforms.hamel import HamelEquations, boltzmann_hamel
from routh.mechanics.transforms.quasi_velocities import velocities_of
from routh.mechanics.transforms.tangent_frame import Frame, tangent_frame
from routh.shown import as_markdown


@dataclass(frozen=True, eq=False)
class AppellEquations:
    """`dS/du' = U` for quasi-velocities u, with `v = W u + w` along every admissible motion.

    Attributes:
        system: the system.
        quasi: the quasi-velocities as symbols; their rates are the quasi-accelerations.
        definitions: what each is in velocities.
        W, w: (n, r), (n, 1) the velocities in quasi-velocities.
        S: the Gibbs-Appell function, half of the acceleration energy, in u, u' and q; parts without
            u' are left out, since they do not matter.
        U: (r, 1) generalized forces for u: W^T (Q - D_v - V_q).
        residual: (r, 1) dS/du' - U, zero along a motion.
        simplify: the amount of work that was granted for short forms.
    """

    system: System
    quasi: tuple[Coordinate, ...]
    definitions: dict[Coordinate, sympy.Expr] = field(repr=False)
    W: Matrix = field(repr=False)
    w: Matrix = field(repr=False)
    S: sympy.Expr = field(repr=False)
    U: Matrix = field(repr=False)
    residual: Matrix = field(repr=False)
    simplify: float = field(repr=False)

    @property
    def velocities(self) -> Matrix:
        """(n, 1): q' in q, u and t."""
        return self.W * Matrix(self.quasi) + self.w

    @property
    def M(self) -> Matrix:
        """(r, r): the mass matrix of the quasi-velocities."""
        rates = Matrix([u.rate for u in self.quasi])
        return Matrix(self.residual.jacobian(rates))

    @cached_property
    def hamel(self) -> HamelEquations:
        """The equations of Boltzmann and Hamel for the same quasi-velocities: the same rows from T."""
        return boltzmann_hamel(self.system, self.definitions, self.U, self.simplify)

    def partial_velocities(self, velocity: object) -> Matrix:
        """(3, r) or (2, r): Kane's partial velocities, what each quasi-velocity adds to a velocity.

        Kane's equations are the sum over bodies of partial velocities times (force - mass times
        acceleration) and partial angular velocities times (torque - rate of angular momentum): the rows
        of `residual` with the other sign.

        Arguments:
            velocity: a vector linear in the velocities of the system: `ddt(r)` for a point at r, or an
                angular velocity.

        Example:
            >>> from routh import coordinate, cos, ddt, gibbs_appell, parameter, sin, System, vector
            >>> theta, l = coordinate("theta"), parameter("l")
            >>> r = vector(l * sin(theta), -l * cos(theta))
            >>> bob = gibbs_appell(System(kinetic=ddt(r).dot(ddt(r)) / 2), {"u": ddt(theta)})
            >>> bob.partial_velocities(ddt(r)).T
            Matrix([[l*cos(theta), l*sin(theta)]])
        """
        what = "`velocity`"
        rows = [unfold(e) for e in as_vector(velocity, what)]
        v = self.system.velocities
        _refuse_foreign(self.system, rows, what)
        for e in rows:
            if linearity(e, v)[0] is not Linearity.SHOWN:
                raise DeclarationError(
                    f"{what} must be a vector that is linear in the velocities of {self.system.title},"
                    f" like ddt(r). Got {shortened(e)}."
                )
        known = dict(zip(v, self.velocities, strict=True))
        frame, tidy = tangent_frame(self.system), Tidy(self.simplify)
        slopes = [partials(frame.lowered(replaced(e, known)), self.quasi) for e in rows]
        return Matrix([[tidy(frame.lowered(e)) for e in row] for row in slopes])

    def latex(self) -> str:
        """S, the equations and the velocities in LaTeX."""
        rows = [f"S &= {latex(self.S)}"]
        rows += [f"{latex(row)} &= 0" for row in self.residual]
        pairs = zip(self.system.velocities, self.velocities, strict=True)
        return latex_lines([*rows, *(f"{latex(v)} &= {latex(e)}" for v, e in pairs)])

    def __str__(self) -> str:
        lines = [f"S = {text(self.S)}"]
        lines += [f"{u}: {text(row)} = 0" for u, row in zip(self.quasi, self.residual, strict=True)]
        pairs = zip(self.system.velocities, self.velocities, strict=True)
        return "\n".join([*lines, *(f"{v} = {text(e)}" for v, e in pairs)])

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {self.latex()}$"

    _repr_markdown_ = as_markdown


def gibbs_appell(
    system: System, quasi: Mapping[str, object], *, simplify: float = 1.0
) -> AppellEquations:
    """The equations of Gibbs and Appell of a system with velocity constraints.

    The constraints leave r = n - c velocities free; as many quasi-velocities are chosen, each linear in
    the velocities. No multipliers appear, and no position is lost.

    Constraints that hold positions count by their rates: the rows then hold where the motion begins on
    them. The entries of a `rotation_matrix` and the numbers of a `quaternion` move by their angular
    velocity, and what is equal for all rotations (det R = 1) is written in its lowest form.

    Arguments:
        system: the system; its constraints may hold velocities or positions.
        quasi: a name and an expression in velocities for each quasi-velocity.
        simplify: work to spend on shorter forms, 1 being about a second of it.

    Raises:
        DeclarationError: a quasi-velocity is not linear in the velocities, or there are too few.
        DerivationError: the velocities do not follow from definitions and constraints.

    Example:
        >>> from routh import coordinates, ddt, parameters, System, sin, cos
        >>> (x, y, theta), (m, J) = coordinates("x y theta"), parameters("m J")
        >>> skate = System(kinetic=m * (ddt(x) ** 2 + ddt(y) ** 2) / 2 + J * ddt(theta) ** 2 / 2,
        ...     constraints=[ddt(x) * sin(theta) - ddt(y) * cos(theta)])
        >>> forward = ddt(x) * cos(theta) + ddt(y) * sin(theta)
        >>> found = gibbs_appell(skate, {"u": forward, "omega": ddt(theta)})
        >>> print(sympy.simplify(found.residual))
        Matrix([[m*u'], [J*omega']])
    """
    checked_symbolic(system, "gibbs_appell")
    symbols, definitions = _quasi(system, quasi)
    tidy = Tidy.within(simplify)
    frame = tangent_frame(system)
    free = velocities_of(frame, definitions, tidy)
    W, w = free.W, free.w
    by_quasi = dict(zip(frame.symbols, _plus(_times(W, symbols), w), strict=True))
    known = {v: replaced(e, by_quasi) for v, e in frame.velocities.items()}

    def along(e: sympy.Expr) -> sympy.Expr:
        """An expression with the velocities of u."""
        return frame.lowered(replaced(replaced(e, known), by_quasi))

    rates = (_times(W.applyfunc(ddt), symbols), w.applyfunc(ddt))
    drift = [along(e) for e in _plus(*rates)]
    parts = frame.balance(tidy, simplify)
    inertia, push = ([along(e) for e in each] for each in (parts.inertia, parts.push))

    def short(matrix: Matrix) -> Matrix:
        """Entries in lowest terms."""
        return Matrix(*matrix.shape, [tidy(frame.lowered(e)) for e in matrix])

    M = short(parts.M.applyfunc(along))
    across = W.T
    mass = short(Matrix([_times(across, _times(M, column)) for column in _columns(W)]))
    rest = short(Matrix(_times(across, _plus(_times(M, drift), inertia))))
    U = short(Matrix(_times(across, push)))
    u_rates = [u.rate for u in symbols]
    moved = _times(mass, u_rates)
    S = sympy.Add(*(a * (b / 2 + c) for a, b, c in zip(u_rates, moved, rest, strict=True)))
    residual = tidy.matrix(Matrix([a + b - c for a, b, c in zip(moved, rest, U, strict=True)]))
    W, w = _of_coordinates(frame, W, w, tidy)
    return AppellEquations(system, symbols, definitions, W, w, tidy(S), U, residual, simplify)


def _of_coordinates(frame: Frame, W: Matrix, w: Matrix, tidy: Tidy) -> tuple[Matrix, Matrix]:
    """The rates of all coordinates, where some of them are those of a rotation."""
    if not frame.turning:
        return W, w
    q = frame.system.coordinates
    fields = Matrix([[own.get(x, sympy.S.Zero) for own in frame.fields] for x in q])
    columns = [_times(fields, each) for each in (*_columns(W), list(w))]
    whole = Matrix([[tidy(frame.lowered(e)) for e in each] for each in columns]).T
    return whole[:, :-1], whole[:, -1]


def _columns(matrix: Matrix) -> list[list[sympy.Expr]]:
    return [list(matrix[:, k]) for k in range(matrix.cols)]


def _times(matrix: Matrix, column: Sequence[sympy.Expr]) -> list[sympy.Expr]:
    """A matrix times a column, without products with zero, which SymPy's matrices take long for."""
    zero = sympy.S.Zero
    rows = ([*matrix[i, :]] for i in range(matrix.rows))
    return [
        sympy.Add(*(a * b for a, b in zip(row, column, strict=True) if zero not in (a, b)))
        for row in rows
    ]


def _plus(a: Iterable[sympy.Expr], b: Iterable[sympy.Expr]) -> list[sympy.Expr]:
    return [x + y for x, y in zip(a, b, strict=True)]


def _quasi(
    system: System, quasi: Mapping[str, object]
) -> tuple[tuple[Coordinate, ...], dict[Coordinate, sympy.Expr]]:
    if not isinstance(quasi, Mapping) or not all(isinstance(name, str) for name in quasi):
        raise DeclarationError(
            f'gibbs_appell takes quasi-velocities as {{"u": expression in velocities}}. Got {quasi!r}.'
        )
    free = len(system.coordinates) - len(system.constraints)
    if len(quasi) != free:
        raise DeclarationError(
            f"{len(system.coordinates)} velocities with {len(system.constraints)} constraints leave"
            f" {free} free: expected as many quasi-velocities. Got {len(quasi)}: {listed(quasi)}."
        )
    names = {s.name for s in (*system.coordinates, *system.parameters, *system.inputs)}
    definitions: dict[Coordinate, sympy.Expr] = {}
    for name, given in quasi.items():
        if name in names:
            raise DeclarationError(f"The quasi-velocity `{name}` has a name of {system.title}.")
        what = f"The quasi-velocity `{name}`"
        e = unfold(expression(by_name(system, given, what), what))
        _refuse_foreign(system, [e], what, own=system.parameters)
        v = system.velocities
        if not leaves([e]) & set(v) or linearity(e, v)[0] is not Linearity.SHOWN:
            raise DeclarationError(
                f"The quasi-velocity `{name}` must be linear in the velocities of {system.title}."
                f" Got {shortened(e)}."
            )
        definitions[coordinate(name)] = e
    return tuple(definitions), definitions


def _refuse_foreign(
    system: System,
    rows: Sequence[sympy.Expr],
    what: str,
    own: Sequence[sympy.Symbol] | None = None,
) -> None:
    """Symbols that a system does not have; of parameters any may stand where none are named."""
    known = {*system.coordinates, *system.velocities, *(own or ()), t}
    free = (Input,) if own is not None else (Input, Parameter)
    alien = sorted((s for s in leaves(rows) if s not in known and not isinstance(s, free)), key=str)
    if alien:
        raise DeclarationError(
            f"{what} contains {quoted(alien)}, which {system.title} does not. Its"
            f" {known_names(system)}." + did_you_mean(alien[0], known)
        )
