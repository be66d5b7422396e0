"""Gibbs and Appell: equations in quasi-velocities, without the multipliers of velocity constraints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import sympy
from sympy import ImmutableDenseMatrix as Matrix

from routh.errors import DeclarationError, DerivationError, listed, quoted, shortened
from routh.language.calculus import ddt, expression
from routh.language.gates import checked_symbolic
from routh.language.symbols import Coordinate, Input, coordinate, t
from routh.language.system import System
from routh.language.walk import leaves, unfold
from routh.mechanics.lagrange import Equations, equations
from routh.mechanics.tidy import Tidy
from routh.mechanics.vanish import vanishes
from routh.mechanics.writing import CAP, latex, latex_lines, text


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
    """

    system: System
    quasi: tuple[Coordinate, ...]
    definitions: dict[Coordinate, sympy.Expr] = field(repr=False)
    W: Matrix = field(repr=False)
    w: Matrix = field(repr=False)
    S: sympy.Expr = field(repr=False)
    U: Matrix = field(repr=False)
    residual: Matrix = field(repr=False)

    @property
    def velocities(self) -> Matrix:
        """(n, 1): q' in q, u and t."""
        return self.W * Matrix(self.quasi) + self.w

    @property
    def M(self) -> Matrix:
        """(r, r): the mass matrix of the quasi-velocities."""
        rates = Matrix([u.rate for u in self.quasi])
        return Matrix(self.residual.jacobian(rates))

    def latex(self, cap: int = CAP) -> str:
        """S, the equations and the velocities in LaTeX."""
        rows = [f"S &= {latex(self.S, cap)}"]
        rows += [f"{latex(row, cap)} &= 0" for row in self.residual]
        pairs = zip(self.system.velocities, self.velocities, strict=True)
        return latex_lines([*rows, *(f"{latex(v)} &= {latex(e, cap)}" for v, e in pairs)])

    def __str__(self) -> str:
        lines = [f"S = {text(self.S)}"]
        lines += [f"{u}: {text(row)} = 0" for u, row in zip(self.quasi, self.residual, strict=True)]
        pairs = zip(self.system.velocities, self.velocities, strict=True)
        return "\n".join([*lines, *(f"{v} = {text(e)}" for v, e in pairs)])

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {self.latex()}$"


def gibbs_appell(
    system: System, quasi: Mapping[str, object], *, simplify: float = 1.0
) -> AppellEquations:
    """The equations of Gibbs and Appell of a system with velocity constraints.

    The constraints leave r = n - c velocities free; as many quasi-velocities are chosen, each linear in
    the velocities. No multipliers appear, and no position is lost.

    Arguments:
        system: a system whose constraints, if any, all contain velocities.
        quasi: a name and an expression in velocities for each quasi-velocity.
        simplify: seconds to spend on shorter forms.

    Raises:
        DeclarationError: a quasi-velocity is not linear in the velocities, or there are too few.
        DerivationError: constraints hold positions, or the velocities do not follow.

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
    held = [phi for phi, kind in zip(system.constraints, system.is_holonomic, strict=True) if kind]
    if held:
        raise DerivationError(
            f"gibbs_appell works with velocity constraints. `{shortened(held[0])}` holds positions:"
            " differentiate it with ddt, or choose coordinates that meet it."
        )
    symbols, definitions = _quasi(system, quasi)
    tidy = Tidy.within(simplify)
    W, w = _kinematics(system, definitions, symbols, tidy)
    eq = equations(system, simplify=simplify)
    assert isinstance(eq, Equations)
    u, rates = Matrix(symbols), Matrix([s.rate for s in symbols])
    v = W * u + w
    by_quasi = dict(zip(system.velocities, v, strict=True))

    def along(e: sympy.Expr) -> sympy.Expr:
        """d/dt of an expression in q, u and t, the velocities being those of u."""
        return ddt(e).subs(by_quasi, simultaneous=True)

    drift = (W.applyfunc(along) * u + w.applyfunc(along)).subs(by_quasi, simultaneous=True)
    a = W * rates + drift
    D_v = Matrix([eq.D.diff(x) for x in system.velocities])
    V_q = Matrix([eq.V.diff(q) for q in system.coordinates])
    inertia = (eq.h - D_v - V_q).subs(by_quasi, simultaneous=True)
    M = eq.M.subs(by_quasi, simultaneous=True)
    push = (eq.Q - D_v - V_q).subs(by_quasi, simultaneous=True)
    whole = (a.T * M * a)[0] / 2 + (a.T * inertia)[0]
    still = dict.fromkeys(rates, sympy.S.Zero)
    S = tidy(sympy.expand(whole - whole.subs(still)))
    U = tidy.matrix(Matrix(W.T * push))
    residual = tidy.matrix(Matrix(W.T * (M * a + inertia) - U))
    return AppellEquations(system, symbols, definitions, W, w, S, U, residual)


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
        e = unfold(expression(given, f"The quasi-velocity `{name}`"))
        known = {*system.coordinates, *system.velocities, *system.parameters, t}
        alien = [s for s in leaves([e]) if s not in known and not isinstance(s, Input)]
        slopes = [e.diff(v) for v in system.velocities]
        if alien or not any(slopes) or leaves(slopes) & set(system.velocities):
            reason = f"It contains {quoted(alien)}." if alien else f"Got {shortened(e)}."
            raise DeclarationError(
                f"The quasi-velocity `{name}` must be linear in the velocities of {system.title}."
                f" {reason}"
            )
        definitions[coordinate(name)] = e
    return tuple(definitions), definitions


def _kinematics(
    system: System,
    definitions: Mapping[Coordinate, sympy.Expr],
    symbols: tuple[Coordinate, ...],
    tidy: Tidy,
) -> tuple[Matrix, Matrix]:
    """W and w of v = W u + w: definitions and constraints solved for the velocities."""
    still = dict.fromkeys(system.velocities, sympy.S.Zero)
    rows = [*definitions.values(), *map(unfold, system.constraints)]
    Y = Matrix(rows).jacobian(Matrix(system.velocities))
    if vanishes(Y.det()):
        raise DerivationError(
            f"The quasi-velocities {quoted(symbols)} and the constraints do not determine the"
            " velocities: some of them follow from the others. Choose independent ones."
        )
    inverse = tidy.matrix(Matrix(Y.inv(method="ADJ")))
    constant = Matrix([row.subs(still) for row in rows])
    return inverse[:, : len(symbols)], tidy.matrix(Matrix(-inverse * constant))
